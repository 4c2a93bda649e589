/* One cubin: an ELF file of 64 bits for EM_CUDA. */
#ifndef HD_SASS_CUBIN_H
#define HD_SASS_CUBIN_H

#include "sass/container.h"

/* Bytes of a file with the place that messages name: `at` is where they begin in the file. */
typedef struct hd_sass_span {
	const uint8_t *bytes;
	size_t size;
	const char *name;
} hd_sass_span;

/* The numbers of an ELF file that a cubin, and a host file around it, need. */
enum { HD_ELF_HEADER = 64, HD_ELF_SECTION = 64, HD_ELF_SYMBOL = 24, HD_ELF_CUDA = 190 };
typedef struct hd_elf_section {
	const char *name; /* within the file; ends inside of it */
	uint32_t type, link, info;
	uint64_t flags, offset, size, entry, header; /* `header`: where its header lies in the file */
	uint64_t memory;                             /* bytes when it is loaded, also of one that has none in the file */
} hd_elf_section;
typedef struct hd_elf {
	hd_sass_span file;
	unsigned machine, abi, version, flags, osabi;
	hd_elf_section *sections;
	size_t n, segments;
} hd_elf;

/* An error at an offset of the file. Returns false. */
bool hd_sass_damaged(const hd_sass_span *file, uint64_t offset, hd_diag *diag, const char *format, ...) HD_PRINTF(4, 5);
/* `n` little-endian bytes, n at most 8; the caller has checked the range. */
uint64_t hd_sass_read(const uint8_t *at, unsigned n);
/* Whether `length` bytes from `offset` lie in `size`. */
static inline bool hd_sass_within(uint64_t offset, uint64_t length, uint64_t size) { return offset <= size && length <= size - offset; }

/* Reads header and sections; every section that has bytes lies in the file, every name ends in it. The caller frees `sections`. */
bool hd_elf_read(hd_elf *elf, hd_sass_span file, hd_diag *diag);
/* The table of segments lies in the file, and what it names does. Part of hd_elf_read. */
bool hd_elf_segments(hd_elf *elf, hd_diag *diag);
/* Where the last thing ends that the file's tables name. */
uint64_t hd_elf_end(const hd_elf *elf);
/* Nothing that is executed lies outside of the sections that `is_code` takes: otherwise an error. */
bool hd_elf_code_is_whole(const hd_elf *elf, bool (*is_code)(const hd_elf_section *), hd_diag *diag);
/* NULL: there is none. */
const hd_elf_section *hd_elf_find(const hd_elf *elf, const char *name);

/* Fills a cubin from its ELF file; what it allocates is in the arena. */
bool hd_sass_cubin_read(hd_sass_cubin *cubin, hd_sass_span file, hd_arena *arena, hd_diag *diag);

/* Reads .debug_line and gives the rows of each function's section. A table that is damaged is an error; none is none. */
bool hd_sass_lines_read(const hd_elf *elf, hd_sass_cubin *cubin, hd_arena *arena, hd_diag *diag);

/* *pretty: the qualified name in an Itanium-mangled one, without parameters: "space::kernel", "kernel<float>"; "kernel<...>" where the arguments are
 * not understood; the name itself where it is not mangled, or not understood. *signature: with parameters, "kernel<float>(float *)"; the name where
 * these are not understood. */
void hd_sass_names(const char *name, hd_arena *arena, const char **pretty, const char **signature);
/* Functions of a cubin whose `pretty` is that of another one get their signature in its place. */
void hd_sass_tell_apart(hd_sass_cubin *cubin, hd_arena *arena);

typedef enum hd_sass_packing { HD_SASS_PACKING_LZ4, HD_SASS_PACKING_ZSTD } hd_sass_packing;
/* Decompresses into `size` bytes, which must come out exactly. */
bool hd_sass_unpack(hd_sass_packing packing, const uint8_t *from, size_t n, uint8_t *to, size_t size);

#endif

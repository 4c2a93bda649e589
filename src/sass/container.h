/* Files that hold real machine code (SA-1): cubins, and what cubins are embedded in (fat binaries; executables, libraries and objects of the host).
 *
 * A file is hostile: every offset and length is checked, and nothing is allocated that the file's size does not bound, but for compressed entries:
 * HD_SASS_ENTRY_MAX bounds each, HD_SASS_FILE_MAX all together. Errors name the file and the offset in bytes. */
#ifndef HD_SASS_CONTAINER_H
#define HD_SASS_CONTAINER_H

#include "base/base.h"

enum {
	HD_SASS_ENTRY_MAX = 1 << 30, /* bytes of one entry after decompression */
	HD_SASS_RATIO_MAX = 4096,    /* an entry may grow so many times by decompression */
};
#define HD_SASS_FILE_MAX (UINT64_C(2) << 30) /* bytes of all entries of a file after decompression */

/* A call, or another reference to a place in code or data, that the linker or loader fills in. */
typedef struct hd_sass_relocation {
	uint64_t offset;    /* of the instruction, bytes from the function's start */
	uint32_t type;      /* R_CUDA_... */
	const char *symbol; /* "" when the file does not say */
	int64_t addend;
} hd_sass_relocation;

/* A row of the line table: from `offset` on. */
typedef struct hd_sass_line {
	uint64_t offset;
	const char *file;
	uint32_t line;
} hd_sass_line;

/* The places that an indirect branch at `offset` may go to, as the cubin lists them. */
typedef struct hd_sass_targets {
	uint64_t offset;
	const uint64_t *at; /* bytes from the function's start */
	size_t n;
} hd_sass_targets;

/* A place inside a section of code that a symbol names. A function that is not inlined lies in the section of its own, or behind the kernel. */
typedef struct hd_sass_label {
	const char *name;
	uint64_t offset, size;
} hd_sass_label;

typedef struct hd_sass_function {
	const char *name;                /* as linked: .text.NAME */
	const char *pretty;              /* demangled; `name` where that is not possible */
	const char *signature;           /* the same with parameters */
	bool kernel;                     /* can be launched; otherwise a function that code calls */
	const uint8_t *code;             /* not owned by the function: lives as long as the file */
	uint64_t size;                   /* bytes, a multiple of 16 */
	uint64_t file_offset;            /* of the code in the cubin */
	uint32_t registers;              /* a thread */
	hd_sass_relocation *relocations; /* in order of offset */
	size_t n_relocations;
	hd_sass_line *lines; /* in order of offset */
	size_t n_lines;
	hd_sass_targets *targets; /* in order of offset */
	size_t n_targets;
	hd_sass_label *labels; /* in order of offset */
	size_t n_labels;
} hd_sass_function;

typedef struct hd_sass_cubin {
	const char *name;      /* of the file in messages; with the entry's place in it, where it has several */
	unsigned architecture; /* 80 for sm_80 */
	unsigned toolkit;      /* 130 for CUDA 13.0; 0: the file does not say */
	const uint8_t *bytes;  /* the ELF file; lives as long as the file that it came from */
	size_t size;
	uint64_t file_offset; /* of `bytes` in the file; of a compressed entry, and of PTX, where the entry begins */
	bool compressed;      /* `bytes` are not those of the file */
	bool ptx_only;        /* PTX text without machine code: no functions */
	hd_sass_function *functions;
	size_t n_functions;
} hd_sass_cubin;

typedef struct hd_sass_binary hd_sass_binary;

/* Whether a file that begins with these bytes (20 suffice) may be one that hd_sass_binary_open reads: a cubin, a fat binary, or an ELF file of a
 * host, which may have fat binaries in it. */
bool hd_sass_binary_is(const uint8_t *bytes, size_t size);

typedef struct hd_sass_selection {
	unsigned architecture; /* 80 for sm_80; 0: all */
	const char *kernel;    /* as linked, or as people write it (base/source_name.h): all functions for which it stands; NULL: all */
} hd_sass_selection;
/* Whether the selection takes the function. */
bool hd_sass_selected(const hd_sass_selection *selection, const hd_sass_cubin *cubin, const hd_sass_function *function);

/* Reads a file. `bytes` must outlive the result and stay as they are. NULL and an error with an offset when anything of it is damaged, or when no
 * entry is in it. `name` is the file's name in messages. */
hd_sass_binary *hd_sass_binary_open(const uint8_t *bytes, size_t size, const char *name, hd_diag *diag);
/* Reads the entries with functions that the selection takes. Entries of other architectures are neither decompressed nor looked at, and the memory of
 * one without such a function is given back before the next is read. PTX-only entries are kept. A damaged entry is an error in `diag` and is left
 * out. NULL and an error when the file around the entries is damaged, when no entry is for the architecture, or when all that are are damaged. */
hd_sass_binary *hd_sass_binary_open_for(const uint8_t *bytes, size_t size, const char *name, const hd_sass_selection *selection, hd_diag *diag);
/* The entries that were left out. */
size_t hd_sass_binary_damaged(const hd_sass_binary *file);
/* The name nearest to the kernel that was asked for, among the entries that were given back. */
hd_suggestion hd_sass_binary_suggestion(const hd_sass_binary *file);
void hd_sass_binary_free(hd_sass_binary *file); /* NULL: nothing */
size_t hd_sass_binary_count(const hd_sass_binary *file);
const hd_sass_cubin *hd_sass_binary_cubin(const hd_sass_binary *file, size_t index);

/* The word of 64 bits at `offset` bytes of constant bank `bank` as the cubin initializes it for this function (tables of indirect branches lie
 * there). False when it does not. */
bool hd_sass_constant(const hd_sass_cubin *cubin, const hd_sass_function *function, unsigned bank, uint64_t offset, unsigned bytes, uint64_t *value);

#endif

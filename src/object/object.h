/* The kernel object: the toolchain writes it; the interpreter, the machine and the checker read it. As a file it is ELF (elf.h, through libelf);
 * in memory it is plain data. */
#ifndef HD_OBJECT_H
#define HD_OBJECT_H

#include "isa/geometry.h"

/* Constant bank of a launch (4-byte words; launch/launch.c fills it):
 *   words 0-2   block size x y z          words 3-5   grid size in CTAs x y z
 *   words 6-11  global offset x y z, 64 bits each
 *   word  12    work dimensions            word  13    bytes of dynamic shared memory
 *   words 14-15 address of the module's data segment
 *   words 16... parameters: param byte 0 is bank byte 64
 *   last words below 256: the program's literals (hd_object.literals), the first at word 256 - n_literals
 *   bytes HD_BANK_RANGE... the range, and HD_BANK_PRINT... address and bytes of the print buffer, in programs that read them
 * Parameters may run on past word 255, where LDC reaches them, up to the range. A program whose parameters would meet its literals gets no
 * literals. */
enum {
	HD_BANK_NTID = 0,
	HD_BANK_NCTAID = 12,
	HD_BANK_OFFSET = 24,
	HD_BANK_WORK_DIM = 48,
	HD_BANK_DYNAMIC_SHARED = 52,
	HD_BANK_DATA = 56,
	HD_BANK_PARAMS = 64,
	HD_PARAM_BYTES_MAX = 32764, /* of a kernel, as CUDA's from 12.1 on */
	/* The range that the launch is part of (hd_range): for each dimension 64-bit offset and size, then groups, first group, and size of a full
	   group. */
	HD_BANK_RANGE = 32832, /* behind the last parameter, and 64-bit words are aligned */
	HD_BANK_RANGE_SIZE = HD_BANK_RANGE + 24,
	HD_BANK_RANGE_GROUPS = HD_BANK_RANGE_SIZE + 24,
	HD_BANK_RANGE_FIRST = HD_BANK_RANGE_GROUPS + 12,
	HD_BANK_RANGE_BLOCK = HD_BANK_RANGE_FIRST + 12,
	HD_BANK_PRINT = 32928,
	HD_BANK_MAX = 32944,
	HD_DATA_MAX = 1 << 28, /* data segment of a module */
};                             /* bytes */

/* The print buffer: a 64-bit counter of the bytes reserved so far, 8 unused bytes, then records of whole 8 bytes, then room for one record that
 * is never read. Code reserves a record by adding to the counter, and writes it there, or behind the end if it does not fit. A record:
 *   bytes 0-3   its bytes, all of it       bytes 4-7   number of arguments n
 *   bytes 8-15  address of the format      bytes 16... n sizes, a byte each, padded to 4; then the arguments, each padded to 4 */
enum { HD_PRINT_BEGIN = 16, HD_PRINT_HEAD = 16, HD_PRINT_RECORD_MAX = 4096 };

/* Generic address space (PD-21). Shared and local addresses proper are 32-bit offsets from 0; cvta adds the window's base. Everything else
 * is global. */
#define HD_WINDOW_SHARED UINT64_C(0x0000000100000000)
#define HD_WINDOW_LOCAL UINT64_C(0x0000000200000000)
#define HD_WINDOW_BYTES UINT64_C(0x0000000001000000) /* bytes of each window */

/* The type of a value's bytes. BYTES: a structure, a vector, or a type that the source does not say. */
typedef enum hd_param_type { HD_PARAM_BYTES, HD_PARAM_INTEGER, HD_PARAM_FLOAT, HD_PARAM_TYPES } hd_param_type;

/* The type that a pointer points to, as far as the source says: a number, or a vector of such numbers. UNKNOWN: a structure, void, or no source. */
typedef enum hd_element {
	HD_ELEMENT_UNKNOWN,
	HD_ELEMENT_I8,
	HD_ELEMENT_I16,
	HD_ELEMENT_I32,
	HD_ELEMENT_I64,
	HD_ELEMENT_U8,
	HD_ELEMENT_U16,
	HD_ELEMENT_U32,
	HD_ELEMENT_U64,
	HD_ELEMENT_F16,
	HD_ELEMENT_F32,
	HD_ELEMENT_F64,
	HD_ELEMENTS
} hd_element;
extern const char *const hd_element_names[HD_ELEMENTS]; /* as arguments of `heddle run` write them: i8, f32; "" for UNKNOWN */
/* HD_ELEMENT_UNKNOWN when no element has this name. */
hd_element hd_element_find(const char *name, size_t length);

typedef struct hd_param {
	char *name;            /* as in the source; PTX's own name where that is unknown */
	char *source_type;     /* as in the source ("const float *"); NULL: unknown */
	uint32_t offset, size; /* bytes, offset from HD_BANK_PARAMS */
	uint32_t align;        /* bytes; of a pointer into shared memory: of what it points to, as far as the compiler knew */
	uint8_t space;         /* hd_space a pointer points into; NONE for a value or an unknown pointer */
	uint8_t pointer;       /* 1: a pointer */
	uint8_t type;          /* hd_param_type of a value */
	uint8_t element;       /* hd_element of a pointer */
} hd_param;

enum { HD_PRIORITY_MAX = 1023 }; /* ten bits (PD-12) */

typedef struct hd_kernel {
	char *name;            /* the symbol, which C++ mangles */
	char *source_name;     /* as in the source; NULL: the same */
	uint32_t entry;        /* word address of the first instruction */
	uint32_t registers;    /* 32-bit registers a thread, subroutines included */
	uint32_t shared_bytes; /* static shared memory; dynamic shared memory begins after it, aligned to 16 */
	uint32_t local_bytes;  /* local memory a thread: frames and spills */
	uint32_t param_bytes;
	uint32_t max_threads;       /* .maxntid product, 0 = unknown */
	uint32_t required_block[3]; /* .reqntid, 0 = none */
	uint32_t priority;          /* of warp 0 of a CTA, where the machine takes priorities from the program (PD-12); 0 = the middle */
	int32_t priority_step;      /* priority of each further warp of the CTA, relative to the warp before it */
	uint32_t call_depth;        /* deepest nesting of calls, UINT32_MAX = unbounded (recursion) */
	HD_VEC(hd_param) params;
} hd_kernel;

/* Subroutine or kernel: a contiguous range of code (RC-15). */
typedef struct hd_function {
	char *name;
	uint32_t begin, end; /* word addresses, end exclusive */
} hd_function;

/* The programmer's wish that the instruction at `first` has written, or performed its access, before the one at `second` enters its pipeline
 * (HZ-33). */
typedef struct hd_ordered {
	uint32_t first, second; /* word addresses */
} hd_ordered;

enum { HD_ORDERS_MAX = 4096 /* of a program */, HD_ORDERS_EACH = 4 /* in which an instruction comes second */ };

typedef struct hd_line {
	uint32_t word; /* first word address of the line's code */
	uint16_t file; /* index into files */
	uint16_t column;
	uint32_t line;
} hd_line;

/* The loader replaces the 64 bits at `offset` of the data segment by base + addend. */
typedef struct hd_reloc {
	uint32_t offset;
	int64_t addend;
} hd_reloc;

/* A variable of the source that a host program may ask for by name. */
typedef struct hd_variable {
	char *name;
	uint32_t offset, size; /* bytes of the data segment */
	bool managed;          /* CUDA: host and device use the same memory */
} hd_variable;

typedef struct hd_object {
	HD_VEC(uint64_t) code; /* whole lines, pre-decode words included; with words of 32 bits an element holds one (geometry.h) */
	HD_VEC(hd_kernel) kernels;
	HD_VEC(hd_function) functions; /* sorted by begin */
	HD_VEC(uint32_t) targets;      /* word addresses, sorted: instructions to which brx and callx may go */
	HD_VEC(uint32_t) literals;     /* at most 256 - 16 */
	HD_VEC(hd_ordered) orders;     /* at most HD_ORDERS_MAX */
	HD_VEC(uint8_t)
	hint_table;           /* the pre-decode bytes that the three bits of an instruction stand for (PD-28): none, or eight; in the
	                         geometry `compact` those that the four bits of a short instruction stand for (PD-33): none, or 16 */
	HD_VEC(uint8_t) data; /* the module's global and constant variables, initialised */
	HD_VEC(hd_reloc) relocs;
	HD_VEC(hd_variable) variables;
	HD_VEC(char *) files;
	HD_VEC(hd_line) lines; /* sorted by word */
	uint32_t counters;     /* K that the code was annotated for */
	uint32_t split;        /* 1 + number of high-latency counters; 0 = as the machine is configured (HZ-20) */
	uint32_t geometry;     /* hd_geometry of the code's lines */
	bool nonuniform;       /* the code is right in work-groups of several sizes (OpenCL's non-uniform work-groups) */
	char *config;          /* name of the machine that the object was compiled for */
	char *machine; /* what its annotations rely on there, a line KEY=VALUE for each key (config/record.h); NULL = unknown: written by hand */
} hd_object;

enum { HD_HINT_TABLE = 8 /* entries of hd_object.hint_table */ };
/* The pre-decode byte that the three bits of an instruction stand for; without a table `default` or a delay (PD-3, PD-28). */
static inline unsigned hd_object_hint3(const hd_object *object, unsigned hint3)
{
	return object->hint_table.n == HD_HINT_TABLE ? object->hint_table.at[hint3 & 7] : hint3 ? HD_HINT_DELAY << 4 | hint3 : HD_HINT_DEFAULT << 4;
}

enum { HD_SHORT_HINTS = 16 /* entries of hd_object.hint_table in the geometry `compact` */ };
/* The number of entries that the table has if there is one. */
static inline size_t hd_object_table_size(const hd_object *object) { return hd_is_compact(object->geometry) ? HD_SHORT_HINTS : HD_HINT_TABLE; }
/* The pre-decode byte of the instruction at `word`, or both (hd_line_hint). Without a table the four bits of a short instruction are its delay. */
unsigned hd_object_hint(const hd_object *object, uint32_t word);
/* Sets it. False: the instruction is short, and the table lacks the byte. */
bool hd_object_put_hint(hd_object *object, uint32_t word, unsigned bytes);
/* The number of the byte in the table for short instructions; HD_SHORT_HINTS if it is not there. */
unsigned hd_object_short_hint(const hd_object *object, unsigned byte);
/* True when an instruction begins at `word`, which is in the code. */
static inline bool hd_object_begins(const hd_object *object, uint32_t word) { return hd_line_begins(object->geometry, object->code.at, word); }
/* Address of the instruction behind the one at `word`; of the first one behind the code if there is no other. */
static inline uint32_t hd_object_after(const hd_object *object, uint32_t word)
{
	return hd_line_after(object->geometry, object->code.at, (uint32_t)object->code.n, word);
}

enum { HD_MACHINE_TEXT_MAX = 65535 }; /* bytes of hd_object.machine */

hd_object *hd_object_new(void);
void hd_object_free(hd_object *object);
/* A number that stands for hd_object.machine (64-bit FNV-1a): objects for equal machines have equal numbers. 0 when the machine is unknown. */
uint64_t hd_object_machine_hash(const hd_object *object);
/* Bytes of an ELF file; the caller frees. Deterministic. NULL and errno when the host has no open file left for it . */
unsigned char *hd_object_write(const hd_object *object, size_t *size);
/* Reads and validates untrusted bytes: checks every index, address, size and string, and decodes every word. NULL and errors in diag that name
 * `file`. */
hd_object *hd_object_read(const unsigned char *bytes, size_t size, const char *file, hd_diag *diag);
/* Validates the meaning of an object, from a file or made in memory: every word decodes, every index is inside its table, K is in range, and
 * control flow follows docs/timing.md ("Control flow of a program"). `places` holds the position in the text of each word, for messages, or is
 * NULL. */
bool hd_object_validate(const hd_object *object, const char *file, hd_diag *diag);
bool hd_object_validate_text(const hd_object *object, const char *file, const hd_pos *places, hd_diag *diag);
/* The kernel's name for people. */
static inline const char *hd_kernel_name(const hd_kernel *kernel) { return kernel->source_name ? kernel->source_name : kernel->name; }
/* True for the name of a kernel that clang makes of a block for OpenCL's enqueue_kernel: __NAME_block_invoke_kernel or
 * __NAME_block_invoke_NUMBER_kernel. Kernels launch it, the host does not. */
bool hd_kernel_is_block(const char *name);
/* The same with the types of its parameters, "ns::f<4>(int *)", where all of them are known. The caller frees. */
char *hd_kernel_signature(const hd_kernel *kernel);
/* The kernel of that symbol; with name NULL the only or first kernel. NULL if there is none. */
const hd_kernel *hd_object_kernel(const hd_object *object, const char *name);
/* A copy with strings of its own. */
hd_kernel hd_kernel_copy(const hd_kernel *kernel);
/* The source line of a word address; false when unknown. */
bool hd_object_line(const hd_object *object, uint32_t word, const char **file, uint32_t *line, uint32_t *column);
/* The function that holds the word; NULL outside of all functions. */
const hd_function *hd_object_function(const hd_object *object, uint32_t word);
/* The first instruction of a function. */
uint32_t hd_function_first(const hd_object *object, const hd_function *function);
/* True when a kernel begins in the function, so that no code calls it. */
bool hd_function_is_kernel(const hd_object *object, const hd_function *function);
/* True when a brx (or, with `call`, a callx) at word `from` may go to word `to` (docs/timing.md, "Control flow of a program"). `from` and `to` may
 * be any numbers. */
bool hd_object_indirect_target(const hd_object *object, uint32_t from, uint32_t to, bool call);

/* Converts assembly text (docs/isa.md) to an object, and back byte for byte. */
hd_object *hd_assemble(const char *text, size_t size, const char *file, hd_diag *diag);
void hd_disassemble(const hd_object *object, hd_text *out);
/* The braces behind an instruction at `word`: length, fence fields and hints; nothing if it has none. `inst` is the decoded instruction. */
void hd_annotation_print(const hd_object *object, uint32_t word, const hd_inst *inst, hd_text *out);

#endif

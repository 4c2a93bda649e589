/* PTX as a tree: a list of module items with resolved names and the position of everything. The parser (parser.h) makes the tree, lowering
 * (lower.h) walks it. The tree knows nothing of what an instruction means: lowering checks opcodes and suffixes, so that code that is never
 * lowered may contain anything with the shape of an instruction. */
#ifndef HD_PTX_AST_H
#define HD_PTX_AST_H

#include "base/base.h"

typedef enum ptx_type {
	PTX_NONE,
#define TYPE(id, ...) PTX_##id,
#define MOD(...)
#include "ptx/names.def"
#undef TYPE
#undef MOD
	PTX_TYPE_COUNT
} ptx_type;

typedef enum ptx_mod {
#define TYPE(...)
#define MOD(id, ...) PTX_M_##id,
#include "ptx/names.def"
#undef TYPE
#undef MOD
	PTX_MOD_COUNT
} ptx_mod;

enum { PTX_MOD_WORDS = (PTX_MOD_COUNT + 63) / 64 };

typedef struct ptx_type_info {
	const char *name;
	uint8_t bits;
	char kind; /* P B U S F X I M, see names.def */
} ptx_type_info;
extern const ptx_type_info ptx_types[PTX_TYPE_COUNT];
extern const char *const ptx_mod_names[PTX_MOD_COUNT];

/* PTX_NONE, or PTX_MOD_COUNT, for an unknown word. */
ptx_type ptx_find_type(const char *word, size_t length);
ptx_mod ptx_find_mod(const char *word, size_t length);

typedef struct ptx_place {
	uint32_t line, column;
} ptx_place;

/* One spelling, interned: equal names are equal pointers. `symbol` is the meaning of the name at the current point of the scan. */
typedef struct ptx_name {
	const char *text;
	uint32_t length, hash;
	struct ptx_symbol *symbol; /* innermost visible declaration */
	struct ptx_symbol *range;  /* innermost `.reg %r<N>` whose prefix this name is */
	uint32_t block;            /* scratch of lowering: block of the label + 1 */
	ptx_place used;            /* scratch of lowering: first use of that label */
	uint32_t wanted;           /* scratch: serial of the function that branches to it */
	bool complained;           /* an undeclared name is reported once */
	bool retired;              /* belongs to a unit that has ended: the same spelling is another name from there on */
} ptx_name;

typedef enum ptx_space { PTX_S_NONE, PTX_S_REG, PTX_S_GLOBAL, PTX_S_SHARED, PTX_S_CONST, PTX_S_LOCAL, PTX_S_PARAM } ptx_space;

typedef enum ptx_symbol_kind { PTX_SYM_REG, PTX_SYM_RANGE, PTX_SYM_VAR, PTX_SYM_FUNC, PTX_SYM_TABLE, PTX_SYM_PROTO } ptx_symbol_kind;

typedef struct ptx_symbol {
	uint8_t kind;  /* ptx_symbol_kind */
	uint8_t depth; /* of the scope that declares it; 0 = module */
	bool exported; /* of the module: known in all units */
	bool weak;     /* of the module: may be defined in several units, and the first definition counts */
	ptx_place pos;
	ptx_name *name;
	struct ptx_symbol *shadows; /* meaning of the name outside of this scope */
	struct ptx_symbol *next;    /* next symbol of the same scope */
} ptx_symbol;

typedef struct ptx_reg {
	ptx_symbol sym;
	uint8_t type;   /* ptx_type */
	uint32_t id;    /* number within its function */
	uint32_t count; /* RANGE: number of registers */
} ptx_reg;

typedef enum ptx_init_kind { PTX_I_INT, PTX_I_F32, PTX_I_F64, PTX_I_SYMBOL } ptx_init_kind;

typedef struct ptx_init {
	uint8_t kind;  /* ptx_init_kind */
	uint8_t shift; /* SYMBOL: with `masked`, only byte `shift / 8` of the address */
	bool masked;
	ptx_place pos;
	uint64_t value; /* bits; SYMBOL: addend */
	ptx_name *name;
} ptx_init;

typedef struct ptx_var {
	ptx_symbol sym;
	uint8_t space; /* ptx_space */
	uint8_t type;  /* of an element */
	bool external; /* .extern, not defined here */
	bool visible;  /* .visible or .weak: a host program may ask for it by name */
	bool managed;
	bool unsized; /* name[] */
	bool array;
	bool pointer;   /* .ptr parameter */
	uint8_t points; /* ptx_space that it points into, NONE if unknown */
	uint32_t align;
	uint32_t target_align; /* of what a .ptr parameter points to, 0 if unknown */
	uint64_t bytes;
	HD_VEC(ptx_init) init;
	/* lowering */
	bool indirect;    /* its address is taken */
	bool printed;     /* an argument of printf */
	uint16_t partial; /* mask of its words that are stored in parts */
	bool placed;
	uint32_t offset; /* in the data segment, shared memory or the frame */
	uint32_t index;  /* among the module's variables */
	struct ptx_param_home *home;
} ptx_var;

typedef HD_VEC(ptx_var *) ptx_var_list;

typedef enum ptx_opd_kind {
	PTX_O_REG,
	PTX_O_INT,
	PTX_O_F32,
	PTX_O_F64,
	PTX_O_SYMBOL /* name + imm; sym, or a name that is resolved later */,
	PTX_O_SPECIAL,
	PTX_O_VECTOR,
	PTX_O_ADDRESS /* list[0] + imm; n = 0: imm alone */,
	PTX_O_LIST /* (a, b) of a call */,
	PTX_O_PAIR /* p|q */,
	PTX_O_SINK,
} ptx_opd_kind;

typedef struct ptx_opd {
	uint8_t kind;   /* ptx_opd_kind */
	bool neg;       /* predicate negated by ! */
	char component; /* SPECIAL: x y z w, 0 without */
	uint16_t n;     /* elements of list */
	ptx_place pos;
	ptx_symbol *sym;
	ptx_name *name;
	ptx_name *part; /* REG: the bytes or halves that a video instruction takes (`b1`, `h10`), or NULL */
	uint64_t imm;
	struct ptx_opd *list;
} ptx_opd;

typedef struct ptx_inst {
	const char *text; /* opcode with suffixes, in the source */
	uint16_t length;
	uint8_t ntypes, nopds;
	uint8_t types[4];
	ptx_name *op;
	uint64_t mods[PTX_MOD_WORDS];
	const char *unknown; /* first suffix that is neither a type nor a modifier, or NULL */
	uint16_t unknown_length;
	bool guarded;
	ptx_opd guard;
	ptx_opd *opds;
} ptx_inst;

static inline bool ptx_has(const ptx_inst *inst, ptx_mod mod) { return inst->mods[mod >> 6] >> (mod & 63) & 1; }

/* .branchtargets */
typedef struct ptx_table {
	ptx_symbol sym;
	HD_VEC(ptx_opd) labels;
} ptx_table;

/* .callprototype; a function has one, too */
typedef struct ptx_proto {
	ptx_symbol sym;
	ptx_var_list results, params;
} ptx_proto;

typedef enum ptx_stmt_kind { PTX_INST, PTX_LABEL, PTX_LOC, PTX_DECL } ptx_stmt_kind;

typedef struct ptx_stmt {
	uint8_t kind; /* ptx_stmt_kind */
	ptx_place pos;
	union {
		ptx_inst *inst;
		ptx_name *label;
		ptx_var *decl; /* a .param variable of a call, which begins to live here */
		struct {
			uint32_t file, line, column;
		} loc;
	};
} ptx_stmt;

typedef struct ptx_func {
	ptx_proto proto; /* sym.kind = FUNC */
	bool entry, defined;
	uint32_t max_threads, required[3];
	uint32_t priority; /* of warp 0 and of each further one, as of hd_kernel */
	int32_t priority_step;
	uint32_t registers; /* number of ids given out */
	HD_VEC(ptx_stmt) body;
	struct ptx_func *alias; /* `.alias` made this function another name of that one */
	ptx_place end;          /* of the closing brace */
	/* lowering */
	uint32_t index;  /* among the module's functions */
	uint32_t kernel; /* entries: number among the kernels */
	bool dynamic;    /* names dynamic shared memory */
	bool asks_null;  /* may ask whether a pointer into shared memory is null */
	int32_t ir;      /* IR function, -1 = not lowered */
	int32_t ir_copy; /* of the callable copy of an entry */
} ptx_func;

typedef struct ptx_file {
	uint32_t number;
	const char *path;
} ptx_file;

typedef struct ptx_module {
	hd_arena arena;
	const char *file;
	ptx_name **names; /* hash table */
	uint32_t names_n, names_cap;
	HD_VEC(ptx_func *) funcs;
	HD_VEC(ptx_var *) vars; /* of the module; also the shared, local and constant variables of functions */
	HD_VEC(ptx_file) files;
	ptx_var *reduction; /* shared word of bar.red; made by ptx_reach */
	ptx_var *workspace; /* of the grid's barrier, in %envreg1 and %envreg2; made by ptx_reach */
	ptx_var *reserved;  /* shared memory of %reserved_smem_offset_1 and its like; made by ptx_reach */
	bool locs;          /* there are .loc directives */
	bool opencl;        /* .target with texmode_independent, as clang writes it for OpenCL alone */
	bool volta;         /* .target sm_70 or later */
	unsigned units;     /* so far; each begins with .version */
	uint32_t file_base; /* added to the numbers of files in this unit */
} ptx_module;

ptx_name *ptx_intern(ptx_module *module, const char *text, size_t length);

/* All vectors of the tree live in the arena. Push to them with this macro and never free them. */
#define ptx_push(module, vec, ...)                                                               \
	do {                                                                                     \
		if ((vec)->n == (vec)->cap)                                                      \
			(vec)->at = ptx_grow(module, (vec)->at, &(vec)->cap, sizeof *(vec)->at); \
		(vec)->at[(vec)->n++] = (__VA_ARGS__);                                           \
	} while (0)
void *ptx_grow(ptx_module *module, void *at, size_t *cap, size_t element);

#endif

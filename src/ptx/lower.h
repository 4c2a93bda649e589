/* Lowering: ptx_module -> hd_ir_module. lower.c walks functions and statements. Each family of instructions has a file; the table in opcodes.c
 * maps opcodes to handlers. A register of up to 32 bits takes one word, whose bits above the register's type are undefined. */
#ifndef HD_PTX_LOWER_H
#define HD_PTX_LOWER_H

#include "ir/ir.h"
#include "ptx/parser.h"

/* Aggregates larger than this travel through the caller's frame, by address. */
enum { PTX_MAX_REGISTER_ARGUMENT = 64, PTX_MAX_CALL_WORDS = 128 };

/* Where a parameter, or a variable of a call, lives in the function that is lowered. */
typedef enum ptx_home_kind {
	PTX_HOME_BANK,    /* kernel parameter: bank byte `at` */
	PTX_HOME_WORDS,   /* virtual registers: of 8 bytes, one pair; else one a word from `reg` on */
	PTX_HOME_FRAME,   /* byte `at` of the frame */
	PTX_HOME_POINTER, /* local memory at the address in `reg` */
	PTX_HOME_PRINTED, /* an argument of printf: what is stored to it is in `printed` of the function */
} ptx_home_kind;

typedef struct ptx_param_home {
	uint8_t kind; /* ptx_home_kind */
	uint32_t at, reg;
} ptx_param_home;

/* The value stored for an argument of printf. */
typedef struct ptx_printed {
	const ptx_var *var;
	uint32_t bytes;
	hd_opd value;
} ptx_printed;

/* Module-wide state. */
typedef struct ptx_lower {
	ptx_module *ast;
	hd_ir_module *ir;
	hd_diag *diag;
	uint32_t kernels;                         /* entries */
	uint32_t serial;                          /* number of functions begun */
	hd_bits *func_kernels, *var_kernels;      /* by index: the kernels that reach the function or variable */
	bool *address_taken, *called;             /* by function index */
	uint32_t *shared_static, *shared_dynamic; /* by kernel: bytes of static shared memory; where the dynamic part begins */
	uint16_t *file_map;                       /* .file number -> IR file + 1; 65536 entries or NULL */
	uint16_t own_file;                        /* IR file of the PTX text + 1 */
	bool volta;                               /* operations with .sync gather their lanes, as from sm_70 on */
} ptx_lower;

/* State of the function that is lowered. */
typedef struct ptx_fn {
	ptx_lower *lw;
	ptx_func *func;
	hd_ir_function *f;
	bool kernel;
	bool gathers; /* gather.c */
	uint32_t block;
	bool open;                   /* `block` has no terminator yet */
	HD_VEC(uint32_t) order;      /* blocks in the order in which they begin */
	uint32_t *regs;              /* virtual register + 1 of each register id */
	HD_VEC(ptx_name *) labels;   /* whose `block` is set */
	HD_VEC(ptx_var *) locals;    /* variables with a place in the frame */
	uint32_t carry, borrow;      /* predicates of the carry flag and of its opposite, + 1 */
	uint32_t stack;              /* register of stack.c + 1 */
	ptx_var area;                /* of stack.c */
	HD_VEC(ptx_printed) printed; /* arguments of the next printf, in the order of their stores */
	/* the current instruction */
	const ptx_inst *inst;
	ptx_place pos;
	hd_ir_loc loc;
	uint64_t used[PTX_MOD_WORDS];
	bool bad; /* an error of the current instruction was reported */
} ptx_fn;

typedef void ptx_handler(ptx_fn *fn, const ptx_inst *inst);
typedef struct ptx_opcode {
	const char *name;
	ptx_handler *lower;
	uint8_t least, most; /* number of operands */
} ptx_opcode;
const ptx_opcode *ptx_find_opcode(const char *name); /* NULL if there is none */
/* The feature that the machine lacks for an instruction of PTX that needs it; NULL for any other name. */
const char *ptx_absent(const char *name);

/* stack.c: what a function needs that has `alloca` in it. */
void ptx_begin_stack(ptx_fn *fn);

/* -- reach.c: what the entries reach, and where variables lie ------------------------------------------------------------------------- */
void ptx_reach(ptx_lower *lw);
void ptx_place_shared(ptx_lower *lw);
/* First byte of dynamic shared memory for the code of a function. */
uint32_t ptx_dynamic_shared(const ptx_lower *lw, const ptx_func *func);
void ptx_place_data(ptx_lower *lw); /* after the functions have their IR numbers */
void ptx_report(ptx_lower *lw, ptx_place at, const char *format, ...) HD_PRINTF(3, 4);
/* The function that a name is another one of. */
static inline ptx_symbol *ptx_resolved(ptx_symbol *symbol)
{
	return symbol && symbol->kind == PTX_SYM_FUNC && ((ptx_func *)symbol)->alias ? &((ptx_func *)symbol)->alias->proto.sym : symbol;
}
/* The module-level meaning of a name that had no declaration where it occurred. */
static inline ptx_symbol *ptx_symbol_of(const ptx_opd *opd) { return ptx_resolved(opd->sym ? opd->sym : opd->name ? opd->name->symbol : NULL); }

/* %envreg1 and %envreg2 hold the address of 8 bytes, where CUDA's barrier of a whole grid keeps its count, the upper half in %envreg1. */
static inline bool ptx_is_workspace(const char *name) { return strcmp(name, "%envreg1") == 0 || strcmp(name, "%envreg2") == 0; }
/* %reserved_smem_offset_begin, _end, _cap, _0 and _1: shared memory, zeros at first, where CUDA's groups of several warps (sm_80) meet. It has as
 * much as they count on. */
enum { PTX_RESERVED_BYTES = 288 };
static inline bool ptx_is_reserved(const char *name) { return strncmp(name, "%reserved_smem_offset_", 22) == 0; }

/* -- lower.c -------------------------------------------------------------------------------------------------------------------------------- */
bool ptx_lower_module(ptx_lower *lw);
uint32_t ptx_new_block(ptx_fn *fn);
void ptx_begin_block(ptx_fn *fn, uint32_t block); /* an open block before it falls through to it */
void ptx_end_jump(ptx_fn *fn, uint32_t to);
void ptx_end_branch(ptx_fn *fn, hd_opd pred, uint32_t yes, uint32_t no);
void ptx_end(ptx_fn *fn, hd_term_kind kind); /* RET EXIT TRAP */
uint32_t ptx_label(ptx_fn *fn, const ptx_opd *opd);

/* -- operand.c: operands, temporaries, emission ------------------------------------------------------------------------------------------------ */
void ptx_wrong(ptx_fn *fn, ptx_place at, const char *format, ...) HD_PRINTF(3, 4);
bool ptx_mod_used(ptx_fn *fn, ptx_mod mod); /* true when the instruction has the suffix, which then counts as used */
/* Suffix type `which`, checked against a set of 1u << PTX_x; PTX_B32 and an error if the set lacks it. */
ptx_type ptx_type_at(ptx_fn *fn, unsigned which, uint32_t set);
static inline unsigned ptx_bits(ptx_type type) { return ptx_types[type].bits; }
static inline unsigned ptx_words(ptx_type type) { return type == PTX_PRED ? 0 : ptx_types[type].bits > 64 ? 4 : ptx_types[type].bits > 32 ? 2 : 1; }
static inline bool ptx_is_half(ptx_type type) { return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2; }
static inline bool ptx_signed(ptx_type type) { return ptx_types[type].kind == 'S'; }
#define PTX_SET(id) (1u << PTX_##id)
#define PTX_SET_INT16 (PTX_SET(U16) | PTX_SET(S16))
#define PTX_SET_INT32 (PTX_SET(U32) | PTX_SET(S32))
#define PTX_SET_INT64 (PTX_SET(U64) | PTX_SET(S64))
#define PTX_SET_INT (PTX_SET_INT16 | PTX_SET_INT32 | PTX_SET_INT64)
#define PTX_SET_BITS (PTX_SET(B16) | PTX_SET(B32) | PTX_SET(B64))
#define PTX_SET_FLOAT (PTX_SET(F32) | PTX_SET(F64))
#define PTX_SET_PAIR (PTX_SET(U16X2) | PTX_SET(S16X2))
#define PTX_SET_HALF (PTX_SET(F16) | PTX_SET(F16X2) | PTX_SET(BF16) | PTX_SET(BF16X2))

hd_opd ptx_temp(ptx_fn *fn, unsigned words); /* 0: a predicate */
/* Word or words of a wider register. */
static inline hd_opd ptx_part(hd_opd o, unsigned word, unsigned words)
{
	if (o.kind == HD_OPD_IMM)
		return hd_opd_imm(words == 2 ? o.imm : o.imm >> (32 * (word & 1)) & UINT32_MAX, words);
	if (o.kind == HD_OPD_CONST)
		return hd_opd_const((uint32_t)o.imm + 4 * word, words);
	return hd_opd_sub(o.reg, o.sub + word, words);
}
hd_ir_inst *ptx_emit(ptx_fn *fn, unsigned op, unsigned nd, unsigned ns); /* appended, operands to be filled in */
hd_ir_inst *ptx_emit1(ptx_fn *fn, unsigned op, hd_opd d, hd_opd a);
hd_ir_inst *ptx_emit2(ptx_fn *fn, unsigned op, hd_opd d, hd_opd a, hd_opd b);
hd_ir_inst *ptx_emit3(ptx_fn *fn, unsigned op, hd_opd d, hd_opd a, hd_opd b, hd_opd c);
/* ptx_emit into a fresh temporary of `words` words. */
hd_opd ptx_make1(ptx_fn *fn, unsigned op, unsigned words, hd_opd a);
hd_opd ptx_make2(ptx_fn *fn, unsigned op, unsigned words, hd_opd a, hd_opd b);
hd_opd ptx_make3(ptx_fn *fn, unsigned op, unsigned words, hd_opd a, hd_opd b, hd_opd c);
void ptx_move(ptx_fn *fn, hd_opd d, hd_opd s);                               /* registers of one width, or predicates */
hd_opd ptx_compare(ptx_fn *fn, unsigned op, hd_cmp cmp, hd_opd a, hd_opd b); /* a fresh predicate */
void ptx_select(ptx_fn *fn, hd_opd d, hd_opd yes, hd_opd no, hd_opd pred);
hd_opd ptx_plop2(ptx_fn *fn, hd_opd d, hd_opd a, hd_opd b, unsigned truth); /* bit (a << 1 | b) of the 4-bit table */
static inline hd_opd ptx_imm(uint32_t value) { return hd_opd_imm(value, 1); }
static inline hd_opd ptx_imm64(uint64_t value) { return hd_opd_imm(value, 2); }
static inline hd_opd ptx_none(void) { return (hd_opd){.kind = HD_OPD_NONE}; }

/* The source as a value of the instruction's type: the upper bits of a small integer are undefined, unless `extended`. */
hd_opd ptx_source(ptx_fn *fn, const ptx_opd *opd, ptx_type type);
hd_opd ptx_extended(ptx_fn *fn, const ptx_opd *opd, ptx_type type);
hd_opd ptx_extend(ptx_fn *fn, hd_opd value, ptx_type type); /* a word whose bits above the type are undefined */
hd_opd ptx_extract(ptx_fn *fn, hd_opd word, unsigned position, unsigned bits, bool is_signed);
hd_opd ptx_pred(ptx_fn *fn, const ptx_opd *opd);
/* The register that an operand names, of any width; false with an error for any other operand. */
bool ptx_register(ptx_fn *fn, const ptx_opd *opd, hd_opd *reg, ptx_type *type);
/* The destination for the type: a register of the type's width, or none for `_`. */
hd_opd ptx_dest(ptx_fn *fn, const ptx_opd *opd, ptx_type type);
hd_opd ptx_dest_pred(ptx_fn *fn, const ptx_opd *opd);
/* Stores a word (pair, quad) that holds a value of `type` in a register that may be wider. The bits above the type are undefined unless
 * `extended`. */
void ptx_store_wide(ptx_fn *fn, const ptx_opd *opd, hd_opd value, ptx_type type, bool extended);
/* 64-bit address of a variable or function (+ addend), in a fresh pair. */
hd_opd ptx_address_of(ptx_fn *fn, const ptx_opd *opd);

/* -- memory.c, param.c ------------------------------------------------------------------------------------------------------------------------ */
void ptx_bind_params(ptx_fn *fn);                 /* homes of the function's own parameters and results */
void ptx_declare_param(ptx_fn *fn, ptx_var *var); /* a .param variable in the body */
void ptx_load_param(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned lanes);
void ptx_store_param(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned lanes);
hd_opd ptx_param_address(ptx_fn *fn, const ptx_var *var); /* 32-bit address, in the space that ld.param uses for it */
/* print.c: takes what is stored to an argument of printf, and lowers a call of printf; results and arguments may be NULL. */
void ptx_print_argument(ptx_fn *fn, const ptx_var *var, uint64_t byte, ptx_type type, hd_opd value);
void ptx_print(ptx_fn *fn, const ptx_opd *results, const ptx_opd *arguments);
uint32_t ptx_frame(ptx_fn *fn, ptx_place at, uint64_t bytes, uint32_t align);
/* The address of a .local variable + addend as an operand; false with an error. */
bool ptx_frame_operand(ptx_fn *fn, ptx_place at, ptx_var *var, uint64_t addend, hd_opd *operand);
/* The state space that a suffix names; PTX_S_NONE without one. */
ptx_space ptx_space_suffix(ptx_fn *fn);
/* A place in memory as base and offset for the rows of `space`; the offset is 0 without `offsets`. A variable decides the space where the instruction
 * names none. False with an error. */
bool ptx_address(ptx_fn *fn, const ptx_opd *opd, ptx_space *space, bool offsets, hd_opd *base, int32_t *offset);
/* The suffixes of order, scope and caches of an access, and the barrier that keeps the order in a scope (in the encoding of MEMBAR). */
typedef struct ptx_ordering {
	bool acquire, release;
	unsigned scope;
	uint8_t mod; /* hd_cache */
} ptx_ordering;
ptx_ordering ptx_take_ordering(ptx_fn *fn);
void ptx_order(ptx_fn *fn, unsigned scope);
unsigned ptx_take_lanes(ptx_fn *fn); /* .v2 .v4 .v8, 1 without */
static inline unsigned ptx_row_of(ptx_space space, unsigned generic, unsigned global, unsigned shared, unsigned local)
{
	return space == PTX_S_SHARED ? shared : space == PTX_S_LOCAL ? local : space == PTX_S_NONE ? generic : global;
}
/* Loads or stores `lanes` elements at `base` + offset, each in its register of the vector operand. */
typedef struct ptx_access {
	uint16_t op; /* LDG, STL, ... */
	uint8_t mod;
	hd_opd base;
	int32_t offset;
} ptx_access;
void ptx_load(ptx_fn *fn, const ptx_access *access, const ptx_opd *into, ptx_type type, unsigned lanes);
void ptx_store(ptx_fn *fn, const ptx_access *access, const ptx_opd *from, ptx_type type, unsigned lanes);

/* -- float.c, half.c ------------------------------------------------------------------------------------------------------------------------------
 */
void ptx_float_binary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32, unsigned op64);
void ptx_half_binary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32);
void ptx_half_unary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned op32);
/* A minimum or maximum: .NaN gives NaN if a source is one, .xorsign.abs compares magnitudes and has the product's sign. */
typedef struct ptx_extreme {
	bool maximum, nan, sign;
} ptx_extreme;
ptx_extreme ptx_take_extreme(ptx_fn *fn, bool maximum);               /* the suffixes */
hd_opd ptx_extreme_of(ptx_fn *fn, ptx_extreme e, hd_opd a, hd_opd b); /* of two singles */
void ptx_float_extreme(ptx_fn *fn, const ptx_inst *inst, ptx_type type, bool maximum);
void ptx_half_extreme(ptx_fn *fn, const ptx_inst *inst, ptx_type type, ptx_extreme e);
/* d = a op b for the low `bits` of words that hold one or two halves; the bits above a single half are undefined. */
hd_opd ptx_half_combine(ptx_fn *fn, ptx_type type, hd_opd a, hd_opd b, unsigned op32);
void ptx_half_fma(ptx_fn *fn, const ptx_inst *inst, ptx_type type);
hd_opd ptx_half_to_single(ptx_fn *fn, hd_opd half, ptx_type type);    /* type: f16 or bf16, or a pair of such */
hd_opd ptx_single_to_brain(ptx_fn *fn, hd_opd single, unsigned mode); /* to bfloat16 */
hd_opd ptx_relu(ptx_fn *fn, hd_opd single);                           /* a single: 0 below 0, and NaN stays */
unsigned ptx_rounding(ptx_fn *fn);                                    /* .rn .rz .rm .rp, nearest without */
void ptx_convert_small(ptx_fn *fn, const ptx_inst *inst);             /* small.c: cvt from and to floats of 8 bits */

/* -- gather.c: operations with .sync ----------------------------------------------------------------------------------------------------------- */
/* By function: its operations have to gather their lanes from different places. The caller frees it. */
bool *ptx_find_gathering(const hd_ir_module *ir);
/* Notes that an operation names the lanes that take part, and which. True: it has to gather them. */
bool ptx_gathers(ptx_fn *fn, hd_opd members);
void ptx_wait_for(ptx_fn *fn, hd_opd members, hd_opd value);
typedef enum ptx_gathering { PTX_GATHER_COMBINE, PTX_GATHER_EQUAL } ptx_gathering;
/* total = total op the value of each member that has come; or total |= the members with the same value. */
void ptx_gather(ptx_fn *fn, ptx_gathering how, unsigned op, hd_opd value, hd_opd members, hd_opd total);
hd_opd ptx_gather_equal(ptx_fn *fn, hd_opd value, hd_opd members);
hd_opd ptx_gather_ballot(ptx_fn *fn, hd_opd p, hd_opd members);
void ptx_gather_shuffle(ptx_fn *fn, uint8_t mode, const hd_opd x[3], hd_opd members, hd_opd d, hd_opd p);

/* -- handlers --------------------------------------------------------------------------------------------------------------------------------------
 */
/* clang-format off */
#define PTX_OPCODES(X) \
	X("abs", abs, 2, 2) \
	X("activemask", activemask, 1, 1) \
	X("add", add, 3, 3) \
	X("addc", addc, 3, 3) \
	X("alloca", alloca, 2, 3) \
	X("and", and, 3, 3) \
	X("applypriority", nothing, 2, 2) \
	X("atom", atom, 3, 4) \
	X("bar", bar, 1, 4) \
	X("barrier", bar, 0, 4) \
	X("bfe", bfe, 4, 4) \
	X("bfi", bfi, 5, 5) \
	X("bfind", bfind, 2, 2) \
	X("bmsk", bmsk, 3, 3) \
	X("bra", bra, 1, 1) \
	X("brev", brev, 2, 2) \
	X("brkpt", trap, 0, 0) \
	X("brx", brx, 2, 2) \
	X("call", call, 1, 4) \
	X("clz", clz, 2, 2) \
	X("cnot", cnot, 2, 2) \
	X("copysign", copysign, 3, 3) \
	X("cos", cos, 2, 2) \
	X("createpolicy", createpolicy, 2, 5) \
	X("cvt", cvt, 2, 3) \
	X("cvta", cvta, 2, 2) \
	X("discard", nothing, 2, 2) \
	X("div", div, 3, 3) \
	X("dp2a", dp2a, 4, 4) \
	X("dp4a", dp4a, 4, 4) \
	X("elect", elect, 2, 2) \
	X("ex2", ex2, 2, 2) \
	X("exit", exit, 0, 0) \
	X("fence", fence, 0, 0) \
	X("fma", fma, 4, 4) \
	X("fns", fns, 4, 4) \
	X("griddepcontrol", nothing, 0, 0) \
	X("heddle", heddle, 0, 6) \
	X("isspacep", isspacep, 2, 2) \
	X("ld", ld, 2, 3) \
	X("ldu", ldu, 2, 2) \
	X("lg2", lg2, 2, 2) \
	X("lop3", lop3, 5, 5) \
	X("mad", mad, 4, 4) \
	X("mad24", mad24, 4, 4) \
	X("madc", madc, 4, 4) \
	X("match", match, 3, 3) \
	X("max", max, 3, 3) \
	X("membar", fence, 0, 0) \
	X("min", min, 3, 3) \
	X("mov", mov, 2, 2) \
	X("mul", mul, 3, 3) \
	X("mul24", mul24, 3, 3) \
	X("nanosleep", nothing, 1, 1) \
	X("neg", neg, 2, 2) \
	X("not", not, 2, 2) \
	X("or", or, 3, 3) \
	X("pmevent", nothing, 1, 1) \
	X("popc", popc, 2, 2) \
	X("prefetch", nothing, 1, 1) \
	X("prefetchu", nothing, 1, 1) \
	X("prmt", prmt, 4, 4) \
	X("rcp", rcp, 2, 2) \
	X("red", red, 2, 2) \
	X("redux", redux, 3, 3) \
	X("rem", rem, 3, 3) \
	X("ret", ret, 0, 0) \
	X("rsqrt", rsqrt, 2, 2) \
	X("sad", sad, 4, 4) \
	X("selp", selp, 4, 4) \
	X("set", set, 3, 4) \
	X("setp", setp, 3, 4) \
	X("shf", shf, 4, 4) \
	X("shfl", shfl, 4, 5) \
	X("shl", shl, 3, 3) \
	X("shr", shr, 3, 3) \
	X("sin", sin, 2, 2) \
	X("slct", slct, 4, 4) \
	X("sqrt", sqrt, 2, 2) \
	X("st", st, 2, 3) \
	X("stackrestore", stackrestore, 1, 1) \
	X("stacksave", stacksave, 1, 1) \
	X("sub", sub, 3, 3) \
	X("subc", subc, 3, 3) \
	X("szext", szext, 3, 3) \
	X("tanh", tanh, 2, 2) \
	X("testp", testp, 2, 2) \
	X("trap", trap, 0, 0) \
	X("vabsdiff", video, 3, 4) \
	X("vabsdiff2", video, 4, 4) \
	X("vabsdiff4", video, 4, 4) \
	X("vadd", video, 3, 4) \
	X("vadd2", video, 4, 4) \
	X("vadd4", video, 4, 4) \
	X("vavrg2", video, 4, 4) \
	X("vavrg4", video, 4, 4) \
	X("vmad", video, 4, 4) \
	X("vmax", video, 3, 4) \
	X("vmax2", video, 4, 4) \
	X("vmax4", video, 4, 4) \
	X("vmin", video, 3, 4) \
	X("vmin2", video, 4, 4) \
	X("vmin4", video, 4, 4) \
	X("vote", vote, 2, 3) \
	X("vset", video, 3, 4) \
	X("vset2", video, 4, 4) \
	X("vset4", video, 4, 4) \
	X("vshl", video, 3, 4) \
	X("vshr", video, 3, 4) \
	X("vsub", video, 3, 4) \
	X("vsub2", video, 4, 4) \
	X("vsub4", video, 4, 4) \
	X("xor", xor, 3, 3)
/* clang-format on */
/* The operations of steps.c. False when the instruction is none of them. */
bool ptx_do_steps(ptx_fn *fn, const ptx_inst *inst);
#define X(name, handler, least, most) ptx_handler ptx_do_##handler;
PTX_OPCODES(X)
#undef X

#endif

/* The intermediate representation: machine operations (and the pseudo operations of pseudo.def) on virtual registers, in a control-flow graph. The
 * PTX reader writes it, passes change it in place, the emitter turns it into code lines. It is not SSA: a virtual register may have several
 * definitions, and a guarded definition keeps the old value in the other lanes.
 *
 * Life of a module: lowered (virtual registers, pseudo operations) -> expanded -> optimised -> allocated (`allocated` set: operand registers are
 * physical numbers) -> laid out (block order final) -> annotated -> emitted. The validator checks the promises of the module's stage. */
#ifndef HD_IR_H
#define HD_IR_H

#include "isa/isa.h"
#include "object/object.h"

typedef enum hd_ir_op {
	HD_IR_FIRST_PSEUDO_MINUS_1 = HD_OP_COUNT - 1,
#define PSEUDO(id, ...) HD_IR_##id,
#include "ir/pseudo.def"
#undef PSEUDO
	HD_IR_OP_COUNT
} hd_ir_op;
/* The row of an operation or pseudo operation. A pseudo operation has pipe NONE and class NOP. */
const hd_op_info *hd_ir_info(unsigned op);

typedef enum hd_opd_kind {
	HD_OPD_NONE,
	HD_OPD_REG,   /* reg + sub, `words` words */
	HD_OPD_PRED,  /* predicate register, possibly negated */
	HD_OPD_IMM,   /* bits in imm, width `words`; any 32- or 64-bit value (legalised by the passes) */
	HD_OPD_CONST, /* constant bank, byte offset in imm (parameters: HD_BANK_PARAMS + offset) */
	HD_OPD_FRAME, /* 32-bit local address: imm bytes into this function's frame */
	HD_OPD_FUNC,  /* function number imm (FADDR, data tables) */
} hd_opd_kind;

typedef struct hd_opd {
	uint8_t kind;  /* hd_opd_kind */
	uint8_t words; /* 1, 2, 4; 0 for a predicate */
	uint8_t sub;   /* first word inside a wider register */
	bool neg;      /* PRED: negated */
	bool last_use; /* set by the last-use pass */
	uint32_t reg;  /* virtual register; physical register or predicate once allocated (then sub is 0) */
	uint64_t imm;
} hd_opd;

enum { HD_IR_NO_LINE = UINT16_MAX }; /* with line 0, a column that says: no line of the source, not that of the instruction before */
typedef struct hd_ir_loc {
	uint16_t file, column; /* file: index into module files */
	uint32_t line;         /* 0 = unknown: that of the instruction before is the best guess */
} hd_ir_loc;

/* One operation. Sources stand in the order a, b, c of the row; then, for SEL VOTE BALLOT: the predicate; CARRY: carry-in (NONE without);
 * PLOP: three predicates and `sub` = table. Destinations: the row's d; CARRY: a second, the carry-out predicate (kind NONE without).
 * MOVI: s[0] = IMM. BAR: s[0] = number of threads, NONE = all of the CTA. A predicate operand of kind NONE (in SEL VOTE BALLOT PLOP) is "always".
 * Destination kind NONE = result not wanted. Memory: address = s[0] + offset; data of ST and ATOM in s[1], of CAS in s[1], s[2].
 * S2R: sub = special register. Branches do not appear among instructions until layout (see hd_ir_term). */
typedef struct hd_ir_inst {
	uint16_t op;    /* hd_op or hd_ir_op */
	uint8_t mod;    /* as in hd_inst: rounding, cache, vote or shuffle mode, CAS size, barrier kind */
	uint8_t sub;    /* comparison, sub-operation, size, atom op | type << 4, ... as hd_inst.sub */
	int32_t offset; /* memory offset; BAR: barrier number */
	int32_t callee; /* CALLF: function, -1 indirect; after layout BRA, PUSH: target block; CALL: function */
	hd_opd guard;   /* kind NONE = always */
	uint8_t nd, ns;
	hd_opd *d, *s; /* in the module's arena */
	hd_ir_loc loc;
	/* annotation */
	uint8_t primary, release, hint, delay;
	uint8_t second; /* the second byte of its entry, number | hint << 4; 0 = none (PD-24) */
	uint16_t wait;
	uint8_t last_use;               /* mask of a b c, from opd.last_use at emission */
	bool order_first, order_second; /* it comes first, or second, in an order of the programmer (HZ-33) */
	bool brief;                     /* it has 32 bits, set by the emitter (PD-33) */
	uint32_t word;                  /* word address, set by the emitter; of a lifted instruction, that in the old object */
} hd_ir_inst;

typedef enum hd_term_kind {
	HD_TERM_JUMP,   /* to succ[0] */
	HD_TERM_BRANCH, /* pred ? succ[0] : succ[1] */
	HD_TERM_SWITCH, /* succ[value]; value in `index` (REG, 32 bits, known to be in range) */
	HD_TERM_RET,
	HD_TERM_EXIT,
	HD_TERM_TRAP,
} hd_term_kind;

typedef HD_VEC(hd_ir_inst *) hd_ir_insts;

typedef struct hd_ir_block {
	hd_ir_insts insts;
	hd_term_kind term;
	hd_opd pred;  /* BRANCH: the condition (PRED, maybe negated) */
	hd_opd index; /* SWITCH */
	HD_VEC(uint32_t) succ;
	HD_VEC(uint32_t) pred_blocks; /* filled by hd_ir_link */
	hd_ir_loc loc;                /* of the terminator */
	uint32_t loop_depth;          /* filled by hd_ir_loops */
	bool syncs;                   /* the reader: an operation names the lanes that take part (ptx/gather.c) */
	bool meets;                   /* lanes of a token wait before its first instruction, which it has (RC-21) */
} hd_ir_block;

typedef struct hd_ir_vreg {
	uint8_t words; /* 0 predicate, 1, 2 or 4 */
	bool scratch;  /* made by the allocator for one instruction; a guarded definition ends its life, because the other lanes never read it */
} hd_ir_vreg;

typedef struct hd_ir_function {
	char *name;
	bool kernel;
	bool address_taken;
	HD_VEC(hd_ir_vreg) vregs;
	HD_VEC(hd_ir_block *) blocks;      /* blocks.at[0] is the entry; after layout: in layout order */
	HD_VEC(hd_opd) params;             /* functions: REG operands that receive the arguments; kernels: none (parameters are in the bank) */
	HD_VEC(hd_opd) results;            /* functions: REG operands whose values are returned at RET */
	uint32_t frame_bytes, frame_align; /* local memory of this function, spills added by the allocator */
	/* kernels */
	hd_kernel info; /* name, source_name, params, shared_bytes, max_threads, required_block; the emitter completes it */
	/* after allocation */
	bool allocated;
	bool laid_out;       /* control flow is in the instructions; succ, term and pred still name the logical edges */
	bool switches;       /* groups of lanes in different functions take turns (RC-16), so nothing may be outstanding where they do */
	uint32_t frame_base; /* static address of the frame; UINT32_MAX: on the stack (docs/compiler.md) */
	uint32_t registers;  /* highest physical register used + 1 */
	hd_ir_loc loc;
} hd_ir_function;

/* The function's name for people. */
static inline const char *hd_ir_function_name(const hd_ir_function *function)
{
	return function->info.source_name ? function->info.source_name : function->name;
}

/* A place in the data segment for the word address of a function. Emission resolves it. */
typedef struct hd_ir_code_ref {
	uint32_t offset, function, bytes;
} hd_ir_code_ref;

typedef struct hd_ir_module {
	hd_arena arena;
	HD_VEC(hd_ir_function *) functions;
	HD_VEC(uint8_t) data;
	HD_VEC(hd_reloc) relocs;
	HD_VEC(hd_variable) variables; /* names in the arena */
	HD_VEC(hd_ir_code_ref) code_refs;
	HD_VEC(char *) files;
	HD_VEC(uint32_t) literals; /* words at the top of the constant bank, chosen by the legaliser */
} hd_ir_module;

/* Strings (names of functions, kernels, parameters, files) live in the arena. */
hd_ir_module *hd_ir_module_new(void);
void hd_ir_module_free(hd_ir_module *module);
hd_ir_function *hd_ir_function_new(hd_ir_module *module, const char *name);
/* Frees what a block holds; the block itself lies in the arena of its module. For a block that is taken out of its function. */
void hd_ir_block_empty(hd_ir_block *block);
uint32_t hd_ir_block_new(hd_ir_module *module, hd_ir_function *function); /* its number */
uint32_t hd_ir_vreg_new(hd_ir_function *function, unsigned words);
/* An instruction with nd destinations and ns sources, all kind NONE; not in any block yet. */
hd_ir_inst *hd_ir_inst_new(hd_ir_module *module, unsigned op, unsigned nd, unsigned ns);
hd_ir_inst *hd_ir_inst_copy(hd_ir_module *module, const hd_ir_inst *inst);
/* Makes `insts` the instructions of the block, empties `insts` and frees the old list. For passes that rewrite a block. */
void hd_ir_replace_insts(hd_ir_block *block, hd_ir_insts *insts);

static inline hd_opd hd_opd_reg(uint32_t reg, unsigned words) { return (hd_opd){.kind = HD_OPD_REG, .words = (uint8_t)words, .reg = reg}; }
static inline hd_opd hd_opd_sub(uint32_t reg, unsigned sub, unsigned words)
{
	return (hd_opd){.kind = HD_OPD_REG, .words = (uint8_t)words, .sub = (uint8_t)sub, .reg = reg};
}
static inline hd_opd hd_opd_pred(uint32_t reg, bool neg) { return (hd_opd){.kind = HD_OPD_PRED, .reg = reg, .neg = neg}; }
static inline hd_opd hd_opd_imm(uint64_t bits, unsigned words) { return (hd_opd){.kind = HD_OPD_IMM, .words = (uint8_t)words, .imm = bits}; }
/* Size of a memory access (hd_ir_inst.sub) of 1, 2 or 4 words. */
static inline uint8_t hd_size_of_words(unsigned words) { return words == 1 ? HD_SIZE_32 : words == 2 ? HD_SIZE_64 : HD_SIZE_128; }
/* True when the operand names a register or a predicate, virtual or physical. */
static inline bool hd_opd_is_register(const hd_opd *o) { return o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED; }
/* True for what compile.races adds: a vote that nobody wants. It keeps its place. */
static inline bool hd_ir_tells(const hd_ir_inst *inst)
{
	return (inst->op == HD_OP_BALLOT || inst->op == HD_OP_VOTE) && inst->d[0].kind == HD_OPD_NONE;
}
/* True for an access that sees what other lanes write meanwhile: an atomic or a volatile load. */
static inline bool hd_ir_sees_others(const hd_ir_inst *inst)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	return row->flags & HD_OPF_ATOMIC || (row->format == HD_F_LD && inst->mod == HD_CACHE_VOLATILE);
}
/* True when an allocated operand names registers of the register file: not RZ. */
static inline bool hd_opd_is_physical(const hd_opd *o) { return o->kind == HD_OPD_REG && o->reg != HD_RZ; }
static inline hd_opd hd_opd_const(uint32_t byte, unsigned words) { return (hd_opd){.kind = HD_OPD_CONST, .words = (uint8_t)words, .imm = byte}; }

/* The operand shapes of an instruction: words of each (0 = predicate). `any`: any number and widths (CALLF). */
typedef struct hd_ir_shape {
	uint8_t nd, ns;
	uint8_t d[4], s[8];
	bool any;
} hd_ir_shape;
void hd_ir_shape_of(const hd_ir_inst *inst, hd_ir_shape *shape);

/* Control-flow graph services. */
void hd_ir_link(hd_ir_function *function);                            /* pred_blocks from succ */
void hd_ir_loops(hd_ir_function *function);                           /* loop_depth (natural loops; blocks of irreducible cycles count as one loop) */
uint32_t *hd_ir_rpo(const hd_ir_function *function, uint32_t *count); /* reachable blocks in reverse post-order; caller frees */

/* Checks all promises of the IR: operand counts and widths against the rows, virtual registers in range, targets, terminators. False with errors
 * in diag. */
bool hd_ir_validate(const hd_ir_module *module, hd_diag *diag);

/* Text that hd_ir_parse reads back to the same module (docs/compiler.md). */
void hd_ir_print(const hd_ir_module *module, hd_text *out);
void hd_ir_print_inst(const hd_ir_inst *inst, bool allocated, hd_text *out);
hd_ir_module *hd_ir_parse(const char *text, size_t size, const char *file, hd_diag *diag);

#endif

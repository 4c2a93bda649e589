/* Register allocation, in parts: abi.c (calls, frames), intervals.c (where values live), allocate.c (assignment), spill.c (rewriting). */
#ifndef HD_ALLOCATE_H
#define HD_ALLOCATE_H

#include "config/machine.h"
#include "ir/ir.h"

enum {
	HD_NOT_FIXED = UINT16_MAX,
	HD_ABI_FIRST = 4,     /* first argument and result register (docs/abi.md) */
	HD_ABI_LAST = 35,     /* further ones are in memory, at the beginning of the callee's frame */
	HD_STACK_POINTER = 0, /* only in modules that need a stack */
	HD_CALLEE_FRAME = 1,  /* operand kind FRAME: `reg` = callee's number + this is the callee's frame, 0 the function's own */
};

/* Registers and predicates that a call may change. */
typedef struct hd_clobber {
	uint64_t registers[4];
	uint8_t predicates;
} hd_clobber;

/* What the allocator knows of a virtual register beyond its size. */
typedef struct hd_vreg_info {
	uint16_t fixed; /* physical register, or HD_NOT_FIXED */
	bool tiny;      /* made by spilling or by the call sequence: lives for an instruction or two, is never spilled */
	bool spilled;
	uint16_t reg;       /* assignment */
	uint32_t weight;    /* uses and definitions, weighted by loop depth */
	uint32_t slot;      /* spilled: frame offset */
	hd_ir_inst *remake; /* spilled: its only definition, which can be repeated instead of being stored */
} hd_vreg_info;

typedef struct hd_allocation {
	hd_ir_module *module;
	hd_ir_function *f;
	HD_VEC(hd_vreg_info) info;    /* by virtual register */
	const hd_clobber *clobbers;   /* by function number; what a call of it changes */
	uint32_t limit, predicates;   /* registers 0..limit-1 and predicates that may be used */
	uint32_t aim;                 /* registers that cost no occupancy */
	bool stack;                   /* the module needs a stack pointer */
	uint32_t stack_pointer, zero; /* virtual registers that stand for them, UINT32_MAX while there are none */
} hd_allocation;

uint32_t hd_allocation_vreg(hd_allocation *a, unsigned words, uint16_t fixed, bool tiny);
/* The one virtual register that stands for physical register `reg`; kept in *which. */
uint32_t hd_allocation_fixed(hd_allocation *a, uint32_t *which, uint16_t reg);

/* abi.c */
bool hd_module_needs_stack(const hd_ir_module *module); /* recursion, an indirect call, or large frames below calls */
/* Functions so that callees come before their callers where there is no recursion; caller frees. *recursive[i]: in a cycle. */
uint32_t *hd_call_order(const hd_ir_module *module, bool **recursive);
void hd_lower_calls(hd_allocation *a);                                  /* arguments, results, parameters through fixed registers; frame addresses */
bool hd_finish_frames(hd_ir_module *module, bool stack, hd_diag *diag); /* static addresses or stack adjustments, once all frame sizes are known */

/* assign.c: a register for every virtual register, or some marked as spilled and false. `all`: spills whatever can be. *used: highest register + 1.
 */
bool hd_assign(hd_allocation *a, bool all, uint32_t *used);

/* allocate.c: hd_pass_allocate with other limits (at least 16 registers, 2 predicates). */
bool hd_allocate_limited(hd_ir_module *module, const hd_machine *machine, uint32_t limit, uint32_t predicates, hd_diag *diag);

/* verify_allocation.c: false, with a text, if the assignment in `info` lets a value be overwritten while it is alive. */
bool hd_verify_allocation(const hd_allocation *a, hd_text *why);

/* spill.c */
void hd_rewrite_spills(hd_allocation *a);

#endif

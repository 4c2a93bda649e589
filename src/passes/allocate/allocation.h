/* State shared by the parts of register allocation: the allocation of one function. */
#ifndef HD_ALLOCATION_H
#define HD_ALLOCATION_H

#include "config/machine.h"
#include "ir/ir.h"

enum {
	HD_NOT_FIXED = UINT16_MAX,
	HD_FIRST_ARGUMENT = 4, /* registers of arguments and results (docs/compiler.md); further ones are in the callee's frame */
	HD_LAST_ARGUMENT = 35,
	HD_STACK_POINTER = 0,  /* register, only in modules that need a stack (docs/compiler.md) */
	HD_CALLEE_FRAME = 1,   /* operand kind FRAME: reg = 0 is the function's own frame, reg = HD_CALLEE_FRAME + f that of a callee f */
	HD_FRAME_REACH = 8192, /* bytes: offsets into a frame below this stay in loads and stores */
	/* Places: registers, then predicates. */
	HD_FIRST_PREDICATE_PLACE = 256,
	HD_PLACES = HD_FIRST_PREDICATE_PLACE + HD_PREDS,
};

/* Registers and predicates that a call may change. */
typedef struct hd_clobber {
	uint64_t registers[4];
	uint8_t predicates;
} hd_clobber;

/* Does the call with this clobber set change the place? NULL: an indirect call, which may change all. */
static inline bool hd_clobbers(const hd_clobber *c, uint32_t place)
{
	return !c || (place < HD_FIRST_PREDICATE_PLACE ? c->registers[place >> 6] >> (place & 63) & 1
	                                               : c->predicates >> (place - HD_FIRST_PREDICATE_PLACE) & 1);
}

/* The allocator's facts about a virtual register, beyond its size. */
typedef struct hd_vreg_info {
	uint16_t fixed;   /* physical register, or HD_NOT_FIXED */
	bool short_lived; /* made by spilling or by a call sequence: it lives for an instruction or two and is never spilled */
	bool spilled;
	uint16_t place;                 /* the assignment: HD_NOT_FIXED = none, HD_RZ = the result is dropped */
	uint32_t weight;                /* uses and definitions, weighted by loop depth */
	uint32_t slot;                  /* spilled: frame offset in bytes; a predicate's: the virtual register that holds it */
	hd_ir_inst *rematerialise_from; /* its only definition, if that can be repeated at each use instead of a reload; or NULL */
} hd_vreg_info;

typedef struct hd_allocation {
	hd_ir_module *module;
	hd_ir_function *f;
	HD_VEC(hd_vreg_info) info;    /* by virtual register */
	const hd_clobber *clobbers;   /* by function number: what a call of it changes */
	uint32_t limit, predicates;   /* registers 0 to limit - 1 and predicates 0 to predicates - 1 can be used */
	uint32_t free_registers;      /* registers that a thread can have without loss of occupancy */
	bool stack;                   /* the module needs a stack pointer */
	uint32_t stack_pointer, zero; /* virtual registers that stand for these; UINT32_MAX while there are none */
} hd_allocation;

/* A new virtual register; words as in hd_ir_vreg. */
uint32_t hd_allocation_vreg(hd_allocation *a, unsigned words, uint16_t fixed, bool short_lived);
/* A new short-lived register as an operand; words > 0. */
hd_opd hd_allocation_scratch(hd_allocation *a, unsigned words);
/* The stack pointer as an operand; the zero register as an operand. */
hd_opd hd_allocation_stack_pointer(hd_allocation *a);
hd_opd hd_allocation_zero(hd_allocation *a);
/* Makes `info` as long as the function's virtual registers. */
void hd_allocation_extend(hd_allocation *a);

/* Append one instruction. A copy moves 1 or 2 words; a constant of one word, too. */
void hd_append_copy(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd from, hd_ir_loc loc);
void hd_append_movi(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd constant, hd_ir_loc loc);
void hd_append_add(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd x, hd_opd y, hd_ir_loc loc);
/* A load or store of local memory at `address` + `offset`. */
void hd_append_local_load(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd address, uint32_t offset, const hd_opd *guard, hd_ir_loc loc);
void hd_append_local_store(hd_allocation *a, hd_ir_insts *out, hd_opd address, uint32_t offset, hd_opd from, const hd_opd *guard, hd_ir_loc loc);

#endif

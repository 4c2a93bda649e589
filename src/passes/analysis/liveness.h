/* Liveness by words of virtual registers, on the logical control-flow graph. That graph is the right one, divergence or not: a lane's registers
 * change only by what the lane executes (docs/timing.md, "Physical control flow"). By words, because a quad that is put together from parts is not
 * live before its first part. */
#ifndef HD_LIVENESS_H
#define HD_LIVENESS_H

#include "ir/ir.h"

typedef struct hd_liveness {
	const hd_ir_function *f;
	uint32_t *first_bit;   /* of each virtual register: the bit of its first word; a predicate has one word */
	uint32_t *vreg_of_bit; /* the inverse */
	uint32_t bits;
	uint32_t global_bits; /* bits below belong to registers that may be live between blocks; a multiple of 64 */
	hd_bits *live_in;     /* before each block; global_bits long */
	uint32_t blocks;
} hd_liveness;

/* Is the operand a register that the allocator made for one instruction (hd_ir_vreg.scratch)? */
static inline bool hd_is_scratch(const hd_ir_function *f, const hd_opd *o) { return hd_opd_is_register(o) && f->vregs.at[o->reg].scratch; }

/* Requires: virtual registers. The result is valid until the function changes; the caller frees it with hd_liveness_free. */
hd_liveness hd_liveness_new(const hd_ir_function *f);
void hd_liveness_free(hd_liveness *l);

/* An empty set with room for all bits; the caller frees it. */
hd_bits hd_live_set(const hd_liveness *l);
/* live = what is live behind the terminator of `block`. */
void hd_live_out(const hd_liveness *l, size_t block, hd_bits *live);
/* The live set before the terminator: adds what the terminator reads. */
void hd_live_before_terminator(const hd_liveness *l, const hd_ir_block *block, hd_bits *live);
/* The live set before the instruction, from the set behind it. A definition under a guard does not end a live range, as the other lanes keep the old
 * value; a scratch register's does, because no other lane reads it. */
void hd_live_before(const hd_liveness *l, const hd_ir_inst *inst, hd_bits *live);

#endif

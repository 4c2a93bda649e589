/* Which words of virtual registers are alive where: on the logical graph, which is right for registers that a lane owns (docs/timing.md).
 * By word, so that a quad that is put together from parts is not alive before its first part. */
#ifndef HD_LIVENESS_H
#define HD_LIVENESS_H

#include "ir/ir.h"

typedef struct hd_liveness {
	const hd_ir_function *f;
	uint32_t *first; /* bit of each virtual register's first word (a predicate has one) */
	uint32_t bits;
	uint32_t global_bits; /* bits below this belong to registers that can be alive at the end of a block; a multiple of 64 */
	uint32_t *owner;      /* virtual register of each bit */
	hd_bits *out;         /* live at the end of each block; global_bits long */
	uint32_t blocks;
} hd_liveness;

static inline bool hd_scratch(const hd_ir_function *f, const hd_opd *o)
{
	return (o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED) && f->vregs.at[o->reg].scratch;
}

hd_liveness hd_liveness_new(const hd_ir_function *f);
void hd_liveness_free(hd_liveness *l);
/* A set for all bits, empty; the caller frees. */
hd_bits hd_live_set(const hd_liveness *l);
/* live = what is alive at the end of a block, behind its terminator. */
void hd_live_out(const hd_liveness *l, size_t block, hd_bits *live);
/* Steps backward over one instruction. A guarded definition does not end a life, but for scratch registers. */
void hd_live_before(const hd_liveness *l, const hd_ir_inst *inst, hd_bits *live);
/* Adds what the block's terminator reads. */
void hd_live_at_end(const hd_liveness *l, const hd_ir_function *f, const hd_ir_block *block, hd_bits *live);

#endif

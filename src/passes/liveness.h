/* Which words of virtual registers are alive where: on the logical graph, which is right for registers that a lane owns (docs/timing.md).
 * By word, so that a quad that is put together from parts is not alive before its first part. */
#ifndef HD_LIVENESS_H
#define HD_LIVENESS_H

#include "ir/ir.h"

typedef struct hd_liveness {
	const hd_ir_function *f;
	uint32_t *first;  /* bit of each virtual register's first word (a predicate has one); vregs.n + 1 entries */
	uint32_t bits;
	uint32_t *owner;  /* virtual register of each bit */
	hd_bits *out;     /* live at the end of each block */
	uint32_t blocks;
} hd_liveness;

static inline bool hd_scratch(const hd_ir_function *f, const hd_opd *o)
{
	return (o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED) && f->vregs.at[o->reg].scratch;
}

hd_liveness hd_liveness_new(const hd_ir_function *f);
void hd_liveness_free(hd_liveness *l);
/* Steps backward over one instruction. A guarded definition does not end a life, but for scratch registers. */
void hd_live_before(const hd_liveness *l, const hd_ir_inst *inst, hd_bits *live);
/* Adds what the block's terminator reads. */
void hd_live_at_end(const hd_liveness *l, const hd_ir_function *f, const hd_ir_block *block, hd_bits *live);

#endif

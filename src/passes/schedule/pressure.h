/* Register pressure while a block is scheduled: how many words of virtual registers are live. */
#ifndef HD_PRESSURE_H
#define HD_PRESSURE_H

#include "passes/analysis/liveness.h"

typedef struct hd_pressure {
	const hd_ir_function *f;
	hd_liveness liveness;
	struct hd_word_pressure *words; /* by word (hd_word_range) */
	hd_bits registers;              /* bits of liveness that belong to registers, not to predicates */
	const hd_bits *behind;          /* what is live behind the current sequence */
	uint32_t stamp;
	int live; /* words that are live now */
} hd_pressure;

/* Requires: virtual registers. The caller frees the result with hd_pressure_free. */
hd_pressure hd_pressure_new(const hd_ir_function *f);
void hd_pressure_free(hd_pressure *p);
/* A sequence of instructions begins, which are in their old order: counts the uses in it and what is live before the first one. `behind`: what is
 * live behind the last one (analysis/liveness.h). */
void hd_pressure_start(hd_pressure *p, const hd_ir_insts *insts, const hd_bits *behind);
/* By how many words `live` would change if the instruction came next, if its results were read later. */
int hd_pressure_growth(hd_pressure *p, const hd_ir_inst *inst);
/* The instruction comes next. */
void hd_pressure_advance(hd_pressure *p, const hd_ir_inst *inst);

#endif

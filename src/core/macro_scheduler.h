/* Macro scheduler (PD-12): keeps the warp slots of a scheduler in order of priority with a partial sorting network, one step a cycle,
 * four steps a round. The order lags behind the priorities and may be unsorted in between: that is the design. */
#ifndef HD_CORE_MACRO_SCHEDULER_H
#define HD_CORE_MACRO_SCHEDULER_H

#include "core/code.h"

typedef struct hd_macro {
	uint8_t order[HD_WARP_SLOTS];    /* warp slot at each position; position 0 is the highest */
	uint16_t sampled[HD_WARP_SLOTS]; /* priority of the warp at each position, as of the round's first step */
	uint64_t born[HD_WARP_SLOTS];    /* start number of the warp in a slot: its age; 0 = empty */
	uint16_t top;                    /* highest priority value, 2^bits - 1 */
	bool changed;                    /* since the last sample */
	bool moved;                      /* something was exchanged in this round */
	bool settled;                    /* further rounds would change nothing: no step needed */
} hd_macro;

void hd_macro_init(hd_macro *macro, unsigned bits);
/* A warp starts in (born > 0: ever growing number) or leaves (0) a slot. */
void hd_macro_warp(hd_macro *macro, unsigned slot, uint64_t born);
/* Priority of a slot by age: the oldest warp has the highest, an empty slot 0. */
uint16_t hd_macro_priority(const hd_macro *macro, unsigned slot);
/* The step of one cycle. The step number is the cycle modulo 4. */
void hd_macro_step(hd_macro *macro, uint64_t cycle);

/* The steps of cycles from..to, inclusive; free once the order is settled. */
static inline void hd_macro_advance(hd_macro *macro, uint64_t from, uint64_t to)
{
	for (uint64_t cycle = from; !macro->settled && cycle <= to; cycle++)
		hd_macro_step(macro, cycle);
}

#endif

/* Macro scheduler (PD-12, PD-35). It keeps the warp slots of a scheduler in order of priority with a partial sorting network of four steps a round,
 * usually one step a cycle. By design the order follows the priorities with a lag and may be unsorted for a while. */
#ifndef HD_CORE_MACRO_SCHEDULER_H
#define HD_CORE_MACRO_SCHEDULER_H

#include "core/code.h"

typedef struct hd_macro {
	uint8_t order[HD_WARP_SLOTS];     /* warp slot at each position; position 0 is the highest */
	uint8_t next[HD_WARP_SLOTS];      /* the order that the network works on */
	uint16_t sampled[HD_WARP_SLOTS];  /* priority of the warp at each position of `next`, as of the round's first step */
	uint16_t priority[HD_WARP_SLOTS]; /* of each slot, as of the last sample */
	uint64_t born[HD_WARP_SLOTS];     /* start number of the warp in a slot, which is its age; 0 = empty */
	uint8_t older[HD_WARP_SLOTS];     /* number of older warps */
	uint16_t base[HD_WARP_SLOTS];     /* its priority by the program */
	int8_t adjust[HD_WARP_SLOTS];     /* 1 boosted, -1 lowered, 0 neutral (PD-9) */
	uint64_t until[HD_WARP_SLOTS];    /* first cycle in which the warp is neutral again */
	uint64_t neutral;                 /* the least of `until`; HD_MACRO_NEVER if there is none */
	uint16_t top;                     /* highest priority value, 2^bits - 1 */
	uint8_t period;                   /* cycles of a round */
	uint8_t sorted;                   /* number of positions that the network orders; the slots at the others stay there */
	bool whole;                       /* `order` follows `next` at the end of a round, not behind each step */
	bool by_program;                  /* base[] sets the priority instead of the age */
	bool changed;                     /* a priority changed since the last sample */
	bool moved;                       /* this round exchanged two slots */
	bool settled;                     /* further rounds would change nothing, so no step is needed */
} hd_macro;
#define HD_MACRO_NEVER UINT64_MAX

/* bits: 6 or 10. A round takes four cycles, and the network orders all slots. */
void hd_macro_init(hd_macro *macro, unsigned bits, bool by_program);
/* PD-35: a round takes `period` cycles, 1 to 64, and the network orders the first `sorted` positions, 2 to HD_WARP_SLOTS. `whole`: as in hd_macro. */
void hd_macro_resize(hd_macro *macro, unsigned period, unsigned sorted, bool whole);
/* A warp begins in a slot (born > 0: an ever growing number) or leaves it (0). `base`: its priority by the program; 0 = the middle. */
void hd_macro_warp(hd_macro *macro, unsigned slot, uint64_t born, int64_t base);
/* PD-31: the priority by the program becomes `level` sixteenths of the range, 0 to 15, from now on. A boost or lower that lasts stays. */
void hd_macro_set_priority(hd_macro *macro, unsigned slot, unsigned level);
/* PD-9: for `cycles` cycles from `now` on, the slot's priority is a quarter of the range higher (sign 1) or lower (-1). */
void hd_macro_adjust(hd_macro *macro, unsigned slot, int sign, uint64_t now, unsigned cycles);
/* The priority of a slot: 0 for an empty one, at least 1 for a warp. By age the oldest warp has three quarters of the range and each younger one a
 * step less. This leaves room above and below. */
uint16_t hd_macro_priority(const hd_macro *macro, unsigned slot);
/* Does a step of a round: 0 samples the priorities, 1 to 3 compare and exchange. */
void hd_macro_step(hd_macro *macro, unsigned step);
void hd_macro_run(hd_macro *macro, uint64_t from, uint64_t to);

/* Does the steps of cycles from..to, inclusive. Once the order is settled they cost nothing, except where priorities return to neutral. */
static inline void hd_macro_advance(hd_macro *macro, uint64_t from, uint64_t to)
{
	if (!macro->settled || macro->neutral <= to)
		hd_macro_run(macro, from, to);
}

#endif

/* CTAs and warps in a core (PD-20): their room, their beginning, and their end. */
#ifndef HD_CORE_RESIDENCY_H
#define HD_CORE_RESIDENCY_H

#include "core/residency/ctas.h"
#include "core/state.h"

/* Takes room for a CTA and its warp slots. It is resident when it begins. Requires: it fits. */
hd_cta *hd_core_take(hd_core *core, hd_grid *grid, const hd_demand *demand);
void hd_core_give(hd_core *core, hd_cta *cta);
/* The CTA has ended: tells the device, with which its room is free (hd_core_ended). */
void hd_core_end_cta(hd_core *core, hd_cta *cta);
/* Begins the CTAs that are to begin in cycle `now` or before. */
void hd_core_begin_ctas(hd_core *core, uint64_t now);
/* The n-th warp slot of a CTA: number * schedulers + scheduler. */
uint32_t hd_core_slot(const hd_cta *cta, uint32_t n);
/* The warp in a slot of the core. */
static inline hd_scheduler *hd_core_warp_at(const hd_core *core, uint32_t slot, unsigned *warp)
{
	*warp = slot / core->n_schedulers;
	return &core->scheduler[slot % core->n_schedulers];
}
/* Puts a warp into a slot and sets the state with which every warp begins. */
hd_scheduler *hd_core_place_warp(hd_core *core, hd_cta *cta, uint32_t slot, uint32_t number, unsigned *warp);
/* Removes the slot's warp from all sets of the scheduler, because they are no longer valid for it. */
void hd_core_forget_warp(hd_scheduler *s, unsigned warp);
/* The priority of a warp by the program (PD-12). */
int64_t hd_core_priority(const hd_core *core, const hd_cta *cta, uint32_t number);
/* For hd_core_retire: a warp that has ended has nothing in flight any more, so its slot is free (docs/timing.md). */
void hd_core_leave_slot(hd_core *core, hd_scheduler *s, unsigned warp);
/* Counts one instruction less in flight. Frees the slot of a warp that has ended. */
static inline void hd_core_retire(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row)
{
	hd_warp *owner = &s->warp[warp];
	if (row->kind == HD_KIND_MEMORY && !--owner->memory && s->for_memory >> warp & 1) {
		s->for_memory &= ~(1u << warp);
		s->touched = true;
	}
	if (!--owner->in_flight && !(s->live >> warp & 1))
		hd_core_leave_slot(core, s, warp);
}
/* Ends a warp that has no thread left. */
void hd_core_end_warp(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);

#endif

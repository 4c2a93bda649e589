/* Stopping CTAs, saving their state and going on elsewhere (PD-19: eviction with grids.evict = save).
 *
 * A CTA that is to be saved issues nothing more. When nothing of it is in flight any more, all that it is lies in registers, predicates, flow
 * state, barriers, shared and local memory, and in which instructions of a candidate window were sent: counters are zero, delays are over,
 * forwarding paths are empty. That is what is kept, and the CTA can go on from it in any slots of any core. */
#ifndef HD_CORE_PREEMPT_H
#define HD_CORE_PREEMPT_H

#include "core/core.h"

typedef struct hd_saved hd_saved;

/* The youngest CTA there of the lowest priority below `priority`, of those that run; UINT32_MAX if there is none. */
uint32_t hd_core_victim(const hd_core *core, uint32_t priority);
/* CTAs that take so much and will fit once all that are being stopped or written out have gone, and those of a priority lower than `below`. */
uint32_t hd_core_will_fit(const hd_core *core, const hd_demand *demand, uint32_t below);
/* CTA number `cta` (hd_core_victim) issues nothing from cycle `now` on. */
void hd_core_stop_cta(hd_core *core, uint32_t cta, uint64_t now);
/* CTAs that have stopped since the last call: their numbers, *n of them. */
const uint8_t *hd_core_stopped(hd_core *core, uint32_t *n);
/* Takes the state of a stopped CTA. Its room stays taken until hd_core_release, as writing it out needs time. */
hd_saved *hd_core_unload(hd_core *core, uint32_t cta);
void hd_core_release(hd_core *core, uint32_t cta, uint64_t now);
/* Takes room for a saved CTA (it fits) and puts its state there; it goes on with hd_core_resume. Frees `saved`; its number. */
uint32_t hd_core_load(hd_core *core, hd_saved *saved, uint64_t now);
void hd_core_resume(hd_core *core, uint32_t cta, uint64_t now);

/* A warp of a stopping CTA has nothing in flight any more. */
struct hd_scheduler;
void hd_core_warp_stopped(hd_core *core, struct hd_scheduler *s, unsigned warp);

hd_grid *hd_saved_grid(const hd_saved *saved);
/* Registers, shared memory and control state that have to be moved. */
uint64_t hd_saved_bytes(const hd_saved *saved);
/* Number of the place in memory where it lies. */
uint64_t hd_saved_area(const hd_saved *saved);
void hd_saved_set_area(hd_saved *saved, uint64_t area);
/* Saved CTAs of a grid, oldest first. */
void hd_saved_put(hd_saved *saved);
hd_saved *hd_saved_take(hd_grid *grid);
void hd_saved_free(hd_saved *saved);

#endif

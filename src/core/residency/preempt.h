/* Stops CTAs, saves their state and continues them elsewhere (PD-19: eviction with grids.evict = save).
 *
 * A CTA that will be saved issues nothing more. When nothing of it is in flight any more, its state consists of registers, predicates, flow state,
 * barriers, shared and local memory, and the set of sent instructions of a candidate window. Counters are zero, delays are over, forwarding paths are
 * empty. The saved CTA can continue in any slots of any core. */
#ifndef HD_CORE_PREEMPT_H
#define HD_CORE_PREEMPT_H

#include "core/context.h"

typedef struct hd_saved hd_saved;

/* The youngest running CTA of the lowest priority below `priority`; UINT32_MAX if there is none. */
uint32_t hd_core_victim(const hd_core *core, uint32_t priority);
/* The number of CTAs of this demand that will fit after other CTAs have gone: those that are being stopped or written out, and those with a priority
 * lower than `below`. */
uint32_t hd_core_will_fit(const hd_core *core, const hd_demand *demand, uint32_t below);
/* Stops CTA number `cta` (hd_core_victim): it issues nothing from cycle `now` on. */
void hd_core_stop_cta(hd_core *core, uint32_t cta, uint64_t now);
/* The numbers of the CTAs that have stopped since the last call; *n receives how many. */
const uint8_t *hd_core_stopped(hd_core *core, uint32_t *n);
/* Takes the state of a stopped CTA. Its room stays taken until hd_core_release, because writing the state out takes time. */
hd_saved *hd_core_unload(hd_core *core, uint32_t cta);
void hd_core_release(hd_core *core, uint32_t cta, uint64_t now);
/* Takes room for a saved CTA and restores its state. It continues with hd_core_resume. Requires: it fits. Frees `saved`. Returns the number of the
 * CTA. */
uint32_t hd_core_load(hd_core *core, hd_saved *saved, uint64_t now);
void hd_core_resume(hd_core *core, uint32_t cta, uint64_t now);

/* The child grids have ended for which CTA number `cta` waits in its place (PD-32). Its warps go on from cycle `now`. */
void hd_core_end_join(hd_core *core, uint32_t cta, uint64_t now);

/* Tells that a warp of a stopping CTA has nothing in flight any more. */
struct hd_scheduler;
void hd_core_warp_stopped(hd_core *core, struct hd_scheduler *s, unsigned warp);

/* The child grids of the CTA, NULL before its first child. */
hd_child_grids *hd_saved_child_grids(const hd_saved *saved);
/* True when it waits for child grids that have not ended (PD-32). */
bool hd_saved_joins(const hd_saved *saved);
hd_grid *hd_saved_grid(const hd_saved *saved);
/* The number of bytes to move: registers, shared memory and control state. */
uint64_t hd_saved_bytes(const hd_saved *saved);
/* The number of its save area in memory. */
uint64_t hd_saved_area(const hd_saved *saved);
void hd_saved_set_area(hd_saved *saved, uint64_t area);
/* Saved CTAs of a grid, oldest first. */
void hd_saved_put(hd_saved *saved);
hd_saved *hd_saved_take(hd_grid *grid);
void hd_saved_free(hd_saved *saved);

#endif

/* An access that finds so little room in a window of time that the rest of it leaves after the window (PA-2, requests.h). The access itself has
 * ended: its tags are set, and its own lines have its bytes. Requests that have not left are deferred, and so are packets that have not been made.
 * The memory stage is closed until then, so a core defers one access at most. */
#ifndef HD_DEFERRED_H
#define HD_DEFERRED_H

#include "memory/lsu_state.h"

typedef struct hd_deferred hd_deferred;

/* NULL at first; hd_deferred_begin makes it. */
void hd_deferred_free(hd_deferred *deferred);
/* Nothing of the present access is deferred yet. `work` outlives the call. */
void hd_deferred_begin(hd_lsu *lsu, const hd_work *work);
/* True when a part of the present access is deferred. */
bool hd_deferred_any(const hd_lsu *lsu);
/* Defers a sector, which is to take a place of `room` from cycle `stage` on, for `lanes`. `fill`: what its packet brings; may be NULL. Returns
 * the number of the part. */
uint32_t hd_deferred_add(hd_lsu *lsu, hd_room *room, uint64_t stage, uint32_t lanes, uint32_t further, hd_fill *fill);
/* The access moves over `lines` lines, which keep its stage busy. */
void hd_deferred_end(hd_lsu *lsu, uint32_t lines);

/* On the shared side, in the order of the parts: the part leaves, in a packet of its own or together with others. Returns hd_request.at. */
uint64_t hd_deferred_departure(hd_deferred *deferred, uint32_t part);
/* The cycle in which a part that left so, `at`, comes to its slice. */
uint64_t hd_deferred_arrival(const hd_deferred *deferred, uint64_t at);
/* The cycle of a hit, behind the parts that have left. */
uint64_t hd_deferred_hit(const hd_deferred *deferred);

#endif

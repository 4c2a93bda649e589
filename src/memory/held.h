/* An access that finds so little room in a window of time that the rest of it leaves after the window (PA-2, requests.h). The access itself is over:
 * its tags are set, and its own lines have its bytes. What is held back are requests that have not left and packets that have not been made. The
 * memory stage is closed until then, so a core holds one access at most. */
#ifndef HD_HELD_H
#define HD_HELD_H

#include "memory/lsu_state.h"

typedef struct hd_held hd_held;

/* NULL at first; hd_held_begin makes it. */
void hd_held_free(hd_held *held);
/* Nothing of the present access is held yet. `work` outlives the call. */
void hd_held_begin(hd_lsu *lsu, const hd_work *work);
/* True when a part of the present access is held. */
bool hd_held_any(const hd_lsu *lsu);
/* Holds a sector back, which is to take a place of `room` from cycle `stage` on, for `lanes`. `fill`: what its packet brings; may be NULL. Returns
 * the number of the part. */
uint32_t hd_held_add(hd_lsu *lsu, hd_room *room, uint64_t stage, uint32_t lanes, uint32_t further, hd_fill *fill);
/* The access moves over `lines` lines, which keep its stage busy. */
void hd_held_end(hd_lsu *lsu, uint32_t lines);

/* On the shared side, in the order of the parts: the part leaves, in a packet of its own or together with others. Returns hd_request.at. */
uint64_t hd_held_leaves(hd_held *held, uint32_t part);
/* The cycle in which a part that left so, `at`, comes to its slice. */
uint64_t hd_held_arrival(const hd_held *held, uint64_t at);
/* The cycle of a hit, behind the parts that have left. */
uint64_t hd_held_hit(const hd_held *held);

#endif

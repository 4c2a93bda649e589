/* Finite room for requests in flight (MT-4). Each request occupies a place until it ends. A request without a place waits until the first place is
 * free, and the requester waits with it. This is back-pressure. */
#ifndef HD_ROOM_H
#define HD_ROOM_H

#include "base/base.h"

typedef struct hd_room {
	uint64_t *end;        /* a ring of the cycles from which the places are free, in order; 0: never occupied */
	uint32_t first, wrap; /* index of the least one; the ring's length - 1, which is a mask */
	uint32_t places;      /* without those that are open (hd_room_open) */
	/* In a window of time (PA-2): places whose end is known and earlier than any pending one, and the window in which they were counted. */
	uint32_t sure, window;
} hd_room;

/* `places` is at least 1. */
void hd_room_init(hd_room *room, uint32_t places);
void hd_room_free(hd_room *room);
/* The first cycle, `now` or later, in which a place is free. */
static inline uint64_t hd_room_from(const hd_room *room, uint64_t now) { return hd_max_u64(room->end[room->first], now); }
/* The same for the place that is free after `n` others; without so many the last. */
static inline uint64_t hd_room_after(const hd_room *room, uint32_t n, uint64_t now)
{
	n = n < room->places ? n : room->places - (room->places != 0);
	return hd_max_u64(room->end[(room->first + n) & room->wrap], now);
}
/* Occupies the place that is free first until cycle `end`. Requires: the request begins no earlier than hd_room_from returned. */
void hd_room_take(hd_room *room, uint64_t end);
/* Occupies a place that is free, for a request whose end nobody knows yet. A room without any other place has hd_room_from UINT64_MAX. */
void hd_room_open(hd_room *room);
/* The end of such a request is known. */
void hd_room_close(hd_room *room, uint64_t end);
/* Replaces an end `pending`, which some place has and which is later than all known ends, by the known one. */
void hd_room_settle(hd_room *room, uint64_t pending, uint64_t end);
/* How many places can be taken from cycle `now` on so that each of them is known to be the first that is free, although the ends of places that are
 * taken in this window are pending: each of them is at least `ahead` cycles behind the beginning. At most that, and exact in the first call of a
 * window. */
uint32_t hd_room_sure(hd_room *room, uint32_t window, uint64_t now, uint64_t ahead);
/* Number of places that are free in cycle `now`, at most `most`. */
uint32_t hd_room_free_at(const hd_room *room, uint64_t now, uint32_t most);

#endif

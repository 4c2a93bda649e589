#include "memory/room.h"

#include <stdlib.h>

/* The place that is free after `n` others. */
static uint64_t *place(const hd_room *room, uint32_t n) { return &room->end[(room->first + n) & room->wrap]; }

void hd_room_init(hd_room *room, uint32_t places)
{
	room->places = places;
	room->wrap = 0;
	while (room->wrap + 1 < places)
		room->wrap = 2 * room->wrap + 1;
	room->first = 0;
	room->end = hd_xcalloc(room->wrap + 1, sizeof *room->end);
}

void hd_room_free(hd_room *room) { free(room->end); }

/* The place with number `at` is the last one that ends later than `end`, or is not used. It goes to where `end` belongs. */
static void put(hd_room *room, uint32_t at, uint64_t end)
{
	for (; at && *place(room, at - 1) > end; at--)
		*place(room, at) = *place(room, at - 1);
	*place(room, at) = end;
}

/* The place that is free first is not free any more. */
static void leave(hd_room *room)
{
	room->sure -= room->sure != 0;
	room->first = (room->first + 1) & room->wrap;
}

void hd_room_take(hd_room *room, uint64_t end)
{
	leave(room);
	put(room, room->places - 1, end);
}

void hd_room_open(hd_room *room)
{
	leave(room);
	if (!--room->places)
		*place(room, 0) = UINT64_MAX;
}

void hd_room_close(hd_room *room, uint64_t end) { put(room, room->places++, end); }

void hd_room_settle(hd_room *room, uint64_t pending, uint64_t end)
{
	uint32_t at = room->places - 1;
	while (at && *place(room, at - 1) == pending)
		at--;
	put(room, at, end);
}

uint32_t hd_room_sure(hd_room *room, uint32_t window, uint64_t now, uint64_t ahead)
{
	if (room->window != window) {
		room->window = window;
		room->sure = hd_room_free_at(room, hd_room_from(room, now) + ahead - 1, room->places);
	}
	return room->sure;
}

uint32_t hd_room_free_at(const hd_room *room, uint64_t now, uint32_t most)
{
	uint32_t n = 0;
	most = hd_min_u32(most, room->places);
	if (most && *place(room, most - 1) <= now)
		return most;
	while (n < most && *place(room, n) <= now)
		n++;
	return n;
}

#include "memory/room.h"

#include <stdlib.h>

void hd_room_init(hd_room *room, uint32_t places)
{
	room->places = places;
	room->end = hd_xcalloc(places, sizeof *room->end);
}

void hd_room_free(hd_room *room) { free(room->end); }

void hd_room_take(hd_room *room, uint64_t end)
{
	uint32_t i = 0;
	room->sure -= room->sure != 0;
	for (;;) {
		uint32_t child = 2 * i + 1;
		if (child >= room->places)
			break;
		if (child + 1 < room->places && room->end[child + 1] < room->end[child])
			child++;
		if (room->end[child] >= end)
			break;
		room->end[i] = room->end[child];
		i = child;
	}
	room->end[i] = end;
}

void hd_room_open(hd_room *room)
{
	uint64_t last = room->end[--room->places];
	if (room->places)
		hd_room_take(room, last);
	else
		room->end[0] = UINT64_MAX;
}

void hd_room_close(hd_room *room, uint64_t end)
{
	uint32_t at = room->places++;
	while (at && room->end[(at - 1) / 2] > end) {
		room->end[at] = room->end[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	room->end[at] = end;
}

void hd_room_settle(hd_room *room, uint64_t pending, uint64_t end)
{
	uint32_t i = room->places - 1;
	while (room->end[i] != pending)
		i--;
	for (uint32_t parent; i && room->end[parent = (i - 1) / 2] > end; i = parent)
		room->end[i] = room->end[parent];
	room->end[i] = end;
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
	if (room->end[0] > now) /* the least */
		return 0;
	for (uint32_t i = 0; i < room->places && n < most; i++)
		n += room->end[i] <= now;
	return n;
}

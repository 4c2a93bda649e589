/* Finite room for requests (MT-4): against a list of the cycles in which places are free. */
#include "../test.h"

#include "memory/room.h"

TEST(one_place_is_taken_by_one_request_after_the_other)
{
	hd_room room;
	hd_room_init(&room, 1);
	assert_int_equal(hd_room_from(&room, 7), 7);
	hd_room_take(&room, 20);
	assert_int_equal(hd_room_from(&room, 7), 20);
	assert_int_equal(hd_room_from(&room, 20), 20);
	assert_int_equal(hd_room_from(&room, 21), 21);
	assert_int_equal(hd_room_free_at(&room, 19, 5), 0);
	assert_int_equal(hd_room_free_at(&room, 20, 5), 1);
	hd_room_free(&room);
}

/* The earliest free place of all is the next one, whatever the order in which requests end. */
TEST(requests_end_in_any_order)
{
	uint64_t seed = 3;
	for (uint32_t places = 1; places <= 40; places++) {
		hd_room room;
		uint64_t end[40] = {0}, now = 0;
		hd_room_init(&room, places);
		for (unsigned i = 0; i < 400; i++) {
			uint32_t first = 0, open = 0, most = 1 + (uint32_t)(hd_random(&seed) % 45);
			now += hd_random(&seed) % 4;
			for (uint32_t p = 0; p < places; p++) {
				first = end[p] < end[first] ? p : first;
				open += end[p] <= now;
			}
			uint64_t from = hd_room_from(&room, now);
			assert_int_equal(from, end[first] > now ? end[first] : now);
			assert_int_equal(hd_room_free_at(&room, now, most), open < most ? open : most);
			end[first] = from + hd_random(&seed) % 100;
			hd_room_take(&room, end[first]);
		}
		hd_room_free(&room);
	}
}

/* PA-2: places whose end is pending are later than all others, and get their end in any order. */
TEST(pending_ends_are_settled)
{
	enum { PLACES = 9 };
	const uint64_t pending = UINT64_C(1) << 63;
	uint64_t seed = 5;
	for (unsigned trial = 0; trial < 200; trial++) {
		hd_room room;
		uint64_t end[PLACES] = {0};
		unsigned late = 1 + (unsigned)(hd_random(&seed) % PLACES);
		hd_room_init(&room, PLACES);
		for (unsigned i = 0; i < PLACES; i++)
			hd_room_take(&room, end[i] = 1 + hd_random(&seed) % 50);
		for (unsigned i = 0; i < late; i++) { /* the least become pending */
			unsigned first = 0;
			for (unsigned p = 0; p < PLACES; p++)
				first = end[p] < end[first] ? p : first;
			end[first] = pending + i;
			hd_room_take(&room, pending);
		}
		for (unsigned i = 0; i < PLACES; i++) {
			if (end[i] < pending)
				continue;
			end[i] = 100 + hd_random(&seed) % 50;
			hd_room_settle(&room, pending, end[i]);
		}
		for (unsigned i = 0; i < PLACES; i++) {
			unsigned first = 0;
			for (unsigned p = 0; p < PLACES; p++)
				first = end[p] < end[first] ? p : first;
			assert_int_equal(hd_room_from(&room, 0), end[first]);
			hd_room_take(&room, end[first] = UINT64_C(1) << 40);
		}
		hd_room_free(&room);
	}
}

/* PA-2: as many places are sure as end before any place that is taken now can. The number is found once for each window. */
TEST(sure_places)
{
	hd_room room;
	hd_room_init(&room, 4);
	for (uint64_t end = 10; end <= 40; end += 10)
		hd_room_take(&room, end);
	assert_int_equal(hd_room_sure(&room, 1, 5, 20), 2); /* the first is free in 10, so what takes it ends in 30 at the earliest */
	assert_int_equal(hd_room_sure(&room, 1, 25, 20), 2);
	hd_room_take(&room, UINT64_C(1) << 63);
	assert_int_equal(hd_room_sure(&room, 1, 25, 20), 1);
	hd_room_take(&room, UINT64_C(1) << 63);
	hd_room_take(&room, UINT64_C(1) << 63);
	assert_int_equal(hd_room_sure(&room, 1, 25, 20), 0);
	hd_room_settle(&room, UINT64_C(1) << 63, 45);
	assert_int_equal(hd_room_sure(&room, 2, 25, 4), 1); /* 40, and not 45 */
	assert_int_equal(hd_room_sure(&room, 3, 25, 6), 2);
	assert_int_equal(hd_room_sure(&room, 4, 41, 4), 1);
	assert_int_equal(hd_room_sure(&room, 5, 41, 5), 2);
	hd_room_free(&room);
}

/* Finite room for requests (MT-4): against a list of the cycles in which places are free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memory/room.h"

static void one_place_is_taken_by_one_request_after_the_other(void **state)
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
static void requests_end_in_any_order(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_place_is_taken_by_one_request_after_the_other),
	    cmocka_unit_test(requests_end_in_any_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

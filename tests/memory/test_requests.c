/* Requests that wait in a window of time (PA-2): their answers are those of a second level that is asked in the same order at once, and they reach
 * the sector, the room and the access. */
#include "../test.h"

#include "memory/requests.h"

enum { REQUESTS = 60, PLACES = 64 };

static hd_request request_of(unsigned i)
{
	return (hd_request){.cycle = i / 3,
	                    .at = i / 3 + i % 2 * 7,
	                    .address = i * UINT64_C(7919) % 40 * 32,
	                    .later = i % 5,
	                    .reads = i % 4 != 1,
	                    .writes = i % 4 == 1 || i % 4 == 3};
}

TEST(answers_are_those_of_calls)
{
	hd_machine machine;
	hd_machine_default(&machine);
	hd_l2 *at_once = hd_l2_new(&machine), *later = hd_l2_new(&machine);
	hd_stats first = {0}, second = {0};
	hd_requests requests = {.open = true, .window = 1};
	hd_room room;
	uint64_t answer[REQUESTS], ready[REQUESTS] = {0}, latest = 0;
	hd_room_init(&room, PLACES);
	for (unsigned i = 0; i < REQUESTS; i++) {
		hd_request r = request_of(i);
		uint64_t written = r.writes ? hd_l2_sector(at_once, r.at, r.address, true, &first) : 0;
		answer[i] = (r.reads ? hd_l2_sector(at_once, r.at, r.address, false, &first) : written) + r.later;
		r.ready = i % 2 ? &ready[i] : NULL;
		r.room = &room;
		assert_true(hd_requests_are_pending(&requests));
		assert_int_equal(hd_requests_note(&requests, &r), HD_PENDING + i);
		hd_requests_await(&requests, HD_PENDING + i);
		assert_int_equal(ready[i], i % 2 ? HD_PENDING + i : 0);
	}
	ready[5] = 99; /* another line has this place now */
	for (unsigned i = 0; i < REQUESTS; i++)
		hd_requests_serve(&requests, i, later, &second);
	for (unsigned i = 0; i < REQUESTS; i++) {
		assert_int_equal(requests.list.at[i].answer, answer[i]);
		assert_int_equal(ready[i], i == 5 ? 99 : i % 2 ? answer[i] : 0);
		assert_true(answer[i] >= request_of(i).at + machine.memory_l2_latency / 2);
		latest = i >= 10 && i < 17 && answer[i] > latest ? answer[i] : latest;
	}
	assert_int_equal(hd_requests_answer(&requests, 10, 7), latest);
	assert_int_equal(hd_requests_answer(&requests, 10, 0), 0);
	assert_memory_equal(&first, &second, sizeof first);
	assert_int_equal(hd_room_free_at(&room, UINT64_MAX, PLACES), PLACES);
	assert_int_equal(hd_room_free_at(&room, HD_PENDING - 1, PLACES), PLACES); /* nothing is pending */
	hd_requests_clear(&requests);
	assert_int_equal(requests.list.n + requests.awaited.n, 0);
	hd_requests_free(&requests);
	hd_room_free(&room);
	hd_l2_free(at_once);
	hd_l2_free(later);
}

TEST(when_requests_wait)
{
	hd_requests requests = {0};
	assert_false(hd_requests_are_pending(NULL));
	assert_false(hd_requests_are_pending(&requests));
	requests.open = true;
	assert_true(hd_requests_are_pending(&requests));
	requests.direct = true;
	assert_false(hd_requests_are_pending(&requests));
}

/* Event queue, register file and barriers: the small units under the pipelines (HZ-9, RC-17). */
#include "core/flow/barriers.h"
#include "core/execute/events.h"
#include "core/execute/register_file.h"
#include "../test.h"

/* Everything comes in its cycle, in the order in which it was put in, near or far. */
TEST(events_come_in_order)
{
	hd_events events = {0};
	hd_pool pool = {0};
	uint64_t seed = 3, pending = 0, expected[4000], number = 0;
	for (uint64_t now = 0; now < 4000; now++) {
		uint32_t last = 0;
		uint64_t next = hd_events_next(&events, now - 1);
		hd_flight *list = hd_events_take(&events, now);
		assert_int_equal(list != NULL, next == now);
		while (list) {
			hd_flight *flight = list;
			list = flight->next;
			assert_int_equal(expected[flight->pc], now);
			assert_true(last == 0 || flight->pc > last - 1);
			last = flight->pc + 1;
			hd_pool_return(&pool, flight);
			pending--;
		}
		for (uint64_t n = hd_random(&seed) % 3; n-- && number < 3000;) {
			hd_flight *flight = hd_pool_flight(&pool);
			flight->memory = NULL;
			flight->pc = (uint32_t)number;
			expected[number] = now + 1 + hd_random(&seed) % (hd_random(&seed) % 2 ? 10 : 700);
			hd_events_add(&events, now, expected[number++], flight);
			pending++;
		}
	}
	assert_int_equal(pending, 0);
	assert_true(hd_events_next(&events, 4000) == UINT64_MAX);
	hd_events_free(&events);
	hd_pool_free(&pool);
}

/* A write changes the lanes of its mask and no others; RZ reads as zero. */
TEST(writes_are_masked)
{
	static hd_register_file file;
	hd_vec32 *registers = hd_xaligned(8 * sizeof *registers), value[2];
	hd_rf_warp(&file, 5, registers, 8);
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		value[0].v[lane] = 100 + lane;
		value[1].v[lane] = 200 + lane;
	}
	hd_rf_write(&file, 5, 2, 2, 0x80000001, value);
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		bool written = lane == 0 || lane == 31;
		assert_int_equal(hd_rf_read(&file, 5, 2)->v[lane], written ? 100 + lane : 0);
		assert_int_equal(hd_rf_read(&file, 5, 3)->v[lane], written ? 200 + lane : 0);
		assert_int_equal(hd_rf_read(&file, 5, HD_RZ)->v[lane], 0);
	}
	hd_rf_write(&file, 5, 2, 1, ~0u, value);
	assert_int_equal(hd_rf_read(&file, 5, 2)->v[7], 107);
	hd_rf_write_predicate(&file, 5, 3, 0xf0, 0xaaaaaaaa);
	assert_int_equal(hd_rf_guard(&file, 5, 3, 0), 0xa0);
	assert_int_equal(hd_rf_guard(&file, 5, 3, 1), 0xffffff5f);
	assert_int_equal(hd_rf_guard(&file, 5, HD_PT, 0), ~0u);
	free(registers);
}

/* RC-17: barriers count warps, by number, and can be used again at once. */
TEST(barriers_count_warps)
{
	hd_barriers barriers = {0};
	uint32_t release = 0;
	for (int phase = 0; phase < 3; phase++) {
		assert_false(hd_barrier_arrive(&barriers, 2, 0, 3, true, &release));
		assert_false(hd_barrier_arrive(&barriers, 5, 1, 2, true, &release));
		assert_false(hd_barrier_arrive(&barriers, 2, 1, 3, false, &release)); /* arrives without waiting */
		assert_int_equal(barriers.came[2], 3);
		assert_true(hd_barrier_arrive(&barriers, 2, 2, 3, true, &release));
		assert_int_equal(release, 1);
		assert_true(hd_barrier_arrive(&barriers, 5, 3, 2, true, &release));
		assert_int_equal(release, 2);
	}
}

/* RC-17: a barrier for all of the CTA completes with the last of the warps that are left, not before; each phase begins with nobody. */
TEST(a_barrier_of_all_warps)
{
	hd_barriers barriers = {.warps = 4};
	uint32_t release = 0;
	for (unsigned phase = 0; phase < 2; phase++) {
		for (unsigned warp = 0; warp < 3; warp++)
			assert_false(hd_barrier_arrive(&barriers, 0, (warp + phase) % 4, 0, warp != 1, &release));
		assert_true(hd_barrier_arrive(&barriers, 0, (3 + phase) % 4, 0, true, &release));
		assert_int_equal(release, phase ? 1u << 1 | 1u << 3 : 1u << 0 | 1u << 2); /* the second one only arrived */
	}
	/* Warps that ended are not waited for; a number of warps is, whoever is left. */
	assert_false(hd_barrier_arrive(&barriers, 0, 0, 0, true, &release));
	assert_false(hd_barrier_arrive(&barriers, 1, 1, 2, true, &release));
	assert_int_equal(hd_barrier_end(&barriers, 2), 0);
	assert_int_equal(hd_barrier_end(&barriers, 1), 0);
	assert_int_equal(hd_barrier_end(&barriers, 3), 1u << 0);
}

/* PD-32: the warps that waited at a barrier at which one joins, and the last one, are not released. A warp that arrives does not wait. The next phase
 * is a barrier as any other. */
TEST(warps_that_join_wait_on)
{
	hd_barriers barriers = {.warps = 4};
	uint32_t release = 0;
	assert_false(hd_barrier_arrive(&barriers, 3, 0, 0, true, &release));
	hd_barrier_join(&barriers, 3);
	assert_false(hd_barrier_arrive(&barriers, 3, 1, 0, true, &release));
	assert_false(hd_barrier_arrive(&barriers, 3, 2, 0, false, &release));
	assert_int_equal(barriers.joining, 0);
	assert_true(hd_barrier_arrive(&barriers, 3, 3, 0, true, &release));
	assert_int_equal(release, 0);
	assert_int_equal(barriers.joining, 1 << 0 | 1 << 1 | 1 << 3);
	barriers.joining = 0;
	for (unsigned warp = 0; warp < 3; warp++)
		assert_false(hd_barrier_arrive(&barriers, 3, warp, 0, true, &release));
	assert_true(hd_barrier_arrive(&barriers, 3, 3, 0, true, &release));
	assert_int_equal(release, 7);
	assert_int_equal(barriers.joining, 0);
	/* The last one only arrives; the last one has ended. */
	hd_barrier_join(&barriers, 4);
	for (unsigned warp = 0; warp < 3; warp++)
		assert_false(hd_barrier_arrive(&barriers, 4, warp, 0, true, &release));
	assert_true(hd_barrier_arrive(&barriers, 4, 3, 0, false, &release));
	assert_int_equal(barriers.joining, 7);
	barriers.joining = 0;
	hd_barrier_join(&barriers, 4);
	assert_false(hd_barrier_arrive(&barriers, 4, 1, 0, true, &release));
	assert_false(hd_barrier_arrive(&barriers, 5, 0, 0, true, &release));
	assert_int_equal(hd_barrier_end(&barriers, 2) | hd_barrier_end(&barriers, 3), 0);
	assert_int_equal(hd_barrier_end(&barriers, 0), 0);
	assert_int_equal(barriers.joining, 1 << 1);
}

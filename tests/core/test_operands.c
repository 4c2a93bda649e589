/* Operands at the entry of a pipe: lane groups, special registers, guards and predicate operands. */
#include "rig.h"

#include "core/execute/operands.h"

/* HZ-6: a group of four lanes counts when one of them is active. */
TEST(lane_groups_are_counted)
{
	assert_int_equal(hd_groups_of(0), 0);
	assert_int_equal(hd_groups_of(1), 1);
	assert_int_equal(hd_groups_of(0x80000000u), 1);
	assert_int_equal(hd_groups_of(0xf), 1);
	assert_int_equal(hd_groups_of(0x18), 2);
	assert_int_equal(hd_groups_of(0x11111111u), 8);
	assert_int_equal(hd_groups_of(UINT32_MAX), 8);
	uint64_t random = 1;
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t mask = (uint32_t)(hd_random(&random) & hd_random(&random) & hd_random(&random)), n = 0;
		for (unsigned group = 0; group < 8; group++)
			n += (mask >> (4 * group) & 15) != 0;
		assert_int_equal(hd_groups_of(mask), n);
	}
}

/* HZ-31: units of 1 to 32 lanes. Of lanes that end one after the other, a unit is done with its last one. */
TEST(units_of_each_size_are_counted)
{
	uint64_t random = 2;
	for (unsigned i = 0; i < 1000; i++) {
		hd_core core = {.unit_lanes = 1u << i % 6};
		uint32_t now = (uint32_t)(hd_random(&random) & hd_random(&random)), later = (uint32_t)(hd_random(&random) & hd_random(&random)),
		         n = 0, done = 0;
		for (unsigned at = 0; at < HD_LANES; at += core.unit_lanes) {
			uint32_t lanes = (UINT32_MAX >> (HD_LANES - core.unit_lanes)) << at;
			n += (now & lanes) != 0;
			done += (now & lanes) && !(later & lanes);
		}
		assert_int_equal(hd_units_of(&core, now), n);
		assert_int_equal(hd_units_done(&core, now, later), done);
		assert_int_equal(hd_units_of(&core, UINT32_MAX), HD_LANES / core.unit_lanes);
		assert_int_equal(hd_units_of(&core, 0), 0);
	}
}

TEST(special_registers_come_from_core_and_cta)
{
	hd_watch watch = {0};
	hd_context context = {.cores = 7, .watch = &watch};
	hd_core core = {.context = &context, .number = 3};
	hd_cta cta = {.item = UINT64_C(0x1122334455667788)};
	hd_warp warp = {.cta = &cta};
	hd_vec32 value;
	uint64_t now = UINT64_C(0x500000009);
	const struct {
		hd_sreg which;
		uint32_t value;
	} expected[] = {
	    {HD_SREG_CLOCK, 9},          {HD_SREG_CLOCKHI, 5},          {HD_SREG_GLOBALTIMER, 9}, {HD_SREG_GLOBALTIMERHI, 5},
	    {HD_SREG_ENTRY, 0x55667788}, {HD_SREG_ENTRYHI, 0x11223344}, {HD_SREG_SMID, 3},        {HD_SREG_NSMID, 7},
	};
	for (unsigned i = 0; i < HD_COUNT(expected); i++) {
		const hd_vec32 *got = hd_special_operand(&core, &warp, expected[i].which, now, &value);
		assert_int_equal(got->v[0], expected[i].value);
		assert_int_equal(got->v[31], expected[i].value);
	}
}

/* RC-17: a warp that reads a clock does not repeat a state, so the read counts as progress; other reads do not. */
TEST(reading_a_clock_is_progress)
{
	hd_watch watch = {.on = true};
	hd_context context = {.cores = 1, .watch = &watch};
	hd_core core = {.context = &context};
	hd_cta cta = {0};
	hd_warp warp = {.cta = &cta};
	hd_vec32 value;
	hd_special_operand(&core, &warp, HD_SREG_SMID, 100, &value);
	assert_true(watch.on);
	hd_special_operand(&core, &warp, HD_SREG_CLOCK, 100, &value);
	assert_false(watch.on);
	assert_int_equal(watch.from, 100 + HD_QUIET);
}

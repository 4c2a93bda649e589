/* The register file and the predicates of a scheduler's warps. */
#include "rig.h"

#include "core/execute/register_file.h"

static hd_register_file file;
static hd_vec32 registers[8];

static void fill(hd_vec32 *value, uint32_t base)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		value->v[lane] = base + lane;
}

TEST(a_new_warp_has_zeros_and_a_true_predicate)
{
	memset(registers, 0xee, sizeof registers);
	memset(&file, 0xee, sizeof file);
	file.gated_lanes = 0;
	hd_rf_warp(&file, 3, registers, 8);
	for (unsigned reg = 0; reg < 8; reg++)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			assert_int_equal(hd_rf_read(&file, 3, reg)->v[lane], 0);
	for (unsigned p = 0; p < HD_PT; p++)
		assert_int_equal(hd_rf_guard(&file, 3, p, 0), 0);
	assert_int_equal(hd_rf_guard(&file, 3, HD_PT, 0), UINT32_MAX);
	assert_int_equal(hd_rf_guard(&file, 3, HD_PT, 1), 0);
}

TEST(rz_reads_as_zero_in_every_width)
{
	hd_rf_warp(&file, 0, registers, 8);
	for (unsigned word = 0; word < 4; word++)
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			assert_int_equal(hd_rf_read(&file, 0, HD_RZ)[word].v[lane], 0);
}

TEST(a_write_reaches_its_lanes_and_words_only)
{
	hd_vec32 value[2];
	hd_rf_warp(&file, 0, registers, 8);
	fill(&registers[1], 1000);
	fill(&registers[2], 2000);
	fill(&registers[3], 3000);
	fill(&value[0], 100);
	fill(&value[1], 200);
	hd_rf_write(&file, 0, 2, 1, 0x80000001u, value);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		assert_int_equal(registers[2].v[lane], lane == 0 || lane == 31 ? 100 + lane : 2000 + lane);
	hd_rf_write(&file, 0, 2, 2, UINT32_MAX, value);
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		assert_int_equal(registers[1].v[lane], 1000 + lane);
		assert_int_equal(registers[2].v[lane], 100 + lane);
		assert_int_equal(registers[3].v[lane], 200 + lane);
		assert_int_equal(registers[4].v[lane], 0);
	}
}

/* RC-22: each register of a write counts the groups with a lane. */
TEST(groups_that_are_written_are_counted)
{
	hd_vec32 value[2] = {0};
	uint64_t groups = 0;
	memset(&file, 0, sizeof file);
	hd_rf_warp(&file, 0, registers, 8);
	file.gated_lanes = 8;
	file.groups_written = &groups;
	hd_rf_write(&file, 0, 2, 2, 0x80000101u, value);
	assert_int_equal(groups, 2 * 3);
	hd_rf_write(&file, 0, 2, 1, UINT32_MAX, value);
	assert_int_equal(groups, 2 * 3 + 4);
	file.gated_lanes = 0;
}

TEST(predicates_are_written_by_lane_and_negated_as_guards)
{
	hd_rf_warp(&file, 1, registers, 8);
	hd_rf_write_predicate(&file, 1, 2, 0x0000ffffu, 0x00ff00ffu);
	assert_int_equal(hd_rf_guard(&file, 1, 2, 0), 0x000000ffu);
	hd_rf_write_predicate(&file, 1, 2, 0xffff0000u, UINT32_MAX);
	assert_int_equal(hd_rf_guard(&file, 1, 2, 0), 0xffff00ffu);
	assert_int_equal(hd_rf_guard(&file, 1, 2, 1), 0x0000ff00u);
	assert_int_equal(hd_rf_guard(&file, 1, 1, 0), 0);
}

TEST(junk_is_the_same_in_every_run_and_spares_the_true_predicate)
{
	hd_vec32 first[8];
	hd_rf_warp(&file, 5, registers, 8);
	hd_rf_junk(&file, 5, 8);
	memcpy(first, registers, sizeof first);
	assert_int_not_equal(first[0].v[0], 0);
	assert_int_not_equal(first[0].v[0], first[7].v[31]);
	hd_rf_warp(&file, 5, registers, 8);
	hd_rf_junk(&file, 5, 8);
	assert_memory_equal(first, registers, sizeof first);
	assert_int_equal(hd_rf_guard(&file, 5, HD_PT, 0), UINT32_MAX);
}

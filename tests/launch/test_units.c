/* The layout of the state of a core's units. */
#include "launch/units.h"
#include "../test.h"

/* The cells are the groups, and nothing else. */
TEST(groups_cover_the_cells)
{
	hd_unit_sizes sizes = {.schedulers = 2, .banks = 3, .entries = 4, .hazards = 5, .buffers = 6, .replays = 7};
	hd_units units;
	hd_units_init(&units, &sizes);
	uint32_t cells = 0;
	for (unsigned group = 0; group < HD_UNITS_COUNT; group++) {
		const hd_unit_group_info *info = &hd_unit_groups[group];
		uint32_t at = 0;
		assert_int_equal(units.first[group], cells);
		for (uint32_t i = 0; i < info->n_fields; at += info->fields[i++].count)
			assert_int_equal(info->fields[i].at, at);
		assert_int_equal(info->cells, at);
		cells += units.count[group] * info->cells;
	}
	assert_int_equal(units.n, cells);
	units.hazard[2 * HD_PIPE_COUNT * 5 - 1].spaced[0] = 77;
	assert_int_equal(units.cells[units.first[HD_UNITS_hazard + 1] - 1], 77);
	units.write->number[0] = 78;
	assert_int_equal(units.cells[units.first[HD_UNITS_write]], 78);
	assert_int_equal(units.count[HD_UNITS_buffer], 12);
	hd_units_free(&units);
}

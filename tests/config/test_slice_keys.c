/* Keys of slices and DRAM rows (MT-4): what the loader refuses. */
#include "../test.h"

#include "config/machine.h"

TEST(slices_and_rows)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
	    {"memory: {slices: 4}\n", NULL},
	    {"memory: {slices: 2, dram_banks: 1, dram_refresh_interval: 0}\n", NULL},
	    {"memory: {slices: 64}\n", NULL},
	    {"memory: {slices: 6}\n", "memory.slices is 6, expected a power of 2 and a multiple of memory.dram_partitions (2)"},
	    {"memory: {slices: 1}\n", "memory.slices is 1, expected a power of 2 and a multiple of memory.dram_partitions (2)"},
	    {"memory: {slices: 4, values: at_once}\n", "memory.slices is 4, expected 0 with memory.values `at_once`"},
	    {"memory: {slices: 4, return_groups: true}\n", "memory.return_groups cannot be used with memory.slices"},
	    {"memory: {slices: 64, l2_bytes: 16384}\n", "memory.l2_bytes: 2 lines for each of memory.slices (64)"},
	    {"memory: {slices: 4, l2_misses: 3}\n", "memory.l2_misses is 3, expected at least memory.slices (4)"},
	    {"memory: {slices: 4, l2_misses: 4}\n", NULL},
	    {"memory: {slices: 4, dram_queue: 4}\n", "memory.dram_queue is 4, expected at least 5 with memory.slices"},
	    {"memory: {slices: 4, dram_queue: 5}\n", NULL},
	    {"memory: {dram_banks: 4}\n", "memory.dram_banks is 4, expected 0 without memory.slices"},
	    {"memory: {dram_row_bytes: 3000}\n", "memory.dram_row_bytes cannot be 3000, expected a power of 2"},
	    {"memory: {dram_refresh_interval: 540}\n", "memory.dram_refresh_interval is 540, expected 0 or more than 540"},
	    {"memory: {dram_refresh_interval: 541}\n", NULL},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		assert_int_equal(hd_machine_read(&machine, rows[i].text, strlen(rows[i].text), "test.yaml", &diag), !rows[i].message);
		if (rows[i].message && !strstr(diag.text.at, rows[i].message))
			fail_msg("expected '%s' in:\n%s", rows[i].message, diag.text.at);
		hd_diag_free(&diag);
	}
}

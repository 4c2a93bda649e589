/* Measured ceilings are what the keys of the machine say. */
#include "../test.h"

#include "api/ceilings.h"

static hd_machine machine;

static hd_ceilings measured(const char *const *settings)
{
	hd_ceilings ceilings;
	hd_diag diag = {0};
	assert_true(hd_machine_load(&machine, "heddle", &diag));
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(&machine, *settings, &diag));
	if (!hd_machine_validate(&machine, "test", &diag) || !hd_ceilings_measure(&machine, &ceilings, &diag))
		fail_msg("%s", diag.text.at);
	hd_diag_free(&diag);
	for (unsigned i = 0; i < HD_PEAKS; i++)
		print_message("%s %.2f operations a cycle\n", hd_peak_names[i], ceilings.operations[i]);
	for (unsigned i = 0; i < HD_LEVELS; i++)
		print_message("%s %.2f bytes a cycle\n", hd_level_names[i], ceilings.bytes[i]);
	return ceilings;
}

static void near(double value, double key, double tolerance)
{
	if (value < key * (1 - tolerance) || value > key * 1.02)
		fail_msg("%.2f measured, %.2f by the keys", value, key);
}

/* Two cores of two schedulers: 32 lanes an interval in each; the memory stage moves 128 bytes a cycle of a core; shared memory has 32 banks of 4
 * bytes; the second level takes 4 sectors a cycle; 2 partitions take a sector in 2 cycles each. */
TEST(the_default_machine_reaches_its_keys)
{
	hd_ceilings c = measured(NULL);
	near(c.operations[HD_PEAK_ALU], 2 * 2 * 32, 0.04);
	near(c.operations[HD_PEAK_SFU], 2 * 2 * 32 / 4.0, 0.04);
	near(c.operations[HD_PEAK_F64], 2 * 2 * 32 / 4.0, 0.04);
	near(c.operations[HD_PEAK_CVT], 2 * 2 * 32 / 4.0, 0.04);
	near(c.bytes[HD_LEVEL_SHARED], 2 * 32 * 4, 0.04);
	near(c.bytes[HD_LEVEL_L1], 2 * 128, 0.15); /* loads of 16 bytes a lane leave gaps between their passes */
	near(c.bytes[HD_LEVEL_L2], 4 * 32, 0.04);
	near(c.bytes[HD_LEVEL_DRAM], 2 * 32 / 2.0, 0.04);
}

TEST(other_keys_are_reached_too)
{
	static const char *const settings[] = {"machine.cores=1",
	                                       "latency.fma.interval=2",
	                                       "latency.f64.interval=8",
	                                       "latency.sfu.interval=2",
	                                       "latency.cvt.interval=8",
	                                       "memory.shared_banks=16",
	                                       "memory.l2_sectors_per_cycle=1",
	                                       "memory.dram_cycles_per_sector=8",
	                                       "memory.l2_bytes=262144",
	                                       NULL};
	hd_ceilings c = measured(settings);
	near(c.operations[HD_PEAK_ALU], 2 * 32 / 2.0, 0.04);
	near(c.operations[HD_PEAK_SFU], 2 * 32 / 2.0, 0.04);
	near(c.operations[HD_PEAK_F64], 2 * 32 / 8.0, 0.04);
	near(c.operations[HD_PEAK_CVT], 2 * 32 / 8.0, 0.04);
	near(c.bytes[HD_LEVEL_SHARED], 16 * 4, 0.04);
	near(c.bytes[HD_LEVEL_L2], 32, 0.04);
	near(c.bytes[HD_LEVEL_DRAM], 2 * 32 / 8.0, 0.04);
}

TEST(every_preset_has_ceilings)
{
	static const char *const names[] = {"baseline", "predecode", "multi-issue"};
	for (unsigned i = 0; i < HD_COUNT(names); i++) {
		hd_diag diag = {0};
		hd_ceilings c;
		assert_true(hd_machine_load(&machine, names[i], &diag));
		assert_true(hd_machine_set(&machine, "machine.cores=1", &diag));
		if (!hd_ceilings_measure(&machine, &c, &diag))
			fail_msg("%s", diag.text.at);
		near(c.operations[HD_PEAK_F64], 16, 0.05);
		near(c.bytes[HD_LEVEL_L2], 128, 0.3);
	}
}

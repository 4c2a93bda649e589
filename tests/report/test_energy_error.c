/* The uncertainty of energy: errors of one cause add up, errors of different causes add by their squares. */
#include "../test.h"
#include <math.h>

#include "config/keys.h"
#include "report/energy_error.h"

/* A machine on which only the events of a test cost anything. */
static hd_machine quiet(void)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	machine.energy_register_file_scale = 100;
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (key.kind == HD_KEY_PJ)
			assert_true(hd_key_store(&machine, &key, "0", (hd_pos){0}, &diag));
	}
	hd_diag_free(&diag);
	return machine;
}

static unsigned percent_of(const char *key)
{
	unsigned percent = 0;
	hd_energy_cause cause;
	assert_true(hd_energy_price_of(key, &percent, &cause));
	return percent;
}

static uint64_t error_of(const hd_machine *machine, const hd_stats *stats, hd_energy_set set)
{
	hd_energy_error error = hd_energy_error_of(machine, stats);
	return hd_energy_error_sum(&error, set);
}

TEST(one_price_has_its_percentage)
{
	hd_machine machine = quiet();
	hd_stats stats = {.run_cycles = 1, .memory_dram_reads = 700, .memory_dram_writes = 300};
	machine.energy_dram = 1000;
	assert_int_equal(percent_of("dram"), 65);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of_all()), 650000);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of(HD_ENERGY_dram)), 650000);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of(HD_ENERGY_l2)), 0);
	stats.run_cycles = 0; /* functional */
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of_all()), 0);
}

/* alu and fma have the cause `lanes`: their errors add up. */
TEST(errors_of_a_cause_add_up)
{
	hd_machine machine = quiet();
	hd_stats stats = {.run_cycles = 1, .lanes_alu = 3000, .lanes_sfu = 4000};
	machine.energy_alu = machine.energy_sfu = 1000;
	assert_int_equal(percent_of("alu"), 50);
	assert_int_equal(percent_of("sfu"), 50);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of(HD_ENERGY_alu)), 1500000);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of(HD_ENERGY_sfu)), 2000000);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of(HD_ENERGY_alu) | hd_energy_set_of(HD_ENERGY_sfu)), 3500000);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of_group(HD_ENERGY_GROUP_pipes)), 3500000);
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of_group(HD_ENERGY_GROUP_memory)), 0);
}

/* Lanes and registers are different causes: a triangle of 3, 4 and 5. */
TEST(errors_of_different_causes_add_by_their_squares)
{
	hd_machine machine = quiet();
	hd_stats stats = {.run_cycles = 1, .lanes_alu = 6000, .register_file_reads = 20000};
	machine.energy_alu = 1000;
	machine.energy_register_read = 1000;
	assert_int_equal(percent_of("register_read"), 60);
	machine.energy_register_file_scale = 50; /* 10,000,000 fJ, 60 %: 6,000,000; with the lanes' 3,000,000 */
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of_group(HD_ENERGY_GROUP_registers)), 6000000);
	stats.lanes_alu = 16000; /* 8,000,000 */
	assert_int_equal(error_of(&machine, &stats, hd_energy_set_of_all()), 10000000);
}

/* Two runs with the same prices: the ratio of a run to itself is exact. Where only one of two causes changes, the error is that of its share. */
TEST(errors_cancel_out_in_a_ratio)
{
	hd_machine machine = quiet();
	hd_stats before = {.run_cycles = 1, .lanes_alu = 1000, .register_file_reads = 1000}, after = before;
	machine.energy_alu = machine.energy_register_read = 1000;
	after.register_file_reads = 500;
	hd_energy a = hd_energy_of(&machine, &after), b = hd_energy_of(&machine, &before);
	hd_energy_error of_a = hd_energy_error_of(&machine, &after), of_b = hd_energy_error_of(&machine, &before);
	uint64_t total_a = hd_energy_total(&a), total_b = hd_energy_total(&b);
	assert_true(hd_energy_error_ratio(total_b, &of_b, total_b, &of_b) == 0);
	/* Shares 2/3 and 1/3 against 1/2 and 1/2, of 50 and 60 %. */
	double lanes = 0.5 * (2.0 / 3 - 0.5), registers = 0.6 * (1.0 / 3 - 0.5);
	double error = hd_energy_error_ratio(total_a, &of_a, total_b, &of_b);
	assert_true(fabs(error - 0.75 * sqrt(lanes * lanes + registers * registers)) < 1e-12);
	assert_true(hd_energy_error_ratio(0, &of_a, total_b, &of_b) == 0);
	assert_true(hd_energy_error_ratio(total_a, &of_a, 0, &of_b) == 0);
	/* The first-order change when the register file is dearer by its 60 %, by hand. */
	machine.energy_register_read = 1001;
	hd_energy more_a = hd_energy_of(&machine, &after), more_b = hd_energy_of(&machine, &before);
	double slope = ((double)hd_energy_total(&more_a) / (double)hd_energy_total(&more_b) - (double)total_a / (double)total_b) / 0.001;
	assert_true(fabs(slope * 0.6 - 0.75 * registers) < 1e-3);
}

TEST(sets_part_the_units)
{
	hd_energy_set all = 0;
	for (unsigned group = 0; group < HD_ENERGY_GROUPS; group++) {
		hd_energy_set set = hd_energy_set_of_group((hd_energy_group)group);
		assert_true(set != 0 && (all & set) == 0);
		all |= set;
	}
	assert_true(all == hd_energy_set_of_all());
	assert_true(hd_energy_set_of(HD_ENERGY_leakage) == (hd_energy_set)1 << HD_ENERGY_leakage);
	unsigned percent;
	hd_energy_cause cause;
	assert_false(hd_energy_price_of("nothing", &percent, &cause));
	for (unsigned i = 0; i < HD_ENERGY_CAUSES; i++)
		assert_true(hd_energy_cause_docs[i][0] && hd_energy_cause_names[i][0]);
}

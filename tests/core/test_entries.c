/* Entries into pipelines (MI-16): cycles with several entries, squares over spans of 32 cycles; for how long entries are taken. */
#include "core/execute/entries.h"
#include "rig.h"

TEST(several_entries_of_a_cycle_count_once)
{
	hd_entries entries = {0};
	hd_stats stats = {0};
	hd_entries_add(&entries, HD_PIPE_ALU, 1, 0);
	hd_entries_add(&entries, HD_PIPE_LSU, 2, 0);
	hd_entries_add(&entries, HD_PIPE_SFU, 4, 0);
	hd_entries_add(&entries, HD_PIPE_ALU, 1, 1);
	hd_entries_add(&entries, HD_PIPE_ALU, 1, 7);
	hd_entries_add(&entries, HD_PIPE_FLOW, 1, 7);
	hd_entries_finish(&entries, &stats);
	assert_int_equal(stats.entry_cycles, 3);
	assert_int_equal(stats.entry_several, 2);
	hd_entries_finish(&entries, &stats); /* nothing counts twice */
	assert_int_equal(stats.entry_cycles, 3);
}

TEST(squares_are_of_spans_and_pipes)
{
	static const struct {
		hd_pipe pipe;
		uint32_t interval;
		uint64_t cycle;
	} rows[] = {{HD_PIPE_ALU, 1, 30}, {HD_PIPE_LSU, 2, 31}, {HD_PIPE_ALU, 1, 31},
	            {HD_PIPE_ALU, 1, 32}, {HD_PIPE_LSU, 2, 63}, {HD_PIPE_LSU, 3, 64}};
	hd_entries entries = {0};
	hd_stats stats = {0};
	for (unsigned i = 0; i < HD_COUNT(rows); i++)
		hd_entries_add(&entries, rows[i].pipe, rows[i].interval, rows[i].cycle);
	hd_entries_finish(&entries, &stats);
	assert_int_equal(stats.entry_squares, (2 * 2 + 2 * 2) + (1 + 2 * 2) + 3 * 3);
	hd_entries_add(&entries, HD_PIPE_LSU, 1, 65); /* the same span in a later step */
	hd_entries_finish(&entries, &stats);
	assert_int_equal(stats.entry_squares, (2 * 2 + 2 * 2) + (1 + 2 * 2) + 4 * 4);
}

/* On the whole machine: each entry takes the interval of its pipe, and every instruction that executes is an entry. */
TEST(a_run_counts_its_entries)
{
	rig *r = rig_new(64);
	r->machine.machine_schedulers = 1;
	r->machine.latency[HD_CLASS_SFU].interval = 8;
	rig_address(r);
	for (unsigned i = 0; i < 5; i++)
		rig_put(r, primary(alu(HD_OP_FEX2, 8 + i, HD_RZ, HD_RZ, HD_RZ), 1), delay(9));
	rig_put(r, store(HD_OP_STG, 2, 0, 8), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.pipe_busy_sfu, 8 * r->stats.pipe_sfu);
	assert_true(r->stats.pipe_sfu == 5);
	assert_int_equal(r->stats.pipe_busy_coord, r->machine.latency[HD_CLASS_COORD].interval * r->stats.pipe_coord);
	assert_int_equal(r->stats.pipe_busy_lsu, r->machine.latency[HD_CLASS_LSU].interval * r->stats.pipe_lsu);
	assert_true(r->stats.entry_cycles + r->stats.entry_several <= r->stats.run_warp_instructions);
	assert_true(r->stats.entry_cycles > 0);
	rig_free(r);
}

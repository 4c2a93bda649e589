/* The account of issue slots: every slot of every cycle in which the core holds a warp is used, or lost for exactly one cause. */
#include "rig.h"

static void run_counts(unsigned width, unsigned delays, uint64_t *used, hd_stats *stats)
{
	rig *r = rig_new(64);
	r->machine.machine_schedulers = 1;
	r->machine.predecode_issue_width = width;
	r->machine.predecode_buffer = 64; /* fetch is ahead, so that it costs no slot behind the first line */
	r->machine.predecode_prefetch = 8;
	rig_address(r);
	for (unsigned i = 0; i < 20; i++)
		rig_put(r, movi(8 + i % 4, (int32_t)i), delay(delays));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 8), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	*used = r->stats.run_slots_used;
	*stats = r->stats;
	rig_free(r);
}

TEST(slots_used_and_lost_add_up)
{
	for (unsigned width = 1; width <= 4; width *= 2) {
		uint64_t used;
		hd_stats stats;
		run_counts(width, 4, &used, &stats);
		assert_int_equal(used + rig_stalls(&stats), stats.run_issue_slots);
		assert_int_equal(stats.run_issue_slots % width, 0);
		assert_int_equal(used, stats.run_warp_instructions + 2); /* an instruction takes one slot; the two nops are not counted */
		assert_int_equal(stats.stall_other, 0);
	}
}

/* 20 instructions with a delay of 9 instead of 4 lose 5 cycles more each, all of them for the delay. */
TEST(cycles_that_are_skipped_have_their_cause)
{
	uint64_t used[2];
	hd_stats stats[2];
	run_counts(1, 4, &used[0], &stats[0]);
	run_counts(1, 9, &used[1], &stats[1]);
	assert_int_equal(used[0], used[1]);
	assert_int_equal(stats[1].run_issue_slots - stats[0].run_issue_slots, 100);
	assert_int_equal(stats[1].stall_delay - stats[0].stall_delay, 100);
}

/* Each cycle has one number of instructions sent. */
TEST(cycles_are_counted_by_instructions_sent)
{
	uint64_t used;
	hd_stats stats;
	run_counts(1, 4, &used, &stats);
	assert_int_equal(stats.multi_issue_sent_0 + stats.multi_issue_sent_1, stats.run_issue_slots);
	assert_int_equal(stats.multi_issue_sent_1, used);
	assert_int_equal(stats.multi_issue_sent_2 + stats.multi_issue_sent_3 + stats.multi_issue_sent_4_or_more, 0);
}

/* MI-14: what enters a pipe is counted for the pipe that runs the class, and its lanes for the class. */
TEST(pipes_are_counted_where_classes_run)
{
	for (unsigned apart = 0; apart < 2; apart++) {
		rig *r = rig_new(32);
		r->machine.pipe[HD_CLASS_FMA] = apart ? HD_PIPE_TEX : HD_PIPE_ALU;
		for (unsigned i = 0; i < 3; i++)
			rig_put(r, alu(HD_OP_FADD, 8 + i, HD_RZ, HD_RZ, HD_RZ), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.pipe_alu, apart ? 1 : 4);
		assert_int_equal(r->stats.pipe_tex, apart ? 3 : 0);
		assert_int_equal(r->stats.pipe_busy_tex, apart ? 3 : 0);
		assert_int_equal(r->stats.lanes_alu, HD_LANES);
		assert_int_equal(r->stats.lanes_fma, 3 * HD_LANES);
		rig_free(r);
	}
}

/* RC-24: instructions issued while all, some and none of the lanes were active. A branch sends half of the lanes over two instructions. They exit
 * behind it, and the others go on. Without MINRC the whole warp then steps over the two instructions of a jump. */
TEST(issues_are_counted_by_active_lanes)
{
	for (unsigned window = 1; window <= 4; window += 3) {
		for (unsigned minrc = 0; minrc < 2; minrc++) {
			rig *r = rig_new(4);
			r->machine.multi_issue_window = window;
			r->machine.divergence_minrc = minrc;
			rig_put(r, primary(sreg(5, HD_SREG_LANEID), 1), delay(1));
			rig_put(r, waits(primary(setpi(HD_CMP_LT, 0, 5, 16), 2), 1), delay(1));
			uint32_t at = rig_put(r, waits(guarded(branch(HD_OP_BRA, 0), 0, false), 2), delay(1));
			for (unsigned i = 0; i < 2; i++)
				rig_put(r, movi(6, 1), delay(1));
			rig_put(r, guarded(inst_(HD_OP_EXIT), 0, true), delay(1)); /* the lanes that have not branched */
			r->slots[at].inst.imm = rig_put(r, movi(7, 1), delay(1));
			uint32_t jump = rig_put(r, branch(HD_OP_BRA, 0), delay(1));
			for (unsigned i = 0; i < 2; i++)
				rig_put(r, movi(6, 1), delay(1));
			r->slots[jump].inst.imm = rig_here(r);
			rig_exit(r);
			assert_true(rig_run(r));
			const hd_stats *s = &r->stats;
			assert_int_equal(s->divergence_issued_some, 3);
			assert_int_equal(s->divergence_issued_none, minrc ? 0 : 2);
			assert_int_equal(s->divergence_issued_all, 6);
			assert_int_equal(s->run_issued, s->divergence_issued_all + s->divergence_issued_some + s->divergence_issued_none);
			rig_free(r);
		}
	}
}

/* RC-22: lane groups with an active lane. Lanes 1 to 5 and 30 execute two instructions that read one register and write one. */
TEST(lane_groups_are_counted_by_their_lanes)
{
	static const struct {
		uint32_t gated, groups; /* groups of the six lanes */
	} rows[] = {{0, 0}, {1, 1}, {2, 2}, {4, 2}, {8, 3}, {16, 4}, {32, 6}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_stats both[2];
		bool narrow = rows[i].gated == 8; /* a pipe that takes the lanes in eight cycles, too */
		for (unsigned partial = 0; partial < 2; partial++) {
			rig *r = rig_new(4);
			r->machine.lanes[HD_PIPE_ALU] = narrow ? 4 : 32;
			r->machine.energy_gated_groups = rows[i].gated;
			r->machine.last_use_path_a = r->machine.last_use_path_b = r->machine.last_use_compensation = 0;
			r->launch.block[0] = 32;
			rig_put(r, primary(sreg(5, HD_SREG_LANEID), 1), delay(15));
			rig_put(r, waits(movi(6, 0x4000003e), 1), delay(15));
			rig_put(r, alu(HD_OP_SHRU, 6, 6, 5, HD_RZ), delay(15));
			rig_put(r, alui(HD_OP_AND, 6, 6, 1), delay(15));
			rig_put(r, setpi(HD_CMP_NE, 0, 6, 0), delay(15));
			for (unsigned n = 0; n < 2 && partial; n++)
				rig_put(r, guarded(alui(HD_OP_IADD, 7 + n, 5, 1), 0, false), delay(15));
			rig_exit(r);
			assert_true(rig_run(r));
			both[partial] = r->stats;
			rig_free(r);
		}
		assert_int_equal(both[1].lane_groups_reads - both[0].lane_groups_reads, 2 * rows[i].groups);
		assert_int_equal(both[1].lane_groups_writes - both[0].lane_groups_writes, 2 * rows[i].groups);
		assert_int_equal(both[1].lane_groups_alu - both[0].lane_groups_alu, 2 * rows[i].groups);
		assert_int_equal(both[1].lane_groups_forwarded, 0);
		assert_int_equal(both[0].lane_groups_reads, rows[i].gated * both[0].register_file_reads);
		assert_int_equal(both[0].lane_groups_writes, rows[i].gated * both[0].register_file_writes);
		assert_int_equal(both[1].lanes_alu - both[0].lanes_alu, 2 * 6);
	}
}

static void look(void *context, uint64_t cycle, const hd_stats *stats) { *(uint64_t *)context = stats->lane_groups_alu; }

/* RC-22: to look at the counters in between changes nothing. */
TEST(groups_are_counted_once)
{
	uint64_t seen = 0;
	rig *r = rig_new(4);
	r->machine.energy_gated_groups = 4;
	r->options.sample_interval = 3;
	r->options.sample = look;
	r->options.sample_context = &seen;
	for (unsigned i = 0; i < 5; i++)
		rig_put(r, movi(6 + i, 1), delay(9));
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(seen, 5 * 4);
	assert_int_equal(r->stats.lane_groups_alu, 5 * 4);
	rig_free(r);
}

/* RC-22: a register that a path brings is not read from the file, for any group. The second instruction enters right behind the first. */
TEST(groups_of_forwarded_registers_count_apart)
{
	rig *r = rig_new(4);
	r->machine.energy_gated_groups = 4;
	rig_put(r, movi(6, 1), delay(4));
	rig_put(r, alui(HD_OP_IADD, 7, 6, 1), delay(9));
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.register_file_reads_forwarded, 1);
	assert_int_equal(r->stats.lane_groups_forwarded, 4);
	assert_int_equal(r->stats.lane_groups_reads, 4 * r->stats.register_file_reads);
	rig_free(r);
}

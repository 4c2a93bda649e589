/* Constant operands and the constant cache (PD-21): the decoder keeps an instruction back until its line is there, once for a line, however small the
 * cache is. A window of one loses the slots that single issue loses (MI-10). */
#include "rig.h"

enum { BYTES = 1024 };

/* Two warps store word 16 (the buffer's address) from a constant operand; annotations or the scoreboard keep the order. */
static rig *constant_rig(uint32_t bytes, uint32_t window, bool scoreboard)
{
	rig *r = rig_new(256);
	r->machine.memory_constant_bytes = bytes;
	r->machine.memory_constant_line = 32; /* the bank's words 16 and 17 are in one line, 0 to 7 in another */
	r->machine.multi_issue_window = window;
	r->machine.fence_mode = scoreboard ? HD_DEP_SCOREBOARD : HD_DEP_FENCE;
	r->launch.block[0] = 64;
	rig_address(r);
	rig_put(r, movc(5, 0), delay(15));
	rig_put(r, movc(6, 16), delay(15));
	rig_put(r, movc(7, 1), delay(15));
	rig_put(r, alu(HD_OP_IADD, 5, 5, 7, HD_RZ), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(15));
	rig_exit(r);
	return r;
}

TEST(a_line_is_waited_for_once_and_no_slot_is_left_out)
{
	for (uint32_t window = 1; window <= 4; window += 3) {
		for (unsigned scoreboard = 0; scoreboard < 2; scoreboard++) {
			rig *plain = constant_rig(0, window, scoreboard), *r = constant_rig(BYTES, window, scoreboard);
			assert_true(rig_run(plain) && rig_run(r));
			for (unsigned i = 0; i < 64; i++) {
				assert_int_equal(rig_out(plain, i), 64 + 1);
				assert_int_equal(rig_out(r, i), 64 + 1);
			}
			assert_int_equal(plain->stats.stall_constant, 0);
			assert_int_equal(plain->stats.memory_constant_misses, 0);
			/* Words 0 to 7 and 16, 17: two lines. Five constant operands, two warps. */
			assert_int_equal(r->stats.memory_constant_misses, 2);
			assert_int_equal(r->stats.memory_constant_hits, 10);
			assert_true(r->stats.stall_constant > 2 * r->machine.memory_l2_latency);
			assert_true(r->stats.run_cycles > plain->stats.run_cycles + 2 * r->machine.memory_l2_latency);
			assert_int_equal(rig_stalls(&r->stats) + r->stats.run_issued, r->stats.run_issue_slots);
			assert_int_equal(r->stats.stall_other, 0);
			rig_free(plain);
			rig_free(r);
		}
	}
}

TEST(skipping_idle_cycles_changes_nothing)
{
	rig *r = constant_rig(BYTES, 1, false), *every = constant_rig(BYTES, 1, false);
	every->options.tick_every_cycle = true;
	assert_true(rig_run(r) && rig_run(every));
	assert_memory_equal(&r->stats, &every->stats, sizeof r->stats);
	rig_free(r);
	rig_free(every);
}

/* PD-37: with fetch.l15_constants the cores of a cluster share lines of constants in their L1.5, which also holds the lines of instructions; the
 * cores of two clusters share none. */
TEST(cores_of_a_cluster_share_constants)
{
	uint64_t cycles[2];
	for (unsigned clusters = 1; clusters <= 2; clusters++) {
		rig *r = constant_rig(BYTES, 1, false);
		r->machine.fetch_l15_constants = true;
		r->machine.machine_clusters = clusters;
		r->machine.machine_cores = 2 / clusters;
		r->launch.grid[0] = 2;
		assert_true(rig_run(r));
		assert_int_equal(rig_out(r, 63), 64 + 1);
		assert_int_equal(r->stats.memory_constant_misses, 4);
		assert_int_equal(r->stats.memory_constant_l15, 4);
		assert_int_equal(r->stats.memory_constant_l15_misses, 2 * clusters); /* bytes 0 to 63, and 64 to 127 */
		assert_int_equal(r->stats.predecode_l15_misses % clusters, 0);
		cycles[clusters - 1] = r->stats.run_cycles;
		rig_free(r);
	}
	assert_true(cycles[0] <= cycles[1]);
	rig *without = constant_rig(0, 1, false), *off = constant_rig(BYTES, 1, false);
	without->machine.fetch_l15_constants = true; /* no constant cache: nothing is requested */
	assert_true(rig_run(without) && rig_run(off));
	assert_int_equal(without->stats.memory_constant_l15 + off->stats.memory_constant_l15, 0);
	rig_free(without);
	rig_free(off);
}

/* Words 0 and 17 share the one place of a direct-mapped cache of two lines. Warps 0 and 1 ask for one of them each, `skew` delays apart. */
static rig *rig_of_two_lines(unsigned skew)
{
	rig *r = rig_new(64);
	r->machine.memory_constant_bytes = 64;
	r->machine.memory_constant_line = 32;
	r->machine.memory_constant_ways = 1;
	r->launch.block[0] = 64;
	r->options.max_cycles = 100000;
	rig_address(r);
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 32), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	uint32_t over = rig_put(r, guarded(branch(HD_OP_BRA, 0), 1, 0), delay(1));
	for (unsigned i = 0; i < skew; i++)
		rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, movc(5, 17), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(15));
	rig_exit(r);
	r->slots[over].inst.imm = (int32_t)rig_here(r);
	rig_put(r, movc(5, 0), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(15));
	rig_exit(r);
	return r;
}

/* Once, each warp drove out the other's line while it was on its way, and both asked again for ever. */
TEST(warps_that_drive_out_each_others_line_go_on)
{
	for (unsigned skew = 0; skew < 16; skew++) {
		for (uint32_t window = 0; window <= 4; window += 2) {
			rig *r = rig_of_two_lines(skew);
			r->machine.multi_issue_window = window ? window : 1;
			assert_true(rig_run(r));
			assert_int_equal(rig_out(r, 0), 64);
			assert_int_equal(rig_out(r, 32), r->out >> 32);
			/* A miss is waited for once: twice for the address, once for each of the two words. */
			assert_in_range(r->stats.memory_constant_misses, 1, 6);
			rig_free(r);
		}
	}
}

/* Two candidates of one warp drive out each other's line in a cache of one line. */
TEST(candidates_that_drive_out_each_others_line_go_on)
{
	rig *r = rig_new(32);
	r->machine.memory_constant_bytes = r->machine.memory_constant_line = 32;
	r->machine.memory_constant_ways = 1;
	r->machine.multi_issue_window = 4;
	r->options.max_cycles = 100000;
	rig_address(r);
	rig_put(r, movc(5, 0), delay(15));
	hd_inst other = alu(HD_OP_IMUL, 6, 16, 5, HD_RZ); /* in another pipe */
	other.ksel = 1;
	rig_put(r, movc(7, 0), delay(1));
	rig_put(r, other, delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 7), delay(15));
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(rig_out(r, 0), r->launch.block[0]);
	rig_free(r);
}

/* Warps whose constants come late beside warps that fill and empty the queues. Once, each change of a queue let the window check its late operand
 * again, for a slot each time. */
TEST(a_window_of_one_loses_the_slots_of_single_issue)
{
	for (unsigned scoreboard = 0; scoreboard < 2; scoreboard++) {
		hd_stats single;
		for (unsigned window = 0; window < 2; window++) {
			rig *r = constant_rig(64, 1, scoreboard);
			r->machine.memory_constant_ways = 1;
			r->machine.predecode_default_delay = 1;
			r->launch.block[0] = 256;
			r->options.window_of_one = window;
			for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
				r->machine.queue[pipe] = (hd_queue_sizes){1, 1};
			assert_true(rig_run(r));
			if (window)
				assert_memory_equal(&r->stats, &single, sizeof single);
			single = r->stats;
			rig_free(r);
		}
	}
}

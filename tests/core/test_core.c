/* The whole timed machine on programs whose annotations are written by hand. The rule that values flow through the pipeline: the right
 * annotation gives the right result, one that is missing or a cycle short a wrong one. */
#include "rig.h"

/* r5 = 1; r5 = 7 issued; r6 = r5 + 100 issued `distance` cycles later; out[tid] = r6. */
static uint32_t forwarding_distance(unsigned distance)
{
	rig *r = rig_new(32);
	rig_address(r);
	rig_put(r, movi(5, 1), delay(15));
	rig_put(r, movi(5, 7), delay(distance));
	rig_put(r, alui(HD_OP_IADD, 6, 5, 100), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 6), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	uint32_t value = rig_out(r, 31);
	rig_free(r);
	return value;
}

/* PD-5, PD-18, docs/timing.md: RAW in one pipe needs an issue distance of the producer's latency, 4 for alu. */
TEST(a_delay_one_too_short_reads_the_old_value)
{
	for (unsigned distance = 1; distance < 4; distance++)
		assert_int_equal(forwarding_distance(distance), 101);
	for (unsigned distance = 4; distance < 16; distance++)
		assert_int_equal(forwarding_distance(distance), 107);
}

/* PD-6: the same with `wait` on the consumer. The consumer became next the cycle after the producer issued. */
TEST(a_wait_holds_the_instruction_itself_back)
{
	for (unsigned wait = 0; wait < 6; wait++) {
		rig *r = rig_new(32);
		rig_address(r);
		rig_put(r, movi(5, 1), delay(15));
		rig_put(r, movi(5, 7), 0);
		rig_put(r, alui(HD_OP_IADD, 6, 5, 100), hold_back(wait));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, store(HD_OP_STG, 2, 0, 6), 0);
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(rig_out(r, 0), wait + 1 >= 4 ? 107 : 101);
		rig_free(r);
	}
}

/* A load and its use: HZ-9, HZ-21 with a high-latency counter. Without the mark the use sees what was in the register. */
static void load_use(bool marked, unsigned counter)
{
	rig *r = rig_new(32);
	((uint32_t *)hd_memory_at(r->memory, r->out, 128))[5] = 42;
	rig_address(r);
	hd_inst ld = load(HD_OP_LDG, 7, 2, 0), use = alui(HD_OP_IADD, 8, 7, 1);
	rig_put(r, marked ? primary(ld, counter) : ld, 0);
	rig_put(r, primary(marked ? waits(use, counter) : use, 2), 0);
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 8), 2), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(rig_out(r, 5), marked ? 43 : 1);
	assert_int_equal(rig_out(r, 6), 1);
	assert_int_equal(r->stats.fence_descheduled, marked && counter > 4 ? 1 : 0);
	rig_free(r);
}

TEST(a_missing_fence_counter_gives_a_wrong_result)
{
	load_use(true, 5);
	load_use(true, 6);
	load_use(true, 1); /* a low-latency counter: the use waits in its queue instead */
	load_use(false, 1);
}

/* WAR between pipes: a store whose data register is overwritten while it waits in its queue (HZ-4, HZ-9: released by read). */
static void war(bool marked)
{
	rig *r = rig_new(32);
	rig_address(r);
	rig_put(r, movi(5, 7), delay(15));
	rig_put(r, primary(sreg(9, HD_SREG_LANEID), 1), 0); /* keeps the store in its queue for a while */
	hd_inst st = waits(store(HD_OP_STG, 2, 0, 5), 1), over = movi(5, 99);
	rig_put(r, marked ? by_read(primary(st, 2)) : st, 0);
	rig_put(r, marked ? waits(over, 2) : over, 0);
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(rig_out(r, 3), marked ? 7 : 99);
	rig_free(r);
}

TEST(a_war_hazard_between_pipes_needs_a_counter)
{
	war(true);
	war(false);
}

/* WAW: a slow instruction must not overwrite a younger quick one. */
static void waw(bool marked)
{
	rig *r = rig_new(32);
	rig_address(r);
	hd_inst slow = alu(HD_OP_FEX2, 5, HD_RZ, HD_RZ, HD_RZ), quick = movi(5, 3);
	rig_put(r, marked ? primary(slow, 1) : slow, 0);
	rig_put(r, marked ? waits(quick, 1) : quick, delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(rig_out(r, 3), marked ? 3 : 0x3f800000);
	rig_free(r);
}

TEST(a_waw_hazard_between_pipes_needs_a_counter)
{
	waw(true);
	waw(false);
}

/* The guard is read at entry, too. HZ-16: lanes whose guard fails keep their value; an instruction without a lane is dropped and
 * its counter lowered in full. */
TEST(guards_are_read_at_entry_and_drop)
{
	rig *r = rig_new(32);
	rig_address(r);
	rig_put(r, movi(5, 1), delay(15));
	rig_put(r, setpi(HD_CMP_LT, 0, 0, 10), delay(15));
	rig_put(r, guarded(primary(movi(5, 2), 1), 0, 0), delay(15)); /* lanes 0..9: groups 0 and 1 whole, 2 in part */
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 0), delay(15));
	rig_put(r, guarded(primary(movi(5, 3), 1), 1, 0), 0); /* nobody */
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned lane = 0; lane < 32; lane++)
		assert_int_equal(rig_out(r, lane), lane < 10 ? 2 : 1);
	assert_int_equal(r->stats.run_dropped, 1);
	rig_free(r);
}

/* RC-3, RC-4 in time: a loop whose trip count differs between lanes, and a branch over a block. */
static rig *divergent(uint32_t warps)
{
	rig *r = rig_new(32 * warps);
	r->launch.block[0] = 32 * warps;
	rig_address(r);
	rig_put(r, movi(5, 0), delay(4));
	rig_put(r, alui(HD_OP_AND, 6, 0, 7), delay(5)); /* trips - 1 */
	uint32_t loop = rig_put(r, alui(HD_OP_IADD, 5, 5, 3), delay(1));
	rig_put(r, alui(HD_OP_IADD, 6, 6, -1), delay(4));
	rig_put(r, primary(setpi(HD_CMP_GE, 0, 6, 0), 1), 0);
	rig_put(r, waits(guarded(branch(HD_OP_BRA, loop), 0, 0), 1), 0);
	rig_put(r, primary(setpi(HD_CMP_LT, 1, 0, 16), 1), 0);
	uint32_t skip = rig_put(r, waits(guarded(branch(HD_OP_BRA, 0), 1, 0), 1), 0);
	rig_put(r, alui(HD_OP_IADD, 5, 5, 1000), delay(4));
	r->slots[skip].inst.imm = (int32_t)rig_here(r);
	rig_put(r, primary(alui(HD_OP_IADD, 5, 5, 0), 1), 0);
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), 0);
	rig_exit(r);
	return r;
}

TEST(divergence_flows_through_the_pipeline)
{
	rig *r = divergent(4);
	assert_true(rig_run(r));
	for (unsigned t = 0; t < 128; t++)
		assert_int_equal(rig_out(r, t), ((t & 7) + 1) * 3 + (t < 16 ? 0 : 1000));
	assert_true(r->stats.divergence_divergent >= 7);
	assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
	assert_int_equal(r->stats.stall_other, 0);
	rig_free(r);
}

/* Skipping idle cycles changes nothing that is reported; two runs are equal. */
TEST(skipping_cycles_changes_no_statistics)
{
	hd_stats first = {0};
	for (int run = 0; run < 3; run++) {
		rig *r = divergent(8);
		r->launch.grid[0] = 5;
		r->machine.machine_cores = 3;
		r->options.tick_every_cycle = run == 2;
		assert_true(rig_run(r));
		assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
		if (!run)
			first = r->stats;
		for (size_t i = 0; i < sizeof first / 8; i++)
			if (((uint64_t *)&first)[i] != ((uint64_t *)&r->stats)[i])
				fail_msg("run %d: statistic %zu is %llu, was %llu", run, i, (unsigned long long)((uint64_t *)&r->stats)[i],
				         (unsigned long long)((uint64_t *)&first)[i]);
		rig_free(r);
	}
}

/* RC-17: warps 1 and 3 come to the barrier, end before it (and are not waited for), or wait at another one. */
TEST(a_barrier_that_cannot_complete_is_a_deadlock)
{
	enum { ALL, SOME_END, SOME_ELSEWHERE };
	for (int which = ALL; which <= SOME_ELSEWHERE; which++) {
		rig *r = rig_new(128);
		r->launch.block[0] = 128;
		rig_address(r);
		rig_put(r, primary(sreg(4, HD_SREG_WARPID), 1), 0);
		rig_put(r, waits(alui(HD_OP_AND, 4, 4, 1), 1), delay(4));
		rig_put(r, primary(setpi(HD_CMP_NE, 0, 4, 0), 1), 0);
		if (which == SOME_END)
			rig_put(r, waits(guarded(inst_(HD_OP_EXIT), 0, 0), 1), 0);
		if (which == SOME_ELSEWHERE)
			rig_put(r, waits(guarded(bar(4), 0, 0), 1), 0);
		rig_put(r, waits(bar(3), 1), 0);
		rig_put(r, store(HD_OP_STG, 2, 0, 0), 0);
		rig_exit(r);
		assert_int_equal(rig_run(r), which != SOME_ELSEWHERE);
		if (which == SOME_ELSEWHERE) {
			assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
			assert_non_null(r->trap.text);
			assert_non_null(strstr(r->trap.text, "barrier 3 of CTA (0,0,0): arrived 0 2; missing 1 3"));
			assert_non_null(strstr(r->trap.text, "barrier 4 of CTA (0,0,0): arrived 1 3; missing 0 2"));
		} else {
			assert_int_equal(rig_out(r, 64), 64);
			assert_int_equal(rig_out(r, 127), which == ALL ? 127 : 0);
		}
		rig_free(r);
	}
}

/* A CTA that cannot go on is found while another one runs: the second loops until the run is stopped. */
TEST(a_deadlock_beside_a_loop)
{
	rig *r = rig_new(128);
	r->launch.grid[0] = 2;
	r->options.max_cycles = 20000;
	rig_put(r, primary(sreg(4, HD_SREG_CTAIDX), 1), 0);
	rig_put(r, primary(waits(setpi(HD_CMP_NE, 0, 4, 0), 1), 2), delay(15));
	hd_inst some = bar(3);
	some.b = 7;
	rig_put(r, primary(movi(7, 64), 1), delay(15)); /* two warps, and the CTA has one */
	uint32_t loop = rig_here(r);
	rig_put(r, waits(guarded(branch(HD_OP_BRA, loop), 0, 0), 2), 0);
	rig_put(r, waits(some, 1), 0);
	rig_exit(r);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	rig_free(r);
}

/* RC-17: the even warps wait at the barrier until the odd ones, which do not come, have ended. */
TEST(the_end_of_a_warp_completes_a_barrier)
{
	rig *r = rig_new(128);
	r->launch.block[0] = 128;
	rig_address(r);
	rig_put(r, primary(sreg(4, HD_SREG_WARPID), 1), 0);
	rig_put(r, waits(alui(HD_OP_AND, 4, 4, 1), 1), delay(4));
	rig_put(r, primary(setpi(HD_CMP_NE, 0, 4, 0), 1), 0);
	rig_put(r, waits(guarded(bar(3), 0, 1), 1), 0);
	for (unsigned i = 0; i < 16; i++)
		rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 0), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned thread = 0; thread < 128; thread++)
		assert_int_equal(rig_out(r, thread), thread);
	rig_free(r);
}

/* RC-17: a number of threads makes warps, rounded up: 97 threads are four warps. */
TEST(a_barrier_for_some_threads)
{
	rig *r = rig_new(128);
	hd_inst some = bar(3);
	some.b = 7;
	r->launch.block[0] = 128;
	rig_address(r);
	rig_put(r, primary(movi(7, 97), 1), delay(15));
	r->slots[rig_put(r, waits(some, 1), 0)].words[1] = 1;
	rig_put(r, store(HD_OP_STG, 2, 0, 0), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(rig_out(r, 127), 127);
	rig_free(r);
}

/* Shared memory begins with zeros in every CTA, also where another one was before. */
TEST(shared_memory_begins_with_zeros)
{
	rig *r = rig_new(64);
	r->launch.grid[0] = 2;
	r->machine.machine_max_ctas = 1;
	r->kernel.shared_bytes = 128;
	rig_address(r);
	rig_put(r, primary(load(HD_OP_LDS, 5, HD_RZ, 0), 1), delay(1));
	rig_put(r, primary(movi(6, 7), 2), delay(1));
	rig_put(r, waits(store(HD_OP_STS, HD_RZ, 0, 6), 2), delay(1));
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned thread = 0; thread < 64; thread++)
		assert_int_equal(rig_out(r, thread), 0);
	rig_free(r);
}

/* A predicate under a guard keeps its old value in the other lanes. */
TEST(a_guarded_predicate_keeps_the_other_lanes)
{
	rig *r = rig_new(32);
	rig_address(r);
	rig_put(r, sreg(0, HD_SREG_LANEID), delay(15));
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 32), delay(15));
	rig_put(r, setpi(HD_CMP_LT, 2, 0, 16), delay(15));
	rig_put(r, guarded(setpi(HD_CMP_LT, 1, 0, 0), 2, 0), delay(15));
	rig_put(r, movi(5, 1), delay(15));
	rig_put(r, guarded(movi(5, 2), 1, 0), delay(15));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned lane = 0; lane < 32; lane++)
		assert_int_equal(rig_out(r, lane), lane < 16 ? 1 : 2);
	rig_free(r);
}

/* A trap under a guard that holds in no lane is none. */
TEST(nobody_takes_part_in_a_trap)
{
	rig *r = rig_new(32);
	rig_put(r, guarded(inst_(HD_OP_TRAP), HD_PT, 1), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	rig_free(r);
}

/* HZ-17: a secondary that is a primary itself leaves its queue as any other. */
TEST(a_primary_that_waits_lowers_its_wait_counter)
{
	rig *r = rig_new(32);
	r->machine.fence_wait_counters = 1;
	rig_address(r);
	rig_put(r, primary(sreg(5, HD_SREG_LANEID), 1), 0);
	rig_put(r, primary(waits(alui(HD_OP_IADD, 6, 5, 1), 1), 2), 0);
	rig_put(r, primary(movi(8, 1), 1), delay(15));
	rig_put(r, waits(waits(store(HD_OP_STG, 2, 0, 6), 1), 2), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(rig_out(r, 9), 10);
	rig_free(r);
}

/* HZ-17 to HZ-19: a later primary raises a counter before the earlier secondary has seen it at zero. */
TEST(wait_counters_prevent_the_deadlock)
{
	for (int on = 0; on < 2; on++) {
		rig *r = rig_new(32);
		r->machine.fence_wait_counters = (uint32_t)on;
		rig_address(r);
		/* The use waits in the alu queue, first for the slow counter 2 (so that it is still there), and for counter 1, which the later
		 * primary, behind it in the same queue, raises again. */
		rig_put(r, primary(sreg(5, HD_SREG_LANEID), 1), 0);
		rig_put(r, primary(alu(HD_OP_FEX2, 6, HD_RZ, HD_RZ, HD_RZ), 2), 0);
		rig_put(r, waits(waits(alu(HD_OP_IADD, 7, 5, 6, HD_RZ), 1), 2), 0);
		rig_put(r, primary(movi(8, 1), 1), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 8), 1), 0);
		rig_exit(r);
		assert_int_equal(rig_run(r), on);
		if (on) {
			assert_int_equal(rig_out(r, 9), 1);
			assert_true(r->stats.stall_wait_counter > 0);
		} else {
			assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
			assert_non_null(strstr(r->trap.text, "hazard queue"));
			assert_non_null(strstr(r->trap.text, "waits for counter 1"));
			assert_non_null(strstr(r->trap.text, "will release counter 1"));
		}
		rig_free(r);
	}
}

/* HZ-8, HZ-18: more primaries than a counter can count. Its next primary waits in the decoder, in single issue, as the second of a pair, and in a
 * window, and nothing else changes. */
TEST(a_full_counter_holds_primaries_back)
{
	enum { PRIMARIES = 40, LATENCY = 20000 };
	static const struct {
		uint32_t window, width;
	} ways[] = {{1, 1}, {1, 2}, {4, 1}, {4, 2}};
	for (unsigned w = 0; w < HD_COUNT(ways); w++) {
		for (uint32_t bits = 12; bits >= 4; bits--) {
			rig *r = rig_new(32);
			r->machine.fence_bits = bits;
			r->machine.multi_issue_window = ways[w].window;
			r->machine.predecode_issue_width = ways[w].width;
			r->machine.latency[HD_CLASS_CVT].latency = LATENCY; /* all of them are outstanding at a time */
			rig_address(r);
			rig_put(r, movi(6, 3), delay(15));
			for (unsigned i = 0; i < PRIMARIES; i++) {
				/* The first of each pair goes to another pipe. */
				rig_put(r, alu(HD_OP_IADD, 8, 6, 6, HD_RZ), (uint8_t)(1 | HD_HINT_PAIR << 4));
				rig_put(r, primary(alu(HD_OP_F2F, 10 + i % 20, HD_RZ, HD_RZ, HD_RZ), 2), delay(1));
			}
			rig_put(r, primary(waits(movi(7, 5), 2), 3), delay(15));
			rig_put(r, waits(store(HD_OP_STG, 2, 0, 7), 3), 0);
			rig_exit(r);
			assert_true(rig_run(r));
			assert_int_equal(rig_out(r, 31), 5);
			assert_int_equal(r->stats.stall_other, 0);
			/* They go in groups of as many as the counter can count, one latency after the other; fetch takes 3000 cycles. */
			uint32_t at_once = ((1u << bits) - 1) / HD_GROUPS, rounds = (PRIMARIES + at_once - 1) / at_once;
			assert_in_range(r->stats.run_cycles, rounds * LATENCY, rounds * LATENCY + 5000);
			assert_int_equal(r->stats.stall_counter_full > 0, rounds > 1);
			rig_free(r);
		}
	}
}

/* Traps name the place; a CTA that can never fit is refused (PD-20). */
TEST(traps_name_the_place)
{
	rig *r = rig_new(64);
	r->launch.block[0] = 8;
	r->launch.block[1] = 8;
	rig_address(r);
	uint32_t at = rig_put(r, store(HD_OP_STG, 2, 248, 0), 0);
	rig_exit(r);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_ADDRESS);
	assert_int_equal(r->trap.pc, at);
	assert_int_equal(r->trap.store, 1);
	assert_int_equal(r->trap.address, r->out + 256);
	assert_int_equal(r->trap.thread[0], 2);
	assert_int_equal(r->trap.thread[1], 0);
	r->kernel.registers = 2000;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_RESOURCES);
	assert_non_null(strstr(r->trap.text, "registers"));
	rig_free(r);

	r = rig_new(1);
	rig_put(r, inst_(HD_OP_NOP), 0); /* runs off the end of the code */
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_PC);
	rig_free(r);

	r = rig_new(1);
	uint32_t loop = rig_put(r, inst_(HD_OP_NOP), 0);
	rig_put(r, branch(HD_OP_BRA, loop), 0);
	r->options.max_cycles = 5000;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_CYCLES);
	assert_int_equal(r->trap.cycle, 5000);
	assert_int_equal(r->stats.run_cycles, 5000);
	assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
	rig_free(r);
}

/* Rule 2 of docs/timing.md: a branch that had to wait does not pass its wait on to the branches after it. */
TEST(a_late_branch_does_not_delay_the_next)
{
	uint64_t cycles[2];
	for (unsigned late = 0; late < 2; late++) {
		rig *r = rig_new(32);
		r->machine.latency[HD_CLASS_SFU].latency = 40;
		r->machine.fence_high_latency = 0; /* the wait is the queue's */
		rig_put(r, primary(alu(HD_OP_FEX2, 8, 9, HD_RZ, HD_RZ), 1), 0);
		for (unsigned i = 0; i < 8; i++) {
			uint32_t next = rig_here(r) + 1;
			hd_inst inst = branch(HD_OP_BRA, next % HD_LINE_WORDS ? next : next + 1);
			rig_put(r, i == 0 && late ? waits(inst, 1) : inst, 0);
		}
		rig_exit(r);
		assert_true(rig_run(r));
		cycles[late] = r->stats.run_cycles;
		rig_free(r);
	}
	assert_true(cycles[1] > cycles[0]);
	assert_true(cycles[1] - cycles[0] < 45);
}

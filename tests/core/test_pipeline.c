/* Cycles, to the cycle: `s2r clock` reads the cycle of its own entry. docs/timing.md, rules 1 to 5; HZ-9; memory instructions. */
#include "stage_rig.h"

/* Between two clock reads, r10 and r11, stands what the test puts there; the second waits for counter 1. Returns r11 - r10. */
static uint32_t between(rig *r, const hd_inst *insts, const uint8_t *hints, unsigned n)
{
	rig_put(r, inst_(HD_OP_NOP), 0);
	while (rig_here(r) % HD_LINE_WORDS != 1) /* all in one line: fetch has no part in it */
		rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, sreg(10, HD_SREG_CLOCK), delay(1));
	for (unsigned i = 0; i < n; i++)
		rig_put(r, insts[i], hints ? hints[i] : delay(1));
	rig_put(r, primary(waits(sreg(11, HD_SREG_CLOCK), 1), 2), 0);
	rig_put(r, waits(alu(HD_OP_ISUB, 12, 11, 10, HD_RZ), 2), delay(4));
	rig_put(r, primary(alu(HD_OP_MOV, 12, 12, HD_RZ, HD_RZ), 2), 0); /* a hazard that rule 2 and nothing else covers */
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 12), 2), 0);
	rig_exit(r);
	if (!rig_run(r))
		fail_msg("trap %d: %s", r->trap.kind, r->trap.text ? r->trap.text : "");
	uint32_t cycles = rig_out(r, 0);
	assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
	rig_free(r);
	return cycles;
}

static rig *with_address(void)
{
	rig *r = rig_new(64);
	r->machine.latency[HD_CLASS_COORD].interval = 1; /* clocks are read one after the other */
	rig_address(r);
	return r;
}

/* Rule 3: a counter released by the write in cycle w lets a secondary enter in cycle w, and it sees the new value (test_core). */
TEST(release_by_write_comes_with_the_write)
{
	static const struct {
		hd_op op;
		hd_class klass;
	} rows[] = {
	    {HD_OP_IADD, HD_CLASS_ALU}, {HD_OP_FADD, HD_CLASS_FMA}, {HD_OP_IMUL, HD_CLASS_MUL}, {HD_OP_IADD64, HD_CLASS_ALU64},
	    {HD_OP_FEX2, HD_CLASS_SFU}, {HD_OP_DADD, HD_CLASS_F64}, {HD_OP_FTZ, HD_CLASS_ALU},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		rig *r = with_address();
		uint32_t latency = r->machine.latency[rows[i].klass].latency;
		hd_inst inst = primary(alu(rows[i].op, 14, HD_RZ, HD_RZ, HD_RZ), 1);
		assert_int_equal(between(r, &inst, NULL, 1), 1 + latency);
	}
}

/* HZ-9: a release by read comes at entry and holds up nobody behind; HZ-16: so does a drop. */
TEST(release_by_read_comes_at_entry)
{
	rig *r = with_address();
	hd_inst inst = by_read(primary(alu(HD_OP_DADD, 14, HD_RZ, HD_RZ, HD_RZ), 1));
	assert_int_equal(between(r, &inst, NULL, 1), 2);
	r = with_address();
	inst = guarded(primary(alu(HD_OP_DADD, 14, HD_RZ, HD_RZ, HD_RZ), 1), 0, 0);
	assert_int_equal(between(r, &inst, NULL, 1), 2);
}

/* HZ-36: a counter that falls to zero is seen in the next cycle in which its status is published: each N-th one, or the one after a request. `fall`:
 * cycles from the clock read before the primary to the cycle in which a secondary could enter otherwise. */
static void seen_in_the_next_publication(hd_inst raises, uint32_t fall)
{
	for (uint32_t period = 0; period < 12; period++) {
		rig *r = with_address();
		r->machine.fence_status_period = period;
		for (uint32_t i = 0; i < period + 1; i++) /* another phase each time */
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		while (rig_here(r) % HD_LINE_WORDS != 1)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, sreg(10, HD_SREG_CLOCK), delay(1));
		rig_put(r, raises, delay(1));
		rig_put(r, primary(waits(sreg(11, HD_SREG_CLOCK), 1), 2), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 11), 2), delay(15));
		rig_put(r, store(HD_OP_STG, 2, 4, 10), delay(15));
		rig_exit(r);
		assert_true(rig_run(r));
		uint32_t earliest = rig_out(r, 1) + fall, seen = rig_out(r, 0);
		assert_int_equal(seen, period ? (earliest + period - 1) / period * period : earliest + 1);
		assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
		hd_stats skipped = r->stats;
		r->options.tick_every_cycle = true;
		assert_true(rig_run(r));
		assert_memory_equal(&skipped, &r->stats, sizeof skipped);
		rig_free(r);
	}
}

TEST(a_status_is_published_in_its_period)
{
	hd_machine machine;
	hd_machine_default(&machine);
	seen_in_the_next_publication(primary(alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ), 1), 1 + machine.latency[HD_CLASS_SFU].latency);
	seen_in_the_next_publication(by_read(primary(alu(HD_OP_DADD, 14, HD_RZ, HD_RZ, HD_RZ), 1)), 2);
}

/* HZ-36, HZ-18: so is the status of wait counters. A secondary leaves its queue in a cycle of publication; the decoder, which holds back the next
 * primary of its counter, hears of it in the next one. A request is made a cycle after the fall, because queues work behind the publication. */
TEST(the_status_of_wait_counters_is_published_in_its_period)
{
	uint32_t at_once = 0;
	for (uint32_t period = 1; period < 13; period++) {
		rig *r = with_address();
		r->machine.fence_status_period = period % 12;
		for (uint32_t i = 0; i < period; i++)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		while (rig_here(r) % HD_LINE_WORDS != 1)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, primary(alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ), 1), delay(1));
		rig_put(r, primary(waits(sreg(10, HD_SREG_CLOCK), 1), 2), delay(1));
		rig_put(r, primary(sreg(11, HD_SREG_CLOCK), 1), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 10), 2), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 4, 11), 1), delay(15));
		rig_exit(r);
		assert_true(rig_run(r));
		uint32_t late = rig_out(r, 1) - rig_out(r, 0);
		at_once = period == 1 ? late : at_once;
		assert_int_equal(late - at_once, period == 1 ? 0 : period == 12 ? 2 : period);
		hd_stats skipped = r->stats;
		r->options.tick_every_cycle = true;
		assert_true(rig_run(r));
		assert_memory_equal(&skipped, &r->stats, sizeof skipped);
		rig_free(r);
	}
}

/* HZ-30: without active logic an instruction without an active lane takes its pipe, and its counter falls as if lanes were active. */
TEST(without_active_logic_an_idle_instruction_takes_its_pipe)
{
	static const struct {
		hd_op op;
		hd_class klass;
		uint32_t memory; /* cycles that memory adds */
	} rows[] = {{HD_OP_DADD, HD_CLASS_F64, 0}, {HD_OP_FEX2, HD_CLASS_SFU, 0}, {HD_OP_BALLOT, HD_CLASS_COORD, 0}, {HD_OP_LDS, HD_CLASS_LSU, 1}};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		for (unsigned read = 0; read < 2; read++) {
			rig *r = with_address();
			r->machine.fence_active_logic = 0;
			r->machine.predecode_replay = (uint32_t)i % 2 * 8;
			uint32_t latency = r->machine.latency[rows[i].klass].latency;
			hd_inst idle = rows[i].memory ? load(rows[i].op, 14, HD_RZ, 0) : alu(rows[i].op, 14, HD_RZ, HD_RZ, HD_RZ);
			idle = guarded(primary(idle, 1), 0, 0); /* p0 is false */
			if (read)
				idle = by_read(idle);
			assert_int_equal(between(r, &idle, NULL, 1), read ? 2 : 1 + latency + rows[i].memory);
		}
	}
	/* Three of them are as far apart as their pipe needs. */
	rig *r = with_address();
	r->machine.fence_active_logic = 0;
	uint32_t interval = r->machine.latency[HD_CLASS_SFU].interval, latency = r->machine.latency[HD_CLASS_SFU].latency;
	hd_inst idle = guarded(alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ), 0, 0), insts[] = {idle, idle, primary(idle, 1)};
	assert_int_equal(between(r, insts, NULL, 3), 1 + 2 * interval + latency);
}

/* HZ-30: what active logic lowers is counted: all groups of a dropped primary, whatever releases it. */
TEST(groups_that_active_logic_lowers_are_counted)
{
	for (unsigned on = 0; on < 2; on++) {
		rig *r = rig_new(32);
		r->machine.fence_active_logic = on;
		rig_put(r, guarded(primary(movi(5, 1), 1), 0, 0), delay(1)); /* p0 is false */
		rig_put(r, guarded(by_read(primary(movi(6, 1), 2)), 0, 0), delay(1));
		rig_put(r, guarded(movi(7, 1), 0, 0), delay(1)); /* no primary */
		rig_put(r, by_read(primary(movi(8, 1), 3)), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.run_dropped, on ? 3 : 0);
		assert_int_equal(r->stats.fence_groups_lowered_early, on ? 2 * HD_GROUPS : 0);
		assert_int_equal(r->stats.run_warp_instructions, 2);
		rig_free(r);
	}
}

/* What enters without a lane is idle, whatever becomes of it: dropped, entering for nobody (HZ-30), or a flow instruction. */
TEST(entries_without_a_lane_are_counted)
{
	for (unsigned on = 0; on < 2; on++) {
		rig *r = rig_new(4);
		r->machine.fence_active_logic = on;
		uint32_t pcs[] = {rig_put(r, movi(5, 1), delay(1)), rig_put(r, branch(HD_OP_BRA, 1), delay(1))};
		stage_rig *t = stage_new(r);
		stage_start(t);
		t->s->warp[0].in_flight = 4;
		for (unsigned i = 0; i < 2; i++) {
			hd_pipeline_enter_reserved(t->core, 0, &(hd_sent){.pc = pcs[i]}, 10 + i);
			assert_int_equal(r->stats.divergence_idle, i + 1);
		}
		assert_int_equal(r->stats.run_dropped, on);
		assert_int_equal(r->stats.run_warp_instructions, 0);
		stage_free(t);
	}
}

/* Several primaries on one counter: the slowest decides (HZ-6). */
TEST(the_slowest_of_several_decides)
{
	rig *r = with_address();
	uint32_t latency = r->machine.latency[HD_CLASS_SFU].latency;
	hd_inst insts[] = {primary(alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ), 1), primary(movi(16, 1), 1)};
	assert_int_equal(between(r, insts, NULL, 2), 1 + latency);
}

/* Initiation intervals: entries of one pipe stand as far apart as the class of the earlier one says. */
TEST(intervals_space_entries)
{
	rig *r = with_address();
	uint32_t interval = r->machine.latency[HD_CLASS_SFU].interval, latency = r->machine.latency[HD_CLASS_SFU].latency;
	hd_inst insts[] = {alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ), alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ),
	                   primary(alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ), 1)};
	assert_int_equal(between(r, insts, NULL, 3), 1 + 2 * interval + latency);
}

/* Rule 2: a distance of 5 at issue is kept behind a hazard. */
TEST(distances_survive_the_queue)
{
	rig *r = with_address();
	uint32_t latency = r->machine.latency[HD_CLASS_SFU].latency, alu_latency = r->machine.latency[HD_CLASS_ALU].latency;
	hd_inst insts[] = {primary(alu(HD_OP_FEX2, 14, HD_RZ, HD_RZ, HD_RZ), 2), waits(movi(15, 1), 2), primary(movi(16, 1), 1)};
	uint8_t hints[] = {delay(1), delay(5), delay(1)};
	/* fex2 enters at 1, writes at 1 + latency: there the first movi enters, the second 5 later, and writes 4 after that. */
	assert_int_equal(between(r, insts, hints, 3), 1 + latency + 5 + alu_latency);
}

/* Rule 5: what follows a flow instruction issues when it is decided; a branch that is not taken costs no fetch. */
TEST(flow_is_decided_at_the_end_of_its_pipe)
{
	rig *r = with_address();
	uint32_t latency = r->machine.latency[HD_CLASS_FLOW].latency;
	hd_inst inst = guarded(branch(HD_OP_BRA, 1), 0, 0); /* p0 is false */
	/* Issued at 1, enters at 2 (as the clock read at 0 entered at 1), decided at 2 + latency, where the next issues; enters one later. */
	assert_int_equal(between(r, &inst, NULL, 1), 2 + latency);
}

/* LU-3, LU-5: a reader under a guard reads for its lanes alone. Its flag, wrong as it is for the value, drops nothing that other lanes have. */
TEST(a_guarded_reader_reads_for_its_lanes)
{
	for (unsigned narrow = 0; narrow < 2; narrow++) {
		rig *r = rig_new(32);
		if (narrow)
			r->machine.lanes[HD_PIPE_ALU] = 8;
		rig_address(r);
		rig_put(r, sreg(9, HD_SREG_LANEID), delay(15));
		rig_put(r, setpi(HD_CMP_EQ, 0, 9, 3), delay(15));
		rig_put(r, movi(5, 77), delay(r->machine.latency[HD_CLASS_ALU].latency));
		hd_inst reader = guarded(alui(HD_OP_IADD, 6, 5, 1), 0, 0);
		reader.last_use = 1;
		rig_put(r, reader, delay(15));
		rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(15));
		rig_exit(r);
		assert_true(rig_run(r));
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(rig_out(r, lane), 77);
		rig_free(r);
	}
}

/* Shared memory without conflict: end of the pipe, then its latency. */
TEST(shared_memory_takes_its_time)
{
	rig *r = with_address();
	r->kernel.shared_bytes = 128;
	uint32_t expected = 1 + r->machine.latency[HD_CLASS_LSU].latency + r->machine.memory_shared_latency;
	hd_inst inst = primary(load(HD_OP_LDS, 14, HD_RZ, 0), 1);
	assert_int_equal(between(r, &inst, NULL, 1), expected);
}

/* Loads and stores of one warp to one address take effect in order of issue, without any counter (docs/timing.md, Memory). */
TEST(memory_operations_of_a_warp_are_performed_in_order)
{
	rig *r = rig_new(32);
	rig_address(r);
	rig_put(r, movi(5, 1), delay(4));
	rig_put(r, movi(6, 2), delay(4));
	rig_put(r, store(HD_OP_STG, 2, 0, 5), 0);
	rig_put(r, primary(load(HD_OP_LDG, 7, 2, 0), 5), 0);
	rig_put(r, store(HD_OP_STG, 2, 0, 6), 0);
	rig_put(r, primary(load(HD_OP_LDG, 8, 2, 0), 5), 0);
	rig_put(r, waits(alu(HD_OP_IMAD, 9, 7, 0, 8), 5), delay(15)); /* tid + 2 */
	rig_put(r, store(HD_OP_STG, 2, 0, 9), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned t = 0; t < 32; t++)
		assert_int_equal(rig_out(r, t), t + 2);
	rig_free(r);
}

/* Shared memory and a barrier between four warps of several CTAs: out[t] = 127 - t. */
TEST(a_barrier_orders_shared_memory)
{
	for (int with = 0; with < 2; with++) {
		rig *r = rig_new(128);
		r->launch.block[0] = 128;
		r->launch.grid[0] = 3;
		r->kernel.shared_bytes = 512;
		rig_address(r);
		rig_put(r, setpi(HD_CMP_LT, 0, 0, 64), delay(15));
		uint32_t skip = rig_put(r, guarded(branch(HD_OP_BRA, 0), 0, 0), 0);
		for (int i = 0; i < 60; i++) /* half of the warps come late */
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		r->slots[skip].inst.imm = (int32_t)rig_here(r);
		rig_put(r, alui(HD_OP_SHL, 4, 0, 2), delay(15));
		rig_put(r, primary(store(HD_OP_STS, 4, 0, 0), 5), delay(1));
		if (with)
			rig_put(r, waits(bar(0), 5), 0);
		rig_put(r, movi(5, 508), delay(4));
		rig_put(r, alu(HD_OP_ISUB, 5, 5, 4, HD_RZ), delay(15));
		rig_put(r, primary(load(HD_OP_LDS, 6, 5, 0), 6), 0);
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 6), 6), 0);
		rig_exit(r);
		assert_true(rig_run(r));
		unsigned wrong = 0;
		for (unsigned t = 0; t < 128; t++)
			wrong += rig_out(r, t) != 127 - t;
		if (with)
			assert_int_equal(wrong, 0);
		else
			assert_true(wrong > 0);
		assert_int_equal(r->stats.stall_other, 0);
		rig_free(r);
	}
}

/* Atomics of all threads; local memory is each thread's own. */
TEST(atomics_and_local_memory)
{
	rig *r = rig_new(96);
	r->launch.block[0] = 96;
	r->launch.grid[0] = 7;
	r->machine.machine_cores = 3;
	r->kernel.local_bytes = 16;
	rig_address(r);
	rig_put(r, store(HD_OP_STL, HD_RZ, 8, 0), 0);
	rig_put(r, primary(load(HD_OP_LDL, 5, HD_RZ, 8), 5), 0);
	hd_inst atom = alu(HD_OP_ATOMG, HD_RZ, 2, 5, HD_RZ);
	atom.sub = HD_ATOM_ADD | HD_ATOM_U32 << 4;
	rig_put(r, waits(atom, 5), 0);
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned t = 0; t < 96; t++)
		assert_int_equal(rig_out(r, t), 7 * t);
	assert_int_equal(r->stats.run_ctas, 7);
	assert_int_equal(r->stats.run_warps, 21);
	rig_free(r);
}

/* Calls in time (RC-8, RC-11), and a return outside of a subroutine. */
TEST(calls_flow_through_the_pipeline)
{
	rig *r = rig_new(32);
	rig_address(r);
	rig_put(r, movi(5, 1), delay(4));
	rig_put(r, setpi(HD_CMP_LT, 0, 0, 12), delay(15));
	uint32_t call = rig_put(r, guarded(branch(HD_OP_CALL, 0), 0, 0), 0);
	rig_put(r, store(HD_OP_STG, 2, 0, 5), 0);
	rig_exit(r);
	r->slots[call].inst.imm = (int32_t)rig_here(r);
	rig_put(r, setpi(HD_CMP_LT, 1, 0, 6), delay(15));
	rig_put(r, alui(HD_OP_IADD, 5, 5, 10), delay(15));
	rig_put(r, guarded(inst_(HD_OP_RET), 1, 0), 0);
	rig_put(r, alui(HD_OP_IADD, 5, 5, 100), delay(15));
	uint32_t back = rig_put(r, inst_(HD_OP_RET), 0);
	assert_true(rig_run(r));
	for (unsigned t = 0; t < 32; t++)
		assert_int_equal(rig_out(r, t), t < 6 ? 11 : t < 12 ? 111 : 1);
	r->kernel.entry = back;
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_RETURN);
	assert_int_equal(r->trap.pc, back);
	rig_free(r);
}

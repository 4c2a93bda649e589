/* Narrow pipes: lane groups are read and written one after the other, and counters fall with them (HZ-7, HZ-9, HZ-16). */
#include "rig.h"

enum { LATENCY = 6 };

/* Cycles in which two instructions enter their pipes. */
typedef struct entries {
	hd_trace trace;
	uint32_t pc[2];
	uint64_t cycle[2];
} entries;

static void on_event(hd_trace *trace, const hd_trace_event *e)
{
	entries *seen = (entries *)trace;
	for (unsigned i = 0; i < 2; i++)
		if (e->kind == HD_TRACE_ENTER && e->pc == seen->pc[i])
			seen->cycle[i] = e->cycle;
}

/* One warp; r0 = number of the lane, r2:r3 the address of its word of out, and every pipe idle. `pipe` takes so many lanes. */
static rig *begin(hd_pipe pipe, uint32_t lanes)
{
	rig *r = rig_new(32);
	r->machine.lanes[pipe] = lanes;
	r->machine.fence_high_latency = 0;
	r->machine.machine_schedulers = 1;
	r->machine.predecode_prefetch = 8;
	r->machine.predecode_buffer = 64;
	r->machine.latency[HD_CLASS_CVT] = (hd_timing){LATENCY, 1};
	rig_address(r);
	for (unsigned i = 0; i < 12; i++)
		rig_put(r, inst_(HD_OP_NOP), delay(15));
	return r;
}

static uint64_t apart(rig *r, uint32_t first, uint32_t second)
{
	entries seen = {.trace = {.event = on_event}, .pc = {first, second}};
	r->options.trace = &seen.trace;
	assert_true(rig_run(r));
	assert_int_equal(r->stats.stall_other, 0);
	return seen.cycle[1] - seen.cycle[0];
}

/* p1 = the lane's group is `group`, or all lanes for 8. */
static void one_group(rig *r, unsigned group)
{
	rig_put(r, alui(HD_OP_SHRU, 6, 0, 2), delay(15));
	rig_put(r, setpi(group < HD_GROUPS ? HD_CMP_EQ : HD_CMP_LT, 1, 6, (int32_t)group), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
}

static hd_inst convert(unsigned d, unsigned a)
{
	hd_inst i = alu(HD_OP_I2I, d, a, HD_RZ, HD_RZ);
	return i;
}

/* A counter released by the write falls by a group when the group is written; groups without a lane fall at once (HZ-16). */
TEST(a_counter_falls_group_by_group)
{
	for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
		for (unsigned group = 0; group <= HD_GROUPS; group++) {
			rig *r = begin(HD_PIPE_CVT, lanes);
			one_group(r, group);
			uint32_t first = rig_put(r, guarded(primary(convert(5, 0), 1), 1, 0), delay(1));
			uint32_t second = rig_put(r, waits(movi(7, 1), 1), delay(15));
			rig_exit(r);
			unsigned pass = (group < HD_GROUPS ? group : HD_GROUPS - 1) * HD_GROUP_LANES / lanes;
			assert_int_equal(apart(r, first, second), LATENCY + pass);
			rig_free(r);
		}
	}
}

/* HZ-30: without active logic groups without a lane fall with the last group, and none falls early. */
TEST(without_active_logic_idle_groups_fall_last)
{
	for (unsigned on = 0; on < 2; on++) {
		for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
			for (unsigned group = 0; group <= HD_GROUPS; group++) {
				rig *r = begin(HD_PIPE_CVT, lanes);
				r->machine.fence_active_logic = on;
				one_group(r, group);
				uint32_t first = rig_put(r, guarded(primary(convert(5, 0), 1), 1, 0), delay(1));
				uint32_t second = rig_put(r, waits(movi(7, 1), 1), delay(15));
				rig_exit(r);
				unsigned pass = (group < HD_GROUPS ? group : HD_GROUPS - 1) * HD_GROUP_LANES / lanes;
				assert_int_equal(apart(r, first, second), LATENCY + (on ? pass : 32 / lanes - 1));
				assert_int_equal(r->stats.fence_groups_lowered_early, on && group < HD_GROUPS ? HD_GROUPS - 1 : 0);
				rig_free(r);
			}
		}
	}
}

/* HZ-31: a counter of instructions, lanes or larger groups falls in the same cycles, because a unit is done with its last lane. */
TEST(a_counter_of_other_units_falls_with_the_last_lane)
{
	static const struct {
		hd_fence_unit unit;
		uint32_t group_lanes;
	} units[] = {{HD_UNIT_INSTRUCTION, 4}, {HD_UNIT_LANE, 4}, {HD_UNIT_GROUP, 1}, {HD_UNIT_GROUP, 8}, {HD_UNIT_GROUP, 16}, {HD_UNIT_GROUP, 32}};
	for (unsigned i = 0; i < HD_COUNT(units); i++) {
		for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
			for (unsigned group = 0; group <= HD_GROUPS; group += 2) {
				for (unsigned read = 0; read < 2; read++) {
					rig *r = begin(HD_PIPE_CVT, lanes);
					r->machine.fence_unit = units[i].unit;
					r->machine.fence_group_lanes = units[i].group_lanes;
					one_group(r, group);
					hd_inst raises = guarded(primary(convert(5, 0), 1), 1, 0);
					uint32_t first = rig_put(r, read ? by_read(raises) : raises, delay(1));
					uint32_t second = rig_put(r, waits(movi(7, 1), 1), delay(15));
					rig_exit(r);
					unsigned pass = (group < HD_GROUPS ? group : HD_GROUPS - 1) * HD_GROUP_LANES / lanes;
					assert_int_equal(apart(r, first, second), read ? 32 / lanes : LATENCY + pass);
					rig_free(r);
				}
			}
		}
	}
}

/* Released by the read: the last group is read in the last cycle of the entry, whichever lanes take part. */
TEST(a_counter_falls_with_the_reads)
{
	for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
		for (unsigned group = 0; group <= HD_GROUPS; group += 4) {
			rig *r = begin(HD_PIPE_CVT, lanes);
			one_group(r, group);
			uint32_t first = rig_put(r, guarded(by_read(primary(convert(5, 0), 1)), 1, 0), delay(1));
			uint32_t second = rig_put(r, waits(movi(7, 1), 1), delay(15));
			rig_exit(r);
			assert_int_equal(apart(r, first, second), 32 / lanes);
			rig_free(r);
		}
	}
}

/* The next instruction enters when all groups of the one before have. */
TEST(the_entry_is_busy_for_all_passes)
{
	for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
		rig *r = begin(HD_PIPE_CVT, lanes);
		uint32_t first = rig_put(r, convert(5, 0), delay(1)), second = rig_put(r, convert(6, 0), delay(15));
		rig_exit(r);
		assert_int_equal(apart(r, first, second), 32 / lanes);
		rig_free(r);
	}
}

/* A register that another pipe writes while a narrow one reads it: the groups that are read before have the old value, the others the new one. */
TEST(each_group_is_read_in_its_own_cycle)
{
	unsigned mixed = 0;
	for (unsigned gap = 1; gap <= 12; gap++) {
		rig *r = begin(HD_PIPE_ALU, 4);
		rig_put(r, movi(4, 1000), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		uint32_t writer = rig_put(r, convert(4, 0), delay(gap)), reader = rig_put(r, primary(alui(HD_OP_IADD, 5, 4, 0), 1), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), delay(15));
		rig_exit(r);
		uint64_t begun = apart(r, writer, reader);
		unsigned old = 0;
		for (uint32_t lane = 0; lane < HD_LANES; lane++) {
			bool is_new = begun + lane / HD_GROUP_LANES >= LATENCY;
			assert_int_equal(rig_out(r, lane), is_new ? lane : 1000);
			old += !is_new;
		}
		mixed += old && old < HD_LANES;
		rig_free(r);
	}
	assert_true(mixed >= 3);
}

/* And each group is written in its own cycle: a reader in a pipe of full width that does not wait sees some of them. */
TEST(each_group_is_written_in_its_own_cycle)
{
	unsigned mixed = 0;
	for (unsigned gap = 1; gap <= 15; gap++) {
		rig *r = begin(HD_PIPE_CVT, 4);
		rig_put(r, movi(4, 1000), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		uint32_t writer = rig_put(r, convert(4, 0), delay(gap)), reader = rig_put(r, primary(alui(HD_OP_IADD, 5, 4, 0), 1), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), delay(15));
		rig_exit(r);
		uint64_t begun = apart(r, writer, reader);
		unsigned old = 0;
		for (uint32_t lane = 0; lane < HD_LANES; lane++) {
			bool is_new = begun >= LATENCY + lane / HD_GROUP_LANES;
			assert_int_equal(rig_out(r, lane), is_new ? lane : 1000);
			old += !is_new;
		}
		mixed += old && old < HD_LANES;
		rig_free(r);
	}
	assert_true(mixed >= 5);
}

/* Who reads other lanes has all of them in the last cycle of its entry: its result comes so much later, in all lanes (hd_machine_latency). */
TEST(operations_across_lanes_collect_their_operands)
{
	for (unsigned missing = 0; missing < 2; missing++) {
		rig *r = begin(HD_PIPE_COORD, 4);
		uint32_t latency = hd_machine_latency(&r->machine, HD_CLASS_COORD, true);
		assert_int_equal(latency, r->machine.latency[HD_CLASS_COORD].latency + 7);
		hd_inst shuffle = alu(HD_OP_SHFL, 5, 0, 6, 7);
		shuffle.mod = 3; /* idx */
		rig_put(r, alui(HD_OP_XOR, 6, 0, 31), delay(15));
		rig_put(r, movi(7, 31), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, shuffle, delay(latency - missing));
		shuffle.a = 5;
		shuffle.d = 8;
		rig_put(r, primary(shuffle, 1), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 8), 1), delay(15));
		rig_exit(r);
		assert_true(rig_run(r));
		unsigned right = 0;
		for (uint32_t lane = 0; lane < HD_LANES; lane++)
			right += rig_out(r, lane) == lane;
		assert_int_equal(right == HD_LANES, !missing);
		rig_free(r);
	}
}

/* A predicate, too, is read group by group: a vote counts the old one of the groups that were read before it was written. */
TEST(predicates_are_collected_group_by_group)
{
	unsigned mixed = 0;
	for (unsigned gap = 1; gap <= 6; gap++) {
		rig *r = begin(HD_PIPE_COORD, 4);
		r->machine.latency[HD_CLASS_ALU].latency = LATENCY;
		hd_inst ballot = alu(HD_OP_BALLOT, 5, 6, HD_RZ, HD_RZ);
		ballot.sub = 1;
		rig_put(r, movi(6, -1), delay(15));
		rig_put(r, setpi(HD_CMP_LT, 1, 0, 32), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		uint32_t writer = rig_put(r, setpi(HD_CMP_LT, 1, 0, 0), delay(gap)), reader = rig_put(r, primary(ballot, 1), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), delay(15));
		rig_exit(r);
		uint64_t begun = apart(r, writer, reader);
		uint32_t old = begun < LATENCY ? (UINT32_C(1) << (LATENCY - begun) * HD_GROUP_LANES) - 1 : 0;
		for (uint32_t lane = 0; lane < HD_LANES; lane++)
			assert_int_equal(rig_out(r, lane), old);
		mixed += old != 0;
		rig_free(r);
	}
	assert_true(mixed >= 3);
}

/* A store takes the groups' operands in their own cycles, too, and goes to memory with all of them. Statistics count registers once. */
TEST(accesses_collect_their_operands)
{
	uint64_t reads = 0, writes = 0;
	for (uint32_t lanes = 32; lanes >= 4; lanes /= 2) {
		rig *r = begin(HD_PIPE_LSU, lanes);
		for (unsigned pipe = 0; pipe < HD_PIPE_FLOW; pipe++)
			r->machine.lanes[pipe] = lanes;
		rig_put(r, primary(store(HD_OP_STG, 2, 0, 0), 1), delay(1));
		rig_put(r, primary(waits(load(HD_OP_LDG, 5, 2, 0), 1), 3), delay(1));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, primary(waits(alui(HD_OP_IADD, 5, 5, 100), 3), 2), delay(15));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 2), delay(15));
		rig_exit(r);
		assert_true(rig_run(r));
		for (uint32_t lane = 0; lane < HD_LANES; lane++)
			assert_int_equal(rig_out(r, lane), 100 + lane);
		if (lanes < 32) {
			assert_int_equal(r->stats.register_file_reads + r->stats.register_file_reads_forwarded, reads);
			assert_int_equal(r->stats.register_file_writes + r->stats.register_file_writes_skipped, writes);
		}
		reads = r->stats.register_file_reads + r->stats.register_file_reads_forwarded;
		writes = r->stats.register_file_writes + r->stats.register_file_writes_skipped;
		rig_free(r);
	}
}

/* A memory stage that is behind pushes back: with bank conflicts in 32 ways the pipe takes the next access when the stage has taken the one before.
 */
TEST(a_stage_that_is_behind_pushes_back)
{
	enum { LOADS = 12 };
	uint32_t at[LOADS];
	rig *r = begin(HD_PIPE_CVT, 32);
	r->kernel.shared_bytes = 4096;
	rig_put(r, alui(HD_OP_SHL, 6, 0, 7), delay(15));
	for (unsigned i = 0; i < LOADS; i++)
		at[i] = rig_put(r, load(HD_OP_LDS, 8 + i, 6, 0), delay(1));
	rig_exit(r);
	uint64_t cycles = apart(r, at[0], at[LOADS - 1]);
	assert_in_range(cycles, (LOADS - 5) * 32, LOADS * 32);
	rig_free(r);
}

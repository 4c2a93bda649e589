/* The baseline's scoreboard, alone and in the machine. */
#include "rig.h"

#include "core/issue/scoreboard.h"

static hd_scoreboard board;

static hd_footprint footprint(hd_inst inst)
{
	hd_footprint n;
	hd_footprint_of(&inst, &n);
	return n;
}
static bool ready(hd_inst inst)
{
	hd_footprint n = footprint(inst);
	return hd_scoreboard_ready(&board, 3, &n);
}
static void issue(hd_inst inst)
{
	hd_footprint n = footprint(inst);
	assert_true(hd_scoreboard_ready(&board, 3, &n));
	hd_scoreboard_issue(&board, 3, &n);
}
static void was_read(hd_inst inst)
{
	hd_footprint n = footprint(inst);
	hd_scoreboard_read(&board, 3, &n);
}
static void was_written(hd_inst inst)
{
	hd_footprint n = footprint(inst);
	hd_scoreboard_written(&board, 3, &n);
	hd_scoreboard_done(&board, 3, &n);
}

static hd_inst add(unsigned d, unsigned a, unsigned b) { return alu(HD_OP_IADD, d, a, b, HD_RZ); }

TEST(hazards_of_registers)
{
	hd_scoreboard_init(&board, 0);
	issue(add(64, 1, 2));
	assert_false(ready(add(5, 64, 4))); /* RAW */
	assert_false(ready(add(64, 3, 4))); /* WAW */
	assert_false(ready(add(1, 3, 4)));  /* WAR */
	assert_true(ready(add(5, 1, 2)));   /* reads beside reads */
	hd_footprint other = footprint(add(5, 64, 1));
	assert_true(hd_scoreboard_ready(&board, 2, &other)); /* another warp's */
	was_read(add(64, 1, 2));
	assert_true(ready(add(1, 3, 4)));
	assert_false(ready(add(5, 64, 4)));
	was_written(add(64, 1, 2));
	assert_true(ready(add(5, 64, 4)));
	assert_true(ready(add(64, 3, 4)));
}

TEST(hazards_of_pairs_and_predicates)
{
	hd_scoreboard_init(&board, 0);
	hd_inst wide = alu(HD_OP_IADD64, 62, 10, 12, HD_RZ);
	issue(wide);
	assert_false(ready(add(5, 63, 4)));
	assert_false(ready(add(13, 3, 4)));
	issue(setpi(HD_CMP_EQ, 2, 20, 0));
	assert_false(ready(guarded(add(30, 31, 32), 2, 1)));
	assert_true(ready(guarded(add(30, 31, 32), 1, 1)));
	assert_false(ready(setpi(HD_CMP_EQ, 2, 21, 0)));
	was_written(setpi(HD_CMP_EQ, 2, 20, 0));
	issue(guarded(add(30, 31, 32), 2, 1));
	assert_false(ready(setpi(HD_CMP_EQ, 2, 21, 0))); /* the guard is a source */
	was_read(guarded(add(30, 31, 32), 2, 1));
	was_read(setpi(HD_CMP_EQ, 2, 20, 0));
	assert_true(ready(setpi(HD_CMP_EQ, 2, 21, 0)));
}

/* Readers are counted; with a limit the next one waits until one has read. */
TEST(consumers_are_limited)
{
	hd_scoreboard_init(&board, 2);
	issue(add(5, 1, 1)); /* one reader of r1, though it reads it twice */
	issue(add(6, 1, 2));
	assert_false(ready(add(7, 1, 3)));
	assert_true(ready(add(7, 2, 3)));
	was_read(add(5, 1, 1));
	assert_false(ready(add(1, 8, 9)));
	issue(add(7, 1, 3));
	assert_false(ready(add(8, 1, 3)));
	was_read(add(6, 1, 2));
	was_read(add(7, 1, 3));
	assert_true(ready(add(1, 8, 9)));
}

TEST(order_of_memory)
{
	hd_inst st = store(HD_OP_STG, 2, 0, 5), sts = store(HD_OP_STS, 2, 0, 5), fence = inst_(HD_OP_MEMBAR),
	        atoms = alu(HD_OP_ATOMS, 8, 9, 10, HD_RZ);
	hd_scoreboard_init(&board, 0);
	issue(st);
	was_read(st);
	assert_false(ready(bar(0)));
	assert_false(ready(fence));
	assert_true(ready(atoms)); /* global memory */
	was_written(st);
	assert_true(ready(bar(0)));
	assert_true(ready(fence));
	issue(load(HD_OP_LDL, 30, 22, 0)); /* no other thread sees these */
	issue(load(HD_OP_LDC, 32, 22, 0));
	assert_true(ready(bar(0)));
	assert_true(ready(fence));
	issue(sts);
	was_read(sts);
	assert_false(ready(atoms)); /* the other pipe */
	assert_true(ready(sts));    /* the same one keeps order */
	was_written(sts);
	issue(atoms);
	was_read(atoms);
	assert_false(ready(load(HD_OP_LDS, 20, 21, 0)));
	assert_false(ready(load(HD_OP_LD, 20, 22, 0)));
	assert_true(ready(load(HD_OP_LDG, 20, 22, 0)));
	assert_false(ready(bar(0)));
	was_written(atoms);
	assert_true(ready(load(HD_OP_LDS, 20, 21, 0)));
}

/* A barrier is in no pipe that reaches memory, so it could pass a fence or a launch. A launch could pass a store, which its child reads. */
TEST(order_of_fences)
{
	hd_inst st = store(HD_OP_STG, 2, 0, 5),
	        between[] = {inst_(HD_OP_MEMBAR), alu(HD_OP_LAUNCH, 8, 10, HD_RZ, HD_RZ), alu(HD_OP_QPUSH, 8, 9, 10, HD_RZ)};
	for (unsigned i = 0; i < HD_COUNT(between); i++) {
		hd_scoreboard_init(&board, 0);
		issue(st);
		was_read(st);
		assert_false(ready(between[i]));
		was_written(st);
		assert_true(ready(between[i]));
		issue(between[i]);
		was_read(between[i]);
		assert_false(ready(bar(0)));
		assert_true(ready(load(HD_OP_LDG, 20, 22, 0))); /* in order behind it */
		was_written(between[i]);
		assert_true(ready(bar(0)));
	}
}

/* A program without any annotation, for 32 threads: out[tid] = ((tid + 1) * 3) + memory round trip, with WAR and WAW on the way. */
static void bare_program(rig *r)
{
	rig_put(r, sreg(0, HD_SREG_TIDX), 0);
	rig_put(r, movc(2, 16), 0);
	rig_put(r, movc(3, 17), 0);
	rig_put(r, alui(HD_OP_SHL, 1, 0, 2), 0);
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), 0);
	rig_put(r, alui(HD_OP_IADD, 4, 0, 1), 0);
	rig_put(r, alui(HD_OP_IMUL, 4, 4, 3), 0);
	rig_put(r, store(HD_OP_STG, 2, 0, 4), 0);
	rig_put(r, movi(4, 77), 0); /* WAR with the store */
	rig_put(r, load(HD_OP_LDG, 5, 2, 0), 0);
	rig_put(r, movi(6, 5), 0);
	rig_put(r, alu(HD_OP_IADD, 5, 5, 6, HD_RZ), 0);
	rig_put(r, store(HD_OP_STG, 2, 0, 5), 0);
	rig_put(r, movi(5, 0), 0);
	rig_exit(r);
}

TEST(a_program_without_annotations_is_right)
{
	for (uint32_t consumers = 0; consumers <= 3; consumers++) {
		rig *r = rig_new(32);
		bare_program(r);
		r->machine.fence_mode = HD_DEP_SCOREBOARD;
		r->machine.fence_consumers = consumers;
		assert_true(rig_run(r));
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(rig_out(r, i), (i + 1) * 3 + 5);
		assert_true(r->stats.stall_scoreboard > 0);
		assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
		rig_free(r);
	}
	rig *r = rig_new(32); /* and this is what the counters are for */
	bare_program(r);
	assert_true(rig_run(r));
	assert_int_not_equal(rig_out(r, 9), 35);
	rig_free(r);
}

static uint64_t chain_cycles(unsigned length, bool scoreboard, unsigned latency)
{
	rig *r = rig_new(32);
	r->machine.fence_mode = scoreboard ? HD_DEP_SCOREBOARD : HD_DEP_FENCE;
	r->machine.latency[HD_CLASS_ALU].latency = latency;
	for (unsigned i = 0; i < length; i++)
		rig_put(r, alui(HD_OP_IADD, 8, 8, 1), delay(i + 1 < length ? latency : 1));
	rig_exit(r);
	assert_true(rig_run(r));
	uint64_t cycles = r->stats.run_cycles;
	rig_free(r);
	return cycles;
}

/* The baseline is a strong one: a chain of dependent instructions runs as fast as with the shortest delays. */
TEST(results_are_forwarded)
{
	static const unsigned latencies[] = {1, 2, 4, 9};
	for (unsigned i = 0; i < HD_COUNT(latencies); i++) {
		assert_int_equal(chain_cycles(64, true, latencies[i]), chain_cycles(64, false, latencies[i]));
		assert_true(chain_cycles(64, true, latencies[i]) >= 64 * latencies[i]);
	}
}

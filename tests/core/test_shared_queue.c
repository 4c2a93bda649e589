/* One queue for all pipes (MI-12): order, room, distances, counters, and a whole run against one that looks at everything in every cycle. */
#include "stage_rig.h"

#include "core/execute/shared_queue_stage.h"
#include "core/issue/dispatch.h"
#include "core/issue/monitor.h"
#include "core/issue/readiness.h"

enum { ALL_PIPES = (1 << HD_PIPE_COUNT) - 1 };

static hd_inst sfu(unsigned d) { return alu(HD_OP_FEX2, d, HD_RZ, HD_RZ, HD_RZ); }

static rig *shared_rig(unsigned entries)
{
	rig *r = rig_new(1024);
	r->machine.multi_issue_queues = HD_QUEUES_SHARED;
	r->machine.multi_issue_queue_entries = entries;
	r->launch.block[0] = 64;
	return r;
}

static stage_rig *program(rig *r)
{
	stage_rig *t = stage_new(r);
	stage_start(t);
	t->s->touched = false;
	return t;
}

/* MI-12: one instruction leaves in a cycle, whatever its type, in the order in which they were sent. */
TEST(one_instruction_leaves_in_a_cycle)
{
	rig *r = shared_rig(8);
	uint32_t a = rig_put(r, sfu(7), delay(1)), b = rig_put(r, movi(5, 1), delay(1)), c = rig_put(r, sfu(8), delay(1));
	stage_rig *t = program(r);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 1, b, 10);
	hd_dispatch(t->core, 0, 1, c, 10);
	hd_shared_queue_stage(t->core, 0, 11);
	assert_int_equal(t->core->entered[HD_CLASS_SFU], 1);
	assert_int_equal(t->core->entered[HD_CLASS_ALU], 0);
	assert_int_equal(t->s->occupied, 1 << HD_PIPE_ALU | 1 << HD_PIPE_SFU);
	hd_shared_queue_stage(t->core, 0, 12);
	assert_int_equal(t->core->entered[HD_CLASS_ALU], 1);
	assert_int_equal(t->s->occupied, 1 << HD_PIPE_SFU);
	t->s->pipe_free[HD_PIPE_SFU] = 20;
	for (uint64_t now = 13; now < 20; now++) {
		hd_shared_queue_stage(t->core, 0, now);
		assert_int_equal(t->s->queue[HD_PIPE_SFU].next, 20);
	}
	hd_shared_queue_stage(t->core, 0, 20);
	assert_int_equal(t->core->entered[HD_CLASS_SFU], 2);
	assert_int_equal(t->s->occupied, 0);
	assert_int_equal(t->s->shared->n, 0);
	stage_free(t);
}

/* MI-12: a head that waits for a counter blocks instructions of other types and of other warps. It goes in the cycle in which the counter clears. */
TEST(the_head_blocks_all_others)
{
	rig *r = shared_rig(8);
	uint32_t a = rig_put(r, waits(sfu(7), 1), delay(1)), b = rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = program(r);
	hd_fence_raise(&t->s->fence, 0, 1, HD_GROUPS);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 1, b, 10);
	for (uint64_t now = 11; now < 30; now++)
		hd_shared_queue_stage(t->core, 0, now);
	assert_int_equal(t->core->entered[HD_CLASS_SFU] + t->core->entered[HD_CLASS_ALU], 0);
	assert_true(t->s->queue[HD_PIPE_SFU].next == HD_NEVER); /* no cycle is looked at before something changes */
	assert_true(t->s->queue[HD_PIPE_ALU].next == HD_NEVER);
	hd_monitor_written(t->core, 0, 0, 1, HD_GROUPS, 30);
	hd_shared_queue_stage(t->core, 0, 30);
	assert_int_equal(t->core->entered[HD_CLASS_SFU], 1);
	assert_int_equal(t->s->queue[HD_PIPE_ALU].next, 31);
	hd_shared_queue_stage(t->core, 0, 31);
	assert_int_equal(t->core->entered[HD_CLASS_ALU], 1);
	stage_free(t);
}

/* MI-12: the entries belong to all types. A full queue takes nothing of any type, and room wakes scheduler and windows. */
TEST(the_entries_are_shared)
{
	rig *r = shared_rig(3);
	uint32_t a = rig_put(r, sfu(7), delay(1)), b = rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = program(r);
	for (unsigned round = 0; round < 3; round++) { /* round the ring */
		uint64_t now = 10 + 100 * round;
		hd_dispatch(t->core, 0, 0, b, now);
		hd_dispatch(t->core, 0, 0, a, now);
		assert_int_equal(t->s->full, 0);
		hd_dispatch(t->core, 0, 1, b, now);
		assert_int_equal(t->s->full, ALL_PIPES);
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
			t->s->held_by[pipe] = 1u << pipe;
		t->s->window_waits = ALL_PIPES;
		t->s->touched = false;
		hd_shared_queue_stage(t->core, 0, now + 1);
		assert_int_equal(t->s->full, 0);
		assert_true(t->s->touched);
		assert_int_equal(t->s->window_waits, 0);
		t->s->touched = false;
		hd_shared_queue_stage(t->core, 0, now + 2); /* it was not full: nobody waits for that */
		assert_false(t->s->touched);
		hd_shared_queue_stage(t->core, 0, now + 3);
		assert_int_equal(t->s->shared->n, 0);
	}
	stage_free(t);
}

/* Rule 2: the distance between instructions of one warp and pipe is kept, and another type waits behind the one that keeps it. */
TEST(the_distance_is_kept)
{
	rig *r = shared_rig(8);
	uint32_t a = rig_put(r, movi(5, 1), delay(4)), b = rig_put(r, movi(6, 1), delay(1)), c = rig_put(r, sfu(7), delay(1));
	stage_rig *t = program(r);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 0, b, 10);
	hd_dispatch(t->core, 0, 1, c, 10);
	for (uint64_t now = 11; now <= 16; now++) {
		hd_shared_queue_stage(t->core, 0, now);
		assert_int_equal(t->core->entered[HD_CLASS_ALU], now < 15 ? 1 : 2);
		assert_int_equal(t->core->entered[HD_CLASS_SFU], now < 16 ? 0 : 1);
		if (now >= 12 && now < 15)
			assert_int_equal(t->s->queue[HD_PIPE_ALU].next, 15);
	}
	stage_free(t);
}

/* A slot that is lost because the queue is full is lost to a full queue, not to a busy unit. */
TEST(a_full_queue_is_the_cause)
{
	rig *r = shared_rig(1);
	uint32_t a = rig_put(r, sfu(7), delay(1));
	stage_rig *t = program(r);
	t->s->next_pipe[0] = 1 << HD_PIPE_ALU;
	hd_dispatch(t->core, 0, 1, a, 10);
	assert_int_equal(hd_idle_cause(t->s), HD_STALL_QUEUE_FULL);
	stage_free(t);
}

/* A run takes the same cycles whether idle cycles are skipped or not, and types that alternate take longer than with a queue for each type. */
TEST(runs_are_the_same_with_skipped_cycles)
{
	uint64_t cycles[2];
	for (unsigned typed = 0; typed < 2; typed++) {
		hd_stats stats[2];
		for (unsigned eager = 0; eager < 2; eager++) {
			rig *r = shared_rig(4);
			if (typed)
				r->machine.multi_issue_queues = HD_QUEUES_TYPED;
			r->machine.machine_schedulers = 1;
			r->launch.block[0] = 256;
			r->options.tick_every_cycle = eager;
			rig_address(r);
			for (unsigned i = 0; i < 12; i++) {
				rig_put(r, primary(sfu(5), 1), delay(1));
				rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 3), 1), delay(4));
				rig_put(r, alui(HD_OP_IADD, 6, 6, 4), delay(1));
				rig_put(r, movi(7, 1), delay(1));
			}
			rig_put(r, store(HD_OP_STG, 2, 0, 6), delay(15));
			rig_exit(r);
			assert_true(rig_run(r));
			stats[eager] = r->stats;
			rig_free(r);
		}
		assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
		cycles[typed] = stats[0].run_cycles;
	}
	assert_true(cycles[0] > cycles[1]);
}

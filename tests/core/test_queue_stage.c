/* A cycle of a scheduler's queues (HZ-8, HZ-10 to HZ-15, PD-16): the instructions that enter each pipe, their order, and the wake-up of the issue
 * stage. */
#include "stage_rig.h"

#include "core/execute/queue_stage.h"
#include "core/issue/dispatch.h"
#include "core/issue/monitor.h"

enum { ALU = 1 << HD_PIPE_ALU, SFU = 1 << HD_PIPE_SFU, LSU = 1 << HD_PIPE_LSU };

static hd_inst sfu(unsigned d) { return alu(HD_OP_FEX2, d, HD_RZ, HD_RZ, HD_RZ); }

static stage_rig *program(rig *r)
{
	r->launch.block[0] = 64;
	stage_rig *t = stage_new(r);
	stage_start(t);
	t->s->touched = false;
	return t;
}

/* HZ-10: each pipe takes one instruction of its own queue in a cycle. */
TEST(each_queue_passes_on_one_instruction_a_cycle)
{
	rig *r = rig_new(4);
	uint32_t a = rig_put(r, movi(5, 1), delay(1)), b = rig_put(r, movi(6, 1), delay(1)), c = rig_put(r, sfu(7), delay(1));
	stage_rig *t = program(r);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 0, b, 10);
	hd_dispatch(t->core, 0, 0, c, 10);
	hd_queue_stage(t->core, 0, 11);
	assert_int_equal(t->s->occupied, ALU);
	assert_int_equal(t->s->queue[HD_PIPE_ALU].fifo_n, 1);
	assert_int_equal(t->core->entered[HD_CLASS_ALU], 1);
	assert_int_equal(t->core->entered[HD_CLASS_SFU], 1);
	assert_int_equal(t->s->pipe_free[HD_PIPE_ALU], 11 + t->core->code[a].interval);
	hd_queue_stage(t->core, 0, 12);
	assert_int_equal(t->s->occupied, 0);
	assert_int_equal(t->core->entered[HD_CLASS_ALU], 2);
	assert_int_equal(t->s->warp[0].in_flight, 3);
	stage_free(t);
}

/* A queue is not looked at before its next cycle, unless everything is looked at in every cycle. */
TEST(a_queue_is_left_alone_before_its_next_cycle)
{
	for (unsigned eager = 0; eager < 2; eager++) {
		rig *r = rig_new(4);
		r->options.tick_every_cycle = eager;
		uint32_t a = rig_put(r, movi(5, 1), delay(1));
		stage_rig *t = program(r);
		hd_dispatch(t->core, 0, 0, a, 10);
		t->s->queue[HD_PIPE_ALU].next = 20;
		hd_queue_stage(t->core, 0, 19);
		assert_int_equal(t->core->entered[HD_CLASS_ALU], eager);
		hd_queue_stage(t->core, 0, 20);
		assert_int_equal(t->core->entered[HD_CLASS_ALU], 1);
		stage_free(t);
	}
}

/* HZ-15: when a full queue has room, the scheduler checks its warps again, and so do the windows that wait for that queue. Other windows sleep on.
 * While the pipe takes nothing, nothing changes. */
TEST(room_in_a_full_queue_wakes_what_waits_for_it)
{
	rig *r = rig_new(4);
	r->machine.queue[HD_PIPE_ALU].fifo = 2;
	uint32_t a = rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = program(r);
	hd_scheduler *s = t->s;
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 1, a, 10);
	s->held_by[HD_PIPE_ALU] = 4;
	s->held_by[HD_PIPE_SFU] = 8;
	s->window_waits = 12;
	s->pipe_free[HD_PIPE_ALU] = 13;
	for (uint64_t now = 11; now < 13; now++) {
		hd_queue_stage(t->core, 0, now);
		assert_int_equal(s->full, ALU);
		assert_false(s->touched);
		assert_int_equal(s->window_waits, 12);
	}
	hd_queue_stage(t->core, 0, 13);
	assert_int_equal(s->full, 0);
	assert_true(s->touched);
	assert_int_equal(s->window_waits, 8);
	assert_int_equal(s->held_by[HD_PIPE_ALU], 0);
	assert_int_equal(s->held_by[HD_PIPE_SFU], 8);
	/* It does so without windows, too. */
	hd_dispatch(t->core, 0, 0, a, 13);
	s->touched = false;
	hd_queue_stage(t->core, 0, 14);
	assert_true(s->touched);
	/* The last leaves a queue that was not full. No warp has waited for that. */
	s->touched = false;
	s->held_by[HD_PIPE_ALU] = s->window_waits = 4;
	hd_queue_stage(t->core, 0, 15);
	assert_int_equal(s->occupied, 0);
	assert_false(s->touched);
	assert_int_equal(s->window_waits, 4);
	stage_free(t);
}

/* HZ-11: a secondary goes into the hazard queue and leaves room in the FIFO. Windows count the instructions in the hazard queue, so they check again
 * when the count changes. The cause of a lost slot depends on the count while the FIFO is full, so the scheduler checks again, too. */
TEST(a_change_of_the_hazard_queue_is_noted)
{
	rig *r = rig_new(4);
	r->machine.queue[HD_PIPE_ALU] = (hd_queue_sizes){.fifo = 1, .hazard = 1};
	uint32_t a = rig_put(r, waits(movi(5, 1), 1), delay(1));
	stage_rig *t = program(r);
	hd_scheduler *s = t->s;
	hd_fence_raise(&s->fence, 0, 1, HD_GROUPS);
	hd_fence_raise(&s->fence, 1, 1, HD_GROUPS);
	hd_dispatch(t->core, 0, 0, a, 10);
	assert_int_equal(s->full, ALU);
	s->held_by[HD_PIPE_ALU] = s->window_waits = 4;
	hd_queue_stage(t->core, 0, 11);
	assert_int_equal(s->full, 0);
	assert_int_equal(s->queue[HD_PIPE_ALU].hazard_n, 1);
	assert_int_equal(s->window_waits, 0);
	assert_int_equal(s->occupied, ALU);
	hd_dispatch(t->core, 0, 1, a, 11); /* another secondary: FIFO and hazard queue are full */
	s->touched = false;
	hd_queue_stage(t->core, 0, 12);
	assert_false(s->touched);
	hd_monitor_written(t->core, 0, 0, 1, HD_GROUPS, 15);
	hd_queue_stage(t->core, 0, 15); /* the first leaves the hazard queue; the FIFO stays full */
	assert_int_equal(s->full, ALU);
	assert_int_equal(s->queue[HD_PIPE_ALU].hazard_n, 0);
	assert_true(s->touched);
	assert_int_equal(t->context.stats->fence_queue_wait_cycles, 4); /* from 11 to 15 */
	stage_free(t);
}

/* The same where the FIFO was never full: only windows depend on that. */
TEST(windows_check_again_when_the_hazard_queue_changes)
{
	rig *r = rig_new(4);
	uint32_t a = rig_put(r, waits(movi(5, 1), 1), delay(1));
	stage_rig *t = program(r);
	hd_scheduler *s = t->s;
	hd_fence_raise(&s->fence, 0, 1, HD_GROUPS);
	hd_dispatch(t->core, 0, 0, a, 10);
	for (uint64_t now = 11; now <= 21; now += 10) { /* into the hazard queue, and out of it */
		s->held_by[HD_PIPE_ALU] = 4;
		s->window_waits = 12;
		hd_queue_stage(t->core, 0, now);
		assert_int_equal(s->window_waits, 8);
		assert_int_equal(s->queue[HD_PIPE_ALU].hazard_n, now == 11);
		hd_monitor_written(t->core, 0, 0, 1, HD_GROUPS * (now == 11), 20);
	}
	stage_free(t);
}

/* LU-17: the ports are taken up to cycle 20. What else holds an instruction back is no wait for them: its counter, its distance, the one before it in
 * the queue, its unit. */
TEST(waits_for_ports_are_counted_by_pipe)
{
	static const struct {
		uint64_t clear, distance, busy, waits; /* 0 = nothing of the kind */
	} rows[] = {{0, 0, 0, 9}, {14, 0, 0, 6}, {0, 17, 0, 3}, {0, 0, 18, 2}, {14, 0, 18, 2}, {20, 0, 0, 0}, {0, 22, 0, 0}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = rig_new(4);
		uint32_t a = rig_put(r, rows[i].clear ? waits(movi(5, 1), 1) : movi(5, 1), delay(1));
		stage_rig *t = program(r);
		hd_scheduler *s = t->s;
		hd_queue *queue = &s->queue[HD_PIPE_ALU];
		if (rows[i].clear)
			hd_fence_raise(&s->fence, 0, 1, HD_GROUPS);
		s->pipe_free[HD_PIPE_ALU] = rows[i].busy;
		hd_ports_close(&s->results.ports, 5, 20);
		hd_dispatch(t->core, 0, 0, a, 10);
		if (rows[i].distance) {
			queue->fifo[queue->fifo_head].gap = 2;
			queue->of[0].entered = rows[i].distance - 2;
		}
		for (uint64_t now = 11; now <= 22; now++) {
			if (rows[i].clear == now)
				hd_monitor_written(t->core, 0, 0, 1, HD_GROUPS, now);
			hd_queue_stage(t->core, 0, now);
			if (!s->occupied)
				break;
		}
		assert_int_equal(s->occupied, 0);
		assert_int_equal(s->results.ports.waited[HD_PIPE_ALU], rows[i].waits);
		assert_int_equal(s->results.ports.waited[HD_PIPE_LSU], 0);
		stage_free(t);
	}
}

/* The second instruction of a queue waits for the first one in the cycle of its entry, and for the ports before. */
TEST(only_the_ports_time_at_the_head_counts)
{
	rig *r = rig_new(8);
	uint32_t a = rig_put(r, movi(5, 1), delay(1)), b = rig_put(r, movi(6, 1), delay(1));
	stage_rig *t = program(r);
	hd_register_ports *ports = &t->s->results.ports;
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 1, b, 10);
	hd_queue_stage(t->core, 0, 11); /* a leaves, and another pipe takes the ports */
	hd_ports_close(ports, 11, 15);
	for (uint64_t now = 12; now <= 15; now++)
		hd_queue_stage(t->core, 0, now);
	assert_int_equal(t->s->occupied, 0);
	assert_int_equal(ports->waited[HD_PIPE_ALU], 3);
	stage_free(t);
}

/* Rule 12: an instruction enters a narrow pipe in several cycles. */
TEST(a_narrow_pipe_takes_its_lanes_in_several_cycles)
{
	rig *r = rig_new(4);
	r->machine.lanes[HD_PIPE_ALU] = 16;
	uint32_t a = rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = program(r);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_queue_stage(t->core, 0, 11);
	assert_int_equal(t->s->occupied, 0);
	assert_int_equal(t->s->entering, ALU);
	hd_queue_stage(t->core, 0, 12);
	assert_int_equal(t->s->entering, 0);
	stage_free(t);
}

/* HZ-8: a primary reads in this cycle, and its counter falls by the read. A secondary enters in the next cycle at the earliest, whatever pipes the
 * two are in. */
TEST(a_read_lets_a_secondary_in_from_the_next_cycle_on)
{
	for (unsigned order = 0; order < 2; order++) {
		rig *r = rig_new(4);
		hd_inst first = by_read(primary(order ? sfu(5) : movi(5, 1), 1)), second = waits(order ? movi(5, 1) : sfu(5), 1);
		uint32_t a = rig_put(r, first, delay(1)), b = rig_put(r, second, delay(1));
		stage_rig *t = program(r);
		hd_class klass = order ? HD_CLASS_ALU : HD_CLASS_SFU;
		hd_dispatch(t->core, 0, 0, a, 10);
		hd_dispatch(t->core, 0, 0, b, 10);
		hd_queue_stage(t->core, 0, 11);
		assert_int_equal(t->s->fence.flags[0], 0); /* all queues have had their turn */
		assert_int_equal(t->s->n_releases, 0);
		assert_int_equal(t->core->entered[klass], 0);
		hd_queue_stage(t->core, 0, 12);
		assert_int_equal(t->core->entered[klass], 1);
		stage_free(t);
	}
}

/* PD-16: a replay enters before the instructions in the queue. They then wait until the pipe's entry is free. */
TEST(a_replay_enters_before_the_queue)
{
	rig *r = rig_new(4);
	uint32_t a = rig_put(r, store(HD_OP_STG, 2, 0, 5), (uint8_t)(HD_HINT_MAY_REPLAY << 4 | 1));
	uint32_t b = rig_put(r, store(HD_OP_STG, 2, 4, 5), delay(1));
	stage_rig *t = program(r);
	hd_scheduler *s = t->s;
	assert_true(s->replay.size > 0);
	s->warp[0].in_flight = s->warp[0].memory = 1;
	s->replay.reserved = s->replay.n = 1;
	s->replay.at[0] = (hd_refused){.times = 1, .ready = 10, .sent = {.pc = a, .mask = ~0u, .warp = 0}};
	hd_replay_issue(t->core, s, 10);
	hd_dispatch(t->core, 0, 1, b, 10);
	hd_queue_stage(t->core, 0, 11);
	assert_int_equal(t->core->stage[0].first->pc, a);
	assert_null(t->core->stage[0].first->next);
	assert_false(s->replay.latched);
	assert_int_equal(s->occupied, LSU);
	hd_queue_stage(t->core, 0, s->pipe_free[HD_PIPE_LSU]);
	assert_int_equal(t->core->stage[0].last->pc, b);
	assert_int_equal(s->occupied, 0);
	stage_free(t);
}

/* Rule 2: the cycles in which only the distance held an instruction are counted. */
TEST(the_distance_is_kept_and_counted)
{
	rig *r = rig_new(4);
	uint32_t a = rig_put(r, movi(5, 1), delay(4)), b = rig_put(r, movi(6, 1), delay(1));
	stage_rig *t = program(r);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 0, b, 10);
	for (uint64_t now = 11; now <= 15; now++) {
		hd_queue_stage(t->core, 0, now);
		assert_int_equal(t->core->entered[HD_CLASS_ALU], now < 15 ? 1 : 2);
	}
	assert_int_equal(t->context.stats->fence_spacing_cycles, 2); /* it goes to the hazard queue in 12; only the distance holds it in 13 and 14 */
	assert_int_equal(t->context.stats->fence_queue_wait_cycles, 0);
	stage_free(t);
}

/* Pipes that all schedulers of a core share (HZ-37), and pipes with several copies (MI-14): who enters in which cycle, who gets a place of a full
 * FIFO, and what the schedulers see. Whole runs of such machines are in test_random.c and in tests/stress. */
#include "stage_rig.h"

#include "core/execute/shared_pipes.h"
#include "core/execute/shared_pipes_stage.h"
#include "core/issue/dispatch.h"
#include "core/issue/monitor.h"
#include "core/observe/stop.h"

enum { SFU = 1 << HD_PIPE_SFU };

static hd_inst sfu(unsigned d) { return alu(HD_OP_FEX2, d, HD_RZ, HD_RZ, HD_RZ); }

/* Four warps on two schedulers: warp w of the CTA is in slot w / 2 of scheduler w % 2. */
static rig *pipes_rig(uint32_t shared, unsigned copies, unsigned fifo, unsigned hazard)
{
	rig *r = rig_new(1024);
	r->machine.machine_shared_pipes = shared;
	r->machine.copies[HD_PIPE_SFU] = copies;
	r->machine.queue[HD_PIPE_SFU] = (hd_queue_sizes){fifo, hazard};
	r->launch.block[0] = 128;
	return r;
}

static stage_rig *begin_of(rig *r)
{
	stage_rig *t = stage_new_of(r, 2);
	stage_start(t);
	for (unsigned i = 0; i < 2; i++)
		t->core->scheduler[i].touched = false;
	return t;
}

static uint64_t entered(const stage_rig *t) { return t->core->entered[HD_CLASS_SFU]; }
static hd_scheduler *of(const stage_rig *t, unsigned scheduler) { return &t->core->scheduler[scheduler]; }

/* HZ-37: one instruction enters in an interval (4 cycles), from whichever scheduler, in the order of issue. Without sharing each scheduler has one.
 */
TEST(a_shared_pipe_takes_one_of_all_schedulers)
{
	for (unsigned shared = 0; shared < 2; shared++) {
		rig *r = pipes_rig(shared ? SFU : 1 << HD_PIPE_F64, 1, 4, 8);
		uint32_t a = rig_put(r, sfu(7), delay(1)), b = rig_put(r, sfu(8), delay(1));
		stage_rig *t = begin_of(r);
		hd_dispatch(t->core, 1, 0, a, 10);
		hd_dispatch(t->core, 0, 1, b, 10);
		hd_shared_pipes_stages(t->core, 11);
		assert_int_equal(entered(t), shared ? 1 : 2);
		assert_int_equal(of(t, 1)->warp[0].in_flight, 1);
		if (shared) {
			for (unsigned i = 0; i < 2; i++) {
				assert_int_equal(of(t, i)->pipe_free[HD_PIPE_SFU], 15);
				assert_true(of(t, i)->occupied & SFU);
			}
			for (uint64_t now = 12; now < 15; now++)
				hd_shared_pipes_stages(t->core, now);
			assert_int_equal(entered(t), 1);
			hd_shared_pipes_stages(t->core, 15);
			assert_int_equal(entered(t), 2);
		}
		hd_shared_pipes_stages(t->core, 16);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(of(t, i)->occupied, 0);
			assert_true(of(t, i)->queue[HD_PIPE_SFU].next == HD_NEVER);
		}
		stage_free(t);
	}
}

/* HZ-37: the result comes to the warp of the scheduler that issued, and each warp keeps its distance and its order (docs/timing.md, rules 1 and 2).
 */
TEST(warps_of_equal_slots_are_told_apart)
{
	rig *r = pipes_rig(SFU, 1, 4, 8);
	r->machine.latency[HD_CLASS_SFU].interval = 1;
	uint32_t a = rig_put(r, sfu(7), delay(6)), b = rig_put(r, sfu(8), delay(1));
	stage_rig *t = begin_of(r);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 0, b, 10); /* counted six cycles behind a */
	hd_dispatch(t->core, 1, 0, b, 10); /* the same slot of another scheduler */
	hd_shared_pipes_stages(t->core, 11);
	assert_int_equal(entered(t), 1);
	hd_shared_pipes_stages(t->core, 12); /* b of scheduler 0 goes into the hazard queue */
	hd_shared_pipes_stages(t->core, 13);
	assert_int_equal(entered(t), 2);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(of(t, i)->queue[HD_PIPE_SFU].hazard_n, 1);
	for (uint64_t now = 14; now < 17; now++)
		hd_shared_pipes_stages(t->core, now);
	assert_int_equal(entered(t), 2);
	hd_shared_pipes_stages(t->core, 17);
	assert_int_equal(entered(t), 3);
	assert_int_equal(of(t, 0)->queue[HD_PIPE_SFU].hazard_n, 0);
	stage_free(t);
}

/* HZ-37: a secondary waits for the counters of its own warp alone, and the fall of a counter wakes the shared queue. */
TEST(a_secondary_waits_for_its_own_warp)
{
	rig *r = pipes_rig(SFU, 1, 4, 8);
	uint32_t a = rig_put(r, waits(sfu(7), 1), delay(1));
	stage_rig *t = begin_of(r);
	hd_fence_raise(&of(t, 1)->fence, 0, 1, HD_GROUPS);
	hd_dispatch(t->core, 1, 0, a, 10);
	for (uint64_t now = 11; now < 20; now++)
		hd_shared_pipes_stages(t->core, now);
	assert_int_equal(entered(t), 0);
	assert_true(of(t, 1)->queue[HD_PIPE_SFU].next == HD_NEVER);
	hd_dispatch(t->core, 0, 0, a, 20); /* the counter of slot 0 of scheduler 0 is clear */
	hd_shared_pipes_stages(t->core, 21);
	assert_int_equal(entered(t), 1);
	hd_monitor_written(t->core, 1, 0, 1, HD_GROUPS, 30);
	hd_shared_pipes_stages(t->core, 30);
	assert_int_equal(entered(t), 2);
	stage_free(t);
}

/* HZ-37: a full FIFO is full for all schedulers. Of those that wait the first behind the one that sent last has the place to itself for a cycle. */
TEST(a_free_place_goes_round)
{
	rig *r = pipes_rig(SFU, 1, 1, 0);
	uint32_t a = rig_put(r, sfu(7), delay(1));
	stage_rig *t = begin_of(r);
	for (unsigned last = 0; last < 2; last++) {
		uint64_t now = 10 + 40 * last;
		hd_dispatch(t->core, last, 0, a, now);
		for (unsigned i = 0; i < 2; i++) {
			assert_true(of(t, i)->full & SFU);
			assert_true(of(t, i)->touched);
			of(t, i)->touched = false;
			of(t, i)->next_pipe[1] = SFU;
		}
		hd_shared_pipes_stages(t->core, now + 1);
		assert_int_equal(of(t, !last)->full & SFU, 0);
		assert_true(of(t, !last)->touched);
		assert_true(of(t, last)->full & SFU);
		assert_int_equal(of(t, 0)->queue[HD_PIPE_SFU].next, now + 2);
		hd_shared_pipes_stages(t->core, now + 2); /* nobody took it */
		assert_int_equal(of(t, last)->full & SFU, 0);
		assert_true(of(t, last)->touched);
		assert_true(of(t, 0)->queue[HD_PIPE_SFU].next == HD_NEVER);
	}
	/* A window that waits for the pipe wants it, too. */
	of(t, 1)->next_pipe[0] = of(t, 1)->next_pipe[1] = 0;
	of(t, 1)->held_by[HD_PIPE_SFU] = 1;
	hd_dispatch(t->core, 0, 0, a, 90);
	hd_shared_pipes_stages(t->core, 91);
	assert_int_equal(of(t, 1)->full & SFU, 0);
	assert_true(of(t, 0)->full & SFU);
	hd_shared_pipes_stages(t->core, 92);
	/* Nobody else wants it: it is free for all at once. */
	for (unsigned i = 0; i < 2; i++)
		of(t, i)->next_pipe[1] = of(t, i)->next_pipe[0] = 0;
	of(t, 0)->held_by[HD_PIPE_SFU] = 1; /* a window does */
	hd_dispatch(t->core, 0, 0, a, 100);
	hd_shared_pipes_stages(t->core, 101);
	assert_int_equal((of(t, 0)->full | of(t, 1)->full) & SFU, 0);
	assert_int_equal(of(t, 0)->held_by[HD_PIPE_SFU], 0);
	stage_free(t);
}

/* MI-14: each copy takes an instruction, of different warps, and is taken for its interval. */
TEST(each_copy_takes_an_instruction)
{
	for (unsigned shared = 0; shared < 2; shared++) {
		rig *r = pipes_rig(shared ? SFU : 0, 2, 4, 8);
		uint32_t a = rig_put(r, sfu(7), delay(1)), b = rig_put(r, sfu(8), delay(1));
		stage_rig *t = begin_of(r);
		hd_dispatch(t->core, 0, 0, a, 10);
		hd_dispatch(t->core, 0, 0, b, 10); /* a cycle behind a */
		hd_dispatch(t->core, 0, 1, a, 10);
		hd_shared_pipes_stages(t->core, 11);
		assert_int_equal(entered(t), 1);
		hd_shared_pipes_stages(t->core, 12); /* b and the other warp; but one copy is taken until 15 */
		assert_int_equal(entered(t), 2);
		assert_int_equal(of(t, 0)->pipe_free[HD_PIPE_SFU], 15);
		hd_shared_pipes_stages(t->core, 13);
		hd_shared_pipes_stages(t->core, 14);
		assert_int_equal(entered(t), 2);
		hd_shared_pipes_stages(t->core, 15);
		assert_int_equal(entered(t), 3);
		assert_int_equal(of(t, 0)->pipe_free[HD_PIPE_SFU], 16);
		hd_dispatch(t->core, 0, 0, a, 20);
		hd_dispatch(t->core, 0, 1, a, 20);
		hd_shared_pipes_stages(t->core, 21);
		assert_int_equal(entered(t), 5); /* two in one cycle */
		assert_int_equal(of(t, 0)->pipe_free[HD_PIPE_SFU], 25);
		stage_free(t);
	}
}

/* HZ-16: what no lane executes leaves its queue and takes no copy. */
TEST(a_drop_takes_no_copy)
{
	rig *r = pipes_rig(0, 2, 4, 8);
	uint32_t a = rig_put(r, guarded(sfu(7), 0, 0), delay(1)), b = rig_put(r, sfu(8), delay(1));
	stage_rig *t = begin_of(r);
	hd_dispatch(t->core, 0, 0, a, 10);
	hd_dispatch(t->core, 0, 1, b, 10);
	hd_shared_pipes_stages(t->core, 11);
	assert_int_equal(r->stats.run_dropped, 1);
	assert_int_equal(entered(t), 1);
	assert_true(of(t, 0)->pipe_free[HD_PIPE_SFU] <= 11);
	stage_free(t);
}

/* The report of a core that cannot go on shows a shared queue once, with the warp of each instruction. */
TEST(a_report_shows_the_shared_queue)
{
	rig *r = pipes_rig(SFU, 1, 4, 8);
	uint32_t a = rig_put(r, waits(sfu(7), 1), delay(1));
	stage_rig *t = begin_of(r);
	hd_text text = {0};
	hd_trap trap = {0};
	hd_fence_raise(&of(t, 1)->fence, 1, 1, HD_GROUPS);
	hd_dispatch(t->core, 1, 1, a, 10);
	hd_core_explain(t->core, 11, &trap, &text);
	const char *at = strstr(text.at, "queue of all schedulers before pipe sfu:\n      FIFO: warp 3, ");
	if (!at || !strstr(at, "waits for counter 1") || strstr(text.at, "    queue of pipe sfu"))
		fail_msg("%s", text.at);
	hd_text_free(&text);
	stage_free(t);
}

/* The report of a core that cannot go on (HZ-19, RC-17): its exact text for each state of a warp, of a queue and of a barrier. */
#include "stage_rig.h"

#include "core/issue/dispatch.h"
#include "core/observe/stop.h"

/* Two CTAs of two warps, and the instructions at words 1 to 3. */
static stage_rig *two_ctas_of(rig *r)
{
	r->launch.block[0] = 64;
	r->launch.grid[0] = 2;
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, primary(waits(movi(6, 2), 2), 3), delay(1));
	rig_put(r, bar(4), delay(1));
	stage_rig *t = stage_new(r);
	stage_start(t);
	return t;
}

static stage_rig *two_ctas(void) { return two_ctas_of(rig_new(4)); }

/* The report on CTA 0, whose warps are in slots 0 and 1. */
static void expect_report(stage_rig *t, const char *expected)
{
	hd_text text = {0};
	hd_trap trap = {0};
	hd_core_explain(t->core, 500, &trap, &text);
	assert_string_equal(text.at, expected);
	assert_int_equal(trap.cycle, 500);
	assert_string_equal(trap.kernel, "rig"); /* the trap has the place of a warp */
	hd_text_free(&text);
}

#define HEAD "  core 0 at cycle 500:\n"
#define SECOND "    warp 1 of CTA (0,0,0): is at word 0x1, active lanes 0xffffffff\n"

/* The cause of each warp's wait, and its place. */
TEST(each_warp_says_what_it_waits_for)
{
	enum { NOTHING, WAITERS, ROOM, FENCE, FLOW, FULL, ENDED, COUNT };
	static const char *const expected[COUNT] = {
	    "is at word 0x2, active lanes 0xffffffff\n",
	    "waits until the secondaries of counter 3 have left their queues (wait counters) at word 0x2, active lanes 0xffffffff\n",
	    "waits until fence counter 3 can count one more primary at word 0x2, active lanes 0xffffffff\n"
	    "      outstanding fence counters: 3 (56 lane groups)\n",
	    "waits for fence counter 1, 2 at word 0x2, active lanes 0xffffffff\n"
	    "      outstanding fence counters: 1 (8 lane groups) 2 (16 lane groups) 4 (3 lane groups)\n",
	    "waits for its flow instruction at word 0x2, active lanes 0xffffffff\n",
	    "finds the queue of pipe alu full at word 0x2, active lanes 0xffffffff\n",
	    "has ended; 3 instructions in flight\n",
	};
	for (unsigned what = 0; what < COUNT; what++) {
		stage_rig *t = two_ctas();
		hd_scheduler *s = t->s;
		char all[1024];
		s->flow[0].pc = 2;
		s->watch[0] = what == FENCE ? 0x13 : 0x4; /* counter 5 is clear by now */
		if (what == WAITERS) {
			s->descheduled = s->for_waiters = 1;
			hd_waiters_raise(&s->waiters, 0, 0x4);
		} else if (what == ROOM) {
			s->descheduled = s->for_room = 1;
			hd_fence_publish(&s->fence, 0, 3, 56);
			s->fence.full[0] = 0x4;
		} else if (what == FENCE) {
			s->descheduled = 1;
			hd_fence_publish(&s->fence, 0, 1, 8);
			hd_fence_publish(&s->fence, 0, 2, 16);
			hd_fence_publish(&s->fence, 0, 4, 3);
		} else if (what == FLOW) {
			s->deciding = 1;
		} else if (what == FULL) {
			s->full = 1u << HD_PIPE_ALU;
			s->next_pipe[1] = 1u << HD_PIPE_SFU;
		} else if (what == ENDED) {
			s->live &= ~1u;
			s->warp[0].in_flight = 3;
		}
		snprintf(all, sizeof all, HEAD "    warp 0 of CTA (0,0,0): %s" SECOND, expected[what]);
		expect_report(t, all);
		stage_free(t);
	}
}

/* Lanes that wait to resume are shown by their place. */
TEST(parked_lanes_are_shown)
{
	stage_rig *t = two_ctas();
	t->s->flow[0].active = 0xff;
	for (unsigned lane = 8; lane < HD_LANES; lane++)
		t->s->flow[0].rc[lane] = lane % 2 ? 3 : 2;
	expect_report(t, HEAD "    warp 0 of CTA (0,0,0): is at word 0x1, active lanes 0x000000ff\n"
	                      "      lanes 0x55555500 wait to resume at word 0x2\n"
	                      "      lanes 0xaaaaaa00 wait to resume at word 0x3\n" SECOND);
	stage_free(t);
}

/* RC-16: with the stack the lanes of its tokens wait, except those that are active or have exited. */
TEST(lanes_on_the_stack_are_shown)
{
	rig *r = rig_new(4);
	r->machine.divergence_mode = HD_DIV_STACK;
	stage_rig *t = two_ctas_of(r);
	t->s->flow[0].active = 0xff;
	t->s->flow[0].alive = 0xffff;
	hd_vec_push(t->s->flow[0].tokens, (hd_token){.pc = 3, .lanes = ~0u});
	expect_report(t, HEAD "    warp 0 of CTA (0,0,0): is at word 0x1, active lanes 0x000000ff\n"
	                      "      lanes 0x0000ff00 wait to resume at word 0x3\n" SECOND);
	stage_free(t);
}

/* Instructions in queues: the hazard queue by age, then the FIFO in order, with what they wait for and what waits for them. */
TEST(queues_are_shown_in_order)
{
	stage_rig *t = two_ctas();
	hd_queue_times times;
	hd_sent out;
	hd_fence_publish(&t->s->fence, 0, 2, 8);
	hd_dispatch(t->core, 0, 0, 2, 10);
	assert_false(hd_queue_tick(&t->s->queue[HD_PIPE_ALU], t->s->fence.flags, 11, 11, &out, &times));
	hd_dispatch(t->core, 0, 1, 1, 11);
	hd_dispatch(t->core, 0, 0, 1, 11);
	expect_report(t, HEAD "    warp 0 of CTA (0,0,0): is at word 0x1, active lanes 0xffffffff\n"
	                      "      outstanding fence counters: 2 (8 lane groups) 3 (8 lane groups)\n" SECOND "    queue of pipe alu:\n"
	                      "      hazard queue: warp 0, word 0x2 \"movi r6, 0x00000002\" waits for counter 2 and will release counter 3\n"
	                      "      FIFO: warp 1, word 0x1 \"movi r5, 0x00000001\"\n"
	                      "      FIFO: warp 0, word 0x1 \"movi r5, 0x00000001\"\n");
	stage_free(t);
}

/* Barriers with an arrival: the warps that came and those that are missing. Where a number of warps is expected, those that ended are missing, too.
 */
TEST(barriers_show_who_is_missing)
{
	stage_rig *t = two_ctas();
	hd_barriers *barriers = &t->cta->barriers;
	t->s->at_barrier = 1;
	t->s->warp[0].barrier_pc = 3;
	barriers->arrived[4] = barriers->came[4] = barriers->waiting[4] = 1;
	expect_report(t, HEAD "    barrier 4 of CTA (0,0,0): arrived 0; missing 1\n"
	                      "    warp 0 of CTA (0,0,0): waits at barrier 4, word 0x3, active lanes 0xffffffff\n" SECOND);
	barriers->expected[4] = 2;
	barriers->ended = 2;
	t->s->live = 1;
	expect_report(t, HEAD "    barrier 4 of CTA (0,0,0): arrived 0 of 2 warps; ended without coming 1\n"
	                      "    warp 0 of CTA (0,0,0): waits at barrier 4, word 0x3, active lanes 0xffffffff\n"
	                      "    warp 1 of CTA (0,0,0): has ended; 0 instructions in flight\n");
	stage_free(t);
}

/* Function and line of the source, where the object has them. */
TEST(places_name_the_function_and_the_line)
{
	stage_rig *t = two_ctas();
	hd_object *object = &t->rig->object;
	hd_vec_push(&object->functions, (hd_function){.name = (char *)(uintptr_t) "helper", .begin = 2, .end = 4});
	hd_vec_push(&object->files, (char *)(uintptr_t) "rig.cl");
	hd_vec_push(&object->lines, (hd_line){.word = 2, .line = 17});
	t->s->flow[0].pc = 2;
	expect_report(t, HEAD "    warp 0 of CTA (0,0,0): is at word 0x2 in 'helper' (rig.cl:17), active lanes 0xffffffff\n" SECOND);
	hd_vec_free(&object->files);
	hd_vec_free(&object->lines);
	stage_free(t);
}

/* RC-17: a warp that loops for ever is named. */
TEST(spinning_warps_are_named)
{
	rig *r = rig_new(4);
	rig_put(r, branch(HD_OP_BRA, 1), delay(1));
	rig_exit(r);
	assert_false(rig_run(r));
	assert_int_equal(r->trap.kind, HD_TRAP_DEADLOCK);
	assert_non_null(strstr(r->trap.text, "    warp 0 of CTA (0,0,0): spins; is at word 0x1, active lanes 0xffffffff\n"));
	rig_free(r);
}

/* The place of a run that is stopped from outside: a warp at a barrier, if there is one, else one that is live; none in an empty core. */
TEST(some_warp_has_the_place)
{
	stage_rig *t = two_ctas();
	hd_trap trap = {0};
	stage_start(t); /* in slots 2 and 3 */
	t->core->last = 77;
	t->s->flow[0].pc = 2;
	t->s->flow[0].active = 0xf0;
	assert_true(hd_core_place(t->core, &trap));
	assert_int_equal(trap.pc, 2);
	assert_int_equal(trap.lane, 4);
	assert_int_equal(trap.cycle, 77);
	t->s->at_barrier = 8;
	t->s->warp[3].barrier_pc = 3;
	assert_true(hd_core_place(t->core, &trap));
	assert_int_equal(trap.pc, 3);
	assert_int_equal(trap.warp, 1);
	assert_int_equal(trap.cta[0], 1);
	assert_int_equal(trap.lane, 0);
	t->s->at_barrier = t->s->live = 0;
	assert_false(hd_core_place(t->core, &trap));
	stage_free(t);
}

/* The queues and warps that a falling counter wakes (HZ-7 to HZ-9, HZ-18, HZ-21): queues that may pass on a secondary, and warps that the decoder
 * sent back. */
#include "stage_rig.h"

#include "core/issue/monitor.h"

enum { WARP = 3, BIT = 1 << WARP, OTHER = 5 };

/* A machine without a program: counters of 6 bits, so that a counter is full with seven primaries. */
static stage_rig *monitor_new(void)
{
	rig *r = rig_new(4);
	r->machine.fence_bits = 6;
	return stage_new(r);
}

static void raise_counter(stage_rig *t, unsigned counter, unsigned primaries)
{
	for (unsigned i = 0; i < primaries; i++)
		hd_fence_raise(&t->s->fence, WARP, counter, HD_GROUPS);
}

/* The decoder sent the warp back: it waits for the counters `watch`. */
static void send_back(stage_rig *t, uint16_t watch)
{
	t->s->descheduled |= BIT;
	t->s->watch[WARP] = watch;
	t->s->touched = false;
}

/* HZ-9: lane groups fall one by one. Nothing wakes before the last of them; then every queue that holds something looks in this cycle. */
TEST(the_last_group_of_a_write_wakes_the_queues)
{
	stage_rig *t = monitor_new();
	hd_scheduler *s = t->s;
	raise_counter(t, 2, 1);
	s->occupied = 1u << HD_PIPE_ALU | 1u << HD_PIPE_SFU;
	s->queue[HD_PIPE_ALU].next = 100;
	s->queue[HD_PIPE_SFU].next = 7;
	s->queue[HD_PIPE_LSU].next = 100;
	hd_monitor_written(t->core, 0, WARP, 2, HD_GROUPS - 1, 40);
	assert_int_equal(s->fence.value[WARP][1], 1);
	assert_int_equal(s->queue[HD_PIPE_ALU].next, 100);
	hd_monitor_written(t->core, 0, WARP, 2, 1, 40);
	assert_int_equal(s->fence.flags[WARP], 0);
	assert_int_equal(s->queue[HD_PIPE_ALU].next, 40);
	assert_int_equal(s->queue[HD_PIPE_SFU].next, 7); /* it looks earlier anyway */
	assert_int_equal(s->queue[HD_PIPE_LSU].next, 100);
	assert_false(s->touched); /* no warp waits */
	stage_free(t);
}

/* HZ-8: a read or a drop counts from the next cycle on, whatever the order of the pipes. */
TEST(reads_count_from_the_next_cycle_on)
{
	stage_rig *t = monitor_new();
	hd_scheduler *s = t->s;
	raise_counter(t, 1, 1);
	raise_counter(t, 6, 1);
	s->occupied = 1u << HD_PIPE_ALU;
	s->queue[HD_PIPE_ALU].next = 100;
	hd_monitor_read(s, WARP, 1, 3);
	hd_monitor_read(s, WARP, 6, HD_GROUPS);
	hd_monitor_read(s, WARP, 1, 5);
	assert_int_equal(s->fence.flags[WARP], 0x21);
	hd_monitor_commit(t->core, 0, 40);
	assert_int_equal(s->fence.flags[WARP], 0);
	assert_int_equal(s->queue[HD_PIPE_ALU].next, 41);
	assert_int_equal(s->n_releases, 0);
	hd_monitor_commit(t->core, 0, 41); /* nothing falls twice */
	assert_int_equal(s->fence.value[WARP][0], 0);
	stage_free(t);
}

/* HZ-21: a warp comes back when all counters that it watches are clear, whatever else is outstanding. */
TEST(a_warp_comes_back_when_all_its_counters_are_clear)
{
	stage_rig *t = monitor_new();
	hd_scheduler *s = t->s;
	raise_counter(t, 1, 1);
	raise_counter(t, 5, 1);
	raise_counter(t, 6, 1);
	send_back(t, 0x30);
	hd_monitor_written(t->core, 0, WARP, 5, HD_GROUPS, 40);
	assert_int_equal(s->descheduled, BIT);
	assert_false(s->touched);
	hd_monitor_written(t->core, 0, OTHER, 6, 0, 40); /* the counter of another warp */
	assert_int_equal(s->descheduled, BIT);
	hd_monitor_written(t->core, 0, WARP, 6, HD_GROUPS, 41);
	assert_int_equal(s->descheduled, 0);
	assert_true(s->touched);
	assert_int_equal(s->fence.flags[WARP], 1);
	stage_free(t);
}

/* HZ-18: a primary whose counter is full comes back when the counter has room for it, long before the counter is clear. */
TEST(a_primary_comes_back_when_its_counter_has_room)
{
	stage_rig *t = monitor_new();
	hd_scheduler *s = t->s;
	raise_counter(t, 2, 7);
	raise_counter(t, 5, 7);
	send_back(t, 0x2);
	s->for_room = BIT;
	assert_int_equal(s->fence.full[WARP], 0x12);
	hd_monitor_written(t->core, 0, WARP, 5, HD_GROUPS, 40); /* room, but in another counter */
	assert_int_equal(s->descheduled, BIT);
	hd_monitor_written(t->core, 0, WARP, 2, HD_GROUPS, 41);
	assert_int_equal(s->descheduled | s->for_room, 0);
	assert_true(s->touched);
	assert_int_equal(s->fence.value[WARP][1], 6 * HD_GROUPS);
	stage_free(t);
}

/* HZ-18: a primary that waits for wait counters comes back when no secondary waits for its counter in a queue. A fence counter that falls does not
 * bring it back. A fall of wait counters does not bring back a warp that waits for room or for a fence counter. */
TEST(each_reason_to_wait_has_its_own_end)
{
	stage_rig *t = monitor_new();
	hd_scheduler *s = t->s;
	raise_counter(t, 2, 1);
	hd_waiters_raise(&s->waiters, WARP, 0x2);
	hd_waiters_raise(&s->waiters, WARP, 0x1);
	send_back(t, 0x2);
	s->for_waiters = BIT;
	hd_monitor_written(t->core, 0, WARP, 2, HD_GROUPS, 40);
	assert_int_equal(s->for_waiters, BIT);
	hd_waiters_lower(&s->waiters, WARP, 0x1);
	hd_monitor_waiters(s, WARP);
	assert_int_equal(s->for_waiters, BIT);
	assert_false(s->touched);
	hd_waiters_lower(&s->waiters, WARP, 0x2);
	hd_monitor_waiters(s, WARP);
	assert_int_equal(s->for_waiters | s->descheduled, 0);
	assert_true(s->touched);

	raise_counter(t, 2, 1);
	send_back(t, 0x2);
	hd_monitor_waiters(s, WARP);
	assert_int_equal(s->descheduled, BIT);
	s->for_room = BIT;
	hd_monitor_written(t->core, 0, WARP, 2, HD_GROUPS, 41); /* clear, but the counter was not full */
	assert_int_equal(s->descheduled, BIT);
	stage_free(t);
}

/* A candidate window that found nothing to send looks again when a counter of its warp clears or has room, or when nobody waits for it any more. */
TEST(windows_of_the_warp_look_again)
{
	for (unsigned what = 0; what < 4; what++) {
		stage_rig *t = monitor_new();
		hd_scheduler *s = t->s;
		raise_counter(t, 2, what == 2 ? 7 : 1);
		s->window_waits = BIT | 1u << OTHER;
		s->touched = false;
		switch (what) {
		case 0: /* neither clear nor out of room */
			hd_monitor_written(t->core, 0, WARP, 2, HD_GROUPS - 1, 40);
			break;
		case 3:
			hd_monitor_waiters(s, WARP);
			break;
		default:
			hd_monitor_written(t->core, 0, WARP, 2, HD_GROUPS, 40);
		}
		assert_int_equal(s->window_waits, what ? 1 << OTHER : 1 << OTHER | BIT);
		assert_int_equal(s->touched, what != 0);
		stage_free(t);
	}
}

/* HZ-8: only the value at the end of a cycle counts. A counter below zero or above its limit stops the run. */
TEST(a_counter_out_of_its_range_stops_the_run)
{
	static const int values[] = {-1, 0, 63, 64};
	for (unsigned i = 0; i < HD_COUNT(values); i++) {
		stage_rig *t = monitor_new();
		hd_scheduler *s = t->s;
		int value = values[i];
		bool wrong = value < 0 || value > 63;
		stage_start(t);
		hd_fence_publish(&s->fence, 0, 4, 70);
		hd_fence_publish(&s->fence, 0, 4, value);
		hd_monitor_judge(t->core, 0, 90);
		assert_int_equal(t->core->stopped, wrong);
		if (wrong) {
			const char *text = value < 0 ? "  fence counter 4 of warp slot 0 is -1, it counts from 0 to 63\n"
			                             : "  fence counter 4 of warp slot 0 is 64, it counts from 0 to 63\n";
			assert_int_equal(t->context.trap->kind, HD_TRAP_COUNTER);
			assert_int_equal(t->context.trap->cycle, 90);
			assert_string_equal(t->context.trap->text, text);
		}
		stage_free(t);
	}
}

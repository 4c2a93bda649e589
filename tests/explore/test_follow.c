/* The causes of warps' waits, and who ends them. Events are made by hand. */
#include "../test.h"

#include "explore/follow.h"

enum { WORDS = 16, LOAD = 1, STORE, ADD, BRANCH, BARRIER, USE, NOP };

typedef struct run {
	hd_machine machine;
	hd_object object;
	hd_slot slots[WORDS];
	hd_program program;
	hd_follow *follow;
} run;

static void put(run *r, unsigned at, hd_op op, unsigned d, unsigned a, unsigned primary, unsigned release, uint16_t wait)
{
	r->slots[at] = (hd_slot){.pipe = hd_ops[op].pipe};
	r->slots[at].inst = (hd_inst){.op = (uint8_t)op, .guard = HD_PT, .d = (uint8_t)d, .a = (uint8_t)a, .b = HD_RZ, .c = HD_RZ};
	r->slots[at].inst.primary = (uint8_t)primary;
	r->slots[at].inst.release = (uint8_t)release;
	r->slots[at].inst.wait = wait;
}

static run *begin(void)
{
	run *r = hd_xcalloc(1, sizeof *r);
	hd_machine_default(&r->machine);
	r->machine.machine_cores = r->machine.machine_schedulers = 2;
	r->machine.machine_warps = 4;
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = WORDS};
	put(r, LOAD, HD_OP_LDG, 10, 2, 5, 0, 0);
	put(r, STORE, HD_OP_STG, HD_RZ, 2, 2, 1, 0);
	put(r, ADD, HD_OP_IADD, 11, 12, 1, 0, 0);
	put(r, BRANCH, HD_OP_BRA, HD_RZ, HD_RZ, 0, 0, 0);
	put(r, BARRIER, HD_OP_BAR, HD_RZ, HD_RZ, 0, 0, 0);
	put(r, USE, HD_OP_IADD, 13, 10, 0, 0, 1 << 0 | 1 << 1 | 1 << 4);
	put(r, NOP, HD_OP_NOP, HD_RZ, HD_RZ, 0, 0, 0);
	r->follow = hd_follow_new(&r->machine, &r->program);
	return r;
}

static void end(run *r)
{
	hd_follow_free(r->follow);
	free(r);
}

/* Events of warp slot `slot` of scheduler 1 of core 1, whose CTA is number 3 of the core. */
static const hd_waited *tell(run *r, unsigned slot, hd_trace_event e)
{
	e.core = e.scheduler = 1;
	e.slot = (uint8_t)slot;
	return hd_follow_event(r->follow, &e);
}
static size_t place(unsigned slot) { return 12 + slot; }
static void starts(run *r, unsigned slot, uint64_t cycle, uint32_t warp)
{
	tell(r, slot, (hd_trace_event){.kind = HD_TRACE_BEGIN, .cycle = cycle, .warp = warp, .cta_serial = 3, .mask = 7, .cta = {4, 5, 6}});
}
static const hd_waited *issues(run *r, unsigned slot, uint32_t pc, uint32_t number, uint64_t cycle)
{
	return tell(r, slot, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = cycle, .pc = pc, .number = number, .slots = 1});
}
static const hd_waited *at(run *r, unsigned slot, hd_trace_kind kind, uint32_t number, uint64_t cycle)
{
	return tell(r, slot, (hd_trace_event){.kind = kind, .cycle = cycle, .number = number});
}
static void expect_link(const hd_reason *reason, unsigned i, hd_link_kind kind, uint32_t counter, size_t from, uint32_t number)
{
	assert_true(i < reason->n_links);
	assert_int_equal(reason->links[i].kind, kind);
	assert_int_equal(reason->links[i].counter, counter);
	assert_int_equal(reason->links[i].place, from);
	assert_int_equal(reason->links[i].number, number);
}

TEST(a_secondary_is_linked_to_its_primaries)
{
	run *r = begin();
	starts(r, 0, 0, 0);
	issues(r, 0, LOAD, 1, 10);
	issues(r, 0, STORE, 2, 11);
	issues(r, 0, ADD, 3, 12);
	const hd_waited *w = issues(r, 0, USE, 4, 13);
	assert_int_equal(w->reason.cause, HD_NO_CAUSE);
	assert_int_equal(w->reason.n_links, 3);
	expect_link(&w->reason, 0, HD_LINK_QUEUE, 1, place(0), 3);
	expect_link(&w->reason, 1, HD_LINK_QUEUE, 2, place(0), 2);
	expect_link(&w->reason, 2, HD_LINK_QUEUE, 5, place(0), 1);
	/* A store that has read its operands is released, a load is when it is done, and so is what was dropped. */
	at(r, 0, HD_TRACE_ENTER, 1, 20);
	at(r, 0, HD_TRACE_ENTER, 2, 21);
	at(r, 0, HD_TRACE_DROP, 3, 22);
	w = issues(r, 0, USE, 5, 23);
	assert_int_equal(w->reason.n_links, 1);
	expect_link(&w->reason, 0, HD_LINK_QUEUE, 5, place(0), 1);
	at(r, 0, HD_TRACE_DONE, 1, 30);
	assert_int_equal(issues(r, 0, USE, 6, 31)->reason.n_links, 0);
	/* The primaries of another warp are others. */
	starts(r, 1, 0, 1);
	issues(r, 0, LOAD, 7, 40);
	assert_int_equal(issues(r, 1, USE, 8, 41)->reason.n_links, 0);
	end(r);
}

TEST(a_descheduled_warp_waits_until_its_next_issue)
{
	run *r = begin();
	starts(r, 2, 0, 0);
	issues(r, 2, LOAD, 1, 10);
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 12, .counters = 1 << 4, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	at(r, 2, HD_TRACE_DONE, 1, 50);
	const hd_waited *w = issues(r, 2, USE, 2, 52);
	assert_int_equal(w->reason.cause, HD_STALL_HIGH_LATENCY);
	assert_int_equal(w->reason.since, 12);
	assert_int_equal(w->reason.counters, 1 << 4);
	assert_int_equal(w->reason.n_links, 1);
	expect_link(&w->reason, 0, HD_LINK_ISSUE, 5, place(2), 1);
	w = issues(r, 2, ADD, 3, 53);
	assert_int_equal(w->reason.cause, HD_NO_CAUSE);
	/* HZ-18: what holds a wait counter is the secondary in its queue. */
	issues(r, 2, USE, 4, 54);
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 55, .counters = 1, .cause = HD_STALL_WAIT_COUNTER, .pc = ADD});
	w = issues(r, 2, ADD, 5, 60);
	expect_link(&w->reason, 0, HD_LINK_ISSUE, 1, place(2), 4);
	end(r);
}

static const hd_waited *counts(run *r, unsigned slot, unsigned counter, unsigned value, uint64_t cycle)
{
	return tell(r, slot,
	            (hd_trace_event){.kind = HD_TRACE_COUNTER, .cycle = cycle, .counter = (uint8_t)counter, .value = (uint16_t)value, .number = 99});
}

/* A wait ends with what ended it. Until the issue the warp is ready, or something else holds it. */
TEST(a_wait_for_counters_ends_with_the_last_of_them)
{
	run *r = begin();
	starts(r, 2, 0, 0);
	issues(r, 2, LOAD, 1, 10);
	issues(r, 2, STORE, 2, 10);
	counts(r, 2, 5, 8, 10);
	counts(r, 2, 2, 8, 10);
	tell(r, 2,
	     (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 12, .counters = 1 << 4 | 1 << 1, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	counts(r, 3, 5, 0, 18); /* another warp's */
	counts(r, 2, 5, 4, 19);
	counts(r, 2, 5, 0, 20); /* counter 2 is up */
	counts(r, 2, 3, 0, 21);
	counts(r, 2, 2, 0, 30);
	const hd_waited *w = issues(r, 2, USE, 3, 52);
	assert_int_equal(w->reason.cause, HD_STALL_HIGH_LATENCY);
	assert_int_equal(w->reason.since, 12);
	assert_int_equal(w->reason.until, 30);
	/* A counter that is down but not published (HZ-36), and one of which a part is enough: nobody tells the end. */
	for (unsigned full = 0; full < 2; full++) {
		issues(r, 2, LOAD, 4 + 2 * full, 60 + 10 * full);
		counts(r, 2, 5, full ? 8 : 0, 61 + 10 * full);
		tell(r, 2,
		     (hd_trace_event){.kind = HD_TRACE_DESCHEDULE,
		                      .cycle = 62 + 10 * full,
		                      .counters = 1 << 4,
		                      .cause = full ? HD_STALL_COUNTER_FULL : HD_STALL_HIGH_LATENCY,
		                      .pc = USE});
		counts(r, 2, 5, 0, 63 + 10 * full);
		w = issues(r, 2, USE, 5 + 2 * full, 66 + 10 * full);
		assert_int_equal(w->reason.until, 66 + 10 * full);
	}
	/* The next warp in the slot begins with counters at zero. */
	counts(r, 2, 5, 8, 80);
	starts(r, 2, 90, 1);
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 92, .counters = 1 << 4, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	counts(r, 2, 5, 0, 93);
	end(r);
}

/* HZ-18: the last secondary that leaves its queue lets the warp go. */
TEST(a_wait_counter_holds_until_its_queue_is_empty)
{
	run *r = begin();
	starts(r, 2, 0, 0);
	issues(r, 2, USE, 1, 10);
	issues(r, 2, USE, 2, 11);
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 12, .counters = 1, .cause = HD_STALL_WAIT_COUNTER, .pc = ADD});
	at(r, 2, HD_TRACE_ENTER, 1, 20);
	at(r, 2, HD_TRACE_DROP, 2, 22);
	const hd_waited *w = issues(r, 2, ADD, 3, 30);
	assert_int_equal(w->reason.cause, HD_STALL_WAIT_COUNTER);
	assert_int_equal(w->reason.until, 22);
	issues(r, 2, USE, 4, 31);
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 32, .counters = 1, .cause = HD_STALL_WAIT_COUNTER, .pc = ADD});
	at(r, 2, HD_TRACE_ENTER, 4, 40);
	assert_int_equal(issues(r, 2, ADD, 5, 50)->reason.until, 40);
	end(r);
}

/* HZ-36: the primary is done, and the counter's status is not published. */
TEST(a_counter_that_is_down_is_linked_to_who_raised_it)
{
	run *r = begin();
	starts(r, 2, 0, 0);
	issues(r, 2, LOAD, 1, 10);
	issues(r, 2, LOAD, 2, 11);
	issues(r, 2, STORE, 3, 12);
	at(r, 2, HD_TRACE_DONE, 1, 20);
	at(r, 2, HD_TRACE_DONE, 2, 21);
	tell(r, 2,
	     (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 22, .counters = 1 << 4 | 1 << 1, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	const hd_waited *w = issues(r, 2, NOP, 4, 30);
	assert_int_equal(w->reason.n_links, 2);
	expect_link(&w->reason, 0, HD_LINK_ISSUE, 2, place(2), 3);
	expect_link(&w->reason, 1, HD_LINK_ISSUE, 5, place(2), 2);
	starts(r, 2, 40, 1); /* another warp */
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 42, .counters = 1 << 4, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	assert_int_equal(issues(r, 2, NOP, 5, 50)->reason.n_links, 0);
	/* Who keeps a counter up comes before who raised it last. */
	issues(r, 2, LOAD, 6, 51);
	issues(r, 2, LOAD, 7, 52);
	at(r, 2, HD_TRACE_DONE, 7, 60);
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 61, .counters = 1 << 4, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	w = issues(r, 2, NOP, 8, 70);
	assert_int_equal(w->reason.n_links, 1);
	expect_link(&w->reason, 0, HD_LINK_ISSUE, 5, place(2), 6);
	end(r);
}

TEST(a_branch_holds_its_warp_until_it_is_decided)
{
	run *r = begin();
	starts(r, 0, 0, 0);
	issues(r, 0, BRANCH, 1, 10);
	at(r, 0, HD_TRACE_ENTER, 1, 12);
	at(r, 0, HD_TRACE_DONE, 1, 14);
	const hd_waited *w = issues(r, 0, ADD, 2, 19);
	assert_int_equal(w->reason.cause, HD_STALL_FLOW);
	assert_int_equal(w->reason.since, 11);
	assert_int_equal(w->reason.until, 14); /* behind it the warp waits for its fetch, or for its turn */
	expect_link(&w->reason, 0, HD_LINK_FLOW, 0, place(0), 1);
	end(r);
}

TEST(the_last_warp_at_a_barrier_releases_the_others)
{
	run *r = begin();
	for (unsigned slot = 0; slot < 4; slot++)
		starts(r, slot, 0, slot);
	for (unsigned slot = 0; slot < 3; slot++) {
		issues(r, slot, BARRIER, 10 + slot, 20 + slot);
		at(r, slot, HD_TRACE_DONE, 10 + slot, 30 + 10 * slot);
		tell(r, slot, (hd_trace_event){.kind = HD_TRACE_ARRIVE, .cycle = 30 + 10 * slot, .barrier = 2});
	}
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_RELEASE, .cycle = 50, .barrier = 2, .mask = 1 << 0 | 1 << 2});
	const hd_waited *w = issues(r, 0, ADD, 20, 55);
	assert_int_equal(w->reason.cause, HD_STALL_BARRIER);
	assert_int_equal(w->reason.since, 30);
	assert_int_equal(w->reason.until, 50);
	assert_int_equal(w->reason.n_links, 1);
	expect_link(&w->reason, 0, HD_LINK_BARRIER, 2, place(2), 12);
	assert_int_not_equal(issues(r, 2, ADD, 21, 56)->reason.cause, HD_STALL_BARRIER);
	/* A warp that arrives without waiting goes on. */
	assert_int_not_equal(issues(r, 1, ADD, 22, 57)->reason.cause, HD_STALL_BARRIER);
	end(r);
}

/* Another CTA, another barrier: their warps wait on. A barrier that nobody completed by coming has no link. */
TEST(a_barrier_releases_its_own_warps)
{
	run *r = begin();
	for (unsigned slot = 0; slot < 4; slot++) {
		tell(r, slot, (hd_trace_event){.kind = HD_TRACE_BEGIN, .warp = slot, .cta_serial = slot == 3 ? 4 : 3, .mask = 7});
		issues(r, slot, BARRIER, 10 + slot, 20);
		at(r, slot, HD_TRACE_DONE, 10 + slot, 30);
		tell(r, slot, (hd_trace_event){.kind = HD_TRACE_ARRIVE, .cycle = 30, .barrier = slot == 2 ? 5 : 2});
	}
	tell(r, 1, (hd_trace_event){.kind = HD_TRACE_RELEASE, .cycle = 50, .barrier = 2, .mask = 15});
	for (unsigned slot = 1; slot < 4; slot += 2)
		assert_int_equal(issues(r, slot, ADD, 30 + slot, 54)->reason.cause == HD_STALL_BARRIER, slot == 1);
	const hd_waited *w = issues(r, 0, ADD, 20, 55);
	assert_int_equal(w->reason.cause, HD_STALL_BARRIER);
	assert_int_equal(w->reason.n_links, 0);
	tell(r, 2, (hd_trace_event){.kind = HD_TRACE_RELEASE, .cycle = 60, .barrier = 5, .mask = 15});
	assert_int_equal(issues(r, 2, ADD, 21, 65)->reason.until, 60);
	end(r);
}

/* `bar` without waiting. */
TEST(a_warp_that_only_arrives_has_waited_for_nothing)
{
	run *r = begin();
	starts(r, 0, 0, 0);
	issues(r, 0, BARRIER, 1, 10);
	at(r, 0, HD_TRACE_DONE, 1, 11);
	tell(r, 0, (hd_trace_event){.kind = HD_TRACE_ARRIVE, .cycle = 11, .barrier = 1});
	const hd_waited *w = issues(r, 0, ADD, 2, 20);
	assert_int_equal(w->reason.cause, HD_NO_CAUSE); /* it was decided in the cycle behind its issue */
	assert_int_equal(w->reason.n_links, 0);
	end(r);
}

TEST(links_have_a_bound_and_are_there_once)
{
	run *r = begin();
	starts(r, 0, 0, 0);
	for (uint32_t i = 1; i <= HD_LINKS_MAX + 3; i++)
		issues(r, 0, LOAD, i, i);
	tell(r, 0, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 30, .counters = 1 << 4, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	const hd_waited *w = issues(r, 0, NOP, 50, 60);
	assert_int_equal(w->reason.n_links, HD_LINKS_MAX);
	for (unsigned i = 0; i < HD_LINKS_MAX; i++)
		expect_link(&w->reason, i, HD_LINK_ISSUE, 5, place(0), HD_LINKS_MAX + 3 - i);
	starts(r, 0, 70, 1);
	issues(r, 0, LOAD, 51, 71);
	for (uint64_t turn = 0; turn < 2; turn++) /* it could not issue, twice */
		tell(
		    r, 0,
		    (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 72 + turn, .counters = 1 << 4, .cause = HD_STALL_HIGH_LATENCY, .pc = USE});
	w = issues(r, 0, NOP, 52, 80);
	assert_int_equal(w->reason.n_links, 1);
	expect_link(&w->reason, 0, HD_LINK_ISSUE, 5, place(0), 51);
	end(r);
}

/* A slot is empty when a warp begins, and an instruction that is in its pipe holds no wait counter. */
TEST(nothing_is_left_that_cannot_hold)
{
	run *r = begin();
	starts(r, 0, 0, 0);
	issues(r, 0, LOAD, 1, 10);
	starts(r, 0, 20, 1);
	assert_int_equal(issues(r, 0, USE, 2, 21)->reason.n_links, 0);
	at(r, 0, HD_TRACE_ENTER, 2, 22);
	tell(r, 0, (hd_trace_event){.kind = HD_TRACE_DESCHEDULE, .cycle = 23, .counters = 1, .cause = HD_STALL_WAIT_COUNTER, .pc = ADD});
	const hd_waited *w = issues(r, 0, ADD, 3, 24);
	assert_int_equal(w->reason.cause, HD_STALL_WAIT_COUNTER);
	assert_int_equal(w->reason.n_links, 0);
	end(r);
}

TEST(a_scoreboard_names_the_writers)
{
	run *r = begin();
	starts(r, 0, 0, 0);
	issues(r, 0, LOAD, 1, 10);
	issues(r, 0, ADD, 2, 11);
	for (unsigned i = 0; i < 2; i++)
		tell(r, 0,
		     (hd_trace_event){.kind = HD_TRACE_LOST, .cycle = 12 + i, .cycles = 1, .slots = 1, .cause = HD_STALL_SCOREBOARD, .pc = USE});
	const hd_waited *w = issues(r, 0, USE, 3, 30);
	assert_int_equal(w->reason.cause, HD_STALL_SCOREBOARD);
	assert_int_equal(w->reason.since, 12);
	assert_int_equal(w->reason.until, 30);
	expect_link(&w->reason, 0, HD_LINK_REGISTER, 0, place(0), 1);
	for (unsigned i = 0; i < w->reason.n_links; i++)
		assert_true(w->reason.links[i].kind != HD_LINK_REGISTER || w->reason.links[i].number == 1);
	/* In the next round of a loop it is held again, here by one word of two. */
	r->slots[LOAD].inst.d = 9;
	r->slots[LOAD].inst.sub = HD_SIZE_64;
	tell(r, 0, (hd_trace_event){.kind = HD_TRACE_LOST, .cycle = 31, .cycles = 1, .slots = 1, .cause = HD_STALL_SCOREBOARD, .pc = USE});
	w = issues(r, 0, USE, 4, 32);
	assert_int_equal(w->reason.cause, HD_STALL_SCOREBOARD);
	assert_int_equal(w->reason.since, 31);
	expect_link(&w->reason, 0, HD_LINK_REGISTER, 0, place(0), 3); /* both write r13 */
	expect_link(&w->reason, 1, HD_LINK_REGISTER, 0, place(0), 1);
	end(r);
}

static const hd_waited *waits(run *r, unsigned slot, unsigned cause, uint32_t pc, uint64_t cycle)
{
	return tell(r, slot, (hd_trace_event){.kind = HD_TRACE_WAIT, .cycle = cycle, .cause = (uint8_t)cause, .pc = pc});
}

static void expect_wait(const hd_waited *w, unsigned cause, uint32_t pc, uint64_t since, uint64_t until)
{
	assert_int_equal(w->wait.cause, cause);
	if (cause == HD_NO_CAUSE)
		return;
	assert_int_equal(w->wait.place, place(3));
	assert_int_equal(w->wait.pc, pc);
	assert_int_equal(w->wait.since, since);
	assert_int_equal(w->wait.until, until);
}

/* The core says what a warp waits for, and the wait is over with the next thing that it says, or with the warp. */
TEST(a_wait_ends_with_the_next_one)
{
	run *r = begin();
	starts(r, 3, 7, 2);
	expect_wait(waits(r, 3, HD_STALL_FETCH, LOAD, 7), HD_NO_CAUSE, 0, 0, 0);
	expect_wait(waits(r, 2, HD_STALL_DELAY, ADD, 8), HD_NO_CAUSE, 0, 0, 0); /* another warp's */
	expect_wait(waits(r, 3, HD_STALL_COUNT, LOAD, 9), HD_STALL_FETCH, LOAD, 7, 9);
	expect_wait(waits(r, 3, HD_STALL_SCOREBOARD, ADD, 11), HD_NO_CAUSE, 0, 0, 0);
	expect_wait(issues(r, 3, ADD, 1, 12), HD_NO_CAUSE, 0, 0, 0);
	expect_wait(at(r, 3, HD_TRACE_END, 0, 14), HD_STALL_SCOREBOARD, ADD, 11, 14);
	starts(r, 3, 14, 2);
	waits(r, 3, HD_STALL_DELAY, ADD, 14);
	expect_wait(at(r, 3, HD_TRACE_END, 0, 14), HD_NO_CAUSE, 0, 0, 0); /* it lasted no cycle */
	end(r);
}

TEST(warps_end_with_all_they_waited_for)
{
	run *r = begin();
	starts(r, 3, 7, 2);
	issues(r, 3, BRANCH, 1, 10);
	const hd_waited *w = at(r, 3, HD_TRACE_END, 0, 14);
	assert_true(w->ended);
	assert_int_equal(w->warp.begun, 7);
	assert_int_equal(w->warp.warp, 2);
	assert_int_equal(w->warp.lanes, 7);
	assert_int_equal(w->warp.cta[1], 5);
	assert_false(hd_follow_end(r->follow, place(3), 20)->ended);
	starts(r, 3, 20, 0);
	waits(r, 3, HD_STALL_DELAY, ADD, 22);
	w = hd_follow_end(r->follow, place(3), 30);
	assert_true(w->ended);
	expect_wait(w, HD_STALL_DELAY, ADD, 22, 30);
	/* An event of no warp is no event of a slot. */
	expect_wait(tell(r, HD_TRACE_NO_WARP, (hd_trace_event){.kind = HD_TRACE_LOST, .cycles = 1}), HD_NO_CAUSE, 0, 0, 0);
	assert_int_equal(hd_follow_places(r->follow), (size_t)hd_machine_cores(&r->machine) * 8);
	end(r);
}

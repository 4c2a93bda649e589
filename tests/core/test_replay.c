/* The replay buffer (PD-10, PD-15, PD-16; docs/timing.md, "Replays"): order, readiness, and what a refusal leaves to be done. The tests put entries
 * into the buffer by hand and ask it. */
#include "stage_rig.h"

#include "core/execute/replay.h"
#include "core/observe/tracing.h"
#include "core/issue/dispatch.h"

enum { NOW = 100, LATENCY = 5 };

static uint8_t may_replay(void) { return (uint8_t)(HD_HINT_MAY_REPLAY << 4 | 1); }

/* Places in the program. */
enum { LOAD_SHARED, STORE_SHARED, LOAD_GLOBAL, STORE_GLOBAL, VOLATILE, VOLATILE_SHARED, UNMARKED, PLACES };

typedef struct setup {
	stage_rig *t;
	hd_scheduler *s;
	hd_replays *r;
	hd_stats *stats;
	uint32_t at[PLACES];
} setup;

static setup setup_new(unsigned entries)
{
	setup u = {0};
	rig *r = rig_new(64);
	r->machine.predecode_replay = entries;
	r->machine.latency[HD_CLASS_LSU] = (hd_timing){.latency = LATENCY, .interval = 1};
	r->launch.block[0] = 64;
	hd_inst ordered = load(HD_OP_LDG, 9, 2, 0);
	ordered.mod = HD_CACHE_VOLATILE;
	hd_inst ordered_shared = load(HD_OP_LDS, 9, HD_RZ, 0);
	ordered_shared.mod = HD_CACHE_VOLATILE;
	u.at[LOAD_SHARED] = rig_put(r, load(HD_OP_LDS, 7, HD_RZ, 0), may_replay());
	u.at[STORE_SHARED] = rig_put(r, store(HD_OP_STS, 4, 0, 5), may_replay());
	u.at[LOAD_GLOBAL] = rig_put(r, load(HD_OP_LDG, 8, 2, 0), may_replay());
	u.at[STORE_GLOBAL] = rig_put(r, store(HD_OP_STG, 2, 0, 5), may_replay());
	u.at[VOLATILE] = rig_put(r, ordered, may_replay());
	u.at[VOLATILE_SHARED] = rig_put(r, ordered_shared, may_replay());
	u.at[UNMARKED] = rig_put(r, store(HD_OP_STS, 4, 0, 5), delay(1));
	u.t = stage_new(r);
	stage_start(u.t);
	u.s = u.t->s;
	u.r = &u.s->replay;
	u.stats = u.t->context.stats;
	return u;
}

static void setup_free(setup *u) { stage_free(u->t); }

/* An instruction of a warp that has read its operands in cycle `issued` + 1. */
static hd_flight *flight_of(setup *u, unsigned warp, unsigned place, uint64_t issued)
{
	hd_flight *flight = stage_flight(u->t, warp, u->at[place], ~0u);
	flight->memory = hd_new_access(u->t->core, u->s, warp, &u->t->rig->slots[u->at[place]], ~0u);
	flight->since = issued;
	flight->may_refuse = u->t->core->code[u->at[place]].effects & HD_EFFECT_REPLAY;
	flight->done = 0;
	flight->refusals = flight->tickets = 0;
	u->s->warp[warp].in_flight++;
	u->s->warp[warp].memory++;
	u->r->reserved++;
	return flight;
}

/* The unit refuses it, as a whole, until cycle `retry`. */
static void refuse(setup *u, hd_flight *flight, uint64_t now, uint64_t retry)
{
	flight->memory->result.left = flight->memory->access.mask;
	flight->memory->result.why = HD_REFUSED_MISSES;
	flight->memory->result.times = 1;
	flight->memory->result.retry = retry;
	assert_false(hd_replay_served(u->t->core, flight, now));
}

/* A plain load passes a plain load, and an access to one space passes an access to another. Every other access of the warp is refused. */
TEST(only_harmless_accesses_pass_a_refused_one)
{
	static const struct {
		unsigned first, second;
		bool passes;
	} rows[] = {
	    {LOAD_SHARED, LOAD_SHARED, true},      {LOAD_SHARED, STORE_SHARED, false},     {STORE_SHARED, LOAD_SHARED, false},
	    {STORE_SHARED, LOAD_GLOBAL, true},     {STORE_GLOBAL, LOAD_GLOBAL, false},     {STORE_GLOBAL, STORE_SHARED, true},
	    {LOAD_GLOBAL, VOLATILE, false},        {STORE_SHARED, VOLATILE, false},        {VOLATILE, LOAD_GLOBAL, false},
	    {VOLATILE_SHARED, LOAD_GLOBAL, false}, {STORE_GLOBAL, VOLATILE_SHARED, false}, {LOAD_SHARED, VOLATILE_SHARED, false},
	    {STORE_SHARED, UNMARKED, false},       {STORE_GLOBAL, STORE_GLOBAL, false},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		for (unsigned other = 0; other < 2; other++) { /* of another warp everything passes */
			setup u = setup_new(8);
			bool passes = rows[i].passes || other;
			refuse(&u, flight_of(&u, 0, rows[i].first, 10), NOW, NOW + 50);
			hd_flight *second = flight_of(&u, other, rows[i].second, 12);
			hd_flight *got = hd_replay_arrives(u.t->core, second, NOW + 1);
			assert_true(passes ? got == second : !got);
			assert_int_equal(u.stats->predecode_refused_order, !passes);
			assert_int_equal(u.r->n, passes ? 1 : 2);
			/* Turning it away takes the unit's cycle. */
			assert_int_equal(hd_lsu_free_at(u.t->core->lsu, HD_PIPE_LSU), passes ? 0 : NOW + 2);
			setup_free(&u);
		}
	}
}

/* The unit may refuse an instruction with the hint may_replay (PD-10), at most eight times in a row. */
TEST(the_unit_may_refuse_marked_instructions)
{
	setup u = setup_new(8);
	hd_flight *marked = flight_of(&u, 0, LOAD_GLOBAL, 10), *unmarked = flight_of(&u, 1, UNMARKED, 10);
	for (unsigned i = 0; i <= HD_REPLAY_LIMIT; i++) {
		assert_ptr_equal(hd_replay_arrives(u.t->core, marked, NOW + i), marked);
		assert_int_equal(marked->memory->access.may_refuse, i < HD_REPLAY_LIMIT);
		if (i < HD_REPLAY_LIMIT)
			refuse(&u, marked, NOW + i, 0);
	}
	assert_int_equal(u.stats->predecode_refused_misses, HD_REPLAY_LIMIT);
	assert_ptr_equal(hd_replay_arrives(u.t->core, unmarked, NOW), unmarked);
	assert_false(unmarked->memory->access.may_refuse);
	setup_free(&u);
}

/* A refusal leaves the lanes that were not served. When some lane was served, the count of refusals begins again. */
TEST(a_refusal_leaves_the_lanes_that_were_not_served)
{
	setup u = setup_new(8);
	hd_flight *flight = flight_of(&u, 0, LOAD_GLOBAL, 10);
	refuse(&u, flight, NOW, 0);
	assert_int_equal(flight->refusals, 1);
	assert_false(flight->memory->access.again);
	flight->memory->result.left = 0xffff;
	flight->memory->result.done = NOW + 70;
	assert_false(hd_replay_served(u.t->core, flight, NOW + 5));
	flight->memory->result.left = 0xff;
	flight->memory->result.done = NOW + 90;
	assert_false(hd_replay_served(u.t->core, flight, NOW + 9));
	assert_int_equal(flight->refusals, 0);
	assert_int_equal(flight->memory->access.mask, 0xff);
	assert_true(flight->memory->access.again);
	/* The rest is served: the result comes with the lane that is last. The entry is free. */
	flight->memory->result.left = 0;
	flight->memory->result.done = NOW + 60;
	assert_true(hd_replay_served(u.t->core, flight, NOW + 20));
	assert_int_equal(flight->memory->result.done, NOW + 90);
	assert_int_equal(u.r->n, 0);
	assert_int_equal(u.r->reserved, 0);
	assert_true(u.r->next == HD_NEVER);
	setup_free(&u);
}

/* A replay issues so that it reaches the unit in the cycle that the unit named. It issues in the next cycle at the earliest. */
TEST(a_replay_issues_in_time_for_the_unit)
{
	static const uint64_t rows[][2] = {{0, NOW + 1}, {NOW + 1 + LATENCY, NOW + 1}, {NOW + 2 + LATENCY, NOW + 1}, {NOW + 40, NOW + 39 - LATENCY}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		setup u = setup_new(8);
		u.s->idle_until = HD_NEVER;
		refuse(&u, flight_of(&u, 0, LOAD_GLOBAL, 10), NOW, rows[i][0]);
		assert_int_equal(u.r->next, rows[i][1]);
		assert_int_equal(u.s->idle_until, rows[i][1]);
		setup_free(&u);
	}
}

/* With bank conflicts the number of passes is known, and that many replays issue one behind the other. A refusal requests no further replay while
 * some are under way. */
TEST(passes_that_are_known_issue_one_behind_the_other)
{
	setup u = setup_new(8);
	hd_flight *flight = flight_of(&u, 0, LOAD_SHARED, 10);
	flight->memory->result.left = 0xfff0;
	flight->memory->result.why = HD_REFUSED_BANKS;
	flight->memory->result.times = 2;
	assert_false(hd_replay_served(u.t->core, flight, NOW));
	assert_int_equal(u.r->next, NOW + 1);
	for (unsigned i = 1; i <= 2; i++) {
		hd_replay_issue(u.t->core, u.s, NOW + i);
		assert_true(u.r->latched);
		assert_true(u.r->next == HD_NEVER);
		hd_replay_enter(u.t->core, 0, NOW + i + 1);
		assert_false(u.r->latched);
		assert_int_equal(flight->tickets, i);
	}
	assert_true(u.r->next == HD_NEVER);
	assert_int_equal(u.stats->predecode_replays, 2);
	/* The first of them reaches the stage, and the unit serves four lanes more. */
	hd_flight *ticket = u.t->core->stage[0].first;
	assert_ptr_equal(ticket->of, flight);
	assert_int_equal(ticket->exit, NOW + 2 + LATENCY);
	assert_ptr_equal(hd_replay_arrives(u.t->core, ticket, ticket->exit), flight);
	assert_int_equal(flight->tickets, 1);
	assert_ptr_equal(u.t->core->pool.flights, ticket);
	flight->memory->result.left = 0xff00;
	assert_false(hd_replay_served(u.t->core, flight, NOW + 2 + LATENCY));
	assert_true(u.r->next == HD_NEVER); /* the other one follows */
	assert_int_equal(u.stats->predecode_refused_banks, 2);
	setup_free(&u);
}

/* Replays of one warp that must keep their order do so, even if the younger one is ready first. A replay of another warp does not wait for them. */
TEST(replays_of_a_warp_keep_their_order)
{
	setup u = setup_new(8);
	hd_flight *first = flight_of(&u, 0, STORE_SHARED, 10);
	hd_flight *second = flight_of(&u, 0, LOAD_SHARED, 12), *other = flight_of(&u, 1, LOAD_SHARED, 11);
	refuse(&u, second, NOW, 0); /* the younger one was refused first */
	refuse(&u, first, NOW + 1, NOW + 30);
	assert_ptr_equal(u.r->at[0].flight, first);
	assert_ptr_equal(u.r->at[1].flight, second);
	assert_int_equal(u.r->next, NOW + 29 - LATENCY);
	refuse(&u, other, NOW + 2, 0);
	assert_int_equal(u.r->next, NOW + 3);
	hd_replay_issue(u.t->core, u.s, NOW + 3);
	assert_ptr_equal(u.r->at[u.r->latch].flight, other);
	setup_free(&u);
}

/* PD-16: an instruction is refused at the entry when the ports of the register file are taken, and has read nothing. While it waits, no memory
 * instruction of its warp enters. It reads when it enters. */
TEST(nothing_passes_an_instruction_that_has_not_read)
{
	setup u = setup_new(8);
	hd_write_controller *wc = &u.s->results;
	hd_sent sent = {.cycle = NOW - 1, .pc = u.at[STORE_SHARED], .mask = ~0u, .may_refuse = true},
	        younger = {.cycle = NOW, .pc = u.at[UNMARKED], .mask = ~0u};
	wc->ports.banks = wc->ports.ports[HD_PORT_READ] = wc->ports.ports[HD_PORT_WRITE] = 1;
	wc->ports.cycle = NOW;
	wc->ports.used[HD_PORT_READ][0] = 1;
	assert_true(hd_replay_parks(u.t->core, u.s, &sent, NOW));
	assert_int_equal(u.stats->predecode_refused_ports, 1);
	assert_int_equal(u.r->unread[HD_PIPE_LSU], 1);
	assert_int_equal(u.r->next, NOW + 1);
	assert_true(hd_replay_parks(u.t->core, u.s, &younger, NOW + 1));
	assert_int_equal(u.stats->predecode_refused_order, 1);
	assert_int_equal(u.r->reserved, 2);
	younger.warp = 1;
	assert_false(hd_replay_parks(u.t->core, u.s, &younger, NOW + 1));
	assert_int_equal(u.r->reserved, 3);
	/* Refused again at its entry: it issues again when it can. */
	hd_replay_issue(u.t->core, u.s, NOW + 2);
	wc->ports.cycle = NOW + 3;
	hd_replay_enter(u.t->core, 0, NOW + 3);
	assert_int_equal(u.stats->predecode_refused_ports, 2);
	assert_int_equal(u.r->n, 2);
	assert_int_equal(u.r->next, NOW + 4);
	hd_replay_issue(u.t->core, u.s, NOW + 4);
	hd_replay_enter(u.t->core, 0, NOW + 5);
	assert_int_equal(u.t->core->stage[0].first->pc, u.at[STORE_SHARED]);
	assert_int_equal(u.r->n, 1);
	assert_int_equal(u.r->unread[HD_PIPE_LSU], 1); /* the one behind it has not read either, and may go now */
	assert_int_equal(u.r->next, NOW + 2);
	hd_replay_issue(u.t->core, u.s, NOW + 5);
	hd_replay_enter(u.t->core, 0, NOW + 10); /* the reads of the first kept the port */
	assert_int_equal(u.r->n, 0);
	assert_int_equal(u.r->unread[HD_PIPE_LSU], 0);
	setup_free(&u);
}

/* Only an older access of its warp holds back an access that arrives. */
TEST(a_younger_refused_access_is_in_nobodys_way)
{
	setup u = setup_new(8);
	refuse(&u, flight_of(&u, 0, STORE_SHARED, 12), NOW, NOW + 50);
	refuse(&u, flight_of(&u, 1, STORE_SHARED, 8), NOW, NOW + 50);
	hd_flight *older = flight_of(&u, 0, LOAD_SHARED, 10);
	assert_ptr_equal(hd_replay_arrives(u.t->core, older, NOW + 1), older);
	setup_free(&u);
}

/* Two plain loads may pass each other at the unit, but not at the entry: the second one reads its operands after the first, even if it is ready
 * earlier. A refused access that has read holds back nobody's entry. */
TEST(operands_are_read_in_order)
{
	setup u = setup_new(8);
	hd_write_controller *wc = &u.s->results;
	hd_sent sent = {.cycle = NOW - 1, .pc = u.at[LOAD_GLOBAL], .mask = ~0u, .may_refuse = true},
	        younger = {.cycle = NOW, .pc = u.at[LOAD_GLOBAL], .mask = ~0u, .may_refuse = true};
	wc->ports.banks = wc->ports.ports[HD_PORT_READ] = 1;
	wc->ports.cycle = NOW;
	wc->ports.used[HD_PORT_READ][0] = 1;
	assert_true(hd_replay_parks(u.t->core, u.s, &sent, NOW));
	assert_true(hd_replay_parks(u.t->core, u.s, &younger, NOW));
	u.r->at[0].ready = NOW + 50;
	refuse(&u, flight_of(&u, 1, LOAD_SHARED, 10), NOW + 1, NOW + 90);
	assert_int_equal(u.r->next, NOW + 50);
	younger.cycle = NOW + 1;
	assert_true(hd_replay_parks(u.t->core, u.s, &younger, NOW + 2));
	assert_int_equal(u.r->n, 4);
	assert_int_equal(u.r->unread[HD_PIPE_LSU], 1); /* not warp 1 */
	setup_free(&u);
}

/* A replay that has issued stays the one that enters next, whatever comes into the buffer before it or leaves. */
TEST(the_replay_that_issued_keeps_its_turn)
{
	setup u = setup_new(8);
	hd_flight *first = flight_of(&u, 0, LOAD_SHARED, 10), *second = flight_of(&u, 0, LOAD_SHARED, 12), *third = flight_of(&u, 1, LOAD_SHARED, 13);
	refuse(&u, second, NOW, 0);
	hd_replay_issue(u.t->core, u.s, NOW + 1);
	assert_ptr_equal(u.r->at[u.r->latch].flight, second);
	refuse(&u, first, NOW + 1, 0); /* older, so that it stands before */
	assert_ptr_equal(u.r->at[0].flight, first);
	assert_ptr_equal(u.r->at[u.r->latch].flight, second);
	refuse(&u, third, NOW + 1, 0);
	first->memory->result.left = 0;
	assert_true(hd_replay_served(u.t->core, first, NOW + 1));
	assert_ptr_equal(u.r->at[0].flight, second);
	assert_ptr_equal(u.r->at[u.r->latch].flight, second);
	third->memory->result.left = 0; /* it stands behind */
	assert_true(hd_replay_served(u.t->core, third, NOW + 1));
	assert_ptr_equal(u.r->at[u.r->latch].flight, second);
	hd_replay_enter(u.t->core, 0, NOW + 2);
	assert_ptr_equal(u.t->core->stage[0].first->of, second);
	setup_free(&u);
}

typedef struct seen {
	hd_trace trace;
	unsigned n;
	uint64_t cycle, since;
} seen;

static void note(hd_trace *trace, const hd_trace_event *event)
{
	seen *all = (seen *)trace;
	if (event->kind != HD_TRACE_REPLAY)
		return;
	all->n++;
	all->cycle = event->cycle;
	all->since = event->since;
}

/* An observer hears of a replay, with the cycle of the instruction's issue. */
TEST(an_observer_hears_of_replays)
{
	setup u = setup_new(8);
	seen all = {.trace = {.event = note}};
	hd_tracing_attach(u.t->core, &all.trace);
	refuse(&u, flight_of(&u, 0, LOAD_GLOBAL, 10), NOW, 0);
	assert_int_equal(all.n, 0);
	hd_replay_issue(u.t->core, u.s, NOW + 1);
	assert_int_equal(all.n, 1);
	assert_int_equal(all.cycle, NOW + 1);
	assert_int_equal(all.since, 10);
	setup_free(&u);
}

/* An instruction without the hint is not refused for ports. */
TEST(an_unmarked_instruction_waits_for_its_ports)
{
	setup u = setup_new(8);
	hd_write_controller *wc = &u.s->results;
	hd_sent sent = {.cycle = NOW - 1, .pc = u.at[UNMARKED], .mask = ~0u};
	wc->ports.banks = wc->ports.ports[HD_PORT_READ] = wc->ports.ports[HD_PORT_WRITE] = 1;
	wc->ports.cycle = NOW;
	wc->ports.used[HD_PORT_READ][0] = 1;
	assert_false(hd_replay_parks(u.t->core, u.s, &sent, NOW));
	assert_int_equal(u.r->n, 0);
	setup_free(&u);
}

/* A replay that has issued waits for the pipe's entry. It takes no other issue slot. */
TEST(a_replay_waits_for_the_pipe)
{
	setup u = setup_new(8);
	refuse(&u, flight_of(&u, 0, LOAD_GLOBAL, 10), NOW, 0);
	hd_replay_issue(u.t->core, u.s, NOW + 1);
	assert_int_equal(u.r->enters, NOW + 2);
	u.s->pipe_free[HD_PIPE_LSU] = NOW + 4;
	for (uint64_t now = NOW + 2; now <= NOW + 4; now++) {
		hd_replay_enter(u.t->core, 0, now);
		assert_int_equal(u.r->latched, now < NOW + 4);
		assert_int_equal(u.r->enters, NOW + 4);
		if (u.r->latched)
			assert_null(u.t->core->stage[0].first);
	}
	assert_int_equal(u.t->core->stage[0].first->exit, NOW + 4 + LATENCY);
	setup_free(&u);
}

/* The queue waits while every entry is taken, and checks again when one is free. */
TEST(a_full_buffer_closes_the_pipe)
{
	setup u = setup_new(1);
	hd_flight *flight = flight_of(&u, 0, LOAD_GLOBAL, 10);
	assert_true(hd_replay_full(u.r));
	assert_true(hd_pipeline_accepts(u.t->core, u.s, HD_PIPE_LSU, NOW) == HD_NEVER);
	assert_int_equal(hd_pipeline_accepts(u.t->core, u.s, HD_PIPE_ALU, NOW), 0);
	hd_dispatch(u.t->core, 0, 1, u.at[LOAD_GLOBAL], NOW);
	u.s->queue[HD_PIPE_LSU].next = HD_NEVER;
	flight->memory->result.left = 0;
	assert_true(hd_replay_served(u.t->core, flight, NOW + 8));
	assert_false(hd_replay_full(u.r));
	assert_int_equal(u.s->queue[HD_PIPE_LSU].next, NOW + 8);
	setup_free(&u);
}

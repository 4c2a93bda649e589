/* The decision of a flow instruction (RC-16, RC-17; docs/timing.md, rule 5): what the rest of the core learns of it. What the flow unit computes is
 * in test_flow.c and test_stack.c. */
#include "stage_rig.h"

#include "core/flow/decide.h"
#include "core/flow/stack.h"
#include "core/residency/preempt.h"

enum { NOW = 100, ALL = -1 };

/* Two CTAs of two warps each: slots 0 and 1, 2 and 3. */
static stage_rig *two_ctas(rig *r)
{
	r->launch.block[0] = 64;
	r->launch.grid[0] = 2;
	stage_rig *t = stage_new(r);
	stage_start(t);
	stage_start(t);
	for (unsigned warp = 0; warp < 4; warp++) {
		t->s->fetch.buffered[warp] = 8;
		t->s->warp[warp].in_flight = 1;
	}
	t->cta = &t->core->ctas[0];
	return t;
}

/* The flow instruction at `pc` of a warp is decided for lanes `mask`; `value` is its operand b. Others of the warp stay in flight. */
static void decide_amid(stage_rig *t, unsigned warp, uint32_t pc, uint32_t mask, uint32_t value)
{
	t->s->flow[warp].pc = pc;
	t->s->deciding |= 1u << warp;
	t->s->touched = false;
	hd_flight *flight = stage_flight(t, warp, pc, mask);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		flight->out.r[0].v[lane] = flight->out.r[1].v[lane] = value;
	hd_decide(t->core, 0, flight, NOW);
	hd_pool_return(&t->core->pool, flight);
	assert_int_equal(t->s->deciding >> warp & 1, 0);
	assert_true(t->s->touched);
}

/* The same without others in flight. */
static void decide(stage_rig *t, unsigned warp, uint32_t pc, uint32_t mask, uint32_t value)
{
	decide_amid(t, warp, pc, mask, value);
	if (t->s->warp[warp].ended)
		hd_core_warp_left(t->core, t->s, warp, NOW);
}

/* A branch that is not taken uses the instructions that are there; a taken one begins to fetch at its target. The next instruction becomes so in
 * this cycle (PD-6). */
TEST(fetch_follows_the_decision)
{
	for (unsigned taken = 0; taken < 2; taken++) {
		rig *r = rig_new(4);
		uint32_t at = rig_put(r, branch(HD_OP_BRA, 3), delay(1));
		rig_put(r, movi(5, 1), hold_back(4));
		uint32_t target = rig_put(r, sreg(5, HD_SREG_LANEID), hold_back(2));
		stage_rig *t = two_ctas(r);
		decide(t, 0, at, taken ? ALL : 0, 0);
		assert_int_equal(t->s->flow[0].pc, taken ? target : at + 1);
		assert_int_equal(t->s->fetch.buffered[0], taken ? 0 : 7);
		assert_int_equal(t->s->fetch.starved & 1, taken);
		assert_int_equal(t->context.stats->predecode_flushes, taken);
		assert_int_equal(t->s->wake[0], NOW + (taken ? 2 : 4));
		assert_int_equal(t->s->next_pipe[0], 1u << (taken ? HD_PIPE_COORD : HD_PIPE_ALU));
		stage_free(t);
	}
}

/* RC-17: during the detection of livelocks a decision marks its warp. */
TEST(decisions_are_marked_while_livelocks_are_sought)
{
	for (unsigned watched = 0; watched < 2; watched++) {
		rig *r = rig_new(4);
		uint32_t at = rig_put(r, branch(HD_OP_BRA, 1), delay(1));
		stage_rig *t = two_ctas(r);
		t->watch.from = watched ? NOW : NOW + 1;
		decide(t, 1, at, ALL, 0);
		assert_int_equal(t->s->decided, watched ? 2 : 0);
		assert_int_equal(t->core->watched, watched);
		stage_free(t);
	}
}

/* RC-16: with the stack a divergent branch makes a token, otherwise lanes wait at their resume counters. */
TEST(the_configured_flow_unit_decides)
{
	for (unsigned stack = 0; stack < 2; stack++) {
		rig *r = rig_new(4);
		r->machine.divergence_mode = stack ? HD_DIV_STACK : HD_DIV_RESUME;
		uint32_t at = rig_put(r, branch(HD_OP_BRA, 4), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		stage_rig *t = two_ctas(r);
		decide(t, 0, at, 0xff, 0);
		assert_int_equal(t->s->flow[0].active, ~0xffu);
		assert_int_equal(t->s->flow[0].tokens->n, stack);
		assert_int_equal(t->s->flow[0].minrc, stack ? HD_INF : 4);
		stage_free(t);
	}
}

/* RC-17: a warp waits until the other warp of its CTA has come. Other CTAs have barriers of their own. The barriers and the place are noted. */
TEST(a_barrier_keeps_warps_until_all_of_the_cta_have_come)
{
	for (unsigned stack = 0; stack < 2; stack++) {
		rig *r = rig_new(4);
		r->machine.divergence_mode = stack ? HD_DIV_STACK : HD_DIV_RESUME;
		uint32_t at = rig_put(r, bar(18), delay(1)); /* barrier 18 modulo 16 = 2 */
		stage_rig *t = two_ctas(r);
		const uint64_t from = t->watch.from;
		decide(t, 0, at, 0, 0); /* no lane takes part */
		assert_int_equal(t->s->at_barrier, 0);
		assert_int_equal(t->cta->barriers.arrived[2], 0);
		decide(t, 0, at, 1, 0);
		assert_int_equal(t->s->at_barrier, 1);
		assert_int_equal(t->s->warp[0].barrier_pc, at);
		assert_int_equal(t->cta->waiting, 1);
		assert_int_equal(t->watch.waiting, 1);
		assert_int_equal(t->cta->barriers.waiting[2], 1);
		assert_int_equal(t->watch.from, from); /* no progress (RC-17) */
		assert_int_equal(t->s->flow[0].pc, at + 1);
		decide(t, 2, at, ALL, 0);
		assert_int_equal(t->s->at_barrier, 5);
		decide(t, 1, at, ALL, 0);
		assert_int_equal(t->s->at_barrier, 4);
		assert_int_equal(t->cta->waiting, 0);
		assert_int_equal(t->watch.waiting, 1);
		stage_free(t);
	}
}

/* RC-17: with convergence barriers the parts of a warp come one after the other, and the warp arrives once. */
TEST(parts_of_a_warp_arrive_once)
{
	rig *r = rig_new(4);
	r->machine.divergence_mode = HD_DIV_BARRIERS;
	uint32_t split = rig_put(r, branch(HD_OP_BRA, 3), delay(1));
	rig_put(r, movi(5, 1), delay(1));
	uint32_t at = rig_put(r, bar(2), delay(1));
	stage_rig *t = two_ctas(r);
	hd_warp_flow *flow = &t->s->flow[0];
	decide(t, 0, split, 0xff, 0);
	decide(t, 0, at, ~0xffu, 0);
	assert_int_equal(flow->active, 0xff);
	assert_int_equal(t->s->at_barrier, 0);
	assert_int_equal(t->cta->barriers.arrived[2], 0);
	decide(t, 0, at, 0xff, 0);
	assert_int_equal(flow->active, UINT32_MAX);
	assert_int_equal(flow->gathered, 0);
	assert_int_equal(flow->pc, at + 1);
	assert_int_equal(t->s->at_barrier, 1);
	assert_int_equal(t->cta->barriers.arrived[2], 1);
	stage_free(t);
}

/* Lanes that wait at a `bar` execute it again when those for which they wait exit. */
TEST(lanes_at_a_bar_do_not_wait_for_those_that_exit)
{
	rig *r = rig_new(4);
	r->machine.divergence_mode = HD_DIV_BARRIERS;
	uint32_t split = rig_put(r, branch(HD_OP_BRA, 3), delay(1)), at = rig_put(r, bar(2), delay(1)), end = rig_put(r, inst_(HD_OP_EXIT), delay(1));
	rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = two_ctas(r);
	hd_warp_flow *flow = &t->s->flow[0];
	decide(t, 0, split, 0xff, 0);
	decide(t, 0, at, ~0xffu, 0);
	decide(t, 0, end, 0xff, 0);
	assert_int_equal(flow->pc, at);
	assert_int_equal(flow->active, ~0xffu);
	assert_int_equal(t->cta->barriers.arrived[2], 0);
	decide(t, 0, at, ~0xffu, 0);
	assert_int_equal(flow->pc, at + 1);
	assert_int_equal(t->cta->barriers.arrived[2], 1);
	stage_free(t);
}

/* RC-17: with the stack the sides of a branch that come to a `bar` apart end the run, because the warp would arrive before all its lanes have come. A
 * `bar` of nobody, and one before the place where the other side waits, go on. */
TEST(sides_do_not_come_to_a_bar_apart)
{
	for (unsigned far = 0; far < 2; far++) {
		rig *r = rig_new(4);
		r->machine.divergence_mode = HD_DIV_STACK;
		uint32_t split = rig_put(r, branch(HD_OP_BRA, far ? 4 : 3), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		uint32_t at = rig_put(r, bar(2), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		stage_rig *t = two_ctas(r);
		decide(t, 0, split, 0xff, 0);
		assert_int_equal(t->s->flow[0].active, ~0xffu);
		decide(t, 0, at, 0, 0);
		assert_false(t->core->stopped);
		t->s->flow[0].pc = at;
		decide(t, 0, at, ~0xffu, 0);
		assert_int_equal(t->core->stopped, !far);
		assert_int_equal(t->cta->barriers.arrived[2], far);
		if (!far) {
			const hd_trap *trap = t->core->context->trap;
			assert_int_equal(trap->kind, HD_TRAP_DIVERGENCE);
			assert_int_equal(trap->pc, at);
			assert_int_equal(trap->lane, 8);
			assert_non_null(strstr(
			    trap->text,
			    "lanes 0xffffff00 of the warp come to a barrier of the CTA while lanes 0x000000ff have not gone on from word 0x3"));
		}
		stage_free(t);
	}
}

/* RC-16: nobody takes part in a sync whose guard holds for no lane, so nobody waits there. */
TEST(a_sync_of_nobody_is_passed)
{
	for (unsigned lanes = 0; lanes < 2; lanes++) {
		rig *r = rig_new(4);
		r->machine.divergence_mode = HD_DIV_STACK;
		uint32_t split = rig_put(r, branch(HD_OP_BRA, 4), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		uint32_t at = rig_put(r, inst_(HD_OP_SYNC), delay(1));
		rig_put(r, movi(5, 1), delay(1));
		stage_rig *t = two_ctas(r);
		hd_warp_flow *flow = &t->s->flow[0];
		assert_int_equal(hd_stack_push(&t->core->flow, flow, UINT32_MAX, at), HD_FLOW_GO);
		decide(t, 0, split, 0xff, 0);
		decide(t, 0, at, lanes ? ~0xffu : 0, 0);
		assert_int_equal(flow->active, lanes ? 0xff : ~0xffu);
		stage_free(t);
	}
}

/* RC-17: while livelocks are sought, the warps that wait and are not known to repeat themselves are counted. To arrive without waiting is progress,
 * which ends the search. */
TEST(livelocks_hear_of_barriers)
{
	rig *r = rig_new(4);
	uint32_t at = rig_put(r, bar(1), delay(1));
	hd_inst arrival = bar(3);
	arrival.mod = 1;
	uint32_t arrives = rig_put(r, arrival, delay(1));
	stage_rig *t = two_ctas(r);
	t->watch.on = true;
	decide(t, 0, at, ALL, 0);
	assert_int_equal(t->watch.idle, 1);
	assert_int_equal(t->watch.arrived, NOW);
	decide(t, 1, at, ALL, 0);
	assert_int_equal(t->watch.idle, 0);
	assert_true(t->watch.on);
	decide(t, 1, arrives, ALL, 0);
	assert_false(t->watch.on);
	assert_int_equal(t->watch.from, NOW + HD_QUIET);
	stage_free(t);
}

/* A warp of another scheduler continues, too, and that scheduler checks its warps again. */
TEST(a_barrier_wakes_other_schedulers)
{
	rig *r = rig_new(4);
	uint32_t at = rig_put(r, bar(2), delay(1));
	r->launch.block[0] = 64;
	stage_rig *t = stage_new_of(r, 2);
	hd_cta *cta = stage_start(t);
	hd_scheduler *other = &t->core->scheduler[1];
	other->at_barrier = 1;
	cta->barriers.arrived[2] = 1;
	cta->barriers.came[2] = cta->barriers.waiting[2] = 2;
	cta->waiting = t->watch.waiting = 1;
	other->touched = false;
	decide(t, 0, at, ALL, 0);
	assert_int_equal(other->at_barrier, 0);
	assert_true(other->touched);
	assert_int_equal(cta->waiting, 0);
	stage_free(t);
}

typedef struct seen {
	hd_trace trace;
	unsigned arrivals, releases;
	uint32_t mask;
	unsigned barrier;
} seen;

static void note(hd_trace *trace, const hd_trace_event *event)
{
	seen *all = (seen *)trace;
	all->arrivals += event->kind == HD_TRACE_ARRIVE;
	all->releases += event->kind == HD_TRACE_RELEASE;
	if (event->kind == HD_TRACE_RELEASE)
		all->mask = event->mask;
	if (event->kind == HD_TRACE_RELEASE || event->kind == HD_TRACE_ARRIVE)
		all->barrier = event->barrier;
}

/* An observer hears of arrivals and of all warps that continue: those that waited, and the last one if it would have waited. */
TEST(an_observer_hears_of_barriers)
{
	enum { LAST_WAITS, LAST_ARRIVES, LAST_ENDS, COUNT };
	for (unsigned what = 0; what < COUNT; what++) {
		rig *r = rig_new(4);
		seen all = {.trace = {.event = note}};
		r->options.trace = &all.trace;
		hd_inst arrive = bar(3);
		arrive.mod = what == LAST_ARRIVES;
		uint32_t first = rig_put(r, bar(3), delay(1)), last = rig_put(r, what == LAST_ENDS ? inst_(HD_OP_EXIT) : arrive, delay(1));
		stage_rig *t = two_ctas(r);
		decide(t, 1, first, ALL, 0);
		assert_int_equal(all.arrivals, 1);
		assert_int_equal(all.releases, 0);
		assert_int_equal(all.barrier, 3);
		decide(t, 0, last, ALL, 0);
		assert_int_equal(all.arrivals, what == LAST_ENDS ? 1 : 2);
		assert_int_equal(all.releases, 1);
		assert_int_equal(all.mask, what == LAST_WAITS ? 3 : 2);
		stage_free(t);
	}
}

typedef struct flow_events {
	hd_trace trace;
	unsigned n;
	uint32_t active, minrc, depth;
	uint64_t cycle;
} flow_events;

static void note_flow(hd_trace *trace, const hd_trace_event *event)
{
	flow_events *all = (flow_events *)trace;
	if (event->kind != HD_TRACE_FLOW)
		return;
	all->n++;
	all->active = event->mask;
	all->minrc = event->minrc;
	all->depth = event->depth;
	all->cycle = event->cycle;
}

/* RC-24: an observer learns of every change of the flow state, by a decision or by a resume check in sequence, and of nothing else. */
TEST(an_observer_learns_of_changes_of_the_flow_state)
{
	rig *r = rig_new(4);
	flow_events all = {.trace = {.event = note_flow}};
	r->options.trace = &all.trace;
	uint32_t at = rig_put(r, branch(HD_OP_BRA, 4), delay(1));
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, movi(5, 1), delay(1));
	uint32_t target = rig_put(r, movi(5, 1), delay(1)), call = rig_put(r, branch(HD_OP_CALL, target), delay(1));
	uint32_t back = rig_put(r, inst_(HD_OP_RET), delay(1));
	assert_int_equal(target, 4);
	stage_rig *t = two_ctas(r);
	assert_int_equal(all.n, 4); /* each warp begins */
	decide(t, 0, at, ALL, 0);
	decide(t, 0, at, 0, 0);
	assert_int_equal(all.n, 4);
	decide(t, 0, at, 0xff, 0);
	assert_int_equal(all.n, 5);
	assert_int_equal(all.active, ~0xffu);
	assert_int_equal(all.minrc, target);
	assert_int_equal(all.cycle, NOW);
	hd_load_in_sequence(t->core, t->s, 0, target - 1, NOW + 1);
	assert_int_equal(all.n, 5);
	hd_load_in_sequence(t->core, t->s, 0, target, NOW + 2);
	assert_int_equal(all.n, 6);
	assert_int_equal(all.active, UINT32_MAX);
	assert_int_equal(all.minrc, HD_TRACE_NO_ADDRESS);
	assert_int_equal(all.cycle, NOW + 2);
	decide(t, 0, call, ALL, 0); /* no lane becomes inactive */
	assert_int_equal(all.n, 7);
	assert_int_equal(all.depth, 1);
	decide(t, 0, back, ALL, 0);
	assert_int_equal(all.n, 8);
	assert_int_equal(all.depth, 0);
	stage_free(t);
}

/* A warp that only arrives does not wait. A warp none of whose lanes take part has not come. Operand b is a number of threads, which counts in warps:
 * at least one. */
TEST(arrivals_are_counted_in_warps)
{
	enum { ARRIVE = 1 };
	static const struct {
		uint32_t mask, threads;
		unsigned mod;
		bool waits, comes;
	} rows[] = {
	    {ALL, 0, 0, false, true},  {ALL, 32, 0, false, true},      {ALL, 33, 0, true, true}, {ALL, 64, 0, true, true},
	    {ALL, 65, 0, true, true},  {0, 64, 0, false, false},       {1, 64, 0, true, true},   {ALL, 64, ARRIVE, false, true},
	    {ALL, ~0u, 0, true, true}, {ALL, 33, ARRIVE, false, true},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = rig_new(4);
		hd_inst inst = alu(HD_OP_BAR, 0, 1, 5, HD_RZ);
		inst.mod = (uint8_t)rows[i].mod;
		uint32_t at = rig_put(r, inst, delay(1));
		stage_rig *t = two_ctas(r);
		decide(t, 0, at, rows[i].mask, rows[i].threads);
		assert_int_equal(t->s->at_barrier, rows[i].waits);
		assert_int_equal(t->cta->waiting, rows[i].waits);
		bool complete = rows[i].threads <= 32; /* and ready for the next phase */
		assert_int_equal(t->cta->barriers.arrived[1], rows[i].comes && !complete);
		if (rows[i].threads == 64 && rows[i].comes) {
			decide(t, 1, at, ALL, 64);
			assert_int_equal(t->s->at_barrier, 0);
		}
		if (rows[i].threads == 65) { /* three warps: a second arrival does not do */
			t->cta->running = 3;
			decide(t, 1, at, ALL, 65);
			assert_int_equal(t->s->at_barrier, 3);
		}
		stage_free(t);
	}
}

/* RC-17: a barrier does not wait for a warp that ends. The warps that waited only for this one continue. */
TEST(the_end_of_a_warp_completes_a_barrier)
{
	rig *r = rig_new(4);
	uint32_t wait = rig_put(r, bar(3), delay(1)), leave = rig_put(r, inst_(HD_OP_EXIT), delay(1));
	stage_rig *t = two_ctas(r);
	decide(t, 0, wait, ALL, 0);
	assert_int_equal(t->s->at_barrier, 1);
	decide(t, 1, leave, 0xffff, 0);
	assert_int_equal(t->s->live & 2, 2); /* half of its threads are left */
	assert_int_equal(t->s->at_barrier, 1);
	decide_amid(t, 1, leave, ALL, 0);
	assert_int_equal(t->s->live & 2, 0);
	assert_true(t->s->warp[1].ended);
	assert_int_equal(t->cta->running, 1);
	assert_int_equal(t->s->at_barrier, 1); /* until the warp has left */
	assert_false(t->core->stopped);
	hd_core_warp_left(t->core, t->s, 1, NOW);
	assert_int_equal(t->s->at_barrier, 0);
	assert_int_equal(t->cta->waiting | t->watch.waiting, 0);
	assert_false(t->core->stopped);
	stage_free(t);
}

/* RC-17: the run stops when all warps left in a CTA wait. The trap has the place of a warp that waits. */
TEST(a_cta_of_waiting_warps_is_a_deadlock)
{
	rig *r = rig_new(4);
	uint32_t first = rig_put(r, bar(3), delay(1)), second = rig_put(r, bar(4), delay(1));
	stage_rig *t = two_ctas(r);
	decide(t, 1, second, ALL, 0);
	assert_false(t->core->stopped);
	decide(t, 0, first, ALL, 0);
	const hd_trap *trap = t->context.trap;
	assert_true(t->core->stopped);
	assert_int_equal(trap->kind, HD_TRAP_DEADLOCK);
	assert_int_equal(trap->warp, 0);
	assert_int_equal(trap->pc, first);
	assert_int_equal(trap->cycle, NOW);
	assert_non_null(strstr(trap->text, "barrier 3 of CTA (0,0,0): arrived 0; missing 1\n"));
	assert_non_null(strstr(trap->text, "barrier 4 of CTA (0,0,0): arrived 1; missing 0\n"));
	stage_free(t);
}

/* The last warp that does not wait ends, and its end does not count for a barrier with a number of threads. The place is that of the waiting warp. */
TEST(the_end_of_the_last_running_warp_can_be_a_deadlock)
{
	rig *r = rig_new(4);
	uint32_t wait = rig_put(r, alu(HD_OP_BAR, 0, 3, 5, HD_RZ), delay(1)), leave = rig_put(r, inst_(HD_OP_EXIT), delay(1));
	stage_rig *t = two_ctas(r);
	decide(t, 1, wait, ALL, 64);
	decide(t, 0, leave, ALL, 0);
	const hd_trap *trap = t->context.trap;
	assert_int_equal(trap->kind, HD_TRAP_DEADLOCK);
	assert_int_equal(trap->warp, 1);
	assert_int_equal(trap->pc, wait);
	assert_non_null(strstr(trap->text, "arrived 1 of 2 warps; ended without coming 0\n"));
	stage_free(t);
}

static hd_inst bar_join(unsigned number)
{
	hd_inst inst = bar(number);
	inst.mod = HD_BAR_JOIN;
	return inst;
}

/* PD-32: behind a complete barrier the warps wait while the CTA has a child grid. That is no deadlock. They keep their place or the CTA is stopped,
 * once. Without a child they go on. A CTA that is being stopped for another reason is not stopped twice. */
TEST(warps_that_join_wait_for_child_grids)
{
	for (unsigned row = 0; row < 8; row++) {
		bool open = row & 1, stay = row & 2, ends = row & 4;
		rig *r = rig_new(4);
		r->machine.grids_join = stay ? HD_JOIN_STAY : HD_JOIN_SAVE;
		uint32_t at = rig_put(r, bar_join(2), delay(1)), leave = rig_put(r, inst_(HD_OP_EXIT), delay(1));
		stage_rig *t = two_ctas(r);
		hd_child_grids child_grids = {.open = open};
		t->cta->child_grids = &child_grids;
		decide(t, 1, at, ALL, 0);
		assert_int_equal(t->s->at_barrier, 2);
		decide(t, 0, ends ? leave : at, ALL, 0);
		uint32_t wait = !open ? 0 : ends ? 2 : 3;
		assert_int_equal(t->s->at_barrier, wait);
		assert_int_equal(t->cta->barriers.joining, wait);
		assert_int_equal(t->cta->waiting, wait ? 2 - ends : 0);
		assert_int_equal(t->watch.waiting, t->cta->waiting);
		assert_int_equal(t->cta->stopping, open && !stay);
		assert_int_equal(t->s->live & 3, open && !stay ? 0 : 2 + !ends);
		assert_int_equal(t->context.stats->grids_joins, open);
		assert_int_equal(child_grids.joining, open && stay ? HD_JOINING_RESIDENT : HD_JOINING_NOT);
		assert_int_equal(child_grids.since, open && stay ? NOW : 0);
		assert_false(t->core->stopped);
		if (wait && stay) {
			hd_core_end_join(t->core, 0, NOW + 7);
			assert_int_equal(t->s->at_barrier | t->cta->barriers.joining | t->cta->waiting | t->watch.waiting, 0);
			assert_int_equal(t->signal.next, NOW + 7);
			assert_true(t->watch.from == NOW + 7 + HD_QUIET);
		}
		t->cta->child_grids = NULL;
		stage_free(t);
	}
	rig *r = rig_new(4);
	uint32_t at = rig_put(r, bar_join(2), delay(1));
	stage_rig *t = two_ctas(r);
	hd_child_grids child_grids = {.open = 1};
	t->cta->child_grids = &child_grids;
	decide(t, 1, at, ALL, 0);
	t->s->warp[1].in_flight = 0;
	hd_core_stop_cta(t->core, 0, NOW);
	assert_int_equal(t->cta->held, 1);
	decide(t, 0, at, ALL, 0);
	assert_int_equal(t->cta->held, 1);
	assert_int_equal(t->cta->barriers.joining, 3);
	assert_int_equal(t->context.stats->grids_joins, 0);
	t->cta->child_grids = NULL;
	stage_free(t);
}

/* Each fault has its trap, with the first lane concerned. */
TEST(faults_are_traps)
{
	enum { TRAP, JUMP, RETURN, DEPTH, RECURSION, ORDER, TOKENS, COUNT };
	static const hd_trap_kind kinds[] = {HD_TRAP_INSTRUCTION, HD_TRAP_PC,         HD_TRAP_RETURN,    HD_TRAP_CALL_DEPTH,
	                                     HD_TRAP_DIVERGENCE,  HD_TRAP_DIVERGENCE, HD_TRAP_DIVERGENCE};
	for (unsigned what = 0; what < COUNT; what++) {
		static const hd_op ops[] = {HD_OP_TRAP, HD_OP_BRX, HD_OP_RET, HD_OP_CALL, HD_OP_CALL, HD_OP_CALL, HD_OP_CALL};
		rig *r = rig_new(4);
		r->machine.divergence_call_depth = what == DEPTH ? 1 : what == TOKENS ? 2 * HD_TOKENS_MAX : 8;
		r->machine.divergence_membership = what == RECURSION ? HD_MEMBER_RANGE : what == ORDER ? HD_MEMBER_ENTRY : HD_MEMBER_FLAG;
		r->machine.divergence_mode = what == TOKENS ? HD_DIV_STACK : HD_DIV_RESUME;
		uint32_t at = rig_put(r, branch(ops[what], 1), delay(1));
		stage_rig *t = two_ctas(r);
		if (what == DEPTH || what == RECURSION)
			decide(t, 0, at, ALL, 0);
		for (unsigned i = 0; what == TOKENS && i < HD_TOKENS_MAX; i++) /* as many calls as the stack can hold */
			decide(t, 0, at, ALL, 0);
		assert_false(t->core->stopped);
		if (what == TRAP)
			decide(t, 0, at, 0, 0); /* no lane takes part */
		assert_false(t->core->stopped);
		decide(t, 0, at, 0xf0, 0x123456);
		const hd_trap *trap = t->context.trap;
		assert_true(t->core->stopped);
		assert_int_equal(trap->kind, kinds[what]);
		assert_int_equal(trap->pc, at);
		assert_int_equal(trap->lane, what == TOKENS ? 0 : 4);
		assert_int_equal(trap->address, what == JUMP ? 0x123456 : 0);
		if (what == RECURSION)
			assert_non_null(strstr(trap->text, "RC-10"));
		if (what == ORDER)
			assert_non_null(strstr(trap->text, "a call to a lower address"));
		if (what == TOKENS)
			assert_non_null(strstr(trap->text, "stack of reconvergence tokens is full"));
		stage_free(t);
	}
}

/* RC-19: with recursion a thread of an outer activation waits where the inner one passes. */
TEST(a_subroutine_is_left_in_sequence)
{
	rig *r = rig_new(4);
	r->machine.divergence_membership = HD_MEMBER_NONE;
	stage_rig *t = two_ctas(r);
	hd_warp_flow *flow = &t->s->flow[0];
	flow->members = flow->active = ALL & ~0x4u;
	flow->rc[2] = flow->minrc = flow->pc;
	hd_load_in_sequence(t->core, t->s, 0, flow->pc, NOW);
	assert_true(t->core->stopped);
	assert_int_equal(t->context.trap->lane, 2);
	assert_non_null(strstr(t->context.trap->text, "the PC left the subroutine: lanes 0x00000004"));
	stage_free(t);
}

/* RC-19: a subroutine at a lower address than its caller, in which lanes jump while a lane outside waits before them. */
TEST(failures_of_minrc_have_names)
{
	for (unsigned passes = 0; passes < 2; passes++) {
		rig *r = rig_new(4);
		r->machine.divergence_membership = passes ? HD_MEMBER_FLAG : HD_MEMBER_NONE;
		r->machine.divergence_minrc = passes ? HD_MINRC_IGNORE : HD_MINRC_ON;
		uint32_t split = rig_put(r, branch(HD_OP_BRA, 0), delay(1)),
		         second = rig_put(r, branch(passes ? HD_OP_BRA : HD_OP_CALL, 0), delay(1)), wait = rig_put(r, inst_(HD_OP_EXIT), delay(1)),
		         jump = rig_put(r, branch(HD_OP_BRA, 0), delay(1));
		rig_put(r, inst_(HD_OP_NOP), delay(1));
		uint32_t leave = rig_put(r, inst_(HD_OP_EXIT), delay(1));
		r->slots[split].inst.imm = wait;
		r->slots[second].inst.imm = passes ? leave : jump;
		r->slots[jump].inst.imm = leave;
		stage_rig *t = two_ctas(r);
		decide(t, 0, split, 0x1, 0);
		decide(t, 0, second, ALL & ~0x1u, 0);
		assert_false(t->core->stopped);
		decide(t, 0, passes ? leave : jump, ALL & ~0x1u, 0);
		const hd_trap *trap = t->context.trap;
		assert_true(t->core->stopped);
		assert_int_equal(trap->kind, HD_TRAP_DIVERGENCE);
		assert_int_equal(trap->pc, passes ? leave : jump);
		assert_int_equal(trap->lane, 0);
		assert_non_null(strstr(trap->text, passes ? "  thread never resumed: lanes 0x00000001 wait at "
		                                          : "  the PC left the subroutine: lanes 0x00000001, which did not call it, continue at "));
		assert_non_null(strstr(trap->text, passes ? "divergence.minrc = ignore" : "Lanes 0xfffffffe wait in the subroutine"));
		stage_free(t);
	}
}

/* The end of a pipe (HZ-7, HZ-9, PD-17; docs/timing.md, rules 3, 4 and 12): what a latch changes in the cycle of its write. Each test puts latches
 * into the events of a core and lets the stage work. */
#include "stage_rig.h"

#include "core/execute/write_back.h"

enum { NOW = 100, PIECE = 0xff };

/* Without forwarding paths a result goes to the register file in the cycle of its write. */
static rig *without_paths(void)
{
	rig *r = rig_new(64);
	r->machine.last_use_path_a = r->machine.last_use_path_b = r->machine.last_use_compensation = 0;
	return r;
}

static stage_rig *program(rig *r)
{
	stage_rig *t = stage_new(r);
	stage_start(t);
	t->s->touched = false;
	return t;
}

/* A latch of `pc` of warp 0 with value 7 in all lanes. It comes to write-back in cycle `at` and leaves its pipe in cycle `exit`. */
static hd_flight *latch(stage_rig *t, uint32_t pc, uint32_t mask, uint64_t at, uint64_t exit)
{
	hd_flight *flight = stage_flight(t, 0, pc, mask);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		flight->out.r[0].v[lane] = 7;
	flight->exit = exit;
	t->s->warp[0].in_flight += !(flight->part & HD_PART_MORE);
	hd_events_add(&t->core->events, at - 1, at, flight);
	return flight;
}

static uint32_t value(const stage_rig *t, unsigned reg, unsigned lane) { return t->s->registers.at[0][reg].v[lane]; }

static void raise_counter(stage_rig *t, unsigned counter) { hd_fence_raise(&t->s->fence, 0, counter, HD_GROUPS); }

/* Lanes outside of the mask keep their values; the instruction is done. */
TEST(a_result_is_written_for_its_lanes)
{
	rig *r = without_paths();
	uint32_t at = rig_put(r, movi(5, 7), delay(1));
	stage_rig *t = program(r);
	latch(t, at, PIECE, NOW, NOW);
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(value(t, 5, 0) + value(t, 5, 7), 14);
	assert_int_equal(value(t, 5, 8), 0);
	assert_int_equal(value(t, 6, 0), 0);
	assert_int_equal(t->s->warp[0].in_flight, 0);
	stage_free(t);
}

/* A result on a forwarding path is visible to a reader of this cycle, although the register file does not have it. */
TEST(a_result_is_visible_in_its_cycle)
{
	rig *r = rig_new(64);
	uint32_t at = rig_put(r, sreg(5, HD_SREG_LANEID), delay(1));
	stage_rig *t = program(r);
	hd_reading reading;
	latch(t, at, ~0u, NOW, NOW);
	hd_write_back_stage(t->core, NOW);
	hd_wc_begin(&t->s->results, &reading, 0, HD_PIPE_ALU, ~0u, NOW);
	assert_int_equal(hd_wc_read(&t->s->results, &reading, 0, 5, 1, false)->v[3], 7);
	assert_int_equal(t->s->results.first->pipe, HD_PIPE_COORD); /* paths may reach that pipe alone */
	assert_int_equal(value(t, 5, 3), 0);
	assert_int_equal(t->s->warp[0].in_flight, 0);
	stage_free(t);
}

/* A predicate is merged, too; the instruction has no register to write, and its latch is free again. */
TEST(a_predicate_is_written_for_its_lanes)
{
	rig *r = without_paths();
	uint32_t at = rig_put(r, setpi(HD_CMP_EQ, 2, 0, 0), delay(1));
	stage_rig *t = program(r);
	t->s->registers.predicate[0][2] = 0xff00;
	hd_flight *flight = latch(t, at, 0x0ff0, NOW, NOW);
	flight->out.p = 0x00f0;
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(t->s->registers.predicate[0][2], 0xf0f0);
	assert_ptr_equal(t->core->pool.flights, flight);
	stage_free(t);
}

/* HZ-7, HZ-9: a counter released by the write falls by the groups of the lanes. One released by the read fell at entry. */
TEST(counters_released_by_the_write_fall)
{
	rig *r = without_paths();
	uint32_t write = rig_put(r, primary(movi(5, 7), 1), delay(1)), read = rig_put(r, by_read(primary(movi(5, 7), 2)), delay(1));
	stage_rig *t = program(r);
	raise_counter(t, 1);
	raise_counter(t, 2);
	latch(t, write, PIECE, NOW, NOW);
	latch(t, read, PIECE, NOW, NOW);
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(t->s->fence.value[0][0], HD_GROUPS - 2);
	assert_int_equal(t->s->fence.value[0][1], HD_GROUPS);
	stage_free(t);
}

/* Rule 3: a counter that only the decoder checks falls in the cycle before the write, once, and the result comes in its own cycle. */
TEST(a_certain_result_is_announced_a_cycle_early)
{
	rig *r = without_paths();
	uint32_t at = rig_put(r, primary(sreg(5, HD_SREG_LANEID), 6), delay(1));
	stage_rig *t = program(r);
	assert_true(t->core->code[at].early);
	raise_counter(t, 6);
	raise_counter(t, 6); /* an earlier primary is still under way */
	latch(t, at, ~0u, NOW - 1, NOW);
	hd_write_back_stage(t->core, NOW - 1);
	assert_int_equal(t->s->fence.value[0][5], HD_GROUPS);
	assert_int_equal(value(t, 5, 0), 0);
	assert_int_equal(t->s->warp[0].in_flight, 1);
	assert_int_equal(hd_events_next(&t->core->events, NOW - 1), NOW);
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(t->s->fence.value[0][5], HD_GROUPS);
	assert_int_equal(value(t, 5, 0), 7);
	assert_int_equal(t->s->warp[0].in_flight, 0);
	stage_free(t);
}

/* Rule 12: a part of the lanes is written, and its groups fall; the instruction is done with its last part, even if that has no lane. */
TEST(parts_are_written_one_by_one)
{
	rig *r = without_paths();
	uint32_t at = rig_put(r, primary(movi(5, 7), 1), delay(1));
	stage_rig *t = program(r);
	raise_counter(t, 1);
	hd_flight *first = latch(t, at, PIECE, NOW, NOW);
	first->part = HD_PART_MORE;
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(value(t, 5, 0), 7);
	assert_int_equal(t->s->fence.value[0][0], HD_GROUPS - 2);
	assert_int_equal(t->s->warp[0].in_flight, 1);
	t->s->warp[0].in_flight = 0;
	hd_flight *last = latch(t, at, 0, NOW + 1, NOW + 1);
	hd_write_back_stage(t->core, NOW + 1);
	assert_int_equal(t->s->warp[0].in_flight, 0);
	assert_ptr_equal(t->core->pool.flights, last);
	stage_free(t);
}

/* Results of one cycle are written in the order of entry, so the later one stays. */
TEST(writes_of_a_cycle_keep_their_order)
{
	rig *r = without_paths();
	uint32_t at = rig_put(r, movi(5, 7), delay(1));
	stage_rig *t = program(r);
	latch(t, at, ~0u, NOW, NOW);
	latch(t, at, ~0u, NOW, NOW)->out.r[0].v[4] = 9;
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(value(t, 5, 4), 9);
	stage_free(t);
}

/* The data of a load comes from its access, on a forwarding path or not. The last memory instruction lets a plain hold issue (PD-8). */
TEST(loads_write_what_memory_brought)
{
	for (unsigned across = 0; across < 2; across++) {
		rig *r = without_paths();
		r->machine.last_use_across = across;
		uint32_t at = rig_put(r, load(HD_OP_LDG, 5, 2, 0), delay(1));
		stage_rig *t = program(r);
		hd_flight *flight = latch(t, at, PIECE, NOW, NOW - 30); /* it left its pipe long ago */
		flight->memory = hd_new_access(t->core, t->s, 0, &r->slots[at], PIECE);
		flight->memory->result.data[0].v[2] = 33;
		t->s->warp[0].memory = 1;
		t->s->for_memory = 1;
		hd_write_back_stage(t->core, NOW);
		assert_int_equal(value(t, 5, 2), 33);
		assert_int_equal(t->s->warp[0].memory | t->s->for_memory, 0);
		assert_true(t->s->touched);
		assert_ptr_equal(t->core->pool.flights, flight);
		stage_free(t);
	}
}

/* A store has nothing to write; its counter falls now, and the latch is free. */
TEST(stores_release_their_counter)
{
	rig *r = rig_new(64);
	uint32_t at = rig_put(r, primary(store(HD_OP_STG, 2, 0, 5), 6), delay(1));
	stage_rig *t = program(r);
	raise_counter(t, 6);
	hd_flight *flight = latch(t, at, ~0u, NOW, NOW - 30);
	flight->memory = hd_new_access(t->core, t->s, 0, &r->slots[at], ~0u);
	t->s->warp[0].memory = 1;
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(t->s->fence.flags[0], 0);
	assert_ptr_equal(t->core->pool.flights, flight);
	stage_free(t);
}

/* Rule 5: a flow instruction is decided here, after which the warp can issue. */
TEST(flow_instructions_are_decided)
{
	rig *r = rig_new(64);
	uint32_t at = rig_put(r, branch(HD_OP_BRA, 3), delay(1));
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, movi(5, 2), delay(1));
	stage_rig *t = program(r);
	t->s->deciding = 1;
	hd_flight *flight = latch(t, at, ~0u, NOW, NOW);
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(t->s->deciding, 0);
	assert_int_equal(t->s->flow[0].pc, 3);
	assert_ptr_equal(t->core->pool.flights, flight); /* nothing of it is written */
	stage_free(t);
}

/* After a trap the rest of the cycle is dropped, so that the place of the first trap stays. */
TEST(nothing_is_written_after_a_trap)
{
	rig *r = without_paths();
	uint32_t trap = rig_put(r, inst_(HD_OP_TRAP), delay(1)), at = rig_put(r, movi(5, 7), delay(1));
	stage_rig *t = program(r);
	latch(t, trap, ~0u, NOW, NOW);
	hd_flight *dropped = latch(t, at, ~0u, NOW, NOW);
	hd_write_back_stage(t->core, NOW);
	assert_ptr_equal(t->core->pool.flights, dropped);
	assert_true(t->core->stopped);
	assert_int_equal(t->context.trap->kind, HD_TRAP_INSTRUCTION);
	assert_int_equal(value(t, 5, 0), 0);
	stage_free(t);
}

/* The baseline: the scoreboard learns of a result in the cycle before the write or with it, and learns of it once. */
TEST(the_scoreboard_learns_of_a_write_once)
{
	for (unsigned early = 0; early < 2; early++) {
		rig *r = without_paths();
		r->machine.fence_mode = HD_DEP_SCOREBOARD;
		uint32_t at = rig_put(r, movi(5, 7), delay(1));
		stage_rig *t = program(r);
		const hd_footprint *footprint = &t->core->footprint[at];
		hd_scoreboard_issue(t->s->scoreboard, 0, footprint);
		latch(t, at, ~0u, early ? NOW - 1 : NOW, NOW);
		t->s->blocked = 1;
		hd_write_back_stage(t->core, NOW - 1);
		assert_int_equal(hd_scoreboard_ready(t->s->scoreboard, 0, footprint), early);
		assert_int_equal(t->s->blocked, !early);
		if (early)
			hd_scoreboard_issue(t->s->scoreboard, 0, footprint); /* another one to the same register */
		hd_write_back_stage(t->core, NOW);
		assert_int_equal(hd_scoreboard_ready(t->s->scoreboard, 0, footprint), !early);
		assert_int_equal(value(t, 5, 0), 7);
		stage_free(t);
	}
}

/* A barrier of the baseline waits until an access is done, which is with its result. */
TEST(the_scoreboard_learns_that_an_access_is_done)
{
	rig *r = without_paths();
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	uint32_t at = rig_put(r, store(HD_OP_STG, 2, 0, 5), delay(1)), barrier = rig_put(r, bar(0), delay(1));
	stage_rig *t = program(r);
	hd_scoreboard_issue(t->s->scoreboard, 0, &t->core->footprint[at]);
	hd_scoreboard_read(t->s->scoreboard, 0, &t->core->footprint[at]);
	hd_flight *flight = latch(t, at, ~0u, NOW, NOW - 30);
	flight->memory = hd_new_access(t->core, t->s, 0, &r->slots[at], ~0u);
	t->s->warp[0].memory = 1;
	assert_false(hd_scoreboard_ready(t->s->scoreboard, 0, &t->core->footprint[barrier]));
	hd_write_back_stage(t->core, NOW);
	assert_true(hd_scoreboard_ready(t->s->scoreboard, 0, &t->core->footprint[barrier]));
	stage_free(t);
}

typedef struct seen {
	hd_trace trace;
	unsigned n;
	hd_trace_kind kind[4];
	uint32_t mask[4];
} seen;

static void note(hd_trace *trace, const hd_trace_event *event)
{
	seen *all = (seen *)trace;
	if ((event->kind != HD_TRACE_WRITE && event->kind != HD_TRACE_DONE) || all->n == 4)
		return;
	all->kind[all->n] = event->kind;
	all->mask[all->n++] = event->mask;
}

/* An observer hears of each part that is written, and of the end. */
TEST(an_observer_hears_of_each_write)
{
	rig *r = without_paths();
	seen all = {.trace = {.event = note}};
	r->options.trace = &all.trace;
	uint32_t at = rig_put(r, movi(5, 7), delay(1));
	stage_rig *t = program(r);
	latch(t, at, 0xffff, NOW, NOW)->part = HD_PART_MORE;
	t->s->warp[0].in_flight = 0;
	latch(t, at, 0xf0000, NOW, NOW);
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(all.n, 2);
	assert_int_equal(all.kind[0], HD_TRACE_WRITE);
	assert_int_equal(all.kind[1], HD_TRACE_DONE);
	assert_int_equal(all.mask[0], 0xffff);
	assert_int_equal(all.mask[1], 0xf0000);
	stage_free(t);
}

/* A predicate of a narrow pipe is written part by part, too (rule 12). */
TEST(parts_of_a_predicate_are_written_one_by_one)
{
	rig *r = without_paths();
	uint32_t at = rig_put(r, setpi(HD_CMP_EQ, 2, 0, 0), delay(1));
	stage_rig *t = program(r);
	hd_flight *first = latch(t, at, 0xff, NOW, NOW);
	first->part = HD_PART_MORE;
	first->out.p = ~0u;
	hd_write_back_stage(t->core, NOW);
	assert_int_equal(t->s->registers.predicate[0][2], 0xff);
	stage_free(t);
}

/* The memory stages (docs/timing.md: rule 1, finite room): accesses are performed at the end of their pipe, in order, when the unit is free. Until
 * then the pipe's entry takes only what the stage can serve. */
#include "stage_rig.h"

#include "core/execute/memory_stage.h"
#include "core/execute/queue_stage.h"
#include "core/execute/write_back.h"
#include "core/issue/dispatch.h"
#include "launch/bounds.h"

enum { LSU_LATENCY = 5, LATOM_LATENCY = 7, RESULT = 9, LSU_BIT = 1 << HD_PIPE_LSU };

/* r2:r3 of warp 0 is the address of the out buffer, r4 = 11, r6 = 22. */
static stage_rig *program(rig *r)
{
	r->machine.latency[HD_CLASS_LSU].latency = LSU_LATENCY;
	r->machine.latency[HD_CLASS_LATOM].latency = LATOM_LATENCY;
	r->kernel.shared_bytes = 1024;
	stage_rig *t = stage_new(r);
	stage_start(t);
	stage_set_address(t, 0, 2, 0);
	stage_set(t, 0, 4, 11);
	stage_set(t, 0, 6, 22);
	return t;
}

/* Instruction `pc` of warp 0 enters its pipe in cycle `now`. */
static hd_flight *enter(stage_rig *t, uint32_t pc, uint64_t now)
{
	unsigned which = t->core->code[pc].pipe == HD_PIPE_LATOM;
	hd_sent sent = {.cycle = now - 1, .pc = pc, .mask = ~0u};
	t->s->warp[0].in_flight++;
	t->s->warp[0].memory++;
	hd_pipeline_enter(t->core, 0, &sent, now);
	return t->core->stage[which].last;
}

/* An instruction enters when the unit will be free at the end of its way through the pipe. */
TEST(the_entry_waits_for_a_busy_unit)
{
	rig *r = rig_new(64);
	uint32_t at = rig_put(r, store(HD_OP_STG, 2, 0, 4), delay(1));
	stage_rig *t = program(r);
	assert_int_equal(hd_memory_stage_accepts(t->core, HD_PIPE_LSU, 30, 20), 30);
	hd_lsu_busy(t->core->lsu, 30 + LSU_LATENCY);
	assert_int_equal(hd_memory_stage_accepts(t->core, HD_PIPE_LSU, 30, 20), 30);
	hd_lsu_busy(t->core->lsu, 40 + LSU_LATENCY);
	assert_int_equal(hd_memory_stage_accepts(t->core, HD_PIPE_LSU, 30, 20), 40);
	assert_int_equal(hd_memory_stage_accepts(t->core, HD_PIPE_LATOM, 30, 20), 30); /* a unit of its own */
	/* While an access stands at the stage, its entry takes nothing. */
	assert_int_equal(enter(t, at, 20)->exit, 20 + LSU_LATENCY);
	assert_int_equal(hd_memory_stage_accepts(t->core, HD_PIPE_LSU, 30, 20 + LSU_LATENCY), 40);
	assert_true(hd_memory_stage_accepts(t->core, HD_PIPE_LSU, 30, 21 + LSU_LATENCY) == HD_NEVER);
	assert_int_equal(hd_memory_stage_accepts(t->core, HD_PIPE_LATOM, 30, 21 + LSU_LATENCY), 30);
	stage_free(t);
}

/* Rule 1: two stores to one word, performed in order, each in its cycle. Behind them the stage is empty. */
TEST(accesses_are_performed_in_order_in_their_cycle)
{
	rig *r = rig_new(64);
	uint32_t a = rig_put(r, store(HD_OP_STG, 2, 0, 4), delay(1)), b = rig_put(r, store(HD_OP_STG, 2, 0, 6), delay(1));
	stage_rig *t = program(r);
	enter(t, a, 20);
	enter(t, b, 23);
	assert_true(hd_memory_stage_busy(t->core));
	static const uint32_t expected[] = {0, 11, 11, 11, 22};
	for (uint64_t now = 19 + LSU_LATENCY; now < 24 + LSU_LATENCY; now++) {
		hd_memory_stage(t->core, now);
		assert_int_equal(rig_out(r, 0), expected[now - 19 - LSU_LATENCY]);
	}
	assert_false(hd_memory_stage_busy(t->core));
	stage_free(t);
}

/* The unit is busy beyond the exit of both. It serves the first when it is free, and the second when it is free again. */
TEST(accesses_wait_for_a_busy_unit)
{
	rig *r = rig_new(64);
	uint32_t a = rig_put(r, store(HD_OP_STG, 2, 0, 4), delay(1)), b = rig_put(r, store(HD_OP_STG, 2, 4, 6), delay(1));
	stage_rig *t = program(r);
	enter(t, a, 20);
	enter(t, b, 21);
	hd_lsu_busy(t->core->lsu, 40);
	assert_int_equal(hd_memory_stage_next(t->core), 40);
	hd_memory_stage(t->core, 39);
	assert_int_equal(rig_out(r, 0), 0);
	hd_memory_stage(t->core, 40);
	assert_int_equal(rig_out(r, 0), 11);
	assert_int_equal(rig_out(r, 1), 0);
	uint64_t again = hd_lsu_free_at(t->core->lsu, HD_PIPE_LSU);
	assert_true(again > 40);
	assert_int_equal(hd_memory_stage_next(t->core), again);
	hd_memory_stage(t->core, again);
	assert_int_equal(rig_out(r, 1), 22);
	stage_free(t);
}

/* Atomics of shared memory have a stage of their own: neither waits for the other, and the first cycle with work is that of either. */
TEST(each_pipe_has_its_stage)
{
	rig *r = rig_new(64);
	hd_inst add = alu(HD_OP_ATOMS, RESULT, HD_RZ, 4, HD_RZ);
	uint32_t a = rig_put(r, add, delay(1)), b = rig_put(r, store(HD_OP_STG, 2, 0, 4), delay(1));
	stage_rig *t = program(r);
	assert_true(hd_memory_stage_next(t->core) == HD_NEVER);
	enter(t, a, 20);
	assert_int_equal(hd_memory_stage_next(t->core), 20 + LATOM_LATENCY);
	enter(t, b, 21);
	assert_int_equal(hd_memory_stage_next(t->core), 21 + LSU_LATENCY);
	hd_lsu_busy(t->core->lsu, 60);
	assert_int_equal(hd_memory_stage_next(t->core), 20 + LATOM_LATENCY);
	hd_memory_stage(t->core, 20 + LATOM_LATENCY);
	assert_int_equal(hd_load_word(t->cta->shared), 32 * 11);
	assert_int_equal(rig_out(r, 0), 0);
	assert_int_equal(hd_memory_stage_next(t->core), 60);
	stage_free(t);
}

/* The result comes in the cycle that the unit names, and a queue that waited for the stage checks again in the cycle in which an access is taken. */
TEST(a_result_comes_when_the_unit_says)
{
	rig *r = rig_new(64);
	uint32_t a = rig_put(r, load(HD_OP_LDG, RESULT, 2, 0), delay(1));
	stage_rig *t = program(r);
	((uint32_t *)hd_memory_at(r->memory, r->out, 4))[0] = 55;
	hd_flight *flight = enter(t, a, 20);
	hd_memory_stage(t->core, 20 + LSU_LATENCY);
	assert_int_equal(flight->memory->result.data[0].v[31], 55);
	uint64_t done = flight->memory->result.done;
	assert_true(done > 20 + LSU_LATENCY + 1);
	assert_int_equal(hd_events_next(&t->core->events, 20 + LSU_LATENCY), done);
	assert_int_equal(t->s->registers.at[0][RESULT].v[31], 0); /* not before it is written */
	stage_free(t);
}

/* A stage that takes an access after its time was behind, and then no cycle was known in which its pipe takes an instruction. So the pipe's queues
 * and a replay that waits at its entry are looked at again. A stage that is on time changes nothing for them. */
TEST(a_stage_that_was_behind_wakes_what_waits)
{
	for (unsigned late = 0; late < 2; late++) {
		rig *r = rig_new(64);
		uint32_t a = rig_put(r, load(HD_OP_LDG, RESULT, 2, 0), delay(1));
		stage_rig *t = program(r);
		uint64_t now = 20 + LSU_LATENCY + late, expected = late ? now : HD_NEVER;
		enter(t, a, 20);
		hd_dispatch(t->core, 0, 0, a, 20);
		t->s->queue[HD_PIPE_LSU].next = t->s->queue[HD_PIPE_LATOM].next = t->s->replay.enters = HD_NEVER;
		hd_memory_stage(t->core, now);
		assert_true(t->s->queue[HD_PIPE_LSU].next == expected);
		assert_true(t->s->replay.enters == expected);
		assert_true(t->s->queue[HD_PIPE_LATOM].next == HD_NEVER);
		stage_free(t);
	}
}

/* PA-2: in a window of time lanes that were served before may still await their data. Then the result is not complete when those of this cycle need
 * no answer. */
TEST(lanes_that_were_served_before_may_come_last)
{
	for (unsigned awaits = 0; awaits < 2; awaits++) {
		rig *r = rig_new(64);
		uint32_t a = rig_put(r, load(HD_OP_LDS, RESULT, HD_RZ, 0), delay(1));
		stage_rig *t = program(r);
		hd_requests requests = {.open = true};
		uint64_t now = 20 + LSU_LATENCY;
		t->core->requests = &requests;
		t->core->defers = true;
		hd_flight *flight = enter(t, a, 20);
		flight->awaits = awaits;
		hd_memory_stage(t->core, now);
		assert_int_equal(t->core->unanswered.n, awaits);
		assert_true(hd_events_next(&t->core->events, now) == (awaits ? HD_NEVER : flight->memory->result.done));
		if (awaits) {
			assert_ptr_equal(t->core->unanswered.at[0].flight, flight);
			assert_true(t->core->unanswered.at[0].whole);
		}
		t->core->requests = NULL;
		hd_requests_free(&requests);
		stage_free(t);
	}
}

/* The stages that access memory and write results, without issue. */
static void work(stage_rig *t, uint64_t from, uint64_t to)
{
	for (uint64_t now = from; now <= to; now++) {
		hd_write_back_stage(t->core, now);
		hd_memory_stage(t->core, now);
	}
}

/* HZ-31: with memory.return_groups the lanes of each group are written when their own sectors are there, and the counter falls by these groups. The
 * second sector of lanes 8 to 15 is in the first cache, the others are not. */
TEST(groups_return_apart)
{
	for (unsigned apart = 0; apart < 2; apart++) {
		rig *r = rig_new(64);
		r->machine.memory_return_groups = apart;
		uint32_t warm = rig_put(r, load(HD_OP_LDG, 12, 4, 0), delay(1)), at = rig_put(r, primary(load(HD_OP_LDG, RESULT, 2, 0), 3), delay(1));
		stage_rig *t = program(r);
		hd_scheduler *s = t->s;
		uint32_t *out = hd_memory_at(r->memory, r->out, 256);
		stage_set_address(t, 0, 4, 8);
		for (uint32_t lane = 0; lane < HD_LANES; lane++) {
			out[lane] = 100 + lane;
			s->registers.at[0][2].v[lane] += 4 * lane;
		}
		enter(t, warm, 20);
		work(t, 21, 1999);
		hd_fence_raise(&s->fence, 0, 3, HD_GROUPS);
		hd_wc_end(&s->results, 0, 1999);
		uint64_t writes = r->stats.register_file_writes;
		enter(t, at, 2000);
		uint32_t values = 0; /* the values that the counter has had */
		for (uint64_t now = 2001; now < 4000 && s->fence.value[0][2]; now++) {
			work(t, now, now);
			values |= 1u << s->fence.value[0][2];
			if (s->fence.value[0][2] == HD_GROUPS - 2)
				assert_int_equal(s->warp[0].in_flight, 1);
		}
		assert_int_equal(values >> (HD_GROUPS - 2) & 1, apart);
		hd_wc_end(&s->results, 0, 4000);
		for (uint32_t lane = 0; lane < HD_LANES; lane++)
			assert_int_equal(s->registers.at[0][RESULT].v[lane], 100 + lane);
		assert_int_equal(s->warp[0].in_flight, 0);
		assert_int_equal(r->stats.register_file_writes - writes, 1); /* one register, however many parts */
		stage_free(t);
	}
}

/* With memory.return_groups lanes outside of every buffer, where that only warns, have their zeros as late as a hit in the first cache. The other
 * lanes of the load miss. A load before it, whose lanes come late, leaves its times behind. */
TEST(groups_outside_return_like_hits)
{
	rig *r = rig_new(64);
	r->machine.memory_return_groups = 1;
	uint32_t before = rig_put(r, load(HD_OP_LDG, 12, 4, 0), delay(1)), at = rig_put(r, primary(load(HD_OP_LDG, RESULT, 2, 0), 3), delay(1));
	hd_bounds *bounds = hd_bounds_new();
	hd_memory_set_bounds(r->memory, bounds);
	stage_rig *t = program(r);
	hd_scheduler *s = t->s;
	stage_set_address(t, 0, 4, 32);
	stage_set(t, 0, RESULT, 77);
	for (uint32_t lane = 0; lane < HD_LANES; lane++)
		s->registers.at[0][2].v[lane] += lane < 16 ? 0 : 256;
	enter(t, before, 20);
	work(t, 21, 1999);
	hd_fence_raise(&s->fence, 0, 3, HD_GROUPS);
	hd_wc_end(&s->results, 0, 1999);
	enter(t, at, 2000);
	uint64_t answer = 2000 + LSU_LATENCY + r->machine.memory_l1_latency;
	work(t, 2001, answer - 1);
	assert_int_equal(s->fence.value[0][2], HD_GROUPS);
	work(t, answer, answer);
	assert_int_equal(s->fence.value[0][2], HD_GROUPS / 2);
	work(t, answer + 1, 4000);
	assert_int_equal(s->fence.value[0][2], 0);
	hd_wc_end(&s->results, 0, 4000);
	for (uint32_t lane = 16; lane < HD_LANES; lane++)
		assert_int_equal(s->registers.at[0][RESULT].v[lane], 0);
	stage_free(t);
	hd_bounds_free(bounds);
}

/* HZ-30: without active logic the counter of a load falls by all groups, those without a lane with the last ones. An access without a lane goes the
 * same way, and touches neither memory nor registers. */
TEST(without_active_logic_idle_groups_come_with_the_last)
{
	static const uint32_t masks[] = {~0u, 0x00000f0f, 0};
	for (unsigned i = 0; i < 2 * HD_COUNT(masks); i++) {
		uint32_t mask = masks[i / 2];
		rig *r = rig_new(64);
		r->machine.fence_active_logic = 0;
		r->machine.memory_return_groups = i % 2;
		r->machine.last_use_across = 0;
		uint32_t at = rig_put(r, primary(load(HD_OP_LDG, RESULT, 2, 0), 3), delay(1));
		stage_rig *t = program(r);
		hd_scheduler *s = t->s;
		for (uint32_t lane = 0; lane < HD_LANES; lane++)
			s->registers.at[0][2].v[lane] += 4 * lane;
		hd_fence_raise(&s->fence, 0, 3, HD_GROUPS);
		s->warp[0].in_flight++;
		s->warp[0].memory++;
		hd_pipeline_enter(t->core, 0, &(hd_sent){.cycle = 19, .pc = at, .mask = mask}, 20);
		assert_int_equal(s->n_releases, 0);
		work(t, 21, 20 + LSU_LATENCY);
		assert_int_equal(s->fence.value[0][2], HD_GROUPS);
		work(t, 21 + LSU_LATENCY, 2000);
		assert_int_equal(s->fence.value[0][2], 0);
		assert_int_equal(s->warp[0].in_flight, 0);
		hd_wc_end(&s->results, 0, 2000);
		assert_int_equal(r->stats.memory_global_loads, mask != 0);
		assert_int_equal(r->stats.register_file_writes, mask != 0);
		assert_int_equal(r->stats.fence_groups_lowered_early, 0);
		stage_free(t);
	}
}

/* A bad address stops the run. The trap has the place and the access. Nothing else is performed in this cycle, in neither stage. */
TEST(a_bad_address_stops_the_run)
{
	rig *r = rig_new(64);
	uint32_t a = rig_put(r, store(HD_OP_STG, 2, 63 * 4, 4), delay(1)), b = rig_put(r, alu(HD_OP_ATOMS, RESULT, HD_RZ, 4, HD_RZ), delay(1));
	stage_rig *t = program(r);
	for (unsigned lane = 1; lane < HD_LANES; lane++)
		t->s->registers.at[0][2].v[lane] += 4; /* lane 0 stores to the last word, lane 1 behind it */
	hd_flight *flight = enter(t, a, 20);
	enter(t, b, 21);
	hd_memory_stage(t->core, 40);
	const hd_trap *trap = t->context.trap;
	assert_true(t->core->stopped);
	assert_int_equal(trap->kind, HD_TRAP_ADDRESS);
	assert_int_equal(trap->pc, a);
	assert_int_equal(trap->lane, 1);
	assert_int_equal(trap->cycle, 40);
	assert_true(trap->address == r->out + 64 * 4);
	assert_int_equal(trap->bytes, 4);
	assert_int_equal(trap->store, 1);
	assert_int_equal(rig_out(r, 63) | hd_load_word(t->cta->shared), 0);
	assert_ptr_equal(t->core->pool.flights, flight);
	stage_free(t);
}

typedef struct seen {
	hd_trace trace;
	unsigned accesses, performed;
	uint32_t mask;
} seen;

static void see(hd_trace *trace, const hd_trace_event *e)
{
	seen *all = (seen *)trace;
	all->accesses += e->kind == HD_TRACE_ACCESS;
	all->performed += e->kind == HD_TRACE_MEMORY;
	if (e->kind == HD_TRACE_ACCESS)
		all->mask |= e->mask;
}

/* An observer hears of the access in its cycle, with the lanes that were served. */
TEST(an_observer_hears_of_the_access)
{
	rig *r = rig_new(64);
	seen all = {.trace = {.event = see}};
	r->options.trace = &all.trace;
	uint32_t a = rig_put(r, guarded(store(HD_OP_STG, 2, 0, 4), 1, 0), delay(1));
	stage_rig *t = program(r);
	t->s->registers.predicate[0][1] = 0xf0;
	enter(t, a, 20);
	hd_memory_stage(t->core, 19 + LSU_LATENCY);
	assert_int_equal(all.accesses + all.performed, 0);
	hd_memory_stage(t->core, 20 + LSU_LATENCY);
	assert_int_equal(all.accesses, 1);
	assert_int_equal(all.mask, 0xf0);
	assert_int_equal(all.performed, 1);
	stage_free(t);
}

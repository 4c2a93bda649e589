/* CTAs that are stopped, saved and continued elsewhere (PD-19): the choice of one, the time when it has stopped, and its state. */
#include "stage_rig.h"

#include "core/residency/preempt.h"

enum { NOW = 100 };

/* The youngest of the lowest priority below the given one. A CTA that stops or is swapped out is no candidate. */
TEST(the_victim_is_the_youngest_of_the_lowest_priority)
{
	hd_grid grids[4] = {{.priority = 0}, {.priority = 1}, {.priority = 2}, {.priority = 3}};
	hd_cta ctas[7] = {
	    {.used = true, .grid = &grids[2], .begun = 1},
	    {.used = true, .grid = &grids[1], .begun = 2},
	    {.used = true, .grid = &grids[1], .begun = 9},
	    {.used = true, .grid = &grids[1], .begun = 3},
	    {.used = false, .grid = &grids[0], .begun = 10},
	    {.used = true, .grid = &grids[0], .begun = 11, .stopping = true},
	    {.used = true, .grid = &grids[0], .begun = 12, .swapped_out = true},
	};
	hd_core core = {.ctas = ctas, .size = {.ctas = 7}};
	assert_int_equal(hd_core_victim(&core, 3), 2);
	assert_int_equal(hd_core_victim(&core, 2), 2);
	assert_int_equal(hd_core_victim(&core, 1), UINT32_MAX);
	ctas[2].stopping = true;
	assert_int_equal(hd_core_victim(&core, 2), 3);
	ctas[1].used = ctas[3].used = false;
	assert_int_equal(hd_core_victim(&core, 2), UINT32_MAX);
	assert_int_equal(hd_core_victim(&core, 3), 0);
}

/* Room that will be free: that of CTAs that stop and of CTAs below the priority. A CTA that comes back from memory keeps its room. Every resource is
 * a limit. */
TEST(room_is_counted_as_if_the_others_had_gone)
{
	hd_grid low = {.priority = 1}, high = {.priority = 2};
	const hd_demand demand = {.warps = 2, .registers = 100, .shared = 10, .local = 5};
	hd_cta ctas[8] = {
	    {.used = true, .grid = &high, .warps = 2, .demand = demand},
	    {.used = true, .grid = &low, .warps = 2, .demand = demand},
	    {.used = true, .grid = &high, .warps = 2, .demand = demand, .stopping = true},
	    {.used = true, .grid = &low, .warps = 2, .demand = demand, .swapped_out = true},
	};
	hd_core core = {.ctas = ctas, .size = {.ctas = 8, .warps = 64}, .supply = {.registers = 10000, .shared = 1000, .local = 1000}};
	assert_int_equal(hd_core_will_fit(&core, &demand, 2), 6); /* of 8 places two stay taken */
	assert_int_equal(hd_core_will_fit(&core, &demand, 1), 5);
	core.size.warps = 10; /* 4 stay taken */
	assert_int_equal(hd_core_will_fit(&core, &demand, 2), 3);
	core.supply.registers = 450;
	assert_int_equal(hd_core_will_fit(&core, &demand, 2), 2);
	core.supply.shared = 39;
	assert_int_equal(hd_core_will_fit(&core, &demand, 2), 1);
	core.supply.local = 14;
	assert_int_equal(hd_core_will_fit(&core, &demand, 2), 0);
	assert_int_equal(hd_core_will_fit(&core, &(hd_demand){.warps = 1}, 2), 6); /* a resource does not limit a demand for none of it */
	ctas[1].begins = 9;                                                        /* what is about to begin stays, too */
	assert_int_equal(hd_core_will_fit(&core, &(hd_demand){.warps = 1}, 2), 4);
}

/* CTAs of two warps, with shared and local memory. */
static stage_rig *two_warps(hd_trace *trace)
{
	rig *r = rig_new(4);
	r->options.trace = trace;
	r->machine.multi_issue_window = 4;
	r->launch.block[0] = 64;
	r->launch.grid[0] = 3;
	r->kernel.registers = 16;
	r->kernel.shared_bytes = 64;
	r->kernel.local_bytes = 8;
	rig_put(r, movi(5, 1), delay(1));
	rig_put(r, movi(6, 1), hold_back(5));
	stage_rig *t = stage_new(r);
	stage_start(t);
	return t;
}

/* A CTA issues nothing more from this cycle on. It has stopped when nothing of it is in flight. */
TEST(a_cta_has_stopped_when_nothing_is_in_flight)
{
	for (unsigned busy = 0; busy < 2; busy++) {
		stage_rig *t = two_warps(NULL);
		uint32_t n;
		t->s->warp[1].in_flight = busy;
		t->signal.next = NOW + 50;
		t->s->touched = false;
		hd_core_stop_cta(t->core, 0, NOW);
		assert_true(t->cta->stopping);
		assert_int_equal(t->s->live, 0);
		assert_true(t->s->touched);
		assert_int_equal(t->signal.next, NOW);
		assert_int_equal(t->watch.from, NOW + HD_QUIET);
		assert_int_equal(t->signal.unfetched, !busy);
		if (busy) {
			hd_core_stopped(t->core, &n);
			assert_int_equal(n, 0);
			hd_core_retire(t->core, t->s, 1, &t->core->code[1]);
			assert_true(t->signal.unfetched);
		}
		assert_int_equal(hd_core_stopped(t->core, &n)[0], 0);
		assert_int_equal(n, 1);
		hd_core_stopped(t->core, &n);
		assert_int_equal(n, 0);
		assert_int_equal(hd_core_resident(t->core), 1); /* its room stays taken */
		stage_free(t);
	}
}

/* A result that is still on a forwarding path goes to the register file, which is saved. */
TEST(results_on_paths_are_written)
{
	stage_rig *t = two_warps(NULL);
	hd_flight *flight = stage_flight(t, 1, 1, ~0u);
	flight->out.r[0].v[3] = 77;
	flight->exit = NOW - 1;
	flight->reg = 5;
	flight->words = 1;
	flight->pipe = HD_PIPE_ALU;
	hd_wc_take(&t->s->results, flight);
	assert_int_equal(t->s->registers.at[1][5].v[3], 0);
	hd_core_stop_cta(t->core, 0, NOW);
	assert_int_equal(t->s->registers.at[1][5].v[3], 77);
	assert_null(t->s->results.first);
	stage_free(t);
}

/* LU-4: so does what an operand buffer and a last-result register hold. The register comes back with the warp. */
TEST(values_in_an_operand_buffer_are_written)
{
	stage_rig *t = two_warps(NULL);
	t->rig->machine.last_use_compensation_of = HD_OWNER_WARP;
	hd_wc_free(&t->s->results);
	hd_wc_init(&t->s->results, &t->rig->machine, &t->s->registers, &t->rig->stats, &t->core->pool);
	for (unsigned i = 0; i < 3; i++) {
		hd_flight *flight = stage_flight(t, 1, 1, ~0u);
		flight->out.r[0].v[3] = 77 + i;
		flight->exit = NOW - 30 + i;
		flight->reg = (uint8_t)(5 + i);
		flight->words = 1;
		flight->pipe = HD_PIPE_ALU;
		hd_wc_take(&t->s->results, flight);
	}
	hd_wc_settle(&t->s->results, NOW - 1);
	assert_null(t->s->results.first_of[1]);
	assert_non_null(hd_operand_buffer_find(t->s->results.buffer, 1, 5));
	assert_non_null(hd_operand_buffer_find_last(t->s->results.buffer, 1, 7));
	assert_int_equal(t->s->registers.at[1][5].v[3], 0);
	hd_core_stop_cta(t->core, 0, NOW);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(t->s->registers.at[1][5 + i].v[3], 77 + i);
	assert_null(hd_operand_buffer_find(t->s->results.buffer, 1, 5));
	assert_null(hd_operand_buffer_find_last(t->s->results.buffer, 1, 7));
	stage_free(t);
}

/* All warps ended before, and only instructions were in flight: there is nothing to save, and the CTA ends. */
TEST(a_cta_that_was_about_to_end_ends)
{
	stage_rig *t = two_warps(NULL);
	uint32_t n;
	for (unsigned warp = 0; warp < 2; warp++) {
		t->s->warp[warp].in_flight = 1;
		hd_core_end_warp(t->core, t->s, warp, NOW - 1);
	}
	hd_core_stop_cta(t->core, 0, NOW);
	hd_core_retire(t->core, t->s, 0, &t->core->code[1]);
	assert_int_equal(hd_core_resident(t->core), 1);
	hd_core_retire(t->core, t->s, 1, &t->core->code[1]);
	assert_int_equal(hd_core_resident(t->core), 0);
	assert_null(t->s->warp[0].cta);
	hd_core_stopped(t->core, &n);
	assert_int_equal(n, 0);
	assert_ptr_equal(hd_core_ended(t->core, UINT64_MAX, &n)[0], t->grid);
	assert_int_equal(n, 1);
	stage_free(t);
}

/* Saved CTAs wait in order, each with its save area and its size. */
TEST(saved_ctas_of_a_grid_wait_in_order)
{
	stage_rig *t = two_warps(NULL);
	hd_saved *saved[3];
	stage_start(t);
	stage_start(t);
	for (uint32_t i = 0; i < 3; i++) {
		hd_core_stop_cta(t->core, i, NOW);
		saved[i] = hd_core_unload(t->core, i);
		hd_saved_set_area(saved[i], 40 + i);
		hd_saved_put(saved[i]);
	}
	assert_int_equal(t->grid->n_saved, 3);
	hd_saved_put(hd_saved_take(t->grid)); /* the first goes behind the others */
	for (uint32_t i = 0; i < 3; i++) {
		hd_saved *one = hd_saved_take(t->grid);
		assert_ptr_equal(one, saved[(i + 1) % 3]);
		assert_int_equal(hd_saved_area(one), 40 + (i + 1) % 3);
		assert_ptr_equal(hd_saved_grid(one), t->grid);
		/* Two warps: 64 threads with 16 registers each, and 256 bytes of control state a warp. */
		assert_int_equal(hd_saved_bytes(one), t->core->ctas[i].demand.registers * 4 + 64 + 2 * 256);
		hd_saved_free(one);
	}
	assert_int_equal(t->grid->n_saved, 0);
	assert_null(t->grid->saved);
	stage_free(t);
}

/* PD-25: the program may rely on a byte, and with it on a delay, across a save. Other warps of the slot begin with empty registers. */
TEST(hint_registers_are_saved)
{
	rig *r = rig_new(4);
	unsigned byte = 0;
	uint32_t n;
	r->machine.predecode_carrier = HD_CARRIER_REGISTER;
	r->launch.grid[0] = 2;
	rig_put(r, movi(5, 1), delay(1));
	stage_rig *t = stage_new(r);
	stage_start(t);
	hd_hints_write(t->s->hints, 0, 7, 0x44332211, NOW);
	hd_core_stop_cta(t->core, 0, NOW);
	hd_core_stopped(t->core, &n);
	hd_saved *saved = hd_core_unload(t->core, 0);
	hd_core_release(t->core, 0, NOW);
	stage_start(t);
	assert_false(hd_hints_find(t->s->hints, 0, 8, NOW, &byte));
	hd_core_load(t->core, saved, NOW + 1);
	assert_true(hd_hints_find(t->s->hints, 1, 8, NOW, &byte));
	assert_int_equal(byte, 0x22);
	stage_free(t);
}

typedef struct begins {
	hd_trace trace;
	unsigned n, slot;
	uint32_t warp;
} begins;

static void note(hd_trace *trace, const hd_trace_event *event)
{
	begins *b = (begins *)trace;
	if (event->kind != HD_TRACE_BEGIN)
		return;
	b->n++;
	b->slot = event->slot;
	b->warp = event->warp;
}

/* Gives every part of the state a value of its own. Warp 1 is at a barrier, in a call, with lanes that wait. */
static void fill(stage_rig *t)
{
	hd_scheduler *s = t->s;
	hd_warp_flow *flow = &s->flow[1];
	stage_set(t, 1, 0, 1000);
	stage_set(t, 1, 15, 1015);
	s->registers.predicate[1][3] = 0x33;
	flow->pc = 2;
	flow->active = 0xff;
	flow->rc[31] = flow->minrc = 3;
	flow->depth = 2;
	flow->stack[0] = (hd_activation){.members = 0x77, .back = 3};
	flow->stack[1] = (hd_activation){.members = 0x66, .back = 2};
	hd_vec_push(flow->tokens, (hd_token){.pc = 3, .lanes = 0x99});
	/* Lanes at a `wsync`. */
	t->core->syncs = hd_take(t->core->context->region, t->core->size.warps * sizeof *t->core->syncs);
	flow->sync = &t->core->syncs[1];
	flow->sync->lanes = 0x50;
	flow->sync->pc[6] = 4;
	flow->sync->exchange[1].v[6] = 0x70;
	/* Convergence barriers: lanes that gather at a bar, in an activation, after yields. */
	hd_vec_push(flow->tokens, (hd_token){.kind = HD_TOKEN_GATHERED, .pc = 4, .lanes = 0x66, .call = 7});
	flow->activation = 5;
	flow->yields = 6;
	flow->gathered = 1;
	s->warp[1].local[5] = 55;
	s->warp[1].barrier_pc = 1;
	s->at_barrier = 2;
	s->window.sent[1] = 6;
	t->cta->waiting = t->watch.waiting = 1;
	t->cta->barriers.waiting[4] = 2;
	t->cta->shared[63] = 63;
	t->cta->item = 77;
	t->cta->at[1] = 8;
	t->cta->number = 9;
	s->warp[1].local_id += 9 * 2; /* two warps a CTA */
}

/* Everything that a program can see comes back, in other slots of the core. */
TEST(nothing_of_a_cta_is_lost)
{
	begins seen = {.trace = {.event = note}};
	stage_rig *t = two_warps(&seen.trace);
	hd_core *core = t->core;
	hd_scheduler *s = t->s;
	uint32_t running = t->watch.running, n;
	fill(t);
	uint64_t local_id = s->warp[1].local_id;
	hd_core_end_warp(core, s, 0, NOW - 2); /* warp 0 has ended, and its slot is free */
	s->warp[0].in_flight = 1;
	hd_core_retire(core, s, 0, &core->code[1]);
	hd_core_stop_cta(core, 0, NOW);
	assert_int_equal(core->last, NOW - 1); /* the cycles before have the causes of the state before */
	hd_core_stopped(core, &n);
	assert_int_equal(n, 1);
	s->touched = false;
	const hd_demand demand = t->cta->demand;
	hd_saved *saved = hd_core_unload(core, 0);
	assert_int_equal(hd_saved_bytes(saved), demand.registers * 4 + demand.shared + 2 * (256 + sizeof(hd_sync)));
	assert_true(s->touched);
	assert_int_equal(s->fetch.want & 2, 0);
	assert_int_equal(s->macro.born[1], 0);
	assert_true(core->ctas[0].swapped_out);
	assert_null(s->warp[1].cta);
	assert_int_equal(s->at_barrier, 0);
	assert_int_equal(t->watch.running, running - 2); /* warp 0 ended, warp 1 is swapped out */
	assert_int_equal(t->watch.waiting, 0);
	assert_int_equal(hd_core_resident(core), 1);
	/* Another CTA begins in slots 2 and 3, and the room of the first is free only now. */
	stage_start(t);
	assert_int_equal(s->live, 0xc);
	hd_core_release(core, 0, NOW + 10);
	assert_int_equal(core->last, NOW + 9);
	assert_int_equal(hd_core_resident(core), 1);
	stage_start(t); /* in slots 0 and 1 */
	stage_set(t, 1, 0, 5);

	hd_vec_push(&core->tokens[5], (hd_token){.pc = 1, .lanes = 0x11}); /* of an earlier warp of that slot */
	assert_int_equal(hd_core_load(core, saved, NOW + 20), 2);
	assert_int_equal(core->last, NOW + 19);
	const hd_cta *cta = &core->ctas[2];
	assert_int_equal(hd_core_resident(core), 3);
	assert_true(cta->swapped_out);
	assert_int_equal(s->live, 0xf); /* not before it resumes */
	assert_int_equal(cta->number, 9);
	assert_int_equal(cta->at[1], 8);
	assert_int_equal(cta->item, 77);
	assert_int_equal(cta->running, 1);
	assert_int_equal(cta->waiting, 1);
	assert_int_equal(cta->barriers.waiting[4], 2);
	assert_int_equal(cta->shared[63], 63);
	assert_int_equal(s->registers.at[5][0].v[9], 1000);
	assert_int_equal(s->registers.at[5][15].v[9], 1015);
	assert_int_equal(s->registers.predicate[5][3], 0x33);
	assert_int_equal(s->flow[5].active, 0xff);
	assert_int_equal(s->flow[5].minrc, 3);
	assert_int_equal(s->flow[5].rc[31], 3);
	assert_int_equal(s->flow[5].depth, 2);
	assert_int_equal(s->flow[5].stack[0].members, 0x77);
	assert_int_equal(s->flow[5].stack[1].members, 0x66);
	assert_ptr_equal(s->flow[5].stack, core->activations + 5 * core->flow.call_depth);
	assert_ptr_equal(s->flow[5].tokens, &core->tokens[5]);
	assert_int_equal(s->flow[5].tokens->n, 2);
	assert_int_equal(s->flow[5].tokens->at[0].lanes, 0x99);
	assert_int_equal(s->flow[5].tokens->at[1].kind, HD_TOKEN_GATHERED);
	assert_int_equal(s->flow[5].tokens->at[1].call, 7);
	assert_ptr_equal(s->flow[5].sync, &core->syncs[5]);
	assert_int_equal(s->flow[5].sync->lanes, 0x50);
	assert_int_equal(s->flow[5].sync->pc[6], 4);
	assert_int_equal(s->flow[5].sync->exchange[1].v[6], 0x70);
	assert_int_equal(s->flow[5].activation, 5);
	assert_int_equal(s->flow[5].yields, 6);
	assert_int_equal(s->flow[5].gathered, 1);
	assert_int_equal(s->warp[5].local[5], 55);
	assert_int_equal(s->warp[5].local_id, local_id);
	assert_int_equal(s->warp[5].barrier_pc, 1);
	assert_int_equal(s->warp[5].number, 1);
	assert_int_equal(s->window.sent[5], 6);
	assert_int_equal(s->at_barrier, 0x20);

	seen.n = 0;
	s->touched = false;
	hd_core_resume(core, 2, NOW + 30);
	assert_int_equal(core->last, NOW + 29);
	assert_false(cta->swapped_out);
	assert_true(s->touched);
	assert_int_equal(s->live, 0x2f);
	assert_null(s->warp[4].cta); /* warp 0 had ended */
	assert_int_equal(t->watch.running, 5);
	assert_int_equal(t->watch.waiting, 1);
	assert_int_equal(t->watch.from, NOW + 30 + HD_QUIET);
	assert_int_equal(s->fetch.starved & 0x20, 0x20);
	assert_int_equal(s->fetch.have[5], 2);
	assert_true(s->macro.born[5] > s->macro.born[3]);
	assert_int_equal(s->window.time[5][0].wait, NOW + 30);
	assert_int_equal(t->signal.next, NOW + 30);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.slot, 5);
	assert_int_equal(seen.warp, 1);
	stage_free(t);
}

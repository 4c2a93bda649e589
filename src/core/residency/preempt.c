#include "core/residency/preempt.h"

#include "core/account.h"
#include "core/flow/decide.h"
#include "core/issue/readiness.h"
#include "core/observe/observers.h"
#include "core/residency/residency.h"

enum { CONTROL_BYTES = 256 }; /* of a warp: PC, masks, resume counters, predicates */

typedef struct saved_warp {
	hd_vec32 *registers;
	uint32_t predicate[HD_PREDS + 1];
	hd_warp_flow flow;
	hd_activation *stack; /* flow.depth */
	hd_tokens tokens;
	hd_sync *sync;
	uint8_t *local;
	uint64_t local_id;
	uint32_t sent, barrier_pc;
	hd_hint_register hints[HD_HINT_REGISTERS];
	bool ended, at_barrier;
} saved_warp;

struct hd_saved {
	hd_saved *next;
	hd_grid *grid;
	uint32_t at[3], running, waiting, warps;
	uint64_t number, item, bytes, area;
	hd_barriers barriers;
	hd_child_grids *child_grids;
	uint8_t *shared;
	saved_warp warp[]; /* warps */
};

hd_grid *hd_saved_grid(const hd_saved *saved) { return saved->grid; }
uint64_t hd_saved_area(const hd_saved *saved) { return saved->area; }
void hd_saved_set_area(hd_saved *saved, uint64_t area) { saved->area = area; }
hd_child_grids *hd_saved_child_grids(const hd_saved *saved) { return saved->child_grids; }
bool hd_saved_joins(const hd_saved *saved) { return saved->barriers.joining && hd_child_grids_open(saved->child_grids); }
uint64_t hd_saved_bytes(const hd_saved *saved) { return saved->bytes; }

void hd_saved_put(hd_saved *saved)
{
	hd_saved **end = &saved->grid->saved;
	while (*end)
		end = &(*end)->next;
	*end = saved;
	saved->grid->n_saved++;
}

hd_saved *hd_saved_take(hd_grid *grid)
{
	hd_saved *saved = grid->saved;
	grid->saved = saved->next;
	grid->n_saved--;
	saved->next = NULL;
	return saved;
}

void hd_saved_free(hd_saved *saved)
{
	for (uint32_t i = 0; saved && i < saved->warps; i++) {
		free(saved->warp[i].registers);
		free(saved->warp[i].stack);
		free(saved->warp[i].local);
		hd_vec_free(&saved->warp[i].tokens);
		free(saved->warp[i].sync);
	}
	if (saved)
		free(saved->shared);
	free(saved);
}

uint32_t hd_core_victim(const hd_core *core, uint32_t priority)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < core->size.ctas; i++) {
		const hd_cta *cta = &core->ctas[i], *chosen = best == UINT32_MAX ? NULL : &core->ctas[best];
		if (!cta->used || cta->stopping || cta->swapped_out || cta->begins || cta->grid->priority >= priority)
			continue;
		if (!chosen || cta->grid->priority < chosen->grid->priority ||
		    (cta->grid->priority == chosen->grid->priority && cta->begun > chosen->begun))
			best = i;
	}
	return best;
}

static uint64_t at_most(uint64_t n, uint64_t supply, uint64_t demand) { return demand ? hd_min_u64(supply / demand, n) : n; }

uint32_t hd_core_will_fit(const hd_core *core, const hd_demand *demand, uint32_t below)
{
	hd_demand used = {0};
	uint32_t ctas = 0;
	for (uint32_t i = 0; i < core->size.ctas; i++) {
		const hd_cta *cta = &core->ctas[i];
		if (!cta->used || cta->stopping || (!cta->swapped_out && !cta->begins && cta->grid->priority < below))
			continue;
		ctas++;
		used.warps += cta->warps;
		used.registers += cta->demand.registers;
		used.shared += cta->demand.shared;
		used.local += cta->demand.local;
	}
	uint64_t n = at_most(core->size.ctas - ctas, core->size.warps - used.warps, demand->warps);
	n = at_most(n, core->supply.registers - used.registers, demand->registers);
	n = at_most(n, core->supply.shared - used.shared, demand->shared);
	return (uint32_t)at_most(n, core->supply.local - used.local, demand->local);
}

/* Handles a CTA of which nothing is in flight any more. */
static void came_to_rest(hd_core *core, hd_cta *cta)
{
	core->signal->unfetched = true;
	if (cta->running) {
		core->stopped_at[core->n_stopped++] = (uint8_t)(cta - core->ctas);
		return;
	}
	/* Only its last warps were in flight, and they have ended. */
	for (uint32_t n = 0; n < cta->warps; n++) {
		unsigned warp;
		hd_core_warp_at(core, hd_core_slot(cta, n), &warp)->warp[warp].cta = NULL;
	}
	hd_core_end_cta(core, cta);
}

void hd_core_warp_stopped(hd_core *core, hd_scheduler *s, unsigned warp)
{
	hd_cta *cta = s->warp[warp].cta;
	if (!--cta->held)
		came_to_rest(core, cta);
}

void hd_core_stop_cta(hd_core *core, uint32_t number, uint64_t now)
{
	hd_cta *cta = &core->ctas[number];
	hd_core_catch_up(core, now - 1);
	hd_watch_progress(core->context->watch, now);
	cta->stopping = true;
	for (uint32_t n = 0; n < cta->warps; n++) {
		unsigned warp;
		hd_scheduler *s = hd_core_warp_at(core, hd_core_slot(cta, n), &warp);
		if (s->warp[warp].cta != cta || s->warp[warp].ended)
			continue; /* it ended earlier; hd_core_warp_stopped handles its instructions in flight */
		s->live &= ~(1u << warp);
		s->touched = true;
		if (!s->warp[warp].in_flight) {
			hd_wc_end(&s->results, warp, now);
			HD_RECORD_EVENT(core, s, RESULTS_END, warp);
			cta->held--;
		}
	}
	if (!cta->held)
		came_to_rest(core, cta);
	if (core->signal->next > now)
		core->signal->next = now;
}

void hd_core_end_join(hd_core *core, uint32_t number, uint64_t now)
{
	hd_core_catch_up(core, now - 1);
	hd_watch_progress(core->context->watch, now);
	hd_core_joined(core, &core->ctas[number]);
	core->signal->next = now;
}

const uint8_t *hd_core_stopped(hd_core *core, uint32_t *n)
{
	*n = core->n_stopped;
	core->n_stopped = 0;
	return core->stopped_at;
}

static void *copied(const void *from, size_t bytes)
{
	void *to = hd_xaligned(bytes);
	if (bytes)
		memcpy(to, from, bytes);
	return to;
}

static void save_warp(hd_core *core, hd_scheduler *s, unsigned warp, hd_saved *saved, saved_warp *to)
{
	hd_warp *owner = &s->warp[warp];
	uint32_t bit = 1u << warp;
	hd_invariant(!owner->in_flight && !(s->fence.flags[warp] & ~hd_late_of(&s->fence.late, warp)) &&
	                 !(s->waiters.flags[warp] & ~hd_late_of(&s->waiters.late, warp)),
	             "a stopped warp has something outstanding");
	memcpy(to->predicate, s->registers.predicate[warp], sizeof to->predicate);
	to->registers = copied(s->registers.at[warp], core->size.registers * sizeof(hd_vec32));
	to->flow = s->flow[warp];
	to->stack = copied(to->flow.stack, to->flow.depth * sizeof *to->stack);
	for (size_t i = 0; i < to->flow.tokens->n; i++)
		hd_vec_push(&to->tokens, to->flow.tokens->at[i]);
	to->sync = copied(to->flow.sync, to->flow.sync ? sizeof *to->sync : 0);
	to->local = copied(owner->local, (size_t)saved->grid->launch.kernel->local_bytes * HD_LANES);
	to->local_id = owner->local_id;
	if (s->hints)
		memcpy(to->hints, s->hints->of[warp], sizeof to->hints);
	to->sent = s->window.sent[warp];
	to->barrier_pc = owner->barrier_pc;
	to->at_barrier = s->at_barrier & bit;
	hd_core_forget_warp(s, warp);
	s->touched = true;
	hd_fetch_stop(&s->fetch, warp);
	hd_macro_warp(&s->macro, warp, 0, 0);
	owner->cta = NULL;
}

hd_saved *hd_core_unload(hd_core *core, uint32_t number)
{
	hd_cta *cta = &core->ctas[number];
	hd_saved *saved = hd_xaligned(sizeof *saved + cta->warps * sizeof saved->warp[0]);
	saved->grid = cta->grid;
	memcpy(saved->at, cta->at, sizeof saved->at);
	saved->running = cta->running;
	saved->waiting = cta->waiting;
	saved->warps = cta->warps;
	saved->number = cta->number;
	saved->item = cta->item;
	saved->barriers = cta->barriers;
	saved->child_grids = cta->child_grids;
	saved->shared = copied(cta->shared, cta->demand.shared);
	saved->bytes = cta->demand.registers * 4 + cta->demand.shared + (uint64_t)cta->warps * (CONTROL_BYTES + (core->syncs ? sizeof(hd_sync) : 0));
	for (uint32_t n = 0; n < cta->warps; n++) {
		/* The number of a warp is its place among the slots. */
		unsigned warp;
		hd_scheduler *s = hd_core_warp_at(core, hd_core_slot(cta, n), &warp);
		if (s->warp[warp].cta == cta && !s->warp[warp].ended)
			save_warp(core, s, warp, saved, &saved->warp[n]);
		else
			saved->warp[n].ended = true;
		s->warp[warp].cta = NULL;
	}
	core->context->watch->running -= saved->running;
	core->context->watch->waiting -= saved->waiting;
	cta->swapped_out = true;
	return saved;
}

void hd_core_release(hd_core *core, uint32_t cta, uint64_t now)
{
	hd_core_catch_up(core, now - 1);
	core->resident--;
	hd_core_give(core, &core->ctas[cta]);
}

uint32_t hd_core_load(hd_core *core, hd_saved *saved, uint64_t now)
{
	hd_demand demand = hd_demand_of(&saved->grid->launch);
	hd_core_catch_up(core, now - 1);
	hd_cta *cta = hd_core_take(core, saved->grid, &demand);
	core->resident++;
	memcpy(cta->at, saved->at, sizeof cta->at);
	cta->swapped_out = true;
	cta->number = saved->number;
	cta->item = saved->item;
	cta->running = cta->held = saved->running;
	cta->leaving = 0;
	cta->waiting = saved->waiting;
	cta->barriers = saved->barriers;
	cta->child_grids = saved->child_grids;
	if (demand.shared)
		memcpy(cta->shared, saved->shared, demand.shared);
	for (uint32_t n = 0; n < cta->warps; n++) {
		const saved_warp *from = &saved->warp[n];
		unsigned warp;
		hd_scheduler *s = hd_core_place_warp(core, cta, hd_core_slot(cta, n), n, &warp);
		s->warp[warp].ended = from->ended;
		if (from->ended)
			continue;
		hd_warp_flow *flow = &s->flow[warp], own = *flow;
		memcpy(s->registers.at[warp], from->registers, core->size.registers * sizeof(hd_vec32));
		memcpy(s->registers.predicate[warp], from->predicate, sizeof from->predicate);
		*flow = from->flow;
		flow->stack = own.stack;
		flow->tokens = own.tokens;
		flow->sync = own.sync;
		if (flow->sync)
			*flow->sync = *from->sync;
		if (flow->depth)
			memcpy(flow->stack, from->stack, flow->depth * sizeof *flow->stack);
		flow->tokens->n = 0;
		for (size_t i = 0; i < from->tokens.n; i++)
			hd_vec_push(flow->tokens, from->tokens.at[i]);
		if (s->warp[warp].local)
			memcpy(s->warp[warp].local, from->local, (size_t)saved->grid->launch.kernel->local_bytes * HD_LANES);
		s->warp[warp].local_id = from->local_id;
		s->warp[warp].barrier_pc = from->barrier_pc;
		s->window.sent[warp] = from->sent;
		if (s->hints)
			memcpy(s->hints->of[warp], from->hints, sizeof from->hints);
		if (from->at_barrier)
			s->at_barrier |= 1u << warp;
	}
	hd_saved_free(saved);
	return (uint32_t)(cta - core->ctas);
}

void hd_core_resume(hd_core *core, uint32_t number, uint64_t now)
{
	hd_cta *cta = &core->ctas[number];
	hd_core_catch_up(core, now - 1);
	hd_watch_progress(core->context->watch, now);
	core->context->watch->running += cta->running;
	core->context->watch->waiting += cta->waiting;
	cta->swapped_out = false;
	hd_lsu_invalidate(core->lsu); /* what it wrote on another core */
	if (cta->barriers.joining)
		hd_core_joined(core, cta); /* it launches nothing while it is swapped out, so its children have ended */
	for (uint32_t n = 0; n < cta->warps; n++) {
		unsigned warp;
		hd_scheduler *s = hd_core_warp_at(core, hd_core_slot(cta, n), &warp);
		if (s->warp[warp].ended) {
			s->warp[warp].cta = NULL;
			continue;
		}
		hd_macro_warp(&s->macro, warp, ++core->born, hd_core_priority(core, cta, n));
		hd_fetch_restart(&s->fetch, warp, s->flow[warp].pc);
		s->live |= 1u << warp;
		s->touched = true;
		hd_next_instruction(core, s, warp, now);
		HD_EVENT(core, begin, (unsigned)(s - core->scheduler), warp, now);
	}
	core->signal->next = now;
}

#include "core/residency/residency.h"

#include "core/account.h"
#include "core/execute/shared_pipes.h"
#include "core/flow/decide.h"
#include "core/issue/readiness.h"
#include "core/observe/observers.h"
#include "core/residency/preempt.h"
#include "memory/constant.h"

bool hd_core_fits(const hd_core *core, const hd_demand *demand)
{
	uint32_t free_slots = (uint32_t)(__builtin_popcountll(core->free_slots[0]) + __builtin_popcountll(core->free_slots[1]));
	return core->taken < core->size.ctas && demand->warps <= free_slots && demand->registers <= core->supply.registers - core->used.registers &&
	       demand->shared <= core->supply.shared - core->used.shared && demand->local <= core->supply.local - core->used.local;
}

uint32_t hd_core_resident(const hd_core *core) { return core->resident; }

hd_grid *const *hd_core_ended(hd_core *core, uint64_t now, uint32_t *n)
{
	for (*n = 0; *n < core->n_ended && core->ended[*n].cycle <= now; ++*n) {
		hd_cta *cta = &core->ctas[core->ended[*n].cta];
		core->ended_grids[*n] = cta->grid;
		hd_core_give(core, cta);
	}
	core->n_ended -= *n;
	memmove(core->ended, core->ended + *n, core->n_ended * sizeof *core->ended);
	return core->ended_grids;
}

uint64_t hd_core_end(const hd_core *core) { return core->n_ended ? core->ended[0].cycle : UINT64_MAX; }

uint32_t hd_core_slot(const hd_cta *cta, uint32_t n)
{
	uint64_t low = cta->slots[0], high = cta->slots[1];
	uint32_t slot = 0;
	for (uint32_t i = 0; i <= n; i++) {
		if (low) {
			slot = hd_lowest_bit(low);
			low &= low - 1;
		} else {
			slot = 64 + hd_lowest_bit(high);
			high &= high - 1;
		}
	}
	return slot;
}

/* Enlarges a buffer to the largest CTA that has used it. Later CTAs use it again. */
static uint8_t *with_room(uint8_t *at, size_t *room, size_t bytes)
{
	if (bytes <= *room)
		return at;
	free(at);
	*room = (bytes + 63) & ~(size_t)63;
	return hd_xaligned(*room);
}

hd_cta *hd_core_take(hd_core *core, hd_grid *grid, const hd_demand *demand)
{
	uint32_t i = 0;
	while (core->ctas[i].used)
		i++;
	hd_cta *cta = &core->ctas[i];
	*cta =
	    (hd_cta){.used = true, .grid = grid, .demand = *demand, .warps = demand->warps, .shared = cta->shared, .shared_room = cta->shared_room};
	for (uint32_t n = 0; n < demand->warps; n++) { /* the lowest free slots */
		unsigned half = !core->free_slots[0];
		uint64_t bit = core->free_slots[half] & -core->free_slots[half];
		core->free_slots[half] &= ~bit;
		cta->slots[half] |= bit;
	}
	core->used.registers += demand->registers;
	core->used.shared += demand->shared;
	core->used.local += demand->local;
	core->taken++;
	cta->begun = ++core->begun;
	cta->shared = with_room(cta->shared, &cta->shared_room, demand->shared);
	return cta;
}

void hd_core_give(hd_core *core, hd_cta *cta)
{
	core->free_slots[0] |= cta->slots[0];
	core->free_slots[1] |= cta->slots[1];
	core->used.registers -= cta->demand.registers;
	core->used.shared -= cta->demand.shared;
	core->used.local -= cta->demand.local;
	core->taken--;
	cta->used = false;
}

void hd_core_end_cta(hd_core *core, hd_cta *cta)
{
	hd_child_grids_leave(core->context->tasks, cta->child_grids, core->last);
	core->resident--;
	core->ended[core->n_ended++] = (struct hd_ended){core->last, (uint32_t)(cta - core->ctas)};
}

void hd_core_forget_warp(hd_scheduler *s, unsigned warp)
{
	uint32_t others = ~(1u << warp);
#define WARP_SET(name, which) s->name &= others;
#include "core/warp_sets.def"
#undef WARP_SET
}

hd_scheduler *hd_core_place_warp(hd_core *core, hd_cta *cta, uint32_t slot, uint32_t number, unsigned *warp)
{
	const hd_launch *launch = &cta->grid->launch;
	hd_scheduler *s = hd_core_warp_at(core, slot, warp);
	struct hd_local *local = &core->local[slot];
	size_t bytes = (size_t)launch->kernel->local_bytes * HD_LANES;
	/* The warp numbers of different grids are far apart. */
	s->warp[*warp] = (hd_warp){.cta = cta,
	                           .number = number,
	                           .words = cta->grid->bank->words,
	                           .local_id = ((uint64_t)cta->grid->handle << 24) + cta->number * cta->warps + number};
	s->warp[*warp].local = local->at = with_room(local->at, &local->room, bytes);
	s->registers.at[*warp] = core->registers + (size_t)slot * core->size.registers;
	s->flow[*warp].stack = core->activations + (size_t)slot * core->flow.call_depth;
	s->flow[*warp].tokens = &core->tokens[slot];
	s->flow[*warp].sync = core->syncs ? &core->syncs[slot] : NULL;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		hd_queue_warp(&s->queue[pipe], *warp);
	if (core->pipes)
		hd_shared_pipes_warp(core->pipes, (unsigned)(s - core->scheduler), *warp);
	hd_core_forget_warp(s, *warp);
	hd_window_start(&s->window, *warp);
	if (s->hints)
		hd_hints_clear(s->hints, *warp);
	if (core->constants)
		hd_constants_forget(core->constants, slot);
	HD_RECORD_EVENT(core, s, WARP, *warp);
	return s;
}

int64_t hd_core_priority(const hd_core *core, const hd_cta *cta, uint32_t number)
{
	const hd_kernel *kernel = cta->grid->launch.kernel;
	int64_t middle = INT64_C(1) << (core->context->machine->predecode_priority_bits - 1);
	int64_t value = (kernel->priority ? kernel->priority : middle) + (int64_t)kernel->priority_step * number;
	return value > 0 ? value : 1;
}

static void start_warp(hd_core *core, uint64_t now, hd_cta *cta, uint32_t slot, uint32_t number)
{
	const hd_launch *launch = &cta->grid->launch;
	unsigned warp;
	hd_scheduler *s = hd_core_place_warp(core, cta, slot, number, &warp);
	if (s->warp[warp].local)
		memset(s->warp[warp].local, 0, (size_t)launch->kernel->local_bytes * HD_LANES);
	hd_rf_warp(&s->registers, warp, s->registers.at[warp], core->size.registers);
	if (core->context->junk)
		hd_rf_junk(&s->registers, warp, core->size.registers);
	hd_flow_start(&s->flow[warp], launch->kernel->entry, hd_warp_lanes(launch, number));
	hd_macro_warp(&s->macro, warp, ++core->born, hd_core_priority(core, cta, number));
	HD_RECORD_EVENT(core, s, FLOW_BEGINS, warp, s->flow[warp].pc, s->flow[warp].active);
	HD_RECORD_EVENT(core, s, MACRO_BEGINS, warp, s->macro.base[warp]);
	hd_fetch_restart(&s->fetch, warp, launch->kernel->entry);
	s->live |= 1u << warp;
	s->touched = true;
	hd_next_instruction(core, s, warp, now);
	core->stats->run_warps++;
	core->context->watch->running++;
	hd_watch_progress(core->context->watch, now);
	HD_EVENT(core, begin, slot % core->n_schedulers, warp, now);
}

static void begin(hd_core *core, hd_cta *cta, uint64_t now)
{
	core->resident++;
	cta->begins = 0;
	if (cta->demand.shared)
		memset(cta->shared, 0, cta->demand.shared);
	for (uint32_t warp = 0; warp < cta->warps; warp++)
		start_warp(core, now, cta, hd_core_slot(cta, warp), warp);
	if (cta->grid->queue || cta->grid->began > core->forgot) {
		hd_lsu_invalidate(core->lsu);
		core->forgot = core->context->tasks->began;
	}
	core->stats->run_ctas++;
}

void hd_core_start(hd_core *core, uint64_t now, hd_grid *grid, const uint32_t at[3], uint64_t number, uint64_t item)
{
	hd_demand demand = hd_demand_of(&grid->launch);
	uint32_t latency = core->context->machine->grids_cta_latency;
	hd_cta *cta = hd_core_take(core, grid, &demand);
	memcpy(cta->at, at, sizeof cta->at);
	cta->number = number;
	cta->item = item;
	cta->running = cta->held = cta->barriers.warps = cta->warps;
	cta->leaving = 0;
	if (latency) {
		cta->begins = now + latency;
		core->next_begin = hd_min_u64(cta->begins, core->next_begin);
		core->signal->next = hd_min_u64(core->next_begin, core->signal->next);
		core->context->watch->running += cta->warps; /* warps that will run are no livelock */
		return;
	}
	hd_core_catch_up(core, now - 1);
	begin(core, cta, now);
	core->signal->next = now;
}

void hd_core_begin_ctas(hd_core *core, uint64_t now)
{
	hd_core_catch_up(core, now - 1);
	core->next_begin = HD_NEVER;
	for (bool more = true; more;) { /* in the order of their decisions */
		hd_cta *next = NULL;
		for (uint32_t i = 0; i < core->size.ctas; i++) {
			hd_cta *cta = &core->ctas[i];
			if (cta->used && cta->begins && (!next || cta->begun < next->begun))
				next = cta;
		}
		more = next && next->begins <= now;
		if (more) {
			core->context->watch->running -= next->warps;
			begin(core, next, now);
		} else if (next) {
			core->next_begin = next->begins;
		}
	}
}

void hd_core_end_warp(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	s->live &= ~(1u << warp);
	s->touched = true;
	hd_fetch_stop(&s->fetch, warp);
	hd_macro_warp(&s->macro, warp, 0, 0);
	HD_RECORD_EVENT(core, s, MACRO_ENDS, warp);
	s->warp[warp].cta->running--;
	s->warp[warp].cta->leaving++;
	core->context->watch->running--;
	hd_watch_progress(core->context->watch, now);
	s->warp[warp].ended = true;
	HD_EVENT(core, end, s, warp, now);
}

void hd_core_leave_slot(hd_core *core, hd_scheduler *s, unsigned warp)
{
	hd_wc_end(&s->results, warp, core->last);
	HD_RECORD_EVENT(core, s, RESULTS_END, warp);
	hd_cta *cta = s->warp[warp].cta;
	if (s->warp[warp].ended)
		hd_core_warp_left(core, s, warp, core->last);
	if (cta->stopping) {
		hd_core_warp_stopped(core, s, warp);
		return;
	}
	s->warp[warp].cta = NULL;
	if (--cta->held)
		return;
	hd_core_end_cta(core, cta);
	core->signal->unfetched = true;
}

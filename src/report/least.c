#include "report/least.h"

#include "config/machine.h"

static void finish(hd_least *l, uint32_t **warp)
{
	if (!*warp)
		return;
	for (uint32_t word = 0; word < l->program->n_slots; word++) {
		uint32_t most = 0;
		for (unsigned lane = 0; lane < HD_LANES; lane++) {
			uint32_t n = (*warp)[word * HD_LANES + lane];
			most = hd_max_u32(n, most);
			l->alone += n;
		}
		l->least += most;
	}
	free(*warp);
	*warp = NULL;
}

static uint32_t **warp_of(hd_least *l, const hd_trace_event *e)
{
	size_t at = ((size_t)e->core * HD_MAX_SCHEDULERS + e->scheduler) * HD_WARP_SLOTS + e->slot;
	while (l->warps.n <= at)
		hd_vec_push(&l->warps, NULL);
	return &l->warps.at[at];
}

static void executed(hd_least *l, const hd_trace_event *e)
{
	uint32_t *counts = *warp_of(l, e);
	l->issued++;
	for (uint32_t left = e->mask; counts && left; left &= left - 1)
		counts[e->pc * HD_LANES + hd_lowest_bit(left)]++;
}

static void event(hd_trace *trace, const hd_trace_event *e)
{
	hd_least *l = (hd_least *)trace;
	bool flow;
	switch (e->kind) {
	case HD_TRACE_BEGIN:
		finish(l, warp_of(l, e));
		*warp_of(l, e) = hd_xcalloc((size_t)l->program->n_slots * HD_LANES, sizeof(uint32_t));
		break;
	case HD_TRACE_ISSUE: /* every active lane executes a flow instruction, whatever its guard is */
		flow = l->program->slots[e->pc].pipe == HD_PIPE_FLOW && l->program->slots[e->pc].inst.op != HD_OP_NOP;
		l->idle += !e->mask;
		if (flow && e->mask)
			executed(l, e);
		break;
	case HD_TRACE_ENTER:
		if (l->program->slots[e->pc].pipe != HD_PIPE_FLOW)
			executed(l, e);
		break;
	default:
		break;
	}
}

void hd_least_init(hd_least *least, const hd_program *program) { *least = (hd_least){.trace = {.event = event}, .program = program}; }

void hd_least_end(hd_least *least)
{
	for (size_t i = 0; i < least->warps.n; i++)
		finish(least, &least->warps.at[i]);
	hd_vec_free(&least->warps);
}

#include "core/execute/write_back.h"

#include "core/flow/decide.h"
#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"
#include "core/observe/observers.h"
#include "core/residency/residency.h"

static void written_and_done(hd_scoreboard *board, unsigned warp, const hd_footprint *footprint)
{
	hd_scoreboard_written(board, warp, footprint);
	hd_scoreboard_done(board, warp, footprint);
}

/* Called in the cycle before a result of fixed latency is written. An instruction that issues now enters in the cycle of the write at the earliest.
 */
static void announce(hd_core *core, hd_flight *flight, uint64_t now)
{
	flight->announced = 1;
	if (core->footprint)
		hd_scoreboard_report(core, &core->scheduler[flight->scheduler], flight->warp, flight->pc, hd_scoreboard_written);
	else
		hd_monitor_written(core, flight->scheduler, flight->warp, core->code[flight->pc].primary, flight->units, now);
	hd_events_add(&core->events, now, flight->exit, flight);
}

/* Passes the flight to the write controller. A flight without a register to write returns to the pool. */
static void leave_latch(hd_core *core, hd_scheduler *s, const hd_slot *slot, const hd_static *row, hd_flight *flight, uint64_t now)
{
	/* The last part of an instruction may have no lane. */
	if (flight->mask && slot->dwords && (!flight->memory || s->results.across) && row->kind != HD_KIND_FLOW) {
		flight->exit = now; /* already so for a fixed latency */
		flight->reg = slot->inst.d;
		flight->words = slot->dwords;
		flight->pipe = row->pipe;
		flight->passes_by = hd_passes_by(&slot->inst);
		hd_wc_take(&s->results, flight);
	} else {
		hd_pool_return(&core->pool, flight);
	}
}

/* Without last_use.across the data of memory go to the register file at once. */
static inline void write_past_paths(hd_core *core, hd_scheduler *s, const hd_slot *slot, hd_flight *flight, uint64_t now)
{
	if (!flight->memory || !flight->mask || !slot->dwords || s->results.across)
		return;
	flight->reg = slot->inst.d;
	flight->words = slot->dwords;
	hd_wc_write(&s->results, &(hd_direct_write){flight->warp, flight->reg, flight->words, flight->mask, flight->memory->result.data},
	            !(flight->part & HD_PART_UNCOUNTED), now);
	HD_EVENT(core, registers, flight, (1u << flight->words) - 1, now);
}

/* Completes the result of an instruction. Releases its counter by the write. */
static void write_back(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[flight->scheduler];
	const hd_slot *slot = &core->slots[flight->pc];
	const hd_static *row = &core->code[flight->pc];
	unsigned warp = flight->warp;
	if (core->footprint)
		hd_scoreboard_report(core, s, warp, flight->pc, flight->announced ? hd_scoreboard_done : written_and_done);
	HD_EVENT(core, result, s, flight, slot, row, HD_TRACE_DONE, now);
	if (row->kind == HD_KIND_FLOW) {
		hd_decide(core, flight->scheduler, flight, now);
	} else {
		if (slot->dpred != HD_PT)
			hd_rf_write_predicate(&s->registers, warp, slot->dpred, flight->mask, flight->out.p);
		write_past_paths(core, s, slot, flight, now);
	}
	if (row->primary && !row->by_read && !flight->announced)
		hd_monitor_written(core, flight->scheduler, warp, row->primary, flight->units, now);
	leave_latch(core, s, slot, row, flight, now);
	hd_core_retire(core, s, warp, row);
}

/* Writes the result of some of an instruction's lanes. Other parts follow (execute/narrow.h). */
static void write_part(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[flight->scheduler];
	const hd_slot *slot = &core->slots[flight->pc];
	const hd_static *row = &core->code[flight->pc];
	if (flight->memory && flight->memory->whole)
		memcpy(flight->memory->result.data, flight->memory->whole->result.data, sizeof flight->memory->result.data);
	HD_EVENT(core, result, s, flight, slot, row, HD_TRACE_WRITE, now);
	if (slot->dpred != HD_PT)
		hd_rf_write_predicate(&s->registers, flight->warp, slot->dpred, flight->mask, flight->out.p);
	write_past_paths(core, s, slot, flight, now);
	if (row->primary && !row->by_read && !flight->announced)
		hd_monitor_written(core, flight->scheduler, flight->warp, row->primary, flight->units, now);
	leave_latch(core, s, slot, row, flight, now);
}

void hd_write_back_stage(hd_core *core, uint64_t now)
{
	for (hd_flight *flight = hd_events_take(&core->events, now), *next; flight; flight = next) {
		next = flight->next;
		if (flight->exit > now && !flight->memory)
			announce(core, flight, now);
		else if (core->stopped)
			hd_pool_return(&core->pool, flight);
		else if (flight->part & HD_PART_MORE)
			write_part(core, flight, now);
		else
			write_back(core, flight, now);
	}
}

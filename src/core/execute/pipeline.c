/* Pipelines. Operands are read in the cycle of entry. Results become visible in the cycle in which they are written. Until then they are only in the
 * latch of an hd_flight. */
#include "core/execute/pipeline.h"

#include "core/execute/narrow.h"
#include "core/execute/operands.h"
#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"
#include "core/observe/observers.h"
#include "core/residency/residency.h"

/* Counts lanes without the library call that some hosts would make. Usually all lanes are active. */
static inline uint32_t lanes_of(uint32_t mask)
{
	if (mask == ~0u)
		return HD_LANES;
	mask -= mask >> 1 & 0x55555555u;
	mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
	return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

HD_ALWAYS_INLINE void execute(const hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, hd_flight *flight)
{
	hd_vec32 value;
	hd_sem_in in = {.mask = flight->mask};
	hd_read_operands(core, s, reading, slot, &in, &value);
	if (slot->fn)
		slot->fn(&slot->inst, &in, &flight->out);
}

/* Reads the operands of a memory instruction, which carries them to the memory stage. */
static void read_access(hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, hd_flight *flight)
{
	const hd_inst *inst = &slot->inst;
	flight->memory = hd_new_access(core, s, reading->warp, slot, flight->mask);
	hd_access *access = &flight->memory->access;
	if (slot->words[0])
		memcpy(access->address, hd_read_operand(s, reading, slot, 0, inst->a), slot->words[0] * sizeof(hd_vec32));
	if (slot->words[1])
		memcpy(access->data, hd_read_operand(s, reading, slot, 1, inst->b), slot->words[1] * sizeof(hd_vec32));
	if (slot->words[2])
		memcpy(access->swap, hd_read_operand(s, reading, slot, 2, inst->c), slot->words[2] * sizeof(hd_vec32));
}

/* Every flow instruction is decided. Its guard selects the lanes that take part. */
static void enter_flow(const hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, hd_flight *flight)
{
	if (slot->words[0])
		flight->out.r[0] = *hd_read_operand(s, reading, slot, 0, slot->inst.a);
	if (slot->words[1])
		flight->out.r[1] = *hd_read_operand(s, reading, slot, 1, slot->inst.b);
	flight->units = (uint8_t)core->units;
}

/* The instruction's pipe is busy for an interval. */
static inline void take_pipe(hd_core *core, hd_scheduler *s, const hd_static *row, uint64_t now)
{
	s->pipe_free[row->pipe] = now + row->interval;
	hd_entries_add(&s->entries, row->pipe, row->interval, now);
	core->entered[row->klass]++;
}

/* Without active logic an instruction takes its pipe although no lane is active (HZ-30). It reads no register and writes none. */
static void enter_idle(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_static *row = &core->code[sent->pc];
	take_pipe(core, s, row, now);
	if (row->passes > 1) {
		hd_narrow_begin(core, scheduler, sent, 0, now);
		return;
	}
	if (core->footprint)
		hd_scoreboard_report(core, s, sent->warp, sent->pc, hd_scoreboard_read);
	hd_flight *flight = hd_new_flight(core, scheduler, sent, 0, hd_own_units(core, 0));
	flight->exit = now + row->latency;
	if (row->primary && row->by_read)
		hd_monitor_read(s, sent->warp, row->primary, core->units);
	if (row->kind == HD_KIND_MEMORY) {
		flight->memory = hd_new_access(core, s, sent->warp, &core->slots[sent->pc], 0);
		hd_memory_stage_begin(core, row->pipe, flight, sent->cycle);
	} else {
		hd_enter_latch(core, s, row, flight, now);
	}
}

/* An instruction that no lane executes ends here (HZ-16): it takes no pipe, and its counters and its register marks fall at once. */
static void drop_entry(hd_core *core, hd_scheduler *s, const hd_static *row, const hd_sent *sent, uint64_t now)
{
	hd_stats *stats = core->stats;
	unsigned warp = sent->warp;
	stats->run_dropped++;
	if (core->footprint) {
		hd_scoreboard_report(core, s, warp, sent->pc, hd_scoreboard_read);
		hd_scoreboard_report(core, s, warp, sent->pc, hd_scoreboard_written);
		hd_scoreboard_report(core, s, warp, sent->pc, hd_scoreboard_done);
	}
	if (row->primary) {
		hd_monitor_read(s, warp, row->primary, core->units);
		stats->fence_groups_lowered_early += core->units;
	}
	if (core->replaying_stages >> row->pipe & 1)
		hd_replay_release(core, s, now);
	hd_core_retire(core, s, warp, row);
}

/* Lanes are gated in groups: those that this reading moved, and those of its class. */
static void count_groups(hd_core *core, hd_scheduler *s, const hd_static *row, hd_reading *reading)
{
	core->groups[row->klass] += hd_count_bits(hd_bit_groups(reading->mask, core->gated_lanes));
	hd_wc_count_groups(&s->results, reading);
}

/* Groups of the instruction's counter that fall at entry: all of them by read, those without an active lane by write. */
static inline void lower_at_entry(hd_core *core, hd_scheduler *s, const hd_static *row, const hd_flight *flight)
{
	unsigned at_once = row->by_read ? core->units : core->units - flight->units;
	if (at_once) {
		hd_monitor_read(s, flight->warp, row->primary, at_once);
		core->stats->fence_groups_lowered_early += row->by_read ? 0 : at_once;
	}
}

/* An instruction of which no lane executes. */
HD_APART void enter_none(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	core->stats->divergence_idle += !sent->mask;
	if (core->active_logic)
		drop_entry(core, s, &core->code[sent->pc], sent, now);
	else
		enter_idle(core, scheduler, sent, now);
}

/* `usual`: a constant, true where core->usual_entry is. */
HD_ALWAYS_INLINE void enter(hd_core *core, unsigned scheduler, const hd_sent *sent, bool usual, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_slot *slot = &core->slots[sent->pc];
	const hd_static *row = &core->code[sent->pc];
	uint32_t mask = sent->mask & hd_rf_guard(&s->registers, sent->warp, slot->inst.guard, slot->inst.guard_neg);
	bool flow = row->kind == HD_KIND_FLOW, idle = !mask && !flow;
	uint32_t lanes = flow ? sent->mask : mask;

	if (!usual) {
		HD_EVENT(core, enter, scheduler, sent, mask, idle && core->active_logic, now);
		HD_RECORD_EVENT(core, s, ENTERS, row->pipe, sent->warp, sent->mask,
		                hd_rf_guard(&s->registers, sent->warp, slot->inst.guard, slot->inst.guard_neg), flow, row->primary, row->by_read,
		                row->passes, !(idle && core->active_logic), lanes);
	}
	if (idle) {
		enter_none(core, scheduler, sent, now);
		return;
	}

	take_pipe(core, s, row, now);
	core->lanes[row->klass] += lanes_of(lanes);
	if (sent->mask)
		core->stats->run_warp_instructions++;
	else
		core->stats->divergence_idle++;
	if (!usual && row->passes > 1) {
		hd_narrow_begin(core, scheduler, sent, mask, now);
		return;
	}
	if (!usual && core->footprint)
		hd_scoreboard_report(core, s, sent->warp, sent->pc, hd_scoreboard_read);

	/* only a counter and an observer ask for the units */
	hd_flight *flight = hd_new_flight(core, scheduler, sent, mask, usual && !row->primary ? 0 : hd_own_units(core, mask));
	flight->exit = now + row->latency;
	hd_reading reading;
	hd_wc_begin(&s->results, &reading, sent->warp, row->pipe, lanes, now);
	if (flow)
		enter_flow(core, s, &reading, slot, flight);
	else if (row->kind == HD_KIND_MEMORY)
		read_access(core, s, &reading, slot, flight);
	else
		execute(core, s, &reading, slot, flight);
	if (!usual)
		HD_EVENT(core, reading, s, &reading, slot, sent);
	hd_wc_end_reading(&s->results, &reading);
	if (!usual && core->gated_lanes)
		count_groups(core, s, row, &reading);
	if (row->primary)
		lower_at_entry(core, s, row, flight);
	if (row->kind == HD_KIND_MEMORY)
		hd_memory_stage_begin(core, row->pipe, flight, sent->cycle);
	else if (usual)
		hd_events_add(&core->events, now, flight->exit - row->early, flight);
	else
		hd_enter_latch(core, s, row, flight, now);
}

HD_APART void enter_any(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now) { enter(core, scheduler, sent, false, now); }

void hd_pipeline_enter_reserved(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	if (core->usual_entry)
		enter(core, scheduler, sent, true, now);
	else
		enter_any(core, scheduler, sent, now);
}

void hd_pipeline_leave_queue(hd_core *core, hd_scheduler *s, const hd_sent *sent)
{
	if (hd_waiters_lower(&s->waiters, sent->warp, sent->wait))
		hd_monitor_waiters(s, sent->warp);
	HD_RECORD_EVENT(core, s, WAIT_LEFT, sent->warp, sent->wait, s->waiters.flags[sent->warp]);
}

void hd_pipeline_refuse(hd_core *core, unsigned scheduler, const hd_sent *sent, const hd_reception *how, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (core->wait_counters && sent->wait)
		hd_pipeline_leave_queue(core, s, sent);
	hd_replay_park(core, s, sent, how, now);
}

void hd_pipeline_reenter(hd_core *core, hd_scheduler *s, hd_flight *flight, uint64_t now)
{
	const hd_static *row = &core->code[flight->pc];
	hd_flight *ticket = hd_pool_flight(&core->pool);
	ticket->of = flight;
	ticket->memory = NULL;
	ticket->scheduler = flight->scheduler;
	ticket->warp = flight->warp;
	ticket->exit = now + row->latency;
	s->pipe_free[row->pipe] = now + row->interval;
	hd_memory_stage_put(core, row->pipe == HD_PIPE_LATOM, ticket);
}

bool hd_pipeline_ports_taken(const hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now)
{
	const hd_slot *slot = &core->slots[sent->pc];
	const uint8_t reg[3] = {slot->inst.a, slot->inst.b, slot->inst.c};
	unsigned first[3], words[3], n = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (!slot->words[i] || slot->imm || slot->inst.ksel == i + 1 || reg[i] == HD_RZ)
			continue;
		first[n] = reg[i];
		words[n++] = slot->words[i];
	}
	return hd_ports_taken(&s->results.ports, sent->warp, first, words, n, now);
}

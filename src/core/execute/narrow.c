#include "core/execute/narrow.h"

#include "core/execute/operands.h"
#include "core/execute/pipeline.h"
#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"
#include "core/observe/observers.h"

/* The lanes that enter in cycle `pass` of an entry. */
static uint32_t lanes_of_pass(const hd_static *row, uint32_t pass)
{
	unsigned lanes = HD_LANES / row->passes;
	return ((1u << lanes) - 1) << pass * lanes;
}

/* The lanes that enter after cycle `pass` of an entry. */
static uint32_t lanes_behind(const hd_static *row, uint32_t pass)
{
	return pass + 1u == row->passes ? 0 : UINT32_MAX << (pass + 1) * (HD_LANES / row->passes);
}

static void collect(hd_vec32 *to, const hd_vec32 *from, unsigned words, uint32_t lanes)
{
	for (unsigned w = 0; w < words; w++)
		hd_rf_merge(&to[w], &from[w], lanes);
}

/* Collects the operands of some lanes of an instruction that needs all lanes at once. */
static void collect_operands(hd_core *core, hd_scheduler *s, hd_entering *in, hd_reading *reading, const hd_slot *slot, uint32_t lanes)
{
	const hd_inst *inst = &slot->inst;
	hd_access *access = in->whole->memory ? &in->whole->memory->access : NULL;
	hd_vec32 value;
	if (access) {
		collect(access->address, hd_read_operand(s, reading, slot, 0, inst->a), slot->words[0], lanes);
		collect(access->data, hd_read_operand(s, reading, slot, 1, inst->b), slot->words[1], lanes);
		collect(access->swap, hd_read_operand(s, reading, slot, 2, inst->c), slot->words[2], lanes);
		return;
	}
	hd_sem_in part = {.mask = lanes};
	hd_read_operands(core, s, reading, slot, &part, &value);
	collect(in->a, part.a, slot->words[0], lanes);
	collect(in->b, part.b, slot->imm ? 1 : slot->words[1], lanes);
	collect(in->c, part.c, slot->words[2], lanes);
	for (unsigned i = 0; i < 3; i++)
		in->p[i] = (in->p[i] & ~lanes) | (part.p[i] & lanes);
}

/* Makes a latch for some lanes of an instruction that executes lane by lane. */
static void execute_part(hd_core *core, hd_scheduler *s, hd_entering *in, hd_reading *reading, const hd_slot *slot, uint32_t lanes, bool last)
{
	const hd_static *row = &core->code[in->sent.pc];
	hd_flight *flight = hd_new_flight(core, (unsigned)(s - core->scheduler), &in->sent, lanes, 0);
	hd_vec32 value;
	hd_sem_in operands = {.mask = lanes};
	if (lanes) {
		hd_read_operands(core, s, reading, slot, &operands, &value);
		if (slot->fn)
			slot->fn(&slot->inst, &operands, &flight->out);
	}
	flight->units = (uint8_t)(hd_units_done(core, lanes, in->mask & lanes_behind(row, in->pass)) + (last ? in->idle : 0));
	flight->part = (uint8_t)((in->counted ? HD_PART_UNCOUNTED : 0) | (last ? 0 : HD_PART_MORE));
	flight->exit = reading->now + row->latency;
	hd_enter_latch(core, s, row, flight, reading->now);
}

/* Sends an instruction that needs all lanes at once, in the last cycle of its entry. All operands are then collected. */
static void send_whole(hd_core *core, hd_scheduler *s, hd_entering *in, const hd_slot *slot, uint64_t now)
{
	const hd_static *row = &core->code[in->sent.pc];
	hd_flight *flight = in->whole;
	in->whole = NULL;
	flight->exit = now + row->latency;
	if (flight->memory) {
		hd_memory_stage_begin(core, row->pipe, flight, in->sent.cycle);
		return;
	}
	hd_sem_in operands = {.a = in->a, .b = in->b, .c = in->c, .mask = in->mask, .p = {in->p[0], in->p[1], in->p[2]}};
	if (slot->fn)
		slot->fn(&slot->inst, &operands, &flight->out);
	hd_enter_latch(core, s, row, flight, now);
}

/* One cycle of an entry. */
static void pass(hd_core *core, unsigned scheduler, unsigned pipe, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_entering *in = &s->narrow->in[pipe];
	const hd_static *row = &core->code[in->sent.pc];
	const hd_slot *slot = &core->slots[in->sent.pc];
	uint32_t lanes = in->mask & lanes_of_pass(row, in->pass);
	bool last = in->pass + 1u == row->passes;
	hd_reading reading;
	hd_wc_begin(&s->results, &reading, in->sent.warp, pipe, lanes, now);
	reading.part = in->counted;
	if (lanes)
		HD_EVENT(core, part, scheduler, &in->sent, lanes, now);
	if (in->whole && lanes)
		collect_operands(core, s, in, &reading, slot, lanes);
	if (in->whole && last)
		send_whole(core, s, in, slot, now);
	else if (!in->whole && (lanes || last))
		execute_part(core, s, in, &reading, slot, lanes, last);
	HD_EVENT(core, reading, s, &reading, slot, &in->sent);
	hd_wc_end_reading(&s->results, &reading);
	if (core->gated_lanes)
		hd_wc_count_groups(&s->results, &reading);
	in->counted |= lanes != 0;
	if (row->primary && row->by_read)
		hd_monitor_read(s, in->sent.warp, row->primary, hd_units_done(core, lanes_of_pass(row, in->pass), lanes_behind(row, in->pass)));
	if (last && core->footprint)
		hd_scoreboard_report(core, s, in->sent.warp, in->sent.pc, hd_scoreboard_read);
	in->pass++;
	if (last)
		s->entering &= ~(1u << pipe);
}

void hd_narrow_begin(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_static *row = &core->code[sent->pc];
	const hd_slot *slot = &core->slots[sent->pc];
	hd_entering *in = &s->narrow->in[row->pipe];
	in->sent = *sent;
	in->mask = mask;
	in->pass = 0;
	in->counted = false;
	in->whole = NULL;
	if (core->gated_lanes)
		core->groups[row->klass] += hd_count_bits(hd_bit_groups(mask, core->gated_lanes));
	if (row->kind == HD_KIND_MEMORY || hd_ops[slot->inst.op].flags & HD_OPF_CROSS) {
		in->whole = hd_new_flight(core, scheduler, sent, mask, hd_own_units(core, mask));
		if (row->kind == HD_KIND_MEMORY)
			in->whole->memory = hd_new_access(core, s, sent->warp, slot, mask);
	}
	unsigned inactive = core->units - hd_units_of(core, mask);
	in->idle = core->active_logic ? 0 : inactive;
	if (row->primary && !row->by_read && core->active_logic && inactive) { /* HZ-16 */
		hd_monitor_read(s, sent->warp, row->primary, inactive);
		core->stats->fence_groups_lowered_early += inactive;
	}
	s->entering |= 1u << row->pipe;
	pass(core, scheduler, row->pipe, now);
}

void hd_narrow_continue(hd_core *core, unsigned scheduler, uint64_t now)
{
	for (uint32_t left = core->scheduler[scheduler].entering; left; left &= left - 1)
		pass(core, scheduler, hd_lowest_bit(left), now);
}

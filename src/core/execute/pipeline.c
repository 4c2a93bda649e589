/* Pipelines: operands are read in the cycle of entry, results become visible in the cycle in which they are written. In between they are in
 * the latch of an hd_flight and nowhere else. */
#include "core/execute/pipeline.h"

#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"
#include "core/observe/tracing.h"
#include "core/residency/residency.h"

/* Lane groups of a mask with a lane in it. */
static inline uint32_t groups_of(uint32_t mask)
{
	mask |= mask >> 1;
	mask |= mask >> 2;
	return (mask & 0x11111111u) * 0x11111111u >> 28;
}

/* Not every host counts bits in one instruction. */
static inline uint32_t lanes_of(uint32_t mask)
{
	mask -= mask >> 1 & 0x55555555u;
	mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
	return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* Operand i = 0 a, 1 b, 2 c, in field `reg`. */
static inline const hd_vec32 *operand(const hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, unsigned i, unsigned reg)
{
	if (slot->inst.ksel == i + 1 && !slot->imm)
		return s->warp[reading->warp].words + reg;
	if (!slot->words[i] || reg == HD_RZ)
		return hd_zero;
	return hd_wc_read(&s->results, reading, i, reg, slot->words[i], slot->inst.last_use >> i & 1);
}

static inline uint32_t predicate(const hd_scheduler *s, unsigned warp, unsigned field)
{
	return hd_rf_guard(&s->registers, warp, field & 7, field >> 3 & 1);
}

/* S2R */
static const hd_vec32 *special(const hd_core *core, const hd_warp *warp, hd_sreg which, uint64_t now, hd_vec32 *value)
{
	uint32_t word;
	hd_watch *watch = core->context->watch;
	if (watch->on && (which == HD_SREG_CLOCK || which == HD_SREG_CLOCKHI || which == HD_SREG_GLOBALTIMER || which == HD_SREG_GLOBALTIMERHI))
		hd_watch_progress(watch, now); /* who looks at a clock does not come to the same state again */
	switch (which) {
	case HD_SREG_CLOCK:
	case HD_SREG_GLOBALTIMER:
		word = (uint32_t)now;
		break;
	case HD_SREG_CLOCKHI:
	case HD_SREG_GLOBALTIMERHI:
		word = (uint32_t)(now >> 32);
		break;
	case HD_SREG_ENTRY:
		word = (uint32_t)warp->cta->item;
		break;
	case HD_SREG_ENTRYHI:
		word = (uint32_t)(warp->cta->item >> 32);
		break;
	case HD_SREG_SMID:
		word = core->number;
		break;
	case HD_SREG_NSMID:
		word = core->context->cores;
		break;
	default:
		hd_special(&warp->cta->grid->launch, warp->cta->at, warp->number, which, value);
		return value;
	}
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		value->v[lane] = word;
	return value;
}

static void execute(const hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, const hd_static *row, hd_flight *flight)
{
	const hd_inst *inst = &slot->inst;
	unsigned warp = reading->warp;
	hd_vec32 value;
	hd_sem_in in = {
	    .a = operand(core, s, reading, slot, 0, inst->a),
	    .b = slot->imm ? slot->imm : operand(core, s, reading, slot, 1, inst->b),
	    .c = operand(core, s, reading, slot, 2, inst->c),
	    .mask = flight->mask,
	};
	switch (slot->format) {
	case HD_F_SEL:
	case HD_F_VOTE:
		in.p[0] = predicate(s, warp, inst->sub);
		break;
	case HD_F_CARRY:
		in.p[0] = (inst->sub & 7) == HD_PT ? 0 : predicate(s, warp, inst->sub & 7);
		break;
	case HD_F_PLOP:
		in.p[0] = predicate(s, warp, inst->sub2 & 15);
		in.p[1] = predicate(s, warp, inst->sub2 >> 4);
		in.p[2] = predicate(s, warp, inst->b);
		break;
	default:
		break;
	}
	if (row->kind == HD_KIND_SREG)
		in.special = special(core, &s->warp[warp], (hd_sreg)inst->sub, reading->now, &value);
	if (slot->fn)
		slot->fn(inst, &in, &flight->out);
}

/* A memory instruction takes its operands along to the memory stage. */
static void read_access(hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, hd_flight *flight)
{
	const hd_inst *inst = &slot->inst;
	const hd_warp *owner = &s->warp[reading->warp];
	hd_memory_operands *memory = hd_pool_operands(&core->pool);
	hd_access *access = &memory->access;
	access->inst = inst;
	access->mask = flight->mask;
	if (slot->words[0])
		memcpy(access->address, operand(core, s, reading, slot, 0, inst->a), slot->words[0] * sizeof(hd_vec32));
	if (slot->words[1])
		memcpy(access->data, operand(core, s, reading, slot, 1, inst->b), slot->words[1] * sizeof(hd_vec32));
	if (slot->words[2])
		memcpy(access->swap, operand(core, s, reading, slot, 2, inst->c), slot->words[2] * sizeof(hd_vec32));
	access->shared = owner->cta->shared;
	access->shared_bytes = (uint32_t)owner->cta->demand.shared;
	access->local = owner->local;
	access->local_bytes = owner->cta->grid->launch.kernel->local_bytes;
	access->local_id = owner->local_id;
	access->bank = owner->cta->grid->bank;
	access->may_refuse = access->again = false;
	flight->memory = memory;
}

/* Flow instructions are always decided; their guard says which lanes take part. */
static void enter_flow(hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, hd_flight *flight)
{
	if (slot->words[0])
		flight->out.r[0] = *operand(core, s, reading, slot, 0, slot->inst.a);
	if (slot->words[1])
		flight->out.r[1] = *operand(core, s, reading, slot, 1, slot->inst.b);
	flight->groups = HD_GROUPS;
}

/* The result comes at flight->exit; a scoreboard, and a counter that only the decoder looks at, hear of it in the cycle before. */
static void enter_latch(hd_core *core, hd_scheduler *s, const hd_static *row, hd_flight *flight, uint64_t now)
{
	uint64_t cycle = flight->exit;
	if (core->needs && row->kind != HD_KIND_FLOW) {
		if (row->latency > 1) {
			cycle--;
		} else {
			flight->announced = 1;
			hd_scoreboard_tell(core, s, flight->warp, flight->pc, hd_scoreboard_written);
		}
	}
	cycle -= row->early;
	hd_events_add(&core->events, now, cycle, flight);
}

/* Behind the queue, and behind the replay buffer. */
static void enter(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	const hd_slot *slot = &core->context->code->slots[sent->pc];
	const hd_static *row = &core->code[sent->pc];
	hd_stats *stats = core->stats;
	unsigned warp = sent->warp;
	uint32_t mask = sent->mask & hd_rf_guard(&s->registers, warp, slot->inst.guard, slot->inst.guard_neg);
	uint32_t groups = groups_of(mask);
	bool flow = row->kind == HD_KIND_FLOW;

	if (core->needs)
		hd_scoreboard_tell(core, s, warp, sent->pc, hd_scoreboard_read);

	if (core->trace)
		hd_tell_sent(core, scheduler, sent, mask, !mask && !flow, now);
	if (!mask && !flow) { /* HZ-16 */
		stats->run_dropped++;
		stats->divergence_idle += !sent->mask;
		if (core->needs) {
			hd_scoreboard_tell(core, s, warp, sent->pc, hd_scoreboard_written);
			hd_scoreboard_tell(core, s, warp, sent->pc, hd_scoreboard_done);
		}
		if (row->primary)
			hd_monitor_read(s, warp, row->primary, HD_GROUPS);
		if (s->replay.size && row->pipe == HD_PIPE_LSU)
			hd_replay_release(s, now);
		hd_core_retire(core, s, warp, row);
		return;
	}

	hd_flight *flight = hd_pool_flight(&core->pool);
	flight->pc = sent->pc;
	flight->mask = mask;
	flight->active = sent->mask;
	flight->number = sent->number;
	flight->scheduler = (uint8_t)scheduler;
	flight->warp = (uint8_t)warp;
	flight->groups = (uint8_t)groups;
	flight->memory = NULL;
	flight->announced = 0;
	flight->of = NULL;
	flight->exit = now + row->latency;

	hd_reading reading;
	hd_wc_begin(&s->results, &reading, warp, row->pipe, flow ? sent->mask : mask, now);
	switch (row->kind) {
	case HD_KIND_FLOW:
		enter_flow(core, s, &reading, slot, flight);
		break;
	case HD_KIND_MEMORY:
		read_access(core, s, &reading, slot, flight);
		break;
	default:
		execute(core, s, &reading, slot, row, flight);
		break;
	}
	if (core->trace && reading.n_last)
		hd_tell_skips(core, s, &reading, flight);
	hd_wc_end_reading(&s->results, &reading);
	if (row->primary) {
		unsigned at_once = row->by_read ? HD_GROUPS : HD_GROUPS - flight->groups;
		if (at_once)
			hd_monitor_read(s, warp, row->primary, at_once);
	}
	s->pipe_free[row->pipe] = now + row->interval;
	core->entered[row->klass]++;
	core->lanes[row->klass] += lanes_of(flow ? sent->mask : mask);
	stats->run_warp_instructions += sent->mask != 0;
	stats->divergence_idle += !sent->mask;

	if (row->kind == HD_KIND_MEMORY) {
		unsigned which = row->pipe == HD_PIPE_LATOM;
		flight->since = sent->cycle;
		flight->done = 0;
		flight->refusals = flight->tickets = 0;
		hd_memory_stage_put(core, which, flight);
	} else {
		enter_latch(core, s, row, flight, now);
	}
}

void hd_pipeline_enter(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (core->wait_counters && sent->wait && hd_waiters_lower(&s->waiters, sent->warp, sent->wait)) /* HZ-17 */
		hd_monitor_waiters(s, sent->warp);
	if (s->replay.size && core->code[sent->pc].pipe == HD_PIPE_LSU && hd_replay_parks(core, s, sent, now))
		return;
	enter(core, scheduler, sent, now);
}

void hd_pipeline_enter_reserved(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now) { enter(core, scheduler, sent, now); }

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
	hd_memory_stage_put(core, 0, ticket);
}

bool hd_pipeline_ports_taken(const hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now)
{
	const hd_slot *slot = &core->context->code->slots[sent->pc];
	const uint8_t reg[3] = {slot->inst.a, slot->inst.b, slot->inst.c};
	unsigned first[3], words[3], n = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (!slot->words[i] || slot->imm || slot->inst.ksel == i + 1 || reg[i] == HD_RZ)
			continue;
		first[n] = reg[i];
		words[n++] = slot->words[i];
	}
	return hd_wc_ports_taken(&s->results, sent->warp, first, words, n, now);
}

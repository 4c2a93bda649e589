#include "core/execute/replay.h"

#include "core/execute/pipeline.h"
#include "core/observe/observers.h"
#include "memory/constant.h"

/* True when two accesses of a warp may be performed in any order: both are plain loads, or their spaces differ. */
static bool may_pass(const hd_core *core, uint32_t older, uint32_t younger)
{
	unsigned a = core->code[older].order, b = core->code[younger].order;
	unsigned first = a & ~(unsigned)HD_ORDER_PLAIN, second = b & ~(unsigned)HD_ORDER_PLAIN;
	return (a & b & HD_ORDER_PLAIN) || (first && second && first != second);
}

/* True when an older entry of its warp and its pipe keeps an entry back: one that it must not pass, or one that has not read its operands. */
static bool is_behind(const hd_core *core, const hd_replays *r, const hd_refused *one)
{
	for (const hd_refused *older = r->at; older < one; older++) {
		if (older->sent.warp != one->sent.warp || core->code[older->sent.pc].pipe != core->code[one->sent.pc].pipe)
			continue;
		if (!older->flight || !may_pass(core, older->sent.pc, one->sent.pc))
			return true;
	}
	return false;
}

/* The entries are others than before. */
static void find_order(const hd_core *core, hd_replays *r)
{
	r->warps = r->several = 0;
	for (const hd_refused *one = r->at; one < r->at + r->n; one++) {
		r->several |= r->warps & 1u << one->sent.warp;
		r->warps |= 1u << one->sent.warp;
	}
	for (hd_refused *one = r->at; one < r->at + r->n; one++)
		one->behind = r->several >> one->sent.warp & 1 && is_behind(core, r, one);
}

/* True when an entry has replays to issue, and no older entry keeps it back. */
static bool eligible(const hd_refused *one) { return one->times && !one->behind; }

/* The first cycle in which an entry may issue. */
static uint64_t next_issue(const hd_replays *r)
{
	uint64_t next = HD_NEVER;
	for (const hd_refused *one = r->at; one < r->at + r->n && !r->latched; one++)
		next = eligible(one) ? hd_min_u64(one->ready, next) : next;
	return next;
}

static void find_next(hd_scheduler *s)
{
	s->replay.next = next_issue(&s->replay);
	s->idle_until = hd_min_u64(s->replay.next, s->idle_until); /* as if it had been known when the cause was found */
}

static void count(hd_stats *stats, hd_refusal why)
{
	switch (why) {
	case HD_REFUSED_MISSES:
		stats->predecode_refused_misses++;
		break;
	case HD_REFUSED_BANKS:
		stats->predecode_refused_banks++;
		break;
	case HD_REFUSED_PORTS:
		stats->predecode_refused_ports++;
		break;
	case HD_REFUSED_BUSY:
		stats->predecode_refused_busy++;
		break;
	case HD_REFUSED_ATOMICS:
		stats->predecode_refused_atomics++;
		break;
	case HD_REFUSED_CONSTANTS:
		stats->predecode_refused_constants++;
		break;
	case HD_REFUSED_L1:
		stats->predecode_refused_l1++;
		break;
	default:
		stats->predecode_refused_order++;
		break;
	}
}

/* Inserts an entry behind the older ones of its warp. Younger ones of its warp can be in the buffer already: they passed it and were refused
 * afterwards. */
static void put_in(const hd_core *core, hd_replays *r, const hd_refused *one)
{
	uint32_t at = r->n;
	hd_invariant(r->n < r->size, "%u entries of the replay buffer are not enough", r->size);
	for (uint32_t i = r->n; i-- > 0;) {
		if (r->at[i].sent.warp == one->sent.warp && r->at[i].sent.cycle > one->sent.cycle)
			at = i;
	}
	memmove(&r->at[at + 1], &r->at[at], (r->n - at) * sizeof *r->at);
	r->at[at] = *one;
	r->n++;
	if (r->latched && r->latch >= at)
		r->latch++;
	find_order(core, r);
}

static void take_out(const hd_core *core, hd_replays *r, uint32_t at)
{
	r->n--;
	memmove(&r->at[at], &r->at[at + 1], (r->n - at) * sizeof *r->at);
	if (r->latched && r->latch > at)
		r->latch--;
	find_order(core, r);
}

static void find_unread(const hd_core *core, hd_replays *r)
{
	memset(r->unread, 0, sizeof r->unread);
	for (uint32_t i = 0; i < r->n; i++)
		if (!r->at[i].flight)
			r->unread[core->code[r->at[i].sent.pc].pipe] |= (uint16_t)(1u << r->at[i].sent.warp);
}

/* The cycle from which a refused instruction can issue again, `ready` or later: its line is fetched again where the buffer does not keep it (PD-39).
 */
static uint64_t ready_again(hd_core *core, uint32_t pc, uint64_t ready, uint64_t now)
{
	return core->context->machine->predecode_refetch ? hd_max_u64(ready, hd_fetch_again(&core->port, pc, now)) : ready;
}

void hd_replay_issue(hd_core *core, hd_scheduler *s, uint64_t now)
{
	hd_replays *r = &s->replay;
	for (uint32_t i = 0; i < r->n; i++) {
		if (r->at[i].ready > now || !eligible(&r->at[i]))
			continue;
		r->latched = true;
		r->latch = i;
		r->enters = now + 1;
		r->at[i].times--;
		if (r->at[i].flight)
			r->at[i].flight->tickets++;
		core->stats->predecode_replays++;
		core->stats->predecode_decoded += core->context->machine->predecode_refetch;
		if (r->at[i].times)
			r->at[i].ready = ready_again(core, r->at[i].sent.pc, r->at[i].ready, now);
		HD_EVENT(core, replay, s, &r->at[i].sent, now);
		r->next = HD_NEVER; /* until it has entered its pipe */
		return;
	}
	hd_invariant(false, "no replay is ready in cycle %llu", (unsigned long long)now);
}

/* True when the pipe of an instruction with may-replay looks at the ports of the register file. */
static bool minds_ports(const hd_core *core, unsigned pipe) { return pipe == HD_PIPE_LSU || core->context->machine->predecode_refuse_ports; }

/* Enters an instruction that has not read its operands. What is behind it keeps its distance (docs/timing.md, rule 2). */
static void enter_unread(hd_core *core, unsigned scheduler, uint32_t at, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_replays *r = &s->replay;
	hd_sent sent = r->at[at].sent;
	unsigned pipe = core->code[sent.pc].pipe;
	take_out(core, r, at);
	find_unread(core, r);
	s->queue[pipe].of[sent.warp].entered = now;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->at[i].sent.gap > 1 && r->at[i].sent.warp == sent.warp && core->code[r->at[i].sent.pc].pipe == pipe)
			r->at[i].ready = hd_max_u64(r->at[i].ready, now + r->at[i].sent.gap - 1);
	if (!(core->replaying_stages >> pipe & 1))
		hd_replay_release(core, s, now);
	hd_pipeline_enter_reserved(core, scheduler, &sent, now);
}

void hd_replay_enter(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_replays *r = &s->replay;
	hd_refused *one = &r->at[r->latch];
	unsigned pipe = core->code[one->sent.pc].pipe;
	r->enters = hd_pipeline_entry_free(core, s, pipe, now);
	if (r->enters > now)
		return;
	r->latched = false;
	if (one->flight) {
		hd_pipeline_reenter(core, s, one->flight, now);
	} else if (minds_ports(core, pipe) && hd_pipeline_ports_taken(core, s, &one->sent, now)) {
		one->times = 1; /* refused again: it issues at the next opportunity */
		one->ready = ready_again(core, one->sent.pc, now + 1, now);
		core->stats->predecode_refused_ports++;
	} else {
		enter_unread(core, scheduler, (uint32_t)(one - r->at), now);
	}
	find_next(s);
}

bool hd_replay_parks(hd_core *core, hd_scheduler *s, const hd_sent *sent, uint64_t now)
{
	unsigned pipe = core->code[sent->pc].pipe;
	bool behind = s->replay.unread[pipe] >> sent->warp & 1;
	if (behind || (sent->may_refuse && minds_ports(core, pipe) && hd_pipeline_ports_taken(core, s, sent, now))) {
		hd_replay_park(core, s, sent, &(hd_reception){.why = behind ? HD_REFUSED_ORDER : HD_REFUSED_PORTS, .ready = now + 1}, now);
		return true;
	}
	s->replay.reserved++;
	return false;
}

/* The cycle from which the constant operand of an instruction that may be refused is there. `room`: the replay buffer can take it. Then this is its
 * only look-up, because a replay does not look again. */
static uint64_t constant_there(hd_core *core, hd_scheduler *s, const hd_sent *sent, bool room, uint64_t now)
{
	const hd_slot *slot = &core->slots[sent->pc];
	if (!core->context->machine->predecode_refuse_constants || !core->constants || !slot->inst.ksel || slot->imm)
		return now;
	uint64_t address = hd_constants_bank(s->warp[sent->warp].cta->grid->bank, 4u * core->code[sent->pc].word);
	unsigned reader = hd_constant_reader(core, s, sent->warp);
	uint64_t there = hd_constants_operand(core->constants, reader, now, address, core->stats);
	if (room || there == now)
		hd_constants_take(core->constants, reader, address);
	return there;
}

hd_reception hd_replay_receives(hd_core *core, hd_scheduler *s, const hd_sent *sent, uint64_t accept, uint64_t now)
{
	const hd_machine *machine = core->context->machine;
	unsigned pipe = core->code[sent->pc].pipe;
	bool room = !hd_replay_full(&s->replay), busy = accept > now;
	if (s->replay.unread[pipe] >> sent->warp & 1)
		return room ? (hd_reception){HD_RECEPTION_REFUSED, HD_REFUSED_ORDER, now + 1} : (hd_reception){.what = HD_RECEPTION_WAITS};
	if (busy && !(room && sent->may_refuse && machine->predecode_refuse_busy && pipe < HD_PIPE_LATOM))
		return (hd_reception){.what = HD_RECEPTION_WAITS};
	if (!sent->may_refuse)
		return (hd_reception){.what = HD_RECEPTION_ENTERS};
	uint64_t there = constant_there(core, s, sent, room, now), ready = hd_max_u64(there, accept);
	if (there > now && !room)
		return (hd_reception){.what = HD_RECEPTION_WAITS};
	if (busy || there > now)
		return (hd_reception){HD_RECEPTION_REFUSED, there > now ? HD_REFUSED_CONSTANTS : HD_REFUSED_BUSY, hd_max_u64(ready - 1, now + 1)};
	if (room && machine->predecode_refuse_ports && hd_pipeline_ports_taken(core, s, sent, now))
		return (hd_reception){HD_RECEPTION_REFUSED, HD_REFUSED_PORTS, now + 1};
	return (hd_reception){.what = HD_RECEPTION_ENTERS};
}

void hd_replay_park(hd_core *core, hd_scheduler *s, const hd_sent *sent, const hd_reception *how, uint64_t now)
{
	count(core->stats, how->why);
	s->replay.reserved++;
	put_in(core, &s->replay, &(hd_refused){.sent = *sent, .ready = ready_again(core, sent->pc, how->ready, now), .times = 1});
	find_unread(core, &s->replay);
	find_next(s);
}

void hd_replay_release(hd_core *core, hd_scheduler *s, uint64_t now)
{
	s->replay.reserved--;
	for (uint32_t left = core->replaying_stages & s->occupied; left; left &= left - 1) { /* the queue may have waited for a free entry */
		hd_queue *queue = &s->queue[hd_lowest_bit(left)];
		if (queue->next > now)
			queue->next = now;
	}
}

static uint32_t place_of(const hd_replays *r, const hd_flight *flight)
{
	uint32_t i = 0;
	while (i < r->n && r->at[i].flight != flight)
		i++;
	return i;
}

/* Puts it back into the buffer, or into it for the first time. Returns its entry. */
static hd_refused *refuse(hd_core *core, hd_scheduler *s, hd_flight *flight, hd_refusal why, uint32_t times, uint64_t ready, uint64_t now)
{
	hd_replays *r = &s->replay;
	uint32_t at = place_of(r, flight);
	count(core->stats, why);
	if (at == r->n) {
		hd_refused one = {.flight = flight,
		                  .sent = {.cycle = flight->since, .pc = flight->pc, .warp = flight->warp, .number = flight->number}};
		put_in(core, r, &one);
		at = place_of(r, flight);
	}
	hd_refused *one = &r->at[at];
	one->times = times;
	one->ready = ready_again(core, one->sent.pc, ready, now);
	find_next(s);
	return one;
}

/* True when an entry of its warp and its pipe is older, and the instruction must not pass it. `warps`: those that may have such an entry. */
static bool kept_back(const hd_core *core, const hd_replays *r, const hd_flight *flight, uint32_t warps)
{
	for (uint32_t i = 0; warps >> flight->warp & 1 && i < r->n; i++) {
		const hd_sent *sent = &r->at[i].sent;
		if (sent->warp == flight->warp && sent->cycle < flight->since && core->code[sent->pc].pipe == core->code[flight->pc].pipe &&
		    !may_pass(core, sent->pc, flight->pc))
			return true;
	}
	return false;
}

hd_flight *hd_replay_arrives(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[flight->scheduler];
	hd_replays *r = &s->replay;
	hd_flight *whole = flight->of ? flight->of : flight;
	uint32_t warps = flight->of ? r->several : r->warps; /* a replay has an entry of its own */
	if (flight->of) {
		whole->tickets--;
		hd_pool_return(&core->pool, flight);
	}
	if (kept_back(core, r, whole, warps)) {
		hd_lsu_reject(core->lsu, (hd_pipe)core->code[whole->pc].pipe, now);
		refuse(core, s, whole, HD_REFUSED_ORDER, 1, now + 1, now);
		return NULL;
	}
	/* Service in full must be the last: while other replays of it are in the pipe, it is refused. */
	whole->memory->access.may_refuse = whole->may_refuse && (whole->refusals < HD_REPLAY_LIMIT || whole->tickets);
	return whole;
}

/* Cycles from a replay's issue to the stage. */
static uint64_t way_of(const hd_core *core, uint32_t pc) { return 1 + core->code[pc].latency; }

bool hd_replay_served(hd_core *core, hd_flight *flight, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[flight->scheduler];
	hd_replays *r = &s->replay;
	hd_memory_operands *memory = flight->memory;
	uint64_t way = way_of(core, flight->pc);
	uint32_t at = place_of(r, flight);
	if (memory->result.done > flight->done)
		flight->done = memory->result.done;
	if (!memory->result.left) {
		memory->result.done = flight->done;
		if (at < r->n) {
			take_out(core, r, at);
			find_next(s);
		}
		hd_replay_release(core, s, now);
		return true;
	}
	bool in_vain = memory->result.left == memory->access.mask;
	if (in_vain && memory->result.why == HD_REFUSED_CONSTANTS && at < r->n) {
		r->at[at].times = 0; /* the line is absent: the passes that were planned behind this one would be in vain, too */
		find_next(s);
	}
	flight->refusals = (uint8_t)(in_vain ? hd_min_u32(flight->refusals + 1u, HD_REPLAY_LIMIT) : 0);
	memory->access.again |= memory->result.left != memory->access.mask;
	memory->access.mask = memory->result.left;
	/* The replays for the other passes were requested together and follow. */
	if (at < r->n && r->at[at].times + flight->tickets > 0) {
		count(core->stats, memory->result.why);
		return false;
	}
	uint64_t retry = memory->result.retry, ready = retry > now + way ? retry - way : now + 1;
	if (retry < HD_PENDING) {
		refuse(core, s, flight, memory->result.why, memory->result.times, ready, now);
		return false;
	}
	refuse(core, s, flight, memory->result.why, memory->result.times, HD_NEVER, now)->asked = retry;
	r->requests++;
	return false;
}

void hd_replay_answers(hd_core *core, hd_scheduler *s)
{
	hd_replays *r = &s->replay;
	for (uint32_t i = 0; i < r->n && r->requests; i++) {
		hd_refused *one = &r->at[i];
		if (!one->asked)
			continue;
		one->ready = core->requests->list.at[one->asked - HD_PENDING].answer - way_of(core, one->sent.pc);
		one->asked = 0;
		r->requests--;
	}
	find_next(s);
}

#include "core/observe/livelock.h"

#include "core/execute/narrow_entry.h"
#include "core/execute/shared_pipes.h"
#include "core/observe/diagnosis.h"
#include "core/observe/stop.h"

/* An earlier state of a warp, followed by its registers. */
typedef struct image {
	uint32_t pc, active, minrc, alive, members, depth, returned, activation, yields, gathered, predicates[HD_PREDS + 1], rc[HD_LANES];
	uint32_t released;
	uint32_t sync[sizeof(hd_sync) / sizeof(uint32_t)]; /* words, because an image is not aligned as vectors are */
	uint64_t flight;                                   /* hash of everything in flight */
} image;

typedef struct past {
	uint64_t epoch; /* 0: no state is kept */
	uint64_t length, power;
	uint64_t kept; /* cycle in which `image` was kept */
	uint64_t due;  /* packets that had left then have all arrived after this cycle (MT-1) */
	bool spins;
	bool spun; /* in the epoch before, which ended without any progress */
	image image;
	hd_vec32 *registers;
	HD_VEC(hd_activation) stack;
	hd_tokens tokens;
} past;

struct hd_past {
	past at[HD_MAX_SCHEDULERS][HD_WARP_SLOTS];
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t mix_lanes(uint64_t hash, const hd_vec32 *value, unsigned words, uint32_t mask)
{
	for (unsigned i = 0; i < words; i++)
		for (uint32_t left = mask; left; left &= left - 1)
			hash = mix(hash, value[i].v[hd_lowest_bit(left)]);
	return hash;
}

/* A hash of the values that an instruction in a pipe carries: the operands of an access that is to come (`to_come`), or a result. */
static uint64_t of_flight(const hd_core *core, const hd_flight *flight, bool to_come)
{
	const hd_slot *slot = &core->slots[flight->pc];
	uint64_t hash = mix(mix(to_come, flight->pc), flight->mask);
	if (to_come) {
		hash = mix_lanes(hash, flight->memory->access.address, slot->words[0] < 2 ? slot->words[0] : 2, flight->mask);
		hash = mix_lanes(hash, flight->memory->access.data, slot->words[1] < 4 ? slot->words[1] : 4, flight->mask);
		return mix_lanes(hash, flight->memory->access.swap, slot->words[2] < 2 ? slot->words[2] : 2, flight->mask);
	}
	hash = mix(hash, slot->dpred != HD_PT ? flight->out.p & flight->mask : 0);
	return mix_lanes(hash, flight->memory ? flight->memory->result.data : flight->out.r, slot->dwords, flight->mask);
}

static uint64_t of_list(const hd_core *core, const hd_flight *flight, unsigned scheduler, unsigned warp, bool to_come)
{
	uint64_t sum = 0;
	for (; flight; flight = flight->next)
		if (flight->scheduler == scheduler && flight->warp == warp &&
		    !(to_come && flight->of)) /* the operands of a replay are in the buffer */
			sum += of_flight(core, flight, to_come);
	return sum;
}

/* A hash of an entry of the replay buffer. Lanes that have been served already have their data. */
static uint64_t of_refused(const hd_core *core, const hd_refused *one)
{
	if (!one->flight)
		return mix(mix(4, one->sent.pc), one->sent.mask);
	uint32_t left = one->flight->memory->access.mask;
	uint64_t hash = mix(of_flight(core, one->flight, true), left);
	return mix_lanes(hash, one->flight->memory->result.data, core->slots[one->flight->pc].dwords, one->flight->mask & ~left);
}

// NOLINTNEXTLINE(misc-unused-parameters): hd_buffer_visit
static void add_buffered(void *sum, hd_buffer_register *at, bool is_last_result)
{
	*(uint64_t *)sum += mix_lanes(mix(mix(3, at->reg), at->lanes), &at->value, 1, at->lanes);
}

/* A hash of everything in flight. It is a sum, because the order between different pipes has no meaning. */
static uint64_t under_way(const hd_core *core, unsigned scheduler, unsigned warp)
{
	const hd_scheduler *s = &core->scheduler[scheduler];
	uint64_t sum = 0;
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		unsigned pipe = hd_lowest_bit(left), slot = hd_queue_slot(core->pipes, pipe, scheduler, warp);
		const hd_queue *queue = hd_queue_before(core->pipes, &s->queue[pipe], pipe);
		for (unsigned i = 0; i < queue->hazard_n; i++)
			if (queue->hazard[queue->age[i]].warp == slot)
				sum += mix(mix(2, queue->hazard[queue->age[i]].pc), queue->hazard[queue->age[i]].mask);
		for (unsigned i = 0; i < queue->fifo_n; i++) {
			const hd_sent *sent = &queue->fifo[(queue->fifo_head + i) % queue->fifo_size];
			if (sent->warp == slot)
				sum += mix(mix(2, sent->pc), sent->mask);
		}
	}
	for (unsigned i = 0; i < HD_WHEEL; i++)
		if (core->events.used >> i & 1)
			sum += of_list(core, core->events.wheel[i].first, scheduler, warp, false);
	for (size_t i = 0; i < core->events.heap_n; i++) {
		const hd_flight *flight = core->events.heap[i].flight;
		if (flight->scheduler == scheduler && flight->warp == warp)
			sum += of_flight(core, flight, false);
	}
	sum += hd_narrow_hash(s, warp);
	sum += of_list(core, core->awaiting, scheduler, warp, false);
	for (unsigned i = 0; i < 2; i++)
		sum += of_list(core, core->stage[i].first, scheduler, warp, true);
	for (uint32_t i = 0; i < s->replay.n; i++)
		if (s->replay.at[i].sent.warp == warp)
			sum += of_refused(core, &s->replay.at[i]);
	/* Results that are visible but not yet in the register file. */
	for (const hd_flight *flight = s->results.first_of[warp]; flight; flight = flight->later)
		sum += mix_lanes(mix(mix(3, flight->reg), flight->mask), hd_flight_value(flight), flight->words, flight->mask);
	if (s->results.buffer)
		hd_operand_buffer_each(s->results.buffer, warp, add_buffered, &sum);
	return sum;
}

static image image_of(const hd_scheduler *s, unsigned warp)
{
	const hd_warp_flow *flow = &s->flow[warp];
	image i;
	memset(&i, 0, sizeof i); /* the comparison includes padding */
	i.pc = flow->pc;
	i.active = flow->active;
	i.minrc = flow->minrc;
	i.alive = flow->alive;
	i.members = flow->members;
	i.depth = flow->depth;
	i.returned = flow->returned;
	i.activation = flow->activation;
	i.yields = flow->yields;
	i.gathered = flow->gathered;
	memcpy(i.predicates, s->registers.predicate[warp], sizeof i.predicates);
	memcpy(i.rc, flow->rc, sizeof i.rc);
	i.released = flow->released;
	if (flow->sync)
		memcpy(i.sync, flow->sync, sizeof i.sync);
	return i;
}

/* The baselines keep their calls in the tokens. */
static bool same_stacks(const past *p, const hd_warp_flow *flow)
{
	if (p->tokens.n != flow->tokens->n)
		return false;
	for (size_t i = 0; i < p->stack.n; i++) {
		const hd_activation *a = &flow->stack[i], *b = &p->stack.at[i];
		if (a->members != b->members || a->minrc != b->minrc || a->back != b->back)
			return false;
	}
	for (size_t i = 0; i < p->tokens.n; i++) {
		const hd_token *a = &flow->tokens->at[i], *b = &p->tokens.at[i];
		if (a->kind != b->kind || a->pc != b->pc || a->lanes != b->lanes || a->rest != b->rest || a->call != b->call ||
		    a->returned != b->returned)
			return false;
	}
	return true;
}

static bool same(const hd_core *core, const past *p, unsigned scheduler, unsigned warp)
{
	const hd_scheduler *s = &core->scheduler[scheduler];
	image now = image_of(s, warp);
	now.flight = p->image.flight;
	return memcmp(&now, &p->image, sizeof now) == 0 && same_stacks(p, &s->flow[warp]) &&
	       memcmp(p->registers, s->registers.at[warp], core->size.registers * sizeof *p->registers) == 0 &&
	       under_way(core, scheduler, warp) == p->image.flight;
}

static void keep(const hd_core *core, past *p, unsigned scheduler, unsigned warp, uint64_t now)
{
	const hd_scheduler *s = &core->scheduler[scheduler];
	const hd_warp_flow *flow = &s->flow[warp];
	p->kept = now;
	p->due = core->context->watch->due;
	p->image = image_of(s, warp);
	p->image.flight = under_way(core, scheduler, warp);
	if (!p->registers)
		p->registers = hd_xaligned(core->size.registers * sizeof *p->registers);
	memcpy(p->registers, s->registers.at[warp], core->size.registers * sizeof *p->registers);
	p->stack.n = p->tokens.n = 0;
	for (uint32_t i = 0; i < flow->depth && core->flow.mode == HD_DIV_RESUME; i++)
		hd_vec_push(&p->stack, flow->stack[i]);
	for (size_t i = 0; i < flow->tokens->n; i++)
		hd_vec_push(&p->tokens, flow->tokens->at[i]);
}

/* The warp's state has recurred, and nothing has made progress since. */
static bool repeats(const hd_core *core, unsigned scheduler, unsigned warp)
{
	const past *p = core->past ? &core->past->at[scheduler][warp] : NULL;
	uint64_t epoch = core->context->watch->epoch;
	return p && ((p->epoch == epoch && (p->spins || p->spun)) || (p->epoch + 1 == epoch && p->spins));
}

/* Checks one warp. True when its state has recurred in this epoch. */
static bool spins(hd_core *core, hd_watch *watch, unsigned scheduler, unsigned warp, uint64_t now)
{
	past *p = &core->past->at[scheduler][warp];
	if (p->epoch != watch->epoch) {
		p->spun = repeats(core, scheduler, warp);
		p->epoch = watch->epoch;
		p->spins = false;
		p->length = 0;
		p->power = 1;
		keep(core, p, scheduler, warp, now);
		return false;
	}
	if (p->spins)
		return true;
	if (same(core, p, scheduler, warp)) {
		p->spins = true;
		watch->spinning++;
		watch->kept = hd_min_u64(watch->kept, p->kept);
		watch->settled = hd_max_u64(watch->settled, p->due);
		return true;
	}
	if (++p->length == p->power) {
		p->power *= 2;
		p->length = 0;
		keep(core, p, scheduler, warp, now);
	}
	return false;
}

/* States are kept anew. Epochs that follow each other without progress have consecutive numbers. */
static void begin_epoch(hd_watch *watch, uint64_t step)
{
	watch->epoch += step;
	watch->spinning = 0;
	watch->idle = watch->waiting;
	watch->kept = HD_NEVER;
	watch->settled = 0;
}

/* True when no warp of the machine can ever continue. *scheduler and *warp then receive a warp that spins. */
static bool livelock(hd_core *core, unsigned *scheduler, unsigned *warp, uint64_t now)
{
	hd_watch *watch = core->context->watch;
	if (!watch->on) {
		watch->on = true;
		watch->arrived = now;
		begin_epoch(watch, 2);
	}
	if (!core->past)
		core->past = hd_xcalloc(1, sizeof *core->past);
	bool any = false;
	for (unsigned i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		for (uint32_t left = s->decided & s->live & ~s->at_barrier; left; left &= left - 1) {
			if (!spins(core, watch, i, hd_lowest_bit(left), now))
				continue;
			any = true;
			*scheduler = i;
			*warp = hd_lowest_bit(left);
		}
		s->decided = 0;
	}
	if (!any || watch->spinning + watch->idle != watch->running || now <= watch->settled || watch->stuck)
		return false;
	if (!watch->idle || watch->kept >= watch->arrived)
		return true;
	begin_epoch(watch, 1);
	return false;
}

void hd_livelock_waits(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now)
{
	hd_watch *watch = core->context->watch;
	if (!watch->on || hd_livelock_spins(core, scheduler, warp))
		return;
	watch->idle++;
	if (!repeats(core, scheduler, warp))
		watch->arrived = now;
}

void hd_livelock_released(hd_core *core, unsigned scheduler, unsigned warp)
{
	hd_watch *watch = core->context->watch;
	if (watch->on && !hd_livelock_spins(core, scheduler, warp))
		watch->idle--;
}

void hd_livelock_look(hd_core *core, uint64_t now)
{
	unsigned scheduler = 0, warp = 0;
	hd_trap nowhere;
	hd_text text = {0};
	core->watched = false;
	if (core->stopped || !livelock(core, &scheduler, &warp, now))
		return;
	const hd_watch *watch = core->context->watch;
	const hd_warp_flow *flow = &core->scheduler[scheduler].flow[warp];
	hd_text_printf(&text, "  livelock: %u warps spin, each through earlier states again, and no warp is left that could change memory",
	               watch->spinning);
	hd_text_printf(&text, watch->idle ? "; %u wait at barriers\n" : "\n", watch->idle);
	hd_core_explain(core, now, &nowhere, &text);
	if (flow->alive & ~(flow->active | hd_flow_synced(flow)) && core->flow.mode != HD_DIV_BARRIERS)
		hd_text_printf(&text, "  lanes that spin do not wait for others of their warp; with divergence.mode = barriers lanes take turns\n");
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_DEADLOCK, scheduler, warp, flow->pc, flow->active ? hd_lowest_bit(flow->active) : 0, text.at});
}

bool hd_livelock_spins(const hd_core *core, unsigned scheduler, unsigned warp)
{
	const past *p = core->past ? &core->past->at[scheduler][warp] : NULL;
	return p && core->context->watch->on && p->epoch == core->context->watch->epoch && p->spins;
}

void hd_livelock_free(hd_past *all)
{
	if (!all)
		return;
	for (unsigned i = 0; i < HD_MAX_SCHEDULERS; i++) {
		for (unsigned j = 0; j < HD_WARP_SLOTS; j++) {
			free(all->at[i][j].registers);
			hd_vec_free(&all->at[i][j].stack);
			hd_vec_free(&all->at[i][j].tokens);
		}
	}
	free(all);
}

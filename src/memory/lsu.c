#include "memory/lsu_state.h"
#include "memory/l2.h"
#include "memory/refuse.h"
#include "memory/sectors.h"

#include <stdlib.h>

/* The addresses of local memory in the address space of the caches. The words of the lanes are interleaved, so lanes at one offset coalesce. */
#define LOCAL_BASE (UINT64_C(1) << 59)

static const bool unwatched = false;

hd_lsu *hd_lsu_new(const hd_machine *m, hd_l2 *l2, hd_memory *memory, hd_constants *constants)
{
	hd_lsu *lsu = hd_xcalloc(1, sizeof *lsu);
	hd_first_cache_init(&lsu->l1, m->memory_l1_bytes, m->memory_l1_ways);
	lsu->l2 = l2;
	lsu->constants = constants;
	lsu->memory = memory;
	lsu->watching = &unwatched;
	lsu->l1_latency = m->memory_l1_latency;
	lsu->shared_latency = m->memory_shared_latency;
	lsu->copies = m->copies[HD_PIPE_LSU];
	lsu->constant_latency = m->memory_constant_latency;
	lsu->l2_latency = m->memory_l2_latency;
	lsu->there = m->memory_l2_latency / 2;
	lsu->back = m->memory_l2_latency - lsu->there;
	lsu->map = hd_slice_map_of(m);
	lsu->request_bytes = m->memory_request_bytes;
	lsu->request_queue = (uint64_t)m->memory_request_queue * (HD_SECTOR_BYTES + 8);
	lsu->far = m->memory_far_latency;
	lsu->shared_banks = m->memory_shared_banks;
	lsu->lane_by_lane = m->memory_return_groups;
	lsu->refuse_constants = m->predecode_refuse_constants;
	lsu->replay_misses = m->predecode_replay_misses;
	hd_room_init(&lsu->misses, m->memory_l1_misses);
	hd_room_init(&lsu->writes, m->memory_l1_writes);
	return lsu;
}

void hd_lsu_free(hd_lsu *lsu)
{
	if (!lsu)
		return;
	hd_first_cache_free(&lsu->l1);
	hd_room_free(&lsu->misses);
	hd_room_free(&lsu->writes);
	free(lsu->halted);
	free(lsu);
}

void hd_lsu_translate(hd_lsu *lsu, hd_mmu *mmu) { lsu->mmu = mmu; }

void hd_lsu_travel(hd_lsu *lsu, hd_outbox *outbox)
{
	lsu->outbox = outbox;
	outbox->slices = hd_l2_slices(lsu->l2);
	lsu->asks = outbox->slices != NULL;
	if (lsu->asks)
		lsu->halted = hd_xcalloc(1, sizeof *lsu->halted);
	hd_first_cache_hold(&lsu->l1, &outbox->fills);
}

void hd_lsu_stand(hd_lsu *lsu, uint32_t core) { lsu->side = core & 1; }

void hd_lsu_forget(hd_lsu *lsu)
{
	if (lsu->outbox)
		hd_first_cache_forget(&lsu->l1);
}

void hd_lsu_watch(hd_lsu *lsu, hd_watch *watch)
{
	lsu->watch = watch;
	lsu->watching = watch ? &watch->on : &unwatched;
}

uint64_t hd_lsu_free_at(const hd_lsu *lsu, hd_pipe pipe) { return lsu->free_at[pipe == HD_PIPE_LATOM]; }

/* The stage that takes the next access: of copies the one that has been free for the longest time. */
static uint64_t *next_stage(hd_lsu *lsu, unsigned stage_of)
{
	if (stage_of || lsu->copies == 1)
		return &lsu->free_at[stage_of];
	uint64_t *next = lsu->copy;
	for (uint32_t i = 1; i < lsu->copies; i++)
		if (lsu->copy[i] < *next)
			next = &lsu->copy[i];
	return next;
}

/* A stage is taken until cycle `until`. */
static void hold_stage(hd_lsu *lsu, uint64_t *stage, uint64_t until)
{
	*stage = until;
	if (lsu->copies > 1)
		lsu->free_at[0] = *next_stage(lsu, 0);
}

void hd_lsu_turn_away(hd_lsu *lsu, hd_pipe pipe, uint64_t now) { hold_stage(lsu, next_stage(lsu, pipe == HD_PIPE_LATOM), now + 1); }

static uint64_t price_shared(const hd_lsu *lsu, const hd_part *p, unsigned bytes, bool atomic, uint64_t *stage, hd_stats *stats)
{
	uint32_t address[HD_LANES];
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		address[lane] = (uint32_t)p->address[lane];
	unsigned passes = hd_bank_passes(address, p->mask, bytes, lsu->shared_banks, atomic);
	stats->memory_bank_conflicts += passes - 1;
	stats->memory_shared_words += (uint64_t)__builtin_popcount(p->mask) * ((bytes + 3) / 4) * (atomic ? 2 : 1);
	*stage += passes;
	return *stage - 1 + lsu->shared_latency;
}

/* Computes the time of a constant load. The load is served one address a cycle and looks up the line of an address in its cycle. The data comes
 * constant_latency cycles after all lines are present. `bank` is NULL if the addresses are not those of the constant bank. */
static uint64_t price_constant(hd_lsu *lsu, const hd_bank *bank, const hd_part *p, uint64_t *stage, hd_stats *stats)
{
	uint32_t rest = p->mask;
	uint64_t there = *stage;
	while (rest) {
		uint64_t address = p->address[hd_lowest_bit(rest)];
		stats->memory_constant_passes++;
		if (lsu->constants) {
			uint64_t line = hd_constants_line(lsu->constants, *stage, bank ? hd_constants_bank(bank, address) : address, stats);
			there = hd_max_u64(line, there);
		}
		for (uint32_t others = rest; others; others &= others - 1) {
			unsigned lane = hd_lowest_bit(others);
			if (p->address[lane] == address)
				rest &= ~(1u << lane);
		}
		++*stage;
	}
	return (there > *stage - 1 ? there : *stage - 1) + lsu->constant_latency;
}

static void count(hd_space space, hd_op op, hd_format format, hd_stats *stats)
{
	if (space == HD_SPACE_SHARED)
		stats->memory_shared_accesses++;
	else if (space == HD_SPACE_LOCAL)
		stats->memory_local_accesses++;
	else if (space == HD_SPACE_CONST || op == HD_OP_LDK)
		stats->memory_constant_accesses++;
	else if (format == HD_F_LD)
		stats->memory_global_loads++;
	else if (format == HD_F_ST)
		stats->memory_global_stores++;
	else
		stats->memory_global_atomics++;
}

void hd_lsu_busy(hd_lsu *lsu, uint64_t until)
{
	uint64_t *stage = next_stage(lsu, 0);
	hold_stage(lsu, stage, hd_max_u64(until, *stage));
}

/* What the core's earlier packets leave there. */
static const uint8_t *global_bytes(hd_lsu *lsu, uint64_t address, uint32_t bytes)
{
	const uint8_t *at = hd_memory_any_at(lsu->memory, address, bytes, &(bool){false});
	return at && lsu->outbox ? hd_outbox_over(lsu->outbox, at, bytes) : at;
}

const uint8_t *hd_lsu_bytes(hd_lsu *lsu, const hd_access *access, unsigned lane, uint64_t address, uint32_t bytes, uint32_t align, hd_trap *trap)
{
	hd_space space = hd_window(address);
	uint64_t offset = address - hd_part_window(space);
	if (address % align) {
		hd_part_fault(trap, HD_TRAP_ALIGNMENT, lane, address, align, false);
		return NULL;
	}
	const uint8_t *at = NULL;
	if (space == HD_SPACE_GLOBAL)
		at = global_bytes(lsu, address, bytes);
	else if (space == HD_SPACE_SHARED && offset <= access->shared_bytes && bytes <= access->shared_bytes - offset)
		at = access->shared + offset;
	else if (space == HD_SPACE_LOCAL && offset <= access->local_bytes && bytes <= access->local_bytes - offset)
		at = access->local + (size_t)lane * access->local_bytes + offset;
	if (!at)
		hd_part_fault(trap, space == HD_SPACE_GLOBAL ? hd_memory_fault(lsu->memory, address) : HD_TRAP_ADDRESS, lane, address, bytes, false);
	return at;
}

/* Lanes of local memory get addresses of their own in the caches. */
static void spread_local(const hd_access *access, hd_part *p)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		p->address[lane] = LOCAL_BASE + access->local_id * access->local_bytes * HD_LANES + (p->address[lane] & ~UINT64_C(3)) * HD_LANES +
		                   lane * 4 + (p->address[lane] & 3);
}

/* The access has no room before another answer comes. What is under way is kept, from its part `at` on. */
static void halt(hd_lsu *lsu, const hd_part *parts, unsigned n, unsigned at, const hd_work *work, bool live, const hd_going *going, uint64_t stage)
{
	hd_halted *halted = lsu->halted;
	*halted = (hd_halted){.on = true, .from = UINT64_MAX, .stage = stage, .parts = n, .at = at, .work = *work, .live = live, .going = *going};
	memcpy(halted->part, parts, n * sizeof *parts);
	halted->going.sending.work = &halted->work;
	halted->going.to = &halted->going.sending;
	work->result->waits++;
}

/* Performs and prices the lanes of one space. Returns the cycle in which the last one is done; UINT64_MAX: the access halts in `going`. */
static uint64_t access_part(hd_lsu *lsu, const hd_access *access, hd_part *p, hd_work *work, hd_going *going, uint64_t *stage, hd_stats *stats)
{
	const hd_inst *inst = access->inst;
	hd_format format = (hd_format)work->format;
	bool plain = format == HD_F_LD || format == HD_F_ST, constant = hd_lsu_is_constant(lsu, p, inst);
	bool travels = lsu->outbox && p->space == HD_SPACE_GLOBAL && !constant;
	uint64_t now = *stage, done, *lane_done = lsu->lane_by_lane ? work->result->lane_done : NULL;
	work->mask = p->mask;
	work->at = p->at;
	if (!travels)
		(work->live || (format != HD_F_LD && *lsu->watching) ? hd_perform_watched(work, lsu->watch, now) : hd_perform(work));
	if (p->space == HD_SPACE_SHARED) {
		done = price_shared(lsu, p, hd_size_bytes(work->size), !plain, stage, stats);
	} else if (constant) {
		done = price_constant(lsu, p->space == HD_SPACE_CONST ? access->bank : NULL, p, stage, stats);
	} else {
		if (p->space == HD_SPACE_LOCAL)
			spread_local(access, p);
		hd_sectors_begin(lsu, going, p, work, travels, now, stats);
		if (!hd_sectors_pass(lsu, going, stage, lane_done, stats))
			return UINT64_MAX;
		/* A store to local memory is done here, because no other thread can see it. */
		if (p->space != HD_SPACE_LOCAL || format != HD_F_ST)
			return going->done;
		done = *stage;
	}
	for (uint32_t left = lane_done ? p->mask : 0; left; left &= left - 1)
		lane_done[hd_lowest_bit(left)] = done;
	return done;
}

/* Performs the parts from number `from` on, and holds the stage while they take it. */
static bool access_parts(hd_lsu *lsu, hd_part *parts, unsigned n, unsigned from, hd_work *work, bool live, uint64_t *entry, uint64_t stage,
                         hd_stats *stats)
{
	const hd_access *access = work->access;
	hd_access_result *result = work->result;
	hd_going going;
	for (unsigned i = from; i < n; i++) {
		work->live = live && parts[i].space == HD_SPACE_GLOBAL;
		if (!access->again)
			count(parts[i].space, (hd_op)access->inst->op, (hd_format)work->format, stats);
		uint64_t done = access_part(lsu, access, &parts[i], work, &going, &stage, stats);
		if (done == UINT64_MAX) {
			halt(lsu, parts, n, i, work, live, &going, stage);
			for (uint32_t copy = 0; copy < HD_MAX_COPIES; copy++)
				lsu->copy[copy] = hd_max_u64(lsu->copy[copy], stage);
			lsu->free_at[0] = UINT64_MAX;
			return false;
		}
		result->done = hd_max_u64(done, result->done);
	}
	hold_stage(lsu, entry, hd_max_u64(stage, *entry));
	return true;
}

/* A fence beyond the CTA empties the first cache (MT-2). It waits for nothing: the program waits, by counters, for the accesses before it. */
static void fence(hd_lsu *lsu, uint64_t now, unsigned scope, hd_access_result *result)
{
	result->done = now + (hd_scope_in_core(scope) ? 1 : lsu->l2_latency);
	if (!hd_scope_in_core(scope))
		hd_lsu_forget(lsu);
}

bool hd_lsu_access(hd_lsu *lsu, uint64_t now, const hd_access *access, hd_access_result *result, hd_stats *stats, hd_trap *trap)
{
	const hd_inst *inst = access->inst;
	hd_format format = (hd_format)hd_ops[inst->op].format;
	unsigned stage_of = hd_ops[inst->op].pipe == HD_PIPE_LATOM;
	hd_invariant(now >= lsu->free_at[stage_of], "memory stage %u entered at %llu, free at %llu", stage_of, (unsigned long long)now,
	             (unsigned long long)lsu->free_at[stage_of]);
	result->done = lsu->asks ? hd_max_u64(result->done, now + 1) : now + 1; /* earlier parts may have answers */
	result->left = 0;
	result->why = HD_REFUSED_NOT;
	result->times = 1;
	uint64_t *entry = next_stage(lsu, stage_of);
	hold_stage(lsu, entry, now + 1);
	if (inst->op == HD_OP_MEMBAR) {
		fence(lsu, now, inst->sub, result);
		return true;
	}
	unsigned size = hd_access_size(inst, format), bytes = hd_size_bytes(size);
	hd_part parts[3];
	uint8_t *near[2][HD_LANES]; /* of shared and local memory */
	hd_work work = {.access = access, .result = result, .format = (uint8_t)format, .size = (uint8_t)size};
	unsigned n = hd_part_split(access, parts);
	for (unsigned i = 0; i < n; i++) {
		hd_part *p = &parts[i];
		p->at = p->space == HD_SPACE_GLOBAL ? result->at : near[p->space == HD_SPACE_LOCAL];
		if (!hd_part_locate(lsu->memory, access, p, bytes, format != HD_F_LD, trap) &&
		    !hd_part_locate_live(lsu->memory, p, bytes, &work.live, trap))
			return false;
	}
	if (access->may_refuse && n == 1) {
		hd_refuse(lsu, &parts[0], &work, now, stats);
		if (!parts[0].mask)
			return true;
	}
	access_parts(lsu, parts, n, 0, &work, work.live, entry, now, stats);
	return true;
}

uint64_t hd_lsu_goes_on(const hd_lsu *lsu) { return lsu->halted && lsu->halted->on ? lsu->halted->from : UINT64_MAX; }

bool hd_lsu_go_on(hd_lsu *lsu, uint64_t now, hd_stats *stats)
{
	hd_halted *halted = lsu->halted;
	hd_part *p = &halted->part[halted->at];
	hd_access_result *result = halted->work.result;
	uint8_t *near[2][HD_LANES];
	uint64_t stage = hd_max_u64(now, halted->stage);
	halted->from = UINT64_MAX;
	if (!hd_sectors_pass(lsu, &halted->going, &stage, NULL, stats)) {
		halted->stage = stage;
		return false;
	}
	halted->on = false;
	result->waits--;
	result->done = hd_max_u64(result->done, p->space == HD_SPACE_LOCAL ? stage : halted->going.done);
	uint64_t *entry = next_stage(lsu, 0);
	if (lsu->copies == 1)
		*entry = now; /* halt() closed the stage */
	for (unsigned i = halted->at + 1; i < halted->parts; i++) { /* they found their places before */
		hd_part *other = &halted->part[i];
		hd_trap none;
		other->at = near[other->space == HD_SPACE_LOCAL];
		hd_part_locate(lsu->memory, halted->work.access, other, hd_size_bytes(halted->work.size), false, &none);
	}
	hd_part parts[3];
	hd_work work = halted->work;
	memcpy(parts, halted->part, sizeof parts);
	*entry = hd_max_u64(*entry, now + 1);
	return access_parts(lsu, parts, halted->parts, halted->at + 1, &work, halted->live, entry, stage, stats);
}

static void answer(hd_lsu *lsu, hd_fill *fill, void (*done)(void *context, void *owner), void *context)
{
	hd_fills *pool = &lsu->outbox->fills;
	hd_room_close(fill->kind == HD_FILL_READ ? &lsu->misses : &lsu->writes, fill->ready);
	if (fill->place)
		hd_first_cache_answer(&lsu->l1, fill);
	for (hd_taker *taker = fill->takers, *next; taker; taker = next) {
		hd_access_result *result = taker->result;
		next = taker->next;
		result->done = hd_max_u64(result->done, fill->ready);
		taker->next = pool->takers;
		pool->takers = taker;
		if (!--result->waits)
			done(context, result->owner);
	}
	hd_fills_give(pool, fill);
}

void hd_lsu_answers(hd_lsu *lsu, void (*done)(void *context, void *owner), void *context)
{
	hd_halted *halted = lsu->halted;
	for (hd_fill *fill = lsu->outbox->answered, *next; fill; fill = next) {
		next = fill->queued;
		answer(lsu, fill, done, context);
	}
	lsu->outbox->answered = NULL;
	if (!halted->on)
		return;
	uint64_t from = hd_room_from(halted->going.way == HD_WAY_WRITE ? &lsu->writes : &lsu->misses, halted->stage);
	halted->from = from;
}

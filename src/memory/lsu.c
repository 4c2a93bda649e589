#include "memory/lsu_state.h"
#include "memory/coalesce.h"
#include "memory/deferred.h"
#include "memory/refuse.h"
#include "memory/sectors.h"
#include "memory/slice_port.h"

#include <stdlib.h>

/* The addresses of local memory in the address space of the caches. The words of the lanes are interleaved, so lanes at one offset coalesce. */
#define LOCAL_BASE (UINT64_C(1) << 59)

static const bool unwatched = false;

enum { NO_PARTS = 4 };

hd_lsu *hd_lsu_new(const hd_machine *m, hd_l2 *l2, hd_memory *memory, hd_constants *constants, hd_region *region)
{
	hd_lsu *lsu = hd_take(region, sizeof *lsu);
	lsu->lanes = hd_lanes_of_host();
	hd_first_cache_init(&lsu->l1, m->memory_l1_bytes, m->memory_l1_ways, region);
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
	lsu->far = m->memory_far_latency;
	lsu->request_bytes = m->memory_request_bytes;
	lsu->request_queue = m->memory_request_queue;
	lsu->sectors = hd_sectors_access;
	lsu->shared_banks = m->memory_shared_banks;
	lsu->lane_by_lane = m->memory_return_groups;
	lsu->refuse_constants = m->predecode_refuse_constants;
	lsu->replay_misses = m->predecode_replay_misses;
	lsu->promises = m->predecode_replay_order == HD_REPLAY_PROMISED;
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
	hd_slice_port_free(lsu->slice_port);
	hd_deferred_free(lsu->deferred);
	hd_give(lsu->l1.region, lsu);
}

void hd_lsu_set_mmu(hd_lsu *lsu, hd_mmu *mmu) { lsu->mmu = mmu; }

void hd_lsu_set_outbox(hd_lsu *lsu, hd_outbox *outbox)
{
	lsu->outbox = outbox;
	hd_first_cache_keep_bytes(&lsu->l1, &outbox->fills);
	outbox->slices = hd_l2_slices(lsu->l2);
	if (outbox->slices)
		hd_slice_port_init(lsu);
}

void hd_lsu_set_core(hd_lsu *lsu, uint32_t core)
{
	lsu->core = core;
	lsu->side = core & 1;
}

void hd_lsu_set_deferral(hd_lsu *lsu) { lsu->defers = lsu->copies == 1; }

void hd_lsu_set_requests(hd_lsu *lsu, hd_requests *requests) { lsu->requests = requests; }

void hd_lsu_invalidate(hd_lsu *lsu)
{
	if (lsu->outbox)
		hd_first_cache_invalidate(&lsu->l1);
}

void hd_lsu_set_watch(hd_lsu *lsu, hd_watch *watch)
{
	lsu->watch = watch;
	lsu->watching = watch ? &watch->on : &unwatched;
}

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

/* All copies of the LSU's stage are taken until cycle `until`. */
static void occupy_all(hd_lsu *lsu, uint64_t until)
{
	for (uint32_t i = 0; i < HD_MAX_COPIES; i++)
		lsu->copy[i] = until;
	lsu->free_at[0] = until;
}

/* A stage is taken until cycle `until`. */
static void occupy(hd_lsu *lsu, uint64_t *stage, uint64_t until)
{
	*stage = until;
	if (lsu->copies > 1)
		lsu->free_at[0] = *next_stage(lsu, 0);
}

bool hd_lsu_uses_slices(const hd_lsu *lsu) { return lsu->slice_port; }

bool hd_lsu_awaits(hd_lsu *lsu, const hd_access_result *result)
{
	if (lsu->slice_port->n && lsu->free_at[0] != UINT64_MAX) {
		for (uint32_t i = 0; i < HD_MAX_COPIES; i++)
			lsu->slice_port->end = hd_max_u64(lsu->slice_port->end, lsu->copy[i]);
		lsu->slice_port->end = hd_max_u64(lsu->slice_port->end, lsu->free_at[0]);
		occupy_all(lsu, UINT64_MAX);
	}
	return result->waits || result->answered;
}

void hd_lsu_reopen(hd_lsu *lsu, uint64_t end) { occupy_all(lsu, end); }

void hd_lsu_reject(hd_lsu *lsu, hd_pipe pipe, uint64_t now) { occupy(lsu, next_stage(lsu, pipe == HD_PIPE_LATOM), now + 1); }

static uint64_t price_shared(hd_lsu *lsu, const hd_part *p, unsigned bytes, bool atomic, uint64_t *stage, hd_stats *stats)
{
	uint32_t address[HD_LANES];
	unsigned passes = 1;
	if (!hd_lsu_one_pass(lsu, p, bytes, atomic)) {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			address[lane] = (uint32_t)p->address[lane];
		passes = hd_bank_passes(address, p->mask, bytes, lsu->shared_banks, atomic);
	}
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

static void count(hd_space space, const hd_access_op *op, hd_stats *stats)
{
	if (space == HD_SPACE_SHARED)
		stats->memory_shared_accesses++;
	else if (space == HD_SPACE_LOCAL)
		stats->memory_local_accesses++;
	else if (space == HD_SPACE_CONST || op->constant)
		stats->memory_constant_accesses++;
	else if (op->kind == HD_ACCESS_LOAD)
		stats->memory_global_loads++;
	else if (op->kind == HD_ACCESS_STORE)
		stats->memory_global_stores++;
	else
		stats->memory_global_atomics++;
}

void hd_lsu_busy(hd_lsu *lsu, uint64_t until)
{
	uint64_t *stage = next_stage(lsu, 0);
	occupy(lsu, stage, hd_max_u64(until, *stage));
}

/* The bytes at a global address as the core's earlier packets leave them. */
static const uint8_t *global_bytes(hd_lsu *lsu, uint64_t address, uint32_t bytes)
{
	const uint8_t *at = hd_memory_any_at(lsu->memory, address, bytes, &(bool){false});
	return at && lsu->outbox ? hd_outbox_read(lsu->outbox, at, bytes) : at;
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

/* Performs and prices the lanes of one space. Returns the cycle in which the last one is done. */
static uint64_t access_part(hd_lsu *lsu, const hd_access *access, hd_part *p, hd_work *work, uint64_t *stage, hd_stats *stats)
{
	unsigned kind = work->kind;
	bool plain = kind == HD_ACCESS_LOAD || kind == HD_ACCESS_STORE, constant = hd_lsu_is_constant(lsu, p, access->op);
	bool by_packet = lsu->outbox && p->space == HD_SPACE_GLOBAL && !constant;
	uint64_t now = *stage, done, *lane_done = lsu->lane_by_lane ? work->result->lane_done : NULL;
	work->mask = p->mask;
	work->at = p->at;
	if (!by_packet)
		(work->live || (kind != HD_ACCESS_LOAD && *lsu->watching) ? hd_perform_watched(work, lsu->watch, now) : hd_perform(work));
	if (p->space == HD_SPACE_SHARED) {
		done = price_shared(lsu, p, hd_size_bytes(work->size), !plain, stage, stats);
	} else if (constant) {
		done = price_constant(lsu, p->space == HD_SPACE_CONST ? access->bank : NULL, p, stage, stats);
	} else {
		if (p->space == HD_SPACE_LOCAL)
			spread_local(access, p);
		size_t awaited = lsu->requests ? lsu->requests->awaited.n : 0;
		done = lsu->sectors(lsu, p, work, by_packet, stage, lane_done, stats);
		/* A store to local memory is done here, because no other thread can see it. */
		if (p->space != HD_SPACE_LOCAL || kind != HD_ACCESS_STORE)
			return done;
		done = *stage;
		if (lsu->requests)
			lsu->requests->awaited.n = awaited;
	}
	for (uint32_t left = lane_done ? p->mask : 0; left; left &= left - 1)
		lane_done[hd_lowest_bit(left)] = done;
	return done;
}

/* A fence beyond the CTA empties the first cache (MT-2). It waits for nothing: the program waits, by counters, for the accesses before it. */
static void fence(hd_lsu *lsu, uint64_t now, unsigned scope, hd_access_result *result)
{
	result->done = now + (hd_scope_in_core(scope) ? 1 : lsu->l2_latency);
	if (!hd_scope_in_core(scope))
		hd_lsu_invalidate(lsu);
}

/* Lanes outside of every buffer (launch/bounds.h) read zeros, as late as a hit in the first cache. They go no farther. */
static void answer_outside(const hd_lsu *lsu, uint64_t now, const hd_work *work)
{
	hd_access_result *result = work->result;
	result->done = now + (work->kind == HD_ACCESS_STORE ? 1 : lsu->l1_latency);
	for (uint32_t rest = result->outside; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		for (unsigned w = 0; w < 4; w++)
			result->data[w].v[lane] = 0;
		result->lane_done[lane] = result->done;
	}
}

/* The places of a room that are known to be free next. */
static uint32_t sure(hd_lsu *lsu, hd_room *room, uint64_t now) { return hd_room_sure(room, lsu->requests->window, now, lsu->requests->ahead); }

/* In a window of time: true when the access needs the shared side at once. Either lanes of one instruction go to several spaces, or there is so
 * little room that a pending answer decides how long the stage waits, and the access is not one that can be deferred (deferred.h): local memory has
 * no packets, and other copies of the stage go on. */
static bool stops(hd_lsu *lsu, const hd_part *parts, unsigned n, const hd_work *work, uint64_t now)
{
	const hd_part *p = &parts[0];
	hd_part spread;
	hd_room *room = work->kind == HD_ACCESS_LOAD ? &lsu->misses : &lsu->writes;
	hd_sectors sectors;
	if (n != 1) /* no lane at all (HZ-30), or several spaces */
		return n > 1;
	if (p->space == HD_SPACE_SHARED || p->space == HD_SPACE_CONST)
		return false;
	uint32_t places = sure(lsu, room, now);
	if (places >= HD_LANES)
		return false;
	if (p->space == HD_SPACE_LOCAL) {
		spread = *p;
		spread_local(work->access, &spread);
		p = &spread;
	}
	hd_part_sectors(lsu->lanes, p, &sectors);
	if (sectors.n <= places)
		return false;
	if (p->space == HD_SPACE_LOCAL || !lsu->defers)
		return true;
	lsu->scarce = true;
	return false;
}

/* In a window of time: a load that found no room comes again when there is room. Only a pending answer says when. */
static uint64_t ask_for_room(hd_lsu *lsu, uint32_t part, uint64_t now)
{
	return hd_requests_note(
	    lsu->requests,
	    &(hd_request){.cycle = now, .at = now + 1, .room = &lsu->misses, .core = lsu->core, .part = part, .kind = HD_REQUEST_ROOM});
}

/* The access does not happen now. */
static bool stop_for(hd_lsu *lsu, uint64_t *entry, uint64_t before)
{
	occupy(lsu, entry, before);
	lsu->requests->stops = HD_STOP_MEMORY;
	return true;
}

/* The lanes by space, and where their bytes are; *near are the places of lanes of shared and local memory. A load that was refused knows its sectors.
 * NO_PARTS with a trap for a lane that has no place. */
static unsigned find_parts(hd_lsu *lsu, hd_work *work, unsigned bytes, hd_part parts[3], uint8_t *near[2][HD_LANES], hd_trap *trap)
{
	hd_access_result *result = work->result;
	if (result->kept) {
		parts[0].space = HD_SPACE_GLOBAL;
		parts[0].mask = work->access->mask;
		parts[0].at = result->at;
		parts[0].sectors = &result->sectors;
		return 1;
	}
	unsigned n = hd_part_split(lsu->lanes, work->access, parts);
	for (unsigned i = 0; i < n; i++) {
		hd_part *p = &parts[i];
		p->bytes = bytes;
		p->store = work->kind != HD_ACCESS_LOAD;
		p->at = p->space == HD_SPACE_GLOBAL ? result->at : near[p->space == HD_SPACE_LOCAL];
		if (!hd_part_locate(lsu->lanes, lsu->memory, &lsu->hits, work->access, p, trap) &&
		    !hd_part_locate_live(lsu->lanes, lsu->memory, p, &work->live, &result->outside, trap))
			return NO_PARTS;
	}
	return n;
}

/* In a window of time nobody may know when a load that is refused finds room. */
static void set_retry(hd_lsu *lsu, uint64_t now, hd_access_result *result)
{
	uint32_t before = hd_lsu_places_before(lsu), known;
	if (hd_requests_are_pending(lsu->requests) && result->why == HD_REFUSED_MISSES && (known = sure(lsu, &lsu->misses, now)) <= before)
		result->retry = ask_for_room(lsu, before - known, now);
}

bool hd_lsu_access(hd_lsu *lsu, uint64_t now, const hd_access *access, hd_access_result *result, hd_stats *stats, hd_trap *trap)
{
	const hd_access_op *op = access->op;
	unsigned stage_of = op->own_stage;
	hd_invariant(now >= lsu->free_at[stage_of], "memory stage %u entered at %llu, free at %llu", stage_of, (unsigned long long)now,
	             (unsigned long long)lsu->free_at[stage_of]);
	result->done = now + 1;
	result->left = 0;
	result->outside = 0;
	result->why = HD_REFUSED_NOT;
	result->times = 1;
	uint32_t promised = result->promised;
	lsu->promised -= promised;
	result->promised = 0;
	uint64_t *entry = next_stage(lsu, stage_of), before = *entry;
	occupy(lsu, entry, now + 1);
	if (result->kept && access->may_refuse && hd_refuse_again(lsu, access, now, result)) {
		set_retry(lsu, now, result);
		return true;
	}
	if (op->kind == HD_ACCESS_FENCE) {
		fence(lsu, now, op->scope, result);
		return true;
	}
	unsigned bytes = hd_size_bytes(op->size);
	hd_part parts[3];
	uint8_t *near[2][HD_LANES];
	bool waits = hd_requests_are_pending(lsu->requests);
	hd_work work = {.access = access, .result = result, .lanes = lsu->lanes, .promised = promised, .kind = op->kind, .size = op->size};
	unsigned n = find_parts(lsu, &work, bytes, parts, near, trap);
	if (n == NO_PARTS)
		return false;
	if (result->outside)
		answer_outside(lsu, now, &work);
	if (access->may_refuse && n == 1) {
		hd_refuse(lsu, &parts[0], &work, now, stats);
		set_retry(lsu, now, result);
		if (!parts[0].mask)
			return true;
	}
	lsu->scarce = false;
	if (waits && stops(lsu, parts, n, &work, now)) {
		lsu->promised += promised - result->promised;
		result->promised = promised;
		return stop_for(lsu, entry, before);
	}
	uint64_t stage = now;
	bool live = work.live;
	lsu->now = now;
	for (unsigned i = 0; i < n; i++) {
		work.live = live && parts[i].space == HD_SPACE_GLOBAL;
		if (!access->again)
			count(parts[i].space, op, stats);
		uint64_t done = access_part(lsu, access, &parts[i], &work, &stage, stats);
		result->done = hd_max_u64(done, result->done);
	}
	occupy(lsu, entry, lsu->scarce && hd_deferred_any(lsu) ? UINT64_MAX : hd_max_u64(stage, now + 1));
	return true;
}

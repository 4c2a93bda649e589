#include "memory/refuse.h"

#include "memory/slice_port.h"
#include "memory/coalesce.h"
#include "memory/sectors.h"

/* A cycle that only an answer brings is no earlier than the way of an answer that leaves now. */
static uint64_t known(const hd_lsu *lsu, uint64_t cycle, uint64_t now) { return cycle == UINT64_MAX ? now + lsu->l2_latency - lsu->there : cycle; }

/* The lanes of `mask` whose sectors are in the first cache or on their way to it. */
static uint32_t requested(const hd_lsu *lsu, const hd_sectors *sectors, uint32_t mask)
{
	const hd_cache_line *line = NULL;
	uint64_t number = UINT64_MAX; /* of the line */
	uint32_t lanes = 0;
	for (unsigned i = 0; i < sectors->n; i++) {
		if (!(sectors->lanes[i] & mask))
			continue;
		if (sectors->at[i] / HD_CACHE_LINE_BYTES != number) {
			number = sectors->at[i] / HD_CACHE_LINE_BYTES;
			line = hd_tags_peek(&lsu->l1.tags, sectors->at[i]);
		}
		if (line && line->valid >> hd_sector_of(sectors->at[i]) & 1)
			lanes |= sectors->lanes[i];
	}
	return lanes;
}

/* The load comes again when there is room, behind those to which places are promised (PD-10): as many as `sectors` has for these lanes, at most those
 * of a line. */
static void refuse_for_room(hd_lsu *lsu, const hd_sectors *sectors, uint32_t left, uint64_t now, hd_access_result *result)
{
	result->left = left;
	result->why = HD_REFUSED_MISSES;
	for (unsigned i = 0; lsu->promises && i < sectors->n && result->promised < HD_LINE_SECTORS; i++)
		result->promised += (sectors->lanes[i] & left) != 0;
	lsu->promised += result->promised;
	result->retry = known(lsu, hd_room_after(&lsu->misses, hd_lsu_places_before(lsu), now + 1), now);
}

static bool passes_by(const hd_access_op *op) { return op->cache == HD_CACHE_GLOBAL || op->cache == HD_CACHE_VOLATILE; }

bool hd_refuse_again(hd_lsu *lsu, const hd_access *access, uint64_t now, hd_access_result *result)
{
	if (hd_room_from(&lsu->misses, now) == now || (!passes_by(access->op) && requested(lsu, &result->sectors, access->mask)))
		return false;
	refuse_for_room(lsu, &result->sectors, access->mask, now, result);
	return true;
}

/* The places, at most `most`, that the load may take: of those that are free now it leaves those promised to others, if none was promised to it. */
static uint32_t free_places(const hd_lsu *lsu, const hd_work *work, uint64_t now, uint32_t most)
{
	uint32_t others = work->promised ? 0 : lsu->promised, room = hd_room_free_at(&lsu->misses, now, most + others);
	return room - hd_min_u32(room, others);
}

/* Reduces p->mask of a load that may be refused (PD-15) to the lanes whose sectors are present or find a place in the miss table now. */
static void refuse_misses(hd_lsu *lsu, hd_part *p, const hd_work *work, bool bypass, uint64_t now, hd_access_result *result)
{
	hd_sectors *sectors = &result->sectors;
	uint32_t room = free_places(lsu, work, now, HD_LANES);
	if (room >= HD_LANES)
		return;
	if (!p->sectors)
		hd_part_sectors(lsu->lanes, p, sectors);
	p->sectors = sectors;
	uint32_t serve = bypass ? 0 : requested(lsu, sectors, p->mask), left = p->mask & ~serve;
	for (unsigned i = 0; room && i < sectors->n; i++) {
		room -= (sectors->lanes[i] & left) != 0;
		left &= ~sectors->lanes[i];
	}
	if (!left)
		return;
	refuse_for_room(lsu, sectors, left, now, result);
	p->mask &= ~left;
}

/* predecode.replay_misses: reduces p->mask to the lanes whose sectors are in the first cache now, and requests the other sectors for the replay, as
 * far as the miss table has room (PD-26). */
static void refuse_absent(hd_lsu *lsu, hd_part *p, const hd_work *work, uint64_t now, hd_access_result *result, hd_stats *stats)
{
	hd_sectors sectors;
	uint32_t serve = 0;
	uint64_t there = 0;
	hd_sending sending = {.work = work};
	hd_part_sectors(lsu->lanes, p, &sectors);
	for (unsigned i = 0; i < sectors.n; i++) {
		const hd_cache_line *line = hd_tags_peek(&lsu->l1.tags, sectors.at[i]);
		unsigned sector = hd_sector_of(sectors.at[i]);
		bool requested = line && (line->valid >> sector & 1);
		if (requested && line->ready[sector] <= now) {
			serve |= sectors.lanes[i];
		} else if (requested) {
			there = hd_max_u64(known(lsu, line->ready[sector], now), there);
		} else if (free_places(lsu, work, now, 1)) {
			uint64_t stage = now, ready = lsu->slice_port
			                                  ? hd_slice_port_prefetch(lsu, work, now, sectors.at[i], stats)
			                                  : hd_sector_load(lsu, lsu->outbox ? &sending : NULL, &stage, sectors.at[i], 0, stats);
			there = hd_max_u64(ready, there);
		}
	}
	result->left = p->mask & ~serve;
	if (!result->left)
		return;
	if (there) {
		result->why = HD_REFUSED_L1;
		result->retry = there;
	} else {
		refuse_for_room(lsu, &sectors, result->left, now, result);
	}
	p->mask = serve;
}

/* Reduces p->mask of an access to shared memory that may be refused (PD-15, PD-26) to the lanes of the first pass, if banks conflict. */
static void refuse_banks(hd_lsu *lsu, hd_part *p, unsigned bytes, bool atomic, uint64_t now, hd_access_result *result)
{
	uint32_t address[HD_LANES], rest = p->mask;
	if (hd_lsu_one_pass(lsu, p, bytes, atomic))
		return;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		address[lane] = (uint32_t)p->address[lane];
	uint32_t first = hd_bank_pass(address, rest, bytes, lsu->shared_banks, atomic);
	result->left = rest & ~first;
	if (!result->left)
		return;
	result->times = 0;
	for (rest = result->left; rest; result->times++)
		rest &= ~hd_bank_pass(address, rest, bytes, lsu->shared_banks, atomic);
	result->why = atomic ? HD_REFUSED_ATOMICS : HD_REFUSED_BANKS;
	result->retry = now + 1;
	p->mask = first;
}

static uint32_t lanes_at(const hd_part *p, uint32_t mask, uint64_t address)
{
	uint32_t lanes = 0;
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		lanes |= (uint32_t)(p->address[hd_lowest_bit(rest)] == address) << hd_lowest_bit(rest);
	return lanes;
}

/* predecode.refuse_constants: reduces p->mask of a constant load to the lanes of the first address, and to none before the line of that address is
 * there (PD-26). */
static void refuse_constants(hd_lsu *lsu, const hd_bank *bank, hd_part *p, uint64_t now, hd_access_result *result, hd_stats *stats)
{
	uint64_t address = p->address[hd_lowest_bit(p->mask)], there = now;
	if (lsu->constants)
		there = hd_constants_request(lsu->constants, now, bank ? hd_constants_bank(bank, address) : address, stats);
	uint32_t serve = there > now ? 0 : lanes_at(p, p->mask, address);
	result->left = p->mask & ~serve;
	if (!result->left)
		return;
	if (serve) {
		result->times = 0;
		for (uint32_t rest = result->left; rest; result->times++)
			rest &= ~lanes_at(p, rest, p->address[hd_lowest_bit(rest)]);
	}
	result->why = HD_REFUSED_CONSTANTS;
	result->retry = serve ? now + 1 : there;
	p->mask = serve;
}

void hd_refuse(hd_lsu *lsu, hd_part *p, const hd_work *work, uint64_t now, hd_stats *stats)
{
	const hd_access_op *op = work->access->op;
	hd_access_result *result = work->result;
	bool past = passes_by(op) || (lsu->outbox && work->live);
	bool global_load = work->kind == HD_ACCESS_LOAD && p->space == HD_SPACE_GLOBAL;
	if (p->space == HD_SPACE_SHARED) {
		bool atomic = work->kind != HD_ACCESS_LOAD && work->kind != HD_ACCESS_STORE;
		if (!atomic || op->own_stage)
			refuse_banks(lsu, p, hd_size_bytes(work->size), atomic, now, result);
	} else if (hd_lsu_is_constant(lsu, p, op)) {
		if (lsu->refuse_constants)
			refuse_constants(lsu, p->space == HD_SPACE_CONST ? work->access->bank : NULL, p, now, result, stats);
	} else if (global_load && lsu->replay_misses && !past) {
		refuse_absent(lsu, p, work, now, result, stats);
	} else if (global_load) {
		refuse_misses(lsu, p, work, past, now, result);
		result->kept = result->left && !result->outside && !work->live;
	}
}

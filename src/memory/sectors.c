#include "memory/sectors.h"

#include "memory/l2.h"

/* The cycles by which the slice of a (physical) address is farther away than the near ones. A hash of the line selects the slice. */
static uint32_t detour(const hd_lsu *lsu, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	if (!lsu->far)
		return 0;
	if (lsu->asks)
		return hd_slice_of(&lsu->map, address) * 2 / lsu->map.slices == lsu->side ? 0 : lsu->far;
	line ^= line >> 16;
	line ^= line >> 8;
	line ^= line >> 4;
	return (uint32_t)__builtin_popcountll(line & 15) % 2 == lsu->side ? 0 : lsu->far;
}

/* A request for a sector that leaves the core. */
typedef struct request {
	uint64_t address;  /* physical */
	uint64_t late;     /* hd_mmu_late */
	uint32_t further;  /* to its slice, beyond the way to a near one */
	hd_packet *packet; /* NULL: nothing travels */
	hd_fill *ask;      /* with memory.slices, else NULL */
} request;

enum { REQUEST_HEAD = 8 };

/* Cycles for which a request of `bytes` bytes waits for the core's port into the crossbar. *stage moves on while too many wait. */
static uint64_t wait_for_port(hd_lsu *lsu, uint64_t *stage, uint32_t bytes)
{
	uint64_t width = lsu->request_bytes;
	if (!width)
		return 0;
	if (lsu->port > *stage * width + lsu->request_queue)
		*stage = (lsu->port - lsu->request_queue + width - 1) / width;
	lsu->port = hd_max_u64(lsu->port, *stage * width);
	uint64_t wait = lsu->port / width - *stage;
	lsu->port += bytes;
	return wait;
}

/* Appends the request for a sector to a packet. */
static hd_fill *ask(hd_lsu *lsu, const hd_sending *sending, const request *r, uint64_t address, hd_fill_kind kind, unsigned times)
{
	hd_fill *fill = hd_outbox_fill(lsu->outbox, r->packet, address, NULL);
	fill->physical = r->address;
	fill->kind = (uint8_t)kind;
	fill->times = times;
	fill->far = r->further != 0;
	hd_room_open(kind == HD_FILL_READ ? &lsu->misses : &lsu->writes);
	if (sending->waits)
		hd_fills_wait(&lsu->outbox->fills, fill, sending->work->result);
	return fill;
}

/* Lets a request leave in cycle *stage, or no earlier than the last one of another copy of the stage. Its lanes go along in a packet of the
 * instruction. */
static request depart(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, hd_fill_kind kind, unsigned times,
                      hd_stats *stats)
{
	request r = {.address = address, .further = lsu->asks ? 0 : detour(lsu, address)};
	uint64_t wait = 0;
	if (sending)
		lsu->left = *stage = hd_max_u64(*stage, lsu->left);
	if (lsu->asks)
		wait = wait_for_port(lsu, stage, REQUEST_HEAD + (kind == HD_FILL_READ ? 0 : HD_SECTOR_BYTES));
	uint64_t leaves = hd_mmu_leaves(lsu->mmu, *stage, &r.address, &r.late, stats) + wait;
	if (!sending)
		return r;
	if (lsu->asks)
		r.further = detour(lsu, r.address);
	hd_packet **packet = &sending->packet[r.further != 0];
	uint64_t arrival = leaves + lsu->there + r.further;
	if (!*packet || (*packet)->arrival != arrival)
		*packet = hd_outbox_send(lsu->outbox, arrival, sending->work);
	(*packet)->work.mask |= sending->bytes ? lanes : 0;
	r.packet = *packet;
	if (lsu->asks)
		r.ask = ask(lsu, sending, &r, address, kind, times);
	return r;
}

/* The cycle in which the second level has answered a read. */
static uint64_t fetched(hd_lsu *lsu, uint64_t stage, const request *r, hd_stats *stats)
{
	if (r->ask)
		return HD_SECTOR_ASKED;
	return hd_l2_sector(lsu->l2, stage + r->further, r->address, false, stats) + r->late + r->further;
}

uint64_t hd_sector_load(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	unsigned sector = hd_sector_of(address);
	hd_cache_line *line = hd_tags_find(&lsu->l1.tags, address);
	if (line && (line->valid >> sector & 1)) {
		stats->memory_l1_hits++;
		if (sending && sending->bytes)
			hd_first_cache_load(&lsu->l1, line, address, sending->work, lanes);
		if (line->ready[sector] == HD_UNKNOWN) {
			hd_fills_wait(&lsu->outbox->fills, hd_first_cache_asked(&lsu->l1, line, address), sending->work->result);
			return HD_SECTOR_ASKED;
		}
		uint64_t hit = *stage + lsu->l1_latency;
		return line->ready[sector] > hit ? line->ready[sector] : hit;
	}
	uint64_t from = hd_room_from(&lsu->misses, *stage);
	if (from == UINT64_MAX)
		return HD_SECTOR_HALTS;
	stats->memory_l1_misses++;
	*stage = from;
	request r = depart(lsu, sending, stage, address, lanes, HD_FILL_READ, 0, stats);
	uint64_t ready = fetched(lsu, *stage, &r, stats);
	if (!r.ask)
		hd_room_take(&lsu->misses, ready);
	if (!line) {
		hd_cache_line victim; /* never dirty: the cache writes through */
		line = hd_tags_place(&lsu->l1.tags, address, &victim);
	}
	line->valid |= (uint8_t)(1u << sector);
	line->ready[sector] = ready;
	if (r.ask)
		hd_first_cache_ask(&lsu->l1, line, r.ask);
	if (r.packet && sending->bytes) {
		hd_fill *fill = r.ask ? r.ask : hd_outbox_fill(lsu->outbox, r.packet, address, NULL);
		fill->host = hd_memory_at(lsu->memory, address, HD_SECTOR_BYTES);
		hd_first_cache_wait(&lsu->l1, line, fill);
	}
	return ready;
}

/* A load that passes by the first cache. */
static uint64_t load_past(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	uint64_t from = hd_room_from(&lsu->misses, *stage);
	if (from == UINT64_MAX)
		return HD_SECTOR_HALTS;
	*stage = from;
	request r = depart(lsu, sending, stage, address, lanes, HD_FILL_READ, 0, stats);
	uint64_t at = fetched(lsu, *stage, &r, stats);
	if (!r.ask)
		hd_room_take(&lsu->misses, at);
	return at;
}

/* A store, or an atomic with `times` operations on its most frequent address. The own line follows a store and loses what an atomic changes. */
static uint64_t write(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, unsigned times, hd_stats *stats)
{
	uint64_t from = hd_room_from(&lsu->writes, *stage);
	if (from == UINT64_MAX)
		return HD_SECTOR_HALTS;
	*stage = from;
	request r = depart(lsu, sending, stage, address, lanes, times ? HD_FILL_ATOMIC : HD_FILL_WRITE, times, stats);
	if (sending && sending->bytes && !times)
		hd_first_cache_store(&lsu->l1, address, sending->work, lanes);
	else if (sending && sending->bytes)
		hd_first_cache_drop(&lsu->l1, address);
	if (r.ask)
		return HD_SECTOR_ASKED;
	uint64_t at = hd_l2_sector(lsu->l2, *stage + r.further, r.address, true, stats) + r.late;
	/* An atomic: the second level reads, changes and keeps the sector, and returns the old value. */
	if (times)
		at = fetched(lsu, *stage, &r, stats) + times - 1;
	hd_room_take(&lsu->writes, at);
	return at;
}

/* For livelock detection: what is not there yet is the same in each turn of a loop. */
static void blank(const hd_work *work, uint32_t mask)
{
	for (; mask; mask &= mask - 1)
		for (unsigned w = 0; w < 4; w++)
			work->result->data[w].v[hd_lowest_bit(mask)] = 0;
}

void hd_sectors_begin(hd_lsu *lsu, hd_going *going, const hd_part *p, const hd_work *work, bool travels, uint64_t stage, hd_stats *stats)
{
	const hd_inst *inst = work->access->inst;
	bool load = work->format == HD_F_LD;
	bool past = load && (inst->mod == HD_CACHE_GLOBAL || inst->mod == HD_CACHE_VOLATILE || (travels && work->live));
	if (travels && *lsu->watching)
		blank(work, p->mask);
	going->next = 0;
	going->sending = (hd_sending){.work = work, .bytes = travels, .waits = load || p->space != HD_SPACE_LOCAL};
	going->to = travels || lsu->asks ? &going->sending : NULL;
	going->way = past ? HD_WAY_PAST : load ? HD_WAY_CACHED : HD_WAY_WRITE;
	going->times = load || work->format == HD_F_ST ? 0 : hd_same_address(p->address, p->mask);
	going->done = stage;
	hd_coalesce(p->address, p->mask, &going->sectors);
	stats->memory_sectors += going->sectors.n;
}

bool hd_sectors_pass(hd_lsu *lsu, hd_going *going, uint64_t *stage, uint64_t *lane_done, hd_stats *stats)
{
	const hd_sectors *sectors = &going->sectors;
	for (; going->next < sectors->n; going->next++) {
		uint64_t address = sectors->at[going->next], at;
		uint32_t lanes = sectors->lanes[going->next];
		if (going->way == HD_WAY_PAST)
			at = load_past(lsu, going->to, stage, address, lanes, stats);
		else if (going->way == HD_WAY_CACHED)
			at = hd_sector_load(lsu, going->to, stage, address, lanes, stats);
		else
			at = write(lsu, going->to, stage, address, lanes, going->times, stats);
		if (at == HD_SECTOR_HALTS)
			return false;
		going->done = hd_max_u64(at, going->done);
		for (uint32_t left = lane_done ? lanes : 0; left; left &= left - 1)
			lane_done[hd_lowest_bit(left)] = at;
	}
	*stage += sectors->lines ? sectors->lines : 1;
	return true;
}

#include "memory/sectors.h"

#include "memory/coalesce.h"
#include "memory/deferred.h"

/* The cycles by which the slice of an address is farther away than the near ones. A hash of the line selects the slice. */
static uint32_t detour(const hd_lsu *lsu, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	if (!lsu->far)
		return 0;
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
} request;

/* Lets a request leave in cycle *stage, or no earlier than the last one of another copy of the stage. Its lanes go along in a packet of the
 * instruction. */
static request depart(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	request r = {.address = address, .further = detour(lsu, address)};
	if (sending)
		lsu->left = *stage = hd_max_u64(*stage, lsu->left);
	uint64_t leaves = hd_mmu_leaves(lsu->mmu, *stage, r.further, &r.address, &r.late, stats);
	if (!sending)
		return r;
	hd_packet **packet = &sending->packet[r.further != 0];
	uint64_t arrival = leaves + lsu->there + r.further;
	if (!*packet || (*packet)->arrival != arrival)
		*packet = hd_outbox_send(lsu->outbox, arrival, sending->work);
	(*packet)->work.mask |= lanes;
	r.packet = *packet;
	return r;
}

/* A request to the second level, and the receivers of its answer. */
typedef struct question {
	hd_room *room;   /* in which the request has a place */
	uint64_t *ready; /* of a sector that is filled; NULL: none */
	bool reads, writes;
	uint32_t later; /* what the answer takes beyond that of the second level */
} question;

static hd_request noted(const hd_lsu *lsu, uint64_t stage, const request *r, const question *q)
{
	return (hd_request){.cycle = lsu->now,
	                    .at = stage + r->further,
	                    .address = r->address,
	                    .later = q->later + r->late,
	                    .ready = q->ready,
	                    .room = q->room,
	                    .core = lsu->core,
	                    .reads = q->reads,
	                    .writes = q->writes};
}

static void wait_for(hd_lsu *lsu, const hd_request *one) { hd_requests_await(lsu->requests, hd_requests_note(lsu->requests, one)); }

/* Asks the second level in cycle `stage`. Returns the cycle of the answer, or `stage` if the access has to wait for a pending one. */
static inline uint64_t ask(hd_lsu *lsu, uint64_t stage, const request *r, question q, hd_stats *stats)
{
	if (hd_requests_are_pending(lsu->requests)) {
		hd_request one = noted(lsu, stage, r, &q);
		wait_for(lsu, &one);
		return stage;
	}
	uint64_t answer = hd_request_price(lsu->l2, stage + r->further, r->address, q.reads, q.writes, stats) + r->late + q.later;
	hd_room_take(q.room, answer);
	if (q.ready)
		*q.ready = answer;
	return answer;
}

/* True when a request has to be deferred, because nobody knows yet when the room has a place for it (deferred.h). */
static inline bool must_defer(const hd_lsu *lsu, const hd_room *room) { return lsu->scarce && (!room->sure || hd_deferred_any(lsu)); }

static void defer(hd_lsu *lsu, uint64_t stage, uint64_t address, uint32_t lanes, const question *q, hd_fill *fill)
{
	request r = {.address = address, .further = detour(lsu, address)};
	hd_request one = noted(lsu, stage, &r, q);
	one.later += q->reads ? r.further : 0; /* the way back */
	one.kind = HD_REQUEST_DEFERRED;
	one.part = hd_deferred_add(lsu, q->room, stage, lanes, r.further, fill);
	one.deferred = lsu->deferred;
	wait_for(lsu, &one);
}

/* A sector of an access whose earlier ones are deferred. */
static void defer_hit(hd_lsu *lsu, uint64_t ready)
{
	wait_for(lsu, &(hd_request){.cycle = lsu->now, .at = ready, .deferred = lsu->deferred, .core = lsu->core, .kind = HD_REQUEST_HIT});
}

/* The sector is the line's from now on. `line` may be NULL: the cache has no line of it. */
static hd_cache_line *place(hd_lsu *lsu, hd_cache_line *line, uint64_t address)
{
	hd_victim victim; /* never dirty: the cache writes through */
	if (!line)
		line = hd_tags_place(&lsu->l1.tags, address, &victim);
	line->valid |= (uint8_t)(1u << hd_sector_of(address));
	return line;
}

/* hd_sector_load of a sector that the first cache lacks, when it has to be deferred. */
static uint64_t defer_load(hd_lsu *lsu, hd_cache_line *line, uint64_t stage, uint64_t address, uint32_t lanes)
{
	line = place(lsu, line, address);
	hd_fill *fill = hd_fills_take(&lsu->outbox->fills);
	fill->address = address;
	fill->host = hd_memory_at_with(lsu->memory, &lsu->hits, address, HD_SECTOR_BYTES);
	defer(lsu, stage, address, lanes, &(question){.room = &lsu->misses, .ready = &line->ready[hd_sector_of(address)], .reads = true}, fill);
	hd_first_cache_attach(&lsu->l1, line, fill);
	return stage;
}

uint64_t hd_sector_load(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	unsigned sector = hd_sector_of(address);
	hd_cache_line *line = hd_tags_find(&lsu->l1.tags, address);
	if (line && (line->valid >> sector & 1)) {
		stats->memory_l1_hits++;
		if (sending)
			hd_first_cache_load(&lsu->l1, line, address, sending->work, lanes);
		uint64_t hit = *stage + lsu->l1_latency;
		if (lsu->scarce && hd_deferred_any(lsu)) {
			defer_hit(lsu, line->ready[sector]);
			return *stage;
		}
		if (line->ready[sector] >= HD_PENDING) {
			hd_requests_await(lsu->requests, line->ready[sector]);
			return hit;
		}
		return line->ready[sector] > hit ? line->ready[sector] : hit;
	}
	stats->memory_l1_misses++;
	if (must_defer(lsu, &lsu->misses))
		return defer_load(lsu, line, *stage, address, lanes);
	*stage = hd_room_from(&lsu->misses, *stage);
	request r = depart(lsu, sending, stage, address, lanes, stats);
	line = place(lsu, line, address);
	question q = {.room = &lsu->misses, .ready = &line->ready[sector], .reads = true, .later = r.further};
	uint64_t ready = ask(lsu, *stage, &r, q, stats);
	if (r.packet)
		hd_first_cache_attach(
		    &lsu->l1, line,
		    hd_outbox_fill(lsu->outbox, r.packet, address, hd_memory_at_with(lsu->memory, &lsu->hits, address, HD_SECTOR_BYTES)));
	return ready;
}

/* A load that passes by the first cache. A volatile or stronger one is `strong`: no later load of the core finds an older value in the first cache.
 */
static uint64_t load_past(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, bool strong, hd_stats *stats)
{
	question q = {.room = &lsu->misses, .reads = true};
	if (sending && strong)
		hd_first_cache_drop(&lsu->l1, address);
	if (must_defer(lsu, q.room)) {
		defer(lsu, *stage, address, lanes, &q, NULL);
		return *stage;
	}
	*stage = hd_room_from(&lsu->misses, *stage);
	request r = depart(lsu, sending, stage, address, lanes, stats);
	q.later = r.further;
	return ask(lsu, *stage, &r, q, stats);
}

/* A store, or an atomic with `times` operations on its most frequent address. The own line follows a store and loses what an atomic changes. */
static uint64_t write(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, unsigned times, hd_stats *stats)
{
	/* An atomic: the second level reads, changes and keeps the sector, and returns the old value. */
	question q = {.room = &lsu->writes, .writes = true, .reads = times != 0, .later = times ? times - 1 : 0};
	if (sending && !times)
		hd_first_cache_store(&lsu->l1, address, sending->work, lanes);
	else if (sending)
		hd_first_cache_drop(&lsu->l1, address);
	if (must_defer(lsu, q.room)) {
		defer(lsu, *stage, address, lanes, &q, NULL);
		return *stage;
	}
	*stage = hd_room_from(&lsu->writes, *stage);
	request r = depart(lsu, sending, stage, address, lanes, stats);
	q.later += times ? r.further : 0;
	return ask(lsu, *stage, &r, q, stats);
}

void hd_sectors_blank(const hd_work *work, uint32_t mask)
{
	for (; mask; mask &= mask - 1)
		for (unsigned w = 0; w < 4; w++)
			work->result->data[w].v[hd_lowest_bit(mask)] = 0;
}

uint64_t hd_sectors_access(hd_lsu *lsu, const hd_part *p, const hd_work *work, bool by_packet, uint64_t *stage, uint64_t *lane_done, hd_stats *stats)
{
	hd_sectors sectors;
	hd_sending sending = {.work = work}, *to = by_packet ? &sending : NULL;
	unsigned cache = work->access->op->cache;
	bool load = work->kind == HD_ACCESS_LOAD;
	bool past = load && (cache == HD_CACHE_GLOBAL || cache == HD_CACHE_VOLATILE || (by_packet && work->live));
	bool strong = cache == HD_CACHE_VOLATILE;
	unsigned times = load || work->kind == HD_ACCESS_STORE ? 0 : hd_same_address(p->address, p->mask);
	uint64_t done = *stage;
	if (by_packet && *lsu->watching)
		hd_sectors_blank(work, p->mask);
	if (lsu->scarce)
		hd_deferred_begin(lsu, work);
	hd_part_sectors(lsu->lanes, p, &sectors);
	stats->memory_sectors += sectors.n;
	for (unsigned i = 0; i < sectors.n; i++) {
		uint32_t lanes = sectors.lanes[i];
		uint64_t at = past   ? load_past(lsu, to, stage, sectors.at[i], lanes, strong, stats)
		              : load ? hd_sector_load(lsu, to, stage, sectors.at[i], lanes, stats)
		                     : write(lsu, to, stage, sectors.at[i], lanes, times, stats);
		done = hd_max_u64(at, done);
		for (uint32_t left = lane_done ? lanes : 0; left; left &= left - 1)
			lane_done[hd_lowest_bit(left)] = at;
	}
	*stage += sectors.lines ? sectors.lines : 1;
	if (lsu->scarce && hd_deferred_any(lsu))
		hd_deferred_end(lsu, sectors.lines ? sectors.lines : 1);
	return done;
}

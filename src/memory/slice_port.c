#include "memory/slice_port.h"

#include <stdlib.h>

enum { REQUEST_HEAD = 8 };

void hd_slice_port_init(hd_lsu *lsu)
{
	lsu->slice_port = hd_xcalloc(1, sizeof *lsu->slice_port);
	lsu->sectors = hd_slice_port_access;
	hd_slice_port *port = lsu->slice_port;
	port->map = *hd_slices_map(lsu->outbox->slices);
	port->width = lsu->request_bytes;
	port->queue = (uint64_t)lsu->request_queue * (REQUEST_HEAD + HD_SECTOR_BYTES);
	port->of_sector = hd_xcalloc(hd_tag_array_entries(&lsu->l1.tags.array) * HD_LINE_SECTORS, sizeof *port->of_sector);
}

void hd_slice_port_free(hd_slice_port *port)
{
	if (!port)
		return;
	hd_free_list_free(&port->requests);
	hd_free_list_free(&port->takers);
	free(port->of_sector);
	free(port);
}

/* The access waits for the answer, too. */
static void wait_for(hd_slice_port *port, hd_slice_request *request, hd_access_result *result)
{
	hd_taker *taker = hd_free_list_take(&port->takers, sizeof *taker);
	*taker = (hd_taker){request->takers, result};
	request->takers = taker;
	result->waits++;
}

static hd_slice_request **of_sector(const hd_lsu *lsu, const hd_cache_line *line, uint64_t address)
{
	return &lsu->slice_port->of_sector[(size_t)(line - lsu->l1.tags.lines) * HD_LINE_SECTORS + hd_sector_of(address)];
}

/* -- requests that leave ------------------------------------------------------------------------------------------------------------------------ */

/* The cycles by which a slice is farther away than the near ones. */
static uint32_t detour(const hd_lsu *lsu, uint64_t physical)
{
	const hd_slice_map *map = &lsu->slice_port->map;
	return lsu->far && hd_slice_of(map, physical) * 2 / map->slices != lsu->side ? lsu->far : 0;
}

/* Cycles for which a request of `bytes` bytes waits for the core's port into the crossbar. *stage moves on while too many wait. */
static uint64_t wait_for_port(hd_slice_port *port, uint64_t *stage, uint32_t bytes)
{
	uint64_t width = port->width;
	if (!width)
		return 0;
	if (port->free_byte > *stage * width + port->queue)
		*stage = (port->free_byte - port->queue + width - 1) / width;
	port->free_byte = hd_max_u64(port->free_byte, *stage * width);
	uint64_t wait = port->free_byte / width - *stage;
	port->free_byte += bytes;
	return wait;
}

/* The packets of one instruction that are not complete: to near and to far slices. */
typedef struct sending {
	hd_packet *packet[2];
} sending;

/* Lets the request for a sector leave in cycle g->stage, or no earlier than the last one of another copy of the stage. Its lanes go along in a packet
 * of the instruction. */
static hd_slice_request *depart(hd_lsu *lsu, hd_going *g, sending *out, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	hd_slice_request *request = hd_free_list_take(&lsu->slice_port->requests, sizeof *request);
	uint64_t late;
	*request = (hd_slice_request){.fill.address = address,
	                              .outbox = lsu->outbox,
	                              .physical = address,
	                              .times = g->times,
	                              .kind = g->way != HD_WAY_WRITE ? HD_SLICE_READ
	                                      : g->times             ? HD_SLICE_ATOMIC
	                                                             : HD_SLICE_WRITE};
	g->stage = hd_max_u64(g->stage, lsu->left);
	uint64_t wait = wait_for_port(lsu->slice_port, &g->stage, REQUEST_HEAD + (request->kind == HD_SLICE_READ ? 0 : HD_SECTOR_BYTES));
	lsu->left = g->stage;
	uint64_t leaves = hd_mmu_leaves(lsu->mmu, g->stage, 0, &request->physical, &late, stats) + wait;
	uint32_t further = detour(lsu, request->physical);
	request->far = further != 0;
	hd_packet **packet = &out->packet[request->far];
	uint64_t arrival = leaves + lsu->there + further;
	if (!*packet || (*packet)->arrival != arrival)
		*packet = hd_outbox_send(lsu->outbox, arrival, &g->work);
	(*packet)->work.mask |= g->bytes ? lanes : 0;
	hd_packet_add(*packet, &request->fill);
	hd_room_open(request->kind == HD_SLICE_READ ? &lsu->misses : &lsu->writes);
	if (g->waits)
		wait_for(lsu->slice_port, request, g->work.result);
	return request;
}

/* A load that the first cache serves now, or when an answer comes that it has asked for. Returns the cycle as far as it is known. */
static uint64_t hit(hd_lsu *lsu, const hd_going *g, const hd_cache_line *line, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	uint64_t ready = line->ready[hd_sector_of(address)], at = g->stage + lsu->l1_latency;
	stats->memory_l1_hits++;
	if (g->bytes)
		hd_first_cache_load(&lsu->l1, line, address, &g->work, lanes);
	if (ready != HD_UNKNOWN)
		return hd_max_u64(ready, at);
	wait_for(lsu->slice_port, *of_sector(lsu, line, address), g->work.result);
	return at;
}

static void miss(hd_lsu *lsu, hd_going *g, sending *out, hd_cache_line *line, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	stats->memory_l1_misses++;
	hd_slice_request *request = depart(lsu, g, out, address, lanes, stats);
	if (!line) {
		hd_victim victim; /* never dirty: the cache writes through */
		line = hd_tags_place(&lsu->l1.tags, address, &victim);
	}
	line->valid |= (uint8_t)(1u << hd_sector_of(address));
	line->ready[hd_sector_of(address)] = HD_UNKNOWN;
	request->line = line;
	*of_sector(lsu, line, address) = request;
	if (!g->bytes)
		return;
	request->fill.host = hd_memory_at_with(lsu->memory, &lsu->hits, address, HD_SECTOR_BYTES);
	hd_first_cache_attach(&lsu->l1, line, &request->fill);
}

/* The effect of a write, or of a load past the first cache, on the core's own line. */
static void change_own(hd_lsu *lsu, const hd_going *g, uint64_t address, uint32_t lanes)
{
	if (g->way == HD_WAY_WRITE && !g->times)
		hd_first_cache_store(&lsu->l1, address, &g->work, lanes);
	else if (g->way == HD_WAY_WRITE || g->strong)
		hd_first_cache_drop(&lsu->l1, address);
}

/* Lets one sector pass. False: it finds no room before another answer comes. */
static bool pass(hd_lsu *lsu, hd_going *g, sending *out, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	hd_cache_line *line = g->way == HD_WAY_CACHED ? hd_tags_find(&lsu->l1.tags, address) : NULL;
	if (line && line->valid >> hd_sector_of(address) & 1) {
		g->done = hd_max_u64(hit(lsu, g, line, address, lanes, stats), g->done);
		return true;
	}
	uint64_t from = hd_room_from(g->way == HD_WAY_WRITE ? &lsu->writes : &lsu->misses, g->stage);
	if (from == UINT64_MAX)
		return false;
	g->stage = from;
	if (g->way == HD_WAY_CACHED) {
		miss(lsu, g, out, line, address, lanes, stats);
		return true;
	}
	depart(lsu, g, out, address, lanes, stats);
	if (g->bytes)
		change_own(lsu, g, address, lanes);
	return true;
}

static bool pass_all(hd_lsu *lsu, hd_going *g, hd_stats *stats)
{
	sending out = {0};
	while (g->next < g->sectors.n) {
		if (!pass(lsu, g, &out, g->sectors.at[g->next], g->sectors.lanes[g->next], stats))
			return false;
		g->next++;
	}
	g->stage += hd_max_u32(g->sectors.lines, 1);
	g->done = hd_max_u64(g->waits ? g->done : g->stage, g->done);
	return true;
}

uint64_t hd_slice_port_access(hd_lsu *lsu, const hd_part *p, const hd_work *work, bool by_packet, uint64_t *stage, uint64_t *lane_done,
                              hd_stats *stats)
{
	hd_slice_port *port = lsu->slice_port;
	unsigned cache = work->access->op->cache;
	bool load = work->kind == HD_ACCESS_LOAD;
	bool past = load && (cache == HD_CACHE_GLOBAL || cache == HD_CACHE_VOLATILE || (by_packet && work->live));
	hd_going *g = &port->backlog[port->n];
	(void)lane_done; /* memory.return_groups does not go with slices */
	*g = (hd_going){.work = *work,
	                .way = past   ? HD_WAY_PAST
	                       : load ? HD_WAY_CACHED
	                              : HD_WAY_WRITE,
	                .strong = cache == HD_CACHE_VOLATILE,
	                .bytes = by_packet,
	                .waits = load || p->space != HD_SPACE_LOCAL,
	                .times = load || work->kind == HD_ACCESS_STORE ? 0 : hd_same_address(p->address, p->mask),
	                .stage = *stage,
	                .done = *stage};
	if (by_packet && *lsu->watching)
		hd_sectors_blank(work, p->mask);
	hd_part_sectors(lsu->lanes, p, &g->sectors);
	stats->memory_sectors += g->sectors.n;
	if (port->n || !pass_all(lsu, g, stats)) {
		port->n++;
		port->stats = stats;
		work->result->waits++;
		*stage += hd_max_u32(g->sectors.lines, 1);
		return *stage;
	}
	*stage = g->stage;
	return g->done;
}

uint64_t hd_slice_port_prefetch(hd_lsu *lsu, const hd_work *work, uint64_t now, uint64_t address, hd_stats *stats)
{
	hd_going g = {.work = *work, .way = HD_WAY_CACHED, .bytes = true, .stage = now};
	sending out = {0};
	miss(lsu, &g, &out, hd_tags_find(&lsu->l1.tags, address), address, 0, stats);
	return g.stage + lsu->l2_latency;
}

/* -- answers ------------------------------------------------------------------------------------------------------------------------------------ */

static void take_answer(hd_lsu *lsu, hd_slice_request *request, hd_answered *done, void *context)
{
	hd_slice_port *port = lsu->slice_port;
	hd_room_close(request->kind == HD_SLICE_READ ? &lsu->misses : &lsu->writes, request->ready);
	hd_slice_request **place = request->line ? of_sector(lsu, request->line, request->fill.address) : NULL;
	if (place && *place == request) { /* else the line has lost the sector meanwhile */
		request->line->ready[hd_sector_of(request->fill.address)] = request->ready;
		*place = NULL;
	}
	for (hd_taker *taker = request->takers, *next; taker; taker = next) {
		hd_access_result *result = taker->result;
		next = taker->next;
		result->answered = hd_max_u64(result->answered, request->ready);
		hd_free_list_give(&port->takers, taker);
		if (!--result->waits)
			done(context, result->owner);
	}
	hd_free_list_give(&port->requests, request);
}

/* Lets the backlog pass as far as there is room. */
static void drain(hd_lsu *lsu, hd_answered *done, void *context)
{
	hd_slice_port *port = lsu->slice_port;
	unsigned passed = 0;
	for (; passed < port->n && pass_all(lsu, &port->backlog[passed], port->stats); passed++) {
		hd_going *g = &port->backlog[passed];
		hd_access_result *result = g->work.result;
		port->end = hd_max_u64(port->end, g->stage);
		result->answered = hd_max_u64(result->answered, g->done);
		if (!--result->waits)
			done(context, result->owner);
	}
	port->n -= passed;
	memmove(port->backlog, port->backlog + passed, port->n * sizeof *port->backlog);
}

bool hd_lsu_answers(hd_lsu *lsu, uint64_t now, uint64_t *next, hd_answered *done, void *context)
{
	hd_slice_port *port = lsu->slice_port;
	for (hd_slice_request *request; (request = lsu->outbox->answered) && request->reported <= now;) {
		lsu->outbox->answered = request->queued;
		take_answer(lsu, request, done, context);
	}
	*next = lsu->outbox->answered ? lsu->outbox->answered->reported : UINT64_MAX;
	if (!port->n)
		return false;
	drain(lsu, done, context);
	if (port->n)
		return false;
	hd_lsu_reopen(lsu, port->end);
	return true;
}

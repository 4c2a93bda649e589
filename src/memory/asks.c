#include "memory/asks.h"

#include <stdlib.h>

enum { REQUEST_HEAD = 8 };

void hd_asks_init(hd_lsu *lsu)
{
	lsu->asks = hd_xcalloc(1, sizeof *lsu->asks);
	lsu->sectors = hd_asks_access;
	hd_asks *a = lsu->asks;
	a->map = *hd_slices_map(lsu->outbox->slices);
	a->width = lsu->request_bytes;
	a->queue = (uint64_t)lsu->request_queue * (REQUEST_HEAD + HD_SECTOR_BYTES);
	a->of_sector = hd_xcalloc((size_t)lsu->l1.tags.sets * lsu->l1.tags.ways * HD_LINE_SECTORS, sizeof *a->of_sector);
}

void hd_asks_free(hd_asks *a)
{
	if (!a)
		return;
	hd_free_list_free(&a->asks);
	hd_free_list_free(&a->takers);
	free(a->of_sector);
	free(a);
}

/* The access waits for the answer, too. */
static void wait_for(hd_asks *a, hd_ask *ask, hd_access_result *result)
{
	hd_taker *taker = hd_free_list_take(&a->takers, sizeof *taker);
	*taker = (hd_taker){ask->takers, result};
	ask->takers = taker;
	result->waits++;
}

static hd_ask **of_sector(const hd_lsu *lsu, const hd_cache_line *line, uint64_t address)
{
	return &lsu->asks->of_sector[(size_t)(line - lsu->l1.tags.lines) * HD_LINE_SECTORS + hd_sector_of(address)];
}

/* -- requests that leave ------------------------------------------------------------------------------------------------------------------------ */

/* The cycles by which a slice is farther away than the near ones. */
static uint32_t detour(const hd_lsu *lsu, uint64_t physical)
{
	const hd_slice_map *map = &lsu->asks->map;
	return lsu->far && hd_slice_of(map, physical) * 2 / map->slices != lsu->side ? lsu->far : 0;
}

/* Cycles for which a request of `bytes` bytes waits for the core's port into the crossbar. *stage moves on while too many wait. */
static uint64_t wait_for_port(hd_asks *a, uint64_t *stage, uint32_t bytes)
{
	uint64_t width = a->width;
	if (!width)
		return 0;
	if (a->port > *stage * width + a->queue)
		*stage = (a->port - a->queue + width - 1) / width;
	a->port = hd_max_u64(a->port, *stage * width);
	uint64_t wait = a->port / width - *stage;
	a->port += bytes;
	return wait;
}

/* The packets of one instruction that are not complete: to near and to far slices. */
typedef struct sending {
	hd_packet *packet[2];
} sending;

/* Lets the request for a sector leave in cycle *stage, or no earlier than the last one of another copy of the stage. Its lanes go along in a packet
 * of the instruction. */
static hd_ask *depart(hd_lsu *lsu, const hd_going *g, sending *out, uint64_t *stage, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	hd_ask *ask = hd_free_list_take(&lsu->asks->asks, sizeof *ask);
	uint64_t late;
	*ask = (hd_ask){.fill.address = address,
	                .outbox = lsu->outbox,
	                .physical = address,
	                .times = g->times,
	                .kind = g->way != HD_WAY_WRITE ? HD_ASK_READ
	                        : g->times             ? HD_ASK_ATOMIC
	                                               : HD_ASK_WRITE};
	*stage = hd_max_u64(*stage, lsu->left);
	uint64_t wait = wait_for_port(lsu->asks, stage, REQUEST_HEAD + (ask->kind == HD_ASK_READ ? 0 : HD_SECTOR_BYTES));
	lsu->left = *stage;
	uint64_t leaves = hd_mmu_leaves(lsu->mmu, *stage, 0, &ask->physical, &late, stats) + wait;
	uint32_t further = detour(lsu, ask->physical);
	ask->far = further != 0;
	hd_packet **packet = &out->packet[ask->far];
	uint64_t arrival = leaves + lsu->there + further;
	if (!*packet || (*packet)->arrival != arrival)
		*packet = hd_outbox_send(lsu->outbox, arrival, &g->work);
	(*packet)->work.mask |= g->bytes ? lanes : 0;
	hd_packet_add(*packet, &ask->fill);
	hd_room_open(ask->kind == HD_ASK_READ ? &lsu->misses : &lsu->writes);
	if (g->waits)
		wait_for(lsu->asks, ask, g->work.result);
	return ask;
}

/* A load that the first cache serves now, or when an answer comes that it has asked for. Returns the cycle as far as it is known. */
static uint64_t hit(hd_lsu *lsu, const hd_going *g, const hd_cache_line *line, uint64_t stage, uint64_t address, uint32_t lanes, hd_stats *stats)
{
	uint64_t ready = line->ready[hd_sector_of(address)], at = stage + lsu->l1_latency;
	stats->memory_l1_hits++;
	if (g->bytes)
		hd_first_cache_load(&lsu->l1, line, address, &g->work, lanes);
	if (ready != HD_UNKNOWN)
		return hd_max_u64(ready, at);
	wait_for(lsu->asks, *of_sector(lsu, line, address), g->work.result);
	return at;
}

static void miss(hd_lsu *lsu, const hd_going *g, sending *out, hd_cache_line *line, uint64_t *stage, uint64_t address, uint32_t lanes,
                 hd_stats *stats)
{
	stats->memory_l1_misses++;
	hd_ask *ask = depart(lsu, g, out, stage, address, lanes, stats);
	if (!line) {
		hd_victim victim; /* never dirty: the cache writes through */
		line = hd_tags_place(&lsu->l1.tags, address, &victim);
	}
	line->valid |= (uint8_t)(1u << hd_sector_of(address));
	line->ready[hd_sector_of(address)] = HD_UNKNOWN;
	ask->line = line;
	*of_sector(lsu, line, address) = ask;
	if (!g->bytes)
		return;
	ask->fill.host = hd_memory_at_with(lsu->memory, &lsu->hits, address, HD_SECTOR_BYTES);
	hd_first_cache_wait(&lsu->l1, line, &ask->fill);
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
		g->done = hd_max_u64(hit(lsu, g, line, g->stage, address, lanes, stats), g->done);
		return true;
	}
	uint64_t from = hd_room_from(g->way == HD_WAY_WRITE ? &lsu->writes : &lsu->misses, g->stage);
	if (from == UINT64_MAX)
		return false;
	g->stage = from;
	if (g->way == HD_WAY_CACHED) {
		miss(lsu, g, out, line, &g->stage, address, lanes, stats);
		return true;
	}
	depart(lsu, g, out, &g->stage, address, lanes, stats);
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

uint64_t hd_asks_access(hd_lsu *lsu, const hd_part *p, const hd_work *work, bool travels, uint64_t *stage, uint64_t *lane_done, hd_stats *stats)
{
	hd_asks *a = lsu->asks;
	const hd_inst *inst = work->access->inst;
	bool load = work->format == HD_F_LD;
	bool past = load && (inst->mod == HD_CACHE_GLOBAL || inst->mod == HD_CACHE_VOLATILE || (travels && work->live));
	hd_going *g = &a->backlog[a->n];
	(void)lane_done; /* memory.return_groups does not go with slices */
	*g = (hd_going){.work = *work,
	                .way = past   ? HD_WAY_PAST
	                       : load ? HD_WAY_CACHED
	                              : HD_WAY_WRITE,
	                .strong = inst->mod == HD_CACHE_VOLATILE,
	                .bytes = travels,
	                .waits = load || p->space != HD_SPACE_LOCAL,
	                .times = load || work->format == HD_F_ST ? 0 : hd_same_address(p->address, p->mask),
	                .stage = *stage,
	                .done = *stage};
	if (travels && *lsu->watching)
		hd_sectors_blank(work, p->mask);
	hd_part_sectors(lsu->lanes, p, &g->sectors);
	stats->memory_sectors += g->sectors.n;
	if (a->n || !pass_all(lsu, g, stats)) {
		a->n++;
		a->stats = stats;
		work->result->waits++;
		*stage += hd_max_u32(g->sectors.lines, 1);
		return *stage;
	}
	*stage = g->stage;
	return g->done;
}

uint64_t hd_asks_ahead(hd_lsu *lsu, const hd_work *work, uint64_t now, uint64_t address, hd_stats *stats)
{
	hd_going g = {.work = *work, .way = HD_WAY_CACHED, .bytes = true};
	sending out = {0};
	uint64_t stage = now;
	miss(lsu, &g, &out, hd_tags_find(&lsu->l1.tags, address), &stage, address, 0, stats);
	return stage + lsu->l2_latency;
}

/* -- answers ------------------------------------------------------------------------------------------------------------------------------------ */

static void take_answer(hd_lsu *lsu, hd_ask *ask, hd_answered *done, void *context)
{
	hd_asks *a = lsu->asks;
	hd_room_close(ask->kind == HD_ASK_READ ? &lsu->misses : &lsu->writes, ask->ready);
	hd_ask **place = ask->line ? of_sector(lsu, ask->line, ask->fill.address) : NULL;
	if (place && *place == ask) { /* else the line has lost the sector meanwhile */
		ask->line->ready[hd_sector_of(ask->fill.address)] = ask->ready;
		*place = NULL;
	}
	for (hd_taker *taker = ask->takers, *next; taker; taker = next) {
		hd_access_result *result = taker->result;
		next = taker->next;
		result->answered = hd_max_u64(result->answered, ask->ready);
		hd_free_list_give(&a->takers, taker);
		if (!--result->waits)
			done(context, result->owner);
	}
	hd_free_list_give(&a->asks, ask);
}

/* Lets the backlog pass as far as there is room. */
static void drain(hd_lsu *lsu, hd_answered *done, void *context)
{
	hd_asks *a = lsu->asks;
	unsigned passed = 0;
	for (; passed < a->n && pass_all(lsu, &a->backlog[passed], a->stats); passed++) {
		hd_going *g = &a->backlog[passed];
		hd_access_result *result = g->work.result;
		a->end = hd_max_u64(a->end, g->stage);
		result->answered = hd_max_u64(result->answered, g->done);
		if (!--result->waits)
			done(context, result->owner);
	}
	a->n -= passed;
	memmove(a->backlog, a->backlog + passed, a->n * sizeof *a->backlog);
}

bool hd_lsu_answers(hd_lsu *lsu, uint64_t now, uint64_t *next, hd_answered *done, void *context)
{
	hd_asks *a = lsu->asks;
	for (hd_ask *ask; (ask = lsu->outbox->answered) && ask->told <= now;) {
		lsu->outbox->answered = ask->queued;
		take_answer(lsu, ask, done, context);
	}
	*next = lsu->outbox->answered ? lsu->outbox->answered->told : UINT64_MAX;
	if (!a->n)
		return false;
	drain(lsu, done, context);
	if (a->n)
		return false;
	hd_lsu_reopen(lsu, a->end);
	return true;
}

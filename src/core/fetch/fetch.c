#include "core/fetch/fetch.h"

#include "memory/requests.h"

void hd_fetch_init(hd_fetch *fetch, const hd_machine *machine, hd_stats *stats)
{
	uint32_t line = hd_line_instructions(machine->predecode_geometry);
	uint32_t buffer = machine->predecode_buffer, ahead = line * machine->predecode_prefetch;
	uint32_t room = buffer > line ? buffer - line : 0, most = (HD_LINES_COMING - 2) * line;
	memset(fetch, 0, sizeof *fetch);
	fetch->geometry = (uint8_t)machine->predecode_geometry;
	fetch->line_shift = hd_geometries[machine->predecode_geometry].line_shift;
	room = hd_min_u32(room, ahead);
	fetch->room = (uint16_t)hd_min_u32(room, most);
	fetch->soonest = UINT64_MAX;
	if (machine->predecode_fifo)
		fetch->fifos = hd_warp_fifos_new(machine, stats);
}

void hd_fetch_free(hd_fetch *fetch) { free(fetch->fifos); }

static void set_soonest(hd_fetch *fetch)
{
	fetch->soonest = fetch->fifos && fetch->fifos->pending ? 0 : UINT64_MAX;
	for (uint32_t left = fetch->coming; left; left &= left - 1) {
		unsigned warp = hd_lowest_bit(left);
		uint64_t arrival = fetch->arrival[warp][fetch->first[warp]];
		if (arrival < fetch->soonest)
			fetch->soonest = arrival;
	}
}

void hd_fetch_restart(hd_fetch *fetch, unsigned warp, uint32_t pc)
{
	uint32_t bit = 1u << warp;
	fetch->starved |= bit;
	fetch->want |= bit;
	fetch->have[warp] = pc;
	fetch->ask[warp] = pc >> fetch->line_shift;
	fetch->buffered[warp] = 0;
	fetch->n[warp] = 0;
	if (fetch->fifos) {
		hd_warp_fifos_restart(fetch->fifos, warp, pc);
		fetch->closed &= ~bit;
	}
	if (fetch->coming & bit) {
		fetch->coming &= ~bit;
		set_soonest(fetch);
	}
}

void hd_fetch_stop(hd_fetch *fetch, unsigned warp)
{
	hd_fetch_restart(fetch, warp, 0);
	fetch->want &= ~(1u << warp);
}

bool hd_fetch_arrive(hd_fetch *fetch, uint64_t now, uint32_t *fed)
{
	*fed = fetch->fifos ? hd_warp_fifos_fill(fetch->fifos, fetch) : 0;
	for (uint32_t left = fetch->coming; left; left &= left - 1) {
		unsigned warp = hd_lowest_bit(left);
		while (fetch->n[warp] && fetch->arrival[warp][fetch->first[warp]] <= now) {
			fetch->first[warp] = (uint8_t)((fetch->first[warp] + 1) % HD_LINES_COMING);
			fetch->n[warp]--;
			if (fetch->fifos) {
				hd_warp_fifos_arrive(fetch->fifos, fetch, warp);
				continue;
			}
			fetch->have[warp] = ((fetch->have[warp] >> fetch->line_shift) + 1) << fetch->line_shift;
			*fed |= 1u << warp;
		}
		if (!fetch->n[warp])
			fetch->coming &= ~(1u << warp);
	}
	bool starved = fetch->starved & *fed;
	fetch->starved &= ~*fed;
	set_soonest(fetch);
	return starved;
}

void hd_fetch_port_init(hd_fetch_port *port, const hd_machine *machine, hd_icache *l15, hd_l2 *l2, hd_stats *stats, uint32_t words)
{
	unsigned line_words = hd_geometries[machine->predecode_geometry].line_words;
	*port = (hd_fetch_port){.l15 = l15,
	                        .l2 = l2,
	                        .stats = stats,
	                        .lines = words / line_words,
	                        .line_words = line_words,
	                        .line_bytes = hd_line_bytes(machine->predecode_geometry)};
	hd_icache_init(&port->l1, machine->fetch_l1i_lines * hd_line_share(machine->predecode_geometry), machine->fetch_l1i_ways);
	port->decode = hd_machine_decodes_ahead(machine) ? machine->predecode_decode_cycles : 0;
	port->l1_latency = machine->fetch_l1i_latency;
	port->l15_latency = machine->fetch_l15_latency;
}

void hd_fetch_port_free(hd_fetch_port *port) { hd_icache_free(&port->l1); }

/* The cycle in which a line that no cache has arrives. */
static uint64_t from_l2(hd_fetch_port *port, uint32_t line, uint64_t now)
{
	uint64_t answer = hd_l2_fetch_line(port->l2, now, (uint64_t)line * port->line_bytes, port->line_bytes, port->stats);
	uint64_t there = hd_max_u64(answer, now + port->l15_latency);
	hd_icache_fill(port->l15, line, there);
	hd_icache_fill(&port->l1, line, there);
	return there;
}

/* The cycle in which a line that is requested now arrives; HD_PENDING if the cluster has to stop for it. */
static uint64_t lookup(hd_fetch_port *port, uint32_t line, uint64_t now)
{
	uint64_t there = now + port->l1_latency;
	if (line >= port->lines)
		return there; /* execution behind the code is a trap, so no line is fetched */
	port->stats->predecode_lines++;
	struct hd_icache_way *way = hd_icache_find(&port->l1, line);
	if (way) {
		port->stats->predecode_l1i_hits++;
		return hd_max_u64(way->there, there);
	}
	port->stats->predecode_l1i_misses++;
	there = now + port->l15_latency;
	way = hd_icache_find(port->l15, line);
	if (!way) {
		port->stats->predecode_l15_misses++;
		return hd_requests_wait(port->requests) ? HD_PENDING : from_l2(port, line, now);
	}
	there = hd_max_u64(way->there, there);
	hd_icache_fill(&port->l1, line, there);
	return there;
}

uint64_t hd_fetch_again(hd_fetch_port *port, uint32_t pc, uint64_t now)
{
	uint64_t start = hd_max_u64(port->free, now);
	port->free = start + 1;
	return lookup(port, pc / port->line_words, now) + (start - now);
}

/* Chooses a warp that wants a line: the first at or after `turn`, among the starved warps or among the others. Requires that there is one. */
static void choose(hd_fetch *const *buffers, unsigned n, unsigned turn, bool starved, unsigned *scheduler, unsigned *warp)
{
	unsigned s = turn / HD_WARP_SLOTS % n;
	uint32_t from = ~0u << turn % HD_WARP_SLOTS, mask;
	while (!(mask = hd_fetch_wanting(buffers[s]) & (starved ? buffers[s]->starved : ~buffers[s]->starved) & from)) {
		s = s + 1 == n ? 0 : s + 1;
		from = ~0u;
	}
	*scheduler = s;
	*warp = hd_lowest_bit(mask);
}

/* The buffer of a warp gets a line in cycle `there`. */
static void put(hd_fetch_port *port, hd_fetch *fetch, unsigned warp, uint32_t line, uint64_t there)
{
	/* The first line counts only from the PC on. */
	uint32_t first = fetch->buffered[warp] ? 0 : fetch->have[warp];
	unsigned instructions = hd_line_rest(fetch->geometry, first);
	fetch->buffered[warp] = (uint16_t)(fetch->buffered[warp] + instructions);
	if (fetch->fifos)
		hd_warp_fifos_request(fetch->fifos, fetch, warp, instructions);
	if (fetch->n[warp]) {
		uint64_t last = fetch->arrival[warp][(fetch->first[warp] + fetch->n[warp] - 1) % HD_LINES_COMING];
		if (there < last)
			there = last;
	} else {
		fetch->first[warp] = 0;
	}
	fetch->arrival[warp][(fetch->first[warp] + fetch->n[warp]++) % HD_LINES_COMING] = there;
	fetch->coming |= 1u << warp;
	if (there < fetch->soonest)
		fetch->soonest = there;
	port->stats->predecode_buffer_full += fetch->buffered[warp] > fetch->room;
	if (fetch->buffered[warp] > fetch->room || line >= port->lines)
		fetch->want &= ~(1u << warp);
}

/* Chooses a warp that gets a line, and requests the line. Returns the cycle in which it arrives, 0 if no line is requested, or HD_PENDING. */
static uint64_t ask(hd_fetch_port *port, hd_fetch *const *buffers, unsigned n, uint64_t now, hd_fetch **fetch, unsigned *warp, uint32_t *line)
{
	unsigned scheduler;
	uint32_t want = 0, starved = 0;
	for (unsigned i = 0; i < n; i++) {
		want |= hd_fetch_wanting(buffers[i]);
		starved |= hd_fetch_wanting(buffers[i]) & buffers[i]->starved;
	}
	if (!want || port->free > now)
		return 0;
	unsigned kind = !starved;
	choose(buffers, n, port->turn[kind], starved, &scheduler, warp);
	port->turn[kind] = scheduler * HD_WARP_SLOTS + *warp + 1;
	*fetch = buffers[scheduler];
	*line = (*fetch)->ask[*warp]++;
	return lookup(port, *line, now);
}

bool hd_fetch_ask(hd_fetch_port *port, hd_fetch *const *buffers, unsigned n, uint64_t now)
{
	unsigned warp;
	uint32_t line;
	hd_fetch *fetch;
	uint64_t there;
	if (port->stopped.fetch) {
		fetch = port->stopped.fetch;
		warp = port->stopped.warp;
		line = port->stopped.line;
		port->stopped.fetch = NULL;
		there = from_l2(port, line, now);
	} else {
		there = ask(port, buffers, n, now, &fetch, &warp, &line);
	}
	if (!there)
		return true;
	if (there == HD_PENDING) {
		port->stopped.fetch = fetch;
		port->stopped.warp = warp;
		port->stopped.line = line;
		port->requests->stops = HD_STOP_FETCH;
		return false;
	}
	put(port, fetch, warp, line, there + port->decode);
	return true;
}

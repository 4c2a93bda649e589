#include "core/fetch/fetch.h"

#include "memory/requests.h"

enum { CORE_SHIFT = 32 };

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
		if (arrival < fetch->soonest && arrival < HD_PENDING)
			fetch->soonest = arrival;
	}
}

void hd_fetch_restart(hd_fetch *fetch, unsigned warp, uint32_t pc)
{
	uint32_t bit = 1u << warp;
	fetch->starved |= bit;
	fetch->want |= bit;
	fetch->have[warp] = pc;
	fetch->next_line[warp] = pc >> fetch->line_shift;
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

void hd_fetch_port_free(hd_fetch_port *port)
{
	hd_icache_free(&port->l1);
	hd_vec_free(&port->waits);
}

/* -- lines that are asked of the slices --------------------------------------------------------------------------------------------------------- */

void hd_fetch_port_request(hd_fetch_port *port, hd_outbox *outbox, uint32_t there)
{
	port->outbox = outbox;
	port->there = there;
}

/* The line is in the first cache, and nobody knows from when on. */
static uint64_t wait_in_l1(hd_fetch_port *port, uint32_t line, uint64_t number, uint64_t least, bool asked)
{
	hd_icache_fill(&port->l1, line, number);
	hd_vec_push(&port->waits, (hd_line_wait){.number = number, .least = least, .line = line, .asked = asked});
	return number;
}

/* Asks for a line that no cache has. Returns the number of the request. */
static uint64_t request_of_slices(hd_fetch_port *port, uint32_t line, uint64_t now)
{
	uint64_t number = HD_PENDING | (uint64_t)port->outbox->core << CORE_SHIFT | ++port->asked;
	hd_outbox_line(port->outbox, now + port->there, number, (uint64_t)line * port->line_bytes, port->line_bytes);
	hd_icache_fill(port->l15, line, number);
	return wait_in_l1(port, line, number, now + port->l15_latency, true);
}

/* A warp's buffer waits for a line that the first cache waits for. It is there no earlier than `least`. */
static void wait_in_buffer(hd_fetch_port *port, hd_fetch *fetch, unsigned warp, unsigned slot, uint64_t number, uint64_t least)
{
	size_t i = port->waits.n;
	while (port->waits.at[--i].number != number || port->waits.at[i].fetch)
		continue; /* the latest one is that of the first cache's line */
	least = hd_max_u64(port->waits.at[i].least, least) + port->decode;
	hd_vec_push(&port->waits, (hd_line_wait){number, least, fetch, 0, (uint8_t)warp, (uint8_t)slot, false});
}

/* One that waits gets its cycle, unless another line has its place by now. Returns the first arrival in a buffer, if this has changed it. */
static uint64_t settle(hd_fetch_port *port, const hd_line_wait *w, uint64_t there)
{
	if (!w->fetch) {
		hd_icache_settle(&port->l1, w->line, w->number, hd_max_u64(there, w->least));
		if (w->asked)
			hd_icache_settle(port->l15, w->line, w->number, hd_max_u64(there, w->least));
		return UINT64_MAX;
	}
	uint64_t *arrival = &w->fetch->arrival[w->warp][w->slot];
	if (*arrival != w->number)
		return UINT64_MAX;
	*arrival = hd_max_u64(there + port->decode, w->least);
	set_soonest(w->fetch);
	return w->fetch->soonest ? w->fetch->soonest : UINT64_MAX;
}

uint64_t hd_fetch_learn(hd_fetch_port *port, uint64_t number, uint64_t there)
{
	uint64_t first = UINT64_MAX;
	size_t kept = 0;
	for (size_t i = port->waits.n; i-- > 0;) /* the latest one has a place that others had before */
		if (port->waits.at[i].number == number)
			first = hd_min_u64(settle(port, &port->waits.at[i], there), first);
	for (size_t i = 0; i < port->waits.n; i++)
		if (port->waits.at[i].number != number)
			port->waits.at[kept++] = port->waits.at[i];
	port->waits.n = kept;
	return first;
}

/* ----------------------------------------------------------------------------------------------------------------------------------------------- */

/* The cycle in which a line that no cache has arrives. */
static uint64_t from_l2(hd_fetch_port *port, uint32_t line, uint64_t now)
{
	if (port->outbox)
		return request_of_slices(port, line, now);
	uint64_t answer = hd_l2_fetch_line(port->l2, now, (uint64_t)line * port->line_bytes, port->line_bytes, port->stats);
	uint64_t there = hd_max_u64(answer, now + port->l15_latency);
	hd_icache_fill(port->l15, line, there);
	hd_icache_fill(&port->l1, line, there);
	return there;
}

/* The cycle in which a line that is requested now arrives; HD_PENDING if the cluster has to stop for it; more than that is the number of a request to
 * the slices. */
static uint64_t lookup(hd_fetch_port *port, uint32_t line, uint64_t now)
{
	uint64_t there = now + port->l1_latency;
	if (line >= port->lines)
		return there; /* execution behind the code is a trap, so no line is fetched */
	port->stats->predecode_lines++;
	const uint64_t *known = hd_icache_find(&port->l1, line);
	if (known) {
		port->stats->predecode_l1i_hits++;
		return hd_max_u64(*known, there);
	}
	port->stats->predecode_l1i_misses++;
	there = now + port->l15_latency;
	known = hd_icache_find(port->l15, line);
	if (!known) {
		port->stats->predecode_l15_misses++;
		return hd_requests_are_pending(port->requests) ? HD_PENDING : from_l2(port, line, now);
	}
	if (*known > HD_PENDING)
		return wait_in_l1(port, line, *known, there, false);
	there = hd_max_u64(*known, there);
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

/* The buffer of a warp gets a line in cycle `there`, as lookup returns it in cycle `now`. */
static void put(hd_fetch_port *port, hd_fetch *fetch, unsigned warp, uint32_t line, uint64_t there, uint64_t now)
{
	bool behind = false; /* another one whose cycle nobody knows: this one is taken with that or later */
	/* The first line counts only from the PC on. */
	uint32_t first = fetch->buffered[warp] ? 0 : fetch->have[warp];
	unsigned instructions = hd_line_rest(fetch->geometry, first);
	fetch->buffered[warp] = (uint16_t)(fetch->buffered[warp] + instructions);
	if (fetch->fifos)
		hd_warp_fifos_request(fetch->fifos, fetch, warp, instructions);
	if (fetch->n[warp]) {
		uint64_t last = fetch->arrival[warp][(fetch->first[warp] + fetch->n[warp] - 1) % HD_LINES_COMING];
		behind = last > HD_PENDING;
		there = behind ? there : hd_max_u64(there, last);
	} else {
		fetch->first[warp] = 0;
	}
	unsigned slot = (fetch->first[warp] + fetch->n[warp]++) % HD_LINES_COMING;
	fetch->arrival[warp][slot] = there;
	fetch->coming |= 1u << warp;
	if (there > HD_PENDING)
		wait_in_buffer(port, fetch, warp, slot, there, now + port->l1_latency);
	else if (there < fetch->soonest && !behind)
		fetch->soonest = there;
	port->stats->predecode_buffer_full += fetch->buffered[warp] > fetch->room;
	if (fetch->buffered[warp] > fetch->room || line >= port->lines)
		fetch->want &= ~(1u << warp);
}

/* Chooses a warp that gets a line, and requests the line. Returns the cycle in which it arrives, 0 if no line is requested, or HD_PENDING. */
static uint64_t request_next(hd_fetch_port *port, hd_fetch *const *buffers, unsigned n, uint64_t now, hd_fetch **fetch, unsigned *warp,
                             uint32_t *line)
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
	*line = (*fetch)->next_line[*warp]++;
	return lookup(port, *line, now);
}

bool hd_fetch_request(hd_fetch_port *port, hd_fetch *const *buffers, unsigned n, uint64_t now)
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
		there = request_next(port, buffers, n, now, &fetch, &warp, &line);
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
	put(port, fetch, warp, line, there > HD_PENDING ? there : there + port->decode, now);
	return true;
}

#include "memory/slices.h"

#include "memory/dram.h"
#include "memory/host.h"
#include "memory/l2.h"

/* A sector on its way to a slice, and the requests that wait for it. */
typedef struct miss {
	uint64_t address;
	hd_slice_request *first, *last;
	uint32_t slice;
	uint32_t later; /* free list */
} miss;

typedef struct slice {
	hd_tags tags;             /* a sector's `ready` is 1 + its miss, or 0 when it is there */
	hd_slice_request **queue; /* the oldest first */
	uint32_t n;
	uint64_t port;   /* cycle from which the tags are free */
	uint32_t misses; /* places that are free in the table of misses */
	uint64_t next;   /* cycle of the next look-up; UINT64_MAX: none */
	uint64_t *bank;  /* cycle from which a bank is free */
	uint64_t since;  /* cycle from which the first request waits for a bank or a miss; 0: it does not wait */
	hd_outbox *blocked, *last_blocked;
	hd_dram *dram;
} slice;

struct hd_slices {
	hd_slice_map map;
	uint32_t there, back, far, dram_latency, queue, banks, bank_cycles, answer_bytes, partitions, of_partition;
	slice *at;
	hd_dram *dram;
	miss *misses;
	uint32_t free; /* the first free miss */
	hd_host host;
	uint64_t system, system_bytes; /* as of hd_l2 */
	struct {
		hd_dram_data *at; /* misses that come over the host interface, a ring: one for each */
		uint32_t first, n, cap;
	} coming;
	hd_outbox *woken, *last_woken;
	hd_outbox *reported; /* those with answers */
	hd_stats *stats;
};

hd_slices *hd_slices_new(const hd_machine *m)
{
	if (!m->memory_slices)
		return NULL;
	hd_slices *s = hd_xcalloc(1, sizeof *s);
	uint32_t n = m->memory_slices, misses = m->memory_l2_misses / n;
	s->map = hd_slice_map_of(m);
	s->there = m->memory_l2_latency / 2;
	s->back = m->memory_l2_latency - s->there;
	s->far = m->memory_far_latency;
	s->dram_latency = m->memory_dram_latency;
	s->queue = m->memory_slice_queue;
	s->banks = m->memory_slice_banks;
	s->bank_cycles = m->memory_slice_bank_cycles;
	s->answer_bytes = m->memory_answer_bytes;
	s->partitions = m->memory_dram_partitions;
	s->of_partition = n / s->partitions;
	s->dram = hd_xcalloc(s->partitions, sizeof *s->dram);
	for (uint32_t i = 0; i < s->partitions; i++)
		hd_dram_init(&s->dram[i], m);
	s->at = hd_xcalloc(n, sizeof *s->at);
	for (uint32_t i = 0; i < n; i++) {
		slice *one = &s->at[i];
		hd_tags_init(&one->tags, m->memory_l2_bytes / n, m->memory_l2_ways, NULL);
		one->queue = hd_xcalloc(s->queue, sizeof *one->queue);
		one->bank = hd_xcalloc(s->banks, sizeof *one->bank);
		one->misses = misses;
		one->next = UINT64_MAX;
		one->dram = &s->dram[i % s->partitions];
	}
	s->misses = hd_xcalloc((size_t)misses * n, sizeof *s->misses);
	for (uint32_t i = 0; i < misses * n; i++)
		s->misses[i].later = i + 1;
	hd_host_init(&s->host, m);
	s->system = m->host_system_memory ? 0 : HD_SYSTEM_BASE;
	s->system_bytes = m->host_bytes_per_cycle ? HD_OWN_BASE - s->system : 0;
	s->coming.cap = misses * n;
	s->coming.at = hd_xcalloc(s->coming.cap, sizeof *s->coming.at);
	return s;
}

void hd_slices_free(hd_slices *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->map.slices; i++) {
		hd_tags_free(&s->at[i].tags, NULL);
		free(s->at[i].queue);
		free(s->at[i].bank);
	}
	for (uint32_t i = 0; i < s->partitions; i++)
		hd_dram_free(&s->dram[i]);
	free(s->at);
	free(s->dram);
	free(s->misses);
	free(s->coming.at);
	free(s);
}

const hd_slice_map *hd_slices_map(const hd_slices *s) { return &s->map; }

void hd_slices_count(hd_slices *s, hd_stats *stats) { s->stats = stats; }

/* The number of a line among those of its slice, as an address: it selects set and bank. */
static uint64_t place_of(const hd_slices *s, uint64_t address)
{
	return (address / HD_CACHE_LINE_BYTES >> s->map.bits) * HD_CACHE_LINE_BYTES + address % HD_CACHE_LINE_BYTES;
}

/* The address of a sector among the bytes of its DRAM partition. */
static uint64_t in_partition(const hd_slices *s, uint32_t slice_number, uint64_t place)
{
	uint64_t line = place / HD_CACHE_LINE_BYTES * s->of_partition + slice_number / s->partitions;
	return line * HD_CACHE_LINE_BYTES + place % HD_CACHE_LINE_BYTES;
}

static bool is_system(const hd_slices *s, uint64_t address) { return address - s->system < s->system_bytes; }

/* -- answers ------------------------------------------------------------------------------------------------------------------------------------ */

/* The slice has done the request in cycle `now`. The answer takes the way back, and its turn at the core's port. */
static void answer(hd_slices *s, uint64_t now, hd_slice_request *request)
{
	hd_outbox *outbox = request->outbox;
	uint64_t there = now + s->back + (request->far ? s->far : 0) + (request->times ? request->times - 1 : 0);
	if (s->answer_bytes && request->kind != HD_SLICE_WRITE) {
		outbox->port = hd_max_u64(outbox->port, there * s->answer_bytes);
		there = outbox->port / s->answer_bytes;
		outbox->port += HD_SECTOR_BYTES;
	}
	request->ready = there;
	request->reported = now;
	request->queued = NULL;
	if (outbox->answered) {
		outbox->last_answered->queued = request;
	} else {
		outbox->answered = request;
		outbox->next_answered = s->reported;
		s->reported = outbox;
	}
	outbox->last_answered = request;
}

/* -- misses ------------------------------------------------------------------------------------------------------------------------------------- */

static void wait_for(miss *m, hd_slice_request *request)
{
	request->queued = NULL;
	if (m->first)
		m->last->queued = request;
	else
		m->first = request;
	m->last = request;
}

/* A sector has come. */
static void come(hd_slices *s, uint64_t now, uint32_t which)
{
	miss *m = &s->misses[which];
	slice *one = &s->at[m->slice];
	hd_cache_line *line = (hd_cache_line *)hd_tags_peek(&one->tags, place_of(s, m->address));
	unsigned sector = hd_sector_of(m->address);
	if (line && line->ready[sector] == 1 + which)
		line->ready[sector] = 0;
	for (hd_slice_request *request = m->first, *next; request; request = next) {
		next = request->queued;
		answer(s, now, request);
	}
	m->later = s->free;
	s->free = which;
	one->misses++;
}

/* Sends for the sector. *now moves on while the host interface has no room. */
static void send_for(hd_slices *s, uint32_t number, uint64_t *now, hd_slice_request *request, hd_cache_line *line)
{
	uint32_t which = s->free;
	miss *m = &s->misses[which];
	s->free = m->later;
	s->at[number].misses--;
	*m = (miss){.address = request->physical, .slice = number};
	wait_for(m, request);
	line->ready[hd_sector_of(request->physical)] = 1 + which;
	if (!is_system(s, request->physical)) {
		hd_dram_put(s->at[number].dram, *now, in_partition(s, number, place_of(s, request->physical)), which, s->stats);
		return;
	}
	uint64_t there = hd_host_move(&s->host, HD_TO_DEVICE, now, HD_SECTOR_BYTES);
	s->coming.at[(s->coming.first + s->coming.n++) % s->coming.cap] = (hd_dram_data){there, which};
	s->stats->host_interface_sectors_read++;
}

/* -- look-ups ----------------------------------------------------------------------------------------------------------------------------------- */

static void write_back(hd_slices *s, uint32_t number, uint64_t now, const hd_victim *victim)
{
	for (unsigned sector = 0; sector < HD_LINE_SECTORS; sector++)
		if (victim->dirty >> sector & 1)
			hd_dram_put(s->at[number].dram, now, in_partition(s, number, victim->line * HD_CACHE_LINE_BYTES + sector * HD_SECTOR_BYTES),
			            HD_DRAM_WRITE, s->stats);
}

/* A request that needs a new line or a new miss has room for them. */
static bool has_room(const slice *one, bool new_line, bool new_miss)
{
	return !(new_miss && !one->misses) && hd_dram_room(one->dram) >= (new_line ? HD_LINE_SECTORS : 0u) + new_miss;
}

static void waits(slice *one, uint64_t now, uint64_t until)
{
	if (!one->since)
		one->since = now;
	one->next = until;
}

static uint64_t *bank_of(const hd_slices *s, const slice *one, const hd_slice_request *request)
{
	uint64_t place = place_of(s, request->physical);
	return &one->bank[(place / HD_CACHE_LINE_BYTES + hd_sector_of(place)) % s->banks];
}

/* The oldest request of the queue whose bank is free; one->n if there is none. Requests for one sector keep their order, because they are for one
 * bank. */
static uint32_t choose(const hd_slices *s, const slice *one, uint64_t now)
{
	uint32_t i = 0;
	while (i<one->n && * bank_of(s, one, one->queue[i])> now)
		i++;
	return i;
}

/* Serves request `which` of the queue. False: it cannot be served in this cycle. */
static bool serve(hd_slices *s, uint32_t number, uint32_t which, uint64_t now)
{
	slice *one = &s->at[number];
	hd_slice_request *request = one->queue[which];
	uint64_t place = place_of(s, request->physical), start = now;
	unsigned sector = hd_sector_of(request->physical);
	bool write = request->kind == HD_SLICE_WRITE;
	const hd_cache_line *found = hd_tags_peek(&one->tags, place);
	bool hit = found && found->valid >> sector & 1;
	if (!hit && !has_room(one, !found, !write)) {
		waits(one, now, now + 1);
		return false;
	}
	if (one->since)
		s->stats->memory_miss_waits += now - one->since;
	one->since = 0;
	hd_cache_line *line = hd_tags_find(&one->tags, place);
	if (!line) {
		hd_victim victim;
		line = hd_tags_place(&one->tags, place, &victim);
		write_back(s, number, now, &victim);
	}
	s->stats->memory_l2_hits += hit;
	s->stats->memory_l2_misses += !hit;
	line->valid |= (uint8_t)(1u << sector);
	if (request->kind != HD_SLICE_READ)
		line->dirty |= (uint8_t)(!is_system(s, request->physical) << sector);
	*bank_of(s, one, request) = now + (uint64_t)s->bank_cycles * hd_max_u32(request->times, 1);
	if (!hit && !write)
		send_for(s, number, &start, request, line);
	else if (!write && line->ready[sector])
		wait_for(&s->misses[line->ready[sector] - 1], request);
	if (request->kind != HD_SLICE_READ && is_system(s, request->physical)) {
		hd_host_move(&s->host, HD_FROM_DEVICE, &start, HD_SECTOR_BYTES);
		s->stats->host_interface_sectors_written++;
	}
	if (write || (hit && !line->ready[sector]))
		answer(s, start, request);
	one->next = one->port = start + 1;
	return true;
}

/* -- queues ------------------------------------------------------------------------------------------------------------------------------------- */

static void add(hd_outbox **first, hd_outbox **last, hd_outbox *outbox)
{
	outbox->behind = NULL;
	if (*first)
		(*last)->behind = outbox;
	else
		*first = outbox;
	*last = outbox;
}

bool hd_slices_enter(hd_slices *s, uint64_t now, hd_slice_request *request)
{
	hd_outbox *outbox = request->outbox;
	slice *one = &s->at[hd_slice_of(&s->map, request->physical)];
	if (one->n == s->queue) {
		outbox->stuck = hd_max_u64(now, 1);
		add(&one->blocked, &one->last_blocked, outbox);
		return false;
	}
	if (outbox->stuck)
		s->stats->memory_slice_waits += now - outbox->stuck;
	outbox->stuck = 0;
	one->queue[one->n++] = request;
	if (one->n == 1)
		one->next = hd_max_u64(now, one->port);
	return true;
}

hd_outbox *hd_slices_woken(hd_slices *s)
{
	hd_outbox *outbox = s->woken;
	if (outbox)
		s->woken = outbox->behind;
	return outbox;
}

hd_outbox *hd_slices_answered(hd_slices *s)
{
	hd_outbox *outbox = s->reported;
	if (outbox)
		s->reported = outbox->next_answered;
	return outbox;
}

uint64_t hd_slices_next(const hd_slices *s)
{
	uint64_t next = s->coming.n ? s->coming.at[s->coming.first].there : UINT64_MAX;
	for (uint32_t i = 0; i < s->partitions; i++)
		next = hd_min_u64(next, hd_min_u64(s->dram[i].next, hd_dram_there(&s->dram[i])));
	for (uint32_t i = 0; i < s->map.slices; i++)
		next = s->at[i].n ? hd_min_u64(next, s->at[i].next) : next;
	return next;
}

/* One cycle of a slice with requests. */
static void step(hd_slices *s, uint32_t number, uint64_t now)
{
	slice *one = &s->at[number];
	uint32_t which = choose(s, one, now);
	if (which == one->n) {
		s->stats->memory_bank_waits++;
		one->next = now + 1;
		return;
	}
	if (!serve(s, number, which, now))
		return;
	memmove(&one->queue[which], &one->queue[which + 1], (--one->n - which) * sizeof(hd_slice_request *));
	if (!one->blocked)
		return;
	hd_outbox *outbox = one->blocked;
	one->blocked = outbox->behind;
	add(&s->woken, &s->last_woken, outbox);
}

void hd_slices_tick(hd_slices *s, uint64_t now)
{
	uint32_t which;
	for (uint32_t i = 0; i < s->partitions; i++)
		while (hd_dram_take(&s->dram[i], now, &which))
			come(s, now, which);
	while (s->coming.n && s->coming.at[s->coming.first].there <= now) {
		which = s->coming.at[s->coming.first].ticket;
		s->coming.first = (s->coming.first + 1) % s->coming.cap;
		s->coming.n--;
		come(s, now, which);
	}
	for (uint32_t i = 0; i < s->map.slices; i++)
		if (s->at[i].n && s->at[i].next <= now)
			step(s, i, now);
	for (uint32_t i = 0; i < s->partitions; i++)
		hd_dram_tick(&s->dram[i], now, s->stats);
}

/* Returns the cycles beyond those of a hit. */
static uint32_t look_up(hd_slices *s, uint64_t address, bool write, hd_stats *stats)
{
	uint32_t number = hd_slice_of(&s->map, address);
	slice *one = &s->at[number];
	uint64_t place = place_of(s, address);
	unsigned sector = hd_sector_of(address);
	hd_cache_line *line = hd_tags_find(&one->tags, place);
	hd_victim victim;
	bool hit = line && (line->valid >> sector & 1);
	if (!line) {
		line = hd_tags_place(&one->tags, place, &victim);
		stats->memory_dram_writes += (uint64_t)__builtin_popcount(victim.dirty);
	}
	stats->memory_l2_hits += hit;
	stats->memory_l2_misses += !hit;
	stats->memory_dram_reads += !hit && !write;
	line->valid |= (uint8_t)(1u << sector);
	line->dirty |= (uint8_t)(write << sector);
	return hit ? 0 : s->dram_latency;
}

uint64_t hd_slices_look(hd_slices *s, uint64_t arrival, uint64_t address) { return arrival + look_up(s, address, false, s->stats) + s->back; }

uint64_t hd_slices_peek(hd_slices *s, uint64_t now, uint64_t address, bool write, hd_stats *stats)
{
	uint32_t further = look_up(s, address, write, stats);
	return now + s->there + (write ? 0 : further + s->back);
}

#include "memory/constant.h"

#include "memory/l2.h"
#include "memory/mmu.h"

/* An entry of the miss buffer. */
typedef struct fill {
	uint64_t line;
	uint64_t there; /* 0 = free */
} fill;

typedef struct reader_state {
	uint32_t used; /* entries that are not free */
	uint32_t turn; /* the entry that the next miss overwrites when none is free */
} reader_state;

struct hd_constants {
	hd_l2 *l2;
	hd_mmu *mmu;    /* NULL: addresses need no translation */
	hd_icache *l15; /* NULL: the second level fills the cache */
	uint32_t l15_bytes, l15_latency;
	hd_icache lines; /* a line's number is address / bytes */
	fill *fills;     /* readers x depth */
	reader_state *readers;
	uint32_t bytes, depth;
};

hd_constants *hd_constants_new(const hd_machine *m, hd_l2 *l2, uint32_t readers)
{
	if (!m->memory_constant_bytes)
		return NULL;
	hd_constants *c = hd_xcalloc(1, sizeof *c);
	*c = (hd_constants){.l2 = l2, .bytes = m->memory_constant_line};
	hd_icache_init(&c->lines, m->memory_constant_bytes / m->memory_constant_line, m->memory_constant_ways);
	/* Enough for every instruction of a warp that can wait for a constant: the candidates of its window, and one at the entry of each pipe. */
	c->depth = m->multi_issue_window + HD_PIPE_COUNT;
	c->fills = hd_xcalloc((size_t)readers * c->depth, sizeof *c->fills);
	c->readers = hd_xcalloc(readers, sizeof *c->readers);
	return c;
}

void hd_constants_behind(hd_constants *c, hd_icache *l15, uint32_t line_bytes, uint32_t latency)
{
	if (!c)
		return;
	c->l15 = l15;
	c->l15_bytes = line_bytes;
	c->l15_latency = latency;
}

void hd_constants_translate(hd_constants *c, hd_mmu *mmu)
{
	if (c)
		c->mmu = mmu;
}

void hd_constants_free(hd_constants *c)
{
	if (!c)
		return;
	hd_icache_free(&c->lines);
	free(c->fills);
	free(c->readers);
	free(c);
}

/* The cycle in which the second level has brought `bytes` bytes at `address`. */
static uint64_t from_l2(hd_constants *c, uint64_t now, uint64_t address, uint32_t bytes, hd_stats *stats)
{
	uint64_t there = now, late = hd_mmu_late(c->mmu, now, &address, stats); /* a line lies in one page */
	for (uint32_t at = 0; at < bytes; at += HD_SECTOR_BYTES) {
		uint64_t sector = hd_l2_sector(c->l2, now, address + at, false, stats) + late;
		there = hd_max_u64(sector, there);
	}
	return there;
}

/* The cycle in which the L1.5 has brought its line `number`. */
static uint64_t from_l15(hd_constants *c, uint64_t now, uint64_t number, hd_stats *stats)
{
	uint64_t there = now + c->l15_latency;
	const uint64_t *known = hd_icache_find(c->l15, HD_ICACHE_CONSTANT | number);
	stats->memory_constant_l15++;
	if (known)
		return hd_max_u64(*known, there);
	stats->memory_constant_l15_misses++;
	uint64_t far = from_l2(c, now, number * c->l15_bytes, c->l15_bytes, stats);
	there = hd_max_u64(far, there);
	hd_icache_fill(c->l15, HD_ICACHE_CONSTANT | number, there);
	return there;
}

/* The cycle in which the lines of the L1.5 that the line at `address` lies in are there. */
static uint64_t through_l15(hd_constants *c, uint64_t now, uint64_t address, hd_stats *stats)
{
	uint64_t there = now;
	for (uint64_t number = address / c->l15_bytes; number * c->l15_bytes < address + c->bytes; number++) {
		uint64_t line = from_l15(c, now, number, stats);
		there = hd_max_u64(line, there);
	}
	return there;
}

static uint64_t fetch(hd_constants *c, uint64_t now, uint64_t line, hd_stats *stats)
{
	uint64_t address = line * c->bytes;
	uint64_t there = c->l15 ? through_l15(c, now, address, stats) : from_l2(c, now, address, c->bytes, stats);
	stats->memory_constant_misses++;
	hd_icache_fill(&c->lines, line, there);
	return there;
}

uint64_t hd_constants_line(hd_constants *c, uint64_t now, uint64_t address, hd_stats *stats)
{
	const uint64_t *there = hd_icache_find(&c->lines, address / c->bytes);
	if (!there)
		return fetch(c, now, address / c->bytes, stats);
	stats->memory_constant_hits++;
	return hd_max_u64(*there, now);
}

uint64_t hd_constants_request(hd_constants *c, uint64_t now, uint64_t address, hd_stats *stats)
{
	uint32_t at = hd_tag_array_peek(&c->lines.array, address / c->bytes);
	return at == HD_ABSENT ? fetch(c, now, address / c->bytes, stats) : hd_max_u64(c->lines.there[at], now);
}

static fill *fill_of(const hd_constants *c, unsigned reader, uint64_t line)
{
	fill *own = c->fills + (size_t)reader * c->depth;
	for (uint32_t i = 0; c->readers[reader].used && i < c->depth; i++)
		if (own[i].there && own[i].line == line)
			return &own[i];
	return NULL;
}

/* Puts the line in a free entry, or in place of the one whose turn it is: its instruction requests its line again. */
static void keep(hd_constants *c, unsigned reader, uint64_t line, uint64_t there)
{
	fill *own = c->fills + (size_t)reader * c->depth;
	reader_state *state = &c->readers[reader];
	uint32_t at = 0;
	if (state->used == c->depth) {
		at = state->turn;
		state->turn = (at + 1) % c->depth;
	} else {
		while (own[at].there)
			at++;
		state->used++;
	}
	own[at] = (fill){.line = line, .there = there};
}

uint64_t hd_constants_operand(hd_constants *c, unsigned reader, uint64_t now, uint64_t address, hd_stats *stats)
{
	uint64_t line = address / c->bytes;
	uint32_t at = hd_tag_array_peek(&c->lines.array, line);
	if (at != HD_ABSENT && c->lines.there[at] <= now) {
		hd_tag_array_use(&c->lines.array, at);
		stats->memory_constant_hits++;
		return now;
	}
	const fill *own = fill_of(c, reader, line);
	if (own) {
		stats->memory_constant_hits += own->there <= now;
		return hd_max_u64(own->there, now);
	}
	uint64_t there = at == HD_ABSENT ? fetch(c, now, line, stats) : c->lines.there[at];
	if (there > now)
		keep(c, reader, line, there);
	return there;
}

void hd_constants_take(hd_constants *c, unsigned reader, uint64_t address)
{
	fill *own = fill_of(c, reader, address / c->bytes);
	if (!own)
		return;
	own->there = 0;
	c->readers[reader].used--;
}

void hd_constants_forget(hd_constants *c, unsigned reader)
{
	memset(c->fills + (size_t)reader * c->depth, 0, c->depth * sizeof *c->fills);
	c->readers[reader] = (reader_state){0};
}

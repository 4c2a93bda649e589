#include "memory/cache.h"

void hd_tags_init(hd_tags *tags, uint32_t bytes, uint32_t ways, hd_region *region)
{
	uint32_t lines = bytes / HD_CACHE_LINE_BYTES;
	*tags = (hd_tags){.ways = hd_min_u32(ways, lines)};
	hd_invariant(tags->ways > 0, "cache of %u bytes and %u ways", bytes, ways);
	tags->sets = lines / tags->ways;
	size_t n = (size_t)tags->sets * tags->ways;
	tags->keys = hd_take(region, n * (sizeof *tags->keys + sizeof *tags->lines));
	tags->lines = (hd_cache_line *)(tags->keys + n);
}

void hd_tags_free(hd_tags *tags, const hd_region *region) { hd_give(region, tags->keys); }

/* The place of the first way of the line's set. */
static size_t set_of(const hd_tags *tags, uint64_t line)
{
	uint32_t set = (tags->sets & (tags->sets - 1)) == 0 ? (uint32_t)line & (tags->sets - 1) : (uint32_t)(line % tags->sets);
	return (size_t)set * tags->ways;
}

hd_cache_line *hd_tags_find(hd_tags *tags, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	size_t at = set_of(tags, line);
	for (uint32_t way = 0; way < tags->ways; way++, at++) {
		if (tags->keys[at].line == line && tags->keys[at].used > tags->floor) {
			tags->keys[at].used = ++tags->stamp;
			return &tags->lines[at];
		}
	}
	return NULL;
}

const hd_cache_line *hd_tags_peek(const hd_tags *tags, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	size_t at = set_of(tags, line);
	for (uint32_t way = 0; way < tags->ways; way++, at++) {
		if (tags->keys[at].line == line && tags->keys[at].used > tags->floor)
			return &tags->lines[at];
	}
	return NULL;
}

hd_cache_line *hd_tags_place(hd_tags *tags, uint64_t address, hd_victim *victim)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	size_t first = set_of(tags, line), oldest = first;
	for (size_t at = first + 1; at < first + tags->ways; at++) {
		if (tags->keys[at].used < tags->keys[oldest].used)
			oldest = at;
	}
	*victim = (hd_victim){tags->keys[oldest], tags->lines[oldest].dirty};
	tags->keys[oldest] = (hd_cache_key){line, ++tags->stamp};
	tags->lines[oldest] = (hd_cache_line){0};
	return &tags->lines[oldest];
}

void hd_tags_drop(hd_tags *tags, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	size_t at = set_of(tags, line);
	for (uint32_t way = 0; way < tags->ways; way++, at++)
		if (tags->keys[at].line == line)
			tags->lines[at].valid &= (uint8_t) ~(1u << hd_sector_of(address));
}

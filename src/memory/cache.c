#include "memory/cache.h"

void hd_tags_init(hd_tags *tags, uint32_t bytes, uint32_t ways, hd_region *region)
{
	uint32_t lines = bytes / HD_CACHE_LINE_BYTES;
	*tags = (hd_tags){.ways = hd_min_u32(ways, lines)};
	hd_invariant(tags->ways > 0, "cache of %u bytes and %u ways", bytes, ways);
	tags->sets = lines / tags->ways;
	tags->lines = hd_take(region, (size_t)tags->sets * tags->ways * sizeof *tags->lines);
}

void hd_tags_free(hd_tags *tags, const hd_region *region) { hd_give(region, tags->lines); }

static hd_cache_line *set_of(const hd_tags *tags, uint64_t line)
{
	uint32_t set = (tags->sets & (tags->sets - 1)) == 0 ? (uint32_t)line & (tags->sets - 1) : (uint32_t)(line % tags->sets);
	return tags->lines + (size_t)set * tags->ways;
}

hd_cache_line *hd_tags_find(hd_tags *tags, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	hd_cache_line *set = set_of(tags, line);
	for (uint32_t way = 0; way < tags->ways; way++) {
		if (set[way].line == line && set[way].used > tags->floor) {
			set[way].used = ++tags->stamp;
			return &set[way];
		}
	}
	return NULL;
}

const hd_cache_line *hd_tags_peek(const hd_tags *tags, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	const hd_cache_line *set = set_of(tags, line);
	for (uint32_t way = 0; way < tags->ways; way++) {
		if (set[way].line == line && set[way].used > tags->floor)
			return &set[way];
	}
	return NULL;
}

hd_cache_line *hd_tags_place(hd_tags *tags, uint64_t address, hd_cache_line *victim)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	hd_cache_line *set = set_of(tags, line), *oldest = set;
	for (uint32_t way = 1; way < tags->ways; way++) {
		if (set[way].used < oldest->used)
			oldest = &set[way];
	}
	*victim = *oldest;
	*oldest = (hd_cache_line){.line = line, .used = ++tags->stamp};
	return oldest;
}

void hd_tags_drop(hd_tags *tags, uint64_t address)
{
	uint64_t line = address / HD_CACHE_LINE_BYTES;
	hd_cache_line *set = set_of(tags, line);
	for (uint32_t way = 0; way < tags->ways; way++)
		if (set[way].line == line)
			set[way].valid &= (uint8_t) ~(1u << hd_sector_of(address));
}

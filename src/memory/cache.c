#include "memory/cache.h"

void hd_tags_init(hd_tags *tags, uint32_t bytes, uint32_t ways, hd_region *region)
{
	const hd_replacement *policy = &hd_replacements[HD_REPLACE_LRU];
	tags->lines = hd_tag_array_init(&tags->array, bytes / HD_CACHE_LINE_BYTES, ways, sizeof *tags->lines, policy, region);
}

void hd_tags_free(hd_tags *tags, const hd_region *region) { hd_tag_array_free(&tags->array, region); }

hd_cache_line *hd_tags_find(hd_tags *tags, uint64_t address)
{
	uint32_t at = hd_tag_array_find(&tags->array, address / HD_CACHE_LINE_BYTES);
	return at == HD_ABSENT ? NULL : &tags->lines[at];
}

const hd_cache_line *hd_tags_peek(const hd_tags *tags, uint64_t address)
{
	uint32_t at = hd_tag_array_peek(&tags->array, address / HD_CACHE_LINE_BYTES);
	return at == HD_ABSENT ? NULL : &tags->lines[at];
}

hd_cache_line *hd_tags_place(hd_tags *tags, uint64_t address, hd_victim *victim)
{
	uint64_t number = address / HD_CACHE_LINE_BYTES;
	uint32_t at = hd_tag_array_victim(&tags->array, number);
	*victim = (hd_victim){tags->array.tags[at].tag, tags->lines[at].dirty};
	hd_tag_array_fill(&tags->array, at, number);
	tags->lines[at] = (hd_cache_line){0};
	return &tags->lines[at];
}

void hd_tags_drop(hd_tags *tags, uint64_t address)
{
	uint32_t at = hd_tag_array_peek(&tags->array, address / HD_CACHE_LINE_BYTES);
	if (at != HD_ABSENT)
		tags->lines[at].valid &= (uint8_t) ~(1u << hd_sector_of(address));
}

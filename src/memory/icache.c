#include "memory/icache.h"

void hd_icache_init(hd_icache *cache, uint32_t lines, uint32_t ways)
{
	cache->there = hd_tag_array_init(&cache->array, lines, ways, sizeof *cache->there, &hd_replacements[HD_REPLACE_LRU], NULL);
}

void hd_icache_free(hd_icache *cache) { hd_tag_array_free(&cache->array, NULL); }

uint64_t *hd_icache_find(hd_icache *cache, uint64_t line)
{
	uint32_t at = hd_tag_array_find(&cache->array, line);
	return at == HD_ABSENT ? NULL : &cache->there[at];
}

void hd_icache_fill(hd_icache *cache, uint64_t line, uint64_t there)
{
	uint32_t at = hd_tag_array_victim(&cache->array, line);
	hd_tag_array_fill(&cache->array, at, line);
	cache->there[at] = there;
}

void hd_icache_settle(hd_icache *cache, uint64_t line, uint64_t pending, uint64_t there)
{
	uint32_t at = hd_tag_array_peek(&cache->array, line);
	if (at != HD_ABSENT && cache->there[at] == pending)
		cache->there[at] = there;
}

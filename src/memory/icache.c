#include "memory/icache.h"

void hd_icache_init(hd_icache *cache, uint32_t lines, uint32_t ways)
{
	if (ways > lines)
		ways = lines;
	cache->ways = ways ? ways : 1;
	cache->sets = lines / cache->ways ? lines / cache->ways : 1;
	cache->clock = 0;
	cache->way = hd_xcalloc((size_t)cache->sets * cache->ways, sizeof *cache->way);
}

void hd_icache_free(hd_icache *cache) { free(cache->way); }

struct hd_icache_way *hd_icache_find(hd_icache *cache, uint64_t line)
{
	struct hd_icache_way *set = cache->way + (size_t)(line % cache->sets) * cache->ways;
	for (uint32_t i = 0; i < cache->ways; i++) {
		if (set[i].used && set[i].line == line) {
			set[i].used = ++cache->clock;
			return &set[i];
		}
	}
	return NULL;
}

void hd_icache_fill(hd_icache *cache, uint64_t line, uint64_t there)
{
	struct hd_icache_way *set = cache->way + (size_t)(line % cache->sets) * cache->ways, *victim = set;
	for (uint32_t i = 1; i < cache->ways; i++)
		if (set[i].used < victim->used)
			victim = &set[i];
	*victim = (struct hd_icache_way){.used = ++cache->clock, .there = there, .line = line};
}

void hd_icache_settle(hd_icache *cache, uint64_t line, uint64_t pending, uint64_t there)
{
	struct hd_icache_way *set = cache->way + (size_t)(line % cache->sets) * cache->ways;
	for (uint32_t i = 0; i < cache->ways; i++)
		if (set[i].used && set[i].line == line && set[i].there == pending)
			set[i].there = there;
}

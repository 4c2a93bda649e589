#include "memory/tag_array.h"

static uint32_t oldest(const hd_tag *set, uint32_t ways)
{
	uint32_t way = 0;
	for (uint32_t i = 1; i < ways; i++)
		if (set[i].used < set[way].used)
			way = i;
	return way;
}

const hd_replacement hd_replacements[HD_REPLACEMENTS] = {
    [HD_REPLACE_LRU] = {.renews = true, .victim = oldest},
};

void *hd_tag_array_init(hd_tag_array *array, uint32_t entries, uint32_t ways, size_t bytes, const hd_replacement *policy, hd_region *region)
{
	ways = hd_max_u32(hd_min_u32(ways, entries), 1);
	*array = (hd_tag_array){.sets = hd_max_u32(entries / ways, 1), .ways = ways, .policy = policy};
	size_t n = hd_tag_array_entries(array);
	array->tags = hd_take(region, n * (sizeof *array->tags + bytes));
	return array->tags + n;
}

void hd_tag_array_free(hd_tag_array *array, const hd_region *region) { hd_give(region, array->tags); }

uint32_t hd_tag_array_victim(const hd_tag_array *array, uint64_t tag)
{
	uint32_t set = hd_tag_array_set(array, tag);
	return set + array->policy->victim(array->tags + set, array->ways);
}

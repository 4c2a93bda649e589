#include "memory/first_cache.h"

hd_fill *hd_fills_take(hd_fills *pool)
{
	hd_fill *fill = hd_free_list_take(&pool->fills, sizeof *fill);
	*fill = (hd_fill){0};
	return fill;
}

void hd_fills_give(hd_fills *pool, hd_fill *fill) { hd_free_list_give(&pool->fills, fill); }

void hd_fills_free(hd_fills *pool)
{
	hd_free_list_free(&pool->fills);
	hd_free_list_free(&pool->waiters);
}

void hd_first_cache_init(hd_first_cache *cache, uint32_t bytes, uint32_t ways, hd_region *region)
{
	*cache = (hd_first_cache){.region = region};
	hd_tags_init(&cache->tags, bytes, ways, region);
}

void hd_first_cache_free(hd_first_cache *cache)
{
	hd_tags_free(&cache->tags, cache->region);
	hd_give(cache->region, cache->bytes);
}

void hd_first_cache_keep_bytes(hd_first_cache *cache, hd_fills *pool)
{
	cache->pool = pool;
	cache->bytes = hd_take_any(cache->region, hd_tag_array_entries(&cache->tags.array) * sizeof *cache->bytes);
}

void hd_first_cache_invalidate(hd_first_cache *cache) { hd_tags_forget(&cache->tags); }

static hd_line_data *bytes_of(const hd_first_cache *cache, const hd_cache_line *line) { return &cache->bytes[line - cache->tags.lines]; }

void hd_first_cache_attach(hd_first_cache *cache, const hd_cache_line *line, hd_fill *fill)
{
	unsigned sector = hd_sector_of(fill->address);
	hd_line_data *bytes = bytes_of(cache, line);
	fill->cache = cache;
	fill->line = (uint32_t)(line - cache->tags.lines);
	bytes->fill[sector] = fill;
	bytes->own[sector] = 0;
}

void hd_first_cache_load(hd_first_cache *cache, const hd_cache_line *line, uint64_t address, const hd_work *work, uint32_t lanes)
{
	unsigned sector = hd_sector_of(address);
	const hd_line_data *bytes = bytes_of(cache, line);
	const uint8_t *at = bytes->at + sector * HD_SECTOR_BYTES;
	hd_fill *fill = bytes->fill[sector];
	if (!fill) {
		hd_perform_loads(work->access, work->result, work->size, lanes, at);
		return;
	}
	hd_waiter *waiter = hd_free_list_take(&cache->pool->waiters, sizeof *waiter);
	waiter->next = fill->waiters;
	waiter->access = work->access;
	waiter->result = work->result;
	waiter->lanes = lanes;
	waiter->size = work->size;
	waiter->own = bytes->own[sector];
	if (waiter->own)
		memcpy(waiter->bytes, at, HD_SECTOR_BYTES);
	fill->waiters = waiter;
}

void hd_first_cache_store(hd_first_cache *cache, uint64_t address, const hd_work *work, uint32_t lanes)
{
	const hd_cache_line *line = hd_tags_peek(&cache->tags, address);
	unsigned sector = hd_sector_of(address), size = hd_size_bytes(work->size);
	if (!line || !(line->valid >> sector & 1))
		return;
	hd_line_data *bytes = bytes_of(cache, line);
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = hd_lowest_bit(lanes), place = hd_place_in_sector(work->access, lane);
		uint8_t *at = bytes->at + sector * HD_SECTOR_BYTES + place;
		uint32_t word[4];
		if (work->size == HD_SIZE_32)
			hd_store_word(at, work->access->data->v[lane]);
		else
			hd_perform_lane(work, lane, at, word);
		bytes->own[sector] |= (uint32_t)((UINT64_C(1) << size) - 1) << place;
	}
}

void hd_first_cache_drop(hd_first_cache *cache, uint64_t address) { hd_tags_drop(&cache->tags, address); }

/* Copies the bytes that `own` lacks. */
static void copy_others(uint8_t *to, const uint8_t *from, uint32_t own)
{
	if (!own)
		memcpy(to, from, HD_SECTOR_BYTES);
	for (unsigned i = 0; own && i < HD_SECTOR_BYTES; i++)
		if (!(own >> i & 1))
			to[i] = from[i];
}

void hd_first_cache_arrive(hd_fills *pool, hd_fill *fill, const uint8_t sector[HD_SECTOR_BYTES])
{
	unsigned which = hd_sector_of(fill->address);
	hd_line_data *bytes = &fill->cache->bytes[fill->line];
	if (bytes->fill[which] == fill) {
		copy_others(bytes->at + which * HD_SECTOR_BYTES, sector, bytes->own[which]);
		bytes->fill[which] = NULL;
	}
	for (hd_waiter *waiter = fill->waiters, *next; waiter; waiter = next) {
		next = waiter->next;
		if (waiter->own)
			copy_others(waiter->bytes, sector, waiter->own);
		hd_perform_loads(waiter->access, waiter->result, waiter->size, waiter->lanes, waiter->own ? waiter->bytes : sector);
		hd_free_list_give(&pool->waiters, waiter);
	}
	fill->waiters = NULL;
}

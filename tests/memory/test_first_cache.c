/* First caches with bytes (MT-1, MT-2): what a hit reads, sectors on their way, own stores, empty caches. */
#include "../test.h"

#include "memory/first_cache.h"

enum { AT = 0x10040 }; /* sector 2 of its line */

typedef struct world {
	hd_fills pool;
	hd_first_cache cache;
	hd_cache_line *line;
	hd_access_op op;
	hd_access access;
	hd_access_result result;
	hd_work work;
} world;

static world *world_new(void)
{
	world *w = hd_xaligned(sizeof *w);
	hd_victim victim;
	hd_first_cache_init(&w->cache, 1024, 2, NULL);
	hd_first_cache_keep_bytes(&w->cache, &w->pool);
	w->line = hd_tags_place(&w->cache.tags, AT, &victim);
	w->op = (hd_access_op){.kind = HD_ACCESS_LOAD, .space = HD_SPACE_GLOBAL, .size = HD_SIZE_32, .wide = true};
	w->access.op = &w->op;
	w->work = (hd_work){.access = &w->access, .result = &w->result, .kind = HD_ACCESS_LOAD, .size = HD_SIZE_32};
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		w->access.address[0].v[lane] = AT + lane % 8 * 4;
	return w;
}

static void world_free(world *w)
{
	hd_first_cache_free(&w->cache);
	hd_fills_free(&w->pool);
	free(w);
}

static hd_fill *request(world *w)
{
	hd_fill *fill = hd_fills_take(&w->pool);
	fill->address = AT;
	w->line->valid |= 1 << hd_sector_of(AT);
	hd_first_cache_attach(&w->cache, w->line, fill);
	return fill;
}

/* The slice sends words that begin with `first`. */
static void arrive(world *w, hd_fill *fill, uint32_t first)
{
	uint8_t sector[HD_SECTOR_BYTES];
	for (unsigned i = 0; i < 8; i++)
		hd_store_word(sector + 4 * i, first + i);
	hd_first_cache_arrive(&w->pool, fill, sector);
	hd_fills_give(&w->pool, fill);
}

/* The least lane stores `value`, the one behind it the next number. */
static void store(world *w, uint32_t lanes, uint32_t value, hd_size size)
{
	hd_access_op op = {.kind = HD_ACCESS_STORE, .space = HD_SPACE_GLOBAL, .size = size & 7, .wide = true};
	hd_access access = {.op = &op, .address = {w->access.address[0], w->access.address[1]}};
	hd_work work = {.access = &access, .kind = HD_ACCESS_STORE, .size = (uint8_t)size};
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		access.data[0].v[lane] = value + lane - hd_lowest_bit(lanes);
	hd_first_cache_store(&w->cache, AT, &work, lanes);
}

static uint32_t read(world *w, unsigned lane)
{
	w->result.data[0].v[lane] = 12345;
	hd_first_cache_load(&w->cache, w->line, AT, &w->work, 1u << lane);
	return w->result.data[0].v[lane];
}

TEST(a_hit_reads_the_line)
{
	world *w = world_new();
	arrive(w, request(w), 100);
	assert_int_equal(read(w, 0), 100);
	assert_int_equal(read(w, 13), 105);
	store(w, 1u << 13, 7, HD_SIZE_32);
	assert_int_equal(read(w, 5), 7);
	assert_int_equal(read(w, 4), 104);
	store(w, 3u << 2, 50, HD_SIZE_32);
	assert_int_equal(read(w, 2), 50);
	assert_int_equal(read(w, 3), 51);
	assert_int_equal(read(w, 4), 104);
	store(w, 1u << 4, 0xabcd, HD_SIZE_U8);
	assert_int_equal(read(w, 4), 0xcd);
	w->work.size = HD_SIZE_S8;
	assert_int_equal(read(w, 4), 0xffffffcd);
	world_free(w);
}

/* A load that waits sees the core's stores before it, and none behind it. */
TEST(loads_wait_for_a_sector_on_its_way)
{
	world *w = world_new();
	hd_fill *fill = request(w);
	assert_int_equal(read(w, 0), 12345);
	store(w, 1u << 1, 7, HD_SIZE_32);
	assert_int_equal(read(w, 1), 12345);
	assert_int_equal(read(w, 2), 12345);
	store(w, 1u << 2, 8, HD_SIZE_U16);
	assert_int_equal(read(w, 10), 12345);
	store(w, 1u << 0, 9, HD_SIZE_32);
	arrive(w, fill, 0x10100);
	assert_int_equal(w->result.data[0].v[0], 0x10100);
	assert_int_equal(w->result.data[0].v[1], 7);
	assert_int_equal(w->result.data[0].v[2], 0x10102);
	assert_int_equal(w->result.data[0].v[10], 0x10008);
	assert_int_equal(read(w, 0), 9);
	assert_int_equal(read(w, 1), 7);
	assert_int_equal(read(w, 2), 0x10008);
	assert_int_equal(read(w, 3), 0x10103);
	world_free(w);
}

/* A later fill of the sector begins without own bytes, and an earlier one that comes afterwards does not touch it. */
TEST(a_sector_waits_for_its_latest_fill)
{
	world *w = world_new();
	hd_fill *first = request(w);
	assert_int_equal(read(w, 0), 12345);
	store(w, 1, 7, HD_SIZE_32);
	hd_first_cache_drop(&w->cache, AT);
	assert_false(w->line->valid >> 2 & 1);
	store(w, 2, 7, HD_SIZE_32); /* absent: only memory has it */
	hd_fill *second = request(w);
	arrive(w, first, 100);
	assert_int_equal(w->result.data[0].v[0], 100);
	assert_int_equal(read(w, 1), 12345);
	arrive(w, second, 200);
	assert_int_equal(w->result.data[0].v[1], 201);
	assert_int_equal(read(w, 0), 200);
	world_free(w);
}

/* The line has another address when the sector comes. */
TEST(an_evicted_line_lets_its_fill_go)
{
	world *w = world_new();
	hd_victim victim;
	hd_fill *fill = request(w);
	assert_int_equal(read(w, 3), 12345);
	for (uint64_t next = 1; next <= 2; next++) {
		hd_cache_line *line = hd_tags_place(&w->cache.tags, AT + next * 512, &victim);
		hd_fill *other = hd_fills_take(&w->pool);
		other->address = AT + next * 512;
		line->valid = 4;
		hd_first_cache_attach(&w->cache, line, other);
		arrive(w, other, 1000 * (uint32_t)next);
	}
	assert_null(hd_tags_peek(&w->cache.tags, AT));
	arrive(w, fill, 300);
	assert_int_equal(w->result.data[0].v[3], 303);
	hd_first_cache_load(&w->cache, hd_tags_peek(&w->cache.tags, AT + 1024), AT + 1024, &w->work, 8);
	assert_int_equal(w->result.data[0].v[3], 2003);
	world_free(w);
}

/* MT-2: nothing is found afterwards, and the cache fills again. */
TEST(an_empty_cache_finds_nothing)
{
	world *w = world_new();
	hd_victim victim;
	hd_fill *fill = request(w);
	hd_first_cache_invalidate(&w->cache);
	assert_null(hd_tags_find(&w->cache.tags, AT));
	assert_null(hd_tags_peek(&w->cache.tags, AT));
	w->line = hd_tags_place(&w->cache.tags, AT, &victim);
	assert_int_equal(w->line->valid, 0);
	hd_fill *fresh = request(w);
	arrive(w, fill, 100);
	arrive(w, fresh, 200);
	assert_int_equal(read(w, 0), 200);
	assert_ptr_equal(hd_tags_find(&w->cache.tags, AT), w->line);
	world_free(w);
}

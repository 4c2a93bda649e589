/* Tags of an instruction cache (PD-11). */
#include "memory/icache.h"
#include "../test.h"

TEST(a_line_is_found_after_it_was_filled)
{
	hd_icache cache;
	hd_icache_init(&cache, 8, 2);
	assert_null(hd_icache_find(&cache, 5));
	hd_icache_fill(&cache, 5, 77);
	const uint64_t *there = hd_icache_find(&cache, 5);
	assert_non_null(there);
	assert_int_equal(*there, 77);
	assert_null(hd_icache_find(&cache, 1)); /* the same set of 4, another line */
	hd_icache_free(&cache);
}

TEST(the_least_recently_used_way_is_replaced)
{
	hd_icache cache;
	hd_icache_init(&cache, 8, 2); /* lines 0, 4, 8 share set 0 */
	hd_icache_fill(&cache, 0, 1);
	hd_icache_fill(&cache, 4, 2);
	assert_non_null(hd_icache_find(&cache, 0)); /* line 4 is now the older */
	hd_icache_fill(&cache, 8, 3);
	assert_non_null(hd_icache_find(&cache, 0));
	assert_null(hd_icache_find(&cache, 4));
	assert_non_null(hd_icache_find(&cache, 8));
	hd_icache_fill(&cache, 1, 4); /* another set: nothing of set 0 goes */
	assert_non_null(hd_icache_find(&cache, 0));
	hd_icache_free(&cache);
}

/* Each way in turn is the least recently used one; a hit makes a line the most recent one, and so does a fill. */
TEST(every_way_has_its_turn)
{
	for (uint32_t oldest = 0; oldest < 4; oldest++) {
		hd_icache cache;
		hd_icache_init(&cache, 4, 4);
		for (uint32_t line = 0; line < 4; line++)
			hd_icache_fill(&cache, line, line);
		for (uint32_t i = 1; i < 4; i++)
			assert_non_null(hd_icache_find(&cache, (oldest + i) % 4));
		hd_icache_fill(&cache, 10, 0);
		assert_null(hd_icache_find(&cache, oldest));
		for (uint32_t i = 1; i < 4; i++)
			assert_non_null(hd_icache_find(&cache, (oldest + i) % 4));
		hd_icache_fill(&cache, 11, 0); /* line 10 has not been found since, and is older than the three */
		assert_null(hd_icache_find(&cache, 10));
		hd_icache_free(&cache);
	}
}

TEST(sizes_are_brought_into_range)
{
	hd_icache cache;
	hd_icache_init(&cache, 4, 32);
	assert_int_equal(cache.array.ways, 4);
	assert_int_equal(cache.array.sets, 1);
	hd_icache_free(&cache);
	hd_icache_init(&cache, 8, 0);
	assert_int_equal(cache.array.ways, 1);
	assert_int_equal(cache.array.sets, 8);
	hd_icache_free(&cache);
}

TEST(a_line_settles_once_and_without_a_use)
{
	hd_icache cache;
	hd_icache_init(&cache, 2, 2);
	hd_icache_fill(&cache, 1, 70);
	hd_icache_fill(&cache, 2, 80);
	hd_icache_settle(&cache, 3, 70, 90); /* absent */
	hd_icache_settle(&cache, 1, 71, 90); /* it waits for something else */
	hd_icache_settle(&cache, 1, 70, 90);
	hd_icache_settle(&cache, 1, 70, 91);
	hd_icache_fill(&cache, 3, 0);
	assert_null(hd_icache_find(&cache, 1)); /* still the older one */
	hd_icache_settle(&cache, 2, 81, 90);
	assert_int_equal(*hd_icache_find(&cache, 2), 80);
	hd_icache_settle(&cache, 2, 80, 90);
	assert_int_equal(*hd_icache_find(&cache, 2), 90);
	hd_icache_free(&cache);
}

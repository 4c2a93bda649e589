/* Blocks of a page: what a browser reads is what was put in. */
#include "../test.h"

#include "explore_page.h"

#include "explore/block.h"

TEST(blocks_come_back_for_every_length)
{
	enum { MOST = 40000 };
	char *bytes = hd_xmalloc(MOST);
	uint64_t seed = 5; /* incompressible data has several lines */
	for (uint32_t i = 0; i < MOST; i++)
		bytes[i] = (char)hd_random(&seed);
	static const size_t lengths[] = {0, 1, 2, 3, 4, 5, 12288, 12289, 30000, MOST};
	for (unsigned i = 0; i < HD_COUNT(lengths); i++) {
		hd_blocks blocks = {.out = tmpfile()};
		assert_non_null(blocks.out);
		hd_block_put(&blocks, (hd_block_row){.kind = HD_BLOCK_TILE, .first = i, .last = 9, .count = 7}, bytes, lengths[i]);
		explore_page page = explore_read(blocks.out);
		assert_int_equal(page.blocks.n, 1);
		assert_int_equal(page.blocks.at[0].n, lengths[i]);
		assert_memory_equal(page.blocks.at[0].bytes, bytes, lengths[i]);
		assert_int_equal(blocks.written, page.n);
		assert_int_equal(blocks.rows.n, 1);
		assert_int_equal(blocks.rows.at[0].first, i);
		explore_release(&page);
		hd_blocks_free(&blocks);
	}
	free(bytes);
}

TEST(the_index_is_not_in_the_table)
{
	hd_blocks blocks = {.out = tmpfile()};
	hd_block_put(&blocks, (hd_block_row){.kind = HD_BLOCK_INDEX}, "{}", 2);
	assert_int_equal(blocks.rows.n, 0);
	fclose(blocks.out);
	hd_blocks_free(&blocks);
}

TEST(numbers_and_changes_read_back)
{
	static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX};
	hd_text bytes = {0};
	for (unsigned i = 0; i < HD_COUNT(values); i++)
		hd_put_number(&bytes, values[i]);
	for (unsigned i = 0; i < HD_COUNT(values); i++)
		for (unsigned k = 0; k < HD_COUNT(values); k++)
			hd_put_change(&bytes, values[i], values[k]);
	size_t at = 0;
	for (unsigned i = 0; i < HD_COUNT(values); i++)
		assert_int_equal(explore_number(bytes.at, &at), values[i]);
	for (unsigned i = 0; i < HD_COUNT(values); i++)
		for (unsigned k = 0; k < HD_COUNT(values); k++)
			assert_int_equal(explore_change(bytes.at, &at, values[k]), values[i]);
	assert_int_equal(at, bytes.n);
	assert_int_equal(bytes.at[0], 0);
	assert_int_equal(bytes.at[2], 127);
	hd_text_free(&bytes);
}

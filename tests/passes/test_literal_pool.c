/* The literal pool: which constants get a word of the bank, and where. */
#include "../ir_builder.h"
#include "passes/lower/literal_pool.h"

TEST(pairs_come_first_and_are_even)
{
	ir_builder b = ir_new(1);
	hd_literal_pool pool = {0};
	uint32_t word;
	hd_literal_pool_want(&pool, 0x30, 1, 1);
	hd_literal_pool_want(&pool, UINT64_C(0x500000004), 2, 1);
	hd_literal_pool_want(&pool, 0x20, 1, 1);
	hd_literal_pool_want(&pool, 0x10, 1, 1);
	hd_literal_pool_choose(&pool, b.m);
	static const uint32_t expected[] = {4, 5, 0x10, 0x20, 0x30, 0}; /* sorted; one word of padding */
	assert_int_equal(b.m->literals.n, HD_COUNT(expected));
	for (unsigned i = 0; i < HD_COUNT(expected); i++)
		assert_int_equal(b.m->literals.at[i], expected[i]);
	assert_true(hd_literal_word(b.m, UINT64_C(0x500000004), 2, &word));
	assert_int_equal(word, HD_CONST_WORDS - 6);
	assert_true(hd_literal_word(b.m, 0x20, 1, &word));
	assert_int_equal(word, HD_CONST_WORDS - 3);
	assert_false(hd_literal_word(b.m, 0x40, 1, &word));
	assert_false(hd_literal_word(b.m, UINT64_C(0x600000004), 2, &word));
	assert_false(hd_literal_word(b.m, UINT64_C(0x1000000005), 2, &word)); /* an odd word */
	hd_literal_pool_free(&pool);
	ir_free(&b);
}

/* A value of one word is not the same as one of two. */
TEST(chosen_ones_are_found_by_value_and_width)
{
	ir_builder b = ir_new(1);
	hd_literal_pool pool = {0};
	hd_literal_pool_want(&pool, 7, 1, 1);
	hd_literal_pool_want(&pool, 9, 2, 1);
	hd_literal_pool_want(&pool, 7, 1, 1);
	hd_literal_pool_choose(&pool, b.m);
	assert_int_equal(pool.literals.n, 2);
	assert_true(hd_literal_pool_has(&pool, 7, 1) && hd_literal_pool_has(&pool, 9, 2));
	assert_false(hd_literal_pool_has(&pool, 7, 2) || hd_literal_pool_has(&pool, 9, 1) || hd_literal_pool_has(&pool, 8, 1));
	hd_literal_pool_free(&pool);
	ir_free(&b);
}

/* Beside the parameters there is room for few: those with the greatest weight a word, sums over uses; among equals the first. */
TEST(the_most_used_stay)
{
	ir_builder b = ir_new(1);
	hd_literal_pool pool = {0};
	b.f->info.param_bytes = 4 * (HD_CONST_WORDS - 5) - HD_BANK_PARAMS; /* leaves 5 words: 4 and the padding */
	hd_literal_pool_want(&pool, 1, 1, 8);
	hd_literal_pool_want(&pool, 2, 1, 8);
	hd_literal_pool_want(&pool, 3, 1, 9);
	hd_literal_pool_want(&pool, 4, 2, 17); /* 8 a word */
	hd_literal_pool_want(&pool, 5, 1, 5);
	hd_literal_pool_want(&pool, 5, 1, 5); /* 10 */
	hd_literal_pool_want(&pool, 6, 1, 7);
	hd_literal_pool_choose(&pool, b.m);
	assert_true(hd_literal_pool_has(&pool, 5, 1) && hd_literal_pool_has(&pool, 3, 1) && hd_literal_pool_has(&pool, 1, 1) &&
	            hd_literal_pool_has(&pool, 2, 1));
	assert_false(hd_literal_pool_has(&pool, 4, 2) || hd_literal_pool_has(&pool, 6, 1));
	assert_int_equal(b.m->literals.n, 4);
	hd_literal_pool_free(&pool);
	ir_free(&b);
}

/* Parameters of functions are in registers; without room there are no literals. */
TEST(the_largest_kernel_decides)
{
	for (unsigned kernel = 0; kernel < 2; kernel++) {
		ir_builder b = ir_new(1);
		hd_literal_pool pool = {0};
		ir_add_function(&b, "other", kernel, 1)->info.param_bytes = 4 * HD_CONST_WORDS;
		hd_literal_pool_want(&pool, 1, 1, 8);
		hd_literal_pool_choose(&pool, b.m);
		assert_int_equal(b.m->literals.n, kernel ? 0 : 2);
		hd_literal_pool_free(&pool);
		ir_free(&b);
	}
}

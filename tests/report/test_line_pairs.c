/* Source lines of two machines side by side: each line once, with what it took on either, and nothing lost. */
#include "../test.h"

#include "report/line_pairs.h"

/* 100 slots are 1000 cycles on the first machine, 10 slots are 200 on the second one. */
static hd_heat_line of_first[] = {{.file = "a.cl", .line = 3, .text = (char *)"\tthree", .sum = {.slots = 10, .issued = 10, .lost = {[2] = 30}}},
                                  {.file = "a.cl", .line = 5, .sum = {.slots = 1, .issued = 1}},
                                  {.file = "a.cl", .line = 9, .text = (char *)"never"},
                                  {.file = "b.h", .line = 1, .text = (char *)"one", .sum = {.slots = 9, .issued = 9}}};
static hd_heat_line of_second[] = {{.file = "a.cl", .line = 3, .text = (char *)"\tthree", .sum = {.slots = 2, .issued = 4, .lost = {[1] = 3}}},
                                   {.file = "a.cl", .line = 4, .text = (char *)"four", .sum = {.slots = 1, .issued = 1}},
                                   {.file = "a.cl", .line = 9, .text = (char *)"never"},
                                   {.file = "b.h", .line = 1, .text = (char *)"one", .sum = {.slots = 4, .issued = 4}}};

static void make(hd_line_pairs *pairs, hd_line_order order)
{
	hd_heat first = {.lines = {of_first, 4, 4}, .no_instruction = {.lost = {[0] = 50}}, .slots = 100, .cycles = 1000};
	hd_heat second = {.lines = {of_second, 4, 4}, .slots = 10, .cycles = 200};
	*pairs = (hd_line_pairs){0};
	hd_line_pairs_make(pairs, &first, &second, order);
}

TEST(each_line_is_there_once)
{
	static const struct {
		const char *file;
		uint32_t line;
		double cycles[2], stalled[2];
		uint64_t issued[2];
	} expected[] = {{"a.cl", 3, {400, 100}, {300, 60}, {10, 4}},
	                {"a.cl", 4, {0, 20}, {0, 0}, {0, 1}},
	                {"a.cl", 5, {10, 0}, {0, 0}, {1, 0}},
	                {"b.h", 1, {90, 80}, {0, 0}, {9, 4}},
	                {NULL, 0, {500, 0}, {500, 0}, {0, 0}}};
	hd_line_pairs pairs;
	double sum[2] = {0};
	make(&pairs, HD_LINES_BY_SOURCE);
	assert_int_equal(pairs.n, HD_COUNT(expected));
	for (size_t i = 0; i < pairs.n; i++) {
		assert_int_equal(pairs.at[i].line, expected[i].line);
		assert_true(expected[i].file ? strcmp(pairs.at[i].file, expected[i].file) == 0 : !pairs.at[i].file);
		for (unsigned which = 0; which < 2; which++) {
			assert_float_equal(pairs.at[i].cycles[which], expected[i].cycles[which], 1e-9);
			assert_float_equal(pairs.at[i].stalled[which], expected[i].stalled[which], 1e-9);
			assert_int_equal(pairs.at[i].issued[which], expected[i].issued[which]);
			sum[which] += pairs.at[i].cycles[which];
		}
	}
	assert_float_equal(sum[0], 1000, 1e-9);
	assert_float_equal(sum[1], 200, 1e-9);
	hd_vec_free(&pairs);
}

TEST(the_largest_difference_can_go_first)
{
	static const uint32_t lines[] = {0, 3, 4, 5, 1}; /* 500, 300, 20; then lines 5 and 1 with 10, by the source */
	hd_line_pairs pairs;
	make(&pairs, HD_LINES_BY_DIFFERENCE);
	for (size_t i = 0; i < pairs.n; i++)
		assert_int_equal(pairs.at[i].line, lines[i]);
	hd_text text = {0};
	hd_line_pairs_text(&pairs, "one", "other", &text);
	assert_non_null(strstr(text.at, "       400.0        300.0        100.0         60.0       -300.0  a.cl:3  three\n"));
	assert_non_null(strstr(text.at, "-500.0  no instruction\n"));
	hd_text_free(&text);
	hd_vec_free(&pairs);
}

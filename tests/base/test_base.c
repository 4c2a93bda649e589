/* Helpers of base.h: numbers and bit sets. */
#include "base/plain.h"

#include <time.h>
#include "../test.h"

TEST(least_and_greatest)
{
	(void)state;
	assert_int_equal(hd_min_u32(3, UINT32_MAX), 3);
	assert_int_equal(hd_max_u32(3, UINT32_MAX), UINT32_MAX);
	assert_true(hd_min_u64(UINT64_C(1) << 40, 5) == 5);
	assert_true(hd_max_u64(UINT64_C(1) << 40, 5) == UINT64_C(1) << 40);
}

/* The published values of FNV-1a, 64 bits. */
TEST(hashes_of_bytes)
{
	assert_true(hd_hash(HD_HASH, "", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(hd_hash(HD_HASH, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(hd_hash(HD_HASH, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(hd_hash(hd_hash(HD_HASH, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
}

TEST(rounding_up)
{
	(void)state;
	assert_int_equal(hd_divide_up_u32(0, 4), 0);
	assert_int_equal(hd_divide_up_u32(8, 4), 2);
	assert_int_equal(hd_divide_up_u32(9, 4), 3);
	assert_int_equal(hd_round_up_u32(0, 16), 0);
	assert_int_equal(hd_round_up_u32(1, 16), 16);
	assert_int_equal(hd_round_up_u32(32, 16), 32);
	assert_int_equal(hd_round_up_u32(7, 3), 9);
}

TEST(lowest_bits)
{
	(void)state;
	unsigned sum = 0, n = 0;
	for (uint64_t rest = UINT64_C(0x8000000100000012); rest; rest &= rest - 1, n++)
		sum = 100 * sum + hd_lowest_bit(rest);
	assert_int_equal(n, 4);
	assert_int_equal(sum, 1043263);
}

/* Members are found in ascending order, whatever words of the set they lie in; behind the last one comes the size. */
TEST(groups_of_bits)
{
	(void)state;
	for (unsigned size = 1; size <= 32; size *= 2) {
		assert_int_equal(hd_bit_groups(0, size), 0);
		for (unsigned bit = 0; bit < 32; bit++)
			assert_int_equal(hd_bit_groups(1u << bit, size), 1u << bit / size * size);
		assert_int_equal(hd_count_bits(hd_bit_groups(UINT32_MAX, size)), 32 / size);
	}
	assert_int_equal(hd_bit_groups(0x80f00012, 4), 0x10100011);
}

TEST(members_of_a_set)
{
	(void)state;
	static const size_t members[] = {0, 5, 63, 64, 127, 190, 199};
	hd_bits set = hd_bits_new(200);
	assert_int_equal(hd_bits_next(&set, 0), 200);
	for (unsigned i = 0; i < HD_COUNT(members); i++)
		hd_bits_add(&set, members[i]);
	unsigned n = 0;
	for (size_t i = hd_bits_next(&set, 0); i < set.bits; i = hd_bits_next(&set, i + 1))
		assert_int_equal(i, members[n++]);
	assert_int_equal(n, HD_COUNT(members));
	assert_int_equal(hd_bits_next(&set, 65), 127);
	assert_int_equal(hd_bits_next(&set, 200), 200);
	hd_bits_free(&set);
}

/* The distance is that of insertions, removals, replacements and swaps, in both directions. */
TEST(distances_of_words)
{
	(void)state;
	static const struct {
		const char *a, *b;
		unsigned distance;
	} pairs[] = {{"", "", 0},     {"--report", "--reprot", 1}, {"run", "rnu", 1},  {"ca", "abc", 3}, {"run", "runs", 1},
	             {"", "grid", 4}, {"kitten", "sitting", 3},    {"flaw", "lawn", 2}};
	for (unsigned i = 0; i < HD_COUNT(pairs); i++) {
		assert_int_equal(hd_edit_distance(pairs[i].a, pairs[i].b), pairs[i].distance);
		assert_int_equal(hd_edit_distance(pairs[i].b, pairs[i].a), pairs[i].distance);
	}
	static const char longest[] = "a word of HD_DISTANCE_MAX - 1 characters.......";
	_Static_assert(sizeof longest == HD_DISTANCE_MAX, "the longest word that fits");
	assert_int_equal(hd_edit_distance("", longest), HD_DISTANCE_MAX - 1);
	assert_true(hd_edit_distance("", "a word of HD_DISTANCE_MAX characters............") == UINT32_MAX);
}

TEST(clamping)
{
	(void)state;
	assert_int_equal(hd_clamp_u32(0, 3, 7), 3);
	assert_int_equal(hd_clamp_u32(3, 3, 7), 3);
	assert_int_equal(hd_clamp_u32(5, 3, 7), 5);
	assert_int_equal(hd_clamp_u32(UINT32_MAX, 3, 7), 7);
	assert_int_equal(hd_clamp_u32(5, 4, 4), 4);
}

TEST(endings)
{
	(void)state;
	assert_true(hd_ends_with("a.cl", ".cl"));
	assert_true(hd_ends_with(".cl", ".cl"));
	assert_true(hd_ends_with("a", ""));
	assert_false(hd_ends_with("cl", ".cl"));
	assert_false(hd_ends_with("a.clx", ".cl"));
	assert_false(hd_ends_with("", ".cl"));
}

TEST(digits_in_groups)
{
	char text[32];
	(void)state;
	assert_string_equal(hd_grouped_digits(0, text), "0");
	assert_string_equal(hd_grouped_digits(999, text), "999");
	assert_string_equal(hd_grouped_digits(1000, text), "1,000");
	assert_string_equal(hd_grouped_digits(12345678, text), "12,345,678");
	assert_string_equal(hd_grouped_digits(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

/* Names from files are parts of messages. */
TEST(messages_are_short_and_plain)
{
	hd_diag diag = {0};
	char *word = hd_xmalloc(100000);
	memset(word, 'x', 99999);
	word[99999] = '\0';
	hd_error(&diag, (hd_pos){"f", 1, 2}, "there is no '\x1b[2Ja\tb\x7f'");
	assert_string_equal(diag.text.at, "f:1:2: error: there is no '?[2Ja\tb?'\n");
	hd_diag_free(&diag);
	hd_error(&diag, (hd_pos){.file = word}, "is %s", word);
	assert_int_equal(diag.text.n, HD_MESSAGE_MAX + strlen(" ...\n"));
	assert_string_equal(diag.text.at + HD_MESSAGE_MAX, " ...\n");
	hd_error(&diag, (hd_pos){.file = "g"}, "another");
	assert_string_equal(diag.text.at + HD_MESSAGE_MAX, " ...\ng: error: another\n");
	hd_diag_free(&diag);
	free(word);
}

static double clock_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

TEST(seconds_go_forward)
{
	(void)state;
	double before = clock_seconds(), now = hd_now(), after = clock_seconds();
	assert_true(before <= now && now <= after);
}

/* A letter of every three may differ; dashes count as no letters. The nearest candidate wins, of equal ones the first; a word of three letters and
 * more stands for what it begins. */
TEST(suggested_names)
{
	static const struct {
		const char *word, *candidates[3], *nearest;
	} rows[] = {
	    {"ab", {"ac"}, "ac"},
	    {"ab", {"cd"}, NULL},
	    {"ab", {"abc"}, "abc"},
	    {"a", {"b"}, NULL},
	    {"--ab", {"--cd"}, NULL},
	    {"--a", {"--b"}, NULL},
	    {"abcd", {"abxx"}, NULL},
	    {"abcde", {"abcxx"}, "abcxx"},
	    {"abcde", {"abxxx"}, NULL},
	    {"abcdefg", {"abcdexx"}, "abcdexx"},
	    {"abcdefg", {"abcdxxx"}, NULL},
	    {"abcdefgh", {"abcdexxx"}, "abcdexxx"},
	    {"abcde", {"abcxx", "abcdx"}, "abcdx"},
	    {"abcde", {"abcdx", "abcdy"}, "abcdx"},
	    {"abcde", {"abcdx", "abcxx"}, "abcdx"},
	    {"abc", {"abcdefgh"}, "abcdefgh"},
	    {"ab", {"abcdefgh"}, NULL},
	    {"abcde", {"abcdefghij", "abcdf"}, "abcdefghij"},
	    {"bcd", {"abcdefgh"}, NULL},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_suggestion suggestion = {.word = rows[i].word};
		for (unsigned k = 0; k < 3 && rows[i].candidates[k]; k++)
			hd_suggest(&suggestion, rows[i].candidates[k]);
		if (!rows[i].nearest != !suggestion.nearest || (rows[i].nearest && strcmp(rows[i].nearest, suggestion.nearest) != 0))
			fail_msg("%s: %s, expected %s", rows[i].word, suggestion.nearest ? suggestion.nearest : "nothing",
			         rows[i].nearest ? rows[i].nearest : "nothing");
	}
}

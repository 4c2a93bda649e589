/* ST-1: expressions over keys. */
#include "study/expression.h"
#include "../test.h"

static bool find(void *context, const char *name, char value[40])
{
	static const char *const names[][2] = {{"fence.counters", "6"},
	                                       {"fence.mode", "fence"},
	                                       {"fence.wait_counters", "true"},
	                                       {"window", "4"},
	                                       {"multi_issue.pass_waits", "false"},
	                                       {"notes", "7"},
	                                       {"order", "8"},
	                                       {"trueness", "9"}};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		if (strcmp(names[i][0], name) == 0) {
			snprintf(value, 40, "%s", names[i][1]);
			return true;
		}
	}
	return false;
}

static void expect(const char *text, int64_t expected)
{
	int64_t value = -99;
	hd_diag diag = {0};
	if (!hd_expression(text, find, NULL, &value, (hd_pos){"s.yaml", 3, 5}, &diag) || value != expected)
		fail_msg("%s: %lld, expected %lld: %s", text, (long long)value, (long long)expected, diag.text.at ? diag.text.at : "");
	hd_diag_free(&diag);
}

static void refuse(const char *text, const char *message)
{
	int64_t value;
	hd_diag diag = {0};
	assert_false(hd_expression(text, find, NULL, &value, (hd_pos){"s.yaml", 3, 5}, &diag));
	if (!strstr(diag.text.at, message) || strncmp(diag.text.at, "s.yaml:3:5: error: ", 19) != 0 || diag.errors != 1)
		fail_msg("%s: %s, expected %s", text, diag.text.at, message);
	hd_diag_free(&diag);
}

TEST(operators)
{
	expect("1 + 2 * 3", 7);
	expect("(1 + 2) * 3", 9);
	expect("7 - 2 - 1", 4);
	expect("100 / 7 / 2", 7);
	expect("17 % 5", 2);
	expect("-3 + 5", 2);
	expect("2 < 3", 1);
	expect("3 < 3", 0);
	expect("3 <= 3", 1);
	expect("4 <= 3", 0);
	expect("3 >= 4", 0);
	expect("4 >= 4", 1);
	expect("4 > 4", 0);
	expect("5 > 4", 1);
	expect("4 = 4", 1);
	expect("4 == 5", 0);
	expect("4 != 5", 1);
	expect("4 != 4", 0);
	expect("1 or 0 and 0", 1);
	expect("(1 or 0) and 0", 0);
	expect("not 0 and 1", 1);
	expect("not not 3", 1);
	expect("not 2 = 3", 1);
}

/* A name may begin with a word of the language. */
TEST(names_are_whole_words)
{
	expect("notes", 7);
	expect("1 + order", 9);
	expect("trueness - 1", 8);
}

/* Nesting is bounded, not the length. */
TEST(long_expressions)
{
	hd_text text = {0};
	for (unsigned i = 0; i < 99; i++)
		hd_text_printf(&text, "(1) + ");
	hd_text_printf(&text, "1");
	expect(text.at, 100);
	hd_text_free(&text);
}

TEST(names_have_values)
{
	expect("fence.counters", 6);
	expect("fence.counters - 2 < window + 1", 1);
	expect("fence.mode = fence", 1);
	expect("fence.mode != fence", 0);
	expect("fence.mode = scoreboard", 0);
	expect("fence.wait_counters", 1);
	expect("multi_issue.pass_waits or window = 4", 1);
	expect("fence.wait_counters = true", 1);
	expect("fence.wait_counters = false", 0);
	expect("window=4 and fence.counters=6", 1);
}

TEST(what_is_none)
{
	refuse("", "expected a key");
	refuse("1 +", "expected a key");
	refuse("(1", "expected )");
	refuse("1 1", "unexpected text at character 3");
	refuse("fence.countres = 2", "fence.countres is no key");
	refuse("fence.mode < 2", "fence is no key and no number");
	refuse("fence.mode", "no number");
	refuse("not fence.mode", "no number");
	refuse("1 / 0", "division by zero");
	refuse("1 % 0", "division by zero");
	refuse("99999999999", "beyond 10^9");
	refuse("1000000000 * 1000000000", "beyond 10^9");
	refuse("1000000000 + 1", "beyond 10^9");
	refuse("&", "expected a key");
	char deep[200];
	memset(deep, '(', sizeof deep);
	deep[sizeof deep - 1] = '\0';
	refuse(deep, "nested too deep");
	char many[200];
	memset(many, '-', sizeof many);
	many[sizeof many - 1] = '\0';
	refuse(many, "nested too deep");
	char word[200];
	memset(word, 'a', sizeof word);
	word[sizeof word - 1] = '\0';
	refuse(word, "too long");
}

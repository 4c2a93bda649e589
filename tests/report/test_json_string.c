/* Text from outside in JSON: UTF-8 stays, other bytes become question marks, and every character of ASCII comes back. */
#include "report/json_string.h"

#include <string.h>
#include "../test.h"

static void expect(const char *text, const char *expected)
{
	json_t *made = hd_json_string(text);
	assert_non_null(made);
	assert_string_equal(json_string_value(made), expected);
	char *dumped = json_dumps(made, JSON_ENCODE_ANY);
	json_t *back = json_loads(dumped, JSON_DECODE_ANY, NULL);
	assert_string_equal(json_string_value(back), expected);
	json_decref(back);
	free(dumped);
	json_decref(made);
}

TEST(utf8_stays)
{
	(void)state;
	expect("", "");
	expect("saxpy \"quoted\" \\ \x01 \x7f", "saxpy \"quoted\" \\ \x01 \x7f");
	expect("na\xc3\xafve", "na\xc3\xafve");
}

TEST(other_bytes_become_question_marks)
{
	(void)state;
	expect("na\xefve", "na?ve");
	expect("\x80\xff", "??");
	/* A sequence that is cut off, and one that is longer than it has to be. */
	expect("a\xc3", "a?");
	expect("\xc0\xaf", "??");
}

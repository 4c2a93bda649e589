/* heddle_sass_check as the test suite of an assembler calls it (SA-9). */
#include "heddle/heddle.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "../test.h"

typedef struct file {
	unsigned char *bytes;
	size_t size;
} file;

static file fixture(const char *name)
{
	char path[1024];
	file f;
	snprintf(path, sizeof path, "%s/tests/sass/fixtures/%s", getenv("HEDDLE_SOURCE"), name);
	FILE *in = fopen(path, "rb");
	assert_non_null(in);
	f.bytes = malloc(1 << 22);
	f.size = fread(f.bytes, 1, 1 << 22, in);
	fclose(in);
	return f;
}

TEST(sa_9_proven)
{
	(void)state;
	heddle *h = heddle_new();
	file f = fixture("plain-sm80.cubin");
	char *json;
	assert_int_equal(heddle_sass_check(h, f.bytes, f.size, "plain", NULL, &json), HEDDLE_SASS_PROVEN);
	assert_string_equal(heddle_messages(h), "");
	json_t *root = json_loads(json, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "heddle-sass-check-1");
	assert_string_equal(json_string_value(json_object_get(root, "file")), "plain");
	json_decref(root);
	free(json);
	assert_int_equal(heddle_sass_check(h, f.bytes, f.size, "plain", NULL, NULL), HEDDLE_SASS_PROVEN);
	free(f.bytes);
	heddle_free(h);
}

/* A schedule without waits is refuted, and the message says where. */
TEST(sa_9_refuted)
{
	(void)state;
	heddle *h = heddle_new();
	file f = fixture("plain-sm80.cubin");
	char *json = NULL;
	heddle_sass_verdict verdict = HEDDLE_SASS_PROVEN;
	/* Take the mask of waits from one word after the other, wherever it looks like one: a cubin's code lies on multiples of 16. */
	for (size_t at = 64; at + 16 <= f.size && verdict != HEDDLE_SASS_REFUTED; at += 16) {
		unsigned char old[2] = {f.bytes[at + 14], f.bytes[at + 15]};
		f.bytes[at + 14] &= 0x0f;
		f.bytes[at + 15] &= 0xfc;
		free(json);
		heddle_clear(h);
		verdict = heddle_sass_check(h, f.bytes, f.size, "spoilt", NULL, &json);
		f.bytes[at + 14] = old[0];
		f.bytes[at + 15] = old[1];
	}
	assert_int_equal(verdict, HEDDLE_SASS_REFUTED);
	assert_non_null(strstr(heddle_messages(h), "spoilt: error: "));
	assert_non_null(strstr(heddle_messages(h), "is not covered"));
	assert_non_null(strstr(json, "\"refuted\""));
	free(json);
	free(f.bytes);
	heddle_free(h);
}

TEST(sa_9_unknown)
{
	(void)state;
	heddle *h = heddle_new();
	file f = fixture("barrier-sm90.cubin");
	assert_int_equal(heddle_sass_check(h, f.bytes, f.size, "sm90", NULL, NULL), HEDDLE_SASS_UNKNOWN);
	free(f.bytes);
	heddle_free(h);
}

TEST(sa_9_bad_input)
{
	(void)state;
	heddle *h = heddle_new();
	file f = fixture("plain-sm80.cubin");
	char *json = (char *)f.bytes;
	assert_int_equal(heddle_sass_check(h, "text", 4, "text", NULL, &json), HEDDLE_SASS_BAD_INPUT);
	assert_null(json);
	assert_non_null(strstr(heddle_messages(h), "text"));
	assert_int_equal(heddle_sass_check(h, f.bytes, f.size / 2, "half", NULL, NULL), HEDDLE_SASS_BAD_INPUT);
	heddle_sass_options options = {.architecture = 75};
	assert_int_equal(heddle_sass_check(h, f.bytes, f.size, "f", &options, NULL), HEDDLE_SASS_BAD_INPUT);
	options = (heddle_sass_options){.kernel = "nobody"};
	assert_int_equal(heddle_sass_check(h, f.bytes, f.size, "f", &options, NULL), HEDDLE_SASS_BAD_INPUT);
	options = (heddle_sass_options){.assume = "A99"};
	assert_int_equal(heddle_sass_check(h, f.bytes, f.size, "f", &options, NULL), HEDDLE_SASS_BAD_INPUT);
	assert_non_null(strstr(heddle_messages(h), "A99"));
	free(f.bytes);
	heddle_free(h);
}

/* Options reach the checker. */
TEST(sa_9_options)
{
	(void)state;
	heddle *h = heddle_new();
	file f = fixture("plain-sm80.cubin");
	char *json;
	heddle_sass_options options = {.architecture = 80, .strict = true, .slack = true};
	heddle_sass_verdict verdict = heddle_sass_check(h, f.bytes, f.size, "f", &options, &json);
	json_t *root = json_loads(json, 0, NULL), *rows = json_object_get(root, "assumptions");
	unsigned allowed = 0;
	for (size_t i = 0; i < json_array_size(rows); i++)
		allowed += json_is_true(json_object_get(json_array_get(rows, i), "allowed"));
	assert_int_equal(allowed, 1);
	if (verdict == HEDDLE_SASS_PROVEN)
		assert_non_null(json_object_get(json_array_get(json_object_get(root, "functions"), 0), "slack"));
	json_decref(root);
	free(json);
	free(f.bytes);
	heddle_free(h);
}

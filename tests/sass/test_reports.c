/* The report of the checker of real code as JSON and HTML (SA-7, SA-9), and --fix of a file (SA-8). */
#include "words.h"

#include "report/sass.h"

#include <jansson.h>

static char *fixture(const char *name, size_t *size)
{
	hd_diag diag = {0};
	char path[1024];
	snprintf(path, sizeof path, "%s/tests/sass/fixtures/%s", getenv("HEDDLE_SOURCE"), name);
	char *bytes = hd_read_file(path, 1 << 24, size, &diag);
	if (!bytes)
		fail_msg("%s", diag.text.at);
	return bytes;
}

typedef struct proved {
	char *bytes;
	size_t size;
	hd_sass_binary *binary;
	hd_sass_proof proof;
} proved;

/* `spoil`: the first write barrier of the file's code is taken away. */
static proved prove(const char *name, bool slack, bool spoil, hd_sass_assumed assume)
{
	proved p = {.bytes = fixture(name, &p.size)};
	hd_diag diag = {0};
	hd_sass_proof_options options = {.assume = assume, .slack = slack};
	p.binary = hd_sass_binary_open((const uint8_t *)p.bytes, p.size, name, &diag);
	assert_non_null(p.binary);
	const hd_sass_cubin *cubin = hd_sass_binary_cubin(p.binary, 0);
	const hd_sass_function *f = &cubin->functions[0];
	for (uint64_t i = 0; spoil && i < f->size; i += HD_SASS_BYTES) {
		uint8_t *byte = (uint8_t *)p.bytes + cubin->file_offset + f->file_offset + i + 13; /* bits 104 to 111; 110 and 111 of the barrier */
		hd_sass_instruction x;
		hd_sass_decode(cubin->architecture, f->code + i, i, &x);
		if (x.row && x.load && x.control.write_barrier != HD_SASS_NO_BARRIER) {
			byte[0] |= 0xc0;
			byte[1] |= 0x01;
			break;
		}
	}
	assert_true(hd_sass_prove(p.binary, name, &options, &p.proof, &diag));
	return p;
}

static void drop(proved *p)
{
	hd_sass_proof_free(&p->proof);
	hd_sass_binary_free(p->binary);
	free(p->bytes);
}

static json_t *json_of(const proved *p)
{
	hd_text text = {0};
	json_error_t error;
	hd_sass_report_json(&text, "f.cubin", &p->proof);
	json_t *root = json_loads(text.at, 0, &error);
	assert_non_null(root);
	hd_text_free(&text);
	return root;
}

static const char *string_at(const json_t *object, const char *key) { return json_string_value(json_object_get(object, key)); }

TEST(sa_9_json)
{
	(void)state;
	proved p = prove("plain-sm80.cubin", false, false, HD_SASS_ASSUME_ALL);
	json_t *root = json_of(&p), *f = json_array_get(json_object_get(root, "functions"), 0);
	assert_string_equal(string_at(root, "schema"), "heddle-sass-check-1");
	assert_string_equal(string_at(root, "file"), "f.cubin");
	assert_string_equal(string_at(root, "verdict"), "proven");
	assert_int_equal(json_array_size(json_object_get(root, "assumptions")), HD_SASS_ASSUMPTIONS);
	assert_string_equal(string_at(f, "verdict"), "proven");
	assert_int_equal(json_integer_value(json_object_get(f, "architecture")), 80);
	assert_int_equal(json_array_size(json_object_get(f, "findings")), 0);
	assert_true(json_integer_value(json_object_get(f, "by_counter")) > 0);
	assert_null(json_object_get(f, "slack"));
	json_decref(root);
	drop(&p);
}

TEST(sa_9_json_of_findings)
{
	(void)state;
	proved p = prove("plain-sm80.cubin", false, true, HD_SASS_ASSUME_ALL);
	json_t *root = json_of(&p), *f = json_array_get(json_object_get(root, "functions"), 0);
	assert_string_equal(string_at(root, "verdict"), "refuted");
	json_t *finding = json_array_get(json_object_get(f, "findings"), 0);
	static const char *const keys[] = {"hazard",   "registers",   "lacks", "missing_cycles", "needed_cycles", "source",
	                                   "counters", "assumptions", "first", "second",         "path"};
	for (size_t i = 0; i < HD_COUNT(keys); i++)
		assert_non_null(json_object_get(finding, keys[i]));
	assert_string_equal(string_at(finding, "lacks"), "counter");
	assert_non_null(string_at(json_object_get(finding, "first"), "text"));
	json_decref(root);
	hd_text page = {0}, text = {0};
	hd_sass_report_html(&page, "f.cubin", &p.proof);
	assert_non_null(strstr(page.at, "refuted"));
	assert_non_null(strstr(page.at, "</html>"));
	hd_sass_proof_print_findings(&text, "f.cubin", &p.proof);
	assert_non_null(strstr(text.at, "f.cubin: error: "));
	assert_non_null(strstr(text.at, "raises no write barrier"));
	hd_text_free(&page);
	hd_text_free(&text);
	drop(&p);
}

TEST(sa_9_json_of_slack)
{
	(void)state;
	proved p = prove("plain-sm80.cubin", true, false, HD_SASS_ASSUME_ALL);
	json_t *root = json_of(&p), *f = json_array_get(json_object_get(root, "functions"), 0), *slack = json_object_get(f, "slack");
	assert_non_null(slack);
	assert_int_equal(json_array_size(json_object_get(slack, "instructions")), p.proof.functions.at[0].result.instructions);
	assert_true(json_integer_value(json_object_get(slack, "cycles")) > json_integer_value(json_object_get(slack, "cycles_won")));
	json_decref(root);
	drop(&p);
}

/* A fixed file is proven again, differs in control fields alone, and gains nothing from a second fix. */
TEST(sa_8_fix_file)
{
	(void)state;
	static const char *const names[] = {"plain-sm75.cubin", "plain-sm80.cubin", "plain-sm86.cubin"};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		proved p = prove(names[i], false, false, HD_SASS_ASSUME_ALL);
		hd_sass_proof_options options = {.assume = HD_SASS_ASSUME_ALL};
		hd_sass_proof proof;
		hd_diag diag = {0};
		uint64_t won, again;
		uint8_t *copy = hd_xmalloc(p.size);
		memcpy(copy, p.bytes, p.size);
		assert_true(hd_sass_fix_file(p.binary, names[i], &options, copy, p.size, &won, &diag));
		hd_sass_binary *fixed = hd_sass_binary_open(copy, p.size, names[i], &diag);
		assert_true(hd_sass_prove(fixed, names[i], &options, &proof, &diag));
		assert_int_equal(proof.verdict, HD_SASS_PROVEN);
		assert_int_equal(proof.needed & ~p.proof.needed, 0);
		const hd_sass_cubin *before = hd_sass_binary_cubin(p.binary, 0), *after = hd_sass_binary_cubin(fixed, 0);
		for (size_t k = 0; k < before->n_functions; k++) {
			for (uint64_t b = 0; b < before->functions[k].size; b++) {
				uint8_t mask = b % 16 < 13 ? 0xff : b % 16 == 13 ? 0x01 : b % 16 == 14 ? 0 : 0xfc; /* bits 105 to 121 may change */
				assert_int_equal(before->functions[k].code[b] & mask, after->functions[k].code[b] & mask);
			}
		}
		uint8_t *third = hd_xmalloc(p.size);
		memcpy(third, copy, p.size);
		assert_true(hd_sass_fix_file(fixed, names[i], &options, third, p.size, &again, &diag));
		assert_true(again <= won);
		free(third);
		hd_sass_proof_free(&proof);
		hd_sass_binary_free(fixed);
		free(copy);
		drop(&p);
	}
}

/* A file that is not proven is not fixed. */
TEST(sa_8_fix_refuses)
{
	(void)state;
	proved p = prove("plain-sm80.cubin", false, true, HD_SASS_ASSUME_ALL);
	hd_sass_proof_options options = {.assume = HD_SASS_ASSUME_ALL};
	hd_diag diag = {0};
	uint64_t won;
	uint8_t *copy = hd_xmalloc(p.size);
	memcpy(copy, p.bytes, p.size);
	assert_false(hd_sass_fix_file(p.binary, "f", &options, copy, p.size, &won, &diag));
	assert_memory_equal(copy, p.bytes, p.size);
	assert_non_null(strstr(diag.text.at, "nothing is fixed"));
	hd_diag_free(&diag);
	free(copy);
	drop(&p);
}

TEST(sa_7_source_lines)
{
	(void)state;
	proved p = prove("lines-sm80.cubin", false, true, HD_SASS_ASSUME_ALL);
	hd_text text = {0};
	hd_sass_proof_print_findings(&text, "f.cubin", &p.proof);
	assert_non_null(strstr(text.at, "fixture.cu:"));
	hd_text_free(&text);
	drop(&p);
}

TEST(sa_9_selection)
{
	(void)state;
	size_t size;
	hd_diag diag = {0};
	char *bytes = fixture("plain-sm80.cubin", &size);
	hd_sass_binary *binary = hd_sass_binary_open((const uint8_t *)bytes, size, "f", &diag);
	hd_sass_proof proof;
	hd_sass_proof_options options = {.assume = HD_SASS_ASSUME_ALL, .selection = {.architecture = 75}};
	assert_false(hd_sass_prove(binary, "f", &options, &proof, &diag));
	hd_sass_proof_free(&proof);
	options.selection = (hd_sass_selection){.kernel = "no such kernel"};
	assert_false(hd_sass_prove(binary, "f", &options, &proof, &diag));
	assert_non_null(strstr(diag.text.at, "no function named 'no such kernel'"));
	hd_sass_proof_free(&proof);
	options.selection = (hd_sass_selection){.kernel = hd_sass_binary_cubin(binary, 0)->functions[0].name, .architecture = 80};
	assert_true(hd_sass_prove(binary, "f", &options, &proof, &diag));
	assert_int_equal(proof.functions.n, 1);
	hd_sass_proof_free(&proof);
	hd_diag_free(&diag);
	hd_sass_binary_free(binary);
	free(bytes);
}

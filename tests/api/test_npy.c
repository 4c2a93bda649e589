/* .npy files: what is read and written, and what is refused with which words. */
#include "../test.h"

#include "api/npy.h"

#include <unistd.h>

/* A file of version `version` with this header dictionary and `data` bytes behind it. */
static hd_text make(int version, const char *dictionary, size_t data)
{
	hd_text text = {0};
	size_t n = strlen(dictionary);
	char head[12] = {'\x93', 'N', 'U', 'M', 'P', 'Y', (char)version, 0, (char)(n & 255), (char)(n >> 8), 0, 0};
	hd_text_put(&text, head, version == 1 ? 10 : 12);
	hd_text_put(&text, dictionary, n);
	for (size_t i = 0; i < data; i++)
		hd_text_put(&text, "\1", 1);
	return text;
}

static void refused(hd_text text, const char *expected)
{
	hd_npy array;
	hd_diag diag = {0};
	if (hd_npy_parse(text.at, text.n, "a.npy", &array, &diag))
		fail_msg("taken, expected: %s", expected);
	if (!strstr(diag.text.at, expected))
		fail_msg("expected: %s\nin: %s", expected, diag.text.at);
	hd_npy_free(&array);
	hd_diag_free(&diag);
	hd_text_free(&text);
}

TEST(all_versions_and_spellings)
{
	static const char *const headers[] = {
	    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
	    "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
	    "  {'fortran_order' : False, 'shape' : ( 2 , 3 , ), 'descr' : '<f4' }   \n",
	};
	for (int version = 1; version <= 3; version++) {
		for (unsigned i = 0; i < HD_COUNT(headers); i++) {
			hd_text text = make(version, headers[i], 24);
			hd_npy array;
			hd_diag diag = {0};
			if (!hd_npy_parse(text.at, text.n, "a.npy", &array, &diag))
				fail_msg("version %d, header %u: %s", version, i, diag.text.at);
			assert_int_equal(array.kind, 'f');
			assert_int_equal(array.bytes, 4);
			assert_int_equal(array.dims, 2);
			assert_int_equal(array.shape[0], 2);
			assert_int_equal(array.shape[1], 3);
			assert_int_equal(array.count, 6);
			assert_int_equal(array.data[23], 1);
			hd_npy_free(&array);
			hd_text_free(&text);
		}
	}
}

TEST(scalars_and_empty_arrays)
{
	hd_npy array;
	hd_diag diag = {0};
	hd_text text = make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': ()}", 1);
	assert_true(hd_npy_parse(text.at, text.n, "a.npy", &array, &diag));
	assert_int_equal(array.dims, 0);
	assert_int_equal(array.count, 1);
	hd_npy_free(&array);
	hd_text_free(&text);
	text = make(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (0, 7)}", 0);
	assert_true(hd_npy_parse(text.at, text.n, "a.npy", &array, &diag));
	assert_int_equal(array.count, 0);
	hd_npy_free(&array);
	hd_text_free(&text);
}

TEST(damaged_files_are_refused)
{
	refused(make(4, "{}", 0), "version 4, expected 1, 2 or 3");
	refused(make(1, "", 0), "damaged .npy header");
	refused(make(1, "{}", 0), "incomplete .npy header");
	refused(make(1, "{'descr': '<f4', 'shape': (1,)}", 4), "incomplete .npy header");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 3), "has 3 bytes of data, expected 4 for 1 elements of 4 bytes");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 5), "has 5 bytes of data, expected 4");
	refused(make(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 4), "Fortran order");
	refused(make(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4), "unsupported type");
	refused(make(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8), "unsupported type");
	refused(make(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8), "unsupported type");
	refused(make(1, "{'descr': '<i3', 'fortran_order': False, 'shape': (1,)}", 3), "unsupported type");
	refused(make(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4), "unsupported type");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4), "damaged shape");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}", 8), "damaged shape");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': 1}", 4), "damaged shape");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 0), "damaged shape");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 0), "damaged shape");
	refused(make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4), "unknown key 'x'");
	refused(make(1, "{'descr: '<f4'", 4), "damaged .npy header");
	refused(make(1, "{'descr", 0), "damaged .npy header");
	hd_text many = {0};
	hd_text_printf(&many, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
	for (int i = 0; i < 40; i++)
		hd_text_printf(&many, "1,");
	hd_text_printf(&many, ")}");
	refused(make(1, many.at, 4), "more than 32 dimensions");
	hd_text_free(&many);
}

/* Every prefix of a good file is refused, none is read beyond its end (the sanitizer looks). */
TEST(every_truncation_is_refused)
{
	hd_text text = make(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24);
	for (size_t n = 0; n < text.n; n++) {
		char *part = malloc(n ? n : 1);
		memcpy(part, text.at, n);
		hd_npy array;
		hd_diag diag = {0};
		assert_false(hd_npy_parse(part, n, "a.npy", &array, &diag));
		assert_int_equal(diag.errors, 1);
		hd_diag_free(&diag);
		free(part);
	}
	hd_text_free(&text);
}

TEST(written_files_read_back)
{
	static const struct {
		char kind;
		uint8_t bytes;
	} types[] = {{'f', 2}, {'f', 4}, {'f', 8}, {'i', 1}, {'u', 8}, {'b', 1}};
	char path[40];
	snprintf(path, sizeof path, "heddle-test-%ld.npy", (long)getpid());
	for (unsigned i = 0; i < HD_COUNT(types); i++) {
		for (uint32_t dims = 0; dims <= 3; dims++) {
			hd_npy array = {.kind = types[i].kind, .bytes = types[i].bytes, .dims = dims, .shape = {2, 3, 2}, .count = 1}, again;
			hd_diag diag = {0};
			for (uint32_t d = 0; d < dims; d++)
				array.count *= array.shape[d];
			array.data = malloc(array.count * array.bytes);
			for (size_t b = 0; b < array.count * array.bytes; b++)
				array.data[b] = (uint8_t)(b * 7 + i);
			hd_output_set outputs = {0};
			assert_true(hd_npy_write(&outputs, path, &array, &diag) && hd_output_commit(&outputs, &diag));
			assert_true(hd_npy_read(path, &again, &diag));
			assert_int_equal(again.kind, array.kind);
			assert_int_equal(again.bytes, array.bytes);
			assert_int_equal(again.dims, array.dims);
			assert_memory_equal(again.shape, array.shape, dims * sizeof array.shape[0]);
			assert_memory_equal(again.data, array.data, array.count * array.bytes);
			hd_npy_free(&array);
			hd_npy_free(&again);
		}
	}
	unlink(path);
}

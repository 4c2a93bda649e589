/* Objects that are larger than an object may be: refused by the reader, with these words (SECURITY.md). */
#include "../test.h"

#include "object/object.h"

static char *name_of(size_t length)
{
	char *name = hd_xmalloc(length + 1);
	memset(name, 'n', length);
	name[length] = '\0';
	return name;
}

static hd_object *with_names(unsigned kernels, size_t length)
{
	hd_object *object = hd_object_new();
	hd_inst exit = {.op = HD_OP_EXIT, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ};
	object->counters = 6;
	for (unsigned word = 0; word < 8; word++)
		hd_vec_push(&object->code, word ? hd_encode(&exit) : (uint64_t)HD_SS_OPCODE);
	for (unsigned i = 0; i < kernels; i++) {
		char *name = name_of(length); /* kernels have names of their own */
		if (length > 10) {
			snprintf(name, 11, "%010u", i);
			name[10] = 'n';
		}
		hd_vec_push(&object->kernels, (hd_kernel){.name = name, .entry = 1});
	}
	return object;
}

/* Writes the object and reads it. Frees it. `expected` NULL: it is taken. */
static void expect(hd_object *object, const char *expected)
{
	size_t size;
	hd_diag diag = {0};
	unsigned char *bytes = hd_object_write(object, &size);
	hd_object_free(object);
	hd_object *again = hd_object_read(bytes, size, "x.hko", &diag);
	free(bytes);
	if (!expected && !again)
		fail_msg("refused: %s", diag.text.at);
	if (expected && again)
		fail_msg("taken, expected: %s", expected);
	if (expected)
		assert_string_equal(diag.text.at, expected);
	if (again)
		hd_object_free(again);
	hd_diag_free(&diag);
}

TEST(names)
{
	static const char expected[] = "x.hko: error: is damaged: the name of a kernel is too long or lies outside the table of names\n";
	expect(with_names(1, 65535), NULL);
	expect(with_names(1, 65536), expected);
	expect(with_names(1024, 65535), NULL);
	expect(with_names(1025, 65535), expected); /* 64 MiB and 63 KiB */
}

TEST(parameters)
{
	for (uint32_t i = 0; i < 2; i++) {
		hd_object *object = with_names(1, 1);
		object->kernels.at[0].param_bytes = HD_PARAM_BYTES_MAX + i;
		expect(object, i ? "x.hko: error: kernel n has 32765 bytes of parameters, at most 32764 fit\n" : NULL);
	}
}

TEST(code)
{
	hd_object *object = with_names(1, 1);
	for (uint64_t lines = ((UINT64_C(1) << 24) / 8); lines > 0; lines--)
		for (unsigned word = 0; word < 8; word++)
			hd_vec_push(&object->code, object->code.at[word]);
	expect(object, "x.hko: error: has more code or data than a program may have\n");
}

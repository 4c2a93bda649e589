/* Kernel arguments against parameters. */
#include "../test.h"

#include "api/arguments.h"

static hd_param params[8];
static hd_kernel kernel;

static const hd_kernel *of(size_t n)
{
	kernel = (hd_kernel){.name = (char *)"k", .shared_bytes = 20, .params = {params, n, n}};
	for (size_t i = 0; i < n; i++)
		kernel.param_bytes = params[i].offset + params[i].size;
	return &kernel;
}

static const hd_param global = {.name = (char *)"p", .offset = 0, .size = 8, .align = 8, .space = HD_SPACE_GLOBAL, .pointer = 1};
static const hd_param local = {.name = (char *)"l", .offset = 0, .size = 8, .align = 8, .space = HD_SPACE_SHARED, .pointer = 1};
static const hd_param word = {.name = (char *)"n", .offset = 0, .size = 4, .align = 4};
static const hd_param dword = {.name = (char *)"d", .offset = 0, .size = 8, .align = 8};
static const hd_param byte = {.name = (char *)"b", .offset = 0, .size = 1, .align = 1};
static const hd_param structure = {.name = (char *)"s", .offset = 0, .size = 12, .align = 4};

/* The message for one argument of one parameter; NULL when it is taken. The caller frees. */
static char *message(hd_param param, heddle_arg arg)
{
	uint8_t bytes[64];
	uint32_t shared;
	hd_diag diag = {0};
	params[0] = param;
	bool ok = hd_arguments_bind(of(1), &arg, 1, bytes, &shared, &diag);
	assert_int_equal(ok, diag.errors == 0);
	return diag.text.at;
}

static void refused(hd_param param, heddle_arg arg, const char *expected)
{
	char *text = message(param, arg);
	if (!text || !strstr(text, expected))
		fail_msg("expected: %s\nin: %s", expected, text ? text : "(taken)");
	free(text);
}

static void taken(hd_param param, heddle_arg arg)
{
	char *text = message(param, arg);
	if (text)
		fail_msg("%s", text);
}

TEST(values_stand_where_the_parameters_are)
{
	uint8_t bytes[64];
	uint32_t shared;
	hd_diag diag = {0};
	params[0] = word;
	params[1] = global;
	params[1].offset = 8;
	params[2] = byte;
	params[2].offset = 16;
	params[3] = structure;
	params[3].offset = 20;
	heddle_arg args[] = {heddle_i32(-2), heddle_pointer(0x1122334455667788), heddle_u32(0x1ff), heddle_bytes("abcdefghijkl", 12)};
	assert_true(hd_arguments_bind(of(4), args, 4, bytes, &shared, &diag));
	static const uint8_t expected[32] = {0xfe, 0xff, 0xff, 0xff, 0,   0,   0,   0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
	                                     0xff, 0,    0,    0,    'a', 'b', 'c', 'd', 'e',  'f',  'g',  'h',  'i',  'j',  'k',  'l'};
	assert_memory_equal(bytes, expected, sizeof expected);
	assert_int_equal(shared, 0);
}

/* Local arguments follow the static shared memory (20 bytes, so from 32), each aligned to 16. */
TEST(local_memory_is_laid_out)
{
	uint8_t bytes[64];
	uint32_t shared;
	hd_diag diag = {0};
	params[0] = params[1] = params[2] = local;
	params[1].offset = 8;
	params[2].offset = 16;
	heddle_arg args[] = {heddle_local(100), heddle_local(1), heddle_local(16)};
	assert_true(hd_arguments_bind(of(3), args, 3, bytes, &shared, &diag));
	assert_int_equal(bytes[0], 32);
	assert_int_equal(bytes[8], 32 + 112);
	assert_int_equal(bytes[16], 32 + 112 + 16);
	assert_int_equal(shared, 112 + 16 + 16);
	/* Where the object knows more than the size tells. */
	params[1].align = 64;
	assert_true(hd_arguments_bind(of(3), args, 3, bytes, &shared, &diag));
	assert_int_equal(bytes[8], 192);
	assert_int_equal(bytes[16], 192 + 16);
	assert_int_equal(shared, 192 + 16 + 16 - 32);
}

TEST(kinds_must_fit)
{
	taken(word, heddle_f32(1));
	taken(dword, heddle_f64(1));
	taken(dword, heddle_i64(1));
	taken(dword, heddle_pointer(4096)); /* CUDA's pointers look like values */
	taken(dword, heddle_local(4));
	taken(global, heddle_u64(0)); /* a null pointer */
	refused(word, heddle_i64(1), "argument 1 of kernel 'k' is a 64-bit integer, expected a value of 4 bytes for parameter 'n'");
	refused(word, heddle_f64(1), "is a 64-bit float, expected a value of 4 bytes");
	refused(word, heddle_pointer(0), "is a pointer, expected a value of 4 bytes");
	refused(dword, heddle_i32(1), "is a 32-bit integer, expected a value of 8 bytes");
	refused(dword, heddle_f32(1), "is a 32-bit float, expected a value of 8 bytes");
	refused(byte, heddle_f32(1), "is a 32-bit float, expected a value of 1 bytes");
	refused(global, heddle_i32(1), "is a 32-bit integer, expected a pointer for parameter 'p'");
	refused(global, heddle_f64(1), "is a 64-bit float, expected a pointer");
	refused(global, heddle_local(16), "is local memory, expected a pointer");
	refused(local, heddle_pointer(0), "is a pointer, expected a pointer to local memory");
	refused(structure, heddle_bytes("1234", 4), "is a structure, expected a value of 12 bytes");
	refused(structure, heddle_f64(1), "expected a value of 12 bytes");
	refused(local, heddle_local(UINT32_MAX), "more than 16777216");
}

TEST(the_number_must_fit)
{
	uint8_t bytes[64];
	uint32_t shared;
	hd_diag diag = {0};
	heddle_arg args[] = {heddle_i32(1), heddle_i32(2)};
	params[0] = word;
	assert_false(hd_arguments_bind(of(1), args, 2, bytes, &shared, &diag));
	assert_string_equal(diag.text.at, "error: kernel 'k' has 1 parameter, got 2 arguments\n");
	hd_diag_free(&diag);
}

/* SPIR-V's words are checked before a program reads them, and specialization constants are set in them. tests/opencl/spirv.py translates modules. */
#include "../test.h"

#include "front/spirv.h"

#define OP(code, words) ((uint32_t)(words) << 16 | (code))
#define HEAD 0x07230203, 0x00010000, 0, 16, 0
#define MODEL OP(14, 3), 2, 2

static bool reads(const uint32_t *words, size_t n, const char *message)
{
	hd_spirv module;
	hd_diag diag = {0};
	bool ok = hd_spirv_read(&module, words, n * 4, (hd_pos){.file = "m.spv"}, &diag);
	assert_int_equal(ok, diag.errors == 0);
	if (message)
		assert_non_null(strstr(diag.text.at, message));
	hd_spirv_free(&module);
	hd_diag_free(&diag);
	return ok;
}
#define READS(message, ...) reads((const uint32_t[]){__VA_ARGS__}, sizeof(const uint32_t[]){__VA_ARGS__} / 4, message)

TEST(a_module_is_read_in_either_order_of_bytes)
{
	assert_true(READS(NULL, HEAD, MODEL));
	assert_true(READS(NULL, 0x03022307, 0x00000100, 0, 0x10000000, 0, 0x0e000300, 0x02000000, 0x02000000));
	assert_true(READS(NULL, 0x07230203, 0x00010400, 0, 1 << 22, 0, OP(17, 2), 6, MODEL, OP(253, 1)));
}

TEST(what_is_wrong_is_named)
{
	hd_spirv module;
	hd_diag diag = {0};
	assert_false(READS("expected its number", 0x07230203));
	assert_false(READS("expected its number", 0x07230204, 0x00010000, 0, 16, 0, MODEL));
	assert_false(hd_spirv_read(&module, (const uint32_t[]){HEAD, MODEL}, 31, (hd_pos){.file = "m.spv"}, &diag));
	hd_spirv_free(&module);
	assert_false(hd_spirv_read(&module, NULL, 0, (hd_pos){.file = "m.spv"}, &diag));
	hd_spirv_free(&module);
	hd_diag_free(&diag);
	assert_false(READS("version 1.5, expected 1.0 to 1.4", 0x07230203, 0x00010500, 0, 16, 0, MODEL));
	assert_false(READS("version 2.0", 0x07230203, 0x00020000, 0, 16, 0, MODEL));
	assert_false(READS("version 1.0", 0x07230203, 0x00010001, 0, 16, 0, MODEL));
	assert_false(READS("ids up to 0", 0x07230203, 0x00010000, 0, 0, 0, MODEL));
	assert_false(READS("ids up to 4194305", 0x07230203, 0x00010000, 0, (1 << 22) + 1, 0, MODEL));
	assert_false(READS("at word 8 has 0 words, expected 1 to 2", HEAD, MODEL, 17, 6));
	assert_false(READS("at word 8 has 3 words, expected 1 to 2", HEAD, MODEL, OP(17, 3), 6));
	assert_false(READS("expected OpMemoryModel Physical64 OpenCL", HEAD));
	assert_false(READS("expected OpMemoryModel Physical64 OpenCL", HEAD, OP(14, 3), 1, 2));
	assert_false(READS("expected OpMemoryModel Physical64 OpenCL", HEAD, OP(14, 3), 2, 1));
	assert_false(READS("expected OpMemoryModel Physical64 OpenCL", HEAD, OP(14, 2), 2, OP(253, 1)));
}

static const uint32_t constants[] = {
    HEAD,      MODEL, OP(71, 4), 1,  1,  5,                                   /* 8: bool */
    OP(71, 4), 2,     1,         7,                                           /* 12: int */
    OP(71, 4), 3,     1,         7,                                           /* 16: another one of this number */
    OP(71, 4), 4,     1,         9,                                           /* 20: long */
    OP(71, 4), 5,     2,         11,                                          /* 24: no number of a constant */
    OP(71, 4), 6,     1,         12,                                          /* 28: a constant of a structure */
    OP(71, 4), 15,    1,         13,                                          /* 32: nothing has this id */
    OP(71, 4), 7,     1,         14,                                          /* 36: an int of too many words */
    OP(71, 3), 7,     1,                                                      /* 40 */
    OP(20, 2), 8,     OP(21, 4), 9,  32, 0, OP(22, 3), 10, 64, OP(30, 2), 11, /* 43: bool, int, double, a structure */
    OP(49, 3), 8,     1,                                                      /* 54 */
    OP(50, 4), 9,     2,         70,                                          /* 57 */
    OP(50, 4), 9,     3,         71,                                          /* 61 */
    OP(50, 5), 10,    4,         0,  0,                                       /* 65 */
    OP(50, 4), 11,    6,         0,                                           /* 70 */
    OP(50, 5), 9,     7,         0,  0,                                       /* 74 */
};

TEST(constants_have_sizes_and_take_values)
{
	static const size_t sizes[16] = {[5] = 1, [7] = 4, [9] = 8};
	hd_spirv module;
	hd_diag diag = {0};
	assert_true(hd_spirv_read(&module, constants, sizeof constants, (hd_pos){.file = "m.spv"}, &diag));
	for (uint32_t id = 0; id < 16; id++)
		assert_int_equal(hd_spirv_constant_size(&module, id), sizes[id]);
	hd_spirv_specialize(&module, 5, &(uint8_t){2});
	assert_int_equal(module.words.at[54], OP(48, 3));
	hd_spirv_specialize(&module, 5, &(uint8_t){0});
	assert_int_equal(module.words.at[54], OP(49, 3));
	hd_spirv_specialize(&module, 7, &(uint32_t){1234});
	assert_int_equal(module.words.at[60], 1234);
	assert_int_equal(module.words.at[64], 1234);
	hd_spirv_specialize(&module, 9, &(uint64_t){0x123456789abcdef0});
	assert_int_equal(module.words.at[68], 0x9abcdef0);
	assert_int_equal(module.words.at[69], 0x12345678);
	hd_spirv_specialize(&module, 11, &(uint64_t){0});
	assert_memory_equal(module.words.at + 70, constants + 70, sizeof constants - 70 * 4);
	assert_memory_equal(module.words.at, constants, 54 * 4);
	hd_spirv_free(&module);
	hd_diag_free(&diag);
}

/* The value has the size of the first: no more is read. */
TEST(a_number_is_of_one_size)
{
	static const uint32_t words[] = {HEAD,      MODEL, OP(71, 4), 1, 1,         5, OP(71, 4), 2,  1,         5,  OP(21, 4), 9,  32, 0,
	                                 OP(21, 4), 10,    64,        0, OP(50, 4), 9, 1,         70, OP(50, 5), 10, 2,         71, 72};
	hd_spirv module;
	hd_diag diag = {0};
	assert_true(hd_spirv_read(&module, words, sizeof words, (hd_pos){.file = "m.spv"}, &diag));
	assert_int_equal(hd_spirv_constant_size(&module, 5), 4);
	hd_spirv_specialize(&module, 5, &(uint32_t){1234});
	assert_int_equal(module.words.at[27], 1234);
	assert_memory_equal(module.words.at + 28, words + 28, sizeof words - 28 * 4);
	hd_spirv_free(&module);
	hd_diag_free(&diag);
}

TEST(a_missing_translator_is_named)
{
	hd_spirv module;
	hd_diag diag = {0};
	assert_true(hd_spirv_read(&module, constants, sizeof constants, (hd_pos){.file = "m.spv"}, &diag));
	setenv("HEDDLE_LLVM_SPIRV", "/nowhere/llvm-spirv", 1);
	assert_false(hd_spirv_available());
	assert_null(hd_spirv_translate(&module, "m.spv", &diag));
	assert_non_null(strstr(diag.text.at, "llvm-spirv-14"));
	hd_diag_free(&diag);
	diag = (hd_diag){0};
	/* Programs that fail, and write nothing. */
	setenv("HEDDLE_LLVM_SPIRV", "/bin/false", 1);
	assert_null(hd_spirv_translate(&module, "m.spv", &diag));
	assert_non_null(strstr(diag.text.at, "it wrote no message"));
	hd_diag_free(&diag);
	hd_spirv_free(&module);
	unsetenv("HEDDLE_LLVM_SPIRV");
}

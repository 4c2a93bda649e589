/* Whether clang runs with libclc: the guess from the source, and what the PTX lacks. */
#include "front/libclc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_likely(void **state)
{
	static const char *const likely[] = {"x = sqrt(y);", "barrier (CLK_LOCAL_MEM_FENCE)", "float4 v = convert_float4(i);", "a=max(b,c)",
	                                     "atomic_inc\t(p)"};
	static const char *const unlikely[] = {"",           "x = y;",   "max = 3; // sqrt of x", "kernel void f(global int *max)",
	                                       "my_sqrt(x)", "sqrt2(x)", "get_global_id(0)"};
	for (size_t i = 0; i < sizeof likely / sizeof likely[0]; i++)
		assert_true(hd_libclc_likely(likely[i], strlen(likely[i])));
	for (size_t i = 0; i < sizeof unlikely / sizeof unlikely[0]; i++)
		assert_false(hd_libclc_likely(unlikely[i], strlen(unlikely[i])));
	/* Nothing beyond the size is read. */
	assert_false(hd_libclc_likely("sqrt(x)", 4));
	assert_true(hd_libclc_likely("sqrt(x)", 5));
}

static void test_half(void **state)
{
	static const char text[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable", header[] = "  #include <half.h>";
	assert_true(hd_half_likely(text, strlen(text)));
	assert_true(hd_half_likely(header, strlen(header)));
	assert_false(hd_half_likely(text, strlen(text) - strlen("6 : enable")));
	assert_false(hd_half_likely("vload_half(0, p); cl_khr_fp64 ##cl_khr_fp1", 41));
	assert_false(hd_half_likely("", 0));
}

#define BODY "f(\n\t.param .b32 p0\n)\n{\n\tret;\n}\n"
#define RESULT ".func  (.param .b32 func_retval0) "

static void test_missing(void **state)
{
	assert_false(hd_libclc_missing(""));
	assert_false(hd_libclc_missing(".entry k(\n)\n{\n\tret;\n}\n"));
	assert_false(hd_libclc_missing(RESULT BODY));
	assert_true(hd_libclc_missing(RESULT "_Z4sqrtf\n(\n\t.param .b32 p0\n)\n;\n.entry k(\n)\n{\n\tret;\n}\n"));
	assert_true(hd_libclc_missing(".extern .func _Z7barrierj(\n\t.param .b32 p\n)\n;\n"));
	/* Declared first, defined later. */
	assert_false(hd_libclc_missing(RESULT "f\n(\n\t.param .b32 p0\n)\n;\n.entry k(\n)\n{\n\tret;\n}\n" RESULT BODY));
	/* Another one is defined. */
	assert_true(hd_libclc_missing(RESULT "ff\n(\n\t.param .b32 p0\n)\n;\n" RESULT BODY));
	/* Operations of the machine are never defined. */
	assert_false(hd_libclc_missing(RESULT "__heddle_dp2\n(\n\t.param .b32 p0\n)\n;\n"));
	assert_false(hd_libclc_missing(RESULT "printf\n(\n\t.param .b64 p0\n)\n;\n"));
	assert_true(hd_libclc_missing(RESULT "vprintf\n(\n\t.param .b64 p0\n)\n;\n"));
	/* Cut off anywhere. */
	static const char text[] = RESULT "f\n(\n\t.param .b32 p0\n)\n;\n";
	char part[sizeof text];
	for (size_t n = 0; n < sizeof text; n++) {
		for (size_t i = 0; i < n; i++)
			part[i] = text[i];
		part[n] = '\0';
		hd_libclc_missing(part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_likely), cmocka_unit_test(test_half), cmocka_unit_test(test_missing)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

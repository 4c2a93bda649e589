/* The library functions that a source needs: the guess from its words, and what the PTX lacks. */
#include "front/source_traits.h"

#include <string.h>

#include "../test.h"

static hd_source_traits of(const char *text) { return hd_source_traits_of(text, strlen(text)); }

TEST(test_library)
{
	static const struct {
		const char *text;
		hd_library_level level;
	} cases[] = {{"", HD_LIBRARY_CORE},
	             {"x = y; get_global_id(0)", HD_LIBRARY_CORE},
	             {"max = 3; // sqrt of x", HD_LIBRARY_CORE},
	             {"kernel void f(global int *max)", HD_LIBRARY_CORE},
	             {"my_sqrt(x) sqrt2(x) sqrtx(y) sqr(z) dots(a) nans(b)", HD_LIBRARY_CORE},
	             {"float4 v = (float4)(x);", HD_LIBRARY_CORE},
	             {"native_sin(x)", HD_LIBRARY_OURS},
	             {"float4 v; float d = dot(v, v);", HD_LIBRARY_OURS},
	             {"nan(0)", HD_LIBRARY_OURS},
	             {"x = sqrt(y);", HD_LIBRARY_SCALARS},
	             {"sqrt(x) + native_exp(y)", HD_LIBRARY_SCALARS},
	             {"native_exp(y) + sqrt(x)", HD_LIBRARY_SCALARS},
	             {"barrier (CLK_LOCAL_MEM_FENCE); mem_fence(f); read_mem_fence(f); write_mem_fence(f)", HD_LIBRARY_CORE},
	             {"a=max(b,c)", HD_LIBRARY_SCALARS},
	             {"atomic_inc\t(p)", HD_LIBRARY_SCALARS},
	             {"vload4(0, p)", HD_LIBRARY_SCALARS},
	             {"float5 x; int40 y; float z4; float2x w; Float4 v; 4 sqrt(x)", HD_LIBRARY_SCALARS},
	             {"sqrt(x); float16 y;", HD_LIBRARY_ALL},
	             {"uchar2 v; max(a, b)", HD_LIBRARY_ALL},
	             {"convert_float(i)", HD_LIBRARY_ALL},
	             {"convert_int_sat(x) + sqrt(y)", HD_LIBRARY_ALL},
	             {"sqrt(y) + convert_int_sat(x)", HD_LIBRARY_ALL}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (of(cases[i].text).library != cases[i].level)
			fail_msg("%s: level %d, expected %d", cases[i].text, (int)of(cases[i].text).library, (int)cases[i].level);
	}
	/* Nothing beyond the size is read. */
	assert_int_equal(hd_source_traits_of("sqrt(x)", 4).library, HD_LIBRARY_CORE);
	assert_int_equal(hd_source_traits_of("sqrt(x)", 5).library, HD_LIBRARY_SCALARS);
}

TEST(test_opencl3)
{
	static const char *const calls[] = {"sub_group_reduce_add(x)", "get_global_linear_id()", "atomic_fetch_add(p, 1)", "to_global(p)",
	                                    "work_group_all (x)"};
	static const char *const none[] = {"get_global_id(0)", "atomic_add(p, 1)", "ctz", "sub_group", "atomic_fetch", "get_fences()"};
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		assert_true(of(calls[i]).opencl3);
		assert_int_equal(of(calls[i]).library, HD_LIBRARY_CORE);
	}
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		assert_false(of(none[i]).opencl3);
	assert_true(of("ctz(x)").opencl3);
	assert_int_equal(of("ctz(x)").library, HD_LIBRARY_SCALARS);
	assert_true(of("work_group_barrier(f)").opencl3);
	assert_int_equal(of("work_group_barrier(f)").library, HD_LIBRARY_CORE);
}

TEST(test_half)
{
	static const char text[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable", header[] = "  #include <half.h>";
	assert_true(of(text).half);
	assert_true(of(header).half);
	assert_false(hd_source_traits_of(text, strlen(text) - strlen("6 : enable")).half);
	assert_false(hd_source_traits_of("atomic_compare_exchange_weak(p, 0, 1); cl_khr_fp64 ##cl_khr_fp1", 41).half);
	assert_false(of("").half);
}

#define BODY "f(\n\t.param .b32 p0\n)\n{\n\tret;\n}\n"
#define RESULT ".func  (.param .b32 func_retval0) "

TEST(test_missing)
{
	assert_false(hd_ptx_lacks_functions(""));
	assert_false(hd_ptx_lacks_functions(".entry k(\n)\n{\n\tret;\n}\n"));
	assert_false(hd_ptx_lacks_functions(RESULT BODY));
	assert_true(hd_ptx_lacks_functions(RESULT "_Z4sqrtf\n(\n\t.param .b32 p0\n)\n;\n.entry k(\n)\n{\n\tret;\n}\n"));
	assert_true(hd_ptx_lacks_functions(".extern .func _Z7barrierj(\n\t.param .b32 p\n)\n;\n"));
	/* Declared first, defined later. */
	assert_false(hd_ptx_lacks_functions(RESULT "f\n(\n\t.param .b32 p0\n)\n;\n.entry k(\n)\n{\n\tret;\n}\n" RESULT BODY));
	/* Another one is defined. */
	assert_true(hd_ptx_lacks_functions(RESULT "ff\n(\n\t.param .b32 p0\n)\n;\n" RESULT BODY));
	/* Operations of the machine are never defined. */
	assert_false(hd_ptx_lacks_functions(RESULT "__heddle_dp2\n(\n\t.param .b32 p0\n)\n;\n"));
	assert_false(hd_ptx_lacks_functions(RESULT "printf\n(\n\t.param .b64 p0\n)\n;\n"));
	/* Nor are those that the reader of PTX adds. */
	assert_false(hd_ptx_lacks_functions(RESULT "vprintf\n(\n\t.param .b64 p0\n)\n;\n.extern .func free\n(\n\t.param .b64 p0\n)\n;\n"));
	assert_true(hd_ptx_lacks_functions(RESULT "vprintff\n(\n\t.param .b64 p0\n)\n;\n"));
	/* Cut off anywhere. */
	static const char text[] = RESULT "f\n(\n\t.param .b32 p0\n)\n;\n";
	char part[sizeof text];
	for (size_t n = 0; n < sizeof text; n++) {
		for (size_t i = 0; i < n; i++)
			part[i] = text[i];
		part[n] = '\0';
		hd_ptx_lacks_functions(part);
	}
}

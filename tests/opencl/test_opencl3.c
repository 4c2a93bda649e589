/* OpenCL C 3.0: the functions that it has beyond 1.2, on global and on local memory; and vload_half and vstore_half, which need no half arithmetic.
 */
#include "rig.h"

static const char text[] =
    "#define W memory_order_relaxed, memory_scope_work_group\n"
    "kernel void ids(global uint *p)\n"
    "{\n"
    "	size_t i = get_global_linear_id();\n"
    "	p[3 * i] = get_local_linear_id();\n"
    "	p[3 * i + 1] = get_enqueued_local_size(0) * 100 + get_enqueued_local_size(1) * 10 + get_enqueued_local_size(2);\n"
    "	p[3 * i + 2] = get_group_id(1) * 1000 + get_local_id(1) * 100 + get_local_id(0);\n"
    "}\n"
    "#define ALL(A, T, object, out) { \\\n"
    "	if (get_local_id(0) == 0) atomic_init(object, (T)5); \\\n"
    "	work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_work_group); \\\n"
    "	atomic_fetch_add_explicit(object, (T)get_local_id(0), W); \\\n"
    "	work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \\\n"
    "	if (get_local_id(0) == 0) { \\\n"
    "		T expected = 1; \\\n"
    "		out[0] = atomic_load_explicit(object, W); \\\n"
    "		out[1] = atomic_fetch_sub_explicit(object, (T)1, W); \\\n"
    "		out[2] = atomic_fetch_or_explicit(object, (T)3, W); \\\n"
    "		out[3] = atomic_fetch_xor_explicit(object, (T)9, W); \\\n"
    "		out[4] = atomic_fetch_and_explicit(object, (T)0xff, W); \\\n"
    "		out[5] = atomic_fetch_min_explicit(object, (T)100, W); \\\n"
    "		out[6] = atomic_fetch_max_explicit(object, (T)200, W); \\\n"
    "		out[7] = atomic_compare_exchange_strong_explicit(object, &expected, (T)1, memory_order_relaxed, W); \\\n"
    "		out[8] = expected; \\\n"
    "		out[9] = atomic_compare_exchange_weak_explicit(object, &expected, (T)77, memory_order_relaxed, W); \\\n"
    "		out[10] = atomic_exchange_explicit(object, (T)8, W); \\\n"
    "		atomic_store_explicit(object, (T)9, W); \\\n"
    "		out[11] = atomic_load_explicit(object, W); \\\n"
    "	} }\n"
    "kernel void atomics(global atomic_int *gi, global atomic_ulong *gl, global ulong *out)\n"
    "{\n"
    "	local atomic_uint li; local atomic_long ll; local atomic_float lf; local atomic_flag flag;\n"
    "	ALL(atomic_int, int, gi, out)\n"
    "	ALL(atomic_ulong, ulong, gl, (out + 12))\n"
    "	ALL(atomic_uint, uint, &li, (out + 24))\n"
    "	ALL(atomic_long, long, &ll, (out + 36))\n"
    "	if (get_local_id(0) == 0) {\n"
    "		float e = 1.5f;\n"
    "		atomic_init(&lf, 1.5f);\n"
    "		out[48] = atomic_compare_exchange_strong_explicit(&lf, &e, 2.5f, memory_order_relaxed, W);\n"
    "		out[49] = (ulong)(10 * atomic_exchange_explicit(&lf, 3.5f, W));\n"
    "		out[50] = (ulong)(10 * atomic_load_explicit(&lf, W));\n"
    "		atomic_flag_clear_explicit(&flag, W);\n"
    "		out[51] = atomic_flag_test_and_set_explicit(&flag, W);\n"
    "		out[52] = atomic_flag_test_and_set_explicit(&flag, W);\n"
    "		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);\n"
    "		out[53] = ctz((uint)out[6]) + 100 * ctz(0) + 10000 * (ulong)ctz((uchar4)(1, 2, 0, 128)).z;\n"
    "	}\n"
    "}\n"
    "#define MIXED(A, T, V, object, out) { \\\n"
    "	atomic_init(object, (T)100); \\\n"
    "	out[0] = atomic_fetch_or_explicit(object, (V)7, W); \\\n"
    "	out[1] = atomic_fetch_xor_explicit(object, (V)-1, W); \\\n"
    "	out[2] = atomic_fetch_and_explicit(object, (V)-256, W); \\\n"
    "	out[3] = atomic_fetch_min_explicit(object, (V)5, W); \\\n"
    "	out[4] = atomic_fetch_min_explicit(object, (V)-9, W); \\\n"
    "	out[5] = atomic_load_explicit(object, W); }\n"
    "#define DIFFERENCES(object, out) { \\\n"
    "	atomic_init(object, (uintptr_t)100); \\\n"
    "	out[0] = atomic_fetch_add_explicit(object, (ptrdiff_t)-1, W); \\\n"
    "	out[1] = atomic_fetch_sub_explicit(object, (ptrdiff_t)-3, W); \\\n"
    "	out[2] = atomic_load_explicit(object, W); }\n"
    "kernel void pointers(global atomic_uintptr_t *u, global atomic_intptr_t *s, global ulong *out)\n"
    "{\n"
    "	local atomic_uintptr_t lu; local atomic_intptr_t ls;\n"
    "	MIXED(atomic_uintptr_t, uintptr_t, intptr_t, u, out)\n"
    "	MIXED(atomic_uintptr_t, uintptr_t, intptr_t, &lu, (out + 6))\n"
    "	MIXED(atomic_intptr_t, intptr_t, uintptr_t, s, (out + 12))\n"
    "	MIXED(atomic_intptr_t, intptr_t, uintptr_t, &ls, (out + 18))\n"
    "	DIFFERENCES(u, (out + 24))\n"
    "	DIFFERENCES(&lu, (out + 27))\n"
    "}\n"
    "kernel void halves(global half *h, global float *f)\n"
    "{\n"
    "	size_t i = get_global_id(0);\n"
    "	float x = f[i];\n"
    "	vstore_half(x, 5 * i, h); vstore_half_rtz(x, 5 * i + 1, h); vstore_half_rtp(x, 5 * i + 2, h); vstore_half_rtn(x, 5 * i + 3, h);\n"
    "	vstore_half_rte((double)x, 5 * i + 4, h);\n"
    "	f[i + 8] = vload_half(5 * i, h);\n"
    "}\n";

static void test_ids(rig *r, cl_program program)
{
	uint32_t got[48 * 3];
	cl_mem mem = rig_buffer(r, sizeof got, NULL);
	cl_kernel kernel = rig_kernel(program, "ids");
	const size_t offset[2] = {5, 9}, global[2] = {8, 6}, local[2] = {4, 3};
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 2, offset, global, local, 0, NULL, NULL), CL_SUCCESS);
	rig_read(r, mem, got, sizeof got);
	for (uint32_t y = 0; y < 6; y++) {
		for (uint32_t x = 0; x < 8; x++) {
			const uint32_t *at = got + 3 * (y * 8 + x);
			assert_int_equal(at[0], y % 3 * 4 + x % 4);
			assert_int_equal(at[1], 431);
			assert_int_equal(at[2], y / 3 * 1000 + y % 3 * 100 + x % 4);
		}
	}
	clReleaseKernel(kernel);
	clReleaseMemObject(mem);
}

static void test_atomics(rig *r, cl_program program)
{
	cl_ulong got[54], value = 5;
	cl_mem gi = rig_buffer(r, 4, NULL), gl = rig_buffer(r, 8, NULL), out = rig_buffer(r, sizeof got, NULL), all[] = {gi, gl, out};
	cl_kernel kernel = rig_kernel(program, "atomics");
	const size_t items = 64;
	for (cl_uint i = 0; i < 3; i++)
		clSetKernelArg(kernel, i, sizeof(cl_mem), &all[i]);
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL), CL_SUCCESS);
	rig_read(r, out, got, sizeof got);
	value += 63 * 64 / 2;
	for (int block = 0; block < 4; block++) {
		const cl_ulong *at = got + 12 * block, sum = value, low = (((sum - 1) | 3) ^ 9) & 0xff, least = low < 100 ? low : 100;
		const cl_ulong expected[] = {sum, sum, sum - 1, (sum - 1) | 3, ((sum - 1) | 3) ^ 9, low, least, 0, 200, 1, 77, 9};
		for (int i = 0; i < 12; i++)
			if (at[i] != expected[i])
				fail_msg("atomics, block %d, number %d: %llu, expected %llu", block, i, (unsigned long long)at[i],
				         (unsigned long long)expected[i]);
	}
	const cl_ulong rest[] = {1, 25, 35, 0, 1, (cl_ulong)__builtin_ctz((unsigned)got[6]) + 100 * 32 + 10000 * 8};
	assert_memory_equal(got + 48, rest, sizeof rest);
	clReleaseKernel(kernel);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(all[i]);
}

/* Atomics on pointers as integers, whose operands have the other signedness. */
static void test_pointers(rig *r, cl_program program)
{
	cl_ulong got[30];
	cl_mem u = rig_buffer(r, 8, NULL), s = rig_buffer(r, 8, NULL), out = rig_buffer(r, sizeof got, NULL), all[] = {u, s, out};
	cl_kernel kernel = rig_kernel(program, "pointers");
	const size_t one = 1;
	for (cl_uint i = 0; i < 3; i++)
		clSetKernelArg(kernel, i, sizeof(cl_mem), &all[i]);
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), CL_SUCCESS);
	rig_read(r, out, got, sizeof got);
	for (int i = 0; i < 4; i++) {
		const cl_ulong *at = got + 6 * i, minus[2] = {~(cl_ulong)103, (cl_ulong)-256};
		/* 5 is the smaller one of unsigned numbers, -256 and -9 of signed ones. */
		const cl_ulong expected[] = {100, 103, minus[0], minus[1], i < 2 ? 5 : minus[1], i < 2 ? 5 : minus[1]};
		assert_memory_equal(at, expected, sizeof expected);
	}
	for (int i = 0; i < 2; i++) {
		const cl_ulong expected[] = {100, 99, 102};
		assert_memory_equal(got + 24 + 3 * i, expected, sizeof expected);
	}
	clReleaseKernel(kernel);
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(all[i]);
}

static void test_halves(rig *r, cl_program program)
{
	/* 1 + 2^-11 lies in the middle of two halves, 65519 just below what rounds to infinity, 2^-25 below the smallest by half. */
	float values[16] = {1.5f, 1.00048828125f, 1.0009f, -1.0009f, 65519.0f, 65520.0f, 0x1p-25f, -0x1.8p-25f};
	static const uint16_t expected[8][5] = {{0x3e00, 0x3e00, 0x3e00, 0x3e00, 0x3e00}, {0x3c00, 0x3c00, 0x3c01, 0x3c00, 0x3c00},
	                                        {0x3c01, 0x3c00, 0x3c01, 0x3c00, 0x3c01}, {0xbc01, 0xbc00, 0xbc00, 0xbc01, 0xbc01},
	                                        {0x7bff, 0x7bff, 0x7c00, 0x7bff, 0x7bff}, {0x7c00, 0x7bff, 0x7c00, 0x7bff, 0x7c00},
	                                        {0x0000, 0x0000, 0x0001, 0x0000, 0x0000}, {0x8001, 0x8000, 0x8000, 0x8001, 0x8001}};
	uint16_t got[40];
	float back[16];
	cl_mem h = rig_buffer(r, sizeof got, NULL), f = rig_buffer(r, sizeof values, values);
	cl_kernel kernel = rig_kernel(program, "halves");
	const size_t items = 8;
	clSetKernelArg(kernel, 0, sizeof h, &h);
	clSetKernelArg(kernel, 1, sizeof f, &f);
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(r, h, got, sizeof got);
	rig_read(r, f, back, sizeof back);
	for (int i = 0; i < 8; i++)
		for (int mode = 0; mode < 5; mode++)
			if (got[5 * i + mode] != expected[i][mode])
				fail_msg("%a, mode %d: %04x, expected %04x", (double)values[i], mode, got[5 * i + mode], expected[i][mode]);
	assert_true(back[8] == 1.5f && back[9] == 1.0f && back[12] == 65504.0f && back[15] == -0x1p-24f);
	clReleaseKernel(kernel);
	clReleaseMemObject(h);
	clReleaseMemObject(f);
}

TEST(test_all)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-std=CL3.0");
	test_ids(&r, program);
	test_atomics(&r, program);
	test_pointers(&r, program);
	test_halves(&r, program);
	clReleaseProgram(program);
	rig_close(&r);
}

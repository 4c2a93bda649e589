/* The generic address space, program-scope variables, and atomics of every order, on the device's scope (OpenCL C 3.0 features; 2.0 has them, too).
 */
#include "rig.h"

static const char text[] =
    "global int counter = 5;\n"
    "global atomic_int total;\n"
    "global int *global link = &counter;\n"
    "global struct { int a; float b[3]; } table = {7, {0.5f, 1.5f, 2.5f}};\n"
    "static global int hidden = 2;\n"
    "void add(int *p, int n) { *p += n; }\n"
    "float part(float x, float *whole) { return fract(x, whole); }\n"
    "kernel void variables(global int *out)\n"
    "{\n"
    "	static global int launches = 40;\n"
    "	out[0] = counter++; out[1] = ++*link; out[2] = (int)(table.b[1] * 10) + table.a++; out[3] = hidden--; out[4] = ++launches;\n"
    "	out[5] = atomic_fetch_add(&total, 3); out[6] = to_global((int *)link) == &counter;\n"
    "}\n"
    "kernel void pointers(global int *out, global float *f, local int *l)\n"
    "{\n"
    "	int item = get_local_id(0), mine = 10 * item;\n"
    "	int *p = item % 3 == 0 ? &mine : item % 3 == 1 ? (int *)&l[item] : (int *)&out[item];\n"
    "	l[item] = 1000 + item; out[item] = 2000 + item;\n"
    "	add(p, 5);\n"
    "	global int *o = out + 64 + 8 * item;\n"
    "	o[0] = *p; o[1] = to_private(p) != 0; o[2] = to_local(p) != 0; o[3] = to_global(p) != 0;\n"
    "	o[4] = get_fence(p) == (item % 3 == 1 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);\n"
    "	float whole, fractions = part(item + 0.25f, item % 2 ? (float *)&whole : (float *)&f[item]);\n"
    "	o[5] = (int)(100 * fractions) + (int)(item % 2 ? whole : f[item]);\n"
    "	float4 v = (float4)(item, 1, 2, 3);\n"
    "	float *q = item % 2 ? f + 64 + 4 * item : (float *)(l + 64 + 4 * item);\n"
    "	vstore4(v, 0, q); o[6] = (int)dot(vload4(0, q), (float4)(1));\n"
    "	vstore_half(1.5f, 2, (half *)q); o[7] = (int)(10 * vload_half(2, (const half *)q));\n"
    "}\n"
    "#define EACH(T, object, o) { \\\n"
    "	atomic_store(object, (T)5); o[0] = atomic_fetch_add(object, (T)3); o[1] = atomic_fetch_sub_explicit(object, (T)1, memory_order_acq_rel); \\\n"
    "	o[2] = atomic_fetch_or(object, (T)8); o[3] = atomic_fetch_xor_explicit(object, (T)1, memory_order_release, memory_scope_device); \\\n"
    "	o[4] = atomic_fetch_and(object, (T)12); o[5] = atomic_fetch_min(object, (T)9); o[6] = atomic_fetch_max_explicit(object, (T)30, "
    "memory_order_acquire); \\\n"
    "	o[7] = atomic_exchange(object, (T)17); o[8] = atomic_compare_exchange_strong(object, &expected, (T)18); o[9] = expected; \\\n"
    "	o[10] = atomic_compare_exchange_weak_explicit(object, &expected, (T)19, memory_order_seq_cst, memory_order_acquire); \\\n"
    "	atomic_store_explicit(object, (T)(atomic_load(object) + 1), memory_order_release); o[11] = atomic_load_explicit(object, "
    "memory_order_acquire); }\n"
    "#define TYPE(A, T, g, l, o) { T expected = 1; A *p = get_group_id(0) ? (A *)g : (A *)l; EACH(T, g, o) expected = 1; EACH(T, l, (o + 12)) \\\n"
    "	expected = 1; EACH(T, p, (o + 24)) }\n"
    "kernel void atomics(global atomic_int *i, global atomic_uint *u, global atomic_long *l, global atomic_ulong *ul, global atomic_float *f, global "
    "long *out)\n"
    "{\n"
    "	global long *o = out + 160 * get_group_id(0);\n"
    "	i += get_group_id(0); u += get_group_id(0); l += get_group_id(0); ul += get_group_id(0); f += get_group_id(0);\n"
    "	local atomic_int li; local atomic_uint lu; local atomic_long ll; local atomic_ulong lul;\n"
    "	TYPE(atomic_int, int, i, &li, o) TYPE(atomic_uint, uint, u, &lu, (o + 36))\n"
    "	TYPE(atomic_long, long, l, &ll, (o + 72)) TYPE(atomic_ulong, ulong, ul, &lul, (o + 108))\n"
    "	local atomic_flag flag; atomic_flag *pf = &flag; atomic_float *pa = f; float was = 2.5f;\n"
    "	atomic_flag_clear(&flag); o[144] = atomic_flag_test_and_set(pf); o[145] = atomic_flag_test_and_set(&flag); atomic_flag_clear(pf);\n"
    "	o[146] = atomic_flag_test_and_set_explicit(pf, memory_order_acquire);\n"
    "	atomic_store(pa, 2.5f); o[147] = atomic_compare_exchange_strong(pa, &was, 4.5f); o[148] = (long)(10 * atomic_exchange(pa, 1.0f));\n"
    "	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n"
    "}\n"
    /* One work-group writes data and then a flag; the others wait for the flag. */
    "kernel void message(global int *data, global atomic_int *flag, global int *seen)\n"
    "{\n"
    "	if (get_group_id(0) == 0) { data[get_local_id(0)] = 100 + get_local_id(0); work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n"
    "		if (get_local_id(0) == 0) atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device); }\n"
    "	else { if (get_local_id(0) == 0) while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) ;\n"
    "		work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device); seen[get_global_id(0)] = data[get_local_id(0)]; }\n"
    "}\n";

static void launch(rig *r, cl_kernel kernel, size_t global, size_t local)
{
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_SUCCESS);
}

/* Variables keep their values from launch to launch, for all kernels of the program; another build of the text has its own. */
static void test_variables(rig *r, cl_program program, const char *options)
{
	cl_int got[7];
	size_t bytes = 0;
	cl_mem out = rig_buffer(r, sizeof got, NULL);
	cl_program other = rig_build(r, text, options);
	cl_kernel kernel = rig_kernel(program, "variables"), again = rig_kernel(other, "variables");
	static const cl_int expected[3][7] = {{5, 7, 22, 2, 41, 0, 1}, {7, 9, 23, 1, 42, 3, 1}, {5, 7, 22, 2, 41, 0, 1} /* of the other program */};
	clSetKernelArg(kernel, 0, sizeof out, &out);
	clSetKernelArg(again, 0, sizeof out, &out);
	for (int i = 0; i < 3; i++) {
		launch(r, i == 2 ? again : kernel, 1, 1);
		rig_read(r, out, got, sizeof got);
		for (int k = 0; k < 7; k++)
			if (got[k] != expected[i][k])
				fail_msg("variables, launch %d, answer %d: %d, expected %d", i, k, got[k], expected[i][k]);
	}
	assert_int_equal(clGetProgramBuildInfo(program, r->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes, NULL),
	                 CL_SUCCESS);
	assert_in_range(bytes, 4 + 4 + 8 + 16 + 4 + 4, 256);
	clReleaseKernel(kernel);
	clReleaseKernel(again);
	clReleaseProgram(other);
	clReleaseMemObject(out);
}

static void test_pointers(rig *r, cl_program program)
{
	static cl_int got[64 + 64 * 8];
	cl_mem out = rig_buffer(r, sizeof got, NULL), f = rig_buffer(r, 4 * (64 + 256), NULL);
	cl_kernel kernel = rig_kernel(program, "pointers");
	clSetKernelArg(kernel, 0, sizeof out, &out);
	clSetKernelArg(kernel, 1, sizeof f, &f);
	clSetKernelArg(kernel, 2, 4 * (64 + 256), NULL);
	launch(r, kernel, 48, 48);
	rig_read(r, out, got, sizeof got);
	for (int i = 0; i < 48; i++) {
		const cl_int expected[8] = {
		    i % 3 == 0 ? 10 * i + 5 : 1000 * (i % 3) + i + 5, i % 3 == 0, i % 3 == 1, i % 3 == 2, 1, 25 + i, i + 6, 15};
		for (int k = 0; k < 8; k++)
			if (got[64 + 8 * i + k] != expected[k])
				fail_msg("pointers, item %d, answer %d: %d, expected %d", i, k, got[64 + 8 * i + k], expected[k]);
	}
	clReleaseKernel(kernel);
	clReleaseMemObject(out);
	clReleaseMemObject(f);
}

static void test_atomics(rig *r, cl_program program)
{
	static cl_long got[320];
	static const cl_long each[12] = {5, 8, 7, 15, 14, 12, 9, 30, 0, 17, 1, 20}, rest[5] = {0, 1, 0, 1, 45};
	cl_mem all[6];
	cl_kernel kernel = rig_kernel(program, "atomics");
	for (cl_uint i = 0; i < 6; i++) {
		all[i] = rig_buffer(r, i == 5 ? sizeof got : 16, NULL);
		clSetKernelArg(kernel, i, sizeof all[i], &all[i]);
	}
	launch(r, kernel, 2, 1);
	rig_read(r, all[5], got, sizeof got);
	for (int group = 0; group < 2; group++) {
		for (int i = 0; i < 144; i++)
			if (got[160 * group + i] != each[i % 12])
				fail_msg("atomics, group %d, block %d, answer %d: %lld, expected %lld", group, i / 12, i % 12,
				         (long long)got[160 * group + i], (long long)each[i % 12]);
		assert_memory_equal(got + 160 * group + 144, rest, sizeof rest);
	}
	clReleaseKernel(kernel);
	for (int i = 0; i < 6; i++)
		clReleaseMemObject(all[i]);
}

static void test_message(rig *r, cl_program program)
{
	enum { GROUPS = 4, ITEMS = 64 };
	cl_int zero = 0, got[GROUPS * ITEMS];
	cl_mem data = rig_buffer(r, 4 * ITEMS, NULL), flag = rig_buffer(r, 4, &zero), seen = rig_buffer(r, sizeof got, NULL);
	cl_kernel kernel = rig_kernel(program, "message");
	clSetKernelArg(kernel, 0, sizeof data, &data);
	clSetKernelArg(kernel, 1, sizeof flag, &flag);
	clSetKernelArg(kernel, 2, sizeof seen, &seen);
	launch(r, kernel, (size_t)GROUPS * ITEMS, ITEMS);
	rig_read(r, seen, got, sizeof got);
	for (int i = ITEMS; i < GROUPS * ITEMS; i++)
		assert_int_equal(got[i], 100 + i % ITEMS);
	clReleaseKernel(kernel);
	clReleaseMemObject(data);
	clReleaseMemObject(flag);
	clReleaseMemObject(seen);
}

static void test_all(const char *options)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, options);
	test_variables(&r, program, options);
	test_pointers(&r, program);
	test_atomics(&r, program);
	test_message(&r, program);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Each kernel asks about the first byte of its local memory, whose address is 0 where nobody asks. */
TEST(test_the_first_local_byte)
{
	static const char asks[] = "kernel void own(global int *out) { local int l[2]; int *p = out[9] ? (int *)out : (int *)l; *p = 4;\n"
	                           "	out[0] = to_local(p) != 0; out[1] = to_global(p) != 0; out[2] = to_local(p) == l; out[3] = *to_local(p); }\n"
	                           "kernel void given(global int *out, local int *l) { int *p = out[9] ? (int *)out : (int *)l; *p = 4;\n"
	                           "	out[0] = to_local(p) != 0; out[1] = to_global(p) != 0; out[2] = to_local(p) == l; out[3] = *to_local(p); }\n";
	/* The kernel itself compares nothing: who gets the pointer does. */
	static const char tells[] = "kernel void tells(global int *out, local int *l) { int *p = out[9] ? (int *)out : (int *)l; *p = 4;\n"
	                            "	out[0] = (int)(ulong)to_local(p); }\n";
	static const cl_int zeros[10] = {0}, expected[4] = {1, 0, 1, 4};
	rig r;
	rig_open(&r);
	for (int which = 0; which < 3; which++) {
		static const char *const names[] = {"own", "given", "tells"};
		cl_program program = rig_build(&r, which < 2 ? asks : tells, "-cl-std=CL2.0");
		cl_kernel kernel = rig_kernel(program, names[which]);
		cl_mem out = rig_buffer(&r, sizeof zeros, zeros);
		cl_int got[4];
		clSetKernelArg(kernel, 0, sizeof out, &out);
		if (which)
			clSetKernelArg(kernel, 1, 8, NULL);
		launch(&r, kernel, 1, 1);
		rig_read(&r, out, got, sizeof got);
		if (which < 2)
			assert_memory_equal(got, expected, sizeof got);
		else
			assert_int_not_equal(got[0], 0);
		clReleaseKernel(kernel);
		clReleaseMemObject(out);
		clReleaseProgram(program);
	}
	rig_close(&r);
}

/* Every pair of pointers, where the compiler knows what they point to, and where it does not. What they point to is the same or is not. */
TEST(test_comparisons)
{
	static const char *const pointers[][2] = {{"gp", "gv"}, {"lp", "l"}, {"q", "q"}, {"g", "gv"}, {"s", "l"}, {"h", "q"}, {"n ? g : s", "gv"}};
	const size_t n = sizeof pointers / sizeof *pointers, spaced = 3 /* of those, no two are compared that have different spaces */;
	char source[8192] = "global int gv[4];\nkernel void k(global int *out, int n) {\n	local int l[4]; int q[4];\n"
	                    "	global int *gp = gv; local int *lp = l; int *g = gp, *s = lp, *h = q;\n";
	cl_int got[49], one = 1;
	rig r;
	rig_open(&r);
	for (size_t i = 0; i < n * n; i++)
		if (i / n >= spaced || i % n >= spaced || i / n == i % n)
			sprintf(source + strlen(source), "	out[%zu] = (%s) == (%s);\n", i, pointers[i / n][0], pointers[i % n][0]);
	strcat(source, "}\n");
	cl_program program = rig_build(&r, source, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "k");
	memset(got, 0, sizeof got);
	cl_mem out = rig_buffer(&r, sizeof got, got);
	clSetKernelArg(kernel, 0, sizeof out, &out);
	clSetKernelArg(kernel, 1, sizeof one, &one);
	launch(&r, kernel, 1, 1);
	rig_read(&r, out, got, sizeof got);
	for (size_t i = 0; i < n * n; i++)
		if (got[i] != (strcmp(pointers[i / n][1], pointers[i % n][1]) == 0))
			fail_msg("%s == %s is %d", pointers[i / n][0], pointers[i % n][0], got[i]);
	clReleaseKernel(kernel);
	clReleaseMemObject(out);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_3_0) { test_all("-cl-std=CL3.0"); }
TEST(test_2_0) { test_all("-cl-std=CL2.0"); }

/* The compiler defines the features that the device reports, and no others. */
TEST(test_features)
{
	rig r;
	cl_name_version features[32];
	size_t bytes;
	char source[4096] = "", *end = source;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &bytes), CL_SUCCESS);
	for (size_t i = 0; i < bytes / sizeof *features; i++)
		end += sprintf(end, "#ifndef %s\n#error %s\n#endif\n", features[i].name, features[i].name);
	static const char *const absent[] = {"images", "3d_image_writes", "read_write_images"};
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		end += sprintf(end, "#ifdef __opencl_c_%s\n#error %s\n#endif\n", absent[i], absent[i]);
	static const char *const there[] = {"cl_khr_subgroups",
	                                    "cl_khr_subgroup_extended_types",
	                                    "cl_khr_subgroup_non_uniform_vote",
	                                    "cl_khr_subgroup_ballot",
	                                    "cl_khr_subgroup_shuffle",
	                                    "cl_khr_subgroup_non_uniform_arithmetic",
	                                    "cl_khr_subgroup_clustered_reduce",
	                                    "cl_khr_subgroup_shuffle_relative"};
	for (size_t i = 0; i < sizeof there / sizeof *there; i++)
		end += sprintf(end, "#ifndef %s\n#error %s\n#endif\n", there[i], there[i]);
	sprintf(end, "kernel void k(void) {}\n");
	clReleaseProgram(rig_build(&r, source, "-cl-std=CL3.0"));
	/* OpenCL C 1.2 has none of them. */
	clReleaseProgram(rig_build(&r,
	                           "#if defined __opencl_c_generic_address_space || defined cl_khr_subgroups || defined "
	                           "__opencl_c_atomic_scope_device || defined __opencl_c_device_enqueue\n#error\n#endif\n"
	                           "kernel void k(void) {}\n",
	                           NULL));
	rig_close(&r);
}

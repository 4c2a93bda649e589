/* Programs and kernels: building, messages, binaries, compile and link, arguments, sizes, traps. */
#include "rig.h"

static const char saxpy[] = "kernel void saxpy(float a, global const float *x, global float *y)\n"
                            "{\n"
                            "	size_t i = get_global_id(0);\n"
                            "	y[i] = a * x[i] + y[i];\n"
                            "}\n";

static void run_saxpy(rig *r, cl_program program)
{
	float x[64], y[64], a = 2;
	for (int i = 0; i < 64; i++)
		x[i] = (float)i, y[i] = 1;
	cl_mem bx = rig_buffer(r, sizeof x, x), by = rig_buffer(r, sizeof y, y);
	cl_kernel kernel = rig_kernel(program, "saxpy");
	const size_t global = 32, offset = 16;
	assert_int_equal(clSetKernelArg(kernel, 0, 4, &a), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 1, sizeof bx, &bx), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 2, sizeof by, &by), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, &offset, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
	/* Released while it runs, in an order that a program might. */
	clReleaseKernel(kernel);
	clReleaseMemObject(bx);
	rig_read(r, by, y, sizeof y);
	for (int i = 0; i < 64; i++)
		assert_true(y[i] == (i >= 16 && i < 48 ? 2 * (float)i + 1 : 1));
	clReleaseMemObject(by);
}

static void test_build_and_run(void **state)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, saxpy, NULL);
	run_saxpy(&r, program);
	clReleaseProgram(program);
	rig_close(&r);
}

static void test_build_log(void **state)
{
	rig r;
	char log[4096] = "";
	cl_build_status status;
	rig_open(&r);
	cl_program program = rig_source(&r, "kernel void k(global int *p)\n{\n	p[0] = nonsense;\n}\n");
	assert_int_equal(clBuildProgram(program, 0, NULL, "-DX=1 -cl-mad-enable", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	clGetProgramBuildInfo(program, r.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
	clGetProgramBuildInfo(program, r.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
	assert_int_equal(status, CL_BUILD_ERROR);
	assert_non_null(strstr(log, "program.cl:3:9: error: use of undeclared identifier 'nonsense'"));
	assert_true(strncmp(log, "program.cl", 10) == 0);
	cl_int error;
	assert_null(clCreateKernel(program, "k", &error));
	assert_int_equal(error, CL_INVALID_PROGRAM_EXECUTABLE);
	assert_int_equal(clBuildProgram(program, 0, NULL, "-unheard-of", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
	assert_int_equal(clBuildProgram(program, 0, NULL, "-ffp-contract=off", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
	assert_int_equal(clBuildProgram(program, 0, NULL, "-D", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
	assert_int_equal(clBuildProgram(program, 0, NULL, "-D nonsense=42", NULL, NULL), CL_SUCCESS);
	clReleaseProgram(program);
	rig_close(&r);
}

static void test_language_versions(void **state)
{
	static const char *const options[] = {"", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL3.0"};
	rig r;
	rig_open(&r);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		cl_program program = rig_build(&r, saxpy, options[i]);
		run_saxpy(&r, program);
		clReleaseProgram(program);
	}
	rig_close(&r);
}

static void test_binaries(void **state)
{
	rig r;
	cl_int status, own;
	size_t n;
	rig_open(&r);
	cl_program program = rig_build(&r, saxpy, NULL);
	clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
	assert_true(n > 0);
	unsigned char *bytes = malloc(n);
	clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
	cl_program again = clCreateProgramWithBinary(r.context, 1, &r.device, &n, (const unsigned char **)&bytes, &own, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(own, CL_SUCCESS);
	assert_int_equal(clBuildProgram(again, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	run_saxpy(&r, again);
	bytes[n / 2] ^= 0x55;
	bytes[0] ^= 0x55;
	assert_null(clCreateProgramWithBinary(r.context, 1, &r.device, &n, (const unsigned char **)&bytes, &own, &status));
	assert_int_equal(status, CL_INVALID_BINARY);
	free(bytes);
	clReleaseProgram(program);
	clReleaseProgram(again);
	rig_close(&r);
}

static void test_compile_and_link(void **state)
{
	rig r;
	cl_int status;
	rig_open(&r);
	cl_program header = rig_source(&r, "float twice(float);\n#define ADDED 3\n");
	cl_program a = rig_source(&r, "#include \"inc/shared.h\"\nfloat twice(float x) { return 2 * x; }\n");
	cl_program b = rig_source(
	    &r, "#include \"inc/shared.h\"\nkernel void k(global float *p) { p[get_global_id(0)] = twice(sin(p[get_global_id(0)])) + ADDED; }\n");
	const char *name = "inc/shared.h";
	assert_int_equal(clCompileProgram(a, 0, NULL, NULL, 1, &header, &name, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clCompileProgram(b, 0, NULL, NULL, 1, &header, &name, NULL, NULL), CL_SUCCESS);
	cl_program library = clLinkProgram(r.context, 0, NULL, "-create-library", 1, &a, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	cl_program parts[] = {b, library}, all = clLinkProgram(r.context, 0, NULL, NULL, 2, parts, NULL, NULL, &status);
	if (status != CL_SUCCESS) {
		char log[4096] = "";
		clGetProgramBuildInfo(all, r.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fail_msg("%s", log);
	}
	float p[4] = {0};
	cl_mem mem = rig_buffer(&r, sizeof p, p);
	cl_kernel kernel = rig_kernel(all, "k");
	const size_t global = 4;
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, mem, p, sizeof p);
	assert_true(p[0] == 3 && p[3] == 3);
	clReleaseKernel(kernel);
	clReleaseMemObject(mem);
	/* Alone, b lacks a function. */
	cl_program lacking = clLinkProgram(r.context, 0, NULL, NULL, 1, &b, NULL, NULL, &status);
	assert_int_equal(status, CL_LINK_PROGRAM_FAILURE);
	cl_program released[] = {header, a, b, library, all, lacking};
	for (size_t i = 0; i < sizeof released / sizeof *released; i++)
		if (released[i])
			clReleaseProgram(released[i]);
	rig_close(&r);
}

/* One unit alone is linked with the built-in functions that it calls, those of libclc too. */
static void test_link_of_one_unit(void **state)
{
	rig r;
	cl_int status;
	rig_open(&r);
	cl_program unit = rig_source(&r, "float twice(float x) { return 2 * x; }\n"
	                                 "kernel void k(global float *p) { size_t i = get_global_id(0); p[i] = twice(atan2pi((float)i, 0.0f)); }\n");
	assert_int_equal(clCompileProgram(unit, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_program linked = clLinkProgram(r.context, 0, NULL, NULL, 1, &unit, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	float p[4] = {0};
	cl_mem mem = rig_buffer(&r, sizeof p, p);
	cl_kernel kernel = rig_kernel(linked, "k");
	const size_t global = 4;
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, mem, p, sizeof p);
	assert_true(p[0] == 0 && p[1] == 1 && p[3] == 1);
	clReleaseKernel(kernel);
	clReleaseMemObject(mem);
	clReleaseProgram(unit);
	clReleaseProgram(linked);
	rig_close(&r);
}

/* `inline` alone defines a function for its unit, whether clang inlines its calls, may not, or does not, in a build and in a link of units that share
 * it. */
static void test_inline_functions(void **state)
{
	static const char
	    shared[] = "inline float2 exp_i(float phi) { return (float2)(cos(phi), sin(phi)); }\n"
	               "inline int f(int a) { return a * 3; }\n"
	               "__attribute__((noinline)) inline int n(int a) { return a + 5; }\n"
	               "static inline int g(int a) { return f(a) + 1; }\n"
	               "extern inline int h(int a) { return a - 2; }\n",
	    kernels[] = "kernel void %s(global int *p) { float2 a = exp_i(p[0]), b = exp_i(p[0] + 1); p[0] = 10 * f(p[0]) + g(p[1]) + n(p[0]);\n"
	                "	p[1] = h(p[2]) + (int)(a * b).x; }\n";
	rig r;
	cl_int status;
	char source[2][1024];
	cl_program program[4];
	rig_open(&r);
	for (int i = 0; i < 2; i++) {
		/* One unit of a program defines an external function. */
		int n = sprintf(source[i], "%.*s", i ? (int)(strstr(shared, "extern") - shared) : (int)strlen(shared), shared);
		n += sprintf(source[i] + n, i ? "int h(int);\n" : "\n");
		sprintf(source[i] + n, kernels, i ? "l" : "k");
		program[i] = rig_source(&r, source[i]);
		assert_int_equal(clCompileProgram(program[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	}
	program[2] = rig_build(&r, source[0], NULL);
	program[3] = clLinkProgram(r.context, 0, NULL, NULL, 2, program, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	for (int i = 0; i < 3; i++) {
		cl_int p[3] = {0, 2, 12};
		cl_mem mem = rig_buffer(&r, sizeof p, p);
		cl_kernel kernel = rig_kernel(program[i == 2 ? 3 : 2 + i], i == 2 ? "l" : "k");
		clSetKernelArg(kernel, 0, sizeof mem, &mem);
		assert_int_equal(clEnqueueTask(r.queue, kernel, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, mem, p, sizeof p);
		assert_true(p[0] == 12 && p[1] == 10);
		clReleaseKernel(kernel);
		clReleaseMemObject(mem);
	}
	for (int i = 0; i < 4; i++)
		clReleaseProgram(program[i]);
	rig_close(&r);
}

/* `noinline` may come from an option, from a header of the program, or from a file. */
static void test_noinline_from_elsewhere(void **state)
{
#define KERNEL "__attribute__((KEEP)) inline int n(int a) { return a + 5; }\nkernel void k(global int *p) { p[0] = n(p[0]); }\n"
	rig r;
	cl_int status;
	char folder[] = "/tmp/heddle-test-XXXXXX", name[64], options[64];
	const char *header_name = "keep.h";
	rig_open(&r);
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof name, "%s/keep.h", folder);
	snprintf(options, sizeof options, "-I %s", folder);
	FILE *file = fopen(name, "w");
	fputs("#define KEEP noinline\n", file);
	fclose(file);
	cl_program header = rig_source(&r, "#define KEEP noinline\n");
	const char *const with[] = {"-DKEEP=noinline", NULL, options};
	for (unsigned i = 0; i < 3; i++) {
		cl_program program = rig_source(&r, i ? "#include \"keep.h\"\n" KERNEL : KERNEL);
		assert_int_equal(
		    clCompileProgram(program, 0, NULL, with[i], i == 1, i == 1 ? &header : NULL, i == 1 ? &header_name : NULL, NULL, NULL),
		    CL_SUCCESS);
		cl_program linked = clLinkProgram(r.context, 0, NULL, NULL, 1, &program, NULL, NULL, &status);
		assert_int_equal(status, CL_SUCCESS);
		clReleaseProgram(linked);
		clReleaseProgram(program);
	}
	clReleaseProgram(header);
	assert_int_equal(remove(name) | remove(folder), 0);
	rig_close(&r);
}

typedef struct pair {
	cl_int a;
	cl_float b;
	cl_double c;
} pair;

static void test_arguments(void **state)
{
	static const char text[] = "typedef struct { int a; float b; double c; } pair;\n"
	                           "kernel void k(global double *restrict out, pair p, float4 v, uchar c, constant int *t, local int *l, ulong u)\n"
	                           "{ l[0] = t[1]; barrier(CLK_LOCAL_MEM_FENCE); out[0] = p.a + p.b + p.c + v.w + c + l[0] + u; }\n";
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-kernel-arg-info");
	cl_kernel kernel = rig_kernel(program, "k");
	pair p = {1, 2, 4};
	cl_float4 v = {{0, 0, 0, 8}};
	cl_uchar c = 16;
	cl_int table[2] = {0, 32};
	cl_ulong u = 64;
	double out = 0;
	cl_mem mem = rig_buffer(&r, 8, NULL), t = rig_buffer(&r, sizeof table, table), nothing = NULL;
	const size_t one = 1;
	assert_int_equal(clSetKernelArg(kernel, 9, 4, &c), CL_INVALID_ARG_INDEX);
	assert_int_equal(clSetKernelArg(kernel, 0, 4, &mem), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(kernel, 0, 8, &r.queue), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clSetKernelArg(kernel, 1, 4, &p), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(kernel, 1, sizeof p, NULL), CL_INVALID_ARG_VALUE);
	assert_int_equal(clSetKernelArg(kernel, 5, 4, &c), CL_INVALID_ARG_VALUE);
	assert_int_equal(clSetKernelArg(kernel, 5, 0, NULL), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(kernel, 0, 8, &mem), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	assert_int_equal(clSetKernelArg(kernel, 1, sizeof p, &p), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 2, sizeof v, &v), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 3, sizeof c, &c), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 4, sizeof t, &t), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 5, 64, NULL), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 6, sizeof u, &u), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, mem, &out, 8);
	assert_true(out == 127);
	/* NULL buffers may be passed. */
	assert_int_equal(clSetKernelArg(kernel, 4, sizeof nothing, &nothing), CL_SUCCESS);
	char name[32];
	cl_kernel_arg_address_qualifier space;
	cl_kernel_arg_type_qualifier bits;
	assert_int_equal(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL), CL_SUCCESS);
	assert_string_equal(name, "float4");
	assert_int_equal(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL), CL_SUCCESS);
	assert_string_equal(name, "out");
	clGetKernelArgInfo(kernel, 5, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL);
	assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_LOCAL);
	clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof bits, &bits, NULL);
	assert_int_equal(bits, CL_KERNEL_ARG_TYPE_RESTRICT);
	assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
	clReleaseMemObject(mem);
	clReleaseMemObject(t);
	clReleaseProgram(program);
	clReleaseKernel(kernel);
	rig_close(&r);
}

static void test_work_sizes(void **state)
{
	static const char text[] = "kernel void k(global int *p) { p[get_global_linear_id_()] = get_local_size(0); }\n"
	                           "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void r(global int *p) { p[0] = 1; }\n";
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-Dget_global_linear_id_()=get_global_id(0)");
	cl_kernel k = rig_kernel(program, "k"), required = rig_kernel(program, "r");
	cl_mem mem = rig_buffer(&r, 4096 * 4, NULL);
	const size_t global[3] = {64, 4, 1}, odd[1] = {60}, big[1] = {2048}, local[3] = {4, 2, 1}, bad[1] = {7}, zero[1] = {0};
	size_t compiled[3], most;
	clSetKernelArg(k, 0, sizeof mem, &mem);
	clSetKernelArg(required, 0, sizeof mem, &mem);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, k, 0, NULL, global, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, k, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, k, 1, NULL, odd, bad, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, k, 1, NULL, odd, zero, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, k, 1, NULL, big, big, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, k, 1, NULL, zero, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, k, 1, NULL, odd, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, required, 2, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, required, 2, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, required, 1, NULL, global, local, 0, NULL, NULL), CL_SUCCESS + CL_INVALID_WORK_GROUP_SIZE);
	clGetKernelWorkGroupInfo(required, r.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof compiled, compiled, NULL);
	assert_memory_equal(compiled, local, sizeof local);
	clGetKernelWorkGroupInfo(k, r.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
	assert_int_equal(most, 1024);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	clReleaseKernel(k);
	clReleaseKernel(required);
	clReleaseProgram(program);
	clReleaseMemObject(mem);
	rig_close(&r);
}

/* A trap and a kernel without end are an error of the event and of the queue; afterwards the same context works. */
static void test_faults(void **state)
{
	static const char text[] = "kernel void wild(global int *p) { p[get_global_id(0) + (1 << 28)] = 1; }\n"
	                           "kernel void stuck(global int *p) { if (get_local_id(0) < 32) barrier(CLK_LOCAL_MEM_FENCE); else while "
	                           "(((volatile global int *)p)[0] == 0); p[1] = 2; }\n"
	                           "kernel void fine(global int *p) { p[get_global_id(0)] = 7; }\n";
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	static const char *const names[] = {"wild", "stuck"};
	cl_mem mem = rig_buffer(&r, 256, NULL);
	const size_t global = 64;
	for (int i = 0; i < 2; i++) {
		cl_event event;
		cl_int status;
		int got[64];
		cl_kernel bad = rig_kernel(program, names[i]), fine = rig_kernel(program, "fine");
		clSetKernelArg(bad, 0, sizeof mem, &mem);
		clSetKernelArg(fine, 0, sizeof mem, &mem);
		assert_int_equal(clEnqueueFillBuffer(r.queue, mem, &(int){0}, 4, 0, 256, 0, NULL, NULL), CL_SUCCESS);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, bad, 1, NULL, &global, &global, 0, NULL, &event), CL_SUCCESS);
		assert_int_equal(clFinish(r.queue), CL_OUT_OF_RESOURCES);
		clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
		assert_true(status < 0);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, fine, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, mem, got, sizeof got);
		assert_int_equal(got[63], 7);
		clReleaseEvent(event);
		clReleaseKernel(bad);
		clReleaseKernel(fine);
	}
	clReleaseProgram(program);
	clReleaseMemObject(mem);
	rig_close(&r);
}

/* A call that passes as many registers as the convention has, as CLBlast's matrix product does: it once stopped the compiler. */
static void test_many_arguments(void **state)
{
	static const char text[] = "__attribute__((noinline)) double many(double8 a, double8 b) { return dot(a.lo, b.hi) + a.s7; }\n"
	                           "kernel void k(global double *p) { p[0] = many(vload8(0, p), vload8(1, p)); }\n";
	rig r;
	double p[16], expected = 7;
	const size_t one = 1;
	for (int i = 0; i < 16; i++)
		p[i] = i;
	for (int i = 0; i < 4; i++)
		expected += (double)i * (12 + i);
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem mem = rig_buffer(&r, sizeof p, p);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, mem, p, sizeof p);
	assert_true(p[0] == expected);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(mem);
	rig_close(&r);
}

static void test_simulated_time(void **state)
{
	rig r;
	cl_ulong t[2][2];
	float a = 1;
	rig_open(&r);
	cl_program program = rig_build(&r, saxpy, NULL);
	cl_kernel kernel = rig_kernel(program, "saxpy");
	cl_mem mem = rig_buffer(&r, 4096, NULL);
	const size_t global = 1024;
	clSetKernelArg(kernel, 0, 4, &a);
	clSetKernelArg(kernel, 1, sizeof mem, &mem);
	clSetKernelArg(kernel, 2, sizeof mem, &mem);
	for (int i = 0; i < 2; i++) {
		cl_event event;
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event), CL_SUCCESS);
		assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
		clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 8, &t[i][0], NULL);
		clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &t[i][1], NULL);
		clReleaseEvent(event);
	}
	/* The same launch takes the same time, and that is cycles, not the host's clock. */
	assert_int_equal(t[0][1] - t[0][0], t[1][1] - t[1][0]);
	assert_in_range(t[0][1] - t[0][0], 100, 100000);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(mem);
	rig_close(&r);
}

static int entries(const char *directory)
{
	char command[128];
	int n = -1;
	snprintf(command, sizeof command, "ls %s/heddle 2>/dev/null | wc -l", directory);
	FILE *pipe = popen(command, "r");
	assert_int_equal(fscanf(pipe, "%d", &n), 1);
	pclose(pipe);
	return n;
}

/* Included files are part of the key of a build. */
static void test_cache_of_included_files(void **state)
{
	rig r;
	char directory[] = "/tmp/heddle-test-XXXXXX", name[64], options[64];
	const char *before = getenv("XDG_CACHE_HOME");
	char *kept = before ? strdup(before) : NULL;
	rig_open(&r);
	assert_non_null(mkdtemp(directory));
	setenv("XDG_CACHE_HOME", directory, 1);
	snprintf(name, sizeof name, "%s/value.h", directory);
	snprintf(options, sizeof options, "-I %s", directory);
	for (int i = 0; i < 4; i++) {
		int value = 10 + i / 2, got = 0;
		FILE *file = fopen(name, "w");
		fprintf(file, "#define VALUE %d\n", value);
		fclose(file);
		cl_program program = rig_build(&r, "#include \"value.h\"\nkernel void k(global int *p) { p[0] = VALUE; }\n", options);
		assert_int_equal(entries(directory), 1 + i / 2);
		cl_kernel kernel = rig_kernel(program, "k");
		cl_mem mem = rig_buffer(&r, 4, NULL);
		const size_t one = 1;
		clSetKernelArg(kernel, 0, sizeof mem, &mem);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, mem, &got, 4);
		assert_int_equal(got, value);
		clReleaseKernel(kernel);
		clReleaseProgram(program);
		clReleaseMemObject(mem);
	}
	snprintf(options, sizeof options, "rm -r %s", directory);
	assert_int_equal(system(options), 0);
	if (kept)
		setenv("XDG_CACHE_HOME", kept, 1);
	free(kept);
	rig_close(&r);
}

/* Whatever a program's text hides of the names that it calls, they are declared and defined. */
static void test_names_that_no_word_gives_away(void **state)
{
	static const char *const cases[][2] = {
	    {"kernel void k(global float *o, global int *i) { o[0] = LOAD(2, (global const half *)i); }", "-DLOAD=vload_half"},
	    {"#define LOAD(x) vload_##x\nkernel void k(global float *o, global int *i) { o[0] = LOAD(half)(2, (global const half *)i); }", ""},
	    {"kernel void k(global float *o, global int *i) { o[0] = vload_ha\\\nlf(2, (global const half *)i); }", ""},
	    {"kernel void k(global float *o, global int *i) { int e = 7; o[0] = SWAP((global atomic_int *)i, &e, 9) * 2.0f; }",
	     "-cl-std=CL3.0 -DSWAP=atomic_compare_exchange_strong"},
	    {"kernel void k(global float *o, global int *i) { o[0] = F(4.0f); }", "-DF=sqrt"},
	    {"kernel void k(global float *o, global int *i) { o[0] = 1 + F(i[0]); }",
	     "-cl-std=CL3.0 -DF=sub_group_reduce_add -cl-uniform-work-group-size"},
	    {"#define F max\n#define V(n) float##n\nkernel void k(global float *o, global int *i) { V(4) v = 1.0f; o[0] = F(v, 2.0f).x; }", ""}};
	rig r;
	rig_open(&r);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const cl_int in[] = {i < 3 ? 0 : i == 5 ? 1 : 7, 0x4000};
		const size_t one = 1;
		float got = 0;
		cl_program program = rig_build(&r, cases[i][0], cases[i][1]);
		cl_kernel kernel = rig_kernel(program, "k");
		cl_mem out = rig_buffer(&r, sizeof got, NULL), mem = rig_buffer(&r, sizeof in, in);
		clSetKernelArg(kernel, 0, sizeof out, &out);
		clSetKernelArg(kernel, 1, sizeof mem, &mem);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, out, &got, sizeof got);
		assert_true(got == 2.0f);
		clReleaseMemObject(out);
		clReleaseMemObject(mem);
		clReleaseKernel(kernel);
		clReleaseProgram(program);
	}
	rig_close(&r);
}

int main(void)
{
	/* For the kernel that never ends. */
	setenv("HEDDLE_MAX_CYCLES", "300000", 1);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_build_and_run),
	    cmocka_unit_test(test_build_log),
	    cmocka_unit_test(test_language_versions),
	    cmocka_unit_test(test_binaries),
	    cmocka_unit_test(test_compile_and_link),
	    cmocka_unit_test(test_link_of_one_unit),
	    cmocka_unit_test(test_inline_functions),
	    cmocka_unit_test(test_noinline_from_elsewhere),
	    cmocka_unit_test(test_arguments),
	    cmocka_unit_test(test_work_sizes),
	    cmocka_unit_test(test_faults),
	    cmocka_unit_test(test_simulated_time),
	    cmocka_unit_test(test_many_arguments),
	    cmocka_unit_test(test_cache_of_included_files),
	    cmocka_unit_test(test_names_that_no_word_gives_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

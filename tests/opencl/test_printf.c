/* printf from kernels, through the driver to standard output. */
#include "rig.h"

#include <unistd.h>

/* Runs kernel k over `global` items and returns what it printed; the caller frees. */
static char *printed(rig *r, cl_program program, cl_mem mem, size_t global, cl_int expected)
{
	cl_kernel kernel = rig_kernel(program, "k");
	FILE *file = tmpfile();
	fflush(stdout);
	int before = dup(STDOUT_FILENO);
	dup2(fileno(file), STDOUT_FILENO);
	if (mem)
		clSetKernelArg(kernel, 0, sizeof mem, &mem);
	cl_int status = clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
	cl_int finished = clFinish(r->queue);
	dup2(before, STDOUT_FILENO);
	close(before);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(finished, expected);
	long n = lseek(fileno(file), 0, SEEK_END);
	char *text = calloc(1, (size_t)n + 1);
	assert_int_equal(pread(fileno(file), text, (size_t)n, 0), n);
	fclose(file);
	clReleaseKernel(kernel);
	return text;
}

static void expect(const char *body, const char *expected)
{
	rig r;
	char text[2048];
	snprintf(text, sizeof text, "%s\n", body);
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	char *got = printed(&r, program, NULL, 1, CL_SUCCESS);
	assert_string_equal(got, expected);
	free(got);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_every_type)
{
	expect("__attribute__((noinline)) void far(double16 d) { printf(\"%v16g\\n\", d); }\n"
	       "kernel void k(void) {\n"
	       "	uchar c = 200; short s = -5; long l = 1L << 40; float f = 0.5f; double d = -1e100;\n"
	       "	printf(\"%d %hhu %hd %ld %lu %c\\n\", -1, c, s, l, 1UL << 63, 'z');\n"
	       "	printf(\"%f %e %g %a|%10.3f|\\n\", f, d, d, 1.0, (double)f);\n"
	       "	printf(\"%s, %.2s%%\\n\", \"text\", \"abc\");\n"
	       "	printf(\"%v2hhd %v3hu %v4d %v2ld\\n\", (char2)(-1, 2), (ushort3)(1, 2, 65535), (int4)(-1, 0, 1, 2), (long2)(3, -4));\n"
	       "	printf(\"%v4hlf %v2lf %v8hlg\\n\", (float4)(1, 2, 3, 4), (double2)(5, 6), (float8)(7));\n"
	       "	printf(\"nothing\\n\");\n"
	       "	far((double16)(1.25));\n"
	       "}",
	       "-1 200 -5 1099511627776 9223372036854775808 z\n"
	       "0.500000 -1.000000e+100 -1e+100 0x1p+0|     0.500|\n"
	       "text, ab%\n"
	       "-1,2 1,2,65535 -1,0,1,2 3,-4\n"
	       "1.000000,2.000000,3.000000,4.000000 5.000000,6.000000 7,7,7,7,7,7,7,7\n"
	       "nothing\n"
	       "1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25,1.25\n");
}

/* Every work-item's text is there once and whole, in an order that nobody promises. */
TEST(test_many_items)
{
	enum { N = 300 };
	static const char text[] = "kernel void k(global int *p) {\n"
	                           "	int i = get_global_id(0);\n"
	                           "	if (i % 3) p[i] = printf(\"<%d of %d: %s>\\n\", i, (int)get_global_size(0), i & 1 ? \"odd\" : \"even\");\n"
	                           "}\n";
	rig r;
	int got[N];
	memset(got, 0x55, sizeof got);
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	cl_mem mem = rig_buffer(&r, sizeof got, got);
	char *out = printed(&r, program, mem, N, CL_SUCCESS), line[64];
	size_t length = 0;
	rig_read(&r, mem, got, sizeof got);
	for (int i = 0; i < N; i++) {
		int n = snprintf(line, sizeof line, "<%d of %d: %s>\n", i, N, i & 1 ? "odd" : "even");
		assert_int_equal(strstr(out, line) != NULL, i % 3 != 0);
		assert_int_equal(got[i], i % 3 ? 0 : 0x55555555);
		length += i % 3 ? (size_t)n : 0;
	}
	assert_int_equal(strlen(out), length);
	free(out);
	clReleaseMemObject(mem);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Output that the buffer cannot hold is lost, and printf says so; the rest is whole. */
TEST(test_overflow)
{
	static const char text[] = "kernel void k(global int *lost) {\n"
	                           "	for (int i = 0; i < 200; i++)\n"
	                           "		if (printf(\"%v16lx\\n\", (ulong16)(get_global_id(0))) == -1) atomic_inc(lost);\n"
	                           "}\n";
	rig r;
	size_t room, lines = 0;
	int lost = 0;
	rig_open(&r);
	clGetDeviceInfo(r.device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof room, &room, NULL);
	assert_true(room >= 1 << 20);
	cl_program program = rig_build(&r, text, NULL);
	cl_mem mem = rig_buffer(&r, sizeof lost, &lost);
	char *out = printed(&r, program, mem, 64, CL_SUCCESS);
	for (const char *at = out; (at = strchr(at, '\n')); at++)
		lines++;
	rig_read(&r, mem, &lost, sizeof lost);
	assert_int_equal(lost + (int)lines, 64 * 200);
	/* 16 bytes of head, 16 of sizes, 128 of values. */
	assert_int_equal(lines, room / 160);
	free(out);
	clReleaseMemObject(mem);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_a_trap_keeps_what_was_printed)
{
	static const char text[] = "kernel void k(global int *p) {\n"
	                           "	printf(\"before\\n\");\n"
	                           "	barrier(CLK_GLOBAL_MEM_FENCE);\n"
	                           "	p[1 << 28] = 1;\n"
	                           "	printf(\"behind\\n\");\n"
	                           "}\n";
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	cl_mem mem = rig_buffer(&r, 4, NULL);
	char *out = printed(&r, program, mem, 1, CL_OUT_OF_RESOURCES);
	assert_string_equal(out, "before\n");
	free(out);
	clReleaseMemObject(mem);
	clReleaseProgram(program);
	rig_close(&r);
}

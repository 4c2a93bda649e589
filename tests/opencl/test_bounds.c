/* HEDDLE_BOUNDS=warn: a kernel that reads and writes outside of its buffers runs to its end, and each place is reported once for the whole program.
 */
#include "rig.h"

#include <unistd.h>

enum { N = 512 };

static const char text[] = "kernel void edge(global const int *p, global int *q)\n"
                           "{\n"
                           "	int i = get_global_id(0);\n"
                           "	q[i] = p[i - 2] + 1;\n"
                           "	q[i + (1 << 24)] = 5;\n"
                           "}\n";

/* What standard error has got; the caller frees. */
static char *captured(FILE *file)
{
	long n = lseek(fileno(file), 0, SEEK_END);
	char *bytes = calloc(1, (size_t)n + 1);
	assert_int_equal(pread(fileno(file), bytes, (size_t)n, 0), n);
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	lseek(fileno(file), 0, SEEK_SET);
	return bytes;
}

static void each_place_warns_once(void **state)
{
	rig r;
	rig_open(&r);
	int ones[N], got[N];
	for (int i = 0; i < N; i++)
		ones[i] = 1;
	cl_program program = rig_build(&r, text, NULL);
	cl_kernel kernel = rig_kernel(program, "edge");
	cl_mem in = rig_buffer(&r, sizeof ones, ones), out = rig_buffer(&r, sizeof got, NULL);
	const size_t global = N, local = 32;
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);
	clSetKernelArg(kernel, 0, sizeof in, &in);
	clSetKernelArg(kernel, 1, sizeof out, &out);
	for (int turn = 0; turn < 2; turn++) {
		dup2(fileno(file), STDERR_FILENO);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_SUCCESS);
		cl_int status = clEnqueueReadBuffer(r.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL);
		dup2(before, STDERR_FILENO);
		assert_int_equal(status, CL_SUCCESS);
		for (int i = 0; i < N; i++)
			assert_int_equal(got[i], i < 2 ? 1 : 2);
		char *said = captured(file);
		if (turn) {
			assert_string_equal(said, "");
		} else {
			assert_non_null(strstr(said, "program.cl:4:9: warning: kernel 'edge': load of 4 bytes at address 0x"));
			assert_non_null(strstr(said, "8 bytes before it; zeros are read\n"));
			assert_non_null(strstr(said, "program.cl:5:19: warning: kernel 'edge': store of 4 bytes at address 0x"));
			assert_non_null(strstr(said, "; nothing is written\n"));
			assert_null(strstr(said, "error"));
		}
		free(said);
	}
	close(before);
	fclose(file);
	clReleaseMemObject(in);
	clReleaseMemObject(out);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

int main(void)
{
	setenv("HEDDLE_BOUNDS", "warn", 1);
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_place_warns_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

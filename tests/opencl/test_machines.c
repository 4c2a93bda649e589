/* Binaries for other machines (docs/opencl.md, HZ-27): the driver takes those that are proven for its machine, and refuses the others. The driver
 * reads its machine once for a process, so each machine has a process of its own. */
#include "rig.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] = "__kernel void scale(__global uint *y) { uint i = get_global_id(0); y[i] = y[i] * 3 + 1; }";
enum { N = 64 };

typedef struct binary {
	size_t n;
	unsigned char bytes[1 << 16];
} binary;

static char directory[] = "/tmp/heddle-machines-XXXXXX";

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* Writes what differs from the machine `heddle`, without changing the machine's name. */
static void use_machine(const char *yaml)
{
	char path[256];
	snprintf(path, sizeof path, "%s/heddle.yaml", directory);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(yaml, file);
	fclose(file);
	set("HEDDLE_MACHINE", path);
}

static void build(binary *to)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, source, NULL);
	unsigned char *bytes = to->bytes;
	assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof to->n, &to->n, NULL), CL_SUCCESS);
	assert_true(to->n <= sizeof to->bytes);
	assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
	clReleaseProgram(program);
	rig_close(&r);
}

/* The outcome of a binary: 0 the kernel's results are right, 1 they are wrong, 2 the driver refuses it. */
static int use(const binary *from)
{
	rig r;
	cl_int status, own = CL_SUCCESS;
	const unsigned char *bytes = from->bytes;
	uint32_t y[N];
	int result = 0;
	rig_open(&r);
	cl_program program = clCreateProgramWithBinary(r.context, 1, &r.device, &from->n, &bytes, &own, &status);
	assert_int_equal(status, own);
	if (status == CL_INVALID_BINARY) {
		assert_null(program);
		rig_close(&r);
		return 2;
	}
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	for (uint32_t i = 0; i < N; i++)
		y[i] = i;
	cl_kernel kernel = rig_kernel(program, "scale");
	cl_mem buffer = clCreateBuffer(r.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof y, y, &status);
	size_t global = N;
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueReadBuffer(r.queue, buffer, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), CL_SUCCESS);
	for (uint32_t i = 0; i < N; i++)
		result |= y[i] != i * 3 + 1;
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
	return result;
}

/* A process of this program on the machine that `yaml` describes: it builds the binary `name`, or uses it and returns what use() does. */
static int on_machine(const char *yaml, const char *verb, const char *name)
{
	char path[256];
	int status;
	snprintf(path, sizeof path, "%s/%s", directory, name);
	use_machine(yaml);
	fflush(stdout);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		execl("/proc/self/exe", "test_machines", verb, path, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The process's part. */
static int child(const char *verb, const char *path)
{
	static binary b;
	bool builds = strcmp(verb, "build") == 0;
	FILE *file = fopen(path, builds ? "wb" : "rb");
	assert_non_null(file);
	if (builds) {
		build(&b);
		assert_int_equal(fwrite(b.bytes, 1, b.n, file), b.n);
	} else {
		b.n = fread(b.bytes, 1, sizeof b.bytes, file);
	}
	assert_int_equal(fclose(file), 0);
	return builds ? 0 : use(&b);
}

static size_t bytes_of(const char *name, unsigned char *bytes, size_t most)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t n = fread(bytes, 1, most, file);
	fclose(file);
	return n;
}

static const char as_it_is[] = "name: heddle\n", slow_alu[] = "name: heddle\nlatency:\n  alu: {latency: 40}\n  mul: {latency: 40}\n",
                  fast_alu[] = "name: other\nlatency:\n  alu: {latency: 3}\n", fast_memory[] = "name: heddle\nmemory:\n  l1_latency: 2\n",
                  other_lines[] = "name: heddle\npredecode:\n  geometry: wide\n";

static void binaries_run_where_they_are_proven(void **state)
{
	assert_int_equal(on_machine(as_it_is, "build", "own"), 0);
	assert_int_equal(on_machine(as_it_is, "use", "own"), 0);
	assert_int_equal(on_machine(fast_memory, "use", "own"), 0);
	assert_int_equal(on_machine(fast_alu, "use", "own"), 0);
	assert_int_equal(on_machine(slow_alu, "use", "own"), 2);
	assert_int_equal(on_machine(other_lines, "use", "own"), 2);
}

static void unproven_binaries_run_on_request(void **state)
{
	assert_int_equal(on_machine(as_it_is, "build", "own"), 0);
	set("HEDDLE_UNPROVEN", "1");
	assert_int_equal(on_machine(slow_alu, "use", "own"), 1);
	assert_int_equal(on_machine(other_lines, "use", "own"), 2); /* lines that the machine cannot fetch */
	set("HEDDLE_UNPROVEN", "0");
	assert_int_equal(on_machine(slow_alu, "use", "own"), 2);
	set("HEDDLE_UNPROVEN", NULL);
	set("HEDDLE_FUNCTIONAL", "1");
	assert_int_equal(on_machine(slow_alu, "use", "own"), 0);
	set("HEDDLE_FUNCTIONAL", NULL);
}

/* The cache has the program of one machine when another one wants it. */
static void the_cache_knows_the_machine(void **state)
{
	static unsigned char own[1 << 16], slow[1 << 16];
	assert_int_equal(on_machine(as_it_is, "build", "own"), 0);
	assert_int_equal(on_machine(slow_alu, "build", "slow"), 0);
	size_t n = bytes_of("own", own, sizeof own), m = bytes_of("slow", slow, sizeof slow);
	assert_false(n == m && memcmp(own, slow, n) == 0);
	assert_int_equal(on_machine(slow_alu, "use", "slow"), 0);
}

static int begin(void **state) { return mkdtemp(directory) ? 0 : -1; }

static int end(void **state)
{
	static const char *const names[] = {"heddle.yaml", "own", "slow"};
	char path[256];
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		remove(path);
	}
	return rmdir(directory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(binaries_run_where_they_are_proven),
	    cmocka_unit_test(unproven_binaries_run_on_request),
	    cmocka_unit_test(the_cache_knows_the_machine),
	};
	return argc == 3 ? child(argv[1], argv[2]) : cmocka_run_group_tests(tests, begin, end);
}

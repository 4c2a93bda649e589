/* How fast Heddle's interpreter (HEDDLE_FUNCTIONAL=1) runs kernels beside PoCL, a CPU device that compiles them to code of the host: one row a
 * kernel, milliseconds of processor time (the least of several runs, of all threads) and their ratio. Both run it from the same inputs in this
 * process, alternately, and the sums of their results must agree. tools/opencl-speed.sh sets the number of threads. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, WORDS = 1 << 18, BUFFERS = 3 };

typedef struct platform {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_mem mems[BUFFERS];
} platform;

/* Each kernel reads a and b, and writes out. They hold values from 0 to 1. */
static const char text[] =
    "kernel void saxpy(global const float *a, global const float *b, global float *out) { size_t i = get_global_id(0); out[i] = 2.5f * a[i] + b[i]; "
    "}\n"
    "kernel void matmul(global const float *a, global const float *b, global float *out)\n"
    "{\n"
    "	local float s[16][16], t[16][16];\n"
    "	uint x = get_local_id(0), y = get_local_id(1), n = get_global_size(0), column = get_global_id(0), row = get_global_id(1);\n"
    "	float sum = 0;\n"
    "	for (uint k = 0; k < n; k += 16) {\n"
    "		s[y][x] = a[row * n + k + x];\n"
    "		t[y][x] = b[(k + y) * n + column];\n"
    "		barrier(CLK_LOCAL_MEM_FENCE);\n"
    "		for (uint i = 0; i < 16; i++)\n"
    "			sum += s[y][i] * t[i][x];\n"
    "		barrier(CLK_LOCAL_MEM_FENCE);\n"
    "	}\n"
    "	out[row * n + column] = sum;\n"
    "}\n"
    "kernel void nbody(global const float *a, global const float *b, global float *out)\n"
    "{\n"
    "	uint i = get_global_id(0), n = get_global_size(0);\n"
    "	float x = a[i], y = b[i], fx = 0, fy = 0;\n"
    "	for (uint k = 0; k < n; k++) {\n"
    "		float dx = a[k] - x, dy = b[k] - y, r = native_rsqrt(dx * dx + dy * dy + 0.01f), w = r * r * r;\n"
    "		fx += w * dx;\n"
    "		fy += w * dy;\n"
    "	}\n"
    "	out[i] = fx + fy;\n"
    "}\n"
    "kernel void mandelbrot(global const float *a, global const float *b, global float *out)\n"
    "{\n"
    "	size_t i = get_global_id(0);\n"
    "	float x = 0, y = 0, cx = 3 * a[i] - 2, cy = 2 * b[i] - 1;\n"
    "	int n = 0;\n"
    "	for (; n < 100 && x * x + y * y < 4; n++) {\n"
    "		float next = x * x - y * y + cx;\n"
    "		y = 2 * x * y + cy;\n"
    "		x = next;\n"
    "	}\n"
    "	out[i] = n;\n"
    "}\n"
    "kernel void options(global const float *a, global const float *b, global float *out)\n"
    "{\n"
    "	size_t i = get_global_id(0);\n"
    "	float s = 10 + 20 * a[i], x = 5 + 30 * b[i], t = 0.5f + a[i], root = sqrt(t), d = (log(s / x) + 0.065f * t) / (0.3f * root);\n"
    "	out[i] = s * erfc(-d * 0.70710678f) - x * exp(-0.02f * t) * erfc(-(d - 0.3f * root) * 0.70710678f);\n"
    "}\n"
    "kernel void hash(global const float *a, global const float *b, global float *out)\n"
    "{\n"
    "	size_t i = get_global_id(0);\n"
    "	uint x = as_uint(a[i]) | 1, y = as_uint(b[i]);\n"
    "	for (int k = 0; k < 64; k++) {\n"
    "		x ^= rotate(y, 7u) + k;\n"
    "		y = (y >> 3 | y << 29) + x * 2654435761u;\n"
    "	}\n"
    "	out[i] = (x ^ y) >> 8;\n"
    "}\n"
    "kernel void reduce(global const float *a, global const float *b, global float *out)\n"
    "{\n"
    "	local float s[256];\n"
    "	uint l = get_local_id(0);\n"
    "	s[l] = a[get_global_id(0)] * b[get_global_id(0)];\n"
    "	for (uint n = 128; n; n >>= 1) {\n"
    "		barrier(CLK_LOCAL_MEM_FENCE);\n"
    "		if (l < n)\n"
    "			s[l] += s[l + n];\n"
    "	}\n"
    "	out[get_global_id(0)] = l ? 0 : s[0];\n"
    "}\n"
    "kernel void gather(global const float *a, global const float *b, global float *out)\n"
    "{\n"
    "	uint i = get_global_id(0), n = get_global_size(0);\n"
    "	float sum = 0;\n"
    "	for (uint k = 0; k < 16; k++)\n"
    "		sum += a[(i * 40503u + k * 8191u) % n] * b[(i + k) % n];\n"
    "	out[i] = sum;\n"
    "}\n";

static const struct {
	const char *name;
	cl_uint dims;
	size_t global[2], local[2];
	unsigned repeat; /* launches of a run */
} cases[] = {{"saxpy", 1, {WORDS}, {256}, 8},      {"matmul", 2, {192, 192}, {16, 16}, 1}, {"nbody", 1, {2048}, {256}, 1},
             {"mandelbrot", 1, {32768}, {256}, 1}, {"options", 1, {65536}, {256}, 1},      {"hash", 1, {32768}, {256}, 1},
             {"reduce", 1, {WORDS}, {256}, 1},     {"gather", 1, {65536}, {256}, 1}};
enum { CASES = sizeof cases / sizeof cases[0] };

static void check(const char *what, cl_int status)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "heddle-opencl-speed: %s: status %d\n", what, (int)status);
	exit(1);
}

static int open_platform(platform *p, const char *wanted, float *const from[BUFFERS])
{
	cl_platform_id platforms[16];
	cl_device_id device;
	cl_uint count = 0;
	cl_int status;
	const char *texts[] = {text};
	check("clGetPlatformIDs", clGetPlatformIDs(16, platforms, &count));
	for (cl_uint i = 0; i < count && i < 16; i++) {
		char name[128] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (!strstr(name, wanted) || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
			continue;
		p->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
		check("clCreateContext", status);
		p->queue = clCreateCommandQueue(p->context, device, 0, &status);
		check("clCreateCommandQueue", status);
		p->program = clCreateProgramWithSource(p->context, 1, texts, NULL, &status);
		check("clCreateProgramWithSource", status);
		check("clBuildProgram", clBuildProgram(p->program, 1, &device, "", NULL, NULL));
		for (int k = 0; k < BUFFERS; k++) {
			p->mems[k] = clCreateBuffer(p->context, CL_MEM_COPY_HOST_PTR, WORDS * sizeof(float), from[k], &status);
			check("clCreateBuffer", status);
		}
		return 1;
	}
	return 0;
}

static double processor_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Milliseconds of a run. */
static double run(const platform *p, unsigned which, cl_kernel kernel)
{
	double begin = processor_ms();
	for (unsigned i = 0; i < cases[which].repeat; i++)
		check("clEnqueueNDRangeKernel",
		      clEnqueueNDRangeKernel(p->queue, kernel, cases[which].dims, NULL, cases[which].global, cases[which].local, 0, NULL, NULL));
	check("clFinish", clFinish(p->queue));
	return processor_ms() - begin;
}

static double sum_of(const platform *p, size_t n, float *room)
{
	double sum = 0;
	check("clEnqueueReadBuffer", clEnqueueReadBuffer(p->queue, p->mems[2], CL_TRUE, 0, n * sizeof *room, room, 0, NULL, NULL));
	for (size_t i = 0; i < n; i++)
		sum += fabs((double)room[i]);
	return sum;
}

/* The least time of `repeat` runs on each platform. Returns 0 when their results differ. */
static int measure(platform p[2], int n, unsigned which, unsigned repeat, float *room)
{
	double least[2] = {1e30, 1e30}, sums[2] = {0, 0};
	size_t items = cases[which].global[0] * (cases[which].dims > 1 ? cases[which].global[1] : 1);
	cl_kernel kernels[2];
	for (int i = 0; i < n; i++) {
		cl_int status;
		kernels[i] = clCreateKernel(p[i].program, cases[which].name, &status);
		check("clCreateKernel", status);
		for (cl_uint k = 0; k < BUFFERS; k++)
			check("clSetKernelArg", clSetKernelArg(kernels[i], k, sizeof p[i].mems[k], &p[i].mems[k]));
		run(&p[i], which, kernels[i]); /* PoCL compiles now */
	}
	for (unsigned turn = 0; turn < repeat; turn++) {
		for (int i = 0; i < n; i++) {
			double ms = run(&p[i], which, kernels[i]);
			least[i] = ms < least[i] ? ms : least[i];
		}
	}
	for (int i = 0; i < n; i++) {
		sums[i] = sum_of(&p[i], items, room);
		clReleaseKernel(kernels[i]);
	}
	int same = n < 2 || fabs(sums[0] - sums[1]) <= 1e-3 * fabs(sums[1]);
	printf("%-12s %9.2f ms", cases[which].name, least[0]);
	if (n > 1)
		printf(" %9.2f ms %8.2f%s", least[1], least[0] / least[1], same ? "" : "   results differ");
	printf("\n");
	fflush(stdout);
	return same;
}

int main(int argc, char **argv)
{
	unsigned repeat = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	platform p[2];
	float *arrays[BUFFERS];
	int same = 1;
	if (repeat < 1 || repeat > MOST) {
		fprintf(stderr, "usage: heddle-opencl-speed REPEAT [CASE]...\n  REPEAT: 1 to %d\n", MOST);
		return 2;
	}
	unsigned state = 1;
	for (int k = 0; k < BUFFERS; k++) {
		arrays[k] = malloc(WORDS * sizeof *arrays[k]);
		if (!arrays[k])
			check("memory", CL_OUT_OF_HOST_MEMORY);
		for (size_t i = 0; i < WORDS; i++)
			arrays[k][i] = (float)((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0f;
	}
	if (!open_platform(&p[0], "Heddle", arrays))
		check("no platform Heddle", CL_DEVICE_NOT_FOUND);
	int n = 1 + open_platform(&p[1], "Portable", arrays);
	printf("%-12s %12s", "kernel", "Heddle");
	printf(n > 1 ? " %12s %8s\n" : "\n", "PoCL", "ratio");
	for (unsigned i = 0; i < CASES; i++) {
		int wanted = argc == 2;
		for (int k = 2; k < argc; k++)
			wanted |= strcmp(argv[k], cases[i].name) == 0;
		if (wanted)
			same &= measure(p, n, i, repeat, arrays[2]);
	}
	return !same;
}

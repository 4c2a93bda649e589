/* The cost of launching a small grid on an OpenCL platform: one row a case, microseconds a launch by the clock and by processor time (of all threads
 * of the process), the least and the middle of several rounds. tools/opencl-launch.sh runs it on Heddle and on PoCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAUNCHES = 1000, MOST = 64, ITEMS = 64, KERNELS = 100, TEXT = 1 << 15 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue, second;
static cl_kernel kernel;      /* of a program of one kernel */
static cl_kernel one_of_many; /* of a program of a hundred kernels */
static cl_mem buffer;

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(const char *what, cl_int status)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "heddle-opencl-launch: %s: status %d\n", what, (int)status);
	exit(1);
}

static void launch(cl_command_queue on, cl_kernel which, cl_uint n, const cl_event *wait, cl_event *event)
{
	const size_t items = ITEMS;
	check("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(on, which, 1, NULL, &items, &items, n, wait, event));
}

static void finish_each(void)
{
	for (unsigned i = 0; i < LAUNCHES; i++) {
		launch(queue, kernel, 0, NULL, NULL);
		check("clFinish", clFinish(queue));
	}
}

static void finish_once(void)
{
	for (unsigned i = 0; i < LAUNCHES; i++)
		launch(queue, kernel, 0, NULL, NULL);
	check("clFinish", clFinish(queue));
}

static void flush_each(void)
{
	for (unsigned i = 0; i < LAUNCHES; i++) {
		launch(queue, kernel, 0, NULL, NULL);
		check("clFlush", clFlush(queue));
		check("clFinish", clFinish(queue));
	}
}

static void write_and_read(void)
{
	cl_int bytes[ITEMS] = {0};
	for (unsigned i = 0; i < LAUNCHES; i++) {
		check("clEnqueueWriteBuffer", clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
		launch(queue, kernel, 0, NULL, NULL);
		check("clEnqueueReadBuffer", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
	}
	if (bytes[1] != (cl_int)LAUNCHES) {
		fprintf(stderr, "heddle-opencl-launch: wrong result\n");
		exit(1);
	}
}

static void wait_each(void)
{
	for (unsigned i = 0; i < LAUNCHES; i++) {
		cl_event event;
		launch(queue, kernel, 0, NULL, &event);
		check("clWaitForEvents", clWaitForEvents(1, &event));
		clReleaseEvent(event);
	}
}

/* Alternately on two queues, each launch after the one before. */
static void two_queues(void)
{
	cl_event last = NULL;
	for (unsigned i = 0; i < LAUNCHES; i++) {
		cl_event event;
		launch(i % 2 ? second : queue, kernel, last ? 1 : 0, last ? &last : NULL, &event);
		if (last)
			clReleaseEvent(last);
		last = event;
	}
	check("clWaitForEvents", clWaitForEvents(1, &last));
	clReleaseEvent(last);
}

static void large_program(void)
{
	for (unsigned i = 0; i < LAUNCHES; i++) {
		launch(queue, one_of_many, 0, NULL, NULL);
		check("clFinish", clFinish(queue));
	}
}

static const struct {
	const char *name, *words;
	void (*run)(void);
} cases[] = {{"finish", "each followed by clFinish", finish_each},         {"many", "a thousand, then clFinish", finish_once},
             {"flush", "each followed by clFlush, clFinish", flush_each},  {"buffers", "blocking write, launch, blocking read", write_and_read},
             {"events", "each followed by clWaitForEvents", wait_each},    {"queues", "two queues alternately, chained by events", two_queues},
             {"large", "clFinish; one kernel of a hundred", large_program}};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void open_platform(const char *wanted)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	cl_int status = CL_DEVICE_NOT_FOUND;
	check("clGetPlatformIDs", clGetPlatformIDs(16, platforms, &count));
	for (cl_uint i = 0; i < count && i < 16; i++) {
		char name[128] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strstr(name, wanted) && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
			context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
			break;
		}
	}
	check("no platform with that name", status);
	queue = clCreateCommandQueue(context, device, 0, &status);
	check("clCreateCommandQueue", status);
	second = clCreateCommandQueue(context, device, 0, &status);
	check("clCreateCommandQueue", status);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL, &status);
	check("clCreateBuffer", status);
}

/* The first kernel of a program of n. */
static cl_kernel build(unsigned n)
{
	cl_int status;
	char *text = calloc(1, TEXT);
	size_t used = 0;
	check("memory", text ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, TEXT - used,
		                         "kernel void k%u(global int *p, int n) { size_t i = get_global_id(0); p[i] += n + %u; }\n", i, i);
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &status);
	free(text);
	check("clCreateProgramWithSource", status);
	check("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
	cl_kernel made = clCreateKernel(program, "k0", &status);
	check("clCreateKernel", status);
	const cl_int one = 1;
	check("clSetKernelArg", clSetKernelArg(made, 0, sizeof buffer, &buffer));
	check("clSetKernelArg", clSetKernelArg(made, 1, sizeof one, &one));
	clReleaseProgram(program);
	return made;
}

int main(int argc, char **argv)
{
	unsigned repeat = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	if (argc < 3 || repeat < 1 || repeat > MOST) {
		fprintf(stderr, "usage: heddle-opencl-launch PLATFORM REPEAT [CASE]...\n  REPEAT: 1 to %d\n", MOST);
		return 2;
	}
	open_platform(argv[1]);
	kernel = build(1);
	one_of_many = build(KERNELS);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double wall[MOST], cpu[MOST];
		int wanted = argc == 3;
		for (int k = 3; k < argc; k++)
			wanted |= strcmp(argv[k], cases[i].name) == 0;
		if (!wanted)
			continue;
		cases[i].run(); /* warms caches, and PoCL compiles the kernel */
		for (unsigned k = 0; k < repeat; k++) {
			double begin = seconds(CLOCK_MONOTONIC), cpu_begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
			cases[i].run();
			wall[k] = 1e6 / LAUNCHES * (seconds(CLOCK_MONOTONIC) - begin);
			cpu[k] = 1e6 / LAUNCHES * (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin);
		}
		qsort(wall, repeat, sizeof wall[0], compare);
		qsort(cpu, repeat, sizeof cpu[0], compare);
		printf("%-8s %-40s %7.1f us, middle %7.1f; processor %7.1f, middle %7.1f\n", argv[1], cases[i].words, wall[0], wall[repeat / 2],
		       cpu[0], cpu[repeat / 2]);
		fflush(stdout);
	}
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseKernel(one_of_many);
	clReleaseCommandQueue(queue);
	clReleaseCommandQueue(second);
	clReleaseContext(context);
	return 0;
}

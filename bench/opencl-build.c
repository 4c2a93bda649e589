/* How long an OpenCL platform takes to build programs: one row a case, the least and the middle of several times, and the least processor time, which
 * other work on the host changes less. No source is built twice, so no
 * cache of programs has it. tools/opencl-build.sh runs it on Heddle and on PoCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 100, UNITS = 8, THREADS = 2, MOST = 64, TEXT = 1 << 16 };

static cl_device_id device;
static cl_context context;
static unsigned number; /* of the last source */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Of this process and of those that it has started. */
static double processor_time(void)
{
	double sum = 0;
	for (int i = 0; i < 2; i++) {
		struct rusage u;
		getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
		sum += 1e3 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
	}
	return sum;
}

static void stop(const char *what, cl_int status)
{
	fprintf(stderr, "heddle-opencl-build: %s: status %d\n", what, (int)status);
	exit(1);
}

/* A text that no run before has had. */
static unsigned unique(void)
{
	pthread_mutex_lock(&lock);
	unsigned n = ++number;
	pthread_mutex_unlock(&lock);
	return n;
}

static cl_program source(const char *text)
{
	cl_int status;
	char *marked = malloc(TEXT + 128);
	if (!marked)
		stop("memory", 0);
	snprintf(marked, TEXT + 128, "/* %ld %u %.3f */\n%s", (long)getpid(), unique(), now(), text);
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&marked, NULL, &status);
	free(marked);
	if (status != CL_SUCCESS)
		stop("clCreateProgramWithSource", status);
	return program;
}

static void build(const char *text, const char *options)
{
	cl_program program = source(text);
	cl_int status = clBuildProgram(program, 1, &device, options, NULL, NULL);
	if (status != CL_SUCCESS)
		stop("clBuildProgram", status);
	clReleaseProgram(program);
}

static const char small_text[] =
    "kernel void saxpy(global float *y, const global float *x, float a) { size_t i = get_global_id(0); y[i] += a * x[i]; }\n";
static const char mathematics_text[] = "kernel void f(global float *y, local float *t)\n"
                                       "{\n"
                                       "	size_t i = get_global_id(0), l = get_local_id(0);\n"
                                       "	t[l] = sqrt(fabs(y[i])) + exp(-y[i]);\n"
                                       "	barrier(CLK_LOCAL_MEM_FENCE);\n"
                                       "	y[i] = max(t[l], t[l ^ 1]);\n"
                                       "}\n";
/* No word of it is the name of a function that it calls. */
static const char pasted_text[] = "#define PASTE(a, b) a##b\nkernel void f(global float *y) { y[0] = PASTE(sq, rt)(y[0]); }\n";

static void small(void) { build(small_text, ""); }
static void small3(void) { build(small_text, "-cl-std=CL3.0"); }
static void mathematics(void) { build(mathematics_text, ""); }
static void pasted(void) { build(pasted_text, ""); }

static void hundred(void)
{
	char *text = calloc(1, TEXT);
	size_t used = 0;
	if (!text)
		stop("memory", 0);
	for (unsigned i = 0; i < MANY; i++)
		used += (size_t)snprintf(text + used, TEXT - used,
		                         "kernel void k%u(global float *y, const global float *x, float a) { size_t i = get_global_id(0); "
		                         "if (i %% %u) y[i] = a * x[i] + %u.0f; else y[i] -= x[i]; }\n",
		                         i, i + 2, i);
	build(text, "");
	free(text);
}

static void linked(void)
{
	cl_program units[UNITS];
	cl_int status;
	for (unsigned i = 0; i < UNITS; i++) {
		char text[256];
		snprintf(text, sizeof text,
		         "float f%u(float x);\nfloat f%u(float x) { return x + %u.0f; }\nkernel void k%u(global float *y) { y[0] = f%u(y[0]); }\n",
		         (i + 1) % UNITS, i, i, i, (i + 1) % UNITS);
		units[i] = source(text);
		status = clCompileProgram(units[i], 1, &device, "", 0, NULL, NULL, NULL, NULL);
		if (status != CL_SUCCESS)
			stop("clCompileProgram", status);
	}
	cl_program all = clLinkProgram(context, 1, &device, "", UNITS, units, NULL, NULL, &status);
	if (status != CL_SUCCESS)
		stop("clLinkProgram", status);
	clReleaseProgram(all);
	for (unsigned i = 0; i < UNITS; i++)
		clReleaseProgram(units[i]);
}

static void *some(void *unused)
{
	for (unsigned i = 0; i < UNITS / THREADS; i++)
		small();
	return unused;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, some, NULL) != 0)
			stop("pthread_create", 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void one_after_another(void)
{
	for (unsigned i = 0; i < UNITS; i++)
		small();
}

static const struct {
	const char *name, *words;
	void (*run)(void);
} cases[] = {{"small", "a small kernel", small},
             {"small3", "the same as OpenCL C 3.0", small3},
             {"mathematics", "a small kernel that calls library functions", mathematics},
             {"pasted", "one whose calls no word gives away", pasted},
             {"hundred", "a hundred kernels in a program", hundred},
             {"linked", "8 units compiled and linked", linked},
             {"sequence", "8 small kernels, one after another", one_after_another},
             {"threads", "8 small kernels from 2 threads", threads}};

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
	if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		stop("clGetPlatformIDs", 0);
	for (cl_uint i = 0; i < count && i < 16; i++) {
		char name[128] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strstr(name, wanted) && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
			context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
			break;
		}
	}
	if (status != CL_SUCCESS)
		stop("no platform with that name", status);
}

int main(int argc, char **argv)
{
	unsigned repeat = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	if (argc < 3 || repeat < 1 || repeat > MOST) {
		fprintf(stderr, "usage: heddle-opencl-build PLATFORM REPEAT [CASE]...\n  REPEAT: 1 to %d\n", MOST);
		return 2;
	}
	open_platform(argv[1]);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double times[MOST], cpu[MOST];
		int wanted = argc == 3;
		for (int k = 3; k < argc; k++)
			wanted |= strcmp(argv[k], cases[i].name) == 0;
		if (!wanted)
			continue;
		for (unsigned k = 0; k < repeat; k++) {
			double begin = now(), cpu_begin = processor_time();
			cases[i].run();
			times[k] = now() - begin;
			cpu[k] = processor_time() - cpu_begin;
		}
		qsort(times, repeat, sizeof times[0], compare);
		qsort(cpu, repeat, sizeof cpu[0], compare);
		printf("%-8s %-44s %6.0f ms, middle %6.0f; processor %6.0f, middle %6.0f\n", argv[1], cases[i].words, times[0], times[repeat / 2],
		       cpu[0], cpu[repeat / 2]);
		fflush(stdout);
	}
	clReleaseContext(context);
	return 0;
}

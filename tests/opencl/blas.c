/* heddle-blas [--large] [s|d|c|z]... [ROUTINE]...: CLBlast (Debian's, unmodified) on Heddle against OpenBLAS on the host, from the same inputs.
 * Without arguments every routine below in every type; --large adds matrix products of 512 x 512, which CLBlast computes with other kernels.
 * Exit status 0 all right, 1 something differs, 2 bad usage. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cblas.h>
#include <clblast_c.h>

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Odd sizes, so that the kernels' edges are used; what a matrix takes at most, in elements. */
enum { M = 37, K = 41, NN = 29, LD = 53, LARGE = 512, ELEMENTS = LD * LD, BATCHES = 3 };

typedef struct bench {
	cl_context context;
	cl_command_queue queue;
	const char *const *names; /* routines asked for; NULL: all */
	unsigned n_names;
	bool large;
	uint64_t seed;
	unsigned done, bad;
} bench;

static bool asked(const bench *b, const char *name)
{
	for (unsigned i = 0; i < b->n_names; i++)
		if (strcmp(b->names[i], name) == 0)
			return true;
	return !b->n_names;
}

static double random_value(bench *b)
{
	b->seed = b->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(b->seed >> 40) / 8388608.0 - 1.0;
}

static cl_mem upload(bench *b, const void *bytes, size_t n)
{
	cl_int status;
	cl_mem mem = clCreateBuffer(b->context, CL_MEM_COPY_HOST_PTR, n, (void *)(uintptr_t)bytes, &status);
	if (status != CL_SUCCESS) {
		fprintf(stderr, "clCreateBuffer: %d\n", status);
		exit(1);
	}
	return mem;
}

static void verdict(bench *b, char type, const char *name, CLBlastStatusCode status, double worst, double bound)
{
	bool ok = status == CLBlastSuccess && worst <= bound;
	b->done++;
	b->bad += !ok;
	if (status != CLBlastSuccess)
		printf("%c%-14s CLBlast's status is %d\n", type, name, status);
	else
		printf("%c%-14s largest difference %.2e of at most %.2e%s\n", type, name, worst, bound, ok ? "" : ": wrong");
	fflush(stdout);
}

/* Each type has its own copy of the routines. R a real, W reals of an element, V a scalar as CLBlast takes it. */
#define TYPE s
#define LETTER 's'
#define R float
#define W 1
#define V float
#define VALUE(re, im) (re)
#define CBLAS_SCALAR(v) (v)
#define CL(name) CLBlastS##name
#define CB(name) cblas_s##name
#define EPSILON 0x1p-23
#include "blas_routines.inc"
#define TYPE d
#define LETTER 'd'
#define R double
#define W 1
#define V double
#define VALUE(re, im) (re)
#define CBLAS_SCALAR(v) (v)
#define CL(name) CLBlastD##name
#define CB(name) cblas_d##name
#define EPSILON 0x1p-52
#include "blas_routines.inc"
#define TYPE c
#define LETTER 'c'
#define R float
#define W 2
#define V cl_float2
#define VALUE(re, im) ((cl_float2){{re, im}})
#define CBLAS_SCALAR(v) (&(v))
#define CL(name) CLBlastC##name
#define CB(name) cblas_c##name
#define EPSILON 0x1p-23
#include "blas_routines.inc"
#define TYPE z
#define LETTER 'z'
#define R double
#define W 2
#define V cl_double2
#define VALUE(re, im) ((cl_double2){{re, im}})
#define CBLAS_SCALAR(v) (&(v))
#define CL(name) CLBlastZ##name
#define CB(name) cblas_z##name
#define EPSILON 0x1p-52
#include "blas_routines.inc"

static bool open_heddle(bench *b)
{
	cl_platform_id platforms[8];
	cl_device_id device;
	cl_uint n = 0;
	cl_int status;
	char name[64];
	clGetPlatformIDs(8, platforms, &n);
	for (cl_uint i = 0; i < n && i < 8; i++) {
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strcmp(name, "Heddle") != 0 || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
			continue;
		b->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
		b->queue = clCreateCommandQueue(b->context, device, 0, &status);
		return status == CL_SUCCESS;
	}
	fprintf(stderr, "no platform Heddle: OCL_ICD_VENDORS should name the directory of its .icd file\n");
	return false;
}

int main(int argc, char **argv)
{
	const char *names[64], types[] = "sdcz";
	char chosen[8] = "";
	bench b = {.names = names, .seed = 1};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--large") == 0)
			b.large = true;
		else if (strlen(argv[i]) == 1 && strchr(types, argv[i][0]) && strlen(chosen) < 4)
			strcat(chosen, argv[i]);
		else if (argv[i][0] != '-' && b.n_names < 64)
			names[b.n_names++] = argv[i];
		else
			return fprintf(stderr, "usage: heddle-blas [--large] [s|d|c|z]... [ROUTINE]...\n"), 2;
	}
	if (!open_heddle(&b))
		return 1;
	const char *list = *chosen ? chosen : types;
	if (strchr(list, 's'))
		test_s(&b);
	if (strchr(list, 'd'))
		test_d(&b);
	if (strchr(list, 'c'))
		test_c(&b);
	if (strchr(list, 'z'))
		test_z(&b);
	CLBlastClearCache();
	clReleaseCommandQueue(b.queue);
	clReleaseContext(b.context);
	printf("%u routines of CLBlast on Heddle against OpenBLAS: %u right, %u wrong\n", b.done, b.done - b.bad, b.bad);
	return b.bad || !b.done;
}

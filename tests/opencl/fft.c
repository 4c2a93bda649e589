/* heddle-fft: clFFT (Debian's, unmodified) on Heddle against a plain transform on the host, and there and back. Sizes with factors 2, 3, 5 and 7,
 * one, two and three dimensions, float and double, complex and real input. Exit status 0 all right, 1 something differs. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clFFT.h>

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
	size_t size[3];
	unsigned dims;
	bool wide, real;
} job;

static const job jobs[] = {
    {{16, 1, 1}, 1, false, false}, {{360, 1, 1}, 1, false, false}, {{2048, 1, 1}, 1, false, false}, {{105, 1, 1}, 1, false, false},
    {{64, 1, 1}, 1, true, false},  {{1000, 1, 1}, 1, true, false}, {{512, 1, 1}, 1, false, true},   {{32, 16, 1}, 2, false, false},
    {{24, 20, 1}, 2, true, false}, {{16, 8, 4}, 3, false, false},
};

/* In place, dimension by dimension, straight from the definition; in long double, as a thousand terms are summed up. */
static void transform(long double complex *v, const size_t size[3])
{
	size_t total = size[0] * size[1] * size[2], stride = 1;
	for (unsigned d = 0; d < 3; stride *= size[d++]) {
		size_t n = size[d];
		long double complex *row = malloc(n * sizeof *row);
		for (size_t begin = 0; begin < total; begin++) {
			if (begin / stride % n)
				continue;
			for (size_t k = 0; k < n; k++) {
				row[k] = 0;
				for (size_t i = 0; i < n; i++)
					row[k] += v[begin + i * stride] * cexpl(-2 * acosl(-1) * I * (long double)(i * k % n) / (long double)n);
			}
			for (size_t k = 0; k < n; k++)
				v[begin + k * stride] = row[k];
		}
		free(row);
	}
}

static double get(const void *bytes, bool wide, size_t i) { return wide ? ((const double *)bytes)[i] : (double)((const float *)bytes)[i]; }

static void put(void *bytes, bool wide, size_t i, double value)
{
	if (wide)
		((double *)bytes)[i] = value;
	else
		((float *)bytes)[i] = (float)value;
}

static cl_int run(cl_context context, cl_command_queue queue, const job *j, double *there, double *back)
{
	size_t n = j->size[0] * j->size[1] * j->size[2], half = j->size[0] / 2 + 1, each = j->wide ? 8 : 4;
	size_t in = j->real ? n : 2 * n, out = j->real ? 2 * half : 2 * n;
	void *host = malloc(2 * n * each), *got = malloc(2 * n * each);
	long double complex *expected = malloc(n * sizeof *expected);
	unsigned seed = 1;
	for (size_t i = 0; i < n; i++) {
		double re = (double)(seed = seed * 1103515245 + 12345) / 4294967296.0 - 0.5;
		double im = j->real ? 0 : (double)(seed = seed * 1103515245 + 12345) / 4294967296.0 - 0.5;
		put(host, j->wide, j->real ? i : 2 * i, re);
		if (!j->real)
			put(host, j->wide, 2 * i + 1, im);
		expected[i] = get(host, j->wide, j->real ? i : 2 * i) + I * (j->real ? 0 : get(host, j->wide, 2 * i + 1));
	}
	transform(expected, j->size);
	cl_int status;
	cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, in * each, host, &status), b = clCreateBuffer(context, 0, out * each, NULL, &status);
	clfftPlanHandle plan;
	clfftStatus s = clfftCreateDefaultPlan(&plan, context, (clfftDim)j->dims, j->size);
	s = s ? s : clfftSetPlanPrecision(plan, j->wide ? CLFFT_DOUBLE : CLFFT_SINGLE);
	s = s ? s
	      : clfftSetLayout(plan, j->real ? CLFFT_REAL : CLFFT_COMPLEX_INTERLEAVED,
	                       j->real ? CLFFT_HERMITIAN_INTERLEAVED : CLFFT_COMPLEX_INTERLEAVED);
	s = s ? s : clfftSetResultLocation(plan, CLFFT_OUTOFPLACE);
	s = s ? s : clfftBakePlan(plan, 1, &queue, NULL, NULL);
	s = s ? s : clfftEnqueueTransform(plan, CLFFT_FORWARD, 1, &queue, 0, NULL, NULL, &a, &b, NULL);
	s = s ? s : clEnqueueReadBuffer(queue, b, CL_TRUE, 0, out * each, got, 0, NULL, NULL);
	*there = *back = 0;
	for (size_t i = 0; s == CLFFT_SUCCESS && i < out / 2; i++)
		*there = fmax(*there, (double)cabsl(get(got, j->wide, 2 * i) + I * get(got, j->wide, 2 * i + 1) - expected[i]));
	if (!j->real) {
		s = s ? s : clfftEnqueueTransform(plan, CLFFT_BACKWARD, 1, &queue, 0, NULL, NULL, &b, &a, NULL);
		s = s ? s : clEnqueueReadBuffer(queue, a, CL_TRUE, 0, in * each, got, 0, NULL, NULL);
		for (size_t i = 0; s == CLFFT_SUCCESS && i < in; i++)
			*back = fmax(*back, fabs(get(got, j->wide, i) - get(host, j->wide, i)));
	}
	clfftDestroyPlan(&plan);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	free(host);
	free(got);
	free(expected);
	return s;
}

int main(void)
{
	cl_platform_id platforms[8], heddle = NULL;
	cl_device_id device;
	cl_uint n = 0;
	cl_int status;
	unsigned bad = 0;
	clGetPlatformIDs(8, platforms, &n);
	for (cl_uint i = 0; i < n && i < 8; i++) {
		char name[64] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		heddle = strcmp(name, "Heddle") == 0 ? platforms[i] : heddle;
	}
	if (!heddle || clGetDeviceIDs(heddle, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
		return fprintf(stderr, "no platform Heddle: OCL_ICD_VENDORS should name the directory of its .icd file\n"), 1;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
	clfftSetupData setup;
	clfftInitSetupData(&setup);
	clfftSetup(&setup);
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		const job *j = &jobs[i];
		double there, back, points = (double)(j->size[0] * j->size[1] * j->size[2]), bound = (j->wide ? 0x1p-52 : 0x1p-23) * sqrt(points) * 8;
		status = run(context, queue, j, &there, &back);
		bool ok = status == CL_SUCCESS && there <= bound && back <= bound;
		bad += !ok;
		printf("%4zu x %2zu x %zu %-6s %-7s largest difference %.2e, there and back %.2e, at most %.2e: %s", j->size[0], j->size[1],
		       j->size[2], j->wide ? "double" : "float", j->real ? "real" : "complex", there, back, bound, ok ? "right\n" : "WRONG");
		if (!ok)
			printf(" (status %d)\n", status);
		fflush(stdout);
	}
	clfftTeardown();
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	printf("clFFT on Heddle: %zu transforms, %u wrong\n", sizeof jobs / sizeof *jobs, bad);
	return bad != 0;
}

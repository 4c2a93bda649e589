/* A program on the OpenCL driver, for faults.py: builds a program with a header, launches it, reads the result. Every failure of a call is a message
 * and exit status 1. Faults begin when the loader has found the driver, because the loader's own failures are not ours. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100 };

static const char *const source =
    "#include \"factor.h\"\nkernel void scale(global uint *y, uint n)\n{\n\tuint i = get_global_id(0);\n\tif (i < n)\n\t\ty[i] *= FACTOR;\n}\n";
static const char *const large = "constant int t[200000000] = {[0 ... 199999999] = 1};\nkernel void scale(global uint *y, uint n) { y[0] = t[n]; }\n";
static const char *const header = "#define FACTOR 3\n";

static void expect(cl_int status, const char *call)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "client: error: %s: %d\n", call, status);
	exit(1);
}

static void show_log(cl_program program, cl_device_id device)
{
	static char log[65536];
	if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL) == CL_SUCCESS)
		fputs(log, stderr);
}

static cl_device_id find_device(cl_platform_id *found)
{
	cl_platform_id platforms[8];
	cl_uint n = 0;
	cl_device_id device;
	char name[64];
	clGetPlatformIDs(8, platforms, &n);
	for (cl_uint i = 0; i < n && i < 8; i++) {
		*found = platforms[i];
		if (clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS && name[0] == 'H' &&
		    clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
			return device;
	}
	fputs("client: error: no device\n", stderr);
	exit(1);
}

/* mode "large": a program beyond clang's bounds. "header": the program has a header, and is compiled and linked. Otherwise it is built at once, and
 * its object is kept in the cache. */
static cl_program build(cl_context context, cl_device_id device, const char *mode)
{
	int with_header = strcmp(mode, "header") == 0;
	cl_int status;
	const char *text = strcmp(mode, "large") == 0 ? large : with_header ? source : source + sizeof "#include \"factor.h\"";
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status), linked;
	expect(status, "clCreateProgramWithSource");
	if (!with_header) {
		status = clBuildProgram(program, 1, &device, "-DFACTOR=3", NULL, NULL);
		if (status != CL_SUCCESS)
			show_log(program, device);
		expect(status, "clBuildProgram");
		return program;
	}
	cl_program headers = clCreateProgramWithSource(context, 1, (const char **)&header, NULL, &status);
	const char *name = "factor.h";
	expect(status, "clCreateProgramWithSource");
	status = clCompileProgram(program, 1, &device, NULL, 1, &headers, &name, NULL, NULL);
	if (status != CL_SUCCESS)
		show_log(program, device);
	expect(status, "clCompileProgram");
	linked = clLinkProgram(context, 1, &device, NULL, 1, &program, NULL, NULL, &status);
	if (status != CL_SUCCESS && linked)
		show_log(linked, device);
	expect(status, "clLinkProgram");
	clReleaseProgram(program);
	clReleaseProgram(headers);
	return linked;
}

int main(int argc, char **argv)
{
	cl_int status;
	cl_uint y[N], n = N;
	cl_platform_id platform;
	cl_device_id device = find_device(&platform);
	void (*begin_faults)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "begin_faults");
	if (begin_faults)
		begin_faults();
	for (cl_uint i = 0; i < N; i++)
		y[i] = i;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	expect(status, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
	expect(status, "clCreateCommandQueue");
	cl_program program = build(context, device, argc > 1 ? argv[1] : "");
	cl_kernel kernel = clCreateKernel(program, "scale", &status);
	expect(status, "clCreateKernel");
	cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, &status);
	expect(status, "clCreateBuffer");
	expect(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
	expect(clSetKernelArg(kernel, 1, sizeof n, &n), "clSetKernelArg");
	size_t global = 128, local = 64;
	expect(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	expect(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");
	for (cl_uint i = 0; i < N; i++) {
		if (y[i] == 3 * i)
			continue;
		fprintf(stderr, "client: error: element %u is %u\n", i, y[i]);
		return 3;
	}
	clReleaseMemObject(memory);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}

/* Short forms for the driver's tests: one context and queue, programs from text. */
#ifndef RIG_H
#define RIG_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"

typedef struct rig {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
} rig;

static inline void rig_open_with(rig *r, cl_command_queue_properties properties)
{
	cl_int status;
	char name[64] = "";
	assert_int_equal(clGetPlatformIDs(1, &r->platform, NULL), CL_SUCCESS);
	/* OCL_ICD_VENDORS must name the build's directory, or another driver would be tested. */
	clGetPlatformInfo(r->platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
	assert_string_equal(name, "Heddle");
	assert_int_equal(clGetDeviceIDs(r->platform, CL_DEVICE_TYPE_ALL, 1, &r->device, NULL), CL_SUCCESS);
	r->context = clCreateContext(NULL, 1, &r->device, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	r->queue = clCreateCommandQueue(r->context, r->device, properties, &status);
	assert_int_equal(status, CL_SUCCESS);
}

static inline void rig_open(rig *r) { rig_open_with(r, CL_QUEUE_PROFILING_ENABLE); }

static inline void rig_close(rig *r)
{
	assert_int_equal(clReleaseCommandQueue(r->queue), CL_SUCCESS);
	assert_int_equal(clReleaseContext(r->context), CL_SUCCESS);
}

static inline cl_program rig_source(rig *r, const char *text)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(r->context, 1, &text, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	return program;
}

static inline cl_program rig_build(rig *r, const char *text, const char *options)
{
	cl_program program = rig_source(r, text);
	if (clBuildProgram(program, 0, NULL, options, NULL, NULL) != CL_SUCCESS) {
		char log[4096];
		clGetProgramBuildInfo(program, r->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fail_msg("%s", log);
	}
	return program;
}

static inline cl_kernel rig_kernel(cl_program program, const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);
	assert_int_equal(status, CL_SUCCESS);
	return kernel;
}

static inline cl_mem rig_buffer(rig *r, size_t bytes, const void *from)
{
	cl_int status;
	cl_mem mem = clCreateBuffer(r->context, from ? CL_MEM_COPY_HOST_PTR : 0, bytes, (void *)(uintptr_t)from, &status);
	assert_int_equal(status, CL_SUCCESS);
	return mem;
}

static inline void rig_read(rig *r, cl_mem mem, void *to, size_t bytes)
{
	assert_int_equal(clEnqueueReadBuffer(r->queue, mem, CL_TRUE, 0, bytes, to, 0, NULL, NULL), CL_SUCCESS);
}

#endif

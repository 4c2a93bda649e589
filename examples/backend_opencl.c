#include "backend_opencl.h"

#ifdef EX_HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

typedef struct state {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_mem buffers[EX_BUFFERS_MAX];
} state;

static bool good(cl_int status, const char *what, hd_diag *diag)
{
	if (status != CL_SUCCESS)
		hd_error(diag, (hd_pos){.file = "OpenCL"}, "%s failed with status %d", what, status);
	return status == CL_SUCCESS;
}

static bool create(void *self, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	state *s = self;
	cl_int status;
	s->buffers[buffer] = clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
	if (!good(status, "clCreateBuffer", diag))
		return false;
	void *zeros = initial ? NULL : hd_xcalloc(bytes, 1);
	status = clEnqueueWriteBuffer(s->queue, s->buffers[buffer], CL_TRUE, 0, bytes, initial ? initial : zeros, 0, NULL, NULL);
	free(zeros);
	return good(status, "clEnqueueWriteBuffer", diag);
}

static bool read_buffer(void *self, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	state *s = self;
	return good(clEnqueueReadBuffer(s->queue, s->buffers[buffer], CL_TRUE, 0, bytes, into, 0, NULL, NULL), "clEnqueueReadBuffer", diag);
}

static bool write_buffer(void *self, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	state *s = self;
	return good(clEnqueueWriteBuffer(s->queue, s->buffers[buffer], CL_TRUE, 0, bytes, from, 0, NULL, NULL), "clEnqueueWriteBuffer", diag);
}

static bool launch(void *self, const char *name, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	state *s = self;
	cl_int status;
	size_t global[3], local[3];
	cl_kernel kernel = clCreateKernel(s->program, name, &status);
	if (!good(status, "clCreateKernel", diag))
		return false;
	for (unsigned i = 0; i < n && status == CL_SUCCESS; i++) {
		if (args[i].kind == EX_BUFFER)
			status = clSetKernelArg(kernel, i, sizeof(cl_mem), &s->buffers[args[i].buffer]);
		else
			status = clSetKernelArg(kernel, i, args[i].size, args[i].kind == EX_LOCAL ? NULL : args[i].value);
	}
	bool ok = good(status, "clSetKernelArg", diag);
	for (unsigned i = 0; i < 3; i++) {
		global[i] = (size_t)shape->groups[i] * shape->local[i];
		local[i] = shape->local[i];
	}
	ok = ok && good(clEnqueueNDRangeKernel(s->queue, kernel, shape->dims, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel", diag);
	ok = ok && good(clFinish(s->queue), "clFinish", diag);
	clReleaseKernel(kernel);
	return ok;
}

static bool build(state *s, cl_device_id device, const char *source, hd_diag *diag)
{
	cl_int status;
	size_t size = 0;
	char *text = hd_read_file(source, 1 << 20, &size, diag);
	if (!text)
		return false;
	const char *strings[] = {text};
	s->program = hd_ends_with(source, ".spv") ? clCreateProgramWithIL(s->context, text, size, &status)
	                                          : clCreateProgramWithSource(s->context, 1, strings, &size, &status);
	bool ok = good(status, "the program's creation", diag);
	if (ok && clBuildProgram(s->program, 1, &device, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS) {
		char log[4096] = "";
		clGetProgramBuildInfo(s->program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		hd_error(diag, (hd_pos){.file = source}, "OpenCL does not compile it: %s", log);
		ok = false;
	}
	free(text);
	return ok;
}

/* Finds Heddle's own driver, because other platforms may be installed, too. */
static bool find_platform(const char *wanted, cl_platform_id *platform)
{
	cl_platform_id list[16];
	cl_uint n = 0;
	if (clGetPlatformIDs(16, list, &n) != CL_SUCCESS)
		return false;
	for (cl_uint i = 0; i < n && i < 16; i++) {
		char name[256] = "";
		*platform = list[i];
		if (!wanted || (clGetPlatformInfo(list[i], CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS && strstr(name, wanted)))
			return true;
	}
	return false;
}

ex_backend *ex_opencl_new(const char *source, const char *wanted, hd_diag *diag, const char **why)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_uint n = 0;
	cl_int status;
	*why = NULL;
	if (!find_platform(wanted, &platform))
		return *why = wanted ? "the OpenCL platform asked for is not installed" : "no OpenCL platform is installed", NULL;
	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &n) != CL_SUCCESS || n == 0)
		return *why = "the OpenCL platform has no device", NULL;
	state *s = hd_xcalloc(1, sizeof *s);
	ex_backend *backend = hd_xmalloc(sizeof *backend);
	*backend = (ex_backend){.state = s, .create = create, .read = read_buffer, .write = write_buffer, .launch = launch, .tolerant = true};
	s->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	bool ok = good(status, "clCreateContext", diag);
	if (ok)
		s->queue = clCreateCommandQueue(s->context, device, 0, &status);
	ok = ok && good(status, "clCreateCommandQueue", diag) && build(s, device, source, diag);
	if (ok)
		return backend;
	ex_opencl_free(backend);
	return NULL;
}

void ex_opencl_free(ex_backend *backend)
{
	state *s = backend ? backend->state : NULL;
	if (!s)
		return;
	for (unsigned i = 0; i < EX_BUFFERS_MAX; i++)
		if (s->buffers[i])
			clReleaseMemObject(s->buffers[i]);
	if (s->program)
		clReleaseProgram(s->program);
	if (s->queue)
		clReleaseCommandQueue(s->queue);
	if (s->context)
		clReleaseContext(s->context);
	free(s);
	free(backend);
}

#else

ex_backend *ex_opencl_new(const char *source, const char *wanted, hd_diag *diag, const char **why)
{
	*why = "built without OpenCL (Debian package ocl-icd-opencl-dev)";
	return NULL;
}

void ex_opencl_free(ex_backend *backend) { free(backend); }

#endif

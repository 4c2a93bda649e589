/* Errors that the specification names and test_objects and test_programs do not meet, entry point by entry point; and what a device without a feature
 * answers. */
#include "rig.h"

#include <stdbool.h>

#define EXPECT(call, error) assert_int_equal((call), (error))
/* Of calls that return an object. */
#define EXPECT_NONE(call, error)                    \
	do {                                        \
		cl_int status_ = CL_SUCCESS;        \
		cl_int *status = &status_;          \
		assert_null(call);                  \
		assert_int_equal(status_, (error)); \
	} while (0)

static cl_device_id no_device(rig *r) { return (cl_device_id)r->context; }

/* The translator of SPIR-V is installed. */
static bool has_il(rig *r)
{
	char versions[256] = "";
	clGetDeviceInfo(r->device, CL_DEVICE_IL_VERSION, sizeof versions, versions, NULL);
	return *versions;
}

static void CL_CALLBACK ignore_message(const char *message, const void *info, size_t size, void *data) {}
static void CL_CALLBACK ignore_event(cl_event event, cl_int status, void *data) {}

TEST(test_platform_and_device)
{
	rig r;
	cl_uint n;
	cl_device_id device;
	char text[256];
	rig_open(&r);
	EXPECT(clGetPlatformIDs(0, &r.platform, NULL), CL_INVALID_VALUE);
	EXPECT(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clGetPlatformInfo(r.platform, 0x7777, sizeof text, text, NULL), CL_INVALID_VALUE);
	EXPECT(clGetPlatformInfo(r.platform, CL_PLATFORM_NAME, 2, text, NULL), CL_INVALID_VALUE);
	EXPECT(clGetDeviceIDs((cl_platform_id)r.device, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_INVALID_PLATFORM);
	EXPECT(clGetDeviceIDs(r.platform, 0, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
	EXPECT(clGetDeviceIDs(r.platform, (cl_device_type)1 << 40, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
	EXPECT(clGetDeviceIDs(r.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clGetDeviceIDs(r.platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, &n), CL_DEVICE_NOT_FOUND);
	EXPECT(clGetDeviceInfo(no_device(&r), CL_DEVICE_NAME, sizeof text, text, NULL), CL_INVALID_DEVICE);
	EXPECT(clRetainDevice(no_device(&r)), CL_INVALID_DEVICE);
	EXPECT(clReleaseDevice(no_device(&r)), CL_INVALID_DEVICE);
	/* Root devices are not counted. */
	EXPECT(clRetainDevice(r.device), CL_SUCCESS);
	EXPECT(clReleaseDevice(r.device), CL_SUCCESS);
	const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	EXPECT(clCreateSubDevices(r.device, equally, 1, &device, &n), CL_INVALID_VALUE);
	EXPECT(clCreateSubDevices(no_device(&r), equally, 1, &device, &n), CL_INVALID_DEVICE);
	EXPECT(clGetHostTimer(r.device, &(cl_ulong){0}), CL_INVALID_OPERATION);
	EXPECT(clGetHostTimer(no_device(&r), &(cl_ulong){0}), CL_INVALID_DEVICE);
	EXPECT(clUnloadPlatformCompiler(r.platform), CL_SUCCESS);
	rig_close(&r);
}

TEST(test_contexts_and_queues)
{
	rig r;
	rig_open(&r);
	cl_device_id other = no_device(&r);
	cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)r.platform, CL_CONTEXT_PLATFORM,
	                                 (cl_context_properties)r.platform, 0};
	cl_context_properties wrong[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)r.context, 0};
	int data;
	EXPECT_NONE(clCreateContext(twice, 1, &r.device, NULL, NULL, status), CL_INVALID_PROPERTY);
	EXPECT_NONE(clCreateContext(wrong, 1, &r.device, NULL, NULL, status), CL_INVALID_PLATFORM);
	EXPECT_NONE(clCreateContext(NULL, 1, NULL, NULL, NULL, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateContext(NULL, 1, &r.device, NULL, &data, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateContext(NULL, 1, &other, NULL, NULL, status), CL_INVALID_DEVICE);
	EXPECT_NONE(clCreateContextFromType(NULL, CL_DEVICE_TYPE_CPU, NULL, NULL, status), CL_DEVICE_NOT_FOUND);
	EXPECT_NONE(clCreateContextFromType(NULL, 0, NULL, NULL, status), CL_INVALID_DEVICE_TYPE);
	EXPECT_NONE(clCreateContextFromType(NULL, CL_DEVICE_TYPE_GPU, NULL, &data, status), CL_INVALID_VALUE);
	cl_int error;
	cl_context made = clCreateContextFromType(NULL, CL_DEVICE_TYPE_DEFAULT, ignore_message, &data, &error);
	EXPECT(error, CL_SUCCESS);
	EXPECT(clRetainContext(made), CL_SUCCESS);
	EXPECT(clReleaseContext(made), CL_SUCCESS);
	EXPECT(clReleaseContext(made), CL_SUCCESS);
	EXPECT(clGetContextInfo(r.context, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clRetainContext(NULL), CL_INVALID_CONTEXT);
	EXPECT(clSetContextDestructorCallback(r.context, NULL, NULL), CL_INVALID_VALUE);

	EXPECT_NONE(clCreateCommandQueue(NULL, r.device, 0, status), CL_INVALID_CONTEXT);
	EXPECT_NONE(clCreateCommandQueue(r.context, other, 0, status), CL_INVALID_DEVICE);
	EXPECT_NONE(clCreateCommandQueue(r.context, r.device, 1 << 20, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateCommandQueue(r.context, r.device, CL_QUEUE_ON_DEVICE, status), CL_INVALID_QUEUE_PROPERTIES);
	const cl_queue_properties unknown[] = {0x7777, 1, 0}, size[] = {CL_QUEUE_SIZE, 16, 0};
	EXPECT_NONE(clCreateCommandQueueWithProperties(r.context, r.device, unknown, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateCommandQueueWithProperties(r.context, r.device, size, status), CL_INVALID_VALUE);
	cl_uint n;
	EXPECT(clGetCommandQueueInfo(r.queue, CL_QUEUE_SIZE, sizeof n, &n, NULL), CL_INVALID_COMMAND_QUEUE);
	EXPECT(clGetCommandQueueInfo(r.queue, 0x7777, sizeof n, &n, NULL), CL_INVALID_VALUE);
	EXPECT(clSetDefaultDeviceCommandQueue(r.context, r.device, r.queue), CL_INVALID_COMMAND_QUEUE);
	EXPECT(clFlush(NULL), CL_INVALID_COMMAND_QUEUE);
	EXPECT(clRetainCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
	rig_close(&r);
}

TEST(test_buffers)
{
	rig r;
	cl_int error;
	uint32_t host[64] = {0};
	const size_t zero[3] = {0, 0, 0}, region[3] = {16, 1, 1}, none[3] = {16, 0, 1};
	rig_open(&r);
	cl_context other = clCreateContext(NULL, 1, &r.device, NULL, NULL, &error);
	cl_mem mem = rig_buffer(&r, 256, NULL), foreign = clCreateBuffer(other, 0, 256, NULL, &error);
	cl_mem reads = clCreateBuffer(r.context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 256, NULL, &error);
	cl_mem hidden = clCreateBuffer(r.context, CL_MEM_HOST_NO_ACCESS, 256, NULL, &error);
	EXPECT_NONE(clCreateBufferWithProperties(r.context, (cl_mem_properties[]){0x7777, 1, 0}, 0, 4, NULL, status), CL_INVALID_PROPERTY);
	EXPECT_NONE(clCreateBuffer(r.context, (cl_mem_flags)1 << 40, 4, NULL, status), CL_INVALID_VALUE);
	cl_buffer_region part = {0, 128};
	EXPECT_NONE(clCreateSubBuffer(reads, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateSubBuffer(reads, CL_MEM_HOST_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &part, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateSubBuffer(mem, CL_MEM_USE_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &part, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateSubBuffer(mem, 0, 0x7777, &part, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, status), CL_INVALID_VALUE);

	EXPECT(clEnqueueReadBuffer(r.queue, foreign, CL_TRUE, 0, 4, host, 0, NULL, NULL), CL_INVALID_CONTEXT);
	EXPECT(clEnqueueReadBuffer(r.queue, NULL, CL_TRUE, 0, 4, host, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clEnqueueReadBuffer(r.queue, hidden, CL_TRUE, 0, 4, host, 0, NULL, NULL), CL_INVALID_OPERATION);
	EXPECT(clEnqueueWriteBuffer(r.queue, reads, CL_TRUE, 0, 4, host, 0, NULL, NULL), CL_INVALID_OPERATION);
	EXPECT(clEnqueueWriteBuffer(r.queue, mem, CL_TRUE, 256, 4, host, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueWriteBuffer(r.queue, mem, CL_TRUE, SIZE_MAX, 4, host, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueReadBufferRect(r.queue, mem, CL_TRUE, zero, zero, none, 0, 0, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueReadBufferRect(r.queue, mem, CL_TRUE, zero, zero, region, 8, 0, 0, 0, host, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueReadBufferRect(r.queue, hidden, CL_TRUE, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL), CL_INVALID_OPERATION);
	EXPECT(clEnqueueWriteBufferRect(r.queue, mem, CL_TRUE, zero, zero, region, 0, 0, 0, 0, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueCopyBufferRect(r.queue, mem, foreign, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
	EXPECT(clEnqueueCopyBuffer(r.queue, mem, foreign, 0, 0, 4, 0, NULL, NULL), CL_INVALID_CONTEXT);
	EXPECT(clEnqueueCopyBuffer(r.queue, mem, mem, 0, 250, 8, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueFillBuffer(r.queue, mem, NULL, 4, 0, 16, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueFillBuffer(r.queue, mem, host, 256, 0, 256, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueMigrateMemObjects(r.queue, 0, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueMigrateMemObjects(r.queue, 1, &mem, 1 << 10, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueMigrateMemObjects(r.queue, 1, &foreign, 0, 0, NULL, NULL), CL_INVALID_CONTEXT);
	EXPECT(clEnqueueMigrateMemObjects(r.queue, 1, &mem, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL), CL_SUCCESS);

	EXPECT_NONE(clEnqueueMapBuffer(r.queue, mem, CL_TRUE, 1 << 10, 0, 4, 0, NULL, NULL, status), CL_INVALID_VALUE);
	EXPECT_NONE(clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL, NULL, status),
	            CL_INVALID_VALUE);
	EXPECT_NONE(clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_READ, 200, 100, 0, NULL, NULL, status), CL_INVALID_VALUE);
	EXPECT_NONE(clEnqueueMapBuffer(r.queue, hidden, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, status), CL_INVALID_OPERATION);
	EXPECT_NONE(clEnqueueMapBuffer(r.queue, reads, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, status), CL_INVALID_OPERATION);
	/* Regions mapped for writing do not overlap; those for reading may. */
	void *a = clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &error);
	EXPECT_NONE(clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_WRITE, 32, 64, 0, NULL, NULL, status), CL_INVALID_OPERATION);
	void *b = clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_WRITE, 64, 64, 0, NULL, NULL, &error);
	void *c = clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_READ, 32, 64, 0, NULL, NULL, &error);
	assert_true(a && b && c);
	EXPECT(clEnqueueUnmapMemObject(r.queue, mem, host, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueUnmapMemObject(r.queue, mem, a, 0, NULL, NULL), CL_SUCCESS);
	EXPECT(clEnqueueUnmapMemObject(r.queue, mem, b, 0, NULL, NULL), CL_SUCCESS);
	EXPECT(clEnqueueUnmapMemObject(r.queue, mem, c, 0, NULL, NULL), CL_SUCCESS);
	EXPECT(clEnqueueUnmapMemObject(r.queue, foreign, a, 0, NULL, NULL), CL_INVALID_CONTEXT);
	EXPECT(clGetMemObjectInfo(mem, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clSetMemObjectDestructorCallback(mem, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clRetainMemObject(NULL), CL_INVALID_MEM_OBJECT);
	cl_mem all[] = {mem, foreign, reads, hidden};
	for (int i = 0; i < 4; i++)
		clReleaseMemObject(all[i]);
	clReleaseContext(other);
	rig_close(&r);
}

static const char text[] = "__attribute__((vec_type_hint(uint4))) __attribute__((work_group_size_hint(8, 1, 1)))\n"
                           "kernel void k(global int *p, constant float *c, volatile global int *restrict q, const int n) { p[0] = n; }\n";

/* Every type that a kernel may name in a hint, and the text of the attribute that comes back. */
TEST(test_hints)
{
	static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"};
	static const char *const lanes[] = {"", "2", "3", "4", "8", "16"};
	rig r;
	char source[16384] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", attribute[64], name[32], got[128];
	size_t n = sizeof types / sizeof *types * 6, end = strlen(source);
	rig_open(&r);
	for (size_t i = 0; i < n; i++)
		end += (size_t)sprintf(source + end, "__attribute__((vec_type_hint(%s%s))) kernel void k%zu(global int *p) { }\n", types[i / 6],
		                       lanes[i % 6], i);
	cl_program program = rig_build(&r, source, NULL);
	for (size_t i = 0; i < n; i++) {
		sprintf(name, "k%zu", i);
		sprintf(attribute, "__attribute__((vec_type_hint(%s%s)))", types[i / 6], lanes[i % 6]);
		cl_kernel kernel = rig_kernel(program, name);
		EXPECT(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof got, got, NULL), CL_SUCCESS);
		assert_string_equal(got, attribute);
		clReleaseKernel(kernel);
	}
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_programs)
{
	rig r;
	cl_int error;
	size_t n, length = 4;
	const unsigned char *nonsense = (const unsigned char *)"\177ELFwrong";
	rig_open(&r);
	cl_device_id other = no_device(&r);
	EXPECT_NONE(clCreateProgramWithSource(r.context, 0, NULL, NULL, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateProgramWithSource(r.context, 1, &(const char *){NULL}, NULL, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateProgramWithSource(NULL, 1, &(const char *){text}, NULL, status), CL_INVALID_CONTEXT);
	EXPECT_NONE(clCreateProgramWithBinary(r.context, 1, &other, &length, &nonsense, NULL, status), CL_INVALID_DEVICE);
	EXPECT_NONE(clCreateProgramWithBinary(r.context, 0, NULL, &length, &nonsense, NULL, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateProgramWithBinary(r.context, 1, &r.device, &(size_t){0}, &nonsense, &error, status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateProgramWithBinary(r.context, 1, &r.device, &length, &nonsense, &error, status), CL_INVALID_BINARY);
	EXPECT(error, CL_INVALID_BINARY);
	EXPECT_NONE(clCreateProgramWithBuiltInKernels(r.context, 1, &r.device, "none", status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateProgramWithBuiltInKernels(r.context, 1, &other, "none", status), CL_INVALID_DEVICE);
	EXPECT_NONE(clCreateProgramWithIL(r.context, nonsense, 4, status), has_il(&r) ? CL_INVALID_VALUE : CL_INVALID_OPERATION);

	cl_program program = rig_source(&r, text);
	EXPECT_NONE(clCreateKernel(program, "k", status), CL_INVALID_PROGRAM_EXECUTABLE);
	EXPECT(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof n, &n, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
	EXPECT(clGetProgramInfo(program, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clBuildProgram(program, 1, &other, NULL, NULL, NULL), CL_INVALID_DEVICE);
	EXPECT(clBuildProgram(program, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clBuildProgram(program, 0, NULL, NULL, NULL, &n), CL_INVALID_VALUE);
	EXPECT(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
	EXPECT(clCompileProgram(program, 0, NULL, "-unheard-of", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
	EXPECT(clCompileProgram(program, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
	EXPECT_NONE(clLinkProgram(r.context, 0, NULL, NULL, 0, NULL, NULL, NULL, status), CL_INVALID_VALUE);
	EXPECT_NONE(clLinkProgram(r.context, 0, NULL, NULL, 1, &program, NULL, NULL, status), CL_INVALID_OPERATION);
	EXPECT_NONE(clLinkProgram(r.context, 1, &other, NULL, 1, &program, NULL, NULL, status), CL_INVALID_DEVICE);
	EXPECT_NONE(clLinkProgram(r.context, 0, NULL, "-unheard-of", 1, &program, NULL, NULL, status), CL_INVALID_LINKER_OPTIONS);
	EXPECT_NONE(clLinkProgram(r.context, 0, NULL, NULL, 1, &(cl_program){NULL}, NULL, NULL, status), CL_INVALID_PROGRAM);
	EXPECT(clGetProgramBuildInfo(program, other, CL_PROGRAM_BUILD_STATUS, sizeof error, &error, NULL), CL_INVALID_DEVICE);
	EXPECT(clGetProgramBuildInfo(program, r.device, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clSetProgramReleaseCallback(program, NULL, NULL), CL_INVALID_OPERATION);
	EXPECT(clSetProgramSpecializationConstant(program, 0, 4, &n), has_il(&r) ? CL_INVALID_PROGRAM : CL_INVALID_OPERATION);
	EXPECT(clBuildProgram(program, 1, &r.device, "-cl-kernel-arg-info", NULL, NULL), CL_SUCCESS);
	EXPECT_NONE(clCreateKernel(program, "l", status), CL_INVALID_KERNEL_NAME);
	EXPECT_NONE(clCreateKernel(program, NULL, status), CL_INVALID_VALUE);
	cl_kernel kernels[1];
	cl_uint count;
	EXPECT(clCreateKernelsInProgram(program, 0, kernels, &count), CL_INVALID_VALUE);
	EXPECT(clCreateKernelsInProgram(program, 1, kernels, &count), CL_SUCCESS);
	EXPECT(count, 1);

	/* Queries of a kernel. */
	char name[128];
	cl_kernel_arg_type_qualifier bits;
	EXPECT(clGetKernelInfo(kernels[0], CL_KERNEL_ATTRIBUTES, sizeof name, name, NULL), CL_SUCCESS);
	assert_non_null(strstr(name, "work_group_size_hint(8,1,1)"));
	assert_non_null(strstr(name, "vec_type_hint(uint4)"));
	EXPECT(clGetKernelArgInfo(kernels[0], 1, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof bits, &bits, NULL), CL_SUCCESS);
	EXPECT(bits, CL_KERNEL_ARG_TYPE_CONST);
	EXPECT(clGetKernelArgInfo(kernels[0], 2, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof bits, &bits, NULL), CL_SUCCESS);
	EXPECT(bits, CL_KERNEL_ARG_TYPE_RESTRICT | CL_KERNEL_ARG_TYPE_VOLATILE);
	EXPECT(clGetKernelArgInfo(kernels[0], 3, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof bits, &bits, NULL), CL_SUCCESS);
	EXPECT(bits, CL_KERNEL_ARG_TYPE_NONE);
	EXPECT(clGetKernelArgInfo(kernels[0], 4, CL_KERNEL_ARG_NAME, sizeof name, name, NULL), CL_INVALID_ARG_INDEX);
	EXPECT(clGetKernelArgInfo(kernels[0], 0, 0x7777, sizeof name, name, NULL), CL_INVALID_VALUE);
	EXPECT(clGetKernelArgInfo(kernels[0], 0, CL_KERNEL_ARG_NAME, 1, name, NULL), CL_INVALID_VALUE);
	EXPECT(clGetKernelInfo(kernels[0], 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clGetKernelWorkGroupInfo(kernels[0], other, CL_KERNEL_WORK_GROUP_SIZE, sizeof n, &n, NULL), CL_INVALID_DEVICE);
	EXPECT(clGetKernelWorkGroupInfo(kernels[0], NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof n, &n, NULL), CL_SUCCESS);
	EXPECT(clGetKernelWorkGroupInfo(kernels[0], NULL, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof name, name, NULL), CL_INVALID_VALUE);

	EXPECT(clSetKernelArg(NULL, 0, 4, &n), CL_INVALID_KERNEL);
	EXPECT_NONE(clCloneKernel(NULL, status), CL_INVALID_KERNEL);
	const size_t global = 8, offset = SIZE_MAX - 3;
	cl_event event = (cl_event)r.context;
	for (cl_uint i = 0; i < 3; i++)
		clSetKernelArg(kernels[0], i, sizeof(cl_mem), NULL);
	clSetKernelArg(kernels[0], 3, 4, &(int){1});
	EXPECT(clEnqueueNDRangeKernel(r.queue, kernels[0], 1, &offset, &global, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_OFFSET);
	EXPECT(clEnqueueNDRangeKernel(r.queue, NULL, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
	EXPECT(clEnqueueNDRangeKernel(r.queue, kernels[0], 4, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
	EXPECT(clEnqueueNDRangeKernel(r.queue, kernels[0], 1, NULL, &global, NULL, 1, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
	EXPECT(clEnqueueNativeKernel(r.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
	clReleaseKernel(kernels[0]);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Compiled objects and libraries go to a file and back; a binary cut short is none. */
TEST(test_binaries_of_units)
{
	rig r;
	cl_int error;
	size_t n, cut;
	cl_program_binary_type type;
	rig_open(&r);
	cl_program first = rig_source(&r, "int helper(int n) { return n * 7; }\n");
	cl_program second = rig_source(&r, "int helper(int n);\nkernel void k(global int *p) { p[0] = helper(6); }\n");
	EXPECT(clCompileProgram(first, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	EXPECT(clCompileProgram(second, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_program library = clLinkProgram(r.context, 0, NULL, "-create-library", 1, &first, NULL, NULL, &error), from[] = {library, second}, made[2];
	EXPECT(error, CL_SUCCESS);
	for (int i = 0; i < 2; i++) {
		EXPECT(clGetProgramInfo(from[i], CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL), CL_SUCCESS);
		unsigned char *bytes = malloc(n);
		EXPECT(clGetProgramInfo(from[i], CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
		for (cut = 1; cut < n; cut += n / 7) {
			cl_int status;
			assert_null(clCreateProgramWithBinary(r.context, 1, &r.device, &cut, (const unsigned char **)&bytes, NULL, &status));
			EXPECT(status, CL_INVALID_BINARY);
		}
		made[i] = clCreateProgramWithBinary(r.context, 1, &r.device, &n, (const unsigned char **)&bytes, NULL, &error);
		EXPECT(error, CL_SUCCESS);
		free(bytes);
		clGetProgramBuildInfo(made[i], r.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
		EXPECT(type, i ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT : CL_PROGRAM_BINARY_TYPE_LIBRARY);
		EXPECT(clBuildProgram(made[i], 0, NULL, NULL, NULL, NULL), CL_INVALID_BINARY);
	}
	cl_program all = clLinkProgram(r.context, 0, NULL, NULL, 2, made, NULL, NULL, &error);
	EXPECT(error, CL_SUCCESS);
	int got = 0;
	const size_t one = 1;
	cl_mem mem = rig_buffer(&r, 4, NULL);
	cl_kernel kernel = rig_kernel(all, "k");
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	EXPECT(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, mem, &got, 4);
	EXPECT(got, 42);
	clReleaseKernel(kernel);
	clReleaseMemObject(mem);
	cl_program programs[] = {first, second, library, made[0], made[1], all};
	for (int i = 0; i < 6; i++)
		clReleaseProgram(programs[i]);
	rig_close(&r);
}

TEST(test_events)
{
	rig r;
	cl_int error;
	cl_ulong time;
	rig_open_with(&r, 0);
	cl_context other = clCreateContext(NULL, 1, &r.device, NULL, NULL, &error);
	cl_event user = clCreateUserEvent(r.context, &error), foreign = clCreateUserEvent(other, &error), both[] = {user, foreign}, event;
	EXPECT_NONE(clCreateUserEvent(NULL, status), CL_INVALID_CONTEXT);
	EXPECT(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
	EXPECT(clWaitForEvents(1, &(cl_event){NULL}), CL_INVALID_EVENT);
	EXPECT(clWaitForEvents(2, both), CL_INVALID_CONTEXT);
	EXPECT(clGetEventInfo(user, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clGetEventInfo(NULL, CL_EVENT_CONTEXT, 0, NULL, NULL), CL_INVALID_EVENT);
	EXPECT(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
	EXPECT(clSetEventCallback(user, CL_QUEUED, ignore_event, NULL), CL_INVALID_VALUE);
	EXPECT(clSetEventCallback(user, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clSetUserEventStatus(user, 7), CL_INVALID_VALUE);
	EXPECT(clEnqueueMarkerWithWaitList(r.queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
	EXPECT(clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	EXPECT(clEnqueueWaitForEvents(r.queue, 0, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueWaitForEvents(r.queue, 1, &(cl_event){NULL}), CL_INVALID_EVENT);
	EXPECT(clEnqueueMarker(r.queue, NULL), CL_INVALID_VALUE);
	/* A queue without profiling. */
	EXPECT(clEnqueueMarkerWithWaitList(r.queue, 0, NULL, &event), CL_SUCCESS);
	EXPECT(clWaitForEvents(1, &event), CL_SUCCESS);
	EXPECT(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
	/* A blocking command behind an event that fails says so. */
	int got;
	cl_mem mem = rig_buffer(&r, 4, NULL);
	clSetUserEventStatus(user, -1);
	EXPECT(clEnqueueReadBuffer(r.queue, mem, CL_TRUE, 0, 4, &got, 1, &user, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	clSetUserEventStatus(foreign, CL_COMPLETE);
	clReleaseMemObject(mem);
	clReleaseEvent(event);
	clReleaseEvent(user);
	clReleaseEvent(foreign);
	clReleaseContext(other);
	rig_close(&r);
}

/* Images and samplers: the device says that it has none, and every call does. */
TEST(test_absent_features)
{
	rig r;
	cl_uint n = 7;
	cl_bool yes = CL_TRUE;
	char list[1024];
	const size_t at[3] = {0, 0, 0};
	rig_open(&r);
	clGetDeviceInfo(r.device, CL_DEVICE_IMAGE_SUPPORT, sizeof yes, &yes, NULL);
	EXPECT(yes, CL_FALSE);
	clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL);
	assert_null(strstr(list, "cl_khr_3d_image_writes"));
	EXPECT(clGetSupportedImageFormats(r.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n), CL_SUCCESS);
	EXPECT(n, 0);
	EXPECT(clGetSupportedImageFormats(r.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 0, NULL, &n), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateSampler(r.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, status), CL_INVALID_OPERATION);
	EXPECT_NONE(clCreateSamplerWithProperties(r.context, NULL, status), CL_INVALID_OPERATION);
	EXPECT(clEnqueueReadImage(r.queue, NULL, CL_TRUE, at, at, 0, 0, list, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clRetainSampler(NULL), CL_INVALID_SAMPLER);
	rig_close(&r);
}

/* Every entry point of such a feature, with an object of the right kind and with one of another kind. */
TEST(test_absent_objects)
{
	rig r;
	cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	rig_open(&r);
	const cl_context contexts[2] = {r.context, (cl_context)r.device};
	const cl_int wrong[2] = {CL_INVALID_OPERATION, CL_INVALID_CONTEXT};
	for (unsigned i = 0; i < 2; i++) {
		EXPECT_NONE(clCreateImage(contexts[i], 0, &format, &desc, NULL, status), wrong[i]);
		EXPECT_NONE(clCreateImageWithProperties(contexts[i], NULL, 0, &format, &desc, NULL, status), wrong[i]);
		EXPECT_NONE(clCreateImage2D(contexts[i], 0, &format, 4, 4, 0, NULL, status), wrong[i]);
		EXPECT_NONE(clCreateImage3D(contexts[i], 0, &format, 4, 4, 4, 0, 0, NULL, status), wrong[i]);
		EXPECT_NONE(clCreateSampler(contexts[i], CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, status), wrong[i]);
		EXPECT_NONE(clCreateSamplerWithProperties(contexts[i], NULL, status), wrong[i]);
		EXPECT_NONE(clCreateProgramWithIL(contexts[i], "il", 2, status), has_il(&r) && i == 0 ? CL_INVALID_VALUE : wrong[i]);
	}
	EXPECT(clGetSupportedImageFormats(contexts[1], 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, NULL), CL_INVALID_CONTEXT);
	EXPECT(clGetSupportedImageFormats(r.context, 0, CL_MEM_OBJECT_IMAGE3D, 0, &format, NULL), CL_INVALID_VALUE);
	EXPECT(clGetSupportedImageFormats(r.context, 0, CL_MEM_OBJECT_IMAGE1D, 1, &format, NULL), CL_SUCCESS);
	EXPECT_NONE(clCreateProgramWithBuiltInKernels(r.context, 1, &r.device, "k", status), CL_INVALID_VALUE);
	EXPECT_NONE(clCreateProgramWithBuiltInKernels(contexts[1], 1, &r.device, "k", status), CL_INVALID_CONTEXT);
	EXPECT(clSetDefaultDeviceCommandQueue(r.context, r.device, r.queue), CL_INVALID_COMMAND_QUEUE);
	EXPECT(clSetDefaultDeviceCommandQueue(contexts[1], r.device, r.queue), CL_INVALID_CONTEXT);
	rig_close(&r);
}

TEST(test_absent_commands)
{
	rig r;
	const size_t at[3] = {0, 0, 0}, size[3] = {1, 1, 1};
	char bytes[16] = "";
	rig_open(&r);
	cl_mem buffer = rig_buffer(&r, sizeof bytes, NULL);
	const cl_command_queue queues[2] = {r.queue, (cl_command_queue)r.context};
	for (unsigned i = 0; i < 2; i++) {
		cl_command_queue queue = queues[i];
		cl_int no_image = i ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_MEM_OBJECT,
		       no_host_call = i ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_OPERATION;
		EXPECT(clEnqueueReadImage(queue, buffer, CL_TRUE, at, size, 0, 0, bytes, 0, NULL, NULL), no_image);
		EXPECT(clEnqueueWriteImage(queue, buffer, CL_TRUE, at, size, 0, 0, bytes, 0, NULL, NULL), no_image);
		EXPECT(clEnqueueCopyImage(queue, buffer, buffer, at, at, size, 0, NULL, NULL), no_image);
		EXPECT(clEnqueueCopyImageToBuffer(queue, buffer, buffer, at, size, 0, 0, NULL, NULL), no_image);
		EXPECT(clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, at, size, 0, NULL, NULL), no_image);
		EXPECT(clEnqueueFillImage(queue, buffer, bytes, at, size, 0, NULL, NULL), no_image);
		EXPECT_NONE(clEnqueueMapImage(queue, buffer, CL_TRUE, CL_MAP_READ, at, size, NULL, NULL, 0, NULL, NULL, status), no_image);
		EXPECT(clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), no_host_call);
	}
	/* A buffer is neither an image nor a pipe. */
	EXPECT(clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof bytes, bytes, NULL), CL_INVALID_MEM_OBJECT);
	EXPECT(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof bytes, bytes, NULL), CL_INVALID_MEM_OBJECT);
	clReleaseMemObject(buffer);
	rig_close(&r);
}

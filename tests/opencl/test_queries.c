/* Every query of OpenCL 3.0 about every kind of object: the size of the answer, too little room, no room, an unknown query, a wrong object. And
 * whether the answers about optional features agree: queries, feature macros, and what works. */
#include "rig.h"

#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <stdbool.h>

typedef cl_int (*getter)(void *object, cl_uint what, size_t size, void *value, size_t *size_ret);
/* `bytes`: size of the answer; of a list: of one item; of a text: TEXT. */
enum { TEXT = 0, LARGE = 1 << 20 };
typedef struct row {
	cl_uint what;
	const char *name;
	size_t bytes;
	bool list;
} row;
#define ONE(what, type)                          \
	{                                        \
		what, #what, sizeof(type), false \
	}
#define LIST(what, type)                        \
	{                                       \
		what, #what, sizeof(type), true \
	}
#define WORDS(what)                      \
	{                                \
		what, #what, TEXT, false \
	}

static const row platform_rows[] = {WORDS(CL_PLATFORM_PROFILE),
                                    WORDS(CL_PLATFORM_VERSION),
                                    ONE(CL_PLATFORM_NUMERIC_VERSION, cl_version),
                                    WORDS(CL_PLATFORM_NAME),
                                    WORDS(CL_PLATFORM_VENDOR),
                                    WORDS(CL_PLATFORM_EXTENSIONS),
                                    LIST(CL_PLATFORM_EXTENSIONS_WITH_VERSION, cl_name_version),
                                    ONE(CL_PLATFORM_HOST_TIMER_RESOLUTION, cl_ulong)};
static const row device_rows[] = {ONE(CL_DEVICE_TYPE, cl_device_type),
                                  ONE(CL_DEVICE_VENDOR_ID, cl_uint),
                                  ONE(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint),
                                  ONE(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint),
                                  ONE(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t),
                                  LIST(CL_DEVICE_MAX_WORK_ITEM_SIZES, size_t),
                                  ONE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, cl_uint),
                                  ONE(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, cl_uint),
                                  ONE(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, cl_uint),
                                  ONE(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, cl_uint),
                                  ONE(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, cl_uint),
                                  ONE(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint),
                                  ONE(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint),
                                  ONE(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint),
                                  ONE(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint),
                                  ONE(CL_DEVICE_ADDRESS_BITS, cl_uint),
                                  ONE(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong),
                                  ONE(CL_DEVICE_IMAGE_SUPPORT, cl_bool),
                                  ONE(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint),
                                  ONE(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint),
                                  ONE(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint),
                                  ONE(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t),
                                  ONE(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t),
                                  ONE(CL_DEVICE_IMAGE3D_MAX_WIDTH, size_t),
                                  ONE(CL_DEVICE_IMAGE3D_MAX_HEIGHT, size_t),
                                  ONE(CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t),
                                  ONE(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t),
                                  ONE(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t),
                                  ONE(CL_DEVICE_MAX_SAMPLERS, cl_uint),
                                  ONE(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, cl_uint),
                                  ONE(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, cl_uint),
                                  ONE(CL_DEVICE_MAX_PIPE_ARGS, cl_uint),
                                  ONE(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint),
                                  ONE(CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint),
                                  ONE(CL_DEVICE_MAX_PARAMETER_SIZE, size_t),
                                  ONE(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint),
                                  ONE(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint),
                                  ONE(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config),
                                  ONE(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config),
                                  ONE(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config),
                                  ONE(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type),
                                  ONE(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint),
                                  ONE(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong),
                                  ONE(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong),
                                  ONE(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong),
                                  ONE(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint),
                                  ONE(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, size_t),
                                  ONE(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size_t),
                                  ONE(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type),
                                  ONE(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong),
                                  ONE(CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool),
                                  ONE(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool),
                                  ONE(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t),
                                  ONE(CL_DEVICE_ENDIAN_LITTLE, cl_bool),
                                  ONE(CL_DEVICE_AVAILABLE, cl_bool),
                                  ONE(CL_DEVICE_COMPILER_AVAILABLE, cl_bool),
                                  ONE(CL_DEVICE_LINKER_AVAILABLE, cl_bool),
                                  ONE(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities),
                                  ONE(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties),
                                  ONE(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties),
                                  ONE(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint),
                                  ONE(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint),
                                  ONE(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint),
                                  ONE(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint),
                                  WORDS(CL_DEVICE_BUILT_IN_KERNELS),
                                  LIST(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, cl_name_version),
                                  ONE(CL_DEVICE_PLATFORM, cl_platform_id),
                                  WORDS(CL_DEVICE_NAME),
                                  WORDS(CL_DEVICE_VENDOR),
                                  WORDS(CL_DRIVER_VERSION),
                                  WORDS(CL_DEVICE_PROFILE),
                                  WORDS(CL_DEVICE_VERSION),
                                  ONE(CL_DEVICE_NUMERIC_VERSION, cl_version),
                                  WORDS(CL_DEVICE_OPENCL_C_VERSION),
                                  LIST(CL_DEVICE_OPENCL_C_ALL_VERSIONS, cl_name_version),
                                  LIST(CL_DEVICE_OPENCL_C_FEATURES, cl_name_version),
                                  WORDS(CL_DEVICE_EXTENSIONS),
                                  LIST(CL_DEVICE_EXTENSIONS_WITH_VERSION, cl_name_version),
                                  ONE(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t),
                                  ONE(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool),
                                  ONE(CL_DEVICE_PARENT_DEVICE, cl_device_id),
                                  ONE(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint),
                                  LIST(CL_DEVICE_PARTITION_PROPERTIES, cl_device_partition_property),
                                  ONE(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain),
                                  LIST(CL_DEVICE_PARTITION_TYPE, cl_device_partition_property),
                                  ONE(CL_DEVICE_REFERENCE_COUNT, cl_uint),
                                  ONE(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities),
                                  ONE(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint),
                                  ONE(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint),
                                  ONE(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint),
                                  ONE(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool),
                                  WORDS(CL_DEVICE_IL_VERSION),
                                  LIST(CL_DEVICE_ILS_WITH_VERSION, cl_name_version),
                                  ONE(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities),
                                  ONE(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, cl_device_atomic_capabilities),
                                  ONE(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool),
                                  ONE(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t),
                                  ONE(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool),
                                  ONE(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool),
                                  ONE(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities),
                                  ONE(CL_DEVICE_PIPE_SUPPORT, cl_bool),
                                  WORDS(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED)};
static const row context_rows[] = {ONE(CL_CONTEXT_REFERENCE_COUNT, cl_uint), LIST(CL_CONTEXT_DEVICES, cl_device_id),
                                   LIST(CL_CONTEXT_PROPERTIES, cl_context_properties), ONE(CL_CONTEXT_NUM_DEVICES, cl_uint)};
static const row queue_rows[] = {ONE(CL_QUEUE_CONTEXT, cl_context),
                                 ONE(CL_QUEUE_DEVICE, cl_device_id),
                                 ONE(CL_QUEUE_REFERENCE_COUNT, cl_uint),
                                 ONE(CL_QUEUE_PROPERTIES, cl_command_queue_properties),
                                 LIST(CL_QUEUE_PROPERTIES_ARRAY, cl_queue_properties),
                                 ONE(CL_QUEUE_DEVICE_DEFAULT, cl_command_queue)};
static const row mem_rows[] = {ONE(CL_MEM_TYPE, cl_mem_object_type),
                               ONE(CL_MEM_FLAGS, cl_mem_flags),
                               ONE(CL_MEM_SIZE, size_t),
                               ONE(CL_MEM_HOST_PTR, void *),
                               ONE(CL_MEM_MAP_COUNT, cl_uint),
                               ONE(CL_MEM_REFERENCE_COUNT, cl_uint),
                               ONE(CL_MEM_CONTEXT, cl_context),
                               ONE(CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem),
                               ONE(CL_MEM_OFFSET, size_t),
                               ONE(CL_MEM_USES_SVM_POINTER, cl_bool),
                               LIST(CL_MEM_PROPERTIES, cl_mem_properties)};
static const row pipe_rows[] = {ONE(CL_PIPE_PACKET_SIZE, cl_uint), ONE(CL_PIPE_MAX_PACKETS, cl_uint), LIST(CL_PIPE_PROPERTIES, cl_pipe_properties)};
static const row program_rows[] = {ONE(CL_PROGRAM_REFERENCE_COUNT, cl_uint),
                                   ONE(CL_PROGRAM_CONTEXT, cl_context),
                                   ONE(CL_PROGRAM_NUM_DEVICES, cl_uint),
                                   LIST(CL_PROGRAM_DEVICES, cl_device_id),
                                   WORDS(CL_PROGRAM_SOURCE),
                                   LIST(CL_PROGRAM_IL, char),
                                   LIST(CL_PROGRAM_BINARY_SIZES, size_t),
                                   ONE(CL_PROGRAM_NUM_KERNELS, size_t),
                                   WORDS(CL_PROGRAM_KERNEL_NAMES),
                                   ONE(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl_bool),
                                   ONE(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cl_bool)};
static const row build_rows[] = {ONE(CL_PROGRAM_BUILD_STATUS, cl_build_status), WORDS(CL_PROGRAM_BUILD_OPTIONS), WORDS(CL_PROGRAM_BUILD_LOG),
                                 ONE(CL_PROGRAM_BINARY_TYPE, cl_program_binary_type), ONE(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, size_t)};
static const row kernel_rows[] = {WORDS(CL_KERNEL_FUNCTION_NAME),     ONE(CL_KERNEL_NUM_ARGS, cl_uint),   ONE(CL_KERNEL_REFERENCE_COUNT, cl_uint),
                                  ONE(CL_KERNEL_CONTEXT, cl_context), ONE(CL_KERNEL_PROGRAM, cl_program), WORDS(CL_KERNEL_ATTRIBUTES)};
static const row group_rows[] = {ONE(CL_KERNEL_WORK_GROUP_SIZE, size_t), LIST(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, size_t),
                                 ONE(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong), ONE(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t),
                                 ONE(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong)};
static const row argument_rows[] = {ONE(CL_KERNEL_ARG_ADDRESS_QUALIFIER, cl_kernel_arg_address_qualifier),
                                    ONE(CL_KERNEL_ARG_ACCESS_QUALIFIER, cl_kernel_arg_access_qualifier), WORDS(CL_KERNEL_ARG_TYPE_NAME),
                                    ONE(CL_KERNEL_ARG_TYPE_QUALIFIER, cl_kernel_arg_type_qualifier), WORDS(CL_KERNEL_ARG_NAME)};
static const row event_rows[] = {ONE(CL_EVENT_COMMAND_QUEUE, cl_command_queue), ONE(CL_EVENT_CONTEXT, cl_context),
                                 ONE(CL_EVENT_COMMAND_TYPE, cl_command_type), ONE(CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int),
                                 ONE(CL_EVENT_REFERENCE_COUNT, cl_uint)};
static const row profiling_rows[] = {ONE(CL_PROFILING_COMMAND_QUEUED, cl_ulong), ONE(CL_PROFILING_COMMAND_SUBMIT, cl_ulong),
                                     ONE(CL_PROFILING_COMMAND_START, cl_ulong), ONE(CL_PROFILING_COMMAND_END, cl_ulong),
                                     ONE(CL_PROFILING_COMMAND_COMPLETE, cl_ulong)};

/* -- one query ----------------------------------------------------------------------------------------------------------------------------------- */
static cl_device_id the_device; /* some queries take the device beside the object */

#define GETTER(name, call, type) \
	static cl_int name(void *o, cl_uint what, size_t size, void *value, size_t *size_ret) { return call((type)o, what, size, value, size_ret); }
#define GETTER_OF_DEVICE(name, call, type)                                                    \
	static cl_int name(void *o, cl_uint what, size_t size, void *value, size_t *size_ret) \
	{                                                                                     \
		return call((type)o, the_device, what, size, value, size_ret);                \
	}
GETTER(of_platform, clGetPlatformInfo, cl_platform_id)
GETTER(of_device, clGetDeviceInfo, cl_device_id)
GETTER(of_context, clGetContextInfo, cl_context)
GETTER(of_queue, clGetCommandQueueInfo, cl_command_queue)
GETTER(of_mem, clGetMemObjectInfo, cl_mem)
GETTER(of_pipe, clGetPipeInfo, cl_mem)
GETTER(of_program, clGetProgramInfo, cl_program)
GETTER_OF_DEVICE(of_build, clGetProgramBuildInfo, cl_program)
GETTER(of_kernel, clGetKernelInfo, cl_kernel)
GETTER_OF_DEVICE(of_group, clGetKernelWorkGroupInfo, cl_kernel)
GETTER(of_event, clGetEventInfo, cl_event)
GETTER(of_profiling, clGetEventProfilingInfo, cl_event)
static cl_int of_argument(void *o, cl_uint what, size_t size, void *value, size_t *size_ret)
{
	return clGetKernelArgInfo(o, 0, what, size, value, size_ret);
}

static void check_query(getter get, void *object, const row *q)
{
	static unsigned char value[LARGE];
	size_t bytes = SIZE_MAX, again = SIZE_MAX;
	print_message("%s\n", q->name);
	assert_int_equal(get(object, q->what, 0, NULL, &bytes), CL_SUCCESS);
	assert_int_equal(get(object, q->what, 0, NULL, NULL), CL_SUCCESS);
	assert_true(bytes < sizeof value);
	if (q->bytes == TEXT)
		assert_true(bytes >= 1);
	else if (q->list)
		assert_int_equal(bytes % q->bytes, 0);
	else
		assert_int_equal(bytes, q->bytes);
	memset(value, 0xa5, bytes + 8);
	assert_int_equal(get(object, q->what, bytes, value, &again), CL_SUCCESS);
	assert_int_equal(again, bytes);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(value[bytes + i], 0xa5);
	if (q->bytes == TEXT)
		assert_int_equal(strlen((const char *)value), bytes - 1);
	assert_int_equal(get(object, q->what, bytes + 1, value, NULL), CL_SUCCESS);
	if (bytes)
		assert_int_equal(get(object, q->what, bytes - 1, value, &again), CL_INVALID_VALUE);
}

/* All rows, and of the numbers near them those that no row has. */
static void check_queries(getter get, void *object, void *wrong, cl_int error, const row *rows, size_t n)
{
	cl_uint least = UINT32_MAX, most = 0;
	size_t bytes;
	for (size_t i = 0; i < n; i++) {
		check_query(get, object, &rows[i]);
		least = rows[i].what < least ? rows[i].what : least;
		most = rows[i].what > most ? rows[i].what : most;
		assert_int_equal(get(NULL, rows[i].what, 0, NULL, &bytes), error);
		assert_int_equal(get(wrong, rows[i].what, 0, NULL, &bytes), error);
	}
	for (cl_uint what = least - 4; what < most + 16; what++) {
		size_t i = 0;
		while (i < n && rows[i].what != what)
			i++;
		if (i == n && get(object, what, 0, NULL, &bytes) == CL_SUCCESS)
			fail_msg("0x%x is answered, and no row has it", what);
	}
	assert_int_equal(get(object, 0x7fff, 0, NULL, &bytes), CL_INVALID_VALUE);
}
#define CHECK(get, object, wrong, error, rows) check_queries(get, object, wrong, error, rows, sizeof rows / sizeof *rows)

TEST(test_platform_and_device)
{
	rig r;
	rig_open(&r);
	/* The loader takes any handle of a platform for its own. */
	for (size_t i = 0; i < sizeof platform_rows / sizeof *platform_rows; i++)
		check_query(of_platform, r.platform, &platform_rows[i]);
	for (size_t i = 0; i < sizeof device_rows / sizeof *device_rows; i++)
		check_query(of_device, r.device, &device_rows[i]);
	for (cl_uint what = CL_DEVICE_TYPE; what < CL_DEVICE_TYPE + 0x100; what++) {
		size_t i = 0, bytes;
		while (i < sizeof device_rows / sizeof *device_rows && device_rows[i].what != what)
			i++;
		if (i == sizeof device_rows / sizeof *device_rows)
			assert_int_equal(clGetDeviceInfo(r.device, what, 0, NULL, &bytes), CL_INVALID_VALUE);
	}
	rig_close(&r);
}

TEST(test_objects)
{
	rig r;
	cl_int status;
	const size_t one = 1;
	rig_open(&r);
	the_device = r.device;
	cl_program program = rig_build(&r, "global int words[5] = {1}; kernel void k(global const float *p, int n) { words[n] += p[n]; }\n",
	                               "-cl-std=CL3.0 -cl-kernel-arg-info");
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem buffer = rig_buffer(&r, 64, NULL), pipe = clCreatePipe(r.context, 0, 4, 4, NULL, &status);
	const cl_int n = 0;
	cl_event event;
	clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	clSetKernelArg(kernel, 1, sizeof n, &n);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event), CL_SUCCESS);
	clFinish(r.queue);
	CHECK(of_context, r.context, r.queue, CL_INVALID_CONTEXT, context_rows);
	CHECK(of_queue, r.queue, r.context, CL_INVALID_COMMAND_QUEUE, queue_rows);
	CHECK(of_mem, buffer, r.context, CL_INVALID_MEM_OBJECT, mem_rows);
	CHECK(of_mem, pipe, r.context, CL_INVALID_MEM_OBJECT, mem_rows);
	CHECK(of_pipe, pipe, buffer, CL_INVALID_MEM_OBJECT, pipe_rows);
	CHECK(of_build, program, kernel, CL_INVALID_PROGRAM, build_rows);
	CHECK(of_kernel, kernel, program, CL_INVALID_KERNEL, kernel_rows);
	CHECK(of_group, kernel, program, CL_INVALID_KERNEL, group_rows);
	CHECK(of_argument, kernel, program, CL_INVALID_KERNEL, argument_rows);
	CHECK(of_event, event, kernel, CL_INVALID_EVENT, event_rows);
	CHECK(of_profiling, event, kernel, CL_INVALID_EVENT, profiling_rows);
	for (size_t i = 0; i < sizeof program_rows / sizeof *program_rows; i++)
		check_query(of_program, program, &program_rows[i]);
	size_t size, variables;
	assert_int_equal(clGetProgramBuildInfo(program, r.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof size, &variables, NULL),
	                 CL_SUCCESS);
	assert_true(variables >= 20);
	/* The size of a queue is of one on the device alone, the global size of a kernel of a built-in kernel. */
	assert_int_equal(clGetCommandQueueInfo(r.queue, CL_QUEUE_SIZE, sizeof n, &status, &size), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clGetKernelWorkGroupInfo(kernel, r.device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, NULL, &size), CL_INVALID_VALUE);
	clReleaseEvent(event);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(buffer);
	clReleaseMemObject(pipe);
	rig_close(&r);
}

/* -- features ------------------------------------------------------------------------------------------------------------------------------------ */
static cl_ulong number(rig *r, cl_device_info what)
{
	size_t bytes;
	cl_ulong value = 0;
	assert_int_equal(clGetDeviceInfo(r->device, what, sizeof value, &value, &bytes), CL_SUCCESS);
	return value; /* the device and its host are little-endian */
}

static bool listed(rig *r, cl_device_info what, const char *name)
{
	cl_name_version list[64];
	size_t bytes;
	bool found = false;
	assert_int_equal(clGetDeviceInfo(r->device, what, sizeof list, list, &bytes), CL_SUCCESS);
	for (size_t i = 0; i < bytes / sizeof *list; i++)
		found = found || strcmp(list[i].name, name) == 0;
	return found;
}

static bool builds(rig *r, const char *text, const char *options)
{
	cl_program program = rig_source(r, text);
	bool ok = clBuildProgram(program, 0, NULL, options, NULL, NULL) == CL_SUCCESS;
	clReleaseProgram(program);
	return ok;
}

/* An optional feature: its macro, the query and the bits that tell of it (0: any bit), and a kernel that uses it (NULL: what it needs is no part of
 * this device's language). */
typedef struct feature {
	const char *name;
	cl_device_info what;
	cl_ulong bits;
	const char *text;
} feature;

static const feature features[] = {
    {"pipes", CL_DEVICE_PIPE_SUPPORT, 0, "kernel void k(read_only pipe int p) { int v; read_pipe(p, &v); }"},
    {"device_enqueue", CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_QUEUE_SUPPORTED,
     "kernel void k(global int *p) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[0] = 1; }); }"},
    {"generic_address_space", CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 0,
     "int f(int *p) { return *p; } kernel void k(global int *p) { p[1] = f(p); }"},
    {"program_scope_global_variables", CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 0, "global int g; kernel void k(void) { g++; }"},
    {"subgroups", CL_DEVICE_MAX_NUM_SUB_GROUPS, 0, "kernel void k(global int *p) { p[0] = sub_group_any(p[1]); }"},
    {"work_group_collective_functions", CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 0,
     "kernel void k(global int *p) { p[0] = work_group_any(p[1]); }"},
    {"atomic_order_acq_rel", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
     "kernel void k(global atomic_int *p) { atomic_store_explicit(p, 1, memory_order_release, memory_scope_work_group); }"},
    {"atomic_order_seq_cst", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_ORDER_SEQ_CST,
     "kernel void k(global atomic_int *p) { atomic_store(p, 1); }"},
    {"atomic_scope_device", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_SCOPE_DEVICE,
     "kernel void k(global atomic_int *p) { atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device); }"},
    {"atomic_scope_all_devices", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
     "kernel void k(global atomic_int *p) { atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_all_devices); }"},
    {"fp64", CL_DEVICE_DOUBLE_FP_CONFIG, 0, "kernel void k(global double *p) { p[0] *= 2; }"},
    {"int64", CL_DEVICE_ADDRESS_BITS, 64, "kernel void k(global long *p) { p[0] *= 2; }"},
    {"images", CL_DEVICE_IMAGE_SUPPORT, 0, "kernel void k(read_only image2d_t i, global float4 *p) { p[0] = read_imagef(i, (int2)(0, 0)); }"},
    {"3d_image_writes", CL_DEVICE_IMAGE_SUPPORT, 0, NULL},
    {"read_write_images", CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 0, NULL},
};

TEST(test_features)
{
	rig r;
	char name[64], text[256];
	cl_name_version list[64];
	size_t bytes, known = 0;
	rig_open(&r);
	for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
		const feature *f = &features[i];
		cl_ulong value = number(&r, f->what);
		bool there = f->bits ? (value & f->bits) == f->bits : value != 0;
		print_message("%s: %s\n", f->name, there ? "yes" : "no");
		sprintf(name, "__opencl_c_%s", f->name);
		assert_int_equal(listed(&r, CL_DEVICE_OPENCL_C_FEATURES, name), there);
		known += there;
		sprintf(text, "#ifndef %s\n#error\n#endif\nkernel void k(void) {}\n", name);
		assert_int_equal(builds(&r, text, "-cl-std=CL3.0"), there);
		if (f->text)
			assert_int_equal(builds(&r, f->text, "-cl-std=CL3.0"), there);
	}
	/* No feature but these. */
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &bytes), CL_SUCCESS);
	assert_int_equal(bytes / sizeof *list, known);
	/* Fences can do at least what atomics can. */
	cl_ulong atomics = number(&r, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES), fences = number(&r, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES);
	assert_true((atomics & ~fences) == 0 && (atomics & CL_DEVICE_ATOMIC_ORDER_RELAXED) && (atomics & CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP));
	assert_true(!(number(&r, CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_ATOMICS) || (atomics & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES));
	rig_close(&r);
}

/* Objects of optional features are made where the feature is there, and refused where it is not. */
TEST(test_objects_of_features)
{
	rig r;
	cl_int status;
	rig_open(&r);
	cl_mem pipe = clCreatePipe(r.context, 0, 4, 4, NULL, &status);
	assert_int_equal(status, number(&r, CL_DEVICE_PIPE_SUPPORT) ? CL_SUCCESS : CL_INVALID_OPERATION);
	if (pipe)
		clReleaseMemObject(pipe);
	const bool queues = number(&r, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) & CL_DEVICE_QUEUE_SUPPORTED;
	const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(r.context, r.device, on_device, &status);
	assert_int_equal(status, queues ? CL_SUCCESS : CL_INVALID_QUEUE_PROPERTIES);
	if (queue)
		clReleaseCommandQueue(queue);
	static const struct {
		cl_device_svm_capabilities bit;
		cl_svm_mem_flags flags;
	} memory[] = {{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, CL_MEM_READ_WRITE},
	              {CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_FINE_GRAIN_BUFFER},
	              {CL_DEVICE_SVM_ATOMICS, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS}};
	for (unsigned i = 0; i < 3; i++) {
		void *shared = clSVMAlloc(r.context, memory[i].flags, 64, 0);
		assert_int_equal(shared != NULL, (number(&r, CL_DEVICE_SVM_CAPABILITIES) & memory[i].bit) != 0);
		clSVMFree(r.context, shared);
	}
	/* System memory is no shared virtual memory, and sub-devices and native kernels do not exist. */
	assert_false(number(&r, CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
	assert_int_equal(number(&r, CL_DEVICE_EXECUTION_CAPABILITIES), CL_EXEC_KERNEL);
	assert_int_equal(number(&r, CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0);
	rig_close(&r);
}

/* Least values of the full profile; of an optional feature: those, or 0 where it is not there. */
TEST(test_least_values)
{
	static const struct {
		cl_device_info what;
		cl_ulong least;
		cl_device_info feature; /* 0: not optional */
	} rows[] = {{CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3, 0},
	            {CL_DEVICE_MAX_WORK_GROUP_SIZE, 1, 0},
	            {CL_DEVICE_MAX_PARAMETER_SIZE, 1024, 0},
	            {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 64 << 10, 0},
	            {CL_DEVICE_MAX_CONSTANT_ARGS, 8, 0},
	            {CL_DEVICE_LOCAL_MEM_SIZE, 32 << 10, 0},
	            {CL_DEVICE_PRINTF_BUFFER_SIZE, 1 << 20, 0},
	            {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 32 << 20, 0},
	            {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024, 0},
	            {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 64 << 10, 0},
	            {CL_DEVICE_MAX_PIPE_ARGS, 16, CL_DEVICE_PIPE_SUPPORT},
	            {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 1, CL_DEVICE_PIPE_SUPPORT},
	            {CL_DEVICE_PIPE_MAX_PACKET_SIZE, 1024, CL_DEVICE_PIPE_SUPPORT},
	            {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 16 << 10, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES},
	            {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 256 << 10, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES},
	            {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 1, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES},
	            {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 1024, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES},
	            {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 3, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES},
	            {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128, CL_DEVICE_IMAGE_SUPPORT},
	            {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64, CL_DEVICE_IMAGE_SUPPORT},
	            {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384, CL_DEVICE_IMAGE_SUPPORT},
	            {CL_DEVICE_MAX_SAMPLERS, 16, CL_DEVICE_IMAGE_SUPPORT}};
	rig r;
	rig_open(&r);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cl_ulong value = number(&r, rows[i].what);
		bool there = !rows[i].feature || number(&r, rows[i].feature);
		print_message("0x%x: %llu\n", rows[i].what, (unsigned long long)value);
		assert_true(there ? value >= rows[i].least : value == 0);
	}
	rig_close(&r);
}

/* The list with versions and the text say the same, of the platform and of the device. Each version of the language builds. */
TEST(test_lists)
{
	rig r;
	static char text[4096], names[4096], of_platform_too[4096];
	static cl_name_version list[64];
	size_t bytes, end = 0;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL), CL_SUCCESS);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &bytes), CL_SUCCESS);
	for (size_t i = 0; i < bytes / sizeof *list; i++)
		end += (size_t)sprintf(names + end, "%s%s", i ? " " : "", list[i].name);
	assert_string_equal(text, names);
	assert_int_equal(clGetPlatformInfo(r.platform, CL_PLATFORM_EXTENSIONS, sizeof of_platform_too, of_platform_too, NULL), CL_SUCCESS);
	assert_string_equal(text, of_platform_too);
	assert_int_equal(strstr(text, "cl_khr_fp16") != NULL, number(&r, CL_DEVICE_HALF_FP_CONFIG) != 0);
	assert_int_equal(strstr(text, "cl_khr_fp64") != NULL, number(&r, CL_DEVICE_DOUBLE_FP_CONFIG) != 0);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &bytes), CL_SUCCESS);
	for (size_t i = 0; i < bytes / sizeof *list; i++) {
		char option[32];
		sprintf(option, "-cl-std=CL%u.%u", CL_VERSION_MAJOR(list[i].version), CL_VERSION_MINOR(list[i].version));
		assert_true(builds(&r, "kernel void k(global int *p) { p[0] = 1; }", option));
	}
	/* Intermediate languages: the text names what the list has, and programs in them are taken or not. */
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_ILS_WITH_VERSION, sizeof list, list, &bytes), CL_SUCCESS);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL), CL_SUCCESS);
	assert_int_equal(bytes != 0, *text != '\0');
	for (size_t i = 0; i < bytes / sizeof *list; i++)
		assert_non_null(strstr(text, list[i].name));
	cl_int status;
	assert_null(clCreateProgramWithIL(r.context, "no module", 9, &status));
	assert_int_equal(status, bytes ? CL_INVALID_VALUE : CL_INVALID_OPERATION);
	rig_close(&r);
}

/* The functions of each extension that is advertised, by name and, where the loader calls them, in its table. An extension without a row is an
 * error, so that a new one gets its row. */
TEST(test_functions_of_extensions)
{
	static const struct {
		const char *extension, *functions;
	} rows[] = {
	    {"cl_khr_icd", "clIcdGetPlatformIDsKHR"},
	    {"cl_khr_il_program", "clCreateProgramWithILKHR"},
	    {"cl_khr_subgroups", "clGetKernelSubGroupInfoKHR"},
	    {"cl_khr_command_buffer", "clCreateCommandBufferKHR clFinalizeCommandBufferKHR clRetainCommandBufferKHR clReleaseCommandBufferKHR "
	                              "clEnqueueCommandBufferKHR clCommandBarrierWithWaitListKHR clCommandCopyBufferKHR clCommandCopyBufferRectKHR "
	                              "clCommandCopyBufferToImageKHR clCommandCopyImageKHR clCommandCopyImageToBufferKHR clCommandFillBufferKHR "
	                              "clCommandFillImageKHR clCommandNDRangeKernelKHR clGetCommandBufferInfoKHR"},
	};
	static const char without[] = " cl_khr_priority_hints cl_khr_byte_addressable_store cl_khr_fp16 cl_khr_fp64 cl_khr_global_int32_base_atomics "
	                              "cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "
	                              "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_subgroup_extended_types "
	                              "cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic "
	                              "cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce ";
	rig r;
	char text[4096], functions[1024], word[80];
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL), CL_SUCCESS);
	for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
		size_t i = 0, n;
		while (i < sizeof rows / sizeof *rows && strcmp(rows[i].extension, name) != 0)
			i++;
		snprintf(word, sizeof word, " %s ", name);
		if (i == sizeof rows / sizeof *rows && !strstr(without, word))
			fail_msg("%s has no row here", name);
		strcpy(functions, i < sizeof rows / sizeof *rows ? rows[i].functions : "");
		for (char *function = functions; *function; function += n + (function[n] != '\0')) {
			n = strcspn(function, " ");
			snprintf(word, sizeof word, "%.*s", (int)n, function);
			if (!clGetExtensionFunctionAddressForPlatform(r.platform, word))
				fail_msg("%s is not there", word);
		}
	}
	const cl_icd_dispatch *table = *(const cl_icd_dispatch *const *)r.platform;
	assert_non_null(table->clGetKernelSubGroupInfoKHR);
	/* A device without images answers 0 to what it could do with them. */
	for (size_t i = 0; i < sizeof device_rows / sizeof *device_rows; i++)
		if (strstr(device_rows[i].name, "IMAGE") || strstr(device_rows[i].name, "SAMPLER"))
			assert_int_equal(number(&r, device_rows[i].what), 0);
	/* As programs call it, through the loader. */
	cl_program program = rig_build(&r, "kernel void k(global int *p) { }", NULL);
	cl_kernel kernel = rig_kernel(program, "k");
	size_t local = 40, sub_groups = 0;
	assert_int_equal(clGetKernelSubGroupInfoKHR(kernel, r.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, sizeof local, &local,
	                                            sizeof sub_groups, &sub_groups, NULL),
	                 CL_SUCCESS);
	assert_int_equal(sub_groups, 2);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

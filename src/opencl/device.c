/* The single device. The machine description describes it. */
#include "opencl/driver.h"

#include "heddle/heddle.h"

cl_device_type hc_device_type(void)
{
	static const cl_device_type types[] = {
	    [HR_TYPE_GPU] = CL_DEVICE_TYPE_GPU, [HR_TYPE_CPU] = CL_DEVICE_TYPE_CPU, [HR_TYPE_ACCELERATOR] = CL_DEVICE_TYPE_ACCELERATOR};
	return types[hr_device.type];
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *n_ret)
{
	const cl_device_type known =
	    CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
	if (platform && !hc_is(platform, HC_PLATFORM))
		return CL_INVALID_PLATFORM;
	if (type != CL_DEVICE_TYPE_ALL && (!type || (type & ~known)))
		return CL_INVALID_DEVICE_TYPE;
	if ((n == 0 && devices) || (!devices && !n_ret))
		return CL_INVALID_VALUE;
	if (!hc_start() || !(type & (CL_DEVICE_TYPE_DEFAULT | hc_device_type())))
		return CL_DEVICE_NOT_FOUND;
	if (devices)
		devices[0] = &hc_device;
	if (n_ret)
		*n_ret = 1;
	return CL_SUCCESS;
}

/* One query and its answer: a text, the bytes that a function writes, or a number. A function computes the number, or the row holds it. */
typedef struct query {
	cl_device_info what;
	const char *text;
	cl_int (*put)(hc_answer to, cl_device_id device);
	size_t bytes; /* size of the number: that of its type in the standard, 4 or 8 */
	uint64_t (*function)(cl_device_id device);
	uint64_t number;
} query;

static cl_int put_name(hc_answer to, cl_device_id device) { return hc_answer_text(to, hr_device.name); }

static cl_int put_driver_version(hc_answer to, cl_device_id device)
{
	char version[64];
	snprintf(version, sizeof version, HEDDLE_VERSION ".%08x", (unsigned)hr_build_number());
	return hc_answer_text(to, version);
}

static cl_int put_c_versions(hc_answer to, cl_device_id device)
{
	static const cl_version versions[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(2, 0, 0),
	                                      CL_MAKE_VERSION(3, 0, 0)};
	cl_name_version answer[HD_COUNT(versions)] = {0};
	for (size_t i = 0; i < HD_COUNT(versions); i++)
		answer[i] = (cl_name_version){.version = versions[i], .name = "OpenCL C"};
	return hc_answer_bytes(to, answer, sizeof answer);
}

static cl_int put_features(hc_answer to, cl_device_id device)
{
	static const char *const names[] = {"atomic_order_acq_rel",
	                                    "atomic_order_seq_cst",
	                                    "atomic_scope_all_devices",
	                                    "atomic_scope_device",
	                                    "device_enqueue",
	                                    "fp64",
	                                    "generic_address_space",
	                                    "int64",
	                                    "pipes",
	                                    "program_scope_global_variables",
	                                    "subgroups",
	                                    "work_group_collective_functions"};
	cl_name_version features[HD_COUNT(names)] = {0};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		features[i].version = CL_MAKE_VERSION(3, 0, 0);
		snprintf(features[i].name, sizeof features[i].name, "__opencl_c_%s", names[i]);
	}
	return hc_answer_bytes(to, features, sizeof features);
}

static cl_int put_extensions(hc_answer to, cl_device_id device)
{
	cl_name_version list[32];
	size_t n = hc_extension_versions(list, HD_COUNT(list));
	return hc_answer_bytes(to, list, n * sizeof *list);
}

static cl_int put_extension_names(hc_answer to, cl_device_id device) { return hc_answer_text(to, hc_extensions()); }

static cl_int put_il_names(hc_answer to, cl_device_id device) { return hc_answer_text(to, device->spirv ? HD_SPIRV_VERSIONS : ""); }

static cl_int put_ils(hc_answer to, cl_device_id device)
{
	cl_name_version list[HD_SPIRV_NEWEST_MINOR + 1] = {0};
	for (cl_uint i = 0; i < HD_COUNT(list); i++)
		list[i] = (cl_name_version){.version = CL_MAKE_VERSION(1, HD_SPIRV_NEWEST_MINOR - i, 0), .name = "SPIR-V"};
	return hc_answer_bytes(to, list, device->spirv ? sizeof list : 0);
}

static cl_int put_work_item_sizes(hc_answer to, cl_device_id device)
{
	const size_t largest = hr_group_max(NULL), sizes[3] = {largest, largest, largest};
	return hc_answer_bytes(to, sizes, sizeof sizes);
}

static cl_int put_platform(hc_answer to, cl_device_id device) { return HC_ANSWER(to, cl_platform_id, &hc_platform); }

/* An empty list. */
static cl_int put_nothing(hc_answer to, cl_device_id device) { return hc_answer_bytes(to, "", 0); }

static uint64_t device_type(cl_device_id device) { return hc_device_type(); }
static uint64_t compute_units(cl_device_id device) { return (uint64_t)hr_device.machine.machine_clusters * hr_device.machine.machine_cores; }
static uint64_t clock_frequency(cl_device_id device) { return hr_device.machine.machine_clock_mhz; }
static uint64_t work_group_size(cl_device_id device) { return hr_group_max(NULL); }
static uint64_t sub_groups(cl_device_id device) { return (hr_group_max(NULL) + HC_SUB_GROUP - 1) / HC_SUB_GROUP; }
static uint64_t largest_buffer(cl_device_id device) { return hr_device.allocation; }
static uint64_t global_memory(cl_device_id device) { return hr_device.memory; }
static uint64_t l2_size(cl_device_id device) { return hr_device.machine.memory_l2_bytes; }
static uint64_t local_memory(cl_device_id device) { return hr_device.machine.machine_shared_memory; }

enum { CONSTANT_BUFFER = 64 << 10 /* what a full profile must have, and GPUs offer; a larger buffer works as well */ };
enum { FLOATS = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA };

enum { ORDERS = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST };
enum { RESERVATIONS = 1024 /* nothing limits them: each takes one number of a pipe */ };
enum { VARIABLES = 16 << 20 /* bytes of program-scope variables: they lie in the binary */ };

enum {
	RECORDS = CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
	          CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR
};

#define TEXT(query, words) .what = query, .text = words
#define BYTES(query, call) .what = query, .put = call
#define FUNCTION(query, type, call) .what = query, .bytes = sizeof(type), .function = call
#define NUMBER(query, type, value) .what = query, .bytes = sizeof(type), .number = value

/* All queries. Images and sub-devices do not exist. The answers about them are 0. */
static const query queries[] = {
    {TEXT(CL_DEVICE_VENDOR, "Heddle")},
    {TEXT(CL_DEVICE_PROFILE, "FULL_PROFILE")},
    {TEXT(CL_DEVICE_VERSION, "OpenCL 3.0 Heddle " HEDDLE_VERSION)},
    {TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 Heddle " HEDDLE_VERSION)},
    {BYTES(CL_DEVICE_EXTENSIONS, put_extension_names)},
    {NUMBER(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, cl_device_command_buffer_capabilities_khr, RECORDS)},
    {NUMBER(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, cl_command_queue_properties, 0)},
    {TEXT(CL_DEVICE_BUILT_IN_KERNELS, "")},
    {BYTES(CL_DEVICE_IL_VERSION, put_il_names)},
    {TEXT(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "v0000-01-01-00") /* none, in the form that programs parse */},
    {BYTES(CL_DEVICE_NAME, put_name)},
    {BYTES(CL_DRIVER_VERSION, put_driver_version)},
    {BYTES(CL_DEVICE_OPENCL_C_ALL_VERSIONS, put_c_versions)},
    {BYTES(CL_DEVICE_OPENCL_C_FEATURES, put_features)},
    {BYTES(CL_DEVICE_EXTENSIONS_WITH_VERSION, put_extensions)},
    {BYTES(CL_DEVICE_MAX_WORK_ITEM_SIZES, put_work_item_sizes)},
    {BYTES(CL_DEVICE_PLATFORM, put_platform)},
    {BYTES(CL_DEVICE_PARTITION_TYPE, put_nothing)},
    {BYTES(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, put_nothing)},
    {BYTES(CL_DEVICE_ILS_WITH_VERSION, put_ils)},
    {FUNCTION(CL_DEVICE_TYPE, cl_device_type, device_type)},
    {FUNCTION(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint, compute_units)},
    {FUNCTION(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint, clock_frequency)},
    {FUNCTION(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, work_group_size)},
    {FUNCTION(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, largest_buffer)},
    {NUMBER(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong, CONSTANT_BUFFER)},
    {FUNCTION(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong, global_memory)},
    {FUNCTION(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong, l2_size)},
    {FUNCTION(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong, local_memory)},
    {NUMBER(CL_DEVICE_NUMERIC_VERSION, cl_version, CL_MAKE_VERSION(3, 0, 0))},
    {NUMBER(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type, CL_READ_WRITE_CACHE)},
    {NUMBER(CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type, CL_LOCAL)},
    {NUMBER(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config, FLOATS | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)},
    {NUMBER(CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config, FLOATS)},
    {NUMBER(CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA)},
    {NUMBER(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities, CL_EXEC_KERNEL)},
    {NUMBER(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)},
    {NUMBER(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)},
    {NUMBER(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities,
            CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT)},
    {NUMBER(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities,
            CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS)},
    {NUMBER(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities,
            ORDERS | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)},
    {NUMBER(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, cl_device_atomic_capabilities,
            ORDERS | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)},
    {NUMBER(CL_DEVICE_PARTITION_PROPERTIES, cl_device_partition_property, 0)},
    {NUMBER(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain, 0)},
    {NUMBER(CL_DEVICE_PARENT_DEVICE, cl_device_id, 0)},
    {NUMBER(CL_DEVICE_MAX_PARAMETER_SIZE, size_t, HD_PARAM_BYTES_MAX)},
    {NUMBER(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, 32)},
    {NUMBER(CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t, 1)},
    {NUMBER(CL_DEVICE_PRINTF_BUFFER_SIZE, size_t, HR_PRINT_BYTES)},
    {NUMBER(CL_DEVICE_VENDOR_ID, cl_uint, 0x48454444)},
    {NUMBER(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint, 3)},
    {NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint, 1)},
    {NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, cl_uint, 1)},
    {NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, cl_uint, 1)},
    {NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, cl_uint, 1)},
    {NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint, 1)},
    {NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint, 1)},
    {NUMBER(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, cl_uint, 1)},
    {NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, cl_uint, 1)},
    {NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, cl_uint, 1)},
    {NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, cl_uint, 1)},
    {NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, cl_uint, 1)},
    {NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, 1)},
    {NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint, 1)},
    {NUMBER(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, cl_uint, 1)},
    {NUMBER(CL_DEVICE_ADDRESS_BITS, cl_uint, 64)},
    {NUMBER(CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint, 0)},
    {NUMBER(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint, 0)},
    {NUMBER(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint, 0)},
    {NUMBER(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, cl_uint, 0)},
    {NUMBER(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, cl_uint, 0)},
    {NUMBER(CL_DEVICE_MAX_SAMPLERS, cl_uint, 0)},
    {NUMBER(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, 1024)},
    {NUMBER(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint, 128)},
    {NUMBER(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint, 128)},
    {NUMBER(CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint, 64)},
    {NUMBER(CL_DEVICE_MAX_PIPE_ARGS, cl_uint, 16)},
    {NUMBER(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint, RESERVATIONS)},
    {NUMBER(CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint, HC_PACKET_MAX)},
    {NUMBER(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint, HC_DEVICE_QUEUE_BYTES)},
    {NUMBER(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint, HC_DEVICE_QUEUE_BYTES_MAX)},
    {NUMBER(CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint, HC_DEVICE_QUEUES)},
    {NUMBER(CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint, HC_DEVICE_EVENTS)},
    {NUMBER(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint, 0)},
    {NUMBER(CL_DEVICE_REFERENCE_COUNT, cl_uint, 1)},
    {FUNCTION(CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint, sub_groups)},
    {NUMBER(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint, 0)},
    {NUMBER(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint, 0)},
    {NUMBER(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint, 0)},
    {NUMBER(CL_DEVICE_IMAGE_SUPPORT, cl_bool, CL_FALSE)},
    {NUMBER(CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool, CL_FALSE)},
    {NUMBER(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool, CL_FALSE)},
    {NUMBER(CL_DEVICE_ENDIAN_LITTLE, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_AVAILABLE, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_COMPILER_AVAILABLE, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_LINKER_AVAILABLE, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_PIPE_SUPPORT, cl_bool, CL_TRUE)},
    {NUMBER(CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t, 0)},
    {NUMBER(CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t, 0)},
    {NUMBER(CL_DEVICE_IMAGE3D_MAX_WIDTH, size_t, 0)},
    {NUMBER(CL_DEVICE_IMAGE3D_MAX_HEIGHT, size_t, 0)},
    {NUMBER(CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t, 0)},
    {NUMBER(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t, 0)},
    {NUMBER(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t, 0)},
    {NUMBER(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, size_t, VARIABLES)},
    {NUMBER(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size_t, VARIABLES)},
};

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	size_t i = 0;
	if (!hc_is(device, HC_DEVICE))
		return CL_INVALID_DEVICE;
	while (i < HD_COUNT(queries) && queries[i].what != what)
		i++;
	if (i == HD_COUNT(queries))
		return CL_INVALID_VALUE;
	const query *q = &queries[i];
	if (q->text)
		return hc_answer_text(to, q->text);
	if (q->put)
		return q->put(to, device);
	uint64_t number = q->function ? q->function(device) : q->number;
	return q->bytes == sizeof(cl_uint) ? HC_ANSWER(to, cl_uint, (cl_uint)number) : HC_ANSWER(to, cl_ulong, number);
}

cl_int clRetainDevice(cl_device_id device) { return hc_is(device, HC_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE; }
cl_int clReleaseDevice(cl_device_id device) { return hc_is(device, HC_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE; }

/* The one device, described by the machine description. */
#include "opencl/driver.h"

#include "heddle/heddle.h"

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
	if (!hc_start() || !(type & (CL_DEVICE_TYPE_DEFAULT | hc_device.type)))
		return CL_DEVICE_NOT_FOUND;
	if (devices)
		devices[0] = &hc_device;
	if (n_ret)
		*n_ret = 1;
	return CL_SUCCESS;
}

static cl_int versions(hc_answer to, const char *name, const cl_version *list, size_t n)
{
	cl_name_version answer[8] = {0};
	for (size_t i = 0; i < n; i++) {
		answer[i].version = list[i];
		snprintf(answer[i].name, sizeof answer[i].name, "%s", name);
	}
	return hc_answer_bytes(to, answer, n * sizeof *answer);
}

static cl_int features(hc_answer to)
{
	static const char *const names[] = {"__opencl_c_fp64", "__opencl_c_int64"};
	cl_name_version answer[HD_COUNT(names)] = {0};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		answer[i].version = CL_MAKE_VERSION(3, 0, 0);
		snprintf(answer[i].name, sizeof answer[i].name, "%s", names[i]);
	}
	return hc_answer_bytes(to, answer, sizeof answer);
}

/* Answers that are the same for every machine. False: not one of these. */
static bool constant_uint(cl_device_info what, cl_uint *value)
{
	static const struct {
		cl_device_info what;
		cl_uint value;
	} table[] = {
	    {CL_DEVICE_VENDOR_ID, 0x48454444},
	    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3},
	    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
	    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1},
	    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1},
	    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1},
	    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1},
	    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1},
	    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 0},
	    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 1},
	    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 1},
	    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1},
	    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1},
	    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1},
	    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 1},
	    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 0},
	    {CL_DEVICE_ADDRESS_BITS, 64},
	    {CL_DEVICE_MAX_READ_IMAGE_ARGS, 0},
	    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 0},
	    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 0},
	    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 0},
	    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 0},
	    {CL_DEVICE_MAX_SAMPLERS, 0},
	    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024},
	    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128},
	    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 128},
	    {CL_DEVICE_MAX_CONSTANT_ARGS, 64},
	    {CL_DEVICE_MAX_PIPE_ARGS, 0},
	    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 0},
	    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, 0},
	    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 0},
	    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 0},
	    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 0},
	    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 0},
	    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0},
	    {CL_DEVICE_REFERENCE_COUNT, 1},
	    {CL_DEVICE_MAX_NUM_SUB_GROUPS, 0},
	    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0},
	    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0},
	    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0},
	};
	for (size_t i = 0; i < HD_COUNT(table); i++)
		if (table[i].what == what)
			return *value = table[i].value, true;
	return false;
}

static bool constant_bool(cl_device_info what, cl_bool *value)
{
	static const struct {
		cl_device_info what;
		cl_bool value;
	} table[] = {
	    {CL_DEVICE_IMAGE_SUPPORT, CL_FALSE},
	    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE},
	    {CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE},
	    {CL_DEVICE_ENDIAN_LITTLE, CL_TRUE},
	    {CL_DEVICE_AVAILABLE, CL_TRUE},
	    {CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE},
	    {CL_DEVICE_LINKER_AVAILABLE, CL_TRUE},
	    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE},
	    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_FALSE},
	    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE},
	    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_FALSE},
	    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_FALSE},
	    {CL_DEVICE_PIPE_SUPPORT, CL_FALSE},
	};
	for (size_t i = 0; i < HD_COUNT(table); i++)
		if (table[i].what == what)
			return *value = table[i].value, true;
	return false;
}

/* Sizes that programs adapt to. False: not one of these. */
static bool size_info(cl_device_info what, size_t *value)
{
	switch (what) {
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		*value = hc_group_max(NULL);
		return true;
	case CL_DEVICE_MAX_PARAMETER_SIZE:
		*value = 4096;
		return true;
	case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		*value = 32;
		return true;
	case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
		*value = 1;
		return true;
	case CL_DEVICE_PRINTF_BUFFER_SIZE:
		*value = HC_PRINT_BYTES;
		return true;
	/* Images: none. */
	case CL_DEVICE_IMAGE2D_MAX_WIDTH:
	case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
	case CL_DEVICE_IMAGE3D_MAX_WIDTH:
	case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
	case CL_DEVICE_IMAGE3D_MAX_DEPTH:
	case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
	case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
	case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
	case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
		*value = 0;
		return true;
	}
	return false;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
	static const cl_version c_versions[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0), CL_MAKE_VERSION(1, 2, 0),
	                                        CL_MAKE_VERSION(3, 0, 0)};
	const cl_device_fp_config floats =
	    CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
	hc_answer to = {size, value, size_ret};
	cl_uint number;
	cl_bool yes;
	size_t bytes;
	if (!hc_is(device, HC_DEVICE))
		return CL_INVALID_DEVICE;
	const hd_machine *m = &device->machine;
	if (constant_uint(what, &number))
		return HC_ANSWER(to, cl_uint, number);
	if (constant_bool(what, &yes))
		return HC_ANSWER(to, cl_bool, yes);
	if (size_info(what, &bytes))
		return HC_ANSWER(to, size_t, bytes);
	switch (what) {
	case CL_DEVICE_TYPE:
		return HC_ANSWER(to, cl_device_type, device->type);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		return HC_ANSWER(to, cl_uint, m->machine_clusters * m->machine_cores);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY:
		return HC_ANSWER(to, cl_uint, m->machine_clock_mhz);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
		size_t most[3] = {hc_group_max(NULL), hc_group_max(NULL), hc_group_max(NULL)};
		return hc_answer_bytes(to, most, sizeof most);
	}
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
	case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
		return HC_ANSWER(to, cl_ulong, device->allocation);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
		return HC_ANSWER(to, cl_ulong, device->memory);
	case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
		return HC_ANSWER(to, cl_device_mem_cache_type, CL_READ_WRITE_CACHE);
	case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
		return HC_ANSWER(to, cl_ulong, m->memory_l2_bytes);
	case CL_DEVICE_LOCAL_MEM_TYPE:
		return HC_ANSWER(to, cl_device_local_mem_type, CL_LOCAL);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		return HC_ANSWER(to, cl_ulong, m->machine_shared_memory);
	case CL_DEVICE_SINGLE_FP_CONFIG:
		return HC_ANSWER(to, cl_device_fp_config, floats | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
	case CL_DEVICE_DOUBLE_FP_CONFIG:
		return HC_ANSWER(to, cl_device_fp_config, floats);
	case CL_DEVICE_HALF_FP_CONFIG:
		return HC_ANSWER(to, cl_device_fp_config, 0);
	case CL_DEVICE_EXECUTION_CAPABILITIES:
		return HC_ANSWER(to, cl_device_exec_capabilities, CL_EXEC_KERNEL);
	case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
		return HC_ANSWER(to, cl_command_queue_properties, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
		return HC_ANSWER(to, cl_command_queue_properties, 0);
	case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
		return HC_ANSWER(to, cl_device_device_enqueue_capabilities, 0);
	case CL_DEVICE_SVM_CAPABILITIES:
		return HC_ANSWER(to, cl_device_svm_capabilities, 0);
	case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
		return HC_ANSWER(to, cl_device_atomic_capabilities, CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
	case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
		return HC_ANSWER(to, cl_device_atomic_capabilities,
		                 CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
	case CL_DEVICE_PARTITION_PROPERTIES:
		return HC_ANSWER(to, cl_device_partition_property, 0);
	case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
		return HC_ANSWER(to, cl_device_affinity_domain, 0);
	case CL_DEVICE_PARTITION_TYPE:
		return hc_answer_bytes(to, "", 0);
	case CL_DEVICE_PARENT_DEVICE:
		return HC_ANSWER(to, cl_device_id, NULL);
	case CL_DEVICE_PLATFORM:
		return HC_ANSWER(to, cl_platform_id, &hc_platform);
	case CL_DEVICE_NAME:
		return hc_answer_text(to, device->name);
	case CL_DEVICE_VENDOR:
		return hc_answer_text(to, "Heddle");
	case CL_DRIVER_VERSION: {
		char version[64];
		snprintf(version, sizeof version, HEDDLE_VERSION ".%08x", (unsigned)hc_build_number());
		return hc_answer_text(to, version);
	}
	case CL_DEVICE_PROFILE:
		return hc_answer_text(to, "FULL_PROFILE");
	case CL_DEVICE_VERSION:
		return hc_answer_text(to, "OpenCL 3.0 Heddle " HEDDLE_VERSION);
	case CL_DEVICE_NUMERIC_VERSION:
		return HC_ANSWER(to, cl_version, CL_MAKE_VERSION(3, 0, 0));
	case CL_DEVICE_OPENCL_C_VERSION:
		return hc_answer_text(to, "OpenCL C 1.2 Heddle " HEDDLE_VERSION);
	case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
		return versions(to, "OpenCL C", c_versions, HD_COUNT(c_versions));
	case CL_DEVICE_OPENCL_C_FEATURES:
		return features(to);
	case CL_DEVICE_EXTENSIONS:
		return hc_answer_text(to, HC_EXTENSIONS);
	case CL_DEVICE_EXTENSIONS_WITH_VERSION: {
		cl_name_version list[16];
		size_t n = hc_extension_versions(list, HD_COUNT(list));
		return hc_answer_bytes(to, list, n * sizeof *list);
	}
	case CL_DEVICE_BUILT_IN_KERNELS:
	case CL_DEVICE_IL_VERSION:
	case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
		return hc_answer_text(to, "");
	case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
	case CL_DEVICE_ILS_WITH_VERSION:
		return hc_answer_bytes(to, "", 0);
	}
	return CL_INVALID_VALUE;
}

cl_int clRetainDevice(cl_device_id device) { return hc_is(device, HC_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE; }
cl_int clReleaseDevice(cl_device_id device) { return hc_is(device, HC_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE; }

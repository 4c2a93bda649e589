/* The platform, and the dispatch table of the loader. */
#include "opencl/driver.h"

#include "heddle/heddle.h"

/* The names that the loader looks for (exports.map). The loader reaches all other functions through the dispatch table. */
#define EXPORTED __attribute__((visibility("default")))

struct _cl_platform_id hc_platform = {.object = {.dispatch = &hc_dispatch, .kind = HC_PLATFORM, .refs = 1, .uses = 1}};
struct _cl_device_id hc_device = {.object = {.dispatch = &hc_dispatch, .kind = HC_DEVICE, .refs = 1, .uses = 1}};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started; /* written under `once` */

static void start(void) { started = hr_setting_read("OpenCL"), hc_device.spirv = hd_spirv_available(); }

bool hc_start(void)
{
	pthread_once(&once, start);
	return started;
}

EXPORTED cl_int clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *platforms, cl_uint *n_ret)
{
	if ((platforms && n == 0) || (!platforms && !n_ret))
		return CL_INVALID_VALUE;
	hc_start();
	if (platforms)
		platforms[0] = &hc_platform;
	if (n_ret)
		*n_ret = 1;
	return CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *n_ret) { return clIcdGetPlatformIDsKHR(n, platforms, n_ret); }

EXPORTED cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (platform && !hc_is(platform, HC_PLATFORM))
		return CL_INVALID_PLATFORM;
	switch (what) {
	case CL_PLATFORM_PROFILE:
		return hc_answer_text(to, "FULL_PROFILE");
	case CL_PLATFORM_VERSION:
		return hc_answer_text(to, "OpenCL 3.0 Heddle " HEDDLE_VERSION);
	case CL_PLATFORM_NUMERIC_VERSION:
		return HC_ANSWER(to, cl_version, CL_MAKE_VERSION(3, 0, 0));
	case CL_PLATFORM_NAME:
		return hc_answer_text(to, "Heddle");
	case CL_PLATFORM_VENDOR:
		return hc_answer_text(to, "Heddle");
	case CL_PLATFORM_EXTENSIONS:
		return hc_answer_text(to, hc_extensions());
	case CL_PLATFORM_EXTENSIONS_WITH_VERSION: {
		cl_name_version list[32];
		size_t n = hc_extension_versions(list, HD_COUNT(list));
		return hc_answer_bytes(to, list, n * sizeof *list);
	}
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return hc_answer_text(to, "HEDDLE");
	case CL_PLATFORM_HOST_TIMER_RESOLUTION:
		return HC_ANSWER(to, cl_ulong, 0);
	}
	return CL_INVALID_VALUE;
}

const char *hc_extensions(void) { return hc_start() && hc_device.spirv ? HC_EXTENSIONS " cl_khr_il_program" : HC_EXTENSIONS; }

size_t hc_extension_versions(cl_name_version *list, size_t max)
{
	size_t n = 0;
	for (const char *at = hc_extensions(); *at && n < max; n++) {
		size_t length = strcspn(at, " ");
		list[n] = (cl_name_version){.version = CL_MAKE_VERSION(1, 0, 0)};
		memcpy(list[n].name, at, length);
		/* Provisional. */
		if (strcmp(list[n].name, CL_KHR_COMMAND_BUFFER_EXTENSION_NAME) == 0)
			list[n].version = CL_MAKE_VERSION(0, 9, 1);
		at += length;
		at += *at == ' ';
	}
	return n;
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform) { return hc_is(platform, HC_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM; }
cl_int clUnloadCompiler(void) { return CL_SUCCESS; }

EXPORTED void *clGetExtensionFunctionAddress(const char *name)
{
	/* The functions that every ICD exports, and those of extensions. */
	cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *) = clIcdGetPlatformIDsKHR;
	cl_int (*info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *) = clGetPlatformInfo;
	cl_program (*with_il)(cl_context, const void *, size_t, cl_int *) = clCreateProgramWithIL;
	clGetKernelSubGroupInfoKHR_fn sub_groups = clGetKernelSubGroupInfo;
	void *address = NULL;
	if (name && strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
		memcpy(&address, &get, sizeof address);
	else if (name && strcmp(name, "clGetPlatformInfo") == 0)
		memcpy(&address, &info, sizeof address);
	else if (name && strcmp(name, "clGetKernelSubGroupInfoKHR") == 0)
		memcpy(&address, &sub_groups, sizeof address);
	else if (name && strcmp(name, "clCreateProgramWithILKHR") == 0 && hc_start() && hc_device.spirv)
		memcpy(&address, &with_il, sizeof address);
	else if (name)
		address = hc_command_buffer_function(name);
	return address;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
	return hc_is(platform, HC_PLATFORM) ? clGetExtensionFunctionAddress(name) : NULL;
}

/* Entries for OpenGL, Direct3D, EGL and device fission stay NULL, because the extensions are not offered. */
const cl_icd_dispatch hc_dispatch = {
#define F(name) .name = name
    F(clGetPlatformIDs),
    F(clGetPlatformInfo),
    F(clGetDeviceIDs),
    F(clGetDeviceInfo),
    F(clCreateContext),
    F(clCreateContextFromType),
    F(clRetainContext),
    F(clReleaseContext),
    F(clGetContextInfo),
    F(clCreateCommandQueue),
    F(clRetainCommandQueue),
    F(clReleaseCommandQueue),
    F(clGetCommandQueueInfo),
    F(clSetCommandQueueProperty),
    F(clCreateBuffer),
    F(clCreateImage2D),
    F(clCreateImage3D),
    F(clRetainMemObject),
    F(clReleaseMemObject),
    F(clGetSupportedImageFormats),
    F(clGetMemObjectInfo),
    F(clGetImageInfo),
    F(clCreateSampler),
    F(clRetainSampler),
    F(clReleaseSampler),
    F(clGetSamplerInfo),
    F(clCreateProgramWithSource),
    F(clCreateProgramWithBinary),
    F(clRetainProgram),
    F(clReleaseProgram),
    F(clBuildProgram),
    F(clUnloadCompiler),
    F(clGetProgramInfo),
    F(clGetProgramBuildInfo),
    F(clCreateKernel),
    F(clCreateKernelsInProgram),
    F(clRetainKernel),
    F(clReleaseKernel),
    F(clSetKernelArg),
    F(clGetKernelInfo),
    F(clGetKernelWorkGroupInfo),
    F(clWaitForEvents),
    F(clGetEventInfo),
    F(clRetainEvent),
    F(clReleaseEvent),
    F(clGetEventProfilingInfo),
    F(clFlush),
    F(clFinish),
    F(clEnqueueReadBuffer),
    F(clEnqueueWriteBuffer),
    F(clEnqueueCopyBuffer),
    F(clEnqueueReadImage),
    F(clEnqueueWriteImage),
    F(clEnqueueCopyImage),
    F(clEnqueueCopyImageToBuffer),
    F(clEnqueueCopyBufferToImage),
    F(clEnqueueMapBuffer),
    F(clEnqueueMapImage),
    F(clEnqueueUnmapMemObject),
    F(clEnqueueNDRangeKernel),
    F(clEnqueueTask),
    F(clEnqueueNativeKernel),
    F(clEnqueueMarker),
    F(clEnqueueWaitForEvents),
    F(clEnqueueBarrier),
    F(clGetExtensionFunctionAddress),
    F(clSetEventCallback),
    F(clCreateSubBuffer),
    F(clSetMemObjectDestructorCallback),
    F(clCreateUserEvent),
    F(clSetUserEventStatus),
    F(clEnqueueReadBufferRect),
    F(clEnqueueWriteBufferRect),
    F(clEnqueueCopyBufferRect),
    F(clCreateSubDevices),
    F(clRetainDevice),
    F(clReleaseDevice),
    F(clCreateImage),
    F(clCreateProgramWithBuiltInKernels),
    F(clCompileProgram),
    F(clLinkProgram),
    F(clUnloadPlatformCompiler),
    F(clGetKernelArgInfo),
    F(clEnqueueFillBuffer),
    F(clEnqueueFillImage),
    F(clEnqueueMigrateMemObjects),
    F(clEnqueueMarkerWithWaitList),
    F(clEnqueueBarrierWithWaitList),
    F(clGetExtensionFunctionAddressForPlatform),
    F(clCreateCommandQueueWithProperties),
    F(clCreatePipe),
    F(clGetPipeInfo),
    F(clSVMAlloc),
    F(clSVMFree),
    F(clEnqueueSVMFree),
    F(clEnqueueSVMMemcpy),
    F(clEnqueueSVMMemFill),
    F(clEnqueueSVMMap),
    F(clEnqueueSVMUnmap),
    F(clCreateSamplerWithProperties),
    F(clSetKernelArgSVMPointer),
    F(clSetKernelExecInfo),
    F(clCloneKernel),
    F(clCreateProgramWithIL),
    F(clEnqueueSVMMigrateMem),
    F(clGetDeviceAndHostTimer),
    F(clGetHostTimer),
    F(clGetKernelSubGroupInfo),
    .clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo,
    F(clSetDefaultDeviceCommandQueue),
    F(clSetProgramReleaseCallback),
    F(clSetProgramSpecializationConstant),
    F(clCreateBufferWithProperties),
    F(clCreateImageWithProperties),
    F(clSetContextDestructorCallback),
#undef F
};

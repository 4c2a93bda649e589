/* Features that this device lacks: images, samplers, native kernels, sub-devices. Each entry
 * point returns what the specification demands of a device without the feature. */
#include "opencl/driver.h"

/* The signatures are those of the interface; these functions need few of their parameters. */
// NOLINTBEGIN(misc-unused-parameters)

static void *none(cl_context context, cl_int *status, cl_int error)
{
	hc_set(status, hc_is(context, HC_CONTEXT) ? error : CL_INVALID_CONTEXT);
	return NULL;
}

static cl_int on_queue(cl_command_queue queue, cl_int error) { return hc_is(queue, HC_QUEUE) ? error : CL_INVALID_COMMAND_QUEUE; }

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *ptr, cl_int *status)
{
	return none(context, status, CL_INVALID_OPERATION);
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, const cl_image_format *format,
                                   const cl_image_desc *desc, void *ptr, cl_int *status)
{
	return none(context, status, CL_INVALID_OPERATION);
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t w, size_t h, size_t pitch, void *ptr,
                       cl_int *status)
{
	return none(context, status, CL_INVALID_OPERATION);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t w, size_t h, size_t d, size_t pitch,
                       size_t slice, void *ptr, cl_int *status)
{
	return none(context, status, CL_INVALID_OPERATION);
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint n, cl_image_format *formats,
                                  cl_uint *n_ret)
{
	if (!hc_is(context, HC_CONTEXT))
		return CL_INVALID_CONTEXT;
	bool known = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
	             type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
	if (!known || (n == 0 && formats))
		return CL_INVALID_VALUE;
	if (n_ret)
		*n_ret = 0;
	return CL_SUCCESS;
}

cl_int clGetImageInfo(cl_mem image, cl_image_info what, size_t size, void *value, size_t *size_ret) { return CL_INVALID_MEM_OBJECT; }

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter, cl_int *status)
{
	return none(context, status, CL_INVALID_OPERATION);
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties, cl_int *status)
{
	return none(context, status, CL_INVALID_OPERATION);
}

cl_int clRetainSampler(cl_sampler sampler) { return CL_INVALID_SAMPLER; }
cl_int clReleaseSampler(cl_sampler sampler) { return CL_INVALID_SAMPLER; }
cl_int clGetSamplerInfo(cl_sampler sampler, cl_sampler_info what, size_t size, void *value, size_t *size_ret) { return CL_INVALID_SAMPLER; }

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region, size_t row,
                          size_t slice, void *to, cl_uint n, const cl_event *wait, cl_event *event)
{
	return on_queue(queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region, size_t row,
                           size_t slice, const void *from, cl_uint n, const cl_event *wait, cl_event *event)
{
	return on_queue(queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_at, const size_t *to_at, const size_t *region, cl_uint n,
                          const cl_event *wait, cl_event *event)
{
	return on_queue(queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin, const size_t *region, size_t at, cl_uint n,
                                  const cl_event *wait, cl_event *event)
{
	return on_queue(queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t at, const size_t *origin, const size_t *region, cl_uint n,
                                  const cl_event *wait, cl_event *event)
{
	return on_queue(queue, CL_INVALID_MEM_OBJECT);
}

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin, const size_t *region, cl_uint n,
                          const cl_event *wait, cl_event *event)
{
	return on_queue(queue, CL_INVALID_MEM_OBJECT);
}

void *clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags, const size_t *origin, const size_t *region,
                        size_t *row, size_t *slice, cl_uint n, const cl_event *wait, cl_event *event, cl_int *status)
{
	hc_set(status, on_queue(queue, CL_INVALID_MEM_OBJECT));
	return NULL;
}

cl_int clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *call)(void *), void *args, size_t size, cl_uint n_mems, const cl_mem *mems,
                             const void **locations, cl_uint n, const cl_event *wait, cl_event *event)
{
	return on_queue(queue, CL_INVALID_OPERATION);
}

cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint n, cl_device_id *devices, cl_uint *n_ret)
{
	return hc_is(device, HC_DEVICE) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint n, const cl_device_id *devices, const char *names, cl_int *status)
{
	for (cl_uint i = 0; hc_is(context, HC_CONTEXT) && devices && i < n; i++)
		if (devices[i] != &hc_device)
			return none(context, status, CL_INVALID_DEVICE);
	return none(context, status, CL_INVALID_VALUE);
}

cl_int clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK *call)(cl_program, void *), void *data)
{
	return hc_is(program, HC_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
	return hc_is(device, HC_DEVICE) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_time) { return hc_is(device, HC_DEVICE) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE; }
// NOLINTEND(misc-unused-parameters)

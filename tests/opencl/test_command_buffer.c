/* Command buffers (cl_khr_command_buffer): what is recorded runs as often as it is enqueued, with the arguments of the recording; every error. */
#include "rig.h"

#include <CL/cl_ext.h>
#include <stdbool.h>

static struct {
	clCreateCommandBufferKHR_fn create;
	clFinalizeCommandBufferKHR_fn finalize;
	clRetainCommandBufferKHR_fn retain;
	clReleaseCommandBufferKHR_fn release;
	clEnqueueCommandBufferKHR_fn enqueue;
	clCommandBarrierWithWaitListKHR_fn barrier;
	clCommandCopyBufferKHR_fn copy;
	clCommandCopyBufferRectKHR_fn rect;
	clCommandFillBufferKHR_fn fill;
	clCommandNDRangeKernelKHR_fn range;
	clCommandCopyImageKHR_fn copy_image;
	clCommandCopyBufferToImageKHR_fn to_image;
	clCommandCopyImageToBufferKHR_fn from_image;
	clCommandFillImageKHR_fn fill_image;
	clGetCommandBufferInfoKHR_fn info;
} f;

static void *address(rig *r, const char *name)
{
	void *at = clGetExtensionFunctionAddressForPlatform(r->platform, name);
	assert_non_null(at);
	return at;
}

static void open(rig *r)
{
	rig_open(r);
#define GET(field, name) *(void **)&f.field = address(r, name)
	GET(create, "clCreateCommandBufferKHR");
	GET(finalize, "clFinalizeCommandBufferKHR");
	GET(retain, "clRetainCommandBufferKHR");
	GET(release, "clReleaseCommandBufferKHR");
	GET(enqueue, "clEnqueueCommandBufferKHR");
	GET(barrier, "clCommandBarrierWithWaitListKHR");
	GET(copy, "clCommandCopyBufferKHR");
	GET(rect, "clCommandCopyBufferRectKHR");
	GET(fill, "clCommandFillBufferKHR");
	GET(range, "clCommandNDRangeKernelKHR");
	GET(copy_image, "clCommandCopyImageKHR");
	GET(to_image, "clCommandCopyBufferToImageKHR");
	GET(from_image, "clCommandCopyImageToBufferKHR");
	GET(fill_image, "clCommandFillImageKHR");
	GET(info, "clGetCommandBufferInfoKHR");
}

static cl_command_buffer_khr create(rig *r, const cl_command_buffer_properties_khr *properties)
{
	cl_int status;
	cl_command_buffer_khr buffer = f.create(1, &r->queue, properties, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_non_null(buffer);
	return buffer;
}

static cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer)
{
	cl_command_buffer_state_khr state = 99;
	assert_int_equal(f.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL), CL_SUCCESS);
	return state;
}

static const char add[] = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
                          "kernel void fall(global int *p) { *(global int *)8 = 1; }";

TEST(commands_run_as_often_as_they_are_enqueued)
{
	rig r;
	cl_int out[8], all[16];
	const size_t global = 8, zero[3] = {0}, region[3] = {8, 2, 1}, to[3] = {4, 0, 0};
	cl_sync_point_khr points[5] = {0};
	open(&r);
	cl_program program = rig_build(&r, add, NULL);
	cl_kernel kernel = rig_kernel(program, "add");
	cl_mem mem = rig_buffer(&r, sizeof out, memset(out, 0, sizeof out)), copy = rig_buffer(&r, sizeof all, memset(all, 0, sizeof all));
	cl_command_buffer_khr buffer = create(&r, NULL);
	assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	clSetKernelArg(kernel, 1, 4, &(cl_int){3});
	assert_int_equal(f.fill(buffer, NULL, copy, &(cl_int){7}, 4, 0, sizeof all, 0, NULL, &points[0], NULL), CL_SUCCESS);
	assert_int_equal(f.range(buffer, NULL, NULL, kernel, 1, NULL, &global, NULL, 0, NULL, &points[1], NULL), CL_SUCCESS);
	/* The next value is of the next command alone. */
	clSetKernelArg(kernel, 1, 4, &(cl_int){10});
	assert_int_equal(f.range(buffer, NULL, (cl_ndrange_kernel_command_properties_khr[]){0}, kernel, 1, &(size_t){4}, &(size_t){4}, NULL, 1,
	                         &points[1], NULL, NULL),
	                 CL_SUCCESS);
	clSetKernelArg(kernel, 1, 4, &(cl_int){1000});
	assert_int_equal(f.barrier(buffer, NULL, 0, NULL, &points[2], NULL), CL_SUCCESS);
	assert_int_equal(f.copy(buffer, NULL, mem, copy, 0, 32, 32, 2, points, &points[3], NULL), CL_SUCCESS);
	assert_int_equal(f.rect(buffer, NULL, mem, copy, zero, to, region, 8, 0, 16, 0, 1, &points[3], &points[4], NULL), CL_SUCCESS);
	for (cl_uint i = 0; i < 2; i++)
		assert_int_equal(points[i], i + 1);
	assert_int_equal(points[4], 6);
	assert_int_equal(f.finalize(buffer), CL_SUCCESS);
	assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
	/* Nothing has run. The buffer keeps what it uses. */
	rig_read(&r, copy, all, sizeof all);
	assert_int_equal(all[0], 0);
	clReleaseKernel(kernel);
	for (int run = 1; run <= 3; run++) {
		cl_event event;
		cl_command_type type;
		assert_int_equal(f.enqueue(0, NULL, buffer, 0, NULL, &event), CL_SUCCESS);
		clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
		assert_int_equal(type, CL_COMMAND_COMMAND_BUFFER_KHR);
		clWaitForEvents(1, &event);
		clReleaseEvent(event);
		rig_read(&r, mem, out, sizeof out);
		rig_read(&r, copy, all, sizeof all);
		for (int i = 0; i < 8; i++) {
			assert_int_equal(out[i], run * (i < 4 ? 3 : 13));
			assert_int_equal(all[8 + i], out[i]);
		}
		assert_int_equal(all[0], 7);
		assert_int_equal(all[1], out[0]);
		assert_int_equal(all[3], 7);
		assert_int_equal(all[5], out[2]);
	}
	assert_int_equal(f.release(buffer), CL_SUCCESS);
	clReleaseMemObject(mem);
	clReleaseMemObject(copy);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Behind a user event: one at a time, or several with the flag, on a queue of the program's choice. */
TEST(a_buffer_is_pending_until_it_has_ended)
{
	const cl_command_buffer_properties_khr several[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
	rig r;
	cl_int out[4] = {0}, status;
	open(&r);
	cl_program program = rig_build(&r, add, NULL);
	cl_kernel kernel = rig_kernel(program, "add");
	cl_mem mem = rig_buffer(&r, sizeof out, out);
	cl_command_queue other = clCreateCommandQueue(r.context, r.device, CL_QUEUE_PROFILING_ENABLE, &status);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	clSetKernelArg(kernel, 1, 4, &(cl_int){1});
	for (int flag = 0; flag < 2; flag++) {
		cl_command_buffer_khr buffer = create(&r, flag ? several : NULL);
		cl_event gate = clCreateUserEvent(r.context, &status);
		f.range(buffer, NULL, NULL, kernel, 1, NULL, &(size_t){4}, NULL, 0, NULL, NULL, NULL);
		assert_int_equal(f.enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
		f.finalize(buffer);
		assert_int_equal(f.enqueue(1, &other, buffer, 1, &gate, NULL), CL_SUCCESS);
		assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_PENDING_KHR);
		assert_int_equal(f.enqueue(0, NULL, buffer, 1, &gate, NULL), flag ? CL_SUCCESS : CL_INVALID_OPERATION);
		clSetUserEventStatus(gate, CL_COMPLETE);
		clFinish(other);
		clFinish(r.queue);
		assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
		/* A command whose wait list fails does not run, and is not pending afterwards. */
		cl_event broken = clCreateUserEvent(r.context, &status), event;
		clSetUserEventStatus(broken, -7);
		assert_int_equal(f.enqueue(0, NULL, buffer, 1, &broken, &event), CL_SUCCESS);
		assert_int_equal(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		clFinish(r.queue);
		assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
		clReleaseEvent(gate);
		clReleaseEvent(broken);
		clReleaseEvent(event);
		f.release(buffer);
	}
	rig_read(&r, mem, out, sizeof out);
	assert_int_equal(out[0], 3);
	clReleaseCommandQueue(other);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(a_fault_ends_the_run)
{
	rig r;
	cl_int out = 1;
	cl_event event;
	open(&r);
	cl_program program = rig_build(&r, add, NULL);
	cl_kernel kernel = rig_kernel(program, "fall");
	cl_mem mem = rig_buffer(&r, sizeof out, &out);
	cl_command_buffer_khr buffer = create(&r, NULL);
	clSetKernelArg(kernel, 0, sizeof mem, &mem);
	f.range(buffer, NULL, NULL, kernel, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL, NULL);
	f.fill(buffer, NULL, mem, &(cl_int){2}, 4, 0, 4, 0, NULL, NULL, NULL);
	f.finalize(buffer);
	assert_int_equal(f.enqueue(0, NULL, buffer, 0, NULL, &event), CL_SUCCESS);
	assert_int_equal(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	clFinish(r.queue);
	rig_read(&r, mem, &out, sizeof out);
	assert_int_equal(out, 1);
	clReleaseEvent(event);
	f.release(buffer);
	clReleaseMemObject(mem);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(queries_tell_of_buffers)
{
	const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
	cl_command_buffer_properties_khr back[3] = {0};
	cl_device_command_buffer_capabilities_khr can = 0;
	cl_command_queue_properties needed = 1;
	cl_command_queue queue;
	cl_name_version versions[64];
	cl_uint n;
	size_t size;
	rig r;
	open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof can, &can, NULL), CL_SUCCESS);
	assert_int_equal(can, CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
	                          CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, sizeof needed, &needed, NULL), CL_SUCCESS);
	assert_int_equal(needed, 0);
	clGetDeviceInfo(r.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &size);
	bool found = false;
	for (size_t i = 0; i < size / sizeof *versions; i++)
		found = found || (strcmp(versions[i].name, "cl_khr_command_buffer") == 0 && versions[i].version == CL_MAKE_VERSION(0, 9, 1));
	assert_true(found);
	cl_command_buffer_khr buffer = create(&r, list);
	assert_int_equal(f.info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof n, &n, NULL), CL_SUCCESS);
	assert_int_equal(n, 1);
	assert_int_equal(f.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof queue, &queue, &size), CL_SUCCESS);
	assert_ptr_equal(queue, r.queue);
	assert_int_equal(size, sizeof queue);
	assert_int_equal(f.retain(buffer), CL_SUCCESS);
	f.info(buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof n, &n, NULL);
	assert_int_equal(n, 2);
	f.release(buffer);
	assert_int_equal(f.info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof back, back, &size), CL_SUCCESS);
	assert_int_equal(size, sizeof list);
	assert_memory_equal(back, list, sizeof list);
	assert_int_equal(f.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, 1, &n, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.info(buffer, 0x7777, sizeof n, &n, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.info(NULL, CL_COMMAND_BUFFER_STATE_KHR, sizeof n, &n, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	f.release(buffer);
	buffer = create(&r, NULL);
	assert_int_equal(f.info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 0, NULL, &size), CL_SUCCESS);
	assert_int_equal(size, 0);
	f.release(buffer);
	rig_close(&r);
}

static void expect_none(cl_uint n, const cl_command_queue *queues, const cl_command_buffer_properties_khr *properties, cl_int expected)
{
	cl_int status;
	assert_null(f.create(n, queues, properties, &status));
	assert_int_equal(status, expected);
}

TEST(errors_are_those_of_the_extension)
{
	const size_t one[3] = {1, 1, 1};
	rig r, s;
	cl_int status;
	open(&s);
	open(&r);
	cl_program program = rig_build(&r, add, NULL);
	cl_kernel kernel = rig_kernel(program, "add");
	cl_mem mem = rig_buffer(&r, 64, NULL), foreign = rig_buffer(&s, 64, NULL);
	cl_command_queue unordered = clCreateCommandQueue(r.context, r.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status),
	                 two[2] = {r.queue, unordered};
	expect_none(0, &r.queue, NULL, CL_INVALID_VALUE);
	expect_none(1, NULL, NULL, CL_INVALID_VALUE);
	expect_none(2, two, NULL, CL_INVALID_VALUE);
	expect_none(1, (cl_command_queue[]){(cl_command_queue)mem}, NULL, CL_INVALID_COMMAND_QUEUE);
	expect_none(1, &r.queue, (cl_command_buffer_properties_khr[]){0x7777, 0, 0}, CL_INVALID_VALUE);
	expect_none(1, &r.queue, (cl_command_buffer_properties_khr[]){CL_COMMAND_BUFFER_FLAGS_KHR, 2, 0}, CL_INVALID_VALUE);
	expect_none(1, &r.queue, (cl_command_buffer_properties_khr[]){CL_COMMAND_BUFFER_FLAGS_KHR, 0, CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0},
	            CL_INVALID_VALUE);

	cl_command_buffer_khr buffer = create(&r, NULL), none = (cl_command_buffer_khr)mem;
	cl_mutable_command_khr handle;
	cl_sync_point_khr point = 0, later = 2;
	assert_int_equal(f.barrier(none, NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	assert_int_equal(f.barrier(buffer, r.queue, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(f.barrier(buffer, NULL, 0, NULL, NULL, &handle), CL_INVALID_VALUE);
	assert_int_equal(f.barrier(buffer, NULL, 1, NULL, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	assert_int_equal(f.barrier(buffer, NULL, 0, &later, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	assert_int_equal(f.barrier(buffer, NULL, 1, &later, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	assert_int_equal(f.barrier(buffer, NULL, 1, &point, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	assert_int_equal(f.copy(buffer, NULL, mem, NULL, 0, 0, 4, 0, NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
	assert_int_equal(f.copy(buffer, NULL, mem, mem, 0, 2, 4, 0, NULL, NULL, NULL), CL_MEM_COPY_OVERLAP);
	assert_int_equal(f.copy(buffer, NULL, mem, mem, 0, 62, 4, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.copy(buffer, NULL, mem, foreign, 0, 0, 4, 0, NULL, NULL, NULL), CL_INVALID_CONTEXT);
	assert_int_equal(f.rect(buffer, NULL, mem, mem, one, one, NULL, 0, 0, 0, 0, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.fill(buffer, NULL, mem, &point, 3, 0, 6, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.range(buffer, NULL, NULL, NULL, 1, NULL, one, NULL, 0, NULL, NULL, NULL), CL_INVALID_KERNEL);
	assert_int_equal(f.range(buffer, NULL, NULL, kernel, 4, NULL, one, NULL, 0, NULL, NULL, NULL), CL_INVALID_WORK_DIMENSION);
	assert_int_equal(f.range(buffer, NULL, NULL, kernel, 1, NULL, one, NULL, 0, NULL, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	assert_int_equal(
	    f.range(buffer, NULL, (cl_ndrange_kernel_command_properties_khr[]){1, 1, 0}, kernel, 1, NULL, one, NULL, 0, NULL, NULL, NULL),
	    CL_INVALID_VALUE);
	assert_int_equal(f.copy_image(buffer, NULL, mem, mem, one, one, one, 0, NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
	assert_int_equal(f.to_image(buffer, NULL, mem, mem, 0, one, one, 0, NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
	assert_int_equal(f.from_image(buffer, NULL, mem, mem, one, one, 0, 0, NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
	assert_int_equal(f.fill_image(buffer, NULL, mem, one, one, one, 0, NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
	/* None of these has been recorded. */
	assert_int_equal(f.barrier(buffer, NULL, 0, NULL, &point, NULL), CL_SUCCESS);
	assert_int_equal(point, 1);

	assert_int_equal(f.finalize(none), CL_INVALID_COMMAND_BUFFER_KHR);
	assert_int_equal(f.finalize(buffer), CL_SUCCESS);
	assert_int_equal(f.finalize(buffer), CL_INVALID_OPERATION);
	assert_int_equal(f.barrier(buffer, NULL, 0, NULL, NULL, NULL), CL_INVALID_OPERATION);
	assert_int_equal(f.enqueue(0, NULL, none, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	assert_int_equal(f.enqueue(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.enqueue(0, two, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.enqueue(2, two, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(f.enqueue(1, (cl_command_queue[]){(cl_command_queue)mem}, buffer, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(f.enqueue(1, &s.queue, buffer, 0, NULL, NULL), CL_INVALID_CONTEXT);
	assert_int_equal(f.enqueue(1, &unordered, buffer, 0, NULL, NULL), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
	assert_int_equal(f.enqueue(0, NULL, buffer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
	/* A call that is refused leaves nothing pending. */
	assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
	assert_int_equal(f.retain(none), CL_INVALID_COMMAND_BUFFER_KHR);
	assert_int_equal(f.release(none), CL_INVALID_COMMAND_BUFFER_KHR);
	assert_int_equal(f.release(buffer), CL_SUCCESS);
	assert_int_equal(f.release(buffer), CL_INVALID_COMMAND_BUFFER_KHR);
	clReleaseCommandQueue(unordered);
	clReleaseMemObject(mem);
	clReleaseMemObject(foreign);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
	rig_close(&s);
}

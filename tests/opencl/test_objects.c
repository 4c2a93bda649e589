/* Platform, device, contexts, queues, buffers, events: values and errors as the specification names them. */
#include "rig.h"

TEST(test_queries_check_sizes)
{
	rig r;
	size_t n = 0;
	char text[8];
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_NAME, 0, NULL, &n), CL_SUCCESS);
	assert_true(n > sizeof text);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_NAME, sizeof text, text, NULL), CL_INVALID_VALUE);
	assert_int_equal(clGetDeviceInfo(r.device, 0x7777, sizeof text, text, NULL), CL_INVALID_VALUE);
	assert_int_equal(clGetDeviceIDs(r.platform, CL_DEVICE_TYPE_CPU, 1, &r.device, NULL), CL_DEVICE_NOT_FOUND);
	assert_int_equal(clGetDeviceIDs(r.platform, CL_DEVICE_TYPE_GPU, 0, &r.device, NULL), CL_INVALID_VALUE);
	rig_close(&r);
}

/* hashcat kept binaries of an older build, as the driver's version was the same, and could not go on with them. */
TEST(test_driver_version_tells_builds_apart)
{
	rig r;
	char text[64] = "", again[64] = "";
	unsigned a, b, c, build;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DRIVER_VERSION, sizeof text, text, NULL), CL_SUCCESS);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DRIVER_VERSION, sizeof again, again, NULL), CL_SUCCESS);
	assert_int_equal(sscanf(text, "%u.%u.%u.%8x", &a, &b, &c, &build), 4);
	assert_int_not_equal(build, 0x4fd0bfc1u); /* of no file at all */
	assert_string_equal(text, again);
	rig_close(&r);
}

/* Queries whose answer is a list: each entry has a name and a version. */
TEST(test_lists_of_the_device)
{
	rig r;
	cl_name_version list[16];
	size_t bytes;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &bytes), CL_SUCCESS);
	size_t n = bytes / sizeof *list;
	assert_true(n > 8 && bytes % sizeof *list == 0);
	for (size_t i = 1; i < n; i++)
		assert_true(strcmp(list[i - 1].name, list[i].name) < 0);
	assert_string_equal(list[0].name, "__opencl_c_atomic_order_acq_rel");
	assert_string_equal(list[n - 1].name, "__opencl_c_work_group_collective_functions");
	assert_int_equal(list[n - 1].version, CL_MAKE_VERSION(3, 0, 0));
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &bytes), CL_SUCCESS);
	assert_int_equal(bytes, 5 * sizeof *list);
	assert_string_equal(list[3].name, "OpenCL C");
	assert_int_equal(list[2].version, CL_MAKE_VERSION(1, 2, 0));
	assert_int_equal(list[3].version, CL_MAKE_VERSION(2, 0, 0));
	assert_int_equal(list[4].version, CL_MAKE_VERSION(3, 0, 0));
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_ILS_WITH_VERSION, 0, NULL, &bytes), CL_SUCCESS);
	/* A version of each name; none where no translator is installed. */
	char versions[256] = "";
	clGetDeviceInfo(r.device, CL_DEVICE_IL_VERSION, sizeof versions, versions, NULL);
	size_t names = *versions != 0;
	for (const char *at = versions; *at; at++)
		names += *at == ' ';
	assert_int_equal(bytes, names * sizeof *list);
	rig_close(&r);
}

TEST(test_context_properties)
{
	rig r;
	cl_int status;
	rig_open(&r);
	cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)r.platform, 0}, bad[] = {0x1234, 0, 0}, got[3];
	cl_context context = clCreateContext(good, 1, &r.device, NULL, NULL, &status);
	size_t n;
	assert_int_equal(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof got, got, &n), CL_SUCCESS);
	assert_int_equal(n, sizeof got);
	assert_memory_equal(got, good, n);
	clReleaseContext(context);
	assert_null(clCreateContext(bad, 1, &r.device, NULL, NULL, &status));
	assert_int_equal(status, CL_INVALID_PROPERTY);
	assert_null(clCreateContext(good, 0, NULL, NULL, NULL, &status));
	assert_int_equal(status, CL_INVALID_VALUE);
	rig_close(&r);
}

/* The flags of a sub-buffer against those of its buffer: it may not allow what the buffer forbids, and takes over what it leaves open. */
TEST(test_sub_buffer_flags)
{
	static const struct {
		cl_mem_flags whole, part, got; /* got 0: refused */
	} cases[] = {
	    {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_READ_ONLY},
	    {CL_MEM_READ_WRITE, 0, CL_MEM_READ_WRITE},
	    {CL_MEM_WRITE_ONLY, 0, CL_MEM_WRITE_ONLY},
	    {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, 0},
	    {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, 0},
	    {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, 0},
	    {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, 0},
	    {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0},
	    {CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, 0, CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY},
	    {CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS},
	    {CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, 0},
	    {CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, 0},
	    {CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, 0},
	    {CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY, 0},
	};
	const cl_buffer_region region = {128, 64};
	rig r;
	rig_open(&r);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cl_int status;
		cl_mem_flags got = 0;
		cl_mem whole = clCreateBuffer(r.context, cases[i].whole, 256, NULL, &status);
		assert_int_equal(status, CL_SUCCESS);
		cl_mem part = clCreateSubBuffer(whole, cases[i].part, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
		assert_int_equal(status, cases[i].got ? CL_SUCCESS : CL_INVALID_VALUE);
		if (part) {
			clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof got, &got, NULL);
			clReleaseMemObject(part);
		}
		assert_int_equal(got, cases[i].got);
		clReleaseMemObject(whole);
	}
	rig_close(&r);
}

TEST(test_memory_object_queries)
{
	rig r;
	cl_int status;
	char own[256] = "";
	const cl_buffer_region region = {128, 64};
	rig_open(&r);
	cl_mem whole = clCreateBufferWithProperties(r.context, (cl_mem_properties[]){0}, CL_MEM_USE_HOST_PTR, sizeof own, own, &status);
	assert_int_equal(status, CL_SUCCESS);
	cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
	assert_int_equal(status, CL_SUCCESS);
	cl_mem_object_type type = 0;
	cl_mem_flags flags = 0;
	cl_mem_properties properties[2] = {7, 7};
	size_t size = 0, n = 0;
	void *host = NULL;
	cl_uint references = 0;
	cl_context context = NULL;
	cl_bool svm = CL_TRUE;
#define QUERY(mem, what, value) assert_int_equal(clGetMemObjectInfo(mem, what, sizeof value, &value, NULL), CL_SUCCESS)
	QUERY(part, CL_MEM_TYPE, type);
	QUERY(part, CL_MEM_FLAGS, flags);
	QUERY(part, CL_MEM_SIZE, size);
	QUERY(part, CL_MEM_HOST_PTR, host);
	QUERY(part, CL_MEM_CONTEXT, context);
	QUERY(part, CL_MEM_USES_SVM_POINTER, svm);
	QUERY(whole, CL_MEM_REFERENCE_COUNT, references);
	assert_int_equal(type, CL_MEM_OBJECT_BUFFER);
	assert_int_equal(flags, CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE);
	assert_int_equal(size, 64);
	assert_ptr_equal(host, own + 128);
	assert_ptr_equal(context, r.context);
	assert_false(svm);
	assert_int_equal(references, 1); /* a sub-buffer is none of the program's references */
	/* An empty list of properties is a list of its end alone; a buffer without a list has none. */
	assert_int_equal(clGetMemObjectInfo(whole, CL_MEM_PROPERTIES, sizeof properties, properties, &n), CL_SUCCESS);
	assert_int_equal(n, sizeof *properties);
	assert_int_equal(properties[0], 0);
	assert_int_equal(clGetMemObjectInfo(part, CL_MEM_PROPERTIES, 0, NULL, &n), CL_SUCCESS);
	assert_int_equal(n, 0);
	/* The buffer lives as long as its part. */
	clReleaseMemObject(whole);
	memcpy(own, "after", 6);
	assert_int_equal(clEnqueueWriteBuffer(r.queue, part, CL_TRUE, 0, 6, own, 0, NULL, NULL), CL_SUCCESS);
	clReleaseMemObject(part);
	rig_close(&r);
}

static void CL_CALLBACK note_end(cl_mem mem, void *ended) { ++*(int *)ended; }

/* A handle of a released object is refused, by every call and as long as few others have been released since. Nothing reads freed memory. */
TEST(test_released_handles_are_refused)
{
	rig r;
	cl_int status;
	char bytes[64] = "";
	size_t n;
	rig_open(&r);
	cl_mem buffer = clCreateBuffer(r.context, 0, sizeof bytes, NULL, &status);
	cl_event event = clCreateUserEvent(r.context, &status);
	assert_int_equal(clReleaseMemObject(buffer), CL_SUCCESS);
	assert_int_equal(clReleaseEvent(event), CL_SUCCESS);
	for (unsigned others = 0; others < 500; others++) {
		cl_mem other = clCreateBuffer(r.context, 0, sizeof bytes, NULL, &status);
		assert_ptr_not_equal(other, buffer);
		assert_int_equal(clReleaseMemObject(other), CL_SUCCESS);
	}
	assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof n, &n, NULL), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clRetainMemObject(buffer), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clEnqueueReadBuffer(r.queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_EVENT);
	assert_int_equal(clWaitForEvents(1, &event), CL_INVALID_EVENT);
	/* A handle of another kind. */
	assert_int_equal(clReleaseMemObject((cl_mem)r.context), CL_INVALID_MEM_OBJECT);
	rig_close(&r);
}

/* An object that its owner has released, and that another object still uses, cannot be brought back. */
TEST(test_what_was_released_stays_released)
{
	rig r;
	cl_int status;
	rig_open(&r);
	cl_mem whole = clCreateBuffer(r.context, 0, 4096, NULL, &status);
	cl_buffer_region region = {0, 2048};
	cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(clReleaseMemObject(whole), CL_SUCCESS);
	assert_int_equal(clRetainMemObject(whole), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clReleaseMemObject(whole), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clReleaseMemObject(part), CL_SUCCESS);
	rig_close(&r);
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
	return (x > y) - (x < y);
}

/* Memory of dead objects serves again: a program that creates and releases for ever does not grow. */
TEST(test_dead_objects_are_used_again)
{
	enum { ALL = 8000, MOST = 1100 };
	rig r;
	cl_int status;
	uintptr_t *seen = malloc(ALL * sizeof *seen);
	unsigned different = 1;
	rig_open(&r);
	for (unsigned i = 0; i < ALL; i++) {
		cl_event event = clCreateUserEvent(r.context, &status);
		assert_int_equal(status, CL_SUCCESS);
		seen[i] = (uintptr_t)event;
		assert_int_equal(clReleaseEvent(event), CL_SUCCESS);
	}
	qsort(seen, ALL, sizeof *seen, by_address);
	for (unsigned i = 1; i < ALL; i++)
		different += seen[i] != seen[i - 1];
	assert_in_range(different, 1000, MOST);
	free(seen);
	rig_close(&r);
}

/* A program may forget to unmap; the buffer's end frees the mapping (seen by the leak check). */
/* A queue that was released lives until its last command has ended, but takes no further one: nobody would run it. */
TEST(test_a_released_queue_takes_no_command)
{
	rig r;
	cl_int status;
	uint32_t word = 0;
	rig_open(&r);
	cl_mem mem = rig_buffer(&r, 4, NULL);
	cl_command_queue queue = clCreateCommandQueue(r.context, r.device, 0, &status);
	cl_event gate = clCreateUserEvent(r.context, &status), last;
	assert_int_equal(clEnqueueMarkerWithWaitList(queue, 1, &gate, &last), CL_SUCCESS);
	assert_int_equal(clReleaseCommandQueue(queue), CL_SUCCESS);
	assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 4, &word, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	assert_int_equal(clWaitForEvents(1, &last), CL_SUCCESS);
	assert_int_equal(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
	clReleaseEvent(last);
	clReleaseEvent(gate);
	clReleaseMemObject(mem);
	rig_close(&r);
}

TEST(test_buffer_released_while_mapped)
{
	rig r;
	cl_int status;
	int ended = 0;
	rig_open(&r);
	cl_mem mem = rig_buffer(&r, 64, NULL);
	assert_int_equal(clSetMemObjectDestructorCallback(mem, note_end, &ended), CL_SUCCESS);
	assert_non_null(clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status));
	assert_non_null(clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_READ, 16, 8, 0, NULL, NULL, &status));
	clFinish(r.queue);
	clReleaseMemObject(mem);
	clFinish(r.queue);
	assert_int_equal(ended, 1);
	rig_close(&r);
}

TEST(test_buffer_flags)
{
	static const struct {
		cl_mem_flags flags;
		size_t size;
		int host;
		cl_int status;
	} cases[] = {
	    {0, 0, 0, CL_INVALID_BUFFER_SIZE},
	    {0, (size_t)1 << 40, 0, CL_INVALID_BUFFER_SIZE},
	    {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, 0, CL_INVALID_VALUE},
	    {CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, 1, CL_INVALID_VALUE},
	    {CL_MEM_USE_HOST_PTR, 4, 0, CL_INVALID_HOST_PTR},
	    {0, 4, 1, CL_INVALID_HOST_PTR},
	    {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4, 0, CL_INVALID_VALUE},
	    {CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, 1, CL_SUCCESS},
	};
	rig r;
	uint32_t host = 7;
	rig_open(&r);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cl_int status;
		cl_mem mem = clCreateBuffer(r.context, cases[i].flags, cases[i].size, cases[i].host ? &host : NULL, &status);
		assert_int_equal(status, cases[i].status);
		assert_int_equal(mem != NULL, status == CL_SUCCESS);
		if (mem)
			clReleaseMemObject(mem);
	}
	rig_close(&r);
}

TEST(test_sub_buffers)
{
	rig r;
	cl_int status;
	uint8_t bytes[512], got[128];
	for (int i = 0; i < 512; i++)
		bytes[i] = (uint8_t)(i * 7);
	rig_open(&r);
	cl_mem whole = rig_buffer(&r, sizeof bytes, bytes), parent;
	cl_buffer_region region = {128, 128}, odd = {64, 128}, past = {384, 256}, none = {128, 0};
	cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
	assert_int_equal(status, CL_SUCCESS);
	size_t offset;
	clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL);
	clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
	assert_int_equal(offset, 128);
	assert_ptr_equal(parent, whole);
	assert_null(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &status));
	assert_int_equal(status, CL_MISALIGNED_SUB_BUFFER_OFFSET);
	assert_null(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &past, &status));
	assert_int_equal(status, CL_INVALID_VALUE);
	assert_null(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &none, &status));
	assert_int_equal(status, CL_INVALID_BUFFER_SIZE);
	assert_null(clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
	assert_int_equal(status, CL_INVALID_MEM_OBJECT);
	/* The parent goes first: the part keeps it. */
	clReleaseMemObject(whole);
	rig_read(&r, part, got, sizeof got);
	assert_memory_equal(got, bytes + 128, 128);
	clReleaseMemObject(part);
	rig_close(&r);
}

TEST(test_copy_and_fill)
{
	rig r;
	uint32_t ramp[64], got[64], pattern[2] = {0xdeadbeef, 0x12345678};
	for (uint32_t i = 0; i < 64; i++)
		ramp[i] = i;
	rig_open(&r);
	cl_mem a = rig_buffer(&r, sizeof ramp, ramp), b = rig_buffer(&r, sizeof ramp, NULL);
	assert_int_equal(clEnqueueFillBuffer(r.queue, b, pattern, 8, 16, 32, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueCopyBuffer(r.queue, a, b, 4, 128, 64, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, b, got, sizeof got);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(got[i], i >= 4 && i < 12 ? pattern[i & 1] : i >= 32 && i < 48 ? i - 31 : 0);
	assert_int_equal(clEnqueueFillBuffer(r.queue, b, pattern, 3, 0, 12, 0, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(clEnqueueFillBuffer(r.queue, b, pattern, 8, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(clEnqueueCopyBuffer(r.queue, a, a, 0, 4, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
	assert_int_equal(clEnqueueReadBuffer(r.queue, a, CL_TRUE, 200, 100, got, 0, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(clEnqueueReadBuffer(r.queue, a, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	rig_close(&r);
}

TEST(test_rectangles)
{
	rig r;
	uint8_t host[8 * 8 * 4], got[8 * 8 * 4], out[2 * 3 * 2];
	for (int i = 0; i < 256; i++)
		host[i] = (uint8_t)i;
	memset(got, 0, sizeof got);
	rig_open(&r);
	cl_mem a = rig_buffer(&r, sizeof host, NULL);
	const size_t at[3] = {1, 2, 1}, zero[3] = {0, 0, 0}, region[3] = {2, 3, 2}, wide[3] = {9, 1, 1}, beside[3] = {4, 2, 1}, over[3] = {2, 3, 1};
	assert_int_equal(clEnqueueWriteBufferRect(r.queue, a, CL_TRUE, at, at, region, 8, 64, 8, 64, host, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueReadBufferRect(r.queue, a, CL_TRUE, at, zero, region, 8, 64, 0, 0, out, 0, NULL, NULL), CL_SUCCESS);
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 3; y++)
			for (int x = 0; x < 2; x++)
				assert_int_equal(out[z * 6 + y * 2 + x], host[(z + 1) * 64 + (y + 2) * 8 + x + 1]);
	assert_int_equal(clEnqueueCopyBufferRect(r.queue, a, a, at, beside, region, 8, 64, 8, 64, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, a, got, sizeof got);
	assert_int_equal(got[1 * 64 + 2 * 8 + 4], host[1 * 64 + 2 * 8 + 1]);
	assert_int_equal(clEnqueueCopyBufferRect(r.queue, a, a, at, over, region, 8, 64, 8, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
	assert_int_equal(clEnqueueReadBufferRect(r.queue, a, CL_TRUE, at, zero, wide, 8, 64, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
	clReleaseMemObject(a);
	rig_close(&r);
}

TEST(test_map)
{
	rig r;
	cl_int status;
	uint32_t own[16], got[16], count;
	for (uint32_t i = 0; i < 16; i++)
		own[i] = i;
	rig_open(&r);
	cl_mem a = rig_buffer(&r, 64, NULL), b = clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, 64, own, &status);
	uint32_t *p = clEnqueueMapBuffer(r.queue, a, CL_TRUE, CL_MAP_WRITE, 16, 32, 0, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	clGetMemObjectInfo(a, CL_MEM_MAP_COUNT, sizeof count, &count, NULL);
	assert_int_equal(count, 1);
	p[0] = 99;
	assert_int_equal(clEnqueueUnmapMemObject(r.queue, a, p, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueUnmapMemObject(r.queue, a, p, 0, NULL, NULL), CL_INVALID_VALUE);
	rig_read(&r, a, got, 64);
	assert_int_equal(got[4], 99);
	/* The program's own memory: the pointer is inside it, and has what the device wrote. */
	assert_int_equal(clEnqueueCopyBuffer(r.queue, a, b, 16, 8, 4, 0, NULL, NULL), CL_SUCCESS);
	p = clEnqueueMapBuffer(r.queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 8, 16, 0, NULL, NULL, &status);
	assert_ptr_equal(p, own + 2);
	assert_int_equal(own[2], 99);
	own[3] = 55;
	clEnqueueUnmapMemObject(r.queue, b, p, 0, NULL, NULL);
	rig_read(&r, b, got, 64);
	assert_int_equal(got[3], 55);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	rig_close(&r);
}

static void CL_CALLBACK count_call(cl_event event, cl_int status, void *data)
{
	__atomic_fetch_add((int *)data, status == CL_COMPLETE ? 1 : 100, __ATOMIC_SEQ_CST);
}

TEST(test_user_events_order_commands)
{
	rig r;
	cl_int status;
	uint32_t one = 1, two = 2, got = 0;
	int calls = 0;
	rig_open_with(&r, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem a = rig_buffer(&r, 4, NULL);
	cl_event user = clCreateUserEvent(r.context, &status), first, second;
	/* The second command does not wait for the first, which waits for the program. */
	assert_int_equal(clEnqueueWriteBuffer(r.queue, a, CL_FALSE, 0, 4, &one, 1, &user, &first), CL_SUCCESS);
	assert_int_equal(clEnqueueWriteBuffer(r.queue, a, CL_TRUE, 0, 4, &two, 0, NULL, &second), CL_SUCCESS);
	assert_int_equal(clSetEventCallback(first, CL_COMPLETE, count_call, &calls), CL_SUCCESS);
	assert_int_equal(clSetEventCallback(second, CL_COMPLETE, count_call, &calls), CL_SUCCESS);
	clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	assert_true(status > CL_COMPLETE);
	assert_int_equal(clSetUserEventStatus(user, CL_QUEUED), CL_INVALID_VALUE);
	assert_int_equal(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
	assert_int_equal(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
	assert_int_equal(clSetUserEventStatus(first, CL_COMPLETE), CL_INVALID_EVENT);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	rig_read(&r, a, &got, 4);
	assert_int_equal(got, 1);
	assert_int_equal(calls, 2);
	clReleaseEvent(user);
	clReleaseEvent(first);
	clReleaseEvent(second);
	clReleaseMemObject(a);
	rig_close(&r);
}

TEST(test_failed_user_event)
{
	rig r;
	cl_int status;
	uint32_t one = 1;
	rig_open(&r);
	cl_mem a = rig_buffer(&r, 4, NULL);
	cl_event user = clCreateUserEvent(r.context, &status), event;
	assert_int_equal(clEnqueueWriteBuffer(r.queue, a, CL_FALSE, 0, 4, &one, 1, &user, &event), CL_SUCCESS);
	clSetUserEventStatus(user, -5);
	assert_int_equal(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	assert_int_equal(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	clReleaseEvent(user);
	clReleaseEvent(event);
	clReleaseMemObject(a);
	rig_close(&r);
}

TEST(test_profiling_is_monotonic)
{
	rig r;
	uint8_t bytes[4096] = {0};
	cl_ulong last = 0, t[4];
	rig_open(&r);
	cl_mem a = rig_buffer(&r, sizeof bytes, NULL);
	for (int i = 0; i < 5; i++) {
		cl_event event;
		assert_int_equal(clEnqueueWriteBuffer(r.queue, a, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, &event), CL_SUCCESS);
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + k, sizeof t[k], &t[k], NULL), CL_SUCCESS);
		assert_true(last <= t[0] && t[0] <= t[1] && t[1] <= t[2] && t[2] < t[3]);
		last = t[3];
		clReleaseEvent(event);
	}
	clReleaseMemObject(a);
	rig_close(&r);
}

TEST(test_invalid_handles)
{
	rig r;
	cl_int status;
	rig_open(&r);
	cl_event user = clCreateUserEvent(r.context, &status);
	assert_int_equal(clFinish((cl_command_queue)r.context), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clReleaseMemObject((cl_mem)r.queue), CL_INVALID_MEM_OBJECT);
	assert_null(clCreateBuffer((cl_context)r.queue, 0, 4, NULL, &status));
	assert_int_equal(status, CL_INVALID_CONTEXT);
	assert_int_equal(clEnqueueMarkerWithWaitList(r.queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
	assert_int_equal(clEnqueueMarkerWithWaitList(r.queue, 0, &user, NULL), CL_INVALID_EVENT_WAIT_LIST);
	cl_image_format format = {CL_RGBA, CL_FLOAT};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	assert_null(clCreateImage(r.context, 0, &format, &desc, NULL, &status));
	assert_int_equal(status, CL_INVALID_OPERATION);
	clReleaseEvent(user);
	rig_close(&r);
}

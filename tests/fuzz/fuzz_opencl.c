/* Any bytes as a sequence of OpenCL calls, in this process, with handles that are alive, released, of another kind, or none at all, and with sizes at
 * the edges. What the specification forbids is an error code, never a crash. Memory of the host that a call names is always there: the driver cannot
 * check it. Programs that can be run come from binaries; `/bin/false` stands for clang. */
#include "fuzz.h"

#include "opencl/driver.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

enum { CALLS_MAX = 64, SLOTS = 6, BOOK_MAX = 256, HOST_BYTES = 8 << 20, ANSWER_BYTES = 256, WAIT_MAX = 3 };

static const char kernels[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                              ".visible .entry k(.param .u64 .ptr .global .align 4 x, .param .u32 n, .param .u64 .ptr .shared .align 4 l)\n"
                              "{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .pred %p<2>;\n"
                              "ld.param.u64 %d1, [x];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra END;\n"
                              "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r2;\nEND:\nret;\n}\n"
                              ".visible .entry empty()\n{\nret;\n}\n";

/* The handles that the calls have given, with the references that are ours. */
typedef struct entry {
	void *handle;
	hc_kind kind;
	unsigned refs;
	bool compiles; /* a program whose build runs clang */
	bool pending;  /* a user event without a status */
} entry;

static struct {
	const uint8_t *at, *end;
	void *slots[HC_EVENT + 1][SLOTS];
	entry book[BOOK_MAX];
	unsigned n, compilations;
	void *shared[SLOTS]; /* the results of clSVMAlloc, also after they are freed */
} s;
static uint8_t host[HOST_BYTES], *binary;
static size_t binary_bytes;
static _Atomic unsigned called;

static uint8_t next(void) { return s.at < s.end ? *s.at++ : 0; }

static size_t size(void)
{
	static const size_t edges[] = {0,
	                               1,
	                               2,
	                               4,
	                               64,
	                               128,
	                               4096,
	                               4095,
	                               8,
	                               16,
	                               256,
	                               1 << 12,
	                               1 << 16,
	                               1 << 20,
	                               1 << 22,
	                               1 << 24,
	                               UINT32_C(1) << 31,
	                               UINT32_MAX,
	                               SIZE_MAX / 2,
	                               SIZE_MAX - 3,
	                               SIZE_MAX};
	uint8_t b = next();
	return b < 128 ? b : edges[b % HD_COUNT(edges)];
}

static entry *entry_of(const void *handle)
{
	for (unsigned i = 0; handle && i < s.n; i++)
		if (s.book[i].handle == handle && s.book[i].refs)
			return &s.book[i];
	return NULL;
}

/* A handle that is alive, was alive, is of another kind, or is none. */
static void *pick(hc_kind kind)
{
	uint8_t b = next();
	if (b % 16 == 15)
		return host + 64;
	if (b % 16 == 14)
		return s.slots[HC_CONTEXT + b / 16 % (HC_EVENT - HC_CONTEXT + 1)][0];
	return b % 16 == 13 ? NULL : s.slots[kind][b % 16 % SLOTS];
}

static entry *keep(void *handle, hc_kind kind)
{
	if (!handle)
		return NULL;
	hd_invariant(s.n < BOOK_MAX && hc_is(handle, kind), "a call gave no live handle");
	s.slots[kind][next() % SLOTS] = handle;
	s.book[s.n] = (entry){.handle = handle, .kind = kind, .refs = 1};
	return &s.book[s.n++];
}

static cl_int retain(void *handle, hc_kind kind)
{
	switch (kind) {
	case HC_CONTEXT:
		return clRetainContext(handle);
	case HC_QUEUE:
		return clRetainCommandQueue(handle);
	case HC_MEM:
		return clRetainMemObject(handle);
	case HC_PROGRAM:
		return clRetainProgram(handle);
	case HC_KERNEL:
		return clRetainKernel(handle);
	default:
		return clRetainEvent(handle);
	}
}

static void end_user_event(entry *e)
{
	if (e->pending)
		clSetUserEventStatus(e->handle, next() & 1 ? CL_COMPLETE : -1);
	e->pending = false;
}

static cl_int release(void *handle, hc_kind kind)
{
	entry *e = entry_of(handle);
	if (e && e->refs == 1)
		end_user_event(e); /* or commands would wait for it for ever */
	switch (kind) {
	case HC_CONTEXT:
		return clReleaseContext(handle);
	case HC_QUEUE:
		return clReleaseCommandQueue(handle);
	case HC_MEM:
		return clReleaseMemObject(handle);
	case HC_PROGRAM:
		return clReleaseProgram(handle);
	case HC_KERNEL:
		return clReleaseKernel(handle);
	default:
		return clReleaseEvent(handle);
	}
}

static void end_user_events(void)
{
	for (unsigned i = 0; i < s.n; i++)
		if (s.book[i].refs)
			end_user_event(&s.book[i]);
}

static void count(hc_kind kind, bool more)
{
	void *handle = pick(kind);
	entry *e = entry_of(handle);
	cl_int status = more ? retain(handle, kind) : release(handle, kind);
	hd_invariant((status == CL_SUCCESS) == (e && e->kind == kind), "a reference of %s handle: %d", e ? "a live" : "no", status);
	if (status == CL_SUCCESS)
		e->refs = more ? e->refs + 1 : e->refs - 1;
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data) { called++; }
static void CL_CALLBACK on_mem(cl_mem mem, void *data) { called++; }
static void CL_CALLBACK on_context(cl_context context, void *data) { called++; }
static void CL_CALLBACK on_program(cl_program program, void *data) { called++; }

static cl_uint wait_list(cl_event list[WAIT_MAX], const cl_event **given)
{
	cl_uint n = next() % (WAIT_MAX + 1);
	for (cl_uint i = 0; i < n; i++)
		list[i] = pick(HC_EVENT);
	*given = n ? list : NULL;
	return next() % 16 ? n : !n; /* now and then a list without a number, or the other way round */
}

/* True: the call may block, and all user events have ended. */
static bool blocking(void)
{
	bool yes = next() & 1;
	if (yes)
		end_user_events();
	return yes;
}

static void query(void)
{
	static _Alignas(16) uint8_t answer[ANSWER_BYTES];
	static const size_t sizes[] = {0, 1, 4, 8, 16, 24, ANSWER_BYTES};
	size_t room = sizes[next() % HD_COUNT(sizes)], got = 0;
	hc_kind kind = HC_PLATFORM + next() % HC_EVENT;
	cl_uint what = next() % 32;
	void *handle = kind == HC_PLATFORM ? (void *)&hc_platform : kind == HC_DEVICE ? (void *)&hc_device : pick(kind);
	void *value = next() % 4 ? answer : NULL;
	memset(answer, 0, sizeof answer);
	switch (kind) {
	case HC_PLATFORM:
		clGetPlatformInfo(handle, CL_PLATFORM_PROFILE + what % 8, room, value, &got);
		break;
	case HC_DEVICE:
		clGetDeviceInfo(handle, CL_DEVICE_TYPE + what + 32 * (next() % 4), room, value, &got);
		break;
	case HC_CONTEXT:
		clGetContextInfo(handle, CL_CONTEXT_REFERENCE_COUNT + what % 8, room, value, &got);
		break;
	case HC_QUEUE:
		clGetCommandQueueInfo(handle, CL_QUEUE_CONTEXT + what % 12, room, value, &got);
		break;
	case HC_MEM:
		clGetMemObjectInfo(handle, CL_MEM_TYPE + what % 16, room, value, &got);
		break;
	case HC_PROGRAM:
		if (what & 16)
			clGetProgramBuildInfo(handle, next() % 4 ? &hc_device : NULL, CL_PROGRAM_BUILD_STATUS + what % 8, room, value, &got);
		else
			clGetProgramInfo(handle, CL_PROGRAM_REFERENCE_COUNT + what % 16, room, value, &got);
		break;
	case HC_KERNEL:
		if (what >= 24)
			clGetKernelSubGroupInfo(handle, next() % 4 ? &hc_device : NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE + what % 8,
			                        size() % 33, next() % 4 ? host : NULL, room, value, &got);
		else if (what & 16)
			clGetKernelWorkGroupInfo(handle, next() % 4 ? &hc_device : NULL, CL_KERNEL_WORK_GROUP_SIZE + what % 8, room, value, &got);
		else
			clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME + what % 8, room, value, &got);
		break;
	default:
		if (what & 16)
			clGetEventProfilingInfo(handle, CL_PROFILING_COMMAND_QUEUED + what % 8, room, value, &got);
		else
			clGetEventInfo(handle, CL_EVENT_COMMAND_QUEUE + what % 8, room, value, &got);
		break;
	}
}

static void make_context_or_queue(void)
{
	static const cl_context_properties bad[] = {0x1234, 5, 0};
	static const cl_queue_properties lists[][3] = {{CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
	                                               {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
	                                               {CL_QUEUE_SIZE, 64, 0},
	                                               {77, 1, 0}};
	cl_device_id device = &hc_device, devices[] = {device, device, NULL, (cl_device_id)&hc_platform};
	cl_int status;
	uint8_t b = next();
	if (b % 4 == 0)
		keep(clCreateContext(b & 64 ? bad : NULL, b & 128 ? next() % 5 : 1, b & 32 ? NULL : devices, NULL, NULL, &status), HC_CONTEXT);
	else if (b % 4 == 1)
		keep(clCreateCommandQueue(pick(HC_CONTEXT), b & 128 ? pick(HC_MEM) : device, b >> 2 & 15, b & 64 ? NULL : &status), HC_QUEUE);
	else
		keep(clCreateCommandQueueWithProperties(pick(HC_CONTEXT), device, lists[b / 4 % HD_COUNT(lists)], &status), HC_QUEUE);
}

static void make_buffer(void)
{
	static const cl_mem_flags flags[] = {0,
	                                     CL_MEM_READ_ONLY,
	                                     CL_MEM_WRITE_ONLY,
	                                     CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
	                                     CL_MEM_USE_HOST_PTR,
	                                     CL_MEM_COPY_HOST_PTR,
	                                     CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
	                                     CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY,
	                                     CL_MEM_HOST_NO_ACCESS,
	                                     CL_MEM_HOST_WRITE_ONLY,
	                                     ~(cl_mem_flags)0};
	cl_mem_flags f = flags[next() % HD_COUNT(flags)];
	cl_int status;
	uint8_t b = next();
	if (b & 1) {
		cl_buffer_region region = {.origin = size() * (b & 2 ? 1 : 128), .size = size()};
		keep(clCreateSubBuffer(pick(HC_MEM), f, b & 4 ? 7 : CL_BUFFER_CREATE_TYPE_REGION, b & 8 ? NULL : &region, &status), HC_MEM);
		return;
	}
	bool wants_host = f & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	keep(clCreateBuffer(pick(HC_CONTEXT), f, size(), wants_host == !(b & 16) ? host + b : NULL, b & 32 ? NULL : &status), HC_MEM);
}

/* True: a call that builds this program is quick enough. `/bin/false` stands for clang, and even that is started once only. */
static bool may_compile(const entry *e)
{
	if (!e || !e->compiles)
		return true;
	return s.compilations++ == 0;
}

static void make_program(void)
{
	static const char *texts[] = {"__kernel void k() {}"};
	static const char *const options[] = {NULL, "", "-cl-std=CL1.2", "-DX=1 -w", "-nonsense", "-D", "\"", "-I"};
	cl_device_id device = &hc_device;
	cl_int status, binary_status;
	uint8_t b = next();
	if (b % 4 == 0) {
		const unsigned char *bytes = b & 64 ? host : b & 128 ? NULL : binary;
		size_t length = b & 32 ? size() % (binary_bytes + 1) : binary_bytes;
		keep(clCreateProgramWithBinary(pick(HC_CONTEXT), 1, &device, &length, &bytes, &binary_status, &status), HC_PROGRAM);
	} else if (b % 4 == 1) {
		size_t length = size() % 20;
		entry *e = keep(clCreateProgramWithSource(pick(HC_CONTEXT), b & 64 ? 0 : 1, texts, &length, &status), HC_PROGRAM);
		if (e)
			e->compiles = true;
	} else {
		void *program = pick(HC_PROGRAM);
		entry *e = entry_of(program);
		bool device_given = b & 64;
		if (may_compile(e))
			clBuildProgram(program, device_given, device_given ? &device : NULL, options[b / 4 % HD_COUNT(options)],
			               b & 128 ? on_program : NULL, NULL);
	}
}

static void compile_or_link(void)
{
	static const char *const options[] = {NULL, "", "-create-library", "-enable-link-options", "-DX=1", "-nonsense"};
	static const char *names[] = {"a.h", "../b.h", ""};
	cl_device_id device = &hc_device;
	cl_program programs[4];
	cl_int status;
	uint8_t b = next();
	const char *option = options[next() % HD_COUNT(options)];
	cl_uint n = b >> 2 & 3;
	for (unsigned i = 0; i < HD_COUNT(programs); i++)
		programs[i] = pick(HC_PROGRAM);
	if (b & 1)
		keep(clLinkProgram(pick(HC_CONTEXT), 1, &device, option, n, b & 64 ? NULL : programs, b & 128 ? on_program : NULL, NULL, &status),
		     HC_PROGRAM);
	else if (may_compile(entry_of(programs[3])))
		clCompileProgram(programs[3], b & 32 ? 1 : 0, b & 32 ? &device : NULL, option, n % 3, n % 3 || b & 64 ? programs : NULL,
		                 n % 3 || b & 16 ? names : NULL, b & 128 ? on_program : NULL, NULL);
}

static void make_kernel(void)
{
	static const char *const names[] = {"k", "empty", "", "nothing", NULL};
	cl_int status;
	uint8_t b = next();
	if (b % 4 < 2) {
		keep(clCreateKernel(pick(HC_PROGRAM), names[b / 4 % HD_COUNT(names)], &status), HC_KERNEL);
	} else if (b % 4 == 2) {
		keep(clCloneKernel(pick(HC_KERNEL), &status), HC_KERNEL);
	} else {
		cl_kernel made[4] = {NULL};
		cl_uint n = 0;
		if (clCreateKernelsInProgram(pick(HC_PROGRAM), b / 4 % 5, made, &n) == CL_SUCCESS)
			for (unsigned i = 0; i < HD_COUNT(made); i++)
				keep(made[i], HC_KERNEL);
	}
}

static void set_argument(void)
{
	static const size_t sizes[] = {8, 8, 4, 4, 0, 1, SIZE_MAX, 16};
	uint8_t b = next();
	void *mem = pick(HC_MEM);
	const void *value = b & 8 ? (const void *)&mem : b & 16 ? NULL : (const void *)host;
	size_t bytes = sizes[b % 8];
	cl_uint index = b >> 5;
	/* A buffer's value is a handle: any handle, but one. */
	clSetKernelArg(pick(HC_KERNEL), index, bytes, index == 0 && value ? &mem : value);
}

static void enqueue_launch(cl_uint n, const cl_event *list, cl_event *event)
{
	size_t offset[3], global[3], local[3];
	uint8_t b = next();
	for (unsigned d = 0; d < 3; d++) {
		offset[d] = b & 1 ? size() : 0;
		global[d] = size();
		local[d] = b & 2 ? size() : 1;
	}
	cl_uint dims = b & 128 ? b >> 2 & 7 : 1 + (b >> 2 & 3) % 3;
	clEnqueueNDRangeKernel(pick(HC_QUEUE), pick(HC_KERNEL), dims, b & 1 ? offset : NULL, b & 32 ? NULL : global, b & 64 ? NULL : local, n, list,
	                       event);
}

static void enqueue_rect(uint8_t b, cl_uint n, const cl_event *list, cl_event *event)
{
	size_t origin[3], other[3], region[3], none[3] = {next() & 15, 0, 0}, row = b & 8 ? size() : 0, slice = b & 16 ? size() : 0;
	for (unsigned d = 0; d < 3; d++) {
		origin[d] = b & 32 ? size() : 0;
		other[d] = b & 64 ? size() : 0;
		region[d] = size();
	}
	cl_command_queue queue = pick(HC_QUEUE);
	cl_mem mem = pick(HC_MEM);
	/* The driver cannot know the memory of the host: its side of the rectangle is always dense, and as large as a buffer at most. */
	if (b % 4 == 0)
		clEnqueueReadBufferRect(queue, mem, blocking(), origin, none, region, row, slice, 0, 0, host, n, list, event);
	else if (b % 4 == 1)
		clEnqueueWriteBufferRect(queue, mem, blocking(), origin, none, region, row, slice, 0, 0, host, n, list, event);
	else
		clEnqueueCopyBufferRect(queue, mem, pick(HC_MEM), origin, other, region, row, slice, b & 128 ? size() : 0, 0, n, list, event);
}

static void enqueue_transfer(uint8_t b, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_command_queue queue = pick(HC_QUEUE);
	cl_mem mem = pick(HC_MEM);
	cl_int status;
	size_t at = size(), bytes = size();
	void *pointer;
	switch (b % 8) {
	case 0:
		clEnqueueReadBuffer(queue, mem, blocking(), at, bytes, b & 64 ? NULL : host, n, list, event);
		break;
	case 1:
		clEnqueueWriteBuffer(queue, mem, blocking(), at, bytes, host, n, list, event);
		break;
	case 2:
		clEnqueueCopyBuffer(queue, mem, pick(HC_MEM), at, size(), bytes, n, list, event);
		break;
	case 3:
		clEnqueueFillBuffer(queue, mem, b & 64 ? NULL : host, size(), at, bytes, n, list, event);
		break;
	case 4:
	case 5:
		pointer = clEnqueueMapBuffer(queue, mem, blocking(), b >> 4, at, bytes, n, list, event, &status);
		if (b & 8)
			clEnqueueUnmapMemObject(queue, mem, pointer, 0, NULL, NULL);
		break;
	case 6:
		clEnqueueUnmapMemObject(queue, mem, host + at % 256, n, list, event);
		break;
	default:
		clEnqueueMigrateMemObjects(queue, b & 8 ? 1 : 0, &mem, b >> 4, n, list, event);
		break;
	}
}

static void enqueue(void)
{
	cl_event list[WAIT_MAX] = {NULL}, event = NULL, *out;
	const cl_event *given;
	uint8_t b = next(), how = next();
	cl_uint n = wait_list(list, &given);
	out = how & 1 ? &event : NULL;
	switch (b % 8) {
	case 0:
	case 1:
		enqueue_launch(n, given, out);
		break;
	case 2:
		enqueue_rect(how, n, given, out);
		break;
	case 3:
		clEnqueueMarkerWithWaitList(pick(HC_QUEUE), n, given, out);
		break;
	case 4:
		clEnqueueBarrierWithWaitList(pick(HC_QUEUE), n, given, out);
		break;
	default:
		enqueue_transfer(how, n, given, out);
		break;
	}
	keep(event, HC_EVENT);
}

/* Shared virtual memory. Commands that read or write through pointers get memory of ours: those of the driver may be free when the command runs,
 * which is the program's fault. */
static void use_shared(void)
{
	static const cl_svm_mem_flags flags[] = {0, CL_MEM_READ_ONLY, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_ATOMICS,
	                                         CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY};
	cl_event list[WAIT_MAX] = {NULL}, event = NULL;
	const cl_event *given;
	uint8_t b = next(), which = next();
	cl_uint n = wait_list(list, &given);
	void *pointers[2] = {which & 8    ? (void *)((uintptr_t)s.shared[which % SLOTS] + (which >> 4))
	                     : which & 16 ? host
	                                  : s.shared[which % SLOTS],
	                     s.shared[0]};
	size_t bytes = size(), pattern = b & 64 ? size() : 8;
	switch (b % 11) {
	case 0:
	case 1:
		s.shared[which % SLOTS] = clSVMAlloc(pick(HC_CONTEXT), flags[b / 11 % HD_COUNT(flags)], bytes, which & 128 ? next() : 0);
		break;
	case 2:
		clSVMFree(pick(HC_CONTEXT), pointers[0]);
		break;
	case 3:
		clSetKernelArgSVMPointer(pick(HC_KERNEL), b & 16 ? next() : 0, pointers[0]);
		break;
	case 4:
		clSetKernelExecInfo(pick(HC_KERNEL), CL_KERNEL_EXEC_INFO_SVM_PTRS + (b >> 6), bytes, b & 32 ? NULL : pointers);
		break;
	case 5:
		clEnqueueSVMMap(pick(HC_QUEUE), blocking(), which, pointers[0], bytes, n, given, &event);
		break;
	case 6:
		clEnqueueSVMUnmap(pick(HC_QUEUE), pointers[0], n, given, &event);
		break;
	case 7:
		clEnqueueSVMMigrateMem(pick(HC_QUEUE), which % 3, (const void **)pointers, b & 32 ? NULL : &(size_t[2]){bytes, bytes}[0], which >> 6,
		                       n, given, &event);
		break;
	case 8:
		clEnqueueSVMMemcpy(pick(HC_QUEUE), blocking(), host, b & 32 ? NULL : host + which, bytes < HOST_BYTES / 2 ? bytes : 0, n, given,
		                   &event);
		break;
	case 9:
		clEnqueueSVMMemFill(pick(HC_QUEUE), host + which % 16, b & 32 ? NULL : host, pattern, bytes < HOST_BYTES / 2 ? bytes : 0, n, given,
		                    &event);
		break;
	default:
		clEnqueueSVMFree(pick(HC_QUEUE), which % 3, b & 32 ? NULL : pointers, NULL, NULL, n, given, &event);
		break;
	}
	keep(event, HC_EVENT);
}

static void use_events(void)
{
	cl_event list[WAIT_MAX] = {NULL};
	const cl_event *given;
	cl_int status;
	uint8_t b = next();
	entry *e;
	switch (b % 8) {
	case 0:
	case 1:
		e = keep(clCreateUserEvent(pick(HC_CONTEXT), &status), HC_EVENT);
		if (e)
			e->pending = true;
		break;
	case 2:
		e = entry_of(list[0] = pick(HC_EVENT));
		status = (cl_int)(b >> 3) - 16;
		if (clSetUserEventStatus(list[0], status) == CL_SUCCESS && e)
			e->pending = false;
		break;
	case 3:
		clSetEventCallback(pick(HC_EVENT), b >> 3 & 3, b & 128 ? NULL : on_event, NULL);
		break;
	case 4:
		clSetMemObjectDestructorCallback(pick(HC_MEM), b & 128 ? NULL : on_mem, NULL);
		break;
	case 5:
		clSetContextDestructorCallback(pick(HC_CONTEXT), b & 128 ? NULL : on_context, NULL);
		break;
	case 6:
		end_user_events();
		status = (cl_int)wait_list(list, &given);
		clWaitForEvents((cl_uint)status, given);
		break;
	default:
		end_user_events();
		clFinish(pick(HC_QUEUE));
		break;
	}
}

static void start(void)
{
	hd_diag diag = {0};
	setenv("HEDDLE_CACHE", "0", 1);
	setenv("HEDDLE_CLANG", "/bin/false", 1);
	setenv("HEDDLE_MEMORY", "16", 1);
	setenv("HEDDLE_MAX_CYCLES", "2000", 1);
	hd_invariant(hc_start(), "no device");
	hd_ir_module *module = hd_ptx_read(kernels, sizeof kernels - 1, "kernels", &diag);
	hd_invariant(module, "%s", diag.text.at);
	hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = &hr_device.machine}, &diag);
	hd_invariant(object, "%s", diag.text.at);
	binary = hd_object_write(object, &binary_bytes);
	hd_object_free(object);
	hd_ir_module_free(module);
}

/* Most sequences want a context, a queue, a buffer, and kernels that can be launched: they are there from the beginning. */
static void begin(void)
{
	static const uint8_t slots[] = {0, 0, 0, 0, 0, 1};
	static const cl_uint number = 16;
	cl_device_id device = &hc_device;
	const unsigned char *code = binary;
	s.at = slots;
	s.end = slots + sizeof slots;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, NULL);
	cl_program program = clCreateProgramWithBinary(context, 1, &device, &binary_bytes, &code, NULL, NULL);
	hd_invariant(clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS, "the program is not built");
	cl_kernel store = clCreateKernel(program, "k", NULL);
	keep(context, HC_CONTEXT);
	keep(clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL), HC_QUEUE);
	keep(buffer, HC_MEM);
	keep(program, HC_PROGRAM);
	keep(store, HC_KERNEL);
	keep(clCreateKernel(program, "empty", NULL), HC_KERNEL);
	clSetKernelArg(store, 0, sizeof buffer, &buffer);
	clSetKernelArg(store, 1, sizeof number, &number);
	clSetKernelArg(store, 2, 64, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static void (*const calls[])(void) = {
	    make_context_or_queue, make_buffer, make_program, make_kernel, set_argument, enqueue, enqueue, query, use_events,
	    compile_or_link,       use_shared};
	if (!binary)
		start();
	memset(&s, 0, sizeof s);
	begin();
	s.at = bytes;
	s.end = bytes + n;
	for (unsigned i = 0; s.at < s.end && i < CALLS_MAX && s.n + 8 < BOOK_MAX; i++) {
		uint8_t b = next();
		if (b % 16 >= HD_COUNT(calls))
			count(HC_CONTEXT + b / 16 % (HC_EVENT - HC_CONTEXT + 1), b % 16 > 13);
		else
			calls[b % 16]();
	}
	end_user_events();
	for (unsigned i = 0; i < s.n; i++)
		if (s.book[i].kind == HC_QUEUE && s.book[i].refs)
			clFinish(s.book[i].handle);
	for (unsigned i = 0; i < s.n; i++)
		for (; s.book[i].refs; s.book[i].refs--)
			hd_invariant(release(s.book[i].handle, s.book[i].kind) == CL_SUCCESS, "a live handle cannot be released");
	return 0;
}

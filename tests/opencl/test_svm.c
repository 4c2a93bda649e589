/* Shared virtual memory: pointers mean the same on host and device, in arguments and in data structures. */
#include "rig.h"

#include <stdbool.h>

static const char text[] = "typedef struct node { int value; global struct node *next; } node;\n"
                           "kernel void sum(global node *list, global int *out)\n"
                           "{\n"
                           "	int total = 0, n = 0;\n"
                           "	for (global node *at = list; at; at = at->next, n++) { total += at->value; at->value = -at->value; }\n"
                           "	out[0] = total; out[1] = n;\n"
                           "}\n"
                           "kernel void twice(global int *p, int n) { int i = get_global_id(0); if (i < n) p[i] *= 2; }\n";

typedef struct node {
	cl_int value;
	struct node *next;
} node;

enum { NODES = 1000, ITEMS = 4096 };

static void launch(rig *r, cl_kernel kernel, size_t items)
{
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(r->queue), CL_SUCCESS);
}

/* A list whose nodes lie in two allocations; the host built it, the device walks it and changes it. */
TEST(test_list)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	cl_kernel kernel = rig_kernel(program, "sum");
	node *some = clSVMAlloc(r.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, NODES * sizeof(node), 0);
	node *more = clSVMAlloc(r.context, CL_MEM_READ_WRITE, NODES * sizeof(node), 64);
	cl_int *out = clSVMAlloc(r.context, CL_MEM_WRITE_ONLY, 8, 4), sum = 0;
	assert_true(some && more && out && ((uintptr_t)more & 63) == 0);
	for (int i = 0; i < NODES; i++) {
		some[i] = (node){i, &more[NODES - 1 - i]};
		more[NODES - 1 - i] = (node){3 * i, i + 1 < NODES ? &some[i + 1] : NULL};
		sum += 4 * i;
	}
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, some), CL_SUCCESS);
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 1, out), CL_SUCCESS);
	void *pointers[] = {some, more};
	assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers), CL_SUCCESS);
	launch(&r, kernel, 1);
	assert_int_equal(out[0], sum);
	assert_int_equal(out[1], 2 * NODES);
	for (int i = 0; i < NODES; i++)
		assert_true(some[i].value == -i && more[i].value == -3 * (NODES - 1 - i));
	/* From the middle of an allocation on. */
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, &some[NODES - 1]), CL_SUCCESS);
	launch(&r, kernel, 1);
	assert_int_equal(out[0], -4 * (NODES - 1));
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, NULL), CL_SUCCESS);
	launch(&r, kernel, 1);
	assert_int_equal(out[1], 0);
	clSVMFree(r.context, some);
	clSVMFree(r.context, more);
	clSVMFree(r.context, NULL);
	/* `out` goes with the context. */
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

static cl_uint freed;
static void CL_CALLBACK free_both(cl_command_queue queue, cl_uint n, void *pointers[], void *data)
{
	cl_context context;
	clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
	for (cl_uint i = 0; i < n; i++)
		clSVMFree(context, pointers[i]);
	*(cl_uint *)data = n;
}

static void expect_type(cl_event event, cl_command_type expected)
{
	cl_command_type type = 0;
	assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
	assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
	assert_int_equal(type, expected);
	clReleaseEvent(event);
}

/* Copies, fills, maps and frees as commands, and a buffer on shared virtual memory. */
TEST(test_commands)
{
	rig r;
	cl_event event;
	cl_int status, pattern[2] = {7, 9}, host[ITEMS];
	cl_bool shared = CL_FALSE;
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	cl_kernel kernel = rig_kernel(program, "twice");
	const size_t bytes = ITEMS * sizeof(cl_int);
	cl_int n = ITEMS, *p = clSVMAlloc(r.context, CL_MEM_READ_WRITE, bytes, 0), *q = clSVMAlloc(r.context, CL_MEM_READ_WRITE, bytes, 0);
	assert_int_equal(clEnqueueSVMMemFill(r.queue, p, pattern, sizeof pattern, bytes, 0, NULL, &event), CL_SUCCESS);
	expect_type(event, CL_COMMAND_SVM_MEMFILL);
	assert_true(p[0] == 7 && p[1] == 9 && p[ITEMS - 2] == 7 && p[ITEMS - 1] == 9);
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, p), CL_SUCCESS);
	clSetKernelArg(kernel, 1, sizeof n, &n);
	launch(&r, kernel, ITEMS);
	assert_int_equal(clEnqueueSVMMemcpy(r.queue, CL_TRUE, q, p, bytes, 0, NULL, &event), CL_SUCCESS);
	expect_type(event, CL_COMMAND_SVM_MEMCPY);
	assert_int_equal(clEnqueueSVMMemcpy(r.queue, CL_TRUE, host, q, bytes, 0, NULL, NULL), CL_SUCCESS);
	assert_true(q[ITEMS - 1] == 18 && host[0] == 14 && host[ITEMS - 1] == 18);
	assert_int_equal(clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, q, 64, 0, NULL, &event), CL_SUCCESS);
	expect_type(event, CL_COMMAND_SVM_MAP);
	q[3] = 5;
	assert_int_equal(clEnqueueSVMUnmap(r.queue, q, 0, NULL, &event), CL_SUCCESS);
	expect_type(event, CL_COMMAND_SVM_UNMAP);
	const void *moved[] = {p, q};
	assert_int_equal(clEnqueueSVMMigrateMem(r.queue, 2, moved, NULL, 0, 0, NULL, &event), CL_SUCCESS);
	expect_type(event, CL_COMMAND_SVM_MIGRATE_MEM);
	/* The buffer is the memory itself. */
	cl_mem mem = clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, 64, q, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof shared, &shared, NULL), CL_SUCCESS);
	assert_int_equal(shared, CL_TRUE);
	assert_null(clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, bytes + 1, q, &status));
	assert_int_equal(status, CL_INVALID_BUFFER_SIZE);
	assert_null(clCreateBuffer(r.context, CL_MEM_USE_HOST_PTR, bytes, q + 1, &status));
	assert_int_equal(status, CL_INVALID_BUFFER_SIZE);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof mem, &mem), CL_SUCCESS);
	n = 5;
	clSetKernelArg(kernel, 1, sizeof n, &n);
	launch(&r, kernel, 64);
	assert_true(q[3] == 10 && q[4] == 28 && q[5] == 18);
	assert_ptr_equal(clEnqueueMapBuffer(r.queue, mem, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status), q);
	clEnqueueUnmapMemObject(r.queue, mem, q, 0, NULL, NULL);
	clReleaseMemObject(mem);
	/* The device still has what the buffer lay on. */
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, q), CL_SUCCESS);
	launch(&r, kernel, 64);
	assert_true(q[3] == 20 && q[5] == 18);
	mem = rig_buffer(&r, 4, NULL);
	clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof shared, &shared, NULL);
	assert_int_equal(shared, CL_FALSE);
	clReleaseMemObject(mem);
	void *both[] = {p, q}, *third = clSVMAlloc(r.context, 0, 100, 0);
	assert_int_equal(clEnqueueSVMFree(r.queue, 2, both, free_both, &freed, 0, NULL, &event), CL_SUCCESS);
	both[0] = NULL; /* the list is a copy */
	expect_type(event, CL_COMMAND_SVM_FREE);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	assert_int_equal(freed, 2);
	assert_int_equal(clEnqueueSVMFree(r.queue, 1, &third, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	/* Freed memory is no argument any more. */
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, p), CL_INVALID_ARG_VALUE);
	assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, third), CL_INVALID_ARG_VALUE);
	/* Free memory is there for others. */
	for (int i = 0; i < 20; i++) {
		char *large = clSVMAlloc(r.context, CL_MEM_READ_WRITE, (size_t)1 << 30, 0);
		assert_non_null(large);
		large[(1 << 30) - 1] = 1;
		clSVMFree(r.context, large);
	}
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_errors)
{
	rig r;
	cl_device_svm_capabilities can = 0;
	cl_ulong largest = 0;
	cl_bool yes = CL_TRUE, no = CL_FALSE;
	int ours = 0;
	rig_open(&r);
	cl_program program = rig_build(&r, text, NULL);
	cl_kernel kernel = rig_kernel(program, "twice");
	clGetDeviceInfo(r.device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL);
	clGetDeviceInfo(r.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
	assert_int_equal(can, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS);
	assert_null(clSVMAlloc(NULL, CL_MEM_READ_WRITE, 8, 0));
	assert_null(clSVMAlloc(r.context, CL_MEM_READ_WRITE, 0, 0));
	assert_null(clSVMAlloc(r.context, CL_MEM_READ_WRITE, (size_t)largest + 1, 0));
	assert_null(clSVMAlloc(r.context, CL_MEM_READ_WRITE, 8, 3));
	assert_null(clSVMAlloc(r.context, CL_MEM_READ_WRITE, 8, 256));
	assert_null(clSVMAlloc(r.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 8, 0));
	assert_null(clSVMAlloc(r.context, CL_MEM_SVM_ATOMICS, 8, 0));
	int *p = clSVMAlloc(r.context, CL_MEM_READ_WRITE, 256, 0);
	assert_non_null(p);
#define EXPECT(call, error) assert_int_equal(call, error)
	EXPECT(clSetKernelArgSVMPointer(NULL, 0, p), CL_INVALID_KERNEL);
	EXPECT(clSetKernelArgSVMPointer(kernel, 2, p), CL_INVALID_ARG_INDEX);
	EXPECT(clSetKernelArgSVMPointer(kernel, 1, p), CL_INVALID_ARG_VALUE);
	EXPECT(clSetKernelArgSVMPointer(kernel, 0, &ours), CL_INVALID_ARG_VALUE);
	EXPECT(clSetKernelArgSVMPointer(kernel, 0, p + 64), CL_INVALID_ARG_VALUE);
	EXPECT(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &p), CL_INVALID_VALUE);
	EXPECT(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL), CL_INVALID_VALUE);
	EXPECT(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, &p), CL_INVALID_VALUE);
	EXPECT(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL), CL_SUCCESS);
	EXPECT(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes), CL_INVALID_OPERATION);
	EXPECT(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no), CL_SUCCESS);
	EXPECT(clSetKernelExecInfo(kernel, 0x7777, sizeof no, &no), CL_INVALID_VALUE);
	EXPECT(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, &p), CL_INVALID_KERNEL);
	EXPECT(clEnqueueSVMMemcpy(NULL, CL_TRUE, p, &ours, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	EXPECT(clEnqueueSVMMemcpy(r.queue, CL_TRUE, p, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMemcpy(r.queue, CL_TRUE, p, p + 1, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
	EXPECT(clEnqueueSVMMemFill(r.queue, p, &ours, 3, 12, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMemFill(r.queue, (char *)p + 1, &ours, 4, 12, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMemFill(r.queue, p, &ours, 4, 13, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_READ, p, 257, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_READ, &ours, 4, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMap(r.queue, CL_TRUE, 0x100, p, 4, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMap(r.queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, p, 4, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMUnmap(r.queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMMigrateMem(r.queue, 0, NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMFree(r.queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
	EXPECT(clEnqueueSVMFree(NULL, 0, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	/* A pointer of another context. */
	rig other;
	rig_open(&other);
	int *theirs = clSVMAlloc(other.context, CL_MEM_READ_WRITE, 256, 0);
	EXPECT(clSetKernelArgSVMPointer(kernel, 0, theirs), CL_INVALID_ARG_VALUE);
	clSVMFree(r.context, theirs);
	*theirs = 1;
	clSVMFree(other.context, theirs);
	rig_close(&other);
	clSVMFree(r.context, p + 1);
	*p = 1;
	clSVMFree(r.context, p);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

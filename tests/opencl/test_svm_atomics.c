/* Shared virtual memory with atomics: kernels and threads of the host that run at the same time. */
#include "rig.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static const char text[] =
    "#define ALL memory_scope_all_svm_devices\n"
    /* The flag counts up: even numbers are the host's turn, odd ones the kernel's. `word` goes with it. */
    "kernel void to_and_fro(global atomic_int *flag, global uint *word, int turns)\n"
    "{\n"
    "	for (int i = 0; i < turns; i++) {\n"
    "		while (atomic_load_explicit(flag, memory_order_acquire, ALL) != 2 * i + 1) ;\n"
    "		*word = *word * 3 + 1;\n"
    "		atomic_store_explicit(flag, 2 * i + 2, memory_order_release, ALL);\n"
    "	}\n"
    "}\n"
    "kernel void count(global atomic_int *i, global atomic_ulong *l, global atomic_float *f, int n)\n"
    "{\n"
    "	for (int k = 0; k < n; k++) {\n"
    "		atomic_fetch_add_explicit(i, 3, memory_order_relaxed, ALL);\n"
    "		atomic_fetch_sub_explicit(l, 0x100000001ul, memory_order_relaxed, ALL);\n"
    "		float old = 0; while (!atomic_compare_exchange_strong_explicit(f, &old, old + 1, memory_order_seq_cst, memory_order_relaxed, ALL)) "
    ";\n"
    "	}\n"
    "}\n"
    "kernel void each(global atomic_uint *u, global atomic_long *s, global uint *old)\n"
    "{\n"
    "	old[0] = atomic_fetch_or_explicit(u, 0xf0, memory_order_seq_cst, ALL);\n"
    "	old[1] = atomic_fetch_and_explicit(u, 0x3c, memory_order_seq_cst, ALL);\n"
    "	old[2] = atomic_fetch_xor_explicit(u, 0x05, memory_order_seq_cst, ALL);\n"
    "	old[3] = atomic_fetch_max_explicit(u, 0x1000, memory_order_seq_cst, ALL);\n"
    "	old[4] = atomic_fetch_min_explicit(u, 7, memory_order_seq_cst, ALL);\n"
    "	old[5] = atomic_exchange_explicit(u, 9, memory_order_seq_cst, ALL);\n"
    "	atomic_fetch_min_explicit(s, -5, memory_order_seq_cst, ALL);\n"
    "	old[6] = (uint)atomic_exchange_explicit(s, 77, memory_order_seq_cst, ALL);\n"
    "	uint e = 1; old[7] = atomic_compare_exchange_strong_explicit(u, &e, 2, memory_order_seq_cst, memory_order_seq_cst, ALL);\n"
    "	old[8] = e; old[9] = atomic_compare_exchange_strong_explicit(u, &e, 2, memory_order_seq_cst, memory_order_seq_cst, ALL);\n"
    "	atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, ALL);\n"
    "}\n"
    "kernel void bytes(global char *c, global short *s, global long2 *w)\n"
    "{\n"
    "	uint i = get_global_id(0);\n"
    "	c[2 * i] = c[2 * i] - 5; s[2 * i] = s[2 * i] - 300; w[i] = w[i] + (long2)(i, -1);\n"
    "}\n"
    /* Lanes of one access lie in live memory, in a buffer, and in local memory. */
    "kernel void mixed(global int *live, global int *plain)\n"
    "{\n"
    "	local int l[32];\n"
    "	uint i = get_local_id(0);\n"
    "	l[i] = 1000 + i; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "	int *p = i % 3 == 0 ? (int *)&live[i] : i % 3 == 1 ? (int *)&plain[i] : (int *)&l[i];\n"
    "	int v = *p; *p = v + 1;\n"
    "	atomic_fetch_add_explicit((volatile atomic_int *)p, 10, memory_order_relaxed, memory_scope_device);\n"
    "	barrier(CLK_LOCAL_MEM_FENCE);\n"
    "	if (i % 3 == 2) plain[i] = l[i];\n"
    "}\n"
    "kernel void wait(global atomic_int *flag) { while (!atomic_load(flag)) ; atomic_store(flag, 2); }\n"
    "kernel void outside(global int *live) { live[1 << 20] = 1; }\n";

static void *alloc(rig *r, size_t bytes)
{
	void *p = clSVMAlloc(r->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, bytes, 0);
	assert_non_null(p);
	return p;
}

static void start(rig *r, cl_kernel kernel, size_t items, size_t group)
{
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), CL_SUCCESS);
}

static void set_pointer(cl_kernel kernel, cl_uint index, const void *p) { assert_int_equal(clSetKernelArgSVMPointer(kernel, index, p), CL_SUCCESS); }

static atomic_bool over; /* the queue is empty */

/* Runs the queue while this thread does something else. */
static void *finish(void *queue)
{
	cl_int status = clFinish(queue);
	atomic_store(&over, true);
	return (void *)(intptr_t)status;
}

static pthread_t begin(rig *r)
{
	pthread_t thread;
	atomic_store(&over, false);
	assert_int_equal(pthread_create(&thread, NULL, finish, r->queue), 0);
	return thread;
}

static void join(pthread_t thread)
{
	void *status;
	pthread_join(thread, &status);
	assert_int_equal((intptr_t)status, CL_SUCCESS);
}

static void test_to_and_fro(const char *options)
{
	rig r;
	const cl_int turns = 300;
	rig_open(&r);
	cl_program program = rig_build(&r, text, options);
	cl_kernel kernel = rig_kernel(program, "to_and_fro");
	_Atomic cl_int *flag = alloc(&r, 4096);
	cl_uint *word = alloc(&r, 64), expected = 5;
	*flag = 0;
	*word = 5;
	set_pointer(kernel, 0, (const void *)flag);
	set_pointer(kernel, 1, word);
	clSetKernelArg(kernel, 2, sizeof turns, &turns);
	start(&r, kernel, 1, 1);
	pthread_t thread = begin(&r);
	for (cl_int i = 0; i < turns; i++) {
		*word += 7; /* not atomic: handed over by the flag */
		expected = (expected + 7) * 3 + 1;
		atomic_store_explicit(flag, 2 * i + 1, memory_order_release);
		while (atomic_load_explicit(flag, memory_order_acquire) != 2 * i + 2 && !atomic_load(&over))
			;
		assert_int_equal(*word, expected);
	}
	join(thread);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clSVMFree(r.context, (void *)(uintptr_t)flag);
	rig_close(&r);
}

TEST(test_turns) { test_to_and_fro("-cl-std=CL3.0"); }
TEST(test_turns_2_0) { test_to_and_fro("-cl-std=CL2.0"); }

/* Nothing is lost, whoever adds. */
TEST(test_counts)
{
	rig r;
	const cl_int rounds = 20, items = 128;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "count");
	_Atomic cl_int *i = alloc(&r, 4);
	_Atomic cl_ulong *l = alloc(&r, 8);
	_Atomic cl_uint *f = alloc(&r, 4); /* the bits of a float */
	*i = 0;
	*l = 0;
	*f = 0;
	set_pointer(kernel, 0, (const void *)i);
	set_pointer(kernel, 1, (const void *)l);
	set_pointer(kernel, 2, (const void *)f);
	clSetKernelArg(kernel, 3, sizeof rounds, &rounds);
	start(&r, kernel, (size_t)items, 64);
	pthread_t thread = begin(&r);
	cl_int mine = 0, floats = 0; /* a float counts to 2^24 */
	for (; !atomic_load(&over); mine++) {
		atomic_fetch_add(i, 1);
		atomic_fetch_add(l, UINT64_C(0x200000000));
		cl_uint bits = atomic_load(f), more;
		float value;
		do {
			memcpy(&value, &bits, 4);
			value += 2;
			memcpy(&more, &value, 4);
		} while (floats < 1 << 20 && !atomic_compare_exchange_weak(f, &bits, more));
		floats += floats < 1 << 20;
	}
	join(thread);
	float sum;
	cl_uint bits = *f;
	memcpy(&sum, &bits, 4);
	assert_int_equal(*i, mine + 3 * rounds * items);
	assert_true(*l == (cl_ulong)mine * UINT64_C(0x200000000) - (cl_ulong)rounds * (cl_ulong)items * UINT64_C(0x100000001));
	assert_true(sum == (float)(2 * floats + rounds * items));
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_each_operation)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "each");
	cl_uint *u = alloc(&r, 4), *old = alloc(&r, 64);
	cl_long *s = alloc(&r, 8);
	*u = 0x0f;
	*s = 3;
	set_pointer(kernel, 0, u);
	set_pointer(kernel, 1, s);
	set_pointer(kernel, 2, old);
	start(&r, kernel, 1, 1);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	static const cl_uint expected[] = {0x0f, 0xff, 0x3c, 0x39, 0x1000, 7, (cl_uint)-5, 0, 9, 1};
	for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++)
		assert_int_equal(old[k], expected[k]);
	assert_int_equal(*u, 2);
	assert_int_equal(*s, 77);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

/* Kernel and host write different bytes of the same words. */
typedef struct neighbours {
	_Atomic cl_char *c;
	_Atomic cl_short *s;
	atomic_bool stop;
	cl_int rounds;
} neighbours;
enum { ITEMS = 256 };

static void *write_odd(void *data)
{
	neighbours *n = data;
	while (!atomic_load(&n->stop)) {
		for (unsigned i = 0; i < ITEMS; i++) {
			atomic_store_explicit(&n->c[2 * i + 1], (cl_char)(n->c[2 * i + 1] + 1), memory_order_relaxed);
			atomic_store_explicit(&n->s[2 * i + 1], (cl_short)(n->s[2 * i + 1] + 1), memory_order_relaxed);
		}
		n->rounds++;
	}
	return NULL;
}

TEST(test_neighbours)
{
	rig r;
	pthread_t thread;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "bytes");
	neighbours n = {.c = alloc(&r, 2 * ITEMS), .s = alloc(&r, 4 * ITEMS)};
	cl_long *w = alloc(&r, 16 * ITEMS);
	memset((void *)(uintptr_t)n.c, 100, 2 * ITEMS);
	memset((void *)(uintptr_t)n.s, 0, 4 * ITEMS);
	memset(w, 0, 16 * ITEMS);
	set_pointer(kernel, 0, (const void *)n.c);
	set_pointer(kernel, 1, (const void *)n.s);
	set_pointer(kernel, 2, w);
	assert_int_equal(pthread_create(&thread, NULL, write_odd, &n), 0);
	for (unsigned round = 0; round < 20; round++)
		start(&r, kernel, ITEMS, 64);
	assert_int_equal(clFinish(r.queue), CL_SUCCESS);
	atomic_store(&n.stop, true);
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < ITEMS; i++) {
		assert_int_equal(n.c[2 * i], (cl_char)(100 - 5 * 20));
		assert_int_equal(n.s[2 * i], -300 * 20);
		assert_int_equal(n.c[2 * i + 1], (cl_char)(100 + n.rounds));
		assert_int_equal(n.s[2 * i + 1], (cl_short)n.rounds);
		assert_true(w[2 * i] == 20 * (cl_long)i && w[2 * i + 1] == -20);
	}
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_mixed)
{
	rig r;
	cl_int plain[32];
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "mixed");
	cl_int *live = alloc(&r, 128);
	for (int i = 0; i < 32; i++)
		live[i] = plain[i] = i * i;
	cl_mem buffer = rig_buffer(&r, sizeof plain, plain);
	set_pointer(kernel, 0, live);
	clSetKernelArg(kernel, 1, sizeof buffer, &buffer);
	start(&r, kernel, 32, 32);
	rig_read(&r, buffer, plain, sizeof plain);
	for (int i = 0; i < 32; i++) {
		assert_int_equal(live[i], i * i + (i % 3 == 0 ? 11 : 0));
		assert_int_equal(plain[i], i % 3 == 2 ? 1011 + i : i * i + (i % 3 == 1 ? 11 : 0));
	}
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

/* A kernel that waits for the host long after a kernel that waits for nothing would be told to repeat itself. Outside of the allocation it traps. */
TEST(test_patience)
{
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, text, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "wait"), wrong = rig_kernel(program, "outside");
	_Atomic cl_int *flag = alloc(&r, 4);
	*flag = 0;
	set_pointer(kernel, 0, (const void *)flag);
	start(&r, kernel, 1, 1);
	pthread_t thread = begin(&r);
	nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
	assert_int_equal(*flag, 0);
	atomic_store(flag, 1);
	join(thread);
	assert_int_equal(*flag, 2);
	set_pointer(wrong, 0, (const void *)flag);
	start(&r, wrong, 1, 1);
	assert_int_equal(clFinish(r.queue), CL_OUT_OF_RESOURCES);
	clReleaseKernel(wrong);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

TEST(test_flags)
{
	rig r;
	cl_device_svm_capabilities svm;
	cl_device_atomic_capabilities atomics;
	rig_open(&r);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL), CL_SUCCESS);
	assert_int_equal(svm, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS);
	clGetDeviceInfo(r.device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof atomics, &atomics, NULL);
	assert_true(atomics & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
	/* Atomics are of fine-grained memory alone. */
	assert_null(clSVMAlloc(r.context, CL_MEM_SVM_ATOMICS, 8, 0));
	assert_null(clSVMAlloc(r.context, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 8, 0));
	cl_int *live = alloc(&r, 64), out = 0, pattern = 6;
	assert_int_equal(clEnqueueSVMMemFill(r.queue, live, &pattern, 4, 64, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueSVMMemcpy(r.queue, CL_TRUE, &out, live + 3, 4, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(out, 6);
	clSVMFree(r.context, live);
	rig_close(&r);
}

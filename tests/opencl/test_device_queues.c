/* Device queues: kernels that enqueue kernels. Each algorithm is compared with the host's. Runs on the machine and in the interpreter. */
#include "rig.h"
#include <CL/cl_ext.h>

static const cl_command_queue_properties ON_DEVICE = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

static cl_command_queue make_queue(rig *r, cl_command_queue_properties more, cl_uint size)
{
	cl_int status;
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, ON_DEVICE | more, size ? CL_QUEUE_SIZE : 0, size, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(r->context, r->device, list, &status);
	assert_int_equal(status, CL_SUCCESS);
	return queue;
}

/* A context with a default device queue. */
typedef struct stage {
	rig r;
	cl_command_queue device_queue;
	cl_program program;
	cl_kernel kernel;
} stage;

static void open_stage(stage *s, const char *text, const char *options)
{
	rig_open(&s->r);
	s->device_queue = make_queue(&s->r, CL_QUEUE_ON_DEVICE_DEFAULT, 0);
	s->program = rig_build(&s->r, text, options);
	s->kernel = rig_kernel(s->program, "k");
}

static void close_stage(stage *s)
{
	assert_int_equal(clReleaseKernel(s->kernel), CL_SUCCESS);
	assert_int_equal(clReleaseProgram(s->program), CL_SUCCESS);
	assert_int_equal(clReleaseCommandQueue(s->device_queue), CL_SUCCESS);
	rig_close(&s->r);
}

static void launch(stage *s, size_t global, size_t local)
{
	assert_int_equal(clEnqueueNDRangeKernel(s->r.queue, s->kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(s->r.queue), CL_SUCCESS);
}

static cl_mem buffer_arg(stage *s, cl_uint index, size_t bytes, const void *from)
{
	cl_mem mem = rig_buffer(&s->r, bytes, from);
	assert_int_equal(clSetKernelArg(s->kernel, index, sizeof mem, &mem), CL_SUCCESS);
	return mem;
}

static void value_arg(stage *s, cl_uint index, cl_uint value)
{
	assert_int_equal(clSetKernelArg(s->kernel, index, sizeof value, &value), CL_SUCCESS);
}

static cl_uint next_random(cl_uint *seed) { return *seed = *seed * 1664525u + 1013904223u; }

/* -- algorithms -------------------------------------------------------------------------------------------------------------------------------- */

/* Quicksort: each part is sorted by a kernel of its own. */
static const char quicksort[] =
    "void sort(global int *a, int begin, int end)\n"
    "{\n"
    "	while (end - begin > 8) {\n"
    "		int pivot = a[begin + (end - begin) / 2], i = begin, j = end - 1;\n"
    "		while (i <= j) {\n"
    "			while (a[i] < pivot) i++;\n"
    "			while (a[j] > pivot) j--;\n"
    "			if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }\n"
    "		}\n"
    "		int middle = i, last = end;\n"
    "		if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ sort(a, middle, last); }) != CLK_SUCCESS)\n"
    "			a[0] = -1;\n"
    "		end = j + 1;\n"
    "	}\n"
    "	for (int i = begin + 1; i < end; i++)\n"
    "		for (int j = i; j > begin && a[j - 1] > a[j]; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }\n"
    "}\n"
    "kernel void k(global int *a, int n) { sort(a, 0, n); }\n";

static int compare(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }

TEST(kernels_sort_by_enqueuing_themselves)
{
	enum { N = 700 };
	stage s;
	int values[N], expected[N];
	cl_uint seed = 7;
	open_stage(&s, quicksort, "-cl-std=CL2.0");
	for (int i = 0; i < N; i++)
		values[i] = expected[i] = (int)(next_random(&seed) >> 8) % 1000;
	qsort(expected, N, sizeof *expected, compare);
	cl_mem mem = buffer_arg(&s, 0, sizeof values, values);
	value_arg(&s, 1, N);
	launch(&s, 1, 1);
	rig_read(&s.r, mem, values, sizeof values);
	assert_memory_equal(values, expected, sizeof values);
	clReleaseMemObject(mem);
	close_stage(&s);
}

/* Breadth-first search: the last work-item of a level enqueues the next one, deeper than any nesting of launches goes. */
static const char search[] =
    "void level(global const uint *first, global const uint *edges, global int *depth, global uint *frontier, global uint *counts, uint d, uint n);\n"
    "void next(global const uint *first, global const uint *edges, global int *depth, global uint *frontier, global uint *counts, uint d, uint n)\n"
    "{\n"
    "	size_t items = counts[d & 1];\n"
    "	counts[~d & 1] = 0;\n"
    "	if (items)\n"
    "		counts[2] |= enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(items),\n"
    "		                            ^{ level(first, edges, depth, frontier, counts, d, n); });\n"
    "}\n"
    "void level(global const uint *first, global const uint *edges, global int *depth, global uint *frontier, global uint *counts, uint d, uint n)\n"
    "{\n"
    "	uint node = frontier[(d & 1) * n + get_global_id(0)];\n"
    "	for (uint e = first[node]; e < first[node + 1]; e++)\n"
    "		if (atomic_cmpxchg(depth + edges[e], -1, (int)d + 1) == -1)\n"
    "			frontier[(~d & 1) * n + atomic_inc(counts + (~d & 1))] = edges[e];\n"
    "	if (get_global_id(0) == 0)\n"
    "		counts[2] |= enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),\n"
    "		                            ^{ next(first, edges, depth, frontier, counts, d + 1, n); });\n"
    "}\n"
    "kernel void k(global const uint *first, global const uint *edges, global int *depth, global uint *frontier, global uint *counts, uint n)\n"
    "{\n"
    "	depth[0] = 0;\n"
    "	frontier[0] = 0;\n"
    "	counts[0] = 1;\n"
    "	next(first, edges, depth, frontier, counts, 0, n);\n"
    "}\n";

enum { NODES = 240 };

/* A chain with short cuts: some hundred levels, some of them wide. */
static cl_uint make_graph(cl_uint *first, cl_uint *edges)
{
	cl_uint n = 0, seed = 3;
	for (cl_uint i = 0; i < NODES; i++) {
		first[i] = n;
		edges[n++] = (i + 1) % NODES;
		for (cl_uint k = 0; k < 3 && i % 5 == 0; k++) {
			cl_uint to = i + next_random(&seed) % 12;
			edges[n++] = to < NODES ? to : 0;
		}
	}
	first[NODES] = n;
	return n;
}

static void search_on_host(const cl_uint *first, const cl_uint *edges, int *depth)
{
	cl_uint list[NODES], n = 1;
	for (cl_uint i = 0; i < NODES; i++)
		depth[i] = -1;
	depth[0] = 0;
	list[0] = 0;
	for (cl_uint i = 0; i < n; i++)
		for (cl_uint e = first[list[i]]; e < first[list[i] + 1]; e++)
			if (depth[edges[e]] == -1) {
				depth[edges[e]] = depth[list[i]] + 1;
				list[n++] = edges[e];
			}
}

TEST(a_search_enqueues_level_after_level)
{
	cl_uint first[NODES + 1], edges[4 * NODES], counts[3] = {0};
	int depth[NODES], expected[NODES];
	stage s;
	open_stage(&s, search, "-cl-std=CL3.0");
	cl_uint n = make_graph(first, edges);
	search_on_host(first, edges, expected);
	memset(depth, 0xff, sizeof depth);
	cl_mem mems[] = {buffer_arg(&s, 0, sizeof first, first), buffer_arg(&s, 1, n * sizeof *edges, edges), buffer_arg(&s, 2, sizeof depth, depth),
	                 buffer_arg(&s, 3, 2 * NODES * sizeof(cl_uint), NULL), buffer_arg(&s, 4, sizeof counts, counts)};
	value_arg(&s, 5, NODES);
	launch(&s, 1, 1);
	rig_read(&s.r, mems[2], depth, sizeof depth);
	rig_read(&s.r, mems[4], counts, sizeof counts);
	assert_int_equal(counts[2], 0);
	assert_memory_equal(depth, expected, sizeof depth);
	for (size_t i = 0; i < 5; i++)
		clReleaseMemObject(mems[i]);
	close_stage(&s);
}

/* Stages that follow each other by events: fan out, join by a marker, reduce in local memory that the enqueuing kernel asks for. */
static const char stages[] =
    "kernel void k(global uint *a, global uint *sums, uint n)\n"
    "{\n"
    "	queue_t q = get_default_queue();\n"
    "	clk_event_t squared[4], all, summed;\n"
    "	int bad = 0;\n"
    "	for (uint part = 0; part < 4; part++)\n"
    "		bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(part * n / 4, n / 4, 16), 0, NULL, &squared[part],\n"
    "		                      ^{ size_t i = get_global_id(0); a[i] = a[i] * a[i] + part; });\n"
    "	bad |= enqueue_marker(q, 4, squared, &all);\n"
    "	bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n, 32), 1, &all, &summed, ^(local void *v, local void *w) {\n"
    "		local uint *t = v;\n"
    "		local ulong2 *u = w;\n"
    "		uint l = get_local_id(0);\n"
    "		t[l] = a[get_global_id(0)];\n"
    "		u[l] = (ulong2)(l, 1);\n"
    "		work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "		for (uint s = 16; s; s /= 2) {\n"
    "			if (l < s) { t[l] += t[l + s]; u[l] += u[l + s]; }\n"
    "			work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "		}\n"
    "		if (l == 0) sums[get_group_id(0)] = t[0] + (uint)u[0].x * 1000 + (uint)u[0].y;\n"
    "	}, 32 * (uint)sizeof(uint), 32 * (uint)sizeof(ulong2));\n"
    "	bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &summed, NULL, ^{\n"
    "		uint total = 0;\n"
    "		for (uint g = 0; g < n / 32; g++) total += sums[g];\n"
    "		sums[n / 32] = total;\n"
    "	});\n"
    "	for (uint part = 0; part < 4; part++) release_event(squared[part]);\n"
    "	release_event(all);\n"
    "	release_event(summed);\n"
    "	sums[n / 32 + 1] = bad;\n"
    "}\n";

TEST(events_order_what_follows)
{
	enum { N = 256, GROUPS = N / 32 };
	cl_uint values[N], sums[GROUPS + 2], total = 0;
	stage s;
	open_stage(&s, stages, "-cl-std=CL2.0");
	for (cl_uint i = 0; i < N; i++)
		values[i] = i * 3 + 1;
	cl_mem a = buffer_arg(&s, 0, sizeof values, values), b = buffer_arg(&s, 1, sizeof sums, NULL);
	value_arg(&s, 2, N);
	launch(&s, 1, 1);
	rig_read(&s.r, b, sums, sizeof sums);
	assert_int_equal(sums[GROUPS + 1], 0);
	for (cl_uint g = 0; g < GROUPS; g++) {
		cl_uint expected = 31 * 16 * 1000 + 32;
		for (cl_uint i = 32 * g; i < 32 * g + 32; i++)
			expected += values[i] * values[i] + i / (N / 4);
		assert_int_equal(sums[g], expected);
		total += expected;
	}
	assert_int_equal(sums[GROUPS], total);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	close_stage(&s);
}

/* -- when a command begins --------------------------------------------------------------------------------------------------------------------- */

/* Every work-item adds; what waits for the kernel sees all of them, what waits for the work-group at least its own. The range's groups have several
 * sizes, so the kernel is several grids. */
static const char waits[] =
    "kernel void k(global uint *sum, global uint *seen, global uint *groups)\n"
    "{\n"
    "	queue_t q = get_default_queue();\n"
    "	uint g = get_group_id(0);\n"
    "	if (get_local_id(0) == 0) {\n"
    "		seen[1] |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ seen[2 + g] = groups[g]; });\n"
    "		if (g == 0)\n"
    "			seen[1] |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ seen[0] = sum[0]; });\n"
    "	}\n"
    "	for (uint i = 0; i < 20; i++) atomic_inc(sum);\n"
    "	for (uint i = 0; i < 20; i++) atomic_inc(groups + g);\n"
    "}\n";

TEST(a_command_waits_for_kernel_or_work_group)
{
	enum { N = 1000, LOCAL = 96, GROUPS = (N + LOCAL - 1) / LOCAL };
	cl_uint zeros[2 + GROUPS] = {0}, seen[2 + GROUPS];
	stage s;
	open_stage(&s, waits, "-cl-std=CL3.0");
	cl_mem mems[] = {buffer_arg(&s, 0, sizeof zeros, zeros), buffer_arg(&s, 1, sizeof zeros, zeros), buffer_arg(&s, 2, sizeof zeros, zeros)};
	launch(&s, N, LOCAL);
	rig_read(&s.r, mems[1], seen, sizeof seen);
	assert_int_equal(seen[1], 0);
	assert_int_equal(seen[0], 20 * N);
	for (cl_uint g = 0; g < GROUPS; g++)
		assert_int_equal(seen[2 + g], 20 * (g + 1 < GROUPS ? LOCAL : N % LOCAL));
	for (size_t i = 0; i < 3; i++)
		clReleaseMemObject(mems[i]);
	close_stage(&s);
}

/* An enqueued kernel over a range in two dimensions with offsets, whose groups have several sizes. */
static const char ranges[] = "kernel void k(global uint *a, uint w)\n"
                             "{\n"
                             "	size_t offset[2] = {3, 5}, global_size[2] = {37, 11}, local_size[2] = {8, 4};\n"
                             "	ndrange_t two = ndrange_2D(offset, global_size, local_size);\n"
                             "	a[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, two, ^{\n"
                             "		uint x = get_global_id(0), y = get_global_id(1);\n"
                             "		a[y * w + x] = get_global_size(0) * 1000000 + get_num_groups(1) * 100000 + get_group_id(0) * 1000 + "
                             "get_local_size(1) * 100 + get_work_dim() * 10 +\n"
                             "		               (get_global_offset(1) == 5) + 2 * (get_enqueued_local_size(0) == 8);\n"
                             "	});\n"
                             "	a[1] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(0), ^{ a[2] = 1; });\n"
                             "}\n";

TEST(ranges_have_offsets_and_ends)
{
	enum { W = 48, H = 20 };
	cl_uint values[W * H] = {0}, expected[W * H] = {0};
	stage s;
	open_stage(&s, ranges, "-cl-std=CL3.0");
	cl_mem a = buffer_arg(&s, 0, sizeof values, values);
	value_arg(&s, 1, W);
	launch(&s, 1, 1);
	for (cl_uint y = 0; y < 11; y++)
		for (cl_uint x = 0; x < 37; x++)
			expected[(y + 5) * W + x + 3] = 37 * 1000000 + 3 * 100000 + x / 8 * 1000 + (y < 8 ? 4 : 3) * 100 + 20 + 3;
	rig_read(&s.r, a, values, sizeof values);
	assert_memory_equal(values, expected, sizeof values);
	clReleaseMemObject(a);
	close_stage(&s);
}

/* -- failures ---------------------------------------------------------------------------------------------------------------------------------- */

static const char failures[] = "kernel void k(global int *r, queue_t other)\n"
                               "{\n"
                               "	queue_t q = get_default_queue(), none = 0;\n"
                               "	clk_event_t e, dead, list[2];\n"
                               "	void (^one)(void) = ^{ atomic_inc(r + 30); };\n"
                               "	r[0] = enqueue_kernel(q, 0, ndrange_1D(1 << 20, 1 << 20), ^{ r[20] = 1; });\n"
                               "	r[1] = enqueue_kernel(none, 0, ndrange_1D(1), ^{ r[20] = 2; });\n"
                               "	r[2] = enqueue_kernel(q, 0, ndrange_1D(1), 0, &e, &e, ^{ r[20] = 3; });\n"
                               "	r[3] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p) { r[20] = 4; }, 1u << 30);\n"
                               "	r[4] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p) { r[20] = 5; }, 0u);\n"
                               "	dead = create_user_event();\n"
                               "	set_user_event_status(dead, CL_COMPLETE);\n"
                               "	release_event(dead);\n"
                               "	r[5] = is_valid_event(dead);\n"
                               "	r[6] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &dead, NULL, ^{ r[20] = 6; });\n"
                               "	list[0] = create_user_event();\n"
                               "	r[7] = is_valid_event(list[0]);\n"
                               "	r[8] = enqueue_kernel(q, 0, ndrange_1D(1), 1, list, &e, ^{ r[20] = 7; });\n"
                               "	r[9] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &e, &list[1], ^{ r[20] = 8; });\n"
                               "	r[10] = enqueue_marker(q, 2, list, &e);\n"
                               "	r[11] = enqueue_kernel(q, 0, ndrange_1D(4), 1, &e, NULL, ^{ r[20] = 9; });\n"
                               "	set_user_event_status(list[0], -7);\n"
                               "	r[12] = enqueue_kernel(q, 0, ndrange_1D(1), 1, list, NULL, ^{ r[20] = 10; });\n"
                               "	r[13] = enqueue_kernel(other, 0, ndrange_1D(5), one);\n"
                               "	r[14] = get_kernel_work_group_size(one);\n"
                               "	r[15] = get_kernel_preferred_work_group_size_multiple(one);\n"
                               "	r[16] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(300, 75), one);\n"
                               "	r[17] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(48, 16), one);\n"
                               "	r[18] = is_valid_event(CLK_NULL_EVENT);\n"
                               "	r[19] = q == other;\n"
                               "}\n";

TEST(what_cannot_be_enqueued_fails_as_a_value)
{
	static const int expected[20] = {-101, -101, -101, -101, -101, 0, -101, 1, 0, 0, 0, 0, 0, 0, 1024, 32, 3, 16, 0, 0};
	int r[31] = {0};
	stage s;
	open_stage(&s, failures, "-cl-std=CL3.0");
	cl_command_queue other = make_queue(&s.r, 0, 4096);
	cl_mem a = buffer_arg(&s, 0, sizeof r, r);
	assert_int_equal(clSetKernelArg(s.kernel, 1, sizeof other, &other), CL_SUCCESS);
	size_t most;
	assert_int_equal(clGetDeviceInfo(s.r.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL), CL_SUCCESS);
	launch(&s, 1, 1);
	rig_read(&s.r, a, r, sizeof r);
	for (size_t i = 0; i < 20; i++)
		if (r[i] != (i == 14 && most < 1024 ? (int)most : expected[i]))
			fail_msg("answer %zu is %d, expected %d", i, r[i], expected[i]);
	assert_int_equal(r[20], 0); /* nothing of what failed, or waited for a failure, has run */
	assert_int_equal(r[30], 5);
	clReleaseMemObject(a);
	clReleaseCommandQueue(other);
	close_stage(&s);
}

/* A queue holds as many commands as it has room for. Each that ends makes room. */
static const char full[] =
    "kernel void k(global int *r, queue_t q)\n"
    "{\n"
    "	clk_event_t go = create_user_event();\n"
    "	int taken = 0;\n"
    "	while (taken < 1000 && enqueue_kernel(q, 0, ndrange_1D(1), 1, &go, NULL, ^{ atomic_inc(r + 1); }) == CLK_SUCCESS) taken++;\n"
    "	r[0] = taken;\n"
    "	r[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ r[3] = 1; });\n"
    "	set_user_event_status(go, CL_COMPLETE);\n"
    "	release_event(go);\n"
    "}\n";

TEST(a_full_queue_takes_no_more)
{
	int r[4];
	stage s;
	open_stage(&s, full, "-cl-std=CL2.0");
	cl_command_queue small = make_queue(&s.r, 0, 4096);
	assert_int_equal(clSetKernelArg(s.kernel, 1, sizeof small, &small), CL_SUCCESS);
	for (int turn = 0; turn < 3; turn++) { /* memory that one launch has used is free for the next one */
		memset(r, 0, sizeof r);
		cl_mem a = buffer_arg(&s, 0, sizeof r, r);
		launch(&s, 1, 1);
		rig_read(&s.r, a, r, sizeof r);
		assert_int_equal(r[0], 4096 / 64);
		assert_int_equal(r[1], r[0]);
		assert_int_equal(r[2], -101);
		assert_int_equal(r[3], 0);
		clReleaseMemObject(a);
	}
	clReleaseCommandQueue(small);
	close_stage(&s);
}

/* -- events over launches, and times ------------------------------------------------------------------------------------------------------------ */

static const char events[] =
    "kernel void k(global ulong *e, global int *r, global ulong *times, uint step)\n"
    "{\n"
    "	queue_t q = get_default_queue();\n"
    "	clk_event_t done, user;\n"
    "	if (step == 0) {\n"
    "		r[0] = enqueue_kernel(q, 0, ndrange_1D(64), 0, NULL, &done, ^{\n"
    "			if (get_global_id(0) == 0)\n"
    "				enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ for (volatile int i = 0; i < 200; i++); r[1] = 1; });\n"
    "		});\n"
    "		capture_event_profiling_info(done, CLK_PROFILING_COMMAND_EXEC_TIME, times);\n"
    "		user = create_user_event();\n"
    "		retain_event(user);\n"
    "		e[0] = __builtin_astype(done, ulong);\n"
    "		e[1] = __builtin_astype(user, ulong);\n"
    "		return;\n"
    "	}\n"
    "	done = __builtin_astype(e[0], clk_event_t);\n"
    "	user = __builtin_astype(e[1], clk_event_t);\n"
    "	if (step == 1) {\n"
    "		clk_event_t both[2] = {done, user};\n"
    "		r[2] = is_valid_event(done) && is_valid_event(user);\n"
    "		r[3] = enqueue_kernel(q, 0, ndrange_1D(1), 2, both, NULL, ^{ r[4]++; });\n"
    "		capture_event_profiling_info(done, CLK_PROFILING_COMMAND_EXEC_TIME, times + 2);\n"
    "		set_user_event_status(user, CL_COMPLETE);\n"
    "		release_event(done);\n"
    "		release_event(user);\n"
    "	} else {\n"
    "		r[5] = is_valid_event(done);\n"
    "		r[6] = is_valid_event(user);\n"
    "		release_event(user);\n"
    "		r[7] = is_valid_event(user);\n"
    "	}\n"
    "}\n";

TEST(events_live_until_they_are_released)
{
	cl_ulong none[2] = {0}, times[4] = {0};
	int r[8] = {0};
	stage s;
	open_stage(&s, events, "-cl-std=CL2.0");
	cl_mem e = buffer_arg(&s, 0, sizeof none, none), a = buffer_arg(&s, 1, sizeof r, r), t = buffer_arg(&s, 2, sizeof times, times);
	for (cl_uint step = 0; step < 3; step++) {
		value_arg(&s, 3, step);
		launch(&s, 1, 1);
	}
	rig_read(&s.r, a, r, sizeof r);
	rig_read(&s.r, t, times, sizeof times);
	static const int expected[8] = {0, 1, 1, 0, 1, 0, 1, 0};
	assert_memory_equal(r, expected, sizeof r);
	assert_true(times[0] > 0 && times[1] > times[0]); /* its child ended later */
	assert_memory_equal(times, times + 2, sizeof none);
	clReleaseMemObject(e);
	clReleaseMemObject(a);
	clReleaseMemObject(t);
	close_stage(&s);
}

/* A child that waits for an event that nobody completes does not run. The launch fails, and the context lives on. */
static const char stuck[] = "kernel void k(global int *r, int wait)\n"
                            "{\n"
                            "	clk_event_t never = create_user_event();\n"
                            "	r[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), wait, wait ? &never : NULL, NULL, ^{ r[1]++; });\n"
                            "}\n";

TEST(a_command_that_nobody_releases_is_an_error)
{
	int r[2] = {0};
	const size_t one = 1;
	stage s;
	open_stage(&s, stuck, "-cl-std=CL2.0");
	cl_mem a = buffer_arg(&s, 0, sizeof r, r);
	value_arg(&s, 1, 1);
	assert_int_equal(clEnqueueNDRangeKernel(s.r.queue, s.kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clFinish(s.r.queue), CL_OUT_OF_RESOURCES);
	value_arg(&s, 1, 0);
	launch(&s, 1, 1);
	rig_read(&s.r, a, r, sizeof r);
	assert_int_equal(r[1], 1);
	clReleaseMemObject(a);
	close_stage(&s);
}

/* -- the host's side ----------------------------------------------------------------------------------------------------------------------------- */

static cl_int creation(rig *r, const cl_queue_properties *list)
{
	cl_int status;
	cl_command_queue queue = clCreateCommandQueueWithProperties(r->context, r->device, list, &status);
	if (queue)
		clReleaseCommandQueue(queue);
	return status;
}

TEST(the_host_creates_and_asks)
{
	const cl_command_queue_properties all = ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_PROFILING_ENABLE;
	rig r;
	cl_uint size, count;
	cl_command_queue_properties bits;
	cl_command_queue found;
	rig_open(&r);
	assert_int_equal(creation(&r, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}), CL_INVALID_VALUE);
	assert_int_equal(
	    creation(&r, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}),
	    CL_INVALID_VALUE);
	assert_int_equal(creation(&r, (cl_queue_properties[]){CL_QUEUE_SIZE, 4096, 0}), CL_INVALID_VALUE);
	assert_int_equal(creation(&r, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_SIZE, 0, 0}), CL_INVALID_VALUE);
	assert_int_equal(creation(&r, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_SIZE, (cl_queue_properties)1 << 31, 0}),
	                 CL_INVALID_QUEUE_PROPERTIES);
	assert_int_equal(creation(&r, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, ON_DEVICE, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0}),
	                 CL_INVALID_QUEUE_PROPERTIES);
	assert_int_equal(clGetCommandQueueInfo(r.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL), CL_SUCCESS);
	assert_null(found);
	cl_command_queue first = make_queue(&r, CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_PROFILING_ENABLE, 8192),
	                 second = make_queue(&r, CL_QUEUE_ON_DEVICE_DEFAULT, 0), third = make_queue(&r, 0, 0);
	assert_ptr_equal(first, second); /* there is one default queue */
	assert_int_equal(clGetCommandQueueInfo(first, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
	assert_int_equal(count, 2);
	assert_int_equal(clGetCommandQueueInfo(first, CL_QUEUE_SIZE, sizeof size, &size, NULL), CL_SUCCESS);
	assert_int_equal(size, 8192);
	assert_int_equal(clGetCommandQueueInfo(first, CL_QUEUE_PROPERTIES, sizeof bits, &bits, NULL), CL_SUCCESS);
	assert_int_equal(bits, all);
	assert_int_equal(clGetCommandQueueInfo(r.queue, CL_QUEUE_SIZE, sizeof size, &size, NULL), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clGetCommandQueueInfo(r.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL), CL_SUCCESS);
	assert_ptr_equal(found, first);
	assert_int_equal(clSetDefaultDeviceCommandQueue(r.context, r.device, r.queue), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clSetDefaultDeviceCommandQueue(r.context, NULL, third), CL_INVALID_DEVICE);
	assert_int_equal(clSetDefaultDeviceCommandQueue(r.context, r.device, third), CL_SUCCESS);
	assert_int_equal(clGetCommandQueueInfo(first, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL), CL_SUCCESS);
	assert_ptr_equal(found, third);
	/* Commands of the host are for queues of the host. */
	assert_int_equal(clFinish(first), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clEnqueueMarkerWithWaitList(first, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clReleaseCommandQueue(first), CL_SUCCESS);
	assert_int_equal(clReleaseCommandQueue(second), CL_SUCCESS);
	assert_int_equal(clReleaseCommandQueue(third), CL_SUCCESS);
	assert_int_equal(clGetCommandQueueInfo(r.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL), CL_SUCCESS);
	assert_null(found);
	/* As many as the device reports, beside a default queue. */
	cl_command_queue many[18] = {NULL};
	cl_int status = CL_SUCCESS;
	cl_uint n = 0;
	while (n < 18 && status == CL_SUCCESS)
		many[n++] =
		    clCreateCommandQueueWithProperties(r.context, r.device, (cl_queue_properties[]){CL_QUEUE_PROPERTIES, ON_DEVICE, 0}, &status);
	assert_int_equal(status, CL_OUT_OF_RESOURCES);
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_MAX_ON_DEVICE_QUEUES, sizeof count, &count, NULL), CL_SUCCESS);
	assert_int_equal(n - 1, count + 1);
	for (cl_uint i = 0; i < 17; i++)
		assert_int_equal(clReleaseCommandQueue(many[i]), CL_SUCCESS);
	rig_close(&r);
}

/* Kernels of blocks are no kernels of the host. A queue is an argument like others. */
TEST(blocks_are_hidden_and_queues_are_arguments)
{
	stage s;
	char names[64];
	size_t n, size;
	cl_uint kernels;
	cl_int status;
	open_stage(&s, failures, "-cl-std=CL3.0 -cl-kernel-arg-info");
	assert_int_equal(clGetProgramInfo(s.program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL), CL_SUCCESS);
	assert_string_equal(names, "k");
	assert_int_equal(clGetProgramInfo(s.program, CL_PROGRAM_NUM_KERNELS, sizeof n, &n, NULL), CL_SUCCESS);
	assert_int_equal(n, 1);
	cl_kernel two[2];
	assert_int_equal(clCreateKernelsInProgram(s.program, 2, two, &kernels), CL_SUCCESS);
	assert_int_equal(kernels, 1);
	clReleaseKernel(two[0]);
	assert_null(clCreateKernel(s.program, "__k_block_invoke_kernel", &status));
	assert_int_equal(status, CL_INVALID_KERNEL_NAME);
	assert_int_equal(clGetKernelArgInfo(s.kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof names, names, &size), CL_SUCCESS);
	assert_string_equal(names, "queue_t");
	assert_int_equal(clSetKernelArg(s.kernel, 1, sizeof s.r.queue, &s.r.queue), CL_INVALID_DEVICE_QUEUE);
	assert_int_equal(clSetKernelArg(s.kernel, 1, sizeof s.r.queue, NULL), CL_INVALID_DEVICE_QUEUE);
	assert_int_equal(clSetKernelArg(s.kernel, 1, 4, &s.device_queue), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(s.kernel, 1, sizeof s.device_queue, &s.device_queue), CL_SUCCESS);
	close_stage(&s);
}

/* A program of units, from a binary, and through the command buffer's way of launching. Prints come from enqueued kernels, too. */
static const char part_one[] = "extern void more(global int *r);\n"
                               "kernel void k(global int *r)\n"
                               "{ r[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(3), ^{ more(r); }); }\n";
static const char part_two[] =
    "void more(global int *r)\n"
    "{\n"
    "	int i = get_global_id(0);\n"
    "	enqueue_kernel(get_default_queue(), 0, ndrange_1D(2), ^{ atomic_add(r + 1, 10 * i + (int)get_global_id(0)); });\n"
    "}\n";

TEST(linked_and_stored_programs_enqueue)
{
	rig r;
	cl_int status, values[2];
	size_t size;
	rig_open(&r);
	cl_command_queue queue = make_queue(&r, CL_QUEUE_ON_DEVICE_DEFAULT, 0);
	cl_program units[] = {rig_source(&r, part_one), rig_source(&r, part_two)};
	for (int i = 0; i < 2; i++)
		assert_int_equal(clCompileProgram(units[i], 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_program linked = clLinkProgram(r.context, 0, NULL, NULL, 2, units, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(clGetProgramInfo(linked, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
	unsigned char *bytes = malloc(size);
	assert_non_null(bytes);
	assert_int_equal(clGetProgramInfo(linked, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
	cl_program stored = clCreateProgramWithBinary(r.context, 1, &r.device, &size, (const unsigned char **)&bytes, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(clBuildProgram(stored, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	free(bytes);
	cl_program programs[] = {linked, stored};
	for (int i = 0; i < 2; i++) {
		const cl_int zeros[2] = {1, 0};
		const size_t one = 1;
		cl_mem a = rig_buffer(&r, sizeof zeros, zeros);
		cl_kernel kernel = rig_kernel(programs[i], "k");
		assert_int_equal(clSetKernelArg(kernel, 0, sizeof a, &a), CL_SUCCESS);
		assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
		rig_read(&r, a, values, sizeof values);
		assert_int_equal(values[0], 0);
		assert_int_equal(values[1], 2 * (0 + 10 + 20) + 3);
		clReleaseKernel(kernel);
		clReleaseMemObject(a);
	}
	for (int i = 0; i < 2; i++) {
		clReleaseProgram(units[i]);
		clReleaseProgram(programs[i]);
	}
	clReleaseCommandQueue(queue);
	rig_close(&r);
}

/* Without a default queue there is none to enqueue to. A kernel keeps no queue alive. */
TEST(without_a_queue_nothing_is_enqueued)
{
	int r[2] = {0};
	const size_t one = 1;
	stage s;
	open_stage(&s, full, "-cl-std=CL3.0");
	cl_program program = rig_build(
	    &s.r, "kernel void k(global int *r) { r[0] = get_default_queue() == 0; r[1] = is_valid_event(create_user_event()); }", "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "k");
	cl_mem a = rig_buffer(&s.r, sizeof r, r);
	cl_command_queue gone = make_queue(&s.r, 0, 0);
	assert_int_equal(clSetKernelArg(s.kernel, 0, sizeof a, &a), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(s.kernel, 1, sizeof gone, &gone), CL_SUCCESS);
	clReleaseCommandQueue(gone);
	assert_int_equal(clEnqueueNDRangeKernel(s.r.queue, s.kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	clReleaseCommandQueue(s.device_queue);
	s.device_queue = make_queue(&s.r, 0, 0);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof a, &a), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(s.r.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&s.r, a, r, sizeof r);
	assert_int_equal(r[0], 1);
	assert_int_equal(r[1], 1);
	clReleaseMemObject(a);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	close_stage(&s);
}

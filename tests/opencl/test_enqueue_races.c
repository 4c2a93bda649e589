/* Device queues under the race detector (HEDDLE_RACES, MT-5): what a child's enqueue, its wait list and its flags order is no race, and what nothing
 * orders is one. */
#include "rig.h"

#include <stdbool.h>
#include <unistd.h>

enum { N = 64 };

/* Every kernel writes a, and enqueues what makes b of it. */
#define HEAD(name) "kernel void " name "(global int *a, global int *b)\n{\n	uint i = get_global_id(0);\n	queue_t q = get_default_queue();\n"
#define RUN(range, block) "enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, " range ", ^{ " block " });\n"
#define COPY "b[get_global_id(0)] = a[get_global_id(0)];"

/* clang-format off */
static const char text[] =
    /* A child comes after what its work-item did before. */
    HEAD("own") "	a[i] = i;\n	" RUN("ndrange_1D(1)", "b[i] = a[i];") "}\n"
    /* It does not come after what the other work-items did. */
    HEAD("other") "	a[i] = i;\n	if (i == 0)\n		" RUN("ndrange_1D(64)", COPY) "}\n"
    /* A barrier in front of it makes it so, for the work-group; the range is one group. */
    HEAD("barrier_first") "	a[i] = i;\n	barrier(CLK_GLOBAL_MEM_FENCE);\n	if (i == 0)\n		" RUN("ndrange_1D(64)", COPY) "}\n"
    /* The parent's accesses behind it are not ordered. */
    HEAD("behind") "	if (i == 0)\n		" RUN("ndrange_1D(64)", COPY) "	a[i] = i;\n}\n"
    /* A child waits for the work-groups of its parent, or for its own group. */
    HEAD("wait_kernel") "	a[i] = i;\n	if (i == 0)\n		enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64), ^{ " COPY " });\n}\n"
    HEAD("wait_group") "	a[i] = i;\n	if (get_local_id(0) == 0) {\n		uint n = get_local_size(0);\n"
    "		enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(i, n, n), ^{ " COPY " });\n	}\n}\n"
    /* Children of one work-item, without an order and with one. */
    HEAD("siblings") "	if (i)\n		return;\n	" RUN("ndrange_1D(64)", "a[get_global_id(0)] = get_global_id(0);")
    "	" RUN("ndrange_1D(64)", COPY) "}\n"
    HEAD("chained") "	clk_event_t e;\n	if (i)\n		return;\n"
    "	enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), 0, NULL, &e, ^{ a[get_global_id(0)] = get_global_id(0); });\n"
    "	enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), 1, &e, NULL, ^{ " COPY " });\n	release_event(e);\n}\n"
    /* A user event that the last work-item of the parent completes, behind a marker. */
    HEAD("user_event") "	clk_event_t e, m;\n	if (i)\n		return;\n	e = create_user_event();\n"
    "	enqueue_marker(q, 1, &e, &m);\n"
    "	enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), 1, &m, NULL, ^{ " COPY " });\n"
    "	for (int k = 0; k < 64; k++)\n		a[k] = k;\n	set_user_event_status(e, CL_COMPLETE);\n	release_event(e);\n	release_event(m);\n}\n"
    /* The parts of a child's range (several sizes of groups) are not ordered. */
    HEAD("parts") "	if (i)\n		return;\n"
    "	enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 48), ^{ size_t j = get_global_id(0); a[j] = j; b[j] = a[j ^ 63]; });\n}\n"
    /* They are no race by themselves. */
    HEAD("whole") "	if (i)\n		return;\n"
    "	enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 48), ^{ size_t j = get_global_id(0); a[j] = j; b[j] = a[j]; });\n}\n";
/* clang-format on */

/* Standard error during a launch, of which the driver's messages are the whole. */
typedef struct capture {
	FILE *file;
	int saved;
} capture;

static void capture_begin(capture *c)
{
	fflush(stderr);
	c->file = tmpfile();
	c->saved = dup(STDERR_FILENO);
	assert_true(c->file && c->saved >= 0 && dup2(fileno(c->file), STDERR_FILENO) >= 0);
}

static void capture_end(capture *c, char *said, size_t bytes)
{
	fflush(stderr);
	dup2(c->saved, STDERR_FILENO);
	close(c->saved);
	rewind(c->file);
	said[fread(said, 1, bytes - 1, c->file)] = 0;
	fclose(c->file);
}

typedef struct row {
	const char *name;
	size_t global, local;
	bool races;
	const char *pair[2]; /* the accesses in the message, if there is a race */
} row;

static void run(rig *r, cl_program program, const row *this)
{
	static char said[1 << 16];
	int a[N] = {0}, b[N];
	capture caught;
	memset(b, 0xff, sizeof b);
	cl_kernel kernel = rig_kernel(program, this->name);
	cl_mem mems[2] = {rig_buffer(r, sizeof a, a), rig_buffer(r, sizeof b, b)};
	for (cl_uint i = 0; i < 2; i++)
		assert_int_equal(clSetKernelArg(kernel, i, sizeof mems[i], &mems[i]), CL_SUCCESS);
	capture_begin(&caught);
	cl_int status = clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &this->global, &this->local, 0, NULL, NULL), end = clFinish(r->queue);
	capture_end(&caught, said, sizeof said);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(end, CL_SUCCESS);
	bool races = strstr(said, "error: ");
	if (races != this->races || (races && !(strstr(said, this->pair[0]) && strstr(said, this->pair[1]))))
		fail_msg("%s: expected %s, got: %s", this->name, this->races ? "a race" : "no race", said);
	rig_read(r, mems[1], b, sizeof b);
	for (int i = 0; i < N && !this->races; i++)
		assert_int_equal(b[i], i);
	for (cl_uint i = 0; i < 2; i++)
		clReleaseMemObject(mems[i]);
	clReleaseKernel(kernel);
}

static void what_orders_commands(void **state)
{
	static const row rows[] = {
	    {"own", N, 32, false, {NULL}},
	    {"other", N, 32, true, {"kernel 'other'", "kernel '__other_block_invoke_kernel'"}},
	    {"barrier_first", N, N, false, {NULL}},
	    {"barrier_first", N, 32, true, {"kernel 'barrier_first'", "kernel '__barrier_first_block_invoke_kernel'"}},
	    {"behind", N, N, true, {"kernel 'behind'", "kernel '__behind_block_invoke_kernel'"}},
	    {"wait_kernel", N, 32, false, {NULL}},
	    {"wait_kernel", N, 48, false, {NULL}}, /* the parent is two launches of the host */
	    {"wait_group", N, 32, false, {NULL}},
	    {"siblings", N, 32, true, {"kernel '__siblings_block_invoke_kernel'", "kernel '__siblings_block_invoke_2_kernel'"}},
	    {"chained", N, 32, false, {NULL}},
	    {"user_event", N, 32, false, {NULL}},
	    {"parts", N, 32, true, {"kernel '__parts_block_invoke_kernel'", "CTA (0,0,0)"}},
	    {"whole", N, 32, false, {NULL}},
	};
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
	                                    CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	rig r;
	cl_int status;
	(void)state;
	rig_open(&r);
	cl_command_queue queue = clCreateCommandQueueWithProperties(r.context, r.device, list, &status);
	assert_int_equal(status, CL_SUCCESS);
	cl_program program = rig_build(&r, text, "-cl-std=CL3.0");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		run(&r, program, &rows[i]);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	rig_close(&r);
}

/* Programs are compiled for the detector, by a build and by a link of units. */
static void a_copy_without_a_wait(void **state)
{
	static const char source[] =
	    "kernel void copies(global int *a, global int *b)\n{\n	local int s[64];\n	async_work_group_copy(s, a, 64, 0);\n"
	    "	barrier(CLK_LOCAL_MEM_FENCE);\n	b[get_local_id(0)] = s[63 - get_local_id(0)];\n}\n";
	static const row copies = {"copies", N, N, true, {"program.cl:4", "no wait_group_events is behind this copy"}};
	rig r;
	cl_int status;
	(void)state;
	rig_open(&r);
	cl_program built = rig_build(&r, source, NULL), unit = rig_source(&r, source);
	assert_int_equal(clCompileProgram(unit, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
	cl_program linked = clLinkProgram(r.context, 0, NULL, NULL, 1, &unit, NULL, NULL, &status);
	assert_int_equal(status, CL_SUCCESS);
	run(&r, built, &copies);
	run(&r, linked, &copies);
	clReleaseProgram(built);
	clReleaseProgram(unit);
	clReleaseProgram(linked);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_orders_commands), cmocka_unit_test(a_copy_without_a_wait)};
	setenv("HEDDLE_FUNCTIONAL", "1", 1);
	setenv("HEDDLE_RACES", "1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

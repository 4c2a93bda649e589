/* Sub-groups and collective functions of work-groups (OpenCL C 3.0), every function of every type, in whole and partial sub-groups, against a loop on
 * the host. Values are small, so that every type holds every sum. */
#include "rig.h"

#include <stdbool.h>

static const char text[] =
    "#define PUT(v) o[n++] = (long)(v)\n"
    "#define FIRST (sub ? get_sub_group_local_id() == 0 : get_local_linear_id() == 0)\n"
    /* The neutral element of an exclusive scan is another one in each type: 1 stands for it. */
    "#define THREE(f, x) PUT(f##_add(x)); PUT(f##_min(x)); PUT(f##_max(x))\n"
    "#define EXCLUSIVE(f, x) { T least = f##_min(x), most = f##_max(x); PUT(f##_add(x)); PUT(FIRST ? least == (T)MOST : least); \\\n"
    "	PUT(FIRST ? most == (T)LEAST : most); }\n"
    "#define SET(prefix, x) THREE(prefix##reduce, x); THREE(prefix##scan_inclusive, x); EXCLUSIVE(prefix##scan_exclusive, x)\n"
    "kernel void uniform(global const T *in, global long *out, long each)\n"
    "{\n"
    "	size_t i = get_group_id(0) * get_local_size(0) * get_local_size(1) + get_local_linear_id();\n"
    "	global long *o = out + i * each; int n = 0; bool sub = true; T x = in[i];\n"
    "	PUT(get_sub_group_id()); PUT(get_sub_group_local_id()); PUT(get_sub_group_size()); PUT(get_num_sub_groups());\n"
    "	PUT(get_max_sub_group_size()); PUT(get_enqueued_num_sub_groups());\n"
    "	PUT(sub_group_all(x > 0)); PUT(sub_group_any(x > 8)); PUT(sub_group_broadcast(x, 3));\n"
    "	PUT(sub_group_shuffle(x, 7 - get_sub_group_local_id() % 8)); PUT(sub_group_shuffle_xor(x, 5));\n"
    "	PUT(sub_group_shuffle_up(x, get_sub_group_local_id() < 2 ? 0 : 2));\n"
    "	PUT(sub_group_shuffle_down(x, get_sub_group_local_id() + 1 < get_sub_group_size()));\n"
    "	SET(sub_group_, x);\n"
    "	sub_group_barrier(CLK_LOCAL_MEM_FENCE); sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group);\n"
    "#ifdef WORK_GROUPS\n"
    "	sub = false;\n"
    "	PUT(work_group_all(x > 0)); PUT(work_group_any(x > 8)); PUT(work_group_broadcast(x, 2, 1));\n"
    "	SET(work_group_, x);\n"
    "#endif\n"
    "}\n"
    "#define FOUR(f, x, y) THREE(f, x); PUT(f##_mul(y))\n"
    "#define CLUSTER(f, x, y) PUT(f##_add(x, 8)); PUT(f##_min(x, 4)); PUT(f##_max(x, 16)); PUT(f##_mul(y, 2))\n"
    "#define BITS(f, x) PUT(f##_and(x)); PUT(f##_or(x)); PUT(f##_xor(x))\n"
    "kernel void some(global const T *in, global long *out, long each)\n"
    "{\n"
    "	size_t i = get_group_id(0) * get_local_size(0) * get_local_size(1) + get_local_linear_id();\n"
    "	global long *o = out + i * each; int n = 0; T x = in[i], y = i % 7 ? 1 : 2; uint own = get_sub_group_local_id();\n"
    "	if (i % 3 == 1) return;\n"
    "	PUT(sub_group_elect()); PUT(sub_group_non_uniform_all(x > 0)); PUT(sub_group_non_uniform_any(x > 8));\n"
    "	PUT(sub_group_non_uniform_all_equal(x)); PUT(sub_group_non_uniform_all_equal(y * 0));\n"
    "	PUT(sub_group_broadcast_first(x)); PUT(sub_group_non_uniform_broadcast(x, 6 - (uint)(i - own) % 3));\n"
    "	FOUR(sub_group_non_uniform_reduce, x, y); FOUR(sub_group_non_uniform_scan_inclusive, x, y);\n"
    "	PUT(sub_group_non_uniform_scan_exclusive_add(x)); PUT(sub_group_non_uniform_scan_exclusive_mul(y));\n"
    "	CLUSTER(sub_group_clustered_reduce, x, y);\n"
    "#ifdef INTEGER\n"
    "	BITS(sub_group_non_uniform_reduce, x); BITS(sub_group_non_uniform_scan_inclusive, x);\n"
    "	PUT(sub_group_clustered_reduce_xor(x, 8)); PUT(sub_group_clustered_reduce_or(x, 8)); PUT(sub_group_clustered_reduce_and(x, 8));\n"
    "#endif\n"
    "}\n"
    "kernel void ballots(global const int *in, global long *out, long each)\n"
    "{\n"
    "	size_t i = get_group_id(0) * get_local_size(0) * get_local_size(1) + get_local_linear_id();\n"
    "	global long *o = out + i * each; int n = 0, x = in[i];\n"
    "	uint4 b = sub_group_ballot(x & 1);\n"
    "	PUT(b.x); PUT(b.y | b.z | b.w); PUT(sub_group_inverse_ballot(b)); PUT(sub_group_ballot_bit_extract(b, 2));\n"
    "	PUT(sub_group_ballot_bit_count(b)); PUT(sub_group_ballot_inclusive_scan(b)); PUT(sub_group_ballot_exclusive_scan(b));\n"
    "	PUT(sub_group_ballot_find_lsb(b)); PUT(sub_group_ballot_find_msb(b));\n"
    "	uint4 any = (uint4)(x * 0x9e3779b9u | 0x80, 1, 2, 3); PUT(sub_group_ballot_bit_count(any));\n"
    "	PUT(sub_group_ballot_find_lsb(any << 4)); PUT(sub_group_ballot_find_msb(any));\n"
    "	PUT(get_sub_group_eq_mask().x); PUT(get_sub_group_ge_mask().x); PUT(get_sub_group_gt_mask().x);\n"
    "	PUT(get_sub_group_le_mask().x); PUT(get_sub_group_lt_mask().x);\n"
    "	PUT(sub_group_non_uniform_reduce_logical_and(x & 1)); PUT(sub_group_non_uniform_reduce_logical_or(x & 2));\n"
    "	PUT(sub_group_non_uniform_scan_inclusive_logical_xor(x & 2)); PUT(sub_group_non_uniform_scan_exclusive_logical_or(x & 2));\n"
    "	PUT(sub_group_clustered_reduce_logical_xor(x & 2, 8)); PUT(sub_group_clustered_reduce_logical_and(x & 4, 1));\n"
    "	int4 v = sub_group_broadcast((int4)(x, x + 1, x + 2, x + 3), 4); PUT(v.x + v.w);\n"
    "	short3 s = sub_group_non_uniform_broadcast((short3)(x, 9, -x), 1); PUT(s.z); PUT(s.y);\n"
    "}\n";

enum { GROUPS = 2, MOST_ITEMS = 2 * 72, EACH = 64 };

typedef struct shape {
	size_t local[2];
} shape;

/* One work-group's values, the item that asks, and what it has answered so far. */
typedef struct asked {
	const long *x; /* of the work-group */
	int items, own, n;
	const cl_long *got;
	const char *what;
} asked;

static void expect(asked *a, long value)
{
	if (a->got[a->n] != value)
		fail_msg("%s: item %d of %d, answer %d: %lld, expected %ld", a->what, a->own, a->items, a->n, (long long)a->got[a->n], value);
	a->n++;
}

enum op { ADD, MIN, MAX, MUL, AND, OR, XOR };

static long combine(enum op op, long a, long b)
{
	switch (op) {
	case ADD:
		return a + b;
	case MIN:
		return a < b ? a : b;
	case MAX:
		return a > b ? a : b;
	case MUL:
		return a * b;
	case AND:
		return a & b;
	case OR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* Over items `from` to `to` - 1, of those that `skip` does not leave out. `none`: the result of no item. */
static long over(const long *x, int from, int to, enum op op, const bool *skip, long none)
{
	long sum = none;
	bool begun = false;
	for (int i = from; i < to; i++) {
		if (skip && skip[i])
			continue;
		sum = begun ? combine(op, sum, x[i]) : x[i];
		begun = true;
	}
	return sum;
}

static void expect_set(asked *a, int from, int to)
{
	for (enum op op = ADD; op <= MAX; op++)
		expect(a, over(a->x, from, to, op, NULL, 0));
	for (enum op op = ADD; op <= MAX; op++)
		expect(a, over(a->x, from, a->own + 1, op, NULL, 0));
	for (enum op op = ADD; op <= MAX; op++)
		expect(a, over(a->x, from, a->own, op, NULL, op != ADD));
}

static void expect_votes(asked *a, int from, int to)
{
	bool all = true, any = false;
	for (int i = from; i < to; i++) {
		all &= a->x[i] > 0;
		any |= a->x[i] > 8;
	}
	expect(a, all);
	expect(a, any);
}

static void check_uniform(asked *a, const shape *s, bool work_groups)
{
	int from = a->own / 32 * 32, to = from + 32 < a->items ? from + 32 : a->items, lane = a->own - from;
	const long all = (a->items + 31) / 32;
	expect(a, a->own / 32);
	expect(a, lane);
	expect(a, to - from);
	expect(a, all);
	expect(a, a->items < 32 ? a->items : 32);
	expect(a, all);
	expect_votes(a, from, to);
	expect(a, a->x[from + 3]);
	expect(a, a->x[from + 7 - lane % 8]);
	/* From a lane that is not there anything may come. */
	a->n += from + (lane ^ 5) >= to;
	if (from + (lane ^ 5) < to)
		expect(a, a->x[from + (lane ^ 5)]);
	expect(a, a->x[a->own - (lane < 2 ? 0 : 2)]);
	expect(a, a->x[a->own + (a->own + 1 < to)]);
	expect_set(a, from, to);
	if (!work_groups)
		return;
	expect_votes(a, 0, a->items);
	expect(a, a->x[s->local[0] + 2]);
	expect_set(a, 0, a->items);
}

static void check_some(asked *a, int first, bool integer)
{
	int from = a->own / 32 * 32, to = from + 32 < a->items ? from + 32 : a->items;
	bool skip[72], all = true, any = false, equal = true;
	long y[72];
	for (int i = 0; i < a->items; i++) {
		skip[i] = (first + i) % 3 == 1;
		y[i] = (first + i) % 7 ? 1 : 2;
	}
	if (skip[a->own])
		return;
	int least = skip[from] ? from + 1 : from;
	for (int i = from; i < to; i++) {
		if (!skip[i]) {
			all &= a->x[i] > 0;
			any |= a->x[i] > 8;
			equal &= a->x[i] == a->x[least];
		}
	}
	expect(a, a->own == least);
	expect(a, all);
	expect(a, any);
	expect(a, equal);
	expect(a, 1);
	expect(a, a->x[least]);
	expect(a, a->x[from + 6 - (first + from) % 3]);
	for (int inclusive = 0; inclusive < 2; inclusive++) {
		for (enum op op = ADD; op <= MAX; op++)
			expect(a, over(a->x, from, inclusive ? a->own + 1 : to, op, skip, 0));
		expect(a, over(y, from, inclusive ? a->own + 1 : to, MUL, skip, 1));
	}
	expect(a, over(a->x, from, a->own, ADD, skip, 0));
	expect(a, over(y, from, a->own, MUL, skip, 1));
	static const int sizes[] = {8, 4, 16, 2};
	for (enum op op = ADD; op <= MUL; op++) {
		int begin = a->own / sizes[op] * sizes[op], end = begin + sizes[op] < to ? begin + sizes[op] : to;
		expect(a, over(op == MUL ? y : a->x, begin, end, op, skip, 0));
	}
	if (!integer)
		return;
	for (enum op op = AND; op <= XOR; op++)
		expect(a, over(a->x, from, to, op, skip, 0));
	for (enum op op = AND; op <= XOR; op++)
		expect(a, over(a->x, from, a->own + 1, op, skip, 0));
	int begin = a->own / 8 * 8, end = begin + 8 < to ? begin + 8 : to;
	for (int i = 0; i < 3; i++)
		expect(a, over(a->x, begin, end, (enum op[]){XOR, OR, AND}[i], skip, 0));
}

static void check_ballots(asked *a)
{
	int from = a->own / 32 * 32, to = from + 32 < a->items ? from + 32 : a->items, lane = a->own - from, cluster = 0;
	uint32_t b = 0, twos = 0, everyone = to - from == 32 ? ~0u : (1u << (to - from)) - 1, below = (1u << lane) - 1;
	/* Of the largest sub-group, which the last one of a work-group may not be. */
	uint32_t places = a->items >= 32 ? ~0u : everyone, any = (uint32_t)a->x[a->own] * 0x9e3779b9u | 0x80;
	for (int i = from; i < to; i++) {
		b |= (uint32_t)(a->x[i] & 1) << (i - from);
		twos |= (uint32_t)(a->x[i] >> 1 & 1) << (i - from);
		cluster ^= i / 8 == a->own / 8 && (a->x[i] & 2);
	}
	expect(a, b);
	expect(a, 0);
	expect(a, b >> lane & 1);
	expect(a, b >> 2 & 1);
	expect(a, __builtin_popcount(b));
	expect(a, __builtin_popcount(b & (below | 1u << lane)));
	expect(a, __builtin_popcount(b & below));
	expect(a, __builtin_ctz(b));
	expect(a, 31 - __builtin_clz(b));
	expect(a, __builtin_popcount(any & places));
	expect(a, __builtin_ctz(any << 4 & places));
	expect(a, 31 - __builtin_clz(any & places));
	expect(a, (long)(1u << lane));
	expect(a, (long)(~below & places));
	expect(a, (long)(~below & places & ~(1u << lane)));
	expect(a, below | 1u << lane);
	expect(a, below);
	expect(a, b == everyone);
	expect(a, twos != 0);
	expect(a, __builtin_popcount(twos & (below | 1u << lane)) & 1);
	expect(a, (twos & below) != 0);
	expect(a, cluster);
	expect(a, a->x[a->own] >> 2 & 1);
	expect(a, 2 * a->x[from + 4] + 3);
	expect(a, -a->x[from + 1]);
	expect(a, 9);
}

/* A value of a type from a small number. */
static void store(void *to, size_t i, size_t bytes, bool floats, long value)
{
	if (floats && bytes == 4)
		((float *)to)[i] = (float)value;
	else if (floats)
		((double *)to)[i] = (double)value;
	else
		memcpy((char *)to + i * bytes, &value, bytes);
}

static void run(rig *r, cl_program program, const char *name, const char *type, size_t bytes, bool floats, const shape *s, const long *values)
{
	static cl_long got[MOST_ITEMS * EACH];
	const int items = (int)(s->local[0] * s->local[1]);
	const size_t global[2] = {GROUPS * s->local[0], s->local[1]};
	const cl_long each = EACH;
	char what[64];
	double in[MOST_ITEMS];
	for (int i = 0; i < GROUPS * items; i++)
		store(in, (size_t)i, bytes, floats, values[i]);
	memset(got, 0, sizeof got);
	cl_mem from = rig_buffer(r, sizeof in, in), to = rig_buffer(r, sizeof got, got);
	cl_kernel kernel = rig_kernel(program, name);
	clSetKernelArg(kernel, 0, sizeof from, &from);
	clSetKernelArg(kernel, 1, sizeof to, &to);
	clSetKernelArg(kernel, 2, sizeof each, &each);
	assert_int_equal(clEnqueueNDRangeKernel(r->queue, kernel, 2, NULL, global, s->local, 0, NULL, NULL), CL_SUCCESS);
	rig_read(r, to, got, sizeof got);
	snprintf(what, sizeof what, "%s of %s", name, type);
	for (int i = 0; i < GROUPS * items; i++) {
		int first = i / items * items;
		asked a = {values + first, items, i - first, 0, got + i * EACH, what};
		if (strcmp(name, "uniform") == 0)
			check_uniform(&a, s, bytes >= 4);
		else if (strcmp(name, "some") == 0)
			check_some(&a, first, !floats);
		else
			check_ballots(&a);
	}
	clReleaseKernel(kernel);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
}

/* A whole sub-group and a part; three, the last of 8 work-items; one of 20. */
static const shape shapes[] = {{{20, 2}}, {{8, 9}}, {{10, 2}}};

TEST(test_types)
{
	static const struct {
		const char *name, *least, *most;
		size_t bytes;
		bool floats, is_signed;
	} types[] = {{"char", "CHAR_MIN", "CHAR_MAX", 1, false, true},  {"uchar", "0", "UCHAR_MAX", 1, false, false},
	             {"short", "SHRT_MIN", "SHRT_MAX", 2, false, true}, {"ushort", "0", "USHRT_MAX", 2, false, false},
	             {"int", "INT_MIN", "INT_MAX", 4, false, true},     {"uint", "0", "UINT_MAX", 4, false, false},
	             {"long", "LONG_MIN", "LONG_MAX", 8, false, true},  {"ulong", "0", "ULONG_MAX", 8, false, false},
	             {"float", "-INFINITY", "INFINITY", 4, true, true}, {"double", "-INFINITY", "INFINITY", 8, true, true}};
	rig r;
	rig_open(&r);
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		char options[256];
		long values[MOST_ITEMS];
		snprintf(options, sizeof options, "-cl-std=CL3.0 -DT=%s -DLEAST=%s -DMOST=%s %s %s", types[t].name, types[t].least, types[t].most,
		         types[t].bytes >= 4 ? "-DWORK_GROUPS" : "", types[t].floats ? "" : "-DINTEGER");
		for (int i = 0; i < MOST_ITEMS; i++)
			values[i] = (i * 29 + 11) % 13 - (types[t].is_signed ? 6 : 0) + (i % 72 < 9 ? 3 : 0);
		/* The sum of 32 values of at most 12 + 3 does not fit in a char. */
		for (int i = 0; i < MOST_ITEMS; i++)
			values[i] = types[t].bytes == 1 ? values[i] / 4 : values[i];
		cl_program program = rig_build(&r, text, options);
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
			run(&r, program, "uniform", types[t].name, types[t].bytes, types[t].floats, &shapes[s], values);
			run(&r, program, "some", types[t].name, types[t].bytes, types[t].floats, &shapes[s], values);
			if (strcmp(types[t].name, "int") == 0)
				run(&r, program, "ballots", types[t].name, 4, false, &shapes[s], values);
		}
		clReleaseProgram(program);
	}
	rig_close(&r);
}

/* clGetKernelSubGroupInfo and what the device says. */
TEST(test_questions)
{
	rig r;
	size_t answer[3] = {0}, bytes;
	cl_uint most;
	cl_bool yes = CL_FALSE;
	rig_open(&r);
	cl_program program = rig_build(&r, "kernel void k(global int *p) { *p = 1; }", NULL);
	cl_kernel kernel = rig_kernel(program, "k");
	const size_t local[4] = {9, 5, 2, 1}, none = 0, two = 2, many = 1000;
	assert_int_equal(clGetDeviceInfo(r.device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL), CL_SUCCESS);
	assert_int_equal(most, 32);
	clGetDeviceInfo(r.device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof yes, &yes, NULL);
	assert_int_equal(yes, CL_TRUE);
#define ASK(what, in, n) clGetKernelSubGroupInfo(kernel, r.device, what, (n) * sizeof(size_t), in, sizeof *answer, answer, &bytes)
	assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local, 3), CL_SUCCESS);
	assert_int_equal(answer[0], 32);
	assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local, 1), CL_SUCCESS);
	assert_int_equal(answer[0], 9);
	assert_int_equal(bytes, sizeof(size_t));
	assert_int_equal(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local, 2), CL_SUCCESS);
	assert_int_equal(answer[0], 2);
	assert_int_equal(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local, 3), CL_SUCCESS);
	assert_int_equal(answer[0], 3);
	assert_int_equal(ASK(CL_KERNEL_MAX_NUM_SUB_GROUPS, NULL, 0), CL_SUCCESS);
	assert_int_equal(answer[0], 32);
	assert_int_equal(ASK(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, NULL, 0), CL_SUCCESS);
	assert_int_equal(answer[0], 0);
	assert_int_equal(
	    clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof two, &two, sizeof answer, answer, NULL),
	    CL_SUCCESS);
	assert_true(answer[0] == 64 && answer[1] == 1 && answer[2] == 1);
	assert_int_equal(
	    clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof many, &many, sizeof answer, answer, NULL),
	    CL_SUCCESS);
	assert_true(answer[0] == 0 && answer[1] == 0 && answer[2] == 0);
	assert_int_equal(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &none, 1), CL_SUCCESS);
	assert_int_equal(answer[0], 0);
	/* Wrong questions. */
	assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, NULL, 0), CL_INVALID_VALUE);
	assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local, 0), CL_INVALID_VALUE);
	assert_int_equal(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local, 4), CL_INVALID_VALUE);
	assert_int_equal(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, local, 2), CL_INVALID_VALUE);
	assert_int_equal(ASK(0x7777, NULL, 0), CL_INVALID_VALUE);
	assert_int_equal(clGetKernelSubGroupInfo(kernel, r.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 1, answer, NULL), CL_INVALID_VALUE);
	assert_int_equal(clGetKernelSubGroupInfo(NULL, r.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

/* The arms of a condition begin with the same call, which the compiler must not take for one before it: other lanes are there. */
TEST(test_arms_of_a_condition)
{
	static const char both[] =
	    "kernel void arms(global int *out)\n"
	    "{\n"
	    "	int lane = get_local_id(0), x = lane * lane % 37 - 9; global int *o = out + 8 * lane;\n"
	    "	if (x & 1) o[0] = sub_group_ballot(1).x; else o[0] = ~sub_group_ballot(1).x;\n"
	    "	if (x & 1) o[1] = sub_group_non_uniform_reduce_add(x); else o[1] = sub_group_non_uniform_reduce_max(x);\n"
	    "	if (x & 1) o[2] = sub_group_non_uniform_scan_exclusive_add(x); else o[2] = -sub_group_non_uniform_scan_exclusive_add(x);\n"
	    "	if (x & 1) o[3] = sub_group_broadcast_first(x); else o[3] = -sub_group_broadcast_first(x);\n"
	    "	if (x & 1) o[4] = sub_group_elect(); else o[4] = 2 * sub_group_elect();\n"
	    "	if (x & 1) o[5] = sub_group_non_uniform_all(x & 1); else o[5] = 2 * sub_group_non_uniform_all(x & 1);\n"
	    "	if (x & 1) o[6] = sub_group_non_uniform_all_equal(x & 1); else o[6] = 2 * sub_group_non_uniform_all_equal(x & 1);\n"
	    "}\n";
	enum { LANES = 32, ANSWERS = 8 };
	const size_t lanes = LANES;
	cl_int got[LANES * ANSWERS], x[LANES], sum = 0, before[2] = {0}, most = INT32_MIN, first[2] = {0};
	cl_uint odd = 0;
	bool seen[2] = {false};
	rig r;
	rig_open(&r);
	cl_program program = rig_build(&r, both, "-cl-std=CL3.0");
	cl_kernel kernel = rig_kernel(program, "arms");
	cl_mem out = rig_buffer(&r, sizeof got, NULL);
	clSetKernelArg(kernel, 0, sizeof out, &out);
	assert_int_equal(clEnqueueNDRangeKernel(r.queue, kernel, 1, NULL, &lanes, &lanes, 0, NULL, NULL), CL_SUCCESS);
	rig_read(&r, out, got, sizeof got);
	for (int i = 0; i < LANES; i++) {
		x[i] = i * i % 37 - 9;
		odd |= (cl_uint)(x[i] & 1) << i;
		sum += x[i] & 1 ? x[i] : 0;
		most = !(x[i] & 1) && x[i] > most ? x[i] : most;
		if (!seen[x[i] & 1])
			first[x[i] & 1] = x[i];
		seen[x[i] & 1] = true;
	}
	seen[0] = seen[1] = false;
	for (int i = 0; i < LANES; i++) {
		int arm = x[i] & 1;
		const cl_int expected[ANSWERS - 1] = {
		    (cl_int)odd, arm ? sum : most, arm ? before[1] : -before[0], arm ? first[1] : -first[0], seen[arm] ? 0 : 2 - arm, arm, 2 - arm};
		assert_memory_equal(got + (size_t)ANSWERS * i, expected, sizeof expected);
		before[arm] += x[i];
		seen[arm] = true;
	}
	clReleaseMemObject(out);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	rig_close(&r);
}

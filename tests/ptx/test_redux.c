/* redux.sync and fns: the whole warp, some of its lanes, a guard, and every operation against plain C. */
#include "run.h"

enum { LANES = 32 };

static const char head[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 pin, .param .u64 pout, .param .u32 pa, .param .u32 pb)\n{\n"
    ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [pin]; ld.param.u64 %rd2, [pout];\n"
    "ld.param.u32 %r9, [pa]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;\n"
    "ld.global.u32 %r2, [%rd1]; mov.u32 %r0, 77;\n";
static const char tail[] = "st.global.u32 [%rd2], %r0;\nret;\n}\n";

static uint32_t value_of(uint32_t lane) { return lane * 0x9e3779b1u ^ (lane & 4 ? 0x80000000u : 0); }

/* Runs `body`, which leaves its result in %r0. %r2 is the lane's value, %r9 is `argument`. */
static void run_body(const char *body, uint32_t argument, uint32_t out[LANES])
{
	uint32_t in[LANES], extra[2] = {argument, 0};
	hd_text text = {0};
	for (uint32_t i = 0; i < LANES; i++)
		in[i] = value_of(i);
	hd_text_printf(&text, "%s%s%s", head, body, tail);
	run_ptx(text.at, "k", LANES, in, sizeof in, out, LANES * sizeof *out, extra, 0);
	hd_text_free(&text);
}

typedef enum operation { ADD, MIN_S, MIN_U, MAX_S, MAX_U, AND, OR, XOR, OPERATIONS } operation;
static const char *const names[OPERATIONS] = {"add.s32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32"};

static uint32_t apply(operation op, uint32_t a, uint32_t b)
{
	switch (op) {
	case ADD:
		return a + b;
	case MIN_S:
		return (int32_t)a < (int32_t)b ? a : b;
	case MIN_U:
		return a < b ? a : b;
	case MAX_S:
		return (int32_t)a > (int32_t)b ? a : b;
	case MAX_U:
		return a > b ? a : b;
	case AND:
		return a & b;
	case OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static uint32_t reduced(operation op, uint32_t members)
{
	uint32_t total = 0;
	bool first = true;
	for (uint32_t i = 0; i < LANES; i++)
		if (members >> i & 1) {
			total = first ? value_of(i) : apply(op, total, value_of(i));
			first = false;
		}
	return total;
}

TEST(the_whole_warp_is_reduced)
{
	uint32_t out[LANES];
	for (operation op = 0; op < OPERATIONS; op++) {
		char body[80];
		snprintf(body, sizeof body, "redux.sync.%s %%r0, %%r2, 0xffffffff;\n", names[op]);
		run_body(body, 0, out);
		for (uint32_t i = 0; i < LANES; i++)
			assert_int_equal(out[i], reduced(op, UINT32_MAX));
	}
}

/* The members are in a register. Other lanes do something else, and are not there. */
TEST(some_lanes_are_reduced)
{
	static const uint32_t sets[] = {0xaaaaaaaa, 0x00000001, 0x80000000, 0x7fffffff, 0x00f00f10};
	uint32_t out[LANES];
	for (operation op = 0; op < OPERATIONS; op++)
		for (size_t s = 0; s < HD_COUNT(sets); s++) {
			char body[240];
			snprintf(body, sizeof body,
			         "shr.u32 %%r3, %%r9, %%r1; and.b32 %%r3, %%r3, 1; setp.ne.u32 %%p1, %%r3, 0;\n@!%%p1 bra out;\n"
			         "redux.sync.%s %%r0, %%r2, %%r9;\nout:\n",
			         names[op]);
			run_body(body, sets[s], out);
			for (uint32_t i = 0; i < LANES; i++)
				assert_int_equal(out[i], sets[s] >> i & 1 ? reduced(op, sets[s]) : 77);
		}
}

/* One instruction, two sets of members of different sizes. */
TEST(two_sets_are_reduced_at_once)
{
	uint32_t out[LANES];
	for (operation op = 0; op < OPERATIONS; op++) {
		char body[160];
		snprintf(body, sizeof body, "setp.lt.u32 %%p1, %%r1, 5;\nselp.b32 %%r3, 0x1f, 0xffffffe0, %%p1;\nredux.sync.%s %%r0, %%r2, %%r3;\n",
		         names[op]);
		run_body(body, 0, out);
		for (uint32_t i = 0; i < LANES; i++)
			assert_int_equal(out[i], reduced(op, i < 5 ? 0x1f : 0xffffffe0));
	}
}

TEST(a_guard_chooses_lanes)
{
	uint32_t out[LANES];
	run_body("setp.lt.u32 %p1, %r1, 5;\n@%p1 redux.sync.add.u32 %r0, %r1, 0x1f;\n", 0, out);
	for (uint32_t i = 0; i < LANES; i++)
		assert_int_equal(out[i], i < 5 ? 10 : 77);
}

static uint32_t nth(uint32_t mask, uint32_t base, int32_t n)
{
	if (n == 0)
		return mask >> base & 1 ? base : UINT32_MAX;
	for (int32_t at = (int32_t)base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
		if (mask >> at & 1 && (n > 0 ? --n : ++n) == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

TEST(fns_finds_the_nth_one)
{
	static const int32_t counts[] = {0, 1, 2, 7, 33, -1, -2, -5, -40};
	uint32_t out[LANES];
	for (size_t c = 0; c < HD_COUNT(counts); c++) {
		/* The base is the lane. */
		run_body("fns.b32 %r0, 0xb00c5a71, %r1, %r9;\n", (uint32_t)counts[c], out);
		for (uint32_t i = 0; i < LANES; i++)
			assert_int_equal(out[i], nth(0xb00c5a71, i, counts[c]));
		run_body("fns.b32 %r0, %r2, 12, %r9;\n", (uint32_t)counts[c], out);
		for (uint32_t i = 0; i < LANES; i++)
			assert_int_equal(out[i], nth(value_of(i), 12, counts[c]));
	}
}

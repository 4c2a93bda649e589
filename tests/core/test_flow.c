/* Flow unit: RC-1 to RC-14. Addresses here have no scheduling words: multiples of 8 are simply not used. */
#include "core/flow/stack.h"
#include "../test.h"

enum { DEPTH = 8, WORDS = 4096 };

typedef struct bed {
	hd_stats stats;
	hd_object object;
	hd_code code;
	hd_static rows[WORDS];
	hd_activation stack[DEPTH];
	hd_tokens tokens;
	hd_function functions[3];
	uint32_t targets[WORDS];
	hd_flow flow;
	hd_warp_flow warp;
} bed;

static bed *bed_new(uint32_t lanes)
{
	bed *b = hd_xaligned(sizeof *b);
	for (uint32_t pc = 0; pc < WORDS; pc++)
		b->rows[pc] = (hd_static){.kind = pc % HD_LINE_WORDS ? HD_KIND_PURE : HD_KIND_BAD, .next = hd_after(HD_GEOMETRY_LINE, pc)};
	b->code = (hd_code){.at = b->rows, .n_words = WORDS};
	b->functions[0] = (hd_function){(char *)(uintptr_t) "kernel", 0, 1000};
	b->functions[1] = (hd_function){(char *)(uintptr_t) "f", 1000, 2000};
	b->functions[2] = (hd_function){(char *)(uintptr_t) "g", 2000, 3000};
	b->object.functions.at = b->functions;
	b->object.functions.n = 3;
	b->object.targets.at = b->targets;
	for (uint32_t pc = 0; pc < WORDS; pc++)
		if (pc % HD_LINE_WORDS)
			b->targets[b->object.targets.n++] = pc;
	b->flow = (hd_flow){.code = &b->code, .object = &b->object, .stats = &b->stats, .call_depth = DEPTH};
	b->warp.stack = b->stack;
	hd_flow_start(&b->warp, 1, lanes);
	return b;
}

static void at(bed *b, uint32_t pc, uint32_t active, uint32_t minrc)
{
	assert_int_equal(b->warp.pc, pc);
	assert_int_equal(b->warp.active, active);
	assert_int_equal(b->warp.minrc, minrc);
}

/* In sequence up to `pc`, where nobody waits in between. */
static void walk(bed *b, uint32_t pc)
{
	while (b->warp.pc != pc)
		hd_flow_load(&b->flow, &b->warp, hd_code_next(&b->code, b->warp.pc));
}

/* RC-4, RC-2, RC-7 */
TEST(divergent_forward_branch)
{
	bed *b = bed_new(~0u);
	hd_flow_branch(&b->flow, &b->warp, 0xffff, 21);
	at(b, 2, 0xffff0000, 21);
	walk(b, 20);
	at(b, 20, 0xffff0000, 21);
	walk(b, 21);
	at(b, 21, ~0u, HD_INF);
	assert_int_equal(b->stats.divergence_resumes, 1);
	assert_int_equal(b->stats.divergence_divergent, 1);
	free(b);
}

/* RC-3: a loop that lanes leave one by one. */
TEST(divergent_backward_branch)
{
	bed *b = bed_new(0xf);
	for (unsigned trip = 0; trip < 3; trip++) {
		walk(b, 13);
		hd_flow_branch(&b->flow, &b->warp, b->warp.active & (b->warp.active - 1), 1);
		at(b, 1, 0xfu << (trip + 1) & 0xf, 14);
	}
	walk(b, 13);
	hd_flow_branch(&b->flow, &b->warp, 0, 1);
	at(b, 14, 0xf, HD_INF);
	free(b);
}

/* RC-5: no further than MINRC, and straight there. RC-6. */
TEST(uniform_branches)
{
	bed *b = bed_new(0xff);
	hd_flow_branch(&b->flow, &b->warp, 0x0f, 30);
	hd_flow_branch(&b->flow, &b->warp, 0xf0, 50); /* all active ones: beyond MINRC */
	at(b, 30, 0x0f, 50);
	hd_flow_branch(&b->flow, &b->warp, 0x0f, 41); /* below MINRC */
	at(b, 41, 0x0f, 50);
	hd_flow_branch(&b->flow, &b->warp, 0x0f, 50); /* equal: they meet */
	at(b, 50, 0xff, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0xff, 3);
	at(b, 3, 0xff, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0, 3);
	at(b, 4, 0xff, HD_INF);
	assert_int_equal(b->stats.divergence_divergent, 1);
	assert_int_equal(b->stats.divergence_branches, 6);
	free(b);
}

/* RC-1, RC-13: nested divergence without limit: every lane parked at an address of its own, woken lowest first. */
TEST(deep_divergence_goes_least_address_first)
{
	bed *b = bed_new(~0u);
	for (unsigned lane = 0; lane < 31; lane++)
		hd_flow_branch(&b->flow, &b->warp, 1u << lane, 801 - 8 * lane);
	assert_int_equal(b->warp.active, 1u << 31);
	for (unsigned lane = 31; lane-- > 0;) {
		uint32_t here = b->warp.active;
		assert_int_equal(b->warp.minrc, 801 - 8 * lane);
		hd_flow_branch(&b->flow, &b->warp, here, 801 - 8 * lane);
		assert_int_equal(b->warp.active, here | 1u << lane);
	}
	at(b, 801, ~0u, HD_INF);
	free(b);
}

/* RC-8, RC-11: a call by some lanes, a divergent return, several returns. */
TEST(calls_and_divergent_returns)
{
	bed *b = bed_new(0xff);
	hd_flow_call(&b->flow, &b->warp, 0x3f, 1001);
	at(b, 1001, 0x3f, HD_INF);
	assert_int_equal(b->stack[0].minrc, 2); /* the caller's: lanes 6 and 7 wait behind the call */
	hd_flow_branch(&b->flow, &b->warp, 0x30, 1021);
	at(b, 1002, 0x0f, 1021);
	hd_flow_return(&b->flow, &b->warp, 0x03); /* two are done, two go on */
	at(b, 1003, 0x0c, 1021);
	hd_flow_return(&b->flow, &b->warp, 0x0c); /* those who wait inside go next */
	at(b, 1021, 0x30, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0x30);
	at(b, 2, 0xff, HD_INF); /* all of the activation, and those who waited at the return address */
	assert_int_equal(b->warp.depth, 0);
	free(b);
}

/* RC-9, RC-10: a thread of an outer activation that waits at an address of the same function is not woken by the inner one. */
TEST(recursion_wakes_nobody_else)
{
	bed *b = bed_new(0xf);
	hd_flow_call(&b->flow, &b->warp, 0xf, 1001);
	hd_flow_branch(&b->flow, &b->warp, 0x1, 1010); /* lane 0 waits at 1010 of the outer activation */
	at(b, 1002, 0xe, 1010);
	hd_flow_call(&b->flow, &b->warp, 0xe, 1001);
	at(b, 1001, 0xe, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0x2, 1020);
	walk(b, 1010);
	at(b, 1010, 0xc, 1020); /* the addresses match: lane 0 sleeps on */
	hd_flow_return(&b->flow, &b->warp, 0xc);
	at(b, 1020, 0x2, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0x2);
	at(b, 1003, 0xe, 1010); /* the outer activation's MINRC is back */
	walk(b, 1010);
	at(b, 1010, 0xf, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0xf);
	at(b, 2, 0xf, HD_INF);
	free(b);
}

/* RC-10: of two threads that wait at one address, that of the inner activation wakes. */
TEST(recursion_wakes_its_own_at_a_shared_address)
{
	bed *b = bed_new(0xf);
	hd_flow_call(&b->flow, &b->warp, 0xf, 1001);
	hd_flow_branch(&b->flow, &b->warp, 0x1, 1010);
	hd_flow_call(&b->flow, &b->warp, 0xe, 1001);
	hd_flow_branch(&b->flow, &b->warp, 0x2, 1010);
	at(b, 1002, 0xc, 1010);
	walk(b, 1010);
	at(b, 1010, 0xe, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0xe);
	at(b, 1003, 0xe, 1010);
	walk(b, 1010);
	at(b, 1010, 0xf, HD_INF);
	free(b);
}

/* RC-5 without its jump (divergence.minrc = false): a warp without active threads goes on step by step. */
TEST(without_the_jump_to_minrc)
{
	bed *b = bed_new(0xff);
	b->flow.steps = true;
	hd_flow_branch(&b->flow, &b->warp, 0x0f, 30);
	hd_flow_branch(&b->flow, &b->warp, 0xf0, 30);
	at(b, 3, 0, 30);
	walk(b, 30);
	at(b, 30, 0xff, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0x0f, 50);
	hd_flow_branch(&b->flow, &b->warp, 0xf0, 70);
	at(b, 33, 0, 50);
	walk(b, 50);
	at(b, 50, 0x0f, 70);
	free(b);
}

/* RC-18: the same behind a forward branch that all threads take, although no thread waits before its target. A branch to the next address and a
 * branch backward need no steps. */
TEST(a_uniform_branch_without_minrc)
{
	bed *b = bed_new(0xff);
	b->flow.steps = true;
	at(b, 1, 0xff, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0xff, 30);
	at(b, 2, 0, 30);
	walk(b, 29);
	at(b, 29, 0, 30);
	walk(b, 30);
	at(b, 30, 0xff, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0xff, 31);
	at(b, 31, 0xff, HD_INF);
	assert_int_equal(b->stats.divergence_resumes, 1);
	hd_flow_branch(&b->flow, &b->warp, 0xff, 5);
	at(b, 5, 0xff, HD_INF);
	b->flow.steps = false;
	hd_flow_branch(&b->flow, &b->warp, 0xff, 30);
	at(b, 30, 0xff, HD_INF);
	free(b);
}

/* RC-9, by address: the same without recursion; RC-10: recursion is refused. */
TEST(membership_by_address)
{
	bed *b = bed_new(0xf);
	b->flow.membership = HD_MEMBER_RANGE;
	hd_flow_branch(&b->flow, &b->warp, 0x1, 901); /* lane 0 waits in the kernel */
	hd_flow_call(&b->flow, &b->warp, 0xe, 1001);
	at(b, 1001, 0xe, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0x2, 1020);
	at(b, 1002, 0xc, 1020);
	hd_flow_call(&b->flow, &b->warp, 0xc, 2001);
	at(b, 2001, 0xc, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0xc);
	at(b, 1003, 0xc, 1020);
	walk(b, 1020);
	at(b, 1020, 0xe, HD_INF);
	assert_int_equal(hd_flow_call(&b->flow, &b->warp, 0xe, 1001), HD_FLOW_RECURSION);
	free(b);
}

/* RC-20: resume counters that are not below the entry count. No members are kept: threads that have returned wait at the return address. */
TEST(membership_by_entry)
{
	bed *b = bed_new(0xf);
	b->flow.membership = HD_MEMBER_ENTRY;
	hd_flow_branch(&b->flow, &b->warp, 0x1, 901); /* lane 0 waits in the kernel */
	hd_flow_call(&b->flow, &b->warp, 0xe, 1001);
	at(b, 1001, 0xe, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0x2, 1020);
	at(b, 1002, 0xc, 1020);
	hd_flow_call(&b->flow, &b->warp, 0xc, 2001); /* lane 1 waits below the entry of the inner subroutine */
	at(b, 2001, 0xc, HD_INF);
	hd_flow_branch(&b->flow, &b->warp, 0x8, 2001 + 8);
	hd_flow_return(&b->flow, &b->warp, 0x4);
	at(b, 2009, 0x8, HD_INF);
	assert_int_equal(b->warp.rc[2], 1003);
	hd_flow_return(&b->flow, &b->warp, 0x8);
	at(b, 1003, 0xc, 1020);
	hd_flow_branch(&b->flow, &b->warp, 0x4, 1020);
	at(b, 1004, 0x8, 1020);
	hd_flow_exit(&b->flow, &b->warp, 0x8);
	at(b, 1020, 0x6, HD_INF);
	assert_int_equal(hd_flow_call(&b->flow, &b->warp, 0x6, 1020), HD_FLOW_ORDER); /* its own address is none above */
	assert_int_equal(hd_flow_call(&b->flow, &b->warp, 0x6, 1001), HD_FLOW_ORDER);
	hd_flow_exit(&b->flow, &b->warp, 0x6); /* nobody returns: the caller goes on where its next thread waits */
	at(b, 901, 0x1, HD_INF);
	assert_int_equal(b->warp.depth, 0);
	assert_int_equal(hd_flow_exit(&b->flow, &b->warp, 0x1), HD_FLOW_END);
	free(b);
}

/* RC-19: one MINRC for all threads leads the PC to a thread outside, while threads of the subroutine wait. It does no harm where all threads outside
 * wait at higher addresses and nobody is left inside. */
TEST(one_minrc_for_all_leaves_the_subroutine)
{
	for (unsigned harm = 0; harm < 2; harm++) {
		bed *b = bed_new(0xf);
		b->flow.membership = HD_MEMBER_NONE;
		hd_flow_branch(&b->flow, &b->warp, 0x1, harm ? 901 : 1901); /* lane 0 waits outside */
		hd_flow_call(&b->flow, &b->warp, 0xe, 1001);
		at(b, 1001, 0xe, harm ? 901 : 1901);
		hd_flow_branch(&b->flow, &b->warp, 0xe, 1009);
		if (harm) {
			at(b, 901, 0x1, 1009);
			assert_true(hd_flow_has_left(&b->warp));
		} else {
			at(b, 1009, 0xe, 1901);
			hd_flow_branch(&b->flow, &b->warp, 0x2, 1020);
			hd_flow_return(&b->flow, &b->warp, 0xc); /* lane 1 is left inside */
			at(b, 1020, 0x2, 1901);
			hd_flow_return(&b->flow, &b->warp, 0x2); /* nobody is left inside, and lane 0 does not keep the PC here */
			at(b, 3, 0xe, 1901);
			assert_false(hd_flow_has_left(&b->warp));
		}
		free(b);
	}
}

/* RC-19: jumps that pass MINRC pass the threads that wait there. They resume when the PC comes back; otherwise they never do. */
TEST(jumps_pass_threads_that_wait)
{
	for (unsigned back = 0; back < 2; back++) {
		bed *b = bed_new(0xff);
		b->flow.passes = true;
		hd_flow_branch(&b->flow, &b->warp, 0x0f, 20);
		hd_flow_branch(&b->flow, &b->warp, 0x30, 41);
		at(b, 3, 0xc0, 20);
		hd_flow_branch(&b->flow, &b->warp, 0xc0, 30);
		at(b, 30, 0xc0, 41);
		if (back) {
			hd_flow_branch(&b->flow, &b->warp, 0x40, 10); /* some go back, divergently */
			at(b, 10, 0x40, 20);
			walk(b, 20);
			at(b, 20, 0x4f, 31);
		} else {
			walk(b, 41);
			at(b, 41, 0xf0, HD_INF);
			assert_int_equal(hd_flow_exit(&b->flow, &b->warp, 0xf0), HD_FLOW_NEVER);
		}
		free(b);
	}
}

/* RC-19: the lowest target of an indirect branch goes next, whoever waits before it. */
TEST(an_indirect_branch_passes_threads_that_wait)
{
	bed *b = bed_new(0xf);
	hd_vec32 targets = {{0, 30, 50, 0}};
	unsigned lane;
	b->flow.passes = true;
	hd_flow_branch(&b->flow, &b->warp, 0x1, 20);
	hd_flow_jump(&b->flow, &b->warp, 0x6, &targets, &lane); /* lane 3 does not take part */
	at(b, 3, 0x8, 20);
	targets.v[3] = 41;
	hd_flow_jump(&b->flow, &b->warp, 0x8, &targets, &lane);
	at(b, 41, 0x8, 50);
	free(b);
}

/* RC-9: the first address of a range is inside, its end is outside. Functions lie one behind the other, so the end of one is the first address of the
 * next, at which a thread of the caller may wait. */
TEST(the_edges_of_a_range)
{
	for (unsigned k = 0; k < 4; k++) {
		bed *b = bed_new(0xf);
		b->flow.membership = HD_MEMBER_RANGE;
		hd_flow_call(&b->flow, &b->warp, 0xe, 1001);
		uint32_t begin = b->warp.begin, end = b->warp.end, edge = k == 0 ? begin - 1 : k == 1 ? begin : k == 2 ? end - 1 : end;
		assert_true(begin <= 1001 && end > 1002);
		b->warp.rc[0] = edge; /* a thread that does not take part waits there */
		hd_flow_branch(&b->flow, &b->warp, 0x8, 1005);
		/* the lowest address that counts is MINRC only if it is inside */
		walk(b, 1005);
		bool inside = k == 1 || k == 2;
		assert_int_equal(b->warp.minrc, inside ? edge : HD_INF);
		free(b);
	}
}

/* RC-9: a thread that waits outside of the range does not count. RC-2: a check that wakes nobody is no resume. */
TEST(what_does_not_count)
{
	bed *b = bed_new(0xf);
	b->flow.membership = HD_MEMBER_RANGE;
	hd_flow_call(&b->flow, &b->warp, 0xf, 1001);
	hd_flow_branch(&b->flow, &b->warp, 0x8, b->warp.end + 50);
	assert_int_equal(b->warp.minrc, HD_INF);
	uint64_t before = b->flow.stats->divergence_resumes;
	hd_flow_resume(&b->flow, &b->warp);
	assert_int_equal(b->flow.stats->divergence_resumes, before);
	free(b);
}

/* RC-12: exits in divergent code and inside subroutines; the warp ends with its last thread. */
TEST(exits)
{
	bed *b = bed_new(0xff);
	hd_flow_branch(&b->flow, &b->warp, 0x0f, 50);
	hd_flow_exit(&b->flow, &b->warp, 0x30);
	at(b, 3, 0xc0, 50);
	hd_flow_call(&b->flow, &b->warp, 0xc0, 1001);
	assert_int_equal(hd_flow_exit(&b->flow, &b->warp, 0xc0), HD_FLOW_GO); /* the whole activation exits: the caller's others go on */
	at(b, 50, 0x0f, HD_INF);
	assert_int_equal(b->warp.depth, 0);
	hd_flow_call(&b->flow, &b->warp, 0x0f, 1001);
	hd_flow_branch(&b->flow, &b->warp, 0x03, 1031);
	hd_flow_exit(&b->flow, &b->warp, 0x0c);
	at(b, 1031, 0x03, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0x03);
	at(b, 51, 0x03, HD_INF); /* those who exited do not come back */
	assert_int_equal(hd_flow_exit(&b->flow, &b->warp, 0), HD_FLOW_GO);
	at(b, 52, 0x03, HD_INF);
	assert_int_equal(hd_flow_exit(&b->flow, &b->warp, 0x03), HD_FLOW_END);
	free(b);
}

/* RC-13 */
TEST(nesting_of_calls_is_limited)
{
	bed *b = bed_new(1);
	for (int i = 0; i < DEPTH; i++)
		assert_int_equal(hd_flow_call(&b->flow, &b->warp, 1, 1001), HD_FLOW_GO);
	assert_int_equal(hd_flow_call(&b->flow, &b->warp, 1, 1001), HD_FLOW_DEPTH);
	assert_int_equal(b->stats.divergence_max_depth, DEPTH);
	free(b);
	b = bed_new(1);
	assert_int_equal(hd_flow_return(&b->flow, &b->warp, 1), HD_FLOW_RETURN);
	free(b);
}

/* RC-14 */
TEST(indirect_branches_go_to_the_lowest_target_first)
{
	bed *b = bed_new(0xf);
	hd_vec32 targets = {{30, 50, 30, 41}};
	unsigned lane;
	hd_flow_jump(&b->flow, &b->warp, 0x7, &targets, &lane); /* lane 3 goes on in sequence */
	at(b, 2, 0x8, 30);
	walk(b, 30);
	at(b, 30, 0xd, 50);
	targets.v[0] = targets.v[2] = targets.v[3] = 1;
	hd_flow_jump(&b->flow, &b->warp, 0xd, &targets, &lane);
	at(b, 1, 0xd, 50);
	targets.v[2] = 16; /* a scheduling word */
	assert_int_equal(hd_flow_jump(&b->flow, &b->warp, 0xd, &targets, &lane), HD_FLOW_PC);
	assert_int_equal(lane, 2);
	free(b);
}

/* RC-14: what is not listed, lies in another function, or does not begin one is a trap, for both flow units (docs/timing.md). */
TEST(indirect_targets_are_listed)
{
	enum { UNLISTED = 30, LISTED = 33, ELSEWHERE = 1001, INSIDE = 1002, KERNEL = 1 };
	static const struct {
		uint32_t target;
		bool jump, call;
	} rows[] = {{UNLISTED, false, false}, {LISTED, true, false}, {ELSEWHERE, false, true},  {INSIDE, false, false},
	            {KERNEL, true, false},    {24, false, false},    {UINT32_MAX, false, false}};
	static const uint32_t list[] = {KERNEL, LISTED, ELSEWHERE, INSIDE};
	hd_kernel kernel = {.name = (char *)(uintptr_t) "kernel", .entry = 1};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		for (unsigned way = 0; way < 4; way++) {
			bed *b = bed_new(0xf);
			unsigned lane = 99;
			hd_vec32 targets = {{LISTED, rows[i].target, LISTED, LISTED}};
			b->object.targets.at = (uint32_t *)(uintptr_t)list;
			b->object.targets.n = HD_COUNT(list);
			b->object.kernels.at = &kernel;
			b->object.kernels.n = 1;
			b->warp.tokens = &b->tokens;
			if (way & 1)
				targets.v[0] = targets.v[2] = targets.v[3] = ELSEWHERE;
			bool good = way & 1 ? rows[i].call : rows[i].jump;
			hd_flow_result result = (way == 0   ? hd_flow_jump
			                         : way == 1 ? hd_flow_call_indirect
			                         : way == 2 ? hd_stack_jump
			                                    : hd_stack_call_indirect)(&b->flow, &b->warp, 0xf, &targets, &lane);
			assert_int_equal(result, good ? HD_FLOW_GO : HD_FLOW_PC);
			if (!good)
				assert_int_equal(lane, 1);
			hd_vec_free(&b->tokens);
			free(b);
		}
	}
}

/* RC-14 for calls: all begin one activation, the lowest target goes first, the others wait at theirs. By address they wait at the call. */
TEST(lanes_of_an_indirect_call_wait_at_their_targets)
{
	hd_vec32 targets = {{2001, 1001, 2001, 0}};
	unsigned lane;
	for (unsigned by_address = 0; by_address < 2; by_address++) {
		bed *b = bed_new(0xf);
		b->flow.membership = by_address ? HD_MEMBER_RANGE : HD_MEMBER_FLAG;
		hd_flow_call_indirect(&b->flow, &b->warp, 0x7, &targets, &lane);
		at(b, 1001, 0x2, by_address ? HD_INF : 2001);
		assert_int_equal(b->warp.rc[0], by_address ? 1 : 2001);
		hd_flow_return(&b->flow, &b->warp, 0x2);
		if (by_address) {
			at(b, 1, 0x5, 2);
			hd_flow_call_indirect(&b->flow, &b->warp, 0x5, &targets, &lane);
		}
		at(b, 2001, 0x5, HD_INF);
		assert_int_equal(b->warp.depth, 1);
		hd_flow_return(&b->flow, &b->warp, 0x5);
		at(b, 2, 0xf, HD_INF);
		assert_int_equal(b->stats.divergence_calls, 1 + by_address);
		free(b);
	}
}

/* RC-1 to RC-7 against a model without cases: everybody waits at its own next address, the lowest goes. Random programs of branches. */
TEST(equals_the_model)
{
	uint64_t seed = 5;
	for (int round = 0; round < 300; round++) {
		bed *b = bed_new(~0u);
		uint32_t where[HD_LANES];
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			where[lane] = 1;
		for (int step = 0; step < 200; step++) {
			uint32_t target = (uint32_t)(hd_random(&seed) % 40) * 8 + 1 + (uint32_t)(hd_random(&seed) % 7);
			uint32_t taken = (uint32_t)hd_random(&seed);
			if (hd_random(&seed) % 3 == 0)
				taken = hd_random(&seed) % 2 ? ~0u : 0;
			taken &= b->warp.active;
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				if (b->warp.active >> lane & 1)
					where[lane] = taken >> lane & 1 ? target : hd_code_next(&b->code, b->warp.pc);
			hd_flow_branch(&b->flow, &b->warp, taken, target);
			uint32_t lowest = HD_INF, active = 0, minrc = HD_INF;
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				lowest = where[lane] < lowest ? where[lane] : lowest;
			for (unsigned lane = 0; lane < HD_LANES; lane++) {
				if (where[lane] == lowest)
					active |= 1u << lane;
				else if (where[lane] < minrc)
					minrc = where[lane];
			}
			at(b, lowest, active, minrc);
		}
		free(b);
	}
}

/* RC-5, RC-6: a branch out of a nested loop, back to before both, with lanes parked behind each. */
TEST(backward_branch_out_of_a_nested_loop)
{
	bed *b = bed_new(0xf);
	walk(b, 20);
	hd_flow_branch(&b->flow, &b->warp, 0xe, 10); /* lane 0 has left the inner loop and waits behind it */
	walk(b, 12);
	hd_flow_branch(&b->flow, &b->warp, 0x2, 41); /* lane 1 has left both */
	at(b, 13, 0xc, 21);
	hd_flow_branch(&b->flow, &b->warp, 0xc, 3); /* the others begin the outer loop again: over everybody who waits */
	at(b, 3, 0xc, 21);
	walk(b, 21);
	at(b, 21, 0xd, 41);
	hd_flow_branch(&b->flow, &b->warp, 0xd, 90); /* RC-5: a forward jump over a parked lane goes no further than that */
	at(b, 41, 0x2, 90);
	free(b);
}

/* RC-8, RC-11: the other arm waits beyond the call and is not touched by it. */
TEST(call_in_one_arm_of_a_divergent_if)
{
	bed *b = bed_new(0xff);
	hd_flow_branch(&b->flow, &b->warp, 0xf0, 11);
	hd_flow_call(&b->flow, &b->warp, 0x0f, 1001);
	at(b, 1001, 0x0f, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0x0f);
	at(b, 3, 0x0f, 11);
	hd_flow_branch(&b->flow, &b->warp, 0x0f, 20);
	at(b, 11, 0xf0, 20);
	walk(b, 20);
	at(b, 20, 0xff, HD_INF);
	free(b);
}

/* RC-11: lanes return from the middle of a loop while others turn, or wait behind it. */
TEST(return_from_inside_a_loop)
{
	bed *b = bed_new(0xf);
	hd_flow_call(&b->flow, &b->warp, 0xf, 1001);
	hd_flow_return(&b->flow, &b->warp, 0x1);
	at(b, 1002, 0xe, HD_INF);
	walk(b, 1010);
	hd_flow_branch(&b->flow, &b->warp, 0xc, 1001); /* lane 1 waits behind the loop */
	at(b, 1001, 0xc, 1011);
	hd_flow_return(&b->flow, &b->warp, 0xc);
	at(b, 1011, 0x2, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0x2);
	at(b, 2, 0xf, HD_INF);
	free(b);
}

/* RC-12 */
TEST(exit_of_a_few_lanes_in_a_subroutine)
{
	bed *b = bed_new(0xff);
	hd_flow_call(&b->flow, &b->warp, 0x3f, 1001); /* 6 and 7 wait behind the call */
	hd_flow_branch(&b->flow, &b->warp, 0x0c, 1009);
	hd_flow_exit(&b->flow, &b->warp, 0x33); /* all that run: those that wait inside go on */
	at(b, 1009, 0x0c, HD_INF);
	hd_flow_exit(&b->flow, &b->warp, 0x04);
	at(b, 1010, 0x08, HD_INF);
	hd_flow_return(&b->flow, &b->warp, 0x08);
	at(b, 2, 0xc8, HD_INF);
	free(b);
}

/* RC-13, RC-16: 64 regions inside each other, of which a warp's 32 lanes can split in 31; both flow units put all lanes together again, inside out.
 */
TEST(divergence_nested_64_deep)
{
	for (unsigned by_stack = 0; by_stack < 2; by_stack++) {
		bed *b = bed_new(~0u);
		b->warp.tokens = &b->tokens;
		for (unsigned level = 0; level < 64; level++) {
			uint32_t join = 1 + 8 * (200 - level), skip = level < 31 ? 1u << level : 0;
			if (!by_stack) {
				hd_flow_branch(&b->flow, &b->warp, skip, join);
				continue;
			}
			hd_stack_push(&b->flow, &b->warp, b->warp.active, join);
			hd_stack_branch(&b->flow, &b->warp, skip, join);
		}
		assert_int_equal(b->warp.active, 1u << 31);
		for (unsigned level = 64; level-- > 0;) {
			uint32_t join = 1 + 8 * (200 - level), skip = level < 31 ? 1u << level : 0, before = b->warp.active;
			if (by_stack) {
				b->warp.pc = join;
				hd_stack_sync(&b->flow, &b->warp);
			} else {
				hd_flow_branch(&b->flow, &b->warp, before, join);
			}
			assert_int_equal(b->warp.active, before | skip);
		}
		assert_int_equal(b->warp.active, ~0u);
		assert_int_equal(b->tokens.n, 0);
		hd_vec_free(&b->tokens);
		free(b);
	}
}

/* RC-16: regions that end at one place end one after the other; a place that is pushed again in its own region needs no second token. */
TEST(regions_that_end_at_one_place)
{
	bed *b = bed_new(0xff);
	b->warp.tokens = &b->tokens;
	hd_stack_push(&b->flow, &b->warp, 0xff, 41);
	hd_stack_push(&b->flow, &b->warp, 0xff, 41);
	assert_int_equal(b->tokens.n, 1);
	hd_stack_branch(&b->flow, &b->warp, 0x0f, 21);
	assert_int_equal(b->warp.active, 0xf0);
	hd_stack_push(&b->flow, &b->warp, 0xf0, 41);
	hd_stack_branch(&b->flow, &b->warp, 0x30, 31);
	assert_int_equal(b->warp.active, 0xc0);
	static const struct {
		uint32_t pc, active;
	} then[] = {{31, 0x30}, {21, 0x0f}, {42, 0xff}};
	for (unsigned i = 0; i < HD_COUNT(then); i++) {
		b->warp.pc = 41;
		hd_stack_sync(&b->flow, &b->warp);
		assert_int_equal(b->warp.pc, then[i].pc);
		assert_int_equal(b->warp.active, then[i].active);
	}
	assert_int_equal(b->tokens.n, 0);
	hd_vec_free(&b->tokens);
	free(b);
}

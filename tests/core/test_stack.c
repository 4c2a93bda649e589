/* The baseline's flow unit (RC-16). Addresses here have no scheduling words. */
#include "rig.h"

#include "core/flow/stack.h"

enum { WORDS = 256, DEPTH = 2 };

static hd_static rows[WORDS];
static hd_activation activations[DEPTH];
static hd_tokens tokens;
static hd_stats stats;
static hd_object object;
static hd_code code = {.at = rows, .n_words = WORDS};
static hd_flow flow = {.code = &code, .object = &object, .stats = &stats, .call_depth = DEPTH, .mode = HD_DIV_STACK};
static hd_warp_flow warp;

static int begin(void **state)
{
	for (uint32_t pc = 0; pc < WORDS; pc++)
		rows[pc] = (hd_static){.kind = HD_KIND_PURE, .next = pc + 1};
	tokens.n = 0;
	memset(&stats, 0, sizeof stats);
	warp = (hd_warp_flow){.stack = activations, .tokens = &tokens};
	hd_flow_start(&warp, 10, 0xff);
	return 0;
}

static int end(void **state)
{
	hd_vec_free(&tokens);
	return 0;
}

static void at(uint32_t pc, uint32_t active)
{
	assert_int_equal(warp.pc, pc);
	assert_int_equal(warp.active, active);
}

TEST_WITH(sides_meet_at_the_token, begin, end)
{
	assert_int_equal(hd_stack_push(&flow, &warp, 0xff, 40), HD_FLOW_GO);
	at(11, 0xff);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0x0f, 30), HD_FLOW_GO);
	at(12, 0xf0); /* the lower address first */
	warp.pc = 40;
	assert_int_equal(hd_stack_sync(&flow, &warp), HD_FLOW_GO);
	at(30, 0x0f);
	warp.pc = 40;
	assert_int_equal(hd_stack_sync(&flow, &warp), HD_FLOW_GO);
	at(41, 0xff);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_resumes, 1);
	assert_int_equal(stats.divergence_branches, 1);
	assert_int_equal(stats.divergence_divergent, 1);
}

TEST_WITH(a_uniform_branch_pushes_nothing, begin, end)
{
	assert_int_equal(hd_stack_branch(&flow, &warp, 0xff, 30), HD_FLOW_GO);
	at(30, 0xff);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0, 10), HD_FLOW_GO);
	at(31, 0xff);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_divergent, 0);
}

TEST_WITH(lanes_that_exit_are_not_waited_for, begin, end)
{
	hd_stack_push(&flow, &warp, 0xff, 40);
	hd_stack_branch(&flow, &warp, 0x0f, 30);
	assert_int_equal(hd_stack_exit(&flow, &warp, 0xf0), HD_FLOW_GO);
	at(30, 0x0f);
	warp.pc = 40;
	assert_int_equal(hd_stack_sync(&flow, &warp), HD_FLOW_GO);
	assert_int_equal(warp.active, 0x0f);
	assert_int_equal(hd_stack_exit(&flow, &warp, 0x0f), HD_FLOW_END);
}

/* `for (..) { if (a) { if (b) break; } }`: lanes that break are taken off the inner region, which goes on without them, in the same instruction. */
TEST_WITH(a_break_leaves_inner_regions, begin, end)
{
	hd_stack_push(&flow, &warp, 0xff, 60);
	hd_stack_push(&flow, &warp, 0xff, 40);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0x0f, 40), HD_FLOW_GO); /* jumps to the inner place: has arrived */
	at(13, 0xf0);
	assert_int_equal(hd_stack_break(&flow, &warp, 0, 60), HD_FLOW_GO); /* nobody breaks */
	at(14, 0xf0);
	assert_int_equal(hd_stack_break(&flow, &warp, 0x30, 60), HD_FLOW_GO);
	at(15, 0xc0);
	assert_int_equal(tokens.at[1].lanes, 0xcf);
	assert_int_equal(tokens.at[0].lanes, 0xff);
	assert_int_equal(hd_stack_break(&flow, &warp, 0xc0, 60), HD_FLOW_GO); /* all who are left of the side */
	at(41, 0x0f);
	warp.pc = 60;
	assert_int_equal(hd_stack_sync(&flow, &warp), HD_FLOW_GO);
	at(61, 0xff);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_breaks, 2);
}

/* A region that all lanes leave ends without an instruction. */
TEST_WITH(a_region_without_lanes_ends, begin, end)
{
	hd_stack_push(&flow, &warp, 0xff, 60);
	hd_stack_push(&flow, &warp, 0xff, 40);
	assert_int_equal(hd_stack_break(&flow, &warp, 0xff, 60), HD_FLOW_GO);
	at(61, 0xff);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_resumes, 0); /* nobody had waited */
}

/* Without a token a break is a branch, and a sync is nothing. A caller's token counts for nothing in the subroutine. */
TEST_WITH(a_break_without_a_token_is_a_branch, begin, end)
{
	hd_stack_push(&flow, &warp, 0xff, 60);
	hd_stack_call(&flow, &warp, 0xff, 100);
	assert_int_equal(hd_stack_break(&flow, &warp, 0xf0, 60), HD_FLOW_GO);
	at(60, 0xf0); /* backward: goes first */
	assert_int_equal(hd_stack_sync(&flow, &warp), HD_FLOW_GO);
	at(61, 0xf0);
	assert_int_equal(tokens.n, 3);
	assert_int_equal(hd_stack_return(&flow, &warp, 0xf0), HD_FLOW_GO);
	at(101, 0x0f);
	assert_int_equal(hd_stack_return(&flow, &warp, 0x0f), HD_FLOW_GO);
	at(12, 0xff);
	assert_int_equal(tokens.n, 1);
}

/* A side that begins at the place of an outer token has arrived there, too. */
TEST_WITH(a_side_arrives_at_an_outer_token, begin, end)
{
	hd_stack_push(&flow, &warp, 0xff, 60);
	hd_stack_push(&flow, &warp, 0xff, 40);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0x0f, 60), HD_FLOW_GO);
	at(13, 0xf0);
	assert_int_equal(tokens.at[1].lanes, 0xf0);
	assert_int_equal(tokens.n, 2);
	warp.pc = 39; /* the next instruction is the sync: the lanes that do not go back have arrived */
	assert_int_equal(hd_stack_branch(&flow, &warp, 0x30, 20), HD_FLOW_GO);
	at(20, 0x30);
	assert_int_equal(tokens.n, 2);
	assert_int_equal(hd_stack_exit(&flow, &warp, 0x30), HD_FLOW_GO);
	at(41, 0xc0);
}

/* An indirect jump: the highest target waits outermost, and the lanes that jump to a token's place have arrived. */
TEST_WITH(lanes_of_a_jump_may_arrive, begin, end)
{
	unsigned lane;
	static uint32_t list[] = {20, 30, 40, 60};
	hd_vec32 targets = {{20, 30, 40, 60, 20, 30, 40, 60}};
	object.targets.at = list;
	object.targets.n = HD_COUNT(list);
	hd_stack_push(&flow, &warp, 0xff, 60);
	hd_stack_push(&flow, &warp, 0xff, 40);
	assert_int_equal(hd_stack_jump(&flow, &warp, 0xff, &targets, &lane), HD_FLOW_GO);
	at(20, 0x11);
	assert_int_equal(tokens.n, 3);
	assert_int_equal(tokens.at[1].lanes, 0x77);
	hd_stack_exit(&flow, &warp, 0x11);
	at(30, 0x22);
	hd_stack_exit(&flow, &warp, 0x22);
	at(41, 0x44);
	hd_stack_exit(&flow, &warp, 0x44);
	at(61, 0x88);
	object.targets.n = 0;
}

/* A side that waits is no place to meet. The lower side of a forward branch arrives like the other one. */
TEST_WITH(sides_are_no_tokens, begin, end)
{
	hd_stack_branch(&flow, &warp, 0x0f, 30);
	at(11, 0xf0);
	hd_stack_branch(&flow, &warp, 0x80, 30);
	at(12, 0x70);
	assert_int_equal(tokens.n, 2);
	hd_stack_push(&flow, &warp, 0x70, 60);
	warp.pc = 59;
	hd_stack_branch(&flow, &warp, 0x10, 80);
	at(80, 0x10);
	assert_int_equal(tokens.n, 3);
}

TEST_WITH(waiting_lanes_are_named, begin, end)
{
	uint32_t where[HD_LANES];
	hd_stack_push(&flow, &warp, 0xff, 40);
	hd_stack_branch(&flow, &warp, 0x0f, 30);
	hd_stack_waiting(&warp, where);
	assert_int_equal(where[0], 30);
	assert_int_equal(where[4], HD_INF); /* active */
	assert_int_equal(where[8], HD_INF); /* never began */
}

TEST_WITH(calls_return_to_the_next_instruction, begin, end)
{
	assert_int_equal(hd_stack_return(&flow, &warp, 0xff), HD_FLOW_RETURN);
	begin(NULL);
	assert_int_equal(hd_stack_call(&flow, &warp, 0xff, 100), HD_FLOW_GO);
	at(100, 0xff);
	assert_int_equal(hd_stack_call(&flow, &warp, 0xff, 100), HD_FLOW_GO);
	assert_int_equal(hd_stack_call(&flow, &warp, 0xff, 100), HD_FLOW_DEPTH); /* RC-13 */
	assert_int_equal(hd_stack_return(&flow, &warp, 0xff), HD_FLOW_GO);
	at(101, 0xff);
	assert_int_equal(hd_stack_return(&flow, &warp, 0xff), HD_FLOW_GO);
	at(11, 0xff);
}

/* RC-17: which lanes a `bar` would leave behind. Lanes that wait at a token do not count, nor do sides of a caller. */
TEST_WITH(sides_that_have_not_begun_are_found, begin, end)
{
	uint32_t where;
	assert_int_equal(hd_stack_sides_before(&warp, UINT32_MAX, &where), 0);
	assert_int_equal(where, HD_INF);
	hd_stack_push(&flow, &warp, 0xff, 40);
	hd_stack_branch(&flow, &warp, 0x01, 40); /* lane 0 waits at the token */
	assert_int_equal(hd_stack_sides_before(&warp, UINT32_MAX, &where), 0);
	hd_stack_branch(&flow, &warp, 0x0e, 30);
	hd_stack_branch(&flow, &warp, 0x30, 20);
	assert_int_equal(warp.active, 0xc0);
	assert_int_equal(hd_stack_sides_before(&warp, 35, &where), 0x3e);
	assert_int_equal(where, 20);
	assert_int_equal(hd_stack_sides_before(&warp, 30, &where), 0x3e);
	assert_int_equal(hd_stack_sides_before(&warp, 29, &where), 0x30);
	assert_int_equal(hd_stack_sides_before(&warp, 19, &where), 0);
	hd_stack_call(&flow, &warp, 0xc0, 100);
	assert_int_equal(hd_stack_sides_before(&warp, 100, &where), 0);
	hd_stack_branch(&flow, &warp, 0x40, 110);
	assert_int_equal(hd_stack_sides_before(&warp, 120, &where), 0x40);
	assert_int_equal(where, 110);
}

TEST_WITH(the_stack_is_bounded, begin, end)
{
	hd_flow_result result = HD_FLOW_GO;
	unsigned calls = 0;
	for (unsigned turn = 0; turn < 10; turn++) { /* a loop that pushes the same two places in every turn */
		warp.pc = 10;
		assert_int_equal(hd_stack_push(&flow, &warp, 0xff, 40 + turn % 2), HD_FLOW_GO);
	}
	assert_int_equal(tokens.n, 2);
	flow.call_depth = 2 * HD_TOKENS_MAX;
	for (; result == HD_FLOW_GO && calls <= HD_TOKENS_MAX; calls++)
		result = hd_stack_call(&flow, &warp, 0xff, 100);
	assert_int_equal(result, HD_FLOW_TOKENS);
	assert_int_equal(calls, HD_TOKENS_MAX - 2 + 1);
	flow.call_depth = DEPTH;
}

/* RC-21: the size of the stack is configuration, and the most tokens are counted. */
TEST_WITH(the_stack_has_a_size, begin, end)
{
	flow.tokens = 3;
	assert_int_equal(hd_stack_push(&flow, &warp, 0xff, 40), HD_FLOW_GO);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0x0f, 30), HD_FLOW_GO);
	assert_int_equal(hd_stack_call(&flow, &warp, 0xf0, 100), HD_FLOW_GO);
	assert_int_equal(hd_stack_return(&flow, &warp, 0xf0), HD_FLOW_GO);
	assert_int_equal(tokens.n, 2);
	assert_int_equal(stats.divergence_max_tokens, 3);
	assert_int_equal(hd_stack_push(&flow, &warp, 0xf0, 50), HD_FLOW_GO);
	assert_int_equal(hd_stack_push(&flow, &warp, 0xf0, 60), HD_FLOW_TOKENS);
	tokens.n = 0;
	assert_int_equal(hd_stack_push(&flow, &warp, 0xf0, 60), HD_FLOW_GO);
	assert_int_equal(stats.divergence_max_tokens, 3);
	flow.tokens = 0;
}

/* RC-21: the lanes that take a forward branch go first; a break without a token keeps the order of addresses, which the checker knows. */
TEST_WITH(the_side_that_is_taken_can_go_first, begin, end)
{
	flow.taken_first = true;
	assert_int_equal(hd_stack_push(&flow, &warp, 0xff, 40), HD_FLOW_GO);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0x0f, 30), HD_FLOW_GO);
	at(30, 0x0f);
	assert_int_equal(hd_stack_break(&flow, &warp, 0x03, 35), HD_FLOW_GO);
	at(31, 0x0c);
	warp.pc = 40;
	assert_int_equal(hd_stack_sync(&flow, &warp), HD_FLOW_GO);
	at(35, 0x03);
	warp.pc = 40;
	assert_int_equal(hd_stack_sync(&flow, &warp), HD_FLOW_GO);
	at(12, 0xf0);
	flow.taken_first = false;
}

/* RC-21: addresses 40 and 60 have the flag. */
static uint32_t meets[WORDS + 1];
static void set_flags(void)
{
	for (uint32_t pc = 0; pc <= WORDS; pc++)
		meets[pc] = pc <= 40 ? 40 : pc <= 60 ? 60 : HD_INF;
	code.meets = meets;
}

/* RC-21: lanes meet before the flagged instruction, without an issue slot, and MINRC is the next flag. */
TEST_WITH(lanes_meet_at_a_flag, begin, end)
{
	set_flags();
	hd_stack_meet(&flow, &warp);
	assert_int_equal(warp.minrc, 40);
	assert_int_equal(hd_stack_push(&flow, &warp, 0xff, 40), HD_FLOW_GO);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0x0f, 30), HD_FLOW_GO);
	warp.pc = 40;
	hd_stack_meet(&flow, &warp);
	at(30, 0x0f);
	assert_int_equal(warp.minrc, 40);
	assert_int_equal(stats.divergence_resumes, 0);
	warp.pc = 40;
	hd_stack_meet(&flow, &warp);
	at(40, 0xff); /* it has not been executed */
	assert_int_equal(warp.minrc, 60);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_flags, 2);
	assert_int_equal(stats.divergence_tokens, 1); /* the push */
	assert_int_equal(stats.divergence_resumes, 1);
	code.meets = NULL;
}

/* RC-21: a flag without a token is nothing, and a side that begins at a flag arrives there as it begins. */
TEST_WITH(a_flag_needs_a_token, begin, end)
{
	set_flags();
	warp.pc = 40;
	hd_stack_meet(&flow, &warp);
	at(40, 0xff);
	assert_int_equal(stats.divergence_flags, 0);
	warp.pc = 50;
	hd_stack_push(&flow, &warp, 0xff, 60);
	warp.pc = 40;
	hd_stack_meet(&flow, &warp);
	at(40, 0xff); /* the token is for another flag */
	warp.pc = 50;
	hd_stack_call(&flow, &warp, 0x0f, 100);
	warp.tokens->at[1].pc = 60; /* the call returns to the flag */
	hd_stack_meet(&flow, &warp);
	at(100, 0x0f);
	assert_int_equal(warp.minrc, HD_INF);
	hd_stack_return(&flow, &warp, 0x0f);
	hd_stack_meet(&flow, &warp);
	at(60, 0xff);
	assert_int_equal(stats.divergence_flags, 1);
	/* Lanes that break to a flag go on at it. */
	hd_stack_push(&flow, &warp, 0xff, 40);
	hd_stack_break(&flow, &warp, 0xff, 40);
	at(40, 0xff);
	code.meets = NULL;
}

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
static hd_flow flow = {&code, &object, &stats, DEPTH, HD_MEMBER_FLAG, true, false};
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

static void sides_meet_at_the_token(void **state)
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
	assert_int_equal(warp.active, 0xff);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_branches, 1);
	assert_int_equal(stats.divergence_divergent, 1);
}

static void a_uniform_branch_pushes_nothing(void **state)
{
	assert_int_equal(hd_stack_branch(&flow, &warp, 0xff, 30), HD_FLOW_GO);
	at(30, 0xff);
	assert_int_equal(hd_stack_branch(&flow, &warp, 0, 10), HD_FLOW_GO);
	at(31, 0xff);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_divergent, 0);
}

static void lanes_that_exit_are_not_waited_for(void **state)
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

static void waiting_lanes_are_named(void **state)
{
	uint32_t where[HD_LANES];
	hd_stack_push(&flow, &warp, 0xff, 40);
	hd_stack_branch(&flow, &warp, 0x0f, 30);
	hd_stack_waiting(&warp, where);
	assert_int_equal(where[0], 30);
	assert_int_equal(where[4], HD_INF); /* active */
	assert_int_equal(where[8], HD_INF); /* never began */
}

static void calls_return_to_the_next_instruction(void **state)
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

static void the_stack_is_bounded(void **state)
{
	hd_flow_result result = HD_FLOW_GO;
	unsigned pushed = 0;
	for (; result == HD_FLOW_GO && pushed <= HD_TOKENS_MAX; pushed++) {
		warp.pc = 10;
		result = hd_stack_push(&flow, &warp, 0xff, 40 + pushed % 2);
	}
	assert_int_equal(result, HD_FLOW_TOKENS);
	assert_int_equal(pushed, HD_TOKENS_MAX + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(sides_meet_at_the_token), TEST(a_uniform_branch_pushes_nothing),      TEST(lanes_that_exit_are_not_waited_for),
	    TEST(waiting_lanes_are_named), TEST(calls_return_to_the_next_instruction), TEST(the_stack_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

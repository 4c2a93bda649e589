/* The flow unit with convergence barriers (RC-16). Addresses here have no scheduling words. */
#include "rig.h"

#include "core/flow/groups.h"

enum { WORDS = 256, DEPTH = 3, ALL = 0xff };

static hd_static rows[WORDS];
static hd_tokens tokens;
static hd_stats stats;
static uint32_t targets[] = {100, 124};
static hd_function functions[] = {{(char *)(uintptr_t) "main", 0, 100}, {(char *)(uintptr_t) "f", 100, 124}, {(char *)(uintptr_t) "g", 124, 200}};
static hd_object object;
static hd_code code = {.at = rows, .n_words = WORDS};
static hd_flow flow = {.code = &code, .object = &object, .stats = &stats, .call_depth = DEPTH, .mode = HD_DIV_BARRIERS};
static hd_warp_flow warp;

static int begin(void **state)
{
	for (uint32_t pc = 0; pc < WORDS; pc++)
		rows[pc] = (hd_static){.kind = HD_KIND_PURE, .next = pc + 1};
	object.functions.at = functions;
	object.functions.n = HD_COUNT(functions);
	object.targets.at = targets;
	object.targets.n = HD_COUNT(targets);
	tokens.n = 0;
	memset(&stats, 0, sizeof stats);
	warp = (hd_warp_flow){.tokens = &tokens};
	hd_flow_start(&warp, 10, ALL);
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

#define GO(call) assert_int_equal(call, HD_FLOW_GO)

TEST_WITH(lanes_meet_at_a_barrier, begin, end)
{
	GO(hd_groups_register(&flow, &warp, ALL, 3));
	at(11, ALL);
	GO(hd_groups_branch(&flow, &warp, 0x0f, 30));
	at(12, 0xf0); /* the lower address first */
	warp.pc = 40;
	GO(hd_groups_wait(&flow, &warp, 0xf0, 3));
	at(30, 0x0f);
	warp.pc = 40;
	GO(hd_groups_wait(&flow, &warp, 0x0f, 3));
	at(41, ALL);
	assert_int_equal(tokens.n, 0);
	assert_int_equal(stats.divergence_divergent, 1);
	assert_int_equal(stats.divergence_tokens, 3);
}

/* Groups at one address do not merge without a barrier, and lanes that are not registered do not wait. */
TEST_WITH(nothing_merges_by_itself, begin, end)
{
	GO(hd_groups_branch(&flow, &warp, 0x0f, 30));
	at(11, 0xf0);
	warp.pc = 30;
	GO(hd_groups_wait(&flow, &warp, 0xf0, 3));
	at(31, 0xf0);
	GO(hd_groups_exit(&flow, &warp, 0xf0));
	at(30, 0x0f);
	GO(hd_groups_register(&flow, &warp, 0x03, 3));
	GO(hd_groups_branch(&flow, &warp, 0x01, 50));
	at(32, 0x0e);
	GO(hd_groups_wait(&flow, &warp, 0x0e, 3)); /* lane 1 is registered and waits for lane 0 */
	at(33, 0x0c);
	GO(hd_groups_exit(&flow, &warp, 0x0c));
	at(50, 0x01);
	GO(hd_groups_wait(&flow, &warp, 0x01, 3));
	at(33, 0x02); /* lane 0 goes on elsewhere */
	GO(hd_groups_exit(&flow, &warp, 0x02));
	at(51, 0x01);
	assert_int_equal(hd_groups_exit(&flow, &warp, 0x01), HD_FLOW_END);
}

/* Lanes that break, exit or return are not waited for. What they release goes on after the others. */
TEST_WITH(lanes_leave_a_barrier, begin, end)
{
	GO(hd_groups_register(&flow, &warp, ALL, 0));
	GO(hd_groups_branch(&flow, &warp, 0x0f, 30));
	warp.pc = 60;
	GO(hd_groups_wait(&flow, &warp, 0xf0, 0));
	at(30, 0x0f);
	GO(hd_groups_exit(&flow, &warp, 0x03));
	at(31, 0x0c);
	GO(hd_groups_leave(&flow, &warp, 0x04, 0));
	at(32, 0x0c);
	GO(hd_groups_leave(&flow, &warp, 0x08, 0));
	at(33, 0x0c);
	assert_int_equal(warp.tokens->n, 1);
	GO(hd_groups_exit(&flow, &warp, 0x0c));
	at(61, 0xf0);
	assert_int_equal(tokens.n, 0);
}

/* The lanes of a call go on together behind it, those that did not take part included. A subroutine has barriers of its own. */
TEST_WITH(calls_are_barriers, begin, end)
{
	GO(hd_groups_register(&flow, &warp, ALL, 0));
	GO(hd_groups_call(&flow, &warp, 0x3f, 100));
	at(100, 0x3f);
	assert_int_equal(warp.depth, 1);
	GO(hd_groups_register(&flow, &warp, 0x3f, 0));
	GO(hd_groups_branch(&flow, &warp, 0x30, 110));
	at(102, 0x0f);
	GO(hd_groups_return(&flow, &warp, 0x03)); /* leaves the subroutine's barrier 0, too */
	at(103, 0x0c);
	warp.pc = 112;
	GO(hd_groups_wait(&flow, &warp, 0x0c, 0));
	at(110, 0x30);
	warp.pc = 112;
	GO(hd_groups_wait(&flow, &warp, 0x30, 0));
	at(113, 0x3c);
	GO(hd_groups_exit(&flow, &warp, 0x04));
	at(114, 0x38);
	GO(hd_groups_return(&flow, &warp, 0x38));
	at(12, 0xfb);
	assert_int_equal(warp.depth, 0);
	assert_int_equal(tokens.n, 1); /* barrier 0 of the kernel */
	assert_int_equal(hd_groups_return(&flow, &warp, 1), HD_FLOW_RETURN);
	for (unsigned i = 0; i < DEPTH; i++)
		GO(hd_groups_call(&flow, &warp, 0xfb, 100));
	assert_int_equal(hd_groups_call(&flow, &warp, 0xfb, 100), HD_FLOW_DEPTH);
	assert_int_equal(stats.divergence_max_depth, DEPTH);
}

/* Every target of an indirect call has an activation of its own, the lowest goes first, and all meet behind the call (RC-14). */
TEST_WITH(indirect_calls, begin, end)
{
	unsigned lane;
	hd_vec32 where = {{124, 100, 124, 100, 124, 100, 124, 100}};
	GO(hd_groups_call_indirect(&flow, &warp, ALL, &where, &lane));
	at(100, 0xaa);
	GO(hd_groups_register(&flow, &warp, 0xaa, 1));
	GO(hd_groups_return(&flow, &warp, 0xaa));
	at(124, 0x55);
	GO(hd_groups_wait(&flow, &warp, 0x55, 1)); /* not this activation's barrier */
	at(125, 0x55);
	GO(hd_groups_return(&flow, &warp, 0x55));
	at(11, ALL);
	assert_int_equal(tokens.n, 0);
	where.v[3] = 55;
	assert_int_equal(hd_groups_call_indirect(&flow, &warp, ALL, &where, &lane), HD_FLOW_PC);
	assert_int_equal(lane, 3);
}

TEST_WITH(indirect_jumps, begin, end)
{
	unsigned lane;
	static uint32_t list[] = {20, 30, 40};
	hd_vec32 where = {{20, 30, 40, 20, 30, 40, 20, 30}};
	object.targets.at = list;
	object.targets.n = HD_COUNT(list);
	GO(hd_groups_jump(&flow, &warp, 0x7f, &where, &lane));
	at(11, 0x80); /* does not take part */
	GO(hd_groups_exit(&flow, &warp, 0x80));
	at(20, 0x49);
	GO(hd_groups_exit(&flow, &warp, 0x49));
	at(30, 0x12);
	GO(hd_groups_exit(&flow, &warp, 0x12));
	at(40, 0x24);
}

/* Groups that yield take turns, so nobody starves. */
TEST_WITH(yields_go_round, begin, end)
{
	static const uint32_t turns[] = {0x01, 0x0e, 0xf0, 0x01, 0x0e, 0xf0};
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	GO(hd_groups_branch(&flow, &warp, 0x0e, 40));
	for (unsigned i = 0; i < HD_COUNT(turns); i++) {
		assert_int_equal(warp.active, turns[i]);
		GO(hd_groups_yield(&flow, &warp, warp.active));
	}
	GO(hd_groups_yield(&flow, &warp, 0)); /* nobody takes part */
	assert_int_equal(warp.active, 0x01);
}

/* Lanes wait for others that spin until these lanes go on. After a while they do. Those that spun no longer wait at that barrier. */
TEST_WITH(patience_has_an_end, begin, end)
{
	unsigned yields = 0;
	GO(hd_groups_register(&flow, &warp, ALL, 0));
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	warp.pc = 60;
	GO(hd_groups_wait(&flow, &warp, 0x0f, 0));
	for (; warp.active == 0xf0 && yields < 1000; yields++) {
		warp.pc = 50;
		GO(hd_groups_yield(&flow, &warp, 0xf0));
	}
	assert_int_equal(yields, HD_PATIENCE);
	at(61, 0x0f);
	GO(hd_groups_exit(&flow, &warp, 0x0f));
	at(51, 0xf0);
	warp.pc = 60;
	GO(hd_groups_wait(&flow, &warp, 0xf0, 0));
	at(61, 0xf0);
}

/* An arrival is progress: patience begins anew. */
TEST_WITH(arrivals_renew_patience, begin, end)
{
	GO(hd_groups_register(&flow, &warp, ALL, 0));
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	GO(hd_groups_yield(&flow, &warp, 0x0f));
	at(50, 0xf0);
	assert_int_equal(warp.yields, 1);
	GO(hd_groups_wait(&flow, &warp, 0xf0, 0));
	assert_int_equal(warp.yields, 0);
}

/* Of barriers that wait for each other the last one opens, and its lanes no longer meet the others there. */
TEST_WITH(barriers_that_wait_for_each_other, begin, end)
{
	uint32_t where[HD_LANES];
	GO(hd_groups_register(&flow, &warp, ALL, 0));
	GO(hd_groups_register(&flow, &warp, ALL, 1));
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	GO(hd_groups_wait(&flow, &warp, 0x0f, 0));
	hd_groups_waiting(&warp, where);
	assert_int_equal(where[0], 14);
	assert_int_equal(where[4], HD_INF); /* active */
	assert_int_equal(where[8], HD_INF); /* never began */
	GO(hd_groups_wait(&flow, &warp, 0xf0, 1));
	at(51, 0xf0);
	GO(hd_groups_wait(&flow, &warp, 0xf0, 0));
	at(14, 0x0f);
	GO(hd_groups_exit(&flow, &warp, 0x0f));
	at(52, 0xf0);
}

/* In a subroutine they open before a group of the caller runs. */
TEST_WITH(a_subroutine_is_not_left_at_a_barrier, begin, end)
{
	GO(hd_groups_branch(&flow, &warp, 0x80, 50)); /* lane 7 waits in the kernel */
	GO(hd_groups_call(&flow, &warp, 0x7f, 100));
	GO(hd_groups_register(&flow, &warp, 0x7f, 0));
	GO(hd_groups_register(&flow, &warp, 0x7f, 1));
	GO(hd_groups_branch(&flow, &warp, 0x70, 110));
	GO(hd_groups_wait(&flow, &warp, 0x0f, 0));
	at(110, 0x70);
	GO(hd_groups_wait(&flow, &warp, 0x70, 1));
	at(111, 0x70);
}

/* RC-17 counts warps, so the groups of a warp gather at a `bar` and the last one executes it for all. */
TEST_WITH(groups_gather_at_a_bar, begin, end)
{
	uint32_t where[HD_LANES];
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	warp.pc = 60;
	GO(hd_groups_gather(&flow, &warp, 0x0f));
	at(50, 0xf0);
	assert_int_equal(warp.gathered, 0);
	hd_groups_waiting(&warp, where);
	assert_int_equal(where[0], 60);
	assert_int_equal(where[4], HD_INF); /* active */
	warp.pc = 60;
	GO(hd_groups_gather(&flow, &warp, 0x30)); /* a guard: lanes 6 and 7 go on behind it */
	at(61, 0xc0);
	assert_int_equal(warp.gathered, 0);
	GO(hd_groups_exit(&flow, &warp, 0xc0));
	at(60, 0x3f);
	assert_int_equal(warp.gathered, 1);
	assert_int_equal(tokens.n, 0);
}

/* Lanes that wait for those at the `bar`, also by way of other barriers, cannot come to it. */
TEST_WITH(lanes_that_wait_for_a_bar_do_not_come_to_it, begin, end)
{
	GO(hd_groups_register(&flow, &warp, 0x33, 0));
	GO(hd_groups_register(&flow, &warp, 0x3c, 1));
	GO(hd_groups_branch(&flow, &warp, 0xfc, 50));
	warp.pc = 60;
	GO(hd_groups_wait(&flow, &warp, 0x03, 0)); /* for 4 and 5 */
	GO(hd_groups_branch(&flow, &warp, 0xcc, 70));
	warp.pc = 80;
	GO(hd_groups_wait(&flow, &warp, 0x30, 1)); /* for 2 and 3 */
	at(70, 0xcc);
	GO(hd_groups_gather(&flow, &warp, 0xcc));
	at(70, 0xcc);
	assert_int_equal(warp.gathered, 1);
	assert_int_equal(tokens.n, 4);
}

/* Barriers that wait for each other and not for lanes at the `bar` open, because their lanes may still come. */
TEST_WITH(barriers_that_do_not_wait_for_a_bar_open_before_it, begin, end)
{
	GO(hd_groups_register(&flow, &warp, 0xf0, 0));
	GO(hd_groups_register(&flow, &warp, 0xf0, 1));
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	warp.pc = 70;
	GO(hd_groups_gather(&flow, &warp, 0x0f));
	GO(hd_groups_branch(&flow, &warp, 0xc0, 60));
	GO(hd_groups_wait(&flow, &warp, 0x30, 0));
	at(60, 0xc0);
	GO(hd_groups_wait(&flow, &warp, 0xc0, 1));
	at(61, 0xc0);
	assert_int_equal(warp.gathered, 0);
}

/* Lanes at different instructions do not gather. Those that have waited longest go first, so nobody starves. */
TEST_WITH(the_bar_where_lanes_have_waited_longest_is_first, begin, end)
{
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	GO(hd_groups_gather(&flow, &warp, 0x0f));
	GO(hd_groups_gather(&flow, &warp, 0xf0));
	at(11, 0x0f);
	assert_int_equal(warp.gathered, 1);
	warp.gathered = 0;
	warp.pc = 12;
	GO(hd_groups_gather(&flow, &warp, 0x0f));
	at(50, 0xf0);
	assert_int_equal(warp.gathered, 1);
}

/* Patience does not let lanes pass a `bar`: who yields may still come to it. */
TEST_WITH(yields_do_not_open_a_bar, begin, end)
{
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50));
	GO(hd_groups_gather(&flow, &warp, 0x0f));
	for (unsigned i = 0; i < 3 * HD_PATIENCE; i++) {
		GO(hd_groups_yield(&flow, &warp, 0xf0));
		assert_int_equal(warp.active, 0xf0);
		assert_int_equal(warp.gathered, 0);
	}
	assert_int_equal(tokens.n, 1);
}

/* The lanes that the `bar` misses may be in a caller. An activation has its own lanes at a `bar` that it shares with others. */
TEST_WITH(a_subroutine_is_left_at_a_bar, begin, end)
{
	GO(hd_groups_branch(&flow, &warp, 0xf0, 50)); /* lanes 4 to 7 wait in the kernel */
	GO(hd_groups_call(&flow, &warp, 0x0f, 100));
	GO(hd_groups_register(&flow, &warp, 0x0f, 0));
	GO(hd_groups_branch(&flow, &warp, 0x0c, 110));
	GO(hd_groups_wait(&flow, &warp, 0x03, 0));
	GO(hd_groups_gather(&flow, &warp, 0x0c));
	at(50, 0xf0);
	assert_int_equal(warp.depth, 0);
	GO(hd_groups_call(&flow, &warp, 0xf0, 110));
	GO(hd_groups_gather(&flow, &warp, 0xf0));
	at(110, 0x0c);
	assert_int_equal(warp.gathered, 1);
	assert_int_equal(warp.depth, 1);
}

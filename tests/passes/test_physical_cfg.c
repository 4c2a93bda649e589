/* Where a warp can go from the end of a block (docs/timing.md, "Physical control flow"; RC-1, RC-5, RC-16). */
#include "../ir_builder.h"
#include "passes/analysis/physical_cfg.h"

/* The successors of block b, as digits. */
static void expect_edges(const ir_builder *x, hd_divergence mode, uint32_t b, const char *expected)
{
	hd_machine machine;
	char found[16] = "";
	hd_machine_default(&machine);
	machine.divergence_mode = mode;
	hd_physical_cfg g = hd_physical_cfg_new(x->f, &machine);
	for (uint32_t e = g.first_edge[b]; e < g.first_edge[b + 1]; e++)
		snprintf(found + (e - g.first_edge[b]), 2, "%u", g.to[e]);
	assert_string_equal(found, expected);
	hd_physical_cfg_free(&g);
}

/* 0: if p goto 2 else 1; 1: goto 3; 2: goto 3; 3: end. From the end of 1 the lanes that wait at 2 come first. */
TEST(the_other_side_of_a_branch_follows)
{
	ir_builder b = ir_new_allocated(4);
	ir_branch(&b, 0, p(0), 2, 1);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	expect_edges(&b, HD_DIV_RESUME, 0, "12");
	expect_edges(&b, HD_DIV_RESUME, 1, "23");
	expect_edges(&b, HD_DIV_RESUME, 2, "3");
	expect_edges(&b, HD_DIV_RESUME, 3, "");
	ir_free(&b);
}

/* Behind a backward branch parked lanes wait; a block to which only fall-through leads is no resume point. */
TEST(a_backward_branch_has_its_own_edges)
{
	ir_builder b = ir_new_allocated(4);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 0, 2);
	ir_jump(&b, 2, 3);
	expect_edges(&b, HD_DIV_RESUME, 0, "1");
	expect_edges(&b, HD_DIV_RESUME, 1, "02");
	expect_edges(&b, HD_DIV_RESUME, 2, "3");
	ir_free(&b);

	b = ir_new_allocated(5);
	ir_branch(&b, 0, p(0), 4, 1);
	ir_jump(&b, 1, 0); /* 2 lies behind it, and nothing before 2 leads there */
	ir_jump(&b, 2, 3);
	ir_branch(&b, 4, p(0), 2, 4);
	expect_edges(&b, HD_DIV_RESUME, 0, "124");
	ir_free(&b);
}

/* Lanes that end leave the others, wherever these wait behind. */
TEST(an_exit_leads_to_all_resume_points_behind_it)
{
	ir_builder b = ir_new_allocated(6);
	ir_branch(&b, 0, p(0), 4, 1);
	ir_branch(&b, 1, p(1), 3, 2); /* 2 exits */
	ir_jump(&b, 3, 4);
	ir_jump(&b, 4, 5);
	expect_edges(&b, HD_DIV_RESUME, 2, "34");
	expect_edges(&b, HD_DIV_RESUME, 5, "");
	ir_block(&b, 2)->term = HD_TERM_RET;
	expect_edges(&b, HD_DIV_RESUME, 2, "34");
	expect_edges(&b, HD_DIV_STACK, 2, "1234");
	ir_block(&b, 2)->term = HD_TERM_TRAP;
	expect_edges(&b, HD_DIV_RESUME, 2, "");
	ir_free(&b);
}

/* RC-21: where control goes to a flag, all sides that wait may go on, those that have met at the flag itself among them. */
TEST(the_stack_goes_anywhere_from_a_flag)
{
	ir_builder b = ir_new_allocated(6);
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 3, 2);
	ir_jump(&b, 2, 3);
	ir_jump(&b, 3, 4);
	ir_jump(&b, 4, 5);
	expect_edges(&b, HD_DIV_STACK, 3, "4");
	ir_block(&b, 4)->meets = true;
	expect_edges(&b, HD_DIV_STACK, 0, "1");
	expect_edges(&b, HD_DIV_STACK, 3, "234");
	expect_edges(&b, HD_DIV_STACK, 4, "5");
	expect_edges(&b, HD_DIV_STACK, 5, "234");
	ir_free(&b);
}

/* The baseline's stack takes up what waits innermost: after sync and exit that may lie before, too. */
TEST(the_stack_goes_anywhere)
{
	ir_builder b = ir_new_allocated(5);
	ir_branch(&b, 0, p(0), 2, 1);
	ir_jump(&b, 1, 3);
	ir_jump(&b, 2, 3);
	b.block = 3;
	ir_put(&b, HD_OP_SYNC, none, none, none);
	ir_jump(&b, 3, 4);
	expect_edges(&b, HD_DIV_STACK, 1, "23");
	expect_edges(&b, HD_DIV_STACK, 3, "1234");
	expect_edges(&b, HD_DIV_STACK, 4, "1234");
	expect_edges(&b, HD_DIV_RESUME, 3, "4");
	ir_free(&b);

	b = ir_new_allocated(4);
	ir_jump(&b, 0, 2);
	b.block = 1;
	ir_put(&b, HD_OP_SYNC, none, none, none); /* only edges from behind lead to it, and pushes */
	ir_jump(&b, 1, 3);
	ir_branch(&b, 2, p(0), 1, 3);
	expect_edges(&b, HD_DIV_STACK, 3, "23");
	ir_free(&b);
}

/* So it does after `brk` and after an exit under a guard. */
TEST(breaks_and_guarded_exits_lead_anywhere)
{
	ir_builder b = ir_new_allocated(5);
	ir_branch(&b, 0, p(0), 2, 1);
	b.block = 1;
	ir_put(&b, HD_OP_SYNC, none, none, none); /* lanes that wait go on behind it */
	ir_jump(&b, 1, 2);
	b.block = 2;
	hd_ir_inst *last = ir_put(&b, HD_OP_BRK, none, none, none);
	last->callee = 3;
	ir_branch(&b, 2, p(1), 4, 3);
	expect_edges(&b, HD_DIV_STACK, 2, "1234");
	expect_edges(&b, HD_DIV_RESUME, 2, "34");
	last->op = HD_OP_EXIT;
	expect_edges(&b, HD_DIV_STACK, 2, "1234");
	last->op = HD_OP_BRA;
	expect_edges(&b, HD_DIV_STACK, 2, "34");
	ir_free(&b);
}

/* With convergence barriers lanes wait at a `bar`, and others run meanwhile (RC-17). */
TEST(lanes_gather_at_a_bar)
{
	ir_builder b = ir_new_allocated(5);
	ir_branch(&b, 0, p(0), 4, 1);
	ir_jump(&b, 1, 2);
	b.block = 2;
	ir_put(&b, HD_OP_BAR, none, none, none);
	ir_jump(&b, 2, 3);
	expect_edges(&b, HD_DIV_BARRIERS, 2, "1234");
	expect_edges(&b, HD_DIV_BARRIERS, 4, "1234");
	expect_edges(&b, HD_DIV_RESUME, 2, "3");
	expect_edges(&b, HD_DIV_STACK, 2, "3");
	ir_free(&b);
}

/* Adds the blocks that a node leads to, through empty nodes. An edge that leads backward in the order is one between blocks that does so, too. */
static void reach(const hd_physical_cfg *g, uint32_t node, bool *reached)
{
	for (uint32_t e = g->first_edge[node]; e < g->first_edge[node + 1]; e++) {
		uint32_t to = g->to[e];
		if (node >= g->blocks || to >= g->blocks || to > node)
			assert_true(g->place[to] > g->place[node]);
		if (to < g->blocks)
			reached[to] = true;
		else
			reach(g, to, reached);
	}
}

static bool is_resume_point(const hd_ir_function *f, uint32_t block)
{
	for (uint32_t b = 0; b < block; b++)
		for (size_t i = 0; i < f->blocks.at[b]->succ.n; i++)
			if ((f->blocks.at[b]->succ.at[i] == block && b + 1 < block) || (b + 1 == block && f->blocks.at[b]->succ.at[i] <= b))
				return true;
	return false;
}

/* Edges of which there would be n * n go through empty nodes, and lead to the same blocks. */
TEST(a_large_function_has_few_edges)
{
	static const uint32_t sizes[] = {30, 33, 40, 64, 65, 100, 257};
	uint32_t trees = 0;
	for (unsigned k = 0; k < HD_COUNT(sizes); k++) {
		uint32_t n = sizes[k], state_of_random = k;
		hd_machine machine;
		ir_builder x = ir_new_allocated(n);
		hd_machine_default(&machine);
		for (uint32_t b = 0; b + 1 < n; b++) {
			state_of_random = state_of_random * 1664525 + 1013904223;
			ir_branch(&x, b, p(0), (state_of_random >> 8) % n, b + 1);
		}
		hd_physical_cfg g = hd_physical_cfg_new(x.f, &machine);
		assert_true(g.first_edge[g.nodes] <= n * 34 + g.nodes * 2);
		uint32_t all = 0;
		for (uint32_t b = 0; b < n; b++)
			all += is_resume_point(x.f, b);
		assert_int_equal(g.nodes > g.blocks, all > 32);
		trees += all > 32;
		for (uint32_t b = 0; b < n; b++) {
			bool reached[300] = {false};
			const hd_ir_block *block = x.f->blocks.at[b];
			uint32_t furthest = block->succ.n ? b + 1 : n, points = 0;
			reach(&g, b, reached);
			assert_true(g.order[g.place[b]] == b);
			for (size_t i = 0; i < block->succ.n; i++) {
				assert_true(reached[block->succ.at[i]]);
				furthest = hd_max_u32(furthest, block->succ.at[i]);
			}
			for (uint32_t to = 0; to < n; to++) {
				bool expected = to > b && to < furthest && is_resume_point(x.f, to), successor = false;
				for (size_t i = 0; i < block->succ.n; i++)
					successor |= block->succ.at[i] == to;
				points += expected;
				assert_true(successor || reached[to] == expected);
			}
			assert_int_equal(g.resume_points[b], points);
		}
		hd_physical_cfg_free(&g);
		ir_free(&x);
	}
	assert_true(trees > 2 && trees < HD_COUNT(sizes));
}

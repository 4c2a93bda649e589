/* Block order for least-address-first execution (RC-15). */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "passes/schedule/layout.h"

/* Blocks are named by the line of their location. */
static ir_builder begin(unsigned blocks)
{
	ir_builder b = ir_new(blocks);
	ir_vreg(&b, 0);
	for (unsigned i = 0; i < blocks; i++)
		ir_block(&b, i)->loc.line = i;
	return b;
}

/* Where block `name` came to lie; UINT32_MAX if it is gone. */
static uint32_t place(const ir_builder *x, uint32_t name)
{
	for (uint32_t b = 0; b < x->f->blocks.n; b++)
		if (x->f->blocks.at[b]->loc.line == name)
			return b;
	return UINT32_MAX;
}

/* if (a) b else c; d: the join lies behind both sides. */
TEST(test_rc_15_join_behind_both_sides)
{
	(void)state;
	ir_builder x = begin(5);
	ir_branch(&x, 0, p(0), 3, 2);
	ir_jump(&x, 3, 1);
	ir_jump(&x, 2, 1);
	ir_jump(&x, 1, 4);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(place(&x, 0), 0);
	assert_true(place(&x, 1) > place(&x, 2) && place(&x, 1) > place(&x, 3));
	assert_int_equal(place(&x, 4), 4);
	/* Edges follow their blocks. */
	assert_int_equal(ir_block(&x, 0)->succ.at[0], place(&x, 3));
	assert_int_equal(ir_block(&x, 0)->succ.at[1], place(&x, 2));
	assert_int_equal(ir_block(&x, place(&x, 1))->succ.at[0], 4);
	ir_free(&x);
}

/* Blocks of a loop together, its exit behind it, though the exit is met first. */
TEST(test_rc_15_loop_together)
{
	(void)state;
	ir_builder x = begin(6);
	ir_jump(&x, 0, 1);
	ir_branch(&x, 1, p(0), 5, 2); /* leave the loop, or go on */
	ir_branch(&x, 2, p(0), 3, 4);
	ir_jump(&x, 3, 1);
	ir_jump(&x, 4, 1);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(place(&x, 1), 1);
	assert_int_equal(place(&x, 5), 5);
	ir_free(&x);
}

/* An inner loop is together within its outer loop, on whichever side of its branch the way out is. */
TEST(test_rc_15_inner_loop_together)
{
	(void)state;
	for (unsigned taken = 3; taken <= 4; taken++) {
		ir_builder x = begin(6);
		ir_jump(&x, 0, 1);
		ir_jump(&x, 1, 2);
		ir_branch(&x, 2, p(0), taken, 7 - taken); /* 3: the inner loop's body; 4: behind it */
		ir_jump(&x, 3, 2);
		ir_branch(&x, 4, p(0), 1, 5);
		run_pass(hd_pass_layout, x.m, NULL);
		for (uint32_t b = 0; b < 6; b++)
			assert_int_equal(place(&x, b), b);
		ir_free(&x);
	}
}

/* 0 -> 1 or 2, which jump to each other: no header, still together and complete; block 4 is never reached and goes. */
TEST(test_rc_15_irreducible)
{
	(void)state;
	ir_builder x = begin(5);
	ir_branch(&x, 0, p(0), 1, 2);
	ir_branch(&x, 1, p(0), 2, 3);
	ir_branch(&x, 2, p(0), 1, 3);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(x.f->blocks.n, 4);
	assert_int_equal(place(&x, 0), 0);
	assert_int_equal(place(&x, 3), 3);
	assert_int_equal(place(&x, 4), UINT32_MAX);
	ir_free(&x);
}

/* In any graph, each component that is no loop comes behind all its forward predecessors: every backward edge lies in a loop. */
TEST(test_rc_15_random_graphs)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t r = seed;
		unsigned n = 2 + (unsigned)(hd_random(&r) % 40);
		ir_builder x = begin(n);
		for (unsigned b = 0; b + 1 < n; b++) {
			if (hd_random(&r) % 3)
				ir_branch(&x, b, p(0), (unsigned)(hd_random(&r) % n), b + 1);
			else
				ir_jump(&x, b, b + 1);
		}
		run_pass(hd_pass_layout, x.m, NULL);
		assert_int_equal(place(&x, 0), 0);
		for (uint32_t b = 0; b < x.f->blocks.n; b++) {
			for (size_t s = 0; s < x.f->blocks.at[b]->succ.n; s++) {
				uint32_t to = x.f->blocks.at[b]->succ.at[s];
				if (to > b)
					continue;
				/* `to` must lead back to b. */
				bool *seen = hd_xcalloc(x.f->blocks.n, sizeof *seen);
				uint32_t *todo = hd_xcalloc(x.f->blocks.n + 1, sizeof *todo), k = 0;
				todo[k++] = to;
				seen[to] = true;
				while (k) {
					const hd_ir_block *at = x.f->blocks.at[todo[--k]];
					for (size_t i = 0; i < at->succ.n; i++) {
						if (!seen[at->succ.at[i]]) {
							seen[at->succ.at[i]] = true;
							todo[k++] = at->succ.at[i];
						}
					}
				}
				assert_true(seen[b]);
				free(seen);
				free(todo);
			}
		}
		ir_free(&x);
	}
}

/* A chain of thousands of loops inside each other ends soon, and loses nothing. */
TEST(test_deep_nest)
{
	(void)state;
	enum { DEEP = 3000 };
	ir_builder x = begin(2 * DEEP + 1);
	for (unsigned b = 0; b < DEEP; b++)
		ir_jump(&x, b, b + 1);
	for (unsigned b = 0; b < DEEP; b++)
		ir_branch(&x, DEEP + b, p(0), DEEP - 1 - b, DEEP + b + 1);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(x.f->blocks.n, 2 * DEEP + 1);
	ir_free(&x);
}

/* RC-23: in the order of the front end, without the blocks that nothing reaches. */
TEST(test_rc_23_as_in_source)
{
	(void)state;
	hd_machine machine;
	hd_machine_default(&machine);
	machine.compile_layout = HD_LAYOUT_SOURCE;
	ir_builder x = begin(6);
	ir_branch(&x, 0, p(0), 4, 2);
	ir_jump(&x, 2, 1);
	ir_jump(&x, 4, 1);
	ir_jump(&x, 1, 5);
	ir_jump(&x, 3, 5);
	run_pass(hd_pass_layout, x.m, &machine);
	assert_int_equal(x.f->blocks.n, 5);
	static const uint32_t order[] = {0, 1, 2, 4, 5};
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(place(&x, order[i]), i);
	assert_int_equal(ir_block(&x, 0)->succ.at[0], 3);
	ir_free(&x);
}

/* RC-23: a barrier of the CTA needs the lanes of its warp together, which other orders do not bring. */
TEST(test_rc_23_barriers_keep_the_order)
{
	(void)state;
	for (unsigned mode = 0; mode < 3; mode++) {
		hd_machine machine;
		hd_machine_default(&machine);
		machine.compile_layout = HD_LAYOUT_SOURCE;
		machine.divergence_mode = (hd_divergence)mode;
		ir_builder x = begin(3);
		ir_branch(&x, 0, p(0), 2, 1);
		x.block = 1;
		ir_put(&x, HD_OP_BAR, (hd_opd){0}, ir_vreg(&x, 1), (hd_opd){0});
		ir_jump(&x, 2, 1);
		run_pass(hd_pass_layout, x.m, &machine);
		assert_int_equal(place(&x, 1), 2);
		ir_free(&x);
	}
}

/* RC-23: every order that begins with the entry can come, and a seed always gives the same one. */
TEST(test_rc_23_by_chance)
{
	(void)state;
	hd_machine machine;
	bool seen[6] = {false};
	hd_machine_default(&machine);
	machine.compile_layout = HD_LAYOUT_RANDOM;
	for (uint32_t seed = 1; seed <= 60; seed++) {
		uint32_t at[2][4];
		machine.compile_seed = seed;
		for (unsigned again = 0; again < 2; again++) {
			ir_builder x = begin(4);
			ir_branch(&x, 0, p(0), 2, 1);
			ir_jump(&x, 1, 3);
			ir_jump(&x, 2, 3);
			run_pass(hd_pass_layout, x.m, &machine);
			for (uint32_t b = 0; b < 4; b++)
				at[again][b] = place(&x, b);
			ir_free(&x);
		}
		assert_memory_equal(at[0], at[1], sizeof at[0]);
		assert_int_equal(at[0][0], 0);
		seen[(at[0][1] - 1) * 2 + (at[0][2] > at[0][3])] = true;
	}
	for (unsigned i = 0; i < 6; i++)
		assert_true(seen[i]);
}

/* Block order for least-address-first execution (RC-15), branches that fall through, switches as trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../run_pass.h"
#include "passes/lower/branches.h"
#include "passes/lower/switches.h"
#include "passes/schedule/layout.h"

typedef struct fixture {
	hd_ir_module *m;
	hd_ir_function *f;
	hd_diag diag;
} fixture;

static fixture begin(unsigned blocks)
{
	fixture x = {.m = hd_ir_module_new()};
	x.f = hd_ir_function_new(x.m, "test");
	x.f->kernel = true;
	hd_ir_vreg_new(x.f, 0);
	hd_ir_vreg_new(x.f, 1);
	for (unsigned b = 0; b < blocks; b++) {
		hd_ir_block_new(x.m, x.f);
		x.f->blocks.at[b]->term = HD_TERM_EXIT;
		x.f->blocks.at[b]->loc.line = b; /* its name */
	}
	return x;
}

static void finish(fixture *x)
{
	hd_ir_module_free(x->m);
	hd_diag_free(&x->diag);
}

static void jump(fixture *x, unsigned from, unsigned to)
{
	x->f->blocks.at[from]->term = HD_TERM_JUMP;
	hd_vec_push(&x->f->blocks.at[from]->succ, to);
}

static void branch(fixture *x, unsigned from, unsigned yes, unsigned no)
{
	x->f->blocks.at[from]->term = HD_TERM_BRANCH;
	x->f->blocks.at[from]->pred = hd_opd_pred(0, false);
	hd_vec_push(&x->f->blocks.at[from]->succ, yes);
	hd_vec_push(&x->f->blocks.at[from]->succ, no);
}

/* Where block `name` came to lie; UINT32_MAX if it is gone. */
static uint32_t place(const fixture *x, uint32_t name)
{
	for (uint32_t b = 0; b < x->f->blocks.n; b++)
		if (x->f->blocks.at[b]->loc.line == name)
			return b;
	return UINT32_MAX;
}

/* if (a) b else c; d: the join lies behind both sides. */
static void test_rc_15_join_behind_both_sides(void **state)
{
	(void)state;
	fixture x = begin(5);
	branch(&x, 0, 3, 2);
	jump(&x, 3, 1);
	jump(&x, 2, 1);
	jump(&x, 1, 4);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(place(&x, 0), 0);
	assert_true(place(&x, 1) > place(&x, 2) && place(&x, 1) > place(&x, 3));
	assert_int_equal(place(&x, 4), 4);
	finish(&x);
}

/* Blocks of a loop together, its exit behind it, though the exit is met first. */
static void test_rc_15_loop_together(void **state)
{
	(void)state;
	fixture x = begin(6);
	jump(&x, 0, 1);
	branch(&x, 1, 5, 2); /* leave the loop, or go on */
	branch(&x, 2, 3, 4);
	jump(&x, 3, 1);
	jump(&x, 4, 1);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(place(&x, 1), 1);
	assert_int_equal(place(&x, 5), 5);
	finish(&x);
}

/* 0 -> 1 or 2, which jump to each other: no header, still together and complete; block 4 is never reached and goes. */
static void test_rc_15_irreducible(void **state)
{
	(void)state;
	fixture x = begin(5);
	branch(&x, 0, 1, 2);
	branch(&x, 1, 2, 3);
	branch(&x, 2, 1, 3);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(x.f->blocks.n, 4);
	assert_int_equal(place(&x, 0), 0);
	assert_int_equal(place(&x, 3), 3);
	assert_int_equal(place(&x, 4), UINT32_MAX);
	finish(&x);
}

/* In any graph, each component that is no loop comes behind all its forward predecessors: every backward edge lies in a loop. */
static void test_rc_15_random_graphs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t r = seed;
		unsigned n = 2 + (unsigned)(hd_random(&r) % 40);
		fixture x = begin(n);
		for (unsigned b = 0; b + 1 < n; b++) {
			if (hd_random(&r) % 3)
				branch(&x, b, (unsigned)(hd_random(&r) % n), b + 1);
			else
				jump(&x, b, b + 1);
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
		finish(&x);
	}
}

/* A chain of thousands of loops inside each other ends soon, and loses nothing. */
static void test_deep_nest(void **state)
{
	(void)state;
	enum { DEEP = 3000 };
	fixture x = begin(2 * DEEP + 1);
	for (unsigned b = 0; b < DEEP; b++)
		jump(&x, b, b + 1);
	for (unsigned b = 0; b < DEEP; b++)
		branch(&x, DEEP + b, DEEP - 1 - b, DEEP + b + 1);
	run_pass(hd_pass_layout, x.m, NULL);
	assert_int_equal(x.f->blocks.n, 2 * DEEP + 1);
	finish(&x);
}

static const hd_ir_inst *last(const fixture *x, uint32_t block)
{
	const hd_ir_block *b = x->f->blocks.at[block];
	return b->insts.n ? b->insts.at[b->insts.n - 1] : NULL;
}

static void test_branches_fall_through(void **state)
{
	(void)state;
	fixture x = begin(4);
	branch(&x, 0, 1, 3); /* yes is next: inverted */
	branch(&x, 1, 0, 2); /* no is next: as it stands */
	jump(&x, 2, 3);      /* next: nothing */
	run_pass(hd_pass_branches, x.m, NULL);
	assert_int_equal(x.f->blocks.n, 4);
	assert_int_equal(last(&x, 0)->op, HD_OP_BRA);
	assert_int_equal(last(&x, 0)->callee, 3);
	assert_true(last(&x, 0)->guard.neg);
	assert_int_equal(last(&x, 1)->callee, 0);
	assert_false(last(&x, 1)->guard.neg);
	assert_null(last(&x, 2));
	assert_int_equal(last(&x, 3)->op, HD_OP_EXIT);
	finish(&x);
}

/* Neither side is next: a block of its own jumps, so that one flow instruction ends each block. */
static void test_branches_extra_block(void **state)
{
	(void)state;
	fixture x = begin(4);
	jump(&x, 0, 1);
	branch(&x, 1, 0, 3);
	branch(&x, 2, 0, 1);
	run_pass(hd_pass_branches, x.m, NULL);
	assert_int_equal(x.f->blocks.n, 6);
	assert_int_equal(last(&x, 1)->callee, 0);
	assert_int_equal(last(&x, 2)->callee, 5); /* what was block 3 */
	assert_int_equal(last(&x, 2)->guard.kind, HD_OPD_NONE);
	assert_int_equal(x.f->blocks.at[1]->succ.at[1], 2);
	assert_int_equal(last(&x, 3)->callee, 0);
	assert_int_equal(last(&x, 4)->callee, 1);
	assert_int_equal(last(&x, 5)->op, HD_OP_EXIT);
	finish(&x);
}

static void test_switch_becomes_a_tree(void **state)
{
	(void)state;
	fixture x = begin(6);
	x.f->blocks.at[0]->term = HD_TERM_SWITCH;
	x.f->blocks.at[0]->index = hd_opd_reg(1, 1);
	static const uint32_t targets[] = {1, 2, 3, 3, 3, 3, 4, 5};
	for (unsigned i = 0; i < HD_COUNT(targets); i++)
		hd_vec_push(&x.f->blocks.at[0]->succ, targets[i]);
	run_pass(hd_pass_switches, x.m, NULL);
	/* Every value gets where it should. */
	for (uint32_t value = 0; value < HD_COUNT(targets); value++) {
		uint32_t b = 0, steps = 0;
		while (x.f->blocks.at[b]->term == HD_TERM_BRANCH && steps++ < 10) {
			const hd_ir_inst *compare = last(&x, b);
			b = x.f->blocks.at[b]->succ.at[value < compare->s[1].imm ? 0 : 1];
		}
		assert_int_equal(b, targets[value]);
		assert_true(steps <= 3);
	}
	finish(&x);
}

static void test_switch_with_one_target(void **state)
{
	(void)state;
	fixture x = begin(2);
	for (unsigned b = 0; b < 2; b++) {
		x.f->blocks.at[b]->term = HD_TERM_SWITCH;
		x.f->blocks.at[b]->index = hd_opd_reg(1, 1);
		hd_vec_push(&x.f->blocks.at[b]->succ, 1);
		hd_vec_push(&x.f->blocks.at[b]->succ, 1);
	}
	run_pass(hd_pass_switches, x.m, NULL);
	assert_int_equal(x.f->blocks.n, 2);
	for (unsigned b = 0; b < 2; b++) {
		assert_int_equal(x.f->blocks.at[b]->term, HD_TERM_JUMP);
		assert_int_equal(x.f->blocks.at[b]->succ.n, 1);
	}
	finish(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rc_15_join_behind_both_sides),
	    cmocka_unit_test(test_rc_15_loop_together),
	    cmocka_unit_test(test_rc_15_irreducible),
	    cmocka_unit_test(test_rc_15_random_graphs),
	    cmocka_unit_test(test_deep_nest),
	    cmocka_unit_test(test_branches_fall_through),
	    cmocka_unit_test(test_branches_extra_block),
	    cmocka_unit_test(test_switch_becomes_a_tree),
	    cmocka_unit_test(test_switch_with_one_target),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

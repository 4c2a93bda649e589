/* Terminators become instructions; branches fall through where they can. */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "passes/lower/branches.h"

static void expect(ir_builder *b, const char *expected)
{
	run_pass(hd_pass_branches, b->m, NULL);
	assert_true(b->f->laid_out);
	ir_expect(b, expected);
	ir_free(b);
}

/* 0: the taken side is next, so the condition is inverted; 1: the other side is next; 2: a jump to the next block needs nothing. A branch to
 * a block that only exits is an exit, and so is a jump to it (RC-12). */
TEST(branches_fall_through)
{
	ir_builder b = ir_new_allocated(4);
	ir_branch(&b, 0, p(0), 1, 3);
	ir_branch(&b, 1, p(0), 0, 2);
	ir_jump(&b, 2, 3);
	expect(&b, "b0:\n@!p0 exit{to=1}\n.branch !p0 b3 b1\nb1:\n@p0 bra{to=1}\n.branch p0 b0 b2\nb2:\n.jump b3\nb3:\nexit{to=1}\n.exit\n");
}

/* RC-21: a branch to a flag is a `brk`, as one to a sync. */
TEST(a_branch_to_a_flag_breaks)
{
	ir_builder b = ir_new_allocated(3);
	ir_branch(&b, 0, p(0), 2, 1);
	ir_jump(&b, 1, 2);
	b.block = 2;
	ir_put(&b, HD_OP_MOVI, r(2), imm(7), none);
	ir_block(&b, 2)->meets = true;
	expect(&b, "b0:\n@p0 brk{to=3}\n.branch p0 b2 b1\nb1:\n.jump b2\nb2: meets\nmovi r2 = 0x7\nexit{to=1}\n.exit\n");
}

/* Neither side is next: a block of its own jumps, so that one flow instruction ends each block. Targets of pushes move along. */
TEST(a_branch_to_two_distant_sides_gets_a_block)
{
	ir_builder b = ir_new_allocated(4);
	ir_put(&b, HD_OP_PUSH, none, none, none)->callee = 3;
	ir_jump(&b, 0, 1);
	ir_branch(&b, 1, p(0), 0, 3);
	ir_branch(&b, 2, p(0), 0, 1);
	expect(&b, "b0:\npush{to=6}\n.jump b1\n"
	           "b1:\n@p0 bra{to=1}\n.branch p0 b0 b2\nb2:\nexit{to=1}\n.jump b5\n"
	           "b3:\n@p0 bra{to=1}\n.branch p0 b0 b4\nb4:\nbra{to=2}\n.jump b1\n"
	           "b5:\nexit{to=1}\n.exit\n");
}

/* In a subroutine an exit waits for everything that is outstanding, so a branch to it is better. A block with more than an exit is no exit. */
TEST(what_is_no_exit)
{
	for (unsigned subroutine = 0; subroutine < 2; subroutine++) {
		ir_builder b = {.m = hd_ir_module_new()};
		ir_add_function(&b, "f", !subroutine, 3)->allocated = true;
		ir_branch(&b, 0, p(1), 2, 1);
		ir_jump(&b, 1, 0);
		b.block = 2;
		if (!subroutine)
			ir_put(&b, HD_OP_MOVI, r(2), imm(7), none);
		ir_block(&b, 2)->term = HD_TERM_EXIT;
		expect(&b, subroutine ? "b0:\n@p1 bra{to=3}\n.branch p1 b2 b1\nb1:\nbra{to=1}\n.jump b0\nb2:\nexit{to=1}\n.exit\n"
		                      : "b0:\n@p1 bra{to=3}\n.branch p1 b2 b1\nb1:\nbra{to=1}\n.jump b0\nb2:\nmovi r2 = 0x7\nexit{to=1}\n.exit\n");
	}
}

TEST(a_branch_whose_sides_are_both_next)
{
	ir_builder b = ir_new_allocated(2);
	ir_branch(&b, 0, p(0), 1, 1);
	expect(&b, "b0:\n.branch p0 b1 b1\nb1:\nexit{to=1}\n.exit\n");
}

TEST(all_terminators)
{
	ir_builder b = {.m = hd_ir_module_new()};
	ir_add_function(&b, "f", false, 3)->allocated = true;
	ir_branch(&b, 0, p(1), 2, 1);
	ir_block(&b, 1)->term = HD_TERM_TRAP;
	ir_block(&b, 1)->loc.line = 5;
	expect(&b, "b0:\n@p1 bra{to=3}\n.branch p1 b2 b1\nb1:\ntrap{to=1} @0:5:0\n.trap @0:5:0\nb2:\nret{to=1}\n.ret\n");
}

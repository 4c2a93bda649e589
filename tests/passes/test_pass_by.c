/* LU-4: which results do not enter an operand buffer. `release` without a primary is the mark. */
#include "../ir_builder.h"
#include "passes/annotate/last_use.h"
#include "passes/annotate/pass_by.h"

#define BEGIN ".kernel \"k\"\n.allocated 64\n.laid_out\nb0:\n"

/* Marks the kernel for a buffer of `registers` and no last-result register, and returns the marks of the block's instructions as a mask. */
static uint64_t marks_of(const char *body, unsigned registers, unsigned share)
{
	hd_text in = {0};
	hd_machine machine;
	uint64_t marks = 0;
	hd_machine_default(&machine);
	machine.last_use_compensation = registers;
	machine.last_use_compensation_of = HD_OWNER_WARP;
	machine.last_use_compensation_share = share;
	machine.last_use_last_result = 0;
	hd_text_printf(&in, BEGIN "%s", body);
	ir_builder b = ir_read(in.at);
	hd_mark_last_uses(b.m, &machine);
	hd_mark_pass_by(b.f, &machine);
	for (size_t i = 0; i < ir_block(&b, 0)->insts.n; i++)
		marks |= (uint64_t)ir_block(&b, 0)->insts.at[i]->release << i;
	ir_free(&b);
	hd_text_free(&in);
	return marks;
}

/* A value whose reader comes when two others have displaced it passes by; so do the others if nothing reads them in time. */
TEST(values_that_are_displaced_pass_by)
{
	static const char body[] =
	    "iadd r1 = r2, r3\niadd r20 = r2, r3\niadd r21 = r20, r3\niadd r22 = r21, r20\nsts{sub=4} r3, r22\nsts{sub=4} r3, r1\n"
	    ".jump b1\nb1:\niadd r5 = r1, r22\n.exit\n";
	assert_int_equal(marks_of(body, 2, 1) & 1, 1);
	assert_int_equal(marks_of(body, 6, 1), 0);
	assert_int_equal(marks_of(body, 6, 3), 0); /* a slot may have all registers that it shares */
}

/* A value that is read often enough before it goes enters. */
TEST(reads_pay_for_the_stay)
{
	static const char often[] =
	    "iadd r1 = r2, r3\niadd r1 = r1, r1\niadd r4 = r1, r1\niadd r5 = r1, r1\niadd r6 = r2, r3\niadd r7 = r2, r3\n.jump b1\n"
	    "b1:\nsts{sub=4} r3, r1\nsts{sub=4} r3, r4\nsts{sub=4} r3, r5\nsts{sub=4} r3, r6\nsts{sub=4} r3, r7\n.exit\n";
	uint64_t marks = marks_of(often, 1, 1);
	assert_int_equal(marks >> 1 & 1, 0);
	assert_int_equal(marks >> 2 & 1, 1); /* R4 is displaced by R5 */
}

/* A value that a loop makes anew in each turn, before anything displaces it, enters: the old one is never written. */
TEST(a_loop_is_followed)
{
	static const char loop[] = "iadd r1 = r1, r3\n@p0 bra{to=1}\n.branch p0 b0 b1\nb1:\nsts{sub=4} r3, r1\n.exit\n";
	assert_int_equal(marks_of(loop, 1, 1), 0);
	static const char crowded[] = "iadd r1 = r1, r3\niadd r4 = r4, r3\niadd r5 = r5, r3\n@p0 bra{to=1}\n.branch p0 b0 b1\nb1:\n.exit\n";
	assert_int_equal(marks_of(crowded, 3, 1), 0);
	assert_int_equal(marks_of(crowded, 1, 1), 7); /* the last one is displaced in the next turn */
}

/* The word has no room for the mark in a movi, and a primary's release is another thing. */
TEST(some_words_cannot_say_it)
{
	static const char body[] = "movi r1 = 5\niadd{primary=1} r4 = r2, r3\niadd r5 = r2, r3\niadd r6 = r2, r3\n.jump b1\nb1:\n"
	                           "sts{sub=4} r3, r1\nsts{sub=4} r3, r4\nsts{sub=4} r3, r5\n.exit\n";
	assert_int_equal(marks_of(body, 1, 1), 4);
}

/* Registers of pipelines are no operand buffer. */
TEST(other_machines_have_no_marks)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.last_use_compensation = 1;
	machine.last_use_compensation_of = HD_OWNER_PIPE;
	ir_builder b = ir_read(BEGIN "iadd r1 = r2, r3\niadd r4 = r2, r3\niadd r5 = r2, r3\n.exit\n");
	hd_mark_pass_by(b.f, &machine);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(ir_block(&b, 0)->insts.at[i]->release, 0);
	ir_free(&b);
}

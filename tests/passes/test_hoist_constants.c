/* Constants that memory instructions in loops read leave all loops (HZ-4). */
#include "../ir_builder.h"
#include "passes/lower/hoist_constants.h"

/* b1 and b2 are a loop, b2 one in it. `first` stands in b1, `inner` in b2, `last` behind the loops. */
static ir_builder nest(const char *first, const char *inner, const char *last)
{
	hd_text text = {0};
	hd_text_printf(&text,
	               ".kernel \"k\"\n.vregs 0 1 1 1 2\nb0:\n\ts2r{sreg=tid.x} %%1 =\n\t.jump b1\nb1:\n%s\t.jump b2\nb2:\n%s\t.branch %%p0 b2 b3\n"
	               "b3:\n\t.branch %%p0 b1 b4\nb4:\n%s\t.exit\n",
	               first, inner, last);
	ir_builder b = ir_read(text.at);
	hd_text_free(&text);
	return b;
}

/* In which block `movi = value` stands. */
static unsigned block_of(const ir_builder *b, uint64_t value)
{
	unsigned found = 99;
	for (unsigned i = 0; i < b->f->blocks.n; i++)
		for (size_t k = 0; k < ir_block(b, i)->insts.n; k++)
			if (ir_block(b, i)->insts.at[k]->op == HD_OP_MOVI && ir_block(b, i)->insts.at[k]->s[0].imm == value)
				found = i;
	return found;
}

/* To the block before all loops; what stands in none stays. */
TEST(constants_leave_all_loops)
{
	ir_builder b = nest("movi %2 = 0x11\nsts{sub=4} %1, %2\n", "movi %3 = 0x22\nsts{sub=4} %1, %3\n", "movi %4 = 0x33\nsts{sub=4} %1, %4\n");
	hd_hoist_constants(b.f);
	assert_int_equal(block_of(&b, 0x11), 0);
	assert_int_equal(block_of(&b, 0x22), 0);
	assert_int_equal(block_of(&b, 0x33), 4);
	ir_free(&b);
}

/* Behind what stands in the block, in the order of words. */
TEST(both_words_of_a_pair_move)
{
	ir_builder b = nest("", "movi %4 = 0x1\nmovi %4.1 = 0x2\nsts{sub=5} %1, %4:2\n", "");
	hd_hoist_constants(b.f);
	ir_expect(&b, "b0:\ns2r{sreg=tid.x} %1 =\nmovi %4 = 0x1\nmovi %4.1 = 0x2\n.jump b1\nb1:\n.jump b2\nb2:\nsts{sub=5} %1, %4:2\n"
	              ".branch %p0 b2 b3\nb3:\n.branch %p0 b1 b4\nb4:\n.exit\n");
	ir_free(&b);
}

/* Another value in some lanes or at some time, two definitions, readers that are no memory instructions. */
TEST(other_registers_stay)
{
	static const char *const inner[] = {
	    "movi %2 = 0x22\nsts{sub=4} %1, %2\niadd %2 = %2, %1\nsts{sub=4} %1, %2\n",
	    "@%p0 movi %2 = 0x22\nsts{sub=4} %1, %2\n",
	    "movi %2 = 0x22\nmovi %2 = 0x22\nsts{sub=4} %1, %2\n",
	    "movi %2 = 0x22\niadd %3 = %2, %1\n",
	};
	for (unsigned i = 0; i < HD_COUNT(inner); i++) {
		ir_builder b = nest("", inner[i], "");
		hd_hoist_constants(b.f);
		assert_int_equal(block_of(&b, 0x22), 2);
		ir_free(&b);
	}
}

/* Not further out than needed. */
TEST(constants_move_to_the_nearest_block_outside)
{
	ir_builder b = ir_read(".kernel \"k\"\n.vregs 0 1 1\nb0:\n.jump b1\nb1:\ns2r{sreg=tid.x} %1 =\n.jump b2\n"
	                       "b2:\nmovi %2 = 0x22\nsts{sub=4} %1, %2\n.branch %p0 b2 b3\nb3:\n.exit\n");
	hd_hoist_constants(b.f);
	assert_int_equal(block_of(&b, 0x22), 1);
	ir_free(&b);
}

/* No more than 16 words: one, then seven pairs of ten. Those that are read outside of loops do not count. */
TEST(not_all_registers_are_taken)
{
	hd_text pairs = {0}, single = {0}, all = {0};
	unsigned moved = 0;
	for (unsigned i = 0; i < 10; i++)
		hd_text_printf(&pairs, "movi %%%u = 0x%x\nmovi %%%u.1 = 0x99\nsts{sub=5} %%1, %%%u:2\n", 13 + i, 0x100 + i, 13 + i, 13 + i);
	for (unsigned i = 0; i < 10; i++)
		hd_text_printf(&single, "movi %%%u = 0x77\nsts{sub=4} %%1, %%%u\n", 3 + i, 3 + i);
	hd_text_printf(&all,
	               ".kernel \"k\"\n.vregs 0 1 1 1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2\nb0:\n\ts2r{sreg=tid.x} %%1 =\n%s\t.jump b1\n"
	               "b1:\nmovi %%2 = 0x55\nsts{sub=4} %%1, %%2\n%s.branch %%p0 b1 b2\nb2:\n.exit\n",
	               single.at, pairs.at);
	ir_builder b = ir_read(all.at);
	hd_hoist_constants(b.f);
	for (unsigned i = 0; i < 10; i++)
		moved += block_of(&b, 0x100 + i) == 0;
	assert_int_equal(block_of(&b, 0x55), 0);
	assert_int_equal(moved, 7);
	hd_text_free(&all);
	hd_text_free(&pairs);
	hd_text_free(&single);
	ir_free(&b);
}

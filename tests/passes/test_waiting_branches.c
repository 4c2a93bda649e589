/* HZ-3: an instruction that would wait for the counter that it raises. */
#include "../ir_builder.h"
#include "passes/annotate/waiting_branches.h"

static void expect(const char *body, const char *expected)
{
	hd_text in = {0};
	hd_text_printf(&in, ".kernel \"k\"\n.allocated 16\n.laid_out\n%s", body);
	ir_builder b = ir_read(in.at);
	hd_insert_waiting_branches(b.m, b.f);
	ir_expect(&b, expected);
	ir_free(&b);
	hd_text_free(&in);
}

/* The branch waits for that counter alone, under the guard "never", and leads to its own block. */
TEST(a_branch_waits_in_its_place)
{
	expect("b0:\niadd r1 = r2, r3\n.jump b1\nb1:\niadd r1 = r2, r3\niadd{primary=2 wait=7} r1 = r2, r3 @0:4:2\niadd r4 = r2, r3\n.exit\n",
	       "b0:\niadd r1 = r2, r3\n.jump b1\nb1:\niadd r1 = r2, r3\n@!p7 bra{to=2 wait=2} @0:4:2\niadd{primary=2 wait=5} r1 = r2, r3 "
	       "@0:4:2\niadd r4 = r2, r3\n.exit\n");
}

TEST(others_stay)
{
	static const char text[] = "b0:\niadd{primary=2 wait=5} r1 = r2, r3\niadd{wait=2} r1 = r2, r3\niadd{primary=1} r1 = r2, r3\n.exit\n";
	expect(text, text);
}

TEST(several_in_one_block)
{
	expect("b0:\niadd{primary=1 wait=1} r1 = r2, r3\niadd{primary=16 wait=32768} r1 = r2, r3\n.exit\n",
	       "b0:\n@!p7 bra{to=1 wait=1}\niadd{primary=1} r1 = r2, r3\n@!p7 bra{to=1 wait=32768}\niadd{primary=16} r1 = r2, r3\n.exit\n");
}

/* 512 instructions under guards, wherever others stand between them, are followed by a branch that nobody takes; the last one of a block is not. */
TEST(guarded_instructions_have_places_to_wait)
{
	static const struct {
		unsigned guarded, others, expected;
	} rows[] = {{511, 0, 0}, {512, 0, 0}, {513, 0, 1}, {512, 600, 0}, {1024, 0, 1}, {1500, 100, 2}};
	for (unsigned k = 0; k < HD_COUNT(rows); k++) {
		hd_text in = {0};
		hd_text_printf(&in, ".kernel \"k\"\n.allocated 16\n.laid_out\nb0:\n.jump b1\nb1:\n");
		for (unsigned i = 0; i < rows[k].others; i++)
			hd_text_printf(&in, "iadd r1 = r2, r3\n");
		for (unsigned i = 0; i < rows[k].guarded; i++)
			hd_text_printf(&in, "@p1 iadd r1 = r2, r3\n");
		hd_text_printf(&in, ".exit\n");
		ir_builder b = ir_read(in.at);
		hd_insert_places_to_wait(b.m, b.f);
		const hd_ir_block *block = ir_block(&b, 1);
		unsigned found = 0;
		assert_int_equal(block->insts.n, rows[k].guarded + rows[k].others + rows[k].expected);
		for (size_t i = 0; i < block->insts.n; i++) {
			const hd_ir_inst *inst = block->insts.at[i];
			if (inst->op != HD_OP_BRA)
				continue;
			found++;
			assert_int_equal(i, rows[k].others + 513 * found - 1);
			assert_int_equal(inst->callee, 1);
			assert_true(inst->guard.neg && inst->guard.reg == HD_PT);
		}
		assert_int_equal(found, rows[k].expected);
		ir_free(&b);
		hd_text_free(&in);
	}
}

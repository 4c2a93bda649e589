/* LU-2, LU-3: where the pass sets a last-use flag. Flags are shown by ^. */
#include "../ir_builder.h"
#include "passes/annotate/last_use.h"

static void expect_on(hd_machine *machine, const char *body, const char *expected)
{
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".kernel \"k\"\n.allocated 64\n.laid_out\nb0:\n%s", body);
	hd_text_printf(&out, "b0:\n%s", expected);
	ir_builder b = ir_read(in.at);
	hd_mark_last_uses(b.m, machine);
	ir_expect(&b, out.at);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

static void expect(const char *body, const char *expected)
{
	hd_machine machine;
	hd_machine_default(&machine);
	expect_on(&machine, body, expected);
}

static void stays(const char *body) { expect(body, body); }

#define MAKE "iadd{hint=1 delay=4} r1 = r2, r3\n"

TEST(the_last_reader_is_flagged)
{
	expect(MAKE "iadd r4 = r1, r3\n.exit\n", MAKE "iadd r4 = ^r1, r3\n.exit\n");
	expect(MAKE "iadd{hint=1 delay=1} r4 = r1, r3\niadd r5 = r1, r3\n.exit\n",
	       MAKE "iadd{hint=1 delay=1} r4 = r1, r3\niadd r5 = ^r1, r3\n.exit\n");
	expect(MAKE "iadd r1 = r1, r3\nsts{sub=4} r3, r1\n.exit\n", MAKE "iadd r1 = ^r1, r3\nsts{sub=4} r3, ^r1\n.exit\n");
}

TEST(what_another_block_may_read_is_not)
{
	stays(MAKE "iadd r4 = r1, r3\n.jump b1\nb1:\niadd r5 = r1, r3\n.exit\n");
	/* Any of the blocks behind counts. */
	stays(MAKE "iadd r4 = r1, r3\n@p0 bra{to=3}\n.branch p0 b2 b1\nb1:\niadd r5 = r1, r3\n.exit\nb2:\n.exit\n");
	stays(MAKE "iadd r4 = r1, r3\n@p0 bra{to=3}\n.branch p0 b2 b1\nb1:\n.exit\nb2:\niadd r5 = r1, r3\n.exit\n");
	stays("iadd r4 = r1, r3\n.exit\n"); /* nor what another block made */
	/* In a loop, the next iteration: r1 is made anew, r4 is read at the start. */
	expect("iadd r6 = r4, r3\n" MAKE "iadd r4 = r1, r3\n@p0 bra{to=1}\n.branch p0 b0 b1\nb1:\n.exit\n",
	       "iadd r6 = r4, r3\n" MAKE "iadd r4 = ^r1, r3\n@p0 bra{to=1}\n.branch p0 b0 b1\nb1:\n.exit\n");
}

/* Rule 1: producer and consumer are for the same lanes. */
TEST(guards)
{
	stays(MAKE "@p0 iadd r4 = r1, r3\n.exit\n");
	expect("@p0 " MAKE "@p0 iadd r4 = r1, r3\n.exit\n", "@p0 " MAKE "@p0 iadd r4 = ^r1, r3\n.exit\n");
	stays("@p0 " MAKE "@!p0 iadd r4 = r1, r3\n.exit\n");
	stays("@p0 " MAKE "isetp{cmp=eq} p0 = r2, r3\n@p0 iadd r4 = r1, r3\n.exit\n");
	expect("@p0 " MAKE "iadd r4 = r1, r3\n.exit\n", "@p0 " MAKE "iadd r4 = ^r1, r3\n.exit\n");
	/* The value that a guarded instruction writes over stays in the other lanes. */
	stays(MAKE
	      "iadd{hint=1 delay=1} r4 = r1, r3\n@p0 iadd{hint=1 delay=4} r1 = r2, r2\niadd r5 = r1, r3\n.jump b1\nb1:\niadd r5 = r1, r3\n.exit\n");
}

/* Rule 1: the guard as the producer read it; another predicate may change, and a number alone does not make a guard. */
TEST(guards_that_change)
{
	expect("@p0 " MAKE "isetp{cmp=eq} p1 = r2, r3\n@p0 iadd r4 = r1, r3\n.exit\n",
	       "@p0 " MAKE "isetp{cmp=eq} p1 = r2, r3\n@p0 iadd r4 = ^r1, r3\n.exit\n");
	stays("@p0 " MAKE "@p1 isetp{cmp=eq} p0 = r2, r3\n@p0 iadd r4 = r1, r3\n.exit\n");
	stays("@!p0 " MAKE "@p0 iadd r4 = r1, r3\n.exit\n");
	stays("@p1 " MAKE "@p0 iadd r4 = r1, r3\n.exit\n");
	expect("@!p0 " MAKE "@!p0 iadd r4 = r1, r3\n.exit\n", "@!p0 " MAKE "@!p0 iadd r4 = ^r1, r3\n.exit\n");
}

/* The reader in b4 is reached from b3 by two ways back, so two passes over the blocks do not find it. */
TEST(loops_are_followed_to_the_fixed_point)
{
	stays("bra{to=4}\n.jump b3\nb1:\nbra{to=5}\n.jump b4\nb2:\nbra{to=2}\n.jump b1\nb3:\n" MAKE
	      "iadd r4 = r1, r3\nbra{to=3}\n.jump b2\nb4:\niadd r5 = r1, r3\n.exit\n");
}

/* Rules 2 and 3. */
TEST(what_lies_in_between)
{
	stays(MAKE "frcp r6 = r1\niadd r4 = r1, r3\n.exit\n");
	expect(MAKE "frcp r6 = r1\nfrcp r4 = r1\n.exit\n", MAKE "frcp r6 = r1\nfrcp r4 = ^r1\n.exit\n");
	static const char call[] = "iadd{hint=1 delay=4} r40 = r2, r3\ncall{to=2}\niadd r4 = r40, r3\n.exit\n",
	                  callee[] = ".function \"f\"\n.allocated 1\n.laid_out\nb0:\n.ret\n";
	hd_text both = {0};
	hd_text_printf(&both, "%s%s", call, callee);
	expect(both.at, call);
	hd_text_free(&both);
}

/* Rule 4: a callee reads its arguments, a caller the results and the stack pointer. */
TEST(the_calling_convention)
{
	static const char make[] = "iadd{hint=1 delay=4} r%u = r50, r50\niadd r51 = r%u, r50\n";
	static const struct {
		unsigned reg;
		bool live;
	} rows[] = {{0, true}, {3, false}, {4, true}, {35, true}, {36, false}};
	for (unsigned i = 0; i < 2 * HD_COUNT(rows); i++) {
		unsigned reg = rows[i / 2].reg;
		hd_text body = {0};
		hd_text_printf(&body, "%s\n.allocated 64\n.laid_out\nb0:\n", i % 2 ? ".kernel \"k\"" : ".function \"f\"");
		hd_text_printf(&body, make, reg, reg);
		hd_text_printf(&body, i % 2 ? "call{to=2}\n.exit\n.function \"f\"\n.allocated 1\n.laid_out\nb0:\n.ret\n" : "ret{to=1}\n.ret\n");
		hd_machine machine;
		hd_machine_default(&machine);
		ir_builder b = ir_read(body.at);
		hd_mark_last_uses(b.m, &machine);
		assert_int_equal(ir_block(&b, 0)->insts.at[1]->s[0].last_use, !rows[i / 2].live);
		ir_free(&b);
		hd_text_free(&body);
	}
}

/* Rule 4: a guarded write and a read whose guard is computed anew leave a register live before them, in another function, too. */
#define SEEMS_TO_READ "@p0 iadd{hint=1 delay=4} r3 = r50, r50\nisetp{cmp=eq} p0 = r50, r50\n@p0 iadd r51 = r3, r50\n"
#define LAST "iadd{hint=1 delay=4} r3 = r50, r50\niadd r51 = r3, r50\n"
#define KERNEL ".kernel \"k\"\n.allocated 64\n.laid_out\nb0:\n"
#define FUNCTION(name) ".function \"" name "\"\n.allocated 64\n.laid_out\nb0:\n"

static void expect_flag(const char *text, size_t function, size_t inst, bool flag)
{
	hd_machine machine;
	hd_machine_default(&machine);
	ir_builder b = ir_read(text);
	hd_mark_last_uses(b.m, &machine);
	assert_int_equal(b.m->functions.at[function]->blocks.at[0]->insts.at[inst]->s[0].last_use, flag);
	ir_free(&b);
}

TEST(guards_of_other_functions_seem_to_read)
{
	/* Behind the call; and behind the call of the caller. */
	expect_flag(KERNEL "call{to=2}\n" SEEMS_TO_READ ".exit\n" FUNCTION("f") LAST "ret{to=1}\n.ret\n", 1, 1, false);
	expect_flag(KERNEL "call{to=2}\n.exit\n" FUNCTION("f") LAST "ret{to=1}\n.ret\n", 1, 1, true);
	expect_flag(KERNEL "call{to=2}\n" SEEMS_TO_READ ".exit\n" FUNCTION("f") "call{to=3}\nret{to=1}\n.ret\n" FUNCTION("g") LAST
	            "ret{to=1}\n.ret\n",
	            2, 1, false);
	/* At the beginning of the called function; and of a function that it calls. */
	expect_flag(KERNEL LAST "call{to=2}\n.exit\n" FUNCTION("f") SEEMS_TO_READ "ret{to=1}\n.ret\n", 0, 1, false);
	expect_flag(KERNEL LAST "call{to=2}\n.exit\n" FUNCTION("f") "call{to=3}\nret{to=1}\n.ret\n" FUNCTION("g") SEEMS_TO_READ "ret{to=1}\n.ret\n",
	            0, 1, false);
	/* From a block before that of the call. */
	expect_flag(KERNEL LAST ".jump b1\nb1:\ncall{to=2}\n.exit\n" FUNCTION("f") SEEMS_TO_READ "ret{to=1}\n.ret\n", 0, 1, false);
	/* Nobody calls a kernel. */
	expect_flag(KERNEL LAST "call{to=2}\n.exit\n" FUNCTION("f") "ret{to=1}\n.ret\n"
	                                                            ".kernel \"l\"\n.allocated 64\n.laid_out\nb0:\n" SEEMS_TO_READ ".exit\n",
	            0, 1, true);
}

/* Rule 4: so does the callee of a call through a register. */
TEST(indirect_calls_read_arguments)
{
	stays("iadd{hint=1 delay=4} r4 = r50, r50\niadd r51 = r4, r50\ncallx r60\n.exit\n");
	expect("iadd{hint=1 delay=4} r36 = r50, r50\niadd r51 = r36, r50\ncallx r60\n.exit\n",
	       "iadd{hint=1 delay=4} r36 = r50, r50\niadd r51 = ^r36, r50\ncallx r60\n.exit\n");
}

/* Rule 5: a value in an operand buffer waits for its reader. */
TEST(an_operand_buffer_has_no_reach)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.last_use_compensation_of = HD_OWNER_WARP;
	expect_on(&machine, "iadd{hint=1 delay=15} r1 = r2, r3\niadd r4 = r1, r3\n.exit\n",
	          "iadd{hint=1 delay=15} r1 = r2, r3\niadd r4 = ^r1, r3\n.exit\n");
	stays("iadd{hint=1 delay=15} r1 = r2, r3\niadd r4 = r1, r3\n.exit\n");
}

/* Rule 5, and last_use.across. */
TEST(reach)
{
	hd_machine machine;
	hd_machine_default(&machine);
	uint32_t most = machine.latency[HD_CLASS_ALU].latency + machine.last_use_path_b + machine.last_use_path_a + machine.last_use_compensation;
	for (uint32_t cycles = most - 1; cycles <= most; cycles++) {
		hd_text body = {0}, expected = {0};
		hd_text_printf(&body, "iadd{hint=1 delay=%u} r1 = r2, r3\niadd r4 = r1, r3\n.exit\n", cycles);
		hd_text_printf(&expected, "iadd{hint=1 delay=%u} r1 = r2, r3\niadd r4 = %sr1, r3\n.exit\n", cycles, cycles < most ? "^" : "");
		expect(body.at, expected.at);
		hd_text_free(&body);
		hd_text_free(&expected);
	}
	machine.last_use_across = false;
	expect_on(&machine, MAKE "frcp r4 = r1\n.exit\n", MAKE "frcp r4 = r1\n.exit\n");
	expect_on(&machine, MAKE "iadd r4 = r1, r3\n.exit\n", MAKE "iadd r4 = ^r1, r3\n.exit\n");
	expect_on(&machine, "ldg{sub=4} r1 = r2:2\nstg{sub=4} r2:2, r1\n.exit\n", "ldg{sub=4} r1 = r2:2\nstg{sub=4} r2:2, r1\n.exit\n");
}

/* All words of an operand must be right. */
TEST(pairs)
{
	static const char pair[] = "iadd64{hint=1 delay=5} r6:2 = r2:2, r2:2\n";
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, "%siadd64 r8:2 = r6:2, r2:2\n.exit\n", pair);
	hd_text_printf(&out, "%siadd64 r8:2 = ^r6:2, r2:2\n.exit\n", pair);
	expect(in.at, out.at);
	hd_text_free(&in);
	hd_text_printf(&in, "%siadd64{hint=1 delay=1} r8:2 = r6:2, r2:2\niadd r4 = r7, r3\n.exit\n", pair);
	hd_text_free(&out);
	hd_text_printf(&out, "%siadd64{hint=1 delay=1} r8:2 = r6:2, r2:2\niadd r4 = ^r7, r3\n.exit\n", pair);
	expect(in.at, out.at);
	hd_text_free(&in);
	hd_text_free(&out);
	stays("iadd{hint=1 delay=4} r6 = r2, r3\niadd64 r8:2 = r6:2, r2:2\n.exit\n");
}

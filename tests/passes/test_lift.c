/* From machine code back to the IR (HZ-33): blocks, successors, operands; what is left out. */
#include "../test.h"

#include "passes/emit/emit.h"
#include "passes/lift/lift.h"

static hd_object *assemble(const char *body)
{
	hd_text text = {0};
	hd_diag diag = {0};
	hd_text_printf(&text, ".kernel \"k\"\n.entry start\n.registers 64\n.function \"k\"\n%s.end\n", body);
	hd_object *object = hd_assemble(text.at, text.n, "t.hasm", &diag);
	if (!object)
		fail_msg("%s\n%s", diag.text.at, text.at);
	hd_text_free(&text);
	return object;
}

static hd_lifted lift(const hd_object *object, bool strip, const char *settings)
{
	hd_machine machine;
	hd_lifted lifted;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	if (settings && !hd_machine_set(&machine, settings, &diag))
		fail_msg("%s", diag.text.at);
	if (!hd_lift(object, &machine, strip, "t.hasm", &lifted, &diag))
		fail_msg("%s", diag.text.at);
	return lifted;
}

/* "0: iadd bra -> 2 1; 1: exit" */
static void expect_blocks(const char *body, bool strip, const char *settings, const char *expected)
{
	hd_object *object = assemble(body);
	hd_lifted lifted = lift(object, strip, settings);
	hd_text text = {0};
	const hd_ir_function *f = lifted.module->functions.at[0];
	for (size_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		assert_true(block->term != HD_TERM_EXIT || !block->succ.n);
		hd_text_printf(&text, "%s%zu:", b ? "; " : "", b);
		for (size_t i = 0; i < block->insts.n; i++)
			hd_text_printf(&text, " %s", hd_ops[block->insts.at[i]->op].mnemonic);
		for (size_t s = 0; s < block->succ.n; s++)
			hd_text_printf(&text, "%s%u", s ? " " : " -> ", block->succ.at[s]);
	}
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
	hd_lifted_free(&lifted);
	hd_object_free(object);
}

TEST(blocks_and_successors)
{
	expect_blocks("start: iadd r1, r2, r3\n@p0 bra end\niadd r1, r2, r3\nend: exit\n", false, NULL, "0: iadd bra -> 2 1; 1: iadd -> 2; 2: exit");
	expect_blocks("start: iadd r1, r2, r3\nbra start\n", false, NULL, "0: iadd bra -> 0");
	expect_blocks("start: @p0 exit\nexit\n", false, NULL, "0: exit -> 1; 1: exit");
	expect_blocks("start: @p0 ret\ntrap\n", false, NULL, "0: ret -> 1; 1: trap");
	expect_blocks("start: push end\n@p1 brk end\nnop\nend: sync\nexit\n", false, "divergence.mode=stack",
	              "0: push brk -> 2 1; 1: nop -> 2; 2: sync -> 3; 3: exit");
	expect_blocks("start: nop\nbar.sync 0\nexit\n", false, NULL, "0: nop bar exit");
	expect_blocks("start: nop\nbar.sync 0\nexit\n", false, "divergence.mode=barriers", "0: nop -> 1; 1: bar -> 2; 2: exit");
	expect_blocks("start: bssy 1\nbsync 1\nyield\nexit\n", false, "divergence.mode=barriers", "0: bssy bsync -> 1; 1: yield -> 2; 2: exit");
	/* A branch that no lane takes ends no block. */
	expect_blocks("start: nop\n@!pt bra start\nexit\n", false, NULL, "0: nop bra exit");
	/* Every listed target of an indirect jump. */
	expect_blocks("start: brx r1\n.target\na: nop\n.target\nb: exit\n", false, NULL, "0: brx -> 1 2; 1: nop -> 2; 2: exit");
}

TEST(instructions_that_only_carry_annotations_are_left_out)
{
	static const char body[] = "start: nop\niadd r1, r2, r3\nl: nop\n@!pt bra start\n@p0 nop\nhints 1, 0x11111111\n@p0 bra l\nexit\nnop\n";
	expect_blocks(body, false, NULL, "0: nop iadd -> 1; 1: nop bra nop hints bra -> 1 2; 2: exit");
	expect_blocks(body, true, NULL, "0: iadd -> 1; 1: nop bra -> 1 2; 2: exit");
}

TEST(orders_keep_their_instructions)
{
	hd_object *object = assemble("start: nop\na: stg.32 [r2:r3], r1\nnop\nb: nop\nexit\n.order a, b\n");
	hd_lifted lifted = lift(object, true, NULL);
	const hd_ir_block *block = lifted.module->functions.at[0]->blocks.at[0];
	assert_int_equal(block->insts.n, 3);
	assert_true(block->insts.at[0]->order_first && !block->insts.at[0]->order_second);
	assert_true(!block->insts.at[1]->order_first && block->insts.at[1]->order_second);
	assert_false(block->insts.at[2]->order_first || block->insts.at[2]->order_second);
	hd_lifted_free(&lifted);
	hd_object_free(object);
}

/* Instructions of every format come back as they were: lifted and emitted, the words are the same. */
TEST(every_format_comes_back)
{
	static const char body[] =
	    "start: s2r r0, tid.x {p6.w delay.coord 1}\n"
	    "@!p3 iadd r1, r2, #-3 {w000001}\nfadd r4, r5, #1.5\niadd r1, r2, c[0x40]\nimul64 r10:r11, r4:r5, c[0x48]\n"
	    "isetp.lt p1, r1, r2\nisetp.ge pt, r1, rz\nsel r3, r4, r5, !p2\nsel r3, r4, r5, pt\niaddc r6, r7, r8, p1, p2\n"
	    "iaddc r6, r7, r8, pt, pt\nplop p1, p2, !p3, pt, 27\nvote.all p4, r10, !p1\nmovi r12, 0xdeadbeef\n"
	    "ldg.64 r14:r15, [r2:r3+16]\nldg.128 r20:r23, [c[0x40]-4]\nstg.32 [r2:r3-8], r1.lu\nlds.s8 r1, [r2+4]\nsts.128 [r1], r20:r23\n"
	    "atomg.add.u32 r1, [r2:r3], r4\natomg.add.u64 r6:r7, [r2:r3], r4:r5\ncasg.64 r6:r7, [r2:r3], r4:r5, r8:r9\n"
	    "f2i.s32.f32.rz r1, r2\nshfl.bfly r1, r2, r3, r4\nbar.sync 3\nbar.arrive 2, r7\nmembar.gl\nfex2 r1, r2 {pass}\nmov rz, r1\n"
	    "setprio 3\nhints 2, 0x80000001\nexit\n";
	hd_object *object = assemble(body);
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	hd_lifted lifted = lift(object, false, NULL);
	hd_object *again = hd_emit_object(lifted.module, &machine, &diag);
	assert_int_equal(again->code.n, object->code.n);
	for (uint32_t word = 0; word < object->code.n; word++) {
		if (hd_object_begins(object, word))
			assert_int_equal(again->code.at[word], object->code.at[word]);
	}
	hd_object_free(again);
	hd_lifted_free(&lifted);
	hd_object_free(object);
}

TEST(what_lies_in_no_function_is_refused)
{
	static const struct {
		const char *text, *why;
	} rows[] = {{".function \"k\"\nexit\n.end\nexit\n", "word 2 lies in no function"},
	            {".function \"e\"\n.end\n.function \"k\"\nexit\n.end\n", "function e has no instructions"}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_lifted lifted;
		hd_diag diag = {0};
		hd_machine_default(&machine);
		hd_object *object = hd_assemble(rows[i].text, strlen(rows[i].text), "t.hasm", &diag);
		if (!object)
			fail_msg("%s", diag.text.at);
		assert_false(hd_lift(object, &machine, false, "t.hasm", &lifted, &diag));
		assert_non_null(strstr(diag.text.at, rows[i].why));
		hd_lifted_free(&lifted);
		hd_object_free(object);
		hd_diag_free(&diag);
	}
}

/* Code that nothing reaches may fall out of its function. Once, its block got a successor that was no block. */
TEST(code_that_nothing_reaches_may_fall_out)
{
	for (unsigned strip = 0; strip < 2; strip++) {
		expect_blocks("start: exit\ns2r r0, tid.x\nnop\n", strip, NULL, "0: exit; 1: s2r");
		expect_blocks("start: exit\n@p0 bra start\n", strip, NULL, "0: exit; 1: bra -> 0");
		expect_blocks("start: exit\n@p0 exit\n", strip, NULL, "0: exit; 1: exit");
		expect_blocks("start: exit\n@p0 trap\nnop\n", strip, NULL, "0: exit; 1: trap");
		expect_blocks("start: exit\n@p0 ret\n", strip, NULL, "0: exit; 1: ret");
	}
	expect_blocks("start: exit\n@!pt bra start\n", false, NULL, "0: exit; 1: bra");
	expect_blocks("start: exit\n@!pt bra start\n", true, NULL, "0: exit");
}

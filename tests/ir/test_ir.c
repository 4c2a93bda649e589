/* The IR: text round-trips, the validator refuses what breaks a promise, graph services. */
#include "ir/ir.h"
#include "../test.h"

static const char sample[] = ".file \"a \\22quoted\\22.cl\"\n"
                             ".data 0102030405060708090a0b0c0d0e0f10\n"
                             ".reloc 8 -16\n"
                             ".code_ref 0 f1 4\n"
                             ".kernel \"main\" @0:1:2\n"
                             ".frame 16 8\n"
                             ".source_name \"s::k<int>\"\n"
                             ".info 64 8 256 1 2 3\n"
                             ".param \"out\" 0 8 8 global 1 \"int *\" 3\n"
                             ".vregs 1 1 2 0 4\n"
                             "b0:\n"
                             "\ts2r{sreg=ctaid.x} %0 = @0:3:4\n"
                             "\tldg{sub=6 offset=-16} %4:4 = c[0x40]:2\n"
                             "\t@!%p3 fadd{mod=1} %1 = %4.3, 0x3f800000\n"
                             "\tisetp{cmp=lo} %p3 = %0, %1\n"
                             "\tiaddc %1, _ = %0, %1, %p3\n"
                             "\tsel %1 = %0, %1, _\n"
                             "\tmov64 %4.2:2 = %2:2\n"
                             "\tstl{sub=4} frame[0x8], %1\n"
                             "\tcall.f{to=2} %1 = %0, %2:2\n"
                             "\tfaddr %1 = f1\n"
                             "\tdp2 %1 = %0, %1, %0, %1\n"
                             "\tbar{offset=1} _\n"
                             "\t.branch !%p3 b0 b1 @0:9:1\n"
                             "b1:\n"
                             "\t.switch %0 b2 b2 b0\n"
                             "b2:\n"
                             "\t.exit\n"
                             ".function \"f\"\n"
                             ".address_taken\n"
                             ".vregs 1 2\n"
                             ".params %0, %1:2\n"
                             ".results %0\n"
                             "b0:\n"
                             "\t.ret\n"
                             ".function \"g\"\n"
                             ".allocated 6\n"
                             ".laid_out\n"
                             "b0: meets\n"
                             "\t@!p3 iadd{primary=2 release=1 wait=5 hint=1 delay=3 second=161 lu=1} r2 = ^r3, r255\n"
                             "\tbra{to=1}\n"
                             "\t.trap\n";

static hd_ir_module *parse(const char *text, hd_diag *diag) { return hd_ir_parse(text, strlen(text), "t.ir", diag); }

TEST(test_round_trip)
{
	hd_diag diag = {0};
	hd_text out = {0};
	hd_ir_module *module = parse(sample, &diag);
	if (module == NULL)
		fail_msg("%s", diag.text.at);
	hd_ir_print(module, &out);
	assert_string_equal(out.at, sample);
	assert_int_equal(module->functions.at[0]->blocks.at[0]->insts.at[8]->callee, 1);
	hd_ir_module_free(module);
	hd_text_free(&out);
	hd_diag_free(&diag);
}

/* Cut or spoil the sample anywhere: an error or a module, never a crash. */
TEST(test_hostile_text)
{
	uint64_t seed = 1;
	char text[sizeof sample];
	for (unsigned i = 0; i < 20000; i++) {
		hd_diag diag = {0};
		size_t size = i < sizeof sample ? i : sizeof sample - 1;
		memcpy(text, sample, sizeof sample);
		if (i >= sizeof sample)
			for (unsigned k = 0; k < 1 + i % 3; k++)
				text[hd_random(&seed) % size] = i & 1 ? (char)hd_random(&seed) : sample[hd_random(&seed) % size];
		hd_ir_module *module = hd_ir_parse(text, size, "t.ir", &diag);
		assert_true((module == NULL) == (diag.errors > 0));
		hd_ir_module_free(module);
		hd_diag_free(&diag);
	}
}

static void expect_error(const char *text, const char *message)
{
	hd_diag diag = {0};
	hd_ir_module *module = parse(text, &diag);
	assert_null(module);
	if (strstr(diag.text.at, message) == NULL)
		fail_msg("no '%s' in: %s", message, diag.text.at);
	hd_diag_free(&diag);
}

#define KERNEL(vregs, body) ".kernel \"k\"\n.vregs " vregs "\nb0:\n" body "\n.exit\n"

TEST(test_validator)
{
	expect_error(KERNEL("1 1", "iadd %0 = %1"), "expected 1 and 2");
	expect_error(KERNEL("1 1", "iadd %0 = %1, %7"), "virtual register 7");
	expect_error(KERNEL("1 2", "iadd %0 = %0, %1:2"), "2 words, 1 expected");
	expect_error(KERNEL("1 2", "iadd %0 = %0, %1.2"), "takes words 2..2");
	expect_error(KERNEL("4 2", "mov64 %0.1:2 = %1:2"), "takes words 1..2");
	expect_error(KERNEL("1 0", "iadd %0 = %0, %p1"), "is a predicate");
	expect_error(KERNEL("1 0", "@%p0 iadd %0 = %0, %0"), "no predicate");
	expect_error(KERNEL("1 0", "iadd %0 = %0, _"), "missing");
	expect_error(KERNEL("1 0", "isetp{cmp=nan} %p1 = %0, %0"), "comparison");
	expect_error(KERNEL("1 0", "fsetp{cmp=lo} %p1 = %0, %0"), "comparison");
	expect_error(KERNEL("1 0", "ldc{sub=7} %0 = 0x0"), "out of range");
	expect_error(KERNEL("1 0", "iadd %0 = %0, 0x100000000"), "wider");
	expect_error(KERNEL("1 0", "iadd %0 = %0, c[0x80b0]"), "constant bank");
	expect_error(KERNEL("1 0", "call.f{to=1} %0 ="), "call of kernel");
	expect_error(KERNEL("1 0", "bra{to=1}"), "before layout");
	expect_error(KERNEL("1 0", "sync\niadd %0 = %0, %0"), "sync in the middle of a block"); /* annotation would know of no resume point (RC-16) */
	expect_error(KERNEL("1 0", "bsync{offset=1}\niadd %0 = %0, %0"), "bsync in the middle of a block");
	expect_error(KERNEL("1 0", "yield\niadd %0 = %0, %0"), "yield in the middle of a block");
	expect_error(KERNEL("3", ""), "virtual register 0 has 3 words");
	expect_error(".kernel \"k\"\nb0:\n.jump b1\n", "successor 1");
	expect_error(".kernel \"k\"\nb0:\n.branch _ b0 b0\n", "no predicate");
	expect_error(".kernel \"k\"\n.allocated 4\nb0:\nmov64 r3:2 = r4:2\n.exit\n", "misaligned");
	expect_error(".kernel \"k\"\n", "no blocks");
	expect_error(".kernel \"k\"\nb0:\n", "no terminator");
	expect_error(".bogus\n", "t.ir:1:");
}

TEST(test_graph)
{
	/* 0 -> 1; 1: outer header -> 2, 5; 2 inner self loop -> 3; 3 <-> 4 entered at both: irreducible; 4 -> 1; 6 unreachable. */
	static const char text[] = ".kernel \"k\"\n.vregs 0 1\nb0:\n.jump b1\nb1:\n.branch %p0 b2 b5\nb2:\n.switch %1 b2 b3 b4\nb3:\n.jump b4\nb4:\n"
	                           ".branch %p0 b3 b1\nb5:\n.exit\nb6:\n.jump b5\n";
	static const uint32_t depth[] = {0, 1, 2, 2, 2, 0, 0};
	hd_diag diag = {0};
	hd_ir_module *module = parse(text, &diag);
	assert_non_null(module);
	hd_ir_function *f = module->functions.at[0];
	hd_ir_link(f);
	hd_ir_loops(f);
	for (unsigned b = 0; b < 7; b++)
		assert_int_equal(f->blocks.at[b]->loop_depth, depth[b]);
	assert_int_equal(f->blocks.at[1]->pred_blocks.n, 2);
	assert_int_equal(f->blocks.at[5]->pred_blocks.n, 2);
	uint32_t count, *order = hd_ir_rpo(f, &count);
	assert_int_equal(count, 6);
	assert_int_equal(order[0], 0);
	assert_int_equal(order[1], 1);
	free(order);
	hd_ir_module_free(module);
	hd_diag_free(&diag);
}

/* A pass that rewrites a block: the new list is the block's, the given one is empty and can be filled again. */
TEST(test_rewriting_a_block)
{
	hd_ir_module *m = hd_ir_module_new();
	hd_ir_function *f = hd_ir_function_new(m, "f");
	uint32_t b = hd_ir_block_new(m, f);
	hd_ir_block *block = f->blocks.at[b];
	hd_ir_insts insts = {0};
	for (unsigned round = 1; round <= 3; round++) {
		hd_ir_inst *last = NULL;
		for (unsigned i = 0; i < round * 10; i++)
			hd_vec_push(&insts, last = hd_ir_inst_new(m, HD_OP_NOP, 0, 0));
		hd_ir_replace_insts(block, &insts);
		assert_int_equal(block->insts.n, round * 10);
		assert_ptr_equal(block->insts.at[round * 10 - 1], last);
		assert_true(insts.at == NULL && insts.n == 0 && insts.cap == 0);
	}
	hd_ir_module_free(m);
}

TEST(test_operands)
{
	assert_int_equal(hd_size_bytes(hd_size_of_words(1)), 4);
	assert_int_equal(hd_size_bytes(hd_size_of_words(2)), 8);
	assert_int_equal(hd_size_bytes(hd_size_of_words(4)), 16);
	for (unsigned kind = HD_OPD_NONE; kind <= HD_OPD_FUNC; kind++)
		assert_int_equal(hd_opd_is_register(&(hd_opd){.kind = (uint8_t)kind}), kind == HD_OPD_REG || kind == HD_OPD_PRED);
}

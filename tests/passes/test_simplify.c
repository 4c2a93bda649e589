/* Simplification: never changes what a program computes (random programs against the evaluator), and does what it is there for. */
#include "evaluate.h"
#include "../run_pass.h"
#include "passes/simplify/simplify.h"
#include "../test.h"

static const unsigned ops[] = {HD_OP_MOV,    HD_OP_MOV,    HD_OP_MOV64,  HD_OP_MOV64, HD_OP_MOVI, HD_OP_IADD,  HD_OP_ISUB,   HD_OP_IMUL,
                               HD_OP_AND,    HD_OP_OR,     HD_OP_XOR,    HD_OP_SHL,   HD_OP_SHRU, HD_OP_SHRS,  HD_OP_IMAD,   HD_OP_IMULWU,
                               HD_OP_IADD64, HD_OP_ISUB64, HD_OP_IMUL64, HD_OP_AND64, HD_OP_OR64, HD_OP_SHL64, HD_OP_SHRU64, HD_OP_SEL,
                               HD_OP_SEL64,  HD_OP_ISETP,  HD_OP_PLOP,   HD_OP_IADDC, HD_OP_FNEG, HD_OP_FADD,  HD_OP_FSUB,   HD_OP_FFMA,
                               HD_OP_FMUL,   HD_OP_DNEG,   HD_OP_DADD,   HD_OP_DSUB,  HD_OP_DFMA, HD_OP_BFEU,  HD_OP_FSHLW};

enum { REGS = 24, PREDS = 4, LENGTH = 40 };

static uint64_t random_imm(uint64_t *seed, unsigned words)
{
	static const uint64_t some[] = {0, 1, 2, 8, 31, 32, 63, 64, 0xffffffff, 0x80000000, UINT64_MAX, 0x3f800000, 0xbf800000, 0xffff};
	uint64_t value = hd_random(seed) % 4 ? some[hd_random(seed) % HD_COUNT(some)] : hd_random(seed);
	return words == 1 ? (uint32_t)value : value;
}

/* Registers 0 to 7 pairs, 8 to 23 single, then predicates, of which registers beyond the second half are written once at most. */
static hd_opd random_reg(uint64_t *seed, unsigned words)
{
	uint64_t r = hd_random(seed);
	if (words == 0)
		return hd_opd_pred(REGS + (uint32_t)(r % PREDS), r >> 32 & 1);
	if (words == 2)
		return hd_opd_reg((uint32_t)(r % 8), 2);
	return r >> 40 & 3 ? hd_opd_reg(8 + (uint32_t)(r % 16), 1) : hd_opd_sub((uint32_t)(r % 8), (unsigned)(r >> 32 & 1), 1);
}

static hd_opd fresh(hd_ir_function *f, unsigned words)
{
	uint32_t v = hd_ir_vreg_new(f, words);
	return words ? hd_opd_reg(v, words) : hd_opd_pred(v, false);
}

/* One of the registers made so far that has these words, most often a late one. */
static hd_opd earlier(uint64_t *seed, const hd_ir_function *f, unsigned words)
{
	for (unsigned t = 0; t < 6; t++) {
		uint32_t back = (uint32_t)(hd_random(seed) % 10) + 1, v;
		if (f->vregs.n < REGS + PREDS + back)
			continue;
		v = (uint32_t)f->vregs.n - back;
		if (f->vregs.at[v].words == words)
			return words ? hd_opd_reg(v, words) : hd_opd_pred(v, hd_random(seed) & 1);
		if (words == 1 && f->vregs.at[v].words == 2)
			return hd_opd_sub(v, hd_random(seed) & 1, 1);
	}
	return random_reg(seed, words);
}

static void add_random(uint64_t *seed, hd_ir_module *m, hd_ir_function *f)
{
	unsigned op = ops[hd_random(seed) % HD_COUNT(ops)];
	hd_ir_shape shape;
	hd_ir_inst probe = {.op = (uint16_t)op};
	hd_ir_shape_of(&probe, &shape);
	hd_ir_inst *inst = hd_ir_inst_new(m, op, shape.nd, shape.ns);
	if (op == HD_OP_ISETP)
		inst->sub = (uint8_t)(hd_random(seed) % (HD_CMP_HS + 1));
	if (op == HD_OP_PLOP)
		inst->sub = hd_random(seed) & 1 ? 0x0f : 0xf0;
	if (hd_ops[op].flags & HD_OPF_RND)
		inst->mod = (uint8_t)(hd_random(seed) % 4);
	for (unsigned i = 0; i < shape.ns; i++) {
		uint64_t kind = hd_random(seed) % 8;
		if (op == HD_OP_MOVI || (shape.s[i] && kind == 0))
			inst->s[i] = hd_opd_imm(random_imm(seed, shape.s[i]), shape.s[i]);
		else if (shape.s[i] && kind == 1)
			inst->s[i] = hd_opd_const(64 + 8 * (uint32_t)(hd_random(seed) % 8), shape.s[i]);
		else if (kind < 6)
			inst->s[i] = earlier(seed, f, shape.s[i]);
		else
			inst->s[i] = random_reg(seed, shape.s[i]);
		if (hd_ops[op].format == HD_F_CARRY && shape.s[i] == 0)
			inst->s[i].neg = false;
	}
	bool once = hd_random(seed) % 4 != 0;
	for (unsigned i = 0; i < shape.nd; i++) {
		inst->d[i] = once ? fresh(f, shape.d[i]) : random_reg(seed, shape.d[i]);
		inst->d[i].neg = false;
	}
	if (!once && hd_random(seed) % 3 == 0)
		inst->guard = random_reg(seed, 0);
	hd_vec_push(&f->blocks.at[0]->insts, inst);
}

static void run_and_hash(const hd_ir_module *m, uint64_t seed, uint64_t *result)
{
	const hd_ir_function *f = m->functions.at[0];
	evaluator *e = evaluator_new(f);
	uint64_t inputs = seed;
	for (unsigned v = 0; v < REGS; v++)
		for (unsigned w = 0; w < 2; w++)
			for (unsigned i = 0; i < HD_LANES; i++)
				e->regs[v][w].v[i] =
				    hd_random(&inputs) & 1 ? 0x3f000000 + (uint32_t)(hd_random(&inputs) & 0xffffff) : (uint32_t)hd_random(&inputs);
	for (unsigned p = 0; p < PREDS; p++)
		e->preds[REGS + p] = (uint32_t)hd_random(&inputs);
	for (unsigned c = 0; c < HD_CONST_WORDS; c++) {
		uint32_t value = (uint32_t)hd_random(&inputs);
		for (unsigned i = 0; i < HD_LANES; i++)
			e->bank[c].v[i] = value;
	}
	evaluator_run(e, f->blocks.at[0]);
	*result = 0;
	for (size_t k = 0; k < f->results.n; k++)
		for (unsigned w = 0; w < f->results.at[k].words; w++)
			for (unsigned i = 0; i < HD_LANES; i++)
				*result = (*result ^ e->regs[f->results.at[k].reg][w].v[i]) * UINT64_C(0x100000001b3) + 1;
	evaluator_free(e);
}

TEST(test_random_programs_compute_the_same)
{
	size_t before = 0, after = 0;
	for (uint64_t n = 0; n < 3000; n++) {
		uint64_t seed = n, want, got;
		hd_diag diag = {0};
		hd_ir_module *m = hd_ir_module_new();
		hd_ir_function *f = hd_ir_function_new(m, "f");
		hd_ir_block_new(m, f);
		f->blocks.at[0]->term = HD_TERM_RET;
		for (unsigned v = 0; v < REGS + PREDS; v++)
			hd_ir_vreg_new(f, v < 8 ? 2 : v < REGS ? 1 : 0);
		/* Inputs are parameters; some are results, too, and with them late registers. */
		for (unsigned v = 0; v < REGS; v++)
			hd_vec_push(&f->params, hd_opd_reg(v, v < 8 ? 2 : 1));
		for (unsigned i = 0; i < LENGTH; i++)
			add_random(&seed, m, f);
		for (unsigned v = 0; v < REGS; v += 3)
			hd_vec_push(&f->results, hd_opd_reg(v, v < 8 ? 2 : 1));
		for (size_t v = REGS + PREDS; v < f->vregs.n; v += 2)
			if (f->vregs.at[v].words)
				hd_vec_push(&f->results, hd_opd_reg((uint32_t)v, f->vregs.at[v].words));
		if (!hd_ir_validate(m, &diag))
			fail_msg("%s", diag.text.at);
		hd_text was = {0}, is = {0};
		hd_ir_print(m, &was);
		run_and_hash(m, n, &want);
		before += f->blocks.at[0]->insts.n;
		run_pass(hd_pass_simplify, m, NULL);
		after += f->blocks.at[0]->insts.n;
		run_and_hash(m, n, &got);
		hd_ir_print(m, &is);
		if (want != got)
			fail_msg("program %u\n%s\nbecame\n%s", (unsigned)n, was.at, is.at);
		hd_text_free(&was);
		hd_text_free(&is);
		hd_ir_module_free(m);
	}
	assert_true(after < before);
}

static void expect(const char *text, const char *expected)
{
	hd_diag diag = {0};
	hd_text out = {0};
	hd_ir_module *m = hd_ir_parse(text, strlen(text), "t.ir", &diag);
	if (m == NULL)
		fail_msg("%s", diag.text.at);
	run_pass(hd_pass_simplify, m, NULL);
	for (size_t b = 0; b < m->functions.at[0]->blocks.n; b++) {
		const hd_ir_block *block = m->functions.at[0]->blocks.at[b];
		hd_text_printf(&out, "b%zu:\n", b);
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_print_inst(block->insts.at[k], false, &out);
			hd_text_printf(&out, "\n");
		}
	}
	assert_string_equal(out.at, expected);
	hd_text_free(&out);
	hd_ir_module_free(m);
}

#define KERNEL ".kernel \"k\"\n.vregs 1 1 1 1 2 2 2 2 0 0\nb0:\n"

TEST(test_addresses)
{
	expect(KERNEL "mov64 %4:2 = c[0x40]:2\niadd64 %5:2 = %4:2, 0x10:2\niadd64 %6:2 = %5:2, 0x8:2\nldg{sub=4 offset=4} %0 = %6:2\n"
	              "stg{sub=4} %5:2, %0\n.exit\n",
	       "b0:\nmov64 %4:2 = c[0x40]:2\nldg{sub=4 offset=28} %0 = c[0x40]:2\nstg{sub=4 offset=16} %4:2, %0\n");
}

/* A copy in a loop of something that changes there is not looked through where it does not dominate. */
TEST(test_loop_carried_copy_stays)
{
	expect(KERNEL "mov %0 = 0x0\n.jump b1\nb1:\nmov %1 = %0\niadd %0 = %0, 0x1\nstl{sub=4} %1, %1\nisetp{cmp=lt} %p8 = %0, 0xa\n.branch %p8 b1 "
	              "b2\nb2:\n.exit\n",
	       "b0:\nmov %0 = 0x0\nb1:\nmov %1 = %0\niadd %0 = %0, 0x1\nstl{sub=4} %1, %1\nisetp{cmp=lt} %p8 = %0, 0xa\nb2:\n");
}

TEST(test_use_before_definition_is_no_value)
{
	expect(KERNEL ".jump b1\nb1:\nstl{sub=4} %1, %1\nmov %1 = 0x4\nisetp{cmp=lt} %p8 = %2, 0xa\n.branch %p8 b1 b2\nb2:\n.exit\n",
	       "b0:\nb1:\nstl{sub=4} %1, %1\nmov %1 = 0x4\nisetp{cmp=lt} %p8 = %2, 0xa\nb2:\n");
}

TEST(test_blocks)
{
	expect(KERNEL "s2r{sreg=tid.x} %0 =\n.jump b1\nb1:\n.jump b2\nb2:\nstl{sub=4} %0, %0\n.exit\nb3:\n.jump b1\n",
	       "b0:\ns2r{sreg=tid.x} %0 =\nstl{sub=4} %0, %0\n");
}

TEST(test_effects_stay)
{
	expect(KERNEL "ldg{sub=4} %0 = c[0x40]:2\nldg{sub=4 mod=3} %1 = c[0x40]:2\natomg{sub=0} _ = c[0x40]:2, 0x1\ns2r{sreg=clock} %2 "
	              "=\ns2r{sreg=clock} %3 =\n"
	              "stl{sub=4} %2, %3\n.exit\n",
	       "b0:\nldg{sub=4 mod=3} %1 = c[0x40]:2\natomg _ = c[0x40]:2, 0x1\ns2r{sreg=clock} %2 =\ns2r{sreg=clock} %3 =\nstl{sub=4} %2, %3\n");
}

TEST(test_negated_conditions)
{
	expect(KERNEL "isetp{cmp=lt} %p8 = %0, 0xa\nplop{sub=15} %p9 = %p8, _, _\n.branch %p9 b1 b2\nb1:\nstl{sub=4} %0, %0\n.jump b2\nb2:\n.exit\n",
	       "b0:\nisetp{cmp=lt} %p8 = %0, 0xa\nb1:\nstl{sub=4} %0, %0\nb2:\n");
}

TEST(test_common_subexpressions)
{
	expect(KERNEL "s2r{sreg=tid.x} %0 =\ns2r{sreg=tid.x} %1 =\nstl{sub=4} %0, %1\n.exit\n", "b0:\ns2r{sreg=tid.x} %0 =\nstl{sub=4} %0, %0\n");
}

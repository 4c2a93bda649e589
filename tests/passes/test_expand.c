/* LU-1: pseudo operations become sub-instructions, and compute what they should: float division and square root correctly rounded in all modes
 * (against the host), integer division and remainder exactly (docs/division.md). */
#include "evaluate.h"
#include "../run_pass.h"
#include "passes/lower/expand.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* One instruction, expanded: registers 0, 1 are the sources, 2 is the destination. */
typedef struct program {
	hd_ir_module *module;
	evaluator *e;
} program;

static program build(unsigned op, unsigned mod, unsigned words, unsigned sources)
{
	program p = {.module = hd_ir_module_new()};
	hd_ir_function *f = hd_ir_function_new(p.module, "f");
	hd_ir_block_new(p.module, f);
	for (unsigned i = 0; i < 3; i++)
		hd_ir_vreg_new(f, words);
	hd_ir_inst *inst = hd_ir_inst_new(p.module, op, 1, sources);
	inst->mod = (uint8_t)mod;
	inst->d[0] = hd_opd_reg(2, words);
	for (unsigned i = 0; i < sources; i++)
		inst->s[i] = hd_opd_reg(i, words);
	hd_vec_push(&f->blocks.at[0]->insts, inst);
	f->blocks.at[0]->term = HD_TERM_EXIT;
	run_pass(hd_pass_expand, p.module, NULL);
	p.e = evaluator_new(f);
	return p;
}

static void run(program *p) { evaluator_run(p->e, p->module->functions.at[0]->blocks.at[0]); }

static void release(program *p)
{
	evaluator_free(p->e);
	hd_ir_module_free(p->module);
}

static uint64_t get(const program *p, unsigned reg, unsigned lane, unsigned words)
{
	return p->e->regs[reg][0].v[lane] | (words == 2 ? (uint64_t)p->e->regs[reg][1].v[lane] << 32 : 0);
}

static void set(program *p, unsigned reg, unsigned lane, uint64_t value)
{
	p->e->regs[reg][0].v[lane] = (uint32_t)value;
	p->e->regs[reg][1].v[lane] = (uint32_t)(value >> 32);
}

static uint64_t random_float(uint64_t *seed, unsigned words)
{
	static const uint32_t edges[] = {0,          1,          2,          0x7fffff,   0x800000,   0x800001,   0x3f800000,
	                                 0x3f7fffff, 0x3f800001, 0x3fffffff, 0x3ffffffe, 0x40000000, 0x407fffff, 0x40800001,
	                                 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f000000, 0x00ffffff, 0x34000000};
	uint64_t r = hd_random(seed), sign = hd_random(seed) & 1, kind = hd_random(seed) % 8;
	if (words == 1) {
		if (kind == 0)
			return edges[r % HD_COUNT(edges)] | sign << 31;
		if (kind == 1) /* near one: the hard cases of rounding */
			return (0x3f800000u + (uint32_t)(r & 1 ? r % 64 : 0 - r % 64)) ^ sign << 31;
		if (kind < 4)
			return (uint32_t)(0x3f000000 | (r & 0xffffff)) | sign << 31;
		return (uint32_t)r;
	}
	if (kind == 0) {
		uint32_t e = edges[r % HD_COUNT(edges)];
		uint64_t exponent = (e >> 23) == 255 ? 2047 : e >> 23 ? (e >> 23) - 127 + 1023 : 0;
		uint64_t mantissa = (e & 0x7fffff) == 0x7fffff ? (UINT64_C(1) << 52) - 1 : e & 0x7fffff;
		return exponent << 52 | mantissa | sign << 63;
	}
	if (kind == 1)
		return (UINT64_C(0x3ff0000000000000) + (r & 1 ? r % 64 : 0 - r % 64)) ^ sign << 63;
	if (kind < 4)
		return UINT64_C(0x3fe0000000000000) | (r & (UINT64_C(0x1fffffffffffff))) | sign << 63;
	return r;
}

static uint32_t bits32(float f)
{
	uint32_t b;
	memcpy(&b, &f, 4);
	return f != f ? 0x7fffffffu : b;
}

static uint64_t bits64(double d)
{
	uint64_t b;
	memcpy(&b, &d, 8);
	return d != d ? UINT64_C(0x7fffffffffffffff) : b;
}

static uint64_t host(unsigned op, uint64_t a, uint64_t b)
{
	volatile float x, y, z;
	volatile double u, v, w;
	uint32_t low = (uint32_t)a, other = (uint32_t)b;
	memcpy((void *)&x, &low, 4);
	memcpy((void *)&y, &other, 4);
	memcpy((void *)&u, &a, 8);
	memcpy((void *)&v, &b, 8);
	switch (op) {
	case HD_IR_FDIV:
		z = x / y;
		return bits32(z);
	case HD_IR_FRCPR:
		z = 1.0f / x;
		return bits32(z);
	case HD_IR_FSQRT:
		z = sqrtf(x);
		return bits32(z);
	case HD_IR_DDIV:
		w = u / v;
		return bits64(w);
	case HD_IR_DRCP:
		w = 1.0 / u;
		return bits64(w);
	default:
		w = sqrt(u);
		return bits64(w);
	}
}

static void check_float(unsigned op, unsigned words, unsigned sources)
{
	static const int modes[] = {[HD_RN] = FE_TONEAREST, [HD_RZ_] = FE_TOWARDZERO, [HD_RM] = FE_DOWNWARD, [HD_RP] = FE_UPWARD};
	uint64_t seed = op;
	for (unsigned mod = 0; mod < 4; mod++) {
		program p = build(op, mod, words, sources);
		for (unsigned round = 0; round < 4000; round++) {
			uint64_t a[HD_LANES], b[HD_LANES];
			for (unsigned i = 0; i < HD_LANES; i++) {
				set(&p, 0, i, a[i] = random_float(&seed, words));
				set(&p, 1, i, b[i] = random_float(&seed, words));
			}
			run(&p);
			fesetround(modes[mod]);
			uint64_t want[HD_LANES];
			for (unsigned i = 0; i < HD_LANES; i++)
				want[i] = host(op, a[i], b[i]);
			fesetround(FE_TONEAREST);
			for (unsigned i = 0; i < HD_LANES; i++)
				if (get(&p, 2, i, words) != want[i])
					fail_msg("%s mode %u of %llx, %llx: %llx, expected %llx", hd_ir_info(op)->mnemonic, mod,
					         (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)get(&p, 2, i, words),
					         (unsigned long long)want[i]);
		}
		release(&p);
	}
}

static void test_LU_1_float_division(void **state)
{
	check_float(HD_IR_FDIV, 1, 2);
	check_float(HD_IR_FRCPR, 1, 1);
	check_float(HD_IR_DDIV, 2, 2);
	check_float(HD_IR_DRCP, 2, 1);
}

static void test_LU_1_square_root(void **state)
{
	check_float(HD_IR_FSQRT, 1, 1);
	check_float(HD_IR_DSQRT, 2, 1);
}

/* The divisors and dividends next to powers of two, and the divisor whose reciprocal is nearest to a midpoint. */
static void test_LU_1_hard_quotients(void **state)
{
	program p = build(HD_IR_DDIV, HD_RN, 2, 2);
	for (unsigned k = 0; k < 64; k++) {
		for (unsigned i = 0; i < HD_LANES; i++) {
			set(&p, 0, i, UINT64_C(0x3ff0000000000000) + (i < 24 ? i * k : i - 16));
			set(&p, 1, i, UINT64_C(0x4000000000000000) - 1 - k);
		}
		run(&p);
		for (unsigned i = 0; i < HD_LANES; i++)
			assert_true(get(&p, 2, i, 2) == host(HD_IR_DDIV, get(&p, 0, i, 2), get(&p, 1, i, 2)));
	}
	release(&p);
}

static uint64_t random_integer(uint64_t *seed, unsigned bits)
{
	uint64_t r = hd_random(seed), width = hd_random(seed) % bits + 1, kind = hd_random(seed) % 4;
	uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, value = r & mask;
	if (kind == 0)
		value = mask + 1 - r % 3; /* around a power of two */
	if (kind == 1)
		value = 0 - (r & mask); /* small negatives */
	return bits == 64 ? value : (uint32_t)value;
}

static uint64_t integer_result(unsigned op, uint64_t a, uint64_t b)
{
	int32_t sa = (int32_t)(uint32_t)a, sb = (int32_t)(uint32_t)b;
	int64_t la = (int64_t)a, lb = (int64_t)b;
	switch (op) {
	case HD_IR_UDIV:
		return b ? (uint32_t)a / (uint32_t)b : UINT32_MAX;
	case HD_IR_UREM:
		return b ? (uint32_t)a % (uint32_t)b : (uint32_t)a;
	case HD_IR_SDIV:
		return (uint32_t)(sb == -1 ? (int32_t)(0u - (uint32_t)sa) : sa / sb);
	case HD_IR_SREM:
		return (uint32_t)(sb == -1 ? 0 : sa % sb);
	case HD_IR_UDIV64:
		return b ? a / b : UINT64_MAX;
	case HD_IR_UREM64:
		return b ? a % b : a;
	case HD_IR_SDIV64:
		return lb == -1 ? 0 - a : (uint64_t)(la / lb);
	default:
		return lb == -1 ? 0 : (uint64_t)(la % lb);
	}
}

static void test_LU_1_integer_division(void **state)
{
	for (unsigned op = HD_IR_UDIV; op <= HD_IR_SREM64; op++) {
		unsigned words = op >= HD_IR_UDIV64 ? 2 : 1;
		bool with_sign = op == HD_IR_SDIV || op == HD_IR_SREM || op == HD_IR_SDIV64 || op == HD_IR_SREM64;
		uint64_t seed = op;
		program p = build(op, 0, words, 2);
		for (unsigned round = 0; round < 8000; round++) {
			for (unsigned i = 0; i < HD_LANES; i++) {
				uint64_t b = random_integer(&seed, 32 * words), a = random_integer(&seed, 32 * words);
				if (round % 4 == 1) /* around a multiple: where corrections decide */
					a = b * random_integer(&seed, 16) - hd_random(&seed) % 3 + 1;
				set(&p, 0, i, words == 2 ? a : (uint32_t)a);
				set(&p, 1, i, b == 0 && with_sign ? 1 : b);
			}
			run(&p);
			for (unsigned i = 0; i < HD_LANES; i++) {
				uint64_t a = get(&p, 0, i, words), b = get(&p, 1, i, words), got = get(&p, 2, i, words),
				         want = integer_result(op, a, b);
				if (got != want)
					fail_msg("%s of %llx, %llx: %llx, expected %llx", hd_ir_info(op)->mnemonic, (unsigned long long)a,
					         (unsigned long long)b, (unsigned long long)got, (unsigned long long)want);
			}
		}
		release(&p);
	}
}

static void expect_text(const char *body, const char *expected)
{
	hd_diag diag = {0};
	hd_text in = {0}, out = {0};
	hd_text_put(&out, "", 0);
	hd_text_printf(&in, ".function \"f\"\n.vregs 1 1 1 1 1 1 1 1 1 0\nb0:\n%s\n.ret\n", body);
	hd_ir_module *module = hd_ir_parse(in.at, in.n, "t.ir", &diag);
	if (module == NULL)
		fail_msg("%s", diag.text.at);
	run_pass(hd_pass_expand, module, NULL);
	const hd_ir_block *block = module->functions.at[0]->blocks.at[0];
	for (size_t i = 0; i < block->insts.n; i++) {
		hd_ir_print_inst(block->insts.at[i], false, &out);
		hd_text_printf(&out, "\n");
	}
	assert_string_equal(out.at, expected);
	hd_ir_module_free(module);
	hd_text_free(&in);
	hd_text_free(&out);
}

/* The source's example, in its order. */
static void test_LU_1_dp4(void **state)
{
	expect_text("@!%p9 dp4{mod=3} %8 = %0, %1, %2, %3, %4, %5, %6, %7",
	            "fmul{mod=3} %10 = %0, %4\nfmul{mod=3} %11 = %1, %5\nffma{mod=3} %12 = %2, %6, %10\nffma{mod=3} %13 = %3, %7, %11\n"
	            "@!%p9 fadd{mod=3} %8 = %12, %13\n");
	expect_text("dp2 %0 = %0, %1, %2, %3", "fmul %10 = %0, %2\nffma %0 = %1, %3, %10\n");
	expect_text("dp3 _ = %0, %1, %2, %3, %4, %5", "");
}

static void test_LU_1_norm3(void **state)
{
	expect_text("norm3 %1, %2, %0 = %0, %1, %2",
	            "fmul %10 = %0, %0\nffma %11 = %1, %1, %10\nffma %12 = %2, %2, %11\nfrsq %13 = %12\n"
	            "fsetp{cmp=eq} %p14 = %12, 0x0\nsel %15 = 0x0, %13, %p14\nfmul %16 = %0, %15\nfmul %17 = %1, %15\n"
	            "fmul %18 = %2, %15\nmov %1 = %16\nmov %2 = %17\nmov %0 = %18\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_LU_1_dp4),         cmocka_unit_test(test_LU_1_norm3),          cmocka_unit_test(test_LU_1_float_division),
	    cmocka_unit_test(test_LU_1_square_root), cmocka_unit_test(test_LU_1_hard_quotients), cmocka_unit_test(test_LU_1_integer_division),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

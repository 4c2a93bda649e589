/* Float operations against exact arithmetic rounded once, in every rounding mode. */
#include "exact.h"
#include "lanes.h"

static void fill(lanes *in, uint64_t *seed, unsigned round)
{
	for (unsigned i = 0; i < HD_LANES; i++) {
		in->a[i] = any_operand(seed);
		in->b[i] = round % 3 == 1 ? in->a[i] ^ (hd_random(seed) & 0x800000008000000f) : any_operand(seed);
		in->c[i] = any_operand(seed);
	}
	in->mask = round % 2 ? (uint32_t)hd_random(seed) : UINT32_MAX;
	in->p[0] = in->p[1] = in->p[2] = 0;
}

static bool ordered_less(format f, uint64_t a, uint64_t b, bool or_equal)
{
	if (is_nan(f, a) || is_nan(f, b))
		return false;
	bool na = is_negative(f, a), nb = is_negative(f, b);
	uint64_t ma = a & (sign_bit(f) - 1), mb = b & (sign_bit(f) - 1);
	if (ma == 0 && mb == 0)
		return or_equal;
	if (na != nb)
		return na;
	return ma == mb ? or_equal : na ? ma > mb : ma < mb;
}

static bool compares(format f, unsigned cmp, uint64_t a, uint64_t b)
{
	bool nan = is_nan(f, a) || is_nan(f, b), lt = ordered_less(f, a, b, false), le = ordered_less(f, a, b, true),
	     gt = ordered_less(f, b, a, false);
	bool ge = ordered_less(f, b, a, true), eq = le && ge;
	switch (cmp) {
	case HD_CMP_EQ:
		return eq;
	case HD_CMP_NE:
		return !nan && !eq;
	case HD_CMP_LT:
		return lt;
	case HD_CMP_LE:
		return le;
	case HD_CMP_GT:
		return gt;
	case HD_CMP_GE:
		return ge;
	case HD_CMP_EQU:
		return nan || eq;
	case HD_CMP_NEU:
		return nan || !eq;
	case HD_CMP_LTU:
		return nan || lt;
	case HD_CMP_LEU:
		return nan || le;
	case HD_CMP_GTU:
		return nan || gt;
	case HD_CMP_GEU:
		return nan || ge;
	case HD_CMP_NUM:
		return !nan;
	default:
		return nan;
	}
}

static bool has_class(format f, unsigned which, uint64_t a)
{
	uint64_t m = a & (sign_bit(f) - 1), least = UINT64_C(1) << f.mantissa;
	switch (which) {
	case HD_FC_FINITE:
		return m < inf_bits(f);
	case HD_FC_INFINITE:
		return m == inf_bits(f);
	case HD_FC_NUMBER:
		return m <= inf_bits(f);
	case HD_FC_NOTANUMBER:
		return m > inf_bits(f);
	case HD_FC_NORMAL:
		return m >= least && m < inf_bits(f);
	default:
		return m > 0 && m < least;
	}
}

static uint64_t extreme(format f, uint64_t a, uint64_t b, bool least)
{
	if (is_nan(f, a))
		return is_nan(f, b) ? nan_bits(f) : b;
	if (is_nan(f, b))
		return a;
	if (is_zero(f, a) && is_zero(f, b))
		return least ? a | b : a & b;
	return ordered_less(f, a, b, true) == least ? a : b;
}

static uint64_t expected(const hd_inst *inst, format f, uint64_t a, uint64_t b, uint64_t c)
{
	unsigned mode = inst->mod;
	uint64_t one = one_of(f), s = sign_bit(f);
	switch (inst->op) {
	case HD_OP_FADD:
	case HD_OP_DADD:
		return exact_add(f, mode, a, b);
	case HD_OP_FSUB:
	case HD_OP_DSUB:
		return exact_add(f, mode, a, b ^ s);
	case HD_OP_FMUL:
	case HD_OP_DMUL:
		return exact_mul(f, mode, a, b);
	case HD_OP_FFMA:
	case HD_OP_DFMA:
		return exact_fma(f, mode, a, b, c);
	case HD_OP_FNFMA:
	case HD_OP_DNFMA:
		return exact_fma(f, mode, a ^ s, b, c);
	case HD_OP_FFMS:
		return exact_fma(f, mode, a, b, c ^ s);
	case HD_OP_FMIN:
	case HD_OP_DMIN:
		return extreme(f, a, b, true);
	case HD_OP_FMAX:
	case HD_OP_DMAX:
		return extreme(f, a, b, false);
	case HD_OP_FABS:
	case HD_OP_DABS:
		return a & ~s;
	case HD_OP_FNEG:
	case HD_OP_DNEG:
		return a ^ s;
	case HD_OP_FCPYS:
	case HD_OP_DCPYS:
		return (b & ~s) | (a & s);
	case HD_OP_FSAT:
	case HD_OP_DSAT:
		return is_nan(f, a) || is_negative(f, a) ? 0 : a > one ? one : a;
	case HD_OP_FTZ:
		return has_class(f, HD_FC_SUBNORMAL, a) ? a & s : a;
	case HD_OP_FSETP:
	case HD_OP_DSETP:
		return compares(f, inst->sub, a, b);
	case HD_OP_FTESTP:
	case HD_OP_DTESTP:
		return has_class(f, inst->sub, a);
	default:
		fail_msg("no reference for %s", hd_ops[inst->op].mnemonic);
	}
	return 0;
}

static void check(const hd_inst *inst, uint64_t *seed)
{
	bool wide_ = hd_ops[inst->op].a == HD_W_D, predicate = hd_ops[inst->op].d == HD_W_P;
	format f = wide_ ? F64 : F32;
	lanes in;
	results got;
	for (unsigned round = 0; round < 60; round++) {
		fill(&in, seed, round);
		run_lanes(inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++) {
			uint64_t m = wide_ ? UINT64_MAX : UINT32_MAX, a = in.a[i] & m, b = in.b[i] & m, c = in.c[i] & m;
			uint64_t want = expected(inst, f, a, b, c), have = predicate ? got.p >> i & 1 : got.d[i];
			if (in.mask >> i & 1 && want != have)
				fail_msg("%s sub %u mod %u of a = %llx b = %llx c = %llx: %llx, expected %llx", hd_ops[inst->op].mnemonic, inst->sub,
				         inst->mod, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, (unsigned long long)have,
				         (unsigned long long)want);
		}
	}
}

TEST(every_float_operation_is_exact_and_rounded_once)
{
	uint64_t seed = 11;
	for (unsigned op = HD_OP_FADD; op <= HD_OP_DTESTP; op++) {
		if (op >= HD_OP_FRCP && op < HD_OP_DADD)
			continue;
		hd_inst inst = {.op = (uint8_t)op};
		unsigned modes = hd_ops[op].flags & HD_OPF_RND ? 4 : 1;
		unsigned first = 0, subs = hd_ops[op].format == HD_F_SUB ? HD_FC_SUBNORMAL + 1u : hd_ops[op].format == HD_F_SETP ? HD_CMP_COUNT : 1;
		for (unsigned sub = first; sub < subs; sub++) {
			if (hd_ops[op].format == HD_F_SETP && sub >= HD_CMP_LO && sub <= HD_CMP_HS)
				continue;
			for (unsigned mode = 0; mode < modes; mode++) {
				inst.sub = (uint8_t)sub;
				inst.mod = (uint8_t)mode;
				check(&inst, &seed);
			}
		}
	}
}

/* Cancellation and sums far apart, where a sloppy fma goes wrong. */
TEST(fused_multiply_add_is_exact_where_it_is_hard)
{
	uint64_t seed = 13;
	for (unsigned round = 0; round < 600; round++) {
		static const uint8_t ops[] = {HD_OP_FFMA, HD_OP_FNFMA, HD_OP_FFMS, HD_OP_DFMA, HD_OP_DNFMA};
		hd_inst inst = {.op = ops[round % HD_COUNT(ops)], .mod = (uint8_t)(hd_random(&seed) % 4)};
		format f = hd_ops[inst.op].a == HD_W_D ? F64 : F32;
		lanes in = {.mask = UINT32_MAX};
		results got;
		for (unsigned i = 0; i < HD_LANES; i++) {
			uint64_t m = sign_bit(f) * 2 - 1;
			in.a[i] = hd_random(&seed) & m;
			in.b[i] = hd_random(&seed) & m;
			if (is_nan(f, in.a[i]) || is_inf(f, in.a[i]))
				in.a[i] = one_of(f);
			/* c near a product that was rounded already. */
			in.c[i] = exact_mul(f, HD_RN, in.a[i], in.b[i]) ^ sign_bit(f);
			in.c[i] += hd_random(&seed) % 5 - 2;
			if (hd_random(&seed) % 4 == 0)
				in.c[i] ^= (uint64_t)(hd_random(&seed) % 64) << f.mantissa;
			in.c[i] &= m;
		}
		run_lanes(&inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++)
			if (got.d[i] != expected(&inst, f, in.a[i], in.b[i], in.c[i]))
				fail_msg("%s mod %u of %llx %llx %llx: %llx, expected %llx", hd_ops[inst.op].mnemonic, inst.mod,
				         (unsigned long long)in.a[i], (unsigned long long)in.b[i], (unsigned long long)in.c[i],
				         (unsigned long long)got.d[i], (unsigned long long)expected(&inst, f, in.a[i], in.b[i], in.c[i]));
	}
}

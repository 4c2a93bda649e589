/* Integer operations, moves, predicates and lane crossing against plain scalar code written from ops.def and the PTX manual. */
#include "lanes.h"

typedef struct operand {
	uint64_t a, b, c;
	uint32_t carry;
} operand;

#define A32 ((uint32_t)x->a)
#define B32 ((uint32_t)x->b)
#define C32 ((uint32_t)x->c)
#define SA ((int64_t)(int32_t)A32)
#define SB ((int64_t)(int32_t)B32)
#define SA64 ((int64_t)x->a)
#define SB64 ((int64_t)x->b)
typedef __int128 wide_s;
typedef unsigned __int128 wide_u;

static int64_t clamp32(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v; }

/* The PTX manual's loop. */
static uint64_t bfe(uint64_t a, unsigned pos, unsigned len, unsigned msb, bool is_signed)
{
	unsigned at = pos + len - 1 < msb ? pos + len - 1 : msb;
	bool sign = is_signed && len && (a >> at & 1);
	uint64_t d = 0;
	for (unsigned i = 0; i <= msb; i++)
		d |= (uint64_t)(i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign) << i;
	return d;
}

static uint64_t prmt(uint64_t pool, uint32_t c)
{
	uint64_t d = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint8_t byte = (uint8_t)(pool >> 8 * (c >> 4 * k & 7));
		if (c >> 4 * k & 8)
			byte = byte & 0x80 ? 0xff : 0;
		d |= (uint64_t)byte << 8 * k;
	}
	return d;
}

static unsigned bits(uint64_t x)
{
	unsigned n = 0;
	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static int highest(uint64_t x)
{
	int n = -1;
	for (; x; x >>= 1)
		n++;
	return n;
}

static uint64_t reverse(uint64_t x, unsigned width)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < width; i++)
		d |= (x >> i & 1) << (width - 1 - i);
	return d;
}

static uint64_t mask_at(unsigned at, unsigned width, unsigned top)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < width && i < top; i++)
		if (at + i < top)
			d |= (uint64_t)1 << (at + i);
	return d;
}

static bool compare(unsigned cmp, int64_t sa, int64_t sb, uint64_t a, uint64_t b)
{
	switch (cmp) {
	case HD_CMP_EQ:
		return a == b;
	case HD_CMP_NE:
		return a != b;
	case HD_CMP_LT:
		return sa < sb;
	case HD_CMP_LE:
		return sa <= sb;
	case HD_CMP_GT:
		return sa > sb;
	case HD_CMP_GE:
		return sa >= sb;
	case HD_CMP_LO:
		return a < b;
	case HD_CMP_LS:
		return a <= b;
	case HD_CMP_HI:
		return a > b;
	default:
		return a >= b;
	}
}

/* Result of a lane; for predicates 0 or 1; carries come back in *carry. */
static uint64_t expected(const hd_inst *inst, const operand *x, bool *carry)
{
	uint64_t all = (uint64_t)B32 << 32 | A32;
	uint32_t in = (inst->sub & 7) == HD_PT ? 0 : x->carry;
	switch (inst->op) {
	case HD_OP_MOVI:
		return (uint32_t)inst->imm;
	case HD_OP_MOV:
		return A32;
	case HD_OP_MOV64:
		return x->a;
	case HD_OP_S2R:
		return A32;
	case HD_OP_SEL:
		return x->carry ? A32 : B32;
	case HD_OP_SEL64:
		return x->carry ? x->a : x->b;
	case HD_OP_IADD:
		return (uint32_t)(A32 + B32);
	case HD_OP_ISUB:
		return (uint32_t)(A32 - B32);
	case HD_OP_IADDC:
		*carry = ((uint64_t)A32 + B32 + in) >> 32;
		return (uint32_t)(A32 + B32 + in);
	case HD_OP_ISUBC:
		*carry = (uint64_t)A32 < (uint64_t)B32 + in;
		return (uint32_t)(A32 - B32 - in);
	case HD_OP_IADDSAT:
		return (uint32_t)clamp32(SA + SB);
	case HD_OP_ISUBSAT:
		return (uint32_t)clamp32(SA - SB);
	case HD_OP_IMUL:
		return (uint32_t)((uint64_t)A32 * B32);
	case HD_OP_IMULHIS:
		return (uint32_t)((uint64_t)(SA * SB) >> 32);
	case HD_OP_IMULHIU:
		return ((uint64_t)A32 * B32) >> 32;
	case HD_OP_IMAD:
		return (uint32_t)((uint64_t)A32 * B32 + C32);
	case HD_OP_IMULWS:
		return (uint64_t)(SA * SB);
	case HD_OP_IMULWU:
		return (uint64_t)A32 * B32;
	case HD_OP_IMADWS:
		return (uint64_t)(SA * SB) + x->c;
	case HD_OP_IMADWU:
		return (uint64_t)A32 * B32 + x->c;
	case HD_OP_INEG:
		return (uint32_t) - (uint64_t)A32;
	case HD_OP_IABS:
		return (uint32_t)(SA < 0 ? -SA : SA);
	case HD_OP_IMINS:
		return (uint32_t)(SA < SB ? SA : SB);
	case HD_OP_IMINU:
		return A32 < B32 ? A32 : B32;
	case HD_OP_IMAXS:
		return (uint32_t)(SA > SB ? SA : SB);
	case HD_OP_IMAXU:
		return A32 > B32 ? A32 : B32;
	case HD_OP_AND:
		return A32 & B32;
	case HD_OP_OR:
		return A32 | B32;
	case HD_OP_XOR:
		return A32 ^ B32;
	case HD_OP_NOT:
		return (uint32_t)~A32;
	case HD_OP_BITSEL:
		return (A32 & C32) | (B32 & ~C32);
	case HD_OP_SHL:
		return B32 > 31 ? 0 : (uint32_t)((uint64_t)A32 << B32);
	case HD_OP_SHRS:
		return (uint32_t)(SA >> (B32 > 31 ? 31 : B32));
	case HD_OP_SHRU:
		return B32 > 31 ? 0 : A32 >> B32;
	case HD_OP_FSHLW:
		return (uint32_t)((wide_u)all << (C32 & 31) >> 32);
	case HD_OP_FSHRW:
		return (uint32_t)(all >> (C32 & 31));
	case HD_OP_FSHLC:
		return (uint32_t)((wide_u)all << (C32 < 32 ? C32 : 32) >> 32);
	case HD_OP_FSHRC:
		return (uint32_t)(all >> (C32 < 32 ? C32 : 32));
	case HD_OP_BFES:
		return bfe(A32, B32 & 255, C32 & 255, 31, true);
	case HD_OP_BFEU:
		return bfe(A32, B32 & 255, C32 & 255, 31, false);
	case HD_OP_BFES64:
		return bfe(x->a, B32 & 255, C32 & 255, 63, true);
	case HD_OP_BFEU64:
		return bfe(x->a, B32 & 255, C32 & 255, 63, false);
	case HD_OP_BMSK:
		return mask_at(A32 & 255, B32 & 255, 32);
	case HD_OP_BMSK64:
		return mask_at(A32 & 255, B32 & 255, 64);
	case HD_OP_PRMT:
		return prmt(all, C32);
	case HD_OP_CLZ:
		return (unsigned)(31 - highest(A32));
	case HD_OP_POPC:
		return bits(A32);
	case HD_OP_BREV:
		return reverse(A32, 32);
	case HD_OP_FLOS:
		return (uint32_t)highest(SA < 0 ? (uint32_t)~A32 : A32);
	case HD_OP_FLOU:
		return (uint32_t)highest(A32);
	case HD_OP_CLZ64:
		return (unsigned)(63 - highest(x->a));
	case HD_OP_POPC64:
		return bits(x->a);
	case HD_OP_BREV64:
		return reverse(x->a, 64);
	case HD_OP_FLOS64:
		return (uint32_t)highest(SA64 < 0 ? ~x->a : x->a);
	case HD_OP_FLOU64:
		return (uint32_t)highest(x->a);
	case HD_OP_ISETP:
		return compare(inst->sub, SA, SB, A32, B32);
	case HD_OP_ISETP64:
		return compare(inst->sub, SA64, SB64, x->a, x->b);
	case HD_OP_IADD64:
		return x->a + x->b;
	case HD_OP_ISUB64:
		return x->a - x->b;
	case HD_OP_IMUL64:
		return x->a * x->b;
	case HD_OP_IMULHIS64:
		return (uint64_t)((wide_u)((wide_s)SA64 * SB64) >> 64);
	case HD_OP_IMULHIU64:
		return (uint64_t)((wide_u)x->a * x->b >> 64);
	case HD_OP_INEG64:
		return 0 - x->a;
	case HD_OP_IABS64:
		return SA64 < 0 ? 0 - x->a : x->a;
	case HD_OP_IMINS64:
		return SA64 < SB64 ? x->a : x->b;
	case HD_OP_IMINU64:
		return x->a < x->b ? x->a : x->b;
	case HD_OP_IMAXS64:
		return SA64 > SB64 ? x->a : x->b;
	case HD_OP_IMAXU64:
		return x->a > x->b ? x->a : x->b;
	case HD_OP_AND64:
		return x->a & x->b;
	case HD_OP_OR64:
		return x->a | x->b;
	case HD_OP_XOR64:
		return x->a ^ x->b;
	case HD_OP_NOT64:
		return ~x->a;
	case HD_OP_BITSEL64:
		return (x->a & x->c) | (x->b & ~x->c);
	case HD_OP_SHL64:
		return B32 > 63 ? 0 : x->a << B32;
	case HD_OP_SHRS64:
		return (uint64_t)(SA64 >> (B32 > 63 ? 63 : B32));
	case HD_OP_SHRU64:
		return B32 > 63 ? 0 : x->a >> B32;
	default:
		fail_msg("no reference for %s", hd_ops[inst->op].mnemonic);
	}
	return 0;
}

static void check(const hd_inst *inst, uint64_t *seed)
{
	lanes in;
	results got;
	for (unsigned round = 0; round < 100; round++) {
		for (unsigned i = 0; i < HD_LANES; i++) {
			in.a[i] = any_operand(seed);
			in.b[i] = hd_random(seed) % 4 ? any_operand(seed) : in.a[i];
			in.c[i] = any_operand(seed);
		}
		in.mask = round ? (uint32_t)hd_random(seed) : UINT32_MAX;
		in.p[0] = (uint32_t)hd_random(seed);
		in.p[1] = in.p[2] = 0;
		run_lanes(inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++) {
			operand x = {in.a[i], in.b[i], in.c[i], in.p[0] >> i & 1};
			bool carry = false, predicate = hd_ops[inst->op].d == HD_W_P;
			if (!(in.mask >> i & 1))
				continue;
			uint64_t want = expected(inst, &x, &carry), have = predicate ? got.p >> i & 1 : got.d[i];
			bool carry_right = hd_ops[inst->op].format != HD_F_CARRY || (got.p >> i & 1) == carry;
			if (want != have || !carry_right)
				fail_msg("%s sub %u of a = %llx b = %llx c = %llx: %llx, expected %llx", hd_ops[inst->op].mnemonic, inst->sub,
				         (unsigned long long)x.a, (unsigned long long)x.b, (unsigned long long)x.c, (unsigned long long)have,
				         (unsigned long long)want);
		}
	}
}

TEST(every_integer_operation_does_what_its_row_says)
{
	uint64_t seed = 7;
	for (unsigned op = HD_OP_MOVI; op < HD_OP_FADD; op++) {
		if (op == HD_OP_PLOP)
			continue;
		hd_inst inst = {.op = (uint8_t)op, .imm = -123456};
		if (hd_ops[op].format == HD_F_SETP) {
			for (inst.sub = HD_CMP_EQ; inst.sub <= HD_CMP_HS; inst.sub++)
				check(&inst, &seed);
		} else {
			inst.sub = 2;
			check(&inst, &seed);
			if (hd_ops[op].format == HD_F_CARRY) {
				inst.sub = HD_PT;
				check(&inst, &seed);
			}
		}
	}
}

TEST(plop_looks_up_its_table)
{
	uint64_t seed = 3;
	for (unsigned table = 0; table < 256; table++) {
		hd_inst inst = {.op = HD_OP_PLOP, .sub = (uint8_t)table};
		lanes in = {.mask = UINT32_MAX, .p = {(uint32_t)hd_random(&seed), (uint32_t)hd_random(&seed), (uint32_t)hd_random(&seed)}};
		results got;
		run_lanes(&inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++) {
			unsigned bit = (in.p[0] >> i & 1) << 2 | (in.p[1] >> i & 1) << 1 | (in.p[2] >> i & 1);
			assert_int_equal(got.p >> i & 1, table >> bit & 1);
		}
	}
}

/* The PTX manual's text of shfl. */
static unsigned shuffle_from(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *valid)
{
	int value = b & 31, clamp = c & 31, segment = c >> 8 & 31, l = (int)lane;
	int most = (l & segment) | (clamp & ~segment), least = l & segment, j;
	switch (mode) {
	case HD_SHFL_UP:
		j = l - value;
		*valid = j >= most;
		break;
	case HD_SHFL_DOWN:
		j = l + value;
		*valid = j <= most;
		break;
	case HD_SHFL_BFLY:
		j = l ^ value;
		*valid = j <= most;
		break;
	default:
		j = least | (value & ~segment);
		*valid = j <= most;
		break;
	}
	return *valid ? (unsigned)j : lane;
}

TEST(shuffles_follow_the_ptx_manual)
{
	uint64_t seed = 5;
	for (unsigned round = 0; round < 4000; round++) {
		static const uint32_t clamps[] = {0x1f, 0x0000, 0x181f, 0x1c1f, 0x1800, 0x1c00, 0x1e1f, 0x1f, 0x0};
		hd_inst inst = {.op = HD_OP_SHFL, .mod = (uint8_t)(round % 4)};
		lanes in = {.mask = round % 3 ? (uint32_t)hd_random(&seed) : UINT32_MAX};
		results got, range;
		uint32_t clamp = round % 2 ? clamps[hd_random(&seed) % HD_COUNT(clamps)] : (uint32_t)hd_random(&seed),
		         by = (uint32_t)hd_random(&seed);
		for (unsigned i = 0; i < HD_LANES; i++) {
			in.a[i] = hd_random(&seed);
			in.b[i] = round % 5 ? by : hd_random(&seed);
			in.c[i] = clamp;
		}
		run_lanes(&inst, &in, &got);
		inst.op = HD_OP_SHFLP;
		run_lanes(&inst, &in, &range);
		for (unsigned i = 0; i < HD_LANES; i++) {
			bool valid;
			unsigned j = shuffle_from(inst.mod, i, (uint32_t)in.b[i], clamp, &valid);
			if (!(in.mask >> i & 1))
				continue;
			assert_int_equal(got.d[i], (uint32_t)in.a[in.mask >> j & 1 ? j : i]);
			assert_int_equal(range.p >> i & 1, valid);
		}
	}
}

TEST(votes_and_matches_look_at_the_active_lanes_named)
{
	uint64_t seed = 9;
	for (unsigned round = 0; round < 2000; round++) {
		lanes in = {.mask = (uint32_t)hd_random(&seed), .p = {(uint32_t)hd_random(&seed)}};
		if (round % 4 == 0)
			in.p[0] = round % 8 ? 0 : UINT32_MAX;
		uint32_t members = round % 3 ? (uint32_t)hd_random(&seed) : UINT32_MAX, named = members & in.mask;
		bool small = round % 2;
		for (unsigned i = 0; i < HD_LANES; i++) {
			in.a[i] = small ? hd_random(&seed) % 3 : UINT64_C(5) << 32;
			in.b[i] = members;
		}
		for (unsigned op = HD_OP_MATCHANY; op <= HD_OP_MATCHALL64; op++) {
			hd_inst inst = {.op = (uint8_t)op};
			results got;
			run_lanes(&inst, &in, &got);
			bool wide_ = op == HD_OP_MATCHANY64 || op == HD_OP_MATCHALL64, all_same = true;
			for (unsigned i = 0; i < HD_LANES; i++) {
				uint32_t same = 0;
				for (unsigned j = 0; j < HD_LANES; j++)
					if (named >> j & 1 && (wide_ ? in.a[j] == in.a[i] : (uint32_t)in.a[j] == (uint32_t)in.a[i]))
						same |= 1u << j;
				if (named >> i & 1)
					all_same &= same == named;
				if ((op == HD_OP_MATCHANY || op == HD_OP_MATCHANY64) && in.mask >> i & 1)
					assert_int_equal(got.d[i], same);
			}
			if (op == HD_OP_MATCHALL || op == HD_OP_MATCHALL64)
				for (unsigned i = 0; i < HD_LANES; i++)
					if (in.mask >> i & 1)
						assert_int_equal(got.d[i], all_same ? members : 0);
		}
		for (unsigned i = 0; i < HD_LANES; i++)
			in.a[i] = members;
		hd_inst inst = {.op = HD_OP_BALLOT};
		results got;
		run_lanes(&inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++)
			if (in.mask >> i & 1)
				assert_int_equal(got.d[i], named & in.p[0]);
		const bool want[3] = {(named & ~in.p[0]) == 0, (named & in.p[0]) != 0, (named & in.p[0]) == 0 || (named & ~in.p[0]) == 0};
		for (inst = (hd_inst){.op = HD_OP_VOTE}; inst.mod < 3; inst.mod++) {
			run_lanes(&inst, &in, &got);
			assert_int_equal(got.p, want[inst.mod] ? in.mask : 0);
		}
		inst = (hd_inst){.op = HD_OP_ACTMASK};
		run_lanes(&inst, &in, &got);
		for (unsigned i = 0; i < HD_LANES; i++)
			if (in.mask >> i & 1)
				assert_int_equal(got.d[i], in.mask);
	}
}

TEST(atomics_change_what_they_should)
{
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_U32, false, 0xffffffff, 2), 1);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_U64, false, 0xffffffff, 2), 0x100000001);
	assert_int_equal(hd_sem_atomic(HD_ATOM_MIN, HD_ATOM_S32, false, 0xffffffff, 2), 0xffffffff);
	assert_int_equal(hd_sem_atomic(HD_ATOM_MIN, HD_ATOM_U32, false, 0xffffffff, 2), 2);
	assert_int_equal(hd_sem_atomic(HD_ATOM_MAX, HD_ATOM_S64, false, UINT64_MAX, 2), 2);
	assert_int_equal(hd_sem_atomic(HD_ATOM_MAX, HD_ATOM_U64, false, UINT64_MAX, 2), UINT64_MAX);
	assert_int_equal(hd_sem_atomic(HD_ATOM_AND, HD_ATOM_U32, false, 12, 10), 8);
	assert_int_equal(hd_sem_atomic(HD_ATOM_OR, HD_ATOM_U32, false, 12, 10), 14);
	assert_int_equal(hd_sem_atomic(HD_ATOM_XOR, HD_ATOM_U64, false, 12, 10), 6);
	assert_int_equal(hd_sem_atomic(HD_ATOM_EXCH, HD_ATOM_U32, false, 12, 10), 10);
	assert_int_equal(hd_sem_atomic(HD_ATOM_INC, HD_ATOM_U32, false, 9, 10), 10);
	assert_int_equal(hd_sem_atomic(HD_ATOM_INC, HD_ATOM_U32, false, 10, 10), 0);
	assert_int_equal(hd_sem_atomic(HD_ATOM_DEC, HD_ATOM_U32, false, 0, 10), 10);
	assert_int_equal(hd_sem_atomic(HD_ATOM_DEC, HD_ATOM_U32, false, 11, 10), 10);
	assert_int_equal(hd_sem_atomic(HD_ATOM_DEC, HD_ATOM_U32, false, 7, 10), 6);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F32, false, 0x3f800000, 0x40000000), 0x40400000);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F32, false, 0x7f800000, 0xff800000), 0x7fffffff);
	/* denormal numbers: kept in shared memory, zeros of their sign in global memory, as an operand and as a result */
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F32, false, 3, 0x80000001), 2);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F32, true, 3, 0x80000001), 0);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F32, true, 0x80000003, 0x80000001), 0x80000000);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F32, false, 0x00800001, 0x80800000), 1);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F32, true, 0x00800001, 0x80800000), 0);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F64, true, 3, 4), 7);
	assert_int_equal(hd_sem_atomic(HD_ATOM_EXCH, HD_ATOM_F32, true, 3, 4), 4);
	assert_int_equal(hd_sem_atomic(HD_ATOM_ADD, HD_ATOM_F64, false, 0x3ff0000000000000, 0x4000000000000000), 0x4008000000000000);
	assert_int_equal(hd_sem_atomic(HD_ATOM_MAX, HD_ATOM_F32, false, 0xbf800000, 0xc0000000), 0xbf800000);
}

TEST(operations_without_a_pure_part_have_no_function)
{
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		hd_inst inst = {.op = (uint8_t)op};
		bool pure = !(hd_ops[op].flags & (HD_OPF_FLOW | HD_OPF_MEM)) && op != HD_OP_NOP && op != HD_OP_SETPRIO && op != HD_OP_HINTS;
		if ((hd_sem_find(&inst) != NULL) != pure)
			fail_msg("%s", hd_ops[op].mnemonic);
	}
}

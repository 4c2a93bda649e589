#include "semantics/vector.h"

#define OP1(name, ...)                                            \
	SEM_FN(TO_R, name)                                        \
	{                                                         \
		LANES                                             \
		{                                                 \
			uint32_t a = in->a->v[i];                 \
			out->r[0].v[i] = (uint32_t)(__VA_ARGS__); \
		}                                                 \
	}
#define OP2(name, ...)                                             \
	SEM_FN(TO_R, name)                                         \
	{                                                          \
		LANES                                              \
		{                                                  \
			uint32_t a = in->a->v[i], b = in->b->v[i]; \
			out->r[0].v[i] = (uint32_t)(__VA_ARGS__);  \
		}                                                  \
	}
#define OP3(name, ...)                                                              \
	SEM_FN(TO_R, name)                                                          \
	{                                                                           \
		LANES                                                               \
		{                                                                   \
			uint32_t a = in->a->v[i], b = in->b->v[i], c = in->c->v[i]; \
			out->r[0].v[i] = (uint32_t)(__VA_ARGS__);                   \
		}                                                                   \
	}

INLINE int32_t s32(uint32_t x) { return (int32_t)x; }
INLINE int64_t s64(uint32_t x) { return (int32_t)x; }
INLINE uint64_t u64(uint32_t x) { return x; }

INLINE uint32_t ones(uint32_t x)
{
	x -= x >> 1 & 0x55555555u;
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	return (x * 0x01010101u) >> 24;
}

/* Sets all bits below the highest one. */
INLINE uint32_t smear(uint32_t x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	return x | x >> 16;
}

INLINE uint32_t reversed(uint32_t x)
{
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
	return x >> 16 | x << 16;
}

/* Saturates the wrapped result: it overflowed when the operands' signs allow that and the result's sign differs from a's. */
INLINE uint32_t saturated(uint32_t a, uint32_t result, uint32_t overflow) { return overflow >> 31 ? 0x7fffffffu + (a >> 31) : result; }

INLINE uint32_t ones_below(uint32_t n) { return n > 31 ? UINT32_MAX : (1u << (n & 31)) - 1; }

INLINE uint32_t field_unsigned(uint32_t a, uint32_t pos, uint32_t len) { return (pos > 31 ? 0 : a >> (pos & 31)) & ones_below(len); }

INLINE uint32_t field_signed(uint32_t a, uint32_t pos, uint32_t len)
{
	uint32_t at = (uint32_t)(s32(a) >> (pos > 31 ? 31 : pos)), up = len > 31 ? 0 : (32 - len) & 31;
	return len == 0 ? 0 : (uint32_t)(s32(at << up) >> up);
}

INLINE uint32_t bytes_picked(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t d = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint32_t pick = c >> (4 * k), byte = (pick & 4 ? b : a) >> (8 * (pick & 3)) & 255, sign = (0u - (byte >> 7)) & 255;
		d |= (pick & 8 ? sign : byte) << (8 * k);
	}
	return d;
}

SEM_FN(TO_R, movi) { LANES out->r[0].v[i] = (uint32_t)inst->imm; }

SEM_FN(TO_R | OF_P, sel)
{
	uint32_t p = in->p[0];
	LANES
	{
		uint32_t a = in->a->v[i], b = in->b->v[i];
		out->r[0].v[i] = p & lane_bit[i] ? a : b;
	}
}

SEM_FN(TO_R, s2r) { LANES out->r[0].v[i] = in->special->v[i]; }

SEM_FN(TO_P | OF_P, plop)
{
	uint32_t table = inst->sub, p = 0;
	for (unsigned k = 0; k < 8; k++) {
		uint32_t term = (k & 4 ? in->p[0] : ~in->p[0]) & (k & 2 ? in->p[1] : ~in->p[1]) & (k & 1 ? in->p[2] : ~in->p[2]);
		p |= table >> k & 1 ? term : 0;
	}
	out->p = p;
}

OP1(mov, a)
OP2(iadd, a + b)
OP2(isub, a - b)
OP2(iaddsat, saturated(a, a + b, ~(a ^ b) & (a ^ (a + b))))
OP2(isubsat, saturated(a, a - b, (a ^ b) & (a ^ (a - b))))
OP2(imul, a *b)
OP2(imulhis, (uint64_t)(s64(a) * s64(b)) >> 32)
OP2(imulhiu, (u64(a) * b) >> 32)
OP3(imad, a *b + c)
OP1(ineg, 0u - a)
OP1(iabs, a >> 31 ? 0u - a : a)
OP2(imins, s32(a) < s32(b) ? a : b)
OP2(iminu, a < b ? a : b)
OP2(imaxs, s32(a) > s32(b) ? a : b)
OP2(imaxu, a > b ? a : b)
OP2(and, a &b)
OP2(or, a | b)
OP2(xor, a ^ b)
OP1(not, ~a)
OP3(bitsel, (a & c) | (b & ~c))
OP2(shl, b > 31 ? 0 : a << (b & 31))
OP2(shrs, s32(a) >> (b > 31 ? 31 : b))
OP2(shru, b > 31 ? 0 : a >> (b & 31))
/* In halves of 32 bits: the other word is shifted twice, so that no shift is by 32. */
OP3(fshlw, (b << (c & 31)) | (a >> 1 >> (31 - (c & 31))))
OP3(fshrw, (a >> (c & 31)) | (b << 1 << (31 - (c & 31))))
OP3(fshlc, ((u64(b) << 32 | a) << (c > 32 ? 32 : c)) >> 32)
OP3(fshrc, (u64(b) << 32 | a) >> (c > 32 ? 32 : c))
OP3(bfes, field_signed(a, b & 255, c & 255))
OP3(bfeu, field_unsigned(a, b & 255, c & 255))
OP2(bmsk, (a & 255) > 31 ? 0 : ones_below(b & 255) << (a & 31))
OP3(prmt, bytes_picked(a, b, c))
OP1(clz, 32 - ones(smear(a)))
OP1(popc, ones(a))
OP1(brev, reversed(a))
OP1(flos, ones(smear(a ^ (uint32_t)(s32(a) >> 31))) - 1)
OP1(flou, ones(smear(a)) - 1)

/* Carries and borrows come from the top bits of operands and result: there is one out of bit 31 when both operands have the bit, or one has it and
 * the sum does not. Without a carry-in predicate (7) the carry-in is 0. */
INLINE void with_carry(const hd_sem_in *restrict in, hd_sem_out *restrict out, uint32_t carry_in, bool subtract)
{
	uint32_t p = 0;
	LANES
	{
		uint32_t a = in->a->v[i], b = in->b->v[i], carry = (carry_in & lane_bit[i]) != 0;
		uint32_t sum = subtract ? a - b - carry : a + b + carry;
		uint32_t over = subtract ? (~a & b) | (~(a ^ b) & sum) : (a & b) | ((a | b) & ~sum);
		out->r[0].v[i] = sum;
		p |= (uint32_t)(s32(over) >> 31) & lane_bit[i];
	}
	out->p = p;
}

SEM_FN(TO_R | TO_P | OF_P, iaddc) { with_carry(in, out, (inst->sub & 7) == HD_PT ? 0 : in->p[0], false); }
SEM_FN(TO_R | TO_P | OF_P, isubc) { with_carry(in, out, (inst->sub & 7) == HD_PT ? 0 : in->p[0], true); }

#define WIDE(name, ...)                                            \
	SEM_FN(TO_D, name)                                         \
	{                                                          \
		wide d;                                            \
		LANES                                              \
		{                                                  \
			uint32_t a = in->a->v[i], b = in->b->v[i]; \
			d.v[i] = (uint64_t)(__VA_ARGS__);          \
		}                                                  \
		wide_store(out->r, &d);                            \
	}
#define WIDE_C (in->c[0].v[i] | u64(in->c[1].v[i]) << 32)
WIDE(imulws, s64(a) * s64(b))
WIDE(imulwu, u64(a) * b)
WIDE(imadws, (uint64_t)(s64(a) * s64(b)) + WIDE_C)
WIDE(imadwu, u64(a) * b + WIDE_C)
WIDE(bmsk64, (a & 255) > 63 ? 0 : ((b & 255) > 63 ? UINT64_MAX : (UINT64_C(1) << (b & 63)) - 1) << (a & 63))

#define COMPARE(name, ...)                                         \
	SEM_FN(TO_P, name)                                         \
	{                                                          \
		uint32_t p = 0;                                    \
		LANES                                              \
		{                                                  \
			uint32_t a = in->a->v[i], b = in->b->v[i]; \
			p |= (__VA_ARGS__) ? lane_bit[i] : 0;      \
		}                                                  \
		out->p = p;                                        \
	}
COMPARE(isetp_eq, a == b)
COMPARE(isetp_ne, a != b)
COMPARE(isetp_lt, s32(a) < s32(b))
COMPARE(isetp_le, s32(a) <= s32(b))
COMPARE(isetp_gt, s32(a) > s32(b))
COMPARE(isetp_ge, s32(a) >= s32(b))
COMPARE(isetp_lo, a < b)
COMPARE(isetp_ls, a <= b)
COMPARE(isetp_hi, a > b)
COMPARE(isetp_hs, a >= b)

static const hd_sem_code *const comparisons[HD_CMP_COUNT] = {
    [HD_CMP_EQ] = isetp_eq, [HD_CMP_NE] = isetp_ne, [HD_CMP_LT] = isetp_lt, [HD_CMP_LE] = isetp_le, [HD_CMP_GT] = isetp_gt,
    [HD_CMP_GE] = isetp_ge, [HD_CMP_LO] = isetp_lo, [HD_CMP_LS] = isetp_ls, [HD_CMP_HI] = isetp_hi, [HD_CMP_HS] = isetp_hs,
};

/* By operation. A comparison and an operation of another unit have NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_MOVI] = movi,       [HD_OP_MOV] = mov,       [HD_OP_SEL] = sel,         [HD_OP_S2R] = s2r,         [HD_OP_PLOP] = plop,
    [HD_OP_IADD] = iadd,       [HD_OP_ISUB] = isub,     [HD_OP_IADDC] = iaddc,     [HD_OP_ISUBC] = isubc,     [HD_OP_IADDSAT] = iaddsat,
    [HD_OP_ISUBSAT] = isubsat, [HD_OP_IMUL] = imul,     [HD_OP_IMULHIS] = imulhis, [HD_OP_IMULHIU] = imulhiu, [HD_OP_IMAD] = imad,
    [HD_OP_IMULWS] = imulws,   [HD_OP_IMULWU] = imulwu, [HD_OP_IMADWS] = imadws,   [HD_OP_IMADWU] = imadwu,   [HD_OP_INEG] = ineg,
    [HD_OP_IABS] = iabs,       [HD_OP_IMINS] = imins,   [HD_OP_IMINU] = iminu,     [HD_OP_IMAXS] = imaxs,     [HD_OP_IMAXU] = imaxu,
    [HD_OP_AND] = and,         [HD_OP_OR] = or,         [HD_OP_XOR] = xor,         [HD_OP_NOT] = not,         [HD_OP_BITSEL] = bitsel,
    [HD_OP_SHL] = shl,         [HD_OP_SHRS] = shrs,     [HD_OP_SHRU] = shru,       [HD_OP_FSHLW] = fshlw,     [HD_OP_FSHRW] = fshrw,
    [HD_OP_FSHLC] = fshlc,     [HD_OP_FSHRC] = fshrc,   [HD_OP_BFES] = bfes,       [HD_OP_BFEU] = bfeu,       [HD_OP_BMSK] = bmsk,
    [HD_OP_BMSK64] = bmsk64,   [HD_OP_PRMT] = prmt,     [HD_OP_CLZ] = clz,         [HD_OP_POPC] = popc,       [HD_OP_BREV] = brev,
    [HD_OP_FLOS] = flos,       [HD_OP_FLOU] = flou,
};

const hd_sem_code *HD_SEM(integer)(const hd_inst *inst) { return inst->op == HD_OP_ISETP ? comparisons[inst->sub] : functions[inst->op]; }

#include "semantics/vector.h"

/* Bodies see the lane's operands as a, b, c; an R operand in a row of D operands is b32 or c32. */
#define OP1(name, ...)                                    \
	SEM_FN(TO_D, name)                                \
	{                                                 \
		wide x, d;                                \
		wide_load(&x, in->a);                     \
		LANES                                     \
		{                                         \
			uint64_t a = x.v[i];              \
			d.v[i] = (uint64_t)(__VA_ARGS__); \
		}                                         \
		wide_store(out->r, &d);                   \
	}
#define OP2(name, ...)                                    \
	SEM_FN(TO_D, name)                                \
	{                                                 \
		wide x, y, d;                             \
		wide_load(&x, in->a);                     \
		wide_load(&y, in->b);                     \
		LANES                                     \
		{                                         \
			uint64_t a = x.v[i], b = y.v[i];  \
			d.v[i] = (uint64_t)(__VA_ARGS__); \
		}                                         \
		wide_store(out->r, &d);                   \
	}
#define SHIFT(name, ...)                                  \
	SEM_FN(TO_D, name)                                \
	{                                                 \
		wide x, d;                                \
		wide_load(&x, in->a);                     \
		LANES                                     \
		{                                         \
			uint64_t a = x.v[i];              \
			uint32_t b32 = in->b->v[i];       \
			d.v[i] = (uint64_t)(__VA_ARGS__); \
		}                                         \
		wide_store(out->r, &d);                   \
	}
#define FIELD(name, ...)                                                           \
	SEM_FN(TO_D, name)                                                         \
	{                                                                          \
		wide x, d;                                                         \
		wide_load(&x, in->a);                                              \
		LANES                                                              \
		{                                                                  \
			uint64_t a = x.v[i];                                       \
			uint32_t pos = in->b->v[i] & 255, len = in->c->v[i] & 255; \
			d.v[i] = (__VA_ARGS__);                                    \
		}                                                                  \
		wide_store(out->r, &d);                                            \
	}
/* 64-bit operand, 32-bit result. */
#define NARROW(name, ...)                                         \
	SEM_FN(TO_R, name)                                        \
	{                                                         \
		wide x;                                           \
		wide_load(&x, in->a);                             \
		LANES                                             \
		{                                                 \
			uint64_t a = x.v[i];                      \
			out->r[0].v[i] = (uint32_t)(__VA_ARGS__); \
		}                                                 \
	}

INLINE int64_t s64(uint64_t x) { return (int64_t)x; }

INLINE uint64_t ones(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (x * UINT64_C(0x0101010101010101)) >> 56;
}

INLINE uint64_t smear(uint64_t x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	x |= x >> 16;
	return x | x >> 32;
}

INLINE uint64_t reversed(uint64_t x)
{
	x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
	x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
	x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	x = (x >> 8 & UINT64_C(0x00ff00ff00ff00ff)) | (x & UINT64_C(0x00ff00ff00ff00ff)) << 8;
	x = (x >> 16 & UINT64_C(0x0000ffff0000ffff)) | (x & UINT64_C(0x0000ffff0000ffff)) << 16;
	return x >> 32 | x << 32;
}

/* High half of the unsigned product, from 32-bit parts: the same on every host, without a 128-bit type. */
INLINE uint64_t high_product(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (uint32_t)middle;
	return ah * bh + (middle >> 32) + (other >> 32);
}

INLINE uint64_t high_product_signed(uint64_t a, uint64_t b) { return high_product(a, b) - (a >> 63 ? b : 0) - (b >> 63 ? a : 0); }

INLINE uint64_t field_unsigned(uint64_t a, uint32_t pos, uint32_t len)
{
	return (pos > 63 ? 0 : a >> (pos & 63)) & (len > 63 ? UINT64_MAX : (UINT64_C(1) << (len & 63)) - 1);
}

INLINE uint64_t field_signed(uint64_t a, uint32_t pos, uint32_t len)
{
	uint64_t at = (uint64_t)(s64(a) >> (pos > 63 ? 63 : pos));
	uint32_t up = len > 63 ? 0 : (64 - len) & 63;
	return len == 0 ? 0 : (uint64_t)(s64(at << up) >> up);
}

SEM_FN(TO_D, mov64)
{
	LANES out->r[0].v[i] = in->a[0].v[i];
	LANES out->r[1].v[i] = in->a[1].v[i];
}

SEM_FN(TO_D | OF_P, sel64)
{
	uint32_t p = in->p[0];
	for (unsigned k = 0; k < 2; k++)
		LANES
		{
			uint32_t a = in->a[k].v[i], b = in->b[k].v[i];
			out->r[k].v[i] = p & lane_bit[i] ? a : b;
		}
}

/* Logic works on halves, without joining them first. */
#define LOGIC(name, ...)                                                       \
	SEM_FN(TO_D, name)                                                     \
	{                                                                      \
		for (unsigned k = 0; k < 2; k++)                               \
			LANES                                                  \
			{                                                      \
				uint32_t a = in->a[k].v[i], b = in->b[k].v[i]; \
				out->r[k].v[i] = (__VA_ARGS__);                \
			}                                                      \
	}
LOGIC(and64, a &b)
LOGIC(or64, a | b)
LOGIC(xor64, a ^ b)

SEM_FN(TO_D, not64)
{
	LANES out->r[0].v[i] = ~in->a[0].v[i];
	LANES out->r[1].v[i] = ~in->a[1].v[i];
}

SEM_FN(TO_D, bitsel64)
{
	for (unsigned k = 0; k < 2; k++)
		LANES out->r[k].v[i] = (in->a[k].v[i] & in->c[k].v[i]) | (in->b[k].v[i] & ~in->c[k].v[i]);
}

/* In halves with a carry: shorter than joining and splitting. */
SEM_FN(TO_D, iadd64)
{
	LANES
	{
		uint32_t low = in->a[0].v[i] + in->b[0].v[i];
		out->r[0].v[i] = low;
		out->r[1].v[i] = in->a[1].v[i] + in->b[1].v[i] + (low < in->a[0].v[i] ? 1 : 0);
	}
}

SEM_FN(TO_D, isub64)
{
	LANES
	{
		out->r[0].v[i] = in->a[0].v[i] - in->b[0].v[i];
		out->r[1].v[i] = in->a[1].v[i] - in->b[1].v[i] - (in->a[0].v[i] < in->b[0].v[i] ? 1 : 0);
	}
}

OP2(imul64, a *b)
OP2(imulhis64, high_product_signed(a, b))
OP2(imulhiu64, high_product(a, b))
OP1(ineg64, 0 - a)
OP1(iabs64, a >> 63 ? 0 - a : a)
OP2(imins64, s64(a) < s64(b) ? a : b)
OP2(iminu64, a < b ? a : b)
OP2(imaxs64, s64(a) > s64(b) ? a : b)
OP2(imaxu64, a > b ? a : b)
SHIFT(shl64, b32 > 63 ? 0 : a << (b32 & 63))
SHIFT(shrs64, s64(a) >> (b32 > 63 ? 63 : b32))
SHIFT(shru64, b32 > 63 ? 0 : a >> (b32 & 63))
FIELD(bfes64, field_signed(a, pos, len))
FIELD(bfeu64, field_unsigned(a, pos, len))
NARROW(clz64, 64 - ones(smear(a)))
NARROW(popc64, ones(a))
OP1(brev64, reversed(a))
NARROW(flos64, ones(smear(a ^ (uint64_t)(s64(a) >> 63))) - 1)
NARROW(flou64, ones(smear(a)) - 1)

#define COMPARE(name, ...)                                              \
	SEM_FN(TO_P, name)                                              \
	{                                                               \
		wide x, y;                                              \
		wide_load(&x, in->a);                                   \
		wide_load(&y, in->b);                                   \
		uint64_t p = 0;                                         \
		LANES                                                   \
		{                                                       \
			uint64_t a = x.v[i], b = y.v[i];                \
			p |= (__VA_ARGS__) ? (uint64_t)lane_bit[i] : 0; \
		}                                                       \
		out->p = (uint32_t)p;                                   \
	}
COMPARE(isetp64_eq, a == b)
COMPARE(isetp64_ne, a != b)
COMPARE(isetp64_lt, s64(a) < s64(b))
COMPARE(isetp64_le, s64(a) <= s64(b))
COMPARE(isetp64_gt, s64(a) > s64(b))
COMPARE(isetp64_ge, s64(a) >= s64(b))
COMPARE(isetp64_lo, a < b)
COMPARE(isetp64_ls, a <= b)
COMPARE(isetp64_hi, a > b)
COMPARE(isetp64_hs, a >= b)

static const hd_sem_code *const comparisons[HD_CMP_COUNT] = {
    [HD_CMP_EQ] = isetp64_eq, [HD_CMP_NE] = isetp64_ne, [HD_CMP_LT] = isetp64_lt, [HD_CMP_LE] = isetp64_le, [HD_CMP_GT] = isetp64_gt,
    [HD_CMP_GE] = isetp64_ge, [HD_CMP_LO] = isetp64_lo, [HD_CMP_LS] = isetp64_ls, [HD_CMP_HI] = isetp64_hi, [HD_CMP_HS] = isetp64_hs,
};

/* By operation. A comparison and an operation of another unit have NULL. */
static const hd_sem_code *const functions[HD_OP_COUNT] = {
    [HD_OP_MOV64] = mov64,         [HD_OP_SEL64] = sel64,         [HD_OP_IADD64] = iadd64,     [HD_OP_ISUB64] = isub64, [HD_OP_IMUL64] = imul64,
    [HD_OP_IMULHIS64] = imulhis64, [HD_OP_IMULHIU64] = imulhiu64, [HD_OP_INEG64] = ineg64,     [HD_OP_IABS64] = iabs64, [HD_OP_IMINS64] = imins64,
    [HD_OP_IMINU64] = iminu64,     [HD_OP_IMAXS64] = imaxs64,     [HD_OP_IMAXU64] = imaxu64,   [HD_OP_AND64] = and64,   [HD_OP_OR64] = or64,
    [HD_OP_XOR64] = xor64,         [HD_OP_NOT64] = not64,         [HD_OP_BITSEL64] = bitsel64, [HD_OP_SHL64] = shl64,   [HD_OP_SHRS64] = shrs64,
    [HD_OP_SHRU64] = shru64,       [HD_OP_BFES64] = bfes64,       [HD_OP_BFEU64] = bfeu64,     [HD_OP_CLZ64] = clz64,   [HD_OP_POPC64] = popc64,
    [HD_OP_BREV64] = brev64,       [HD_OP_FLOS64] = flos64,       [HD_OP_FLOU64] = flou64,
};

const hd_sem_code *HD_SEM(integer64)(const hd_inst *inst) { return inst->op == HD_OP_ISETP64 ? comparisons[inst->sub] : functions[inst->op]; }

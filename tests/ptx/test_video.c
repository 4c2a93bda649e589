/* Video instructions against plain C: parts of registers, saturation, second operations, merging. */
#include "values.h"

/* Lane i of a word. */
static int64_t lane(uint32_t word, unsigned i, unsigned bits, bool is_signed)
{
	int64_t value = (int64_t)((word >> (i * bits)) & (UINT32_MAX >> (32 - bits)));
	return is_signed && value >> (bits - 1) ? value - (INT64_C(1) << bits) : value;
}

#define A UINT32_C(0x80f17f02)
#define B UINT32_C(0x01ff80fe)
#define C UINT32_C(0x11223344)
#define BYTE(word, i) lane(word, i, 8, true)
#define UBYTE(word, i) lane(word, i, 8, false)
#define HALF(word, i) lane(word, i, 16, true)
#define UHALF(word, i) lane(word, i, 16, false)
#define IN              \
	{               \
		A, B, C \
	}

TEST(scalars)
{
	const value_case cases[] = {
	    {'r', "vadd.s32.s32.s32 %r0, %r1, %r2;", IN, A + B},
	    {'r', "vadd.s32.s32.s32.sat %r0, %r1, %r2;", {0x7fffffff, 5}, 0x7fffffff},
	    {'r', "vadd.u32.u32.u32.sat %r0, %r1, %r2;", {0xfffffff0, 0x20}, 0xffffffff},
	    {'r', "vadd.s32.u32.s32 %r0, %r1.b1, %r2.b1;", IN, (uint32_t)(UBYTE(A, 1) + BYTE(B, 1))},
	    {'r', "vadd.s32.s32.u32.add %r0, %r1.h1, %r2.h0, %r3;", IN, (uint32_t)(HALF(A, 1) + UHALF(B, 0)) + C},
	    {'r', "vadd.u32.u32.u32 %r0.b1, %r1, %r2, %r3;", IN, (C & ~UINT32_C(0xff00)) | ((A + B) & 0xff) << 8},
	    {'r', "vadd.u32.u32.u32 %r0.h1, %r1, %r2, %r3;", IN, (C & 0xffff) | (A + B) << 16},
	    {'r', "vadd.s32.s32.s32.sat %r0.b3, %r1.h0, %r2.b0, %r3;", IN, (C & 0xffffff) | 0x7f000000}, /* saturates to what is written */
	    {'r', "vsub.u32.u32.u32.sat %r0, %r1.b0, %r2.b0;", IN, 0},
	    {'r', "vsub.u32.u32.u32.sat.min %r0, %r1.b1, %r2.b3, %r3;", IN, 0x7e},
	    {'r', "vsub.s32.u32.u32.min %r0, %r1.b0, %r2.b0, %r3;", IN, (uint32_t)(2 - 0xfe)},
	    {'r', "vabsdiff.s32.s32.s32 %r0, %r1, %r2;", {0x80000000, 0x7fffffff}, 0xffffffff},
	    {'r', "vabsdiff.s32.s32.s32.sat %r0, %r1, %r2;", {0x80000000, 0x7fffffff}, 0x7fffffff},
	    {'r', "vmin.s32.s32.u32 %r0, %r1, %r2;", IN, A},
	    {'r', "vmin.u32.u32.u32.max %r0, %r1, %r2, %r3;", IN, C},
	    {'r', "vmax.u32.u32.u32 %r0, %r1, %r2;", IN, A},
	    {'r', "vmax.s32.s32.s32.max %r0, %r1, %r2, %r3;", IN, C},
	    {'r', "vset.s32.u32.lt %r0, %r1, %r2;", {0xffffffff, 1}, 1}, /* -1 < 1: types are those of each source */
	    {'r', "vset.u32.s32.ge.add %r0, %r1.b3, %r2.b3, %r3;", IN, C + 1},
	    {'r', "vset.u32.u32.ne %r0.b2, %r1, %r1, %r3;", IN, C & 0xff00ffff},
	    {'r', "vshl.u32.u32.u32.wrap %r0, %r1, %r2;", {3, 33}, 6},
	    {'r', "vshl.u32.u32.u32.clamp %r0, %r1, %r2;", {3, 33}, 0},
	    {'r', "vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2;", {0xffffffff, 32}, 0xffffffff},
	    {'r', "vshl.s32.s32.u32.sat.clamp %r0, %r1, %r2;", {0xffffffff, 32}, 0x80000000},
	    {'r', "vshl.s32.s32.u32.sat.clamp %r0, %r1, %r2;", {0, 32}, 0},
	    {'r', "vshl.u32.u32.u32.clamp.add %r0, %r1, %r2, %r3;", {3, 4, 5}, 53},
	    {'r', "vshr.u32.u32.u32.clamp %r0, %r1, %r2;", {0xffffffff, 40}, 0},
	    {'r', "vshr.s32.s32.u32.wrap %r0, %r1, %r2;", {0x80000000, 36}, 0xf8000000},
	    {'r', "vmad.u32.u32.u32 %r0, %r1.h0, %r2.h1, %r3;", IN, (A & 0xffff) * (B >> 16) + C},
	    {'r', "vmad.s32.s32.s32.shr7 %r0, %r1.h0, %r2.h0, %r3;", IN, (uint32_t)((HALF(A, 0) * HALF(B, 0) + C) >> 7)},
	    {'r', "vmad.u32.u32.u32.shr15 %r0, %r1, %r2, %r3;", IN, (uint32_t)(((uint64_t)A * B + C) >> 15)},
	    {'r', "vmad.u32.u32.u32.po %r0, %r1.b0, %r2.b3, %r3;", IN, 2 + C + 1},
	    {'r', "vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;", {0x7fffffff, 2, 0}, 0x7fffffff},
	    {'r', "vmad.s32.s32.s32.sat %r0, %r1, %r2, %r3;", {0x7fffffff, (uint32_t)-2, 0}, 0x80000000},
	    {'r', "vmad.u32.u32.u32.sat %r0, %r1, %r2, %r3;", {0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff},
	};
	run_cases(cases, HD_COUNT(cases));
}

/* The bytes or halves of two words, through an expression in p and q. */
#define LANES4(is_signed, e) \
	(LANE(0, 8, is_signed, e) | LANE(1, 8, is_signed, e) << 8 | LANE(2, 8, is_signed, e) << 16 | LANE(3, 8, is_signed, e) << 24)
#define LANES2(is_signed, e) (LANE(0, 16, is_signed, e) | LANE(1, 16, is_signed, e) << 16)
#define LANE(i, bits, is_signed, e) ((uint32_t)e(lane(A, i, bits, is_signed), lane(B, i, bits, is_signed)) & (UINT32_MAX >> (32 - bits)))

static int64_t plus(int64_t p, int64_t q) { return p + q; }
static int64_t minus(int64_t p, int64_t q) { return p - q; }
static int64_t apart(int64_t p, int64_t q) { return p > q ? p - q : q - p; }
static int64_t average(int64_t p, int64_t q) { return (p + q + (p + q >= 0)) >> 1; }
static int64_t lesser(int64_t p, int64_t q) { return p < q ? p : q; }
static int64_t greater(int64_t p, int64_t q) { return p > q ? p : q; }
static int64_t equal(int64_t p, int64_t q) { return p == q; }
static int64_t below(int64_t p, int64_t q) { return p < q; }
static int64_t within(int64_t p, int64_t least, int64_t most) { return p < least ? least : p > most ? most : p; }
static int64_t plus8(int64_t p, int64_t q) { return within(p + q, -128, 127); }
static int64_t minus16(int64_t p, int64_t q) { return within(p - q, 0, 65535); }

TEST(bytes_and_halves)
{
	const value_case cases[] = {
	    {'r', "vadd4.u32.u32.u32 %r0, %r1, %r2, %r3;", IN, LANES4(false, plus)},
	    {'r', "vadd4.s32.s32.s32.sat %r0, %r1, %r2, %r3;", IN, LANES4(true, plus8)},
	    {'r', "vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;", IN, LANES2(false, plus)},
	    {'r', "vsub4.u32.u32.u32 %r0, %r1, %r2, %r3;", IN, LANES4(false, minus)},
	    {'r', "vsub2.u32.u32.u32.sat %r0, %r1, %r2, %r3;", IN, LANES2(false, minus16)},
	    {'r', "vabsdiff4.u32.u32.u32 %r0, %r1, %r2, %r3;", IN, LANES4(false, apart)},
	    {'r', "vabsdiff4.u32.s32.s32 %r0, %r1, %r2, %r3;", IN, LANES4(true, apart)},
	    {'r', "vabsdiff2.u32.s32.s32 %r0, %r1, %r2, %r3;", IN, LANES2(true, apart)},
	    {'r', "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;", IN,
	     C + (uint32_t)(apart(UBYTE(A, 0), UBYTE(B, 0)) + apart(UBYTE(A, 1), UBYTE(B, 1)) + apart(UBYTE(A, 2), UBYTE(B, 2)) +
	                    apart(UBYTE(A, 3), UBYTE(B, 3)))},
	    {'r', "vabsdiff2.s32.s32.s32.add %r0, %r1, %r2, %r3;", IN, C + (uint32_t)(apart(HALF(A, 0), HALF(B, 0)) + apart(HALF(A, 1), HALF(B, 1)))},
	    {'r', "vavrg4.u32.u32.u32 %r0, %r1, %r2, %r3;", IN, LANES4(false, average)},
	    {'r', "vavrg4.s32.s32.s32 %r0, %r1, %r2, %r3;", IN, LANES4(true, average)},
	    {'r', "vavrg2.s32.s32.s32 %r0, %r1, %r2, %r3;", IN, LANES2(true, average)},
	    {'r', "vmin4.s32.s32.s32 %r0, %r1, %r2, %r3;", IN, LANES4(true, lesser)},
	    {'r', "vmin2.u32.u32.u32 %r0, %r1, %r2, %r3;", IN, LANES2(false, lesser)},
	    {'r', "vmax4.u32.u32.u32 %r0, %r1, %r2, %r3;", IN, LANES4(false, greater)},
	    {'r', "vmax2.s32.s32.s32 %r0, %r1, %r2, %r3;", IN, LANES2(true, greater)},
	    {'r', "vset4.u32.u32.eq %r0, %r1, %r2, %r3;", IN, LANES4(false, equal)},
	    {'r', "vset2.s32.s32.lt %r0, %r1, %r2, %r3;", IN, LANES2(true, below)},
	    {'r', "vset4.s32.s32.lt.add %r0, %r1, %r2, %r3;", IN, C + 1 + (A >> 31)},
	    {'r', "vadd4.u32.u32.u32 %r0.b20, %r1, %r2, %r3;", IN, (LANES4(false, plus) & 0x00ff00ff) | (C & 0xff00ff00)},
	    {'r', "vadd4.u32.u32.u32.add %r0.b3, %r1, %r2, %r3;", IN, C + (uint32_t)(UBYTE(A, 3) + UBYTE(B, 3))},
	    {'r', "vadd2.u32.u32.u32 %r0.h1, %r1, %r2, %r3;", IN, (LANES2(false, plus) & 0xffff0000) | (C & 0xffff)},
	    /* Halves 0 and 3 of {b, a} against halves 1 and 2; bytes of one register alone. */
	    {'r', "vadd2.u32.u32.u32 %r0, %r1.h03, %r2.h12, %r3;", IN, ((A + (A >> 16)) << 16) | (((B >> 16) + B) & 0xffff)},
	    {'r', "vsub4.u32.u32.u32 %r0, %r1.b0000, %r2.b4444, %r3;", IN, ((A - B) & 0xff) * UINT32_C(0x01010101)},
	};
	run_cases(cases, HD_COUNT(cases));
}

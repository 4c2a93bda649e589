/* The values that instructions compute, through the whole tool chain and the oracle, against plain C. */
#include "values.h"

#include <math.h>

#define M7 ((uint32_t)-7)
#define BIG UINT64_C(0x123456789abcdef0)
#define NEG64 UINT64_C(0xfedcba9876543210)

TEST(integers)
{
	(void)state;
	const value_case cases[] = {
	    {'r', "mul.hi.s32 %r0, %r1, %r2;", {M7, 5}, 0xffffffff},
	    {'r', "mul.hi.u32 %r0, %r1, %r2;", {M7, 5}, 4},
	    {'R', "mul.wide.s32 %rd0, %r1, %r2;", {M7, 5}, (uint64_t)-35},
	    {'R', "mul.wide.u32 %rd0, %r1, %r2;", {M7, 5}, UINT64_C(0x4ffffffdd)},
	    {'r', "mul.wide.s16 %r0, %rs1, %rs2;", {0x7777fff9, 0x12340005}, (uint32_t)-35},
	    {'r', "mul.wide.u16 %r0, %rs1, %rs2;", {0x7777fff9, 0x12340005}, 0xfff9u * 5},
	    {'s', "mul.hi.s16 %rs0, %rs1, %rs2;", {0x77778000, 0x12344000}, 0xe000},
	    {'s', "mul.hi.u16 %rs0, %rs1, %rs2;", {0x77778000, 0x12344000}, 0x2000},
	    {'s', "mul.lo.s16 %rs0, %rs1, %rs2;", {0x77770003, 0x1234fffe}, 0xfffa},
	    {'R', "mul.hi.u64 %rd0, %rd1, %rd2;", {BIG, NEG64}, (uint64_t)(((unsigned __int128)BIG * NEG64) >> 64)},
	    {'R', "mul.hi.s64 %rd0, %rd1, %rd2;", {BIG, NEG64}, (uint64_t)((uint64_t)(((unsigned __int128)BIG * NEG64) >> 64) - BIG)},
	    {'R', "mad.lo.s64 %rd0, %rd1, %rd2, %rd3;", {BIG, 3, 7}, BIG * 3 + 7},
	    {'R', "mad.wide.s32 %rd0, %r1, %r2, %rd3;", {M7, 5, BIG}, BIG - 35},
	    {'r', "mad.hi.sat.s32 %r0, %r1, %r2, %r3;", {0x7fffffff, 0x7fffffff, 0x7fffffff}, 0x7fffffff},
	    {'r', "mul24.lo.s32 %r0, %r1, %r2;", {0xaa800000, 3}, 0xfe800000},
	    {'r', "mul24.hi.s32 %r0, %r1, %r2;", {0xaa800000, 0x400000}, 0xe0000000},
	    {'r', "mul24.hi.u32 %r0, %r1, %r2;", {0xaa800000, 0x400000}, 0x20000000},
	    {'r', "mad24.lo.u32 %r0, %r1, %r2, %r3;", {0xff000003, 0xff000004, 5}, 17},
	    {'r', "sad.s32 %r0, %r1, %r2, %r3;", {M7, 5, 100}, 112},
	    {'r', "sad.u32 %r0, %r1, %r2, %r3;", {3, 5, 100}, 102},
	    {'R', "sad.s64 %rd0, %rd1, %rd2, %rd3;", {(uint64_t)-9, 1, 5}, 15},
	    {'r', "div.s32 %r0, %r1, %r2;", {M7, 2}, (uint32_t)-3},
	    {'r', "div.u32 %r0, %r1, %r2;", {M7, 2}, M7 / 2},
	    {'r', "rem.s32 %r0, %r1, %r2;", {M7, 2}, (uint32_t)-1},
	    {'s', "div.s16 %rs0, %rs1, %rs2;", {0x5555fff9, 0x66660002}, 0xfffd},
	    {'s', "rem.u16 %rs0, %rs1, %rs2;", {0x5555fff9, 0x6666000a}, 0xfff9 % 10},
	    {'R', "div.u64 %rd0, %rd1, %rd2;", {NEG64, 1000}, NEG64 / 1000},
	    {'R', "div.s64 %rd0, %rd1, %rd2;", {NEG64, 1000}, (uint64_t)((int64_t)NEG64 / 1000)},
	    {'R', "rem.s64 %rd0, %rd1, %rd2;", {NEG64, 1000}, (uint64_t)((int64_t)NEG64 % 1000)},
	    {'s', "abs.s16 %rs0, %rs1;", {0x1234fff9}, 7},
	    {'s', "max.s16 %rs0, %rs1, %rs2;", {0x1234fff9, 0x80000003}, 3},
	    {'s', "max.u16 %rs0, %rs1, %rs2;", {0x1234fff9, 0x80000003}, 0xfff9},
	    {'R', "min.s64 %rd0, %rd1, %rd2;", {NEG64, 1}, NEG64},
	    {'r', "add.sat.s32 %r0, %r1, %r2;", {0x7fffffff, 1}, 0x7fffffff},
	    {'r', "sub.sat.s32 %r0, %r1, %r2;", {0x80000000, 1}, 0x80000000},
	    {'r', "add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, 0, 0;", {0xffffffff, 1}, 1},
	    {'r', "sub.cc.u32 %r5, %r1, %r2; subc.u32 %r0, %r3, %r4;", {1, 2, 10, 3}, 6},
	    {'R', "add.cc.u64 %rd5, %rd1, %rd2; addc.u64 %rd0, %rd3, %rd4;", {UINT64_MAX, 1, 5, 6}, 12},
	    {'R', "sub.cc.u64 %rd5, %rd1, %rd2; subc.u64 %rd0, %rd3, %rd4;", {0, 1, 5, 6}, (uint64_t)-2},
	    {'R', "add.cc.u64 %rd1, %rd1, %rd1; addc.u64 %rd0, %rd1, 0;", {UINT64_C(0x8000000000000001)}, 3},
	    {'r', "mad.lo.cc.u32 %r5, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, %r4;", {0xffffffff, 0xffffffff, 0xffffffff, 7}, 0xfffffffe + 7 + 1},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(bits)
{
	(void)state;
	const value_case cases[] = {
	    {'r', "cnot.b32 %r0, %r1;", {0}, 1},
	    {'s', "cnot.b16 %rs0, %rs1;", {0x12340000}, 1},
	    {'R', "cnot.b64 %rd0, %rd1;", {BIG}, 0},
	    {'r', "lop3.b32 %r0, %r1, %r2, %r3, 0x96;", {0x0ff0, 0x3333, 0x5555}, 0x0ff0 ^ 0x3333 ^ 0x5555},
	    {'r', "lop3.b32 %r0, %r1, %r2, %r3, 0xE8;", {0x0ff0, 0x3333, 0x5555}, (0x0ff0 & 0x3333) | (0x0ff0 & 0x5555) | (0x3333 & 0x5555)},
	    {'r', "lop3.b32 %r0, %r1, %r2, %r3, 0x1B;", {0xf0, 0xcc, 0xaa}, 0xffffff1b},
	    {'r', "shl.b32 %r0, %r1, %r2;", {1, 32}, 0},
	    {'s', "shr.s16 %rs0, %rs1, %r2;", {0x12348000, 3}, 0xf000},
	    {'s', "shr.u16 %rs0, %rs1, %r2;", {0x12348000, 3}, 0x1000},
	    {'R', "shr.s64 %rd0, %rd1, %r2;", {NEG64, 100}, UINT64_MAX},
	    {'r', "shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0x12345678, 0x9abcdef0, 36}, 0xabcdef01},
	    {'r', "shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {0x12345678, 0x9abcdef0, 36}, 0x9abcdef0},
	    {'r', "popc.b64 %r0, %rd1;", {BIG}, (uint64_t)__builtin_popcountll(BIG)},
	    {'r', "clz.b64 %r0, %rd1;", {BIG}, 3},
	    {'R', "brev.b64 %rd0, %rd1;", {1}, UINT64_C(1) << 63},
	    {'r', "bfind.s32 %r0, %r1;", {0xfffffff0}, 3},
	    {'r', "bfind.shiftamt.u32 %r0, %r1;", {0x00800000}, 8},
	    {'r', "bfind.shiftamt.u32 %r0, %r1;", {0}, 0xffffffff},
	    {'r', "bfind.shiftamt.u64 %r0, %rd1;", {1}, 63},
	    {'r', "bfe.s32 %r0, %r1, 4, 8;", {0x00000f80}, 0xfffffff8},
	    {'R', "bfe.u64 %rd0, %rd1, 60, 8;", {BIG}, 1},
	    {'r', "bfi.b32 %r0, %r1, %r2, 8, 8;", {0xabcd, 0x11223344}, 0x1122cd44},
	    {'r', "bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0xff, 0, 0x104, 4}, 0xf0},
	    {'R', "bfi.b64 %rd0, %rd1, %rd2, 32, 16;", {0xabcd, BIG}, UINT64_C(0x1234abcd9abcdef0)},
	    {'r', "prmt.b32 %r0, %r1, %r2, 0x7a10;", {0x80ff4020, 0x11223344}, 0x11ff4020},
	    {'r', "prmt.b32.f4e %r0, %r1, %r2, 1;", {0x13121110, 0x17161514}, 0x14131211},
	    {'r', "prmt.b32.f4e %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 7}, 0x16151413},
	    {'r', "prmt.b32.b4e %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 0}, 0x15161710},
	    {'r', "prmt.b32.b4e %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 2}, 0x17101112},
	    {'r', "prmt.b32.b4e %r0, %r1, %r2, 3;", {0x13121110, 0x17161514}, 0x10111213},
	    {'r', "prmt.b32.rc8 %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 1}, 0x11111111},
	    {'r', "prmt.b32.rc8 %r0, %r1, %r2, 2;", {0x13121110, 0x17161514}, 0x12121212},
	    {'r', "prmt.b32.ecl %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 1}, 0x13121111},
	    {'r', "prmt.b32.ecl %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 3}, 0x13131313},
	    {'r', "prmt.b32.ecr %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 1}, 0x11111110},
	    {'r', "prmt.b32.ecr %r0, %r1, %r2, 2;", {0x13121110, 0x17161514}, 0x12121110},
	    {'r', "prmt.b32.rc16 %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 3}, 0x13121312},
	    {'r', "prmt.b32.rc16 %r0, %r1, %r2, %r3;", {0x13121110, 0x17161514, 2}, 0x11101110},
	    {'r', "dp4a.s32.s32 %r0, %r1, %r2, %r3;", {0xff020304, 0x05060708, 10}, 10 - 5 + 12 + 21 + 32},
	    {'r', "dp4a.u32.u32 %r0, %r1, %r2, %r3;", {0xff020304, 0x05060708, 10}, 10 + 255 * 5 + 12 + 21 + 32},
	    {'r', "dp2a.hi.s32.u32 %r0, %r1, %r2, %r3;", {0xffff0002, 0x05060708, 10}, 10 + 12 - 5},
	    {'r', "mov.b32 %r0, {%rs1, %rs2};", {0x55551111, 0x66662222}, 0x22221111},
	    {'s', "mov.b32 {_, %rs0}, %r1;", {0xabcd1111}, 0xabcd},
	    {'R', "mov.b64 %rd0, {%rs4, %rs3, %rs2, %rs1};", {0xffff1111, 0xffff2222, 0xffff3333, 0xffff4444}, UINT64_C(0x1111222233334444)},
	    {'s', "mov.b64 {_, _, %rs0, _}, %rd1;", {BIG}, 0x5678},
	    {'R', "mov.b64 {%r5, %r6}, %rd1; mov.b64 %rd0, {%r6, %r5};", {BIG}, UINT64_C(0x9abcdef012345678)},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(comparisons)
{
	(void)state;
	const uint64_t nan = 0x7fc00000;
	const value_case cases[] = {
	    {'p', "setp.lt.s32 %p0, %r1, %r2;", {M7, 5}, 1},
	    {'p', "setp.lt.u32 %p0, %r1, %r2;", {M7, 5}, 0},
	    {'p', "setp.hi.u32 %p0, %r1, %r2;", {M7, 5}, 1},
	    {'p', "setp.lt.s16 %p0, %rs1, %rs2;", {0x1111fff9, 0x22220005}, 1},
	    {'p', "setp.lt.u16 %p0, %rs1, %rs2;", {0x1111fff9, 0x22220005}, 0},
	    {'p', "setp.eq.b16 %p0, %rs1, %rs2;", {0x11110005, 0x22220005}, 1},
	    {'p', "setp.eq.s16 %p0, %rs1, -7;", {0x1111fff9}, 1},
	    {'p', "setp.gt.s64 %p0, %rd1, %rd2;", {NEG64, 1}, 0},
	    {'p', "setp.lt.f32 %p0, %f1, %f2;", {nan, f(1)}, 0},
	    {'p', "setp.ltu.f32 %p0, %f1, %f2;", {nan, f(1)}, 1},
	    {'p', "setp.ne.f32 %p0, %f1, %f2;", {nan, f(1)}, 0},
	    {'p', "setp.neu.f32 %p0, %f1, %f2;", {nan, f(1)}, 1},
	    {'p', "setp.num.f32 %p0, %f1, %f2;", {nan, f(1)}, 0},
	    {'p', "setp.nan.f32 %p0, %f1, %f2;", {nan, f(1)}, 1},
	    {'p', "setp.ge.f64 %p0, %fd1, %fd2;", {d(2), d(1)}, 1},
	    {'p', "setp.eq.ftz.f32 %p0, %f1, 0f00000000;", {1}, 1},
	    {'p', "setp.lt.and.s32 %p0, %r1, %r2, %p3;", {1, 2, 0}, 0},
	    {'p', "setp.lt.and.s32 %p0, %r1, %r2, !%p3;", {1, 2, 0}, 1},
	    {'p', "setp.lt.xor.s32 %p0, %r1, %r2, %p3;", {1, 2, 1}, 0},
	    {'p', "setp.lt.or.s32 %p1|%p0, %r1, %r2, %p3;", {1, 2, 0}, 0},
	    {'p', "setp.lt.or.s32 %p1|%p0, %r1, %r2, %p3;", {2, 1, 0}, 1},
	    {'p', "setp.lt.s32 %p0|%p5, %r1, %r2; not.pred %p5, %p5; and.pred %p0, %p0, %p5;", {1, 2}, 1},
	    {'p', "setp.lt.f16 %p0, %rs1, %rs2;", {0xffffbc00, 0xffff3c00}, 1},
	    {'r', "set.lt.u32.s32 %r0, %r1, %r2;", {M7, 5}, 0xffffffff},
	    {'f', "set.lt.f32.s32 %f0, %r1, %r2;", {M7, 5}, f(1)},
	    {'r', "selp.b32 %r0, %r1, %r2, %p3;", {1, 2, 0}, 2},
	    {'R', "selp.b64 %rd0, %rd1, %rd2, !%p3;", {BIG, 2, 0}, BIG},
	    {'r', "slct.b32.s32 %r0, %r1, %r2, %r3;", {1, 2, M7}, 2},
	    {'r', "slct.b32.f32 %r0, %r1, %r2, %f3;", {1, 2, 0x80000000}, 1},
	    {'p', "xor.pred %p0, %p1, %p2;", {1, 0}, 1},
	    {'p', "or.pred %p0, %p1, !%p2;", {0, 1}, 0},
	    {'p', "mov.pred %p0, 1;", {0}, 1},
	    {'p', "testp.subnormal.f32 %p0, %f1;", {1}, 1},
	    {'p', "testp.infinite.f64 %p0, %fd1;", {d(INFINITY)}, 1},
	    {'r', "mov.u32 %r0, 3; @%p1 mov.u32 %r0, 4; @!%p1 mov.u32 %r0, 5;", {0}, 5},
	    {'r', "mov.u32 %r0, 3; @%p1 mad24.lo.u32 %r0, %r2, %r2, %r2;", {0, 9}, 3},
	    {'r', "mov.u32 %r0, 3; @%p1 mad24.lo.u32 %r0, %r2, %r2, %r2;", {1, 9}, 90},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(floats)
{
	(void)state;
	const float third = 1.0f / 3.0f;
	const value_case cases[] = {
	    {'f', "add.f32 %f0, %f1, %f2;", {f(1), f(0x1p-24f)}, f(1)},
	    {'f', "add.rp.f32 %f0, %f1, %f2;", {f(1), f(0x1p-24f)}, f(1 + 0x1p-23f)},
	    {'f', "sub.rm.f32 %f0, %f1, %f2;", {f(1), f(0x1p-60f)}, f(1 - 0x1p-24f)},
	    {'f', "mul.rz.f32 %f0, %f1, %f2;", {f(third), f(third)}, f(nextafterf(0.11111111f, 0)) /* see below */},
	    {'f', "fma.rn.f32 %f0, %f1, %f2, %f3;", {f(third), f(3), f(-1)}, f(fmaf(third, 3, -1))},
	    {'f', "fma.rn.sat.f32 %f0, %f1, %f2, %f3;", {f(2), f(3), f(-1)}, f(1)},
	    {'f', "add.ftz.f32 %f0, %f1, %f2;", {1, 0x80000001}, 0},
	    {'f', "mul.ftz.f32 %f0, %f1, %f2;", {f(0x1p-100f), f(-0x1p-40f)}, 0x80000000},
	    {'f', "add.sat.f32 %f0, %f1, %f2;", {f(-3), f(1)}, 0},
	    {'f', "div.rn.f32 %f0, %f1, %f2;", {f(1), f(3)}, f(third)},
	    {'f', "div.full.f32 %f0, %f1, %f2;", {f(0x1p127f), f(0x1p127f)}, f(1)},
	    {'f', "div.approx.f32 %f0, %f1, %f2;", {f(6), f(2)}, f(3)},
	    {'f', "sqrt.rn.f32 %f0, %f1;", {f(2)}, f(sqrtf(2))},
	    {'f', "rcp.rn.f32 %f0, %f1;", {f(3)}, f(third)},
	    {'f', "rcp.approx.f32 %f0, %f1;", {f(4)}, f(0.25f)},
	    {'f', "ex2.approx.f32 %f0, %f1;", {f(3)}, f(8)},
	    {'f', "lg2.approx.f32 %f0, %f1;", {f(8)}, f(3)},
	    {'f', "rsqrt.approx.f32 %f0, %f1;", {f(16)}, f(0.25f)},
	    {'f', "min.f32 %f0, %f1, %f2;", {0x7fc00000, f(1)}, f(1)},
	    {'f', "max.f32 %f0, %f1, %f2;", {0x80000000, 0}, 0},
	    {'f', "copysign.f32 %f0, %f1, %f2;", {f(-0.0f), f(5)}, f(-5)},
	    {'f', "neg.f32 %f0, %f1;", {f(5)}, f(-5)},
	    {'d', "add.f64 %fd0, %fd1, %fd2;", {d(1), d(2)}, d(3)},
	    {'d', "fma.rn.f64 %fd0, %fd1, %fd2, %fd3;", {d(1.0 / 3), d(3), d(-1)}, d(fma(1.0 / 3, 3, -1))},
	    {'d', "div.rn.f64 %fd0, %fd1, %fd2;", {d(1), d(3)}, d(1.0 / 3)},
	    {'d', "div.rp.f64 %fd0, %fd1, %fd2;", {d(1), d(3)}, d(nextafter(1.0 / 3, 1))},
	    {'d', "sqrt.rn.f64 %fd0, %fd1;", {d(2)}, d(sqrt(2))},
	    {'d', "rcp.rn.f64 %fd0, %fd1;", {d(3)}, d(1.0 / 3)},
	    {'d', "rsqrt.approx.f64 %fd0, %fd1;", {d(16)}, d(0.25)},
	    {'d', "abs.f64 %fd0, %fd1;", {d(-2)}, d(2)},
	    {'s', "add.rn.f16 %rs0, %rs1, %rs2;", {0xabcd3c00, 0xabcd4000}, 0x4200},
	    {'s', "mul.f16 %rs0, %rs1, %rs2;", {0xabcd4000, 0xabcd4200}, 0x4600},
	    {'s', "fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", {0x4000, 0x4200, 0x3c00}, 0x4700},
	    /* 1 + 2^-11 (half an ulp) + 2^-22: only one rounding goes up */
	    {'s', "fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", {0x1001, 0x3800, 0x3c00}, 0x3c00},
	    {'s', "fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", {0x1001, 0x3c00, 0x3c00}, 0x3c01},
	    {'s', "neg.f16 %rs0, %rs1;", {0xffff3c00}, 0xbc00},
	    {'r', "add.f16x2 %r0, %r1, %r2;", {0x3c004000, 0x40003c00}, 0x42004200},
	    {'s', "add.ftz.f16 %rs0, %rs1, %rs2;", {0x0001, 0x8000}, 0x0000},
	};
	value_case copy[HD_COUNT(cases)];
	memcpy(copy, cases, sizeof cases);
	/* The product of two floats is exact in double: rounded to zero by hand. */
	double product = (double)third * (double)third;
	float nearest = (float)product;
	copy[3].want = f((double)nearest > product ? nextafterf(nearest, 0) : nearest);
	run_cases(copy, HD_COUNT(copy));
}

TEST(conversions)
{
	(void)state;
	const value_case cases[] = {
	    {'R', "cvt.s64.s32 %rd0, %r1;", {M7}, (uint64_t)-7},
	    {'R', "cvt.u64.u32 %rd0, %r1;", {M7}, M7},
	    {'R', "cvt.s64.s8 %rd0, %r1;", {0x1234ff80}, (uint64_t)-128},
	    {'R', "cvt.u64.u16 %rd0, %rs1;", {0x1234ff80}, 0xff80},
	    {'r', "cvt.s32.s16 %r0, %rs1;", {0x1234ff80}, 0xffffff80},
	    {'r', "cvt.u32.u16 %r0, %rs1;", {0x1234ff80}, 0xff80},
	    {'r', "cvt.u8.u32 %r0, %r1;", {0x1234ff80}, 0x80},
	    {'r', "cvt.s8.s32 %r0, %r1;", {0x1234ff80}, 0xffffff80},
	    {'r', "cvt.sat.s8.s32 %r0, %r1;", {1000}, 127},
	    {'r', "cvt.sat.s8.s32 %r0, %r1;", {(uint32_t)-1000}, 0xffffff80},
	    {'r', "cvt.sat.u8.s32 %r0, %r1;", {(uint32_t)-1000}, 0},
	    {'s', "cvt.sat.u16.s64 %rs0, %rd1;", {BIG}, 0xffff},
	    {'r', "cvt.sat.s32.u64 %r0, %rd1;", {NEG64}, 0x7fffffff},
	    {'R', "cvt.sat.u64.s32 %rd0, %r1;", {M7}, 0},
	    {'f', "cvt.rn.f32.s32 %f0, %r1;", {M7}, f(-7)},
	    {'f', "cvt.rn.f32.s8 %f0, %r1;", {0x123456f9}, f(-7)},
	    {'f', "cvt.rn.f32.u16 %f0, %rs1;", {0x1234fff9}, f(65529)},
	    {'f', "cvt.rz.f32.u32 %f0, %r1;", {0xffffffff}, f(4294967040.0f)},
	    {'f', "cvt.rp.f32.s64 %f0, %rd1;", {(uint64_t)-16777217}, f(-16777216.0f)},
	    {'f', "cvt.rn.sat.f32.s32 %f0, %r1;", {5}, f(1)},
	    {'d', "cvt.rn.f64.s64 %fd0, %rd1;", {(uint64_t)-5}, d(-5)},
	    {'d', "cvt.rn.f64.u32 %fd0, %r1;", {0xffffffff}, d(4294967295.0)},
	    {'r', "cvt.rzi.s32.f32 %r0, %f1;", {f(-2.7f)}, (uint32_t)-2},
	    {'r', "cvt.rni.s32.f32 %r0, %f1;", {f(2.5f)}, 2},
	    {'r', "cvt.rmi.s32.f32 %r0, %f1;", {f(-2.1f)}, (uint32_t)-3},
	    {'r', "cvt.rpi.u32.f32 %r0, %f1;", {f(2.1f)}, 3},
	    {'r', "cvt.rzi.u32.f32 %r0, %f1;", {f(-5)}, 0},
	    {'r', "cvt.rzi.s32.f32 %r0, %f1;", {0x7fc00000}, 0},
	    {'r', "cvt.rzi.s8.f32 %r0, %f1;", {f(-300)}, 0xffffff80},
	    {'r', "cvt.rzi.u8.f32 %r0, %f1;", {f(300)}, 255},
	    {'R', "cvt.rzi.u64.f64 %rd0, %fd1;", {d(0x1p63)}, UINT64_C(1) << 63},
	    {'R', "cvt.rzi.s64.f32 %rd0, %f1;", {f(-0x1p40f)}, (uint64_t) - (INT64_C(1) << 40)},
	    {'f', "cvt.rn.f32.f64 %f0, %fd1;", {d(0.1)}, f(0.1f)},
	    {'f', "cvt.rm.f32.f64 %f0, %fd1;", {d(0.1)}, f(nextafterf(0.1f, 0))},
	    {'d', "cvt.f64.f32 %fd0, %f1;", {f(0.1f)}, d(0.1f)},
	    {'s', "cvt.rn.f16.f32 %rs0, %f1;", {f(1.5f)}, 0x3e00},
	    {'f', "cvt.f32.f16 %f0, %rs1;", {0xffff3e00}, f(1.5f)},
	    {'d', "cvt.f64.f16 %fd0, %rs1;", {0xffffbe00}, d(-1.5)},
	    {'s', "cvt.rn.f16.s32 %rs0, %r1;", {(uint32_t)-2}, 0xc000},
	    {'r', "cvt.rzi.s16.f16 %r0, %rs1;", {0xc500}, 0xfffffffb},
	    {'f', "cvt.rni.f32.f32 %f0, %f1;", {f(2.5f)}, f(2)},
	    {'f', "cvt.rpi.f32.f32 %f0, %f1;", {f(-0.5f)}, f(-0.0f)},
	    {'d', "cvt.rmi.f64.f64 %fd0, %fd1;", {d(-1.5)}, d(-2)},
	    {'f', "cvt.sat.f32.f32 %f0, %f1;", {f(1.5f)}, f(1)},
	    {'d', "cvt.sat.f64.f64 %fd0, %fd1;", {d(-1.5)}, d(0)},
	    {'f', "cvt.ftz.f32.f32 %f0, %f1;", {0x80000001}, 0x80000000},
	    {'f', "cvt.f32.f32 %f0, %f1;", {f(2.5f)}, f(2.5f)},
	    {'r', "cvt.rn.f16x2.f32 %r0, %f1, %f2;", {f(1), f(2)}, 0x3c004000},
	};
	run_cases(cases, HD_COUNT(cases));
}

/* A NaN becomes 0 only where neither side has 64 bits; nvcc's headers promise the top bit elsewhere. */
TEST(a_nan_as_an_integer_of_64_bits)
{
	const uint64_t nan = UINT64_C(0x7ff8000000000000), single = 0x7fc00000, half = 0x7e00, top = UINT64_C(1) << 63;
	const value_case cases[] = {
	    {'R', "cvt.rzi.s64.f64 %rd0, %fd1;", {nan}, top},
	    {'R', "cvt.rni.u64.f64 %rd0, %fd1;", {nan}, top},
	    {'R', "cvt.rzi.s64.f32 %rd0, %f1;", {single}, top},
	    {'R', "cvt.rmi.u64.f32 %rd0, %f1;", {single}, top},
	    {'R', "cvt.rni.s64.f16 %rd0, %rs1;", {half}, top},
	    {'R', "cvt.rzi.u64.bf16 %rd0, %rs1;", {0x7fc0}, top},
	    {'R', "cvt.rni.s64.bf16 %rd0, %rs1;", {0xc020}, (uint64_t)-2}, /* -2.5 */
	    {'r', "cvt.rzi.s32.f64 %r0, %fd1;", {nan}, 0x80000000},
	    {'r', "cvt.rpi.u32.f64 %r0, %fd1;", {nan}, 0x80000000},
	    {'s', "cvt.rzi.s16.f64 %rs0, %fd1;", {nan}, 0x8000},
	    {'r', "cvt.rzi.s32.f32 %r0, %f1;", {single}, 0},
	    {'r', "cvt.rzi.u32.f16 %r0, %rs1;", {half}, 0},
	    {'R', "cvt.rni.s64.f64 %rd0, %fd1;", {d(2.5)}, 2},
	    {'R', "cvt.rmi.s64.f32 %rd0, %f1;", {f(-2.5f)}, (uint64_t)-3},
	    {'r', "cvt.rpi.u32.f64 %r0, %fd1;", {d(-1)}, 0},
	    {'r', "cvt.rzi.s16.f64 %r0, %fd1;", {d(-40000)}, 0xffff8000},
	    {'R', "cvt.rzi.ftz.s64.f32 %rd0, %f1;", {f(0x1p40f)}, UINT64_C(1) << 40},
	};
	run_cases(cases, HD_COUNT(cases));
}

/* A subtraction leaves the carry of an addition of the complement: nvcc's division of 128 bits adds it up. */
TEST(the_carry_of_a_subtraction)
{
	const value_case cases[] = {
	    {'r', "sub.cc.u32 %r5, %r1, %r2; addc.u32 %r0, 0, 0;", {5, 3}, 1},
	    {'r', "sub.cc.u32 %r5, %r1, %r2; addc.u32 %r0, 0, 0;", {3, 5}, 0},
	    {'r', "add.cc.u32 %r5, %r1, %r2; subc.u32 %r0, 7, 0;", {1, 2}, 6},
	    {'r', "add.cc.u32 %r5, %r1, %r2; subc.u32 %r0, 7, 0;", {0xffffffff, 2}, 7},
	    {'r', "sub.cc.u32 %r5, %r1, %r2; subc.cc.u32 %r6, %r3, 0; addc.u32 %r0, %r6, 0;", {0, 1, 4}, 4},
	    {'R', "sub.cc.u64 %rd5, %rd1, %rd2; addc.u64 %rd0, %rd3, 0;", {BIG, 1, 40}, 41},
	    {'r', "mad.lo.cc.u32 %r5, %r1, %r2, %r3; subc.u32 %r0, 0, 0;", {1, 1, 1}, 0xffffffff},
	};
	run_cases(cases, HD_COUNT(cases));
}

/* A denormal divisor has no reciprocal, and the quotient may be small all the same. nvcc's fmodf divides so. */
TEST(an_approximate_division_by_a_denormal)
{
	const value_case cases[] = {
	    {'f', "div.approx.f32 %f0, %f1, %f2;", {0x00010000, 0x00008000}, f(2)},
	    {'f', "div.approx.f32 %f0, %f1, %f2;", {f(-3), f(4)}, f(-0.75f)},
	    {'f', "div.approx.ftz.f32 %f0, %f1, %f2;", {f(1), 0x00008000}, 0x7f800000},
	    {'f', "div.approx.f32 %f0, %f1, %f2;", {f(0), f(0)}, 0x7fffffff},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(pairs_of_16_bits)
{
	const value_case cases[] = {
	    {'r', "add.u16x2 %r0, %r1, %r2;", {0x0001ffff, 0x00020003}, 0x00030002},
	    {'r', "add.s16x2 %r0, %r1, %r2;", {0x7fff8000, 0x0001ffff}, 0x80007fff},
	    {'r', "max.u16x2 %r0, %r1, %r2;", {0xffff0001, 0x00018000}, 0xffff8000},
	    {'r', "max.s16x2 %r0, %r1, %r2;", {0xffff0001, 0x00018000}, 0x00010001},
	    {'r', "min.u16x2 %r0, %r1, %r2;", {0xffff0001, 0x00018000}, 0x00010001},
	    {'r', "min.s16x2 %r0, %r1, %r2;", {0xffff0001, 0x00018000}, 0xffff8000},
	    {'r', "max.s16x2.relu %r0, %r1, %r2;", {0xfff00005, 0xfffe0009}, 9},
	    {'r', "min.s16x2.relu %r0, %r1, %r2;", {0xfff00005, 0x00010009}, 5},
	    {'r', "min.s32.relu %r0, %r1, %r2;", {M7, 5}, 0},
	    {'r', "max.s32.relu %r0, %r1, %r2;", {M7, 5}, 5},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(extremes_of_floats)
{
	const uint64_t nan = 0xffc00001;
	const value_case cases[] = {
	    {'f', "max.NaN.f32 %f0, %f1, %f2;", {nan, f(1)}, 0x7fffffff},
	    {'f', "min.NaN.f32 %f0, %f1, %f2;", {f(1), nan}, 0x7fffffff},
	    {'f', "max.NaN.f32 %f0, %f1, %f2;", {f(2), f(1)}, f(2)},
	    {'f', "max.f32 %f0, %f1, %f2;", {nan, f(1)}, f(1)},
	    {'f', "max.xorsign.abs.f32 %f0, %f1, %f2;", {f(-3), f(2)}, f(-3)},
	    {'f', "min.xorsign.abs.f32 %f0, %f1, %f2;", {f(-3), f(-2)}, f(2)},
	    {'f', "min.NaN.xorsign.abs.f32 %f0, %f1, %f2;", {f(-3), nan}, 0x7fffffff},
	    {'f', "min.ftz.NaN.f32 %f0, %f1, %f2;", {1, 2}, 0},
	    {'s', "max.NaN.f16 %rs0, %rs1, %rs2;", {0xfe01, 0x3c00}, 0x7fff},
	    {'s', "max.xorsign.abs.f16 %rs0, %rs1, %rs2;", {0xc200, 0x4000}, 0xc200},
	    {'r', "min.NaN.f16x2 %r0, %r1, %r2;", {0x7e003c00, 0x3c004000}, 0x7fff3c00},
	    {'s', "min.NaN.bf16 %rs0, %rs1, %rs2;", {0x7fc1, 0x3f80}, 0x7fff},
	    {'r', "max.NaN.bf16x2 %r0, %r1, %r2;", {0x3f807fc1, 0x40003f80}, 0x40007fff},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(halves_that_are_not_negative)
{
	const value_case cases[] = {
	    {'s', "fma.rn.relu.f16 %rs0, %rs1, %rs2, %rs3;", {0x4000, 0x4200, 0xc700}, 0}, /* 2 * 3 - 7 */
	    {'s', "fma.rn.relu.f16 %rs0, %rs1, %rs2, %rs3;", {0x4000, 0x4200, 0x3c00}, 0x4700},
	    {'s', "fma.rn.relu.f16 %rs0, %rs1, %rs2, %rs3;", {0x7e00, 0x4200, 0x3c00}, 0x7fff},
	    {'r', "fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;", {0x4000c000, 0x42004200, 0x3c003c00}, 0x47000000},
	    {'s', "fma.rn.relu.bf16 %rs0, %rs1, %rs2, %rs3;", {0x4000, 0xc040, 0x3f80}, 0},
	    {'r', "fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", {0x40004000, 0x4040c040, 0x3f803f80}, 0x40e00000},
	    {'s', "cvt.rn.relu.f16.f32 %rs0, %f1;", {f(-2)}, 0},
	    {'s', "cvt.rn.relu.bf16.f32 %rs0, %f1;", {f(-2)}, 0},
	    {'r', "cvt.rn.relu.f16x2.f32 %r0, %f1, %f2;", {f(-2), f(1)}, 0x3c00},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(bfloat16_from_any_type)
{
	const value_case cases[] = {
	    {'s', "cvt.rn.bf16.s32 %rs0, %r1;", {M7}, 0xc0e0},
	    {'s', "cvt.rn.bf16.u32 %rs0, %r1;", {0x01010001}, 0x4b81}, /* above a tie by what a single does not hold */
	    {'s', "cvt.rn.bf16.u32 %rs0, %r1;", {0x01010000}, 0x4b80}, /* a tie */
	    {'s', "cvt.rz.bf16.u32 %rs0, %r1;", {0x0101ffff}, 0x4b80},
	    {'s', "cvt.rp.bf16.u32 %rs0, %r1;", {0x01000001}, 0x4b81},
	    {'s', "cvt.rm.bf16.s32 %rs0, %r1;", {0xfeffffff}, 0xcb81},
	    {'s', "cvt.rp.bf16.s32 %rs0, %r1;", {0xfeffffff}, 0xcb80},
	    {'s', "cvt.rn.bf16.s16 %rs0, %rs1;", {0xfff9}, 0xc0e0},
	    {'s', "cvt.rn.bf16.u64 %rs0, %rd1;", {UINT64_C(0x0101000000000001)}, 0x5b81},
	    {'s', "cvt.rn.bf16.f64 %rs0, %fd1;", {d(1.00390625 + 0x1p-40)}, 0x3f81},
	    {'s', "cvt.rn.bf16.f64 %rs0, %fd1;", {d(1.00390625)}, 0x3f80},
	    {'s', "cvt.rn.bf16.f16 %rs0, %rs1;", {0xc200}, 0xc040},
	    {'s', "cvt.rp.bf16.f32 %rs0, %f1;", {0x3f800001}, 0x3f81},
	    {'s', "cvt.rm.bf16.f32 %rs0, %f1;", {0x3f80ffff}, 0x3f80},
	    {'s', "cvt.rm.bf16.f32 %rs0, %f1;", {0xbf800001}, 0xbf81},
	    {'s', "cvt.rni.bf16.bf16 %rs0, %rs1;", {0x4020}, 0x4000}, /* 2.5 */
	    {'s', "cvt.rn.f16.bf16 %rs0, %rs1;", {0xc040}, 0xc200},
	    {'d', "cvt.f64.bf16 %fd0, %rs1;", {0xc040}, d(-3)},
	    {'s', "cvt.rn.satfinite.f16.f32 %rs0, %f1;", {f(1e9f)}, 0x7bff},
	};
	run_cases(cases, HD_COUNT(cases));
}

/* 0x7e is 448 and 0x7b is 57344, the greatest ones; NaN is 0x7f. */
TEST(floats_of_8_bits)
{
	const value_case cases[] = {
	    {'s', "cvt.rn.satfinite.e4m3x2.f32 %rs0, %f1, %f2;", {f(1), f(-1.5f)}, 0x38bc},
	    {'s', "cvt.rn.satfinite.e4m3x2.f32 %rs0, %f1, %f2;", {f(1e9f), 0xffc00000}, 0x7e7f},
	    {'s', "cvt.rn.satfinite.e4m3x2.f32 %rs0, %f1, %f2;", {f(0x1p-9f), f(-0x1p-10f)}, 0x0180},   /* the least denormal, and a tie below it */
	    {'s', "cvt.rn.satfinite.e4m3x2.f32 %rs0, %f1, %f2;", {f(1.0625f), f(1.1875f)}, 0x383a},     /* ties: to even */
	    {'s', "cvt.rn.satfinite.e4m3x2.f32 %rs0, %f1, %f2;", {f(0x1.fp-7f), f(0x1.ep-7f)}, 0x0808}, /* up to the least normal; 7.5 steps, a tie */
	    {'s', "cvt.rn.satfinite.relu.e4m3x2.f32 %rs0, %f1, %f2;", {f(-2), f(2)}, 0x0040},
	    {'s', "cvt.rn.satfinite.e5m2x2.f32 %rs0, %f1, %f2;", {f(1), f(-1e9f)}, 0x3cfb},
	    {'s', "cvt.rn.satfinite.e5m2x2.f32 %rs0, %f1, %f2;", {f(0x1p-16f), f(3.5f)}, 0x0143},
	    {'s', "cvt.rn.satfinite.e4m3x2.f16x2 %rs0, %r1;", {0x3c00be00}, 0x38bc},
	    {'r', "cvt.rn.f16x2.e4m3x2 %r0, %rs1;", {0x38bc}, 0x3c00be00},
	    {'r', "cvt.rn.f16x2.e4m3x2 %r0, %rs1;", {0xff01}, 0x7fff1800},
	    {'r', "cvt.rn.relu.f16x2.e4m3x2 %r0, %rs1;", {0xb838}, 0x00003c00},
	    {'r', "cvt.rn.f16x2.e5m2x2 %r0, %rs1;", {0x7cbe}, 0x7c00be00},
	    {'r', "cvt.rn.f16x2.e5m2x2 %r0, %rs1;", {0xfd3c}, 0x7fff3c00},
	    {'r', "cvt.rna.tf32.f32 %r0, %f1;", {0x3f801000}, 0x3f802000},
	    {'r', "cvt.rn.tf32.f32 %r0, %f1;", {0x3f801000}, 0x3f800000},
	    {'r', "cvt.rz.tf32.f32 %r0, %f1;", {0x3f803fff}, 0x3f802000},
	};
	run_cases(cases, HD_COUNT(cases));
}

TEST(bfloat16)
{
	static const value_case cases[] = {
	    {'s', "cvt.rn.bf16.f32 %rs0, %f1;", {0x3f808000}, 0x3f80}, /* a tie: to even */
	    {'s', "cvt.rn.bf16.f32 %rs0, %f1;", {0x3f818000}, 0x3f82},
	    {'s', "cvt.rn.bf16.f32 %rs0, %f1;", {0x3f808001}, 0x3f81},
	    {'s', "cvt.rn.bf16.f32 %rs0, %f1;", {0xbf80ffff}, 0xbf81},
	    {'s', "cvt.rz.bf16.f32 %rs0, %f1;", {0x3f80ffff}, 0x3f80},
	    {'s', "cvt.rn.bf16.f32 %rs0, %f1;", {0x7f7fffff}, 0x7f80},
	    {'s', "cvt.rn.bf16.f32 %rs0, %f1;", {0xffffffff}, 0x7fff},
	    {'r', "cvt.rn.bf16x2.f32 %r0, %f1, %f2;", {0x40400000, 0x3f808001}, 0x40403f81},
	    {'f', "cvt.f32.bf16 %f0, %rs1;", {0xdead3f80}, 0x3f800000},
	    {'s', "add.rn.bf16 %rs0, %rs1, %rs2;", {0xdead3f80, 0xbeef4040}, 0x4080},
	    {'s', "sub.rn.bf16 %rs0, %rs1, %rs2;", {0xdead3f80, 0xbeef4040}, 0xc000},
	    {'s', "mul.rn.bf16 %rs0, %rs1, %rs2;", {0xdead4040, 0xbeef4040}, 0x4110},
	    {'r', "add.rn.bf16x2 %r0, %r1, %r2;", {0x40403f80, 0x3f803f00}, 0x40803fc0},
	    {'r', "neg.bf16x2 %r0, %r1;", {0x4040bf80}, 0xc0403f80},
	    {'s', "abs.bf16 %rs0, %rs1;", {0xdeadbf80}, 0x3f80},
	    {'s', "max.bf16 %rs0, %rs1, %rs2;", {0xc000, 0x3f80}, 0x3f80},
	    {'s', "min.bf16 %rs0, %rs1, %rs2;", {0xc000, 0x3f80}, 0xc000},
	    /* 1.0078125 * 1.5 lies between two numbers; what is added decides, however small it is. */
	    {'s', "fma.rn.bf16 %rs0, %rs1, %rs2, %rs3;", {0x3f81, 0x3fc0, 0}, 0x3fc2},
	    {'s', "fma.rn.bf16 %rs0, %rs1, %rs2, %rs3;", {0x3f81, 0x3fc0, 0x8d80}, 0x3fc1},
	    {'s', "fma.rn.bf16 %rs0, %rs1, %rs2, %rs3;", {0x3f83, 0x3fc0, 0}, 0x3fc4},
	    {'s', "fma.rn.bf16 %rs0, %rs1, %rs2, %rs3;", {0x3f83, 0x3fc0, 0x0d80}, 0x3fc5},
	    {'s', "fma.rn.bf16 %rs0, %rs1, %rs2, %rs3;", {0x7f7f, 0x4000, 0xff7f}, 0x7f7f},
	    {'r', "fma.rn.bf16x2 %r0, %r1, %r2, %r3;", {0x3f834040, 0x3fc04040, 0x0d803f80}, 0x3fc54120},
	    {'p', "setp.lt.bf16 %p0, %rs1, %rs2;", {0xdeadbf80, 0xbeef3f80}, 1},
	    {'p', "setp.gt.bf16 %p0, %rs1, %rs2;", {0xdeadbf80, 0xbeef3f80}, 0},
	};
	run_cases(cases, HD_COUNT(cases));
}

/* cl_khr_fp16: arithmetic in half precision is the machine's; functions are those of single precision, rounded once more. What a function of single
 * precision errs is less than a thousandth of a unit in the last place of a half. Basic operations, fma, and conversions are rounded once. A bitcode file of
 * its own, for programs that switch the extension on. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVER __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))
#define WIDTHS(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define ALL(M, ...) M(, __VA_ARGS__) WIDTHS(M, __VA_ARGS__)

/* A value of the same width in another type; scalars have no __builtin_convertvector. */
#define AS(T, n, x) AS_(T, n, x)
#define AS_(T, n, x) CAST##n(T, x)
#define CAST(T, x) ((T)(x))
#define CAST2(T, x) __builtin_convertvector(x, T##2)
#define CAST3(T, x) __builtin_convertvector(x, T##3)
#define CAST4(T, x) __builtin_convertvector(x, T##4)
#define CAST8(T, x) __builtin_convertvector(x, T##8)
#define CAST16(T, x) __builtin_convertvector(x, T##16)
#define F(n, x) AS(float, n, x)
#define H(n, x) AS(half, n, x)

/* -- one, two, three arguments ----------------------------------------------------------------------------------------------------------------------- */
#define ONE(n, name)                                                                                                                                 \
	PURE half##n name(half##n x) { return H(n, name(F(n, x))); }
#define TWO(n, name)                                                                                                                                 \
	PURE half##n name(half##n x, half##n y) { return H(n, name(F(n, x), F(n, y))); }
#define TWO_SCALAR(n, name)                                                                                                                          \
	PURE half##n name(half##n x, half y) { return name(x, (half##n)(y)); }
#define THREE(n, name)                                                                                                                               \
	PURE half##n name(half##n x, half##n y, half##n z) { return H(n, name(F(n, x), F(n, y), F(n, z))); }
ALL(ONE, acos) ALL(ONE, acosh) ALL(ONE, acospi) ALL(ONE, asin) ALL(ONE, asinh) ALL(ONE, asinpi) ALL(ONE, atan) ALL(ONE, atanh) ALL(ONE, atanpi)
ALL(ONE, cbrt) ALL(ONE, ceil) ALL(ONE, cos) ALL(ONE, cosh) ALL(ONE, cospi) ALL(ONE, erf) ALL(ONE, erfc) ALL(ONE, exp) ALL(ONE, exp2) ALL(ONE, exp10)
ALL(ONE, expm1) ALL(ONE, fabs) ALL(ONE, floor) ALL(ONE, lgamma) ALL(ONE, log) ALL(ONE, log2) ALL(ONE, log10) ALL(ONE, log1p) ALL(ONE, logb)
ALL(ONE, rint) ALL(ONE, round) ALL(ONE, rsqrt) ALL(ONE, sin) ALL(ONE, sinh) ALL(ONE, sinpi) ALL(ONE, sqrt) ALL(ONE, tan) ALL(ONE, tanh)
ALL(ONE, tanpi) ALL(ONE, tgamma) ALL(ONE, trunc) ALL(ONE, degrees) ALL(ONE, radians) ALL(ONE, sign)
ALL(TWO, atan2) ALL(TWO, atan2pi) ALL(TWO, fdim) ALL(TWO, fmax) ALL(TWO, fmin) ALL(TWO, fmod) ALL(TWO, hypot) ALL(TWO, maxmag)
ALL(TWO, minmag) ALL(TWO, pow) ALL(TWO, powr) ALL(TWO, remainder) ALL(TWO, max) ALL(TWO, min) ALL(TWO, step)
WIDTHS(TWO_SCALAR, fmax) WIDTHS(TWO_SCALAR, fmin) WIDTHS(TWO_SCALAR, max) WIDTHS(TWO_SCALAR, min)
ALL(THREE, mad) ALL(THREE, clamp) ALL(THREE, mix) ALL(THREE, smoothstep)

#define SCALARS(n, unused)                                                                                                                           \
	PURE half##n step(half edge, half##n x) { return step((half##n)(edge), x); }                                                                 \
	PURE half##n clamp(half##n x, half low, half high) { return clamp(x, (half##n)(low), (half##n)(high)); }                                     \
	PURE half##n mix(half##n x, half##n y, half a) { return mix(x, y, (half##n)(a)); }                                                           \
	PURE half##n smoothstep(half from, half to, half##n x) { return smoothstep((half##n)(from), (half##n)(to), x); }
WIDTHS(SCALARS, )

/* A product of halves is exact in double precision, and so is its sum with a third half wherever the rounding to half depends on the last bit. */
#define FMA(n, unused)                                                                                                                               \
	PURE half##n fma(half##n x, half##n y, half##n z) { return H(n, AS(double, n, x) * AS(double, n, y) + AS(double, n, z)); }
ALL(FMA, )

#define WITH_INTEGER(n, unused)                                                                                                                      \
	PURE half##n ldexp(half##n x, int##n k) { return H(n, ldexp(F(n, x), k)); }                                                                  \
	PURE half##n pown(half##n x, int##n k) { return H(n, pown(F(n, x), k)); }                                                                    \
	PURE half##n rootn(half##n x, int##n k) { return H(n, rootn(F(n, x), k)); }                                                                  \
	PURE int##n ilogb(half##n x) { return ilogb(F(n, x)); }                                                                                      \
	PURE half##n nan(ushort##n code) { return as_half##n((ushort##n)((code & (ushort)0x1ff) | (ushort)0x7e00)); }
ALL(WITH_INTEGER, )
#define LDEXP(n, unused)                                                                                                                             \
	PURE half##n ldexp(half##n x, int k) { return ldexp(x, (int##n)(k)); }
WIDTHS(LDEXP, )

PURE half nextafter(half x, half y)
{
	ushort b = as_ushort(x), up = (x < y) == (b < 0x8000);
	if (isnan((float)x) || isnan((float)y))
		return as_half((ushort)0x7e00);
	if (x == y)
		return y;
	if (x == 0)
		return as_half((ushort)(as_ushort(y) & 0x8000 | 1));
	return as_half((ushort)(up ? b + 1 : b - 1));
}
#define BY_PARTS(n, m, name)                                                                                                                         \
	PURE half##n name(half##n x, half##n y) { return (half##n)(name(x.lo, y.lo), name(x.hi, y.hi)); }
PURE half2 nextafter(half2 x, half2 y) { return (half2)(nextafter(x.s0, y.s0), nextafter(x.s1, y.s1)); }
PURE half3 nextafter(half3 x, half3 y) { return (half3)(nextafter(x.s01, y.s01), nextafter(x.s2, y.s2)); }
BY_PARTS(4, 2, nextafter) BY_PARTS(8, 4, nextafter) BY_PARTS(16, 8, nextafter)

/* -- results through pointers ------------------------------------------------------------------------------------------------------------------------ */
/* A fraction just below 1 must not round to 1. */
#define THROUGH(n, space)                                                                                                                            \
	OVER half##n fract(half##n x, space half##n *whole)                                                                                          \
	{                                                                                                                                            \
		float##n part, rest = fract(F(n, x), (__generic float##n *)&part);                                                                                         \
		*whole = H(n, part);                                                                                                                 \
		return H(n, rest > 0x1.ffcp-1f ? (float##n)(0x1.ffcp-1f) : rest);                                                                                \
	}                                                                                                                                            \
	OVER half##n modf(half##n x, space half##n *whole)                                                                                           \
	{                                                                                                                                            \
		float##n part, rest = modf(F(n, x), (__generic float##n *)&part);                                                                                          \
		*whole = H(n, part);                                                                                                                 \
		return H(n, rest);                                                                                                                   \
	}                                                                                                                                            \
	OVER half##n sincos(half##n x, space half##n *cosine)                                                                                        \
	{                                                                                                                                            \
		float##n other, sine = sincos(F(n, x), (__generic float##n *)&other);                                                                                      \
		*cosine = H(n, other);                                                                                                               \
		return H(n, sine);                                                                                                                   \
	}                                                                                                                                            \
	OVER half##n frexp(half##n x, space int##n *exponent)                                                                                        \
	{                                                                                                                                            \
		int##n e;                                                                                                                            \
		float##n part = frexp(F(n, x), (__generic int##n *)&e);                                                                                                  \
		*exponent = e;                                                                                                                       \
		return H(n, part);                                                                                                                   \
	}                                                                                                                                            \
	OVER half##n lgamma_r(half##n x, space int##n *sign)                                                                                         \
	{                                                                                                                                            \
		int##n s;                                                                                                                            \
		float##n y = lgamma_r(F(n, x), (__generic int##n *)&s);                                                                                                  \
		*sign = s;                                                                                                                           \
		return H(n, y);                                                                                                                      \
	}                                                                                                                                            \
	OVER half##n remquo(half##n x, half##n y, space int##n *quotient)                                                                            \
	{                                                                                                                                            \
		int##n q;                                                                                                                            \
		float##n rest = remquo(F(n, x), F(n, y), (__generic int##n *)&q);                                                                                        \
		*quotient = q;                                                                                                                       \
		return H(n, rest);                                                                                                                   \
	}
ALL(THROUGH, __global)
ALL(THROUGH, __local)
ALL(THROUGH, __private)

/* -- relations: int of scalars, short of vectors -------------------------------------------------------------------------------------------------------- */
#define ASK_ONE(name)                                                                                                                                \
	PURE int name(half x) { return name((float)x); }                                                                                             \
	WIDTHS(ASK_ONE_OF, name)
#define ASK_ONE_OF(n, name)                                                                                                                          \
	PURE short##n name(half##n x) { return AS(short, n, name(F(n, x))); }
#define ASK_TWO(name)                                                                                                                                \
	PURE int name(half x, half y) { return name((float)x, (float)y); }                                                                           \
	WIDTHS(ASK_TWO_OF, name)
#define ASK_TWO_OF(n, name)                                                                                                                          \
	PURE short##n name(half##n x, half##n y) { return AS(short, n, name(F(n, x), F(n, y))); }
ASK_ONE(isfinite) ASK_ONE(isinf) ASK_ONE(isnan)
ASK_TWO(isequal) ASK_TWO(isnotequal) ASK_TWO(isgreater) ASK_TWO(isgreaterequal) ASK_TWO(isless) ASK_TWO(islessequal) ASK_TWO(islessgreater)
ASK_TWO(isordered) ASK_TWO(isunordered)

/* A NaN has a sign, too, which a conversion does not keep. */
PURE int signbit(half x) { return as_short(x) < 0; }
#define SIGN_BIT(n, unused)                                                                                                                          \
	PURE short##n signbit(half##n x) { return as_short##n(x) < (short##n)(0); }
WIDTHS(SIGN_BIT, )
#define COPY_SIGN(n, unused)                                                                                                                         \
	PURE half##n copysign(half##n x, half##n y)                                                                                                  \
	{                                                                                                                                            \
		return as_half##n((ushort##n)((as_ushort##n(x) & (ushort)0x7fff) | (as_ushort##n(y) & (ushort)0x8000)));                             \
	}
ALL(COPY_SIGN, )

/* A half that is denormal is a normal float. */
PURE int isnormal(half x) { return fabs((float)x) >= 0x1p-14f && fabs((float)x) < INFINITY; }
#define IS_NORMAL(n, unused)                                                                                                                         \
	PURE short##n isnormal(half##n x)                                                                                                            \
	{                                                                                                                                            \
		float##n y = fabs(F(n, x));                                                                                                          \
		return AS(short, n, y >= 0x1p-14f && y < INFINITY);                                                                                  \
	}
WIDTHS(IS_NORMAL, )

PURE half select(half a, half b, short c) { return c ? b : a; }
PURE half select(half a, half b, ushort c) { return c ? b : a; }
#define SELECT(n, unused)                                                                                                                            \
	PURE half##n select(half##n a, half##n b, short##n c) { return as_half##n(c < (short)0 ? as_ushort##n(b) : as_ushort##n(a)); }                \
	PURE half##n select(half##n a, half##n b, ushort##n c) { return select(a, b, as_short##n(c)); }
WIDTHS(SELECT, )
#define BITSELECT(n, unused)                                                                                                                         \
	PURE half##n bitselect(half##n a, half##n b, half##n c)                                                                                      \
	{                                                                                                                                            \
		return as_half##n((ushort##n)((as_ushort##n(a) & ~as_ushort##n(c)) | (as_ushort##n(b) & as_ushort##n(c))));                          \
	}
ALL(BITSELECT, )

/* -- geometry --------------------------------------------------------------------------------------------------------------------------------------- */
#define GEOMETRY(n)                                                                                                                                  \
	PURE half dot(half##n x, half##n y) { return (half)dot(F(n, x), F(n, y)); }                                                                  \
	PURE half length(half##n x) { return (half)length(F(n, x)); }                                                                                \
	PURE half distance(half##n x, half##n y) { return (half)distance(F(n, x), F(n, y)); }                                                        \
	PURE half##n normalize(half##n x) { return H(n, normalize(F(n, x))); }
GEOMETRY()
GEOMETRY(2)
GEOMETRY(3)
GEOMETRY(4)
PURE half3 cross(half3 x, half3 y) { return H(3, cross(F(3, x), F(3, y))); }
PURE half4 cross(half4 x, half4 y) { return H(4, cross(F(4, x), F(4, y))); }

/* -- conversions ------------------------------------------------------------------------------------------------------------------------------------ */
/* From halves: those of floats, which hold every half. */
#define FROM_HALF(n, T, rest)                                                                                                                        \
	PURE T##n convert_##T##n##rest(half##n x) { return convert_##T##n##rest(F(n, x)); }
#define FROM_HALF_MODES(T, sat)                                                                                                                      \
	ALL(FROM_HALF, T, sat)                                                                                                                       \
	ALL(FROM_HALF, T, sat##_rte)                                                                                                                 \
	ALL(FROM_HALF, T, sat##_rtz)                                                                                                                 \
	ALL(FROM_HALF, T, sat##_rtp)                                                                                                                 \
	ALL(FROM_HALF, T, sat##_rtn)
#define FROM_HALF_BOTH(T) FROM_HALF_MODES(T, ) FROM_HALF_MODES(T, _sat)
FROM_HALF_BOTH(char) FROM_HALF_BOTH(uchar) FROM_HALF_BOTH(short) FROM_HALF_BOTH(ushort) FROM_HALF_BOTH(int) FROM_HALF_BOTH(uint)
FROM_HALF_BOTH(long) FROM_HALF_BOTH(ulong)
#define EXACT(n, T)                                                                                                                                  \
	PURE T##n convert_##T##n(half##n x) { return AS(T, n, x); }                                                                                  \
	PURE T##n convert_##T##n##_rte(half##n x) { return AS(T, n, x); }                                                                            \
	PURE T##n convert_##T##n##_rtz(half##n x) { return AS(T, n, x); }                                                                            \
	PURE T##n convert_##T##n##_rtp(half##n x) { return AS(T, n, x); }                                                                            \
	PURE T##n convert_##T##n##_rtn(half##n x) { return AS(T, n, x); }
ALL(EXACT, float) ALL(EXACT, double) ALL(EXACT, half)

/* To halves, by way of a type that the machine converts and that holds the value, or whatever decides how it is rounded. */
#define TO_HALF(mode, letters)                                                                                                                       \
	static PURE half to_##mode(float x)                                                                                                          \
	{                                                                                                                                            \
		ushort y;                                                                                                                            \
		__asm__("cvt." letters ".f16.f32 %0, %1;" : "=h"(y) : "f"(x));                                                                       \
		return as_half(y);                                                                                                                   \
	}                                                                                                                                            \
	static PURE half to_##mode(double x)                                                                                                         \
	{                                                                                                                                            \
		ushort y;                                                                                                                            \
		__asm__("cvt." letters ".f16.f64 %0, %1;" : "=h"(y) : "d"(x));                                                                       \
		return as_half(y);                                                                                                                   \
	}
TO_HALF(rte, "rn")
TO_HALF(rtz, "rz")
TO_HALF(rtp, "rp")
TO_HALF(rtn, "rm")
/* Beyond +-2^20 every mode gives what it gives of 2^20. */
static long near(long x) { return x > 1 << 20 ? 1 << 20 : x < -(1 << 20) ? -(1 << 20) : x; }
#define VALUE_char(x) ((float)(x))
#define VALUE_uchar(x) ((float)(x))
#define VALUE_short(x) ((float)(x))
#define VALUE_ushort(x) ((float)(x))
#define VALUE_int(x) ((float)near(x))
#define VALUE_uint(x) ((float)near(x))
#define VALUE_long(x) ((float)near(x))
#define VALUE_ulong(x) ((float)((x) > 1 << 20 ? 1 << 20 : (x)))
#define VALUE_float(x) (x)
#define VALUE_double(x) (x)
#define CONVERT(T, name, mode)                                                                                                                       \
	PURE half convert_half##name(T x) { return to_##mode(VALUE_##T(x)); }                                                                        \
	PURE half2 convert_half2##name(T##2 x) { return (half2)(convert_half##name(x.s0), convert_half##name(x.s1)); }                               \
	PURE half3 convert_half3##name(T##3 x) { return (half3)(convert_half2##name(x.s01), convert_half##name(x.s2)); }                             \
	PURE half4 convert_half4##name(T##4 x) { return (half4)(convert_half2##name(x.lo), convert_half2##name(x.hi)); }                             \
	PURE half8 convert_half8##name(T##8 x) { return (half8)(convert_half4##name(x.lo), convert_half4##name(x.hi)); }                             \
	PURE half16 convert_half16##name(T##16 x) { return (half16)(convert_half8##name(x.lo), convert_half8##name(x.hi)); }
#define CONVERTS(T) CONVERT(T, , rte) CONVERT(T, _rte, rte) CONVERT(T, _rtz, rtz) CONVERT(T, _rtp, rtp) CONVERT(T, _rtn, rtn)
CONVERTS(char) CONVERTS(uchar) CONVERTS(short) CONVERTS(ushort) CONVERTS(int) CONVERTS(uint) CONVERTS(long) CONVERTS(ulong) CONVERTS(float)
CONVERTS(double)

/* -- memory ------------------------------------------------------------------------------------------------------------------------------------------ */
/* By the type that the program's own accesses have: others may be moved past them. Vectors may lie at any half. */
#define UNALIGNED(n, unused) typedef half##n half##n##_anywhere __attribute__((aligned(2)));
WIDTHS(UNALIGNED, )
#define LOAD(n, space)                                                                                                                               \
	OVER __attribute__((pure)) half##n vload##n(size_t i, const space half *p) { return *(const space half##n##_anywhere *)(p + i * n); }
#define STORE(n, space)                                                                                                                              \
	OVER void vstore##n(half##n x, size_t i, space half *p) { *(space half##n##_anywhere *)(p + i * n) = x; }
#define LOAD_3(space)                                                                                                                                \
	OVER __attribute__((pure)) half3 vload3(size_t i, const space half *p) { return (half3)(p[i * 3], p[i * 3 + 1], p[i * 3 + 2]); }
#define STORE_3(space)                                                                                                                               \
	OVER void vstore3(half3 x, size_t i, space half *p)                                                                                          \
	{                                                                                                                                            \
		p[i * 3] = x.s0;                                                                                                                     \
		p[i * 3 + 1] = x.s1;                                                                                                                 \
		p[i * 3 + 2] = x.s2;                                                                                                                 \
	}
#define LOADS(space) LOAD(2, space) LOAD_3(space) LOAD(4, space) LOAD(8, space) LOAD(16, space)
#define STORES(space) STORE(2, space) STORE_3(space) STORE(4, space) STORE(8, space) STORE(16, space)
LOADS(__constant) LOADS(__global) LOADS(__local) LOADS(__private)
STORES(__global) STORES(__local) STORES(__private)
#define HEDDLE_HALF
#include "async.inc"

/* -- bits that only move: those of ushort --------------------------------------------------------------------------------------------------------------- */
#define SHUFFLE(n, m)                                                                                                                                \
	PURE half##n shuffle(half##m x, ushort##n mask) { return as_half##n(shuffle(as_ushort##m(x), mask)); }                                       \
	PURE half##n shuffle2(half##m x, half##m y, ushort##n mask) { return as_half##n(shuffle2(as_ushort##m(x), as_ushort##m(y), mask)); }
#define SHUFFLES_OF(m) SHUFFLE(2, m) SHUFFLE(4, m) SHUFFLE(8, m) SHUFFLE(16, m)
SHUFFLES_OF(2) SHUFFLES_OF(4) SHUFFLES_OF(8) SHUFFLES_OF(16)

/* -- sub-groups and work-groups ---------------------------------------------------------------------------------------------------------------------- */
#include "barrier.inc"
#include "sub_group.inc"
#include "work_group.inc"

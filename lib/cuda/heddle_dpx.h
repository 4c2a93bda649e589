// Sums, minima and maxima of words and of pairs of halves in one call (DPX), on both sides.
#ifndef HEDDLE_CUDA_DPX_H
#define HEDDLE_CUDA_DPX_H

#define HEDDLE_DPX static __host__ __device__ __forceinline__

namespace heddle_dpx
{
template <class T> HEDDLE_DPX T least(T a, T b) { return a < b ? a : b; }
template <class T> HEDDLE_DPX T most(T a, T b) { return a > b ? a : b; }
template <class T> HEDDLE_DPX T plus(T a, T b) { return (T)((unsigned)a + (unsigned)b); }
// f of each half of the words.
template <class T, class F> HEDDLE_DPX unsigned each(unsigned a, unsigned b, unsigned c, F f)
{
	unsigned low = (unsigned short)f((T)a, (T)b, (T)c);
	return low | (unsigned)(unsigned short)f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16)) << 16;
}
}

// name: of the type; W: a word of it; H: a half of it; op: min or max; pick: least or most.
#define HEDDLE_DPX_ROW(name, W, H, op, pick)                                                                                                       \
	HEDDLE_DPX W __viadd##op##_##name##32(W a, W b, W c) { return heddle_dpx::pick(heddle_dpx::plus(a, b), c); }                               \
	HEDDLE_DPX W __vi##op##3_##name##32(W a, W b, W c) { return heddle_dpx::pick(heddle_dpx::pick(a, b), c); }                                 \
	HEDDLE_DPX unsigned __viadd##op##_##name##16x2(unsigned a, unsigned b, unsigned c)                                                         \
	{                                                                                                                                          \
		return heddle_dpx::each<H>(a, b, c, [](H x, H y, H z) { return heddle_dpx::pick((H)(x + y), z); });                                \
	}                                                                                                                                          \
	HEDDLE_DPX unsigned __vi##op##3_##name##16x2(unsigned a, unsigned b, unsigned c)                                                           \
	{                                                                                                                                          \
		return heddle_dpx::each<H>(a, b, c, [](H x, H y, H z) { return heddle_dpx::pick(heddle_dpx::pick(x, y), z); });                    \
	}                                                                                                                                          \
	HEDDLE_DPX W __vib##op##_##name##32(W a, W b, bool *first)                                                                                 \
	{                                                                                                                                          \
		W r = heddle_dpx::pick(a, b);                                                                                                      \
		*first = r == a;                                                                                                                   \
		return r;                                                                                                                          \
	}                                                                                                                                          \
	HEDDLE_DPX unsigned __vib##op##_##name##16x2(unsigned a, unsigned b, bool *upper, bool *lower)                                             \
	{                                                                                                                                          \
		unsigned r = heddle_dpx::each<H>(a, b, 0, [](H x, H y, H) { return heddle_dpx::pick(x, y); });                                     \
		*lower = (unsigned short)r == (unsigned short)a;                                                                                   \
		*upper = r >> 16 == a >> 16;                                                                                                       \
		return r;                                                                                                                          \
	}
HEDDLE_DPX_ROW(s, int, short, max, most)
HEDDLE_DPX_ROW(u, unsigned, unsigned short, max, most)
HEDDLE_DPX_ROW(s, int, short, min, least)
HEDDLE_DPX_ROW(u, unsigned, unsigned short, min, least)

// No less than 0.
#define HEDDLE_DPX_RELU(op, pick)                                                                                                                  \
	HEDDLE_DPX int __viadd##op##_s32_relu(int a, int b, int c) { return heddle_dpx::most(__viadd##op##_s32(a, b, c), 0); }                     \
	HEDDLE_DPX int __vi##op##3_s32_relu(int a, int b, int c) { return heddle_dpx::most(__vi##op##3_s32(a, b, c), 0); }                         \
	HEDDLE_DPX int __vi##op##_s32_relu(int a, int b) { return heddle_dpx::most(heddle_dpx::pick(a, b), 0); }                                   \
	HEDDLE_DPX unsigned __viadd##op##_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __viadd##op##_s16x2(a, b, c) & heddle_dpx_mask(__viadd##op##_s16x2(a, b, c)); } \
	HEDDLE_DPX unsigned __vi##op##3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vi##op##3_s16x2(a, b, c) & heddle_dpx_mask(__vi##op##3_s16x2(a, b, c)); } \
	HEDDLE_DPX unsigned __vi##op##_s16x2_relu(unsigned a, unsigned b) { return __vi##op##3_s16x2_relu(a, b, b); }
// Ones where a half is not negative.
HEDDLE_DPX unsigned heddle_dpx_mask(unsigned a) { return (a & 0x8000u ? 0 : 0xffffu) | (a & 0x80000000u ? 0 : 0xffff0000u); }
HEDDLE_DPX_RELU(max, most)
HEDDLE_DPX_RELU(min, least)

#endif

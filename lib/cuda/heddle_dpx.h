// Sums, minima and maxima of words and of pairs of halves in one call (DPX), on both sides.
#ifndef HEDDLE_CUDA_DPX_H
#define HEDDLE_CUDA_DPX_H

#define HEDDLE_DPX static __host__ __device__ __forceinline__

namespace heddle_dpx
{
template <class __T> HEDDLE_DPX __T __least(__T __a, __T __b) { return __a < __b ? __a : __b; }
template <class __T> HEDDLE_DPX __T __most(__T __a, __T __b) { return __a > __b ? __a : __b; }
template <class __T> HEDDLE_DPX __T __plus(__T __a, __T __b) { return (__T)((unsigned)__a + (unsigned)__b); }
// f of each half of the words.
template <class __T, class __F> HEDDLE_DPX unsigned __each(unsigned __a, unsigned __b, unsigned __c, __F f)
{
	unsigned __low = (unsigned short)f((__T)__a, (__T)__b, (__T)__c);
	return __low | (unsigned)(unsigned short)f((__T)(__a >> 16), (__T)(__b >> 16), (__T)(__c >> 16)) << 16;
}
}

// name: of the type; W: a word of it; H: a half of it; op: min or max; pick: least or most.
#define HEDDLE_DPX_ROW(name, W, H, op, pick)                                                                                            \
	HEDDLE_DPX W __viadd##op##_##name##32(W __a, W __b, W __c) { return heddle_dpx::pick(heddle_dpx::__plus(__a, __b), __c); }      \
	HEDDLE_DPX W __vi##op##3_##name##32(W __a, W __b, W __c) { return heddle_dpx::pick(heddle_dpx::pick(__a, __b), __c); }          \
	HEDDLE_DPX unsigned __viadd##op##_##name##16x2(unsigned __a, unsigned __b, unsigned __c)                                        \
	{                                                                                                                               \
		return heddle_dpx::__each<H>(__a, __b, __c, [](H x, H y, H z) { return heddle_dpx::pick((H)(x + y), z); });             \
	}                                                                                                                               \
	HEDDLE_DPX unsigned __vi##op##3_##name##16x2(unsigned __a, unsigned __b, unsigned __c)                                          \
	{                                                                                                                               \
		return heddle_dpx::__each<H>(__a, __b, __c, [](H x, H y, H z) { return heddle_dpx::pick(heddle_dpx::pick(x, y), z); }); \
	}                                                                                                                               \
	HEDDLE_DPX W __vib##op##_##name##32(W __a, W __b, bool *__first)                                                                \
	{                                                                                                                               \
		W __r = heddle_dpx::pick(__a, __b);                                                                                     \
		*__first = __r == __a;                                                                                                  \
		return __r;                                                                                                             \
	}                                                                                                                               \
	HEDDLE_DPX unsigned __vib##op##_##name##16x2(unsigned __a, unsigned __b, bool *__upper, bool *__lower)                          \
	{                                                                                                                               \
		unsigned __r = heddle_dpx::__each<H>(__a, __b, 0, [](H x, H y, H) { return heddle_dpx::pick(x, y); });                  \
		*__lower = (unsigned short)__r == (unsigned short)__a;                                                                  \
		*__upper = __r >> 16 == __a >> 16;                                                                                      \
		return __r;                                                                                                             \
	}
HEDDLE_DPX_ROW(s, int, short, max, __most)
HEDDLE_DPX_ROW(u, unsigned, unsigned short, max, __most)
HEDDLE_DPX_ROW(s, int, short, min, __least)
HEDDLE_DPX_ROW(u, unsigned, unsigned short, min, __least)

// No less than 0.
#define HEDDLE_DPX_RELU(op, pick)                                                                                                                                                                   \
	HEDDLE_DPX int __viadd##op##_s32_relu(int __a, int __b, int __c) { return heddle_dpx::__most(__viadd##op##_s32(__a, __b, __c), 0); }                                                        \
	HEDDLE_DPX int __vi##op##3_s32_relu(int __a, int __b, int __c) { return heddle_dpx::__most(__vi##op##3_s32(__a, __b, __c), 0); }                                                            \
	HEDDLE_DPX int __vi##op##_s32_relu(int __a, int __b) { return heddle_dpx::__most(heddle_dpx::pick(__a, __b), 0); }                                                                          \
	HEDDLE_DPX unsigned __viadd##op##_s16x2_relu(unsigned __a, unsigned __b, unsigned __c) { return __viadd##op##_s16x2(__a, __b, __c) & heddle_dpx_mask(__viadd##op##_s16x2(__a, __b, __c)); } \
	HEDDLE_DPX unsigned __vi##op##3_s16x2_relu(unsigned __a, unsigned __b, unsigned __c) { return __vi##op##3_s16x2(__a, __b, __c) & heddle_dpx_mask(__vi##op##3_s16x2(__a, __b, __c)); }       \
	HEDDLE_DPX unsigned __vi##op##_s16x2_relu(unsigned __a, unsigned __b) { return __vi##op##3_s16x2_relu(__a, __b, __b); }
// Ones where a half is not negative.
HEDDLE_DPX unsigned heddle_dpx_mask(unsigned __a) { return (__a & 0x8000u ? 0 : 0xffffu) | (__a & 0x80000000u ? 0 : 0xffff0000u); }
HEDDLE_DPX_RELU(max, __most)
HEDDLE_DPX_RELU(min, __least)

#endif

// Warp functions and others that clang's headers do not have for the target that Heddle compiles for.
#ifndef HEDDLE_CUDA_WARP_FUNCTIONS_H
#define HEDDLE_CUDA_WARP_FUNCTIONS_H

#define HEDDLE_REDUCE(name, op, T, type)                                                              \
	HEDDLE_FN T __reduce_##name##_sync(unsigned mask, T v)                                        \
	{                                                                                             \
		T d;                                                                                  \
		asm volatile("redux.sync." #op "." #type " %0, %1, %2;" : "=r"(d) : "r"(v), "r"(mask)); \
		return d;                                                                             \
	}
HEDDLE_REDUCE(add, add, int, s32)
HEDDLE_REDUCE(add, add, unsigned, u32)
HEDDLE_REDUCE(min, min, int, s32)
HEDDLE_REDUCE(min, min, unsigned, u32)
HEDDLE_REDUCE(max, max, int, s32)
HEDDLE_REDUCE(max, max, unsigned, u32)
HEDDLE_REDUCE(and, and, unsigned, b32)
HEDDLE_REDUCE(or, or, unsigned, b32)
HEDDLE_REDUCE(xor, xor, unsigned, b32)
#undef HEDDLE_REDUCE

// Sums of products of bytes, and of halves of words with bytes.
#define HEDDLE_DOT(T, t)                                                                                   \
	HEDDLE_DOT_ONE(__dp4a, "dp4a." #t "." #t, T)                                                       \
	HEDDLE_DOT_ONE(__dp2a_lo, "dp2a.lo." #t "." #t, T)                                                 \
	HEDDLE_DOT_ONE(__dp2a_hi, "dp2a.hi." #t "." #t, T)
#define HEDDLE_DOT_ONE(name, op, T)                                                                        \
	HEDDLE_FN T name(T a, T b, T c)                                                                    \
	{                                                                                                  \
		T d;                                                                                       \
		asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                             \
		return d;                                                                                  \
	}
HEDDLE_DOT(int, s32)
HEDDLE_DOT(unsigned, u32)
#undef HEDDLE_DOT
#undef HEDDLE_DOT_ONE

HEDDLE_FN void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }
HEDDLE_FN long long heddle_global_timer()
{
	long long t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}
// The cache hints of loads and stores are hints: the values are those of plain ones.
template <typename T> HEDDLE_FN T __ldcg(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldca(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldcs(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldlu(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldcv(const T *p) { return *(const volatile T *)p; }
template <typename T> HEDDLE_FN void __stwb(T *p, T v) { *p = v; }
template <typename T> HEDDLE_FN void __stcg(T *p, T v) { *p = v; }
template <typename T> HEDDLE_FN void __stcs(T *p, T v) { *p = v; }
template <typename T> HEDDLE_FN void __stwt(T *p, T v) { *(volatile T *)p = v; }

#endif

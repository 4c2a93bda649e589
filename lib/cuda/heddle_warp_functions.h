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

// Shuffles, by clang's, which lack a good one of unsigned long long. Those without a mask are for all lanes that are there.
#define HEDDLE_SHUFFLE_OF(name, T, as, A)                                                                                                          \
	HEDDLE_FN T _##name##_sync(unsigned mask, T v, A a, int width = 32) { return (T)heddle_clang##name##_sync(mask, (as)v, a, width); }           \
	HEDDLE_FN T _##name(T v, A a, int width = 32) { return (T)heddle_clang##name##_sync(__activemask(), (as)v, a, width); }
#define HEDDLE_SHUFFLE(name, A)                                            \
	HEDDLE_SHUFFLE_OF(name, int, int, A)                               \
	HEDDLE_SHUFFLE_OF(name, unsigned, int, A)                          \
	HEDDLE_SHUFFLE_OF(name, long, long long, A)                        \
	HEDDLE_SHUFFLE_OF(name, unsigned long, long long, A)               \
	HEDDLE_SHUFFLE_OF(name, long long, long long, A)                   \
	HEDDLE_SHUFFLE_OF(name, unsigned long long, long long, A)          \
	HEDDLE_SHUFFLE_OF(name, float, float, A)                           \
	HEDDLE_SHUFFLE_OF(name, double, double, A)
HEDDLE_SHUFFLE(_shfl, int)
HEDDLE_SHUFFLE(_shfl_up, unsigned)
HEDDLE_SHUFFLE(_shfl_down, unsigned)
HEDDLE_SHUFFLE(_shfl_xor, int)

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
// Barriers and fences as assembly: of an intrinsic, clang 14 believed that it writes no shared variable whose address nobody takes, and moved loads over
// it.
HEDDLE_FN void heddle_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
HEDDLE_FN void heddle_syncwarp(unsigned mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
HEDDLE_FN void heddle_fence() { asm volatile("membar.gl;" ::: "memory"); }
HEDDLE_FN void heddle_fence_block() { asm volatile("membar.cta;" ::: "memory"); }
HEDDLE_FN void heddle_fence_system() { asm volatile("membar.sys;" ::: "memory"); }
#define HEDDLE_REDUCING_BARRIER(name, instruction, type, value)                                                                      \
	HEDDLE_FN int heddle_syncthreads_##name(int p)                                                                               \
	{                                                                                                                            \
		int result;                                                                                                          \
		asm volatile("{ .reg .pred %%p, %%q; setp.ne.s32 %%p, %1, 0; " instruction " " type ", 0, %%p; " value "}"            \
		             : "=r"(result)                                                                                          \
		             : "r"(p)                                                                                                \
		             : "memory");                                                                                            \
		return result;                                                                                                       \
	}
HEDDLE_REDUCING_BARRIER(count, "bar.red.popc.u32", "%0", "")
HEDDLE_REDUCING_BARRIER(and, "bar.red.and.pred", "%%q", "selp.s32 %0, 1, 0, %%q; ")
HEDDLE_REDUCING_BARRIER(or, "bar.red.or.pred", "%%q", "selp.s32 %0, 1, 0, %%q; ")
#define __syncthreads() heddle_syncthreads()
#define __syncthreads_count(p) heddle_syncthreads_count(p)
#define __syncthreads_and(p) heddle_syncthreads_and(p)
#define __syncthreads_or(p) heddle_syncthreads_or(p)
#define __syncwarp(...) heddle_syncwarp(__VA_ARGS__)
#define __threadfence() heddle_fence()
#define __threadfence_block() heddle_fence_block()
#define __threadfence_system() heddle_fence_system()

// The cache hints of loads and stores are hints: the values are those of plain ones. Vectors have no volatile copy, but their words do.
template <int align> struct heddle_word {
	typedef unsigned char type;
};
template <> struct heddle_word<2> {
	typedef unsigned short type;
};
template <> struct heddle_word<4> {
	typedef unsigned type;
};
template <> struct heddle_word<8> {
	typedef unsigned long long type;
};
template <typename T> HEDDLE_FN void heddle_volatile_copy(void *to, const void *from)
{
	typedef typename heddle_word<(alignof(T) > 8 ? 8 : alignof(T))>::type W;
	for (unsigned i = 0; i < sizeof(T) / sizeof(W); i++)
		((volatile W *)to)[i] = ((const volatile W *)from)[i];
}
template <typename T> HEDDLE_FN T __ldcg(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldca(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldcs(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldlu(const T *p) { return *p; }
template <typename T> HEDDLE_FN T __ldcv(const T *p)
{
	T value;
	heddle_volatile_copy<T>(&value, p);
	return value;
}
template <typename T> HEDDLE_FN void __stwb(T *p, T v) { *p = v; }
template <typename T> HEDDLE_FN void __stcg(T *p, T v) { *p = v; }
template <typename T> HEDDLE_FN void __stcs(T *p, T v) { *p = v; }
template <typename T> HEDDLE_FN void __stwt(T *p, T v) { heddle_volatile_copy<T>(p, &v); }

#endif

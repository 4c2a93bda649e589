// Warp functions and others that clang's headers do not have for the target that Heddle compiles for.
#ifndef HEDDLE_CUDA_WARP_FUNCTIONS_H
#define HEDDLE_CUDA_WARP_FUNCTIONS_H

#define HEDDLE_REDUCE(name, op, __T, type)                                                                    \
	HEDDLE_FN __T __reduce_##name##_sync(unsigned __mask, __T __v)                                        \
	{                                                                                                     \
		__T __d;                                                                                      \
		asm volatile("redux.sync." #op "." #type " %0, %1, %2;" : "=r"(__d) : "r"(__v), "r"(__mask)); \
		return __d;                                                                                   \
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
#define HEDDLE_SHUFFLE_OF(name, __T, as, A)                                                                                                                   \
	HEDDLE_FN __T _##name##_sync(unsigned __mask, __T __v, A __a, int width = 32) { return (__T)heddle_clang##name##_sync(__mask, (as)__v, __a, width); } \
	HEDDLE_FN __T _##name(__T __v, A __a, int width = 32) { return (__T)heddle_clang##name##_sync(__activemask(), (as)__v, __a, width); }
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
#define HEDDLE_DOT(__T, __t)                                     \
	HEDDLE_DOT_ONE(__dp4a, "dp4a." #__t "." #__t, __T)       \
	HEDDLE_DOT_ONE(__dp2a_lo, "dp2a.lo." #__t "." #__t, __T) \
	HEDDLE_DOT_ONE(__dp2a_hi, "dp2a.hi." #__t "." #__t, __T)
#define HEDDLE_DOT_ONE(name, op, __T)                                                  \
	HEDDLE_FN __T name(__T __a, __T __b, __T __c)                                  \
	{                                                                              \
		__T __d;                                                               \
		asm(op " %0, %1, %2, %3;" : "=r"(__d) : "r"(__a), "r"(__b), "r"(__c)); \
		return __d;                                                            \
	}
HEDDLE_DOT(int, s32)
HEDDLE_DOT(unsigned, u32)
#undef HEDDLE_DOT
#undef HEDDLE_DOT_ONE

HEDDLE_FN void __nanosleep(unsigned __ns) { asm volatile("nanosleep.u32 %0;" : : "r"(__ns)); }
HEDDLE_FN long long heddle_global_timer()
{
	long long __t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(__t));
	return __t;
}
// Barriers and fences as assembly: of an intrinsic, clang 14 believed that it writes no shared variable whose address nobody takes, and moved loads over
// it.
HEDDLE_FN void heddle_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
HEDDLE_FN void heddle_syncwarp(unsigned __mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(__mask) : "memory"); }
HEDDLE_FN void heddle_fence() { asm volatile("membar.gl;" ::: "memory"); }
HEDDLE_FN void heddle_fence_block() { asm volatile("membar.cta;" ::: "memory"); }
HEDDLE_FN void heddle_fence_system() { asm volatile("membar.sys;" ::: "memory"); }
#define HEDDLE_REDUCING_BARRIER(name, instruction, type, value)                                                            \
	HEDDLE_FN int heddle_syncthreads_##name(int __p)                                                                   \
	{                                                                                                                  \
		int result;                                                                                                \
		asm volatile("{ .reg .pred %%p, %%q; setp.ne.s32 %%p, %1, 0; " instruction " " type ", 0, %%p; " value "}" \
		             : "=r"(result)                                                                                \
		             : "r"(__p)                                                                                    \
		             : "memory");                                                                                  \
		return result;                                                                                             \
	}
HEDDLE_REDUCING_BARRIER(count, "bar.red.popc.u32", "%0", "")
HEDDLE_REDUCING_BARRIER(and, "bar.red.and.pred", "%%q", "selp.s32 %0, 1, 0, %%q; ")
HEDDLE_REDUCING_BARRIER(or, "bar.red.or.pred", "%%q", "selp.s32 %0, 1, 0, %%q; ")
#define __syncthreads() heddle_syncthreads()
#define __syncthreads_count(__p) heddle_syncthreads_count(__p)
#define __syncthreads_and(__p) heddle_syncthreads_and(__p)
#define __syncthreads_or(__p) heddle_syncthreads_or(__p)
#define __syncwarp(...) heddle_syncwarp(__VA_ARGS__)
#define __threadfence() heddle_fence()
#define __threadfence_block() heddle_fence_block()
#define __threadfence_system() heddle_fence_system()

// The cache hints of loads and stores are hints: the values are those of plain ones. Vectors have no volatile copy, but their words do.
template <int __align> struct heddle_word {
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
template <typename __T> HEDDLE_FN void heddle_volatile_copy(void *__to, const void *__from)
{
	typedef typename heddle_word<(alignof(__T) > 8 ? 8 : alignof(__T))>::type __W;
	for (unsigned __i = 0; __i < sizeof(__T) / sizeof(__W); __i++)
		((volatile __W *)__to)[__i] = ((const volatile __W *)__from)[__i];
}
template <typename __T> HEDDLE_FN __T __ldcg(const __T *__p) { return *__p; }
template <typename __T> HEDDLE_FN __T __ldca(const __T *__p) { return *__p; }
template <typename __T> HEDDLE_FN __T __ldcs(const __T *__p) { return *__p; }
template <typename __T> HEDDLE_FN __T __ldlu(const __T *__p) { return *__p; }
template <typename __T> HEDDLE_FN __T __ldcv(const __T *__p)
{
	__T value;
	heddle_volatile_copy<__T>(&value, __p);
	return value;
}
template <typename __T> HEDDLE_FN void __stwb(__T *__p, __T __v) { *__p = __v; }
template <typename __T> HEDDLE_FN void __stcg(__T *__p, __T __v) { *__p = __v; }
template <typename __T> HEDDLE_FN void __stcs(__T *__p, __T __v) { *__p = __v; }
template <typename __T> HEDDLE_FN void __stwt(__T *__p, __T __v) { heddle_volatile_copy<__T>(__p, &__v); }

#endif

// Functions that clang's header of warp functions takes from NVIDIA's: matches within a warp, for every type of 4 and 8 bytes.
#ifndef __SM_70_RT_HPP__
#define __SM_70_RT_HPP__

#define HEDDLE_MATCH(T, bits, B)                                                                        \
	static __device__ __forceinline__ unsigned __match_any_sync(unsigned __mask, T __v)             \
	{                                                                                               \
		return __nvvm_match_any_sync_i##bits(__mask, __builtin_bit_cast(B, __v));               \
	}                                                                                               \
	static __device__ __forceinline__ unsigned __match_all_sync(unsigned __mask, T __v, int *__all) \
	{                                                                                               \
		return __nvvm_match_all_sync_i##bits##p(__mask, __builtin_bit_cast(B, __v), __all);     \
	}
HEDDLE_MATCH(int, 32, unsigned)
HEDDLE_MATCH(unsigned, 32, unsigned)
HEDDLE_MATCH(float, 32, unsigned)
HEDDLE_MATCH(long, 64, long long)
HEDDLE_MATCH(unsigned long, 64, long long)
HEDDLE_MATCH(long long, 64, long long)
HEDDLE_MATCH(unsigned long long, 64, long long)
HEDDLE_MATCH(double, 64, long long)
#undef HEDDLE_MATCH

#endif

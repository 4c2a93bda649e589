// cooperative_groups::reduce over tiles and lanes that are together.
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{
#define HEDDLE_CG_OPERATION(name, expression)                                                            \
	template <class __T = void> struct name {                                                        \
		__device__ __forceinline__ __T operator()(__T __a, __T __b) const { return expression; } \
	};
HEDDLE_CG_OPERATION(plus, __a + __b)
HEDDLE_CG_OPERATION(less, __a < __b ? __a : __b)
HEDDLE_CG_OPERATION(greater, __a > __b ? __a : __b)
HEDDLE_CG_OPERATION(bit_and, (__T)(__a & __b))
HEDDLE_CG_OPERATION(bit_or, (__T)(__a | __b))
HEDDLE_CG_OPERATION(bit_xor, (__T)(__a ^ __b))
#undef HEDDLE_CG_OPERATION

namespace heddle
{
// The values of the warps of a tile, together.
template <unsigned __Size, class __T, class __Op> static __device__ __forceinline__ __T __of_all_warps(const __tile<__Size, false> &, __T value, __Op)
{
	return value;
}
template <unsigned __Size, class __T, class __Op>
static __device__ __forceinline__ __T __of_all_warps(const __tile<__Size, true> &__group, __T value, __Op __op)
{
	return __group.__exchange(value, __group.thread_rank() % 32 == 0, [=](auto __value_of) {
		__T all = __value_of(0);
		for (unsigned __i = 1; __i < __Size / 32; __i++)
			all = __op(all, __value_of(__i));
		return all;
	});
}
}

template <unsigned __Size, class __Parent, class __T, class __Op>
static __device__ __forceinline__ __T reduce(const thread_block_tile<__Size, __Parent> &__group, __T value, __Op __op)
{
	heddle::__tile<(__Size < 32 ? __Size : 32), false> __warp;
	for (unsigned __step = __warp.size() / 2; __step; __step /= 2)
		value = __op(value, __warp.shfl_xor(value, __step));
	return heddle::__of_all_warps(__group, value, __op);
}
template <class __T, class __Op> static __device__ __forceinline__ __T reduce(const coalesced_group &__group, __T value, __Op __op)
{
	__T all = __group.shfl(value, 0);
	for (unsigned __i = 1; __i < __group.size(); __i++)
		all = __op(all, __group.shfl(value, __i));
	return all;
}
}

#endif

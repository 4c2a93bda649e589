// cooperative_groups::reduce over tiles and lanes that are together.
#ifndef _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{
#define HEDDLE_CG_OPERATION(name, expression)                                             \
	template <class T = void> struct name {                                           \
		__device__ __forceinline__ T operator()(T a, T b) const { return expression; } \
	};
HEDDLE_CG_OPERATION(plus, a + b)
HEDDLE_CG_OPERATION(less, a < b ? a : b)
HEDDLE_CG_OPERATION(greater, a > b ? a : b)
HEDDLE_CG_OPERATION(bit_and, (T)(a & b))
HEDDLE_CG_OPERATION(bit_or, (T)(a | b))
HEDDLE_CG_OPERATION(bit_xor, (T)(a ^ b))
#undef HEDDLE_CG_OPERATION

namespace heddle
{
// The values of the warps of a tile, together.
template <unsigned Size, class T, class Op> static __device__ __forceinline__ T of_all_warps(const tile<Size, false> &, T value, Op) { return value; }
template <unsigned Size, class T, class Op> static __device__ __forceinline__ T of_all_warps(const tile<Size, true> &group, T value, Op op)
{
	return group.exchange(value, group.thread_rank() % 32 == 0, [=](auto value_of) {
		T all = value_of(0);
		for (unsigned i = 1; i < Size / 32; i++)
			all = op(all, value_of(i));
		return all;
	});
}
}

template <unsigned Size, class Parent, class T, class Op>
static __device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &group, T value, Op op)
{
	heddle::tile<(Size < 32 ? Size : 32), false> warp;
	for (unsigned step = warp.size() / 2; step; step /= 2)
		value = op(value, warp.shfl_xor(value, step));
	return heddle::of_all_warps(group, value, op);
}
template <class T, class Op> static __device__ __forceinline__ T reduce(const coalesced_group &group, T value, Op op)
{
	T all = group.shfl(value, 0);
	for (unsigned i = 1; i < group.size(); i++)
		all = op(all, group.shfl(value, i));
	return all;
}
}

#endif

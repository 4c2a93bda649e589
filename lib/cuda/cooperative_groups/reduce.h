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

template <unsigned Size, class Parent, class T, class Op>
static __device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &group, T value, Op op)
{
	for (unsigned step = Size / 2; step; step /= 2)
		value = op(value, group.shfl_xor(value, step));
	return value;
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

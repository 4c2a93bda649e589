// cooperative_groups::inclusive_scan and exclusive_scan over tiles and lanes that are together.
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{
namespace heddle
{
template <class Group, class T, class Op> static __device__ __forceinline__ T scan(const Group &lanes, T value, Op op)
{
	for (unsigned step = 1; step < lanes.size(); step *= 2) {
		T other = lanes.shfl_up(value, step);
		value = lanes.thread_rank() >= step ? op(other, value) : value;
	}
	return value;
}
// The sums of a tile of those of its warps.
template <unsigned Size, class T, class Op> static __device__ __forceinline__ T scan_warps(const tile<Size, false> &, T value, Op) { return value; }
template <unsigned Size, class T, class Op> static __device__ __forceinline__ T scan_warps(const tile<Size, true> &group, T value, Op op)
{
	return group.exchange(value, group.thread_rank() % 32 == 31, [=](auto value_of) {
		T sum = value;
		for (unsigned i = group.thread_rank() / 32; i-- > 0;)
			sum = op(value_of(i), sum);
		return sum;
	});
}
// The value of the thread before.
template <unsigned Size, class T> static __device__ __forceinline__ T before_in_warps(const tile<Size, false> &group, T value) { return group.shfl_up(value, 1); }
template <unsigned Size, class T> static __device__ __forceinline__ T before_in_warps(const tile<Size, true> &group, T value)
{
	unsigned rank = group.thread_rank();
	T before = tile<32, false>().shfl_up(value, 1);
	return group.exchange(value, rank % 32 == 31, [=](auto value_of) { return rank && rank % 32 == 0 ? value_of(rank / 32 - 1) : before; });
}
template <class Group, class T> static __device__ __forceinline__ T one_before(const Group &group, T value) { return group.shfl_up(value, 1); }
template <unsigned Size, class Parent, class T> static __device__ __forceinline__ T one_before(const thread_block_tile<Size, Parent> &group, T value)
{
	return before_in_warps((const tile<Size, (Size > 32)> &)group, value);
}
}
template <class Group, class T, class Op> static __device__ __forceinline__ T inclusive_scan(const Group &group, T value, Op op)
{
	return heddle::scan(group, value, op);
}
template <unsigned Size, class Parent, class T, class Op>
static __device__ __forceinline__ T inclusive_scan(const thread_block_tile<Size, Parent> &group, T value, Op op)
{
	return heddle::scan_warps(group, heddle::scan(heddle::tile<(Size < 32 ? Size : 32), false>(), value, op), op);
}
template <class Group, class T> static __device__ __forceinline__ T inclusive_scan(const Group &group, T value)
{
	return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op> static __device__ __forceinline__ T exclusive_scan(const Group &group, T value, Op op)
{
	T before = heddle::one_before(group, inclusive_scan(group, value, op));
	return group.thread_rank() ? before : T();
}
template <class Group, class T> static __device__ __forceinline__ T exclusive_scan(const Group &group, T value)
{
	return exclusive_scan(group, value, plus<T>());
}
}

#endif

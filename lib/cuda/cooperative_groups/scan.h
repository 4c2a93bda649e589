// cooperative_groups::inclusive_scan and exclusive_scan over tiles and lanes that are together.
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{
template <class Group, class T, class Op> static __device__ __forceinline__ T inclusive_scan(const Group &group, T value, Op op)
{
	for (unsigned step = 1; step < group.size(); step *= 2) {
		T other = group.shfl_up(value, step);
		value = group.thread_rank() >= step ? op(other, value) : value;
	}
	return value;
}
template <class Group, class T> static __device__ __forceinline__ T inclusive_scan(const Group &group, T value)
{
	return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op> static __device__ __forceinline__ T exclusive_scan(const Group &group, T value, Op op)
{
	T before = group.shfl_up(inclusive_scan(group, value, op), 1);
	return group.thread_rank() ? before : T();
}
template <class Group, class T> static __device__ __forceinline__ T exclusive_scan(const Group &group, T value)
{
	return exclusive_scan(group, value, plus<T>());
}
}

#endif

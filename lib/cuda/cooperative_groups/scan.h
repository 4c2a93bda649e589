// cooperative_groups::inclusive_scan and exclusive_scan over tiles and lanes that are together.
#ifndef _COOPERATIVE_GROUPS_SCAN_H
#define _COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{
namespace heddle
{
template <class __Group, class __T, class __Op> static __device__ __forceinline__ __T __scan(const __Group &__lanes, __T value, __Op __op)
{
	for (unsigned __step = 1; __step < __lanes.size(); __step *= 2) {
		__T __other = __lanes.shfl_up(value, __step);
		value = __lanes.thread_rank() >= __step ? __op(__other, value) : value;
	}
	return value;
}
// The sums of a tile of those of its warps.
template <unsigned __Size, class __T, class __Op> static __device__ __forceinline__ __T __scan_warps(const __tile<__Size, false> &, __T value, __Op)
{
	return value;
}
template <unsigned __Size, class __T, class __Op>
static __device__ __forceinline__ __T __scan_warps(const __tile<__Size, true> &__group, __T value, __Op __op)
{
	return __group.__exchange(value, __group.thread_rank() % 32 == 31, [=](auto __value_of) {
		__T __sum = value;
		for (unsigned __i = __group.thread_rank() / 32; __i-- > 0;)
			__sum = __op(__value_of(__i), __sum);
		return __sum;
	});
}
// The value of the thread before.
template <unsigned __Size, class __T> static __device__ __forceinline__ __T __before_in_warps(const __tile<__Size, false> &__group, __T value) { return __group.shfl_up(value, 1); }
template <unsigned __Size, class __T> static __device__ __forceinline__ __T __before_in_warps(const __tile<__Size, true> &__group, __T value)
{
	unsigned __rank = __group.thread_rank();
	__T __before = __tile<32, false>().shfl_up(value, 1);
	return __group.__exchange(value, __rank % 32 == 31,
	                          [=](auto __value_of) { return __rank && __rank % 32 == 0 ? __value_of(__rank / 32 - 1) : __before; });
}
template <class __Group, class __T> static __device__ __forceinline__ __T __one_before(const __Group &__group, __T value)
{
	return __group.shfl_up(value, 1);
}
template <unsigned __Size, class __Parent, class __T>
static __device__ __forceinline__ __T __one_before(const thread_block_tile<__Size, __Parent> &__group, __T value)
{
	return __before_in_warps((const __tile<__Size, (__Size > 32)> &)__group, value);
}
}
template <class __Group, class __T, class __Op> static __device__ __forceinline__ __T inclusive_scan(const __Group &__group, __T value, __Op __op)
{
	return heddle::__scan(__group, value, __op);
}
template <unsigned __Size, class __Parent, class __T, class __Op>
static __device__ __forceinline__ __T inclusive_scan(const thread_block_tile<__Size, __Parent> &__group, __T value, __Op __op)
{
	return heddle::__scan_warps(__group, heddle::__scan(heddle::__tile<(__Size < 32 ? __Size : 32), false>(), value, __op), __op);
}
template <class __Group, class __T> static __device__ __forceinline__ __T inclusive_scan(const __Group &__group, __T value)
{
	return inclusive_scan(__group, value, plus<__T>());
}
template <class __Group, class __T, class __Op> static __device__ __forceinline__ __T exclusive_scan(const __Group &__group, __T value, __Op __op)
{
	__T __before = heddle::__one_before(__group, inclusive_scan(__group, value, __op));
	return __group.thread_rank() ? __before : __T();
}
template <class __Group, class __T> static __device__ __forceinline__ __T exclusive_scan(const __Group &__group, __T value)
{
	return exclusive_scan(__group, value, plus<__T>());
}
}

#endif

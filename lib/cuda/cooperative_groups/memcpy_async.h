// cooperative_groups::memcpy_async, as on a machine without asynchronous copies: the group copies, and waiting is its barrier.
#ifndef HEDDLE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HEDDLE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{
namespace heddle
{
template <class __Group, class __T>
static __device__ __forceinline__ void __copy(const __Group &__group, __T *__to, const __T *__from, size_t __count)
{
	for (size_t __i = __group.thread_rank(); __i < __count; __i += __group.size())
		__to[__i] = __from[__i];
}
}
// Bytes. By words where both addresses and the size allow it.
template <class __Group> static __device__ __forceinline__ void memcpy_async(const __Group &__group, void *__to, const void *__from, size_t bytes)
{
	if ((((size_t)__to | (size_t)__from | bytes) & 3) == 0)
		heddle::__copy(__group, (unsigned *)__to, (const unsigned *)__from, bytes / 4);
	else
		heddle::__copy(__group, (unsigned char *)__to, (const unsigned char *)__from, bytes);
}
template <class __Group, class __T> static __device__ __forceinline__ void memcpy_async(const __Group &__group, __T *__to, size_t __room, const __T *__from, size_t __count)
{
	heddle::__copy(__group, __to, __from, __count < __room ? __count : __room);
}
template <class __Group> static __device__ __forceinline__ void wait(const __Group &__group) { __group.sync(); }
template <unsigned __left, class __Group> static __device__ __forceinline__ void wait_prior(const __Group &__group) { __group.sync(); }
}

#endif

// cooperative_groups::memcpy_async, as on a machine without asynchronous copies: the group copies, and waiting is its barrier.
#ifndef HEDDLE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HEDDLE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{
namespace heddle
{
template <class Group, class T> static __device__ __forceinline__ void copy(const Group &group, T *to, const T *from, size_t count)
{
	for (size_t i = group.thread_rank(); i < count; i += group.size())
		to[i] = from[i];
}
}
// Bytes. By words where both addresses and the size allow it.
template <class Group> static __device__ __forceinline__ void memcpy_async(const Group &group, void *to, const void *from, size_t bytes)
{
	if ((((size_t)to | (size_t)from | bytes) & 3) == 0)
		heddle::copy(group, (unsigned *)to, (const unsigned *)from, bytes / 4);
	else
		heddle::copy(group, (unsigned char *)to, (const unsigned char *)from, bytes);
}
template <class Group, class T> static __device__ __forceinline__ void memcpy_async(const Group &group, T *to, size_t room, const T *from, size_t count)
{
	heddle::copy(group, to, from, count < room ? count : room);
}
template <class Group> static __device__ __forceinline__ void wait(const Group &group) { group.sync(); }
template <unsigned left, class Group> static __device__ __forceinline__ void wait_prior(const Group &group) { group.sync(); }
}

#endif

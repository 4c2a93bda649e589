// Launches in device code. src/front/children.c makes heddle::__child<kernel>(grid, block, shared, stream)(arguments...) of
// kernel<<<grid, block, shared, stream>>>(arguments...) there, because clang has no launches in device code.
#ifndef HEDDLE_CUDA_CHILDREN_H
#define HEDDLE_CUDA_CHILDREN_H

extern "C" __device__ cudaError_t __heddle_child(const void *kernel, dim3 __grid, dim3 __block, unsigned __shared, cudaStream_t __stream, const void *__parameters);

namespace heddle
{
// The type of a kernel that takes arguments of exactly these types.
template <class... __A> __host__ __device__ auto __types(__A...) -> void (*)(__A...);

template <auto *__Kernel> __device__ decltype(__Kernel) __kernel_address = __Kernel;

constexpr size_t __aligned(size_t __at, size_t __alignment) { return (__at + __alignment - 1) / __alignment * __alignment; }
// Where the parameters end of which the first may begin at `at`.
template <class... __P> constexpr size_t __end_of_parameters(size_t __at)
{
	((__at = __aligned(__at, alignof(__P)) + sizeof(__P)), ...);
	return __at;
}

template <auto *__Kernel> class __child;
template <class... __P, void (*__Kernel)(__P...)> class __child<__Kernel>
{
	dim3 __grid, __block;
	unsigned __shared;
	cudaStream_t __stream;

      public:
	__device__ __child(dim3 __g, dim3 __b, size_t __s = 0, cudaStream_t __st = 0)
	    : __grid(__g), __block(__b), __shared((unsigned)__s), __stream(__st)
	{
	}
	__device__ void operator()(__P... __values) const
	{
		alignas(16) char __parameters[__end_of_parameters<__P...>(0) + 1];
		size_t __at = 0;
		((__at = __aligned(__at, alignof(__P)), __builtin_memcpy(__parameters + __at, (const void *)&__values, sizeof(__P)),
		  __at += sizeof(__P)),
		 ...);
		__heddle_child((const void *)__kernel_address<__Kernel>, __grid, __block, __shared, __stream, __parameters);
	}
};
}

#endif

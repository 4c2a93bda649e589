// Launches in device code. src/front/children.c makes heddle::child<kernel>(grid, block, shared, stream)(arguments...) of
// kernel<<<grid, block, shared, stream>>>(arguments...) there, because clang has no launches in device code.
#ifndef HEDDLE_CUDA_CHILDREN_H
#define HEDDLE_CUDA_CHILDREN_H

extern "C" __device__ cudaError_t __heddle_child(const void *kernel, dim3 grid, dim3 block, unsigned shared, cudaStream_t stream, const void *parameters);

namespace heddle
{
// The type of a kernel that takes arguments of exactly these types.
template <class... A> __host__ __device__ auto types(A...) -> void (*)(A...);

template <auto *Kernel> __device__ decltype(Kernel) kernel_address = Kernel;

constexpr size_t aligned(size_t at, size_t alignment) { return (at + alignment - 1) / alignment * alignment; }
// Where the parameters end of which the first may begin at `at`.
template <class... P> constexpr size_t end_of_parameters(size_t at)
{
	((at = aligned(at, alignof(P)) + sizeof(P)), ...);
	return at;
}

template <auto *Kernel> class child;
template <class... P, void (*Kernel)(P...)> class child<Kernel>
{
	dim3 grid, block;
	unsigned shared;
	cudaStream_t stream;

      public:
	__device__ child(dim3 g, dim3 b, size_t s = 0, cudaStream_t st = 0) : grid(g), block(b), shared((unsigned)s), stream(st) {}
	__device__ void operator()(P... values) const
	{
		alignas(16) char parameters[end_of_parameters<P...>(0) + 1];
		size_t at = 0;
		((at = aligned(at, alignof(P)), __builtin_memcpy(parameters + at, (const void *)&values, sizeof(P)), at += sizeof(P)), ...);
		__heddle_child((const void *)kernel_address<Kernel>, grid, block, shared, stream, parameters);
	}
};
}

#endif

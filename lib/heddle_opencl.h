// Included before every OpenCL C source. clang declares OpenCL's built-in functions itself (-fdeclare-opencl-builtins), which costs a fraction of the
// time of its header opencl-c.h, but for these: loads and stores in half precision, which it ties to half arithmetic, and, in OpenCL C 3.0, compare and
// exchange with address spaces. The declarations are those of opencl-c.h; tests/opencl/declarations.py compares.
#if __OPENCL_C_VERSION__ >= 200
// Functions of named address spaces stay beside those of the generic one: their code knows where a pointer leads.
#define __opencl_c_named_address_space_builtins 1
#define __opencl_c_subgroups 1
#define cl_khr_subgroup_extended_types 1
#define cl_khr_subgroup_non_uniform_vote 1
#define cl_khr_subgroup_ballot 1
#define cl_khr_subgroup_non_uniform_arithmetic 1
#define cl_khr_subgroup_shuffle 1
#define cl_khr_subgroup_shuffle_relative 1
#define cl_khr_subgroup_clustered_reduce 1
#endif
#if __OPENCL_C_VERSION__ >= 300
#define __opencl_c_atomic_scope_device 1
#define __opencl_c_work_group_collective_functions 1
#endif

#define __heddle_over __attribute__((overloadable))
#define __heddle_pure __attribute__((overloadable, pure))

#ifdef __opencl_c_generic_address_space
#define __HEDDLE_SPACES(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__private, __VA_ARGS__) M(__generic, __VA_ARGS__)
#else
#define __HEDDLE_SPACES(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__private, __VA_ARGS__)
#endif

#define __HEDDLE_LOAD(space, name, n) float##n __heddle_pure name##_half##n(size_t offset, const space half *p);
#define __HEDDLE_LOADS(name, n) __HEDDLE_LOAD(__constant, name, n) __HEDDLE_SPACES(__HEDDLE_LOAD, name, n)
__HEDDLE_LOADS(vload, )
__HEDDLE_LOADS(vload, 2)
__HEDDLE_LOADS(vload, 3)
__HEDDLE_LOADS(vload, 4)
__HEDDLE_LOADS(vload, 8)
__HEDDLE_LOADS(vload, 16)
__HEDDLE_LOADS(vloada, 2)
__HEDDLE_LOADS(vloada, 3)
__HEDDLE_LOADS(vloada, 4)
__HEDDLE_LOADS(vloada, 8)
__HEDDLE_LOADS(vloada, 16)

#define __HEDDLE_STORE(space, T, n, name) void __heddle_over name(T##n data, size_t offset, space half *p);
#ifdef cl_khr_fp64
#define __HEDDLE_STORES_OF(n, name) __HEDDLE_SPACES(__HEDDLE_STORE, float, n, name) __HEDDLE_SPACES(__HEDDLE_STORE, double, n, name)
#else
#define __HEDDLE_STORES_OF(n, name) __HEDDLE_SPACES(__HEDDLE_STORE, float, n, name)
#endif
#define __HEDDLE_STORES(n, name)                                                                                                                     \
	__HEDDLE_STORES_OF(n, name)                                                                                                                  \
	__HEDDLE_STORES_OF(n, name##_rte)                                                                                                            \
	__HEDDLE_STORES_OF(n, name##_rtz)                                                                                                            \
	__HEDDLE_STORES_OF(n, name##_rtp)                                                                                                            \
	__HEDDLE_STORES_OF(n, name##_rtn)
__HEDDLE_STORES(, vstore_half)
__HEDDLE_STORES(2, vstore_half2)
__HEDDLE_STORES(3, vstore_half3)
__HEDDLE_STORES(4, vstore_half4)
__HEDDLE_STORES(8, vstore_half8)
__HEDDLE_STORES(16, vstore_half16)
__HEDDLE_STORES(2, vstorea_half2)
__HEDDLE_STORES(3, vstorea_half3)
__HEDDLE_STORES(4, vstorea_half4)
__HEDDLE_STORES(8, vstorea_half8)
__HEDDLE_STORES(16, vstorea_half16)

#if __OPENCL_C_VERSION__ >= 300
#define __HEDDLE_SWAP(where, space, T, kind)                                                                                                         \
	bool __heddle_over atomic_compare_exchange_##kind##_explicit(volatile space atomic_##T *object, where T *expected, T desired,                \
	                                                             memory_order success, memory_order failure, memory_scope scope);                \
	bool __heddle_over atomic_compare_exchange_##kind##_explicit(volatile space atomic_##T *object, where T *expected, T desired,                \
	                                                             memory_order success, memory_order failure);
#define __HEDDLE_SWAPS(T)                                                                                                                            \
	__HEDDLE_SPACES(__HEDDLE_SWAP, __global, T, strong)                                                                                          \
	__HEDDLE_SPACES(__HEDDLE_SWAP, __local, T, strong)                                                                                           \
	__HEDDLE_SPACES(__HEDDLE_SWAP, __generic, T, strong)                                                                                         \
	__HEDDLE_SPACES(__HEDDLE_SWAP, __global, T, weak)                                                                                            \
	__HEDDLE_SPACES(__HEDDLE_SWAP, __local, T, weak)                                                                                             \
	__HEDDLE_SPACES(__HEDDLE_SWAP, __generic, T, weak)
__HEDDLE_SWAPS(int)
__HEDDLE_SWAPS(uint)
__HEDDLE_SWAPS(long)
__HEDDLE_SWAPS(ulong)
__HEDDLE_SWAPS(float)
__HEDDLE_SWAPS(double)
#undef __HEDDLE_SWAP
#undef __HEDDLE_SWAPS
#endif

#undef __heddle_over
#undef __heddle_pure
#undef __HEDDLE_SPACES
#undef __HEDDLE_LOAD
#undef __HEDDLE_LOADS
#undef __HEDDLE_STORE
#undef __HEDDLE_STORES_OF
#undef __HEDDLE_STORES

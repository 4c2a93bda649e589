// Included before every OpenCL C source. clang declares OpenCL's built-in functions itself (-fdeclare-opencl-builtins), which costs a fraction of the
// time of its header opencl-c.h, but for compare and exchange with address spaces in OpenCL C 3.0. The declarations are those of opencl-c.h;
// tests/opencl/declarations.py compares.
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
#define __opencl_c_atomic_scope_all_devices 1
// clang's own header, which comes before this one, has them where it knows the feature itself.
#define memory_scope_all_svm_devices ((memory_scope)__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES)
#define memory_scope_all_devices memory_scope_all_svm_devices
#define __opencl_c_work_group_collective_functions 1
#endif

#define __heddle_over __attribute__((overloadable))

// Heddle leaves these out of a program that does not name one (src/front/needs.h).
#if __OPENCL_C_VERSION__ >= 300 && !defined __HEDDLE_WITHOUT_EXCHANGES
#define __HEDDLE_SPACES(M, ...) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__private, __VA_ARGS__) M(__generic, __VA_ARGS__)
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
#undef __HEDDLE_SPACES
#endif

#undef __heddle_over

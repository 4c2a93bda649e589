// Included before every OpenCL C source. clang declares OpenCL's built-in functions itself (-fdeclare-opencl-builtins), which costs a fraction of the
// time of its header opencl-c.h. Here are the features that are functions alone. tests/opencl/declarations.py compares with opencl-c.h.
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

#ifdef HEDDLE_RACES
// The race detector hears of copies and of waits for them.
#define HEDDLE_EVENTS(n) __asm__ __volatile__("heddle.events %0;" ::"r"(n))
#define async_work_group_copy(...) ({ HEDDLE_EVENTS(-1); async_work_group_copy(__VA_ARGS__); })
#define async_work_group_strided_copy(...) ({ HEDDLE_EVENTS(-1); async_work_group_strided_copy(__VA_ARGS__); })
#define wait_group_events(n, events) ({ int heddle_n = (n); HEDDLE_EVENTS(heddle_n); wait_group_events(heddle_n, events); })
#endif

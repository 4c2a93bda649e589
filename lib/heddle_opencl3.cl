/* The part of OpenCL C 3.0 beyond 1.2: atomics with an order and a scope, on global, local and generic memory; the fence and the barrier with scopes; linear
 * identifiers; ctz; questions about generic pointers; sub-groups; collective functions of a work-group; pipes. A bitcode file of its own, as types with _Atomic are
 * not in OpenCL C 1.2. Generic and private pointers have the same names here, so a function of one is the function of both. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define OVER __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))

/* -- work-items ----------------------------------------------------------------------------------------------------------------------------------- */
/* For uniform work-groups. heddle_range.cl replaces these where they are not. */
PURE size_t get_enqueued_local_size(uint d) { return get_local_size(d); }
PURE size_t get_local_linear_id(void) { return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); }
PURE size_t get_global_linear_id(void)
{
	size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);
	return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

#include "barrier.inc"

/* -- fences and barriers -------------------------------------------------------------------------------------------------------------------------- */
OVER void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
	if (order == memory_order_relaxed)
		return;
	if (scope == memory_scope_work_item || scope == memory_scope_sub_group || scope == memory_scope_work_group)
		__asm__ __volatile__("membar.cta;" ::: "memory");
	else
		__asm__ __volatile__("membar.gl;" ::: "memory");
}
OVER void work_group_barrier(cl_mem_fence_flags flags) { BARRIER(); }
OVER void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
	if (scope == memory_scope_device || scope == memory_scope_all_svm_devices)
		__asm__ __volatile__("membar.gl;" ::: "memory");
	BARRIER();
}

/* -- atomics -------------------------------------------------------------------------------------------------------------------------------------- */
#define BEFORE atomic_work_item_fence(0, order == memory_order_acquire ? memory_order_relaxed : order, scope)
#define BEHIND atomic_work_item_fence(0, order == memory_order_release ? memory_order_relaxed : order, scope)

#define FETCH(space, A, T, name, expression)                                                                                                         \
	OVER T atomic_fetch_##name##_explicit(volatile space A *object, T v, memory_order order, memory_scope scope)                                 \
	{                                                                                                                                            \
		volatile space T *p = (volatile space T *)object;                                                                                    \
		BEFORE;                                                                                                                              \
		T old = expression;                                                                                                                  \
		BEHIND;                                                                                                                              \
		return old;                                                                                                                          \
	}

/* bits: the integer type of the same size, as exchanges do not care what the bits are. */
#define PLAIN(space, A, T, bits, exchange)                                                                                                           \
	OVER void atomic_init(volatile space A *object, T v) { *(volatile space T *)object = v; }                                                    \
	OVER void atomic_store_explicit(volatile space A *object, T v, memory_order order, memory_scope scope)                                       \
	{                                                                                                                                            \
		BEFORE;                                                                                                                              \
		*(volatile space T *)object = v;                                                                                                     \
	}                                                                                                                                            \
	OVER T atomic_load_explicit(volatile space A *object, memory_order order, memory_scope scope)                                                \
	{                                                                                                                                            \
		if (order == memory_order_seq_cst)                                                                                                   \
			BEFORE;                                                                                                                      \
		T v = *(volatile space T *)object;                                                                                                   \
		BEHIND;                                                                                                                              \
		return v;                                                                                                                            \
	}                                                                                                                                            \
	OVER T atomic_exchange_explicit(volatile space A *object, T v, memory_order order, memory_scope scope)                                       \
	{                                                                                                                                            \
		BEFORE;                                                                                                                              \
		bits old = exchange((volatile space bits *)object, as_##bits(v));                                                                    \
		BEHIND;                                                                                                                              \
		return as_##T(old);                                                                                                                  \
	}                                                                                                                                            \
	SWAP(space, A, T, bits, strong, __private)                                                                                                   \
	SWAP(space, A, T, bits, strong, __global)                                                                                                    \
	SWAP(space, A, T, bits, strong, __local)                                                                                                     \
	SWAP(space, A, T, bits, weak, __private)                                                                                                     \
	SWAP(space, A, T, bits, weak, __global)                                                                                                      \
	SWAP(space, A, T, bits, weak, __local)

#define SWAP(space, A, T, bits, kind, where)                                                                                                         \
	OVER bool atomic_compare_exchange_##kind##_explicit(volatile space A *object, where T *expected, T desired, memory_order order,              \
	                                                    memory_order failure, memory_scope scope)                                                \
	{                                                                                                                                            \
		bits before = as_##bits(*expected);                                                                                                  \
		BEFORE;                                                                                                                              \
		bits old = __sync_val_compare_and_swap((volatile space bits *)object, before, as_##bits(desired));                                   \
		BEHIND;                                                                                                                              \
		*expected = as_##T(old);                                                                                                             \
		return old == before;                                                                                                                \
	}

#define INTEGER(space, A, T, min_of, max_of, exchange)                                                                                               \
	FETCH(space, A, T, add, __sync_fetch_and_add(p, v))                                                                                          \
	FETCH(space, A, T, sub, __sync_fetch_and_sub(p, v))                                                                                          \
	FETCH(space, A, T, or, __sync_fetch_and_or(p, v))                                                                                            \
	FETCH(space, A, T, xor, __sync_fetch_and_xor(p, v))                                                                                          \
	FETCH(space, A, T, and, __sync_fetch_and_and(p, v))                                                                                          \
	FETCH(space, A, T, min, min_of(p, v))                                                                                                        \
	FETCH(space, A, T, max, max_of(p, v))                                                                                                        \
	PLAIN(space, A, T, T, exchange)

/* On pointers as integers: operands of the other signedness. atomic_uintptr_t is atomic_ulong, atomic_intptr_t is atomic_long. */
#define OPERAND(space, A, T, V, name)                                                                                                                \
	OVER T atomic_fetch_##name##_explicit(volatile space A *object, V v, memory_order order, memory_scope scope)                                 \
	{                                                                                                                                            \
		return atomic_fetch_##name##_explicit(object, (T)v, order, scope);                                                                   \
	}                                                                                                                                            \
	FETCH_DEFAULTS(space, A, T, V, name)
#define OPERANDS(space, A, T, V)                                                                                                                     \
	OPERAND(space, A, T, V, or)                                                                                                                  \
	OPERAND(space, A, T, V, xor)                                                                                                                 \
	OPERAND(space, A, T, V, and)                                                                                                                 \
	OPERAND(space, A, T, V, min)

/* The forms without a scope are of the whole device, those without an order sequentially consistent. */
#define FETCH_DEFAULTS(space, A, T, V, name)                                                                                                         \
	OVER T atomic_fetch_##name##_explicit(volatile space A *object, V v, memory_order order)                                                     \
	{                                                                                                                                            \
		return atomic_fetch_##name##_explicit(object, v, order, memory_scope_device);                                                        \
	}                                                                                                                                            \
	OVER T atomic_fetch_##name(volatile space A *object, V v)                                                                                    \
	{                                                                                                                                            \
		return atomic_fetch_##name##_explicit(object, v, memory_order_seq_cst, memory_scope_device);                                         \
	}
#define INTEGER_DEFAULTS(space, A, T)                                                                                                                \
	FETCH_DEFAULTS(space, A, T, T, add)                                                                                                          \
	FETCH_DEFAULTS(space, A, T, T, sub)                                                                                                          \
	FETCH_DEFAULTS(space, A, T, T, or)                                                                                                           \
	FETCH_DEFAULTS(space, A, T, T, xor)                                                                                                          \
	FETCH_DEFAULTS(space, A, T, T, and)                                                                                                          \
	FETCH_DEFAULTS(space, A, T, T, min)                                                                                                          \
	FETCH_DEFAULTS(space, A, T, T, max)                                                                                                          \
	PLAIN_DEFAULTS(space, A, T)
#define PLAIN_DEFAULTS(space, A, T)                                                                                                                  \
	OVER void atomic_store_explicit(volatile space A *object, T v, memory_order order)                                                           \
	{                                                                                                                                            \
		atomic_store_explicit(object, v, order, memory_scope_device);                                                                        \
	}                                                                                                                                            \
	OVER void atomic_store(volatile space A *object, T v) { atomic_store_explicit(object, v, memory_order_seq_cst, memory_scope_device); }       \
	OVER T atomic_load_explicit(volatile space A *object, memory_order order)                                                                    \
	{                                                                                                                                            \
		return atomic_load_explicit(object, order, memory_scope_device);                                                                     \
	}                                                                                                                                            \
	OVER T atomic_load(volatile space A *object) { return atomic_load_explicit(object, memory_order_seq_cst, memory_scope_device); }             \
	OVER T atomic_exchange_explicit(volatile space A *object, T v, memory_order order)                                                           \
	{                                                                                                                                            \
		return atomic_exchange_explicit(object, v, order, memory_scope_device);                                                              \
	}                                                                                                                                            \
	OVER T atomic_exchange(volatile space A *object, T v)                                                                                        \
	{                                                                                                                                            \
		return atomic_exchange_explicit(object, v, memory_order_seq_cst, memory_scope_device);                                               \
	}                                                                                                                                            \
	SWAPS_DEFAULTS(space, A, T)
#define SWAP_DEFAULTS(space, A, T, kind, where)                                                                                                      \
	OVER bool atomic_compare_exchange_##kind##_explicit(volatile space A *object, where T *expected, T desired, memory_order order,              \
	                                                    memory_order failure)                                                                    \
	{                                                                                                                                            \
		return atomic_compare_exchange_##kind##_explicit(object, expected, desired, order, failure, memory_scope_device);                    \
	}                                                                                                                                            \
	OVER bool atomic_compare_exchange_##kind(volatile space A *object, where T *expected, T desired)                                             \
	{                                                                                                                                            \
		return atomic_compare_exchange_##kind##_explicit(object, expected, desired, memory_order_seq_cst, memory_order_seq_cst,              \
		                                                 memory_scope_device);                                                               \
	}

#define FLAG(space, exchange)                                                                                                                        \
	OVER bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *object, memory_order order, memory_scope scope)                      \
	{                                                                                                                                            \
		BEFORE;                                                                                                                              \
		int old = exchange((volatile space int *)object, 1);                                                                           \
		BEHIND;                                                                                                                              \
		return old != 0;                                                                                                                     \
	}                                                                                                                                            \
	OVER void atomic_flag_clear_explicit(volatile space atomic_flag *object, memory_order order, memory_scope scope)                             \
	{                                                                                                                                            \
		BEFORE;                                                                                                                              \
		*(volatile space int *)object = 0;                                                                                                   \
		BEHIND;                                                                                                                              \
	}                                                                                                                                            \
	OVER bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *object, memory_order order)                                          \
	{                                                                                                                                            \
		return atomic_flag_test_and_set_explicit(object, order, memory_scope_device);                                                        \
	}                                                                                                                                            \
	OVER bool atomic_flag_test_and_set(volatile space atomic_flag *object)                                                                       \
	{                                                                                                                                            \
		return atomic_flag_test_and_set_explicit(object, memory_order_seq_cst, memory_scope_device);                                         \
	}                                                                                                                                            \
	OVER void atomic_flag_clear_explicit(volatile space atomic_flag *object, memory_order order)                                                 \
	{                                                                                                                                            \
		atomic_flag_clear_explicit(object, order, memory_scope_device);                                                                      \
	}                                                                                                                                            \
	OVER void atomic_flag_clear(volatile space atomic_flag *object)                                                                              \
	{                                                                                                                                            \
		atomic_flag_clear_explicit(object, memory_order_seq_cst, memory_scope_device);                                                       \
	}

#define SPACE(space)                                                                                                                                 \
	INTEGER(space, atomic_int, int, atomic_min, atomic_max, atomic_xchg)                                                                         \
	INTEGER(space, atomic_uint, uint, atomic_min, atomic_max, atomic_xchg)                                                                       \
	INTEGER(space, atomic_long, long, atom_min, atom_max, atom_xchg)                                                                             \
	INTEGER(space, atomic_ulong, ulong, atom_min, atom_max, atom_xchg)                                                                           \
	PLAIN(space, atomic_float, float, int, atomic_xchg)                                                                                          \
	PLAIN(space, atomic_double, double, long, atom_xchg)
#define ALL_DEFAULTS(space)                                                                                                                          \
	INTEGER_DEFAULTS(space, atomic_int, int)                                                                                                     \
	INTEGER_DEFAULTS(space, atomic_uint, uint)                                                                                                   \
	INTEGER_DEFAULTS(space, atomic_long, long)                                                                                                   \
	INTEGER_DEFAULTS(space, atomic_ulong, ulong)                                                                                                 \
	PLAIN_DEFAULTS(space, atomic_float, float)                                                                                                   \
	PLAIN_DEFAULTS(space, atomic_double, double)                                                                                                 \
	OPERAND(space, atomic_uintptr_t, uintptr_t, ptrdiff_t, add)                                                                                  \
	OPERAND(space, atomic_uintptr_t, uintptr_t, ptrdiff_t, sub)                                                                                  \
	OPERANDS(space, atomic_uintptr_t, uintptr_t, intptr_t)                                                                                       \
	OPERANDS(space, atomic_intptr_t, intptr_t, uintptr_t)

#define SWAPS_DEFAULTS(space, A, T)                                                                                                                  \
	SWAP_DEFAULTS(space, A, T, strong, __private)                                                                                                \
	SWAP_DEFAULTS(space, A, T, strong, __global)                                                                                                 \
	SWAP_DEFAULTS(space, A, T, strong, __local)                                                                                                  \
	SWAP_DEFAULTS(space, A, T, weak, __private)                                                                                                  \
	SWAP_DEFAULTS(space, A, T, weak, __global)                                                                                                   \
	SWAP_DEFAULTS(space, A, T, weak, __local)
SPACE(__global)
SPACE(__local)
ALL_DEFAULTS(__global)
ALL_DEFAULTS(__local)
FLAG(__global, atomic_xchg)
FLAG(__local, atomic_xchg)

/* Generic objects: clang's own atomics, as atomic_min and the others take named address spaces alone. */
#define exchange(p, v) __sync_swap(p, v)
#define MIN_OF_int(p, v) __nvvm_atom_min_gen_i((__private int *)(p), v)
#define MAX_OF_int(p, v) __nvvm_atom_max_gen_i((__private int *)(p), v)
#define MIN_OF_uint(p, v) __nvvm_atom_min_gen_ui((__private uint *)(p), v)
#define MAX_OF_uint(p, v) __nvvm_atom_max_gen_ui((__private uint *)(p), v)
#define MIN_OF_long(p, v) __nvvm_atom_min_gen_l((__private long *)(p), v)
#define MAX_OF_long(p, v) __nvvm_atom_max_gen_l((__private long *)(p), v)
#define MIN_OF_ulong(p, v) __nvvm_atom_min_gen_ul((__private ulong *)(p), v)
#define MAX_OF_ulong(p, v) __nvvm_atom_max_gen_ul((__private ulong *)(p), v)
INTEGER(__generic, atomic_int, int, MIN_OF_int, MAX_OF_int, exchange)
INTEGER(__generic, atomic_uint, uint, MIN_OF_uint, MAX_OF_uint, exchange)
INTEGER(__generic, atomic_long, long, MIN_OF_long, MAX_OF_long, exchange)
INTEGER(__generic, atomic_ulong, ulong, MIN_OF_ulong, MAX_OF_ulong, exchange)
PLAIN(__generic, atomic_float, float, int, exchange)
PLAIN(__generic, atomic_double, double, long, exchange)
ALL_DEFAULTS(__generic)
FLAG(__generic, exchange)

/* -- generic pointers ----------------------------------------------------------------------------------------------------------------------------- */
/* The functions that clang calls for to_global(), to_local() and to_private(). */
__global void *__to_global(__generic void *p) { return __nvvm_isspacep_global((__private void *)p) ? (__global void *)p : 0; }
__local void *__to_local(__generic void *p) { return __nvvm_isspacep_shared((__private void *)p) ? (__local void *)p : 0; }
__private void *__to_private(__generic void *p) { return __nvvm_isspacep_local((__private void *)p) ? (__private void *)p : 0; }
OVER cl_mem_fence_flags get_fence(const __generic void *p) { return __nvvm_isspacep_shared((__private void *)p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; }
OVER cl_mem_fence_flags get_fence(__generic void *p) { return get_fence((const __generic void *)p); }

#include "sub_group.inc"
#include "work_group.inc"
#include "pipe.inc"

/* -- ctz: of zero, the width --------------------------------------------------------------------------------------------------------------------- */
#define CTZ(T) PURE T ctz(T x) { return popcount((T)(~x & (x - (T)1))); }
#define CTZS(T) CTZ(T) CTZ(T##2) CTZ(T##3) CTZ(T##4) CTZ(T##8) CTZ(T##16)
CTZS(char) CTZS(uchar) CTZS(short) CTZS(ushort) CTZS(int) CTZS(uint) CTZS(long) CTZS(ulong)

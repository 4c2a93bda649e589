/* What OpenCL C 3.0 has beyond 1.2 and every device must have: atomics with an order and a scope, on global and local memory; the fence and the barrier with
 * scopes; linear identifiers; ctz. A bitcode file of its own, as types with _Atomic are not in OpenCL C 1.2. The device offers relaxed
 * atomics; an order that is stronger gets its fences all the same. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define OVER __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))

/* -- work-items ----------------------------------------------------------------------------------------------------------------------------------- */
/* Work-groups are uniform. */
PURE size_t get_enqueued_local_size(uint d) { return get_local_size(d); }
PURE size_t get_local_linear_id(void) { return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); }
PURE size_t get_global_linear_id(void)
{
	size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);
	return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

/* -- fences and barriers -------------------------------------------------------------------------------------------------------------------------- */
OVER void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
	if (order == memory_order_relaxed)
		return;
	if (scope == memory_scope_work_item || scope == memory_scope_work_group)
		__asm__ __volatile__("membar.cta;" ::: "memory");
	else
		__asm__ __volatile__("membar.gl;" ::: "memory");
}
OVER void work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }
OVER void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
	if (scope == memory_scope_device)
		__asm__ __volatile__("membar.gl;" ::: "memory");
	barrier(flags);
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
	}
#define OPERANDS(space, A, T, V)                                                                                                                     \
	OPERAND(space, A, T, V, or)                                                                                                                  \
	OPERAND(space, A, T, V, xor)                                                                                                                 \
	OPERAND(space, A, T, V, and)                                                                                                                 \
	OPERAND(space, A, T, V, min)

#define SPACE(space)                                                                                                                                 \
	INTEGER(space, atomic_int, int, atomic_min, atomic_max, atomic_xchg)                                                                         \
	INTEGER(space, atomic_uint, uint, atomic_min, atomic_max, atomic_xchg)                                                                       \
	INTEGER(space, atomic_long, long, atom_min, atom_max, atom_xchg)                                                                             \
	INTEGER(space, atomic_ulong, ulong, atom_min, atom_max, atom_xchg)                                                                           \
	OPERAND(space, atomic_uintptr_t, uintptr_t, ptrdiff_t, add)                                                                                  \
	OPERAND(space, atomic_uintptr_t, uintptr_t, ptrdiff_t, sub)                                                                                  \
	OPERANDS(space, atomic_uintptr_t, uintptr_t, intptr_t)                                                                                       \
	OPERANDS(space, atomic_intptr_t, intptr_t, uintptr_t)                                                                                        \
	PLAIN(space, atomic_float, float, int, atomic_xchg)                                                                                          \
	PLAIN(space, atomic_double, double, long, atom_xchg)                                                                                         \
	OVER bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *object, memory_order order, memory_scope scope)                      \
	{                                                                                                                                            \
		BEFORE;                                                                                                                              \
		int old = atomic_xchg((volatile space int *)object, 1);                                                                              \
		BEHIND;                                                                                                                              \
		return old != 0;                                                                                                                     \
	}                                                                                                                                            \
	OVER void atomic_flag_clear_explicit(volatile space atomic_flag *object, memory_order order, memory_scope scope)                             \
	{                                                                                                                                            \
		BEFORE;                                                                                                                              \
		*(volatile space int *)object = 0;                                                                                                   \
		BEHIND;                                                                                                                              \
	}
SPACE(__global)
SPACE(__local)

/* -- ctz: of zero, the width --------------------------------------------------------------------------------------------------------------------- */
#define CTZ(T) PURE T ctz(T x) { return popcount((T)(~x & (x - (T)1))); }
#define CTZS(T) CTZ(T) CTZ(T##2) CTZ(T##3) CTZ(T##4) CTZ(T##8) CTZ(T##16)
CTZS(char) CTZS(uchar) CTZS(short) CTZS(ushort) CTZS(int) CTZS(uint) CTZS(long) CTZS(ulong)

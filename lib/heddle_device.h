// Grids that launch grids, and queues, for OpenCL C and CUDA kernels: #include <heddle_device.h>. What they mean is in docs/grids.md.
//
//     kernel void halve(global uint *data, uint n)
//     {
//             ...
//             if (n > 1 && get_local_id(0) == 0)
//                     heddle_launch(halve, 1, 32, data + n / 2, n / 2);
//     }
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

#ifdef __cplusplus
#define HEDDLE_DEVICE_FN static __device__ __forceinline__
#else
#define HEDDLE_DEVICE_FN static inline __attribute__((always_inline))
#endif

enum {
	HEDDLE_TAIL = 1,  // begins when everything else of its parent has ended
	HEDDLE_QUEUE = 2, // a queue: each entry starts a CTA
	HEDDLE_HEAD = 4,  // to the head of its list
};
// Of a priority from 0 (lowest) to 7; without, the parent's.
#define HEDDLE_PRIORITY(p) ((unsigned)((p) + 1) << 8)
// Of a kind of program from 0 to 3, which may have clusters of its own; without, the parent's.
#define HEDDLE_KIND(k) ((unsigned)((k) + 1) << 12)

// The descriptor that the instruction `launch` reads; `params` points to the parameters, one after the other, each aligned to its size.
typedef struct heddle_descriptor {
	unsigned long code, params; // heddle_kernel(name), address
	unsigned grid[3], block[3];
	unsigned shared; // dynamic shared memory, bytes
	unsigned bytes;  // of the parameters
	unsigned flags, zero;
} heddle_descriptor;

// Launches; the child grid's number.
HEDDLE_DEVICE_FN unsigned heddle_launch_descriptor(const heddle_descriptor *__descriptor)
{
	unsigned __number;
	__asm__ __volatile__("heddle.launch.b32 %0, [%1];" : "=r"(__number) : "l"((unsigned long)__descriptor) : "memory");
	return __number;
}
// Puts an entry into a queue; the number of the entry. Whoever starts from it gets `value` from heddle_entry().
HEDDLE_DEVICE_FN unsigned heddle_push(unsigned __queue, unsigned long value)
{
	unsigned __number;
	__asm__ __volatile__("heddle.push.b64 %0, %1, %2;" : "=r"(__number) : "r"(__queue), "l"(value) : "memory");
	return __number;
}
// A barrier of the work-group that also waits until all grids have ended that the work-group launched, with their children: all its threads call it.
// It does not wait for tail children and queues. What the children stored can be read behind it.
#define heddle_join() __asm__ __volatile__("heddle.join;" : : : "memory")
// Sets the warp's priority, 0 to 15 sixteenths of the range (predecode.priority: program). `level` is a constant.
#define heddle_set_priority(level) __asm__ __volatile__("heddle.setprio %0;" : : "n"(level))
// An attribute of the kernel in whose body it stands: its warp n begins with the priority base + n * step, of a range of 64, or of 1024 with
// predecode.priority_bits: 10 (predecode.priority: program). Both are literals, such as heddle_warp_priority(47, -4).
#define heddle_warp_priority(base, step) __asm__ __volatile__(".pragma \"heddle.priority " #base ", " #step "\";")
// The entry that started this CTA.
HEDDLE_DEVICE_FN unsigned long heddle_entry(void)
{
	unsigned long value;
	__asm__ __volatile__("mov.u64 %0, %%heddle_entry;" : "=l"(value));
	return value;
}
// The number of this CTA's own grid: a queue's kernel pushes to itself with it.
HEDDLE_DEVICE_FN unsigned heddle_self(void)
{
	unsigned value;
	__asm__ __volatile__("mov.u32 %0, %%heddle_task;" : "=r"(value));
	return value;
}

// The address of a kernel of this file, by its name; a CUDA kernel has to be extern "C", so that this is its name.
#define heddle_kernel(name)                                               \
	({                                                                \
		unsigned long heddle_address;                             \
		__asm__("mov.u64 %0, " #name ";" : "=l"(heddle_address)); \
		heddle_address;                                           \
	})

HEDDLE_DEVICE_FN unsigned heddle_launch_bytes(unsigned flags, unsigned long __kernel_address, unsigned __ctas, unsigned __threads, const void *__arguments, unsigned bytes)
{
	heddle_descriptor __d = {__kernel_address, (unsigned long)__arguments, {__ctas, 1, 1}, {__threads, 1, 1}, 0, bytes, flags, 0};
	return heddle_launch_descriptor(&__d);
}

// heddle_launch(kernel, ctas, threads, arguments...): one dimension, up to eight arguments of exactly the types of the kernel's parameters.
// heddle_launch_flags(flags, kernel, ...): the same with flags.
#define heddle_launch(...) heddle_launch_flags(0, __VA_ARGS__)
#define heddle_launch_flags(...) HEDDLE_PICK(__VA_ARGS__, HEDDLE_L8, HEDDLE_L7, HEDDLE_L6, HEDDLE_L5, HEDDLE_L4, HEDDLE_L3, HEDDLE_L2, HEDDLE_L1, HEDDLE_L0, 0)(__VA_ARGS__)
#define HEDDLE_PICK(f, k, c, t, a0, a1, a2, a3, a4, a5, a6, a7, which, ...) which
#define HEDDLE_DO(f, k, c, t, fields, ...)                                                                    \
	({                                                                                                    \
		struct { fields } heddle_arguments = {__VA_ARGS__};                                           \
		heddle_launch_bytes(f, heddle_kernel(k), c, t, &heddle_arguments, sizeof heddle_arguments);   \
	})
// The comma takes qualifiers and address spaces of variables off.
#define HEDDLE_M(n, a) __typeof__(((void)0, (a))) heddle_##n;
#define HEDDLE_L0(f, k, c, t) heddle_launch_bytes(f, heddle_kernel(k), c, t, 0, 0)
#define HEDDLE_L1(f, k, c, t, a) HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a), a)
#define HEDDLE_L2(f, k, c, t, a, b) HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a) HEDDLE_M(1, b), a, b)
#define HEDDLE_L3(f, k, c, t, a, b, __d) HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a) HEDDLE_M(1, b) HEDDLE_M(2, __d), a, b, __d)
#define HEDDLE_L4(f, k, c, t, a, b, __d, e) HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a) HEDDLE_M(1, b) HEDDLE_M(2, __d) HEDDLE_M(3, e), a, b, __d, e)
#define HEDDLE_L5(f, k, c, t, a, b, __d, e, g) HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a) HEDDLE_M(1, b) HEDDLE_M(2, __d) HEDDLE_M(3, e) HEDDLE_M(4, g), a, b, __d, e, g)
#define HEDDLE_L6(f, k, c, t, a, b, __d, e, g, h) \
	HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a) HEDDLE_M(1, b) HEDDLE_M(2, __d) HEDDLE_M(3, e) HEDDLE_M(4, g) HEDDLE_M(5, h), a, b, __d, e, g, h)
#define HEDDLE_L7(f, k, c, t, a, b, __d, e, g, h, i) \
	HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a) HEDDLE_M(1, b) HEDDLE_M(2, __d) HEDDLE_M(3, e) HEDDLE_M(4, g) HEDDLE_M(5, h) HEDDLE_M(6, i), a, b, __d, e, g, h, i)
#define HEDDLE_L8(f, k, c, t, a, b, __d, e, g, h, i, j)                                                                                                        \
	HEDDLE_DO(f, k, c, t, HEDDLE_M(0, a) HEDDLE_M(1, b) HEDDLE_M(2, __d) HEDDLE_M(3, e) HEDDLE_M(4, g) HEDDLE_M(5, h) HEDDLE_M(6, i) HEDDLE_M(7, j), a, b, \
	          __d, e, g, h, i, j)

#endif

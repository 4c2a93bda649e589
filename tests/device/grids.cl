#include <heddle_device.h>

// Everything that a saved CTA consists of: registers, predicates, divergence, calls with parked lanes, local memory, shared memory, barriers.
__attribute__((noinline)) static uint collatz(uint x, uint limit)
{
	uint steps = 0;
	while (x > 1 && steps < limit) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		steps++;
	}
	return steps;
}
__attribute__((noinline)) static uint deep(uint x, uint depth)
{
	if (depth == 0)
		return collatz(x, 40);
	return x & 1 ? deep(x / 2 + 1, depth - 1) + x : deep(x * 3 + 1, depth - 1) ^ x;
}
kernel void twisty(global uint *out, uint rounds)
{
	local uint shared[64];
	uint i = get_local_id(0), n = get_local_size(0), x = (uint)get_global_id(0) * 747796405u + 1, own[8];
	for (uint k = 0; k < 8; k++)
		own[k] = x * k;
	for (uint round = 0; round < rounds; round++) {
		own[x & 7] += collatz(x, 5 + (i & 15));
		if (i % 3)
			x += deep(x >> 5, i & 3);
		shared[i] = x;
		barrier(CLK_LOCAL_MEM_FENCE);
		x = x * 1664525u + own[shared[(i + 5) % n] & 7];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = x;
}

// Which grid began before which: each CTA takes the next number.
kernel void stamp(global uint *clock, global uint *out, uint grid)
{
	if (get_local_id(0) == 0 && get_group_id(0) == 0)
		out[grid] = atomic_inc(clock);
	for (volatile uint k = 0; k < 200; k++)
		;
}

// Nested as deep as it goes.
kernel void nest(global uint *out, uint depth)
{
	out[depth] = depth + 1;
	if (depth)
		heddle_launch(nest, 1, 1, out, depth - 1);
}
// More children than may wait.
kernel void many(global uint *out, uint children)
{
	for (uint k = 0; k < children; k++)
		heddle_launch(nest, 1, 1, out + k, (uint)0);
}
// Launches that are not possible, one a case; and pushes.
kernel void bad(global uint *out, uint which)
{
	heddle_descriptor d = {heddle_kernel(nest), (ulong)&out, {1, 1, 1}, {1, 1, 1}, 0, 16, 0, 0};
	struct { global uint *out; uint depth; } arguments = {out, 0};
	d.params = (ulong)&arguments;
	switch (which) {
	case 1: d.code++; break;
	case 2: d.bytes = 4; break;
	case 3: d.block[0] = 2000; break;
	case 4: d.grid[1] = 0; break;
	case 5: d.flags = 0x80; break;
	case 6: d.shared = 1 << 20; break;
	case 7: heddle_push(0, 1); break;
	case 8: heddle_push(12345, 1); break;
	case 9: d.params = 64; break;
	}
	if (which == 10)
		d.zero = 1;
	heddle_launch_descriptor(&d);
}

// Tail children in the order of their launch, after all other children; memory that the parent wrote is seen by them.
kernel void append(global uint *list, uint value)
{
	list[atomic_inc(list) + 1] = value;
}
kernel void late(global uint *list)
{
	list[50] = 7;
	heddle_launch_flags(HEDDLE_TAIL, append, 1, 1, list, (uint)3);
	heddle_launch_flags(HEDDLE_TAIL, append, 1, 1, list, list[50] - 3);
	heddle_launch(append, 1, 1, list, (uint)1);
	append(list, 0);
}

// A pipeline of two queues that a kernel makes itself, and that it feeds from its own entries, too.
kernel void second(global uint *out)
{
	atomic_add(&out[heddle_entry() & 15], (uint)(heddle_entry() >> 32));
}
kernel void first(global uint *out, uint to)
{
	ulong entry = heddle_entry();
	uint left = (uint)(entry >> 32);
	heddle_push(to, (entry & 15) | (ulong)(left + 1) << 32);
	if (left)
		heddle_push(heddle_self(), (entry & 15) | (ulong)(left - 1) << 32);
}
kernel void pipeline(global uint *out, uint n)
{
	uint to = heddle_launch_flags(HEDDLE_QUEUE, second, 1, 1, out);
	uint from = heddle_launch_flags(HEDDLE_QUEUE | HEDDLE_PRIORITY(2), first, 1, 1, out, to);
	for (uint k = 0; k < n; k++)
		heddle_push(from, k | (ulong)k << 32);
}
kernel void flood(uint queue, uint n)
{
	for (uint k = 0; k < n; k++)
		heddle_push(queue, k);
}
kernel void drain(global uint *out)
{
	atomic_add(out, (uint)heddle_entry());
}

// Where each CTA runs: its core. It runs for `length` rounds.
kernel void where(global uint *out, uint length)
{
	uint core;
	__asm__ __volatile__("mov.u32 %0, %%smid;" : "=r"(core));
	if (get_local_id(0) == 0)
		out[get_group_id(0)] = core;
	for (volatile uint k = 0; k < length; k++)
		;
}
// The same for a child: of the parent's kind, and of a kind of its own.
kernel void where_children(global uint *out)
{
	heddle_launch(where, 4, 32, out, (uint)10);
	heddle_launch_flags(HEDDLE_KIND(2), where, 4, 32, out + 4, (uint)10);
}

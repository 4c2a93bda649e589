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
// Each CTA goes on from what the CTA of the entry before has written.
kernel void relay(global uint *out, uint n)
{
	uint k = (uint)heddle_entry();
	out[k + 1] = out[k] + 1;
	if (k + 1 < n)
		heddle_push(heddle_self(), k + 1);
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

// PD-32. Everything that a CTA consists of, before and behind a join: node `node` of a tree of children, of which each adds what its children found.
kernel void family(global uint *out, uint node, uint fan, uint depth)
{
	local uint shared[64];
	uint i = get_local_id(0), n = get_local_size(0), x = (node * 64 + i) * 747796405u + 1, own[8];
	for (uint k = 0; k < 8; k++)
		own[k] = x * k;
	x += deep(x >> 5, i & 3);
	shared[i] = x;
	if (depth && i < fan) // each of the first lanes launches one
		heddle_launch(family, 1, 64, out, node * fan + 1 + i, fan, depth - 1);
	own[x & 7] += collatz(x, 5 + (i & 15));
	heddle_join();
	x = x * 1664525u + own[shared[(i + 5) % n] & 7];
	if (depth)
		x += out[(node * fan + 1 + i % fan) * 64 + i];
	out[node * 64 + i] = x;
}
// Several CTAs that launch and join twice. The last one has no children, and the second join of all finds none.
kernel void child_grids(global uint *out)
{
	uint c = get_group_id(0), i = get_local_id(0);
	global uint *mine = out + 64 * c;
	if (i == 0)
		for (uint k = 0; k + 1 < get_num_groups(0) - c; k++)
			heddle_launch(nest, 1, 1, mine + 8 * k, (uint)2);
	heddle_join();
	uint sum = 0;
	for (uint k = 0; k < 24; k++)
		sum += mine[k];
	heddle_join();
	if (i == 5)
		mine[63] = sum + 100;
}
// Warps that end before the join, a warp that arrives and goes on, and barriers before and behind.
kernel void uneven(global uint *out, uint which)
{
	uint i = get_local_id(0), warp = i / 32;
	if (i == 0)
		heddle_launch(nest, 1, 1, out, (uint)3);
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (which == 0 && warp == 1)
		return;
	if (which == 1 && warp == 1) {
		__asm__ __volatile__("barrier.arrive 0, %0;" : : "r"((uint)get_local_size(0)) : "memory");
		out[40] = 9;
		return;
	}
	if (which == 2 && warp == 1)
		barrier(CLK_GLOBAL_MEM_FENCE); // is at the join of the others
	else
		heddle_join();
	out[64 + i] = out[0] + out[1] + out[2] + out[3];
}
// A child that ends the run, while its parent waits; a child that loops for ever.
kernel void child_of_bad(global uint *out, uint which)
{
	if (which == 0)
		out[1ul << 40] = 1;
	while (which == 1)
		;
	if (which == 2) {
		heddle_launch(child_of_bad, 1, 1, out, (uint)2);
		heddle_join();
	}
}
kernel void bad_join(global uint *out, uint which)
{
	heddle_launch(child_of_bad, 1, 1, out, which);
	heddle_join();
	out[0] = 1;
}
// A join does not wait for tail children and queues: they end after the CTA. It waits for the queue of a child, which ends with the child.
kernel void not_waited_for(global uint *out)
{
	heddle_launch_flags(HEDDLE_TAIL, append, 1, 1, out, (uint)1);
	uint queue = heddle_launch_flags(HEDDLE_QUEUE, drain, 1, 1, out + 50);
	heddle_launch(flood, 1, 1, queue, (uint)4);
	heddle_join();
	heddle_push(queue, 10);
	append(out, 0);
}
kernel void queue_below(global uint *out)
{
	heddle_launch(pipeline, 1, 1, out, (uint)5);
	heddle_join();
	for (uint k = 0; k < 5; k++)
		out[20 + k] = out[k] + 1;
}
// A barrier behind a join is a barrier. Of the grids that are ready, a join takes those of its CTA.
kernel void joins_first(global uint *list)
{
	if (get_local_id(0) == 0)
		heddle_launch(append, 1, 1, list, (uint)1);
	heddle_join();
	if (get_local_id(0) == 0) {
		append(list, 3);
		heddle_launch(append, 1, 1, list, (uint)4);
	}
	barrier(CLK_GLOBAL_MEM_FENCE);
}
kernel void launches_two(global uint *list)
{
	heddle_launch(joins_first, 1, 64, list);
	heddle_launch(append, 1, 1, list, (uint)2);
}

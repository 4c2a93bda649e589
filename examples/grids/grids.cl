// Grids that wait, urgent grids, grids that launch grids, and queues (docs/grids.md).
#include <heddle_device.h>

// Computes for a while: each thread does `rounds` rounds of arithmetic, sometimes with a barrier and a value in local memory.
kernel void work(global uint *out, uint rounds)
{
	local uint shared[64];
	uint i = get_local_id(0), n = get_local_size(0), x = (uint)get_global_id(0) * 2654435761u + 1;
	for (uint round = 0; round < rounds; round++) {
		x = x * 1664525u + 1013904223u;
		if (round % 64 == 63) {
			shared[i] = x;
			barrier(CLK_LOCAL_MEM_FENCE);
			x ^= shared[(i + 1) % n];
			barrier(CLK_LOCAL_MEM_FENCE);
		}
	}
	out[get_global_id(0)] = x;
}

// Sorts data[begin, end): a CTA partitions a range around a pivot and launches a grid for each side.
kernel void quicksort(global int *data, global int *scratch, uint begin, uint end)
{
	local uint low, high;
	uint i = get_local_id(0), n = get_local_size(0);
	if (end - begin <= n) { // few elements: each finds its place by counting
		int mine = begin + i < end ? data[begin + i] : 0;
		uint rank = 0;
		for (uint k = begin; k < end; k++)
			rank += data[k] < mine || (data[k] == mine && k < begin + i);
		barrier(CLK_GLOBAL_MEM_FENCE);
		if (begin + i < end)
			data[begin + rank] = mine;
		return;
	}
	int pivot = data[begin + (end - begin) / 2];
	if (i == 0) {
		low = begin;
		high = end;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = begin + i; k < end; k += n) {
		int v = data[k];
		if (v < pivot)
			scratch[atomic_inc(&low)] = v;
		else if (v > pivot)
			scratch[atomic_dec(&high) - 1] = v;
	}
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	for (uint k = begin + i; k < end; k += n)
		data[k] = k < low || k >= high ? scratch[k] : pivot;
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (i == 0 && low - begin > 1)
		heddle_launch(quicksort, 1, 64, data, scratch, begin, low);
	if (i == 0 && end - high > 1)
		heddle_launch(quicksort, 1, 64, data, scratch, high, end);
}

// Sums data[begin, end) into sums[node], as a binary tree: a child for each half, and a tail child that adds their two sums.
kernel void add_up(global ulong *sums, uint node)
{
	sums[node] = sums[2 * node + 1] + sums[2 * node + 2];
}
kernel void sum(global const uint *data, global ulong *sums, uint node, uint begin, uint end)
{
	if (end - begin <= 32) {
		ulong s = 0;
		for (uint k = begin; k < end; k++)
			s += data[k];
		sums[node] = s;
		return;
	}
	uint middle = begin + (end - begin) / 2;
	heddle_launch_flags(HEDDLE_TAIL, add_up, 1, 1, sums, node);
	heddle_launch(sum, 1, 1, data, sums, 2 * node + 1, begin, middle);
	heddle_launch(sum, 1, 1, data, sums, 2 * node + 2, middle, end);
}

// A work list: the producer pushes the roots of trees into the queue. Each entry is a node, and its CTA pushes the node's two children.
kernel void produce(uint queue, uint roots)
{
	if (get_global_id(0) < roots)
		heddle_push(queue, get_global_id(0));
}
kernel void visit(global uint *seen, uint nodes)
{
	uint node = (uint)heddle_entry();
	if (get_local_id(0) != 0)
		return;
	seen[node] = seen[node] + node * 3 + 1;
	for (uint child = 8 * node + 8; child < 8 * node + 16; child++)
		if (child < nodes)
			heddle_push(heddle_self(), child);
}

// Sorts data[begin, end) with joins: a CTA launches a grid for each half, waits for both, and merges what they have sorted.
kernel void mergesort(global int *data, global int *scratch, uint begin, uint end)
{
	uint i = get_local_id(0), n = get_local_size(0), middle = begin + (end - begin) / 2;
	if (end - begin <= n) { // few elements: each finds its place by counting
		int mine = begin + i < end ? data[begin + i] : 0;
		uint rank = 0;
		for (uint k = begin; k < end; k++)
			rank += data[k] < mine || (data[k] == mine && k < begin + i);
		barrier(CLK_GLOBAL_MEM_FENCE);
		if (begin + i < end)
			data[begin + rank] = mine;
		return;
	}
	if (i == 0) {
		heddle_launch(mergesort, 1, 64, data, scratch, begin, middle);
		heddle_launch(mergesort, 1, 64, data, scratch, middle, end);
	}
	heddle_join();
	for (uint k = begin + i; k < end; k += n) { // its place: its index in its half, and the number of smaller ones in the other
		bool left = k < middle;
		int v = data[k];
		uint low = left ? middle : begin, high = left ? end : middle;
		while (low < high) {
			uint at = (low + high) / 2;
			if (data[at] < v || (!left && data[at] == v))
				low = at + 1;
			else
				high = at;
		}
		scratch[k + low - middle] = v;
	}
	barrier(CLK_GLOBAL_MEM_FENCE);
	for (uint k = begin + i; k < end; k += n)
		data[k] = scratch[k];
}

// An unstructured tree: node `node` has up to three children, which a hash decides. Each CTA adds up the sums of its children, behind a join.
kernel void tree(global uint *sums, uint node, uint seed, uint depth)
{
	uint x = (seed ^ node) * 2654435761u, children = depth ? x >> 30 : 0, rounds = x >> 20 & 255;
	for (uint k = 0; k < rounds; k++)
		x = x * 1664525u + 1013904223u;
	for (uint k = 0; k < children; k++)
		heddle_launch(tree, 1, 1, sums, 3 * node + 1 + k, seed, depth - 1);
	heddle_join();
	uint sum = x >> 16;
	for (uint k = 0; k < children; k++)
		sum += sums[3 * node + 1 + k];
	sums[node] = sum;
}

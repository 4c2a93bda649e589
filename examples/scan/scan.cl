/* Exclusive prefix sum: out[i] = in[0] + ... + in[i - 1].
 *
 * Three kernels. scan_blocks scans blocks of 2 * get_local_size(0) numbers in local memory and puts each block's total into `sums`. The host then scans `sums`
 * in the same way. scan_add adds to every block the sum of all earlier blocks. */

__kernel void scan_blocks(__global const uint *in, __global uint *out, __global uint *sums, uint n, __local uint *tree)
{
	uint id = get_local_id(0), items = get_local_size(0), block = get_group_id(0) * 2 * items;
	uint left = block + 2 * id, right = left + 1;
	tree[2 * id] = left < n ? in[left] : 0;
	tree[2 * id + 1] = right < n ? in[right] : 0;

	/* Up: every node of a binary tree becomes the sum of its two children. A node is stored at the place of its last leaf. */
	uint stride = 1;
	for (uint nodes = items; nodes > 0; nodes /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < nodes)
			tree[stride * (2 * id + 2) - 1] += tree[stride * (2 * id + 1) - 1];
		stride *= 2;
	}
	if (id == 0) {
		sums[get_group_id(0)] = tree[2 * items - 1];
		tree[2 * items - 1] = 0;
	}
	/* Down: the left child gets the sum before its parent. The right child gets this sum plus the sum of the left child. */
	for (uint nodes = 1; nodes <= items; nodes *= 2) {
		stride /= 2;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < nodes) {
			uint left_node = stride * (2 * id + 1) - 1, right_node = stride * (2 * id + 2) - 1;
			uint sum = tree[left_node];
			tree[left_node] = tree[right_node];
			tree[right_node] += sum;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (left < n)
		out[left] = tree[2 * id];
	if (right < n)
		out[right] = tree[2 * id + 1];
}

__kernel void scan_add(__global uint *out, __global const uint *before, uint n)
{
	uint i = get_group_id(0) * 2 * get_local_size(0) + get_local_id(0);
	uint sum = before[get_group_id(0)];
	if (i < n)
		out[i] += sum;
	if (i + get_local_size(0) < n)
		out[i + get_local_size(0)] += sum;
}

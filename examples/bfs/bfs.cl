/* Breadth-first search. A round of two launches handles one level. The graph is in compressed rows: edges[first[u]] .. edges[first[u + 1] - 1] are the neighbours of node u.
 *
 * bfs_expand: every node of the frontier marks its unvisited neighbours. Several nodes may mark the same one. The exchange is atomic, and all write the same value.
 * bfs_advance: the marked nodes become the next frontier. There are two kernels, because one kernel that read levels while others wrote them would have a race. */
__kernel void bfs_expand(__global const uint *first, __global const uint *edges, __global const int *level, __global const uint *frontier, __global uint *marked, uint n)
{
	uint node = get_global_id(0);
	if (node >= n || !frontier[node])
		return;
	for (uint i = first[node]; i < first[node + 1]; i++) {
		uint next = edges[i];
		if (level[next] < 0)
			atomic_xchg(&marked[next], 1u);
	}
}

__kernel void bfs_advance(__global int *level, __global uint *frontier, __global uint *marked, __global uint *any, int depth, uint n)
{
	uint node = get_global_id(0);
	if (node >= n)
		return;
	uint mark = marked[node];
	frontier[node] = mark;
	if (mark) {
		marked[node] = 0;
		level[node] = depth;
		atomic_or(any, 1u);
	}
}

// Breadth-first search: a flag on the host says whether there is another level. No two levels look alike.
#include "check.h"
#include <queue>
#include <vector>

struct node {
	int first, n;
};

__global__ void level(const node *nodes, const int *edges, int *depth, int now, bool *more, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n || depth[i] != now)
		return;
	for (int e = nodes[i].first; e < nodes[i].first + nodes[i].n; e++) {
		if (depth[edges[e]] < 0) {
			depth[edges[e]] = now + 1;
			*more = true;
		}
	}
}

int main()
{
	const int n = 300;
	std::vector<node> nodes(n);
	std::vector<int> edges;
	for (int i = 0; i < n; i++) {
		nodes[i].first = (int)edges.size();
		for (int k = 1; k <= 1 + i % 4; k++)
			edges.push_back((i * 7 + k * k * 31) % n);
		nodes[i].n = (int)edges.size() - nodes[i].first;
	}
	std::vector<int> depth(n, -1), expected(n, -1);
	depth[0] = expected[0] = 0;
	node *dn;
	int *de, *dd;
	bool *dm, more = true;
	CHECKED(cudaMalloc(&dn, n * sizeof(node)));
	CHECKED(cudaMalloc(&de, edges.size() * 4));
	CHECKED(cudaMalloc(&dd, n * 4));
	CHECKED(cudaMalloc(&dm, 1));
	CHECKED(cudaMemcpy(dn, nodes.data(), n * sizeof(node), cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(de, edges.data(), edges.size() * 4, cudaMemcpyHostToDevice));
	CHECKED(cudaMemcpy(dd, depth.data(), n * 4, cudaMemcpyHostToDevice));
	for (int now = 0; more; now++) {
		more = false;
		CHECKED(cudaMemcpy(dm, &more, 1, cudaMemcpyHostToDevice));
		level<<<(n + 63) / 64, 64>>>(dn, de, dd, now, dm, n);
		CHECKED(cudaMemcpy(&more, dm, 1, cudaMemcpyDeviceToHost));
	}
	CHECKED(cudaMemcpy(depth.data(), dd, n * 4, cudaMemcpyDeviceToHost));
	std::queue<int> open;
	for (open.push(0); !open.empty(); open.pop())
		for (int e = 0; e < nodes[open.front()].n; e++) {
			int to = edges[nodes[open.front()].first + e];
			if (expected[to] < 0) {
				expected[to] = expected[open.front()] + 1;
				open.push(to);
			}
		}
	long wrong = 0;
	for (int i = 0; i < n; i++)
		wrong += depth[i] != expected[i];
	return verdict(wrong);
}

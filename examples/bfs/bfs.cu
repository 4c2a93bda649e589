// Breadth-first search as a CUDA program: two launches a level, on a graph in compressed rows. edges[first[u]] .. edges[first[u + 1] - 1] are the
// neighbours of node u. A word of managed memory tells the host whether a level had any node.
#include "../example.cuh"

#include <queue>

enum { BLOCK = 128 };

// Every node of the frontier marks its unvisited neighbours. Several nodes may mark the same one, so the exchange is atomic.
__global__ void bfs_expand(const unsigned *first, const unsigned *edges, const int *level, const unsigned *frontier, unsigned *marked, unsigned n)
{
	unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= n || !frontier[node])
		return;
	for (unsigned i = first[node]; i < first[node + 1]; i++) {
		unsigned next = edges[i];
		if (level[next] < 0)
			atomicExch(&marked[next], 1u);
	}
}

// The marked nodes become the next frontier. A kernel that read levels while others wrote them would have a race.
__global__ void bfs_advance(int *level, unsigned *frontier, unsigned *marked, unsigned *any, int depth, unsigned n)
{
	unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node >= n)
		return;
	unsigned mark = marked[node];
	frontier[node] = mark;
	if (mark) {
		marked[node] = 0;
		level[node] = depth;
		atomicOr(any, 1u);
	}
}

struct Graph {
	std::vector<unsigned> first, edges;
};

// A graph whose degrees differ a lot. The last tenth of the nodes cannot be reached.
static Graph make_graph(unsigned n)
{
	Random random(9);
	Graph graph;
	for (unsigned node = 0; node < n; node++) {
		unsigned degree = random.below(8) == 0 ? random.below(24) : random.below(4);
		graph.first.push_back((unsigned)graph.edges.size());
		while (degree--)
			graph.edges.push_back(random.below(n - n / 10));
	}
	graph.first.push_back((unsigned)graph.edges.size());
	return graph;
}

static std::vector<int> levels_of(const Graph &graph, unsigned n)
{
	std::vector<int> level(n, -1);
	std::queue<unsigned> queue;
	level[0] = 0;
	for (queue.push(0); !queue.empty(); queue.pop()) {
		unsigned node = queue.front();
		for (unsigned i = graph.first[node]; i < graph.first[node + 1]; i++) {
			unsigned next = graph.edges[i];
			if (level[next] < 0) {
				level[next] = level[node] + 1;
				queue.push(next);
			}
		}
	}
	return level;
}

static void run(Outputs &outputs, unsigned n)
{
	const Graph graph = make_graph(n);
	std::vector<int> start(n, -1);
	std::vector<unsigned> frontier(n);
	start[0] = 0;
	frontier[0] = 1;
	unsigned *first = to_device(graph.first), *edges = to_device(graph.edges), *device_frontier = to_device(frontier);
	unsigned *marked = zeros_on_device<unsigned>(n), *any;
	int *level = to_device(start);
	CHECK(cudaMallocManaged(&any, sizeof *any));
	*any = 1;
	for (int depth = 1; *any && depth <= (int)n + 1; depth++) {
		*any = 0;
		bfs_expand<<<blocks_for(n, BLOCK), BLOCK>>>(first, edges, level, device_frontier, marked, n);
		bfs_advance<<<blocks_for(n, BLOCK), BLOCK>>>(level, device_frontier, marked, any, depth, n);
		CHECK(cudaGetLastError());
		CHECK(cudaDeviceSynchronize()); // before the host looks at *any
	}
	outputs.equal("level", to_host(level, n), levels_of(graph, n));
	CHECK(cudaFree(first));
	CHECK(cudaFree(edges));
	CHECK(cudaFree(device_frontier));
	CHECK(cudaFree(marked));
	CHECK(cudaFree(any));
	CHECK(cudaFree(level));
}

int main(int argc, char **argv)
{
	static const unsigned sizes[] = {1, 50, 1000, 12000};
	return run_sizes(argc, argv, sizes, run);
}

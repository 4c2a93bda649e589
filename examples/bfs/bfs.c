#include "example.h"

typedef struct graph {
	uint32_t n, *first, *edges;
} graph;

/* Makes a graph whose degrees differ a lot. The last tenth of the nodes cannot be reached. */
static graph graph_new(uint32_t n)
{
	uint64_t seed = 9;
	uint32_t reachable = n - n / 10;
	graph g = {.n = n, .first = hd_xmalloc((n + 1) * sizeof(uint32_t)), .edges = hd_xmalloc(n * 24 * sizeof(uint32_t))};
	uint32_t at = 0;
	for (uint32_t node = 0; node < n; node++) {
		uint32_t degree = ex_random_below(&seed, 8) == 0 ? ex_random_below(&seed, 24) : ex_random_below(&seed, 4);
		g.first[node] = at;
		while (degree--)
			g.edges[at++] = ex_random_below(&seed, reachable);
	}
	g.first[n] = at;
	return g;
}

static void reference(const graph *g, int32_t *level)
{
	uint32_t *queue = hd_xmalloc(g->n * sizeof *queue), head = 0, tail = 0;
	for (uint32_t node = 0; node < g->n; node++)
		level[node] = -1;
	level[0] = 0;
	queue[tail++] = 0;
	while (head < tail) {
		uint32_t node = queue[head++];
		for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
			uint32_t next = g->edges[i];
			if (level[next] >= 0)
				continue;
			level[next] = level[node] + 1;
			queue[tail++] = next;
		}
	}
	free(queue);
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 50, 1000, 12000};
	uint32_t n = sizes[size];
	graph g = graph_new(n);
	uint32_t edges = g.first[n] ? g.first[n] : 1;
	int32_t *level = hd_xmalloc(n * sizeof *level);
	uint32_t *frontier = hd_xcalloc(n, sizeof *frontier), one = 1, zero = 0;
	for (uint32_t node = 0; node < n; node++)
		level[node] = node ? -1 : 0;
	frontier[0] = 1;
	unsigned first_buffer = ex_buffer(run, "first", (n + 1) * sizeof(uint32_t), g.first),
	         edges_buffer = ex_buffer(run, "edges", edges * sizeof(uint32_t), g.edges);
	unsigned level_buffer = ex_buffer(run, "level", n * sizeof *level, level),
	         frontier_buffer = ex_buffer(run, "frontier", n * sizeof *frontier, frontier);
	unsigned marked = ex_buffer(run, "marked", n * sizeof *frontier, NULL), any = ex_buffer(run, "any", sizeof any, NULL);
	ex_shape shape = ex_1d(ex_groups(n, 128), 128);
	for (int32_t depth = 1; one; depth++) {
		ex_write(run, any, &zero, sizeof zero);
		ex_launch(run, "bfs_expand", shape, ex_buf(first_buffer), ex_buf(edges_buffer), ex_buf(level_buffer), ex_buf(frontier_buffer),
		          ex_buf(marked), ex_u32(n));
		ex_launch(run, "bfs_advance", shape, ex_buf(level_buffer), ex_buf(frontier_buffer), ex_buf(marked), ex_buf(any), ex_i32(depth),
		          ex_u32(n));
		ex_read(run, any, &one, sizeof one);
		if (depth > (int32_t)n)
			break; /* more levels than nodes: the expectation below reports the error */
	}
	reference(&g, level);
	ex_expect_bytes(run, level_buffer, level, n * sizeof *level);
	free(g.first);
	free(g.edges);
	free(level);
	free(frontier);
}

const ex_example ex_bfs = {
    .name = "bfs",
    .source = "bfs/bfs.cl",
    .about = "breadth-first search by levels",
    .host = host,
    .sizes = {"1", "50", "1000", "12000"},
};

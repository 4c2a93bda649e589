/* Graphs as text for Graphviz. */
#include "cuda/graph.h"

#include <stdio.h>

static const char *kind_name(enum cudaGraphNodeType kind)
{
	static const char *const names[] = {"KERNEL", "MEMCPY",       "MEMSET", "HOST", "GRAPH",     "EMPTY",
	                                    "WAIT",   "EVENT_RECORD", "",       "",     "MEM_ALLOC", "MEM_FREE"};
	return (unsigned)kind < HD_COUNT(names) ? names[kind] : "";
}

static const char *direction(enum cudaMemcpyKind kind)
{
	static const char *const names[] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default"};
	return (unsigned)kind < HD_COUNT(names) ? names[kind] : "";
}

static void put_kernel(hd_text *out, const hu_payload *p, unsigned flags)
{
	hu_function *same;
	const hu_grid *g = &p->work.kernel.grid;
	bool there = hu_function_of(p->function, &same) == cudaSuccess;
	hd_text_printf(out, "\\n%s", there ? same->name : "of a module that is gone");
	if (flags & (cudaGraphDebugDotFlagsVerbose | cudaGraphDebugDotFlagsKernelNodeParams))
		hd_text_printf(out, "\\ngrid %u x %u x %u, block %u x %u x %u, %llu bytes shared", g->grid[0], g->grid[1], g->grid[2], g->block[0],
		               g->block[1], g->block[2], (unsigned long long)g->shared);
	if (flags & (cudaGraphDebugDotFlagsVerbose | cudaGraphDebugDotFlagsKernelNodeAttributes))
		hd_text_printf(out, "\\ncooperative %d, priority %d", g->cooperative, p->work.kernel.priority);
}

static void put_what(hd_text *out, const hu_payload *p, unsigned flags)
{
	const hu_work *work = &p->work;
	bool all = flags & cudaGraphDebugDotFlagsVerbose;
	if (work->kind == cudaGraphNodeTypeKernel)
		put_kernel(out, p, flags);
	if (work->kind == cudaGraphNodeTypeMemcpy)
		hd_text_printf(out, "\\n%s", direction(work->copy.kind));
	if (work->kind == cudaGraphNodeTypeMemcpy && (all || flags & cudaGraphDebugDotFlagsMemcpyNodeParams))
		hd_text_printf(out, "\\n%p to %p, %zu x %zu x %zu", work->copy.srcPtr.ptr, work->copy.dstPtr.ptr, work->copy.extent.width,
		               work->copy.extent.height, work->copy.extent.depth);
	if (work->kind == cudaGraphNodeTypeMemset && (all || flags & cudaGraphDebugDotFlagsMemsetNodeParams))
		hd_text_printf(out, "\\n%p, value %u of %u bytes, %zu x %zu", work->fill.dst, work->fill.value, work->fill.elementSize,
		               work->fill.width, work->fill.height);
	if (work->kind == cudaGraphNodeTypeHost && (all || flags & cudaGraphDebugDotFlagsHostNodeParams))
		hd_text_printf(out, "\\nuser data %p", work->host.userData);
	if ((work->kind == cudaGraphNodeTypeWaitEvent || work->kind == cudaGraphNodeTypeEventRecord) &&
	    (all || flags & cudaGraphDebugDotFlagsEventNodeParams))
		hd_text_printf(out, "\\nevent %p", (void *)work->event);
	if (p->allocation)
		hd_text_printf(out, "\\n%llu bytes", (unsigned long long)p->allocation->size);
}

/* `name`: of the graph, which begins the names of its nodes. */
static void put_graph(hd_text *out, const hu_graph *graph, const char *name, unsigned flags)
{
	hd_text_printf(out, "subgraph \"cluster_%s\" {\nlabel=\"%s\";\n", name, name);
	for (size_t i = 0; i < graph->nodes.n; i++) {
		const hu_node *node = graph->nodes.at[i];
		hd_text_printf(out, "\"%s_node_%zu\" [shape=\"box\", label=\"%zu\\n%s", name, i, i, kind_name(node->does.work.kind));
		put_what(out, &node->does, flags);
		if (flags & cudaGraphDebugDotFlagsHandles)
			hd_text_printf(out, "\\nhandle %p", (const void *)node);
		hd_text_printf(out, "\"];\n");
		if (node->does.work.kind != cudaGraphNodeTypeGraph)
			continue;
		hd_text below = {0};
		hd_text_printf(&below, "%s_%zu", name, i);
		put_graph(out, node->does.work.child.graph, below.at, flags);
		hd_text_free(&below);
	}
	for (size_t i = 0; i < graph->nodes.n; i++)
		for (size_t j = 0; j < graph->nodes.at[i]->needs.nodes.n; j++)
			hd_text_printf(out, "\"%s_node_%zu\" -> \"%s_node_%zu\";\n", name, graph->nodes.at[i]->needs.nodes.at[j]->place, name, i);
	hd_text_printf(out, "}\n");
}

cudaError_t hu_graph_print_dot(hu_graph *graph, const char *path, unsigned flags)
{
	hd_text out = {0};
	hu_graphs_lock();
	bool good = path && hu_graph_is(graph);
	if (good) {
		hd_text_printf(&out, "digraph dot {\n");
		put_graph(&out, graph, "graph", flags);
		hd_text_printf(&out, "}\n");
	}
	hu_graphs_unlock();
	if (!good)
		return cudaErrorInvalidValue;
	FILE *file = fopen(path, "w");
	bool written = file && fwrite(out.at, 1, out.n, file) == out.n;
	written = (!file || fclose(file) == 0) && written;
	hd_text_free(&out);
	return written ? cudaSuccess : cudaErrorOperatingSystem;
}

/* Functions of graphs whose signatures differ between versions of the runtime: compiled once for each, with HU_RUNTIME 12 or 13. Version 13 has the
 * data of edges in the functions without a suffix. */
#include "cuda/core.h"

#include <string.h>

cudaError_t hx_remember(cudaError_t error);
cudaError_t hx_graph_add_any(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n,
                             struct cudaGraphNodeParams *params);

#define GRAPH(handle) ((hu_graph *)(handle))
#define NODE(handle) ((hu_node *)(handle))
#define NODES(list) ((hu_node *const *)(list))
#define ARGS(...) __VA_ARGS__
#define ENTRY(name, arguments, ...)                                 \
	cudaError_t name(__VA_ARGS__);                              \
	cudaError_t name(__VA_ARGS__)                               \
	{                                                           \
		cudaError_t start = hu_start();                     \
		return hx_remember(start ? start : do_##arguments); \
	}

static cudaError_t do_connect(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n)
{
	return hu_graph_connect(GRAPH(graph), NODES(from), NODES(to), data, n);
}

static cudaError_t do_disconnect(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n)
{
	return hu_graph_disconnect(GRAPH(graph), NODES(from), NODES(to), data, n);
}

static cudaError_t do_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n)
{
	return hu_graph_edges(GRAPH(graph), (hu_node **)from, (hu_node **)to, data, n);
}

static cudaError_t do_neighbours(cudaGraphNode_t node, bool dependents, cudaGraphNode_t *nodes, cudaGraphEdgeData *data, size_t *n)
{
	return hu_node_neighbours(NODE(node), dependents, (hu_node **)nodes, data, n);
}

static cudaError_t do_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n,
                          struct cudaGraphNodeParams *params)
{
	return hx_graph_add_any(node, graph, needs, data, n, params);
}

/* `dependents`: the stream's list; `with_data`: the caller can take the data of edges. */
static cudaError_t do_info(bool per_thread, void *handle, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                           const cudaGraphNode_t **needs, const cudaGraphEdgeData **data, size_t *n)
{
	static const cudaGraphEdgeData none;
	hu_capture_info info;
	hu_stream *stream = hu_stream_of(handle, per_thread);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (!status || (data && !needs))
		return cudaErrorInvalidValue;
	cudaError_t error = hu_capture_query(stream, &info);
	*status = info.status;
	if (error != cudaSuccess || info.status != cudaStreamCaptureStatusActive)
		return error;
	for (size_t i = 0; needs && !data && i < info.needs.n; i++)
		if (memcmp(&info.needs.data[i], &none, sizeof none) != 0)
			return cudaErrorLossyQuery;
	if (id)
		*id = info.id;
	if (graph)
		*graph = (cudaGraph_t)(void *)info.graph;
	if (needs)
		*needs = (const cudaGraphNode_t *)(const void *)info.needs.nodes;
	if (data)
		*data = info.needs.data;
	if (n)
		*n = info.needs.n;
	return cudaSuccess;
}

static cudaError_t do_update(bool per_thread, void *handle, cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n, unsigned flags)
{
	hu_stream *stream = hu_stream_of(handle, per_thread);
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (flags > cudaStreamSetCaptureDependencies)
		return cudaErrorInvalidValue;
	return hu_capture_update(stream, (hu_dependency_view){NODES(needs), data, n}, flags == cudaStreamSetCaptureDependencies);
}

#define EDGES_IN cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to
#define EDGES_OUT cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to
#define ADDED cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs
#define INFO void *handle, enum cudaStreamCaptureStatus *status, unsigned long long *id
#define INFO_OF_GRAPH INFO, cudaGraph_t *graph, const cudaGraphNode_t **needs

/* Those with the data of edges, which both versions have, though not by the same name. */
#define WITH_DATA(suffix)                                                                                                                            \
	ENTRY(cudaGraphAddDependencies##suffix, connect(graph, from, to, data, n), EDGES_IN, const cudaGraphEdgeData *data, size_t n)                \
	ENTRY(cudaGraphRemoveDependencies##suffix, disconnect(graph, from, to, data, n), EDGES_IN, const cudaGraphEdgeData *data, size_t n)          \
	ENTRY(cudaGraphGetEdges##suffix, edges(graph, from, to, data, n), EDGES_OUT, cudaGraphEdgeData *data, size_t *n)                             \
	ENTRY(cudaGraphNodeGetDependencies##suffix, neighbours(node, false, nodes, data, n), cudaGraphNode_t node, cudaGraphNode_t *nodes,           \
	      cudaGraphEdgeData *data, size_t *n)                                                                                                    \
	ENTRY(cudaGraphNodeGetDependentNodes##suffix, neighbours(node, true, nodes, data, n), cudaGraphNode_t node, cudaGraphNode_t *nodes,          \
	      cudaGraphEdgeData *data, size_t *n)                                                                                                    \
	ENTRY(cudaGraphAddNode##suffix, add(node, graph, needs, data, n, params), ADDED, const cudaGraphEdgeData *data, size_t n,                    \
	      struct cudaGraphNodeParams *params)                                                                                                    \
	ENTRY(cudaStreamUpdateCaptureDependencies##suffix, update(false, handle, needs, data, n, flags), void *handle, cudaGraphNode_t *needs,       \
	      const cudaGraphEdgeData *data, size_t n, unsigned flags)                                                                               \
	ENTRY(cudaStreamUpdateCaptureDependencies##suffix##_ptsz, update(true, handle, needs, data, n, flags), void *handle, cudaGraphNode_t *needs, \
	      const cudaGraphEdgeData *data, size_t n, unsigned flags)

WITH_DATA(_v2)
ENTRY(cudaStreamGetCaptureInfo_v2, info(false, handle, status, id, graph, needs, NULL, n), INFO_OF_GRAPH, size_t *n)
ENTRY(cudaStreamGetCaptureInfo_v2_ptsz, info(true, handle, status, id, graph, needs, NULL, n), INFO_OF_GRAPH, size_t *n)
ENTRY(cudaStreamGetCaptureInfo_v3, info(false, handle, status, id, graph, needs, data, n), INFO_OF_GRAPH, const cudaGraphEdgeData **data, size_t *n)
ENTRY(cudaStreamGetCaptureInfo_v3_ptsz, info(true, handle, status, id, graph, needs, data, n), INFO_OF_GRAPH, const cudaGraphEdgeData **data,
      size_t *n)

#if HU_RUNTIME == 12
ENTRY(cudaGraphAddDependencies, connect(graph, from, to, NULL, n), EDGES_IN, size_t n)
ENTRY(cudaGraphRemoveDependencies, disconnect(graph, from, to, NULL, n), EDGES_IN, size_t n)
ENTRY(cudaGraphGetEdges, edges(graph, from, to, NULL, n), EDGES_OUT, size_t *n)
ENTRY(cudaGraphNodeGetDependencies, neighbours(node, false, nodes, NULL, n), cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
ENTRY(cudaGraphNodeGetDependentNodes, neighbours(node, true, nodes, NULL, n), cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
ENTRY(cudaGraphAddNode, add(node, graph, needs, NULL, n, params), ADDED, size_t n, struct cudaGraphNodeParams *params)
ENTRY(cudaStreamUpdateCaptureDependencies, update(false, handle, needs, NULL, n, flags), void *handle, cudaGraphNode_t *needs, size_t n,
      unsigned flags)
ENTRY(cudaStreamUpdateCaptureDependencies_ptsz, update(true, handle, needs, NULL, n, flags), void *handle, cudaGraphNode_t *needs, size_t n,
      unsigned flags)
ENTRY(cudaStreamGetCaptureInfo, info(false, handle, status, id, NULL, NULL, NULL, NULL), INFO)
ENTRY(cudaStreamGetCaptureInfo_ptsz, info(true, handle, status, id, NULL, NULL, NULL, NULL), INFO)
#else
WITH_DATA()
ENTRY(cudaStreamGetCaptureInfo, info(false, handle, status, id, graph, needs, data, n), INFO_OF_GRAPH, const cudaGraphEdgeData **data, size_t *n)
ENTRY(cudaStreamGetCaptureInfo_ptsz, info(true, handle, status, id, graph, needs, data, n), INFO_OF_GRAPH, const cudaGraphEdgeData **data, size_t *n)
#endif

/* -- the first argument is where it goes in version 13, and where it comes from before ------------------------------------------------------------
 */
static cudaError_t do_copy_attributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
	bool cooperative;
	int priority;
	cudaError_t error = hu_node_attributes(NODE(from), &cooperative, &priority);
	return error ? error : hu_node_set_attributes(NODE(to), &cooperative, &priority);
}

#if HU_RUNTIME == 12
ENTRY(cudaGraphKernelNodeCopyAttributes, copy_attributes(to, from), cudaGraphNode_t from, cudaGraphNode_t to)
#else
ENTRY(cudaGraphKernelNodeCopyAttributes, copy_attributes(to, from), cudaGraphNode_t to, cudaGraphNode_t from)
#endif

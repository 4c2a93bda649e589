/* Functions of graphs whose signatures differ between versions of the runtime: compiled once for each, with HU_RUNTIME 12 or 13. Version 13 has the
 * data of edges in the functions without a suffix. */
#include "cuda/api.h"

cudaError_t hu_api_graph_add_any(hu_graph *graph, hu_dependency_view needs, struct cudaGraphNodeParams *p, hu_node **node);

#define EDGES_IN hu_graph *graph, hu_node *const *from, hu_node *const *to
#define EDGES_OUT hu_graph *graph, hu_node **from, hu_node **to
#define NODE_OUT hu_node **node, hu_graph *graph, hu_node *const *needs
#define INFO hu_stream *handle, enum cudaStreamCaptureStatus *status, unsigned long long *id
#define INFO_OF_GRAPH INFO, hu_graph **graph, hu_node *const **needs
#define NEEDS(data) ((hu_dependency_view){needs, data, n})

/* Those with the data of edges, which both versions have, though not by the same name. */
#define WITH_DATA(suffix)                                                                                                                          \
	RUNTIME(cudaGraphAddDependencies##suffix, (EDGES_IN, const cudaGraphEdgeData *data, size_t n), hu_graph_connect(graph, from, to, data, n)) \
	RUNTIME(cudaGraphRemoveDependencies##suffix, (EDGES_IN, const cudaGraphEdgeData *data, size_t n),                                          \
	        hu_graph_disconnect(graph, from, to, data, n))                                                                                     \
	RUNTIME(cudaGraphGetEdges##suffix, (EDGES_OUT, cudaGraphEdgeData * data, size_t * n), hu_graph_edges(graph, from, to, data, n))            \
	RUNTIME(cudaGraphNodeGetDependencies##suffix, (hu_node * node, hu_node * *nodes, cudaGraphEdgeData * data, size_t * n),                    \
	        hu_node_neighbours(node, false, nodes, data, n))                                                                                   \
	RUNTIME(cudaGraphNodeGetDependentNodes##suffix, (hu_node * node, hu_node * *nodes, cudaGraphEdgeData * data, size_t * n),                  \
	        hu_node_neighbours(node, true, nodes, data, n))                                                                                    \
	RUNTIME(cudaGraphAddNode##suffix, (NODE_OUT, const cudaGraphEdgeData *data, size_t n, struct cudaGraphNodeParams *p),                      \
	        hu_api_graph_add_any(graph, NEEDS(data), p, node))                                                                                 \
	RUNTIME_OF(cudaStreamUpdateCaptureDependencies##suffix, false,                                                                             \
	           (hu_stream * handle, hu_node * *needs, const cudaGraphEdgeData *data, size_t n, unsigned flags),                                \
	           hu_capture_update(STREAM(handle), NEEDS(data), flags))                                                                          \
	RUNTIME_OF(cudaStreamUpdateCaptureDependencies##suffix##_ptsz, true,                                                                       \
	           (hu_stream * handle, hu_node * *needs, const cudaGraphEdgeData *data, size_t n, unsigned flags),                                \
	           hu_capture_update(STREAM(handle), NEEDS(data), flags))

WITH_DATA(_v2)
RUNTIME_STREAM(cudaStreamGetCaptureInfo_v2, _ptsz, (INFO_OF_GRAPH, size_t *n), hu_capture_describe(STREAM(handle), status, id, graph, needs, NULL, n))
RUNTIME_STREAM(cudaStreamGetCaptureInfo_v3, _ptsz, (INFO_OF_GRAPH, const cudaGraphEdgeData **data, size_t *n),
               hu_capture_describe(STREAM(handle), status, id, graph, needs, data, n))

#if HU_RUNTIME == 12
RUNTIME(cudaGraphAddDependencies, (EDGES_IN, size_t n), hu_graph_connect(graph, from, to, NULL, n))
RUNTIME(cudaGraphRemoveDependencies, (EDGES_IN, size_t n), hu_graph_disconnect(graph, from, to, NULL, n))
RUNTIME(cudaGraphGetEdges, (EDGES_OUT, size_t *n), hu_graph_edges(graph, from, to, NULL, n))
RUNTIME(cudaGraphNodeGetDependencies, (hu_node * node, hu_node **nodes, size_t *n), hu_node_neighbours(node, false, nodes, NULL, n))
RUNTIME(cudaGraphNodeGetDependentNodes, (hu_node * node, hu_node **nodes, size_t *n), hu_node_neighbours(node, true, nodes, NULL, n))
RUNTIME(cudaGraphAddNode, (NODE_OUT, size_t n, struct cudaGraphNodeParams *p), hu_api_graph_add_any(graph, NEEDS(NULL), p, node))
RUNTIME_STREAM(cudaStreamUpdateCaptureDependencies, _ptsz, (hu_stream * handle, hu_node **needs, size_t n, unsigned flags),
               hu_capture_update(STREAM(handle), NEEDS(NULL), flags))
RUNTIME_STREAM(cudaStreamGetCaptureInfo, _ptsz, (INFO), hu_capture_describe(STREAM(handle), status, id, NULL, NULL, NULL, NULL))
RUNTIME(cudaGraphKernelNodeCopyAttributes, (hu_node * from, hu_node *to), hu_node_copy_attributes(to, from))
#else
WITH_DATA()
RUNTIME_STREAM(cudaStreamGetCaptureInfo, _ptsz, (INFO_OF_GRAPH, const cudaGraphEdgeData **data, size_t *n),
               hu_capture_describe(STREAM(handle), status, id, graph, needs, data, n))
RUNTIME(cudaGraphKernelNodeCopyAttributes, (hu_node * to, hu_node *from), hu_node_copy_attributes(to, from))
#endif

/* Graphs of the driver interface, and streams that are captured into them. */
#include "cuda/driver.h"

#include "cuda/driver_graph.h"

/* -- graphs ------------------------------------------------------------------------------------------------------------------------------------- */
DRIVER_ANY(cuGraphCreate, ARGS(graph, flags), CUgraph *graph, unsigned int flags) { return hu_graph_new(flags, (hu_graph **)graph); }
DRIVER_ANY(cuGraphDestroy, ARGS(graph), CUgraph graph) { return hu_graph_free(GRAPH(graph)); }
DRIVER_ANY(cuGraphDestroyNode, ARGS(node), CUgraphNode node) { return hu_node_free(NODE(node)); }
DRIVER_ANY(cuGraphClone, ARGS(clone, graph), CUgraph *clone, CUgraph graph) { return hu_graph_clone(GRAPH(graph), (hu_graph **)clone); }

DRIVER_ANY(cuGraphNodeFindInClone, ARGS(found, node, clone), CUgraphNode *found, CUgraphNode node, CUgraph clone)
{
	return hu_graph_find_in_clone(NODE(node), GRAPH(clone), (hu_node **)found);
}

DRIVER_ANY(cuGraphNodeGetType, ARGS(node, kind), CUgraphNode node, CUgraphNodeType *kind)
{
	enum cudaGraphNodeType same;
	cudaError_t error = kind ? hu_node_kind(NODE(node), &same) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*kind = (CUgraphNodeType)same; /* both interfaces have the same numbers */
	return error;
}

DRIVER_ANY(cuGraphGetNodes, ARGS(graph, nodes, n), CUgraph graph, CUgraphNode *nodes, size_t *n)
{
	return hu_graph_nodes(GRAPH(graph), false, (hu_node **)nodes, n);
}

DRIVER_ANY(cuGraphGetRootNodes, ARGS(graph, nodes, n), CUgraph graph, CUgraphNode *nodes, size_t *n)
{
	return hu_graph_nodes(GRAPH(graph), true, (hu_node **)nodes, n);
}

DRIVER_ANY(cuGraphDebugDotPrint, ARGS(graph, path, flags), CUgraph graph, const char *path, unsigned int flags)
{
	return hu_graph_print_dot(GRAPH(graph), path, flags);
}

/* -- edges: without and with their data --------------------------------------------------------------------------------------------------------- */
#define EDGES(name, does)                                                                                                    \
	DRIVER_ANY(name, ARGS(graph, from, to, n), CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n)  \
	{                                                                                                                    \
		return does(GRAPH(graph), NODES(from), NODES(to), NULL, n);                                                  \
	}                                                                                                                    \
	DRIVER_ANY(name##_v2, ARGS(graph, from, to, data, n), CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, \
	           const CUgraphEdgeData *data, size_t n)                                                                    \
	{                                                                                                                    \
		return does(GRAPH(graph), NODES(from), NODES(to), DATA(data), n);                                            \
	}
#define NEIGHBOURS(name, dependents)                                                                                              \
	DRIVER_ANY(name, ARGS(node, nodes, n), CUgraphNode node, CUgraphNode *nodes, size_t *n)                                   \
	{                                                                                                                         \
		return hu_node_neighbours(NODE(node), dependents, (hu_node **)nodes, NULL, n);                                    \
	}                                                                                                                         \
	DRIVER_ANY(name##_v2, ARGS(node, nodes, data, n), CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *n) \
	{                                                                                                                         \
		return hu_node_neighbours(NODE(node), dependents, (hu_node **)nodes, (cudaGraphEdgeData *)data, n);               \
	}

EDGES(cuGraphAddDependencies, hu_graph_connect)
EDGES(cuGraphRemoveDependencies, hu_graph_disconnect)
NEIGHBOURS(cuGraphNodeGetDependencies, false)
NEIGHBOURS(cuGraphNodeGetDependentNodes, true)

DRIVER_ANY(cuGraphGetEdges, ARGS(graph, from, to, n), CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n)
{
	return hu_graph_edges(GRAPH(graph), (hu_node **)from, (hu_node **)to, NULL, n);
}

DRIVER_ANY(cuGraphGetEdges_v2, ARGS(graph, from, to, data, n), CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n)
{
	return hu_graph_edges(GRAPH(graph), (hu_node **)from, (hu_node **)to, (cudaGraphEdgeData *)data, n);
}

/* -- executable graphs -------------------------------------------------------------------------------------------------------------------------- */
DRIVER(cuGraphInstantiateWithFlags, ARGS(exec, graph, flags), CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	return hu_exec_new(GRAPH(graph), flags, (hu_exec **)exec, NULL, NULL);
}

/* Before version 12: a node and a text tell of an error. */
static cudaError_t older(CUgraphExec *exec, CUgraph graph, CUgraphNode *at, char *log, size_t size)
{
	if (log && size)
		log[0] = 0;
	return hu_exec_new(GRAPH(graph), 0, (hu_exec **)exec, NULL, (hu_node **)at);
}

#undef cuGraphInstantiate
DRIVER(cuGraphInstantiate, ARGS(exec, graph, at, log, size), CUgraphExec *exec, CUgraph graph, CUgraphNode *at, char *log, size_t size)
{
	return older(exec, graph, at, log, size);
}

DRIVER(cuGraphInstantiate_v2, ARGS(exec, graph, at, log, size), CUgraphExec *exec, CUgraph graph, CUgraphNode *at, char *log, size_t size)
{
	return older(exec, graph, at, log, size);
}

DRIVER_STREAM(cuGraphInstantiateWithParams, _ptsz, ARGS(exec, graph, p), CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	hu_node *at = NULL;
	cudaGraphInstantiateResult result = cudaGraphInstantiateError;
	bool upload = p->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
	cudaError_t error = upload && !hu_stream_of(p->hUploadStream, per_thread) ? cudaErrorInvalidResourceHandle : cudaSuccess;
	if (error == cudaSuccess)
		error = hu_exec_new(GRAPH(graph), p->flags & ~(cuuint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, (hu_exec **)exec, &result, &at);
	p->result_out = (CUgraphInstantiateResult)result;
	p->hErrNode_out = (CUgraphNode)(void *)at;
	return error;
}

DRIVER_ANY(cuGraphExecDestroy, ARGS(exec), CUgraphExec exec) { return hu_exec_free(EXEC(exec)); }

DRIVER_ANY(cuGraphExecGetFlags, ARGS(exec, flags), CUgraphExec exec, cuuint64_t *flags)
{
	unsigned long long same = 0;
	cudaError_t error = flags ? hu_exec_flags(EXEC(exec), &same) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*flags = same;
	return error;
}

DRIVER_STREAM(cuGraphLaunch, _ptsz, ARGS(exec, handle), CUgraphExec exec, CUstream handle)
{
	STREAM(stream, handle);
	return hu_exec_launch(EXEC(exec), stream);
}

DRIVER_STREAM(cuGraphUpload, _ptsz, ARGS(exec, handle), CUgraphExec exec, CUstream handle)
{
	STREAM(stream, handle);
	return hu_exec_upload(EXEC(exec), stream);
}

DRIVER(cuGraphExecUpdate_v2, ARGS(exec, graph, info), CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
	cudaGraphExecUpdateResultInfo told;
	cudaError_t error = hu_exec_update(EXEC(exec), GRAPH(graph), &told);
	if (info)
		*info = (CUgraphExecUpdateResultInfo){(CUgraphExecUpdateResult)told.result, (CUgraphNode)(void *)told.errorNode,
		                                      (CUgraphNode)(void *)told.errorFromNode};
	return error;
}

#undef cuGraphExecUpdate
DRIVER(cuGraphExecUpdate, ARGS(exec, graph, node, result), CUgraphExec exec, CUgraph graph, CUgraphNode *node, CUgraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo told;
	cudaError_t error = hu_exec_update(EXEC(exec), GRAPH(graph), &told);
	if (node)
		*node = (CUgraphNode)(void *)told.errorNode;
	if (result)
		*result = (CUgraphExecUpdateResult)told.result;
	return error;
}

DRIVER(cuGraphNodeSetEnabled, ARGS(exec, node, enabled), CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
	return hu_exec_enable(EXEC(exec), NODE(node), enabled != 0);
}

DRIVER_ANY(cuGraphNodeGetEnabled, ARGS(exec, node, enabled), CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
	return hu_exec_enabled(EXEC(exec), NODE(node), enabled);
}

/* -- memory of graphs, objects of the program --------------------------------------------------------------------------------------------------- */
DRIVER(cuDeviceGraphMemTrim, ARGS(device), CUdevice device)
{
	if (device)
		return cudaErrorInvalidDevice;
	hu_graph_memory_trim();
	return cudaSuccess;
}

DRIVER_ANY(cuDeviceGetGraphMemAttribute, ARGS(device, which, value), CUdevice device, CUgraphMem_attribute which, void *value)
{
	return device ? cudaErrorInvalidDevice : hu_graph_memory((enum cudaGraphMemAttributeType)which, value);
}

/* Only zero can be set. */
DRIVER_ANY(cuDeviceSetGraphMemAttribute, ARGS(device, which, value), CUdevice device, CUgraphMem_attribute which, void *value)
{
	if (device)
		return cudaErrorInvalidDevice;
	return value && *(const uint64_t *)value == 0 ? hu_graph_memory_reset((enum cudaGraphMemAttributeType)which) : cudaErrorInvalidValue;
}

DRIVER_ANY(cuUserObjectCreate, ARGS(user, data, destroy, references, flags), CUuserObject *user, void *data, CUhostFn destroy,
           unsigned int references, unsigned int flags)
{
	return hu_user_new(data, destroy, references, flags, (hu_user **)user);
}

DRIVER_ANY(cuUserObjectRetain, ARGS(user, n), CUuserObject user, unsigned int n) { return hu_user_retain((hu_user *)user, n); }
DRIVER_ANY(cuUserObjectRelease, ARGS(user, n), CUuserObject user, unsigned int n) { return hu_user_release((hu_user *)user, n); }

DRIVER_ANY(cuGraphRetainUserObject, ARGS(graph, user, n, flags), CUgraph graph, CUuserObject user, unsigned int n, unsigned int flags)
{
	return hu_graph_retain_user(GRAPH(graph), (hu_user *)user, n, flags);
}

DRIVER_ANY(cuGraphReleaseUserObject, ARGS(graph, user, n), CUgraph graph, CUuserObject user, unsigned int n)
{
	return hu_graph_release_user(GRAPH(graph), (hu_user *)user, n);
}

/* -- captures ----------------------------------------------------------------------------------------------------------------------------------- */
static const hu_dependency_view nothing;

DRIVER_STREAM(cuStreamBeginCapture_v2, _ptsz, ARGS(handle, mode), CUstream handle, CUstreamCaptureMode mode)
{
	STREAM(stream, handle);
	return hu_capture_begin(stream, NULL, nothing, (enum cudaStreamCaptureMode)mode);
}

#undef cuStreamBeginCapture
DRIVER_STREAM(cuStreamBeginCapture, _ptsz, ARGS(handle), CUstream handle)
{
	STREAM(stream, handle);
	return hu_capture_begin(stream, NULL, nothing, cudaStreamCaptureModeGlobal);
}

DRIVER_STREAM(cuStreamBeginCaptureToGraph, _ptsz, ARGS(handle, graph, nodes, data, n, mode), CUstream handle, CUgraph graph, const CUgraphNode *nodes,
              const CUgraphEdgeData *data, size_t n, CUstreamCaptureMode mode)
{
	STREAM(stream, handle);
	return graph ? hu_capture_begin(stream, GRAPH(graph), (hu_dependency_view){NODES(nodes), DATA(data), n}, (enum cudaStreamCaptureMode)mode)
	             : cudaErrorInvalidValue;
}

DRIVER_STREAM(cuStreamEndCapture, _ptsz, ARGS(handle, graph), CUstream handle, CUgraph *graph)
{
	STREAM(stream, handle);
	return hu_capture_end(stream, (hu_graph **)graph);
}

DRIVER_STREAM(cuStreamIsCapturing, _ptsz, ARGS(handle, status), CUstream handle, CUstreamCaptureStatus *status)
{
	hu_capture_info info;
	STREAM(stream, handle);
	if (!status)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_capture_query(stream, &info);
	*status = (CUstreamCaptureStatus)info.status;
	return error;
}

static cudaError_t ask(bool per_thread, CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **needs,
                       const CUgraphEdgeData **data, size_t *n)
{
	static const cudaGraphEdgeData none;
	hu_capture_info info;
	STREAM(stream, handle);
	if (!status || (data && !needs))
		return cudaErrorInvalidValue;
	cudaError_t error = hu_capture_query(stream, &info);
	*status = (CUstreamCaptureStatus)info.status;
	if (error != cudaSuccess || info.status != cudaStreamCaptureStatusActive)
		return error;
	for (size_t i = 0; needs && !data && i < info.needs.n; i++)
		if (memcmp(&info.needs.data[i], &none, sizeof none) != 0)
			return cudaErrorLossyQuery;
	if (id)
		*id = info.id;
	if (graph)
		*graph = (CUgraph)(void *)info.graph;
	if (needs)
		*needs = (const CUgraphNode *)(const void *)info.needs.nodes;
	if (data)
		*data = (const CUgraphEdgeData *)info.needs.data;
	if (n)
		*n = info.needs.n;
	return cudaSuccess;
}

#undef cuStreamGetCaptureInfo
DRIVER_STREAM(cuStreamGetCaptureInfo, _ptsz, ARGS(handle, status, id), CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	return ask(per_thread, handle, status, id, NULL, NULL, NULL, NULL);
}

DRIVER_STREAM(cuStreamGetCaptureInfo_v2, _ptsz, ARGS(handle, status, id, graph, needs, n), CUstream handle, CUstreamCaptureStatus *status,
              cuuint64_t *id, CUgraph *graph, const CUgraphNode **needs, size_t *n)
{
	return ask(per_thread, handle, status, id, graph, needs, NULL, n);
}

DRIVER_STREAM(cuStreamGetCaptureInfo_v3, _ptsz, ARGS(handle, status, id, graph, needs, data, n), CUstream handle, CUstreamCaptureStatus *status,
              cuuint64_t *id, CUgraph *graph, const CUgraphNode **needs, const CUgraphEdgeData **data, size_t *n)
{
	return ask(per_thread, handle, status, id, graph, needs, data, n);
}

static cudaError_t update(hu_stream *stream, const CUgraphNode *needs, const CUgraphEdgeData *data, size_t n, unsigned flags)
{
	if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return cudaErrorInvalidValue;
	return hu_capture_update(stream, (hu_dependency_view){NODES(needs), DATA(data), n}, flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

DRIVER_STREAM(cuStreamUpdateCaptureDependencies, _ptsz, ARGS(handle, needs, n, flags), CUstream handle, CUgraphNode *needs, size_t n,
              unsigned int flags)
{
	STREAM(stream, handle);
	return update(stream, needs, NULL, n, flags);
}

DRIVER_STREAM(cuStreamUpdateCaptureDependencies_v2, _ptsz, ARGS(handle, needs, data, n, flags), CUstream handle, CUgraphNode *needs,
              const CUgraphEdgeData *data, size_t n, unsigned int flags)
{
	STREAM(stream, handle);
	return update(stream, needs, data, n, flags);
}

DRIVER_ANY(cuThreadExchangeStreamCaptureMode, ARGS(mode), CUstreamCaptureMode *mode)
{
	enum cudaStreamCaptureMode same = mode ? (enum cudaStreamCaptureMode) * mode : cudaStreamCaptureModeGlobal;
	cudaError_t error = mode ? hu_capture_mode(&same) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*mode = (CUstreamCaptureMode)same;
	return error;
}

/* Graphs, and streams that are captured into them. What differs between versions is in api_version_graph.c. */
#include "cuda/api.h"

#define GRAPH(handle) ((hu_graph *)(handle))
#define NODE(handle) ((hu_node *)(handle))
#define EXEC(handle) ((hu_exec *)(handle))
#define NEEDS(nodes, n) \
	(hu_dependency_view) { (hu_node *const *)(nodes), NULL, n }

/* -- graphs ------------------------------------------------------------------------------------------------------------------------------------- */
CALL(cudaGraphCreate, ARGS(graph, flags), cudaGraph_t *graph, unsigned int flags) { return hu_graph_new(flags, (hu_graph **)graph); }
CALL(cudaGraphDestroy, ARGS(graph), cudaGraph_t graph) { return hu_graph_free(GRAPH(graph)); }
CALL(cudaGraphDestroyNode, ARGS(node), cudaGraphNode_t node) { return hu_node_free(NODE(node)); }
CALL(cudaGraphClone, ARGS(clone, graph), cudaGraph_t *clone, cudaGraph_t graph) { return hu_graph_clone(GRAPH(graph), (hu_graph **)clone); }

CALL(cudaGraphNodeFindInClone, ARGS(found, node, clone), cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t clone)
{
	return hu_graph_find_in_clone(NODE(node), GRAPH(clone), (hu_node **)found);
}

CALL(cudaGraphNodeGetType, ARGS(node, kind), cudaGraphNode_t node, enum cudaGraphNodeType *kind) { return hu_node_kind(NODE(node), kind); }

CALL(cudaGraphGetNodes, ARGS(graph, nodes, n), cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return hu_graph_nodes(GRAPH(graph), false, (hu_node **)nodes, n);
}

CALL(cudaGraphGetRootNodes, ARGS(graph, nodes, n), cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
	return hu_graph_nodes(GRAPH(graph), true, (hu_node **)nodes, n);
}

CALL(cudaGraphDebugDotPrint, ARGS(graph, path, flags), cudaGraph_t graph, const char *path, unsigned int flags)
{
	return hu_graph_print_dot(GRAPH(graph), path, flags);
}

/* -- executable graphs -------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	return hu_exec_new(GRAPH(graph), flags, (hu_exec **)exec, NULL, NULL);
}

CALL(cudaGraphInstantiate, ARGS(exec, graph, flags), cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	return instantiate(exec, graph, flags);
}

CALL(cudaGraphInstantiateWithFlags, ARGS(exec, graph, flags), cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	return instantiate(exec, graph, flags);
}

STREAM_CALL(cudaGraphInstantiateWithParams, _ptsz, ARGS(exec, graph, p), cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	bool upload = p->flags & cudaGraphInstantiateFlagUpload;
	cudaError_t error = upload && !hu_stream_of(p->uploadStream, per_thread) ? cudaErrorInvalidResourceHandle : cudaSuccess;
	p->result_out = cudaGraphInstantiateError;
	p->errNode_out = NULL;
	return error ? error
	             : hu_exec_new(GRAPH(graph), p->flags & ~(unsigned long long)cudaGraphInstantiateFlagUpload, (hu_exec **)exec, &p->result_out,
	                           (hu_node **)&p->errNode_out);
}

CALL(cudaGraphExecDestroy, ARGS(exec), cudaGraphExec_t exec) { return hu_exec_free(EXEC(exec)); }
CALL(cudaGraphExecGetFlags, ARGS(exec, flags), cudaGraphExec_t exec, unsigned long long *flags) { return hu_exec_flags(EXEC(exec), flags); }

STREAM_CALL(cudaGraphLaunch, _ptsz, ARGS(exec, handle), cudaGraphExec_t exec, cudaStream_t handle)
{
	STREAM(stream, handle);
	return hu_exec_launch(EXEC(exec), stream);
}

STREAM_CALL(cudaGraphUpload, _ptsz, ARGS(exec, handle), cudaGraphExec_t exec, cudaStream_t handle)
{
	STREAM(stream, handle);
	return hu_exec_upload(EXEC(exec), stream);
}

CALL(cudaGraphExecUpdate, ARGS(exec, graph, info), cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
	return hu_exec_update(EXEC(exec), GRAPH(graph), info);
}

CALL(cudaGraphNodeSetEnabled, ARGS(exec, node, enabled), cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
	return hu_exec_enable(EXEC(exec), NODE(node), enabled != 0);
}

CALL(cudaGraphNodeGetEnabled, ARGS(exec, node, enabled), cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
	return hu_exec_enabled(EXEC(exec), NODE(node), enabled);
}

/* -- memory of graphs, objects of the program --------------------------------------------------------------------------------------------------- */
CALL(cudaDeviceGraphMemTrim, ARGS(device), int device)
{
	if (device)
		return cudaErrorInvalidDevice;
	hu_graph_memory_trim();
	return cudaSuccess;
}

CALL(cudaDeviceGetGraphMemAttribute, ARGS(device, which, value), int device, enum cudaGraphMemAttributeType which, void *value)
{
	return device ? cudaErrorInvalidDevice : hu_graph_memory(which, value);
}

/* Only zero can be set. */
CALL(cudaDeviceSetGraphMemAttribute, ARGS(device, which, value), int device, enum cudaGraphMemAttributeType which, void *value)
{
	if (device)
		return cudaErrorInvalidDevice;
	return value && *(const uint64_t *)value == 0 ? hu_graph_memory_reset(which) : cudaErrorInvalidValue;
}

CALL(cudaUserObjectCreate, ARGS(user, data, destroy, references, flags), cudaUserObject_t *user, void *data, cudaHostFn_t destroy,
     unsigned int references, unsigned int flags)
{
	return hu_user_new(data, destroy, references, flags, (hu_user **)user);
}

CALL(cudaUserObjectRetain, ARGS(user, n), cudaUserObject_t user, unsigned int n) { return hu_user_retain((hu_user *)user, n); }
CALL(cudaUserObjectRelease, ARGS(user, n), cudaUserObject_t user, unsigned int n) { return hu_user_release((hu_user *)user, n); }

CALL(cudaGraphRetainUserObject, ARGS(graph, user, n, flags), cudaGraph_t graph, cudaUserObject_t user, unsigned int n, unsigned int flags)
{
	return hu_graph_retain_user(GRAPH(graph), (hu_user *)user, n, flags);
}

CALL(cudaGraphReleaseUserObject, ARGS(graph, user, n), cudaGraph_t graph, cudaUserObject_t user, unsigned int n)
{
	return hu_graph_release_user(GRAPH(graph), (hu_user *)user, n);
}

/* -- captures ----------------------------------------------------------------------------------------------------------------------------------- */
STREAM_CALL(cudaStreamBeginCapture, _ptsz, ARGS(handle, mode), cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
	STREAM(stream, handle);
	return hu_capture_begin(stream, NULL, NEEDS(NULL, 0), mode);
}

STREAM_CALL(cudaStreamBeginCaptureToGraph, _ptsz, ARGS(handle, graph, nodes, data, n, mode), cudaStream_t handle, cudaGraph_t graph,
            const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data, size_t n, enum cudaStreamCaptureMode mode)
{
	STREAM(stream, handle);
	return graph ? hu_capture_begin(stream, GRAPH(graph), (hu_dependency_view){(hu_node *const *)nodes, data, n}, mode) : cudaErrorInvalidValue;
}

STREAM_CALL(cudaStreamEndCapture, _ptsz, ARGS(handle, graph), cudaStream_t handle, cudaGraph_t *graph)
{
	STREAM(stream, handle);
	return hu_capture_end(stream, (hu_graph **)graph);
}

STREAM_CALL(cudaStreamIsCapturing, _ptsz, ARGS(handle, status), cudaStream_t handle, enum cudaStreamCaptureStatus *status)
{
	hu_capture_info info;
	STREAM(stream, handle);
	if (!status)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_capture_query(stream, &info);
	*status = info.status;
	return error;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) { return hx_remember(hu_capture_mode(mode)); }

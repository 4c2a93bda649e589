/* Nodes of graphs and their parameters. */
#include "cuda/api.h"

#define NODE(handle) ((hu_node *)(handle))
#define EXEC(handle) ((hu_exec *)(handle))

cudaError_t hx_graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n,
                         hu_work *work);
cudaError_t hx_graph_add_any(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n,
                             struct cudaGraphNodeParams *params);

cudaError_t hx_graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n,
                         hu_work *work)
{
	return hu_graph_add((hu_graph *)graph, (hu_dependency_view){(hu_node *const *)needs, data, n}, work, (hu_node **)node);
}

static hu_work of_kernel(const struct cudaKernelNodeParams *p)
{
	return (hu_work){.kind = cudaGraphNodeTypeKernel,
	                 .kernel = {.func = p->func,
	                            .grid = {.grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
	                                     .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
	                                     .shared = p->sharedMemBytes},
	                            .arguments = p->kernelParams,
	                            .extra = p->extra}};
}

static hu_work of_copy(const struct cudaMemcpy3DParms *p) { return (hu_work){.kind = cudaGraphNodeTypeMemcpy, .copy = *p}; }
static hu_work of_fill(const struct cudaMemsetParams *p) { return (hu_work){.kind = cudaGraphNodeTypeMemset, .fill = *p}; }
static hu_work of_host(const struct cudaHostNodeParams *p) { return (hu_work){.kind = cudaGraphNodeTypeHost, .host = *p}; }
static hu_work of_child(cudaGraph_t graph) { return (hu_work){.kind = cudaGraphNodeTypeGraph, .child = {.graph = (hu_graph *)graph}}; }
static hu_work of_record(cudaEvent_t event) { return (hu_work){.kind = cudaGraphNodeTypeEventRecord, .event = (hu_event *)event}; }
static hu_work of_wait(cudaEvent_t event) { return (hu_work){.kind = cudaGraphNodeTypeWaitEvent, .event = (hu_event *)event}; }

static hu_work of_line(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
	void *source = (void *)(uintptr_t)from;
	return (hu_work){.kind = cudaGraphNodeTypeMemcpy,
	                 .copy = {.srcPtr = {source, count, count, 1}, .dstPtr = {to, count, count, 1}, .extent = {count, 1, 1}, .kind = kind}};
}

/* A copy to or from a variable. */
static cudaError_t of_symbol(const void *symbol, size_t offset, const void *other, size_t count, enum cudaMemcpyKind kind, bool to, hu_work *work)
{
	uint64_t at, size;
	if (kind != (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	cudaError_t error = hu_symbol(symbol, &at, &size);
	if (error == cudaSuccess && (offset > size || count > size - offset))
		error = cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	void *variable = (void *)(uintptr_t)(at + offset), *memory = (void *)(uintptr_t)other;
	*work = to ? of_line(variable, memory, count, kind) : of_line(memory, variable, count, kind);
	return cudaSuccess;
}

static dim3 dim3_of(const uint32_t n[3]) { return (dim3){n[0], n[1], n[2]}; }

/* The add, get, set and set-in-an-executable-graph of a kind of node whose parameters are a structure. */
#define ADD(name, type, of)                                                                                                                         \
	CALL(name, ARGS(node, graph, needs, n, p), cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, const type *p) \
	{                                                                                                                                           \
		if (!p)                                                                                                                             \
			return cudaErrorInvalidValue;                                                                                               \
		hu_work work = of(p);                                                                                                               \
		return hx_graph_add(node, graph, needs, NULL, n, &work);                                                                            \
	}
#define SET(name, type, of)                                            \
	CALL(name, ARGS(node, p), cudaGraphNode_t node, const type *p) \
	{                                                              \
		if (!p)                                                \
			return cudaErrorInvalidValue;                  \
		hu_work work = of(p);                                  \
		return hu_node_set(NODE(node), &work);                 \
	}
#define EXEC_SET(name, type, of)                                                                   \
	CALL(name, ARGS(exec, node, p), cudaGraphExec_t exec, cudaGraphNode_t node, const type *p) \
	{                                                                                          \
		if (!p)                                                                            \
			return cudaErrorInvalidValue;                                              \
		hu_work work = of(p);                                                              \
		return hu_exec_set(EXEC(exec), NODE(node), &work);                                 \
	}
#define GET(name, type, kind, ...)                                                                    \
	CALL(name, ARGS(node, p), cudaGraphNode_t node, type *p)                                      \
	{                                                                                             \
		hu_work work;                                                                         \
		cudaError_t error = p ? hu_node_get(NODE(node), kind, &work) : cudaErrorInvalidValue; \
		if (error == cudaSuccess)                                                             \
			*p = __VA_ARGS__;                                                             \
		return error;                                                                         \
	}

/* -- kernels --------------------------------------------------------------------------------------------------------------------------------------
 */
ADD(cudaGraphAddKernelNode, struct cudaKernelNodeParams, of_kernel)
SET(cudaGraphKernelNodeSetParams, struct cudaKernelNodeParams, of_kernel)
EXEC_SET(cudaGraphExecKernelNodeSetParams, struct cudaKernelNodeParams, of_kernel)
GET(cudaGraphKernelNodeGetParams, struct cudaKernelNodeParams, cudaGraphNodeTypeKernel,
    (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)work.kernel.func,
                                  .gridDim = dim3_of(work.kernel.grid.grid),
                                  .blockDim = dim3_of(work.kernel.grid.block),
                                  .sharedMemBytes = (unsigned)work.kernel.grid.shared,
                                  .kernelParams = work.kernel.arguments,
                                  .extra = work.kernel.extra})

CALL(cudaGraphKernelNodeGetAttribute, ARGS(node, which, value), cudaGraphNode_t node, cudaLaunchAttributeID which, cudaLaunchAttributeValue *value)
{
	bool cooperative;
	int priority;
	cudaError_t error = value ? hu_node_attributes(NODE(node), &cooperative, &priority) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	memset(value, 0, sizeof *value);
	if (which == cudaLaunchAttributeCooperative)
		value->cooperative = cooperative;
	if (which == cudaLaunchAttributePriority)
		value->priority = priority;
	return cudaSuccess;
}

/* The others are hints, or say that there are no clusters. */
CALL(cudaGraphKernelNodeSetAttribute, ARGS(node, which, value), cudaGraphNode_t node, cudaLaunchAttributeID which,
     const cudaLaunchAttributeValue *value)
{
	if (!value)
		return cudaErrorInvalidValue;
	if (which == cudaLaunchAttributeClusterDimension && (uint64_t)value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1)
		return cudaErrorNotSupported;
	bool cooperative = value->cooperative != 0;
	return hu_node_set_attributes(NODE(node), which == cudaLaunchAttributeCooperative ? &cooperative : NULL,
	                              which == cudaLaunchAttributePriority ? &value->priority : NULL);
}

/* -- copies ----------------------------------------------------------------------------------------------------------------------------------------
 */
ADD(cudaGraphAddMemcpyNode, struct cudaMemcpy3DParms, of_copy)
SET(cudaGraphMemcpyNodeSetParams, struct cudaMemcpy3DParms, of_copy)
EXEC_SET(cudaGraphExecMemcpyNodeSetParams, struct cudaMemcpy3DParms, of_copy)
GET(cudaGraphMemcpyNodeGetParams, struct cudaMemcpy3DParms, cudaGraphNodeTypeMemcpy, work.copy)

CALL(cudaGraphAddMemcpyNode1D, ARGS(node, graph, needs, n, to, from, count, kind), cudaGraphNode_t *node, cudaGraph_t graph,
     const cudaGraphNode_t *needs, size_t n, void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
	hu_work work = of_line(to, from, count, kind);
	return hx_graph_add(node, graph, needs, NULL, n, &work);
}

CALL(cudaGraphMemcpyNodeSetParams1D, ARGS(node, to, from, count, kind), cudaGraphNode_t node, void *to, const void *from, size_t count,
     enum cudaMemcpyKind kind)
{
	hu_work work = of_line(to, from, count, kind);
	return hu_node_set(NODE(node), &work);
}

CALL(cudaGraphExecMemcpyNodeSetParams1D, ARGS(exec, node, to, from, count, kind), cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
     const void *from, size_t count, enum cudaMemcpyKind kind)
{
	hu_work work = of_line(to, from, count, kind);
	return hu_exec_set(EXEC(exec), NODE(node), &work);
}

CALL(cudaGraphAddMemcpyNodeToSymbol, ARGS(node, graph, needs, n, symbol, from, count, offset, kind), cudaGraphNode_t *node, cudaGraph_t graph,
     const cudaGraphNode_t *needs, size_t n, const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	hu_work work;
	cudaError_t error = of_symbol(symbol, offset, from, count, kind, true, &work);
	return error ? error : hx_graph_add(node, graph, needs, NULL, n, &work);
}

CALL(cudaGraphAddMemcpyNodeFromSymbol, ARGS(node, graph, needs, n, to, symbol, count, offset, kind), cudaGraphNode_t *node, cudaGraph_t graph,
     const cudaGraphNode_t *needs, size_t n, void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	hu_work work;
	cudaError_t error = of_symbol(symbol, offset, to, count, kind, false, &work);
	return error ? error : hx_graph_add(node, graph, needs, NULL, n, &work);
}

CALL(cudaGraphMemcpyNodeSetParamsToSymbol, ARGS(node, symbol, from, count, offset, kind), cudaGraphNode_t node, const void *symbol, const void *from,
     size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	hu_work work;
	cudaError_t error = of_symbol(symbol, offset, from, count, kind, true, &work);
	return error ? error : hu_node_set(NODE(node), &work);
}

CALL(cudaGraphMemcpyNodeSetParamsFromSymbol, ARGS(node, to, symbol, count, offset, kind), cudaGraphNode_t node, void *to, const void *symbol,
     size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	hu_work work;
	cudaError_t error = of_symbol(symbol, offset, to, count, kind, false, &work);
	return error ? error : hu_node_set(NODE(node), &work);
}

CALL(cudaGraphExecMemcpyNodeSetParamsToSymbol, ARGS(exec, node, symbol, from, count, offset, kind), cudaGraphExec_t exec, cudaGraphNode_t node,
     const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	hu_work work;
	cudaError_t error = of_symbol(symbol, offset, from, count, kind, true, &work);
	return error ? error : hu_exec_set(EXEC(exec), NODE(node), &work);
}

CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol, ARGS(exec, node, to, symbol, count, offset, kind), cudaGraphExec_t exec, cudaGraphNode_t node,
     void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	hu_work work;
	cudaError_t error = of_symbol(symbol, offset, to, count, kind, false, &work);
	return error ? error : hu_exec_set(EXEC(exec), NODE(node), &work);
}

/* -- fills, functions of the host -------------------------------------------------------------------------------------------------------------------
 */
ADD(cudaGraphAddMemsetNode, struct cudaMemsetParams, of_fill)
SET(cudaGraphMemsetNodeSetParams, struct cudaMemsetParams, of_fill)
EXEC_SET(cudaGraphExecMemsetNodeSetParams, struct cudaMemsetParams, of_fill)
GET(cudaGraphMemsetNodeGetParams, struct cudaMemsetParams, cudaGraphNodeTypeMemset, work.fill)
ADD(cudaGraphAddHostNode, struct cudaHostNodeParams, of_host)
SET(cudaGraphHostNodeSetParams, struct cudaHostNodeParams, of_host)
EXEC_SET(cudaGraphExecHostNodeSetParams, struct cudaHostNodeParams, of_host)
GET(cudaGraphHostNodeGetParams, struct cudaHostNodeParams, cudaGraphNodeTypeHost, work.host)

/* -- graphs in graphs, empty nodes, events
 * -------------------------------------------------------------------------------------------------------------- */
#define ADD_HANDLE(name, type, of)                                                                                                        \
	CALL(name, ARGS(node, graph, needs, n, handle), cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n, \
	     type handle)                                                                                                                 \
	{                                                                                                                                 \
		hu_work work = of(handle);                                                                                                \
		return hx_graph_add(node, graph, needs, NULL, n, &work);                                                                  \
	}
#define SET_HANDLE(name, type, of)                                        \
	CALL(name, ARGS(node, handle), cudaGraphNode_t node, type handle) \
	{                                                                 \
		hu_work work = of(handle);                                \
		return hu_node_set(NODE(node), &work);                    \
	}
#define EXEC_SET_HANDLE(name, type, of)                                                               \
	CALL(name, ARGS(exec, node, handle), cudaGraphExec_t exec, cudaGraphNode_t node, type handle) \
	{                                                                                             \
		hu_work work = of(handle);                                                            \
		return hu_exec_set(EXEC(exec), NODE(node), &work);                                    \
	}

ADD_HANDLE(cudaGraphAddChildGraphNode, cudaGraph_t, of_child)
EXEC_SET_HANDLE(cudaGraphExecChildGraphNodeSetParams, cudaGraph_t, of_child)
GET(cudaGraphChildGraphNodeGetGraph, cudaGraph_t, cudaGraphNodeTypeGraph, (cudaGraph_t)(void *)work.child.graph)
ADD_HANDLE(cudaGraphAddEventRecordNode, cudaEvent_t, of_record)
SET_HANDLE(cudaGraphEventRecordNodeSetEvent, cudaEvent_t, of_record)
EXEC_SET_HANDLE(cudaGraphExecEventRecordNodeSetEvent, cudaEvent_t, of_record)
GET(cudaGraphEventRecordNodeGetEvent, cudaEvent_t, cudaGraphNodeTypeEventRecord, (cudaEvent_t)(void *)work.event)
ADD_HANDLE(cudaGraphAddEventWaitNode, cudaEvent_t, of_wait)
SET_HANDLE(cudaGraphEventWaitNodeSetEvent, cudaEvent_t, of_wait)
EXEC_SET_HANDLE(cudaGraphExecEventWaitNodeSetEvent, cudaEvent_t, of_wait)
GET(cudaGraphEventWaitNodeGetEvent, cudaEvent_t, cudaGraphNodeTypeWaitEvent, (cudaEvent_t)(void *)work.event)

CALL(cudaGraphAddEmptyNode, ARGS(node, graph, needs, n), cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n)
{
	hu_work work = {.kind = cudaGraphNodeTypeEmpty};
	return hx_graph_add(node, graph, needs, NULL, n, &work);
}

/* -- memory
 * ---------------------------------------------------------------------------------------------------------------------------------------------- */
CALL(cudaGraphAddMemAllocNode, ARGS(node, graph, needs, n, p), cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
     struct cudaMemAllocNodeParams *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	hu_work work = {.kind = cudaGraphNodeTypeMemAlloc, .memory = *p};
	cudaError_t error = hx_graph_add(node, graph, needs, NULL, n, &work);
	p->dptr = error ? NULL : work.memory.dptr;
	return error;
}

GET(cudaGraphMemAllocNodeGetParams, struct cudaMemAllocNodeParams, cudaGraphNodeTypeMemAlloc, work.memory)

CALL(cudaGraphAddMemFreeNode, ARGS(node, graph, needs, n, pointer), cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t n,
     void *pointer)
{
	hu_work work = {.kind = cudaGraphNodeTypeMemFree, .freed = pointer};
	return hx_graph_add(node, graph, needs, NULL, n, &work);
}

CALL(cudaGraphMemFreeNodeGetParams, ARGS(node, pointer), cudaGraphNode_t node, void *pointer)
{
	hu_work work;
	cudaError_t error = pointer ? hu_node_get(NODE(node), cudaGraphNodeTypeMemFree, &work) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		memcpy(pointer, &work.freed, sizeof work.freed);
	return error;
}

/* -- nodes of any kind
 * -------------------------------------------------------------------------------------------------------------------------------------- */
/* cudaErrorInvalidValue: bytes that have no meaning are not zero. */
static cudaError_t of_any(const struct cudaGraphNodeParams *p, hu_work *work)
{
	if (!p || p->reserved0[0] || p->reserved0[1] || p->reserved0[2] || p->reserved2)
		return cudaErrorInvalidValue;
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		*work = of_kernel(&p->kernel);
		return cudaSuccess;
	case cudaGraphNodeTypeMemcpy:
		*work = of_copy(&p->memcpy.copyParams);
		return p->memcpy.flags ? cudaErrorInvalidValue : cudaSuccess;
	case cudaGraphNodeTypeMemset:
		*work = of_fill(&p->memset);
		return cudaSuccess;
	case cudaGraphNodeTypeHost:
		*work = of_host(&p->host);
		return cudaSuccess;
	case cudaGraphNodeTypeGraph:
		*work = of_child(p->graph.graph);
		work->child.move = p->graph.ownership == cudaGraphChildGraphOwnershipMove;
		return (unsigned)p->graph.ownership > cudaGraphChildGraphOwnershipMove ? cudaErrorInvalidValue : cudaSuccess;
	case cudaGraphNodeTypeEventRecord:
		*work = of_record(p->eventRecord.event);
		return cudaSuccess;
	case cudaGraphNodeTypeWaitEvent:
		*work = of_wait(p->eventWait.event);
		return cudaSuccess;
	case cudaGraphNodeTypeMemAlloc:
		*work = (hu_work){.kind = p->type, .memory = p->alloc};
		return cudaSuccess;
	case cudaGraphNodeTypeMemFree:
		*work = (hu_work){.kind = p->type, .freed = p->free.dptr};
		return cudaSuccess;
	case cudaGraphNodeTypeEmpty:
		*work = (hu_work){.kind = p->type};
		return cudaSuccess;
	default:
		return (unsigned)p->type < cudaGraphNodeTypeCount ? cudaErrorNotSupported : cudaErrorInvalidValue;
	}
}

cudaError_t hx_graph_add_any(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, const cudaGraphEdgeData *data, size_t n,
                             struct cudaGraphNodeParams *p)
{
	hu_work work;
	cudaError_t error = of_any(p, &work);
	if (error == cudaSuccess)
		error = hx_graph_add(node, graph, needs, data, n, &work);
	if (error == cudaSuccess && p->type == cudaGraphNodeTypeMemAlloc)
		p->alloc.dptr = work.memory.dptr;
	if (error == cudaSuccess && p->type == cudaGraphNodeTypeGraph)
		p->graph.graph = (cudaGraph_t)(void *)work.child.graph;
	return error;
}

CALL(cudaGraphNodeSetParams, ARGS(node, p), cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
	hu_work work;
	cudaError_t error = of_any(p, &work);
	return error ? error : hu_node_set(NODE(node), &work);
}

CALL(cudaGraphExecNodeSetParams, ARGS(exec, node, p), cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
	hu_work work;
	cudaError_t error = of_any(p, &work);
	return error ? error : hu_exec_set(EXEC(exec), NODE(node), &work);
}

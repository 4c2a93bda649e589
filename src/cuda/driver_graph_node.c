/* Nodes of graphs of the driver interface, and their parameters. */
#include "cuda/driver.h"

#include "cuda/driver_graph.h"

static cudaError_t put(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, const CUgraphEdgeData *data, size_t n, hu_work *work)
{
	return hu_graph_add(GRAPH(graph), (hu_dependency_view){NODES(needs), DATA(data), n}, work, (hu_node **)node);
}

/* -- parameters of both interfaces -------------------------------------------------------------------------------------------------------------- */
/* A kernel of a library is the same object as a function. */
static cudaError_t of_kernel(const CUDA_KERNEL_NODE_PARAMS *p, hu_work *work)
{
	FUNCTION(function, p->func ? (const void *)p->func : (const void *)p->kern);
	*work = (hu_work){.kind = cudaGraphNodeTypeKernel,
	                  .kernel = {.func = function,
	                             .grid = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
	                                      .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
	                                      .shared = p->sharedMemBytes},
	                             .arguments = p->kernelParams,
	                             .extra = p->extra}};
	return cudaSuccess;
}

static cudaError_t of_kernel_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *p, hu_work *work)
{
	CUDA_KERNEL_NODE_PARAMS same = {0};
	memcpy(&same, p, sizeof *p); /* what was added stands behind it */
	return of_kernel(&same, work);
}

static void to_kernel(const hu_work *work, CUDA_KERNEL_NODE_PARAMS *p)
{
	hu_function *function = NULL;
	const hu_grid *g = &work->kernel.grid;
	hu_function_handle(work->kernel.func, &function);
	*p = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)(void *)function,
	                               .gridDimX = g->grid[0],
	                               .gridDimY = g->grid[1],
	                               .gridDimZ = g->grid[2],
	                               .blockDimX = g->block[0],
	                               .blockDimY = g->block[1],
	                               .blockDimZ = g->block[2],
	                               .sharedMemBytes = (unsigned)g->shared,
	                               .kernelParams = work->kernel.arguments,
	                               .extra = work->kernel.extra,
	                               .kern = (CUkernel)(void *)function};
	hu_context_current((hu_context **)&p->ctx);
}

static void to_kernel_v1(const hu_work *work, CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS more;
	to_kernel(work, &more);
	memcpy(p, &more, sizeof *p);
}

static void *pointer_of(CUmemorytype type, const void *host, CUdeviceptr device)
{
	return type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : (void *)(uintptr_t)device;
}

static bool is_type(CUmemorytype type) { return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED; }

static cudaError_t of_copy(const CUDA_MEMCPY3D *p, hu_work *work)
{
	if (p->srcMemoryType == CU_MEMORYTYPE_ARRAY || p->dstMemoryType == CU_MEMORYTYPE_ARRAY)
		return cudaErrorNotSupported;
	if (p->srcLOD || p->dstLOD || !is_type(p->srcMemoryType) || !is_type(p->dstMemoryType))
		return cudaErrorInvalidValue;
	bool unified = p->srcMemoryType == CU_MEMORYTYPE_UNIFIED || p->dstMemoryType == CU_MEMORYTYPE_UNIFIED,
	     to = p->dstMemoryType == CU_MEMORYTYPE_DEVICE, from = p->srcMemoryType == CU_MEMORYTYPE_DEVICE;
	size_t to_pitch = p->dstPitch ? p->dstPitch : p->dstXInBytes + p->WidthInBytes,
	       from_pitch = p->srcPitch ? p->srcPitch : p->srcXInBytes + p->WidthInBytes;
	*work = (hu_work){.kind = cudaGraphNodeTypeMemcpy,
	                  .copy = {.srcPtr = {pointer_of(p->srcMemoryType, p->srcHost, p->srcDevice), from_pitch, p->WidthInBytes, p->srcHeight},
	                           .srcPos = {p->srcXInBytes, p->srcY, p->srcZ},
	                           .dstPtr = {pointer_of(p->dstMemoryType, p->dstHost, p->dstDevice), to_pitch, p->WidthInBytes, p->dstHeight},
	                           .dstPos = {p->dstXInBytes, p->dstY, p->dstZ},
	                           .extent = {p->WidthInBytes, p->Height, p->Depth},
	                           .kind = unified      ? cudaMemcpyDefault
	                                   : to && from ? cudaMemcpyDeviceToDevice
	                                   : to         ? cudaMemcpyHostToDevice
	                                   : from       ? cudaMemcpyDeviceToHost
	                                                : cudaMemcpyHostToHost}};
	return cudaSuccess;
}

static void to_copy(const hu_work *work, CUDA_MEMCPY3D *p)
{
	const struct cudaMemcpy3DParms *c = &work->copy;
	bool unified = c->kind == cudaMemcpyDefault, to = c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice,
	     from = c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice;
	*p = (CUDA_MEMCPY3D){.srcXInBytes = c->srcPos.x,
	                     .srcY = c->srcPos.y,
	                     .srcZ = c->srcPos.z,
	                     .srcMemoryType = unified ? CU_MEMORYTYPE_UNIFIED
	                                      : from  ? CU_MEMORYTYPE_DEVICE
	                                              : CU_MEMORYTYPE_HOST,
	                     .srcHost = from || unified ? NULL : c->srcPtr.ptr,
	                     .srcDevice = from || unified ? (uintptr_t)c->srcPtr.ptr : 0,
	                     .srcPitch = c->srcPtr.pitch,
	                     .srcHeight = c->srcPtr.ysize,
	                     .dstXInBytes = c->dstPos.x,
	                     .dstY = c->dstPos.y,
	                     .dstZ = c->dstPos.z,
	                     .dstMemoryType = unified ? CU_MEMORYTYPE_UNIFIED
	                                      : to    ? CU_MEMORYTYPE_DEVICE
	                                              : CU_MEMORYTYPE_HOST,
	                     .dstHost = to || unified ? NULL : c->dstPtr.ptr,
	                     .dstDevice = to || unified ? (uintptr_t)c->dstPtr.ptr : 0,
	                     .dstPitch = c->dstPtr.pitch,
	                     .dstHeight = c->dstPtr.ysize,
	                     .WidthInBytes = c->extent.width,
	                     .Height = c->extent.height,
	                     .Depth = c->extent.depth};
}

static cudaError_t of_fill(const CUDA_MEMSET_NODE_PARAMS *p, hu_work *work)
{
	*work =
	    (hu_work){.kind = cudaGraphNodeTypeMemset, .fill = {(void *)(uintptr_t)p->dst, p->pitch, p->value, p->elementSize, p->width, p->height}};
	return cudaSuccess;
}

static void to_fill(const hu_work *work, CUDA_MEMSET_NODE_PARAMS *p)
{
	const struct cudaMemsetParams *f = &work->fill;
	*p = (CUDA_MEMSET_NODE_PARAMS){(uintptr_t)f->dst, f->pitch, f->value, f->elementSize, f->width, f->height};
}

static cudaError_t of_host(const CUDA_HOST_NODE_PARAMS *p, hu_work *work)
{
	*work = (hu_work){.kind = cudaGraphNodeTypeHost, .host = {p->fn, p->userData}};
	return cudaSuccess;
}

static void to_host(const hu_work *work, CUDA_HOST_NODE_PARAMS *p) { *p = (CUDA_HOST_NODE_PARAMS){work->host.fn, work->host.userData}; }

/* The structures of both interfaces have the same members of the same sizes. */
_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams), "both interfaces describe memory alike");

static cudaError_t of_memory(const CUDA_MEM_ALLOC_NODE_PARAMS *p, hu_work *work)
{
	*work = (hu_work){.kind = cudaGraphNodeTypeMemAlloc};
	memcpy(&work->memory, p, sizeof *p);
	return cudaSuccess;
}

static void to_memory(const hu_work *work, CUDA_MEM_ALLOC_NODE_PARAMS *p) { memcpy(p, &work->memory, sizeof *p); }

static hu_work of_handle(enum cudaGraphNodeType kind, void *handle)
{
	hu_work work = {.kind = kind};
	if (kind == cudaGraphNodeTypeGraph)
		work.child.graph = handle;
	else
		work.event = handle;
	return work;
}

/* -- add, get, set, and set in an executable graph, for each kind -----------------------------------------------------------------------------------
 */
/* `context` is a further parameter, which says nothing here: there is one device. */
#define ADD(name, type, of, context)                                                                                                              \
	DRIVER(name, ARGS(node, graph, needs, n, p), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t n, const type *p context) \
	{                                                                                                                                         \
		hu_work work;                                                                                                                     \
		cudaError_t error = p ? of(p, &work) : cudaErrorInvalidValue;                                                                     \
		return error ? error : put(node, graph, needs, NULL, n, &work);                                                                   \
	}
#define SET(name, type, of)                                                   \
	DRIVER(name, ARGS(node, p), CUgraphNode node, const type *p)          \
	{                                                                     \
		hu_work work;                                                 \
		cudaError_t error = p ? of(p, &work) : cudaErrorInvalidValue; \
		return error ? error : hu_node_set(NODE(node), &work);        \
	}
#define EXEC_SET(name, type, of)                                                             \
	DRIVER(name, ARGS(exec, node, p), CUgraphExec exec, CUgraphNode node, const type *p) \
	{                                                                                    \
		hu_work work;                                                                \
		cudaError_t error = p ? of(p, &work) : cudaErrorInvalidValue;                \
		return error ? error : hu_exec_set(EXEC(exec), NODE(node), &work);           \
	}
#define GET(name, type, kind, to)                                                                     \
	DRIVER(name, ARGS(node, p), CUgraphNode node, type *p)                                        \
	{                                                                                             \
		hu_work work;                                                                         \
		cudaError_t error = p ? hu_node_get(NODE(node), kind, &work) : cudaErrorInvalidValue; \
		if (error == cudaSuccess)                                                             \
			to(&work, p);                                                                 \
		return error;                                                                         \
	}

ADD(cuGraphAddKernelNode_v2, CUDA_KERNEL_NODE_PARAMS, of_kernel, )
GET(cuGraphKernelNodeGetParams_v2, CUDA_KERNEL_NODE_PARAMS, cudaGraphNodeTypeKernel, to_kernel)
SET(cuGraphKernelNodeSetParams_v2, CUDA_KERNEL_NODE_PARAMS, of_kernel)
EXEC_SET(cuGraphExecKernelNodeSetParams_v2, CUDA_KERNEL_NODE_PARAMS, of_kernel)
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
ADD(cuGraphAddKernelNode, CUDA_KERNEL_NODE_PARAMS_v1, of_kernel_v1, )
GET(cuGraphKernelNodeGetParams, CUDA_KERNEL_NODE_PARAMS_v1, cudaGraphNodeTypeKernel, to_kernel_v1)
SET(cuGraphKernelNodeSetParams, CUDA_KERNEL_NODE_PARAMS_v1, of_kernel_v1)
EXEC_SET(cuGraphExecKernelNodeSetParams, CUDA_KERNEL_NODE_PARAMS_v1, of_kernel_v1)

GET(cuGraphMemcpyNodeGetParams, CUDA_MEMCPY3D, cudaGraphNodeTypeMemcpy, to_copy)
SET(cuGraphMemcpyNodeSetParams, CUDA_MEMCPY3D, of_copy)
GET(cuGraphMemsetNodeGetParams, CUDA_MEMSET_NODE_PARAMS, cudaGraphNodeTypeMemset, to_fill)
SET(cuGraphMemsetNodeSetParams, CUDA_MEMSET_NODE_PARAMS, of_fill)
ADD(cuGraphAddHostNode, CUDA_HOST_NODE_PARAMS, of_host, )
GET(cuGraphHostNodeGetParams, CUDA_HOST_NODE_PARAMS, cudaGraphNodeTypeHost, to_host)
SET(cuGraphHostNodeSetParams, CUDA_HOST_NODE_PARAMS, of_host)
EXEC_SET(cuGraphExecHostNodeSetParams, CUDA_HOST_NODE_PARAMS, of_host)
GET(cuGraphMemAllocNodeGetParams, CUDA_MEM_ALLOC_NODE_PARAMS, cudaGraphNodeTypeMemAlloc, to_memory)

/* With the context in which the memory is: they are all on one device. */
#define IN_CONTEXT(name, exec_name, type, of)                                                                                                      \
	DRIVER(name, ARGS(node, graph, needs, n, p, context), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t n, const type *p, \
	       CUcontext context)                                                                                                                  \
	{                                                                                                                                          \
		hu_work work;                                                                                                                      \
		cudaError_t error = p && (!context || hu_context_is(context)) ? of(p, &work) : cudaErrorInvalidValue;                              \
		return error ? error : put(node, graph, needs, NULL, n, &work);                                                                    \
	}                                                                                                                                          \
	DRIVER(exec_name, ARGS(exec, node, p, context), CUgraphExec exec, CUgraphNode node, const type *p, CUcontext context)                      \
	{                                                                                                                                          \
		hu_work work;                                                                                                                      \
		cudaError_t error = p && (!context || hu_context_is(context)) ? of(p, &work) : cudaErrorInvalidValue;                              \
		return error ? error : hu_exec_set(EXEC(exec), NODE(node), &work);                                                                 \
	}

IN_CONTEXT(cuGraphAddMemcpyNode, cuGraphExecMemcpyNodeSetParams, CUDA_MEMCPY3D, of_copy)
IN_CONTEXT(cuGraphAddMemsetNode, cuGraphExecMemsetNodeSetParams, CUDA_MEMSET_NODE_PARAMS, of_fill)

DRIVER_ANY(cuGraphAddEmptyNode, ARGS(node, graph, needs, n), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t n)
{
	hu_work work = {.kind = cudaGraphNodeTypeEmpty};
	return put(node, graph, needs, NULL, n, &work);
}

/* -- graphs in graphs, events
 * -------------------------------------------------------------------------------------------------------------------------- */
#define HANDLE(add, get, exec_set, type, kind, member)                                                                                      \
	DRIVER(add, ARGS(node, graph, needs, n, handle), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t n, type handle) \
	{                                                                                                                                   \
		hu_work work = of_handle(kind, handle);                                                                                     \
		return put(node, graph, needs, NULL, n, &work);                                                                             \
	}                                                                                                                                   \
	DRIVER(get, ARGS(node, handle), CUgraphNode node, type *handle)                                                                     \
	{                                                                                                                                   \
		hu_work work;                                                                                                               \
		cudaError_t error = handle ? hu_node_get(NODE(node), kind, &work) : cudaErrorInvalidValue;                                  \
		if (error == cudaSuccess)                                                                                                   \
			*handle = (type)(void *)work.member;                                                                                \
		return error;                                                                                                               \
	}                                                                                                                                   \
	DRIVER(exec_set, ARGS(exec, node, handle), CUgraphExec exec, CUgraphNode node, type handle)                                         \
	{                                                                                                                                   \
		hu_work work = of_handle(kind, handle);                                                                                     \
		return hu_exec_set(EXEC(exec), NODE(node), &work);                                                                          \
	}

HANDLE(cuGraphAddChildGraphNode, cuGraphChildGraphNodeGetGraph, cuGraphExecChildGraphNodeSetParams, CUgraph, cudaGraphNodeTypeGraph, child.graph)
HANDLE(cuGraphAddEventRecordNode, cuGraphEventRecordNodeGetEvent, cuGraphExecEventRecordNodeSetEvent, CUevent, cudaGraphNodeTypeEventRecord, event)
HANDLE(cuGraphAddEventWaitNode, cuGraphEventWaitNodeGetEvent, cuGraphExecEventWaitNodeSetEvent, CUevent, cudaGraphNodeTypeWaitEvent, event)

DRIVER(cuGraphEventRecordNodeSetEvent, ARGS(node, event), CUgraphNode node, CUevent event)
{
	hu_work work = of_handle(cudaGraphNodeTypeEventRecord, event);
	return hu_node_set(NODE(node), &work);
}

DRIVER(cuGraphEventWaitNodeSetEvent, ARGS(node, event), CUgraphNode node, CUevent event)
{
	hu_work work = of_handle(cudaGraphNodeTypeWaitEvent, event);
	return hu_node_set(NODE(node), &work);
}

/* -- memory
 * ---------------------------------------------------------------------------------------------------------------------------------------------- */
DRIVER(cuGraphAddMemAllocNode, ARGS(node, graph, needs, n, p), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t n,
       CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	hu_work work;
	if (!p)
		return cudaErrorInvalidValue;
	of_memory(p, &work);
	cudaError_t error = put(node, graph, needs, NULL, n, &work);
	p->dptr = error ? 0 : (uintptr_t)work.memory.dptr;
	return error;
}

DRIVER(cuGraphAddMemFreeNode, ARGS(node, graph, needs, n, address), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t n,
       CUdeviceptr address)
{
	hu_work work = {.kind = cudaGraphNodeTypeMemFree, .freed = (void *)(uintptr_t)address};
	return put(node, graph, needs, NULL, n, &work);
}

DRIVER(cuGraphMemFreeNodeGetParams, ARGS(node, address), CUgraphNode node, CUdeviceptr *address)
{
	hu_work work;
	cudaError_t error = address ? hu_node_get(NODE(node), cudaGraphNodeTypeMemFree, &work) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*address = (uintptr_t)work.freed;
	return error;
}

/* -- attributes of kernels
 * --------------------------------------------------------------------------------------------------------------------------------- */
DRIVER_ANY(cuGraphKernelNodeGetAttribute, ARGS(node, which, value), CUgraphNode node, CUlaunchAttributeID which, CUlaunchAttributeValue *value)
{
	bool cooperative;
	int priority;
	cudaError_t error = value ? hu_node_attributes(NODE(node), &cooperative, &priority) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	memset(value, 0, sizeof *value);
	if (which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
		value->cooperative = cooperative;
	if (which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		value->priority = priority;
	return cudaSuccess;
}

DRIVER_ANY(cuGraphKernelNodeSetAttribute, ARGS(node, which, value), CUgraphNode node, CUlaunchAttributeID which, const CUlaunchAttributeValue *value)
{
	if (!value)
		return cudaErrorInvalidValue;
	if (which == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && (uint64_t)value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1)
		return cudaErrorNotSupported;
	bool cooperative = value->cooperative != 0;
	return hu_node_set_attributes(NODE(node), which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE ? &cooperative : NULL,
	                              which == CU_LAUNCH_ATTRIBUTE_PRIORITY ? &value->priority : NULL);
}

DRIVER_ANY(cuGraphKernelNodeCopyAttributes, ARGS(to, from), CUgraphNode to, CUgraphNode from)
{
	bool cooperative;
	int priority;
	cudaError_t error = hu_node_attributes(NODE(from), &cooperative, &priority);
	return error ? error : hu_node_set_attributes(NODE(to), &cooperative, &priority);
}

/* -- nodes of any kind
 * --------------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t of_any(const CUgraphNodeParams *p, hu_work *work)
{
	CUDA_MEMSET_NODE_PARAMS fill;
	if (!p || p->reserved0[0] || p->reserved0[1] || p->reserved0[2] || p->reserved2)
		return cudaErrorInvalidValue;
	switch (p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return of_kernel(&p->kernel, work);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return p->memcpy.flags ? cudaErrorInvalidValue : of_copy(&p->memcpy.copyParams, work);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		memcpy(&fill, &p->memset, sizeof fill);
		return of_fill(&fill, work);
	case CU_GRAPH_NODE_TYPE_HOST:
		return of_host(&p->host, work);
	case CU_GRAPH_NODE_TYPE_GRAPH:
		*work = of_handle(cudaGraphNodeTypeGraph, p->graph.graph);
		work->child.move = p->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
		return (unsigned)p->graph.ownership > CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE ? cudaErrorInvalidValue : cudaSuccess;
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		*work = of_handle(cudaGraphNodeTypeEventRecord, p->eventRecord.event);
		return cudaSuccess;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		*work = of_handle(cudaGraphNodeTypeWaitEvent, p->eventWait.event);
		return cudaSuccess;
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return of_memory(&p->alloc, work);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		*work = (hu_work){.kind = cudaGraphNodeTypeMemFree, .freed = (void *)(uintptr_t)p->free.dptr};
		return cudaSuccess;
	case CU_GRAPH_NODE_TYPE_EMPTY:
		*work = (hu_work){.kind = cudaGraphNodeTypeEmpty};
		return cudaSuccess;
	default:
		return (unsigned)p->type <= CU_GRAPH_NODE_TYPE_CONDITIONAL ? cudaErrorNotSupported : cudaErrorInvalidValue;
	}
}

static cudaError_t put_any(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *p)
{
	hu_work work;
	cudaError_t error = of_any(p, &work);
	if (error == cudaSuccess)
		error = put(node, graph, needs, data, n, &work);
	if (error == cudaSuccess && p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		p->alloc.dptr = (uintptr_t)work.memory.dptr;
	if (error == cudaSuccess && p->type == CU_GRAPH_NODE_TYPE_GRAPH)
		p->graph.graph = (CUgraph)(void *)work.child.graph;
	return error;
}

DRIVER(cuGraphAddNode, ARGS(node, graph, needs, n, p), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t n, CUgraphNodeParams *p)
{
	return put_any(node, graph, needs, NULL, n, p);
}

DRIVER(cuGraphAddNode_v2, ARGS(node, graph, needs, data, n, p), CUgraphNode *node, CUgraph graph, const CUgraphNode *needs,
       const CUgraphEdgeData *data, size_t n, CUgraphNodeParams *p)
{
	return put_any(node, graph, needs, data, n, p);
}

DRIVER(cuGraphNodeSetParams, ARGS(node, p), CUgraphNode node, CUgraphNodeParams *p)
{
	hu_work work;
	cudaError_t error = of_any(p, &work);
	return error ? error : hu_node_set(NODE(node), &work);
}

DRIVER(cuGraphExecNodeSetParams, ARGS(exec, node, p), CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p)
{
	hu_work work;
	cudaError_t error = of_any(p, &work);
	return error ? error : hu_exec_set(EXEC(exec), NODE(node), &work);
}

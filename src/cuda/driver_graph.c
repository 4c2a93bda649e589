/* Graphs of the driver interface. */
#include "cuda/driver.h"

static const hu_work invalid = {.wrong = cudaErrorInvalidValue};

/* -- kernels ------------------------------------------------------------------------------------------------------------------------------------ */
/* A kernel of a library is the same object as a function. */
static hu_work of_kernel(const CUDA_KERNEL_NODE_PARAMS *p)
{
	hu_function *function;
	if (!p)
		return invalid;
	cudaError_t error = hu_api_function(p->func ? (const void *)p->func : (const void *)p->kern, &function);
	if (error != cudaSuccess)
		return (hu_work){.wrong = error};
	return (hu_work){.kind = cudaGraphNodeTypeKernel,
	                 .kernel = {.func = function,
	                            .grid = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
	                                     .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
	                                     .shared = p->sharedMemBytes},
	                            .arguments = p->kernelParams,
	                            .extra = p->extra}};
}

static hu_work of_kernel_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS same = {0};
	if (!p)
		return invalid;
	memcpy(&same, p, sizeof *p); /* what was added stands behind it */
	return of_kernel(&same);
}

/* Version 1 has the first `size` bytes. */
static cudaError_t get_kernel(hu_node *node, void *p, size_t size)
{
	hu_work work;
	hu_function *function = NULL;
	const hu_grid *g = &work.kernel.grid;
	cudaError_t error = p ? hu_node_get(node, cudaGraphNodeTypeKernel, &work) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	hu_function_handle(work.kernel.func, &function);
	CUDA_KERNEL_NODE_PARAMS all = {.func = function,
	                               .gridDimX = g->grid[0],
	                               .gridDimY = g->grid[1],
	                               .gridDimZ = g->grid[2],
	                               .blockDimX = g->block[0],
	                               .blockDimY = g->block[1],
	                               .blockDimZ = g->block[2],
	                               .sharedMemBytes = (unsigned)g->shared,
	                               .kernelParams = work.kernel.arguments,
	                               .extra = work.kernel.extra,
	                               .kern = (CUkernel)(void *)function};
	hu_context_current(&all.ctx);
	memcpy(p, &all, size);
	return cudaSuccess;
}

/* -- copies ------------------------------------------------------------------------------------------------------------------------------------- */
static void *pointer_of(CUmemorytype type, const void *host, CUdeviceptr device)
{
	return type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : (void *)(uintptr_t)device;
}

static bool is_type(CUmemorytype type) { return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED; }

static hu_work of_copy(const CUDA_MEMCPY3D *p)
{
	if (!p)
		return invalid;
	if (p->srcMemoryType == CU_MEMORYTYPE_ARRAY || p->dstMemoryType == CU_MEMORYTYPE_ARRAY)
		return (hu_work){.wrong = cudaErrorNotSupported};
	if (p->srcLOD || p->dstLOD || !is_type(p->srcMemoryType) || !is_type(p->dstMemoryType))
		return invalid;
	bool unified = p->srcMemoryType == CU_MEMORYTYPE_UNIFIED || p->dstMemoryType == CU_MEMORYTYPE_UNIFIED,
	     to = p->dstMemoryType == CU_MEMORYTYPE_DEVICE, from = p->srcMemoryType == CU_MEMORYTYPE_DEVICE;
	size_t to_pitch = p->dstPitch ? p->dstPitch : p->dstXInBytes + p->WidthInBytes,
	       from_pitch = p->srcPitch ? p->srcPitch : p->srcXInBytes + p->WidthInBytes;
	return (hu_work){.kind = cudaGraphNodeTypeMemcpy,
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
}

static cudaError_t get_copy(hu_node *node, CUDA_MEMCPY3D *p)
{
	hu_work work;
	const struct cudaMemcpy3DParms *c = &work.copy;
	cudaError_t error = p ? hu_node_get(node, cudaGraphNodeTypeMemcpy, &work) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
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
	return cudaSuccess;
}

/* -- the others --------------------------------------------------------------------------------------------------------------------------------- */
_Static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(struct cudaMemsetParams) &&
                   sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(struct cudaHostNodeParams) &&
                   sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams) &&
                   sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams),
               "both interfaces describe nodes alike");

/* Whether there are parameters, and a context in which their memory is: all contexts are on one device. Parameters without one are not read. */
static bool in_context(const void *p, CUcontext context) { return p && (!context || hu_context_is(context)); }

static hu_work of_any(const CUgraphNodeParams *p)
{
	hu_work work = hu_work_of_any((const struct cudaGraphNodeParams *)p);
	if (work.wrong)
		return work;
	return work.kind == cudaGraphNodeTypeKernel   ? of_kernel(&p->kernel)
	       : work.kind == cudaGraphNodeTypeMemcpy ? of_copy(&p->memcpy.copyParams)
	                                              : work;
}

static cudaError_t add_any(hu_graph *graph, hu_dependency_view needs, CUgraphNodeParams *p, hu_node **node)
{
	return hu_graph_add_any(graph, needs, of_any(p), (struct cudaGraphNodeParams *)p, node);
}

/* -- executable graphs -------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t instantiate(hu_exec **exec, hu_graph *graph, hu_node **at, char *log, size_t size)
{
	if (log && size)
		log[0] = 0;
	return hu_exec_new(graph, 0, exec, NULL, at);
}

static cudaError_t update_exec(hu_exec *exec, hu_graph *graph, hu_node **node, hu_node **from, CUgraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t error = hu_exec_update(exec, graph, &info);
	if (node)
		*node = info.errorNode;
	if (from)
		*from = info.errorFromNode;
	if (result)
		*result = (CUgraphExecUpdateResult)info.result;
	return error;
}

#include "cuda/graph.def"

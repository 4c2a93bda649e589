/* Graphs of the runtime interface. What differs between versions is in api_version_graph.c. */
#include "cuda/api.h"

#include "cuda/cuda_runtime_api.h"

cudaError_t hu_api_graph_add_any(hu_graph *graph, hu_dependency_view needs, struct cudaGraphNodeParams *p, hu_node **node);

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) { return hu_api_remember(hu_capture_mode(mode)); }

/* -- parameters of nodes ------------------------------------------------------------------------------------------------------------------------ */
static hu_work of_kernel(const struct cudaKernelNodeParams *p)
{
	if (!p)
		return (hu_work){.wrong = cudaErrorInvalidValue};
	return (hu_work){.kind = cudaGraphNodeTypeKernel,
	                 .kernel = {.func = p->func,
	                            .grid = {.grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
	                                     .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
	                                     .shared = p->sharedMemBytes},
	                            .arguments = p->kernelParams,
	                            .extra = p->extra}};
}

static dim3 dim3_of(const uint32_t n[3]) { return (dim3){n[0], n[1], n[2]}; }

static cudaError_t get_kernel(hu_node *node, struct cudaKernelNodeParams *p)
{
	hu_work work;
	cudaError_t error = p ? hu_node_get(node, cudaGraphNodeTypeKernel, &work) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*p = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)work.kernel.func,
		                                   .gridDim = dim3_of(work.kernel.grid.grid),
		                                   .blockDim = dim3_of(work.kernel.grid.block),
		                                   .sharedMemBytes = (unsigned)work.kernel.grid.shared,
		                                   .kernelParams = work.kernel.arguments,
		                                   .extra = work.kernel.extra};
	return error;
}

static hu_work of_line(void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
	void *source = (void *)(uintptr_t)from;
	return (hu_work){.kind = cudaGraphNodeTypeMemcpy,
	                 .copy = {.srcPtr = {source, count, count, 1}, .dstPtr = {to, count, count, 1}, .extent = {count, 1, 1}, .kind = kind}};
}

/* A copy `to` a variable, or from there. */
static hu_work of_symbol(const void *symbol, size_t offset, bool to, const void *other, size_t count, enum cudaMemcpyKind kind)
{
	uint64_t at, size;
	if (kind != (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return (hu_work){.wrong = cudaErrorInvalidMemcpyDirection};
	cudaError_t error = hu_symbol(symbol, &at, &size);
	if (error == cudaSuccess && (offset > size || count > size - offset))
		error = cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return (hu_work){.wrong = error};
	void *variable = (void *)(uintptr_t)(at + offset), *memory = (void *)(uintptr_t)other;
	return to ? of_line(variable, memory, count, kind) : of_line(memory, variable, count, kind);
}

static hu_work of_any(const struct cudaGraphNodeParams *p)
{
	hu_work work = hu_work_of_any(p);
	if (work.wrong)
		return work;
	return work.kind == cudaGraphNodeTypeKernel   ? of_kernel(&p->kernel)
	       : work.kind == cudaGraphNodeTypeMemcpy ? WORK(Memcpy, &p->memcpy.copyParams)
	                                              : work;
}

cudaError_t hu_api_graph_add_any(hu_graph *graph, hu_dependency_view needs, struct cudaGraphNodeParams *p, hu_node **node)
{
	return hu_graph_add_any(graph, needs, of_any(p), p, node);
}

#include "cuda/graph.def"

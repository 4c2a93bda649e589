/* Graphs and captures by the driver interface. */

#include "../test.h"

#include "cuda/cuda.h"
#include "fat.h"

enum { N = 100 };
#define GOOD(call) assert_int_equal(call, CUDA_SUCCESS)

static const char text[] = FAT_HEAD FAT_ADD;
static CUcontext context;
static CUmodule module;
static CUfunction add;

static int begin(void **state)
{
	return cuInit(0) || cuCtxCreate(&context, CU_CTX_MAP_HOST, 0) || cuModuleLoadData(&module, text) || cuModuleGetFunction(&add, module, "add");
}

static int end(void **state) { return cuModuleUnload(module) || cuCtxDestroy(context); }

/* -- graphs: the same objects as the runtime interface's, by the structures of this one ------------------------------------------------------------
 */
TEST(graphs)
{
	int value = 3, n = N, host[N], data[N] = {0};
	CUdeviceptr p;
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode fill, kernel, copy, list[4];
	CUgraphNodeType kind;
	size_t count = 4;
	(void)data;
	GOOD(cuMemAlloc(&p, sizeof host));
	GOOD(cuGraphCreate(&graph, 0));
	CUDA_MEMSET_NODE_PARAMS zero = {.dst = p, .value = 5, .elementSize = 4, .width = N, .height = 1}, got_fill;
	GOOD(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &zero, NULL));
	/* With a wrong context the parameters are not read. */
	CUcontext wrong = (CUcontext)(void *)&zero;
	assert_int_equal(cuGraphAddMemsetNode(&fill, graph, NULL, 0, (const CUDA_MEMSET_NODE_PARAMS *)8, wrong), CUDA_ERROR_INVALID_VALUE);
	GOOD(cuGraphMemsetNodeGetParams(fill, &got_fill));
	assert_int_equal(got_fill.dst, p);
	assert_int_equal(got_fill.width, N);
	/* All arguments in one buffer: what is asked for later is such a buffer, too. */
	struct {
		CUdeviceptr p;
		int value, n;
	} packed = {p, value, n};
	size_t bytes = sizeof packed;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
	CUDA_KERNEL_NODE_PARAMS
	launch = {.func = add, .gridDimX = 4, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .extra = extra}, got;
	GOOD(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
	packed.value = 0; /* it was taken */
	GOOD(cuGraphKernelNodeGetParams(kernel, &got));
	assert_ptr_equal(got.func, add);
	assert_null(got.kernelParams);
	assert_int_equal(*(size_t *)got.extra[3], sizeof packed);
	assert_int_equal(((const int *)got.extra[1])[2], 3);
	CUDA_MEMCPY3D back = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
	                      .srcDevice = p,
	                      .dstMemoryType = CU_MEMORYTYPE_HOST,
	                      .dstHost = host,
	                      .WidthInBytes = sizeof host,
	                      .Height = 1,
	                      .Depth = 1},
	              got_copy;
	GOOD(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &back, NULL));
	GOOD(cuGraphMemcpyNodeGetParams(copy, &got_copy));
	assert_int_equal(got_copy.srcMemoryType, CU_MEMORYTYPE_DEVICE);
	assert_int_equal(got_copy.srcDevice, p);
	assert_int_equal(got_copy.dstMemoryType, CU_MEMORYTYPE_HOST);
	assert_ptr_equal(got_copy.dstHost, host);
	GOOD(cuGraphGetNodes(graph, list, &count));
	assert_int_equal(count, 3);
	GOOD(cuGraphNodeGetType(list[1], &kind));
	assert_int_equal(kind, CU_GRAPH_NODE_TYPE_KERNEL);
	GOOD(cuGraphInstantiate(&exec, graph, 0));
	GOOD(cuGraphLaunch(exec, NULL));
	GOOD(cuCtxSynchronize());
	assert_int_equal(host[N - 1], 8);
	packed.value = 20;
	GOOD(cuGraphExecKernelNodeSetParams(exec, kernel, &launch));
	GOOD(cuGraphLaunch(exec, NULL));
	GOOD(cuCtxSynchronize());
	assert_int_equal(host[0], 25);
	CUgraphExecUpdateResultInfo info;
	GOOD(cuGraphExecUpdate(exec, graph, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	GOOD(cuGraphLaunch(exec, NULL));
	GOOD(cuCtxSynchronize());
	assert_int_equal(host[0], 8);
	launch.func = (CUfunction)&launch;
	assert_int_equal(cuGraphAddKernelNode(&kernel, graph, NULL, 0, &launch), CUDA_ERROR_INVALID_HANDLE);
	/* Edges, with their data and without. */
	CUgraphNode from[4], to[4];
	CUgraphEdgeData programmatic = {.from_port = 1, .type = 1}, data_of[4];
	count = 4;
	GOOD(cuGraphAddDependencies_v2(graph, &list[1], &list[0], &programmatic, 1));
	assert_int_equal(cuGraphGetEdges(graph, from, to, &count), CUDA_ERROR_LOSSY_QUERY);
	GOOD(cuGraphGetEdges_v2(graph, from, to, data_of, &count));
	assert_int_equal(count, 3);
	assert_int_equal(cuGraphInstantiate(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE); /* a cycle */
	GOOD(cuGraphExecDestroy(exec));
	GOOD(cuGraphDestroy(graph));
	GOOD(cuMemFree(p));
}

TEST(captures)
{
	int value = 3, n = N, host[N];
	CUdeviceptr p;
	CUgraph graph;
	CUgraphExec exec;
	CUstream stream;
	CUstreamCaptureStatus status;
	cuuint64_t id = 0;
	const CUgraphNode *needs;
	size_t count;
	GOOD(cuMemAlloc(&p, sizeof host));
	GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	GOOD(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	GOOD(cuMemsetD32Async(p, 1, N, stream));
	GOOD(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, stream, (void *[]){&p, &value, &n}, NULL));
	GOOD(cuStreamGetCaptureInfo(stream, &status, &id, &graph, &needs, &count));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	assert_int_equal(count, 1);
	GOOD(cuMemcpyDtoHAsync(host, p, sizeof host, stream));
	CUdeviceptr q;
	CUgraph same;
	GOOD(cuStreamEndCapture(stream, &same));
	assert_ptr_equal(same, graph);
	GOOD(cuGraphInstantiate(&exec, graph, 0));
	GOOD(cuGraphLaunch(exec, stream));
	GOOD(cuStreamSynchronize(stream));
	assert_int_equal(host[7], 4);
	GOOD(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	assert_int_equal(cuMemAlloc(&q, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	assert_int_equal(cuMemsetD32Async(p, 1, N, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	assert_int_equal(cuStreamEndCapture(stream, &same), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	assert_null(same);
	GOOD(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	GOOD(cuStreamIsCapturing(stream, &status));
	assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
	assert_int_equal(cuStreamEndCapture(stream, &same), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	GOOD(cuGraphExecDestroy(exec));
	GOOD(cuGraphDestroy(graph));
	GOOD(cuStreamDestroy(stream));
	GOOD(cuMemFree(p));
}

TEST_AROUND(begin, end)

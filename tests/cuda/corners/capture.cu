// Corners of streams that are captured into graphs, a case each.
#include <thread>

#include "corners.h"

#if CUDART_VERSION >= 13000
#define INFO(stream, status, id, graph, needs, n) cudaStreamGetCaptureInfo(stream, status, id, graph, needs, nullptr, n)
#define UPDATE(stream, needs, n, flags) cudaStreamUpdateCaptureDependencies(stream, needs, nullptr, n, flags)
#define NEEDS(node, nodes, n) cudaGraphNodeGetDependencies(node, nodes, nullptr, n)
#else
#define INFO cudaStreamGetCaptureInfo
#define UPDATE cudaStreamUpdateCaptureDependencies
#define NEEDS cudaGraphNodeGetDependencies
#endif

enum { N = 64 };
__global__ void add(int *p, int value) { p[threadIdx.x] += value; }
__global__ void scale(int *p, int by) { p[threadIdx.x] *= by; }

static int fetch(const int *p, int at)
{
	int value = -1;
	cudaMemcpy(&value, p + at, sizeof value, cudaMemcpyDeviceToHost);
	return value;
}
static void count(void *data) { ++*(int *)data; }
static void callback(cudaStream_t, cudaError_t, void *) {}

static int *zeros()
{
	int *p = nullptr;
	cudaMalloc(&p, N * sizeof *p);
	cudaMemset(p, 0, N * sizeof *p);
	cudaDeviceSynchronize(); // the streams below are in no order with the default one
	return p;
}
static cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking)
{
	cudaStream_t stream = nullptr;
	cudaStreamCreateWithFlags(&stream, flags);
	return stream;
}
static int launch(cudaGraph_t graph)
{
	cudaGraphExec_t exec;
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	GOOD(cudaGraphExecDestroy(exec));
	return 0;
}

static int work_of_a_stream()
{
	int *p = zeros(), host[N] = {}, ones[N], called = 0;
	cudaStream_t stream = new_stream();
	cudaGraph_t graph;
	enum cudaStreamCaptureStatus status;
	for (int &one : ones)
		one = 1;
	GOOD(cudaStreamIsCapturing(stream, &status));
	TRUE(status == cudaStreamCaptureStatusNone);
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	GOOD(cudaStreamIsCapturing(stream, &status));
	TRUE(status == cudaStreamCaptureStatusActive);
	GOOD(cudaMemcpyAsync(p, ones, sizeof ones, cudaMemcpyHostToDevice, stream));
	add<<<1, N, 0, stream>>>(p, 3);
	GOOD(cudaGetLastError());
	scale<<<1, N, 0, stream>>>(p, 5);
	GOOD(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
	GOOD(cudaLaunchHostFunc(stream, count, &called));
	GOOD(cudaStreamEndCapture(stream, &graph));
	GOOD(cudaStreamSynchronize(stream));
	TRUE(host[0] == 0 && called == 0);
	size_t n;
	GOOD(cudaGraphGetNodes(graph, nullptr, &n));
	TRUE(n == 5);
	if (launch(graph))
		return 1;
	TRUE(host[63] == 20 && called == 1);
	ones[0] = 9; // read when the graph runs
	if (launch(graph))
		return 1;
	TRUE(host[0] == 60 && host[1] == 20 && called == 2);
	GOOD(cudaMemsetAsync(p, 0, 4, stream)); // not captured any more
	GOOD(cudaStreamSynchronize(stream));
	TRUE(fetch(p, 0) == 0);
	return 0;
}
static int fork_and_join()
{
	int *p = zeros(), *q = zeros();
	cudaStream_t a = new_stream(), b = new_stream();
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	enum cudaStreamCaptureStatus status;
	unsigned long long id = 0, other_id = 0;
	GOOD(cudaEventCreate(&fork));
	GOOD(cudaEventCreate(&join));
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	add<<<1, N, 0, a>>>(p, 1);
	GOOD(cudaEventRecord(fork, a));
	GOOD(cudaStreamWaitEvent(b, fork, 0));
	GOOD(INFO(a, &status, &id, nullptr, nullptr, nullptr));
	GOOD(INFO(b, &status, &other_id, nullptr, nullptr, nullptr));
	TRUE(status == cudaStreamCaptureStatusActive && id == other_id && id);
	add<<<1, N, 0, b>>>(q, 2);
	scale<<<1, N, 0, a>>>(p, 10);
	GOOD(cudaEventRecord(join, b));
	GOOD(cudaStreamWaitEvent(a, join, 0));
	add<<<1, N, 0, a>>>(p, 5);
	GOOD(cudaStreamEndCapture(a, &graph));
	GOOD(cudaStreamIsCapturing(b, &status));
	TRUE(status == cudaStreamCaptureStatusNone);
	size_t n = 8;
	cudaGraphNode_t nodes[8], needs[8];
	GOOD(cudaGraphGetNodes(graph, nodes, &n));
	TRUE(n == 4);
	n = 8;
	GOOD(NEEDS(nodes[3], needs, &n));
	TRUE(n == 2);
	if (launch(graph))
		return 1;
	TRUE(fetch(p, 0) == 15 && fetch(q, 0) == 2);
	return 0;
}
static int unjoined_work()
{
	int *p = zeros();
	cudaStream_t a = new_stream(), b = new_stream();
	cudaEvent_t fork;
	cudaGraph_t graph = (cudaGraph_t)&p;
	GOOD(cudaEventCreate(&fork));
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	GOOD(cudaEventRecord(fork, a));
	GOOD(cudaStreamWaitEvent(b, fork, 0));
	add<<<1, N, 0, b>>>(p, 2);
	IS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
	TRUE(!graph);
	GOOD(cudaStreamSynchronize(a)); // both streams are free again
	GOOD(cudaStreamSynchronize(b));
	add<<<1, N, 0, b>>>(p, 2);
	GOOD(cudaStreamSynchronize(b));
	TRUE(fetch(p, 0) == 2);
	return 0;
}
static int ends_in_the_wrong_place()
{
	int *p = zeros();
	cudaStream_t a = new_stream(), b = new_stream();
	cudaEvent_t fork;
	cudaGraph_t graph;
	cudaError_t of_thread = cudaSuccess;
	GOOD(cudaEventCreate(&fork));
	IS(cudaStreamEndCapture(a, &graph), cudaErrorIllegalState);
	IS(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
	IS(cudaStreamBeginCapture(a, (enum cudaStreamCaptureMode)7), cudaErrorInvalidValue);
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
	IS(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal), cudaErrorIllegalState);
	std::thread([&] { of_thread = cudaStreamEndCapture(a, &graph); }).join();
	TRUE(of_thread == cudaErrorStreamCaptureWrongThread);
	GOOD(cudaEventRecord(fork, a));
	GOOD(cudaStreamWaitEvent(b, fork, 0));
	IS(cudaStreamEndCapture(b, &graph), cudaErrorStreamCaptureUnmatched);
	IS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	add<<<1, N, 0, a>>>(p, 1);
	std::thread([&] { of_thread = cudaStreamEndCapture(a, &graph); }).join();
	TRUE(of_thread == cudaSuccess && graph);
	return 0;
}
static int what_makes_a_capture_invalid()
{
	int *p = zeros(), *q;
	cudaStream_t stream = new_stream();
	cudaEvent_t event;
	cudaGraph_t graph;
	enum cudaStreamCaptureStatus status;
	GOOD(cudaEventCreate(&event));
	cudaError_t (*const calls[])(cudaStream_t, cudaEvent_t, int *) = {
	    [](cudaStream_t s, cudaEvent_t, int *) { return cudaStreamSynchronize(s); },
	    [](cudaStream_t s, cudaEvent_t, int *) { return cudaStreamQuery(s); },
	    [](cudaStream_t, cudaEvent_t, int *) { return cudaDeviceSynchronize(); },
	    [](cudaStream_t s, cudaEvent_t, int *) { return cudaStreamAddCallback(s, callback, nullptr, 0); },
	    [](cudaStream_t s, cudaEvent_t, int *) { return cudaStreamDestroy(s); },
	    [](cudaStream_t, cudaEvent_t, int *) { void *m; return cudaMalloc(&m, 4); },
	    [](cudaStream_t, cudaEvent_t, int *p) { return cudaFree(p); },
	    [](cudaStream_t, cudaEvent_t, int *p) { int x; return cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost); },
	};
	for (auto call : calls) {
		GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
		add<<<1, N, 0, stream>>>(p, 1);
		IS(call(stream, event, p), cudaErrorStreamCaptureUnsupported);
		GOOD(cudaStreamIsCapturing(stream, &status));
		TRUE(status == cudaStreamCaptureStatusInvalidated);
		add<<<1, N, 0, stream>>>(p, 1);
		IS(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
		IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
		TRUE(!graph);
	}
	cudaGetLastError();
	GOOD(cudaMalloc(&q, 4));
	add<<<1, N, 0, stream>>>(p, 7);
	GOOD(cudaStreamSynchronize(stream));
	TRUE(fetch(p, 0) == 7);
	return 0;
}
static int modes()
{
	int *p;
	cudaStream_t stream = new_stream();
	cudaGraph_t graph;
	cudaError_t error = cudaSuccess;
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	// A relaxed capture forbids nothing.
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaStreamEndCapture(stream, &graph));
	// A relaxed thread is forbidden nothing.
	GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
	TRUE(mode == cudaStreamCaptureModeGlobal);
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaStreamEndCapture(stream, &graph));
	GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
	TRUE(mode == cudaStreamCaptureModeRelaxed);
	IS(cudaThreadExchangeStreamCaptureMode(nullptr), cudaErrorInvalidValue);
	// A capture that is local to a thread concerns no other one; a global one does.
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	std::thread([&] { int *q; error = cudaMalloc(&q, 4); }).join();
	TRUE(error == cudaSuccess);
	GOOD(cudaStreamEndCapture(stream, &graph));
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	std::thread([&] {
		int *q;
		enum cudaStreamCaptureMode local = cudaStreamCaptureModeThreadLocal;
		cudaThreadExchangeStreamCaptureMode(&local);
		error = cudaMalloc(&q, 4);
	}).join();
	TRUE(error == cudaSuccess);
	std::thread([&] { int *q; error = cudaMalloc(&q, 4); }).join();
	TRUE(error == cudaErrorStreamCaptureUnsupported);
	IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
	return 0;
}
static int the_legacy_stream()
{
	int *p = zeros();
	cudaStream_t blocking = new_stream(cudaStreamDefault), other = new_stream();
	cudaGraph_t graph;
	enum cudaStreamCaptureStatus status;
	GOOD(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
	IS(cudaStreamIsCapturing(0, &status), cudaErrorStreamCaptureImplicit);
	GOOD(cudaStreamIsCapturing(blocking, &status)); // a question spoils nothing
	TRUE(status == cudaStreamCaptureStatusActive);
	add<<<1, N>>>(p, 1);
	IS(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
	IS(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
	GOOD(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
	IS(cudaMemcpy(p, p, 4, cudaMemcpyDeviceToDevice), cudaErrorStreamCaptureImplicit);
	IS(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
	GOOD(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
	cudaGetLastError();
	add<<<1, N>>>(p, 1); // no order with a stream that does not block
	GOOD(cudaGetLastError());
	GOOD(cudaStreamEndCapture(other, &graph));
	TRUE(fetch(p, 0) == 1);
	return 0;
}
static int captured_events()
{
	int *p = zeros();
	cudaStream_t a = new_stream(), b = new_stream();
	cudaEvent_t event, outside, timed;
	cudaGraph_t graph;
	float ms;
	GOOD(cudaEventCreate(&event));
	GOOD(cudaEventCreate(&outside));
	GOOD(cudaEventCreate(&timed));
	GOOD(cudaEventRecord(outside, b));
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	add<<<1, N, 0, a>>>(p, 1);
	GOOD(cudaEventRecord(event, a));
	IS(cudaEventSynchronize(event), cudaErrorCapturedEvent);
	IS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
	IS(cudaEventQuery(event), cudaErrorCapturedEvent); // until it is recorded again
	IS(cudaEventElapsedTime(&ms, outside, event), cudaErrorCapturedEvent);
	IS(cudaStreamWaitEvent(b, event, 0), cudaErrorCapturedEvent);
	GOOD(cudaEventRecord(event, b));
	GOOD(cudaEventSynchronize(event));
	// A capture waits for nothing outside of it.
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	GOOD(cudaStreamWaitEvent(a, timed, 0)); // never recorded: nothing to wait for
	IS(cudaStreamWaitEvent(a, outside, 0), cudaErrorStreamCaptureIsolation);
	IS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
	// Two captures are not joined.
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	GOOD(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
	GOOD(cudaEventRecord(event, a));
	IS(cudaStreamWaitEvent(b, event, 0), cudaErrorStreamCaptureMerge);
	IS(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
	IS(cudaStreamEndCapture(b, &graph), cudaErrorStreamCaptureInvalidated);
	return 0;
}
static int external_events()
{
	int *p = zeros();
	cudaStream_t a = new_stream(), b = new_stream();
	cudaEvent_t before, after;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	enum cudaGraphNodeType kind;
	GOOD(cudaEventCreate(&before));
	GOOD(cudaEventCreate(&after));
	IS(cudaEventRecordWithFlags(after, a, cudaEventRecordExternal), cudaErrorInvalidValue);
	GOOD(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	GOOD(cudaStreamWaitEvent(a, before, cudaEventWaitExternal));
	scale<<<1, N, 0, a>>>(p, 10);
	GOOD(cudaEventRecordWithFlags(after, a, cudaEventRecordExternal));
	GOOD(cudaStreamEndCapture(a, &graph));
	cudaGraphNode_t nodes[3];
	size_t n = 3;
	GOOD(cudaGraphGetNodes(graph, nodes, &n));
	GOOD(cudaGraphNodeGetType(nodes[0], &kind));
	TRUE(n == 3 && kind == cudaGraphNodeTypeWaitEvent);
	GOOD(cudaGraphNodeGetType(nodes[2], &kind));
	TRUE(kind == cudaGraphNodeTypeEventRecord);
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	add<<<1, N, 0, b>>>(p, 4);
	GOOD(cudaEventRecord(before, b));
	GOOD(cudaGraphLaunch(exec, a));
	GOOD(cudaStreamWaitEvent(b, after, 0));
	add<<<1, N, 0, b>>>(p, 1);
	GOOD(cudaStreamSynchronize(b));
	TRUE(fetch(p, 0) == 41);
	return 0;
}
static int into_a_graph()
{
	int *p = zeros();
	cudaStream_t stream = new_stream();
	cudaGraph_t graph, same, asked;
	cudaGraphNode_t first, second, list[4];
	const cudaGraphNode_t *needs;
	enum cudaStreamCaptureStatus status;
	size_t n = 0;
	unsigned long long id;
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
	GOOD(cudaGraphAddEmptyNode(&second, graph, nullptr, 0));
	IS(cudaStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal), cudaErrorInvalidValue);
	GOOD(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
	IS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
	GOOD(INFO(stream, &status, &id, &asked, &needs, &n));
	TRUE(asked == graph && n == 1 && needs[0] == first);
	GOOD(UPDATE(stream, &second, 1, cudaStreamAddCaptureDependencies));
	IS(UPDATE(stream, &second, 1, 9), cudaErrorInvalidValue);
	add<<<1, N, 0, stream>>>(p, 1);
	GOOD(INFO(stream, &status, &id, &asked, &needs, &n));
	TRUE(n == 1 && needs[0] != first);
	cudaGraphNode_t kernel = needs[0];
	GOOD(cudaStreamEndCapture(stream, &same));
	TRUE(same == graph);
	n = 4;
	GOOD(NEEDS(kernel, list, &n));
	TRUE(n == 2 && list[0] == first && list[1] == second);
	IS(UPDATE(stream, &second, 1, 0), cudaErrorIllegalState);
	return 0;
}
static int memory_in_a_capture()
{
	int *p, host[N] = {}, *own;
	cudaStream_t stream = new_stream();
	cudaGraph_t graph;
	GOOD(cudaMalloc(&own, 4));
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	GOOD(cudaMallocAsync(&p, sizeof host, stream));
	GOOD(cudaMemsetAsync(p, 1, sizeof host, stream));
	add<<<1, N, 0, stream>>>(p, 1);
	GOOD(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
	GOOD(cudaFreeAsync(p, stream));
	IS(cudaFreeAsync(own, stream), cudaErrorInvalidValue); // not of a graph
	GOOD(cudaStreamEndCapture(stream, &graph));
	size_t n;
	GOOD(cudaGraphGetNodes(graph, nullptr, &n));
	TRUE(n == 5);
	if (launch(graph) || launch(graph))
		return 1;
	TRUE(host[9] == 0x01010102);
	return 0;
}
static int planes_and_boxes()
{
	int host[4][4], back[4][4] = {};
	cudaPitchedPtr device;
	cudaStream_t stream = new_stream();
	cudaGraph_t graph;
	for (int i = 0; i < 16; i++)
		host[i / 4][i % 4] = i;
	GOOD(cudaMalloc3D(&device, make_cudaExtent(16, 4, 2)));
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	GOOD(cudaMemset3DAsync(device, 255, make_cudaExtent(16, 4, 2), stream));
	GOOD(cudaMemset3DAsync(device, 1, make_cudaExtent(8, 2, 2), stream));
	GOOD(cudaMemcpy2DAsync((char *)device.ptr + 8, device.pitch, host, 16, 8, 4, cudaMemcpyHostToDevice, stream));
	GOOD(cudaMemcpy2DAsync(back, 16, device.ptr, device.pitch, 16, 4, cudaMemcpyDeviceToHost, stream));
	GOOD(cudaStreamEndCapture(stream, &graph));
	if (launch(graph))
		return 1;
	TRUE(back[0][0] == 0x01010101 && back[1][1] == 0x01010101 && back[2][0] == -1 && back[0][2] == 0 && back[3][3] == 13);
	return 0;
}
static int a_graph_in_a_capture()
{
	int *p = zeros();
	cudaStream_t stream = new_stream();
	cudaGraph_t inner, outer;
	cudaGraphExec_t exec;
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add<<<1, N, 0, stream>>>(p, 1);
	GOOD(cudaStreamEndCapture(stream, &inner));
	GOOD(cudaGraphInstantiate(&exec, inner, 0));
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	GOOD(cudaGraphLaunch(exec, stream));
	scale<<<1, N, 0, stream>>>(p, 3);
	GOOD(cudaGraphLaunch(exec, stream));
	GOOD(cudaStreamEndCapture(stream, &outer));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaGraphDestroy(inner));
	size_t n;
	GOOD(cudaGraphGetNodes(outer, nullptr, &n));
	TRUE(n == 3);
	if (launch(outer))
		return 1;
	TRUE(fetch(p, 0) == 4);
	return 0;
}
// A kernel of a capture can be changed as one that was added can be.
static int parameters_of_what_was_captured()
{
	int *p = zeros(), value = 50;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaKernelNodeParams params;
	cudaKernelNodeAttrValue attribute;
	size_t n = 1;
	GOOD(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2));
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add<<<1, N, 0, stream>>>(p, 1);
	GOOD(cudaStreamEndCapture(stream, &graph));
	GOOD(cudaGraphGetNodes(graph, &node, &n));
	GOOD(cudaGraphKernelNodeGetParams(node, &params));
	TRUE(params.func == (void *)add && params.blockDim.x == N && *(int *)params.kernelParams[1] == 1);
	GOOD(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &attribute));
	TRUE(attribute.priority == -2);
	GOOD(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
	params.kernelParams[1] = &value;
	GOOD(cudaGraphExecKernelNodeSetParams(exec, node, &params));
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(p, 0) == 50);
	return 0;
}
static int a_reset_ends_captures()
{
	int *p = zeros();
	cudaStream_t stream = new_stream(cudaStreamDefault);
	GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add<<<1, N, 0, stream>>>(p, 1);
	GOOD(cudaDeviceReset());
	p = zeros();
	add<<<1, N>>>(p, 1);
	GOOD(cudaDeviceSynchronize());
	TRUE(fetch(p, 0) == 1);
	return 0;
}

static const corner cases[] = {
    CASE(work_of_a_stream),
    CASE(fork_and_join),
    CASE(unjoined_work),
    CASE(ends_in_the_wrong_place),
    CASE(what_makes_a_capture_invalid),
    CASE(modes),
    CASE(the_legacy_stream),
    CASE(captured_events),
    CASE(external_events),
    CASE(into_a_graph),
    CASE(memory_in_a_capture),
    CASE(planes_and_boxes),
    CASE(a_graph_in_a_capture),
    CASE(parameters_of_what_was_captured),
    CASE(a_reset_ends_captures),
};

int main(int argc, char **argv) { return corners(argc, argv, cases); }

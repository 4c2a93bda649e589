// Corners of graphs that a program makes node by node, a case each.
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include "corners.h"

// Version 13 has the data of edges in the functions without a suffix.
#if CUDART_VERSION >= 13000
#define CONNECT(graph, from, to, n) cudaGraphAddDependencies(graph, from, to, nullptr, n)
#define DISCONNECT(graph, from, to, n) cudaGraphRemoveDependencies(graph, from, to, nullptr, n)
#define EDGES(graph, from, to, n) cudaGraphGetEdges(graph, from, to, nullptr, n)
#define NEEDS(node, nodes, n) cudaGraphNodeGetDependencies(node, nodes, nullptr, n)
#define NEEDED_BY(node, nodes, n) cudaGraphNodeGetDependentNodes(node, nodes, nullptr, n)
#define ADD_NODE(node, graph, needs, n, params) cudaGraphAddNode(node, graph, needs, nullptr, n, params)
#define COPY_ATTRIBUTES(to, from) cudaGraphKernelNodeCopyAttributes(to, from)
#else
#define CONNECT cudaGraphAddDependencies
#define DISCONNECT cudaGraphRemoveDependencies
#define EDGES cudaGraphGetEdges
#define NEEDS cudaGraphNodeGetDependencies
#define NEEDED_BY cudaGraphNodeGetDependentNodes
#define ADD_NODE cudaGraphAddNode
#define COPY_ATTRIBUTES(to, from) cudaGraphKernelNodeCopyAttributes(from, to)
#endif

enum { N = 64 };
__device__ int symbol[4] = {1, 2, 3, 4};
__global__ void add(int *p, int value) { p[threadIdx.x] += value; }
__global__ void scale(int *p, int by) { p[threadIdx.x] *= by; }
__global__ void copy_out(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }

// The parameters of a kernel node, with memory that lasts as long as the call.
struct kernel_params {
	void *arguments[2];
	cudaKernelNodeParams p;
	template <class A, class B> kernel_params(const void *func, A *a, B *b, unsigned threads = N)
	{
		arguments[0] = a;
		arguments[1] = b;
		p = {};
		p.func = (void *)func;
		p.gridDim = dim3(1);
		p.blockDim = dim3(threads);
		p.kernelParams = arguments;
	}
};

static int fetch(const int *p, int at)
{
	int value = -1;
	cudaMemcpy(&value, p + at, sizeof value, cudaMemcpyDeviceToHost);
	return value;
}

static void count(void *data) { ++*(int *)data; }

// Memory, a fill, two kernels in an order, a copy to the host and a function of the host.
static int a_graph()
{
	int *p, value = 3, by = 5, host[N] = {}, called = 0;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t fill, first, second, back, call;
	GOOD(cudaMalloc(&p, sizeof host));
	GOOD(cudaGraphCreate(&graph, 0));
	cudaMemsetParams zero = {p, 0, 0, 4, N, 1};
	kernel_params one((const void *)add, &p, &value), two((const void *)scale, &p, &by);
	GOOD(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
	GOOD(cudaGraphAddKernelNode(&first, graph, &fill, 1, &one.p));
	GOOD(cudaGraphAddKernelNode(&second, graph, &first, 1, &two.p));
	value = by = 0; // the values were taken
	GOOD(cudaGraphAddMemcpyNode1D(&back, graph, &second, 1, host, p, sizeof host, cudaMemcpyDeviceToHost));
	cudaHostNodeParams told = {count, &called};
	GOOD(cudaGraphAddHostNode(&call, graph, &back, 1, &told));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	TRUE(host[7] == 0 && called == 0);
	for (int i = 1; i <= 3; i++) {
		GOOD(cudaGraphLaunch(exec, 0));
		GOOD(cudaStreamSynchronize(0));
		TRUE(host[0] == 15 && host[N - 1] == 15 && called == i);
	}
	GOOD(cudaGraphDestroy(graph)); // the executable graph needs it no more
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(called == 4);
	GOOD(cudaGraphExecDestroy(exec));
	IS(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
	IS(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
	IS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
	return 0;
}
// The order is that of edges, not that in which nodes are added.
static int order_by_edges()
{
	int *p, value = 3, by = 5;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t first, second;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaMemset(p, 0, N * 4));
	GOOD(cudaGraphCreate(&graph, 0));
	kernel_params plus((const void *)add, &p, &value), times((const void *)scale, &p, &by);
	GOOD(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &times.p));
	GOOD(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &plus.p));
	GOOD(CONNECT(graph, &first, &second, 1));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(p, 1) == 15);
	return 0;
}
static int edges_and_lists()
{
	cudaGraph_t graph, other;
	cudaGraphNode_t node[4], more, from[8], to[8], list[8];
	size_t n;
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphCreate(&other, 0));
	IS(cudaGraphCreate(&other, 1), cudaErrorInvalidValue);
	GOOD(cudaGraphAddEmptyNode(&more, other, nullptr, 0));
	for (auto &one : node)
		GOOD(cudaGraphAddEmptyNode(&one, graph, nullptr, 0));
	cudaGraphNode_t a[] = {node[0], node[0], node[1], node[2]}, b[] = {node[1], node[2], node[3], node[3]};
	GOOD(CONNECT(graph, a, b, 4));
	IS(CONNECT(graph, a, b, 1), cudaErrorInvalidValue);                  // there already
	IS(CONNECT(graph, &node[0], &more, 1), cudaErrorInvalidValue);       // of another graph
	IS(CONNECT(graph, &node[0], &node[0], 1), cudaErrorInvalidValue);    // with itself
	IS(cudaGraphAddEmptyNode(&more, graph, a, 2), cudaErrorInvalidValue); // twice the same
	GOOD(cudaGraphGetNodes(graph, nullptr, &n));
	TRUE(n == 4);
	n = 8;
	list[4] = node[0];
	GOOD(cudaGraphGetNodes(graph, list, &n));
	TRUE(n == 4 && list[3] == node[3] && !list[4]);
	n = 8;
	GOOD(cudaGraphGetRootNodes(graph, list, &n));
	TRUE(n == 1 && list[0] == node[0]);
	n = 2;
	GOOD(EDGES(graph, from, to, &n));
	TRUE(n == 2);
	n = 8;
	GOOD(EDGES(graph, from, to, &n));
	TRUE(n == 4 && !from[4] && !to[7]);
	IS(EDGES(graph, from, nullptr, &n), cudaErrorInvalidValue);
	n = 8;
	GOOD(NEEDS(node[3], list, &n));
	TRUE(n == 2 && list[0] == node[1] && list[1] == node[2]);
	n = 8;
	GOOD(NEEDED_BY(node[0], list, &n));
	TRUE(n == 2 && list[0] == node[1] && list[1] == node[2]);
	GOOD(DISCONNECT(graph, a, b, 1));
	IS(DISCONNECT(graph, a, b, 1), cudaErrorInvalidValue);
	GOOD(cudaGraphDestroyNode(node[2]));
	IS(cudaGraphDestroyNode(node[2]), cudaErrorInvalidValue);
	GOOD(EDGES(graph, nullptr, nullptr, &n));
	TRUE(n == 1);
	enum cudaGraphNodeType kind;
	GOOD(cudaGraphNodeGetType(node[3], &kind));
	TRUE(kind == cudaGraphNodeTypeEmpty);
	IS(cudaGraphNodeGetType(node[2], &kind), cudaErrorInvalidValue);
	return 0;
}
static int a_cycle()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t a, b, free_one;
	cudaGraphInstantiateParams params = {};
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddEmptyNode(&free_one, graph, nullptr, 0));
	GOOD(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
	GOOD(cudaGraphAddEmptyNode(&b, graph, &a, 1));
	GOOD(CONNECT(graph, &b, &a, 1));
	IS(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
	IS(cudaGraphInstantiateWithParams(&exec, graph, &params), cudaErrorInvalidValue);
	TRUE(params.result_out == cudaGraphInstantiateInvalidStructure && (params.errNode_out == a || params.errNode_out == b));
	GOOD(DISCONNECT(graph, &b, &a, 1));
	GOOD(cudaGraphInstantiateWithParams(&exec, graph, &params));
	TRUE(params.result_out == cudaGraphInstantiateSuccess && !params.errNode_out);
	params.flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
	params.uploadStream = (cudaStream_t)&graph;
	params.errNode_out = a;
	IS(cudaGraphInstantiateWithParams(&exec, graph, &params), cudaErrorInvalidResourceHandle);
	TRUE(params.result_out == cudaGraphInstantiateError && !params.errNode_out);
	params.uploadStream = nullptr;
	GOOD(cudaGraphInstantiateWithParams(&exec, graph, &params));
	unsigned long long flags = 7;
	GOOD(cudaGraphExecGetFlags(exec, &flags));
	TRUE(flags == cudaGraphInstantiateFlagUseNodePriority);
	IS(cudaGraphUpload(exec, (cudaStream_t)&graph), cudaErrorInvalidResourceHandle);
	IS(cudaGraphUpload(nullptr, (cudaStream_t)&graph), cudaErrorInvalidResourceHandle);
	IS(cudaGraphLaunch(exec, (cudaStream_t)&graph), cudaErrorInvalidResourceHandle);
	IS(cudaGraphInstantiate(&exec, graph, 16), cudaErrorInvalidValue);
	IS(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch), cudaErrorNotSupported);
	flags = 7;
	GOOD(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
	GOOD(cudaGraphExecGetFlags(exec, &flags));
	TRUE(flags == cudaGraphInstantiateFlagUseNodePriority);
	return 0;
}
static int parameters()
{
	int *p, value = 3, other = 4;
	cudaGraph_t graph;
	cudaGraphNode_t kernel, fill, copy, call, event_node;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaGraphCreate(&graph, 0));
	kernel_params plus((const void *)add, &p, &value), again((const void *)add, &p, &other, 32), none((const void *)&value, &p, &value);
	GOOD(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &plus.p));
	IS(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &none.p), cudaErrorInvalidDeviceFunction);
	kernel_params large((const void *)add, &p, &value, 5000);
	TRUE(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &large.p) != cudaSuccess);
	cudaKernelNodeParams got;
	GOOD(cudaGraphKernelNodeGetParams(kernel, &got));
	TRUE(got.func == (void *)add && got.blockDim.x == N && *(int *)got.kernelParams[1] == 3 && *(int **)got.kernelParams[0] == p && !got.extra);
	GOOD(cudaGraphKernelNodeSetParams(kernel, &again.p));
	GOOD(cudaGraphKernelNodeGetParams(kernel, &got));
	TRUE(got.blockDim.x == 32 && *(int *)got.kernelParams[1] == 4);
	cudaMemsetParams zero = {p, 0, 7, 4, N, 1}, set = {};
	GOOD(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
	GOOD(cudaGraphMemsetNodeGetParams(fill, &set));
	TRUE(set.dst == p && set.value == 7 && set.width == N && set.elementSize == 4);
	zero.elementSize = 3;
	IS(cudaGraphMemsetNodeSetParams(fill, &zero), cudaErrorInvalidValue);
	IS(cudaGraphMemsetNodeGetParams(kernel, &set), cudaErrorInvalidValue);
	GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, &value, p, 4, cudaMemcpyDeviceToHost));
	cudaMemcpy3DParms box;
	GOOD(cudaGraphMemcpyNodeGetParams(copy, &box));
	TRUE(box.srcPtr.ptr == p && box.dstPtr.ptr == &value && box.extent.width == 4 && box.extent.height == 1 && box.kind == cudaMemcpyDeviceToHost);
	IS(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, &value, p, N * 4 + 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
	cudaHostNodeParams told = {count, &value}, asked = {}, nobody = {};
	GOOD(cudaGraphAddHostNode(&call, graph, nullptr, 0, &told));
	GOOD(cudaGraphHostNodeGetParams(call, &asked));
	TRUE(asked.fn == count && asked.userData == &value);
	IS(cudaGraphAddHostNode(&call, graph, nullptr, 0, &nobody), cudaErrorInvalidValue);
	cudaEvent_t event, got_event;
	GOOD(cudaEventCreate(&event));
	GOOD(cudaGraphAddEventRecordNode(&event_node, graph, nullptr, 0, event));
	GOOD(cudaGraphEventRecordNodeGetEvent(event_node, &got_event));
	TRUE(got_event == event);
	IS(cudaGraphEventWaitNodeGetEvent(event_node, &got_event), cudaErrorInvalidValue);
	cudaKernelNodeAttrValue attribute = {};
	attribute.priority = -1;
	GOOD(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &attribute));
	attribute.priority = 0;
	GOOD(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &attribute));
	TRUE(attribute.priority == -1);
	cudaKernelNodeAttrValue cluster = {};
	cluster.clusterDim = {1, 1, 1};
	GOOD(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeClusterDimension, &cluster));
	cluster.clusterDim.z = 2;
	IS(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeClusterDimension, &cluster), cudaErrorNotSupported);
	cudaGraphNode_t last;
	GOOD(cudaGraphAddKernelNode(&last, graph, nullptr, 0, &plus.p));
	GOOD(COPY_ATTRIBUTES(last, kernel));
	attribute.priority = 0;
	GOOD(cudaGraphKernelNodeGetAttribute(last, cudaLaunchAttributePriority, &attribute));
	TRUE(attribute.priority == -1);
	return 0;
}
// A copy of part of a box: both sides have positions.
static int copies_of_boxes()
{
	int host[3][4], back[3][4] = {}, *p;
	for (int i = 0; i < 12; i++)
		host[i / 4][i % 4] = i;
	cudaPitchedPtr device;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t in, out;
	GOOD(cudaMalloc3D(&device, make_cudaExtent(16, 3, 1)));
	p = (int *)device.ptr;
	(void)p;
	GOOD(cudaGraphCreate(&graph, 0));
	cudaMemcpy3DParms to = {}, from = {}, got;
	to.srcPtr = make_cudaPitchedPtr(host, 16, 16, 3);
	to.dstPtr = device;
	to.extent = make_cudaExtent(16, 3, 1);
	to.kind = cudaMemcpyHostToDevice;
	from.srcPtr = device;
	from.srcPos = make_cudaPos(4, 1, 0);
	from.dstPtr = make_cudaPitchedPtr(back, 16, 16, 3);
	from.extent = make_cudaExtent(8, 2, 1);
	from.kind = cudaMemcpyDeviceToHost;
	GOOD(cudaGraphAddMemcpyNode(&in, graph, nullptr, 0, &to));
	GOOD(cudaGraphAddMemcpyNode(&out, graph, &in, 1, &from));
	GOOD(cudaGraphMemcpyNodeGetParams(out, &got));
	TRUE(got.srcPos.x == 4 && got.srcPos.y == 1 && got.srcPtr.ptr == device.ptr);
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(back[0][0] == 5 && back[0][1] == 6 && back[1][0] == 9 && back[1][1] == 10 && back[2][0] == 0);
	IS(cudaGraphExecMemcpyNodeSetParams(exec, out, &from), cudaErrorInvalidValue); // not of one row
	return 0;
}
static int copies_of_symbols()
{
	int host[2] = {7, 8}, back[4] = {};
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t in, out;
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, symbol, host, 8, 4, cudaMemcpyHostToDevice));
	GOOD(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, back, symbol, 16, 0, cudaMemcpyDeviceToHost));
	IS(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, symbol, host, 8, 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	IS(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, symbol, host, 8, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
	IS(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, host, host, 8, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(back[0] == 1 && back[1] == 7 && back[2] == 8 && back[3] == 4);
	host[0] = 70;
	GOOD(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, in, symbol, host, 4, 0, cudaMemcpyHostToDevice));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(back[0] == 70 && back[1] == 7);
	return 0;
}
static int changes_of_executable_graphs()
{
	int *p, *q, value = 3, other = 30, host[N] = {};
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t kernel, back, fill, call;
	int called = 0, called_too = 0;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaMalloc(&q, N * 4));
	GOOD(cudaMemset(q, 0, N * 4));
	GOOD(cudaGraphCreate(&graph, 0));
	cudaMemsetParams one = {p, 0, 1, 4, N, 1};
	kernel_params plus((const void *)add, &p, &value), more((const void *)add, &p, &other), elsewhere((const void *)add, &q, &other);
	GOOD(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &one));
	GOOD(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &plus.p));
	GOOD(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, host, p, N * 4, cudaMemcpyDeviceToHost));
	cudaHostNodeParams told = {count, &called}, too = {count, &called_too};
	GOOD(cudaGraphAddHostNode(&call, graph, &back, 1, &told));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphExecKernelNodeSetParams(exec, kernel, &more.p));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(host[3] == 31);
	cudaKernelNodeParams got;
	GOOD(cudaGraphKernelNodeGetParams(kernel, &got)); // the node itself stays as it is
	TRUE(*(int *)got.kernelParams[1] == 3);
	GOOD(cudaGraphExecKernelNodeSetParams(exec, kernel, &elsewhere.p));
	one.value = 2;
	GOOD(cudaGraphExecMemsetNodeSetParams(exec, fill, &one));
	GOOD(cudaGraphExecHostNodeSetParams(exec, call, &too));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(host[3] == 2 && fetch(q, 3) == 30 && called == 1 && called_too == 1);
	GOOD(cudaGraphExecMemcpyNodeSetParams1D(exec, back, host, q, N * 4, cudaMemcpyDeviceToHost));
	IS(cudaGraphExecMemcpyNodeSetParams1D(exec, back, p, q, N * 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue); // another kind of memory
	one.width = 0;
	IS(cudaGraphExecMemsetNodeSetParams(exec, fill, &one), cudaErrorInvalidValue);
	IS(cudaGraphExecKernelNodeSetParams(exec, fill, &more.p), cudaErrorInvalidValue);
	unsigned enabled = 7;
	GOOD(cudaGraphNodeGetEnabled(exec, kernel, &enabled));
	TRUE(enabled == 1);
	GOOD(cudaGraphNodeSetEnabled(exec, kernel, 0));
	GOOD(cudaGraphNodeGetEnabled(exec, kernel, &enabled));
	TRUE(enabled == 0);
	IS(cudaGraphNodeSetEnabled(exec, call, 0), cudaErrorInvalidValue);
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(host[3] == 30);
	GOOD(cudaGraphNodeSetEnabled(exec, kernel, 1));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaDeviceSynchronize());
	TRUE(host[3] == 60);
	return 0;
}
static int build(cudaGraph_t *graph, int *p, int value, bool more, cudaGraphNode_t *last)
{
	kernel_params plus((const void *)add, &p, &value);
	cudaGraphNode_t first;
	GOOD(cudaGraphCreate(graph, 0));
	GOOD(cudaGraphAddKernelNode(&first, *graph, nullptr, 0, &plus.p));
	GOOD(cudaGraphAddKernelNode(last, *graph, more ? nullptr : &first, more ? 0 : 1, &plus.p));
	return 0;
}
static int updates()
{
	int *p;
	cudaGraph_t graph, same, looser, kinds, longer;
	cudaGraphExec_t exec;
	cudaGraphNode_t node, last, extra;
	cudaGraphExecUpdateResultInfo info;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaMemset(p, 0, N * 4));
	if (build(&graph, p, 1, false, &node) || build(&same, p, 10, false, &node) || build(&looser, p, 1, true, &last) || build(&longer, p, 1, false, &node))
		return 1;
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphExecUpdate(exec, same, &info));
	TRUE(info.result == cudaGraphExecUpdateSuccess && !info.errorNode);
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(p, 0) == 20);
	IS(cudaGraphExecUpdate(exec, looser, &info), cudaErrorGraphExecUpdateFailure);
	TRUE(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == last);
	GOOD(cudaGraphAddEmptyNode(&extra, longer, nullptr, 0));
	IS(cudaGraphExecUpdate(exec, longer, &info), cudaErrorGraphExecUpdateFailure);
	TRUE(info.result == cudaGraphExecUpdateErrorTopologyChanged && !info.errorNode);
	GOOD(cudaGraphCreate(&kinds, 0));
	GOOD(cudaGraphAddEmptyNode(&node, kinds, nullptr, 0));
	GOOD(cudaGraphAddEmptyNode(&last, kinds, &node, 1));
	IS(cudaGraphExecUpdate(exec, kinds, &info), cudaErrorGraphExecUpdateFailure);
	TRUE(info.result == cudaGraphExecUpdateErrorNodeTypeChanged && info.errorNode == node);
	IS(cudaGraphExecUpdate(exec, nullptr, &info), cudaErrorInvalidValue);
	TRUE(info.result == cudaGraphExecUpdateError);
	GOOD(cudaGraphLaunch(exec, 0)); // as it was
	TRUE(fetch(p, 0) == 40);
	return 0;
}
static int children()
{
	int *p, value = 3, by = 2;
	cudaGraph_t child, graph, inner, clone;
	cudaGraphExec_t exec;
	cudaGraphNode_t plus_node, times_node, node, in_clone;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaMemset(p, 0, N * 4));
	GOOD(cudaGraphCreate(&child, 0));
	GOOD(cudaGraphCreate(&graph, 0));
	kernel_params plus((const void *)add, &p, &value), times((const void *)scale, &p, &by);
	GOOD(cudaGraphAddKernelNode(&plus_node, child, nullptr, 0, &plus.p));
	GOOD(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
	GOOD(cudaGraphAddKernelNode(&times_node, graph, &node, 1, &times.p));
	GOOD(cudaGraphAddChildGraphNode(&node, graph, &times_node, 1, child));
	GOOD(cudaGraphDestroy(child)); // it was copied
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(p, 5) == 9);
	GOOD(cudaGraphChildGraphNodeGetGraph(node, &inner));
	IS(cudaGraphDestroy(inner), cudaErrorInvalidValue);
	IS(cudaGraphInstantiate(&exec, inner, 0), cudaErrorInvalidValue);
	size_t n = 1;
	cudaGraphNode_t inside;
	GOOD(cudaGraphGetNodes(inner, &inside, &n));
	value = 100;
	GOOD(cudaGraphExecKernelNodeSetParams(exec, inside, &plus.p));
	GOOD(cudaMemset(p, 0, N * 4));
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(p, 5) == 106);
	GOOD(cudaGraphClone(&clone, graph));
	GOOD(cudaGraphNodeFindInClone(&in_clone, times_node, clone));
	TRUE(in_clone != times_node);
	IS(cudaGraphNodeFindInClone(&in_clone, times_node, graph), cudaErrorInvalidValue);
	GOOD(cudaGraphDestroy(graph));
	GOOD(cudaGraphInstantiate(&exec, clone, 0));
	GOOD(cudaMemset(p, 0, N * 4));
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(p, 5) == 9);
	// A child whose ownership moves.
	cudaGraph_t moved;
	GOOD(cudaGraphCreate(&moved, 0));
	cudaGraphNodeParams any = {};
	any.type = cudaGraphNodeTypeGraph;
	any.graph.graph = moved;
#if CUDART_VERSION >= 12090 || !defined(__NVCC__)
	any.graph.ownership = (enum cudaGraphChildGraphNodeOwnership)2;
	IS(ADD_NODE(&node, clone, nullptr, 0, &any), cudaErrorInvalidValue);
	any.graph.ownership = cudaGraphChildGraphOwnershipMove;
	GOOD(ADD_NODE(&node, clone, nullptr, 0, &any));
	TRUE(any.graph.graph == moved);
	IS(cudaGraphDestroy(moved), cudaErrorInvalidValue);
	IS(ADD_NODE(&node, clone, nullptr, 0, &any), cudaErrorInvalidValue);
#endif
	return 0;
}
// A child is inside of itself only as a copy, and graphs in graphs have an end.
static int graphs_in_graphs()
{
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaError_t error = cudaSuccess;
	int depth = 0;
	GOOD(cudaGraphCreate(&graph, 0));
	while (error == cudaSuccess && depth < 10000) {
		cudaGraph_t outer;
		GOOD(cudaGraphCreate(&outer, 0));
		error = cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, graph);
		graph = outer;
		depth++;
	}
	TRUE(error == cudaErrorInvalidValue && depth > 32 && depth < 200);
	return 0;
}
static int events_in_graphs()
{
	int *p, value = 1;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t begin, kernel, end, wait;
	cudaEvent_t first, last, outside;
	cudaStream_t stream, other;
	float ms = -1;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaMemset(p, 0, N * 4));
	GOOD(cudaDeviceSynchronize());
	GOOD(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	GOOD(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	GOOD(cudaEventCreate(&first));
	GOOD(cudaEventCreate(&last));
	GOOD(cudaEventCreate(&outside));
	GOOD(cudaGraphCreate(&graph, 0));
	kernel_params plus((const void *)add, &p, &value);
	GOOD(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, outside));
	GOOD(cudaGraphAddEventRecordNode(&begin, graph, &wait, 1, first));
	GOOD(cudaGraphAddKernelNode(&kernel, graph, &begin, 1, &plus.p));
	GOOD(cudaGraphAddEventRecordNode(&end, graph, &kernel, 1, last));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	add<<<1, N, 0, other>>>(p, 10);
	GOOD(cudaEventRecord(outside, other));
	GOOD(cudaGraphLaunch(exec, stream));
	GOOD(cudaEventSynchronize(last));
	GOOD(cudaEventElapsedTime(&ms, first, last));
	TRUE(ms > 0 && fetch(p, 0) == 11);
	GOOD(cudaGraphExecEventRecordNodeSetEvent(exec, end, outside));
	GOOD(cudaGraphLaunch(exec, stream));
	GOOD(cudaEventSynchronize(outside));
	GOOD(cudaEventElapsedTime(&ms, first, outside));
	GOOD(cudaEventDestroy(first)); // the graphs keep theirs
	GOOD(cudaEventDestroy(outside));
	GOOD(cudaGraphLaunch(exec, stream));
	GOOD(cudaStreamSynchronize(stream));
	TRUE(fetch(p, 0) == 13);
	return 0;
}
// Launches of one executable graph follow each other, in whatever streams.
static int launches_in_two_streams()
{
	int *p, value = 1, by = 2;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t a, b;
	cudaStream_t streams[2];
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaMemset(p, 0, N * 4));
	GOOD(cudaDeviceSynchronize());
	for (auto &one : streams)
		GOOD(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	GOOD(cudaGraphCreate(&graph, 0));
	kernel_params plus((const void *)add, &p, &value), times((const void *)scale, &p, &by);
	GOOD(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &plus.p));
	GOOD(cudaGraphAddKernelNode(&b, graph, &a, 1, &times.p));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphUpload(exec, streams[0]));
	GOOD(cudaGraphLaunch(exec, streams[0])); // (0 + 1) * 2
	value = 10;
	GOOD(cudaGraphExecKernelNodeSetParams(exec, a, &plus.p));
	GOOD(cudaGraphLaunch(exec, streams[1])); // (2 + 10) * 2
	GOOD(cudaStreamSynchronize(streams[1]));
	TRUE(fetch(p, 9) == 24);
	for (int i = 0; i < 3; i++)
		GOOD(cudaGraphLaunch(exec, streams[i % 2]));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaDeviceSynchronize());
	TRUE(fetch(p, 9) == 332);
	return 0;
}
static int memory_of_graphs()
{
	int *p, value = 3, *out;
	cudaGraph_t graph, other;
	cudaGraphExec_t exec, second;
	cudaGraphNode_t alloc, fill, kernel, copy, release;
	GOOD(cudaMalloc(&out, N * 4));
	GOOD(cudaGraphCreate(&graph, 0));
	cudaMemAllocNodeParams memory = {};
	memory.poolProps.allocType = cudaMemAllocationTypePinned;
	memory.poolProps.location.type = cudaMemLocationTypeDevice;
	memory.bytesize = N * 4;
	GOOD(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &memory));
	p = (int *)memory.dptr;
	TRUE(p);
	cudaMemsetParams zero = {p, 0, 4, 4, N, 1};
	kernel_params plus((const void *)add, &p, &value), take((const void *)copy_out, &out, &p);
	GOOD(cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &zero));
	GOOD(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &plus.p));
	GOOD(cudaGraphAddKernelNode(&copy, graph, &kernel, 1, &take.p));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	IS(cudaGraphInstantiate(&second, graph, 0), cudaErrorInvalidValue); // one alone
	IS(cudaGraphClone(&other, graph), cudaErrorNotSupported);
	IS(cudaGraphDestroyNode(copy), cudaErrorInvalidValue);
	IS(cudaFree(p), cudaErrorInvalidValue); // nothing has allocated it
	GOOD(cudaGraphLaunch(exec, 0));
	IS(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue); // still allocated
	TRUE(fetch(out, 2) == 7);
	uint64_t used = 0, most = 0;
	GOOD(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	TRUE(used == N * 4);
	GOOD(cudaFreeAsync(p, 0));
	IS(cudaFreeAsync(p, 0), cudaErrorInvalidValue);
	GOOD(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	GOOD(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most));
	TRUE(used == 0 && most == N * 4);
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaFree(p));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaFree(p));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, p));
	cudaGraphNode_t twice;
	IS(cudaGraphAddMemFreeNode(&twice, graph, &copy, 1, p), cudaErrorInvalidValue);
	IS(cudaGraphAddMemFreeNode(&twice, graph, &copy, 1, out), cudaErrorInvalidValue);
	void *got = nullptr;
	GOOD(cudaGraphMemFreeNodeGetParams(release, &got));
	TRUE(got == p);
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(out, 2) == 7);
	GOOD(cudaGraphDestroy(graph));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaDeviceGraphMemTrim(0));
	GOOD(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
	TRUE(used == 0);
	// Another graph may free it, once, and the one that allocates it no more.
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphCreate(&other, 0));
	GOOD(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &memory));
	GOOD(cudaGraphAddMemFreeNode(&release, other, nullptr, 0, memory.dptr));
	IS(cudaGraphAddMemFreeNode(&twice, other, nullptr, 0, memory.dptr), cudaErrorInvalidValue);
	IS(cudaGraphAddMemFreeNode(&twice, graph, &alloc, 1, memory.dptr), cudaErrorInvalidValue);
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphInstantiate(&second, other, 0));
	IS(cudaGraphLaunch(second, 0), cudaErrorInvalidValue); // nothing has allocated it
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaGraphLaunch(second, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaGraphLaunch(second, 0));
	GOOD(cudaDeviceSynchronize());
	// A call that fails allocates nothing.
	memory.bytesize = (size_t)1 << 50;
	IS(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &memory), cudaErrorMemoryAllocation);
	TRUE(!memory.dptr);
	IS(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
	IS(ADD_NODE(&alloc, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
	used = 1;
	IS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used), cudaErrorInvalidValue);
	used = 0;
	GOOD(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
	return 0;
}
static int ended;
static void end_of_user(void *) { __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST); }
static int wait_for_ends(int n)
{
	for (int i = 0; i < 5000 && __atomic_load_n(&ended, __ATOMIC_SEQ_CST) < n; i++)
		usleep(1000);
	return __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
}
static int objects_of_the_program()
{
	cudaUserObject_t user;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int data = 0;
	IS(cudaUserObjectCreate(&user, &data, end_of_user, 1, 0), cudaErrorInvalidValue);
	GOOD(cudaUserObjectCreate(&user, &data, end_of_user, 1, cudaUserObjectNoDestructorSync));
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphRetainUserObject(graph, user, 1, cudaGraphUserObjectMove));
	IS(cudaGraphReleaseUserObject(graph, user, 2), cudaErrorInvalidValue);
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphDestroy(graph));
	TRUE(!ended);
	GOOD(cudaGraphLaunch(exec, 0));
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaDeviceSynchronize());
	TRUE(wait_for_ends(1) == 1);
	GOOD(cudaUserObjectCreate(&user, &data, end_of_user, 2, cudaUserObjectNoDestructorSync));
	GOOD(cudaUserObjectRetain(user, 1));
	GOOD(cudaUserObjectRelease(user, 3));
	TRUE(wait_for_ends(2) == 2);
	IS(cudaUserObjectRelease(user, 1), cudaErrorInvalidValue);
	return 0;
}
static int a_drawing()
{
	char path[] = "/tmp/heddle-graph-XXXXXX";
	int *p, value = 1;
	cudaGraph_t graph;
	cudaGraphNode_t a, b;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaGraphCreate(&graph, 0));
	kernel_params plus((const void *)add, &p, &value);
	GOOD(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &plus.p));
	GOOD(cudaGraphAddEmptyNode(&b, graph, &a, 1));
	int file = mkstemp(path);
	TRUE(file >= 0);
	close(file);
	GOOD(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
	std::string text;
	FILE *in = fopen(path, "r");
	for (int c; in && (c = fgetc(in)) != EOF;)
		text += (char)c;
	fclose(in);
	unlink(path);
	TRUE(text.find("digraph") == 0 && text.find("add") != std::string::npos && text.find("node_0\" -> \"graph_node_1\"") != std::string::npos);
	IS(cudaGraphDebugDotPrint(graph, "/nonexistent/folder/file", 0), cudaErrorOperatingSystem);
	IS(cudaGraphDebugDotPrint(graph, nullptr, 0), cudaErrorInvalidValue);
	return 0;
}
static int nodes_of_any_kind()
{
	int *p, value = 6;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node, fill;
	GOOD(cudaMalloc(&p, N * 4));
	GOOD(cudaGraphCreate(&graph, 0));
	cudaGraphNodeParams any = {};
	any.type = cudaGraphNodeTypeMemset;
	any.memset.dst = p;
	any.memset.elementSize = 4;
	any.memset.width = N;
	any.memset.height = 1;
	any.reserved2 = 1;
	IS(ADD_NODE(&fill, graph, nullptr, 0, &any), cudaErrorInvalidValue);
	any.reserved2 = 0;
	GOOD(ADD_NODE(&fill, graph, nullptr, 0, &any));
	any = {};
	any.type = cudaGraphNodeTypeMemcpy;
	any.memcpy.copyParams.srcPtr = any.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(p, 4, 4, 1);
	any.memcpy.copyParams.extent = make_cudaExtent(4, 1, 1);
	any.memcpy.copyParams.kind = cudaMemcpyDefault;
	any.memcpy.flags = 1;
	IS(ADD_NODE(&node, graph, nullptr, 0, &any), cudaErrorInvalidValue);
	any = {};
	any.type = cudaGraphNodeTypeKernel;
	void *arguments[] = {&p, &value};
	any.kernel.func = (void *)add;
	any.kernel.gridDim = dim3(1);
	any.kernel.blockDim = dim3(N);
	any.kernel.kernelParams = arguments;
	GOOD(ADD_NODE(&node, graph, &fill, 1, &any));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	value = 8;
	GOOD(cudaGraphExecNodeSetParams(exec, node, &any));
	GOOD(cudaGraphLaunch(exec, 0));
	TRUE(fetch(p, 0) == 8);
	any.reserved0[1] = 1;
	IS(cudaGraphNodeSetParams(node, &any), cudaErrorInvalidValue);
	any = {};
	any.type = cudaGraphNodeTypeConditional;
	IS(ADD_NODE(&node, graph, nullptr, 0, &any), cudaErrorNotSupported);
	any.type = cudaGraphNodeTypeExtSemaphoreWait;
	IS(ADD_NODE(&node, graph, nullptr, 0, &any), cudaErrorNotSupported);
	return 0;
}
// A kernel of a graph that traps is an error of the launch like any other one.
__global__ void stop() { __trap(); }
static int a_trap_in_a_graph()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node, call;
	int called = 0;
	cudaKernelNodeParams p = {};
	p.func = (void *)stop;
	p.gridDim = p.blockDim = dim3(1);
	GOOD(cudaGraphCreate(&graph, 0));
	GOOD(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
	cudaHostNodeParams told = {count, &called};
	GOOD(cudaGraphAddHostNode(&call, graph, &node, 1, &told));
	GOOD(cudaGraphInstantiate(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, 0));
	IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
	TRUE(called == 0);
	IS(cudaGraphLaunch(exec, 0), cudaErrorLaunchFailure);
	return 0;
}

static const corner cases[] = {
    CASE(a_graph),
    CASE(order_by_edges),
    CASE(edges_and_lists),
    CASE(a_cycle),
    CASE(parameters),
    CASE(copies_of_boxes),
    CASE(copies_of_symbols),
    CASE(changes_of_executable_graphs),
    CASE(updates),
    CASE(children),
    CASE(graphs_in_graphs),
    CASE(events_in_graphs),
    CASE(launches_in_two_streams),
    CASE(memory_of_graphs),
    CASE(objects_of_the_program),
    CASE(a_drawing),
    CASE(nodes_of_any_kind),
    CASE(a_trap_in_a_graph),
};

int main(int argc, char **argv) { return corners(argc, argv, cases); }

// Parameters of all sizes that a kernel can have: the operands' end, the end of a load's offset and the last byte, read at places that the compiler
// knows and at others, of the host's launches, of a graph's, and of a launch by the device.
#include "check.h"
#include <cstring>

enum { THREADS = 64 };
__device__ int found[3][THREADS];

template <int N> struct words {
	int v[N];
};

template <class T> __device__ void look(const T &p, int n, int row)
{
	int i = threadIdx.x;
	found[row][i] = p.v[i * (n - 1) / (THREADS - 1)];
	if (i == 1)
		found[row][i] = p.v[n - 1] + p.v[n - 2] + p.v[n / 2];
}
template <int N> __global__ void constant(const __grid_constant__ words<N> p) { look(p, N, 0); }
template <int N> __global__ void copied(words<N> p)
{
	p.v[threadIdx.x % N] += 0;
	look(p, N, 1);
}
#ifndef __NVCC__ // which needs more libraries for it
template <int N> __global__ void by_device(const __grid_constant__ words<N> p) { constant<N><<<1, THREADS>>>(p); }
#endif
// The last parameter lies behind a large one, and bytes at its end.
template <int N> __global__ void behind(const __grid_constant__ words<N - 1> p, short low, signed char high, unsigned char last)
{
	look(p, N - 1, 2);
	if (threadIdx.x == 2)
		found[2][2] = low + high * 65536 + last;
}

static long wrong_in(int n, int row, const int (&v)[3][THREADS])
{
	long wrong = 0;
	for (int i = 0; i < THREADS; i++) {
		int expected = i == 1 ? 7 * (n - 1) + 7 * (n - 2) + 7 * (n / 2) + 3 : 7 * (i * (n - 1) / (THREADS - 1)) + 1;
		if (row == 2 && i == 2)
			expected = 1000 - 5 * 65536 + 200;
		wrong += v[row][i] != expected;
	}
	if (wrong)
		printf("%d words, row %d: %ld wrong\n", n, row, wrong);
	return wrong;
}

template <int N> static long try_size(bool in_graph)
{
	static words<N> p;
	static words<N - 1> q;
	int v[3][THREADS] = {};
	cudaStream_t stream;
	for (int i = 0; i < N; i++)
		p.v[i] = 7 * i + 1;
	for (int i = 0; i < N - 1; i++)
		q.v[i] = p.v[i];
	CHECKED(cudaMemcpyToSymbol(found, v, sizeof v));
	CHECKED(cudaStreamCreate(&stream));
	if (in_graph)
		CHECKED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	constant<N><<<1, THREADS, 0, stream>>>(p);
	copied<N><<<1, THREADS, 0, stream>>>(p);
	behind<N><<<1, THREADS, 0, stream>>>(q, 1000, -5, 200);
	if (in_graph) {
		cudaGraph_t graph;
		cudaGraphExec_t exec;
		CHECKED(cudaStreamEndCapture(stream, &graph));
		for (int &word : p.v)
			word = 0; // the graph has its own
		CHECKED(cudaGraphInstantiate(&exec, graph, 0));
		CHECKED(cudaGraphLaunch(exec, stream));
		CHECKED(cudaStreamSynchronize(stream));
		CHECKED(cudaGraphExecDestroy(exec));
		CHECKED(cudaGraphDestroy(graph));
	}
	CHECKED(cudaStreamSynchronize(stream));
	CHECKED(cudaStreamDestroy(stream));
	CHECKED(cudaMemcpyFromSymbol(v, found, sizeof v));
	long wrong = wrong_in(N, 0, v) + wrong_in(N, 1, v) + wrong_in(N - 1, 2, v);
#ifndef __NVCC__
	if (in_graph)
		return wrong;
	memset(v, 0, sizeof v);
	CHECKED(cudaMemcpyToSymbol(found, v, sizeof v));
	by_device<N><<<1, 1>>>(p);
	CHECKED(cudaMemcpyFromSymbol(v, found, sizeof v));
	wrong += wrong_in(N, 0, v);
#endif
	return wrong;
}

int main()
{
	// Bytes: an operand's last word, what there was at most once, the signed offset's end, and the most.
	long wrong = try_size<240>(false) + try_size<241>(false) + try_size<2004>(false) + try_size<2005>(false) + try_size<8174>(false) +
	             try_size<8175>(false) + try_size<8176>(false) + try_size<8177>(false) + try_size<8190>(false) + try_size<8191>(false) +
	             try_size<8191>(true);
	return verdict(wrong);
}

/* Kernels of memory.py: what memory costs on a GPU (docs/validation.md). */
typedef unsigned long long u64;

/* A ring of `n` places, `stride` bytes apart, that an odd step of a linear congruence visits in an order without a pattern. n: a power of two. */
extern "C" __global__ void ring(char *at, u64 n, u64 stride)
{
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
		u64 next = (i * 2862933555777941757ull + 3037000493ull) & (n - 1);
		*(u64 *)(at + i * stride) = (u64)(at + next * stride);
	}
}

/* `start`: the place where the walk begins. */
template <bool first_cache> __device__ void chase(char *at, u64 start, u64 warm, u64 steps, u64 *cycles)
{
	u64 p = (u64)at + start;
	for (u64 i = 0; i < warm; i++) {
		if (first_cache)
			asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
		else
			asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
	}
	u64 begin = clock64();
	for (u64 i = 0; i < steps; i += 8) {
#pragma unroll
		for (int k = 0; k < 8; k++) {
			if (first_cache)
				asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
			else
				asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
		}
	}
	cycles[1] = p; /* the last load is over before the clock is read */
	cycles[0] = clock64() - begin + (p == 1);
}
extern "C" __global__ void chase_ca(char *at, u64 start, u64 warm, u64 steps, u64 *cycles) { chase<true>(at, start, warm, steps, cycles); }
extern "C" __global__ void chase_cg(char *at, u64 start, u64 warm, u64 steps, u64 *cycles) { chase<false>(at, start, warm, steps, cycles); }

extern "C" __global__ void chase_shared(u64 steps, u64 *cycles)
{
	__shared__ unsigned ring[1024];
	for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
		ring[i] = ((i * 405 + 77) & 1023) * 4;
	__syncthreads();
	unsigned p = (unsigned)__cvta_generic_to_shared(ring), base = p, q = 0;
	u64 begin = clock64();
	for (u64 i = 0; i < steps; i += 8) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile("ld.shared.u32 %0, [%1];" : "=r"(q) : "r"(q + base) : "memory");
	}
	cycles[1] = q;
	cycles[0] = clock64() - begin + (q == 1);
}

extern "C" __global__ void copy(const uint4 *from, uint4 *to, u64 n)
{
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
		to[i] = from[i];
}
extern "C" __global__ void sum(const uint4 *from, uint4 *to, u64 n)
{
	unsigned all = 0;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
		uint4 v = from[i];
		all += v.x ^ v.y ^ v.z ^ v.w;
	}
	if (all == 12345)
		to->x = all;
}
extern "C" __global__ void fill(const uint4 *from, uint4 *to, u64 n)
{
	(void)from;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
		to[i] = make_uint4((unsigned)i, 1, 2, 3);
}

/* Each thread reads 32 bytes of `loads` sectors without a pattern. sectors: a power of two. */
extern "C" __global__ void sectors(const uint4 *from, u64 sectors, unsigned loads, unsigned *out)
{
	u64 x = ((u64)blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b97f4a7c15ull + 12345;
	unsigned all = 0;
	for (unsigned i = 0; i < loads; i += 4) {
#pragma unroll
		for (int k = 0; k < 4; k++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			const uint4 *at = from + (x >> 20 & (sectors - 1)) * 2;
			uint4 a = __ldcg(at), b = __ldcg(at + 1);
			all += a.x ^ b.y;
		}
	}
	if (all == 12345)
		*out = all;
}

/* `times` additions by each thread to one of `places` words, `apart` words apart. */
template <bool returns> __device__ void additions(unsigned *at, unsigned places, unsigned apart, unsigned times)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, all = 0;
	for (unsigned i = 0; i < times; i++) {
		unsigned *place = at + (u64)((thread + i * 37) % places) * apart;
		if (returns)
			all += atomicAdd(place, 1);
		else
			asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(place) : "memory");
	}
	if (returns && all == 0x12345)
		at[1] = all;
}
extern "C" __global__ void add_atom(unsigned *at, unsigned places, unsigned apart, unsigned times) { additions<true>(at, places, apart, times); }
extern "C" __global__ void add_red(unsigned *at, unsigned places, unsigned apart, unsigned times) { additions<false>(at, places, apart, times); }

/* Cycles of `steps` loads of shared memory in which `ways` lanes meet in a bank: a chain of loads, or independent ones. */
extern "C" __global__ void banks(unsigned ways, u64 steps, u64 *cycles)
{
	extern __shared__ unsigned words[];
	for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x)
		words[i] = 0;
	__syncthreads();
	unsigned lane = threadIdx.x & 31, place = (lane % ways * 32 + lane / ways) * 4 + (unsigned)__cvta_generic_to_shared(words), p = 0;
	u64 begin = clock64();
	for (u64 i = 0; i < steps; i += 8) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile("ld.shared.u32 %0, [%1];" : "=r"(p) : "r"(p + place) : "memory");
	}
	u64 chain = clock64() - begin;
	__syncthreads();
	unsigned q[8] = {0};
	begin = clock64();
	for (u64 i = 0; i < steps; i += 8) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile("ld.shared.u32 %0, [%1];" : "=r"(q[k]) : "r"(place + q[k]) : "memory");
	}
	for (int k = 0; k < 8; k++)
		p += q[k];
	u64 all = clock64() - begin;
	if (threadIdx.x == 0) {
		cycles[0] = chain;
		cycles[1] = all;
	}
	if (p)
		cycles[2] = p;
}

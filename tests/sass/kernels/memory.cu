// Global memory: widths, cache policies, alignment; address arithmetic; constant, local and generic memory.
#include <stdint.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
__constant__ float table[256];
__constant__ int4 rows[64];
__device__ int counter, cells[128];
__device__ const float *pointer;

K(load_byte)(int *o, const signed char *a, const unsigned char *b) { o[I] = a[I] + b[I]; }
K(load_half)(int *o, const short *a, const unsigned short *b) { o[I] = a[I] - b[I]; }
K(load_pair)(float2 *o, const float2 *a) { float2 v = a[I]; o[I] = make_float2(v.y, v.x); }
K(load_quad)(int4 *o, const int4 *a) { int4 v = a[I]; o[I] = make_int4(v.w, v.x, v.y, v.z); }
K(load_wide)(double2 *o, const double2 *a) { double2 v = a[I]; o[I] = make_double2(v.y + 1, v.x + 2); }
K(load_read_only)(float *o, const float *__restrict__ a, const int *__restrict__ k) { o[I] = __ldg(a + __ldg(k + I)); }
K(load_policies)(float *o, const float *a) { o[I] = __ldcs(a + I) + __ldcg(a + I + 7) + __ldlu(a + I + 9) + __ldcv(a + I + 11); }
K(store_policies)(float *o, float x) { __stcs(o + I, x); __stcg(o + I + 64, x); __stwt(o + I + 128, x); __stwb(o + I + 192, x); }
K(load_volatile)(int *o, volatile int *a) { o[I] = a[0] + a[0] + a[1]; }
K(load_relaxed)(int *o, int *a) { int r; asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(a)); o[I] = r; }
K(load_acquire)(int *o, int *a) { int r; asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(r) : "l"(a) : "memory"); o[I] = r + a[I]; }
K(store_release)(int *o, int *a) { o[I] = 3; asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(a), "r"(1) : "memory"); }
K(load_offsets)(float *o, const float *a) { const float *p = a + I; o[I] = p[0] + p[1] + p[100] - p[-3] * p[4000]; }
K(copy_four)(float *o, const float *a, int n) { for (int i = I; i < n; i += 4096) o[i] = a[i]; }
K(copy_unrolled)(float4 *o, const float4 *a, int n) { _Pragma("unroll 8") for (int i = 0; i < 64; i++) o[i * n + I] = a[i * n + I]; }
K(store_guarded)(float *o, const float *a, int n) { if (I < n) o[I] = a[I]; }
K(gather)(float *o, const float *a, const int *k) { o[I] = a[k[k[I]]]; }
K(scatter)(float *o, const float *a, const int *k) { o[k[I]] = a[I]; }
K(stride_two)(float *o, const float *a) { o[I] = a[2 * I] + a[2 * I + 1]; }
K(structure)(float *o, const uint8_t *a) { struct s { char c; short h; float f; double d; }; const s *p = (const s *)a + I; o[I] = p->c + p->h + p->f + (float)p->d; }
K(constant_direct)(float *o) { o[I] = table[3] * table[200]; }
K(constant_indexed)(float *o, const int *k) { o[I] = table[k[I]]; }
K(constant_quad)(int4 *o, int k) { o[I] = rows[k + blockIdx.x]; }
K(constant_loop)(float *o, const float *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += table[i] * a[I + i]; o[I] = s; }
K(device_variables)(int *o) { o[I] = cells[I & 127] + counter; cells[(I + 1) & 127] = 5; }
K(device_pointer)(float *o) { o[I] = pointer[I]; }
K(parameters_by_value)(float *o, float4 a, int4 b, double c, char d, short e) { o[I] = a.x * b.y + a.w * b.z + (float)c + d - e; }
struct big { int a[100]; };
K(parameters_indexed)(int *o, big b, int k) { o[I] = b.a[(k + I) % 100]; }
K(local_array)(int *o, const int *k, int n)
{
	int a[40];
	for (int i = 0; i < 40; i++)
		a[i] = i * n;
	for (int i = 0; i < n; i++)
		a[k[i] % 40] += a[k[i + 1] % 40];
	o[I] = a[n % 40];
}
K(local_bytes)(unsigned char *o, const unsigned char *a, int n)
{
	unsigned char b[64];
	for (int i = 0; i < 64; i++)
		b[i] = a[i];
	for (int i = 0; i < n; i++)
		b[(b[i & 63] * 7) & 63]++;
	o[I] = b[n & 63];
}
K(local_wide)(double *o, int n) { double a[24]; for (int i = 0; i < 24; i++) a[i] = i * .5; for (int i = 0; i < n; i++) a[(i * n) % 24] += a[(i + n) % 24]; o[I] = a[n % 24]; }
K(generic_choice)(int *o, int *g, int c)
{
	__shared__ int s[64];
	s[threadIdx.x & 63] = c;
	__syncthreads();
	int *p = c > 3 ? g : s;
	o[I] = p[(threadIdx.x + 1) & 63];
	p[threadIdx.x & 63] = 9;
}
K(generic_queries)(int *o, void *p) { o[I] = __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p) + 8 * __isConstant(p); }
K(fences)(int *o, int *a) { a[I] = 1; __threadfence(); o[I] = 2; __threadfence_block(); a[I + 64] = 3; __threadfence_system(); o[I + 1] = 4; }
K(prefetch)(float *o, const float *a) { asm volatile("prefetch.global.L2 [%0];" ::"l"(a + I + 1024)); asm volatile("prefetch.global.L1 [%0];" ::"l"(a + I + 2048)); o[I] = a[I]; }
K(uniform_prefetch)(float *o, const float *a) { asm volatile("prefetchu.L1 [%0];" ::"l"(a + 64)); o[I] = a[I]; }
K(transpose_through_registers)(float4 *o, const float4 *a, int n)
{
	float4 r0 = a[I], r1 = a[I + n], r2 = a[I + 2 * n], r3 = a[I + 3 * n];
	o[I] = make_float4(r0.x, r1.x, r2.x, r3.x), o[I + n] = make_float4(r0.y, r1.y, r2.y, r3.y);
	o[I + 2 * n] = make_float4(r0.z, r1.z, r2.z, r3.z), o[I + 3 * n] = make_float4(r0.w, r1.w, r2.w, r3.w);
}
K(linked_list)(int *o, const int2 *nodes, int first) { int s = 0; for (int i = first + I; i >= 0;) { int2 n = nodes[i]; s += n.x, i = n.y; } o[I] = s; }
K(copy_of_structure)(int4 *o, const int4 *a) { struct s { int4 q[4]; } v = *((const s *)a + I); v.q[1].x += v.q[2].y; *((s *)o + I) = v; }
K(allocate)(int **o, int n) { int *p = (int *)malloc(n * 4); if (p) p[0] = n; o[I] = p; if (n > 9) free(p); }
K(memory_functions)(char *o, const char *a, int n) { memcpy(o + 128 * I, a + 128 * I, 128); memset(o + 128 * I + 64, n, 32); }

// Control flow: branches, switches, loops, early exits, calls, recursion, pointers to functions, traps.
#include <cstdio>
#include <cassert>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name

K(branch_short)(int *o, const int *a) { int x = a[I]; if (x > 3) x = x * 5 + 1; o[I] = x; }
K(branch_two_sides)(float *o, const float *a) { float x = a[I]; if (x > 3) x = sqrtf(x); else x = x / 7 + __expf(x); o[I] = x; }
K(branch_nested)(int *o, const int *a) { int x = a[I]; if (x & 1) { if (x & 2) o[I] = x / 3; else o[I + 1] = x * 9; } else if (x & 4) o[I + 2] = a[x & 31]; o[I + 3] = x; }
K(branch_diamond_loads)(int *o, const int *a, const int *b) { int x = a[I], r; if (x > 0) r = b[x] + b[x + 1]; else r = a[-x] * 3; o[I] = r; }
K(branch_uniform)(int *o, const int *a, int c) { if (c > 9) o[I] = a[I]; else if (c < -4) o[I] = a[I + c] / 7; else o[I] = c; }
K(branch_short_circuit)(int *o, const int *a, int n) { int i = I; if (i < n && a[i] > 0 && a[a[i]] != 7 || n == 3) o[i] = 1; }
K(branch_goto)(int *o, const int *a) { int x = a[I], n = 0; again: if (x > 100) { x -= 7; if (x & 1) goto out; n++; goto again; } x += 2; out: o[I] = x + n; }
K(early_return)(int *o, const int *a, int n) { if (I >= n) return; int x = a[I]; if (x < 0) return; o[I] = x * x; }
K(early_return_in_loop)(int *o, const int *a, int n) { for (int i = 0; i < n; i++) { if (a[i * 32 + I] == 5) { o[I] = i; return; } } o[I] = -1; }
K(switch_dense)(int *o, const int *a)
{
	int x = a[I], r;
	switch (x & 15) {
	case 0: r = x * 3; break;
	case 1: r = x / 5; break;
	case 2: r = a[x & 31]; break;
	case 3: r = __popc(x); break;
	case 4: r = x ^ 0x55; break;
	case 5: r = x % 9; break;
	case 6: r = (int)sqrtf((float)x); break;
	case 7: r = a[0] - x; break;
	case 8: r = x << 3; break;
	case 9: r = __brev(x); break;
	default: r = -1;
	}
	o[I] = r;
}
K(switch_sparse)(int *o, const int *a) { int x = a[I]; switch (x) { case 1: x = 5; break; case 100: x = a[1]; break; case 5000: x = x * x; break; case -7: x = 0; } o[I] = x; }
K(switch_fall_through)(int *o, const int *a, int n) { int r = 0, x = a[I]; switch (n) { case 7: r += x / 3; case 6: r ^= a[2]; case 5: r *= x; case 4: r += a[x & 3]; case 3: r -= 9; case 2: r = r << 1; case 1: r++; } o[I] = r; }
K(switch_machine)(int *o, const unsigned char *code, int n)
{
	int stack[16], top = 0, x = I;
	for (int i = 0; i < n; i++)
		switch (code[i]) {
		case 0: stack[top++ & 15] = x; break;
		case 1: x = stack[--top & 15]; break;
		case 2: x += stack[top & 15]; break;
		case 3: x *= code[++i]; break;
		case 4: x = -x; break;
		case 5: if (x > 0) i += code[i + 1]; break;
		case 6: x ^= 0x5555; break;
		case 7: x = code[x & 63]; break;
		default: o[I] = x; return;
		}
	o[I] = x;
}
K(loop_count)(int *o, const int *a, int n) { int s = 0; _Pragma("unroll 1") for (int i = 0; i < n; i++) s += a[i]; o[I] = s; }
K(loop_while_divergent)(int *o, const int *a) { unsigned x = a[I]; int n = 0; while (x != 1) { x = x & 1 ? 3 * x + 1 : x >> 1; n++; } o[I] = n; }
K(loop_do)(float *o, const float *a) { float x = a[I], y; do { y = x; x = .5f * (x + 2.f / x); } while (fabsf(x - y) > 1e-6f); o[I] = x; }
K(loop_break_continue)(int *o, const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) { int x = a[i * 8 + (I & 7)]; if (x == 3) continue; if (x > 99) break; s += x / 3; } o[I] = s; }
K(loop_nested)(float *o, const float *a, int n, int m) { float s = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) s = s * .5f + a[i * m + j]; if (s > 9) s -= a[I]; } o[I] = s; }
K(loop_triangle)(int *o, int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = i; j < (int)(I & 31); j++) s += i ^ j; o[I] = s; }
K(loop_unrolled)(float *o, const float *a) { float s = 0; _Pragma("unroll") for (int i = 0; i < 48; i++) s += a[i * 128 + I] * (i + 1); o[I] = s; }
K(loop_software_pipeline)(float *o, const float *a, int n) { float x = a[I], s = 0; for (int i = 1; i < n; i++) { float y = a[I + i * 64]; s += sinf(x); x = y; } o[I] = s + x; }
K(loop_with_barrier)(int *o, int *a, int n) { for (int i = 0; i < n; i++) { a[I] += i; __syncthreads(); o[I] += a[I ^ 1]; __syncthreads(); } }
K(loop_pointer_chase)(int *o, const int *a, int n) { int x = I; while (n--) x = a[x]; o[I] = x; }
K(loop_two_exits)(int *o, const int *a, const int *b, int n) { int i = 0; for (;; i++) { if (a[i] == b[I]) break; if (i == n) { i = -1; break; } } o[I] = i; }

__device__ __noinline__ int called_leaf(int x, const int *a) { return x * 3 + a[x & 7]; }
__device__ __noinline__ float called_float(float x, float y) { return x > y ? sqrtf(x) : y / x; }
__device__ __noinline__ double called_double(double x) { return x * x + 1 / x; }
__device__ __noinline__ int called_twice(int x, const int *a) { return called_leaf(x, a) + called_leaf(x + 1, a); }
struct quad { int a, b, c, d, e, f; };
__device__ __noinline__ quad called_structure(quad q, int k) { q.a += k, q.f = q.b * q.c; return q; }
__device__ __noinline__ void called_by_pointer(int *p, int *q) { *p += *q, *q = 7; }
__device__ int recursive(int n) { return n < 2 ? n : recursive(n - 1) + recursive(n - 2); }
__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
typedef int (*function)(int);
__device__ int add_one(int x) { return x + 1; }
__device__ int times_three(int x) { return x * 3; }
__device__ int negate(int x) { return -x; }
__device__ function functions[] = {add_one, times_three, negate};
struct shape { __device__ virtual float area() const = 0; __device__ virtual ~shape() {} };
struct square : shape { float s; __device__ square(float x) : s(x) {} __device__ float area() const override { return s * s; } };
struct circle : shape { float r; __device__ circle(float x) : r(x) {} __device__ float area() const override { return 3.14159f * r * r; } };

K(call_leaf)(int *o, const int *a) { o[I] = called_leaf(a[I], a) - 1; }
K(call_in_loop)(int *o, const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += called_leaf(i + s, a); o[I] = s; }
K(call_nested)(int *o, const int *a) { o[I] = called_twice(a[I], a); }
K(call_float)(float *o, const float *a, const float *b) { o[I] = called_float(a[I], b[I]) + called_float(b[I], 2.f); }
K(call_double)(double *o, const double *a) { o[I] = called_double(a[I]) * called_double(3.0); }
K(call_structure)(int *o, const quad *a) { quad q = called_structure(a[I], 4); o[I] = q.a + q.d + q.f; }
K(call_by_pointer)(int *o) { int x = I, y = 3; called_by_pointer(&x, &y); o[I] = x + y; }
K(call_under_condition)(int *o, const int *a) { int x = a[I]; if (x > 3) x = called_leaf(x, a); else if (x < -2) x = called_twice(-x, a); o[I] = x; }
K(call_recursive)(int *o, int n) { o[I] = recursive(n + (I & 3)); }
K(call_mutual)(int *o, int n) { o[I] = even(n + I); }
K(call_indirect)(int *o, const int *k) { o[I] = functions[k[I]](I); }
K(call_indirect_chosen)(int *o, int c) { function f = c ? add_one : times_three; for (int i = 0; i < c; i++) { o[I + i] = f(i); f = f == negate ? times_three : negate; } }
K(call_virtual)(float *o, const float *a) { square s(a[I]); circle c(a[I + 1]); const shape *p = a[I] > 2 ? (const shape *)&s : &c; o[I] = p->area(); }
K(print_nothing)(int *o) { printf("nothing\n"); o[I] = 1; }
K(print_values)(int *o, double x) { o[I] = printf("%d %f %s\n", (int)I, x, "text"); }
K(assertion)(int *o, const int *a) { assert(a[I] > 0); o[I] = a[I]; }
K(trap_on_error)(int *o, const int *a) { if (a[I] < 0) __trap(); o[I] = a[I]; }
K(break_point)(int *o, const int *a) { if (a[I] == 77) __brkpt(); o[I] = a[I]; }
K(exit_in_the_middle)(int *o, const int *a) { o[I] = 1; if (a[I] > 2) asm volatile("exit;"); o[I] = a[I] / 3; }
K(hint_unlikely)(int *o, const int *a) { int x = a[I]; if (__builtin_expect(x == 0x7fffffff, 0)) { for (int i = 0; i < 50; i++) x += a[i]; } o[I] = x; }
K(empty)() {}

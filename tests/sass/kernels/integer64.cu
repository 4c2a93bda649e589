// 64-bit and wider integers: carry chains, wide products, comparisons by halves.
#include <stdint.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
typedef long long i64;
typedef unsigned long long u64;

K(i64_add)(i64 *o, const i64 *a, const i64 *b) { o[I] = a[I] + b[I]; }
K(i64_subtract_constant)(i64 *o, const i64 *a) { o[I] = a[I] - 0x123456789abLL; }
K(i64_multiply)(i64 *o, const i64 *a, const i64 *b) { o[I] = a[I] * b[I]; }
K(i64_multiply_high)(u64 *o, const u64 *a, const u64 *b) { o[I] = __umul64hi(a[I], b[I]); }
K(i64_multiply_high_signed)(i64 *o, const i64 *a, const i64 *b) { o[I] = __mul64hi(a[I], b[I]); }
K(i64_wide_product)(i64 *o, const int *a, const int *b, i64 c) { o[I] = (i64)a[I] * b[I] + c; }
K(i64_wide_product_unsigned)(u64 *o, const unsigned *a, const unsigned *b) { o[I] = (u64)a[I] * b[I]; }
K(i64_divide_signed)(i64 *o, const i64 *a, const i64 *b) { o[I] = a[I] / b[I]; }
K(i64_remainder_unsigned)(u64 *o, const u64 *a, const u64 *b) { o[I] = a[I] % b[I]; }
K(i64_divide_by_10)(u64 *o, const u64 *a) { o[I] = a[I] / 10; }
K(i64_compare)(int *o, const i64 *a, const i64 *b) { o[I] = a[I] < b[I]; }
K(i64_compare_select)(i64 *o, const i64 *a, const i64 *b) { o[I] = a[I] > b[I] ? a[I] : b[I]; }
K(i64_minimum_unsigned)(u64 *o, const u64 *a, const u64 *b) { o[I] = a[I] < b[I] ? a[I] : b[I]; }
K(i64_shift_left)(u64 *o, const u64 *a, const int *n) { o[I] = a[I] << n[I]; }
K(i64_shift_right_signed)(i64 *o, const i64 *a, const int *n) { o[I] = a[I] >> n[I]; }
K(i64_rotate)(u64 *o, const u64 *a, int n) { o[I] = (a[I] << n) | (a[I] >> (64 - n)); }
K(i64_logic)(u64 *o, const u64 *a, const u64 *b, u64 c) { o[I] = (a[I] & b[I]) ^ (~a[I] | c); }
K(i64_negate_absolute)(i64 *o, const i64 *a) { o[I] = a[I] < 0 ? -a[I] : a[I]; }
K(i64_ticks)(u64 *o) { o[I] = clock64(); }
K(i128_add)(unsigned *o, const unsigned *a, const unsigned *b)
{
	unsigned r0, r1, r2, r3;
	asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
	    : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
	    : "r"(a[4 * I]), "r"(a[4 * I + 1]), "r"(a[4 * I + 2]), "r"(a[4 * I + 3]), "r"(b[4 * I]), "r"(b[4 * I + 1]), "r"(b[4 * I + 2]), "r"(b[4 * I + 3]));
	o[4 * I] = r0, o[4 * I + 1] = r1, o[4 * I + 2] = r2, o[4 * I + 3] = r3;
}
K(i128_subtract)(unsigned *o, const unsigned *a, const unsigned *b)
{
	unsigned r0, r1, r2;
	asm("sub.cc.u32 %0, %3, %6; subc.cc.u32 %1, %4, %7; subc.u32 %2, %5, %8;"
	    : "=r"(r0), "=r"(r1), "=r"(r2)
	    : "r"(a[3 * I]), "r"(a[3 * I + 1]), "r"(a[3 * I + 2]), "r"(b[3 * I]), "r"(b[3 * I + 1]), "r"(b[3 * I + 2]));
	o[3 * I] = r0, o[3 * I + 1] = r1, o[3 * I + 2] = r2;
}
K(i128_multiply)(__int128 *o, const __int128 *a, const __int128 *b) { o[I] = a[I] * b[I]; }
K(i256_multiply_add_chain)(unsigned *o, const unsigned *a, const unsigned *b)
{
	unsigned lo, mid, hi;
	asm("{\n\tmul.lo.u32 %0, %3, %5;\n\tmul.hi.u32 %1, %3, %5;\n\tmad.lo.cc.u32 %1, %4, %5, %1;\n\tmadc.hi.u32 %2, %4, %5, 0;\n\t"
	    "mad.lo.cc.u32 %1, %3, %6, %1;\n\tmadc.hi.u32 %2, %3, %6, %2;\n\t}"
	    : "=&r"(lo), "=&r"(mid), "=&r"(hi)
	    : "r"(a[2 * I]), "r"(a[2 * I + 1]), "r"(b[2 * I]), "r"(b[2 * I + 1]));
	o[3 * I] = lo, o[3 * I + 1] = mid, o[3 * I + 2] = hi;
}
K(i256_add_loop)(u64 *o, const u64 *a, const u64 *b)
{
	u64 carry = 0;
	for (int i = 0; i < 4; i++) {
		u64 s = a[4 * I + i] + b[4 * I + i], t = s + carry;
		carry = (s < a[4 * I + i]) | (t < s);
		o[4 * I + i] = t;
	}
}
K(i64_modular_product)(u64 *o, const u64 *a, const u64 *b, u64 m)
{
	u64 r = 0, x = a[I], y = b[I];
	for (; y; y >>= 1, x = (x << 1) % m)
		if (y & 1)
			r = (r + x) % m;
	o[I] = r;
}
K(i64_fibonacci)(u64 *o, int n)
{
	u64 x = I, y = 1;
	for (int i = 0; i < n; i++) {
		u64 t = x + y;
		x = y, y = t;
	}
	o[I] = x;
}
K(i64_hash_fnv)(u64 *o, const unsigned char *a, int n)
{
	u64 h = 0xcbf29ce484222325ull;
	for (int i = 0; i < n; i++)
		h = (h ^ a[i + I]) * 0x100000001b3ull;
	o[I] = h;
}
K(i64_random_xorshift)(u64 *o, u64 s, int n)
{
	s += I;
	while (n--)
		s ^= s << 13, s ^= s >> 7, s ^= s << 17;
	o[I] = s;
}
K(i64_index_wide)(float *o, const float *a, i64 stride, i64 first) { o[first + stride * I] = a[first * stride + I]; }
/* Products of 128 bits on the uniform datapath. */
K(i64_uniform_high)(u64 *o, u64 x, u64 y, u64 z) { o[0] = __umul64hi(x, y) + z; }
K(i64_uniform_high_signed)(i64 *o, i64 x, i64 y)
{
	o[0] = __mul64hi(x, y);
	if (__mul64hi(x, y) > 5)
		o[I] = x / y;
}
K(i64_uniform_wide)(unsigned __int128 *o, unsigned __int128 x, unsigned __int128 y, unsigned __int128 z) { o[0] = x * y + z; }
K(i64_uniform_loop)(u64 *o, u64 n, u64 m)
{
	for (u64 i = 0; i < n * m; i++)
		o[i * m] = __umul64hi(i, m) + __umul64hi(n, m + i);
}

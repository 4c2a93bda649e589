// 32-bit integer arithmetic: additions, products, division, comparisons, selections.
#include <stdint.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name

K(i32_add)(int *o, const int *a, const int *b) { o[I] = a[I] + b[I]; }
K(i32_add3)(int *o, const int *a, const int *b, int c) { o[I] = a[I] + b[I] - c; }
K(i32_mad)(int *o, const int *a, int b, int c) { o[I] = a[I] * b + c; }
K(i32_mulhi_signed)(int *o, const int *a, const int *b) { o[I] = __mulhi(a[I], b[I]); }
K(i32_mulhi_unsigned)(unsigned *o, const unsigned *a, const unsigned *b) { o[I] = __umulhi(a[I], b[I]); }
K(i32_mul24)(int *o, const int *a, const int *b) { o[I] = __mul24(a[I], b[I]) + (int)__umul24(a[I], 77); }
K(i32_divide_signed)(int *o, const int *a, const int *b) { o[I] = a[I] / b[I]; }
K(i32_divide_unsigned)(unsigned *o, const unsigned *a, const unsigned *b) { o[I] = a[I] / b[I]; }
K(i32_remainder)(int *o, const int *a, const int *b) { o[I] = a[I] % b[I]; }
K(i32_divide_by_7)(int *o, const int *a) { o[I] = a[I] / 7 + a[I] % 7; }
K(i32_divide_power_of_two)(int *o, const int *a) { o[I] = a[I] / 64; }
K(i32_minimum_maximum)(int *o, const int *a, const int *b, int c) { o[I] = max(min(a[I], b[I]), c); }
K(i32_clamp_unsigned)(unsigned *o, const unsigned *a, unsigned lo, unsigned hi) { o[I] = min(max(a[I], lo), hi); }
K(i32_absolute)(int *o, const int *a) { o[I] = abs(a[I]) - a[I]; }
K(i32_absolute_difference)(unsigned *o, const int *a, const int *b, unsigned c) { o[I] = __sad(a[I], b[I], c) + __usad(a[I], b[I], c); }
K(i32_average)(int *o, const int *a, const int *b) { o[I] = __hadd(a[I], b[I]) + __rhadd(a[I], b[I]); }
K(i32_compare_select)(int *o, const int *a, const int *b, int c, int d) { o[I] = a[I] < b[I] ? c : d; }
K(i32_compare_chain)(int *o, const int *a, const int *b) { int x = a[I], y = b[I]; o[I] = (x > y) - (x < y); }
K(i32_dot_bytes)(int *o, const int *a, const int *b) { o[I] = __dp4a(a[I], b[I], (int)__dp4a((unsigned)a[I], (unsigned)b[I], 5u)); }
K(i32_dot_halves)(int *o, const int *a, const int *b) { o[I] = __dp2a_lo(a[I], b[I], 3) + __dp2a_hi(a[I], b[I], 4); }
K(i32_polynomial)(int *o, const int *a) { int x = a[I]; o[I] = ((((x * 3 + 5) * x + 7) * x + 11) * x + 13) * x + 17; }
K(i32_saturated_add)(int *o, const int *a, const int *b) { int r; asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a[I]), "r"(b[I])); o[I] = r; }
K(i32_saturated_subtract)(int *o, const int *a, const int *b) { int r; asm("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(a[I]), "r"(b[I])); o[I] = r; }
K(i32_shift_variable)(int *o, const int *a, const int *b) { o[I] = (a[I] << (b[I] & 31)) ^ (a[I] >> (b[I] & 15)); }
K(i32_shift_clamped)(unsigned *o, const unsigned *a, const unsigned *b) { unsigned r; asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a[I]), "r"(b[I])); o[I] = r; }
K(i32_scaled_address)(int *o, const int *a, int s, int t) { o[I] = a[(I << 3) + s] + (I << 5) + t * 4; }
K(i32_powers)(unsigned *o, const unsigned *a, unsigned n) { unsigned r = 1, x = a[I]; while (n) { if (n & 1) r *= x; x *= x; n >>= 1; } o[I] = r; }
K(i32_greatest_divisor)(unsigned *o, const unsigned *a, const unsigned *b) { unsigned x = a[I], y = b[I]; while (y) { unsigned t = x % y; x = y; y = t; } o[I] = x; }
K(i32_bytes_signed)(signed char *o, const signed char *a, const signed char *b) { o[I] = (signed char)(a[I] * b[I] + (a[I] >> 2)); }
K(i32_halves_unsigned)(unsigned short *o, const unsigned short *a, const unsigned short *b) { o[I] = (unsigned short)(a[I] * b[I] / (b[I] | 1)); }
K(i32_uniform)(int *o, int a, int b, int c) { int x = a * blockIdx.x + b; x = (x ^ c) << 3; o[I] = x / (c | 1) + (x > b ? 5 : 9); }

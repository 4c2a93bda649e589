// Bit operations, video instructions, and what they are used for.
#include <stdint.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define K(name) extern "C" __global__ void name
typedef unsigned u;
typedef unsigned long long u64;

K(bit_count)(u *o, const u *a) { o[I] = __popc(a[I]); }
K(bit_count_wide)(u *o, const u64 *a) { o[I] = __popcll(a[I]); }
K(bit_leading_zeros)(u *o, const int *a) { o[I] = __clz(a[I]); }
K(bit_leading_zeros_wide)(u *o, const long long *a) { o[I] = __clzll(a[I]); }
K(bit_first_set)(u *o, const int *a) { o[I] = __ffs(a[I]); }
K(bit_reverse)(u *o, const u *a) { o[I] = __brev(a[I]); }
K(bit_reverse_wide)(u64 *o, const u64 *a) { o[I] = __brevll(a[I]); }
K(bit_permute_bytes)(u *o, const u *a, const u *b, u s) { o[I] = __byte_perm(a[I], b[I], s) ^ __byte_perm(a[I], b[I], 0x3715); }
K(bit_field_extract)(u *o, const u *a, u p, u n) { u r; asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a[I]), "r"(p), "r"(n)); o[I] = r; }
K(bit_field_extract_signed)(int *o, const int *a, const u *p, const u *n) { int r; asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a[I]), "r"(p[I]), "r"(n[I])); o[I] = r; }
K(bit_field_insert)(u *o, const u *a, const u *b, u p, u n) { u r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a[I]), "r"(b[I]), "r"(p), "r"(n)); o[I] = r; }
K(bit_field_insert_wide)(u64 *o, const u64 *a, const u64 *b, u p, u n) { u64 r; asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r) : "l"(a[I]), "l"(b[I]), "r"(p), "r"(n)); o[I] = r; }
K(bit_find_sign)(u *o, const int *a) { u r; asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(a[I])); o[I] = r; }
K(bit_find_shift)(u *o, const u *a) { u r; asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(a[I])); o[I] = r; }
K(bit_mask)(u *o, const u *a, const u *b) { u r; asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(a[I]), "r"(b[I])); o[I] = r; }
K(bit_sign_extend)(int *o, const int *a, const u *b) { int r; asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(a[I]), "r"(b[I])); o[I] = r; }
K(bit_find_nth)(u *o, const u *a, u b, int n) { o[I] = __fns(a[I], b, n); }
K(bit_logic_three)(u *o, const u *a, const u *b, const u *c) { o[I] = (a[I] & b[I]) | (~a[I] & c[I]); }
K(bit_majority)(u *o, const u *a, const u *b, const u *c) { o[I] = (a[I] & b[I]) ^ (a[I] & c[I]) ^ (b[I] & c[I]); }
K(bit_lop3_table)(u *o, const u *a, const u *b, const u *c) { u r; asm("lop3.b32 %0, %1, %2, %3, 0x5b;" : "=r"(r) : "r"(a[I]), "r"(b[I]), "r"(c[I])); o[I] = r; }
K(bit_funnel_left)(u *o, const u *a, const u *b, const u *n) { o[I] = __funnelshift_l(a[I], b[I], n[I]) + __funnelshift_lc(a[I], b[I], n[I]); }
K(bit_funnel_right)(u *o, const u *a, const u *b, u n) { o[I] = __funnelshift_r(a[I], b[I], n) + __funnelshift_rc(a[I], b[I], 9); }
K(bit_rotate_constant)(u *o, const u *a) { o[I] = __funnelshift_l(a[I], a[I], 7) ^ __funnelshift_r(a[I], a[I], 11); }
K(bit_gray_code)(u *o, const u *a) { u x = a[I] ^ (a[I] >> 1); x ^= x >> 16, x ^= x >> 8, x ^= x >> 4, x ^= x >> 2, x ^= x >> 1; o[I] = x; }
K(bit_interleave)(u *o, const u *a, const u *b)
{
	u x = a[I] & 0xffff, y = b[I] & 0xffff;
	x = (x | x << 8) & 0xff00ff, x = (x | x << 4) & 0xf0f0f0f, x = (x | x << 2) & 0x33333333, x = (x | x << 1) & 0x55555555;
	y = (y | y << 8) & 0xff00ff, y = (y | y << 4) & 0xf0f0f0f, y = (y | y << 2) & 0x33333333, y = (y | y << 1) & 0x55555555;
	o[I] = x | y << 1;
}
K(video_add_bytes)(u *o, const u *a, const u *b) { o[I] = __vadd4(a[I], b[I]) ^ __vaddus4(a[I], b[I]); }
K(video_average_bytes)(u *o, const u *a, const u *b) { o[I] = __vavgu4(a[I], b[I]) + __vavgs4(a[I], b[I]); }
K(video_difference_bytes)(u *o, const u *a, const u *b) { o[I] = __vsadu4(a[I], b[I]) + __vabsdiffu4(a[I], b[I]); }
K(video_minimum_halves)(u *o, const u *a, const u *b) { o[I] = __vmins2(a[I], b[I]) ^ __vmaxu2(a[I], b[I]); }
K(video_minimum_three)(u *o, const u *a, const u *b, const u *c) { o[I] = __vimin3_s32(a[I], b[I], c[I]) ^ __vimax3_u16x2(a[I], b[I], c[I]); }
K(video_minimum_relu)(u *o, const u *a, const u *b) { o[I] = __vimin_s16x2_relu(a[I], b[I]) + __vimax_s32_relu(a[I], b[I]); }
K(video_minimum_predicate)(u *o, const u *a, const u *b) { bool h, l; u r = __vibmax_s16x2(a[I], b[I], &h, &l); o[I] = r + 2 * h + l; }
K(video_add_minimum)(int *o, const int *a, const int *b, const int *c) { o[I] = __viaddmin_s32(a[I], b[I], c[I]) + __viaddmax_s32_relu(a[I], b[I], c[I]); }
K(video_compare_bytes)(u *o, const u *a, const u *b) { o[I] = __vcmpgtu4(a[I], b[I]) | __vseteq4(a[I], b[I]); }
K(video_add_selected)(int *o, const int *a, const int *b, int c) { int r; asm("vadd.s32.s32.s32.sat %0, %1.b1, %2.h1;" : "=r"(r) : "r"(a[I]), "r"(b[I])); o[I] = r + c; }
K(video_multiply_add)(int *o, const int *a, const int *b, int c) { int r; asm("vmad.s32.s32.u32.shr7 %0, %1.h0, %2.b3, %3;" : "=r"(r) : "r"(a[I]), "r"(b[I]), "r"(c)); o[I] = r; }
K(video_set)(u *o, const u *a, const u *b) { u r; asm("vset.u32.u32.lt %0, %1.b0, %2.b2;" : "=r"(r) : "r"(a[I]), "r"(b[I])); o[I] = r; }
K(bit_crc32)(u *o, const unsigned char *a, int n)
{
	u c = ~0u;
	for (int i = 0; i < n; i++) {
		c ^= a[I * n + i];
		for (int k = 0; k < 8; k++)
			c = (c >> 1) ^ (0xedb88320u & -(c & 1));
	}
	o[I] = ~c;
}

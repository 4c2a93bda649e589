#include "example.h"

static uint32_t right(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

/* The round constants are the first 32 bits of the fractional parts of the cube roots of the first 64 primes. They are computed in integers, so that
 * no table is needed. */
static void round_constants(uint32_t k[64])
{
	unsigned found = 0;
	for (unsigned candidate = 2; found < 64; candidate++) {
		bool prime = true;
		for (unsigned d = 2; d * d <= candidate; d++)
			prime = prime && candidate % d;
		if (!prime)
			continue;
		/* The largest x with x^3 <= candidate * 2^96 has 3 integer bits and the 32 bits of the fraction. */
		uint64_t x = 0;
		for (uint64_t bit = UINT64_C(1) << 35; bit; bit >>= 1) {
			uint64_t y = x | bit;
			/* Compares y^3 with candidate * 2^96. The product is y^2, of 72 bits, times y, of 108 bits in all, in 32-bit limbs. */
			uint64_t lo = (y & 0xffffffff) * (y & 0xffffffff), mid = 2 * (y >> 32) * (y & 0xffffffff), hi = (y >> 32) * (y >> 32);
			uint64_t s0 = lo & 0xffffffff, s1 = (lo >> 32) + (mid & 0xffffffff), s2 = (mid >> 32) + hi + (s1 >> 32);
			s1 &= 0xffffffff;
			uint64_t y0 = y & 0xffffffff, y1 = y >> 32;
			uint64_t p0 = s0 * y0, p1 = (p0 >> 32) + (s1 * y0 & 0xffffffff) + (s0 * y1 & 0xffffffff);
			uint64_t p2 = (p1 >> 32) + (s1 * y0 >> 32) + (s0 * y1 >> 32) + (s2 * y0 & 0xffffffff) + (s1 * y1 & 0xffffffff);
			uint64_t p3 = (p2 >> 32) + (s2 * y0 >> 32) + (s1 * y1 >> 32) + s2 * y1;
			if (p3 < candidate || (p3 == candidate && !(p2 & 0xffffffff) && !(p1 & 0xffffffff) && !(p0 & 0xffffffff)))
				x = y;
		}
		k[found++] = (uint32_t)x;
	}
}

static void reference(const unsigned char *text, uint32_t length, const uint32_t k[64], uint32_t h[8])
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	uint32_t bytes = (length + 9 + 63) / 64 * 64;
	unsigned char *padded = hd_xcalloc(bytes, 1);
	memcpy(padded, text, length);
	padded[length] = 0x80;
	for (unsigned i = 0; i < 4; i++)
		padded[bytes - 1 - i] = (unsigned char)(length * 8 >> i * 8);
	memcpy(h, start, sizeof start);
	for (uint32_t at = 0; at < bytes; at += 64) {
		uint32_t w[64], v[8];
		for (unsigned t = 0; t < 16; t++) {
			const unsigned char *p = padded + at + t * 4;
			w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
		}
		for (unsigned t = 16; t < 64; t++)
			w[t] = w[t - 16] + (right(w[t - 15], 7) ^ right(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 7] +
			       (right(w[t - 2], 17) ^ right(w[t - 2], 19) ^ w[t - 2] >> 10);
		memcpy(v, h, sizeof v);
		for (unsigned t = 0; t < 64; t++) {
			uint32_t t1 = v[7] + (right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[t] + w[t];
			uint32_t t2 = (right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
			memmove(v + 1, v, 7 * sizeof *v);
			v[4] += t1;
			v[0] = t1 + t2;
		}
		for (unsigned i = 0; i < 8; i++)
			h[i] += v[i];
	}
	free(padded);
}

static void host(ex_run *run, unsigned size)
{
	static const uint32_t sizes[] = {1, 33, 400};
	uint32_t n = sizes[size], at = 3, k[64];
	uint64_t seed = 13;
	uint32_t *first = hd_xmalloc((n + 1) * sizeof *first), *expected = hd_xmalloc(n * 8 * sizeof *expected);
	unsigned char *text = hd_xmalloc(3 + n * 256);
	round_constants(k);
	memcpy(text, "abc", 3); /* the first message; its digest is in the standard */
	first[0] = 0;
	for (uint32_t m = 1; m <= n; m++) {
		first[m] = at;
		for (uint32_t length = ex_random_below(&seed, 256); length; length--)
			text[at++] = (unsigned char)hd_random(&seed);
	}
	for (uint32_t m = 0; m < n; m++)
		reference(text + first[m], first[m + 1] - first[m], k, expected + m * 8);
	hd_invariant(expected[0] == 0xba7816bf && expected[7] == 0xf20015ad, "sha256: the reference is wrong for \"abc\": %08x ... %08x", expected[0],
	             expected[7]);
	unsigned text_buffer = ex_buffer(run, "text", at, text), first_buffer = ex_buffer(run, "first", (n + 1) * sizeof *first, first);
	unsigned digest = ex_buffer(run, "digest", n * 8 * sizeof *expected, NULL);
	ex_launch(run, "sha256", ex_1d(ex_groups(n, 64), 64), ex_buf(text_buffer), ex_buf(first_buffer), ex_buf(digest), ex_u32(n));
	ex_expect_u32(run, digest, expected, n * 8);
	free(first);
	free(expected);
	free(text);
}

const ex_example ex_sha256 = {
    .name = "sha256",
    .source = "sha256/sha256.cl",
    .about = "SHA-256 of messages of many lengths",
    .host = host,
    .sizes = {"1", "33", "400"},
};

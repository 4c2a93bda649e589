/* Instructions that take a shift, a position or a width: every value of the list for each, below and far beyond the word, in registers and as
 * constants, against PTX's definition. */
#include "run.h"

static const uint32_t values[] = {0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 260, 0x80000001, UINT32_MAX};
enum { N = HD_COUNT(values), PAIRS = N * N };
#define A UINT64_C(0x9234567889abcdef) /* negative in 16, 32 and 64 bits */
#define B UINT64_C(0xfedcba9876543210)

typedef enum kind { SHL, SHR, SHF_L, SHF_R, BFE, BFI, BMSK, SZEXT_U, SZEXT_S } kind;
typedef struct row {
	const char *text; /* P and Q stand for the two operands */
	kind kind;
	unsigned bits;
	bool special; /* signed, or wraps */
} row;

static const row rows[] = {
    {"shl.b16 %h0, %h1, P;", SHL, 16, false},
    {"shl.b32 %r0, %r1, P;", SHL, 32, false},
    {"shl.b64 %rd0, %rd1, P;", SHL, 64, false},
    {"shr.u16 %h0, %h1, P;", SHR, 16, false},
    {"shr.s16 %h0, %h1, P;", SHR, 16, true},
    {"shr.b16 %h0, %h1, P;", SHR, 16, false},
    {"shr.u32 %r0, %r1, P;", SHR, 32, false},
    {"shr.s32 %r0, %r1, P;", SHR, 32, true},
    {"shr.b32 %r0, %r1, P;", SHR, 32, false},
    {"shr.u64 %rd0, %rd1, P;", SHR, 64, false},
    {"shr.s64 %rd0, %rd1, P;", SHR, 64, true},
    {"shf.l.clamp.b32 %r0, %r1, %r2, P;", SHF_L, 32, false},
    {"shf.l.wrap.b32 %r0, %r1, %r2, P;", SHF_L, 32, true},
    {"shf.r.clamp.b32 %r0, %r1, %r2, P;", SHF_R, 32, false},
    {"shf.r.wrap.b32 %r0, %r1, %r2, P;", SHF_R, 32, true},
    {"bfe.u32 %r0, %r1, P, Q;", BFE, 32, false},
    {"bfe.s32 %r0, %r1, P, Q;", BFE, 32, true},
    {"bfe.u64 %rd0, %rd1, P, Q;", BFE, 64, false},
    {"bfe.s64 %rd0, %rd1, P, Q;", BFE, 64, true},
    {"bfi.b32 %r0, %r1, %r2, P, Q;", BFI, 32, false},
    {"bfi.b64 %rd0, %rd1, %rd2, P, Q;", BFI, 64, false},
    {"bmsk.clamp.b32 %r0, P, Q;", BMSK, 32, false},
    {"bmsk.wrap.b32 %r0, P, Q;", BMSK, 32, true},
    {"szext.clamp.u32 %r0, %r1, P;", SZEXT_U, 32, false},
    {"szext.wrap.u32 %r0, %r1, P;", SZEXT_U, 32, true},
    {"szext.clamp.s32 %r0, %r1, P;", SZEXT_S, 32, false},
    {"szext.wrap.s32 %r0, %r1, P;", SZEXT_S, 32, true},
};

static uint64_t within(uint64_t x, unsigned bits) { return bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1); }
static unsigned bit(uint64_t x, unsigned i) { return x >> i & 1; }

static uint64_t field(const row *r, uint32_t p, uint32_t q)
{
	unsigned msb = r->bits - 1, at = p & 255, n = q & 255;
	uint64_t sign = r->special && n ? bit(A, hd_min_u32(at + n - 1, msb)) : 0, d = 0;
	for (unsigned i = 0; i <= msb; i++)
		d |= (i < n && at + i <= msb ? bit(A, at + i) : sign) << i;
	return d;
}

static uint64_t inserted(const row *r, uint32_t p, uint32_t q)
{
	uint64_t d = within(B, r->bits);
	for (unsigned i = 0; i < (q & 255) && (p & 255) + i < r->bits; i++)
		d = (d & ~(UINT64_C(1) << ((p & 255) + i))) | (uint64_t)bit(A, i) << ((p & 255) + i);
	return d;
}

static uint64_t wanted(const row *r, uint32_t p, uint32_t q)
{
	unsigned n = r->special && (r->kind == SHF_L || r->kind == SHF_R) ? p & 31 : hd_min_u32(p, r->bits);
	uint64_t pair = (B & UINT32_MAX) << 32 | (A & UINT32_MAX), d = 0;
	switch (r->kind) {
	case SHL:
		return n >= r->bits ? 0 : within(A << n, r->bits);
	case SHR:
		for (unsigned i = 0; i < r->bits; i++)
			d |= (uint64_t)(i + n < r->bits ? bit(A, i + n) : r->special) << i;
		return d;
	case SHF_L:
		return n == 0 ? pair >> 32 : within(pair >> (32 - n), 32);
	case SHF_R:
		return n == 32 ? pair >> 32 : within(pair >> n, 32);
	case BFE:
		return field(r, p, q);
	case BFI:
		return inserted(r, p, q);
	case SZEXT_U:
	case SZEXT_S:
		n = r->special ? p & 31 : n;
		for (unsigned i = 0; i < 32 && n; i++)
			d |= (uint64_t)(i < n ? bit(A, i) : r->kind == SZEXT_S && bit(A, n - 1)) << i;
		return d;
	default:
		if (r->special)
			return within(((UINT64_C(1) << (q & 31)) - 1) << (p & 31), 32);
		return p >= 32 ? 0 : within((q >= 32 ? UINT32_MAX : (UINT64_C(1) << q) - 1) << p, 32);
	}
}

/* The instruction with its operands, and its result in %rd0. */
static void put(hd_text *text, const row *r, const char *p, const char *q)
{
	for (const char *at = r->text; *at; at++)
		if (*at == 'P' || *at == 'Q')
			hd_text_printf(text, "%s", *at == 'P' ? p : q);
		else
			hd_text_put(text, at, 1);
	hd_text_printf(text, "%s\n", r->bits == 16 ? " cvt.u64.u16 %rd0, %h0;" : r->bits == 32 ? " cvt.u64.u32 %rd0, %r0;" : "");
}

static void check(const row *r, bool constants)
{
	static uint32_t in[2 * PAIRS];
	static uint64_t out[PAIRS];
	hd_text text = {0};
	hd_text_printf(&text, ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 pin, .param .u64 pout)\n{\n"
	                      ".reg .b16 %%h<2>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p1;\n"
	                      "ld.param.u64 %%rd4, [pin]; ld.param.u64 %%rd5, [pout]; mov.u32 %%r8, %%tid.x; mul.wide.u32 %%rd6, %%r8, 8;\n"
	                      "add.s64 %%rd4, %%rd4, %%rd6; ld.global.v2.u32 {%%r6, %%r7}, [%%rd4]; add.s64 %%rd7, %%rd5, %%rd6;\n"
	                      "ld.global.u64 %%rd1, [%%rd5]; ld.global.u64 %%rd2, [%%rd5+8]; bar.sync 0;\n"
	                      "cvt.u32.u64 %%r1, %%rd1; cvt.u16.u64 %%h1, %%rd1; cvt.u32.u64 %%r2, %%rd2;\n");
	for (unsigned i = 0; i < PAIRS; i++) {
		char p[16], q[16], offset[64];
		in[2 * i] = values[i / N];
		in[2 * i + 1] = values[i % N];
		if (!constants)
			continue;
		snprintf(p, sizeof p, "%u", values[i / N]);
		snprintf(q, sizeof q, "%u", values[i % N]);
		snprintf(offset, sizeof offset, "st.global.u64 [%%rd5+%u], %%rd0;\n", 8 * i);
		put(&text, r, p, q);
		hd_text_put(&text, offset, strlen(offset));
	}
	if (!constants) {
		put(&text, r, "%r6", "%r7");
		hd_text_printf(&text, "st.global.u64 [%%rd7], %%rd0;\n");
	}
	hd_text_printf(&text, "ret;\n}\n");
	out[0] = A;
	out[1] = B;
	run_ptx(text.at, "k", constants ? 1 : PAIRS, in, sizeof in, out, sizeof out, NULL, 0);
	for (unsigned i = 0; i < PAIRS; i++)
		if (out[i] != wanted(r, values[i / N], values[i % N]))
			fail_msg("%s (%s) P %u, Q %u: %llx, expected %llx", r->text, constants ? "constants" : "registers", values[i / N],
			         values[i % N], (unsigned long long)out[i], (unsigned long long)wanted(r, values[i / N], values[i % N]));
	hd_text_free(&text);
}

TEST(every_value)
{
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		for (int constants = 0; constants < 2; constants++)
			check(&rows[i], constants);
}

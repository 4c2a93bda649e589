/* Runs one operation on 32 lanes of 64-bit operands through every path that this host has, and insists that the paths agree. */
#ifndef HD_TEST_LANES_H
#define HD_TEST_LANES_H

#include "semantics/vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

typedef struct lanes {
	uint64_t a[HD_LANES], b[HD_LANES], c[HD_LANES];
	uint32_t mask, p[3];
} lanes;

typedef struct results {
	uint64_t d[HD_LANES];
	uint32_t p;
} results;

static inline void split(hd_vec32 to[2], const uint64_t from[HD_LANES])
{
	for (unsigned i = 0; i < HD_LANES; i++) {
		to[0].v[i] = (uint32_t)from[i];
		to[1].v[i] = (uint32_t)(from[i] >> 32);
	}
}

static inline void run_path(hd_sem_fn *fn, const hd_inst *inst, const lanes *in, results *to)
{
	hd_vec32 a[2], b[2], c[2];
	hd_sem_out out;
	memset(&out, 0, sizeof out);
	split(a, in->a);
	split(b, in->b);
	split(c, in->c);
	hd_sem_in sem = {.a = a, .b = b, .c = c, .mask = in->mask, .p = {in->p[0], in->p[1], in->p[2]}, .special = a};
	fn(inst, &sem, &out);
	for (unsigned i = 0; i < HD_LANES; i++)
		to->d[i] = out.r[0].v[i] | (hd_ops[inst->op].d == HD_W_D ? (uint64_t)out.r[1].v[i] << 32 : 0);
	to->p = out.p & in->mask;
}

static inline void run_lanes(const hd_inst *inst, const lanes *in, results *to)
{
	hd_sem_fn *generic = hd_sem_find_generic(inst), *v3 = hd_sem_find_v3(inst);
	results other;
	assert_non_null(generic);
	run_path(generic, inst, in, to);
	if (!v3)
		return;
	run_path(v3, inst, in, &other);
	for (unsigned i = 0; i < HD_LANES; i++)
		if (in->mask >> i & 1 && to->d[i] != other.d[i])
			fail_msg("%s sub %u mod %u: lane %u of a = %llx b = %llx c = %llx is %llx by the generic path and %llx by v3",
			         hd_ops[inst->op].mnemonic, inst->sub, inst->mod, i, (unsigned long long)in->a[i], (unsigned long long)in->b[i],
			         (unsigned long long)in->c[i], (unsigned long long)to->d[i], (unsigned long long)other.d[i]);
	if (to->p != other.p)
		fail_msg("%s sub %u mod %u: predicates %08x by the generic path and %08x by v3", hd_ops[inst->op].mnemonic, inst->sub, inst->mod,
		         to->p, other.p);
}

/* Operands that find mistakes: small numbers, ends of ranges, floats of every kind, and anything. */
static inline uint64_t any_operand(uint64_t *seed)
{
	static const uint64_t edges[] = {0,
	                                 1,
	                                 2,
	                                 3,
	                                 31,
	                                 32,
	                                 33,
	                                 63,
	                                 64,
	                                 65,
	                                 127,
	                                 128,
	                                 255,
	                                 256,
	                                 0x7f,
	                                 0x80,
	                                 0x7fff,
	                                 0x8000,
	                                 0xffff,
	                                 0x7fffffff,
	                                 0x80000000,
	                                 0xffffffff,
	                                 0x3f800000,
	                                 0xbf800000,
	                                 0x3f000000,
	                                 0x40490fdb,
	                                 0x7f800000,
	                                 0xff800000,
	                                 0x7fc00000,
	                                 0x7f800001,
	                                 0x00000001,
	                                 0x007fffff,
	                                 0x00800000,
	                                 0x807fffff,
	                                 0x7f7fffff,
	                                 0x4b800000,
	                                 0x4f000000,
	                                 0x4effffff,
	                                 0x5f000000,
	                                 0xcf000000,
	                                 0x47800000,
	                                 0x477fe000,
	                                 0x477ff000,
	                                 0x38800000,
	                                 0x33000000,
	                                 0x33000001,
	                                 0x3c00,
	                                 0x7bff,
	                                 0x7c00,
	                                 0x7e00,
	                                 0xfc00,
	                                 0x0400,
	                                 0x03ff,
	                                 0x8000,
	                                 0x7fffffffffffffff,
	                                 0x8000000000000000,
	                                 0xffffffffffffffff,
	                                 0x3ff0000000000000,
	                                 0xbff0000000000000,
	                                 0x3fe0000000000000,
	                                 0x4330000000000000,
	                                 0x43e0000000000000,
	                                 0xc3e0000000000000,
	                                 0x43f0000000000000,
	                                 0x41e0000000000000,
	                                 0x41dfffffffc00000,
	                                 0x7ff0000000000000,
	                                 0xfff0000000000000,
	                                 0x7ff8000000000000,
	                                 0x7ff0000000000001,
	                                 0x000fffffffffffff,
	                                 0x0010000000000000,
	                                 0x7fefffffffffffff,
	                                 0x47efffffe0000000,
	                                 0x47efffffefffffff,
	                                 0x47effffff0000000,
	                                 0x36a0000000000000,
	                                 0x3690000000000001,
	                                 0x380fffffe0000000,
	                                 0x00000000ffffffff,
	                                 0xffffffff00000000};
	uint64_t r = hd_random(seed), x = hd_random(seed);
	switch (r % 10) {
	case 0:
	case 1:
	case 2:
		return edges[x % HD_COUNT(edges)];
	case 3:
		return edges[x % HD_COUNT(edges)] ^ (uint64_t)1 << (x >> 32 & 63);
	case 4:
		return x >> (r >> 32 & 63);
	case 5:
		return (uint64_t)((int64_t)x >> (r >> 32 & 63));
	case 6: /* floats near one another */
		return (x & 0x807fffff) | (uint64_t)(120 + (r >> 32) % 40) << 23;
	case 7:
		return (x & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1000 + (r >> 32) % 100) << 52;
	default:
		return x;
	}
}

#endif

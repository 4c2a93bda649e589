/* Runs one operation on 32 lanes of 64-bit operands through every path that this host has, and insists that the paths agree. */
#ifndef HD_TEST_LANES_H
#define HD_TEST_LANES_H

#include "operand.h"
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

#endif

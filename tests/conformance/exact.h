/* Cases whose results are exact integers: expected values in an array of cf_wide, compared in the result's type. */
#ifndef EXACT_H
#define EXACT_H

#include "conformance.h"

#include <math.h>
#include <string.h>

typedef struct exact_expect {
	cf_wide value;
	bool any; /* the specification leaves the result open */
} exact_expect;

static inline double exact_check(const cf_case *c, unsigned width, size_t i, void *const arg[CF_ARGS], const void *expect, const void *r,
                                 const void *q)
{
	(void)arg, (void)q;
	const exact_expect *e = (const exact_expect *)expect + i;
	const char *type = width > 1 && c->r_vector ? c->r_vector : c->r;
	/* Relational functions: 1 for true in a scalar, all bits in a vector. */
	cf_wide value = width > 1 && c->r_vector ? -e->value : e->value, got = cf_integer(type, r, i);
	uint64_t mask = ~(uint64_t)0 >> (64 - 8 * cf_size(type));
	return e->any || ((uint64_t)value & mask) == ((uint64_t)got & mask) ? 0 : INFINITY;
}

static inline void exact_tell(const cf_case *c, size_t i, void *const arg[CF_ARGS], const void *expect, const void *r, const void *q, char *text,
                              size_t size)
{
	(void)q;
	const exact_expect *e = (const exact_expect *)expect + i;
	size_t used = (size_t)snprintf(text, size, "of");
	for (unsigned a = 0; a < CF_ARGS && c->arg[a] && used < size; a++)
		used += (size_t)(cf_is_float(c->arg[a]) ? snprintf(text + used, size - used, " %a", cf_real(c->arg[a], arg[a], i))
		                                        : snprintf(text + used, size - used, " %lld", (long long)cf_integer(c->arg[a], arg[a], i)));
	if (used < size)
		snprintf(text + used, size - used, ": %lld, expected %lld", (long long)cf_integer(c->r, r, i), (long long)e->value);
}

#define EXACT_CASE .bound = -1, .check = exact_check, .tell = exact_tell, .expect_bytes = sizeof(exact_expect)

#endif

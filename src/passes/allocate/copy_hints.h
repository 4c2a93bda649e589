/* Which places make copies vanish: for a copy from x to y, y should get the place of x, and x that of y. */
#ifndef HD_COPY_HINTS_H
#define HD_COPY_HINTS_H

#include "ir/ir.h"

typedef struct hd_copy_hint {
	uint32_t vreg, other; /* `vreg` should be placed at the place of `other` + delta */
	uint32_t weight;      /* of the copy, by loop depth */
	int32_t delta;
} hd_copy_hint;

typedef struct hd_copy_hints {
	HD_VEC(hd_copy_hint) all; /* by vreg, then by descending weight */
	uint32_t *first;          /* of each virtual register: its first hint; and at the end, the number of hints */
} hd_copy_hints;

/* Requires: virtual registers, loop depths. The caller frees the result with hd_copy_hints_free. */
hd_copy_hints hd_copy_hints_new(const hd_ir_function *f);
void hd_copy_hints_free(hd_copy_hints *hints);

#endif

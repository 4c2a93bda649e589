/* Expansion of pseudo operations (LU-1), in parts: expand.c (which, and vectors), expand_integer.c, expand_float.c. */
#ifndef HD_EXPAND_H
#define HD_EXPAND_H

#include "passes/passes.h"

/* Where sub-instructions go. */
typedef struct hd_expander {
	hd_ir_module *module;
	hd_ir_function *function;
	HD_VEC(hd_ir_inst *) out;
	const hd_ir_inst *inst; /* that is being expanded: guard and location */
} hd_expander;

/* Appends op with up to three sources (kind NONE ends the list) and returns its result, a new register of the row's width. Intermediate values
 * are computed in all lanes; the guard concerns the last sub-instruction alone, see hd_expand_last. */
hd_opd hd_expand_op(hd_expander *x, unsigned op, hd_opd a, hd_opd b, hd_opd c);
/* The same with a sub-operation and a rounding. */
hd_opd hd_expand_sub(hd_expander *x, unsigned op, unsigned sub, unsigned mod, hd_opd a, hd_opd b);
/* p ? a : b */
hd_opd hd_expand_select(hd_expander *x, hd_opd p, hd_opd a, hd_opd b);
/* Makes the latest sub-instruction write destination `d` of the pseudo operation, under its guard. */
void hd_expand_last(hd_expander *x, unsigned d);

void hd_expand_integer_division(hd_expander *x);
void hd_expand_float_division(hd_expander *x);
void hd_expand_square_root(hd_expander *x);

#endif

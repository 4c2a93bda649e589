/* Builds the sub-instructions that replace a pseudo operation (LU-1). */
#ifndef HD_EXPANDER_H
#define HD_EXPANDER_H

#include "ir/ir.h"

typedef struct hd_expander {
	hd_ir_module *module;
	hd_ir_function *function;
	hd_ir_insts out;        /* sub-instructions are appended here */
	const hd_ir_inst *inst; /* the pseudo operation: its guard, location, rounding mode and destinations */
} hd_expander;

/* Appends an operation with up to three sources; kind NONE ends their list. Returns its result, a new register of the row's width. Intermediate
 * values are computed in all lanes, whatever the guard of the pseudo operation is. */
hd_opd hd_expand_op(hd_expander *x, unsigned op, hd_opd a, hd_opd b, hd_opd c);
/* The same with two sources, a sub-operation and a rounding mode. */
hd_opd hd_expand_sub(hd_expander *x, unsigned op, unsigned sub, unsigned mod, hd_opd a, hd_opd b);
/* p ? a : b */
hd_opd hd_expand_select(hd_expander *x, hd_opd p, hd_opd a, hd_opd b);
/* The latest sub-instruction rounds as the pseudo operation says. */
void hd_expand_rounded(hd_expander *x);
/* The latest sub-instruction writes destination `d` of the pseudo operation, under its guard. Requires: no later sub-instruction reads a source of
 * the pseudo operation, as a destination may be one of them. */
void hd_expand_result(hd_expander *x, unsigned d);

#endif

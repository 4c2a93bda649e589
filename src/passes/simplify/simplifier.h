/* The state of one round of simplification. */
#ifndef HD_SIMPLIFIER_H
#define HD_SIMPLIFIER_H

#include "passes/simplify/values.h"

typedef struct hd_simplifier {
	hd_ir_module *module;
	hd_ir_function *function;
	hd_values values;
	bool changed; /* in this round */
} hd_simplifier;

/* The instruction becomes a copy of `from` to its first destination, under its own guard. Requires: that is a register of 1 or 2 words. */
void hd_make_copy(hd_simplifier *s, hd_ir_inst *inst, hd_opd from);

#endif

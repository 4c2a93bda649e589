#ifndef HD_PEEPHOLE_H
#define HD_PEEPHOLE_H

#include "passes/simplify/simplifier.h"

/* Simplifies one instruction:
 *
 *  - sources that are copies are replaced by what is copied, also constants, bank words and frame addresses where the format takes them;
 *  - integer operations on constants are folded; sums of constants are combined; multiplications by powers of two become shifts;
 *  - constant additions to an address go into the offset; loads of constants at constant addresses become bank operands;
 *  - negations go into float sums and fused products.
 *
 * Sets s->changed when another round may find more. */
void hd_simplify_inst(hd_simplifier *s, hd_ir_inst *inst);
/* A condition or guard: looks through copies and negations. */
void hd_simplify_predicate(hd_simplifier *s, hd_opd *o);

#endif

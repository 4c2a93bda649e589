#ifndef HD_COMMON_SUBEXPRESSIONS_H
#define HD_COMMON_SUBEXPRESSIONS_H

#include "passes/simplify/simplifier.h"

/* An instruction that computes what an earlier one of its block computed becomes a copy; a read of a special register, other than a clock, also if
 * the earlier one is in a dominating block. (Elsewhere a longer live range may cost more than the computation.) Result and operands must be values.
 * Sets s->changed when it changes something. */
void hd_merge_common_subexpressions(hd_simplifier *s);

#endif

#ifndef HD_EXPAND_FLOAT_H
#define HD_EXPAND_FLOAT_H

#include "passes/lower/expander.h"

/* Append the sub-instructions of FDIV, FRCPR, DDIV and DRCP; of FSQRT and DSQRT. The results are correctly rounded in every mode; docs/compiler.md
 * has the proofs. */
void hd_expand_float_division(hd_expander *x);
void hd_expand_square_root(hd_expander *x);

#endif

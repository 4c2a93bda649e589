#ifndef HD_EXPAND_INTEGER_H
#define HD_EXPAND_INTEGER_H

#include "passes/lower/expander.h"

/* Appends the sub-instructions of UDIV, SDIV, UREM, SREM and their 64-bit forms: exact for all operands, without branches (docs/compiler.md). */
void hd_expand_integer_division(hd_expander *x);

#endif

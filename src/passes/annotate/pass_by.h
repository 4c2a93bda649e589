#ifndef HD_PASS_BY_H
#define HD_PASS_BY_H

#include "config/machine.h"
#include "ir/ir.h"

/* Marks results that do not enter the operand buffer (LU-4): `release` of an instruction that raises no counter. A result passes by when, by a
 * simulation of the block and of what follows, another value displaces it before its reads have saved as much energy as its stay costs. The mark
 * changes no value and no order. Requires: allocated, counters are assigned, last uses are marked. Does nothing on a machine without an operand
 * buffer. */
void hd_mark_pass_by(hd_ir_function *function, const hd_machine *machine);

#endif

#ifndef HD_HOIST_CONSTANTS_H
#define HD_HOIST_CONSTANTS_H

#include "ir/ir.h"

/* Moves constants that memory instructions in loops read from registers out of all loops. A memory instruction may keep its operands in use until it
 * is done (HZ-4: its one counter may be released by the write alone), and the loop would wait before it writes the same constant again. Moves 16
 * words in a function at most, as they occupy registers in all of the loop. */
void hd_hoist_constants(hd_ir_function *function);

#endif

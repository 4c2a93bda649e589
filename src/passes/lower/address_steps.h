#ifndef HD_ADDRESS_STEPS_H
#define HD_ADDRESS_STEPS_H

#include "ir/ir.h"

/* `store [a]; a += c` becomes `a += c; store [a - c]` where the store waits for its data anyway. The addition would have to wait until the store has
 * read its address, or, where a barrier waits for the store, until the store is done, as a primary has one release (HZ-4). Requires: legalised. */
void hd_move_address_steps(hd_ir_function *function);

#endif

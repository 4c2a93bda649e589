#ifndef HD_DEAD_CODE_H
#define HD_DEAD_CODE_H

#include "ir/ir.h"

/* Removes instructions without effects whose results have no readers, and then those that only they read, for eight rounds at most. Loads can go,
 * except volatile ones. */
void hd_remove_dead_code(hd_ir_function *f);

#endif

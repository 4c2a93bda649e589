#ifndef HD_EXPAND_H
#define HD_EXPAND_H

#include "passes/pass.h"

/* Pseudo operations become sub-instructions of one operation each (LU-1), and vanish if no result is wanted. CALLF and FADDR stay: the allocator and
 * the legaliser lower them. A sub-instruction never writes what a later one reads: only the last ones write the destinations. */
bool hd_pass_expand(hd_ir_module *module, const hd_pass_context *context);

#endif

#ifndef HD_LEGALISE_H
#define HD_LEGALISE_H

#include "passes/pass.h"

/* After this pass every operand can be encoded:
 *
 *  - an immediate is 0 (the zero register), or the 16-bit immediate of its operation, or a literal of the program (literal_pool.h), or it was put
 *    into a register. An instruction has at most one bank operand or immediate that is not 0;
 *  - a bank operand is one that the format takes, within the first 256 words;
 *  - memory offsets fit 16 bits; addresses are registers, for loads also bank words, for local memory also frame addresses.
 *
 * Then constants of memory instructions leave loops (hoist_constants.h), and address increments go before stores (address_steps.h). Requires:
 * expanded. */
bool hd_pass_legalise(hd_ir_module *module, const hd_pass_context *context);

#endif

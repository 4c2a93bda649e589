#ifndef HD_LEGALISE_H
#define HD_LEGALISE_H

#include "passes/passes.h"

/* Constant-bank word of a literal that hd_pass_legalise chose; false if it did not. Pairs are even. */
bool hd_literal_word(const hd_ir_module *module, uint64_t value, unsigned words, uint32_t *word);

/* hoist.c: constants for accesses to memory, out of loops. A step of hd_pass_legalise. */
void hd_hoist_constants(hd_ir_module *module, hd_ir_function *function);
/* advance.c: sums of addresses before the stores that use the old ones. The last step of hd_pass_legalise. */
void hd_advance_steps(hd_ir_function *function);

#endif

#ifndef HD_LEGALISE_H
#define HD_LEGALISE_H

#include "passes/passes.h"

/* Constant-bank word of a literal that hd_pass_legalise chose; false if it did not. Pairs are even. */
bool hd_literal_word(const hd_ir_module *module, uint64_t value, unsigned words, uint32_t *word);

#endif

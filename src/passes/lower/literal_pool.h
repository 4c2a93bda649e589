/* The literal pool: constants of the program at the top of the constant bank, which instructions name as bank operands. */
#ifndef HD_LITERAL_POOL_H
#define HD_LITERAL_POOL_H

#include "ir/ir.h"

typedef struct hd_literal {
	uint64_t value;
	uint8_t words;   /* 1 or 2 */
	uint64_t weight; /* uses, by loop depth */
	uint32_t order;  /* of the first use */
} hd_literal;

/* Zeroed = empty. */
typedef struct hd_literal_pool {
	HD_VEC(hd_literal) literals; /* wanted ones; once chosen, sorted */
} hd_literal_pool;

/* A use of a constant that would be a literal. */
void hd_literal_pool_want(hd_literal_pool *pool, uint64_t value, unsigned words, uint32_t weight);
/* Keeps the literals that save most, as many as there is room for beside the kernels' parameters, and puts them into module->literals: pairs first,
 * so that they are at even words. */
void hd_literal_pool_choose(hd_literal_pool *pool, hd_ir_module *module);
/* Was it chosen? */
bool hd_literal_pool_has(const hd_literal_pool *pool, uint64_t value, unsigned words);
void hd_literal_pool_free(hd_literal_pool *pool);

/* *word: the constant-bank word of a chosen literal. False: it is not in module->literals. */
bool hd_literal_word(const hd_ir_module *module, uint64_t value, unsigned words, uint32_t *word);

#endif

/* Where lanes that a branch has separated can come together again (RC-16). Both baselines of divergence build on it: the stack pushes a token for
 * such a place, and the convergence barriers have one.
 *
 * Blocks are in layout order. An edge to the same or a lower number is *backward*; every other edge is *forward*. A *loop* is the range of blocks
 * from the target of a backward edge, its *header*, to the last source of a backward edge to it. A range that crosses another one grows, so that
 * loops are nested or apart. */
#ifndef HD_JOINS_H
#define HD_JOINS_H

#include "ir/ir.h"

#define HD_NO_BLOCK UINT32_MAX

typedef struct hd_joins {
	const hd_ir_function *function;
	uint32_t n;          /* blocks */
	uint32_t *last;      /* by header: the last block of its loop; HD_NO_BLOCK: the block is no header */
	uint32_t *inner;     /* by block: the header of the innermost loop around it; HD_NO_BLOCK = none */
	uint32_t *outer;     /* by header: the header of the next loop around its loop; HD_NO_BLOCK = none */
	uint32_t *dominator; /* by block: the immediate one; the entry's is itself; HD_NO_BLOCK: the block cannot be reached */
	uint32_t *label;     /* working memory of hd_joins_of */
} hd_joins;

/* Requires: hd_ir_link was called. The caller frees the result with hd_joins_free. The result is valid until the control flow changes. */
hd_joins hd_joins_new(const hd_ir_function *function);
void hd_joins_free(hd_joins *joins);

/* Adds to `found` (n bits) every block where lanes that block b's branch has separated can meet for the first time:
 *
 *  1. a block to which two ways from the branch lead that have no other block in common,
 *  2. the header of a loop around the branch, if lanes come to its end by two such ways,
 *  3. a block outside of a loop around the branch, if some lanes go there and others stay in the loop. */
void hd_joins_of(const hd_joins *joins, uint32_t b, hd_bits *found);

/* Does every way from the entry to `below` lead through `above`, or are the two the same block? */
bool hd_joins_dominates(const hd_joins *joins, uint32_t above, uint32_t below);
/* Is the block in the loop with this header? */
static inline bool hd_joins_in_loop(const hd_joins *joins, uint32_t header, uint32_t block)
{
	return block >= header && block <= joins->last[header];
}
/* The outermost loop around `block` that does not contain `other`; HD_NO_BLOCK = none. */
uint32_t hd_joins_loop_without(const hd_joins *joins, uint32_t block, uint32_t other);

#endif

/* Immediate post-dominators, for the baseline's reconvergence (RC-16).
 *
 * Paths that end early do not count: lanes that exit or return never come, and the stack does not wait for them. So post-dominators are computed in
 * two rounds: towards the last exit or return in block order, and, for blocks that cannot reach it, towards all others together. (If all ends counted
 * alike, one early return before a barrier would leave the sides of no branch around it a place to meet.) */
#ifndef HD_POST_DOMINATORS_H
#define HD_POST_DOMINATORS_H

#include "ir/ir.h"

#define HD_NO_BLOCK UINT32_MAX

typedef struct hd_post_dominators {
	uint32_t n;          /* blocks */
	uint32_t *round;     /* of each block: 1 or 2; 0 = it reaches no end */
	uint32_t *immediate; /* of each block; n = the end itself; HD_NO_BLOCK = none */
} hd_post_dominators;

/* Requires: hd_ir_link was called. The caller frees the result with hd_post_dominators_free. */
hd_post_dominators hd_post_dominators_new(const hd_ir_function *f);
void hd_post_dominators_free(hd_post_dominators *p);

/* The block where the sides of the branch of b meet; HD_NO_BLOCK if b does not branch, or if the sides are one or belong to different rounds. */
uint32_t hd_reconvergence_point(const hd_post_dominators *p, const hd_ir_function *f, uint32_t b);
/* Does every path from `from`, of those that count, lead through `to`, or is it `to`? */
bool hd_post_dominates(const hd_post_dominators *p, uint32_t to, uint32_t from);

#endif

/* Simplification, in parts: simplify.c (the order of things), simplify_facts.c (definitions and dominance), simplify_inst.c (one instruction),
 * simplify_graph.c (blocks and dead code). No part changes what a program computes, bit for bit. */
#ifndef HD_SIMPLIFY_H
#define HD_SIMPLIFY_H

#include "passes/passes.h"

/* What is known of a virtual register. It is a *value* when it has one definition, of all its words, without a guard, that dominates every use: the
 * IR then is in SSA form as far as it is concerned, and what holds at its definition holds at its uses. */
typedef struct hd_fact {
	hd_ir_inst *def; /* the definition; NULL for a parameter */
	uint32_t block;  /* of the definition */
	uint32_t place;  /* in that block; 0 = before the first */
	uint8_t output;  /* which destination of def */
	bool value;
} hd_fact;

typedef struct hd_simplifier {
	hd_ir_module *module;
	hd_ir_function *function;
	hd_fact *facts;  /* by virtual register */
	uint32_t *order; /* reverse post-order */
	uint32_t reachable;
	uint32_t *dominator; /* immediate, by block */
	uint32_t *position;  /* in the order, by block */
	bool changed;
} hd_simplifier;

void hd_simplify_facts(hd_simplifier *s);
void hd_simplify_facts_free(hd_simplifier *s);
bool hd_simplify_dominates(const hd_simplifier *s, uint32_t above, uint32_t below);

void hd_simplify_inst(hd_simplifier *s, hd_ir_inst *inst);
/* A condition or guard: through copies and negations. */
void hd_simplify_pred(hd_simplifier *s, hd_opd *o);
/* Values computed before, in the same block; special registers wherever they were read before. */
void hd_simplify_common(hd_simplifier *s);

/* Unreachable blocks go; a block with one predecessor that only jumps to it becomes part of it. */
bool hd_simplify_blocks(hd_ir_module *module, hd_ir_function *function);
/* Instructions without effect whose results nobody reads. */
void hd_simplify_dead(hd_ir_function *function);

/* Calls visit(context, operand) for every operand that the instruction reads. */
typedef void hd_simplify_visit(void *context, hd_opd *o);
static inline void hd_simplify_reads(hd_ir_inst *inst, hd_simplify_visit *visit, void *context)
{
	visit(context, &inst->guard);
	for (unsigned i = 0; i < inst->ns; i++)
		visit(context, &inst->s[i]);
}
static inline void hd_simplify_block_reads(hd_ir_block *block, hd_simplify_visit *visit, void *context)
{
	if (block->term == HD_TERM_BRANCH)
		visit(context, &block->pred);
	if (block->term == HD_TERM_SWITCH)
		visit(context, &block->index);
}

#endif

/* Visits what instructions and terminators read. */
#ifndef HD_READS_H
#define HD_READS_H

#include "ir/ir.h"

typedef void hd_read_visitor(void *context, hd_opd *o);

/* The guard and all sources. */
static inline void hd_visit_reads(hd_ir_inst *inst, hd_read_visitor *visit, void *context)
{
	visit(context, &inst->guard);
	for (unsigned i = 0; i < inst->ns; i++)
		visit(context, &inst->s[i]);
}

/* The condition of a branch, the index of a switch. The results of a function are read at its returns, and not visited here. */
static inline void hd_visit_terminator_reads(hd_ir_block *block, hd_read_visitor *visit, void *context)
{
	if (block->term == HD_TERM_BRANCH)
		visit(context, &block->pred);
	if (block->term == HD_TERM_SWITCH)
		visit(context, &block->index);
}

#endif

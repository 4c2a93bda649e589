/* Allocated kernels for tests of annotation, block by block. */
#ifndef TEST_ANNOTATE_RIG_H
#define TEST_ANNOTATE_RIG_H

#include "../ir_builder.h"
#include "config/machine.h"

typedef struct fixture {
	ir_builder b;
	hd_machine machine;
} fixture;

static inline fixture start(unsigned blocks)
{
	fixture x = {.b = ir_new_allocated(blocks)};
	hd_machine_default(&x.machine);
	return x;
}

static inline void stop(fixture *x) { ir_free(&x->b); }

static inline hd_ir_inst *put(fixture *x, unsigned block, unsigned op, hd_opd d, hd_opd a, hd_opd b)
{
	x->b.block = block;
	return ir_put(&x->b, op, d, a, b);
}

/* With the instruction, behind which nothing may be put. */
static inline void jump(fixture *x, unsigned from, unsigned to)
{
	x->b.block = from;
	ir_jump(&x->b, from, to);
	if (to != from + 1)
		ir_put_bra(&x->b, to, none);
}

static inline void branch(fixture *x, unsigned from, unsigned taken, unsigned otherwise)
{
	x->b.block = from;
	ir_branch(&x->b, from, p(0), taken, otherwise);
	ir_put_bra(&x->b, taken, p(0));
}

/* The links and loops that analyses need. */
static inline void link_blocks(fixture *x)
{
	hd_ir_link(x->b.f);
	hd_ir_loops(x->b.f);
}

#endif

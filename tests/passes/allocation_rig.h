/* One function of a module from text, ready for a part of the allocator. */
#ifndef TEST_ALLOCATION_RIG_H
#define TEST_ALLOCATION_RIG_H

#include "../ir_builder.h"
#include "passes/allocate/allocation.h"

typedef struct rig {
	ir_builder b;
	hd_allocation a;
	hd_clobber clobbers[4]; /* by function: nothing, unless a test says so */
} rig;

static inline void rig_start(rig *x, const char *text, uint32_t registers)
{
	*x = (rig){.b = ir_read(text)};
	x->a = (hd_allocation){.module = x->b.m,
	                       .f = x->b.f,
	                       .clobbers = x->clobbers,
	                       .limit = registers,
	                       .predicates = HD_PREDS,
	                       .free_registers = registers,
	                       .stack_pointer = UINT32_MAX,
	                       .zero = UINT32_MAX};
	hd_ir_link(x->b.f);
	hd_ir_loops(x->b.f);
	hd_allocation_extend(&x->a);
}

static inline void rig_stop(rig *x)
{
	hd_vec_free(&x->a.info);
	ir_free(&x->b);
}

#endif

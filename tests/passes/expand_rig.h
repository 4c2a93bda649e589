/* One pseudo operation, expanded and evaluated. */
#ifndef TEST_EXPAND_RIG_H
#define TEST_EXPAND_RIG_H

#include "../run_pass.h"
#include "evaluate.h"
#include "passes/lower/expand.h"

/* One instruction, expanded: registers 0, 1 are the sources, 2 is the destination. */
typedef struct program {
	hd_ir_module *module;
	evaluator *e;
} program;

static inline program build(unsigned op, unsigned mod, unsigned words, unsigned sources)
{
	program p = {.module = hd_ir_module_new()};
	hd_ir_function *f = hd_ir_function_new(p.module, "f");
	hd_ir_block_new(p.module, f);
	for (unsigned i = 0; i < 3; i++)
		hd_ir_vreg_new(f, words);
	hd_ir_inst *inst = hd_ir_inst_new(p.module, op, 1, sources);
	inst->mod = (uint8_t)mod;
	inst->d[0] = hd_opd_reg(2, words);
	for (unsigned i = 0; i < sources; i++)
		inst->s[i] = hd_opd_reg(i, words);
	hd_vec_push(&f->blocks.at[0]->insts, inst);
	f->blocks.at[0]->term = HD_TERM_EXIT;
	run_pass(hd_pass_expand, p.module, NULL);
	p.e = evaluator_new(f);
	return p;
}

static inline void run(program *p) { evaluator_run(p->e, p->module->functions.at[0]->blocks.at[0]); }

static inline void release(program *p)
{
	evaluator_free(p->e);
	hd_ir_module_free(p->module);
}

static inline uint64_t get(const program *p, unsigned reg, unsigned lane, unsigned words)
{
	return p->e->regs[reg][0].v[lane] | (words == 2 ? (uint64_t)p->e->regs[reg][1].v[lane] << 32 : 0);
}

static inline void set(program *p, unsigned reg, unsigned lane, uint64_t value)
{
	p->e->regs[reg][0].v[lane] = (uint32_t)value;
	p->e->regs[reg][1].v[lane] = (uint32_t)(value >> 32);
}

#endif

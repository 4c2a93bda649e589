/* Runs straight-line IR on virtual registers with the semantics of src/semantics, to test passes by what programs compute. */
#ifndef HD_TEST_EVALUATE_H
#define HD_TEST_EVALUATE_H

#include "ir/ir.h"
#include "semantics/semantics.h"

typedef struct evaluator {
	const hd_ir_function *function;
	hd_vec32 (*regs)[4];
	uint32_t *preds;
	hd_vec32 bank[HD_CONST_WORDS];
} evaluator;

static inline evaluator *evaluator_new(const hd_ir_function *function)
{
	evaluator *e = hd_xaligned((sizeof *e + 63) & ~(size_t)63);
	e->function = function;
	e->regs = hd_xaligned((function->vregs.n + 1) * sizeof *e->regs);
	e->preds = hd_xcalloc(function->vregs.n + 1, sizeof *e->preds);
	return e;
}

static inline void evaluator_free(evaluator *e)
{
	free(e->regs);
	free(e->preds);
	free(e);
}

static inline const hd_vec32 *evaluator_source(evaluator *e, const hd_opd *o, hd_vec32 room[4])
{
	if (o->kind == HD_OPD_REG)
		return &e->regs[o->reg][o->sub];
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < HD_LANES; i++)
			room[w].v[i] = o->kind == HD_OPD_CONST ? e->bank[(o->imm / 4 + w) % HD_CONST_WORDS].v[i]
			               : w < 2                 ? (uint32_t)(o->imm >> 32 * w)
			                                       : 0;
	return room;
}

static inline uint32_t evaluator_pred(const evaluator *e, const hd_opd *o, uint32_t none)
{
	if (o->kind == HD_OPD_NONE)
		return none;
	return o->neg ? ~e->preds[o->reg] : e->preds[o->reg];
}

static inline void evaluator_step(evaluator *e, const hd_ir_inst *inst)
{
	const hd_op_info *row = &hd_ops[inst->op];
	hd_inst decoded = {.op = (uint8_t)inst->op, .guard = HD_PT, .d = 0, .a = 0, .b = 0, .c = 0, .mod = inst->mod, .sub = inst->sub};
	hd_vec32 room[3][4];
	hd_sem_in in = {.mask = evaluator_pred(e, &inst->guard, UINT32_MAX)};
	hd_sem_out out = {0};
	hd_ir_shape shape;
	unsigned at = 0, p = 0;
	hd_invariant(inst->op < HD_OP_COUNT, "%s in an evaluated program", hd_ir_info(inst->op)->mnemonic);
	if (inst->op == HD_OP_MOVI) {
		const hd_vec32 *value = evaluator_source(e, &inst->s[0], room[0]);
		for (unsigned i = 0; i < HD_LANES; i++)
			if (in.mask >> i & 1)
				e->regs[inst->d[0].reg][inst->d[0].sub].v[i] = value->v[i];
		return;
	}
	hd_ir_shape_of(inst, &shape);
	for (unsigned i = 0; i < inst->ns; i++) {
		if (shape.s[i] == 0) {
			in.p[p++] = evaluator_pred(e, &inst->s[i], row->format == HD_F_CARRY ? 0 : UINT32_MAX);
			continue;
		}
		const hd_vec32 *v = evaluator_source(e, &inst->s[i], room[at]);
		*(at == 0 ? &in.a : at == 1 ? &in.b : &in.c) = v;
		at++;
	}
	hd_sem_fn *fn = hd_sem_find(&decoded);
	hd_invariant(fn != NULL, "%s has no pure part", row->mnemonic);
	fn(&decoded, &in, &out);
	for (unsigned k = 0; k < inst->nd; k++) {
		const hd_opd *d = &inst->d[k];
		if (d->kind == HD_OPD_PRED)
			e->preds[d->reg] = (e->preds[d->reg] & ~in.mask) | (out.p & in.mask);
		for (unsigned w = 0; d->kind == HD_OPD_REG && w < d->words; w++)
			for (unsigned i = 0; i < HD_LANES; i++)
				if (in.mask >> i & 1)
					e->regs[d->reg][d->sub + w].v[i] = out.r[w].v[i];
	}
}

static inline void evaluator_run(evaluator *e, const hd_ir_block *block)
{
	for (size_t i = 0; i < block->insts.n; i++)
		evaluator_step(e, block->insts.at[i]);
}

#endif

#include "passes/allocate/spill_costs.h"

#include "passes/analysis/loop_weight.h"

static void add_weight(hd_allocation *a, const hd_opd *o, uint32_t weight)
{
	if (hd_opd_is_register(o))
		a->info.at[o->reg].weight += weight;
}

static bool loads_constant(const hd_ir_inst *inst)
{
	return inst->op == HD_OP_MOVI || ((inst->op == HD_OP_MOV || inst->op == HD_OP_MOV64) && inst->s[0].kind == HD_OPD_CONST);
}

static bool is_whole(const hd_ir_function *f, const hd_opd *o) { return o->words == f->vregs.at[o->reg].words; }

/* definitions[v]: how often v is defined, and 2 more for each read of a part, which rules out rematerialisation as a second definition does. */
static void add_inst(hd_allocation *a, hd_ir_inst *inst, uint32_t weight, uint32_t *definitions)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		const hd_opd *s = &inst->s[i];
		add_weight(a, s, weight);
		if (s->kind == HD_OPD_REG && !is_whole(a->f, s))
			definitions[s->reg] += 2;
	}
	add_weight(a, &inst->guard, weight);
	for (unsigned i = 0; i < inst->nd; i++) {
		const hd_opd *d = &inst->d[i];
		if (!hd_opd_is_register(d))
			continue;
		add_weight(a, d, weight);
		definitions[d->reg]++;
		if (loads_constant(inst) && inst->guard.kind == HD_OPD_NONE && is_whole(a->f, d))
			a->info.at[d->reg].rematerialise_from = inst;
	}
}

void hd_find_spill_costs(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	uint32_t *definitions = hd_xcalloc(f->vregs.n + 1, sizeof *definitions);
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		a->info.at[v].weight = 0;
		a->info.at[v].rematerialise_from = NULL;
	}
	for (size_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		uint32_t weight = hd_loop_weight(block);
		for (size_t k = 0; k < block->insts.n; k++)
			add_inst(a, block->insts.at[k], weight, definitions);
		add_weight(a, &block->pred, weight);
	}
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		if (definitions[v] != 1)
			a->info.at[v].rematerialise_from = NULL;
	}
	free(definitions);
}

#include "passes/simplify/values.h"

#include "passes/simplify/reads.h"

#define UNKNOWN UINT32_MAX

static uint32_t common_dominator(const hd_values *v, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (v->rank[a] > v->rank[b])
			a = v->dominator[a];
		else
			b = v->dominator[b];
	}
	return a;
}

/* Immediate dominators (Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm"). */
static void find_dominators(hd_values *v)
{
	const hd_ir_function *f = v->function;
	for (size_t b = 0; b < f->blocks.n; b++)
		v->dominator[b] = UNKNOWN;
	v->dominator[0] = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < v->reachable; i++) {
			uint32_t b = v->order[i], best = UNKNOWN;
			const hd_ir_block *block = f->blocks.at[b];
			for (size_t p = 0; p < block->pred_blocks.n; p++) {
				uint32_t from = block->pred_blocks.at[p];
				if (v->dominator[from] != UNKNOWN)
					best = best == UNKNOWN ? from : common_dominator(v, best, from);
			}
			changed |= v->dominator[b] != best;
			v->dominator[b] = best;
		}
	}
}

/* Numbers the dominator tree so that the blocks which a block dominates have consecutive numbers, its own first. A dominator has a lower rank. */
static void number_tree(hd_values *v)
{
	uint32_t *next = hd_xcalloc((size_t)v->reachable + 1, sizeof *next); /* by rank: the number for the next child */
	for (uint32_t i = v->reachable; i-- > 0;) {
		uint32_t b = v->order[i];
		v->dominated[b]++;
		if (i > 0)
			v->dominated[v->dominator[b]] += v->dominated[b];
	}
	for (uint32_t i = 0; i < v->reachable; i++) {
		uint32_t b = v->order[i], above = v->rank[v->dominator[b]];
		v->number[b] = i > 0 ? next[above] : 0;
		if (i > 0)
			next[above] += v->dominated[b];
		next[i] = v->number[b] + 1;
	}
	free(next);
}

bool hd_dominates(const hd_values *v, uint32_t above, uint32_t below)
{
	return v->number[below] >= v->number[above] && v->number[below] - v->number[above] < v->dominated[above];
}

typedef struct use {
	hd_values *values;
	uint32_t block, position; /* of the reader, as in hd_definition */
} use;

/* A use that the definition does not dominate: no value. */
static void check_use(void *context, hd_opd *o)
{
	use *u = context;
	if (!hd_opd_is_register(o))
		return;
	hd_definition *d = &u->values->of[o->reg];
	d->is_value = d->is_value && (d->block == u->block ? d->position < u->position : hd_dominates(u->values, d->block, u->block));
}

static void check_uses(hd_values *v)
{
	hd_ir_function *f = v->function;
	for (uint32_t i = 0; i < v->reachable; i++) {
		hd_ir_block *block = f->blocks.at[v->order[i]];
		use u = {v, v->order[i], 0};
		for (size_t k = 0; k < block->insts.n; k++) {
			u.position = (uint32_t)k + 1;
			hd_visit_reads(block->insts.at[k], check_use, &u);
		}
		u.position = UINT32_MAX;
		hd_visit_terminator_reads(block, check_use, &u);
		for (size_t k = 0; block->term == HD_TERM_RET && k < f->results.n; k++)
			check_use(&u, &f->results.at[k]);
	}
}

/* `defined`: registers that have a definition already; a second one makes them no value. */
static void add_definition(hd_values *v, hd_bits *defined, const hd_opd *d, hd_definition definition)
{
	if (!hd_opd_is_register(d))
		return;
	definition.is_value &= !hd_bits_has(defined, d->reg) && d->sub == 0 && d->words == v->function->vregs.at[d->reg].words;
	hd_bits_add(defined, d->reg);
	v->of[d->reg] = definition;
}

static void add_definitions(hd_values *v)
{
	hd_ir_function *f = v->function;
	hd_bits defined = hd_bits_new(f->vregs.n + 1);
	for (size_t i = 0; i < f->params.n; i++)
		add_definition(v, &defined, &f->params.at[i], (hd_definition){.is_value = true});
	for (uint32_t i = 0; i < v->reachable; i++) {
		const hd_ir_block *block = f->blocks.at[v->order[i]];
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			hd_definition definition = {inst, v->order[i], (uint32_t)k + 1, inst->guard.kind == HD_OPD_NONE};
			for (unsigned d = 0; d < inst->nd; d++)
				add_definition(v, &defined, &inst->d[d], definition);
		}
	}
	hd_bits_free(&defined);
}

hd_values hd_values_new(hd_ir_function *function)
{
	hd_values v = {.function = function};
	hd_ir_link(function);
	v.order = hd_ir_rpo(function, &v.reachable);
	v.of = hd_xcalloc(function->vregs.n + 1, sizeof *v.of);
	v.dominator = hd_xcalloc(function->blocks.n, sizeof *v.dominator);
	v.rank = hd_xcalloc(function->blocks.n, sizeof *v.rank);
	v.number = hd_xcalloc(function->blocks.n, sizeof *v.number);
	v.dominated = hd_xcalloc(function->blocks.n, sizeof *v.dominated);
	for (uint32_t i = 0; i < v.reachable; i++)
		v.rank[v.order[i]] = i;
	find_dominators(&v);
	number_tree(&v);
	add_definitions(&v);
	check_uses(&v);
	return v;
}

void hd_values_free(hd_values *v)
{
	free(v->of);
	free(v->order);
	free(v->dominator);
	free(v->rank);
	free(v->number);
	free(v->dominated);
	*v = (hd_values){0};
}

bool hd_is_value(const hd_values *v, const hd_opd *o) { return hd_opd_is_register(o) && v->of[o->reg].is_value; }

hd_ir_inst *hd_definition_of(const hd_values *v, const hd_opd *o)
{
	bool whole = o->kind == HD_OPD_REG && o->sub == 0 && o->words == v->function->vregs.at[o->reg].words;
	return whole && v->of[o->reg].is_value ? v->of[o->reg].inst : NULL;
}

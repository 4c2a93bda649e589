/* Which registers are values (simplify.h): definitions, immediate dominators (Cooper, Harvey and Kennedy), and the check of every use. */
#include "passes/simplify/simplify.h"

static void find_dominators(hd_simplifier *s)
{
	hd_ir_function *f = s->function;
	bool moved = true;
	for (size_t b = 0; b < f->blocks.n; b++)
		s->dominator[b] = UINT32_MAX;
	s->dominator[0] = 0;
	while (moved) {
		moved = false;
		for (uint32_t i = 1; i < s->reachable; i++) {
			uint32_t b = s->order[i], best = UINT32_MAX;
			const hd_ir_block *block = f->blocks.at[b];
			for (size_t p = 0; p < block->pred_blocks.n; p++) {
				uint32_t other = block->pred_blocks.at[p];
				if (s->dominator[other] == UINT32_MAX)
					continue;
				if (best == UINT32_MAX)
					best = other;
				while (best != other) {
					if (s->position[best] > s->position[other])
						best = s->dominator[best];
					else
						other = s->dominator[other];
				}
			}
			moved |= s->dominator[b] != best;
			s->dominator[b] = best;
		}
	}
}

bool hd_simplify_dominates(const hd_simplifier *s, uint32_t above, uint32_t below)
{
	while (s->position[below] > s->position[above])
		below = s->dominator[below];
	return above == below;
}

typedef struct use {
	hd_simplifier *s;
	uint32_t block, place;
} use;

static void check_use(void *context, hd_opd *o)
{
	use *u = context;
	if (o->kind != HD_OPD_REG && o->kind != HD_OPD_PRED)
		return;
	hd_fact *fact = &u->s->facts[o->reg];
	if (fact->value && !(fact->block == u->block ? fact->place < u->place : hd_simplify_dominates(u->s, fact->block, u->block)))
		fact->value = false;
}

/* The first definition may make a value, a second one unmakes it. `seen`: has a definition. */
static void define(hd_simplifier *s, hd_bits *seen, const hd_opd *d, hd_fact fact)
{
	if (d->kind != HD_OPD_REG && d->kind != HD_OPD_PRED)
		return;
	fact.value &= !hd_bits_has(seen, d->reg) && d->sub == 0 && d->words == s->function->vregs.at[d->reg].words;
	hd_bits_add(seen, d->reg);
	s->facts[d->reg] = fact;
}

void hd_simplify_facts(hd_simplifier *s)
{
	hd_ir_function *f = s->function;
	hd_bits seen = hd_bits_new(f->vregs.n + 1);
	hd_ir_link(f);
	s->order = hd_ir_rpo(f, &s->reachable);
	s->facts = hd_xcalloc(f->vregs.n + 1, sizeof *s->facts);
	s->dominator = hd_xcalloc(f->blocks.n, sizeof *s->dominator);
	s->position = hd_xcalloc(f->blocks.n, sizeof *s->position);
	for (uint32_t i = 0; i < s->reachable; i++)
		s->position[s->order[i]] = i;
	find_dominators(s);
	for (size_t i = 0; i < f->params.n; i++)
		define(s, &seen, &f->params.at[i], (hd_fact){.value = true});
	for (uint32_t i = 0; i < s->reachable; i++) {
		const hd_ir_block *block = f->blocks.at[s->order[i]];
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			for (unsigned d = 0; d < inst->nd; d++)
				define(s, &seen, &inst->d[d],
				       (hd_fact){.def = inst,
				                 .block = s->order[i],
				                 .place = (uint32_t)k + 1,
				                 .output = (uint8_t)d,
				                 .value = inst->guard.kind == HD_OPD_NONE});
		}
	}
	hd_bits_free(&seen);
	for (uint32_t i = 0; i < s->reachable; i++) {
		hd_ir_block *block = f->blocks.at[s->order[i]];
		use u = {s, s->order[i], 0};
		for (size_t k = 0; k < block->insts.n; k++) {
			u.place = (uint32_t)k + 1;
			hd_simplify_reads(block->insts.at[k], check_use, &u);
		}
		u.place = UINT32_MAX;
		hd_simplify_block_reads(block, check_use, &u);
		for (size_t k = 0; block->term == HD_TERM_RET && k < f->results.n; k++)
			check_use(&u, &f->results.at[k]);
	}
}

void hd_simplify_facts_free(hd_simplifier *s)
{
	free(s->facts);
	free(s->order);
	free(s->dominator);
	free(s->position);
	s->facts = NULL;
}

#include "passes/analysis/liveness.h"

static unsigned span(const hd_liveness *l, const hd_opd *o, uint32_t *bit)
{
	if (o->kind != HD_OPD_REG && o->kind != HD_OPD_PRED)
		return 0;
	*bit = l->first[o->reg] + (o->kind == HD_OPD_REG ? o->sub : 0u);
	return o->kind == HD_OPD_PRED ? 1 : o->words;
}

static void use(const hd_liveness *l, const hd_opd *o, hd_bits *live)
{
	uint32_t bit = 0;
	for (unsigned n = span(l, o, &bit); n-- > 0;)
		hd_bits_add(live, bit + n);
}

void hd_live_before(const hd_liveness *l, const hd_ir_inst *inst, hd_bits *live)
{
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t bit = 0;
		if (inst->guard.kind != HD_OPD_NONE && !hd_scratch(l->f, &inst->d[i]))
			continue;
		for (unsigned n = span(l, &inst->d[i], &bit); n-- > 0;)
			hd_bits_del(live, bit + n);
	}
	for (unsigned i = 0; i < inst->ns; i++)
		use(l, &inst->s[i], live);
	use(l, &inst->guard, live);
}

void hd_live_at_end(const hd_liveness *l, const hd_ir_function *f, const hd_ir_block *block, hd_bits *live)
{
	use(l, &block->pred, live);
	use(l, &block->index, live);
	if (block->term == HD_TERM_RET) {
		for (size_t i = 0; i < f->results.n; i++)
			use(l, &f->results.at[i], live);
	}
}

typedef struct scope {
	uint32_t *block; /* of each virtual register: block + 1 of its occurrences */
	bool *global;
} scope;

static void occurs(scope *s, const hd_opd *o, uint32_t block, bool begins)
{
	if (o->kind != HD_OPD_REG && o->kind != HD_OPD_PRED)
		return;
	if (s->block[o->reg] == 0)
		s->global[o->reg] |= !begins;
	else if (s->block[o->reg] != block + 1)
		s->global[o->reg] = true;
	s->block[o->reg] = block + 1;
}

/* A register is local if it occurs in one block only, and there first as a whole definition for all lanes. */
static scope find_scope(const hd_ir_function *f)
{
	scope s = {hd_xcalloc(f->vregs.n + 1, sizeof *s.block), hd_xcalloc(f->vregs.n + 1, sizeof *s.global)};
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		for (size_t k = 0; k < block->insts.n; k++) {
			const hd_ir_inst *inst = block->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++)
				occurs(&s, &inst->s[i], b, false);
			occurs(&s, &inst->guard, b, false);
			for (unsigned i = 0; i < inst->nd; i++) {
				const hd_opd *d = &inst->d[i];
				bool whole = d->kind == HD_OPD_PRED || (d->kind == HD_OPD_REG && d->words == f->vregs.at[d->reg].words);
				occurs(&s, d, b, whole && (inst->guard.kind == HD_OPD_NONE || hd_scratch(f, d)));
			}
		}
		occurs(&s, &block->pred, b, false);
		occurs(&s, &block->index, b, false);
	}
	for (size_t i = 0; i < f->results.n; i++)
		s.global[f->results.at[i].reg] = true;
	return s;
}

/* Bits of the registers that live in several blocks come first: only they are in the blocks' sets. */
static void number(hd_liveness *l)
{
	const hd_ir_function *f = l->f;
	scope s = find_scope(f);
	l->first = hd_xcalloc(f->vregs.n + 1, sizeof *l->first);
	for (unsigned local = 0; local < 2; local++) {
		for (size_t v = 0; v < f->vregs.n; v++) {
			if (s.global[v] == local)
				continue;
			l->first[v] = l->bits;
			l->bits += f->vregs.at[v].words ? f->vregs.at[v].words : 1;
		}
		if (!local)
			l->global_bits = l->bits = (l->bits + 63) & ~63u;
	}
	l->owner = hd_xcalloc((size_t)l->bits + 1, sizeof *l->owner);
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		uint32_t words = f->vregs.at[v].words ? f->vregs.at[v].words : 1;
		for (uint32_t w = 0; w < words; w++)
			l->owner[l->first[v] + w] = v;
	}
	free(s.block);
	free(s.global);
}

hd_bits hd_live_set(const hd_liveness *l) { return hd_bits_new((size_t)l->bits + 1); }

void hd_live_out(const hd_liveness *l, size_t block, hd_bits *live)
{
	hd_bits_clear(live);
	memcpy(live->w, l->out[block].w, l->global_bits / 8);
}

hd_liveness hd_liveness_new(const hd_ir_function *f)
{
	hd_liveness l = {.f = f, .blocks = (uint32_t)f->blocks.n};
	number(&l);
	hd_bits *in = hd_xcalloc((size_t)l.blocks + 1, sizeof *in);
	l.out = hd_xcalloc((size_t)l.blocks + 1, sizeof *l.out);
	for (size_t b = 0; b < l.blocks; b++) {
		in[b] = hd_bits_new(l.global_bits);
		l.out[b] = hd_bits_new(l.global_bits);
	}
	hd_bits live = hd_live_set(&l);
	bool first = true;
	for (bool again = true; again; first = false) {
		again = false;
		for (size_t b = l.blocks; b-- > 0;) {
			const hd_ir_block *block = f->blocks.at[b];
			bool changed = first;
			for (size_t i = 0; i < block->succ.n; i++)
				changed |= hd_bits_or(&l.out[b], &in[block->succ.at[i]]);
			if (!changed)
				continue;
			hd_live_out(&l, b, &live);
			hd_live_at_end(&l, f, block, &live);
			for (size_t n = block->insts.n; n-- > 0;)
				hd_live_before(&l, block->insts.at[n], &live);
			again |= hd_bits_or(&in[b], &live);
		}
	}
	hd_bits_free(&live);
	for (size_t b = 0; b < l.blocks; b++)
		hd_bits_free(&in[b]);
	free(in);
	return l;
}

void hd_liveness_free(hd_liveness *l)
{
	for (size_t b = 0; b < l->blocks; b++)
		hd_bits_free(&l->out[b]);
	free(l->out);
	free(l->first);
	free(l->owner);
	*l = (hd_liveness){0};
}

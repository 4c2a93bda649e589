#include "passes/liveness.h"

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

hd_liveness hd_liveness_new(const hd_ir_function *f)
{
	hd_liveness l = {.f = f, .blocks = (uint32_t)f->blocks.n};
	l.first = hd_xcalloc(f->vregs.n + 1, sizeof *l.first);
	for (size_t v = 0; v < f->vregs.n; v++) {
		l.first[v] = l.bits;
		l.bits += f->vregs.at[v].words ? f->vregs.at[v].words : 1;
	}
	l.first[f->vregs.n] = l.bits;
	l.owner = hd_xcalloc((size_t)l.bits + 1, sizeof *l.owner);
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		for (uint32_t bit = l.first[v]; bit < l.first[v + 1]; bit++)
			l.owner[bit] = v;
	}
	hd_bits *in = hd_xcalloc((size_t)l.blocks + 1, sizeof *in);
	l.out = hd_xcalloc((size_t)l.blocks + 1, sizeof *l.out);
	for (size_t b = 0; b < l.blocks; b++) {
		in[b] = hd_bits_new((size_t)l.bits + 1);
		l.out[b] = hd_bits_new((size_t)l.bits + 1);
	}
	hd_bits live = hd_bits_new((size_t)l.bits + 1);
	for (bool again = true; again;) {
		again = false;
		for (size_t b = l.blocks; b-- > 0;) {
			const hd_ir_block *block = f->blocks.at[b];
			for (size_t i = 0; i < block->succ.n; i++)
				hd_bits_or(&l.out[b], &in[block->succ.at[i]]);
			hd_bits_copy(&live, &l.out[b]);
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

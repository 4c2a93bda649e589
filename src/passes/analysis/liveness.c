#include "passes/analysis/liveness.h"

/* Words that the operand names; *bit is the bit of the first one. */
static unsigned bits_of(const hd_liveness *l, const hd_opd *o, uint32_t *bit)
{
	if (!hd_opd_is_register(o))
		return 0;
	*bit = l->first_bit[o->reg] + (o->kind == HD_OPD_REG ? o->sub : 0u);
	return o->kind == HD_OPD_PRED ? 1 : o->words;
}

static void add_use(const hd_liveness *l, const hd_opd *o, hd_bits *live)
{
	uint32_t bit = 0;
	for (unsigned n = bits_of(l, o, &bit); n-- > 0;)
		hd_bits_add(live, bit + n);
}

void hd_live_before(const hd_liveness *l, const hd_ir_inst *inst, hd_bits *live)
{
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t bit = 0;
		if (inst->guard.kind != HD_OPD_NONE && !hd_is_scratch(l->f, &inst->d[i]))
			continue;
		for (unsigned n = bits_of(l, &inst->d[i], &bit); n-- > 0;)
			hd_bits_del(live, bit + n);
	}
	for (unsigned i = 0; i < inst->ns; i++)
		add_use(l, &inst->s[i], live);
	add_use(l, &inst->guard, live);
}

void hd_live_before_terminator(const hd_liveness *l, const hd_ir_block *block, hd_bits *live)
{
	add_use(l, &block->pred, live);
	add_use(l, &block->index, live);
	if (block->term == HD_TERM_RET) {
		for (size_t i = 0; i < l->f->results.n; i++)
			add_use(l, &l->f->results.at[i], live);
	}
}

/* Where a virtual register occurs: a global one may be live between blocks. */
typedef struct scope {
	uint32_t *block; /* of each virtual register: block + 1 of the occurrences so far, 0 = none */
	uint8_t *words;  /* mask of the words that were written so far, in all lanes; a predicate has one */
	bool *global;
} scope;

static uint8_t words_mask(const hd_opd *o) { return (uint8_t)(((1u << (o->kind == HD_OPD_PRED ? 1 : o->words)) - 1) << o->sub); }

/* `defines`: the occurrence writes the words in all lanes, so that no earlier value of them matters. */
static void add_occurrence(scope *s, const hd_opd *o, uint32_t block, bool defines)
{
	if (!hd_opd_is_register(o))
		return;
	uint8_t words = words_mask(o);
	s->global[o->reg] |= s->block[o->reg] != 0 && s->block[o->reg] != block + 1;
	s->block[o->reg] = block + 1;
	if (defines)
		s->words[o->reg] |= words;
	else
		s->global[o->reg] |= (words & ~s->words[o->reg]) != 0;
}

/* A register is local if all its occurrences lie in one block and every word is written in all lanes before anything else happens to it. */
static scope find_scope(const hd_ir_function *f)
{
	scope s = {hd_xcalloc(f->vregs.n + 1, sizeof *s.block), hd_xcalloc(f->vregs.n + 1, sizeof *s.words),
	           hd_xcalloc(f->vregs.n + 1, sizeof *s.global)};
	for (uint32_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		for (size_t k = 0; k < block->insts.n; k++) {
			const hd_ir_inst *inst = block->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++)
				add_occurrence(&s, &inst->s[i], b, false);
			add_occurrence(&s, &inst->guard, b, false);
			for (unsigned i = 0; i < inst->nd; i++)
				add_occurrence(&s, &inst->d[i], b, inst->guard.kind == HD_OPD_NONE || hd_is_scratch(f, &inst->d[i]));
		}
		add_occurrence(&s, &block->pred, b, false);
		add_occurrence(&s, &block->index, b, false);
	}
	for (size_t i = 0; i < f->results.n; i++)
		s.global[f->results.at[i].reg] = true;
	return s;
}

/* Bits of global registers come first: the blocks' sets hold only them. */
static void number_bits(hd_liveness *l)
{
	const hd_ir_function *f = l->f;
	scope s = find_scope(f);
	l->first_bit = hd_xcalloc(f->vregs.n + 1, sizeof *l->first_bit);
	for (unsigned local = 0; local < 2; local++) {
		for (size_t v = 0; v < f->vregs.n; v++) {
			if (s.global[v] == local)
				continue;
			l->first_bit[v] = l->bits;
			l->bits += f->vregs.at[v].words ? f->vregs.at[v].words : 1;
		}
		if (!local)
			l->global_bits = l->bits = hd_round_up_u32(l->bits, 64);
	}
	l->vreg_of_bit = hd_xcalloc((size_t)l->bits + 1, sizeof *l->vreg_of_bit);
	for (uint32_t v = 0; v < f->vregs.n; v++) {
		uint32_t words = f->vregs.at[v].words ? f->vregs.at[v].words : 1;
		for (uint32_t w = 0; w < words; w++)
			l->vreg_of_bit[l->first_bit[v] + w] = v;
	}
	free(s.block);
	free(s.words);
	free(s.global);
}

hd_bits hd_live_set(const hd_liveness *l) { return hd_bits_new((size_t)l->bits + 1); }

/* The words of `live` that hold global bits = what is live behind the terminator. */
static void set_global_bits(const hd_liveness *l, size_t block, hd_bits *live)
{
	const hd_ir_block *at = l->f->blocks.at[block];
	size_t words = l->global_bits / 64;
	memset(live->w, 0, words * sizeof *live->w);
	for (size_t i = 0; i < at->succ.n; i++) {
		const uint64_t *more = l->live_in[at->succ.at[i]].w;
		for (size_t k = 0; k < words; k++)
			live->w[k] |= more[k];
	}
}

void hd_live_out(const hd_liveness *l, size_t block, hd_bits *live)
{
	hd_bits_clear(live);
	set_global_bits(l, block, live);
}

/* Has the set before a successor changed since the block was looked at? `times`: of each block, when its set changed. */
static bool is_outdated(const hd_ir_block *block, const uint32_t *times, uint32_t looked_at)
{
	for (size_t i = 0; i < block->succ.n; i++)
		if (times[block->succ.at[i]] > looked_at)
			return true;
	return false;
}

/* Backward to the fixed point. */
static void solve(hd_liveness *l)
{
	uint32_t *times = hd_xcalloc((size_t)l->blocks + 1, sizeof *times), *looked_at = hd_xcalloc((size_t)l->blocks + 1, sizeof *looked_at),
	         now = 0;
	hd_bits live = hd_live_set(l);
	for (bool again = true; again;) {
		again = false;
		for (size_t b = l->blocks; b-- > 0;) {
			const hd_ir_block *block = l->f->blocks.at[b];
			if (looked_at[b] && !is_outdated(block, times, looked_at[b]))
				continue;
			looked_at[b] = ++now;
			/* Behind the first instruction of a block no local register is live, so the other bits are empty again. */
			set_global_bits(l, b, &live);
			hd_live_before_terminator(l, block, &live);
			for (size_t n = block->insts.n; n-- > 0;)
				hd_live_before(l, block->insts.at[n], &live);
			if (hd_bits_or(&l->live_in[b], &live)) {
				times[b] = ++now;
				again = true;
			}
		}
	}
	hd_bits_free(&live);
	free(times);
	free(looked_at);
}

hd_liveness hd_liveness_new(const hd_ir_function *f)
{
	hd_liveness l = {.f = f, .blocks = (uint32_t)f->blocks.n};
	number_bits(&l);
	l.live_in = hd_xcalloc((size_t)l.blocks + 1, sizeof *l.live_in);
	for (size_t b = 0; b < l.blocks; b++)
		l.live_in[b] = hd_bits_new(l.global_bits);
	solve(&l);
	return l;
}

void hd_liveness_free(hd_liveness *l)
{
	for (size_t b = 0; b < l->blocks; b++)
		hd_bits_free(&l->live_in[b]);
	free(l->live_in);
	free(l->first_bit);
	free(l->vreg_of_bit);
	*l = (hd_liveness){0};
}

#include "passes/analysis/live_ranges.h"

typedef struct builder {
	hd_intervals *out;
	const hd_liveness *l;
	uint32_t *end;  /* by virtual register: position + 1 where its open range ends, 0 = not open */
	uint8_t *words; /* words alive */
} builder;

/* Ranges are found from the last to the first. */
static void push(builder *b, uint32_t v, uint32_t from, uint32_t to)
{
	size_t n = b->out->of[v].n;
	if (n && b->out->of[v].at[n - 1].from <= to + 1) {
		if (from < b->out->of[v].at[n - 1].from)
			b->out->of[v].at[n - 1].from = from;
		if (to > b->out->of[v].at[n - 1].to)
			b->out->of[v].at[n - 1].to = to;
		return;
	}
	hd_vec_push(&b->out->of[v], (hd_range){from, to});
}

static uint32_t span(const builder *b, const hd_opd *o, uint32_t *bit)
{
	if (o->kind != HD_OPD_REG && o->kind != HD_OPD_PRED)
		return 0;
	*bit = b->l->first[o->reg] + (o->kind == HD_OPD_REG ? o->sub : 0u);
	return o->kind == HD_OPD_PRED ? 1 : o->words;
}

static void open_bit(builder *b, hd_bits *live, uint32_t bit, uint32_t position)
{
	if (hd_bits_has(live, bit))
		return;
	hd_bits_add(live, bit);
	uint32_t v = b->l->owner[bit];
	if (b->words[v]++ == 0)
		b->end[v] = position + 1;
}

static void use(builder *b, hd_bits *live, const hd_opd *o, uint32_t position)
{
	uint32_t bit = 0;
	for (uint32_t n = span(b, o, &bit), k = 0; k < n; k++)
		open_bit(b, live, bit + k, position);
}

static void define(builder *b, hd_bits *live, const hd_opd *o, bool guarded, uint32_t position)
{
	uint32_t bit = 0, n = span(b, o, &bit);
	if (!n)
		return;
	uint32_t v = o->reg;
	/* Even a result that nobody reads is written somewhere. */
	if (b->words[v] == 0)
		push(b, v, position, position);
	for (uint32_t k = 0; k < n && !guarded; k++) {
		if (!hd_bits_has(live, bit + k))
			continue;
		hd_bits_del(live, bit + k);
		if (--b->words[v] == 0)
			push(b, v, position, b->end[v] - 1);
	}
}

hd_intervals hd_intervals_new(const hd_ir_function *f)
{
	hd_liveness l = hd_liveness_new(f);
	hd_intervals out = {.vregs = (uint32_t)f->vregs.n};
	out.of = hd_xcalloc(f->vregs.n + 1, sizeof *out.of);
	out.block_first = hd_xcalloc(f->blocks.n + 1, sizeof *out.block_first);
	for (size_t b = 0; b < f->blocks.n; b++) {
		out.block_first[b] = out.positions;
		out.positions += 2 * ((uint32_t)f->blocks.at[b]->insts.n + 1);
	}
	out.block_first[f->blocks.n] = out.positions;
	builder b = {.out = &out, .l = &l, .end = hd_xcalloc(f->vregs.n + 1, sizeof *b.end), .words = hd_xcalloc(f->vregs.n + 1, 1)};
	hd_bits live = hd_live_set(&l);
	for (size_t n = f->blocks.n; n-- > 0;) {
		const hd_ir_block *block = f->blocks.at[n];
		uint32_t first = out.block_first[n], last = out.block_first[n + 1] - 1;
		hd_bits_clear(&live);
		for (size_t w = 0; w < (l.out[n].bits + 63) / 64; w++) {
			for (uint64_t bits = l.out[n].w[w]; bits; bits &= bits - 1)
				open_bit(&b, &live, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits), last);
		}
		use(&b, &live, &block->pred, last - 1);
		use(&b, &live, &block->index, last - 1);
		if (block->term == HD_TERM_RET) {
			for (size_t i = 0; i < f->results.n; i++)
				use(&b, &live, &f->results.at[i], last - 1);
		}
		for (size_t k = block->insts.n; k-- > 0;) {
			const hd_ir_inst *inst = block->insts.at[k];
			uint32_t position = first + 2 * (uint32_t)k;
			bool guarded = inst->guard.kind != HD_OPD_NONE;
			for (unsigned i = 0; i < inst->nd; i++)
				define(&b, &live, &inst->d[i], guarded && !hd_scratch(f, &inst->d[i]), position + 1);
			for (unsigned i = 0; i < inst->ns; i++)
				use(&b, &live, &inst->s[i], position);
			use(&b, &live, &inst->guard, position);
		}
		for (size_t w = 0; w < (live.bits + 63) / 64; w++) {
			for (uint64_t bits = live.w[w]; bits; bits &= bits - 1) {
				uint32_t v = l.owner[(uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits)];
				if (b.words[v]) {
					push(&b, v, first, b.end[v] - 1);
					b.words[v] = 0;
				}
			}
		}
	}
	for (uint32_t v = 0; v < out.vregs; v++) {
		for (size_t i = 0; i < out.of[v].n / 2; i++) {
			hd_range swap = out.of[v].at[i];
			out.of[v].at[i] = out.of[v].at[out.of[v].n - 1 - i];
			out.of[v].at[out.of[v].n - 1 - i] = swap;
		}
	}
	hd_bits_free(&live);
	free(b.end);
	free(b.words);
	hd_liveness_free(&l);
	return out;
}

void hd_intervals_free(hd_intervals *intervals)
{
	for (uint32_t v = 0; v < intervals->vregs; v++)
		hd_vec_free(&intervals->of[v]);
	free(intervals->of);
	free(intervals->block_first);
	*intervals = (hd_intervals){0};
}

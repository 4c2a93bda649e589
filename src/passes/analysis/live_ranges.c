#include "passes/analysis/live_ranges.h"

#include "passes/analysis/liveness.h"

/* The function is walked from its end to its beginning. */
typedef struct builder {
	hd_live_ranges *out;
	const hd_liveness *l;
	hd_bits live;
	hd_bits live_out;    /* working memory */
	uint32_t *end;       /* by virtual register: position + 1 where its open range ends */
	uint8_t *live_words; /* by virtual register; a range is open while this is not 0 */
} builder;

/* Ranges arrive in descending order. */
static void add_range(builder *b, uint32_t v, uint32_t from, uint32_t to)
{
	size_t n = b->out->of[v].n;
	hd_live_range *last = n ? &b->out->of[v].at[n - 1] : NULL;
	if (last && last->from <= to + 1) {
		last->from = hd_min_u32(last->from, from);
		last->to = hd_max_u32(last->to, to);
		return;
	}
	hd_vec_push(&b->out->of[v], (hd_live_range){from, to});
}

/* Words that the operand names; *bit is the bit of the first one. */
static uint32_t bits_of(const builder *b, const hd_opd *o, uint32_t *bit)
{
	if (!hd_opd_is_register(o))
		return 0;
	*bit = b->l->first_bit[o->reg] + (o->kind == HD_OPD_REG ? o->sub : 0u);
	return o->kind == HD_OPD_PRED ? 1 : o->words;
}

static void open_bit(builder *b, uint32_t bit, uint32_t position)
{
	if (hd_bits_has(&b->live, bit))
		return;
	hd_bits_add(&b->live, bit);
	uint32_t v = b->l->vreg_of_bit[bit];
	if (b->live_words[v]++ == 0)
		b->end[v] = position + 1;
}

static void add_use(builder *b, const hd_opd *o, uint32_t position)
{
	uint32_t bit = 0;
	for (uint32_t n = bits_of(b, o, &bit), k = 0; k < n; k++)
		open_bit(b, bit + k, position);
}

static void add_definition(builder *b, const hd_opd *o, bool guarded, uint32_t position)
{
	uint32_t bit = 0, n = bits_of(b, o, &bit);
	if (!n)
		return;
	uint32_t v = o->reg;
	/* A result without readers is written, too. */
	if (b->live_words[v] == 0)
		add_range(b, v, position, position);
	for (uint32_t k = 0; k < n && !guarded; k++) {
		if (!hd_bits_has(&b->live, bit + k))
			continue;
		hd_bits_del(&b->live, bit + k);
		if (--b->live_words[v] == 0)
			add_range(b, v, position, b->end[v] - 1);
	}
}

static void close_bit(builder *b, uint32_t bit, uint32_t position)
{
	uint32_t v = b->l->vreg_of_bit[bit];
	hd_bits_del(&b->live, bit);
	if (--b->live_words[v] == 0)
		add_range(b, v, position, b->end[v] - 1);
}

/* From what is live before the block behind this one in the layout, to what is live behind this one, `live_out`. Ranges go on where both agree.
 * `position`: of the end of this block. */
static void cross_border(builder *b, const hd_bits *live_out, uint32_t position)
{
	for (unsigned closing = 0; closing < 2; closing++) { /* first those that open, so that other words of their register keep its range open */
		for (size_t w = 0; w < b->l->global_bits / 64; w++) {
			uint64_t now = b->live.w[w], then = live_out->w[w];
			for (uint64_t change = closing ? now & ~then : then & ~now; change; change &= change - 1) {
				uint32_t bit = (uint32_t)(64 * w) + hd_lowest_bit(change);
				if (closing)
					close_bit(b, bit, position + 1);
				else
					open_bit(b, bit, position);
			}
		}
	}
}

static void add_block(builder *b, uint32_t number)
{
	const hd_ir_function *f = b->l->f;
	const hd_ir_block *block = f->blocks.at[number];
	uint32_t first = b->out->block_first[number], last = b->out->block_first[number + 1] - 1;
	hd_live_out(b->l, number, &b->live_out);
	cross_border(b, &b->live_out, last);
	add_use(b, &block->pred, last - 1);
	add_use(b, &block->index, last - 1);
	if (block->term == HD_TERM_RET) {
		for (size_t i = 0; i < f->results.n; i++)
			add_use(b, &f->results.at[i], last - 1);
	}
	for (size_t k = block->insts.n; k-- > 0;) {
		const hd_ir_inst *inst = block->insts.at[k];
		uint32_t position = first + 2 * (uint32_t)k;
		bool guarded = inst->guard.kind != HD_OPD_NONE;
		for (unsigned i = 0; i < inst->nd; i++)
			add_definition(b, &inst->d[i], guarded && !hd_is_scratch(f, &inst->d[i]), position + 1);
		for (unsigned i = 0; i < inst->ns; i++)
			add_use(b, &inst->s[i], position);
		add_use(b, &inst->guard, position);
	}
}

static void reverse(hd_live_range *at, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		hd_live_range swap = at[i];
		at[i] = at[n - 1 - i];
		at[n - 1 - i] = swap;
	}
}

hd_live_ranges hd_live_ranges_new(const hd_ir_function *f)
{
	hd_liveness l = hd_liveness_new(f);
	hd_live_ranges out = {.vregs = (uint32_t)f->vregs.n};
	out.of = hd_xcalloc(f->vregs.n + 1, sizeof *out.of);
	out.block_first = hd_xcalloc(f->blocks.n + 1, sizeof *out.block_first);
	for (size_t b = 0; b < f->blocks.n; b++) {
		out.block_first[b] = out.positions;
		out.positions += 2 * ((uint32_t)f->blocks.at[b]->insts.n + 1);
	}
	out.block_first[f->blocks.n] = out.positions;
	builder b = {.out = &out, .l = &l, .live = hd_live_set(&l), .live_out = hd_live_set(&l)};
	b.end = hd_xcalloc(f->vregs.n + 1, sizeof *b.end);
	b.live_words = hd_xcalloc(f->vregs.n + 1, 1);
	for (uint32_t n = (uint32_t)f->blocks.n; n-- > 0;)
		add_block(&b, n);
	for (size_t bit = hd_bits_next(&b.live, 0); bit < b.live.bits; bit = hd_bits_next(&b.live, bit + 1))
		close_bit(&b, (uint32_t)bit, 0);
	for (uint32_t v = 0; v < out.vregs; v++)
		reverse(out.of[v].at, out.of[v].n);
	hd_bits_free(&b.live);
	hd_bits_free(&b.live_out);
	free(b.end);
	free(b.live_words);
	hd_liveness_free(&l);
	return out;
}

void hd_live_ranges_free(hd_live_ranges *ranges)
{
	for (uint32_t v = 0; v < ranges->vregs; v++)
		hd_vec_free(&ranges->of[v]);
	free(ranges->of);
	free(ranges->block_first);
	*ranges = (hd_live_ranges){0};
}

#include "passes/schedule/pressure.h"

#include "passes/schedule/dependence_graph.h"

struct hd_word_pressure {
	uint32_t stamp;     /* of the block for which the rest is valid */
	uint32_t uses_left; /* reads in the block that are still to come */
	bool live, live_out;
	bool counted; /* by count_live */
};

typedef struct hd_word_pressure word_pressure;

static word_pressure *word_at(hd_pressure *p, uint32_t word)
{
	word_pressure *found = &p->words[word];
	if (found->stamp != p->stamp)
		*found = (word_pressure){.stamp = p->stamp};
	return found;
}

hd_pressure hd_pressure_new(const hd_ir_function *f)
{
	return (hd_pressure){.f = f, .liveness = hd_liveness_new(f), .words = hd_xcalloc(hd_word_range_end(f), sizeof(struct hd_word_pressure))};
}

void hd_pressure_free(hd_pressure *p)
{
	hd_liveness_free(&p->liveness);
	free(p->words);
	*p = (hd_pressure){0};
}

/* The word number of a bit of liveness; false for predicates. */
static bool word_of_bit(const hd_pressure *p, size_t bit, uint32_t *word)
{
	uint32_t v = p->liveness.vreg_of_bit[bit];
	*word = v * 4 + (uint32_t)bit - p->liveness.first_bit[v];
	return p->f->vregs.at[v].words != 0;
}

static void mark_uses(hd_pressure *p, const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->d[i], &first);
		for (uint32_t r = first; r < first + words && inst->guard.kind == HD_OPD_NONE; r++)
			word_at(p, r)->live = false;
	}
	for (unsigned i = 0; i < inst->ns; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->s[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			word_at(p, r)->live = true;
			word_at(p, r)->uses_left++;
		}
	}
}

/* Words from `first` on that are live and were not counted yet. */
static int count_live(hd_pressure *p, uint32_t first, uint32_t words)
{
	int live = 0;
	for (uint32_t r = first; r < first + words; r++) {
		word_pressure *at = word_at(p, r);
		live += at->live && !at->counted;
		at->counted = true;
	}
	return live;
}

void hd_pressure_start(hd_pressure *p, const hd_ir_insts *insts, const hd_bits *end)
{
	uint32_t word;
	p->stamp++;
	p->live = 0;
	for (size_t bit = hd_bits_next(end, 0); bit < end->bits; bit = hd_bits_next(end, bit + 1)) {
		if (word_of_bit(p, bit, &word))
			word_at(p, word)->live = word_at(p, word)->live_out = true;
	}
	for (size_t n = insts->n; n-- > 0;)
		mark_uses(p, insts->at[n]);
	for (size_t bit = hd_bits_next(end, 0); bit < end->bits; bit = hd_bits_next(end, bit + 1)) {
		if (word_of_bit(p, bit, &word))
			p->live += count_live(p, word, 1);
	}
	for (size_t n = 0; n < insts->n; n++) {
		const hd_ir_inst *inst = insts->at[n];
		for (unsigned i = 0; i < inst->ns; i++) {
			uint32_t first = 0, words = hd_word_range(p->f, &inst->s[i], &first);
			if (inst->s[i].kind == HD_OPD_REG)
				p->live += count_live(p, first, words);
		}
	}
}

int hd_pressure_growth(hd_pressure *p, const hd_ir_inst *inst)
{
	int change = 0;
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->d[i], &first);
		for (uint32_t r = first; r < first + words && inst->d[i].kind == HD_OPD_REG; r++)
			change += !word_at(p, r)->live;
	}
	for (unsigned i = 0; i < inst->ns; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->s[i], &first);
		for (uint32_t r = first; r < first + words && inst->s[i].kind == HD_OPD_REG; r++) {
			const word_pressure *at = word_at(p, r);
			change -= at->live && at->uses_left == 1 && !at->live_out;
		}
	}
	return change;
}

void hd_pressure_advance(hd_pressure *p, const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->s[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			word_pressure *at = word_at(p, r);
			if (at->uses_left > 0 && --at->uses_left == 0 && at->live && !at->live_out) {
				at->live = false;
				p->live -= inst->s[i].kind == HD_OPD_REG;
			}
		}
	}
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->d[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			word_pressure *at = word_at(p, r);
			if (!at->live && (at->uses_left > 0 || at->live_out)) {
				at->live = true;
				p->live += inst->d[i].kind == HD_OPD_REG;
			}
		}
	}
}

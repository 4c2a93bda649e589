#include "passes/schedule/pressure.h"

#include "passes/schedule/dependence_graph.h"

struct hd_word_pressure {
	uint32_t stamp;     /* of the block for which the rest is valid */
	uint32_t uses_left; /* reads in the block that are still to come */
	bool live, live_out;
	bool counted; /* by count_change */
};

typedef struct hd_word_pressure word_pressure;

static word_pressure *word_at(hd_pressure *p, uint32_t word)
{
	word_pressure *found = &p->words[word];
	if (found->stamp != p->stamp) {
		size_t bit = p->liveness.first_bit[word / 4] + word % 4;
		bool live = bit < p->behind->bits && hd_bits_has(p->behind, bit);
		*found = (word_pressure){.stamp = p->stamp, .live = live, .live_out = live};
	}
	return found;
}

hd_pressure hd_pressure_new(const hd_ir_function *f)
{
	hd_pressure p = {.f = f, .liveness = hd_liveness_new(f), .words = hd_xcalloc(hd_word_range_end(f), sizeof(struct hd_word_pressure))};
	p.registers = hd_live_set(&p.liveness);
	for (uint32_t bit = 0; bit < p.liveness.bits; bit++)
		if (f->vregs.at[p.liveness.vreg_of_bit[bit]].words)
			hd_bits_add(&p.registers, bit);
	return p;
}

void hd_pressure_free(hd_pressure *p)
{
	hd_liveness_free(&p->liveness);
	hd_bits_free(&p->registers);
	free(p->words);
	*p = (hd_pressure){0};
}

static void mark_uses(hd_pressure *p, const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->d[i], &first);
		for (uint32_t r = first; r < first + words; r++)
			word_at(p, r)->live &= inst->guard.kind != HD_OPD_NONE;
	}
	for (unsigned i = 0; i < inst->ns; i++) {
		uint32_t first = 0, words = hd_word_range(p->f, &inst->s[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			word_at(p, r)->live = true;
			word_at(p, r)->uses_left++;
		}
	}
}

/* Words of the operand that are live before the sequence less those that are live behind it, as far as they were not counted yet. */
static int count_change(hd_pressure *p, const hd_opd *o)
{
	int change = 0;
	uint32_t first = 0, words = hd_word_range(p->f, o, &first);
	for (uint32_t r = first; r < first + words && o->kind == HD_OPD_REG; r++) {
		word_pressure *at = word_at(p, r);
		change += at->counted ? 0 : (int)at->live - (int)at->live_out;
		at->counted = true;
	}
	return change;
}

void hd_pressure_start(hd_pressure *p, const hd_ir_insts *insts, const hd_bits *behind)
{
	p->stamp++;
	p->behind = behind;
	p->live = 0;
	for (size_t w = 0; w < (behind->bits + 63) / 64; w++)
		p->live += (int)hd_count_bits(behind->w[w] & p->registers.w[w]);
	for (size_t n = insts->n; n-- > 0;)
		mark_uses(p, insts->at[n]);
	for (size_t n = 0; n < insts->n; n++) {
		const hd_ir_inst *inst = insts->at[n];
		for (unsigned i = 0; i < inst->ns; i++)
			p->live += count_change(p, &inst->s[i]);
		for (unsigned i = 0; i < inst->nd; i++)
			p->live += count_change(p, &inst->d[i]);
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

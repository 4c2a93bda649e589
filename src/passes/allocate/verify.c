#include "passes/allocate/verify.h"

#include "passes/analysis/liveness.h"

typedef struct verifier {
	const hd_allocation *a;
	hd_liveness l;
	hd_bits live;                    /* behind the current instruction */
	uint32_t live_at[HD_PLACES + 1]; /* by place: words that are live in it; the last one: those that have no place */
	hd_text *why;
	size_t block, inst;
} verifier;

/* The place of a word of a virtual register; HD_PLACES: it has none. */
static uint32_t place_of(const verifier *v, uint32_t bit)
{
	uint32_t reg = v->l.vreg_of_bit[bit], place = v->a->info.at[reg].place;
	return place == HD_NOT_FIXED || place == HD_RZ ? HD_PLACES : place + bit - v->l.first_bit[reg];
}

static void set_live(verifier *v, uint32_t bit, bool live)
{
	if (hd_bits_has(&v->live, bit) == live)
		return;
	(live ? hd_bits_add : hd_bits_del)(&v->live, bit);
	v->live_at[place_of(v, bit)] += live ? 1u : UINT32_MAX;
}

static void set_operand(verifier *v, const hd_opd *o, bool live)
{
	if (!hd_opd_is_register(o))
		return;
	unsigned words = o->kind == HD_OPD_PRED ? 1 : o->words;
	for (unsigned w = 0; w < words; w++)
		set_live(v, v->l.first_bit[o->reg] + o->sub + w, live);
}

/* Steps the live set back over the instruction (hd_live_before). */
static void step_back(verifier *v, const hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->nd; i++)
		if (inst->guard.kind == HD_OPD_NONE || hd_is_scratch(v->a->f, &inst->d[i]))
			set_operand(v, &inst->d[i], false);
	for (unsigned i = 0; i < inst->ns; i++)
		set_operand(v, &inst->s[i], true);
	set_operand(v, &inst->guard, true);
}

static void begin_block(verifier *v, const hd_ir_block *block)
{
	memset(v->live_at, 0, sizeof v->live_at);
	hd_live_out(&v->l, v->block, &v->live);
	hd_live_before_terminator(&v->l, block, &v->live);
	for (size_t bit = hd_bits_next(&v->live, 0); bit < v->live.bits; bit = hd_bits_next(&v->live, bit + 1))
		v->live_at[place_of(v, (uint32_t)bit)]++;
}

/* `place` is written while it holds a live word. Names the first one that does not belong to a destination of `inst` from `first` to before `end`. */
static bool conflict(const verifier *v, uint32_t place, const hd_ir_inst *inst, unsigned first, unsigned end)
{
	bool predicate = place >= HD_FIRST_PREDICATE_PLACE;
	for (size_t bit = hd_bits_next(&v->live, 0); bit < v->live.bits; bit = hd_bits_next(&v->live, bit + 1)) {
		bool written = false;
		for (unsigned i = first; i < end; i++)
			written |= hd_opd_is_register(&inst->d[i]) && inst->d[i].reg == v->l.vreg_of_bit[bit];
		if (written || place_of(v, (uint32_t)bit) != place)
			continue;
		hd_text_printf(v->why, "%s, block %zu, instruction %zu: %s %u is written while it holds %%%u", v->a->f->name, v->block, v->inst,
		               predicate ? "predicate" : "register", predicate ? place - HD_FIRST_PREDICATE_PLACE : place, v->l.vreg_of_bit[bit]);
		break;
	}
	return false;
}

/* Live words of the register in the place. */
static unsigned own_words(const verifier *v, uint32_t reg, uint32_t place)
{
	unsigned words = hd_max_u32(v->a->f->vregs.at[reg].words, 1), live = 0;
	for (unsigned w = 0; w < words; w++) {
		uint32_t bit = v->l.first_bit[reg] + w;
		live += hd_bits_has(&v->live, bit) && place_of(v, bit) == place;
	}
	return live;
}

/* Destination `i` is written: its places hold no live word of another register. */
static bool check_definition(const verifier *v, const hd_ir_inst *inst, unsigned i)
{
	const hd_opd *d = &inst->d[i];
	if (!hd_opd_is_register(d))
		return true;
	unsigned words = d->kind == HD_OPD_PRED ? 1 : d->words;
	for (unsigned w = 0; w < words; w++) {
		uint32_t place = place_of(v, v->l.first_bit[d->reg] + d->sub + w);
		if (place < HD_PLACES && v->live_at[place] > own_words(v, d->reg, place))
			return conflict(v, place, inst, i, i + 1);
	}
	return true;
}

/* Nothing that is live behind the call, other than its results, may be in a place that the callee may change. */
static bool check_call(verifier *v, const hd_ir_inst *inst)
{
	const hd_clobber *c = inst->op == HD_OP_CALL ? &v->a->clobbers[inst->callee] : NULL;
	for (unsigned i = 0; i < inst->nd; i++)
		set_operand(v, &inst->d[i], false);
	for (uint32_t place = 0; place < HD_PLACES; place++) {
		bool restored = v->a->stack && place == HD_STACK_POINTER;
		if (v->live_at[place] && hd_clobbers(c, place) && !restored)
			return conflict(v, place, inst, 0, 0);
	}
	return true;
}

bool hd_verify_allocation(const hd_allocation *a, hd_text *why)
{
	verifier v = {.a = a, .l = hd_liveness_new(a->f), .why = why};
	v.live = hd_live_set(&v.l);
	bool ok = true;
	for (v.block = 0; v.block < a->f->blocks.n && ok; v.block++) {
		const hd_ir_block *block = a->f->blocks.at[v.block];
		begin_block(&v, block);
		for (v.inst = block->insts.n; v.inst-- > 0 && ok;) {
			const hd_ir_inst *inst = block->insts.at[v.inst];
			for (unsigned i = 0; i < inst->nd && ok; i++)
				ok = check_definition(&v, inst, i);
			if (ok && (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX))
				ok = check_call(&v, inst);
			step_back(&v, inst);
		}
	}
	hd_bits_free(&v.live);
	hd_liveness_free(&v.l);
	return ok;
}

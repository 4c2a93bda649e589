#include "passes/allocate/verify.h"

#include "passes/analysis/liveness.h"

typedef struct verifier {
	const hd_allocation *a;
	hd_liveness l;
	hd_bits live; /* behind the current instruction */
	hd_text *why;
	size_t block, inst;
} verifier;

/* The place of a word of a virtual register; HD_PLACES: it has none. */
static uint32_t place_of(const verifier *v, uint32_t bit)
{
	uint32_t reg = v->l.vreg_of_bit[bit], place = v->a->info.at[reg].place;
	return place == HD_NOT_FIXED || place == HD_RZ ? HD_PLACES : place + bit - v->l.first_bit[reg];
}

static bool conflict(const verifier *v, uint32_t place, uint32_t bit)
{
	bool predicate = place >= HD_FIRST_PREDICATE_PLACE;
	hd_text_printf(v->why, "%s, block %zu, instruction %zu: %s %u is written while it holds %%%u", v->a->f->name, v->block, v->inst,
	               predicate ? "predicate" : "register", predicate ? place - HD_FIRST_PREDICATE_PLACE : place, v->l.vreg_of_bit[bit]);
	return false;
}

/* Does `place` hold no live word of a register other than `written`? */
static bool check_place(const verifier *v, uint32_t place, uint32_t written)
{
	for (size_t bit = hd_bits_next(&v->live, 0); bit < v->live.bits; bit = hd_bits_next(&v->live, bit + 1)) {
		if (v->l.vreg_of_bit[bit] != written && place_of(v, (uint32_t)bit) == place)
			return conflict(v, place, (uint32_t)bit);
	}
	return true;
}

static bool check_definition(const verifier *v, const hd_opd *d)
{
	if (!hd_opd_is_register(d))
		return true;
	unsigned words = d->kind == HD_OPD_PRED ? 1 : d->words;
	for (unsigned w = 0; w < words; w++) {
		uint32_t place = place_of(v, v->l.first_bit[d->reg] + d->sub + w);
		if (place < HD_PLACES && !check_place(v, place, d->reg))
			return false;
	}
	return true;
}

/* Nothing that is live behind the call, other than its results, may be in a place that the callee may change. */
static bool check_call(const verifier *v, const hd_ir_inst *inst)
{
	const hd_clobber *c = inst->op == HD_OP_CALL ? &v->a->clobbers[inst->callee] : NULL;
	hd_bits across = hd_bits_new(v->live.bits);
	hd_bits_copy(&across, &v->live);
	for (unsigned i = 0; i < inst->nd; i++) {
		for (unsigned w = 0; w < inst->d[i].words; w++)
			hd_bits_del(&across, v->l.first_bit[inst->d[i].reg] + w);
	}
	bool ok = true;
	for (size_t bit = hd_bits_next(&across, 0); bit < v->l.bits && ok; bit = hd_bits_next(&across, bit + 1)) {
		uint32_t place = place_of(v, (uint32_t)bit);
		bool restored = v->a->stack && place == HD_STACK_POINTER;
		ok = place >= HD_PLACES || !hd_clobbers(c, place) || restored || conflict(v, place, (uint32_t)bit);
	}
	hd_bits_free(&across);
	return ok;
}

bool hd_verify_allocation(const hd_allocation *a, hd_text *why)
{
	verifier v = {.a = a, .l = hd_liveness_new(a->f), .why = why};
	v.live = hd_live_set(&v.l);
	bool ok = true;
	for (v.block = 0; v.block < a->f->blocks.n && ok; v.block++) {
		const hd_ir_block *block = a->f->blocks.at[v.block];
		hd_live_out(&v.l, v.block, &v.live);
		hd_live_before_terminator(&v.l, block, &v.live);
		for (v.inst = block->insts.n; v.inst-- > 0 && ok;) {
			const hd_ir_inst *inst = block->insts.at[v.inst];
			for (unsigned i = 0; i < inst->nd && ok; i++)
				ok = check_definition(&v, &inst->d[i]);
			if (ok && (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX))
				ok = check_call(&v, inst);
			hd_live_before(&v.l, inst, &v.live);
		}
	}
	hd_bits_free(&v.live);
	hd_liveness_free(&v.l);
	return ok;
}

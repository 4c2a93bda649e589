/* Proof that an assignment keeps values apart: on every path, no instruction writes a register that holds a word which is still wanted. It walks each
 * block backward with liveness alone, and shares neither ranges nor occupation with the assignment. */
#include "passes/allocate/allocate.h"
#include "passes/analysis/liveness.h"

enum { PREDICATES = 256, PLACES = PREDICATES + HD_PREDS };

typedef struct verifier {
	const hd_allocation *a;
	hd_liveness l;
	hd_bits live;
	hd_text *why;
	size_t block, inst;
} verifier;

/* Physical place of a word of a virtual register; PLACES: nowhere. */
static uint32_t place_of(const verifier *v, uint32_t bit)
{
	uint32_t reg = v->l.owner[bit], at = v->a->info.at[reg].reg;
	return at == HD_NOT_FIXED || at == HD_RZ ? PLACES : at + bit - v->l.first[reg];
}

static bool wrong(const verifier *v, uint32_t place, uint32_t bit)
{
	const char *kind = place < PREDICATES ? "register" : "predicate";
	hd_text_printf(v->why, "%s, block %zu, instruction %zu: %s %u is written while it holds %%%u", v->a->f->name, v->block, v->inst, kind,
	               place < PREDICATES ? place : place - PREDICATES, v->l.owner[bit]);
	return false;
}

/* Is `place` free of live words other than those of `but`? */
static bool unwanted(const verifier *v, uint32_t place, uint32_t but)
{
	for (size_t w = 0; w < (v->live.bits + 63) / 64; w++) {
		for (uint64_t bits = v->live.w[w]; bits; bits &= bits - 1) {
			uint32_t bit = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
			if (v->l.owner[bit] != but && place_of(v, bit) == place)
				return wrong(v, place, bit);
		}
	}
	return true;
}

static bool definition(verifier *v, const hd_opd *d)
{
	if (d->kind != HD_OPD_REG && d->kind != HD_OPD_PRED)
		return true;
	unsigned words = d->kind == HD_OPD_PRED ? 1 : d->words;
	for (unsigned w = 0; w < words; w++) {
		uint32_t place = place_of(v, v->l.first[d->reg] + d->sub + w);
		if (place < PLACES && !unwanted(v, place, d->reg))
			return false;
	}
	return true;
}

/* What the callee may change must not hold anything that lives on behind the call. */
static bool call(verifier *v, const hd_ir_inst *inst)
{
	hd_bits kept = hd_bits_new(v->live.bits);
	hd_bits_copy(&kept, &v->live);
	for (unsigned i = 0; i < inst->nd; i++) {
		for (unsigned w = 0; w < inst->d[i].words; w++)
			hd_bits_del(&kept, v->l.first[inst->d[i].reg] + w);
	}
	bool ok = true;
	for (uint32_t bit = 0; bit < v->l.bits && ok; bit++) {
		if (!hd_bits_has(&kept, bit))
			continue;
		uint32_t p = place_of(v, bit);
		const hd_clobber *c = inst->op == HD_OP_CALL ? &v->a->clobbers[inst->callee] : NULL;
		bool stack_pointer = v->a->stack && p == HD_STACK_POINTER; /* the callee gives it back */
		bool hit = p < PREDICATES ? !c || c->registers[p >> 6] >> (p & 63) & 1 : p < PLACES && (!c || c->predicates >> (p - PREDICATES) & 1);
		ok = !hit || stack_pointer || wrong(v, p, bit);
	}
	hd_bits_free(&kept);
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
		hd_live_at_end(&v.l, a->f, block, &v.live);
		for (v.inst = block->insts.n; v.inst-- > 0 && ok;) {
			const hd_ir_inst *inst = block->insts.at[v.inst];
			for (unsigned i = 0; i < inst->nd && ok; i++)
				ok = definition(&v, &inst->d[i]);
			if (ok && (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX))
				ok = call(&v, inst);
			hd_live_before(&v.l, inst, &v.live);
		}
	}
	hd_bits_free(&v.live);
	hd_liveness_free(&v.l);
	return ok;
}

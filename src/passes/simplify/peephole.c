#include "passes/simplify/peephole.h"

enum { MAX_CHAIN = 8 }; /* definitions that are looked through at once */

static bool is_value(const hd_simplifier *s, const hd_opd *o) { return hd_is_value(&s->values, o); }
static hd_ir_inst *definition(const hd_simplifier *s, const hd_opd *o) { return hd_definition_of(&s->values, o); }

static bool fits_bank(const hd_opd *o) { return o->imm % (4u * o->words) == 0 && o->imm + 4u * o->words <= 4 * HD_CONST_WORDS && o->words <= 2; }

static bool is_imm(const hd_opd *o, uint64_t value) { return o->kind == HD_OPD_IMM && o->imm == value; }

static uint64_t width_mask(unsigned words) { return words == 2 ? UINT64_MAX : UINT32_MAX; }

/* If `o` is a copy: *out is the operand that was copied. False: it is none, or its source is no value. */
static bool look_through_copy(const hd_simplifier *s, const hd_opd *o, hd_opd *out)
{
	if (!is_value(s, o) || o->kind != HD_OPD_REG)
		return false;
	const hd_ir_inst *def = s->values.of[o->reg].inst;
	if (def == NULL || (def->op != HD_OP_MOV && def->op != HD_OP_MOV64 && def->op != HD_OP_MOVI))
		return false;
	*out = def->s[0];
	out->words = o->words;
	switch ((hd_opd_kind)out->kind) {
	case HD_OPD_REG:
		out->sub = (uint8_t)(out->sub + o->sub);
		return is_value(s, out);
	case HD_OPD_IMM:
		out->imm = out->imm >> 32 * o->sub & width_mask(o->words);
		return true;
	case HD_OPD_CONST:
		out->imm += 4u * o->sub;
		return fits_bank(out);
	case HD_OPD_FRAME:
		return true;
	default:
		return false;
	}
}

/* Folds an integer operation of two sources. False: the operation is none of those. */
static bool fold(unsigned op, uint64_t a, uint64_t b, uint64_t *r)
{
	uint32_t low = (uint32_t)a, count = (uint32_t)b;
	switch (op) {
	case HD_OP_IADD:
	case HD_OP_IADD64:
		*r = a + b;
		return true;
	case HD_OP_ISUB:
	case HD_OP_ISUB64:
		*r = a - b;
		return true;
	case HD_OP_IMUL:
	case HD_OP_IMUL64:
		*r = a * b;
		return true;
	case HD_OP_AND:
	case HD_OP_AND64:
		*r = a & b;
		return true;
	case HD_OP_OR:
	case HD_OP_OR64:
		*r = a | b;
		return true;
	case HD_OP_XOR:
	case HD_OP_XOR64:
		*r = a ^ b;
		return true;
	case HD_OP_IMULWU:
		*r = (a & UINT32_MAX) * (b & UINT32_MAX);
		return true;
	case HD_OP_SHL:
		*r = count > 31 ? 0 : low << count;
		return true;
	case HD_OP_SHRU:
		*r = count > 31 ? 0 : low >> count;
		return true;
	case HD_OP_SHL64:
		*r = count > 63 ? 0 : a << count;
		return true;
	case HD_OP_SHRU64:
		*r = count > 63 ? 0 : a >> count;
		return true;
	default:
		return false;
	}
}

/* Can the constant `o` be source i? The format must take it, and it must be the only one, unless the operation can be folded. */
static bool takes_constant(const hd_ir_inst *inst, unsigned i, const hd_opd *o)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	uint64_t unused;
	if (o->kind == HD_OPD_FRAME)
		return i == 0 && (inst->op == HD_OP_LDL || inst->op == HD_OP_STL || inst->op == HD_OP_IADD);
	if (is_imm(o, 0) && (row->format == HD_F_ST || row->format == HD_F_ATOM || row->format == HD_F_CAS))
		return i > 0;
	switch ((hd_format)row->format) {
	case HD_F_LD:
		return o->kind == HD_OPD_CONST || o->words == 1;
	case HD_F_ALU:
	case HD_F_SETP:
	case HD_F_SUB:
	case HD_F_SEL:
	case HD_F_CARRY:
		break;
	default:
		return false;
	}
	if (inst->op >= HD_OP_COUNT || is_imm(o, 0))
		return inst->op < HD_OP_COUNT;
	bool foldable = o->kind == HD_OPD_IMM && fold(inst->op, 0, 0, &unused);
	for (unsigned k = 0; k < inst->ns; k++) {
		const hd_opd *other = &inst->s[k];
		bool constant = other->kind == HD_OPD_IMM ? other->imm != 0 : other->kind == HD_OPD_CONST;
		if (k != i && constant && !(foldable && other->kind == HD_OPD_IMM))
			return false;
	}
	return true;
}

void hd_simplify_predicate(hd_simplifier *s, hd_opd *o)
{
	for (unsigned step = 0; step < MAX_CHAIN && o->kind == HD_OPD_PRED && is_value(s, o); step++) {
		const hd_ir_inst *def = s->values.of[o->reg].inst;
		if (def == NULL || def->op != HD_OP_PLOP || (def->sub != 0xf0 && def->sub != 0x0f) || def->s[0].kind != HD_OPD_PRED ||
		    !is_value(s, &def->s[0]))
			return;
		bool neg = o->neg ^ def->s[0].neg ^ (def->sub == 0x0f);
		*o = def->s[0];
		o->neg = neg;
		s->changed = true;
	}
}

static void propagate_operands(hd_simplifier *s, hd_ir_inst *inst)
{
	hd_opd better;
	hd_simplify_predicate(s, &inst->guard);
	for (unsigned i = 0; i < inst->ns; i++) {
		if (inst->s[i].kind == HD_OPD_PRED && hd_ir_info(inst->op)->format != HD_F_CARRY) /* a carry-in cannot be negated */
			hd_simplify_predicate(s, &inst->s[i]);
		for (unsigned step = 0; step < MAX_CHAIN && look_through_copy(s, &inst->s[i], &better); step++) {
			if (better.kind != HD_OPD_REG && !takes_constant(inst, i, &better))
				break;
			inst->s[i] = better;
			s->changed = true;
		}
	}
}

static int log2_exact(uint64_t value) { return value && (value & (value - 1)) == 0 ? (int)hd_lowest_bit(value) : -1; }

static void fold_integer(hd_simplifier *s, hd_ir_inst *inst)
{
	uint64_t result, unused;
	unsigned words = inst->d[0].words;
	if (inst->ns != 2 || inst->op >= HD_OP_COUNT || !fold(inst->op, 0, 0, &unused) || inst->d[0].kind != HD_OPD_REG)
		return;
	if (inst->s[0].kind == HD_OPD_IMM && inst->s[1].kind == HD_OPD_IMM) {
		fold(inst->op, inst->s[0].imm, inst->s[1].imm, &result);
		hd_make_copy(s, inst, hd_opd_imm(result & width_mask(words), words));
		return;
	}
	if (inst->s[0].kind == HD_OPD_IMM && (hd_ops[inst->op].flags & HD_OPF_COMM)) {
		hd_opd swap = inst->s[0];
		inst->s[0] = inst->s[1];
		inst->s[1] = swap;
	}
	hd_opd *b = &inst->s[1];
	if (b->kind != HD_OPD_IMM)
		return;
	int power = log2_exact(b->imm);
	const hd_ir_inst *inner;
	switch (inst->op) {
	case HD_OP_AND:
	case HD_OP_AND64:
		if (b->imm == 0)
			hd_make_copy(s, inst, hd_opd_imm(0, words));
		else if (b->imm == width_mask(words))
			hd_make_copy(s, inst, inst->s[0]);
		return;
	case HD_OP_IMUL:
	case HD_OP_IMUL64:
		if (b->imm == 0) {
			hd_make_copy(s, inst, hd_opd_imm(0, words));
		} else if (power >= 0) {
			inst->op = inst->op == HD_OP_IMUL ? HD_OP_SHL : HD_OP_SHL64;
			*b = hd_opd_imm((unsigned)power, 1);
			s->changed = true;
		}
		return;
	case HD_OP_IMULWU:
		return;
	default:
		break;
	}
	if (b->imm == 0) {
		hd_make_copy(s, inst, inst->s[0]);
		return;
	}
	/* (x + i) + j = x + (i + j) */
	inner = definition(s, &inst->s[0]);
	if ((inst->op == HD_OP_IADD || inst->op == HD_OP_IADD64) && inner && inner->op == inst->op && inner->s[1].kind == HD_OPD_IMM &&
	    is_value(s, &inner->s[0])) {
		b->imm = (b->imm + inner->s[1].imm) & width_mask(words);
		inst->s[0] = inner->s[0];
		s->changed = true;
	}
}

/* A constant that is added to the address goes into the offset: addresses wrap as registers do. */
static void fold_address(hd_simplifier *s, hd_ir_inst *inst)
{
	const hd_op_info *row = &hd_ops[inst->op];
	if (row->format != HD_F_LD && row->format != HD_F_ST)
		return;
	for (unsigned step = 0; step < MAX_CHAIN; step++) {
		const hd_ir_inst *sum = definition(s, &inst->s[0]);
		if (sum == NULL || (sum->op != HD_OP_IADD && sum->op != HD_OP_IADD64) || sum->s[1].kind != HD_OPD_IMM)
			break;
		if (!is_value(s, &sum->s[0]) && sum->s[0].kind != HD_OPD_FRAME)
			break;
		if (sum->s[0].kind == HD_OPD_FRAME && inst->op != HD_OP_LDL && inst->op != HD_OP_STL)
			break;
		int64_t by = sum->op == HD_OP_IADD ? (int64_t)(int32_t)(uint32_t)sum->s[1].imm : (int64_t)sum->s[1].imm;
		if (by < INT16_MIN || by > INT16_MAX || by + inst->offset < INT16_MIN || by + inst->offset > INT16_MAX)
			break;
		inst->s[0] = sum->s[0];
		inst->offset += (int32_t)by;
		s->changed = true;
	}
	/* A load from a constant address in the bank is a copy of a bank operand. */
	int64_t at = inst->s[0].kind == HD_OPD_IMM ? (int64_t)inst->s[0].imm + inst->offset : -1;
	if (inst->op == HD_OP_LDC && (inst->sub == HD_SIZE_32 || inst->sub == HD_SIZE_64) && at >= 0 && at < 4 * HD_CONST_WORDS &&
	    inst->d[0].kind == HD_OPD_REG) {
		hd_opd bank = hd_opd_const((uint32_t)at, inst->d[0].words);
		if (fits_bank(&bank)) {
			inst->offset = 0;
			hd_make_copy(s, inst, bank);
		}
	}
}

/* x if `o` is -x; else kind NONE. */
static hd_opd negated(const hd_simplifier *s, const hd_opd *o)
{
	const hd_ir_inst *def = definition(s, o);
	if (def && (def->op == HD_OP_FNEG || def->op == HD_OP_DNEG) && is_value(s, &def->s[0]))
		return def->s[0];
	return (hd_opd){0};
}

/* a + -b = a - b, and so on. A negation is exact, and the sign of a NaN result is not kept anyway. */
static void fold_negation(hd_simplifier *s, hd_ir_inst *inst)
{
	hd_opd n;
	switch (inst->op) {
	case HD_OP_FADD:
	case HD_OP_DADD:
		n = negated(s, &inst->s[1]);
		if (n.kind == HD_OPD_NONE && (n = negated(s, &inst->s[0])).kind != HD_OPD_NONE)
			inst->s[0] = inst->s[1];
		if (n.kind == HD_OPD_NONE)
			return;
		inst->op = inst->op == HD_OP_FADD ? HD_OP_FSUB : HD_OP_DSUB;
		inst->s[1] = n;
		break;
	case HD_OP_FSUB:
	case HD_OP_DSUB:
		n = negated(s, &inst->s[1]);
		if (n.kind == HD_OPD_NONE)
			return;
		inst->op = inst->op == HD_OP_FSUB ? HD_OP_FADD : HD_OP_DADD;
		inst->s[1] = n;
		break;
	case HD_OP_FFMA:
	case HD_OP_DFMA:
		for (unsigned i = 0; i < 2; i++) {
			n = negated(s, &inst->s[i]);
			if (n.kind == HD_OPD_NONE)
				continue;
			inst->op = inst->op == HD_OP_FFMA ? HD_OP_FNFMA : HD_OP_DNFMA;
			inst->s[i] = n;
			s->changed = true;
			return;
		}
		n = negated(s, &inst->s[2]);
		if (n.kind == HD_OPD_NONE || inst->op != HD_OP_FFMA)
			return;
		inst->op = HD_OP_FFMS;
		inst->s[2] = n;
		break;
	default:
		return;
	}
	s->changed = true;
}

void hd_simplify_inst(hd_simplifier *s, hd_ir_inst *inst)
{
	propagate_operands(s, inst);
	if (inst->op >= HD_OP_COUNT)
		return;
	if (hd_ops[inst->op].flags & HD_OPF_MEM)
		fold_address(s, inst);
	else if (hd_ops[inst->op].flags & HD_OPF_RND)
		fold_negation(s, inst);
	else
		fold_integer(s, inst);
}

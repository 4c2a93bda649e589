/* Integer arithmetic. The opcodes that integers share with floats begin here and continue in float.c. */
#include "ptx/lower.h"

#define FLOATS (PTX_SET_FLOAT | PTX_SET_HALF)

/* True when the instruction's first type is a float; the type is then *type. */
static bool is_float(ptx_fn *fn, ptx_type *type)
{
	if (fn->inst->ntypes == 0 || !(FLOATS >> fn->inst->types[0] & 1))
		return false;
	*type = (ptx_type)fn->inst->types[0];
	return true;
}

/* d = a op b with the row of the type's width. */
static void binary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, bool extended, unsigned op32, unsigned op64)
{
	bool wide = ptx_bits(type) == 64;
	hd_opd a = extended ? ptx_extended(fn, &inst->opds[1], type) : ptx_source(fn, &inst->opds[1], type);
	hd_opd b = extended ? ptx_extended(fn, &inst->opds[2], type) : ptx_source(fn, &inst->opds[2], type);
	ptx_emit2(fn, wide ? op64 : op32, ptx_dest(fn, &inst->opds[0], type), a, b);
}

static void unary(ptx_fn *fn, const ptx_inst *inst, ptx_type type, bool extended, unsigned op32, unsigned op64)
{
	bool wide = ptx_bits(type) == 64;
	hd_opd a = extended ? ptx_extended(fn, &inst->opds[1], type) : ptx_source(fn, &inst->opds[1], type);
	ptx_emit1(fn, wide ? op64 : op32, ptx_dest(fn, &inst->opds[0], type), a);
}

/* -- carry chains ------------------------------------------------------------------------------------------------------------------------- */

/* PTX has one carry flag. A subtraction adds the complement, so it leaves 1 where nothing was borrowed, and nvcc reads that with addc. The machine
 * has carry and borrow: two predicates of the function that are always opposite. */
static hd_opd carry_flag(ptx_fn *fn, bool borrow)
{
	uint32_t *flag = borrow ? &fn->borrow : &fn->carry;
	if (!*flag)
		*flag = hd_ir_vreg_new(fn->f, 0) + 1;
	return hd_opd_pred(*flag - 1, false);
}

/* d = a op b op carry-in; 64 bits in two steps */
static void chain(ptx_fn *fn, unsigned op, hd_opd d, hd_opd a, hd_opd b, bool in, bool out)
{
	hd_opd flag = carry_flag(fn, op == HD_OP_ISUBC);
	unsigned words = a.words;
	hd_opd low = words == 2 ? ptx_temp(fn, 1) : d;
	hd_opd middle = words == 2 ? ptx_temp(fn, 0) : ptx_none();
	for (unsigned i = 0; i < words; i++) {
		bool last = i + 1 == words;
		hd_ir_inst *inst = ptx_emit(fn, op, 2, 3);
		inst->d[0] = words == 1 ? d : i == 0 ? low : d.kind == HD_OPD_NONE ? ptx_none() : ptx_part(d, 1, 1);
		inst->d[1] = !last ? middle : out ? flag : ptx_none();
		inst->s[0] = words == 1 ? a : ptx_part(a, i, 1);
		inst->s[1] = words == 1 ? b : ptx_part(b, i, 1);
		inst->s[2] = i ? middle : in ? flag : ptx_none();
	}
	if (words == 2 && d.kind != HD_OPD_NONE)
		ptx_move(fn, ptx_part(d, 0, 1), low);
	if (out) {
		flag.neg = true;
		ptx_move(fn, carry_flag(fn, op != HD_OP_ISUBC), flag);
	}
}

static void add_or_sub(ptx_fn *fn, const ptx_inst *inst, bool subtract, bool carry_in)
{
	ptx_type type;
	if (!carry_in && is_float(fn, &type)) {
		ptx_float_binary(fn, inst, type, subtract ? HD_OP_FSUB : HD_OP_FADD, subtract ? HD_OP_DSUB : HD_OP_DADD);
		return;
	}
	bool carry_out = ptx_mod_used(fn, PTX_M_CC);
	if (carry_in || carry_out) {
		type = ptx_type_at(fn, 0, PTX_SET_INT32 | PTX_SET_INT64 | PTX_SET(B32) | PTX_SET(B64));
		hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
		chain(fn, subtract ? HD_OP_ISUBC : HD_OP_IADDC, ptx_dest(fn, &inst->opds[0], type), a, b, carry_in, carry_out);
		return;
	}
	if (ptx_mod_used(fn, PTX_M_SAT)) {
		type = ptx_type_at(fn, 0, PTX_SET(S32));
		binary(fn, inst, type, false, subtract ? HD_OP_ISUBSAT : HD_OP_IADDSAT, 0);
		return;
	}
	type = ptx_type_at(fn, 0, PTX_SET_INT | PTX_SET_BITS | (subtract ? 0 : PTX_SET_PAIR));
	if (PTX_SET_PAIR >> type & 1) {
		hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
		hd_opd low = ptx_make2(fn, HD_OP_IADD, 1, a, b), upper = ptx_make2(fn, HD_OP_AND, 1, a, ptx_imm(0xffff0000));
		/* The lower halves carry nothing into the upper ones. */
		upper = ptx_make2(fn, HD_OP_IADD, 1, upper, ptx_make2(fn, HD_OP_AND, 1, b, ptx_imm(0xffff0000)));
		ptx_emit3(fn, HD_OP_PRMT, ptx_dest(fn, &inst->opds[0], type), low, upper, ptx_imm(0x7610));
		return;
	}
	binary(fn, inst, type, false, subtract ? HD_OP_ISUB : HD_OP_IADD, subtract ? HD_OP_ISUB64 : HD_OP_IADD64);
}

void ptx_do_add(ptx_fn *fn, const ptx_inst *inst) { add_or_sub(fn, inst, false, false); }
void ptx_do_sub(ptx_fn *fn, const ptx_inst *inst) { add_or_sub(fn, inst, true, false); }
void ptx_do_addc(ptx_fn *fn, const ptx_inst *inst) { add_or_sub(fn, inst, false, true); }
void ptx_do_subc(ptx_fn *fn, const ptx_inst *inst) { add_or_sub(fn, inst, true, true); }

/* -- products -------------------------------------------------------------------------------------------------------------------------- */

typedef enum part { LOW, HIGH, WIDE, NO_PART } part;

static part which_part(ptx_fn *fn)
{
	bool lo = ptx_mod_used(fn, PTX_M_LO), hi = ptx_mod_used(fn, PTX_M_HI), wide = ptx_mod_used(fn, PTX_M_WIDE);
	if (lo + hi + wide != 1) {
		ptx_wrong(fn, fn->pos, "expected one of the suffixes .lo .hi .wide");
		return NO_PART;
	}
	return lo ? LOW : hi ? HIGH : WIDE;
}

/* Type of the result: of twice the width for .wide. */
static ptx_type result_type(ptx_type type, part which)
{
	if (which != WIDE)
		return type;
	if (ptx_bits(type) == 16)
		return ptx_signed(type) ? PTX_S32 : PTX_U32;
	return ptx_signed(type) ? PTX_S64 : PTX_U64;
}

/* The requested part of a * b, in `d`, or in a temporary if d is no register. */
static hd_opd product(ptx_fn *fn, hd_opd d, const ptx_opd *a, const ptx_opd *b, ptx_type type, part which)
{
	bool is_signed = ptx_signed(type);
	unsigned bits = ptx_bits(type);
	unsigned words = which == WIDE && bits == 32 ? 2 : bits == 64 ? 2 : 1;
	unsigned op;
	hd_opd x, y;
	if (d.kind == HD_OPD_NONE)
		d = ptx_temp(fn, words);
	if (bits == 16 && which != LOW) {
		x = ptx_extended(fn, a, type);
		y = ptx_extended(fn, b, type);
		if (which == WIDE) {
			ptx_emit2(fn, HD_OP_IMUL, d, x, y);
			return d;
		}
		hd_opd full = ptx_make2(fn, HD_OP_IMUL, 1, x, y);
		ptx_emit2(fn, HD_OP_SHRU, d, full, ptx_imm(16));
		return d;
	}
	x = ptx_source(fn, a, type);
	y = ptx_source(fn, b, type);
	if (bits == 64)
		op = which == LOW ? HD_OP_IMUL64 : is_signed ? HD_OP_IMULHIS64 : HD_OP_IMULHIU64;
	else if (which == WIDE)
		op = is_signed ? HD_OP_IMULWS : HD_OP_IMULWU;
	else
		op = which == LOW ? HD_OP_IMUL : is_signed ? HD_OP_IMULHIS : HD_OP_IMULHIU;
	ptx_emit2(fn, op, d, x, y);
	return d;
}

static ptx_type product_type(ptx_fn *fn, part which)
{
	uint32_t set = PTX_SET_INT | (which == LOW ? PTX_SET_BITS : 0);
	return ptx_type_at(fn, 0, which == WIDE ? set & ~PTX_SET_INT64 : set);
}

void ptx_do_mul(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type;
	if (is_float(fn, &type)) {
		ptx_float_binary(fn, inst, type, HD_OP_FMUL, HD_OP_DMUL);
		return;
	}
	part which = which_part(fn);
	if (which == NO_PART)
		return;
	type = product_type(fn, which);
	hd_opd d = ptx_dest(fn, &inst->opds[0], result_type(type, which));
	product(fn, d, &inst->opds[1], &inst->opds[2], type, which);
}

static void multiply_add(ptx_fn *fn, const ptx_inst *inst, bool carry_in)
{
	ptx_type type;
	if (is_float(fn, &type)) {
		ptx_do_fma(fn, inst);
		return;
	}
	part which = which_part(fn);
	bool carry_out = ptx_mod_used(fn, PTX_M_CC);
	if (which == NO_PART)
		return;
	type = product_type(fn, which);
	ptx_type result = result_type(type, which);
	hd_opd d = ptx_dest(fn, &inst->opds[0], result);
	if (carry_in || carry_out) {
		if (which == WIDE || ptx_bits(type) == 16) {
			ptx_wrong(fn, fn->pos, "a carry with .wide or 16 bits, expected .lo or .hi of 32 or 64 bits");
			return;
		}
		hd_opd full = product(fn, ptx_none(), &inst->opds[1], &inst->opds[2], type, which);
		chain(fn, HD_OP_IADDC, d, full, ptx_source(fn, &inst->opds[3], type), carry_in, carry_out);
		return;
	}
	bool saturate = ptx_mod_used(fn, PTX_M_SAT);
	if (saturate && (which != HIGH || type != PTX_S32)) {
		ptx_wrong(fn, fn->pos, ".sat is for mad.hi.sat.s32 only");
		return;
	}
	if (!(which == LOW && ptx_bits(type) <= 32) && !(which == WIDE && ptx_bits(type) == 32)) {
		hd_opd full = product(fn, ptx_none(), &inst->opds[1], &inst->opds[2], type, which);
		hd_opd c = ptx_source(fn, &inst->opds[3], result);
		ptx_emit2(fn, saturate ? HD_OP_IADDSAT : ptx_bits(result) == 64 ? HD_OP_IADD64 : HD_OP_IADD, d, full, c);
		return;
	}
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type), c = ptx_source(fn, &inst->opds[3], result);
	ptx_emit3(fn, which == LOW ? HD_OP_IMAD : ptx_signed(type) ? HD_OP_IMADWS : HD_OP_IMADWU, d, a, b, c);
}

void ptx_do_mad(ptx_fn *fn, const ptx_inst *inst) { multiply_add(fn, inst, false); }
void ptx_do_madc(ptx_fn *fn, const ptx_inst *inst) { multiply_add(fn, inst, true); }

/* Low 32 bits, or bits 16 to 47, of the product of two 24-bit numbers. */
static hd_opd product24(ptx_fn *fn, const ptx_inst *inst, ptx_type type, bool high)
{
	hd_opd x[2];
	for (unsigned i = 0; i < 2; i++) {
		x[i] = ptx_source(fn, &inst->opds[1 + i], type);
		x[i] = ptx_make2(fn, HD_OP_SHL, 1, x[i], ptx_imm(8));
		x[i] = ptx_make2(fn, ptx_signed(type) ? HD_OP_SHRS : HD_OP_SHRU, 1, x[i], ptx_imm(8));
	}
	if (!high)
		return ptx_make2(fn, HD_OP_IMUL, 1, x[0], x[1]);
	hd_opd full = ptx_make2(fn, ptx_signed(type) ? HD_OP_IMULWS : HD_OP_IMULWU, 2, x[0], x[1]);
	return ptx_make3(fn, HD_OP_FSHRW, 1, ptx_part(full, 0, 1), ptx_part(full, 1, 1), ptx_imm(16));
}

void ptx_do_mul24(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_INT32);
	part which = which_part(fn);
	hd_opd p = product24(fn, inst, type, which == HIGH);
	if (which == WIDE)
		ptx_wrong(fn, fn->pos, "expected .lo or .hi");
	ptx_move(fn, ptx_dest(fn, &inst->opds[0], type), p);
}

void ptx_do_mad24(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_INT32);
	part which = which_part(fn);
	bool saturate = ptx_mod_used(fn, PTX_M_SAT);
	hd_opd p = product24(fn, inst, type, which == HIGH);
	if (which == WIDE || (saturate && (which != HIGH || type != PTX_S32)))
		ptx_wrong(fn, fn->pos, "expected .lo or .hi, and .sat only with .hi and .s32");
	hd_opd c = ptx_source(fn, &inst->opds[3], type);
	ptx_emit2(fn, saturate ? HD_OP_IADDSAT : HD_OP_IADD, ptx_dest(fn, &inst->opds[0], type), p, c);
}

/* d = c + |a - b| */
void ptx_do_sad(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_INT);
	bool wide = ptx_bits(type) == 64, is_signed = ptx_signed(type);
	unsigned words = wide ? 2 : 1;
	hd_opd a = ptx_extended(fn, &inst->opds[1], type), b = ptx_extended(fn, &inst->opds[2], type), c = ptx_source(fn, &inst->opds[3], type);
	hd_opd most = ptx_make2(fn, wide ? (is_signed ? HD_OP_IMAXS64 : HD_OP_IMAXU64) : is_signed ? HD_OP_IMAXS : HD_OP_IMAXU, words, a, b);
	hd_opd least = ptx_make2(fn, wide ? (is_signed ? HD_OP_IMINS64 : HD_OP_IMINU64) : is_signed ? HD_OP_IMINS : HD_OP_IMINU, words, a, b);
	hd_opd distance = ptx_make2(fn, wide ? HD_OP_ISUB64 : HD_OP_ISUB, words, most, least);
	ptx_emit2(fn, wide ? HD_OP_IADD64 : HD_OP_IADD, ptx_dest(fn, &inst->opds[0], type), distance, c);
}

/* -- the rest ---------------------------------------------------------------------------------------------------------------------------- */

void ptx_do_div(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type;
	if (is_float(fn, &type)) {
		/* .full has an error of 2 ulp over the whole range, so the exact division serves. .approx multiplies by the reciprocal. */
		bool full = ptx_mod_used(fn, PTX_M_FULL), approx = ptx_mod_used(fn, PTX_M_APPROX);
		(void)full;
		if (approx && type == PTX_F32) {
			bool ftz = ptx_mod_used(fn, PTX_M_FTZ);
			hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
			if (ftz) {
				b = ptx_make1(fn, HD_OP_FTZ, 1, b);
			} else { /* a denormal divisor may have no reciprocal: both are enlarged. nvcc's fmodf needs that. */
				hd_opd factor = ptx_temp(fn, 1), size = ptx_make1(fn, HD_OP_FABS, 1, b);
				ptx_select(fn, factor, ptx_imm(0x4b800000), ptx_imm(0x3f800000),
				           ptx_compare(fn, HD_OP_FSETP, HD_CMP_LT, size, ptx_imm(0x00800000)));
				a = ptx_make2(fn, HD_OP_FMUL, 1, a, factor);
				b = ptx_make2(fn, HD_OP_FMUL, 1, b, factor);
			}
			hd_opd reciprocal = ptx_make1(fn, HD_OP_FRCP, 1, b);
			hd_opd d = ptx_dest(fn, &inst->opds[0], type);
			hd_opd q = ftz ? ptx_temp(fn, 1) : d;
			ptx_emit2(fn, HD_OP_FMUL, q, a, reciprocal);
			if (ftz)
				ptx_emit1(fn, HD_OP_FTZ, d, q);
			return;
		}
		ptx_float_binary(fn, inst, type, HD_IR_FDIV, HD_IR_DDIV);
		return;
	}
	type = ptx_type_at(fn, 0, PTX_SET_INT);
	binary(fn, inst, type, true, ptx_signed(type) ? HD_IR_SDIV : HD_IR_UDIV, ptx_signed(type) ? HD_IR_SDIV64 : HD_IR_UDIV64);
}

void ptx_do_rem(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_INT);
	binary(fn, inst, type, true, ptx_signed(type) ? HD_IR_SREM : HD_IR_UREM, ptx_signed(type) ? HD_IR_SREM64 : HD_IR_UREM64);
}

/* Minimum or maximum of two words, and no less than 0 with `relu`. */
static void signed_extreme(ptx_fn *fn, hd_opd d, hd_opd a, hd_opd b, bool maximum, bool relu)
{
	hd_opd value = relu ? ptx_temp(fn, 1) : d;
	ptx_emit2(fn, maximum ? HD_OP_IMAXS : HD_OP_IMINS, value, a, b);
	if (relu)
		ptx_emit2(fn, HD_OP_IMAXS, d, value, ptx_imm(0));
}

static void min_or_max_of_pair(ptx_fn *fn, const ptx_inst *inst, ptx_type type, bool maximum)
{
	bool is_signed = type == PTX_S16X2, relu = is_signed && ptx_mod_used(fn, PTX_M_RELU);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type), value[2];
	for (unsigned i = 0; i < 2; i++) {
		hd_opd x = ptx_extract(fn, a, 16 * i, 16, is_signed), y = ptx_extract(fn, b, 16 * i, 16, is_signed);
		value[i] = ptx_temp(fn, 1); /* numbers of 16 bits without a sign are words with one */
		signed_extreme(fn, value[i], x, y, maximum, relu);
	}
	ptx_emit3(fn, HD_OP_PRMT, ptx_dest(fn, &inst->opds[0], type), value[0], value[1], ptx_imm(0x5410));
}

static void min_or_max(ptx_fn *fn, const ptx_inst *inst, bool maximum)
{
	ptx_type type;
	if (is_float(fn, &type)) {
		ptx_float_extreme(fn, inst, type, maximum);
		return;
	}
	type = ptx_type_at(fn, 0, PTX_SET_INT | PTX_SET_PAIR);
	if (PTX_SET_PAIR >> type & 1) {
		min_or_max_of_pair(fn, inst, type, maximum);
		return;
	}
	if (type == PTX_S32 && ptx_mod_used(fn, PTX_M_RELU)) {
		hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
		signed_extreme(fn, ptx_dest(fn, &inst->opds[0], type), a, b, maximum, true);
		return;
	}
	if (ptx_signed(type))
		binary(fn, inst, type, true, maximum ? HD_OP_IMAXS : HD_OP_IMINS, maximum ? HD_OP_IMAXS64 : HD_OP_IMINS64);
	else
		binary(fn, inst, type, true, maximum ? HD_OP_IMAXU : HD_OP_IMINU, maximum ? HD_OP_IMAXU64 : HD_OP_IMINU64);
}

void ptx_do_min(ptx_fn *fn, const ptx_inst *inst) { min_or_max(fn, inst, false); }
void ptx_do_max(ptx_fn *fn, const ptx_inst *inst) { min_or_max(fn, inst, true); }

void ptx_do_abs(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type;
	if (!is_float(fn, &type)) {
		type = ptx_type_at(fn, 0, PTX_SET(S16) | PTX_SET(S32) | PTX_SET(S64));
		unary(fn, inst, type, true, HD_OP_IABS, HD_OP_IABS64);
	} else if (ptx_is_half(type)) {
		(void)ptx_mod_used(fn, PTX_M_FTZ);
		hd_opd a = ptx_source(fn, &inst->opds[1], type);
		ptx_emit2(fn, HD_OP_AND, ptx_dest(fn, &inst->opds[0], type), a, ptx_imm(0x7fff7fff));
	} else {
		hd_opd a = ptx_source(fn, &inst->opds[1], type);
		if (ptx_mod_used(fn, PTX_M_FTZ) && type == PTX_F32)
			a = ptx_make1(fn, HD_OP_FTZ, 1, a);
		ptx_emit1(fn, type == PTX_F64 ? HD_OP_DABS : HD_OP_FABS, ptx_dest(fn, &inst->opds[0], type), a);
	}
}

void ptx_do_neg(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type;
	if (!is_float(fn, &type)) {
		type = ptx_type_at(fn, 0, PTX_SET(S16) | PTX_SET(S32) | PTX_SET(S64));
		unary(fn, inst, type, false, HD_OP_INEG, HD_OP_INEG64);
	} else if (ptx_is_half(type)) {
		(void)ptx_mod_used(fn, PTX_M_FTZ);
		hd_opd a = ptx_source(fn, &inst->opds[1], type);
		ptx_emit2(fn, HD_OP_XOR, ptx_dest(fn, &inst->opds[0], type), a, ptx_imm(ptx_bits(type) == 16 ? 0x8000 : 0x80008000));
	} else {
		hd_opd a = ptx_source(fn, &inst->opds[1], type);
		if (ptx_mod_used(fn, PTX_M_FTZ) && type == PTX_F32)
			a = ptx_make1(fn, HD_OP_FTZ, 1, a);
		ptx_emit1(fn, type == PTX_F64 ? HD_OP_DNEG : HD_OP_FNEG, ptx_dest(fn, &inst->opds[0], type), a);
	}
}

/* Video instructions: vadd, vabsdiff4 and their like. They take bytes, halves or words out of registers, compute exactly, saturate, and then add up,
 * compare with a third value, or merge into it. The machine has no such operations, so each becomes its steps. The scalar ones compute in 64 bits,
 * because their intermediate values have 34; those on 2 halves or 4 bytes compute in 32. */
#include "ptx/lower.h"

typedef enum video_op { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_AVERAGE, V_SHL, V_SHR, V_MAD, V_SET } video_op;

typedef struct video_row {
	const char *name; /* without the number of lanes */
	video_op op;
} video_row;

static const video_row rows[] = {
    {"vabsdiff", V_ABSDIFF}, {"vadd", V_ADD}, {"vavrg", V_AVERAGE}, {"vmad", V_MAD}, {"vmax", V_MAX},
    {"vmin", V_MIN},         {"vset", V_SET}, {"vshl", V_SHL},      {"vshr", V_SHR}, {"vsub", V_SUB},
};

/* The instruction that is lowered. */
typedef struct video {
	ptx_fn *fn;
	const ptx_inst *inst;
	video_op op;
	unsigned lanes, bits, words; /* 1, 2 or 4 lanes; bits of a lane; words of an intermediate value */
	ptx_type d, a, b;
	bool sat;
	ptx_mod second; /* .add .min .max behind the operation, or PTX_MOD_COUNT */
	int cmp;        /* hd_cmp of vset for signed numbers */
} video;

/* -- values of one or two words --------------------------------------------------------------------------------------------------------- */

static hd_opd constant(const video *v, int64_t value) { return v->words == 2 ? ptx_imm64((uint64_t)value) : ptx_imm((uint32_t)value); }

typedef enum step { ADD, SUB, LESSER, GREATER, RIGHT, TIMES, STEPS } step;
static const uint16_t step_ops[STEPS][2] = {
    [ADD] = {HD_OP_IADD, HD_OP_IADD64},       [SUB] = {HD_OP_ISUB, HD_OP_ISUB64},   [LESSER] = {HD_OP_IMINS, HD_OP_IMINS64},
    [GREATER] = {HD_OP_IMAXS, HD_OP_IMAXS64}, [RIGHT] = {HD_OP_SHRS, HD_OP_SHRS64}, [TIMES] = {HD_OP_IMUL, HD_OP_IMUL64},
};

static hd_opd make(const video *v, step s, hd_opd a, hd_opd b) { return ptx_make2(v->fn, step_ops[s][v->words == 2], v->words, a, b); }

static hd_opd compare(const video *v, hd_cmp cmp, hd_opd a, hd_opd b)
{
	return ptx_compare(v->fn, v->words == 2 ? HD_OP_ISETP64 : HD_OP_ISETP, cmp, a, b);
}

static hd_opd choose(const video *v, hd_opd yes, hd_opd no, hd_opd pred)
{
	hd_opd d = ptx_temp(v->fn, v->words);
	ptx_select(v->fn, d, yes, no, pred);
	return d;
}

/* Bits `position` and on of a word as an intermediate value. */
static hd_opd part_of(const video *v, hd_opd word, unsigned position, unsigned bits, bool is_signed)
{
	hd_opd low = ptx_extract(v->fn, word, position, bits, is_signed);
	if (v->words == 1)
		return low;
	hd_opd wide = ptx_temp(v->fn, 2);
	ptx_move(v->fn, ptx_part(wide, 0, 1), low);
	if (is_signed)
		ptx_emit2(v->fn, HD_OP_SHRS, ptx_part(wide, 1, 1), ptx_part(wide, 0, 1), ptx_imm(31));
	else
		ptx_move(v->fn, ptx_part(wide, 1, 1), ptx_imm(0));
	return wide;
}

/* -- operands ------------------------------------------------------------------------------------------------------------------------------ */

/* The digits behind `b` or `h` of an operand's part, the lowest lane first; false with an error. `none` means the whole register. */
static bool digits_of(const video *v, const ptx_opd *opd, uint8_t digits[4], unsigned *n, char *letter)
{
	*n = 0;
	*letter = 0;
	if (opd->kind != PTX_O_REG || !opd->part)
		return true;
	const ptx_name *part = opd->part;
	*letter = part->text[0];
	if ((*letter == 'b' || *letter == 'h') && part->length >= 2 && part->length <= 5) {
		for (*n = 0; *n + 1 < part->length; ++*n)
			digits[*n] = (uint8_t)(part->text[part->length - 1 - *n] - '0');
		return true;
	}
	ptx_wrong(v->fn, opd->pos, "%.80s.%.80s: expected a part such as .b0 or .h1", opd->name->text, part->text);
	return false;
}

static ptx_opd whole(const ptx_opd *opd)
{
	ptx_opd bare = *opd;
	bare.part = NULL;
	return bare;
}

static bool bad_part(const video *v, const ptx_opd *opd)
{
	ptx_wrong(v->fn, opd->pos, "%.80s.%.80s: this part does not fit the instruction", opd->name->text, opd->part->text);
	return false;
}

/* A source of a scalar instruction. */
static bool scalar_source(const video *v, const ptx_opd *opd, ptx_type type, hd_opd *value)
{
	uint8_t digit[4] = {0};
	unsigned n, bits = 32;
	char letter;
	if (!digits_of(v, opd, digit, &n, &letter))
		return false;
	if (n)
		bits = letter == 'b' ? 8 : 16;
	if (n > 1 || (n && digit[0] >= 32 / bits))
		return bad_part(v, opd);
	ptx_opd bare = whole(opd);
	hd_opd word = ptx_source(v->fn, &bare, type);
	*value = part_of(v, word, digit[0] * bits, bits, ptx_signed(type));
	return !v->fn->bad;
}

/* The lanes of a source, each out of the lanes of both source registers. */
static bool lane_sources(const video *v, unsigned which, const hd_opd word[2], ptx_type type, hd_opd value[4])
{
	const ptx_opd *opd = &v->inst->opds[1 + which];
	uint8_t digit[4];
	unsigned n;
	char letter;
	if (!digits_of(v, opd, digit, &n, &letter))
		return false;
	if (n && (n != v->lanes || letter != (v->bits == 8 ? 'b' : 'h')))
		return bad_part(v, opd);
	for (unsigned i = 0; i < v->lanes; i++) {
		unsigned lane = n ? digit[i] : which * v->lanes + i;
		if (lane >= 2 * v->lanes)
			return bad_part(v, opd);
		value[i] = part_of(v, word[lane / v->lanes], lane % v->lanes * v->bits, v->bits, ptx_signed(type));
	}
	return true;
}

/* The lanes of the destination that are written, and the bits of a written lane: mask bit 0 is the lowest lane. */
static bool written(const video *v, unsigned *mask, unsigned *bits)
{
	const ptx_opd *opd = &v->inst->opds[0];
	uint8_t digit[4];
	unsigned n;
	char letter;
	*mask = (1u << v->lanes) - 1;
	*bits = v->bits;
	if (!digits_of(v, opd, digit, &n, &letter))
		return false;
	if (n == 0)
		return true;
	*bits = letter == 'b' ? 8 : 16;
	*mask = 0;
	if (v->lanes == 1 ? n > 1 : *bits != v->bits)
		return bad_part(v, opd);
	for (unsigned i = 0; i < n; i++) {
		if (digit[i] >= 32 / *bits)
			return bad_part(v, opd);
		*mask |= 1u << digit[i];
	}
	return true;
}

/* -- the operation ----------------------------------------------------------------------------------------------------------------------- */

/* A shift by 32 of a whole word would leave 64 bits. Its low word is 0, so any huge value of the right sign serves. */
static hd_opd shift(const video *v, hd_opd a, hd_opd b)
{
	bool wrap = ptx_mod_used(v->fn, PTX_M_WRAP), clamp = ptx_mod_used(v->fn, PTX_M_CLAMP);
	if (wrap == clamp)
		ptx_wrong(v->fn, v->fn->pos, "expected .wrap or .clamp");
	hd_opd amount = ptx_part(b, 0, 1);
	amount = wrap ? ptx_make2(v->fn, HD_OP_AND, 1, amount, ptx_imm(31)) : ptx_make2(v->fn, HD_OP_IMINU, 1, amount, ptx_imm(32));
	if (v->op == V_SHR)
		return ptx_make2(v->fn, HD_OP_SHRS64, 2, a, amount);
	hd_opd moved = ptx_make2(v->fn, HD_OP_SHL64, 2, a, ptx_make2(v->fn, HD_OP_IMINU, 1, amount, ptx_imm(31)));
	hd_opd huge = choose(v, constant(v, -(INT64_C(1) << 40)), constant(v, INT64_C(1) << 40), compare(v, HD_CMP_LT, a, constant(v, 0)));
	huge = choose(v, constant(v, 0), huge, compare(v, HD_CMP_EQ, a, constant(v, 0)));
	return choose(v, huge, moved, ptx_compare(v->fn, HD_OP_ISETP, HD_CMP_EQ, amount, ptx_imm(32)));
}

static hd_opd operate(const video *v, hd_opd a, hd_opd b)
{
	switch (v->op) {
	case V_ADD:
		return make(v, ADD, a, b);
	case V_SUB:
		return make(v, SUB, a, b);
	case V_ABSDIFF:
		return make(v, SUB, make(v, GREATER, a, b), make(v, LESSER, a, b));
	case V_MIN:
		return make(v, LESSER, a, b);
	case V_MAX:
		return make(v, GREATER, a, b);
	case V_AVERAGE: { /* halves are rounded away from zero, below zero as above */
		hd_opd sum = make(v, ADD, a, b), up = make(v, ADD, sum, constant(v, 1));
		return make(v, RIGHT, choose(v, sum, up, compare(v, HD_CMP_LT, sum, constant(v, 0))), constant(v, 1));
	}
	case V_SHL:
	case V_SHR:
		return shift(v, a, b);
	case V_SET:
		return choose(v, constant(v, 1), constant(v, 0), compare(v, (hd_cmp)v->cmp, a, b));
	case V_MAD:
		break;
	}
	return a;
}

static hd_opd clamp(const video *v, hd_opd value, bool is_signed, unsigned bits)
{
	int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
	return make(v, LESSER, make(v, GREATER, value, constant(v, is_signed ? -most - 1 : 0)), constant(v, most));
}

/* Word `c` with the low `bits` of the values in those of its places that `mask` names. */
static hd_opd merge(const video *v, hd_opd c, const hd_opd *values, unsigned mask, unsigned bits)
{
	uint32_t field = (uint32_t)((UINT64_C(1) << bits) - 1), kept = UINT32_MAX;
	hd_opd word = {0};
	for (unsigned i = 0; i < 32 / bits; i++) {
		if (!(mask >> i & 1))
			continue;
		hd_opd value = ptx_part(v->lanes == 1 ? values[0] : values[i], 0, 1);
		value = bits == 32 ? value : ptx_make2(v->fn, HD_OP_AND, 1, value, ptx_imm(field));
		value = i ? ptx_make2(v->fn, HD_OP_SHL, 1, value, ptx_imm(i * bits)) : value;
		word = word.kind == HD_OPD_NONE ? value : ptx_make2(v->fn, HD_OP_OR, 1, word, value);
		kept &= ~(field << (i * bits));
	}
	if (word.kind == HD_OPD_NONE)
		return c;
	return kept ? ptx_make2(v->fn, HD_OP_OR, 1, ptx_make2(v->fn, HD_OP_AND, 1, c, ptx_imm(kept)), word) : word;
}

static void store(const video *v, hd_opd word)
{
	ptx_opd bare = whole(&v->inst->opds[0]);
	ptx_move(v->fn, ptx_dest(v->fn, &bare, v->d), word);
}

/* -- vmad --------------------------------------------------------------------------------------------------------------------------------- */

/* d = a * b + c, one more with .po, shifted, saturated. Where all operands are unsigned, the sum of 64 bits is, too. What a signed shift puts above
 * such a sum is beyond the result, and saturates as the right bits would. */
static void multiply_add(const video *v, hd_opd a, hd_opd b)
{
	ptx_fn *fn = v->fn;
	bool more = ptx_mod_used(fn, PTX_M_PO), by7 = ptx_mod_used(fn, PTX_M_SHR7), by15 = ptx_mod_used(fn, PTX_M_SHR15);
	bool is_signed = ptx_signed(v->a) || ptx_signed(v->b);
	hd_opd c, sum;
	if (by7 && by15)
		ptx_wrong(fn, fn->pos, "expected .shr7 or .shr15, not both");
	if (!scalar_source(v, &v->inst->opds[3], is_signed ? PTX_S32 : PTX_U32, &c))
		return;
	sum = make(v, ADD, make(v, TIMES, a, b), c);
	if (more)
		sum = make(v, ADD, sum, constant(v, 1));
	if (by7 || by15)
		sum = make(v, RIGHT, sum, ptx_imm(by7 ? 7 : 15));
	if (v->sat && is_signed)
		sum = clamp(v, sum, true, 32);
	else if (v->sat)
		sum = ptx_make2(fn, HD_OP_IMINU64, 2, sum, ptx_imm64(UINT32_MAX));
	store(v, ptx_part(sum, 0, 1));
}

/* -- instructions --------------------------------------------------------------------------------------------------------------------------- */

static void scalar(const video *v)
{
	ptx_fn *fn = v->fn;
	const ptx_inst *inst = v->inst;
	unsigned mask, bits;
	hd_opd a, b, word;
	bool merged = inst->opds[0].kind == PTX_O_REG && inst->opds[0].part != NULL, third = merged || v->second != PTX_MOD_COUNT || v->op == V_MAD;
	if (inst->nopds != (third ? 4 : 3) || (merged && (v->second != PTX_MOD_COUNT || v->op == V_MAD))) {
		ptx_wrong(fn, fn->pos,
		          third ? "expected four operands, and either a part of the destination or one of .add .min .max"
		                : "expected three operands");
		return;
	}
	if (!scalar_source(v, &inst->opds[1], v->a, &a) || !scalar_source(v, &inst->opds[2], v->b, &b))
		return;
	if (v->op == V_MAD) {
		multiply_add(v, a, b);
		return;
	}
	if (!written(v, &mask, &bits))
		return;
	hd_opd value = operate(v, a, b);
	if (v->sat)
		value = clamp(v, value, ptx_signed(v->d), bits);
	if (v->second != PTX_MOD_COUNT) {
		hd_opd c;
		if (!scalar_source(v, &inst->opds[3], v->d, &c))
			return;
		value = make(v, v->second == PTX_M_ADD ? ADD : v->second == PTX_M_MIN ? LESSER : GREATER, value, c);
	}
	word = ptx_part(value, 0, 1);
	if (merged)
		word = merge(v, ptx_source(fn, &inst->opds[3], v->d), &value, mask, bits);
	store(v, word);
}

static void lanes(const video *v)
{
	ptx_fn *fn = v->fn;
	const ptx_inst *inst = v->inst;
	unsigned mask, bits;
	hd_opd word[2], value[2][4];
	if (inst->nopds != 4 || v->second == PTX_M_MIN || v->second == PTX_M_MAX) {
		ptx_wrong(fn, fn->pos, "expected four operands, and .add or nothing behind the types");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		ptx_opd bare = whole(&inst->opds[1 + i]);
		word[i] = ptx_source(fn, &bare, PTX_B32);
	}
	hd_opd c = ptx_source(fn, &inst->opds[3], PTX_B32);
	if (fn->bad || !written(v, &mask, &bits) || !lane_sources(v, 0, word, v->a, value[0]) || !lane_sources(v, 1, word, v->b, value[1]))
		return;
	for (unsigned i = 0; i < v->lanes; i++) {
		value[0][i] = operate(v, value[0][i], value[1][i]);
		if (v->sat)
			value[0][i] = clamp(v, value[0][i], ptx_signed(v->d), bits);
	}
	if (v->second == PTX_MOD_COUNT) {
		store(v, merge(v, c, value[0], mask, bits));
		return;
	}
	for (unsigned i = 0; i < v->lanes; i++)
		if (mask >> i & 1)
			c = make(v, ADD, c, value[0][i]);
	store(v, c);
}

/* vset compares exact values, so the comparisons of signed numbers serve all types. */
static int comparison(ptx_fn *fn)
{
	static const struct {
		ptx_mod mod;
		hd_cmp cmp;
	} all[] = {{PTX_M_EQ, HD_CMP_EQ}, {PTX_M_NE, HD_CMP_NE}, {PTX_M_LT, HD_CMP_LT},
	           {PTX_M_LE, HD_CMP_LE}, {PTX_M_GT, HD_CMP_GT}, {PTX_M_GE, HD_CMP_GE}};
	for (size_t i = 0; i < HD_COUNT(all); i++)
		if (ptx_mod_used(fn, all[i].mod))
			return all[i].cmp;
	ptx_wrong(fn, fn->pos, "expected one of the suffixes .eq .ne .lt .le .gt .ge");
	return HD_CMP_EQ;
}

static ptx_mod second_operation(ptx_fn *fn)
{
	static const ptx_mod all[] = {PTX_M_ADD, PTX_M_MIN, PTX_M_MAX};
	ptx_mod found = PTX_MOD_COUNT;
	for (size_t i = 0; i < HD_COUNT(all); i++)
		if (ptx_mod_used(fn, all[i])) {
			if (found != PTX_MOD_COUNT)
				ptx_wrong(fn, fn->pos, "more than one of .add .min .max");
			found = all[i];
		}
	return found;
}

void ptx_do_video(ptx_fn *fn, const ptx_inst *inst)
{
	video v = {.fn = fn, .inst = inst, .lanes = 1};
	size_t length = inst->op->length;
	char last = inst->op->text[length - 1];
	if (last == '2' || last == '4') {
		v.lanes = (unsigned)(last - '0');
		length--;
	}
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (strlen(rows[i].name) == length && memcmp(rows[i].name, inst->op->text, length) == 0)
			v.op = rows[i].op;
	v.bits = 32 / v.lanes;
	v.words = v.lanes == 1 ? 2 : 1;
	v.second = second_operation(fn);
	if (v.op == V_SET) { /* the result is a number without a sign */
		v.cmp = comparison(fn);
		v.d = PTX_U32;
		v.a = ptx_type_at(fn, 0, PTX_SET_INT32);
		v.b = ptx_type_at(fn, 1, PTX_SET_INT32);
	} else {
		v.sat = ptx_mod_used(fn, PTX_M_SAT);
		v.d = ptx_type_at(fn, 0, PTX_SET_INT32);
		v.a = ptx_type_at(fn, 1, PTX_SET_INT32);
		v.b = ptx_type_at(fn, 2, v.op == V_SHL || v.op == V_SHR ? PTX_SET(U32) : PTX_SET_INT32);
	}
	if (fn->bad)
		return;
	if (v.lanes == 1)
		scalar(&v);
	else
		lanes(&v);
}

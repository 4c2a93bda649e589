/* Comparisons and selections. */
#include "ptx/lower.h"

#define COMPARABLE (PTX_SET_BITS | PTX_SET_INT | PTX_SET_FLOAT | PTX_SET(F16) | PTX_SET(BF16))

typedef struct comparison {
	ptx_mod mod;
	int signed_int, unsigned_int, real; /* hd_cmp; -1 = no such comparison for the kind */
} comparison;

static const comparison comparisons[] = {
    {PTX_M_EQ, HD_CMP_EQ, HD_CMP_EQ, HD_CMP_EQ},
    {PTX_M_NE, HD_CMP_NE, HD_CMP_NE, HD_CMP_NE},
    {PTX_M_LT, HD_CMP_LT, HD_CMP_LO, HD_CMP_LT},
    {PTX_M_LE, HD_CMP_LE, HD_CMP_LS, HD_CMP_LE},
    {PTX_M_GT, HD_CMP_GT, HD_CMP_HI, HD_CMP_GT},
    {PTX_M_GE, HD_CMP_GE, HD_CMP_HS, HD_CMP_GE},
    {PTX_M_LO, -1, HD_CMP_LO, -1},
    {PTX_M_LS, -1, HD_CMP_LS, -1},
    {PTX_M_HI, -1, HD_CMP_HI, -1},
    {PTX_M_HS, -1, HD_CMP_HS, -1},
    {PTX_M_EQU, -1, -1, HD_CMP_EQU},
    {PTX_M_NEU, -1, -1, HD_CMP_NEU},
    {PTX_M_LTU, -1, -1, HD_CMP_LTU},
    {PTX_M_LEU, -1, -1, HD_CMP_LEU},
    {PTX_M_GTU, -1, -1, HD_CMP_GTU},
    {PTX_M_GEU, -1, -1, HD_CMP_GEU},
    {PTX_M_NUM, -1, -1, HD_CMP_NUM},
    {PTX_M_ISNAN, -1, -1, HD_CMP_NAN},
};

/* The comparison that the suffixes name, for a type. */
static int comparison_of(ptx_fn *fn, ptx_type type)
{
	const ptx_type_info *info = &ptx_types[type];
	int cmp = -1;
	unsigned n = 0;
	for (size_t i = 0; i < HD_COUNT(comparisons); i++)
		if (ptx_mod_used(fn, comparisons[i].mod)) {
			const comparison *c = &comparisons[i];
			cmp = info->kind == 'F' ? c->real : info->kind == 'S' ? c->signed_int : c->unsigned_int;
			if (info->kind == 'B' && cmp != HD_CMP_EQ && cmp != HD_CMP_NE)
				cmp = -1;
			n++;
		}
	if (n == 1 && cmp >= 0)
		return cmp;
	ptx_wrong(fn, fn->pos, n == 1 ? "this comparison does not exist for type .%s" : "expected one comparison, such as .eq, for type .%s",
	          info->name);
	return HD_CMP_EQ;
}

/* Compares operands `first` and the next into a fresh predicate. */
static hd_opd compare(ptx_fn *fn, const ptx_inst *inst, unsigned first, ptx_type type)
{
	const ptx_type_info *info = &ptx_types[type];
	int cmp = comparison_of(fn, type);
	hd_opd x[2];
	bool ftz = ptx_mod_used(fn, PTX_M_FTZ);
	for (unsigned i = 0; i < 2; i++) {
		x[i] = info->kind == 'F' ? ptx_source(fn, &inst->opds[first + i], type) : ptx_extended(fn, &inst->opds[first + i], type);
		if (ptx_is_half(type))
			x[i] = ptx_half_to_single(fn, x[i], type);
		else if (type == PTX_F32 && ftz)
			x[i] = ptx_make1(fn, HD_OP_FTZ, 1, x[i]);
	}
	unsigned op = type == PTX_F64 ? HD_OP_DSETP : info->kind == 'F' ? HD_OP_FSETP : info->bits == 64 ? HD_OP_ISETP64 : HD_OP_ISETP;
	return ptx_compare(fn, op, (hd_cmp)cmp, x[0], x[1]);
}

/* One predicate for each half of a f16x2 or bf16x2. */
static void compare_each(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned truth, hd_opd result[2])
{
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
	hd_opd c = truth ? ptx_pred(fn, &inst->opds[3]) : ptx_none();
	int cmp = comparison_of(fn, PTX_F16);
	(void)ptx_mod_used(fn, PTX_M_FTZ);
	for (unsigned i = 0; i < 2; i++) {
		hd_opd x = ptx_half_to_single(fn, i ? ptx_make2(fn, HD_OP_SHRU, 1, a, ptx_imm(16)) : a, type);
		hd_opd y = ptx_half_to_single(fn, i ? ptx_make2(fn, HD_OP_SHRU, 1, b, ptx_imm(16)) : b, type);
		result[i] = ptx_compare(fn, HD_OP_FSETP, (hd_cmp)cmp, x, y);
		if (truth)
			result[i] = ptx_plop2(fn, ptx_temp(fn, 0), result[i], c, truth);
	}
}

/* setp.f16x2 p|q, and of bf16x2 */
static void compare_halves(ptx_fn *fn, const ptx_inst *inst, ptx_type type, unsigned truth)
{
	hd_opd result[2];
	if (inst->opds[0].kind != PTX_O_PAIR) {
		ptx_wrong(fn, inst->opds[0].pos, "expected two destinations, p|q");
		return;
	}
	compare_each(fn, inst, type, truth, result);
	for (unsigned i = 0; i < 2; i++)
		ptx_move(fn, ptx_dest_pred(fn, &inst->opds[0].list[i]), result[i]);
}

/* The plop2 table that combines the comparison (first) with a further predicate; 0 without one. */
static unsigned combination(ptx_fn *fn)
{
	bool a = ptx_mod_used(fn, PTX_M_AND), o = ptx_mod_used(fn, PTX_M_OR), x = ptx_mod_used(fn, PTX_M_XOR);
	if (a + o + x > 1)
		ptx_wrong(fn, fn->pos, "more than one of .and .or .xor");
	return a ? 0x8 : o ? 0xe : x ? 0x6 : 0;
}

static bool combination_fits(ptx_fn *fn, const ptx_inst *inst, unsigned truth)
{
	if ((inst->nopds == 4) == (truth != 0))
		return true;
	ptx_wrong(fn, fn->pos, truth ? "expected a predicate to combine with" : "a fourth operand needs one of .and .or .xor");
	return false;
}

void ptx_do_setp(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, COMPARABLE | PTX_SET(F16X2) | PTX_SET(BF16X2));
	const ptx_opd *first = &inst->opds[0], *second = NULL;
	unsigned truth = combination(fn);
	if (type == PTX_F16X2 || type == PTX_BF16X2) {
		if (combination_fits(fn, inst, truth))
			compare_halves(fn, inst, type, truth);
		return;
	}
	if (first->kind == PTX_O_PAIR) {
		second = &first->list[1];
		first = &first->list[0];
	}
	if (!combination_fits(fn, inst, truth))
		return;
	hd_opd p = compare(fn, inst, 1, type);
	hd_opd d = ptx_dest_pred(fn, first);
	if (truth) {
		hd_opd c = ptx_pred(fn, &inst->opds[3]);
		if (second) {
			/* The second destination combines the inverted comparison. Both results are computed before either is stored. */
			hd_opd inverted = p, q = ptx_temp(fn, 0), r = ptx_temp(fn, 0);
			inverted.neg = true;
			ptx_plop2(fn, q, inverted, c, truth);
			ptx_plop2(fn, r, p, c, truth);
			ptx_move(fn, d, r);
			ptx_move(fn, ptx_dest_pred(fn, second), q);
			return;
		}
		if (d.kind != HD_OPD_NONE)
			ptx_plop2(fn, d, p, c, truth);
		return;
	}
	if (second) {
		hd_opd e = ptx_dest_pred(fn, second);
		ptx_move(fn, d, p);
		p.neg = true;
		ptx_move(fn, e, p);
		return;
	}
	/* The common case: the comparison writes its destination directly. */
	hd_ir_block *block = fn->f->blocks.at[fn->block];
	if (d.kind == HD_OPD_PRED)
		block->insts.at[block->insts.n - 1]->d[0] = d;
}

/* The value of `set` for true: 1.0 or all ones, in a half of a pair or in the whole. */
static uint32_t truth_of(ptx_type to, bool pair)
{
	switch (to) {
	case PTX_F32:
		return 0x3f800000;
	case PTX_F16:
	case PTX_F16X2:
		return 0x3c00;
	case PTX_BF16:
	case PTX_BF16X2:
		return 0x3f80;
	default:
		return pair ? 0xffff : UINT32_MAX;
	}
}

/* d = comparison ? all ones, or 1.0 : 0, for each half of a pair */
void ptx_do_set(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type to = ptx_type_at(fn, 0,
	                          PTX_SET_INT32 | PTX_SET(F32) | PTX_SET(B32) | PTX_SET(U16) | PTX_SET(S16) | PTX_SET(F16) | PTX_SET(BF16) |
	                              PTX_SET(F16X2) | PTX_SET(BF16X2)),
	         type = ptx_type_at(fn, 1, COMPARABLE | PTX_SET(F16X2) | PTX_SET(BF16X2));
	unsigned truth = combination(fn);
	bool pair = type == PTX_F16X2 || type == PTX_BF16X2;
	hd_opd p[2], value[2], yes = ptx_imm(truth_of(to, pair));
	if (!combination_fits(fn, inst, truth))
		return;
	if (!pair && (to == PTX_F16X2 || to == PTX_BF16X2)) {
		ptx_wrong(fn, fn->pos, "two results of one comparison, expected a pair of halves to compare");
		return;
	}
	if (pair) {
		compare_each(fn, inst, type, truth, p);
		for (unsigned i = 0; i < 2; i++)
			ptx_select(fn, value[i] = ptx_temp(fn, 1), yes, ptx_imm(0), p[i]);
		ptx_emit3(fn, HD_OP_PRMT, ptx_dest(fn, &inst->opds[0], to), value[0], value[1], ptx_imm(0x5410));
		return;
	}
	p[0] = compare(fn, inst, 1, type);
	if (truth) {
		hd_opd other = ptx_pred(fn, &inst->opds[3]);
		p[0] = ptx_plop2(fn, ptx_temp(fn, 0), p[0], other, truth);
	}
	ptx_select(fn, ptx_dest(fn, &inst->opds[0], to), yes, ptx_imm(0), p[0]);
}

void ptx_do_selp(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_BITS | PTX_SET_INT | PTX_SET_FLOAT | PTX_SET(F16) | PTX_SET(F16X2) | PTX_SET(B128));
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type), p = ptx_pred(fn, &inst->opds[3]);
	hd_opd d = ptx_dest(fn, &inst->opds[0], type);
	if (d.kind != HD_OPD_NONE)
		ptx_select(fn, d, a, b, p);
}

/* d = c >= 0 ? a : b */
void ptx_do_slct(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_BITS | PTX_SET_INT | PTX_SET_FLOAT), by = ptx_type_at(fn, 1, PTX_SET(S32) | PTX_SET(F32));
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type), c = ptx_source(fn, &inst->opds[3], by);
	if (ptx_mod_used(fn, PTX_M_FTZ))
		c = ptx_make1(fn, HD_OP_FTZ, 1, c);
	hd_opd p = ptx_compare(fn, by == PTX_F32 ? HD_OP_FSETP : HD_OP_ISETP, HD_CMP_GE, c, ptx_imm(0));
	hd_opd d = ptx_dest(fn, &inst->opds[0], type);
	if (d.kind != HD_OPD_NONE)
		ptx_select(fn, d, a, b, p);
}

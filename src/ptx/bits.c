/* Logic, shifts, bit fields, bytes. */
#include "ptx/lower.h"

/* -- logic -------------------------------------------------------------------------------------------------------------------------- */

static void logic(ptx_fn *fn, const ptx_inst *inst, unsigned op32, unsigned op64, unsigned truth)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(PRED) | PTX_SET_BITS);
	if (type == PTX_PRED) {
		hd_opd a = ptx_pred(fn, &inst->opds[1]), b = ptx_pred(fn, &inst->opds[2]);
		ptx_plop2(fn, ptx_dest_pred(fn, &inst->opds[0]), a, b, truth);
		return;
	}
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
	ptx_emit2(fn, type == PTX_B64 ? op64 : op32, ptx_dest(fn, &inst->opds[0], type), a, b);
}

void ptx_do_and(ptx_fn *fn, const ptx_inst *inst) { logic(fn, inst, HD_OP_AND, HD_OP_AND64, 0x8); }
void ptx_do_or(ptx_fn *fn, const ptx_inst *inst) { logic(fn, inst, HD_OP_OR, HD_OP_OR64, 0xe); }
void ptx_do_xor(ptx_fn *fn, const ptx_inst *inst) { logic(fn, inst, HD_OP_XOR, HD_OP_XOR64, 0x6); }

void ptx_do_not(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(PRED) | PTX_SET_BITS);
	if (type == PTX_PRED) {
		hd_opd a = ptx_pred(fn, &inst->opds[1]);
		ptx_plop2(fn, ptx_dest_pred(fn, &inst->opds[0]), a, a, 0x1);
		return;
	}
	hd_opd a = ptx_source(fn, &inst->opds[1], type);
	ptx_emit1(fn, type == PTX_B64 ? HD_OP_NOT64 : HD_OP_NOT, ptx_dest(fn, &inst->opds[0], type), a);
}

/* d = a == 0 ? 1 : 0 */
void ptx_do_cnot(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_BITS);
	bool wide = type == PTX_B64;
	hd_opd a = ptx_extended(fn, &inst->opds[1], type);
	hd_opd p = ptx_compare(fn, wide ? HD_OP_ISETP64 : HD_OP_ISETP, HD_CMP_EQ, a, wide ? ptx_imm64(0) : ptx_imm(0));
	ptx_select(fn, ptx_dest(fn, &inst->opds[0], type), wide ? ptx_imm64(1) : ptx_imm(1), wide ? ptx_imm64(0) : ptx_imm(0), p);
}

/* One of the sixteen functions of two words, given as its 4-bit table (bit a << 1 | b). */
static hd_opd logic2(ptx_fn *fn, hd_opd a, hd_opd b, unsigned table)
{
	switch (table) {
	case 0x0:
		return ptx_imm(0);
	case 0xf:
		return ptx_imm(UINT32_MAX);
	case 0xc:
		return a;
	case 0xa:
		return b;
	case 0x8:
		return ptx_make2(fn, HD_OP_AND, 1, a, b);
	case 0xe:
		return ptx_make2(fn, HD_OP_OR, 1, a, b);
	case 0x6:
		return ptx_make2(fn, HD_OP_XOR, 1, a, b);
	case 0x4:
		return ptx_make2(fn, HD_OP_AND, 1, a, ptx_make1(fn, HD_OP_NOT, 1, b));
	case 0x2:
		return ptx_make2(fn, HD_OP_AND, 1, ptx_make1(fn, HD_OP_NOT, 1, a), b);
	default:
		return ptx_make1(fn, HD_OP_NOT, 1, logic2(fn, a, b, table ^ 0xf));
	}
}

void ptx_do_lop3(ptx_fn *fn, const ptx_inst *inst)
{
	hd_opd x[3], part[2];
	unsigned table = (unsigned)inst->opds[4].imm;
	ptx_type_at(fn, 0, PTX_SET(B32));
	for (unsigned i = 0; i < 3; i++)
		x[i] = ptx_source(fn, &inst->opds[1 + i], PTX_B32);
	if (inst->opds[4].kind != PTX_O_INT || inst->opds[4].imm > 255) {
		ptx_wrong(fn, inst->opds[4].pos, "expected a table from 0 to 255");
		return;
	}
	/* Bit a << 2 | b << 1 | c of the table: one function of a and b for either value of c. */
	for (unsigned c = 0; c < 2; c++) {
		unsigned half = 0;
		for (unsigned ab = 0; ab < 4; ab++)
			half |= (table >> (ab << 1 | c) & 1) << ab;
		part[c] = logic2(fn, x[0], x[1], half);
	}
	ptx_emit3(fn, HD_OP_BITSEL, ptx_dest(fn, &inst->opds[0], PTX_B32), part[1], part[0], x[2]);
}

/* -- shifts --------------------------------------------------------------------------------------------------------------------------- */

void ptx_do_shl(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_BITS);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], PTX_U32);
	ptx_emit2(fn, type == PTX_B64 ? HD_OP_SHL64 : HD_OP_SHL, ptx_dest(fn, &inst->opds[0], type), a, b);
}

void ptx_do_shr(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_BITS | PTX_SET_INT);
	bool wide = ptx_bits(type) == 64, is_signed = ptx_signed(type);
	hd_opd a = ptx_extended(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], PTX_U32);
	unsigned op = wide ? (is_signed ? HD_OP_SHRS64 : HD_OP_SHRU64) : is_signed ? HD_OP_SHRS : HD_OP_SHRU;
	ptx_emit2(fn, op, ptx_dest(fn, &inst->opds[0], type), a, b);
}

void ptx_do_shf(ptx_fn *fn, const ptx_inst *inst)
{
	bool left = ptx_mod_used(fn, PTX_M_L), right = ptx_mod_used(fn, PTX_M_R);
	bool wrap = ptx_mod_used(fn, PTX_M_WRAP), clamp = ptx_mod_used(fn, PTX_M_CLAMP);
	ptx_type_at(fn, 0, PTX_SET(B32));
	if (left == right || wrap == clamp) {
		ptx_wrong(fn, fn->pos, "expected .l or .r, and .wrap or .clamp");
		return;
	}
	hd_opd a = ptx_source(fn, &inst->opds[1], PTX_B32), b = ptx_source(fn, &inst->opds[2], PTX_B32), c = ptx_source(fn, &inst->opds[3], PTX_U32);
	ptx_emit3(fn, left ? (wrap ? HD_OP_FSHLW : HD_OP_FSHLC) : wrap ? HD_OP_FSHRW : HD_OP_FSHRC, ptx_dest(fn, &inst->opds[0], PTX_B32), a, b, c);
}

/* -- counting and searching: the result is a word, whatever the source ------------------------------------------------------------------- */

static void count(ptx_fn *fn, const ptx_inst *inst, unsigned op32, unsigned op64)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(B32) | PTX_SET(B64));
	hd_opd a = ptx_source(fn, &inst->opds[1], type);
	ptx_emit1(fn, type == PTX_B64 ? op64 : op32, ptx_dest(fn, &inst->opds[0], PTX_U32), a);
}

void ptx_do_popc(ptx_fn *fn, const ptx_inst *inst) { count(fn, inst, HD_OP_POPC, HD_OP_POPC64); }
void ptx_do_clz(ptx_fn *fn, const ptx_inst *inst) { count(fn, inst, HD_OP_CLZ, HD_OP_CLZ64); }

void ptx_do_brev(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(B32) | PTX_SET(B64));
	hd_opd a = ptx_source(fn, &inst->opds[1], type);
	ptx_emit1(fn, type == PTX_B64 ? HD_OP_BREV64 : HD_OP_BREV, ptx_dest(fn, &inst->opds[0], type), a);
}

void ptx_do_bfind(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_INT32 | PTX_SET_INT64);
	bool wide = ptx_bits(type) == 64, is_signed = ptx_signed(type), shift = ptx_mod_used(fn, PTX_M_SHIFTAMT);
	unsigned op = wide ? (is_signed ? HD_OP_FLOS64 : HD_OP_FLOU64) : is_signed ? HD_OP_FLOS : HD_OP_FLOU;
	hd_opd a = ptx_source(fn, &inst->opds[1], type);
	hd_opd d = ptx_dest(fn, &inst->opds[0], PTX_U32);
	if (!shift) {
		ptx_emit1(fn, op, d, a);
		return;
	}
	/* The shift that moves the bit to the top; -1 stays -1. */
	hd_opd position = ptx_make1(fn, op, 1, a);
	hd_opd none = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, position, ptx_imm(UINT32_MAX));
	hd_opd amount = ptx_make2(fn, HD_OP_ISUB, 1, ptx_imm(wide ? 63 : 31), position);
	ptx_select(fn, d, ptx_imm(UINT32_MAX), amount, none);
}

/* -- bit fields --------------------------------------------------------------------------------------------------------------------------- */

void ptx_do_bfe(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_INT32 | PTX_SET_INT64);
	bool wide = ptx_bits(type) == 64, is_signed = ptx_signed(type);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], PTX_U32), c = ptx_source(fn, &inst->opds[3], PTX_U32);
	unsigned op = wide ? (is_signed ? HD_OP_BFES64 : HD_OP_BFEU64) : is_signed ? HD_OP_BFES : HD_OP_BFEU;
	ptx_emit3(fn, op, ptx_dest(fn, &inst->opds[0], type), a, b, c);
}

/* PTX uses only the low byte of a position. */
static hd_opd low_byte(ptx_fn *fn, hd_opd a)
{
	if (a.kind == HD_OPD_IMM)
		return ptx_imm((uint32_t)a.imm & 255);
	return ptx_make2(fn, HD_OP_AND, 1, a, ptx_imm(255));
}

/* d = b with the low `length` bits of a inserted at position c */
void ptx_do_bfi(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(B32) | PTX_SET(B64));
	bool wide = type == PTX_B64;
	unsigned words = wide ? 2 : 1;
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = ptx_source(fn, &inst->opds[2], type);
	hd_opd position = low_byte(fn, ptx_source(fn, &inst->opds[3], PTX_U32)), length = ptx_source(fn, &inst->opds[4], PTX_U32);
	hd_opd mask = ptx_make2(fn, wide ? HD_OP_BMSK64 : HD_OP_BMSK, words, position, length);
	hd_opd shifted = ptx_make2(fn, wide ? HD_OP_SHL64 : HD_OP_SHL, words, a, position);
	ptx_emit3(fn, wide ? HD_OP_BITSEL64 : HD_OP_BITSEL, ptx_dest(fn, &inst->opds[0], type), shifted, b, mask);
}

/* A position or a width as .clamp and .wrap take it: the whole word counts, not its low byte. */
static hd_opd within_word(ptx_fn *fn, const ptx_opd *opd, bool wrap)
{
	hd_opd a = ptx_source(fn, opd, PTX_U32);
	if (a.kind == HD_OPD_IMM)
		return ptx_imm(wrap ? (uint32_t)a.imm & 31 : (uint32_t)hd_min_u64(a.imm, 32));
	return ptx_make2(fn, wrap ? HD_OP_AND : HD_OP_IMINU, 1, a, ptx_imm(wrap ? 31 : 32));
}

/* True for .wrap, false for .clamp; one of them is there. */
static bool wraps(ptx_fn *fn)
{
	bool wrap = ptx_mod_used(fn, PTX_M_WRAP), clamp = ptx_mod_used(fn, PTX_M_CLAMP);
	if (wrap == clamp)
		ptx_wrong(fn, fn->pos, "expected .clamp or .wrap");
	return wrap;
}

void ptx_do_bmsk(ptx_fn *fn, const ptx_inst *inst)
{
	bool wrap = wraps(fn);
	ptx_type_at(fn, 0, PTX_SET(B32));
	hd_opd a = within_word(fn, &inst->opds[1], wrap), b = within_word(fn, &inst->opds[2], wrap);
	ptx_emit2(fn, HD_OP_BMSK, ptx_dest(fn, &inst->opds[0], PTX_B32), a, b);
}

/* The low b bits of a, extended. */
void ptx_do_szext(ptx_fn *fn, const ptx_inst *inst)
{
	bool wrap = wraps(fn);
	ptx_type type = ptx_type_at(fn, 0, PTX_SET_INT32);
	hd_opd a = ptx_source(fn, &inst->opds[1], type), b = within_word(fn, &inst->opds[2], wrap);
	ptx_emit3(fn, ptx_signed(type) ? HD_OP_BFES : HD_OP_BFEU, ptx_dest(fn, &inst->opds[0], type), a, ptx_imm(0), b);
}

/* A mode of prmt as selectors of the default mode, one for each value of the two low bits of c. */
typedef struct prmt_mode {
	ptx_mod mod;
	uint16_t selectors[4];
} prmt_mode;
static const prmt_mode prmt_modes[] = {
    {PTX_M_F4E, {0x3210, 0x4321, 0x5432, 0x6543}}, {PTX_M_B4E, {0x5670, 0x6701, 0x7012, 0x0123}}, {PTX_M_RC8, {0x0000, 0x1111, 0x2222, 0x3333}},
    {PTX_M_ECL, {0x3210, 0x3211, 0x3222, 0x3333}}, {PTX_M_ECR, {0x0000, 0x1110, 0x2210, 0x3210}}, {PTX_M_RC16, {0x1010, 0x3232, 0x1010, 0x3232}},
};

static hd_opd selector(ptx_fn *fn, const prmt_mode *mode, hd_opd c)
{
	const uint16_t *s = mode->selectors;
	if (c.kind == HD_OPD_IMM)
		return ptx_imm(s[c.imm & 3]);
	hd_opd upper = ptx_compare(fn, HD_OP_ISETP, HD_CMP_NE, ptx_make2(fn, HD_OP_AND, 1, c, ptx_imm(2)), ptx_imm(0)), both = ptx_temp(fn, 1);
	ptx_select(fn, both, ptx_imm(s[2] | (uint32_t)s[3] << 16), ptx_imm(s[0] | (uint32_t)s[1] << 16), upper);
	hd_opd shift = ptx_make2(fn, HD_OP_SHL, 1, ptx_make2(fn, HD_OP_AND, 1, c, ptx_imm(1)), ptx_imm(4));
	return ptx_make2(fn, HD_OP_SHRU, 1, both, shift);
}

void ptx_do_prmt(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type_at(fn, 0, PTX_SET(B32));
	hd_opd a = ptx_source(fn, &inst->opds[1], PTX_B32), b = ptx_source(fn, &inst->opds[2], PTX_B32), c = ptx_source(fn, &inst->opds[3], PTX_U32);
	unsigned modes = 0;
	for (unsigned i = 0; i < HD_COUNT(prmt_modes); i++) {
		if (!ptx_mod_used(fn, prmt_modes[i].mod))
			continue;
		if (modes++)
			ptx_wrong(fn, fn->pos, "more than one mode");
		else
			c = selector(fn, &prmt_modes[i], c);
	}
	ptx_emit3(fn, HD_OP_PRMT, ptx_dest(fn, &inst->opds[0], PTX_B32), a, b, c);
}

/* fns: the position of the n-th one of a mask, upwards from bit `base`, downwards for a negative n, `base` itself for 0; all ones if there is none.
 */
void ptx_do_fns(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type_at(fn, 0, PTX_SET(B32));
	hd_opd mask = ptx_source(fn, &inst->opds[1], PTX_B32), base = ptx_source(fn, &inst->opds[2], PTX_B32), n = ptx_temp(fn, 1);
	hd_opd d = ptx_dest(fn, &inst->opds[0], PTX_B32), rest = ptx_temp(fn, 1), left = ptx_temp(fn, 1), set = ptx_temp(fn, 1), at = ptx_temp(fn, 1);
	ptx_move(fn, n, ptx_source(fn, &inst->opds[3], PTX_S32));
	if (fn->bad)
		return;
	/* Downwards is upwards in the reversed mask. For 0 the mask has bit `base` at most. */
	hd_opd down = ptx_compare(fn, HD_OP_ISETP, HD_CMP_LT, n, ptx_imm(0)), here = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, n, ptx_imm(0));
	hd_opd begin = ptx_temp(fn, 1), own = ptx_temp(fn, 1);
	ptx_select(fn, begin, ptx_make2(fn, HD_OP_ISUB, 1, ptx_imm(31), base), base, down);
	ptx_select(fn, own, ptx_make1(fn, HD_OP_BREV, 1, mask), mask, down);
	hd_opd above = ptx_make2(fn, HD_OP_SHL, 1, ptx_imm(UINT32_MAX), begin), only = ptx_make2(fn, HD_OP_SHL, 1, ptx_imm(1), begin);
	ptx_select(fn, above, only, above, here);
	ptx_emit2(fn, HD_OP_AND, rest, own, above);
	ptx_emit2(fn, HD_OP_IMAXS, left, ptx_make1(fn, HD_OP_IABS, 1, n), ptx_imm(1));
	uint32_t loop = ptx_new_block(fn), skip = ptx_new_block(fn), done = ptx_new_block(fn);
	ptx_begin_block(fn, loop);
	ptx_emit2(fn, HD_OP_ISUB, left, left, ptx_imm(1));
	ptx_end_branch(fn, ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, left, ptx_imm(0)), done, skip);
	ptx_begin_block(fn, skip);
	ptx_emit2(fn, HD_OP_AND, rest, rest, ptx_make2(fn, HD_OP_ISUB, 1, rest, ptx_imm(1)));
	ptx_end_branch(fn, ptx_compare(fn, HD_OP_ISETP, HD_CMP_NE, rest, ptx_imm(0)), loop, done);
	ptx_begin_block(fn, done);
	ptx_emit1(fn, HD_OP_FLOU, at, ptx_make2(fn, HD_OP_AND, 1, rest, ptx_make2(fn, HD_OP_ISUB, 1, ptx_imm(0), rest)));
	ptx_select(fn, set, ptx_make2(fn, HD_OP_ISUB, 1, ptx_imm(31), at), at, down);
	hd_opd none = ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, rest, ptx_imm(0));
	ptx_select(fn, d, ptx_imm(UINT32_MAX), set, none);
}

/* -- sums of products of bytes ---------------------------------------------------------------------------------------------------------------- */

static void dot(ptx_fn *fn, const ptx_inst *inst, unsigned terms)
{
	ptx_type ta = ptx_type_at(fn, 0, PTX_SET_INT32), tb = ptx_type_at(fn, 1, PTX_SET_INT32);
	bool lo = terms == 2 && ptx_mod_used(fn, PTX_M_LO), hi = terms == 2 && ptx_mod_used(fn, PTX_M_HI);
	hd_opd a = ptx_source(fn, &inst->opds[1], PTX_B32), b = ptx_source(fn, &inst->opds[2], PTX_B32),
	       sum = ptx_source(fn, &inst->opds[3], PTX_B32);
	if (terms == 2 && lo == hi)
		ptx_wrong(fn, fn->pos, "expected .lo or .hi");
	for (unsigned i = 0; i < terms; i++) {
		hd_opd x = ptx_extract(fn, a, terms == 4 ? 8 * i : 16 * i, terms == 4 ? 8 : 16, ptx_signed(ta));
		hd_opd y = ptx_extract(fn, b, 8 * i + (hi ? 16 : 0), 8, ptx_signed(tb));
		sum = ptx_make3(fn, HD_OP_IMAD, 1, x, y, sum);
	}
	ptx_move(fn, ptx_dest(fn, &inst->opds[0], PTX_B32), sum);
}

void ptx_do_dp4a(ptx_fn *fn, const ptx_inst *inst) { dot(fn, inst, 4); }
void ptx_do_dp2a(ptx_fn *fn, const ptx_inst *inst) { dot(fn, inst, 2); }

/* redux.sync: every member of a set of lanes gets the sum, the minimum and so on of all members' values. The machine has no such operation. Where the
 * whole warp takes part, five butterflies do it. Otherwise a loop takes the values of the members one by one: a lane that is not there cannot pass a
 * value on. */
#include "ptx/lower.h"

typedef struct reduction {
	ptx_mod mod;
	uint32_t types;
	uint16_t op, op_unsigned;
	uint32_t neutral, neutral_unsigned;
} reduction;

static const reduction reductions[] = {
    {PTX_M_ADD, PTX_SET_INT32, HD_OP_IADD, HD_OP_IADD, 0, 0},
    {PTX_M_MIN, PTX_SET_INT32, HD_OP_IMINS, HD_OP_IMINU, INT32_MAX, UINT32_MAX},
    {PTX_M_MAX, PTX_SET_INT32, HD_OP_IMAXS, HD_OP_IMAXU, 0x80000000, 0},
    {PTX_M_AND, PTX_SET(B32), HD_OP_AND, HD_OP_AND, UINT32_MAX, UINT32_MAX},
    {PTX_M_OR, PTX_SET(B32), HD_OP_OR, HD_OP_OR, 0, 0},
    {PTX_M_XOR, PTX_SET(B32), HD_OP_XOR, HD_OP_XOR, 0, 0},
};

static hd_opd shuffle(ptx_fn *fn, hd_opd value, hd_opd lane, uint8_t mode)
{
	hd_opd d = ptx_temp(fn, 1);
	ptx_emit3(fn, HD_OP_SHFL, d, value, lane, ptx_imm(0x1f))->mod = mode;
	return d;
}

static void butterflies(ptx_fn *fn, unsigned op, hd_opd value, hd_opd total)
{
	for (unsigned step = 16; step; step /= 2)
		value = ptx_make2(fn, op, 1, value, shuffle(fn, value, ptx_imm(step), HD_SHFL_BFLY));
	ptx_move(fn, total, value);
}

/* Ends the block with the jump behind the loop. */
static void one_by_one(ptx_fn *fn, unsigned op, hd_opd value, hd_opd members, hd_opd total, uint32_t done)
{
	uint32_t loop = ptx_new_block(fn);
	hd_opd rest = ptx_temp(fn, 1);
	ptx_move(fn, rest, members);
	ptx_begin_block(fn, loop);
	hd_opd lane = ptx_make1(fn, HD_OP_FLOU, 1, rest);
	ptx_emit2(fn, op, total, total, shuffle(fn, value, lane, HD_SHFL_IDX));
	ptx_emit2(fn, HD_OP_XOR, rest, rest, ptx_make2(fn, HD_OP_SHL, 1, ptx_imm(1), lane));
	ptx_end_branch(fn, ptx_compare(fn, HD_OP_ISETP, HD_CMP_NE, rest, ptx_imm(0)), loop, done);
}

static void reduce(ptx_fn *fn, const reduction *r, bool is_signed, hd_opd value, hd_opd named, hd_opd total)
{
	unsigned op = is_signed ? r->op : r->op_unsigned;
	uint32_t whole = ptx_new_block(fn), some = ptx_new_block(fn), done = ptx_new_block(fn);
	hd_opd members = ptx_temp(fn, 1), here = ptx_temp(fn, 1);
	ptx_emit(fn, HD_OP_ACTMASK, 1, 0)->d[0] = here;
	ptx_emit2(fn, HD_OP_AND, members, here, named);
	ptx_move(fn, total, ptx_imm(is_signed ? r->neutral : r->neutral_unsigned));
	ptx_end_branch(fn, ptx_compare(fn, HD_OP_ISETP, HD_CMP_EQ, members, ptx_imm(UINT32_MAX)), whole, some);
	ptx_begin_block(fn, whole);
	butterflies(fn, op, value, total);
	ptx_end_jump(fn, done);
	ptx_begin_block(fn, some);
	one_by_one(fn, op, value, members, total, done);
	ptx_begin_block(fn, done);
}

void ptx_do_redux(ptx_fn *fn, const ptx_inst *inst)
{
	const reduction *r = NULL;
	(void)ptx_mod_used(fn, PTX_M_SYNC);
	for (size_t i = 0; i < HD_COUNT(reductions); i++)
		if (ptx_mod_used(fn, reductions[i].mod))
			r = &reductions[i];
	if (!r) {
		ptx_wrong(fn, fn->pos, "expected one of the suffixes .add .min .max .and .or .xor");
		return;
	}
	ptx_type type = ptx_type_at(fn, 0, r->types);
	hd_opd value = ptx_temp(fn, 1), total = ptx_temp(fn, 1), d = ptx_dest(fn, &inst->opds[0], type);
	ptx_move(fn, value, ptx_source(fn, &inst->opds[1], type));
	hd_opd members = ptx_source(fn, &inst->opds[2], PTX_U32);
	if (fn->bad)
		return;
	if (ptx_gathers(fn, members)) {
		ptx_move(fn, total, ptx_imm(ptx_signed(type) ? r->neutral : r->neutral_unsigned));
		ptx_gather(fn, PTX_GATHER_COMBINE, ptx_signed(type) ? r->op : r->op_unsigned, value, members, total);
	} else {
		reduce(fn, r, ptx_signed(type), value, members, total);
	}
	ptx_move(fn, d, total);
}

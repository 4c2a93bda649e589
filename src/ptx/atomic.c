/* Atomics and reductions. The machine has none on halves: there a loop compares and swaps the 16 or 32 bits until nobody else was faster. PTX makes a
 * pair of halves atomic half by half, so swapping both at once is more than it asks for. */
#include "ptx/lower.h"

typedef struct atomic {
	ptx_mod mod;
	hd_atom_op op;
	uint32_t types;
	uint16_t half_op; /* of singles, for halves; 0 without */
} atomic;

#define WORDS (PTX_SET(B32) | PTX_SET(B64) | PTX_SET_INT32 | PTX_SET_INT64)
static const atomic atomics[] = {
    {PTX_M_ADD, HD_ATOM_ADD, PTX_SET_INT32 | PTX_SET_INT64 | PTX_SET_FLOAT | PTX_SET_HALF, HD_OP_FADD},
    {PTX_M_MIN, HD_ATOM_MIN, PTX_SET_INT32 | PTX_SET_INT64 | PTX_SET_HALF, HD_OP_FMIN},
    {PTX_M_MAX, HD_ATOM_MAX, PTX_SET_INT32 | PTX_SET_INT64 | PTX_SET_HALF, HD_OP_FMAX},
    {PTX_M_AND, HD_ATOM_AND, WORDS, 0},
    {PTX_M_OR, HD_ATOM_OR, WORDS, 0},
    {PTX_M_XOR, HD_ATOM_XOR, WORDS, 0},
    {PTX_M_EXCH, HD_ATOM_EXCH, WORDS | PTX_SET_FLOAT, 0},
    {PTX_M_INC, HD_ATOM_INC, PTX_SET(U32), 0},
    {PTX_M_DEC, HD_ATOM_DEC, PTX_SET(U32), 0},
};

static hd_atom_type atom_type(ptx_type type)
{
	switch (type) {
	case PTX_S32:
		return HD_ATOM_S32;
	case PTX_S64:
		return HD_ATOM_S64;
	case PTX_F32:
		return HD_ATOM_F32;
	case PTX_F64:
		return HD_ATOM_F64;
	default:
		return ptx_bits(type) == 64 ? HD_ATOM_U64 : HD_ATOM_U32;
	}
}

static void compare_and_swap(ptx_fn *fn, const ptx_inst *inst, ptx_space space)
{
	ptx_type type = ptx_type_at(fn, 0, WORDS | PTX_SET(B16));
	hd_opd base;
	int32_t offset;
	if (inst->nopds != 4) {
		ptx_wrong(fn, fn->pos, "%u operands, expected 4", inst->nopds);
		return;
	}
	if (!ptx_address(fn, &inst->opds[1], &space, false, &base, &offset))
		return;
	hd_opd expected = ptx_extended(fn, &inst->opds[2], type), wanted = ptx_extended(fn, &inst->opds[3], type);
	hd_ir_inst *emitted = ptx_emit3(fn, ptx_row_of(space, HD_OP_CAS, HD_OP_CASG, HD_OP_CASS, HD_OP_CAS), ptx_dest(fn, &inst->opds[0], type), base,
	                                expected, wanted);
	emitted->mod = type == PTX_B16 ? 2 : ptx_bits(type) == 64 ? 1 : 0;
}

/* -- halves ----------------------------------------------------------------------------------------------------------------------------------- */

static void half_loop(ptx_fn *fn, const atomic *how, ptx_type type, ptx_space space, hd_opd base, hd_opd value, hd_opd d)
{
	bool single = ptx_bits(type) == 16;
	uint32_t loop = ptx_new_block(fn), done = ptx_new_block(fn);
	hd_opd old = ptx_temp(fn, 1), found = ptx_temp(fn, 1);
	hd_ir_inst *load = ptx_emit1(fn, ptx_row_of(space, HD_OP_LD, HD_OP_LDG, HD_OP_LDS, HD_OP_LD), old, base);
	load->mod = HD_CACHE_VOLATILE;
	load->sub = single ? HD_SIZE_U16 : HD_SIZE_32;
	ptx_begin_block(fn, loop);
	hd_opd wanted = ptx_half_combine(fn, type, old, value, how->half_op);
	if (single)
		wanted = ptx_make2(fn, HD_OP_AND, 1, wanted, ptx_imm(0xffff));
	ptx_emit3(fn, ptx_row_of(space, HD_OP_CAS, HD_OP_CASG, HD_OP_CASS, HD_OP_CAS), found, base, old, wanted)->mod = single ? 2 : 0;
	hd_opd other = ptx_compare(fn, HD_OP_ISETP, HD_CMP_NE, found, old);
	ptx_move(fn, old, found);
	ptx_end_branch(fn, other, loop, done);
	ptx_begin_block(fn, done);
	ptx_move(fn, d, old);
}

/* -- instructions ------------------------------------------------------------------------------------------------------------------------------ */

static void one(ptx_fn *fn, const atomic *how, ptx_type type, ptx_space space, hd_opd base, hd_opd value, hd_opd d)
{
	if (ptx_is_half(type)) {
		half_loop(fn, how, type, space, base, value, d);
		return;
	}
	hd_ir_inst *emitted = ptx_emit2(fn, ptx_row_of(space, HD_OP_ATOM, HD_OP_ATOMG, HD_OP_ATOMS, HD_OP_ATOM), d, base, value);
	emitted->sub = (uint8_t)(how->op | (unsigned)atom_type(type) << 4);
}

/* atom.add.v4.f32 and its like: each element is atomic by itself. */
static void elements(ptx_fn *fn, const atomic *how, ptx_type type, hd_opd base, const ptx_opd *into, const ptx_opd *from, unsigned n)
{
	unsigned bytes = ptx_bits(type) / 8;
	hd_opd value[8], start = ptx_temp(fn, 2);
	if (from->kind != PTX_O_VECTOR || from->n != n || (into && into->kind != PTX_O_SINK && (into->kind != PTX_O_VECTOR || into->n != n))) {
		ptx_wrong(fn, from->pos, "expected vectors of %u elements", n);
		return;
	}
	ptx_move(fn, start, base);
	for (unsigned i = 0; i < n; i++) { /* a destination may be a source */
		value[i] = ptx_temp(fn, 1);
		ptx_move(fn, value[i], ptx_source(fn, &from->list[i], type));
	}
	for (unsigned i = 0; i < n && !fn->bad; i++) {
		hd_opd d = into && into->kind == PTX_O_VECTOR ? ptx_dest(fn, &into->list[i], type) : ptx_none();
		one(fn, how, type, PTX_S_GLOBAL, i ? ptx_make2(fn, HD_OP_IADD64, 2, start, ptx_imm64(i * bytes)) : start, value[i], d);
	}
}

static const atomic *find(ptx_fn *fn)
{
	const atomic *found = NULL;
	for (size_t i = 0; i < HD_COUNT(atomics); i++)
		if (ptx_mod_used(fn, atomics[i].mod))
			found = &atomics[i];
	return found;
}

static void operation(ptx_fn *fn, const ptx_inst *inst, ptx_space space, bool result)
{
	const atomic *how = find(fn);
	const ptx_opd *where = &inst->opds[result ? 1 : 0];
	unsigned n = ptx_take_lanes(fn);
	hd_opd base;
	int32_t offset;
	if (!how || inst->nopds != (result ? 3 : 2)) {
		ptx_wrong(fn, fn->pos, how ? "too many operands" : "expected an operation, such as .add");
		return;
	}
	ptx_type type = ptx_type_at(fn, 0, n == 1 ? how->types : how->types & (PTX_SET(F32) | PTX_SET_HALF));
	if (n > 1 && space != PTX_S_GLOBAL)
		ptx_wrong(fn, fn->pos, "expected .global with a vector");
	if (fn->bad || !ptx_address(fn, where, &space, false, &base, &offset))
		return;
	if (n > 1) {
		elements(fn, how, type, base, result ? &inst->opds[0] : NULL, where + 1, n);
		return;
	}
	hd_opd value = ptx_source(fn, where + 1, type);
	one(fn, how, type, space, base, value, result ? ptx_dest(fn, &inst->opds[0], type) : ptx_none());
}

static void atomic_instruction(ptx_fn *fn, const ptx_inst *inst, bool result)
{
	ptx_space space = ptx_space_suffix(fn);
	ptx_ordering o = ptx_take_ordering(fn);
	(void)ptx_mod_used(fn, PTX_M_NOFTZ);
	if (space == PTX_S_CONST || space == PTX_S_PARAM || space == PTX_S_LOCAL) {
		ptx_wrong(fn, fn->pos, "expected .global, .shared or no state space");
		return;
	}
	if (o.release)
		ptx_order(fn, o.scope);
	if (result && ptx_mod_used(fn, PTX_M_CAS))
		compare_and_swap(fn, inst, space);
	else
		operation(fn, inst, space, result);
	if (o.acquire)
		ptx_order(fn, o.scope);
}

void ptx_do_atom(ptx_fn *fn, const ptx_inst *inst) { atomic_instruction(fn, inst, true); }
void ptx_do_red(ptx_fn *fn, const ptx_inst *inst) { atomic_instruction(fn, inst, false); }

/* Random instructions: arithmetic, predicates, memory. */
#include "random_generator.h"

hd_ir_inst *random_put(generator *g, unsigned op, unsigned nd, unsigned ns)
{
	hd_ir_inst *inst = hd_ir_inst_new(g->m, op, nd, ns);
	hd_vec_push(&g->f->blocks.at[g->block]->insts, inst);
	return inst;
}

void random_three(generator *g, unsigned op, hd_opd d, hd_opd a, hd_opd b, hd_opd c)
{
	hd_ir_inst *inst = random_put(g, op, 1, c.kind == HD_OPD_NONE ? 2 : 3);
	inst->d[0] = d;
	inst->s[0] = a;
	inst->s[1] = b;
	if (c.kind != HD_OPD_NONE)
		inst->s[2] = c;
}

hd_opd random_int_source(generator *g)
{
	switch (any(g, 8)) {
	case 0:
		return hd_opd_imm(any(g, 100), 1);
	case 1:
		return hd_opd_imm((uint32_t)hd_random(&g->seed), 1);
	case 2:
		return hd_opd_sub(g->wides[any(g, RANDOM_WIDES)], any(g, 2), 1);
	default:
		return int_of(g);
	}
}

hd_opd random_wide_source(generator *g) { return any(g, 8) ? wide_of(g) : hd_opd_imm(any(g, 2) ? hd_random(&g->seed) : any(g, 50), 2); }

static void maybe_guard(generator *g, hd_ir_inst *inst)
{
	if (any(g, g->guarded) == 0)
		inst->guard = pred_of(g, true);
}

static void compare(generator *g)
{
	hd_ir_inst *inst = random_put(g, any(g, 4) ? HD_OP_ISETP : HD_OP_FSETP, 1, 2);
	inst->sub = inst->op == HD_OP_ISETP ? (uint8_t)any(g, HD_CMP_HS + 1) : HD_CMP_LTU;
	inst->d[0] = pred_of(g, false);
	inst->s[0] = int_of(g);
	inst->s[1] = random_int_source(g);
	maybe_guard(g, inst);
}

static void select_one(generator *g)
{
	hd_ir_inst *inst = random_put(g, HD_OP_SEL, 1, 3);
	inst->d[0] = int_of(g);
	inst->s[0] = random_int_source(g);
	inst->s[1] = random_int_source(g);
	inst->s[2] = pred_of(g, true);
	maybe_guard(g, inst);
}

/* Any function of three predicates. */
static void combine(generator *g)
{
	hd_ir_inst *inst = random_put(g, HD_OP_PLOP, 1, 3);
	inst->sub = (uint8_t)any(g, 256);
	inst->d[0] = pred_of(g, false);
	for (unsigned i = 0; i < 3; i++)
		inst->s[i] = pred_of(g, true);
	maybe_guard(g, inst);
}

/* Two additions that hand a carry on. */
static void carry(generator *g)
{
	hd_opd flag = pred_of(g, false);
	for (unsigned i = 0; i < 2; i++) {
		hd_ir_inst *inst = random_put(g, any(g, 2) ? HD_OP_IADDC : HD_OP_ISUBC, 2, 3);
		inst->d[0] = int_of(g);
		inst->s[0] = int_of(g);
		inst->s[1] = int_of(g);
		if (i == 0)
			inst->d[1] = flag;
		else
			inst->s[2] = flag;
	}
}

static void compare_wide(generator *g)
{
	hd_ir_inst *inst = random_put(g, any(g, 2) ? HD_OP_ISETP64 : HD_OP_DSETP, 1, 2);
	inst->sub = HD_CMP_LT;
	inst->d[0] = pred_of(g, false);
	inst->s[0] = wide_of(g);
	inst->s[1] = wide_of(g);
	maybe_guard(g, inst);
}

static void logic(generator *g)
{
	static void (*const kinds[])(generator *) = {compare, compare, select_one, combine, combine, carry, compare_wide};
	kinds[any(g, HD_COUNT(kinds))](g);
}

void random_arithmetic(generator *g)
{
	static const uint16_t two[] = {HD_OP_IADD,  HD_OP_ISUB,    HD_OP_IMUL, HD_OP_XOR,  HD_OP_AND,  HD_OP_OR,   HD_OP_SHL,  HD_OP_SHRU,
	                               HD_OP_IMINS, HD_OP_IMULHIU, HD_OP_FADD, HD_OP_FMUL, HD_OP_FMIN, HD_IR_UDIV, HD_IR_SREM, HD_IR_FDIV};
	static const uint16_t three[] = {HD_OP_IMAD, HD_OP_FFMA, HD_OP_BITSEL, HD_OP_PRMT, HD_OP_FSHLW};
	static const uint16_t one[] = {HD_OP_FRCP, HD_OP_FEX2, HD_OP_FSIN, HD_OP_POPC, HD_OP_CLZ, HD_OP_BREV, HD_OP_INEG, HD_OP_MOV, HD_IR_FSQRT};
	static const uint16_t wide_two[] = {HD_OP_IADD64, HD_OP_ISUB64, HD_OP_IMUL64, HD_OP_XOR64, HD_OP_DADD, HD_OP_DMUL, HD_IR_UDIV64};
	hd_ir_inst *inst;
	if (any(g, 16) < g->logic) {
		logic(g);
		return;
	}
	switch (any(g, 11)) {
	case 0:
	case 1:
	case 2:
		inst = random_put(g, two[any(g, HD_COUNT(two))], 1, 2);
		inst->d[0] = int_of(g);
		inst->s[0] = random_int_source(g);
		inst->s[1] = random_int_source(g);
		if (inst->op < HD_OP_COUNT)
			maybe_guard(g, inst);
		break;
	case 3:
		inst = random_put(g, three[any(g, HD_COUNT(three))], 1, 3);
		inst->d[0] = int_of(g);
		for (unsigned i = 0; i < 3; i++)
			inst->s[i] = random_int_source(g);
		maybe_guard(g, inst);
		break;
	case 4:
		inst = random_put(g, one[any(g, HD_COUNT(one))], 1, 1);
		inst->d[0] = int_of(g);
		inst->s[0] = int_of(g);
		break;
	case 5:
	case 6:
		inst = random_put(g, wide_two[any(g, HD_COUNT(wide_two))], 1, 2);
		inst->d[0] = wide_of(g);
		inst->s[0] = random_wide_source(g);
		inst->s[1] = random_wide_source(g);
		if (inst->op < HD_OP_COUNT)
			maybe_guard(g, inst);
		break;
	case 7:
		inst = random_put(g, HD_OP_IMULWU, 1, 2);
		inst->d[0] = wide_of(g);
		inst->s[0] = random_int_source(g);
		inst->s[1] = random_int_source(g);
		break;
	case 8:
		inst = random_put(g, HD_OP_I2F_DR, 1, 1);
		inst->sub = HD_SUB_I2F(HD_F64, HD_S32);
		inst->d[0] = wide_of(g);
		inst->s[0] = int_of(g);
		break;
	case 9:
		select_one(g);
		break;
	default:
		compare(g);
		break;
	}
}

/* -- memory: the thread's own words, or updates that all orders leave with one result ------------------------------------------------------ */

/* Global words of the thread, at an address of its own. */
static void own_words(generator *g)
{
	static const uint8_t sizes[] = {HD_SIZE_U8, HD_SIZE_S8, HD_SIZE_U16, HD_SIZE_S16, HD_SIZE_32, HD_SIZE_32, HD_SIZE_64, HD_SIZE_64};
	bool divergent = g->divergent && any(g, 2), store = any(g, 5) > 2, generic = any(g, 4) == 0;
	unsigned size = divergent ? sizes[any(g, HD_COUNT(sizes))] : any(g, 5) < 3 ? HD_SIZE_32 : HD_SIZE_64;
	hd_opd base = hd_opd_reg(g->base, 2);
	int32_t offset = (int32_t)any(g, RANDOM_OWN / 2) * 8;
	hd_ir_inst *inst;
	if (divergent) {
		hd_opd index = hd_opd_reg(hd_ir_vreg_new(g->f, 1), 1), address = hd_opd_reg(hd_ir_vreg_new(g->f, 2), 2);
		random_three(g, HD_OP_AND, index, int_of(g), hd_opd_imm(RANDOM_OWN / 2 - 1, 1), (hd_opd){0});
		random_three(g, HD_OP_IMADWU, address, index, hd_opd_imm(8, 1), base);
		base = address;
		offset = (int32_t)(any(g, 8 / hd_size_bytes(size)) * hd_size_bytes(size));
	}
	if (store) {
		size = size == HD_SIZE_S8 ? HD_SIZE_U8 : size == HD_SIZE_S16 ? HD_SIZE_U16 : size;
		inst = random_put(g, generic ? HD_OP_ST : HD_OP_STG, 0, 2);
		inst->s[1] = size == HD_SIZE_64 ? wide_of(g) : int_of(g);
	} else {
		inst = random_put(g, generic ? HD_OP_LD : HD_OP_LDG, 1, 1);
		inst->d[0] = size == HD_SIZE_64 ? wide_of(g) : int_of(g);
	}
	inst->s[0] = base;
	inst->sub = (uint8_t)size;
	inst->offset = offset;
	maybe_guard(g, inst);
}

/* Shared and local memory: a word of the thread. */
static void own_word(generator *g)
{
	bool shared = any(g, 2), store = any(g, 2);
	hd_ir_inst *inst = store ? random_put(g, shared ? HD_OP_STS : HD_OP_STL, 0, 2) : random_put(g, shared ? HD_OP_LDS : HD_OP_LDL, 1, 1);
	inst->sub = HD_SIZE_32;
	inst->s[0] = shared ? hd_opd_reg(g->own_shared, 1) : (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = any(g, 4) * 4};
	if (store)
		inst->s[1] = int_of(g);
	else
		inst->d[0] = int_of(g);
	maybe_guard(g, inst);
}

static void own_atomic(generator *g)
{
	bool shared = any(g, 2);
	hd_ir_inst *inst = random_put(g, shared ? HD_OP_ATOMS : HD_OP_ATOMG, 1, 2);
	inst->sub = (uint8_t)((shared ? HD_ATOM_XOR : HD_ATOM_ADD) | HD_ATOM_U32 << 4);
	inst->d[0] = int_of(g);
	inst->s[0] = shared ? hd_opd_reg(g->own_shared, 1) : hd_opd_reg(g->base, 2);
	inst->s[1] = int_of(g);
	maybe_guard(g, inst);
}

/* A word that other threads of the CTA update, too: what it holds before the end depends on the order of warps and sides of branches, so nobody
 * looks. */
static void crowd_atomic(generator *g)
{
	bool shared = any(g, 2);
	hd_opd index = hd_opd_reg(hd_ir_vreg_new(g->f, 1), 1), address = hd_opd_reg(hd_ir_vreg_new(g->f, shared ? 1 : 2), shared ? 1 : 2);
	random_three(g, HD_OP_AND, index, int_of(g), hd_opd_imm(RANDOM_CROWD - 1, 1), (hd_opd){0});
	if (shared)
		random_three(g, HD_OP_IMAD, address, index, hd_opd_imm(4, 1), hd_opd_imm(RANDOM_THREADS * 4, 1));
	else
		random_three(g, HD_OP_IMADWU, address, index, hd_opd_imm(RANDOM_WORDS * 4, 1), hd_opd_reg(g->crowd_global, 2));
	hd_ir_inst *inst = random_put(g, shared ? HD_OP_ATOMS : HD_OP_ATOMG, 1, 2);
	inst->sub = (uint8_t)((shared ? HD_ATOM_XOR : HD_ATOM_ADD) | HD_ATOM_U32 << 4);
	inst->offset = shared ? 0 : RANDOM_OWN * 4;
	inst->s[0] = address;
	inst->s[1] = int_of(g);
	maybe_guard(g, inst);
}

void random_memory(generator *g)
{
	static void (*const kinds[])(generator *) = {own_words, own_words, own_words,  own_words,   own_words,
	                                             own_word,  own_word,  own_atomic, crowd_atomic};
	if (g->kernel)
		kinds[any(g, HD_COUNT(kinds))](g);
	else
		random_arithmetic(g);
}

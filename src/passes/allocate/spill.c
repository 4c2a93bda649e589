/* Rewrites a function after some virtual registers were chosen to live in memory: every use loads into, every definition stores from, a
 * register that lives for one instruction. Predicates move to an ordinary register, which may itself be spilled in a later round. */
#include "passes/allocate/allocate.h"

typedef HD_VEC(hd_ir_inst *) inst_list;

static bool is_spilled(const hd_allocation *a, const hd_opd *o)
{
	return (o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED) && a->info.at[o->reg].spilled;
}

static uint8_t size_of(unsigned words) { return words == 1 ? HD_SIZE_32 : words == 2 ? HD_SIZE_64 : HD_SIZE_128; }

static hd_opd slot_address(hd_allocation *a, uint32_t offset, int32_t *inst_offset, inst_list *out, hd_ir_loc loc)
{
	if (offset < 8192) {
		*inst_offset = (int32_t)offset;
		return (hd_opd){.kind = HD_OPD_FRAME, .words = 1};
	}
	hd_opd address = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
	hd_ir_inst *take = hd_ir_inst_new(a->module, HD_OP_MOVI, 1, 1);
	take->d[0] = address;
	take->s[0] = (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = offset};
	take->loc = loc;
	if (a->stack) {
		take->s[0] = hd_opd_imm(offset, 1);
		hd_ir_inst *add = hd_ir_inst_new(a->module, HD_OP_IADD, 1, 2);
		add->d[0] = add->s[1] = address;
		add->s[0] = hd_opd_reg(hd_allocation_fixed(a, &a->stack_pointer, HD_STACK_POINTER), 1);
		add->loc = loc;
		hd_vec_push(out, take);
		hd_vec_push(out, add);
	} else {
		hd_vec_push(out, take);
	}
	*inst_offset = 0;
	return address;
}

static void load(hd_allocation *a, hd_opd into, const hd_opd *from, const hd_opd *guard, inst_list *out, hd_ir_loc loc)
{
	const hd_ir_inst *remake = a->info.at[from->reg].remake;
	if (remake && from->words == remake->d[0].words) {
		hd_ir_inst *again = hd_ir_inst_copy(a->module, remake);
		again->d[0] = into;
		again->guard = *guard;
		hd_vec_push(out, again);
		return;
	}
	uint32_t offset = a->info.at[from->reg].slot + 4u * from->sub;
	hd_ir_inst *inst = hd_ir_inst_new(a->module, HD_OP_LDL, 1, 1);
	int32_t at;
	hd_opd address = slot_address(a, offset, &at, out, loc);
	inst->d[0] = into;
	inst->s[0] = address;
	inst->offset = at;
	inst->sub = size_of(from->words);
	inst->guard = *guard;
	inst->loc = loc;
	hd_vec_push(out, inst);
}

static void store(hd_allocation *a, hd_opd from, const hd_opd *to, const hd_opd *guard, inst_list *out, hd_ir_loc loc)
{
	uint32_t offset = a->info.at[to->reg].slot + 4u * to->sub;
	hd_ir_inst *inst = hd_ir_inst_new(a->module, HD_OP_STL, 0, 2);
	int32_t at;
	hd_opd address = slot_address(a, offset, &at, out, loc);
	inst->s[0] = address;
	inst->s[1] = from;
	inst->offset = at;
	inst->sub = size_of(to->words);
	inst->guard = *guard;
	inst->loc = loc;
	hd_vec_push(out, inst);
}

/* p = (r != 0) */
static hd_opd predicate_from(hd_allocation *a, const hd_opd *o, inst_list *out, hd_ir_loc loc)
{
	hd_opd p = hd_opd_pred(hd_allocation_vreg(a, 0, HD_NOT_FIXED, true), false);
	hd_ir_inst *inst = hd_ir_inst_new(a->module, HD_OP_ISETP, 1, 2);
	inst->sub = HD_CMP_NE;
	inst->d[0] = p;
	inst->s[0] = hd_opd_reg(a->info.at[o->reg].slot, 1);
	inst->s[1] = hd_opd_imm(0, 1);
	inst->loc = loc;
	hd_vec_push(out, inst);
	p.neg = o->neg;
	return p;
}

/* r = p ? 1 : 0 */
static void predicate_into(hd_allocation *a, hd_opd p, const hd_opd *o, const hd_opd *guard, inst_list *out, hd_ir_loc loc)
{
	hd_opd one = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
	hd_ir_inst *take = hd_ir_inst_new(a->module, HD_OP_MOVI, 1, 1);
	take->d[0] = one;
	take->s[0] = hd_opd_imm(1, 1);
	take->loc = loc;
	hd_vec_push(out, take);
	hd_ir_inst *inst = hd_ir_inst_new(a->module, HD_OP_SEL, 1, 3);
	inst->d[0] = hd_opd_reg(a->info.at[o->reg].slot, 1);
	inst->s[0] = one;
	inst->s[1] = hd_opd_reg(hd_allocation_fixed(a, &a->zero, HD_RZ), 1);
	inst->s[2] = p;
	inst->guard = *guard;
	inst->loc = loc;
	hd_vec_push(out, inst);
}

static void reload(hd_allocation *a, hd_opd *o, inst_list *out, hd_ir_loc loc)
{
	if (!is_spilled(a, o))
		return;
	if (o->kind == HD_OPD_PRED) {
		*o = predicate_from(a, o, out, loc);
		return;
	}
	hd_opd fresh = hd_opd_reg(hd_allocation_vreg(a, o->words, HD_NOT_FIXED, true), o->words);
	load(a, fresh, o, &(hd_opd){0}, out, loc);
	*o = fresh;
}

/* The instruction's guard as what follows it may use it: a copy if the instruction writes its own guard. */
static hd_opd guard_of_stores(hd_allocation *a, const hd_ir_inst *inst, inst_list *out)
{
	bool own = false, stores = false;
	for (unsigned i = 0; i < inst->nd; i++) {
		own |= inst->guard.kind == HD_OPD_PRED && inst->d[i].kind == HD_OPD_PRED && inst->d[i].reg == inst->guard.reg;
		stores |= is_spilled(a, &inst->d[i]);
	}
	if (!own || !stores)
		return inst->guard;
	hd_ir_inst *keep = hd_ir_inst_new(a->module, HD_OP_PLOP, 1, 3);
	hd_opd p = hd_opd_pred(hd_allocation_vreg(a, 0, HD_NOT_FIXED, true), false);
	keep->d[0] = p;
	keep->s[0] = inst->guard;
	keep->sub = 0xf0; /* its first predicate, the others are "always" */
	keep->loc = inst->loc;
	hd_vec_push(out, keep);
	return p;
}

/* A copy between memory and a register is a load or a store. */
static bool moved_through_memory(hd_allocation *a, hd_ir_inst *inst, inst_list *out)
{
	if ((inst->op != HD_OP_MOV && inst->op != HD_OP_MOV64) || inst->s[0].kind != HD_OPD_REG)
		return false;
	bool from = is_spilled(a, &inst->s[0]), to = is_spilled(a, &inst->d[0]);
	if (from == to)
		return false;
	reload(a, &inst->guard, out, inst->loc);
	if (from)
		load(a, inst->d[0], &inst->s[0], &inst->guard, out, inst->loc);
	else
		store(a, inst->s[0], &inst->d[0], &inst->guard, out, inst->loc);
	return true;
}

static void rewrite(hd_allocation *a, hd_ir_inst *inst, inst_list *out)
{
	/* The definition of what is made again at each use goes away. */
	if (inst->nd == 1 && is_spilled(a, &inst->d[0]) && a->info.at[inst->d[0].reg].remake == inst)
		return;
	if (moved_through_memory(a, inst, out))
		return;
	/* One reload serves equal operands. */
	hd_opd before[8];
	unsigned kept = inst->ns < 8 ? inst->ns : 8;
	memcpy(before, inst->s, kept * sizeof *before);
	for (unsigned i = 0; i < inst->ns; i++) {
		bool again = false;
		for (unsigned k = 0; k < i && k < kept && i < kept && !again; k++) {
			const hd_opd *x = &before[k], *y = &before[i];
			again = is_spilled(a, y) && y->kind == HD_OPD_REG && x->kind == y->kind && x->reg == y->reg && x->sub == y->sub &&
			        x->words == y->words;
			if (again)
				inst->s[i] = inst->s[k];
		}
		if (!again)
			reload(a, &inst->s[i], out, inst->loc);
	}
	reload(a, &inst->guard, out, inst->loc);
	hd_opd guard = guard_of_stores(a, inst, out);
	hd_opd spilled[4];
	bool stored[4] = {false};
	for (unsigned i = 0; i < inst->nd && i < 4; i++) {
		if (!is_spilled(a, &inst->d[i]))
			continue;
		spilled[i] = inst->d[i];
		stored[i] = true;
		unsigned words = inst->d[i].kind == HD_OPD_PRED ? 0 : inst->d[i].words;
		uint32_t fresh = hd_allocation_vreg(a, words, HD_NOT_FIXED, true);
		inst->d[i] = words ? hd_opd_reg(fresh, words) : hd_opd_pred(fresh, false);
	}
	hd_vec_push(out, inst);
	for (unsigned i = 0; i < inst->nd && i < 4; i++) {
		if (!stored[i])
			continue;
		if (spilled[i].kind == HD_OPD_PRED)
			predicate_into(a, inst->d[i], &spilled[i], &guard, out, inst->loc);
		else
			store(a, inst->d[i], &spilled[i], &guard, out, inst->loc);
	}
}

void hd_rewrite_spills(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	size_t known = a->info.n;
	for (uint32_t v = 0; v < known; v++) {
		if (!a->info.at[v].spilled || a->info.at[v].remake)
			continue;
		unsigned words = f->vregs.at[v].words;
		if (words == 0) {
			uint32_t slot = hd_allocation_vreg(a, 1, HD_NOT_FIXED, false);
			a->info.at[v].slot = slot; /* the register that holds the predicate */
			continue;
		}
		f->frame_bytes = (f->frame_bytes + words * 4 - 1) / (words * 4) * (words * 4);
		a->info.at[v].slot = f->frame_bytes;
		f->frame_bytes += words * 4;
		if (f->frame_align < words * 4)
			f->frame_align = words * 4;
	}
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		inst_list out = {0};
		for (size_t i = 0; i < block->insts.n; i++)
			rewrite(a, block->insts.at[i], &out);
		reload(a, &block->pred, &out, block->loc);
		hd_vec_free(&block->insts);
		block->insts.at = out.at;
		block->insts.n = out.n;
		block->insts.cap = out.cap;
	}
	for (uint32_t v = 0; v < known; v++)
		a->info.at[v].spilled = false;
}

#include "passes/allocate/allocation.h"

void hd_allocation_extend(hd_allocation *a)
{
	while (a->info.n < a->f->vregs.n)
		hd_vec_push(&a->info, (hd_vreg_info){.fixed = HD_NOT_FIXED});
}

uint32_t hd_allocation_vreg(hd_allocation *a, unsigned words, uint16_t fixed, bool short_lived)
{
	uint32_t v = hd_ir_vreg_new(a->f, words);
	hd_allocation_extend(a);
	a->info.at[v].fixed = fixed;
	a->info.at[v].short_lived = short_lived || fixed != HD_NOT_FIXED;
	a->f->vregs.at[v].scratch = short_lived && fixed == HD_NOT_FIXED;
	return v;
}

hd_opd hd_allocation_scratch(hd_allocation *a, unsigned words) { return hd_opd_reg(hd_allocation_vreg(a, words, HD_NOT_FIXED, true), words); }

static hd_opd shared_register(hd_allocation *a, uint32_t *which, uint16_t fixed)
{
	if (*which == UINT32_MAX)
		*which = hd_allocation_vreg(a, 1, fixed, true);
	return hd_opd_reg(*which, 1);
}

hd_opd hd_allocation_stack_pointer(hd_allocation *a) { return shared_register(a, &a->stack_pointer, HD_STACK_POINTER); }
hd_opd hd_allocation_zero(hd_allocation *a) { return shared_register(a, &a->zero, HD_RZ); }

static hd_ir_inst *append(hd_allocation *a, hd_ir_insts *out, unsigned op, unsigned nd, unsigned ns, hd_ir_loc loc)
{
	hd_ir_inst *inst = hd_ir_inst_new(a->module, op, nd, ns);
	inst->loc = loc;
	hd_vec_push(out, inst);
	return inst;
}

static hd_ir_inst *append_unary(hd_allocation *a, hd_ir_insts *out, unsigned op, hd_opd to, hd_opd from, hd_ir_loc loc)
{
	hd_ir_inst *inst = append(a, out, op, 1, 1, loc);
	inst->d[0] = to;
	inst->s[0] = from;
	return inst;
}

void hd_append_movi(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd constant, hd_ir_loc loc)
{
	append_unary(a, out, HD_OP_MOVI, to, constant, loc);
}

void hd_append_copy(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd from, hd_ir_loc loc)
{
	bool constant = from.kind == HD_OPD_IMM && from.words == 1;
	append_unary(a, out, constant ? HD_OP_MOVI : to.words == 2 ? HD_OP_MOV64 : HD_OP_MOV, to, from, loc);
}

void hd_append_add(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd x, hd_opd y, hd_ir_loc loc)
{
	hd_ir_inst *inst = append(a, out, HD_OP_IADD, 1, 2, loc);
	inst->d[0] = to;
	inst->s[0] = x;
	inst->s[1] = y;
}

void hd_append_local_load(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd address, uint32_t offset, const hd_opd *guard, hd_ir_loc loc)
{
	hd_ir_inst *inst = append_unary(a, out, HD_OP_LDL, to, address, loc);
	inst->offset = (int32_t)offset;
	inst->sub = hd_size_of_words(to.words);
	inst->guard = *guard;
}

void hd_append_local_store(hd_allocation *a, hd_ir_insts *out, hd_opd address, uint32_t offset, hd_opd from, const hd_opd *guard, hd_ir_loc loc)
{
	hd_ir_inst *inst = append(a, out, HD_OP_STL, 0, 2, loc);
	inst->s[0] = address;
	inst->s[1] = from;
	inst->offset = (int32_t)offset;
	inst->sub = hd_size_of_words(from.words);
	inst->guard = *guard;
}

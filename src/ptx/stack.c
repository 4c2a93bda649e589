/* alloca, stacksave, stackrestore: a function that has one of them has an area in its frame, from which they take. */
#include "ptx/lower.h"

enum { AREA = 4096, ALIGNMENT = 16 };

/* The register with the bytes of the area that are taken. */
static hd_opd taken(const ptx_fn *fn) { return hd_opd_reg(fn->stack - 1, 1); }

void ptx_begin_stack(ptx_fn *fn)
{
	bool any = false;
	for (size_t i = 0; i < fn->func->body.n && !any; i++) {
		const ptx_stmt *stmt = &fn->func->body.at[i];
		any = stmt->kind == PTX_INST && (strcmp(stmt->inst->op->text, "alloca") == 0 || strncmp(stmt->inst->op->text, "stack", 5) == 0);
	}
	if (!any)
		return;
	fn->area = (ptx_var){.sym = {.kind = PTX_SYM_VAR, .depth = 1, .name = fn->func->proto.sym.name, .pos = fn->pos},
	                     .space = PTX_S_LOCAL,
	                     .type = PTX_B8,
	                     .array = true,
	                     .align = ALIGNMENT,
	                     .bytes = AREA};
	fn->stack = hd_ir_vreg_new(fn->f, 1) + 1;
	ptx_move(fn, taken(fn), ptx_imm(0));
}

/* alloca.type d, size{, alignment}: traps when the area is full. */
void ptx_do_alloca(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(U32) | PTX_SET(U64));
	const ptx_opd *alignment = &inst->opds[2];
	/* clang writes 0 for the default. */
	uint64_t align = inst->nopds == 3 && alignment->imm ? alignment->imm : 8;
	if (inst->nopds == 3 && (alignment->kind != PTX_O_INT || align > ALIGNMENT || (align & (align - 1)))) {
		ptx_wrong(fn, alignment->pos, "expected an alignment, a power of two up to %d", ALIGNMENT);
		return;
	}
	hd_opd size = ptx_source(fn, &inst->opds[1], type), begin, end, full;
	if (fn->bad)
		return;
	hd_opd low = size.words == 2 ? ptx_part(size, 0, 1) : size;
	begin = ptx_make2(fn, HD_OP_AND, 1, ptx_make2(fn, HD_OP_IADD, 1, taken(fn), ptx_imm((uint32_t)align - 1)), ptx_imm(~((uint32_t)align - 1)));
	/* No size above the area's wraps around. */
	full = ptx_compare(fn, HD_OP_ISETP, HD_CMP_HI, low, ptx_imm(AREA));
	hd_opd bounded = ptx_temp(fn, 1), above = ptx_temp(fn, 0);
	ptx_select(fn, bounded, ptx_imm(AREA + 1), low, full);
	if (size.words == 2) {
		hd_opd wide = ptx_compare(fn, HD_OP_ISETP, HD_CMP_NE, ptx_part(size, 1, 1), ptx_imm(0));
		hd_opd narrow = bounded;
		bounded = ptx_temp(fn, 1);
		ptx_select(fn, bounded, ptx_imm(AREA + 1), narrow, wide);
	}
	end = ptx_make2(fn, HD_OP_IADD, 1, begin, bounded);
	ptx_move(fn, above, ptx_compare(fn, HD_OP_ISETP, HD_CMP_HI, end, ptx_imm(AREA)));
	uint32_t trap = ptx_new_block(fn), next = ptx_new_block(fn);
	ptx_end_branch(fn, above, trap, next);
	ptx_begin_block(fn, trap);
	ptx_end(fn, HD_TERM_TRAP);
	ptx_begin_block(fn, next);
	ptx_move(fn, taken(fn), end);
	ptx_opd area = {.kind = PTX_O_SYMBOL, .name = fn->area.sym.name, .sym = &fn->area.sym, .pos = fn->pos};
	hd_opd address = ptx_address_of(fn, &area), d = ptx_dest(fn, &inst->opds[0], type);
	if (d.kind == HD_OPD_NONE)
		return;
	ptx_emit2(fn, HD_OP_IADD, ptx_part(d, 0, 1), ptx_part(address, 0, 1), begin);
	if (d.words == 2)
		ptx_move(fn, ptx_part(d, 1, 1), ptx_imm(0));
}

void ptx_do_stacksave(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(U32) | PTX_SET(U64));
	hd_opd d = ptx_dest(fn, &inst->opds[0], type);
	if (d.kind == HD_OPD_NONE)
		return;
	ptx_move(fn, ptx_part(d, 0, 1), taken(fn));
	if (d.words == 2)
		ptx_move(fn, ptx_part(d, 1, 1), ptx_imm(0));
}

void ptx_do_stackrestore(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_type type = ptx_type_at(fn, 0, PTX_SET(U32) | PTX_SET(U64));
	hd_opd a = ptx_source(fn, &inst->opds[0], type);
	if (!fn->bad)
		ptx_move(fn, taken(fn), a.words == 2 ? ptx_part(a, 0, 1) : a);
}

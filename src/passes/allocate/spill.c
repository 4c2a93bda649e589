#include "passes/allocate/spill.h"

enum { MAX_SOURCES = 8, MAX_DESTINATIONS = 4 };

static const hd_opd always = {0};

static bool is_spilled(const hd_allocation *a, const hd_opd *o) { return hd_opd_is_register(o) && a->info.at[o->reg].spilled; }

/* The address of frame offset `*offset` as a load or store takes it; *offset: what is left for the instruction's offset. */
static hd_opd slot_address(hd_allocation *a, uint32_t *offset, hd_ir_insts *out, hd_ir_loc loc)
{
	hd_opd frame = {.kind = HD_OPD_FRAME, .words = 1};
	if (*offset < HD_FRAME_REACH)
		return frame;
	hd_opd address = hd_allocation_scratch(a, 1);
	frame.imm = *offset;
	hd_append_movi(a, out, address, a->stack ? hd_opd_imm(*offset, 1) : frame, loc);
	if (a->stack)
		hd_append_add(a, out, address, hd_allocation_stack_pointer(a), address, loc);
	*offset = 0;
	return address;
}

static void load(hd_allocation *a, hd_opd into, const hd_opd *spilled, const hd_opd *guard, hd_ir_insts *out, hd_ir_loc loc)
{
	const hd_ir_inst *definition = a->info.at[spilled->reg].rematerialise_from;
	if (definition && spilled->words == definition->d[0].words) {
		hd_ir_inst *again = hd_ir_inst_copy(a->module, definition);
		again->d[0] = into;
		again->guard = *guard;
		hd_vec_push(out, again);
		return;
	}
	uint32_t offset = a->info.at[spilled->reg].slot + 4u * spilled->sub;
	hd_opd address = slot_address(a, &offset, out, loc);
	hd_append_local_load(a, out, into, address, offset, guard, loc);
}

static void store(hd_allocation *a, hd_opd from, const hd_opd *spilled, const hd_opd *guard, hd_ir_insts *out, hd_ir_loc loc)
{
	uint32_t offset = a->info.at[spilled->reg].slot + 4u * spilled->sub;
	hd_opd address = slot_address(a, &offset, out, loc);
	hd_append_local_store(a, out, address, offset, from, guard, loc);
}

/* A predicate from the register that holds it: p = (r != 0). */
static hd_opd load_predicate(hd_allocation *a, const hd_opd *spilled, hd_ir_insts *out, hd_ir_loc loc)
{
	hd_opd p = hd_opd_pred(hd_allocation_vreg(a, 0, HD_NOT_FIXED, true), false);
	hd_ir_inst *inst = hd_ir_inst_new(a->module, HD_OP_ISETP, 1, 2);
	inst->sub = HD_CMP_NE;
	inst->d[0] = p;
	inst->s[0] = hd_opd_reg(a->info.at[spilled->reg].slot, 1);
	inst->s[1] = hd_opd_imm(0, 1);
	inst->loc = loc;
	hd_vec_push(out, inst);
	p.neg = spilled->neg;
	return p;
}

/* A predicate into the register that holds it: r = p ? 1 : 0. */
static void store_predicate(hd_allocation *a, hd_opd p, const hd_opd *spilled, const hd_opd *guard, hd_ir_insts *out, hd_ir_loc loc)
{
	hd_opd one = hd_allocation_scratch(a, 1);
	hd_append_movi(a, out, one, hd_opd_imm(1, 1), loc);
	hd_ir_inst *inst = hd_ir_inst_new(a->module, HD_OP_SEL, 1, 3);
	inst->d[0] = hd_opd_reg(a->info.at[spilled->reg].slot, 1);
	inst->s[0] = one;
	inst->s[1] = hd_allocation_zero(a);
	inst->s[2] = p;
	inst->guard = *guard;
	inst->loc = loc;
	hd_vec_push(out, inst);
}

/* Makes a spilled operand a short-lived register that was loaded. */
static void reload(hd_allocation *a, hd_opd *o, hd_ir_insts *out, hd_ir_loc loc)
{
	if (!is_spilled(a, o))
		return;
	if (o->kind == HD_OPD_PRED) {
		*o = load_predicate(a, o, out, loc);
		return;
	}
	hd_opd fresh = hd_allocation_scratch(a, o->words);
	load(a, fresh, o, &always, out, loc);
	*o = fresh;
}

/* The guard for the stores behind the instruction: a copy if the instruction overwrites its own guard. */
static hd_opd guard_of_stores(hd_allocation *a, const hd_ir_inst *inst, hd_ir_insts *out)
{
	bool overwritten = false, stores = false;
	for (unsigned i = 0; i < inst->nd; i++) {
		overwritten |= inst->guard.kind == HD_OPD_PRED && inst->d[i].kind == HD_OPD_PRED && inst->d[i].reg == inst->guard.reg;
		stores |= is_spilled(a, &inst->d[i]);
	}
	if (!overwritten || !stores)
		return inst->guard;
	hd_ir_inst *copy = hd_ir_inst_new(a->module, HD_OP_PLOP, 1, 3);
	hd_opd p = hd_opd_pred(hd_allocation_vreg(a, 0, HD_NOT_FIXED, true), false);
	copy->d[0] = p;
	copy->s[0] = inst->guard;
	copy->sub = 0xf0; /* the table of "the first predicate"; the others are "always" */
	copy->loc = inst->loc;
	hd_vec_push(out, copy);
	return p;
}

/* A copy between a spilled and another register is a load or a store. */
static bool rewrite_copy(hd_allocation *a, hd_ir_inst *inst, hd_ir_insts *out)
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

/* One reload serves equal operands. */
static void rewrite_sources(hd_allocation *a, hd_ir_inst *inst, hd_ir_insts *out)
{
	hd_opd before[MAX_SOURCES];
	unsigned kept = inst->ns < MAX_SOURCES ? inst->ns : MAX_SOURCES;
	memcpy(before, inst->s, kept * sizeof *before);
	for (unsigned i = 0; i < inst->ns; i++) {
		bool again = false;
		for (unsigned k = 0; k < i && i < kept && !again; k++) {
			const hd_opd *x = &before[k], *y = &before[i];
			again = is_spilled(a, y) && y->kind == HD_OPD_REG && x->kind == y->kind && x->reg == y->reg && x->sub == y->sub &&
			        x->words == y->words;
			if (again)
				inst->s[i] = inst->s[k];
		}
		if (!again)
			reload(a, &inst->s[i], out, inst->loc);
	}
}

/* Appends the instruction with its spilled destinations in short-lived registers, and their stores. */
static void rewrite_destinations(hd_allocation *a, hd_ir_inst *inst, hd_ir_insts *out)
{
	hd_opd guard = guard_of_stores(a, inst, out);
	hd_opd spilled[MAX_DESTINATIONS];
	bool stored[MAX_DESTINATIONS] = {false};
	for (unsigned i = 0; i < inst->nd && i < MAX_DESTINATIONS; i++) {
		if (!is_spilled(a, &inst->d[i]))
			continue;
		spilled[i] = inst->d[i];
		stored[i] = true;
		unsigned words = inst->d[i].kind == HD_OPD_PRED ? 0 : inst->d[i].words;
		uint32_t fresh = hd_allocation_vreg(a, words, HD_NOT_FIXED, true);
		inst->d[i] = words ? hd_opd_reg(fresh, words) : hd_opd_pred(fresh, false);
	}
	hd_vec_push(out, inst);
	for (unsigned i = 0; i < inst->nd && i < MAX_DESTINATIONS; i++) {
		if (!stored[i])
			continue;
		if (spilled[i].kind == HD_OPD_PRED)
			store_predicate(a, inst->d[i], &spilled[i], &guard, out, inst->loc);
		else
			store(a, inst->d[i], &spilled[i], &guard, out, inst->loc);
	}
}

static void rewrite(hd_allocation *a, hd_ir_inst *inst, hd_ir_insts *out)
{
	if (inst->nd == 1 && is_spilled(a, &inst->d[0]) && a->info.at[inst->d[0].reg].rematerialise_from == inst)
		return;
	if (rewrite_copy(a, inst, out))
		return;
	rewrite_sources(a, inst, out);
	reload(a, &inst->guard, out, inst->loc);
	rewrite_destinations(a, inst, out);
}

/* Frame slots for spilled registers; registers for spilled predicates. */
static void assign_slots(hd_allocation *a, size_t vregs)
{
	hd_ir_function *f = a->f;
	for (uint32_t v = 0; v < vregs; v++) {
		if (!a->info.at[v].spilled || a->info.at[v].rematerialise_from)
			continue;
		uint32_t bytes = 4u * f->vregs.at[v].words;
		if (bytes == 0) {
			uint32_t slot = hd_allocation_vreg(a, 1, HD_NOT_FIXED, false);
			a->info.at[v].slot = slot;
			continue;
		}
		a->info.at[v].slot = hd_round_up_u32(f->frame_bytes, bytes);
		f->frame_bytes = a->info.at[v].slot + bytes;
		f->frame_align = hd_max_u32(f->frame_align, bytes);
	}
}

void hd_rewrite_spills(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	size_t vregs = a->info.n; /* rewriting adds more */
	assign_slots(a, vregs);
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		hd_ir_insts out = {0};
		for (size_t i = 0; i < block->insts.n; i++)
			rewrite(a, block->insts.at[i], &out);
		reload(a, &block->pred, &out, block->loc);
		hd_ir_replace_insts(block, &out);
	}
	for (uint32_t v = 0; v < vregs; v++)
		a->info.at[v].spilled = false;
}

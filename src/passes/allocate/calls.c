#include "passes/allocate/calls.h"

/* Where one argument or result is. */
typedef struct location {
	bool in_memory;
	uint32_t at; /* register, or offset in the callee's frame */
} location;

/* Arguments and results take their locations one after the other. */
typedef struct cursor {
	uint32_t reg, bytes; /* the next register; the memory used so far */
} cursor;

static cursor first_location(void) { return (cursor){HD_FIRST_ARGUMENT, 0}; }

static location next_location(cursor *c, unsigned words)
{
	uint32_t reg = hd_round_up_u32(c->reg, words), at = hd_round_up_u32(c->bytes, 4 * words);
	if (reg + words - 1 <= HD_LAST_ARGUMENT) {
		c->reg = reg + words;
		return (location){false, reg};
	}
	c->bytes = at + 4 * words;
	return (location){true, at};
}

static const hd_opd always = {0};
static const hd_opd own_frame = {.kind = HD_OPD_FRAME, .words = 1};

/* The virtual registers that the function defines anywhere; the caller frees the set. */
static hd_bits find_defined(const hd_ir_function *f)
{
	hd_bits defined = hd_bits_new(f->vregs.n + 1);
	for (size_t i = 0; i < f->params.n; i++)
		hd_bits_add(&defined, f->params.at[i].reg);
	for (size_t b = 0; b < f->blocks.n; b++)
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
			for (unsigned i = 0; i < f->blocks.at[b]->insts.at[k]->nd; i++)
				if (f->blocks.at[b]->insts.at[k]->d[i].kind == HD_OPD_REG)
					hd_bits_add(&defined, f->blocks.at[b]->insts.at[k]->d[i].reg);
	return defined;
}

/* Padding of a structure is passed and never defined. It is passed as zero, so that nobody reads what happens to be in a register. */
static hd_opd or_zero(const hd_bits *defined, hd_opd from)
{
	/* Registers that lowering itself adds are beyond the set. */
	return from.kind == HD_OPD_REG && from.reg + 1 < defined->bits && !hd_bits_has(defined, from.reg) ? hd_opd_imm(0, from.words) : from;
}

/* Copies 1, 2 or 4 words: a quad as two pairs, a zero of several words word by word. */
static void append_copies(hd_allocation *a, hd_ir_insts *out, hd_opd to, hd_opd from, hd_ir_loc loc)
{
	if (from.kind == HD_OPD_IMM && from.words > 1 && from.imm == 0) {
		for (unsigned i = 0; i < to.words; i++)
			hd_append_copy(a, out, hd_opd_sub(to.reg, to.sub + i, 1), hd_opd_imm(0, 1), loc);
		return;
	}
	if (to.words < 4) {
		hd_append_copy(a, out, to, from, loc);
		return;
	}
	for (unsigned half = 0; half < 4; half += 2) {
		hd_opd t = to, s = from;
		t.words = s.words = 2;
		t.sub = (uint8_t)(t.sub + half);
		s.sub = (uint8_t)(s.sub + half);
		hd_append_copy(a, out, t, s, loc);
	}
}

/* Stack pointer +- the size of this function's frame. The operand of kind FRAME stands for the size: hd_finish_frames knows it. */
static void append_stack_adjustment(hd_allocation *a, hd_ir_insts *out, unsigned op, hd_ir_loc loc)
{
	hd_ir_inst *inst = hd_ir_inst_new(a->module, op, 1, 2);
	inst->d[0] = inst->s[0] = hd_allocation_stack_pointer(a);
	inst->s[1] = own_frame;
	inst->loc = loc;
	hd_vec_push(out, inst);
}

static hd_opd fixed_register(hd_allocation *a, location at, unsigned words)
{
	return hd_opd_reg(hd_allocation_vreg(a, words, (uint16_t)at.at, true), words);
}

/* A register with the address of the callee's frame, as the caller sees it. */
static hd_opd callee_frame(hd_allocation *a, int32_t callee, hd_ir_insts *out, hd_ir_loc loc)
{
	hd_opd address = hd_allocation_scratch(a, 1), frame = own_frame;
	frame.reg = (uint32_t)(callee < 0 ? 0 : callee) + HD_CALLEE_FRAME;
	hd_append_movi(a, out, address, frame, loc);
	if (a->stack)
		hd_append_add(a, out, address, hd_allocation_stack_pointer(a), address, loc);
	return address;
}

static hd_opd in_register(hd_allocation *a, hd_opd o, hd_ir_insts *out, hd_ir_loc loc)
{
	if (o.kind == HD_OPD_REG)
		return o;
	hd_opd fresh = hd_allocation_scratch(a, o.words);
	append_copies(a, out, fresh, o, loc);
	return fresh;
}

static unsigned result_words(const hd_opd *d) { return d->words ? d->words : 1; }

/* Stores those arguments that are passed in memory. First of all, as that takes registers. */
static void pass_in_memory(hd_allocation *a, const hd_ir_inst *call, unsigned first, hd_ir_insts *out)
{
	cursor place = first_location();
	hd_opd frame = {0};
	for (unsigned i = first; i < call->ns; i++) {
		location at = next_location(&place, call->s[i].words);
		if (!at.in_memory)
			continue;
		if (frame.kind == HD_OPD_NONE)
			frame = callee_frame(a, call->callee, out, call->loc);
		hd_opd value = in_register(a, call->s[i], out, call->loc);
		hd_append_local_store(a, out, frame, at.at, value, &always, call->loc);
	}
}

static void pass_in_registers(hd_allocation *a, const hd_ir_inst *call, unsigned first, hd_ir_inst *lowered, hd_ir_insts *out)
{
	cursor place = first_location();
	lowered->ns = (uint8_t)first;
	for (unsigned i = first; i < call->ns; i++) {
		location at = next_location(&place, call->s[i].words);
		if (at.in_memory)
			continue;
		hd_opd fixed = fixed_register(a, at, call->s[i].words);
		append_copies(a, out, fixed, call->s[i], call->loc);
		lowered->s[lowered->ns++] = fixed;
	}
}

static void take_from_registers(hd_allocation *a, const hd_ir_inst *call, hd_ir_inst *lowered, hd_ir_insts *out)
{
	cursor place = first_location();
	lowered->nd = 0;
	for (unsigned i = 0; i < call->nd; i++) {
		unsigned words = result_words(&call->d[i]);
		location at = next_location(&place, words);
		if (at.in_memory)
			continue;
		hd_opd fixed = lowered->d[lowered->nd++] = fixed_register(a, at, words);
		if (call->d[i].kind == HD_OPD_REG)
			append_copies(a, out, call->d[i], fixed, call->loc);
	}
}

static void take_from_memory(hd_allocation *a, const hd_ir_inst *call, hd_ir_insts *out)
{
	cursor place = first_location();
	hd_opd frame = {0};
	for (unsigned i = 0; i < call->nd; i++) {
		location at = next_location(&place, result_words(&call->d[i]));
		if (!at.in_memory || call->d[i].kind != HD_OPD_REG)
			continue;
		if (frame.kind == HD_OPD_NONE)
			frame = callee_frame(a, call->callee, out, call->loc);
		hd_append_local_load(a, out, call->d[i], frame, at.at, &always, call->loc);
	}
}

static void lower_call(hd_allocation *a, hd_ir_inst *call, const hd_bits *defined, hd_ir_insts *out)
{
	bool indirect = call->callee < 0;
	unsigned first = indirect; /* argument; an indirect call's s[0] is the address */
	hd_invariant(call->guard.kind == HD_OPD_NONE, "a guarded call in %s", a->f->name);
	for (unsigned i = first; i < call->ns; i++)
		call->s[i] = or_zero(defined, call->s[i]);
	hd_ir_inst *lowered = hd_ir_inst_new(a->module, indirect ? HD_OP_CALLX : HD_OP_CALL, call->nd, call->ns);
	lowered->callee = call->callee;
	lowered->loc = call->loc;
	pass_in_memory(a, call, first, out);
	pass_in_registers(a, call, first, lowered, out);
	if (indirect) {
		/* Last, so that the address occupies a register only for the call itself. */
		lowered->s[0] = hd_allocation_scratch(a, 1);
		hd_append_copy(a, out, lowered->s[0], call->s[0], call->loc);
	}
	if (a->stack)
		append_stack_adjustment(a, out, HD_OP_IADD, call->loc);
	hd_vec_push(out, lowered);
	if (a->stack)
		append_stack_adjustment(a, out, HD_OP_ISUB, call->loc);
	take_from_registers(a, call, lowered, out);
	take_from_memory(a, call, out);
}

/* Puts the address of the own frame + `imm` bytes into a register: the instruction for it. */
static hd_ir_inst *frame_address(hd_allocation *a, hd_opd to, const hd_opd *frame, hd_ir_loc loc, hd_ir_insts *out)
{
	hd_ir_inst *inst = hd_ir_inst_new(a->module, a->stack ? HD_OP_IADD : HD_OP_MOVI, 1, a->stack ? 2 : 1);
	inst->d[0] = to;
	inst->loc = loc;
	inst->s[0] = *frame;
	if (a->stack) {
		inst->s[0] = hd_allocation_stack_pointer(a);
		inst->s[1] = hd_opd_imm(frame->imm, 1);
		if (frame->imm > INT16_MAX) {
			hd_opd large = hd_allocation_scratch(a, 1);
			hd_append_copy(a, out, large, inst->s[1], loc);
			inst->s[1] = large;
		}
	}
	return inst;
}

/* Adds `shift` to the instruction's frame addresses. Those of local loads and stores go into the offset if they fit, others into a register. */
static void lower_frame(hd_allocation *a, hd_ir_inst *inst, uint32_t shift, hd_ir_insts *out)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		hd_opd *source = &inst->s[i];
		if (source->kind != HD_OPD_FRAME)
			continue;
		source->imm += shift;
		bool local = (inst->op == HD_OP_LDL || inst->op == HD_OP_STL) && i == 0;
		int64_t offset = (int64_t)source->imm + (local ? inst->offset : 0);
		if (local && offset >= 0 && offset < HD_FRAME_REACH) {
			source->imm = 0;
			inst->offset = (int32_t)offset;
			continue;
		}
		if (local) {
			source->imm = (uint32_t)offset;
			inst->offset = 0;
		}
		hd_opd address = hd_allocation_scratch(a, 1);
		hd_ir_inst *take = frame_address(a, address, source, inst->loc, out);
		if (inst->op == HD_OP_MOVI || inst->op == HD_OP_MOV) {
			/* A copy of the address: `inst` itself computes it. */
			*inst =
			    (hd_ir_inst){.op = take->op, .nd = 1, .ns = take->ns, .d = inst->d, .s = take->s, .loc = inst->loc, .guard = inst->guard};
			return;
		}
		hd_vec_push(out, take);
		*source = address;
	}
}

/* Parameters from their locations, and a kernel's stack pointer. */
static void lower_entry(hd_allocation *a, hd_ir_insts *out)
{
	hd_ir_function *f = a->f;
	cursor place = first_location();
	if (f->kernel && a->stack)
		hd_append_copy(a, out, hd_allocation_stack_pointer(a), hd_opd_imm(0, 1), f->loc);
	for (size_t i = 0; i < f->params.n; i++) {
		unsigned words = f->params.at[i].words;
		location at = next_location(&place, words);
		if (!at.in_memory)
			append_copies(a, out, f->params.at[i], fixed_register(a, at, words), f->loc);
	}
	place = first_location();
	for (size_t i = 0; i < f->params.n; i++) {
		location at = next_location(&place, f->params.at[i].words);
		if (at.in_memory)
			hd_append_local_load(a, out, f->params.at[i], own_frame, at.at, &always, f->loc);
	}
}

/* Results into the registers `fixed`, or into memory. */
static void lower_return(hd_allocation *a, const hd_opd *fixed, const hd_bits *defined, hd_ir_insts *out, hd_ir_loc loc)
{
	hd_ir_function *f = a->f;
	cursor place = first_location();
	for (size_t i = 0; i < f->results.n; i++) {
		location at = next_location(&place, f->results.at[i].words);
		if (!at.in_memory)
			continue;
		hd_opd value = in_register(a, or_zero(defined, f->results.at[i]), out, loc);
		hd_append_local_store(a, out, own_frame, at.at, value, &always, loc);
	}
	for (size_t i = 0; i < f->results.n; i++) {
		if (fixed[i].kind == HD_OPD_REG)
			append_copies(a, out, fixed[i], or_zero(defined, f->results.at[i]), loc);
	}
}

/* By result: its fixed register, the same one at every return; kind NONE for those in memory, which take *bytes of the frame. The caller frees it. */
static hd_opd *result_registers(hd_allocation *a, uint32_t *bytes)
{
	const hd_ir_function *f = a->f;
	hd_opd *fixed = hd_xcalloc(f->results.n + 1, sizeof *fixed);
	cursor place = first_location();
	for (size_t i = 0; i < f->results.n; i++) {
		location at = next_location(&place, f->results.at[i].words);
		if (!at.in_memory)
			fixed[i] = fixed_register(a, at, f->results.at[i].words);
	}
	*bytes = place.bytes;
	return fixed;
}

static uint32_t parameter_bytes(const hd_ir_function *f)
{
	cursor place = first_location();
	for (size_t i = 0; i < f->params.n; i++)
		next_location(&place, f->params.at[i].words);
	return place.bytes;
}

void hd_lower_calls(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	hd_allocation_extend(a);
	hd_bits defined = find_defined(f);
	uint32_t result_bytes;
	hd_opd *fixed = result_registers(a, &result_bytes);
	/* Parameters and results in memory lie before the function's own variables. */
	uint32_t shift = hd_round_up_u32(hd_max_u32(parameter_bytes(f), result_bytes), hd_max_u32(f->frame_align, 16));
	f->frame_bytes += shift;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		hd_ir_insts out = {0};
		if (b == 0)
			lower_entry(a, &out);
		for (size_t i = 0; i < block->insts.n; i++) {
			hd_ir_inst *inst = block->insts.at[i];
			lower_frame(a, inst, shift, &out);
			if (inst->op == HD_IR_CALLF)
				lower_call(a, inst, &defined, &out);
			else
				hd_vec_push(&out, inst);
		}
		if (block->term == HD_TERM_RET)
			lower_return(a, fixed, &defined, &out, block->loc);
		hd_ir_replace_insts(block, &out);
	}
	size_t kept = 0;
	for (size_t i = 0; i < f->results.n; i++) {
		if (fixed[i].kind == HD_OPD_REG)
			f->results.at[kept++] = fixed[i];
	}
	f->results.n = kept;
	free(fixed);
	hd_bits_free(&defined);
}

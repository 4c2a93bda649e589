/* Calls and frames (docs/abi.md). */
#include "passes/allocate/allocate.h"

enum { NEAR_BYTES = 8192 /* frame offsets that stay in loads and stores */, NO_CALL = -2 };

/* Function called, -1 for an indirect call, NO_CALL; before and after lowering. */
static int32_t callee_of(const hd_ir_inst *inst)
{
	if (inst->op == HD_OP_CALLX)
		return -1;
	return inst->op == HD_IR_CALLF || inst->op == HD_OP_CALL ? inst->callee : NO_CALL;
}

typedef struct walker {
	const hd_ir_module *module;
	uint8_t *state; /* 0 new, 1 on the way, 2 done */
	bool *recursive;
	uint32_t *order;
	uint32_t n;
} walker;

/* Depth-first over calls, iteratively. A function met again while on the way is in a cycle, and with it all on the way since. */
static void walk(walker *w, uint32_t root)
{
	typedef struct frame {
		uint32_t function, block, inst;
	} frame;
	HD_VEC(frame) stack = {0};
	if (w->state[root])
		return;
	w->state[root] = 1;
	hd_vec_push(&stack, (frame){root, 0, 0});
	while (stack.n) {
		frame *top = &stack.at[stack.n - 1];
		const hd_ir_function *f = w->module->functions.at[top->function];
		if (top->block == f->blocks.n) {
			w->state[top->function] = 2;
			w->order[w->n++] = top->function;
			stack.n--;
			continue;
		}
		const hd_ir_block *block = f->blocks.at[top->block];
		if (top->inst == block->insts.n) {
			top->block++;
			top->inst = 0;
			continue;
		}
		int32_t callee = callee_of(block->insts.at[top->inst++]);
		if (callee < 0)
			continue;
		if (w->state[callee] == 0) {
			w->state[callee] = 1;
			hd_vec_push(&stack, (frame){(uint32_t)callee, 0, 0});
		} else if (w->state[callee] == 1) {
			for (size_t i = stack.n; i-- > 0;) {
				w->recursive[stack.at[i].function] = true;
				if (stack.at[i].function == (uint32_t)callee)
					break;
			}
		}
	}
	hd_vec_free(&stack);
}

uint32_t *hd_call_order(const hd_ir_module *module, bool **recursive)
{
	size_t n = module->functions.n;
	walker w = {.module = module,
	            .state = hd_xcalloc(n + 1, 1),
	            .recursive = hd_xcalloc(n + 1, sizeof(bool)),
	            .order = hd_xcalloc(n + 1, sizeof(uint32_t))};
	for (uint32_t f = 0; f < n; f++)
		walk(&w, f);
	free(w.state);
	*recursive = w.recursive;
	return w.order;
}

bool hd_module_needs_stack(const hd_ir_module *module)
{
	bool *recursive, needs = false, calls = false;
	uint64_t frames = 0;
	free(hd_call_order(module, &recursive));
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		needs |= recursive[i];
		frames += f->frame_bytes;
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
				int32_t callee = callee_of(f->blocks.at[b]->insts.at[k]);
				calls |= callee != NO_CALL;
				needs |= callee == -1;
			}
		}
	}
	free(recursive);
	/* Offsets of static frames must reach from address 0. */
	return needs || (calls && frames > NEAR_BYTES);
}

uint32_t hd_allocation_vreg(hd_allocation *a, unsigned words, uint16_t fixed, bool tiny)
{
	uint32_t v = hd_ir_vreg_new(a->f, words);
	while (a->info.n < a->f->vregs.n)
		hd_vec_push(&a->info, (hd_vreg_info){.fixed = HD_NOT_FIXED});
	a->info.at[v].fixed = fixed;
	a->info.at[v].tiny = tiny || fixed != HD_NOT_FIXED;
	a->f->vregs.at[v].scratch = tiny && fixed == HD_NOT_FIXED;
	return v;
}

uint32_t hd_allocation_fixed(hd_allocation *a, uint32_t *which, uint16_t reg)
{
	if (*which == UINT32_MAX)
		*which = hd_allocation_vreg(a, 1, reg, true);
	return *which;
}

typedef HD_VEC(hd_ir_inst *) inst_list;

static hd_opd stack_pointer(hd_allocation *a) { return hd_opd_reg(hd_allocation_fixed(a, &a->stack_pointer, HD_STACK_POINTER), 1); }

static hd_ir_inst *copy(hd_allocation *a, hd_opd to, hd_opd from, hd_ir_loc loc)
{
	bool imm = from.kind == HD_OPD_IMM && from.words == 1;
	hd_ir_inst *inst = hd_ir_inst_new(a->module, imm ? HD_OP_MOVI : to.words == 2 ? HD_OP_MOV64 : HD_OP_MOV, 1, 1);
	inst->d[0] = to;
	inst->s[0] = from;
	inst->loc = loc;
	return inst;
}

/* Where arguments or results go, one after the other. */
typedef struct cursor {
	uint32_t reg, bytes; /* next register, memory used so far */
} cursor;

typedef struct home {
	bool memory;
	uint32_t at; /* register, or offset in the callee's frame */
} home;

static cursor first_home(void) { return (cursor){HD_ABI_FIRST, 0}; }

static home next_home(cursor *c, unsigned words)
{
	uint32_t reg = (c->reg + words - 1) / words * words, at = (c->bytes + 4 * words - 1) / (4 * words) * (4 * words);
	if (reg + words - 1 <= HD_ABI_LAST) {
		c->reg = reg + words;
		return (home){false, reg};
	}
	c->bytes = at + 4 * words;
	return (home){true, at};
}

/* Which registers the function gives a value anywhere; the caller frees. */
static hd_bits find_made(const hd_ir_function *f)
{
	hd_bits made = hd_bits_new(f->vregs.n + 1);
	for (size_t i = 0; i < f->params.n; i++)
		hd_bits_add(&made, f->params.at[i].reg);
	for (size_t b = 0; b < f->blocks.n; b++)
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
			for (unsigned i = 0; i < f->blocks.at[b]->insts.at[k]->nd; i++)
				if (f->blocks.at[b]->insts.at[k]->d[i].kind == HD_OPD_REG)
					hd_bits_add(&made, f->blocks.at[b]->insts.at[k]->d[i].reg);
	return made;
}

/* Padding of a structure is passed, and never made: as zero, so that nobody reads what happens to be in a register. */
static hd_opd or_zero(const hd_bits *made, hd_opd from)
{
	/* Registers that lowering itself adds are beyond the set. */
	return from.kind == HD_OPD_REG && from.reg + 1 < made->bits && !hd_bits_has(made, from.reg) ? hd_opd_imm(0, from.words) : from;
}

/* Copies a quad as two pairs; a constant, zero if it is wide, by words. */
static void copy_all(hd_allocation *a, inst_list *out, hd_opd to, hd_opd from, hd_ir_loc loc)
{
	if (from.kind == HD_OPD_IMM && from.words > 1 && from.imm == 0) {
		for (unsigned i = 0; i < to.words; i++)
			hd_vec_push(out, copy(a, hd_opd_sub(to.reg, to.sub + i, 1), hd_opd_imm(0, 1), loc));
		return;
	}
	if (to.words < 4) {
		hd_vec_push(out, copy(a, to, from, loc));
		return;
	}
	for (unsigned half = 0; half < 4; half += 2) {
		hd_opd t = to, s = from;
		t.words = s.words = 2;
		t.sub = (uint8_t)(t.sub + half);
		s.sub = (uint8_t)(s.sub + half);
		hd_vec_push(out, copy(a, t, s, loc));
	}
}

static hd_ir_inst *adjust_stack(hd_allocation *a, bool down, hd_ir_loc loc)
{
	/* The frame's size is put in by hd_finish_frames: kind FRAME means that. */
	hd_ir_inst *inst = hd_ir_inst_new(a->module, down ? HD_OP_ISUB : HD_OP_IADD, 1, 2);
	inst->d[0] = inst->s[0] = stack_pointer(a);
	inst->s[1] = (hd_opd){.kind = HD_OPD_FRAME, .words = 1};
	inst->loc = loc;
	return inst;
}

static hd_opd fixed_register(hd_allocation *a, home h, unsigned words)
{
	return hd_opd_reg(hd_allocation_vreg(a, words, (uint16_t)h.at, true), words);
}

static hd_ir_inst *local_access(hd_allocation *a, unsigned op, hd_opd address, uint32_t offset, hd_opd data, hd_ir_loc loc)
{
	hd_ir_inst *inst = hd_ir_inst_new(a->module, op, op == HD_OP_LDL, op == HD_OP_LDL ? 1 : 2);
	inst->s[0] = address;
	inst->offset = (int32_t)offset;
	inst->sub = data.words == 1 ? HD_SIZE_32 : data.words == 2 ? HD_SIZE_64 : HD_SIZE_128;
	inst->loc = loc;
	if (op == HD_OP_LDL)
		inst->d[0] = data;
	else
		inst->s[1] = data;
	return inst;
}

/* Register with the address of the callee's frame, as the caller sees it. */
static hd_opd callee_frame(hd_allocation *a, int32_t callee, inst_list *out, hd_ir_loc loc)
{
	hd_opd address = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
	hd_ir_inst *take =
	    copy(a, address, (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .reg = (uint32_t)(callee < 0 ? 0 : callee) + HD_CALLEE_FRAME}, loc);
	take->op = HD_OP_MOVI;
	hd_vec_push(out, take);
	if (a->stack) {
		hd_ir_inst *add = hd_ir_inst_new(a->module, HD_OP_IADD, 1, 2);
		add->d[0] = add->s[1] = address;
		add->s[0] = stack_pointer(a);
		add->loc = loc;
		hd_vec_push(out, add);
	}
	return address;
}

static hd_opd in_register(hd_allocation *a, hd_opd o, inst_list *out, hd_ir_loc loc)
{
	if (o.kind == HD_OPD_REG)
		return o;
	hd_opd fresh = hd_opd_reg(hd_allocation_vreg(a, o.words, HD_NOT_FIXED, true), o.words);
	copy_all(a, out, fresh, o, loc);
	return fresh;
}

/* Arguments to their places, those in memory first, as that takes registers; the call; the results from theirs. */
static void lower_call(hd_allocation *a, hd_ir_inst *call, const hd_bits *made, inst_list *out)
{
	for (unsigned i = call->callee < 0; i < call->ns; i++)
		call->s[i] = or_zero(made, call->s[i]);
	bool indirect = call->callee < 0;
	hd_invariant(call->guard.kind == HD_OPD_NONE, "a guarded call in %s", a->f->name);
	hd_ir_inst *inst = hd_ir_inst_new(a->module, indirect ? HD_OP_CALLX : HD_OP_CALL, call->nd, call->ns);
	inst->callee = call->callee;
	inst->loc = call->loc;
	unsigned n = indirect;
	hd_opd frame = {0};
	cursor place = first_home();
	for (unsigned i = indirect; i < call->ns; i++) {
		home h = next_home(&place, call->s[i].words);
		if (!h.memory)
			continue;
		if (frame.kind == HD_OPD_NONE)
			frame = callee_frame(a, call->callee, out, call->loc);
		hd_opd value = in_register(a, call->s[i], out, call->loc);
		hd_vec_push(out, local_access(a, HD_OP_STL, frame, h.at, value, call->loc));
	}
	place = first_home();
	for (unsigned i = indirect; i < call->ns; i++) {
		home h = next_home(&place, call->s[i].words);
		if (h.memory)
			continue;
		hd_opd fixed = fixed_register(a, h, call->s[i].words);
		copy_all(a, out, fixed, call->s[i], call->loc);
		inst->s[n++] = fixed;
	}
	inst->ns = (uint8_t)n;
	if (indirect) {
		/* Last, so that it needs a register of its own only for the call itself. */
		inst->s[0] = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
		hd_vec_push(out, copy(a, inst->s[0], call->s[0], call->loc));
	}
	if (a->stack)
		hd_vec_push(out, adjust_stack(a, false, call->loc));
	hd_vec_push(out, inst);
	if (a->stack)
		hd_vec_push(out, adjust_stack(a, true, call->loc));

	n = 0;
	place = first_home();
	for (unsigned i = 0; i < call->nd; i++) {
		unsigned words = call->d[i].words ? call->d[i].words : 1;
		home h = next_home(&place, words);
		if (h.memory)
			continue;
		inst->d[n] = fixed_register(a, h, words);
		if (call->d[i].kind == HD_OPD_REG)
			copy_all(a, out, call->d[i], inst->d[n], call->loc);
		n++;
	}
	inst->nd = (uint8_t)n;
	frame = (hd_opd){0};
	place = first_home();
	for (unsigned i = 0; i < call->nd; i++) {
		home h = next_home(&place, call->d[i].words ? call->d[i].words : 1);
		if (!h.memory || call->d[i].kind != HD_OPD_REG)
			continue;
		if (frame.kind == HD_OPD_NONE)
			frame = callee_frame(a, call->callee, out, call->loc);
		hd_vec_push(out, local_access(a, HD_OP_LDL, frame, h.at, call->d[i], call->loc));
	}
}

/* Frame addresses: of local loads and stores into the offset, others into a register. */
static void lower_frame(hd_allocation *a, hd_ir_inst *inst, uint32_t shift, inst_list *out)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		if (inst->s[i].kind != HD_OPD_FRAME)
			continue;
		inst->s[i].imm += shift;
		bool local = (inst->op == HD_OP_LDL || inst->op == HD_OP_STL) && i == 0;
		int64_t offset = (int64_t)inst->s[i].imm + (local ? inst->offset : 0);
		if (local && offset >= 0 && offset < NEAR_BYTES) {
			/* Stays kind FRAME: hd_finish_frames adds the base. */
			inst->s[i].imm = 0;
			inst->offset = (int32_t)offset;
			continue;
		}
		if (local) {
			inst->s[i].imm = (uint32_t)offset;
			inst->offset = 0;
		}
		hd_opd address = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
		hd_ir_inst *take = hd_ir_inst_new(a->module, a->stack ? HD_OP_IADD : HD_OP_MOVI, 1, a->stack ? 2 : 1);
		take->d[0] = address;
		take->loc = inst->loc;
		if (a->stack) {
			take->s[0] = stack_pointer(a);
			take->s[1] = hd_opd_imm(inst->s[i].imm, 1);
			if (inst->s[i].imm > INT16_MAX) {
				hd_opd large = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
				hd_vec_push(out, copy(a, large, take->s[1], inst->loc));
				take->s[1] = large;
			}
		} else {
			take->s[0] = inst->s[i];
		}
		if (inst->op == HD_OP_MOVI || inst->op == HD_OP_MOV) {
			*inst =
			    (hd_ir_inst){.op = take->op, .nd = 1, .ns = take->ns, .d = inst->d, .s = take->s, .loc = inst->loc, .guard = inst->guard};
			return;
		}
		hd_vec_push(out, take);
		inst->s[i] = address;
	}
}

static void enter(hd_allocation *a, inst_list *out)
{
	hd_ir_function *f = a->f;
	cursor place = first_home();
	if (f->kernel && a->stack)
		hd_vec_push(out, copy(a, stack_pointer(a), hd_opd_imm(0, 1), f->loc));
	for (size_t i = 0; i < f->params.n; i++) {
		unsigned words = f->params.at[i].words;
		home h = next_home(&place, words);
		if (!h.memory)
			copy_all(a, out, f->params.at[i], fixed_register(a, h, words), f->loc);
	}
	place = first_home();
	for (size_t i = 0; i < f->params.n; i++) {
		home h = next_home(&place, f->params.at[i].words);
		if (h.memory)
			hd_vec_push(out, local_access(a, HD_OP_LDL, (hd_opd){.kind = HD_OPD_FRAME, .words = 1}, h.at, f->params.at[i], f->loc));
	}
}

/* Results into `fixed`, or into memory. */
static void leave(hd_allocation *a, const hd_opd *fixed, const hd_bits *made, inst_list *out, hd_ir_loc loc)
{
	hd_ir_function *f = a->f;
	cursor place = first_home();
	for (size_t i = 0; i < f->results.n; i++) {
		home h = next_home(&place, f->results.at[i].words);
		if (h.memory)
			hd_vec_push(out, local_access(a, HD_OP_STL, (hd_opd){.kind = HD_OPD_FRAME, .words = 1}, h.at,
			                              in_register(a, or_zero(made, f->results.at[i]), out, loc), loc));
	}
	for (size_t i = 0; i < f->results.n; i++) {
		if (fixed[i].kind == HD_OPD_REG)
			copy_all(a, out, fixed[i], or_zero(made, f->results.at[i]), loc);
	}
}

void hd_lower_calls(hd_allocation *a)
{
	hd_ir_function *f = a->f;
	while (a->info.n < f->vregs.n)
		hd_vec_push(&a->info, (hd_vreg_info){.fixed = HD_NOT_FIXED});
	hd_bits made = find_made(f);
	/* The same registers for every return. */
	hd_opd *results = hd_xcalloc(f->results.n + 1, sizeof *results);
	cursor in = first_home(), back = first_home();
	for (size_t i = 0; i < f->params.n; i++)
		next_home(&in, f->params.at[i].words);
	for (size_t i = 0; i < f->results.n; i++) {
		home h = next_home(&back, f->results.at[i].words);
		if (!h.memory)
			results[i] = fixed_register(a, h, f->results.at[i].words);
	}
	/* What is passed in memory lies before the function's own variables. */
	uint32_t shift = in.bytes > back.bytes ? in.bytes : back.bytes, align = f->frame_align > 16 ? f->frame_align : 16;
	shift = (shift + align - 1) / align * align;
	f->frame_bytes += shift;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		inst_list out = {0};
		if (b == 0)
			enter(a, &out);
		for (size_t i = 0; i < block->insts.n; i++) {
			hd_ir_inst *inst = block->insts.at[i];
			lower_frame(a, inst, shift, &out);
			if (inst->op == HD_IR_CALLF)
				lower_call(a, inst, &made, &out);
			else
				hd_vec_push(&out, inst);
		}
		if (block->term == HD_TERM_RET)
			leave(a, results, &made, &out, block->loc);
		hd_vec_free(&block->insts);
		block->insts.at = out.at;
		block->insts.n = out.n;
		block->insts.cap = out.cap;
	}
	size_t kept = 0;
	for (size_t i = 0; i < f->results.n; i++) {
		if (results[i].kind == HD_OPD_REG)
			f->results.at[kept++] = results[i];
	}
	f->results.n = kept;
	free(results);
	hd_bits_free(&made);
}

/* Frames begin at multiples of the largest alignment in the module. */
static uint32_t frame_alignment(const hd_ir_module *module)
{
	uint32_t align = 16;
	for (size_t i = 0; i < module->functions.n; i++)
		align = module->functions.at[i]->frame_align > align ? module->functions.at[i]->frame_align : align;
	return align;
}

static uint32_t aligned_frame(const hd_ir_function *f, uint32_t align) { return (f->frame_bytes + align - 1) / align * align; }

static bool moves_stack(const hd_ir_inst *inst) { return (inst->op == HD_OP_IADD || inst->op == HD_OP_ISUB) && inst->s[1].kind == HD_OPD_FRAME; }

/* Stack pointer +- the frame's size: as many instructions as the 16-bit immediate asks for, none for an empty frame. */
static void patch_stack_moves(hd_ir_module *module, hd_ir_block *block, uint32_t size)
{
	enum { STEP = 1 << 14 };
	inst_list out = {0};
	for (size_t k = 0; k < block->insts.n; k++) {
		hd_ir_inst *inst = block->insts.at[k];
		if (!moves_stack(inst)) {
			hd_vec_push(&out, inst);
			continue;
		}
		for (uint32_t rest = size; rest > 0; rest -= rest < STEP ? rest : STEP) {
			hd_ir_inst *step = hd_ir_inst_copy(module, inst);
			step->s[1] = hd_opd_imm(rest < STEP ? rest : STEP, 1);
			hd_vec_push(&out, step);
		}
	}
	hd_vec_free(&block->insts);
	block->insts.at = out.at;
	block->insts.n = out.n;
	block->insts.cap = out.cap;
}

/* Frame operands become constants. A callee's frame begins at its static base, or where the stack pointer plus this frame's size point. */
static bool patch_address(hd_ir_inst *inst, uint32_t base, const uint32_t *bases, uint32_t own_size, bool stack)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		hd_opd *s = &inst->s[i];
		if (s->kind != HD_OPD_FRAME)
			continue;
		if ((inst->op != HD_OP_LDL && inst->op != HD_OP_STL) || i != 0) {
			*s = hd_opd_imm(s->imm + (s->reg < HD_CALLEE_FRAME ? base : stack ? own_size : bases[s->reg - HD_CALLEE_FRAME]), 1);
			continue;
		}
		int64_t offset = (int64_t)inst->offset + (stack ? 0 : base);
		if (offset > INT16_MAX)
			return false;
		*s = hd_opd_reg(stack ? HD_STACK_POINTER : HD_RZ, 1);
		inst->offset = (int32_t)offset;
	}
	return true;
}

static bool patch(hd_ir_module *module, hd_ir_function *f, uint32_t base, const uint32_t *bases, bool stack, hd_diag *diag)
{
	uint32_t size = aligned_frame(f, frame_alignment(module));
	for (size_t b = 0; b < f->blocks.n; b++) {
		if (stack)
			patch_stack_moves(module, f->blocks.at[b], size);
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			if (!patch_address(f->blocks.at[b]->insts.at[k], base, bases, size, stack)) {
				hd_error(diag, (hd_pos){.file = f->name},
				         "the frames of a chain of calls that ends here pass 32 KiB of local memory");
				return false;
			}
		}
	}
	return true;
}

bool hd_finish_frames(hd_ir_module *module, bool stack, hd_diag *diag)
{
	size_t n = module->functions.n;
	bool *recursive, ok = true;
	uint32_t *order = hd_call_order(module, &recursive), *base = hd_xcalloc(n + 1, sizeof *base), align = frame_alignment(module);
	/* Callers before callees: a callee's frame begins where the highest of its callers ends. */
	for (size_t i = n; i-- > 0 && !stack;) {
		const hd_ir_function *f = module->functions.at[order[i]];
		uint32_t end = base[order[i]] + aligned_frame(f, align);
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
				int32_t callee = callee_of(f->blocks.at[b]->insts.at[k]);
				if (callee >= 0)
					base[callee] = end > base[callee] ? end : base[callee];
			}
		}
	}
	for (size_t i = 0; i < n; i++) {
		module->functions.at[i]->frame_base = stack ? UINT32_MAX : base[i];
		ok = ok && patch(module, module->functions.at[i], base[i], base, stack, diag);
	}
	free(order);
	free(recursive);
	free(base);
	return ok;
}

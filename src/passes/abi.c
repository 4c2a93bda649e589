/* Calls and frames (docs/abi.md). */
#include "passes/allocate.h"

static int32_t callee_of(const hd_ir_inst *inst) { return inst->op == HD_IR_CALLF ? inst->callee : -2; }

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
	walker w = {.module = module, .state = hd_xcalloc(n + 1, 1), .recursive = hd_xcalloc(n + 1, sizeof(bool)), .order = hd_xcalloc(n + 1, sizeof(uint32_t))};
	for (uint32_t f = 0; f < n; f++)
		walk(&w, f);
	free(w.state);
	*recursive = w.recursive;
	return w.order;
}

bool hd_module_needs_stack(const hd_ir_module *module)
{
	bool *recursive, needs = false;
	free(hd_call_order(module, &recursive));
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		needs |= recursive[i];
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
				needs |= callee_of(f->blocks.at[b]->insts.at[k]) == -1;
		}
	}
	free(recursive);
	return needs;
}

uint32_t hd_allocation_vreg(hd_allocation *a, unsigned words, uint16_t fixed, bool tiny)
{
	uint32_t v = hd_ir_vreg_new(a->f, words);
	while (a->info.n < a->f->vregs.n)
		hd_vec_push(&a->info, (hd_vreg_info){.fixed = HD_NOT_FIXED});
	a->info.at[v].fixed = fixed;
	a->info.at[v].tiny = tiny || fixed != HD_NOT_FIXED;
	return v;
}

typedef HD_VEC(hd_ir_inst *) inst_list;

static hd_ir_inst *copy(hd_allocation *a, hd_opd to, hd_opd from, hd_ir_loc loc)
{
	bool imm = from.kind == HD_OPD_IMM && from.words == 1;
	hd_ir_inst *inst = hd_ir_inst_new(a->module, imm ? HD_OP_MOVI : to.words == 2 ? HD_OP_MOV64 : HD_OP_MOV, 1, 1);
	inst->d[0] = to;
	inst->s[0] = from;
	inst->loc = loc;
	return inst;
}

/* The register of the next argument or result; false when they run out. */
static bool next_register(uint32_t *next, unsigned words, uint16_t *reg)
{
	uint32_t aligned = (*next + words - 1) / words * words;
	if (aligned + words - 1 > HD_ABI_LAST)
		return false;
	*reg = (uint16_t)aligned;
	*next = aligned + words;
	return true;
}

static bool too_many(hd_allocation *a, hd_ir_loc loc, hd_diag *diag)
{
	const char *file = loc.line && loc.file < a->module->files.n ? a->module->files.at[loc.file] : a->f->name;
	hd_error(diag, (hd_pos){.file = file, .line = loc.line, .column = loc.column}, "a call passes more than %d words of arguments or results",
		 HD_ABI_LAST - HD_ABI_FIRST + 1);
	return false;
}

/* Copies a quad as two pairs. */
static void copy_all(hd_allocation *a, inst_list *out, hd_opd to, hd_opd from, hd_ir_loc loc)
{
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
	uint32_t sp = hd_allocation_vreg(a, 1, HD_STACK_POINTER, true);
	inst->d[0] = inst->s[0] = hd_opd_reg(sp, 1);
	inst->s[1] = (hd_opd){.kind = HD_OPD_FRAME, .words = 1};
	inst->loc = loc;
	return inst;
}

static bool lower_call(hd_allocation *a, hd_ir_inst *call, inst_list *out, hd_diag *diag)
{
	uint32_t next = HD_ABI_FIRST;
	bool indirect = call->callee < 0;
	hd_opd target = {0};
	if (indirect) {
		target = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
		hd_vec_push(out, copy(a, target, call->s[0], call->loc));
	}
	hd_ir_inst *inst = hd_ir_inst_new(a->module, indirect ? HD_OP_CALLX : HD_OP_CALL, call->nd, call->ns + (a->stack ? 1u : 0u));
	inst->callee = call->callee;
	inst->loc = call->loc;
	inst->guard = call->guard;
	unsigned n = 0;
	if (indirect)
		inst->s[n++] = target;
	for (unsigned i = indirect; i < call->ns; i++) {
		uint16_t reg;
		if (!next_register(&next, call->s[i].words, &reg))
			return too_many(a, call->loc, diag);
		hd_opd fixed = hd_opd_reg(hd_allocation_vreg(a, call->s[i].words, reg, true), call->s[i].words);
		copy_all(a, out, fixed, call->s[i], call->loc);
		inst->s[n++] = fixed;
	}
	inst->ns = (uint8_t)n;
	if (a->stack)
		hd_vec_push(out, adjust_stack(a, false, call->loc));
	hd_vec_push(out, inst);
	if (a->stack)
		hd_vec_push(out, adjust_stack(a, true, call->loc));
	next = HD_ABI_FIRST;
	for (unsigned i = 0; i < call->nd; i++) {
		uint16_t reg;
		unsigned words = call->d[i].words ? call->d[i].words : 1;
		if (!next_register(&next, words, &reg))
			return too_many(a, call->loc, diag);
		inst->d[i] = hd_opd_reg(hd_allocation_vreg(a, words, reg, true), words);
		if (call->d[i].kind == HD_OPD_REG)
			copy_all(a, out, call->d[i], inst->d[i], call->loc);
	}
	return true;
}

/* Frame addresses: of local loads and stores into the offset, others into a register. */
static void lower_frame(hd_allocation *a, hd_ir_inst *inst, inst_list *out)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		if (inst->s[i].kind != HD_OPD_FRAME)
			continue;
		bool local = (inst->op == HD_OP_LDL || inst->op == HD_OP_STL) && i == 0;
		int64_t offset = (int64_t)inst->s[i].imm + (local ? inst->offset : 0);
		if (local && offset >= 0 && offset < 8192) {
			/* Stays kind FRAME: hd_finish_frames adds the base. */
			inst->s[i].imm = 0;
			inst->offset = (int32_t)offset;
			continue;
		}
		hd_opd address = hd_opd_reg(hd_allocation_vreg(a, 1, HD_NOT_FIXED, true), 1);
		hd_ir_inst *take = hd_ir_inst_new(a->module, a->stack ? HD_OP_IADD : HD_OP_MOVI, 1, a->stack ? 2 : 1);
		take->d[0] = address;
		take->loc = inst->loc;
		if (a->stack) {
			take->s[0] = hd_opd_reg(hd_allocation_vreg(a, 1, HD_STACK_POINTER, true), 1);
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
			*inst = (hd_ir_inst){.op = take->op, .nd = 1, .ns = take->ns, .d = inst->d, .s = take->s, .loc = inst->loc, .guard = inst->guard};
			return;
		}
		hd_vec_push(out, take);
		inst->s[i] = address;
	}
}

bool hd_lower_calls(hd_allocation *a, hd_diag *diag)
{
	hd_ir_function *f = a->f;
	bool ok = true;
	while (a->info.n < f->vregs.n)
		hd_vec_push(&a->info, (hd_vreg_info){.fixed = HD_NOT_FIXED});
	/* The same registers for every return. */
	HD_VEC(hd_opd) results = {0};
	for (uint32_t i = 0, next = HD_ABI_FIRST; i < f->results.n && ok; i++) {
		uint16_t reg;
		unsigned words = f->results.at[i].words;
		ok = next_register(&next, words, &reg) || too_many(a, f->loc, diag);
		if (ok)
			hd_vec_push(&results, hd_opd_reg(hd_allocation_vreg(a, words, reg, true), words));
	}
	for (size_t b = 0; b < f->blocks.n && ok; b++) {
		hd_ir_block *block = f->blocks.at[b];
		inst_list out = {0};
		if (b == 0) {
			uint32_t next = HD_ABI_FIRST;
			for (size_t i = 0; i < f->params.n && ok; i++) {
				uint16_t reg;
				ok = next_register(&next, f->params.at[i].words, &reg) || too_many(a, f->loc, diag);
				if (ok)
					copy_all(a, &out, f->params.at[i], hd_opd_reg(hd_allocation_vreg(a, f->params.at[i].words, reg, true), f->params.at[i].words), f->loc);
			}
			if (f->kernel && a->stack)
				hd_vec_push(&out, copy(a, hd_opd_reg(hd_allocation_vreg(a, 1, HD_STACK_POINTER, true), 1), hd_opd_imm(0, 1), f->loc));
		}
		for (size_t i = 0; i < block->insts.n && ok; i++) {
			hd_ir_inst *inst = block->insts.at[i];
			lower_frame(a, inst, &out);
			if (inst->op == HD_IR_CALLF)
				ok = lower_call(a, inst, &out, diag);
			else
				hd_vec_push(&out, inst);
		}
		for (size_t i = 0; block->term == HD_TERM_RET && ok && i < f->results.n; i++)
			copy_all(a, &out, results.at[i], f->results.at[i], block->loc);
		hd_vec_free(&block->insts);
		block->insts.at = out.at;
		block->insts.n = out.n;
		block->insts.cap = out.cap;
	}
	for (size_t i = 0; i < results.n; i++)
		f->results.at[i] = results.at[i];
	hd_vec_free(&results);
	return ok;
}

static uint32_t aligned_frame(const hd_ir_function *f) { return (f->frame_bytes + 15) & ~15u; }

static void patch(hd_ir_function *f, uint32_t base, bool stack, hd_diag *diag)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned i = 0; i < inst->ns; i++) {
				hd_opd *s = &inst->s[i];
				if (s->kind != HD_OPD_FRAME)
					continue;
				if ((inst->op == HD_OP_LDL || inst->op == HD_OP_STL) && i == 0) {
					*s = hd_opd_reg(stack ? HD_STACK_POINTER : HD_RZ, 1);
					int64_t offset = (int64_t)inst->offset + (stack ? 0 : base);
					if (offset > INT16_MAX)
						hd_error(diag, (hd_pos){.file = f->name}, "the frames of a chain of calls pass 32 KiB of local memory");
					inst->offset = (int32_t)(offset > INT16_MAX ? 0 : offset);
				} else if (stack) {
					*s = hd_opd_imm(aligned_frame(f), 1);
					if (aligned_frame(f) > INT16_MAX)
						hd_error(diag, (hd_pos){.file = f->name}, "a frame of %u bytes; with a stack at most 32 KiB are possible", f->frame_bytes);
				} else {
					*s = hd_opd_imm(s->imm + base, 1);
				}
			}
		}
	}
}

void hd_finish_frames(hd_ir_module *module, bool stack, hd_diag *diag)
{
	size_t n = module->functions.n;
	bool *recursive;
	uint32_t *order = hd_call_order(module, &recursive), *base = hd_xcalloc(n + 1, sizeof *base);
	/* Callers before callees: a callee's frame begins where the highest of its callers ends. */
	for (size_t i = n; i-- > 0 && !stack;) {
		const hd_ir_function *f = module->functions.at[order[i]];
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
				const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
				if (inst->op != HD_OP_CALL)
					continue;
				uint32_t end = base[order[i]] + aligned_frame(f);
				base[inst->callee] = end > base[inst->callee] ? end : base[inst->callee];
			}
		}
	}
	for (size_t i = 0; i < n; i++) {
		module->functions.at[i]->frame_base = stack ? UINT32_MAX : base[i];
		patch(module->functions.at[i], base[i], stack, diag);
	}
	free(order);
	free(recursive);
	free(base);
}

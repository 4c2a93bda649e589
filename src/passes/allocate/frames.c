#include "passes/allocate/frames.h"

#include "passes/allocate/allocation.h"
#include "passes/analysis/call_graph.h"

enum { MIN_ALIGNMENT = 16 };

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
				int32_t callee = hd_callee(f->blocks.at[b]->insts.at[k]);
				calls |= callee != HD_NO_CALL;
				needs |= callee == HD_INDIRECT_CALL;
			}
		}
	}
	free(recursive);
	/* Loads and stores must reach static frames from address 0. */
	return needs || (calls && frames > HD_FRAME_REACH);
}

/* Frames begin at multiples of the largest alignment in the module. */
static uint32_t frame_alignment(const hd_ir_module *module)
{
	uint32_t align = MIN_ALIGNMENT;
	for (size_t i = 0; i < module->functions.n; i++)
		align = hd_max_u32(align, module->functions.at[i]->frame_align);
	return align;
}

static bool is_stack_adjustment(const hd_ir_inst *inst)
{
	return (inst->op == HD_OP_IADD || inst->op == HD_OP_ISUB) && inst->s[1].kind == HD_OPD_FRAME;
}

/* Stack pointer +- `size`: in as many steps as the 16-bit immediate takes; none for an empty frame. */
static void finish_stack_adjustments(hd_ir_module *module, hd_ir_block *block, uint32_t size)
{
	enum { STEP = 1 << 14 };
	hd_ir_insts out = {0};
	for (size_t k = 0; k < block->insts.n; k++) {
		hd_ir_inst *inst = block->insts.at[k];
		if (!is_stack_adjustment(inst)) {
			hd_vec_push(&out, inst);
			continue;
		}
		for (uint32_t rest = size; rest > 0; rest -= hd_min_u32(rest, STEP)) {
			hd_ir_inst *step = hd_ir_inst_copy(module, inst);
			step->s[1] = hd_opd_imm(hd_min_u32(rest, STEP), 1);
			hd_vec_push(&out, step);
		}
	}
	hd_ir_replace_insts(block, &out);
}

enum { HD_CHAIN_MAX = 16 /* functions of a message */ };

typedef struct finisher {
	const uint32_t *bases; /* static addresses, by function */
	bool stack;
	uint32_t base, size; /* of the current function's frame */
	uint32_t align;
} finisher;

/* A callee's frame begins at its static base, or where the stack pointer plus this frame's size point. False: an offset is too large. */
static bool finish_address(const finisher *x, hd_ir_inst *inst)
{
	for (unsigned i = 0; i < inst->ns; i++) {
		hd_opd *s = &inst->s[i];
		if (s->kind != HD_OPD_FRAME)
			continue;
		if ((inst->op != HD_OP_LDL && inst->op != HD_OP_STL) || i != 0) {
			uint32_t begin = s->reg < HD_CALLEE_FRAME ? x->base : x->stack ? x->size : x->bases[s->reg - HD_CALLEE_FRAME];
			*s = hd_opd_imm(s->imm + begin, 1);
			continue;
		}
		int64_t offset = (int64_t)inst->offset + (x->stack ? 0 : x->base);
		if (offset > INT16_MAX)
			return false;
		*s = hd_opd_reg(x->stack ? HD_STACK_POINTER : HD_RZ, 1);
		inst->offset = (int32_t)offset;
	}
	return true;
}

/* The function whose frame ends where that of `callee` begins; `callee` itself when there is none. */
static uint32_t caller_above(const finisher *x, const hd_ir_module *module, uint32_t callee)
{
	for (uint32_t i = 0; i < module->functions.n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		if (x->bases[i] + hd_round_up_u32(f->frame_bytes, x->align) != x->bases[callee])
			continue;
		for (size_t b = 0; b < f->blocks.n; b++)
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
				if (hd_callee(f->blocks.at[b]->insts.at[k]) == (int32_t)callee)
					return i;
	}
	return callee;
}

static void stack_too_deep(const finisher *x, const hd_ir_module *module, const hd_ir_function *f, hd_diag *diag)
{
	hd_text chain = {0};
	uint32_t at = 0, path[HD_CHAIN_MAX], n = 0;
	while (module->functions.at[at] != f)
		at++;
	path[n++] = at;
	for (uint32_t above; n < HD_CHAIN_MAX && !x->stack && (above = caller_above(x, module, at)) != at; at = above)
		path[n++] = above;
	while (n-- > 0)
		hd_text_printf(&chain, "%s%s", chain.n ? " -> " : "", hd_ir_function_name(module->functions.at[path[n]]));
	hd_error(diag, (hd_pos){.file = hd_ir_function_name(f)},
	         "the stack of a thread is %u bytes deep, expected at most 32768: the frames of %s; smaller arrays, or arrays in global memory, help",
	         x->base + x->size, chain.at);
	hd_text_free(&chain);
}

static bool finish_function(const finisher *x, hd_ir_module *module, hd_ir_function *f, hd_diag *diag)
{
	for (size_t b = 0; b < f->blocks.n; b++) {
		if (x->stack)
			finish_stack_adjustments(module, f->blocks.at[b], x->size);
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			if (!finish_address(x, f->blocks.at[b]->insts.at[k])) {
				stack_too_deep(x, module, f, diag);
				return false;
			}
		}
	}
	return true;
}

/* By function: where its frame begins, which is where the highest frame of its callers ends. The caller frees it. */
static uint32_t *static_bases(const hd_ir_module *module, uint32_t align)
{
	size_t n = module->functions.n;
	bool *recursive;
	uint32_t *order = hd_call_order(module, &recursive), *base = hd_xcalloc(n + 1, sizeof *base);
	for (size_t i = n; i-- > 0;) { /* callers before callees */
		const hd_ir_function *f = module->functions.at[order[i]];
		uint32_t end = base[order[i]] + hd_round_up_u32(f->frame_bytes, align);
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
				int32_t callee = hd_callee(f->blocks.at[b]->insts.at[k]);
				if (callee >= 0)
					base[callee] = hd_max_u32(base[callee], end);
			}
		}
	}
	free(order);
	free(recursive);
	return base;
}

bool hd_finish_frames(hd_ir_module *module, bool stack, hd_diag *diag)
{
	bool ok = true;
	uint32_t align = frame_alignment(module), *bases = stack ? NULL : static_bases(module, align);
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		finisher x = {
		    .bases = bases, .stack = stack, .base = stack ? 0 : bases[i], .size = hd_round_up_u32(f->frame_bytes, align), .align = align};
		f->frame_base = stack ? UINT32_MAX : bases[i];
		ok = ok && finish_function(&x, module, f, diag);
	}
	free(bases);
	return ok;
}

/* Runs IR of one thread, before and after allocation and branch materialisation, so that tests can compare what a program does before and after a
 * pass. What it does is the list of values that it stores to global memory. */
#ifndef TEST_IR_RUN_H
#define TEST_IR_RUN_H

#include "ir/ir.h"

enum { RUN_LOCAL = 1 << 19, RUN_FUNC = 1000, RUN_STEPS = 8000000 };

typedef struct ir_run {
	const hd_ir_module *module;
	uint8_t *local;
	uint32_t regs[256]; /* allocated functions share one register file */
	bool preds[8];
	uint32_t frame_top; /* functions that are not allocated take their frames from here */
	HD_VEC(uint32_t) trace;
	uint64_t steps;
	bool failed;
} ir_run;

typedef struct activation {
	ir_run *r;
	const hd_ir_function *f;
	uint32_t (*v)[4];
	uint32_t frame;
} activation;

static uint32_t run_hash(uint32_t x)
{
	uint64_t state = x;
	return (uint32_t)hd_random(&state);
}

static uint32_t *run_place(const activation *a, const hd_opd *o, unsigned word)
{
	return a->f->allocated ? &a->r->regs[o->reg + o->sub + word] : &a->v[o->reg][o->sub + word];
}

static void run_read(const activation *a, const hd_opd *o, uint32_t out[4])
{
	memset(out, 0, 4 * sizeof *out);
	for (unsigned w = 0; w < o->words; w++) {
		switch (o->kind) {
		case HD_OPD_REG:
			out[w] = a->f->allocated && o->reg == HD_RZ ? 0 : *run_place(a, o, w);
			break;
		case HD_OPD_IMM:
			out[w] = (uint32_t)(o->imm >> 32 * (w & 1));
			break;
		case HD_OPD_CONST:
			out[w] = run_hash((uint32_t)o->imm + 4 * w);
			break;
		case HD_OPD_FRAME:
			out[w] = a->frame + (uint32_t)o->imm;
			break;
		case HD_OPD_FUNC:
			out[w] = RUN_FUNC + (uint32_t)o->imm;
			break;
		default:
			break;
		}
	}
}

static bool run_predicate(const activation *a, const hd_opd *o)
{
	if (o->kind != HD_OPD_PRED)
		return true;
	bool value = a->f->allocated ? o->reg == HD_PT || a->r->preds[o->reg] : a->v[o->reg][0];
	return value != o->neg;
}

static void run_write(const activation *a, const hd_opd *o, const uint32_t value[4])
{
	if (o->kind == HD_OPD_PRED) {
		if (!a->f->allocated)
			a->v[o->reg][0] = value[0];
		else if (o->reg != HD_PT)
			a->r->preds[o->reg] = value[0];
	}
	for (unsigned w = 0; o->kind == HD_OPD_REG && w < o->words; w++) {
		if (!a->f->allocated || o->reg != HD_RZ)
			*run_place(a, o, w) = value[w];
	}
}

static void run_function(ir_run *r, uint32_t number, const hd_ir_inst *call, const activation *caller);

static uint64_t run_wide(const uint32_t x[4]) { return x[0] | (uint64_t)x[1] << 32; }

static void run_inst(const activation *a, const hd_ir_inst *inst)
{
	ir_run *r = a->r;
	uint32_t x[4] = {0}, y[4] = {0}, d[4] = {0}, carry[4] = {0};
	if (inst->op == HD_IR_CALLF || inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX) {
		uint32_t callee = (uint32_t)inst->callee;
		if (inst->callee < 0 || inst->op == HD_OP_CALLX) {
			run_read(a, &inst->s[0], x);
			callee = x[0] - RUN_FUNC;
		}
		if (callee >= r->module->functions.n)
			r->failed = true;
		else
			run_function(r, callee, inst, a);
		return;
	}
	if (!run_predicate(a, &inst->guard))
		return;
	if (inst->ns > 0 && inst->op != HD_OP_PLOP)
		run_read(a, &inst->s[0], x);
	if (inst->ns > 1 && inst->op != HD_OP_PLOP)
		run_read(a, &inst->s[1], y);
	uint64_t wide = 0;
	bool is_wide = false;
	uint32_t at = x[0] + (uint32_t)inst->offset, bytes = hd_size_bytes(inst->sub);
	switch (inst->op) {
	case HD_OP_MOVI:
	case HD_OP_MOV:
		d[0] = x[0];
		break;
	case HD_OP_MOV64:
		wide = run_wide(x);
		is_wide = true;
		break;
	case HD_OP_IADD:
		d[0] = x[0] + y[0];
		break;
	case HD_OP_ISUB:
		d[0] = x[0] - y[0];
		break;
	case HD_OP_AND:
		d[0] = x[0] & y[0];
		break;
	case HD_OP_XOR:
		d[0] = x[0] ^ y[0];
		break;
	case HD_OP_IADD64:
		wide = run_wide(x) + run_wide(y);
		is_wide = true;
		break;
	case HD_OP_XOR64:
		wide = run_wide(x) ^ run_wide(y);
		is_wide = true;
		break;
	case HD_OP_IMULWU:
		wide = (uint64_t)x[0] * y[0];
		is_wide = true;
		break;
	case HD_OP_SEL:
		d[0] = run_predicate(a, &inst->s[2]) ? x[0] : y[0];
		break;
	case HD_OP_IADDC:
		wide = (uint64_t)x[0] + y[0] + (inst->s[2].kind == HD_OPD_PRED && run_predicate(a, &inst->s[2]));
		d[0] = (uint32_t)wide;
		carry[0] = (uint32_t)(wide >> 32);
		run_write(a, &inst->d[1], carry);
		break;
	case HD_OP_PLOP: {
		unsigned index = run_predicate(a, &inst->s[0]) << 2 | run_predicate(a, &inst->s[1]) << 1 | run_predicate(a, &inst->s[2]);
		d[0] = inst->sub >> index & 1;
		break;
	}
	case HD_OP_ISETP:
		d[0] = inst->sub == HD_CMP_NE ? x[0] != y[0] : inst->sub == HD_CMP_EQ ? x[0] == y[0] : x[0] < y[0]; /* else LO */
		break;
	case HD_OP_LDL:
	case HD_OP_STL:
		if (at % bytes || at > RUN_LOCAL - 16) {
			r->failed = true;
			return;
		}
		if (inst->op == HD_OP_LDL)
			memcpy(d, r->local + at, bytes);
		else
			memcpy(r->local + at, y, bytes);
		break;
	case HD_OP_LDG:
		for (unsigned w = 0; w < 4; w++)
			d[w] = run_hash(at + w);
		break;
	case HD_OP_STG:
		for (unsigned w = 0; w < bytes / 4; w++)
			hd_vec_push(&r->trace, y[w]);
		break;
	default:
		r->failed = true;
	}
	if (is_wide) {
		d[0] = (uint32_t)wide;
		d[1] = (uint32_t)(wide >> 32);
	}
	if (inst->nd)
		run_write(a, &inst->d[0], d);
}

/* The next block, UINT32_MAX at the end. */
static uint32_t run_block(const activation *a, uint32_t number)
{
	const hd_ir_block *block = a->f->blocks.at[number];
	uint32_t index[4];
	for (size_t k = 0; k < block->insts.n && !a->r->failed; k++) {
		const hd_ir_inst *inst = block->insts.at[k];
		if (++a->r->steps > RUN_STEPS)
			a->r->failed = true;
		if (a->f->laid_out && inst->op == HD_OP_BRA) {
			if (run_predicate(a, &inst->guard))
				return (uint32_t)inst->callee;
		} else if (a->f->laid_out && (inst->op == HD_OP_RET || inst->op == HD_OP_EXIT)) {
			if (run_predicate(a, &inst->guard))
				return UINT32_MAX;
		} else {
			run_inst(a, inst);
		}
	}
	if (a->f->laid_out)
		return number + 1;
	switch (block->term) {
	case HD_TERM_JUMP:
		return block->succ.at[0];
	case HD_TERM_BRANCH:
		return block->succ.at[run_predicate(a, &block->pred) ? 0 : 1];
	case HD_TERM_SWITCH:
		run_read(a, &block->index, index);
		return block->succ.at[index[0]];
	default:
		return UINT32_MAX;
	}
}

static void run_function(ir_run *r, uint32_t number, const hd_ir_inst *call, const activation *caller)
{
	const hd_ir_function *f = r->module->functions.at[number];
	activation a = {.r = r, .f = f, .frame = r->frame_top};
	uint32_t value[4], first = call && call->callee < 0;
	if (!f->allocated) {
		a.v = hd_xcalloc(f->vregs.n + 1, sizeof *a.v);
		for (size_t i = 0; i < f->params.n; i++) {
			run_read(caller, &call->s[i + first], value);
			run_write(&a, &f->params.at[i], value);
		}
		r->frame_top += (f->frame_bytes + 127) & ~127u;
	}
	for (uint32_t b = 0; b != UINT32_MAX && !r->failed;) {
		if (++r->steps > RUN_STEPS || b >= f->blocks.n)
			r->failed = true;
		else
			b = run_block(&a, b);
	}
	if (!f->allocated) {
		for (size_t i = 0; call && i < call->nd && i < f->results.n; i++) {
			run_read(&a, &f->results.at[i], value);
			run_write(caller, &call->d[i], value);
		}
		r->frame_top = a.frame;
		free(a.v);
	}
}

/* Runs function 0. False if it went wrong. The caller frees with run_free. */
static bool run_module(ir_run *r, const hd_ir_module *module)
{
	*r = (ir_run){.module = module, .local = hd_xcalloc(1, RUN_LOCAL)};
	/* Registers hold anything at the start. */
	for (unsigned i = 0; i < 256; i++)
		r->regs[i] = 0xdead0000u + i;
	run_function(r, 0, NULL, NULL);
	return !r->failed;
}

static void run_free(ir_run *r)
{
	free(r->local);
	hd_vec_free(&r->trace);
}

#endif

#include "passes/lower/expand.h"

#include "passes/lower/expand_float.h"
#include "passes/lower/expand_integer.h"
#include "passes/lower/expander.h"

/* DP2, DP3: one chain. DP4: the two chains of LU-1, `R0=X0*X1; R1=Y0*Y1; R2=Z0*Z1+R0; R3=W0*W1+R1; R4=R2+R3`. */
static hd_opd sum_of_products(hd_expander *x, const hd_opd *a, const hd_opd *b, unsigned n)
{
	const hd_opd none = {0};
	unsigned chains = n == 4 ? 2 : 1;
	hd_opd sum[2] = {{0}, {0}};
	for (unsigned i = 0; i < n; i++) {
		hd_opd *into = &sum[i % chains];
		*into = hd_expand_op(x, into->kind == HD_OPD_NONE ? HD_OP_FMUL : HD_OP_FFMA, a[i], b[i], *into);
		hd_expand_rounded(x);
	}
	if (chains == 1)
		return sum[0];
	hd_opd all = hd_expand_op(x, HD_OP_FADD, sum[0], sum[1], none);
	hd_expand_rounded(x);
	return all;
}

static void dot_product(hd_expander *x, unsigned n)
{
	sum_of_products(x, x->inst->s, x->inst->s + n, n);
	hd_expand_result(x, 0);
}

static void normalise(hd_expander *x, unsigned n)
{
	const hd_opd *v = x->inst->s, none = {0}, zero = hd_opd_imm(0, 1);
	hd_opd square = sum_of_products(x, v, v, n), scaled[4];
	hd_opd root = hd_expand_op(x, HD_OP_FRSQ, square, none, none);
	hd_opd empty = hd_expand_sub(x, HD_OP_FSETP, HD_CMP_EQ, 0, square, zero);
	root = hd_expand_select(x, empty, zero, root);
	for (unsigned i = 0; i < n; i++)
		scaled[i] = hd_expand_op(x, HD_OP_FMUL, v[i], root, none);
	for (unsigned i = 0; i < n; i++) { /* behind the last read of v: a destination may be a source */
		if (x->inst->d[i].kind == HD_OPD_NONE)
			continue;
		hd_expand_op(x, HD_OP_MOV, scaled[i], none, none);
		hd_expand_result(x, i);
	}
}

static void expand(hd_expander *x)
{
	switch (x->inst->op) {
	case HD_IR_DP2:
		dot_product(x, 2);
		return;
	case HD_IR_DP3:
		dot_product(x, 3);
		return;
	case HD_IR_DP4:
		dot_product(x, 4);
		return;
	case HD_IR_NORM2:
		normalise(x, 2);
		return;
	case HD_IR_NORM3:
		normalise(x, 3);
		return;
	case HD_IR_NORM4:
		normalise(x, 4);
		return;
	case HD_IR_FDIV:
	case HD_IR_FRCPR:
	case HD_IR_DDIV:
	case HD_IR_DRCP:
		hd_expand_float_division(x);
		return;
	case HD_IR_FSQRT:
	case HD_IR_DSQRT:
		hd_expand_square_root(x);
		return;
	case HD_IR_UDIV:
	case HD_IR_SDIV:
	case HD_IR_UREM:
	case HD_IR_SREM:
	case HD_IR_UDIV64:
	case HD_IR_SDIV64:
	case HD_IR_UREM64:
	case HD_IR_SREM64:
		hd_expand_integer_division(x);
		return;
	default:
		hd_vec_push(&x->out, (hd_ir_inst *)x->inst);
	}
}

/* A pseudo operation without effects without destinations. */
static bool is_unwanted(const hd_ir_inst *inst)
{
	if (inst->op < HD_OP_COUNT || inst->op == HD_IR_CALLF)
		return false;
	for (unsigned i = 0; i < inst->nd; i++)
		if (inst->d[i].kind != HD_OPD_NONE)
			return false;
	return true;
}

/* compile.races: the interpreter tells the race detector of votes whose result nobody wants (interp/order.c). */
static void keep_for_races(hd_expander *x)
{
	bool events = x->inst->op == HD_IR_EVENTS;
	hd_ir_inst *vote = hd_ir_inst_new(x->module, events ? HD_OP_VOTE : HD_OP_BALLOT, 1, 2);
	vote->mod = events ? HD_VOTE_UNI : 0;
	vote->loc = x->inst->loc;
	vote->s[0] = x->inst->s[0];
	hd_vec_push(&x->out, vote);
}

bool hd_pass_expand(hd_ir_module *module, const hd_pass_context *context)
{
	for (size_t f = 0; f < module->functions.n; f++) {
		hd_expander x = {.module = module, .function = module->functions.at[f]};
		for (size_t b = 0; b < x.function->blocks.n; b++) {
			hd_ir_block *block = x.function->blocks.at[b];
			for (size_t i = 0; i < block->insts.n; i++) {
				x.inst = block->insts.at[i];
				if (x.inst->op < HD_OP_COUNT)
					hd_vec_push(&x.out, block->insts.at[i]);
				else if (context->machine->compile_races && (x.inst->op == HD_IR_MEMBERS || x.inst->op == HD_IR_EVENTS))
					keep_for_races(&x);
				else if (!is_unwanted(x.inst))
					expand(&x);
			}
			hd_ir_replace_insts(block, &x.out);
		}
	}
	return true;
}

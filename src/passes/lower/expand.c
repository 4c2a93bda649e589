/* Pseudo operations become sub-instructions with one operation each (LU-1). A sub-instruction never writes what a later one still reads: only the
 * last one, or the last ones, write the destinations. */
#include "passes/lower/expand.h"

static unsigned result_words(unsigned op)
{
	switch (hd_ops[op].d) {
	case HD_W_P:
		return 0;
	case HD_W_D:
		return 2;
	default:
		return 1;
	}
}

hd_opd hd_expand_op(hd_expander *x, unsigned op, hd_opd a, hd_opd b, hd_opd c)
{
	unsigned ns = a.kind == HD_OPD_NONE ? 0 : b.kind == HD_OPD_NONE ? 1 : c.kind == HD_OPD_NONE ? 2 : 3, words = result_words(op);
	hd_ir_inst *inst = hd_ir_inst_new(x->module, op, 1, ns);
	const hd_opd sources[3] = {a, b, c};
	uint32_t v = hd_ir_vreg_new(x->function, words);
	inst->d[0] = words ? hd_opd_reg(v, words) : hd_opd_pred(v, false);
	for (unsigned i = 0; i < ns; i++)
		inst->s[i] = sources[i];
	inst->loc = x->inst->loc;
	hd_vec_push(&x->out, inst);
	return inst->d[0];
}

static hd_ir_inst *latest(hd_expander *x) { return x->out.at[x->out.n - 1]; }

hd_opd hd_expand_sub(hd_expander *x, unsigned op, unsigned sub, unsigned mod, hd_opd a, hd_opd b)
{
	hd_opd d = hd_expand_op(x, op, a, b, (hd_opd){0});
	latest(x)->sub = (uint8_t)sub;
	latest(x)->mod = (uint8_t)mod;
	return d;
}

hd_opd hd_expand_select(hd_expander *x, hd_opd p, hd_opd a, hd_opd b) { return hd_expand_op(x, a.words == 2 ? HD_OP_SEL64 : HD_OP_SEL, a, b, p); }

void hd_expand_last(hd_expander *x, unsigned d)
{
	latest(x)->d[0] = x->inst->d[d];
	latest(x)->guard = x->inst->guard;
}

/* DP2, DP3: one chain. DP4: the two chains of LU-1, `R0=X0*X1; R1=Y0*Y1; R2=Z0*Z1+R0; R3=W0*W1+R1; R4=R2+R3`. */
static void dot_product(hd_expander *x, unsigned n)
{
	const hd_opd *a = x->inst->s, *b = a + n, none = {0};
	unsigned chains = n == 4 ? 2 : 1;
	hd_opd sum[2] = {{0}, {0}};
	for (unsigned i = 0; i < n; i++) {
		hd_opd *into = &sum[i % chains];
		*into = hd_expand_op(x, into->kind == HD_OPD_NONE ? HD_OP_FMUL : HD_OP_FFMA, a[i], b[i], *into);
		latest(x)->mod = x->inst->mod;
	}
	if (chains == 2) {
		hd_expand_op(x, HD_OP_FADD, sum[0], sum[1], none);
		latest(x)->mod = x->inst->mod;
	}
	hd_expand_last(x, 0);
}

static void normalise(hd_expander *x)
{
	const hd_opd *v = x->inst->s, none = {0}, zero = hd_opd_imm(0, 1);
	hd_opd square = hd_expand_op(x, HD_OP_FMUL, v[0], v[0], none), scaled[3];
	square = hd_expand_op(x, HD_OP_FFMA, v[1], v[1], square);
	square = hd_expand_op(x, HD_OP_FFMA, v[2], v[2], square);
	hd_opd root = hd_expand_op(x, HD_OP_FRSQ, square, none, none);
	hd_opd empty = hd_expand_sub(x, HD_OP_FSETP, HD_CMP_EQ, 0, square, zero);
	root = hd_expand_select(x, empty, zero, root);
	for (unsigned i = 0; i < 3; i++)
		scaled[i] = hd_expand_op(x, HD_OP_FMUL, v[i], root, none);
	for (unsigned i = 0; i < 3; i++) { /* only now: a destination may be a source */
		if (x->inst->d[i].kind == HD_OPD_NONE)
			continue;
		hd_expand_op(x, HD_OP_MOV, scaled[i], none, none);
		hd_expand_last(x, i);
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
	case HD_IR_NORM3:
		normalise(x);
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
	default: /* CALLF and FADDR stay, for the allocator and the emitter */
		hd_vec_push(&x->out, (hd_ir_inst *)x->inst);
	}
}

static bool unwanted(const hd_ir_inst *inst)
{
	if (inst->op < HD_OP_COUNT || inst->op == HD_IR_CALLF)
		return false;
	for (unsigned i = 0; i < inst->nd; i++)
		if (inst->d[i].kind != HD_OPD_NONE)
			return false;
	return true;
}

bool hd_pass_expand(hd_ir_module *module, hd_diag *diag)
{
	(void)diag;
	for (size_t f = 0; f < module->functions.n; f++) {
		hd_expander x = {.module = module, .function = module->functions.at[f]};
		for (size_t b = 0; b < x.function->blocks.n; b++) {
			hd_ir_block *block = x.function->blocks.at[b];
			x.out.n = 0;
			for (size_t i = 0; i < block->insts.n; i++) {
				x.inst = block->insts.at[i];
				if (x.inst->op < HD_OP_COUNT)
					hd_vec_push(&x.out, block->insts.at[i]);
				else if (!unwanted(x.inst))
					expand(&x);
			}
			block->insts.n = 0;
			for (size_t i = 0; i < x.out.n; i++)
				hd_vec_push(&block->insts, x.out.at[i]);
		}
		hd_vec_free(&x.out);
	}
	return true;
}

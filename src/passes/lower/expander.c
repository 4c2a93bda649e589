#include "passes/lower/expander.h"

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

void hd_expand_rounded(hd_expander *x) { latest(x)->mod = x->inst->mod; }

void hd_expand_result(hd_expander *x, unsigned d)
{
	latest(x)->d[0] = x->inst->d[d];
	latest(x)->guard = x->inst->guard;
}

#include "passes/simplify/simplifier.h"

void hd_make_copy(hd_simplifier *s, hd_ir_inst *inst, hd_opd from)
{
	if (inst->ns == 0)
		inst->s = hd_arena_alloc(&s->module->arena, sizeof *inst->s);
	inst->op = inst->d[0].words == 2 ? HD_OP_MOV64 : HD_OP_MOV;
	inst->mod = inst->sub = 0;
	inst->ns = 1;
	inst->s[0] = from;
	inst->s[0].last_use = false;
	s->changed = true;
}

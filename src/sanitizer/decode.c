/* Decodes the program: the registers that each instruction reads and writes, and its access to memory. */
#include "sanitizer/state.h"

/* The number of bytes that one lane accesses. */
static unsigned access_bytes(const hd_inst *inst)
{
	switch ((hd_format)hd_ops[inst->op].format) {
	case HD_F_ATOM:
		return 4 * hd_operand_words(inst, 1);
	case HD_F_CAS:
		return inst->mod == 2 ? 2 : 4 * hd_operand_words(inst, 1);
	default:
		return hd_size_bytes(inst->sub);
	}
}

static unsigned put_uses(const hd_sanitizer *s, const hd_use *from, unsigned n, hd_san_use *to)
{
	for (unsigned i = 0; i < n; i++) {
		to[i] = (hd_san_use){.first = from[i].reg, .words = from[i].words, .guard = from[i].operand == 3};
		if (from[i].words)
			continue;
		to[i].first = (uint16_t)(s->registers + from[i].reg);
		to[i].words = 1;
	}
	return n;
}

/* One more than the highest register that the program names, at least 1. */
static uint32_t registers_of(const hd_program *program)
{
	uint32_t most = 1;
	for (uint32_t pc = 0; pc < program->n_slots; pc++) {
		hd_use uses[2 * HD_MAX_USES];
		if (program->slots[pc].is_ss)
			continue;
		unsigned n = hd_inst_reads(&program->slots[pc].inst, uses);
		n += hd_inst_writes(&program->slots[pc].inst, uses + n);
		for (unsigned i = 0; i < n; i++)
			if ((uint32_t)uses[i].reg + uses[i].words > most && uses[i].words)
				most = (uint32_t)uses[i].reg + uses[i].words;
	}
	return most;
}

void hd_san_decode(hd_sanitizer *s)
{
	const hd_program *program = s->program;
	s->registers = registers_of(program);
	s->resources = s->registers + HD_PREDS;
	s->insts = hd_xcalloc((size_t)program->n_slots + 1, sizeof *s->insts);
	for (uint32_t pc = 0; pc < program->n_slots; pc++) {
		const hd_inst *inst = &program->slots[pc].inst;
		hd_san_inst *to = &s->insts[pc];
		const hd_op_info *info = &hd_ops[inst->op];
		hd_use uses[HD_MAX_USES];
		if (program->slots[pc].is_ss)
			continue;
		to->n_reads = (uint8_t)put_uses(s, uses, hd_inst_reads(inst, uses), to->reads);
		to->n_writes = (uint8_t)put_uses(s, uses, hd_inst_writes(inst, uses), to->writes);
		to->guarded = inst->guard != HD_PT;
		to->flow = program->slots[pc].pipe == HD_PIPE_FLOW;
		to->nop = program->slots[pc].pipe == HD_PIPE_NONE;
		to->fence = info->flags & HD_OPF_FENCE;
		if (!hd_op_accesses_common(info))
			continue;
		to->bytes = (uint8_t)access_bytes(inst);
		to->stores = info->flags & HD_OPF_STORE;
	}
}

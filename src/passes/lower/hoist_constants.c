#include "passes/lower/hoist_constants.h"

#include "passes/simplify/values.h"

enum { MAX_WORDS = 16 };

static bool sets_constant(const hd_ir_inst *inst)
{
	return inst->op == HD_OP_MOVI && inst->guard.kind == HD_OPD_NONE && inst->ns == 1 && inst->s[0].kind == HD_OPD_IMM;
}

/* By virtual register: all its definitions are constants, one for each word. The caller frees it. */
static bool *find_constants(const hd_ir_function *f)
{
	bool *constant = hd_xcalloc(f->vregs.n + 1, sizeof *constant);
	uint8_t *words = hd_xcalloc(f->vregs.n + 1, 1); /* defined so far */
	memset(constant, 1, f->vregs.n);
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned d = 0; d < inst->nd; d++) {
				if (!hd_opd_is_register(&inst->d[d]))
					continue;
				uint32_t v = inst->d[d].reg;
				words[v] = (uint8_t)(words[v] + inst->d[d].words);
				constant[v] = constant[v] && sets_constant(inst) && words[v] <= f->vregs.at[v].words;
			}
		}
	}
	for (size_t i = 0; i < f->params.n; i++) {
		if (hd_opd_is_register(&f->params.at[i]))
			constant[f->params.at[i].reg] = false;
	}
	free(words);
	return constant;
}

/* Marks the constants that memory instructions in loops read, up to MAX_WORDS. False: there are none. */
static bool mark_hoisted(const hd_ir_function *f, const bool *constant, bool *hoisted)
{
	uint32_t words = 0;
	for (size_t b = 0; b < f->blocks.n; b++) {
		const hd_ir_block *block = f->blocks.at[b];
		for (size_t k = 0; k < block->insts.n && block->loop_depth; k++) {
			const hd_ir_inst *inst = block->insts.at[k];
			if (inst->op >= HD_OP_COUNT || !(hd_ops[inst->op].flags & HD_OPF_MEM))
				continue;
			for (unsigned i = 0; i < inst->ns; i++) {
				uint32_t v = inst->s[i].reg;
				if (inst->s[i].kind != HD_OPD_REG || !constant[v] || hoisted[v] || words + f->vregs.at[v].words > MAX_WORDS)
					continue;
				words += f->vregs.at[v].words;
				hoisted[v] = true;
			}
		}
	}
	return words > 0;
}

/* The nearest of the blocks in the fewest loops that dominate `block`. */
static uint32_t target_of(const hd_values *values, uint32_t block)
{
	uint32_t best = block;
	for (uint32_t b = block; b != values->dominator[b]; b = values->dominator[b]) {
		uint32_t above = values->dominator[b];
		if (values->function->blocks.at[above]->loop_depth < values->function->blocks.at[best]->loop_depth)
			best = above;
	}
	return best;
}

static void hoist(hd_ir_function *function, const bool *hoisted)
{
	hd_values values = hd_values_new(function);
	/* From the last block to the first, so that what arrives in a block is not looked at again. */
	for (uint32_t i = values.reachable; i-- > 0;) {
		hd_ir_block *block = function->blocks.at[values.order[i]];
		uint32_t target = target_of(&values, values.order[i]);
		size_t kept = 0;
		for (size_t k = 0; k < block->insts.n; k++) {
			hd_ir_inst *inst = block->insts.at[k];
			if (target != values.order[i] && inst->op == HD_OP_MOVI && hoisted[inst->d[0].reg])
				hd_vec_push(&function->blocks.at[target]->insts, inst);
			else
				block->insts.at[kept++] = inst;
		}
		block->insts.n = kept;
	}
	hd_values_free(&values);
}

void hd_hoist_constants(hd_ir_function *function)
{
	hd_ir_link(function);
	hd_ir_loops(function);
	bool *constant = find_constants(function), *hoisted = hd_xcalloc(function->vregs.n + 1, sizeof *hoisted);
	if (mark_hoisted(function, constant, hoisted))
		hoist(function, hoisted);
	free(constant);
	free(hoisted);
}

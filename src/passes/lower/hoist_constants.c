/* Constants that legalisation put into a register for an access to memory, in a loop: before the loop. The access may keep that register in use for
 * long (HZ-4: its one counter may be released by the write alone), and the loop would wait to write the same constant again. */
#include "passes/lower/legalise.h"
#include "passes/simplify/simplify.h"

enum { MOST_WORDS = 16 /* of a function: they take registers in all of the loop */ };

/* Every definition is a constant, and there is one a word. */
static bool *constants(const hd_ir_function *f)
{
	bool *constant = hd_xcalloc(f->vregs.n + 1, sizeof *constant);
	uint8_t *words = hd_xcalloc(f->vregs.n + 1, 1);
	memset(constant, 1, f->vregs.n);
	for (size_t b = 0; b < f->blocks.n; b++) {
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
			const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
			for (unsigned d = 0; d < inst->nd; d++) {
				if (inst->d[d].kind != HD_OPD_REG && inst->d[d].kind != HD_OPD_PRED)
					continue;
				uint32_t v = inst->d[d].reg;
				bool here =
				    inst->op == HD_OP_MOVI && inst->guard.kind == HD_OPD_NONE && inst->ns == 1 && inst->s[0].kind == HD_OPD_IMM;
				words[v] = (uint8_t)(words[v] + inst->d[d].words);
				constant[v] = constant[v] && here && words[v] <= f->vregs.at[v].words;
			}
		}
	}
	for (size_t i = 0; i < f->params.n; i++) {
		if (f->params.at[i].kind == HD_OPD_REG || f->params.at[i].kind == HD_OPD_PRED)
			constant[f->params.at[i].reg] = false;
	}
	free(words);
	return constant;
}

/* The outermost block that comes before `block` in any case. */
static uint32_t outside(const hd_simplifier *s, uint32_t block)
{
	uint32_t best = block;
	for (uint32_t b = block; b != s->dominator[b]; b = s->dominator[b]) {
		uint32_t above = s->dominator[b];
		if (s->function->blocks.at[above]->loop_depth < s->function->blocks.at[best]->loop_depth)
			best = above;
	}
	return best;
}

/* Marks what accesses in loops read, as long as it is not too much. */
static bool mark(const hd_ir_function *f, const bool *constant, bool *moves)
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
				if (inst->s[i].kind != HD_OPD_REG || !constant[v] || moves[v] || words + f->vregs.at[v].words > MOST_WORDS)
					continue;
				words += f->vregs.at[v].words;
				moves[v] = true;
			}
		}
	}
	return words > 0;
}

void hd_hoist_constants(hd_ir_module *module, hd_ir_function *function)
{
	hd_ir_link(function);
	hd_ir_loops(function);
	bool *constant = constants(function), *moves = hd_xcalloc(function->vregs.n + 1, sizeof *moves);
	if (mark(function, constant, moves)) {
		hd_simplifier s = {.module = module, .function = function};
		hd_simplify_facts(&s);
		for (uint32_t i = s.reachable; i-- > 0;) { /* what is moved is not looked at again */
			hd_ir_block *block = function->blocks.at[s.order[i]];
			uint32_t to = outside(&s, s.order[i]);
			size_t kept = 0;
			for (size_t k = 0; k < block->insts.n; k++) {
				hd_ir_inst *inst = block->insts.at[k];
				if (to != s.order[i] && inst->op == HD_OP_MOVI && moves[inst->d[0].reg])
					hd_vec_push(&function->blocks.at[to]->insts, inst);
				else
					block->insts.at[kept++] = inst;
			}
			block->insts.n = kept;
		}
		hd_simplify_facts_free(&s);
	}
	free(constant);
	free(moves);
}

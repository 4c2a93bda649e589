#include "passes/lower/switches.h"

#define NEW_BLOCK UINT32_MAX

typedef struct tree {
	hd_ir_module *module;
	hd_ir_function *f;
	const hd_ir_block *from; /* a copy of the block with the SWITCH */
} tree;

static bool has_one_target(const hd_ir_block *from, uint32_t lo, uint32_t hi)
{
	for (uint32_t i = lo + 1; i < hi; i++)
		if (from->succ.at[i] != from->succ.at[lo])
			return false;
	return true;
}

/* A block that decides for values of the index from lo to hi - 1, by comparing the index with the middle; its number. If all values have one target,
 * that is the block. `into`: an existing block to use, or NEW_BLOCK. */
static uint32_t build(const tree *t, uint32_t lo, uint32_t hi, uint32_t into)
{
	if (has_one_target(t->from, lo, hi))
		return t->from->succ.at[lo];
	uint32_t middle = lo + (hi - lo) / 2, number = into != NEW_BLOCK ? into : hd_ir_block_new(t->module, t->f);
	uint32_t predicate = hd_ir_vreg_new(t->f, 0);
	hd_ir_inst *compare = hd_ir_inst_new(t->module, HD_OP_ISETP, 1, 2);
	compare->sub = HD_CMP_LO;
	compare->loc = t->from->loc;
	compare->d[0] = hd_opd_pred(predicate, false);
	compare->s[0] = t->from->index;
	compare->s[1] = hd_opd_imm(middle, 1);
	uint32_t below = build(t, lo, middle, NEW_BLOCK), above = build(t, middle, hi, NEW_BLOCK);
	hd_ir_block *block = t->f->blocks.at[number];
	hd_vec_push(&block->insts, compare);
	block->term = HD_TERM_BRANCH;
	block->pred = hd_opd_pred(predicate, false);
	block->loc = t->from->loc;
	block->succ.n = 0;
	hd_vec_push(&block->succ, below);
	hd_vec_push(&block->succ, above);
	return number;
}

static void lower_switch(hd_ir_module *module, hd_ir_function *f, uint32_t number)
{
	hd_ir_block *block = f->blocks.at[number], from = *block;
	tree t = {module, f, &from};
	block->succ.at = NULL;
	block->succ.n = block->succ.cap = 0;
	uint32_t target = build(&t, 0, (uint32_t)from.succ.n, number);
	if (block->succ.n == 0) { /* one target for every value */
		block->term = HD_TERM_JUMP;
		hd_vec_push(&block->succ, target);
	}
	block->index = (hd_opd){0};
	hd_vec_free(&from.succ);
}

bool hd_pass_switches(hd_ir_module *module, const hd_pass_context *context)
{
	(void)context;
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		for (uint32_t b = 0, n = (uint32_t)f->blocks.n; b < n; b++)
			if (f->blocks.at[b]->term == HD_TERM_SWITCH)
				lower_switch(module, f, b);
	}
	return true;
}

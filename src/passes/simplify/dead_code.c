#include "passes/simplify/dead_code.h"

#include "passes/simplify/reads.h"

enum { MAX_ROUNDS = 8 };

static void count_read(void *context, hd_opd *o)
{
	uint32_t *reads = context;
	if (hd_opd_is_register(o))
		reads[o->reg]++;
}

static void uncount_read(void *context, hd_opd *o)
{
	uint32_t *reads = context;
	if (hd_opd_is_register(o))
		reads[o->reg]--;
}

/* How often each virtual register is read; the caller frees it. */
static uint32_t *count_reads(hd_ir_function *f)
{
	uint32_t *reads = hd_xcalloc(f->vregs.n + 1, sizeof *reads);
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		for (size_t k = 0; k < block->insts.n; k++)
			hd_visit_reads(block->insts.at[k], count_read, reads);
		hd_visit_terminator_reads(block, count_read, reads);
	}
	for (size_t i = 0; i < f->results.n; i++)
		count_read(reads, &f->results.at[i]);
	return reads;
}

static bool is_dead(const hd_ir_inst *inst, const uint32_t *reads)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	if ((row->flags & (HD_OPF_SIDE | HD_OPF_FLOW | HD_OPF_STORE)) || inst->nd == 0)
		return false;
	if (hd_ir_tells(inst))
		return false;
	if ((row->flags & HD_OPF_MEM) && inst->mod == HD_CACHE_VOLATILE)
		return false;
	for (unsigned i = 0; i < inst->nd; i++)
		if (inst->d[i].kind != HD_OPD_NONE && reads[inst->d[i].reg] > 0)
			return false;
	return true;
}

/* Backward, so that a chain of dead instructions in one block goes at once. */
static bool remove_from_block(hd_ir_block *block, uint32_t *reads)
{
	bool removed = false;
	for (size_t k = block->insts.n; k-- > 0;) {
		if (!is_dead(block->insts.at[k], reads))
			continue;
		hd_visit_reads(block->insts.at[k], uncount_read, reads);
		block->insts.at[k] = NULL;
		removed = true;
	}
	size_t kept = 0;
	for (size_t k = 0; k < block->insts.n; k++)
		if (block->insts.at[k])
			block->insts.at[kept++] = block->insts.at[k];
	block->insts.n = kept;
	return removed;
}

void hd_remove_dead_code(hd_ir_function *f)
{
	uint32_t *reads = count_reads(f);
	bool again = true;
	for (unsigned round = 0; again && round < MAX_ROUNDS; round++) {
		again = false;
		for (size_t b = f->blocks.n; b-- > 0;)
			again |= remove_from_block(f->blocks.at[b], reads);
	}
	free(reads);
}

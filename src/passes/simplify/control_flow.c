/* Blocks and dead code. */
#include "passes/simplify/simplify.h"

static void drop_unreachable(hd_ir_function *f)
{
	uint32_t count, *order = hd_ir_rpo(f, &count), *number = hd_xcalloc(f->blocks.n, sizeof *number);
	hd_bits reached = hd_bits_new(f->blocks.n);
	size_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		hd_bits_add(&reached, order[i]);
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		if (hd_bits_has(&reached, b)) {
			number[b] = (uint32_t)n;
			f->blocks.at[n++] = block;
			continue;
		}
		hd_vec_free(&block->insts);
		hd_vec_free(&block->succ);
		hd_vec_free(&block->pred_blocks);
	}
	f->blocks.n = n;
	for (size_t b = 0; b < n; b++)
		for (size_t i = 0; i < f->blocks.at[b]->succ.n; i++)
			f->blocks.at[b]->succ.at[i] = number[f->blocks.at[b]->succ.at[i]];
	hd_bits_free(&reached);
	free(order);
	free(number);
}

/* `from` ends with the only way into `to`: its instructions and its end move up. What is left of `to` is unreachable. */
static void absorb(hd_ir_block *from, hd_ir_block *to)
{
	for (size_t i = 0; i < to->insts.n; i++)
		hd_vec_push(&from->insts, to->insts.at[i]);
	to->insts.n = 0;
	from->term = to->term;
	from->pred = to->pred;
	from->index = to->index;
	from->loc = to->loc;
	from->succ.n = 0;
	for (size_t i = 0; i < to->succ.n; i++)
		hd_vec_push(&from->succ, to->succ.at[i]);
	to->succ.n = 0;
	to->term = HD_TERM_EXIT;
}

/* Where a block leads that does nothing but jump. Bounded: such blocks can form a circle. */
static uint32_t through(const hd_ir_function *f, uint32_t block)
{
	for (unsigned hop = 0; hop < 8; hop++) {
		const hd_ir_block *at = f->blocks.at[block];
		if (at->term != HD_TERM_JUMP || at->insts.n > 0 || at->succ.at[0] == block)
			break;
		block = at->succ.at[0];
	}
	return block;
}

bool hd_simplify_blocks(hd_ir_module *module, hd_ir_function *f)
{
	bool changed = false;
	(void)module;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		for (size_t i = 0; i < block->succ.n; i++) {
			uint32_t to = through(f, block->succ.at[i]);
			changed |= to != block->succ.at[i];
			block->succ.at[i] = to;
		}
		if (block->term == HD_TERM_BRANCH && block->succ.at[0] == block->succ.at[1]) {
			block->term = HD_TERM_JUMP;
			block->succ.n = 1;
			changed = true;
		}
	}
	drop_unreachable(f);
	hd_ir_link(f);
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		while (block->term == HD_TERM_JUMP && block->succ.at[0] != 0 && block->succ.at[0] != b &&
		       f->blocks.at[block->succ.at[0]]->pred_blocks.n == 1) {
			absorb(block, f->blocks.at[block->succ.at[0]]);
			changed = true;
		}
	}
	drop_unreachable(f);
	return changed;
}

static void count_read(void *context, hd_opd *o)
{
	uint32_t *reads = context;
	if (o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED)
		reads[o->reg]++;
}

static void uncount_read(void *context, hd_opd *o)
{
	uint32_t *reads = context;
	if (o->kind == HD_OPD_REG || o->kind == HD_OPD_PRED)
		reads[o->reg]--;
}

static bool is_dead(const hd_ir_inst *inst, const uint32_t *reads)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	if ((row->flags & (HD_OPF_SIDE | HD_OPF_FLOW | HD_OPF_STORE)) || inst->nd == 0)
		return false;
	if ((row->flags & HD_OPF_MEM) && inst->mod == HD_CACHE_VOLATILE)
		return false;
	for (unsigned i = 0; i < inst->nd; i++)
		if (inst->d[i].kind != HD_OPD_NONE && reads[inst->d[i].reg] > 0)
			return false;
	return true;
}

/* Backwards, so that a chain of dead instructions goes in one round where it stands in one block. */
void hd_simplify_dead(hd_ir_function *f)
{
	uint32_t *reads = hd_xcalloc(f->vregs.n + 1, sizeof *reads);
	bool again = true;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		for (size_t k = 0; k < block->insts.n; k++)
			hd_simplify_reads(block->insts.at[k], count_read, reads);
		hd_simplify_block_reads(block, count_read, reads);
	}
	for (size_t i = 0; i < f->results.n; i++)
		count_read(reads, &f->results.at[i]);
	for (unsigned round = 0; again && round < 8; round++) {
		again = false;
		for (size_t b = f->blocks.n; b-- > 0;) {
			hd_ir_block *block = f->blocks.at[b];
			for (size_t k = block->insts.n; k-- > 0;) {
				if (!is_dead(block->insts.at[k], reads))
					continue;
				hd_simplify_reads(block->insts.at[k], uncount_read, reads);
				block->insts.at[k] = NULL;
				again = true;
			}
			size_t n = 0;
			for (size_t k = 0; k < block->insts.n; k++)
				if (block->insts.at[k])
					block->insts.at[n++] = block->insts.at[k];
			block->insts.n = n;
		}
	}
	free(reads);
}

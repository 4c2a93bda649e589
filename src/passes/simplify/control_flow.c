#include "passes/simplify/control_flow.h"

enum { MAX_HOPS = 8 }; /* blocks that only jump can form a circle */

static void drop_unreachable(hd_ir_function *f)
{
	uint32_t count, *order = hd_ir_rpo(f, &count), *number = hd_xcalloc(f->blocks.n, sizeof *number);
	hd_bits reached = hd_bits_new(f->blocks.n);
	size_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		hd_bits_add(&reached, order[i]);
	for (size_t b = 0; b < f->blocks.n; b++) {
		if (!hd_bits_has(&reached, b)) {
			hd_ir_block_empty(f->blocks.at[b]);
			continue;
		}
		number[b] = (uint32_t)n;
		f->blocks.at[n++] = f->blocks.at[b];
	}
	f->blocks.n = n;
	for (size_t b = 0; b < n; b++)
		for (size_t i = 0; i < f->blocks.at[b]->succ.n; i++)
			f->blocks.at[b]->succ.at[i] = number[f->blocks.at[b]->succ.at[i]];
	hd_bits_free(&reached);
	free(order);
	free(number);
}

/* `from` ends with the only edge into `to`: the instructions and the terminator of `to` move up. `to` is unreachable then. */
static void merge_into(hd_ir_block *from, hd_ir_block *to)
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

/* Where a block leads that does nothing but jump; otherwise the block itself. */
static uint32_t follow_jumps(const hd_ir_function *f, uint32_t block)
{
	for (unsigned hop = 0; hop < MAX_HOPS; hop++) {
		const hd_ir_block *at = f->blocks.at[block];
		if (at->term != HD_TERM_JUMP || at->insts.n > 0 || at->succ.at[0] == block)
			break;
		block = at->succ.at[0];
	}
	return block;
}

static bool shorten_edges(hd_ir_function *f)
{
	bool changed = false;
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		for (size_t i = 0; i < block->succ.n; i++) {
			uint32_t to = follow_jumps(f, block->succ.at[i]);
			changed |= to != block->succ.at[i];
			block->succ.at[i] = to;
		}
		if (block->term == HD_TERM_BRANCH && block->succ.at[0] == block->succ.at[1]) {
			block->term = HD_TERM_JUMP;
			block->succ.n = 1;
			changed = true;
		}
	}
	return changed;
}

static bool merge_blocks(hd_ir_function *f)
{
	bool changed = false;
	hd_ir_link(f);
	for (size_t b = 0; b < f->blocks.n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		while (block->term == HD_TERM_JUMP && block->succ.at[0] != 0 && block->succ.at[0] != b &&
		       f->blocks.at[block->succ.at[0]]->pred_blocks.n == 1) {
			merge_into(block, f->blocks.at[block->succ.at[0]]);
			changed = true;
		}
	}
	return changed;
}

bool hd_simplify_control_flow(hd_ir_function *f)
{
	bool shortened = shorten_edges(f);
	drop_unreachable(f);
	bool merged = merge_blocks(f);
	drop_unreachable(f);
	return shortened || merged;
}

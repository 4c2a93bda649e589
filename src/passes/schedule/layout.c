/* Block order for least-address-first execution (RC-15), and branches as instructions.
 *
 *  1. Blocks of a strongly connected component (a loop, irreducible ones too) stay together; inside it, its header first, and so on
 *     recursively without the edges to the header.
 *  2. Components follow in topological order, so that a join comes after everything that leads to it, and a loop's exits after the loop.
 *  3. Among what topological order leaves open: reverse post-order, which keeps the sides of a branch together. */
#include "passes/passes.h"

enum { MAX_NESTING = 64 };

typedef struct layout {
	const hd_ir_function *f;
	uint32_t *rank;        /* reverse post-order number of each block, UINT32_MAX unreachable */
	uint32_t *level;       /* how deep in the recursion a block still takes part; only blocks with level >= the current one do */
	uint32_t *index, *low; /* Tarjan */
	bool *on_stack;
	HD_VEC(uint32_t) stack;
	uint32_t next_index;
	const uint32_t *rpo;
	uint32_t count;
	HD_VEC(uint32_t) out;
} layout;

typedef HD_VEC(uint32_t) list;

/* Components of the blocks in `members` (all of level `level`), ignoring edges to `cut`, in reverse topological order; each ends with
 * UINT32_MAX in *found. Iterative: functions can have very long chains of blocks. */
static void components(layout *l, const list *members, uint32_t level, uint32_t cut, list *found)
{
	typedef struct frame {
		uint32_t block;
		size_t next;
	} frame;
	HD_VEC(frame) calls = {0};
	l->next_index = 0;
	for (size_t i = 0; i < members->n; i++)
		l->index[members->at[i]] = UINT32_MAX;
	for (size_t i = 0; i < members->n; i++) {
		if (l->index[members->at[i]] != UINT32_MAX)
			continue;
		hd_vec_push(&calls, (frame){members->at[i], 0});
		while (calls.n) {
			frame *top = &calls.at[calls.n - 1];
			uint32_t b = top->block;
			const hd_ir_block *block = l->f->blocks.at[b];
			if (top->next == 0 && l->index[b] == UINT32_MAX) {
				l->index[b] = l->low[b] = l->next_index++;
				hd_vec_push(&l->stack, b);
				l->on_stack[b] = true;
			}
			bool down = false;
			while (!down && top->next < block->succ.n) { /* going down moves `top` */
				/* The fall-through side is looked at last, so that it comes first behind the branch. */
				uint32_t s = block->succ.at[top->next++];
				if (s == cut || l->level[s] != level)
					continue;
				if (l->index[s] == UINT32_MAX) {
					hd_vec_push(&calls, (frame){s, 0});
					down = true;
				} else if (l->on_stack[s] && l->index[s] < l->low[b]) {
					l->low[b] = l->index[s];
				}
			}
			if (down)
				continue;
			if (l->low[b] == l->index[b]) {
				uint32_t popped;
				do {
					popped = l->stack.at[--l->stack.n];
					l->on_stack[popped] = false;
					hd_vec_push(found, popped);
				} while (popped != b);
				hd_vec_push(found, UINT32_MAX);
			}
			calls.n--;
			if (calls.n && l->low[b] < l->low[calls.at[calls.n - 1].block])
				l->low[calls.at[calls.n - 1].block] = l->low[b];
		}
	}
	hd_vec_free(&calls);
}

/* Loops nested deeper than anyone writes them: reverse post-order is good enough, and any order is right. */
static void in_post_order(layout *l, const list *inside, uint32_t header)
{
	for (uint32_t i = 0; i < l->count; i++)
		l->on_stack[l->rpo[i]] = false;
	for (size_t i = 0; i < inside->n; i++)
		l->on_stack[inside->at[i]] = inside->at[i] != header;
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->on_stack[l->rpo[i]])
			hd_vec_push(&l->out, l->rpo[i]);
		l->on_stack[l->rpo[i]] = false;
	}
}

static void place(layout *l, const list *members, uint32_t level, uint32_t cut)
{
	list found = {0};
	components(l, members, level, cut, &found);
	/* Reverse topological: walk the components from the last to the first. */
	size_t end = found.n;
	while (end > 0) {
		size_t begin = end - 1; /* found.at[end - 1] is the mark */
		while (begin > 0 && found.at[begin - 1] != UINT32_MAX)
			begin--;
		list inside = {0};
		for (size_t i = begin; i + 1 < end; i++)
			hd_vec_push(&inside, found.at[i]);
		uint32_t header = inside.at[0];
		for (size_t i = 1; i < inside.n; i++) {
			if (l->rank[inside.at[i]] < l->rank[header])
				header = inside.at[i];
		}
		hd_vec_push(&l->out, header);
		if (inside.n > 1 && level == MAX_NESTING) {
			in_post_order(l, &inside, header);
		} else if (inside.n > 1) {
			list rest = {0};
			for (size_t i = 0; i < inside.n; i++) {
				if (inside.at[i] != header) {
					hd_vec_push(&rest, inside.at[i]);
					l->level[inside.at[i]] = level + 1;
				}
			}
			place(l, &rest, level + 1, header);
			hd_vec_free(&rest);
		}
		hd_vec_free(&inside);
		end = begin;
	}
	hd_vec_free(&found);
}

static void reorder(hd_ir_function *f)
{
	uint32_t count = 0, n = (uint32_t)f->blocks.n;
	uint32_t *rpo = hd_ir_rpo(f, &count);
	layout l = {.f = f, .rpo = rpo, .count = count};
	l.rank = hd_xcalloc(n + 1, sizeof *l.rank);
	l.level = hd_xcalloc(n + 1, sizeof *l.level);
	l.index = hd_xcalloc(n + 1, sizeof *l.index);
	l.low = hd_xcalloc(n + 1, sizeof *l.low);
	l.on_stack = hd_xcalloc(n + 1, sizeof *l.on_stack);
	list members = {0};
	for (uint32_t b = 0; b < n; b++)
		l.rank[b] = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		l.rank[rpo[i]] = i;
		hd_vec_push(&members, rpo[i]);
	}
	place(&l, &members, 0, UINT32_MAX);
	hd_invariant(l.out.n == count && l.out.at[0] == 0, "layout of %s lost a block", f->name);

	uint32_t *number = l.index;
	for (uint32_t i = 0; i < count; i++)
		number[l.out.at[i]] = i;
	hd_ir_block **blocks = hd_xcalloc(count + 1, sizeof *blocks);
	for (uint32_t i = 0; i < count; i++) {
		hd_ir_block *block = f->blocks.at[l.out.at[i]];
		blocks[i] = block;
		for (size_t s = 0; s < block->succ.n; s++)
			block->succ.at[s] = number[block->succ.at[s]];
	}
	for (uint32_t i = 0; i < count; i++)
		f->blocks.at[i] = blocks[i];
	f->blocks.n = count;
	free(blocks);
	free(rpo);
	free(l.rank);
	free(l.level);
	free(l.index);
	free(l.low);
	free(l.on_stack);
	hd_vec_free(&l.stack);
	hd_vec_free(&l.out);
	hd_vec_free(&members);
}

/* A block that compares `index` with the middle of [lo, hi) and goes to either half; its number. */
static uint32_t compare_tree(hd_ir_module *module, hd_ir_function *f, const hd_ir_block *from, uint32_t lo, uint32_t hi, uint32_t into)
{
	bool same = true;
	for (uint32_t i = lo + 1; i < hi && same; i++)
		same = from->succ.at[i] == from->succ.at[lo];
	if (same)
		return from->succ.at[lo];
	uint32_t middle = lo + (hi - lo) / 2, number = into != UINT32_MAX ? into : hd_ir_block_new(module, f);
	uint32_t predicate = hd_ir_vreg_new(f, 0);
	hd_ir_inst *compare = hd_ir_inst_new(module, HD_OP_ISETP, 1, 2);
	compare->sub = HD_CMP_LO;
	compare->loc = from->loc;
	compare->d[0] = hd_opd_pred(predicate, false);
	compare->s[0] = from->index;
	compare->s[1] = hd_opd_imm(middle, 1);
	uint32_t below = compare_tree(module, f, from, lo, middle, UINT32_MAX), above = compare_tree(module, f, from, middle, hi, UINT32_MAX);
	hd_ir_block *block = f->blocks.at[number];
	hd_vec_push(&block->insts, compare);
	block->term = HD_TERM_BRANCH;
	block->pred = hd_opd_pred(predicate, false);
	block->loc = from->loc;
	block->succ.n = 0;
	hd_vec_push(&block->succ, below);
	hd_vec_push(&block->succ, above);
	return number;
}

bool hd_pass_switches(hd_ir_module *module, hd_diag *diag)
{
	(void)diag;
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		for (uint32_t b = 0, n = (uint32_t)f->blocks.n; b < n; b++) {
			hd_ir_block *block = f->blocks.at[b];
			if (block->term != HD_TERM_SWITCH)
				continue;
			hd_ir_block from = *block;
			block->succ.at = NULL;
			block->succ.n = block->succ.cap = 0;
			compare_tree(module, f, &from, 0, (uint32_t)from.succ.n, b);
			if (block->succ.n == 0) {
				/* One target for every value. */
				block->term = HD_TERM_JUMP;
				hd_vec_push(&block->succ, from.succ.at[0]);
			}
			block->index = (hd_opd){0};
			hd_vec_free(&from.succ);
		}
	}
	return true;
}

bool hd_pass_layout(hd_ir_module *module, hd_diag *diag)
{
	(void)diag;
	for (size_t i = 0; i < module->functions.n; i++)
		reorder(module->functions.at[i]);
	return true;
}

static void append_flow(hd_ir_module *module, hd_ir_block *block, unsigned op, int32_t target, hd_opd guard)
{
	hd_ir_inst *inst = hd_ir_inst_new(module, op, 0, 0);
	inst->callee = target;
	inst->guard = guard;
	inst->loc = block->loc;
	hd_vec_push(&block->insts, inst);
}

/* Turns branches so that they fall through where they can; where neither side is next, a block that jumps is put behind. Block numbers become final.
 */
static void make_fall_through(hd_ir_module *module, hd_ir_function *f)
{
	uint32_t n = (uint32_t)f->blocks.n, added = 0;
	uint32_t *number = hd_xcalloc(n + 1, sizeof *number);
	bool *jump = hd_xcalloc(n + 1, sizeof *jump);
	for (uint32_t b = 0; b < n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		number[b] = b + added;
		if (block->term != HD_TERM_BRANCH)
			continue;
		uint32_t *yes = &block->succ.at[0], *no = &block->succ.at[1];
		if (*yes == b + 1 && *no != b + 1) {
			block->pred.neg = !block->pred.neg;
			*yes = *no;
			*no = b + 1;
		}
		jump[b] = *no != b + 1;
		added += jump[b];
	}
	for (uint32_t i = 0; i < added; i++)
		hd_ir_block_new(module, f);
	/* From the last to the first, so that nothing is overwritten before it has moved; the new blocks are behind. */
	hd_ir_block **fresh = hd_xcalloc(added + 1, sizeof *fresh);
	if (added)
		memcpy(fresh, &f->blocks.at[n], added * sizeof *fresh);
	for (uint32_t b = n; b-- > 0;) {
		hd_ir_block *block = f->blocks.at[b];
		for (size_t s = 0; s < block->succ.n; s++)
			block->succ.at[s] = number[block->succ.at[s]];
		for (size_t k = 0; k < block->insts.n; k++)
			if (block->insts.at[k]->op == HD_OP_PUSH)
				block->insts.at[k]->callee = (int32_t)number[block->insts.at[k]->callee];
		f->blocks.at[number[b]] = block;
		if (!jump[b])
			continue;
		hd_ir_block *between = fresh[--added];
		between->term = HD_TERM_JUMP;
		between->loc = block->loc;
		hd_vec_push(&between->succ, block->succ.at[1]);
		block->succ.at[1] = number[b] + 1;
		f->blocks.at[number[b] + 1] = between;
	}
	free(fresh);
	free(number);
	free(jump);
}

bool hd_pass_branches(hd_ir_module *module, hd_diag *diag)
{
	(void)diag;
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		f->laid_out = true;
		make_fall_through(module, f);
		for (uint32_t b = 0; b < f->blocks.n; b++) {
			hd_ir_block *block = f->blocks.at[b];
			switch (block->term) {
			case HD_TERM_JUMP:
				if (block->succ.at[0] != b + 1)
					append_flow(module, block, HD_OP_BRA, (int32_t)block->succ.at[0], (hd_opd){0});
				break;
			case HD_TERM_BRANCH:
				if (block->succ.at[0] != b + 1)
					append_flow(module, block, HD_OP_BRA, (int32_t)block->succ.at[0], block->pred);
				break;
			case HD_TERM_RET:
				append_flow(module, block, HD_OP_RET, 0, (hd_opd){0});
				break;
			case HD_TERM_EXIT:
				append_flow(module, block, HD_OP_EXIT, 0, (hd_opd){0});
				break;
			case HD_TERM_TRAP:
				append_flow(module, block, HD_OP_TRAP, 0, (hd_opd){0});
				break;
			case HD_TERM_SWITCH:
				hd_panic("a switch in %s after hd_pass_switches", f->name);
			}
		}
	}
	return true;
}

/* The baseline's reconvergence (RC-16): `push` before every branch whose sides meet again, `sync` where they do.
 *
 *  1. The sides of a branch meet at its immediate post-dominator. Paths that end early do not count: lanes that exit or return never come, and the
 *     stack does not wait for them. So post-dominators are taken towards the last exit in the layout, and, where that cannot be reached,
 *     towards all others together. (With all exits alike, one early return in front of a barrier would let no two sides meet before it.)
 *  2. A meeting place gets a block of its own before it, with the `sync`; every edge to the place leads through it.
 *  3. A branch of which only one side can come to the meeting place needs none. */
#include "passes/passes.h"

#define NOWHERE UINT32_MAX

typedef struct reverse {
	const hd_ir_function *f;
	uint32_t *stage;  /* of each block: the round that reached it, 0 = none */
	uint32_t *order;  /* blocks of this round in post-order from its roots, against the edges */
	uint32_t *number; /* its place in `order`; the virtual exit, block n, comes last */
	uint32_t *dom;    /* immediate post-dominator; n: the virtual exit */
	uint32_t n, count;
} reverse;

typedef struct frame {
	uint32_t block;
	size_t next;
} frame;

static void walk(reverse *r, uint32_t root, uint32_t round)
{
	HD_VEC(frame) stack = {0};
	if (r->stage[root])
		return;
	r->stage[root] = round;
	hd_vec_push(&stack, (frame){root, 0});
	while (stack.n) {
		frame *top = &stack.at[stack.n - 1];
		const hd_ir_block *block = r->f->blocks.at[top->block];
		if (top->next == block->pred_blocks.n) {
			r->number[top->block] = r->count;
			r->order[r->count++] = top->block;
			stack.n--;
			continue;
		}
		uint32_t from = block->pred_blocks.at[top->next++];
		if (!r->stage[from]) {
			r->stage[from] = round;
			hd_vec_push(&stack, (frame){from, 0});
		}
	}
	hd_vec_free(&stack);
}

static uint32_t meet(const reverse *r, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (r->number[a] < r->number[b])
			a = r->dom[a];
		while (r->number[b] < r->number[a])
			b = r->dom[b];
	}
	return a;
}

/* Post-dominators of the blocks of one round, towards its roots: the fixpoint over reverse post-order. */
static void solve(reverse *r, uint32_t round)
{
	r->number[r->n] = r->count;
	r->dom[r->n] = r->n;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = r->count; i-- > 0;) {
			uint32_t b = r->order[i], best = NOWHERE;
			const hd_ir_block *block = r->f->blocks.at[b];
			if (block->term == HD_TERM_RET || block->term == HD_TERM_EXIT)
				best = r->n;
			for (size_t s = 0; s < block->succ.n; s++) {
				uint32_t to = block->succ.at[s];
				if (r->stage[to] == round && r->dom[to] != NOWHERE)
					best = best == NOWHERE ? to : meet(r, best, to);
			}
			again |= best != r->dom[b];
			r->dom[b] = best;
		}
	}
}

static bool ends(const hd_ir_block *block) { return block->term == HD_TERM_RET || block->term == HD_TERM_EXIT; }

/* Immediate post-dominator of every block; n or NOWHERE: none. */
static void post_dominators(reverse *r)
{
	uint32_t last = r->n;
	for (uint32_t b = 0; b < r->n; b++) {
		r->dom[b] = NOWHERE;
		if (ends(r->f->blocks.at[b]))
			last = b;
	}
	for (uint32_t round = 1; round <= 2; round++) {
		r->count = 0;
		for (uint32_t b = 0; b < r->n; b++)
			if (ends(r->f->blocks.at[b]) && (round == 2 || b == last))
				walk(r, b, round);
		solve(r, round);
	}
}

/* Where the sides of the branch at the end of b meet, or NOWHERE. */
static uint32_t meeting_place(const reverse *r, uint32_t b)
{
	const hd_ir_block *block = r->f->blocks.at[b];
	if (block->term != HD_TERM_BRANCH || !r->stage[b] || r->dom[b] >= r->n || block->succ.at[0] == block->succ.at[1])
		return NOWHERE;
	for (size_t s = 0; s < 2; s++)
		if (r->stage[block->succ.at[s]] != r->stage[b])
			return NOWHERE;
	return r->dom[b];
}

static void insert(hd_ir_module *module, hd_ir_function *f, const uint32_t *place, const hd_bits *places)
{
	uint32_t n = (uint32_t)f->blocks.n, total = n, at = 0;
	uint32_t *moved = hd_xcalloc(n + 1, sizeof *moved); /* a block's new number; its sync block stands right before it */
	for (uint32_t b = 0; b < n; b++) {
		at += hd_bits_has(places, b);
		moved[b] = at++;
	}
	for (uint32_t b = 0; b < n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		for (size_t s = 0; s < block->succ.n; s++) {
			uint32_t to = block->succ.at[s];
			block->succ.at[s] = moved[to] - hd_bits_has(places, to);
		}
		if (place[b] == NOWHERE)
			continue;
		hd_ir_inst *push = hd_ir_inst_new(module, HD_OP_PUSH, 0, 0);
		push->callee = (int32_t)moved[place[b]] - 1;
		push->loc = block->loc;
		hd_vec_push(&block->insts, push);
	}
	for (uint32_t b = 0; b < n; b++)
		if (hd_bits_has(places, b))
			total = hd_ir_block_new(module, f) + 1;
	hd_ir_block **blocks = hd_xcalloc(total + 1, sizeof *blocks);
	uint32_t fresh = n;
	for (uint32_t b = 0; b < n; b++) {
		blocks[moved[b]] = f->blocks.at[b];
		if (!hd_bits_has(places, b))
			continue;
		hd_ir_block *block = f->blocks.at[fresh++];
		hd_ir_inst *sync = hd_ir_inst_new(module, HD_OP_SYNC, 0, 0);
		block->loc = sync->loc = f->blocks.at[b]->insts.n ? f->blocks.at[b]->insts.at[0]->loc : f->blocks.at[b]->loc;
		hd_vec_push(&block->insts, sync);
		block->term = HD_TERM_JUMP;
		hd_vec_push(&block->succ, moved[b]);
		blocks[moved[b] - 1] = block;
	}
	memcpy(f->blocks.at, blocks, total * sizeof *blocks);
	free(blocks);
	free(moved);
}

bool hd_pass_reconverge(hd_ir_module *module, const hd_machine *machine, hd_diag *diag)
{
	(void)diag; /* cannot fail */
	if (machine->divergence_mode != HD_DIV_STACK)
		return true;
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		uint32_t n = (uint32_t)f->blocks.n;
		uint32_t *words = hd_xcalloc(5 * ((size_t)n + 1), sizeof *words);
		reverse r = {.f = f, .n = n, .stage = words, .order = words + n + 1, .number = words + 2 * (n + 1), .dom = words + 3 * (n + 1)};
		uint32_t *place = words + 4 * (n + 1);
		hd_bits places = hd_bits_new((size_t)n + 1);
		hd_ir_link(f);
		post_dominators(&r);
		for (uint32_t b = 0; b < n; b++) {
			place[b] = meeting_place(&r, b);
			if (place[b] != NOWHERE)
				hd_bits_add(&places, place[b]);
		}
		insert(module, f, place, &places);
		hd_bits_free(&places);
		free(words);
	}
	return true;
}

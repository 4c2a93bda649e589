/* The baseline's reconvergence (RC-16): `push` before every branch whose sides meet again, `sync` where they do.
 *
 *  1. The sides of a branch meet at its immediate post-dominator. Paths that end early do not count: lanes that exit or return never come, and the
 *     stack does not wait for them. So post-dominators are taken towards the last exit in the layout, and, where that cannot be reached,
 *     towards all others together. (With all exits alike, one early return in front of a barrier would let no two sides meet before it.)
 *  2. A meeting place gets a block of its own before it, with the `sync`; every edge to the place leads through it.
 *  3. Where lanes leave a loop for a place outside, `push` stands before the loop and not in it: once, not once a turn. If a loop cannot have that
 * (it has several entries, or is entered from where the place is not sure to be reached), it stands before the branch.
 *  4. A branch of which only one side can come to the meeting place needs none, nor one that lanes never take differently (uniform.c). */
#include "passes/passes.h"
#include "passes/analysis/uniformity.h"

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

typedef struct early {
	uint32_t block, place; /* a push at the end of a block that enters a loop */
} early;
typedef HD_VEC(early) earlies;

/* The blocks of the loops with header h, natural ones: those from which the ends of edges back to h can be reached without h. False: there is no
 * loop, or it has other entries. Numbers are those of the layout, where every edge to a lower number is one inside a loop. */
static bool find_loop(const hd_ir_function *f, uint32_t h, hd_bits *loop, uint32_t *queue)
{
	size_t n = 0;
	bool any = false;
	hd_bits_clear(loop);
	hd_bits_add(loop, h);
	for (size_t i = 0; i < f->blocks.at[h]->pred_blocks.n; i++) {
		uint32_t from = f->blocks.at[h]->pred_blocks.at[i];
		any |= from >= h;
		if (from >= h && !hd_bits_has(loop, from)) {
			hd_bits_add(loop, from);
			queue[n++] = from;
		}
	}
	while (n) {
		uint32_t b = queue[--n];
		if (b < h)
			return false;
		for (size_t i = 0; i < f->blocks.at[b]->pred_blocks.n; i++) {
			uint32_t from = f->blocks.at[b]->pred_blocks.at[i];
			if (hd_bits_has(loop, from))
				continue;
			hd_bits_add(loop, from);
			queue[n++] = from;
		}
	}
	return any;
}

static bool surely_reaches(const reverse *r, uint32_t from, uint32_t place)
{
	while (from < r->n && from != place)
		from = r->dom[from];
	return from == place;
}

/* May the pushes of `place` by branches of this loop stand before it? */
static bool before_loop(const reverse *r, uint32_t h, const hd_bits *loop, uint32_t place)
{
	const hd_ir_block *header = r->f->blocks.at[h];
	if (hd_bits_has(loop, place) || h == 0)
		return false;
	for (size_t i = 0; i < header->pred_blocks.n; i++) {
		uint32_t from = header->pred_blocks.at[i];
		if (!hd_bits_has(loop, from) && (r->stage[from] != r->stage[place] || !surely_reaches(r, from, place)))
			return false;
	}
	return true;
}

/* Is `to` pushed in a block already, or in one that surely came before it? */
static bool pushed(const reverse *r, const uint32_t *place, const earlies *out, uint32_t block, uint32_t to)
{
	for (uint32_t steps = 0; block != to && steps <= r->n; steps++) {
		bool there = place[block] == to;
		for (size_t k = 0; k < out->n && !there; k++)
			there = out->at[k].block == block && out->at[k].place == to;
		if (there)
			return true;
		if (r->f->blocks.at[block]->pred_blocks.n != 1)
			return false;
		block = r->f->blocks.at[block]->pred_blocks.at[0];
	}
	return false;
}

/* Moves the pushes of loops' exits. The innermost loop of a branch decides; inner loops have higher headers. */
static void move_out(const reverse *r, uint32_t *place, earlies *out)
{
	const hd_ir_function *f = r->f;
	hd_bits loop = hd_bits_new((size_t)r->n + 1), seen = hd_bits_new((size_t)r->n + 1);
	uint32_t *queue = hd_xcalloc((size_t)r->n + 1, sizeof *queue);
	for (uint32_t h = r->n; h-- > 0;) {
		if (!find_loop(f, h, &loop, queue))
			continue;
		for (uint32_t b = h; b < r->n; b++) {
			if (!hd_bits_has(&loop, b) || hd_bits_has(&seen, b))
				continue;
			hd_bits_add(&seen, b);
			uint32_t to = place[b];
			if (to == NOWHERE || !before_loop(r, h, &loop, to))
				continue;
			place[b] = NOWHERE;
			for (size_t i = 0; i < f->blocks.at[h]->pred_blocks.n; i++) {
				uint32_t from = f->blocks.at[h]->pred_blocks.at[i];
				if (!hd_bits_has(&loop, from) && !pushed(r, place, out, from, to))
					hd_vec_push(out, ((early){from, to}));
			}
		}
	}
	hd_bits_free(&loop);
	hd_bits_free(&seen);
	free(queue);
}

static void append_push(hd_ir_module *module, hd_ir_block *block, uint32_t target)
{
	hd_ir_inst *push = hd_ir_inst_new(module, HD_OP_PUSH, 0, 0);
	push->callee = (int32_t)target;
	push->loc = block->loc;
	hd_vec_push(&block->insts, push);
}

static void insert(hd_ir_module *module, hd_ir_function *f, const uint32_t *place, const hd_bits *places, const earlies *pushes)
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
		/* What lies further on is the outer region. */
		for (size_t i = 0; i < pushes->n; i++)
			if (pushes->at[i].block == b)
				append_push(module, block, moved[pushes->at[i].place] - 1);
		if (place[b] != NOWHERE)
			append_push(module, block, moved[place[b]] - 1);
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
	hd_written *written = hd_module_written(module, machine);
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		uint32_t n = (uint32_t)f->blocks.n;
		uint32_t *words = hd_xcalloc(5 * ((size_t)n + 1), sizeof *words);
		reverse r = {.f = f, .n = n, .stage = words, .order = words + n + 1, .number = words + 2 * (n + 1), .dom = words + 3 * (n + 1)};
		uint32_t *place = words + 4 * (n + 1);
		hd_bits places = hd_bits_new((size_t)n + 1), divergent = hd_bits_new((size_t)n + 1);
		hd_ir_link(f);
		post_dominators(&r);
		for (uint32_t b = 0; b < n; b++)
			place[b] = meeting_place(&r, b);
		hd_find_divergent(f, machine, written, place, &divergent);
		for (uint32_t b = 0; b < n; b++) {
			place[b] = hd_bits_has(&divergent, b) ? place[b] : NOWHERE;
			if (place[b] != NOWHERE)
				hd_bits_add(&places, place[b]);
		}
		earlies pushes = {0};
		move_out(&r, place, &pushes);
		insert(module, f, place, &places, &pushes);
		hd_vec_free(&pushes);
		hd_bits_free(&places);
		hd_bits_free(&divergent);
		free(words);
	}
	free(written);
	return true;
}

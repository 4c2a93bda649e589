#include "passes/lower/reconvergence.h"

#include "passes/analysis/post_dominators.h"
#include "passes/analysis/uniformity.h"

/* A push that stands at the end of a block which enters a loop. */
typedef struct hoisted_push {
	uint32_t block, point;
} hoisted_push;
typedef HD_VEC(hoisted_push) hoisted_pushes;

typedef struct planner {
	const hd_ir_function *f;
	hd_post_dominators post;
	uint32_t n;      /* blocks */
	uint32_t *point; /* of each block: where its branch reconverges, if a push stands before the branch; else HD_NO_BLOCK */
	hd_bits synced;  /* blocks that need a sync before them */
	hoisted_pushes hoisted;
} planner;

/* The blocks of the natural loops with header h: those from which the sources of edges back to h can be reached without h. False: there is no such
 * loop, or it has other entries. In block order, every edge to a lower number lies inside a loop. `queue`: working memory. */
static bool find_loop(const hd_ir_function *f, uint32_t h, hd_bits *loop, uint32_t *queue)
{
	size_t n = 0;
	bool found = false;
	hd_bits_clear(loop);
	hd_bits_add(loop, h);
	for (size_t i = 0; i < f->blocks.at[h]->pred_blocks.n; i++) {
		uint32_t from = f->blocks.at[h]->pred_blocks.at[i];
		found |= from >= h;
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
	return found;
}

/* Can pushes of `point` for branches of this loop stand before it? */
static bool can_hoist(const planner *p, uint32_t h, const hd_bits *loop, uint32_t point)
{
	const hd_ir_block *header = p->f->blocks.at[h];
	if (hd_bits_has(loop, point) || h == 0)
		return false;
	for (size_t i = 0; i < header->pred_blocks.n; i++) {
		uint32_t from = header->pred_blocks.at[i];
		if (!hd_bits_has(loop, from) && (p->post.round[from] != p->post.round[point] || !hd_post_dominates(&p->post, point, from)))
			return false;
	}
	return true;
}

static bool pushes_at(const planner *p, uint32_t block, uint32_t point)
{
	for (size_t k = 0; k < p->hoisted.n; k++)
		if (p->hoisted.at[k].block == block && p->hoisted.at[k].point == point)
			return true;
	return p->point[block] == point;
}

/* Is `point` pushed in the block, or in a block that always comes before it? */
static bool is_pushed(const planner *p, uint32_t block, uint32_t point)
{
	for (uint32_t steps = 0; block != point && steps <= p->n; steps++) {
		if (pushes_at(p, block, point))
			return true;
		if (p->f->blocks.at[block]->pred_blocks.n != 1)
			return false;
		block = p->f->blocks.at[block]->pred_blocks.at[0];
	}
	return false;
}

/* Moves the push of b's branch, which is in the loop with header h, to the entries of the loop, if that is possible. */
static void hoist_push(planner *p, uint32_t h, const hd_bits *loop, uint32_t b)
{
	const hd_ir_block *header = p->f->blocks.at[h];
	uint32_t point = p->point[b];
	if (point == HD_NO_BLOCK || !can_hoist(p, h, loop, point))
		return;
	p->point[b] = HD_NO_BLOCK;
	for (size_t i = 0; i < header->pred_blocks.n; i++) {
		uint32_t from = header->pred_blocks.at[i];
		if (!hd_bits_has(loop, from) && !is_pushed(p, from, point))
			hd_vec_push(&p->hoisted, ((hoisted_push){from, point}));
	}
}

/* The innermost loop of a branch decides; it has the highest header. */
static void hoist_pushes(planner *p)
{
	hd_bits loop = hd_bits_new((size_t)p->n + 1), decided = hd_bits_new((size_t)p->n + 1);
	uint32_t *queue = hd_xcalloc((size_t)p->n + 1, sizeof *queue);
	for (uint32_t h = p->n; h-- > 0;) {
		if (!find_loop(p->f, h, &loop, queue))
			continue;
		for (uint32_t b = h; b < p->n; b++) {
			if (!hd_bits_has(&loop, b) || hd_bits_has(&decided, b))
				continue;
			hd_bits_add(&decided, b);
			hoist_push(p, h, &loop, b);
		}
	}
	hd_bits_free(&loop);
	hd_bits_free(&decided);
	free(queue);
}

static void append_push(hd_ir_module *module, hd_ir_block *block, uint32_t target)
{
	hd_ir_inst *push = hd_ir_inst_new(module, HD_OP_PUSH, 0, 0);
	push->callee = (int32_t)target;
	push->loc = block->loc;
	hd_vec_push(&block->insts, push);
}

/* Redirects edges to the sync blocks, and appends the pushes. moved[b]: the new number of block b; its sync block has the number before it. */
static void insert_pushes(hd_ir_module *module, hd_ir_function *f, const planner *p, const uint32_t *moved)
{
	for (uint32_t b = 0; b < p->n; b++) {
		hd_ir_block *block = f->blocks.at[b];
		for (size_t s = 0; s < block->succ.n; s++) {
			uint32_t to = block->succ.at[s];
			block->succ.at[s] = moved[to] - hd_bits_has(&p->synced, to);
		}
		/* Outer regions first. */
		for (size_t i = 0; i < p->hoisted.n; i++)
			if (p->hoisted.at[i].block == b)
				append_push(module, block, moved[p->hoisted.at[i].point] - 1);
		if (p->point[b] != HD_NO_BLOCK)
			append_push(module, block, moved[p->point[b]] - 1);
	}
}

static void fill_sync_block(hd_ir_module *module, hd_ir_block *block, const hd_ir_block *before, uint32_t number)
{
	hd_ir_inst *sync = hd_ir_inst_new(module, HD_OP_SYNC, 0, 0);
	block->loc = sync->loc = before->insts.n ? before->insts.at[0]->loc : before->loc;
	hd_vec_push(&block->insts, sync);
	block->term = HD_TERM_JUMP;
	hd_vec_push(&block->succ, number);
}

static void insert(hd_ir_module *module, hd_ir_function *f, const planner *p)
{
	uint32_t n = p->n, total = n, at = 0, *moved = hd_xcalloc(n + 1, sizeof *moved);
	for (uint32_t b = 0; b < n; b++) {
		at += hd_bits_has(&p->synced, b);
		moved[b] = at++;
	}
	insert_pushes(module, f, p, moved);
	for (uint32_t b = 0; b < n; b++)
		if (hd_bits_has(&p->synced, b))
			total = hd_ir_block_new(module, f) + 1;
	hd_ir_block **blocks = hd_xcalloc(total + 1, sizeof *blocks);
	for (uint32_t b = 0, fresh = n; b < n; b++) {
		hd_ir_block *block = blocks[moved[b]] = f->blocks.at[b];
		if (!hd_bits_has(&p->synced, b))
			continue;
		blocks[moved[b] - 1] = f->blocks.at[fresh++];
		fill_sync_block(module, blocks[moved[b] - 1], block, moved[b]);
	}
	memcpy(f->blocks.at, blocks, total * sizeof *blocks);
	free(blocks);
	free(moved);
}

/* Reconvergence points of the branches that can diverge. */
static void find_points(planner *p, const hd_machine *machine, const hd_resource_set *written)
{
	hd_bits divergent = hd_bits_new((size_t)p->n + 1);
	for (uint32_t b = 0; b < p->n; b++)
		p->point[b] = hd_reconvergence_point(&p->post, p->f, b);
	hd_find_divergent_branches(p->f, machine, written, p->point, &divergent);
	for (uint32_t b = 0; b < p->n; b++) {
		if (!hd_bits_has(&divergent, b))
			p->point[b] = HD_NO_BLOCK;
		if (p->point[b] != HD_NO_BLOCK)
			hd_bits_add(&p->synced, p->point[b]);
	}
	hd_bits_free(&divergent);
}

bool hd_pass_reconverge(hd_ir_module *module, const hd_pass_context *context)
{
	if (context->machine->divergence_mode != HD_DIV_STACK)
		return true;
	hd_resource_set *written = hd_written_resources(module, context->machine);
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		hd_ir_link(f);
		planner p = {.f = f, .post = hd_post_dominators_new(f), .n = (uint32_t)f->blocks.n};
		p.point = hd_xcalloc((size_t)p.n + 1, sizeof *p.point);
		p.synced = hd_bits_new((size_t)p.n + 1);
		find_points(&p, context->machine, written);
		hoist_pushes(&p);
		insert(module, f, &p);
		hd_vec_free(&p.hoisted);
		hd_bits_free(&p.synced);
		hd_post_dominators_free(&p.post);
		free(p.point);
	}
	free(written);
	return true;
}

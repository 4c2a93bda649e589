#include "passes/lower/reconvergence.h"

#include "passes/analysis/joins.h"
#include "passes/analysis/uniformity.h"

/* Lanes are registered for a join at a place: before the branch of a block, or before a loop. */
typedef struct region {
	uint32_t block; /* the block with the branch, or the header of the loop */
	bool before_loop;
	uint32_t join;
	bool round; /* the lanes meet at the end of an iteration of the loop whose header is the join */
	bool dropped;
} region;

/* The blocks that are inserted before an old block, in this order. */
typedef enum slot { ENTER, BEFORE_LOOP, ROUND, OLD, SLOTS } slot;

typedef struct planner {
	hd_ir_module *module;
	hd_ir_function *f;
	hd_joins joins;
	uint32_t n; /* blocks, before any is inserted */
	HD_VEC(region) regions;
	uint32_t (*number)[SLOTS]; /* by old block: the new numbers; HD_NO_BLOCK: no such block */
} planner;

/* The join only ends the thread, and nobody has to be there together. */
static bool only_ends(const hd_ir_block *block) { return block->term == HD_TERM_EXIT && block->insts.n == 0; }

static bool has_one_entry(const planner *p, uint32_t header)
{
	for (uint32_t b = header + 1; b <= p->joins.last[header]; b++) {
		const hd_ir_block *block = p->f->blocks.at[b];
		for (size_t i = 0; i < block->pred_blocks.n; i++)
			if (!hd_joins_in_loop(&p->joins, header, block->pred_blocks.at[i]))
				return false;
	}
	return header != 0;
}

static bool is_header_of(const planner *p, uint32_t join, uint32_t block)
{
	return p->joins.last[join] != HD_NO_BLOCK && hd_joins_in_loop(&p->joins, join, block);
}

static region place(const planner *p, uint32_t branch, uint32_t join)
{
	uint32_t loop = hd_joins_loop_without(&p->joins, branch, join);
	region r = {.block = branch, .join = join, .round = is_header_of(p, join, branch)};
	if (loop != HD_NO_BLOCK && has_one_entry(p, loop)) {
		r.block = loop;
		r.before_loop = true;
	}
	return r;
}

/* The loop in which the lanes are registered. */
static uint32_t loop_of(const planner *p, const region *r) { return r->before_loop ? p->joins.outer[r->block] : p->joins.inner[r->block]; }

/* Every lane that comes to the place of `b` has come through that of `a` in the same iteration. */
static bool covers(const planner *p, const region *a, const region *b)
{
	if (a->join != b->join || a->round != b->round || loop_of(p, a) != loop_of(p, b))
		return false;
	if (a->block == b->block)
		return a->before_loop || !b->before_loop;
	return hd_joins_dominates(&p->joins, a->block, b->block) && !(a->before_loop && hd_joins_in_loop(&p->joins, a->block, b->block));
}

static void drop_covered(planner *p)
{
	for (size_t i = 0; i < p->regions.n; i++)
		for (size_t k = 0; k < p->regions.n && !p->regions.at[i].dropped; k++)
			p->regions.at[i].dropped = k != i && !p->regions.at[k].dropped && covers(p, &p->regions.at[k], &p->regions.at[i]);
	size_t n = 0;
	for (size_t i = 0; i < p->regions.n; i++)
		if (!p->regions.at[i].dropped)
			p->regions.at[n++] = p->regions.at[i];
	p->regions.n = n;
}

/* Joins in the order in which lanes reach them; the end of an iteration comes behind the loop's blocks. */
static uint64_t order_of(const planner *p, const region *r) { return r->round ? 2 * (uint64_t)p->joins.last[r->join] + 1 : 2 * (uint64_t)r->join; }

static void find_regions(planner *p, const hd_machine *machine, const hd_resource_set *written)
{
	hd_bits divergent = hd_bits_new((size_t)p->n + 1), joins = hd_bits_new((size_t)p->n + 1);
	hd_find_divergent_branches(p->f, machine, written, &p->joins, &divergent);
	for (size_t b = hd_bits_next(&divergent, 0); b < p->n; b = hd_bits_next(&divergent, b + 1)) {
		hd_bits_clear(&joins);
		hd_joins_of(&p->joins, (uint32_t)b, &joins);
		for (size_t at = hd_bits_next(&joins, 0); at < p->n; at = hd_bits_next(&joins, at + 1))
			if (!only_ends(p->f->blocks.at[at]))
				hd_vec_push(&p->regions, place(p, (uint32_t)b, (uint32_t)at));
	}
	drop_covered(p);
	hd_bits_free(&divergent);
	hd_bits_free(&joins);
}

/* Numbers the blocks with those that are inserted. Returns how many there are. */
static uint32_t number_blocks(planner *p)
{
	uint32_t at = 0;
	for (size_t i = 0; i < p->regions.n; i++) {
		const region *r = &p->regions.at[i];
		p->number[r->join][r->round ? ROUND : ENTER] = 0;
		if (r->before_loop)
			p->number[r->block][BEFORE_LOOP] = 0;
	}
	for (uint32_t b = 0; b < p->n; b++)
		for (unsigned s = 0; s < SLOTS; s++)
			if (s == OLD || p->number[b][s] != HD_NO_BLOCK)
				p->number[b][s] = at++;
	return at;
}

static uint32_t first_of(const uint32_t *number, unsigned from, unsigned without)
{
	while (number[from] == HD_NO_BLOCK || from == without)
		from++;
	return number[from];
}

static void redirect_edges(planner *p)
{
	for (uint32_t b = 0; b < p->n; b++) {
		hd_ir_block *block = p->f->blocks.at[b];
		for (size_t s = 0; s < block->succ.n; s++) {
			uint32_t to = block->succ.at[s];
			bool goes_round = is_header_of(p, to, b), falls = to == b + 1;
			block->succ.at[s] = first_of(p->number[to], goes_round ? ROUND : ENTER, goes_round || falls ? SLOTS : ROUND);
		}
	}
}

static hd_ir_inst *append(planner *p, hd_ir_block *block, hd_op op)
{
	hd_ir_inst *inst = hd_ir_inst_new(p->module, op, 0, 0);
	inst->loc = block->loc;
	hd_vec_push(&block->insts, inst);
	return inst;
}

/* Appends the pushes of a place, the join that lanes reach last first. */
static void append_pushes(planner *p, hd_ir_block *block, uint32_t at, bool before_loop)
{
	for (uint64_t below = UINT64_MAX;;) {
		const region *next = NULL;
		for (size_t i = 0; i < p->regions.n; i++) {
			const region *r = &p->regions.at[i];
			if (r->block == at && r->before_loop == before_loop && order_of(p, r) < below &&
			    (!next || order_of(p, r) > order_of(p, next)))
				next = r;
		}
		if (!next)
			return;
		below = order_of(p, next);
		append(p, block, HD_OP_PUSH)->callee = (int32_t)p->number[next->join][next->round ? ROUND : ENTER];
	}
}

static hd_ir_block *new_block(planner *p, const hd_ir_block *before, uint32_t next)
{
	uint32_t fresh = hd_ir_block_new(p->module, p->f);
	hd_ir_block *block = p->f->blocks.at[fresh];
	block->loc = before->insts.n ? before->insts.at[0]->loc : before->loc;
	block->term = HD_TERM_JUMP;
	hd_vec_push(&block->succ, next);
	return block;
}

static void insert(planner *p)
{
	uint32_t total = number_blocks(p);
	hd_ir_block **blocks = hd_xcalloc((size_t)total + 1, sizeof *blocks);
	redirect_edges(p);
	for (uint32_t b = 0; b < p->n; b++) {
		const uint32_t *number = p->number[b];
		hd_ir_block *old = blocks[number[OLD]] = p->f->blocks.at[b];
		append_pushes(p, old, b, false);
		for (unsigned s = 0; s < OLD; s++) {
			if (number[s] == HD_NO_BLOCK)
				continue;
			hd_ir_block *block = blocks[number[s]] = new_block(p, old, first_of(number, s + 1, SLOTS));
			if (s == BEFORE_LOOP)
				append_pushes(p, block, b, true);
			else
				append(p, block, HD_OP_SYNC);
		}
	}
	memcpy(p->f->blocks.at, blocks, total * sizeof *blocks);
	free(blocks);
}

static void reconverge(hd_ir_module *module, hd_ir_function *f, const hd_machine *machine, const hd_resource_set *written)
{
	planner p = {.module = module, .f = f, .n = (uint32_t)f->blocks.n};
	hd_ir_link(f);
	p.joins = hd_joins_new(f);
	p.number = hd_xcalloc((size_t)p.n + 1, sizeof *p.number);
	memset(p.number, 0xff, ((size_t)p.n + 1) * sizeof *p.number);
	find_regions(&p, machine, written);
	insert(&p);
	hd_joins_free(&p.joins);
	hd_vec_free(&p.regions);
	free(p.number);
}

bool hd_pass_reconverge(hd_ir_module *module, const hd_pass_context *context)
{
	if (context->machine->divergence_mode == HD_DIV_RESUME)
		return true;
	hd_resource_set *written = hd_written_resources(module, context->machine);
	for (size_t i = 0; i < module->functions.n; i++)
		reconverge(module, module->functions.at[i], context->machine, written);
	free(written);
	return true;
}

#include "passes/lower/reconvergence.h"

#include "passes/lower/convergence_barriers.h"

/* The blocks that are inserted around an old block, in this order. A yield ends the old block, and the tail has its branch. */
typedef enum slot { ENTER, BEFORE_LOOP, ROUND, OLD, TAIL, SLOTS } slot;

typedef struct planner {
	hd_ir_module *module;
	hd_ir_function *f;
	hd_regions regions;
	hd_bits yields; /* blocks that go round a loop in which other lanes may have to run */
	hd_leavings leavings;
	bool barriers;             /* convergence barriers, not the stack */
	bool flags;                /* a flag pops a token, not a sync (RC-21) */
	uint32_t n;                /* blocks, before any is inserted */
	uint32_t (*number)[SLOTS]; /* by old block: the new numbers; HD_NO_BLOCK: no such block */
} planner;

/* The sync block of a region. */
static uint32_t *sync_of(const planner *p, const hd_region *r) { return &p->number[r->join][r->round ? ROUND : ENTER]; }

static uint32_t first_of(const uint32_t *number, unsigned from, unsigned without)
{
	while (number[from] == HD_NO_BLOCK || from == without)
		from++;
	return number[from];
}

/* The block in which the lanes of a region meet: its sync block, or the one that would follow, whose first instruction has a flag. */
static uint32_t meeting_of(const planner *p, const hd_region *r)
{
	uint32_t sync = *sync_of(p, r);
	return sync == HD_NO_BLOCK ? first_of(p->number[r->join], r->round ? OLD : BEFORE_LOOP, SLOTS) : sync;
}

/* True when an old block has no instruction and gets no push. */
static bool stays_empty(const planner *p, uint32_t b)
{
	bool empty = !p->f->blocks.at[b]->insts.n;
	for (size_t i = 0; empty && i < p->regions.n; i++)
		empty = p->regions.at[i].block != b || p->regions.at[i].before_loop;
	return empty;
}

/* RC-21. With flags true when nothing in the block where lanes meet could have the flag. The sync has a block of its own then, too: lanes go on
 * behind it, and only a block can be a resume point. Requires: the blocks before loops are known. */
static bool needs_sync(const planner *p, const hd_region *r)
{
	bool pushes_follow = !r->round && p->number[r->join][BEFORE_LOOP] != HD_NO_BLOCK;
	return !p->flags || (!pushes_follow && stays_empty(p, r->join));
}

/* Numbers the blocks with those that are inserted. Returns how many there are. */
static uint32_t number_blocks(planner *p)
{
	uint32_t at = 0;
	for (size_t i = 0; i < p->regions.n; i++)
		if (p->regions.at[i].before_loop)
			p->number[p->regions.at[i].block][BEFORE_LOOP] = 0;
	for (size_t i = 0; i < p->regions.n; i++)
		if (needs_sync(p, &p->regions.at[i]))
			*sync_of(p, &p->regions.at[i]) = 0;
	for (uint32_t b = 0; b < p->n; b++)
		for (unsigned s = 0; s < SLOTS; s++)
			if (s == OLD || (s == TAIL && hd_bits_has(&p->yields, b)) || p->number[b][s] != HD_NO_BLOCK)
				p->number[b][s] = at++;
	return at;
}

static void redirect_edges(planner *p)
{
	for (uint32_t b = 0; b < p->n; b++) {
		hd_ir_block *block = p->f->blocks.at[b];
		for (size_t s = 0; s < block->succ.n; s++) {
			uint32_t to = block->succ.at[s];
			bool goes_round = hd_regions_goes_round(&p->regions, to, b), falls = to == b + 1;
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

/* Registers the lanes at a place, for the join that lanes reach last first. */
static void append_pushes(planner *p, hd_ir_block *block, uint32_t at, bool before_loop)
{
	for (uint64_t below = UINT64_MAX;;) {
		const hd_region *next = NULL;
		for (size_t i = 0; i < p->regions.n; i++) {
			const hd_region *r = &p->regions.at[i];
			if (r->block == at && r->before_loop == before_loop && hd_region_order(&p->regions, r) < below &&
			    (!next || hd_region_order(&p->regions, r) > hd_region_order(&p->regions, next)))
				next = r;
		}
		if (!next)
			return;
		below = hd_region_order(&p->regions, next);
		if (p->barriers)
			append(p, block, HD_OP_BSSY)->offset = (int32_t)next->barrier;
		else
			append(p, block, HD_OP_PUSH)->callee = (int32_t)meeting_of(p, next);
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

/* The barrier of a sync block. */
static uint32_t barrier_at(const planner *p, uint32_t join, bool round)
{
	for (size_t i = 0; i < p->regions.n; i++)
		if (p->regions.at[i].join == join && p->regions.at[i].round == round)
			return p->regions.at[i].barrier;
	return HD_NO_BARRIER;
}

/* Lanes leave barriers on an edge: in the block that it leads to, if no other edge does; else before the branch, under its condition. */
static void insert_leavings(planner *p)
{
	for (size_t i = 0; i < p->leavings.n; i++) {
		const hd_leaving *l = &p->leavings.at[i];
		hd_ir_block *from = p->f->blocks.at[l->block], *to = p->f->blocks.at[from->succ.at[l->side]];
		const uint32_t *number = p->number[from->succ.at[l->side]];
		bool alone =
		    to->pred_blocks.n == 1 && number[ENTER] == HD_NO_BLOCK && number[BEFORE_LOOP] == HD_NO_BLOCK && number[ROUND] == HD_NO_BLOCK;
		hd_ir_inst *inst = append(p, from->term == HD_TERM_BRANCH && alone ? to : from, HD_OP_BREAK);
		inst->offset = (int32_t)l->barrier;
		if (from->term == HD_TERM_BRANCH && alone) {
			memmove(&to->insts.at[1], &to->insts.at[0], (to->insts.n - 1) * sizeof *to->insts.at);
			to->insts.at[0] = inst;
		} else if (from->term == HD_TERM_BRANCH) {
			inst->guard = from->pred;
			inst->guard.neg ^= l->side == 1;
		}
	}
}

/* `from` goes on at block `next`, which is `to`. */
static void move_terminator(hd_ir_block *from, hd_ir_block *to, uint32_t next)
{
	to->loc = from->loc;
	to->term = from->term;
	to->pred = from->pred;
	to->succ.n = 0;
	for (size_t s = 0; s < from->succ.n; s++)
		hd_vec_push(&to->succ, from->succ.at[s]);
	from->term = HD_TERM_JUMP;
	from->pred = (hd_opd){0};
	from->succ.n = 0;
	hd_vec_push(&from->succ, next);
}

/* The old block ends with a yield, and the new one behind it has its branch. */
static hd_ir_block *split_tail(planner *p, hd_ir_block *old, uint32_t number)
{
	hd_ir_block *tail = new_block(p, old, 0);
	append(p, old, HD_OP_YIELD);
	move_terminator(old, tail, number);
	return tail;
}

/* RC-21 */
static void mark_meetings(planner *p, hd_ir_block **blocks)
{
	for (size_t i = 0; i < p->regions.n; i++)
		if (*sync_of(p, &p->regions.at[i]) == HD_NO_BLOCK)
			blocks[meeting_of(p, &p->regions.at[i])]->meets = true;
}

static void insert(planner *p)
{
	uint32_t total = number_blocks(p);
	hd_ir_block **blocks = hd_xcalloc((size_t)total + 1, sizeof *blocks);
	for (uint32_t b = 0; b < p->n; b++)
		append_pushes(p, p->f->blocks.at[b], b, false);
	insert_leavings(p); /* behind the registrations of the same block */
	redirect_edges(p);
	for (uint32_t b = 0; b < p->n; b++) {
		const uint32_t *number = p->number[b];
		hd_ir_block *old = blocks[number[OLD]] = p->f->blocks.at[b];
		for (unsigned s = 0; s < OLD; s++) {
			if (number[s] == HD_NO_BLOCK)
				continue;
			hd_ir_block *block = blocks[number[s]] = new_block(p, old, first_of(number, s + 1, SLOTS));
			if (s == BEFORE_LOOP)
				append_pushes(p, block, b, true);
			else if (p->barriers)
				append(p, block, HD_OP_BSYNC)->offset = (int32_t)barrier_at(p, b, s == ROUND);
			else
				append(p, block, HD_OP_SYNC);
		}
		if (number[TAIL] != HD_NO_BLOCK)
			blocks[number[TAIL]] = split_tail(p, old, number[TAIL]);
	}
	if (p->flags)
		mark_meetings(p, blocks);
	memcpy(p->f->blocks.at, blocks, total * sizeof *blocks);
	free(blocks);
}

/* The loop may wait for a value that another lane of the warp writes. */
static bool may_spin(const hd_regions *regions, uint32_t header)
{
	bool watches = false;
	for (uint32_t b = header; b <= regions->joins.last[header]; b++) {
		const hd_ir_block *block = regions->function->blocks.at[b];
		for (size_t i = 0; i < block->insts.n; i++) {
			const hd_ir_inst *inst = block->insts.at[i];
			watches |= inst->nd && hd_ir_sees_others(inst);
		}
	}
	return watches;
}

/* The blocks that go round loops in which lanes may wait for others. There are others, in this loop or elsewhere, if any branch separates lanes. */
static void find_yields(planner *p)
{
	if (p->f->kernel && hd_bits_next(&p->regions.divergent, 0) >= p->n)
		return;
	for (uint32_t b = 0; b < p->n; b++) {
		const hd_ir_block *block = p->f->blocks.at[b];
		for (size_t s = 0; s < block->succ.n; s++)
			if (block->succ.at[s] <= b && may_spin(&p->regions, block->succ.at[s]))
				hd_bits_add(&p->yields, b);
	}
}

static bool contains(const hd_ir_function *f, unsigned op)
{
	for (size_t b = 0; b < f->blocks.n; b++)
		for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
			if (f->blocks.at[b]->insts.at[k]->op == op)
				return true;
	return false;
}

/* With convergence barriers lanes gather at a `bar` (groups.h). Lanes go on behind a `wsync`. */
static bool stands_alone(const hd_ir_inst *inst, const hd_machine *machine)
{
	return inst->op == HD_OP_WSYNC || (inst->op == HD_OP_BAR && machine->divergence_mode == HD_DIV_BARRIERS);
}

static uint32_t count_alone(const hd_ir_block *block, const hd_machine *machine)
{
	uint32_t n = 0;
	for (size_t k = 0; k < block->insts.n; k++)
		n += stands_alone(block->insts.at[k], machine);
	return n;
}

/* Moves the instructions from the n-th on, and the terminator, to a new block with number `next`. */
static hd_ir_block *cut(hd_ir_module *module, hd_ir_function *f, hd_ir_block *block, size_t n, uint32_t next)
{
	uint32_t fresh = hd_ir_block_new(module, f);
	hd_ir_block *rest = f->blocks.at[fresh];
	for (size_t k = n; k < block->insts.n; k++)
		hd_vec_push(&rest->insts, block->insts.at[k]);
	block->insts.n = n;
	move_terminator(block, rest, next);
	return rest;
}

/* Gives each instruction that stands alone a block of its own, in which nothing else is ever put: the block before it may be empty. */
static void isolate(hd_ir_module *module, hd_ir_function *f, const hd_machine *machine)
{
	uint32_t n = (uint32_t)f->blocks.n, total = 0, *number = hd_xcalloc((size_t)n + 1, sizeof *number);
	for (uint32_t b = 0; b < n; b++, total++) {
		number[b] = total;
		total += 2 * count_alone(f->blocks.at[b], machine);
	}
	hd_ir_block **blocks = hd_xcalloc((size_t)total + 1, sizeof *blocks);
	for (uint32_t b = 0; b < n; b++)
		for (size_t i = 0; i < f->blocks.at[b]->succ.n; i++)
			f->blocks.at[b]->succ.at[i] = number[f->blocks.at[b]->succ.at[i]];
	for (uint32_t b = 0; b < n; b++) {
		uint32_t at = number[b];
		hd_ir_block *block = blocks[at] = f->blocks.at[b];
		for (size_t k = 0; k < block->insts.n; k++) {
			if (!stands_alone(block->insts.at[k], machine))
				continue;
			blocks[at + 1] = cut(module, f, block, k, at + 1);
			blocks[at + 2] = cut(module, f, blocks[at + 1], 1, at + 2);
			block = blocks[at += 2];
			k = SIZE_MAX; /* the first instruction of the rest is next */
		}
	}
	if (total > n)
		memcpy(f->blocks.at, blocks, total * sizeof *blocks);
	free(blocks);
	free(number);
}

static void reconverge(hd_ir_module *module, hd_ir_function *f, const hd_machine *machine, const hd_resource_set *written, bool calls)
{
	hd_ir_link(f);
	planner p = {.module = module,
	             .f = f,
	             .regions = hd_regions_new(f, machine, written),
	             .yields = hd_bits_new(f->blocks.n + 1),
	             .barriers = machine->divergence_mode == HD_DIV_BARRIERS,
	             .flags = hd_machine_pops_by_flag(machine),
	             .n = (uint32_t)f->blocks.n};
	p.number = hd_xcalloc((size_t)p.n + 1, sizeof *p.number);
	memset(p.number, 0xff, ((size_t)p.n + 1) * sizeof *p.number);
	if (p.barriers && !calls)
		find_yields(&p);
	if (p.barriers)
		hd_assign_barriers(&p.regions, &p.yields, &p.leavings);
	insert(&p);
	hd_regions_free(&p.regions);
	hd_bits_free(&p.yields);
	hd_vec_free(&p.leavings);
	free(p.number);
}

static bool module_contains(const hd_ir_module *module, unsigned op)
{
	for (size_t i = 0; i < module->functions.n; i++)
		if (contains(module->functions.at[i], op))
			return true;
	return false;
}

bool hd_pass_reconverge(hd_ir_module *module, const hd_pass_context *context)
{
	for (size_t i = 0; i < module->functions.n; i++)
		isolate(module, module->functions.at[i], context->machine);
	if (context->machine->divergence_mode == HD_DIV_RESUME)
		return true;
	hd_resource_set *written = hd_written_resources(module, context->machine);
	bool calls = module_contains(module, HD_OP_CALL) || module_contains(module, HD_OP_CALLX);
	bool switches = calls && context->machine->divergence_mode == HD_DIV_BARRIERS &&
	                (module_contains(module, HD_OP_BAR) || module_contains(module, HD_OP_WSYNC));
	for (size_t i = 0; i < module->functions.n; i++) {
		module->functions.at[i]->switches = switches;
		reconverge(module, module->functions.at[i], context->machine, written, calls);
	}
	free(written);
	return true;
}

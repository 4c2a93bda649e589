#include "passes/schedule/layout.h"

enum { MAX_NESTING = 64 };

#define NO_BLOCK UINT32_MAX

typedef HD_VEC(uint32_t) block_list;

typedef struct path_entry {
	uint32_t block;
	size_t next_successor;
} path_entry;

typedef struct block_place {
	uint32_t rank;            /* in reverse post-order */
	uint32_t level;           /* the nesting depth of components that the block takes part in */
	uint32_t index, low_link; /* of Tarjan's algorithm for strongly connected components */
	bool on_stack;
} block_place;

typedef struct layout {
	const hd_ir_function *f;
	uint32_t *rpo; /* reachable blocks in reverse post-order */
	uint32_t reachable;
	block_place *of; /* by block */
	/* Tarjan's algorithm */
	block_list stack;
	HD_VEC(path_entry) path;
	uint32_t next_index;
	block_list out; /* the order */
} layout;

static void enter(layout *l, uint32_t block)
{
	hd_vec_push(&l->path, (path_entry){block, 0});
	l->of[block].index = l->of[block].low_link = l->next_index++;
	hd_vec_push(&l->stack, block);
	l->of[block].on_stack = true;
}

/* Moves the component whose first visited block is `root` from the stack to *found. */
static void pop_component(layout *l, uint32_t root, block_list *found)
{
	uint32_t popped;
	do {
		popped = l->stack.at[--l->stack.n];
		l->of[popped].on_stack = false;
		hd_vec_push(found, popped);
	} while (popped != root);
	hd_vec_push(found, NO_BLOCK);
}

/* Goes on with the block at the end of the path: enters one of its successors, or leaves the block. */
static void step(layout *l, uint32_t level, block_list *found)
{
	path_entry *top = &l->path.at[l->path.n - 1];
	uint32_t b = top->block;
	const hd_ir_block *block = l->f->blocks.at[b];
	while (top->next_successor < block->succ.n) {
		/* The fall-through side is visited last, so that it comes first behind the branch. */
		uint32_t s = block->succ.at[top->next_successor++];
		if (l->of[s].level != level)
			continue;
		if (l->of[s].index == NO_BLOCK) {
			enter(l, s);
			return;
		}
		if (l->of[s].on_stack)
			l->of[b].low_link = hd_min_u32(l->of[b].low_link, l->of[s].index);
	}
	if (l->of[b].low_link == l->of[b].index)
		pop_component(l, b, found);
	l->path.n--;
	if (l->path.n) {
		uint32_t *low_link = &l->of[l->path.at[l->path.n - 1].block].low_link;
		*low_link = hd_min_u32(*low_link, l->of[b].low_link);
	}
}

/* The strongly connected components of `members`, which are the blocks of the given level: in reverse topological order, NO_BLOCK behind each.
 * Without recursion, as chains of blocks can be very long. */
static void find_components(layout *l, const block_list *members, uint32_t level, block_list *found)
{
	l->next_index = 0;
	for (size_t i = 0; i < members->n; i++)
		l->of[members->at[i]].index = NO_BLOCK;
	for (size_t i = 0; i < members->n; i++) {
		if (l->of[members->at[i]].index != NO_BLOCK)
			continue;
		enter(l, members->at[i]);
		while (l->path.n)
			step(l, level, found);
	}
}

/* Appends all of a component but its header in reverse post-order. For loops nested deeper than programs are: any order is right. */
static void append_in_rpo(layout *l, const uint32_t *component, size_t n, uint32_t header)
{
	for (size_t i = 0; i < n; i++) /* nothing is on the stack now */
		l->of[component[i]].on_stack = component[i] != header;
	for (uint32_t i = 0; i < l->reachable; i++) {
		if (l->of[l->rpo[i]].on_stack)
			hd_vec_push(&l->out, l->rpo[i]);
		l->of[l->rpo[i]].on_stack = false;
	}
}

static void order_blocks(layout *l, const block_list *members, uint32_t level);

static void order_component(layout *l, const uint32_t *component, size_t n, uint32_t level)
{
	uint32_t header = component[0];
	for (size_t i = 1; i < n; i++) {
		if (l->of[component[i]].rank < l->of[header].rank)
			header = component[i];
	}
	hd_vec_push(&l->out, header);
	if (n == 1)
		return;
	if (level == MAX_NESTING) {
		append_in_rpo(l, component, n, header);
		return;
	}
	block_list rest = {0};
	for (size_t i = 0; i < n; i++) {
		if (component[i] != header) {
			hd_vec_push(&rest, component[i]);
			l->of[component[i]].level = level + 1;
		}
	}
	order_blocks(l, &rest, level + 1);
	hd_vec_free(&rest);
}

/* Appends `members`, which are the blocks of the given level, to the order. Edges to blocks of lower levels do not count: a loop's header is one. */
static void order_blocks(layout *l, const block_list *members, uint32_t level)
{
	block_list found = {0};
	find_components(l, members, level, &found);
	/* From the last component to the first; found.at[end - 1] is the mark behind one. */
	for (size_t end = found.n; end > 0;) {
		size_t begin = end - 1;
		while (begin > 0 && found.at[begin - 1] != NO_BLOCK)
			begin--;
		order_component(l, &found.at[begin], end - 1 - begin, level);
		end = begin;
	}
	hd_vec_free(&found);
}

/* Puts the function's blocks in the given order; others are dropped. */
static void apply_order(hd_ir_function *f, const uint32_t *order, uint32_t count)
{
	uint32_t *number = hd_xmalloc((f->blocks.n + 1) * sizeof *number);
	hd_ir_block **blocks = hd_xcalloc(count + 1, sizeof *blocks);
	memset(number, 0xff, (f->blocks.n + 1) * sizeof *number);
	for (uint32_t i = 0; i < count; i++)
		number[order[i]] = i;
	for (size_t b = 0; b < f->blocks.n; b++)
		if (number[b] == UINT32_MAX)
			hd_ir_block_empty(f->blocks.at[b]);
	for (uint32_t i = 0; i < count; i++) {
		blocks[i] = f->blocks.at[order[i]];
		for (size_t s = 0; s < blocks[i]->succ.n; s++)
			blocks[i]->succ.at[s] = number[blocks[i]->succ.at[s]];
	}
	memcpy(f->blocks.at, blocks, count * sizeof *blocks);
	f->blocks.n = count;
	free(blocks);
	free(number);
}

static layout layout_new(const hd_ir_function *f)
{
	layout l = {.f = f, .of = hd_xcalloc(f->blocks.n + 1, sizeof *l.of)};
	l.rpo = hd_ir_rpo(f, &l.reachable);
	for (uint32_t i = 0; i < l.reachable; i++)
		l.of[l.rpo[i]].rank = i;
	return l;
}

static void layout_free(layout *l)
{
	free(l->rpo);
	free(l->of);
	hd_vec_free(&l->stack);
	hd_vec_free(&l->path);
	hd_vec_free(&l->out);
}

/* Least address first meets early (RC-15). */
static void order_for_least_address(layout *l)
{
	block_list members = {0};
	for (uint32_t i = 0; i < l->reachable; i++)
		hd_vec_push(&members, l->rpo[i]);
	order_blocks(l, &members, 0);
	hd_vec_free(&members);
}

/* RC-23: the order of the front end. */
static void order_as_in_source(layout *l)
{
	for (uint32_t i = 0; i < l->reachable; i++)
		l->of[l->rpo[i]].on_stack = true;
	for (uint32_t b = 0; b < l->f->blocks.n; b++)
		if (l->of[b].on_stack)
			hd_vec_push(&l->out, b);
}

/* RC-23: any order that begins with the entry. */
static void order_by_chance(layout *l, uint64_t *random)
{
	order_as_in_source(l);
	for (uint32_t i = l->reachable; i > 2; i--) {
		uint32_t *last = &l->out.at[i - 1], *other = &l->out.at[1 + (hd_random(random) >> 16) % (i - 1)], block = *last;
		*last = *other;
		*other = block;
	}
}

static void lay_out(hd_ir_function *f, hd_layout chosen, uint64_t *random)
{
	layout l = layout_new(f);
	if (chosen == HD_LAYOUT_LEAST)
		order_for_least_address(&l);
	else if (chosen == HD_LAYOUT_SOURCE)
		order_as_in_source(&l);
	else
		order_by_chance(&l, random);
	hd_invariant(l.out.n == l.reachable && l.out.at[0] == 0, "layout of %s lost a block", f->name);
	apply_order(f, l.out.at, l.reachable);
	layout_free(&l);
}

static bool has_barrier(const hd_ir_module *module)
{
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		for (size_t b = 0; b < f->blocks.n; b++)
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++)
				if (f->blocks.at[b]->insts.at[k]->op == HD_OP_BAR)
					return true;
	}
	return false;
}

bool hd_pass_layout(hd_ir_module *module, const hd_pass_context *context)
{
	const hd_machine *machine = context->machine;
	hd_layout chosen = has_barrier(module) ? HD_LAYOUT_LEAST : machine->compile_layout;
	uint64_t random = machine->compile_seed;
	for (size_t i = 0; i < module->functions.n; i++)
		lay_out(module->functions.at[i], chosen, &random);
	return true;
}

/* Services on the control-flow graph: predecessors, order, loops. */
#include "ir/ir.h"

enum { MAX_LOOP_DEPTH = 16 }; /* deeper loops count as this deep; bounds the work on hostile input */

void hd_ir_link(hd_ir_function *function)
{
	for (size_t b = 0; b < function->blocks.n; b++)
		function->blocks.at[b]->pred_blocks.n = 0;
	for (size_t b = 0; b < function->blocks.n; b++) {
		hd_ir_block *block = function->blocks.at[b];
		for (size_t i = 0; i < block->succ.n; i++) {
			hd_ir_block *to = function->blocks.at[block->succ.at[i]];
			/* Both edges of a branch may lead to one block, which then counts as one predecessor. The edges of b are consecutive. */
			if (to->pred_blocks.n == 0 || to->pred_blocks.at[to->pred_blocks.n - 1] != b)
				hd_vec_push(&to->pred_blocks, (uint32_t)b);
		}
	}
}

typedef struct frame {
	uint32_t block;
	uint32_t next; /* successor to visit next */
} frame;

uint32_t *hd_ir_rpo(const hd_ir_function *function, uint32_t *count)
{
	size_t n = function->blocks.n, done = 0, depth = 0;
	uint32_t *order = hd_xmalloc(n * sizeof *order);
	frame *stack = hd_xmalloc(n * sizeof *stack);
	hd_bits seen = hd_bits_new(n);
	if (n > 0) {
		hd_bits_add(&seen, 0);
		stack[depth++] = (frame){0, 0};
	}
	while (depth > 0) {
		frame *top = &stack[depth - 1];
		const hd_ir_block *block = function->blocks.at[top->block];
		if (top->next == block->succ.n) {
			order[done++] = top->block;
			depth--;
			continue;
		}
		/* Visits the last successor first, so that the first one directly follows its block in the reversed order. */
		uint32_t to = block->succ.at[block->succ.n - ++top->next];
		if (!hd_bits_has(&seen, to)) {
			hd_bits_add(&seen, to);
			stack[depth++] = (frame){to, 0};
		}
	}
	for (size_t i = 0; i < done / 2; i++) {
		uint32_t other = order[i];
		order[i] = order[done - 1 - i];
		order[done - 1 - i] = other;
	}
	hd_bits_free(&seen);
	free(stack);
	*count = (uint32_t)done;
	return order;
}

/* State of one round of Tarjan's algorithm over the active blocks. Edges count only within one component of the previous round. */
typedef struct scc {
	hd_ir_function *function;
	const uint32_t *position; /* in reverse post-order */
	uint32_t *component, *next_component;
	uint32_t *index, *low; /* index 0 = not visited */
	uint32_t *stack;
	frame *frames;
	size_t stack_n;
	hd_bits active, on_stack;
	uint32_t visited, components;
	bool found; /* a cycle was found in this round */
} scc;

static bool has_edge(const hd_ir_block *block, uint32_t to)
{
	for (size_t i = 0; i < block->succ.n; i++)
		if (block->succ.at[i] == to)
			return true;
	return false;
}

/* Handles the component on the stack from `root` up: the blocks of a cycle are one loop deeper, and its header leaves the next round. */
static void close_component(scc *s, uint32_t root)
{
	uint32_t header = root, block;
	size_t first = s->stack_n;
	do {
		block = s->stack[--first];
		if (s->position[block] < s->position[header])
			header = block;
	} while (block != root);
	bool cycle = s->stack_n - first > 1 || has_edge(s->function->blocks.at[root], root);
	s->components++;
	for (size_t i = first; i < s->stack_n; i++) {
		block = s->stack[i];
		hd_bits_del(&s->on_stack, block);
		s->next_component[block] = s->components;
		if (cycle)
			s->function->blocks.at[block]->loop_depth++;
		if (!cycle || block == header)
			hd_bits_del(&s->active, block);
	}
	s->stack_n = first;
	s->found |= cycle;
}

static void visit(scc *s, uint32_t start)
{
	size_t depth = 0;
	s->frames[depth++] = (frame){start, 0};
	while (depth > 0) {
		frame *top = &s->frames[depth - 1];
		uint32_t block = top->block;
		const hd_ir_block *at = s->function->blocks.at[block];
		if (top->next == 0 && s->index[block] == 0) {
			s->index[block] = s->low[block] = ++s->visited;
			s->stack[s->stack_n++] = block;
			hd_bits_add(&s->on_stack, block);
		}
		if (top->next < at->succ.n) {
			uint32_t to = at->succ.at[top->next++];
			if (s->component[to] != s->component[block])
				continue;
			if (hd_bits_has(&s->on_stack, to)) {
				if (s->index[to] < s->low[block])
					s->low[block] = s->index[to];
			} else if (s->index[to] == 0 && hd_bits_has(&s->active, to)) {
				s->frames[depth++] = (frame){to, 0};
			}
			continue;
		}
		if (s->low[block] == s->index[block])
			close_component(s, block);
		if (--depth > 0) {
			uint32_t parent = s->frames[depth - 1].block;
			if (s->low[block] < s->low[parent])
				s->low[parent] = s->low[block];
		}
	}
}

/* Loops nest as strongly connected components do. Each round finds the components and removes the header of each one. */
void hd_ir_loops(hd_ir_function *function)
{
	size_t n = function->blocks.n;
	uint32_t reachable, *order = hd_ir_rpo(function, &reachable);
	uint32_t *words = hd_xcalloc(6 * (n ? n : 1), sizeof *words), *position = words + 5 * n;
	scc s = {.function = function,
	         .position = position,
	         .component = words,
	         .next_component = words + n,
	         .index = words + 2 * n,
	         .low = words + 3 * n,
	         .stack = words + 4 * n,
	         .frames = hd_xmalloc(n * sizeof(frame)),
	         .active = hd_bits_new(n),
	         .on_stack = hd_bits_new(n)};
	for (size_t b = 0; b < n; b++)
		function->blocks.at[b]->loop_depth = 0;
	for (uint32_t i = 0; i < reachable; i++) {
		position[order[i]] = i;
		hd_bits_add(&s.active, order[i]);
	}
	s.found = true;
	for (unsigned round = 0; s.found && round < MAX_LOOP_DEPTH; round++) {
		s.found = false;
		s.visited = s.components = 0;
		memset(s.index, 0, n * sizeof *s.index);
		memset(s.next_component, 0, n * sizeof *s.next_component);
		for (uint32_t i = 0; i < reachable; i++)
			if (s.index[order[i]] == 0 && hd_bits_has(&s.active, order[i]))
				visit(&s, order[i]);
		uint32_t *swap = s.component;
		s.component = s.next_component;
		s.next_component = swap;
	}
	hd_bits_free(&s.active);
	hd_bits_free(&s.on_stack);
	free(s.frames);
	free(words);
	free(order);
}

#include "check/graph.h"

/* A branch that nobody takes only waits; a barrier and a push go on behind themselves. */
static bool is_flow(const hd_inst *inst)
{
	return (hd_ops[inst->op].flags & HD_OPF_FLOW) && inst->op != HD_OP_BAR && inst->op != HD_OP_PUSH && !hd_is_never(inst);
}

static uint32_t next_word(const hd_code_graph *g, uint32_t word) { return hd_after(g->object->geometry, word); }

/* First instruction at or after a word. */
static uint32_t real_word(const hd_code_graph *g, uint32_t word) { return hd_is_scheduling_word(g, word) ? word + 1 : word; }

static void mark_leader(const hd_code_graph *g, uint8_t *leader, uint32_t word)
{
	if (word < g->words)
		leader[real_word(g, word)] = 1;
}

static uint32_t function_of(const hd_object *object, uint32_t word)
{
	for (size_t i = 0; i < object->functions.n; i++) {
		if (word >= object->functions.at[i].begin && word < object->functions.at[i].end)
			return (uint32_t)i;
	}
	return UINT32_MAX;
}

uint32_t hd_block_at(const hd_code_graph *g, uint32_t word)
{
	uint32_t lo = 0, hi = g->n;
	while (lo + 1 < hi) {
		uint32_t middle = (lo + hi) / 2;
		if (g->begin[middle] <= word)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}

static void find_blocks(hd_code_graph *g)
{
	const hd_object *object = g->object;
	uint8_t *leader = hd_xcalloc((size_t)g->words + 2 * HD_LINE_WORDS, 1);
	for (size_t i = 0; i < object->functions.n; i++) {
		mark_leader(g, leader, object->functions.at[i].begin);
		mark_leader(g, leader, object->functions.at[i].end);
	}
	for (size_t i = 0; i < object->kernels.n; i++)
		mark_leader(g, leader, object->kernels.at[i].entry);
	mark_leader(g, leader, 1);
	for (uint32_t word = 0; word < g->words; word++) {
		if (!hd_is_scheduling_word(g, word) && g->insts[word].op == HD_OP_PUSH)
			mark_leader(g, leader, (uint32_t)g->insts[word].imm);
		if (hd_is_scheduling_word(g, word) || !is_flow(&g->insts[word]))
			continue;
		mark_leader(g, leader, next_word(g, word));
		if (hd_ops[g->insts[word].op].format == HD_F_BRANCH)
			mark_leader(g, leader, (uint32_t)g->insts[word].imm);
	}
	g->begin = hd_xcalloc((size_t)g->words + 2, sizeof *g->begin);
	for (uint32_t word = 0; word < g->words; word++) {
		if (leader[word])
			g->begin[g->n++] = word;
	}
	g->begin[g->n] = g->words;
	free(leader);
	g->function = hd_xcalloc(g->n + 1, sizeof *g->function);
	for (uint32_t b = 0; b < g->n; b++)
		g->function[b] = function_of(object, g->begin[b]);
}

uint32_t hd_block_last(const hd_code_graph *g, uint32_t block)
{
	uint32_t word = g->begin[block + 1] - 1;
	return hd_is_scheduling_word(g, word) && word > g->begin[block] ? word - 1 : word;
}

/* Blocks at whose start parked threads can wait. */
static hd_bits resume_points(const hd_code_graph *g)
{
	hd_bits resume = hd_bits_new((size_t)g->n + 2);
	for (uint32_t word = 0; word < g->words; word++)
		if (!hd_is_scheduling_word(g, word) && g->insts[word].op == HD_OP_PUSH)
			hd_bits_add(&resume, hd_block_at(g, (uint32_t)g->insts[word].imm));
	for (uint32_t b = 0; b < g->n; b++) {
		uint32_t word = hd_block_last(g, b);
		const hd_inst *inst = &g->insts[word];
		if (inst->op == HD_OP_BRX && !hd_is_never(inst)) /* its lanes can wait anywhere in the function */
			for (uint32_t x = 0; x < g->n; x++)
				if (g->function[x] == g->function[b])
					hd_bits_add(&resume, x);
		if (inst->op != HD_OP_BRA || hd_is_never(inst))
			continue;
		if ((uint32_t)inst->imm > word)
			hd_bits_add(&resume, hd_block_at(g, (uint32_t)inst->imm));
		else if (!hd_is_unguarded(inst))
			hd_bits_add(&resume, b + 1);
	}
	return resume;
}

static void find_successors(hd_code_graph *g, bool stack)
{
	hd_bits resume = resume_points(g);
	HD_VEC(uint32_t) succ = {0};
	g->succ_first = hd_xcalloc((size_t)g->n + 1, sizeof *g->succ_first);
	for (uint32_t b = 0; b < g->n; b++) {
		g->succ_first[b] = (uint32_t)succ.n;
		const hd_inst *inst = &g->insts[hd_block_last(g, b)];
		uint32_t target = UINT32_MAX, behind = b; /* resume points in (b, behind) can come first */
		bool falls = true, anywhere = false;
		if (inst->op == HD_OP_BRA && !hd_is_never(inst)) {
			target = hd_block_at(g, (uint32_t)inst->imm);
			falls = !hd_is_unguarded(inst);
			if (target > b)
				behind = target;
		} else if ((inst->op == HD_OP_EXIT || inst->op == HD_OP_RET) && !hd_is_never(inst)) {
			falls = !hd_is_unguarded(inst);
			behind = g->n;
			anywhere = stack;
		} else if (inst->op == HD_OP_TRAP && hd_is_unguarded(inst)) {
			falls = false;
		} else if (inst->op == HD_OP_BRX && !hd_is_never(inst)) {
			/* Anywhere in the function: nothing may be outstanding then, so that one edge a block costs nothing. */
			falls = !hd_is_unguarded(inst);
			for (uint32_t x = 0; x < g->n; x++) {
				if (g->function[x] == g->function[b])
					hd_vec_push(&succ, x);
			}
		}
		/* With a stack a warp takes up sides in any order. */
		anywhere |= stack && inst->op == HD_OP_SYNC;
		if (falls && b + 1 < g->n && g->function[b + 1] == g->function[b])
			hd_vec_push(&succ, b + 1);
		if (target != UINT32_MAX)
			hd_vec_push(&succ, target);
		for (uint32_t x = 0; anywhere && x < g->n; x++) {
			if (g->function[x] == g->function[b] && hd_bits_has(&resume, x))
				hd_vec_push(&succ, x);
		}
		if (anywhere)
			continue;
		for (uint32_t x = b + 1; x < behind && g->function[x] == g->function[b]; x++) {
			if (hd_bits_has(&resume, x) && x != target && !(falls && x == b + 1))
				hd_vec_push(&succ, x);
		}
	}
	g->succ_first[g->n] = (uint32_t)succ.n;
	g->succ = succ.at;
	g->n_succ = (uint32_t)succ.n;
	hd_bits_free(&resume);
}

hd_code_graph *hd_code_graph_new(const hd_object *object, bool stack)
{
	hd_code_graph *g = hd_xcalloc(1, sizeof *g);
	g->object = object;
	g->words = (uint32_t)object->code.n;
	g->insts = hd_xcalloc((size_t)g->words + 1, sizeof *g->insts);
	for (uint32_t word = 0; word < g->words; word++) {
		const char *why = NULL;
		if (!hd_is_scheduling_word(g, word))
			hd_invariant(hd_line_get(object->geometry, object->code.at, word, &g->insts[word], &why), "word %u does not decode: %s", word,
			             why);
	}
	find_blocks(g);
	find_successors(g, stack);
	return g;
}

void hd_code_graph_free(hd_code_graph *g)
{
	if (!g)
		return;
	free(g->insts);
	free(g->begin);
	free(g->function);
	free(g->succ_first);
	free(g->succ);
	free(g);
}

/* The blocks to which a warp can go from the end of a block B (docs/timing.md, Physical control flow).
 *
 *   G1  It can go to every block to which one of its lanes goes: the next block, the target of a branch (`bra`, `brk`), the listed targets of
 *       `brx` in the function of B.
 *   G2  It stays in the function of B. A call counts as going to the next block, because no instruction is outstanding at a call or a return.
 *   G3  When lanes leave B for a later block T, the warp can also go to any resume point between B and T, because the least address goes first
 *       (RC-5).
 *   G4  After `exit`, and after `ret` of some lanes, it can go to any resume point behind B. After `wsync`, and after these where the function has
 *       one, it can go to any resume point of the function: lanes that wait are let go there (docs/divergence.md). With a baseline (RC-16) it can go
 * to any resume point of the function: with the stack also after `sync` and `brk`, with convergence barriers also after `bsync`, `yield` and `bar`;
 * with flags (RC-21) from wherever control goes to a flagged block. G5  A resume point is a block at whose beginning lanes can be parked: the target
 * of a forward branch, the block behind a guarded backward branch, in a function with `brx` its listed targets and the block behind a guarded `brx`,
 * and the blocks behind the target of `push`, `wsync`, `bsync` and `yield`; with convergence barriers a `bar`. The block behind a call is no resume
 * point, because no instruction is outstanding there. With a flag (RC-21), the flagged block itself. G6  With convergence barriers, groups of lanes
 * in different functions take turns if there are calls, and yields, `wsync` or CTA barriers. Then no instruction is outstanding at `exit`, `wsync`,
 * `bsync`, `yield` and `bar` either.
 *
 * Blocks begin at all of these places, at functions and at kernels, so control never enters the middle of a block. */
#include "check/graph.h"

/* With convergence barriers, the lanes of a warp gather at a `bar`. */
static bool gathers(const hd_inst *inst, hd_divergence mode) { return inst->op == HD_OP_BAR && mode == HD_DIV_BARRIERS && !hd_is_never(inst); }

/* True for a flow instruction that ends a block. A branch that no lane takes only waits. Control goes from a push and a change of the lanes of a
 * convergence barrier to the next instruction, and from a barrier of the CTA if lanes do not gather there. */
static bool is_flow(const hd_inst *inst, hd_divergence mode)
{
	static const uint8_t goes_on[] = {HD_OP_BAR, HD_OP_PUSH, HD_OP_BSSY, HD_OP_BREAK};
	bool ends = !memchr(goes_on, inst->op, sizeof goes_on) || gathers(inst, mode);
	return (hd_ops[inst->op].flags & HD_OPF_FLOW) && ends && !hd_is_never(inst);
}

static uint32_t next_word(const hd_code_graph *g, uint32_t word) { return hd_object_after(g->object, word); }

/* First instruction at or after a word. */
static uint32_t real_word(const hd_code_graph *g, uint32_t word)
{
	while (word < g->words && hd_is_scheduling_word(g, word))
		word++;
	return word;
}

static void mark_leader(const hd_code_graph *g, uint8_t *leader, uint32_t word) { leader[real_word(g, word)] = 1; }

static uint32_t function_of(const hd_object *object, uint32_t word)
{
	const hd_function *function = hd_object_function(object, word);
	return function ? (uint32_t)(function - object->functions.at) : UINT32_MAX;
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

uint32_t hd_function_entry(const hd_code_graph *g, size_t function) { return hd_block_at(g, real_word(g, g->object->functions.at[function].begin)); }

/* Lanes of a token wait before the instruction (RC-21). */
static bool is_flagged(const hd_code_graph *g, hd_meeting how, uint32_t word)
{
	return how.flags && !hd_is_scheduling_word(g, word) && g->insts[word].hint3 & HD_MEETS;
}

/* Where lanes of the token of a `push` go on: behind a sync, and at a flag. */
static uint32_t behind_token(const hd_code_graph *g, hd_meeting how, uint32_t push)
{
	uint32_t target = (uint32_t)g->insts[push].imm;
	return is_flagged(g, how, target) ? target : next_word(g, target);
}

static void find_blocks(hd_code_graph *g, hd_meeting how)
{
	hd_divergence mode = how.mode;
	const hd_object *object = g->object;
	uint8_t *leader = hd_xcalloc((size_t)g->words + 2 * HD_LINE_WORDS, 1);
	for (size_t i = 0; i < object->functions.n; i++) {
		mark_leader(g, leader, object->functions.at[i].begin);
		mark_leader(g, leader, object->functions.at[i].end);
	}
	for (size_t i = 0; i < object->kernels.n; i++)
		mark_leader(g, leader, object->kernels.at[i].entry);
	for (size_t i = 0; i < object->targets.n; i++)
		mark_leader(g, leader, object->targets.at[i]);
	mark_leader(g, leader, 0);
	for (uint32_t word = 0; word < g->words; word++) {
		if (!hd_is_scheduling_word(g, word) && g->insts[word].op == HD_OP_PUSH)
			mark_leader(g, leader, behind_token(g, how, word));
		if (is_flagged(g, how, word))
			mark_leader(g, leader, word);
		if (hd_is_scheduling_word(g, word) || !is_flow(&g->insts[word], mode))
			continue;
		if (gathers(&g->insts[word], mode))
			mark_leader(g, leader, word);
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
	while (hd_is_scheduling_word(g, word) && word > g->begin[block])
		word--;
	return word;
}

uint32_t hd_next_listed_target(const hd_code_graph *g, uint32_t block, size_t *at)
{
	while (*at < g->object->targets.n) {
		uint32_t target = hd_block_at(g, g->object->targets.at[(*at)++]);
		if (g->function[target] == g->function[block])
			return target;
	}
	return UINT32_MAX;
}

/* G5 */
static hd_bits resume_points(const hd_code_graph *g, hd_meeting how)
{
	hd_divergence mode = how.mode;
	hd_bits resume = hd_bits_new((size_t)g->n + 2);
	for (uint32_t word = 0; word < g->words; word++) {
		if (!hd_is_scheduling_word(g, word) && g->insts[word].op == HD_OP_PUSH)
			hd_bits_add(&resume, hd_block_at(g, real_word(g, behind_token(g, how, word))));
	}
	for (uint32_t b = 0; b < g->n; b++) {
		uint32_t word = hd_block_last(g, b);
		const hd_inst *inst = &g->insts[word];
		bool all = hd_is_unguarded(inst);
		if (hd_is_never(inst))
			continue;
		if (inst->op == HD_OP_WSYNC || (mode == HD_DIV_BARRIERS && (inst->op == HD_OP_BSYNC || inst->op == HD_OP_YIELD)))
			hd_bits_add(&resume, b + 1);
		if (gathers(inst, mode))
			hd_bits_add(&resume, b);
		bool branch = inst->op == HD_OP_BRA || inst->op == HD_OP_BRK;
		if (branch && (uint32_t)inst->imm > word)
			hd_bits_add(&resume, hd_block_at(g, (uint32_t)inst->imm));
		bool forward = branch && (uint32_t)inst->imm > word;
		if ((branch || inst->op == HD_OP_BRX) && !all && (!forward || (how.taken_first && inst->op == HD_OP_BRA)))
			hd_bits_add(&resume, b + 1);
		size_t at = 0;
		if (inst->op == HD_OP_BRX && !hd_spend_steps(g, g->object->targets.n))
			break;
		for (uint32_t target; inst->op == HD_OP_BRX && (target = hd_next_listed_target(g, b, &at)) != UINT32_MAX;)
			hd_bits_add(&resume, target);
	}
	return resume;
}

typedef struct successors {
	const hd_code_graph *graph;
	HD_VEC(uint32_t) list;
	uint32_t *of;  /* by block x: 1 + the block that last added x as its successor */
	hd_bits syncs; /* functions that have a `wsync`; the last is all code outside of functions */
} successors;

static size_t function_or_none(const hd_code_graph *g, uint32_t b) { return g->function[b] == UINT32_MAX ? g->object->functions.n : g->function[b]; }

static void put(successors *s, uint32_t b, uint32_t next)
{
	if (s->of[next] == b + 1)
		return;
	s->of[next] = b + 1;
	if (hd_spend_steps(s->graph, HD_STEPS_OF_STORING))
		hd_vec_push(&s->list, next);
}

static void put_successors(const hd_code_graph *g, uint32_t b, const hd_bits *resume, hd_meeting how, successors *succ)
{
	hd_divergence mode = how.mode;
	bool stack = mode == HD_DIV_STACK;
	const hd_inst *inst = &g->insts[hd_block_last(g, b)];
	size_t at = 0;
	uint32_t first = (uint32_t)succ->list.n, target = UINT32_MAX, from = b + 1, to = b; /* the resume points of [from, to) are successors, too */
	if (inst->op == HD_OP_BRX && !hd_spend_steps(g, g->object->targets.n))
		return;
	switch (hd_is_never(inst) ? HD_OP_NOP : (hd_op)inst->op) {
	case HD_OP_BRA:
		target = to = hd_block_at(g, (uint32_t)inst->imm); /* G3; a backward branch has no block between */
		break;
	case HD_OP_BRK: /* G3, G4 */
		target = hd_block_at(g, (uint32_t)inst->imm);
		from = stack ? 0 : from;
		to = stack ? g->n : target;
		break;
	case HD_OP_BRX:
		for (uint32_t listed; (listed = hd_next_listed_target(g, b, &at)) != UINT32_MAX;) {
			put(succ, b, listed);
			to = listed > to ? listed : to; /* G3 */
		}
		break;
	case HD_OP_EXIT:
	case HD_OP_RET: /* G4 */
		from = mode == HD_DIV_RESUME && !hd_bits_has(&succ->syncs, function_or_none(g, b)) ? from : 0;
		to = g->n;
		break;
	case HD_OP_WSYNC:
		from = 0;
		to = g->n;
		break;
	case HD_OP_BAR:
	case HD_OP_BSYNC:
	case HD_OP_YIELD:
		from = mode == HD_DIV_BARRIERS ? 0 : from;
		to = mode == HD_DIV_BARRIERS ? g->n : to;
		break;
	case HD_OP_SYNC:
		from = stack ? 0 : from;
		to = stack ? g->n : to;
		break;
	default:
		break;
	}
	if (hd_falls_through(inst) && b + 1 < g->n && g->function[b + 1] == g->function[b])
		put(succ, b, b + 1);
	if (target != UINT32_MAX)
		put(succ, b, target);
	for (uint32_t i = first; i < succ->list.n; i++)
		if (is_flagged(g, how, g->begin[succ->list.at[i]])) {
			from = 0;
			to = g->n;
		}
	for (uint32_t x = from; x < to && hd_spend_steps(g, 1); x++) {
		bool same = g->function[x] == g->function[b];
		if (same && hd_bits_has(resume, x))
			put(succ, b, x);
		if (!same && x > b && g->function[b] != UINT32_MAX)
			break; /* the blocks of a function follow each other */
	}
}

static void find_successors(hd_code_graph *g, hd_meeting how)
{
	hd_bits resume = resume_points(g, how);
	successors succ = {.graph = g, .of = hd_xcalloc((size_t)g->n + 1, sizeof *succ.of), .syncs = hd_bits_new((size_t)g->object->functions.n + 1)};
	for (uint32_t b = 0; b < g->n; b++)
		if (g->insts[hd_block_last(g, b)].op == HD_OP_WSYNC)
			hd_bits_add(&succ.syncs, function_or_none(g, b));
	g->succ_first = hd_xcalloc((size_t)g->n + 1, sizeof *g->succ_first);
	for (uint32_t b = 0; b < g->n; b++) {
		g->succ_first[b] = (uint32_t)succ.list.n;
		put_successors(g, b, &resume, how, &succ);
	}
	g->succ_first[g->n] = (uint32_t)succ.list.n;
	g->succ = succ.list.at;
	g->n_succ = (uint32_t)succ.list.n;
	free(succ.of);
	hd_bits_free(&succ.syncs);
	hd_bits_free(&resume);
}

static void find_subroutines(hd_code_graph *g)
{
	const hd_object *object = g->object;
	g->kernel = hd_xcalloc(object->functions.n + 1, sizeof *g->kernel);
	for (size_t i = 0; i < object->kernels.n; i++) {
		uint32_t function = function_of(object, object->kernels.at[i].entry);
		if (function != UINT32_MAX)
			g->kernel[function] = true;
	}
}

bool hd_may_call(const hd_code_graph *g, uint32_t function)
{
	uint32_t begin = real_word(g, g->object->functions.at[function].begin);
	for (size_t i = 0; i < g->object->targets.n; i++) {
		if (g->object->targets.at[i] == begin)
			return !g->kernel[function];
	}
	return false;
}

bool hd_in_subroutine(const hd_code_graph *g, uint32_t block) { return g->function[block] != UINT32_MAX && !g->kernel[g->function[block]]; }

static bool contains(const hd_code_graph *g, hd_op op)
{
	for (uint32_t word = 0; word < g->words; word++)
		if (!hd_is_scheduling_word(g, word) && g->insts[word].op == op && !hd_is_never(&g->insts[word]))
			return true;
	return false;
}

hd_code_graph *hd_code_graph_new(const hd_object *object, hd_meeting how, uint64_t *steps)
{
	hd_code_graph *g = hd_xcalloc(1, sizeof *g);
	g->object = object;
	g->steps = steps;
	g->words = (uint32_t)object->code.n;
	g->insts = hd_xcalloc((size_t)g->words + 1, sizeof *g->insts);
	for (uint32_t word = 0; word < g->words; word++) {
		const char *why = NULL;
		if (!hd_is_scheduling_word(g, word))
			hd_invariant(hd_line_get(object->geometry, object->code.at, word, &g->insts[word], &why), "word %u does not decode: %s", word,
			             why);
	}
	find_blocks(g, how);
	find_subroutines(g);
	find_successors(g, how);
	g->switches = how.mode == HD_DIV_BARRIERS && (contains(g, HD_OP_WSYNC) || contains(g, HD_OP_YIELD) || contains(g, HD_OP_BAR)) &&
	              (contains(g, HD_OP_CALL) || contains(g, HD_OP_CALLX));
	return g;
}

void hd_code_graph_free(hd_code_graph *g)
{
	if (!g)
		return;
	free(g->insts);
	free(g->begin);
	free(g->function);
	free(g->kernel);
	free(g->succ_first);
	free(g->succ);
	free(g);
}

/* Which instructions lanes may reach in several groups, though one instruction would have served them all. With resume counters lanes meet at the
 * least address, as in the interpreter, so there is nothing to find.
 *
 *   A1  A branch is divergent when its guard, or the register of a `brx`, may differ among lanes. Values differ that come from the number of a thread
 *       or lane, from local memory, from an atomic or from a call, that are computed from such values, or, where the sides of a divergent branch
 *       meet, that any of them wrote.
 *   A2  Lanes of a side go along logical edges until they wait for the others: at a `sync`, a flag or a `bsync`. They go on behind one whose token or
 *       barrier was made on this side, because it gathers lanes of this side alone.
 *   A3  A block that two sides reach before they wait is reached in several groups. (That lanes of one side may also pass by the place where the
 *       others wait is not looked for.)
 *
 * The search ends after MOST_STEPS. Then notes are missing. */
#include "check/apart.h"

enum { MOST_STEPS = 20000000, RESOURCES = 256 + HD_PREDS };

typedef struct varying {
	uint64_t words[(RESOURCES + 63) / 64];
} varying;

typedef HD_VEC(uint32_t) block_list;

typedef struct finder {
	const hd_code_graph *g;
	hd_meeting how;
	varying *in;       /* by block: what may differ among lanes at its beginning */
	bool *divergent;   /* by block: its branch was followed */
	uint32_t *several; /* by block: a branch behind which several groups reach it, 0 = none (A3) */
	uint32_t *seen, *sides, round, first_round;
	block_list stack, stopped, made; /* blocks to visit, those that wait, and the tokens and barriers of this side (A2) */
	block_list met;                  /* blocks in which sides of this branch wait, or that several reach */
	varying written;                 /* by the sides of this branch */
	uint64_t steps;
} finder;

static bool has(const varying *v, unsigned i) { return v->words[i >> 6] >> (i & 63) & 1; }

static void put(varying *v, unsigned i, bool differs)
{
	uint64_t bit = UINT64_C(1) << (i & 63);
	v->words[i >> 6] = differs ? v->words[i >> 6] | bit : v->words[i >> 6] & ~bit;
}

static bool spend(finder *f, uint64_t n)
{
	f->steps -= hd_min_u64(f->steps, n);
	return f->steps > 0;
}

/* -- values that differ (A1) ------------------------------------------------------------------------------------------------------- */

static bool use_differs(const varying *v, const hd_use *use)
{
	for (unsigned w = 0; w < use->words; w++)
		if (use->reg + w < 256 && has(v, use->reg + w))
			return true;
	return !use->words && use->reg < HD_PREDS && has(v, 256u + use->reg);
}

static bool always_differs(const hd_inst *inst)
{
	return inst->op == HD_OP_S2R ? hd_sreg_differs(inst->sub) : hd_ops[inst->op].flags & HD_OPF_DIFFERS;
}

static void put_writes(varying *v, const hd_inst *inst, bool differs)
{
	hd_use uses[HD_MAX_USES];
	if (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX)
		memset(v, 0xff, sizeof *v);
	for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;) {
		for (unsigned w = 0; w < hd_max_u32(uses[n].words, 1); w++) {
			unsigned resource = uses[n].words ? uses[n].reg + w : 256u + uses[n].reg;
			if (resource < RESOURCES && (differs || hd_is_unguarded(inst)))
				put(v, resource, differs);
		}
	}
}

static void step(varying *v, const hd_inst *inst)
{
	hd_use uses[HD_MAX_USES];
	bool vote = inst->op == HD_OP_VOTE || inst->op == HD_OP_BALLOT; /* its predicate may differ */
	bool differs = always_differs(inst);
	for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;)
		differs |= !(vote && uses[n].operand == 5) && use_differs(v, &uses[n]);
	put_writes(v, inst, differs);
}

static bool join(varying *into, const varying *from)
{
	uint64_t added = 0;
	for (unsigned w = 0; w < HD_COUNT(into->words); w++) {
		added |= from->words[w] & ~into->words[w];
		into->words[w] |= from->words[w];
	}
	return added != 0;
}

/* -- where lanes go ---------------------------------------------------------------------------------------------------------------- */

static const hd_inst *last_of(const finder *f, uint32_t block) { return &f->g->insts[hd_block_last(f->g, block)]; }

/* Appends the logical successors. */
static void put_ways(const finder *f, uint32_t block, block_list *to)
{
	const hd_code_graph *g = f->g;
	const hd_inst *inst = last_of(f, block);
	const hd_op_info *info = &hd_ops[inst->op];
	size_t at = 0;
	if (!hd_is_never(inst) && info->format == HD_F_BRANCH && info->flags & HD_OPF_LEAVES)
		hd_vec_push(to, hd_block_at(g, (uint32_t)inst->imm));
	for (uint32_t target; !hd_is_never(inst) && inst->op == HD_OP_BRX && (target = hd_next_listed_target(g, block, &at)) != UINT32_MAX;)
		hd_vec_push(to, target);
	if (hd_falls_through(inst) && block + 1 < g->n && g->function[block + 1] == g->function[block])
		hd_vec_push(to, block + 1);
}

static bool flagged(const finder *f, uint32_t block)
{
	uint32_t word = f->g->begin[block];
	return f->how.flags && !hd_is_scheduling_word(f->g, word) && f->g->insts[word].hint3 & HD_MEETS;
}

/* The token or barrier for which lanes wait in the block: at its beginning by a flag, otherwise at its end. UINT32_MAX: they do not. */
static uint32_t waits_for(const finder *f, uint32_t block)
{
	const hd_inst *inst = last_of(f, block);
	if (flagged(f, block))
		return f->g->begin[block];
	if (inst->op == HD_OP_SYNC && f->how.mode == HD_DIV_STACK)
		return hd_block_last(f->g, block);
	return inst->op == HD_OP_BSYNC && f->how.mode == HD_DIV_BARRIERS ? inst->a : UINT32_MAX;
}

static bool is_made(const finder *f, uint32_t token)
{
	for (size_t i = 0; i < f->made.n; i++)
		if (f->made.at[i] == token)
			return true;
	return false;
}

static void visit(finder *f, uint32_t block, uint32_t branch)
{
	const hd_code_graph *g = f->g;
	if (f->sides[block] >= f->first_round) { /* another side of this branch has come */
		f->several[block] = branch;
		hd_vec_push(&f->met, block);
	}
	f->sides[block] = f->round;
	for (uint32_t word = g->begin[block]; word < g->begin[block + 1] && spend(f, 1); word++) {
		const hd_inst *inst = &g->insts[word];
		if (hd_is_scheduling_word(g, word))
			continue;
		if (inst->op == HD_OP_PUSH)
			hd_vec_push(&f->made, (uint32_t)inst->imm);
		if (inst->op == HD_OP_BSSY)
			hd_vec_push(&f->made, (uint32_t)inst->a);
		put_writes(&f->written, inst, true);
	}
}

/* A2: the lanes that go from `branch` to `start`. */
static void follow_side(finder *f, uint32_t start, uint32_t branch)
{
	f->round++;
	f->stack.n = f->stopped.n = f->made.n = 0;
	hd_vec_push(&f->stack, start);
	while (f->stack.n && spend(f, 1 + f->stopped.n + f->made.n)) {
		uint32_t block = f->stack.at[--f->stack.n], token = waits_for(f, block);
		bool waits = token != UINT32_MAX && !is_made(f, token);
		if (f->seen[block] == f->round)
			continue;
		f->seen[block] = f->round;
		if (!(waits && flagged(f, block)))
			visit(f, block, branch);
		if (waits)
			hd_vec_push(&f->stopped, block);
		else
			put_ways(f, block, &f->stack);
		for (size_t i = 0; i < f->stopped.n && !f->stack.n; i++) {
			if (!is_made(f, waits_for(f, f->stopped.at[i])))
				continue;
			if (flagged(f, f->stopped.at[i]))
				visit(f, f->stopped.at[i], branch);
			put_ways(f, f->stopped.at[i], &f->stack);
			f->stopped.at[i--] = f->stopped.at[--f->stopped.n];
		}
	}
	for (size_t i = 0; i < f->stopped.n; i++)
		hd_vec_push(&f->met, f->stopped.at[i]);
}

/* The state at the end of a block, from that at its beginning. */
static varying end_of(finder *f, uint32_t block)
{
	varying v = f->in[block];
	for (uint32_t word = f->g->begin[block]; word < f->g->begin[block + 1] && spend(f, 1); word++)
		if (!hd_is_scheduling_word(f->g, word))
			step(&v, &f->g->insts[word]);
	return v;
}

static void solve(finder *f)
{
	block_list ways = {0};
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < f->g->n && spend(f, 1); b++) {
			varying end = end_of(f, b);
			ways.n = 0;
			put_ways(f, b, &ways);
			for (size_t i = 0; i < ways.n; i++)
				again |= join(&f->in[ways.at[i]], &end) && ways.at[i] <= b;
		}
	}
	hd_vec_free(&ways);
}

/* A1: what the sides wrote may differ where they meet, and behind it. */
static void join_written(finder *f)
{
	block_list ways = {0};
	for (size_t i = 0; i < f->met.n; i++) {
		ways.n = 0;
		if (!flagged(f, f->met.at[i]) && waits_for(f, f->met.at[i]) != UINT32_MAX)
			put_ways(f, f->met.at[i], &ways);
		else
			hd_vec_push(&ways, f->met.at[i]);
		for (size_t k = 0; k < ways.n; k++)
			join(&f->in[ways.at[k]], &f->written);
	}
	hd_vec_free(&ways);
}

/* Follows the sides of the branches that have been found divergent. False: there is no new one. */
static bool follow_branches(finder *f)
{
	bool any = false;
	block_list ways = {0};
	for (uint32_t b = 0; b < f->g->n && spend(f, 1); b++) {
		const hd_inst *inst = last_of(f, b);
		hd_use uses[HD_MAX_USES];
		bool branch = inst->op == HD_OP_BRA || inst->op == HD_OP_BRK || inst->op == HD_OP_BRX, differs = false;
		varying end;
		if (!branch || f->divergent[b] || hd_is_never(inst))
			continue;
		end = end_of(f, b);
		for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;)
			differs |= use_differs(&end, &uses[n]);
		if (!differs)
			continue;
		any = f->divergent[b] = true;
		ways.n = f->met.n = 0;
		f->written = (varying){{0}};
		put_ways(f, b, &ways);
		f->first_round = f->round + 1;
		for (size_t i = 0; i < ways.n; i++)
			if (inst->op != HD_OP_BRX || f->seen[ways.at[i]] < f->first_round || f->sides[ways.at[i]] < f->first_round)
				follow_side(f, ways.at[i], hd_block_last(f->g, b));
		join_written(f);
	}
	hd_vec_free(&ways);
	return any;
}

/* A `wsync` has gathered the values that `xlane` reads, wherever the lanes are. */
static bool reads_lanes(const hd_code_graph *g, uint32_t word)
{
	const hd_inst *inst = &g->insts[word];
	return !hd_is_scheduling_word(g, word) && inst->op != HD_OP_XLANE && hd_ops[inst->op].flags & HD_OPF_CROSS && !hd_is_never(inst);
}

static bool any_reads_lanes(const hd_code_graph *g)
{
	for (uint32_t word = 0; word < g->words; word++)
		if (reads_lanes(g, word))
			return true;
	return false;
}

void hd_find_apart(const hd_code_graph *g, hd_meeting how, hd_check_report *report)
{
	size_t n = (size_t)g->n + 1;
	if (how.mode == HD_DIV_RESUME || !any_reads_lanes(g))
		return;
	finder f = {.g = g,
	            .how = how,
	            .in = hd_xcalloc(n, sizeof *f.in),
	            .divergent = hd_xcalloc(n, sizeof *f.divergent),
	            .several = hd_xcalloc(n, sizeof *f.several),
	            .seen = hd_xcalloc(n, sizeof *f.seen),
	            .sides = hd_xcalloc(n, sizeof *f.sides),
	            .steps = MOST_STEPS};
	for (size_t i = 0; i < g->object->functions.n; i++)
		memset(&f.in[hd_function_entry(g, i)], 0xff, sizeof *f.in);
	for (size_t i = 0; i < g->object->kernels.n; i++)
		memset(&f.in[hd_block_at(g, g->object->kernels.at[i].entry)], 0xff, sizeof *f.in);
	do
		solve(&f);
	while (follow_branches(&f));
	for (uint32_t b = 0; b < g->n; b++)
		for (uint32_t word = g->begin[b]; word < g->begin[b + 1] && f.several[b]; word++)
			if (reads_lanes(g, word))
				hd_vec_push(&report->notes, (hd_note){.kind = HD_NOTE_APART, .word = word, .branch = f.several[b]});
	free(f.in);
	free(f.divergent);
	free(f.several);
	free(f.seen);
	free(f.sides);
	hd_vec_free(&f.stack);
	hd_vec_free(&f.stopped);
	hd_vec_free(&f.made);
	hd_vec_free(&f.met);
}

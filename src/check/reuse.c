/* Which instructions may still wait for a low-latency counter in a queue. This is a forward analysis over the physical graph.
 *
 *   Q1  An instruction that waits for low-latency counters waits for them in the queue of its pipe. A flow instruction has left its queue before
 *       anything else of the warp issues (docs/timing.md, rule 5), so it does not count.
 *   Q2  Instructions of one pipe leave their queue in order (rule 1). A primary has left its queue when its counter falls. So when counter k is zero,
 *       everything that its primaries came behind in their pipes has left its queue, and so have the primaries themselves.
 *   Q3  Nothing issues before a wait in the decoder is over, or before a flow instruction is decided. Counters that either waits for are zero then.
 *       Where instructions of other pipes pass a wait in the decoder (multi_issue.pass_waits), only the flow instruction proves anything.
 *   Q4  Behind a call, and in a function that is called, anything may wait in any queue: a subroutine is judged without its callers. The same holds
 *       in a function that calls, because its lanes may resume at any place of it.
 *
 * The program cannot deadlock if no primary raises a counter for which an instruction may still wait in a queue. Every instruction in a queue then
 * waits for instructions that issued before it, and the one that issued first waits for nothing in a queue. */
#include "check/reuse.h"

#include "check/forward.h"
#include "check/report.h"

/* By counter - 1 and pipe. */
typedef struct waiting {
	uint32_t word[HD_MAX_COUNTERS][HD_PIPE_COUNT];   /* an instruction that may wait for the counter in the pipe's queue; 0 = none */
	uint16_t behind[HD_MAX_COUNTERS][HD_PIPE_COUNT]; /* the counters for which an instruction may wait that no primary of this counter follows in
	                                                    the pipe (Q2) */
} waiting;

typedef struct reuse {
	const hd_code_graph *graph;
	const hd_effects *effects; /* by word */
	uint32_t counters, high;   /* masks */
	bool passes_waits;
	bool *unknown; /* by function: Q4 */
	waiting *in;   /* by block: at its beginning */
	waiting out;   /* at the end of the block that ran last */
} reuse;

/* Q2: the counters `zero` are zero. */
static void settle(const reuse *a, waiting *state, uint32_t zero)
{
	for (uint32_t left = zero & a->counters; left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctz(left);
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
			uint16_t stay = state->behind[k][pipe];
			for (uint32_t c = a->counters; c; c &= c - 1) {
				unsigned other = (unsigned)__builtin_ctz(c);
				state->behind[other][pipe] &= stay;
				if (!(stay >> other & 1))
					state->word[other][pipe] = 0;
			}
		}
	}
}

/* Q3 */
static uint32_t zero_behind(const reuse *a, const hd_inst *inst, const hd_effects *fx)
{
	if (fx->pipe == HD_PIPE_FLOW)
		return inst->wait;
	return a->passes_waits ? 0 : inst->wait & a->high;
}

/* Q1, Q2: the instruction was sent. */
static void send(const reuse *a, waiting *state, uint32_t word, const hd_inst *inst, const hd_effects *fx)
{
	uint16_t low = inst->wait & (uint16_t)(a->counters & ~a->high);
	if (fx->pipe == HD_PIPE_FLOW || fx->pipe == HD_PIPE_NONE)
		return;
	for (uint32_t left = low; left; left &= left - 1)
		state->word[__builtin_ctz(left)][fx->pipe] = word;
	for (uint32_t left = low ? a->counters : 0; left; left &= left - 1)
		state->behind[__builtin_ctz(left)][fx->pipe] |= low;
	if (inst->primary)
		state->behind[inst->primary - 1][fx->pipe] = 0;
}

static void step(const reuse *a, waiting *state, uint32_t word)
{
	const hd_inst *inst = &a->graph->insts[word];
	settle(a, state, zero_behind(a, inst, &a->effects[word]));
	send(a, state, word, inst, &a->effects[word]);
}

static void run(void *analysis, uint32_t block)
{
	reuse *a = analysis;
	const hd_code_graph *g = a->graph;
	uint64_t edges = g->succ_first[block + 1] - g->succ_first[block];
	hd_spend_steps(g, edges * HD_MAX_COUNTERS * HD_PIPE_COUNT + g->begin[block + 1] - g->begin[block]);
	a->out = a->in[block];
	for (uint32_t word = g->begin[block]; word < g->begin[block + 1]; word++)
		if (!hd_is_scheduling_word(g, word))
			step(a, &a->out, word);
}

static bool join(void *analysis, uint32_t from, uint32_t to)
{
	(void)from;
	reuse *a = analysis;
	waiting *in = &a->in[to];
	bool changed = false;
	for (uint32_t left = a->counters; left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctz(left);
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
			changed |= (a->out.behind[k][pipe] & ~in->behind[k][pipe]) || (a->out.word[k][pipe] && !in->word[k][pipe]);
			in->behind[k][pipe] |= a->out.behind[k][pipe];
			if (!in->word[k][pipe])
				in->word[k][pipe] = a->out.word[k][pipe];
		}
	}
	return changed;
}

/* Q4 */
static bool *unknown_functions(const hd_code_graph *g, const hd_effects *effects)
{
	bool *unknown = hd_xcalloc(g->object->functions.n + 1, sizeof *unknown);
	for (uint32_t b = 0; b < g->n; b++) {
		uint32_t function = g->function[b] == UINT32_MAX ? (uint32_t)g->object->functions.n : g->function[b];
		if (hd_in_subroutine(g, b))
			unknown[function] = true;
		for (uint32_t word = g->begin[b]; word < g->begin[b + 1]; word++)
			if (!hd_is_scheduling_word(g, word) && effects[word].drains)
				unknown[function] = true;
	}
	return unknown;
}

/* An instruction that may wait for the counter in some queue; 0 = none. */
static uint32_t waiting_for(const waiting *state, unsigned counter)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		if (state->word[counter - 1][pipe])
			return state->word[counter - 1][pipe];
	return 0;
}

static void judge(const reuse *a, uint32_t block, const waiting *state, uint32_t word, hd_check_report *report)
{
	const hd_inst *inst = &a->graph->insts[word];
	const uint32_t function = a->graph->function[block];
	uint32_t low = a->counters & ~a->high;
	if (!inst->primary || !(low >> (inst->primary - 1) & 1))
		return;
	bool unknown = a->unknown[function == UINT32_MAX ? a->graph->object->functions.n : function];
	uint32_t other = unknown ? word : waiting_for(state, inst->primary);
	hd_finding *finding = other ? hd_report_add(report, HD_HAZARD_REUSE, other, word, -1, 0) : NULL;
	if (!finding)
		return;
	hd_vec_push(&finding->path, other);
	if (other != word)
		hd_vec_push(&finding->path, word);
}

void hd_find_reuse(const hd_code_graph *g, const hd_effects *effects, const hd_machine *machine, hd_check_report *report)
{
	reuse a = {.graph = g,
	           .effects = effects,
	           .counters = (1u << machine->fence_counters) - 1,
	           .high = hd_machine_high_mask(machine),
	           .passes_waits = hd_machine_passes_waits(machine),
	           .unknown = unknown_functions(g, effects),
	           .in = hd_xcalloc((size_t)g->n + 1, sizeof *a.in)};
	hd_forward_solve(g, &(hd_forward){.run = run, .join = join, .analysis = &a});
	for (uint32_t b = 0; b < g->n && hd_spend_steps(g, g->begin[b + 1] - g->begin[b]); b++) {
		waiting state = a.in[b];
		for (uint32_t word = g->begin[b]; word < g->begin[b + 1]; word++) {
			if (hd_is_scheduling_word(g, word))
				continue;
			settle(&a, &state, zero_behind(&a, &g->insts[word], &effects[word]));
			judge(&a, b, &state, word, report);
			send(&a, &state, word, &g->insts[word], &effects[word]);
		}
	}
	free(a.in);
	free(a.unknown);
}

/* The greatest number of primaries that can be outstanding on each counter, a forward analysis over the physical graph.
 *
 *   R1  A primary adds one for its pipe. Where ways meet, the greater number counts.
 *   R2  An instruction that waits for the counter and that the decoder holds back, or that is a flow instruction, finds none outstanding:
 *       nothing is issued before it goes on (docs/timing.md, rules 3, 5 and 8).
 *   R3  One that waits in a queue: the next primary on the counter is issued only when it has left the queue, and then none was outstanding
 *       (HZ-18). Without wait counters it tells nothing.
 *   R4  A plain hold finds no memory instruction outstanding. Where nothing may be outstanding (docs/timing.md, Calls) nothing is.
 *   R5  A pipe of fixed latency holds no more than stand in its queue and are in the pipe at once. */
#include "check/room.h"

/* By counter - 1 and pipe, at most what the pipe can hold. */
typedef struct outstanding {
	uint16_t n[HD_MAX_COUNTERS][HD_PIPE_COUNT];
} outstanding;

typedef struct pipes {
	uint16_t capacity[HD_PIPE_COUNT]; /* R5, and at most HD_COUNTER_ROOM, which is enough to know */
	uint32_t counters, high;          /* masks: of all, and of those that the decoder looks at */
	bool wait_counters;
} pipes;

/* R5. Memory takes whatever comes. */
static uint32_t capacity(const hd_machine *m, hd_pipe pipe)
{
	static const hd_pipe pipe_of[HD_CLASS_COUNT] = {
#define CLASS(id, pipe, ...) HD_PIPE_##pipe,
	    HD_CLASSES(CLASS)
#undef CLASS
	};
	uint32_t latency = 1;
	if (pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM)
		return HD_COUNTER_ROOM;
	for (unsigned i = 0; i < HD_CLASS_COUNT; i++) {
		if (pipe_of[i] == pipe && m->latency[i].latency > latency)
			latency = m->latency[i].latency;
	}
	uint32_t most = m->queue[pipe].fifo + m->queue[pipe].hazard + latency; /* one enters in a cycle at most */
	return most < HD_COUNTER_ROOM ? most : HD_COUNTER_ROOM;
}

static pipes pipes_of(const hd_machine *m)
{
	pipes p = {.counters = (1u << m->fence_counters) - 1, .high = hd_machine_high_mask(m), .wait_counters = m->fence_wait_counters};
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		p.capacity[pipe] = (uint16_t)capacity(m, (hd_pipe)pipe);
	return p;
}

static uint32_t total(const outstanding *state, unsigned counter)
{
	uint32_t sum = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		sum += state->n[counter][pipe];
	return sum;
}

static void end_waits(outstanding *state, const pipes *p, const hd_inst *inst, const hd_effects *fx)
{
	uint32_t ends = inst->wait;
	if (fx->drains)
		ends = p->counters;
	else if (fx->pipe != HD_PIPE_FLOW && !p->wait_counters)
		ends &= p->high; /* R2, R3 */
	for (uint32_t left = ends & p->counters; left; left &= left - 1)
		memset(state->n[__builtin_ctz(left)], 0, sizeof *state->n);
	for (uint32_t left = fx->waits_for_memory ? p->counters : 0; left; left &= left - 1) /* R4 */
		state->n[__builtin_ctz(left)][HD_PIPE_LSU] = state->n[__builtin_ctz(left)][HD_PIPE_LATOM] = 0;
}

static void step(outstanding *state, const pipes *p, const hd_inst *inst, const hd_effects *fx)
{
	if (inst->wait || fx->drains || fx->waits_for_memory)
		end_waits(state, p, inst, fx);
	if (inst->primary && state->n[inst->primary - 1][fx->pipe] < p->capacity[fx->pipe])
		state->n[inst->primary - 1][fx->pipe]++; /* R1 */
}

static bool join(outstanding *in, const outstanding *out, const pipes *p)
{
	bool changed = false;
	for (uint32_t left = p->counters; left; left &= left - 1) {
		unsigned counter = (unsigned)__builtin_ctz(left);
		for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
			if (out->n[counter][pipe] <= in->n[counter][pipe])
				continue;
			in->n[counter][pipe] = out->n[counter][pipe];
			changed = true;
		}
	}
	return changed;
}

static void solve(const hd_code_graph *g, const hd_effects *effects, const pipes *p, outstanding *in)
{
	bool *dirty = hd_xcalloc((size_t)g->n + 1, sizeof *dirty);
	for (uint32_t b = 0; b < g->n; b++)
		dirty[b] = true;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < g->n; b++) {
			if (!dirty[b])
				continue;
			dirty[b] = false;
			outstanding out = in[b];
			for (uint32_t word = g->begin[b]; word < g->begin[b + 1]; word++) {
				if (!hd_is_scheduling_word(g, word))
					step(&out, p, &g->insts[word], &effects[word]);
			}
			for (uint32_t s = g->succ_first[b]; s < g->succ_first[b + 1]; s++) {
				uint32_t next = g->succ[s];
				if (join(&in[next], &out, p)) {
					dirty[next] = true;
					again |= next <= b;
				}
			}
		}
	}
	free(dirty);
}

/* The beginning of the shortest loop around a block; 0 when it lies in none. */
static uint32_t loop_around(const hd_code_graph *g, uint32_t block)
{
	uint32_t best = UINT32_MAX, begin = 0;
	for (uint32_t b = block; b < g->n; b++) {
		for (uint32_t s = g->succ_first[b]; s < g->succ_first[b + 1]; s++) {
			uint32_t to = g->succ[s];
			if (to > block || b - to >= best)
				continue;
			best = b - to;
			begin = g->begin[to];
		}
	}
	return begin;
}

static void note(const hd_code_graph *g, uint32_t block, uint32_t word, hd_check_report *report)
{
	const unsigned counter = g->insts[word].primary;
	for (size_t i = 0; i < report->notes.n; i++) {
		const hd_note *old = &report->notes.at[i];
		if (old->counter == counter && g->function[hd_block_at(g, old->word)] == g->function[block])
			return;
	}
	hd_vec_push(&report->notes, (hd_note){.kind = HD_NOTE_ROOM, .word = word, .counter = counter, .loop = loop_around(g, block)});
}

void hd_find_room(const hd_code_graph *g, const hd_effects *effects, const hd_machine *machine, hd_check_report *report)
{
	if (machine->fence_mode != HD_DEP_FENCE)
		return;
	outstanding *in = hd_xcalloc((size_t)g->n + 1, sizeof *in);
	const pipes p = pipes_of(machine);
	solve(g, effects, &p, in);
	for (uint32_t b = 0; b < g->n; b++) {
		outstanding state = in[b];
		for (uint32_t word = g->begin[b]; word < g->begin[b + 1]; word++) {
			const hd_inst *inst = &g->insts[word];
			if (hd_is_scheduling_word(g, word))
				continue;
			if (inst->primary && total(&state, inst->primary - 1u) >= HD_COUNTER_ROOM)
				note(g, b, word, report);
			step(&state, &p, inst, &effects[word]);
		}
	}
	free(in);
}

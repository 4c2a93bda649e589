/* The greatest number of primaries that can be outstanding on each counter. This is a forward analysis over the physical graph.
 *
 *   R1  A primary adds one in its pipe. Where paths meet, the greater number counts.
 *   R2  An instruction waits for the counter in the decoder, or it is a flow instruction that waits. No primary of the counter is then outstanding,
 *       because nothing issues before the instruction goes on (docs/timing.md, rules 3, 5 and 8).
 *   R3  An instruction waits for the counter in a queue. The next primary of the counter issues only after the instruction has left the queue, and no
 *       earlier primary was outstanding then (HZ-18). Without wait counters such a wait proves nothing.
 *   R4  No memory instruction is outstanding behind a plain hold. Nothing is outstanding where docs/timing.md (Calls) requires it.
 *   R5  A pipe of fixed latency holds at most the instructions of its queue and those inside the pipe. Behind the memory pipe, shared memory holds
 *       one access for each cycle of its latency. The memory system holds as many stores and atomics as memory.l1_writes allows. Loads that wait for
 *       one sector take no place of their own, so their number has no bound. */
#include "check/room.h"

#include "check/forward.h"

/* The places where primaries are outstanding: the pipes, shared memory, and the writes of the memory system. */
enum { SHARED = HD_PIPE_COUNT, WRITES, PLACES };

/* By counter - 1 and place: the number of outstanding primaries, at most the capacity of the place. */
typedef struct outstanding {
	uint16_t n[HD_MAX_COUNTERS][PLACES];
} outstanding;

typedef struct places {
	uint16_t capacity[PLACES]; /* R5, but at most `room`, because a greater number makes no difference */
	uint32_t room;             /* primaries that a counter can count; each raises it by the lane groups of a warp (HZ-6) */
	uint32_t counters, high;   /* masks: all counters, and the counters that the decoder reads */
	bool wait_counters;
} places;

static unsigned place_of(const hd_inst *inst, const hd_effects *fx)
{
	if (fx->pipe != HD_PIPE_LSU)
		return fx->pipe;
	const hd_op_info *info = &hd_ops[inst->op];
	if (hd_op_space(info) == HD_SPACE_SHARED)
		return SHARED;
	return info->flags & HD_OPF_STORE && !hd_op_spawns(info) ? WRITES : HD_PIPE_LSU;
}

/* R5. */
static uint32_t capacity(const hd_machine *m, unsigned place)
{
	hd_pipe pipe = place < HD_PIPE_COUNT ? (hd_pipe)place : HD_PIPE_LSU;
	uint32_t latency = 1;
	if (place == HD_PIPE_LSU)
		return UINT32_MAX;
	for (unsigned i = 0; i < HD_CLASS_COUNT; i++) {
		if (hd_machine_pipe(m, (hd_class)i) == pipe && hd_machine_latency(m, (hd_class)i, true) > latency)
			latency = hd_machine_latency(m, (hd_class)i, true);
	}
	/* At most one instruction enters a copy of a pipe in a cycle. */
	uint32_t most = m->queue[pipe].fifo + m->queue[pipe].hazard + latency * m->copies[pipe];
	if (place == SHARED || place == WRITES || place == HD_PIPE_LATOM)
		most += 1 + m->memory_shared_latency; /* at most one access is performed in a cycle; a generic store may go to shared memory, too */
	return place == WRITES ? most + m->memory_l1_writes : most;
}

static places places_of(const hd_machine *m)
{
	places p = {.room = hd_machine_primaries_of_counter(m),
	            .counters = (1u << m->fence_counters) - 1,
	            .high = hd_machine_high_mask(m),
	            .wait_counters = m->fence_wait_counters};
	for (unsigned place = 0; place < PLACES; place++)
		p.capacity[place] = (uint16_t)(capacity(m, place) < p.room ? capacity(m, place) : p.room);
	return p;
}

static uint32_t total(const outstanding *state, unsigned counter)
{
	uint32_t sum = 0;
	for (unsigned place = 0; place < PLACES; place++)
		sum += state->n[counter][place];
	return sum;
}

static void end_waits(outstanding *state, const places *p, const hd_inst *inst, const hd_effects *fx)
{
	uint32_t ends = inst->wait;
	if (fx->drains)
		ends = p->counters;
	else if (fx->pipe != HD_PIPE_FLOW && !p->wait_counters)
		ends &= p->high; /* R2, R3 */
	for (uint32_t left = ends & p->counters; left; left &= left - 1)
		memset(state->n[__builtin_ctz(left)], 0, sizeof *state->n);
	for (uint32_t left = fx->waits_for_memory ? p->counters : 0; left; left &= left - 1) /* R4 */
		for (unsigned place = 0; place < PLACES; place++)
			state->n[__builtin_ctz(left)][place] = place < HD_PIPE_LATOM ? state->n[__builtin_ctz(left)][place] : 0;
}

static void step(outstanding *state, const places *p, const hd_inst *inst, const hd_effects *fx)
{
	if (inst->wait || fx->drains || fx->waits_for_memory)
		end_waits(state, p, inst, fx);
	unsigned place = place_of(inst, fx);
	if (inst->primary && state->n[inst->primary - 1][place] < p->capacity[place])
		state->n[inst->primary - 1][place]++; /* R1 */
}

typedef struct room_analysis {
	const hd_code_graph *graph;
	const hd_effects *effects; /* by word */
	places places;
	outstanding *in; /* by block: at its beginning */
	outstanding out; /* at the end of the block that ran last */
} room_analysis;

static void run(void *analysis, uint32_t block)
{
	room_analysis *a = analysis;
	const hd_code_graph *g = a->graph;
	uint64_t edges = g->succ_first[block + 1] - g->succ_first[block];
	hd_spend_steps(g, edges * HD_MAX_COUNTERS * PLACES / 8 + g->begin[block + 1] - g->begin[block]);
	a->out = a->in[block];
	for (uint32_t word = g->begin[block]; word < g->begin[block + 1]; word++) {
		if (!hd_is_scheduling_word(g, word))
			step(&a->out, &a->places, &g->insts[word], &a->effects[word]);
	}
}

/* R1 */
static bool join(void *analysis, uint32_t from, uint32_t to)
{
	(void)from;
	room_analysis *a = analysis;
	outstanding *in = &a->in[to];
	bool changed = false;
	for (uint32_t left = a->places.counters; left; left &= left - 1) {
		unsigned counter = (unsigned)__builtin_ctz(left);
		for (unsigned place = 0; place < PLACES; place++) {
			if (a->out.n[counter][place] <= in->n[counter][place])
				continue;
			in->n[counter][place] = a->out.n[counter][place];
			changed = true;
		}
	}
	return changed;
}

/* The first word of the shortest loop around a block, 0 when the block is in no loop. */
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

static void note(const hd_code_graph *g, uint32_t block, uint32_t word, uint32_t room, hd_check_report *report)
{
	const unsigned counter = g->insts[word].primary;
	if (!hd_spend_steps(g, report->notes.n))
		return;
	for (size_t i = 0; i < report->notes.n; i++) {
		const hd_note *old = &report->notes.at[i];
		if (old->counter == counter && g->function[hd_block_at(g, old->word)] == g->function[block])
			return;
	}
	if (!hd_spend_steps(g, g->n_succ))
		return;
	hd_vec_push(&report->notes, (hd_note){.kind = HD_NOTE_ROOM, .word = word, .counter = counter, .room = room, .loop = loop_around(g, block)});
}

void hd_find_room(const hd_code_graph *g, const hd_effects *effects, const hd_machine *machine, hd_check_report *report)
{
	room_analysis a = {.graph = g, .effects = effects, .places = places_of(machine), .in = hd_xcalloc((size_t)g->n + 1, sizeof *a.in)};
	const places *p = &a.places;
	hd_forward_solve(g, &(hd_forward){.run = run, .join = join, .analysis = &a});
	for (uint32_t b = 0; b < g->n; b++) {
		outstanding state = a.in[b];
		for (uint32_t word = g->begin[b]; word < g->begin[b + 1]; word++) {
			const hd_inst *inst = &g->insts[word];
			if (hd_is_scheduling_word(g, word))
				continue;
			if (inst->primary && total(&state, inst->primary - 1u) >= p->room)
				note(g, b, word, p->room, report);
			step(&state, p, inst, &effects[word]);
		}
	}
	free(a.in);
}

/* Delays and waits for dependences inside a fixed-latency pipeline (PD-5, PD-6, PD-22; docs/timing.md, table), block by block; what is left of
 * earlier blocks' latencies comes from distance.h. */
#include "passes/annotate/delays.h"

#include "passes/analysis/residual_latency.h"
#include "passes/analysis/hazards.h"

enum { FIXED_PIPES = HD_FIXED_PIPES };

typedef struct clock_state {
	uint64_t ready[HD_LEFT_STATE]; /* hd_left in absolute time */
	uint64_t now[HD_PIPE_COUNT];   /* issue cycle of the next instruction of each pipe, by that pipe's own clock */
	bool by_pipe;                  /* several are issued in a cycle: only those of one pipe, and flow, keep a distance (docs/timing.md, rule 7) */
} clock_state;

/* Cycle in which the instruction may issue. */
static uint64_t earliest(const clock_state *s, const hd_accesses *a)
{
	uint64_t at = a->pipe < HD_PIPE_COUNT ? s->now[a->pipe] : s->now[0];
	if (a->pipe >= FIXED_PIPES)
		return at;
	for (unsigned i = 0; i < a->n_reads; i++) {
		uint64_t ready = s->ready[a->reads[i] * FIXED_PIPES + a->pipe];
		at = ready > at ? ready : at;
	}
	for (unsigned i = 0; i < a->n_writes; i++) {
		uint64_t ready = s->ready[a->writes[i] * FIXED_PIPES + a->pipe] + 1;
		if (ready > a->latency && ready - a->latency > at)
			at = ready - a->latency;
	}
	return at;
}

/* Issues it at `at`; afterwards s->now are the earliest cycles of the next without any delay. */
static void issue(clock_state *s, const hd_accesses *a, uint64_t at, uint32_t flow_latency)
{
	uint64_t passed = a->pipe < HD_PIPE_COUNT ? at - s->now[a->pipe] : at - s->now[0];
	passed += 1 + (a->pipe == HD_PIPE_FLOW ? flow_latency : 0);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		if (!s->by_pipe || a->pipe == HD_PIPE_FLOW || a->pipe == pipe)
			s->now[pipe] += passed;
	}
	if (a->drain)
		memset(s->ready, 0, sizeof s->ready);
	if (!hd_distance_tracked(a))
		return;
	for (unsigned i = 0; i < a->n_writes; i++) {
		uint64_t *ready = &s->ready[a->writes[i] * FIXED_PIPES + a->pipe];
		*ready = at + a->latency > *ready ? at + a->latency : *ready;
	}
}

static void enter(clock_state *s, const hd_left *in, const hd_machine *machine)
{
	memset(s->now, 0, sizeof s->now);
	s->by_pipe = hd_distance_by_pipe(machine);
	for (unsigned i = 0; i < HD_LEFT_STATE; i++)
		s->ready[i] = in->cycles[i];
}

/* What may be expected of results that no delay orders, because another pipe of fixed latency makes them: their consumers wait in the decoder, for a
 * high-latency counter. One that came too soon would be sent back; so the delay of the one before it in its pipe is drawn out to about when the
 * result is there. Nothing relies on it. Counted as if an instruction issued a cycle, from the start of the block. */
typedef struct forecast {
	uint64_t next;                  /* cycle of the next instruction's issue */
	uint64_t issued[HD_PIPE_COUNT]; /* of the last one of each pipe, or of all, as in clock_state */
	uint64_t written[HD_RES_COUNT]; /* the result is there; 0 = nothing is expected */
	uint8_t writer[HD_RES_COUNT];   /* its pipe */
	bool decoder[HD_RES_COUNT];     /* its counter is one that the decoder looks at */
} forecast;

/* Cycle in which the instruction enters its pipe when it issues at `at`. */
static uint64_t expected_entry(const forecast *f, const hd_accesses *a, uint64_t at)
{
	uint64_t entry = at + 1;
	for (unsigned i = 0; i < a->n_reads; i++)
		entry = f->written[a->reads[i]] > entry ? f->written[a->reads[i]] : entry;
	return entry;
}

/* Some operand will not be there at `before`, and it is the decoder that will say so. */
static bool sent_back(const forecast *f, const hd_accesses *a, uint64_t before)
{
	for (unsigned i = 0; i < a->n_reads; i++)
		if (f->written[a->reads[i]] > before && f->writer[a->reads[i]] != a->pipe && f->decoder[a->reads[i]])
			return true;
	return false;
}

/* The delay, from `delay` upwards, that the instruction issued in f->issued[clock] had best have for `a` to be the next of its pipe. */
static uint64_t drawn_out(const forecast *f, const hd_accesses *a, unsigned clock, uint64_t delay)
{
	uint64_t from = f->issued[clock], at = from + delay > f->next ? from + delay : f->next;
	if (!sent_back(f, a, at + 1))
		return delay;
	uint64_t longer = expected_entry(f, a, at) - 1 - from;
	return longer < HD_MAX_DELAY ? longer : HD_MAX_DELAY;
}

static void expect(forecast *f, const hd_accesses *a, unsigned clock, uint64_t at, const hd_machine *machine)
{
	uint64_t entry = expected_entry(f, a, at);
	for (unsigned i = 0; i < a->n_writes; i++) {
		f->written[a->writes[i]] = a->pipe < FIXED_PIPES && !a->variable ? entry + a->latency : 0;
		f->writer[a->writes[i]] = a->pipe;
		f->decoder[a->writes[i]] = hd_machine_high_latency(machine, (hd_class)a->klass);
	}
	f->issued[clock] = at;
	f->next = at + 1 + (a->pipe == HD_PIPE_FLOW ? machine->latency[HD_CLASS_FLOW].latency : 0);
}

/* The cycle in which `second` can issue when it shall be that in which the one before it was issued; else a later one. */
static uint64_t earliest_beside(const clock_state *s, const hd_accesses *a)
{
	clock_state back = *s;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		back.now[pipe]--;
	return earliest(&back, a);
}

static void rewind_one(clock_state *s)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		s->now[pipe]--;
}

/* The end of the block lets `settled` pass for what follows. *room: by how much more its last delays could have grown. False: not by so much. */
static bool place(hd_ir_block *block, const hd_left *in, const hd_by_clock *settled, const hd_machine *machine, hd_by_clock *room)
{
	clock_state s;
	enter(&s, in, machine);
	hd_ir_inst *before[HD_PIPE_COUNT] = {NULL}; /* instruction whose delay can still grow */
	hd_ir_inst *last[HD_PIPE_COUNT] = {NULL};   /* by clock */
	hd_ir_inst *single = NULL;                  /* the one before, if it may be the first of a pair */
	hd_accesses of_single = {0};
	forecast *f = hd_xcalloc(1, sizeof *f);
	const uint32_t flow_latency = machine->latency[HD_CLASS_FLOW].latency;
	for (size_t i = 0; i < block->insts.n; i++) {
		hd_ir_inst *inst = block->insts.at[i];
		hd_accesses a;
		hd_accesses_of(inst, machine, &a);
		inst->hint = HD_HINT_DELAY;
		inst->delay = 1;
		if (single && single->hint == HD_HINT_DELAY && single->delay == 1 && hd_pairable(single, &of_single, inst, &a) &&
		    earliest_beside(&s, &a) < s.now[0]) {
			single->hint = HD_HINT_PAIR;
			rewind_one(&s);
			issue(&s, &a, s.now[0], flow_latency);
			expect(f, &a, 0, f->issued[0], machine);
			single = NULL;
			memset(before, 0, sizeof before);
			before[0] = a.pipe == HD_PIPE_FLOW ? NULL : inst;
			last[0] = before[0] ? inst : last[0];
			continue;
		}
		unsigned clock = s.by_pipe && a.pipe < HD_PIPE_COUNT ? a.pipe : 0;
		uint64_t at = earliest(&s, &a), gap = at - s.now[clock];
		hd_invariant(gap <= HD_MAX_DELAY, "a delay of %llu cycles", (unsigned long long)gap);
		if (before[clock] && before[clock]->delay + gap < HD_MAX_DELAY) {
			gap = drawn_out(f, &a, clock, before[clock]->delay + gap) - before[clock]->delay;
			at = s.now[clock] + gap;
		}
		uint64_t forecast_at = f->next;
		if (gap > 0 && before[clock] && before[clock]->delay + gap <= HD_MAX_DELAY) {
			before[clock]->delay = (uint8_t)(before[clock]->delay + gap);
			gap = 0;
		}
		if (before[clock] && f->issued[clock] + before[clock]->delay > forecast_at)
			forecast_at = f->issued[clock] + before[clock]->delay;
		if (gap > 0) {
			inst->hint = HD_HINT_WAIT;
			inst->delay = (uint8_t)gap;
		}
		issue(&s, &a, at, flow_latency);
		expect(f, &a, clock, forecast_at + gap, machine);
		if (a.pipe == HD_PIPE_FLOW)
			memset(before, 0, sizeof before);
		else if (!s.by_pipe || a.pipe < HD_PIPE_COUNT)
			last[clock] = before[clock] = inst->hint == HD_HINT_DELAY ? inst : NULL;
		single = hd_machine_pairs(machine) ? inst : NULL;
		of_single = a;
	}
	free(f);
	bool fits = true;
	for (unsigned clock = 0; clock < HD_PIPE_COUNT; clock++) {
		hd_ir_inst *inst = last[clock];
		/* Pairs come and go with what is left. */
		room->cycles[clock] = inst && inst->hint == HD_HINT_DELAY && !hd_machine_pairs(machine) ? (uint8_t)(HD_MAX_DELAY - inst->delay) : 0;
		fits = fits && settled->cycles[clock] <= room->cycles[clock];
		if (settled->cycles[clock] <= room->cycles[clock] && settled->cycles[clock])
			inst->delay = (uint8_t)(inst->delay + settled->cycles[clock]);
	}
	return fits;
}

void hd_place_delays(hd_ir_function *function, const hd_machine *machine)
{
	enum { ROUNDS = 4 };
	uint32_t blocks = (uint32_t)function->blocks.n;
	hd_distances d = hd_distances_new(function, machine);
	hd_by_clock *room = hd_xcalloc(blocks + 1, sizeof *room);
	for (unsigned round = 0;; round++) {
		bool fits = true;
		for (uint32_t b = 0; b < blocks; b++) {
			hd_by_clock grows;
			bool this = place(function->blocks.at[b], &d.in[b], &d.settled[b], machine, &grows);
			fits = fits && this;
			/* Of one that did not fit, nothing is asked any more. */
			for (unsigned clock = 0; clock < HD_PIPE_COUNT; clock++)
				room[b].cycles[clock] = round == 0 ? grows.cycles[clock] : this ? room[b].cycles[clock] : 0;
		}
		if (round > 0 && fits)
			break;
		if (round == ROUNDS) /* nobody is asked for anything */
			memset(room, 0, blocks * sizeof *room);
		if (!hd_distances_settle(&d, room) && round == 0)
			break;
	}
	free(room);
	hd_distances_free(&d);
}

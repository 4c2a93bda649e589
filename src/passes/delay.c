/* Delays and waits for dependences inside a fixed-latency pipeline (PD-5, PD-6, PD-22; docs/timing.md, table). A forward analysis on the
 * physical graph: for each register and pipeline, how many cycles from now a later instruction of that pipeline must stay behind. */
#include "passes/delay.h"

#include "passes/access.h"
#include "passes/hazard.h"
#include "passes/physical.h"

enum { FIXED_PIPES = HD_PIPE_LATOM, STATE = HD_RES_COUNT * FIXED_PIPES };

typedef struct state {
	uint8_t left[STATE]; /* [resource * FIXED_PIPES + pipe]: cycles until a reader may issue */
} state;

typedef struct clock_state {
	uint64_t ready[STATE];       /* the same in absolute time */
	uint64_t now[HD_PIPE_COUNT]; /* issue cycle of the next instruction of each pipe, by that pipe's own clock */
	bool by_pipe;                /* several are issued in a cycle: only those of one pipe, and flow, keep a distance (docs/timing.md, rule 7) */
} clock_state;

static bool tracked(const hd_accesses *a) { return a->pipe < FIXED_PIPES && !a->variable && a->latency <= HD_MAX_DELAY; }

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
	if (!tracked(a))
		return;
	for (unsigned i = 0; i < a->n_writes; i++) {
		uint64_t *ready = &s->ready[a->writes[i] * FIXED_PIPES + a->pipe];
		*ready = at + a->latency > *ready ? at + a->latency : *ready;
	}
}

static void enter(clock_state *s, const state *in, const hd_machine *machine)
{
	memset(s->now, 0, sizeof s->now);
	s->by_pipe = machine->multi_issue_window > 1;
	for (unsigned i = 0; i < STATE; i++)
		s->ready[i] = in->left[i];
}

static void leave(state *out, const clock_state *s)
{
	for (unsigned i = 0; i < STATE; i++) {
		uint64_t now = s->now[i % FIXED_PIPES];
		out->left[i] = (uint8_t)(s->ready[i] > now ? s->ready[i] - now : 0);
	}
}

static bool join(state *restrict into, const state *restrict out)
{
	uint8_t more = 0;
	for (unsigned i = 0; i < STATE; i++) {
		uint8_t left = out->left[i], old = into->left[i];
		more |= left > old;
		into->left[i] = left > old ? left : old;
	}
	return more;
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

static bool meet(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb)
{
	for (unsigned i = 0; i < na; i++)
		for (unsigned k = 0; k < nb; k++)
			if (a[i] == b[k])
				return true;
	return false;
}

/* PD-7, PD-22: two in sequence, of different pipelines, that have nothing to do with each other. */
static bool pairable(const hd_ir_inst *first, const hd_accesses *a, const hd_ir_inst *second, const hd_accesses *b)
{
	uint32_t raised = first->primary ? 1u << (first->primary - 1) : 0, raises = second->primary ? 1u << (second->primary - 1) : 0;
	if (a->pipe >= HD_PIPE_FLOW || b->pipe >= HD_PIPE_COUNT || a->pipe == b->pipe || b->drain || raised & second->wait ||
	    raises & (first->wait | raised))
		return false;
	return !meet(a->writes, a->n_writes, b->reads, b->n_reads) && !meet(a->writes, a->n_writes, b->writes, b->n_writes) &&
	       !meet(a->reads, a->n_reads, b->writes, b->n_writes) && !(a->order && b->order);
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

static void place(hd_ir_block *block, const state *in, const hd_machine *machine)
{
	clock_state s;
	enter(&s, in, machine);
	hd_ir_inst *before[HD_PIPE_COUNT] = {NULL}; /* instruction whose delay can still grow */
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
		if (single && single->hint == HD_HINT_DELAY && single->delay == 1 && pairable(single, &of_single, inst, &a) &&
		    earliest_beside(&s, &a) < s.now[0]) {
			single->hint = HD_HINT_PAIR;
			rewind_one(&s);
			issue(&s, &a, s.now[0], flow_latency);
			expect(f, &a, 0, f->issued[0], machine);
			single = NULL;
			memset(before, 0, sizeof before);
			before[0] = a.pipe == HD_PIPE_FLOW ? NULL : inst;
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
			before[clock] = inst->hint == HD_HINT_DELAY ? inst : NULL;
		single = hd_machine_pairs(machine) ? inst : NULL;
		of_single = a;
	}
	free(f);
}

/* As many pairs as a block can have, wherever one begins to count: taken from the back, they are the most for each end of the block. True = with the
 * next one. The caller frees. */
static bool *most_pairs(const hd_ir_block *block, const hd_machine *machine)
{
	size_t n = block->insts.n;
	bool *with_next = hd_xcalloc(n + 1, sizeof *with_next);
	hd_accesses first, second;
	for (size_t i = n; i-- > 0; second = first) {
		hd_accesses_of(block->insts.at[i], machine, &first);
		with_next[i] = i + 1 < n && !with_next[i + 1] && pairable(block->insts.at[i], &first, block->insts.at[i + 1], &second);
	}
	return with_next;
}

void hd_place_delays(hd_ir_function *function, const hd_machine *machine)
{
	uint32_t blocks = (uint32_t)function->blocks.n;
	hd_physical graph = hd_physical_new(function, machine);
	state *in = hd_xcalloc(blocks + 1, sizeof *in);
	bool *dirty = hd_xcalloc(blocks + 1, sizeof *dirty);
	for (uint32_t b = 0; b < blocks; b++)
		dirty[b] = true;
	for (bool again = !hd_machine_within_pipeline(machine); again;) {
		again = false;
		for (uint32_t b = 0; b < blocks; b++) {
			if (!dirty[b])
				continue;
			dirty[b] = false;
			clock_state s;
			enter(&s, &in[b], machine);
			const hd_ir_block *block = function->blocks.at[b];
			const bool *with_next = hd_machine_pairs(machine) ? most_pairs(block, machine) : NULL;
			for (size_t i = 0; i < block->insts.n; i++) {
				hd_accesses a;
				hd_accesses_of(block->insts.at[i], machine, &a);
				/* No delays here: the result must not depend on where they end up. What the flow unit takes is certain. */
				issue(&s, &a, s.now[a.pipe < HD_PIPE_COUNT ? a.pipe : 0], machine->latency[HD_CLASS_FLOW].latency);
				if (with_next && with_next[i])
					rewind_one(&s);
			}
			free((void *)(uintptr_t)with_next);
			state out;
			leave(&out, &s);
			for (uint32_t e = graph.first[b]; e < graph.first[b + 1]; e++) {
				if (join(&in[graph.to[e]], &out)) {
					dirty[graph.to[e]] = true;
					again |= graph.to[e] <= b;
				}
			}
		}
	}
	for (uint32_t b = 0; b < blocks; b++)
		place(function->blocks.at[b], &in[b], machine);
	free(in);
	free(dirty);
	hd_physical_free(&graph);
}

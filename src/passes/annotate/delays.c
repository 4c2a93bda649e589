/* Blocks are done one by one; what earlier blocks leave comes from residual_latency.h.
 *
 *  1. An instruction that has to wait makes the delay of the one before it of its clock longer. Where that is not possible it gets a wait.
 *  2. On a machine that issues pairs, two instructions that can issue in one cycle become a pair, or more of them a chain of pairs (PD-29).
 *  3. Then waits at the beginning of blocks are moved to the delays at the end of their predecessors, where that is cheaper, and the blocks are done
 *     again. That is repeated some rounds, as a delay that grows leaves less room for others. */
#include "passes/annotate/delays.h"

#include "passes/analysis/residual_latency.h"
#include "passes/annotate/hints.h"

enum { MAX_ROUNDS = 4 };

/* The cycles of a block, counted from its beginning. */
typedef struct issue_state {
	uint64_t ready[HD_RESIDUALS]; /* by resource and pipe: cycle in which an instruction of the pipe can issue and read what the pipe wrote */
	uint64_t
	    now[HD_PIPE_COUNT]; /* by pipe: cycle in which the next instruction issues if nothing holds it back. Without a window all are equal */
} issue_state;

/* When results are there that no delay orders, because another pipe of fixed latency computes them: their consumers wait in the decoder, for a
 * high-latency counter. The decoder would send back one that comes too early, so the delay before it is extended to about when the result is there.
 * Nothing relies on that. The forecast counts as if an instruction issued in each cycle. */
typedef struct forecast {
	uint64_t next;                  /* issue cycle of the next instruction */
	uint64_t issued[HD_PIPE_COUNT]; /* by clock: issue cycle of its last instruction */
	uint64_t written[HD_RES_COUNT]; /* the result is there; 0 = not known */
	uint8_t writer_pipe[HD_RES_COUNT];
	bool decoder_waits[HD_RES_COUNT]; /* the writer's counter is a high-latency one */
} forecast;

/* The state while a block is done. */
typedef struct placer {
	const hd_machine *machine;
	bool subroutine; /* the block belongs to a function that is no kernel */
	issue_state s;
	forecast f;
	hd_ir_inst *previous[HD_PIPE_COUNT]; /* by clock: the instruction whose delay can still be made longer for the next one; or NULL */
	hd_ir_inst *last[HD_PIPE_COUNT];     /* by clock: the last one before a flow instruction that may end the block; or NULL */
	/* The instructions that issue in the last cycle: one, or a chain of pairs (PD-29). None where nothing can join them. */
	struct {
		hd_ir_inst *inst[HD_PAIR_CHAIN];
		hd_resource_use use[HD_PAIR_CHAIN];
		unsigned n;
	} cycle;
} placer;

static uint64_t now(const issue_state *s, unsigned pipe) { return s->now[pipe < HD_PIPE_COUNT ? pipe : 0]; }

/* The cycle in which the instruction can issue. */
static uint64_t earliest_issue(const issue_state *s, const hd_resource_use *a)
{
	uint64_t at = now(s, a->pipe);
	if (a->pipe >= HD_FIXED_PIPES)
		return at;
	for (unsigned i = 0; i < a->n_reads; i++)
		at = hd_max_u64(at, s->ready[a->reads[i] * HD_FIXED_PIPES + a->pipe]);
	for (unsigned i = 0; i < a->n_writes; i++) { /* WAW: a cycle behind the earlier write */
		uint64_t written = s->ready[a->writes[i] * HD_FIXED_PIPES + a->pipe] + 1;
		if (written > a->lane_latency)
			at = hd_max_u64(at, written - a->lane_latency);
	}
	return at;
}

static void issue(placer *p, const hd_resource_use *a, uint64_t at)
{
	issue_state *s = &p->s;
	uint64_t passed = at - now(s, a->pipe) + 1 + (a->pipe == HD_PIPE_FLOW ? hd_machine_class_latency(p->machine, HD_CLASS_FLOW) : 0);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		if (!hd_machine_has_window(p->machine) || a->pipe == HD_PIPE_FLOW || a->pipe == pipe)
			s->now[pipe] += passed;
	}
	if (a->drains)
		memset(s->ready, 0, sizeof s->ready);
	if (!hd_fits_delay(a))
		return;
	for (unsigned i = 0; i < a->n_writes; i++) {
		uint64_t *ready = &s->ready[a->writes[i] * HD_FIXED_PIPES + a->pipe];
		*ready = hd_max_u64(*ready, at + a->delay_latency);
	}
}

/* -- the forecast ------------------------------------------------------------------------------------------------------------------ */

/* The cycle in which the instruction enters its pipe if it issues at `at`. */
static uint64_t expected_entry(const forecast *f, const hd_resource_use *a, uint64_t at)
{
	uint64_t entry = at + 1;
	for (unsigned i = 0; i < a->n_reads; i++)
		entry = hd_max_u64(entry, f->written[a->reads[i]]);
	return entry;
}

/* Would the decoder send the instruction back if it entered at `entry`? */
static bool is_sent_back(const forecast *f, const hd_resource_use *a, uint64_t entry)
{
	for (unsigned i = 0; i < a->n_reads; i++)
		if (f->written[a->reads[i]] > entry && f->writer_pipe[a->reads[i]] != a->pipe && f->decoder_waits[a->reads[i]])
			return true;
	return false;
}

/* The best delay, `delay` or more, of the last instruction of the clock, if `a` is the next one. */
static uint64_t extended_delay(const forecast *f, const hd_resource_use *a, unsigned clock, uint64_t delay)
{
	uint64_t from = f->issued[clock], at = hd_max_u64(from + delay, f->next);
	if (!is_sent_back(f, a, at + 1))
		return delay;
	return hd_min_u64(expected_entry(f, a, at) - 1 - from, HD_MAX_DELAY);
}

static void add_to_forecast(placer *p, const hd_resource_use *a, unsigned clock, uint64_t at)
{
	forecast *f = &p->f;
	uint64_t entry = expected_entry(f, a, at);
	for (unsigned i = 0; i < a->n_writes; i++) {
		f->written[a->writes[i]] = a->pipe < HD_FIXED_PIPES && !a->variable ? entry + a->latency : 0;
		f->writer_pipe[a->writes[i]] = a->pipe;
		f->decoder_waits[a->writes[i]] = hd_machine_high_latency(p->machine, (hd_class)a->klass);
	}
	f->issued[clock] = at;
	f->next = at + 1 + (a->pipe == HD_PIPE_FLOW ? hd_machine_class_latency(p->machine, HD_CLASS_FLOW) : 0);
}

/* -- pairs ------------------------------------------------------------------------------------------------------------------------- */

static void rewind_cycle(issue_state *s)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		s->now[pipe]--;
}

/* True when the instruction can have the hint `pair`. Where an entry holds one hint, a load that may be refused cannot: without may_replay it holds
 * back the hits behind it. It can be the second of a pair. Where an entry holds two, `pair` stands beside may_replay or a wait (PD-24). */
static bool can_open_pair(const hd_ir_inst *inst, const hd_machine *machine)
{
	if (hd_machine_combines_hints(machine) && inst->hint == HD_HINT_WAIT)
		return true;
	return inst->hint == HD_HINT_DELAY && inst->delay == 1 && (hd_machine_combines_hints(machine) || !hd_may_be_refused(inst, machine));
}

static void add_to_cycle(placer *p, hd_ir_inst *inst, const hd_resource_use *a)
{
	p->cycle.inst[p->cycle.n] = inst;
	p->cycle.use[p->cycle.n++] = *a;
}

/* True when the instruction can issue in the cycle of those before it. */
static bool can_join(const placer *p, const hd_ir_inst *inst, const hd_resource_use *a)
{
	unsigned n = p->cycle.n;
	if (!n || n == hd_machine_chain(p->machine) || !can_open_pair(p->cycle.inst[n - 1], p->machine))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!hd_can_pair(p->cycle.inst[i], &p->cycle.use[i], inst, a))
			return false;
	issue_state before = p->s;
	rewind_cycle(&before);
	return earliest_issue(&before, a) < p->s.now[0];
}

static void make_pair(placer *p, hd_ir_inst *inst, const hd_resource_use *a)
{
	hd_ir_inst *first = p->cycle.inst[p->cycle.n - 1];
	unsigned number = !hd_machine_strict_pairs(p->machine);
	if (first->hint == HD_HINT_WAIT) {
		first->second = (uint8_t)(HD_HINT_PAIR << 4 | number);
	} else {
		first->hint = HD_HINT_PAIR;
		first->delay = (uint8_t)number;
	}
	add_to_cycle(p, inst, a);
	rewind_cycle(&p->s);
	issue(p, a, p->s.now[0]);
	add_to_forecast(p, a, 0, p->f.issued[0]);
	memset(p->previous, 0, sizeof p->previous);
	if (a->pipe != HD_PIPE_FLOW)
		p->previous[0] = p->last[0] = inst;
}

/* -- blocks ------------------------------------------------------------------------------------------------------------------------ */

/* Places an instruction that is not the second of a pair. */
static void place_inst(placer *p, hd_ir_inst *inst, const hd_resource_use *a)
{
	unsigned clock = hd_issue_clock(p->machine, a->pipe);
	hd_ir_inst *previous = p->previous[clock];
	uint64_t at = earliest_issue(&p->s, a), gap = at - p->s.now[clock], forecast_at = p->f.next;
	hd_invariant(gap <= HD_MAX_DELAY, "a delay of %llu cycles", (unsigned long long)gap);
	/* Where hints take issue slots, a delay that no dependence needs costs more than a refusal. */
	if (previous && previous->delay + gap < HD_MAX_DELAY && p->machine->predecode_carrier != HD_CARRIER_REGISTER) {
		gap = extended_delay(&p->f, a, clock, previous->delay + gap) - previous->delay;
		at = p->s.now[clock] + gap;
	}
	if (previous && previous->delay + gap <= HD_MAX_DELAY) {
		previous->delay = (uint8_t)(previous->delay + gap);
		gap = 0;
	}
	if (previous)
		forecast_at = hd_max_u64(forecast_at, p->f.issued[clock] + previous->delay);
	if (gap > 0) {
		inst->hint = HD_HINT_WAIT;
		inst->delay = (uint8_t)gap;
	}
	issue(p, a, at);
	add_to_forecast(p, a, clock, forecast_at + gap);
	if (a->pipe == HD_PIPE_FLOW)
		memset(p->previous, 0, sizeof p->previous);
	else if (a->pipe < HD_PIPE_COUNT || !hd_machine_has_window(p->machine))
		p->last[clock] = p->previous[clock] = inst->hint == HD_HINT_DELAY ? inst : NULL;
	p->cycle.n = 0;
	if (hd_machine_pairs(p->machine))
		add_to_cycle(p, inst, a);
}

/* Adds the tail delay to the last delays of the block. *slack: by how much they can grow at most, tail delay included; 0 where pairs are issued, as
 * what is left at the beginning of a block decides which pairs there are. False: a tail delay does not fit; it is left out. */
static bool add_tail_delay(const placer *p, const hd_clock_cycles *tail_delay, hd_clock_cycles *slack)
{
	bool fits = true;
	for (unsigned clock = 0; clock < HD_PIPE_COUNT; clock++) {
		hd_ir_inst *inst = p->last[clock];
		uint8_t more = tail_delay->cycles[clock];
		bool can_grow = inst && inst->hint == HD_HINT_DELAY && !hd_machine_pairs(p->machine);
		slack->cycles[clock] = can_grow ? (uint8_t)(HD_MAX_DELAY - inst->delay) : 0;
		if (more > slack->cycles[clock])
			fits = false;
		else if (more)
			inst->delay = (uint8_t)(inst->delay + more);
	}
	return fits;
}

/* Sets all hints and delays of a block. *slack and the result: as of add_tail_delay. */
static bool place_block(hd_ir_block *block, bool subroutine, const hd_residuals *in, const hd_clock_cycles *tail_delay, const hd_machine *machine,
                        hd_clock_cycles *slack)
{
	placer *p = hd_xcalloc(1, sizeof *p);
	p->machine = machine;
	p->subroutine = subroutine;
	for (size_t i = 0; i < in->n; i++)
		p->s.ready[in->at[i].at] = in->at[i].cycles;
	for (size_t i = 0; i < block->insts.n; i++) {
		hd_ir_inst *inst = block->insts.at[i];
		hd_resource_use a;
		hd_resource_use_of(inst, p->subroutine, machine, &a);
		inst->hint = HD_HINT_DELAY;
		inst->delay = 1;
		inst->second = 0;
		if (can_join(p, inst, &a))
			make_pair(p, inst, &a);
		else
			place_inst(p, inst, &a);
	}
	bool fits = add_tail_delay(p, tail_delay, slack);
	free(p);
	return fits;
}

void hd_place_delays(hd_ir_function *function, const hd_machine *machine)
{
	uint32_t blocks = (uint32_t)function->blocks.n;
	hd_residual_latency r = hd_residual_latency_new(function, machine);
	hd_clock_cycles *slack = hd_xcalloc(blocks + 1, sizeof *slack);
	for (unsigned round = 0;; round++) {
		bool all_fit = true;
		for (uint32_t b = 0; b < blocks; b++) {
			hd_clock_cycles room;
			bool fits = place_block(function->blocks.at[b], hd_may_leave_function(function), &r.in[b], &r.tail_delay[b], machine, &room);
			all_fit = all_fit && fits;
			if (round == 0)
				slack[b] = room;
			else if (!fits) /* no more tail delays for this block */
				slack[b] = (hd_clock_cycles){{0}};
		}
		if (round > 0 && all_fit)
			break;
		if (round == MAX_ROUNDS)
			memset(slack, 0, blocks * sizeof *slack);
		if (!hd_move_waits(&r, slack) && round == 0)
			break;
	}
	free(slack);
	hd_residual_latency_free(&r);
}

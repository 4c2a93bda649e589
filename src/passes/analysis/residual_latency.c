/* A forward analysis. What a block does to residual latencies does not depend on where its delays stand: from each of its instructions to its end at
 * least as many cycles pass as the longest chain of instructions and latencies in between takes. So a block is summarised once, from its end to its
 * beginning, and the summaries are iterated to a fixed point. */
#include "passes/analysis/residual_latency.h"

enum { MAX_CYCLES = 255 /* that are counted */, CLOCKS = HD_PIPE_COUNT };

typedef HD_VEC(uint16_t) place_list;

struct hd_block_latencies {
	hd_residuals made; /* of the block's own results, at its end */
	/* The residual latencies for which an instruction of the block has waited, ascending; none where the block takes longer than any lasts. */
	place_list waited;
	bool drained;                   /* the block has waited for all */
	bool delay_overlaps;            /* a wait behind the block begins with the tail delay, not after it */
	uint8_t length[HD_FIXED_PIPES]; /* cycles that the block takes at least, by the clock of the pipe */
};

/* The instructions from one of the block to its end. */
typedef struct tail {
	uint32_t length[CLOCKS];       /* cycles */
	uint32_t reader[HD_RESIDUALS]; /* cycles from the earliest reader in the pipe to the end; 0 = there is none before the next writer */
	int32_t writer[HD_RESIDUALS];  /* cycles from the next writer in the pipe to the end, less its latency in a lane */
	uint8_t made[HD_RESIDUALS];    /* residual latencies at the end */
	bool waited[HD_RESIDUALS];     /* an instruction waits for the residual latency at the beginning */
	bool drained;                  /* an instruction waits for all that is outstanding */
	place_list touched;            /* places whose entries are not as in an empty tail; a place may occur twice */
} tail;

static tail *tail_new(void)
{
	tail *t = hd_xcalloc(1, sizeof *t);
	for (unsigned i = 0; i < HD_RESIDUALS; i++)
		t->writer[i] = INT16_MIN;
	return t;
}

static void tail_reset(tail *t)
{
	for (size_t i = 0; i < t->touched.n; i++) {
		unsigned at = t->touched.at[i];
		t->reader[at] = 0;
		t->writer[at] = INT16_MIN;
		t->made[at] = 0;
		t->waited[at] = false;
	}
	t->touched.n = 0;
	t->drained = false;
	memset(t->length, 0, sizeof t->length);
}

static void tail_free(tail *t)
{
	hd_vec_free(&t->touched);
	free(t);
}

/* Cycles from the issue of an instruction to the end of the block, at least `cycles`: its readers and the next writers come a latency later. */
static uint32_t distance_to_end(const tail *t, const hd_resource_use *a, uint32_t cycles)
{
	for (unsigned i = 0; i < a->n_writes; i++) {
		unsigned at = a->writes[i] * HD_FIXED_PIPES + a->pipe;
		if (t->reader[at])
			cycles = hd_max_u32(cycles, t->reader[at] + a->delay_latency);
		if (t->writer[at] + 1 + (int32_t)a->delay_latency > (int32_t)cycles)
			cycles = (uint32_t)(t->writer[at] + 1 + (int32_t)a->delay_latency);
	}
	return cycles;
}

/* Makes `a` the first instruction of the tail. `paired`: it may issue in the cycle of the one behind it. */
static void prepend(tail *t, const hd_resource_use *a, bool paired, const hd_machine *machine)
{
	unsigned clock = hd_issue_clock(machine, a->pipe);
	if (a->pipe == HD_PIPE_FLOW) {
		for (unsigned q = 0; q < CLOCKS; q++)
			t->length[q] += 1 + hd_machine_class_latency(machine, HD_CLASS_FLOW);
	} else if (a->pipe < HD_PIPE_COUNT || !hd_machine_has_window(machine)) {
		t->length[clock] += !paired;
		if (hd_fits_delay(a))
			t->length[clock] = distance_to_end(t, a, t->length[clock]);
	}
	t->drained |= a->drains;
	if (a->pipe >= HD_FIXED_PIPES)
		return;
	uint32_t cycles = t->length[clock];
	for (unsigned i = 0; i < a->n_writes; i++) {
		unsigned at = a->writes[i] * HD_FIXED_PIPES + a->pipe;
		uint8_t *made = &t->made[at];
		hd_vec_push(&t->touched, (uint16_t)at);
		if (hd_fits_delay(a) && !t->drained && a->delay_latency > cycles && a->delay_latency - cycles > *made)
			*made = (uint8_t)(a->delay_latency - cycles);
		t->reader[at] = 0;
		t->writer[at] = (int32_t)cycles - a->lane_latency;
	}
	for (unsigned i = 0; i < a->n_reads; i++) {
		unsigned at = a->reads[i] * HD_FIXED_PIPES + a->pipe;
		t->reader[at] = hd_max_u32(t->reader[at], cycles);
		t->waited[at] = true;
		hd_vec_push(&t->touched, (uint16_t)at);
	}
}

static int compare_places(const void *left, const void *right) { return *(const uint16_t *)left - *(const uint16_t *)right; }

/* Keeps of the tail what the analysis needs. */
static void keep_tail(tail *t, hd_block_latencies *out)
{
	unsigned shortest = MAX_CYCLES, last = HD_RESIDUALS;
	for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++)
		shortest = hd_min_u32(shortest, out->length[pipe]);
	if (t->touched.n)
		qsort(t->touched.at, t->touched.n, sizeof *t->touched.at, compare_places);
	for (size_t i = 0; i < t->touched.n; i++) {
		uint16_t at = t->touched.at[i];
		if (at == last)
			continue;
		last = at;
		if (t->made[at])
			hd_vec_push(&out->made, (hd_residual){at, t->made[at]});
		if (t->waited[at] && shortest < HD_MAX_DELAY)
			hd_vec_push(&out->waited, at);
	}
	out->drained = t->drained;
}

static void summarise(const hd_ir_block *block, bool subroutine, const hd_machine *machine, tail *t, hd_block_latencies *out)
{
	hd_ir_inst *inst[HD_PAIR_CHAIN]; /* of the cycle that begins with the instruction behind */
	hd_resource_use use[HD_PAIR_CHAIN];
	unsigned n = 0, most = hd_machine_chain(machine);
	tail_reset(t);
	for (size_t i = block->insts.n; i-- > 0;) {
		hd_resource_use a;
		hd_resource_use_of(block->insts.at[i], subroutine, machine, &a);
		/* As many pairs as possible: joined from the end, every tail has the least number of cycles. */
		bool joins = n > 0 && n < most;
		for (unsigned k = 0; joins && k < n; k++)
			joins = hd_can_pair(block->insts.at[i], &a, inst[k], &use[k]);
		prepend(t, &a, joins, machine);
		n = joins ? n : 0;
		inst[n] = block->insts.at[i];
		use[n++] = a;
	}
	for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++)
		out->length[pipe] = (uint8_t)hd_min_u32(t->length[hd_issue_clock(machine, pipe)], MAX_CYCLES);
	keep_tail(t, out);
}

/* -- sets of residual latencies ------------------------------------------------------------------------------------------------------ */

/* The part of residual latencies at the beginning of a block that is left at its end; *out: empty before. */
static void keep_unfinished(const hd_block_latencies *of, const hd_residuals *in, hd_residuals *out)
{
	size_t w = 0;
	for (size_t i = 0; i < in->n && !of->drained; i++) {
		unsigned at = in->at[i].at, length = of->length[at % HD_FIXED_PIPES];
		while (w < of->waited.n && of->waited.at[w] < at)
			w++;
		bool waited = w < of->waited.n && of->waited.at[w] == at;
		if (in->at[i].cycles > length && !waited)
			hd_vec_push(out, ((hd_residual){(uint16_t)at, (uint8_t)(in->at[i].cycles - length)}));
	}
}

/* Adds the residual latencies of `more`; of two the longer one stays. True: `into` changed. `scratch`: working memory. */
static bool join(hd_residuals *into, const hd_residuals *more, hd_residuals *scratch)
{
	bool changed = false;
	size_t i = 0;
	scratch->n = 0;
	for (size_t k = 0; k < more->n; k++) {
		hd_residual b = more->at[k];
		while (i < into->n && into->at[i].at < b.at)
			hd_vec_push(scratch, into->at[i++]);
		bool both = i < into->n && into->at[i].at == b.at;
		changed |= !both || into->at[i].cycles < b.cycles;
		if (both && into->at[i].cycles > b.cycles)
			b = into->at[i];
		i += both;
		hd_vec_push(scratch, b);
	}
	if (!changed)
		return false;
	while (i < into->n)
		hd_vec_push(scratch, into->at[i++]);
	into->n = 0;
	for (i = 0; i < scratch->n; i++)
		hd_vec_push(into, scratch->at[i]);
	return true;
}

/* Working memory of the analysis. */
typedef struct work {
	hd_residuals out, scratch;
} work;

static void work_free(work *w)
{
	hd_vec_free(&w->out);
	hd_vec_free(&w->scratch);
}

/* w->out = the residual latencies at the end of a node, from those at its beginning. */
static void transfer(const hd_residual_latency *r, uint32_t node, work *w)
{
	w->out.n = 0;
	if (node >= r->graph.blocks) {
		for (size_t i = 0; i < r->in[node].n; i++)
			hd_vec_push(&w->out, r->in[node].at[i]);
		return;
	}
	const hd_block_latencies *of = &r->of[node];
	keep_unfinished(of, &r->in[node], &w->out);
	join(&w->out, &of->made, &w->scratch);
	size_t kept = 0;
	for (size_t i = 0; i < w->out.n; i++) {
		hd_residual left = w->out.at[i];
		uint8_t delay = r->tail_delay[node].cycles[hd_issue_clock(r->machine, left.at % HD_FIXED_PIPES)];
		if (left.cycles > delay)
			w->out.at[kept++] = (hd_residual){left.at, (uint8_t)(left.cycles - (of->delay_overlaps ? 0 : delay))};
	}
	w->out.n = kept;
}

static void solve(hd_residual_latency *r)
{
	const hd_physical_cfg *graph = &r->graph;
	bool *dirty = hd_xmalloc((size_t)graph->nodes + 1);
	work w = {.out = {0}};
	memset(dirty, 1, (size_t)graph->nodes + 1);
	for (uint32_t i = 0; i < graph->nodes; i++)
		r->in[i].n = 0;
	for (bool again = !hd_machine_within_pipeline(r->machine); again;) {
		again = false;
		for (uint32_t i = 0; i < graph->nodes; i++) {
			uint32_t node = graph->order[i];
			if (!dirty[node])
				continue;
			dirty[node] = false;
			transfer(r, node, &w);
			for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1]; e++) {
				uint32_t to = graph->to[e];
				if (join(&r->in[to], &w.out, &w.scratch)) {
					dirty[to] = true;
					again |= graph->place[to] <= i;
				}
			}
		}
	}
	work_free(&w);
	free(dirty);
}

/* PD-6: without a window a wait counts from the cycle in which its instruction became the next, so the delay of the one before it overlaps. Behind a
 * flow instruction, which is no place of a tail delay, nothing does. Where only one block follows, it needs no wait when the tail delay is enough for
 * all its instructions, so there is nothing to overlap. Otherwise control has come to a flag (RC-21), and another block may wait. */
static bool delay_overlaps(const hd_residual_latency *r, uint32_t b)
{
	const hd_ir_block *block = r->function->blocks.at[b];
	bool several = r->graph.first_edge[b + 1] - r->graph.first_edge[b] > 1;
	bool flow = !block->insts.n || hd_ops[block->insts.at[block->insts.n - 1]->op].pipe == HD_PIPE_FLOW;
	return several && !flow && !hd_machine_has_window(r->machine);
}

hd_residual_latency hd_residual_latency_new(const hd_ir_function *function, const hd_machine *machine)
{
	size_t blocks = function->blocks.n;
	hd_residual_latency r = {.function = function, .machine = machine, .graph = hd_physical_cfg_new(function, machine)};
	r.in = hd_xcalloc((size_t)r.graph.nodes + 1, sizeof *r.in);
	r.tail_delay = hd_xcalloc(blocks + 1, sizeof *r.tail_delay);
	r.of = hd_xcalloc(blocks + 1, sizeof *r.of);
	tail *t = tail_new();
	for (uint32_t b = 0; b < blocks; b++) {
		summarise(function->blocks.at[b], hd_may_leave_function(function), machine, t, &r.of[b]);
		r.of[b].delay_overlaps = delay_overlaps(&r, b);
	}
	tail_free(t);
	solve(&r);
	return r;
}

void hd_residual_latency_free(hd_residual_latency *r)
{
	for (uint32_t i = 0; i < r->graph.nodes; i++)
		hd_vec_free(&r->in[i]);
	for (uint32_t b = 0; b < r->graph.blocks; b++) {
		hd_vec_free(&r->of[b].made);
		hd_vec_free(&r->of[b].waited);
	}
	hd_physical_cfg_free(&r->graph);
	free(r->in);
	free(r->tail_delay);
	free(r->of);
	*r = (hd_residual_latency){0};
}

/* -- moving waits ------------------------------------------------------------------------------------------------------------------ */

/* Residual latencies by place: cycles[HD_RESIDUALS], 0 where `in` has none. */
static void spread_out(uint8_t *cycles, const hd_residuals *in, bool set)
{
	for (size_t i = 0; i < in->n; i++)
		cycles[in->at[i].at] = set ? in->at[i].cycles : 0;
}

static bool all_passed(const uint32_t passed[CLOCKS], uint32_t cycles)
{
	for (unsigned q = 0; q < CLOCKS; q++)
		if (passed[q] <= cycles)
			return false;
	return true;
}

/* Cycles for which instructions of `block` would have to wait, by clock, if it were entered with residual latencies of `cycles`, `most` at most. */
static hd_clock_cycles needed_waits(const hd_residual_latency *r, uint32_t block, const uint8_t *cycles, uint32_t most)
{
	const hd_ir_block *b = r->function->blocks.at[block];
	const hd_machine *machine = r->machine;
	hd_clock_cycles wait = {{0}};
	uint32_t passed[CLOCKS] = {0};
	for (size_t i = 0; i < b->insts.n && i <= HD_MAX_DELAY * CLOCKS; i++) {
		hd_resource_use a;
		hd_resource_use_of(b->insts.at[i], hd_may_leave_function(r->function), machine, &a);
		unsigned clock = hd_issue_clock(machine, a.pipe);
		if (a.drains)
			break;
		for (unsigned k = 0; k < a.n_reads && a.pipe < HD_FIXED_PIPES; k++) {
			uint32_t left = cycles[a.reads[k] * HD_FIXED_PIPES + a.pipe];
			if (left > passed[clock] + wait.cycles[clock])
				wait.cycles[clock] = (uint8_t)(left - passed[clock]);
		}
		for (unsigned k = 0; k < a.n_writes && a.pipe < HD_FIXED_PIPES; k++) {
			uint32_t left = cycles[a.writes[k] * HD_FIXED_PIPES + a.pipe] + 1u;
			if (left > passed[clock] + wait.cycles[clock] + a.lane_latency)
				wait.cycles[clock] = (uint8_t)(left - a.lane_latency - passed[clock]);
		}
		for (unsigned q = 0; q < CLOCKS; q++)
			passed[q] += a.pipe == HD_PIPE_FLOW ? 1 + hd_machine_class_latency(machine, HD_CLASS_FLOW) : q == clock;
		if (hd_machine_has_window(machine) ? all_passed(passed, most) : passed[0] > most)
			break;
	}
	return wait;
}

/* Does a delay at the end of `from` cost no more than a wait at the beginning of `to`? */
static bool can_move(const hd_residual_latency *r, uint32_t from, uint32_t to)
{
	uint32_t from_depth = r->function->blocks.at[from]->loop_depth, to_depth = r->function->blocks.at[to]->loop_depth;
	bool one_successor = r->graph.first_edge[from + 1] - r->graph.first_edge[from] == 1;
	return from_depth < to_depth || (one_successor && from_depth == to_depth);
}

/* By edge, the waits that its target needs; none on an edge to an empty node. *stays: of each block, the clocks of waits that some predecessor cannot
 * take over; for what one way in needs anyway, moving the wait on the other ways gains nothing. */
static hd_clock_cycles *find_waits(const hd_residual_latency *r, const hd_clock_cycles *slack, hd_clock_cycles *stays)
{
	const hd_physical_cfg *graph = &r->graph;
	hd_clock_cycles *wait = hd_xcalloc((size_t)graph->first_edge[graph->nodes] + 1, sizeof *wait);
	uint8_t *cycles = hd_xcalloc(HD_RESIDUALS, sizeof *cycles);
	work w = {.out = {0}};
	for (uint32_t node = 0; node < graph->nodes; node++) {
		uint32_t most = 0;
		bool block = node < graph->blocks;
		transfer(r, node, &w);
		for (size_t i = 0; i < w.out.n; i++)
			most = hd_max_u32(most, w.out.at[i].cycles);
		spread_out(cycles, &w.out, true);
		for (uint32_t e = graph->first_edge[node]; e < graph->first_edge[node + 1] && w.out.n; e++) {
			uint32_t to = graph->to[e];
			if (to >= graph->blocks)
				continue;
			wait[e] = needed_waits(r, to, cycles, most);
			for (unsigned q = 0; q < CLOCKS; q++) {
				bool moves = block && wait[e].cycles[q] <= slack[node].cycles[q] && can_move(r, node, to);
				stays[to].cycles[q] |= wait[e].cycles[q] && !moves;
			}
		}
		spread_out(cycles, &w.out, false);
	}
	work_free(&w);
	free(cycles);
	return wait;
}

bool hd_move_waits(hd_residual_latency *r, const hd_clock_cycles *slack)
{
	uint32_t blocks = (uint32_t)r->function->blocks.n;
	bool moved = false;
	if (hd_machine_within_pipeline(r->machine))
		return false;
	memset(r->tail_delay, 0, blocks * sizeof *r->tail_delay);
	solve(r);
	hd_clock_cycles *stays = hd_xcalloc(blocks + 1, sizeof *stays), *wait = find_waits(r, slack, stays);
	for (uint32_t b = 0; b < blocks; b++) {
		for (uint32_t e = r->graph.first_edge[b]; e < r->graph.first_edge[b + 1]; e++) {
			for (unsigned q = 0; q < CLOCKS; q++) {
				uint8_t cycles = wait[e].cycles[q], *delay = &r->tail_delay[b].cycles[q];
				if (cycles <= *delay || stays[r->graph.to[e]].cycles[q])
					continue;
				*delay = cycles;
				moved = true;
			}
		}
	}
	free(wait);
	free(stays);
	if (moved)
		solve(r);
	return moved;
}

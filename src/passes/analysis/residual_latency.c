/* A forward analysis. What a block does to residual latencies does not depend on where its delays stand: from each of its instructions to its end at
 * least as many cycles pass as the longest chain of instructions and latencies in between takes. So a block is summarised once, from its end to its
 * beginning, and the summaries are iterated to a fixed point. */
#include "passes/analysis/residual_latency.h"

enum { MAX_CYCLES = 255 /* that are counted */, CLOCKS = HD_PIPE_COUNT };

struct hd_block_latencies {
	hd_residuals made;               /* of the block's own results, at its end */
	uint8_t keep_mask[HD_RESIDUALS]; /* 0xff: no instruction of the block has waited for the residual latency at its entry; 0: one has */
	uint8_t length[HD_FIXED_PIPES];  /* cycles that the block takes at least, by the clock of the pipe */
};

/* The instructions from one of the block to its end. */
typedef struct tail {
	uint32_t length[CLOCKS];       /* cycles */
	uint32_t reader[HD_RESIDUALS]; /* cycles from the earliest reader in the pipe to the end; 0 = there is none before the next writer */
	int32_t writer[HD_RESIDUALS];  /* cycles from the next writer in the pipe to the end, less its latency in a lane */
	bool drained;                  /* an instruction waits for all that is outstanding */
} tail;

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
static void prepend(tail *t, const hd_resource_use *a, bool paired, const hd_machine *machine, hd_block_latencies *out)
{
	unsigned clock = hd_issue_clock(machine, a->pipe);
	if (a->pipe == HD_PIPE_FLOW) {
		for (unsigned q = 0; q < CLOCKS; q++)
			t->length[q] += 1 + machine->latency[HD_CLASS_FLOW].latency;
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
		uint8_t *made = &out->made.cycles[at];
		if (hd_fits_delay(a) && !t->drained && a->delay_latency > cycles && a->delay_latency - cycles > *made)
			*made = (uint8_t)(a->delay_latency - cycles);
		t->reader[at] = 0;
		t->writer[at] = (int32_t)cycles - a->lane_latency;
	}
	for (unsigned i = 0; i < a->n_reads; i++) {
		unsigned at = a->reads[i] * HD_FIXED_PIPES + a->pipe;
		t->reader[at] = hd_max_u32(t->reader[at], cycles);
		out->keep_mask[at] = 0;
	}
}

static void summarise(const hd_ir_block *block, bool subroutine, const hd_machine *machine, tail *t, hd_block_latencies *out)
{
	hd_resource_use a, behind;
	bool pairs = hd_machine_pairs(machine), paired = false; /* the instruction behind is the first of a pair */
	memset(t, 0, sizeof *t);
	for (unsigned i = 0; i < HD_RESIDUALS; i++)
		t->writer[i] = INT16_MIN;
	memset(out->keep_mask, 0xff, sizeof out->keep_mask);
	for (size_t i = block->insts.n; i-- > 0; behind = a) {
		hd_resource_use_of(block->insts.at[i], subroutine, machine, &a);
		/* As many pairs as possible: paired from the end, every tail has the greatest number. */
		paired = pairs && i + 1 < block->insts.n && !paired && hd_can_pair(block->insts.at[i], &a, block->insts.at[i + 1], &behind);
		prepend(t, &a, paired, machine, out);
	}
	if (t->drained)
		memset(out->keep_mask, 0, sizeof out->keep_mask);
	for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++)
		out->length[pipe] = (uint8_t)hd_min_u32(t->length[hd_issue_clock(machine, pipe)], MAX_CYCLES);
}

/* Residual latencies at the end of a block, from those at its beginning. */
static void transfer(const hd_residual_latency *r, uint32_t block, hd_residuals *out)
{
	const hd_block_latencies *of = &r->of[block];
	const uint8_t *in = r->in[block].cycles;
	uint8_t delay[HD_FIXED_PIPES];
	for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++)
		delay[pipe] = r->tail_delay[block].cycles[hd_issue_clock(r->machine, pipe)];
	for (unsigned resource = 0; resource < HD_RES_COUNT; resource++) {
		for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++) {
			unsigned i = resource * HD_FIXED_PIPES + pipe;
			uint8_t old = in[i] > of->length[pipe] ? (uint8_t)((in[i] - of->length[pipe]) & of->keep_mask[i]) : 0;
			uint8_t left = old > of->made.cycles[i] ? old : of->made.cycles[i];
			out->cycles[i] = left > delay[pipe] ? (uint8_t)(left - delay[pipe]) : 0;
		}
	}
}

/* True: `into` changed. */
static bool join(hd_residuals *restrict into, const hd_residuals *restrict out)
{
	uint8_t more = 0;
	for (unsigned i = 0; i < HD_RESIDUALS; i++) {
		uint8_t left = out->cycles[i], old = into->cycles[i];
		more |= left > old;
		into->cycles[i] = left > old ? left : old;
	}
	return more;
}

static void solve(hd_residual_latency *r)
{
	uint32_t blocks = (uint32_t)r->function->blocks.n;
	bool *dirty = hd_xmalloc(blocks + 1);
	memset(dirty, 1, blocks + 1);
	memset(r->in, 0, blocks * sizeof *r->in);
	for (bool again = !hd_machine_within_pipeline(r->machine); again;) {
		again = false;
		for (uint32_t b = 0; b < blocks; b++) {
			hd_residuals out;
			if (!dirty[b])
				continue;
			dirty[b] = false;
			transfer(r, b, &out);
			for (uint32_t e = r->graph.first_edge[b]; e < r->graph.first_edge[b + 1]; e++) {
				uint32_t to = r->graph.to[e];
				if (join(&r->in[to], &out)) {
					dirty[to] = true;
					again |= to <= b;
				}
			}
		}
	}
	free(dirty);
}

hd_residual_latency hd_residual_latency_new(const hd_ir_function *function, const hd_machine *machine)
{
	size_t blocks = function->blocks.n;
	hd_residual_latency r = {.function = function, .machine = machine, .graph = hd_physical_cfg_new(function, machine)};
	r.in = hd_xcalloc(blocks + 1, sizeof *r.in);
	r.tail_delay = hd_xcalloc(blocks + 1, sizeof *r.tail_delay);
	r.of = hd_xcalloc(blocks + 1, sizeof *r.of);
	tail *t = hd_xmalloc(sizeof *t);
	for (size_t b = 0; b < blocks; b++)
		summarise(function->blocks.at[b], !function->kernel, machine, t, &r.of[b]);
	free(t);
	solve(&r);
	return r;
}

void hd_residual_latency_free(hd_residual_latency *r)
{
	hd_physical_cfg_free(&r->graph);
	free(r->in);
	free(r->tail_delay);
	free(r->of);
	*r = (hd_residual_latency){0};
}

/* -- moving waits ------------------------------------------------------------------------------------------------------------------ */

/* Cycles for which instructions of `block` would have to wait, by clock, if it were entered with these residual latencies. */
static hd_clock_cycles needed_waits(const hd_residual_latency *r, uint32_t block, const hd_residuals *in)
{
	const hd_ir_block *b = r->function->blocks.at[block];
	const hd_machine *machine = r->machine;
	hd_clock_cycles wait = {{0}};
	uint32_t passed[CLOCKS] = {0};
	for (size_t i = 0; i < b->insts.n && i <= HD_MAX_DELAY * CLOCKS; i++) {
		hd_resource_use a;
		hd_resource_use_of(b->insts.at[i], !r->function->kernel, machine, &a);
		unsigned clock = hd_issue_clock(machine, a.pipe);
		if (a.drains)
			break;
		for (unsigned k = 0; k < a.n_reads && a.pipe < HD_FIXED_PIPES; k++) {
			uint32_t cycles = in->cycles[a.reads[k] * HD_FIXED_PIPES + a.pipe];
			if (cycles > passed[clock] + wait.cycles[clock])
				wait.cycles[clock] = (uint8_t)(cycles - passed[clock]);
		}
		for (unsigned k = 0; k < a.n_writes && a.pipe < HD_FIXED_PIPES; k++) {
			uint32_t cycles = in->cycles[a.writes[k] * HD_FIXED_PIPES + a.pipe] + 1u;
			if (cycles > passed[clock] + wait.cycles[clock] + a.lane_latency)
				wait.cycles[clock] = (uint8_t)(cycles - a.lane_latency - passed[clock]);
		}
		for (unsigned q = 0; q < CLOCKS; q++)
			passed[q] += a.pipe == HD_PIPE_FLOW ? 1 + machine->latency[HD_CLASS_FLOW].latency : q == clock;
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

/* By edge, the waits that its target needs. *stays: of each block, the clocks of waits that some predecessor cannot take over; for what one way in
 * needs anyway, moving the wait on the other ways gains nothing. */
static hd_clock_cycles *find_waits(const hd_residual_latency *r, const hd_clock_cycles *slack, hd_clock_cycles *stays)
{
	uint32_t blocks = (uint32_t)r->function->blocks.n;
	hd_clock_cycles *wait = hd_xcalloc(r->graph.first_edge[blocks] + 1, sizeof *wait);
	for (uint32_t b = 0; b < blocks; b++) {
		hd_residuals out;
		transfer(r, b, &out);
		for (uint32_t e = r->graph.first_edge[b]; e < r->graph.first_edge[b + 1]; e++) {
			uint32_t to = r->graph.to[e];
			wait[e] = needed_waits(r, to, &out);
			for (unsigned q = 0; q < CLOCKS; q++)
				stays[to].cycles[q] |= wait[e].cycles[q] > slack[b].cycles[q] || (wait[e].cycles[q] && !can_move(r, b, to));
		}
	}
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
				if (stays[r->graph.to[e]].cycles[q] || cycles <= *delay)
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

/* A forward analysis. What a block does to what is left does not depend on where delays end up in it: from each of its instructions to its end
 * pass at least as many cycles as the longest chain of instructions and latencies in between takes. */
#include "passes/analysis/residual_latency.h"

enum { MOST = 255 /* cycles that are counted */, CLOCKS = HD_PIPE_COUNT };

struct hd_block_distance {
	hd_left made;                  /* what is left of the block's own results at its end */
	uint8_t keeps[HD_LEFT_STATE];  /* 0xff: nobody in the block has waited for it; 0: somebody has */
	uint8_t takes[HD_FIXED_PIPES]; /* cycles that the block takes at least, by the clock of the pipe */
};

/* A block is gone through from its end. */
typedef struct suffix {
	uint32_t to_end[CLOCKS];         /* from here */
	uint32_t readers[HD_LEFT_STATE]; /* most that is left from the issue of a later reader of the pipe; 0 = none before the next writer */
	int32_t writer[HD_LEFT_STATE];   /* likewise of the next writer, less its latency */
	bool settled;                    /* somebody waits for everything */
} suffix;

/* Cycles from the issue of a tracked instruction to the end of the block. */
static uint32_t to_end(const suffix *s, const hd_accesses *a, uint32_t cycles)
{
	for (unsigned i = 0; i < a->n_writes; i++) {
		unsigned at = a->writes[i] * HD_FIXED_PIPES + a->pipe;
		if (s->readers[at] && s->readers[at] + a->latency > cycles)
			cycles = s->readers[at] + a->latency;
		if (s->writer[at] + 1 + (int32_t)a->latency > (int32_t)cycles)
			cycles = (uint32_t)(s->writer[at] + 1 + (int32_t)a->latency);
	}
	return cycles;
}

/* `paired`: it may issue in the cycle of the one behind it. */
static void before(suffix *s, const hd_accesses *a, bool paired, const hd_machine *machine, hd_block_distance *out)
{
	unsigned clock = hd_distance_clock(machine, a->pipe);
	if (a->pipe == HD_PIPE_FLOW) {
		for (unsigned q = 0; q < CLOCKS; q++)
			s->to_end[q] += 1 + machine->latency[HD_CLASS_FLOW].latency;
	} else if (a->pipe < HD_PIPE_COUNT || !hd_distance_by_pipe(machine)) {
		s->to_end[clock] += !paired;
		if (hd_distance_tracked(a))
			s->to_end[clock] = to_end(s, a, s->to_end[clock]);
	}
	s->settled |= a->drain;
	if (a->pipe >= HD_FIXED_PIPES)
		return;
	uint32_t cycles = s->to_end[clock];
	for (unsigned i = 0; i < a->n_writes; i++) {
		unsigned at = a->writes[i] * HD_FIXED_PIPES + a->pipe;
		uint8_t *left = &out->made.cycles[at];
		if (hd_distance_tracked(a) && !s->settled && a->latency > cycles && a->latency - cycles > *left)
			*left = (uint8_t)(a->latency - cycles);
		s->readers[at] = 0;
		s->writer[at] = (int32_t)cycles - a->latency;
	}
	for (unsigned i = 0; i < a->n_reads; i++) {
		unsigned at = a->reads[i] * HD_FIXED_PIPES + a->pipe;
		s->readers[at] = cycles > s->readers[at] ? cycles : s->readers[at];
		out->keeps[at] = 0;
	}
}

static void summarise(const hd_ir_block *block, const hd_machine *machine, suffix *s, hd_block_distance *out)
{
	hd_accesses a, behind;
	bool pairs = hd_machine_pairs(machine), paired = false; /* the instruction behind is the first of a pair */
	memset(s, 0, sizeof *s);
	for (unsigned i = 0; i < HD_LEFT_STATE; i++)
		s->writer[i] = INT16_MIN;
	memset(out->keeps, 0xff, sizeof out->keeps);
	for (size_t i = block->insts.n; i-- > 0; behind = a) {
		hd_accesses_of(block->insts.at[i], machine, &a);
		/* As many pairs as there can be: taken from the back, they are the most for each end of the block. */
		paired = pairs && i + 1 < block->insts.n && !paired && hd_pairable(block->insts.at[i], &a, block->insts.at[i + 1], &behind);
		before(s, &a, paired, machine, out);
	}
	if (s->settled)
		memset(out->keeps, 0, sizeof out->keeps);
	for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++) {
		uint32_t cycles = s->to_end[hd_distance_clock(machine, pipe)];
		out->takes[pipe] = (uint8_t)(cycles < MOST ? cycles : MOST);
	}
}

static void leave(const hd_distances *d, uint32_t block, hd_left *out)
{
	const hd_block_distance *of = &d->of[block];
	const uint8_t *in = d->in[block].cycles;
	uint8_t passed[HD_FIXED_PIPES];
	for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++)
		passed[pipe] = d->settled[block].cycles[hd_distance_clock(d->machine, pipe)];
	for (unsigned r = 0; r < HD_RES_COUNT; r++) {
		for (unsigned pipe = 0; pipe < HD_FIXED_PIPES; pipe++) {
			unsigned i = r * HD_FIXED_PIPES + pipe;
			uint8_t old = in[i] > of->takes[pipe] ? (uint8_t)((in[i] - of->takes[pipe]) & of->keeps[i]) : 0;
			uint8_t left = old > of->made.cycles[i] ? old : of->made.cycles[i];
			out->cycles[i] = left > passed[pipe] ? (uint8_t)(left - passed[pipe]) : 0;
		}
	}
}

static bool join(hd_left *restrict into, const hd_left *restrict out)
{
	uint8_t more = 0;
	for (unsigned i = 0; i < HD_LEFT_STATE; i++) {
		uint8_t left = out->cycles[i], old = into->cycles[i];
		more |= left > old;
		into->cycles[i] = left > old ? left : old;
	}
	return more;
}

static void solve(hd_distances *d)
{
	uint32_t blocks = (uint32_t)d->function->blocks.n;
	bool *dirty = hd_xmalloc(blocks + 1);
	memset(dirty, 1, blocks + 1);
	memset(d->in, 0, blocks * sizeof *d->in);
	for (bool again = !hd_machine_within_pipeline(d->machine); again;) {
		again = false;
		for (uint32_t b = 0; b < blocks; b++) {
			hd_left out;
			if (!dirty[b])
				continue;
			dirty[b] = false;
			leave(d, b, &out);
			for (uint32_t e = d->graph.first[b]; e < d->graph.first[b + 1]; e++) {
				if (join(&d->in[d->graph.to[e]], &out)) {
					dirty[d->graph.to[e]] = true;
					again |= d->graph.to[e] <= b;
				}
			}
		}
	}
	free(dirty);
}

hd_distances hd_distances_new(const hd_ir_function *function, const hd_machine *machine)
{
	size_t blocks = function->blocks.n;
	hd_distances d = {.function = function, .machine = machine, .graph = hd_physical_new(function, machine)};
	d.in = hd_xcalloc(blocks + 1, sizeof *d.in);
	d.settled = hd_xcalloc(blocks + 1, sizeof *d.settled);
	d.of = hd_xcalloc(blocks + 1, sizeof *d.of);
	suffix *s = hd_xmalloc(sizeof *s);
	for (size_t b = 0; b < blocks; b++)
		summarise(function->blocks.at[b], machine, s, &d.of[b]);
	free(s);
	solve(&d);
	return d;
}

void hd_distances_free(hd_distances *d)
{
	hd_physical_free(&d->graph);
	free(d->in);
	free(d->settled);
	free(d->of);
	*d = (hd_distances){0};
}

/* -- moving waits ------------------------------------------------------------------------------------------------------------------ */

/* Cycles that `block` would have to wait, by clock, if it were entered with what is left in `left`. */
static hd_by_clock wanted(const hd_distances *d, uint32_t block, const hd_left *left)
{
	const hd_ir_block *b = d->function->blocks.at[block];
	const hd_machine *machine = d->machine;
	hd_by_clock want = {{0}};
	uint32_t passed[CLOCKS] = {0};
	for (size_t i = 0; i < b->insts.n && i <= HD_MAX_DELAY * CLOCKS; i++) {
		hd_accesses a;
		hd_accesses_of(b->insts.at[i], machine, &a);
		unsigned clock = hd_distance_clock(machine, a.pipe);
		if (a.drain)
			break;
		for (unsigned k = 0; k < a.n_reads && a.pipe < HD_FIXED_PIPES; k++) {
			uint32_t cycles = left->cycles[a.reads[k] * HD_FIXED_PIPES + a.pipe];
			if (cycles > passed[clock] + want.cycles[clock])
				want.cycles[clock] = (uint8_t)(cycles - passed[clock]);
		}
		for (unsigned k = 0; k < a.n_writes && a.pipe < HD_FIXED_PIPES; k++) {
			uint32_t cycles = left->cycles[a.writes[k] * HD_FIXED_PIPES + a.pipe] + 1u;
			if (cycles > passed[clock] + want.cycles[clock] + a.latency)
				want.cycles[clock] = (uint8_t)(cycles - a.latency - passed[clock]);
		}
		for (unsigned q = 0; q < CLOCKS; q++)
			passed[q] += a.pipe == HD_PIPE_FLOW ? 1 + machine->latency[HD_CLASS_FLOW].latency : q == clock;
	}
	return want;
}

/* Whether what `from` lets pass at its end costs no more than a wait at the beginning of `to`. */
static bool may_move(const hd_distances *d, uint32_t from, uint32_t to)
{
	const hd_ir_function *f = d->function;
	bool only = d->graph.first[from + 1] - d->graph.first[from] == 1;
	return f->blocks.at[from]->loop_depth < f->blocks.at[to]->loop_depth ||
	       (only && f->blocks.at[from]->loop_depth == f->blocks.at[to]->loop_depth);
}

bool hd_distances_settle(hd_distances *d, const hd_by_clock *room)
{
	uint32_t blocks = (uint32_t)d->function->blocks.n, edges = d->graph.first[blocks];
	bool moved = false;
	if (hd_machine_within_pipeline(d->machine))
		return false;
	hd_by_clock *want = hd_xcalloc(edges + 1, sizeof *want), *stays = hd_xcalloc(blocks + 1, sizeof *stays);
	memset(d->settled, 0, blocks * sizeof *d->settled);
	solve(d);
	/* A wait that one way in needs in any case is not worth moving for the others. */
	for (uint32_t b = 0; b < blocks; b++) {
		hd_left out;
		leave(d, b, &out);
		for (uint32_t e = d->graph.first[b]; e < d->graph.first[b + 1]; e++) {
			uint32_t to = d->graph.to[e];
			want[e] = wanted(d, to, &out);
			for (unsigned q = 0; q < CLOCKS; q++)
				stays[to].cycles[q] |= want[e].cycles[q] > room[b].cycles[q] || (want[e].cycles[q] && !may_move(d, b, to));
		}
	}
	for (uint32_t b = 0; b < blocks; b++) {
		for (uint32_t e = d->graph.first[b]; e < d->graph.first[b + 1]; e++) {
			for (unsigned q = 0; q < CLOCKS; q++) {
				uint8_t cycles = want[e].cycles[q], *settled = &d->settled[b].cycles[q];
				if (stays[d->graph.to[e]].cycles[q] || cycles <= *settled)
					continue;
				*settled = cycles;
				moved = true;
			}
		}
	}
	free(want);
	free(stays);
	if (moved)
		solve(d);
	return moved;
}

/* Fence counters for the dependences that hd_hazards_find names (HZ-23 to HZ-25), then delays.
 *
 *  1. Every primary takes a counter of the set that its pipeline calls for (HZ-20), in layout order. It takes the one on which it makes others,
 *     and others make it, wait least for nothing; among equals the one used longest ago (HZ-24).
 *  2. Waits follow from the counters, one mask a consumer.
 *  3. An instruction that would wait for the counter that it raises itself (HZ-3) gets a branch that nobody takes before it, which waits in the flow
 *     unit in its place.
 *
 * The cost of a wait for nothing: instruction C waits for counter k because of P; while it does, another primary Q may be outstanding on k
 * though C does not need it. That costs what is left of Q's latency when C has all that it needs (outstanding.h), as often as C runs (8 times a level
 * of loop). A low-latency primary whose counter is still waited for in a queue is sent back by the decoder (HZ-18), which costs that wait and more.
 */
#include "passes/annotate/delays.h"
#include "passes/annotate/hints.h"
#include "passes/annotate/last_use.h"
#include "passes/analysis/hazards.h"
#include "passes/analysis/latency_estimate.h"
#include "passes/passes.h"
#include "passes/annotate/priorities.h"

/* Size of a program for which splits are still tried one by one: every trial is a colouring. */
enum { SEARCH_MAX = 20000, SENT_BACK = 4 /* cycles until a warp issues again, at least */, LOOK_BACK = 24 /* instructions */ };

/* What the dependences of a function look like from a colouring: the same for every split. */
typedef struct edge_index {
	hd_hazards *h;
	hd_outstanding out;
	uint32_t *weight;                          /* of each instruction: how often it runs */
	uint32_t *consumer_index;                  /* of each instruction: its place in h->consumers + 1 */
	uint32_t *by_producer_first, *by_producer; /* edges by producer */
	uint32_t *by_consumer_first;               /* edges by consumer (they are sorted) */
	uint32_t *idle_first, *idle;               /* by instruction: consumers (places) that would wait for it for nothing on its counter */
} edge_index;

typedef struct colouring {
	const hd_machine *machine;
	const edge_index *in;
	uint8_t *counter;                      /* of each primary, 0 = not chosen yet */
	uint32_t *waits;                       /* of each instruction: counters that it waits for so far, bit 1 = counter 1 */
	uint64_t (*cost)[HD_MAX_COUNTERS + 1]; /* by consumer (place) and counter: what it would wait for nothing if it waited for that */
	uint64_t used[HD_MAX_COUNTERS + 1];    /* when a counter was last given out */
	uint64_t clock;
} colouring;

static int by_consumer(const void *left, const void *right)
{
	const hd_edge *a = left, *b = right;
	if (a->consumer != b->consumer)
		return a->consumer < b->consumer ? -1 : 1;
	return a->producer < b->producer ? -1 : a->producer > b->producer;
}

/* The snapshots without what a consumer needs anyway (a drain needs all) or what will be done by then, by producer. */
static void index_idle(edge_index *x)
{
	const hd_hazards *h = x->h;
	HD_VEC(uint32_t) places = {0}, producers = {0};
	uint32_t *needed = hd_xcalloc(h->n + 1, sizeof *needed); /* by the consumer at place - 1 */
	x->idle_first = hd_xcalloc(h->n + 2, sizeof(uint32_t));
	for (uint32_t place = 0; place < h->consumers.n; place++) {
		uint32_t consumer = h->consumers.at[place];
		if (h->accesses[consumer].drain)
			continue;
		for (uint32_t i = x->by_consumer_first[consumer]; i < x->by_consumer_first[consumer + 1]; i++)
			needed[h->edges.at[i].producer] = place + 1;
		for (uint32_t k = h->snap_first.at[place]; k < h->snap_first.at[place + 1]; k++) {
			uint32_t p = h->snapshots.at[k];
			if (needed[p] == place + 1 || !hd_outstanding_extra(&x->out, p, consumer))
				continue;
			hd_vec_push(&places, place);
			hd_vec_push(&producers, p);
			x->idle_first[p + 2]++;
		}
	}
	for (uint32_t i = 0; i < h->n; i++)
		x->idle_first[i + 2] += x->idle_first[i + 1];
	x->idle = hd_xcalloc(places.n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < places.n; i++)
		x->idle[x->idle_first[producers.at[i] + 1]++] = places.at[i];
	free(needed);
	hd_vec_free(&places);
	hd_vec_free(&producers);
}

static edge_index index_edges(const hd_ir_function *function, hd_hazards *h, const hd_machine *machine)
{
	edge_index x = {.h = h};
	if (h->edges.n)
		qsort(h->edges.at, h->edges.n, sizeof *h->edges.at, by_consumer);
	x.weight = hd_xcalloc(h->n + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t depth = function->blocks.at[h->block[i]]->loop_depth;
		x.weight[i] = 1u << 3 * (depth < 6 ? depth : 6);
	}
	x.by_consumer_first = hd_xcalloc(h->n + 2, sizeof(uint32_t));
	x.by_producer_first = hd_xcalloc(h->n + 3, sizeof(uint32_t));
	x.by_producer = hd_xcalloc(h->edges.n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < h->edges.n; i++) {
		x.by_consumer_first[h->edges.at[i].consumer + 1]++;
		x.by_producer_first[h->edges.at[i].producer + 2]++;
	}
	for (uint32_t i = 0; i < h->n; i++) {
		x.by_consumer_first[i + 1] += x.by_consumer_first[i];
		x.by_producer_first[i + 2] += x.by_producer_first[i + 1];
	}
	for (size_t i = 0; i < h->edges.n; i++)
		x.by_producer[x.by_producer_first[h->edges.at[i].producer + 1]++] = (uint32_t)i;
	x.consumer_index = hd_xcalloc(h->n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < h->consumers.n; i++)
		x.consumer_index[h->consumers.at[i]] = (uint32_t)i + 1;
	x.out = hd_outstanding_new(h, machine);
	index_idle(&x);
	return x;
}

static void free_index(edge_index *x)
{
	free(x->weight);
	free(x->consumer_index);
	free(x->by_producer_first);
	free(x->by_producer);
	free(x->by_consumer_first);
	hd_outstanding_free(&x->out);
	free(x->idle_first);
	free(x->idle);
}

/* What a consumer waits for nothing with the counters that it has: the longest of them. */
static uint64_t paid(const colouring *c, uint32_t place)
{
	uint64_t most = 0;
	for (uint32_t counters = c->waits[c->in->h->consumers.at[place]]; counters; counters &= counters - 1) {
		uint64_t cost = c->cost[place][__builtin_ctz(counters)];
		most = cost > most ? cost : most;
	}
	return most;
}

static uint64_t idles(const edge_index *x, uint32_t place, uint32_t p)
{
	uint32_t consumer = x->h->consumers.at[place];
	return (uint64_t)x->weight[consumer] * hd_outstanding_extra(&x->out, p, consumer);
}

/* What it costs to put `p` on counter k, for each k. */
static void costs(const colouring *c, uint32_t p, uint64_t cost[HD_MAX_COUNTERS + 1])
{
	const edge_index *x = c->in;
	memset(cost, 0, (HD_MAX_COUNTERS + 1) * sizeof *cost);
	/* Consumers of p would wait for others on k. */
	for (uint32_t e = x->by_producer_first[p]; e < x->by_producer_first[p + 1]; e++) {
		uint32_t place = x->consumer_index[x->h->edges.at[x->by_producer[e]].consumer];
		uint64_t already = place ? paid(c, place - 1) : 0;
		for (unsigned k = 1; place && k <= c->machine->fence_counters; k++)
			cost[k] += c->cost[place - 1][k] > already ? c->cost[place - 1][k] - already : 0;
	}
	/* Others that wait for k would wait for p. */
	for (uint32_t i = x->idle_first[p]; i < x->idle_first[p + 1]; i++) {
		uint32_t counters = c->waits[x->h->consumers.at[x->idle[i]]];
		uint64_t more = idles(x, x->idle[i], p), already = counters ? paid(c, x->idle[i]) : more;
		for (; counters && more > already; counters &= counters - 1)
			cost[__builtin_ctz(counters)] += more - already;
	}
}

/* HZ-18: what it costs `p` when a secondary of one of the `low` counters is still in its queue. */
static void still_waited_for(const colouring *c, uint32_t p, uint32_t low, uint64_t cost[HD_MAX_COUNTERS + 1])
{
	const edge_index *x = c->in;
	uint32_t first = x->h->block_first[x->h->block[p]];
	for (uint32_t i = p; i > first && i + LOOK_BACK > p; i--) {
		uint32_t counters = c->waits[i - 1] & low, leaves = x->out.entry[i - 1], at = x->out.issue[p];
		for (; counters && leaves > at; counters &= counters - 1)
			cost[__builtin_ctz(counters)] += (uint64_t)x->weight[p] * (leaves - at + SENT_BACK);
	}
}

/* Counters that `p` may not raise: those that it waits for itself, and those of its consumers that are primaries (HZ-3). */
static uint32_t forbidden(const colouring *c, uint32_t p)
{
	const edge_index *x = c->in;
	uint32_t mask = 0;
	for (uint32_t e = x->by_consumer_first[p]; e < x->by_consumer_first[p + 1]; e++)
		mask |= 1u << c->counter[x->h->edges.at[e].producer];
	for (uint32_t e = x->by_producer_first[p]; e < x->by_producer_first[p + 1]; e++)
		mask |= 1u << c->counter[x->h->edges.at[x->by_producer[e]].consumer];
	return mask & ~1u;
}

/* Gives `p` a counter; what its waits for nothing cost. */
static uint64_t choose(colouring *c, uint32_t p)
{
	const edge_index *x = c->in;
	uint32_t lo, hi, no = forbidden(c, p);
	uint64_t cost[HD_MAX_COUNTERS + 1];
	hd_machine_counters(c->machine, hd_machine_high_latency(c->machine, (hd_class)x->h->accesses[p].klass), &lo, &hi);
	costs(c, p, cost);
	if (c->machine->fence_wait_counters)
		still_waited_for(c, p, ((2u << c->machine->fence_counters) - 2) & ~(hd_machine_high_mask(c->machine) << 1), cost);
	uint32_t best = 0;
	for (unsigned pass = 0; pass < 2 && !best; pass++) {
		for (uint32_t k = lo; k <= hi; k++) {
			if (pass == 0 && no >> k & 1)
				continue;
			if (!best || cost[k] < cost[best] || (cost[k] == cost[best] && c->used[k] < c->used[best]))
				best = k;
		}
	}
	hd_invariant(best, "no counter between %u and %u", lo, hi);
	if (no >> best & 1) /* a branch of its own waits, in the flow unit, for what is still outstanding */
		cost[best] += (uint64_t)x->weight[p] * (1 + c->machine->latency[HD_CLASS_FLOW].latency + c->machine->latency[HD_CLASS_ALU].latency);
	c->counter[p] = (uint8_t)best;
	c->used[best] = ++c->clock;
	for (uint32_t e = x->by_producer_first[p]; e < x->by_producer_first[p + 1]; e++)
		c->waits[x->h->edges.at[x->by_producer[e]].consumer] |= 1u << best;
	for (uint32_t i = x->idle_first[p]; i < x->idle_first[p + 1]; i++) {
		uint64_t *at = &c->cost[x->idle[i]][best], more = idles(x, x->idle[i], p);
		*at = more > *at ? more : *at;
	}
	return cost[best];
}

/* The cost of the colouring in all; it ends early where that is `enough` or more. `dry`: nothing is written into the program. */
static uint64_t assign(const edge_index *in, const hd_machine *machine, uint64_t enough, bool dry)
{
	const hd_hazards *h = in->h;
	uint64_t cost = 0;
	colouring c = {.machine = machine, .in = in};
	c.waits = hd_xcalloc(h->n + 1, sizeof *c.waits);
	c.counter = hd_xcalloc(h->n + 1, sizeof *c.counter);
	c.cost = hd_xcalloc(h->consumers.n + 1, sizeof *c.cost);
	for (uint32_t i = 0; i < h->n && cost < enough; i++) {
		if (h->primary[i])
			cost += choose(&c, i);
	}
	for (uint32_t i = 0; i < h->n && !dry; i++) {
		h->insts[i]->primary = c.counter[i];
		h->insts[i]->release = h->primary[i];
	}
	for (size_t i = 0; i < h->edges.n && !dry; i++) {
		const hd_edge *edge = &h->edges.at[i];
		h->insts[edge->consumer]->wait |= (uint16_t)(1u << (c.counter[edge->producer] - 1));
		/* Released by read only if every consumer is content with that. */
		if (!edge->by_read)
			h->insts[edge->producer]->release = 0;
	}
	free(c.counter);
	free(c.waits);
	free(c.cost);
	return cost;
}

/* How many counters are for high latency: as many as make the program wait least for nothing; among equals as the machine is configured, or else few.
 */
static uint32_t split(size_t functions, const hd_machine *machine, const edge_index *in)
{
	uint32_t best = machine->fence_high_latency;
	uint64_t least = UINT64_MAX;
	size_t work = 0;
	for (size_t i = 0; i < functions; i++)
		work += in[i].h->snapshots.n + in[i].h->edges.n;
	if (work > SEARCH_MAX)
		return best;
	for (uint32_t turn = 0; turn < machine->fence_counters; turn++) {
		hd_machine other = *machine;
		if (turn == machine->fence_high_latency) /* the first one again */
			continue;
		other.fence_high_latency = turn ? turn : machine->fence_high_latency;
		uint64_t cost = 0;
		for (size_t i = 0; i < functions && cost < least; i++)
			cost += assign(&in[i], &other, least - cost, true);
		if (cost < least) {
			least = cost;
			best = other.fence_high_latency;
		}
	}
	return best;
}

/* A branch to its own block under the guard "never": it waits in the flow unit, and goes on. */
static hd_ir_inst *waiting_branch(hd_ir_module *module, uint32_t block, uint16_t mask, hd_ir_loc loc)
{
	hd_ir_inst *inst = hd_ir_inst_new(module, HD_OP_BRA, 0, 0);
	inst->guard = hd_opd_pred(HD_PT, true);
	inst->callee = (int32_t)block;
	inst->wait = mask;
	inst->loc = loc;
	return inst;
}

static void keep_apart(hd_ir_module *module, hd_ir_function *function)
{
	for (uint32_t b = 0; b < function->blocks.n; b++) {
		hd_ir_block *block = function->blocks.at[b];
		size_t more = 0;
		for (size_t i = 0; i < block->insts.n; i++)
			more += block->insts.at[i]->primary && block->insts.at[i]->wait >> (block->insts.at[i]->primary - 1) & 1;
		if (!more)
			continue;
		HD_VEC(hd_ir_inst *) out = {0};
		for (size_t i = 0; i < block->insts.n; i++) {
			hd_ir_inst *inst = block->insts.at[i];
			uint16_t own = inst->primary ? (uint16_t)(1u << (inst->primary - 1)) : 0;
			if (inst->wait & own) {
				hd_vec_push(&out, waiting_branch(module, b, inst->wait & own, inst->loc));
				inst->wait &= (uint16_t)~own;
			}
			hd_vec_push(&out, inst);
		}
		hd_vec_free(&block->insts);
		block->insts.at = out.at;
		block->insts.n = out.n;
		block->insts.cap = out.cap;
	}
}

/* The serial mode: every instruction waits for the one before, the first of a block for whatever may be outstanding. */
static void annotate_serial(hd_ir_function *function, const hd_machine *machine)
{
	uint32_t counters[2][2]; /* low and high latency, two in turn */
	uint16_t all = 0;
	for (unsigned high = 0; high < 2; high++) {
		uint32_t lo, hi;
		hd_machine_counters(machine, high && machine->fence_high_latency, &lo, &hi);
		counters[high][0] = lo;
		counters[high][1] = lo < hi ? lo + 1 : lo;
		all |= (uint16_t)(1u << (counters[high][0] - 1) | 1u << (counters[high][1] - 1));
	}
	unsigned turn = 0;
	for (size_t b = 0; b < function->blocks.n; b++) {
		uint16_t wait = all;
		for (size_t k = 0; k < function->blocks.at[b]->insts.n; k++) {
			hd_ir_inst *inst = function->blocks.at[b]->insts.at[k];
			unsigned pipe = hd_ops[inst->op].pipe;
			inst->hint = HD_HINT_DELAY;
			inst->delay = 1;
			inst->release = 0;
			if (pipe == HD_PIPE_NONE)
				continue;
			inst->wait = wait;
			wait = 0;
			if (pipe == HD_PIPE_FLOW)
				continue;
			inst->primary = (uint8_t)counters[hd_machine_high_latency(machine, (hd_class)hd_ops[inst->op].klass)][turn++ & 1];
			wait = (uint16_t)(1u << (inst->primary - 1));
		}
	}
}

bool hd_pass_annotate(hd_ir_module *module, hd_machine *machine, bool serial, hd_diag *diag)
{
	(void)diag; /* cannot fail */
	edge_index *in = hd_xcalloc(module->functions.n + 1, sizeof *in);
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *function = module->functions.at[i];
		if (serial) {
			annotate_serial(function, machine);
			keep_apart(module, function);
			continue;
		}
		hd_ir_link(function);
		hd_ir_loops(function);
		in[i] = index_edges(function, hd_hazards_find(function, machine), machine);
	}
	if (!serial && machine->fence_split == HD_SPLIT_PROGRAM && machine->fence_high_latency)
		machine->fence_high_latency = split(module->functions.n, machine, in);
	for (size_t i = 0; i < module->functions.n && !serial; i++) {
		hd_ir_function *function = module->functions.at[i];
		assign(&in[i], machine, UINT64_MAX, false);
		hd_hazards_free(in[i].h);
		free_index(&in[i]);
		keep_apart(module, function);
		hd_place_delays(function, machine);
		if (machine->last_use_flags)
			hd_mark_last_uses(function, machine);
		hd_choose_hints(function, machine);
		hd_choose_priorities(function, machine);
	}
	free(in);
	return true;
}

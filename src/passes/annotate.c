/* Fence counters for the dependences that hd_hazards_find names (HZ-23 to HZ-25), then delays.
 *
 *  1. Every primary takes a counter of the set that its pipeline calls for (HZ-20), in layout order. It takes the one on which it makes others,
 *     and others make it, wait least for nothing; among equals the one used longest ago (HZ-24).
 *  2. Waits follow from the counters, one mask a consumer.
 *  3. An instruction that would wait for the counter that it raises itself (HZ-3) gets a branch that nobody takes before it, which waits in the flow
 *     unit in its place.
 *
 * The cost of a wait for nothing: instruction C waits for counter k because of P; while it does, another primary Q may be outstanding on k
 * though C does not need it. That costs about Q's latency, as often as C runs (8 times a level of loop). */
#include "passes/delay.h"
#include "passes/hints.h"
#include "passes/last_use.h"
#include "passes/hazard.h"
#include "passes/passes.h"
#include "passes/priority.h"

/* Size of a program for which splits are still tried one by one: every trial is a colouring. */
enum { SEARCH_MAX = 20000 };

/* About how long a primary stays outstanding. */
static uint32_t stays(const hd_accesses *a)
{
	if (a->klass == HD_CLASS_LSU)
		return 100;
	return a->latency;
}

typedef struct colouring {
	const hd_machine *machine;
	hd_hazards *h;
	uint32_t *weight;                          /* of each instruction: how often it runs */
	uint8_t *counter;                          /* of each primary, 0 = not chosen yet */
	uint32_t *waits;                           /* of each instruction: counters that it waits for so far, bit 1 = counter 1 */
	uint32_t *marked, mark;                    /* of each instruction, for sets that last a moment: in the set when it has the current mark */
	uint32_t *consumer_index;                  /* of each instruction: its place in h->consumers + 1 */
	uint32_t *by_producer_first, *by_producer; /* edges by producer */
	uint32_t *by_consumer_first;               /* edges by consumer (they are sorted) */
	uint32_t *seen_first, *seen;               /* consumers (places) at which a primary may be outstanding */
	uint64_t used[HD_MAX_COUNTERS + 1];        /* when a counter was last given out */
	uint64_t clock;
} colouring;

static int by_consumer(const void *left, const void *right)
{
	const hd_edge *a = left, *b = right;
	if (a->consumer != b->consumer)
		return a->consumer < b->consumer ? -1 : 1;
	return a->producer < b->producer ? -1 : a->producer > b->producer;
}

static void index_edges(colouring *c)
{
	hd_hazards *h = c->h;
	if (h->edges.n)
		qsort(h->edges.at, h->edges.n, sizeof *h->edges.at, by_consumer);
	c->by_consumer_first = hd_xcalloc(h->n + 2, sizeof(uint32_t));
	c->by_producer_first = hd_xcalloc(h->n + 2, sizeof(uint32_t));
	c->by_producer = hd_xcalloc(h->edges.n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < h->edges.n; i++) {
		c->by_consumer_first[h->edges.at[i].consumer + 1]++;
		c->by_producer_first[h->edges.at[i].producer + 1]++;
	}
	for (uint32_t i = 0; i < h->n; i++) {
		c->by_consumer_first[i + 1] += c->by_consumer_first[i];
		c->by_producer_first[i + 1] += c->by_producer_first[i];
	}
	uint32_t *fill = hd_xcalloc(h->n + 1, sizeof *fill);
	for (size_t i = 0; i < h->edges.n; i++) {
		uint32_t p = h->edges.at[i].producer;
		c->by_producer[c->by_producer_first[p] + fill[p]++] = (uint32_t)i;
	}
	free(fill);
	c->consumer_index = hd_xcalloc(h->n + 1, sizeof(uint32_t));
	c->seen_first = hd_xcalloc(h->n + 2, sizeof(uint32_t));
	c->seen = hd_xcalloc(h->snapshots.n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < h->consumers.n; i++)
		c->consumer_index[h->consumers.at[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < h->snapshots.n; i++)
		c->seen_first[h->snapshots.at[i] + 1]++;
	for (uint32_t i = 0; i < h->n; i++)
		c->seen_first[i + 1] += c->seen_first[i];
	fill = hd_xcalloc(h->n + 1, sizeof *fill);
	for (size_t i = 0; i < h->consumers.n; i++) {
		for (uint32_t k = h->snap_first.at[i]; k < h->snap_first.at[i + 1]; k++) {
			uint32_t p = h->snapshots.at[k];
			c->seen[c->seen_first[p] + fill[p]++] = (uint32_t)i;
		}
	}
	free(fill);
}

/* Long enough ago in the same block that it will be done. */
static bool surely_done(const colouring *c, uint32_t producer, uint32_t consumer)
{
	return c->h->block[producer] == c->h->block[consumer] && producer < consumer && consumer - producer > stays(&c->h->accesses[producer]);
}

/* What it costs to put `p` on counter k, for each k. */
static void costs(colouring *c, uint32_t p, uint64_t cost[HD_MAX_COUNTERS + 1])
{
	const hd_hazards *h = c->h;
	memset(cost, 0, (HD_MAX_COUNTERS + 1) * sizeof *cost);
	/* Consumers of p would wait for others on k. */
	for (uint32_t e = c->by_producer_first[p]; e < c->by_producer_first[p + 1]; e++) {
		uint32_t consumer = h->edges.at[c->by_producer[e]].consumer, place = c->consumer_index[consumer];
		if (!place || h->accesses[consumer].drain) /* needs all */
			continue;
		c->mark++; /* what it waits for anyway */
		for (uint32_t i = c->by_consumer_first[consumer]; i < c->by_consumer_first[consumer + 1]; i++)
			c->marked[h->edges.at[i].producer] = c->mark;
		for (uint32_t k = h->snap_first.at[place - 1]; k < h->snap_first.at[place]; k++) {
			uint32_t other = h->snapshots.at[k];
			if (other != p && c->counter[other] && c->marked[other] != c->mark && !surely_done(c, other, consumer))
				cost[c->counter[other]] += (uint64_t)c->weight[consumer] * stays(&h->accesses[other]);
		}
	}
	/* Others that wait for k would wait for p. */
	c->mark++; /* its own consumers */
	for (uint32_t e = c->by_producer_first[p]; e < c->by_producer_first[p + 1]; e++)
		c->marked[h->edges.at[c->by_producer[e]].consumer] = c->mark;
	for (uint32_t s = c->seen_first[p]; s < c->seen_first[p + 1]; s++) {
		uint32_t consumer = h->consumers.at[c->seen[s]];
		if (!c->waits[consumer] || h->accesses[consumer].drain || c->marked[consumer] == c->mark || surely_done(c, p, consumer))
			continue;
		for (uint32_t counters = c->waits[consumer]; counters; counters &= counters - 1)
			cost[__builtin_ctz(counters)] += (uint64_t)c->weight[consumer] * stays(&h->accesses[p]);
	}
}

/* Counters that `p` may not raise: those that it waits for itself, and those of its consumers that are primaries (HZ-3). */
static uint32_t forbidden(const colouring *c, uint32_t p)
{
	uint32_t mask = 0;
	for (uint32_t e = c->by_consumer_first[p]; e < c->by_consumer_first[p + 1]; e++)
		mask |= 1u << c->counter[c->h->edges.at[e].producer];
	for (uint32_t e = c->by_producer_first[p]; e < c->by_producer_first[p + 1]; e++)
		mask |= 1u << c->counter[c->h->edges.at[c->by_producer[e]].consumer];
	return mask & ~1u;
}

/* Gives `p` a counter; what its waits for nothing cost. */
static uint64_t choose(colouring *c, uint32_t p)
{
	uint32_t lo, hi, no = forbidden(c, p);
	uint64_t cost[HD_MAX_COUNTERS + 1];
	hd_machine_counters(c->machine, hd_machine_high_latency(c->machine, (hd_class)c->h->accesses[p].klass), &lo, &hi);
	costs(c, p, cost);
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
	c->counter[p] = (uint8_t)best;
	c->used[best] = ++c->clock;
	for (uint32_t e = c->by_producer_first[p]; e < c->by_producer_first[p + 1]; e++)
		c->waits[c->h->edges.at[c->by_producer[e]].consumer] |= 1u << best;
	return cost[best];
}

/* The cost of the colouring in all. `dry`: nothing is written into the program. */
static uint64_t assign(hd_ir_function *function, const hd_machine *machine, hd_hazards *h, bool dry)
{
	uint64_t cost = 0;
	colouring c = {.machine = machine, .h = h};
	c.weight = hd_xcalloc(h->n + 1, sizeof *c.weight);
	c.marked = hd_xcalloc(h->n + 1, sizeof *c.marked);
	c.waits = hd_xcalloc(h->n + 1, sizeof *c.waits);
	c.counter = hd_xcalloc(h->n + 1, sizeof *c.counter);
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t depth = function->blocks.at[h->block[i]]->loop_depth;
		c.weight[i] = 1u << 3 * (depth < 6 ? depth : 6);
	}
	index_edges(&c);
	for (uint32_t i = 0; i < h->n; i++) {
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
	free(c.weight);
	free(c.counter);
	free(c.waits);
	free(c.marked);
	free(c.consumer_index);
	free(c.by_producer_first);
	free(c.by_producer);
	free(c.by_consumer_first);
	free(c.seen_first);
	free(c.seen);
	return cost;
}

/* How many counters are for high latency: as many as make the program wait least for nothing; among equals as the machine is configured, or else few.
 */
static uint32_t split(hd_ir_module *module, const hd_machine *machine, hd_hazards **hazards)
{
	uint32_t best = machine->fence_high_latency;
	uint64_t least = 0;
	size_t work = 0;
	for (size_t i = 0; i < module->functions.n; i++)
		work += hazards[i]->snapshots.n + hazards[i]->edges.n;
	if (work > SEARCH_MAX)
		return best;
	for (uint32_t turn = 0; turn < machine->fence_counters; turn++) {
		hd_machine other = *machine;
		other.fence_high_latency = turn ? turn : machine->fence_high_latency;
		uint64_t cost = 0;
		for (size_t i = 0; i < module->functions.n; i++)
			cost += assign(module->functions.at[i], &other, hazards[i], true);
		if (turn == 0 || cost < least) {
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
	hd_hazards **hazards = hd_xcalloc(module->functions.n + 1, sizeof(hd_hazards *));
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *function = module->functions.at[i];
		if (serial) {
			annotate_serial(function, machine);
			keep_apart(module, function);
			continue;
		}
		hd_ir_link(function);
		hd_ir_loops(function);
		hazards[i] = hd_hazards_find(function, machine);
	}
	if (!serial && machine->fence_split == HD_SPLIT_PROGRAM && machine->fence_high_latency)
		machine->fence_high_latency = split(module, machine, hazards);
	for (size_t i = 0; i < module->functions.n && !serial; i++) {
		hd_ir_function *function = module->functions.at[i];
		assign(function, machine, hazards[i], false);
		hd_hazards_free(hazards[i]);
		keep_apart(module, function);
		hd_place_delays(function, machine);
		if (machine->last_use_flags)
			hd_mark_last_uses(function, machine);
		hd_choose_hints(function, machine);
		hd_choose_priorities(function, machine);
	}
	free(hazards);
	return true;
}

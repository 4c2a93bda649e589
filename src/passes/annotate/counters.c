#include "passes/annotate/counters.h"

#include "passes/annotate/counter_reuse.h"

enum {
	MAX_SEARCH = 20000, /* hazards and outstanding primaries of a program for which all splits are tried: every trial is an assignment */
	SENT_BACK = 4,      /* cycles, at least, until a warp issues again that the decoder sent back */
	LOOK_BACK = 24,     /* instructions before a primary that may still be in a queue */
	ISSUE_COST = 4,     /* other warps hide most of a wait, and nothing of an instruction's issue: how much more a cycle of it counts */
};

typedef struct assignment {
	const hd_machine *machine;
	const hd_hazard_index *x;
	const bool *high;                           /* by primary: it gets a high-latency counter, whatever its class is (HZ-35) */
	uint8_t *counter;                           /* of each primary; 0 = none yet */
	uint32_t *waits;                            /* of each instruction: counters that it waits for so far; bit 1 = counter 1 */
	uint64_t (*wait_cost)[HD_MAX_COUNTERS + 1]; /* by consumer (place) and counter: its unneeded wait, if it waits for that counter */
	uint64_t used[HD_MAX_COUNTERS + 1];         /* when a counter was given out last */
	uint64_t clock;
	HD_VEC(uint32_t) raised[HD_MAX_COUNTERS + 1]; /* by counter: primaries since the last instruction that waits for it, in layout order */
} assignment;

/* The unneeded wait of a consumer with the counters that it waits for so far: the longest of them. */
static uint64_t current_cost(const assignment *c, uint32_t place)
{
	uint64_t most = 0;
	for (uint32_t rest = c->waits[c->x->hazards->consumers.at[place]]; rest; rest &= rest - 1)
		most = hd_max_u64(most, c->wait_cost[place][hd_lowest_bit(rest)]);
	return most;
}

/* The added cost of unneeded waits if primary p gets counter k, for each k. */
static void find_costs(const assignment *c, uint32_t p, uint64_t cost[HD_MAX_COUNTERS + 1])
{
	const hd_hazard_index *x = c->x;
	memset(cost, 0, (HD_MAX_COUNTERS + 1) * sizeof *cost);
	/* Consumers of p would wait for the other primaries on k. */
	for (uint32_t e = x->by_producer_first[p]; e < x->by_producer_first[p + 1]; e++) {
		uint32_t place = x->consumer_place[x->hazards->edges.at[x->by_producer[e]].consumer];
		uint64_t now = place ? current_cost(c, place - 1) : 0;
		for (unsigned k = 1; place && k <= c->machine->fence_counters; k++)
			cost[k] += hd_max_u64(c->wait_cost[place - 1][k], now) - now;
	}
	/* Others that wait for k would wait for p. */
	for (uint32_t i = x->unneeded_first[p]; i < x->unneeded_first[p + 1]; i++) {
		uint32_t rest = c->waits[x->hazards->consumers.at[x->unneeded[i]]];
		uint64_t more = hd_unneeded_wait_cost(x, x->unneeded[i], p), now = rest ? current_cost(c, x->unneeded[i]) : more;
		for (; rest && more > now; rest &= rest - 1)
			cost[hd_lowest_bit(rest)] += more - now;
	}
}

/* HZ-18: adds what it costs p when a secondary of a low-latency counter is still in its queue. */
static void add_send_back_costs(const assignment *c, uint32_t p, uint64_t cost[HD_MAX_COUNTERS + 1])
{
	const hd_hazard_index *x = c->x;
	uint32_t low = ((2u << c->machine->fence_counters) - 2) & ~(hd_machine_high_mask(c->machine) << 1);
	uint32_t first = x->hazards->block_first[x->hazards->block[p]], issue = x->estimate.issue[p];
	for (uint32_t i = p; i > first && i + LOOK_BACK > p; i--) {
		uint32_t entry = x->estimate.entry[i - 1]; /* until then it is in its queue */
		for (uint32_t rest = c->waits[i - 1] & low; rest && entry > issue; rest &= rest - 1)
			cost[hd_lowest_bit(rest)] += (uint64_t)x->weight[p] * (entry - issue + SENT_BACK);
	}
}

/* Adds what it costs p when a counter is full: p waits in the decoder until the primary has completed that takes the room (HZ-8, HZ-18). */
static void add_full_counter_costs(const assignment *c, uint32_t p, uint64_t cost[HD_MAX_COUNTERS + 1])
{
	const hd_hazard_index *x = c->x;
	size_t room = c->machine->fence_assign == HD_ASSIGN_UNSHARED ? 1 : hd_machine_primaries_of_counter(c->machine);
	for (unsigned k = 1; k <= c->machine->fence_counters; k++) {
		if (c->raised[k].n < room)
			continue;
		uint32_t oldest = c->raised[k].at[c->raised[k].n - room], wait = 0;
		if (x->hazards->block[oldest] == x->hazards->block[p] && x->estimate.release[oldest] > x->estimate.issue[p])
			wait = x->estimate.release[oldest] - x->estimate.issue[p];
		cost[k] += (uint64_t)x->weight[p] * (wait + SENT_BACK);
	}
}

/* Counters that p must not raise: those that it waits for, and those of its consumers that are primaries (HZ-3). Bit 1 = counter 1. */
static uint32_t forbidden_counters(const assignment *c, uint32_t p)
{
	const hd_hazard_index *x = c->x;
	uint32_t mask = 0;
	for (uint32_t e = x->by_consumer_first[p]; e < x->by_consumer_first[p + 1]; e++)
		mask |= 1u << c->counter[x->hazards->edges.at[e].producer];
	for (uint32_t e = x->by_producer_first[p]; e < x->by_producer_first[p + 1]; e++)
		mask |= 1u << c->counter[x->hazards->edges.at[x->by_producer[e]].consumer];
	return mask & ~1u;
}

/* The cheapest counter from lo to hi that is allowed, or the cheapest of all if none is. */
static uint32_t cheapest_counter(const assignment *c, uint32_t lo, uint32_t hi, uint32_t forbidden, const uint64_t *cost)
{
	uint32_t best = 0;
	for (unsigned any = 0; any < 2 && !best; any++) {
		for (uint32_t k = lo; k <= hi; k++) {
			if (!any && forbidden >> k & 1)
				continue;
			if (!best || cost[k] < cost[best] || (cost[k] == cost[best] && c->used[k] < c->used[best]))
				best = k;
		}
	}
	hd_invariant(best, "no counter between %u and %u", lo, hi);
	return best;
}

/* HZ-34: the counter from lo to hi that was given out longest ago, of those that are allowed and that no primary has raised since the last wait for
 * them; 0 if there is none. */
static uint32_t free_counter(const assignment *c, uint32_t lo, uint32_t hi, uint32_t forbidden)
{
	uint32_t best = 0;
	for (uint32_t k = lo; k <= hi; k++)
		if (!(forbidden >> k & 1) && !c->raised[k].n && (!best || c->used[k] < c->used[best]))
			best = k;
	return best;
}

/* HZ-24: an allowed counter from lo to hi of a primary on which a consumer of p depends, too: that consumer waits for both in any case. Of several
 * the cheapest; 0 if there is none. */
static uint32_t counter_of_a_fellow(const assignment *c, uint32_t p, uint32_t lo, uint32_t hi, uint32_t forbidden, const uint64_t *cost)
{
	const hd_hazard_index *x = c->x;
	uint32_t best = 0;
	for (uint32_t e = x->by_producer_first[p]; e < x->by_producer_first[p + 1]; e++) {
		uint32_t consumer = x->hazards->edges.at[x->by_producer[e]].consumer;
		for (uint32_t f = x->by_consumer_first[consumer]; f < x->by_consumer_first[consumer + 1]; f++) {
			uint32_t k = c->counter[x->hazards->edges.at[f].producer];
			if (k >= lo && k <= hi && !(forbidden >> k & 1) && (!best || cost[k] < cost[best]))
				best = k;
		}
	}
	return best;
}

/* The counter of p by fence.assign. */
static uint32_t assigned_counter(const assignment *c, uint32_t p, uint32_t lo, uint32_t hi, uint32_t forbidden, const uint64_t *cost)
{
	static const uint64_t equal[HD_MAX_COUNTERS + 1];
	uint32_t k = c->machine->fence_assign == HD_ASSIGN_COST ? 0 : free_counter(c, lo, hi, forbidden);
	if (!k && c->machine->fence_assign == HD_ASSIGN_ROTATE)
		k = counter_of_a_fellow(c, p, lo, hi, forbidden, cost);
	return k ? k : cheapest_counter(c, lo, hi, forbidden, c->machine->fence_assign == HD_ASSIGN_UNSHARED ? equal : cost);
}

/* Gives p a counter; returns what that costs. */
static uint64_t choose_counter(assignment *c, uint32_t p)
{
	const hd_hazard_index *x = c->x;
	const hd_machine *m = c->machine;
	uint32_t lo, hi, forbidden = forbidden_counters(c, p);
	uint64_t cost[HD_MAX_COUNTERS + 1];
	hd_machine_counters(m, (c->high && c->high[p]) || hd_machine_high_latency(m, (hd_class)x->hazards->uses[p].klass), &lo, &hi);
	find_costs(c, p, cost);
	if (m->fence_wait_counters)
		add_send_back_costs(c, p, cost);
	add_full_counter_costs(c, p, cost);
	uint32_t by_hand = x->hazards->insts[p]->primary; /* HZ-33 */
	uint32_t k = by_hand ? by_hand : assigned_counter(c, p, lo, hi, forbidden, cost);
	if (forbidden >> k & 1) /* a branch of its own waits for what is still outstanding (waiting_branches.h) */
		cost[k] += ISSUE_COST * (uint64_t)x->weight[p] *
		           (1 + hd_machine_class_latency(m, HD_CLASS_FLOW) + hd_machine_class_latency(m, HD_CLASS_ALU));
	c->counter[p] = (uint8_t)k;
	c->used[k] = ++c->clock;
	if (m->fence_assign == HD_ASSIGN_UNSHARED)
		c->raised[k].n = 0; /* p waits for what is outstanding */
	hd_vec_push(&c->raised[k], p);
	for (uint32_t e = x->by_producer_first[p]; e < x->by_producer_first[p + 1]; e++)
		c->waits[x->hazards->edges.at[x->by_producer[e]].consumer] |= 1u << k;
	for (uint32_t i = x->unneeded_first[p]; i < x->unneeded_first[p + 1]; i++) {
		uint64_t *at = &c->wait_cost[x->unneeded[i]][k];
		*at = hd_max_u64(*at, hd_unneeded_wait_cost(x, x->unneeded[i], p));
	}
	return cost[k];
}

/* Assigns all counters and returns the cost; stops early where that reaches `limit`. `high`: of the assignment, or NULL. */
static uint64_t assign_once(assignment *c, const hd_hazard_index *x, const hd_machine *machine, const bool *high, uint64_t limit)
{
	const hd_hazards *h = x->hazards;
	uint64_t cost = 0;
	*c = (assignment){.machine = machine, .x = x, .high = high};
	c->waits = hd_xcalloc(h->n + 1, sizeof *c->waits);
	c->counter = hd_xcalloc(h->n + 1, sizeof *c->counter);
	c->wait_cost = hd_xcalloc(h->consumers.n + 1, sizeof *c->wait_cost);
	for (uint32_t i = 0; i < h->n && cost < limit; i++) {
		for (uint32_t rest = c->waits[i]; rest; rest &= rest - 1)
			c->raised[hd_lowest_bit(rest)].n = 0;
		if (h->primary[i])
			cost += choose_counter(c, i);
	}
	return cost;
}

static void release(assignment *c)
{
	free(c->counter);
	free(c->waits);
	free(c->wait_cost);
	for (unsigned k = 0; k <= HD_MAX_COUNTERS; k++)
		hd_vec_free(&c->raised[k]);
}

/* HZ-35: assigns again and again. Each time the primaries that an earlier secondary in a queue might wait for get high-latency counters, for which
 * instructions wait in the decoder. */
static uint64_t assign(assignment *c, const hd_hazard_index *x, const hd_machine *machine, uint64_t limit)
{
	bool *high = machine->fence_deadlock_free ? hd_xcalloc(x->hazards->n + 1, sizeof *high) : NULL;
	uint64_t cost = assign_once(c, x, machine, high, limit);
	while (high && cost < limit && hd_find_unsafe_reuse(x->hazards, &(hd_counter_use){.counter = c->counter, .waits = c->waits}, machine, high)) {
		release(c);
		cost = assign_once(c, x, machine, high, limit);
	}
	c->high = NULL;
	free(high);
	return cost;
}

/* HZ-34: a primary whose counter another one may have waits for it first. It raises that counter itself, so a branch will wait (HZ-3). */
static void wait_for_own_counters(const hd_hazards *h, const assignment *c)
{
	bool *shared = hd_xcalloc(h->n + 1, sizeof *shared);
	hd_find_shared_counters(h, &(hd_counter_use){.counter = c->counter, .waits = c->waits}, shared);
	for (uint32_t i = 0; i < h->n; i++)
		if (shared[i])
			h->insts[i]->wait |= (uint16_t)(1u << (c->counter[i] - 1));
	free(shared);
}

void hd_assign_counters(const hd_hazard_index *index, const hd_machine *machine)
{
	const hd_hazards *h = index->hazards;
	assignment c;
	assign(&c, index, machine, UINT64_MAX);
	for (uint32_t i = 0; i < h->n; i++) {
		if (h->insts[i]->primary) /* marked by hand (HZ-33) */
			continue;
		h->insts[i]->primary = c.counter[i];
		h->insts[i]->release = h->primary[i];
	}
	for (size_t i = 0; i < h->edges.n; i++) {
		const hd_hazard *edge = &h->edges.at[i];
		h->insts[edge->consumer]->wait |= (uint16_t)(1u << (c.counter[edge->producer] - 1));
		/* A release by read must be enough for every consumer. */
		if (!edge->by_read)
			h->insts[edge->producer]->release = 0;
	}
	if (machine->fence_assign == HD_ASSIGN_UNSHARED)
		wait_for_own_counters(h, &c);
	release(&c);
}

uint32_t hd_choose_split(const hd_hazard_index *functions, size_t n, const hd_machine *machine)
{
	uint32_t configured = machine->fence_high_latency, best = configured;
	uint64_t least = UINT64_MAX;
	size_t work = 0;
	for (size_t i = 0; i < n; i++)
		work += functions[i].hazards->outstanding.n + functions[i].hazards->edges.n;
	if (work > MAX_SEARCH)
		return best;
	for (uint32_t turn = 0; turn < machine->fence_counters; turn++) {
		if (turn == configured) /* it was the first one */
			continue;
		hd_machine other = *machine;
		other.fence_high_latency = turn ? turn : configured;
		uint64_t cost = 0;
		for (size_t i = 0; i < n && cost < least; i++) {
			assignment c;
			cost += assign(&c, &functions[i], &other, least - cost);
			release(&c);
		}
		if (cost < least) {
			least = cost;
			best = other.fence_high_latency;
		}
	}
	return best;
}

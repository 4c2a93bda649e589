/* Terms are those of "Memory Consistency Model" of the PTX ISA: morally strong, patterns, observation, base causality, causality, Fence-SC, coherence
 * and communication order, and the six axioms. Coherence order relates two stores if they are morally strong or related in causality. Candidates have
 * total orders of the stores to a location, whose last one is the final value, and the axioms see the related pairs alone. */
#include "model.h"

enum { EVENTS = 24, STORES = 4 /* to a location */, FENCES = 4, PERMUTATIONS = 24 };

typedef struct relation {
	uint32_t row[EVENTS]; /* bit j of row i: i precedes j */
} relation;

typedef enum event_kind { EVENT_READ, EVENT_WRITE, EVENT_FENCE } event_kind;
typedef struct event {
	event_kind kind;
	uint8_t thread, location, value;
	litmus_scope scope;
	bool strong, acquires, releases, sc, initial, adds; /* adds: its value is `value` more than what the event before it read */
	int8_t reg;
	int8_t rmw;      /* the read of a write, and the write of a read; -1: no atomic */
	int8_t data;     /* the read that it depends on; -1: none */
	uint8_t barrier; /* a fence that orders nothing but what barriers order: the barrier's number plus 1 */
	bool waits;      /* for the others at the barrier */
} event;

typedef struct candidate {
	const litmus_test *test;
	event e[EVENTS];
	unsigned n;
	relation po, strong, po_location, dependence;
	uint8_t reads[EVENTS], n_reads, fences[FENCES], n_fences;
	uint8_t stores[LITMUS_LOCATIONS][STORES], n_stores[LITMUS_LOCATIONS], initial[LITMUS_LOCATIONS];
	uint8_t from[EVENTS]; /* the write that a read reads */
	relation rf, observed, cause;
	relation order; /* total, of the stores to a location */
	litmus_outcomes *allowed;
} candidate;

/* -- relations ------------------------------------------------------------------------------------------------------------------------------ */

static bool has(const relation *r, unsigned i, unsigned j) { return r->row[i] >> j & 1; }
static void put(relation *r, unsigned i, unsigned j) { r->row[i] |= 1u << j; }

static void close_transitively(relation *r, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		for (unsigned i = 0; i < n; i++)
			r->row[i] |= has(r, i, k) ? r->row[k] : 0;
}

static bool cyclic(const relation *r, unsigned n)
{
	relation closed = *r;
	close_transitively(&closed, n);
	for (unsigned i = 0; i < n; i++)
		if (has(&closed, i, i))
			return true;
	return false;
}

/* The k-th order of n things. */
static void permutation(unsigned k, unsigned n, uint8_t order[])
{
	uint8_t left[FENCES] = {0, 1, 2, 3};
	for (unsigned i = 0; i < n; i++) {
		unsigned at = k % (n - i);
		k /= n - i;
		order[i] = left[at];
		memmove(left + at, left + at + 1, sizeof left - at - 1);
	}
}

static unsigned factorial(unsigned n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* -- events --------------------------------------------------------------------------------------------------------------------------------- */

static bool same_location(const event *a, const event *b) { return a->kind == EVENT_FENCE || b->kind == EVENT_FENCE || a->location == b->location; }

static event *append(candidate *c, event e)
{
	hd_invariant(c->n < EVENTS, "%s: events", c->test->shape->name);
	e.rmw = -1;
	e.data = -1;
	c->e[c->n] = e;
	if (e.kind == EVENT_READ)
		c->reads[c->n_reads++] = (uint8_t)c->n;
	if (e.kind == EVENT_FENCE && e.sc)
		c->fences[c->n_fences++] = (uint8_t)c->n;
	if (e.kind == EVENT_WRITE && !e.initial)
		c->stores[e.location][c->n_stores[e.location]++] = (uint8_t)c->n;
	hd_invariant(c->n_fences <= FENCES && c->n_stores[e.location] <= STORES, "%s: fences or stores", c->test->shape->name);
	return &c->e[c->n++];
}

static void add_access(candidate *c, unsigned thread, unsigned i, int last_read)
{
	const litmus_access *access = &c->test->access[thread][i];
	if (litmus_is_barrier(access)) {
		append(c,
		       (event){.kind = EVENT_FENCE, .thread = (uint8_t)thread, .barrier = access->value + 1, .waits = access->kind != LITMUS_ARRIVE});
		return;
	}
	bool forgotten = c->test->forgotten >> thread & 1;
	bool both = access->strength == LITMUS_ATOMIC_SYNCHRONISING || access->strength == LITMUS_SYNCHRONISING;
	bool half = access->strength == LITMUS_ATOMIC_HALF, atomic = access->strength >= LITMUS_ATOMIC;
	event e = {.thread = (uint8_t)thread,
	           .location = access->location,
	           .scope = litmus_scope_of(c->test, access),
	           .strong = access->strength >= LITMUS_VOLATILE,
	           .acquires = (both || (half && access->kind == LITMUS_LOAD)) && !(forgotten && i == 0),
	           .releases = (both || (half && access->kind == LITMUS_STORE)) && !(forgotten && i == 1),
	           .value = access->value};
	if (atomic || access->kind == LITMUS_LOAD) {
		e.kind = EVENT_READ;
		e.reg = access->reg;
		append(c, e);
	}
	if (!atomic && access->kind == LITMUS_LOAD)
		return;
	e.kind = EVENT_WRITE;
	e.adds = access->kind == LITMUS_LOAD || access->kind == LITMUS_ADD;
	event *write = append(c, e);
	if (access->depends)
		write->data = (int8_t)last_read;
	if (atomic) {
		write->rmw = (int8_t)(c->n - 2);
		write[-1].rmw = (int8_t)(c->n - 1);
		if (e.adds)
			write->data = write->rmw;
	}
}

static void add_thread(candidate *c, unsigned thread)
{
	unsigned first = c->n;
	int last_read = -1;
	litmus_fence fence = c->test->form->fence;
	for (unsigned i = 0; i < c->test->n[thread]; i++) {
		bool forgotten = i == 1 && c->test->forgotten >> thread & 1 && !litmus_is_barrier(&c->test->access[thread][i]);
		if (fence && litmus_fenced(c->test, thread, i) && !forgotten)
			append(c, (event){.kind = EVENT_FENCE,
			                  .thread = (uint8_t)thread,
			                  .scope = c->test->scope,
			                  .strong = true,
			                  .acquires = true,
			                  .releases = true,
			                  .sc = fence != LITMUS_ACQ_REL && !(fence == LITMUS_MIXED && thread % 2)});
		add_access(c, thread, i, last_read);
		for (unsigned k = first; k < c->n; k++)
			last_read = c->e[k].kind == EVENT_READ ? (int)k : last_read;
	}
	for (unsigned i = first; i < c->n; i++) {
		for (unsigned k = i + 1; k < c->n; k++) {
			if (!(c->test->forgotten >> thread & 1 && c->e[k].barrier))
				put(&c->po, i, k);
			if (c->e[i].kind != EVENT_FENCE && c->e[k].kind != EVENT_FENCE && same_location(&c->e[i], &c->e[k]))
				put(&c->po_location, i, k);
		}
		if (c->e[i].data >= 0)
			put(&c->dependence, (unsigned)c->e[i].data, i);
	}
}

static bool reaches(const candidate *c, const event *from, const event *to)
{
	return from->scope != LITMUS_CTA || litmus_together(c->test, from->thread, to->thread);
}

static void find_morally_strong(candidate *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned k = 0; k < c->n; k++) {
			const event *a = &c->e[i], *b = &c->e[k];
			bool one = a->thread == b->thread, strong = a->strong && b->strong && reaches(c, a, b) && reaches(c, b, a);
			if (i != k && !a->initial && !b->initial && same_location(a, b) && (one || strong))
				put(&c->strong, i, k);
		}
	}
}

/* -- causality ------------------------------------------------------------------------------------------------------------------------------ */

static void observe(candidate *c)
{
	c->rf = (relation){0};
	c->observed = (relation){0};
	for (unsigned i = 0; i < c->n_reads; i++) {
		unsigned read = c->reads[i], write = c->from[read];
		put(&c->rf, write, read);
		if (has(&c->strong, write, read))
			put(&c->observed, write, read);
	}
	for (unsigned times = 0; times < c->n_reads; times++)
		for (unsigned w = 0; w < c->n; w++)
			for (unsigned r = 0; r < c->n; r++)
				if (has(&c->observed, w, r) && c->e[r].rmw >= 0)
					c->observed.row[w] |= c->observed.row[c->e[r].rmw];
}

/* The first operations of the release patterns that end with this write. */
static uint32_t release_patterns(const candidate *c, unsigned write)
{
	uint32_t first = c->e[write].releases ? 1u << write : 0;
	for (unsigned i = 0; i < c->n; i++)
		if (has(&c->po, i, write) && c->e[i].releases && c->e[i].kind != EVENT_READ && same_location(&c->e[i], &c->e[write]))
			first |= 1u << i;
	return c->e[write].strong ? first : 0;
}

/* The last operations of the acquire patterns that begin with this read. */
static uint32_t acquire_patterns(const candidate *c, unsigned read)
{
	uint32_t last = c->e[read].acquires ? 1u << read : 0;
	for (unsigned i = 0; i < c->n; i++)
		if (has(&c->po, read, i) && c->e[i].acquires && c->e[i].kind != EVENT_WRITE && same_location(&c->e[i], &c->e[read]))
			last |= 1u << i;
	return c->e[read].strong ? last : 0;
}

/* Events before the barrier at a thread that arrives are before those behind it at one that waits. */
static void meet(const candidate *c, relation *base)
{
	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned k = 0; k < c->n; k++) {
			const event *a = &c->e[i], *b = &c->e[k];
			bool here = a->barrier == LITMUS_GRID_BARRIER + 1 || litmus_together(c->test, a->thread, b->thread);
			if (a->barrier && a->barrier == b->barrier && b->waits && here)
				put(base, i, k);
		}
	}
}

static void synchronise(const candidate *c, relation *base)
{
	for (unsigned w = 0; w < c->n; w++) {
		for (unsigned r = 0; r < c->n; r++) {
			if (!has(&c->observed, w, r))
				continue;
			uint32_t first = release_patterns(c, w), last = acquire_patterns(c, r);
			for (unsigned i = 0; i < c->n; i++)
				if (first >> i & 1)
					base->row[i] |= last & c->strong.row[i];
		}
	}
}

/* Causality for one Fence-SC order. False if the order contradicts it. */
static bool find_cause(candidate *c, unsigned fence_order)
{
	uint8_t order[FENCES];
	relation base = c->po, fences = {0};
	permutation(fence_order, c->n_fences, order);
	for (unsigned i = 0; i < c->n_fences; i++)
		for (unsigned k = i + 1; k < c->n_fences; k++)
			if (has(&c->strong, c->fences[order[i]], c->fences[order[k]]))
				put(&fences, c->fences[order[i]], c->fences[order[k]]);
	synchronise(c, &base);
	meet(c, &base);
	for (unsigned i = 0; i < c->n; i++) {
		base.row[i] |= fences.row[i];
		if (c->e[i].initial)
			base.row[i] |= ((1u << c->n) - 1) & ~((1u << c->test->n_locations) - 1);
	}
	close_transitively(&base, c->n);
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->n; k++)
			if (has(&fences, i, k) && has(&base, k, i))
				return false;
	c->cause = base;
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->n; k++)
			c->cause.row[i] |= has(&c->observed, i, k) ? base.row[k] : 0;
	return true;
}

/* -- axioms --------------------------------------------------------------------------------------------------------------------------------- */

/* Coherence order of this candidate's total order. False if causality contradicts the total order. */
static bool find_coherence(const candidate *c, relation *co)
{
	*co = (relation){0};
	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned k = 0; k < c->n; k++) {
			if (!has(&c->order, i, k))
				continue;
			if (has(&c->cause, k, i))
				return false;
			if (c->e[i].initial || has(&c->strong, i, k) || has(&c->cause, i, k))
				put(co, i, k);
		}
	}
	close_transitively(co, c->n);
	return true;
}

static bool atomics_are_atomic(const candidate *c, const relation *fr, const relation *co)
{
	for (unsigned r = 0; r < c->n; r++) {
		if (c->e[r].kind != EVENT_READ || c->e[r].rmw < 0)
			continue;
		uint32_t between = fr->row[r] & c->strong.row[r];
		for (unsigned w = 0; w < c->n; w++)
			if (between >> w & 1 && has(co, w, (unsigned)c->e[r].rmw))
				return false;
	}
	return true;
}

static bool consistent(const candidate *c)
{
	relation co, fr = {0}, strongly = c->po_location;
	if (!find_coherence(c, &co))
		return false;
	for (unsigned i = 0; i < c->n_reads; i++)
		fr.row[c->reads[i]] = co.row[c->from[c->reads[i]]] & ~(c->e[c->reads[i]].rmw >= 0 ? 1u << c->e[c->reads[i]].rmw : 0);
	for (unsigned i = 0; i < c->n; i++) {
		uint32_t communicates = c->rf.row[i] | co.row[i] | fr.row[i];
		strongly.row[i] |= communicates & (c->e[i].initial ? ~0u : c->strong.row[i]);
		for (unsigned k = 0; k < c->n; k++)
			if (communicates >> k & 1 && has(&c->cause, k, i))
				return false;
	}
	return !cyclic(&strongly, c->n) && atomics_are_atomic(c, &fr, &co);
}

/* -- candidates ----------------------------------------------------------------------------------------------------------------------------- */

static unsigned value_of(const candidate *c, unsigned write)
{
	const event *e = &c->e[write];
	return (e->value + (e->adds ? value_of(c, c->from[e->data]) : 0)) & 3;
}

static void add_outcome(candidate *c)
{
	unsigned outcome = 0;
	for (unsigned i = 0; i < c->n_reads; i++) {
		const event *e = &c->e[c->reads[i]];
		if (e->reg >= 0)
			outcome |= value_of(c, c->from[c->reads[i]]) << litmus_shift_register((unsigned)e->reg);
	}
	for (unsigned l = 0; l < c->test->n_locations; l++) {
		unsigned last = c->initial[l];
		for (unsigned i = 0; i < c->n_stores[l]; i++)
			last = has(&c->order, last, c->stores[l][i]) ? c->stores[l][i] : last;
		outcome |= value_of(c, last) << litmus_shift_location(l);
	}
	c->allowed->bits[outcome / 32] |= 1u << outcome % 32;
}

/* All orders of the stores of locations from `l` on. */
static void try_orders(candidate *c, unsigned l)
{
	if (l == c->test->n_locations) {
		if (consistent(c))
			add_outcome(c);
		return;
	}
	relation before = c->order;
	unsigned n = c->n_stores[l];
	for (unsigned k = 0; k < factorial(n); k++) {
		uint8_t order[STORES];
		permutation(k, n, order);
		c->order = before;
		for (unsigned i = 0; i < n; i++) {
			put(&c->order, c->initial[l], c->stores[l][i]);
			for (unsigned j = i + 1; j < n; j++)
				put(&c->order, c->stores[l][order[i]], c->stores[l][order[j]]);
		}
		try_orders(c, l + 1);
	}
	c->order = before;
}

/* All writes that reads from number `i` on can read. */
static void try_reads(candidate *c, unsigned i)
{
	if (i < c->n_reads) {
		const event *e = &c->e[c->reads[i]];
		c->from[c->reads[i]] = c->initial[e->location];
		try_reads(c, i + 1);
		for (unsigned k = 0; k < c->n_stores[e->location]; k++) {
			c->from[c->reads[i]] = c->stores[e->location][k];
			if (c->stores[e->location][k] != e->rmw)
				try_reads(c, i + 1);
		}
		return;
	}
	observe(c);
	relation air = c->dependence;
	for (unsigned k = 0; k < c->n; k++)
		air.row[k] |= c->rf.row[k];
	if (cyclic(&air, c->n))
		return;
	for (unsigned k = 0; k < factorial(c->n_fences); k++)
		if (find_cause(c, k))
			try_orders(c, 0);
}

void litmus_allowed(const litmus_test *test, litmus_outcomes *allowed)
{
	candidate c = {.test = test, .allowed = allowed};
	*allowed = (litmus_outcomes){0};
	for (unsigned l = 0; l < test->n_locations; l++) {
		c.initial[l] = (uint8_t)c.n;
		append(&c, (event){.kind = EVENT_WRITE, .thread = UINT8_MAX, .location = (uint8_t)l, .initial = true});
	}
	for (unsigned t = 0; t < test->n_threads; t++)
		add_thread(&c, t);
	find_morally_strong(&c);
	try_reads(&c, 0);
}

bool litmus_wanted(const litmus_test *test, const litmus_outcomes *set)
{
	for (unsigned outcome = 0; outcome < LITMUS_OUTCOMES; outcome++)
		if ((outcome & test->mask) == test->wanted && litmus_has(set, outcome))
			return true;
	return false;
}

#include "sass/pending.h"

enum { NONE = UINT32_MAX, LATER_MAX = 63, DEPBAR_STALL = 4 };

int hd_sass_resource(unsigned file, unsigned number)
{
	static const int first[HD_SASS_FILES] = {0, 256, 320, 328, -1};
	return first[file] < 0 ? -1 : first[file] + (int)number;
}

unsigned hd_sass_resource_file(unsigned resource, unsigned *number)
{
	unsigned file = resource < 256   ? HD_SASS_REGISTER
	                : resource < 320 ? HD_SASS_UNIFORM
	                : resource < 328 ? HD_SASS_PREDICATE
	                                 : HD_SASS_UNIFORM_PREDICATE;
	*number = resource - (unsigned)hd_sass_resource(file, 0);
	return file;
}

bool hd_sass_in_memory_unit(const hd_sass_instruction *x)
{
	return x->latency_class == HD_SASS_CLASS_SHARED || x->latency_class == HD_SASS_CLASS_MEMORY || x->latency_class == HD_SASS_CLASS_ASYNC ||
	       x->latency_class == HD_SASS_CLASS_SHUFFLE;
}

hd_sass_order hd_sass_order_of_result(const hd_sass_instruction *x)
{
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_SHARED:
	case HD_SASS_CLASS_SHUFFLE:
		return HD_SASS_ORDER_SHARED;
	case HD_SASS_CLASS_TRANSCENDENTAL:
	case HD_SASS_CLASS_CONVERT:
		return HD_SASS_ORDER_SLOW;
	case HD_SASS_CLASS_TEXTURE:
		return HD_SASS_ORDER_TEXTURE;
	case HD_SASS_CLASS_DOUBLE:
		return hd_sass_is_variable(x) ? HD_SASS_ORDER_DOUBLE : HD_SASS_UNORDERED;
	default:
		return HD_SASS_UNORDERED;
	}
}

void hd_sass_state_init(hd_sass_state *s, const hd_sass_graph *graph, const hd_sass_latencies *latencies, hd_sass_keeping keeping)
{
	*s = (hd_sass_state){.graph = graph, .latencies = latencies, .keeping = keeping, .free = NONE, .raising = NONE};
	for (unsigned r = 0; r < HD_SASS_RESOURCES; r++)
		s->head[r] = NONE;
	for (uint32_t i = 0; i < graph->code->n; i++)
		s->counts |= graph->code->at[i].depbar.present && graph->code->at[i].depbar.count > 0;
}

void hd_sass_state_free(hd_sass_state *s) { hd_vec_free(&s->pool); }

static void spend(const hd_sass_state *s, uint64_t n)
{
	hd_flow_graph flow = {.steps = s->graph->steps};
	hd_flow_spend(&flow, n);
}

static void drop_list(hd_sass_state *s, unsigned resource)
{
	uint32_t last = s->head[resource];
	if (last == NONE)
		return;
	while (s->pool.at[last].next != NONE)
		last = s->pool.at[last].next;
	s->pool.at[last].next = s->free;
	s->free = s->head[resource];
	s->head[resource] = NONE;
	s->active[resource / 64] &= ~(UINT64_C(1) << resource % 64);
}

static void put(hd_sass_state *s, const hd_sass_pending *p)
{
	uint32_t place = s->free;
	if (place == NONE) {
		place = (uint32_t)s->pool.n;
		hd_vec_push(&s->pool, *p);
	} else {
		s->free = s->pool.at[place].next;
		s->pool.at[place] = *p;
	}
	s->pool.at[place].next = s->head[p->resource];
	s->head[p->resource] = place;
	s->active[p->resource / 64] |= UINT64_C(1) << p->resource % 64;
}

void hd_sass_state_begin(hd_sass_state *s, const hd_sass_pending_list *in)
{
	s->pool.n = 0;
	s->free = s->raising = NONE;
	s->clock = s->raised_at = 0;
	for (unsigned r = 0; r < HD_SASS_RESOURCES; r++)
		s->head[r] = NONE;
	memset(s->active, 0, sizeof s->active);
	for (size_t i = 0; i < in->n; i++)
		put(s, &in->at[i]);
	spend(s, in->n);
}

/* A fixed latency, or a read at issue, is over for every instruction that comes. */
static bool is_old(const hd_sass_state *s, const hd_sass_pending *p)
{
	const hd_sass_instruction *x = &s->graph->code->at[p->producer];
	bool assumed = p->write && hd_sass_fixed_under(x); /* that it is over is an assumption, which the verdict must name */
	return !p->variable && !assumed && s->clock - p->time >= HD_SASS_DISTANCE_MAX;
}

hd_sass_assumed hd_sass_fixed_under(const hd_sass_instruction *x)
{
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_DOUBLE:
		return HD_SASS_ASSUME(DOUBLE_FIXED);
	case HD_SASS_CLASS_MMA_HALF:
	case HD_SASS_CLASS_MMA_INTEGER:
	case HD_SASS_CLASS_MMA_BINARY:
	case HD_SASS_CLASS_MMA_DOUBLE:
		return HD_SASS_ASSUME(MATRIX_FIXED);
	default:
		return 0;
	}
}

/* Calls `ends` for each access that is outstanding, and removes those for which it is true. */
static void sweep(hd_sass_state *s, bool (*ends)(hd_sass_state *, hd_sass_pending *, const void *), const void *context)
{
	for (unsigned word = 0; word < HD_COUNT(s->active); word++) {
		for (uint64_t rest = s->active[word]; rest; rest &= rest - 1) {
			unsigned resource = word * 64 + hd_lowest_bit(rest);
			uint32_t *link = &s->head[resource];
			while (*link != NONE) {
				hd_sass_pending *p = &s->pool.at[*link];
				uint32_t place = *link;
				spend(s, 1);
				if (!is_old(s, p) && !ends(s, p, context)) {
					link = &p->next;
					continue;
				}
				*link = p->next;
				p->next = s->free;
				s->free = place;
			}
			if (s->head[resource] == NONE)
				s->active[word] &= ~(UINT64_C(1) << resource % 64);
		}
	}
}

typedef struct waiting {
	unsigned mask; /* counters */
	uint32_t at;
} waiting;

hd_sass_assumed hd_sass_assumption_of(hd_sass_order order)
{
	static const hd_sass_assumed under[] = {[HD_SASS_UNORDERED] = 0,
	                                        [HD_SASS_ORDER_SHARED] = HD_SASS_ASSUME(SHARED_IN_ORDER),
	                                        [HD_SASS_ORDER_READS] = HD_SASS_ASSUME(READS_IN_ORDER),
	                                        [HD_SASS_ORDER_SLOW] = HD_SASS_ASSUME(SLOW_IN_ORDER),
	                                        [HD_SASS_ORDER_DOUBLE] = HD_SASS_ASSUME(DOUBLE_IN_ORDER),
	                                        [HD_SASS_ORDER_TEXTURE] = HD_SASS_ASSUME(TEXTURE_IN_ORDER)};
	return under[order];
}

/* True when the wait ends the access for good. */
static bool end_for(hd_sass_state *s, hd_sass_pending *p, uint32_t at)
{
	bool again = p->ended_by != HD_SASS_NO_WAIT && p->ended_by != at;
	p->ended_by = again && s->keeping == HD_SASS_KEEPS ? p->ended_by : at;
	s->ended += !again;
	return s->keeping == HD_SASS_FORGETS || (again && s->keeping == HD_SASS_REMEMBERS);
}

static bool ended_by_wait(hd_sass_state *s, hd_sass_pending *p, const void *context)
{
	const waiting *w = context;
	if (p->behind & w->mask & ~p->counters) /* of its own counters one is enough */
		p->under |= hd_sass_assumption_of(p->order);
	return p->counters & w->mask && s->clock - p->time >= 2 && end_for(s, p, w->at); /* S2, S3 */
}

static uint8_t guard_of(const hd_sass_instruction *x)
{
	if (x->guard_uniform)
		return HD_SASS_ANY_GUARD;
	return x->guard == HD_SASS_PT ? HD_SASS_PT : (uint8_t)(x->guard | (x->guard_not ? 8 : 0));
}

/* The counters of `raising` are visible to waits from now on: accesses before it are behind them. */
static bool raise_behind(hd_sass_state *s, hd_sass_pending *p, const void *context)
{
	const hd_sass_instruction *q = context;
	const hd_sass_control c = q->control;
	if (p->time >= s->raised_at) /* of the instruction itself */
		return false;
	bool results = p->order != HD_SASS_UNORDERED && p->order != HD_SASS_ORDER_READS && p->order == hd_sass_order_of_result(q);
	if (results && c.write_barrier < HD_SASS_BARRIERS)
		p->behind |= (uint8_t)(1u << c.write_barrier);
	if (p->order == HD_SASS_ORDER_READS && hd_sass_in_memory_unit(q))
		p->behind |= (uint8_t)hd_sass_raised(c);
	return false;
}

static void take_raise(hd_sass_state *s)
{
	if (s->raising != NONE)
		sweep(s, raise_behind, &s->graph->code->at[s->raising]);
	s->raising = NONE;
}

void hd_sass_state_wait(hd_sass_state *s, uint32_t at)
{
	const hd_sass_instruction *x = &s->graph->code->at[at];
	unsigned mask = x->control.wait_mask;
	if (s->clock - s->raised_at >= 2)
		take_raise(s);
	if (mask)
		sweep(s, ended_by_wait, &(waiting){mask, at});
	take_raise(s);
}

/* S4 */
static bool ended_by_depbar(hd_sass_state *s, hd_sass_pending *p, const void *context)
{
	const hd_sass_instruction *x = context;
	const hd_sass_depbar *d = &x->depbar;
	unsigned zero = d->mask | (d->barrier < HD_SASS_BARRIERS && !d->count ? 1u << d->barrier : 0);
	uint32_t at = (uint32_t)(x->address / HD_SASS_BYTES);
	if (s->clock - p->time < 2)
		return false;
	if (p->behind & zero & ~p->counters)
		p->under |= hd_sass_assumption_of(p->order);
	if (p->counters & zero)
		return end_for(s, p, at);
	if (d->count && d->barrier < HD_SASS_BARRIERS && p->write && p->counters == 1u << d->barrier && p->later >= d->count)
		p->under |= HD_SASS_ASSUME(COUNT_IN_ORDER);
	return false;
}

static bool ended_by_bar(hd_sass_state *s, hd_sass_pending *p, const void *context)
{
	(void)context;
	if (p->shared && !p->write && s->graph->code->at[p->producer].architecture == 75)
		p->under |= HD_SASS_ASSUME(BARRIER_READS);
	return false;
}

static bool count_raise(hd_sass_state *s, hd_sass_pending *p, const void *context)
{
	const hd_sass_instruction *x = context;
	(void)s;
	if (p->counters >> x->control.write_barrier & 1 && p->later < LATER_MAX)
		p->later++;
	return false;
}

/* Knowledge under a guard ends when its predicate changes. */
static bool forget_guard(hd_sass_state *s, hd_sass_pending *p, const void *context)
{
	const unsigned *predicate = context;
	(void)s;
	if (p->guard != HD_SASS_PT && p->guard != HD_SASS_ANY_GUARD && (p->guard & 7) == *predicate)
		p->guard = HD_SASS_ANY_GUARD;
	return false;
}

static bool same_kind(const hd_sass_pending *a, const hd_sass_pending *b)
{
	return a->resource == b->resource && a->write == b->write && a->variable == b->variable && a->timing == b->timing &&
	       a->counters == b->counters && a->order == b->order && a->under == b->under && a->shared == b->shared && a->ended_by == b->ended_by;
}

/* S7 */
static void add(hd_sass_state *s, const hd_sass_pending *p)
{
	uint32_t *link = &s->head[p->resource];
	hd_sass_pending added = *p;
	while (*link != NONE) {
		hd_sass_pending *old = &s->pool.at[*link];
		uint32_t place = *link;
		if (!same_kind(old, p)) {
			link = &old->next;
			continue;
		}
		added.guard = old->guard == added.guard ? added.guard : HD_SASS_ANY_GUARD;
		*link = old->next;
		old->next = s->free;
		s->free = place;
	}
	put(s, &added);
}

/* Results that come in order say of reads, too, that they are over. */
static hd_sass_order order_of(const hd_sass_instruction *x, const hd_sass_access *access)
{
	hd_sass_order result = hd_sass_order_of_result(x);
	if (access->write || result == HD_SASS_ORDER_SLOW || result == HD_SASS_ORDER_DOUBLE)
		return result;
	return hd_sass_in_memory_unit(x) && access->file == HD_SASS_REGISTER ? HD_SASS_ORDER_READS : HD_SASS_UNORDERED;
}

/* A read is over at issue when the operand is a predicate, and at a time that the tables have for matrix instructions. Other registers of
 * instructions of variable latency are read some time. */
static bool is_variable(const hd_sass_instruction *x, const hd_sass_access *access)
{
	bool predicate = access->file == HD_SASS_PREDICATE || access->file == HD_SASS_UNIFORM_PREDICATE;
	bool matrix = x->latency_class == HD_SASS_CLASS_MMA_HALF || x->latency_class == HD_SASS_CLASS_MMA_INTEGER ||
	              x->latency_class == HD_SASS_CLASS_MMA_BINARY;
	return hd_sass_is_variable(x) && (access->write || (!predicate && !matrix));
}

static void access_register(hd_sass_state *s, uint32_t at, const hd_sass_access *access, unsigned index)
{
	const hd_sass_instruction *x = &s->graph->code->at[at];
	int resource = hd_sass_resource(access->file, access->first + index);
	hd_sass_timing timing = hd_sass_timing_of(x, access, index);
	bool variable = is_variable(x, access);
	if (access->write && hd_sass_unguarded(x))
		drop_list(s, (unsigned)resource); /* S5 */
	if (!access->write && !variable && !s->latencies->read_matters[timing])
		return;
	unsigned write = x->control.write_barrier < HD_SASS_BARRIERS ? 1u << x->control.write_barrier : 0;
	hd_sass_pending p = {.producer = at,
	                     .time = s->clock,
	                     .resource = (uint16_t)resource,
	                     .write = access->write,
	                     .variable = variable,
	                     .timing = (uint8_t)timing,
	                     .counters = (uint8_t)(access->write ? write : hd_sass_raised(x->control)),
	                     .order = (uint8_t)order_of(x, access),
	                     .guard = guard_of(x),
	                     .shared = (x->memory & (HD_SASS_SHARED | HD_SASS_GENERIC)) != 0,
	                     .ended_by = HD_SASS_NO_WAIT};
	add(s, &p);
}

static void access_registers(hd_sass_state *s, uint32_t at, bool write)
{
	const hd_sass_instruction *x = &s->graph->code->at[at];
	for (unsigned i = 0; i < x->accesses; i++) {
		const hd_sass_access *access = &x->access[i];
		if (access->write != write || hd_sass_resource(access->file, 0) < 0)
			continue;
		for (unsigned k = 0; k < access->count; k++) {
			unsigned number = access->first + k;
			if (write && access->file == HD_SASS_PREDICATE)
				sweep(s, forget_guard, &number);
			access_register(s, at, access, k);
		}
	}
}

void hd_sass_state_issue(hd_sass_state *s, uint32_t at)
{
	const hd_sass_instruction *x = &s->graph->code->at[at];
	spend(s, 1 + x->accesses);
	if (!x->row) { /* S9 */
		for (unsigned r = 0; r < HD_SASS_RESOURCES; r++)
			drop_list(s, r);
		s->raising = NONE;
	} else if (!hd_sass_never(x)) {
		if (s->counts && x->control.write_barrier < HD_SASS_BARRIERS)
			sweep(s, count_raise, x);
		access_registers(s, at, false);
		access_registers(s, at, true);
		if (x->depbar.present && hd_sass_unguarded(x) && hd_sass_step(x->control) >= DEPBAR_STALL)
			sweep(s, ended_by_depbar, x);
		if (x->flow == HD_SASS_BARRIER_WAIT && hd_sass_unguarded(x))
			sweep(s, ended_by_bar, NULL);
		bool ordered = hd_sass_in_memory_unit(x) || hd_sass_order_of_result(x) != HD_SASS_UNORDERED;
		if (ordered && hd_sass_raised(x->control))
			s->raising = at, s->raised_at = s->clock;
	}
	s->clock += hd_sass_step(x->control);
}

/* `producers`: accesses of two instructions are two (hd_sass_keeping). */
static int compare(const hd_sass_pending *a, const hd_sass_pending *b, bool producers)
{
#define BY(field)                 \
	if (a->field != b->field) \
		return a->field < b->field ? -1 : 1;
	BY(resource)
	BY(write)
	BY(variable)
	BY(timing)
	BY(counters)
	BY(order)
	BY(under)
	BY(shared)
	BY(ended_by)
	if (producers) {
		BY(producer)
	}
#undef BY
	return 0;
}

/* Merges one access into another of the same kind (S6). */
static bool merge(hd_sass_pending *into, const hd_sass_pending *from)
{
	hd_sass_pending old = *into;
	if (from->time > into->time || (from->time == into->time && from->producer < into->producer)) {
		into->time = from->time;
		into->producer = from->producer;
	}
	into->behind &= from->behind;
	into->guard = into->guard == from->guard ? into->guard : HD_SASS_ANY_GUARD;
	into->later = into->later < from->later ? into->later : from->later;
	return old.time != into->time || old.producer != into->producer || old.behind != into->behind || old.guard != into->guard ||
	       old.later != into->later;
}

void hd_sass_state_end(hd_sass_state *s, hd_sass_pending_list *out)
{
	if (s->clock - s->raised_at < 2)
		s->raising = NONE; /* too late for the first wait of the next block, and later ones do not count */
	take_raise(s);
	for (unsigned word = 0; word < HD_COUNT(s->active); word++) {
		for (uint64_t rest = s->active[word]; rest; rest &= rest - 1) {
			size_t first = out->n;
			for (uint32_t i = s->head[word * 64 + hd_lowest_bit(rest)]; i != NONE; i = s->pool.at[i].next) {
				hd_sass_pending p = s->pool.at[i];
				size_t at = out->n;
				if (is_old(s, &p))
					continue;
				p.time = s->clock - p.time > HD_SASS_DISTANCE_MAX ? -HD_SASS_DISTANCE_MAX : p.time - s->clock;
				p.next = 0;
				while (at > first && compare(&out->at[at - 1], &p, s->keeping != HD_SASS_FORGETS) > 0)
					at--;
				if (at > first && compare(&out->at[at - 1], &p, s->keeping != HD_SASS_FORGETS) == 0) { /* marks made them alike */
					merge(&out->at[at - 1], &p);
					continue;
				}
				hd_vec_push(out, p);
				memmove(&out->at[at + 1], &out->at[at], (out->n - 1 - at) * sizeof p);
				out->at[at] = p;
			}
		}
	}
	spend(s, out->n);
}

bool hd_sass_pending_join(hd_sass_pending_list *in, const hd_sass_pending_list *out, bool producers)
{
	hd_sass_pending_list joined = {0};
	bool changed = false;
	size_t a = 0, b = 0;
	while (a < in->n || b < out->n) {
		int order = a == in->n ? 1 : b == out->n ? -1 : compare(&in->at[a], &out->at[b], producers);
		hd_sass_pending p = order <= 0 ? in->at[a] : out->at[b];
		if (order == 0)
			changed |= merge(&p, &out->at[b]);
		changed |= order > 0;
		a += order <= 0;
		b += order >= 0;
		hd_vec_push(&joined, p);
	}
	if (!changed) {
		hd_vec_free(&joined);
		return false;
	}
	hd_vec_free(in);
	in->at = joined.at;
	in->n = joined.n;
	in->cap = joined.cap;
	return true;
}

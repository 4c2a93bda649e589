#include "passes/analysis/open_accesses.h"

/* hd_open_fact.current: a bit for each written resource, then one for each that is read. The accesses of an instruction that has more of them than
 * there are bits are never replaced. */
enum { SLOTS = 16 };
#define WRITE_SLOTS UINT32_C(0xffff)
#define READ_SLOTS UINT32_C(0xffff0000)

/* -- sets -------------------------------------------------------------------------------------------------------------------------- */

void hd_open_set_free(hd_open_set *set)
{
	free(set->at);
	*set = (hd_open_set){0};
}

static bool adds(const hd_open_fact *to, const hd_open_fact *more)
{
	return (more->writes & ~to->writes) | (more->reads & ~to->reads) | (more->current & ~to->current);
}

/* The number of facts in both sets together. *changes: `more` has something that `into` does not have. */
static size_t count_union(const hd_open_set *into, const hd_open_set *more, bool *changes)
{
	size_t i = 0, n = into->n;
	*changes = false;
	for (size_t k = 0; k < more->n; k++) {
		while (i < into->n && into->at[i].inst < more->at[k].inst)
			i++;
		bool both = i < into->n && into->at[i].inst == more->at[k].inst;
		n += !both;
		*changes |= !both || adds(&into->at[i], &more->at[k]);
	}
	return n;
}

bool hd_open_set_join(hd_open_set *into, const hd_open_set *more)
{
	bool changes;
	size_t n = count_union(into, more, &changes), i = into->n, k = more->n;
	if (!changes)
		return false;
	if (n > into->cap) {
		into->cap = n + n / 4;
		into->at = hd_xrealloc(into->at, into->cap * sizeof *into->at);
	}
	/* From the last to the first, so that no fact is overwritten before it has moved. */
	into->n = n;
	while (k > 0) {
		const hd_open_fact *b = &more->at[k - 1];
		if (i > 0 && into->at[i - 1].inst > b->inst) {
			into->at[--n] = into->at[--i];
			continue;
		}
		hd_open_fact fact = *b;
		if (i > 0 && into->at[i - 1].inst == b->inst) {
			const hd_open_fact *a = &into->at[--i];
			fact = (hd_open_fact){b->inst, a->writes | b->writes, a->reads | b->reads, a->current | b->current};
		}
		into->at[--n] = fact;
		k--;
	}
	return true;
}

/* -- one instruction --------------------------------------------------------------------------------------------------------------- */

static bool is_open(const hd_open_accesses *s, uint32_t inst) { return s->writes[inst] || s->reads[inst]; }
static bool has_slots(const hd_resource_use *a) { return a->n_writes <= SLOTS && a->n_reads <= SLOTS; }

/* Does the order of memory keep the write of the instruction open, whatever happens to its registers? */
static bool order_keeps(const hd_open_accesses *s, uint32_t inst)
{
	unsigned order = s->uses[inst].order;
	return s->order_matters ? order != HD_ORDER_NONE : order & HD_ORDER_SHARED;
}

/* The slots with which the instruction accesses the resource. */
static uint32_t slots_on(const hd_resource_use *a, uint32_t resource)
{
	uint32_t slots = 0;
	if (!has_slots(a))
		return WRITE_SLOTS | READ_SLOTS;
	for (unsigned i = 0; i < a->n_writes; i++)
		slots |= (uint32_t)(a->writes[i] == resource) << i;
	for (unsigned i = 0; i < a->n_reads; i++)
		slots |= (uint32_t)(a->reads[i] == resource) << (SLOTS + i);
	return slots;
}

static uint32_t all_slots(const hd_resource_use *a)
{
	return has_slots(a) ? ((UINT32_C(1) << a->n_writes) - 1) | ((UINT32_C(1) << a->n_reads) - 1) << SLOTS : WRITE_SLOTS | READ_SLOTS;
}

static void replace(hd_open_accesses *s, uint32_t inst, uint32_t slots)
{
	if (!has_slots(&s->uses[inst]))
		return;
	s->current[inst] &= ~slots;
	if (!(s->current[inst] & WRITE_SLOTS) && !order_keeps(s, inst))
		s->writes[inst] = 0;
	if (!(s->current[inst] & READ_SLOTS))
		s->reads[inst] = 0;
}

/* -- lists ------------------------------------------------------------------------------------------------------------------------- */

const hd_inst_list *hd_open_all(hd_open_accesses *s)
{
	size_t kept = 0, loaded = 0;
	for (size_t i = 0; i < s->all.n; i++) {
		uint32_t inst = s->all.at[i];
		if (!is_open(s, inst))
			continue;
		loaded += i < s->loaded;
		s->all.at[kept++] = inst;
	}
	s->all.n = kept;
	s->loaded = loaded;
	return &s->all;
}

/* An access that is open for the order of memory alone, in a pipe without fixed latencies: no wait for another instruction closes it. */
static bool waits_alone(const hd_open_accesses *s, uint32_t inst)
{
	return !s->reads[inst] && s->uses[inst].variable && !(s->current[inst] & WRITE_SLOTS);
}

const hd_inst_list *hd_open_of_pipe(hd_open_accesses *s, unsigned pipe)
{
	hd_inst_list *list = &s->of_pipe[pipe];
	size_t kept = 0;
	for (size_t i = 0; i < list->n; i++)
		if (is_open(s, list->at[i]) && !waits_alone(s, list->at[i]))
			list->at[kept++] = list->at[i];
	list->n = kept;
	return list;
}

const hd_inst_list *hd_open_on_resource(hd_open_accesses *s, uint32_t resource)
{
	hd_inst_list *list = &s->on_resource[resource];
	size_t kept = 0;
	for (size_t i = 0; i < list->n; i++) {
		uint32_t inst = list->at[i];
		if (is_open(s, inst) && s->current[inst] & slots_on(&s->uses[inst], resource))
			list->at[kept++] = inst;
	}
	list->n = kept;
	return list;
}

const hd_inst_list *hd_open_ordered(hd_open_accesses *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->ordered.n; i++)
		if (s->writes[s->ordered.at[i]])
			s->ordered.at[kept++] = s->ordered.at[i];
	s->ordered.n = kept;
	return &s->ordered;
}

static void add_to(hd_inst_list *list, uint32_t inst)
{
	if (list->n == 0 || list->at[list->n - 1] != inst)
		hd_vec_push(list, inst);
}

/* Puts the instruction into the lists. `again`: it is in `all` already. */
static void enlist(hd_open_accesses *s, uint32_t inst, bool again)
{
	const hd_resource_use *a = &s->uses[inst];
	if (!again)
		hd_vec_push(&s->all, inst);
	add_to(&s->of_pipe[a->pipe], inst);
	for (unsigned i = 0; i < a->n_writes; i++)
		add_to(&s->on_resource[a->writes[i]], inst);
	for (unsigned i = 0; i < a->n_reads; i++)
		add_to(&s->on_resource[a->reads[i]], inst);
	if (order_keeps(s, inst))
		add_to(&s->ordered, inst);
}

static bool accesses(const uint16_t *resources, unsigned n, uint32_t resource)
{
	for (unsigned i = 0; i < n; i++)
		if (resources[i] == resource)
			return true;
	return false;
}

bool hd_open_writes(const hd_open_accesses *s, uint32_t inst, uint32_t resource)
{
	const hd_resource_use *a = &s->uses[inst];
	return accesses(a->writes, a->n_writes, resource) && s->current[inst] & slots_on(a, resource) & WRITE_SLOTS;
}

bool hd_open_reads(const hd_open_accesses *s, uint32_t inst, uint32_t resource)
{
	const hd_resource_use *a = &s->uses[inst];
	return accesses(a->reads, a->n_reads, resource) && s->current[inst] & slots_on(a, resource) & READ_SLOTS;
}

/* -- the state --------------------------------------------------------------------------------------------------------------------- */

hd_open_accesses hd_open_new(const hd_resource_use *uses, uint32_t n, bool order_matters)
{
	hd_open_accesses s = {.uses = uses, .order_matters = order_matters};
	s.writes = hd_xcalloc((size_t)n + 1, sizeof *s.writes);
	s.reads = hd_xcalloc((size_t)n + 1, sizeof *s.reads);
	s.current = hd_xcalloc((size_t)n + 1, sizeof *s.current);
	return s;
}

void hd_open_free(hd_open_accesses *s)
{
	free(s->writes);
	free(s->reads);
	free(s->current);
	hd_vec_free(&s->all);
	hd_vec_free(&s->ordered);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		hd_vec_free(&s->of_pipe[pipe]);
	for (unsigned r = 0; r < HD_RES_COUNT; r++)
		hd_vec_free(&s->on_resource[r]);
	*s = (hd_open_accesses){0};
}

void hd_open_clear(hd_open_accesses *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		s->writes[s->all.at[i]] = s->reads[s->all.at[i]] = 0;
	s->all.n = s->ordered.n = s->loaded = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		s->of_pipe[pipe].n = 0;
	for (unsigned r = 0; r < HD_RES_COUNT; r++)
		s->on_resource[r].n = 0;
}

void hd_open_load(hd_open_accesses *s, const hd_open_set *set)
{
	hd_open_clear(s);
	for (size_t i = 0; i < set->n; i++) {
		const hd_open_fact *fact = &set->at[i];
		s->writes[fact->inst] = fact->writes;
		s->reads[fact->inst] = fact->reads;
		s->current[fact->inst] = fact->current;
		enlist(s, fact->inst, false);
	}
	s->loaded = set->n;
}

static hd_open_fact fact_of(const hd_open_accesses *s, uint32_t inst)
{
	return (hd_open_fact){inst, s->writes[inst], s->reads[inst], s->current[inst]};
}

void hd_open_store(hd_open_accesses *s, hd_open_set *set)
{
	const hd_inst_list *all = hd_open_all(s);
	if (all->n > set->cap) {
		set->cap = all->n + all->n / 4;
		set->at = hd_xrealloc(set->at, set->cap * sizeof *set->at);
	}
	set->n = 0;
	/* Both parts of the list ascend; an instruction that was closed and issued again is in both. */
	for (size_t i = 0, k = s->loaded; i < s->loaded || k < all->n;) {
		bool first = k == all->n || (i < s->loaded && all->at[i] <= all->at[k]);
		uint32_t inst = all->at[first ? i++ : k++];
		if (set->n == 0 || set->at[set->n - 1].inst != inst)
			set->at[set->n++] = fact_of(s, inst);
	}
}

void hd_open_issue(hd_open_accesses *s, uint32_t inst, bool certain)
{
	const hd_resource_use *a = &s->uses[inst];
	bool again = is_open(s, inst), order = order_keeps(s, inst);
	uint32_t current = all_slots(a);
	for (unsigned i = 0; i < a->n_reads && certain; i++) {
		const hd_inst_list *list = hd_open_on_resource(s, a->reads[i]);
		for (size_t k = 0; k < list->n; k++)
			if (s->uses[list->at[k]].pipe == a->pipe)
				replace(s, list->at[k], slots_on(&s->uses[list->at[k]], a->reads[i]) & READ_SLOTS);
	}
	for (unsigned i = 0; i < a->n_writes && certain; i++) {
		if (a->writes[i] == HD_RES_ORDER) /* nothing replaces it: two that come first in orders are not ordered themselves */
			continue;
		hd_inst_list *list = &s->on_resource[a->writes[i]];
		for (size_t k = 0; k < list->n; k++)
			replace(s, list->at[k], slots_on(&s->uses[list->at[k]], a->writes[i]));
		/* The instruction's own read of what it writes comes before its write. */
		if (has_slots(a))
			current &= ~(slots_on(a, a->writes[i]) & READ_SLOTS);
	}
	s->current[inst] = current;
	s->writes[inst] = current & WRITE_SLOTS || order ? HD_ALL_PIPES : 0;
	s->reads[inst] = current & READ_SLOTS ? HD_ALL_PIPES : 0;
	if (is_open(s, inst))
		enlist(s, inst, again);
}

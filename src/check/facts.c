#include "check/facts.h"

void hd_facts_init(hd_facts *f, uint32_t words) { *f = (hd_facts){.place = hd_xcalloc((size_t)words + 1, sizeof *f->place)}; }

void hd_facts_free(hd_facts *f)
{
	hd_vec_free(&f->list);
	hd_vec_free(&f->settled);
	free(f->place);
}

static void append(hd_facts *f, const hd_fact *fact)
{
	hd_vec_push(&f->list, *fact);
	hd_vec_push(&f->settled, (hd_settled){0});
	f->place[fact->word] = (uint32_t)f->list.n;
}

void hd_facts_begin(hd_facts *f, const hd_fact_list *in, uint32_t begin)
{
	for (size_t i = 0; i < f->list.n; i++)
		f->place[f->list.at[i].word] = 0;
	f->list.n = f->settled.n = 0;
	f->begin = begin;
	f->delay_ahead = UINT32_MAX;
	f->any_gone = false;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		f->clock[pipe] = HD_SPACING_LIMIT; /* keeps every time of issue non-negative */
	for (size_t i = 0; i < in->n; i++) {
		append(f, &in->at[i]);
		f->list.at[i].issued = HD_SPACING_LIMIT - in->at[i].issued;
	}
}

/* T2 */
static void add_time(hd_facts *f, const hd_effects *fx, uint32_t cycles)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		if (fx->all_pipes || pipe == fx->pipe)
			f->clock[pipe] += cycles;
	}
}

/* T3 */
static uint32_t wait_behind(const hd_effects *fx, uint32_t delay_ahead) { return fx->wait > delay_ahead ? fx->wait - delay_ahead : 0; }

void hd_facts_wait(hd_facts *f, const hd_effects *fx) { add_time(f, fx, wait_behind(fx, f->delay_ahead)); }

hd_entry_waits hd_entry_waits_of(const hd_code_graph *graph, const hd_effects *effects, uint32_t from, uint32_t to)
{
	hd_entry_waits waits = {{0}};
	uint32_t last = graph->begin[from + 1] - 1, first = graph->begin[to];
	while (last > graph->begin[from] && hd_is_scheduling_word(graph, last))
		last--;
	while (first + 1 < graph->begin[to + 1] && hd_is_scheduling_word(graph, first))
		first++;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		if (effects[first].all_pipes || pipe == effects[first].pipe)
			waits.cycles[pipe] = wait_behind(&effects[first], effects[last].delay_ahead);
	}
	return waits;
}

void hd_facts_pass(hd_facts *f, const hd_effects *fx)
{
	add_time(f, fx, fx->spacing);
	f->delay_ahead = fx->delay_ahead;
}

void hd_facts_clear(hd_facts *f, size_t at, uint16_t pipes, bool written, uint32_t word)
{
	hd_fact *fact = &f->list.at[at];
	hd_settled *settled = &f->settled.at[at];
	for (unsigned left = fact->unread & pipes; left; left &= left - 1)
		settled->read[__builtin_ctz(left)] = word;
	fact->unread &= (uint16_t)~pipes;
	if (written) {
		for (unsigned left = fact->unwritten & pipes; left; left &= left - 1)
			settled->written[__builtin_ctz(left)] = word;
		fact->unwritten &= (uint16_t)~pipes;
	}
	f->any_gone |= !fact->unwritten && !fact->unread;
}

/* Removes the facts that are settled for all pipes and the fact of `word`. With `all` it removes every fact. */
static void forget(hd_facts *f, uint32_t word, bool all)
{
	size_t kept = 0;
	if (!f->any_gone && !all && !f->place[word])
		return;
	for (size_t i = 0; i < f->list.n; i++) {
		const hd_fact *fact = &f->list.at[i];
		if (all || (!fact->unwritten && !fact->unread) || fact->word == word) {
			f->place[fact->word] = 0;
			continue;
		}
		f->list.at[kept] = *fact;
		f->settled.at[kept] = f->settled.at[i];
		f->place[fact->word] = (uint32_t)++kept;
	}
	f->list.n = f->settled.n = kept;
	f->any_gone = false;
}

/* A fact needs no mark when its own instruction writes its guard. A reader of the new value depends on the instruction and finds the value written.
 * Nothing that is known of the old value is known of the new one (guards.c, X3). */
static void change_guards(hd_facts *f, const hd_effects *fx)
{
	for (unsigned n = 0; n < fx->n_writes; n++) {
		for (size_t i = 0; i < f->list.n; i++)
			f->list.at[i].guard_changed |= fx->writes[n] == HD_RESOURCE_PREDICATE + f->list.at[i].guard;
	}
}

/* A bit for each of the n resources that is also in the other list. */
static uint32_t common_resources(const uint16_t *resources, unsigned n, const uint16_t *others, unsigned m)
{
	uint32_t found = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m; k++)
			found |= (uint32_t)(resources[i] == others[k]) << i;
	return found;
}

static bool is_all(uint32_t mask, unsigned n) { return mask == (UINT32_C(1) << n) - 1; }

/* T6: an unguarded instruction issues. */
static void replace_accesses(hd_facts *f, const hd_effects *effects, const hd_effects *fx)
{
	for (size_t i = 0; i < f->list.n; i++) {
		hd_fact *fact = &f->list.at[i];
		const hd_effects *o = &effects[fact->word];
		if (o->writes_any & fx->writes_any)
			fact->replaced_writes |= common_resources(o->writes, o->n_writes, fx->writes, fx->n_writes);
		if (o->reads_any & fx->writes_any)
			fact->replaced_reads |= common_resources(o->reads, o->n_reads, fx->writes, fx->n_writes);
		if (o->pipe == fx->pipe && o->reads_any & fx->reads_any)
			fact->replaced_reads |= common_resources(o->reads, o->n_reads, fx->reads, fx->n_reads);
		if (is_all(fact->replaced_writes, o->n_writes) && !o->ordered_by_fences && !o->shared_memory)
			fact->unwritten = 0;
		if (is_all(fact->replaced_reads, o->n_reads))
			fact->unread = 0;
		f->any_gone |= !fact->unwritten && !fact->unread;
	}
}

void hd_facts_issue(hd_facts *f, uint32_t word, const hd_effects *effects, const hd_inst *inst)
{
	const hd_effects *fx = &effects[word];
	bool performs = fx->n_writes || fx->ordered_by_fences || fx->shared_memory;
	change_guards(f, fx);
	const hd_fact *older = f->place[word] ? &f->list.at[f->place[word] - 1] : NULL;
	bool guard_changed = older && older->guard_changed;
	forget(f, word, fx->drains);
	/* A flow instruction ends before another instruction issues (rule 5). A nop has no effect. */
	if (fx->pipe == HD_PIPE_NONE || fx->pipe == HD_PIPE_FLOW || (!fx->n_reads && !performs))
		return;
	uint32_t own = 0; /* reads of what the instruction itself overwrites */
	if (hd_is_unguarded(inst)) {
		replace_accesses(f, effects, fx);
		own = common_resources(fx->reads, fx->n_reads, fx->writes, fx->n_writes);
	}
	append(f, &(hd_fact){.word = word,
	                     .unwritten = performs ? HD_ALL_PIPES : 0,
	                     .unread = is_all(own, fx->n_reads) ? 0 : HD_ALL_PIPES,
	                     .replaced_reads = own,
	                     .pipe = fx->pipe,
	                     .primary = inst->primary,
	                     .guard = inst->guard,
	                     .guard_changed = guard_changed,
	                     .issued = f->clock[fx->pipe]});
}

void hd_facts_end(hd_facts *f)
{
	for (size_t i = 0; i < f->list.n; i++)
		f->list.at[i].issued = hd_facts_elapsed(f, &f->list.at[i]);
}

bool hd_facts_join(hd_fact_list *in, hd_facts *f, const hd_entry_waits *waits)
{
	const uint32_t in_both = UINT32_C(1) << 31;
	bool changed = false;
	size_t known = in->n, both = 0;
	for (size_t i = 0; i < known; i++) {
		hd_fact *old = &in->at[i];
		if (!f->place[old->word])
			continue;
		const hd_fact *new = &f->list.at[f->place[old->word] - 1];
		uint32_t issued = hd_issued_at_entry(new, waits);
		both++;
		changed |= (new->unwritten & ~old->unwritten) || (new->unread & ~old->unread) || issued < old->issued ||
		           (new->guard_changed && !old->guard_changed) || (old->replaced_reads & ~new->replaced_reads) ||
		           (old->replaced_writes & ~new->replaced_writes);
		old->replaced_reads &= new->replaced_reads;
		old->replaced_writes &= new->replaced_writes;
		old->unwritten |= new->unwritten;
		old->unread |= new->unread;
		old->guard_changed |= new->guard_changed;
		old->issued = hd_min_u32(old->issued, issued); /* T4 */
	}
	if (both == f->list.n)
		return changed;
	for (size_t i = 0; i < known; i++)
		f->place[in->at[i].word] |= in_both;
	for (size_t i = 0; i < f->list.n; i++) {
		if (f->place[f->list.at[i].word] & in_both)
			continue;
		hd_vec_push(in, f->list.at[i]);
		in->at[in->n - 1].issued = hd_issued_at_entry(&f->list.at[i], waits);
	}
	for (size_t i = 0; i < known; i++)
		f->place[in->at[i].word] &= ~in_both;
	return true;
}

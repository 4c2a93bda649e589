#include "mutant.h"

#include "check/check.h"

enum { SETTINGS = 12 };

/* Machines that run what is compiled for the first one, with other timing where the compiler counts on none. */
static const char *const timings[][SETTINGS] = {
    {NULL},
    {"memory.l1_latency=150", "memory.shared_latency=90", "memory.constant_latency=70", "memory.l2_latency=400", NULL},
    {"machine.schedulers=8", "memory.l1_latency=1", "memory.shared_latency=1", "memory.constant_latency=1", NULL},
    /* Producers come late into pipes that are busy, their consumers in other pipes do not. */
    {"latency.alu.interval=9", "latency.fma.interval=9", "latency.mul.interval=9", "latency.alu64.interval=9", "latency.mul64.interval=9",
     "latency.coord.interval=9", "latency.sfu.interval=16", "latency.f64.interval=16", "latency.cvt.interval=16", "latency.cvt64.interval=16", NULL},
};
_Static_assert(HD_COUNT(timings) == TIMINGS, "a machine for each");

void mutant_machines(subject *s, const hd_machine *machine)
{
	hd_diag diag = {0};
	for (unsigned t = 0; t < TIMINGS; t++) {
		s->machine[t] = *machine;
		for (unsigned i = 0; timings[t][i]; i++)
			hd_invariant(hd_machine_set(&s->machine[t], timings[t][i], &diag), "%s", diag.text.at);
		hd_invariant(hd_machine_validate(&s->machine[t], NULL, &diag), "%s", diag.text.at);
	}
}

static void on_event(hd_trace *trace, const hd_trace_event *event)
{
	watch *w = (watch *)trace;
	if (w->issued && event->kind == HD_TRACE_ISSUE && event->mask)
		w->issued[event->pc] = true;
	hd_trace *sanitizer = hd_sanitizer_watcher(w->sanitizer);
	sanitizer->event(sanitizer, event);
}

watch watch_begin(const hd_program *program, const outcome *o) { return (watch){{.event = on_event}, hd_sanitizer_new(program), o->issued}; }

void watch_end(watch *w, const hd_program *program, outcome *o)
{
	const hd_violations *found = hd_sanitizer_found(w->sanitizer);
	o->seen = found->total;
	if (found->total)
		hd_violation_print(&o->text, &found->list.at[0], program);
	hd_sanitizer_free(w->sanitizer);
}

/* *met: some finding names instructions that are issued, all of them. */
static bool proven(const subject *s, bool *met)
{
	hd_check_report report;
	bool ok = hd_check(s->object, &s->machine[0], &report);
	*met = false;
	for (size_t i = 0; i < report.findings.n; i++)
		*met = *met || (s->issued[report.findings.at[i].producer] && s->issued[report.findings.at[i].consumer]);
	hd_check_report_free(&report);
	return ok;
}

/* Without a mutation all is well, with every timing. */
void mutant_expect_right(subject *s)
{
	bool met;
	s->issued = hd_xcalloc(s->object->code.n, sizeof *s->issued);
	hd_invariant(proven(s, &met), "%s is not proven as it is", s->name);
	for (unsigned t = 0; t < TIMINGS; t++) {
		outcome o = {.issued = t == 0 ? s->issued : NULL};
		hd_invariant(s->right(s, &s->machine[t], &o), "%s is wrong as it is, with timing %u", s->name, t);
		hd_invariant(!o.seen, "%s violates a hazard as it is, with timing %u: %s", s->name, t, o.text.at);
		s->usual = t == 0 ? o.skipped : s->usual;
	}
}

void mutant_judge(const subject *s, mutation kind, uint32_t word, tally *t)
{
	bool met, ok = proven(s, &met), right = true;
	uint64_t first = 0, seen = 0;
	hd_text text = {0};
	for (unsigned i = 0; i < TIMINGS && right; i++) {
		outcome o = {0};
		right = s->right(s, &s->machine[i], &o);
		first = i == 0 ? o.skipped : first;
		seen += o.seen;
		if (!text.at)
			text = o.text;
		else
			hd_text_free(&o.text);
	}
	t->wrong += !ok && !right;
	t->missed += !ok && right && !met;
	t->silent += !ok && right && met;
	t->harmless += ok && right;
	t->unsound += ok && !right;
	t->seen_wrong += !ok && !right && seen;
	t->seen_missed += !ok && right && !met && seen;
	t->seen_silent += !ok && right && met && seen;
	t->seen_proven += ok && seen;
	t->dropped_nothing += !ok && right && met && first == s->usual;
	if (ok && !right)
		printf("%s: %s at word %u: proven, and wrong\n", s->name, mutation_names[kind], word);
	if (ok && seen)
		printf("%s: %s at word %u: proven, and a hazard is violated: %s", s->name, mutation_names[kind], word, text.at);
	if (!right && !seen)
		printf("%s: %s at word %u: wrong, and no hazard is violated\n", s->name, mutation_names[kind], word);
	hd_text_free(&text);
}

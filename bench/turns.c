/* heddle-turns [--size N] [EXAMPLE]...: what no study can tell of a window of 4, because an observer looks at the instructions (docs/multi-issue.md).
 * Mix allows: the speed-up that the mix of types allows. Dependent pairs: the share of the cycles in which several instructions of a warp are sent
 * that have a pair of which one reads a result of the other (MI-6, MI-15), with fence counters and with the scoreboard. */
#include "backend_heddle.h"

enum { TURN_MOST = 8 };

static double share(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

/* Counts issued instructions by latency class, and the turns of warps in which a window sent several. */
typedef struct counter {
	hd_trace trace;
	const hd_program *program;
	uint64_t of[HD_CLASS_COUNT];
	uint64_t together, dependent;   /* turns that sent two or more; those of them in which one target depends on another one (MI-6) */
	const hd_slot *turn[TURN_MOST]; /* the instructions of the present turn */
	unsigned n;
	bool found; /* the present turn has a dependent pair */
} counter;

static bool overlap(const hd_use *a, unsigned n_a, const hd_use *b, unsigned n_b)
{
	for (unsigned i = 0; i < n_a; i++)
		for (unsigned k = 0; k < n_b; k++) {
			bool predicates = !a[i].words && !b[k].words, registers = a[i].words && b[k].words;
			if ((predicates && a[i].reg == b[k].reg) ||
			    (registers && a[i].reg < b[k].reg + b[k].words && b[k].reg < a[i].reg + a[i].words))
				return true;
		}
	return false;
}

/* True when `second` reads a result of `first`. */
static bool depends(const hd_slot *first, const hd_slot *second)
{
	hd_use writes[HD_MAX_USES], reads[HD_MAX_USES];
	unsigned n = hd_inst_writes(&first->inst, writes);
	return overlap(writes, n, reads, hd_inst_reads(&second->inst, reads));
}

static void count(hd_trace *trace, const hd_trace_event *e)
{
	counter *c = (counter *)trace;
	if (e->kind != HD_TRACE_ISSUE)
		return;
	const hd_slot *slot = &c->program->slots[e->pc];
	c->of[slot->klass]++;
	if (e->slots) { /* the first of a turn */
		c->n = 0;
		c->found = false;
	}
	c->together += c->n == 1;
	for (unsigned i = 0; i < c->n && !c->found; i++) {
		c->found = depends(c->turn[i], slot);
		c->dependent += c->found;
	}
	if (c->n < TURN_MOST)
		c->turn[c->n++] = slot;
}

/* The speed-up that the mix of types allows, if nothing but issue slots and the intervals of the pipes ever cost a cycle. Single issue sends one
 * instruction a cycle. A window sends one of each type, and a flow instruction or a nop alone. Either is at least as long as the busiest pipe. */
static double at_most(const counter *c, const hd_machine *machine)
{
	uint64_t sent[HD_PIPE_COUNT + 1] = {0}, busy[HD_PIPE_COUNT + 1] = {0}, all = 0, most_sent = 0, most_busy = 0;
	for (unsigned k = 0; k < HD_CLASS_COUNT; k++) {
		sent[hd_machine_pipe(machine, (hd_class)k)] += c->of[k];
		busy[hd_machine_pipe(machine, (hd_class)k)] += c->of[k] * hd_machine_interval(machine, (hd_class)k);
		all += c->of[k];
	}
	for (unsigned pipe = 0; pipe < HD_PIPE_FLOW; pipe++) {
		most_sent = hd_max_u64(sent[pipe], most_sent);
		most_busy = hd_max_u64(busy[pipe], most_busy);
	}
	uint64_t alone = sent[HD_PIPE_FLOW] + sent[HD_PIPE_NONE];
	uint64_t single = hd_max_u64(all, most_busy), window = hd_max_u64(most_sent + alone, most_busy);
	return window ? (double)single / (double)window : 0;
}

static bool measure(const ex_example *example, int wanted, const char *mode, counter *counted, double *allowed, hd_diag *diag)
{
	hd_machine machine;
	hd_text path = {0};
	unsigned size = 0;
	const char *root = getenv("HEDDLE_SOURCE");
	while (example->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
		size++;
	hd_text_printf(&path, "%s/examples/%s", root ? root : ".", example->source);
	hd_machine_default(&machine);
	bool ok = hd_machine_set(&machine, mode, diag);
	hd_object *object = ok ? ex_heddle_compile(path.at, &machine, false, diag) : NULL;
	ex_backend *backend = object ? ex_heddle_new(object, &machine, false, diag) : NULL;
	ok = backend;
	if (backend) {
		ex_run run;
		*counted = (counter){.trace = {.event = count}, .program = ex_heddle_program(backend)};
		ex_heddle_watch(backend, &counted->trace);
		ok = ex_run_example(&run, example, size, backend, diag);
		*allowed = at_most(counted, &machine);
		ex_run_free(&run);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&path);
	return ok;
}

int main(int argc, char **argv)
{
	int wanted = -1, first = 1;
	hd_diag diag = {0};
	bool ok = true;
	if (argc > 2 && strcmp(argv[1], "--size") == 0) {
		wanted = atoi(argv[2]);
		first = 3;
	}
	printf("| example | mix allows | dependent pairs %% | with the scoreboard %% |\n|---|--:|--:|--:|\n");
	for (const ex_example *const *e = ex_examples; ok && *e; e++) {
		bool named = first == argc;
		counter of[2];
		double allowed[2];
		for (int i = first; i < argc; i++)
			named = named || strcmp(argv[i], (*e)->name) == 0;
		if (!named)
			continue;
		ok = measure(*e, wanted, "fence.mode=fence", &of[0], &allowed[0], &diag) &&
		     measure(*e, wanted, "fence.mode=scoreboard", &of[1], &allowed[1], &diag);
		if (ok)
			printf("| %s | %.2f | %.1f | %.1f |\n", (*e)->name, allowed[0], share(of[0].dependent, of[0].together),
			       share(of[1].dependent, of[1].together));
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

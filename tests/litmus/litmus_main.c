/* heddle-litmus [--launches N] [--drawn N] [--seed N] [--every N] [--waits] [--table] [--csv] [SHAPE]...: every litmus test (litmus.def) of every
 * form, scope and place, on all machines in turn, N launches of 16 copies each (MT-3). Fails where an outcome appears that the PTX memory model does
 * not allow, and where one that GPUs show does not appear, if there are 16 launches or more. --every: of N tests one, each time another one. --table:
 * the tables of docs/memory.md, whose figures are how often the outcome of the shape appeared in 1,000 copies; - is forbidden. --csv: the counts of
 * each test and machine. --waits: takes the waits out of each fence instead, and fails where nothing forbidden appears. */
#include "model.h"
#include "waits.h"

enum { MOST_MACHINES = 64, MOST_SHAPES = 64, MOST_FORMS = 32, ENOUGH = 16 /* launches that show what GPUs show */ };

/* How often the outcome of the shape appeared. */
typedef struct count {
	unsigned wanted, runs;
	bool made, allowed;
} count;

typedef struct suite {
	litmus_machines machines;
	unsigned launches, every, failures;
	uint64_t seed, rows, tests, forbidden, timings; /* forbidden: tests whose outcome of the shape the model forbids */
	char *const *shapes;
	int n_shapes;
	bool csv;
	count counts[MOST_SHAPES][MOST_FORMS][LITMUS_SCOPES][LITMUS_PLACES];
	count by_machine[MOST_SHAPES][MOST_MACHINES]; /* CTAs apart, accesses that nothing orders */
} suite;

/* The results of a test's runs. */
typedef struct tally {
	litmus_outcomes seen;
	unsigned wanted[MOST_MACHINES], runs[MOST_MACHINES]; /* by machine: copies with the outcome of the shape, and all */
} tally;

static void fail(suite *s, const litmus_test *test, const char *what)
{
	char name[128];
	litmus_name(test, name);
	fprintf(stderr, "%s: %s\n", name, what);
	s->failures++;
}

static void print_outcome(const litmus_test *test, unsigned outcome, char text[64])
{
	size_t at = 0;
	for (unsigned i = 0; i < test->n_registers; i++)
		at += (size_t)snprintf(text + at, 64 - at, "r%u=%u ", i, outcome >> litmus_shift_register(i) & 3);
	for (unsigned l = 0; l < test->n_locations; l++)
		at += (size_t)snprintf(text + at, 64 - at, "%c=%u ", 'x' + (int)l, outcome >> litmus_shift_location(l) & 3);
}

/* Launches of one program. */
static void run_program(suite *s, const litmus_test *test, const litmus_outcomes *allowed, unsigned machine, unsigned launches, uint64_t *state,
                        tally *t)
{
	litmus_runner r = litmus_runner_new(test, litmus_draw_variant(state), &s->machines.at[machine].machine);
	for (unsigned i = 0; i < launches; i++) {
		uint16_t outcome[LITMUS_COPIES];
		hd_text why = {0};
		uint64_t seed = hd_random(state);
		if (!litmus_launch(&r, seed, outcome, &why))
			fail(s, test, why.at);
		hd_text_free(&why);
		for (unsigned copy = 0; copy < LITMUS_COPIES; copy++) {
			t->seen.bits[outcome[copy] / 32] |= 1u << outcome[copy] % 32;
			t->wanted[machine] += (outcome[copy] & test->mask) == test->wanted;
			t->runs[machine]++;
			if (litmus_has(allowed, outcome[copy]))
				continue;
			char text[64], message[256];
			print_outcome(test, outcome[copy], text);
			snprintf(message, sizeof message, "forbidden: %s on machine %s, launch seed %llu, copy %u, %s program, offset %u", text,
			         s->machines.at[machine].name, (unsigned long long)seed, copy, r.variant.tight ? "tight" : "loose", r.variant.offset);
			fail(s, test, message);
		}
	}
	litmus_runner_free(&r);
}

/* A test draws the same whatever else is run. */
static uint64_t number_of(const litmus_test *test)
{
	uint64_t shape = (uint64_t)(test->shape - litmus_shapes), form = (uint64_t)(test->form - litmus_forms);
	return ((shape * MOST_FORMS + form) * LITMUS_SCOPES + test->scope) * LITMUS_PLACES + test->place;
}

static void run_test(suite *s, const litmus_test *test, const litmus_outcomes *allowed, tally *t)
{
	uint64_t state = s->seed * 1000003 + number_of(test);
	s->tests++;
	*t = (tally){0};
	/* Few launches: some of the machines, others for the next test. */
	unsigned n = s->machines.n, used = hd_min_u32(n, s->launches), first = (unsigned)(hd_random(&state) >> 16) % n;
	for (unsigned i = 0; i < used; i++)
		run_program(s, test, allowed, (first + i) % n, s->launches / used + (i < s->launches % used), &state, t);
	s->timings += (uint64_t)s->launches * LITMUS_COPIES;
}

static bool chosen(const void *context, unsigned shape)
{
	const suite *s = context;
	for (int i = 0; i < s->n_shapes; i++)
		if (strcmp(s->shapes[i], litmus_shapes[shape].name) == 0)
			return true;
	return s->n_shapes == 0;
}

static void print_counts(const suite *s, const litmus_test *test, bool allowed, const tally *t)
{
	for (unsigned m = 0; m < s->machines.n; m++)
		if (t->runs[m])
			printf("\"%s\",\"%s\",%s,%s,\"%s\",%s,%u,%u\n", test->shape->name, test->form->name, litmus_scope_names[test->scope],
			       litmus_place_names[test->place], s->machines.at[m].name, allowed ? "allowed" : "forbidden", t->wanted[m], t->runs[m]);
}

/* One row of a form, a scope and a place. True when the outcome of the shape appeared. */
static bool run_row(suite *s, unsigned shape, unsigned form, unsigned scope, unsigned place)
{
	static litmus_outcomes allowed;
	static tally t;
	litmus_test test;
	if (!litmus_make(&test, shape, form, (litmus_scope)scope, (litmus_place)place))
		return false;
	if (s->rows++ % s->every != s->seed % s->every)
		return false;
	litmus_allowed(&test, &allowed);
	run_test(s, &test, &allowed, &t);
	count *c = &s->counts[shape][form][scope][place];
	*c = (count){.made = true, .allowed = litmus_wanted(&test, &allowed)};
	s->forbidden += !c->allowed;
	if (s->csv)
		print_counts(s, &test, c->allowed, &t);
	bool free_accesses = litmus_forms[form].fence == LITMUS_NONE && litmus_forms[form].inner <= LITMUS_RELAXED;
	for (unsigned m = 0; m < s->machines.n; m++) {
		c->wanted += t.wanted[m];
		c->runs += t.runs[m];
		if (place == LITMUS_APART && free_accesses) {
			s->by_machine[shape][m].wanted += t.wanted[m];
			s->by_machine[shape][m].runs += t.runs[m];
		}
	}
	return c->wanted;
}

static void run_shape(suite *s, unsigned shape)
{
	bool shown = false;
	for (unsigned form = 0; form < litmus_form_count; form++)
		for (unsigned scope = 0; scope < LITMUS_SCOPES; scope++)
			for (unsigned place = 0; place < LITMUS_PLACES; place++)
				shown |= run_row(s, shape, form, scope, place);
	if (litmus_shapes[shape].shown && !shown && s->launches >= ENOUGH) {
		fprintf(stderr, "%s: GPUs show it, and no machine did\n", litmus_shapes[shape].name);
		s->failures++;
	}
}

/* -- tables --------------------------------------------------------------------------------------------------------------------------------- */

static void print_cell(count c)
{
	if (!c.made && !c.runs)
		printf(" |");
	else if (c.made && !c.allowed)
		printf(" - |");
	else
		printf(" %.1f |", c.runs ? 1000.0 * c.wanted / c.runs : 0);
}

/* Shapes by forms, with one scope and place. */
static void print_forms(const suite *s, litmus_scope scope, litmus_place place)
{
	printf("\n| scope %s, %s |", litmus_scope_names[scope], place == LITMUS_APART ? "each thread in a CTA of its own" : "threads of one CTA");
	for (unsigned form = 0; form < litmus_form_count; form++)
		printf(" %s |", litmus_forms[form].name);
	printf("\n|---|");
	for (unsigned form = 0; form < litmus_form_count; form++)
		printf("--:|");
	for (unsigned shape = 0; shape < litmus_shape_count; shape++) {
		if (!chosen(s, shape) || !s->counts[shape][0][LITMUS_GPU][place].made)
			continue;
		printf("\n| %s |", litmus_shapes[shape].name);
		for (unsigned form = 0; form < litmus_form_count; form++)
			print_cell(s->counts[shape][form][litmus_forms[form].scoped ? scope : LITMUS_GPU][place]);
	}
	printf("\n");
}

static void print_machines(const suite *s)
{
	printf("\n| nothing orders accesses |");
	for (unsigned m = 0; m < s->machines.named; m++)
		printf(" %s |", s->machines.at[m].name);
	printf(" drawn |\n|---|");
	for (unsigned m = 0; m <= s->machines.named; m++)
		printf("--:|");
	for (unsigned shape = 0; shape < litmus_shape_count; shape++) {
		count drawn = {0};
		if (!chosen(s, shape))
			continue;
		printf("\n| %s |", litmus_shapes[shape].name);
		for (unsigned m = 0; m < s->machines.n; m++) {
			count c = s->by_machine[shape][m];
			if (m < s->machines.named)
				print_cell(c);
			drawn.wanted += m < s->machines.named ? 0 : c.wanted;
			drawn.runs += m < s->machines.named ? 0 : c.runs;
		}
		print_cell(drawn);
	}
	printf("\n");
}

static int usage(const char *option)
{
	fprintf(stderr, "heddle-litmus: unknown option %s\n", option);
	fprintf(stderr, "usage: heddle-litmus [--launches N] [--drawn N] [--seed N] [--every N] [--waits] [--table] [--csv] [SHAPE]...\n");
	return 2;
}

int main(int argc, char **argv)
{
	static suite s = {.launches = 1, .every = 1, .seed = 1};
	unsigned drawn = 4;
	bool table = false, waits = false;
	int i = 1;
	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--table") == 0)
			table = true;
		else if (strcmp(argv[i], "--csv") == 0)
			s.csv = true;
		else if (strcmp(argv[i], "--waits") == 0)
			waits = true;
		else if (i + 1 < argc && strcmp(argv[i], "--launches") == 0)
			s.launches = (unsigned)atoi(argv[++i]);
		else if (i + 1 < argc && strcmp(argv[i], "--drawn") == 0)
			drawn = hd_min_u32((uint32_t)atoi(argv[++i]), 32);
		else if (i + 1 < argc && strcmp(argv[i], "--every") == 0)
			s.every = hd_max_u32((uint32_t)atoi(argv[++i]), 1);
		else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
			s.seed = strtoull(argv[++i], NULL, 10);
		else
			return usage(argv[i]);
	}
	s.shapes = argv + i;
	s.n_shapes = argc - i;
	s.machines = litmus_machines_new(drawn);
	hd_invariant(s.machines.n <= MOST_MACHINES && litmus_shape_count <= MOST_SHAPES && litmus_form_count <= MOST_FORMS, "rows of litmus.def");
	if (waits)
		return litmus_try_waits(&(litmus_waiting){&s.machines, s.launches, s.seed, table, chosen, &s}) != 0;
	for (unsigned shape = 0; shape < litmus_shape_count; shape++)
		if (chosen(&s, shape))
			run_shape(&s, shape);
	printf("%llu tests, of which %llu have an outcome that the model forbids, %llu timings, %u failures\n", (unsigned long long)s.tests,
	       (unsigned long long)s.forbidden, (unsigned long long)s.timings, s.failures);
	if (table) {
		print_forms(&s, LITMUS_GPU, LITMUS_APART);
		print_forms(&s, LITMUS_CTA, LITMUS_APART);
		print_forms(&s, LITMUS_CTA, LITMUS_IN_CTA);
		print_machines(&s);
	}
	litmus_machines_free(&s.machines);
	return s.failures != 0;
}

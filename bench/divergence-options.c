/* heddle-divergence-options TABLE [--size N] [--markdown] [EXAMPLE]...
 *
 * Options of the mechanisms for divergence, one changed at a time, on every example. The first column is a number, and the others are its multiples.
 * A run that ends with a trap shows `trap`. Geometric means are over regular kernels and over unstructured ones apart, without those that trap.
 * TABLE is a row of `tables` below, or `state`, which shows what a warp keeps by mode (RC-22). docs/divergence.md has the figures. */
#include "backend_heddle.h"
#include "config/state_bits.h"
#include "kernel_kinds.h"
#include "report/energy.h"

#include <math.h>

typedef enum metric { INSTRUCTIONS, CYCLES, ENERGY, DIVERGENCE_ENERGY, MOST_TOKENS } metric;
static const char *const metric_names[] = {"instructions", "cycles", "nJ", "pJ of divergence", "most tokens"};

enum { COLUMNS = 7, SETTINGS = 4 };
typedef struct column {
	const char *name;
	const char *settings[SETTINGS];
} column;
typedef struct table {
	const char *name;
	metric what;
	column columns[COLUMNS];
} table;

static const table tables[] = {
    /* RC-23 */
    {"layout",
     INSTRUCTIONS,
     {{"least", {"compile.layout=least"}},
      {"source", {"compile.layout=source"}},
      {"random", {"compile.layout=random"}},
      {"another", {"compile.layout=random", "compile.seed=2"}}}},
    {"layout-stack",
     INSTRUCTIONS,
     {{"least", {"compile.layout=least", "divergence.mode=stack"}},
      {"source", {"compile.layout=source", "divergence.mode=stack"}},
      {"random", {"compile.layout=random", "divergence.mode=stack"}},
      {"another", {"compile.layout=random", "divergence.mode=stack", "compile.seed=2"}}}},
    {"lanes",
     INSTRUCTIONS,
     {{"32 lanes", {"machine.lanes=32"}},
      {"16", {"machine.lanes=16"}},
      {"8", {"machine.lanes=8"}},
      {"4", {"machine.lanes=4"}},
      {"2", {"machine.lanes=2"}},
      {"1", {"machine.lanes=1"}}}},
    /* RC-22 */
    {"gating",
     ENERGY,
     {{"1 group", {"energy.gated_groups=1"}},
      {"2", {"energy.gated_groups=2"}},
      {"4", {"energy.gated_groups=4"}},
      {"8", {"energy.gated_groups=8"}},
      {"16", {"energy.gated_groups=16"}},
      {"32", {"energy.gated_groups=32"}},
      {"not counted", {"energy.gated_groups=0"}}}},
    {"checks",
     DIVERGENCE_ENERGY,
     {{"shared comparator", {"divergence.comparators=shared"}},
      {"a lane", {"divergence.comparators=lane"}},
      {"stack", {"divergence.mode=stack"}},
      {"barriers", {"divergence.mode=barriers"}}}},
    /* RC-21 */
    {"first", INSTRUCTIONS, {{"lower address", {"divergence.mode=stack"}}, {"taken side", {"divergence.mode=stack", "divergence.first=taken"}}}},
    {"pop",
     INSTRUCTIONS,
     {{"sync", {"divergence.mode=stack"}},
      {"flag", {"divergence.mode=stack", "divergence.pop=flag"}},
      {"resume counters", {"divergence.mode=resume"}}}},
    {"pop-cycles",
     CYCLES,
     {{"sync", {"divergence.mode=stack"}},
      {"flag", {"divergence.mode=stack", "divergence.pop=flag"}},
      {"resume counters", {"divergence.mode=resume"}}}},
    {"pop-energy",
     DIVERGENCE_ENERGY,
     {{"sync", {"divergence.mode=stack"}},
      {"flag", {"divergence.mode=stack", "divergence.pop=flag"}},
      {"resume counters", {"divergence.mode=resume"}}}},
    {"tokens",
     INSTRUCTIONS,
     {{"8192 tokens", {"divergence.mode=stack"}},
      {"32", {"divergence.mode=stack", "divergence.tokens=32"}},
      {"16", {"divergence.mode=stack", "divergence.tokens=16"}},
      {"8", {"divergence.mode=stack", "divergence.tokens=8"}},
      {"4", {"divergence.mode=stack", "divergence.tokens=4"}},
      {"2", {"divergence.mode=stack", "divergence.tokens=2"}}}},
    {"most-tokens", MOST_TOKENS, {{"lower address", {"divergence.mode=stack"}}, {"taken side", {"divergence.mode=stack", "divergence.first=taken"}}}},
    /* RC-19, RC-20 */
    {"membership",
     INSTRUCTIONS,
     {{"flag", {"divergence.membership=flag"}},
      {"range", {"divergence.membership=range"}},
      {"entry", {"divergence.membership=entry"}},
      {"none", {"divergence.membership=none"}},
      {"MINRC ignored", {"divergence.minrc=ignore"}}}},
};

static bool configure(const column *c, hd_machine *machine, hd_diag *diag)
{
	hd_machine_default(machine);
	for (unsigned i = 0; i < SETTINGS && c->settings[i]; i++)
		if (!hd_machine_set(machine, c->settings[i], diag))
			return false;
	return hd_machine_validate(machine, NULL, diag);
}

static double value_of(metric what, const hd_machine *machine, const hd_stats *stats)
{
	hd_energy energy = hd_energy_of(machine, stats);
	switch (what) {
	case INSTRUCTIONS:
		return (double)stats->run_warp_instructions;
	case CYCLES:
		return (double)stats->run_cycles;
	case ENERGY:
		return (double)hd_energy_total(&energy) / 1e6;
	case DIVERGENCE_ENERGY:
		return (double)energy.fj[HD_ENERGY_divergence] / 1e3;
	case MOST_TOKENS:
		return (double)stats->divergence_max_tokens;
	}
	return 0;
}

/* The metric of an example on one machine; negative when the program is refused, traps, or computes something else. */
static double measure(const ex_example *example, unsigned size, const table *t, const column *c, const char *root)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_text source = {0};
	double value = -1;
	hd_text_printf(&source, "%s/examples/%s", root, example->source);
	hd_object *object = configure(c, &machine, &diag) ? ex_heddle_compile(source.at, &machine, false, &diag) : NULL;
	ex_backend *backend = object ? ex_heddle_new(object, &machine, false, &diag) : NULL;
	if (backend) {
		ex_run run;
		if (ex_run_example(&run, example, size, backend, &diag))
			value = value_of(t->what, &machine, ex_heddle_stats(backend));
		ex_run_free(&run);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	if (value < 0 && diag.text.at)
		fprintf(stderr, "%s, %s: %s", example->name, c->name, diag.text.at);
	hd_text_free(&source);
	hd_diag_free(&diag);
	return value;
}

static unsigned columns_of(const table *t)
{
	unsigned n = 0;
	while (n < COLUMNS && t->columns[n].name)
		n++;
	return n;
}

static void print_head(const table *t, bool markdown)
{
	const char *first = t->columns[0].name, *unit = metric_names[t->what];
	printf(markdown ? "| example | size | %s, %s |" : "example        size     %s, %s", first, unit);
}

/* One example. False: the first column has no value. */
static bool print_row(const table *t, const ex_example *example, unsigned size, const char *root, bool markdown, kind_sums sums[COLUMNS])
{
	double first = 0;
	printf(markdown ? "| %s | %s |" : "%-14s %-8s", example->name, example->sizes[size]);
	for (unsigned i = 0; i < columns_of(t); i++) {
		double value = measure(example, size, t, &t->columns[i], root);
		first = i ? first : value;
		if (value < 0 || first < 0)
			printf(markdown ? " trap |" : "         trap");
		else if (i && first == 0)
			printf(markdown ? " |" : "             ");
		else
			printf(i ? (markdown ? " %.3f |" : "  %11.3f") : (markdown ? " %.0f |" : "  %11.0f"), i ? value / first : value);
		if (i && value > 0 && first > 0)
			kind_add(&sums[i], example, log(value / first));
	}
	printf("\n");
	fflush(stdout);
	return first >= 0;
}

static void print_means(const table *t, bool markdown, const kind_sums sums[COLUMNS])
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		printf(markdown ? "| **%s, geometric mean** | | |" : "%-36s", kind_name(kind));
		for (unsigned i = 1; i < columns_of(t); i++)
			printf(markdown ? " %.3f (%u) |" : "  %6.3f (%2u)", exp(kind_mean(&sums[i], kind)), sums[i].n[kind]);
		printf("\n");
	}
}

/* RC-22: what a warp keeps, in bits, and the comparators of a core. */
static void print_state(bool markdown)
{
	static const column modes[] = {{"resume counters, membership by flag", {"divergence.membership=flag"}},
	                               {"resume counters, by range", {"divergence.membership=range"}},
	                               {"resume counters, by entry", {"divergence.membership=entry"}},
	                               {"resume counters, a comparator a lane", {"divergence.comparators=lane"}},
	                               {"stack", {"divergence.mode=stack"}},
	                               {"convergence barriers", {"divergence.mode=barriers"}}};
	printf(markdown ? "| mode | calls | lanes | MINRC | members | calls' stack | tokens | bits a warp | comparators a core |\n"
	                  "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
	                : "mode                                  calls  lanes  minrc members  stack  tokens   warp  comparators\n");
	for (unsigned i = 0; i < HD_COUNT(modes); i++)
		for (uint32_t calls = 64; calls >= 8; calls /= 8) {
			hd_machine machine;
			hd_state_bits bits;
			hd_diag diag = {0};
			hd_invariant(configure(&modes[i], &machine, &diag), "%s", modes[i].name);
			machine.divergence_call_depth = calls;
			hd_state_bits_of(&machine, &bits);
			printf(markdown ? "| %s | %u | %u | %u | %u | %u | %u | %u | %u |\n" : "%-36s %6u %6u %6u %7u %6u %7u %6u %12u\n",
			       modes[i].name, calls, bits.divergence_lanes, bits.divergence_minrc, bits.divergence_members, bits.divergence_calls,
			       bits.divergence_tokens, bits.divergence_warp, bits.resume_comparators);
		}
}

static bool wanted(const ex_example *example, int argc, char **argv)
{
	bool any = false, named = false;
	for (int i = 2; i < argc; i++) {
		any |= argv[i][0] != '-';
		named |= strcmp(argv[i], example->name) == 0;
		if (strcmp(argv[i], "--size") == 0)
			i++;
	}
	return !any || named;
}

static bool print_table(const table *t, unsigned size, bool markdown, int argc, char **argv)
{
	const char *root = getenv("HEDDLE_SOURCE");
	kind_sums sums[COLUMNS] = {0};
	bool ok = true;
	print_head(t, markdown);
	for (unsigned i = 1; i < columns_of(t); i++)
		printf(markdown ? " %s |" : "  %11s", t->columns[i].name);
	printf(markdown ? "\n|---|---|" : "\n");
	for (unsigned i = 0; i < columns_of(t) && markdown; i++)
		printf("--:|%s", i + 1 == columns_of(t) ? "\n" : "");
	for (const ex_example *const *e = ex_examples; *e; e++) {
		unsigned n = 0;
		if (!wanted(*e, argc, argv))
			continue;
		while (n < size && (*e)->sizes[n + 1])
			n++;
		ok &= print_row(t, *e, n, root ? root : ".", markdown, sums);
	}
	print_means(t, markdown, sums);
	return ok;
}

int main(int argc, char **argv)
{
	bool markdown = false;
	unsigned size = 1;
	for (int i = 2; i < argc; i++) {
		markdown |= strcmp(argv[i], "--markdown") == 0;
		if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
			size = (unsigned)atoi(argv[++i]);
	}
	if (argc > 1 && strcmp(argv[1], "state") == 0) {
		print_state(markdown);
		return 0;
	}
	for (unsigned i = 0; i < HD_COUNT(tables) && argc > 1; i++)
		if (strcmp(argv[1], tables[i].name) == 0)
			return !print_table(&tables[i], size, markdown, argc, argv);
	fprintf(stderr, "usage: heddle-divergence-options TABLE [--size N] [--markdown] [EXAMPLE]...\nTABLE: state");
	for (unsigned i = 0; i < HD_COUNT(tables); i++)
		fprintf(stderr, ", %s", tables[i].name);
	fprintf(stderr, "\n");
	return 2;
}

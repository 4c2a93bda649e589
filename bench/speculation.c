/* heddle-speculation [--machine NAME] [--size N] [--set KEY=VALUE]... [EXAMPLE]...
 * The cost and benefit of issuing past undecided branches (PD-27), example by example (docs/predecode.md has its output): cycles and energy with the
 * static prediction and with the table of counters, as multiples of those without; how many predictions were right, and how many of the issued
 * instructions were squashed. The code is the same in all columns. Results are compared with the host's reference. */
#include "options.h"
#include "kernel_kinds.h"
#include "report/energy.h"

#include <math.h>

enum { WAYS = 3 };

static const char *const ways[WAYS] = {"predecode.speculate=off", "predecode.speculate=static", "predecode.speculate=counters"};

typedef struct outcome {
	hd_stats stats;
	uint64_t energy; /* fJ */
} outcome;

static bool measure(const ex_example *example, const options *o, const char *way, outcome *out, hd_diag *diag)
{
	hd_machine machine;
	hd_text source = {0};
	ex_run run;
	unsigned size = 0;
	while (example->sizes[size + 1] && (o->size < 0 || size < (unsigned)o->size))
		size++;
	bool ok = options_machine(o, &machine, diag);
	ok = ok && hd_machine_set(&machine, way, diag) && hd_machine_validate(&machine, NULL, diag);
	hd_text_printf(&source, "%s/%s", o->examples, example->source);
	hd_object *object = ok ? ex_heddle_compile(source.at, &machine, false, diag) : NULL;
	ex_backend *backend = object ? ex_heddle_new(object, &machine, false, diag) : NULL;
	ok = backend && ex_run_example(&run, example, size, backend, diag);
	if (backend) {
		out->stats = *ex_heddle_stats(backend);
		hd_energy energy = hd_energy_of(&machine, &out->stats);
		out->energy = hd_energy_total(&energy);
		ex_run_free(&run);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	return ok;
}

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

/* The columns whose means are printed: cycles and energy of the two ways to predict. */
typedef struct sums {
	kind_sums cycles[WAYS], energy[WAYS];
} sums;

static void print_row(const ex_example *example, const outcome of[WAYS], sums *all)
{
	printf("| %s | %llu |", example->name, (unsigned long long)of[0].stats.run_cycles);
	for (unsigned way = 1; way < WAYS; way++) {
		double cycles = (double)of[way].stats.run_cycles / (double)of[0].stats.run_cycles;
		kind_add(&all->cycles[way], example, log(cycles));
		printf(" %.3f |", cycles);
	}
	for (unsigned way = 1; way < WAYS; way++) {
		double energy = (double)of[way].energy / (double)of[0].energy;
		kind_add(&all->energy[way], example, log(energy));
		printf(" %.3f |", energy);
	}
	for (unsigned way = 1; way < WAYS; way++) {
		const hd_stats *s = &of[way].stats;
		printf(" %.1f %% |", percent(s->predecode_predicted - s->predecode_mispredicted, s->predecode_predicted));
	}
	for (unsigned way = 1; way < WAYS; way++) {
		const hd_stats *s = &of[way].stats;
		printf(" %.1f %% | %.1f %% |", percent(s->predecode_speculated, s->run_issued), percent(s->predecode_squashed, s->run_issued));
	}
	printf("\n");
	fflush(stdout);
}

static bool print_table(const ex_example *const *chosen, unsigned n, const options *o, hd_diag *diag)
{
	sums all = {0};
	outcome of[WAYS] = {0};
	printf("| example | cycles, waiting | static | counters | energy, static | energy, counters | right, static | right, counters | "
	       "issued early, static | squashed, static | issued early, counters | squashed, counters "
	       "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (unsigned e = 0; e < n; e++) {
		for (unsigned way = 0; way < WAYS; way++)
			if (!measure(chosen[e], o, ways[way], &of[way], diag))
				return false;
		print_row(chosen[e], of, &all);
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!all.cycles[1].n[kind])
			continue;
		printf("| geometric mean, %s | | %.3f | %.3f | %.3f | %.3f | | | | | | |\n", kind_name(kind), exp(kind_mean(&all.cycles[1], kind)),
		       exp(kind_mean(&all.cycles[2], kind)), exp(kind_mean(&all.energy[1], kind)), exp(kind_mean(&all.energy[2], kind)));
	}
	return true;
}

int main(int argc, char **argv)
{
	options o = options_new();
	hd_diag diag = {0};
	int first = 1;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (!options_take(&o, argc, argv, &first)) {
			fprintf(stderr, "usage: heddle-speculation [--machine NAME] [--size N] [--set KEY=VALUE]... [EXAMPLE]...\n");
			options_free(&o);
			return 2;
		}
	}
	options_choose(&o, argc, argv, first);
	if (!o.n) {
		fprintf(stderr, "error: no example of this name\n");
		options_free(&o);
		return 2;
	}
	bool ok = print_table(o.chosen, o.n, &o, &diag);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	options_free(&o);
	return ok ? 0 : 1;
}

/* heddle-operand-buffer [--size N] [--only EXAMPLE] [--machine "KEY=VALUE ..."]...
 * The savings of operand buffers (LU-4, LU-15); the sweep of docs/last-use.md is its output. Each machine is the default one with these settings.
 * Every program is compiled for its machine, and its output compared with the host's. Without --machine: the sweep over the number of registers.
 *
 * Writes skipped: writes to the register file that are left out, of all results. Energy: the register file's dynamic energy (reads, writes, paths,
 * small files, comparators) against the same machine with no path and no flag. Cycles: against the first machine.
 * The means are over regular kernels and over unstructured ones apart, those of cycles geometric. */
#include "backend_heddle.h"
#include "kernel_kinds.h"

#include "config/state_bits.h"
#include "report/energy.h"

#include <math.h>

enum { MOST = 24, SETTING_MAX = 64 };

#define BUFFER(k) "last_use.compensation_of=warp last_use.compensation=" #k
#define SHARED(k, slots) BUFFER(k) " last_use.compensation_share=" #slots
static const char *const sweep[] = {"",
                                    "last_use.compensation=6",
                                    BUFFER(1),
                                    BUFFER(2),
                                    BUFFER(3),
                                    BUFFER(4),
                                    BUFFER(5),
                                    BUFFER(6),
                                    BUFFER(8),
                                    BUFFER(10),
                                    BUFFER(12),
                                    BUFFER(16),
                                    SHARED(8, 2),
                                    SHARED(12, 2),
                                    SHARED(8, 4),
                                    SHARED(12, 4),
                                    SHARED(16, 4),
                                    SHARED(16, 8),
                                    SHARED(16, 16),
                                    NULL};

typedef struct figures {
	double skipped, forwarded, saved; /* percent */
	uint64_t cycles;
} figures;

typedef struct example_row {
	const ex_example *example;
	figures of[MOST];
} example_row;

static bool apply(hd_machine *machine, const char *settings, hd_diag *diag)
{
	char setting[SETTING_MAX];
	hd_machine_default(machine);
	for (int length; sscanf(settings, " %63s%n", setting, &length) == 1; settings += length)
		if (!hd_machine_set(machine, setting, diag))
			return false;
	return hd_machine_validate(machine, NULL, diag);
}

static double percent(uint64_t part, uint64_t whole) { return whole ? 100 * (double)part / (double)whole : 0; }

static bool run(const example_row *row, unsigned size, const char *ptx, size_t length, const char *source, const hd_machine *machine, hd_diag *diag,
                figures *out, double *energy)
{
	hd_object *object = ex_heddle_compile_ptx(ptx, length, source, machine, false, diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, diag) : NULL;
	bool ok = false;
	if (backend) {
		ex_run done;
		ok = ex_run_example(&done, row->example, size, backend, diag);
		const hd_stats *s = ex_heddle_stats(backend);
		hd_energy all = hd_energy_of(machine, s);
		uint64_t left_out = s->register_file_writes_skipped + s->register_file_writes_replaced;
		*energy = (double)hd_energy_registers(&all);
		out->skipped = percent(left_out, left_out + s->register_file_writes);
		out->forwarded = percent(s->register_file_reads_forwarded, s->register_file_reads_forwarded + s->register_file_reads);
		out->cycles = s->run_cycles;
		ex_run_free(&done);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	return ok;
}

static bool measure(example_row *row, int wanted, const char *const *machines, const char *examples, hd_diag *diag)
{
	hd_text source = {0};
	unsigned size = 0;
	size_t length;
	figures unused;
	double plain = 1, energy;
	while (row->example->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
		size++;
	hd_text_printf(&source, "%s/%s", examples, row->example->source);
	char *ptx = ex_heddle_ptx(source.at, &length, diag);
	hd_machine machine;
	bool ok =
	    ptx &&
	    apply(&machine, "last_use.flags=false last_use.path_b=0 last_use.path_a=0 last_use.compensation=0 last_use.compensation_of=pipe", diag);
	ok = ok && run(row, size, ptx, length, source.at, &machine, diag, &unused, &plain);
	for (unsigned i = 0; ok && machines[i]; i++) {
		ok = apply(&machine, machines[i], diag) && run(row, size, ptx, length, source.at, &machine, diag, &row->of[i], &energy);
		row->of[i].saved = 100 - 100 * energy / plain;
	}
	free(ptx);
	hd_text_free(&source);
	return ok;
}

enum { SKIPPED, FORWARDED, ENERGY, CYCLES, FIGURES };
static const char *const titles[FIGURES] = {"writes skipped %", "reads not from the file %", "register file energy %", "cycles"};

/* Cycles are a multiple of those of the first machine. */
static double figure(const example_row *row, unsigned machine, unsigned what)
{
	const figures *f = &row->of[machine];
	return what == SKIPPED     ? f->skipped
	       : what == FORWARDED ? f->forwarded
	       : what == ENERGY    ? -f->saved
	                           : (double)f->cycles / (double)row->of[0].cycles;
}

static double mean(const example_row *rows, size_t n, unsigned machine, unsigned what, unsigned kind)
{
	kind_sums column = {0};
	for (size_t r = 0; r < n; r++) {
		double value = figure(&rows[r], machine, what);
		kind_add(&column, rows[r].example, what == CYCLES ? log(value) : value);
	}
	return what == CYCLES ? exp(kind_mean(&column, kind)) : kind_mean(&column, kind);
}

static void print_figure(double value, unsigned what) { printf(what == CYCLES ? " %.3f |" : what == ENERGY ? " %+.1f |" : " %.1f |", value); }

/* The machines of the sweep differ in their registers alone; others are named by their settings. */
static void print_name(const hd_machine *machine, const char *settings, bool in_sweep)
{
	if (!in_sweep)
		printf("| %s |", settings[0] ? settings : "default");
	else if (machine->last_use_compensation_of == HD_OWNER_PIPE)
		printf("| %u, pipeline%s |", machine->last_use_compensation, settings[0] ? "" : " (default)");
	else if (machine->last_use_compensation_share == 1)
		printf("| %u, one slot |", machine->last_use_compensation);
	else
		printf("| %u, %u slots |", machine->last_use_compensation, machine->last_use_compensation_share);
}

/* A row a machine: its size, and the means over all examples. */
static void print_means(const example_row *rows, size_t n, const char *const *machines, unsigned n_machines, bool in_sweep)
{
	unsigned kinds[KINDS] = {0};
	for (size_t r = 0; r < n; r++)
		kinds[kind_of(rows[r].example)]++;
	printf("| registers, of | KB a core | comparators |");
	for (unsigned what = 0; what < FIGURES; what++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			if (kinds[kind])
				printf(" %s, %s |", titles[what], kind_name(kind));
	printf("\n|---|--:|--:|");
	for (unsigned i = 0; i < FIGURES * (unsigned)((kinds[REGULAR] > 0) + (kinds[UNSTRUCTURED] > 0)); i++)
		printf("--:|");
	printf("\n");
	for (unsigned i = 0; i < n_machines; i++) {
		hd_machine machine;
		hd_state_bits bits;
		hd_diag diag = {0};
		apply(&machine, machines[i], &diag);
		hd_state_bits_of(&machine, &bits);
		print_name(&machine, machines[i], in_sweep);
		printf(" %.1f | %u |", bits.results_core / 8192.0, bits.result_comparators);
		for (unsigned what = 0; what < FIGURES; what++)
			for (unsigned kind = 0; kind < KINDS; kind++)
				if (kinds[kind])
					print_figure(mean(rows, n, i, what, kind), what);
		printf("\n");
	}
}

/* A row an example and the means, with some figures of each machine. The machines are numbered from 1, in the order of the rows of print_means. */
static void print_examples(const example_row *rows, size_t n, unsigned n_machines, const unsigned *shown, unsigned n_shown)
{
	unsigned kinds[KINDS] = {0};
	printf("\n| example |");
	for (unsigned i = 0; i < n_machines; i++)
		for (unsigned k = 0; k < n_shown; k++)
			printf(" %u: %s |", i + 1, titles[shown[k]]);
	printf("\n|---|");
	for (unsigned i = 0; i < n_machines * n_shown; i++)
		printf("--:|");
	printf("\n");
	for (size_t r = 0; r < n; r++) {
		printf("| %s |", rows[r].example->name);
		for (unsigned i = 0; i < n_machines; i++)
			for (unsigned k = 0; k < n_shown; k++)
				print_figure(figure(&rows[r], i, shown[k]), shown[k]);
		printf("\n");
		kinds[kind_of(rows[r].example)]++;
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!kinds[kind])
			continue;
		printf("| **%s, mean of %u** |", kind_name(kind), kinds[kind]);
		for (unsigned i = 0; i < n_machines; i++)
			for (unsigned k = 0; k < n_shown; k++)
				print_figure(mean(rows, n, i, shown[k], kind), shown[k]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	const char *examples = getenv("HEDDLE_EXAMPLES"), *only = NULL;
	const char *machines[MOST + 1] = {NULL};
	unsigned n_machines = 0;
	int wanted = -1;
	hd_diag diag = {0};
	HD_VEC(example_row) rows = {0};
	for (int i = 1; i < argc; i += 2) {
		if (i + 1 < argc && strcmp(argv[i], "--size") == 0) {
			wanted = atoi(argv[i + 1]);
		} else if (i + 1 < argc && strcmp(argv[i], "--only") == 0) {
			only = argv[i + 1];
		} else if (i + 1 < argc && strcmp(argv[i], "--machine") == 0 && n_machines < MOST) {
			machines[n_machines++] = argv[i + 1];
		} else {
			fprintf(stderr, "usage: heddle-operand-buffer [--size N] [--only EXAMPLE] [--machine \"KEY=VALUE ...\"]...\n");
			return 2;
		}
	}
	while (!machines[0] && sweep[n_machines])
		n_machines++;
	if (!machines[0])
		memcpy(machines, sweep, sizeof sweep);
	bool ok = true;
	for (const ex_example *const *e = ex_examples; ok && *e; e++) {
		example_row one = {.example = *e};
		if (only && strcmp(only, (*e)->name) != 0)
			continue;
		ok = measure(&one, wanted, machines, examples ? examples : "examples", &diag);
		hd_vec_push(&rows, one);
		if (!ok)
			fprintf(stderr, "%s: %s\n", (*e)->name, diag.text.at ? diag.text.at : "failed");
	}
	if (ok && rows.n) {
		print_means(rows.at, rows.n, machines, n_machines, machines[0] == sweep[0]);
		print_examples(rows.at, rows.n, n_machines, (const unsigned[]){SKIPPED, ENERGY}, 2);
		print_examples(rows.at, rows.n, n_machines, (const unsigned[]){FORWARDED}, 1);
		print_examples(rows.at, rows.n, n_machines, (const unsigned[]){CYCLES}, 1);
	}
	hd_vec_free(&rows);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

/* heddle-energy [--check] [--size N] [--set KEY=VALUE]...: the energy table beside published figures; the tables of docs/energy.md are its output
 * (tools/energy.sh). The machine is the preset `baseline`, because the published figures are of machines without our mechanisms.
 *
 *   1. Microbenchmarks (bench/energy.cl): all integer, all fused, all loads from shared memory, from the first cache, the second one, DRAM.
 *      The energy of an operation is the difference between two runs, of n and of 2n iterations, without leakage, as a measurement subtracts
 *      idle power. Loads are measured as GPUJoule does: without the clock of the cycles in which the core waits, and without the other
 *      instructions at their own energy.
 *   2. The split over the examples, in shares of the whole, and the power of a core.
 *
 * With --check the first part alone; the exit status is 1 when an operation costs more than 1.5 times what is published in the mean, or less than
 * 1 / 1.5 of it. */
#include "backend_heddle.h"
#include "report/energy_error.h"

#include <math.h>

enum { WARPS = 64, LANES = 32, ITERATIONS = 16, MEMORY = 1 << 25 };

/* -- 1. microbenchmarks ------------------------------------------------------------------------------------------------------------------------ */

/* A published figure at 40 nm, in picojoules: an on-chip figure of another node is scaled by the linear dimension (docs/energy.md). */
typedef struct figure {
	const char *source;
	double pj;
} figure;

typedef struct micro {
	const char *kernel, *what, *unit;
	enum { NO_LOADS, WORDS, SECTORS, L1_MISSES, L2_MISSES } moves; /* the unit that a load moves at this level */
	figure sources[3];                                             /* at least one */
} micro;

static const micro micros[] = {
    {"alu", "integer and logic", "pJ a lane's instruction", NO_LOADS, {{"S", 40}, {"J", 70 * 40 / 28.0}}},
    {"fused", "fused multiply-add", "pJ a lane's instruction", NO_LOADS, {{"S", 75}, {"J", 50 * 40 / 28.0}}},
    {"shared_loads", "shared memory to registers", "pJ a bit", WORDS, {{"J", 5.32 * 40 / 28.0}, {"V", 40 * 40 / 12.0 / 32}}},
    {"l1_loads", "first cache to registers", "pJ a bit", SECTORS, {{"J", 5.85 * 40 / 28.0}, {"V", 227 * 40 / 12.0 / 256}}},
    {"l2_loads", "second cache to first", "pJ a bit", L1_MISSES, {{"J", 15.48 * 40 / 28.0}, {"V", (36 + 2 * 223) * 40 / 12.0 / 256}}},
    {"dram_loads", "DRAM to second cache", "pJ a bit", L2_MISSES, {{"J", 30.55}, {"V", (1950 + 232 + 727 / 4.0) / 256}, {"T", 20.0}}},
};

/* The difference between two runs of a kernel. */
typedef struct marginal {
	double dynamic, clock, total, error; /* pJ: without clock and leakage; clock; all; uncertainty of `dynamic` */
	double lanes, loading, cycles;       /* lanes' instructions, those of the load/store pipe among them, cycles */
	double bits[L2_MISSES + 1];          /* moved at each level */
} marginal;

static double cores(const hd_machine *machine) { return hd_machine_cores(machine); }

static bool run(const hd_program *program, const hd_kernel *kernel, hd_memory *memory, uint64_t out, uint64_t in, uint32_t n,
                const hd_machine *machine, hd_stats *stats)
{
	uint8_t params[24];
	hd_trap trap = {0};
	memcpy(params, &out, 8);
	memcpy(params + 8, &in, 8);
	memcpy(params + 16, &n, 4);
	hd_launch launch = {.program = program, .kernel = kernel, .grid = {WARPS / 8, 1, 1}, .block = {8 * LANES, 1, 1}, .params = params};
	bool ok = hd_device_run(machine, &launch, memory, &(hd_run_options){.max_cycles = 100000000}, stats, &trap);
	hd_trap_free(&trap);
	return ok;
}

/* Counters are sums, so their differences are the counters of what one run did more. */
static hd_stats difference(const hd_stats *more, const hd_stats *less)
{
	hd_stats result;
	for (size_t at = 0; at < sizeof result; at += sizeof(uint64_t)) {
		uint64_t a, b;
		memcpy(&a, (const char *)more + at, sizeof a);
		memcpy(&b, (const char *)less + at, sizeof b);
		a = a > b ? a - b : 0;
		memcpy((char *)&result + at, &a, sizeof a);
	}
	return result;
}

static marginal of_stats(const hd_machine *machine, const hd_stats *s)
{
	hd_energy energy = hd_energy_of(machine, s);
	hd_energy_error error = hd_energy_error_of(machine, s);
	hd_energy_set fixed = hd_energy_set_of(HD_ENERGY_clock) | hd_energy_set_of(HD_ENERGY_leakage);
	double total = (double)hd_energy_total(&energy) / 1e3, clock = (double)energy.fj[HD_ENERGY_clock] / 1e3;
	return (marginal){.dynamic = total - clock - (double)energy.fj[HD_ENERGY_leakage] / 1e3,
	                  .clock = clock,
	                  .total = total,
	                  .error = (double)hd_energy_error_sum(&error, hd_energy_set_of_all() & ~fixed) / 1e3,
	                  .lanes = (double)s->run_thread_instructions,
	                  .loading = (double)s->lanes_lsu,
	                  .cycles = (double)s->run_cycles,
	                  .bits = {[WORDS] = 32 * (double)s->memory_shared_words,
	                           [SECTORS] = 256 * (double)s->memory_sectors,
	                           [L1_MISSES] = 256 * (double)s->memory_l1_misses,
	                           [L2_MISSES] = 256 * (double)s->memory_l2_misses}};
}

static bool measure(const hd_object *object, const char *name, const hd_machine *machine, marginal *result, hd_diag *diag)
{
	const hd_kernel *kernel = hd_object_kernel(object, name);
	hd_memory *memory = hd_memory_new(MEMORY);
	hd_program *program = kernel ? hd_program_new(object, memory, diag) : NULL;
	hd_stats once = {0}, twice = {0};
	bool ok = program != NULL;
	if (ok) {
		uint64_t out = hd_memory_alloc(memory, WARPS * LANES * 4, "out"), in = hd_memory_alloc(memory, MEMORY / 2, "in");
		uint8_t *words = hd_memory_at(memory, in, MEMORY / 2);
		for (uint32_t i = 0; i < MEMORY / 8; i++)
			memcpy(words + 4 * (size_t)i, &(uint32_t){i * 2654435761u}, 4);
		ok = run(program, kernel, memory, out, in, ITERATIONS, machine, &once) &&
		     run(program, kernel, memory, out, in, 2 * ITERATIONS, machine, &twice);
		hd_stats more = difference(&twice, &once);
		*result = of_stats(machine, &more);
		hd_program_free(program);
	}
	hd_memory_free(memory);
	return ok;
}

/* The energy of row i's operation: a lane's instruction, or a bit moved at its level. `pj` has those of the rows before it: the other instructions of
 * a kernel with loads cost what an integer instruction costs, and what it moves at the levels before this one costs what those rows say. */
static double of_operation(unsigned i, const marginal *of, const double *pj)
{
	double rest = of[i].dynamic - (of[i].lanes - of[i].loading) * of[0].dynamic / of[0].lanes;
	if (micros[i].moves == NO_LOADS)
		return (of[i].dynamic + of[i].clock) / of[i].lanes;
	for (unsigned k = 0; k < i; k++)
		rest -= pj[k] * of[i].bits[micros[k].moves];
	return rest / of[i].bits[micros[i].moves];
}

/* False with an error when something cannot be run. `far` receives the number of rows that are further from the mean than `check` allows. */
static bool microbenchmarks(const hd_machine *machine, const char *file, unsigned *far, hd_diag *diag)
{
	marginal of[HD_COUNT(micros)];
	double pj[HD_COUNT(micros)], logarithms = 0;
	hd_object *object = ex_heddle_compile(file, machine, false, diag);
	bool ok = object != NULL;
	for (unsigned i = 0; ok && i < HD_COUNT(micros); i++)
		ok = measure(object, micros[i].kernel, machine, &of[i], diag);
	if (object)
		hd_object_free(object);
	if (!ok)
		return false;
	printf("| microbenchmark | unit | model | &plusmn; | published, at 40 nm | their mean | model / mean | instructions a cycle and core | W a "
	       "core |\n"
	       "|---|---|--:|--:|---|--:|--:|--:|--:|\n");
	for (unsigned i = 0; i < HD_COUNT(micros); i++) {
		const micro *m = &micros[i];
		double mean = 0;
		unsigned n = 0;
		pj[i] = of_operation(i, of, pj);
		for (; n < HD_COUNT(m->sources) && m->sources[n].source; n++)
			mean += log(m->sources[n].pj);
		mean = exp(mean / n);
		logarithms += fabs(log(pj[i] / mean)) / HD_COUNT(micros);
		*far += pj[i] > 1.5 * mean || 1.5 * pj[i] < mean;
		printf("| %s | %s | %.1f | %.0f %% |", m->what, m->unit, pj[i], 100 * of[i].error / of[i].dynamic);
		for (unsigned k = 0; k < n; k++)
			printf("%s %s %.1f", k ? "," : "", m->sources[k].source, m->sources[k].pj);
		printf(" | %.1f | %.2f | %.2f | %.2f |\n", mean, pj[i] / mean, of[i].lanes / LANES / of[i].cycles / cores(machine),
		       of[i].total / of[i].cycles / 1e3 / cores(machine));
	}
	printf("| **geometric mean of the deviations** | | | | | | **%.2f** | | |\n", exp(logarithms));
	return true;
}

/* -- 2. the split ------------------------------------------------------------------------------------------------------------------------------ */

/* Columns of the split: groups of units. What is published counts clock and leakage of a core together, because both are there when nothing
 * happens. */
enum { REGISTERS, EXECUTION, FRONT, CORE_MEMORY, CHIP, DRAM, FIXED, COLUMNS };
static const char *const columns[COLUMNS] = {"register file", "execution", "fetch to issue", "memories of the core",
                                             "L2, network",   "DRAM",      "clock, leakage"};

static unsigned column_of(hd_energy_unit unit)
{
	switch (hd_energy_group_of[unit]) {
	case HD_ENERGY_GROUP_registers:
		return REGISTERS;
	case HD_ENERGY_GROUP_pipes:
		return EXECUTION;
	case HD_ENERGY_GROUP_fixed:
		return FIXED;
	case HD_ENERGY_GROUP_memory:
		return unit == HD_ENERGY_dram ? DRAM : unit == HD_ENERGY_l2 || unit == HD_ENERGY_interconnect ? CHIP : CORE_MEMORY;
	default:
		return FRONT;
	}
}

typedef struct split {
	double share[COLUMNS], error[COLUMNS]; /* percent of the whole, and its uncertainty */
	double ipc, watt;                      /* of a core */
} split;

/* The error of a part's share of the whole: errors that part and whole have in common cancel out. */
static double error_of_share(const hd_energy_error *error, hd_energy_set set, double part, double total)
{
	double squares = 0;
	for (unsigned cause = 0; cause < HD_ENERGY_CAUSES; cause++) {
		double of_part = 0, of_all = 0;
		for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++) {
			of_all += error->fj[unit][cause];
			of_part += set >> unit & 1 ? error->fj[unit][cause] : 0;
		}
		double change = of_part / total - part / total * of_all / total;
		squares += change * change;
	}
	return sqrt(squares);
}

static bool split_of(const ex_example *example, int wanted, const char *root, const hd_machine *machine, split *result, hd_diag *diag)
{
	hd_text source = {0};
	unsigned size = 0;
	bool ok = false;
	while (example->sizes[size + 1] && (int)size < wanted)
		size++;
	hd_text_printf(&source, "%s/examples/%s", root, example->source);
	hd_object *object = ex_heddle_compile(source.at, machine, false, diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, diag) : NULL;
	*result = (split){0};
	if (backend) {
		ex_run done;
		ok = ex_run_example(&done, example, size, backend, diag);
		const hd_stats *s = ex_heddle_stats(backend);
		hd_energy energy = hd_energy_of(machine, s);
		hd_energy_error error = hd_energy_error_of(machine, s);
		hd_energy_set sets[COLUMNS] = {0};
		double total = (double)hd_energy_total(&energy), parts[COLUMNS] = {0};
		for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++) {
			parts[column_of((hd_energy_unit)unit)] += (double)energy.fj[unit];
			sets[column_of((hd_energy_unit)unit)] |= hd_energy_set_of((hd_energy_unit)unit);
		}
		for (unsigned k = 0; k < COLUMNS; k++) {
			result->share[k] = 100 * parts[k] / total;
			result->error[k] = 100 * error_of_share(&error, sets[k], parts[k], total);
		}
		result->ipc = (double)s->run_warp_instructions / (double)s->run_cycles / cores(machine);
		result->watt = total / (double)s->run_cycles / 1e9 * machine->machine_clock_mhz / cores(machine);
		ex_run_free(&done);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	return ok;
}

static void print_split(const char *name, const split *s)
{
	printf("| %s |", name);
	for (unsigned k = 0; k < COLUMNS; k++)
		printf(" %.1f |", s->share[k]);
	printf(" %.2f | %.2f |\n", s->ipc, s->watt);
}

/* Means over the regular examples that keep a core busy: at least half an instruction a cycle, as the programs of the published figures do. */
static bool splits(int wanted, const char *root, const hd_machine *machine, hd_diag *diag)
{
	const double busy = 0.5;
	split mean = {0};
	unsigned n = 0;
	printf("| example |");
	for (unsigned k = 0; k < COLUMNS; k++)
		printf(" %s |", columns[k]);
	printf(" instructions a cycle and core | W a core |\n|---|");
	for (unsigned k = 0; k < COLUMNS + 2; k++)
		printf("--:|");
	printf("\n");
	for (const ex_example *const *e = ex_examples; *e; e++) {
		split s;
		if ((*e)->unstructured)
			continue;
		if (!split_of(*e, wanted, root, machine, &s, diag))
			return false;
		print_split((*e)->name, &s);
		if (s.ipc < busy)
			continue;
		n++;
		for (unsigned k = 0; k < COLUMNS; k++) {
			mean.share[k] += s.share[k];
			mean.error[k] += s.error[k];
		}
		mean.ipc += s.ipc;
		mean.watt += s.watt;
	}
	for (unsigned k = 0; n && k < COLUMNS; k++) {
		mean.share[k] /= n;
		mean.error[k] /= n;
	}
	mean.ipc /= n ? n : 1;
	mean.watt /= n ? n : 1;
	print_split("**mean of those above 0.5 instructions**", &mean);
	printf("| its uncertainty |");
	for (unsigned k = 0; k < COLUMNS; k++)
		printf(" &plusmn;%.1f |", mean.error[k]);
	printf(" | |\n");
	/* docs/energy.md, Calibration: X the shares of GPUWattch; W static power of what is not constant power, of the mean of the measured kernels.
	 */
	static const double published[COLUMNS] = {[REGISTERS] = 13.4, [EXECUTION] = 20.1, [FIXED] = 28.8};
	const double watt = (166.4 - 32.3) / 80 * 40 / 12 * 1000 / 1417;
	printf("| published: X, X, W, W |");
	for (unsigned k = 0; k < COLUMNS; k++)
		published[k] > 0 ? printf(" %.1f |", published[k]) : printf(" |");
	printf(" | %.2f |\n| deviation |", watt);
	for (unsigned k = 0; k < COLUMNS; k++)
		published[k] > 0 ? printf(" %+.1f |", mean.share[k] - published[k]) : printf(" |");
	printf(" | %+.2f |\n", mean.watt - watt);
	return true;
}

int main(int argc, char **argv)
{
	const char *root = getenv("HEDDLE_SOURCE");
	hd_diag diag = {0};
	hd_machine machine;
	hd_text file = {0};
	int wanted = 2, i = 1;
	unsigned far = 0;
	bool check = argc > 1 && strcmp(argv[1], "--check") == 0, ok = hd_machine_load(&machine, "baseline", &diag);
	for (i += check; ok && i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--size") == 0)
			wanted = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--set") == 0)
			ok = hd_machine_set(&machine, argv[i + 1], &diag);
		else
			break;
	}
	if (ok && i < argc) {
		fprintf(stderr, "usage: heddle-energy [--check] [--size N] [--set KEY=VALUE]...\n");
		return 2;
	}
	root = root ? root : ".";
	hd_text_printf(&file, "%s/bench/energy.cl", root);
	ok = ok && hd_machine_validate(&machine, NULL, &diag) && microbenchmarks(&machine, file.at, &far, &diag);
	if (ok && !check) {
		printf("\n");
		ok = splits(wanted, root, &machine, &diag);
	} else if (far) {
		fprintf(stderr, "%u operations are too far from what is published\n", far);
		ok = false;
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_text_free(&file);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

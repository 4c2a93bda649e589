/* heddle-last-use [--slow-file | --paths | --sweep | --ports] [--size N] [EXAMPLE]...
 * The savings of forwarding and last-use flags (LU-9, LU-10); the tables of docs/last-use.md are its output. Every program is compiled for its
 * machine, and its output compared with the host's.
 *
 *   1. with the default machine: reads served by forwarding, writes skipped, and the register file's dynamic energy (reads, writes, forwarding,
 *      compensation registers) against the same machine with no path and no flag;
 *   2. and 3. writes skipped and energy with 0 to 6 compensation registers;
 *   4. cycles with one and two read ports a bank: nothing forwarded, forwarding alone, forwarding and flags;
 *   5. what single parts of the mechanism bring: without scheduling for it, and without paths from pipe to pipe and from memory.
 *
 * --slow-file prints another table instead: cycles with a register file that takes time to read and to write (LU-11), with and without paths that
 * hide it, and the writes skipped. --paths: where the default machine's operands come from, and what becomes of flagged values (LU-13). --sweep: what
 * more stages and other positions of forwarding and compensation find to skip (LU-15). --ports: cycles for which each client waits for the ports of a
 * register file with one read port a bank (LU-17).
 *
 * The means are over regular kernels and over unstructured ones apart, those of cycles geometric. */
#include "backend_heddle.h"
#include "kernel_kinds.h"

#include "report/energy.h"

#include <math.h>

enum { MOST = 6, PORTS = 2, WAYS = 3, PARTS = 3, SLOW = 9, PATHS = 6, SWEEP = 19, CLIENTS = 5 };
typedef enum tables { ALL, SLOW_FILES, BY_PATH, BY_STAGE, BY_CLIENT } tables;

typedef struct result {
	hd_stats stats;
	double registers; /* femtojoule */
} result;

/* A source and its PTX, which is the same for all machines. */
typedef struct program {
	hd_text source;
	char *ptx;
	size_t length;
} program;

static bool run(const ex_example *example, unsigned size, const program *p, const hd_machine *machine, result *r)
{
	hd_diag diag = {0};
	hd_object *object = ex_heddle_compile_ptx(p->ptx, p->length, p->source.at, machine, false, &diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, &diag) : NULL;
	bool ok = false;
	*r = (result){0};
	if (backend) {
		ex_run done;
		ok = ex_run_example(&done, example, size, backend, &diag);
		r->stats = *ex_heddle_stats(backend);
		hd_energy energy = hd_energy_of(machine, &r->stats);
		r->registers = (double)hd_energy_registers(&energy);
		ex_run_free(&done);
		ex_heddle_free(backend);
	}
	if (!ok)
		fprintf(stderr, "%s: %s\n", example->name, diag.text.at ? diag.text.at : "failed");
	if (object)
		hd_object_free(object);
	hd_diag_free(&diag);
	return ok;
}

static void nothing(hd_machine *machine)
{
	machine->last_use_flags = false;
	machine->last_use_path_b = machine->last_use_path_a = machine->last_use_compensation = 0;
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }
static double skipped(const hd_stats *s)
{
	return percent((double)s->register_file_writes_skipped, (double)(s->register_file_writes_skipped + s->register_file_writes));
}
static double forwarded(const hd_stats *s)
{
	return percent((double)s->register_file_reads_forwarded, (double)(s->register_file_reads_forwarded + s->register_file_reads));
}

/* All that is printed of an example. */
typedef struct measured {
	const ex_example *example;
	double forwarded, skipped[MOST + 1], saved[MOST + 1]; /* percent */
	uint64_t instructions, cycles[PORTS][WAYS];
	double part_skipped[PARTS], part_saved[PARTS];
	uint64_t part_cycles[PARTS]; /* 0: the whole; 1: not scheduled for; 2: each pipe for itself */
	uint64_t slow_cycles[SLOW];
	double slow_skipped[SLOW];
	double paths[PATHS]; /* percent */
	double sweep_skipped[SWEEP], sweep_saved[SWEEP], sweep_slower[SWEEP];
	double waits[WAYS][CLIENTS]; /* cycles in a thousand instructions */
} measured;

/* Latencies of the register file, each way. `registers`: compensation registers, or NO_PATHS. */
enum { NO_PATHS = 99 };
static const struct {
	uint32_t latency, registers;
} slow_files[SLOW] = {{0, NO_PATHS}, {0, 2}, {1, NO_PATHS}, {1, 2}, {2, NO_PATHS}, {2, 2}, {4, NO_PATHS}, {4, 2}, {4, 6}};

static bool measure_slow_files(measured *row, const ex_example *example, unsigned size, const program *p)
{
	bool ok = true;
	for (unsigned i = 0; ok && i < SLOW; i++) {
		hd_machine machine;
		result r;
		hd_machine_default(&machine);
		machine.register_file_read_latency = machine.register_file_write_latency = slow_files[i].latency;
		if (slow_files[i].registers == NO_PATHS)
			nothing(&machine);
		else
			machine.last_use_compensation = slow_files[i].registers;
		ok = run(example, size, p, &machine, &r);
		row->slow_cycles[i] = r.stats.run_cycles;
		row->slow_skipped[i] = skipped(&r.stats);
	}
	return ok;
}

/* Of the reads: from the register file, by C-B, by C-A, by compensation registers. Of the results: skipped, and written though flagged. */
static bool measure_paths(measured *row, const ex_example *example, unsigned size, const program *p)
{
	hd_machine machine;
	result r;
	hd_machine_default(&machine);
	bool ok = run(example, size, p, &machine, &r);
	const hd_stats *s = &r.stats;
	uint64_t parts[PATHS] = {s->register_file_reads,          s->register_file_reads_path_b,
	                         s->register_file_reads_path_a,   s->register_file_compensation_reads,
	                         s->register_file_writes_skipped, s->register_file_writes_flagged};
	double reads = (double)(s->register_file_reads + s->register_file_reads_forwarded),
	       results = (double)(s->register_file_writes + s->register_file_writes_skipped);
	for (unsigned i = 0; i < PATHS; i++)
		row->paths[i] = percent((double)parts[i], i < 4 ? reads : results);
	return ok;
}

/* LU-15. `more`: execution stages that the ALU's classes have beyond the default ones. */
static const struct point {
	uint32_t more, path_b, path_a, compensation;
} sweep[SWEEP] = {
    {0, 2, 1, 2}, /* the default */
    {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 4, 0, 0}, {0, 0, 1, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}, {0, 0, 0, 4}, {0, 1, 1, 3}, {0, 4, 1, 0},
    {0, 2, 3, 0}, {0, 4, 1, 4}, {0, 8, 1, 2}, {2, 2, 1, 2}, {2, 4, 1, 2}, {4, 2, 1, 2}, {4, 6, 1, 2}, {8, 2, 1, 2}, {8, 8, 3, 2},
};

static void deepen(hd_machine *machine, uint32_t more)
{
	for (unsigned klass = 0; klass < HD_CLASS_COUNT; klass++)
		if (hd_machine_pipe(machine, (hd_class)klass) == HD_PIPE_ALU)
			machine->latency[klass].latency += more;
}

/* Energy is against the same stages with no path and no flag, cycles against those of the first point. */
static bool measure_sweep(measured *row, const ex_example *example, unsigned size, const program *p)
{
	result plain = {0}, r, first = {0};
	bool ok = true;
	for (unsigned i = 0; ok && i < SWEEP; i++) {
		hd_machine machine;
		hd_machine_default(&machine);
		deepen(&machine, sweep[i].more);
		if (!i || sweep[i].more != sweep[i - 1].more) {
			hd_machine without = machine;
			nothing(&without);
			ok = run(example, size, p, &without, &plain);
		}
		machine.last_use_path_b = sweep[i].path_b;
		machine.last_use_path_a = sweep[i].path_a;
		machine.last_use_compensation = sweep[i].compensation;
		ok = ok && run(example, size, p, &machine, &r);
		first = i ? first : r;
		row->sweep_skipped[i] = skipped(&r.stats);
		row->sweep_saved[i] = 100 - percent(r.registers, plain.registers);
		row->sweep_slower[i] = (double)r.stats.run_cycles / (double)first.stats.run_cycles;
	}
	return ok;
}

/* With one read port a bank: nothing forwarded, forwarding alone, forwarding and flags. */
static bool measure_clients(measured *row, const ex_example *example, unsigned size, const program *p)
{
	bool ok = true;
	for (unsigned way = 0; ok && way < WAYS; way++) {
		hd_machine machine;
		result r;
		hd_machine_default(&machine);
		machine.register_file_read_ports = 1;
		machine.last_use_flags = way == 2;
		if (!way)
			nothing(&machine);
		ok = run(example, size, p, &machine, &r);
		const hd_stats *s = &r.stats;
		uint64_t waits[CLIENTS] = {s->port_waits_alu, s->port_waits_lsu + s->port_waits_latom, s->port_waits_cvt, s->port_waits_sfu,
		                           s->port_waits_coord + s->port_waits_f64 + s->port_waits_tex + s->port_waits_flow};
		for (unsigned i = 0; i < CLIENTS; i++)
			row->waits[way][i] = 1000 * (double)waits[i] / (double)s->run_warp_instructions;
	}
	return ok;
}

static bool measure_all(measured *row, const ex_example *example, unsigned size, const program *p);

static bool measure(measured *row, const ex_example *example, int wanted, const char *examples, tables what)
{
	program p = {0};
	hd_diag diag = {0};
	unsigned size = 0;
	while (example->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
		size++;
	hd_text_printf(&p.source, "%s/%s", examples, example->source);
	p.ptx = ex_heddle_ptx(p.source.at, &p.length, &diag);
	hd_diag_free(&diag);
	*row = (measured){.example = example};
	bool (*const measures[])(measured *, const ex_example *, unsigned, const program *) = {[ALL] = measure_all,
	                                                                                       [SLOW_FILES] = measure_slow_files,
	                                                                                       [BY_PATH] = measure_paths,
	                                                                                       [BY_STAGE] = measure_sweep,
	                                                                                       [BY_CLIENT] = measure_clients};
	bool ok = p.ptx && measures[what](row, example, size, &p);
	free(p.ptx);
	hd_text_free(&p.source);
	return ok;
}

static bool measure_all(measured *row, const ex_example *example, unsigned size, const program *p)
{
	hd_machine machine;
	result plain, r;
	bool ok;
	hd_machine_default(&machine);
	unsigned compensation = machine.last_use_compensation;
	nothing(&machine);
	ok = run(example, size, p, &machine, &plain);
	row->instructions = plain.stats.run_warp_instructions;
	for (unsigned n = 0; ok && n <= MOST; n++) {
		hd_machine_default(&machine);
		machine.last_use_compensation = n;
		ok = run(example, size, p, &machine, &r);
		row->skipped[n] = skipped(&r.stats);
		row->saved[n] = 100 - percent(r.registers, plain.registers);
		if (n == compensation)
			row->forwarded = forwarded(&r.stats);
	}
	for (unsigned ports = 0; ok && ports < PORTS; ports++) {
		for (unsigned way = 0; ok && way < WAYS; way++) {
			hd_machine_default(&machine);
			machine.register_file_read_ports = ports + 1;
			machine.last_use_flags = way == 2;
			if (!way)
				nothing(&machine);
			ok = run(example, size, p, &machine, &r);
			row->cycles[ports][way] = r.stats.run_cycles;
		}
	}
	for (unsigned part = 0; ok && part < PARTS; part++) {
		hd_machine_default(&machine);
		machine.last_use_schedule = part != 1;
		machine.last_use_across = part != 2;
		ok = run(example, size, p, &machine, &r);
		row->part_skipped[part] = skipped(&r.stats);
		row->part_saved[part] = 100 - percent(r.registers, plain.registers);
		row->part_cycles[part] = r.stats.run_cycles;
	}
	return ok;
}

/* A table is a list of columns: what is printed of an example. */
typedef enum format { PERCENT, SIGNED, WHOLE, RATIO } format;
typedef struct column {
	double value;
	format format;
} column;
enum { COLUMNS_MOST = 16 };

static void print_column(double value, format as)
{
	if (as == WHOLE)
		printf(" %.0f |", value);
	else
		printf(as == PERCENT ? " %.1f |" : as == SIGNED ? " %+.1f |" : " %.3f |", value);
}

/* Prints a row an example and the means of each kind: geometric ones of ratios, none of whole numbers. `columns` fills in the columns of an example
 * and returns their number. */
static void print_table(const measured *rows, size_t n, const char *head, unsigned (*columns)(const measured *row, column *into, unsigned what),
                        unsigned what)
{
	kind_sums sums[COLUMNS_MOST] = {{{0}, {0}}};
	column of[COLUMNS_MOST];
	unsigned width = columns(&rows[0], of, what);
	printf("%s\n|---|", head);
	for (unsigned k = 0; k < width; k++)
		printf("--:|");
	printf("\n");
	for (size_t i = 0; i < n; i++) {
		columns(&rows[i], of, what);
		printf("| %s |", rows[i].example->name);
		for (unsigned k = 0; k < width; k++) {
			print_column(of[k].value, of[k].format);
			kind_add(&sums[k], rows[i].example, of[k].format == RATIO ? log(of[k].value) : of[k].value);
		}
		printf("\n");
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!sums[0].n[kind])
			continue;
		printf("| **%s, mean of %u** |", kind_name(kind), sums[0].n[kind]);
		for (unsigned k = 0; k < width; k++) {
			double mean = kind_mean(&sums[k], kind);
			if (of[k].format == WHOLE)
				printf(" |");
			else
				print_column(of[k].format == RATIO ? exp(mean) : mean, of[k].format);
		}
		printf("\n");
	}
	printf("\n");
}

static unsigned savings(const measured *row, column *into, unsigned compensation)
{
	into[0] = (column){(double)row->instructions, WHOLE};
	into[1] = (column){row->forwarded, PERCENT};
	into[2] = (column){row->skipped[compensation], PERCENT};
	into[3] = (column){-row->saved[compensation], SIGNED};
	return 4;
}

static unsigned by_registers(const measured *row, column *into, unsigned energy)
{
	for (unsigned k = 0; k <= MOST; k++)
		into[k] = energy ? (column){-row->saved[k], SIGNED} : (column){row->skipped[k], PERCENT};
	return MOST + 1;
}

static unsigned by_ports(const measured *row, column *into, unsigned unused)
{
	(void)unused;
	into[0] = (column){(double)row->cycles[0][0], WHOLE};
	for (unsigned k = 1; k < PORTS * WAYS; k++)
		into[k] = (column){(double)row->cycles[k / WAYS][k % WAYS] / (double)row->cycles[0][0], RATIO};
	return PORTS * WAYS;
}

static unsigned by_parts(const measured *row, column *into, unsigned unused)
{
	(void)unused;
	for (unsigned k = 0; k < PARTS; k++) {
		into[k] = (column){row->part_skipped[k], PERCENT};
		into[PARTS + k] = (column){-row->part_saved[k], SIGNED};
		into[2 * PARTS + k] =
		    k ? (column){(double)row->part_cycles[k] / (double)row->part_cycles[0], RATIO} : (column){(double)row->part_cycles[0], WHOLE};
	}
	return 3 * PARTS;
}

static unsigned by_slow_files(const measured *row, column *into, unsigned unused)
{
	static const uint8_t with_paths[] = {1, 3, 5, 8};
	(void)unused;
	into[0] = (column){(double)row->slow_cycles[0], WHOLE};
	for (unsigned k = 1; k < SLOW; k++)
		into[k] = (column){(double)row->slow_cycles[k] / (double)row->slow_cycles[0], RATIO};
	for (unsigned k = 0; k < HD_COUNT(with_paths); k++)
		into[SLOW + k] = (column){row->slow_skipped[with_paths[k]], PERCENT};
	return SLOW + HD_COUNT(with_paths);
}

static void print_slow_files(const measured *rows, size_t n)
{
	print_table(
	    rows, n,
	    "| cycles, latencies: | 0: no paths | paths | 1 and 1: no paths | paths | 2 and 2: no paths | paths | 4 and 4: no paths | paths | "
	    "and 6 registers | writes skipped %: 0 | 1 and 1 | 2 and 2 | 4 and 4, 6 registers |",
	    by_slow_files, 0);
}

static unsigned by_path(const measured *row, column *into, unsigned unused)
{
	(void)unused;
	for (unsigned k = 0; k < PATHS; k++)
		into[k] = (column){row->paths[k], PERCENT};
	return PATHS;
}

static void print_paths(const measured *rows, size_t n)
{
	print_table(rows, n, "| of the reads %: | register file | C-B | C-A | compensation | of the results %: skipped | flagged and yet written |",
	            by_path, 0);
}

/* A row a point, the means over the examples. */
static void print_sweep(const measured *rows, size_t n)
{
	printf("| more stages | C-B | C-A | compensation | writes skipped %%, regular | unstructured | register file energy %%, regular | "
	       "unstructured | "
	       "cycles, regular | unstructured |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (unsigned i = 0; i < SWEEP; i++) {
		kind_sums sums[3] = {{{0}, {0}}};
		for (size_t k = 0; k < n; k++) {
			kind_add(&sums[0], rows[k].example, rows[k].sweep_skipped[i]);
			kind_add(&sums[1], rows[k].example, -rows[k].sweep_saved[i]);
			kind_add(&sums[2], rows[k].example, log(rows[k].sweep_slower[i]));
		}
		printf("| %u | %u | %u | %u |", sweep[i].more, sweep[i].path_b, sweep[i].path_a, sweep[i].compensation);
		for (unsigned sum = 0; sum < 3; sum++)
			for (unsigned kind = 0; kind < KINDS; kind++) {
				double mean = sums[sum].n[kind] ? kind_mean(&sums[sum], kind) : 0;
				print_column(sum == 2 ? exp(mean) : mean, sum == 0 ? PERCENT : sum == 1 ? SIGNED : RATIO);
			}
		printf("\n");
	}
}

static unsigned by_client(const measured *row, column *into, unsigned unused)
{
	(void)unused;
	for (unsigned k = 0; k < CLIENTS * WAYS; k++)
		into[k] = (column){row->waits[k % WAYS][k / WAYS], PERCENT};
	return CLIENTS * WAYS;
}

static void print_clients(const measured *rows, size_t n)
{
	print_table(
	    rows, n,
	    "| waits of a thousand instructions: | ALU: nothing forwarded | forwarding | and flags | load/store | | | conversions | | | sfu | | | "
	    "others | | |",
	    by_client, 0);
}

static void print_all(const measured *rows, size_t n)
{
	hd_machine machine;
	hd_machine_default(&machine);
	print_table(rows, n, "| example | warp instructions | reads forwarded % | writes skipped % | register file energy % |", savings,
	            machine.last_use_compensation);
	print_table(rows, n, "| writes skipped %, compensation registers: | 0 | 1 | 2 | 3 | 4 | 5 | 6 |", by_registers, 0);
	print_table(rows, n, "| register file energy %, compensation registers: | 0 | 1 | 2 | 3 | 4 | 5 | 6 |", by_registers, 1);
	print_table(rows, n,
	            "| cycles, read ports a bank: | 1: nothing forwarded | forwarding | and flags | 2: nothing forwarded | forwarding | and flags |",
	            by_ports, 0);
	print_table(rows, n, "| all; not scheduled for it; each pipe for itself | writes skipped % | | | register file energy % | | | cycles | | |",
	            by_parts, 0);
}

int main(int argc, char **argv)
{
	const char *examples = getenv("HEDDLE_EXAMPLES");
	int wanted = -1, first = 1;
	HD_VEC(measured) rows = {0};
	static const char *const names[] = {[SLOW_FILES] = "--slow-file", [BY_PATH] = "--paths", [BY_STAGE] = "--sweep", [BY_CLIENT] = "--ports"};
	void (*const prints[])(const measured *, size_t) = {
	    [ALL] = print_all, [SLOW_FILES] = print_slow_files, [BY_PATH] = print_paths, [BY_STAGE] = print_sweep, [BY_CLIENT] = print_clients};
	tables what = ALL;
	for (unsigned i = SLOW_FILES; argc > 1 && i < HD_COUNT(names); i++)
		what = strcmp(argv[1], names[i]) == 0 ? (tables)i : what;
	first += what != ALL;
	if (argc > first + 1 && strcmp(argv[first], "--size") == 0) {
		wanted = atoi(argv[first + 1]);
		first += 2;
	}
	if (first < argc && argv[first][0] == '-') {
		fprintf(stderr, "usage: heddle-last-use [--slow-file | --paths | --sweep | --ports] [--size N] [EXAMPLE]...\n");
		return 2;
	}
	bool ok = true;
	for (const ex_example *const *e = ex_examples; *e; e++) {
		bool named = first == argc;
		for (int i = first; i < argc; i++)
			named = named || strcmp(argv[i], (*e)->name) == 0;
		measured row;
		if (named && measure(&row, *e, wanted, examples ? examples : "examples", what))
			hd_vec_push(&rows, row);
		else
			ok &= !named;
	}
	if (rows.n)
		prints[what](rows.at, rows.n);
	hd_vec_free(&rows);
	return ok ? 0 : 1;
}

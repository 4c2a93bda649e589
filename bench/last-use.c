/* heddle-last-use [--size N] [EXAMPLE]...
 * What forwarding and last-use flags save (LU-9, LU-10); the tables of docs/last-use.md are its output. Every program is compiled for its machine,
 * and its output compared with the host's.
 *
 *   1. with the default machine: reads served by forwarding, writes skipped, and the register file's dynamic energy (reads, writes, forwarding,
 *      compensation registers) against the same machine with no path and no flag;
 *   2. and 3. writes skipped and energy with 0 to 6 compensation registers;
 *   4. cycles with one and two read ports a bank: nothing forwarded, forwarding alone, forwarding and flags;
 *   5. what single parts of the mechanism bring: without scheduling for it, and without paths from pipe to pipe and from memory. */
#include "backend_heddle.h"

#include "report/energy.h"

#include <math.h>

enum { MOST = 6, PORTS = 2, WAYS = 3, PARTS = 3 };

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
} measured;

static bool measure(measured *row, const ex_example *example, int wanted, const char *examples)
{
	program p = {0};
	hd_diag diag = {0};
	hd_machine machine;
	result plain, r;
	unsigned size = 0;
	bool ok;
	while (example->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
		size++;
	hd_text_printf(&p.source, "%s/%s", examples, example->source);
	p.ptx = ex_heddle_ptx(p.source.at, &p.length, &diag);
	hd_diag_free(&diag);
	if (!p.ptx) {
		hd_text_free(&p.source);
		return false;
	}
	*row = (measured){.example = example};
	hd_machine_default(&machine);
	unsigned compensation = machine.last_use_compensation;
	nothing(&machine);
	ok = run(example, size, &p, &machine, &plain);
	row->instructions = plain.stats.run_warp_instructions;
	for (unsigned n = 0; ok && n <= MOST; n++) {
		hd_machine_default(&machine);
		machine.last_use_compensation = n;
		ok = run(example, size, &p, &machine, &r);
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
			ok = run(example, size, &p, &machine, &r);
			row->cycles[ports][way] = r.stats.run_cycles;
		}
	}
	for (unsigned part = 0; ok && part < PARTS; part++) {
		hd_machine_default(&machine);
		machine.last_use_schedule = part != 1;
		machine.last_use_across = part != 2;
		ok = run(example, size, &p, &machine, &r);
		row->part_skipped[part] = skipped(&r.stats);
		row->part_saved[part] = 100 - percent(r.registers, plain.registers);
		row->part_cycles[part] = r.stats.run_cycles;
	}
	free(p.ptx);
	hd_text_free(&p.source);
	return ok;
}

static void print(const measured *rows, size_t n)
{
	hd_machine machine;
	hd_machine_default(&machine);
	unsigned compensation = machine.last_use_compensation;
	double forwarding = 0, writes = 0, energy = 0;
	printf("| example | warp instructions | reads forwarded %% | writes skipped %% | register file energy %% |\n|---|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < n; i++) {
		printf("| %s | %llu | %.1f | %.1f | %+.1f |\n", rows[i].example->name, (unsigned long long)rows[i].instructions, rows[i].forwarded,
		       rows[i].skipped[compensation], -rows[i].saved[compensation]);
		forwarding += rows[i].forwarded / (double)n;
		writes += rows[i].skipped[compensation] / (double)n;
		energy += rows[i].saved[compensation] / (double)n;
	}
	printf("| **mean** | | %.1f | %.1f | %+.1f |\n", forwarding, writes, -energy);
	for (unsigned what = 0; what < 2; what++) {
		printf("\n| %s, compensation registers: | 0 | 1 | 2 | 3 | 4 | 5 | 6 |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
		       what ? "register file energy %" : "writes skipped %");
		for (size_t i = 0; i <= n; i++) {
			printf("| %s |", i < n ? rows[i].example->name : "**mean**");
			for (unsigned k = 0; k <= MOST; k++) {
				double value = 0;
				for (size_t j = i < n ? i : 0; j < (i < n ? i + 1 : n); j++)
					value += (what ? -rows[j].saved[k] : rows[j].skipped[k]) / (double)(i < n ? 1 : n);
				printf(what ? " %+.1f |" : " %.1f |", value);
			}
			printf("\n");
		}
	}
	printf("\n| cycles, read ports a bank: | 1: nothing forwarded | forwarding | and flags | 2: nothing forwarded | forwarding | and flags |\n"
	       "|---|--:|--:|--:|--:|--:|--:|\n");
	double sum[PORTS][WAYS] = {0};
	for (size_t i = 0; i < n; i++) {
		printf("| %s |", rows[i].example->name);
		for (unsigned k = 0; k < PORTS * WAYS; k++) {
			uint64_t cycles = rows[i].cycles[k / WAYS][k % WAYS];
			double ratio = (double)cycles / (double)rows[i].cycles[0][0];
			sum[k / WAYS][k % WAYS] += log(ratio);
			if (k)
				printf(" %.3f |", ratio);
			else
				printf(" %llu |", (unsigned long long)cycles);
		}
		printf("\n");
	}
	printf("| **geometric mean** |");
	for (unsigned k = 0; k < PORTS * WAYS; k++)
		printf(" %.3f |", exp(sum[k / WAYS][k % WAYS] / (double)n));
	printf("\n");
}

static void print_parts(const measured *rows, size_t n)
{
	double skipping[PARTS] = {0}, saving[PARTS] = {0}, cycles[PARTS] = {0};
	printf("\n| all; not scheduled for it; each pipe for itself | writes skipped %% | | | register file energy %% | | | cycles | | |\n"
	       "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < n; i++) {
		printf("| %s |", rows[i].example->name);
		for (unsigned k = 0; k < PARTS; k++) {
			printf(" %.1f |", rows[i].part_skipped[k]);
			skipping[k] += rows[i].part_skipped[k] / (double)n;
		}
		for (unsigned k = 0; k < PARTS; k++) {
			printf(" %+.1f |", -rows[i].part_saved[k]);
			saving[k] += rows[i].part_saved[k] / (double)n;
		}
		for (unsigned k = 0; k < PARTS; k++) {
			double ratio = (double)rows[i].part_cycles[k] / (double)rows[i].part_cycles[0];
			cycles[k] += log(ratio) / (double)n;
			if (k)
				printf(" %.3f |", ratio);
			else
				printf(" %llu |", (unsigned long long)rows[i].part_cycles[k]);
		}
		printf("\n");
	}
	printf("| **mean** |");
	for (unsigned k = 0; k < PARTS; k++)
		printf(" %.1f |", skipping[k]);
	for (unsigned k = 0; k < PARTS; k++)
		printf(" %+.1f |", -saving[k]);
	for (unsigned k = 0; k < PARTS; k++)
		printf(" %.3f |", exp(cycles[k]));
	printf("\n");
}

int main(int argc, char **argv)
{
	const char *examples = getenv("HEDDLE_EXAMPLES");
	int wanted = -1, first = 1;
	HD_VEC(measured) rows = {0};
	if (argc > 2 && strcmp(argv[1], "--size") == 0) {
		wanted = atoi(argv[2]);
		first = 3;
	}
	if (first < argc && argv[first][0] == '-') {
		fprintf(stderr, "usage: heddle-last-use [--size N] [EXAMPLE]...\n");
		return 2;
	}
	bool ok = true;
	for (const ex_example *const *e = ex_examples; *e; e++) {
		bool named = first == argc;
		for (int i = first; i < argc; i++)
			named = named || strcmp(argv[i], (*e)->name) == 0;
		measured row;
		if (named && measure(&row, *e, wanted, examples ? examples : "examples"))
			hd_vec_push(&rows, row);
		else
			ok &= !named;
	}
	if (rows.n) {
		print(rows.at, rows.n);
		print_parts(rows.at, rows.n);
	}
	hd_vec_free(&rows);
	return ok ? 0 : 1;
}

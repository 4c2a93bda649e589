/* heddle-memory [--machine NAME] [--size N] [--table 0-5] [--set KEY=VALUE]... [EXAMPLE]...
 * The cost of virtual memory, the host interface (PD-38), far slices (MT-1), and slices with DRAM rows (MT-4), example by example; docs/memory.md is
 * its output. The cycles are those of the whole program. Results are compared with the host's reference. Each further column is a multiple of the
 * first one. Columns with copies add the cycles of the host interface for the program's copies, which nothing overlaps. */
#include "options.h"
#include "device/device.h"
#include "kernel_kinds.h"

#include <math.h>

enum { SETTINGS = 6, MOST = 8 };
enum { GATHER_THREADS = 4096, GATHER_BLOCK = 128, GATHER_LOADS = 8, GATHER_CYCLES = 20000000 };

typedef struct variant {
	const char *name;
	const char *settings[SETTINGS];
	bool copies; /* the time of copies counts, too */
} variant;

#define PAGES "pages.kib=4"
#define NO_SECOND "pages.tlb2_entries=0"

/* One thing changes at a time. */
static const variant sizes[] = {
    {"none", {NULL}, false},
    {"32, second 512", {PAGES}, false},
    {"8, second 512", {PAGES, "pages.tlb_entries=8", "pages.tlb_ways=8"}, false},
    {"128, second 512", {PAGES, "pages.tlb_entries=128"}, false},
    {"32 alone", {PAGES, NO_SECOND}, false},
    {"8 alone", {PAGES, NO_SECOND, "pages.tlb_entries=8", "pages.tlb_ways=8"}, false},
    {"128 alone", {PAGES, NO_SECOND, "pages.tlb_entries=128"}, false},
};

static const variant tables_of_pages[] = {
    {"none", {NULL}, false},
    {"4 levels, 8 walks", {PAGES}, false},
    {"2 levels", {PAGES, "pages.levels=2"}, false},
    {"1 walk", {PAGES, "pages.walks=1"}, false},
    {"64 walks", {PAGES, "pages.walks=64"}, false},
    {"pages of 64 KiB", {"pages.kib=64"}, false},
    {"pages of 2 MiB", {"pages.kib=2048"}, false},
};

static const variant hosts[] = {
    {"device memory", {"host.bytes_per_cycle=8"}, false},
    {"with copies, 8 bytes a cycle", {"host.bytes_per_cycle=8"}, true},
    {"system memory, 8", {"host.bytes_per_cycle=8", "host.system_memory=true"}, true},
    {"with copies, 32 bytes a cycle", {"host.bytes_per_cycle=32"}, true},
    {"system memory, 32", {"host.bytes_per_cycle=32", "host.system_memory=true"}, true},
    {"with copies, 8, latency 150", {"host.bytes_per_cycle=8", "host.latency=150"}, true},
    {"system memory, 8, latency 150", {"host.bytes_per_cycle=8", "host.latency=150", "host.system_memory=true"}, true},
};

static const variant both[] = {
    {"device memory", {"host.bytes_per_cycle=8"}, false},
    {"pages", {"host.bytes_per_cycle=8", PAGES}, false},
    {"system memory", {"host.bytes_per_cycle=8", "host.system_memory=true"}, false},
    {"both", {"host.bytes_per_cycle=8", "host.system_memory=true", PAGES}, false},
};

static const variant ways[] = {
    {"travel", {NULL}, false},
    {"at once", {"memory.values=at_once"}, false},
    {"100 cycles farther", {"memory.far_latency=100"}, false},
    {"300 cycles farther", {"memory.far_latency=300"}, false},
};

#define SLICES "memory.slices=8"

/* MT-4. One thing changes at a time, from slices with rows on. */
static const variant slices[] = {
    {"none", {NULL}, false},
    {"8 slices", {SLICES}, false},
    {"with rows", {SLICES, "memory.dram_banks=8"}, false},
    {"4 slices, rows", {"memory.slices=4", "memory.dram_banks=8"}, false},
    {"rows, in order", {SLICES, "memory.dram_banks=8", "memory.dram_order=in_order"}, false},
    {"rows, no refresh", {SLICES, "memory.dram_banks=8", "memory.dram_refresh_interval=0"}, false},
    {"rows, interleaved", {SLICES, "memory.dram_banks=8", "memory.slice_hash=interleaved"}, false},
    {"rows, half the width", {SLICES, "memory.dram_banks=8", "memory.request_bytes=20", "memory.answer_bytes=32"}, false},
};

typedef struct table {
	const char *title;
	const variant *variants;
	unsigned n;
	unsigned counted; /* the variant whose counters follow */
} table;
static const table tables[] = {
    {"TLBs: cycles without translation, multiples of them, and counters of the first machine with TLBs", sizes, HD_COUNT(sizes), 1},
    {"Page tables: cycles without translation, multiples of them, and counters of the first machine with TLBs", tables_of_pages,
     HD_COUNT(tables_of_pages), 1},
    {"Host interface: cycles with device memory, multiples of them, and counters of system memory with 8 bytes a cycle", hosts, HD_COUNT(hosts), 2},
    {"Pages in system memory: cycles with device memory, multiples of them, and counters with both", both, HD_COUNT(both), 3},
    {"Values that travel: cycles, multiples of them, and counters of far slices", ways, HD_COUNT(ways), 2},
    {"Slices and DRAM rows: cycles, and multiples of them", slices, HD_COUNT(slices), 2},
};

static bool machine_of(const options *o, const variant *v, hd_machine *machine, hd_diag *diag)
{
	bool ok = options_machine(o, machine, diag);
	for (unsigned i = 0; i < SETTINGS && v->settings[i] && ok; i++)
		ok = hd_machine_set(machine, v->settings[i], diag);
	return ok && hd_machine_validate(machine, NULL, diag);
}

static bool measure(const ex_example *example, const options *o, const variant *v, hd_stats *stats, hd_diag *diag)
{
	hd_machine machine;
	hd_text source = {0};
	ex_run run;
	unsigned size = 0;
	while (example->sizes[size + 1] && (o->size < 0 || size < (unsigned)o->size))
		size++;
	hd_text_printf(&source, "%s/%s", o->examples, example->source);
	hd_object *object = machine_of(o, v, &machine, diag) ? ex_heddle_compile(source.at, &machine, false, diag) : NULL;
	ex_backend *backend = object ? ex_heddle_new(object, &machine, false, diag) : NULL;
	bool ok = backend && ex_run_example(&run, example, size, backend, diag);
	if (backend) {
		*stats = *ex_heddle_stats(backend);
		ex_run_free(&run);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	return ok;
}

/* The arguments of bench/gather.cl as it lays them out. */
typedef struct gather_params {
	uint64_t out, table, weights;
	uint32_t mask, n;
} gather_params;

/* Scattered loads from a table of `words` words: what a TLB is for. *sum: of the results' bits. */
static bool gather(uint32_t words, const options *o, const variant *v, hd_stats *stats, uint64_t *sum, hd_diag *diag)
{
	hd_machine machine;
	hd_text source = {0};
	hd_text_printf(&source, "%s/../bench/gather.cl", o->examples);
	hd_object *object = machine_of(o, v, &machine, diag) ? ex_heddle_compile(source.at, &machine, false, diag) : NULL;
	hd_memory *memory = hd_memory_new(UINT64_C(1) << 30);
	hd_program *program = object ? hd_program_new(object, memory, diag) : NULL;
	gather_params params = {.mask = words - 1, .n = GATHER_LOADS};
	params.out = hd_memory_alloc(memory, 4 * GATHER_THREADS, "out");
	params.table = hd_memory_alloc(memory, UINT64_C(4) * words, "table");
	params.weights = hd_memory_alloc(memory, 4 * 32, "weights");
	bool ok = program && params.out && params.table && params.weights;
	if (ok) {
		float *values = hd_memory_at(memory, params.table, UINT64_C(4) * words), *weights = hd_memory_at(memory, params.weights, 4 * 32);
		for (uint32_t i = 0; i < words; i++)
			values[i] = (float)(i % 1021);
		for (uint32_t i = 0; i < 32; i++)
			weights[i] = (float)i;
		hd_launch launch = {.program = program,
		                    .kernel = hd_object_kernel(object, "gather"),
		                    .grid = {GATHER_THREADS / GATHER_BLOCK, 1, 1},
		                    .block = {GATHER_BLOCK, 1, 1},
		                    .work_dim = 1,
		                    .params = (const uint8_t *)&params};
		hd_trap trap = {0};
		ok = launch.kernel && hd_device_run(&machine, &launch, memory, &(hd_run_options){.max_cycles = GATHER_CYCLES}, stats, &trap);
		const uint32_t *out = hd_memory_at(memory, params.out, 4 * GATHER_THREADS);
		*sum = 0;
		for (uint32_t i = 0; i < GATHER_THREADS; i++)
			*sum += out[i];
		hd_trap_free(&trap);
	}
	if (program)
		hd_program_free(program);
	if (object)
		hd_object_free(object);
	hd_memory_free(memory);
	hd_text_free(&source);
	return ok;
}

static double cycles_of(const variant *v, const hd_stats *stats)
{
	return (double)(stats->run_cycles + v->copies * stats->host_interface_copy_cycles);
}

static void print_counters(const hd_stats *s)
{
	uint64_t requests = s->pages_tlb_hits + s->pages_tlb_misses;
	if (requests)
		printf(" %llu | %.1f %% | %llu |", (unsigned long long)requests, 100.0 * (double)s->pages_tlb_misses / (double)requests,
		       (unsigned long long)s->pages_walks);
	if (s->host_interface_sectors_read + s->host_interface_sectors_written)
		printf(" %llu | %llu |", (unsigned long long)s->host_interface_sectors_read, (unsigned long long)s->host_interface_sectors_written);
}

static void print_head(const table *t)
{
	bool pages = t->variants != hosts && t->variants != slices, host = t->variants == hosts || t->variants == both;
	printf("\n%s\n\n| example |", t->title);
	for (unsigned v = 0; v < t->n; v++)
		printf(" %s |", t->variants[v].name);
	printf("%s%s\n|---|", pages ? " translations | missed | walks |" : "", host ? " sectors read | written |" : "");
	for (unsigned v = 0; v < t->n + 3u * pages + 2u * host; v++)
		printf("--:|");
	printf("\n");
}

/* Rows of scattered loads, from tables of 64 KiB, 512 KiB and 4 MiB. All machines must give the same results. */
static bool print_gather(const table *t, const options *o, hd_diag *diag)
{
	for (uint32_t kib = 64; kib <= 4096; kib *= 8) {
		hd_stats stats, counted = {0};
		double first = 0;
		uint64_t expected = 0, sum;
		printf("| gather, %u KiB |", kib);
		for (unsigned v = 0; v < t->n; v++) {
			if (!gather(kib * 256, o, &t->variants[v], &stats, &sum, diag))
				return false;
			double cycles = cycles_of(&t->variants[v], &stats);
			first = v ? first : cycles;
			expected = v ? expected : sum;
			counted = v == t->counted ? stats : counted;
			if (sum != expected) {
				hd_error(diag, (hd_pos){.file = "gather"}, "wrong results on machine %u", v);
				return false;
			}
			printf(v ? " %.3f |" : " %.0f |", v ? cycles / first : cycles);
		}
		print_counters(&counted);
		printf("\n");
		fflush(stdout);
	}
	return true;
}

static bool print_table(const table *t, const ex_example *const *chosen, unsigned n, const options *o, hd_diag *diag)
{
	kind_sums sums[MOST] = {0};
	bool pages = t->variants != hosts && t->variants != slices, host = t->variants == hosts || t->variants == both;
	print_head(t);
	for (unsigned e = 0; e < n; e++) {
		hd_stats stats, counted = {0};
		double first = 0;
		printf("| %s |", chosen[e]->name);
		for (unsigned v = 0; v < t->n; v++) {
			if (!measure(chosen[e], o, &t->variants[v], &stats, diag))
				return false;
			double cycles = cycles_of(&t->variants[v], &stats);
			first = v ? first : cycles;
			counted = v == t->counted ? stats : counted;
			if (v)
				kind_add(&sums[v], chosen[e], log(cycles / first));
			printf(v ? " %.3f |" : " %.0f |", v ? cycles / first : cycles);
		}
		print_counters(&counted);
		printf("\n");
		fflush(stdout);
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!sums[1].n[kind])
			continue;
		printf("| geometric mean, %s | |", kind_name(kind));
		for (unsigned v = 1; v < t->n; v++)
			printf(" %.3f |", exp(kind_mean(&sums[v], kind)));
		for (unsigned v = 0; v < 3u * pages + 2u * host; v++)
			printf(" |");
		printf("\n");
	}
	return true;
}

int main(int argc, char **argv)
{
	options o = options_new();
	hd_diag diag = {0};
	int first = 1, only = -1;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--table") == 0 && first + 1 < argc) {
			only = atoi(argv[++first]);
		} else if (!options_take(&o, argc, argv, &first)) {
			fprintf(stderr, "usage: heddle-memory [--machine NAME] [--size N] [--table 0-5] [--set KEY=VALUE]... [EXAMPLE]...\n");
			options_free(&o);
			return 2;
		}
	}
	options_choose(&o, argc, argv, first);
	bool gathers = first == argc;
	for (int i = first; i < argc; i++)
		gathers = gathers || strcmp(argv[i], "gather") == 0;
	if (!o.n && !gathers) {
		fprintf(stderr, "error: no example of this name\n");
		options_free(&o);
		return 2;
	}
	bool ok = true;
	for (unsigned t = 0; t < HD_COUNT(tables) && ok; t++)
		if (only < 0 || only == (int)t)
			ok = print_table(&tables[t], o.chosen, o.n, &o, &diag) && (!gathers || print_gather(&tables[t], &o, &diag));
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	options_free(&o);
	return ok ? 0 : 1;
}

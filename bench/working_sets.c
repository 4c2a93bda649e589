/* heddle-working-sets
 * The latency of a load and the bandwidth of all cores over the size of what they read (MT-4), on the machine as it is, with slices, and with DRAM
 * rows; a table of docs/memory.md. A figure is the difference between several rounds and fewer of them, so it has no start in it. */
#include "backend_heddle.h"
#include "device/device.h"

enum { SETTINGS = 3, CTAS = 8, BLOCK = 256, THREADS = CTAS * BLOCK, LINE_WORDS = 32, SMALLEST = 64 << 10, LARGEST = 4 << 20 };

static const struct {
	const char *name, *settings[SETTINGS];
} machines[] = {
    {"no slices", {NULL}},
    {"8 slices", {"memory.slices=8", NULL}},
    {"8 slices, 8 banks of DRAM", {"memory.slices=8", "memory.dram_banks=8", NULL}},
};

typedef struct setup {
	hd_machine machine;
	hd_object *object;
	hd_memory *memory;
	hd_program *program;
	struct {
		uint64_t out, table;
		uint32_t n, rounds;
	} params; /* as the kernels of working_sets.cl have them */
} setup;

static bool set_up(setup *s, unsigned which, hd_diag *diag)
{
	hd_text source = {0};
	*s = (setup){0};
	const char *root = getenv("HEDDLE_SOURCE");
	bool ok = true;
	hd_machine_default(&s->machine);
	for (unsigned i = 0; ok && machines[which].settings[i]; i++)
		ok = hd_machine_set(&s->machine, machines[which].settings[i], diag);
	ok = ok && hd_machine_validate(&s->machine, NULL, diag);
	hd_text_printf(&source, "%s/bench/working_sets.cl", root ? root : ".");
	s->object = ok ? ex_heddle_compile(source.at, &s->machine, false, diag) : NULL;
	hd_text_free(&source);
	s->memory = hd_memory_new(UINT64_C(1) << 30);
	s->program = s->object ? hd_program_new(s->object, s->memory, diag) : NULL;
	s->params.out = hd_memory_alloc(s->memory, 4 * THREADS, "out");
	s->params.table = hd_memory_alloc(s->memory, LARGEST, "table");
	return s->program && s->params.out && s->params.table;
}

static void tear_down(setup *s)
{
	if (s->program)
		hd_program_free(s->program);
	if (s->object)
		hd_object_free(s->object);
	hd_memory_free(s->memory);
}

/* The first word of each line of the table names another line, in one cycle through all of them. */
static void link_lines(setup *s, uint32_t lines)
{
	uint32_t *table = hd_memory_at(s->memory, s->params.table, LARGEST), *order = hd_xcalloc(lines, sizeof *order);
	uint64_t random = 1;
	for (uint32_t i = 1; i < lines; i++) {
		uint32_t at = 1 + (uint32_t)(hd_random(&random) % i);
		order[i] = order[at];
		order[at] = i;
	}
	for (uint32_t i = 0; i < lines; i++)
		table[order[i] * LINE_WORDS] = order[(i + 1) % lines] * LINE_WORDS;
	free(order);
}

/* The cycles of a run; 0 and an error in diag if it fails. */
static uint64_t cycles_of(setup *s, bool chase, uint32_t n, uint32_t rounds, hd_diag *diag)
{
	hd_stats stats;
	hd_trap trap = {0};
	s->params.n = n;
	s->params.rounds = rounds;
	hd_launch launch = {.program = s->program,
	                    .kernel = hd_object_kernel(s->object, chase ? "chase" : "stream"),
	                    .grid = {chase ? 1 : CTAS, 1, 1},
	                    .block = {chase ? 1 : BLOCK, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&s->params};
	bool ok = launch.kernel && hd_device_run(&s->machine, &launch, s->memory, &(hd_run_options){0}, &stats, &trap);
	hd_trap_free(&trap);
	if (!ok)
		hd_error(diag, (hd_pos){.file = chase ? "chase" : "stream"}, "the run failed");
	return ok ? stats.run_cycles : 0;
}

static double rounds_of(setup *s, bool chase, uint32_t n, hd_diag *diag)
{
	uint32_t first = chase ? 1 : 2;
	return ((double)cycles_of(s, chase, n, first + 2, diag) - (double)cycles_of(s, chase, n, first, diag)) / 2;
}

static bool print_rows(setup *s, hd_diag *diag)
{
	bool ok = true;
	printf("| KiB |");
	for (unsigned i = 0; i < HD_COUNT(machines); i++)
		printf(" latency, %s |", machines[i].name);
	for (unsigned i = 0; i < HD_COUNT(machines); i++)
		printf(" bytes a cycle, %s |", machines[i].name);
	printf("\n|--:|--:|--:|--:|--:|--:|--:|\n");
	for (uint32_t bytes = SMALLEST / 8; bytes <= LARGEST && ok; bytes *= 2) {
		printf("| %u |", bytes >> 10);
		for (unsigned i = 0; i < HD_COUNT(machines) && ok; i++) {
			link_lines(&s[i], bytes / 4 / LINE_WORDS);
			printf(" %.0f |", rounds_of(&s[i], true, bytes / 4 / LINE_WORDS, diag) / (bytes / 4.0 / LINE_WORDS));
		}
		for (unsigned i = 0; i < HD_COUNT(machines) && ok; i++)
			if (bytes >= SMALLEST)
				printf(" %.1f |", bytes / rounds_of(&s[i], false, bytes / 4, diag));
			else
				printf(" |");
		ok = !diag->errors;
		printf("\n");
		fflush(stdout);
	}
	return ok;
}

int main(void)
{
	hd_diag diag = {0};
	setup s[HD_COUNT(machines)] = {0};
	bool ok = true;
	for (unsigned i = 0; i < HD_COUNT(machines); i++)
		ok = set_up(&s[i], i, &diag) && ok;
	ok = ok && print_rows(s, &diag);
	for (unsigned i = 0; i < HD_COUNT(machines); i++)
		tear_down(&s[i]);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

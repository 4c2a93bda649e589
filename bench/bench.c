/* heddle-bench [--machine NAME] [--set KEY=VALUE]... [--size N] [--json FILE] [EXAMPLE]...
 *
 * Runs examples, by default in their largest size, in the interpreter and on the machine, and prints warp instructions a host second for both. The
 * time is that of the launches alone, without compilation and host program, on one host core. The JSON has a hash of all statistics of the timed run,
 * so that bench/paired.py can tell whether two builds count the same. */
#include "backend_heddle.h"

enum { SETTINGS_MAX = 16 };

typedef struct measurement {
	hd_stats stats;
	double seconds;
} measurement;

typedef struct total {
	double functional, timed; /* seconds */
	uint64_t instructions, cycles;
} total;

static bool measure(const ex_example *example, unsigned size, const hd_object *object, const hd_machine *machine, bool functional, measurement *m,
                    hd_diag *diag)
{
	ex_backend *backend = ex_heddle_new(object, machine, functional, diag);
	if (!backend)
		return false;
	ex_run run;
	bool ok = ex_run_example(&run, example, size, backend, diag);
	*m = (measurement){*ex_heddle_stats(backend), ex_heddle_seconds(backend)};
	ex_run_free(&run);
	ex_heddle_free(backend);
	return ok;
}

static uint64_t hash_of(const hd_stats *stats) { return hd_hash(HD_HASH, stats, sizeof *stats); }

static double rate(uint64_t instructions, double seconds) { return seconds > 0 ? (double)instructions / seconds : 0; }

static bool bench(const ex_example *example, int wanted_size, const hd_machine *machine, const char *examples, total *all, FILE *json)
{
	hd_diag diag = {0};
	hd_text source = {0};
	measurement functional, timed;
	unsigned size = 0;
	while (example->sizes[size + 1] && (wanted_size < 0 || size < (unsigned)wanted_size))
		size++;
	hd_text_printf(&source, "%s/%s", examples, example->source);
	hd_object *object = ex_heddle_compile(source.at, machine, false, &diag);
	bool ok = object && measure(example, size, object, machine, true, &functional, &diag) &&
	          measure(example, size, object, machine, false, &timed, &diag);
	if (ok) {
		uint64_t n = timed.stats.run_warp_instructions, cycles = timed.stats.run_cycles;
		printf("%-14s %12s %12llu %12llu %6.2f %12.0f %12.0f\n", example->name, example->sizes[size], (unsigned long long)n,
		       (unsigned long long)cycles, cycles ? (double)n / (double)cycles : 0, rate(n, timed.seconds),
		       rate(functional.stats.run_warp_instructions, functional.seconds));
		fflush(stdout);
		if (json)
			fprintf(json,
			        "%s\n    {\"example\": \"%s\", \"size\": \"%s\", \"warp_instructions\": %llu, \"cycles\": %llu, \"timed_seconds\": "
			        "%.6f, \"functional_seconds\": %.6f, \"statistics\": \"%016llx\"}",
			        all->instructions ? "," : "", example->name, example->sizes[size], (unsigned long long)n, (unsigned long long)cycles,
			        timed.seconds, functional.seconds, (unsigned long long)hash_of(&timed.stats));
		all->instructions += n;
		all->cycles += cycles;
		all->timed += timed.seconds;
		all->functional += functional.seconds;
	} else {
		printf("%-14s failed\n", example->name);
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	hd_diag_free(&diag);
	return ok;
}

int main(int argc, char **argv)
{
	const char *examples = getenv("HEDDLE_EXAMPLES"), *machine_name = NULL, *json_name = NULL;
	const char *settings[SETTINGS_MAX];
	unsigned n_settings = 0;
	int size = -1, first = 1;
	for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
		if (strcmp(argv[first], "--machine") == 0)
			machine_name = argv[first + 1];
		else if (strcmp(argv[first], "--size") == 0)
			size = atoi(argv[first + 1]);
		else if (strcmp(argv[first], "--json") == 0)
			json_name = argv[first + 1];
		else if (strcmp(argv[first], "--set") == 0 && n_settings < SETTINGS_MAX)
			settings[n_settings++] = argv[first + 1];
		else
			break;
	}
	if (first < argc && argv[first][0] == '-') {
		fprintf(stderr, "usage: heddle-bench [--machine NAME] [--set KEY=VALUE]... [--size N] [--json FILE] [EXAMPLE]...\n");
		return 2;
	}
	hd_machine machine;
	hd_diag diag = {0};
	bool known = hd_machine_load(&machine, machine_name, &diag);
	for (unsigned i = 0; known && i < n_settings; i++)
		known = hd_machine_set(&machine, settings[i], &diag);
	known = known && hd_machine_validate(&machine, machine.name, &diag);
	if (!known) {
		fputs(diag.text.at, stderr);
		hd_diag_free(&diag);
		return 2;
	}
	FILE *json = json_name ? fopen(json_name, "w") : NULL;
	if (json_name && !json) {
		fprintf(stderr, "%s: error: cannot be written\n", json_name);
		return 2;
	}
	if (json)
		fprintf(json, "{\"machine\": \"%s\", \"examples\": [", machine.name);
	total all = {0};
	bool ok = true;
	printf("%-14s %12s %12s %12s %6s %12s %12s\n", "example", "size", "warp instr", "cycles", "ipc", "timed/s", "functional/s");
	for (const ex_example *const *e = ex_examples; *e; e++) {
		bool wanted = first == argc;
		for (int i = first; i < argc; i++)
			wanted = wanted || strcmp(argv[i], (*e)->name) == 0;
		if (wanted)
			ok = bench(*e, size, &machine, examples ? examples : "examples", &all, json) && ok;
	}
	for (int i = first; i < argc; i++) {
		if (!ex_find(argv[i])) {
			fprintf(stderr, "%s: error: no example of this name\n", argv[i]);
			ok = false;
		}
	}
	printf("%-14s %12s %12llu %12llu %6.2f %12.0f %12.0f\n", "all", "", (unsigned long long)all.instructions, (unsigned long long)all.cycles,
	       all.cycles ? (double)all.instructions / (double)all.cycles : 0, rate(all.instructions, all.timed),
	       rate(all.instructions, all.functional));
	if (json) {
		fprintf(json, "\n]}\n");
		ok = fclose(json) == 0 && ok;
	}
	return ok ? 0 : 1;
}

/* heddle-multi-issue [--size N] [EXAMPLE]...
 * Speed-up of candidate windows of 2, 4 and 8 over single issue (MI-11; docs/multi-issue.md is its output): with one warp a scheduler (one core,
 * eight schedulers of one warp slot) and with the default machine; instructions sent in a cycle and use of the pipelines at a window of 8, default
 * machine. Every program is compiled for its window, and its output compared with the host's. */
#include "backend_heddle.h"

enum { WINDOWS = 4 };

static bool run(const ex_example *example, unsigned size, const char *source, const hd_machine *machine, hd_stats *stats, hd_diag *diag)
{
	hd_object *object = ex_heddle_compile(source, machine, false, diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, diag) : NULL;
	bool ok = false;
	if (backend) {
		ex_run run;
		ok = ex_run_example(&run, example, size, backend, diag);
		*stats = *ex_heddle_stats(backend);
		ex_run_free(&run);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	return ok;
}

static double share(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void measure(const ex_example *example, int wanted, const char *examples)
{
	hd_text source = {0};
	hd_stats last = {0};
	unsigned size = 0;
	while (example->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
		size++;
	hd_text_printf(&source, "%s/%s", examples, example->source);
	printf("| %s |", example->name);
	for (unsigned full = 0; full < 2; full++) {
		uint64_t single = 0;
		for (unsigned w = 0; w < WINDOWS; w++) {
			hd_machine machine;
			hd_diag diag = {0};
			hd_stats stats = {0};
			hd_machine_default(&machine);
			machine.multi_issue_window = 1u << w;
			if (!full) {
				machine.machine_cores = 1;
				machine.machine_schedulers = 8;
				machine.machine_warps = 1;
			}
			bool ok = run(example, size, source.at, &machine, &stats, &diag);
			single = w ? single : stats.run_cycles;
			if (!ok || !single || !stats.run_cycles)
				printf(" - |");
			else if (w)
				printf(" %.3f |", (double)single / (double)stats.run_cycles);
			else
				printf(" %llu |", (unsigned long long)single);
			last = stats;
			hd_diag_free(&diag);
		}
	}
	uint64_t sending = last.multi_issue_sent_1 + last.multi_issue_sent_2 + last.multi_issue_sent_3 + last.multi_issue_sent_4_or_more,
	         n = last.run_warp_instructions;
	printf(" %.1f | %.1f | %.1f | %.1f |", share(last.multi_issue_sent_1, sending), share(last.multi_issue_sent_2, sending),
	       share(last.multi_issue_sent_3, sending), share(last.multi_issue_sent_4_or_more, sending));
	printf(" %.0f | %.0f | %.0f | %.0f | %.0f |\n", share(last.pipe_alu, n), share(last.pipe_lsu, n), share(last.pipe_flow, n),
	       share(last.pipe_coord, n), share(last.pipe_sfu + last.pipe_f64 + last.pipe_cvt + last.pipe_latom + last.pipe_tex, n));
	fflush(stdout);
	hd_text_free(&source);
}

int main(int argc, char **argv)
{
	const char *examples = getenv("HEDDLE_EXAMPLES");
	int wanted = -1, first = 1;
	if (argc > 2 && strcmp(argv[1], "--size") == 0) {
		wanted = atoi(argv[2]);
		first = 3;
	}
	if (first < argc && argv[first][0] == '-') {
		fprintf(stderr, "usage: heddle-multi-issue [--size N] [EXAMPLE]...\n");
		return 2;
	}
	printf("| example | one warp: cycles | 2 | 4 | 8 | full: cycles | 2 | 4 | 8 | sent 1 %% | 2 %% | 3 %% | 4+ %% | alu %% | lsu %% | flow %% | "
	       "coord %% | others %% |\n");
	printf("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (const ex_example *const *e = ex_examples; *e; e++) {
		bool named = first == argc;
		for (int i = first; i < argc; i++)
			named = named || strcmp(argv[i], (*e)->name) == 0;
		if (named)
			measure(*e, wanted, examples ? examples : "examples");
	}
	return 0;
}

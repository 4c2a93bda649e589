/* heddle-divergence [--size N] [--markdown] [--check] [EXAMPLE]...
 *
 * Instructions issued and share of active lanes of every example, with resume counters and with the two baselines of RC-16, the stack and the
 * convergence barriers, on machines that are otherwise the same, timed. The number in brackets is without what a baseline issues for convergence
 * alone (push, sync; bssy, bsync, break, yield): the effect of different meeting places. `least` is the lower bound for the paths of the threads in
 * the program for resume counters (report/least.h). The geometric means are over regular kernels and over unstructured ones apart. With --check the
 * exit status is 1 when an instruction is issued without an active lane, or more are issued over the bound than a table here allows: with resume
 * counters (RC-15), or with a baseline, which would flatter resume counters. */
#include "backend_heddle.h"
#include "kernel_kinds.h"
#include "report/least.h"

#include <math.h>

typedef struct result {
	uint64_t instructions, tokens, least, idle;
	double share;
} result;

enum { RESUME, STACK, BARRIERS, MODES };
static const char *const modes[MODES] = {"divergence.mode=resume", "divergence.mode=stack", "divergence.mode=barriers"};

/* How far each mode may be above the bound of the program for resume counters. Unstructured kernels never reach the bound, so each has limits of its
 * own; one without a row here has those of regular kernels. */
static const double *limits(const char *name)
{
	static const double regular[MODES] = {1.05, 1.17, 1.23};
	static const struct {
		const char *name;
		double limit[MODES];
	} known[] = {{"divergent", {1.95, 2.05, 2.22}},  {"short-circuit", {1.3, 1.5, 1.73}}, {"state-machine", {6.3, 4.03, 12.8}},
	             {"early-exit", {1.48, 1.56, 1.61}}, {"interpreter", {2.25, 2.57, 3.57}}, {"goto", {2.1, 2.64, 3.84}}};
	for (size_t i = 0; i < HD_COUNT(known); i++) {
		if (strcmp(known[i].name, name) == 0)
			return known[i].limit;
	}
	return regular;
}

static bool measure(const ex_example *example, unsigned size, const hd_machine *machine, const char *root, result *out, hd_diag *diag)
{
	hd_text source = {0};
	hd_text_printf(&source, "%s/examples/%s", root, example->source);
	hd_object *object = ex_heddle_compile(source.at, machine, false, diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, diag) : NULL;
	bool ok = false;
	if (backend) {
		ex_run run;
		hd_least least;
		hd_least_init(&least, ex_heddle_program(backend));
		ex_heddle_watch(backend, &least.trace);
		ok = ex_run_example(&run, example, size, backend, diag);
		hd_least_end(&least);
		const hd_stats *s = ex_heddle_stats(backend);
		*out = (result){s->run_warp_instructions, s->divergence_tokens, least.least, least.idle,
		                s->run_lane_slots ? 100.0 * (double)s->run_thread_instructions / (double)s->run_lane_slots : 0};
		if (ok && least.issued != s->run_warp_instructions) {
			hd_error(diag, (hd_pos){.file = example->name}, "%llu instructions seen, %llu counted", (unsigned long long)least.issued,
			         (unsigned long long)s->run_warp_instructions);
			ok = false;
		}
		ex_run_free(&run);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	return ok;
}

static bool wanted(const ex_example *example, int argc, char **argv)
{
	bool any = false, named = false;
	for (int i = 1; i < argc; i++) {
		any |= argv[i][0] != '-';
		named |= strcmp(argv[i], example->name) == 0;
		if (strcmp(argv[i], "--size") == 0)
			i++;
	}
	return !any || named;
}

int main(int argc, char **argv)
{
	const char *root = getenv("HEDDLE_SOURCE");
	bool markdown = false, check = false;
	unsigned size = 1;
	int status = 0;
	for (int i = 1; i < argc; i++) {
		markdown |= strcmp(argv[i], "--markdown") == 0;
		check |= strcmp(argv[i], "--check") == 0;
		if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
			size = (unsigned)atoi(argv[++i]);
	}
	hd_machine machine[MODES];
	hd_diag diag = {0};
	kind_sums ratios[MODES] = {0}, bare_ratios[MODES] = {0};
	for (unsigned m = 0; m < MODES; m++) {
		hd_machine_default(&machine[m]);
		hd_invariant(hd_machine_set(&machine[m], modes[m], &diag), "%s", modes[m]);
	}
	printf(markdown ? "| example | size | least | resume counters | lanes | stack | lanes | barriers | lanes | stack / resume | barriers "
	                  "/ resume "
	                  "|\n|---|---|---|---|---|---|---|---|---|---|---|\n"
	                : "example        size          least     resume   lanes      stack   lanes   barriers   lanes  stack / resume  "
	                  "barriers / resume\n");
	for (const ex_example *const *e = ex_examples; *e; e++) {
		result r[MODES];
		unsigned n = 0;
		const double *limit = limits((*e)->name);
		bool ok = true;
		if (!wanted(*e, argc, argv))
			continue;
		while (n < size && (*e)->sizes[n + 1])
			n++;
		ok = measure(*e, n, &machine[RESUME], root ? root : ".", &r[RESUME], &diag);
		for (unsigned m = STACK; m < MODES && ok; m++)
			ok = measure(*e, n, &machine[m], root ? root : ".", &r[m], &diag);
		if (!ok) {
			printf("%-14s failed\n", (*e)->name);
			status = 1;
			continue;
		}
		printf(markdown ? "| %s | %s | %llu " : "%-14s %-8s %10llu ", (*e)->name, (*e)->sizes[n], (unsigned long long)r[RESUME].least);
		for (unsigned m = 0; m < MODES; m++) {
			printf(markdown ? "| %llu | %.1f %% " : "%10llu  %4.1f %% ", (unsigned long long)r[m].instructions, r[m].share);
			double over = (double)r[m].instructions / (double)r[RESUME].least;
			bool wrong = r[m].idle || r[m].least > r[m].instructions || over > limit[m];
			if (check && wrong)
				fprintf(stderr, "%s, %s: %.3f times the least, allowed %.3f; %llu for nobody\n", (*e)->name, modes[m], over, limit[m],
				        (unsigned long long)r[m].idle);
			status |= check && wrong;
		}
		for (unsigned m = STACK; m < MODES; m++) {
			double ratio = (double)r[m].instructions / (double)r[RESUME].instructions,
			       bare = (double)(r[m].instructions - r[m].tokens) / (double)r[RESUME].instructions;
			printf(markdown ? "| %.3f (%.3f) " : "  %6.3f (%.3f)", ratio, bare);
			kind_add(&ratios[m], *e, log(ratio));
			kind_add(&bare_ratios[m], *e, log(bare));
		}
		printf(markdown ? "|\n" : "\n");
		fflush(stdout);
	}
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (ratios[STACK].n[kind])
			printf(markdown ? "| **%s, geometric mean of %u** | | | | | | | | | %.3f (%.3f) | %.3f (%.3f) |\n"
			                : "%s, geometric mean of %u: stack / resume %.3f (%.3f), barriers / resume %.3f (%.3f)\n",
			       kind_name(kind), ratios[STACK].n[kind], exp(kind_mean(&ratios[STACK], kind)),
			       exp(kind_mean(&bare_ratios[STACK], kind)), exp(kind_mean(&ratios[BARRIERS], kind)),
			       exp(kind_mean(&bare_ratios[BARRIERS], kind)));
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return status;
}

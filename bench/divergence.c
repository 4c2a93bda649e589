/* heddle-divergence [--size N] [--markdown] [--check] [--steps] [EXAMPLE]...
 *
 * Instructions issued and share of active lanes of every example, with resume counters and with the stack of the baseline (RC-16), on machines
 * that are otherwise the same, timed. `branches` are the stack's instructions without its push and sync: the effect of different meeting places
 * alone. `least` is the lower bound for the paths of the threads (report/least.h), followed by the distance of both from it. With --check the exit
 * status is 1 when an instruction is issued without an active lane, or more are issued over the bound than a table here allows: with resume counters
 * (RC-15), or with the stack (RC-16), which would flatter resume counters. --steps shows instead what MINRC saves: instructions without an active
 * lane, and cycles, when the PC has to step to the next waiting lane (RC-5). */
#include "backend_heddle.h"
#include "report/least.h"

typedef struct result {
	uint64_t instructions, tokens, cycles, least, idle;
	double share;
} result;

/* How far resume counters (RC-15) and the stack (RC-16) may be above the bound, which code of this kind never reaches. */
static double limit(const char *name, bool stack)
{
	static const struct {
		const char *name;
		double resume, stack;
	} known[] = {{"divergent", 2.1, 2.2},  {"short-circuit", 1.4, 1.6}, {"state-machine", 6.8, 4.3},
	             {"early-exit", 1.6, 1.7}, {"interpreter", 2.5, 2.8},   {"goto", 2.3, 2.9}};
	for (size_t i = 0; i < HD_COUNT(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return stack ? known[i].stack : known[i].resume;
	return stack ? 1.25 : 1.05;
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
		*out = (result){s->run_warp_instructions,
		                s->divergence_tokens,
		                s->run_cycles,
		                least.least,
		                least.idle,
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
	bool markdown = false, check = false, steps = false;
	unsigned size = 1;
	int status = 0;
	for (int i = 1; i < argc; i++) {
		markdown |= strcmp(argv[i], "--markdown") == 0;
		check |= strcmp(argv[i], "--check") == 0;
		steps |= strcmp(argv[i], "--steps") == 0;
		if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
			size = (unsigned)atoi(argv[++i]);
	}
	hd_machine resume, stack;
	hd_machine_default(&resume);
	stack = resume;
	stack.divergence_mode = steps ? HD_DIV_RESUME : HD_DIV_STACK;
	stack.divergence_minrc = !steps;
	if (steps)
		printf(markdown ? "| example | size | instructions | for nobody without MINRC | | cycles | without MINRC | "
		                  "|\n|---|---|---|---|---|---|---|---|\n"
		                : "example        size        issued  for nobody           cycles without MINRC\n");
	else
		printf(markdown ? "| example | size | least | resume counters | lanes | stack | without push, sync | lanes | stack / resume | resume "
		                  "/ least | "
		                  "stack / "
		                  "least |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
		                : "example        size          least     resume    lanes       stack    branches   lanes   stack/resume     over "
		                  "the least\n");
	for (const ex_example *const *e = ex_examples; *e; e++) {
		hd_diag diag = {0};
		result r, s;
		unsigned n = 0;
		if (!wanted(*e, argc, argv))
			continue;
		while (n < size && (*e)->sizes[n + 1])
			n++;
		if (measure(*e, n, &resume, root ? root : ".", &r, &diag) && measure(*e, n, &stack, root ? root : ".", &s, &diag)) {
			if (steps) {
				printf(markdown ? "| %s | %s | %llu | %llu | %.1f %% | %llu | %llu | %.2f |\n"
				                : "%-14s %-8s %10llu %10llu %6.1f %%  %10llu  %10llu %6.2f\n",
				       (*e)->name, (*e)->sizes[n], (unsigned long long)r.instructions, (unsigned long long)s.idle,
				       100.0 * (double)s.idle / (double)s.instructions, (unsigned long long)r.cycles, (unsigned long long)s.cycles,
				       (double)s.cycles / (double)r.cycles);
				if (r.idle || r.instructions != s.instructions)
					status = 1;
				continue;
			}
			uint64_t bare = s.instructions - s.tokens;
			double ratio = (double)s.instructions / (double)r.instructions, bare_ratio = (double)bare / (double)r.instructions;
			printf(markdown ? "| %s | %s | %llu | %llu | %.1f %% | %llu | %llu | %.1f %% | %.3f (%.3f) | %.3f | %.3f |\n"
			                : "%-14s %-8s %10llu %10llu  %5.1f %%  %10llu  %10llu  %5.1f %%  %6.3f (%.3f)  %6.3f  %6.3f\n",
			       (*e)->name, (*e)->sizes[n], (unsigned long long)r.least, (unsigned long long)r.instructions, r.share,
			       (unsigned long long)s.instructions, (unsigned long long)bare, s.share, ratio, bare_ratio,
			       (double)r.instructions / (double)r.least, (double)s.instructions / (double)r.least);
			fflush(stdout);
			bool far = (double)r.instructions > limit((*e)->name, false) * (double)r.least ||
			           (double)s.instructions > limit((*e)->name, true) * (double)s.least;
			if (check && (r.least > r.instructions || s.least > s.instructions || far || r.idle || s.idle))
				status = 1;
		} else {
			printf("%-14s failed\n", (*e)->name);
			status = 1;
		}
		if (diag.text.at)
			fputs(diag.text.at, stderr);
		hd_diag_free(&diag);
	}
	return status;
}

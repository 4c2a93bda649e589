/* heddle-multi-issue [--size N] [--check | --policies | --wide] [EXAMPLE]...
 * Several instructions of one warp in a cycle, on the examples (MI-10, MI-11; docs/multi-issue.md is its output).
 *
 * Speed-up of candidate windows of 2, 4 and 8 over single issue: with one warp a scheduler (one core, eight schedulers of one warp slot) and with
 * the default machine; instructions sent in a cycle and use of the pipelines at a window of 4, default machine; and what the mix of types allows at
 * most. Every program is compiled for its machine, and its output compared with the host's.
 *
 * --policies: a window of 4 with one choice made differently. --wide: windows and issue widths together. --check: a window of 1 is single issue, in
 * every statistic, with fence counters and with the scoreboard; exit status 1 if it is not. */
#include "backend_heddle.h"

#include <math.h>

typedef struct variant {
	const char *name;
	const char *settings[6];
} variant;

typedef struct mean {
	double logs;
	unsigned n;
} mean;

static double add(mean *m, double value)
{
	if (value > 0) {
		m->logs += log(value);
		m->n++;
	}
	return value;
}

static double of(const mean *m) { return m->n ? exp(m->logs / m->n) : 0; }

static double share(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static bool run(const ex_example *example, unsigned size, const hd_object *object, const hd_machine *machine, bool window_of_one, hd_stats *stats)
{
	hd_diag diag = {0};
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, &diag) : NULL;
	bool ok = false;
	if (backend) {
		ex_run result;
		ex_heddle_options(backend)->window_of_one = window_of_one;
		ok = ex_run_example(&result, example, size, backend, &diag);
		*stats = *ex_heddle_stats(backend);
		ex_run_free(&result);
		ex_heddle_free(backend);
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok;
}

static hd_object *compile(const char *source, const hd_machine *machine)
{
	hd_diag diag = {0};
	hd_object *object = ex_heddle_compile(source, machine, false, &diag);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return object;
}

static void set(hd_machine *machine, const variant *v)
{
	hd_diag diag = {0};
	hd_machine_default(machine);
	for (unsigned i = 0; i < HD_COUNT(v->settings) && v->settings[i]; i++)
		hd_invariant(hd_machine_set(machine, v->settings[i], &diag), "%s", diag.text.at);
}

/* Cycles of the example, compiled for the machine; 0 when it fails. */
static uint64_t cycles(const ex_example *example, unsigned size, const char *source, const hd_machine *machine, hd_stats *stats)
{
	hd_object *object = compile(source, machine);
	bool ok = run(example, size, object, machine, false, stats);
	if (object)
		hd_object_free(object);
	return ok ? stats->run_cycles : 0;
}

static double ratio(uint64_t single, uint64_t other) { return other ? (double)single / (double)other : 0; }

/* -- the table of windows ----------------------------------------------------------------------------------------------------------------- */

enum { WINDOWS = 4 };
static mean windows[2][WINDOWS], order;

/* A flow instruction takes a cycle alone. The others take one cycle for each instruction of the busiest type. */
static double at_most(const hd_stats *s)
{
	const uint64_t types[] = {s->pipe_alu, s->pipe_coord, s->pipe_sfu, s->pipe_f64, s->pipe_cvt, s->pipe_tex, s->pipe_latom, s->pipe_lsu};
	uint64_t most = 0;
	for (unsigned i = 0; i < HD_COUNT(types); i++)
		most = types[i] > most ? types[i] : most;
	return most + s->pipe_flow ? (double)s->run_warp_instructions / (double)(most + s->pipe_flow) : 1;
}

static void window_head(void)
{
	printf(
	    "| example | one warp: cycles | 2 | 4 | 8 | full: cycles | 2 | 4 | 8 | order alone | sent 1 %% | 2 %% | 3 %% | 4+ %% | alu %% | lsu %% | "
	    "flow %% | coord %% | others %% | mix allows |\n");
	printf("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
}

static bool window_row(const ex_example *example, unsigned size, const char *source)
{
	hd_stats at_four = {0};
	bool ok = true;
	double alone = 0;
	for (unsigned full = 0; full < 2; full++) {
		uint64_t single = 0;
		for (unsigned w = 0; w < WINDOWS; w++) {
			hd_machine machine;
			hd_stats stats = {0};
			hd_machine_default(&machine);
			machine.multi_issue_window = 1u << w;
			if (!full) {
				machine.machine_cores = 1;
				machine.machine_schedulers = 8;
				machine.machine_warps = 1;
			}
			hd_object *object = compile(source, &machine);
			uint64_t now = run(example, size, object, &machine, false, &stats) ? stats.run_cycles : 0;
			single = w ? single : now;
			ok = ok && now;
			if (w)
				printf(" %.3f |", add(&windows[full][w], ratio(single, now)));
			else
				printf(" %llu |", (unsigned long long)single);
			if (full && w == 2) {
				hd_stats in_order;
				at_four = stats;
				machine.multi_issue_window = 1;
				alone = run(example, size, object, &machine, false, &in_order) ? ratio(single, in_order.run_cycles) : 0;
			}
			if (object)
				hd_object_free(object);
		}
	}
	const hd_stats *s = &at_four;
	uint64_t sending = s->multi_issue_sent_1 + s->multi_issue_sent_2 + s->multi_issue_sent_3 + s->multi_issue_sent_4_or_more;
	uint64_t n = s->run_warp_instructions;
	printf(" %.3f | %.1f | %.1f | %.1f | %.1f |", add(&order, alone), share(s->multi_issue_sent_1, sending),
	       share(s->multi_issue_sent_2, sending), share(s->multi_issue_sent_3, sending), share(s->multi_issue_sent_4_or_more, sending));
	printf(" %.0f | %.0f | %.0f | %.0f | %.0f | %.2f |\n", share(s->pipe_alu, n), share(s->pipe_lsu, n), share(s->pipe_flow, n),
	       share(s->pipe_coord, n), share(s->pipe_sfu + s->pipe_f64 + s->pipe_cvt + s->pipe_latom + s->pipe_tex, n), at_most(s));
	return ok;
}

static void window_foot(void)
{
	printf("| geometric mean | | %.3f | %.3f | %.3f | | %.3f | %.3f | %.3f | %.3f | | | | | | | | | | |\n", of(&windows[0][1]),
	       of(&windows[0][2]), of(&windows[0][3]), of(&windows[1][1]), of(&windows[1][2]), of(&windows[1][3]), of(&order));
}

/* -- the tables of variants --------------------------------------------------------------------------------------------------------------- */

static const variant policies[] = {
    {"cycles, single issue", {"multi_issue.window=1"}},
    {"window 4", {"multi_issue.window=4"}},
    {"waits passed", {"multi_issue.window=4", "multi_issue.pass_waits=true"}},
    {"nothing held", {"multi_issue.window=4", "multi_issue.hold=255"}},
    {"not spread", {"multi_issue.window=4", "multi_issue.spread=0"}},
    {"types from opcodes", {"multi_issue.window=4", "multi_issue.types=opcode"}},
    {"scoreboard, single issue", {"multi_issue.window=1", "fence.mode=scoreboard"}},
    {"scoreboard, window 4", {"multi_issue.window=4", "fence.mode=scoreboard"}},
};
static const variant wide[] = {
    {"cycles, width 1", {"multi_issue.window=1", "predecode.issue_width=1"}},
    {"window 4", {"multi_issue.window=4", "predecode.issue_width=1"}},
    {"width 2, no pairs", {"multi_issue.window=1", "predecode.issue_width=2", "predecode.pair=false"}},
    {"width 2, pairs", {"multi_issue.window=1", "predecode.issue_width=2"}},
    {"width 2, window 4", {"multi_issue.window=4", "predecode.issue_width=2"}},
    {"width 2, window 8", {"multi_issue.window=8", "predecode.issue_width=2"}},
    {"width 4, pairs", {"multi_issue.window=1", "predecode.issue_width=4"}},
    {"width 4, window 4", {"multi_issue.window=4", "predecode.issue_width=4"}},
};
enum { VARIANTS = HD_COUNT(policies) };
_Static_assert(HD_COUNT(wide) == VARIANTS, "one loop for both");
static mean variants[VARIANTS];

static void variant_head(const variant *list)
{
	printf("| example |");
	for (unsigned i = 0; i < VARIANTS; i++)
		printf(" %s |", list[i].name);
	printf("\n|---|");
	for (unsigned i = 0; i < VARIANTS; i++)
		printf("--:|");
	printf("\n");
}

static bool variant_row(const variant *list, const ex_example *example, unsigned size, const char *source)
{
	uint64_t single = 0;
	for (unsigned i = 0; i < VARIANTS; i++) {
		hd_machine machine;
		hd_stats stats;
		set(&machine, &list[i]);
		uint64_t now = cycles(example, size, source, &machine, &stats);
		if (!now)
			return false;
		single = i ? single : now;
		if (i)
			printf(" %.3f |", add(&variants[i], ratio(single, now)));
		else
			printf(" %llu |", (unsigned long long)now);
	}
	printf("\n");
	return true;
}

static void variant_foot(void)
{
	printf("| geometric mean | |");
	for (unsigned i = 1; i < VARIANTS; i++)
		printf(" %.3f |", of(&variants[i]));
	printf("\n");
}

/* -- MI-10 -------------------------------------------------------------------------------------------------------------------------------- */

static bool same(const ex_example *example, const char *machine, const hd_stats *single, const hd_stats *window)
{
	bool ok = true;
#define STAT(group, counter, doc)                                                                                                                  \
	if (single->group##_##counter != window->group##_##counter) {                                                                              \
		fprintf(stderr, "%s, %s: " #group "." #counter " is %llu in single issue and %llu with a window of one\n", example->name, machine, \
		        (unsigned long long)single->group##_##counter, (unsigned long long)window->group##_##counter);                             \
		ok = false;                                                                                                                        \
	}
#include "launch/stats.def"
#undef STAT
	return ok;
}

static bool check(const ex_example *example, unsigned size, const char *source)
{
	/* Without hints that only single issue honours: those about two consecutive instructions or about other warps (PD-7 to PD-9). */
	static const variant both[] = {
	    {"fence counters", {"multi_issue.window=1", "predecode.pair=false", "predecode.hold=false", "predecode.boost=false"}},
	    {"scoreboard",
	     {"multi_issue.window=1", "fence.mode=scoreboard", "predecode.pair=false", "predecode.hold=false", "predecode.boost=false"}}};
	hd_machine machine;
	set(&machine, &both[0]);
	hd_object *object = compile(source, &machine);
	bool ok = object;
	for (unsigned i = 0; ok && i < HD_COUNT(both); i++) {
		hd_stats single = {0}, window = {0};
		set(&machine, &both[i]);
		ok = run(example, size, object, &machine, false, &single) && run(example, size, object, &machine, true, &window) &&
		     same(example, both[i].name, &single, &window);
	}
	if (object)
		hd_object_free(object);
	printf("%s: a window of one is %ssingle issue\n", example->name, ok ? "" : "NOT ");
	return ok;
}

/* ----------------------------------------------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	const char *root = getenv("HEDDLE_SOURCE");
	const variant *list = NULL;
	bool checks = false, ok = true;
	int wanted = -1, first = 1;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--size") == 0 && first + 1 < argc)
			wanted = atoi(argv[++first]);
		else if (strcmp(argv[first], "--check") == 0)
			checks = true;
		else if (strcmp(argv[first], "--policies") == 0)
			list = policies;
		else if (strcmp(argv[first], "--wide") == 0)
			list = wide;
		else
			break;
	}
	if (first < argc && argv[first][0] == '-') {
		fprintf(stderr, "usage: heddle-multi-issue [--size N] [--check | --policies | --wide] [EXAMPLE]...\n");
		return 2;
	}
	if (list)
		variant_head(list);
	else if (!checks)
		window_head();
	for (const ex_example *const *e = ex_examples; *e; e++) {
		bool named = first == argc;
		unsigned size = 0;
		hd_text source = {0};
		for (int i = first; i < argc; i++)
			named = named || strcmp(argv[i], (*e)->name) == 0;
		if (!named)
			continue;
		while ((*e)->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
			size++;
		hd_text_printf(&source, "%s/examples/%s", root ? root : ".", (*e)->source);
		if (!checks)
			printf("| %s |", (*e)->name);
		ok = (checks ? check(*e, size, source.at) : list ? variant_row(list, *e, size, source.at) : window_row(*e, size, source.at)) && ok;
		fflush(stdout);
		hd_text_free(&source);
	}
	if (list)
		variant_foot();
	else if (!checks)
		window_foot();
	return ok ? 0 : 1;
}

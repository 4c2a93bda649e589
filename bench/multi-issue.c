/* heddle-multi-issue [TABLE] [--size N] [--set KEY=VALUE]... [EXAMPLE]...
 * Several instructions of one warp in a cycle, on the examples (MI-10, MI-11). docs/multi-issue.md is its output. Every program is compiled for its
 * machine, and its output is compared with the host's. --set changes every machine of a table. TABLE is one of
 *
 *  (none)      what a candidate window gives, with one thing changed from column to column
 *  --alone     the same with one warp a scheduler: one core, eight schedulers of one warp slot
 *  --policies  a window of 4 with one choice made differently
 *  --wide      windows and issue widths together
 *  --places    waits passed, with places for what waits for a high-latency counter and without (MI-13)
 *  --queues    a queue for each type against one queue for all, with and without a window, with fence counters and with a scoreboard (MI-12, MI-15)
 *  --pipes     classes of instructions in other pipes (MI-14), with a window and without
 *  --copies    pipes with two copies (MI-14)
 *  --shared    pipes that several schedulers share (HZ-37)
 *  --map       the speed-up of a window of 4 by schedulers, warps, interval of the load/store pipe, prefetch and memory
 *  --lost      where the issue slots go: plain single issue, a window of 4, and an issue width of 2 without pairs
 *  --even      how evenly the pipes are used (MI-16): plain single issue and a window of 4
 *  --check     a window of 1 is single issue, in every statistic, with fence counters and with the scoreboard; exit status 1 if it is not
 *
 * The example `mix` is a synthetic kernel of two types that alternate; it runs when it is named and is in no mean. Regular and unstructured kernels
 * have separate geometric means. */
#include "backend_heddle.h"
#include "kernel_kinds.h"
#include "mix.h"
#include "multi_issue_tables.h"
#include "report/evenness.h"

#include <math.h>

enum { COLUMNS_MOST = 12, SETTINGS_MOST = 16 };

typedef struct options {
	const char *settings[SETTINGS_MOST];
	unsigned n_settings;
	int size;
} options;

typedef struct mean {
	double logs;
	unsigned n;
} mean;

static void add(mean *m, double value)
{
	if (value > 0) {
		m->logs += log(value);
		m->n++;
	}
}

static double of(const mean *m) { return m->n ? exp(m->logs / m->n) : 0; }

static double share(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

/* -- one run ------------------------------------------------------------------------------------------------------------------------------ */

/* A kernel's source, read by clang once for all machines. */
typedef struct source {
	const ex_example *example;
	unsigned size;
	hd_text path;
	char *ptx;
	size_t ptx_size;
} source;

enum { TURN_MOST = 8 };

/* Counts issued instructions by latency class, and the turns of warps in which a window sent several. */
typedef struct counter {
	hd_trace trace;
	const hd_program *program;
	uint64_t of[HD_CLASS_COUNT];
	uint64_t together, dependent;   /* turns that sent two or more; those of them in which one target depends on another one (MI-6) */
	const hd_slot *turn[TURN_MOST]; /* the instructions of the present turn */
	unsigned n;
	bool found; /* the present turn has a dependent pair */
} counter;

static bool overlap(const hd_use *a, unsigned n_a, const hd_use *b, unsigned n_b)
{
	for (unsigned i = 0; i < n_a; i++)
		for (unsigned k = 0; k < n_b; k++) {
			bool predicates = !a[i].words && !b[k].words, registers = a[i].words && b[k].words;
			if ((predicates && a[i].reg == b[k].reg) ||
			    (registers && a[i].reg < b[k].reg + b[k].words && b[k].reg < a[i].reg + a[i].words))
				return true;
		}
	return false;
}

/* True when `second` reads a result of `first`. */
static bool depends(const hd_slot *first, const hd_slot *second)
{
	hd_use writes[HD_MAX_USES], reads[HD_MAX_USES];
	unsigned n = hd_inst_writes(&first->inst, writes);
	return overlap(writes, n, reads, hd_inst_reads(&second->inst, reads));
}

static void count(hd_trace *trace, const hd_trace_event *e)
{
	counter *c = (counter *)trace;
	if (e->kind != HD_TRACE_ISSUE)
		return;
	const hd_slot *slot = &c->program->slots[e->pc];
	c->of[slot->klass]++;
	if (e->slots) { /* the first of a turn */
		c->n = 0;
		c->found = false;
	}
	c->together += c->n == 1;
	for (unsigned i = 0; i < c->n && !c->found; i++) {
		c->found = depends(c->turn[i], slot);
		c->dependent += c->found;
	}
	if (c->n < TURN_MOST)
		c->turn[c->n++] = slot;
}

static bool run(const source *s, const hd_object *object, const hd_machine *machine, bool window_of_one, hd_stats *stats, counter *counted,
                hd_diag *diag)
{
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, diag) : NULL;
	bool ok = false;
	if (backend) {
		ex_run result;
		ex_heddle_options(backend)->window_of_one = window_of_one;
		if (counted) {
			*counted = (counter){.trace = {.event = count}, .program = ex_heddle_program(backend)};
			ex_heddle_watch(backend, &counted->trace);
		}
		ok = ex_run_example(&result, s->example, s->size, backend, diag);
		*stats = *ex_heddle_stats(backend);
		ex_run_free(&result);
		ex_heddle_free(backend);
	}
	return ok;
}

/* Prints what went wrong, if anything did. */
static void report(hd_diag *diag)
{
	if (diag->text.at)
		fputs(diag->text.at, stderr);
	hd_diag_free(diag);
}

static bool open_source(source *s, const ex_example *example, const options *o)
{
	const char *root = getenv("HEDDLE_SOURCE");
	hd_diag diag = {0};
	*s = (source){.example = example};
	while (example->sizes[s->size + 1] && (o->size < 0 || s->size < (unsigned)o->size))
		s->size++;
	hd_text_printf(&s->path, "%s/examples/%s", root ? root : ".", example->source);
	s->ptx = ex_heddle_ptx(s->path.at, &s->ptx_size, &diag);
	report(&diag);
	return s->ptx != NULL;
}

static void close_source(source *s)
{
	free(s->ptx);
	hd_text_free(&s->path);
}

static hd_object *compile(const source *s, const hd_machine *machine, hd_diag *diag)
{
	return ex_heddle_compile_ptx(s->ptx, s->ptx_size, s->path.at, machine, false, diag);
}

static void apply(hd_machine *machine, const char *const *settings, unsigned n)
{
	hd_diag diag = {0};
	for (unsigned i = 0; i < n && settings[i]; i++) {
		if (hd_machine_set(machine, settings[i], &diag))
			continue;
		fputs(diag.text.at, stderr);
		exit(2);
	}
	hd_diag_free(&diag);
}

static void describe(hd_machine *machine, const options *o, const char *const *settings)
{
	hd_machine_default(machine);
	apply(machine, o->settings, o->n_settings);
	apply(machine, settings, SETTINGS);
}

/* Cycles of the program that is compiled for one machine and runs on another; 0 when it fails. */
static uint64_t cycles(const source *s, const hd_machine *compiled, const hd_machine *runs, hd_stats *stats, counter *counted, hd_diag *diag)
{
	hd_object *object = compile(s, compiled, diag);
	bool ok = run(s, object, runs, false, stats, counted, diag);
	if (object)
		hd_object_free(object);
	return ok ? stats->run_cycles : 0;
}

static double ratio(uint64_t single, uint64_t other) { return single && other ? (double)single / (double)other : 0; }

/* The speed-up that the mix of types allows, if nothing but issue slots and the intervals of the pipes ever cost a cycle. Single issue sends one
 * instruction a cycle. A window sends one of each type, and a flow instruction or a nop alone. Either is at least as long as the busiest pipe. */
static double at_most(const counter *c, const hd_machine *machine)
{
	uint64_t sent[HD_PIPE_COUNT + 1] = {0}, busy[HD_PIPE_COUNT + 1] = {0}, all = 0, most_sent = 0, most_busy = 0;
	for (unsigned k = 0; k < HD_CLASS_COUNT; k++) {
		sent[hd_machine_pipe(machine, (hd_class)k)] += c->of[k];
		busy[hd_machine_pipe(machine, (hd_class)k)] += c->of[k] * hd_machine_interval(machine, (hd_class)k);
		all += c->of[k];
	}
	for (unsigned pipe = 0; pipe < HD_PIPE_FLOW; pipe++) {
		most_sent = hd_max_u64(sent[pipe], most_sent);
		most_busy = hd_max_u64(busy[pipe], most_busy);
	}
	uint64_t alone = sent[HD_PIPE_FLOW] + sent[HD_PIPE_NONE];
	return ratio(hd_max_u64(all, most_busy), hd_max_u64(most_sent + alone, most_busy));
}

/* -- tables of columns (multi_issue_tables.h) ---------------------------------------------------------------------------------------- */

static mean means[KINDS][COLUMNS_MOST];

static const table *named_table(const char *option)
{
	static const struct {
		const char *option;
		const table *table;
	} tables[] = {{"--policies", &policy_table}, {"--wide", &wide_table},   {"--places", &place_table}, {"--queues", &queue_table},
	              {"--pipes", &pipe_table},      {"--copies", &copy_table}, {"--shared", &shared_table}};
	for (unsigned i = 0; i < HD_COUNT(tables); i++)
		if (strcmp(option, tables[i].option) == 0)
			return tables[i].table;
	return NULL;
}

static void print_head(const table *t)
{
	printf("| example |");
	for (unsigned i = 0; i < t->n; i++)
		printf(" %s |", t->columns[i].name);
	if (t->pairs[0])
		printf(" dependent pairs %% | with the scoreboard %% |");
	printf("%s\n|---|", t->sent ? " instructions | sent 2 % | 3+ % | replays | mix allows |" : "");
	for (unsigned i = 0; i < t->n + (t->sent ? 5 : 0) + (t->pairs[0] ? 2 : 0); i++)
		printf("--:|");
	printf("\n");
}

static void print_sent(const hd_stats *s, const hd_stats *single, double allowed)
{
	uint64_t sending = s->multi_issue_sent_1 + s->multi_issue_sent_2 + s->multi_issue_sent_3 + s->multi_issue_sent_4_or_more;
	printf(" %.3f | %.1f | %.1f | %llu | %.2f |", ratio(s->run_warp_instructions, single->run_warp_instructions),
	       share(s->multi_issue_sent_2, sending), share(s->multi_issue_sent_3 + s->multi_issue_sent_4_or_more, sending),
	       (unsigned long long)s->predecode_replays, allowed);
}

static bool print_row(const table *t, const source *s, const options *o)
{
	uint64_t taken[COLUMNS_MOST] = {0};
	hd_stats first = {0};
	unsigned kind = kind_of(s->example);
	hd_stats sent = {0};
	double allowed = 0, dependent[2] = {0};
	for (unsigned i = 0; i < t->n; i++) {
		const column *c = &t->columns[i];
		hd_machine compiled, runs;
		hd_stats stats;
		counter counted;
		describe(&compiled, o, c->compiled);
		describe(&runs, o, c->runs[0] ? c->runs : c->compiled);
		hd_diag diag = {0};
		bool watched = i && (t->sent == i || t->pairs[0] == i || t->pairs[1] == i);
		taken[i] = cycles(s, &compiled, &runs, &stats, watched ? &counted : NULL, &diag);
		report(&diag);
		if (!taken[i])
			return false;
		if (i == 0)
			first = stats;
		if (i && i == t->sent) {
			sent = stats;
			allowed = at_most(&counted, &runs);
		}
		for (unsigned k = 0; k < 2; k++)
			if (i && t->pairs[k] == i)
				dependent[k] = share(counted.dependent, counted.together);
		if (c->over < 0) {
			printf(" %llu |", (unsigned long long)taken[i]);
			continue;
		}
		if (s->example != &mix)
			add(&means[kind][i], ratio(taken[c->over], taken[i]));
		printf(" %.3f |", ratio(taken[c->over], taken[i]));
	}
	if (t->pairs[0])
		printf(" %.1f | %.1f |", dependent[0], dependent[1]);
	if (t->sent)
		print_sent(&sent, &first, allowed);
	printf("\n");
	return true;
}

static void print_foot(const table *t)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!means[kind][t->n - 1].n)
			continue;
		printf("| geometric mean, %s |", kind_name(kind));
		for (unsigned i = 0; i < t->n; i++) {
			if (t->columns[i].over < 0)
				printf(" |");
			else
				printf(" %.3f |", of(&means[kind][i]));
		}
		printf("%s\n", t->sent ? " | | | | |" : t->pairs[0] ? " | |" : "");
	}
}

/* -- the map -------------------------------------------------------------------------------------------------------------------------------- */

/* One core. The rows change schedulers and warps. The columns change the load/store pipe, fetch and memory. */
static const char *const map_schedulers[] = {"machine.schedulers=1", "machine.schedulers=2", "machine.schedulers=4"}, *const map_warps[] = {
                                                                                                                          "machine.warps=4",
                                                                                                                          "machine.warps=8",
                                                                                                                          "machine.warps=16"};
#define FAST_FETCH "predecode.prefetch=8", "predecode.buffer=64"
#define FAST_MEMORY \
	"memory.l2_latency=20", "memory.dram_latency=20", "memory.dram_partitions=16", "memory.l2_sectors_per_cycle=64", "memory.l1_misses=1024"
static const struct {
	const char *name, *settings[SETTINGS];
} map_columns[] = {
    {"interval 2, prefetch 2", {NULL}},
    {"2, 8", {FAST_FETCH}},
    {"1, 2", {"latency.lsu.interval=1"}},
    {"1, 8", {"latency.lsu.interval=1", FAST_FETCH}},
    {"1, 8, fast memory", {"latency.lsu.interval=1", FAST_FETCH, FAST_MEMORY}},
};
static mean map_means[KINDS][HD_COUNT(map_schedulers) * HD_COUNT(map_warps)][HD_COUNT(map_columns)];

/* The speed-up of a window of 4 over plain single issue; 0 where a CTA does not fit the core. */
static double map_point(const source *s, const options *o, const char *const *point, const char *const *column_settings)
{
	static const char *const issue[2][SETTINGS] = {{PLAIN}, {"multi_issue.window=4"}};
	uint64_t taken[2] = {0};
	for (unsigned w = 0; w < 2 && (!w || taken[0]); w++) {
		hd_machine machine;
		hd_stats stats;
		hd_diag diag = {0};
		hd_machine_default(&machine);
		apply(&machine, point, SETTINGS);
		apply(&machine, column_settings, SETTINGS);
		apply(&machine, issue[w], SETTINGS);
		apply(&machine, o->settings, o->n_settings);
		taken[w] = cycles(s, &machine, &machine, &stats, NULL, &diag);
		if (!taken[w] && strstr(diag.text.at, "more warps than a core"))
			hd_diag_free(&diag);
		else
			report(&diag);
	}
	return ratio(taken[0], taken[1]);
}

static bool print_map(const source *s, const options *o)
{
	for (unsigned row = 0; row < HD_COUNT(map_schedulers) * HD_COUNT(map_warps); row++) {
		const char *schedulers = map_schedulers[row / HD_COUNT(map_warps)], *warps = map_warps[row % HD_COUNT(map_warps)];
		const char *const point[SETTINGS] = {"machine.cores=1", schedulers, warps};
		printf("| %s | %s | %s |", s->example->name, strchr(schedulers, '=') + 1, strchr(warps, '=') + 1);
		for (unsigned i = 0; i < HD_COUNT(map_columns); i++) {
			double speedup = map_point(s, o, point, map_columns[i].settings);
			if (s->example != &mix)
				add(&map_means[kind_of(s->example)][row][i], speedup);
			if (speedup > 0)
				printf(" %.3f |", speedup);
			else
				printf(" - |");
		}
		printf("\n");
		fflush(stdout);
	}
	return true;
}

static void print_map_head(void)
{
	printf("| example | schedulers | warps |");
	for (unsigned i = 0; i < HD_COUNT(map_columns); i++)
		printf(" %s |", map_columns[i].name);
	printf("\n|---|--:|--:|");
	for (unsigned i = 0; i < HD_COUNT(map_columns); i++)
		printf("--:|");
	printf("\n");
}

static void print_map_foot(void)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		for (unsigned row = 0; row < HD_COUNT(map_schedulers) * HD_COUNT(map_warps); row++) {
			if (!map_means[kind][row][0].n)
				continue;
			printf("| geometric mean, %s | %s | %s |", kind_name(kind), strchr(map_schedulers[row / HD_COUNT(map_warps)], '=') + 1,
			       strchr(map_warps[row % HD_COUNT(map_warps)], '=') + 1);
			for (unsigned i = 0; i < HD_COUNT(map_columns); i++)
				printf(" %.3f |", of(&map_means[kind][row][i]));
			printf("\n");
		}
	}
}

/* -- lost issue slots ----------------------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *settings[SETTINGS];
} issues[] = {{"single issue, plain", {PLAIN}}, {"window 4", {"multi_issue.window=4"}}, {"width 2, plain", {PLAIN, "predecode.issue_width=2"}}};

static void print_lost_head(void)
{
	printf("| example | issue | cycles | instructions a scheduler and cycle | slots used | slots lost to |\n|---|---|--:|--:|--:|---|\n");
}

/* The causes that cost 2 % of the slots or more. */
static void print_causes(const hd_stats *s)
{
	static const char *const names[] = {
#define STALL(id, name, ...) #name,
#include "launch/stall.def"
#undef STALL
	};
	const uint64_t lost[] = {
#define STALL(id, name, ...) s->stall_##name,
#include "launch/stall.def"
#undef STALL
	};
	for (unsigned i = 0; i < HD_COUNT(lost); i++)
		if (share(lost[i], s->run_issue_slots) >= 2)
			printf(" %s %.0f %%", names[i], share(lost[i], s->run_issue_slots));
}

static bool print_lost(const source *s, const options *o)
{
	bool ok = true;
	for (unsigned i = 0; i < HD_COUNT(issues); i++) {
		hd_machine machine;
		hd_stats stats;
		hd_diag diag = {0};
		describe(&machine, o, issues[i].settings);
		ok = cycles(s, &machine, &machine, &stats, NULL, &diag) && ok;
		report(&diag);
		double slots = (double)stats.run_issue_slots / machine.predecode_issue_width;
		printf("| %s | %s | %llu | %.2f | %.0f %% |", s->example->name, issues[i].name, (unsigned long long)stats.run_cycles,
		       slots > 0 ? (double)stats.run_issued / slots : 0, share(stats.run_slots_used, stats.run_issue_slots));
		print_causes(&stats);
		printf(" |\n");
	}
	return ok;
}

/* -- MI-16 -------------------------------------------------------------------------------------------------------------------------------- */

static void print_even_head(void)
{
	printf("| example | issue | cycles | entry of alu taken | sfu | lsu | flow | others | two or more pipes entered | evenness |\n"
	       "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
}

/* Shares of the cycles of all schedulers; of the evenness, the index itself. */
static bool print_even(const source *s, const options *o)
{
	bool ok = true;
	for (unsigned i = 0; i < 2; i++) {
		hd_machine machine;
		hd_stats stats = {0};
		hd_diag diag = {0};
		describe(&machine, o, issues[i].settings);
		ok = cycles(s, &machine, &machine, &stats, NULL, &diag) && ok;
		report(&diag);
		uint64_t all = stats.run_issue_slots / machine.predecode_issue_width,
		         others = stats.pipe_busy_coord + stats.pipe_busy_f64 + stats.pipe_busy_cvt + stats.pipe_busy_tex + stats.pipe_busy_latom;
		printf("| %s | %s | %llu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.3f |\n", s->example->name, issues[i].name,
		       (unsigned long long)stats.run_cycles, share(stats.pipe_busy_alu, all), share(stats.pipe_busy_sfu, all),
		       share(stats.pipe_busy_lsu, all), share(stats.pipe_busy_flow, all), share(others, all), share(stats.entry_several, all),
		       hd_evenness(&machine, &stats));
	}
	return ok;
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

static bool check(const source *s)
{
	/* Without hints that only single issue honours: those about two consecutive instructions or about other warps (PD-7 to PD-9). */
	static const char *const names[] = {"fence counters", "scoreboard"};
	static const char *const both[][SETTINGS] = {{PLAIN}, {PLAIN, "fence.mode=scoreboard"}};
	const options none = {0};
	hd_machine machine;
	describe(&machine, &none, both[0]);
	hd_diag diag = {0};
	hd_object *object = compile(s, &machine, &diag);
	bool ok = object;
	for (unsigned i = 0; ok && i < HD_COUNT(both); i++) {
		hd_stats single = {0}, window = {0};
		describe(&machine, &none, both[i]);
		ok = run(s, object, &machine, false, &single, NULL, &diag) && run(s, object, &machine, true, &window, NULL, &diag) &&
		     same(s->example, names[i], &single, &window);
	}
	if (object)
		hd_object_free(object);
	report(&diag);
	printf("%s: a window of one is %ssingle issue\n", s->example->name, ok ? "" : "NOT ");
	return ok;
}

/* ----------------------------------------------------------------------------------------------------------------------------------------- */

static bool named(int argc, char **argv, int first, const ex_example *example)
{
	for (int i = first; i < argc; i++)
		if (strcmp(argv[i], example->name) == 0)
			return true;
	return first == argc && example != &mix;
}

int main(int argc, char **argv)
{
	static const char *const alone[] = {"machine.cores=1", "machine.schedulers=8", "machine.warps=1"};
	const table *t = &window_table;
	options o = {.size = -1};
	bool checks = false, maps = false, loses = false, evens = false, ok = true;
	int first = 1;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--size") == 0 && first + 1 < argc)
			o.size = atoi(argv[++first]);
		else if (strcmp(argv[first], "--set") == 0 && first + 1 < argc && o.n_settings < SETTINGS_MOST)
			o.settings[o.n_settings++] = argv[++first];
		else if (strcmp(argv[first], "--alone") == 0)
			for (unsigned i = 0; i < HD_COUNT(alone); i++)
				o.settings[o.n_settings++] = alone[i];
		else if (strcmp(argv[first], "--check") == 0)
			checks = true;
		else if (strcmp(argv[first], "--map") == 0)
			maps = true;
		else if (strcmp(argv[first], "--lost") == 0)
			loses = true;
		else if (strcmp(argv[first], "--even") == 0)
			evens = true;
		else if (named_table(argv[first]))
			t = named_table(argv[first]);
		else
			break;
	}
	if ((first < argc && argv[first][0] == '-') || o.n_settings > SETTINGS_MOST - HD_COUNT(alone)) {
		fprintf(stderr, "usage: heddle-multi-issue [--alone | --policies | --wide | --places | --queues | --pipes | --copies | --shared | "
		                "--map | --lost | --even | --check] "
		                "[--size N] [--set "
		                "KEY=VALUE]... [EXAMPLE]...\n");
		return 2;
	}
	if (maps)
		print_map_head();
	else if (loses)
		print_lost_head();
	else if (evens)
		print_even_head();
	else if (!checks)
		print_head(t);
	for (unsigned i = 0;; i++) {
		const ex_example *example = i ? ex_examples[i - 1] : &mix;
		source s;
		if (!example)
			break;
		if (!named(argc, argv, first, example))
			continue;
		ok = open_source(&s, example, &o) && ok;
		if (!checks && !maps && !loses && !evens)
			printf("| %s |", example->name);
		if (s.ptx)
			ok = (checks  ? check(&s)
			      : maps  ? print_map(&s, &o)
			      : loses ? print_lost(&s, &o)
			      : evens ? print_even(&s, &o)
			              : print_row(t, &s, &o)) &&
			     ok;
		fflush(stdout);
		close_source(&s);
	}
	if (maps)
		print_map_foot();
	else if (!checks && !loses && !evens)
		print_foot(t);
	return ok ? 0 : 1;
}

/* heddle-fence [--machine NAME] [--set KEY=VALUE]... [--size N] [--vary N] [--quick | --units | --guards | --queues | --assign | --deadlock |
 * --status | --waiting]
 * [--check] [EXAMPLE]... The cost and savings of fence counters, example by example (docs/fence-counters.md is its output): counters raised, waits,
 * issue slots lost by cause; cycles with fewer counters, with eight, with the other line geometries, without the split in low and high latency, with
 * narrower counters, and with a memory that has endless room for stores, misses and requests to DRAM; and the baseline, a hardware scoreboard, that
 * tracks any number, 63, 3 or 1 readers of a register. Its programs have no fence counters, and so no branches that only wait for one. Columns of
 * ratios: cycles of that machine / cycles of the default one, so that above 1 the default is the faster one. --vary: each is the mean over N machines
 * with other latencies of DRAM and fetch. The means are over regular kernels and over unstructured ones apart.
 * --units: instead, the units that counters count (HZ-31), with their width, and lane groups that return apart from memory; and what they keep.
 * --guards: instead, short branches turned into guarded instructions (HZ-30), with and without active logic; and what active logic dropped.
 * --queues: instead, hazard queues of fewer entries, and none: plain FIFOs (HZ-32).
 * --assign: instead, the publication's ways to assign counters (HZ-34). --deadlock: instead, programs that need no wait counters (HZ-35), and the
 * state that they save.
 * --status: instead, periods in which the status of counters is published (HZ-36). --waiting: instead, all waits in queues, all in the scheduler, and
 * counters inside pipelines (HZ-38); with the counters raised and waited for.
 * --check: exit status 1 if any example is slower than with the unlimited scoreboard.
 */
#include "backend_heddle.h"
#include "kernel_kinds.h"
#include "config/state_bits.h"

#include <math.h>

enum { SETTINGS = 4 };

typedef struct variant {
	const char *name;
	const char *settings[SETTINGS];
	bool recompile; /* the compiler does otherwise for this machine; if not, the same program runs */
} variant;

static const variant variants[] = {
    {"K=2", {"fence.counters=2", "fence.high_latency=1"}, true},
    {"K=3", {"fence.counters=3", "fence.high_latency=1"}, true},
    {"K=4", {"fence.counters=4", "fence.high_latency=2"}, true},
    {"K=8", {"predecode.geometry=wide", "fence.counters=8", "fence.high_latency=3"}, true},
    {"wide", {"predecode.geometry=wide"}, true},
    {"short", {"predecode.geometry=short", "predecode.prefetch=5"}, true},
    {"4 + 2", {"fence.split=fixed"}, true},
    {"no split", {"fence.high_latency=0"}, true},
    {"8 bits", {"fence.bits=8"}, true},
    {"5 bits", {"fence.bits=5"}, true},
    {"4 bits", {"fence.bits=4"}, true},
    {"endless", {"memory.l1_writes=4096", "memory.l2_misses=65536", "memory.dram_queue=65536"}, false},
    {"sb inf", {"fence.mode=scoreboard"}, true},
    {"sb 63", {"fence.mode=scoreboard", "fence.consumers=63"}, true},
    {"sb 3", {"fence.mode=scoreboard", "fence.consumers=3"}, true},
    {"sb 1", {"fence.mode=scoreboard", "fence.consumers=1"}, true},
};
enum { VARIANTS = HD_COUNT(variants), UNLIMITED = 12 };

/* HZ-31. The first three count 511 primaries each, as the default machine does, and the next three 15, 1 and 1. */
static const variant unit_variants[] = {
    {"instructions, 9 bits", {"fence.unit=instruction", "fence.bits=9"}, true},
    {"lanes, 14 bits", {"fence.unit=lane", "fence.bits=14"}, true},
    {"groups of 8, 11 bits", {"fence.group_lanes=8", "fence.bits=11"}, true},
    {"instructions, 4 bits", {"fence.unit=instruction", "fence.bits=4"}, true},
    {"instructions, 1 bit", {"fence.unit=instruction", "fence.bits=1"}, true},
    {"groups, 4 bits", {"fence.bits=4"}, true},
    {"memory by groups", {"memory.return_groups=true"}, false},
};

/* HZ-30 */
static const variant guard_variants[] = {
    {"no active logic", {"fence.active_logic=false"}, false},
    {"2 guarded", {"divergence.if_convert=2"}, true},
    {"4", {"divergence.if_convert=4"}, true},
    {"8", {"divergence.if_convert=8"}, true},
    {"16", {"divergence.if_convert=16"}, true},
    {"64", {"divergence.if_convert=64"}, true},
    {"8, no active logic", {"divergence.if_convert=8", "fence.active_logic=false"}, true},
};

/* HZ-32. A window sends an instruction that would wait only while fewer than multi_issue.hold wait in its hazard queue. Without such a queue this
 * never holds one back, but with hold=0. */
static const variant queue_variants[] = {
    {"4", {"queue.*.hazard=4"}, false},
    {"2", {"queue.*.hazard=2"}, false},
    {"1", {"queue.*.hazard=1"}, false},
    {"none", {"queue.*.hazard=0"}, false},
    {"none, hold 0", {"queue.*.hazard=0", "multi_issue.hold=0"}, false},
    {"window 1", {"multi_issue.window=1"}, true},
    {"window 1, none", {"multi_issue.window=1", "queue.*.hazard=0"}, true},
};

/* HZ-34, for two numbers of counters */
static const variant assign_variants[] = {
    {"rotate", {"fence.assign=rotate"}, true},
    {"unshared", {"fence.assign=unshared"}, true},
    {"K=3", {"fence.counters=3", "fence.high_latency=1"}, true},
    {"K=3, rotate", {"fence.counters=3", "fence.high_latency=1", "fence.assign=rotate"}, true},
    {"K=3, unshared", {"fence.counters=3", "fence.high_latency=1", "fence.assign=unshared"}, true},
};

/* HZ-35 */
static const variant deadlock_variants[] = {
    {"free of deadlock", {"fence.deadlock_free=true", "fence.wait_counters=false"}, true},
    {"5 high", {"fence.split=fixed", "fence.high_latency=5"}, true},
    {"4 + 2", {"fence.split=fixed"}, true},
    {"4 + 2, free", {"fence.split=fixed", "fence.deadlock_free=true", "fence.wait_counters=false"}, true},
};

/* HZ-36 */
static const variant status_variants[] = {
    {"request", {"fence.status_period=0"}, true}, {"2", {"fence.status_period=2"}, true},   {"4", {"fence.status_period=4"}, true},
    {"8", {"fence.status_period=8"}, true},       {"16", {"fence.status_period=16"}, true}, {"8, compiled for 1", {"fence.status_period=8"}, false},
};

/* HZ-38: every primary of a low-latency counter, so that secondaries wait in queues; or of a high-latency one, so that they wait in the scheduler.
 * HZ-26: counters inside pipelines. */
static const variant waiting_variants[] = {
    {"all low", {"fence.high_latency=0"}, true},
    {"all high", {"fence.split=fixed", "fence.high_latency=5", "fence.classify=latency", "fence.threshold=1"}, true},
    {"within pipelines", {"fence.within_pipeline=true"}, true},
};

typedef enum extent { ALL, QUICK, UNITS, GUARDS, QUEUES, ASSIGN, DEADLOCK, STATUS, WAITING, EXTENTS } extent;

/* The variants that each option measures. */
static const struct {
	const char *option;
	const variant *variants;
	unsigned n;
} tables[EXTENTS] = {
    [ALL] = {NULL, variants, VARIANTS},
    [QUICK] = {"--quick", variants, VARIANTS},
    [UNITS] = {"--units", unit_variants, HD_COUNT(unit_variants)},
    [GUARDS] = {"--guards", guard_variants, HD_COUNT(guard_variants)},
    [QUEUES] = {"--queues", queue_variants, HD_COUNT(queue_variants)},
    [ASSIGN] = {"--assign", assign_variants, HD_COUNT(assign_variants)},
    [DEADLOCK] = {"--deadlock", deadlock_variants, HD_COUNT(deadlock_variants)},
    [STATUS] = {"--status", status_variants, HD_COUNT(status_variants)},
    [WAITING] = {"--waiting", waiting_variants, HD_COUNT(waiting_variants)},
};

typedef struct result {
	const ex_example *example;
	hd_stats stats;        /* of the machine itself */
	hd_stats of[VARIANTS]; /* of each variant */
} result;

/* Cycles are the mean of `vary` runs, whose machines differ in the latencies of DRAM and of the second instruction cache by a cycle each. These
 * change by chance which core a CTA goes to and which warps share a scheduler, so that the mean says more than one run. The rest of *stats is that
 * of the first run. */
static bool run_once(const ex_example *example, unsigned size, const hd_object *object, const hd_machine *machine, hd_stats *stats, hd_diag *diag)
{
	ex_run run;
	ex_backend *backend = ex_heddle_new(object, machine, false, diag);
	if (!backend)
		return false;
	bool ok = ex_run_example(&run, example, size, backend, diag); /* compares with the host's reference */
	*stats = *ex_heddle_stats(backend);
	ex_run_free(&run);
	ex_heddle_free(backend);
	return ok;
}

static bool run(const ex_example *example, unsigned size, unsigned vary, const hd_object *object, const hd_machine *machine, hd_stats *stats,
                hd_diag *diag)
{
	bool ok = run_once(example, size, object, machine, stats, diag);
	for (unsigned i = 1; i < vary && ok; i++) {
		hd_machine other = *machine;
		hd_stats more;
		other.memory_dram_latency += i;
		other.fetch_l15_latency += i;
		ok = run_once(example, size, object, &other, &more, diag);
		stats->run_cycles += more.run_cycles;
	}
	stats->run_cycles = (stats->run_cycles + vary / 2) / vary;
	return ok;
}

/* A setting; `queue.*.KEY=VALUE` stands for all pipes. */
static bool set(hd_machine *machine, const char *setting, hd_diag *diag)
{
	static const char all[] = "queue.*.";
	if (strncmp(setting, all, sizeof all - 1) != 0)
		return hd_machine_set(machine, setting, diag);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		char one[64];
		snprintf(one, sizeof one, "queue.%s.%s", hd_pipe_names[pipe], setting + sizeof all - 1);
		if (!hd_machine_set(machine, one, diag))
			return false;
	}
	return true;
}

/* Compiles for the variant where the compiler does otherwise for it, and runs. */
static bool run_variant(const ex_example *example, unsigned size, unsigned vary, const variant *v, const hd_machine *machine, const char *ptx,
                        size_t ptx_size, const hd_object *object, hd_stats *stats, hd_diag *diag)
{
	hd_machine other = *machine;
	bool ok = true;
	for (unsigned i = 0; i < SETTINGS && v->settings[i]; i++)
		ok = set(&other, v->settings[i], diag) && ok;
	ok = ok && hd_machine_validate(&other, NULL, diag);
	hd_object *mine = ok && v->recompile ? ex_heddle_compile_ptx(ptx, ptx_size, example->source, &other, false, diag) : NULL;
	ok = ok && (mine || !v->recompile) && run(example, size, vary, mine ? mine : object, &other, stats, diag);
	if (mine)
		hd_object_free(mine);
	return ok;
}

static bool measure(const ex_example *example, int wanted, unsigned vary, extent what, const hd_machine *machine, const char *examples, result *out,
                    hd_diag *diag)
{
	hd_text source = {0};
	unsigned size = 0;
	size_t ptx_size;
	while (example->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
		size++;
	out->example = example;
	hd_text_printf(&source, "%s/%s", examples, example->source);
	char *ptx = ex_heddle_ptx(source.at, &ptx_size, diag);
	hd_object *object = ptx ? ex_heddle_compile_ptx(ptx, ptx_size, source.at, machine, false, diag) : NULL;
	bool ok = object && run(example, size, vary, object, machine, &out->stats, diag);
	for (unsigned v = 0; v < tables[what].n && ok; v++) {
		if (what != QUICK || v == UNLIMITED)
			ok = run_variant(example, size, vary, &tables[what].variants[v], machine, ptx, ptx_size, object, &out->of[v], diag);
	}
	if (object)
		hd_object_free(object);
	free(ptx);
	hd_text_free(&source);
	return ok;
}

static double share(uint64_t part, const hd_stats *s) { return s->run_issue_slots ? 100.0 * (double)part / (double)s->run_issue_slots : 0; }

static void print_slots(const char *name, const hd_stats *s)
{
	printf("| %s | %llu | %llu | %llu | %llu | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name,
	       (unsigned long long)s->run_warp_instructions, (unsigned long long)s->fence_raised, (unsigned long long)s->fence_waits,
	       (unsigned long long)s->run_cycles, share(s->run_issued, s), share(s->stall_high_latency, s), share(s->stall_wait_counter, s),
	       share(s->stall_counter_full, s), share(s->stall_queue_full, s), share(s->stall_unit_busy, s), share(s->stall_scoreboard, s),
	       share(s->stall_delay, s), share(s->stall_flow, s), share(s->stall_barrier, s), share(s->stall_fetch, s), share(s->stall_no_warp, s));
}

static void print_counters(const result *results, unsigned n)
{
	printf("Counters, and where the issue slots went (%%); then the same of the unlimited scoreboard\n\n");
	for (unsigned board = 0; board < 2; board++) {
		printf("| example | instructions | raised | waits | cycles | issued | high lat. | wait ctr | ctr full | queue full | unit busy | "
		       "scoreboard | "
		       "delay "
		       "| flow | barrier | fetch | no warp |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
		for (unsigned i = 0; i < n; i++)
			print_slots(results[i].example->name, board ? &results[i].of[UNLIMITED] : &results[i].stats);
		printf("\n");
	}
}

static void print_ratios(const result *results, unsigned n, extent what)
{
	unsigned columns = tables[what].n;
	const variant *at = tables[what].variants;
	kind_sums logarithms[VARIANTS] = {0};
	printf("\nCycles, as a multiple of those with six counters, split as the compiler chose\n\n| example | cycles |");
	for (unsigned v = 0; v < columns; v++)
		printf(" %s |", at[v].name);
	printf("\n|---|--:|");
	for (unsigned v = 0; v < columns; v++)
		printf("--:|");
	printf("\n");
	for (unsigned i = 0; i < n; i++) {
		uint64_t own = results[i].stats.run_cycles;
		printf("| %s | %llu |", results[i].example->name, (unsigned long long)own);
		for (unsigned v = 0; v < columns; v++) {
			double ratio = own ? (double)results[i].of[v].run_cycles / (double)own : 0;
			kind_add(&logarithms[v], results[i].example, log(ratio > 0 ? ratio : 1));
			printf(" %.3f |", ratio);
		}
		printf("\n");
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!logarithms[0].n[kind])
			continue;
		printf("| **%s, geometric mean of %u** | |", kind_name(kind), logarithms[0].n[kind]);
		for (unsigned v = 0; v < columns; v++)
			printf(" %.3f |", exp(kind_mean(&logarithms[v], kind)));
		printf("\n");
	}
}

static void print_state(const hd_machine *machine)
{
	static const uint32_t consumers[] = {0, 63, 3, 1};
	hd_state_bits bits;
	printf("\nState, in bits\n\n| | a warp | a core | fence counters / scoreboard |\n|---|--:|--:|--:|\n");
	hd_state_bits_of(machine, &bits);
	printf("| fence counters | %u | %u | |\n", bits.fence_warp, bits.fence_core);
	for (unsigned i = 0; i < HD_COUNT(consumers); i++) {
		hd_machine other = *machine;
		char name[16] = "any number of";
		hd_state_bits board;
		other.fence_consumers = consumers[i];
		hd_state_bits_of(&other, &board);
		if (consumers[i])
			snprintf(name, sizeof name, "%u", consumers[i]);
		printf("| scoreboard, %s consumer%s | %u | %u | %.1f %% |\n", name, consumers[i] == 1 ? "" : "s", board.scoreboard_warp,
		       board.scoreboard_core, 100.0 * bits.fence_core / board.scoreboard_core);
	}
}

/* The state that the variants of a table keep. */
static void print_variant_state(const hd_machine *machine, extent what)
{
	hd_state_bits bits;
	hd_state_bits_of(machine, &bits);
	printf("\n| counters of | primaries that a counter counts | bits a warp | a core |\n|---|--:|--:|--:|\n");
	printf("| this machine | %u | %u | %u |\n", hd_machine_primaries_of_counter(machine), bits.fence_warp, bits.fence_core);
	for (unsigned v = 0; v < tables[what].n; v++) {
		hd_machine other = *machine;
		hd_diag diag = {0};
		for (unsigned i = 0; i < SETTINGS && tables[what].variants[v].settings[i]; i++)
			hd_invariant(set(&other, tables[what].variants[v].settings[i], &diag), "%s", tables[what].variants[v].settings[i]);
		hd_state_bits_of(&other, &bits);
		printf("| %s | %u | %u | %u |\n", tables[what].variants[v].name, hd_machine_primaries_of_counter(&other), bits.fence_warp,
		       bits.fence_core);
	}
}

/* HZ-30: what active logic dropped and lowered, without and with guarded branches. */
static void print_dropped(const result *results, unsigned n)
{
	enum { GUARDED = 3 };
	printf("\n| example | instructions | dropped | units lowered early | with %s: instructions | dropped | units lowered early |\n"
	       "|---|--:|--:|--:|--:|--:|--:|\n",
	       guard_variants[GUARDED].settings[0]);
	for (unsigned i = 0; i < n; i++) {
		const hd_stats *without = &results[i].stats, *with = &results[i].of[GUARDED];
		printf("| %s | %llu | %llu | %llu | %llu | %llu | %llu |\n", results[i].example->name,
		       (unsigned long long)without->run_warp_instructions, (unsigned long long)without->run_dropped,
		       (unsigned long long)without->fence_groups_lowered_early, (unsigned long long)with->run_warp_instructions,
		       (unsigned long long)with->run_dropped, (unsigned long long)with->fence_groups_lowered_early);
	}
}

/* Counters raised and waits, in all examples together. */
static void print_marks(const result *results, unsigned n, extent what)
{
	printf("\n| | raised | waits | instructions |\n|---|--:|--:|--:|\n");
	for (unsigned v = 0; v <= tables[what].n; v++) {
		uint64_t raised = 0, waits = 0, instructions = 0;
		for (unsigned i = 0; i < n; i++) {
			const hd_stats *s = v ? &results[i].of[v - 1] : &results[i].stats;
			raised += s->fence_raised;
			waits += s->fence_waits;
			instructions += s->run_warp_instructions;
		}
		printf("| %s | %llu | %llu | %llu |\n", v ? tables[what].variants[v - 1].name : "this machine", (unsigned long long)raised,
		       (unsigned long long)waits, (unsigned long long)instructions);
	}
}

/* True, with the table in *what, when the option names one. */
static bool is_table(const char *option, extent *what)
{
	for (unsigned i = 0; i < EXTENTS; i++) {
		if (tables[i].option && strcmp(option, tables[i].option) == 0) {
			*what = (extent)i;
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	const char *examples = getenv("HEDDLE_EXAMPLES"), *machine_name = NULL;
	int wanted = -1, first = 1;
	unsigned vary = 1;
	bool check = false, ok = true;
	extent what = ALL;
	const char *settings[16];
	unsigned n_settings = 0;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--check") == 0) {
			check = true;
		} else if (is_table(argv[first], &what)) {
			continue;
		} else if (strcmp(argv[first], "--set") == 0 && first + 1 < argc && n_settings < HD_COUNT(settings)) {
			settings[n_settings++] = argv[++first];
		} else if (strcmp(argv[first], "--machine") == 0 && first + 1 < argc) {
			machine_name = argv[++first];
		} else if (strcmp(argv[first], "--size") == 0 && first + 1 < argc) {
			wanted = atoi(argv[++first]);
		} else if (strcmp(argv[first], "--vary") == 0 && first + 1 < argc && atoi(argv[first + 1]) > 0) {
			vary = (unsigned)atoi(argv[++first]);
		} else {
			fprintf(stderr, "usage: heddle-fence [--machine NAME] [--set KEY=VALUE]... [--size N] [--vary N] [--quick | --units | "
			                "--guards | --queues | --assign | --deadlock | --status | --waiting] "
			                "[--check] [EXAMPLE]...\n");
			return 2;
		}
	}
	hd_machine machine;
	hd_diag diag = {0};
	result *results = NULL;
	unsigned n = 0, total = 0;
	for (int i = first; i < argc; i++) {
		if (!ex_find(argv[i])) {
			fprintf(stderr, "%s: error: no example of this name\n", argv[i]);
			return 2;
		}
	}
	while (ex_examples[total])
		total++;
	results = hd_xcalloc(total, sizeof *results);
	ok = hd_machine_load(&machine, machine_name, &diag);
	for (unsigned i = 0; i < n_settings && ok; i++)
		ok = hd_machine_set(&machine, settings[i], &diag);
	ok = ok && hd_machine_validate(&machine, NULL, &diag);
	for (unsigned e = 0; e < total && ok; e++) {
		bool chosen = first == argc;
		for (int i = first; i < argc; i++)
			chosen = chosen || strcmp(argv[i], ex_examples[e]->name) == 0;
		if (chosen)
			ok = measure(ex_examples[e], wanted, vary, what, &machine, examples ? examples : "examples", &results[n++], &diag);
	}
	if (ok) {
		bool whole = what <= QUICK;
		if (whole)
			print_counters(results, n);
		print_ratios(results, n, what);
		if (what == UNITS || what == DEADLOCK)
			print_variant_state(&machine, what);
		if (what == GUARDS)
			print_dropped(results, n);
		if (what == WAITING)
			print_marks(results, n, what);
		if (whole)
			print_state(&machine);
	}
	for (unsigned i = 0; i < n && ok && check && what <= QUICK; i++) {
		if (results[i].of[UNLIMITED].run_cycles < results[i].stats.run_cycles) {
			fprintf(stderr, "%s: %llu cycles, the unlimited scoreboard needs %llu\n", results[i].example->name,
			        (unsigned long long)results[i].stats.run_cycles, (unsigned long long)results[i].of[UNLIMITED].run_cycles);
			check = false;
			ok = false;
		}
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	free(results);
	return ok ? 0 : 1;
}

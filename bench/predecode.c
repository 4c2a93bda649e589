/* heddle-predecode [--machine NAME] [--size N] [--table 0-9 | --check] [--set KEY=VALUE]... [EXAMPLE]...
 * What scheduling from pre-decode data costs and gives, example by example (docs/predecode.md is its output): cycles of the whole program with each
 * carrier, with pairs, holds, priorities and replays on and off, with one, two and four instructions a cycle, with and without prefetch. Every
 * variant is compiled for its own machine; results are compared with the host's reference. Ratios: cycles / cycles of the column before the bar, so
 * that below 1 the variant is the faster one. Tables 5 and 6 have the preset `hints` in place of --machine. --check: on that preset pairs, holds,
 * boosts, lowers and replays all take effect in the examples' compiled code (PD-23); exit status 1 if one of them does not. */
#include "backend_heddle.h"
#include "kernel_kinds.h"

#include <math.h>

enum { SETTINGS = 6, MOST_SETTINGS = 16 };

typedef struct variant {
	const char *name;
	const char *settings[SETTINGS];
} variant;

/* The first variant of each table is the reference for the others. */
static const variant carriers[] = {
    {"line", {NULL}},
    {"instruction", {"predecode.carrier=instruction"}},
    {"register", {"predecode.carrier=register"}},
    {"none", {"predecode.carrier=none"}},
    {"none, no cost", {"predecode.carrier=none", "predecode.decode_cycles=0"}},
};
static const variant hints[] = {
    {"all hints", {NULL}},
    {"no hold", {"predecode.hold=false"}},
    {"no boost, lower", {"predecode.boost=false"}},
    {"no replay", {"predecode.replay=0"}},
    {"delays alone", {"predecode.hold=false", "predecode.boost=false", "predecode.replay=0"}},
    {"equal", {"predecode.priority=program"}},
    {"strict order", {"predecode.priority=program", "predecode.strict_order=true"}},
    {"10 bits", {"predecode.priority=program", "predecode.strict_order=true", "predecode.priority_bits=10"}},
};
enum { STRICT = 6 };
static const variant widths[] = {
    {"1", {NULL}},
    {"2", {"predecode.issue_width=2"}},
    {"2, no pair", {"predecode.issue_width=2", "predecode.pair=false"}},
    {"4", {"predecode.issue_width=4"}},
    {"4, no pair", {"predecode.issue_width=4", "predecode.pair=false"}},
};
/* One warp a scheduler: no other warp fills the slots. */
static const variant alone[] = {
    {"one warp", {"machine.schedulers=8", "machine.warps=1", "machine.cores=4"}},
    {"2", {"machine.schedulers=8", "machine.warps=1", "machine.cores=4", "predecode.issue_width=2"}},
    {"2, no pair", {"machine.schedulers=8", "machine.warps=1", "machine.cores=4", "predecode.issue_width=2", "predecode.pair=false"}},
};
static const variant fetches[] = {
    {"2 lines", {NULL}},
    {"none", {"predecode.prefetch=0"}},
    {"1", {"predecode.prefetch=1"}},
    {"4", {"predecode.prefetch=4", "predecode.buffer=64"}},
    {"8", {"predecode.prefetch=8", "predecode.buffer=64"}},
    {"L1 of 8 lines", {"fetch.l1i_lines=8"}},
};

/* PD-23 */
static const variant every_hint[] = {
    {"every hint", {NULL}},
    {"no pair", {"predecode.pair=false"}},
    {"no hold", {"predecode.hold=false"}},
    {"no boost", {"predecode.boost_loads=false"}},
    {"no boost, lower", {"predecode.boost=false"}},
    {"no replay", {"predecode.replay=0"}},
    {"delays alone", {"predecode.pair=false", "predecode.hold=false", "predecode.boost=false", "predecode.replay=0"}},
};

/* PD-24: lines of `wide` and `combined` hold as many instructions. */
static const variant two_hints[] = {
    {"wide", {"predecode.geometry=wide"}},
    {"combined", {"predecode.geometry=combined"}},
    {"line", {NULL}},
};

/* PD-34 */
static const variant buffers[] = {
    {"one buffer", {NULL}},
    {"FIFO of 1", {"predecode.fifo=1"}},
    {"of 2", {"predecode.fifo=2"}},
    {"of 4", {"predecode.fifo=4"}},
    {"of 8", {"predecode.fifo=8"}},
    {"of 8, one a cycle", {"predecode.fifo=8", "predecode.fifo_rate=1"}},
    {"of 8, pre-decode buffer of 8", {"predecode.fifo=8", "predecode.data_buffer=8"}},
};
enum { FIFO_OF_8 = 4 };

/* PD-26. All have a constant cache, so that a constant can be absent, and entries for two hints: a pipe that is not the load/store pipe then gets
 * may_replay beside the hint that names it. */
#define CAN_REFUSE "memory.constant_bytes=2048", "predecode.geometry=combined"
static const variant refusals[] = {
    {"none", {CAN_REFUSE}},
    {"busy", {CAN_REFUSE, "predecode.refuse_busy=true"}},
    {"atomics", {CAN_REFUSE, "predecode.refuse_atomics=true"}},
    {"constants", {CAN_REFUSE, "predecode.refuse_constants=true"}},
    {"ports", {CAN_REFUSE, "predecode.refuse_ports=true"}},
    {"misses", {CAN_REFUSE, "predecode.replay_misses=true"}},
    {"one queue", {CAN_REFUSE, "multi_issue.queues=shared"}},
    {"one queue, busy", {CAN_REFUSE, "multi_issue.queues=shared", "predecode.refuse_busy=true"}},
};
/* How often each of them refused, by the variant's place. */
static const struct {
	unsigned variant;
	size_t offset;
} refused[] = {{1, offsetof(hd_stats, predecode_refused_busy)},
               {2, offsetof(hd_stats, predecode_refused_atomics)},
               {3, offsetof(hd_stats, predecode_refused_constants)},
               {4, offsetof(hd_stats, predecode_refused_ports)},
               {5, offsetof(hd_stats, predecode_refused_l1)}};

/* PD-35 */
static const variant sorters[] = {
    {"round of 4, 16 warps", {NULL}},        {"of 1", {"predecode.sort_period=1"}},   {"of 2", {"predecode.sort_period=2"}},
    {"of 8", {"predecode.sort_period=8"}},   {"of 64", {"predecode.sort_period=64"}}, {"8 warps", {"predecode.sort_warps=8"}},
    {"4 warps", {"predecode.sort_warps=4"}}, {"2 warps", {"predecode.sort_warps=2"}},
};

typedef struct table {
	const char *title;
	const variant *variants;
	unsigned n;
} table;
static const table tables[] = {
    {"Carriers (PD-3): cycles, and as multiples of the line's", carriers, HD_COUNT(carriers)},
    {"Hints and priorities (PD-8 to PD-12): cycles, and as multiples of those with all hints", hints, HD_COUNT(hints)},
    {"Issue width and pairs (PD-7, PD-14): cycles with one decoder, and multiples of them", widths, HD_COUNT(widths)},
    {"Pairs, when a scheduler has one warp: cycles with one decoder, and multiples of them", alone, HD_COUNT(alone)},
    {"Fetch (PD-11): cycles, and as multiples of those with two lines of prefetch", fetches, HD_COUNT(fetches)},
    {"Preset `hints` (PD-23): cycles, multiples of them, and how often each hint took effect", every_hint, HD_COUNT(every_hint)},
    {"Two hints an entry (PD-24): cycles with one, multiples of them, and how often each hint took effect with two", two_hints, HD_COUNT(two_hints)},
    {"FIFOs of warps (PD-34): cycles, multiples of them, and how often the buffers were full or empty with a FIFO of 8", buffers, HD_COUNT(buffers)},
    {"Units that refuse (PD-26): cycles, multiples of them, and how often each of the five refused", refusals, HD_COUNT(refusals)},
    {"Macro sorter (PD-35): cycles, and as multiples of those with a round of four cycles and 16 warps", sorters, HD_COUNT(sorters)},
};
enum { MOST = 8 };

/* True for the tables of the preset `hints`. */
static bool of_preset(const table *t) { return t->variants == every_hint || t->variants == two_hints; }

/* The columns of counts behind those of cycles. */
static unsigned more_columns(const table *t)
{
	return t->variants == hints ? 6 : t->variants == widths ? 1 : of_preset(t) ? 5 : t->variants == buffers ? 4 : t->variants == refusals ? 5 : 0;
}

typedef struct options {
	const char *machine, *examples;
	int size;
	const char *settings[MOST_SETTINGS];
	unsigned n_settings;
} options;

static bool measure(const ex_example *example, const options *o, const variant *v, hd_stats *stats, unsigned *steps, hd_diag *diag)
{
	hd_machine machine;
	hd_text source = {0};
	ex_run run;
	unsigned size = 0;
	while (example->sizes[size + 1] && (o->size < 0 || size < (unsigned)o->size))
		size++;
	bool ok = hd_machine_load(&machine, o->machine, diag);
	for (unsigned i = 0; i < o->n_settings && ok; i++)
		ok = hd_machine_set(&machine, o->settings[i], diag);
	for (unsigned i = 0; i < SETTINGS && v->settings[i] && ok; i++)
		ok = hd_machine_set(&machine, v->settings[i], diag);
	ok = ok && hd_machine_validate(&machine, NULL, diag);
	hd_text_printf(&source, "%s/%s", o->examples, example->source);
	hd_object *object = ok ? ex_heddle_compile(source.at, &machine, false, diag) : NULL;
	*steps = 0;
	for (size_t i = 0; object && i < object->kernels.n; i++) {
		*steps += object->kernels.at[i].priority_step != 0;
	}
	ex_backend *backend = object ? ex_heddle_new(object, &machine, false, diag) : NULL;
	ok = backend && ex_run_example(&run, example, size, backend, diag);
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

/* The counters of the hints that took effect (PD-23). */
static const struct {
	const char *name;
	size_t offset;
} took_effect[] = {{"pairs", offsetof(hd_stats, predecode_pairs)},
                   {"held", offsetof(hd_stats, predecode_held)},
                   {"boosts", offsetof(hd_stats, predecode_boosts)},
                   {"lowers", offsetof(hd_stats, predecode_lowers)},
                   {"replays", offsetof(hd_stats, predecode_replays)}};

static uint64_t counter_at(const hd_stats *stats, size_t offset)
{
	uint64_t value;
	memcpy(&value, (const char *)stats + offset, sizeof value);
	return value;
}
static uint64_t counter_of(const hd_stats *stats, unsigned i) { return counter_at(stats, took_effect[i].offset); }

static bool check(const ex_example *const *chosen, unsigned n, const options *o, hd_diag *diag)
{
	uint64_t sum[HD_COUNT(took_effect)] = {0};
	bool ok = true;
	for (unsigned e = 0; e < n; e++) {
		hd_stats stats;
		unsigned steps;
		if (!measure(chosen[e], o, &every_hint[0], &stats, &steps, diag))
			return false;
		for (unsigned i = 0; i < HD_COUNT(sum); i++)
			sum[i] += counter_of(&stats, i);
	}
	for (unsigned i = 0; i < HD_COUNT(sum); i++) {
		printf("%s: %llu\n", took_effect[i].name, (unsigned long long)sum[i]);
		ok = ok && sum[i];
	}
	return ok;
}

/* A launch needs as many warps as its CTA has: with one warp a scheduler not every example fits. */
static bool fits(const hd_diag *diag) { return !diag->text.at || !strstr(diag->text.at, "more warps than a core"); }

static bool print_table(const table *t, const ex_example *const *chosen, unsigned n, const options *o, hd_diag *diag)
{
	double sum[KINDS][MOST] = {{0}};
	unsigned rows[KINDS] = {0};
	printf("\n%s\n\n| example |", t->title);
	for (unsigned v = 0; v < t->n; v++)
		printf(" %s |", t->variants[v].name);
	if (t->variants == hints)
		printf(" held | lowers | replays | writes saved | without hold | steps |");
	if (t->variants == widths)
		printf(" pairs, 2 |");
	if (t->variants == buffers)
		printf(" instruction buffer full | pre-decode buffer full | FIFO full | FIFO empty |");
	if (t->variants == refusals)
		printf(" busy | atomics | constants | ports | misses |");
	if (of_preset(t))
		printf(" pairs | held | boosts | lowers | replays |");
	printf("\n|---|");
	for (unsigned v = 0; v < t->n + more_columns(t); v++)
		printf("--:|");
	printf("\n");
	for (unsigned e = 0; e < n; e++) {
		hd_stats stats[MOST] = {0};
		unsigned steps[MOST] = {0};
		bool fit = true;
		for (unsigned v = 0; v < t->n && fit; v++) {
			if (!measure(chosen[e], o, &t->variants[v], &stats[v], &steps[v], diag)) {
				fit = fits(diag);
				if (fit)
					return false;
				hd_diag_free(diag);
				*diag = (hd_diag){0};
			}
		}
		if (!fit)
			continue;
		unsigned kind = kind_of(chosen[e]);
		rows[kind]++;
		printf("| %s | %llu |", chosen[e]->name, (unsigned long long)stats[0].run_cycles);
		for (unsigned v = 1; v < t->n; v++) {
			double ratio = (double)stats[v].run_cycles / (double)stats[0].run_cycles;
			sum[kind][v] += log(ratio);
			printf(" %.3f |", ratio);
		}
		if (t->variants == hints)
			printf(" %llu | %llu | %llu | %.1f %% | %.1f %% | %u |", (unsigned long long)stats[0].predecode_held,
			       (unsigned long long)stats[0].predecode_lowers, (unsigned long long)stats[0].predecode_replays,
			       100.0 * (double)stats[0].register_file_writes_skipped /
			           (double)(stats[0].register_file_writes_skipped + stats[0].register_file_writes),
			       100.0 * (double)stats[1].register_file_writes_skipped /
			           (double)(stats[1].register_file_writes_skipped + stats[1].register_file_writes),
			       steps[STRICT]);
		if (t->variants == widths)
			printf(" %.1f %% |", 200.0 * (double)stats[1].predecode_pairs / (double)stats[1].run_issued);
		for (unsigned i = 0; i < HD_COUNT(took_effect) && of_preset(t); i++)
			printf(" %llu |", (unsigned long long)counter_of(&stats[t->variants == two_hints], i));
		if (t->variants == buffers)
			printf(" %llu | %llu | %llu | %llu |", (unsigned long long)stats[FIFO_OF_8].predecode_buffer_full,
			       (unsigned long long)stats[FIFO_OF_8].predecode_data_buffer_full,
			       (unsigned long long)stats[FIFO_OF_8].predecode_fifo_full, (unsigned long long)stats[FIFO_OF_8].predecode_fifo_refills);
		for (unsigned i = 0; i < HD_COUNT(refused) && t->variants == refusals; i++)
			printf(" %llu |", (unsigned long long)counter_at(&stats[refused[i].variant], refused[i].offset));
		printf("\n");
		fflush(stdout);
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!rows[kind])
			continue;
		printf("| geometric mean, %s | |", kind_name(kind));
		for (unsigned v = 1; v < t->n; v++)
			printf(" %.3f |", exp(sum[kind][v] / rows[kind]));
		for (unsigned v = 0; v < more_columns(t); v++)
			printf(" |");
		printf("\n");
	}
	return true;
}

int main(int argc, char **argv)
{
	options o = {.examples = getenv("HEDDLE_EXAMPLES"), .size = -1};
	const ex_example *chosen[128];
	hd_diag diag = {0};
	unsigned n = 0;
	int first = 1, only = -1;
	bool checks = false;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--machine") == 0 && first + 1 < argc) {
			o.machine = argv[++first];
		} else if (strcmp(argv[first], "--size") == 0 && first + 1 < argc) {
			o.size = atoi(argv[++first]);
		} else if (strcmp(argv[first], "--table") == 0 && first + 1 < argc) {
			only = atoi(argv[++first]);
		} else if (strcmp(argv[first], "--check") == 0) {
			checks = true;
		} else if (strcmp(argv[first], "--set") == 0 && first + 1 < argc && o.n_settings < MOST_SETTINGS) {
			o.settings[o.n_settings++] = argv[++first];
		} else {
			fprintf(stderr,
			        "usage: heddle-predecode [--machine NAME] [--size N] [--table 0-9 | --check] [--set KEY=VALUE]... [EXAMPLE]...\n");
			return 2;
		}
	}
	hd_text folder = {0};
	hd_text_printf(&folder, "%s/examples", getenv("HEDDLE_SOURCE") ? getenv("HEDDLE_SOURCE") : ".");
	if (!o.examples)
		o.examples = folder.at;
	for (unsigned e = 0; ex_examples[e]; e++) {
		bool wanted = first == argc;
		for (int i = first; i < argc; i++)
			wanted = wanted || strcmp(argv[i], ex_examples[e]->name) == 0;
		if (wanted && n < HD_COUNT(chosen))
			chosen[n++] = ex_examples[e];
	}
	if (!n) {
		fprintf(stderr, "error: no example of this name\n");
		return 2;
	}
	options preset = o;
	preset.machine = "hints";
	bool ok = !checks || check(chosen, n, &preset, &diag);
	for (unsigned t = 0; t < HD_COUNT(tables) && ok && !checks; t++)
		if (only < 0 || only == (int)t)
			ok = print_table(&tables[t], chosen, n, of_preset(&tables[t]) ? &preset : &o, &diag);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	hd_text_free(&folder);
	return ok ? 0 : 1;
}

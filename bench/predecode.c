/* heddle-predecode [--machine NAME] [--size N] [--table 0-15 | --check] [--set KEY=VALUE]... [EXAMPLE]...
 * The cost and benefit of scheduling from pre-decode data, example by example (docs/predecode.md is its output): cycles of the whole program with
 * each carrier, with pairs, holds, priorities and replays on and off, with one, two and four instructions a cycle, with and without prefetch. Every
 * variant is compiled for its own machine; results are compared with the host's reference. Ratios: cycles / cycles of the column before the bar, so
 * that below 1 the variant is the faster one. Tables 5 and 6 have the preset `hints` in place of --machine. --check: on that preset pairs, holds,
 * boosts, lowers and replays all take effect in the examples' compiled code (PD-23); exit status 1 if one of them does not. */
#include "options.h"
#include "kernel_kinds.h"
#include "object/object.h"
#include "report/energy.h"

#include <math.h>

enum { SETTINGS = 6 };

typedef struct variant {
	const char *name;
	const char *settings[SETTINGS];
} variant;

/* The first variant of each table is the reference for the others. */
static const variant carriers[] = {
    {"line", {NULL}},
    {"instruction", {"predecode.carrier=instruction"}},
    {"table", {"predecode.carrier=instruction", "predecode.hint_table=true"}},
    {"register", {"predecode.carrier=register"}},
    {"none", {"predecode.carrier=none"}},
    {"none, no cost", {"predecode.carrier=none", "predecode.decode_cycles=0"}},
    {"ahead", {"predecode.carrier=ahead", "predecode.fifo=8"}},
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

/* PD-37. A small first cache asks the level behind it more often. */
static const variant constants[] = {
    {"L2 behind 2 KiB", {"memory.constant_bytes=2048"}},
    {"L1.5 behind it", {"memory.constant_bytes=2048", "fetch.l15_constants=true"}},
    {"L2 behind 512 bytes", {"memory.constant_bytes=512"}},
    {"L1.5 behind 512 bytes", {"memory.constant_bytes=512", "fetch.l15_constants=true"}},
};

/* PD-39: four cores with small first caches, and the same number of lines or the same total behind them. */
static const variant clusters[] = {
    {"one of 64 lines for four cores", {"machine.cores=4", "fetch.l1i_lines=8", "fetch.l15_lines=64"}},
    {"64 lines for each", {"machine.clusters=4", "machine.cores=1", "fetch.l1i_lines=8", "fetch.l15_lines=64"}},
    {"16 lines for each", {"machine.clusters=4", "machine.cores=1", "fetch.l1i_lines=8", "fetch.l15_lines=16"}},
};

/* PD-29, PD-30 */
static const variant chains[] = {
    {"pairs", {"predecode.issue_width=4"}},
    {"chains of 3", {"predecode.issue_width=4", "predecode.chain=3"}},
    {"chains of 4", {"predecode.issue_width=4", "predecode.chain=4"}},
    {"strict pairs", {"predecode.issue_width=4", "predecode.strict_pairs=true"}},
    {"strict, two decoders", {"predecode.issue_width=2", "predecode.strict_pairs=true"}},
    {"consecutive", {"predecode.issue_width=4", "predecode.consecutive=true"}},
    {"no hold", {"predecode.issue_width=4", "predecode.hold=false"}},
};
enum { CHAINS_OF_4 = 2, STRICT_PAIRS = 3, CONSECUTIVE = 5, NO_HOLD = 6 };

/* PD-39: few places for misses, so that loads are refused. */
#define FEW_MISSES "memory.l1_misses=4"
static const variant replays[] = {
    {"replay buffer", {FEW_MISSES}},
    {"fetched again", {FEW_MISSES, "predecode.refetch=true"}},
    {"no replay", {FEW_MISSES, "predecode.replay=0"}},
};

/* PD-33. All have six counters. Where lines have 256 bits the buffer has as many bits as that of `line`. */
static const variant geometries[] = {
    {"line", {NULL}},
    {"4 lines, twice the buffer", {"predecode.prefetch=4", "predecode.buffer=32"}},
    {"wide", {"predecode.geometry=wide"}},
    {"front", {"predecode.geometry=front"}},
    {"short", {"predecode.geometry=short", "predecode.prefetch=4"}},
    {"compact, 2 lines", {"predecode.geometry=compact", "predecode.buffer=32"}},
    {"3 lines", {"predecode.geometry=compact", "predecode.prefetch=3", "predecode.buffer=32"}},
    {"4 lines", {"predecode.geometry=compact", "predecode.prefetch=4", "predecode.buffer=32"}},
};
enum { COMPACT = 5 };

typedef enum metric { CYCLES, TOTAL, FRONT, CODE, DECODED, METRICS } metric;

typedef struct table {
	const char *title;
	const variant *variants;
	unsigned n;
	metric first, last; /* the metrics that are compared */
} table;
static const table tables[] = {
    {"Carriers (PD-3): cycles, and as multiples of the line's", carriers, HD_COUNT(carriers), CYCLES, CYCLES},
    {"Hints and priorities (PD-8 to PD-12): cycles, and as multiples of those with all hints", hints, HD_COUNT(hints), CYCLES, CYCLES},
    {"Issue width and pairs (PD-7, PD-14): cycles with one decoder, and multiples of them", widths, HD_COUNT(widths), CYCLES, CYCLES},
    {"Pairs, when a scheduler has one warp: cycles with one decoder, and multiples of them", alone, HD_COUNT(alone), CYCLES, CYCLES},
    {"Fetch (PD-11): cycles, and as multiples of those with two lines of prefetch", fetches, HD_COUNT(fetches), CYCLES, CYCLES},
    {"Preset `hints` (PD-23): cycles, multiples of them, and how often each hint took effect", every_hint, HD_COUNT(every_hint), CYCLES, CYCLES},
    {"Two hints an entry (PD-24): cycles with one, multiples of them, and how often each hint took effect with two", two_hints, HD_COUNT(two_hints),
     CYCLES, CYCLES},
    {"FIFOs of warps (PD-34): cycles, multiples of them, and how often the buffers were full or empty with a FIFO of 8", buffers, HD_COUNT(buffers),
     CYCLES, CYCLES},
    {"Units that refuse (PD-26): cycles, multiples of them, and how often each of the five refused", refusals, HD_COUNT(refusals), CYCLES, CYCLES},
    {"Macro sorter (PD-35): cycles, and as multiples of those with a round of four cycles and 16 warps", sorters, HD_COUNT(sorters), CYCLES, CYCLES},
    {"Constants in the L1.5 (PD-37): cycles, and as multiples of those without", constants, HD_COUNT(constants), CYCLES, CYCLES},
    {"L1.5 caches, shared and private (PD-39): cycles of four cores, and as multiples of those with one", clusters, HD_COUNT(clusters), CYCLES,
     CYCLES},
    {"Energy by carrier (PD-39): nJ, and as multiples of the line's; fetch, scheduling and decoding alone; bytes of code; instructions decoded",
     carriers, HD_COUNT(carriers), TOTAL, DECODED},
    {"Chains and strict pairs (PD-29), the consecutive cycle (PD-30): cycles with pairs, multiples of them, and counts", chains, HD_COUNT(chains),
     CYCLES, CYCLES},
    {"Replays and fetching again (PD-39), with 4 places for misses: cycles; nJ; nJ of fetch, scheduling and decoding alone; replays", replays,
     HD_COUNT(replays), CYCLES, FRONT},
    {"Geometries (PD-33): cycles; nJ; nJ of fetch, scheduling and decoding alone; bytes of code; instructions of 32 bits in `compact`", geometries,
     HD_COUNT(geometries), CYCLES, CODE},
};
enum { MOST = 8 };

/* True for the tables of the preset `hints`. */
static bool of_preset(const table *t) { return t->variants == every_hint || t->variants == two_hints; }

/* The columns of counts behind those of cycles. */
static unsigned more_columns(const table *t)
{
	return t->variants == hints        ? 6
	       : t->variants == chains     ? 7
	       : t->variants == widths     ? 1
	       : of_preset(t)              ? 5
	       : t->variants == buffers    ? 4
	       : t->variants == refusals   ? 5
	       : t->variants == replays    ? 1
	       : t->variants == geometries ? 1
	                                   : 0;
}

typedef struct outcome {
	hd_stats stats;
	unsigned steps;        /* kernels with a strict order of warps */
	uint64_t total, front; /* energy in fJ: all; fetch, scheduling and decoding */
	uint64_t code;         /* bytes */
	double brief;          /* share of its instructions that have 32 bits, without no-ops, in percent */
} outcome;

static double brief_share(const hd_object *object)
{
	unsigned brief = 0, n = 0;
	const char *why;
	hd_inst inst;
	for (uint32_t word = 0; word < object->code.n; word++) {
		if (!hd_object_begins(object, word) || !hd_line_get(object->geometry, object->code.at, word, &inst, &why) || inst.op == HD_OP_NOP)
			continue;
		brief += hd_is_compact(object->geometry) && hd_line_length(object->geometry, object->code.at, word) == 1;
		n++;
	}
	return n ? 100.0 * brief / n : 0;
}

static bool measure(const ex_example *example, const options *o, const variant *v, outcome *out, hd_diag *diag)
{
	hd_machine machine;
	hd_text source = {0};
	ex_run run;
	unsigned size = 0;
	while (example->sizes[size + 1] && (o->size < 0 || size < (unsigned)o->size))
		size++;
	bool ok = options_machine(o, &machine, diag);
	for (unsigned i = 0; i < SETTINGS && v->settings[i] && ok; i++)
		ok = hd_machine_set(&machine, v->settings[i], diag);
	ok = ok && hd_machine_validate(&machine, NULL, diag);
	hd_text_printf(&source, "%s/%s", o->examples, example->source);
	hd_object *object = ok ? ex_heddle_compile(source.at, &machine, false, diag) : NULL;
	*out = (outcome){.code = object ? hd_geometries[object->geometry].word_bytes * object->code.n : 0};
	if (object)
		out->brief = brief_share(object);
	for (size_t i = 0; object && i < object->kernels.n; i++)
		out->steps += object->kernels.at[i].priority_step != 0;
	ex_backend *backend = object ? ex_heddle_new(object, &machine, false, diag) : NULL;
	ok = backend && ex_run_example(&run, example, size, backend, diag);
	if (backend) {
		out->stats = *ex_heddle_stats(backend);
		hd_energy energy = hd_energy_of(&machine, &out->stats);
		out->total = hd_energy_total(&energy);
		out->front = hd_energy_of_group(&energy, HD_ENERGY_GROUP_front);
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
		outcome one;
		if (!measure(chosen[e], o, &every_hint[0], &one, diag))
			return false;
		for (unsigned i = 0; i < HD_COUNT(sum); i++)
			sum[i] += counter_of(&one.stats, i);
	}
	for (unsigned i = 0; i < HD_COUNT(sum); i++) {
		printf("%s: %llu\n", took_effect[i].name, (unsigned long long)sum[i]);
		ok = ok && sum[i];
	}
	return ok;
}

/* A launch needs as many warps as its CTA has: with one warp a scheduler not every example fits. */
static bool fits(const hd_diag *diag) { return !diag->text.at || !strstr(diag->text.at, "more warps than a core"); }

/* The names of the columns of counts behind those of cycles. */
static const char *more_names(const table *t)
{
	if (t->variants == hints)
		return " held | lowers | replays | writes saved | without hold | steps |";
	if (t->variants == widths)
		return " pairs, 2 |";
	if (t->variants == chains)
		return " pairs | in chains of 4 | strict waits | consecutive | writes saved | consecutive | no hold |";
	if (t->variants == replays)
		return " replays |";
	if (t->variants == geometries)
		return " of 32 bits |";
	if (t->variants == buffers)
		return " instruction buffer full | pre-decode buffer full | FIFO full | FIFO empty |";
	if (t->variants == refusals)
		return " busy | atomics | constants | ports | misses |";
	return of_preset(t) ? " pairs | held | boosts | lowers | replays |" : "";
}

static double saved(const hd_stats *s)
{
	return 100.0 * (double)s->register_file_writes_skipped / (double)(s->register_file_writes_skipped + s->register_file_writes);
}

static void print_more(const table *t, const outcome *of)
{
	const hd_stats *first = &of[0].stats, *fifo = &of[FIFO_OF_8].stats;
	if (t->variants == hints)
		printf(" %llu | %llu | %llu | %.1f %% | %.1f %% | %u |", (unsigned long long)first->predecode_held,
		       (unsigned long long)first->predecode_lowers, (unsigned long long)first->predecode_replays, saved(first), saved(&of[1].stats),
		       of[STRICT].steps);
	if (t->variants == widths)
		printf(" %.1f %% |", 200.0 * (double)of[1].stats.predecode_pairs / (double)of[1].stats.run_issued);
	for (unsigned i = 0; i < HD_COUNT(took_effect) && of_preset(t); i++)
		printf(" %llu |", (unsigned long long)counter_of(&of[t->variants == two_hints].stats, i));
	if (t->variants == chains)
		printf(" %llu | %llu | %llu | %llu | %.1f %% | %.1f %% | %.1f %% |", (unsigned long long)first->predecode_pairs,
		       (unsigned long long)of[CHAINS_OF_4].stats.predecode_pairs, (unsigned long long)of[STRICT_PAIRS].stats.predecode_strict_waits,
		       (unsigned long long)of[CONSECUTIVE].stats.predecode_consecutive, saved(first), saved(&of[CONSECUTIVE].stats),
		       saved(&of[NO_HOLD].stats));
	if (t->variants == replays)
		printf(" %llu |", (unsigned long long)first->predecode_replays);
	if (t->variants == geometries)
		printf(" %.1f %% |", of[COMPACT].brief);
	if (t->variants == buffers)
		printf(" %llu | %llu | %llu | %llu |", (unsigned long long)fifo->predecode_buffer_full,
		       (unsigned long long)fifo->predecode_data_buffer_full, (unsigned long long)fifo->predecode_fifo_full,
		       (unsigned long long)fifo->predecode_fifo_refills);
	for (unsigned i = 0; i < HD_COUNT(refused) && t->variants == refusals; i++)
		printf(" %llu |", (unsigned long long)counter_at(&of[refused[i].variant].stats, refused[i].offset));
}

static double value_of(const outcome *one, metric which)
{
	const uint64_t values[] = {one->stats.run_cycles, one->total, one->front, one->code, one->stats.predecode_decoded};
	return (double)values[which];
}

/* Runs every variant of the table. *fit is false when the example does not fit one of the machines. */
static bool measure_all(const table *t, const ex_example *example, const options *o, outcome *of, bool *fit, hd_diag *diag)
{
	*fit = true;
	for (unsigned v = 0; v < t->n && *fit; v++) {
		if (measure(example, o, &t->variants[v], &of[v], diag))
			continue;
		*fit = fits(diag);
		if (*fit)
			return false;
		hd_diag_free(diag);
		*diag = (hd_diag){0};
	}
	return true;
}

/* Means of the ratios of each kind. `rows`: the examples of a kind. */
static void print_means(const table *t, double (*sum)[METRICS][MOST], const unsigned *rows)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!rows[kind])
			continue;
		printf("| geometric mean, %s |", kind_name(kind));
		for (metric m = t->first; m <= t->last; m++) {
			printf(" |");
			for (unsigned v = 1; v < t->n; v++)
				printf(" %.3f |", exp(sum[kind][m][v] / rows[kind]));
		}
		for (unsigned v = 0; v < more_columns(t); v++)
			printf(" |");
		printf("\n");
	}
}

static bool print_table(const table *t, const ex_example *const *chosen, unsigned n, const options *o, hd_diag *diag)
{
	double sum[KINDS][METRICS][MOST] = {0};
	unsigned rows[KINDS] = {0};
	outcome of[MOST] = {0};
	printf("\n%s\n\n| example |", t->title);
	for (metric m = t->first; m <= t->last; m++)
		for (unsigned v = 0; v < t->n; v++)
			printf(" %s |", t->variants[v].name);
	printf("%s\n|---|", more_names(t));
	for (unsigned v = 0; v < t->n * (t->last - t->first + 1) + more_columns(t); v++)
		printf("--:|");
	printf("\n");
	for (unsigned e = 0; e < n; e++) {
		bool fit;
		if (!measure_all(t, chosen[e], o, of, &fit, diag))
			return false;
		if (!fit)
			continue;
		unsigned kind = kind_of(chosen[e]);
		rows[kind]++;
		printf("| %s |", chosen[e]->name);
		for (metric m = t->first; m <= t->last; m++) {
			double first = value_of(&of[0], m);
			printf(" %.0f |", m == TOTAL || m == FRONT ? first / 1e6 : first);
			for (unsigned v = 1; v < t->n; v++) {
				double ratio = value_of(&of[v], m) / first;
				sum[kind][m][v] += log(ratio);
				printf(" %.3f |", ratio);
			}
		}
		print_more(t, of);
		printf("\n");
		fflush(stdout);
	}
	print_means(t, sum, rows);
	return true;
}

int main(int argc, char **argv)
{
	options o = options_new();
	hd_diag diag = {0};
	int first = 1, only = -1;
	bool checks = false;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--table") == 0 && first + 1 < argc) {
			only = atoi(argv[++first]);
		} else if (strcmp(argv[first], "--check") == 0) {
			checks = true;
		} else if (!options_take(&o, argc, argv, &first)) {
			fprintf(stderr,
			        "usage: heddle-predecode [--machine NAME] [--size N] [--table 0-15 | --check] [--set KEY=VALUE]... [EXAMPLE]...\n");
			options_free(&o);
			return 2;
		}
	}
	options_choose(&o, argc, argv, first);
	if (!o.n) {
		fprintf(stderr, "error: no example of this name\n");
		options_free(&o);
		return 2;
	}
	options preset = o;
	preset.machine = "hints";
	bool ok = !checks || check(o.chosen, o.n, &preset, &diag);
	for (unsigned t = 0; t < HD_COUNT(tables) && ok && !checks; t++)
		if (only < 0 || only == (int)t)
			ok = print_table(&tables[t], o.chosen, o.n, of_preset(&tables[t]) ? &preset : &o, &diag);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	options_free(&o);
	return ok ? 0 : 1;
}

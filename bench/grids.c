/* heddle-grids [--machine NAME] [PART]...
 * The tables of docs/grids.md: `eviction`, the turnaround of an urgent grid beside a long one, with and without eviction; `children`, a recursive
 * quicksort by the number of places in the table; `joins`, parents that wait for their children with and without their places; `managers`, what task
 * managers and round robin do for short grids beside a long one; `constants`, constant cache off and on. All of them without PART. Every run's output
 * is compared with the interpreter's. */
#include "heddle/heddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_CTAS = 256, URGENT_CTAS = 16, BLOCK = 64, SORTED = 4000, SHORTS = 12, SHORT_CTAS = 8, SETTINGS = 8, TREE_SEED = 914 };

typedef struct outcome {
	heddle_grid_result grid[2];
	uint64_t cycles, children, saved_bytes, helped;
	uint32_t *bytes; /* of the outputs */
	size_t n;
} outcome;

static const char *machine;

static void die(heddle *h)
{
	fputs(heddle_messages(h), stderr);
	exit(1);
}

static heddle *open_with(const char *const *settings, const char *file)
{
	heddle *h = heddle_new();
	char path[1024];
	const char *source = getenv("HEDDLE_SOURCE");
	snprintf(path, sizeof path, "%s/examples/%s", source ? source : ".", file);
	bool ok = heddle_config(h, machine);
	for (; ok && *settings; settings++)
		ok = heddle_set(h, *settings);
	if (!ok || !heddle_build(h, path, NULL))
		die(h);
	return h;
}

static void run_all(heddle *h, heddle_grid *grids, unsigned n, bool functional, heddle_grid_result *results, uint64_t at, size_t words, outcome *out)
{
	grids[0].launch.functional = functional;
	if (heddle_run_grids(h, grids, n, results) != HEDDLE_DONE)
		die(h);
	heddle_stat(h, "run.cycles", &out->cycles);
	heddle_stat(h, "grids.launched", &out->children);
	heddle_stat(h, "grids.saved_bytes", &out->saved_bytes);
	heddle_stat(h, "grids.helped", &out->helped);
	out->n = words;
	out->bytes = malloc(words * 4);
	if (!heddle_read(h, at, out->bytes, words * 4))
		die(h);
	heddle_free(h);
}

static void run(heddle *h, heddle_grid *grids, unsigned n, bool functional, uint64_t at, size_t words, outcome *out)
{
	run_all(h, grids, n, functional, out->grid, at, words, out);
}

static outcome urgent(const char *slots, const char *evict, bool functional)
{
	const char *settings[] = {slots, evict, NULL};
	heddle *h = open_with(settings, "grids/grids.cl");
	outcome out;
	uint64_t at = heddle_alloc(h, "out", (LONG_CTAS + URGENT_CTAS) * BLOCK * 4);
	heddle_arg first[] = {heddle_pointer(at), heddle_u32(2000)}, second[] = {heddle_pointer(at + LONG_CTAS * BLOCK * 4), heddle_u32(200)};
	heddle_grid grids[] = {
	    {.launch = {.kernel = "work", .grid = {LONG_CTAS}, .block = {BLOCK}, .args = first, .n_args = 2}},
	    {.launch = {.kernel = "work", .grid = {URGENT_CTAS}, .block = {BLOCK}, .args = second, .n_args = 2}, .priority = 5, .arrival = 20000},
	};
	run(h, grids, 2, functional, at, (LONG_CTAS + URGENT_CTAS) * BLOCK, &out);
	return out;
}

static void compare(outcome *out, const outcome *expected, const char *what)
{
	if (out->n != expected->n || memcmp(out->bytes, expected->bytes, out->n * 4) != 0) {
		fprintf(stderr, "heddle-grids: %s: the output is not the interpreter's\n", what);
		exit(1);
	}
	free(out->bytes);
}

static void eviction(void)
{
	static const char *const slots[] = {"grids.slots=1", "grids.slots=8"}, *const evict[] = {"grids.evict=none", "grids.evict=drain",
	                                                                                         "grids.evict=save"};
	outcome expected = urgent(slots[0], evict[0], true);
	printf("An urgent grid (%d CTAs, priority 5, arrives in cycle 20000) beside a long one (%d CTAs, priority 0); machine %s\n\n", URGENT_CTAS,
	       LONG_CTAS, machine);
	printf("| slots | evict | urgent begins | urgent: turnaround | ratio | long ends | CTAs saved | bytes moved "
	       "|\n|---|---|---|---|---|---|---|---|\n");
	for (unsigned s = 0; s < 2; s++) {
		double base = 0;
		for (unsigned e = 0; e < 3; e++) {
			outcome o = urgent(slots[s], evict[e], false);
			double turnaround = (double)(o.grid[1].end - o.grid[1].arrival);
			base = e ? base : turnaround;
			printf("| %s | %s | %llu | %.0f | %.2f | %llu | %llu | %llu |\n", slots[s] + 12, evict[e] + 12,
			       (unsigned long long)o.grid[1].begin, turnaround, turnaround / base, (unsigned long long)o.grid[0].end,
			       (unsigned long long)o.grid[0].saved, (unsigned long long)o.saved_bytes);
			compare(&o, &expected, evict[e]);
		}
	}
	free(expected.bytes);
	printf("\n");
}

static heddle *open_clusters(const char *const *settings);

static outcome sort_on(const char *const *settings, bool clusters, bool functional)
{
	heddle *h = clusters ? open_clusters(settings) : open_with(settings, "grids/grids.cl");
	outcome out;
	int32_t data[SORTED];
	uint32_t x = 1;
	for (unsigned i = 0; i < SORTED; i++)
		data[i] = (int32_t)((x = x * 1664525u + 1013904223u) >> 8);
	uint64_t at = heddle_buffer(h, "data", data, sizeof data), scratch = heddle_alloc(h, "scratch", sizeof data);
	heddle_arg args[] = {heddle_pointer(at), heddle_pointer(scratch), heddle_u32(0), heddle_u32(SORTED)};
	heddle_grid grid = {.launch = {.kernel = "quicksort", .grid = {1}, .block = {64}, .args = args, .n_args = 4}};
	run(h, &grid, 1, functional, at, SORTED, &out);
	return out;
}

static outcome sorted(const char *setting, bool functional)
{
	const char *settings[] = {setting, NULL};
	return sort_on(settings, false, functional);
}

static void children(void)
{
	static const char *const settings[] = {"grids.slots=1", "grids.slots=2",  "grids.slots=4",
	                                       "grids.slots=8", "grids.slots=16", "grids.launch_latency=1000"};
	outcome expected = sorted(settings[0], true);
	printf("Quicksort of %d numbers, a child grid for each part; machine %s\n\n| setting | cycles | ratio | child grids |\n|---|---|---|---|\n",
	       SORTED, machine);
	double base = 0;
	for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++) {
		outcome o = sorted(settings[i], false);
		base = i ? base : (double)o.cycles;
		printf("| %s | %llu | %.2f | %llu |\n", settings[i], (unsigned long long)o.cycles, (double)o.cycles / base,
		       (unsigned long long)o.children);
		compare(&o, &expected, settings[i]);
	}
	free(expected.bytes);
	printf("\n");
}

/* The machine of the tables `managers` and `joins`, with settings of their own behind it. */
static heddle *open_clusters(const char *const *settings)
{
	const char *all[SETTINGS] = {"machine.clusters=4", "machine.cores=1"};
	unsigned n = 2;
	for (; *settings; settings++)
		all[n++] = *settings;
	return open_with(all, "grids/grids.cl");
}

/* A long grid, and short ones of kind 1 that arrive one after the other. *turnaround: of a short one, the mean. */
static outcome crowd(const char *const *settings, bool functional, double *turnaround)
{
	heddle *h = open_clusters(settings);
	outcome out;
	uint64_t at = heddle_alloc(h, "out", (LONG_CTAS + SHORTS * SHORT_CTAS) * BLOCK * 4);
	heddle_arg args[1 + SHORTS][2] = {{heddle_pointer(at), heddle_u32(1000)}};
	heddle_grid grids[1 + SHORTS] = {{.launch = {.kernel = "work", .grid = {LONG_CTAS}, .block = {BLOCK}, .args = args[0], .n_args = 2}}};
	heddle_grid_result results[1 + SHORTS];
	for (uint64_t i = 0; i < SHORTS; i++) {
		heddle_arg *own = args[1 + i];
		own[0] = heddle_pointer(at + (LONG_CTAS + i * SHORT_CTAS) * BLOCK * 4);
		own[1] = heddle_u32(100);
		grids[1 + i] = (heddle_grid){.launch = {.kernel = "work", .grid = {SHORT_CTAS}, .block = {BLOCK}, .args = own, .n_args = 2},
		                             .kind = 1,
		                             .arrival = 10000 * (i + 1)};
	}
	run_all(h, grids, 1 + SHORTS, functional, results, at, (LONG_CTAS + SHORTS * SHORT_CTAS) * BLOCK, &out);
	out.grid[0] = results[0];
	*turnaround = 0;
	for (unsigned i = 1; i <= SHORTS; i++)
		*turnaround += (double)(results[i].end - results[i].arrival) / SHORTS;
	return out;
}

static void managers(void)
{
	static const char *const settings[][5] = {
	    {"grids.order=priority"},
	    {"grids.order=round_robin"},
	    {"grids.order=priority", "grids.slots=1"},
	    {"grids.order=round_robin", "grids.slots=1"},
	    {"grids.order=round_robin", "grids.slots=1", "grids.time_slice=5000"},
	    {"grids.managers=cluster"},
	    {"grids.managers=help"},
	    {"grids.clusters_1=1"},
	    {"grids.clusters_1=1", "grids.lend=true"},
	};
	double turnaround, base = 0;
	outcome expected = crowd(settings[0], true, &turnaround), sorts = sort_on(settings[0], true, true);
	printf(
	    "A long grid (%d CTAs), and %d short ones (%d CTAs, kind 1), one every 10000 cycles; and quicksort of %d numbers, a child grid for each "
	    "part; machine %s with 4 clusters of 1 core\n\n| setting | cycles | short: turnaround | ratio | long ends | helped | quicksort: cycles | "
	    "ratio |\n|---|---|---|---|---|---|---|---|\n",
	    LONG_CTAS, SHORTS, SHORT_CTAS, SORTED, machine);
	double sort_base = 0;
	for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
		outcome o = crowd(settings[i], false, &turnaround), s = sort_on(settings[i], true, false);
		base = i ? base : turnaround;
		sort_base = i ? sort_base : (double)s.cycles;
		printf("|");
		for (const char *const *one = settings[i]; *one; one++)
			printf(" %s", *one);
		printf(" | %llu | %.0f | %.2f | %llu | %llu | %llu | %.2f |\n", (unsigned long long)o.cycles, turnaround, turnaround / base,
		       (unsigned long long)o.grid[0].end, (unsigned long long)o.helped, (unsigned long long)s.cycles, (double)s.cycles / sort_base);
		compare(&o, &expected, settings[i][0]);
		compare(&s, &sorts, settings[i][0]);
	}
	free(expected.bytes);
	free(sorts.bytes);
	printf("\n");
}

typedef struct joining {
	const char *name;
	bool sorts;
	uint32_t size;
} joining;

typedef struct joined {
	uint64_t cycles, joins, bytes, saved, kept;
	bool deadlock;
} joined;

/* A program whose CTAs join. `words` receives its output. */
static joined join(const char *const *settings, const joining *program, bool functional, uint32_t *words)
{
	heddle *h = open_with(settings, "grids/grids.cl");
	uint32_t x = 1;
	for (unsigned i = 0; i < SORTED; i++)
		words[i] = (x = x * 1664525u + 1013904223u) >> 8;
	uint64_t at = heddle_buffer(h, "data", words, SORTED * 4), scratch = heddle_alloc(h, "scratch", SORTED * 4);
	heddle_arg sort[] = {heddle_pointer(at), heddle_pointer(scratch), heddle_u32(0), heddle_u32(program->size)};
	heddle_arg tree[] = {heddle_pointer(at), heddle_u32(0), heddle_u32(TREE_SEED), heddle_u32(program->size)};
	heddle_grid grid = {.launch = {.kernel = program->name,
	                               .grid = {1},
	                               .block = {program->sorts ? 64 : 1},
	                               .args = program->sorts ? sort : tree,
	                               .n_args = 4,
	                               .functional = functional}};
	heddle_grid_result result;
	heddle_status status = heddle_run_grids(h, &grid, 1, &result);
	joined out = {.deadlock = status != HEDDLE_DONE};
	if (out.deadlock && !strstr(heddle_messages(h), "grids.join"))
		die(h);
	heddle_stat(h, "run.cycles", &out.cycles);
	heddle_stat(h, "grids.joins", &out.joins);
	heddle_stat(h, "grids.saved_bytes", &out.bytes);
	heddle_stat(h, "grids.join_saved", &out.saved);
	heddle_stat(h, "grids.join_kept", &out.kept);
	if (!heddle_read(h, at, words, SORTED * 4))
		die(h);
	heddle_free(h);
	return out;
}

static void joins(void)
{
	static const char *const settings[][5] = {
	    {"grids.join=stay", "grids.slots=64"},
	    {"grids.join=save", "grids.slots=64"},
	    {"grids.join=stay", "grids.slots=8"},
	    {"grids.join=save", "grids.slots=8"},
	    {"grids.join=stay", "grids.slots=64", "machine.cores=1", "machine.max_ctas=4"},
	    {"grids.join=save", "grids.slots=64", "machine.cores=1", "machine.max_ctas=4"},
	    {"grids.join=stay", "grids.slots=64", "machine.cores=1"},
	    {"grids.join=save", "grids.slots=64", "machine.cores=1"},
	};
	static const joining programs[] = {{"mergesort", true, 1000}, {"mergesort", true, 4000}, {"tree", false, 3}, {"tree", false, 6}};
	static uint32_t expected[SORTED], words[SORTED];
	printf("Parents that wait for their children: mergesort of some numbers, and an unstructured tree of some depth; machine %s\n\n| program | "
	       "setting | cycles | ratio | joins | bytes moved | CTA cycles without a place | with one |\n|---|---|---|---|---|---|---|---|\n",
	       machine);
	for (const joining *p = programs; p < programs + sizeof programs / sizeof *programs; p++) {
		double base = 0;
		join(settings[1], p, true, expected);
		for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
			joined o = join(settings[i], p, false, words);
			printf("| %s %u |", p->name, p->size);
			for (const char *const *one = settings[i]; *one; one++)
				printf(" %s", *one);
			if (o.deadlock) {
				printf(" | deadlock | | | | | |\n");
				continue;
			}
			base = base > 0 ? base : (double)o.cycles;
			printf(" | %llu | %.2f | %llu | %llu | %llu | %llu |\n", (unsigned long long)o.cycles, (double)o.cycles / base,
			       (unsigned long long)o.joins, (unsigned long long)o.bytes, (unsigned long long)o.saved, (unsigned long long)o.kept);
			if (memcmp(words, expected, sizeof words) != 0) {
				fprintf(stderr, "heddle-grids: joins: the output is not the interpreter's\n");
				exit(1);
			}
		}
	}
	printf("\n");
}

static void constants(void)
{
	static const char *const settings[] = {"memory.constant_bytes=0", "memory.constant_bytes=2048", "memory.constant_bytes=256"};
	printf("A convolution whose weights are in constant memory; machine %s\n\n", machine);
	printf("| setting | cycles | ratio | hits | misses | slots lost |\n|---|---|---|---|---|---|\n");
	double base = 0;
	for (unsigned i = 0; i < sizeof settings / sizeof settings[0]; i++) {
		const char *with[] = {settings[i], i == 2 ? "memory.constant_ways=1" : NULL, NULL};
		heddle *h = open_with(with, "grids/constants.cl");
		uint64_t out = heddle_alloc(h, "out", 65536), in = heddle_alloc(h, "in", 65536 + 1024), cycles, hits, misses, lost;
		heddle_arg args[] = {heddle_pointer(out), heddle_pointer(in)};
		heddle_launch launch = {.grid = {128}, .block = {128}, .args = args, .n_args = 2};
		if (heddle_run(h, &launch) != HEDDLE_DONE)
			die(h);
		heddle_stat(h, "run.cycles", &cycles);
		heddle_stat(h, "memory.constant_hits", &hits);
		heddle_stat(h, "memory.constant_misses", &misses);
		heddle_stat(h, "stall.constant", &lost);
		base = i ? base : (double)cycles;
		printf("| %s | %llu | %.2f | %llu | %llu | %llu |\n", settings[i], (unsigned long long)cycles, (double)cycles / base,
		       (unsigned long long)hits, (unsigned long long)misses, (unsigned long long)lost);
		heddle_free(h);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} parts[] = {{"eviction", eviction}, {"children", children}, {"joins", joins}, {"managers", managers}, {"constants", constants}};
	unsigned wanted = 0;
	machine = "heddle";
	for (int i = 1; i < argc; i++) {
		unsigned before = wanted;
		if (strcmp(argv[i], "--machine") == 0 && i + 1 < argc) {
			machine = argv[++i];
			continue;
		}
		for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
			wanted |= (unsigned)(strcmp(argv[i], parts[k].name) == 0) << k;
		if (wanted == before) {
			fprintf(stderr, "usage: heddle-grids [--machine NAME] [eviction] [children] [joins] [managers] [constants]\n");
			return 2;
		}
	}
	for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
		if (!wanted || wanted >> k & 1)
			parts[k].print();
	return 0;
}

/* heddle-threads [--machine NAME] [--set KEY=VALUE]... [--threads MOST] [--rounds N] [--functional] [--objects DIR]: what threads of the host are
 * worth (PA-4, docs/memory.md). Launches that fill the machine, with 1, 2, 4, ... and MOST threads in turn, N rounds of it: the least seconds of wall
 * time for each number, and the ratios to one thread. The JSON reports of all runs must be equal but for the group `host` (PA-1). Without --machine
 * and --set the machine has 8 clusters of 2 cores, or as many clusters as threads. Figures are good only on a host that does nothing else, and for as
 * many threads as it has processors. Examples are read from the directory of HEDDLE_SOURCE, or the present one. A host without clang gets their
 * objects: DIR/matmul.hko, DIR/mandelbrot.hko, DIR/saxpy.hko. */
#include "heddle/heddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETTINGS = 16, MOST_THREADS = 64, BUFFERS = 3, EDGE = 512 /* of matrices and pictures */, LONG = 1 << 21 /* numbers */ };

typedef struct work {
	const char *name, *file, *kernel;
	uint32_t grid[3], block[3];
	uint32_t words[BUFFERS];
	heddle_arg more[7]; /* after the buffers */
	uint32_t n_more;
	const char *setting; /* one more; NULL: none */
} work;

typedef struct asked {
	const char *machine, *objects, *settings[SETTINGS];
	unsigned n_settings, threads, rounds;
	bool functional;
} asked;

static void die(heddle *h)
{
	fputs(heddle_messages(h), stderr);
	exit(1);
}

static float *numbers(uint32_t n)
{
	float *all = malloc((size_t)n * sizeof *all);
	for (uint32_t i = 0; i < n; i++)
		all[i] = (float)(i * 2654435761u >> 8) / 16777216.0f - 0.5f;
	return all;
}

/* One run. The report without the group `host`, which the caller frees, and the seconds of wall time. */
static char *run(const asked *a, const work *w, unsigned threads, double *seconds)
{
	heddle *h = heddle_new();
	const char *source = getenv("HEDDLE_SOURCE");
	char path[1024];
	heddle_arg args[BUFFERS + 7];
	heddle_launch launch = {.kernel = w->kernel, .args = args, .functional = a->functional, .threads = threads};
	bool ok = heddle_config(h, a->machine);
	for (unsigned i = 0; i < a->n_settings && ok; i++)
		ok = heddle_set(h, a->settings[i]);
	ok = ok && (!w->setting || heddle_set(h, w->setting));
	const char *stem = strchr(w->file, '/') + 1;
	if (a->objects)
		snprintf(path, sizeof path, "%s/%.*s.hko", a->objects, (int)strcspn(stem, "."), stem);
	else
		snprintf(path, sizeof path, "%s/examples/%s", source ? source : ".", w->file);
	if (!ok || !heddle_build(h, path, NULL))
		die(h);
	for (unsigned i = 0; i < BUFFERS && w->words[i]; i++) {
		float *bytes = numbers(w->words[i]);
		args[launch.n_args++] = heddle_pointer(heddle_buffer(h, "buffer", bytes, (uint64_t)w->words[i] * 4));
		free(bytes);
	}
	for (unsigned i = 0; i < w->n_more; i++)
		args[launch.n_args++] = w->more[i];
	memcpy(launch.grid, w->grid, sizeof launch.grid);
	memcpy(launch.block, w->block, sizeof launch.block);
	if (heddle_run(h, &launch) != HEDDLE_DONE)
		die(h);
	*seconds = heddle_seconds(h);
	char *report = heddle_report(h, HEDDLE_JSON), *host = report ? strstr(report, "\"host\"") : NULL;
	if (!host)
		die(h);
	char *end = strchr(host, '}');
	memmove(host, end, strlen(end) + 1);
	heddle_free(h);
	return report;
}

/* The number of threads after `n`: the next power of two, or the last one. 0: there is none. */
static unsigned after(const asked *a, unsigned n) { return n == a->threads ? 0 : 2 * n < a->threads ? 2 * n : a->threads; }

static bool measure(const asked *a, const work *w)
{
	double least[MOST_THREADS + 1] = {0}, seconds;
	bool same = true;
	char *first = NULL;
	for (unsigned round = 0; round < a->rounds; round++) {
		for (unsigned n = 1; n; n = after(a, n)) {
			char *report = run(a, w, n, &seconds);
			least[n] = round && least[n] < seconds ? least[n] : seconds;
			if (first)
				same &= strcmp(first, report) == 0;
			else
				first = strdup(report);
			heddle_text_free(report);
		}
	}
	free(first);
	printf("%-37s", w->name);
	for (unsigned n = 1; n; n = after(a, n))
		printf(" %8.2f", least[n]);
	for (unsigned n = after(a, 1); n; n = after(a, n))
		printf(" %7.2f", least[1] / least[n]);
	printf("%s\n", same ? "" : "  REPORTS DIFFER");
	fflush(stdout);
	return same;
}

static bool take(asked *a, const char *name, const char *value)
{
	if (!value)
		return false;
	if (strcmp(name, "--machine") == 0)
		a->machine = value;
	else if (strcmp(name, "--objects") == 0)
		a->objects = value;
	else if (strcmp(name, "--set") == 0 && a->n_settings < SETTINGS)
		a->settings[a->n_settings++] = value;
	else if (strcmp(name, "--threads") == 0)
		return (a->threads = (unsigned)strtoul(value, NULL, 10)) && a->threads <= MOST_THREADS;
	else if (strcmp(name, "--rounds") == 0)
		return (a->rounds = (unsigned)strtoul(value, NULL, 10));
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	const work works[] = {
	    {"tiled product, 512 x 512 x 512",
	     "matmul/matmul.cl",
	     "matmul_tiled",
	     {EDGE / 16, EDGE / 16},
	     {16, 16},
	     {EDGE * EDGE, EDGE * EDGE, EDGE * EDGE},
	     {heddle_u32(EDGE), heddle_u32(EDGE), heddle_u32(EDGE)},
	     3,
	     NULL},
	    {"Mandelbrot set, 512 x 512, 200 steps",
	     "mandelbrot/mandelbrot.cl",
	     "mandelbrot",
	     {EDGE / 16, EDGE / 16},
	     {16, 16},
	     {EDGE * EDGE},
	     {heddle_u32(EDGE), heddle_u32(EDGE), heddle_f32(-2), heddle_f32(-1.5F), heddle_f32(3.0F / EDGE), heddle_u32(200)},
	     6,
	     NULL},
	    {"saxpy, 2 Mi numbers, short CTAs",
	     "saxpy/saxpy.cl",
	     "saxpy",
	     {LONG / 256},
	     {256},
	     {LONG, LONG},
	     {heddle_f32(2), heddle_u32(LONG)},
	     2,
	     NULL},
	    {"the same, CTAs begin 100 cycles later",
	     "saxpy/saxpy.cl",
	     "saxpy",
	     {LONG / 256},
	     {256},
	     {LONG, LONG},
	     {heddle_f32(2), heddle_u32(LONG)},
	     2,
	     "grids.cta_latency=100"},
	};
	asked a = {.threads = 2, .rounds = 3};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--functional") == 0) {
			a.functional = true;
		} else if (take(&a, argv[i], i + 1 < argc ? argv[i + 1] : NULL)) {
			i++;
		} else {
			fprintf(stderr,
			        "usage: heddle-threads [--machine NAME] [--set KEY=VALUE]... [--threads 1..%d] [--rounds N] [--functional] "
			        "[--objects DIR]\n",
			        MOST_THREADS);
			return 2;
		}
	}
	char clusters[32];
	snprintf(clusters, sizeof clusters, "machine.clusters=%u", a.threads > 8 ? a.threads : 8);
	if (!a.machine && !a.n_settings)
		a.settings[a.n_settings++] = clusters;
	printf("%ld processors;", sysconf(_SC_NPROCESSORS_ONLN));
	for (unsigned i = 0; i < a.n_settings; i++)
		printf(" %s", a.settings[i]);
	printf("\n%-37s", "seconds with threads, then ratio to 1");
	for (unsigned n = 1; n; n = after(&a, n))
		printf(" %8u", n);
	for (unsigned n = after(&a, 1); n; n = after(&a, n))
		printf(" %7u", n);
	printf("\n");
	fflush(stdout);
	bool ok = true;
	for (unsigned i = 0; i < sizeof works / sizeof *works; i++)
		ok &= measure(&a, &works[i]);
	return ok ? 0 : 1;
}

/* A sweep in a program of one's own: every machine is a value of two keys, threads share the work, and the front of cycles and state bits is marked.
 *
 *     heddle-sweep-threads [THREADS] */
#include <heddle/heddle.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024, CTA = 128, TAPS = 8, THREADS_MAX = 64 };

static const char source[] = "kernel void filter(global const float *from, global const float *taps, global float *to)\n"
                             "{\n"
                             "\tuint i = get_global_id(0);\n"
                             "\tfloat sum = 0;\n"
                             "\tfor (uint k = 0; k < 8; k++)\n"
                             "\t\tsum = fma(taps[k], from[i + k], sum);\n"
                             "\tto[i] = sum;\n"
                             "}\n";

/* A machine, and what it gave. */
typedef struct point {
	const char *counters, *window;
	char message[200]; /* "": it ran */
	uint64_t cycles, energy_fj;
	uint32_t state_bits;
} point;

static point points[] = {{"fence.counters=2", "multi_issue.window=1", "", 0, 0, 0}, {"fence.counters=3", "multi_issue.window=1", "", 0, 0, 0},
                         {"fence.counters=3", "multi_issue.window=2", "", 0, 0, 0}, {"fence.counters=6", "multi_issue.window=1", "", 0, 0, 0},
                         {"fence.counters=6", "multi_issue.window=2", "", 0, 0, 0}, {"fence.counters=6", "multi_issue.window=4", "", 0, 0, 0}};
enum { POINTS = sizeof points / sizeof *points };

/* Fills the memory and runs the kernel on the machine of h. */
static bool filter(heddle *h)
{
	float from[N + TAPS], taps[TAPS];
	for (unsigned i = 0; i < N + TAPS; i++)
		from[i] = (float)(i % 17);
	for (unsigned k = 0; k < TAPS; k++)
		taps[k] = 0.125f;
	uint64_t from_at = heddle_buffer(h, "from", from, sizeof from), taps_at = heddle_buffer(h, "taps", taps, sizeof taps);
	uint64_t to_at = heddle_alloc(h, "to", N * sizeof(float));
	if (!from_at || !taps_at || !to_at)
		return false;
	const heddle_arg args[] = {heddle_pointer(from_at), heddle_pointer(taps_at), heddle_pointer(to_at)};
	heddle_launch launch = {0};
	launch.kernel = "filter";
	launch.grid[0] = N / CTA;
	launch.grid[1] = launch.grid[2] = 1;
	launch.block[0] = CTA;
	launch.block[1] = launch.block[2] = 1;
	launch.args = args;
	launch.n_args = 3;
	return heddle_run(h, &launch) == HEDDLE_DONE;
}

/* A machine that cannot be, and a run that fails, are results of the sweep, too. */
static void measure(point *p)
{
	heddle *h = heddle_new();
	heddle_build_options options = {0};
	bool ok = heddle_set(h, p->counters) && heddle_set(h, p->window) && (p->state_bits = heddle_state_bits(h)) != 0 &&
	          heddle_build_text(h, "filter.cl", source, strlen(source), &options) && filter(h) && heddle_stat(h, "run.cycles", &p->cycles) &&
	          heddle_stat(h, "energy_fj.total", &p->energy_fj);
	if (!ok)
		snprintf(p->message, sizeof p->message, "%.*s", (int)strcspn(heddle_messages(h), "\n"), heddle_messages(h));
	heddle_free(h);
}

static struct {
	pthread_mutex_t lock;
	unsigned next;
} work = {PTHREAD_MUTEX_INITIALIZER, 0};

static void *worker(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&work.lock);
		unsigned mine = work.next < POINTS ? work.next++ : POINTS;
		pthread_mutex_unlock(&work.lock);
		if (mine == POINTS)
			return NULL;
		measure(&points[mine]);
	}
}

/* Whether no other machine is as good in cycles and in bits, and better in one. */
static bool in_front(const point *p)
{
	for (unsigned i = 0; i < POINTS; i++) {
		const point *q = &points[i];
		if (!*q->message && q->cycles <= p->cycles && q->state_bits <= p->state_bits &&
		    (q->cycles < p->cycles || q->state_bits < p->state_bits))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2, started = 0;
	pthread_t all[THREADS_MAX];
	while (started < threads && started < THREADS_MAX && pthread_create(&all[started], NULL, worker, NULL) == 0)
		started++;
	if (!started)
		worker(NULL);
	while (started)
		pthread_join(all[--started], NULL);
	printf("%-18s%-22s%8s%11s%12s\n", "", "", "cycles", "nJ", "state bits");
	for (unsigned i = 0; i < POINTS; i++) {
		const point *p = &points[i];
		if (*p->message)
			printf("%-18s%-22s%.72s...\n", p->counters, p->window, p->message);
		else
			printf("%-18s%-22s%8llu%11.1f%12lu%s\n", p->counters, p->window, (unsigned long long)p->cycles, (double)p->energy_fj * 1e-6,
			       (unsigned long)p->state_bits, in_front(p) ? "  front" : "");
	}
	return 0;
}

#include "cli/progress.h"
#include "cli/timeout.h"

#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* The one variable of the process that a signal handler can reach. Threads read it; it is free of locks. */
static atomic_int interrupted;

static void on_signal(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void handle(void (*handler)(int))
{
	/* Once: a second Ctrl-C ends the process at once. */
	struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool hd_progress_interrupted(void) { return interrupted || hd_timeout_passed(); }

void hd_progress_begin(hd_progress *progress, bool functional)
{
	interrupted = 0;
	hd_timeout_watch();
	handle(on_signal);
	*progress = (hd_progress){.terminal = isatty(STDERR_FILENO) == 1, .functional = functional, .begin = now()};
	progress->last = progress->begin;
}

void hd_progress_end(hd_progress *progress)
{
	handle(SIG_DFL);
	hd_timeout_unwatch();
	if (progress->shown)
		fputs("\r\033[K", stderr);
}

bool hd_progress_poll(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas)
{
	hd_progress *progress = context;
	if (hd_progress_interrupted())
		return true;
	double t = progress->terminal ? now() : 0;
	if (!progress->terminal || t - progress->last < 0.25)
		return false;
	double seconds = t - progress->begin;
	progress->last = t;
	progress->shown = true;
	fprintf(stderr, "\r\033[K%.1f million %s, %llu of %llu CTAs done, %.2f million a second", (double)cycle / 1e6,
	        progress->functional ? "warp instructions" : "cycles", (unsigned long long)ctas_done, (unsigned long long)ctas,
	        (double)cycle / 1e6 / seconds);
	if (ctas_done > 0)
		fprintf(stderr, ", about %.0f s left", seconds * (double)(ctas - ctas_done) / (double)ctas_done);
	fflush(stderr);
	return false;
}

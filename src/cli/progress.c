#include "cli/progress.h"
#include "cli/timeout.h"
#include "cli/color.h"

#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <time.h>

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

bool hd_progress_interrupted(void) { return interrupted || hd_timeout_passed(); }

void hd_progress_begin(hd_progress *progress, bool functional)
{
	interrupted = 0;
	hd_timeout_watch();
	handle(on_signal);
	*progress = (hd_progress){.terminal = hd_color_terminal(stderr), .functional = functional, .begin = hd_now()};
	progress->last = progress->begin;
}

void hd_progress_end(hd_progress *progress)
{
	handle(SIG_DFL);
	hd_timeout_unwatch();
	if (progress->shown)
		fputs("\r\033[K", stderr);
}

const char *hd_progress_left(double seconds, double done, double all, char text[40])
{
	text[0] = '\0';
	if (done > 0)
		snprintf(text, 40, ", about %.0f s left", seconds * (all - done) / done);
	return text;
}

bool hd_progress_poll(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas)
{
	hd_progress *progress = context;
	if (hd_progress_interrupted())
		return true;
	double t = progress->terminal ? hd_now() : 0;
	if (!progress->terminal || t - progress->last < 0.25)
		return false;
	double seconds = t - progress->begin;
	progress->last = t;
	progress->shown = true;
	fprintf(stderr, "\r\033[K%.1f million %s, %llu of %llu CTAs done, %.2f million a second", (double)cycle / 1e6,
	        progress->functional ? "warp instructions" : "cycles", (unsigned long long)ctas_done, (unsigned long long)ctas,
	        (double)cycle / 1e6 / seconds);
	char left[40];
	fputs(hd_progress_left(seconds, (double)ctas_done, (double)ctas, left), stderr);
	fflush(stderr);
	return false;
}

double hd_progress_expected(double begin, double now, unsigned percent_done) { return percent_done ? begin + (now - begin) * 100 / percent_done : 0; }

static void show_work(hd_progress_work *work)
{
	fputs("\r\033[K", stderr);
	hd_say(stderr, "%s %s", work->what, work->of);
	if (work->step && work->count > 1)
		fprintf(stderr, ": %s, step %u of %u", work->step, work->number, work->count);
	else if (work->step)
		fprintf(stderr, ": %s", work->step);
	double t = hd_now();
	fprintf(stderr, ", %.0f s", t - work->begin);
	if (work->expected > t)
		fprintf(stderr, ", about %.0f s left", work->expected - t);
	fflush(stderr);
	work->shown = true;
}

static void *watch_work(void *context)
{
	hd_progress_work *work = context;
	pthread_mutex_lock(&work->mutex);
	while (!work->ended) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&work->changed, &work->mutex, &until);
		if (!work->ended && hd_now() - work->begin >= 1)
			show_work(work);
	}
	pthread_mutex_unlock(&work->mutex);
	return NULL;
}

void hd_progress_work_begin(hd_progress_work *work, const char *what, const char *of)
{
	*work = (hd_progress_work){.terminal = hd_color_terminal(stderr), .what = what, .of = of, .begin = hd_now()};
	if (!work->terminal)
		return;
	pthread_mutex_init(&work->mutex, NULL);
	pthread_cond_init(&work->changed, NULL);
	work->terminal = pthread_create(&work->thread, NULL, watch_work, work) == 0;
}

void hd_progress_work_step(void *context, const char *step, unsigned number, unsigned count, unsigned percent_done)
{
	hd_progress_work *work = context;
	if (!work->terminal)
		return;
	double t = hd_now();
	pthread_mutex_lock(&work->mutex);
	if (number == 1)
		work->steps_begin = t;
	work->expected = hd_progress_expected(work->steps_begin, t, percent_done);
	work->step = step;
	work->number = number;
	work->count = count;
	pthread_mutex_unlock(&work->mutex);
}

void hd_progress_work_end(hd_progress_work *work)
{
	if (!work->terminal)
		return;
	pthread_mutex_lock(&work->mutex);
	work->ended = true;
	pthread_cond_signal(&work->changed);
	pthread_mutex_unlock(&work->mutex);
	pthread_join(work->thread, NULL);
	pthread_cond_destroy(&work->changed);
	pthread_mutex_destroy(&work->mutex);
	if (work->shown)
		fputs("\r\033[K", stderr);
	work->terminal = false;
}

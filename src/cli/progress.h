/* Progress on standard error while a launch runs, when that is a terminal; and Ctrl-C, which ends the launch with the report so far. */
#ifndef HD_CLI_PROGRESS_H
#define HD_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hd_progress {
	bool terminal;
	bool functional; /* counts warp instructions instead of cycles */
	bool shown;
	double begin, last; /* seconds */
} hd_progress;

/* A piece of work that nobody polls, such as a compilation. After a second a thread of its own shows what is done, and for how long already. */
typedef struct hd_progress_work {
	bool terminal, shown, ended;
	const char *what, *of; /* "compiling", "scale.cl" */
	const char *step;
	unsigned number, count; /* of the step */
	double begin;           /* seconds of the clock, here and below */
	double steps_begin;     /* of the first of these steps */
	double expected;        /* end of the last step; 0 where it is unknown */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
} hd_progress_work;

/* Does nothing where standard error is no terminal. */
void hd_progress_work_begin(hd_progress_work *work, const char *what, const char *of);
void hd_progress_work_step(void *context, const char *step, unsigned number, unsigned count,
                           unsigned percent_done); /* an hd_stage_call, with the work as context */
void hd_progress_work_end(hd_progress_work *work); /* wipes the line */

/* When the steps will end: those before `now` took `percent_done` of the time of all. 0 where that is unknown. */
double hd_progress_expected(double begin, double now, unsigned percent_done);
/* " 12 s left" and the like for work of which `done` of `all` parts took `seconds`; "" before the first part is done. */
const char *hd_progress_left(double seconds, double done, double all, char text[40]);

void hd_progress_begin(hd_progress *progress, bool functional); /* takes SIGINT and SIGTERM */
void hd_progress_end(hd_progress *progress);                    /* gives them back, wipes the line */
/* heddle_launch.poll, with the hd_progress as context. */
bool hd_progress_interrupted(void);
bool hd_progress_poll(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas);

#endif

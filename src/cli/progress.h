/* Progress on standard error while a launch runs, when that is a terminal; and Ctrl-C, which ends the launch with the report so far. */
#ifndef HD_CLI_PROGRESS_H
#define HD_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hd_progress {
	bool terminal;
	bool functional; /* counts warp instructions instead of cycles */
	bool shown;
	double begin, last; /* seconds */
} hd_progress;

void hd_progress_begin(hd_progress *progress, bool functional); /* takes SIGINT and SIGTERM */
void hd_progress_end(hd_progress *progress);                    /* gives them back, wipes the line */
/* heddle_launch.poll, with the hd_progress as context. */
bool hd_progress_interrupted(void);
bool hd_progress_poll(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas);

#endif

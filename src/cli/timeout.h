/* --timeout SECONDS: bounds the whole run of a command.
 *
 * When the time is over, a simulation stops as by Ctrl-C, so that the report shows what was measured, and the exit status is HD_EXIT_TIMEOUT. In
 * every other phase the process ends at once with a message and the same status. No output file has changed then: a file takes its name when all
 * files of the run are complete (base/output.h). Programs that Heddle has started end with it (front/supervise.h). */
#ifndef HD_CLI_TIMEOUT_H
#define HD_CLI_TIMEOUT_H

#include <stdbool.h>

/* Takes a text such as "5" or "0.5". False after a message. */
bool hd_timeout_begin(const char *seconds);
/* Whether the time is over. */
bool hd_timeout_passed(void);
/* Between the two, somebody asks hd_timeout_passed and stops by it. If nobody does for some seconds, the process ends all the same. What follows a
 * stop, such as the report, is not bounded. */
void hd_timeout_watch(void);
void hd_timeout_unwatch(void);
/* The exit status of a run that was stopped, after a message if the time is over. */
int hd_timeout_status(void);

#endif

/* Files that one run writes: all of them, or none.
 *
 * A file is written without a name in its target's folder (O_TMPFILE), so nothing of it stays when a signal ends the process. Where the file system
 * has no such files it is written under an unpredictable name beside its target. It takes the target's name when all files of the run are complete.
 * Between two files' names no signal is taken; only SIGKILL, in these few system calls, can leave a name beside the target. Nobody sees half of a
 * file, two writers do not meet, and a failure leaves what was there before. The target keeps its permissions. A link stays a link: the file that it
 * leads to is replaced. What is no regular file (a device, a pipe, a terminal) is written in place, at once; so is standard output ("-", or any name
 * of the file that is standard output or standard error), and a file in a folder where nothing can be created. */
#ifndef HD_OUTPUT_H
#define HD_OUTPUT_H

#include "base/base.h"

#include <stdio.h>

struct hd_output;
/* Zeroed = empty. */
typedef struct hd_output_set {
	HD_VEC(struct hd_output *) list;
} hd_output_set;

/* Begins a file. The stream belongs to `outputs`. NULL and an error in `diag` if the file cannot be written, or if the run writes it already. */
FILE *hd_output_open(hd_output_set *outputs, const char *path, hd_diag *diag);
/* Begins a file and writes all of it. False and an error in `diag` on failure. */
bool hd_output_put(hd_output_set *outputs, const char *path, const void *bytes, size_t size, hd_diag *diag);
/* Completes all files, then gives them their names. False and errors in `diag` if one could not be completed; no target has changed then. `outputs`
 * is empty afterwards. */
bool hd_output_commit(hd_output_set *outputs, hd_diag *diag);
/* Removes all files that were begun. `outputs` is empty afterwards. */
void hd_output_discard(hd_output_set *outputs);

/* One file that is written alone. False and an error in `diag` on failure. */
bool hd_write_file(const char *path, const void *bytes, size_t size, hd_diag *diag);

#endif

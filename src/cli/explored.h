/* Several runs on one page of the explorer (docs/reports.md): each run writes its part into a file without a name, and the page takes them in their
 * order. */
#ifndef HD_CLI_EXPLORED_H
#define HD_CLI_EXPLORED_H

#include "api/api.h"
#include "base/output.h"
#include "trace/trace_file.h"

/* The part of one run. Zeroed: none. */
typedef struct hd_explored {
	FILE *part;
	hd_trace_file *file;
} hd_explored;

/* Watches the next run of `h`, whose program is built from the file `input`. False and a message in its diag when the host has no temporary file. */
bool hd_explored_begin(hd_explored *run, heddle *h, const char *input, const hd_trace_limits *limits);
/* Completes the part. False and a message in the diag of `h` when it could not be written. */
bool hd_explored_end(hd_explored *run, heddle *h);
/* Writes the page of `n` runs. `title` is any text. False and a message when that fails. */
bool hd_explored_page(const hd_explored *const *runs, unsigned n, const char *title, const char *path, hd_output_set *outputs, hd_diag *diag);
void hd_explored_free(hd_explored *run);

#endif

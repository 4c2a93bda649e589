/* The traces of a run that heddle_trace asked for: files, their writers and what observes the machine for them. */
#ifndef HD_API_TRACES_H
#define HD_API_TRACES_H

#include "api/state.h"
#include "base/output.h"

typedef struct hd_api_traces {
	hd_output_set own, *outputs; /* outputs: where the files belong, `own` or the caller's (hd_api_traces_into) */
	hd_trace_file *files[HD_API_TRACES];
	hd_watchers watchers; /* n is 0 when there are none */
} hd_api_traces;

/* Opens the traces of the next run. `traces` is zeroed, and stays in its place until hd_api_traces_close. False and a message when one of them cannot
 * be opened; nothing is left open then. */
bool hd_api_traces_open(hd_api_traces *traces, heddle *h);
/* Completes the traces. The files take their names when all of them are whole, or with the caller's other outputs. False and a message when a write
 * failed. */
bool hd_api_traces_close(hd_api_traces *traces, heddle *h);

#endif

/* Traces of a timed run in the formats of common viewers: Konata (Kanata log 0004), Perfetto (Chrome JSON trace events) and VCD (IEEE 1364), and a
 * text of pipeline stages, and a page to explore (docs/reports.md). A trace is an observer of the machine (launch/trace.h) that writes during the
 * run; its memory does not grow with the length of the run. docs/reports.md describes the contents. */
#ifndef HD_TRACE_FILE_H
#define HD_TRACE_FILE_H

#include "config/machine.h"
#include "launch/trace.h"

#include <stdio.h>

typedef enum hd_trace_format {
	HD_TRACE_KONATA,
	HD_TRACE_PERFETTO,
	HD_TRACE_VCD,
	HD_TRACE_STAGES,
	HD_TRACE_EXPLORE,
	HD_TRACE_EXPLORE_PART /* the run of a page, to put between hd_explore_begin and hd_explore_end (explore/page.h); it has no name */
} hd_trace_format;

enum { HD_TRACE_ALL = UINT32_MAX };
enum { HD_TRACE_PAGE_BYTES = 40 << 20 }; /* the usual page_bytes: browsers open pages of this size in a second */

/* The extent of a trace: instructions issued in these cycles, from issue to end (which may come later), and the state of warps in these cycles. */
typedef struct hd_trace_limits {
	uint64_t first, last;           /* cycles, both inclusive */
	uint32_t core, scheduler, slot; /* HD_TRACE_ALL: every one */
	uint64_t page_bytes;            /* of records on a page to explore, behind which instructions get none */
} hd_trace_limits;

extern const hd_trace_limits hd_trace_no_limits;
/* "FIRST:LAST", "FIRST:" or ":LAST"; two dots may stand for the colon. */
bool hd_trace_parse_cycles(hd_trace_limits *limits, const char *text);
/* A core's number. */
bool hd_trace_parse_core(hd_trace_limits *limits, const char *text);
/* "SLOT" of every scheduler, or "SCHEDULER.SLOT". */
bool hd_trace_parse_warp(hd_trace_limits *limits, const char *text);
/* "KIND:FILE"; *path points into `text`. */
bool hd_trace_parse(const char *text, hd_trace_format *format, const char **path);

typedef struct hd_trace_file hd_trace_file;
/* Begins a trace in the stream `out`, compressed if `path` ends in .gz. The stream stays the caller's and outlives the trace, as `path` (for
 * messages), `machine` and `program` do. `limits` may be NULL. NULL and an error in diag if the stream cannot be written or the machine is too large
 * for the format. */
hd_trace_file *hd_trace_open(hd_trace_format format, FILE *out, const char *path, const hd_trace_limits *limits, const hd_machine *machine,
                             const hd_program *program, hd_diag *diag);
/* The file that the program was built from, and its content for a program that came as a string, or NULL: for traces that show source lines. Both
 * outlive the trace. NULL files are allowed. */
void hd_trace_input(hd_trace_file *file, const char *path, const char *text);
/* Before the end: what the run told when it did not end well, for traces that show it. It outlives the trace. NULL is allowed, and says nothing. */
void hd_trace_message(hd_trace_file *file, const char *message);
/* The observer to hand to the machine. */
hd_trace *hd_trace_watcher(hd_trace_file *file);
/* Completes the trace, whether the run ended well or not. False and an error in diag if a write failed. Where no instruction was issued within the
 * limits, diag has a warning, which is no error. NULL is allowed. */
bool hd_trace_close(hd_trace_file *file, hd_diag *diag);

/* Several observers as one. */
enum { HD_WATCHERS_MAX = 16 };
typedef struct hd_watchers {
	hd_trace trace; /* first */
	hd_trace *at[HD_WATCHERS_MAX];
	unsigned n;
} hd_watchers;
/* At most HD_WATCHERS_MAX. Of several that watch units the first does. */
void hd_watchers_add(hd_watchers *watchers, hd_trace *trace);

#endif

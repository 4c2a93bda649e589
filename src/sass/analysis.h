/* The accesses that are outstanding at the entry of every block (pending.h), by a forward analysis. */
#ifndef HD_SASS_ANALYSIS_H
#define HD_SASS_ANALYSIS_H

#include "sass/pending.h"

typedef struct hd_sass_analysis {
	const hd_sass_graph *graph;
	hd_sass_latencies *latencies;
	hd_sass_state state;
	hd_sass_pending_list *in; /* by block: at its entry */
	hd_sass_pending_list out; /* at the end of the block that ran last */
	bool *seen;               /* by block: its entry has been computed */
} hd_sass_analysis;

/* Computes the entries. When no step is left they mean nothing. `keeping`: see hd_sass_state. */
void hd_sass_analysis_init(hd_sass_analysis *analysis, const hd_sass_graph *graph, hd_sass_keeping keeping);
void hd_sass_analysis_free(hd_sass_analysis *analysis);

#endif

/* Reports, traces and the summary of launches that the environment requests. */
#ifndef HR_OBSERVE_H
#define HR_OBSERVE_H

#include "report/profile.h"
#include "runtime/setting.h"

typedef struct hr_observation {
	hd_watchers watchers;
	hd_profile *profile;
	hd_trace_file *traces[HR_TRACES_MAX];
	hd_text trace_paths[HR_TRACES_MAX];
	hd_output_set outputs; /* the files of the traces */
	hd_trace *trace;       /* observer for the machine; NULL: none */
} hr_observation;

typedef struct hr_outcome {
	const hd_launch *launch;
	const hd_stats *stats;
	hd_trap_kind ended;
	const char *message; /* of the trap, or NULL */
	double seconds;
	const char *file, *source; /* of the program: its name, and its text or NULL */
} hr_outcome;

void hr_observe_begin(hr_observation *o, const hd_launch *launch);
void hr_observe_end(hr_observation *o, const hr_outcome *outcome);
/* Writes a whole text to a file, by one call. */
void hr_put_file(const char *path, const char *mode, const hd_text *text);

#endif

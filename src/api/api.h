/* Parts of a heddle that the command and the OpenCL driver use beyond the public interface. */
#ifndef HD_API_H
#define HD_API_H

#include "base/output.h"
#include "config/machine.h"
#include "heddle/heddle.h"
#include "passes/passes.h"
#include "report/energy.h"
#include "report/profile.h"
#include "report/report.h"
#include "trace/trace_file.h"

const hd_machine *hd_api_machine(const heddle *h);
hd_diag *hd_api_diag(heddle *h);
/* Counters of the last run. */
const hd_stats *hd_api_stats(const heddle *h);
/* Energy over time of the last run; empty when energy.interval is 0 or the run was functional. */
const hd_energy_series *hd_api_energy(const heddle *h);
/* Requests energy over time for the runs that follow, in at most `most` steps, even with energy.interval = 0. 0 ends the request. */
void hd_api_energy_steps(heddle *h, size_t most);
/* Data for reports of the last run; valid until the next run. False and a message if there was no run. */
bool hd_api_report(heddle *h, hd_report *report);
const char *hd_api_result(const heddle *h); /* hd_report_result */
/* Finds a kernel of the program by its symbol, or by its name in the source; with *name NULL the first kernel. *name becomes the symbol, NULL stays.
 * False and a message when no kernel, or more than one, has the name. */
bool hd_api_find_kernel(heddle *h, const char **name);
/* True when the launch is possible: the kernel is there and the arguments are right. Otherwise false and messages. */
bool hd_api_check_launch(heddle *h, const heddle_launch *launch);
/* NULL without a program. */
const hd_program *hd_api_program(const heddle *h);
/* True when the program may run on the machine as it is configured now (compatible.h), or need not (heddle_build_options.unproven). Otherwise false
 * and a message. Every timed run looks by itself; a caller that looks earlier can refuse before it opens files. */
bool hd_api_compatible(heddle *h);
/* Builds that follow read of a file with machine code the entry with this kernel alone; NULL: the newest. Valid until then. */
void hd_api_want_kernel(heddle *h, const char *kernel);
/* Sets who is notified of the steps of the builds that follow; NULL: nobody. */
void hd_api_on_stage(heddle *h, hd_stage_call *stage, void *context);
/* heddle_trace with the limits of the trace's own room, which are not compared with the machine: a core or warp that it does not have has no events.
 */
bool hd_api_trace_add(heddle *h, hd_trace_format format, const char *path, const hd_trace_limits *limits);
/* Traces of the runs that follow belong to these outputs, which the caller commits or discards; NULL: they take their names when the run ends. */
void hd_api_traces_into(heddle *h, hd_output_set *outputs);
/* Counts of the last run by instruction and line; NULL: heddle_profile was off, or the run was functional. Valid until the next run. */
hd_profile *hd_api_profile(heddle *h);
/* Sets the observer of the timed runs that follow; NULL: none. */
void hd_api_watch(heddle *h, hd_trace *trace);

#endif

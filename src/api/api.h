/* What the command may see of a heddle beyond the public interface. */
#ifndef HD_API_H
#define HD_API_H

#include "config/machine.h"
#include "heddle/heddle.h"
#include "launch/trace.h"
#include "report/energy.h"
#include "report/report.h"

const hd_machine *hd_api_machine(const heddle *h);
hd_diag *hd_api_diag(heddle *h);
/* Of the last run. */
const hd_stats *hd_api_stats(const heddle *h);
/* Energy over time of the last run; empty when energy.interval is 0 or the run was functional. */
const hd_energy_series *hd_api_energy(const heddle *h);
/* The runs that follow have energy over time even with energy.interval = 0, in at most so many steps (0: they have not). */
void hd_api_energy_steps(heddle *h, size_t most);
/* What reports of the last run are made of; valid until the next run. False and a message without one. */
bool hd_api_report(heddle *h, hd_report *report);
const char *hd_api_result(const heddle *h); /* hd_report_result */
/* NULL without a program. */
const hd_program *hd_api_program(const heddle *h);
/* Watches the timed runs that follow; NULL: nobody does. */
void hd_api_watch(heddle *h, hd_trace *trace);

#endif

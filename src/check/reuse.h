/* Counters that are used again while an instruction may still wait for them in a queue (HZ-35). */
#ifndef HD_CHECK_REUSE_H
#define HD_CHECK_REUSE_H

#include "check/check.h"
#include "check/effects.h"

/* Proves that the program cannot deadlock on a machine without wait counters. Adds a finding for each primary that may raise a low-latency counter
 * while an earlier instruction waits for it in a queue. The rules are in reuse.c. The machine must be split as the object says. */
void hd_find_reuse(const hd_code_graph *graph, const hd_effects *effects, const hd_machine *machine, hd_check_report *report);

#endif

/* Instructions that read other lanes where the machine does not make lanes meet (docs/checker.md, "What is proven"). */
#ifndef HD_CHECK_APART_H
#define HD_CHECK_APART_H

#include "check/check.h"
#include "check/graph.h"

/* Adds a note for each instruction that reads other lanes behind a divergent branch whose sides have not met. The rules are in apart.c. */
void hd_find_apart(const hd_code_graph *graph, hd_meeting how, hd_check_report *report);

#endif

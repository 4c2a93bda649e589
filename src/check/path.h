/* The path of a finding, from the producer to the consumer. */
#ifndef HD_CHECK_PATH_H
#define HD_CHECK_PATH_H

#include "check/check.h"
#include "check/facts.h"

/* Fills finding->path with the producer, the first instruction of every block between, and the consumer. The path is a shortest one on which nothing
 * covers the hazard. `in` and `out` hold the facts at every block's entry and end. */
void hd_path_find(const hd_code_graph *graph, const hd_effects *effects, const hd_fact_list *in, const hd_fact_list *out, hd_finding *finding);

#endif

/* The way from producer to consumer that a finding names. */
#ifndef HD_CHECK_PATH_H
#define HD_CHECK_PATH_H

#include "check/check.h"
#include "check/facts.h"

/* Fills finding->path: the producer, the first instruction of every block on a shortest way on which nothing covers the hazard, the consumer. `in`
 * and `out`: the facts at every block's entry and end. */
void hd_path_find(const hd_code_graph *graph, const hd_effects *effects, const hd_fact_list *in, const hd_fact_list *out, hd_finding *finding);

#endif

/* The way of a finding from one instruction to another (SA-7). */
#ifndef HD_SASS_WAY_H
#define HD_SASS_WAY_H

#include "sass/check.h"

/* Fills finding->path: the producer, the first instruction of each block between, the consumer. The way is a shortest one, without an instruction
 * that ends the hazard where there is one. */
void hd_sass_way_find(const hd_sass_graph *graph, hd_sass_finding *finding);

#endif

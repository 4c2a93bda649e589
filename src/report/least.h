/* The least number of instructions that a run could have issued for the paths of its threads (RC-15), and the number of instructions that issued
 * without an active lane (RC-5).
 *
 * One issue of an instruction serves each lane of its warp at most once. So an instruction that some lane executes n times issues at least n times.
 * For each instruction take the largest count of any lane. A warp issues at least the sum of these counts. This is a lower bound, and it may be
 * impossible to reach. For example, two lanes take the sides A B and B A of a branch in two iterations of a loop. The bound counts A and B once each,
 * but the best order needs three issues. The paths of threads, and so the bound, do not depend on the order in which the warp runs them, unless
 * threads wait for each other. */
#ifndef HD_LEAST_H
#define HD_LEAST_H

#include "launch/trace.h"

typedef struct hd_least {
	hd_trace trace; /* must be the first member: goes into hd_run_options.trace */
	const hd_program *program;
	HD_VEC(uint32_t *) warps; /* by core, scheduler and slot: the number of executions of each word by each lane */
	uint64_t least, alone;    /* the bound; the sum of the paths of all lanes, which is the number that warps of one lane would issue */
	uint64_t issued, idle;    /* instructions that run.warp_instructions counts; instructions that issued while no lane was active (RC-5) */
} hd_least;

void hd_least_init(hd_least *least, const hd_program *program);
/* Ends the count and includes the warps that are still resident. The sums are then valid. A further run adds to them. */
void hd_least_end(hd_least *least);

#endif

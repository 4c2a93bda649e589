/* The least number of instructions that a run could have issued for the paths of its threads (RC-15), and instructions issued without an active lane
 * (RC-5).
 *
 * One issue of an instruction serves each lane of its warp at most once. An instruction that some lane executes n times is therefore issued at
 * least n times, and a warp issues at least the sum, over its instructions, of the largest count of any lane. That is a lower bound, which no
 * order of execution need reach: if two lanes take the sides A B and B A of a branch in two turns of a loop, the bound counts A and B once each,
 * while three issues are the best possible. The paths of threads, and so the bound, do not depend on the way in which the warp is run, unless
 * threads wait for each other. */
#ifndef HD_LEAST_H
#define HD_LEAST_H

#include "launch/trace.h"

typedef struct hd_least {
	hd_trace trace; /* first: goes into hd_run_options.trace */
	const hd_program *program;
	HD_VEC(uint32_t *) warps; /* by core, scheduler and slot: executions of each word by each lane */
	uint64_t least, alone;    /* the bound; the sum of the paths of all lanes, which is what warps of one lane would issue */
	uint64_t issued, idle;    /* instructions that run.warp_instructions counts; instructions issued while no lane was active (RC-5) */
} hd_least;

void hd_least_init(hd_least *least, const hd_program *program);
/* Also counts the warps that are still resident. The sums are valid afterwards; a further run adds to them. */
void hd_least_end(hd_least *least);

#endif

/* How few instructions a run could have issued, for the paths that its threads took (RC-15), and what was issued for nobody (RC-5).
 *
 * One issue of an instruction serves each lane of its warp once at most. So an instruction that some lane executes n times is issued n times at
 * least, and a warp issues at least the sum, over its instructions, of the most that any of its lanes executes each. That is a lower bound; no order
 * of execution need reach it: of two lanes that take the sides A B and B A of a branch in two turns of a loop, it counts A and B once each, and three
 * issues is the best there is. The paths of threads, and so the bound, do not depend on how the warp is run, unless threads wait for each other. */
#ifndef HD_LEAST_H
#define HD_LEAST_H

#include "launch/trace.h"

typedef struct hd_least {
	hd_trace trace; /* first: goes into hd_run_options.trace */
	const hd_program *program;
	HD_VEC(uint32_t *) warps; /* by core, scheduler and slot: executions of each word by each lane */
	uint64_t least, alone;    /* the bound; the sum of all lanes' own paths: what warps of one lane would issue */
	uint64_t issued, idle;    /* instructions as they count in run.warp_instructions; those issued while no lane was active (RC-5) */
} hd_least;

void hd_least_init(hd_least *least, const hd_program *program);
/* The warps that were still there are counted, too. Sums may be read now; a further run adds to them. */
void hd_least_end(hd_least *least);

#endif

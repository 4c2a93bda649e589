/* Residual latencies: for how many cycles an instruction of a fixed-latency pipe must stay behind results that earlier blocks computed
 * (docs/timing.md, "What must be covered, and with what"), on the physical control-flow graph. */
#ifndef HD_RESIDUAL_LATENCY_H
#define HD_RESIDUAL_LATENCY_H

#include "passes/analysis/hazards.h"
#include "passes/analysis/physical_cfg.h"

enum { HD_FIXED_PIPES = HD_PIPE_LATOM /* pipes below have fixed latencies */, HD_RESIDUALS = HD_RES_COUNT * HD_FIXED_PIPES };

/* Cycles until an instruction of the pipe that wrote the resource may issue and read it. */
typedef struct hd_residual {
	uint16_t at; /* resource * HD_FIXED_PIPES + pipe */
	uint8_t cycles;
} hd_residual;

/* At the beginning or the end of a block: all residual latencies that are not 0, ascending by `at`. */
typedef HD_VEC(hd_residual) hd_residuals;

/* Cycles by the clocks that delays count by. Without a candidate window there is one, clock 0. With one each pipe has its own, as instructions of
 * other pipes count for nothing (docs/timing.md, rule 7). */
typedef struct hd_clock_cycles {
	uint8_t cycles[HD_PIPE_COUNT];
} hd_clock_cycles;

typedef struct hd_block_latencies hd_block_latencies;

typedef struct hd_residual_latency {
	const hd_ir_function *function;
	const hd_machine *machine;
	hd_physical_cfg graph;
	hd_residuals *in;            /* at the beginning of each node of the graph */
	hd_clock_cycles *tail_delay; /* of each block: cycles that it lets pass at its end for the blocks behind it */
	hd_block_latencies *of;      /* of each block */
} hd_residual_latency;

/* The results hold wherever delays are placed inside blocks, as long as the delays enforce all dependences there. All tail delays are 0 at first.
 * Requires: allocated, branches are instructions, fence counters are assigned. The caller frees the result with hd_residual_latency_free. */
hd_residual_latency hd_residual_latency_new(const hd_ir_function *function, const hd_machine *machine);
void hd_residual_latency_free(hd_residual_latency *r);

/* Moves waits from the beginning of blocks to the end of their predecessors, where these run less often or lead nowhere else. So a loop does not wait
 * in every iteration for a result from before the loop. `slack`: of each block, the cycles by which the delay of its last instruction can grow, 0 =
 * not at all. Sets `tail_delay` and `in` anew. False: there is nothing to move. */
bool hd_move_waits(hd_residual_latency *r, const hd_clock_cycles *slack);

/* The clock by which the delays of a pipe's instructions count. */
static inline unsigned hd_issue_clock(const hd_machine *machine, unsigned pipe)
{
	return hd_machine_has_window(machine) && pipe < HD_PIPE_COUNT ? pipe : 0;
}
/* Can a delay enforce the latency of this instruction's results? */
static inline bool hd_fits_delay(const hd_resource_use *a) { return a->pipe < HD_FIXED_PIPES && !a->variable && a->delay_latency <= HD_MAX_DELAY; }

#endif

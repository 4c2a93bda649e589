/* How far the instructions of a fixed-latency pipeline must stay behind results of earlier blocks (docs/timing.md, table), on the physical graph. */
#ifndef HD_DISTANCE_H
#define HD_DISTANCE_H

#include "passes/analysis/hazards.h"
#include "passes/analysis/physical_cfg.h"

enum { HD_FIXED_PIPES = HD_PIPE_LATOM, HD_LEFT_STATE = HD_RES_COUNT * HD_FIXED_PIPES };

/* Where a block begins or ends: cycles until a reader may issue. */
typedef struct hd_left {
	uint8_t cycles[HD_LEFT_STATE]; /* [resource * HD_FIXED_PIPES + pipe] */
} hd_left;

/* Cycles by the clocks that delays count by: clock 0 alone, or, where several instructions issue in a cycle, each pipe's (docs/timing.md, rule 7). */
typedef struct hd_by_clock {
	uint8_t cycles[HD_PIPE_COUNT];
} hd_by_clock;

typedef struct hd_block_distance hd_block_distance;

typedef struct hd_distances {
	const hd_ir_function *function;
	const hd_machine *machine;
	hd_physical graph;
	hd_left *in;          /* of each block */
	hd_by_clock *settled; /* likewise: cycles that its end lets pass for what follows; hd_distances_settle */
	hd_block_distance *of;
} hd_distances;

/* The results hold however the delays in blocks are placed, as long as they keep their distances. Requires: allocated, laid out, counters assigned.
 */
hd_distances hd_distances_new(const hd_ir_function *function, const hd_machine *machine);
void hd_distances_free(hd_distances *d);

/* Moves waits from the beginning of blocks to the end of those before them, where these run less often or lead nowhere else: a loop does not wait in
 * each turn for what was made before it. `room`: by block and clock, cycles by which the delay of the last instruction can grow, 0 = there is none.
 * Sets `settled` and `in` anew. False: there is nothing to move. */
bool hd_distances_settle(hd_distances *d, const hd_by_clock *room);

static inline bool hd_distance_by_pipe(const hd_machine *machine) { return machine->multi_issue_window > 1; }
static inline unsigned hd_distance_clock(const hd_machine *machine, unsigned pipe)
{
	return hd_distance_by_pipe(machine) && pipe < HD_PIPE_COUNT ? pipe : 0;
}
/* A delay keeps the distance from this one. */
static inline bool hd_distance_tracked(const hd_accesses *a) { return a->pipe < HD_FIXED_PIPES && !a->variable && a->latency <= HD_MAX_DELAY; }

#endif

/* A run in bins of cycles, which cover it from its first cycle to its last: of each scheduler where its issue slots went, of each warp slot what its
 * warp did. When the run outgrows the bins, two of them become one, so memory has a bound. */
#ifndef HD_EXPLORE_LEVELS_H
#define HD_EXPLORE_LEVELS_H

#include "explore/block.h"
#include "explore/follow.h"

enum {
	HD_LEVEL_BINS = 8192,     /* at most, of a row */
	HD_LEVEL_CELLS = 1 << 19, /* at most, of all rows */
	HD_LEVEL_COARSEST = 128,  /* the coarsest level that is written has at most so many bins */
	HD_LEVEL_USED = HD_STALL_COUNT,
	HD_LEVEL_MORE,
	HD_LEVEL_COLUMNS,
};

/* The counts of a cell. Of a scheduler: [cause] slots lost, [HD_LEVEL_USED] slots used, [HD_LEVEL_MORE] instructions. Of a warp slot: [cause] cycles
 * in which its warp waited for it, [HD_LEVEL_USED] instructions issued, [HD_LEVEL_MORE] cycles with a warp. */
typedef struct hd_level_cell {
	uint32_t count[HD_LEVEL_COLUMNS];
} hd_level_cell;

typedef struct hd_levels {
	uint32_t cores, schedulers, slots; /* of the machine; schedulers of a core, slots of a scheduler */
	unsigned shift;                    /* a bin has 1 << shift cycles */
	uint32_t bins;                     /* of a row, at present */
	uint64_t last;                     /* last cycle that was counted */
	uint32_t n_rows;
	hd_level_cell **schedulers_at; /* NULL: nothing yet; by core and scheduler */
	hd_level_cell **slots_at;      /* by core, scheduler and slot */
} hd_levels;

void hd_levels_begin(hd_levels *levels, const hd_machine *machine);
/* Each event of the run, and what it ended (hd_follow_event). */
void hd_levels_event(hd_levels *levels, const hd_trace_event *event, const hd_waited *waited);
/* At the end of the run: what the warp of a slot still waited for, and the warp (hd_follow_end). */
void hd_levels_end_warp(hd_levels *levels, size_t place, uint64_t end, const hd_waited *waited);
/* Writes the levels, the coarsest one first; each has a quarter of the bins of the next one. */
void hd_levels_write(const hd_levels *levels, hd_blocks *blocks);
void hd_levels_free(hd_levels *levels);

#endif

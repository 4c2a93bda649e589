/* Dependences that need a fence counter (HZ-23), found on the physical control-flow graph. The program is read, never changed. */
#ifndef HD_HAZARD_H
#define HD_HAZARD_H

#include "passes/analysis/resources.h"
#include "passes/analysis/physical_cfg.h"

/* Longest latency that delays enforce inside a pipeline; beyond it a counter does (a hint holds 4 bits). */
enum { HD_MAX_DELAY = 15 };

typedef struct hd_edge {
	uint32_t producer, consumer; /* numbers of instructions */
	bool by_read;                /* WAR: resolved when the producer has read */
} hd_edge;

/* A consumer's view: the producers with a counter that may be outstanding when it waits. */
typedef struct hd_hazards {
	uint32_t n; /* instructions of the function, numbered in layout order */
	hd_ir_inst **insts;
	hd_accesses *accesses;
	uint32_t *block;       /* of each instruction */
	uint32_t *block_first; /* blocks + 1 */
	hd_physical graph;
	HD_VEC(hd_edge) edges; /* sorted by consumer, then as found */
	bool *primary;         /* has an edge as producer */
	/* For each edge consumer, in the order of edges: outstanding primaries, `snap_first[i]..snap_first[i + 1]` of snapshots. */
	HD_VEC(uint32_t) consumers;
	HD_VEC(uint32_t) snap_first;
	HD_VEC(uint32_t) snapshots;
} hd_hazards;

hd_hazards *hd_hazards_find(const hd_ir_function *function, const hd_machine *machine);
void hd_hazards_free(hd_hazards *hazards);

#endif

/* Data hazards that need a fence counter (HZ-23), found on the physical control-flow graph. */
#ifndef HD_HAZARDS_H
#define HD_HAZARDS_H

#include "passes/analysis/physical_cfg.h"
#include "passes/analysis/resources.h"

/* The longest latency inside a pipe that delays enforce, in cycles: a hint holds 4 bits. A fence counter enforces longer ones. */
enum { HD_MAX_DELAY = 15 };

typedef struct hd_hazard {
	uint32_t producer, consumer; /* numbers of instructions */
	bool by_read;                /* WAR: resolved when the producer has read its operands; otherwise when it has written */
} hd_hazard;

typedef struct hd_hazards {
	uint32_t n; /* instructions of the function, numbered in layout order */
	hd_ir_inst **insts;
	hd_resource_use *uses;
	uint32_t *block;       /* of each instruction */
	uint32_t *block_first; /* of each block: its first instruction; and at the end, n */
	hd_physical_cfg graph;
	HD_VEC(hd_hazard) edges; /* by consumer */
	bool *primary;           /* of each instruction: it is the producer of an edge */
	/* Instructions that are the consumer of an edge, in the order of `edges`. While consumers[i] waits, the primaries
	 * outstanding[outstanding_first[i]] to before outstanding[outstanding_first[i + 1]] may be outstanding. */
	HD_VEC(uint32_t) consumers;
	HD_VEC(uint32_t) outstanding_first;
	HD_VEC(uint32_t) outstanding;
} hd_hazards;

/* Every dependence between instructions of the function that neither the order of a pipe, nor a delay, nor an earlier wait on every path enforces
 * (HZ-25). Requires: allocated, branches are instructions. The caller frees the result with hd_hazards_free. */
hd_hazards *hd_hazards_find(const hd_ir_function *function, const hd_machine *machine);
void hd_hazards_free(hd_hazards *hazards); /* or NULL */

#endif

/* The index of a run's page: what the run was, what is on the page, and where. */
#ifndef HD_EXPLORE_INDEX_H
#define HD_EXPLORE_INDEX_H

#include "explore/levels.h"

typedef struct hd_explore_index {
	const hd_machine *machine;
	const hd_program *program;
	const hd_levels *levels;
	const hd_blocks *blocks;
	const bool *begun; /* by kernel of the object: a warp of it began */
	uint64_t cycles, instructions, used, lost[HD_STALL_COUNT];
	uint64_t executed;    /* instructions that entered a pipe with a lane: the report's warp instructions */
	const char *message;  /* of a run that did not end well; NULL: it did, or nobody said */
	uint64_t first, last; /* cycles in which instructions have records, inclusive */
	bool cut;             /* the page was full before the last of them */
} hd_explore_index;

/* The JSON document that src/explore/README.md describes. */
void hd_explore_write_index(const hd_explore_index *index, hd_text *out);

#endif

/* The untimed interpreter of machine code, the oracle of real programs (SR-3). It executes decoded words in the order of the program, one group of
 * lanes of a warp at a time; control fields have no effect. CTAs run one after the other, and the warps of a CTA take turns. */
#ifndef HD_SM_H
#define HD_SM_H

#include "sm/image.h"

/* A kernel whose instructions all have a meaning. */
typedef struct hd_sm_code hd_sm_code;
/* NULL, and an error with the name and place of each kind of instruction that has no meaning. `index`: of the kernel in image->object. */
hd_sm_code *hd_sm_code_new(const hd_sm_image *image, size_t index, hd_diag *diag);
void hd_sm_code_free(hd_sm_code *code);

typedef struct hd_sm_options {
	uint64_t max_instructions; /* warp instructions, after which the launch ends with HD_TRAP_CYCLES; 0: no limit */
	bool (*poll)(void *context, uint64_t instructions, uint64_t ctas_done, uint64_t ctas);
	void *context;
} hd_sm_options;
/* Runs a launch that hd_launch_check accepts. Fills the group `run` of the statistics and the instruction counts of memory. */
bool hd_sm_run(const hd_sm_code *code, const hd_launch *launch, hd_memory *memory, const hd_sm_options *options, hd_stats *stats, hd_trap *trap);

#endif

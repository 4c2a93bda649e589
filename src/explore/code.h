/* The program of a run as a block of its page: source lines, instructions, annotations, and what they cost. */
#ifndef HD_EXPLORE_CODE_H
#define HD_EXPLORE_CODE_H

#include "explore/block.h"
#include "report/profile.h"

/* The JSON document that docs/explorer.md describes. `profile` has watched the run. */
void hd_explore_code(const hd_profile *profile, hd_text *out);

#endif

/* The program of a run as a block of its page: source lines, instructions, annotations, and what they cost. */
#ifndef HD_EXPLORE_CODE_H
#define HD_EXPLORE_CODE_H

#include "explore/block.h"
#include "report/profile.h"
#include "report/source.h"

/* The JSON document that src/explore/README.md describes. `profile` has watched the run of the program that was built from `input`. */
void hd_explore_code(const hd_profile *profile, const hd_input *input, hd_text *out);

#endif

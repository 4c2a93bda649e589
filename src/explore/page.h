/* The shell of the explorer's page: the parts of src/explore/page, which the build embeds. */
#ifndef HD_EXPLORE_PAGE_H
#define HD_EXPLORE_PAGE_H

#include "base/base.h"

#include <stdio.h>

/* Everything before the runs. `title` is any text. Errors of the stream stay in the stream. */
void hd_explore_begin(FILE *out, const char *title);
/* Before and behind the blocks of a run. */
void hd_explore_begin_run(FILE *out);
void hd_explore_end_run(FILE *out);
/* Everything behind the runs: the scripts. */
void hd_explore_end(FILE *out);

#endif

/* Issue past an undecided branch (speculation.h): the turn of a warp. */
#ifndef HD_CORE_SPECULATIVE_ISSUE_H
#define HD_CORE_SPECULATIVE_ISSUE_H

#include "core/state.h"

/* A warp's turn to issue, in place of hd_window_issue and hd_row_issue, which it calls. */
bool hd_speculative_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, struct hd_issue_cycle *cycle);

#endif

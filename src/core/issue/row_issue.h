/* A warp's turn in a cycle without a candidate window: its next instruction, or a pair. */
#ifndef HD_CORE_ROW_ISSUE_H
#define HD_CORE_ROW_ISSUE_H

#include "core/issue/micro_scheduler.h"

/* Issues the next instruction of a warp that can be picked, if scoreboard, constant cache and decoder allow it. False: the run was stopped. */
bool hd_row_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, hd_issue_cycle *cycle);
/* The first cycle in which the constant operand of the warp's instruction `row` is present, at least `now`. If it is `now`, the decoder has the
 * operand and gives up the line's place in the miss buffer. Only with a constant cache (PD-21). */
uint64_t hd_constant_operand(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now);
/* Stops the run with a trap, because the PC names no instruction. */
void hd_stop_at_pc(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now);

#endif

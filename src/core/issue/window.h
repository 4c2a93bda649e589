/* A warp's turn in a cycle with a candidate window (MI). Several of its instructions can be sent together. This unit contains the window, the choice
 * of targets, their sending and the update of the PC.
 *
 * The window consists of the first N instructions at and after the PC that have not been sent (MI-2). It ends before a flow instruction, a nop, an
 * instruction that has not arrived, and MINRC (MI-9). A candidate stays in the window, unsent, while its high-latency counters or its wait counter
 * forbid it, its queue is full, or its time has not come. */
#ifndef HD_CORE_WINDOW_H
#define HD_CORE_WINDOW_H

#include "core/state.h"

/* Sends all instructions of a warp's window that can be sent. Requires: the warp can be picked. This takes one issue slot, whatever their number.
 * False: the run was stopped. */
bool hd_window_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, struct hd_issue_cycle *cycle);

#endif

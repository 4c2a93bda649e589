/* A warp's turn in a cycle with a candidate window (MI). Several of its instructions can be sent together. This unit contains the window, the choice
 * of targets, their sending and the update of the PC.
 *
 * The window consists of the first N instructions at and after the PC that have not been sent (MI-2). It ends before a flow instruction, a nop, an
 * instruction that has not arrived, and MINRC (MI-9). A candidate stays in the window, unsent, while its high-latency counters or its wait counter
 * forbid it, its queue is full, or its time has not come. */
#ifndef HD_CORE_WINDOW_H
#define HD_CORE_WINDOW_H

#include "core/code.h"

struct hd_issue_cycle;

/* The times of a warp: one for each pipe, and the latest of all pipes, where `ready` and `wait` can be those of different ones. */
enum { HD_LATEST = HD_PIPE_COUNT, HD_TIMES };

/* The windows of one scheduler's warps. */
typedef struct hd_windows {
	uint32_t sent[HD_WARP_SLOTS]; /* MI-8: bit i = the instruction i places after the PC was sent; bit 0 is never set */
	struct hd_window_time {
		uint64_t ready; /* first cycle in which the pipe's next instruction may be sent, by delays (docs/timing.md, rule 2) */
		uint64_t wait;  /* cycle in which the next instruction's wait begins */
	} time[HD_WARP_SLOTS][HD_TIMES];
	uint64_t constant[HD_WARP_SLOTS]; /* of warps of for_constant: cycle from which the constant operand at the PC is there */
} hd_windows;

struct hd_core;

/* Begins a warp in a slot. */
void hd_window_start(hd_windows *window, unsigned warp);
/* Lets the warp continue at its PC in cycle `now`, because it has just begun or a flow instruction was decided. */
void hd_window_enter(hd_windows *window, unsigned warp, uint64_t now);
/* Sends all instructions of a warp's window that can be sent. Requires: the warp can be picked. This takes one issue slot, whatever their number.
 * False: the run was stopped. */
bool hd_window_issue(struct hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, struct hd_issue_cycle *cycle);

#endif

/* The windows of a scheduler's warps (window.h). */
#ifndef HD_CORE_WINDOWS_H
#define HD_CORE_WINDOWS_H

#include "core/code.h"

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

/* Begins a warp in a slot. */
static inline void hd_window_start(hd_windows *window, unsigned warp)
{
	window->sent[warp] = 0;
	memset(window->time[warp], 0, sizeof window->time[warp]);
}

/* Lets the warp continue at its PC in cycle `now`, because it has just begun or a flow instruction was decided. */
static inline void hd_window_enter(hd_windows *window, unsigned warp, uint64_t now)
{
	for (unsigned i = 0; i < HD_TIMES; i++)
		window->time[warp][i].wait = now;
}

#endif

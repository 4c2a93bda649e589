/* What keeping registers in order costs in storage and comparators, for reports: the machine's fence counters, a hardware scoreboard in their place, and
 * the candidate window. */
#ifndef HD_STATE_BITS_H
#define HD_STATE_BITS_H

#include "config/machine.h"

/* Fence counters, a warp: K counters of fence.bits and a flag each ("full" is read off the counter); for each low-latency one a wait counter that can
 * count all that the queues before the pipes hold, and its flag; the hint's wait, four bits, and its delay, four bits and what a full FIFO adds to
 * it. A core has, beyond that for its warps, what the hazard entries of its queues keep for this purpose alone: "waits for counters", the low-latency
 * mask, which entry goes before, and the distance to keep. The instructions that wait there are queued in either machine and not counted.
 *
 * Scoreboard, a warp: a pending write and a count of up to c readers for each of 332 registers and predicates, 332 + 332 * log2(c + 1), the published
 * formula. c is fence.consumers; without a limit it is what the queues of a scheduler can hold.
 *
 * Candidate window of N instructions (multi_issue.window; 0 everywhere where N is 1), a warp: a bit for each of the HD_WINDOW_SPAN - 1 instructions
 * behind the PC, whether it has been sent (MI-8), and for each pipe but one its own delay and wait, which a warp of single issue has once. A scheduler
 * compares, in every cycle, each of the N candidates with each before it (MI-5): N (N - 1) / 2 pairs. A pair takes the registers of 3 sources and 1
 * destination each, as ranges of 1 to 4 registers that begin anywhere, so that RAW, WAR and WAW are 7 overlaps of two 8-bit magnitude comparators each;
 * and 4 read and 1 written predicate each, which are 9 comparators of 3 bits. */
typedef struct hd_state_bits {
	uint32_t fence_warp, fence_core;
	uint32_t scoreboard_warp, scoreboard_core;
	uint32_t window_warp, window_core;
	uint32_t register_comparators, predicate_comparators; /* of a core's windows */
} hd_state_bits;
void hd_state_bits_of(const hd_machine *machine, hd_state_bits *bits);
/* Bits of a core for what the machine has: fence counters or scoreboard, and the window. */
uint32_t hd_state_bits_of_core(const hd_machine *machine);

#endif

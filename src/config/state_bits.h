/* Storage that keeping registers in order costs, for reports: the machine's fence counters, and a hardware scoreboard instead of them. */
#ifndef HD_STATE_BITS_H
#define HD_STATE_BITS_H

#include "config/machine.h"

/* Fence counters, a warp: K counters of fence.bits and a flag each ("full" is read off the counter); for each low-latency one a wait counter that can
 * count all that the queues before the pipes hold, and its flag; the hint's wait, four bits, and its delay, four bits and what a full FIFO adds to
 * it. A core has, beyond that for its warps, what the hazard entries of its queues keep for this purpose alone: "waits for counters", the low-latency
 * mask, which entry goes before, and the distance to keep. The instructions that wait there are queued in either machine and not counted.
 *
 * Scoreboard, a warp: a pending write and a count of up to c readers for each of 332 registers and predicates, 332 + 332 * log2(c + 1), the published
 * formula. c is fence.consumers; without a limit it is what the queues of a scheduler can hold. */
typedef struct hd_state_bits {
	uint32_t fence_warp, fence_core;
	uint32_t scoreboard_warp, scoreboard_core;
} hd_state_bits;
void hd_state_bits_of(const hd_machine *machine, hd_state_bits *bits);

#endif

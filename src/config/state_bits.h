/* Storage and comparators, for reports: those that keep registers in order, of the machine's fence counters, of a hardware scoreboard in their place,
 * and of the candidate window; and those of divergence. */
#ifndef HD_STATE_BITS_H
#define HD_STATE_BITS_H

#include "config/machine.h"

/* Fence counters. A warp has K counters of fence.bits bits with a flag each (the value shows whether a counter is full). For each low-latency counter
 * it has a wait counter with a flag, which can count all instructions in the queues before the pipes. The monitor keeps of a warp that was sent back
 * a bit for each counter that it watches, that it waits, and of which kind the flags are (HZ-18, HZ-22). It has four bits for the wait of a hint, and
 * for the delay four bits and the addition of a full FIFO. A core also has what its queues keep for this purpose alone. An entry of the FIFO and of
 * the hazard queue has the low-latency mask and the distance to keep. A hazard entry also says whether another one goes before, and which; the queue
 * counts them. The instructions that wait there are not counted, because either machine queues them. A scoreboard's queue needs none of this.
 * `rtl/area.py flipflops` compares these figures with the flip-flops of the synthesis (HW-7).
 *
 * Scoreboard. A warp has a pending write and a count of up to c readers for each of 332 registers and predicates: 332 + 332 * log2(c + 1), the
 * published formula. c is fence.consumers. Without a limit it is the number of instructions that the queues of a scheduler can hold.
 *
 * Candidate window of N instructions (multi_issue.window; 0 everywhere where N is 1). A warp has a bit for each of the HD_WINDOW_SPAN - 1
 * instructions behind the PC, which says whether it has been sent (MI-8). It has a delay and a wait for each pipe but one, because a warp of single
 * issue has one delay and one wait. A bit for each pipe says whether the wait begins behind the delay. In every cycle a scheduler compares each of
 * the N candidates with each earlier one (MI-5): N (N - 1) / 2 pairs. For a pair it compares the registers of 3 sources and 1 destination of each, as
 * ranges of 1 to 4 registers that begin anywhere. RAW, WAR and WAW are then 7 overlaps of two 8-bit magnitude comparators each. It also compares 4
 * read predicates and 1 written predicate of each, with 9 comparators of 3 bits.
 *
 * Divergence (RC-16, RC-22). An address has A = 24 bits, a mask L = 32, a warp D = divergence.call_depth calls. What every mode has is not counted:
 * the PC, the active lanes, the lanes that have not exited.
 *
 * Mode resume: L A + A + M + d + D (2 A + M), with d bits for a number up to D. It keeps a resume counter a lane, MINRC, the members, the number of
 * calls, and for each call MINRC, the return address and the members. M = L with membership by flag, 2 A by range, A by
 * entry. With membership `none` there is one MINRC, which a call does not keep; members are L bits, which returns need.
 *
 * Mode stack: T (2 + A + L) + t, for T = 32 + D tokens and t bits for a number up to T. A token has kind, address and lanes. A call is one token, and
 * 32 are for lanes that meet or wait for their side. The lanes that have returned follow from the tokens: those of the call that are neither active
 * nor in a token above it. The flow unit itself takes more tokens, as Fermi spills them. (rtl/reconvergence_stack.sv has 224 bits more for 96 tokens,
 * because it keeps where each lane has gone, so that the tokens fit into a memory.)
 *
 * Mode barriers: L (A + 5 + 5) + 16 L + 6 + d + D (A + L). It keeps for a lane its address, its place among the groups and where it waits; 16
 * barriers; the count of yields; the number of calls; for each call the return address and its lanes. The barriers of a caller are not counted,
 * because compilers for Volta keep them in registers.
 *
 * Lanes that meet by `wsync`: 32 L + L L for a value and a mask a lane (the lanes that it names while it waits, then those with which it was let go),
 * and a bit a lane that says that it waits. Its address is where the mode keeps it. With the stack nobody waits. This is part of no sum above,
 * because only programs that gather lanes need it.
 *
 * Results outside of the register file (LU-4): compensation registers and last-result registers. Each word has the 32 lanes of a register, a bit a
 * lane that says which are there, the register number, and the warp slot where it does not follow from the place. In an operand buffer it also has
 * its place in the order of use. The latches of the forwarding paths are those that the pipelines have anyway. Each of three operands is compared
 * with all results in reach. hd_state_bits_of_core leaves these bits out, because they keep no registers in order. */
typedef struct hd_state_bits {
	uint32_t fence_warp, fence_core;
	uint32_t fence_counters_warp, wait_counters_warp, monitor_warp, distances_warp; /* parts of fence_warp */
	uint32_t queue_entries; /* of a scheduler's queues: what fence_core has beside the warps */
	uint32_t scoreboard_warp, scoreboard_core;
	uint32_t window_warp, window_core;
	uint32_t divergence_warp, divergence_core;
	/* Parts of divergence_warp: what each lane keeps (resume counters), MINRC, the members or the range of the running subroutine, what calls
	 * keep (the MINRC stack), tokens of the stack or convergence barriers. */
	uint32_t divergence_lanes, divergence_minrc, divergence_members, divergence_calls, divergence_tokens;
	uint32_t gather_warp;                                 /* lanes that meet by `wsync` */
	uint32_t resume_comparators;                          /* of ADDRESS_BITS bits, of a core: what a PC load compares */
	uint32_t register_comparators, predicate_comparators; /* of all windows of a core */
	uint32_t results_core, result_comparators;
} hd_state_bits;
/* The comparators of an operand: how many results its register number is compared with. */
uint32_t hd_result_comparators(const hd_machine *machine);
void hd_state_bits_of(const hd_machine *machine, hd_state_bits *bits);
/* The bits of a core for the mechanism that the machine has: fence counters or scoreboard, and the window. */
uint32_t hd_state_bits_of_core(const hd_machine *machine);
/* The same with results outside of the register file: `state_bits` of studies. */
uint32_t hd_machine_state_bits(const hd_machine *machine);

#endif

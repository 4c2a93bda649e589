/* The storage of a scheduler that chooses by pre-decode data, and of one that decodes ahead, for reports (PD-39). All figures are bits of one
 * scheduler; W is its number of warps.
 *
 * Pre-decode data. With the carrier `line` a warp has an entry for each instruction of its instruction buffer, or of its FIFO and its pre-decode
 * buffer (PD-34). An entry has a byte, or two in the geometry `combined`. In `compact` a word of 32 bits has
 * four bits, and the scheduler keeps the table of 16 bytes. With hint registers a warp has two of four bytes each, with the number of
 * their first instruction and a bit that says whether they are used. The carrier `instruction` needs none, because its bits are in the instruction
 * buffer.
 *
 * Hints that last. A warp has four bits for a wait, and for a delay four bits and the addition of a full FIFO (they are part of the fence counters'
 * state, too: state_bits.h), or without a carrier the wait for its decode. Three bits say how its next instruction holds, where holds are honoured,
 * and six that and for how long it is boosted or lowered. The type of its next instruction takes four bits, and the numbers of its unfinished
 * instructions and of those of memory take eight each (PD-17).
 *
 * Order. The sorter has the slot and the sampled priority of each position, a counter of the cycles of a round, and each warp has the priority that
 * the age or the program gives it.
 *
 * Replay buffer. An entry has the instruction (64 bits), its warp, its pipe, the lanes that are left, the number of replays, and two flags. The
 * operands that it keeps are counted apart: of each lane an address of 64 bits and four words.
 *
 * Predictions (PD-27). A warp has two addresses, MINRC, the lanes at its branch, a bit that says whether it has one, the rest of the branch's delay,
 * and for each queue the count of the last instruction that was sent there; with a window a delay and a wait for each pipe but one, too. An entry of
 * a queue has a bit that says whether it waits for a branch. With `counters` there is a table of two-bit counters.
 *
 * Decoding ahead. The same instruction buffer holds decoded instructions. What such a scheduler compares and looks up is 64 bits an instruction:
 * three ranges of source registers and one of destinations (8 bits and 2 for the length), four predicates read and one written (3 bits and one that
 * says whether it is used), and the type (4 bits). What the pipes need beside it is not counted. */
#ifndef HD_SCHEDULER_BITS_H
#define HD_SCHEDULER_BITS_H

#include "config/machine.h"

typedef struct hd_scheduler_bits {
	uint32_t data, hints, order;
	uint32_t replay, replay_operands;
	uint32_t predictor;
	uint32_t total; /* of these six */
	uint32_t ahead; /* what decoding ahead keeps in place of `data` */
} hd_scheduler_bits;
hd_scheduler_bits hd_scheduler_bits_of(const hd_machine *machine);

#endif

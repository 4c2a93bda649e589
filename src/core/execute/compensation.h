/* Latency-compensation registers of a pipeline (LU-4; last_use.compensation_of: pipe): where results are between path C-A and the register file. A
 * register holds 32 lanes of one register number. A pipeline has last_use.compensation registers. A result moves on by one in each cycle, and is
 * written when it leaves the last one. A result for which there is no room makes the oldest ones leave early. operand_buffer.h has the registers of
 * warp slots. */
#ifndef HD_CORE_COMPENSATION_H
#define HD_CORE_COMPENSATION_H

#include "core/execute/write_controller.h"

#define HD_NO_LIMIT (UINT32_MAX / 2)

/* Puts wc->to_hold, which leaves path C-A in cycle `now`, into compensation registers. Writes what it displaces. Moves wc->to_hold to the next
 * result. */
void hd_compensation_enter(hd_write_controller *wc, uint64_t now);
/* The number of words in a mask of a result's words, which are at most four: each digit is the number of bits of its place. */
static inline unsigned hd_count_words(unsigned words) { return (unsigned)(UINT64_C(0x4332322132212110) >> 4 * words & 15); }
/* The number of registers that these words of a result count for. The parts of a result share its registers (narrow.h). */
static inline unsigned hd_counted_words(const hd_flight *flight, unsigned words)
{
	return flight->part & HD_PART_UNCOUNTED ? 0 : hd_count_words(words);
}

/* Frees the registers of words of a result that are no longer needed, a mask of words. Call this after the words are marked as dropped. */
static inline void hd_compensation_free(hd_write_controller *wc, const hd_flight *flight, unsigned words)
{
	wc->held[flight->pipe] -= hd_counted_words(flight, words);
}

/* For compensation.c, from the write controller: */

/* `flight` is the next result that leaves path C-A; NULL: none. */
void hd_wc_set_to_hold(hd_write_controller *wc, hd_flight *flight);
/* Writes a result after all earlier ones that overlap it. */
void hd_wc_write_in_order(hd_write_controller *wc, hd_flight *flight, uint64_t now);
/* The words of a result that are not dropped, as a mask. */
// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a result is there, for nothing is due without one (hd_wc_settle)
static inline unsigned hd_live_words(const hd_flight *flight) { return ((1u << flight->words) - 1) & ~(unsigned)flight->dropped; }

#endif

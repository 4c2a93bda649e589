/* Latency-compensation registers (LU-4, LU-15): where results are between path 54A and the register file. A register holds 32 lanes of one register
 * number. Two forms exist:
 *
 *   last_use.compensation_of: pipe   A pipeline has last_use.compensation registers. A result moves on by one in each cycle, and is written when it
 *                                    leaves the last one. A result for which there is no room makes the oldest ones leave early.
 *   last_use.compensation_of: warp   An operand buffer of last_use.compensation registers belongs to last_use.compensation_share warp slots. A result
 *                                    stays until its last use, until a later result replaces it for all its lanes, or until it is the one that was
 *                                    not used for the longest time when a register is needed. Then it is written (no value is lost).
 *
 * With last_use.last_result each warp slot has a register in front of its operand buffer. The register holds the latest result of one word. */
#ifndef HD_CORE_COMPENSATION_H
#define HD_CORE_COMPENSATION_H

#include "core/execute/write_controller.h"

#define HD_NO_LIMIT (UINT32_MAX / 2)

/* Where a result is: flight->held. */
enum { HD_HELD_NOWHERE, HD_HELD_IN_REGISTERS, HD_HELD_AS_LAST_RESULT };

/* Puts wc->to_hold, which leaves path 54A in cycle `now`, into compensation registers or into the last-result register. Writes what these displace.
 * Moves wc->to_hold to the next result. */
void hd_compensation_enter(hd_write_controller *wc, uint64_t now);
/* Frees the registers of words of a result that are no longer needed, a mask of words. Call this after the words are marked as dropped. */
void hd_compensation_free(hd_write_controller *wc, const hd_flight *flight, unsigned words);

/* For compensation.c, from the write controller: */

/* Writes the registers `words` (a mask) of a result in cycle `now`, and drops them. */
void hd_wc_write_words(hd_write_controller *wc, hd_flight *flight, unsigned words, uint64_t now);
/* The same for lanes that a write of the same register in this cycle takes along: no port and no second write is counted. */
void hd_wc_write_along(hd_write_controller *wc, hd_flight *flight, unsigned words);
/* Writes a result after all earlier ones that overlap it. */
void hd_wc_write_in_order(hd_write_controller *wc, hd_flight *flight, uint64_t now);
/* Marks registers of a result as dropped, and frees the compensation registers that hold them. Returns the result to the pool when none is left. */
void hd_wc_drop_words(hd_write_controller *wc, hd_flight *flight, unsigned words);
/* Takes a result out of the list of results on the paths. It stays in the list of its warp slot. */
void hd_wc_leave_paths(hd_write_controller *wc, hd_flight *flight);
/* The words of a result that are not dropped, as a mask. */
static inline unsigned hd_live_words(const hd_flight *flight) { return ((1u << flight->words) - 1) & ~(unsigned)flight->dropped; }

#endif

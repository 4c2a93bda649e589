/* A log of a core's units (launch/units.h), cycle by cycle, as differences: for a page that steps through the cycles in both directions. Its memory
 * is bounded; it ends before the cycle for which it has no room. */
#ifndef HD_UNIT_LOG_H
#define HD_UNIT_LOG_H

#include "config/machine.h"
#include "launch/units.h"

enum { HD_UNIT_LOG_BYTES = 8 << 20 }; /* the usual room for differences */

typedef struct hd_unit_log hd_unit_log;

/* A log of the cycles `first` to `last` of a core, of at most `bytes` bytes of differences. */
hd_unit_log *hd_unit_log_new(uint32_t core, uint64_t first, uint64_t last, size_t bytes);
void hd_unit_log_free(hd_unit_log *log);
/* The watcher to hand to the machine; the log owns it. */
hd_unit_watch *hd_unit_log_watch(hd_unit_log *log);

/* The number of cycles that it holds, and the first and the last of them; 0: none. */
uint64_t hd_unit_log_cycles(const hd_unit_log *log, uint64_t *first, uint64_t *last);

/* Appends the log as a JSON object, all in one line without '<' and '&', so that it can stand in an HTML script element:
 *
 *   core, first, last   which core; the first and the last cycle of the log
 *   cycles              number of cycles in it
 *   complete            false: it ended early for lack of room
 *   hidden              instances that a group had no room for, all cycles together
 *   counters            fence counters of the machine, counter_limit the highest value of one, and counter_unit what they count
 *   sizes               of units.h: schedulers, banks, entries, hazards, buffers, replays; and cells, the length of the state
 *   pipes, places, outcomes
 *                       names by number
 *   stalls              objects with name, label and colour, by hd_stall
 *   groups              objects with name, text, at (its first cell), count (instances), cells (of an instance) and fields: lists of name, at
 *                       (cells from the instance), count, text
 *   data                the differences in base64: for each cycle the number of cycles since the one before (for the first: 0), the number of cells
 *                       that changed, and for each of these its distance from the one before (the first: from cell -1) and by how much it grew, odd
 *                       for a negative number: 2n, or -2n - 1. Every number is in groups of seven bits, the low one first, bit 7 set where another
 *                       group follows. All cells are zero before the first cycle. */
void hd_unit_log_json(const hd_unit_log *log, const hd_machine *machine, hd_text *out);

#endif

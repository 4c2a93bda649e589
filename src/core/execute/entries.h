/* Entries into the pipelines of a scheduler (MI-16): in how many cycles several instructions enter pipes, and how evenly the pipes are used over time
 * (src/report/evenness.h). For how long a pipe's entry was taken follows from the number of its entries (account.c). */
#ifndef HD_CORE_ENTRIES_H
#define HD_CORE_ENTRIES_H

#include "isa/isa.h"
#include "launch/launch.h"

/* All zero at the beginning of a run. */
typedef struct hd_entries {
	uint64_t next, end; /* the cycle after the last entry; the end of the last entry's span */
	uint64_t cycles, several, squares;
	uint32_t at_once;               /* entries in the cycle of the last one */
	uint32_t recent[HD_PIPE_COUNT]; /* cycles taken by the entries of the span, by pipe */
} hd_entries;

/* An instruction enters `pipe` in cycle `now`, and takes the entry for `interval` cycles. Calls come in the order of cycles. */
static inline void hd_entries_add(hd_entries *entries, unsigned pipe, uint32_t interval, uint64_t now)
{
	bool first = entries->next != now + 1;
	entries->next = now + 1;
	entries->at_once = first ? 1 : entries->at_once + 1;
	entries->cycles += first;
	entries->several += entries->at_once == 2;
	if (now >= entries->end) {
		entries->end = (now / HD_ENTRY_SPAN + 1) * HD_ENTRY_SPAN;
		memset(entries->recent, 0, sizeof entries->recent);
	}
	/* The square of the span's cycles grows from r^2 to (r + interval)^2. */
	entries->squares += (uint64_t)interval * (2 * (uint64_t)entries->recent[pipe] + interval);
	entries->recent[pipe] += interval;
}

/* Adds what was counted to the statistics, and counts from zero. The spans go on: a run that finishes in several steps has the squares of one. */
void hd_entries_finish(hd_entries *entries, hd_stats *stats);

#endif

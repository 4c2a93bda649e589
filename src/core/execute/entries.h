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
	uint64_t counted;               /* of the span, in `squares` already */
	uint32_t at_once;               /* entries in the cycle of the last one */
	uint32_t recent[HD_PIPE_COUNT]; /* cycles taken by the entries of the span, by pipe */
} hd_entries;

/* For hd_entries_add: a span begins with an entry in cycle `now`. */
void hd_entries_begin_span(hd_entries *entries, uint64_t now);
/* An instruction enters `pipe` in cycle `now`, and takes the entry for `interval` cycles. Calls come in the order of cycles. */
static inline void hd_entries_add(hd_entries *entries, unsigned pipe, uint32_t interval, uint64_t now)
{
	if (entries->next == now + 1) {
		entries->several += entries->at_once++ == 1;
	} else {
		entries->next = now + 1;
		entries->at_once = 1;
		entries->cycles++;
		if (now >= entries->end)
			hd_entries_begin_span(entries, now);
	}
	entries->recent[pipe] += interval;
}

/* Adds what was counted to the statistics, and counts from zero. The spans go on: a run that finishes in several steps has the squares of one. */
void hd_entries_finish(hd_entries *entries, hd_stats *stats);

#endif

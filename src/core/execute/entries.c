#include "core/execute/entries.h"

/* Adds the squares of the span's cycles, as far as they are not counted. */
static void count_squares(hd_entries *entries)
{
	uint64_t squares = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		squares += (uint64_t)entries->recent[pipe] * entries->recent[pipe];
	entries->squares += squares - entries->counted;
	entries->counted = squares;
}

void hd_entries_begin_span(hd_entries *entries, uint64_t now)
{
	count_squares(entries);
	entries->end = (now / HD_ENTRY_SPAN + 1) * HD_ENTRY_SPAN;
	entries->counted = 0;
	memset(entries->recent, 0, sizeof entries->recent);
}

void hd_entries_finish(hd_entries *entries, hd_stats *stats)
{
	count_squares(entries);
	stats->entry_cycles += entries->cycles;
	stats->entry_several += entries->several;
	stats->entry_squares += entries->squares;
	entries->cycles = entries->several = entries->squares = 0;
}

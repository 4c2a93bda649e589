#include "core/execute/entries.h"

void hd_entries_finish(hd_entries *entries, hd_stats *stats)
{
	stats->entry_cycles += entries->cycles;
	stats->entry_several += entries->several;
	stats->entry_squares += entries->squares;
	entries->cycles = entries->several = entries->squares = 0;
}

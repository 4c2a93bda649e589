#include "report/evenness.h"

#include <string.h>

double hd_evenness(const hd_machine *machine, const hd_stats *stats)
{
	if (!stats->entry_squares || !stats->run_issue_slots)
		return 0;
	double spans = (double)stats->run_issue_slots / machine->predecode_issue_width / HD_ENTRY_SPAN, even = 0;
#define STAT(group, name, doc)                \
	if (strcmp(#group, "pipe_busy") == 0) \
		even += (double)stats->group##_##name * (double)stats->group##_##name;
#include "launch/stats.def"
#undef STAT
	return even / spans / (double)stats->entry_squares;
}

#include "passes/schedule/recent_pipes.h"

void hd_spread_start(hd_spread *spread, const hd_machine *machine)
{
	uint32_t window = machine->multi_issue_window;
	*spread = (hd_spread){.cycles = window > 1 ? machine->multi_issue_spread : 0};
	spread->memory = (uint8_t)(window - 1 < HD_SPREAD_MEMORY ? window - 1 : HD_SPREAD_MEMORY);
}

void hd_spread_put(hd_spread *spread, unsigned pipe)
{
	if (!spread->cycles)
		return;
	uint8_t *place = &spread->last[spread->n % spread->memory];
	if (spread->n >= spread->memory)
		spread->count[*place]--;
	spread->n++;
	*place = (uint8_t)pipe;
	spread->count[pipe]++;
}

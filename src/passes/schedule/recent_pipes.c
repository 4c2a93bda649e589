#include "passes/schedule/recent_pipes.h"

void hd_recent_pipes_start(hd_recent_pipes *recent, const hd_machine *machine)
{
	*recent = (hd_recent_pipes){.bonus = hd_machine_has_window(machine) ? machine->multi_issue_spread : 0};
	recent->size = (uint8_t)hd_min_u32(machine->multi_issue_window - 1, HD_RECENT_PIPES);
}

void hd_recent_pipes_add(hd_recent_pipes *recent, unsigned pipe)
{
	if (!recent->bonus)
		return;
	uint8_t *oldest = &recent->last[recent->n % recent->size];
	if (recent->n >= recent->size)
		recent->count[*oldest]--;
	recent->n++;
	*oldest = (uint8_t)pipe;
	recent->count[pipe]++;
}

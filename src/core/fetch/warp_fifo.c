#include "core/fetch/warp_fifo.h"

#include "core/fetch/fetch.h"

hd_warp_fifos *hd_warp_fifos_new(const hd_machine *machine, hd_stats *stats)
{
	hd_warp_fifos *fifos = hd_xcalloc(1, sizeof *fifos);
	uint32_t line = hd_line_instructions(machine->predecode_geometry), buffer = machine->predecode_data_buffer;
	fifos->stats = stats;
	fifos->size = (uint16_t)machine->predecode_fifo;
	fifos->rate = (uint16_t)machine->predecode_fifo_rate;
	fifos->room = (uint16_t)(buffer > line ? buffer - line : 0);
	return fifos;
}

void hd_warp_fifos_restart(hd_warp_fifos *fifos, unsigned warp, uint32_t pc)
{
	fifos->pending &= ~(1u << warp);
	fifos->arrived[warp] = pc;
	fifos->held[warp] = fifos->taken[warp] = 0;
}

/* Decides whether the warp's pre-decode buffer has room for another line. True when it has none. */
static bool note_room(const hd_warp_fifos *fifos, hd_fetch *fetch, unsigned warp)
{
	bool full = fifos->taken[warp] > fifos->room;
	fetch->closed = full ? fetch->closed | 1u << warp : fetch->closed & ~(1u << warp);
	return full;
}

void hd_warp_fifos_request(hd_warp_fifos *fifos, hd_fetch *fetch, unsigned warp, unsigned n)
{
	fifos->taken[warp] = (uint16_t)(fifos->taken[warp] + n);
	fifos->stats->predecode_data_buffer_full += note_room(fifos, fetch, warp);
}

void hd_warp_fifos_arrive(hd_warp_fifos *fifos, const hd_fetch *fetch, unsigned warp)
{
	uint32_t from = fifos->arrived[warp];
	fifos->held[warp] = (uint16_t)(fifos->held[warp] + hd_line_rest(fetch->geometry, from));
	fifos->arrived[warp] = ((from >> fetch->line_shift) + 1) << fetch->line_shift;
	fifos->pending |= 1u << warp;
}

/* The entries in the FIFO of a warp: those of instructions in the instruction buffer that are not in the pre-decode buffer any more. */
static unsigned in_fifo(const hd_warp_fifos *fifos, const hd_fetch *fetch, unsigned warp) { return fetch->buffered[warp] - fifos->taken[warp]; }

static bool fill_one(hd_warp_fifos *fifos, hd_fetch *fetch, unsigned warp)
{
	unsigned before = in_fifo(fifos, fetch, warp), n = hd_min_u32(fifos->size - before, hd_min_u32(fifos->rate, fifos->held[warp]));
	if (!n)
		return false;
	for (unsigned i = 0; i < n; i++)
		fetch->have[warp] = hd_after(fetch->geometry, fetch->have[warp]);
	fifos->held[warp] = (uint16_t)(fifos->held[warp] - n);
	fifos->taken[warp] = (uint16_t)(fifos->taken[warp] - n);
	if (!fifos->held[warp])
		fifos->pending &= ~(1u << warp);
	note_room(fifos, fetch, warp);
	fifos->stats->predecode_fifo_entries += n;
	fifos->stats->predecode_fifo_refills += before == 0;
	fifos->stats->predecode_fifo_full += before + n == fifos->size && fifos->held[warp];
	return true;
}

uint32_t hd_warp_fifos_fill(hd_warp_fifos *fifos, hd_fetch *fetch)
{
	uint32_t fed = 0;
	for (uint32_t left = fifos->pending; left; left &= left - 1)
		if (fill_one(fifos, fetch, hd_lowest_bit(left)))
			fed |= left & -left;
	return fed;
}

#include "core/fetch/warp_fifo.h"

#include "core/fetch/fetch.h"

hd_warp_fifos *hd_warp_fifos_new(const hd_machine *machine, hd_stats *stats)
{
	hd_warp_fifos *fifos = hd_xcalloc(1, sizeof *fifos);
	uint32_t line = hd_line_instructions(machine->predecode_geometry), buffer = machine->predecode_data_buffer;
	fifos->stats = stats;
	fifos->size = (uint16_t)machine->predecode_fifo;
	fifos->rate = (uint16_t)machine->predecode_fifo_rate;
	fifos->decodes = hd_machine_decodes_ahead(machine);
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

/* Moves up to `most` entries. Returns how many. */
static unsigned fill_one(hd_warp_fifos *fifos, hd_fetch *fetch, unsigned warp, unsigned most)
{
	unsigned before = in_fifo(fifos, fetch, warp), n = hd_min_u32(fifos->size - before, hd_min_u32(most, fifos->held[warp]));
	if (!n)
		return 0;
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
	return n;
}

/* PD-39: the decoders of the scheduler serve `warps` in turn. *rate: what they can decode in this cycle. Returns the warps that got an entry. */
static uint32_t decode_in_turn(hd_warp_fifos *fifos, hd_fetch *fetch, uint32_t warps, unsigned *rate)
{
	uint32_t fed = 0;
	for (unsigned i = 0; i < HD_WARP_SLOTS && *rate; i++) {
		unsigned warp = (fifos->turn + i) % HD_WARP_SLOTS, n = 0;
		if (warps >> warp & 1)
			n = fill_one(fifos, fetch, warp, *rate);
		*rate -= n;
		if (n)
			fed |= 1u << warp;
	}
	return fed;
}

static uint32_t decode(hd_warp_fifos *fifos, hd_fetch *fetch)
{
	unsigned rate = fifos->rate;
	uint32_t warps = fifos->pending, fed = decode_in_turn(fifos, fetch, warps & fetch->starved, &rate);
	fed |= decode_in_turn(fifos, fetch, warps & ~fed, &rate);
	fifos->stats->predecode_decoded += fifos->rate - rate;
	if (fed) /* so the turn is the same when cycles without work are skipped */
		fifos->turn = (uint8_t)((fifos->turn + 1) % HD_WARP_SLOTS);
	return fed;
}

uint32_t hd_warp_fifos_fill(hd_warp_fifos *fifos, hd_fetch *fetch)
{
	uint32_t fed = 0;
	if (fifos->decodes)
		return decode(fifos, fetch);
	for (uint32_t left = fifos->pending; left; left &= left - 1)
		if (fill_one(fifos, fetch, hd_lowest_bit(left), fifos->rate))
			fed |= left & -left;
	return fed;
}

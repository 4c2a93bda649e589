#include "core/execute/compensation.h"

/* Writes a result that leaves its registers early. Until the register file serves it, no reader may enter (LU-11). */
static void write_early(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	if (wc->file_latency)
		hd_ports_close(&wc->ports, now, now + wc->file_latency);
	hd_wc_write_in_order(wc, flight, now);
}

/* The result moves into registers of its pipeline. */
void hd_compensation_enter(hd_write_controller *wc, uint64_t now)
{
	hd_flight *flight = wc->to_hold;
	hd_wc_set_to_hold(wc, flight->next);
	unsigned needed = hd_counted_words(flight, hd_live_words(flight));
	if (needed > wc->capacity) {
		write_early(wc, flight, now);
		return;
	}
	while (wc->held[flight->pipe] + needed > wc->capacity) {
		hd_flight *oldest = wc->first;
		while (!oldest->held || oldest->pipe != flight->pipe || oldest->part & HD_PART_UNCOUNTED)
			oldest = oldest->next;
		write_early(wc, oldest, now);
	}
	wc->held[flight->pipe] += needed;
	flight->held = true;
	wc->stats->register_file_compensation_writes += needed;
}

#include "core/execute/compensation.h"

static unsigned group_of(const hd_write_controller *wc, const hd_flight *flight) { return wc->share ? flight->warp / wc->share : flight->pipe; }

static bool has_live(const hd_flight *flight, unsigned reg)
{
	return reg >= flight->reg && reg < (unsigned)flight->reg + flight->words && hd_live_words(flight) >> (reg - flight->reg) & 1;
}

/* True when a compensation register of the operand buffer holds other lanes of this register of the warp. */
static bool shares_register(const hd_write_controller *wc, const hd_flight *flight, unsigned reg)
{
	for (const hd_flight *other = wc->first_of[flight->warp]; other; other = other->later)
		if (other != flight && other->held == HD_HELD_IN_REGISTERS && has_live(other, reg))
			return true;
	return false;
}

/* The number of registers that these words of a result take, or leave. The parts of a result share their registers (narrow.h), and so do results for
 * different lanes in an operand buffer. */
static unsigned registers_of(const hd_write_controller *wc, const hd_flight *flight, unsigned words)
{
	unsigned n = 0;
	if (!wc->share && flight->part & HD_PART_UNCOUNTED)
		return 0;
	for (unsigned i = 0; i < flight->words; i++)
		n += (words >> i & 1) && !(wc->share && shares_register(wc, flight, flight->reg + i));
	return n;
}

void hd_compensation_free(hd_write_controller *wc, const hd_flight *flight, unsigned words)
{
	wc->held[group_of(wc, flight)] -= registers_of(wc, flight, words);
}

/* The number of these words for the statistics. */
static unsigned counted(const hd_flight *flight, unsigned words)
{
	unsigned n = 0;
	for (; words && !(flight->part & HD_PART_UNCOUNTED); words &= words - 1)
		n++;
	return n;
}

static void count_entry(hd_write_controller *wc, const hd_flight *flight)
{
	unsigned n = counted(flight, hd_live_words(flight));
	wc->stats->register_file_compensation_writes += n;
	wc->stats->register_file_writes_across += wc->share && flight->pipe != HD_PIPE_ALU ? n : 0;
}

/* Writes a result that leaves its registers early. Until the register file serves it, no reader may enter (LU-11). */
static void write_early(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	if (wc->file_latency)
		hd_ports_close(&wc->ports, now + wc->file_latency);
	hd_wc_write_in_order(wc, flight, now);
}

/* The result moves into registers of its pipeline. */
static void hold_in_pipeline(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	unsigned needed = registers_of(wc, flight, hd_live_words(flight));
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
	flight->held = HD_HELD_IN_REGISTERS;
	count_entry(wc, flight);
}

/* -- the operand buffer ------------------------------------------------------------------------------------------------------------ */

/* Drops the values of earlier results that this result replaces for all their lanes. Nobody can read them any more. */
static void replace(hd_write_controller *wc, const hd_flight *by)
{
	for (hd_flight *old = wc->first_of[by->warp], *later; old != by; old = later) {
		unsigned words = 0;
		later = old->later;
		for (unsigned i = 0; i < old->words; i++)
			if (has_live(old, old->reg + i) && has_live(by, old->reg + i))
				words |= 1u << i;
		if (!words || old->mask & ~by->mask)
			continue;
		wc->stats->register_file_writes_replaced += counted(old, words);
		hd_wc_drop_words(wc, old, words);
	}
}

/* Writes one register of a warp, all lanes that the buffer holds, in the order in which they were made. This is one write to the register file. */
static void evict(hd_write_controller *wc, unsigned warp, unsigned reg, uint64_t now)
{
	bool first = true;
	for (hd_flight *flight = wc->first_of[warp], *later; flight; flight = later) {
		later = flight->later;
		if (flight->held != HD_HELD_IN_REGISTERS || !has_live(flight, reg))
			continue;
		if (first)
			hd_wc_write_words(wc, flight, 1u << (reg - flight->reg), now);
		else
			hd_wc_write_along(wc, flight, 1u << (reg - flight->reg));
		first = false;
	}
}

/* The result of the group that was not used for the longest time. Results that share a register with `but` are not considered. NULL = none. */
static hd_flight *least_recently_used(const hd_write_controller *wc, const hd_flight *but)
{
	unsigned from = but->warp / wc->share * wc->share;
	hd_flight *least = NULL;
	for (unsigned warp = from; warp < from + wc->share && warp < HD_WARP_SLOTS; warp++) {
		for (hd_flight *flight = wc->first_of[warp]; flight; flight = flight->later) {
			if (flight->held != HD_HELD_IN_REGISTERS || (least && least->used <= flight->used))
				continue;
			if (warp != but->warp || flight->reg >= but->reg + but->words || but->reg >= flight->reg + flight->words)
				least = flight;
		}
	}
	return least;
}

/* Writes a result that does not enter the buffer, after other lanes of its registers. */
static void write_past_buffer(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	for (unsigned i = 0; i < flight->words; i++)
		evict(wc, flight->warp, flight->reg + i, now);
	hd_wc_write_words(wc, flight, hd_live_words(flight), now);
}

static void put_in_buffer(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	unsigned group = group_of(wc, flight), live = hd_live_words(flight), needed = registers_of(wc, flight, live);
	while (wc->held[group] + needed > wc->capacity) {
		hd_flight *least = needed > wc->capacity ? NULL : least_recently_used(wc, flight);
		if (!least) {
			write_past_buffer(wc, flight, now);
			return;
		}
		evict(wc, least->warp, least->reg + hd_lowest_bit(hd_live_words(least)), now);
	}
	wc->held[group] += needed;
	flight->held = HD_HELD_IN_REGISTERS;
	count_entry(wc, flight);
}

static bool overlap(const hd_flight *a, const hd_flight *b) { return a->reg < b->reg + b->words && b->reg < a->reg + a->words; }

static void hold_for_warp(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	bool first = flight->words <= wc->last_result_words && !flight->passes_by;
	hd_wc_leave_paths(wc, flight);
	flight->held = HD_HELD_AS_LAST_RESULT; /* off the paths, not in a register yet */
	flight->used = now;
	replace(wc, flight);
	hd_flight *last = wc->last_result[flight->warp];
	if (last && (first || overlap(flight, last))) {
		wc->last_result[flight->warp] = NULL;
		wc->stats->register_file_last_result_moves += counted(last, hd_live_words(last));
		put_in_buffer(wc, last, now);
	}
	if (first) {
		wc->last_result[flight->warp] = flight;
		wc->stats->register_file_last_result_writes += counted(flight, hd_live_words(flight));
	} else if (flight->passes_by) {
		write_past_buffer(wc, flight, now);
	} else {
		put_in_buffer(wc, flight, now);
	}
}

void hd_compensation_enter(hd_write_controller *wc, uint64_t now)
{
	hd_flight *flight = wc->to_hold;
	wc->to_hold = flight->next;
	if (wc->share)
		hold_for_warp(wc, flight, now);
	else
		hold_in_pipeline(wc, flight, now);
}

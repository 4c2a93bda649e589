#include "core/execute/write_controller.h"

void hd_wc_init(hd_write_controller *wc, const hd_machine *machine, hd_register_file *registers, hd_stats *stats, hd_pool *pool)
{
	*wc = (hd_write_controller){
	    .registers = registers, .stats = stats, .pool = pool, .flags = machine->last_use_flags, .across = machine->last_use_across};
	wc->steps[HD_PATH_54B] = machine->last_use_path_b;
	wc->steps[HD_PATH_54A] = machine->last_use_path_a;
	wc->steps[HD_PATH_COMPENSATION] = machine->last_use_compensation;
	wc->reach = wc->steps[0] + wc->steps[1] + wc->steps[2];
	wc->banks = machine->register_file_banks;
	wc->ports = machine->register_file_read_ports;
	wc->port_cycle = UINT64_MAX;
}

/* The bank is the sum of register and warp slot modulo the number of banks. The number is usually a power of two, and then a mask replaces the slow
 * division. */
static unsigned bank_of(const hd_write_controller *wc, unsigned sum) { return wc->banks & (wc->banks - 1) ? sum % wc->banks : sum & (wc->banks - 1); }

/* Delays entries because cycle `now` uses `used` ports of a bank, more than the bank has. */
static void conflict(hd_write_controller *wc, uint32_t used, uint64_t now)
{
	uint64_t until = now + (used + wc->ports - 1) / wc->ports;
	if (until > wc->ports_free) {
		wc->stats->register_file_port_conflicts += until - (wc->ports_free > now + 1 ? wc->ports_free : now + 1);
		wc->ports_free = until;
	}
}

/* Takes a port for each register of a range in cycle `now`. A bank serves the excess in the following cycles, and no instruction enters a pipe before
 * it is served (LU-10). */
static inline void use_ports(hd_write_controller *wc, unsigned warp, unsigned reg, unsigned words, uint64_t now)
{
	if (wc->port_cycle != now) {
		wc->port_cycle = now;
		memset(wc->used, 0, sizeof wc->used);
	}
	for (unsigned at = reg + warp; at < reg + warp + words; at++) {
		uint32_t used = ++wc->used[bank_of(wc, at)];
		if (used > wc->ports)
			conflict(wc, used, now);
	}
}

bool hd_wc_ports_taken(const hd_write_controller *wc, unsigned warp, const unsigned *first, const unsigned *words, unsigned n, uint64_t now)
{
	uint16_t wanted[16] = {0};
	if (wc->port_cycle != now)
		return false;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < words[i]; k++)
			wanted[bank_of(wc, first[i] + k + warp)]++;
	for (unsigned bank = 0; bank < wc->banks; bank++)
		if (wc->used[bank] && wanted[bank] && wc->used[bank] + wanted[bank] > wc->ports)
			return true;
	return false;
}

static bool meets(const hd_flight *flight, unsigned reg, unsigned words)
{
	return flight->reg < reg + words && reg < (unsigned)flight->reg + flight->words;
}

/* Removes a flight and returns it to the pool. `before` is the flight before it in the list of its warp, NULL if it is the first. */
static void take_out(hd_write_controller *wc, hd_flight *flight, hd_flight *before)
{
	unsigned warp = flight->warp;
	*(flight->before ? &flight->before->next : &wc->first) = flight->next;
	*(flight->next ? &flight->next->before : &wc->last) = flight->before;
	*(before ? &before->later : &wc->first_of[warp]) = flight->later;
	if (!flight->later)
		wc->last_of[warp] = before;
	hd_pool_return(wc->pool, flight);
}

/* Counts registers that leave in step `step` and have reached the compensation registers. */
static void count_compensation(hd_write_controller *wc, unsigned words, uint64_t step)
{
	uint32_t forwarding = wc->steps[HD_PATH_54B] + wc->steps[HD_PATH_54A];
	if (wc->reach > forwarding && step >= forwarding)
		wc->stats->register_file_compensation_writes += words;
}

/* Writes the registers of a result that are not dropped. Returns their number for the statistics. */
static unsigned write_rest(hd_write_controller *wc, const hd_flight *flight)
{
	const hd_vec32 *value = hd_flight_value(flight);
	unsigned n = 0;
	if (!flight->dropped) {
		hd_rf_write(wc->registers, flight->warp, flight->reg, flight->words, flight->mask, value);
		n = flight->words;
	}
	for (unsigned i = 0; flight->dropped && i < flight->words; i++) {
		if (flight->dropped >> i & 1)
			continue;
		hd_rf_write(wc->registers, flight->warp, flight->reg + i, 1, flight->mask, value + i);
		n++;
	}
	n = flight->part & HD_PART_UNCOUNTED ? 0 : n;
	wc->stats->register_file_writes += n;
	return n;
}

/* Writes a result that reaches step `step` in cycle `now`. */
static void to_file(hd_write_controller *wc, const hd_flight *flight, uint64_t now, uint64_t step)
{
	count_compensation(wc, write_rest(wc, flight), step);
	for (unsigned i = 0; i < flight->words; i++)
		if (!(flight->dropped >> i & 1))
			use_ports(wc, flight->warp, flight->reg + i, 1, now);
}

/* Writes every result that overlaps a range, oldest first. The older results that overlap such a result are written before it, so writes to a
 * register keep their order. */
static void write_meeting(hd_write_controller *wc, unsigned warp, unsigned reg, unsigned words, const hd_flight *end, uint64_t now)
{
	for (hd_flight *flight = wc->first_of[warp]; flight && flight != end;) {
		if (!meets(flight, reg, words)) {
			flight = flight->later;
			continue;
		}
		write_meeting(wc, warp, flight->reg, flight->words, flight, now);
		hd_flight *before = NULL; /* found anew: the call may have changed the list */
		for (hd_flight *at = wc->first_of[warp]; at != flight; at = at->later)
			before = at;
		hd_flight *later = flight->later;
		to_file(wc, flight, now, now - flight->exit);
		take_out(wc, flight, before);
		flight = later;
	}
}

void hd_wc_settle(hd_write_controller *wc, uint64_t now)
{
	while (wc->first && wc->first->exit + wc->reach <= now) {
		to_file(wc, wc->first, wc->first->exit + wc->reach, wc->reach);
		take_out(wc, wc->first, NULL);
	}
}

void hd_wc_take(hd_write_controller *wc, hd_flight *flight)
{
	hd_wc_settle(wc, flight->exit);
	flight->dropped = 0;
	if (!wc->reach) {
		to_file(wc, flight, flight->exit, 0);
		hd_pool_return(wc->pool, flight);
		return;
	}
	unsigned warp = flight->warp;
	flight->next = flight->later = NULL;
	flight->before = wc->last;
	*(wc->last ? &wc->last->next : &wc->first) = flight;
	wc->last = flight;
	*(wc->first_of[warp] ? &wc->last_of[warp]->later : &wc->first_of[warp]) = flight;
	wc->last_of[warp] = flight;
}

void hd_wc_write(hd_write_controller *wc, unsigned warp, unsigned reg, unsigned words, uint32_t mask, const hd_vec32 *value, uint64_t now)
{
	hd_wc_settle(wc, now);
	if (wc->first_of[warp])
		write_meeting(wc, warp, reg, words, NULL, now);
	hd_rf_write(wc->registers, warp, reg, words, mask, value);
	wc->stats->register_file_writes += words;
	use_ports(wc, warp, reg, words, now);
}

void hd_wc_end(hd_write_controller *wc, unsigned warp)
{
	for (hd_flight *flight; (flight = wc->first_of[warp]);) {
		count_compensation(wc, write_rest(wc, flight), wc->reach);
		take_out(wc, flight, NULL);
	}
}

static hd_path path_of(const hd_write_controller *wc, uint64_t step)
{
	if (step < wc->steps[HD_PATH_54B])
		return HD_PATH_54B;
	return step < wc->steps[HD_PATH_54B] + wc->steps[HD_PATH_54A] ? HD_PATH_54A : HD_PATH_COMPENSATION;
}

/* The number of registers of a range that belong to the result and are dropped (`dropped`), or are not (!`dropped`). */
static unsigned dropped_of(const hd_flight *flight, unsigned reg, unsigned words, bool dropped)
{
	unsigned n = 0;
	for (unsigned i = 0; i < flight->words; i++)
		n += flight->reg + i >= reg && flight->reg + i < reg + words && (flight->dropped >> i & 1) == dropped;
	return n;
}

static void overlay(hd_vec32 *to, unsigned reg, unsigned words, const hd_flight *flight)
{
	const hd_vec32 *value = hd_flight_value(flight);
	for (unsigned i = 0; i < flight->words; i++) {
		unsigned at = flight->reg + i - reg;
		if (flight->reg + i < reg || at >= words || flight->dropped >> i & 1)
			continue;
		hd_rf_merge(&to[at], &value[i], flight->mask);
	}
}

const hd_vec32 *hd_wc_read(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg, unsigned words, bool last_use)
{
	unsigned warp = reading->warp;
	const hd_flight *newest = NULL;
	bool foreign = false;
	reading->words = (uint8_t)(reading->words + words);
	reading->path[operand] = HD_PATH_FILE;
	for (const hd_flight *flight = wc->first_of[warp]; flight; flight = flight->later) {
		if (!meets(flight, reg, words) || (flight->dropped && !dropped_of(flight, reg, words, false)))
			continue;
		newest = flight;
		foreign |= !wc->across && flight->pipe != reading->pipe;
	}
	if (foreign) { /* the value is visible to this reader, but it must go through the register file */
		write_meeting(wc, warp, reg, words, NULL, reading->now);
		newest = NULL;
	}
	if (last_use && wc->flags) {
		reading->last[reading->n_last].reg = (uint8_t)reg;
		reading->last[reading->n_last++].words = (uint8_t)words;
	}
	const hd_vec32 *file = hd_rf_read(wc->registers, warp, reg);
	if (!newest) {
		use_ports(wc, warp, reg, words, reading->now);
		return file;
	}
	bool whole =
	    newest->reg <= reg && reg + words <= (unsigned)newest->reg + newest->words && !(newest->dropped && dropped_of(newest, reg, words, true));
	if (whole && !(reading->mask & ~newest->mask)) {
		reading->forwarded = (uint8_t)(reading->forwarded + words);
		reading->path[operand] = path_of(wc, reading->now - newest->exit);
		if (reading->path[operand] == HD_PATH_COMPENSATION && !reading->part)
			wc->stats->register_file_compensation_reads += words;
	} else { /* some words or lanes come from the register file */
		use_ports(wc, warp, reg, words, reading->now);
	}
	if (whole && newest->mask == ~0u)
		return hd_flight_value(newest) + (reg - newest->reg);
	hd_vec32 *merged = reading->merged[operand];
	memcpy(merged, file, words * sizeof *merged);
	for (const hd_flight *flight = wc->first_of[warp]; flight; flight = flight->later)
		if (meets(flight, reg, words))
			overlay(merged, reg, words, flight);
	return merged;
}

/* Drops the registers reg to end - 1 of a result. True when the whole result is dropped (LU-5; LU-7: for all lanes alike). */
static bool drop(hd_write_controller *wc, hd_flight *flight, unsigned reg, unsigned end, uint64_t now)
{
	unsigned n = 0;
	for (unsigned i = 0; i < flight->words; i++) {
		if (flight->reg + i < reg || flight->reg + i >= end || flight->dropped >> i & 1)
			continue;
		flight->dropped |= (uint8_t)(1u << i);
		n++;
	}
	n = flight->part & HD_PART_UNCOUNTED ? 0 : n;
	wc->stats->register_file_writes_skipped += n;
	count_compensation(wc, n, now - flight->exit);
	return flight->dropped == (1u << flight->words) - 1;
}

void hd_wc_drop_last(hd_write_controller *wc, const hd_reading *reading)
{
	for (unsigned i = 0; i < reading->n_last; i++) {
		unsigned reg = reading->last[i].reg, words = reading->last[i].words;
		hd_flight *before = NULL;
		for (hd_flight *flight = wc->first_of[reading->warp], *later; flight; flight = later) {
			later = flight->later;
			if (!hd_wc_drops(wc, reading, i, flight) || !drop(wc, flight, reg, reg + words, reading->now)) {
				before = flight;
				continue;
			}
			take_out(wc, flight, before);
		}
	}
}

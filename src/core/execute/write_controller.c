#include "core/execute/write_controller.h"

#include "core/execute/compensation.h"

void hd_wc_init(hd_write_controller *wc, const hd_machine *machine, hd_register_file *registers, hd_stats *stats, hd_pool *pool)
{
	*wc = (hd_write_controller){.registers = registers,
	                            .stats = stats,
	                            .pool = pool,
	                            .flags = machine->last_use_flags,
	                            .across = machine->last_use_across,
	                            .path_b = machine->last_use_path_b,
	                            .paths = machine->last_use_path_b + machine->last_use_path_a,
	                            .capacity = machine->last_use_compensation,
	                            .due = UINT64_MAX};
	if (hd_machine_file_latency(machine)) { /* LU-11: the write takes the last cycles of the way */
		wc->path_b = hd_min_u32(wc->path_b, hd_machine_reach(machine));
		wc->paths = hd_min_u32(wc->paths, hd_machine_reach(machine));
		wc->capacity = hd_machine_reach(machine) - wc->paths;
		wc->file_latency = hd_machine_file_latency(machine);
	}
	wc->reach = wc->paths + wc->capacity;
	if (hd_machine_has_operand_buffer(machine)) {
		wc->share = machine->last_use_compensation_share;
		wc->last_result_words = machine->last_use_last_result;
		wc->reach = HD_NO_LIMIT;
	}
	hd_ports_init(&wc->ports, machine, stats);
}

static bool meets(const hd_flight *flight, unsigned reg, unsigned words)
{
	return flight->reg < reg + words && reg < (unsigned)flight->reg + flight->words;
}

/* The live words of a result that lie in a range of registers, as a mask of words of the result. */
static unsigned live_in(const hd_flight *flight, unsigned reg, unsigned words)
{
	unsigned in = 0;
	for (unsigned i = 0; i < flight->words; i++)
		if (flight->reg + i >= reg && flight->reg + i < reg + words)
			in |= 1u << i;
	return in & hd_live_words(flight);
}

static unsigned count(unsigned words)
{
	unsigned n = 0;
	for (; words; words &= words - 1)
		n++;
	return n;
}

static unsigned counted(const hd_flight *flight, unsigned words) { return flight->part & HD_PART_UNCOUNTED ? 0 : count(words); }

void hd_wc_leave_paths(hd_write_controller *wc, hd_flight *flight)
{
	*(flight->before ? &flight->before->next : &wc->first) = flight->next;
	*(flight->next ? &flight->next->before : &wc->last) = flight->before;
	if (wc->to_hold == flight)
		wc->to_hold = flight->next;
}

void hd_wc_remove(hd_write_controller *wc, hd_flight *flight)
{
	unsigned warp = flight->warp;
	hd_flight *before = NULL;
	if (!flight->held || !wc->share)
		hd_wc_leave_paths(wc, flight);
	if (wc->last_result[warp] == flight)
		wc->last_result[warp] = NULL;
	for (hd_flight *at = wc->first_of[warp]; at != flight; at = at->later)
		before = at;
	*(before ? &before->later : &wc->first_of[warp]) = flight->later;
	if (!flight->later)
		wc->last_of[warp] = before;
	hd_pool_return(wc->pool, flight);
}

void hd_wc_drop_words(hd_write_controller *wc, hd_flight *flight, unsigned words)
{
	flight->dropped |= (uint8_t)words;
	if (flight->held == HD_HELD_IN_REGISTERS)
		hd_compensation_free(wc, flight, words);
	if (!hd_live_words(flight))
		hd_wc_remove(wc, flight);
}

static void write_lanes(hd_write_controller *wc, const hd_flight *flight, unsigned words)
{
	const hd_vec32 *value = hd_flight_value(flight);
	for (unsigned i = 0; i < flight->words; i++)
		if (words >> i & 1)
			hd_rf_write(wc->registers, flight->warp, flight->reg + i, 1, flight->mask, value + i);
}

void hd_wc_write_along(hd_write_controller *wc, hd_flight *flight, unsigned words)
{
	write_lanes(wc, flight, words);
	wc->stats->register_file_writes_replaced += counted(flight, words);
	hd_wc_drop_words(wc, flight, words);
}

void hd_wc_write_words(hd_write_controller *wc, hd_flight *flight, unsigned words, uint64_t now)
{
	unsigned n = counted(flight, words);
	write_lanes(wc, flight, words);
	for (unsigned i = 0; i < flight->words; i++)
		if (words >> i & 1)
			hd_ports_use(&wc->ports, HD_PORT_WRITE, flight->warp, flight->reg + i, 1, now);
	wc->stats->register_file_writes += n;
	if (flight->held == HD_HELD_IN_REGISTERS)
		wc->stats->register_file_compensation_evictions += n;
	hd_wc_drop_words(wc, flight, words);
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
		hd_flight *later = flight->later;
		hd_wc_write_words(wc, flight, hd_live_words(flight), now);
		flight = later;
	}
}

void hd_wc_write_in_order(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	write_meeting(wc, flight->warp, flight->reg, flight->words, flight, now);
	hd_wc_write_words(wc, flight, hd_live_words(flight), now);
}

void hd_wc_settle(hd_write_controller *wc, uint64_t now)
{
	for (;;) {
		uint64_t enters = wc->to_hold ? wc->to_hold->exit + wc->paths : UINT64_MAX;
		uint64_t leaves = wc->first ? wc->first->exit + wc->reach : UINT64_MAX;
		wc->due = enters < leaves ? enters : leaves;
		if (wc->due > now)
			return;
		if (leaves <= enters)
			hd_wc_write_words(wc, wc->first, hd_live_words(wc->first), leaves);
		else
			hd_compensation_enter(wc, enters);
	}
}

void hd_wc_take(hd_write_controller *wc, hd_flight *flight)
{
	unsigned warp = flight->warp;
	if (wc->due <= flight->exit)
		hd_wc_settle(wc, flight->exit);
	flight->dropped = flight->held = 0;
	flight->next = flight->later = NULL;
	flight->before = wc->last;
	*(wc->last ? &wc->last->next : &wc->first) = flight;
	wc->last = flight;
	*(wc->first_of[warp] ? &wc->last_of[warp]->later : &wc->first_of[warp]) = flight;
	wc->last_of[warp] = flight;
	if (!wc->to_hold && wc->capacity)
		wc->to_hold = flight;
	wc->due = hd_min_u64(wc->due, flight->exit + (wc->capacity ? wc->paths : wc->reach));
	if (!wc->reach)
		hd_wc_settle(wc, flight->exit);
}

void hd_wc_write(hd_write_controller *wc, unsigned warp, unsigned reg, unsigned words, uint32_t mask, const hd_vec32 *value, uint64_t now)
{
	hd_wc_settle(wc, now);
	if (wc->first_of[warp])
		write_meeting(wc, warp, reg, words, NULL, now);
	hd_rf_write(wc->registers, warp, reg, words, mask, value);
	wc->stats->register_file_writes += words;
	hd_ports_use(&wc->ports, HD_PORT_WRITE, warp, reg, words, now);
}

void hd_wc_end(hd_write_controller *wc, unsigned warp, uint64_t now)
{
	if (wc->due <= now)
		hd_wc_settle(wc, now);
	for (hd_flight *flight; (flight = wc->first_of[warp]);) {
		unsigned live = hd_live_words(flight);
		write_lanes(wc, flight, live);
		wc->stats->register_file_writes += counted(flight, live);
		hd_wc_drop_words(wc, flight, live);
	}
}

static hd_path path_of(const hd_write_controller *wc, const hd_flight *flight, uint64_t now)
{
	if (flight->held)
		return flight->held == HD_HELD_IN_REGISTERS ? HD_PATH_COMPENSATION : HD_PATH_LAST_RESULT;
	return now - flight->exit < wc->path_b ? HD_PATH_54B : HD_PATH_54A;
}

/* Copies the lanes and words of a result that belong to the operand at `to`. */
static void overlay(hd_vec32 *to, unsigned reg, const hd_flight *flight, unsigned live)
{
	const hd_vec32 *value = hd_flight_value(flight);
	for (unsigned i = 0; i < flight->words; i++)
		if (live >> i & 1)
			hd_rf_merge(&to[flight->reg + i - reg], &value[i], flight->mask);
}

/* What the results of a warp contribute to an operand. The masks are masks of the operand's words. */
typedef struct sources {
	hd_flight *newest;
	uint32_t lanes[4]; /* of each word: lanes that some result has */
	unsigned compensation, last_result, across;
	bool foreign; /* some result cannot reach the reader's pipe */
} sources;

static void find_sources(hd_write_controller *wc, const hd_reading *reading, unsigned reg, unsigned words, sources *found)
{
	*found = (sources){0};
	for (hd_flight *flight = wc->first_of[reading->warp]; flight; flight = flight->later) {
		unsigned live = meets(flight, reg, words) ? live_in(flight, reg, words) : 0;
		if (!live)
			continue;
		unsigned at = flight->reg >= reg ? live << (flight->reg - reg) : live >> (reg - flight->reg);
		bool other_pipe = flight->pipe != reading->pipe;
		found->newest = flight;
		found->foreign |= !wc->across && other_pipe;
		found->compensation = (found->compensation & ~at) | (flight->held == HD_HELD_IN_REGISTERS ? at : 0);
		found->last_result = (found->last_result & ~at) | (flight->held == HD_HELD_AS_LAST_RESULT ? at : 0);
		found->across = (found->across & ~at) | (other_pipe ? at : 0);
		flight->used = reading->now;
		for (unsigned i = 0; i < words; i++)
			found->lanes[i] |= at >> i & 1 ? flight->mask : 0;
	}
}

/* Counts where each word of an operand comes from. A word that needs a lane of the register file takes a read port. */
static void count_sources(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg, unsigned words, const sources *from)
{
	unsigned served = 0;
	for (unsigned i = 0; i < words; i++) {
		if (reading->mask & ~from->lanes[i])
			hd_ports_use(&wc->ports, HD_PORT_READ, reading->warp, reg + i, 1, reading->now);
		else
			served |= 1u << i;
	}
	reading->forwarded = (uint8_t)(reading->forwarded + count(served));
	reading->compensation = (uint8_t)(reading->compensation + count(served & from->compensation));
	reading->last_result = (uint8_t)(reading->last_result + count(served & from->last_result));
	reading->across = (uint8_t)(reading->across + count(served & from->across));
	if (served == (1u << words) - 1)
		reading->path[operand] = path_of(wc, from->newest, reading->now);
}

const hd_vec32 *hd_wc_read(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg, unsigned words, bool last_use)
{
	unsigned warp = reading->warp;
	sources from;
	reading->words = (uint8_t)(reading->words + words);
	reading->path[operand] = HD_PATH_FILE;
	if (last_use && wc->flags) {
		reading->last[reading->n_last].reg = (uint8_t)reg;
		reading->last[reading->n_last++].words = (uint8_t)words;
	}
	from.newest = NULL;
	if (wc->first_of[warp])
		find_sources(wc, reading, reg, words, &from);
	if (from.newest && from.foreign) { /* the value is visible to this reader, but it must go through the register file */
		write_meeting(wc, warp, reg, words, NULL, reading->now);
		from.newest = NULL;
	}
	const hd_vec32 *file = hd_rf_read(wc->registers, warp, reg);
	const hd_flight *newest = from.newest;
	if (!newest) {
		hd_ports_use(&wc->ports, HD_PORT_READ, warp, reg, words, reading->now);
		return file;
	}
	count_sources(wc, reading, operand, reg, words, &from);
	if (newest->mask == ~0u && newest->reg <= reg && count(live_in(newest, reg, words)) == words)
		return hd_flight_value(newest) + (reg - newest->reg);
	hd_vec32 *merged = reading->merged[operand];
	memcpy(merged, file, words * sizeof *merged);
	for (const hd_flight *flight = wc->first_of[warp]; flight; flight = flight->later)
		if (meets(flight, reg, words))
			overlay(merged, reg, flight, live_in(flight, reg, words));
	return merged;
}

void hd_wc_drop_last(hd_write_controller *wc, const hd_reading *reading)
{
	for (unsigned i = 0; i < reading->n_last; i++) {
		for (hd_flight *flight = wc->first_of[reading->warp], *later; flight; flight = later) {
			later = flight->later;
			if (!hd_wc_drops(reading, i, flight))
				continue;
			unsigned words = live_in(flight, reading->last[i].reg, reading->last[i].words);
			wc->stats->register_file_writes_skipped += counted(flight, words);
			hd_wc_drop_words(wc, flight, words); /* LU-5; LU-7: for all lanes alike */
		}
	}
}

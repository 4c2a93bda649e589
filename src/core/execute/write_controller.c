#include "core/execute/write_controller.h"

#include "core/execute/compensation.h"
#include "core/observe/observers.h"

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
	                            .due = HD_NEVER,
	                            .writes_at = HD_NEVER,
	                            .holds_at = HD_NEVER};
	if (hd_machine_file_latency(machine)) { /* LU-11: the write takes the last cycles of the way */
		wc->path_b = hd_min_u32(wc->path_b, hd_machine_reach(machine));
		wc->paths = hd_min_u32(wc->paths, hd_machine_reach(machine));
		wc->capacity = hd_machine_reach(machine) - wc->paths;
		wc->file_latency = hd_machine_file_latency(machine);
	}
	wc->reach = wc->paths + wc->capacity;
	if (hd_machine_has_operand_buffer(machine)) {
		wc->buffer = hd_operand_buffer_new(machine, registers, &wc->ports, stats);
		wc->reach = HD_NO_LIMIT;
	}
	hd_ports_init(&wc->ports, machine, stats);
}

void hd_wc_free(hd_write_controller *wc) { hd_operand_buffer_free(wc->buffer); }

static bool meets(const hd_flight *flight, unsigned reg, unsigned words)
{
	return flight->reg < reg + words && reg < (unsigned)flight->reg + flight->words;
}

/* The live words of a result that lie in a range of registers, as a mask of words of the result. Requires: the result meets the range. */
static unsigned live_in(const hd_flight *flight, unsigned reg, unsigned words)
{
	unsigned in = (1u << words) - 1;
	return (reg >= flight->reg ? in << (reg - flight->reg) : in >> (flight->reg - reg)) & hd_live_words(flight);
}

/* The same words as a mask of words of the operand that begins with `reg`. */
static unsigned of_operand(const hd_flight *flight, unsigned words, unsigned reg)
{
	return flight->reg >= reg ? words << (flight->reg - reg) : words >> (reg - flight->reg);
}

static void set_first(hd_write_controller *wc, hd_flight *flight)
{
	wc->first = flight;
	wc->writes_at = flight ? flight->exit + wc->reach : HD_NEVER;
}

void hd_wc_set_to_hold(hd_write_controller *wc, hd_flight *flight)
{
	wc->to_hold = flight;
	wc->holds_at = flight ? flight->exit + wc->paths : HD_NEVER;
}

static void leave_list(hd_write_controller *wc, hd_flight *flight)
{
	if (flight->before)
		flight->before->next = flight->next;
	else
		set_first(wc, flight->next);
	*(flight->next ? &flight->next->before : &wc->last) = flight->before;
	if (wc->to_hold == flight)
		hd_wc_set_to_hold(wc, flight->next);
}

static void remove_result(hd_write_controller *wc, hd_flight *flight)
{
	unsigned warp = flight->warp;
	hd_flight *before = NULL;
	leave_list(wc, flight);
	for (hd_flight *at = wc->first_of[warp]; at != flight; at = at->later)
		before = at;
	*(before ? &before->later : &wc->first_of[warp]) = flight->later;
	if (!flight->later)
		wc->last_of[warp] = before;
	hd_pool_return(wc->pool, flight);
}

/* No register of the result need be written any more. `words`: those that needed it so far, a mask. */
static void end_result(hd_write_controller *wc, hd_flight *flight, unsigned words)
{
	if (flight->held)
		hd_compensation_free(wc, flight, words);
	remove_result(wc, flight);
}

static void drop_words(hd_write_controller *wc, hd_flight *flight, unsigned words)
{
	if (words == hd_live_words(flight)) {
		end_result(wc, flight, words);
		return;
	}
	flight->dropped |= (uint8_t)words;
	if (flight->held)
		hd_compensation_free(wc, flight, words);
}

static void write_lanes(hd_write_controller *wc, const hd_flight *flight, unsigned words)
{
	const hd_vec32 *value = hd_flight_value(flight);
	for (; words; words &= words - 1) {
		unsigned i = hd_lowest_bit(words);
		hd_rf_write(wc->registers, flight->warp, flight->reg + i, 1, flight->mask, value + i);
	}
}

static void write_result(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	const hd_vec32 *value = hd_flight_value(flight);
	unsigned live = hd_live_words(flight), n = hd_counted_words(flight, live);
	if (wc->observed)
		hd_event_registers(wc->observed, flight, live, now);
	for (unsigned left = live; left; left &= left - 1) {
		unsigned i = hd_lowest_bit(left), reg = flight->reg + i;
		hd_rf_write(wc->registers, flight->warp, reg, 1, flight->mask, value + i);
		hd_ports_use(&wc->ports, HD_PORT_WRITE, flight->warp, reg, 1, now);
		if (wc->buffer)
			hd_operand_buffer_pass(wc->buffer, flight->warp, reg, 1, flight->mask, now);
	}
	wc->stats->register_file_writes += n;
	if (flight->held)
		wc->stats->register_file_compensation_evictions += n;
	end_result(wc, flight, live);
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
		write_result(wc, flight, now);
		flight = later;
	}
}

void hd_wc_write_in_order(hd_write_controller *wc, hd_flight *flight, uint64_t now)
{
	write_meeting(wc, flight->warp, flight->reg, flight->words, flight, now);
	write_result(wc, flight, now);
}

void hd_wc_settle(hd_write_controller *wc, uint64_t now)
{
	while ((wc->due = hd_min_u64(wc->writes_at, wc->holds_at)) <= now) {
		uint64_t cycle = wc->due;
		if (wc->writes_at == cycle) {
			write_result(wc, wc->first, cycle);
		} else if (wc->buffer) {
			hd_operand_buffer_enter(wc->buffer, wc->to_hold, hd_live_words(wc->to_hold), cycle);
			remove_result(wc, wc->to_hold);
		} else {
			hd_compensation_enter(wc, cycle);
		}
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
	if (wc->last)
		wc->last->next = flight;
	else
		set_first(wc, flight);
	wc->last = flight;
	*(wc->first_of[warp] ? &wc->last_of[warp]->later : &wc->first_of[warp]) = flight;
	wc->last_of[warp] = flight;
	if (!wc->to_hold && wc->capacity)
		hd_wc_set_to_hold(wc, flight);
	wc->due = hd_min_u64(wc->writes_at, wc->holds_at);
	if (!wc->reach)
		hd_wc_settle(wc, flight->exit);
}

void hd_wc_write(hd_write_controller *wc, const hd_direct_write *to, bool counts, uint64_t now)
{
	hd_wc_settle(wc, now);
	if (wc->first_of[to->warp])
		write_meeting(wc, to->warp, to->reg, to->words, NULL, now);
	if (wc->buffer)
		hd_operand_buffer_pass(wc->buffer, to->warp, to->reg, to->words, to->mask, now);
	hd_rf_write(wc->registers, to->warp, to->reg, to->words, to->mask, to->value);
	wc->stats->register_file_writes += counts ? to->words : 0;
	hd_ports_use(&wc->ports, HD_PORT_WRITE, to->warp, to->reg, to->words, now);
}

void hd_wc_end(hd_write_controller *wc, unsigned warp, uint64_t now)
{
	if (wc->due <= now)
		hd_wc_settle(wc, now);
	if (wc->buffer)
		hd_operand_buffer_end(wc->buffer, warp, now);
	for (hd_flight *flight; (flight = wc->first_of[warp]);) {
		unsigned live = hd_live_words(flight);
		if (wc->observed)
			hd_event_registers(wc->observed, flight, live, now);
		write_lanes(wc, flight, live);
		wc->stats->register_file_writes += hd_counted_words(flight, live);
		end_result(wc, flight, live);
	}
}

static bool on_path_a(const hd_write_controller *wc, const hd_flight *flight, uint64_t now)
{
	return !flight->held && now - flight->exit >= wc->path_b;
}

hd_path hd_wc_path_of(const hd_write_controller *wc, const hd_flight *flight, uint64_t now)
{
	if (flight->held)
		return HD_PATH_COMPENSATION;
	return on_path_a(wc, flight, now) ? HD_PATH_A : HD_PATH_B;
}

/* Copies the lanes and words of a result that belong to the operand at `to`. */
static void overlay(hd_vec32 *to, unsigned reg, const hd_flight *flight, unsigned live)
{
	const hd_vec32 *value = hd_flight_value(flight);
	for (unsigned i = 0; i < flight->words; i++)
		if (live >> i & 1)
			hd_rf_merge(&to[flight->reg + i - reg], &value[i], flight->mask);
}

/* The contribution of a warp's results to an operand. The masks are masks of the operand's words. */
typedef struct sources {
	hd_flight *newest; /* on the paths, or in registers of a pipeline */
	bool found;
	uint32_t lanes[4]; /* of each word: lanes that some result has */
	unsigned path_a, compensation, last_result, across;
	bool foreign; /* some result cannot reach the reader's pipe */
} sources;

/* The registers of an operand buffer come before the results on the paths, which are newer. */
static void find_in_buffer(hd_write_controller *wc, const hd_reading *reading, unsigned reg, unsigned words, sources *found)
{
	for (unsigned i = 0; i < words; i++) {
		hd_buffer_register *in[] = {hd_operand_buffer_find(wc->buffer, reading->warp, reg + i),
		                            hd_operand_buffer_find_last(wc->buffer, reading->warp, reg + i)};
		for (unsigned k = 0; k < HD_COUNT(in); k++) {
			if (!in[k])
				continue;
			bool other_pipe = in[k]->pipe != reading->pipe;
			found->found = true;
			found->foreign |= !wc->across && other_pipe;
			found->lanes[i] |= in[k]->lanes;
			found->across = (found->across & ~(1u << i)) | (unsigned)other_pipe << i;
			*(k ? &found->last_result : &found->compensation) |= 1u << i;
		}
		if (in[0])
			hd_operand_buffer_touch(wc->buffer, in[0]);
		if (in[1])
			found->compensation &= ~(1u << i);
	}
}

static void find_sources(hd_write_controller *wc, const hd_reading *reading, unsigned reg, unsigned words, sources *found)
{
	*found = (sources){0};
	if (wc->buffer)
		find_in_buffer(wc, reading, reg, words, found);
	for (hd_flight *flight = wc->first_of[reading->warp]; flight; flight = flight->later) {
		unsigned live = meets(flight, reg, words) ? live_in(flight, reg, words) : 0;
		if (!live)
			continue;
		unsigned at = of_operand(flight, live, reg);
		bool other_pipe = flight->pipe != reading->pipe;
		found->newest = flight;
		found->found = true;
		found->foreign |= !wc->across && other_pipe;
		found->path_a = (found->path_a & ~at) | (on_path_a(wc, flight, reading->now) ? at : 0);
		found->compensation = (found->compensation & ~at) | (flight->held ? at : 0);
		found->last_result &= ~at;
		found->across = (found->across & ~at) | (other_pipe ? at : 0);
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
	reading->forwarded = (uint8_t)(reading->forwarded + hd_count_words(served));
	reading->path_a = (uint8_t)(reading->path_a + hd_count_words(served & from->path_a));
	reading->compensation = (uint8_t)(reading->compensation + hd_count_words(served & from->compensation));
	reading->last_result = (uint8_t)(reading->last_result + hd_count_words(served & from->last_result));
	reading->across = (uint8_t)(reading->across + hd_count_words(served & from->across));
	if (served == (1u << words) - 1)
		reading->path[operand] = from->newest        ? hd_wc_path_of(wc, from->newest, reading->now)
		                         : from->last_result ? HD_PATH_LAST_RESULT
		                                             : HD_PATH_COMPENSATION;
}

/* Copies what an operand buffer has of an operand. */
static void overlay_buffer(hd_write_controller *wc, hd_vec32 *to, unsigned warp, unsigned reg, unsigned words)
{
	for (unsigned i = 0; i < words; i++) {
		const hd_buffer_register *at = hd_operand_buffer_find(wc->buffer, warp, reg + i),
		                         *last = hd_operand_buffer_find_last(wc->buffer, warp, reg + i);
		if (at)
			hd_rf_merge(&to[i], &at->value, at->lanes);
		if (last)
			hd_rf_merge(&to[i], &last->value, last->lanes);
	}
}

/* The value of one register: the register file's, and over it the results that have the register, oldest first. */
static const hd_vec32 *merge_one(const hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg)
{
	hd_vec32 *merged = reading->merged[operand];
	*merged = *hd_rf_read(wc->registers, reading->warp, reg);
	for (const hd_flight *flight = wc->first_of[reading->warp]; flight; flight = flight->later) {
		unsigned word = reg - flight->reg;
		if (word < flight->words && !(flight->dropped >> word & 1))
			hd_rf_merge(merged, hd_flight_value(flight) + word, flight->mask);
	}
	return merged;
}

/* hd_wc_read_one for a warp with results. */
HD_APART const hd_vec32 *read_over_results(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg)
{
	const hd_flight *newest = NULL;
	bool foreign = false;
	uint32_t lanes = 0;
	for (const hd_flight *flight = wc->first_of[reading->warp]; flight; flight = flight->later) {
		unsigned word = reg - flight->reg;
		if (word >= flight->words || flight->dropped >> word & 1)
			continue;
		newest = flight;
		lanes |= flight->mask;
		foreign |= flight->pipe != reading->pipe;
	}
	if (foreign && !wc->across)
		return NULL;
	if (reading->mask & ~lanes || !newest) {
		hd_ports_use(&wc->ports, HD_PORT_READ, reading->warp, reg, 1, reading->now);
		if (!newest)
			return hd_rf_read(wc->registers, reading->warp, reg);
	} else {
		reading->forwarded++;
		reading->path_a = (uint8_t)(reading->path_a + on_path_a(wc, newest, reading->now));
		reading->compensation = (uint8_t)(reading->compensation + newest->held);
		reading->across = (uint8_t)(reading->across + (newest->pipe != reading->pipe));
		reading->path[operand] = hd_wc_path_of(wc, newest, reading->now);
	}
	return newest->mask == ~0u ? hd_flight_value(newest) + (reg - newest->reg) : merge_one(wc, reading, operand, reg);
}

const hd_vec32 *hd_wc_read_one(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg)
{
	unsigned warp = reading->warp;
	if (wc->first_of[warp])
		return read_over_results(wc, reading, operand, reg);
	hd_ports_use(&wc->ports, HD_PORT_READ, warp, reg, 1, reading->now);
	return wc->registers->at[warp] + reg;
}

/* True when some result of the warp has a register of the range. */
static bool any_result(const hd_write_controller *wc, unsigned warp, unsigned reg, unsigned words)
{
	for (const hd_flight *flight = wc->first_of[warp]; flight; flight = flight->later)
		if (meets(flight, reg, words) && live_in(flight, reg, words))
			return true;
	return false;
}

const hd_vec32 *hd_wc_read_several(hd_write_controller *wc, hd_reading *reading, unsigned operand, unsigned reg, unsigned words)
{
	unsigned warp = reading->warp;
	sources from;
	from.found = false;
	if (wc->buffer || any_result(wc, warp, reg, words))
		find_sources(wc, reading, reg, words, &from);
	if (from.found && from.foreign) { /* the value is visible to this reader, but it must go through the register file */
		if (wc->buffer)
			hd_operand_buffer_write(wc->buffer, warp, reg, words, reading->now);
		write_meeting(wc, warp, reg, words, NULL, reading->now);
		from.found = false;
	}
	const hd_vec32 *file = hd_rf_read(wc->registers, warp, reg);
	if (!from.found) {
		hd_ports_use(&wc->ports, HD_PORT_READ, warp, reg, words, reading->now);
		return file;
	}
	const hd_flight *newest = from.newest;
	count_sources(wc, reading, operand, reg, words, &from);
	if (newest && newest->mask == ~0u && newest->reg <= reg && hd_count_words(live_in(newest, reg, words)) == words)
		return hd_flight_value(newest) + (reg - newest->reg);
	hd_vec32 *merged = reading->merged[operand];
	memcpy(merged, file, words * sizeof *merged);
	if (wc->buffer)
		overlay_buffer(wc, merged, warp, reg, words);
	for (const hd_flight *flight = wc->first_of[warp]; flight; flight = flight->later)
		if (meets(flight, reg, words))
			overlay(merged, reg, flight, live_in(flight, reg, words));
	return merged;
}

/* Drops one last use. Returns the words of which some lanes are dropped, as a mask. */
static unsigned drop_operand(hd_write_controller *wc, const hd_reading *reading, unsigned last)
{
	unsigned reg = reading->last[last].reg, n = reading->last[last].words, dropped = 0;
	for (hd_flight *flight = wc->first_of[reading->warp], *later; flight; flight = later) {
		later = flight->later;
		if (!hd_wc_drops(reading, last, flight))
			continue;
		unsigned words = live_in(flight, reg, n);
		dropped |= of_operand(flight, words, reg);
		wc->stats->register_file_writes_skipped += hd_counted_words(flight, words);
		drop_words(wc, flight, words); /* LU-5; LU-7: for all lanes alike */
	}
	for (unsigned i = 0; i < n && wc->buffer; i++)
		dropped |= hd_operand_buffer_drop(wc->buffer, reading->warp, reg + i, reading->mask) ? 1u << i : 0;
	return dropped;
}

unsigned hd_wc_drop_last(hd_write_controller *wc, const hd_reading *reading)
{
	unsigned n = 0;
	for (unsigned i = 0; i < reading->n_last; i++) {
		unsigned all = (1u << reading->last[i].words) - 1, dropped = drop_operand(wc, reading, i);
		n += dropped == all ? reading->last[i].words : hd_count_words(dropped);
	}
	return n;
}

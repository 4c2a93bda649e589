#include "core/execute/operand_buffer.h"

#include "core/observe/observers.h"

hd_operand_buffer *hd_operand_buffer_new(const hd_machine *machine, hd_register_file *file, hd_register_ports *ports, hd_stats *stats)
{
	if (!hd_machine_has_operand_buffer(machine))
		return NULL;
	hd_operand_buffer *b = hd_xcalloc(1, sizeof *b);
	*b = (hd_operand_buffer){.size = machine->last_use_compensation,
	                         .share = machine->last_use_compensation_share,
	                         .last_words = machine->last_use_last_result,
	                         .file = file,
	                         .ports = ports,
	                         .stats = stats};
	size_t last = (size_t)HD_WARP_SLOTS * b->last_words;
	b->at = hd_xcalloc(hd_operand_buffer_registers(b), sizeof *b->at);
	b->last = last ? hd_xcalloc(last, sizeof *b->last) : NULL;
	return b;
}

void hd_operand_buffer_free(hd_operand_buffer *b)
{
	if (!b)
		return;
	free(b->at);
	free(b->last);
	free(b);
}

/* The registers of the buffer that a warp slot uses. */
static hd_buffer_register *of_warp(const hd_operand_buffer *b, unsigned warp) { return b->at + (size_t)(warp / b->share) * b->size; }

static hd_buffer_register *last_of_warp(const hd_operand_buffer *b, unsigned warp) { return b->last + (size_t)warp * b->last_words; }

hd_buffer_register *hd_operand_buffer_find(hd_operand_buffer *b, unsigned warp, unsigned reg)
{
	hd_buffer_register *at = of_warp(b, warp);
	for (hd_buffer_register *end = at + b->size; at < end; at++)
		if (at->lanes && at->reg == reg && at->warp == warp)
			return at;
	return NULL;
}

hd_buffer_register *hd_operand_buffer_find_last(hd_operand_buffer *b, unsigned warp, unsigned reg)
{
	for (unsigned w = 0; w < b->last_words; w++) {
		hd_buffer_register *at = last_of_warp(b, warp) + w;
		if (at->lanes && at->reg == reg)
			return at;
	}
	return NULL;
}

void hd_operand_buffer_each(hd_operand_buffer *b, unsigned warp, hd_buffer_visit *visit, void *context)
{
	for (hd_buffer_register *at = of_warp(b, warp), *end = at + b->size; at < end; at++)
		if (at->lanes && at->warp == warp)
			visit(context, at, false);
	for (unsigned w = 0; w < b->last_words; w++)
		if (last_of_warp(b, warp)[w].lanes)
			visit(context, last_of_warp(b, warp) + w, true);
}

/* -- lanes leave ------------------------------------------------------------------------------------------------------------------- */

/* Takes lanes from a register. Counts the result in it as `left` when no lane remains. Returns the lanes that it had. */
static uint32_t take_lanes(hd_buffer_register *at, uint32_t lanes, uint64_t *left)
{
	if (!at)
		return 0;
	uint32_t had = at->lanes & lanes;
	at->lanes &= ~lanes;
	*left += !at->lanes && at->counted;
	return had;
}

static void replace_lanes(hd_operand_buffer *b, hd_buffer_register *at, uint32_t lanes, uint64_t now)
{
	if (b->observed && at)
		hd_event_buffer(b->observed, b, at, HD_TRACE_REPLACED, lanes, now);
	take_lanes(at, lanes, &b->stats->register_file_writes_replaced);
}

static void write_register(hd_operand_buffer *b, hd_buffer_register *at, uint64_t now)
{
	if (b->observed)
		hd_event_buffer(b->observed, b, at, HD_TRACE_REGISTERS, ~0u, now);
	hd_rf_write(b->file, at->warp, at->reg, 1, at->lanes, &at->value);
	take_lanes(at, ~0u, &b->stats->register_file_writes);
}

static void write_by_port(hd_operand_buffer *b, hd_buffer_register *at, uint64_t now)
{
	hd_ports_use(b->ports, HD_PORT_WRITE, at->warp, at->reg, 1, now);
	write_register(b, at, now);
}

void hd_operand_buffer_pass(hd_operand_buffer *b, unsigned warp, unsigned reg, unsigned words, uint32_t lanes, uint64_t now)
{
	for (unsigned r = reg; r < reg + words; r++) {
		replace_lanes(b, hd_operand_buffer_find(b, warp, r), lanes, now);
		replace_lanes(b, hd_operand_buffer_find_last(b, warp, r), lanes, now);
	}
}

uint32_t hd_operand_buffer_drop(hd_operand_buffer *b, unsigned warp, unsigned reg, uint32_t lanes)
{
	uint64_t *skipped = &b->stats->register_file_writes_skipped;
	uint32_t had = take_lanes(hd_operand_buffer_find(b, warp, reg), lanes, skipped);
	return had | take_lanes(hd_operand_buffer_find_last(b, warp, reg), lanes, skipped);
}

void hd_operand_buffer_write(hd_operand_buffer *b, unsigned warp, unsigned reg, unsigned words, uint64_t now)
{
	for (unsigned r = reg; r < reg + words; r++) {
		hd_buffer_register *at = hd_operand_buffer_find(b, warp, r), *last = hd_operand_buffer_find_last(b, warp, r);
		if (at) {
			b->stats->register_file_compensation_evictions += at->counted;
			write_by_port(b, at, now);
		}
		if (last)
			write_by_port(b, last, now);
	}
}

typedef struct ending {
	hd_operand_buffer *buffer;
	uint64_t now;
} ending;

// NOLINTNEXTLINE(misc-unused-parameters): hd_buffer_visit
static void write_at_end(void *context, hd_buffer_register *at, bool is_last_result)
{
	const ending *e = context;
	write_register(e->buffer, at, e->now);
}

void hd_operand_buffer_end(hd_operand_buffer *b, unsigned warp, uint64_t now) { hd_operand_buffer_each(b, warp, write_at_end, &(ending){b, now}); }

/* -- results enter ----------------------------------------------------------------------------------------------------------------- */

/* The register for a register number of a warp: the one that holds other lanes of it, the first free one, or the one that was not used for the
 * longest time, which is written. */
static hd_buffer_register *place_for(hd_operand_buffer *b, unsigned warp, unsigned reg, uint64_t now)
{
	hd_buffer_register *at = hd_operand_buffer_find(b, warp, reg), *first = of_warp(b, warp), *least = first;
	if (at)
		return at;
	for (at = first; at < first + b->size; at++) {
		if (!at->lanes)
			return at;
		if (at->used < least->used)
			least = at;
	}
	b->stats->register_file_compensation_evictions += least->counted;
	write_by_port(b, least, now);
	return least;
}

/* Puts lanes of one register number into the buffer. */
static void put(hd_operand_buffer *b, const hd_buffer_register *from, uint64_t now)
{
	hd_buffer_register *at = place_for(b, from->warp, from->reg, now);
	bool joins = at->lanes && at->counted;
	if (!at->lanes) {
		at->warp = from->warp;
		at->reg = from->reg;
	}
	hd_rf_merge(&at->value, &from->value, from->lanes);
	at->lanes |= from->lanes;
	at->pipe = from->pipe;
	hd_rf_merge(&at->maker, &from->maker, from->lanes);
	at->counted = from->counted || joins;
	b->stats->register_file_writes_replaced += from->counted && joins; /* one write for both */
	b->stats->register_file_compensation_writes += from->counted;
	b->stats->register_file_writes_across += from->counted && from->pipe != HD_PIPE_ALU;
	hd_operand_buffer_touch(b, at);
}

/* The result takes the place of the last one, which moves to the buffer. */
static void become_last(hd_operand_buffer *b, unsigned warp, const hd_buffer_register words[4], uint64_t now)
{
	for (unsigned w = 0; w < b->last_words; w++) {
		hd_buffer_register *last = last_of_warp(b, warp) + w;
		if (last->lanes) {
			b->stats->register_file_last_result_moves += last->counted;
			put(b, last, now);
		}
		*last = words[w];
		b->stats->register_file_last_result_writes += last->lanes && last->counted;
	}
}

static void write_past(hd_operand_buffer *b, const hd_buffer_register *word, uint64_t now)
{
	if (b->observed)
		hd_event_buffer(b->observed, b, word, HD_TRACE_REGISTERS, ~0u, now);
	hd_rf_write(b->file, word->warp, word->reg, 1, word->lanes, &word->value);
	hd_ports_use(b->ports, HD_PORT_WRITE, word->warp, word->reg, 1, now);
	b->stats->register_file_writes += word->counted;
}

void hd_operand_buffer_enter(hd_operand_buffer *b, const hd_flight *flight, unsigned live, uint64_t now)
{
	hd_buffer_register words[4] = {0};
	for (unsigned w = 0; w < flight->words; w++) {
		words[w] = (hd_buffer_register){.value = hd_flight_value(flight)[w],
		                                .lanes = live >> w & 1 ? flight->mask : 0,
		                                .warp = flight->warp,
		                                .reg = (uint8_t)(flight->reg + w),
		                                .pipe = flight->pipe,
		                                .counted = !(flight->part & HD_PART_UNCOUNTED)};
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			words[w].maker.v[lane] = flight->number;
		hd_operand_buffer_pass(b, flight->warp, words[w].reg, 1, words[w].lanes, now);
	}
	if (flight->words <= b->last_words && !flight->passes_by) {
		become_last(b, flight->warp, words, now);
		return;
	}
	for (unsigned w = 0; w < flight->words; w++) {
		if (!words[w].lanes)
			continue;
		if (flight->passes_by || flight->words > b->size)
			write_past(b, &words[w], now);
		else
			put(b, &words[w], now);
	}
}

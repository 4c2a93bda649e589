/* HW-4: operand_buffer.sv against src/core/execute/operand_buffer.c (LU-4, LU-5, LU-15), behind a write controller without paths. The bench has a
 * register file of its own, which it writes as the module says. Readers are random, so flags of the last use are often wrong: module and C unit must
 * then be wrong alike. The macros LAST_USE_COMPENSATION to READERS are the parameters of the module. */
#include "lockstep.h"

#include "core/execute/write_controller.h"

enum {
	WARPS = LAST_USE_COMPENSATION_SHARE,
	K = LAST_USE_COMPENSATION,
	LAST = LAST_USE_LAST_RESULT,
	WARP_BITS = RTL_CLOG2(WARPS),
	SIZE_BITS = RTL_CLOG2(WORDS + 1),
	REGISTER_BITS = 8,
	OPERANDS = 3,
	PLACES = K + WARPS * LAST,
	PUTS = WORDS > LAST ? WORDS : LAST,
	REGISTERS = 2 * K + 2 * WORDS, /* of a warp, in the bench */
	ALL_LANES = (1u << LANES) - 1,
};

enum {
	FROM_BUFFER,
	FROM_LAST,
	FROM_BOTH,
	PART,
	FREES,
	FREES_LAST,
	DROPS_PART,
	TOO_LATE,
	SECOND_READER,
	JOINS,
	REPLACED,
	REPLACED_PART,
	PASSES,
	TOO_LARGE,
	BECOMES_LAST,
	MOVES,
	GONE,
	DROPPED_WORD,
	EVICTS,
	EVICTS_PART,
	EVICTS_OTHER_WARP,
	EVICTS_NEW,
	USE_SAVES,
	ENDS,
	FULL
};
lockstep_bin bench_bins[] = {
    [FROM_BUFFER] = {"an operand comes from the buffer"},
    [FROM_LAST] = {LAST ? "an operand comes from a last-result register" : NULL},
    [FROM_BOTH] = {LAST ? "a word comes from the buffer and from a last-result register" : NULL},
    [PART] = {"some lanes of an operand come from the buffer and others from the register file"},
    [FREES] = {"a last use frees a register: a write is left out"},
    [FREES_LAST] = {LAST ? "a last use frees a last-result register" : NULL},
    [DROPS_PART] = {"a last use drops some lanes, others stay"},
    [TOO_LATE] = {"a flagged reader finds its value in the register file"},
    [SECOND_READER] = {READERS > 1 ? "a reader wants a register that the reader before it in the cycle has freed" : NULL},
    [JOINS] = {K > LAST &&WORDS > LAST ? "lanes join a register that has others" : NULL},
    [REPLACED] = {"a result replaces all lanes of a register"},
    [REPLACED_PART] = {"a result replaces some lanes of a register"},
    [PASSES] = {"a result passes by while the buffer has lanes of its registers"},
    [TOO_LARGE] = {WORDS > K &&WORDS > LAST ? "a result has more words than the buffer has registers" : NULL},
    [BECOMES_LAST] = {LAST ? "a result goes to a last-result register" : NULL},
    [MOVES] = {LAST ? "the last result moves to the buffer" : NULL},
    [GONE] = {LAST ? "there is no last result any more when the next one comes" : NULL},
    [DROPPED_WORD] = {WORDS > 1 ? "a word of a result was dropped on the paths" : NULL},
    [EVICTS] = {"a register is written because another value needs it"},
    [EVICTS_PART] = {"a register is written that has only some lanes"},
    [EVICTS_OTHER_WARP] = {WARPS > 1 ? "a warp displaces a value of another one" : NULL},
    [EVICTS_NEW] = {RESULTS > K || LAST > K ? "a value is displaced in the cycle in which it came" : NULL},
    [USE_SAVES] = {K > 1 ? "a register is written although its value is not the one that entered first" : NULL},
    [ENDS] = {"a warp ends while it has values"},
    [FULL] = {"all places are taken"},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_machine machine;
static hd_write_controller wc;
static hd_register_file file;
static hd_vec32 registers[WARPS][REGISTERS];
static uint32_t shadow[WARPS][REGISTERS][LANES]; /* what the module has written */
static hd_stats stats;
static hd_pool pool;
static uint64_t now = 100, entered[PLACES];                       /* `entered`: cycle in which the register got its present value */
static unsigned coming, reading, flagged, whole, narrow, passing; /* percent; `narrow`: registers in use */
static lockstep_port *reader_valid, *reader_warp, *reader_lanes, *operand_valid, *operand_register, *operand_words, *operand_last, *operand_found,
    *operand_served, *operand_value, *operand_path, *skip_places, *end_valid, *end_warp, *end_lanes, *result_valid, *result_warp, *result_register,
    *result_words, *result_live, *result_lanes, *result_value, *result_passes, *pass_words, *evict_valid, *evict_warp, *evict_register, *evict_lanes,
    *evict_value, *place_lanes, *place_warp, *place_register, *place_value, *later;

/* What a reader got in C. */
static struct operand {
	bool on;
	unsigned words, served, path;
	uint32_t value[WORDS][LANES], in_file[WORDS][LANES];
} operands[READERS * OPERANDS];

void bench_start(void)
{
	const struct {
		lockstep_port **port;
		const char *name;
	} names[] = {
#define ROW(name) {&name, #name}
	    ROW(reader_valid), ROW(reader_warp),    ROW(reader_lanes),   ROW(operand_valid), ROW(operand_register), ROW(operand_words),
	    ROW(operand_last), ROW(operand_found),  ROW(operand_served), ROW(operand_value), ROW(operand_path),     ROW(skip_places),
	    ROW(end_valid),    ROW(end_warp),       ROW(end_lanes),      ROW(result_valid),  ROW(result_warp),      ROW(result_register),
	    ROW(result_words), ROW(result_live),    ROW(result_lanes),   ROW(result_value),  ROW(result_passes),    ROW(pass_words),
	    ROW(evict_valid),  ROW(evict_warp),     ROW(evict_register), ROW(evict_lanes),   ROW(evict_value),      ROW(place_lanes),
	    ROW(place_warp),   ROW(place_register), ROW(place_value),    ROW(later),
#undef ROW
	};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		*names[i].port = lockstep_find(names[i].name);
	hd_machine_default(&machine);
	machine.last_use_flags = 1;
	machine.last_use_path_b = 0;
	machine.last_use_path_a = 0;
	machine.last_use_compensation = K;
	machine.last_use_compensation_of = HD_OWNER_WARP;
	machine.last_use_compensation_share = WARPS;
	machine.last_use_last_result = LAST;
	machine.last_use_across = 1;
	for (unsigned warp = 0; warp < WARPS; warp++)
		hd_rf_warp(&file, warp, registers[warp], REGISTERS);
	hd_wc_init(&wc, &machine, &file, &stats, &pool);
}

static void another_phase(void)
{
	coming = 20 + lockstep_below(81);
	reading = 20 + lockstep_below(81);
	flagged = lockstep_below(101);
	whole = lockstep_below(101);
	passing = lockstep_chance(30) ? lockstep_below(60) : 0;
	narrow = WORDS + lockstep_below(REGISTERS - WORDS + 1);
}

static unsigned some_lanes(void) { return lockstep_chance(whole) ? ALL_LANES : 1 + lockstep_below(ALL_LANES); }
static unsigned some_words(void) { return lockstep_chance(60) ? 1 : 1 + lockstep_below(WORDS); }
static unsigned some_register(unsigned words) { return lockstep_below(narrow - words + 1); }

/* The place of the C unit with this number. */
static hd_buffer_register *place(unsigned at) { return at < K ? &wc.buffer->at[at] : &wc.buffer->last[at - K]; }

static unsigned lanes_of(unsigned warp, unsigned reg)
{
	const hd_buffer_register *at = hd_operand_buffer_find(wc.buffer, warp, reg), *last = hd_operand_buffer_find_last(wc.buffer, warp, reg);
	return (at ? at->lanes : 0) | (last ? last->lanes : 0);
}

static void read_operand(hd_reading *reader, unsigned i, struct operand *operand, unsigned reg, bool last, const unsigned before[REGISTERS])
{
	unsigned served = reader->forwarded;
	bool in_buffer = hd_operand_buffer_find(wc.buffer, reader->warp, reg), in_last = hd_operand_buffer_find_last(wc.buffer, reader->warp, reg);
	unsigned lanes = lanes_of(reader->warp, reg);
	lockstep_cover_if(FROM_BOTH, in_buffer && in_last);
	lockstep_cover_if(PART, reader->mask & lanes && reader->mask & ~lanes);
	lockstep_cover_if(TOO_LATE, last && !lanes);
	lockstep_cover_if(SECOND_READER, READERS > 1 && before[reg] && !lanes);
	const hd_vec32 *value = hd_wc_read(&wc, reader, i, reg, operand->words, last), *in_file = hd_rf_read(&file, reader->warp, reg);
	operand->served = reader->forwarded - served;
	operand->path = reader->path[i];
	for (unsigned w = 0; w < operand->words; w++) {
		for (unsigned l = 0; l < LANES; l++) {
			operand->value[w][l] = value[w].v[l];
			operand->in_file[w][l] = in_file[w].v[l];
		}
	}
	lockstep_cover_if(FROM_BUFFER, operand->path == HD_PATH_COMPENSATION);
	lockstep_cover_if(FROM_LAST, operand->path == HD_PATH_LAST_RESULT);
}

/* The drops of a reader. */
static void end_reading(hd_reading *reader, uint64_t *skipped)
{
	uint32_t lanes[PLACES];
	for (unsigned at = 0; at < PLACES; at++)
		lanes[at] = place(at)->lanes;
	hd_wc_end_reading(&wc, reader);
	for (unsigned at = 0; at < PLACES; at++) {
		if (place(at)->lanes == lanes[at])
			continue;
		if (!place(at)->lanes)
			*skipped |= UINT64_C(1) << at;
		lockstep_cover_if(DROPS_PART, place(at)->lanes);
		lockstep_cover_if(FREES, at < K && !place(at)->lanes);
		lockstep_cover_if(FREES_LAST, at >= K && !place(at)->lanes);
	}
}

static uint64_t read_operands(void)
{
	unsigned before[WARPS][REGISTERS];
	uint64_t skipped = 0;
	for (unsigned warp = 0; warp < WARPS; warp++)
		for (unsigned reg = 0; reg < REGISTERS; reg++)
			before[warp][reg] = lanes_of(warp, reg);
	for (unsigned r = 0; r < READERS; r++) {
		hd_reading reader;
		bool on = lockstep_chance(reading);
		unsigned warp = lockstep_below(WARPS), lanes = some_lanes();
		lockstep_put(reader_valid, r, 1, on);
		lockstep_put(reader_warp, r * WARP_BITS, WARP_BITS, warp);
		lockstep_put(reader_lanes, r * LANES, LANES, lanes);
		if (on)
			hd_wc_begin(&wc, &reader, warp, HD_PIPE_ALU, lanes, now);
		for (unsigned i = 0, o = r * OPERANDS; i < OPERANDS; i++, o++) {
			bool last = lockstep_chance(flagged), valid = lockstep_chance(70);
			unsigned words = some_words(), reg = some_register(words);
			operands[o].on = valid && on;
			operands[o].words = words;
			lockstep_put(operand_valid, o, 1, valid);
			lockstep_put(operand_register, o * REGISTER_BITS, REGISTER_BITS, reg);
			lockstep_put(operand_words, o * SIZE_BITS, SIZE_BITS, words);
			lockstep_put(operand_last, o, 1, last);
			if (operands[o].on)
				read_operand(&reader, i, &operands[o], reg, last, before[warp]);
		}
		if (on)
			end_reading(&reader, &skipped);
	}
	return skipped;
}

static void end_warps(void)
{
	bool on = lockstep_chance(3);
	unsigned warp = lockstep_below(WARPS), has = 0;
	lockstep_put(end_valid, 0, 1, on);
	lockstep_put(end_warp, 0, WARP_BITS, warp);
	if (!on)
		return;
	for (unsigned reg = 0; reg < REGISTERS; reg++)
		has |= lanes_of(warp, reg);
	lockstep_cover_if(ENDS, has);
	hd_wc_end(&wc, warp, now);
}

static hd_flight *new_flight(unsigned r, unsigned warp, unsigned reg, unsigned words, unsigned lanes)
{
	hd_flight *flight = hd_pool_flight(&pool);
	memset(flight, 0, sizeof *flight);
	flight->memory = words > 2 ? hd_pool_operands(&pool) : NULL;
	hd_vec32 *to = flight->memory ? flight->memory->result.data : flight->out.r;
	for (unsigned w = 0; w < words; w++) {
		for (unsigned l = 0; l < LANES; l++) {
			to[w].v[l] = lockstep_below(1u << WORD_BITS);
			lockstep_put(result_value, ((r * WORDS + w) * LANES + l) * WORD_BITS, WORD_BITS, to[w].v[l]);
		}
	}
	flight->exit = now;
	flight->reg = (uint8_t)reg;
	flight->words = (uint8_t)words;
	flight->pipe = HD_PIPE_ALU;
	flight->warp = (uint8_t)warp;
	flight->mask = lanes;
	return flight;
}

static void cover_entry(const hd_flight *flight, unsigned live)
{
	bool first = flight->words <= LAST && !flight->passes_by;
	for (unsigned w = 0; w < flight->words; w++) {
		unsigned reg = flight->reg + w, has = lanes_of(flight->warp, reg);
		if (!(live >> w & 1))
			continue;
		lockstep_cover_if(REPLACED, has && !(has & ~flight->mask));
		lockstep_cover_if(REPLACED_PART, has & flight->mask && has & ~flight->mask);
		lockstep_cover_if(PASSES, flight->passes_by && has);
		lockstep_cover_if(TOO_LARGE, !flight->passes_by && !first && flight->words > K);
		lockstep_cover_if(BECOMES_LAST, first);
		lockstep_cover_if(JOINS, !first && !flight->passes_by && flight->words <= K && has & ~flight->mask);
	}
	const unsigned last_words = LAST;
	for (unsigned w = 0; first && w < last_words; w++) {
		lockstep_cover_if(MOVES, place(K + flight->warp * LAST + w)->lanes);
		lockstep_cover_if(GONE, !place(K + flight->warp * LAST + w)->lanes);
	}
	lockstep_cover_if(DROPPED_WORD, live != (1u << flight->words) - 1);
}

static void take_results(void)
{
	lockstep_zero(result_value);
	for (unsigned r = 0; r < RESULTS; r++) {
		bool on = lockstep_chance(coming), passes = lockstep_chance(passing);
		unsigned warp = lockstep_below(WARPS), words = some_words(), reg = some_register(words), lanes = some_lanes();
		unsigned live = lockstep_chance(80) ? (1u << words) - 1 : 1 + lockstep_below((1u << words) - 1);
		lockstep_put(result_valid, r, 1, on);
		lockstep_put(result_warp, r * WARP_BITS, WARP_BITS, warp);
		lockstep_put(result_register, r * REGISTER_BITS, REGISTER_BITS, reg);
		lockstep_put(result_words, r * SIZE_BITS, SIZE_BITS, words);
		lockstep_put(result_live, r * WORDS, WORDS, live);
		lockstep_put(result_lanes, r * LANES, LANES, lanes);
		lockstep_put(result_passes, r, 1, passes);
		if (!on)
			continue;
		hd_flight *flight = new_flight(r, warp, reg, words, lanes);
		flight->passes_by = passes;
		hd_wc_take(&wc, flight);
		flight->dropped = (uint8_t)(~live & ((1u << words) - 1));
		cover_entry(flight, live);
		hd_wc_settle(&wc, now);
	}
}

static void compare_operands(void)
{
	for (unsigned o = 0; o < READERS * OPERANDS; o++) {
		const struct operand *operand = &operands[o];
		unsigned served = 0;
		if (!operand->on)
			continue;
		for (unsigned w = 0; w < operand->words; w++) {
			served += (unsigned)lockstep_get(operand_served, o * WORDS + w, 1);
			for (unsigned l = 0; l < LANES; l++) {
				unsigned at = (o * WORDS + w) * LANES + l;
				if (lockstep_get(operand_found, at, 1))
					lockstep_expect(operand_value, at * WORD_BITS, WORD_BITS, operand->value[w][l]);
				else if (operand->value[w][l] != operand->in_file[w][l])
					lockstep_expect(operand_found, at, 1, 1);
			}
		}
		if (served != operand->served)
			lockstep_expect(operand_served, o * WORDS, WORDS,
			                operand->served == operand->words ? (1u << operand->words) - 1 : UINT64_MAX);
		lockstep_expect(operand_path, o * 3, 3, operand->path);
	}
}

static void write_lanes(unsigned warp, unsigned reg, const lockstep_port *lanes, unsigned first_lane, const lockstep_port *value, unsigned first_bit)
{
	for (unsigned l = 0; l < LANES; l++)
		if (lockstep_get(lanes, first_lane + l, 1))
			shadow[warp][reg][l] = (uint32_t)lockstep_get(value, first_bit + l * WORD_BITS, WORD_BITS);
}

static void cover_eviction(unsigned at, unsigned result)
{
	unsigned lanes = (unsigned)lockstep_get(evict_lanes, at * LANES, LANES), warp = (unsigned)lockstep_get(evict_warp, at * WARP_BITS, WARP_BITS);
	unsigned reg = (unsigned)lockstep_get(evict_register, at * REGISTER_BITS, REGISTER_BITS), earlier = 0;
	bool here = false;
	lockstep_cover(EVICTS);
	lockstep_cover_if(EVICTS_PART, lanes != ALL_LANES);
	lockstep_cover_if(EVICTS_OTHER_WARP, WARPS > 1 && warp != lockstep_get(result_warp, result * WARP_BITS, WARP_BITS));
	for (unsigned k = 0; k < K; k++) {
		bool same = lockstep_get(place_register, k * REGISTER_BITS, REGISTER_BITS) == reg && lockstep_get(place_lanes, k * LANES, LANES) &&
		            (WARPS == 1 || lockstep_get(place_warp, k * WARP_BITS, WARP_BITS) == warp);
		here |= same;
		for (unsigned other = 0; same && other < K; other++)
			earlier += lockstep_get(place_lanes, other * LANES, LANES) && entered[other] < entered[k];
	}
	lockstep_cover_if(EVICTS_NEW, !here);
	lockstep_cover_if(USE_SAVES, here && earlier);
}

/* The register file's writes of the cycle, in their order. Returns the number of words. */
static unsigned write_shadow(void)
{
	unsigned n = 0;
	for (unsigned at = 0; at < PLACES; at++) {
		if (!lockstep_get(end_lanes, at * LANES, LANES))
			continue;
		unsigned warp = at < K ? (unsigned)lockstep_get(place_warp, at * WARP_BITS, WARP_BITS) : (at - K) / (LAST ? LAST : 1);
		write_lanes(warp, (unsigned)lockstep_get(place_register, at * REGISTER_BITS, REGISTER_BITS), end_lanes, at * LANES, place_value,
		            at * LANES * WORD_BITS);
		n++;
	}
	for (unsigned r = 0; r < RESULTS; r++) {
		for (unsigned at = r * PUTS; at < (r + 1) * PUTS; at++) {
			if (!lockstep_get(evict_valid, at, 1))
				continue;
			cover_eviction(at, r);
			write_lanes((unsigned)lockstep_get(evict_warp, at * WARP_BITS, WARP_BITS),
			            (unsigned)lockstep_get(evict_register, at * REGISTER_BITS, REGISTER_BITS), evict_lanes, at * LANES, evict_value,
			            at * LANES * WORD_BITS);
			n++;
		}
		for (unsigned w = 0; w < WORDS; w++) {
			if (!lockstep_get(pass_words, r * WORDS + w, 1))
				continue;
			write_lanes((unsigned)lockstep_get(result_warp, r * WARP_BITS, WARP_BITS),
			            (unsigned)lockstep_get(result_register, r * REGISTER_BITS, REGISTER_BITS) + w, result_lanes, r * LANES,
			            result_value, (r * WORDS + w) * LANES * WORD_BITS);
			n++;
		}
	}
	return n;
}

static void compare_order(void)
{
	for (unsigned i = 0; i < K; i++)
		for (unsigned j = i + 1; j < K; j++)
			if (place(i)->lanes && place(j)->lanes)
				lockstep_expect(later, i * K + j, 1, place(i)->used > place(j)->used);
}

/* Contents of all places, at the beginning of the cycle, and the register files. */
static void compare_places(void)
{
	unsigned n = 0;
	for (unsigned at = 0; at < PLACES; at++) {
		const hd_buffer_register *in = place(at);
		lockstep_expect(place_lanes, at * LANES, LANES, in->lanes);
		n += in->lanes != 0;
		if (!in->lanes)
			continue;
		lockstep_expect(place_warp, at * WARP_BITS, WARP_BITS, in->warp);
		lockstep_expect(place_register, at * REGISTER_BITS, REGISTER_BITS, in->reg);
		for (unsigned l = 0; l < LANES; l++)
			if (in->lanes >> l & 1)
				lockstep_expect(place_value, (at * LANES + l) * WORD_BITS, WORD_BITS, in->value.v[l]);
	}
	lockstep_cover_if(FULL, n == PLACES);
	compare_order();
	for (unsigned warp = 0; warp < WARPS; warp++) {
		for (unsigned i = 0; i < REGISTERS * LANES; i++) {
			uint32_t value = registers[warp][i / LANES].v[i % LANES];
			if (shadow[warp][i / LANES][i % LANES] != value) {
				printf("the register files differ: warp %u, register %u, lane %u: %u, C unit %u\n", warp, i / LANES, i % LANES,
				       shadow[warp][i / LANES][i % LANES], value);
				lockstep_expect(evict_valid, 0, 1, 2);
			}
		}
	}
}

/* When the value of each register entered it: a register that another number or warp takes begins anew. */
static void note_entries(const unsigned before[PLACES])
{
	for (unsigned at = 0; at < K; at++) {
		const hd_buffer_register *in = place(at);
		unsigned name = in->lanes ? 1u + in->reg + 256u * in->warp : 0;
		if (name != before[at])
			entered[at] = now;
	}
}

void bench_cycle(void)
{
	unsigned before[PLACES];
	if (lockstep_chance(1) || !narrow)
		another_phase();
	uint64_t written = stats.register_file_writes;
	for (unsigned at = 0; at < PLACES; at++)
		before[at] = place(at)->lanes ? 1u + place(at)->reg + 256u * place(at)->warp : 0;
	uint64_t skipped = read_operands();
	end_warps();
	take_results();
	lockstep_eval();
	compare_operands();
	lockstep_expect(skip_places, 0, PLACES, skipped);
	unsigned n = write_shadow();
	if (n != stats.register_file_writes - written) {
		printf("%u words written, C unit %u\n", n, (unsigned)(stats.register_file_writes - written));
		lockstep_expect(evict_valid, 0, 1, 2);
	}
	lockstep_clock();
	note_entries(before);
	now++;
	lockstep_zero(result_valid);
	lockstep_zero(reader_valid);
	lockstep_zero(end_valid);
	lockstep_eval();
	compare_places();
}

/* HW-4: write_controller.sv against src/core/execute/write_controller.c and compensation.c (LU-4 to LU-7), with registers of a pipeline. The bench
 * has a register file of its own, which it writes as the module says. Readers are random, so flags of the last use are often wrong: module and C unit
 * must then be wrong alike. The macros MACHINE_WARPS to READERS are the parameters of the module. */
#include "lockstep.h"

#include "core/execute/compensation.h"
#include "core/execute/write_controller.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	PIPE_BITS = RTL_CLOG2(PIPES),
	SIZE_BITS = RTL_CLOG2(WORDS + 1),
	REGISTER_BITS = 8,
	OPERANDS = 3,
	PATHS = LAST_USE_PATH_B + LAST_USE_PATH_A,
	LENGTH = PATHS + LAST_USE_COMPENSATION,
	RESULTS = PIPES * LENGTH,
	REGISTERS = 16, /* of a warp, in the bench */
	CROWDS = WORDS > 1 && LAST_USE_COMPENSATION > 0,
};

enum {
	FROM_B,
	FROM_A,
	FROM_REGISTERS,
	PART,
	MERGED,
	SKIPS,
	SKIPS_AT_ONCE,
	SKIPS_LAST,
	KEPT_LANES,
	TOO_LATE,
	SECOND_READER,
	EARLY,
	TOO_LARGE,
	ORDERED,
	FOREIGN,
	DIRECT,
	ENDS,
	FULL,
	SHARES
};
lockstep_bin bench_bins[] = {
    [FROM_B] = {"an operand comes from path 54B"},
    [FROM_A] = {"an operand comes from path 54A"},
    [FROM_REGISTERS] = {LAST_USE_COMPENSATION ? "an operand comes from a compensation register" : NULL},
    [PART] = {"some lanes of an operand come from a result and others from the register file"},
    [MERGED] = {"an operand of one word comes from two results"},
    [SKIPS] = {"a write is left out"},
    [SKIPS_AT_ONCE] = {"a write is left out in the cycle of the result"},
    [SKIPS_LAST] = {"a write is left out in the cycle in which it was due"},
    [KEPT_LANES] = {"a flagged value stays, because it was made for lanes that do not read"},
    [TOO_LATE] = {"a flagged reader finds its value in the register file"},
    [SECOND_READER] = {READERS > 1 ? "a reader finds a value that the reader before it in the cycle has dropped" : NULL},
    [EARLY] = {CROWDS ? "a result leaves its compensation registers early" : NULL},
    [TOO_LARGE] = {CROWDS && WORDS > LAST_USE_COMPENSATION ? "a result has more words than its pipeline has compensation registers" : NULL},
    [ORDERED] = {CROWDS || !LAST_USE_ACROSS ? "an older result of a register is written before one that leaves early" : NULL},
    [FOREIGN] = {LAST_USE_ACROSS ? NULL : "a reader in another pipeline makes a result go to the register file"},
    [DIRECT] = {"a result without a path makes one leave early"},
    [ENDS] = {"a warp ends while it has results"},
    [FULL] = {"all places hold a result"},
    [SHARES] = {CROWDS ? "a part of a narrow pipeline's result is in the compensation registers of a full pipeline" : NULL},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

static hd_machine machine;
static hd_write_controller wc;
static hd_register_file file;
static hd_vec32 registers[MACHINE_WARPS][REGISTERS];
static uint32_t shadow[MACHINE_WARPS][REGISTERS][LANES]; /* what the module has written */
static hd_stats stats;
static hd_pool pool;
static uint64_t now = 100;
static unsigned coming, reading, flagged, whole, narrow, parts; /* percent; the last: registers in use */
static lockstep_port *result_valid, *result_warp, *result_register, *result_words, *result_lanes, *result_value, *direct_valid, *direct_warp,
    *direct_register, *direct_words, *end_valid, *end_warp, *reader_valid, *reader_warp, *reader_pipe, *reader_lanes, *operand_valid,
    *operand_register, *operand_words, *operand_last, *operand_served, *operand_found, *operand_value, *operand_path, *write_words, *skip_words,
    *place_words, *place_warp, *place_register, *place_size, *place_lanes, *place_value, *result_shares, *place_shares;

/* What a reader got in C. */
static struct operand {
	bool on;
	unsigned warp, reg, words, served, path;
	uint32_t value[WORDS][LANES], in_file[WORDS][LANES];
} operands[READERS * OPERANDS];

void bench_start(void)
{
	const struct {
		lockstep_port **port;
		const char *name;
	} names[] = {
#define ROW(name) {&name, #name}
	    ROW(result_valid),  ROW(result_warp),  ROW(result_register), ROW(result_words),  ROW(result_lanes),   ROW(result_value),
	    ROW(direct_valid),  ROW(direct_warp),  ROW(direct_register), ROW(direct_words),  ROW(end_valid),      ROW(end_warp),
	    ROW(reader_valid),  ROW(reader_warp),  ROW(reader_pipe),     ROW(reader_lanes),  ROW(operand_valid),  ROW(operand_register),
	    ROW(operand_words), ROW(operand_last), ROW(operand_served),  ROW(operand_found), ROW(operand_value),  ROW(operand_path),
	    ROW(write_words),   ROW(skip_words),   ROW(place_words),     ROW(place_warp),    ROW(place_register), ROW(place_size),
	    ROW(place_lanes),   ROW(place_value),  ROW(result_shares),   ROW(place_shares),
#undef ROW
	};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		*names[i].port = lockstep_find(names[i].name);
	hd_machine_default(&machine);
	machine.last_use_flags = 1;
	machine.last_use_path_b = LAST_USE_PATH_B;
	machine.last_use_path_a = LAST_USE_PATH_A;
	machine.last_use_compensation = LAST_USE_COMPENSATION;
	machine.last_use_compensation_of = HD_OWNER_PIPE;
	machine.last_use_across = LAST_USE_ACROSS;
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		hd_rf_warp(&file, warp, registers[warp], REGISTERS);
	hd_wc_init(&wc, &machine, &file, &stats, &pool);
}

static void another_phase(void)
{
	coming = 20 + lockstep_below(81);
	reading = 20 + lockstep_below(81);
	flagged = lockstep_below(101);
	parts = lockstep_chance(40) ? lockstep_below(101) : 0;
	whole = lockstep_below(101);
	narrow = WORDS + lockstep_below(REGISTERS - WORDS + 1);
}

static unsigned some_lanes(void) { return lockstep_chance(whole) ? (1u << LANES) - 1 : 1 + lockstep_below((1u << LANES) - 1); }
static unsigned some_words(void) { return lockstep_chance(60) ? 1 : 1 + lockstep_below(WORDS); }
static unsigned some_register(unsigned words) { return lockstep_below(narrow - words + 1); }

static bool holds(const hd_flight *flight, unsigned reg)
{
	return reg >= flight->reg && reg < (unsigned)flight->reg + flight->words && hd_live_words(flight) >> (reg - flight->reg) & 1;
}

static unsigned place_of(const hd_flight *flight) { return (unsigned)(LENGTH - 1 - (now - flight->exit)) * PIPES + flight->pipe; }

static void take_results(void)
{
	for (unsigned p = 0; p < PIPES; p++) {
		bool on = lockstep_chance(coming);
		unsigned warp = lockstep_below(MACHINE_WARPS), words = some_words(), reg = some_register(words), lanes = some_lanes();
		lockstep_put(result_valid, p, 1, on);
		lockstep_put(result_warp, p * WARP_BITS, WARP_BITS, warp);
		lockstep_put(result_register, p * REGISTER_BITS, REGISTER_BITS, reg);
		lockstep_put(result_words, p * SIZE_BITS, SIZE_BITS, words);
		bool shares = lockstep_chance(parts);
		lockstep_put(result_lanes, p * LANES, LANES, lanes);
		lockstep_put(result_shares, p, 1, shares);
		if (!on)
			continue;
		hd_flight *flight = hd_pool_flight(&pool);
		memset(flight, 0, sizeof *flight);
		flight->memory = words > 2 ? hd_pool_operands(&pool) : NULL;
		hd_vec32 *to = flight->memory ? flight->memory->result.data : flight->out.r;
		for (unsigned w = 0; w < words; w++) {
			for (unsigned l = 0; l < LANES; l++) {
				to[w].v[l] = lockstep_below(1u << WORD_BITS);
				lockstep_put(result_value, ((p * WORDS + w) * LANES + l) * WORD_BITS, WORD_BITS, to[w].v[l]);
			}
		}
		flight->exit = now;
		flight->reg = (uint8_t)reg;
		flight->words = (uint8_t)words;
		flight->pipe = (uint8_t)p;
		flight->warp = (uint8_t)warp;
		flight->mask = lanes;
		flight->part = shares ? HD_PART_UNCOUNTED : 0;
		hd_wc_take(&wc, flight);
	}
}

/* Results that leave early: before one without a path, and when a warp ends. Returns true, and what was written, with the former. */
static bool leave_early(unsigned *warp, unsigned *reg, unsigned *words, hd_vec32 value[WORDS])
{
	bool on = lockstep_chance(LAST_USE_ACROSS ? 5 : 15), ends = lockstep_chance(3);
	*warp = lockstep_below(MACHINE_WARPS);
	*words = some_words();
	*reg = some_register(*words);
	unsigned ended = lockstep_below(MACHINE_WARPS);
	lockstep_put(direct_valid, 0, 1, on);
	lockstep_put(direct_warp, 0, WARP_BITS, *warp);
	lockstep_put(direct_register, 0, REGISTER_BITS, *reg);
	lockstep_put(direct_words, 0, SIZE_BITS, *words);
	lockstep_put(end_valid, 0, 1, ends);
	lockstep_put(end_warp, 0, WARP_BITS, ended);
	if (on) {
		uint64_t written = stats.register_file_writes;
		for (unsigned w = 0; w < *words; w++) {
			for (unsigned l = 0; l < LANES; l++)
				value[w].v[l] = lockstep_below(1u << WORD_BITS);
		}
		hd_wc_write(&wc, *warp, *reg, *words, (1u << LANES) - 1, value, true, now);
		lockstep_cover_if(DIRECT, stats.register_file_writes - written > *words);
	}
	if (ends) {
		lockstep_cover_if(ENDS, wc.first_of[ended] != NULL);
		hd_wc_end(&wc, ended, now);
	}
	return on;
}

static void cover_operand(const hd_reading *r, unsigned reg, bool last)
{
	unsigned results = 0, lanes = 0;
	for (const hd_flight *flight = wc.first_of[r->warp]; flight; flight = flight->later) {
		if (!holds(flight, reg))
			continue;
		results++;
		lanes |= flight->mask;
		lockstep_cover_if(KEPT_LANES, last && flight->mask & ~r->mask);
	}
	lockstep_cover_if(PART, r->mask & lanes && r->mask & ~lanes);
	lockstep_cover_if(MERGED, results > 1);
	lockstep_cover_if(TOO_LATE, last && !results);
}

static void read_operands(unsigned dropped[MACHINE_WARPS])
{
	for (unsigned r = 0; r < READERS; r++) {
		hd_reading reader;
		bool on = lockstep_chance(reading);
		unsigned warp = lockstep_below(MACHINE_WARPS), pipe = lockstep_below(PIPES), lanes = some_lanes();
		lockstep_put(reader_valid, r, 1, on);
		lockstep_put(reader_warp, r * WARP_BITS, WARP_BITS, warp);
		lockstep_put(reader_pipe, r * PIPE_BITS, PIPE_BITS, pipe);
		lockstep_put(reader_lanes, r * LANES, LANES, lanes);
		if (on)
			hd_wc_begin(&wc, &reader, warp, pipe, lanes, now);
		for (unsigned i = 0, o = r * OPERANDS; i < OPERANDS; i++, o++) {
			struct operand *operand = &operands[o];
			bool last = lockstep_chance(flagged);
			unsigned words = some_words(), reg = some_register(words);
			operand->on = lockstep_chance(70);
			lockstep_put(operand_valid, o, 1, operand->on);
			lockstep_put(operand_register, o * REGISTER_BITS, REGISTER_BITS, reg);
			lockstep_put(operand_words, o * SIZE_BITS, SIZE_BITS, words);
			lockstep_put(operand_last, o, 1, last);
			operand->on = operand->on && on;
			if (!operand->on)
				continue;
			cover_operand(&reader, reg, last);
			lockstep_cover_if(SECOND_READER, dropped[warp] >> reg & 1);
			unsigned served = reader.forwarded;
			uint64_t written = stats.register_file_writes;
			const hd_flight *newest = NULL;
			for (const hd_flight *flight = wc.first_of[warp]; flight; flight = flight->later)
				newest = holds(flight, reg) ? flight : newest;
			const hd_vec32 *value = hd_wc_read(&wc, &reader, i, reg, words, last);
			const hd_vec32 *in_file = hd_rf_read(&file, warp, reg);
			operand->warp = warp;
			operand->reg = reg;
			operand->words = words;
			operand->served = reader.forwarded - served;
			operand->path = reader.path[i];
			for (unsigned w = 0; w < words; w++) {
				for (unsigned l = 0; l < LANES; l++) {
					operand->value[w][l] = value[w].v[l];
					operand->in_file[w][l] = in_file[w].v[l];
				}
			}
			lockstep_cover_if(FROM_B, operand->path == HD_PATH_54B);
			lockstep_cover_if(FROM_A, operand->path == HD_PATH_54A);
			lockstep_cover_if(FROM_REGISTERS, operand->path == HD_PATH_COMPENSATION);
			lockstep_cover_if(FOREIGN, newest && stats.register_file_writes > written);
			lockstep_cover_if(ORDERED, stats.register_file_writes > written + 1);
		}
		if (!on)
			continue;
		for (unsigned i = 0; i < reader.n_last; i++) {
			for (const hd_flight *flight = wc.first_of[warp]; flight; flight = flight->later) {
				if (!hd_wc_drops(&reader, i, flight) || !holds(flight, reader.last[i].reg))
					continue;
				dropped[warp] |= 1u << reader.last[i].reg;
				lockstep_cover_if(SKIPS_AT_ONCE, flight->exit == now);
				lockstep_cover_if(SKIPS_LAST, flight->exit + LENGTH - 1 == now);
			}
		}
		hd_wc_end_reading(&wc, &reader);
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

/* The register file's write of the cycle, older results first. Returns the number of words that the statistics count. */
static unsigned write_shadow(void)
{
	unsigned n = 0;
	for (unsigned at = 0; at < RESULTS * WORDS; at++) {
		unsigned result = at / WORDS, word = at % WORDS;
		if (!lockstep_get(write_words, at, 1))
			continue;
		uint32_t *to = shadow[lockstep_get(place_warp, result * WARP_BITS, WARP_BITS)]
		                     [lockstep_get(place_register, result * REGISTER_BITS, REGISTER_BITS) + word];
		for (unsigned l = 0; l < LANES; l++) {
			if (lockstep_get(place_lanes, result * LANES + l, 1))
				to[l] = (uint32_t)lockstep_get(place_value, (at * LANES + l) * WORD_BITS, WORD_BITS);
		}
		n += !lockstep_get(place_shares, result, 1);
	}
	return n;
}

/* The flights of the C unit and the results of the module, at the beginning of the cycle. */
static void compare_places(void)
{
	const hd_flight *in[RESULTS] = {0};
	unsigned n = 0;
	for (const hd_flight *flight = wc.first; flight; flight = flight->next, n++)
		in[place_of(flight)] = flight;
	lockstep_cover_if(FULL, n == RESULTS - PIPES);
	for (unsigned at = 0; at < RESULTS - PIPES; at++) {
		const hd_flight *flight = in[at];
		lockstep_expect(place_words, at * WORDS, WORDS, flight ? hd_live_words(flight) : 0);
		if (!flight)
			continue;
		lockstep_expect(place_warp, at * WARP_BITS, WARP_BITS, flight->warp);
		lockstep_expect(place_register, at * REGISTER_BITS, REGISTER_BITS, flight->reg);
		lockstep_expect(place_size, at * SIZE_BITS, SIZE_BITS, flight->words);
		lockstep_expect(place_lanes, at * LANES, LANES, flight->mask);
		lockstep_expect(place_shares, at, 1, flight->part & HD_PART_UNCOUNTED);
		for (unsigned i = 0; i < (unsigned)flight->words * LANES; i++)
			lockstep_expect(place_value, (at * WORDS * LANES + i) * WORD_BITS, WORD_BITS,
			                hd_flight_value(flight)[i / LANES].v[i % LANES]);
	}
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		for (unsigned i = 0; i < REGISTERS * LANES; i++) {
			uint32_t value = registers[warp][i / LANES].v[i % LANES];
			if (shadow[warp][i / LANES][i % LANES] != value) {
				printf("the register files differ: warp %u, register %u, lane %u: %u, C unit %u\n", warp, i / LANES, i % LANES,
				       shadow[warp][i / LANES][i % LANES], value);
				lockstep_expect(write_words, 0, 1, 2);
			}
		}
	}
}

/* The words of each pipeline that are in compensation registers, or need them, in the next cycle. */
static void count_held(unsigned n[PIPES], bool *too_large)
{
	memset(n, 0, PIPES * sizeof *n);
	for (const hd_flight *flight = wc.first; flight; flight = flight->next) {
		unsigned words = 0;
		for (unsigned live = hd_live_words(flight); live; live &= live - 1)
			words++;
		if (flight->part & HD_PART_UNCOUNTED)
			continue;
		if (now - flight->exit >= PATHS - 1 && now - flight->exit < LENGTH - 1)
			n[flight->pipe] += words;
		*too_large |= now - flight->exit == PATHS - 1 && words > LAST_USE_COMPENSATION;
	}
}

/* The end of a cycle in C: results move on. A pipeline that has registers enough loses a result only because of the order of writes. */
static void settle(void)
{
	unsigned needed[PIPES], left[PIPES];
	bool too_large = false, ignored = false;
	count_held(needed, &too_large);
	hd_wc_settle(&wc, now + 1);
	count_held(left, &ignored);
	for (const hd_flight *flight = wc.first; flight; flight = flight->next)
		lockstep_cover_if(SHARES, CROWDS && flight->held && flight->part && wc.held[flight->pipe] == LAST_USE_COMPENSATION);
	for (unsigned p = 0; p < PIPES; p++) {
		lockstep_cover_if(EARLY, CROWDS && needed[p] > LAST_USE_COMPENSATION && left[p] < needed[p]);
		lockstep_cover_if(ORDERED, CROWDS && needed[p] <= LAST_USE_COMPENSATION && left[p] < needed[p]);
	}
	lockstep_cover_if(TOO_LARGE, CROWDS && too_large);
}

void bench_cycle(void)
{
	unsigned warp, reg, words, dropped[MACHINE_WARPS] = {0};
	hd_vec32 direct[4];
	if (lockstep_chance(1) || !narrow)
		another_phase();
	hd_stats before = stats;
	take_results();
	bool on = leave_early(&warp, &reg, &words, direct);
	read_operands(dropped);
	settle();
	lockstep_eval();
	compare_operands();
	unsigned n = write_shadow(), skipped = 0;
	for (unsigned w = 0; on && w < words; w++, n++)
		for (unsigned l = 0; l < LANES; l++)
			shadow[warp][reg + w][l] = direct[w].v[l];
	for (unsigned at = 0; at < RESULTS * WORDS; at++)
		skipped += lockstep_get(skip_words, at, 1) && !lockstep_get(place_shares, at / WORDS, 1);
	uint64_t in_c = stats.register_file_writes_skipped - before.register_file_writes_skipped;
	lockstep_cover_if(SKIPS, in_c);
	if (skipped != in_c || n != stats.register_file_writes - before.register_file_writes) {
		printf("%u words written and %u left out, C unit %u and %u\n", n, skipped,
		       (unsigned)(stats.register_file_writes - before.register_file_writes), (unsigned)in_c);
		lockstep_expect(skip_words, 0, 1, 2);
	}
	lockstep_clock();
	now++;
	lockstep_zero(result_valid);
	lockstep_eval();
	compare_places();
}

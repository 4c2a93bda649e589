/* HW-4: write_controller.sv against src/core/execute/write_controller.c and compensation.c (LU-4 to LU-7), with registers of a pipeline. The bench
 * has a register file of its own, which it writes as the module says. Readers are random, so flags of the last use are often wrong: module and C unit
 * must then be wrong alike. The macros MACHINE_WARPS to READERS are the parameters of the module. */
#include "results.h"

#include "core/execute/compensation.h"

enum {
	WARP_BITS = RTL_CLOG2(MACHINE_WARPS),
	PIPE_BITS = RTL_CLOG2(PIPES),
	PATHS = LAST_USE_PATH_B + LAST_USE_PATH_A,
	LENGTH = PATHS + LAST_USE_COMPENSATION,
	RESULTS = PORTS * LENGTH,
#ifdef LOCKSTEP_REPLAY
	REGISTERS = 256, /* of a warp */
#else
	REGISTERS = 16,
#endif
	CROWDS = LAST_USE_COMPENSATION > 0,
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
    [FROM_B] = {"an operand comes from path C-B"},
    [FROM_A] = {"an operand comes from path C-A"},
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
static uint64_t shadow[MACHINE_WARPS][REGISTERS]; /* the module's writes */
static hd_stats stats;
static hd_pool pool;
static uint64_t now = 100;
static unsigned coming, reading, flagged, whole, narrow, parts; /* percent; narrow: registers in use */
static operand operands[READERS * OPERANDS];
static lockstep_port *result_pipe, *result_shares, *direct_valid, *direct_warp, *direct_register, *direct_words, *reader_pipe, *write_words,
    *skip_words, *place_words, *place_pipe, *place_size, *place_shares;

static void clear_warp(unsigned warp) { clear_registers(&file, warp, registers[warp], shadow[warp], REGISTERS); }

void bench_start(void)
{
	const lockstep_name names[] = {
	    RESULT_PORTS,
	    LOCKSTEP_PORT(result_pipe),
	    LOCKSTEP_PORT(result_shares),
	    LOCKSTEP_PORT(direct_valid),
	    LOCKSTEP_PORT(direct_warp),
	    LOCKSTEP_PORT(direct_register),
	    LOCKSTEP_PORT(direct_words),
	    LOCKSTEP_PORT(reader_pipe),
	    LOCKSTEP_PORT(write_words),
	    LOCKSTEP_PORT(skip_words),
	    LOCKSTEP_PORT(place_words),
	    LOCKSTEP_PORT(place_pipe),
	    LOCKSTEP_PORT(place_size),
	    LOCKSTEP_PORT(place_shares),
	};
	lockstep_find_all(names, HD_COUNT(names));
	hd_machine_default(&machine);
	machine.last_use_flags = 1;
	machine.last_use_path_b = LAST_USE_PATH_B;
	machine.last_use_path_a = LAST_USE_PATH_A;
	machine.last_use_compensation = LAST_USE_COMPENSATION;
	machine.last_use_compensation_of = HD_OWNER_PIPE;
	machine.last_use_across = LAST_USE_ACROSS;
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		clear_warp(warp);
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

static unsigned some_register(unsigned words) { return lockstep_below(narrow - words + 1); }

static bool holds(const hd_flight *flight, unsigned reg)
{
	return reg >= flight->reg && reg < (unsigned)flight->reg + flight->words && hd_live_words(flight) >> (reg - flight->reg) & 1;
}

/* `number` of a flight is its bus. */
static unsigned place_of(const hd_flight *flight) { return (unsigned)(LENGTH - 1 - (now - flight->exit)) * PORTS + flight->number; }

/* The result comes to a bus, and to the C unit. */
static void take(unsigned port, hd_flight *flight, bool shares)
{
	flight->number = port;
	flight->part = shares ? HD_PART_UNCOUNTED : 0;
	put_result(port, flight, WARP_BITS);
	lockstep_put(result_pipe, port * PIPE_BITS, PIPE_BITS, flight->pipe);
	lockstep_put(result_shares, port, 1, shares);
	hd_wc_take(&wc, flight);
}

static void take_results(void)
{
	for (unsigned port = 0; port < PORTS; port++) {
		bool on = lockstep_chance(coming), shares = lockstep_chance(parts);
		unsigned warp = lockstep_below(MACHINE_WARPS), words = some_words(), reg = some_register(words);
		hd_flight *flight;
		if (!on)
			continue;
		random_value(new_flight(&pool, now, warp, lockstep_below(PIPES), reg, words, some_lanes(whole), &flight), words);
		take(port, flight, shares);
	}
}

static void put_direct(unsigned at, unsigned warp, unsigned reg, unsigned words)
{
	lockstep_put(direct_valid, at, 1, 1);
	lockstep_put(direct_warp, at * WARP_BITS, WARP_BITS, warp);
	lockstep_put(direct_register, at * REGISTER_BITS, REGISTER_BITS, reg);
	lockstep_put(direct_words, at * SIZE_BITS, SIZE_BITS, words);
}

static void end_warp_now(unsigned warp)
{
	lockstep_put(end_valid, 0, 1, 1);
	lockstep_put(end_warp, 0, WARP_BITS, warp);
	hd_wc_end(&wc, warp, now);
}

/* Results without a path: the register file has them after what the module writes before them. */
typedef struct direct {
	unsigned warp, reg, words;
	uint32_t lanes;
	hd_vec32 value[4];
} direct;
static direct directs[DIRECTS];
static unsigned n_directs;

static void write_direct(const direct *d)
{
	put_direct(n_directs, d->warp, d->reg, d->words);
	hd_wc_write(&wc, &(hd_direct_write){d->warp, d->reg, d->words, d->lanes, d->value}, true, now);
	directs[n_directs++] = *d;
}

/* Results that leave early: before those without a path, and when a warp ends. */
static void leave_early(void)
{
	bool ends = lockstep_chance(3);
	unsigned ended = lockstep_below(MACHINE_WARPS);
	for (unsigned i = 0; i < DIRECTS; i++) {
		direct d = {.warp = lockstep_below(MACHINE_WARPS), .words = some_words(), .lanes = some_lanes(50)};
		d.reg = some_register(d.words);
		random_value(d.value, d.words);
		if (!lockstep_chance(LAST_USE_ACROSS ? 5 : 15))
			continue;
		uint64_t written = stats.register_file_writes;
		write_direct(&d);
		lockstep_cover_if(DIRECT, stats.register_file_writes - written > d.words);
	}
	lockstep_cover_if(ENDS, ends && wc.first_of[ended] != NULL);
	if (ends)
		end_warp_now(ended);
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

static void note_values(operand *operand, const hd_vec32 *value, const hd_vec32 *in_file)
{
	for (unsigned w = 0; w < operand->words; w++) {
		operand->value[w] = packed(&value[w]);
		operand->in_file[w] = packed(&in_file[w]);
	}
}

/* An operand in C. */
static const hd_vec32 *read_operand(hd_reading *reader, unsigned o, unsigned reg, unsigned words, bool last)
{
	operand *operand = &operands[o];
	unsigned served = reader->forwarded;
	uint64_t written = stats.register_file_writes;
	const hd_flight *newest = NULL;
	cover_operand(reader, reg, last);
	for (const hd_flight *flight = wc.first_of[reader->warp]; flight; flight = flight->later)
		newest = holds(flight, reg) ? flight : newest;
	const hd_vec32 *value = hd_wc_read(&wc, reader, o % OPERANDS, reg, words, last);
	operand->on = true;
	operand->words = words;
	operand->served = reader->forwarded - served;
	operand->path = reader->path[o % OPERANDS];
	note_values(operand, value, hd_rf_read(&file, reader->warp, reg));
	lockstep_cover_if(FROM_B, operand->path == HD_PATH_B);
	lockstep_cover_if(FROM_A, operand->path == HD_PATH_A);
	lockstep_cover_if(FROM_REGISTERS, operand->path == HD_PATH_COMPENSATION);
	lockstep_cover_if(FOREIGN, newest && stats.register_file_writes > written);
	lockstep_cover_if(ORDERED, stats.register_file_writes > written + 1);
	return value;
}

/* The reader drops what it used for the last time. */
static void end_reading(const hd_reading *reader, uint32_t dropped[MACHINE_WARPS])
{
	for (unsigned i = 0; i < reader->n_last; i++) {
		for (const hd_flight *flight = wc.first_of[reader->warp]; flight; flight = flight->later) {
			if (!hd_wc_drops(reader, i, flight) || !holds(flight, reader->last[i].reg))
				continue;
			dropped[reader->warp] |= 1u << reader->last[i].reg % 32;
			lockstep_cover_if(SKIPS_AT_ONCE, flight->exit == now);
			lockstep_cover_if(SKIPS_LAST, flight->exit + LENGTH - 1 == now);
		}
	}
	hd_wc_end_reading(&wc, reader);
}

static void put_reader_of(unsigned r, bool on, unsigned warp, unsigned pipe, uint32_t lanes)
{
	put_reader(r, on, warp, WARP_BITS, lanes);
	lockstep_put(reader_pipe, r * PIPE_BITS, PIPE_BITS, pipe);
}

static void read_operands(void)
{
	uint32_t dropped[MACHINE_WARPS] = {0};
	for (unsigned r = 0; r < READERS; r++) {
		hd_reading reader;
		bool on = lockstep_chance(reading);
		unsigned warp = lockstep_below(MACHINE_WARPS), pipe = lockstep_below(PIPES);
		uint32_t lanes = some_lanes(whole);
		put_reader_of(r, on, warp, pipe, lanes);
		if (on)
			hd_wc_begin(&wc, &reader, warp, pipe, lanes, now);
		for (unsigned o = r * OPERANDS; o < (r + 1) * OPERANDS; o++) {
			bool last = lockstep_chance(flagged), valid = lockstep_chance(70);
			unsigned words = some_words(), reg = some_register(words);
			put_operand(o, valid, reg, words, last);
			if (!valid || !on)
				continue;
			lockstep_cover_if(SECOND_READER, dropped[warp] >> reg & 1);
			read_operand(&reader, o, reg, words, last);
		}
		if (on)
			end_reading(&reader, dropped);
	}
}

/* The register file's writes of the cycle, older results first. Returns the number of words that the statistics count. */
static unsigned write_shadow(void)
{
	unsigned n = 0;
	for (unsigned at = 0; at < RESULTS * WORDS; at++) {
		unsigned result = at / WORDS, reg = (unsigned)lockstep_get(place_register, result * REGISTER_BITS, REGISTER_BITS) + at % WORDS;
		if (!lockstep_get(write_words, at, 1))
			continue;
		write_shadow_word(&shadow[lockstep_get(place_warp, result * WARP_BITS, WARP_BITS)][reg],
		                  lockstep_get(place_lanes, result * LANES, LANES), lockstep_get(place_value, at * WORD, WORD));
		n += !lockstep_get(place_shares, result, 1);
	}
	for (unsigned i = 0; i < n_directs; i++) {
		const direct *d = &directs[i];
		for (unsigned w = 0; w < d->words; w++, n++)
			write_shadow_word(&shadow[d->warp][d->reg + w], d->lanes, packed(&d->value[w]));
	}
	return n;
}

static void compare_registers(unsigned first, unsigned end)
{
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++)
		for (unsigned reg = first; reg < end; reg++)
			compare_register(shadow[warp][reg], &registers[warp][reg], warp, reg, write_words);
}

/* The flights of the C unit and the results of the module, at the beginning of the cycle. */
static void compare_places(void)
{
	const hd_flight *in[RESULTS] = {0};
	unsigned n = 0;
	for (const hd_flight *flight = wc.first; flight; flight = flight->next, n++)
		in[place_of(flight)] = flight;
	lockstep_cover_if(FULL, n == RESULTS - PORTS);
	for (unsigned at = 0; at < RESULTS - PORTS; at++) {
		const hd_flight *flight = in[at];
		lockstep_expect(place_words, at * WORDS, WORDS, flight ? hd_live_words(flight) : 0);
		if (!flight)
			continue;
		lockstep_expect(place_warp, at * WARP_BITS, WARP_BITS, flight->warp);
		lockstep_expect(place_pipe, at * PIPE_BITS, PIPE_BITS, flight->pipe);
		lockstep_expect(place_register, at * REGISTER_BITS, REGISTER_BITS, flight->reg);
		lockstep_expect(place_size, at * SIZE_BITS, SIZE_BITS, flight->words);
		lockstep_expect(place_lanes, at * LANES, LANES, flight->mask);
		lockstep_expect(place_shares, at, 1, flight->part & HD_PART_UNCOUNTED);
		for (unsigned w = 0; w < flight->words; w++)
			lockstep_expect(place_value, (at * WORDS + w) * WORD, WORD, packed(hd_flight_value(flight) + w));
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

static void zero_inputs(void)
{
	lockstep_zero(result_valid);
	lockstep_zero(direct_valid);
	lockstep_zero(end_valid);
	lockstep_zero(reader_valid);
	for (unsigned o = 0; o < READERS * OPERANDS; o++)
		operands[o].on = false;
	n_directs = 0;
}

/* The end of a cycle: results move on, and everything is compared. `before` are the statistics at its beginning. */
static void end_cycle(const hd_stats *before)
{
	unsigned skipped = 0;
	settle();
	lockstep_eval();
	for (unsigned o = 0; o < READERS * OPERANDS; o++)
		if (operands[o].on)
			compare_operand(o, &operands[o]);
	unsigned n = write_shadow();
	for (unsigned at = 0; at < RESULTS * WORDS; at++)
		skipped += lockstep_get(skip_words, at, 1) && !lockstep_get(place_shares, at / WORDS, 1);
	uint64_t in_c = stats.register_file_writes_skipped - before->register_file_writes_skipped;
	lockstep_cover_if(SKIPS, in_c);
	if (skipped != in_c || n != stats.register_file_writes - before->register_file_writes) {
		printf("%u words written and %u left out, C unit %u and %u\n", n, skipped,
		       (unsigned)(stats.register_file_writes - before->register_file_writes), (unsigned)in_c);
		lockstep_expect(skip_words, 0, 1, 2);
	}
	lockstep_clock();
	now++;
	lockstep_zero(result_valid);
	lockstep_eval();
	compare_places();
}

void bench_cycle(void)
{
	const hd_stats before = stats;
	if (lockstep_chance(1) || !narrow)
		another_phase();
	zero_inputs();
	take_results();
	leave_early();
	read_operands();
	end_cycle(&before);
	compare_registers(0, REGISTERS);
}

#ifdef LOCKSTEP_REPLAY
/* Step 1: results, in their order. */
static void replay_result(const replay_event *event, unsigned *port)
{
	bool comes = event->kind == HD_RECORD_RESULT || event->kind == HD_RECORD_RESULT_DIRECT;
	unsigned warp = 0;
	if (comes || event->kind == HD_RECORD_RESULTS_END || event->kind == HD_RECORD_WARP)
		warp = replay_value(event, 0, MACHINE_WARPS);
	if (event->kind == HD_RECORD_RESULT) {
		hd_flight *flight;
		replay_ports(*port < PORTS);
		recorded_words(new_flight(&pool, now, warp, replay_value(event, 1, PIPES), replay_value(event, 2, REGISTERS),
		                          replay_value(event, 3, WORDS + 1), (uint32_t)event->values[4], &flight),
		               event->values + 7, (unsigned)event->values[3]);
		take((*port)++, flight, event->values[5]);
	} else if (event->kind == HD_RECORD_RESULT_DIRECT) {
		direct d = {.warp = warp,
		            .reg = replay_value(event, 1, REGISTERS),
		            .words = replay_value(event, 2, WORDS + 1),
		            .lanes = (uint32_t)event->values[3]};
		replay_ports(n_directs < DIRECTS);
		recorded_words(d.value, event->values + 4, d.words);
		write_direct(&d);
	} else if (event->kind == HD_RECORD_RESULTS_END) {
		replay_ports(!lockstep_get(end_valid, 0, 1));
		end_warp_now(warp);
	} else if (event->kind == HD_RECORD_WARP) {
		clear_warp(warp);
	}
}

/* Step 2: an instruction and its operands, which follow it. */
static void replay_reader(const replay_event *all, unsigned n, unsigned r)
{
	unsigned warp = replay_value(&all[0], 0, MACHINE_WARPS), pipe = (unsigned)all[0].values[1];
	uint32_t lanes = (uint32_t)all[0].values[2], dropped[MACHINE_WARPS];
	hd_reading reader;
	replay_ports(r < READERS);
	put_reader_of(r, true, warp, pipe, lanes);
	hd_wc_begin(&wc, &reader, warp, pipe, lanes, now);
	for (unsigned i = 0; i < OPERANDS; i++)
		put_operand(r * OPERANDS + i, false, 0, 1, false);
	for (unsigned i = 1; i < n && all[i].kind == HD_RECORD_OPERAND; i++) {
		unsigned o = r * OPERANDS + replay_value(&all[i], 1, OPERANDS), reg = replay_value(&all[i], 2, REGISTERS);
		unsigned words = replay_value(&all[i], 3, WORDS + 1);
		bool last = all[i].values[4] && machine.last_use_flags;
		put_operand(o, true, reg, words, last);
		const hd_vec32 *value = read_operand(&reader, o, reg, words, last);
		expect_recorded(&all[i], words, value, reader.path[o % OPERANDS]);
	}
	replay_expect("words that are read", reader.words, all[0].values[3]);
	replay_expect("words that are not read from the register file", reader.forwarded, all[0].values[4]);
	end_reading(&reader, dropped);
}

/* Nothing comes, and no place has a result: neither the module nor the C unit changes. */
static bool replay_is_idle(const replay_event *all, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind == HD_RECORD_WARP || (all[i].kind >= HD_RECORD_RESULT && all[i].kind <= HD_RECORD_OPERAND))
			return false;
	return !wc.first;
}

void bench_replay(const replay_event *all, unsigned n)
{
	static bool was_idle;
	const hd_stats before = stats;
	unsigned port = 0, readers = 0;
	bool idle = replay_is_idle(all, n);
	if (REPLAY_SKIPS && idle && was_idle) {
		now++;
		return;
	}
	was_idle = idle;
	machine.last_use_flags = wc.flags = replay_head("last_use.flags");
	zero_inputs();
	for (unsigned i = 0; i < n; i++)
		replay_result(&all[i], &port);
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind == HD_RECORD_READS)
			replay_reader(all + i, n - i, readers++);
	end_cycle(&before);
	/* A register a cycle, so that a cycle does not take long. */
	compare_registers((unsigned)(now % REGISTERS), (unsigned)(now % REGISTERS) + 1);
}
#endif

/* HW-4: operand_buffer.sv against src/core/execute/operand_buffer.c (LU-4, LU-5, LU-15), behind a write controller without paths. The bench has a
 * register file of its own, which it writes as the module says. Readers are random, so flags of the last use are often wrong: module and C unit must
 * then be wrong alike. The macros LAST_USE_COMPENSATION to READERS are the parameters of the module. */
#include "results.h"

#include "core/execute/compensation.h"

enum {
	WARPS = LAST_USE_COMPENSATION_SHARE,
	K = LAST_USE_COMPENSATION,
	LAST = LAST_USE_LAST_RESULT,
	WARP_BITS = RTL_CLOG2(WARPS),
	PLACES = K + WARPS * LAST,
	PUTS = WORDS > LAST ? WORDS : LAST,
#ifdef LOCKSTEP_REPLAY
	REGISTERS = 256, /* of a warp */
#else
	REGISTERS = 2 * K + 2 * WORDS,
#endif
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
static uint64_t shadow[WARPS][REGISTERS]; /* the module's writes */
static hd_stats stats;
static hd_pool pool;
static uint64_t now = 100, entered[K];
static unsigned coming, reading, flagged, whole, passing, narrow; /* percent; narrow: registers in use */
static unsigned paths;                                            /* cycles on the paths in front of the buffer */
static operand operands[READERS * OPERANDS];
static lockstep_port *skip_places, *end_lanes, *result_live, *result_passes, *pass_words, *evict_valid, *evict_warp, *evict_register, *evict_lanes,
    *evict_value, *later;

static void clear_warp(unsigned warp) { clear_registers(&file, warp, registers[warp], shadow[warp], REGISTERS); }

void bench_start(void)
{
	const lockstep_name names[] = {
	    RESULT_PORTS,
	    LOCKSTEP_PORT(skip_places),
	    LOCKSTEP_PORT(end_lanes),
	    LOCKSTEP_PORT(result_live),
	    LOCKSTEP_PORT(result_passes),
	    LOCKSTEP_PORT(pass_words),
	    LOCKSTEP_PORT(evict_valid),
	    LOCKSTEP_PORT(evict_warp),
	    LOCKSTEP_PORT(evict_register),
	    LOCKSTEP_PORT(evict_lanes),
	    LOCKSTEP_PORT(evict_value),
	    LOCKSTEP_PORT(later),
	};
	lockstep_find_all(names, HD_COUNT(names));
	hd_machine_default(&machine);
	machine.last_use_flags = 1;
	machine.last_use_path_b = 0;
	machine.last_use_path_a = 0;
#ifdef LOCKSTEP_REPLAY
	machine.last_use_path_b = (uint32_t)replay_head("last_use.path_b");
	machine.last_use_path_a = (uint32_t)replay_head("last_use.path_a");
#endif
	paths = machine.last_use_path_b + machine.last_use_path_a;
	machine.last_use_compensation = K;
	machine.last_use_compensation_of = HD_OWNER_WARP;
	machine.last_use_compensation_share = WARPS;
	machine.last_use_last_result = LAST;
	machine.last_use_across = 1;
	for (unsigned warp = 0; warp < WARPS; warp++)
		clear_warp(warp);
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

static unsigned some_register(unsigned words) { return lockstep_below(narrow - words + 1); }

/* The place of the C unit with this number. */
static hd_buffer_register *place(unsigned at) { return at < K ? &wc.buffer->at[at] : &wc.buffer->last[at - K]; }

static unsigned lanes_of(unsigned warp, unsigned reg)
{
	const hd_buffer_register *at = hd_operand_buffer_find(wc.buffer, warp, reg), *last = hd_operand_buffer_find_last(wc.buffer, warp, reg);
	return (at ? at->lanes : 0) | (last ? last->lanes : 0);
}

/* The part of an operand that the C buffer has. The result's value is the rest of it, in front of the buffer or in the register file. */
static void note_buffer(operand *operand, const hd_reading *reader, unsigned reg)
{
	bool in_last = false;
	operand->served = 0;
	for (unsigned w = 0; w < operand->words; w++) {
		const hd_buffer_register *in[] = {hd_operand_buffer_find(wc.buffer, reader->warp, reg + w),
		                                  hd_operand_buffer_find_last(wc.buffer, reader->warp, reg + w)};
		uint32_t lanes = 0;
		operand->value[w] = operand->in_file[w] = 0;
		for (unsigned i = 0; i < HD_COUNT(in); i++) {
			if (!in[i])
				continue;
			write_shadow_word(&operand->value[w], in[i]->lanes, packed(&in[i]->value));
			lanes |= in[i]->lanes;
		}
		operand->found[w] = lanes;
		operand->served += lanes && !(reader->mask & ~lanes);
		in_last |= in[1] != NULL;
	}
	operand->path = operand->served < operand->words ? HD_PATH_FILE : in_last ? HD_PATH_LAST_RESULT : HD_PATH_COMPENSATION;
}

/* Returns the value with the results in front of the buffer. */
static const hd_vec32 *read_operand(hd_reading *reader, unsigned o, unsigned reg, unsigned words, bool last, const unsigned before[REGISTERS])
{
	operand *operand = &operands[o];
	bool in_buffer = hd_operand_buffer_find(wc.buffer, reader->warp, reg), in_last = hd_operand_buffer_find_last(wc.buffer, reader->warp, reg);
	unsigned lanes = lanes_of(reader->warp, reg);
	lockstep_cover_if(FROM_BOTH, in_buffer && in_last);
	lockstep_cover_if(PART, reader->mask & lanes && reader->mask & ~lanes);
	lockstep_cover_if(TOO_LATE, last && !lanes);
	lockstep_cover_if(SECOND_READER, READERS > 1 && before[reg] && !lanes);
	operand->on = true;
	operand->words = words;
	note_buffer(operand, reader, reg);
	lockstep_cover_if(FROM_BUFFER, operand->path == HD_PATH_COMPENSATION);
	lockstep_cover_if(FROM_LAST, operand->path == HD_PATH_LAST_RESULT);
	return hd_wc_read(&wc, reader, o % OPERANDS, reg, words, last);
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

static void note_lanes(unsigned before[WARPS][REGISTERS])
{
	for (unsigned warp = 0; warp < WARPS; warp++)
		for (unsigned reg = 0; reg < REGISTERS; reg++)
			before[warp][reg] = lanes_of(warp, reg);
}

static uint64_t read_operands(void)
{
	unsigned before[WARPS][REGISTERS];
	uint64_t skipped = 0;
	note_lanes(before);
	for (unsigned r = 0; r < READERS; r++) {
		hd_reading reader;
		bool on = lockstep_chance(reading);
		unsigned warp = lockstep_below(WARPS);
		uint32_t lanes = some_lanes(whole);
		put_reader(r, on, warp, WARP_BITS, lanes);
		if (on)
			hd_wc_begin(&wc, &reader, warp, HD_PIPE_ALU, lanes, now);
		for (unsigned o = r * OPERANDS; o < (r + 1) * OPERANDS; o++) {
			bool last = lockstep_chance(flagged), valid = lockstep_chance(70);
			unsigned words = some_words(), reg = some_register(words);
			put_operand(o, valid, reg, words, last);
			if (valid && on)
				read_operand(&reader, o, reg, words, last, before[warp]);
		}
		if (on)
			end_reading(&reader, &skipped);
	}
	return skipped;
}

static void end_warp_now(unsigned warp)
{
	lockstep_put(end_valid, 0, 1, 1);
	lockstep_put(end_warp, 0, WARP_BITS, warp);
	hd_wc_end(&wc, warp, now);
}

static void end_warps(void)
{
	unsigned warp = lockstep_below(WARPS), has = 0;
	if (!lockstep_chance(3))
		return;
	for (unsigned reg = 0; reg < REGISTERS; reg++)
		has |= lanes_of(warp, reg);
	lockstep_cover_if(ENDS, has);
	end_warp_now(warp);
}

/* A result that leaves the paths. */
static void put_leaving(unsigned r, const hd_flight *flight)
{
	put_result(r, flight, WARP_BITS);
	lockstep_put(result_live, r * WORDS, WORDS, hd_live_words(flight));
	lockstep_put(result_passes, r, 1, flight->passes_by);
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
	for (unsigned r = 0; r < RESULTS; r++) {
		unsigned warp = lockstep_below(WARPS), words = some_words(), reg = some_register(words);
		unsigned live = lockstep_chance(80) ? (1u << words) - 1 : 1 + lockstep_below((1u << words) - 1);
		hd_flight *flight;
		if (!lockstep_chance(coming))
			continue;
		random_value(new_flight(&pool, now, warp, HD_PIPE_ALU, reg, words, some_lanes(whole), &flight), words);
		flight->passes_by = lockstep_chance(passing);
		hd_wc_take(&wc, flight);
		flight->dropped = (uint8_t)(~live & ((1u << words) - 1));
		put_leaving(r, flight);
		cover_entry(flight, live);
		hd_wc_settle(&wc, now);
	}
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
		unsigned warp = at < K ? (unsigned)lockstep_get(place_warp, at * WARP_BITS, WARP_BITS) : (at - K) / (LAST ? LAST : 1);
		uint64_t lanes = lockstep_get(end_lanes, at * LANES, LANES);
		if (!lanes)
			continue;
		write_shadow_word(&shadow[warp][lockstep_get(place_register, at * REGISTER_BITS, REGISTER_BITS)], lanes,
		                  lockstep_get(place_value, at * WORD, WORD));
		n++;
	}
	for (unsigned r = 0; r < RESULTS; r++) {
		for (unsigned at = r * PUTS; at < (r + 1) * PUTS; at++) {
			if (!lockstep_get(evict_valid, at, 1))
				continue;
			cover_eviction(at, r);
			write_shadow_word(&shadow[lockstep_get(evict_warp, at * WARP_BITS, WARP_BITS)]
			                         [lockstep_get(evict_register, at * REGISTER_BITS, REGISTER_BITS)],
			                  lockstep_get(evict_lanes, at * LANES, LANES), lockstep_get(evict_value, at * WORD, WORD));
			n++;
		}
		for (unsigned w = 0; w < WORDS; w++) {
			if (!lockstep_get(pass_words, r * WORDS + w, 1))
				continue;
			write_shadow_word(&shadow[lockstep_get(result_warp, r * WARP_BITS, WARP_BITS)]
			                         [lockstep_get(result_register, r * REGISTER_BITS, REGISTER_BITS) + w],
			                  lockstep_get(result_lanes, r * LANES, LANES), lockstep_get(result_value, (r * WORDS + w) * WORD, WORD));
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

/* Contents of all places, at the beginning of the cycle. */
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
		uint64_t bits = bits_of(in->lanes), other = lockstep_get(place_value, at * WORD, WORD) & ~bits;
		lockstep_expect(place_value, at * WORD, WORD, (packed(&in->value) & bits) | other);
	}
	lockstep_cover_if(FULL, n == PLACES);
	compare_order();
}

static void compare_registers(unsigned first, unsigned end)
{
	for (unsigned warp = 0; warp < WARPS; warp++)
		for (unsigned reg = first; reg < end; reg++)
			compare_register(shadow[warp][reg], &registers[warp][reg], warp, reg, evict_valid);
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

static void compare_operands(void)
{
	for (unsigned o = 0; o < READERS * OPERANDS; o++) {
		if (!operands[o].on)
			continue;
		for (unsigned w = 0; w < operands[o].words; w++)
			lockstep_expect(operand_found, (o * WORDS + w) * LANES, LANES, operands[o].found[w]);
		compare_operand(o, &operands[o]);
	}
}

static void zero_inputs(void)
{
	lockstep_zero(result_valid);
	lockstep_zero(reader_valid);
	lockstep_zero(end_valid);
	for (unsigned o = 0; o < READERS * OPERANDS; o++)
		operands[o].on = false;
}

void bench_cycle(void)
{
	unsigned before[PLACES];
	if (lockstep_chance(1) || !narrow)
		another_phase();
	uint64_t written = stats.register_file_writes;
	for (unsigned at = 0; at < PLACES; at++)
		before[at] = place(at)->lanes ? 1u + place(at)->reg + 256u * place(at)->warp : 0;
	zero_inputs();
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
	zero_inputs();
	lockstep_eval();
	compare_places();
	compare_registers(0, REGISTERS);
}

#ifdef LOCKSTEP_REPLAY
/* The buffer of the warp slots from replay_instance * WARPS on. The C unit has the paths in front of it, too, so it needs each result. */
static bool replay_mine(const replay_event *event, unsigned *warp)
{
	*warp = (unsigned)(event->values[0] - (uint64_t)replay_instance * WARPS);
	return event->kind >= HD_RECORD_RESULT && event->kind <= HD_RECORD_OPERAND && event->values[0] / WARPS == replay_instance;
}

static void replay_result(const replay_event *event, unsigned warp)
{
	hd_flight *flight;
	if (event->kind == HD_RECORD_RESULT_DIRECT)
		replay_refuse("a result without a path");
	if (event->kind == HD_RECORD_RESULTS_END)
		end_warp_now(warp);
	if (event->kind != HD_RECORD_RESULT)
		return;
	recorded_words(new_flight(&pool, now, warp, replay_value(event, 1, HD_PIPE_COUNT), replay_value(event, 2, REGISTERS),
	                          replay_value(event, 3, WORDS + 1), (uint32_t)event->values[4], &flight),
	               event->values + 7, (unsigned)event->values[3]);
	flight->part = event->values[5] ? HD_PART_UNCOUNTED : 0;
	flight->passes_by = event->values[6];
	hd_wc_take(&wc, flight);
}

static void replay_reader(const replay_event *all, unsigned n, unsigned warp, unsigned r, uint64_t *skipped)
{
	unsigned before[REGISTERS] = {0};
	uint32_t lanes = (uint32_t)all[0].values[2];
	hd_reading reader;
	replay_ports(r < READERS);
	put_reader(r, true, warp, WARP_BITS, lanes);
	hd_wc_begin(&wc, &reader, warp, (unsigned)all[0].values[1], lanes, now);
	for (unsigned i = 0; i < OPERANDS; i++)
		put_operand(r * OPERANDS + i, false, 0, 1, false);
	for (unsigned i = 1; i < n && all[i].kind == HD_RECORD_OPERAND; i++) {
		unsigned o = r * OPERANDS + replay_value(&all[i], 1, OPERANDS), reg = replay_value(&all[i], 2, REGISTERS);
		unsigned words = replay_value(&all[i], 3, WORDS + 1);
		put_operand(o, true, reg, words, all[i].values[4]);
		const hd_vec32 *value = read_operand(&reader, o, reg, words, all[i].values[4], before);
		expect_recorded(&all[i], words, value, reader.path[o % OPERANDS]);
	}
	replay_expect("words that are not read from the register file", reader.forwarded, all[0].values[4]);
	end_reading(&reader, skipped);
}

/* Results that leave the paths at the end of this cycle. */
static void replay_entries(void)
{
	unsigned n = 0;
	for (const hd_flight *flight = wc.first; flight && flight->exit + paths <= now + 1; flight = flight->next) {
		replay_ports(n < RESULTS);
		put_leaving(n++, flight);
	}
	hd_wc_settle(&wc, now + 1);
}

/* Nothing comes to these warp slots, and nothing is on the paths: neither the module nor the C unit changes. */
static bool replay_is_idle(const replay_event *all, unsigned n)
{
	unsigned warp;
	for (unsigned i = 0; i < n; i++)
		if ((all[i].kind == HD_RECORD_WARP && all[i].values[0] / WARPS == replay_instance) || replay_mine(&all[i], &warp))
			return false;
	return !wc.first;
}

void bench_replay(const replay_event *all, unsigned n)
{
	static bool was_idle;
	unsigned warp, readers = 0;
	uint64_t skipped = 0;
	bool idle = replay_is_idle(all, n);
	if (REPLAY_SKIPS && idle && was_idle) {
		now++;
		return;
	}
	was_idle = idle;
	zero_inputs();
	for (unsigned i = 0; i < n; i++)
		if (replay_mine(&all[i], &warp))
			replay_result(&all[i], warp);
		else if (all[i].kind == HD_RECORD_WARP && all[i].values[0] / WARPS == replay_instance)
			clear_warp(warp);
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind == HD_RECORD_READS && replay_mine(&all[i], &warp))
			replay_reader(all + i, n - i, warp, readers++, &skipped);
	replay_entries();
	lockstep_eval();
	compare_operands();
	lockstep_expect(skip_places, 0, PLACES, skipped);
	write_shadow();
	lockstep_clock();
	now++;
	zero_inputs();
	lockstep_eval();
	compare_places();
}
#endif

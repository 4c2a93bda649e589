/* Ports for results and readers, shared by the benches of write_controller and operand_buffer, and how their values are put and compared. The macros
 * WORDS, LANES, WORD_BITS, READERS and WARP_BITS_OF_RESULTS are those of the module; a word of all lanes has at most 64 bits.
 *
 * A bench has a register file of its own, the shadow, which it writes as the module says. */
#ifndef RTL_RESULTS_H
#define RTL_RESULTS_H

#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/execute/write_controller.h"

enum {
	SIZE_BITS = RTL_CLOG2(WORDS + 1),
	REGISTER_BITS = 8,
	OPERANDS = 3,
	WORD = LANES * WORD_BITS,
};
static const uint32_t ALL_LANES = UINT32_MAX >> (32 - LANES);
_Static_assert(WORD <= 64, "a word of all lanes fits into 64 bits");

static lockstep_port *reader_valid, *reader_warp, *reader_lanes, *operand_valid, *operand_register, *operand_words, *operand_last, *operand_served,
    *operand_found, *operand_value, *operand_path, *end_valid, *end_warp, *result_valid, *result_warp, *result_register, *result_words, *result_lanes,
    *result_value, *place_warp, *place_register, *place_lanes, *place_value;
#define RESULT_PORTS                                                                                                                   \
	LOCKSTEP_PORT(reader_valid), LOCKSTEP_PORT(reader_warp), LOCKSTEP_PORT(reader_lanes), LOCKSTEP_PORT(operand_valid),            \
	    LOCKSTEP_PORT(operand_register), LOCKSTEP_PORT(operand_words), LOCKSTEP_PORT(operand_last), LOCKSTEP_PORT(operand_served), \
	    LOCKSTEP_PORT(operand_found), LOCKSTEP_PORT(operand_value), LOCKSTEP_PORT(operand_path), LOCKSTEP_PORT(end_valid),         \
	    LOCKSTEP_PORT(end_warp), LOCKSTEP_PORT(result_valid), LOCKSTEP_PORT(result_warp), LOCKSTEP_PORT(result_register),          \
	    LOCKSTEP_PORT(result_words), LOCKSTEP_PORT(result_lanes), LOCKSTEP_PORT(result_value), LOCKSTEP_PORT(place_warp),          \
	    LOCKSTEP_PORT(place_register), LOCKSTEP_PORT(place_lanes), LOCKSTEP_PORT(place_value)

/* An operand as the C reader got it. */
typedef struct operand {
	bool on;
	unsigned words, served, path;
	uint64_t value[WORDS], in_file[WORDS]; /* a lane that the module does not find must be equal in both */
	uint32_t found[WORDS];                 /* lanes that the module finds, of operand_buffer */
} operand;

/* The lanes of a word, as a port has them. */
static uint64_t packed(const hd_vec32 *word)
{
	uint64_t bits = 0;
	for (unsigned l = 0; l < LANES; l++)
		bits |= (uint64_t)word->v[l] << l * WORD_BITS;
	return bits;
}

/* A mask of all bits of some lanes. */
static uint64_t bits_of(uint64_t lanes)
{
	uint64_t bits = 0;
	for (unsigned l = 0; l < LANES; l++)
		bits |= (lanes >> l & 1) * ((UINT64_C(1) << WORD_BITS) - 1) << l * WORD_BITS;
	return bits;
}

static void put_reader(unsigned r, bool on, unsigned warp, unsigned warp_bits, uint32_t lanes)
{
	lockstep_put(reader_valid, r, 1, on);
	lockstep_put(reader_warp, r * warp_bits, warp_bits, warp);
	lockstep_put(reader_lanes, r * LANES, LANES, lanes);
}

static void put_operand(unsigned o, bool valid, unsigned reg, unsigned words, bool last)
{
	lockstep_put(operand_valid, o, 1, valid);
	lockstep_put(operand_register, o * REGISTER_BITS, REGISTER_BITS, reg);
	lockstep_put(operand_words, o * SIZE_BITS, SIZE_BITS, words);
	lockstep_put(operand_last, o, 1, last);
}

static void put_result(unsigned at, const hd_flight *flight, unsigned warp_bits)
{
	lockstep_put(result_valid, at, 1, 1);
	lockstep_put(result_warp, at * warp_bits, warp_bits, flight->warp);
	lockstep_put(result_register, at * REGISTER_BITS, REGISTER_BITS, flight->reg);
	lockstep_put(result_words, at * SIZE_BITS, SIZE_BITS, flight->words);
	lockstep_put(result_lanes, at * LANES, LANES, flight->mask);
	for (unsigned w = 0; w < flight->words; w++)
		lockstep_put(result_value, (at * WORDS + w) * WORD, WORD, packed(hd_flight_value(flight) + w));
}

/* A result of the C unit that is complete in cycle `now`, without its value, which goes to the place that is returned. */
static hd_vec32 *new_flight(hd_pool *pool, uint64_t now, unsigned warp, unsigned pipe, unsigned reg, unsigned words, uint32_t lanes, hd_flight **out)
{
	hd_flight *flight = hd_pool_flight(pool);
	memset(flight, 0, sizeof *flight);
	flight->memory = words > 2 ? hd_pool_operands(pool) : NULL;
	flight->exit = now;
	flight->reg = (uint8_t)reg;
	flight->words = (uint8_t)words;
	flight->pipe = (uint8_t)pipe;
	flight->warp = (uint8_t)warp;
	flight->mask = lanes;
	*out = flight;
	return flight->memory ? flight->memory->result.data : flight->out.r;
}

static void random_value(hd_vec32 *value, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		for (unsigned l = 0; l < LANES; l++)
			value[w].v[l] = lockstep_below(1u << WORD_BITS);
}

static unsigned some_words(void) { return lockstep_chance(60) ? 1 : 1 + lockstep_below(WORDS); }
/* Lanes of a result or reader: all of them in `whole` percent. */
static uint32_t some_lanes(unsigned whole) { return lockstep_chance(whole) ? ALL_LANES : 1 + lockstep_below(ALL_LANES); }

/* The module serves the operands in C: a lane that it does not find is in the register file. */
static void compare_operand(unsigned o, const operand *operand)
{
	unsigned served = 0;
	for (unsigned w = 0; w < operand->words; w++) {
		unsigned at = o * WORDS + w;
		uint64_t found = lockstep_get(operand_found, at * LANES, LANES), bits = bits_of(found);
		lockstep_expect(operand_value, at * WORD, WORD, operand->value[w] & bits);
		if ((operand->value[w] ^ operand->in_file[w]) & ~bits)
			lockstep_expect(operand_found, at * LANES, LANES, UINT64_MAX);
		served += (unsigned)lockstep_get(operand_served, at, 1);
	}
	if (served != operand->served)
		lockstep_expect(operand_served, o * WORDS, WORDS, operand->served == operand->words ? (1u << operand->words) - 1 : UINT64_MAX);
	lockstep_expect(operand_path, o * 3, 3, operand->path);
}

/* Writes some lanes of a word of the shadow. */
static void write_shadow_word(uint64_t *word, uint64_t lanes, uint64_t value)
{
	uint64_t bits = bits_of(lanes);
	*word = (*word & ~bits) | (value & bits);
}

/* A warp begins: its registers are 0. A recording has a hash of this (src/core/observe/recording.c). */
static void clear_registers(hd_register_file *file, unsigned warp, hd_vec32 *registers, uint64_t *shadow, unsigned n)
{
	uint64_t zero = 0;
	hd_rf_warp(file, warp, registers, n);
#ifdef LOCKSTEP_REPLAY
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint32_t bits = lane * 0x9e3779b9u;
		bits = (bits ^ bits >> 16) * 0x85ebca6bu;
		bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
		zero |= (uint64_t)(bits >> 31) << lane;
		for (unsigned reg = 0; reg < n; reg++)
			registers[reg].v[lane] = bits >> 31;
	}
#endif
	for (unsigned reg = 0; reg < n; reg++)
		shadow[reg] = zero;
}

/* Both register files agree in this register. The difference is printed as one of `port`. */
static void compare_register(uint64_t shadow, const hd_vec32 *in_c, unsigned warp, unsigned reg, const lockstep_port *port)
{
	if (shadow == packed(in_c))
		return;
	printf("the register files differ: warp %u, register %u: 0x%llx, C unit 0x%llx\n", warp, reg, (unsigned long long)shadow,
	       (unsigned long long)packed(in_c));
	lockstep_expect(port, 0, 1, 2);
}

#ifdef LOCKSTEP_REPLAY
/* A recorded word has a bit for each lane. */
static void recorded_words(hd_vec32 *to, const uint64_t *values, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		for (unsigned l = 0; l < LANES; l++)
			to[w].v[l] = (uint32_t)(values[w] >> l & 1);
}

/* The values, and where they come from, are what the machine's instruction read. */
static void expect_recorded(const replay_event *event, unsigned words, const hd_vec32 *value, hd_path path)
{
	replay_expect("the origin of an operand", path, event->values[5]);
	for (unsigned w = 0; w < words; w++)
		replay_expect("a word of an operand", packed(&value[w]), event->values[6 + w]);
}
#endif

#endif

#include "config/scheduler_bits.h"

enum {
	BYTE_BITS = 8,
	WORD_BITS = 32,
	INSTRUCTION_BITS = 64,
	NUMBER_BITS = 24,
	PIPE_BITS = 4,
	COUNT_BITS = 8,
	HINT_NUMBER_BITS = 4,
	TABLE_BITS = 8 * 8,
	SHORT_BITS = 4,
	SHORT_TABLE_BITS = 16 * 8
};
enum { PREDICTIONS = 256, PREDICTION_BITS = 2, WAIT_BITS = 4 };
enum { HINT_REGISTERS = 2, BYTES_OF_REGISTER = 4, TIMES_BITS = 5, OPERAND_WORDS = 6 };
/* Of a decoded instruction. */
enum { REGISTERS = 4, REGISTER_BITS = 8 + 2, PREDICATES = 5, PREDICATE_BITS = 3 + 1 };
enum { DECODED_BITS = REGISTERS * REGISTER_BITS + PREDICATES * PREDICATE_BITS + PIPE_BITS };

/* The number of bits that hold 0 to `most`. */
static uint32_t width(uint32_t most)
{
	uint32_t bits = 0;
	for (; most; most >>= 1)
		bits++;
	return bits;
}

/* Of a warp. */
static uint32_t data_bits(const hd_machine *m)
{
	uint32_t entries = m->predecode_fifo ? m->predecode_fifo + m->predecode_data_buffer : m->predecode_buffer;
	if (m->predecode_carrier == HD_CARRIER_REGISTER)
		return HINT_REGISTERS * (BYTES_OF_REGISTER * BYTE_BITS + NUMBER_BITS + 1);
	if (hd_machine_decodes_ahead(m))
		return m->predecode_fifo * DECODED_BITS;
	if (m->predecode_carrier != HD_CARRIER_LINE)
		return 0;
	return entries * (hd_is_compact(m->predecode_geometry) ? SHORT_BITS : BYTE_BITS * hd_geometries[m->predecode_geometry].hints);
}

/* Of a warp: hints that last, the type of the next instruction, and the counts of PD-17. */
static uint32_t hint_bits(const hd_machine *m)
{
	uint32_t fifo = 1, bits = PIPE_BITS + 2 * COUNT_BITS;
	bool row = !hd_machine_has_window(m) && hd_machine_carries_bytes(m);
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		fifo = hd_max_u32(m->queue[pipe].fifo, fifo);
	if (m->predecode_carrier == HD_CARRIER_NONE)
		return bits + width(m->predecode_decode_cycles);
	if (hd_machine_decodes_ahead(m))
		return bits;
	bits += HINT_NUMBER_BITS + width((1u << HINT_NUMBER_BITS) - 1 + fifo - 1);
	return bits + (row && m->predecode_hold ? 3 : 0) + (row && m->predecode_boost ? 2 + HINT_NUMBER_BITS : 0);
}

/* Of a scheduler. */
static uint32_t predictor_bits(const hd_machine *m)
{
	uint32_t fifo = 1, entries = 0, warp = 3 * NUMBER_BITS + m->machine_lanes + 1;
	if (!m->predecode_speculate)
		return 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		fifo = hd_max_u32(m->queue[pipe].fifo, fifo);
		entries += m->queue[pipe].fifo + m->queue[pipe].hazard;
		warp += width(hd_machine_spacing(m, (hd_pipe)pipe));
	}
	uint32_t delay = width((1u << HINT_NUMBER_BITS) - 1 + fifo - 1);
	warp += delay + (hd_machine_has_window(m) ? (HD_PIPE_COUNT - 1) * (WAIT_BITS + delay) : 0);
	return m->machine_warps * warp + entries + (m->predecode_speculate == HD_SPECULATE_COUNTERS ? PREDICTIONS * PREDICTION_BITS : 0);
}

/* Of all warps together. */
static uint32_t table_bits(const hd_machine *m)
{
	bool shorts = hd_is_compact(m->predecode_geometry) && m->predecode_carrier == HD_CARRIER_LINE;
	return (hd_machine_has_hint_table(m) ? TABLE_BITS : 0) + (shorts ? SHORT_TABLE_BITS : 0);
}

hd_scheduler_bits hd_scheduler_bits_of(const hd_machine *m)
{
	uint32_t slot = width(m->machine_warps - 1), sorted = hd_min_u32(m->predecode_sort_warps, m->machine_warps);
	hd_scheduler_bits bits = {
	    .data = m->machine_warps * data_bits(m) + table_bits(m),
	    .hints = m->machine_warps * hint_bits(m),
	    .order =
	        sorted * (slot + m->predecode_priority_bits) + width(m->predecode_sort_period - 1) + m->machine_warps * m->predecode_priority_bits,
	    .replay = m->predecode_replay *
	              ((m->predecode_refetch ? NUMBER_BITS : INSTRUCTION_BITS) + slot + PIPE_BITS + m->machine_lanes + TIMES_BITS + 2),
	    .replay_operands = m->predecode_replay * m->machine_lanes * OPERAND_WORDS * WORD_BITS,
	    .predictor = predictor_bits(m),
	    .ahead = m->machine_warps * m->predecode_buffer * DECODED_BITS,
	};
	bits.total = bits.data + bits.hints + bits.order + bits.replay + bits.replay_operands + bits.predictor;
	return bits;
}

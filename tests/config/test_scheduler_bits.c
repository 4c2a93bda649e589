/* PD-39: what a scheduler by pre-decode data keeps, part by part. */
#include "config/scheduler_bits.h"
#include "../test.h"

/* Bits of the longest distances of the default machine's pipes. */
enum { SPACINGS = 4 + 3 + 4 + 4 + 4 + 5 }; /* alu, coord, sfu, f64, cvt, tex; the others have none */

TEST(state_bits_of_schedulers)
{
	static const struct {
		const char *settings;
		uint32_t data, hints, order, replay, predictor;
	} rows[] = {
	    /* Eight warps; data: entries of 8 bits; hints: 20, a wait of 4 and a delay of 5, then holds and boosts */
	    {"multi_issue: {window: 1}\n", 16 * 8, 29 + 3 + 6, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    {"multi_issue: {window: 1}\npredecode: {hold: false, replay: 3}\n", 16 * 8, 29 + 6, 8 * (3 + 6) + 2 + 8 * 6, 3, 0},
	    {"multi_issue: {window: 1}\npredecode: {boost: false, buffer: 20}\n", 20 * 8, 29 + 3, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    {"predecode: {geometry: combined, replay: 0}\n", 16 * 16, 29, 8 * (3 + 6) + 2 + 8 * 6, 0, 0},
	    /* PD-33: four bits a word, and 128 of the table for all eight warps */
	    {"predecode: {geometry: compact, buffer: 32}\n", 32 * 4 + 128 / 8, 29, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    {"predecode: {geometry: compact, carrier: none, decode_cycles: 5}\n", 0, 20 + 3, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    {"predecode: {fifo: 2, data_buffer: 9}\n", 11 * 8, 29, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    {"multi_issue: {window: 1}\npredecode: {carrier: register}\n", 2 * (32 + 24 + 1), 29 + 3 + 6, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    {"multi_issue: {window: 1}\npredecode: {carrier: instruction}\n", 0, 29, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    {"predecode: {carrier: none, decode_cycles: 5}\n", 0, 20 + 3, 8 * (3 + 6) + 2 + 8 * 6, 8, 0},
	    /* Of a warp: three addresses, 32 lanes, a flag, a delay of 5, the counts of the queues; 9 queues of 4 and 8; a table */
	    {"multi_issue: {window: 1}\npredecode: {speculate: static}\n", 16 * 8, 29 + 3 + 6, 8 * (3 + 6) + 2 + 8 * 6, 8,
	     8 * (72 + 32 + 1 + 5 + SPACINGS) + 108},
	    {"multi_issue: {window: 1}\npredecode: {speculate: counters}\n", 16 * 8, 29 + 3 + 6, 8 * (3 + 6) + 2 + 8 * 6, 8,
	     8 * (72 + 32 + 1 + 5 + SPACINGS) + 108 + 512},
	    {"multi_issue: {window: 4}\npredecode: {speculate: static}\n", 16 * 8, 29, 8 * (3 + 6) + 2 + 8 * 6, 8,
	     8 * (72 + 32 + 1 + 5 + SPACINGS + 8 * (4 + 5)) + 108},
	    {"predecode: {priority_bits: 10, sort_warps: 5, sort_period: 9}\n", 16 * 8, 29, 5 * (3 + 10) + 4 + 8 * 10, 8, 0},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		hd_text text = {0};
		hd_text_printf(&text, "machine: {warps: 8}\n%s", rows[i].settings);
		assert_true(hd_machine_read(&machine, text.at, text.n, "test", &diag));
		hd_scheduler_bits bits = hd_scheduler_bits_of(&machine);
		assert_int_equal(bits.data, 8 * rows[i].data);
		assert_int_equal(bits.hints, 8 * rows[i].hints);
		assert_int_equal(bits.order, rows[i].order);
		assert_int_equal(bits.replay, rows[i].replay * (64 + 3 + 4 + 32 + 5 + 2));
		assert_int_equal(bits.replay_operands, rows[i].replay * 32 * 192);
		assert_int_equal(bits.total, bits.data + bits.hints + bits.order + bits.replay + bits.replay_operands + bits.predictor);
		assert_int_equal(bits.predictor, rows[i].predictor);
		assert_int_equal(bits.ahead, 8 * machine.predecode_buffer * 64);
		hd_text_free(&text);
	}
}

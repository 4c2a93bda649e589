/* Chains of pairs and strict pairs (PD-29), and the hint `next in the consecutive cycle` (PD-30), issue by issue. */
#include "timeline.h"

static hd_inst f64(unsigned d) { return alu(HD_OP_DADD, d, HD_RZ, HD_RZ, HD_RZ); }

/* -- chains of pairs (PD-29) ------------------------------------------------------------------------------------------------------- */

/* Four pipes. Where the chain ends, the number of the hint is a delay. */
TEST(a_chain_is_as_long_as_it_may_be)
{
	static const struct {
		unsigned width, most, pairs, split;
		const char *expected;
	} rows[] = {
	    {4, 2, 2, 0, "0:0a 0:0b 1:0c 1:0d 2:0e"}, {4, 3, 2, 0, "0:0a 0:0b 0:0c 3:0d 4:0e"}, {4, 4, 3, 0, "0:0a 0:0b 0:0c 0:0d 1:0e"},
	    {2, 4, 2, 0, "0:0a 0:0b 1:0c 1:0d 2:0e"}, {1, 4, 0, 0, "0:0a 1:0b 2:0c 5:0d 6:0e"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, rows[i].width);
		r->machine.predecode_chain = rows[i].most;
		rig_put(r, plain(5), with(HD_HINT_PAIR, 1));
		rig_put(r, coord(6), with(HD_HINT_PAIR, 1));
		rig_put(r, sfu(7), with(HD_HINT_PAIR, 3));
		rig_put(r, f64(8), delay(1));
		rig_put(r, plain(10), delay(1));
		rig_exit(r);
		expect(r, 5, rows[i].expected);
		assert_int_equal(r->stats.predecode_pairs, rows[i].pairs);
		assert_int_equal(r->stats.predecode_split, rows[i].split);
		rig_free(r);
	}
}

/* The third instruction has to fit the first one, too: another pipe; no counter of the first one's in the decoder; none that it waits for. */
TEST(the_third_fits_the_first)
{
	for (unsigned what = 0; what < 4; what++) {
		rig *r = begin(1, 4);
		hd_inst first = plain(5), third = sfu(7);
		const char *expected = "0:0a 0:0b 1:0c";
		r->machine.predecode_chain = 4;
		if (what == 0) {
			third = plain(7);
		} else if (what == 1) { /* written in 5, and the decoder waits until the cycle before */
			first = primary(first, 6);
			third = waits(third, 6);
			expected = "0:0a 0:0b 4:0c";
		} else if (what == 2) {
			first = waits(first, 1);
			third = primary(third, 1);
		} else {
			expected = "0:0a 0:0b 0:0c";
		}
		rig_put(r, first, with(HD_HINT_PAIR, 1));
		rig_put(r, coord(6), with(HD_HINT_PAIR, 1));
		rig_put(r, third, delay(1));
		end(r, 3, expected);
	}
}

/* Two decoders are left for a chain of three, whose last one follows. A delay behind it counts from there. */
TEST(a_chain_takes_a_decoder_each)
{
	rig *r = begin(2, 4);
	r->machine.predecode_chain = 4;
	rig_put(r, plain(5), delay(1));
	rig_put(r, coord(6), with(HD_HINT_PAIR, 2));
	rig_put(r, plain(7), with(HD_HINT_PAIR, 2));
	rig_put(r, sfu(8), delay(1));
	rig_exit(r); /* of warp 0 in cycle 2 */
	expect(r, 4, "0:0a 1:0b 1:0c 1:0d 1:1a 2:1b 2:1c 2:1d");
	assert_int_equal(r->stats.predecode_pairs, 4);
	rig_free(r);
}

/* Rule 2: queues keep the distance that the compiler counted, which is none in a chain: e is two cycles behind c, as its delay says. */
TEST(a_chain_counts_as_one_cycle)
{
	rig *r = begin(1, 4);
	r->machine.predecode_chain = 3;
	rig_put(r, plain(5), with(HD_HINT_PAIR, 1));
	rig_put(r, coord(6), with(HD_HINT_PAIR, 1));
	rig_put(r, sfu(7), delay(4));
	rig_put(r, alui(HD_OP_IADD, 8, 5, 41), delay(4));
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(4));
	rig_put(r, store(HD_OP_STG, 2, 0, 8), delay(1));
	rig_exit(r);
	expect(r, 6, "0:0a 0:0b 0:0c 4:0d 8:0e 12:0f");
	assert_int_equal(rig_out(r, 3), 42);
	rig_free(r);
}

/* -- strict pairs (PD-29) ---------------------------------------------------------------------------------------------------------- */

/* c waits in the decoder for a, until the cycle before its write in 7. The pair waits with it if it is strict, and takes no slot meanwhile. */
TEST(a_strict_pair_waits_for_its_second)
{
	static const struct {
		unsigned strict, number;
		const char *expected;
	} rows[] = {{0, 0, "0:0a 1:0b 6:0c 7:0d"}, {1, 0, "0:0a 6:0b 6:0c 7:0d"}, {1, 1, "0:0a 1:0b 6:0c 7:0d"}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, 2);
		bool waited = rows[i].strict && !rows[i].number;
		r->machine.predecode_strict_pairs = rows[i].strict;
		rig_put(r, primary(coord(5), 6), delay(1));
		rig_put(r, plain(6), with(HD_HINT_PAIR, rows[i].number));
		rig_put(r, waits(sfu(7), 6), delay(1));
		rig_put(r, plain(8), delay(1));
		rig_exit(r);
		expect(r, 4, rows[i].expected);
		assert_int_equal(r->stats.predecode_pairs, waited);
		assert_int_equal(r->stats.predecode_split, !waited);
		assert_int_equal(r->stats.predecode_strict_waits, waited ? 5 : 0);
		assert_int_equal(r->stats.stall_pair, waited ? 10 : 0);
		assert_int_equal(r->stats.fence_descheduled, !waited);
		rig_free(r);
	}
}

/* A chain of strict pairs waits for its third one. */
TEST(a_strict_chain_waits_for_all)
{
	for (unsigned most = 2; most <= 3; most++) {
		rig *r = begin(1, 4);
		r->machine.predecode_strict_pairs = 1;
		r->machine.predecode_chain = most;
		rig_put(r, primary(coord(5), 6), delay(1));
		rig_put(r, plain(6), with(HD_HINT_PAIR, 0));
		rig_put(r, f64(8), with(HD_HINT_PAIR, 0));
		rig_put(r, waits(sfu(7), 6), delay(1));
		end(r, 4, most == 3 ? "0:0a 6:0b 6:0c 6:0d" : "0:0a 1:0b 1:0c 6:0d");
	}
}

/* In 3 one decoder is left for warp 1, whose b waits for two. It goes first in the next cycle, before others that would take them again: warps 0 and
 * 1 issue one instruction a cycle each, and warp 2 gets its pair between them. */
TEST(a_strict_pair_waits_for_two_decoders)
{
	rig *r = begin(2, 2);
	r->machine.predecode_strict_pairs = 1;
	rig_put(r, plain(5), delay(1));
	rig_put(r, coord(6), with(HD_HINT_PAIR, 0));
	rig_put(r, plain(7), delay(1));
	rig_put(r, sfu(8), delay(1));
	end(r, 4, "0:0a 1:0b 1:0c 2:0d 2:1a 4:1b 4:1c 5:1d");

	r = begin(2, 2);
	r->machine.predecode_strict_pairs = 1;
	rig_put(r, plain(5), with(HD_HINT_PAIR, 0));
	rig_put(r, coord(6), delay(1));
	for (unsigned i = 0; i < 5; i++)
		rig_put(r, plain(8 + i), delay(1));
	rig_exit(r);
	expect(r, 7, "0:0a 0:0b 1:0c 2:1a 2:1b 3:0d 3:1c 4:0e 4:1d 5:0f 5:1e 6:0g 7:1f 8:1g");
	assert_int_equal(r->stats.predecode_strict_waits, 1);
	assert_int_equal(r->stats.predecode_consecutive, 1);
	rig_free(r);
}

/* A pair that could wait for ever, or cannot be together, is not tied: the second in another line, one that raises the first one's counter where the
 * counter counts one primary, and one whose constant may be absent. */
TEST(what_is_not_tied_goes_alone)
{
	for (unsigned what = 0; what < 3; what++) {
		rig *r = begin(1, 2);
		hd_inst first = plain(5), second = coord(6);
		r->machine.predecode_strict_pairs = 1;
		r->machine.predecode_buffer = what ? 64 : 7;
		for (unsigned i = what ? 5 : 0; i < 6; i++)
			rig_put(r, plain(7), delay(1));
		if (what == 1) {
			r->machine.fence_bits = 4;
			first = primary(first, 1);
			second = primary(second, 1);
		} else if (what == 2) {
			r->machine.memory_constant_bytes = 1024;
			second = alu(HD_OP_FEX2, 6, 0, HD_RZ, HD_RZ);
			second.ksel = 1;
			second.a = 250;
		}
		rig_put(r, first, with(HD_HINT_PAIR, 0));
		rig_put(r, second, delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_pairs, 0);
		assert_int_equal(r->stats.predecode_split, 1);
		assert_int_equal(r->stats.predecode_strict_waits, 0);
		rig_free(r);
	}
}

/* MI-9: lanes that jump over the first one resume at the second one. */
TEST(a_strict_pair_ends_where_lanes_resume)
{
	rig *r = begin(1, 2);
	r->machine.predecode_strict_pairs = 1;
	rig_put(r, primary(setpi(HD_CMP_LT, 0, 0, 16), 1), delay(1));
	uint32_t skip = rig_put(r, waits(guarded(branch(HD_OP_BRA, 0), 0, 0), 1), delay(1));
	rig_put(r, movi(7, 0), with(HD_HINT_PAIR, 0)); /* lanes 16 to 31 */
	r->slots[skip].inst.imm = (int32_t)rig_here(r);
	rig_put(r, primary(coord(5), 1), delay(1)); /* all */
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(4));
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned lane = 0; lane < 32; lane++)
		assert_int_equal(rig_out(r, lane), lane);
	assert_int_equal(r->stats.predecode_pairs, 0);
	rig_free(r);
}

/* Settings that exclude each other are refused with both keys. */
TEST(impossible_strict_pairs_are_refused)
{
	static const struct {
		const char *setting[3], *why;
	} rows[] = {
	    {{"predecode.fifo=1"}, "predecode.fifo is 1, expected 0 or at least 2 with predecode.strict_pairs"},
	    {{"predecode.fifo=3", "predecode.chain=4"}, "predecode.fifo is 3, expected 0 or at least 4 with predecode.strict_pairs"},
	    {{"multi_issue.queues=shared"}, "predecode.strict_pairs cannot be used with multi_issue.queues `shared`"},
	    {{"multi_issue.queues=shared", "predecode.pair=false"}, NULL},
	    {{"predecode.fifo=2"}, NULL},
	    {{"predecode.fifo=1", "multi_issue.window=4"}, NULL},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		hd_machine_default(&machine);
		machine.multi_issue_window = 1;
		machine.predecode_issue_width = 4;
		machine.predecode_strict_pairs = 1;
		for (unsigned k = 0; k < 3 && rows[i].setting[k]; k++)
			assert_true(hd_machine_set(&machine, rows[i].setting[k], &diag));
		assert_int_equal(hd_machine_validate(&machine, NULL, &diag), !rows[i].why);
		if (rows[i].why)
			assert_non_null(strstr(diag.text.at, rows[i].why));
		hd_diag_free(&diag);
	}
}

/* -- the consecutive cycle (PD-30) ------------------------------------------------------------------------------------------------- */

/* Warp 1 issues b in 4, in a gap of warp 0. Its c comes in 5, before d of warp 0, if b asks for that; otherwise warp 0 goes on. */
TEST(the_next_one_goes_first_in_the_next_cycle)
{
	static const struct {
		unsigned honoured, number, gap;
		const char *expected;
		unsigned counted;
	} rows[] = {
	    {1, 0, 1, "0:0a 1:1a 2:0b 3:0c 4:1b 5:1c 6:0d 8:1d", 1},
	    {0, 0, 1, "0:0a 1:1a 2:0b 3:0c 4:1b 5:0d 7:1c 9:1d", 0},
	    {1, 1, 1, "0:0a 1:1a 2:0b 3:0c 4:1b 5:0d 7:1c 9:1d", 0},
	    {1, 0, 2, "0:0a 1:1a 2:0b 3:1b 4:0c 5:0d 7:1c 8:1d", 0}, /* c has a wait, and is not at the head in time */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(2, 1);
		r->machine.predecode_consecutive = rows[i].honoured;
		rig_put(r, plain(5), delay(2));
		rig_put(r, plain(6), delay(rows[i].number));
		rig_put(r, plain(7), rows[i].gap > 1 ? with(HD_HINT_WAIT, 1) : delay(2));
		rig_put(r, plain(8), delay(1));
		rig_exit(r);
		expect(r, 4, rows[i].expected);
		assert_int_equal(r->stats.predecode_consecutive, rows[i].counted);
		assert_int_equal(r->stats.predecode_held, 0);
		rig_free(r);
	}
}

/* The replay of a is ready in 10, and so is d. */
TEST(it_goes_before_a_replay)
{
	for (unsigned honoured = 0; honoured < 2; honoured++) {
		rig *r = begin(1, 1);
		r->machine.predecode_consecutive = honoured;
		rig_put(r, alui(HD_OP_SHL, 20, 1, 1), delay(15)); /* two lanes to a bank */
		for (unsigned i = 1; i < 7; i++)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, store(HD_OP_STS, 20, 0, 21), with(HD_HINT_MAY_REPLAY, 1));
		rig_put(r, inst_(HD_OP_NOP), delay(8));
		rig_put(r, plain(5), delay(0));
		rig_put(r, plain(6), delay(1));
		rig_exit(r);
		expect(r, 11,
		       honoured ? "0:0a 15:0b 30:0c 45:0d 60:0e 75:0f 90:0g 105:0h 106:0i 114:0j 115:0k 116:0H"
		                : "0:0a 15:0b 30:0c 45:0d 60:0e 75:0f 90:0g 105:0h 106:0i 114:0j 115:0H 116:0k");
		rig_free(r);
	}
}

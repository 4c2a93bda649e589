/* Each hint (docs/timing.md, "Hints"; PD-4, PD-5, PD-7 to PD-10), issue by issue. */
#include "timeline.h"

/* -- PD-4, PD-5 -------------------------------------------------------------------------------------------------------------------- */

TEST(what_default_does_is_configured)
{
	static const char *const expected[] = {"0:0a 3:0b 6:0c", "0:0a 4:0b 8:0c", "0:0a 3:0b 6:0c"};
	for (unsigned kind = 0; kind < HD_COUNT(expected); kind++) {
		rig *r = begin(1, 1);
		r->machine.predecode_default_hint = (hd_default_hint)kind;
		r->machine.predecode_default_delay = 3;
		for (unsigned i = 0; i < 3; i++)
			rig_put(r, plain(5 + i), with(HD_HINT_DEFAULT, 9));
		/* A wait of three begins in the cycle after the issue before it; a itself has it, too, behind a delay of 15. */
		end(r, 3, expected[kind]);
	}
}

/* -- PD-7 -------------------------------------------------------------------------------------------------------------------------- */

TEST(a_pair_issues_in_one_cycle)
{
	static const struct {
		unsigned width, honoured, number, second;
		const char *expected;
	} rows[] = {
	    {2, 1, 0, 1, "0:0a 0:0b 1:0c"}, {2, 1, 5, 1, "0:0a 0:0b 1:0c"}, {4, 1, 0, 3, "0:0a 0:0b 3:0c"}, /* b's hint governs */
	    {1, 1, 0, 1, "0:0a 1:0b 2:0c"}, {1, 1, 5, 1, "0:0a 5:0b 6:0c"},                                 /* one decoder (PD-14) */
	    {2, 0, 5, 1, "0:0a 5:0b 6:0c"},                                                                 /* a delay of its number */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, rows[i].width);
		r->machine.predecode_pair = rows[i].honoured;
		rig_put(r, plain(5), with(HD_HINT_PAIR, rows[i].number));
		rig_put(r, coord(6), delay(rows[i].second));
		rig_put(r, plain(7), delay(1));
		end(r, 3, rows[i].expected);
	}
}

/* Two of one pipe; a second that has the hint itself, and so ends the pair; a `wait`; a plain hold; one that the decoder would send back because of
 * the first. */
TEST(what_cannot_be_a_pair_follows)
{
	for (unsigned what = 0; what < 7; what++) {
		rig *r = begin(1, 4);
		hd_inst first = plain(5), second = coord(6);
		uint8_t hint = delay(1);
		const char *expected = "0:0a 1:0b 2:0c";
		switch (what) {
		case 0:
			second = plain(6);
			break;
		case 1:
			hint = with(HD_HINT_PAIR, 0);
			expected = "0:0a 0:0b 1:0c";
			break;
		case 2:
			hint = hold_back(2);
			expected = "0:0a 3:0b 4:0c";
			break;
		case 3:
			hint = with(HD_HINT_HOLD, 0);
			break;
		case 4: /* a high-latency counter: back from the decoder, until the cycle before the write in cycle 5 */
			first = primary(first, 6);
			second = waits(second, 6);
			expected = "0:0a 4:0b 5:0c";
			break;
		default: /* the first waits for the counter that the second raises (HZ-18), with wait counters and without */
			first = waits(first, 1);
			second = primary(second, 1);
			r->machine.fence_wait_counters = what == 5;
			break;
		}
		rig_put(r, first, with(HD_HINT_PAIR, 0));
		rig_put(r, second, hint);
		rig_put(r, sfu(7), delay(1));
		end(r, 3, expected);
	}
}

/* A pair that depends, covered by a counter: the second waits in its queue. Not covered, it reads too early. */
TEST(the_second_waits_in_its_queue)
{
	for (unsigned covered = 0; covered < 2; covered++) {
		rig *r = begin(1, 2);
		hd_inst first = coord(5), second = alui(HD_OP_IADD, 6, 5, 100);
		rig_put(r, movi(5, 0), delay(15));
		rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
		rig_put(r, covered ? primary(first, 1) : first, with(HD_HINT_PAIR, 0));
		rig_put(r, primary(covered ? waits(second, 1) : second, 2), delay(1));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 6), 2), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_pairs, 1);
		assert_int_equal(rig_out(r, 7), covered ? 107 : 100);
		rig_free(r);
	}
}

/* HZ-18 holds for the second of a pair: c waits in its queue for the counter of a, which e would raise again, behind c in that queue. So d goes
 * alone, and e when c has left its queue. */
TEST(the_second_waits_for_who_waits_for_its_counter)
{
	rig *r = begin(1, 2);
	rig_put(r, primary(coord(5), 1), delay(1)); /* enters in 1, written in 7 */
	rig_put(r, primary(plain(6), 2), delay(1));
	rig_put(r, waits(sfu(7), 1), delay(1));
	rig_put(r, plain(8), with(HD_HINT_PAIR, 0));
	rig_put(r, primary(sfu(9), 1), delay(1));
	rig_exit(r);
	expect(r, 5, "0:0a 1:0b 2:0c 3:0d 7:0e");
	assert_int_equal(r->stats.predecode_pairs, 0);
	assert_int_equal(r->stats.predecode_split, 1);
	assert_int_equal(r->stats.fence_descheduled, 1);
	rig_free(r);
}

/* HZ-21 holds for the second of a pair, too: it waits for a high-latency counter that somebody before the pair raised. */
TEST(the_second_waits_in_the_decoder)
{
	rig *r = begin(1, 2);
	rig_put(r, primary(coord(5), 6), delay(1)); /* written in 7 */
	rig_put(r, plain(6), with(HD_HINT_PAIR, 0));
	rig_put(r, waits(sfu(7), 6), delay(1));
	rig_exit(r);
	expect(r, 3, "0:0a 1:0b 6:0c");
	assert_int_equal(r->stats.predecode_pairs, 0);
	assert_int_equal(r->stats.predecode_split, 1);
	rig_free(r);
}

/* A second that is not fetched yet makes no pair: it begins a line, and the buffer holds one line. */
TEST(the_second_has_to_be_there)
{
	for (unsigned lines = 1; lines <= 4; lines += 3) {
		rig *r = begin(1, 2);
		r->machine.predecode_buffer = lines * hd_line_instructions(r->machine.predecode_geometry);
		for (unsigned i = 0; i < 6; i++)
			rig_put(r, plain(5), delay(1));
		rig_put(r, plain(5), with(HD_HINT_PAIR, 0));
		rig_put(r, coord(6), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_pairs, lines > 1);
		rig_free(r);
	}
}

/* The queue of the second is full, so the first goes alone; then so does the second. */
TEST(a_full_queue_splits_a_pair)
{
	rig *r = begin(1, 2);
	r->machine.queue[HD_PIPE_SFU] = (hd_queue_sizes){.fifo = 1, .hazard = 1};
	rig_put(r, sfu(5), delay(1)); /* enters in 1, and the pipe takes the next in 5 */
	rig_put(r, sfu(6), delay(1)); /* fills the FIFO until then */
	rig_put(r, plain(7), with(HD_HINT_PAIR, 0));
	rig_put(r, sfu(8), delay(1));
	rig_exit(r);
	expect(r, 4, "0:0a 1:0b 2:0c 5:0d");
	assert_int_equal(r->stats.predecode_split, 1);
	assert_int_equal(r->stats.predecode_pairs, 0);
	rig_free(r);
}

/* PD-14: two decoders. Warp 1 comes when there is one left; a pair takes both; with one left the first of a pair goes alone. */
TEST(a_pair_takes_two_decoders)
{
	rig *r = begin(2, 2);
	rig_put(r, plain(5), delay(1));
	rig_put(r, coord(6), with(HD_HINT_PAIR, 0));
	rig_put(r, plain(7), delay(1));
	rig_put(r, sfu(8), delay(1));
	rig_exit(r); /* of warp 0 in cycle 3, so that 1b and 1c do not fit */
	expect(r, 4, "0:0a 1:0b 1:0c 2:0d 2:1a 3:1b 4:1c 5:1d");
	assert_int_equal(r->stats.predecode_pairs, 1);
	assert_int_equal(r->stats.predecode_decoded, r->stats.run_issued + r->stats.fence_descheduled);
	rig_free(r);
}

/* MI-9 holds for pairs: the lanes that jump over a resume before b, so that it cannot issue with a. */
TEST(nothing_pairs_past_minrc)
{
	rig *r = begin(1, 2);
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
	assert_int_equal(r->stats.predecode_split, 1);
	rig_free(r);
}

/* -- PD-8 -------------------------------------------------------------------------------------------------------------------------- */

TEST(a_hold_goes_before_other_warps)
{
	static const struct {
		hd_hint first, second;
		unsigned honoured;
		const char *expected;
	} rows[] = {
	    {HD_HINT_DELAY, HD_HINT_DELAY, 1, "0:0a 1:0b 2:0c 4:1a 5:1b 6:1c"}, /* in 3 warp 0 issues its exit */
	    {HD_HINT_HOLD_MEM, HD_HINT_DELAY, 1, "0:0a 1:1a 2:0b 3:0c 5:1b 6:1c"},
	    {HD_HINT_HOLD, HD_HINT_DELAY, 1, "0:0a 1:1a 2:0b 3:0c 5:1b 6:1c"},
	    {HD_HINT_HOLD_MEM, HD_HINT_HOLD_MEM, 1, "0:0a 1:0b 2:1a 3:1b 4:0c 6:1c"}, /* both hold: the first in order */
	    {HD_HINT_HOLD_MEM, HD_HINT_DELAY, 0, "0:0a 1:0b 2:0c 4:1a 5:1b 6:1c"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(2, 1);
		r->machine.predecode_hold = rows[i].honoured;
		rig_put(r, plain(5), with(rows[i].first, 1));
		rig_put(r, plain(6), with(rows[i].second, 1));
		rig_put(r, plain(7), delay(1));
		end(r, 3, rows[i].expected);
	}
}

/* Not at the head before its delay is over: others issue meanwhile. */
TEST(a_hold_whose_delay_lasts_keeps_nobody)
{
	rig *r = begin(2, 1);
	rig_put(r, plain(5), delay(3));
	rig_put(r, plain(6), with(HD_HINT_HOLD_MEM, 1));
	rig_put(r, plain(7), delay(1));
	end(r, 3, "0:0a 1:1a 3:0b 4:1b 5:0c 7:1c");
}

/* The load hits nothing: with the default latencies its data is written in cycle 9 + L1 miss ...; what matters is that the hold issues in that cycle,
 * and that it alone makes the result right. */
TEST(a_plain_hold_waits_for_memory)
{
	uint64_t written = 0;
	for (unsigned what = 0; what < 3; what++) {
		static const hd_hint hints[] = {HD_HINT_HOLD, HD_HINT_HOLD_MEM, HD_HINT_HOLD_REPLAY};
		rig *r = begin(1, 1);
		((uint32_t *)hd_memory_at(r->memory, r->out, 8))[0] = 41;
		rig_put(r, load(HD_OP_LDG, 5, 2, 0), delay(1));
		rig_put(r, alui(HD_OP_IADD, 6, 5, 1), with(hints[what], 4));
		rig_put(r, store(HD_OP_STG, 2, 64, 6), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(rig_out(r, 16), what == 1 ? 1 : 42);
		assert_true(what == 1 ? r->stats.stall_hold == 0 : r->stats.stall_hold > 100);
		if (what == 0)
			written = r->stats.stall_hold;
		else if (what == 2)
			assert_int_equal(written, r->stats.stall_hold);
		rig_free(r);
	}
}

/* PD-17: what counts is what was dispatched and is not finished: a store, too, and one that was dropped no longer. */
TEST(the_count_of_memory_instructions_in_flight)
{
	rig *r = begin(1, 1);
	rig_put(r, setpi(HD_CMP_GE, 0, 0, 0), delay(15));
	rig_put(r, guarded(store(HD_OP_STG, 2, 0, 5), 0, 1), delay(1)); /* nobody: enters in 1 behind its issue, and is dropped there */
	rig_put(r, plain(6), with(HD_HINT_HOLD, 1));
	end(r, 3, "0:0a 15:0b 16:0c");
}

/* -- PD-9 -------------------------------------------------------------------------------------------------------------------------- */

/* Without the hint warp 0 keeps the scheduler. With `lower 3` behind a it yields in the cycles 1 to 3; warp 1 is lowered itself from 2 to 4. */
TEST(a_lowered_warp_yields)
{
	static const struct {
		hd_hint hint;
		unsigned honoured, delay;
		const char *expected;
	} rows[] = {
	    {HD_HINT_DELAY, 1, 1, "0:0a 1:0b 2:0c 3:0d 5:1a 6:1b 7:1c 8:1d"},
	    {HD_HINT_LOWER, 0, 1, "0:0a 1:0b 2:0c 3:0d 5:1a 6:1b 7:1c 8:1d"},
	    {HD_HINT_LOWER, 1, 1, "0:0a 1:1a 2:0b 3:0c 4:0d 6:1b 7:1c 8:1d"},
	    /* It begins only when b is at the head: 2 to 4 for warp 0, 3 to 5 for warp 1. */
	    {HD_HINT_LOWER, 1, 2, "0:0a 1:1a 2:0b 3:0c 4:0d 6:1b 7:1c 8:1d"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(2, 1);
		r->machine.predecode_boost = rows[i].honoured;
		r->machine.predecode_default_delay = rows[i].delay;
		rig_put(r, plain(5), with(rows[i].hint, rows[i].hint == HD_HINT_LOWER ? 3 : 1));
		for (unsigned k = 0; k < 3; k++)
			rig_put(r, plain(6 + k), delay(1));
		end(r, 4, rows[i].expected);
	}
}

enum { LONG = 42, OTHER = 9 + LONG + LONG / 7 }; /* instructions in a row; where warp 1 begins, at a line */

/* Who issues, cycle by cycle. */
typedef struct turns {
	hd_trace trace;
	uint64_t first; /* cycle of warp 0's first instruction */
	char by[64];    /* '0', '1', or '.' */
} turns;

static void take_turn(hd_trace *trace, const hd_trace_event *e)
{
	turns *t = (turns *)trace;
	if (e->kind != HD_TRACE_ISSUE || e->pc < 9)
		return;
	t->first = t->first ? t->first : e->cycle;
	if (e->cycle - t->first < sizeof t->by - 1)
		t->by[e->cycle - t->first] = (char)('0' + e->slot);
}

/* Both warps have an instruction for every cycle from 15 on. Warp 0 comes to word 9 first, does nothing for 14 cycles, while warp 1's line comes, and
 * issues its second instruction, with `hint` of warp 0, in 14. Warp 1 issues its second, with its hint, in 13. */
static turns apart(hd_hint hint_of_0, unsigned number_0, hd_hint hint_of_1, unsigned number_1, unsigned by_default, hd_stats *stats)
{
	turns t = {.trace = {.event = take_turn}};
	rig *r = begin(2, 1);
	r->machine.predecode_default_delay = by_default;
	r->machine.memory_l2_latency = r->machine.memory_dram_latency = r->machine.fetch_l15_latency = 1; /* no warp shall lack instructions */
	r->words = 5;
	rig_put(r, setpi(HD_CMP_GE, 0, 0, 32), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, guarded(branch(HD_OP_BRA, OTHER), 0, 0), delay(1));
	for (unsigned warp = 0; warp < 2; warp++) {
		assert_int_equal(rig_here(r), warp ? OTHER : 9);
		rig_put(r, inst_(HD_OP_NOP), delay(warp ? 10 : 14));
		rig_put(r, inst_(HD_OP_NOP), warp ? with(hint_of_1, number_1) : with(hint_of_0, number_0));
		for (unsigned i = 3; i < LONG; i++)
			rig_put(r, inst_(HD_OP_NOP), delay(1));
		rig_exit(r);
	}
	memset(t.by, '.', sizeof t.by - 1);
	r->options.trace = &t.trace;
	assert_true(rig_run(r));
	*stats = r->stats;
	rig_free(r);
	assert_memory_equal(t.by, "0..1.........10", 15);
	return t;
}

/* PD-9, PD-13: a lowered warp has no turn while the other has an instruction, for as many cycles as the hint says, from that behind its issue on.
 * Where a sample falls into them, the network follows, too: see the next test. */
TEST(lower_ends_after_its_cycles)
{
	hd_stats stats;
	for (unsigned n = 0; n < 32; n++) {
		unsigned by_default = n & 1 ? 4 : 1, cycles = n / 2,
		         start = 14 + by_default; /* it begins when the delay that it stands for is over */
		turns t = apart(HD_HINT_LOWER, cycles, HD_HINT_DELAY, 1, by_default, &stats);
		uint64_t sample = (t.first + start + 3) / 4 * 4, back = (t.first + start + cycles + 3) / 4 * 4;
		for (unsigned i = 15; i < 40; i++) {
			uint64_t cycle = t.first + i;
			assert_int_equal(t.by[i], i < start + cycles || (cycle >= sample + 3 && cycle < back + 3) ? '1' : '0');
		}
		assert_int_equal(stats.predecode_lowers, cycles > 0);
	}
}

/* PD-9, PD-12: a boost is a matter of the network. Warp 1's is on from 14 to 13 + n. The first cycle of four, s, takes a sample; (0,1) are compared
 * in s + 2, which shows from s + 3 on. With the first sample of a later round the warps change places again. */
TEST(a_boost_goes_through_the_network)
{
	hd_stats stats;
	for (unsigned n = 0; n < 16; n++) {
		turns t = apart(HD_HINT_DELAY, 1, HD_HINT_BOOST, n, 1, &stats);
		uint64_t sample = (t.first + 14 + 3) / 4 * 4, back = (t.first + 14 + n + 3) / 4 * 4;
		for (unsigned i = 15; i < 40; i++) {
			uint64_t cycle = t.first + i;
			assert_int_equal(t.by[i], cycle >= sample + 3 && cycle < back + 3 ? '1' : '0');
		}
		assert_int_equal(stats.predecode_boosts, n > 0);
	}
}

/* -- PD-10, PD-15, PD-16 ------------------------------------------------------------------------------------------------------------- */

/* r20 = 4 * stride * lane, for shared memory; r21 = lane. Then instructions in a line of their own. */
static rig *banks(unsigned warps, unsigned stride)
{
	rig *r = rig_new(1024);
	r->machine.machine_schedulers = 1;
	r->machine.predecode_buffer = 64;
	r->machine.predecode_prefetch = 8;
	r->launch.block[0] = 32 * warps;
	r->kernel.shared_bytes = 16384;
	rig_put(r, coord(21), delay(15));
	rig_put(r, movc(2, 16), delay(15));
	rig_put(r, movc(3, 17), delay(15));
	rig_put(r, alui(HD_OP_IMUL, 20, 21, (int32_t)(4 * stride)), delay(15));
	rig_put(r, alui(HD_OP_SHL, 1, 21, 2), delay(15));
	rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	return r;
}

/* A store to shared memory, four lanes to a bank. It enters in 1, and is at the stage in 9: refused, three passes are left. They issue from 10 on,
 * each entering in the next cycle that the pipe takes one (every second: 11, 13, 15), each as soon as the one before it has entered, and are at the
 * stage in 19, 21 and 23. */
TEST(a_bank_conflict_is_replayed)
{
	static const struct {
		unsigned stride, size, marked;
		const char *expected;
		unsigned replays, refused;
	} rows[] = {
	    {1, 8, 1, "0:0a 1:0b", 0, 0},
	    {2, 8, 1, "0:0a 1:0b 10:0A", 1, 1},
	    {4, 8, 1, "0:0a 1:0b 10:0A 11:0A 13:0A", 3, 3},
	    {4, 8, 0, "0:0a 1:0b", 0, 0}, /* not marked (PD-10): the unit works it off */
	    {4, 0, 1, "0:0a 1:0b", 0, 0}, /* no buffer */
	    {4, 1, 1, "0:0a 1:0b 10:0A 11:0A 13:0A", 3, 3},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = banks(1, rows[i].stride);
		r->machine.predecode_replay = rows[i].size;
		hd_inst st = primary(store(HD_OP_STS, 20, 0, 21), 6), ld = primary(waits(load(HD_OP_LDS, 22, 20, 0), 6), 5);
		rig_put(r, st, with(rows[i].marked ? HD_HINT_MAY_REPLAY : HD_HINT_DELAY, 1));
		rig_put(r, inst_(HD_OP_NOP), delay(1));
		for (unsigned k = 0; k < 5; k++)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, ld, delay(1)); /* a conflict, too, but not marked: with an older one waiting for its counter all is said */
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 22), 5), delay(1));
		rig_exit(r);
		expect(r, 2, rows[i].expected);
		assert_int_equal(r->stats.predecode_replays, rows[i].replays);
		assert_int_equal(r->stats.predecode_refused_banks, rows[i].refused);
		assert_int_equal(r->stats.stall_replay, rows[i].replays);
		assert_int_equal(r->stats.memory_shared_accesses, 2);
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(rig_out(r, lane), lane);
		rig_free(r);
	}
}

/* PD-8: the replay is ready in 10, and so is c. It goes first, unless c holds and says so. */
TEST(replays_go_before_the_fifos)
{
	static const struct {
		hd_hint hint;
		const char *expected;
	} rows[] = {
	    {HD_HINT_DELAY, "0:0a 1:0b 10:0A 11:0c"},
	    {HD_HINT_HOLD_MEM, "0:0a 1:0b 10:0A 11:0c"},
	    {HD_HINT_HOLD_REPLAY_MEM, "0:0a 1:0b 10:0c 11:0A"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = banks(1, 2);
		rig_put(r, store(HD_OP_STS, 20, 0, 21), with(HD_HINT_MAY_REPLAY, 1));
		rig_put(r, inst_(HD_OP_NOP), delay(9));
		rig_put(r, plain(5), with(rows[i].hint, 1));
		end(r, 3, rows[i].expected);
	}
}

/* PD-16: with the table of misses full, the load that finds no place goes back; the one behind it, which hits, does not wait for it. Without a buffer
 * it does. Two lines: words 0 and 32 are there when the timeline begins; 64 and 96 are not. One place in the table. */
TEST(what_is_behind_a_miss_goes_on)
{
	uint64_t cycles[2];
	for (unsigned replay = 0; replay < 2; replay++) {
		rig *r = banks(1, 1);
		r->machine.predecode_replay = replay * 4;
		r->machine.memory_l1_misses = 1;
		for (unsigned i = 0; i < 160; i++)
			((uint32_t *)hd_memory_at(r->memory, r->out, 640))[i] = 1000 + i;
		/* Every lane reads one word, so that an access is one sector. */
		rig_put(r, movc(4, 16), delay(15));
		rig_put(r, movc(5, 17), delay(15));
		rig_put(r, primary(load(HD_OP_LDG, 10, 4, 0), 5), delay(15));
		rig_put(r, waits(movi(16, 0), 5), delay(15)); /* there now */
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, primary(load(HD_OP_LDG, 11, 4, 256), 1), with(HD_HINT_MAY_REPLAY, 1)); /* takes the place */
		rig_put(r, primary(load(HD_OP_LDG, 12, 4, 384), 2), with(HD_HINT_MAY_REPLAY, 1)); /* finds none */
		rig_put(r, primary(load(HD_OP_LDG, 13, 4, 0), 3), with(HD_HINT_MAY_REPLAY, 1));   /* hits */
		rig_put(r, primary(waits(sreg(14, HD_SREG_CLOCK), 3), 4), delay(1));
		rig_put(r, primary(waits(sreg(15, HD_SREG_CLOCK), 2), 4), delay(1));
		static const unsigned regs[] = {11, 12, 13, 14, 15};
		for (unsigned i = 0; i < HD_COUNT(regs); i++) {
			hd_inst st = store(HD_OP_STG, 2, (int32_t)(128 * (i + 5)), regs[i]);
			for (unsigned k = 1; k <= 4; k++)
				st = waits(st, k);
			rig_put(r, st, delay(1));
		}
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(rig_out(r, 32 * 5), 1064);
		assert_int_equal(rig_out(r, 32 * 6), 1096);
		assert_int_equal(rig_out(r, 32 * 7), 1000);
		assert_int_equal(r->stats.predecode_refused_misses, replay);
		assert_int_equal(r->stats.predecode_replays, replay);
		assert_int_equal(r->stats.predecode_refused_order, 0);
		cycles[replay] = rig_out(r, 32 * 8);
		/* a hundred cycles and more before the one that it passed */
		assert_true(!replay || rig_out(r, 32 * 8) + 100 < rig_out(r, 32 * 9));
		rig_free(r);
	}
	assert_true(cycles[1] + 100 < cycles[0]);
}

/* The order of one warp's accesses: a store to the word that a refused load shall read, and a load of what a refused store writes. What must not pass
 * is refused, too, and replayed behind. A load behind a load, and a store elsewhere, pass. */
TEST(accesses_keep_their_order_behind_a_replay)
{
	rig *r = banks(1, 4);
	rig_put(r, store(HD_OP_STS, 20, 0, 21), with(HD_HINT_MAY_REPLAY, 1)); /* three replays */
	rig_put(r, primary(load(HD_OP_LDS, 22, 20, 0), 5), with(HD_HINT_MAY_REPLAY, 1));
	rig_put(r, store(HD_OP_STG, 2, 128, 21), delay(1)); /* another space */
	rig_put(r, store(HD_OP_STS, 20, 0, 1), delay(1));   /* not marked, and must not pass either */
	rig_put(r, primary(load(HD_OP_LDS, 23, 20, 0), 6), with(HD_HINT_MAY_REPLAY, 1));
	rig_put(r, inst_(HD_OP_NOP), delay(1));
	rig_put(r, inst_(HD_OP_NOP), delay(1));
	rig_put(r, waits(waits(store(HD_OP_STG, 2, 0, 22), 5), 6), delay(1));
	rig_put(r, store(HD_OP_STG, 2, 256, 23), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	for (unsigned lane = 0; lane < 32; lane++) {
		assert_int_equal(rig_out(r, lane), lane);
		assert_int_equal(rig_out(r, lane + 32), lane);
		assert_int_equal(rig_out(r, lane + 64), 4 * lane);
	}
	assert_true(r->stats.predecode_refused_order >= 3);
	assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
	rig_free(r);
}

/* A port of the register file that an instruction of the alu takes in the same cycle: the load is refused at the entry, and reads when it enters, so
 * that what is overwritten in between must be kept by the counter (released by the read). */
TEST(a_taken_port_is_a_cause)
{
	for (unsigned ports = 1; ports < 3; ports++) {
		rig *r = banks(1, 1);
		r->machine.register_file_banks = 1;
		r->machine.register_file_read_ports = ports == 1 ? 1 : 4;
		r->machine.predecode_issue_width = 2;
		rig_put(r, alu(HD_OP_IADD, 6, 21, HD_RZ, HD_RZ), with(HD_HINT_PAIR, 0));
		rig_put(r, by_read(primary(store(HD_OP_STS, 20, 0, 21), 1)), with(HD_HINT_MAY_REPLAY, 1));
		rig_put(r, waits(movi(21, 77), 1), delay(1));
		rig_put(r, primary(load(HD_OP_LDS, 7, 20, 0), 2), delay(1));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 7), 2), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_pairs, 1);
		assert_int_equal(r->stats.predecode_refused_ports, ports == 1);
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(rig_out(r, lane), lane);
		rig_free(r);
	}
}

/* PD-16: the store is refused at the entry and has not read. The load behind it, which needs no port, comes in the next cycle, before the replay: it
 * must not enter first, or it reads the word before it is written. */
TEST(nothing_passes_what_has_not_read)
{
	rig *r = banks(1, 1);
	r->machine.register_file_banks = 1;
	r->machine.register_file_read_ports = 1;
	r->machine.predecode_issue_width = 2;
	rig_put(r, alu(HD_OP_IADD, 6, 21, HD_RZ, HD_RZ), with(HD_HINT_PAIR, 0));
	rig_put(r, store(HD_OP_STS, HD_RZ, 0, 21), with(HD_HINT_MAY_REPLAY, 1));
	rig_put(r, primary(load(HD_OP_LDS, 7, HD_RZ, 0), 2), delay(1));
	rig_put(r, waits(store(HD_OP_STG, 2, 0, 7), 2), delay(1));
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.predecode_refused_ports, 1);
	assert_true(r->stats.predecode_refused_order >= 1);
	for (unsigned lane = 0; lane < 32; lane++)
		assert_int_equal(rig_out(r, lane), 31); /* the highest lane's store is the last */
	rig_free(r);
}

/* The worked example of docs/predecode.md. */
TEST(the_worked_example)
{
	rig *r = banks(1, 2);
	r->machine.predecode_issue_width = 2;
	rig_put(r, plain(5), with(HD_HINT_PAIR, 0));
	rig_put(r, coord(6), with(HD_HINT_MAY_REPLAY, 1));
	rig_put(r, store(HD_OP_STS, 20, 0, 21), with(HD_HINT_MAY_REPLAY, 1));
	rig_put(r, inst_(HD_OP_NOP), delay(8));
	rig_put(r, plain(7), with(HD_HINT_HOLD_REPLAY_MEM, 1));
	rig_put(r, plain(8), delay(1));
	end(r, 6, "0:0a 0:0b 1:0c 2:0d 10:0e 11:0C 11:0f");
}

/* PD-15: the result of a refused load is there when the last of its lanes is: no sooner than if the unit had waited for room. Four sectors, and one
 * place in the table of misses. */
TEST(a_refused_load_is_done_with_its_last_lane)
{
	uint64_t cycles[2];
	for (unsigned replay = 0; replay < 2; replay++) {
		rig *r = begin(1, 1);
		r->machine.memory_l1_misses = 1;
		rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
		rig_put(r, primary(load(HD_OP_LDG, 5, 2, 0), 6), replay ? with(HD_HINT_MAY_REPLAY, 1) : delay(1));
		rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 6), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_refused_misses > 0, replay);
		cycles[replay] = r->stats.run_cycles;
		rig_free(r);
	}
	assert_true(cycles[1] >= cycles[0]);
}

/* PD-15: after eight refusals the unit works a load off. The table of misses has one place, which the loads of other warps take again and again. */
TEST(nothing_is_refused_for_ever)
{
	rig *r = begin(16, 1);
	r->machine.memory_l1_misses = 1;
	rig_put(r, setpi(HD_CMP_LT, 0, 0, 32), delay(15));
	for (unsigned i = 0; i < 16; i++) {
		hd_inst other = load(HD_OP_LDG, 8 + i, 2, 0);
		other.mod = HD_CACHE_GLOBAL; /* never in the first cache */
		if (i == 4)
			rig_put(r, guarded(load(HD_OP_LDG, 7, 2, 2048), 0, 0), with(HD_HINT_MAY_REPLAY, 1));
		rig_put(r, other, delay(1));
	}
	rig_exit(r);
	assert_true(rig_run(r));
	assert_int_equal(r->stats.predecode_refused_misses, 8);
	rig_free(r);
}

/* -- PD-11 ------------------------------------------------------------------------------------------------------------------------- */

/* A loop of 20 lines, ten times, with an instruction cache of 128 lines and of 8: the same result, and the cycles that are lost are lost to fetch. */
TEST(a_kernel_larger_than_the_instruction_cache)
{
	hd_stats stats[2];
	for (unsigned small = 0; small < 2; small++) {
		rig *r = rig_new(32);
		r->machine.machine_schedulers = 1;
		r->machine.fetch_l1i_lines = small ? 8 : 128;
		rig_address(r);
		rig_put(r, movi(5, 0), delay(4));
		rig_put(r, movi(6, 10), delay(4));
		uint32_t top = rig_here(r);
		for (unsigned i = 0; i < 140; i++)
			rig_put(r, alui(HD_OP_IADD, 5, 5, 1), delay(4));
		rig_put(r, alui(HD_OP_IADD, 6, 6, -1), delay(4));
		rig_put(r, primary(setpi(HD_CMP_GT, 0, 6, 0), 1), 0);
		rig_put(r, waits(guarded(branch(HD_OP_BRA, top), 0, 0), 1), 0);
		rig_put(r, primary(alui(HD_OP_IADD, 5, 5, 0), 1), delay(1));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 5), 1), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(rig_out(r, lane), 1400);
		stats[small] = r->stats;
		rig_free(r);
	}
	uint64_t longer = stats[1].run_cycles - stats[0].run_cycles, fetch = stats[1].stall_fetch - stats[0].stall_fetch;
	assert_true(stats[1].predecode_l1i_misses > 5 * stats[0].predecode_l1i_misses);
	assert_true(stats[1].run_cycles > stats[0].run_cycles && fetch * 10 > longer * 9);
}

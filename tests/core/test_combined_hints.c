/* Two hints in an entry of the scheduling word (PD-24; docs/timing.md, "Two hints"), issue by issue. */
#include "timeline.h"

TEST(the_longer_delay_and_wait_count)
{
	static const struct {
		hd_hint first, second;
		unsigned first_number, second_number;
		const char *expected;
	} rows[] = {
	    {HD_HINT_DELAY, HD_HINT_DELAY, 2, 5, "0:0a 1:0b 6:0c"},
	    {HD_HINT_DELAY, HD_HINT_DELAY, 5, 2, "0:0a 1:0b 6:0c"},
	    {HD_HINT_WAIT, HD_HINT_DELAY, 3, 4, "0:0a 4:0b 8:0c"}, /* b waits three cycles after it became the next in 1 */
	    {HD_HINT_DELAY, HD_HINT_WAIT, 4, 3, "0:0a 4:0b 8:0c"},
	    {HD_HINT_WAIT, HD_HINT_WAIT, 3, 1, "0:0a 4:0b 5:0c"},
	    {HD_HINT_WAIT, HD_HINT_WAIT, 1, 3, "0:0a 4:0b 5:0c"},
	    {HD_HINT_DELAY, HD_HINT_DEFAULT, 2, 9, "0:0a 1:0b 3:0c"}, /* a second `default` says nothing */
	    {HD_HINT_DEFAULT, HD_HINT_DELAY, 9, 2, "0:0a 1:0b 3:0c"},
	    {HD_HINT_HOLD_MEM, HD_HINT_MAY_REPLAY, 2, 4, "0:0a 1:0b 5:0c"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, 1);
		rig_put(r, plain(5), delay(1));
		rig_put(r, plain(6), both(with(rows[i].first, rows[i].first_number), with(rows[i].second, rows[i].second_number)));
		rig_put(r, plain(7), delay(1));
		end(r, 3, rows[i].expected);
	}
}

/* A boost or lower states no delay beside another hint, and begins behind that hint's delay. d of warp 0 is at the head in 3, or in 4 with a delay of
 * two, and warp 0 yields for three cycles from then on. Then warp 1 does, from its d on. The sample of cycle 4 puts warp 1 first in 7 to 10. */
TEST(a_lower_has_a_delay_of_its_own)
{
	static const char without[] = "0:0a 1:0b 2:0c 3:1a 4:1b 5:1c 6:0d 7:0e 8:0f 9:1d 10:1e 11:0g 13:1f 14:1g",
	                  behind[] = "0:0a 1:0b 2:0c 3:1a 4:1b 5:1c 6:0d 7:0e 8:0f 9:0g 10:1d 12:1e 13:1f 14:1g",
	                  alone[] = "0:0a 1:0b 2:0c 3:1a 4:0d 5:0e 6:0f 7:0g 9:1b 10:1c 12:1d 13:1e 14:1f 15:1g";
	static const struct {
		unsigned first, second, honoured;
		const char *expected;
		unsigned lowers;
	} rows[] = {
	    {HD_HINT_LOWER << 4 | 3, 0, 1, without, 2},
	    {HD_HINT_DELAY << 4 | 2, HD_HINT_LOWER << 4 | 3, 1, behind, 2},
	    {HD_HINT_LOWER << 4 | 3, HD_HINT_DELAY << 4 | 2, 1, behind, 2},
	    {HD_HINT_LOWER << 4 | 3, HD_HINT_DELAY << 4 | 2, 0, alone, 0},
	    {HD_HINT_BOOST << 4 | 9, HD_HINT_LOWER << 4 | 3, 1, without, 2}, /* the second one counts */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(2, 1);
		r->machine.predecode_boost = rows[i].honoured;
		for (unsigned k = 0; k < 7; k++)
			rig_put(r, plain(5 + k), k == 2 ? both(rows[i].first, rows[i].second) : delay(1));
		rig_exit(r);
		expect(r, 7, rows[i].expected);
		assert_int_equal(r->stats.predecode_lowers, rows[i].lowers);
		rig_free(r);
	}
}

/* The number of a boost or lower never delays; both are as `default` when both are there. */
TEST(two_priorities_are_as_default)
{
	for (unsigned order = 0; order < 2; order++) {
		rig *r = begin(1, 1);
		uint8_t boost = with(HD_HINT_BOOST, 9), lower = with(HD_HINT_LOWER, 7);
		r->machine.predecode_default_delay = 3;
		rig_put(r, plain(5), order ? both(boost, lower) : both(lower, boost));
		rig_put(r, plain(6), both(0, lower)); /* the first hint is `default` */
		rig_put(r, plain(7), delay(1));
		rig_exit(r);
		expect(r, 3, "0:0a 3:0b 6:0c");
		assert_int_equal(r->stats.predecode_boosts, !order);
		assert_int_equal(r->stats.predecode_lowers, order ? 2 : 1);
		rig_free(r);
	}
}

/* The delay of `default` counts neither for a second `default` nor for a boost or lower beside another hint. */
TEST(the_delay_of_default_does_not_count)
{
	static const struct {
		unsigned first, second;
	} rows[] = {{HD_HINT_DELAY << 4 | 2, 9}, {HD_HINT_LOWER << 4 | 3, HD_HINT_DELAY << 4 | 2}, {HD_HINT_DELAY << 4 | 2, HD_HINT_BOOST << 4 | 3}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, 1);
		r->machine.predecode_default_delay = 4;
		rig_put(r, plain(5), both(rows[i].first, rows[i].second));
		rig_put(r, plain(6), delay(1));
		end(r, 2, "0:0a 2:0b");
	}
}

/* A pair opens whatever stands beside `pair`. Where it is split, the longer number counts. */
TEST(a_pair_stands_beside_another_hint)
{
	static const struct {
		unsigned first, second, width;
		const char *expected;
	} rows[] = {
	    {HD_HINT_PAIR << 4 | 3, HD_HINT_DELAY << 4 | 5, 2, "0:0a 1:0b 1:0c"},
	    {HD_HINT_DELAY << 4 | 5, HD_HINT_PAIR << 4 | 3, 2, "0:0a 1:0b 1:0c"},
	    {HD_HINT_PAIR << 4 | 3, HD_HINT_DELAY << 4 | 5, 1, "0:0a 1:0b 6:0c"},
	    {HD_HINT_PAIR << 4 | 5, HD_HINT_DELAY << 4 | 3, 1, "0:0a 1:0b 6:0c"},
	    {HD_HINT_WAIT << 4 | 4, HD_HINT_PAIR << 4 | 1, 2, "0:0a 5:0b 5:0c"},
	    {HD_HINT_WAIT << 4 | 4, HD_HINT_PAIR << 4 | 1, 1, "0:0a 5:0b 6:0c"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, rows[i].width);
		rig_put(r, plain(5), delay(1));
		rig_put(r, plain(6), both(rows[i].first, rows[i].second));
		rig_put(r, coord(7), delay(1));
		end(r, 3, rows[i].expected);
	}
}

/* A store to shared memory, two lanes to a bank, opens a pair and is refused: it is at the stage in 9, and its replay issues in 10. Without
 * may_replay the unit works it off. */
TEST(the_first_of_a_pair_is_refused)
{
	for (unsigned marked = 0; marked < 2; marked++) {
		rig *r = rig_new(1024);
		r->machine.machine_schedulers = 1;
		r->machine.predecode_buffer = 64;
		r->machine.predecode_prefetch = 8;
		r->machine.predecode_issue_width = 2;
		r->kernel.shared_bytes = 16384;
		rig_put(r, coord(21), delay(15));
		rig_put(r, movc(2, 16), delay(15));
		rig_put(r, movc(3, 17), delay(15));
		rig_put(r, alui(HD_OP_IMUL, 20, 21, 8), delay(15));
		rig_put(r, alui(HD_OP_SHL, 1, 21, 2), delay(15));
		rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, primary(store(HD_OP_STS, 20, 0, 21), 6), both(with(HD_HINT_PAIR, 1), marked ? with(HD_HINT_MAY_REPLAY, 0) : 0));
		rig_put(r, plain(5), delay(1));
		for (unsigned k = 0; k < 2; k++)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, primary(waits(load(HD_OP_LDS, 22, 20, 0), 6), 5), delay(1));
		rig_put(r, waits(store(HD_OP_STG, 2, 0, 22), 5), delay(1));
		rig_exit(r);
		expect(r, 2, marked ? "0:0a 0:0b 10:0A" : "0:0a 0:0b");
		assert_int_equal(r->stats.predecode_pairs, 1);
		assert_int_equal(r->stats.predecode_replays, marked);
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(rig_out(r, lane), lane);
		rig_free(r);
	}
}

/* A hold beside a delay: a of warp 1 holds, too, and goes before b of warp 0. */
TEST(a_hold_stands_beside_another_hint)
{
	for (unsigned order = 0; order < 2; order++) {
		rig *r = begin(2, 1);
		uint8_t hold = with(HD_HINT_HOLD_MEM, 1);
		rig_put(r, plain(5), order ? both(hold, delay(1)) : both(delay(1), hold));
		rig_put(r, plain(6), delay(1));
		rig_put(r, plain(7), delay(1));
		end(r, 3, "0:0a 1:1a 2:0b 3:0c 5:1b 6:1c");
	}
}

/* Of two holds one waits for memory, so the instruction does. The load misses, so the wait is long. */
TEST(two_holds_hold_together)
{
	for (unsigned order = 0; order < 2; order++) {
		rig *r = begin(1, 1);
		uint8_t plain_hold = with(HD_HINT_HOLD, 4), other = with(HD_HINT_HOLD_REPLAY_MEM, 4);
		((uint32_t *)hd_memory_at(r->memory, r->out, 8))[0] = 41;
		rig_put(r, load(HD_OP_LDG, 5, 2, 0), delay(1));
		rig_put(r, alui(HD_OP_IADD, 6, 5, 1), order ? both(plain_hold, other) : both(other, plain_hold));
		rig_put(r, store(HD_OP_STG, 2, 64, 6), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(rig_out(r, 16), 42);
		assert_true(r->stats.stall_hold > 100);
		rig_free(r);
	}
}

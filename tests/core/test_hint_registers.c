/* Hint registers (PD-25): what they hold and when, and what the scheduler does with it, issue by issue. */
#include "timeline.h"

#include "core/issue/hint_registers.h"

static hd_hint_registers *registers_new(void)
{
	hd_hint_registers *h = hd_xcalloc(1, sizeof *h);
	return h;
}

TEST(a_register_holds_four_bytes_from_its_cycle_on)
{
	hd_hint_registers *h = registers_new();
	unsigned byte = 999;
	assert_false(hd_hints_find(h, 3, 0, 100, &byte)); /* empty, also for instruction 0 */
	hd_hints_write(h, 3, 20, 0x44332211, 50);
	assert_false(hd_hints_find(h, 3, 20, 49, &byte));
	for (unsigned i = 0; i < 4; i++) {
		assert_true(hd_hints_find(h, 3, 20 + i, 50, &byte));
		assert_int_equal(byte, 0x11 * (i + 1));
	}
	assert_false(hd_hints_find(h, 3, 19, 50, &byte));
	assert_false(hd_hints_find(h, 3, 24, 50, &byte));
	assert_false(hd_hints_find(h, 2, 20, 50, &byte)); /* another warp */
	hd_hints_clear(h, 2);
	assert_true(hd_hints_find(h, 3, 20, 50, &byte));
	hd_hints_clear(h, 3);
	assert_false(hd_hints_find(h, 3, 20, 50, &byte));
	free(h);
}

TEST(hints_takes_the_register_that_was_written_longer_ago)
{
	hd_hint_registers *h = registers_new();
	unsigned byte = 999;
	hd_hints_write(h, 0, 10, 0x11111111, 5);
	hd_hints_write(h, 0, 14, 0x22222222, 6);
	assert_true(hd_hints_find(h, 0, 10, 6, &byte) && byte == 0x11);
	assert_true(hd_hints_find(h, 0, 14, 6, &byte) && byte == 0x22);
	hd_hints_write(h, 0, 18, 0x33333333, 9); /* nothing until it is written, and the old data are gone */
	assert_false(hd_hints_find(h, 0, 10, 8, &byte));
	assert_false(hd_hints_find(h, 0, 18, 8, &byte));
	assert_true(hd_hints_find(h, 0, 14, 8, &byte) && byte == 0x22);
	/* For one instruction the register that was taken last counts, once it is written. */
	hd_hints_write(h, 0, 17, 0x44444444, 20);
	assert_true(hd_hints_find(h, 0, 18, 19, &byte) && byte == 0x33);
	assert_true(hd_hints_find(h, 0, 18, 20, &byte) && byte == 0x44);
	free(h);
}

static hd_inst hints(unsigned between, unsigned first, unsigned second, unsigned third, unsigned fourth)
{
	hd_inst inst = inst_(HD_OP_HINTS);
	inst.a = (uint8_t)between;
	inst.imm = (int32_t)(first | second << 8 | third << 16 | fourth << 24);
	return inst;
}

static rig *begin_with_registers(unsigned warps, unsigned width)
{
	rig *r = begin(warps, width);
	r->machine.predecode_carrier = HD_CARRIER_REGISTER;
	return r;
}

/* The bytes of the line (delay 15) mean nothing. The write comes a cycle too late for the next instruction, b, and in time for c and d. */
TEST(a_byte_counts_when_it_is_written)
{
	static const struct {
		unsigned between, latency;
		const char *expected;
	} rows[] = {
	    {0, 1, "0:0a 1:0b 2:0c 5:0d 9:0e 14:0f"}, /* b: no delay yet; c 3, d 4, e 5 */
	    {1, 1, "0:0a 1:0b 2:0c 4:0d 7:0e 11:0f"}, /* c 2, d 3, e 4 */
	    {1, 2, "0:0a 1:0b 2:0c 3:0d 6:0e 10:0f"}, /* c issues a cycle too early */
	    {2, 1, "0:0a 1:0b 2:0c 3:0d 5:0e 8:0f"},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin_with_registers(1, 1);
		r->machine.latency[HD_CLASS_NOP].latency = rows[i].latency;
		rig_put(r, hints(rows[i].between, delay(2), delay(3), delay(4), delay(5)), delay(15));
		for (unsigned k = 0; k < 5; k++)
			rig_put(r, plain(5 + k), delay(15));
		rig_exit(r);
		expect(r, 6, rows[i].expected);
		assert_int_equal(r->stats.predecode_hint_writes, 1);
		rig_free(r);
	}
}

/* PD-6, PD-7: a wait is read when the instruction becomes the warp's next one, the hint of a pair's second when the pair issues. */
TEST(waits_and_pairs_come_from_registers)
{
	rig *r = begin_with_registers(1, 1);
	rig_put(r, hints(1, delay(1), hold_back(4), delay(1), delay(1)), delay(1));
	for (unsigned k = 0; k < 4; k++)
		rig_put(r, plain(5 + k), delay(1));
	end(r, 5, "0:0a 1:0b 2:0c 7:0d 8:0e");
	r = begin_with_registers(1, 2);
	rig_put(r, hints(1, with(HD_HINT_PAIR, 3), delay(5), delay(1), delay(1)), delay(1));
	rig_put(r, plain(5), delay(1));
	rig_put(r, plain(6), delay(1));
	rig_put(r, coord(7), delay(1)); /* of another pipe: the pair */
	rig_put(r, plain(8), delay(1));
	end(r, 5, "0:0a 1:0b 2:0c 2:0d 7:0e");
	/* The second waits by its own byte: no pair. */
	r = begin_with_registers(1, 2);
	rig_put(r, hints(1, with(HD_HINT_PAIR, 3), hold_back(2), delay(1), delay(1)), delay(1));
	rig_put(r, plain(5), delay(1));
	rig_put(r, plain(6), delay(1));
	rig_put(r, coord(7), delay(1));
	end(r, 4, "0:0a 1:0b 2:0c 5:0d");
}

/* PD-8: in cycle 12 both warps are ready. Warp 1 goes before warp 0, which comes first by age, because its f holds. */
TEST(a_hold_comes_from_a_register)
{
	static const char *const expected[] = {"0:0a 1:1a 2:0b 3:1b 4:0c 6:1c 7:0d 8:1d 9:0e 10:1e 11:0f 12:0g 13:1f 14:0h 15:1g 17:1h",
	                                       "0:0a 1:1a 2:0b 3:1b 4:0c 6:1c 7:0d 8:1d 9:0e 10:1e 11:0f 12:1f 13:0g 14:1g 15:0h 16:1h"};
	for (unsigned hold = 0; hold < 2; hold++) {
		rig *r = begin_with_registers(2, 1);
		r->machine.predecode_hold = hold;
		r->machine.predecode_default_delay = 2;
		rig_put(r, hints(4, with(HD_HINT_HOLD_MEM, 1), 0, 0, 0), delay(1));
		for (unsigned i = 0; i < 7; i++)
			rig_put(r, plain(5 + i), delay(1));
		end(r, 8, expected[hold]);
	}
}

/* PD-10: the load/store unit refuses a part of the lanes, two to a bank, by the hint that the instruction was issued with. */
TEST(a_register_says_that_an_instruction_may_be_refused)
{
	static const struct {
		unsigned between;
		hd_hint hint;
		bool refused;
	} rows[] = {{2, HD_HINT_MAY_REPLAY, true}, {2, HD_HINT_DELAY, false}, {3, HD_HINT_MAY_REPLAY, false} /* its byte is another one's */};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin_with_registers(1, 1);
		rig_put(r, alui(HD_OP_SHL, 4, 0, 3), delay(1));
		rig_put(r, hints(rows[i].between, with(rows[i].hint, 1), delay(1), delay(1), delay(1)), delay(1));
		for (unsigned k = 0; k < 2; k++)
			rig_put(r, inst_(HD_OP_NOP), delay(1));
		rig_put(r, load(HD_OP_LDS, 8, 4, 0), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		assert_int_equal(r->stats.predecode_replays > 0, rows[i].refused);
		rig_free(r);
	}
}

/* With another carrier the instruction takes its slot and does nothing; so it does with a scoreboard, which needs no delays. */
TEST(elsewhere_hints_does_nothing)
{
	for (unsigned i = 0; i < 2; i++) {
		rig *r = i ? begin_with_registers(1, 1) : begin(1, 1);
		r->machine.fence_mode = i ? HD_DEP_SCOREBOARD : HD_DEP_FENCE;
		rig_put(r, hints(1, delay(9), delay(9), delay(9), delay(9)), delay(1));
		for (unsigned k = 0; k < 3; k++)
			rig_put(r, plain(5 + k), delay(1));
		rig_exit(r);
		expect(r, 4, "0:0a 1:0b 2:0c 3:0d");
		assert_int_equal(r->stats.predecode_hint_writes, 0);
		rig_free(r);
	}
}

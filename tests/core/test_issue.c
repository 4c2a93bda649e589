/* The scheduler's knowledge beyond the hints: how full a queue is, which results are certain, and with a window who waits for memory. */
#include "timeline.h"

/* A delay of more than a cycle counts from when the queue can hand on what was sent: b still stands before c, as an instruction enters every third
 * cycle. Without that d would come to the queue too soon and keep a place there, as its distance is kept anyway (rule 2). */
TEST(a_delay_counts_behind_what_the_queue_holds)
{
	static const char *const expected[] = {"0:0a 1:0b 2:0c 3:0d", "0:0a 1:0b 2:0c 7:0d", "0:0a 1:0b 2:0c 7:0d"};
	for (unsigned i = 0; i < HD_COUNT(expected); i++) {
		rig *r = begin(1, 1);
		r->machine.latency[HD_CLASS_ALU].interval = 3;
		r->machine.multi_issue_window = i == 2 ? 4 : 1;
		rig_put(r, plain(5), delay(1));
		rig_put(r, plain(6), delay(1));
		rig_put(r, plain(7), delay(i ? 4 : 1));
		rig_put(r, plain(8), delay(1));
		end(r, 4, expected[i]);
	}
}

/* HZ-21, rule 3: a counter that only the decoder looks at falls in the cycle before the write, when that is certain, so that the consumer enters in
 * the cycle of the write. A cycle sooner and it would read what was there before. A low-latency counter falls with the write: the queue waits for it.
 * HZ-9: without fence.early every counter falls with the write, and the decoder sends a cycle later. */
TEST(the_decoder_hears_of_a_result_a_cycle_early)
{
	for (unsigned n = 0; n < 10; n++) { /* a latency shorter than 4, and the refill of the flushed buffer takes longer */
		unsigned latency = 4 + n / 2, early = n % 2;
		for (unsigned counter = 1; counter <= 6; counter += 5) {
			char expected[32];
			rig *r = begin(1, 1);
			r->machine.fence_early = early;
			r->machine.latency[HD_CLASS_COORD].latency = latency;
			rig_put(r, primary(coord(5), counter), delay(1));
			rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 100), counter), delay(15));
			rig_put(r, alui(HD_OP_SHL, 1, 0, 2), delay(15));
			rig_put(r, alu(HD_OP_IADD, 2, 2, 1, HD_RZ), delay(15));
			rig_put(r, store(HD_OP_STG, 2, 0, 6), delay(1));
			rig_exit(r);
			unsigned at = counter == 6 ? latency + !early : 1;
			snprintf(expected, sizeof expected, "0:0a %u:0b %u:0c", at, at + 15);
			expect(r, 3, expected);
			for (unsigned lane = 0; lane < 32; lane++)
				assert_int_equal(rig_out(r, lane), lane + 100);
			rig_free(r);
		}
	}
}

/* Warp 0 waits for its load. Without a window the scheduler does not know, and loses the slot in which the decoder says so (HZ-21); what is no
 * candidate is not chosen, so that the other warp has that slot (MI-2). */
TEST(what_waits_for_memory_is_no_candidate)
{
	for (unsigned window = 1; window <= 4; window += 3) {
		rig *r = begin(2, 1);
		r->machine.multi_issue_window = window;
		rig_put(r, primary(load(HD_OP_LDG, 5, 2, 0), 6), delay(1));
		rig_put(r, waits(alui(HD_OP_IADD, 6, 5, 1), 6), delay(1));
		rig_exit(r);
		expect(r, 1, window == 1 ? "0:0a 2:1a" : "0:0a 1:1a");
		assert_int_equal(r->stats.fence_descheduled, 2);
		rig_free(r);
	}
}

/* A wait behind a longer delay changes nothing: both count from the issue before. */
TEST(a_wait_within_a_delay)
{
	rig *r = begin(1, 1);
	rig_put(r, plain(5), delay(6));
	rig_put(r, plain(6), hold_back(2));
	rig_put(r, plain(7), delay(1));
	end(r, 3, "0:0a 6:0b 7:0c");
}

/* HZ-21: who waits for two counters is decoded again when both are clear, not with each. */
TEST(two_counters_bring_a_warp_back_once)
{
	rig *r = begin(1, 1);
	r->machine.latency[HD_CLASS_COORD].latency = 20;
	r->machine.latency[HD_CLASS_SFU].latency = 60;
	rig_put(r, primary(coord(5), 5), delay(1));
	rig_put(r, primary(sfu(6), 6), delay(1));
	rig_put(r, waits(waits(alu(HD_OP_IADD, 7, 5, 6, HD_RZ), 5), 6), delay(1));
	rig_exit(r);
	expect(r, 3, "0:0a 1:0b 61:0c");
	assert_int_equal(r->stats.fence_descheduled, 1);
	rig_free(r);
}

/* Sixteen warps between whose additions a branch stands: who was held up in the queue would come to it again too soon behind the branch. */
TEST(what_would_be_too_near_stays_in_the_window)
{
	rig *r = begin(16, 1);
	r->machine.multi_issue_window = 4;
	rig_put(r, movi(5, 0), delay(4));
	for (unsigned i = 0; i < 10; i++) {
		if (i % 3 == 0)
			rig_put(r, alui(HD_OP_IMUL, 6, 5, 3), delay(1));
		rig_put(r, alui(HD_OP_IADD, 7, 5, 3), delay(1));
		uint32_t at = rig_put(r, branch(HD_OP_BRA, 0), delay(1));
		r->slots[at].inst.imm = (int32_t)rig_here(r);
		rig_put(r, alui(HD_OP_IADD, 8, 5, 3), delay(i % 2 ? 4 : 1));
		rig_put(r, alui(HD_OP_IADD, 9, 5, 3), delay(1));
	}
	rig_exit(r);
	assert_true(rig_run(r));
	assert_in_range(r->stats.fence_spacing_cycles, 1, 40); /* otherwise 66 */
	rig_free(r);
}

/* The decoder's checks and the wait counters: HZ-17, HZ-18, HZ-21, HZ-22; and what is worked out of an instruction before the run:
 * HZ-20, PD-1, PD-2, PD-3. */
#include "core/issue/deschedule.h"
#include "core/issue/wait_counters.h"
#include "stage_rig.h"

/* HZ-17 */
TEST(wait_counters_count_secondaries)
{
	hd_waiters waiters = {0};
	hd_waiters_raise(&waiters, 2, 0x5);
	hd_waiters_raise(&waiters, 2, 0x4);
	assert_int_equal(waiters.flags[2], 5);
	assert_int_equal(waiters.value[2][2], 2);
	assert_int_equal(hd_waiters_lower(&waiters, 2, 0x4), 0);
	assert_int_equal(hd_waiters_lower(&waiters, 2, 0x5), 5);
	assert_int_equal(waiters.flags[2], 0);
	assert_int_equal(waiters.flags[1] | waiters.flags[3], 0);
}

/* HZ-36: where it is published later, a wait counter at zero keeps its flag until then, and for longer if it was raised again. */
TEST(wait_counters_are_published_later)
{
	hd_waiters waiters = {.late = {.on = true}};
	hd_waiters_raise(&waiters, 2, 0x5);
	assert_int_equal(hd_waiters_lower(&waiters, 2, 0x5), 0);
	assert_int_equal(waiters.flags[2], 5);
	hd_waiters_raise(&waiters, 2, 0x4);
	assert_true(hd_waiters_publish_late(&waiters, 0, 2));
	assert_int_equal(waiters.flags[2], 4);
	assert_int_equal(waiters.late.any[0], 0);
	assert_int_equal(hd_waiters_lower(&waiters, 2, 0x4), 0);
	hd_late_ask(&waiters.late);
	assert_false(hd_waiters_publish_late(&waiters, 0, 2));
	assert_true(hd_waiters_publish_late(&waiters, 1, 2));
	assert_int_equal(waiters.flags[2] | waiters.late.any[1], 0);
}

/* HZ-18: a primary only when nobody waits for its counter. HZ-21: a secondary only when its high-latency counters are clear; both checks. */
TEST(verdicts)
{
	hd_static row = {.primary = 2, .at_issue = 0x30, .at_queue = 0x1};
	uint16_t watch = 0;
	assert_int_equal(hd_decoder_check(&row, 0, 0, 0, &watch), HD_SEND);
	assert_int_equal(hd_decoder_check(&row, 0xf, 0xd, 0xd, &watch), HD_SEND);
	assert_int_equal(hd_decoder_check(&row, 0x2f, 0, 0, &watch), HD_WAIT_FENCE);
	assert_int_equal(watch, 0x20);
	assert_int_equal(hd_decoder_check(&row, 0xf, 0, 0x2, &watch), HD_WAIT_WAITERS);
	assert_int_equal(watch, 0x2);
	assert_int_equal(hd_decoder_check(&row, 0x30, 0x2, 0x2, &watch), HD_WAIT_FENCE);
	assert_int_equal(watch, 0x30);
	/* Its own counter is full: it waits for room; with secondaries of an earlier primary in a queue, for them first. */
	assert_int_equal(hd_decoder_check(&row, 0x2, 0x2, 0, &watch), HD_WAIT_ROOM);
	assert_int_equal(watch, 0x2);
	assert_int_equal(hd_decoder_check(&row, 0x2, 0x2, 0x2, &watch), HD_WAIT_WAITERS);
	assert_int_equal(hd_decoder_check(&row, 0x12, 0x2, 0x2, &watch), HD_WAIT_FENCE);
	row.primary = 0;
	assert_int_equal(hd_decoder_check(&row, 0xf, 0xf, 0xf, &watch), HD_SEND);
}

static const hd_static *row_of(rig *r, hd_code **code, uint32_t at)
{
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = (r->words + 7) & ~7u};
	*code = hd_code_new(&r->machine, &r->program, false);
	return &(*code)->at[at];
}

/* HZ-20, HZ-22: the mask is split; only the low-latency part goes to the queue (and to wait counters). */
TEST(masks_are_split)
{
	rig *r = rig_new(1);
	hd_code *code;
	uint32_t at = rig_put(r, waits(waits(waits(movi(1, 1), 1), 4), 5), 0), nop = rig_put(r, waits(inst_(HD_OP_NOP), 1), 0);
	const hd_static *row = row_of(r, &code, at);
	assert_int_equal(row->at_queue, 0x9);
	assert_int_equal(row->at_issue, 0x10);
	assert_int_equal(row[nop - at].at_issue, 0x1); /* no queue to wait in */
	hd_code_free(code);
	r->machine.fence_high_latency = 0;
	row = row_of(r, &code, at);
	assert_int_equal(row->at_queue, 0x19);
	assert_int_equal(row->at_issue, 0);
	hd_code_free(code);
	rig_free(r);
}

/* The decoder sends a warp back: the instruction is fetched and decoded again (HZ-18, HZ-21). The slot has its cause. */
TEST(a_warp_that_is_sent_back_is_fetched_anew)
{
	static const hd_stall causes[] = {
	    [HD_WAIT_FENCE] = HD_STALL_HIGH_LATENCY, [HD_WAIT_WAITERS] = HD_STALL_WAIT_COUNTER, [HD_WAIT_ROOM] = HD_STALL_COUNTER_FULL};
	for (unsigned verdict = HD_WAIT_FENCE; verdict <= HD_WAIT_ROOM; verdict++) {
		for (unsigned slot = 0; slot < 2; slot++) {
			rig *r = rig_new(1);
			r->launch.block[0] = 64;
			for (unsigned i = 0; i < 4; i++)
				rig_put(r, movi(1, 1), 0);
			stage_rig *t = stage_new(r);
			stage_start(t);
			t->s->flow[1].pc = 3;
			t->s->fetch.want = 0;
			hd_deschedule(t->core, t->s, 1, (hd_verdict)verdict, slot, 10);
			assert_int_equal(t->s->descheduled, 2);
			assert_int_equal(t->s->for_waiters, verdict == HD_WAIT_WAITERS ? 2 : 0);
			assert_int_equal(t->s->for_room, verdict == HD_WAIT_ROOM ? 2 : 0);
			assert_int_equal(t->s->fetch.starved, 2);
			assert_int_equal(t->s->fetch.want, 2);
			assert_int_equal(t->s->fetch.have[1], 3);
			assert_int_equal(t->s->fetch.buffered[1], 0);
			assert_int_equal(t->s->stall[causes[verdict]], slot);
			assert_int_equal(r->stats.predecode_flushes, 1);
			stage_free(t);
		}
	}
}

/* PD-27: a warp whose branch is undecided is not de-scheduled. It waits for the decision, keeps its instructions, and is decoded again behind it. */
TEST(pd_27_a_warp_that_guesses_waits_for_its_branch)
{
	for (unsigned slot = 0; slot < 2; slot++) {
		rig *r = rig_new(1);
		r->launch.block[0] = 64;
		for (unsigned i = 0; i < 4; i++)
			rig_put(r, movi(1, 1), 0);
		stage_rig *t = stage_new(r);
		stage_start(t);
		t->s->guessing = 2;
		t->s->fetch.buffered[1] = 3;
		hd_deschedule(t->core, t->s, 1, HD_WAIT_ROOM, slot, 10);
		assert_int_equal(t->s->deciding, 2);
		assert_int_equal(t->s->descheduled | t->s->for_waiters | t->s->for_room, 0);
		assert_int_equal(t->s->fetch.buffered[1], 3);
		assert_int_equal(t->s->stall[HD_STALL_COUNTER_FULL], slot);
		assert_int_equal(r->stats.fence_descheduled | r->stats.predecode_flushes, 0);
		assert_int_equal(r->stats.predecode_decoded, 1);
		stage_free(t);
	}
}

/* PD-1: scheduling words take no issue slot. */
TEST(sequence_skips_scheduling_words)
{
	assert_int_equal(hd_after(HD_GEOMETRY_LINE, 1), 2);
	assert_int_equal(hd_after(HD_GEOMETRY_LINE, 7), 9);
	assert_int_equal(hd_after(HD_GEOMETRY_LINE, 15), 17);
	rig *r = rig_new(1);
	hd_code *code;
	for (int i = 0; i < 8; i++)
		rig_put(r, movi(1, 1), 0);
	const hd_static *row = row_of(r, &code, 0);
	assert_int_equal(row[0].kind, HD_KIND_BAD);
	assert_int_equal(row[8].kind, HD_KIND_BAD);
	assert_false(hd_code_target(code, 8));
	assert_true(hd_code_target(code, 9));
	assert_false(hd_code_target(code, 16));
	assert_false(hd_code_target(code, UINT64_C(1) << 40));
	assert_int_equal(row[16].kind, HD_KIND_BAD);
	hd_code_free(code);
	rig_free(r);
}

/* PD-2, PD-4 to PD-10: delay and hint of a byte, with everything honoured and with nothing. PD-3: the other carriers. */
TEST(hints)
{
	hd_machine machine;
	hd_slot slot = {0};
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	machine.predecode_issue_width = 2;
	enum { HOLD = HD_EFFECT_HOLD, MEMORY = HD_EFFECT_WAIT_MEMORY, PASS = HD_EFFECT_PASS_REPLAY };
	static const struct {
		hd_hint hint;
		unsigned number;
		hd_meaning means;
	} rows[] = {
	    {HD_HINT_DEFAULT, 9, {1, 0, 0, 0}},
	    {HD_HINT_DELAY, 9, {9, 0, 0, 0}},
	    {HD_HINT_DELAY, 0, {1, 0, 0, 0}},
	    {HD_HINT_WAIT, 9, {1, 9, 0, 0}},
	    {HD_HINT_PAIR, 9, {9, 0, HD_EFFECT_PAIR, 0}},
	    {HD_HINT_PAIR, 0, {1, 0, HD_EFFECT_PAIR, 0}},
	    {HD_HINT_HOLD, 9, {9, 0, HOLD | MEMORY, 0}},
	    {HD_HINT_HOLD_REPLAY, 1, {1, 0, HOLD | MEMORY | PASS, 0}},
	    {HD_HINT_HOLD_MEM, 0, {1, 0, HOLD, 0}},
	    {HD_HINT_HOLD_REPLAY_MEM, 2, {2, 0, HOLD | PASS, 0}},
	    {HD_HINT_BOOST, 9, {1, 0, HD_EFFECT_BOOST, 9}},
	    {HD_HINT_BOOST, 0, {1, 0, 0, 0}},
	    {HD_HINT_LOWER, 9, {1, 0, HD_EFFECT_LOWER, 9}},
	    {HD_HINT_MAY_REPLAY, 3, {3, 0, HD_EFFECT_REPLAY, 0}},
	    {HD_HINT_DELAY_ALU, 5, {5, 0, 0, 0}},
	    {HD_HINT_DELAY_REST, 0, {1, 0, 0, 0}},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		slot.predecode = (uint8_t)(rows[i].number | rows[i].hint << 4);
		hd_meaning m = hd_code_hint(&machine, &slot);
		assert_memory_equal(&m, &rows[i].means, sizeof m);
		hd_machine without = machine;
		without.predecode_pair = without.predecode_hold = without.predecode_boost = without.predecode_replay = 0;
		m = hd_code_hint(&without, &slot);
		assert_int_equal(m.effects, 0);
		assert_int_equal(m.delay, rows[i].means.delay);
		assert_int_equal(m.wait, rows[i].means.wait);
	}
	/* One decoder: no pairs (PD-14). */
	machine.predecode_issue_width = 1;
	slot.predecode = HD_HINT_PAIR << 4;
	assert_int_equal(hd_code_hint(&machine, &slot).effects, 0);
	/* PD-4: what `default` does is programmable. */
	static const hd_meaning defaults[] = {{3, 0, 0, 0}, {1, 3, 0, 0}, {3, 0, HOLD, 0}, {3, 0, HD_EFFECT_REPLAY, 0}};
	machine.predecode_default_delay = 3;
	slot.predecode = 0;
	for (unsigned i = 0; i < HD_COUNT(defaults); i++) {
		machine.predecode_default_hint = (hd_default_hint)i;
		hd_meaning m = hd_code_hint(&machine, &slot);
		assert_memory_equal(&m, &defaults[i], sizeof m);
	}
	machine.predecode_default_hint = HD_DEFAULT_DELAY;
	machine.predecode_carrier = HD_CARRIER_INSTRUCTION;
	slot.inst.hint3 = 6;
	slot.predecode = delay(11);
	assert_int_equal(hd_code_hint(&machine, &slot).delay, 6);
	/* PD-28: by the table of the program every hint */
	machine.predecode_issue_width = 2;
	slot.by_table = HD_HINT_PAIR << 4 | 11;
	assert_int_equal(hd_code_hint(&machine, &slot).delay, 6);
	machine.predecode_hint_table = 1;
	assert_int_equal(hd_code_hint(&machine, &slot).delay, 11);
	assert_int_equal(hd_code_hint(&machine, &slot).effects, HD_EFFECT_PAIR);
	machine.predecode_carrier = HD_CARRIER_NONE;
	machine.predecode_decode_cycles = 2;
	assert_int_equal(hd_code_hint(&machine, &slot).delay, 1);
	assert_int_equal(hd_code_hint(&machine, &slot).wait, 2);
}

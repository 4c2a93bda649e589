/* Decoders ahead of the scheduler, and replays that are fetched again (PD-39): the baselines of pre-decode data and of the replay buffer. */
#include "core/fetch/fetch.h"
#include "timeline.h"

static rig *begin_ahead(unsigned warps, unsigned width, unsigned ahead)
{
	rig *r = begin(warps, width);
	if (ahead) {
		r->machine.predecode_carrier = HD_CARRIER_AHEAD;
		r->machine.predecode_fifo = 32;
		r->machine.predecode_fifo_rate = 8;
	} else {
		r->machine.predecode_carrier = HD_CARRIER_NONE;
	}
	return r;
}

/* Without a carrier each instruction waits for its decoder; decoded ahead, none does. Pre-decode bytes mean nothing in either. */
TEST(nothing_waits_for_a_decoder)
{
	for (unsigned ahead = 0; ahead < 2; ahead++) {
		rig *r = begin_ahead(1, 1, ahead);
		rig_put(r, plain(5), delay(9));
		rig_put(r, coord(6), with(HD_HINT_WAIT, 9));
		rig_put(r, plain(7), with(HD_HINT_PAIR, 9));
		end(r, 3, ahead ? "0:0a 1:0b 2:0c" : "0:0a 3:0b 6:0c");
	}
}

/* b waits for a high-latency counter. A decoder behind the scheduler sends it back, and it is fetched and decoded again; decoders ahead did their
 * work once, and no slot is lost to a check. */
TEST(what_waits_for_a_counter_stays_decoded)
{
	for (unsigned ahead = 0; ahead < 2; ahead++) {
		rig *r = begin_ahead(1, 1, ahead);
		r->machine.predecode_decode_cycles = 0;
		rig_put(r, primary(coord(5), 6), delay(1));
		rig_put(r, waits(sfu(7), 6), delay(1));
		rig_put(r, plain(8), delay(1));
		rig_exit(r);
		expect(r, 3, "0:0a 6:0b 7:0c");
		assert_int_equal(r->stats.fence_descheduled, 1);
		assert_int_equal(r->stats.predecode_flushes, !ahead);
		assert_int_equal(r->stats.predecode_decoded, ahead ? r->stats.predecode_fifo_entries : r->stats.run_issued + 1);
		assert_true(r->stats.predecode_decoded >= r->stats.run_issued);
		rig_free(r);
	}
}

/* Two warps and one slot. The slot that the check of warp 0's b takes is warp 1's where the scheduler knows, so warp 1 is a cycle earlier from then
 * on. */
TEST(a_check_takes_no_slot)
{
	for (unsigned ahead = 0; ahead < 2; ahead++) {
		rig *r = begin_ahead(2, 1, ahead);
		r->machine.predecode_decode_cycles = 0;
		rig_put(r, primary(sfu(5), 6), delay(1));
		rig_put(r, waits(plain(7), 6), delay(1));
		rig_put(r, plain(8), delay(1));
		rig_exit(r);
		expect(r, 3, ahead ? "0:0a 8:1a 14:0b 15:0c 22:1b 23:1c" : "0:0a 9:1a 14:0b 15:0c 23:1b 24:1c");
		assert_int_equal(r->stats.fence_descheduled, 2);
		rig_free(r);
	}
}

/* A decoder works on a line for decode_cycles before its instructions can move. */
TEST(a_decoder_takes_its_time)
{
	uint64_t cycles[2];
	for (unsigned i = 0; i < 2; i++) {
		rig *r = begin_ahead(1, 1, 1);
		r->machine.predecode_decode_cycles = i ? 7 : 0;
		rig_put(r, plain(5), delay(1));
		rig_exit(r);
		assert_true(rig_run(r));
		cycles[i] = r->stats.run_cycles;
		rig_free(r);
	}
	assert_int_equal(cycles[1] - cycles[0], 7);
}

TEST(the_fifo_is_needed)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	machine.predecode_carrier = HD_CARRIER_AHEAD;
	assert_false(hd_machine_validate(&machine, NULL, &diag));
	assert_non_null(strstr(diag.text.at, "predecode.fifo is 0, expected 1 or more with predecode.carrier `ahead`"));
	hd_diag_free(&diag);
	machine.predecode_fifo = 1;
	assert_true(hd_machine_validate(&machine, NULL, &diag));
}

/* -- the decoders of a scheduler ---------------------------------------------------------------------------------------------------- */

/* Three warps with a line each and three decoders: warps without an instruction come first, then the turn goes on. Where none is without one, the
 * turn alone makes the same order. */
TEST(decoders_serve_the_warps_in_turn)
{
	static const uint32_t moved[][3] = {{3, 0, 0}, {3, 3, 0}, {3, 3, 3}, {6, 3, 3}, {7, 5, 3}};
	for (unsigned starved = 0; starved < 2; starved++) {
		hd_machine machine;
		hd_stats stats = {0};
		hd_fetch fetch;
		hd_machine_default(&machine);
		machine.predecode_carrier = HD_CARRIER_AHEAD;
		machine.predecode_fifo = 8;
		machine.predecode_fifo_rate = 3;
		machine.predecode_buffer = 64;
		hd_fetch_init(&fetch, &machine, &stats);
		for (unsigned warp = 0; warp < 3; warp++) {
			hd_fetch_restart(&fetch, warp, 1);
			fetch.buffered[warp] = 7;
			hd_warp_fifos_request(fetch.fifos, &fetch, warp, 7);
			hd_warp_fifos_arrive(fetch.fifos, &fetch, warp);
		}
		fetch.starved = starved ? fetch.starved : 0;
		for (unsigned cycle = 0; cycle < HD_COUNT(moved); cycle++) {
			uint32_t fed, before[3], entries = 0;
			memcpy(before, fetch.have, sizeof before);
			hd_fetch_arrive(&fetch, 100 + cycle, &fed);
			for (unsigned warp = 0; warp < 3; warp++) {
				uint32_t have = fetch.have[warp] - 1 - (fetch.have[warp] > 8);
				assert_int_equal(fed >> warp & 1, fetch.have[warp] != before[warp]);
				assert_int_equal(have, moved[cycle][warp]);
				entries += have;
			}
			assert_int_equal(stats.predecode_decoded, entries);
			assert_int_equal(stats.predecode_fifo_entries, entries);
		}
		hd_fetch_free(&fetch);
	}
}

/* -- replays that are fetched again ------------------------------------------------------------------------------------------------- */

/* Four lanes to a bank: three replays. From the buffer they issue from 10 on. Fetched again, each one's line is looked up when the one before it has
 * issued, and takes the first cache's latency; each takes a decoder. */
TEST(a_replay_is_fetched_again)
{
	hd_stats stats[2];
	for (unsigned again = 0; again < 2; again++) {
		rig *r = begin(1, 1);
		r->machine.predecode_refetch = again;
		r->machine.fetch_l1i_latency = 9;
		for (unsigned i = 0; i < 5; i++)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, alui(HD_OP_SHL, 20, 1, 2), delay(15)); /* four lanes to a bank */
		rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_put(r, store(HD_OP_STS, 20, 0, 21), with(HD_HINT_MAY_REPLAY, 1));
		for (unsigned i = 0; i < 6; i++)
			rig_put(r, inst_(HD_OP_NOP), delay(15));
		rig_exit(r);
		watch w = {.trace = {.event = event}, .until = 9 + 10};
		r->options.trace = &w.trace;
		assert_true(rig_run(r));
		const char *expected = again ? "105:0h 106:0i 123:0H 132:0H 141:0H" : "105:0h 106:0i 115:0H 116:0H 118:0H";
		const char *got = strstr(w.got.at, "105:0h");
		if (!got || strcmp(got, expected) != 0)
			fail_msg("%s, expected %s", w.got.at, expected);
		hd_text_free(&w.got);
		stats[again] = r->stats;
		r->options.trace = NULL;
		r->options.tick_every_cycle = true;
		assert_true(rig_run(r));
		assert_memory_equal(&stats[again], &r->stats, sizeof r->stats);
		rig_free(r);
	}
	assert_int_equal(stats[0].predecode_replays, 3);
	assert_int_equal(stats[1].predecode_replays, 3);
	assert_int_equal(stats[1].predecode_lines - stats[0].predecode_lines, 3);
	assert_int_equal(stats[1].predecode_decoded - stats[0].predecode_decoded, 3);
}

/* The port of the first cache fetches one line a cycle: a second replay of the same cycle comes a cycle later, and no line is requested meanwhile. */
TEST(lines_for_replays_take_the_port)
{
	hd_machine machine;
	hd_stats stats = {0};
	hd_icache l15;
	hd_fetch_port port;
	hd_fetch fetch, *buffers[] = {&fetch};
	hd_machine_default(&machine);
	hd_l2 *l2 = hd_l2_new(&machine);
	hd_icache_init(&l15, 64, 8);
	hd_fetch_port_init(&port, &machine, &l15, l2, &stats, 64 * HD_LINE_WORDS);
	hd_fetch_init(&fetch, &machine, &stats);
	for (uint32_t line = 0; line < 4; line++)
		hd_icache_fill(&port.l1, line, 1);
	hd_fetch_restart(&fetch, 0, 17);
	assert_int_equal(hd_fetch_again(&port, 9, 20), 20 + machine.fetch_l1i_latency);
	assert_int_equal(hd_fetch_again(&port, 9, 20), 21 + machine.fetch_l1i_latency);
	hd_fetch_request(&port, buffers, 1, 20);
	hd_fetch_request(&port, buffers, 1, 21);
	assert_int_equal(fetch.next_line[0], 2);
	hd_fetch_request(&port, buffers, 1, 22);
	assert_int_equal(fetch.next_line[0], 3);
	assert_int_equal(stats.predecode_lines, 3);
	assert_int_equal(hd_fetch_again(&port, 9, 40), 40 + machine.fetch_l1i_latency);
	hd_fetch_free(&fetch);
	hd_fetch_port_free(&port);
	hd_icache_free(&l15);
	hd_l2_free(l2);
}

/* The bits of state that a machine description has, by part. */
#include "../test.h"

#include "config/keys.h"
#include "config/state_bits.h"

/* The published formula: 332 + 332 log2(c + 1) bits a warp with up to c consumers of a register. */
TEST(state_bits_of_scoreboards)
{
	static const uint32_t published[][2] = {{1, 664}, {3, 996}, {63, 2324}};
	hd_machine machine;
	hd_state_bits bits;
	hd_machine_default(&machine);
	for (unsigned i = 0; i < HD_COUNT(published); i++) {
		machine.fence_consumers = published[i][0];
		hd_state_bits_of(&machine, &bits);
		assert_int_equal(bits.scoreboard_warp, published[i][1]);
		assert_int_equal(bits.scoreboard_core, published[i][1] * machine.machine_schedulers * machine.machine_warps);
	}
	uint32_t all = bits.fence_warp;
	machine.fence_counters = 4;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(all - bits.fence_warp, 2 * 13 + 2 * 8 + 2); /* two low-latency counters less */
	machine.fence_wait_counters = false;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.fence_warp, 4 * 13 + 4 + 2 + 9 + 2 * 24 + 5); /* counters, monitor, hint fields, distances in the queues */
}

/* HZ-37: a shared pipe has one queue a core, whose entries name their scheduler. */
TEST(state_bits_of_shared_pipes)
{
	hd_machine machine;
	hd_state_bits own, shared;
	hd_machine_default(&machine);
	machine.machine_schedulers = 3;
	hd_state_bits_of(&machine, &own);
	machine.machine_shared_pipes = 1u << HD_PIPE_F64;
	hd_state_bits_of(&machine, &shared);
	/* 12 entries of 6 counters and 4 bits of distance, 8 of which know an older one in 5 bits, and 4 bits for their number */
	assert_int_equal(own.fence_core - shared.fence_core, 2 * (12 * 10 + 8 * 5 + 4) - 12 * 2);
}

/* RC-22: a resume counter a lane, MINRC, a flag a lane, and the stack of MINRC, return addresses and flags; one comparator or one a lane. */
TEST(state_bits_of_divergence_by_part)
{
	hd_machine machine;
	hd_state_bits bits;
	hd_machine_default(&machine);
	machine.divergence_call_depth = 8;
	machine.machine_schedulers = 3;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.divergence_lanes, 32 * 24);
	assert_int_equal(bits.divergence_minrc, 24);
	assert_int_equal(bits.divergence_members, 32);
	assert_int_equal(bits.divergence_calls, 8 * (24 + 24 + 32) + 4);
	assert_int_equal(bits.divergence_tokens, 0);
	assert_int_equal(bits.gather_warp, 32 * (32 + 32 + 1));
	assert_int_equal(bits.resume_comparators, 3);
	machine.divergence_comparators = HD_COMPARATORS_LANE;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.resume_comparators, 3 * 32);
	machine.divergence_mode = HD_DIV_STACK;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.divergence_tokens, 40 * (2 + 24 + 32) + 6);
	assert_int_equal(bits.gather_warp, 32 * (32 + 32));
	assert_int_equal(bits.divergence_lanes + bits.divergence_minrc + bits.divergence_members + bits.divergence_calls + bits.resume_comparators,
	                 0);
	machine.divergence_tokens = 12; /* RC-21 */
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.divergence_tokens, 12 * (2 + 24 + 32) + 4);
	machine.divergence_mode = HD_DIV_BARRIERS;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.divergence_lanes, 32 * (24 + 5 + 5));
	assert_int_equal(bits.divergence_tokens, 16 * 32 + 6);
	assert_int_equal(bits.divergence_calls, 8 * (24 + 32) + 4);
}

/* RC-22: each mode of divergence pays for its own storage. */
TEST(state_bits_of_divergence)
{
	hd_machine machine;
	hd_machine_default(&machine);
	static const struct {
		hd_divergence mode;
		hd_membership membership;
		uint32_t bits, call, width[3]; /* the width of what is counted up to the calls, or to the tokens: for 1, 7, 49 calls */
	} rows[] = {
	    {HD_DIV_RESUME, HD_MEMBER_FLAG, 33 * 24 + 32, 2 * 24 + 32, {1, 3, 6}},
	    {HD_DIV_RESUME, HD_MEMBER_RANGE, 33 * 24 + 2 * 24, 4 * 24, {1, 3, 6}},
	    {HD_DIV_RESUME, HD_MEMBER_ENTRY, 33 * 24 + 24, 3 * 24, {1, 3, 6}}, /* RC-20 */
	    {HD_DIV_RESUME, HD_MEMBER_NONE, 33 * 24 + 32, 24 + 32, {1, 3, 6}},
	    {HD_DIV_STACK, HD_MEMBER_FLAG, 32 * (2 + 24 + 32), 2 + 24 + 32, {6, 6, 7}},
	    {HD_DIV_BARRIERS, HD_MEMBER_FLAG, 32 * (24 + 5 + 5) + 16 * 32 + 6, 24 + 32, {1, 3, 6}},
	};
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		for (uint32_t calls = 1, n = 0; calls < 64; calls *= 7, n++) {
			hd_state_bits bits;
			machine.divergence_mode = rows[i].mode;
			machine.divergence_membership = rows[i].membership;
			machine.divergence_call_depth = calls;
			hd_state_bits_of(&machine, &bits);
			assert_int_equal(bits.divergence_warp, rows[i].bits + calls * rows[i].call + rows[i].width[n]);
			assert_int_equal(bits.divergence_lanes + bits.divergence_minrc + bits.divergence_members + bits.divergence_calls +
			                     bits.divergence_tokens,
			                 bits.divergence_warp);
			assert_int_equal(bits.resume_comparators, rows[i].mode == HD_DIV_RESUME ? machine.machine_schedulers : 0);
			assert_int_equal(bits.divergence_core, bits.divergence_warp * machine.machine_schedulers * machine.machine_warps);
		}
}

/* MI-5, MI-8: what a window keeps and compares. */
TEST(state_bits_of_windows)
{
	hd_machine machine;
	hd_state_bits bits;
	hd_machine_default(&machine);
	machine.machine_schedulers = 2;
	machine.machine_warps = 8;
	machine.multi_issue_window = 1;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.window_warp + bits.window_core + bits.register_comparators + bits.predicate_comparators, 0);
	assert_int_equal(hd_state_bits_of_core(&machine), bits.fence_core);
	machine.fence_mode = HD_DEP_SCOREBOARD;
	assert_int_equal(hd_state_bits_of_core(&machine), bits.scoreboard_core);
	machine.multi_issue_window = 4;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.window_warp,
	                 31 + (HD_PIPE_COUNT - 1) * (4 + 5) + HD_PIPE_COUNT); /* sent; wait and delay of each further pipe; their order */
	assert_int_equal(bits.window_core, 16 * bits.window_warp);
	assert_int_equal(bits.register_comparators, 2 * 6 * 2 * 7); /* two windows of six pairs */
	assert_int_equal(bits.predicate_comparators, 2 * 6 * 9);
	assert_int_equal(hd_state_bits_of_core(&machine), bits.scoreboard_core + bits.window_core);
}

/* LU-4: compensation registers of eight pipelines, or an operand buffer and last-result registers. */
TEST(state_bits_of_results)
{
	enum { WORD = 32 * 33 + 8 };
	hd_machine machine;
	hd_state_bits bits;
	hd_machine_default(&machine);
	machine.last_use_compensation = 2;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.results_core, 2 * 8 * 2 * (WORD + 4));
	assert_int_equal(bits.result_comparators, 2 * 3 * 5 * 8);
	machine.last_use_compensation_of = HD_OWNER_WARP;
	machine.last_use_compensation = 16;
	machine.last_use_compensation_share = 4;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.results_core, 2 * (4 * (16 * (WORD + 2) + 120) + 16 * 2 * WORD));
	assert_int_equal(bits.result_comparators, 2 * 3 * (3 * 8 + 16 + 2));
	machine.last_use_across = false;
	hd_state_bits_of(&machine, &bits);
	assert_int_equal(bits.result_comparators, 2 * 3 * (3 + 16 + 2));
}

/* The formula's operands: no operation that a window sends with others reads or writes more ranges of registers, or more predicates. */
TEST(operands_that_a_window_compares)
{
	unsigned most[2][2] = {{0}};
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		for (unsigned ksel = 0; ksel < 4; ksel++) {
			const hd_inst inst = {.op = (uint8_t)op, .ksel = (uint8_t)ksel, .sub = 0, .d = 1, .a = 8, .b = 16, .c = 24};
			hd_use uses[HD_MAX_USES];
			for (unsigned writes = 0; writes < 2; writes++) {
				unsigned n[2] = {0}, count = writes ? hd_inst_writes(&inst, uses) : hd_inst_reads(&inst, uses);
				for (unsigned i = 0; i < count; i++)
					n[uses[i].words == 0]++;
				for (unsigned kind = 0; kind < 2; kind++)
					most[writes][kind] = n[kind] > most[writes][kind] ? n[kind] : most[writes][kind];
			}
		}
	}
	assert_int_equal(most[0][0], 3);
	assert_int_equal(most[1][0], 1);
	assert_int_equal(most[0][1], 4);
	assert_int_equal(most[1][1], 1);
}

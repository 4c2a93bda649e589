// SPDX-License-Identifier: BSD-3-Clause
// Macro scheduler (PD-12): keeps the warp slots of a scheduler in order of priority with a partial sorting network, one step a cycle, four steps a round.
// By design the order follows the priorities with a lag. Model: src/core/issue/macro_scheduler.c.
//
// The model keeps start numbers of 64 bits and the cycle in which a boost ends. This module keeps the rank of each warp by age, and the cycles that are
// left. The model leaves out rounds that would change nothing. This module does a step in every cycle.
//
// A cycle has two phases, as in the model: events change priorities, then the network does its step, whose first step of a round sees the events of the
// cycle. The order is seen from the next cycle on.
module macro_scheduler #(
	parameter MACHINE_WARPS = 16,          // warp slots of the scheduler, a multiple of 4, at least 4
	parameter PREDECODE_PRIORITY_BITS = 6, // width of a priority, at least 6; MACHINE_WARPS is at most a quarter of the range
	parameter PREDECODE_PRIORITY = 0,      // where priorities come from: 0 or "age" = the age of the warp, 1 or "program" = the program
	parameter ADJUST_BITS = 4,             // width of the duration of a boost or lower
	parameter WARP_BITS = $clog2(MACHINE_WARPS)
) (
	input logic clk,
	input logic reset, // synchronous; all slots are empty, slot i is at position i, a round begins

	// Phase 1: the warp of a slot ends.
	input logic end_valid,
	input logic [WARP_BITS-1:0] end_warp,

	// Phase 1, after end_*: warps begin, those of a CTA in one cycle. They are the youngest; of two, the one in the higher slot. Requires: the slot is
	// empty, or its warp ends in this cycle.
	input logic [MACHINE_WARPS-1:0] begin_warps,
	input logic [MACHINE_WARPS*PREDECODE_PRIORITY_BITS-1:0] begin_priority, // by slot: priority by the program, 0 = the middle of the range

	// Phase 1, after begin_*: `setprio` (PD-31), a priority by the program of set_level sixteenths of the range.
	input logic set_valid,
	input logic [WARP_BITS-1:0] set_warp,
	input logic [3:0] set_level,

	// Phase 1, after begin_*: for adjust_cycles cycles from this one on, a warp has a priority that is a quarter of the range higher or lower (PD-9). One
	// bit, and one number, for each slot. Both bits of a slot are never 1.
	input logic [MACHINE_WARPS-1:0] boost,
	input logic [MACHINE_WARPS-1:0] lower,
	input logic [MACHINE_WARPS*ADJUST_BITS-1:0] adjust_cycles,

	output logic [MACHINE_WARPS*WARP_BITS-1:0] order, // warp slot at each position at the beginning of the cycle; position 0 is the highest
	output logic [MACHINE_WARPS-1:0] adjusted,        // the slot's warp is boosted or lowered at the beginning of the cycle

	// State, at the beginning of the cycle.
	output logic [1:0] step,                                        // of the round
	output logic [MACHINE_WARPS*PREDECODE_PRIORITY_BITS-1:0] sampled, // priority of the warp at each position when the round began
	output logic [MACHINE_WARPS-1:0] occupied,                      // the slot has a warp
	output logic [MACHINE_WARPS*WARP_BITS-1:0] rank,                // of each warp by age: how many older ones there are
	output logic [MACHINE_WARPS*PREDECODE_PRIORITY_BITS-1:0] priority_now // of each slot, with the events of this cycle; 0 for an empty slot
);
	/* verilator lint_off WIDTH */
	localparam BY_PROGRAM = PREDECODE_PRIORITY != 0 && PREDECODE_PRIORITY != "age";
	/* verilator lint_on WIDTH */
	localparam P = PREDECODE_PRIORITY_BITS;
	localparam SUM_BITS = P + 2; // signed
	localparam [P-1:0] TOP = {P{1'b1}};
	localparam [P-1:0] MIDDLE = {1'b1, {(P - 1){1'b0}}};
	localparam [SUM_BITS-1:0] QUARTER = SUM_BITS'(1) << (P - 2);
	localparam [SUM_BITS-1:0] OLDEST = QUARTER * SUM_BITS'(3) - SUM_BITS'(1); // priority of the oldest warp (PD-12)

	logic [MACHINE_WARPS*P-1:0] base; // state
	logic [MACHINE_WARPS*ADJUST_BITS-1:0] left; // state
	logic [MACHINE_WARPS-1:0] lowered; // state

	// Phase 1. What a slot has after the events of the cycle.
	logic [WARP_BITS-1:0] end_rank, begin_rank; // the latter: of the first warp that begins
	logic ends;
	always_comb begin
		end_rank = '0;
		ends = 1'b0;
		begin_rank = '0;
		for (int i = 0; i < MACHINE_WARPS; i++)
			if (end_valid && end_warp == WARP_BITS'(i)) begin
				end_rank = rank[i*WARP_BITS +: WARP_BITS];
				ends = occupied[i];
			end
		// The youngest warp has as many older ones as slots are occupied.
		for (int i = 0; i < MACHINE_WARPS; i++)
			begin_rank = begin_rank + WARP_BITS'(occupied[i] && !(end_valid && end_warp == WARP_BITS'(i)));
	end

	genvar slot;
	generate
		for (slot = 0; slot < MACHINE_WARPS; slot = slot + 1) begin : warp
			logic begins, stays, is_set, is_boosted, is_lowered;
			logic [WARP_BITS-1:0] rank_q, rank_now, begins_before; // the last: warps in lower slots that begin
			logic [P-1:0] base_q, base_now, priority_next, priority_given;
			logic [ADJUST_BITS-1:0] left_q, left_now, cycles;
			logic lowered_q, lowered_now;
			logic signed [SUM_BITS-1:0] value;

			assign begins = begin_warps[slot];
			assign priority_given = begin_priority[slot*P +: P];
			assign stays = occupied[slot] && !(end_valid && end_warp == WARP_BITS'(slot));
			assign is_set = set_valid && set_warp == WARP_BITS'(slot);
			assign is_boosted = boost[slot];
			assign is_lowered = lower[slot];
			assign cycles = adjust_cycles[slot*ADJUST_BITS +: ADJUST_BITS];
			assign rank_q = rank[slot*WARP_BITS +: WARP_BITS];
			assign base_q = base[slot*P +: P];
			assign left_q = left[slot*ADJUST_BITS +: ADJUST_BITS];
			assign lowered_q = lowered[slot];

			always_comb begin
				begins_before = '0;
				for (int i = 0; i < slot; i++)
					begins_before = begins_before + WARP_BITS'(begin_warps[i]);
				rank_now = begins ? begin_rank + begins_before : ends && rank_q > end_rank ? rank_q - 1'b1 : rank_q;
				base_now = is_set ? {set_level, {(P - 4){1'b0}}} : !begins ? base_q : priority_given != '0 ? priority_given : MIDDLE;
				left_now = is_boosted || is_lowered ? cycles : begins || !stays ? '0 : left_q;
				lowered_now = is_boosted || is_lowered ? is_lowered : lowered_q;

				value = BY_PROGRAM ? SUM_BITS'(base_now) : OLDEST - SUM_BITS'(rank_now);
				if (left_now != '0)
					value = lowered_now ? value - QUARTER : value + QUARTER;
				if (!stays && !begins)
					priority_next = '0;
				else if (value < $signed(SUM_BITS'(1)))
					priority_next = P'(1);
				else if (value > $signed(SUM_BITS'(TOP)))
					priority_next = TOP;
				else
					priority_next = P'(value);
			end
			assign priority_now[slot*P +: P] = priority_next;
			assign adjusted[slot] = left_q != '0;

			always_ff @(posedge clk) begin
				if (reset) begin
					occupied[slot] <= 1'b0;
					left[slot*ADJUST_BITS +: ADJUST_BITS] <= '0;
				end else begin
					occupied[slot] <= stays || begins;
					left[slot*ADJUST_BITS +: ADJUST_BITS] <= left_now - ADJUST_BITS'(left_now != '0);
				end
				rank[slot*WARP_BITS +: WARP_BITS] <= rank_now;
				base[slot*P +: P] <= base_now;
				lowered[slot] <= lowered_now;
			end
		end
	endgenerate

	// Phase 2. Step 0 samples; steps 1 to 3 compare and exchange the positions (0,2) (1,3) (4,6) ..., (0,1) (2,3) ..., (1,2) (3,4) ...
	generate
		for (slot = 0; slot < MACHINE_WARPS; slot = slot + 1) begin : position
			// The other position of the pair of each step; the first and the last one have none in step 3.
			localparam A = slot % 4 < 2 ? slot + 2 : slot - 2;
			localparam B = slot % 2 == 0 ? slot + 1 : slot - 1;
			localparam C = slot == 0 || slot == MACHINE_WARPS - 1 ? slot : slot % 2 == 1 ? slot + 1 : slot - 1;
			logic [P-1:0] own, other, sample;
			logic [WARP_BITS-1:0] own_slot, other_slot;
			logic above, swap; // above: the pair's position with the smaller number, which gets the higher priority
			assign own = sampled[slot*P +: P];
			assign own_slot = order[slot*WARP_BITS +: WARP_BITS];
			assign other = step == 2'd1 ? sampled[A*P +: P] : step == 2'd2 ? sampled[B*P +: P] : sampled[C*P +: P];
			assign other_slot = step == 2'd1 ? order[A*WARP_BITS +: WARP_BITS] : step == 2'd2 ? order[B*WARP_BITS +: WARP_BITS]
			                                                                                   : order[C*WARP_BITS +: WARP_BITS];
			assign above = step == 2'd1 ? A > slot : step == 2'd2 ? B > slot : C > slot;
			// Equal priorities keep their order.
			assign swap = above ? own < other : other < own;
			always_comb begin
				sample = '0;
				for (int i = 0; i < MACHINE_WARPS; i++)
					sample = sample | (priority_now[i*P +: P] & {P{own_slot == WARP_BITS'(i)}});
			end
			always_ff @(posedge clk) begin
				if (reset) begin
					order[slot*WARP_BITS +: WARP_BITS] <= WARP_BITS'(slot);
					sampled[slot*P +: P] <= '0;
				end else if (step == 2'd0) begin
					sampled[slot*P +: P] <= sample;
				end else if (swap) begin
					order[slot*WARP_BITS +: WARP_BITS] <= other_slot;
					sampled[slot*P +: P] <= other;
				end
			end
		end
	endgenerate
	always_ff @(posedge clk)
		step <= reset ? 2'd0 : step + 2'd1;
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Properties of macro_scheduler (HW-5) with four slots: the order has each slot once, a position's priority is that of its slot, a round sorts four slots,
// ranks are those of the ages. `older[4 * i + j]` is the environment's view: the warp of slot j began before that of slot i, or in the same cycle in a lower slot.
module macro_scheduler_properties (
	input logic clk,
	input logic reset,
	input logic end_valid,
	input logic [1:0] end_warp,
	input logic [3:0] begin_warps,
	input logic [23:0] begin_priority,
	input logic set_valid,
	input logic [1:0] set_warp,
	input logic [3:0] set_level,
	input logic [3:0] boost,
	input logic [3:0] lower,
	input logic [7:0] adjust_cycles
);
	localparam W = 4, P = 6;
	logic [W*2-1:0] order;
	logic [W-1:0] adjusted, occupied;
	logic [1:0] step;
	logic [W*P-1:0] sampled, priority_now;
	logic [W*2-1:0] rank;

	macro_scheduler #(.MACHINE_WARPS(W), .PREDECODE_PRIORITY_BITS(P), .PREDECODE_PRIORITY(0), .ADJUST_BITS(2)) dut (.*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	logic [W-1:0] live, stays;
	logic [W*W-1:0] older;
	logic [W*P-1:0] sample; // the priority of each slot when the round began
	assign live = occupied;
	assign stays = live & ~(end_valid ? 4'b0001 << end_warp : 4'b0000);
	// A warp begins in a slot that is empty or becomes so, as occupancy gives a slot to one warp (lockstep runs under it, too).
	always_comb assume ((begin_warps & stays) == 0);
	always_comb assume ((boost & lower) == 0);
	always_ff @(posedge clk) begin
		if (reset)
			sample <= 0;
		else if (step == 0)
			sample <= priority_now;
	end

	genvar i, j;
	generate
		for (i = 0; i < W; i = i + 1) begin : slot
			logic [2:0] before;
			assign before = older[4*i] + older[4*i + 1] + older[4*i + 2] + older[4*i + 3];
			for (j = 0; j < W; j = j + 1) begin : and_slot
				if (i == j) begin : same
					assign older[4*i + j] = 1'b0;
				end else begin : pair
					always_ff @(posedge clk)
						older[4*i + j] <= !reset && (begin_warps[i] ? stays[j] || (begin_warps[j] && j < i) : older[4*i + j] && stays[i] && stays[j]);
					always_comb if (begun) begin
						assert (order[2*i +: 2] != order[2*j +: 2]); // each slot once, so none is lost
						assert (!older[4*i + j] || (live[i] && live[j] && !older[4*j + i])); // ages are an order
						assert (!older[4*i + j] || rank[2*j +: 2] < rank[2*i +: 2]); // the older warp has the smaller rank
						// By age the older warp has the higher priority, as long as neither is boosted or lowered.
						assert (!older[4*i + j] || !stays[i] || !stays[j] || boost[i] || boost[j] || lower[i] || lower[j] || adjusted[i] || adjusted[j] ||
						        priority_now[P*j +: P] > priority_now[P*i +: P]);
						assert (!live[i] || !live[j] || older[4*i + j] || older[4*j + i]);
					end
				end
			end
			always_comb if (begun) begin
				assert (!live[i] || rank[2*i +: 2] == before); // a rank is the number of older warps
				assert (sampled[P*i +: P] == sample[P*order[2*i +: 2] +: P]); // the network moves a priority with its slot
				assert (priority_now[P*i +: P] != 0 || !(stays[i] || begin_warps[i])); // only an empty slot has priority 0
				assert (step != 0 || sampled[P*(i > 0 ? i - 1 : 0) +: P] >= sampled[P*i +: P]); // a round has sorted four
			end
		end
	endgenerate
	always_comb if (begun) begin
		// After the steps (0,2) (1,3) and (0,1) (2,3) the highest is first and the lowest is last.
		assert (step == 0 || step == 1 || (sampled[5:0] >= sampled[17:12] && sampled[11:6] >= sampled[23:18]));
		assert (step != 3 || (sampled[5:0] >= sampled[11:6] && sampled[17:12] >= sampled[23:18]));
		assert (step != 3 || (sampled[5:0] >= sampled[17:12] && sampled[11:6] >= sampled[23:18]));
	end
endmodule

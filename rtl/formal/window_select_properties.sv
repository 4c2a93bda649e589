// SPDX-License-Identifier: BSD-3-Clause
// Properties of window_select (HW-5): order within a type, at most one instruction for a queue, no instruction overtakes one for which it must wait, and
// none is sent twice.
module window_select_properties (
	input logic clk,
	input logic reset,
	input logic [1:0] begin_warps,
	input logic [1:0] enter_warps,
	input logic pick_valid,
	input logic pick_warp,
	input logic [2:0] pick_minrc,
	input logic [3:0] place_fetched,
	input logic [11:0] place_pc,
	input logic [3:0] place_alone,
	input logic [3:0] place_held,
	input logic first_flow,
	input logic [3:0] place_pipe,
	input logic [7:0] place_at_issue,
	input logic [7:0] place_at_queue,
	input logic [7:0] place_primary,
	input logic [15:0] place_delay,
	input logic [15:0] place_wait,
	input logic [11:0] place_after,
	input logic [11:0] place_behind,
	input logic [1:0] outstanding,
	input logic [1:0] waited,
	input logic [3:0] counter_room,
	input logic [1:0] queue_ready,
	input logic flow_ready,
	input logic [1:0] queue_hold,
	input logic [9:0] queue_ahead,
	input logic [3:0] queue_distance,
	input logic [3:0] queue_passed
);
	localparam SPAN = 4, N = 3, K = 2;
	logic [3:0] targets;
	logic [1:0] push_valid, verdict, watch;
	logic alone, deschedule;
	logic [2:0] advance;
	logic [7:0] sent;
	logic [19:0] left;
	logic [15:0] passed;
	logic [3:0] held;

	window_select #(.MACHINE_WARPS(2), .MULTI_ISSUE_WINDOW(N), .WINDOW_SPAN(SPAN), .PIPES(2), .FENCE_COUNTERS(K), .PC_BITS(3), .QUEUE_SPACING(2)) dut (.*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begin
		begun <= 1'b1;
	end

	logic [3:0] before, same_pipe;
	logic [2:0] open, n_targets;
	logic [1:0] raises, own;
	logic [3:0] room;
	always_comb begin
		assume (reset == !begun);
		before = sent[4*pick_warp +: 4];
		n_targets = 0;
		open = 0;
		raises = 0;
		room = counter_room;
		for (int p = 0; p < SPAN; p++) begin
			own = place_primary[2*p +: 2] == 1 ? 2'b01 : place_primary[2*p +: 2] == 2 ? 2'b10 : 2'b00;
			for (int q = 0; q < p; q++) begin
				same_pipe[q] = place_pipe[p] == place_pipe[q];
				assume (!same_pipe[q] || place_behind[3*p + p - 1 - q]); // instructions enter a pipe in their order (window_rows.c)
				if (begun && targets[p]) begin
					assert (before[q] || targets[q] || !place_after[3*p + p - 1 - q]); // MI-5
					assert (before[q] || !place_behind[3*p + p - 1 - q]);
					assert (before[q] || !same_pipe[q]); // MI-3, MI-4: one for a queue, and the one nearer the PC
					assert (place_fetched[q] || q == 0); // MI-2
					assert (!place_alone[q]); // MI-9: nothing behind an undecided branch
					assert (q == 0 || place_pc[3*q +: 3] < pick_minrc); // MI-9
				end
			end
			if (begun && targets[p]) begin
				assert (pick_valid && !before[p]); // MI-8: none is sent twice
				assert (p == 0 || (place_fetched[p] && !place_alone[p] && place_pc[3*p +: 3] < pick_minrc));
				assert (open < N); // MI-2: among the first N
				assert (alone || queue_ready[place_pipe[p]]); // MI-7
				assert ((place_at_issue[2*p +: 2] & (outstanding | raises)) == 0); // HZ-21
				assert ((own & waited) == 0); // HZ-18
				assert (!own[0] || room[1:0] != 0); // HZ-18: room for each primary of the cycle
				assert (!own[1] || room[3:2] != 0);
				n_targets = n_targets + 1;
				raises = raises | own;
				room = {room[3:2] - {1'b0, own[1]}, room[1:0] - {1'b0, own[0]}};
			end
			open = open + {2'b0, !before[p]};
		end
		if (begun) begin
			assert (!sent[0] && !sent[4]); // MI-8: the PC is at an instruction that was not sent
			assert (n_targets <= N);
			assert (!alone || targets == 1); // MI-9
			assert (!deschedule || (targets == 0 && watch != 0));
		end
	end
endmodule

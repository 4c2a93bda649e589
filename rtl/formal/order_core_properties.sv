// SPDX-License-Identifier: BSD-3-Clause
// Properties of the wired order_core (HW-5): an instruction never leaves while a counter of its mask is outstanding, and what enters leaves once. The payload
// carries the mask and a mark, so the properties need no name inside of the unit. The counters of the shadow are those of this file.
//
// Assumed: the pipes lower what was raised (proof of active_logic and hazard_monitor, lockstep of order_core), and an instruction does not wait for its own
// counter (HZ-3, which the checker proves).
module order_core_properties (
	input logic clk,
	input logic reset,
	input logic valid,
	input logic warp,
	input logic [1:0] at_issue,
	input logic [1:0] at_queue,
	input logic [1:0] primary,
	input logic pipe,
	input logic marked,
	input logic [1:0] leave_ready,
	input logic [1:0] released_valid,
	input logic [1:0] released_warp,
	input logic [3:0] released_counter,
	input logic [1:0] released_groups,
	input logic written_valid,
	input logic written_warp,
	input logic [1:0] written_counter,
	input logic written_groups
);
	localparam WARPS = 2, K = 2, PIPES = 2;
	logic send, deschedule, deschedule_warp, idle, wrong;
	logic [3:0] deschedule_pc;
	logic [1:0] verdict, watch, leave_valid, leave_warp, waiting;
	logic [5:0] leave_payload;
	logic [WARPS*K-1:0] outstanding, outstanding_released, full, waited, waited_left;

	order_core #(.MACHINE_WARPS(WARPS), .FENCE_COUNTERS(K), .FENCE_BITS(4), .LANE_GROUPS(1), .PIPES(PIPES), .QUEUE_FIFO(1), .QUEUE_HAZARD(1),
		.QUEUE_SPACING(0), .PAYLOAD_BITS(3), .PC_BITS(4), .WRITES(1)) dut (
		.payload({marked, at_queue}), .pc(4'd0), .advance_cycles(1'b0), .begin_warps(2'd0), .*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	// An instruction checks a counter once, in the decoder or in its queue, and never its own (HZ-3).
	always_comb begin
		assume (primary != 2'd3);
		assume ((at_issue & at_queue) == 2'd0);
		assume (!(primary == 2'd1 && (at_issue[0] || at_queue[0])));
		assume (!(primary == 2'd2 && (at_issue[1] || at_queue[1])));
	end

	genvar w, c, p;
	generate
		for (w = 0; w < WARPS; w = w + 1) begin : row
			for (c = 0; c < K; c = c + 1) begin : column
				// A shadow of this counter: the primaries that are due.
				logic [4:0] due, behind_writes, behind_releases;
				logic [1:0] released;
				always_comb begin
					behind_writes = due - 5'(written_valid && written_groups && written_warp == w && written_counter == c + 1);
					released = '0;
					for (int i = 0; i < PIPES; i++)
						if (released_valid[i] && released_groups[i] && released_warp[i] == w && released_counter[i*2 +: 2] == c + 1)
							released = released + 1'b1;
					behind_releases = behind_writes - 5'(released);
				end
				always_ff @(posedge clk) due <= reset ? '0 : behind_releases + 5'(send && warp == w && primary == c + 1);
				always_comb if (begun) begin
					assume (due != 0 || behind_writes == due);
					assume (behind_writes >= 5'(released));
					assert (outstanding[w*K + c] == (due != 0));
				end
				for (p = 0; p < PIPES; p = p + 1) begin : leaves
					// HZ-14: a secondary never leaves while a counter of its mask is outstanding.
					always_comb if (begun)
						assert (!(leave_valid[p] && leave_warp[p] == w && leave_payload[p*3 + c]) || behind_writes == 0);
				end
				always_comb if (begun) begin
					// HZ-18, HZ-21: nor is an instruction sent that the decoder holds.
					assert (!(send && warp == w && at_issue[c]) || behind_releases == 0);
				end
			end
		end
	endgenerate

	// One instruction is marked. It is in a queue from the cycle in which it is sent until it leaves, and it leaves once, from the queue of its pipe and for
	// its warp.
	logic inside, was_sent, its_pipe, its_warp;
	logic [1:0] marks;
	assign marks = {leave_valid[1] && leave_payload[5], leave_valid[0] && leave_payload[2]};
	always_ff @(posedge clk) begin
		was_sent <= !reset && (was_sent || (send && marked));
		inside <= !reset && ((inside && marks == 2'd0) || (send && marked));
		if (send && marked) begin
			its_pipe <= pipe;
			its_warp <= warp;
		end
	end
	always_comb if (begun) begin
		assume (!(marked && was_sent));
		assert (marks == 2'd0 || (inside && marks == (its_pipe ? 2'd2 : 2'd1)));
		assert (!(marks[0] && leave_warp[0] != its_warp) && !(marks[1] && leave_warp[1] != its_warp));
		assert (!(idle && inside)); // it is not lost
		assert (!wrong);
	end
endmodule

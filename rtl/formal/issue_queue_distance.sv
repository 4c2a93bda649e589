// SPDX-License-Identifier: BSD-3-Clause
// Distances (docs/timing.md, rule 2), bounded (HW-5): the payload of an instruction is its distance to the previous one of its warp in the queue, at most
// QUEUE_SPACING. Two instructions of a warp with a distance of two cycles do not leave in consecutive cycles.
module issue_queue_distance (
	input logic clk,
	input logic reset,
	input logic push_valid,
	input logic push_warp,
	input logic push_wait,
	input logic [1:0] push_payload,
	input logic elsewhere, // the warp issues to another queue instead
	input logic [1:0] advance_cycles,
	input logic [1:0] outstanding,
	input logic leave_ready
);
	logic push_ready, leave_valid, leave_warp, leave_wait, waiting, pushed, advance_valid;
	logic [1:0] leave_payload, hazard_n, fifo_n;

	issue_queue #(.MACHINE_WARPS(2), .FENCE_COUNTERS(1), .QUEUE_FIFO(2), .QUEUE_HAZARD(2), .QUEUE_SPACING(2), .PAYLOAD_BITS(2)) dut (
		.begin_valid(1'b0), .begin_warp(1'b0), .advance_warp(push_warp), .*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begin
		begun <= 1'b1;
	end
	assign pushed = push_valid && push_ready;
	assign advance_valid = pushed || (elsewhere && !push_valid);

	// Counted cycles since each warp's last instruction in this queue, and the warp that left in the cycle before.
	logic [3:0] counted;
	logic [1:0] left;
	logic [2:0] sum;
	assign sum = {1'b0, push_warp ? counted[3:2] : counted[1:0]} + {1'b0, advance_cycles};
	always_ff @(posedge clk) begin
		left <= reset || !leave_valid ? 2'b00 : 2'b01 << leave_warp;
		if (reset)
			counted <= {2'd2, 2'd2};
		else if (advance_valid)
			counted[2*push_warp +: 2] <= pushed ? 2'd0 : sum > 2 ? 2'd2 : sum[1:0];
	end
	always_comb begin
		assume (reset == !begun);
		assume (advance_cycles <= 2);
		assume (push_payload == (sum > 2 ? 2'd2 : sum[1:0]));
	end
	always_comb if (begun) begin
		assert (!leave_valid || !left[leave_warp] || leave_payload <= 1);
	end
endmodule

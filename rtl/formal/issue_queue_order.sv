// SPDX-License-Identifier: BSD-3-Clause
// The order of a warp (HZ-13), bounded (HW-5): the payload of warp 1 is the number of the instruction. Instructions leave in the order in which they
// came, so none is lost, doubled or overtaken.
module issue_queue_order (
	input logic clk,
	input logic reset,
	input logic push_valid,
	input logic push_warp,
	input logic push_wait,
	input logic [1:0] outstanding,
	input logic leave_ready
);
	logic push_ready, leave_valid, leave_warp, waiting, leave_wait;
	logic [3:0] leave_payload, sent, left;
	logic [1:0] fifo_n, hazard_n;

	issue_queue #(.MACHINE_WARPS(2), .FENCE_COUNTERS(1), .QUEUE_FIFO(2), .QUEUE_HAZARD(2), .QUEUE_SPACING(0), .PAYLOAD_BITS(4)) dut (
		.begin_warps('0), .advance_valid(push_valid), .advance_warp(push_warp), .advance_cycles(1'b0), .push_payload(sent), .*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	always_ff @(posedge clk) begin
		sent <= reset ? 0 : sent + (push_valid && push_ready && push_warp);
		left <= reset ? 0 : left + (leave_valid && leave_warp);
	end
	always_comb if (begun) begin
		assert (!leave_valid || !leave_warp || leave_payload == left); // the next one in order
		assert (!leave_valid || !leave_warp || left != sent); // and it was sent
	end
endmodule

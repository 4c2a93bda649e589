// SPDX-License-Identifier: BSD-3-Clause
// The distances of a queue (docs/timing.md, rule 2), bounded (HW-5): the payload of an instruction is its distance to the previous instruction of its warp
// in this queue, which the harness counts. The two instructions enter the pipe at least so many cycles apart.
module issue_queue_distance (
	input logic clk,
	input logic reset,
	input logic push_valid,
	input logic push_warp,
	input logic push_wait,
	input logic advance_valid,
	input logic [1:0] advance_cycles,
	input logic [1:0] outstanding,
	input logic leave_ready
);
	localparam [1:0] SPACING = 2;
	logic push_ready, leave_valid, leave_warp, waiting, leave_wait, fifo_n, hazard_n;
	logic [1:0] leave_payload, distance;

	issue_queue #(.MACHINE_WARPS(2), .FENCE_COUNTERS(1), .QUEUE_FIFO(1), .QUEUE_HAZARD(1), .QUEUE_SPACING(2), .PAYLOAD_BITS(2)) dut (
		.begin_warps('0), .advance_warp(push_warp), .push_payload(distance), .*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);
	always_comb assume (advance_cycles <= SPACING);
	always_comb assume (advance_valid || !push_valid); // every entry of a queue issues (order_unit)

	// Of warp 1: counted cycles since its last push, and cycles since its last instruction left; both stop at the longest distance.
	logic [1:0] counted, passed;
	logic [2:0] sum;
	assign sum = {1'b0, counted} + {1'b0, advance_cycles};
	assign distance = sum > {1'b0, SPACING} ? SPACING : sum[1:0];
	always_ff @(posedge clk) begin
		if (reset)
			counted <= SPACING;
		else if (push_valid && push_ready && push_warp)
			counted <= 0;
		else if (advance_valid && push_warp)
			counted <= distance;
		passed <= reset ? SPACING : leave_valid && leave_warp ? 1 : passed == SPACING ? SPACING : passed + 1;
	end
	always_comb if (begun) assert (!leave_valid || !leave_warp || leave_payload <= passed);
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Properties of issue_queue (HW-5) that hold by induction: nothing is lost or doubled in number, no capacity is exceeded, and a secondary never leaves while
// a flag of its mask is up. issue_queue_order.sv has the order of a warp, issue_queue_distance.sv the distances.
module issue_queue_properties (
	input logic clk,
	input logic reset,
	input logic push_valid,
	input logic push_warp,
	input logic [1:0] push_wait,
	input logic [1:0] push_payload,
	input logic advance_valid,
	input logic advance_warp,
	input logic [1:0] advance_cycles,
	input logic [3:0] outstanding,
	input logic leave_ready
);
	localparam FIFO = 2, HAZARD = 2;
	logic push_ready, leave_valid, leave_warp, waiting;
	logic [1:0] leave_wait, leave_payload, fifo_n, hazard_n;

	issue_queue #(.MACHINE_WARPS(2), .FENCE_COUNTERS(2), .QUEUE_FIFO(FIFO), .QUEUE_HAZARD(HAZARD), .QUEUE_SPACING(2), .PAYLOAD_BITS(2)) dut (
		.begin_warps('0), .*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	logic [3:0] inside; // entries that have not left
	always_ff @(posedge clk)
		inside <= reset ? 0 : inside + (push_valid && push_ready) - leave_valid;

	always_comb if (begun) begin
		assert (inside == fifo_n + hazard_n); // HZ-15: what enters leaves once, in number
		assert (fifo_n <= FIFO && hazard_n <= HAZARD); // HZ-15: capacities
		assert (!leave_valid || leave_ready); // the pipe takes one instruction at most, and only when it is ready
		assert (!leave_valid || (leave_wait & (leave_warp ? outstanding[3:2] : outstanding[1:0])) == 0); // HZ-11: no flag of the mask is up
		assert (!leave_valid || inside != 0); // nothing leaves an empty queue
		assert (push_ready || (fifo_n == FIFO && (waiting || !leave_ready || leave_valid))); // only a full FIFO refuses
		assert (!waiting || (fifo_n != 0 && hazard_n == HAZARD));
	end
endmodule

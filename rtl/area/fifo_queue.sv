// SPDX-License-Identifier: BSD-3-Clause
// The queue before a pipeline of a machine with a scoreboard: a FIFO. It is here to compare its size with that of issue_queue, and no part of a design.
// Its entries have a warp slot and a payload, and move as those of issue_queue's FIFO do.
module fifo_queue #(
	parameter MACHINE_WARPS = 16, // warp slots of the scheduler, at least 2
	parameter QUEUE_FIFO = 4,     // entries
	parameter PAYLOAD_BITS = 32,
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter FIFO_BITS = $clog2(QUEUE_FIFO + 1)
) (
	input logic clk,
	input logic reset, // synchronous; the queue becomes empty
	input logic push_valid,
	output logic push_ready,
	input logic [WARP_BITS-1:0] push_warp,
	input logic [PAYLOAD_BITS-1:0] push_payload,
	output logic leave_valid,
	input logic leave_ready,
	output logic [WARP_BITS-1:0] leave_warp,
	output logic [PAYLOAD_BITS-1:0] leave_payload
);
	localparam ENTRY_BITS = WARP_BITS + PAYLOAD_BITS;
	logic [QUEUE_FIFO*ENTRY_BITS-1:0] fifo;
	logic [FIFO_BITS-1:0] count, left;
	logic push;
	assign leave_valid = count != '0 && leave_ready;
	assign {leave_warp, leave_payload} = fifo[ENTRY_BITS-1:0];
	assign push_ready = count != FIFO_BITS'(QUEUE_FIFO) || leave_valid;
	assign push = push_valid && push_ready;
	assign left = count - FIFO_BITS'(leave_valid);
	always_ff @(posedge clk)
		count <= reset ? '0 : left + FIFO_BITS'(push);
	genvar i;
	generate
		for (i = 0; i < QUEUE_FIFO; i = i + 1) begin : entry
			always_ff @(posedge clk) begin
				if (push && left == FIFO_BITS'(i))
					fifo[i*ENTRY_BITS +: ENTRY_BITS] <= {push_warp, push_payload};
				else if (leave_valid && i + 1 < QUEUE_FIFO)
					fifo[i*ENTRY_BITS +: ENTRY_BITS] <= fifo[(i + 1 < QUEUE_FIFO ? i + 1 : i)*ENTRY_BITS +: ENTRY_BITS];
			end
		end
	endgenerate
endmodule

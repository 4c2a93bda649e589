// SPDX-License-Identifier: BSD-3-Clause
// Wait counters (HZ-17, HZ-22): for each low-latency fence counter, the number of secondaries that wait for it, were sent, and have not left their
// queue. Model: src/core/issue/wait_counters.h.
//
// A cycle has two phases, as in the model: queues pass secondaries on, and the decoder sees the result in this cycle (waited_left); then the decoder
// sends secondaries, and everybody sees the result from the next cycle on (value, waited).
//
// Requires: what leaves was sent before, and no more than 2 ** WAIT_BITS - 1 secondaries of a warp are in the queues. Otherwise `wrong` is 1.
module wait_counters #(
	parameter MACHINE_WARPS = 16, // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6, // counters that a queue checks: with a fixed split, only the low-latency ones
	parameter WAIT_BITS = 7,      // holds the number of instructions that the queues of a scheduler can hold
	parameter LEAVES = 2,         // ports: instructions that leave queues in a cycle
	parameter SENDS = 1,          // ports: decoders
	parameter WARP_BITS = $clog2(MACHINE_WARPS)
) (
	input logic clk,
	input logic reset, // synchronous; all counters become 0

	// Instructions that their queue passes on or drops, with the mask of the counters that they waited for; bit counter - 1.
	input logic [LEAVES-1:0] leave_valid,
	input logic [LEAVES*WARP_BITS-1:0] leave_warp,
	input logic [LEAVES*FENCE_COUNTERS-1:0] leave_mask,

	// Instructions that the decoder sends, with the mask of the counters that they wait for in a queue.
	input logic [SENDS-1:0] send_valid,
	input logic [SENDS*WARP_BITS-1:0] send_warp,
	input logic [SENDS*FENCE_COUNTERS-1:0] send_mask,

	// One bit for each counter: bit warp * FENCE_COUNTERS + counter - 1.
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] waited,      // at the beginning of the cycle, from flip-flops
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] waited_left, // after those that leave (HZ-18)
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] cleared,     // became zero by those that leave (HZ-22)
	output logic [MACHINE_WARPS*FENCE_COUNTERS*WAIT_BITS-1:0] value,
	output logic wrong // a counter leaves its range in this cycle
);
	localparam COUNTERS = MACHINE_WARPS * FENCE_COUNTERS;
	localparam SUM_BITS = $clog2((LEAVES > SENDS ? LEAVES : SENDS) + 1);
	localparam NET_BITS = (WAIT_BITS > SUM_BITS ? WAIT_BITS : SUM_BITS) + 2; // signed

	logic [COUNTERS-1:0] outside;
	logic [LEAVES*MACHINE_WARPS-1:0] leave_row;
	logic [SENDS*MACHINE_WARPS-1:0] send_row;

	always_comb begin
		for (int i = 0; i < LEAVES; i++)
			for (int w = 0; w < MACHINE_WARPS; w++)
				leave_row[i*MACHINE_WARPS + w] = leave_valid[i] && leave_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(w);
		for (int i = 0; i < SENDS; i++)
			for (int w = 0; w < MACHINE_WARPS; w++)
				send_row[i*MACHINE_WARPS + w] = send_valid[i] && send_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(w);
	end

	genvar warp, counter;
	generate
		for (warp = 0; warp < MACHINE_WARPS; warp = warp + 1) begin : row
			for (counter = 0; counter < FENCE_COUNTERS; counter = counter + 1) begin : column
				localparam AT = warp * FENCE_COUNTERS + counter;
				logic [WAIT_BITS-1:0] value_q;
				logic waited_q;
				logic [SUM_BITS-1:0] left, sent;
				logic signed [NET_BITS-1:0] after, net;

				always_comb begin
					left = '0;
					for (int i = 0; i < LEAVES; i++)
						if (leave_row[i*MACHINE_WARPS + warp] && leave_mask[i*FENCE_COUNTERS + counter])
							left = left + 1'b1;
					sent = '0;
					for (int i = 0; i < SENDS; i++)
						if (send_row[i*MACHINE_WARPS + warp] && send_mask[i*FENCE_COUNTERS + counter])
							sent = sent + 1'b1;
				end

				assign after = $signed(NET_BITS'(value_q)) - $signed(NET_BITS'(left));
				assign net = after + $signed(NET_BITS'(sent));

				always_ff @(posedge clk) begin
					if (reset) begin
						value_q <= '0;
						waited_q <= 1'b0;
					end else begin
						value_q <= net[WAIT_BITS-1:0];
						waited_q <= net != 0;
					end
				end

				assign value[AT*WAIT_BITS +: WAIT_BITS] = value_q;
				assign waited[AT] = waited_q;
				assign waited_left[AT] = waited_q && after != 0;
				assign cleared[AT] = waited_q && after == 0;
				assign outside[AT] = after < 0 || net > $signed(NET_BITS'({WAIT_BITS{1'b1}}));
			end
		end
	endgenerate

	assign wrong = |outside;
endmodule

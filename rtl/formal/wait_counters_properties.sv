// SPDX-License-Identifier: BSD-3-Clause
// Properties of wait_counters (HW-5): a wait counter is the number of secondaries that were sent and have not left, it never leaves its range, and its
// flag is 1 exactly when it is not 0 (HZ-17).
module wait_counters_properties (
	input logic clk,
	input logic reset,
	input logic [1:0] leave_valid,
	input logic [1:0] leave_warp,
	input logic [3:0] leave_mask,
	input logic send_valid,
	input logic send_warp,
	input logic [1:0] send_mask
);
	localparam WARPS = 2, K = 2, BITS = 3;
	logic [WARPS*K-1:0] waited, waited_left, cleared;
	logic [WARPS*K*BITS-1:0] value;
	logic wrong;

	wait_counters #(.MACHINE_WARPS(WARPS), .FENCE_COUNTERS(K), .WAIT_BITS(BITS), .LEAVES(2), .SENDS(1)) dut (.*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	genvar warp, counter;
	generate
		for (warp = 0; warp < WARPS; warp = warp + 1) begin : row
			for (counter = 0; counter < K; counter = counter + 1) begin : column
				localparam AT = warp * K + counter;
				logic [7:0] inside, left, sent;
				always_comb begin
					left = 0;
					for (int i = 0; i < 2; i++)
						if (leave_valid[i] && leave_warp[i] == warp && leave_mask[K*i + counter])
							left = left + 1;
					sent = send_valid && send_warp == warp && send_mask[counter] ? 1 : 0;
				end
				always_ff @(posedge clk) inside <= reset ? 0 : inside - left + sent;
				always_comb if (begun) begin
					// Every entry that leaves a queue entered it, once (issue_queue).
					assume (left <= inside);
					// WAIT_BITS holds the number of entries of all queues.
					assume (inside - left + sent <= 2 ** BITS - 1);
				end
				always_comb if (begun) begin
					assert (value[AT*BITS +: BITS] == inside); // the number of secondaries in queues
					assert (waited[AT] == (value[AT*BITS +: BITS] != 0)); // the flag says whether the counter is 0
					assert (waited_left[AT] == (inside - left != 0)); // the decoder sees what leaves in this cycle
					assert (cleared[AT] == (inside != 0 && inside == left)); // the message to the monitor
				end
			end
		end
	endgenerate
	always_comb if (begun) assert (!wrong); // in range
endmodule

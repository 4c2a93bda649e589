// SPDX-License-Identifier: BSD-3-Clause
// Properties of fence_counters (HW-5): a counter never leaves its range under legal inputs, and a flag is 1 exactly when its counter is not 0.
// `due` is what was raised and not lowered yet, by counter: the environment's view, in numbers that cannot overflow here.
module fence_counters_properties (
	input logic clk,
	input logic reset,
	input logic [1:0] written_valid,
	input logic [1:0] written_warp,
	input logic [3:0] written_counter,
	input logic [7:0] written_groups,
	input logic released_valid,
	input logic released_warp,
	input logic [1:0] released_counter,
	input logic [3:0] released_groups,
	input logic raise_valid,
	input logic raise_warp,
	input logic [1:0] raise_counter,
	input logic [3:0] raise_groups
);
	localparam WARPS = 2, K = 2, BITS = 4, GROUPS = 8;
	logic [WARPS*K-1:0] outstanding, outstanding_written, outstanding_released, full_released;
	logic [WARPS*K*BITS-1:0] value;
	logic wrong;

	fence_counters #(.MACHINE_WARPS(WARPS), .FENCE_COUNTERS(K), .FENCE_BITS(BITS), .LANE_GROUPS(GROUPS), .WRITES(2), .RELEASES(1), .RAISES(1)) dut (.*);

	// The harness begins with a reset.
	logic begun = 1'b0;
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	genvar warp, counter;
	generate
		for (warp = 0; warp < WARPS; warp = warp + 1) begin : row
			for (counter = 0; counter < K; counter = counter + 1) begin : column
				localparam AT = warp * K + counter;
				logic [7:0] due, writes, releases, raises;
				always_comb begin
					writes = 0;
					// A warp has LANE_GROUPS lane groups.
					assume (written_groups[3:0] <= GROUPS && written_groups[7:4] <= GROUPS && released_groups <= GROUPS);
					for (int i = 0; i < 2; i++)
						if (written_valid[i] && written_warp[i] == warp && written_counter[2*i +: 2] == counter + 1)
							writes = writes + written_groups[4*i +: 4];
					releases = released_valid && released_warp == warp && released_counter == counter + 1 ? released_groups : 0;
					raises = raise_valid && raise_warp == warp && raise_counter == counter + 1 ? raise_groups : 0;
				end
				always_ff @(posedge clk) due <= reset ? 0 : due - writes - releases + raises;
				always_comb if (begun) begin
					// The monitor lowers what an instruction in flight raised, once (hazard_monitor; checked in lockstep: `wrong` stays 0).
					assume (writes + releases <= due);
					// A primary raises by at most LANE_GROUPS, and the decoder sends it only when its counter is not full (decode_check_properties).
					assume (raises == 0 || (raises <= GROUPS && !full_released[AT]));
				end
				always_comb if (begun) begin
					assert (value[AT*BITS +: BITS] == due); // value_is_due
					assert (outstanding[AT] == (value[AT*BITS +: BITS] != 0)); // flag_of_value
					assert (outstanding_written[AT] == (due - writes != 0)); // flag_after_writes
					assert (outstanding_released[AT] == (due - writes - releases != 0)); // flag_after_releases
					assert (full_released[AT] == (due - writes - releases + GROUPS > 15)); // full_means_no_room
					assert (due - writes - releases + raises <= 15); // in_range
				end
			end
		end
	endgenerate
	always_comb if (begun) never_wrong: assert (!wrong);
endmodule

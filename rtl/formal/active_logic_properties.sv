// SPDX-License-Identifier: BSD-3-Clause
// Properties of active_logic (HW-5): no lane group is counted twice or lost, so the counter of a primary falls by what it rose by (HZ-7, HZ-16). This is what
// the proofs of fence_counters assume of their neighbour.
module active_logic_properties (
	input logic valid,
	input logic warp,
	input logic [7:0] active,
	input logic [7:0] guard,
	input logic flow,
	input logic [1:0] primary,
	input logic by_read,
	input logic narrow
);
	localparam LANE_GROUPS = 4;
	logic enter, drop, released_valid, released_warp;
	logic [7:0] lanes;
	logic [3:0] lane_groups;
	logic [1:0] released_counter;
	logic [2:0] released_groups, at_once, later;

	active_logic #(.MACHINE_WARPS(2), .FENCE_COUNTERS(2), .LANES(8), .LANE_GROUPS(LANE_GROUPS)) dut (.*);

	assign at_once = released_valid ? released_groups : 3'd0;
	assign later = enter ? {2'b0, lane_groups[0]} + {2'b0, lane_groups[1]} + {2'b0, lane_groups[2]} + {2'b0, lane_groups[3]} : 3'd0;

	always_comb begin
		assert (!(enter && drop));
		assert (valid == (enter || drop));
		assert (!drop || (active & guard) == '0);
		assert (!flow || !drop);
		assert (drop || !valid || flow || (lanes & ~(active & guard)) == '0);
		assert (!enter || flow || lanes == (active & guard));
		// A dropped primary gives everything back at once; one that is read in this cycle, too.
		assert (!(drop && primary != '0) || at_once == LANE_GROUPS);
		assert (!(enter && by_read && !narrow && primary != '0) || at_once == LANE_GROUPS);
		// Each lane group that is not given back now is written later, once.
		assert (!(enter && !by_read && primary != '0) || at_once + later == LANE_GROUPS);
		assert (!(enter && by_read && narrow) || at_once == '0);
		assert (!released_valid || (valid && primary != '0 && released_warp == warp && released_counter == primary));
	end
endmodule

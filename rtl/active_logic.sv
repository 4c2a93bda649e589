// SPDX-License-Identifier: BSD-3-Clause
// Active logic (HZ-16) at the entry of a pipe: for which lanes the instruction executes, whether it is dropped, and by how much its fence counter falls
// at once. Model: hd_pipeline_enter of src/core/execute/pipeline.c. Combinational; one instance for each pipe.
//
// The counter of a primary rises by LANE_GROUPS when the decoder sends it. It falls by the lane groups that no lane uses here, and by the others when
// the hazard monitor sees them written, or read with `by_read`. A pipe that takes the whole warp in a cycle reads all operands here.
module active_logic #(
	parameter MACHINE_WARPS = 16, // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6, // K
	parameter LANES = 32,         // of a warp; a multiple of LANE_GROUPS
	parameter LANE_GROUPS = 8,
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1),
	parameter GROUP_BITS = $clog2(LANE_GROUPS + 1)
) (
	// The instruction that leaves its queue: issue_queue.leave_*, and fields of the instruction.
	input logic valid,
	input logic [WARP_BITS-1:0] warp,
	input logic [LANES-1:0] active,         // lanes active at issue
	input logic [LANES-1:0] guard,          // lanes for which its guard holds, read in this cycle
	input logic flow,                       // a flow instruction: never dropped, and its guard selects a side
	input logic [COUNTER_BITS-1:0] primary, // counter that it raised, 0 = none (HZ-1)
	input logic by_read,                    // its counter falls by the operand reads (HZ-7), else by the writes
	input logic narrow,                     // the pipe takes it in several cycles; the monitor sees its reads

	output logic enter,                         // it enters the pipe
	output logic drop,                          // it leaves for nowhere: no lane executes
	output logic [LANES-1:0] lanes,             // lanes that enter
	output logic [LANE_GROUPS-1:0] lane_groups, // lane groups that the pipe reads and writes

	// The amount by which its counter falls in this cycle: fence_counters.released_*.
	output logic released_valid,
	output logic [WARP_BITS-1:0] released_warp,
	output logic [COUNTER_BITS-1:0] released_counter,
	output logic [GROUP_BITS-1:0] released_groups
);
	localparam WIDTH = LANES / LANE_GROUPS; // lanes of a lane group

	logic none;
	logic [GROUP_BITS-1:0] idle_groups;

	assign lanes = flow ? active : active & guard;
	assign none = (active & guard) == '0 && !flow;
	assign drop = valid && none;
	assign enter = valid && !none;

	always_comb begin
		idle_groups = '0;
		for (int g = 0; g < LANE_GROUPS; g++) begin
			lane_groups[g] = flow || lanes[g*WIDTH +: WIDTH] != '0;
			idle_groups = idle_groups + GROUP_BITS'(!lane_groups[g]);
		end
	end

	assign released_groups = none ? GROUP_BITS'(LANE_GROUPS) : by_read ? (narrow ? '0 : GROUP_BITS'(LANE_GROUPS)) : idle_groups;
	assign released_valid = valid && primary != '0 && released_groups != '0;
	assign released_warp = warp;
	assign released_counter = primary;
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Least address first (RC-1), bounded (HW-5): the PC is before MINRC, and no lane of the warp is lost. Instructions are at the addresses 0 to 6.
module resume_unit_order (
	input logic clk,
	input logic reset,
	input logic step_valid,
	input logic op_valid,
	input logic [2:0] op_kind,
	input logic [1:0] op_taken,
	input logic [2:0] op_target,
	input logic [5:0] op_targets
);
	localparam LANES = 2, BITS = 3;
	logic step_ready, op_ready;
	logic [2:0] op_result, lowest, pc, minrc;
	logic op_lane;
	logic [1:0] active, shown_alive, shown_members, shown_depth;
	logic [5:0] shown_counters;

	resume_unit #(.MACHINE_WARPS(1), .LANES(LANES), .PC_BITS(BITS), .DIVERGENCE_CALL_DEPTH(2)) dut (
		.step_warp(1'b0), .op_warp(1'b0), .op_bad(2'b00), .callee_begin(3'd0), .callee_end(3'd7), .op_next(pc + 3'd1), .step_pc(pc + 3'd1), .*);

	logic begun = 1'b0; // the first cycle is a reset, and the warp begins in the second one
	logic second = 1'b0, held = 1'b0;
	logic [13:0] before;
	always_ff @(posedge clk) begin
		begun <= 1'b1;
		second <= !begun;
		held <= op_valid && !op_ready && !reset;
		before <= {op_kind, op_taken, op_target, op_targets};
	end
	logic [1:0] began, gone; // lanes of the warp; those that have exited
	always_ff @(posedge clk) begin
		if (op_valid && op_kind == 0)
			{began, gone} <= {op_taken, 2'b00};
		else if (op_valid && op_kind == 6 && op_ready)
			gone <= gone | op_taken;
	end
	always_comb begin
		assume (reset == !begun);
		assume (!(second || held) || op_valid); // an operation stays until it ends
		assume (!(op_valid && step_valid)); // a warp does one thing at a time (the scheduler)
		assume ((op_kind == 0) == second && op_kind != 7 && op_target != 7 && op_targets[2:0] != 7 && op_targets[5:3] != 7);
		assume (!second || (op_valid && op_taken != 0));
		assume (second || (op_taken & ~active) == 0);
		assume (!held || before == {op_kind, op_taken, op_target, op_targets}); // and keeps its inputs
		assume (!begun || second || pc != 6 || !step_valid); // nothing is behind address 6
		assume (!begun || second || pc != 6 || !op_valid || op_taken == active);
		assume (!begun || second || pc != 6 || !op_valid || (op_kind != 3 && op_kind != 4));
	end
	logic [1:0] waiting;
	assign waiting = {shown_counters[5:3] != 7, shown_counters[2:0] != 7};
	always_comb if (begun && !second && !held) begin
		assert (gone == began || active != 0); // the PC never passes over addresses at which nobody is active (RC-5)
		assert (gone == began || pc < minrc); // RC-1
		assert (shown_depth != 0 || (active | waiting) == (began & ~gone)); // RC-11: everybody who has not exited is back
		assert (((active | waiting) & gone) == 0); // RC-12
		assert ((active & waiting) == 0);
	end
endmodule

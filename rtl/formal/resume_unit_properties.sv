// SPDX-License-Identifier: BSD-3-Clause
// Properties of resume_unit (HW-5) that hold by induction: MINRC is the least resume counter of the activation, and who is active waits nowhere.
// One warp slot, so that what is shown is its state. resume_unit_order.sv has what needs the stack.
module resume_unit_properties (
	input logic clk,
	input logic reset,
	input logic step_valid,
	input logic [2:0] step_pc,
	input logic op_valid,
	input logic [2:0] op_kind,
	input logic [3:0] op_taken,
	input logic [2:0] op_next,
	input logic [2:0] op_target,
	input logic [11:0] op_targets,
	input logic [3:0] op_bad
);
	localparam LANES = 4, BITS = 3;
	logic step_ready, op_ready;
	logic [2:0] op_result, lowest, pc, minrc;
	logic [1:0] op_lane;
	logic [3:0] active, shown_alive, shown_members;
	logic [11:0] shown_counters;
	logic [1:0] shown_depth;

	resume_unit #(.MACHINE_WARPS(1), .LANES(LANES), .PC_BITS(BITS), .DIVERGENCE_CALL_DEPTH(2)) dut (
		.step_warp(1'b0), .op_warp(1'b0), .callee_begin(3'd0), .callee_end(3'd7), .*);

	logic begun = 1'b0; // the first cycle is a reset
	logic started; // the warp has begun
	always_ff @(posedge clk) begun <= 1'b1;
	always_ff @(posedge clk) started <= !reset && (started || (op_valid && op_kind == 0));

	logic [2:0] least;
	logic [3:0] waiting, beyond;
	always_comb begin
		assume (reset == !begun);
		assume (op_kind != 7); // it is no operation
		assume (!(op_valid && step_valid)); // a warp does one thing at a time (the scheduler)
		assume (op_next != 7 && op_target != 7 && step_pc != 7); // no instruction is at the infinite address
		least = 7;
		for (int i = 0; i < LANES; i++) begin
			assume (op_targets[BITS*i +: BITS] != 7);
			waiting[i] = shown_counters[BITS*i +: BITS] != 7;
			beyond[i] = shown_counters[BITS*i +: BITS] >= minrc;
			if (shown_members[i] && shown_counters[BITS*i +: BITS] < least)
				least = shown_counters[BITS*i +: BITS];
		end
	end
	always_comb if (started && begun) begin
		assume (op_kind == 0 || (op_taken & ~active) == 0); // guards of active lanes
		assert (minrc == least); // RC-7, RC-9
		assert ((active & waiting) == 0); // RC-1
		assert ((active & ~shown_members) == 0); // RC-10: whoever does not belong to the activation is not active
		assert ((shown_members & ~beyond) == 0); // RC-5: nobody waits before MINRC
	end
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// No lane is lost (RC-16), bounded (HW-5): who has not exited is active, waits, or is named by a token. Instructions are at the addresses 0 to 6.
module reconvergence_stack_order (
	input logic clk,
	input logic reset,
	input logic op_valid,
	input logic [3:0] op_kind,
	input logic [1:0] op_taken,
	input logic [2:0] op_target,
	input logic [5:0] op_targets
);
	logic op_ready;
	logic [2:0] op_result, pc;
	logic op_lane;
	logic [1:0] active, shown_alive, shown_tokens, shown_waiting;

	reconvergence_stack #(.MACHINE_WARPS(1), .LANES(2), .PC_BITS(3), .TOKENS(2), .LINE_WORDS(1)) dut (
		.step_valid(1'b0), .step_warp(1'b0), .step_pc(3'd0), .op_warp(1'b0), .op_bad(2'b00), .op_next(pc + 3'd1), .*);

	logic begun = 1'b0; // the first cycle is a reset, and the warp begins in the second one
	logic second = 1'b0, held = 1'b0;
	logic [14:0] before;
	logic [1:0] began, gone; // lanes of the warp; those that have exited
	always_ff @(posedge clk) begin
		begun <= 1'b1;
		second <= !begun;
		held <= op_valid && !op_ready && !reset;
		before <= {op_kind, op_taken, op_target, op_targets};
		if (op_valid && op_kind == 0)
			{began, gone} <= {op_taken, 2'b00};
		else if (op_valid && op_kind == 6 && op_ready)
			gone <= gone | op_taken;
	end
	always_comb begin
		assume (reset == !begun);
		assume (!(second || held) || op_valid); // an operation stays until it ends
		assume (!held || before == {op_kind, op_taken, op_target, op_targets}); // and keeps its inputs
		assume ((op_kind == 0) == second && op_kind < 10);
		assume (!second || op_taken != 0);
		assume (!begun || second || held || ((op_taken & ~active) == 0 && (op_taken != 0 || op_kind != 9)));
		assume (!begun || second || active != 0 || !op_valid || held); // a warp without a lane does nothing more
	end
	always_comb if (begun && !second && !held) begin
		assert (gone == began || active != 0); // somebody goes on
		assert (shown_alive == (began & ~gone)); // RC-12
		assert ((active & ~shown_alive) == 0);
		assert ((active & shown_waiting) == 0); // who waits at a token is not active
		assert (shown_tokens <= 2);
		assert (shown_tokens != 0 || active == shown_alive); // without a token all lanes are together
	end
endmodule

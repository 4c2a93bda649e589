// SPDX-License-Identifier: BSD-3-Clause
// The fields of a pre-decode byte that the micro scheduler reads (PD-2, PD-4 to PD-10), as hd_code_hint does without a candidate window
// (src/core/code.c). Every hint is honoured; `default` is a delay of DEFAULT_DELAY. 8 bits in, 18 bits out.
module partial_decode #(
	parameter DEFAULT_DELAY = 1
) (
	input logic [7:0] data,
	output logic [3:0] delay,
	output logic [3:0] waits,
	output logic [3:0] cycles,
	output logic pair,
	output logic hold,
	output logic pass_replay,
	output logic wait_memory,
	output logic lower,
	output logic may_replay
);
	// hd_hint of src/isa/isa.h
	localparam logic [3:0] DEFAULT = 0, WAIT = 2, PAIR = 3, HOLD = 4, HOLD_REPLAY = 5, HOLD_MEM = 6, HOLD_REPLAY_MEM = 7, BOOST = 8, LOWER = 9,
	                       MAY_REPLAY = 10;
	logic [3:0] hint, number;
	always_comb begin
		hint = data[7:4];
		number = data[3:0];
		delay = hint == DEFAULT || hint == BOOST || hint == LOWER ? DEFAULT_DELAY[3:0] : hint == WAIT || number == 0 ? 4'd1 : number;
		waits = hint == WAIT ? number : 4'd0;
		cycles = hint == BOOST || hint == LOWER ? number : 4'd0;
		pair = hint == PAIR;
		hold = hint == HOLD || hint == HOLD_REPLAY || hint == HOLD_MEM || hint == HOLD_REPLAY_MEM;
		pass_replay = hint == HOLD_REPLAY || hint == HOLD_REPLAY_MEM;
		wait_memory = hint == HOLD || hint == HOLD_REPLAY;
		lower = hint == LOWER;
		may_replay = hint == MAY_REPLAY;
	end
endmodule

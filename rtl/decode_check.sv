// SPDX-License-Identifier: BSD-3-Clause
// The decoder's checks (HZ-18, HZ-21): an instruction goes to its queue, or its warp is de-scheduled and the message says why.
// Model: hd_decoder_check of src/core/issue/decode.h. Combinational; one instance for each decoder.
module decode_check #(
	parameter MACHINE_WARPS = 16, // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6, // K
	parameter PC_BITS = 32,
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1)
) (
	// The decoded instruction.
	input logic valid,
	input logic [WARP_BITS-1:0] warp,
	input logic [PC_BITS-1:0] pc,
	input logic [FENCE_COUNTERS-1:0] at_issue,  // counters of its wait mask that the decoder checks: the high-latency ones (HZ-21)
	input logic [COUNTER_BITS-1:0] primary,     // counter that it raises, 0 = none (HZ-1)
	input logic queue_ready,                    // its queue has room; without it nothing happens (HZ-15)

	// Flags of all warp slots: bit warp * FENCE_COUNTERS + counter - 1.
	input logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding, // fence_counters.outstanding_released
	input logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] full,        // fence_counters.full_released
	input logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] waited,      // wait_counters.waited_left

	output logic send, // the instruction goes to its queue now; its primary is raised, its secondaries are counted

	// The de-schedule message (HZ-18): warp slot, PC, and the counters that the warp waits for. The decoder repeats the instruction later.
	output logic deschedule,
	output logic [WARP_BITS-1:0] deschedule_warp,
	output logic [PC_BITS-1:0] deschedule_pc,
	output logic [1:0] verdict, // hd_verdict: 0 send, 1 high-latency counter, 2 wait counter, 3 full counter
	output logic [FENCE_COUNTERS-1:0] watch
);
	localparam [1:0] SEND = 2'd0, WAIT_FENCE = 2'd1, WAIT_WAITERS = 2'd2, WAIT_ROOM = 2'd3;

	logic [FENCE_COUNTERS-1:0] outstanding_row, full_row, waited_row, own, late;

	always_comb begin
		outstanding_row = '0;
		full_row = '0;
		waited_row = '0;
		for (int w = 0; w < MACHINE_WARPS; w++) begin
			outstanding_row = outstanding_row | (outstanding[w*FENCE_COUNTERS +: FENCE_COUNTERS] & {FENCE_COUNTERS{warp == WARP_BITS'(w)}});
			full_row = full_row | (full[w*FENCE_COUNTERS +: FENCE_COUNTERS] & {FENCE_COUNTERS{warp == WARP_BITS'(w)}});
			waited_row = waited_row | (waited[w*FENCE_COUNTERS +: FENCE_COUNTERS] & {FENCE_COUNTERS{warp == WARP_BITS'(w)}});
		end
		for (int c = 0; c < FENCE_COUNTERS; c++)
			own[c] = primary == COUNTER_BITS'(c + 1);
	end

	assign late = at_issue & outstanding_row;
	assign verdict = late != '0 ? WAIT_FENCE : (own & waited_row) != '0 ? WAIT_WAITERS : (own & full_row) != '0 ? WAIT_ROOM : SEND;
	assign watch = late != '0 ? late : verdict == SEND ? '0 : own;

	assign send = valid && queue_ready && verdict == SEND;
	assign deschedule = valid && queue_ready && verdict != SEND;
	assign deschedule_warp = warp;
	assign deschedule_pc = pc;
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Fence counters (HZ-5 to HZ-8): a matrix with one row for each warp slot and FENCE_COUNTERS counters in a row. Model: src/core/issue/fence_counters.h.
//
// A cycle has three phases, as in the model (docs/architecture.md, "A cycle"):
//   1. writes lower counters; queues see the result in this cycle (outstanding_written),
//   2. operand reads and drops lower counters; the decoder sees the result in this cycle (outstanding_released, full_released),
//   3. the decoder raises counters; everybody sees the result from the next cycle on (value, outstanding).
// All adjustments of a cycle reach a counter as one net sum (HZ-8).
//
// Requires: a port adjusts by at most LANE_GROUPS; what is raised was not full (full_released); no more is lowered than was raised before. Otherwise `wrong` is 1 in
// that cycle, and the counters mean nothing until the next reset.
module fence_counters #(
	parameter MACHINE_WARPS = 16,  // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6,  // K, at least 2
	parameter FENCE_BITS = 12,     // width of a counter, at least 4
	parameter LANE_GROUPS = 8,     // lane groups of a warp, less than 2 ** FENCE_BITS
	parameter WRITES = 2,          // ports of phase 1
	parameter RELEASES = 2,        // ports of phase 2
	parameter RAISES = 1,          // ports of phase 3
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1),
	parameter GROUP_BITS = $clog2(LANE_GROUPS + 1)
) (
	input logic clk,
	input logic reset, // synchronous; all counters become 0

	// Phase 1: lane groups whose result was written (HZ-7, HZ-9). A counter has a number from 1 to FENCE_COUNTERS, as in the primary field (HZ-1).
	input logic [WRITES-1:0] written_valid,
	input logic [WRITES*WARP_BITS-1:0] written_warp,
	input logic [WRITES*COUNTER_BITS-1:0] written_counter,
	input logic [WRITES*GROUP_BITS-1:0] written_groups,

	// Phase 2: lane groups whose operands were read, or that were dropped (HZ-7, HZ-16).
	input logic [RELEASES-1:0] released_valid,
	input logic [RELEASES*WARP_BITS-1:0] released_warp,
	input logic [RELEASES*COUNTER_BITS-1:0] released_counter,
	input logic [RELEASES*GROUP_BITS-1:0] released_groups,

	// Phase 3: lane groups of primaries that the decoder sends (HZ-6).
	input logic [RAISES-1:0] raise_valid,
	input logic [RAISES*WARP_BITS-1:0] raise_warp,
	input logic [RAISES*COUNTER_BITS-1:0] raise_counter,
	input logic [RAISES*GROUP_BITS-1:0] raise_groups,

	// One bit for each counter, FENCE_COUNTERS bits for each warp slot: bit warp * FENCE_COUNTERS + counter - 1 (HZ-8).
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding,          // at the beginning of the cycle, from flip-flops
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding_written,  // after phase 1
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding_released, // after phase 2
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] full_released,        // after phase 2: no room for LANE_GROUPS more (HZ-18)
	output logic [MACHINE_WARPS*FENCE_COUNTERS*FENCE_BITS-1:0] value,     // at the beginning of the cycle
	output logic wrong // a counter leaves its range in this cycle
);
	localparam COUNTERS = MACHINE_WARPS * FENCE_COUNTERS;
	localparam SUM_BITS = $clog2((WRITES + RELEASES > RAISES ? WRITES + RELEASES : RAISES) * LANE_GROUPS + 1); // holds a sum of ports
	localparam NET_BITS = (FENCE_BITS > SUM_BITS ? FENCE_BITS : SUM_BITS) + 2; // signed
	localparam [FENCE_BITS-1:0] LIMIT = {FENCE_BITS{1'b1}};

	localparam int RELEASE_COUNT = RELEASES; // bound of loops: Icarus 11 wants a type

	logic [COUNTERS-1:0] outside;

	// Each port is decoded once, to one bit for each row and one for each column. Each phase has blocks of its own: what is released may depend on what was
	// written in this cycle.
	logic [WRITES*MACHINE_WARPS-1:0] written_row;
	logic [RELEASES*MACHINE_WARPS-1:0] released_row;
	logic [RAISES*MACHINE_WARPS-1:0] raise_row;
	logic [WRITES*FENCE_COUNTERS-1:0] written_column;
	logic [RELEASES*FENCE_COUNTERS-1:0] released_column;
	logic [RAISES*FENCE_COUNTERS-1:0] raise_column;

	always_comb begin
		for (int i = 0; i < WRITES; i++) begin
			for (int w = 0; w < MACHINE_WARPS; w++)
				written_row[i*MACHINE_WARPS + w] = written_valid[i] && written_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(w);
			for (int c = 0; c < FENCE_COUNTERS; c++)
				written_column[i*FENCE_COUNTERS + c] = written_counter[i*COUNTER_BITS +: COUNTER_BITS] == COUNTER_BITS'(c + 1);
		end
	end
	always_comb begin
		for (int i = 0; i < RELEASE_COUNT; i++) begin
			for (int w = 0; w < MACHINE_WARPS; w++)
				released_row[i*MACHINE_WARPS + w] = released_valid[i] && released_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(w);
			for (int c = 0; c < FENCE_COUNTERS; c++)
				released_column[i*FENCE_COUNTERS + c] = released_counter[i*COUNTER_BITS +: COUNTER_BITS] == COUNTER_BITS'(c + 1);
		end
	end
	always_comb begin
		for (int i = 0; i < RAISES; i++) begin
			for (int w = 0; w < MACHINE_WARPS; w++)
				raise_row[i*MACHINE_WARPS + w] = raise_valid[i] && raise_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(w);
			for (int c = 0; c < FENCE_COUNTERS; c++)
				raise_column[i*FENCE_COUNTERS + c] = raise_counter[i*COUNTER_BITS +: COUNTER_BITS] == COUNTER_BITS'(c + 1);
		end
	end

	genvar warp, counter;
	generate
		for (warp = 0; warp < MACHINE_WARPS; warp = warp + 1) begin : row
			for (counter = 0; counter < FENCE_COUNTERS; counter = counter + 1) begin : column
				localparam AT = warp * FENCE_COUNTERS + counter;
				logic [FENCE_BITS-1:0] value_q;
				logic outstanding_q;
				logic [SUM_BITS-1:0] written, lowered, raised;
				logic signed [NET_BITS-1:0] after_releases, net;

				always_comb begin
					written = '0;
					for (int i = 0; i < WRITES; i++)
						if (written_row[i*MACHINE_WARPS + warp] && written_column[i*FENCE_COUNTERS + counter])
							written = written + SUM_BITS'(written_groups[i*GROUP_BITS +: GROUP_BITS]);
				end
				always_comb begin
					lowered = written;
					for (int i = 0; i < RELEASE_COUNT; i++)
						if (released_row[i*MACHINE_WARPS + warp] && released_column[i*FENCE_COUNTERS + counter])
							lowered = lowered + SUM_BITS'(released_groups[i*GROUP_BITS +: GROUP_BITS]);
				end
				always_comb begin
					raised = '0;
					for (int i = 0; i < RAISES; i++)
						if (raise_row[i*MACHINE_WARPS + warp] && raise_column[i*FENCE_COUNTERS + counter])
							raised = raised + SUM_BITS'(raise_groups[i*GROUP_BITS +: GROUP_BITS]);
				end

				assign after_releases = $signed(NET_BITS'(value_q)) - $signed(NET_BITS'(lowered));
				assign net = after_releases + $signed(NET_BITS'(raised));

				always_ff @(posedge clk) begin
					if (reset) begin
						value_q <= '0;
						outstanding_q <= 1'b0;
					end else begin
						value_q <= net[FENCE_BITS-1:0];
						outstanding_q <= net != 0;
					end
				end

				assign value[AT*FENCE_BITS +: FENCE_BITS] = value_q;
				assign outstanding[AT] = outstanding_q;
				assign outstanding_written[AT] = NET_BITS'(value_q) != NET_BITS'(written);
				assign outstanding_released[AT] = NET_BITS'(value_q) != NET_BITS'(lowered);
				assign full_released[AT] = after_releases + $signed(NET_BITS'(LANE_GROUPS)) > $signed(NET_BITS'(LIMIT));
				assign outside[AT] = net < 0 || net > $signed(NET_BITS'(LIMIT));
			end
		end
	endgenerate

	assign wrong = |outside;
endmodule

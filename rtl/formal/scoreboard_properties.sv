// SPDX-License-Identifier: BSD-3-Clause
// Properties of scoreboard (HW-5): the hazards that it must refuse, and that no count of readers leaves its range.
module scoreboard_properties (
	input logic clk,
	input logic reset,
	input logic [1:0] read_valid,
	input logic [1:0] read_warp,
	input logic [1:0] read_set,
	input logic written_valid,
	input logic written_warp,
	input logic written_set,
	input logic done_valid,
	input logic done_warp,
	input logic [3:0] done_order,
	input logic issue_valid,
	input logic issue_warp,
	input logic issue_reads,
	input logic issue_writes,
	input logic [3:0] issue_order
);
	localparam WARPS = 2, REGISTERS = 1;
	logic issue_ready;
	logic [WARPS*REGISTERS-1:0] writing;
	logic [WARPS*REGISTERS*2-1:0] readers;
	logic [5:0] accesses;
	logic [11:0] shared;

	scoreboard #(.MACHINE_WARPS(WARPS), .RESOURCES(REGISTERS), .FENCE_CONSUMERS(3), .ORDER_BITS(3), .READS(2), .WRITES(1), .DONES(1)) dut (.*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	genvar warp, at;
	generate
		for (warp = 0; warp < WARPS; warp = warp + 1) begin : row
			for (at = 0; at < REGISTERS; at = at + 1) begin : register
				logic [2:0] due, ended; // reads that were issued and have not ended
				logic busy, over, issued;
				always_comb begin
					ended = 0;
					for (int i = 0; i < 2; i++)
						if (read_valid[i] && read_warp[i] == warp && read_set[REGISTERS*i + at])
							ended = ended + 1;
					over = written_valid && written_warp == warp && written_set[at];
					issued = issue_valid && issue_ready && issue_warp == warp;
				end
				always_ff @(posedge clk) begin
					due <= reset ? 0 : due - ended + (issued && issue_reads[at]);
					busy <= !reset && ((busy && !over) || (issued && issue_writes[at]));
				end
				always_comb if (begun) begin
					assume (ended <= due); // an instruction reads once, after it was issued
					assert (readers[(warp*REGISTERS + at)*2 +: 2] == due);
					assert (due <= 3); // FENCE_CONSUMERS
					assert (writing[warp*REGISTERS + at] == busy);
					assert (!issued || !issue_reads[at] || !busy || over); // RAW
					assert (!issued || !issue_writes[at] || !busy || over); // WAW
					assert (!issued || !issue_writes[at] || due == ended); // WAR
				end
			end
		end
	endgenerate
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// The baseline (HW-1) that fence counters are compared with: a scoreboard of pending writes and readers for each register and predicate of each warp slot.
// Model: src/core/issue/scoreboard.c.
//
// A cycle has two phases, as in the model: instructions end their reads, writes and accesses; then one instruction is checked, and sees the result in
// this cycle. Ports carry sets of registers, one bit a register. The decoders from register numbers to sets are not a part of this module, which makes
// it smaller than a whole scoreboard.
//
// Requires: what ends was issued before; at most 2 ** ORDER_BITS - 1 accesses of a warp are outstanding.
module scoreboard #(
	parameter MACHINE_WARPS = 16,   // warp slots of the scheduler, at least 2
	parameter RESOURCES = 264,      // registers and predicates of a warp
	parameter FENCE_CONSUMERS = 63, // readers of a register that can be tracked, a further reader waits; 0 = no limit, which is 127 here
	parameter ORDER_BITS = 7,       // holds the accesses of a warp that are outstanding
	parameter READS = 2,            // ports: instructions that read their operands or are dropped in a cycle
	parameter WRITES = 2,           // ports: instructions whose results are reliable from this cycle on, or that are dropped
	parameter DONES = 2,            // ports: accesses to memory that end
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter READERS = FENCE_CONSUMERS == 0 ? 127 : FENCE_CONSUMERS,
	parameter READER_BITS = $clog2(READERS + 1)
) (
	input logic clk,
	input logic reset, // synchronous; nothing is pending

	// Phase 1.
	input logic [READS-1:0] read_valid,
	input logic [READS*WARP_BITS-1:0] read_warp,
	input logic [READS*RESOURCES-1:0] read_set,
	input logic [WRITES-1:0] written_valid,
	input logic [WRITES*WARP_BITS-1:0] written_warp,
	input logic [WRITES*RESOURCES-1:0] written_set,
	input logic [DONES-1:0] done_valid,
	input logic [DONES*WARP_BITS-1:0] done_warp,
	input logic [DONES*4-1:0] done_order, // as issue_order

	// Phase 2: the instruction issues when issue_valid and issue_ready are 1.
	input logic issue_valid,
	output logic issue_ready,
	input logic [WARP_BITS-1:0] issue_warp,
	input logic [RESOURCES-1:0] issue_reads,
	input logic [RESOURCES-1:0] issue_writes,
	input logic [3:0] issue_order, // enum hd_score_order: bit 0 access, 1 barrier or fence, 2 shared memory, 3 pipe of shared-memory atomics

	// State, at the beginning of the cycle.
	output logic [MACHINE_WARPS*RESOURCES-1:0] writing,
	output logic [MACHINE_WARPS*RESOURCES*READER_BITS-1:0] readers,
	output logic [MACHINE_WARPS*ORDER_BITS-1:0] accesses,
	output logic [MACHINE_WARPS*2*ORDER_BITS-1:0] shared // of a warp: load/store unit, pipe of shared-memory atomics
);
	logic [MACHINE_WARPS-1:0] clash;
	assign issue_ready = !clash[issue_warp];

	genvar warp, at;
	generate
		for (warp = 0; warp < MACHINE_WARPS; warp = warp + 1) begin : row
			logic [READS-1:0] read_row;
			logic [WRITES-1:0] written_row;
			logic [DONES-1:0] done_row;
			logic issue_row;
			logic [RESOURCES-1:0] write_left, read_left, full_left;
			always_comb begin
				for (int i = 0; i < READS; i++)
					read_row[i] = read_valid[i] && read_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(warp);
				for (int i = 0; i < WRITES; i++)
					written_row[i] = written_valid[i] && written_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(warp);
				for (int i = 0; i < DONES; i++)
					done_row[i] = done_valid[i] && done_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(warp);
			end
			assign issue_row = issue_valid && issue_ready && issue_warp == WARP_BITS'(warp);

			for (at = 0; at < RESOURCES; at = at + 1) begin : resource
				logic writing_q, written;
				logic [READER_BITS-1:0] readers_q, ended, left;
				always_comb begin
					written = 1'b0;
					for (int i = 0; i < WRITES; i++)
						written = written | (written_row[i] & written_set[i*RESOURCES + at]);
					ended = '0;
					for (int i = 0; i < READS; i++)
						if (read_row[i] && read_set[i*RESOURCES + at])
							ended = ended + 1'b1;
				end
				assign left = readers_q - ended;
				always_ff @(posedge clk) begin
					if (reset) begin
						writing_q <= 1'b0;
						readers_q <= '0;
					end else begin
						writing_q <= (writing_q && !written) || (issue_row && issue_writes[at]);
						readers_q <= left + READER_BITS'(issue_row && issue_reads[at]);
					end
				end
				assign write_left[at] = writing_q && !written;
				assign read_left[at] = left != '0;
				assign full_left[at] = left == READER_BITS'(READERS);
				assign writing[warp*RESOURCES + at] = writing_q;
				assign readers[(warp*RESOURCES + at)*READER_BITS +: READER_BITS] = readers_q;
			end

			// Accesses to memory that barriers, fences and the other pipe of shared memory wait for.
			logic [ORDER_BITS-1:0] access_q, lsu_q, latom_q, access_left, lsu_left, latom_left;
			always_comb begin
				access_left = access_q;
				lsu_left = lsu_q;
				latom_left = latom_q;
				for (int i = 0; i < DONES; i++) begin
					access_left = access_left - ORDER_BITS'(done_row[i] && done_order[i*4]);
					lsu_left = lsu_left - ORDER_BITS'(done_row[i] && done_order[i*4 + 2] && !done_order[i*4 + 3]);
					latom_left = latom_left - ORDER_BITS'(done_row[i] && done_order[i*4 + 2] && done_order[i*4 + 3]);
				end
			end
			always_ff @(posedge clk) begin
				if (reset) begin
					access_q <= '0;
					lsu_q <= '0;
					latom_q <= '0;
				end else begin
					access_q <= access_left + ORDER_BITS'(issue_row && issue_order[0]);
					lsu_q <= lsu_left + ORDER_BITS'(issue_row && issue_order[2] && !issue_order[3]);
					latom_q <= latom_left + ORDER_BITS'(issue_row && issue_order[2] && issue_order[3]);
				end
			end
			assign accesses[warp*ORDER_BITS +: ORDER_BITS] = access_q;
			assign shared[warp*2*ORDER_BITS +: 2*ORDER_BITS] = {latom_q, lsu_q};

			assign clash[warp] = ((issue_reads | issue_writes) & write_left) != '0 || (issue_writes & read_left) != '0 ||
			                     (issue_reads & full_left) != '0 || (issue_order[1] && access_left != '0) ||
			                     (issue_order[2] && (issue_order[3] ? lsu_left : latom_left) != '0);
		end
	endgenerate
endmodule

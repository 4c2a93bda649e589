// SPDX-License-Identifier: BSD-3-Clause
// The queue before a pipeline (HZ-10 to HZ-15): input FIFO, hazard detection, hazard instruction queue with its information queue, multiplexer, and the
// distances of docs/timing.md, rule 2. Model: src/core/execute/queue.c.
//
// The model keeps distances with cycle numbers of 64 bits. This module keeps two counters for each warp slot that stop at QUEUE_SPACING, because no
// queue keeps a longer distance. Both are equal in every cycle (lockstep), as long as a warp's count is at most the number of the cycle.
//
// A cycle has two phases, as in the model: an instruction leaves for the pipe, and the head of the FIFO may move into the hazard queue; then the
// decoder sends an instruction. push_ready is what the decoder sees in the second phase.
module issue_queue #(
	parameter MACHINE_WARPS = 16,  // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6,  // counters that a queue checks: with a fixed split, only the low-latency ones
	parameter QUEUE_FIFO = 4,      // entries of the FIFO, at least 1
	parameter QUEUE_HAZARD = 4,    // entries of hazard queue and information queue, at least 1
	parameter QUEUE_SPACING = 8,   // longest distance that the queue keeps, 0 = none
	parameter PAYLOAD_BITS = 32,   // the bits of an instruction that the pipe needs; at least 1
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter SPACING_BITS = QUEUE_SPACING > 0 ? $clog2(QUEUE_SPACING + 1) : 1,
	parameter FIFO_BITS = $clog2(QUEUE_FIFO + 1),
	parameter HAZARD_BITS = $clog2(QUEUE_HAZARD + 1)
) (
	input logic clk,
	input logic reset, // synchronous; the queue becomes empty

	// Phase 2: an instruction of the decoder. It enters when push_valid and push_ready are 1.
	input logic push_valid,
	output logic push_ready, // the FIFO has room (HZ-15)
	input logic [WARP_BITS-1:0] push_warp,
	input logic [FENCE_COUNTERS-1:0] push_wait, // low-latency counters that it waits for; bit counter - 1 (HZ-2)
	input logic [PAYLOAD_BITS-1:0] push_payload,

	// Phase 2: the warp issues an instruction, to this queue or to another one, `advance_cycles` counted cycles after its previous instruction
	// (docs/timing.md, rule 2). Requires advance_valid with advance_warp = push_warp in the cycle of a push.
	input logic advance_valid,
	input logic [WARP_BITS-1:0] advance_warp,
	input logic [SPACING_BITS-1:0] advance_cycles, // at most QUEUE_SPACING: a longer distance counts as QUEUE_SPACING

	// Slots in which another warp begins; the warps of a CTA begin together. Requires: the queue holds nothing of these slots.
	input logic [MACHINE_WARPS-1:0] begin_warps,

	// Phase 1: flags of the fence counters, bit warp * FENCE_COUNTERS + counter - 1: fence_counters.outstanding_written.
	input logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding,

	// Phase 1: the instruction that leaves for the pipe. It leaves when both are 1; leave_valid is 0 while leave_ready is 0.
	output logic leave_valid,
	input logic leave_ready, // the pipe takes an instruction in this cycle
	output logic [WARP_BITS-1:0] leave_warp,
	output logic [FENCE_COUNTERS-1:0] leave_wait, // its wait mask: wait_counters.leave_mask
	output logic [PAYLOAD_BITS-1:0] leave_payload,

	output logic [FIFO_BITS-1:0] fifo_n,     // instructions in the FIFO at the beginning of the cycle
	output logic [HAZARD_BITS-1:0] hazard_n, // instructions in the hazard queue at the beginning of the cycle
	output logic waiting                     // the head of the FIFO is a hazard and the hazard queue is full
);
	localparam ENTRY_BITS = WARP_BITS + FENCE_COUNTERS + SPACING_BITS + PAYLOAD_BITS;
	localparam GAP_AT = PAYLOAD_BITS;
	localparam WAIT_AT = GAP_AT + SPACING_BITS;
	localparam WARP_AT = WAIT_AT + FENCE_COUNTERS;
	localparam [SPACING_BITS-1:0] SPACING = SPACING_BITS'(QUEUE_SPACING);

	// An entry is {warp, wait, gap, payload}. Entry 0 is the oldest, in the FIFO and in the hazard queue. Information entry i belongs to hazard entry i:
	// `behind` says that an older entry of its warp must leave earlier, and `older` which one (HZ-12).
	logic [QUEUE_FIFO*ENTRY_BITS-1:0] fifo; // state
	logic [QUEUE_HAZARD*ENTRY_BITS-1:0] hazard; // state
	logic [QUEUE_HAZARD-1:0] behind; // state
	logic [QUEUE_HAZARD*HAZARD_BITS-1:0] older; // state
	logic [FIFO_BITS-1:0] fifo_count; // state
	logic [HAZARD_BITS-1:0] hazard_count; // state
	// By warp slot, up to QUEUE_SPACING: cycles since its last instruction left this queue; counted cycles since its last push to this queue.
	logic [MACHINE_WARPS*SPACING_BITS-1:0] since; // state
	logic [MACHINE_WARPS*SPACING_BITS-1:0] distance; // state

	assign fifo_n = fifo_count;
	assign hazard_n = hazard_count;

	// The conditions that an entry waits for: entries 0 to QUEUE_HAZARD - 1 are those of the hazard queue, entry QUEUE_HAZARD is the head of the FIFO.
	logic [QUEUE_HAZARD:0] counters_clear, distance_reached;
	logic [QUEUE_HAZARD-1:0] occupied, of_head_warp;
	logic [ENTRY_BITS-1:0] head;
	assign head = fifo[ENTRY_BITS-1:0];

	genvar i, w;
	generate
		for (i = 0; i <= QUEUE_HAZARD; i = i + 1) begin : check
			logic [ENTRY_BITS-PAYLOAD_BITS-1:0] entry; // without its payload
			logic [WARP_BITS-1:0] entry_warp;
			logic [FENCE_COUNTERS-1:0] entry_wait, flags;
			logic [SPACING_BITS-1:0] entry_gap, passed;
			assign {entry_warp, entry_wait, entry_gap} = entry;
			if (i < QUEUE_HAZARD) begin : in_hazard_queue
				assign entry = hazard[i*ENTRY_BITS + PAYLOAD_BITS +: ENTRY_BITS - PAYLOAD_BITS];
				assign occupied[i] = hazard_count > HAZARD_BITS'(i);
				assign of_head_warp[i] = occupied[i] && entry_warp == head[WARP_AT +: WARP_BITS];
			end else begin : in_fifo
				assign entry = head[ENTRY_BITS-1:PAYLOAD_BITS];
			end
			always_comb begin
				flags = '0;
				passed = '0;
				for (int v = 0; v < MACHINE_WARPS; v++) begin
					flags = flags | (outstanding[v*FENCE_COUNTERS +: FENCE_COUNTERS] & {FENCE_COUNTERS{entry_warp == WARP_BITS'(v)}});
					passed = passed | (since[v*SPACING_BITS +: SPACING_BITS] & {SPACING_BITS{entry_warp == WARP_BITS'(v)}});
				end
			end
			assign counters_clear[i] = (entry_wait & flags) == '0;
			assign distance_reached[i] = QUEUE_SPACING == 0 || passed >= entry_gap; // without distances synthesis removes what keeps them
		end
	endgenerate

	// HZ-13: the oldest hazard entry that may leave; nothing of its warp is before it.
	logic [QUEUE_HAZARD-1:0] candidate, chosen;
	logic [ENTRY_BITS-1:0] chosen_entry;
	logic taken, head_hazard, move, pop, push;
	assign candidate = leave_ready ? occupied & ~behind & counters_clear[QUEUE_HAZARD-1:0] & distance_reached[QUEUE_HAZARD-1:0] : '0;
	assign chosen = candidate & (~candidate + 1'b1);
	assign taken = candidate != '0;

	// HZ-11: hazard detection at the FIFO's output.
	assign head_hazard = of_head_warp != '0 || !counters_clear[QUEUE_HAZARD] || !distance_reached[QUEUE_HAZARD];
	assign move = fifo_count != '0 && head_hazard && hazard_count != HAZARD_BITS'(QUEUE_HAZARD);
	assign waiting = fifo_count != '0 && head_hazard && hazard_count == HAZARD_BITS'(QUEUE_HAZARD);

	// HZ-14: the multiplexer takes the instruction of the hazard queue first.
	assign pop = fifo_count != '0 && !head_hazard && leave_ready && !taken;
	assign leave_valid = taken || pop;
	always_comb begin
		chosen_entry = '0;
		for (int n = 0; n < QUEUE_HAZARD; n++)
			chosen_entry = chosen_entry | (hazard[n*ENTRY_BITS +: ENTRY_BITS] & {ENTRY_BITS{chosen[n]}});
		if (!taken)
			chosen_entry = head;
	end
	assign leave_warp = chosen_entry[WARP_AT +: WARP_BITS];
	assign leave_wait = chosen_entry[WAIT_AT +: FENCE_COUNTERS];
	assign leave_payload = chosen_entry[0 +: PAYLOAD_BITS];

	assign push_ready = fifo_count != FIFO_BITS'(QUEUE_FIFO) || move || pop;
	assign push = push_valid && push_ready;

	// The distance that a pushed instruction keeps: counted cycles since the previous instruction of its warp in this queue.
	logic [SPACING_BITS:0] counted;
	logic [SPACING_BITS-1:0] gap;
	always_comb begin
		counted = {1'b0, advance_cycles};
		for (int v = 0; v < MACHINE_WARPS; v++)
			counted = counted + ({1'b0, distance[v*SPACING_BITS +: SPACING_BITS]} & {(SPACING_BITS + 1){advance_warp == WARP_BITS'(v)}});
	end
	assign gap = counted > {1'b0, SPACING} ? SPACING : counted[SPACING_BITS-1:0];

	generate
		for (w = 0; w < MACHINE_WARPS; w = w + 1) begin : warp
			always_ff @(posedge clk) begin
				if (reset || begin_warps[w])
					since[w*SPACING_BITS +: SPACING_BITS] <= SPACING;
				else if (leave_valid && leave_warp == WARP_BITS'(w))
					since[w*SPACING_BITS +: SPACING_BITS] <= SPACING_BITS'(QUEUE_SPACING > 0 ? 1 : 0);
				else if (since[w*SPACING_BITS +: SPACING_BITS] != SPACING)
					since[w*SPACING_BITS +: SPACING_BITS] <= since[w*SPACING_BITS +: SPACING_BITS] + 1'b1;
				if (reset || begin_warps[w])
					distance[w*SPACING_BITS +: SPACING_BITS] <= SPACING;
				else if (push && push_warp == WARP_BITS'(w))
					distance[w*SPACING_BITS +: SPACING_BITS] <= '0;
				else if (advance_valid && advance_warp == WARP_BITS'(w))
					distance[w*SPACING_BITS +: SPACING_BITS] <= gap;
			end
		end
	endgenerate

	// The FIFO: its head is entry 0, so entries move down when the head leaves.
	logic [FIFO_BITS-1:0] fifo_left;
	assign fifo_left = fifo_count - FIFO_BITS'(move || pop);
	always_ff @(posedge clk)
		fifo_count <= reset ? '0 : fifo_left + FIFO_BITS'(push);
	generate
		for (i = 0; i < QUEUE_FIFO; i = i + 1) begin : fifo_entry
			always_ff @(posedge clk) begin
				if (push && fifo_left == FIFO_BITS'(i))
					fifo[i*ENTRY_BITS +: ENTRY_BITS] <= {push_warp, push_wait, gap, push_payload};
				else if ((move || pop) && i + 1 < QUEUE_FIFO)
					fifo[i*ENTRY_BITS +: ENTRY_BITS] <= fifo[(i + 1 < QUEUE_FIFO ? i + 1 : i)*ENTRY_BITS +: ENTRY_BITS];
			end
		end
	endgenerate

	// The hazard queue: entries behind the one that leaves move down, and the head of the FIFO becomes the youngest.
	logic [HAZARD_BITS-1:0] chosen_at, youngest, hazard_left;
	logic [QUEUE_HAZARD-1:0] from_above; // entry i takes the place of entry i - 1 in this cycle
	always_comb begin
		chosen_at = '0;
		youngest = '0;
		for (int n = 0; n < QUEUE_HAZARD; n++) begin
			chosen_at = chosen_at | (HAZARD_BITS'(n) & {HAZARD_BITS{chosen[n]}});
			if (of_head_warp[n])
				youngest = HAZARD_BITS'(n);
		end
		for (int n = 0; n < QUEUE_HAZARD; n++)
			from_above[n] = taken && HAZARD_BITS'(n) >= chosen_at;
	end
	assign hazard_left = hazard_count - HAZARD_BITS'(taken);
	always_ff @(posedge clk)
		hazard_count <= reset ? '0 : hazard_left + HAZARD_BITS'(move);
	generate
		for (i = 0; i < QUEUE_HAZARD; i = i + 1) begin : hazard_entry
			localparam ABOVE = i + 1 < QUEUE_HAZARD ? i + 1 : i;
			logic [HAZARD_BITS-1:0] kept_older;
			logic kept_behind;
			assign kept_older = from_above[i] ? older[ABOVE*HAZARD_BITS +: HAZARD_BITS] : older[i*HAZARD_BITS +: HAZARD_BITS];
			assign kept_behind = from_above[i] ? behind[ABOVE] : behind[i];
			always_ff @(posedge clk) begin
				if (move && hazard_left == HAZARD_BITS'(i)) begin
					hazard[i*ENTRY_BITS +: ENTRY_BITS] <= head;
					behind[i] <= of_head_warp != '0 && !(taken && youngest == chosen_at);
					older[i*HAZARD_BITS +: HAZARD_BITS] <= youngest - HAZARD_BITS'(taken && youngest > chosen_at);
				end else begin
					if (from_above[i])
						hazard[i*ENTRY_BITS +: ENTRY_BITS] <= hazard[ABOVE*ENTRY_BITS +: ENTRY_BITS];
					behind[i] <= kept_behind && !(taken && kept_older == chosen_at);
					older[i*HAZARD_BITS +: HAZARD_BITS] <= kept_older - HAZARD_BITS'(taken && kept_older > chosen_at);
				end
			end
		end
	endgenerate
endmodule

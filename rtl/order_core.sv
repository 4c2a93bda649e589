// SPDX-License-Identifier: BSD-3-Clause
// The part of order_unit between decoder and pipes: fence counters, wait counters, the decoder's check, and a queue before each pipe (HZ-5 to HZ-8, HZ-10
// to HZ-15, HZ-17, HZ-18, HZ-21). One instruction is decoded in a cycle. Model: the same C units in the order of docs/architecture.md, "A cycle".
//
// Outside, in order_unit: active logic at each pipe (HZ-16) and the monitor (HZ-9), which say what was read, dropped and written.
module order_core #(
	parameter MACHINE_WARPS = 16,  // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6,  // K, at least 2
	parameter FENCE_BITS = 12,     // width of a fence counter, at least 4
	parameter LANE_GROUPS = 8,     // lane groups of a warp
	parameter PIPES = 9,           // pipelines, at least 2
	parameter QUEUE_FIFO = 4,      // entries of each FIFO
	parameter QUEUE_HAZARD = 4,    // entries of each hazard queue
	parameter QUEUE_SPACING = 8,   // longest distance that a queue keeps, at most 255
	parameter [PIPES*8-1:0] QUEUE_SPACINGS = {PIPES{8'(QUEUE_SPACING)}}, // the longest distance of each queue, at most QUEUE_SPACING
	parameter PAYLOAD_BITS = 64,   // the bits of an instruction that a pipe needs, passed on
	parameter PC_BITS = 32,
	parameter WRITES = 2,          // instructions whose results are written in a cycle
	parameter RELEASES = PIPES,    // ports: instructions whose operands are read, or that are dropped, in a cycle
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1),
	parameter GROUP_BITS = $clog2(LANE_GROUPS + 1),
	parameter PIPE_BITS = $clog2(PIPES),
	parameter SPACING_BITS = QUEUE_SPACING > 0 ? $clog2(QUEUE_SPACING + 1) : 1
) (
	input logic clk,
	input logic reset, // synchronous; nothing is outstanding, the queues are empty

	// The decoded instruction.
	input logic valid,
	input logic [WARP_BITS-1:0] warp,
	input logic [PC_BITS-1:0] pc,
	input logic [FENCE_COUNTERS-1:0] at_issue,    // counters of its mask that the decoder checks (HZ-21)
	input logic [FENCE_COUNTERS-1:0] at_queue,    // counters of its mask that the queue checks
	input logic [COUNTER_BITS-1:0] primary,       // counter that it raises, 0 = none (HZ-1)
	input logic [PIPE_BITS-1:0] pipe,             // less than PIPES
	input logic [PAYLOAD_BITS-1:0] payload,
	input logic [SPACING_BITS-1:0] advance_cycles, // counted cycles since the warp's previous instruction, at most QUEUE_SPACING (timing.md, rule 2)
	output logic send, // the instruction goes to its queue now
	output logic deschedule, // the decoder sends the warp back (HZ-18, HZ-21), for the reason in verdict and watch
	output logic [WARP_BITS-1:0] deschedule_warp,
	output logic [PC_BITS-1:0] deschedule_pc,
	output logic [1:0] verdict, // as of decode_check
	output logic [FENCE_COUNTERS-1:0] watch,

	// Another warp begins in a slot. Requires: nothing of that slot is in a queue or a pipe, and it is not the warp of the decoded instruction.
	input logic [MACHINE_WARPS-1:0] begin_warps,

	// The instruction that enters each pipe. leave_valid is 0 while leave_ready is 0.
	input logic [PIPES-1:0] leave_ready,
	output logic [PIPES-1:0] leave_valid,
	output logic [PIPES*WARP_BITS-1:0] leave_warp,
	output logic [PIPES*PAYLOAD_BITS-1:0] leave_payload,

	// Lane groups that the pipes read or dropped in this cycle (HZ-7, HZ-16); may depend on leave_* in the same cycle.
	input logic [RELEASES-1:0] released_valid,
	input logic [RELEASES*WARP_BITS-1:0] released_warp,
	input logic [RELEASES*COUNTER_BITS-1:0] released_counter,
	input logic [RELEASES*GROUP_BITS-1:0] released_groups,

	// Lane groups that are written at the beginning of this cycle (HZ-7, HZ-9).
	input logic [WRITES-1:0] written_valid,
	input logic [WRITES*WARP_BITS-1:0] written_warp,
	input logic [WRITES*COUNTER_BITS-1:0] written_counter,
	input logic [WRITES*GROUP_BITS-1:0] written_groups,

	// Flags, bit warp * FENCE_COUNTERS + counter - 1, for the scheduler: a de-scheduled warp may come back when its counters are clear (HZ-21).
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding,          // at the beginning of the cycle
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding_released, // behind phase 2
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] full,                 // behind phase 2
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] waited,               // at the beginning of the cycle
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] waited_left,          // behind phase 2
	output logic [PIPES-1:0] waiting, // a full hazard queue holds a hazard back in the FIFO
	output logic idle,                // all queues are empty
	output logic wrong                // a counter leaves its range: the pipes have lowered what they did not raise
);
	localparam WAIT_BITS = $clog2(PIPES * (QUEUE_FIFO + QUEUE_HAZARD) + 1);
	localparam FIFO_BITS = $clog2(QUEUE_FIFO + 1);
	localparam HAZARD_BITS = $clog2(QUEUE_HAZARD + 1);

	logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding_written;
	logic [PIPES-1:0] push_ready, push, pipe_ready, empty;
	logic [PIPES*FENCE_COUNTERS-1:0] leave_wait;
	logic queue_ready, fence_wrong, wait_wrong;
	/* verilator lint_off UNUSEDSIGNAL */
	logic [MACHINE_WARPS*FENCE_COUNTERS*FENCE_BITS-1:0] fence_value;
	logic [MACHINE_WARPS*FENCE_COUNTERS*WAIT_BITS-1:0] wait_value;
	logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] cleared;
	/* verilator lint_on UNUSEDSIGNAL */

	fence_counters #(
		.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .FENCE_BITS(FENCE_BITS), .LANE_GROUPS(LANE_GROUPS), .WRITES(WRITES),
		.RELEASES(RELEASES), .RAISES(1)
	) counters (
		.clk(clk), .reset(reset),
		.written_valid(written_valid), .written_warp(written_warp), .written_counter(written_counter), .written_groups(written_groups),
		.released_valid(released_valid), .released_warp(released_warp), .released_counter(released_counter), .released_groups(released_groups),
		.raise_valid(send), .raise_warp(warp), .raise_counter(primary), .raise_groups(GROUP_BITS'(LANE_GROUPS)),
		.outstanding(outstanding), .outstanding_written(outstanding_written), .outstanding_released(outstanding_released), .full_released(full),
		.value(fence_value), .wrong(fence_wrong)
	);

	wait_counters #(
		.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .WAIT_BITS(WAIT_BITS), .LEAVES(PIPES), .SENDS(1)
	) waits (
		.clk(clk), .reset(reset),
		.leave_valid(leave_valid), .leave_warp(leave_warp), .leave_mask(leave_wait),
		.send_valid(send), .send_warp(warp), .send_mask(at_queue),
		.waited(waited), .waited_left(waited_left), .cleared(cleared), .value(wait_value), .wrong(wait_wrong)
	);

	decode_check #(
		.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .PC_BITS(PC_BITS)
	) check (
		.valid(valid), .warp(warp), .pc(pc), .at_issue(at_issue), .primary(primary), .queue_ready(queue_ready),
		.outstanding(outstanding_released), .full(full), .waited(waited_left),
		.send(send), .deschedule(deschedule), .deschedule_warp(deschedule_warp), .deschedule_pc(deschedule_pc), .verdict(verdict), .watch(watch)
	);

	assign queue_ready = pipe_ready != '0;
	assign idle = &empty;
	assign wrong = fence_wrong || wait_wrong;

	genvar p;
	generate
		for (p = 0; p < PIPES; p = p + 1) begin : before_pipe
			logic [FIFO_BITS-1:0] fifo_n;
			logic [HAZARD_BITS-1:0] hazard_n;
			localparam [7:0] SPACING = QUEUE_SPACINGS[p*8 +: 8];
			localparam PIPE_SPACING_BITS = SPACING > 0 ? $clog2(SPACING + 1) : 1;
			logic [PIPE_SPACING_BITS-1:0] pipe_advance; // no queue counts further than its own longest distance
			assign pipe_advance = 8'(advance_cycles) > SPACING ? PIPE_SPACING_BITS'(SPACING) : PIPE_SPACING_BITS'(advance_cycles);
			assign pipe_ready[p] = push_ready[p] && pipe == PIPE_BITS'(p);
			assign push[p] = send && pipe == PIPE_BITS'(p);
			assign empty[p] = fifo_n == '0 && hazard_n == '0;

			issue_queue #(
				.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .QUEUE_FIFO(QUEUE_FIFO), .QUEUE_HAZARD(QUEUE_HAZARD),
				.QUEUE_SPACING(SPACING), .PAYLOAD_BITS(PAYLOAD_BITS)
			) queue (
				.clk(clk), .reset(reset),
				.push_valid(push[p]), .push_ready(push_ready[p]), .push_warp(warp), .push_wait(at_queue), .push_payload(payload),
				.advance_valid(send), .advance_warp(warp), .advance_cycles(pipe_advance),
				.begin_warps(begin_warps),
				.outstanding(outstanding_written),
				.leave_valid(leave_valid[p]), .leave_ready(leave_ready[p]), .leave_warp(leave_warp[p*WARP_BITS +: WARP_BITS]),
				.leave_wait(leave_wait[p*FENCE_COUNTERS +: FENCE_COUNTERS]), .leave_payload(leave_payload[p*PAYLOAD_BITS +: PAYLOAD_BITS]),
				.fifo_n(fifo_n), .hazard_n(hazard_n), .waiting(waiting[p])
			);
		end
	endgenerate
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// All that keeps the registers of a scheduler's warps in order, in place of a scoreboard (HZ-5 to HZ-18, HZ-21, HZ-22): order_core with fence counters,
// wait counters, the decoder's check and the queues, an active logic at the entry of each pipe (HZ-16), and the hazard monitor (HZ-9). One instruction is
// decoded in a cycle. Model: the same C units in the order of docs/architecture.md, "A cycle".
//
// Outside: the scheduler, which picks an instruction of a warp that is not asleep; the pipes, which evaluate guards and say which lane groups they wrote,
// and, of operands that they read later than at their entry, read. No other signal of a pipe is needed.
module order_unit #(
	parameter MACHINE_WARPS = 16,  // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6,  // K, at least 2
	parameter FENCE_BITS = 12,     // width of a fence counter, at least 4
	parameter LANES = 32,          // of a warp; a multiple of LANE_GROUPS
	parameter LANE_GROUPS = 8,     // lane groups of a warp
	parameter PIPES = 9,           // pipelines, at least 2
	parameter QUEUE_FIFO = 4,      // entries of each FIFO
	parameter QUEUE_HAZARD = 4,    // entries of each hazard queue
	parameter QUEUE_SPACING = 8,   // longest distance that a queue keeps, at most 255
	parameter [PIPES*8-1:0] QUEUE_SPACINGS = {PIPES{8'(QUEUE_SPACING)}}, // the longest distance of each queue, at most QUEUE_SPACING
	parameter PAYLOAD_BITS = 64,   // the bits of an instruction that a pipe needs, passed on
	parameter PC_BITS = 32,
	parameter WRITES = 2,          // ports: parts of results that are written in a cycle
	parameter READS = 1,           // ports: parts of operands that narrow pipes read in a cycle
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1),
	parameter GROUP_BITS = $clog2(LANE_GROUPS + 1),
	parameter PIPE_BITS = $clog2(PIPES),
	parameter SPACING_BITS = QUEUE_SPACING > 0 ? $clog2(QUEUE_SPACING + 1) : 1
) (
	input logic clk,
	input logic reset, // synchronous; nothing is outstanding, the queues are empty, no warp is asleep

	// Phase 3: the decoded instruction. Requires: its warp is not asleep.
	input logic valid,
	input logic [WARP_BITS-1:0] warp,
	input logic [PC_BITS-1:0] pc,
	input logic [FENCE_COUNTERS-1:0] at_issue,     // counters of its mask that the decoder checks (HZ-21)
	input logic [FENCE_COUNTERS-1:0] at_queue,     // counters of its mask that the queue checks (HZ-14)
	input logic [COUNTER_BITS-1:0] primary,        // counter that it raises, 0 = none (HZ-1)
	input logic [PIPE_BITS-1:0] pipe,              // less than PIPES
	input logic [PAYLOAD_BITS-1:0] payload,        // passed on to leave_payload
	input logic [SPACING_BITS-1:0] advance_cycles, // counted cycles since the warp's previous instruction, at most QUEUE_SPACING (timing.md, rule 2)
	output logic send,       // the instruction goes to its queue now (HZ-10)
	output logic deschedule, // the decoder sends the warp back (HZ-18, HZ-21): it sleeps from the next cycle on
	output logic [WARP_BITS-1:0] deschedule_warp,
	output logic [PC_BITS-1:0] deschedule_pc,      // where the warp goes on
	output logic [1:0] verdict,                    // why: as of decode_check
	output logic [FENCE_COUNTERS-1:0] watch,       // the counters for which it waits

	// For the scheduler, in phase 3.
	output logic [MACHINE_WARPS-1:0] wake,   // warps that come back in this cycle (HZ-18)
	output logic [MACHINE_WARPS-1:0] asleep, // warps that it must not pick (HZ-18, HZ-21, HZ-22)

	// Another warp begins in a slot. Requires: nothing of that slot is in a queue or a pipe, and it is not the warp of the decoded instruction.
	input logic [MACHINE_WARPS-1:0] begin_warps,

	// Phase 2: the instruction that leaves each queue (HZ-13). leave_valid is 0 while leave_ready is 0.
	input logic [PIPES-1:0] leave_ready,
	output logic [PIPES-1:0] leave_valid,
	output logic [PIPES*WARP_BITS-1:0] leave_warp,
	output logic [PIPES*PAYLOAD_BITS-1:0] leave_payload,

	// Phase 2: what the pipe knows of that instruction, from leave_payload and the predicates, in the same cycle (HZ-16).
	input logic [PIPES*LANES-1:0] entry_active,          // lanes active at issue
	input logic [PIPES*LANES-1:0] entry_guard,           // lanes for which its guard holds
	input logic [PIPES-1:0] entry_flow,                  // a flow instruction: never dropped
	input logic [PIPES*COUNTER_BITS-1:0] entry_primary,  // the counter that it raised, 0 = none (HZ-1)
	input logic [PIPES-1:0] entry_by_read,               // its counter falls by the operand reads (HZ-7), else by the writes
	input logic [PIPES-1:0] entry_narrow,                // the pipe takes it in several cycles, and says on read_* what it reads
	output logic [PIPES-1:0] enter,                      // it enters the pipe (HZ-16)
	output logic [PIPES-1:0] drop,                       // no lane executes it (HZ-16)
	output logic [PIPES*LANES-1:0] lanes,                // lanes that enter
	output logic [PIPES*LANE_GROUPS-1:0] lane_groups,    // lane groups that the pipe reads and writes

	// Phase 2: lane groups whose operands a narrow pipe reads in this cycle, of a primary whose counter falls by reads (HZ-7, HZ-9). Counter 0: none.
	input logic [READS-1:0] read_valid,
	input logic [READS*WARP_BITS-1:0] read_warp,
	input logic [READS*COUNTER_BITS-1:0] read_counter,
	input logic [READS*LANE_GROUPS-1:0] read_groups, // one bit for each lane group

	// Phase 1: lane groups that are written at the beginning of this cycle, of a primary whose counter falls by writes (HZ-7, HZ-9). Counter 0: none.
	input logic [WRITES-1:0] write_valid,
	input logic [WRITES*WARP_BITS-1:0] write_warp,
	input logic [WRITES*COUNTER_BITS-1:0] write_counter,
	input logic [WRITES*LANE_GROUPS-1:0] write_groups, // one bit for each lane group

	// Flags, bit warp * FENCE_COUNTERS + counter - 1, behind phase 2 (HZ-5, HZ-8, HZ-17).
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding,
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] full,
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] waited,
	output logic [PIPES-1:0] waiting, // a full hazard queue holds a hazard back in the FIFO (HZ-12)
	output logic idle,                // all queues are empty
	output logic wrong                // a counter leaves its range: the pipes have lowered what was not raised (HZ-8)
);
	localparam RELEASES = PIPES + READS; // of the pipes' entries, then later reads

	logic [WRITES-1:0] written_valid;
	logic [WRITES*WARP_BITS-1:0] written_warp;
	logic [WRITES*COUNTER_BITS-1:0] written_counter;
	logic [WRITES*GROUP_BITS-1:0] written_groups;
	logic [PIPES-1:0] entry_released;
	logic [PIPES*WARP_BITS-1:0] entry_released_warp;
	logic [PIPES*COUNTER_BITS-1:0] entry_released_counter;
	logic [PIPES*GROUP_BITS-1:0] entry_released_groups;
	logic [READS-1:0] later_released;
	logic [READS*WARP_BITS-1:0] later_released_warp;
	logic [READS*COUNTER_BITS-1:0] later_released_counter;
	logic [READS*GROUP_BITS-1:0] later_released_groups;
	/* verilator lint_off UNUSEDSIGNAL */
	logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding_before, waited_before, watching;
	logic [MACHINE_WARPS-1:0] for_waiters, for_room;
	/* verilator lint_on UNUSEDSIGNAL */

	order_core #(
		.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .FENCE_BITS(FENCE_BITS), .LANE_GROUPS(LANE_GROUPS), .PIPES(PIPES),
		.QUEUE_FIFO(QUEUE_FIFO), .QUEUE_HAZARD(QUEUE_HAZARD), .QUEUE_SPACING(QUEUE_SPACING), .QUEUE_SPACINGS(QUEUE_SPACINGS),
		.PAYLOAD_BITS(PAYLOAD_BITS), .PC_BITS(PC_BITS), .WRITES(WRITES), .RELEASES(RELEASES)
	) core (
		.clk(clk), .reset(reset),
		.valid(valid), .warp(warp), .pc(pc), .at_issue(at_issue), .at_queue(at_queue), .primary(primary), .pipe(pipe), .payload(payload),
		.advance_cycles(advance_cycles), .send(send), .deschedule(deschedule), .deschedule_warp(deschedule_warp), .deschedule_pc(deschedule_pc),
		.verdict(verdict), .watch(watch), .begin_warps(begin_warps),
		.leave_ready(leave_ready), .leave_valid(leave_valid), .leave_warp(leave_warp), .leave_payload(leave_payload),
		.released_valid({later_released, entry_released}), .released_warp({later_released_warp, entry_released_warp}),
		.released_counter({later_released_counter, entry_released_counter}), .released_groups({later_released_groups, entry_released_groups}),
		.written_valid(written_valid), .written_warp(written_warp), .written_counter(written_counter), .written_groups(written_groups),
		.outstanding(outstanding_before), .outstanding_released(outstanding), .full(full), .waited(waited_before), .waited_left(waited),
		.waiting(waiting), .idle(idle), .wrong(wrong)
	);

	hazard_monitor #(
		.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .LANE_GROUPS(LANE_GROUPS), .WRITES(WRITES), .READS(READS), .MESSAGES(1)
	) monitor (
		.clk(clk), .reset(reset),
		.write_valid(write_valid), .write_warp(write_warp), .write_counter(write_counter), .write_groups(write_groups),
		.read_valid(read_valid), .read_warp(read_warp), .read_counter(read_counter), .read_groups(read_groups),
		.written_valid(written_valid), .written_warp(written_warp), .written_counter(written_counter), .written_groups(written_groups),
		.released_valid(later_released), .released_warp(later_released_warp), .released_counter(later_released_counter),
		.released_groups(later_released_groups),
		.outstanding(outstanding), .full(full), .waited(waited),
		.deschedule(deschedule), .deschedule_warp(deschedule_warp), .verdict(verdict), .watch(watch), .begin_warps(begin_warps),
		.wake(wake), .waiting(asleep), .for_waiters(for_waiters), .for_room(for_room), .watching(watching)
	);

	genvar p;
	generate
		for (p = 0; p < PIPES; p = p + 1) begin : entry
			active_logic #(
				.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .LANES(LANES), .LANE_GROUPS(LANE_GROUPS)
			) at_entry (
				.valid(leave_valid[p]), .warp(leave_warp[p*WARP_BITS +: WARP_BITS]),
				.active(entry_active[p*LANES +: LANES]), .guard(entry_guard[p*LANES +: LANES]), .flow(entry_flow[p]),
				.primary(entry_primary[p*COUNTER_BITS +: COUNTER_BITS]), .by_read(entry_by_read[p]), .narrow(entry_narrow[p]),
				.enter(enter[p]), .drop(drop[p]), .lanes(lanes[p*LANES +: LANES]), .lane_groups(lane_groups[p*LANE_GROUPS +: LANE_GROUPS]),
				.released_valid(entry_released[p]), .released_warp(entry_released_warp[p*WARP_BITS +: WARP_BITS]),
				.released_counter(entry_released_counter[p*COUNTER_BITS +: COUNTER_BITS]),
				.released_groups(entry_released_groups[p*GROUP_BITS +: GROUP_BITS])
			);
		end
	endgenerate
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Hazard monitor (HZ-9): it sees which lane groups were written and read at the pipes, tells the fence counters by how much to fall, and wakes the warps
// that the decoder sent back (HZ-18, HZ-21, HZ-22). Model: src/core/issue/monitor.c.
//
// Phases as in fence_counters: writes in phase 1, reads in phase 2, the decoder's message in phase 3. A warp wakes in the cycle in which the last flag that
// it watches falls, so the scheduler may pick it in phase 3 of that cycle.
module hazard_monitor #(
	parameter MACHINE_WARPS = 16, // warp slots of the scheduler, at least 2
	parameter FENCE_COUNTERS = 6, // K
	parameter LANE_GROUPS = 8,    // lane groups of a warp
	parameter WRITES = 2,         // ports: parts of results that are written in a cycle
	parameter READS = 2,          // ports: parts of operands that are read in a cycle
	parameter MESSAGES = 1,       // ports: warps that are sent back in a cycle; with a candidate window there can be several (MI-2)
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1),
	parameter GROUP_BITS = $clog2(LANE_GROUPS + 1)
) (
	input logic clk,
	input logic reset, // synchronous; no warp waits

	// Phase 1: lane groups that are written in this cycle, of a primary whose counter falls by writes. Counter 0: it raised none.
	input logic [WRITES-1:0] write_valid,
	input logic [WRITES*WARP_BITS-1:0] write_warp,
	input logic [WRITES*COUNTER_BITS-1:0] write_counter,
	input logic [WRITES*LANE_GROUPS-1:0] write_groups, // one bit for each lane group

	// Phase 2: lane groups whose operands are read in this cycle, of a primary whose counter falls by reads.
	input logic [READS-1:0] read_valid,
	input logic [READS*WARP_BITS-1:0] read_warp,
	input logic [READS*COUNTER_BITS-1:0] read_counter,
	input logic [READS*LANE_GROUPS-1:0] read_groups,

	// To fence_counters, which has a port for each.
	output logic [WRITES-1:0] written_valid,
	output logic [WRITES*WARP_BITS-1:0] written_warp,
	output logic [WRITES*COUNTER_BITS-1:0] written_counter,
	output logic [WRITES*GROUP_BITS-1:0] written_groups, // number of lane groups
	output logic [READS-1:0] released_valid,
	output logic [READS*WARP_BITS-1:0] released_warp,
	output logic [READS*COUNTER_BITS-1:0] released_counter,
	output logic [READS*GROUP_BITS-1:0] released_groups,

	// Flags behind phase 2, bit warp * FENCE_COUNTERS + counter - 1.
	input logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding, // fence_counters.outstanding_released
	input logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] full,        // fence_counters.full_released
	input logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] waited,      // wait_counters.waited_left

	// Phase 3: messages of the decoders: decode_check.deschedule, ... Requires: a flag of `watch` is up, of the kind that `verdict` names; one message a
	// warp and cycle.
	input logic [MESSAGES-1:0] deschedule,
	input logic [MESSAGES*WARP_BITS-1:0] deschedule_warp,
	input logic [MESSAGES*2-1:0] verdict, // 1 high-latency counter, 2 wait counter, 3 full counter
	input logic [MESSAGES*FENCE_COUNTERS-1:0] watch,

	input logic [MACHINE_WARPS-1:0] begin_warps, // another warp begins in a slot; it waits for nothing

	output logic [MACHINE_WARPS-1:0] wake,    // warps that come back to the scheduler in this cycle
	output logic [MACHINE_WARPS-1:0] waiting, // warps that the scheduler must not pick in phase 3 of this cycle
	output logic [MACHINE_WARPS-1:0] for_waiters, // of these: for a wait counter
	output logic [MACHINE_WARPS-1:0] for_room,    // of these: for a full counter
	output logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] watching // of these: the counters of the last message
);
	localparam [1:0] WAIT_WAITERS = 2'd2, WAIT_ROOM = 2'd3;

	always_comb begin
		for (int i = 0; i < WRITES; i++) begin
			written_groups[i*GROUP_BITS +: GROUP_BITS] = '0;
			for (int g = 0; g < LANE_GROUPS; g++)
				written_groups[i*GROUP_BITS +: GROUP_BITS] = written_groups[i*GROUP_BITS +: GROUP_BITS] + GROUP_BITS'(write_groups[i*LANE_GROUPS + g]);
			written_valid[i] = write_valid[i] && write_counter[i*COUNTER_BITS +: COUNTER_BITS] != '0;
		end
		for (int i = 0; i < READS; i++) begin
			released_groups[i*GROUP_BITS +: GROUP_BITS] = '0;
			for (int g = 0; g < LANE_GROUPS; g++)
				released_groups[i*GROUP_BITS +: GROUP_BITS] = released_groups[i*GROUP_BITS +: GROUP_BITS] + GROUP_BITS'(read_groups[i*LANE_GROUPS + g]);
			released_valid[i] = read_valid[i] && read_counter[i*COUNTER_BITS +: COUNTER_BITS] != '0;
		end
	end
	assign written_warp = write_warp;
	assign written_counter = write_counter;
	assign released_warp = read_warp;
	assign released_counter = read_counter;

	genvar w;
	generate
		for (w = 0; w < MACHINE_WARPS; w = w + 1) begin : warp
			logic waits_q, for_waiters_q, for_room_q, sent_back;
			logic [FENCE_COUNTERS-1:0] watch_q, new_watch, flags;
			logic [1:0] new_verdict;
			assign flags = for_waiters_q ? waited[w*FENCE_COUNTERS +: FENCE_COUNTERS] : for_room_q ? full[w*FENCE_COUNTERS +: FENCE_COUNTERS] :
			               outstanding[w*FENCE_COUNTERS +: FENCE_COUNTERS];
			always_comb begin
				sent_back = 1'b0;
				new_watch = '0;
				new_verdict = '0;
				for (int i = 0; i < MESSAGES; i++)
					if (deschedule[i] && deschedule_warp[i*WARP_BITS +: WARP_BITS] == WARP_BITS'(w)) begin
						sent_back = 1'b1;
						new_watch = new_watch | watch[i*FENCE_COUNTERS +: FENCE_COUNTERS];
						new_verdict = new_verdict | verdict[i*2 +: 2];
					end
			end
			assign wake[w] = waits_q && (flags & watch_q) == '0;
			assign waiting[w] = waits_q && !wake[w];
			assign for_waiters[w] = waiting[w] && for_waiters_q;
			assign for_room[w] = waiting[w] && for_room_q;
			assign watching[w*FENCE_COUNTERS +: FENCE_COUNTERS] = watch_q & {FENCE_COUNTERS{waiting[w]}};
			always_ff @(posedge clk) begin
				if (reset || begin_warps[w])
					waits_q <= 1'b0;
				else
					waits_q <= waiting[w] || sent_back;
				if (sent_back) begin
					watch_q <= new_watch;
					for_waiters_q <= new_verdict == WAIT_WAITERS;
					for_room_q <= new_verdict == WAIT_ROOM;
				end
			end
		end
	endgenerate
endmodule

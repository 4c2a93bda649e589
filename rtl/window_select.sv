// SPDX-License-Identifier: BSD-3-Clause
// Selection of several instructions of one warp in one cycle (MI-2 to MI-9), for the warp slots of one scheduler. Model: src/core/issue/window.c.
//
// Places are numbered from the warp's PC on. A place that was sent is remembered until the PC passes it. Each cycle, the places of the warp that was
// picked are checked in their order. A target raises its counter before the places behind it are checked (MI-6).
//
// The model keeps times with cycle numbers of 64 bits. This module has counters for each warp slot and pipe: the cycles until its next instruction may be
// sent, and the cycles of that instruction's wait that have passed.
//
// Requires: place 0 has arrived, is before MINRC and is not sent. The picked warp does not begin in this cycle. Two instructions of one
// pipe have a bit in place_behind.
module window_select #(
	parameter MACHINE_WARPS = 16,     // warp slots of the scheduler, at least 2
	parameter MULTI_ISSUE_WINDOW = 4, // N: instructions that have not been sent and are candidates (MI-2), at least 2
	parameter WINDOW_SPAN = 32,       // places that are looked at, at least 3
	parameter PIPES = 8,              // pipes with a queue, at least 2; the flow unit's is none of them
	parameter FENCE_COUNTERS = 6,     // K, at least 2
	parameter PC_BITS = 24,           // width of an address
	parameter LEFT_BITS = 5,          // holds a delay and the entries of a FIFO
	parameter MULTI_ISSUE_PLACES = 0, // 1 or "eligible": what waits for a high-latency counter takes none of the N places (MI-13); 0 or "unsent": it does
	parameter QUEUE_SPACING = 8,      // longest distance that a queue keeps, at least 1
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter PIPE_BITS = $clog2(PIPES),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1),
	parameter ROOM_BITS = $clog2(MULTI_ISSUE_WINDOW + 1),
	parameter SPACING_BITS = $clog2(QUEUE_SPACING + 1),
	parameter SPAN_BITS = $clog2(WINDOW_SPAN + 1)
) (
	input logic clk,
	input logic reset, // synchronous; no place is sent, and nothing is to be waited for

	input logic [MACHINE_WARPS-1:0] begin_warps, // another warp begins in a slot
	input logic [MACHINE_WARPS-1:0] enter_warps, // the warp goes on at its PC: it has begun, or a flow instruction was decided. Waits begin.

	// The warp that the scheduler picked, and the instructions from its PC on, by place.
	input logic pick_valid,
	input logic [WARP_BITS-1:0] pick_warp,
	input logic [PC_BITS-1:0] pick_minrc, // resume_unit.minrc
	input logic [WINDOW_SPAN-1:0] place_fetched, // has arrived
	input logic [WINDOW_SPAN*PC_BITS-1:0] place_pc,
	input logic [WINDOW_SPAN-1:0] place_alone, // is sent alone (MI-9): a flow instruction or a nop
	input logic [WINDOW_SPAN-1:0] place_held, // waits for something that is not here: a constant operand, a scoreboard
	input logic first_flow, // place 0, if alone, is a flow instruction
	input logic [WINDOW_SPAN*PIPE_BITS-1:0] place_pipe, // by pre-decode or opcode (MI-1)
	input logic [WINDOW_SPAN*FENCE_COUNTERS-1:0] place_at_issue, // counters that the decoder checks (HZ-21); bit counter - 1
	input logic [WINDOW_SPAN*FENCE_COUNTERS-1:0] place_at_queue, // counters that the queue checks
	input logic [WINDOW_SPAN*COUNTER_BITS-1:0] place_primary, // own counter from 1, 0 = none
	input logic [WINDOW_SPAN*4-1:0] place_delay, // cycles to the next instruction of the pipe, at least 1 (PD-5)
	input logic [WINDOW_SPAN*4-1:0] place_wait, // (PD-6)
	// Dependences (MI-5): bit j = on the instruction j + 1 places before.
	input logic [WINDOW_SPAN*(WINDOW_SPAN-1)-1:0] place_after, // it must have been sent, or be a target of this cycle
	input logic [WINDOW_SPAN*(WINDOW_SPAN-1)-1:0] place_behind, // it must have been sent in an earlier cycle

	// Of the picked warp, behind phase 2 (rtl/README.md).
	input logic [FENCE_COUNTERS-1:0] outstanding,
	input logic [FENCE_COUNTERS-1:0] waited,
	input logic [FENCE_COUNTERS*ROOM_BITS-1:0] counter_room, // primaries for which a counter has room, at most N
	// Of each pipe's queue.
	input logic [PIPES-1:0] queue_ready, // its FIFO has room
	input logic flow_ready,              // so has the flow unit's
	input logic [PIPES-1:0] queue_hold,  // as many secondaries wait in it as multi_issue.hold allows
	input logic [PIPES*LEFT_BITS-1:0] queue_ahead, // instructions in its FIFO
	// Counted cycles from the warp's last instruction in the queue to its next one, without that one's wait, and cycles from the time at which the last
	// instruction left to the time at which the next one can leave (rule 2 of docs/timing.md); both stop at QUEUE_SPACING. The latter is QUEUE_SPACING, too,
	// when the longest distance of the queue has passed.
	input logic [PIPES*SPACING_BITS-1:0] queue_distance,
	input logic [PIPES*SPACING_BITS-1:0] queue_passed,

	output logic [WINDOW_SPAN-1:0] targets, // places that are sent in this cycle (MI-3, MI-7)
	output logic [PIPES-1:0] push_valid,    // pipes whose queue takes one of them
	output logic alone,                     // place 0 is the only target, and alone (MI-9)
	output logic [SPAN_BITS-1:0] advance,   // places that the PC moves on (MI-8)
	output logic deschedule,                // no target, the first place is refused, and nothing waits only for time or a queue
	output logic [1:0] verdict,             // enum hd_verdict: 1 outstanding, 2 wait counter, 3 no room
	output logic [FENCE_COUNTERS-1:0] watch, // counters to wait for

	// State at the beginning of the cycle.
	output logic [MACHINE_WARPS*WINDOW_SPAN-1:0] sent, // bit of place 0 is 0 (MI-8)
	output logic [MACHINE_WARPS*PIPES*LEFT_BITS-1:0] left,  // cycles until the pipe's next instruction may be sent
	output logic [MACHINE_WARPS*PIPES*4-1:0] passed,        // cycles of its wait that have passed, at most 15
	output logic [MACHINE_WARPS*PIPES-1:0] held             // its wait begins when `left` is 0
);
	/* verilator lint_off WIDTH */
	localparam ELIGIBLE = MULTI_ISSUE_PLACES != 0 && MULTI_ISSUE_PLACES != "unsent";
	/* verilator lint_on WIDTH */
	logic [WINDOW_SPAN-1:0] sent_now;
	logic [PIPES*LEFT_BITS-1:0] left_now;
	logic [PIPES*4-1:0] passed_now;
	always_comb begin
		sent_now = '0;
		left_now = '0;
		passed_now = '0;
		for (int w = 0; w < MACHINE_WARPS; w++) begin
			sent_now = sent_now | (sent[w*WINDOW_SPAN +: WINDOW_SPAN] & {WINDOW_SPAN{pick_warp == WARP_BITS'(w)}});
			left_now = left_now | (left[w*PIPES*LEFT_BITS +: PIPES*LEFT_BITS] & {(PIPES*LEFT_BITS){pick_warp == WARP_BITS'(w)}});
			passed_now = passed_now | (passed[w*PIPES*4 +: PIPES*4] & {(PIPES*4){pick_warp == WARP_BITS'(w) && !enter_warps[w]}});
		end
	end

	// The needs of a place that no other place changes: time, room, distance.
	logic [WINDOW_SPAN-1:0] in_time, takes, reached, eligible; // eligible: has arrived, and is before MINRC
	logic [WINDOW_SPAN-1:0] holds; // its queue has enough secondaries
	genvar i;
	generate
		for (i = 0; i < WINDOW_SPAN; i = i + 1) begin : check
			logic [PIPE_BITS-1:0] pipe;
			logic [3:0] its_wait, its_passed;
			logic [LEFT_BITS-1:0] its_left;
			logic [SPACING_BITS-1:0] its_distance;
			logic [SPACING_BITS+4:0] distance;
			assign pipe = place_pipe[i*PIPE_BITS +: PIPE_BITS];
			assign its_wait = place_wait[i*4 +: 4];
			assign its_left = left_now[pipe*LEFT_BITS +: LEFT_BITS];
			assign its_passed = passed_now[pipe*4 +: 4];
			assign its_distance = queue_distance[pipe*SPACING_BITS +: SPACING_BITS];
			assign distance = (SPACING_BITS + 5)'(its_distance) + (SPACING_BITS + 5)'(its_wait);
			assign in_time[i] = its_left == '0 && its_passed >= its_wait;
			assign takes[i] = queue_ready[pipe];
			assign holds[i] = queue_hold[pipe];
			assign reached[i] = (distance > (SPACING_BITS + 5)'(QUEUE_SPACING) ? SPACING_BITS'(QUEUE_SPACING) : distance[SPACING_BITS-1:0])
			                    <= queue_passed[pipe*SPACING_BITS +: SPACING_BITS];
			assign eligible[i] = place_fetched[i] && !place_alone[i] && place_pc[i*PC_BITS +: PC_BITS] < pick_minrc; // MI-9
		end
	endgenerate
	// An instruction that is sent alone waits for the times of all pipes.
	logic all_in_time, first_alone;
	logic [3:0] first_wait;
	assign first_alone = place_alone[0];
	assign first_wait = place_wait[3:0];
	always_comb begin
		all_in_time = 1'b1;
		for (int p = 0; p < PIPES; p++)
			if (left_now[p*LEFT_BITS +: LEFT_BITS] != '0 || passed_now[p*4 +: 4] < first_wait)
				all_in_time = 1'b0;
	end

	// The places in their order.
	logic [FENCE_COUNTERS-1:0] raised, to_raise, sent_waits, late, own, own_full; // to_raise: by places that were not sent before this cycle
	logic [FENCE_COUNTERS*ROOM_BITS-1:0] room;
	logic [ROOM_BITS-1:0] candidates; // that may still be looked at
	logic window, can, waits, refused, first_refused, some_wait, is_open, counts, may;
	logic [WINDOW_SPAN-2:0] open, unsent; // bit j: the instruction j + 1 places before was not sent before this cycle; is not sent and no target
	logic [1:0] its_verdict;
	always_comb begin
		targets = '0;
		raised = '0;
		to_raise = '0;
		sent_waits = '0;
		room = counter_room;
		candidates = ROOM_BITS'(MULTI_ISSUE_WINDOW);
		window = 1'b1;
		open = '0;
		unsent = '0;
		some_wait = 1'b0;
		first_refused = 1'b0;
		verdict = 2'd0;
		watch = '0;
		for (int p = 0; p < WINDOW_SPAN; p++) begin
			is_open = !sent_now[p];
			window = window && (p == 0 || eligible[p]) && candidates != '0;
			counts = !ELIGIBLE || (place_at_issue[p*FENCE_COUNTERS +: FENCE_COUNTERS] & (outstanding | to_raise)) == '0;
			may = window && is_open && (p == 0 || (counts && (place_after[p*(WINDOW_SPAN-1) +: WINDOW_SPAN-1] & unsent) == '0 &&
			      (place_behind[p*(WINDOW_SPAN-1) +: WINDOW_SPAN-1] & open) == '0));

			// The place's own conditions: time, queue, distance, then the decoder's check (HZ-18, HZ-21).
			late = place_at_issue[p*FENCE_COUNTERS +: FENCE_COUNTERS] & (outstanding | raised);
			for (int c = 0; c < FENCE_COUNTERS; c++) begin
				own[c] = place_primary[p*COUNTER_BITS +: COUNTER_BITS] == COUNTER_BITS'(c + 1);
				own_full[c] = own[c] && room[c*ROOM_BITS +: ROOM_BITS] == '0;
			end
			if (p == 0 && first_alone)
				waits = place_held[p] || !all_in_time || (first_flow && !flow_ready);
			else
				waits = place_held[p] || !in_time[p] || !takes[p] || !reached[p] ||
				        (holds[p] && (place_at_queue[p*FENCE_COUNTERS +: FENCE_COUNTERS] & (outstanding | raised)) != '0);
			its_verdict = late != '0 ? 2'd1 : (own & (waited | sent_waits)) != '0 ? 2'd2 : own_full != '0 ? 2'd3 : 2'd0;
			refused = its_verdict != 2'd0;
			can = may && !waits && !refused;

			if (p == 0) begin
				first_refused = !waits && refused;
				verdict = its_verdict;
				watch = late != '0 ? late : own;
			end
			some_wait = some_wait || (may && waits);
			targets[p] = can;
			if (can) begin
				raised = raised | own;
				sent_waits = sent_waits | place_at_queue[p*FENCE_COUNTERS +: FENCE_COUNTERS];
				for (int c = 0; c < FENCE_COUNTERS; c++)
					room[c*ROOM_BITS +: ROOM_BITS] = room[c*ROOM_BITS +: ROOM_BITS] - ROOM_BITS'(own[c]);
			end
			if (window && is_open && counts)
				candidates = candidates - 1'b1;
			if (p == 0 && first_alone)
				candidates = '0;
			if (is_open)
				to_raise = to_raise | own;
			open = open << 1 | (WINDOW_SPAN - 1)'(is_open);
			unsent = unsent << 1 | (WINDOW_SPAN - 1)'(is_open && !can);
		end
		if (!pick_valid)
			targets = '0;
	end
	assign alone = first_alone && targets[0];
	assign deschedule = pick_valid && targets == '0 && first_refused && !some_wait;

	// MI-8
	logic [WINDOW_SPAN-1:0] sent_next, behind_pc;
	logic run;
	assign sent_next = alone && first_flow ? sent_now : sent_now | targets;
	always_comb begin
		run = 1'b1;
		advance = '0;
		behind_pc = sent_next;
		for (int p = 0; p < WINDOW_SPAN; p++) begin
			run = run && sent_next[p];
			if (run) begin
				advance = advance + 1'b1;
				behind_pc = behind_pc >> 1;
			end
		end
	end

	// The delay of each pipe's target. It counts from the time at which the queue can pass the instruction on.
	logic [PIPES*LEFT_BITS-1:0] delay;
	logic [3:0] its_delay;
	always_comb begin
		push_valid = '0;
		delay = '0;
		for (int p = 0; p < WINDOW_SPAN; p++) begin
			its_delay = place_delay[p*4 +: 4];
			for (int q = 0; q < PIPES; q++)
				if (targets[p] && (alone || place_pipe[p*PIPE_BITS +: PIPE_BITS] == PIPE_BITS'(q))) begin
					push_valid[q] = !alone;
					delay[q*LEFT_BITS +: LEFT_BITS] = delay[q*LEFT_BITS +: LEFT_BITS] | (LEFT_BITS'(its_delay) +
						(alone || its_delay < 4'd2 ? '0 : queue_ahead[q*LEFT_BITS +: LEFT_BITS]));
				end
		end
	end

	genvar w, q;
	generate
		for (w = 0; w < MACHINE_WARPS; w = w + 1) begin : row
			logic mine, begins, enters;
			assign mine = pick_valid && pick_warp == WARP_BITS'(w);
			assign begins = begin_warps[w];
			assign enters = enter_warps[w];
			always_ff @(posedge clk) begin
				if (reset || begins)
					sent[w*WINDOW_SPAN +: WINDOW_SPAN] <= '0;
				else if (mine)
					sent[w*WINDOW_SPAN +: WINDOW_SPAN] <= {behind_pc[WINDOW_SPAN-1:1], 1'b0}; // the PC stops at a place that was not sent
			end
			for (q = 0; q < PIPES; q = q + 1) begin : column
				localparam AT = w * PIPES + q;
				logic [LEFT_BITS-1:0] left_q;
				logic [3:0] passed_q;
				logic held_q, starts;
				assign starts = mine && (alone || push_valid[q]);
				always_ff @(posedge clk) begin
					if (reset || begins) begin
						left_q <= '0;
						passed_q <= enters ? 4'd1 : 4'd15;
						held_q <= 1'b0;
					end else if (starts) begin
						left_q <= delay[q*LEFT_BITS +: LEFT_BITS] - 1'b1;
						passed_q <= '0;
						held_q <= !alone; // an instruction that is sent alone waits and delays at the same time
					end else begin
						left_q <= left_q != '0 ? left_q - 1'b1 : '0;
						if (enters) begin
							passed_q <= 4'd1;
							held_q <= 1'b0;
						end else if (!(held_q && left_q != '0) && passed_q != 4'd15) begin
							passed_q <= passed_q + 1'b1;
						end
					end
				end
				assign left[AT*LEFT_BITS +: LEFT_BITS] = left_q;
				assign passed[AT*4 +: 4] = passed_q;
				assign held[AT] = held_q;
			end
		end
	endgenerate
endmodule

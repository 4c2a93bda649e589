// SPDX-License-Identifier: BSD-3-Clause
// Resume counters and MINRC (RC-1 to RC-14) for the warp slots of one scheduler. Model: src/core/flow/flow.c.
//
// Every flow instruction is the same step: each active lane waits at the address to which it goes, the PC becomes the lowest of these addresses and
// MINRC, and the lanes that wait there are active. One row of comparators finds these lanes, and one comparator tree finds the MINRC of the rest. All
// warp slots share them, and one operation goes through them in a cycle.
//
// The address with all bits set is no address: a resume counter or MINRC with this value is infinite.
//
// Lanes that wait at a `wsync` are left out (docs/hardware.md).
//
// Requires: op_taken are active lanes of a warp that has begun. Each address to which a lane goes holds an instruction, and a branch stays in its subroutine.
// With membership by range, subroutines are not recursive (RC-10): the compiler refuses recursion, and no hardware looks for it.
module resume_unit #(
	parameter MACHINE_WARPS = 16,         // warp slots of the scheduler
	parameter LANES = 32,                 // threads of a warp; a power of 2, at least 2
	parameter PC_BITS = 24,               // width of an address
	parameter DIVERGENCE_CALL_DEPTH = 64, // entries of a warp's MINRC stack (RC-13); a power of 2, at least 2
	parameter MEMBERSHIP_RANGE = 0,       // divergence.membership: 0 = flag, 1 = range (RC-9)
	parameter WARP_BITS = MACHINE_WARPS > 1 ? $clog2(MACHINE_WARPS) : 1,
	parameter LANE_BITS = $clog2(LANES)
) (
	input logic clk,
	input logic reset, // synchronous; an operation that has begun is forgotten, and each warp must begin again

	// The PC is loaded in sequence (RC-2). A step waits (step_ready = 0) only where lanes resume while another warp's operation needs the comparators.
	input logic step_valid,
	output logic step_ready,
	input logic [WARP_BITS-1:0] step_warp, // not op_warp while op_valid is 1
	input logic [PC_BITS-1:0] step_pc,

	// An operation. It ends in the cycle in which op_valid and op_ready are 1; until then the inputs stay as they are.
	input logic op_valid,
	output logic op_ready,
	input logic [WARP_BITS-1:0] op_warp,
	input logic [2:0] op_kind, // 0 begin at op_target, 1 branch, 2 indirect branch, 3 call, 4 indirect call, 5 return, 6 exit
	input logic [LANES-1:0] op_taken, // the active lanes whose guard holds; begin: the lanes of the warp
	input logic [PC_BITS-1:0] op_next, // the address behind the instruction
	input logic [PC_BITS-1:0] op_target, // of branch and call
	input logic [LANES*PC_BITS-1:0] op_targets, // of indirect branch and call, by lane (RC-14)
	input logic [LANES-1:0] op_bad, // indirect: the lane's target is no legal one
	input logic [PC_BITS-1:0] callee_begin, // with membership by range: the subroutine at op_target or lowest
	input logic [PC_BITS-1:0] callee_end,

	// In the last cycle of an operation.
	output logic [2:0] op_result, // 0 goes on, 1 no thread is left, 2 bad target, 3 calls too deep, 5 return outside of a subroutine
	output logic [LANE_BITS-1:0] op_lane, // with result 2: the first lane with a bad target
	output logic [PC_BITS-1:0] lowest, // of an indirect operation: the lowest target, from the second cycle on

	// State at the beginning of the cycle, by warp slot.
	output logic [MACHINE_WARPS*PC_BITS-1:0] pc,
	output logic [MACHINE_WARPS*LANES-1:0] active,
	output logic [MACHINE_WARPS*PC_BITS-1:0] minrc, // window_select sends nothing at or beyond it (MI-9)

	// State at the beginning of the cycle, of op_warp, or of step_warp while op_valid is 0 (RC-24).
	output logic [LANES*PC_BITS-1:0] shown_counters,
	output logic [LANES-1:0] shown_alive,   // lanes that have not exited
	output logic [LANES-1:0] shown_members, // lanes of the running activation (RC-8)
	output logic [$clog2(DIVERGENCE_CALL_DEPTH):0] shown_depth // calls
);
	localparam DEPTH_BITS = $clog2(DIVERGENCE_CALL_DEPTH);
	localparam FRAME_BITS = LANES + (MEMBERSHIP_RANGE != 0 ? 4 : 2) * PC_BITS;
	localparam REST_BITS = 2 * LANES + (MEMBERSHIP_RANGE != 0 ? 2 : 0) * PC_BITS + DEPTH_BITS + 1;
	localparam [PC_BITS-1:0] INFINITE = {PC_BITS{1'b1}};
	localparam [2:0] BEGIN = 0, BRANCH = 1, JUMP = 2, CALL = 3, CALL_INDIRECT = 4, RETURN = 5, EXIT = 6, LOAD = 7;
	localparam [1:0] FIRST = 0, KNOWN = 1, UNWIND = 2;

	logic [LANES*PC_BITS-1:0] counters [0:MACHINE_WARPS-1]; // state: resume counters
	logic [REST_BITS-1:0] rest [0:MACHINE_WARPS-1]; // state: {depth, alive, members, begin and end of the running subroutine with membership by range}
	logic [FRAME_BITS-1:0] frames [0:MACHINE_WARPS*DIVERGENCE_CALL_DEPTH-1]; // state: {members, minrc, return address, begin and end}
	logic [1:0] phase; // state: of the operation. KNOWN: its lowest target is known; UNWIND: activations without a lane end, one in a cycle
	logic [PC_BITS-1:0] lowest_q; // state
	assign lowest = lowest_q;

	// The warp slot that the step or the operation concerns.
	logic [WARP_BITS-1:0] warp;
	logic [2:0] kind;
	logic resumes, begun;
	logic [PC_BITS-1:0] step_minrc, pc_now, minrc_now;
	logic [LANES-1:0] active_now, taken;
	logic [LANES*PC_BITS-1:0] counters_now;
	always_comb begin
		step_minrc = '0;
		pc_now = '0;
		minrc_now = '0;
		active_now = '0;
		for (int w = 0; w < MACHINE_WARPS; w++) begin
			step_minrc = step_minrc | (minrc[w*PC_BITS +: PC_BITS] & {PC_BITS{step_warp == WARP_BITS'(w)}});
			pc_now = pc_now | (pc[w*PC_BITS +: PC_BITS] & {PC_BITS{warp == WARP_BITS'(w)}});
			minrc_now = minrc_now | (minrc[w*PC_BITS +: PC_BITS] & {PC_BITS{warp == WARP_BITS'(w)}});
			active_now = active_now | (active[w*LANES +: LANES] & {LANES{warp == WARP_BITS'(w)}});
		end
	end
	assign resumes = step_pc == step_minrc;
	assign step_ready = !resumes || !op_valid;
	assign begun = op_valid || (step_valid && resumes);
	assign warp = op_valid ? op_warp : step_warp;
	assign kind = op_valid ? op_kind : LOAD;
	assign taken = op_taken;
	assign counters_now = counters[warp];

	logic [DEPTH_BITS:0] depth;
	logic [LANES-1:0] alive, members;
	logic [PC_BITS-1:0] range_begin, range_end;
	logic [REST_BITS-1:0] rest_now;
	assign rest_now = rest[warp];
	assign {depth, alive, members} = rest_now[REST_BITS-1 -: DEPTH_BITS + 1 + 2 * LANES];

	assign shown_counters = counters_now;
	assign shown_alive = alive;
	assign shown_members = members;
	assign shown_depth = depth;

	// The frame of the caller.
	logic [DEPTH_BITS-1:0] top;
	logic [FRAME_BITS-1:0] frame;
	logic [LANES-1:0] frame_members;
	logic [PC_BITS-1:0] frame_minrc, frame_back, frame_begin, frame_end;
	assign top = depth[DEPTH_BITS-1:0] - 1'b1;
	assign frame = frames[{warp, top}];
	assign {frame_members, frame_minrc, frame_back} = frame[FRAME_BITS-1 -: LANES + 2 * PC_BITS];
	generate
		if (MEMBERSHIP_RANGE != 0) begin : ranges
			assign {range_begin, range_end} = rest_now[2*PC_BITS-1:0];
			assign {frame_begin, frame_end} = frame[2*PC_BITS-1:0];
		end else begin : flags
			assign {range_begin, range_end} = {{PC_BITS{1'b0}}, INFINITE};
			assign {frame_begin, frame_end} = {{PC_BITS{1'b0}}, INFINITE};
		end
	endgenerate

	// The kind of the operation.
	logic indirect, call, goes, vanish, leave, pop, unwind, ends, measure, refused, too_deep;
	logic [LANES-1:0] others, alive_next, returning, bad;
	logic [PC_BITS-1:0] target;
	assign indirect = kind == JUMP || kind == CALL_INDIRECT;
	assign call = (kind == CALL || kind == CALL_INDIRECT) && taken != '0;
	assign goes = (kind == BRANCH || kind == JUMP) && taken != '0;
	assign too_deep = depth[DEPTH_BITS]; // RC-13
	assign vanish = kind == RETURN || kind == EXIT;
	assign others = active_now & ~taken;
	assign bad = taken & op_bad;
	assign alive_next = kind == BEGIN ? taken : kind == EXIT ? alive & ~taken : alive;
	assign returning = members & alive_next; // who goes on behind the call (RC-11)
	assign leave = vanish && others == '0;
	assign pop = leave && minrc_now == INFINITE && depth != '0;
	assign unwind = pop && returning == '0 && frame_minrc == INFINITE; // nobody is left in the caller's activation either
	assign ends = leave && minrc_now == INFINITE && depth == '0;
	assign target = indirect ? lowest_q : op_target;

	always_comb begin
		op_result = 3'd0;
		if (indirect && bad != '0)
			op_result = 3'd2;
		else if (call && too_deep)
			op_result = 3'd3;
		else if (kind == RETURN && taken != '0 && depth == '0 && phase == FIRST)
			op_result = 3'd5;
		else if (ends)
			op_result = 3'd1;
		op_lane = '0;
		for (int lane = LANES - 1; lane >= 0; lane--)
			if (bad[lane])
				op_lane = LANE_BITS'(lane);
	end
	assign refused = op_result > 3'd1;
	assign measure = indirect && taken != '0 && phase == FIRST && !refused; // the tree finds the lowest target, and nothing else happens
	assign op_ready = !measure && !unwind;

	// The address at which the PC goes on: the lowest at which a lane of the activation waits, once all active lanes wait.
	logic [PC_BITS-1:0] first, second, next_pc;
	always_comb begin
		first = op_next;
		second = INFINITE;
		case (kind)
		BEGIN: first = op_target;
		LOAD: first = step_pc;
		BRANCH, JUMP: if (goes) begin
			first = target; // RC-3 to RC-6
			second = others != '0 ? op_next : minrc_now; // the next address is never beyond MINRC
		end
		CALL, CALL_INDIRECT: if (call) first = target;
		default: if (leave) begin
			first = pop && returning != '0 ? frame_back : INFINITE;
			second = pop ? frame_minrc : minrc_now;
		end
		endcase
	end
	assign next_pc = first < second ? first : second;

	// Membership behind the operation (RC-8, RC-9, RC-11).
	logic [LANES-1:0] members_next, there, woken, eligible;
	logic [PC_BITS-1:0] begin_next, end_next;
	assign begin_next = kind == BEGIN ? '0 : call ? callee_begin : pop ? frame_begin : range_begin;
	assign end_next = kind == BEGIN ? INFINITE : call ? callee_end : pop ? frame_end : range_end;
	always_comb begin
		members_next = members;
		if (kind == BEGIN)
			members_next = taken;
		else if (call)
			members_next = MEMBERSHIP_RANGE != 0 ? taken & there : taken;
		else if (pop)
			members_next = frame_members;
	end

	// Where each lane waits, whether the PC comes there, and who waits on (RC-2, RC-10).
	logic [LANES*PC_BITS-1:0] counters_next;
	logic [LANES*PC_BITS-1:0] leaves;
	genvar lane;
	generate
		for (lane = 0; lane < LANES; lane = lane + 1) begin : each
			logic [PC_BITS-1:0] where, waits, its_target;
			logic goes_on; // it was active, or begins, and is not gone
			assign its_target = indirect ? op_targets[lane*PC_BITS +: PC_BITS] : op_target;
			assign goes_on = kind == BEGIN ? taken[lane] : active_now[lane] && !(vanish && (taken[lane] || leave));
			assign where = goes_on ? (goes || call ? (taken[lane] ? its_target : op_next) : next_pc)
			               : pop && returning[lane] ? frame_back
			               : active_now[lane] || kind == BEGIN ? INFINITE : counters_now[lane*PC_BITS +: PC_BITS];
			assign there[lane] = where == next_pc && next_pc != INFINITE;
			assign eligible[lane] = MEMBERSHIP_RANGE != 0 ? where >= begin_next && where < end_next : members_next[lane];
			// With membership by range, a lane whose target is another subroutine waits at the call, which it executes again.
			assign waits = MEMBERSHIP_RANGE != 0 && call && taken[lane] && !there[lane] ? pc_now : where;
			assign woken[lane] = there[lane] && eligible[lane];
			assign counters_next[lane*PC_BITS +: PC_BITS] = woken[lane] ? INFINITE : waits;
			assign leaves[lane*PC_BITS +: PC_BITS] = measure ? (taken[lane] ? op_targets[lane*PC_BITS +: PC_BITS] : INFINITE)
			                                         : woken[lane] || !eligible[lane] ? INFINITE : where;
		end
	endgenerate

	// RC-7: a tree of comparators. Nodes 0 to LANES - 1 are the lanes, and the last node is the root.
	logic [(2*LANES - 1)*PC_BITS-1:0] node;
	logic [PC_BITS-1:0] least;
	always_comb begin
		node = {{(LANES - 1)*PC_BITS{1'b0}}, leaves};
		for (int n = 0; n < LANES - 1; n++)
			node[(LANES + n)*PC_BITS +: PC_BITS] = node[2*n*PC_BITS +: PC_BITS] < node[(2*n + 1)*PC_BITS +: PC_BITS]
			                                       ? node[2*n*PC_BITS +: PC_BITS] : node[(2*n + 1)*PC_BITS +: PC_BITS];
	end
	assign least = node[(2*LANES - 2)*PC_BITS +: PC_BITS];

	// The frame that a call pushes: the caller's MINRC counts the lanes that do not call, or call later.
	logic [PC_BITS-1:0] minrc_pushed;
	logic [FRAME_BITS-1:0] frame_next;
	logic [REST_BITS-1:0] rest_next;
	logic [DEPTH_BITS:0] depth_next;
	assign depth_next = kind == BEGIN ? '0 : call ? depth + 1'b1 : pop ? depth - 1'b1 : depth;
	assign minrc_pushed = MEMBERSHIP_RANGE != 0 && (taken & ~there) != '0 ? pc_now : others != '0 ? op_next : minrc_now;
	generate
		if (MEMBERSHIP_RANGE != 0) begin : with_ranges
			assign frame_next = {members, minrc_pushed, op_next, range_begin, range_end};
			assign rest_next = {depth_next, alive_next, members_next, begin_next, end_next};
		end else begin : with_flags
			assign frame_next = {members, minrc_pushed, op_next};
			assign rest_next = {depth_next, alive_next, members_next};
		end
	endgenerate

	logic write, load;
	assign write = begun && !measure && !refused && !reset;
	assign load = step_valid && step_ready;
	always_ff @(posedge clk) begin
		if (write) begin
			counters[warp] <= counters_next;
			rest[warp] <= rest_next;
		end
		if (write && call)
			frames[{warp, depth[DEPTH_BITS-1:0]}] <= frame_next;
	end
	always_ff @(posedge clk) begin
		if (measure && op_valid)
			lowest_q <= least;
		if (reset || !op_valid || op_ready)
			phase <= FIRST;
		else
			phase <= measure ? KNOWN : UNWIND;
	end
	genvar slot;
	generate
		for (slot = 0; slot < MACHINE_WARPS; slot = slot + 1) begin : state
			logic mine;
			assign mine = warp == WARP_BITS'(slot);
			always_ff @(posedge clk) begin
				if (reset)
					active[slot*LANES +: LANES] <= '0;
				else if (write && mine)
					active[slot*LANES +: LANES] <= woken;
				if (write && mine) begin
					minrc[slot*PC_BITS +: PC_BITS] <= least;
					if (!ends)
						pc[slot*PC_BITS +: PC_BITS] <= unwind ? frame_back : next_pc;
				end else if (load && step_warp == WARP_BITS'(slot)) begin
					pc[slot*PC_BITS +: PC_BITS] <= step_pc;
				end
			end
		end
	endgenerate
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// The baseline that resume counters are compared with: a stack of reconvergence tokens (RC-16) for the warp slots of one scheduler. Model:
// src/core/flow/stack.c.
//
// A token is MEET, lanes that meet at a `sync`; SIDE, lanes that take the other side of a branch and have not begun; or CALL, the caller of the running
// activation. Lanes that go to a token wait there. The model takes them off every token above it. This module keeps for each lane the token to which it
// has gone, and leaves the tokens as they are: the lanes of a token are those that were pushed and have not gone to a lower one. A lane that returns goes
// to the token of the call. So tokens are only pushed and popped, and their lanes fit into a memory.
//
// All warp slots share the logic, and one operation goes through it in a cycle. One that pushes or pops several tokens takes as many cycles.
//
// Requires: op_taken are active lanes of a warp that has begun, and `sync` has one. Each address to which a lane goes holds an instruction. What `push` names
// is the address of a `sync`.
module reconvergence_stack #(
	parameter MACHINE_WARPS = 16, // warp slots of the scheduler
	parameter LANES = 32,         // threads of a warp; a power of 2, at least 2
	parameter PC_BITS = 24,       // width of an address
	parameter TOKENS = 32,        // entries of a warp's stack; a power of 2, at least 2
	parameter LINE_WORDS = 8,     // the first word of so many holds no instruction; a power of 2 (PD-1)
	parameter WARP_BITS = MACHINE_WARPS > 1 ? $clog2(MACHINE_WARPS) : 1,
	parameter LANE_BITS = $clog2(LANES)
) (
	input logic clk,
	input logic reset, // synchronous; an operation that has begun is forgotten, and each warp must begin again

	// The PC is loaded in sequence. Not of op_warp while op_valid is 1.
	input logic step_valid,
	input logic [WARP_BITS-1:0] step_warp,
	input logic [PC_BITS-1:0] step_pc,

	// An operation. It ends in the cycle in which op_valid and op_ready are 1; until then the inputs stay as they are.
	input logic op_valid,
	output logic op_ready,
	input logic [WARP_BITS-1:0] op_warp,
	// 0 begin at op_target, 1 branch, 2 indirect branch, 3 call, 4 indirect call, 5 return, 6 exit, 7 push, 8 break, 9 sync
	input logic [3:0] op_kind,
	input logic [LANES-1:0] op_taken, // the active lanes whose guard holds; begin: the lanes of the warp
	input logic [PC_BITS-1:0] op_next, // the address behind the instruction
	input logic [PC_BITS-1:0] op_target, // of branch, break, call and push
	input logic [LANES*PC_BITS-1:0] op_targets, // of indirect branch and call, by lane (RC-14)
	input logic [LANES-1:0] op_bad, // indirect: the lane's target is no legal one

	// In the last cycle of an operation.
	output logic [2:0] op_result, // 0 goes on, 1 no thread is left, 2 bad target, 5 return outside of a subroutine, 6 no room for a token
	output logic [LANE_BITS-1:0] op_lane, // with result 2: the first lane with a bad target

	// State at the beginning of the cycle, by warp slot.
	output logic [MACHINE_WARPS*PC_BITS-1:0] pc,
	output logic [MACHINE_WARPS*LANES-1:0] active,

	// State at the beginning of the cycle, of op_warp (RC-24).
	output logic [LANES-1:0] shown_alive, // lanes that have not exited
	output logic [$clog2(TOKENS):0] shown_tokens, // tokens on the stack
	output logic [LANES-1:0] shown_waiting // lanes that wait at a token to which they have gone
);
	localparam TOKEN_BITS = $clog2(TOKENS);
	localparam AT_BITS = TOKEN_BITS + 1; // a token, or NOWHERE
	localparam PLACE_BITS = 2 + PC_BITS;
	localparam REST_BITS = AT_BITS + LANES + LANES * AT_BITS;
	localparam [AT_BITS-1:0] NOWHERE = {AT_BITS{1'b1}};
	localparam [3:0] BEGIN = 0, BRANCH = 1, JUMP = 2, CALL = 3, CALL_INDIRECT = 4, RETURN = 5, EXIT = 6, PUSH = 7, BREAK = 8, SYNC = 9;
	localparam [1:0] MEET = 0, SIDE = 1, CALLER = 2; // enum hd_token_kind
	localparam [1:0] FIRST = 0, SIDES = 1, POP = 2;

	logic [TOKENS*PLACE_BITS-1:0] places [0:MACHINE_WARPS-1]; // state: {kind, address} of each token
	logic [LANES-1:0] lanes [0:MACHINE_WARPS*TOKENS-1]; // state: of each token, as pushed
	logic [REST_BITS-1:0] rest [0:MACHINE_WARPS-1]; // state: {number of tokens, alive, token to which each lane has gone}
	logic [1:0] phase; // state: of the operation. SIDES: more sides are pushed; POP: tokens without a lane are popped

	logic [PC_BITS-1:0] pc_now;
	logic [LANES-1:0] active_now, alive;
	logic [AT_BITS-1:0] count;
	logic [LANES*AT_BITS-1:0] gone_to;
	logic [TOKENS*PLACE_BITS-1:0] places_now;
	always_comb begin
		pc_now = '0;
		active_now = '0;
		for (int w = 0; w < MACHINE_WARPS; w++) begin
			pc_now = pc_now | (pc[w*PC_BITS +: PC_BITS] & {PC_BITS{op_warp == WARP_BITS'(w)}});
			active_now = active_now | (active[w*LANES +: LANES] & {LANES{op_warp == WARP_BITS'(w)}});
		end
	end
	assign {count, alive, gone_to} = rest[op_warp];
	assign places_now = places[op_warp];
	assign shown_alive = alive;
	assign shown_tokens = count;

	logic indirect, popping, none_taken;
	logic [LANES-1:0] taken, others, bad, left, same;
	assign taken = op_taken;
	assign none_taken = taken == '0;
	assign others = active_now & ~taken;
	assign indirect = op_kind == JUMP || op_kind == CALL_INDIRECT;
	assign bad = taken & op_bad;
	assign popping = phase == POP;

	// Indirect: the lanes that are left with the highest address leave, so that the lowest continues (RC-14).
	logic [LANES*PC_BITS-1:0] leaves;
	logic [(2*LANES - 1)*PC_BITS-1:0] node;
	logic [PC_BITS-1:0] highest;
	logic last_side;
	assign left = op_kind == CALL_INDIRECT && phase == FIRST ? taken : active_now;
	genvar lane;
	generate
		for (lane = 0; lane < LANES; lane = lane + 1) begin : each
			logic [PC_BITS-1:0] where;
			assign where = taken[lane] ? op_targets[lane*PC_BITS +: PC_BITS] : op_next;
			assign leaves[lane*PC_BITS +: PC_BITS] = left[lane] ? where : '0;
			assign same[lane] = left[lane] && where == highest;
			assign shown_waiting[lane] = gone_to[lane*AT_BITS +: AT_BITS] != NOWHERE;
		end
	endgenerate
	always_comb begin
		node = {{(LANES - 1)*PC_BITS{1'b0}}, leaves};
		for (int n = 0; n < LANES - 1; n++)
			node[(LANES + n)*PC_BITS +: PC_BITS] = node[2*n*PC_BITS +: PC_BITS] > node[(2*n + 1)*PC_BITS +: PC_BITS]
			                                       ? node[2*n*PC_BITS +: PC_BITS] : node[(2*n + 1)*PC_BITS +: PC_BITS];
	end
	assign highest = node[(2*LANES - 2)*PC_BITS +: PC_BITS];
	assign last_side = same == left;

	// The innermost token of the running activation for an address, and the token of its call: comparators for all tokens.
	logic [PC_BITS-1:0] key;
	logic [TOKENS-1:0] is_call, is_key, is_next;
	logic key_found, next_found, in_call;
	logic [AT_BITS-1:0] key_at, next_at, call_at;
	assign key = op_kind == JUMP ? highest : op_kind == SYNC ? pc_now : op_target;
	genvar at;
	generate
		for (at = 0; at < TOKENS; at = at + 1) begin : token
			logic [1:0] its_kind;
			logic [PC_BITS-1:0] its_pc;
			logic valid;
			assign {its_kind, its_pc} = places_now[at*PLACE_BITS +: PLACE_BITS];
			assign valid = count > AT_BITS'(at);
			assign is_call[at] = valid && its_kind == CALLER;
			assign is_key[at] = valid && its_kind == MEET && its_pc == key;
			assign is_next[at] = valid && its_kind == MEET && its_pc == op_next;
		end
	endgenerate
	always_comb begin
		{key_found, next_found, in_call} = 3'b000;
		key_at = '0;
		next_at = '0;
		call_at = '0;
		for (int i = 0; i < TOKENS; i++) begin
			if (is_call[i]) begin
				{key_found, next_found, in_call} = 3'b001;
				call_at = AT_BITS'(i);
			end
			if (is_key[i]) begin
				key_found = 1'b1;
				key_at = AT_BITS'(i);
			end
			if (is_next[i]) begin
				next_found = 1'b1;
				next_at = AT_BITS'(i);
			end
		end
	end

	// The effect of the operation: lanes go to a token, a token is pushed, or one is popped.
	logic arrives, push, vanish, more;
	logic [LANES-1:0] arriving, push_lanes, remaining;
	logic [AT_BITS-1:0] arrive_at;
	logic [1:0] push_kind;
	logic [PC_BITS-1:0] push_pc, go_pc;
	logic backward, first_found, second_found;
	logic [LANES-1:0] first_lanes, second_lanes;
	logic [PC_BITS-1:0] first_pc, second_pc;
	assign backward = op_target <= pc_now; // the lower address goes first
	assign {first_found, second_found} = backward ? {key_found, next_found} : {next_found, key_found};
	assign {first_lanes, second_lanes} = backward ? {taken, others} : {others, taken};
	assign {first_pc, second_pc} = backward ? {op_target, op_next} : {op_next, op_target};
	always_comb begin
		arrives = 1'b0;
		arriving = '0;
		arrive_at = key_at;
		push = 1'b0;
		push_kind = SIDE;
		push_pc = op_target;
		push_lanes = active_now;
		remaining = active_now;
		go_pc = op_next;
		vanish = 1'b0; // pops when no lane remains
		more = 1'b0;
		case (op_kind)
		BEGIN: begin
			remaining = taken;
			go_pc = op_target;
		end
		BRANCH, BREAK: if (op_kind == BREAK && key_found && !none_taken) begin
			arrives = 1'b1;
			arriving = taken;
			remaining = others;
			vanish = 1'b1;
		end else if (!none_taken && others == '0) begin
			go_pc = op_target;
		end else if (!none_taken) begin
			arrives = first_found || second_found;
			arrive_at = (first_found == backward) ? key_at : next_at;
			arriving = first_found ? first_lanes : second_lanes;
			push = !arrives;
			push_pc = second_pc;
			push_lanes = second_lanes;
			remaining = first_found ? second_lanes : first_lanes;
			go_pc = first_found ? second_pc : first_pc;
		end
		JUMP: begin
			go_pc = highest;
			if (!last_side) begin
				arrives = key_found;
				arriving = same;
				push = !key_found;
				push_pc = highest;
				push_lanes = same;
				remaining = active_now & ~same;
				more = 1'b1;
			end
		end
		CALL: if (!none_taken) begin
			push = 1'b1;
			push_kind = CALLER;
			push_pc = op_next;
			remaining = taken;
			go_pc = op_target;
		end
		CALL_INDIRECT: if (!none_taken) begin
			go_pc = highest;
			if (phase == FIRST) begin
				push = 1'b1;
				push_kind = CALLER;
				push_pc = op_next;
				remaining = taken;
				more = !last_side;
			end else if (!last_side) begin
				push = 1'b1;
				push_pc = highest;
				push_lanes = same;
				remaining = active_now & ~same;
				more = 1'b1;
			end
		end
		RETURN: begin
			arrives = 1'b1;
			arrive_at = call_at;
			arriving = taken;
			remaining = others;
			vanish = 1'b1;
		end
		EXIT: begin
			remaining = others;
			vanish = 1'b1;
		end
		PUSH: begin
			push = !none_taken && !key_found;
			push_kind = MEET;
		end
		default: if (key_found) begin // SYNC
			arrives = 1'b1;
			arriving = active_now;
			remaining = '0;
			vanish = 1'b1;
		end
		endcase
		if (popping) begin
			arrives = 1'b0;
			push = 1'b0;
			remaining = '0;
			vanish = 1'b1;
		end
	end

	// The token that is popped, and the lanes that go on.
	logic pop, ends, refused, has_tokens;
	logic [AT_BITS-1:0] top;
	logic [LANES-1:0] alive_next, top_lanes, resumed, active_next;
	logic [LANES*AT_BITS-1:0] gone_to_next;
	logic [1:0] top_kind;
	logic [PC_BITS-1:0] top_pc, behind, pc_next;
	assign has_tokens = count != '0;
	assign pop = vanish && remaining == '0 && has_tokens;
	assign ends = vanish && remaining == '0 && !has_tokens;
	assign top = count - 1'b1;
	assign {top_kind, top_pc} = places_now[top[TOKEN_BITS-1:0]*PLACE_BITS +: PLACE_BITS];
	assign top_lanes = lanes[{op_warp, top[TOKEN_BITS-1:0]}];
	assign behind = top_pc + ((top_pc & PC_BITS'(LINE_WORDS - 1)) == PC_BITS'(LINE_WORDS - 1) ? PC_BITS'(2) : PC_BITS'(1));
	assign alive_next = op_kind == BEGIN ? taken : op_kind == EXIT ? alive & ~taken : alive;
	generate
		for (lane = 0; lane < LANES; lane = lane + 1) begin : resume
			logic [AT_BITS-1:0] to;
			assign to = op_kind == BEGIN ? NOWHERE : arrives && arriving[lane] ? arrive_at : gone_to[lane*AT_BITS +: AT_BITS];
			assign resumed[lane] = top_lanes[lane] && alive_next[lane] && to >= top;
			assign gone_to_next[lane*AT_BITS +: AT_BITS] = pop && to == top ? NOWHERE : to;
		end
	endgenerate
	assign active_next = pop ? resumed : remaining;
	assign pc_next = pop ? (top_kind == MEET ? behind : top_pc) : go_pc;

	always_comb begin
		op_result = 3'd0;
		if (indirect && bad != '0)
			op_result = 3'd2;
		else if (op_kind == RETURN && !none_taken && !in_call && !popping)
			op_result = 3'd5;
		else if (push && count == AT_BITS'(TOKENS))
			op_result = 3'd6;
		else if (ends)
			op_result = 3'd1;
		op_lane = '0;
		for (int i = LANES - 1; i >= 0; i--)
			if (bad[i])
				op_lane = LANE_BITS'(i);
	end
	assign refused = op_result > 3'd1;
	assign op_ready = refused || !(more || (pop && resumed == '0));

	logic write;
	logic [AT_BITS-1:0] count_next;
	logic [TOKENS*PLACE_BITS-1:0] places_next;
	assign write = op_valid && !refused && !reset;
	assign count_next = op_kind == BEGIN ? '0 : push ? count + 1'b1 : pop ? top : count;
	generate
		for (at = 0; at < TOKENS; at = at + 1) begin : change
			assign places_next[at*PLACE_BITS +: PLACE_BITS] = count == AT_BITS'(at) ? {push_kind, push_pc} : places_now[at*PLACE_BITS +: PLACE_BITS];
		end
	endgenerate
	always_ff @(posedge clk) begin
		if (write)
			rest[op_warp] <= {count_next, alive_next, gone_to_next};
		if (write && push) begin
			places[op_warp] <= places_next;
			lanes[{op_warp, count[TOKEN_BITS-1:0]}] <= push_lanes;
		end
	end
	always_ff @(posedge clk) begin
		if (reset || !op_valid || op_ready)
			phase <= FIRST;
		else
			phase <= more ? SIDES : POP;
	end
	genvar slot;
	generate
		for (slot = 0; slot < MACHINE_WARPS; slot = slot + 1) begin : state
			logic mine;
			assign mine = write && op_warp == WARP_BITS'(slot);
			always_ff @(posedge clk) begin
				if (reset)
					active[slot*LANES +: LANES] <= '0;
				else if (mine)
					active[slot*LANES +: LANES] <= active_next;
				if (mine && !ends)
					pc[slot*PC_BITS +: PC_BITS] <= pc_next;
				else if (step_valid && step_warp == WARP_BITS'(slot))
					pc[slot*PC_BITS +: PC_BITS] <= step_pc;
			end
		end
	endgenerate
endmodule

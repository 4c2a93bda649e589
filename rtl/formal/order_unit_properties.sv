// SPDX-License-Identifier: BSD-3-Clause
// Properties of order_unit (HW-5), of all its modules together: the counters fall by what they rose by, though nobody tells them what an instruction is at
// its entry; an instruction never leaves while a counter of its mask is outstanding (HZ-14), none is sent that the decoder must hold (HZ-18, HZ-21), and a
// warp sleeps until, and only until, what it watches is clear. The payload carries what a pipe knows of the instruction.
//
// Assumed of the pipes: they write, or read, each lane group of what entered once, and nothing else (lockstep with the machine's pipes). Assumed of the code:
// an instruction does not wait for its own counter (HZ-3, which the checker proves). Assumed of the scheduler: it picks no warp that is asleep. With this the
// assumption of order_core_properties and of fence_counters_properties, that pipes lower what was raised, is a result here.
module order_unit_properties (
	input logic clk,
	input logic reset,
	input logic valid,
	input logic warp,
	input logic [1:0] at_issue,
	input logic [1:0] at_queue,
	input logic [1:0] primary,
	input logic pipe,
	input logic by_read,
	input logic narrow,
	input logic flow,
	input logic [1:0] leave_ready,
	input logic [3:0] entry_active,
	input logic [3:0] entry_guard,
	input logic read_valid,
	input logic read_warp,
	input logic [1:0] read_counter,
	input logic [1:0] read_groups,
	input logic write_valid,
	input logic write_warp,
	input logic [1:0] write_counter,
	input logic [1:0] write_groups
);
	localparam WARPS = 2, K = 2, PIPES = 2, GROUPS = 2, PAYLOAD = 7;
	logic send, deschedule, deschedule_warp, idle, wrong;
	logic [3:0] deschedule_pc, lanes, lane_groups, entry_primary;
	logic [1:0] verdict, watch, leave_valid, leave_warp, waiting, wake, asleep, enter, drop, entry_flow, entry_by_read, entry_narrow;
	logic [2*PAYLOAD-1:0] leave_payload;
	logic [WARPS*K-1:0] outstanding, full, waited;

	order_unit #(.MACHINE_WARPS(WARPS), .FENCE_COUNTERS(K), .FENCE_BITS(4), .LANES(2), .LANE_GROUPS(GROUPS), .PIPES(PIPES), .QUEUE_FIFO(1), .QUEUE_HAZARD(1),
		.QUEUE_SPACING(0), .PAYLOAD_BITS(PAYLOAD), .PC_BITS(4), .WRITES(1), .READS(1)) dut (
		.payload({flow, narrow, by_read, primary, at_queue}), .pc(4'd0), .advance_cycles(1'b0), .begin_warps(2'd0), .*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	// An instruction checks a counter once, in the decoder or in its queue, and never its own (HZ-3). The scheduler picks no warp that is asleep.
	always_comb begin
		assume (primary != 2'd3);
		assume ((at_issue & at_queue) == 2'd0);
		assume (!(primary == 2'd1 && (at_issue[0] || at_queue[0])));
		assume (!(primary == 2'd2 && (at_issue[1] || at_queue[1])));
		assume (!begun || !(valid && asleep[warp]));
	end

	genvar w, c, p;
	generate
		for (p = 0; p < PIPES; p = p + 1) begin : at_pipe
			assign {entry_flow[p], entry_narrow[p], entry_by_read[p], entry_primary[2*p +: 2]} = leave_payload[p*PAYLOAD + 2 +: 5];
			// Who enters has lanes, or is a flow instruction; who does not is dropped (HZ-16).
			always_comb if (begun) begin
				assert (enter[p] == (leave_valid[p] && (entry_flow[p] || (entry_active[2*p +: 2] & entry_guard[2*p +: 2]) != 2'd0)));
				assert (drop[p] == (leave_valid[p] && !enter[p]));
			end
		end
		for (w = 0; w < WARPS; w = w + 1) begin : row
			for (c = 0; c < K; c = c + 1) begin : column
				// Primaries of this counter in queues, and lane groups that pipes have yet to write or to read.
				logic [2:0] queued, left;
				logic [4:0] to_write, to_read, entered_write, entered_read;
				logic [1:0] written, read;
				logic busy_before, busy; // behind writes, and behind reads
				always_comb begin
					left = '0;
					entered_write = '0;
					entered_read = '0;
					for (int i = 0; i < PIPES; i++)
						if (leave_valid[i] && leave_warp[i] == w && entry_primary[i*2 +: 2] == c + 1) begin
							left = left + 1'b1;
							if (enter[i] && !entry_by_read[i])
								entered_write = entered_write + 5'(lane_groups[2*i]) + 5'(lane_groups[2*i + 1]);
							if (enter[i] && entry_by_read[i] && entry_narrow[i])
								entered_read = entered_read + 5'd2;
						end
					written = write_valid && write_warp == w && write_counter == c + 1 ? 2'(write_groups[0]) + 2'(write_groups[1]) : 2'd0;
					read = read_valid && read_warp == w && read_counter == c + 1 ? 2'(read_groups[0]) + 2'(read_groups[1]) : 2'd0;
				end
				assign busy_before = queued != 0 || to_write != 5'(written) || to_read != 0;
				assign busy = queued != left || to_write - 5'(written) + entered_write != 0 || to_read - 5'(read) + entered_read != 0;
				always_ff @(posedge clk) begin
					queued <= reset ? '0 : queued - left + 3'(send && warp == w && primary == c + 1);
					to_write <= reset ? '0 : to_write - 5'(written) + entered_write;
					to_read <= reset ? '0 : to_read - 5'(read) + entered_read;
				end
				always_comb if (begun) begin
					assume (5'(written) <= to_write);
					assume (5'(read) <= to_read);
					assert (outstanding[w*K + c] == busy);
					assert (!(send && warp == w && at_issue[c]) || !busy);
				end
				for (p = 0; p < PIPES; p = p + 1) begin : leaves
					always_comb if (begun)
						assert (!(leave_valid[p] && leave_warp[p] == w && leave_payload[p*PAYLOAD + c]) || !busy_before);
				end
			end

			// The last message of the warp.
			logic sleeps;
			logic [1:0] why, of, flags;
			assign flags = why == 2'd2 ? waited[w*K +: K] : why == 2'd3 ? full[w*K +: K] : outstanding[w*K +: K];
			always_ff @(posedge clk) begin
				sleeps <= !reset && (asleep[w] || (deschedule && deschedule_warp == w));
				if (deschedule && deschedule_warp == w) begin
					why <= verdict;
					of <= watch;
				end
			end
			always_comb if (begun) begin
				assert (asleep[w] == (sleeps && (flags & of) != 2'd0));
				assert (wake[w] == (sleeps && (flags & of) == 2'd0));
			end
		end
	endgenerate
	always_comb if (begun) assert (!wrong);
endmodule

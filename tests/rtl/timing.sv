// SPDX-License-Identifier: BSD-3-Clause
// Drives order_unit as the pictures of rtl/README.md say, and prints what their rows show in each cycle: tests/rtl/timing.py compares both. It is also
// the smallest example of how order_unit is driven. +scenario=0 is timing.svg, 1 is descheduled.svg.
module timing;
	localparam WARPS = 2, K = 2, LANES = 32, GROUPS = 8, PIPES = 2;
	reg clk = 1'b0, reset = 1'b1;
	integer cycle = -1, scenario = 0; // cycle -1 is the reset

	// Warp 0 alone. The primary goes to pipe 0 and raises counter 1, what depends on it goes to pipe 1.
	wire first = cycle == 1, second = scenario == 0 ? cycle == 2 : cycle == 2 || cycle == 7, written = cycle == 6;
	wire valid = first || second;
	wire [K-1:0] mask = {1'b0, second};
	wire send, deschedule, idle, wrong;
	wire [1:0] verdict;
	wire [K-1:0] watch;
	wire [WARPS-1:0] wake, asleep;
	wire [PIPES-1:0] leave_valid, enter;
	wire [WARPS*K-1:0] outstanding;
	order_unit #(.MACHINE_WARPS(WARPS), .FENCE_COUNTERS(K), .FENCE_BITS(5), .LANES(LANES), .LANE_GROUPS(GROUPS), .PIPES(PIPES), .QUEUE_FIFO(2),
		.QUEUE_HAZARD(2), .QUEUE_SPACING(0), .PAYLOAD_BITS(4), .PC_BITS(8), .WRITES(1), .READS(1)) unit (
		.clk(clk), .reset(reset), .valid(valid), .warp(1'b0), .pc(8'd0), .at_issue(scenario == 1 ? mask : 2'b00), .at_queue(scenario == 0 ? mask : 2'b00),
		.primary({1'b0, first}), .pipe(second), .payload(4'd0), .advance_cycles(1'b0), .send(send), .deschedule(deschedule), .deschedule_warp(),
		.deschedule_pc(), .verdict(verdict), .watch(watch), .wake(wake), .asleep(asleep), .begin_warps(2'b00), .leave_ready(2'b11),
		.leave_valid(leave_valid), .leave_warp(), .leave_payload(), .entry_active({PIPES*LANES{1'b1}}), .entry_guard({PIPES*LANES{1'b1}}),
		.entry_flow(2'b00), .entry_primary(4'b0001), .entry_by_read(2'b00), .entry_narrow(2'b00), .enter(enter), .drop(), .lanes(), .lane_groups(),
		.read_valid(1'b0), .read_warp(1'b0), .read_counter(2'd0), .read_groups(8'd0), .write_valid(written), .write_warp(1'b0), .write_counter(2'd1),
		.write_groups({GROUPS{1'b1}}), .outstanding(outstanding), .full(), .waited(), .waiting(), .idle(idle), .wrong(wrong));

	task show;
		begin
			$display("decode_check.send %0d", unit.core.check.send);
			$display("decode_check.deschedule %0d", unit.core.check.deschedule);
			$display("decode_check.verdict %0d", unit.core.check.verdict);
			$display("fence_counters.raise_valid %0d", unit.core.send && unit.core.primary != 0);
			$display("fence_counters.value %0d", unit.core.counters.value[4:0]);
			$display("issue_queue.push_valid %0d", unit.core.before_pipe[1].queue.push_valid);
			$display("issue_queue.fifo_n %0d", unit.core.before_pipe[1].queue.fifo_n);
			$display("issue_queue.hazard_n %0d", unit.core.before_pipe[1].queue.hazard_n);
			$display("wait_counters.value %0d", unit.core.wait_value[1:0]);
			$display("fence_counters.written_valid %0d", unit.core.counters.written_valid);
			$display("fence_counters.outstanding %0d", unit.core.counters.outstanding[0]);
			$display("fence_counters.outstanding_written %0d", unit.core.counters.outstanding_written[0]);
			$display("issue_queue.leave_valid %0d", unit.core.before_pipe[1].queue.leave_valid);
			$display("valid %0d", valid);
			$display("send %0d", send);
			$display("deschedule %0d", deschedule);
			$display("verdict %0d", verdict);
			$display("watch %0d", watch);
			$display("asleep %0d", asleep[0]);
			$display("wake %0d", wake[0]);
			$display("write_valid %0d", written);
			$display("outstanding %0d", outstanding[0]);
			$display("leave_valid %0d", leave_valid[1]);
			$display("enter %0d", enter[1]);
			$display("wrong %0d", wrong);
		end
	endtask

	initial begin
		if (!$value$plusargs("scenario=%d", scenario))
			scenario = 0;
		repeat (12) begin
			#5 if (cycle >= 0) begin
				$display("cycle %0d", cycle);
				show;
			end
			#5 clk = 1'b1;
			#1 reset = 1'b0;
			cycle = cycle + 1;
			#4 clk = 1'b0;
		end
		$finish;
	end
endmodule

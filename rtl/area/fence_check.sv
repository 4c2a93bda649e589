// SPDX-License-Identifier: BSD-3-Clause
// Fence counters, wait counters and the decoder's check without queues, to measure the depth of the issue check when it sees the writes, reads and drops
// of the cycle, as scoreboard.issue_ready does. No part of a design: order_unit is the whole.
module fence_check #(
	parameter MACHINE_WARPS = 2,
	parameter FENCE_COUNTERS = 6,
	parameter FENCE_BITS = 12,
	parameter WAIT_BITS = 7,
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter COUNTER_BITS = $clog2(FENCE_COUNTERS + 1)
) (
	input logic clk,
	input logic reset,
	input logic [1:0] written_valid,
	input logic [2*WARP_BITS-1:0] written_warp,
	input logic [2*COUNTER_BITS-1:0] written_counter,
	input logic [7:0] written_groups,
	input logic [1:0] released_valid,
	input logic [2*WARP_BITS-1:0] released_warp,
	input logic [2*COUNTER_BITS-1:0] released_counter,
	input logic [7:0] released_groups,
	input logic [1:0] leave_valid,
	input logic [2*WARP_BITS-1:0] leave_warp,
	input logic [2*FENCE_COUNTERS-1:0] leave_mask,
	input logic valid,
	input logic [WARP_BITS-1:0] warp,
	input logic [FENCE_COUNTERS-1:0] at_issue,
	input logic [FENCE_COUNTERS-1:0] at_queue,
	input logic [COUNTER_BITS-1:0] primary,
	output logic send
);
	logic [MACHINE_WARPS*FENCE_COUNTERS-1:0] outstanding, outstanding_written, outstanding_released, full_released, waited, waited_left, cleared;
	logic [MACHINE_WARPS*FENCE_COUNTERS*FENCE_BITS-1:0] value;
	logic [MACHINE_WARPS*FENCE_COUNTERS*WAIT_BITS-1:0] waiters;
	logic fence_wrong, wait_wrong, deschedule;
	logic [WARP_BITS-1:0] deschedule_warp;
	logic [31:0] deschedule_pc;
	logic [1:0] verdict;
	logic [FENCE_COUNTERS-1:0] watch;

	fence_counters #(.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .FENCE_BITS(FENCE_BITS)) fence (
		.raise_valid(send), .raise_warp(warp), .raise_counter(primary), .raise_groups(4'd8), .wrong(fence_wrong), .*);
	wait_counters #(.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .WAIT_BITS(WAIT_BITS), .LEAVES(2), .SENDS(1)) waits (
		.send_valid(send), .send_warp(warp), .send_mask(at_queue), .value(waiters), .wrong(wait_wrong), .*);
	decode_check #(.MACHINE_WARPS(MACHINE_WARPS), .FENCE_COUNTERS(FENCE_COUNTERS), .PC_BITS(32)) check (
		.queue_ready(1'b1), .pc(32'd0), .outstanding(outstanding_released), .full(full_released), .waited(waited_left), .*);
endmodule

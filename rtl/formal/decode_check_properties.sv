// SPDX-License-Identifier: BSD-3-Clause
// Properties of decode_check (HW-5). They need no assumption: the module is combinational.
module decode_check_properties (
	input logic clk,
	input logic valid,
	input logic warp,
	input logic [7:0] pc,
	input logic [2:0] at_issue,
	input logic [1:0] primary,
	input logic queue_ready,
	input logic [5:0] outstanding,
	input logic [5:0] full,
	input logic [5:0] waited
);
	logic send, deschedule, deschedule_warp;
	logic [7:0] deschedule_pc;
	logic [1:0] verdict;
	logic [2:0] watch;

	decode_check #(.MACHINE_WARPS(2), .FENCE_COUNTERS(3), .PC_BITS(8)) dut (.*);

	logic [2:0] late, own, flags_full, flags_waited;
	always_comb begin
		late = at_issue & (warp ? outstanding[5:3] : outstanding[2:0]);
		flags_full = warp ? full[5:3] : full[2:0];
		flags_waited = warp ? waited[5:3] : waited[2:0];
		own = primary == 0 ? 0 : 1 << (primary - 1);

		assert (!(send && deschedule)); // one verdict
		assert (send || deschedule || !valid || !queue_ready); // an instruction that the queue can take is never left without one
		assert (!send || late == 0); // HZ-21: no secondary is sent while a high-latency counter of its mask is outstanding
		assert (!send || (own & flags_waited) == 0); // HZ-18: no primary is sent while its wait counter is above zero
		assert (!send || (own & flags_full) == 0); // HZ-18: no primary is sent that its counter cannot count
		assert (!deschedule || watch != 0); // a warp that is sent back waits for something
		assert (!deschedule || verdict != 1 || watch == late); // HZ-21: the counters to watch are all those that are outstanding
		assert (!deschedule || verdict == 1 || watch == own); // HZ-18: the own counter
		assert (!deschedule || verdict != 2 || (watch & flags_waited) == watch);
		assert (!deschedule || verdict != 3 || (watch & flags_full) == watch);
		assert (!deschedule || (deschedule_warp == warp && deschedule_pc == pc)); // the message of HZ-18
	end
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Properties of hazard_monitor (HW-5): a warp wakes when, and only when, all that it watches is clear (HZ-18, HZ-21, HZ-22), and each lane group counts once
// (HZ-9). The shadow keeps the decoder's last message for each warp slot.
module hazard_monitor_properties (
	input logic clk,
	input logic reset,
	input logic write_valid,
	input logic write_warp,
	input logic [1:0] write_counter,
	input logic [3:0] write_groups,
	input logic read_valid,
	input logic read_warp,
	input logic [1:0] read_counter,
	input logic [3:0] read_groups,
	input logic [3:0] outstanding,
	input logic [3:0] full,
	input logic [3:0] waited,
	input logic deschedule,
	input logic deschedule_warp,
	input logic [1:0] verdict,
	input logic [1:0] watch,
	input logic [1:0] begin_warps
);
	logic written_valid, written_warp, released_valid, released_warp;
	logic [1:0] written_counter, released_counter, wake, waiting, for_waiters, for_room;
	logic [2:0] written_groups, released_groups;
	logic [3:0] watching;

	hazard_monitor #(.MACHINE_WARPS(2), .FENCE_COUNTERS(2), .LANE_GROUPS(4), .WRITES(1), .READS(1)) dut (.*);

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	genvar w;
	generate
		for (w = 0; w < 2; w = w + 1) begin : shadow
			// Whether the warp waits, and its last message.
			logic asleep, sent_back;
			logic [1:0] kind, watched, up;
			assign sent_back = deschedule && deschedule_warp == w;
			assign up = watched & (kind == 2'd2 ? waited[w*2 +: 2] : kind == 2'd3 ? full[w*2 +: 2] : outstanding[w*2 +: 2]);
			always_ff @(posedge clk) begin
				if (reset || begin_warps[w])
					asleep <= 1'b0;
				else if (sent_back)
					asleep <= 1'b1;
				else if (up == 2'd0)
					asleep <= 1'b0;
				if (sent_back) begin
					kind <= verdict;
					watched <= watch;
				end
			end
			always_comb if (begun) begin
				// decode_check sends a message only with a verdict (its proof); the scheduler picks no warp that waits.
				assume (!sent_back || (verdict != 2'd0 && !waiting[w]));
				assert (wake[w] == (asleep && up == 2'd0)); // neither early nor late
				assert (waiting[w] == (asleep && up != 2'd0)); // nothing of the warp issues while it waits
				assert (for_waiters[w] == (waiting[w] && kind == 2'd2));
				assert (for_room[w] == (waiting[w] && kind == 2'd3));
				assert (watching[w*2 +: 2] == (waiting[w] ? watched : 2'd0));
			end
		end
	endgenerate

	// Each lane group counts once (HZ-9).
	always_comb begin
		assert (written_groups == {2'b0, write_groups[0]} + {2'b0, write_groups[1]} + {2'b0, write_groups[2]} + {2'b0, write_groups[3]});
		assert (released_groups == {2'b0, read_groups[0]} + {2'b0, read_groups[1]} + {2'b0, read_groups[2]} + {2'b0, read_groups[3]});
		assert (written_valid == (write_valid && write_counter != 2'd0) && written_counter == write_counter && written_warp == write_warp);
		assert (released_valid == (read_valid && read_counter != 2'd0) && released_counter == read_counter && released_warp == read_warp);
	end
endmodule

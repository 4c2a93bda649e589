// SPDX-License-Identifier: BSD-3-Clause
// Properties of write_controller (HW-5), with forwarding to every pipeline and without: a skip never drops a value whose reader has not been served (LU-5),
// and a value that is needed is written (LU-6). The harness watches one lane of one register of one warp, which the solver chooses. `latest` is the value
// that a reader must find: that of the latest result. After its last use it is `used`, and no reader may ask for it. `in_file` is what the register file
// has. The register file passes a write of the cycle on to a read.
module write_controller_properties (
	input logic clk,
	input logic reset,
	input logic [1:0] result_valid,
	input logic [1:0] result_warp,
	input logic [1:0] result_pipe,
	input logic [3:0] result_register,
	input logic [3:0] result_words,
	input logic [3:0] result_lanes,
	input logic [7:0] result_value,
	input logic [1:0] result_shares,
	input logic direct_valid,
	input logic direct_warp,
	input logic [1:0] direct_register,
	input logic [1:0] direct_words,
	input logic direct_lane,  // the watched lane is among those that the direct result was made for
	input logic direct_value, // its value
	input logic end_valid,
	input logic end_warp,
	input logic reader_valid,
	input logic reader_warp,
	input logic reader_pipe,
	input logic [1:0] reader_lanes,
	input logic [1:0] operand_valid,
	input logic [3:0] operand_register,
	input logic [3:0] operand_words,
	input logic [1:0] operand_last,
	input logic choose_warp,
	input logic [1:0] choose_register,
	input logic choose_lane
);
	localparam PORTS = 2, WORDS = 2, LANES = 2, COMPENSATION = 2, LENGTH = 3, RESULTS = PORTS * LENGTH, KEPT = RESULTS - PORTS;

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	// Sizes are 1 to WORDS, as the decoder makes them.
	always_comb assume (result_words[1:0] != 0 && result_words[1:0] != 3 && result_words[3:2] != 0 && result_words[3:2] != 3);
	always_comb assume (operand_words[1:0] != 0 && operand_words[1:0] != 3 && operand_words[3:2] != 0 && operand_words[3:2] != 3);
	always_comb assume (direct_words != 0 && direct_words != 3);

	logic warp, lane;
	logic [1:0] register;
	always_ff @(posedge clk)
		if (reset) begin
			warp <= choose_warp;
			register <= choose_register;
			lane <= choose_lane;
		end

	genvar across;
	generate
		for (across = 0; across < 2; across = across + 1) begin : side
			logic [2*WORDS-1:0] operand_served;
			logic [2*WORDS*LANES-1:0] operand_found, operand_value;
			logic [5:0] operand_path;
			logic [RESULTS*WORDS-1:0] write_words, skip_words, place_words;
			logic [RESULTS-1:0] place_warp, place_pipe, place_shares;
			logic [RESULTS*2-1:0] place_register, place_size, place_lanes;
			logic [RESULTS*WORDS*LANES-1:0] place_value;

			write_controller #(.MACHINE_WARPS(2), .PIPES(2), .PORTS(PORTS), .LAST_USE_PATH_B(1), .LAST_USE_PATH_A(0), .LAST_USE_COMPENSATION(COMPENSATION),
				.LAST_USE_ACROSS(across), .WORDS(WORDS), .LANES(LANES), .WORD_BITS(1), .REGISTER_BITS(2), .READERS(1), .OPERANDS(2)) dut (.*);

			logic latest, used, in_file, latest_come, used_come, file_here;
			logic is_last, held, held_value, is_skipped;
			always_comb begin
				// Results come, older ones first.
				latest_come = latest;
				used_come = used;
				for (int n = KEPT; n < RESULTS; n++)
					for (int w = 0; w < WORDS; w++)
						if (place_words[n*WORDS + w] && place_warp[n] == warp && place_lanes[n*LANES + lane] && {1'b0, place_register[n*2 +: 2]} + w == register) begin
							latest_come = place_value[(n*WORDS + w)*LANES + lane];
							used_come = 1'b0;
						end
				// The register file after the writes of the cycle.
				file_here = in_file;
				is_skipped = 1'b0;
				for (int n = 0; n < RESULTS; n++)
					for (int w = 0; w < WORDS; w++)
						if (place_warp[n] == warp && place_lanes[n*LANES + lane] && {1'b0, place_register[n*2 +: 2]} + w == register) begin
							if (write_words[n*WORDS + w])
								file_here = place_value[(n*WORDS + w)*LANES + lane];
							is_skipped = is_skipped | skip_words[n*WORDS + w];
						end
				if (direct_valid && direct_warp == warp && direct_lane && {1'b0, direct_register} <= register && {1'b0, direct_register} + direct_words > register) begin
					file_here = direct_value;
					latest_come = direct_value;
					used_come = 1'b0;
				end
				is_last = 1'b0;
				for (int o = 0; o < 2; o++)
					if (reader_valid && operand_valid[o] && reader_warp == warp && reader_lanes[lane] && {1'b0, operand_register[o*2 +: 2]} <= register &&
					    {1'b0, operand_register[o*2 +: 2]} + operand_words[o*2 +: 2] > register)
						is_last = is_last | operand_last[o];
				// The newest of the results that stay.
				held = 1'b0;
				held_value = 1'b0;
				for (int n = 0; n < KEPT; n++)
					for (int w = 0; w < WORDS; w++)
						if (place_words[n*WORDS + w] && place_warp[n] == warp && place_lanes[n*LANES + lane] && {1'b0, place_register[n*2 +: 2]} + w == register) begin
							held = 1'b1;
							held_value = place_value[(n*WORDS + w)*LANES + lane];
						end
			end
			always_ff @(posedge clk) begin
				latest <= reset ? 1'b0 : latest_come;
				in_file <= reset ? 1'b0 : file_here;
				used <= !reset && (used_come || is_last);
			end

			always_comb if (begun) begin
				assert (used || (held ? held_value : in_file) == latest); // LU-6: the latest value is in the newest place, or in the register file
				assert (!is_skipped || is_last); // LU-5: a write is left out only after a last use of this lane, in this cycle
				assert ((write_words & skip_words) == 0);
				assert (((write_words | skip_words) & ~place_words) == 0);
			end
			genvar o, i, n;
			for (o = 0; o < 2; o = o + 1) begin : operand
				for (i = 0; i < WORDS; i = i + 1) begin : word
					logic found;
					assign found = operand_found[(o*WORDS + i)*LANES + lane];
					always_comb if (begun)
						// A reader finds the latest value, whatever was left out.
						assert (used_come || !(reader_valid && operand_valid[o] && reader_warp == warp && reader_lanes[lane] && i < operand_words[o*2 +: 2] &&
						                       {1'b0, operand_register[o*2 +: 2]} + i == register) ||
						        (found ? operand_value[(o*WORDS + i)*LANES + lane] : file_here) == latest_come);
				end
			end
			for (n = 0; n < KEPT; n = n + 1) begin : place
				always_comb if (begun) begin
					assert (!place_words[n*WORDS] || place_size[n*2 +: 2] != 0);
					assert (!place_words[n*WORDS + 1] || place_size[n*2 +: 2] == 2);
				end
			end
			for (n = 0; n < 2; n = n + 1) begin : pipe
				// Places 1 and 2 are compensation registers here.
				logic [3:0] held;
				always_comb begin
					held = 4'd0;
					for (int m = 0; m < KEPT; m++)
						if (place_pipe[m] == n && !place_shares[m])
							held = held + place_words[m*WORDS] + place_words[m*WORDS + 1];
					if (begun)
						assert (held <= COMPENSATION);
				end
			end
			// A word that is neither written nor dropped is in the next place in the next cycle.
			logic [KEPT*WORDS-1:0] stay;
			always_ff @(posedge clk) stay <= reset ? 0 : place_words[RESULTS*WORDS-1:PORTS*WORDS] & ~write_words[RESULTS*WORDS-1:PORTS*WORDS] & ~skip_words[RESULTS*WORDS-1:PORTS*WORDS];
			always_comb if (begun) assert (stay == place_words[KEPT*WORDS-1:0]);
			always_comb if (begun) assert ((place_words[PORTS*WORDS-1:0] & ~write_words[PORTS*WORDS-1:0] & ~skip_words[PORTS*WORDS-1:0]) == 0);
		end
	endgenerate
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Properties of operand_buffer (HW-5), with a last-result register and without: what enters leaves once, as a write or after a last use (LU-5, LU-6), a
// reader gets the youngest value, and the buffer never has more registers than it has. The harness watches one lane of one register of one warp, which
// the solver chooses. `latest` is the value that a reader must find: that of the latest result. After its last use it is `used`, and no reader may ask
// for it. `in_file` is what the register file has. The register file passes a write of the cycle on to a read.
module operand_buffer_properties (
	input logic clk,
	input logic reset,
	input logic reader_valid,
	input logic reader_warp,
	input logic [1:0] reader_lanes,
	input logic [1:0] operand_valid,
	input logic [3:0] operand_register,
	input logic [3:0] operand_words,
	input logic [1:0] operand_last,
	input logic end_valid,
	input logic end_warp,
	input logic result_valid,
	input logic result_warp,
	input logic [1:0] result_register,
	input logic [1:0] result_words,
	input logic [1:0] result_live,
	input logic [1:0] result_lanes,
	input logic [3:0] result_value,
	input logic result_passes,
	input logic choose_warp,
	input logic [1:0] choose_register,
	input logic choose_lane
);
	localparam WORDS = 2, LANES = 2, K = 2, RESULTS = 1;

	logic begun = 1'b0; // the first cycle is a reset
	always_ff @(posedge clk) begun <= 1'b1;
	always_comb assume (reset == !begun);

	// Sizes are 1 to WORDS, as the decoder makes them. A result has no words beyond its size, and its registers exist.
	always_comb assume (operand_words[1:0] != 0 && operand_words[1:0] != 3 && operand_words[3:2] != 0 && operand_words[3:2] != 3);
	always_comb assume (result_words != 0 && result_words != 3);
	always_comb assume (result_words[1] || !result_live[1]);
	always_comb assume (!(result_words[1] && result_register == 3));

	logic warp, lane;
	logic [1:0] register;
	always_ff @(posedge clk)
		if (reset) begin
			warp <= choose_warp;
			register <= choose_register;
			lane <= choose_lane;
		end

	genvar side, k, j, o, w;
	generate
		for (side = 0; side < 2; side = side + 1) begin : last_result
			localparam PLACES = K + 2 * side;
			logic [2*WORDS*LANES-1:0] operand_found, operand_value;
			logic [2*WORDS-1:0] operand_served;
			logic [5:0] operand_path;
			logic [PLACES-1:0] skip_places, place_warp;
			logic [PLACES*LANES-1:0] end_lanes, place_lanes, place_value;
			logic [PLACES*2-1:0] place_register;
			logic [RESULTS*WORDS-1:0] pass_words, evict_valid, evict_warp; // PUTS is WORDS
			logic [RESULTS*WORDS*2-1:0] evict_register;
			logic [RESULTS*WORDS*LANES-1:0] evict_lanes, evict_value;

			operand_buffer #(.LAST_USE_COMPENSATION_SHARE(2), .LAST_USE_COMPENSATION(K), .LAST_USE_LAST_RESULT(side), .WORDS(WORDS), .LANES(LANES), .WORD_BITS(1),
				.REGISTER_BITS(2), .RESULTS(RESULTS), .READERS(1), .OPERANDS(2)) dut (.*);

			logic latest, used, in_file;                     // at the beginning of the cycle
			logic latest_after, used_after, file_after;      // after it
			logic is_last, is_read, is_dropped;
			logic [2:0] here;                                // places that have the lane
			logic here_value;
			logic [2:0] writes, comes;                       // of the lane, in this cycle
			always_comb begin
				here = '0;
				here_value = 1'b0;
				for (int n = 0; n < PLACES; n++)
					if (place_lanes[n*LANES + lane] && place_warp[n] == warp && place_register[n*2 +: 2] == register) begin
						here = here + 1'b1;
						here_value = place_value[n*LANES + lane];
					end
				is_last = 1'b0;
				is_read = 1'b0;
				for (int n = 0; n < 2; n++)
					if (reader_valid && operand_valid[n] && reader_warp == warp && reader_lanes[lane] && {1'b0, operand_register[n*2 +: 2]} <= register &&
					    {1'b0, operand_register[n*2 +: 2]} + operand_words[n*2 +: 2] > register) begin
						is_read = 1'b1;
						is_last = is_last | operand_last[n];
					end
				latest_after = latest;
				used_after = used | is_last;
				file_after = in_file;
				writes = '0;
				comes = '0;
				for (int n = 0; n < PLACES; n++)
					if (end_lanes[n*LANES + lane] && place_warp[n] == warp && place_register[n*2 +: 2] == register) begin
						file_after = place_value[n*LANES + lane];
						writes = writes + 1'b1;
					end
				for (int r = 0; r < RESULTS; r++) begin
					for (int n = 0; n < WORDS; n++) begin
						if (evict_valid[r*WORDS + n] && evict_warp[r*WORDS + n] == warp && evict_register[(r*WORDS + n)*2 +: 2] == register &&
						    evict_lanes[(r*WORDS + n)*LANES + lane]) begin
							file_after = evict_value[(r*WORDS + n)*LANES + lane];
							writes = writes + 1'b1;
						end
						if (result_valid && result_live[r*WORDS + n] && result_warp == warp && result_lanes[r*LANES + lane] &&
						    {1'b0, result_register[r*2 +: 2]} + n == register) begin
							latest_after = result_value[(r*WORDS + n)*LANES + lane];
							used_after = 1'b0;
							comes = comes + 1'b1;
							if (pass_words[r*WORDS + n]) begin
								file_after = latest_after;
								writes = writes + 1'b1;
							end
						end
					end
				end
			end
			always_ff @(posedge clk) begin
				latest <= reset ? 1'b0 : latest_after;
				used <= !reset && used_after;
				in_file <= reset ? 1'b0 : file_after;
			end

			always_comb if (begun) begin
				assert (here <= 1); // a lane is in one place at most
				assert (used || (here != 0 ? here_value : in_file) == latest); // LU-6: the latest value is here, or in the register file
				assert (writes <= comes + here); // a word that enters leaves once
				assert ((evict_valid & pass_words) == 0);
			end
			// A word that was here and did not come anew is here, or was written, or was used for the last time, in the cycle before.
			logic was_here, stays;
			always_ff @(posedge clk) begin
				was_here <= !reset && here != 0;
				stays <= reset || writes != 0 || is_last || comes != 0;
			end
			always_comb if (begun) assert (!was_here || stays || here != 0);

			// A reader finds the latest value.
			for (o = 0; o < 2; o = o + 1) begin : operand
				for (w = 0; w < WORDS; w = w + 1) begin : word
					logic found;
					assign found = operand_found[(o*WORDS + w)*LANES + lane];
					always_comb if (begun)
						assert (used || !(reader_valid && operand_valid[o] && reader_warp == warp && reader_lanes[lane] && w < operand_words[o*2 +: 2] &&
						                  {1'b0, operand_register[o*2 +: 2]} + w == register) ||
						        (found ? operand_value[(o*WORDS + w)*LANES + lane] : in_file) == latest);
					always_comb if (begun) // no value of another register, warp or lane
						assert (!found || !(reader_valid && operand_valid[o] && reader_warp == warp && w < operand_words[o*2 +: 2] &&
						                    {1'b0, operand_register[o*2 +: 2]} + w == register) || here != 0);
				end
			end
			// No register number has two registers of the buffer, and no lane is in two places, so no capacity is lost.
			for (k = 0; k < PLACES; k = k + 1) begin : place
				always_comb if (begun) // a write is left out only where a flagged reader of this warp takes all lanes that are left (LU-5)
					assert (!skip_places[k] || (reader_valid && place_warp[k] == reader_warp && place_lanes[k*LANES +: LANES] != 0 &&
					                            (place_lanes[k*LANES +: LANES] & ~reader_lanes) == 0 && (operand_valid & operand_last) != 0));
				for (j = 0; j < k; j = j + 1) begin : other
					always_comb if (begun)
						assert (place_lanes[k*LANES +: LANES] == 0 || place_lanes[j*LANES +: LANES] == 0 || place_warp[k] != place_warp[j] ||
						        place_register[k*2 +: 2] != place_register[j*2 +: 2] ||
						        (k >= K && j < K && (place_lanes[k*LANES +: LANES] & place_lanes[j*LANES +: LANES]) == 0));
				end
			end
			// Another value is displaced only when no register is free after the results that came before.
			logic [2:0] taken;
			always_comb begin
				taken = '0;
				for (int n = 0; n < K; n++)
					taken = taken + (place_lanes[n*LANES +: LANES] != 0);
			end
			always_comb if (begun) begin
				assert (taken <= K);
				assert (!(taken == 0 && evict_valid[WORDS-1:0] != 0)); // an empty buffer takes a result of WORDS words
			end
		end
	endgenerate
endmodule

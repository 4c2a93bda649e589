// SPDX-License-Identifier: BSD-3-Clause
// An operand buffer (LU-4, LU-15; last_use.compensation_of: warp): registers in front of the register file, which some warp slots share, and the
// last-result registers of these slots. Model: src/core/execute/operand_buffer.c.
//
// A register holds the lanes of one register number of one warp, and says which lanes it has; no lane: it is free. A lane of a register number is in one
// place at most, so a reader needs no order of places. A lane leaves
//   by its last use (LU-5): a flagged reader takes it, and it is not written,
//   when a later result for this lane comes,
//   or when a register is needed, and this one was not used for the longest time. Then the lanes that are left are written.
//
// A cycle has these steps, as in the model:
//   1. readers take their operands, one reader after the other, and drop what they use for the last time,
//   2. a warp ends or is saved, and what it has is written (LU-6),
//   3. results leave path C-A, older ones first, and enter. What they displace is written. The register file has it from the next cycle on.
//
// Place n < LAST_USE_COMPENSATION is register n of the buffer. The last-result registers of slot 0 follow, then those of slot 1, and so on.
// Every result is taken: the buffer always has room, because it writes what it displaces. So results have no `ready`.
//
// Not in this module: the paths in front of it, whose results are newer (write_controller.sv), the register file and its ports (LU-10). A part of a
// result, as a narrow pipe makes it, enters as a result for some lanes, and joins the others in their register.
module operand_buffer #(
	parameter LAST_USE_COMPENSATION_SHARE = 1, // warp slots that share the buffer
	parameter LAST_USE_COMPENSATION = 6,       // registers of the buffer, of one word each, at least 1
	parameter LAST_USE_LAST_RESULT = 2,        // words of a last-result register; 0: there is none
	parameter WORDS = 4,                       // 32-bit words of the largest result, 1 to 4
	parameter LANES = 32,
	parameter WORD_BITS = 32,                  // of a lane
	parameter REGISTER_BITS = 8,
	parameter RESULTS = 1,                     // results that leave path C-A in a cycle
	parameter READERS = 1,                     // instructions that enter pipelines in a cycle
	parameter OPERANDS = 3,                    // of an instruction
	parameter WARP_BITS = LAST_USE_COMPENSATION_SHARE > 1 ? $clog2(LAST_USE_COMPENSATION_SHARE) : 1,
	parameter SIZE_BITS = $clog2(WORDS + 1),
	parameter PLACES = LAST_USE_COMPENSATION + LAST_USE_COMPENSATION_SHARE * LAST_USE_LAST_RESULT,
	parameter PUTS = WORDS > LAST_USE_LAST_RESULT ? WORDS : LAST_USE_LAST_RESULT, // words that one result can move into the buffer
	parameter READS = READERS * OPERANDS,
	parameter WORD = LANES * WORD_BITS // lane l of a word is at l * WORD_BITS
) (
	input logic clk,
	input logic reset, // synchronous; all places are free

	// Step 1: instructions that enter a pipeline.
	input logic [READERS-1:0] reader_valid,
	input logic [READERS*WARP_BITS-1:0] reader_warp,              // slot of this buffer
	input logic [READERS*LANES-1:0] reader_lanes,                 // lanes that read
	input logic [READS-1:0] operand_valid,                        // the operand is a register other than RZ
	input logic [READS*REGISTER_BITS-1:0] operand_register,       // the first one
	input logic [READS*SIZE_BITS-1:0] operand_words,              // 1 to WORDS
	input logic [READS-1:0] operand_last,                         // flag of the last use (LU-2)

	// Step 1: of each operand, word by word. Results on the paths are newer than this. A lane that nobody has comes from the register file.
	output logic [READS*WORDS*LANES-1:0] operand_found,           // lanes that are here
	output logic [READS*WORDS-1:0] operand_served,                // all lanes of the reader are here
	output logic [READS*WORDS*WORD-1:0] operand_value,            // 0 in the other lanes
	output logic [READS*3-1:0] operand_path,                      // of all words: 2 last-result register, 3 buffer, 4 register file (enum hd_path)
	output logic [PLACES-1:0] skip_places,                        // places that a last use has freed: a write is left out (LU-5)

	// Step 2: a warp ends or is saved: its final values are always written (LU-6).
	input logic end_valid,
	input logic [WARP_BITS-1:0] end_warp,
	output logic [PLACES*LANES-1:0] end_lanes,                    // lanes of each place that are written

	// Step 3: results that leave path C-A, older ones first.
	input logic [RESULTS-1:0] result_valid,
	input logic [RESULTS*WARP_BITS-1:0] result_warp,
	input logic [RESULTS*REGISTER_BITS-1:0] result_register,      // the first one
	input logic [RESULTS*SIZE_BITS-1:0] result_words,             // 1 to WORDS
	input logic [RESULTS*WORDS-1:0] result_live,                  // words that were not dropped on the paths
	input logic [RESULTS*LANES-1:0] result_lanes,                 // lanes for which it was made (LU-7)
	input logic [RESULTS*WORDS*WORD-1:0] result_value,
	input logic [RESULTS-1:0] result_passes,                      // it does not enter (the compiler's mark `pass`)

	// Step 3: words of each result that are written, because it passes by, or has more words than the buffer has registers.
	output logic [RESULTS*WORDS-1:0] pass_words,
	// Step 3: registers that are written because others need them: PUTS for each result, in the order of the results.
	output logic [RESULTS*PUTS-1:0] evict_valid,
	output logic [RESULTS*PUTS*WARP_BITS-1:0] evict_warp,
	output logic [RESULTS*PUTS*REGISTER_BITS-1:0] evict_register,
	output logic [RESULTS*PUTS*LANES-1:0] evict_lanes,
	output logic [RESULTS*PUTS*WORD-1:0] evict_value,

	// The places at the beginning of the cycle.
	output logic [PLACES*LANES-1:0] place_lanes,                  // lanes that it has; none: the place is free
	output logic [PLACES*WARP_BITS-1:0] place_warp,
	output logic [PLACES*REGISTER_BITS-1:0] place_register,
	output logic [PLACES*WORD-1:0] place_value
);
	localparam K = LAST_USE_COMPENSATION, LAST = LAST_USE_LAST_RESULT;
	localparam int REGISTERS = K, ALL = PLACES, LAST_WORDS = LAST, READER_COUNT = READERS, RESULT_COUNT = RESULTS; // bounds of loops: Icarus 11 wants a type
	localparam END_BITS = REGISTER_BITS + 1;
	localparam [2:0] PATH_LAST = 2, PATH_BUFFER = 3, PATH_FILE = 4;
	localparam [WARP_BITS-1:0] WARPS = LAST_USE_COMPENSATION_SHARE > 1 ? {WARP_BITS{1'b1}} : {WARP_BITS{1'b0}}; // with one slot there are no bits for it

	logic [K*WARP_BITS-1:0] kept_warp;
	// Bit i * K + j with i < j: register i was used after register j. A use sets the row and clears the column. Other bits are 0.
	logic [K*K-1:0] later; // state

	genvar o, p, i, slot;
	generate
		assign place_warp[K*WARP_BITS-1:0] = kept_warp;
		for (slot = 0; slot < LAST_USE_COMPENSATION_SHARE * LAST; slot = slot + 1) begin : last_result
			assign place_warp[(K + slot)*WARP_BITS +: WARP_BITS] = WARP_BITS'(slot / LAST);
		end
	endgenerate

	function automatic logic [K*K-1:0] with_use(input logic [K*K-1:0] order, input logic [K-1:0] used);
		with_use = order;
		for (int a = 0; a < REGISTERS; a++)
			for (int b = 0; b < REGISTERS; b++)
				if (a < b)
					with_use[a*K + b] = (order[a*K + b] || used[a]) && !used[b];
	endfunction

	// The register that was not used for the longest time.
	function automatic logic [K-1:0] oldest(input logic [K*K-1:0] order);
		oldest = '1;
		for (int a = 0; a < REGISTERS; a++)
			for (int b = 0; b < REGISTERS; b++)
				if (a < b) begin
					if (order[a*K + b])
						oldest[a] = 1'b0;
					else
						oldest[b] = 1'b0;
				end
	endfunction

	// is_word[(o * WORDS + i) * PLACES + p]: place p has, or had, the register of word i of operand o.
	logic [READS*WORDS*PLACES-1:0] is_word;
	generate
		for (o = 0; o < READS; o = o + 1) begin : operand
			localparam R = o / OPERANDS;
			logic [WARP_BITS-1:0] warp;
			assign warp = reader_warp[R*WARP_BITS +: WARP_BITS] & WARPS;
			for (p = 0; p < PLACES; p = p + 1) begin : place
				logic [END_BITS-1:0] offset; // of the place in the operand
				logic same_warp;
				assign offset = {1'b0, place_register[p*REGISTER_BITS +: REGISTER_BITS]} - {1'b0, operand_register[o*REGISTER_BITS +: REGISTER_BITS]};
				assign same_warp = reader_valid[R] && operand_valid[o] && place_warp[p*WARP_BITS +: WARP_BITS] == warp;
				for (i = 0; i < WORDS; i = i + 1) begin : word
					assign is_word[(o*WORDS + i)*PLACES + p] =
						same_warp && offset == END_BITS'(i) && SIZE_BITS'(i) < operand_words[o*SIZE_BITS +: SIZE_BITS];
				end
			end
		end
	endgenerate

	// The places through the steps of the cycle.
	logic [PLACES*LANES-1:0] lanes;
	logic [PLACES*WARP_BITS-1:0] warps;
	logic [PLACES*REGISTER_BITS-1:0] registers;
	logic [PLACES*WORD-1:0] values;
	logic [K*K-1:0] order;
	logic [READERS*PLACES*LANES-1:0] lanes_read; // when a reader reads
	logic [PLACES-1:0] dropped;
	logic [K-1:0] chosen, free;
	logic [LANES-1:0] from_lanes;
	logic [WARP_BITS-1:0] from_warp;
	logic [REGISTER_BITS-1:0] from_register;
	logic [WORD-1:0] from_value;
	logic becomes_last, passes, found;
	always_comb begin
		lanes = place_lanes;
		warps = place_warp;
		registers = place_register;
		values = place_value;
		order = later;
		lanes_read = '0;
		dropped = '0;
		skip_places = '0;
		end_lanes = '0;
		pass_words = '0;
		evict_valid = '0;
		evict_warp = '0;
		evict_register = '0;
		evict_lanes = '0;
		evict_value = '0;
		chosen = '0;
		free = '0;
		from_lanes = '0;
		from_warp = '0;
		from_register = '0;
		from_value = '0;
		becomes_last = 1'b0;
		passes = 1'b0;
		found = 1'b0;

		// Step 1. A reader uses the registers of its operands in order. Its drops follow its last operand.
		for (int r = 0; r < READER_COUNT; r++) begin
			lanes_read[r*PLACES*LANES +: PLACES*LANES] = lanes;
			dropped = '0;
			for (int at = 0; at < OPERANDS * WORDS; at++) begin
				chosen = '0;
				for (int k = 0; k < REGISTERS; k++)
					chosen[k] = is_word[(r*OPERANDS*WORDS + at)*PLACES + k] && lanes[k*LANES +: LANES] != '0;
				order = with_use(order, chosen);
				if (operand_last[r*OPERANDS + at / WORDS])
					dropped = dropped | is_word[(r*OPERANDS*WORDS + at)*PLACES +: PLACES];
			end
			for (int n = 0; n < ALL; n++)
				if (dropped[n] && lanes[n*LANES +: LANES] != '0) begin
					lanes[n*LANES +: LANES] = lanes[n*LANES +: LANES] & ~reader_lanes[r*LANES +: LANES];
					skip_places[n] = lanes[n*LANES +: LANES] == '0;
				end
		end

		// Step 2.
		for (int n = 0; n < ALL; n++)
			if (end_valid && warps[n*WARP_BITS +: WARP_BITS] == (end_warp & WARPS)) begin
				end_lanes[n*LANES +: LANES] = lanes[n*LANES +: LANES];
				lanes[n*LANES +: LANES] = '0;
			end

		// Step 3.
		for (int r = 0; r < RESULT_COUNT; r++) begin
			from_warp = result_warp[r*WARP_BITS +: WARP_BITS] & WARPS;
			becomes_last = 1'b0;
			passes = result_passes[r];
			for (int size = 1; size <= WORDS; size++) begin
				becomes_last = becomes_last || (size <= LAST && !result_passes[r] && result_words[r*SIZE_BITS +: SIZE_BITS] == SIZE_BITS'(size));
				passes = passes || (size > K && result_words[r*SIZE_BITS +: SIZE_BITS] == SIZE_BITS'(size));
			end
			// Its lanes leave the places that they have.
			for (int w = 0; w < WORDS; w++) begin
				from_register = result_register[r*REGISTER_BITS +: REGISTER_BITS] + REGISTER_BITS'(w);
				for (int n = 0; n < ALL; n++)
					if (result_valid[r] && result_live[r*WORDS + w] && warps[n*WARP_BITS +: WARP_BITS] == from_warp &&
					    registers[n*REGISTER_BITS +: REGISTER_BITS] == from_register)
						lanes[n*LANES +: LANES] = lanes[n*LANES +: LANES] & ~result_lanes[r*LANES +: LANES];
				pass_words[r*WORDS + w] = result_valid[r] && result_live[r*WORDS + w] && passes && !becomes_last;
			end
			// Words move into the buffer: the result's own ones, or those of the last result.
			for (int w = 0; w < PUTS; w++) begin
				from_lanes = '0;
				from_register = '0;
				from_value = '0;
				if (becomes_last) begin
					for (int n = REGISTERS; n < ALL; n++)
						if (w < LAST_WORDS && n == REGISTERS + (n - REGISTERS) / (LAST_WORDS > 0 ? LAST_WORDS : 1) * LAST_WORDS + w &&
						    result_valid[r] && warps[n*WARP_BITS +: WARP_BITS] == from_warp) begin
							from_lanes = lanes[n*LANES +: LANES];
							from_register = registers[n*REGISTER_BITS +: REGISTER_BITS];
							from_value = values[n*WORD +: WORD];
						end
				end else if (w < WORDS) begin
					from_lanes = result_valid[r] && result_live[r*WORDS + w] && !passes ? result_lanes[r*LANES +: LANES] : '0;
					from_register = result_register[r*REGISTER_BITS +: REGISTER_BITS] + REGISTER_BITS'(w);
					from_value = result_value[(r*WORDS + w)*WORD +: WORD];
				end
				// The register with other lanes of this number, or the first free one, or the one that was not used for the longest time.
				chosen = '0;
				free = '0;
				for (int k = REGISTERS - 1; k >= 0; k--) begin
					chosen[k] = lanes[k*LANES +: LANES] != '0 && warps[k*WARP_BITS +: WARP_BITS] == from_warp &&
					            registers[k*REGISTER_BITS +: REGISTER_BITS] == from_register;
					if (lanes[k*LANES +: LANES] == '0) begin
						free = '0;
						free[k] = 1'b1;
					end
				end
				found = chosen != '0;
				if (!found)
					chosen = free != '0 ? free : oldest(order);
				if (from_lanes == '0)
					chosen = '0;
				evict_valid[r*PUTS + w] = from_lanes != '0 && !found && free == '0;
				for (int k = 0; k < REGISTERS; k++)
					if (chosen[k]) begin
						evict_warp[(r*PUTS + w)*WARP_BITS +: WARP_BITS] = warps[k*WARP_BITS +: WARP_BITS];
						evict_register[(r*PUTS + w)*REGISTER_BITS +: REGISTER_BITS] = registers[k*REGISTER_BITS +: REGISTER_BITS];
						evict_lanes[(r*PUTS + w)*LANES +: LANES] = lanes[k*LANES +: LANES];
						evict_value[(r*PUTS + w)*WORD +: WORD] = values[k*WORD +: WORD];
						lanes[k*LANES +: LANES] = (found ? lanes[k*LANES +: LANES] : '0) | from_lanes;
						warps[k*WARP_BITS +: WARP_BITS] = from_warp;
						registers[k*REGISTER_BITS +: REGISTER_BITS] = from_register;
						for (int lane = 0; lane < LANES; lane++)
							if (from_lanes[lane])
								values[(k*LANES + lane)*WORD_BITS +: WORD_BITS] = from_value[lane*WORD_BITS +: WORD_BITS];
					end
				order = with_use(order, chosen);
			end
			// The result takes the place of the last one.
			for (int n = REGISTERS; n < ALL; n++)
				if (result_valid[r] && becomes_last && warps[n*WARP_BITS +: WARP_BITS] == from_warp) begin
					lanes[n*LANES +: LANES] = '0;
					for (int w = 0; w < WORDS; w++)
						if (w < LAST_WORDS && (n - REGISTERS) % (LAST_WORDS > 0 ? LAST_WORDS : 1) == w) begin
							lanes[n*LANES +: LANES] = result_live[r*WORDS + w] ? result_lanes[r*LANES +: LANES] : '0;
							registers[n*REGISTER_BITS +: REGISTER_BITS] = result_register[r*REGISTER_BITS +: REGISTER_BITS] + REGISTER_BITS'(w);
							values[n*WORD +: WORD] = result_value[(r*WORDS + w)*WORD +: WORD];
						end
				end
		end
	end

	// The operands. A lane is in one place at most.
	generate
		for (o = 0; o < READS; o = o + 1) begin : read
			localparam R = o / OPERANDS;
			logic [WORDS-1:0] served;
			logic in_last;
			logic [2:0] path;
			logic [SIZE_BITS-1:0] size;
			assign size = operand_words[o*SIZE_BITS +: SIZE_BITS];
			for (i = 0; i < WORDS; i = i + 1) begin : word
				logic [LANES-1:0] here;
				logic [WORD-1:0] value;
				always_comb begin
					here = '0;
					value = '0;
					for (int n = 0; n < ALL; n++)
						for (int lane = 0; lane < LANES; lane++)
							if (is_word[(o*WORDS + i)*PLACES + n] && lanes_read[(R*PLACES + n)*LANES + lane]) begin
								here[lane] = 1'b1;
								value[lane*WORD_BITS +: WORD_BITS] = value[lane*WORD_BITS +: WORD_BITS] | place_value[(n*LANES + lane)*WORD_BITS +: WORD_BITS];
							end
				end
				assign operand_found[(o*WORDS + i)*LANES +: LANES] = here;
				assign operand_value[(o*WORDS + i)*WORD +: WORD] = value;
				assign served[i] = here != '0 && (reader_lanes[R*LANES +: LANES] & ~here) == '0;
			end
			assign operand_served[o*WORDS +: WORDS] = served;
			always_comb begin
				in_last = 1'b0;
				for (int w = 0; w < WORDS; w++)
					for (int n = REGISTERS; n < ALL; n++)
						in_last = in_last || (is_word[(o*WORDS + w)*PLACES + n] && lanes_read[(R*PLACES + n)*LANES +: LANES] != '0);
				path = in_last ? PATH_LAST : PATH_BUFFER;
				for (int w = 0; w < WORDS; w++)
					if (SIZE_BITS'(w) < size && !served[w])
						path = PATH_FILE;
			end
			assign operand_path[o*3 +: 3] = path;
		end
	endgenerate

	always_ff @(posedge clk) begin
		place_lanes <= reset ? '0 : lanes;
		kept_warp <= warps[K*WARP_BITS-1:0] & {K{WARPS}};
		place_register <= registers;
		place_value <= values;
		later <= reset ? '0 : order;
	end
endmodule

// SPDX-License-Identifier: BSD-3-Clause
// Forwarding and the write to the register file (LU-4 to LU-7), with compensation registers of a pipeline (last_use.compensation_of: pipe).
// Model: src/core/execute/write_controller.c and compensation.c.
//
// Each result moves on by one place in each cycle. Place 0 is the output of its pipeline, in stage C. Then come path C-B, path C-A and the
// compensation registers of its pipeline. A result that leaves the last place is written. A reader takes its operands from these places, or from the register file.
// When the last use of a value is flagged, and reads for all lanes for which the value was made, the write is left out.
//
// A cycle has these steps, as in the model:
//   1. results come to place 0; then direct_* and end_* make results leave early,
//   2. readers take their operands, one reader after the other, and drop what they use for the last time,
//   3. all results move on; what leaves the last place, or finds no compensation register, is written. The register file has it from the next cycle on.
//
// Pipelines share PORTS buses for results, each with its places. A pipeline may use several buses in a cycle, because loads end together, and operations
// with different latencies do. Of the results of a cycle those with a lower bus are older.
//
// Result n of `place_*`, `write_words` and `skip_words` is that of bus n % PORTS in place LENGTH - 1 - n / PORTS: older results come first. When one
// register is written twice in a cycle, the later result counts. What step 1 and 2 write, readers of the same cycle find in the register file: it passes
// a write of the cycle on to a read.
//
// A narrow pipeline makes a result in parts, one in a cycle, each for some lanes. They share the registers of the first part, so the others take none.
//
// Not in this module: the register file and its ports (LU-10), and operand buffers
// (last_use.compensation_of: warp), which operand_buffer.sv has.
module write_controller #(
	parameter MACHINE_WARPS = 16,        // warp slots of the scheduler, at least 2
	parameter PIPES = 8,                 // pipelines with a result, at least 2
	parameter PORTS = 3,                 // results that reach the ends of pipelines in a cycle, at least 2
	parameter DIRECTS = 1,               // results without a path that are written in a cycle
	parameter LAST_USE_PATH_B = 2,       // places on path C-B
	parameter LAST_USE_PATH_A = 1,       // places on path C-A; path_b + path_a is at least 1
	parameter LAST_USE_COMPENSATION = 2, // compensation registers of a pipeline, of one word each; with the paths at least 2
	parameter LAST_USE_ACROSS = 1,       // a reader finds results of every pipeline; 0: of its own one
	parameter WORDS = 2,                 // 32-bit words of the largest result, 1 to 4
	parameter LANES = 32,
	parameter WORD_BITS = 32,            // of a lane
	parameter REGISTER_BITS = 8,
	parameter READERS = 1,               // instructions that enter pipelines in a cycle
	parameter OPERANDS = 3,              // of an instruction
	parameter WARP_BITS = $clog2(MACHINE_WARPS),
	parameter PIPE_BITS = $clog2(PIPES),
	parameter SIZE_BITS = $clog2(WORDS + 1),
	parameter LENGTH = LAST_USE_PATH_B + LAST_USE_PATH_A + LAST_USE_COMPENSATION, // places of a bus
	parameter RESULTS = PORTS * LENGTH,
	parameter VALUE_BITS = WORDS * LANES * WORD_BITS // word w of lane l is at (w * LANES + l) * WORD_BITS
) (
	input logic clk,
	input logic reset, // synchronous; there are no results

	// Step 1: results that reach the end of their pipelines.
	input logic [PORTS-1:0] result_valid,
	input logic [PORTS*WARP_BITS-1:0] result_warp,
	input logic [PORTS*PIPE_BITS-1:0] result_pipe,         // less than PIPES
	input logic [PORTS*REGISTER_BITS-1:0] result_register, // the first one
	input logic [PORTS*SIZE_BITS-1:0] result_words,        // 1 to WORDS
	input logic [PORTS*LANES-1:0] result_lanes,            // lanes for which it was made (LU-7)
	input logic [PORTS*VALUE_BITS-1:0] result_value,
	input logic [PORTS-1:0] result_shares,                 // a part of a narrow pipeline's result behind the first one: it takes no register

	// Step 1: results that use no path are written in this cycle, beside this module. Earlier results of these registers are written before.
	input logic [DIRECTS-1:0] direct_valid,
	input logic [DIRECTS*WARP_BITS-1:0] direct_warp,
	input logic [DIRECTS*REGISTER_BITS-1:0] direct_register,
	input logic [DIRECTS*SIZE_BITS-1:0] direct_words,

	// Step 1: a warp ends or is saved: its final values are always written (LU-6).
	input logic end_valid,
	input logic [WARP_BITS-1:0] end_warp,

	// Step 2: instructions that enter a pipeline.
	input logic [READERS-1:0] reader_valid,
	input logic [READERS*WARP_BITS-1:0] reader_warp,
	input logic [READERS*PIPE_BITS-1:0] reader_pipe,
	input logic [READERS*LANES-1:0] reader_lanes,
	input logic [READERS*OPERANDS-1:0] operand_valid, // the operand is a register other than RZ
	input logic [READERS*OPERANDS*REGISTER_BITS-1:0] operand_register,
	input logic [READERS*OPERANDS*SIZE_BITS-1:0] operand_words,
	input logic [READERS*OPERANDS-1:0] operand_last, // flag of the last use (LU-2)

	// Step 2: of each operand, word by word. A word that is not `served` is read from the register file, too.
	output logic [READERS*OPERANDS*WORDS-1:0] operand_served,       // all lanes of the reader come from results
	output logic [READERS*OPERANDS*WORDS*LANES-1:0] operand_found,  // lanes that come from results, as `operand_value` has them
	output logic [READERS*OPERANDS*VALUE_BITS-1:0] operand_value,
	output logic [READERS*OPERANDS*3-1:0] operand_path,             // of the newest word: 0 C-B, 1 C-A, 3 compensation, 4 register file (enum hd_path)

	// Step 3: the words of each result that go to the register file, and those that need not, because they were used for the last time (LU-5).
	output logic [RESULTS*WORDS-1:0] write_words,
	output logic [RESULTS*WORDS-1:0] skip_words,

	// The results: those of place 0 as they came, the others as they were at the beginning of the cycle.
	output logic [RESULTS*WORDS-1:0] place_words, // words that are neither written nor dropped; none: the place is empty
	output logic [RESULTS*WARP_BITS-1:0] place_warp,
	output logic [RESULTS*PIPE_BITS-1:0] place_pipe,
	output logic [RESULTS*REGISTER_BITS-1:0] place_register,
	output logic [RESULTS*SIZE_BITS-1:0] place_size,
	output logic [RESULTS-1:0] place_shares,
	output logic [RESULTS*LANES-1:0] place_lanes,
	output logic [RESULTS*VALUE_BITS-1:0] place_value
);
	localparam KEPT = RESULTS - PORTS;                          // results in places 1 to LENGTH - 1, which have flip-flops
	localparam LEAVES_PATHS = LAST_USE_COMPENSATION * PORTS;    // the first result in the last place of the paths
	localparam END_BITS = REGISTER_BITS + 1;
	localparam COUNT_BITS = $clog2(WORDS * RESULTS + WORDS + 1); // holds the words of all results
	localparam [2:0] PATH_B = 0, PATH_A = 1, PATH_COMPENSATION = 3, PATH_FILE = 4;
	localparam READS = READERS * OPERANDS;
	localparam int ALL = RESULTS, PORT_COUNT = PORTS, DIRECT_COUNT = DIRECTS, READ_COUNT = READS; // bounds of loops: Icarus 11 wants a type

	logic [KEPT*WORDS-1:0] kept_words;
	logic [KEPT*WARP_BITS-1:0] kept_warp;
	logic [KEPT*PIPE_BITS-1:0] kept_pipe;
	logic [KEPT*REGISTER_BITS-1:0] kept_register;
	logic [KEPT*SIZE_BITS-1:0] kept_size;
	logic [KEPT-1:0] kept_shares;
	logic [KEPT*LANES-1:0] kept_lanes;
	logic [KEPT*VALUE_BITS-1:0] kept_value;

	logic [PORTS*WORDS-1:0] come_words;
	always_comb begin
		come_words = '0;
		for (int p = 0; p < PORT_COUNT; p++)
			for (int w = 0; w < WORDS; w++)
				come_words[p*WORDS + w] = result_valid[p] && SIZE_BITS'(w) < result_words[p*SIZE_BITS +: SIZE_BITS];
	end
	assign place_words = {come_words, kept_words};
	assign place_warp = {result_warp, kept_warp};
	assign place_pipe = {result_pipe, kept_pipe};
	assign place_register = {result_register, kept_register};
	assign place_size = {result_words, kept_size};
	assign place_shares = {result_shares, kept_shares};
	assign place_lanes = {result_lanes, kept_lanes};
	assign place_value = {result_value, kept_value};

	// Constant during the cycle: which registers meet which.
	// meets[n * RESULTS + m]: result m is older than n, of the same warp, and has registers of n.
	logic [RESULTS*RESULTS-1:0] meets;
	logic [RESULTS*END_BITS-1:0] place_end;  // one past the last register
	logic [RESULTS-1:0] leaves_for_direct, leaves_for_end;
	always_comb begin
		for (int n = 0; n < ALL; n++)
			place_end[n*END_BITS +: END_BITS] = {1'b0, place_register[n*REGISTER_BITS +: REGISTER_BITS]} + END_BITS'(place_size[n*SIZE_BITS +: SIZE_BITS]);
	end
	always_comb begin
		meets = '0;
		for (int n = 0; n < ALL; n++)
			for (int m = 0; m < ALL; m++)
				if (m < n)
					meets[n*RESULTS + m] = place_warp[n*WARP_BITS +: WARP_BITS] == place_warp[m*WARP_BITS +: WARP_BITS] &&
					                       {1'b0, place_register[n*REGISTER_BITS +: REGISTER_BITS]} < place_end[m*END_BITS +: END_BITS] &&
					                       {1'b0, place_register[m*REGISTER_BITS +: REGISTER_BITS]} < place_end[n*END_BITS +: END_BITS];
	end
	always_comb begin
		for (int n = 0; n < ALL; n++) begin
			leaves_for_direct[n] = 1'b0;
			for (int d = 0; d < DIRECT_COUNT; d++)
				leaves_for_direct[n] = leaves_for_direct[n] ||
					(direct_valid[d] && place_warp[n*WARP_BITS +: WARP_BITS] == direct_warp[d*WARP_BITS +: WARP_BITS] &&
					 {1'b0, direct_register[d*REGISTER_BITS +: REGISTER_BITS]} < place_end[n*END_BITS +: END_BITS] &&
					 {1'b0, place_register[n*REGISTER_BITS +: REGISTER_BITS]} <
					 {1'b0, direct_register[d*REGISTER_BITS +: REGISTER_BITS]} + END_BITS'(direct_words[d*SIZE_BITS +: SIZE_BITS]));
			leaves_for_end[n] = end_valid && place_warp[n*WARP_BITS +: WARP_BITS] == end_warp;
		end
	end

	// Of operand o of all readers and result n: it has registers of the operand; word w of the result is word i of the operand; the last use of the
	// operand drops word w, because the result was made for no other lanes than those that read (LU-5, LU-7).
	logic [READS*RESULTS-1:0] reads;
	logic [READS*RESULTS*WORDS*WORDS-1:0] is_word;
	logic [READS*RESULTS*WORDS-1:0] of_operand, drops;
	genvar o, place, i, l;
	generate
		for (o = 0; o < READS; o = o + 1) begin : operand
			localparam R = o / OPERANDS;
			logic [REGISTER_BITS-1:0] first;
			logic [END_BITS-1:0] first_end;
			assign first = operand_register[o*REGISTER_BITS +: REGISTER_BITS];
			assign first_end = {1'b0, first} + END_BITS'(operand_words[o*SIZE_BITS +: SIZE_BITS]);
			for (place = 0; place < RESULTS; place = place + 1) begin : result
				logic same_warp, all_lanes;
				logic [END_BITS-1:0] offset; // of the operand in the result
				assign same_warp = reader_valid[R] && operand_valid[o] && place_warp[place*WARP_BITS +: WARP_BITS] == reader_warp[R*WARP_BITS +: WARP_BITS];
				assign all_lanes = (place_lanes[place*LANES +: LANES] & ~reader_lanes[R*LANES +: LANES]) == '0;
				assign offset = {1'b0, first} - {1'b0, place_register[place*REGISTER_BITS +: REGISTER_BITS]};
				assign reads[o*RESULTS + place] = same_warp && {1'b0, first} < place_end[place*END_BITS +: END_BITS] &&
				                              {1'b0, place_register[place*REGISTER_BITS +: REGISTER_BITS]} < first_end;
				for (i = 0; i < WORDS; i = i + 1) begin : word
					for (l = 0; l < WORDS; l = l + 1) begin : of_result
						assign is_word[((o*RESULTS + place)*WORDS + l)*WORDS + i] =
							same_warp && SIZE_BITS'(i) < operand_words[o*SIZE_BITS +: SIZE_BITS] && offset == END_BITS'(l - i);
					end
					assign of_operand[(o*RESULTS + place)*WORDS + i] = is_word[((o*RESULTS + place)*WORDS + i)*WORDS +: WORDS] != '0;
					assign drops[(o*RESULTS + place)*WORDS + i] = of_operand[(o*RESULTS + place)*WORDS + i] && operand_last[o] && all_lanes;
				end
			end
		end
	endgenerate

	// Results that are written before their time, with all older results that they meet, and so on: writes to a register keep their order. The answer has
	// a bit for each word.
	function automatic logic [RESULTS*WORDS-1:0] with_older(input logic [RESULTS-1:0] early, input logic [RESULTS*WORDS-1:0] there);
		logic [RESULTS-1:0] chosen;
		chosen = early;
		with_older = '0;
		for (int k = 0; k < ALL; k++)
			if (chosen[ALL - 1 - k] && there[(ALL - 1 - k)*WORDS +: WORDS] != '0) begin
				chosen = chosen | meets[(ALL - 1 - k)*RESULTS +: RESULTS];
				with_older[(ALL - 1 - k)*WORDS +: WORDS] = {WORDS{1'b1}};
			end
	endfunction

	// The words that are there, through the steps of the cycle.
	logic [RESULTS*WORDS-1:0] words;
	logic [READS*RESULTS*WORDS-1:0] words_read; // when an operand is read
	logic [RESULTS-1:0] early;
	logic any, foreign;
	logic [COUNT_BITS-1:0] needed, held;
	always_comb begin
		words = place_words;
		words_read = '0;
		skip_words = '0;
		early = '0;
		any = 1'b0;
		foreign = 1'b0;
		needed = '0;
		held = '0;

		// Step 1.
		words = words & ~with_older(leaves_for_direct, words);
		for (int n = 0; n < ALL; n++)
			words[n*WORDS +: WORDS] = words[n*WORDS +: WORDS] & ~{WORDS{leaves_for_end[n]}};

		// Step 2. The drops of a reader follow its last operand.
		for (int at = 0; at < READ_COUNT; at++) begin
			if (LAST_USE_ACROSS == 0) begin
				// A result that cannot reach the reader goes through the register file, and so do the others of these registers.
				foreign = 1'b0;
				for (int n = 0; n < ALL; n++) begin
					any = (words[n*WORDS +: WORDS] & of_operand[(at*RESULTS + n)*WORDS +: WORDS]) != '0;
					foreign = foreign || (any && place_pipe[n*PIPE_BITS +: PIPE_BITS] != reader_pipe[at / OPERANDS*PIPE_BITS +: PIPE_BITS]);
				end
				if (foreign)
					words = words & ~with_older(reads[at*RESULTS +: RESULTS], words);
			end
			words_read[at*RESULTS*WORDS +: RESULTS*WORDS] = words & of_operand[at*RESULTS*WORDS +: RESULTS*WORDS];
			if (at % OPERANDS == OPERANDS - 1)
				for (int k = 0; k < OPERANDS; k++) begin
					skip_words = skip_words | (words & drops[(at - k)*RESULTS*WORDS +: RESULTS*WORDS]);
					words = words & ~drops[(at - k)*RESULTS*WORDS +: RESULTS*WORDS];
				end
		end

		// Step 3: the last place of each bus is written.
		for (int n = 0; n < PORT_COUNT; n++)
			words[n*WORDS +: WORDS] = '0;
		// A result that leaves path C-A needs a compensation register for each word. The oldest ones of its pipeline make room. When all registers of the
		// pipeline are too few for it, the result itself leaves.
		if (LAST_USE_COMPENSATION > 0)
			for (int p = 0; p < PORT_COUNT; p++) begin
				needed = '0;
				for (int w = 0; w < WORDS; w++)
					needed = needed + COUNT_BITS'(words[(LEAVES_PATHS + p)*WORDS + w] && !place_shares[LEAVES_PATHS + p]);
				held = '0; // by results of this pipeline that are not older than n
				early = '0;
				for (int n = ALL - 1; n >= PORT_COUNT; n--)
					if (n < LEAVES_PATHS + p && !place_shares[n] &&
					    place_pipe[n*PIPE_BITS +: PIPE_BITS] == place_pipe[(LEAVES_PATHS + p)*PIPE_BITS +: PIPE_BITS]) begin
						for (int w = 0; w < WORDS; w++)
							held = held + COUNT_BITS'(words[n*WORDS + w]);
						early[n] = needed <= COUNT_BITS'(LAST_USE_COMPENSATION) && held + needed > COUNT_BITS'(LAST_USE_COMPENSATION);
					end
				early[LEAVES_PATHS + p] = needed > COUNT_BITS'(LAST_USE_COMPENSATION);
				words = words & ~with_older(early, words);
			end
	end
	assign write_words = place_words & ~skip_words & ~words;

	// The operands. Newer results, which come later, overlay older ones lane by lane.
	logic [RESULTS*LANES*WORD_BITS-1:0] place_bits; // of a word: bits of the lanes for which the result was made
	generate
		for (place = 0; place < RESULTS * LANES; place = place + 1) begin : lane_bits
			assign place_bits[place*WORD_BITS +: WORD_BITS] = {WORD_BITS{place_lanes[place]}};
		end
		for (o = 0; o < READS; o = o + 1) begin : value
			logic [WORDS-1:0] served;
			logic [2:0] path;
			logic [RESULTS*WORDS-1:0] present;
			logic [SIZE_BITS-1:0] size;
			assign present = words_read[o*RESULTS*WORDS +: RESULTS*WORDS];
			assign size = operand_words[o*SIZE_BITS +: SIZE_BITS];
			for (i = 0; i < WORDS; i = i + 1) begin : word
				logic [LANES-1:0] found;
				logic [RESULTS*WORDS-1:0] hit_word;
				for (place = 0; place < RESULTS*WORDS; place = place + 1) begin : of_word
					assign hit_word[place] = is_word[(o*RESULTS*WORDS + place)*WORDS + i] && present[place];
				end
				logic [LANES*WORD_BITS-1:0] values;
				always_comb begin
					found = '0;
					values = '0;
					for (int k = 0; k < ALL; k++)
						for (int w = 0; w < WORDS; w++)
							if (hit_word[k*WORDS + w]) begin
								found = found | place_lanes[k*LANES +: LANES];
								values = (values & ~place_bits[k*LANES*WORD_BITS +: LANES*WORD_BITS]) |
								         (place_value[(k*WORDS + w)*LANES*WORD_BITS +: LANES*WORD_BITS] & place_bits[k*LANES*WORD_BITS +: LANES*WORD_BITS]);
							end
				end
				assign operand_found[(o*WORDS + i)*LANES +: LANES] = found;
				assign operand_value[(o*WORDS + i)*LANES*WORD_BITS +: LANES*WORD_BITS] = values;
				assign served[i] = found != '0 && (reader_lanes[o / OPERANDS*LANES +: LANES] & ~found) == '0;
				assign operand_served[o*WORDS + i] = served[i];
			end
			always_comb begin
				path = PATH_FILE;
				for (int k = 0; k < ALL; k++)
					for (int w = 0; w < WORDS; w++)
						if (present[k*WORDS + w])
							path = k / PORTS >= LENGTH - LAST_USE_PATH_B ? PATH_B : k / PORTS >= LAST_USE_COMPENSATION ? PATH_A : PATH_COMPENSATION;
				for (int k = 0; k < WORDS; k++)
					if (SIZE_BITS'(k) < size && !served[k])
						path = PATH_FILE;
			end
			assign operand_path[o*3 +: 3] = path;
		end
	endgenerate

	always_ff @(posedge clk) begin
		kept_words <= reset ? '0 : words[RESULTS*WORDS-1:PORTS*WORDS];
		kept_warp <= place_warp[RESULTS*WARP_BITS-1:PORTS*WARP_BITS];
		kept_pipe <= place_pipe[RESULTS*PIPE_BITS-1:PORTS*PIPE_BITS];
		kept_register <= place_register[RESULTS*REGISTER_BITS-1:PORTS*REGISTER_BITS];
		kept_size <= place_size[RESULTS*SIZE_BITS-1:PORTS*SIZE_BITS];
		kept_shares <= place_shares[RESULTS-1:PORTS];
		kept_lanes <= place_lanes[RESULTS*LANES-1:PORTS*LANES];
		kept_value <= place_value[RESULTS*VALUE_BITS-1:PORTS*VALUE_BITS];
	end
endmodule

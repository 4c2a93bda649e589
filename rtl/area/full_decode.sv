// SPDX-License-Identifier: BSD-3-Clause
// The fields of an instruction that a scheduler comparing operands needs before issue (PD-39): pipe, registers with their number of words, and
// predicates. 64 bits in, 64 bits out. `decode_rows` is printed from src/isa/ops.def (rtl/decoders.c).
module full_decode (
	input logic [63:0] word,
	output logic [3:0] pipe,
	output logic [39:0] operands,  // a, b, c, destination: register, and 0, 1, 2 or 3 for none, 1, 2 or 4 words
	output logic [15:0] read,      // four predicates: valid, number
	output logic [3:0] written
);
	// hd_format and hd_width of src/isa/isa.h
	localparam logic [4:0] SEL = 4, CARRY = 5, PLOP = 6, VOTE = 7, MOVI = 9, LD = 10, ST = 11, ATOM = 12, CAS = 13, BAR = 16, CBAR = 17, HINTS = 18;
	localparam logic [2:0] R = 1, D = 2, Q = 3, P = 4, V = 5;
	logic [24:0] row;
	logic [4:0] format;
	logic [1:0] ksel, variable;
	logic [2:0] size;
	logic immediate, registers;

	decode_rows rows (.op(word[10:3]), .row(row));

	function automatic logic [1:0] words(input logic [2:0] width, input logic [1:0] of_size);
		case (width)
			R: words = 2'd1;
			D: words = 2'd2;
			Q: words = 2'd3;
			V: words = of_size;
			default: words = 2'd0;
		endcase
	endfunction

	function automatic logic [9:0] operand(input logic [7:0] number, input logic [1:0] n);
		operand = n != 0 && number != 8'd255 ? {number, n} : 10'd0;
	endfunction

	function automatic logic [3:0] predicate(input logic used, input logic [2:0] number);
		predicate = used && number != 3'd7 ? {1'b1, number} : 4'd0;
	endfunction

	always_comb begin
		pipe = row[24:21];
		format = row[19:15];
		ksel = format == LD ? {1'b0, word[61]} : format == ST || format == BAR ? 2'd0 : word[61:60];
		immediate = ksel == 2'd3 && row[20];
		size = format == LD ? word[60:58] : word[61:59];
		case (format)
			ATOM: variable = word[55:54] == 2'd1 || word[55:53] == 3'd5 ? 2'd2 : 2'd1; // u64, s64, f64
			CAS: variable = word[63:62] == 2'd1 ? 2'd2 : 2'd1;
			default: variable = size == 3'd6 ? 2'd3 : size == 3'd5 ? 2'd2 : 2'd1;
		endcase
		registers = format != BAR && format != CBAR && format != HINTS && format != MOVI;
		operands[39:30] = operand(word[40:33], registers && ksel != 2'd1 ? words(row[11:9], variable) : 2'd0);
		operands[29:20] = operand(word[48:41], format == BAR ? 2'd1 : registers && ksel != 2'd2 && !immediate ? words(row[8:6], variable) : 2'd0);
		operands[19:10] = operand(word[56:49], registers && (ksel != 2'd3 || immediate) ? words(row[5:3], variable) : 2'd0);
		operands[9:0] = operand(word[32:25], words(row[14:12], variable));
		read[15:12] = predicate(1'b1, word[13:11]);
		read[11:8] = format == PLOP ? predicate(1'b1, word[35:33]) : predicate(format == SEL || format == VOTE || format == CARRY, word[51:49]);
		read[7:4] = predicate(format == PLOP, word[39:37]);
		read[3:0] = predicate(format == PLOP, word[43:41]);
		written = row[14:12] == P ? predicate(1'b1, word[27:25]) : predicate(format == CARRY, word[54:52]);
	end
endmodule

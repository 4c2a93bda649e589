// SPDX-License-Identifier: BSD-3-Clause
// Words of a register file with ports, to compare operand_buffer with: every register is a row of flip-flops, a read port is a multiplexer.
module register_port #(
	parameter REGISTERS = 64,
	parameter BITS = 4, // of a word
	parameter READS = 1,
	parameter WRITES = 1,
	parameter REGISTER_BITS = $clog2(REGISTERS)
) (
	input logic clk,
	input logic [READS*REGISTER_BITS-1:0] read_register,
	output logic [READS*BITS-1:0] read_value,
	input logic [WRITES*BITS-1:0] write_lanes,
	input logic [WRITES*REGISTER_BITS-1:0] write_register,
	input logic [WRITES*BITS-1:0] write_value
);
	localparam int ALL = REGISTERS, WRITE_PORTS = WRITES, READ_PORTS = READS;
	logic [REGISTERS*BITS-1:0] kept;
	always_comb begin
		read_value = '0;
		for (int r = 0; r < READ_PORTS; r++)
			for (int n = 0; n < ALL; n++)
				if (read_register[r*REGISTER_BITS +: REGISTER_BITS] == REGISTER_BITS'(n))
					read_value[r*BITS +: BITS] = read_value[r*BITS +: BITS] | kept[n*BITS +: BITS];
	end
	always_ff @(posedge clk)
		for (int w = 0; w < WRITE_PORTS; w++)
			for (int n = 0; n < ALL; n++)
				for (int b = 0; b < BITS; b++)
					if (write_register[w*REGISTER_BITS +: REGISTER_BITS] == REGISTER_BITS'(n) && write_lanes[w*BITS + b])
						kept[n*BITS + b] <= write_value[w*BITS + b];
endmodule

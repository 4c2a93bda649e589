/* The instruction set for the two decoders that rtl/area.py compares (PD-39). Usage:
 *   decoders rows       the module `decode_rows`, what the operation alone decides, from src/isa/ops.def
 *   decoders words N    N words of each operation, each with what a full decoder makes of it: 32 hexadecimal digits, the word last */
#include "isa/isa.h"

#include <stdlib.h>

static void put_rows(void)
{
	printf("module decode_rows(input logic [7:0] op, output logic [24:0] row);\n\talways_comb case (op)\n");
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		const hd_op_info *info = &hd_ops[op];
		printf("\t\t8'd%u: row = {4'd%u, 1'd%u, 5'd%u, 3'd%u, 3'd%u, 3'd%u, 3'd%u, 3'd0};\n", op, info->pipe, hd_op_takes_imm16((hd_op)op),
		       info->format, info->d, info->a, info->b, info->c);
	}
	printf("\t\tdefault: row = 25'd0;\n\tendcase\nendmodule\n");
}

/* The number of a decoded operand's words, in two bits. */
static unsigned short_words(unsigned words) { return words == 4 ? 3 : words; }

/* pipe, then register and words of a, b, c and the destination, then the predicates that are read and those that are written. */
static uint64_t expected(const hd_inst *inst)
{
	hd_use uses[HD_MAX_USES];
	uint64_t operand[5] = {0}, predicates[2] = {0}, out = hd_ops[inst->op].pipe;
	for (unsigned writes = 0; writes < 2; writes++) {
		unsigned n = writes ? hd_inst_writes(inst, uses) : hd_inst_reads(inst, uses);
		for (unsigned i = 0; i < n; i++) {
			if (uses[i].words)
				operand[uses[i].operand] = (uint64_t)uses[i].reg << 2 | short_words(uses[i].words);
			else
				predicates[writes] |= UINT64_C(1) << uses[i].reg;
		}
	}
	static const uint8_t order[] = {0, 1, 2, 4};
	for (unsigned i = 0; i < HD_COUNT(order); i++)
		out = out << 10 | operand[order[i]];
	return out << 14 | predicates[0] << 7 | predicates[1];
}

static uint64_t random_bits(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Random fields, each left out half of the time: a word whose unused fields are not 0 is no instruction. */
static void put_words(unsigned n)
{
	static const uint8_t begins[] = {11, 14, 15, 18, 24, 25, 28, 33, 37, 41, 45, 49, 52, 55, 57, 60, 62, 64};
	uint64_t seed = 88172645463325252u;
	for (unsigned op = 0; op < HD_OP_COUNT; op++) {
		for (unsigned found = 0, tries = 0; found < n && tries < 400000; tries++) {
			uint64_t word = (uint64_t)op << 3, bits = random_bits(&seed), kept = random_bits(&seed);
			for (unsigned i = 0; i + 1 < HD_COUNT(begins); i++)
				if (kept >> i & 1)
					word |= bits >> begins[i] << begins[i] & ~(begins[i + 1] < 64 ? ~UINT64_C(0) << begins[i + 1] : 0);
			hd_inst inst;
			const char *why;
			if (!hd_decode(word, &inst, &why))
				continue;
			printf("%016llx%016llx\n", (unsigned long long)expected(&inst), (unsigned long long)word);
			found++;
		}
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "rows") == 0) {
		put_rows();
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "words") == 0) {
		put_words((unsigned)strtoul(argv[2], NULL, 10));
		return 0;
	}
	fprintf(stderr, "usage: decoders rows | words N\n");
	return 2;
}

/* Line geometries (PD-1): where instructions, pre-decode bytes (PD-2) and the fields of up to 16 counters (HZ-1, HZ-2) are. */
#include "../test.h"

#include "isa/geometry.h"

enum { WORDS = 64 };

TEST(lines_are_made_up_as_said)
{
	static const unsigned instructions[HD_GEOMETRY_COUNT] = {7, 6, 3, 6, 6, 7, 8}, bytes[HD_GEOMETRY_COUNT] = {64, 64, 32, 64, 64, 32, 64};
	for (unsigned g = 0; g < HD_GEOMETRY_COUNT; g++) {
		unsigned line = hd_geometries[g].line_words;
		assert_int_equal(hd_line_instructions(g), instructions[g]);
		assert_int_equal(hd_line_bytes(g), bytes[g]);
		assert_int_equal(1u << hd_geometries[g].line_shift, line);
		assert_int_equal(1u << hd_geometries[g].group_shift, hd_geometries[g].group);
		assert_int_equal(hd_line_share(g) * bytes[g], 64);
		unsigned pc = hd_geometries[g].ss, seen = 1;
		for (; hd_after(g, pc) < line; pc = hd_after(g, pc), seen++)
			assert_false(hd_is_ss(g, pc));
		assert_int_equal(seen, instructions[g]);
		for (uint32_t word = 0; word < line; word++) {
			unsigned rest = 0;
			for (uint32_t i = word; i < line; i++)
				rest += !hd_is_ss(g, i);
			assert_int_equal(hd_line_rest(g, word + line), rest);
		}
	}
	/* PD-1: bits 8i..8i+7 of word 0 belong to word i. */
	uint64_t code[8] = {HD_SS_OPCODE};
	hd_line_put_hint(HD_GEOMETRY_LINE, code, 5, 0xab);
	assert_true(code[0] == (HD_SS_OPCODE | UINT64_C(0xab) << 40));
	/* The first 32-bit word of a short line: the opcode and three bytes, nothing else. */
	uint64_t brief[4] = {HD_SS_OPCODE};
	for (uint32_t word = 1; word < 4; word++)
		hd_line_put_hint(HD_GEOMETRY_SHORT, brief, word, word);
	assert_true(brief[0] == (HD_SS_OPCODE | 0x03020100));
	/* PD-24: an entry of two bytes, then counters 7 and 8. */
	uint64_t combined[8] = {HD_SS_OPCODE};
	hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .wait = 1 << 7};
	hd_line_put(HD_GEOMETRY_COMBINED, combined, 2, &inst);
	hd_line_put_hint(HD_GEOMETRY_COMBINED, combined, 2, 0xabcd);
	assert_true(combined[0] == (HD_SS_OPCODE | UINT64_C(0xabcd) << 26 | UINT64_C(1) << 43));
}

static hd_inst any(uint64_t *seed, unsigned geometry)
{
	uint64_t r = hd_random(seed);
	hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = (uint8_t)r, .a = (uint8_t)(r >> 8), .b = (uint8_t)(r >> 16), .c = HD_RZ};
	unsigned counters = hd_geometries[geometry].counters;
	inst.primary = (uint8_t)((r >> 24 & 255) % (counters + 1));
	inst.release = r >> 32 & 1;
	inst.wait = (uint16_t)(r >> 40 & ((1u << counters) - 1));
	if (inst.primary)
		inst.wait &= (uint16_t) ~(1u << (inst.primary - 1));
	if (!hd_geometries[geometry].mask_at)
		inst.hint3 = r >> 60 & 7;
	return inst;
}

static bool same(const hd_inst *x, const hd_inst *y)
{
	return x->op == y->op && x->d == y->d && x->a == y->a && x->b == y->b && x->primary == y->primary && x->release == y->release &&
	       x->wait == y->wait && x->hint3 == y->hint3;
}

/* Whatever is written, in any order and twice, is read back, and touches nothing else. */
TEST(every_field_reads_back)
{
	uint64_t seed = 5;
	for (unsigned g = 0; g < HD_GEOMETRY_COUNT; g++) {
		if (hd_is_compact(g))
			continue;
		uint64_t code[WORDS];
		hd_inst insts[WORDS], back;
		unsigned hints[WORDS], primaries = 0;
		const char *why;
		for (uint32_t word = 0; word < WORDS; word++)
			code[word] = hd_is_ss(g, word) ? hd_line_blank(g, word, 0) : 0;
		for (unsigned n = 0; n < 20000; n++) {
			uint32_t word = n < WORDS ? n : (uint32_t)(hd_random(&seed) % WORDS);
			if (hd_is_ss(g, word))
				continue;
			insts[word] = any(&seed, g);
			hints[word] = (unsigned)((hd_random(&seed) & 15) | (hd_random(&seed) % HD_HINT_COUNT) << 4);
			hints[word] = hd_geometries[g].hints ? hints[word] : 0;
			if (hd_geometries[g].hints > 1)
				hints[word] |= (unsigned)((hd_random(&seed) & 15) | (hd_random(&seed) % HD_HINT_COUNT) << 4) << 8;
			primaries |= 1u << insts[word].primary;
			hd_line_put(g, code, word, &insts[word]);
			hd_line_put_hint(g, code, word, hd_geometries[g].hints ? hints[word] : 0xff); /* without ss, a hint goes nowhere */
			if (n < WORDS || n % 16)
				continue;
			for (uint32_t i = 0; i < WORDS; i++) {
				if (hd_is_ss(g, i)) {
					assert_null(hd_line_wrong(g, code, i));
					continue;
				}
				if (!hd_line_get(g, code, i, &back, &why))
					fail_msg("geometry %u: %s", g, why);
				assert_true(same(&back, &insts[i]));
				assert_int_equal(hd_line_hint(g, code, i), hints[i]);
			}
		}
		assert_int_equal(primaries, (2u << hd_geometries[g].counters) - 1);
	}
}

/* No two encodings of one instruction: words that no encoder writes are refused. */
TEST(what_no_encoder_writes_is_refused)
{
	const char *why;
	hd_inst back, inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .primary = 16};
	static const hd_geometry counted[] = {HD_GEOMETRY_WIDE, HD_GEOMETRY_SHORT, HD_GEOMETRY_FRONT};
	for (unsigned i = 0; i < HD_COUNT(counted); i++) {
		unsigned g = counted[i];
		uint64_t code[4] = {HD_SS_OPCODE, HD_SS_OPCODE};
		hd_line_put(g, code, 2, &inst);
		assert_true(hd_line_get(g, code, 2, &back, &why));
		assert_int_equal(back.primary, 16);
		code[2] |= UINT64_C(1) << 15; /* 17 */
		assert_false(hd_line_get(g, code, 2, &back, &why));
		code[2] ^= UINT64_C(1) << 15 | 4; /* RC-21: the flag of a token; the bits below belong to the primary */
		assert_true(hd_line_get(g, code, 2, &back, &why));
		assert_int_equal(back.hint3, HD_MEETS);
		assert_true(hd_line_holds(g, &back));
		code[2] ^= 4;
		/* HZ-3 across both parts of the mask; and counter 10 is not counter 2 */
		inst.primary = 10;
		inst.wait = 1 << 1;
		hd_line_put(g, code, 2, &inst);
		assert_true(hd_line_get(g, code, 2, &back, &why));
		inst.wait = 1 << 9;
		hd_line_put(g, code, 2, &inst);
		assert_false(hd_line_get(g, code, 2, &back, &why));
		assert_non_null(strstr(why, "HZ-3"));
		assert_null(hd_line_wrong(g, code, 0));
		code[0] |= UINT64_C(1) << 63;
		assert_non_null(hd_line_wrong(g, code, 0));
		inst = (hd_inst){.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .primary = 16};
		assert_true(hd_line_holds(g, &inst));
		assert_false(hd_line_holds(HD_GEOMETRY_LINE, &inst));
		inst.hint3 = 1;
		assert_false(hd_line_holds(g, &inst));
		inst.hint3 = 0;
	}
	/* All eight bits of the opcode count. */
	for (unsigned bit = 0; bit < 8; bit++) {
		uint64_t line[8] = {HD_SS_OPCODE ^ 1u << bit};
		assert_non_null(hd_line_wrong(HD_GEOMETRY_LINE, line, 0));
	}
	/* Hints have numbers below their count. */
	for (unsigned g = 0; g < HD_GEOMETRY_COMPACT; g++) {
		for (unsigned hint = 0; hint < 16; hint++) {
			uint64_t line[8] = {HD_SS_OPCODE};
			hd_line_put_hint(g, line, 2, hint << 4 | 1);
			assert_int_equal(hd_line_wrong(g, line, 0) == NULL, hint < HD_HINT_COUNT);
		}
	}
	/* An instruction word alone names six counters, by three bits and a mask of six. */
	hd_inst narrow = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .primary = 7, .wait = 1 << 5};
	assert_true(hd_line_holds(HD_GEOMETRY_LINE, &narrow));
	narrow.primary = 8;
	assert_false(hd_line_holds(HD_GEOMETRY_LINE, &narrow));
	narrow.primary = 0;
	narrow.wait = 1 << 6;
	assert_false(hd_line_holds(HD_GEOMETRY_LINE, &narrow));
	/* PD-24: where a second hint takes the place of eight counters. */
	hd_inst eighth = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .primary = 8, .wait = 1 << 6};
	assert_true(hd_line_holds(HD_GEOMETRY_COMBINED, &eighth));
	eighth.wait = 1 << 8;
	assert_false(hd_line_holds(HD_GEOMETRY_COMBINED, &eighth));
	eighth.wait = 0;
	eighth.primary = 9;
	assert_false(hd_line_holds(HD_GEOMETRY_COMBINED, &eighth));
	uint64_t loose[8] = {HD_SS_OPCODE | UINT64_C(1) << 62};
	assert_non_null(hd_line_wrong(HD_GEOMETRY_COMBINED, loose, 0));
	/* A nop has no fence fields, in the scheduling word neither. */
	hd_inst nop = {.op = HD_OP_NOP, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, .wait = 1 << 8};
	uint64_t code[4] = {HD_SS_OPCODE};
	hd_line_put(HD_GEOMETRY_WIDE, code, 1, &nop);
	assert_false(hd_line_get(HD_GEOMETRY_WIDE, code, 1, &back, &why));
}

/* PD-33: both scheduling words are in bits 0 to 127; the first has the entries of words 2 to 4, the second those of 5 to 7. */
TEST(two_scheduling_words_are_in_front)
{
	uint64_t code[8] = {HD_SS_OPCODE, HD_SS_OPCODE};
	hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .wait = 1 << 6};
	assert_int_equal(hd_after(HD_GEOMETRY_FRONT, 0), 2);
	assert_int_equal(hd_after(HD_GEOMETRY_FRONT, 4), 5);
	assert_int_equal(hd_after(HD_GEOMETRY_FRONT, 7), 10);
	assert_int_equal(hd_instruction_number(HD_GEOMETRY_FRONT, 10) - hd_instruction_number(HD_GEOMETRY_FRONT, 7), 1);
	hd_line_put_hint(HD_GEOMETRY_FRONT, code, 4, 0xab);
	assert_true(code[0] == (HD_SS_OPCODE | UINT64_C(0xab) << 44));
	hd_line_put_hint(HD_GEOMETRY_FRONT, code, 5, 0xcd);
	assert_true(code[1] == (HD_SS_OPCODE | 0xcd << 8));
	hd_line_put(HD_GEOMETRY_FRONT, code, 6, &inst);
	assert_true(code[1] == (HD_SS_OPCODE | 0xcd << 8 | UINT64_C(1) << 34));
	assert_null(hd_line_wrong(HD_GEOMETRY_FRONT, code, 1));
	code[1] |= UINT64_C(1) << 62;
	assert_null(hd_line_wrong(HD_GEOMETRY_FRONT, code, 0));
	assert_non_null(hd_line_wrong(HD_GEOMETRY_FRONT, code, 1));
}

/* PD-33: `nop` of 32 bits at 1 and 4, of 64 at 2 and 5; word 7 is empty. The second line is all of 64 bits. */
TEST(instructions_of_two_lengths_share_a_line)
{
	enum { G = HD_GEOMETRY_COMPACT };
	uint32_t brief = (uint32_t)hd_line_blank(G, 1, 0);
	uint64_t code[16] = {5, brief, 0, 0, brief, 0, 0, 0, 5};
	static const hd_word words[16] = {HD_WORD_SS,   HD_WORD_INST,  HD_WORD_INST, HD_WORD_HALF, HD_WORD_INST, HD_WORD_INST,
	                                  HD_WORD_HALF, HD_WORD_EMPTY, HD_WORD_SS,   HD_WORD_INST, HD_WORD_HALF, HD_WORD_INST,
	                                  HD_WORD_HALF, HD_WORD_INST,  HD_WORD_HALF, HD_WORD_EMPTY};
	static const uint32_t after[16] = {[1] = 2, [2] = 4, [4] = 5, [5] = 9, [9] = 11, [11] = 13, [13] = 17};
	hd_inst long_one = {.op = HD_OP_IADD, .guard = HD_PT, .d = 200, .a = 2, .b = 3, .c = HD_RZ, .primary = 6, .wait = 31}, back;
	const char *why;
	assert_true(brief & 1);
	for (uint32_t word = 0; word < 16; word++) {
		assert_int_equal(hd_line_word(G, code, word), words[word]);
		assert_int_equal(hd_line_begins(G, code, word), words[word] == HD_WORD_INST);
		if (words[word] == HD_WORD_INST)
			assert_int_equal(hd_line_after(G, code, 16, word), after[word]);
	}
	/* Bits 4i to 4i + 3 of the scheduling word belong to word i. */
	hd_line_put_hint(G, code, 1, 0xf);
	hd_line_put_hint(G, code, 2, 0xab);
	hd_line_put_hint(G, code, 4, 0x3);
	assert_true(code[0] == 0x3abf5);
	assert_int_equal(hd_line_hint(G, code, 1), 0xf);
	assert_int_equal(hd_line_hint(G, code, 2), 0xab);
	/* The instruction keeps its length. */
	assert_false(hd_line_put(G, code, 1, &long_one));
	assert_true(hd_line_put(G, code, 2, &long_one));
	assert_true(code[2] == (hd_encode(&long_one) & UINT32_MAX) && code[3] == hd_encode(&long_one) >> 32);
	assert_true(hd_line_get(G, code, 2, &back, &why) && same(&back, &long_one));
	assert_null(hd_line_wrong(G, code, 0));
	/* An empty word is zero, and so is its entry; all four bits of the opcode count; a word has 32 bits. */
	code[7] = 2;
	assert_non_null(hd_line_wrong(G, code, 0));
	code[7] = 0;
	code[0] |= UINT64_C(1) << 28;
	assert_non_null(hd_line_wrong(G, code, 0));
	for (unsigned bit = 0; bit < 4; bit++) {
		code[0] = 5 ^ 1u << bit;
		assert_non_null(hd_line_wrong(G, code, 0));
	}
	code[0] = 5 | UINT64_C(1) << 32;
	assert_non_null(hd_line_wrong(G, code, 0));
	/* Six counters; hint3 has the flag of a token alone (RC-21), because bit 0 says how long the instruction is. */
	hd_inst inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .hint3 = HD_MEETS};
	assert_true(hd_line_holds(G, &inst));
	inst.hint3 = 1;
	assert_false(hd_line_holds(G, &inst));
	inst = (hd_inst){.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .wait = 1 << 6};
	assert_false(hd_line_holds(G, &inst));
	/* Targets: 17 bits of the short form, 24 of the long one. */
	hd_inst bra = {.op = HD_OP_BRA, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ};
	uint64_t branches[8] = {5, 1, 0, 0};
	assert_true(hd_line_put(G, branches, 1, &bra) && hd_line_put(G, branches, 2, &bra));
	assert_true(hd_line_put_target(G, branches, 1, (1 << 17) - 1) && hd_line_put_target(G, branches, 2, (1 << 24) - 1));
	assert_true(hd_line_get(G, branches, 1, &back, &why));
	assert_int_equal(back.imm, (1 << 17) - 1);
	assert_true(hd_line_get(G, branches, 2, &back, &why));
	assert_int_equal(back.imm, (1 << 24) - 1);
	assert_false(hd_line_put_target(G, branches, 1, 1 << 17));
}

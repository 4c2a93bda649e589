/* Line geometries (PD-1): where instructions, pre-decode bytes (PD-2) and the fields of up to 16 counters (HZ-1, HZ-2) are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "isa/geometry.h"

enum { WORDS = 64 };

static void lines_are_made_up_as_said(void **state)
{
	static const unsigned instructions[HD_GEOMETRY_COUNT] = {7, 6, 3, 6}, bytes[HD_GEOMETRY_COUNT] = {64, 64, 32, 64};
	for (unsigned g = 0; g < HD_GEOMETRY_COUNT; g++) {
		unsigned line = hd_geometries[g].line_words;
		assert_int_equal(hd_line_instructions(g), instructions[g]);
		assert_int_equal(hd_line_bytes(g), bytes[g]);
		assert_int_equal(1u << hd_geometries[g].line_shift, line);
		assert_int_equal(1u << hd_geometries[g].group_shift, hd_geometries[g].group);
		unsigned pc = 1, seen = 1;
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
	if (geometry == HD_GEOMETRY_LINE)
		inst.hint3 = r >> 60 & 7;
	return inst;
}

static bool same(const hd_inst *x, const hd_inst *y)
{
	return x->op == y->op && x->d == y->d && x->a == y->a && x->b == y->b && x->primary == y->primary && x->release == y->release &&
	       x->wait == y->wait && x->hint3 == y->hint3;
}

/* Whatever is written, in any order and twice, is read back, and touches nothing else. */
static void every_field_reads_back(void **state)
{
	uint64_t seed = 5;
	for (unsigned g = 0; g < HD_GEOMETRY_COUNT; g++) {
		uint64_t code[WORDS];
		hd_inst insts[WORDS], back;
		unsigned hints[WORDS], primaries = 0;
		const char *why;
		for (uint32_t word = 0; word < WORDS; word++)
			code[word] = hd_is_ss(g, word) ? HD_SS_OPCODE : 0;
		for (unsigned n = 0; n < 20000; n++) {
			uint32_t word = n < WORDS ? n : (uint32_t)(hd_random(&seed) % WORDS);
			if (hd_is_ss(g, word))
				continue;
			insts[word] = any(&seed, g);
			hints[word] = (unsigned)((hd_random(&seed) & 15) | (hd_random(&seed) % HD_HINT_COUNT) << 4);
			if (hd_geometries[g].hints > 1)
				hints[word] |= (unsigned)((hd_random(&seed) & 15) | (hd_random(&seed) % HD_HINT_COUNT) << 4) << 8;
			primaries |= 1u << insts[word].primary;
			hd_line_put(g, code, word, &insts[word]);
			hd_line_put_hint(g, code, word, hints[word]);
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
static void what_no_encoder_writes_is_refused(void **state)
{
	const char *why;
	hd_inst back, inst = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .primary = 16};
	for (unsigned g = HD_GEOMETRY_WIDE; g <= HD_GEOMETRY_SHORT; g++) {
		uint64_t code[4] = {HD_SS_OPCODE};
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
	for (unsigned g = 0; g < HD_GEOMETRY_COUNT; g++) {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_are_made_up_as_said),
	    cmocka_unit_test(every_field_reads_back),
	    cmocka_unit_test(what_no_encoder_writes_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Instructions of 32 bits (PD-33). */
#include "../test.h"

#include "isa/compact.h"

#define PLAIN .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ

/* Each word that decodes is what the encoder makes of the instruction, and stands for 64 bits that decode to the same. */
TEST(every_word_has_one_meaning)
{
	uint64_t seed = 1;
	unsigned good = 0, rows[64] = {0};
	for (unsigned n = 0; n < 4000000; n++) {
		uint32_t word = (uint32_t)hd_random(&seed) | 1, again;
		hd_inst inst, back;
		const char *why = "";
		if (n % 2) /* fewer bits, so that rows with many unused ones come */
			word &= (uint32_t)hd_random(&seed) | 0x7f;
		if (!hd_compact_decode(word, &inst, &why)) {
			assert_non_null(why);
			continue;
		}
		assert_true(hd_compact_encode(&inst, &again));
		if (again != word)
			fail_msg("0x%08x is 0x%08x", word, again);
		assert_true(hd_decode(hd_encode(&inst), &back, &why));
		assert_memory_equal(&inst, &back, sizeof inst);
		good++;
		rows[word >> 1 & 63]++;
	}
	assert_true(good > 100000);
	for (unsigned row = 0; row < 64; row++)
		if (!rows[row])
			fail_msg("no word of row %u", row);
}

/* The 64 bits of any instruction that the encoder accepts are those that the decoder gives back. */
TEST(what_fits_comes_back)
{
	uint64_t seed = 3;
	unsigned fit = 0;
	for (unsigned n = 0; n < 2000000; n++) {
		uint64_t mask = hd_random(&seed) & hd_random(&seed), bits = hd_random(&seed) & (mask | UINT64_C(0x7f8)) & ~UINT64_C(7);
		hd_inst inst, back;
		const char *why;
		uint32_t word;
		if (n % 2)
			bits |= UINT64_C(7) << 11; /* no guard */
		if (!hd_decode(bits, &inst, &why) || !hd_compact_encode(&inst, &word))
			continue;
		fit++;
		assert_true(word & 1);
		assert_true(hd_compact_decode(word, &back, &why));
		assert_true(hd_encode(&back) == bits);
	}
	assert_true(fit > 100);
}

static void expect(const hd_inst *inst, bool fits, uint32_t expected)
{
	uint32_t word = 0;
	hd_text text = {0};
	hd_inst_print(&text, inst);
	if (hd_compact_encode(inst, &word) != fits || (fits && word != expected))
		fail_msg("%s: 0x%08x", text.at, word);
	hd_text_free(&text);
}

/* Each field is where the header says, by example. */
TEST(fields_are_where_they_are_said_to_be)
{
	hd_inst add = {.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ};
	expect(&add, true, 1 | 16 << 1 | 1 << 11 | 2 << 17 | 3 << 25);
	add.last_use = 3;
	expect(&add, true, 1 | 16 << 1 | 1 << 11 | 2 << 17 | 1 << 23 | 3 << 25 | 1u << 31);
	add.last_use = 0;
	add.primary = 6;
	expect(&add, true, 1 | 16 << 1 | 6 << 7 | 1 << 11 | 2 << 17 | 3 << 25);
	add.release = 1; /* by its reads */
	expect(&add, false, 0);
	add.primary = 0; /* passes by */
	expect(&add, false, 0);
	add.release = 0;
	add.wait = 1 << 5;
	expect(&add, true, 1 | 16 << 1 | 12 << 7 | 1 << 11 | 2 << 17 | 3 << 25);
	add.wait = 3;
	expect(&add, false, 0);
	add.wait = 1;
	add.primary = 2;
	expect(&add, false, 0);
	add.wait = add.primary = 0;
	add.guard = 0;
	expect(&add, false, 0);
	add.guard = HD_PT;
	add.hint3 = HD_MEETS;
	expect(&add, false, 0);
	add.hint3 = 0;
	for (unsigned reg = 0; reg < HD_REGISTERS; reg++) {
		hd_inst r = add;
		r.d = r.a = r.b = (uint8_t)reg;
		expect(&r, reg < 63 || reg == HD_RZ, 1 | 16 << 1 | (reg & 63) << 11 | (reg & 63) << 17 | (reg & 63) << 25);
	}
	hd_inst constant = add;
	constant.ksel = 2;
	for (unsigned word = 0; word < HD_CONST_WORDS; word++) {
		constant.b = (uint8_t)word;
		expect(&constant, word < 32 || word >= 224, 1 | 16 << 1 | 1 << 11 | 2 << 17 | 2 << 23 | (word & 63) << 25);
	}
	constant.b = 3;
	constant.ksel = 1; /* the constant is a */
	expect(&constant, false, 0);
	hd_inst immediate = add;
	immediate.ksel = 3;
	immediate.b = HD_RZ;
	for (int32_t value = -40; value < 40; value++) {
		immediate.imm = value;
		expect(&immediate, value >= -32 && value < 32, 1 | 16 << 1 | 1 << 11 | 2 << 17 | 3 << 23 | ((uint32_t)value & 63) << 25);
	}
	/* One source may be a constant, too. */
	hd_inst mov = {.op = HD_OP_MOV, PLAIN};
	mov.d = 5;
	mov.ksel = 1;
	mov.a = 240;
	expect(&mov, true, 1 | 8 << 1 | 5 << 11 | 2 << 23 | 48u << 25);
	/* A third source is the destination. */
	hd_inst mad = {.op = HD_OP_FFMA, .guard = HD_PT, .d = 9, .a = 2, .b = 3, .c = 9};
	expect(&mad, true, 1 | 39 << 1 | 9 << 11 | 2 << 17 | 3 << 25);
	mad.last_use = 4;
	expect(&mad, false, 0);
	mad.last_use = 0;
	mad.c = 8;
	expect(&mad, false, 0);
	mad.c = 9;
	mad.ksel = 3; /* the constant is c */
	expect(&mad, false, 0);
	/* A mode, and a row with a mode of its own. */
	hd_inst round = {.op = HD_OP_FADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ, .mod = HD_RZ_};
	expect(&round, false, 0);
	hd_inst f2i = {.op = HD_OP_F2I, PLAIN, .sub = HD_SUB_F2I(HD_S32, HD_F32, 0), .mod = HD_RZ_};
	f2i.d = 4;
	f2i.a = 7;
	expect(&f2i, true, 1 | 51 << 1 | 4 << 11 | 7 << 25);
	f2i.mod = HD_RN;
	expect(&f2i, false, 0);
}

TEST(other_forms)
{
	hd_inst set = {.op = HD_OP_ISETP, .guard = HD_PT, .d = 2, .a = 4, .b = 5, .c = HD_RZ, .sub = HD_CMP_LS};
	expect(&set, true, 1 | 29 << 1 | 2 << 11 | 7 << 14 | 4 << 17 | 5 << 25);
	set.sub = HD_CMP_HS;
	expect(&set, true, 1 | 30 << 1 | 2 << 11 | 1 << 14 | 4 << 17 | 5 << 25);
	hd_inst nan = {.op = HD_OP_FSETP, .guard = HD_PT, .d = 2, .a = 4, .b = 5, .c = HD_RZ, .sub = HD_CMP_NAN};
	expect(&nan, false, 0);
	hd_inst select = {.op = HD_OP_SEL, .guard = HD_PT, .d = 1, .a = 4, .b = 5, .c = HD_RZ, .sub = 8 | 3};
	expect(&select, true, 1 | 13 << 1 | 11 << 7 | 1 << 11 | 4 << 17 | 5 << 25);
	select.wait = 1;
	expect(&select, false, 0);
	hd_inst logic = {.op = HD_OP_PLOP, PLAIN, .sub = 0xfc, .sub2 = 0x9a};
	logic.d = 6;
	logic.b = 7;
	expect(&logic, true, 1 | 15 << 1 | 6 << 11 | 0x9a << 14 | 7 << 22);
	logic.sub = 0xfd;
	expect(&logic, false, 0);
	hd_inst movi = {.op = HD_OP_MOVI, PLAIN, .imm = -16384};
	movi.d = 1;
	expect(&movi, true, 1 | 10 << 1 | 1 << 11 | 0x4000u << 17);
	movi.imm = 16384;
	expect(&movi, false, 0);
	movi.imm = 0x3f800000; /* 1.0f */
	expect(&movi, true, 1 | 11 << 1 | 1 << 11 | 0x1fc0u << 17);
	movi.imm = 0x3f810000;
	expect(&movi, false, 0);
	hd_inst s2r = {.op = HD_OP_S2R, PLAIN, .sub = HD_SREG_LANEID, .primary = 3};
	s2r.d = 62;
	expect(&s2r, true, 1 | 12 << 1 | 3 << 7 | 62 << 11 | HD_SREG_LANEID << 17);
	hd_inst bra = {.op = HD_OP_BRA, PLAIN, .guard_neg = 1, .wait = 1, .imm = HD_COMPACT_REACH - 1};
	bra.guard = 4;
	expect(&bra, true, 1 | 1 << 1 | 7 << 7 | 4 << 11 | 1 << 14 | 0x1ffffu << 15);
	bra.imm++;
	expect(&bra, false, 0);
	hd_inst bar = {.op = HD_OP_BAR, PLAIN};
	bar.a = 15;
	expect(&bar, true, 1 | 5 << 1 | 7 << 11 | 15 << 15);
	bar.b = 3; /* a number of threads */
	expect(&bar, false, 0);
	hd_inst load = {.op = HD_OP_LDG, PLAIN, .sub = HD_SIZE_128, .primary = 5, .wait = 1 << 1, .imm = 63 * 16, .last_use = 1};
	load.d = 8;
	load.a = 10;
	expect(&load, true, 1 | 54 << 1 | 8 << 7 | 10 << 13 | 1 << 19 | 5 << 20 | 2 << 23 | 63u << 26);
	load.imm++; /* no multiple of the size */
	expect(&load, false, 0);
	load.imm = 64 * 16;
	expect(&load, false, 0);
	load.imm = -16;
	expect(&load, false, 0);
	load.imm = 0;
	load.mod = HD_CACHE_STREAM;
	expect(&load, false, 0);
	hd_inst store = {.op = HD_OP_STS, PLAIN, .sub = HD_SIZE_32, .primary = 1, .wait = 1 << 5, .imm = 31 * 4, .last_use = 2};
	store.a = 11;
	store.b = 12;
	expect(&store, true, 1 | 61 << 1 | 12 << 7 | 11 << 13 | 1 << 20 | 1 << 21 | 6 << 24 | 31u << 27);
	store.imm += 4;
	expect(&store, false, 0);
}

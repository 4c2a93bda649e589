/* Words of machine code: their text, what they touch, and words that the table does not know (SA-2, SA-3). */
#include "sass/row.h"

#include "../test.h"

typedef struct word {
	unsigned architecture;
	uint64_t low, high;
	const char *text;
} word;
static const word words[] = {
#define WORD(...) {__VA_ARGS__},
#include "words.def"
#undef WORD
};

static bool decode(unsigned architecture, uint64_t low, uint64_t high, uint64_t address, hd_sass_instruction *in)
{
	uint8_t bytes[16];
	for (unsigned i = 0; i < 16; i++)
		bytes[i] = (uint8_t)((i < 8 ? low : high) >> 8 * (i % 8));
	return hd_sass_decode(architecture, bytes, address, in);
}

static char *text_of(const hd_sass_instruction *in)
{
	hd_text text = {0};
	hd_sass_print(in, &text);
	return text.at;
}

TEST(sa_2_text)
{
	(void)state;
	for (size_t i = 0; i < HD_COUNT(words); i++) {
		hd_sass_instruction in;
		const word *w = &words[i];
		assert_true(decode(w->architecture, w->low, w->high, 0, &in));
		char *text = text_of(&in);
		assert_string_equal(text, w->text);
		free(text);
	}
}

/* "+R4.2": writes R4 and R5; "-UR4.2d": reads a descriptor; the letter is the role. */
static char *accesses_of(const hd_sass_instruction *in)
{
	static const char *const files[] = {"R", "UR", "P", "UP", "B"};
	static const char roles[] = "\0agpchd";
	hd_text text = {0};
	for (unsigned i = 0; i < in->accesses; i++) {
		const hd_sass_access *a = &in->access[i];
		hd_text_printf(&text, "%s%c%s%u", i ? " " : "", a->write ? '+' : '-', files[a->file], a->first);
		if (a->count > 1)
			hd_text_printf(&text, ".%u", a->count);
		if (a->role)
			hd_text_printf(&text, "%c", roles[a->role]);
	}
	if (!text.at)
		hd_text_printf(&text, "%s", "");
	return text.at;
}

/* The accesses of each, by hand from what the instruction does. */
static const struct {
	unsigned architecture;
	uint64_t low, high;
	const char *accesses;
} touched[] = {
    {90, 0x00000002040479a8, 0x002ee800089ee7c4, "+R4.2 -R4.2a -UR4.2d -R2.2"},    /* ATOMG.E.MIN.S64.STRONG.GPU PT, R4, [R4.64], R2 */
    {80, 0x0000000b07047223, 0x000fe40000000004, "+R4 -R7 -R11 -R4"},              /* FFMA R4, R7, R11, R4 */
    {80, 0x00000008050e7225, 0x000fe40007800002, "+R14 +R15h +P0c -R5 -R8 -R2.2"}, /* IMAD.WIDE.U32 R14, P0, R5, R8, R2 */
    {80, 0x000000081a107981, 0x000fe4000c1e1b00, "+R16.2 -R26.2a -UR8.2d"},        /* LDG.E.64 R16, [R26.64] with a descriptor */
    {80, 0x0000090d02007986, 0x000fe4000c101104, "-R2.2a -UR4.2d -R13"},           /* STG.E.U8 [R2.64+0x9], R13 */
    {75, 0x0000000003007986, 0x000fe4000810e104, "-R3a -UR4.2a -R0"},              /* STG.E.U8.SYS [R3.U32+UR4], R0 */
    {80, 0x0001a0000d167984, 0x000fe40000000c00, "+R22.4 -R13a"},                  /* LDS.128 R22, [R13+0x1a0] */
    {80, 0x000000ff0300720c, 0x000fe40003f04330, "+P0p -R3 -P3c"},                 /* ISETP.GT.AND.EX P0, PT, R3, RZ, PT, P3 */
    {80, 0x00000009ff0b7210, 0x000fe400017fe4ff, "+R11 -R9 -P2c"},                 /* IADD3.X R11, RZ, R9, RZ, P2, !PT */
    {80, 0x0000000c0c0f3220, 0x000fe40000400000, "-P3g +R15 -R12 -R12"},           /* @P3 FMUL R15, R12, R12 */
    {80, 0x000000100408723c, 0x000fe40000001008, "+R8.4 -R4.2 -R16 -R8.4"},        /* HMMA.1688.F32 R8, R4, R16, R8 */
    {80, 0x000000100408723c, 0x000fe40000001808, "+R8.4 -R4.4 -R16.2 -R8.4"},      /* HMMA.16816.F32 R8, R4, R16, R8 */
    {80, 0x000000060c087237, 0x000fe40000405c08, "+R8.4 -R12.4 -R6.2 -R8.4"},      /* IMMA.16832.S8.S8 R8, R12.ROW, R6.COL, R8 */
    {80, 0x0000000e1208723f, 0x000fe40000000008, "+R8.4 -R18.2 -R14.2 -R8.4"},     /* DMMA.884 R8, R18, R14, R8 */
    {80, 0x000000000a057fae, 0x000fe4000b921846, "-R5a -R10.2a -UR6.2d"},          /* LDGSTS.E [R5], [R10.64] */
    {80, 0x30005a1206047b60, 0x000fe400019e01ff, "+R4 -R6.2 -R18"},                /* TEX.SCR.LL RZ, R4, R6, R18, 0x0, 0x5a, 2D, 0x1 */
    {80, 0x30005a0500047b63, 0x000fe400011e0f06, "+R6.2 +R4.2 -R0 -R5"},           /* TLD4.SCR.B R6, R4, R0, R5, 0x0, 0x5a, 2D */
    {80, 0x00000001ff0c7803, 0x000fe40000000000, "+R12 -P0p"},                     /* P2R R12, PR, RZ, 0x1 */
    {80, 0x0000000306007804, 0x000fe40000000000, "+P0p +P1p -R6"},                 /* R2P PR, R6, 0x3 */
    {80, 0x0000023000007945, 0x000fe40003800000, "+B0"},                           /* BSSY B0, 0x240 */
    {80, 0x0000000000007941, 0x000fe40003800000, "-B0"},                           /* BSYNC B0 */
    {80, 0xfffff59006007950, 0x000fe40003c3ffff, "-R6.2a"},                        /* RET.REL.NODEC R6 -0xa60 */
    {80, 0x0000000705050287, 0x000fe4000c000000, "-UP0g +UR5 -UR5 -UR7 -UP0p"},    /* @UP0 USEL UR5, UR5, UR7, !UP0 */
    {80, 0x0000000406067e25, 0x000fe4000f8e0207, "+R6 +R7h -R6 -R7 -UR4.2"},       /* IMAD.WIDE R6, R6, R7, UR4 */
    {80, 0x000000ff0004708b, 0x000fe40000000000, NULL},
};

TEST(sa_2_accesses)
{
	(void)state;
	for (size_t i = 0; i < HD_COUNT(touched); i++) {
		hd_sass_instruction in;
		bool known = decode(touched[i].architecture, touched[i].low, touched[i].high, 0, &in);
		assert_int_equal(known, touched[i].accesses != NULL);
		if (!known)
			continue;
		char *text = accesses_of(&in);
		assert_string_equal(text, touched[i].accesses);
		free(text);
	}
}

/* A bit that is flipped changes the text or what is touched, is one of the few that no hardware is known to read, or makes the word unknown. */
TEST(sa_3_no_bit_is_lost)
{
	(void)state;
	size_t silent = 0, tried = 0;
	for (size_t i = 0; i < HD_COUNT(words); i++) {
		const word *w = &words[i];
		if (strncmp(w->text, "NOP", 3) == 0)
			continue;
		for (unsigned bit = 12; bit < 105; bit++) {
			uint64_t low = bit < 64 ? w->low ^ UINT64_C(1) << bit : w->low,
			         high = bit < 64 ? w->high : w->high ^ UINT64_C(1) << (bit - 64);
			hd_sass_instruction in;
			tried++;
			if (!decode(w->architecture, low, high, 0, &in)) {
				assert_null(in.row);
				assert_int_equal(in.accesses, 0);
				assert_true(in.low == low && in.high == high);
				continue;
			}
			char *text = text_of(&in);
			silent += strcmp(text, w->text) == 0;
			free(text);
		}
	}
	assert_true(tried > 10000);
	assert_true(silent * 20 < tried);
}

TEST(sa_3_unknown)
{
	hd_sass_instruction in;
	(void)state;
	assert_false(decode(80, 0x0123456789abcdef, 0xfedcba9876543210, 32, &in));
	char *text = text_of(&in);
	assert_string_equal(text, ".word 0x89abcdef, 0x01234567, 0x76543210, 0xfedcba98 ;");
	free(text);
	/* Barrier 6 does not exist, bits 126 and 127 are 0, and a known word is unknown on an architecture that has no such row. */
	assert_true(decode(80, 0x0000000b07047223, 0x000fe40000000004, 0, &in));
	assert_false(decode(80, 0x0000000b07047223, 0x000fa40000000004, 0, &in));
	assert_false(decode(80, 0x0000000b07047223, 0x000dc40000000004, 0, &in));
	assert_false(decode(80, 0x0000000b07047223, 0x400fe40000000004, 0, &in));
	assert_false(decode(75, 0x000000000a057fae, 0x000fe4000b921846, 0, &in));
	/* A pair that would reach beyond R254. */
	assert_false(decode(80, 0x0000000e0cfe7228, 0x000fe40000000000, 0, &in));
}

TEST(sa_2_control)
{
	hd_text text = {0};
	(void)state;
	hd_sass_control c = {.stall = 4, .yield = true, .write_barrier = 7, .read_barrier = 7, .wait_mask = 0x3f, .reuse = 3};
	uint64_t high = hd_sass_control_encode(0, c);
	assert_true(high == (UINT64_C(4) << 41 | UINT64_C(7) << 46 | UINT64_C(7) << 49 | UINT64_C(0x3f) << 52 | UINT64_C(3) << 58));
	hd_sass_control back = hd_sass_control_decode(high);
	assert_int_equal(back.stall, 4);
	assert_true(back.yield);
	assert_int_equal(back.wait_mask, 0x3f);
	assert_int_equal(back.reuse, 3);
	assert_true(hd_sass_control_encode(UINT64_MAX, c) == (high | UINT64_C(3) << 62 | ((UINT64_C(1) << 41) - 1)));
	hd_sass_print_control(c, &text);
	assert_string_equal(text.at, "[W:0x3f wb:- R:- S:4 Y ru:AB]");
	text.n = 0;
	hd_sass_print_control((hd_sass_control){.stall = 1, .write_barrier = 0, .read_barrier = 5}, &text);
	assert_string_equal(text.at, "[W:0x00 wb:0 R:5 S:1 - ru:-]");
	hd_text_free(&text);
}

TEST(sa_2_targets)
{
	hd_sass_instruction in;
	(void)state;
	assert_true(decode(80, 0x0000015000007947, 0x000fe40003800000, 0x1000, &in));
	assert_int_equal(in.flow, HD_SASS_BRANCH);
	assert_true(in.has_target && in.target == 0x1160);
	/* sm_90 has the low bits of the distance elsewhere. */
	assert_true(decode(90, 0x0000000400107944, 0x000fe40003c00000, 0, &in));
	assert_int_equal(in.flow, HD_SASS_CALL);
	assert_true(in.target == 0x450);
	assert_true(decode(80, 0x0000023000007945, 0x000fe40003800000, 0, &in));
	assert_int_equal(in.flow, HD_SASS_SET_CONVERGENCE);
	assert_true(in.target == 0x240);
	assert_true(decode(80, 0x0000d0800000791a, 0x000fc80000000000, 0, &in));
	assert_true(in.depbar.present && in.depbar.barrier == 5 && in.depbar.count == 2 && in.depbar.mask == 0);
}

TEST(sa_2_floats)
{
	static const struct {
		uint64_t bits;
		unsigned exponent, fraction;
		const char *text;
	} floats[] = {
	    {0x3f800000, 8, 23, "1"},
	    {0x3dcccccd, 8, 23, "0.10000000149011611938"},
	    {0x80000000, 8, 23, "-0.0"},
	    {0, 8, 23, "0"},
	    {6, 8, 23, "8.4077907859489024255e-45"},
	    {0x5f800000, 8, 23, "1.84467440737095516160e+19"},
	    {0x4e6e6b28, 8, 23, "1.00000000000000000000e+09"},
	    {0xce6e6b28, 8, 23, "-1.00000000000000000000e+09"},
	    {0x4e6e6b27, 8, 23, "999999936"},
	    {0x7f800000, 8, 23, "+INF "},
	    {0xff800000, 8, 23, "-INF "},
	    {0x7fffffff, 8, 23, "+QNAN "},
	    {0xffc00000, 8, 23, "-QNAN "},
	    {0x3c00, 5, 10, "1"},
	    {6, 5, 10, "3.5762786865234375e-07"},
	    {0x3f80, 8, 7, "1"},
	    {UINT64_C(0x3ff0000000000000), 11, 52, "1"},
	    {UINT64_C(0x0000000600000000), 11, 52, "1.2731974745791633891e-313"},
	};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(floats); i++) {
		hd_text text = {0};
		hd_sass_put_float(&text, floats[i].bits, floats[i].exponent, floats[i].fraction);
		assert_string_equal(text.at, floats[i].text);
		hd_text_free(&text);
	}
}

/* The table itself: in order, and each modifier has as many names as its field has values. */
TEST(sa_2_table)
{
	(void)state;
	for (size_t i = 1; i < hd_sass_row_count; i++)
		assert_true(hd_sass_rows[i - 1].opcode <= hd_sass_rows[i].opcode);
	for (unsigned m = HD_SASS_MOD_END + 1; m < HD_SASS_MOD_COUNT; m++) {
		size_t bars = 0, expected = ((size_t)1 << (hd_sass_modifiers[m].length + hd_sass_modifiers[m].length2)) - 1;
		for (const char *c = hd_sass_modifiers[m].names; *c; c++)
			bars += *c == '|';
		assert_int_equal(bars, expected);
	}
	assert_string_equal(hd_sass_special_register(80, 33), "SR_TID.X");
	assert_null(hd_sass_special_register(80, 254));
	assert_string_equal(hd_sass_class_name(HD_SASS_CLASS_FMA_WIDE), "fma.wide");
}

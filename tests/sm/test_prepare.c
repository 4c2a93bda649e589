/* From words to what is executed (SR-2): every value of every modifier has a meaning or a refusal with its name, and changes a result. */
#include "sm/op.h"

#include "../test.h"

typedef struct word {
	unsigned architecture;
	uint64_t low, high;
	const char *text;
} word;
/* A word of each row of sass.def. */
static const word words[] = {
#define WORD(...) {__VA_ARGS__},
#include "../sass/words.def"
#undef WORD
};

static bool decode(unsigned architecture, const uint64_t half[2], hd_sass_instruction *in)
{
	uint8_t bytes[16];
	for (unsigned i = 0; i < 16; i++)
		bytes[i] = (uint8_t)(half[i / 8] >> 8 * (i % 8));
	return hd_sass_decode(architecture, bytes, 0, in);
}

static void put(uint64_t half[2], unsigned at, unsigned length, uint64_t value)
{
	for (unsigned i = 0; i < length; i++) {
		uint64_t bit = UINT64_C(1) << (at + i) % 64;
		half[(at + i) / 64] = (half[(at + i) / 64] & ~bit) | (value >> i & 1 ? bit : 0);
	}
}

/* The word with another value of the modifier, when there is such an instruction of the same row. */
static bool with_value(const word *w, unsigned id, unsigned value, hd_sass_instruction *in)
{
	const hd_sass_modifier_row *row = &hd_sass_modifiers[id];
	hd_sass_instruction before;
	uint64_t half[2] = {w->low, w->high};
	decode(w->architecture, half, &before);
	put(half, row->at, row->length, value);
	put(half, row->at2, row->length2, value >> row->length);
	return decode(w->architecture, half, in) && in->row == before.row;
}

enum { SETS = 24 };

/* Results on random operands; of those, many are small, extreme, or floats near 1. */
static uint64_t behaviour(const hd_sm_op *op)
{
	static const uint32_t extremes[] = {0,          1,          2,          31,         32,         33,         0x7fffffff, 0x80000000,
	                                    UINT32_MAX, 0x3f800000, 0xbf800001, 0x7fc00000, 0x00000003, 0x80000003, 0x3c003c01};
	uint64_t state = 7, hash = HD_HASH;
	for (unsigned set = 0; set < SETS; set++) {
		static hd_vec32 sources[HD_SM_SOURCES][8];
		hd_sm_in in = {.mask = set % 3 ? UINT32_MAX : (uint32_t)hd_random(&state)};
		hd_sm_out out;
		memset(&out, 0, sizeof out);
		for (unsigned k = 0; k < HD_SM_SOURCES; k++) {
			for (unsigned v = 0; v < 8; v++)
				for (unsigned i = 0; i < HD_LANES; i++) {
					uint64_t r = hd_random(&state);
					uint32_t kinds[4] = {(uint32_t)r, extremes[r % HD_COUNT(extremes)], (uint32_t)r & 63,
					                     0x3f000000 + ((uint32_t)r & 0x1ffffff)};
					sources[k][v].v[i] = kinds[r >> 33 & 3];
				}
			in.s[k] = sources[k];
		}
		for (unsigned v = 0; v < 8; v++) /* equal operands, too */
			for (unsigned i = 0; i < HD_LANES - 1; i += 3)
				sources[1][v].v[i] = sources[0][v].v[i], sources[0][v].v[i + 1] = 0x00030003, sources[1][v].v[i + 1] = 0;
		for (unsigned k = 0; k < HD_SM_PREDICATES; k++)
			in.p[k] = set % 4 ? (uint32_t)hd_random(&state) : 0;
		op->fn(op, &in, &out);
		for (unsigned k = 0; k < op->words; k++)
			for (unsigned i = 0; i < HD_LANES; i++)
				if (in.mask >> i & 1)
					hash = hd_hash(hash, &out.d[k].v[i], 4);
		for (unsigned k = 0; k < op->n_results; k++) {
			uint32_t p = out.p[k] & in.mask;
			hash = hd_hash(hash, &p, op->result[k].reg == HD_SASS_PT ? 0 : sizeof p);
		}
	}
	return hash;
}

/* Values that may give equal results, and why. */
static bool may_be_equal(const hd_sass_instruction *in, unsigned id, const char *a, const char *b)
{
	static const struct {
		const char *mnemonic, *modifier; /* a modifier's text that begins with it; "": any */
	} equal[] = {
	    {"SHF", ""},                              /* the type and .HI matter for right shifts, or for one word */
	    {"USHF", ""},          {"IMAD", ".U32"},  /* the low word of a product has no sign */
	    {"UIMAD", ".U32"},     {"ISETP", ".U32"}, /* nor have equal numbers */
	    {"UISETP", ".U32"},    {"LEA", ".SX32"},  /* without .HI the upper word has no use */
	    {"ULEA", ".SX32"},     {"VIADDMNMX", ""}, /* pairs of halves can be written in two ways */
	    {"I2F", ".R"},                            /* exact conversions, or numbers without a sign */
	    {"F2F", ".R"},         {"F2I", ""},       /* the same where no number is below 0, or above the least type's largest */
	    {"HSETP2", ".FTZ"},                       /* a NaN is one with or without, and with either sign */
	    {"HSETP2", ".H0_NH1"}, {"IMMA", ""},      /* shapes have other registers: hd_sm_imma looks at those that the word has */
	    {"BMMA", ".8"},        {"HMMA", ".16"},
	};
	/* Where the upper words are equal, the lower ones decide, with or without equality. */
	if (strcmp(in->row->mnemonic, "ISETP") == 0 && in->high >> (72 - 64) & 1)
		return true;
	(void)id;
	for (size_t i = 0; i < HD_COUNT(equal); i++)
		if (strcmp(in->row->mnemonic, equal[i].mnemonic) == 0 &&
		    (strncmp(a, equal[i].modifier, strlen(equal[i].modifier)) == 0 || strncmp(b, equal[i].modifier, strlen(equal[i].modifier)) == 0))
			return true;
	return false;
}

typedef struct seen {
	uint64_t behaviour;
	hd_text text;
} seen;

/* Each value of a modifier: refused by name, or accepted and unlike every other one that is accepted. */
static unsigned check_modifier(const word *w, unsigned id, unsigned *accepted)
{
	unsigned bits = hd_sass_modifiers[id].length + hd_sass_modifiers[id].length2, faults = 0, n = 0;
	static seen values[1 << 8];
	for (unsigned value = 0; bits <= 8 && value < 1u << bits; value++) {
		hd_sass_instruction in;
		hd_sm_op op;
		hd_text why = {0}, text = {0};
		if (!with_value(w, id, value, &in))
			continue;
		hd_sass_modifier_text(id, value, &text);
		hd_text_put(&text, "", 0);
		bool good = hd_sm_prepare(&in, &op, &why);
		if (!good && (!why.at || !*why.at)) {
			print_message("%s: value %u of a modifier is refused without a word\n", w->text, value);
			faults++;
		}
		if (good && op.kind == HD_SM_PURE && !hd_sm_ignored(id)) {
			*accepted += 1;
			/* All results count, and both halves of a word. */
			for (unsigned k = 0; k < op.n_results; k++)
				op.result[k].reg = 0;
			bool of_operand = id == HD_SASS_MOD_HALF_A || id == HD_SASS_MOD_HALF_LOW || id == HD_SASS_MOD_HALF_HIGH;
			for (unsigned k = 0; op.numbers == HD_SM_H && !of_operand && k < op.n_sources; k++)
				op.source[k].select = 0;
			uint64_t own = behaviour(&op);
			for (unsigned i = 0; i < n; i++)
				if (values[i].behaviour == own &&
				    !may_be_equal(&in, id, values[i].text.at ? values[i].text.at : "", text.at ? text.at : "")) {
					print_message("%s: '%s' does what '%s' does\n", w->text, text.at ? text.at : "",
					              values[i].text.at ? values[i].text.at : "");
					faults++;
				}
			values[n++] = (seen){own, text};
			text = (hd_text){0};
		}
		hd_text_free(&text);
		hd_text_free(&why);
	}
	while (n)
		hd_text_free(&values[--n].text);
	return faults;
}

TEST(sr_2_every_value_of_every_modifier)
{
	(void)state;
	unsigned faults = 0, accepted = 0;
	for (size_t i = 0; i < HD_COUNT(words); i++) {
		hd_sass_instruction in;
		uint64_t half[2] = {words[i].low, words[i].high};
		assert_true(decode(words[i].architecture, half, &in));
		for (unsigned k = 0; k < HD_SASS_ROW_MODIFIERS && in.row->modifiers[k]; k++)
			faults += check_modifier(&words[i], in.row->modifiers[k], &accepted);
		for (unsigned k = 0; k < HD_SASS_ROW_OPERANDS && in.row->operands[k].kind; k++) /* what stands behind operands */
			faults += in.row->operands[k].names ? check_modifier(&words[i], in.row->operands[k].names, &accepted) : 0;
		hd_sass_values values;
		hd_sass_values_read(&in, &values);
		for (unsigned k = 0; k < values.n; k++)
			faults += values.at[k].suffix ? check_modifier(&words[i], values.at[k].suffix, &accepted) : 0;
	}
	assert_int_equal(faults, 0);
	assert_true(accepted > 500);
}

/* What a row of meaning.def names is a modifier of a row of sass.def with its opcode. */
TEST(sr_2_meanings_name_modifiers_of_their_rows)
{
	(void)state;
	for (unsigned opcode = 0; opcode < 512; opcode++) {
		const hd_sm_meaning *meaning = hd_sm_meaning_of(opcode);
		bool found = false;
		for (size_t i = 0; meaning && i < hd_sass_row_count; i++)
			found |= hd_sass_rows[i].opcode == opcode;
		assert_true(!meaning || found);
	}
}

TEST(sr_2_refusals_have_names)
{
	(void)state;
	static const struct {
		const char *word, *why;
	} refused[] = {{"TEX", "TEX has no meaning"}, {"HMMA.SP", "modifier '.SP.16832' has no meaning here"}};
	for (size_t i = 0; i < HD_COUNT(refused); i++)
		for (size_t k = 0; k < HD_COUNT(words); k++) {
			hd_sass_instruction in;
			hd_sm_op op;
			hd_text why = {0};
			uint64_t half[2] = {words[k].low, words[k].high};
			if (strncmp(words[k].text, refused[i].word, strlen(refused[i].word)) != 0)
				continue;
			assert_true(decode(words[k].architecture, half, &in));
			assert_false(hd_sm_prepare(&in, &op, &why));
			if (k == 0 || strncmp(words[k - 1].text, refused[i].word, strlen(refused[i].word)) != 0)
				assert_string_equal(why.at, refused[i].why);
			hd_text_free(&why);
		}
}

#include "isa/geometry.h"

#include "isa/compact.h"

const hd_geometry_info hd_geometries[HD_GEOMETRY_COUNT] = {
    [HD_GEOMETRY_LINE] = {"line", 8, 3, 8, 3, 1, 8, HD_WORD_COUNTERS, 1, 8, 8, 0, 0},
    [HD_GEOMETRY_WIDE] = {"wide", 8, 3, 4, 2, 1, 8, HD_MAX_COUNTERS, 1, 8, 18, 16, 18},
    [HD_GEOMETRY_SHORT] = {"short", 4, 2, 4, 2, 1, 8, HD_MAX_COUNTERS, 1, 8, 8, 32, 10},
    [HD_GEOMETRY_COMBINED] = {"combined", 8, 3, 4, 2, 1, 8, HD_WORD_COUNTERS + 2, 2, 8, 18, 24, 18},
    [HD_GEOMETRY_FRONT] = {"front", 8, 3, 8, 3, 2, 8, HD_MAX_COUNTERS, 1, 8, 18, 16, 18},
    [HD_GEOMETRY_COMPACT] = {"compact", 8, 3, 8, 3, 1, 4, HD_WORD_COUNTERS, 1, 4, 4, 0, 0},
    [HD_GEOMETRY_PLAIN] = {"plain", 8, 3, 8, 3, 0, 8, HD_WORD_COUNTERS, 0, 0, 0, 0, 0},
};

enum { COMPACT_LINE = 8, COMPACT_OPCODE = HD_SS_OPCODE & 15, COMPACT_TARGET = 1 /* of the upper half */, TARGET = 33 };

typedef struct entry {
	uint32_t ss;
	unsigned hint, mask; /* first bits in the ss */
	uint64_t hint_bits, mask_bits;
} entry;

static entry entry_of(unsigned geometry, uint32_t word)
{
	const hd_geometry_info *g = &hd_geometries[geometry];
	unsigned at = word % g->group, each = (g->group - g->ss) / (g->ss ? g->ss : 1), i = at - g->ss;
	hd_invariant(at >= g->ss, "word %u has no entry, it is a scheduling word", word);
	return (entry){.ss = word - at + i / each,
	               .hint = g->hint_at + g->hint_step * (i % each),
	               .mask = g->mask_at + g->mask_step * (i % each),
	               .hint_bits = (UINT64_C(1) << 8 * g->hints) - 1,
	               .mask_bits = (UINT64_C(1) << (g->counters - HD_WORD_COUNTERS)) - 1};
}

/* An entry has four bits for each word of the instruction. */
static entry compact_entry_of(const uint64_t *code, uint32_t word)
{
	entry e = entry_of(HD_GEOMETRY_COMPACT, word);
	e.hint_bits = hd_line_length(HD_GEOMETRY_COMPACT, code, word) == 2 ? 255 : 15;
	return e;
}

static entry entry_in(unsigned geometry, const uint64_t *code, uint32_t word)
{
	return hd_is_compact(geometry) ? compact_entry_of(code, word) : entry_of(geometry, word);
}

hd_word hd_line_word(unsigned geometry, const uint64_t *code, uint32_t word)
{
	if (hd_is_ss(geometry, word))
		return HD_WORD_SS;
	if (!hd_is_compact(geometry))
		return HD_WORD_INST;
	uint32_t at = (word & ~(COMPACT_LINE - 1u)) + 1;
	while (at < word)
		at += hd_line_length(geometry, code, at);
	if (at > word)
		return HD_WORD_HALF;
	return word % COMPACT_LINE == COMPACT_LINE - 1 && !(code[word] & 1) ? HD_WORD_EMPTY : HD_WORD_INST;
}

uint32_t hd_line_after(unsigned geometry, const uint64_t *code, uint32_t n, uint32_t word)
{
	if (!hd_is_compact(geometry))
		return hd_after(geometry, word);
	uint32_t next = hd_after(geometry, word + hd_line_length(geometry, code, word) - 1);
	bool last = next % COMPACT_LINE == COMPACT_LINE - 1;
	return last && next < n && !(code[next] & 1) ? hd_after(geometry, next) : next;
}

unsigned hd_line_hint(unsigned geometry, const uint64_t *code, uint32_t word)
{
	entry e = entry_in(geometry, code, word);
	return (unsigned)(code[e.ss] >> e.hint & e.hint_bits);
}

void hd_line_put_hint(unsigned geometry, uint64_t *code, uint32_t word, unsigned bytes)
{
	entry e = entry_in(geometry, code, word);
	code[e.ss] = (code[e.ss] & ~(e.hint_bits << e.hint)) | (bytes & e.hint_bits) << e.hint;
}

bool hd_line_holds(unsigned geometry, const hd_inst *inst)
{
	unsigned counters = hd_geometries[geometry].counters;
	if (hd_geometries[geometry].mask_at)
		return inst->primary <= counters && (uint32_t)inst->wait >> counters == 0 && (inst->hint3 & ~HD_MEETS) == 0;
	return inst->primary < 8 && inst->wait >> HD_WORD_COUNTERS == 0 && (!hd_is_compact(geometry) || (inst->hint3 & ~HD_MEETS) == 0);
}

static bool put_compact(uint64_t *code, uint32_t word, const hd_inst *inst)
{
	uint32_t bits;
	if (hd_line_length(HD_GEOMETRY_COMPACT, code, word) == 1) {
		if (!hd_compact_encode(inst, &bits))
			return false;
		code[word] = bits;
		return true;
	}
	uint64_t both = hd_encode(inst);
	code[word] = both & UINT32_MAX;
	code[word + 1] = both >> 32;
	return true;
}

bool hd_line_put(unsigned geometry, uint64_t *code, uint32_t word, const hd_inst *inst)
{
	hd_invariant(hd_line_holds(geometry, inst), "counter %u, mask 0x%x, hint %u in a line of geometry %s", inst->primary, inst->wait, inst->hint3,
	             hd_geometries[geometry].name);
	if (hd_is_compact(geometry))
		return put_compact(code, word, inst);
	entry e = entry_of(geometry, word);
	if (!e.mask_bits) {
		code[word] = hd_encode(inst);
		return true;
	}
	code[word] = hd_encode_wide(inst);
	code[e.ss] = (code[e.ss] & ~(e.mask_bits << e.mask)) | (uint64_t)(inst->wait >> HD_WORD_COUNTERS) << e.mask;
	return true;
}

bool hd_line_put_target(unsigned geometry, uint64_t *code, uint32_t word, uint32_t target)
{
	if (!hd_is_compact(geometry)) {
		code[word] |= (uint64_t)target << TARGET;
		return true;
	}
	if (hd_line_length(geometry, code, word) == 2) {
		code[word + 1] |= (uint64_t)target << COMPACT_TARGET;
		return true;
	}
	code[word] |= (uint64_t)target << HD_COMPACT_TARGET;
	return target < HD_COMPACT_REACH;
}

bool hd_line_get(unsigned geometry, const uint64_t *code, uint32_t word, hd_inst *inst, const char **why)
{
	if (hd_is_compact(geometry) && hd_line_length(geometry, code, word) == 1)
		return hd_compact_decode((uint32_t)code[word], inst, why);
	if (hd_is_compact(geometry))
		return hd_decode(code[word + 1] << 32 | code[word], inst, why);
	entry e = entry_of(geometry, word);
	if (!e.mask_bits)
		return hd_decode(code[word], inst, why);
	return hd_decode_wide(code[word], (unsigned)(code[e.ss] >> e.mask & e.mask_bits), inst, why);
}

uint64_t hd_line_blank(unsigned geometry, uint32_t word, unsigned hint3)
{
	hd_inst nop = {.op = HD_OP_NOP, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, .hint3 = (uint8_t)hint3};
	uint32_t bits;
	if (hd_is_ss(geometry, word))
		return hd_is_compact(geometry) ? COMPACT_OPCODE : HD_SS_OPCODE;
	return hd_is_compact(geometry) && hd_compact_encode(&nop, &bits) ? bits : hd_encode(&nop);
}

/* An empty word has the entry 0. */
static const char *compact_wrong(const uint64_t *code, uint32_t word)
{
	uint32_t last = word + COMPACT_LINE - 1;
	if ((code[word] & 15) != COMPACT_OPCODE || code[word] > UINT32_MAX)
		return "is no scheduling word";
	if (hd_line_word(HD_GEOMETRY_COMPACT, code, last) == HD_WORD_EMPTY && (code[last] || code[word] >> 4 * (COMPACT_LINE - 1)))
		return "is of a line whose last word is empty and not zero";
	return NULL;
}

const char *hd_line_wrong(unsigned geometry, const uint64_t *code, uint32_t word)
{
	uint64_t ss = code[word], known = 255;
	const hd_geometry_info *g = &hd_geometries[geometry];
	unsigned each = (g->group - g->ss) / g->ss;
	if (hd_is_compact(geometry))
		return compact_wrong(code, word);
	if ((ss & 255) != HD_SS_OPCODE)
		return "is no scheduling word";
	for (unsigned i = 0; i < each; i++) {
		entry e = entry_of(geometry, (word & ~(g->group - 1u)) + g->ss + word % g->group * each + i);
		if ((ss >> (e.hint + 4) & 15) >= HD_HINT_COUNT)
			return "has an unknown hint";
		known |= e.hint_bits << e.hint | e.mask_bits << e.mask;
	}
	return ss & ~known ? "has a bit set that means nothing" : NULL;
}

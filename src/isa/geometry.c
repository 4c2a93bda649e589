#include "isa/geometry.h"

const hd_geometry_info hd_geometries[HD_GEOMETRY_COUNT] = {
    [HD_GEOMETRY_LINE] = {"line", 8, 3, 8, 3, HD_WORD_COUNTERS, 1, 8, 8, 0, 0},
    [HD_GEOMETRY_WIDE] = {"wide", 8, 3, 4, 2, HD_MAX_COUNTERS, 1, 8, 18, 16, 18},
    [HD_GEOMETRY_SHORT] = {"short", 4, 2, 4, 2, HD_MAX_COUNTERS, 1, 8, 8, 32, 10},
    [HD_GEOMETRY_COMBINED] = {"combined", 8, 3, 4, 2, HD_WORD_COUNTERS + 2, 2, 8, 18, 24, 18},
};

typedef struct entry {
	uint32_t ss;
	unsigned hint, mask; /* first bits in the ss */
	uint64_t hint_bits, mask_bits;
} entry;

static entry entry_of(unsigned geometry, uint32_t word)
{
	const hd_geometry_info *g = &hd_geometries[geometry];
	unsigned i = word % g->group;
	hd_invariant(i, "word %u has no entry, it is a scheduling word", word);
	return (entry){.ss = word - i,
	               .hint = g->hint_at + g->hint_step * (i - 1),
	               .mask = g->mask_at + g->mask_step * (i - 1),
	               .hint_bits = (UINT64_C(1) << 8 * g->hints) - 1,
	               .mask_bits = (UINT64_C(1) << (g->counters - HD_WORD_COUNTERS)) - 1};
}

unsigned hd_line_hint(unsigned geometry, const uint64_t *code, uint32_t word)
{
	entry e = entry_of(geometry, word);
	return (unsigned)(code[e.ss] >> e.hint & e.hint_bits);
}

void hd_line_put_hint(unsigned geometry, uint64_t *code, uint32_t word, unsigned bytes)
{
	entry e = entry_of(geometry, word);
	code[e.ss] = (code[e.ss] & ~(e.hint_bits << e.hint)) | (bytes & e.hint_bits) << e.hint;
}

bool hd_line_holds(unsigned geometry, const hd_inst *inst)
{
	unsigned counters = hd_geometries[geometry].counters;
	if (hd_geometries[geometry].mask_at)
		return inst->primary <= counters && (uint32_t)inst->wait >> counters == 0 && (inst->hint3 & ~HD_MEETS) == 0;
	return inst->primary < 8 && inst->wait >> HD_WORD_COUNTERS == 0;
}

void hd_line_put(unsigned geometry, uint64_t *code, uint32_t word, const hd_inst *inst)
{
	entry e = entry_of(geometry, word);
	hd_invariant(hd_line_holds(geometry, inst), "counter %u, mask 0x%x, hint %u in a line of geometry %s", inst->primary, inst->wait, inst->hint3,
	             hd_geometries[geometry].name);
	if (!e.mask_bits) {
		code[word] = hd_encode(inst);
		return;
	}
	code[word] = hd_encode_wide(inst);
	code[e.ss] = (code[e.ss] & ~(e.mask_bits << e.mask)) | (uint64_t)(inst->wait >> HD_WORD_COUNTERS) << e.mask;
}

bool hd_line_get(unsigned geometry, const uint64_t *code, uint32_t word, hd_inst *inst, const char **why)
{
	entry e = entry_of(geometry, word);
	if (!e.mask_bits)
		return hd_decode(code[word], inst, why);
	return hd_decode_wide(code[word], (unsigned)(code[e.ss] >> e.mask & e.mask_bits), inst, why);
}

const char *hd_line_wrong(unsigned geometry, const uint64_t *code, uint32_t word)
{
	uint64_t ss = code[word], known = 255;
	if ((ss & 255) != HD_SS_OPCODE)
		return "is no scheduling word";
	for (unsigned i = 1; i < hd_geometries[geometry].group; i++) {
		entry e = entry_of(geometry, word + i);
		if ((ss >> (e.hint + 4) & 15) >= HD_HINT_COUNT)
			return "has an unknown hint";
		known |= e.hint_bits << e.hint | e.mask_bits << e.mask;
	}
	return ss & ~known ? "has a bit set that means nothing" : NULL;
}

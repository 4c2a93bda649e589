#include "isa/geometry.h"

const hd_geometry_info hd_geometries[HD_GEOMETRY_COUNT] = {
    [HD_GEOMETRY_LINE] = {"line", 8, 3, 8, 3, HD_WORD_COUNTERS, 8, 8, 0, 0},
    [HD_GEOMETRY_WIDE] = {"wide", 8, 3, 4, 2, HD_MAX_COUNTERS, 8, 18, 16, 18},
    [HD_GEOMETRY_SHORT] = {"short", 4, 2, 4, 2, HD_MAX_COUNTERS, 8, 8, 32, 10},
};

enum { MORE_COUNTERS = HD_MAX_COUNTERS - HD_WORD_COUNTERS, MORE_MASK = (1 << MORE_COUNTERS) - 1 };

typedef struct entry {
	uint32_t ss;
	unsigned hint, mask; /* bits of the ss */
	bool more;
} entry;

static entry entry_of(unsigned geometry, uint32_t word)
{
	const hd_geometry_info *g = &hd_geometries[geometry];
	unsigned i = word % g->group;
	hd_invariant(i, "word %u has no entry, it is a scheduling word", word);
	return (entry){word - i, g->hint_at + g->hint_step * (i - 1), g->mask_at + g->mask_step * (i - 1), g->mask_at != 0};
}

unsigned hd_line_hint(unsigned geometry, const uint64_t *code, uint32_t word)
{
	entry e = entry_of(geometry, word);
	return (unsigned)(code[e.ss] >> e.hint & 255);
}

void hd_line_put_hint(unsigned geometry, uint64_t *code, uint32_t word, unsigned byte)
{
	entry e = entry_of(geometry, word);
	code[e.ss] = (code[e.ss] & ~(UINT64_C(255) << e.hint)) | (uint64_t)(byte & 255) << e.hint;
}

bool hd_line_holds(unsigned geometry, const hd_inst *inst)
{
	if (hd_geometries[geometry].mask_at)
		return inst->primary <= HD_MAX_COUNTERS && inst->hint3 == 0;
	return inst->primary < 8 && inst->wait >> HD_WORD_COUNTERS == 0;
}

void hd_line_put(unsigned geometry, uint64_t *code, uint32_t word, const hd_inst *inst)
{
	entry e = entry_of(geometry, word);
	hd_invariant(hd_line_holds(geometry, inst), "counter %u, mask 0x%x, hint %u in a line of geometry %s", inst->primary, inst->wait, inst->hint3,
	             hd_geometries[geometry].name);
	if (!e.more) {
		code[word] = hd_encode(inst);
		return;
	}
	code[word] = hd_encode_wide(inst);
	code[e.ss] = (code[e.ss] & ~((uint64_t)MORE_MASK << e.mask)) | (uint64_t)(inst->wait >> HD_WORD_COUNTERS) << e.mask;
}

bool hd_line_get(unsigned geometry, const uint64_t *code, uint32_t word, hd_inst *inst, const char **why)
{
	entry e = entry_of(geometry, word);
	if (!e.more)
		return hd_decode(code[word], inst, why);
	return hd_decode_wide(code[word], (unsigned)(code[e.ss] >> e.mask) & MORE_MASK, inst, why);
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
		known |= UINT64_C(255) << e.hint | (e.more ? (uint64_t)MORE_MASK << e.mask : 0);
	}
	return ss & ~known ? "has a bit set that means nothing" : NULL;
}

#include "check/hint_registers.h"

enum { REGISTERS = 2, GROUP = 4 };

/* Properties common to the bytes that may be read for an instruction. */
typedef struct least {
	bool any, waits_for_memory;
	uint8_t spacing, wait;
} least;

/* A `hints` that has issued earlier in the block. */
typedef struct written {
	bool any;
	uint32_t first, bytes; /* as in the machine's register */
	uint32_t cycles;       /* counted from its issue to that of the instruction before the current one */
} written;

/* The address of the instruction with this number. */
static uint64_t word_of(const hd_code_graph *g, uint64_t number)
{
	const hd_geometry_info *geometry = &hd_geometries[g->object->geometry];
	uint64_t entries = (uint64_t)geometry->group - geometry->ss;
	return number / entries * geometry->group + number % entries + geometry->ss;
}

static uint32_t number_of(const hd_code_graph *g, uint32_t word) { return hd_instruction_number(g->object->geometry, word); }

static bool is_write(const hd_code_graph *g, uint32_t word) { return !hd_is_scheduling_word(g, word) && g->insts[word].op == HD_OP_HINTS; }

static unsigned byte_at(uint32_t bytes, uint32_t place) { return bytes >> 8 * place & 255; }

/* R2 */
static least *collect(const hd_code_graph *g, const hd_machine *m)
{
	least *all = hd_xcalloc((size_t)g->words + 1, sizeof *all);
	for (uint32_t word = 0; word < g->words; word++) {
		if (!is_write(g, word))
			continue;
		for (uint32_t place = 0; place < GROUP; place++) {
			uint64_t at = word_of(g, (uint64_t)number_of(g, word) + 1 + g->insts[word].a + place);
			unsigned byte = byte_at((uint32_t)g->insts[word].imm, place);
			hd_effects fx = {0};
			if (at >= g->words)
				continue;
			hd_hint_effects(m, byte >> 4, byte & 15, &fx);
			least *one = &all[at];
			one->spacing = one->any && one->spacing < fx.spacing ? one->spacing : fx.spacing;
			one->wait = one->any && one->wait < fx.wait ? one->wait : fx.wait;
			one->waits_for_memory = fx.waits_for_memory && (!one->any || one->waits_for_memory);
			one->any = true;
		}
	}
	return all;
}

/* R1. `next`: cycles from the issue of the previous instruction until this one becomes the warp's next. */
static bool certain(const written *newest, uint32_t number, uint32_t next, const hd_machine *m, unsigned *byte)
{
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (!newest[i].any || number - newest[i].first >= GROUP)
			continue;
		*byte = byte_at(newest[i].bytes, number - newest[i].first);
		return newest[i].cycles + next >= hd_machine_hints_written(m);
	}
	return false;
}

static void apply_to_block(const hd_code_graph *g, const hd_machine *m, const least *may, uint32_t block, hd_effects *effects)
{
	written newest[REGISTERS] = {{0}};
	uint32_t spacing = 0; /* of the previous instruction */
	for (uint32_t word = g->begin[block]; word < g->begin[block + 1]; word++) {
		hd_effects *fx = &effects[word];
		bool flow = fx->pipe == HD_PIPE_FLOW;
		hd_effects own = {0};
		unsigned byte;
		if (hd_is_scheduling_word(g, word))
			continue;
		/* The second of a pair becomes the next in the cycle of the first. */
		if (certain(newest, number_of(g, word), hd_min_u32(spacing, 1), m, &byte)) {
			hd_hint_effects(m, byte >> 4, byte & 15, &own);
		} else {
			bool some = may[word].any;
			own.spacing = some && may[word].spacing < fx->spacing ? may[word].spacing : fx->spacing;
			own.wait = some && may[word].wait < fx->wait ? may[word].wait : fx->wait;
			own.waits_for_memory = fx->waits_for_memory && (!some || may[word].waits_for_memory);
		}
		fx->spacing = flow ? fx->spacing : own.spacing; /* docs/timing.md, rules 2 and 5 */
		fx->wait = own.wait;
		fx->waits_for_memory = own.waits_for_memory;
		for (unsigned i = 0; i < REGISTERS; i++)
			newest[i].cycles += spacing;
		if (is_write(g, word)) {
			newest[1] = newest[0];
			newest[0] = (written){.any = true, .first = number_of(g, word) + 1 + g->insts[word].a, .bytes = (uint32_t)g->insts[word].imm};
		}
		spacing = fx->spacing;
	}
}

void hd_apply_hint_registers(const hd_code_graph *g, const hd_machine *m, hd_effects *effects)
{
	least *may = collect(g, m);
	for (uint32_t b = 0; b < g->n; b++)
		apply_to_block(g, m, may, b, effects);
	free(may);
}

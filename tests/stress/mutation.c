#include "mutation.h"

const char *const mutation_names[MUTATIONS] = {"wait bit removed", "delay shortened", "primary removed",
                                               "release by read",  "last use added",  "counter exchanged"};

static bool without_a_wait(hd_inst *inst, uint64_t random)
{
	unsigned bits = (unsigned)__builtin_popcount(inst->wait);
	if (!bits)
		return false;
	uint16_t left = inst->wait;
	for (unsigned skip = (unsigned)(random % bits); skip > 0; skip--)
		left &= (uint16_t)(left - 1);
	inst->wait &= (uint16_t) ~(left & -left);
	return true;
}

/* On a register source that has none. */
static bool with_a_last_use(hd_inst *inst, uint64_t random)
{
	hd_use uses[HD_MAX_USES];
	unsigned n = hd_inst_reads(inst, uses), left = 0;
	for (unsigned i = 0; i < n; i++)
		left += uses[i].operand < 3 && uses[i].words && !(inst->last_use >> uses[i].operand & 1);
	if (!left)
		return false;
	left = (unsigned)(random % left);
	for (unsigned i = 0; i < n; i++) {
		if (uses[i].operand < 3 && uses[i].words && !(inst->last_use >> uses[i].operand & 1) && left-- == 0)
			inst->last_use |= (uint8_t)(1u << uses[i].operand);
	}
	return true;
}

/* Another one of the program's that it does not wait for itself: that would not load (HZ-3). */
static bool with_another_counter(hd_inst *inst, uint32_t counters, uint64_t random)
{
	uint8_t others[HD_MAX_COUNTERS];
	unsigned n = 0;
	for (uint32_t k = 1; inst->primary && k <= counters; k++) {
		if (k != inst->primary && !(inst->wait >> (k - 1) & 1))
			others[n++] = (uint8_t)k;
	}
	if (n)
		inst->primary = others[random % n];
	return n > 0;
}

static bool change(const hd_object *object, hd_inst *inst, mutation kind, uint64_t random)
{
	switch (kind) {
	case MUTATION_WAIT:
		return without_a_wait(inst, random);
	case MUTATION_LAST_USE:
		return with_a_last_use(inst, random);
	case MUTATION_COUNTER:
		return with_another_counter(inst, object->counters, random);
	case MUTATION_PRIMARY:
		if (!inst->primary)
			return false;
		inst->primary = 0;
		return true;
	default:
		if (!inst->primary || inst->release)
			return false;
		inst->release = 1;
		return true;
	}
}

/* One of the bytes that a `hints` writes, a cycle shorter (PD-25). */
static bool with_a_shorter_byte(hd_inst *inst, uint64_t random)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned shift = 8 * ((unsigned)(random + i) % 4), byte = (uint32_t)inst->imm >> shift & 255;
		if ((byte & 15) >= (byte >> 4 == HD_HINT_WAIT ? 1u : 2u)) {
			inst->imm = (int32_t)((uint32_t)inst->imm - (1u << shift));
			return true;
		}
	}
	return false;
}

bool mutation_make(hd_object *object, uint32_t word, mutation kind, uint64_t random, mutation_saved *saved)
{
	hd_inst inst;
	const char *why;
	unsigned line = hd_geometries[object->geometry].line_words;
	if (!hd_object_begins(object, word))
		return false;
	*saved = (mutation_saved){.word = word - word % line};
	memcpy(saved->line, &object->code.at[saved->word], line * sizeof *saved->line);
	hd_invariant(hd_line_get(object->geometry, object->code.at, word, &inst, &why), "word %u: %s", word, why);
	if (kind == MUTATION_DELAY && inst.op != HD_OP_HINTS) {
		unsigned bytes = hd_object_hint(object, word);
		if ((bytes & 15) < ((bytes >> 4 & 15) == HD_HINT_WAIT ? 1u : 2u))
			return false;
		return hd_object_put_hint(object, word, bytes - 1); /* not if a short instruction has no such hint */
	}
	if (kind == MUTATION_DELAY ? !with_a_shorter_byte(&inst, random) : !change(object, &inst, kind, random))
		return false;
	if (hd_line_put(object->geometry, object->code.at, word, &inst) && hd_line_get(object->geometry, object->code.at, word, &inst, &why))
		return true;
	mutation_take_back(object, saved);
	return false;
}

void mutation_take_back(hd_object *object, const mutation_saved *saved)
{
	memcpy(&object->code.at[saved->word], saved->line, sizeof *saved->line * hd_geometries[object->geometry].line_words);
}

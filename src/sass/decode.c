#include "sass/row.h"

const unsigned hd_sass_architectures[] = {75, 80, 86, 89, 90, 0};

static const char *const class_names[] = {
#define X(id, name) name,
    HD_SASS_CLASSES(X)
#undef X
};

const char *hd_sass_class_name(hd_sass_class class) { return class_names[class]; }

const char *hd_sass_mnemonic(const hd_sass_row *row) { return row->mnemonic; }

/* Fields of the upper half of the word, from bit 105 of the word on. */
enum { STALL = 105 - 64, YIELD = 109 - 64, WRITE = 110 - 64, READ = 113 - 64, WAIT = 116 - 64, REUSE = 122 - 64 };

hd_sass_control hd_sass_control_decode(uint64_t high)
{
	return (hd_sass_control){.stall = high >> STALL & 15,
	                         .yield = !(high >> YIELD & 1),
	                         .write_barrier = high >> WRITE & 7,
	                         .read_barrier = high >> READ & 7,
	                         .wait_mask = high >> WAIT & 63,
	                         .reuse = high >> REUSE & 15};
}

uint64_t hd_sass_control_encode(uint64_t high, hd_sass_control control)
{
	uint64_t fields = (uint64_t)control.stall << STALL | (uint64_t)!control.yield << YIELD | (uint64_t)control.write_barrier << WRITE |
	                  (uint64_t)control.read_barrier << READ | (uint64_t)control.wait_mask << WAIT | (uint64_t)control.reuse << REUSE;
	uint64_t mask = ((UINT64_C(1) << (126 - 105)) - 1) << STALL;
	return (high & ~mask) | (fields & mask);
}

static uint64_t little_endian(const uint8_t *bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

bool hd_sass_decode(unsigned architecture, const uint8_t bytes[HD_SASS_BYTES], uint64_t address, hd_sass_instruction *instruction)
{
	*instruction = (hd_sass_instruction){.low = little_endian(bytes), .high = little_endian(bytes + 8), .address = address};
	hd_sass_instruction *in = instruction;
	in->architecture = (uint8_t)architecture;
	in->control = hd_sass_control_decode(in->high);
	in->guard = HD_SASS_PT;
	in->row = hd_sass_row_find(architecture, in->low, in->high);
	/* Barriers 6 are none; bits 126 and 127 are always 0. */
	bool good = in->row && in->high >> 62 == 0 && in->control.write_barrier != 6 && in->control.read_barrier != 6;
	if (good) {
		in->latency_class = in->row->class;
		in->flow = in->row->flow;
		in->memory = in->row->memory;
		in->load = in->row->load;
		in->store = in->row->store;
		in->atomic = in->row->atomic;
		good = hd_sass_walk(in, NULL, NULL);
	}
	if (!good)
		*in = (hd_sass_instruction){.low = in->low,
		                            .high = in->high,
		                            .address = address,
		                            .architecture = in->architecture,
		                            .control = in->control,
		                            .guard = HD_SASS_PT};
	return good;
}

const char *hd_sass_modifier_name(unsigned id, uint64_t value, size_t *length)
{
	const char *name = hd_sass_modifiers[id].names;
	for (; value; value--) {
		name = strchr(name, '|');
		if (!name)
			return NULL;
		name++;
	}
	*length = strcspn(name, "|");
	return *length == 1 && *name == '?' ? NULL : name;
}

void hd_sass_modifier_text(unsigned id, unsigned value, hd_text *text)
{
	size_t length;
	const char *name = hd_sass_modifier_name(id, value, &length);
	if (name)
		hd_text_put(text, name, length);
}

void hd_sass_values_read(const hd_sass_instruction *instruction, hd_sass_values *values)
{
	hd_sass_instruction copy = *instruction;
	values->n = values->n_modifiers = copy.accesses = 0;
	hd_sass_walk(&copy, NULL, values);
}

#include "isa/compact.h"

enum { ROWS = 64, RZ6 = 63, NEAR_CONSTANTS = 32, FAR_CONSTANTS = HD_CONST_WORDS - 64, HIGH_IMMEDIATE = 17 };
typedef enum form { ALU, MAC, SETP, SEL, PLOP, MOVI, SREG, FLOW, LD, ST } form;
typedef enum kind { REGISTER, LAST_USE, CONSTANT, IMMEDIATE } kind;

static const struct row {
	uint8_t op, form;
	uint16_t sub;
} rows[ROWS] = {
#define SHORT(op, form, sub) {HD_OP_##op, form, sub},
#include "isa/compact.def"
#undef SHORT
};

/* Where the fields are. Their widths are beside them. */
enum {
	AT_ROW = 1,
	AT_FENCE = 7,
	AT_D = 11,
	AT_A = 17,
	AT_KIND = 23,
	AT_B = 25,
	AT_LAST = 31,
	AT_PREDICATES = 14,
	AT_IMMEDIATE = 17,
	AT_GUARD = 11,
	AT_NEGATED = 14,
	AT_DATA = 7,
	AT_ADDRESS = 13,
	AT_MEMORY_LAST = 19
};

static uint32_t get(uint32_t word, unsigned at, unsigned bits) { return word >> at & ((1u << bits) - 1); }
/* Cuts off what the field has no room for: the comparison in hd_compact_encode notices. */
static uint32_t put(uint32_t value, unsigned at, unsigned bits) { return (value & ((1u << bits) - 1)) << at; }

static int32_t sign_extended(uint32_t value, unsigned bits)
{
	uint32_t sign = 1u << (bits - 1);
	return (int32_t)(value ^ sign) - (int32_t)sign;
}

static uint32_t register6(unsigned reg) { return reg == HD_RZ ? RZ6 : reg; }
static uint8_t register8(uint32_t field) { return field == RZ6 ? HD_RZ : (uint8_t)field; }
static uint32_t constant6(unsigned word) { return word < NEAR_CONSTANTS ? word : word - FAR_CONSTANTS; }
static uint8_t constant8(uint32_t field) { return (uint8_t)(field < NEAR_CONSTANTS ? field : field + FAR_CONSTANTS); }

/* The number of the only counter in a mask. */
static uint32_t counter_of(unsigned wait) { return wait ? (uint32_t)hd_lowest_bit(wait) + 1 : 0; }
static uint16_t mask_of(uint32_t counter) { return (uint16_t)(counter ? 1u << (counter - 1) : 0); }

static uint32_t fence_of(const hd_inst *i) { return i->primary ? i->primary : i->wait ? HD_WORD_COUNTERS + counter_of(i->wait) : 0; }

static bool set_fence(hd_inst *i, uint32_t fence)
{
	i->primary = (uint8_t)(fence <= HD_WORD_COUNTERS ? fence : 0);
	i->wait = fence <= HD_WORD_COUNTERS ? 0 : mask_of(fence - HD_WORD_COUNTERS);
	return fence <= 2 * HD_WORD_COUNTERS;
}

/* -- sources of ALU, MAC, SETP and SEL ---------------------------------------------------------------------------------------------------- */

/* The source that may be a constant: the only one is a, else it is b. */
static unsigned flexible(const hd_inst *i) { return hd_ops[i->op].b == HD_W_N ? 0 : 1; }

static uint32_t put_sources(const hd_inst *i)
{
	unsigned which = flexible(i);
	uint32_t field = which ? i->b : i->a, what = i->last_use >> which & 1 ? LAST_USE : REGISTER;
	field = register6(field);
	if (i->ksel == 3) {
		what = IMMEDIATE;
		field = (uint32_t)i->imm;
	} else if (i->ksel) {
		what = CONSTANT;
		field = constant6(which ? i->b : i->a);
	}
	uint32_t word = put(what, AT_KIND, 2) | put(field, AT_B, 6);
	return which ? word | put(register6(i->a), AT_A, 6) | put(i->last_use, AT_LAST, 1) : word;
}

static bool get_sources(uint32_t word, hd_inst *i)
{
	unsigned which = flexible(i);
	uint32_t field = get(word, AT_B, 6);
	uint8_t value = register8(field);
	if (which) {
		i->a = register8(get(word, AT_A, 6));
		i->last_use = (uint8_t)get(word, AT_LAST, 1);
	}
	switch ((kind)get(word, AT_KIND, 2)) {
	case REGISTER:
		break;
	case LAST_USE:
		i->last_use |= (uint8_t)(1u << which);
		break;
	case CONSTANT:
		i->ksel = (uint8_t)(which + 1);
		value = constant8(field);
		break;
	case IMMEDIATE:
		i->ksel = 3;
		i->imm = sign_extended(field, 6);
		value = HD_RZ;
		break;
	}
	*(which ? &i->b : &i->a) = value;
	return i->ksel != 3 || hd_op_takes_imm16((hd_op)i->op);
}

/* -- memory ------------------------------------------------------------------------------------------------------------------------------------ */

static uint32_t put_memory(const hd_inst *i, uint32_t data, unsigned flags)
{
	unsigned at = AT_MEMORY_LAST + flags;
	return put(register6(data), AT_DATA, 6) | put(register6(i->a), AT_ADDRESS, 6) | put(i->last_use, AT_MEMORY_LAST, flags) |
	       put(i->primary, at, 3) | put(counter_of(i->wait), at + 3, 3) | put((uint32_t)i->imm / hd_size_bytes(i->sub), at + 6, 32 - at - 6);
}

static bool get_memory(uint32_t word, hd_inst *i, uint8_t *data, unsigned flags)
{
	unsigned at = AT_MEMORY_LAST + flags;
	uint32_t wait = get(word, at + 3, 3);
	*data = register8(get(word, AT_DATA, 6));
	i->a = register8(get(word, AT_ADDRESS, 6));
	i->last_use = (uint8_t)get(word, AT_MEMORY_LAST, flags);
	i->primary = (uint8_t)get(word, at, 3);
	i->wait = mask_of(wait);
	i->imm = (int32_t)(get(word, at + 6, 32 - at - 6) * hd_size_bytes(i->sub));
	return i->primary <= HD_WORD_COUNTERS && wait <= HD_WORD_COUNTERS;
}

/* -- all forms ----------------------------------------------------------------------------------------------------------------------------------- */

static uint32_t flow_number(const hd_inst *i) { return hd_ops[i->op].format == HD_F_BRANCH ? (uint32_t)i->imm : i->a == HD_RZ ? 0 : i->a; }

static uint32_t pack(unsigned number, const hd_inst *i)
{
	uint32_t word = 1 | put(number, AT_ROW, 6), fence = put(fence_of(i), AT_FENCE, 4), d = put(register6(i->d), AT_D, 6);
	switch ((form)rows[number].form) {
	case ALU:
	case MAC:
		return word | fence | d | put_sources(i);
	case SETP:
		return word | fence | put(i->d, AT_D, 3) | put(i->sub, AT_D + 3, 3) | put_sources(i);
	case SEL:
		return word | put(i->sub, AT_FENCE, 4) | d | put_sources(i);
	case PLOP:
		return word | fence | put(i->d, AT_D, 3) | put(i->sub2, AT_PREDICATES, 8) | put(i->b, AT_PREDICATES + 8, 4);
	case MOVI:
		return word | fence | d | put((uint32_t)i->imm >> (rows[number].sub ? HIGH_IMMEDIATE : 0), AT_IMMEDIATE, 15);
	case SREG:
		return word | fence | d | put(i->sub, AT_IMMEDIATE, 5);
	case FLOW:
		return word | fence | put(i->guard, AT_GUARD, 3) | put(i->guard_neg, AT_NEGATED, 1) | put(flow_number(i), HD_COMPACT_TARGET, 17);
	case LD:
		return word | put_memory(i, i->d, 1);
	case ST:
		return word | put_memory(i, i->b, 2);
	}
	hd_panic("form %u", rows[number].form);
}

static void get_flow(uint32_t word, hd_inst *i)
{
	uint32_t number = get(word, HD_COMPACT_TARGET, 17);
	i->guard = (uint8_t)get(word, AT_GUARD, 3);
	i->guard_neg = (uint8_t)get(word, AT_NEGATED, 1);
	if (hd_ops[i->op].format == HD_F_BRANCH)
		i->imm = (int32_t)number;
	else if (hd_ops[i->op].format != HD_F_NONE)
		i->a = (uint8_t)number;
}

/* The fields of a word. False: one of them means nothing. */
static bool unpack(uint32_t word, hd_inst *i)
{
	const struct row *row = &rows[get(word, AT_ROW, 6)];
	*i = (hd_inst){.op = row->op, .guard = HD_PT, .d = HD_RZ, .a = HD_RZ, .b = HD_RZ, .c = HD_RZ, .sub = (uint8_t)row->sub};
	bool fence = row->form == SEL || row->form == LD || row->form == ST || set_fence(i, get(word, AT_FENCE, 4));
	i->d = register8(get(word, AT_D, 6));
	switch ((form)row->form) {
	case ALU:
		i->mod = (uint8_t)(row->sub >> 8);
		return fence && get_sources(word, i);
	case MAC:
		i->c = i->d;
		return fence && get_sources(word, i);
	case SETP:
		i->d = (uint8_t)get(word, AT_D, 3);
		i->sub |= (uint8_t)get(word, AT_D + 3, 3);
		return fence && get_sources(word, i);
	case SEL:
		i->sub = (uint8_t)get(word, AT_FENCE, 4);
		return get_sources(word, i);
	case PLOP:
		i->d = (uint8_t)get(word, AT_D, 3);
		i->sub2 = (uint8_t)get(word, AT_PREDICATES, 8);
		i->b = (uint8_t)get(word, AT_PREDICATES + 8, 4);
		return fence;
	case MOVI:
		i->sub = 0;
		i->imm = row->sub ? (int32_t)(get(word, AT_IMMEDIATE, 15) << HIGH_IMMEDIATE) : sign_extended(get(word, AT_IMMEDIATE, 15), 15);
		return fence;
	case SREG:
		i->sub = (uint8_t)get(word, AT_IMMEDIATE, 5);
		return fence;
	case FLOW:
		get_flow(word, i);
		return fence;
	case LD:
		return get_memory(word, i, &i->d, 1);
	case ST:
		i->d = HD_RZ;
		return get_memory(word, i, &i->b, 2);
	}
	hd_panic("form %u", row->form);
}

/* A form of 32 bits is right when it stands for the same 64 bits. */
bool hd_compact_encode(const hd_inst *inst, uint32_t *word)
{
	hd_inst back;
	if (inst->primary > HD_WORD_COUNTERS || inst->wait >> HD_WORD_COUNTERS)
		return false;
	for (unsigned number = 0; number < ROWS; number++) {
		if (rows[number].op != inst->op)
			continue;
		*word = pack(number, inst);
		if (unpack(*word, &back) && hd_encode(&back) == hd_encode(inst))
			return true;
	}
	return false;
}

bool hd_compact_decode(uint32_t word, hd_inst *inst, const char **why)
{
	hd_inst fields;
	uint32_t again;
	if (!unpack(word, &fields)) {
		*inst = (hd_inst){0};
		*why = "a field of the form of 32 bits has no meaning";
		return false;
	}
	if (!hd_decode(hd_encode(&fields), inst, why))
		return false;
	*why = hd_compact_encode(inst, &again) && again == word ? NULL : "not the form of 32 bits that the assembler writes";
	return *why == NULL;
}

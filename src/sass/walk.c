/* The one walk over an instruction's fields that decoding and printing share (SA-2). Whatever it reads it marks, so that a word with a bit that no
 * operand or modifier of its row explains is not taken for known (SA-3). */
#include "sass/row.h"

#include <inttypes.h>

enum { WHEN_CONTROL = 105 /* first bit of the control fields */ };

typedef struct walk {
	hd_sass_instruction *instruction;
	const hd_sass_row *row;
	hd_text *text;
	hd_sass_values *values; /* NULL: nobody wants them */
	uint64_t used[2];
	bool good, first; /* no operand is printed yet */
	uint8_t operand;  /* number of the row's operand */
} walk;

static uint64_t mask_of(unsigned length) { return length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1; }

/* `length` bits from bit `at`. */
static uint64_t take(walk *w, unsigned at, unsigned length)
{
	const hd_sass_instruction *in = w->instruction;
	uint64_t mask = mask_of(length);
	if (at >= 64) {
		w->used[1] |= mask << (at - 64);
		return in->high >> (at - 64) & mask;
	}
	uint64_t value = in->low >> at;
	w->used[0] |= mask << at;
	if (at + length > 64) {
		value |= in->high << (64 - at);
		w->used[1] |= mask >> (64 - at);
	}
	return value & mask;
}

static int64_t take_signed(walk *w, unsigned at, unsigned length)
{
	uint64_t value = take(w, at, length), sign = UINT64_C(1) << (length - 1);
	return (int64_t)(value ^ sign) - (int64_t)sign;
}

static bool bit(walk *w, unsigned at) { return take(w, at, 1); }

HD_PRINTF(2, 3) static void say(walk *w, const char *format, ...)
{
	if (!w->text)
		return;
	va_list args;
	va_start(args, format);
	hd_text_vprintf(w->text, format, args);
	va_end(args);
}

static void say_signed(walk *w, int64_t value)
{
	say(w, value < 0 ? "-0x%" PRIx64 : "0x%" PRIx64, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void note(walk *w, hd_sass_value value)
{
	if (w->values)
		value.operand = w->operand, w->values->at[w->values->n++] = value;
}

static void modifier(walk *w, unsigned id)
{
	const hd_sass_modifier_row *row = &hd_sass_modifiers[id];
	uint64_t value = take(w, row->at, row->length);
	if (row->length2)
		value |= take(w, row->at2, row->length2) << row->length;
	size_t length;
	const char *name = hd_sass_modifier_name(id, value, &length);
	if (w->values) {
		w->values->modifier[w->values->n_modifiers].id = (uint8_t)id;
		w->values->modifier[w->values->n_modifiers++].value = (uint8_t)value;
	}
	if (!name)
		w->good = false;
	else if (w->text && length)
		hd_text_put(w->text, name, length);
}

/* Adds an access unless the register is the one that is always zero or true. */
static void access_to(walk *w, unsigned file, unsigned role, bool write, unsigned slot, unsigned first, unsigned count)
{
	static const uint16_t nothing[HD_SASS_FILES] = {HD_SASS_RZ, HD_SASS_URZ, HD_SASS_PT, HD_SASS_PT, 16};
	hd_sass_instruction *in = w->instruction;
	if (first == nothing[file] || count == 0)
		return;
	if (first + count > nothing[file] || in->accesses == HD_SASS_ACCESSES_MAX) {
		w->good = false;
		return;
	}
	if (!w->text)
		in->access[in->accesses++] = (hd_sass_access){.file = (uint8_t)file,
		                                              .role = (uint8_t)role,
		                                              .write = write,
		                                              .slot = (uint8_t)slot,
		                                              .first = (uint8_t)first,
		                                              .count = (uint8_t)count};
}

/* Registers of a texture instruction's first or second source: coordinates with a layer, a level, offsets, a reference or a sample. Scattered sources
 * are halved between the two; of others the first has the place, the second the rest. TXD has the derivatives in the second. */
static unsigned coordinates(walk *w, bool second)
{
	static const uint8_t dimensions[8] = {1, 2, 3, 3, 2, 3, 0, 4}, levels[8] = {0, 0, 1, 1, 1, 2, 0, 0};
	unsigned n = dimensions[take(w, 61, 3)], place = n;
	if (w->row->opcode == 0x16c)
		return second ? 2 * n : n;
	if (w->row->opcode != 0x163)
		n += levels[take(w, 87, 3)];
	n += bit(w, 76) + bit(w, 78);
	unsigned first = bit(w, 60) ? (n + 1) / 2 : place;
	return second ? n - first : first;
}

static unsigned count_of(walk *w, const hd_sass_operand *o)
{
	static const uint8_t by_size[8] = {1, 1, 1, 1, 1, 2, 4, 4};
	static const uint8_t by_type[16] = {1, 1, 2, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	static const uint8_t by_vector[16] = {1, 2, 4, 1, 2, 4, 1, 1, 1, 1, 2, 4, 1, 2, 4, 2};
	static const uint8_t by_surface[8] = {1, 1, 2, 2, 3, 3, 1, 1};
	unsigned components;
	switch (o->count) {
	case 0:
		return 1;
	case HD_SASS_BY_VECTOR:
		return by_vector[take(w, 73, 4)];
	case HD_SASS_BY_SURFACE:
		return by_surface[take(w, 61, 3)];
	case HD_SASS_BY_TMA:
		return (unsigned)take(w, 79, 3) + 3;
	case HD_SASS_BY_GROUP:
		return ((unsigned)take(w, 53, 5) + 1) * (bit(w, 75) ? 4 : 2);
	case HD_SASS_BY_INTEGER_GROUP:
		return ((unsigned)take(w, 53, 5) + 1) * 4;
	case HD_SASS_BY_COORDINATES:
		return coordinates(w, false);
	case HD_SASS_BY_COORDINATES_2:
		return coordinates(w, true);
	case HD_SASS_BY_SIZE:
		return by_size[take(w, 73, 3)];
	case HD_SASS_BY_TYPE:
		/* sm_90 has .S64 where others have .F32. */
		return w->instruction->architecture >= 90 && take(w, 73, 4) == 3 ? 2 : by_type[take(w, 73, 4)];
	case HD_SASS_BY_TEXTURE:
		components = hd_count_bits(take(w, 72, 4));
		return components < 2 ? components : 2;
	case HD_SASS_BY_TEXTURE_2:
		components = hd_count_bits(take(w, 72, 4));
		return components < 2 ? 0 : components - 2;
	default:
		return o->count;
	}
}

static unsigned role_of(const hd_sass_operand *o)
{
	if (o->flags & HD_SASS_ADDRESS_FLAG)
		return HD_SASS_ADDRESS;
	return o->flags & HD_SASS_DESCRIPTOR_FLAG ? HD_SASS_DESCRIPTOR : HD_SASS_DATA;
}

/* Appends what comes before an operand: a comma, a blank. */
static void separate(walk *w, const hd_sass_operand *o)
{
	if (o->flags & HD_SASS_GLUED)
		return;
	say(w, w->first || (o->flags & HD_SASS_NO_COMMA) ? " " : ", ");
	w->first = false;
}

typedef struct decoration {
	bool minus, absolute, invert, brackets;
	unsigned suffix; /* modifier that follows; 0: none */
	unsigned slot;   /* reuse bit + 1 */
} decoration;

static void decorated(walk *w, const decoration *d, const char *prefix, unsigned number, bool zero)
{
	say(w, "%s%s%s%s", d->brackets ? "[" : "", d->minus ? d->invert ? "~" : "-" : "", d->absolute ? "|" : "", prefix);
	if (zero)
		say(w, "Z");
	else
		say(w, "%u", number);
	say(w, "%s%s", d->absolute ? "|" : "", d->slot && (w->instruction->control.reuse >> (d->slot - 1) & 1) ? ".reuse" : "");
	if (d->suffix)
		modifier(w, d->suffix);
	if (d->brackets)
		say(w, "]");
}

static void note_decorated(walk *w, const decoration *d, hd_sass_value value)
{
	value.minus = d->minus, value.absolute = d->absolute, value.invert = d->invert, value.suffix = (uint8_t)d->suffix;
	note(w, value);
}

static void general(walk *w, const hd_sass_operand *o, unsigned at, const decoration *d)
{
	unsigned number = (unsigned)take(w, at, 8), count = count_of(w, o);
	bool write = o->flags & HD_SASS_WRITE, wide = write && w->row->class == HD_SASS_CLASS_FMA_WIDE && count == 2;
	unsigned slot = d->slot ? d->slot - 1 : HD_SASS_NO_SLOT;
	if (!(o->flags & HD_SASS_NOT_PRINTED) && !(number == HD_SASS_RZ && (o->flags & HD_SASS_OPTIONAL))) {
		separate(w, o);
		decorated(w, d, "R", number, number == HD_SASS_RZ);
	} else if (d->suffix) {
		modifier(w, d->suffix);
	}
	note_decorated(w, d, (hd_sass_value){.kind = HD_SASS_OPERAND_REGISTER, .write = write, .reg = (uint8_t)number, .count = (uint8_t)count});
	access_to(w, HD_SASS_REGISTER, role_of(o), write, slot, number, wide ? 1 : count);
	if (wide && number != HD_SASS_RZ)
		access_to(w, HD_SASS_REGISTER, HD_SASS_HIGH, true, slot, number + 1, 1);
}

static void uniform(walk *w, const hd_sass_operand *o, unsigned at, const decoration *d)
{
	unsigned number = (unsigned)take(w, at, 6);
	if (!(o->flags & HD_SASS_NOT_PRINTED) && !(number == HD_SASS_URZ && (o->flags & HD_SASS_OPTIONAL))) {
		separate(w, o);
		decorated(w, d, "UR", number, number == HD_SASS_URZ);
	}
	note_decorated(
	    w, d,
	    (hd_sass_value){
	        .kind = HD_SASS_OPERAND_UNIFORM, .write = o->flags & HD_SASS_WRITE, .reg = (uint8_t)number, .count = (uint8_t)count_of(w, o)});
	access_to(w, HD_SASS_UNIFORM, role_of(o), o->flags & HD_SASS_WRITE, HD_SASS_NO_SLOT, number, count_of(w, o));
}

static void predicate(walk *w, const hd_sass_operand *o)
{
	unsigned number = (unsigned)take(w, o->at, 3);
	bool not = o->negate && bit(w, o->negate), is_uniform = o->flags & HD_SASS_U;
	if (o->flags & HD_SASS_COMPLEMENT)
		number ^= 7;
	if (!(o->flags & HD_SASS_OPTIONAL) || number != HD_SASS_PT || not ) {
		separate(w, o);
		say(w, "%s%sP", not ? "!" : "", is_uniform ? "U" : "");
		if (number == HD_SASS_PT)
			say(w, "T");
		else
			say(w, "%u", number);
	}
	bool write = o->flags & HD_SASS_WRITE;
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_PREDICATE, .write = write, .invert = not, .uniform = is_uniform, .reg = (uint8_t)number});
	access_to(w, is_uniform ? HD_SASS_UNIFORM_PREDICATE : HD_SASS_PREDICATE,
	          o->flags & HD_SASS_CARRY_FLAG ? HD_SASS_CARRY : HD_SASS_PREDICATE_OPERAND, write, HD_SASS_NO_SLOT, number, 1);
}

/* A float as the vendor prints it. */
static void say_bits(walk *w, uint64_t bits, unsigned exponent, unsigned fraction)
{
	if (w->text)
		hd_sass_put_float(w->text, bits, exponent, fraction);
}

static void immediate(walk *w, const hd_sass_operand *o)
{
	uint64_t value = take(w, 32, 32);
	int64_t number = o->flags & HD_SASS_DOUBLE ? (int64_t)(value << 32) : o->flags & HD_SASS_SIGNED ? (int32_t)(uint32_t)value : (int64_t)value;
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_NUMBER, .number = number, .count = o->count ? o->count : 1});
	separate(w, o);
	if (o->flags & HD_SASS_FLOAT)
		say_bits(w, value, 8, 23);
	else if (o->flags & HD_SASS_DOUBLE)
		say_bits(w, value << 32, 11, 52);
	else if (o->flags & HD_SASS_PAIR) {
		bool brain = w->instruction->high >> ((o->at ? o->at : 85) - 64) & 1;
		say_bits(w, value >> 16, brain ? 8 : 5, brain ? 7 : 10);
		say(w, ", ");
		say_bits(w, value & 0xffff, brain ? 8 : 5, brain ? 7 : 10);
	} else if (o->flags & HD_SASS_SIGNED)
		say_signed(w, (int32_t)(uint32_t)value);
	else
		say(w, "0x%" PRIx64, value);
}

/* c[bank][offset]; with bit 91, cx[UR][offset]. `reg` is a register that is added; HD_SASS_RZ for none, -1 for a uniform one. */
static void constant(walk *w, const hd_sass_operand *o, const decoration *d, bool bindless)
{
	unsigned offset = (unsigned)take(w, 38, 16);
	hd_sass_value value = {.kind = HD_SASS_OPERAND_BANK, .has_uniform = bindless, .reg = HD_SASS_RZ, .number = offset};
	value.count = o->count ? o->count : 1;
	value.bank = bindless ? 0 : (uint8_t)take(w, 54, 5);
	note_decorated(w, d, value);
	separate(w, o);
	say(w, "%s%s", d->minus ? d->invert ? "~" : "-" : "", d->absolute ? "|" : "");
	if (bindless) {
		unsigned number = (unsigned)take(w, 32, 6);
		say(w, number == HD_SASS_URZ ? "cx[URZ]" : "cx[UR%u]", number);
		access_to(w, HD_SASS_UNIFORM, HD_SASS_DESCRIPTOR, false, HD_SASS_NO_SLOT, number, number == HD_SASS_URZ - 1 ? 1 : 2);
	} else {
		say(w, "c[0x%x]", (unsigned)take(w, 54, 5));
	}
	say(w, "%s[0x%x]%s", o->flags & HD_SASS_SPACE ? " " : "", offset, d->absolute ? "|" : "");
	if (d->suffix)
		modifier(w, d->suffix);
}

/* The slot in [32,64), by the form. */
static void low_slot(walk *w, const hd_sass_operand *o, decoration *d)
{
	static const uint8_t halves = HD_SASS_MOD_HALF_LOW;
	unsigned form = (unsigned)take(w, 9, 3);
	bool number = form == HD_SASS_FORM_B_IMMEDIATE || form == HD_SASS_FORM_C_IMMEDIATE;
	d->slot = o->kind == HD_SASS_OPERAND_B ? 2 : 3;
	if (!number) {
		unsigned negate = o->negate ? o->negate : o->flags & HD_SASS_NEGATABLE ? 63 : 0;
		d->minus = negate && bit(w, negate);
		d->absolute = (o->flags & HD_SASS_ABSOLUTE_VALUE) && bit(w, 62);
		d->suffix = o->flags & HD_SASS_HALVES ? halves : o->names;
	}
	if (number) {
		immediate(w, o);
		if (o->names)
			modifier(w, o->names);
	} else if (form == HD_SASS_FORM_B_CONSTANT || form == HD_SASS_FORM_C_CONSTANT) {
		constant(w, o, d, bit(w, 91));
	} else if (w->row->uniform || form == HD_SASS_FORM_B_UNIFORM || form == HD_SASS_FORM_C_UNIFORM) {
		uniform(w, o, 32, d);
	} else {
		general(w, o, 32, d);
	}
}

static void high_slot(walk *w, const hd_sass_operand *o, decoration *d)
{
	/* Of pairs of halves, bits 74 and 75 select those of A. */
	bool halves = o->flags & (HD_SASS_HALVES | HD_SASS_PAIR);
	unsigned negate = o->negate ? o->negate : !(o->flags & HD_SASS_NEGATABLE) ? 0 : halves ? 84 : 75;
	d->slot = o->kind == HD_SASS_OPERAND_B ? 2 : 3;
	d->minus = negate && bit(w, negate);
	d->absolute = (o->flags & HD_SASS_ABSOLUTE_VALUE) && bit(w, 74);
	d->suffix = o->flags & HD_SASS_HALVES ? HD_SASS_MOD_HALF_HIGH : o->names;
	if (w->row->uniform)
		uniform(w, o, 64, d);
	else
		general(w, o, 64, d);
}

static void slot(walk *w, const hd_sass_operand *o)
{
	decoration d = {.invert = o->flags & HD_SASS_INVERT};
	unsigned form = (unsigned)take(w, 9, 3);
	bool swapped = form == HD_SASS_FORM_C_IMMEDIATE || form == HD_SASS_FORM_C_CONSTANT || form == HD_SASS_FORM_C_UNIFORM;
	if (o->kind == HD_SASS_OPERAND_LOW || (o->kind == HD_SASS_OPERAND_B) != swapped)
		low_slot(w, o, &d);
	else
		high_slot(w, o, &d);
}

static void register_operand(walk *w, const hd_sass_operand *o)
{
	decoration d = {.suffix = o->names, .slot = o->slot, .invert = o->flags & HD_SASS_INVERT, .brackets = o->flags & HD_SASS_BRACKETS};
	unsigned negate = o->negate ? o->negate : o->at == 24 && (o->flags & HD_SASS_NEGATABLE) ? 72 : 0;
	d.minus = negate && bit(w, negate);
	d.absolute = (o->flags & HD_SASS_ABSOLUTE_VALUE) && bit(w, 73);
	if (o->flags & HD_SASS_HALVES)
		d.suffix = HD_SASS_MOD_HALF_A;
	if (o->kind == HD_SASS_OPERAND_UNIFORM || (w->row->uniform && o->at != 32))
		uniform(w, o, o->at, &d);
	else
		general(w, o, o->at, &d);
}

static hd_sass_value read_address(walk *w, const hd_sass_operand *o)
{
	hd_sass_value a = {.kind = HD_SASS_OPERAND_MEMORY, .uniform_reg = HD_SASS_URZ};
	a.reg = (uint8_t)take(w, o->reg_at ? o->reg_at : 24, 8);
	a.number = o->at2 ? take_signed(w, o->at2, o->offset_bits ? o->offset_bits : 32) : take_signed(w, 40, 24);
	if (o->flags & HD_SASS_SCALED)
		a.scale = (uint8_t)take(w, 78, 2);
	a.scale += a.scale > 0; /* .X4 .X8 .X16 */
	if (o->flags & (HD_SASS_UNIFORM_BIT | HD_SASS_WIDE_ADDRESS) && o->at)
		a.has_uniform = bit(w, 91);
	if (a.has_uniform)
		a.uniform_reg = (uint8_t)take(w, o->at, 6);
	if (o->flags & HD_SASS_WIDE_ADDRESS) {
		a.wide = bit(w, 72);
		if (a.has_uniform) {
			a.wide = bit(w, o->length);
			a.descriptor = o->length2 && bit(w, o->length2);
		}
	}
	note(w, a);
	return a;
}

static void memory(walk *w, const hd_sass_operand *o)
{
	static const char *const scales[] = {"", "", ".X4", ".X8", ".X16"};
	hd_sass_value a = read_address(w, o);
	bool plus = a.reg != HD_SASS_RZ || a.descriptor, wide_text = a.has_uniform && (o->flags & HD_SASS_WIDE_ADDRESS);
	separate(w, o);
	if (a.descriptor && bit(w, 101))
		say(w, a.uniform_reg == HD_SASS_URZ ? "desc[URZ]" : "desc[UR%u]", a.uniform_reg);
	say(w, "[");
	if (plus) {
		say(w, a.reg == HD_SASS_RZ ? "RZ" : "R%u", a.reg);
		say(w, "%s%s%s", w->instruction->control.reuse & 1 ? ".reuse" : "", scales[a.scale], wide_text ? a.wide ? ".64" : ".U32" : "");
	}
	if (a.has_uniform && !a.descriptor) {
		say(w, a.uniform_reg == HD_SASS_URZ ? "%sURZ" : "%sUR%u", plus ? "+" : "", a.uniform_reg);
		plus = true;
	}
	if (!plus && a.number == 0) {
		say(w, "RZ");
	} else if (!plus) {
		say(w, "0x%" PRIx64, (uint64_t)a.number & 0xffffff);
	} else if (a.number) {
		say(w, "+");
		say_signed(w, a.number);
	}
	say(w, "]");
	access_to(w, HD_SASS_REGISTER, HD_SASS_ADDRESS, false, 0, a.reg, a.wide ? 2 : 1);
	if (a.has_uniform)
		access_to(w, HD_SASS_UNIFORM, a.descriptor ? HD_SASS_DESCRIPTOR : HD_SASS_ADDRESS, false, HD_SASS_NO_SLOT, a.uniform_reg,
		          wide_text ? 2 : 1);
}

/* c[bank][R+offset] of LDC and ULDC: `at` 24 with a register, 0 without. */
static void bank(walk *w, const hd_sass_operand *o)
{
	int64_t offset = take_signed(w, 38, 16);
	unsigned number = HD_SASS_RZ;
	bool by_uniform = o->kind == HD_SASS_OPERAND_BANK && w->row->uniform;
	separate(w, o);
	if (bit(w, 91) && !by_uniform) {
		unsigned name = (unsigned)take(w, 32, 6);
		say(w, name == HD_SASS_URZ ? "cx[URZ][" : "cx[UR%u][", name);
		access_to(w, HD_SASS_UNIFORM, HD_SASS_DESCRIPTOR, false, HD_SASS_NO_SLOT, name, name == HD_SASS_URZ - 1 ? 1 : 2);
	} else {
		say(w, "c[0x%x][", (unsigned)take(w, 54, 5));
	}
	if (o->at && by_uniform)
		number = (unsigned)take(w, 24, 6) == HD_SASS_URZ ? HD_SASS_RZ : (unsigned)take(w, 24, 6);
	else if (o->at)
		number = (unsigned)take(w, 24, 8);
	hd_sass_value value = {.kind = HD_SASS_OPERAND_BANK, .uniform = by_uniform, .has_uniform = bit(w, 91) && !by_uniform, .reg = (uint8_t)number};
	value.bank = value.has_uniform ? 0 : (uint8_t)take(w, 54, 5);
	value.number = o->at ? offset : offset & 0xffff;
	note(w, value);
	if (number != HD_SASS_RZ)
		say(w, by_uniform ? "UR%u" : "R%u", number);
	if (number != HD_SASS_RZ && offset)
		say(w, "+");
	if (!o->at)
		say(w, "0x%x", (unsigned)offset & 0xffff);
	else if (offset)
		say_signed(w, offset);
	else if (number == HD_SASS_RZ)
		say(w, by_uniform ? "URZ" : "RZ");
	say(w, "]");
	if (o->at)
		access_to(w, by_uniform ? HD_SASS_UNIFORM : HD_SASS_REGISTER, HD_SASS_ADDRESS, false, by_uniform ? HD_SASS_NO_SLOT : 0, number,
		          number != HD_SASS_RZ);
}

/* Branch distances count from the next instruction; sm_90 has eight more low bits in [16,24). */
static void target(walk *w, const hd_sass_operand *o)
{
	hd_sass_instruction *in = w->instruction;
	int64_t distance;
	if (o->length) {
		distance = take_signed(w, o->at, o->length);
	} else {
		int64_t words = take_signed(w, 34, 48);
		distance = in->architecture >= 90 ? (words * 1024) | (int64_t)(take(w, 16, 8) << 2) : words * 4;
	}
	int64_t place = o->kind == HD_SASS_OPERAND_ABSOLUTE ? distance : (int64_t)(in->address + HD_SASS_BYTES + (uint64_t)distance);
	in->has_target = o->kind == HD_SASS_OPERAND_TARGET;
	in->target = (uint64_t)place;
	note(w, (hd_sass_value){.kind = o->kind, .number = place});
	if (o->kind == HD_SASS_OPERAND_ABSOLUTE && place == 0 && (o->flags & HD_SASS_OPTIONAL))
		return;
	separate(w, o);
	say_signed(w, place);
}

static void number(walk *w, const hd_sass_operand *o)
{
	uint64_t value = take(w, o->at, o->length);
	if (o->length2)
		value |= take(w, o->at2, o->length2) << o->length;
	if (o->flags & HD_SASS_NOT_PRINTED)
		return;
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_NUMBER, .number = (int64_t)value, .count = 1});
	if (value == 0 && (o->flags & HD_SASS_OPTIONAL))
		return;
	separate(w, o);
	if (o->flags & HD_SASS_SIGNED && o->length < 64) {
		uint64_t sign = UINT64_C(1) << (o->length - 1);
		say_signed(w, (int64_t)(value ^ sign) - (int64_t)sign);
	} else {
		say(w, "0x%" PRIx64, value);
	}
}

static void special_register(walk *w, const hd_sass_operand *o)
{
	unsigned value = (unsigned)take(w, o->at, 8);
	const char *name = hd_sass_special_register(w->instruction->architecture, value);
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_SPECIAL, .number = value});
	separate(w, o);
	if (name)
		say(w, "%s", name);
	else
		say(w, "SR%u", value);
}

static void convergence(walk *w, const hd_sass_operand *o)
{
	unsigned value = (unsigned)take(w, o->at, 4);
	separate(w, o);
	say(w, "B%u", value);
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_CONVERGENCE, .write = o->flags & HD_SASS_WRITE, .reg = (uint8_t)value});
	access_to(w, HD_SASS_CONVERGENCE, HD_SASS_DATA, o->flags & HD_SASS_WRITE, HD_SASS_NO_SLOT, value, 1);
}

/* P2R and R2P touch the predicates that an immediate mask names, or all. */
static void predicates(walk *w, const hd_sass_operand *o)
{
	unsigned form = (unsigned)take(w, 9, 3), mask = form == HD_SASS_FORM_B_IMMEDIATE ? (unsigned)take(w, 32, 32) & 0x7f : 0x7f;
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_PREDICATES, .write = o->flags & HD_SASS_WRITE, .number = mask});
	separate(w, o);
	say(w, "PR");
	for (unsigned i = 0; i < 7; i++)
		if (mask >> i & 1)
			access_to(w, HD_SASS_PREDICATE, HD_SASS_PREDICATE_OPERAND, o->flags & HD_SASS_WRITE, HD_SASS_NO_SLOT, i, 1);
}

/* DEPBAR's scoreboard with the count it may have, and a set of others, "SB0, 0x2, {2,1}". */
static void barriers(walk *w, const hd_sass_operand *o)
{
	hd_sass_depbar *depbar = &w->instruction->depbar;
	*depbar = (hd_sass_depbar){.present = true, .barrier = HD_SASS_NO_BARRIER, .mask = (uint8_t)take(w, o->at, 6)};
	if (bit(w, 47)) {
		depbar->barrier = (uint8_t)take(w, 44, 3);
		depbar->count = (uint8_t)take(w, 38, 6);
		separate(w, o);
		say(w, "SB%u, 0x%x", depbar->barrier, depbar->count);
		w->good &= depbar->barrier < HD_SASS_BARRIERS;
	}
	if (!depbar->mask)
		return;
	separate(w, o);
	say(w, "{");
	for (unsigned i = 6, any = 0; i-- > 0;) {
		if (depbar->mask >> i & 1)
			say(w, any++ ? ",%u" : "%u", i);
	}
	say(w, "}");
}

/* BAR's barrier and, if they are given, its threads: each a number or a register, by the form. */
static void barrier_number(walk *w, const hd_sass_operand *o)
{
	unsigned form = (unsigned)take(w, 9, 3);
	bool named = form == HD_SASS_FORM_B_CONSTANT || form == HD_SASS_FORM_B_IMMEDIATE;
	bool by_register = form == HD_SASS_FORM_REGISTER || form == HD_SASS_FORM_B_IMMEDIATE;
	decoration d = {0};
	hd_sass_operand reg = {0};
	if (named) {
		separate(w, o);
		note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_BARRIER_NUMBER, .number = (int64_t)take(w, 54, 4)});
		say(w, "0x%x", (unsigned)take(w, 54, 4));
	} else {
		general(w, &reg, 32, &d);
	}
	if (by_register) {
		general(w, &reg, 32, &d);
		return;
	}
	unsigned threads = (unsigned)take(w, 42, 12);
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_NUMBER, .number = threads, .count = 1});
	if (threads) {
		separate(w, o);
		say(w, "0x%x", threads);
	}
}

static void text_operand(walk *w, const hd_sass_operand *o)
{
	separate(w, o);
	say(w, "%s", o->text);
	note(w, (hd_sass_value){.kind = HD_SASS_OPERAND_TEXT});
}

static void named(walk *w, const hd_sass_operand *o)
{
	if (o->kind == HD_SASS_OPERAND_NAMED)
		separate(w, o);
	modifier(w, o->names);
}

static void (*const operands[])(walk *w, const hd_sass_operand *o) = {
    [HD_SASS_OPERAND_REGISTER] = register_operand,
    [HD_SASS_OPERAND_UNIFORM] = register_operand,
    [HD_SASS_OPERAND_PREDICATE] = predicate,
    [HD_SASS_OPERAND_CONVERGENCE] = convergence,
    [HD_SASS_OPERAND_LOW] = slot,
    [HD_SASS_OPERAND_B] = slot,
    [HD_SASS_OPERAND_C] = slot,
    [HD_SASS_OPERAND_NUMBER] = number,
    [HD_SASS_OPERAND_SPECIAL] = special_register,
    [HD_SASS_OPERAND_TARGET] = target,
    [HD_SASS_OPERAND_ABSOLUTE] = target,
    [HD_SASS_OPERAND_MEMORY] = memory,
    [HD_SASS_OPERAND_BANK] = bank,
    [HD_SASS_OPERAND_TEXT] = text_operand,
    [HD_SASS_OPERAND_NAMED] = named,
    [HD_SASS_OPERAND_PREDICATES] = predicates,
    [HD_SASS_OPERAND_BARRIERS] = barriers,
    [HD_SASS_OPERAND_BARRIER_NUMBER] = barrier_number,
    [HD_SASS_OPERAND_SUFFIX] = named,
};

static void guard(walk *w)
{
	hd_sass_instruction *in = w->instruction;
	in->guard = (uint8_t)take(w, 12, 3);
	in->guard_not = bit(w, 15);
	in->guard_uniform = w->row->uniform || w->row->uniform_guard;
	access_to(w, in->guard_uniform ? HD_SASS_UNIFORM_PREDICATE : HD_SASS_PREDICATE, HD_SASS_GUARD, false, HD_SASS_NO_SLOT, in->guard, 1);
	if (in->guard == HD_SASS_PT && !in->guard_not)
		return;
	say(w, "@%s%sP", in->guard_not ? "!" : "", in->guard_uniform ? "U" : "");
	if (in->guard == HD_SASS_PT)
		say(w, "T ");
	else
		say(w, "%u ", in->guard);
}

/* IMAD's other names: what the vendor prints when an operand makes it a move, an addition or a shift. */
static void multiply_name(walk *w)
{
	unsigned form = (unsigned)take(w, 9, 3), a = (unsigned)take(w, 24, 8), b = (unsigned)take(w, 32, 8), high = (unsigned)take(w, 64, 8);
	uint64_t number = take(w, 32, 32);
	if (w->row->opcode != 0x24 || form >= HD_SASS_FORM_B_UNIFORM || w->row->uniform)
		return;
	bool zero_b = form == HD_SASS_FORM_REGISTER ? b == HD_SASS_RZ
	                                            : (form == HD_SASS_FORM_C_IMMEDIATE || form == HD_SASS_FORM_C_CONSTANT) && high == HD_SASS_RZ;
	bool immediate_b = form == HD_SASS_FORM_B_IMMEDIATE, zero_c = (form == HD_SASS_FORM_REGISTER || immediate_b) && high == HD_SASS_RZ;
	if (w->instruction->high >> 10 & 1) /* .X */
		return;
	if (a == HD_SASS_RZ && (zero_b || (immediate_b && number == 1)))
		say(w, ".MOV");
	else if (immediate_b && number == 1)
		say(w, ".IADD");
	else if (immediate_b && zero_c && number && !(number & (number - 1)) && number != 0x10000 && number != 0x80000000)
		say(w, ".SHL");
}

/* Bit 91 says that a uniform register is among the operands; where no operand has read it, the form decides. */
static void check_bits(walk *w)
{
	const hd_sass_instruction *in = w->instruction;
	unsigned form = (unsigned)take(w, 9, 3);
	bool wanted =
	    w->row->any_91 ? false : w->row->any_uniform || w->row->uniform || form == HD_SASS_FORM_B_UNIFORM || form == HD_SASS_FORM_C_UNIFORM;
	take(w, 0, 16);
	if (!((w->used[1] | w->row->mask) >> (91 - 64) & 1) && bit(w, 91) != wanted)
		w->good = false;
	uint64_t control = UINT64_MAX << (WHEN_CONTROL - 64);
	if ((in->low & ~w->used[0]) || (in->high & ~(w->used[1] | control | w->row->mask)))
		w->good = false;
}

bool hd_sass_walk(hd_sass_instruction *instruction, hd_text *text, hd_sass_values *values)
{
	walk w = {.instruction = instruction, .row = instruction->row, .text = text, .values = values, .good = true, .first = true};
	guard(&w);
	say(&w, "%s", w.row->mnemonic);
	multiply_name(&w);
	/* The fields that select another name of IMAD do not count as used. */
	w.used[0] = mask_of(16);
	w.used[1] = 0;
	for (unsigned i = 0; i < HD_SASS_ROW_MODIFIERS && w.row->modifiers[i]; i++)
		modifier(&w, w.row->modifiers[i]);
	for (unsigned i = 0; i < HD_SASS_ROW_OPERANDS && w.row->operands[i].kind; i++) {
		const hd_sass_operand *o = &w.row->operands[i];
		bool there = (!o->when || bit(&w, o->when)) && (!o->unless || !bit(&w, o->unless));
		if (there)
			w.operand = (uint8_t)i, operands[o->kind](&w, o);
	}
	check_bits(&w);
	return w.good;
}

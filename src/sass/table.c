/* sass.def as data. */
#include "sass/row.h"

/* Shorthand that makes a row of sass.def readable. Each operand takes further members: A(NEG). */
#define R_(at_, ...)                                                       \
	{                                                                  \
		.kind = HD_SASS_OPERAND_REGISTER, .at = (at_), __VA_ARGS__ \
	}
#define U_(at_, ...)                                                      \
	{                                                                 \
		.kind = HD_SASS_OPERAND_UNIFORM, .at = (at_), __VA_ARGS__ \
	}
#define P_(at_, ...)                                                        \
	{                                                                   \
		.kind = HD_SASS_OPERAND_PREDICATE, .at = (at_), __VA_ARGS__ \
	}
#define NUMBER(at_, length_, ...)                                                             \
	{                                                                                     \
		.kind = HD_SASS_OPERAND_NUMBER, .at = (at_), .length = (length_), __VA_ARGS__ \
	}
#define OPERAND(kind_, ...)                                  \
	{                                                    \
		.kind = HD_SASS_OPERAND_##kind_, __VA_ARGS__ \
	}
#define W HD_SASS_WRITE
#define OPT HD_SASS_OPTIONAL
#define NEG HD_SASS_NEGATABLE
#define ABS HD_SASS_ABSOLUTE_VALUE
#define INV HD_SASS_INVERT
#define HALVES_ HD_SASS_HALVES
#define SIGNED_ HD_SASS_SIGNED
#define FLOAT_ HD_SASS_FLOAT
#define DOUBLE_ HD_SASS_DOUBLE
#define PAIR_ HD_SASS_PAIR
#define UP_ HD_SASS_U
#define CARRY_ HD_SASS_CARRY_FLAG
#define FLAGS(...) .flags = (__VA_ARGS__)
#define SUFFIX(id) .names = HD_SASS_MOD_##id

#define D R_(16, FLAGS(W))
#define D2 R_(16, FLAGS(W), .count = 2)
#define DN(n) R_(16, FLAGS(W), .count = (n))
#define A(...) R_(24, .slot = 1, FLAGS(__VA_ARGS__))
#define A2(...) R_(24, .slot = 1, .count = 2, FLAGS(__VA_ARGS__))
#define B(...) OPERAND(B, FLAGS(__VA_ARGS__))
#define B2(...) OPERAND(B, .count = 2, FLAGS(__VA_ARGS__))
#define C(...) OPERAND(C, FLAGS(__VA_ARGS__))
#define C2(...) OPERAND(C, .count = 2, FLAGS(__VA_ARGS__))
#define L(...) OPERAND(LOW, FLAGS(__VA_ARGS__))
#define L2(...) OPERAND(LOW, .count = 2, FLAGS(__VA_ARGS__))
#define UD U_(16, FLAGS(W))
#define UD2 U_(16, FLAGS(W), .count = 2)
#define PD P_(81, FLAGS(W))
#define PD_OPT P_(81, FLAGS(W | OPT))
#define PD2 P_(84, FLAGS(W))
#define PD_CARRY P_(81, FLAGS(W | OPT | CARRY_))
#define PD2_CARRY P_(84, FLAGS(W | OPT | CARRY_))
#define PS P_(87, .negate = 90)
#define UPD P_(81, FLAGS(W | UP_))
#define UPD_OPT P_(81, FLAGS(W | OPT | UP_))
#define UPD2 P_(84, FLAGS(W | UP_))
#define UPD_CARRY P_(81, FLAGS(W | OPT | CARRY_ | UP_))
#define UPD2_CARRY P_(84, FLAGS(W | OPT | CARRY_ | UP_))
#define UPS P_(87, .negate = 90, FLAGS(UP_))
/* The predicate of a branch: left out when it is always true. */
#define PBRANCH P_(87, .negate = 90, FLAGS(OPT))
#define MEM(at_, ...) OPERAND(MEMORY, .at = (at_), FLAGS(__VA_ARGS__))
/* Addresses of 64 bits. Bit 91: a uniform register at `at_` is added, or, with the descriptor bit, describes the window. */
#define WIDE_AT(at_, wide, descriptor) OPERAND(MEMORY, .at = (at_), .length = (wide), .length2 = (descriptor), FLAGS(HD_SASS_WIDE_ADDRESS))
#define GLOBAL_AT(at_) WIDE_AT(at_, 90, 76)
#define GLOBAL_75(at_) WIDE_AT(at_, 90, 0)
#define REDUCE_AT(at_) WIDE_AT(at_, 90, 71)
#define ATOMIC_AT(at_) WIDE_AT(at_, 70, 71)
#define ATOMIC_75(at_) WIDE_AT(at_, 70, 0)
#define SHARED_AT(at_) MEM(at_, HD_SASS_SCALED | HD_SASS_UNIFORM_BIT)
#define QUIET .flags = HD_SASS_NOT_PRINTED
/* The predicate that RELU has, and zeros where it has none. */
#define RELU_PREDICATE P_(87, .negate = 90, .when = 79, FLAGS(OPT)), NUMBER(87, 4, .unless = 79, QUIET)

/* An MMA's accumulator is used unless this uniform predicate is false; sm_90 has it. */
#define MMA_PREDICATE P_(87, .negate = 90, FLAGS(OPT | UP_ | HD_SASS_COMPLEMENT))
/* shape: 0 m16n8k8, 1 m16n8k16, 2 m16n8k4; single: the result is f32; tf: the sources are TF32. Then the registers of result, A and B. */
#define HMMA_WHERE(shape, single, tf)                                                    \
	WHERE(BIT(73) | BIT(75) | BIT(76) | BIT(78) | BIT(83), ((shape) == 1   ? BIT(75) \
	                                                        : (shape) == 2 ? BIT(78) \
	                                                                       : 0) |    \
	                                                           ((single) ? BIT(76) : 0) | ((tf) ? BIT(83) : 0))
#define HMMA_MODIFIERS (M_HMMA_SHAPE, M_HMMA_OUT, M_HMMA_IN)
#define HMMA_OPERANDS(d, a, b) \
	DN(d), R_(24, .slot = 1, .count = (a), FLAGS(NEG)), OPERAND(B, .count = (b), FLAGS(NEG)), OPERAND(C, .count = (d)), MMA_PREDICATE
#define BARRIER_OPERANDS OPERAND(BARRIER_NUMBER)
#define TEXTURE_OPERANDS                                                                                        \
	PD_OPT, R_(64, FLAGS(W), .count = HD_SASS_BY_TEXTURE_2), R_(16, FLAGS(W), .count = HD_SASS_BY_TEXTURE), \
	    R_(24, .count = HD_SASS_BY_COORDINATES), R_(32, .count = HD_SASS_BY_COORDINATES_2, FLAGS(OPT)), NUMBER(54, 5), NUMBER(40, 14)
#define SURFACE_OPERANDS R_(24, .count = HD_SASS_BY_SURFACE, FLAGS(HD_SASS_BRACKETS | HD_SASS_ADDRESS_FLAG))
#define GROUP_SCOREBOARD OPERAND(SUFFIX, SUFFIX(GROUP_SCOREBOARD))

/* A matrix of half the elements, with the register that says which. long: m16n8k32, otherwise m16n8k16. */
#define SPARSE_WHERE(long, single) \
	WHERE(BIT(73) | BIT(75) | BIT(76) | BIT(78) | BIT(83), BIT(73) | BIT(75) | ((long) ? BIT(78) : 0) | ((single) ? BIT(76) : 0))
#define SPARSE_MODIFIERS (M_SPARSE_SHAPE, M_HMMA_OUT, M_HMMA_IN)
#define SPARSE_OPERANDS(d, ab)                                                                                                                       \
	DN(d), R_(24, .slot = 1, .count = (ab), FLAGS(NEG)), OPERAND(B, .count = (ab), FLAGS(NEG)), OPERAND(C, .count = (d)), R_(40), NUMBER(48, 2), \
	    MMA_PREDICATE
/* sm_90: a uniform register has the texture's handle. */
#define TEXTURE_HANDLE U_(40, FLAGS(HD_SASS_DESCRIPTOR_FLAG)), OPERAND(TEXT, .text = "0x0")
#define TEXTURE_OPERANDS_90                                                                                     \
	PD_OPT, R_(64, FLAGS(W), .count = HD_SASS_BY_TEXTURE_2), R_(16, FLAGS(W), .count = HD_SASS_BY_TEXTURE), \
	    R_(24, .count = HD_SASS_BY_COORDINATES), R_(32, .count = HD_SASS_BY_COORDINATES_2, FLAGS(OPT)), TEXTURE_HANDLE

/* Forms: bit i for form i. */
#define F_R (1 << HD_SASS_FORM_REGISTER)
#define F_CI (1 << HD_SASS_FORM_C_IMMEDIATE)
#define F_CC (1 << HD_SASS_FORM_C_CONSTANT)
#define F_I (1 << HD_SASS_FORM_B_IMMEDIATE)
#define F_K (1 << HD_SASS_FORM_B_CONSTANT)
#define F_U (1 << HD_SASS_FORM_B_UNIFORM)
#define F_CU (1 << HD_SASS_FORM_C_UNIFORM)
#define F_2 (F_R | F_I | F_K | F_U)
#define F_2C (F_R | F_CI | F_CC | F_CU)
#define F_3 (F_2 | F_2C)
/* Bits of the upper half of the word that choose the row. */
#define BIT(at) (UINT64_C(1) << ((at)-64))
#define WHERE(mask_, value_) .mask = (mask_), .value = (value_)
#define FROM(sm) .from = (sm)
#define TO(sm) .to = (sm)
#define LIST(...) __VA_ARGS__

enum {
#define MODIFIER(id, ...) M_##id = HD_SASS_MOD_##id,
#include "sass/modifiers.def"
#undef MODIFIER
};

const hd_sass_row hd_sass_rows[] = {
#define ROW(opcode_, mnemonic_, class_, forms_, extra_, modifiers_, ...) \
	{.mnemonic = (mnemonic_),                                        \
	 .opcode = (opcode_),                                            \
	 .forms = (forms_),                                              \
	 .class = HD_SASS_CLASS_##class_,                                \
	 .modifiers = {LIST modifiers_},                                 \
	 .operands = {__VA_ARGS__},                                      \
	 LIST extra_},
#include "sass/sass.def"
#undef ROW
};
const size_t hd_sass_row_count = HD_COUNT(hd_sass_rows);

const hd_sass_modifier_row hd_sass_modifiers[HD_SASS_MOD_COUNT] = {
#define MODIFIER(id, at_, length_, at2_, length2_, names_) [HD_SASS_MOD_##id] = {(at_), (length_), (at2_), (length2_), (names_)},
#include "sass/modifiers.def"
#undef MODIFIER
};

static bool fits(const hd_sass_row *row, unsigned architecture, uint64_t low, uint64_t high)
{
	return (row->forms >> (low >> 9 & 7) & 1) && (high & row->mask) == row->value && (!row->from || architecture >= row->from) &&
	       (!row->to || architecture <= row->to);
}

const hd_sass_row *hd_sass_row_find(unsigned architecture, uint64_t low, uint64_t high)
{
	unsigned opcode = low & 0x1ff;
	size_t first = 0, behind = HD_COUNT(hd_sass_rows);
	while (first < behind) {
		size_t middle = first + (behind - first) / 2;
		if (hd_sass_rows[middle].opcode < opcode)
			first = middle + 1;
		else
			behind = middle;
	}
	for (size_t i = first; i < HD_COUNT(hd_sass_rows) && hd_sass_rows[i].opcode == opcode; i++)
		if (fits(&hd_sass_rows[i], architecture, low, high))
			return &hd_sass_rows[i];
	return NULL;
}

static const struct {
	uint8_t number, from, to;
	const char *name;
} special_registers[] = {
#define SPECIAL(number, from, to, name) {number, from, to, name},
#include "sass/special.def"
#undef SPECIAL
};

const char *hd_sass_special_register(unsigned architecture, unsigned number)
{
	for (size_t i = 0; i < HD_COUNT(special_registers); i++)
		if (special_registers[i].number == number && (!special_registers[i].from || architecture >= special_registers[i].from) &&
		    (!special_registers[i].to || architecture <= special_registers[i].to))
			return special_registers[i].name;
	return NULL;
}

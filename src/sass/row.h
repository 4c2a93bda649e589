/* The shape of sass.def's rows: what the decoder's and the printer's one walk over an instruction is driven by (SA-2). */
#ifndef HD_SASS_ROW_H
#define HD_SASS_ROW_H

#include "sass/instruction.h"

/* A field whose value adds to the mnemonic. */
typedef enum hd_sass_modifier {
	HD_SASS_MOD_END,
#define MODIFIER(id, ...) HD_SASS_MOD_##id,
#include "sass/modifiers.def"
#undef MODIFIER
	HD_SASS_MOD_COUNT
} hd_sass_modifier;

typedef struct hd_sass_modifier_row {
	uint8_t at, length;   /* low bits of the value */
	uint8_t at2, length2; /* high bits, where the field is in two parts */
	const char *names;    /* a text a value, with bars between them; "?" for a value that no instruction has */
} hd_sass_modifier_row;

typedef enum hd_sass_kind {
	HD_SASS_OPERAND_END,
	HD_SASS_OPERAND_REGISTER,       /* 8 bits at `at` */
	HD_SASS_OPERAND_UNIFORM,        /* 6 bits at `at` */
	HD_SASS_OPERAND_PREDICATE,      /* 3 bits at `at`; `negate` is its NOT */
	HD_SASS_OPERAND_CONVERGENCE,    /* 4 bits at `at` */
	HD_SASS_OPERAND_LOW,            /* what the form puts into [32,64) */
	HD_SASS_OPERAND_B,              /* LOW, or the register at 64 when the form swaps B and C */
	HD_SASS_OPERAND_C,              /* the other one of the two */
	HD_SASS_OPERAND_NUMBER,         /* `length` bits at `at`, with `length2` at `at2` above them */
	HD_SASS_OPERAND_SPECIAL,        /* special register of 8 bits at `at` */
	HD_SASS_OPERAND_TARGET,         /* code address relative to the next instruction */
	HD_SASS_OPERAND_ABSOLUTE,       /* code address */
	HD_SASS_OPERAND_MEMORY,         /* [R+UR+offset], see the flags */
	HD_SASS_OPERAND_BANK,           /* c[bank][R+offset] */
	HD_SASS_OPERAND_TEXT,           /* `text` as it is */
	HD_SASS_OPERAND_NAMED,          /* the names of modifier `names` as an operand */
	HD_SASS_OPERAND_PREDICATES,     /* predicates by a mask in [32,39): what P2R reads and R2P writes */
	HD_SASS_OPERAND_BARRIERS,       /* DEPBAR's scoreboard, count and mask */
	HD_SASS_OPERAND_BARRIER_NUMBER, /* BAR's barrier and number of threads, by the form */
	HD_SASS_OPERAND_SUFFIX,         /* the names of modifier `names`, without a comma */
} hd_sass_kind;

enum { /* flags of an operand */
       HD_SASS_WRITE = 1 << 0,
       HD_SASS_OPTIONAL = 1 << 1,        /* left out when it is RZ, PT and no NOT, or 0 */
       HD_SASS_INVERT = 1 << 2,          /* the negate bit is a bitwise NOT, "~" */
       HD_SASS_SIGNED = 1 << 3,          /* a number is printed with a sign */
       HD_SASS_FLOAT = 1 << 4,           /* an immediate is a float of 32 bits */
       HD_SASS_DOUBLE = 1 << 5,          /* the upper half of a float of 64 bits */
       HD_SASS_PAIR = 1 << 6,            /* two floats of 16 bits */
       HD_SASS_NO_COMMA = 1 << 7,        /* a blank separates it from what comes before */
       HD_SASS_COMPLEMENT = 1 << 8,      /* a predicate is stored as 7 minus its number */
       HD_SASS_U = 1 << 9,               /* a predicate is uniform */
       HD_SASS_NEGATABLE = 1 << 10,      /* the slot's usual negate bit holds */
       HD_SASS_ABSOLUTE_VALUE = 1 << 11, /* the slot's usual absolute bit holds */
       HD_SASS_HALVES = 1 << 12,         /* the slot's usual selection of halves holds */
       HD_SASS_WIDE_ADDRESS = 1 << 13,   /* memory: bit 72 makes an address of 64 bits; with a uniform register, bit `length`
	                                  * does, and bit `length2` makes the uniform register a descriptor */
       HD_SASS_SCALED = 1 << 14,         /* memory: bits 78, 79 scale the register */
       HD_SASS_UNIFORM_BIT = 1 << 15,    /* memory: the uniform register is there when bit 91 is set */
       HD_SASS_CARRY_FLAG = 1 << 16,     /* a predicate is a carry */
       HD_SASS_ADDRESS_FLAG = 1 << 17,   /* the register is an address */
       HD_SASS_SPACE = 1 << 18,          /* c[0] [0], with a blank, as the vendor prints half constants */
       HD_SASS_DESCRIPTOR_FLAG = 1 << 19,
       HD_SASS_NOT_PRINTED = 1 << 20, /* the access happens, the text has nothing */
       HD_SASS_BRACKETS = 1 << 21,    /* [R4] */
       HD_SASS_GLUED = 1 << 22,       /* nothing separates it from what comes before */
};

/* How many registers an operand has, beside 0 and 1 (one) and numbers up to 32: */
enum {
	HD_SASS_BY_SIZE = 40,     /* the size of a load or store, [73,76) */
	HD_SASS_BY_TYPE,          /* the type of an atomic, [73,77) */
	HD_SASS_BY_VECTOR,        /* the type of a float atomic of sm_90, [73,77) */
	HD_SASS_BY_TEXTURE,       /* the mask of components, [72,76): the first two */
	HD_SASS_BY_TEXTURE_2,     /* the other two */
	HD_SASS_BY_COORDINATES,   /* the first register operand of a texture instruction */
	HD_SASS_BY_COORDINATES_2, /* the second */
	HD_SASS_BY_SURFACE,       /* coordinates of a surface, [61,64) */
	HD_SASS_BY_TMA,           /* addresses and coordinates of a tensor copy, [79,82) */
	HD_SASS_BY_GROUP,         /* result of an HGMMA, [53,58) and bit 75 */
	HD_SASS_BY_INTEGER_GROUP, /* of an IGMMA */
};

typedef struct hd_sass_operand {
	uint32_t flags;
	uint8_t kind, at, length, at2, length2;
	uint8_t count;               /* registers: 0 and 1 are one; HD_SASS_BY_SIZE ... */
	uint8_t negate;              /* bit of the sign or NOT; 0: the slot's, or none */
	uint8_t slot;                /* reuse bit + 1; 0: none */
	uint8_t names;               /* modifier that follows the operand (".H0_H0"), or is it (NAMED) */
	uint8_t when;                /* bit that must be set for the operand to be there; 0: always */
	uint8_t unless;              /* bit that must be clear */
	uint8_t reg_at, offset_bits; /* MEMORY: where the register lies, and bits of the offset at `at2`; 0: 24, and 24 at 40 */
	const char *text;            /* TEXT */
} hd_sass_operand;

enum { HD_SASS_ROW_MODIFIERS = 12, HD_SASS_ROW_OPERANDS = 13 };

struct hd_sass_row {
	const char *mnemonic;
	uint64_t mask, value; /* the row is for words whose upper half has `value` under `mask` */
	uint16_t opcode;      /* [0,9) */
	uint8_t forms;        /* bit i: form i */
	uint8_t from, to;     /* architectures; 0: from the first, to the last */
	uint8_t class, flow;
	uint16_t memory;
	bool load, store, atomic;
	bool uniform;       /* the guard is a uniform predicate, B and C are uniform registers, bit 91 is set */
	bool uniform_guard; /* the guard alone */
	bool any_91;        /* a form with a uniform register by its number, without one */
	bool any_uniform;   /* bit 91 is set, whatever the form */
	uint8_t modifiers[HD_SASS_ROW_MODIFIERS];
	hd_sass_operand operands[HD_SASS_ROW_OPERANDS];
};

extern const hd_sass_row hd_sass_rows[];
extern const size_t hd_sass_row_count;
extern const hd_sass_modifier_row hd_sass_modifiers[HD_SASS_MOD_COUNT];

/* What a word says, for who executes it: the fields of its row with all resolved that the form decides. */
typedef struct hd_sass_value {
	uint8_t kind;    /* hd_sass_kind: REGISTER, UNIFORM, PREDICATE (`uniform`: a uniform one), CONVERGENCE, NUMBER, SPECIAL, TARGET, ABSOLUTE,
	                  * MEMORY, BANK (also a constant operand), PREDICATES, BARRIERS, BARRIER_NUMBER, TEXT */
	uint8_t operand; /* of the row */
	bool write, minus, absolute, invert, uniform;
	bool has_uniform, wide, descriptor; /* MEMORY, BANK: a uniform register is added, or names a bank; MEMORY: the address has 64 bits */
	uint8_t reg, uniform_reg;           /* HD_SASS_RZ, HD_SASS_URZ: none */
	uint8_t count;                      /* registers */
	uint8_t bank, scale;                /* MEMORY: `reg` is shifted left by it */
	uint8_t suffix;                     /* modifier behind the operand, whose value is among the modifiers; 0: none */
	int64_t number;                     /* offset, immediate, place; PREDICATES: the mask */
} hd_sass_value;
typedef struct hd_sass_values {
	unsigned n, n_modifiers;
	hd_sass_value at[HD_SASS_ROW_OPERANDS + 1];
	struct {
		uint8_t id, value; /* hd_sass_modifier */
	} modifier[2 * HD_SASS_ROW_MODIFIERS];
} hd_sass_values;
/* Fills the values of an instruction that hd_sass_decode accepted. */
void hd_sass_values_read(const hd_sass_instruction *instruction, hd_sass_values *values);
/* The text of a value of a modifier, `*length` characters; NULL: no instruction has the value. */
const char *hd_sass_modifier_name(unsigned id, uint64_t value, size_t *length);
void hd_sass_modifier_text(unsigned id, unsigned value, hd_text *text);

/* The row of a word; NULL: there is none. */
const hd_sass_row *hd_sass_row_find(unsigned architecture, uint64_t low, uint64_t high);
/* The name of a special register; NULL: it has none. */
const char *hd_sass_special_register(unsigned architecture, unsigned number);

/* Goes over the operands of an instruction that has its row: appends its accesses, or, where `text` is given, its text, and fills `values`, where
 * they are given. False when the word has a bit or a value that the row does not know. */
bool hd_sass_walk(hd_sass_instruction *instruction, hd_text *text, hd_sass_values *values);

/* Appends a float of `exponent` and `fraction` bits as the vendor prints it: 20 digits, with an exponent from 1e9 on; a blank follows what is no
 * number. */
void hd_sass_put_float(hd_text *text, uint64_t bits, unsigned exponent, unsigned fraction);

#endif

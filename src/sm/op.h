/* What an operation of machine code does (SR-2, SR-3). meaning.def has a row an opcode. An instruction becomes an hd_sm_op once: its operands in the
 * order of the text, the values of the modifiers that the row names, and the function that computes 32 lanes. The functions see operands and give
 * results; when registers are read and written is the caller's affair, so that an untimed interpreter and a timed core share them. */
#ifndef HD_SM_OP_H
#define HD_SM_OP_H

#include "sass/row.h"
#include "semantics/semantics.h"

enum {
	HD_SM_SOURCES = 5,
	HD_SM_NUMBERS = 3,
	HD_SM_MODIFIERS = 7,
	HD_SM_RESULTS = 8,    /* words */
	HD_SM_PREDICATES = 7, /* results; P2R and R2P have them all */
	HD_SM_BARRIERS = 16,
};

typedef enum hd_sm_kind {
	HD_SM_NONE, /* no meaning */
	HD_SM_PURE, /* `fn` has all of it */
	HD_SM_NOP,
	HD_SM_SPECIAL, /* number[0] is a special register */
	HD_SM_PLACE,   /* an address in code */
	HD_SM_RESULT,  /* of a barrier's reduction */
	HD_SM_LOAD,
	HD_SM_STORE,
	HD_SM_ATOMIC,
	HD_SM_ATOMIC_FLOAT, /* its type is FLOAT_VECTOR's */
	HD_SM_CAS,
	HD_SM_CONSTANT,     /* a load from a constant bank */
	HD_SM_MATRIX_LOAD,  /* LDSM */
	HD_SM_MATRIX_STORE, /* STSM */
	HD_SM_COPY,         /* LDGSTS */
	HD_SM_QUERY,        /* QSPC */
	HD_SM_BRANCH,       /* also a call, whose return address is in registers already */
	HD_SM_BRANCH_TO,    /* to a place of the function, plus a register where there is one */
	HD_SM_BRANCH_FROM,  /* as that, from the next instruction on */
	HD_SM_BRANCH_ABSOLUTE,
	HD_SM_EXIT,
	HD_SM_TRAP,
	HD_SM_YIELD,
	HD_SM_SET,      /* BSSY */
	HD_SM_MEET,     /* BSYNC */
	HD_SM_LEAVE,    /* BREAK */
	HD_SM_MASK_GET, /* BMOV */
	HD_SM_MASK_SET,
	HD_SM_WARPSYNC,
	HD_SM_COLLECTIVE,
	HD_SM_COLLECTIVE_END,
	HD_SM_BARRIER, /* BAR */
	HD_SM_KINDS
} hd_sm_kind;

/* What a minus or bars at an operand mean. */
typedef enum hd_sm_numbers { HD_SM_I, HD_SM_RAW /* the function looks itself */, HD_SM_F, HD_SM_D, HD_SM_H } hd_sm_numbers;

/* hd_sm_source.select of a pair of halves. */
enum { HD_SM_BOTH, HD_SM_SINGLE /* a float of 32 bits, cut */, HD_SM_FIRST, HD_SM_SECOND, HD_SM_SECOND_NEGATED };

typedef struct hd_sm_source {
	uint8_t kind; /* HD_SASS_OPERAND_REGISTER, UNIFORM, NUMBER, BANK */
	uint8_t reg, words, bank;
	uint8_t select; /* value of the modifier behind the operand: halves, a byte */
	bool minus, absolute, invert;
	uint64_t number;
} hd_sm_source;

typedef struct hd_sm_predicate {
	uint8_t reg;
	bool uniform, invert;
} hd_sm_predicate;

typedef struct hd_sm_op hd_sm_op;

typedef struct hd_sm_in {
	const hd_vec32 *s[HD_SM_SOURCES]; /* by source: its words; signs are applied unless the numbers are RAW; zeros where there is no source */
	uint32_t p[HD_SM_PREDICATES];     /* negation applied */
	uint32_t mask;                    /* lanes that execute, at least one */
} hd_sm_in;
typedef struct hd_sm_out {
	hd_vec32 d[HD_SM_RESULTS];
	uint32_t p[HD_SM_PREDICATES];
} hd_sm_out;
/* Lanes outside of the mask may get any result. */
typedef void hd_sm_fn(const hd_sm_op *op, const hd_sm_in *in, hd_sm_out *out);

struct hd_sm_op {
	uint8_t kind;    /* hd_sm_kind */
	uint8_t numbers; /* hd_sm_numbers */
	uint8_t architecture;
	hd_sm_predicate guard;
	bool always;        /* the guard holds for every lane */
	bool uniform;       /* the results go to uniform registers */
	uint8_t reg, words; /* results; words 0: none */
	uint8_t n_results, n_sources, n_predicates, n_numbers;
	hd_sm_predicate result[HD_SM_PREDICATES], predicate[HD_SM_PREDICATES];
	hd_sm_source source[HD_SM_SOURCES];
	uint64_t number[HD_SM_NUMBERS];
	uint8_t m[HD_SM_MODIFIERS]; /* values of the modifiers that the meaning names */
	uint8_t n_memory;
	hd_sass_value memory[2]; /* addresses */
	uint16_t space;          /* HD_SASS_SHARED ... */
	uint8_t barrier;         /* convergence barrier */
	bool has_target;
	uint64_t target; /* bytes from the start of the function */
	uint32_t fixed;  /* vectors of the launch from this one on hold what is the same for all lanes */
	hd_sm_fn *fn;
	hd_sem_fn *sem; /* shared lane code of the operation, with `inst` as its argument */
	hd_inst inst;
};

/* Prepares a decoded instruction. False and the reason in `why` when something of it has no meaning: it names the part. */
bool hd_sm_prepare(const hd_sass_instruction *instruction, hd_sm_op *op, hd_text *why);
/* Applies sign, bars and inversion of source `i` to `from` (one or two vectors); the result may be `room`, of two vectors. */
const hd_vec32 *hd_sm_signed(const hd_sm_op *op, unsigned i, const hd_vec32 *from, hd_vec32 *room);

/* The rows of meaning.def, for tests. */
typedef struct hd_sm_meaning {
	uint16_t opcode;
	uint8_t architecture;
	uint8_t kind, numbers, results;
	hd_sm_fn *fn;
	uint16_t sem; /* hd_op; HD_OP_COUNT: none, or the function's own choice */
	uint8_t modifiers[HD_SM_MODIFIERS];
} hd_sm_meaning;
/* The meaning of an opcode; NULL: none. */
const hd_sm_meaning *hd_sm_meaning_of(unsigned opcode);
/* Whether no value of the modifier can change a result of an untimed run: cache policies, scopes, hints. */
bool hd_sm_ignored(unsigned modifier);

#define MEANING(opcode, kind, name, ...) hd_sm_fn hd_sm_##name;
#include "sm/meaning.def"
#undef MEANING

#endif

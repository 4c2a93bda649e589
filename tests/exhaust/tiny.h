/* A tiny program: a core of at most TINY_LENGTH instructions with their annotations. frame.h makes a kernel object of it. */
#ifndef TINY_H
#define TINY_H

#include "config/machine.h"
#include "object/object.h"

enum {
	TINY_LENGTH = 6,
	TINY_SHARED = 3,  /* registers that several instructions may name */
	TINY_PRIVATE = 4, /* destinations that one instruction alone names */
	TINY_THREADS = 64,
};

typedef enum tiny_op {
#define TINY(id, ...) TINY_##id,
#include "tiny.def"
#undef TINY
	TINY_OPS
} tiny_op;

/* The kinds of operands: a register that several instructions may name, or one that no other instruction writes. */
enum { OPERAND_X, OPERAND_Y, OPERAND_Z, OPERAND_OWN, OPERAND_NONE };

typedef struct tiny_info {
	const char *name;
	uint8_t op;            /* hd_op */
	bool d, a;             /* it has a destination, a source */
	uint8_t defines, uses; /* predicates that it writes, and that it reads as an operand: mask of tiny_predicate */
	bool common;           /* it reads or writes the thread's common word of shared memory */
	bool flow;
} tiny_info;
extern const tiny_info tiny_infos[TINY_OPS];

enum tiny_predicate { TINY_P0 = 1, TINY_P2 = 2 };
typedef enum tiny_guard { GUARD_NONE, GUARD_P0, GUARD_NOT_P0, GUARD_P2, GUARD_NOT_P2, GUARDS } tiny_guard;

typedef struct tiny_inst {
	uint8_t op;     /* tiny_op */
	uint8_t guard;  /* tiny_guard */
	uint8_t d, a;   /* operands */
	uint8_t target; /* of a branch: place of an instruction; the core's length stands for what follows the core */
	/* Annotations. */
	uint8_t primary;      /* counter, 0 = none */
	uint8_t release;      /* 1 = by read */
	uint8_t wait;         /* mask of counters, bit 0 = counter 1 */
	uint8_t hint, cycles; /* HD_HINT_DELAY: in the form that names the instruction's type, where the machine wants that */
	uint8_t last_use;     /* 1 = of the source */
} tiny_inst;

typedef struct tiny {
	uint8_t n;
	uint8_t callee; /* so many of the last instructions are a subroutine */
	tiny_inst at[TINY_LENGTH];
} tiny;

static inline const tiny_info *tiny_info_of(const tiny_inst *inst) { return &tiny_infos[inst->op]; }
static inline const hd_op_info *tiny_row(const tiny_inst *inst) { return &hd_ops[tiny_info_of(inst)->op]; }
static inline hd_class tiny_class(const tiny_inst *inst) { return (hd_class)tiny_row(inst)->klass; }
static inline bool tiny_is_memory(const tiny_inst *inst) { return tiny_row(inst)->flags & HD_OPF_MEM; }
static inline bool tiny_is_fixed(const tiny_inst *inst) { return !tiny_info_of(inst)->flow && !tiny_is_memory(inst); }
/* The predicate of a guard, and whether the guard holds where p0 is true. Without another comparison p2 is the complement of p0. */
static inline unsigned tiny_guard_predicate(unsigned guard) { return guard == GUARD_NONE ? 0 : guard < GUARD_P2 ? TINY_P0 : TINY_P2; }
static inline bool tiny_guard_is_p0(unsigned guard) { return guard == GUARD_P0 || guard == GUARD_NOT_P2; }
/* Predicates that it reads: mask of tiny_predicate. */
static inline unsigned tiny_reads(const tiny_inst *inst) { return tiny_info_of(inst)->uses | tiny_guard_predicate(inst->guard); }
/* Instructions that are not of the subroutine. */
static inline unsigned tiny_main(const tiny *core) { return (unsigned)core->n - core->callee; }

enum tiny_dependence { TINY_RAW = 1, TINY_WAW = 2, TINY_WAR = 4, TINY_ORDER = 8 };
/* How `second`, executed later, depends on `first`: mask of tiny_dependence. */
unsigned tiny_depends(const tiny_inst *first, const tiny_inst *second);
/* Lanes that execute each instruction: bit 0 those with p0 false, bit 1 those with p0 true; where the core writes p0, all lanes that reach it. A loop
 * counts as one turn. Returns the lanes that reach the end. */
unsigned tiny_lanes(const tiny *core, uint8_t lanes[TINY_LENGTH]);

#endif

/* One instruction of real machine code: the word of 16 bytes that sm_75, 80, 86, 89 and 90 share (SA-2, SA-3).
 *
 * sass.def has a row for each opcode; the row drives the decoder, the printer and, through the accesses below, the checker. Bit 0 is the least
 * significant bit of the first byte in memory:
 *
 *   [0,9)     opcode                                  [9,12)   form: where the operands B and C lie (hd_sass_form)
 *   [12,15)   guard predicate, 7 = always             [15]     guard negated
 *   [16,24)   destination, 255 = RZ                   [24,32)  A
 *   [32,40)   B, or [32,64) an immediate, or [38,59) a word of a constant bank
 *   [64,72)   C                                       [72,105) modifiers, further predicates
 *   [105,109) stall                                   [109]    0 = may yield
 *   [110,113) write barrier, 7 = none                 [113,116) read barrier, 7 = none
 *   [116,122) mask of barriers that are waited for    [122,126) reuse of A, B, C, and a fourth */
#ifndef HD_SASS_INSTRUCTION_H
#define HD_SASS_INSTRUCTION_H

#include "base/base.h"

enum {
	HD_SASS_BYTES = 16,
	HD_SASS_RZ = 255,     /* zero register */
	HD_SASS_URZ = 63,     /* uniform zero register */
	HD_SASS_PT = 7,       /* predicate "always"; UPT too */
	HD_SASS_BARRIERS = 6, /* scoreboard counters SB0..SB5 of a warp */
	HD_SASS_NO_BARRIER = 7,
	HD_SASS_ACCESSES_MAX = 24,
};

typedef enum hd_sass_file {
	HD_SASS_REGISTER,          /* R0..R254 */
	HD_SASS_UNIFORM,           /* UR0..UR62 */
	HD_SASS_PREDICATE,         /* P0..P6 */
	HD_SASS_UNIFORM_PREDICATE, /* UP0..UP6 */
	HD_SASS_CONVERGENCE,       /* B0..B15 */
	HD_SASS_FILES
} hd_sass_file;

/* Why an operand is touched: the distance that a reader needs differs by it. */
typedef enum hd_sass_role {
	HD_SASS_DATA,
	HD_SASS_ADDRESS,           /* of a memory operation, or of a jump */
	HD_SASS_GUARD,             /* @P0, read before the operands */
	HD_SASS_PREDICATE_OPERAND, /* a predicate source or result */
	HD_SASS_CARRY,             /* a predicate that holds a carry */
	HD_SASS_HIGH,              /* the second half of a result of 64 bits of class FMA_WIDE, which is a record of its own */
	HD_SASS_DESCRIPTOR,        /* uniform registers that name a memory window, a texture or a bindless constant bank */
} hd_sass_role;

/* `count` consecutive registers from `first` that an instruction reads or writes. RZ, URZ, PT and UPT never appear. */
typedef struct hd_sass_access {
	uint8_t file, role; /* hd_sass_file, hd_sass_role */
	bool write;
	uint8_t slot; /* the bit of control.reuse that belongs to this operand: 0 A, 1 B, 2 C, 3 the fourth; HD_SASS_NO_SLOT */
	uint8_t first, count;
} hd_sass_access;
enum { HD_SASS_NO_SLOT = 255 };

typedef struct hd_sass_control {
	uint8_t stall;                       /* cycles to the next instruction of the warp, 0..15 */
	bool yield;                          /* the warp may be left after it (the bit in the word is inverted) */
	uint8_t write_barrier, read_barrier; /* raised at issue, lowered by the write or by the source reads; HD_SASS_NO_BARRIER */
	uint8_t wait_mask;                   /* barriers that must be 0 before issue */
	uint8_t reuse;                       /* bit i: slot i keeps its value for the next instruction */
} hd_sass_control;

/* Latency classes: instructions of one class have one row in the tables of latencies. The name says the unit. */
#define HD_SASS_CLASSES(X)                                                                                           \
	X(NONE, "none")                 /* no result, no register operands beside a guard */                         \
	X(ALU, "alu")                   /* integer and logic, comparisons, moves, fixed latency */                   \
	X(ALU_DISPATCH, "alu.dispatch") /* the same unit, two issue slots: IMNMX-like rows of the vendor's tables */ \
	X(FMA, "fma")                   /* FADD, FMUL, FFMA, IMAD, IDP */                                            \
	X(FMA_WIDE, "fma.wide")         /* IMAD.WIDE, IMAD.HI: the halves of the result come one after the other */  \
	X(HALF, "half")                 /* HADD2, HMUL2, HFMA2 */                                                    \
	X(HALF_MMA, "half.mma")         /* HFMA2.MMA: half precision through the tensor unit */                      \
	X(DOUBLE, "double")             /* DADD, DMUL, DFMA, DSETP */                                                \
	X(CLOCK64, "cs2r.64")           /* CS2R of 64 bits */                                                        \
	X(CLOCK32, "cs2r.32")                                                                                        \
	X(MMA_HALF, "mma.half")         /* HMMA */                                                                   \
	X(MMA_INTEGER, "mma.integer")   /* IMMA */                                                                   \
	X(MMA_BINARY, "mma.binary")     /* BMMA */                                                                   \
	X(MMA_DOUBLE, "mma.double")     /* DMMA */                                                                   \
	X(MMA_GROUP, "mma.group")       /* sm_90: HGMMA and its kin of a warp group, asynchronous */                 \
	X(UNIFORM, "uniform")           /* uniform arithmetic, fixed */                                              \
	X(UNIFORM_MOVE, "uniform.move") /* UMOV, ULDC: fixed */                                                      \
	X(UNIFORM_VOTE, "uniform.vote") /* VOTEU: a uniform result of predicates of lanes, fixed */                  \
	X(CROSS_UNIFORM, "to.uniform")  /* R2UR, S2UR: variable */                                                   \
	X(TRANSCENDENTAL, "mufu")       /* MUFU, variable */                                                         \
	X(CONVERT, "convert")           /* F2F, F2I, I2F, FRND, FLO, POPC, BREV: variable */                         \
	X(SPECIAL, "s2r")               /* S2R and other slow moves: variable */                                     \
	X(SHUFFLE, "shuffle")           /* SHFL, MATCH, and others through the memory unit's crossbar: variable */   \
	X(SHARED, "shared")             /* LDS, STS, ATOMS, LDSM: variable */                                        \
	X(MEMORY, "memory")             /* LD, ST, LDG, STG, LDL, STL, ATOM, ATOMG, RED: variable */                 \
	X(CONSTANT, "constant")         /* LDC: variable */                                                          \
	X(ASYNC, "async")               /* LDGSTS, bulk copies */                                                    \
	X(TEXTURE, "texture")           /* TEX, TLD, TLD4, TMML, TXD, TXQ, SULD, SUST, SUATOM, SURED: variable */    \
	X(BRANCH, "branch")             /* flow, convergence barriers, WARPSYNC, BMOV */                             \
	X(BARRIER, "barrier")           /* BAR, MEMBAR, ERRBAR, DEPBAR, CCTL, SYNCS */
typedef enum hd_sass_class {
#define X(id, name) HD_SASS_CLASS_##id,
	HD_SASS_CLASSES(X)
#undef X
	    HD_SASS_CLASS_COUNT
} hd_sass_class;
const char *hd_sass_class_name(hd_sass_class class);

typedef enum hd_sass_flow {
	HD_SASS_NEXT,            /* goes on with the next instruction */
	HD_SASS_BRANCH,          /* BRA, BRA.U: `target` when guard and predicate operand hold */
	HD_SASS_BRANCH_INDIRECT, /* BRX, BRXU, JMX: by a register */
	HD_SASS_JUMP,            /* JMP: `target` is absolute */
	HD_SASS_CALL,            /* CALL.REL, CALL.ABS */
	HD_SASS_CALL_INDIRECT,   /* through a register */
	HD_SASS_RETURN,          /* RET: through a register */
	HD_SASS_EXIT,
	HD_SASS_SET_CONVERGENCE, /* BSSY: `target` is where the lanes meet */
	HD_SASS_SYNC,            /* BSYNC */
	HD_SASS_BREAK,           /* BREAK */
	HD_SASS_WARPSYNC,        /* WARPSYNC; with HD_SASS_TARGET also a branch */
	HD_SASS_YIELD,           /* YIELD, NANOSLEEP, WARPSYNC.. that only order warps */
	HD_SASS_TRAP,            /* BPT, RTT, KILL: ends or stops lanes */
	HD_SASS_BARRIER_WAIT,    /* BAR.SYNC, BAR.RED: waits for other warps */
} hd_sass_flow;

/* The kinds of memory that an instruction touches, a bit each. */
enum {
	HD_SASS_SHARED = 1 << 0,
	HD_SASS_GLOBAL = 1 << 1,
	HD_SASS_GENERIC = 1 << 2,
	HD_SASS_LOCAL = 1 << 3,
	HD_SASS_CONSTANT = 1 << 4, /* LDC, ULDC; not a constant operand */
	HD_SASS_TEXTURE = 1 << 5,
	HD_SASS_SURFACE = 1 << 6,
	HD_SASS_FENCE = 1 << 7,      /* MEMBAR, ERRBAR, CCTL, FENCE.VIEW */
	HD_SASS_ASYNC_COPY = 1 << 8, /* writes shared memory later, outside of the warp's order: LDGSTS, UBLKCP, UTMALDG */
};

/* Where the operands B and C lie. */
typedef enum hd_sass_form {
	HD_SASS_FORM_NONE,
	HD_SASS_FORM_REGISTER,    /* B in [32,40), C in [64,72) */
	HD_SASS_FORM_C_IMMEDIATE, /* B in [64,72), C an immediate in [32,64) */
	HD_SASS_FORM_C_CONSTANT,
	HD_SASS_FORM_B_IMMEDIATE, /* B an immediate in [32,64), C in [64,72) */
	HD_SASS_FORM_B_CONSTANT,
	HD_SASS_FORM_B_UNIFORM,
	HD_SASS_FORM_C_UNIFORM,
} hd_sass_form;

typedef struct hd_sass_row hd_sass_row; /* a row of sass.def: row.h */
/* "FFMA", without modifiers. */
const char *hd_sass_mnemonic(const hd_sass_row *row);

typedef struct hd_sass_depbar {
	bool present;    /* DEPBAR.LE SBx, n {mask} or DEPBAR {mask} */
	uint8_t barrier; /* HD_SASS_NO_BARRIER: none but those in the mask */
	uint8_t count;   /* waits until SBx is at most this */
	uint8_t mask;    /* further barriers that must be 0 */
} hd_sass_depbar;

typedef struct hd_sass_instruction {
	uint64_t low, high;     /* the word */
	uint64_t address;       /* bytes from the function's start */
	const hd_sass_row *row; /* NULL: the table does not know the word; what follows `control` is zero then */
	hd_sass_control control;
	uint8_t architecture;          /* 75, 80, 86, 89, 90 */
	uint8_t guard;                 /* HD_SASS_PT: always */
	bool guard_not, guard_uniform; /* @!P0; @UP0 */
	uint8_t latency_class;         /* hd_sass_class: the row's, or what a modifier makes of it */
	uint8_t flow;                  /* hd_sass_flow */
	bool has_target;               /* `target` is known */
	uint64_t target;               /* bytes from the function's start; may lie outside of the function */
	uint16_t memory;               /* HD_SASS_SHARED ...; 0: none */
	bool load, store, atomic;
	bool in_order; /* results come in order with those of its class, as far as the vendor's DEPBAR relies on it */
	hd_sass_depbar depbar;
	uint8_t accesses;
	hd_sass_access access[HD_SASS_ACCESSES_MAX];
} hd_sass_instruction;

/* Decodes 16 bytes at `address`. False when the table does not know the word for this architecture: `low`, `high`, `address`, `architecture` and
 * `control` are set all the same. */
bool hd_sass_decode(unsigned architecture, const uint8_t bytes[HD_SASS_BYTES], uint64_t address, hd_sass_instruction *instruction);

/* The control fields alone. */
hd_sass_control hd_sass_control_decode(uint64_t high);
/* `high` with other control fields. */
uint64_t hd_sass_control_encode(uint64_t high, hd_sass_control control);

/* Appends the instruction as the vendor's disassembler writes it, without control fields: "@!P0 IADD3 R4, P1, R2, 0x10, RZ ;". A word that the table
 * does not know: ".word 0x..., 0x..., 0x..., 0x... ;". */
void hd_sass_print(const hd_sass_instruction *instruction, hd_text *text);
/* Appends the control fields: "[W:0x3f wb:0 R:- S:4 Y ru:AB]". W is the mask of barriers that are waited for, wb the write barrier, R the read
 * barrier
 * ("-": none), S the stall; Y says that the warp may yield ("-": it does not), ru which of the operands A, B, C, D are reused ("-": none). */
void hd_sass_print_control(hd_sass_control control, hd_text *text);

/* The architectures that the table covers; 0-terminated. */
extern const unsigned hd_sass_architectures[];

#endif

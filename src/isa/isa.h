/* The instruction set: words, lines, fields, and the decoded form that the rest of Heddle works on.
 *
 * A word is 64 bits (bit 0 = least significant):
 *
 *   [0,3)   hint3      in-instruction pre-decode carrier (PD-3); with the other carriers bit 2 is HD_MEETS, and the rest 0
 *   [3,11)  op         row of ops.def
 *   [11,14) guard      predicate 0..6, 7 = always         [14] guard negated
 *   [15,18) primary    fence counter raised, 0 = none (HZ-1)
 *   [18,24) wait       mask of fence counters waited for, bit 18 = counter 1 (HZ-2)
 *   [24]    release    0 = by the write, 1 = by the source reads (HZ-4); without a primary, 1 = the result passes by the operand buffer (LU-4)
 *   [25,33) dst        register, or predicate in the low 3 bits
 *   [33,41) a          [41,49) b          [49,57) c
 *   [57] [58] [59]     last use of a, b, c (LU-2)
 *   [60,62) ksel       0 = registers; 1 = a, 2 = b, 3 = c is a word (or aligned pair) of the constant bank;
 *                      3 in an ALU, SETP or CARRY-free operation of exactly two sources: b is the 16-bit immediate in [41,57)
 *   [62,64) mod        rounding (hd_round) or the small variant that the row names
 *
 * Formats that use fields otherwise:
 *   SETP    dst = predicate | comparison << 3
 *   SUB     c = sub-operation (one source)
 *   SEL     c = predicate | negated << 3
 *   CARRY   c = carry-in predicate (7 = none) | carry-out predicate << 3 (7 = none)
 *   PLOP    dst = predicate; a = pa | pb << 4 (each predicate | negated << 3); b = pc; c = table
 *   VOTE    a = member mask register; c = predicate | negated << 3; VOTE: mod = all, any, uni
 *   SREG    c = special register
 *   MOVI    imm32: bits 0..30 in [33,64), bit 31 in [24] (a MOVI has no sources, so its release is always by the write)
 *   LD      offset (16 bits: hd_offset_least) in [41,57); size in [58,61); [61] = a is in the constant bank (word or pair); cache in mod
 *   ST      offset = c | dst << 8 (signed 16); size in [59,62); cache in mod; data in b
 *   ATOM    c = hd_atom_op | hd_atom_type << 4; no offset
 *   CAS     mod = hd_size 32 (0) or 64 (1) or 16 (2)
 *   BRANCH  target word address (24 bits) in [33,57)
 *   CBAR    a = convergence barrier number, 0 to 15
 *   HINTS   imm32 as MOVI; a = number of instructions in between, 0 to 15, in [25,33)
 *   BAR     a = barrier number; b = register with the number of threads, RZ = all; mod 0 sync, 1 arrive
 *
 * A line is 8 words of which word 0 is the scheduling instruction (PD-1); a code address is a word index that counts those words too. The other
 * line geometries, and the bits of counters beyond 6 (K up to 16), are in geometry.h. */
#ifndef HD_ISA_H
#define HD_ISA_H

#include "base/base.h"
#include "isa/access_op.h"

enum {
	HD_LANES = 32,
	HD_GROUP_LANES = 4,
	HD_GROUPS = 8,
	HD_LINE_WORDS = 8,   /* length of the longest line (geometry.h) */
	HD_SS_OPCODE = 0xd5, /* bits 0-7 of a scheduling word (PD-1) */
	HD_RZ = 255,         /* zero register; as a destination: result dropped */
	HD_REGISTERS = 256,  /* register numbers, HD_RZ included */
	HD_PT = 7,           /* predicate "always"; as a destination: result dropped */
	HD_PREDS = 7,
	HD_CONST_WORDS = 256, /* words of the constant bank that can be operands */
	HD_MAX_CODE = 1 << 24,
	HD_MAX_COUNTERS = 16,
	HD_MEETS = 4,         /* in hint3: lanes of the token for this instruction wait before it (RC-21) */
	HD_WORD_COUNTERS = 6, /* counters that an instruction word can name */
};

typedef enum hd_op {
#define OP(id, ...) HD_OP_##id,
#include "isa/ops.def"
#undef OP
	HD_OP_COUNT
} hd_op;

typedef enum hd_format {
	HD_F_NONE,
	HD_F_ALU,
	HD_F_SUB,
	HD_F_SETP,
	HD_F_SEL,
	HD_F_CARRY,
	HD_F_PLOP,
	HD_F_VOTE,
	HD_F_SREG,
	HD_F_MOVI,
	HD_F_LD,
	HD_F_ST,
	HD_F_ATOM,
	HD_F_CAS,
	HD_F_BRANCH,
	HD_F_JUMPX,
	HD_F_BAR,
	HD_F_CBAR,
	HD_F_HINTS,
} hd_format;

/* Pipelines (spec/00). FLOW is the flow unit, which has a queue of its own. NONE is for instructions that enter no pipeline. */
typedef enum hd_pipe {
	HD_PIPE_ALU,   /* integer, float, logic */
	HD_PIPE_COORD, /* per-instance coordinates: thread numbers, cross-lane */
	HD_PIPE_SFU,   /* transcendental */
	HD_PIPE_F64,
	HD_PIPE_CVT,   /* copy and format conversion */
	HD_PIPE_TEX,   /* texture address (no operation uses it yet) */
	HD_PIPE_LATOM, /* local-memory atomics */
	HD_PIPE_LSU,
	HD_PIPE_FLOW,
	HD_PIPE_COUNT,
	HD_PIPE_NONE = HD_PIPE_COUNT,
} hd_pipe;

/* Latency classes: CLASS(id, pipe, "config name", default latency, default interval). Latency: cycles from operand read (entry into the pipe) to
 * the first cycle in which a reader sees the result. Interval: cycles for which one instruction keeps the pipe's entry busy. LSU and LATOM have
 * the latency of the pipe alone; memory adds its own. COORD and CVT take eight lanes a cycle, because the corresponding units of GPUs are at most
 * a quarter as wide as the arithmetic units (CUDA C++ Programming Guide, "Arithmetic Instructions": compute capability 8.x shuffles 32 and
 * converts 16 to 64 values a cycle and multiprocessor, against 128 additions). */
#define HD_CLASSES(CLASS)                   \
	CLASS(ALU, ALU, "alu", 4, 1)        \
	CLASS(FMA, ALU, "fma", 4, 1)        \
	CLASS(MUL, ALU, "mul", 5, 2)        \
	CLASS(ALU64, ALU, "alu64", 5, 2)    \
	CLASS(MUL64, ALU, "mul64", 8, 4)    \
	CLASS(COORD, COORD, "coord", 6, 4)  \
	CLASS(SFU, SFU, "sfu", 14, 4)       \
	CLASS(F64, F64, "f64", 12, 4)       \
	CLASS(CVT, CVT, "cvt", 6, 4)        \
	CLASS(CVT64, CVT, "cvt64", 8, 4)    \
	CLASS(TEX, TEX, "tex", 20, 4)       \
	CLASS(LATOM, LATOM, "latom", 12, 4) \
	CLASS(LSU, LSU, "lsu", 8, 2)        \
	CLASS(FLOW, FLOW, "flow", 2, 1)     \
	CLASS(NOP, NONE, "nop", 1, 1)

typedef enum hd_class {
#define CLASS(id, ...) HD_CLASS_##id,
	HD_CLASSES(CLASS)
#undef CLASS
	    HD_CLASS_COUNT
} hd_class;

/* Operand widths of a row. */
typedef enum hd_width { HD_W_N, HD_W_R, HD_W_D, HD_W_Q, HD_W_P, HD_W_V } hd_width;

/* Flags of a row. The space of an access is a number in three bits. */
enum hd_op_flag {
	HD_OPF_RND = 1,
	HD_OPF_MEM = 2,
	HD_OPF_STORE = 4,
	HD_OPF_FLOW = 8,
	HD_OPF_CROSS = 16,
	HD_OPF_VAR = 32,
	HD_OPF_SIDE = 64,
	HD_OPF_COMM = 128,
	HD_OPF_LOAD = 256,
	HD_OPF_ATOMIC = 512,
	HD_OPF_READONLY = 1024,
	HD_OPF_FENCE = 2048,
	HD_OPF_DIFFERS = 4096,
	HD_OPF_LEAVES = 8192,
	HD_OPF_SPACE_AT = 16, /* bit */
	HD_OPF_GLOBAL = HD_SPACE_GLOBAL << HD_OPF_SPACE_AT,
	HD_OPF_SHARED = HD_SPACE_SHARED << HD_OPF_SPACE_AT,
	HD_OPF_CONST = HD_SPACE_CONST << HD_OPF_SPACE_AT,
	HD_OPF_LOCAL = HD_SPACE_LOCAL << HD_OPF_SPACE_AT,
};

typedef struct hd_op_info {
	const char *mnemonic;
	const char *doc;
	uint8_t format;     /* hd_format */
	uint8_t klass;      /* hd_class */
	uint8_t pipe;       /* hd_pipe */
	uint8_t d, a, b, c; /* hd_width */
	uint8_t sources;    /* number of registers among a, b, c */
	uint32_t flags;     /* hd_op_flag */
} hd_op_info;
extern const hd_op_info hd_ops[HD_OP_COUNT];

/* The space of every address of the operation; HD_SPACE_NONE where the address tells it. */
static inline hd_space hd_op_space(const hd_op_info *op) { return (hd_space)(op->flags >> HD_OPF_SPACE_AT & 7); }
/* A load, store or atomic: no fence, and no launch or push. */
static inline bool hd_op_accesses(const hd_op_info *op) { return (op->flags & (HD_OPF_MEM | HD_OPF_FENCE)) == HD_OPF_MEM; }
/* An access to memory that other threads may access, too, and change. */
static inline bool hd_op_accesses_common(const hd_op_info *op)
{
	return hd_op_accesses(op) && !(op->flags & HD_OPF_READONLY) && hd_op_space(op) != HD_SPACE_LOCAL;
}
/* A launch or push (PD-19). */
static inline bool hd_op_spawns(const hd_op_info *op) { return op->flags & HD_OPF_FENCE && op->flags & HD_OPF_STORE; }
extern const char *const hd_pipe_names[HD_PIPE_COUNT + 1];
extern const char *const hd_class_names[HD_CLASS_COUNT];

typedef enum hd_round { HD_RN, HD_RZ_, HD_RM, HD_RP } hd_round; /* nearest even, to zero, down, up */

/* Comparisons: the float ones ending in U are true when unordered. LO LS HI HS: unsigned integers. */
/* clang-format off */
#define HD_CMPS(X) \
	X(EQ, "eq") \
	X(NE, "ne") \
	X(LT, "lt") \
	X(LE, "le") \
	X(GT, "gt") \
	X(GE, "ge") \
	X(LO, "lo") \
	X(LS, "ls") \
	X(HI, "hi") \
	X(HS, "hs") \
	X(EQU, "equ") \
	X(NEU, "neu") \
	X(LTU, "ltu") \
	X(LEU, "leu") \
	X(GTU, "gtu") \
	X(GEU, "geu") \
	X(NUM, "num") \
	X(NAN, "nan")
/* clang-format on */
typedef enum hd_cmp {
#define X(id, name) HD_CMP_##id,
	HD_CMPS(X)
#undef X
	    HD_CMP_COUNT
} hd_cmp;

/* Sub-operations of conversions. Integer types: bits 0-1 log2(bytes), bit 2 signed. Float types: 0 f16, 1 f32, 2 f64. */
typedef enum hd_itype { HD_U8, HD_U16, HD_U32, HD_U64, HD_S8, HD_S16, HD_S32, HD_S64 } hd_itype;
typedef enum hd_ftype { HD_F16, HD_F32, HD_F64 } hd_ftype;
#define HD_SUB_I2I(dst, src, sat) ((unsigned)(src) | (unsigned)(dst) << 3 | (unsigned)(sat) << 6)
#define HD_SUB_F2I(dst, src, ftz) ((unsigned)(dst) | (unsigned)(src) << 3 | (unsigned)(ftz) << 5)
#define HD_SUB_I2F(dst, src) ((unsigned)(src) | (unsigned)(dst) << 3)
/* integral: round to an integral value (PTX cvt.rni and its variants); sat: clamp to [0, 1]; ftz: flush denormal f32 input and output */
#define HD_SUB_F2F(dst, src, sat, ftz, integral) \
	((unsigned)(dst) | (unsigned)(src) << 2 | (unsigned)(sat) << 4 | (unsigned)(ftz) << 5 | (unsigned)(integral) << 6)
typedef enum hd_fclass { HD_FC_FINITE, HD_FC_INFINITE, HD_FC_NUMBER, HD_FC_NOTANUMBER, HD_FC_NORMAL, HD_FC_SUBNORMAL } hd_fclass;
typedef enum hd_bar { HD_BAR_SYNC, HD_BAR_ARRIVE, HD_BAR_JOIN } hd_bar;
typedef enum hd_vote { HD_VOTE_ALL, HD_VOTE_ANY, HD_VOTE_UNI } hd_vote;
typedef enum hd_shfl { HD_SHFL_UP, HD_SHFL_DOWN, HD_SHFL_BFLY, HD_SHFL_IDX } hd_shfl;

/* Special registers. Block and grid sizes are not among them: they lie in the constant bank (launch/launch.h). */
/* clang-format off */
#define HD_SREGS(X) \
	X(TIDX, "tid.x") \
	X(TIDY, "tid.y") \
	X(TIDZ, "tid.z") \
	X(CTAIDX, "ctaid.x") \
	X(CTAIDY, "ctaid.y") \
	X(CTAIDZ, "ctaid.z") \
	X(LANEID, "laneid") \
	X(WARPID, "warpid") \
	X(NWARPID, "nwarpid") \
	X(SMID, "smid") \
	X(NSMID, "nsmid") \
	X(GRIDID, "gridid") \
	X(TASK, "task") \
	X(ENTRY, "entry") \
	X(ENTRYHI, "entry_hi") \
	X(LANEMASK_EQ, "lanemask_eq") \
	X(LANEMASK_LE, "lanemask_le") \
	X(LANEMASK_LT, "lanemask_lt") \
	X(LANEMASK_GE, "lanemask_ge") \
	X(LANEMASK_GT, "lanemask_gt") \
	X(CLOCK, "clock") \
	X(CLOCKHI, "clock_hi") \
	X(GLOBALTIMER, "globaltimer") \
	X(GLOBALTIMERHI, "globaltimer_hi")
/* clang-format on */
typedef enum hd_sreg {
#define X(id, name) HD_SREG_##id,
	HD_SREGS(X)
#undef X
	    HD_SREG_COUNT
} hd_sreg;
/* True for a special register that differs among the lanes of a warp. */
static inline bool hd_sreg_differs(unsigned sreg)
{
	return sreg == HD_SREG_LANEID || sreg <= HD_SREG_TIDZ || (sreg >= HD_SREG_LANEMASK_EQ && sreg <= HD_SREG_LANEMASK_GT);
}

/* Pre-decode hints (PD-4 to PD-10); the byte is delay | hint << 4. Where an entry has two bytes (PD-24), the second one is in bits 8 to 15; a second
 * hint `default` says nothing. */
/* clang-format off */
#define HD_HINTS(X) \
	X(DEFAULT, "default") \
	X(DELAY, "delay") \
	X(WAIT, "wait") \
	X(PAIR, "pair") \
	X(HOLD, "hold") \
	X(HOLD_REPLAY, "hold.replay") \
	X(HOLD_MEM, "hold.mem") \
	X(HOLD_REPLAY_MEM, "hold.replay.mem") \
	X(BOOST, "boost") \
	X(LOWER, "lower") \
	X(MAY_REPLAY, "may_replay") \
	X(DELAY_ALU, "delay.alu") \
	X(DELAY_LSU, "delay.lsu") \
	X(DELAY_COORD, "delay.coord") \
	X(DELAY_SFU, "delay.sfu") \
	X(DELAY_REST, "delay.rest")
/* clang-format on */
typedef enum hd_hint {
#define X(id, name) HD_HINT_##id,
	HD_HINTS(X)
#undef X
	    HD_HINT_COUNT
} hd_hint;

/* The pre-decode hint of an instruction type (MI-1; docs/multi-issue.md). Five hints are a delay and also name the instruction's pipe; `rest`
 * stands for f64, cvt, tex and latom, which count as one type. `may_replay` names the load/store pipe. HD_HINT_DELAY for the pipes without such a
 * hint: flow, none. */
static inline hd_hint hd_hint_typed(unsigned pipe)
{
	static const uint8_t hints[HD_PIPE_COUNT] = {
	    [HD_PIPE_ALU] = HD_HINT_DELAY_ALU,  [HD_PIPE_LSU] = HD_HINT_DELAY_LSU,    [HD_PIPE_COORD] = HD_HINT_DELAY_COORD,
	    [HD_PIPE_SFU] = HD_HINT_DELAY_SFU,  [HD_PIPE_F64] = HD_HINT_DELAY_REST,   [HD_PIPE_CVT] = HD_HINT_DELAY_REST,
	    [HD_PIPE_TEX] = HD_HINT_DELAY_REST, [HD_PIPE_LATOM] = HD_HINT_DELAY_REST, [HD_PIPE_FLOW] = HD_HINT_DELAY,
	};
	return pipe < HD_PIPE_COUNT ? (hd_hint)hints[pipe] : HD_HINT_DELAY;
}
/* The type that a hint names, as one of HD_HINT_DELAY_ALU to HD_HINT_DELAY_REST; 0 when the hint names none. */
static inline unsigned hd_hint_type(unsigned hint)
{
	return hint == HD_HINT_MAY_REPLAY ? HD_HINT_DELAY_LSU : hint >= HD_HINT_DELAY_ALU && hint < HD_HINT_COUNT ? hint : 0;
}
/* The type that the bytes of an entry name: that of the first hint, or else that of the second one. */
static inline unsigned hd_predecode_type(unsigned bytes)
{
	unsigned type = hd_hint_type(bytes >> 4 & 15);
	return type ? type : hd_hint_type(bytes >> 12);
}

/* One decoded instruction. Fields that a format does not use are 0 (registers: HD_RZ, guard: HD_PT). */
typedef struct hd_inst {
	uint8_t op;    /* hd_op */
	uint8_t guard; /* predicate 0..6, HD_PT = always */
	uint8_t guard_neg;
	uint8_t d, a, b,
	    c; /* registers; d is a predicate number where the row's d is P; the operand that ksel selects is a word of the constant bank */
	uint8_t last_use; /* bit 0 a, bit 1 b, bit 2 c */
	uint8_t ksel;     /* 0..3; 3 with two sources: b is imm */
	uint8_t mod;
	uint8_t sub;     /* comparison, sub-operation, predicate selector, size, table, special register, atom op | type << 4 */
	uint8_t sub2;    /* PLOP: pa | pb << 4 (pc is in b); else 0 */
	uint8_t primary; /* 0 = none, 1..K */
	uint8_t release; /* 0 = by write, 1 = by read; without a primary: 1 = hd_passes_by */
	uint8_t hint3;
	uint16_t wait; /* bit 0 = counter 1 */
	int32_t imm;   /* immediate (sign-extended 16 bits, or 32 bits), offset, or target word address */
} hd_inst;

/* True when all active lanes execute the instruction; when none does. */
static inline bool hd_is_unguarded(const hd_inst *inst) { return inst->guard == HD_PT && !inst->guard_neg; }
static inline bool hd_is_never(const hd_inst *inst) { return inst->guard == HD_PT && inst->guard_neg; }
/* True when a lane can go on at the next instruction. */
static inline bool hd_falls_through(const hd_inst *inst) { return !(hd_ops[inst->op].flags & HD_OPF_LEAVES) || !hd_is_unguarded(inst); }
/* True when the result passes by the operand buffer (LU-4). */
static inline bool hd_passes_by(const hd_inst *inst) { return inst->release && !inst->primary; }
/* The range of a load's offset (16 bits): signed; of an LDC without a register it is the address in the bank, unsigned. */
static inline bool hd_offset_is_address(const hd_inst *inst) { return inst->op == HD_OP_LDC && inst->a == HD_RZ && !inst->ksel; }
static inline int32_t hd_offset_least(const hd_inst *inst) { return hd_offset_is_address(inst) ? 0 : INT16_MIN; }
static inline int32_t hd_offset_most(const hd_inst *inst) { return hd_offset_is_address(inst) ? UINT16_MAX : INT16_MAX; }
/* The value of a 16-bit immediate by the width of operand b. R: sign-extended in integer rows; the upper half of a float in classes FMA and SFU,
 * FMIN, FMAX, FCPYS and FSETP. D: sign-extended, or the upper 16 bits of a double in pipe F64. */
uint64_t hd_imm16_value(const hd_inst *inst);
/* True when `value` (32 bits for an R, 64 for a D) can be the 16-bit immediate b of `op`; then *imm16 is its field. */
bool hd_imm16_fits(hd_op op, uint64_t value, int32_t *imm16);
/* True when operand b of the operation can be a 16-bit immediate. */
bool hd_op_takes_imm16(hd_op op);

/* Encodes an instruction. Requires every field in range (hd_panic otherwise). The word holds primary up to 7 and wait bits up to counter 6. */
uint64_t hd_encode(const hd_inst *inst);
/* Decodes any 64 bits. False and *why for a word that the encoder never writes: unknown op, bad sub-operation, a primary that waits for its own
 * counter (HZ-3), a nop with fence fields, a misaligned pair, a non-zero unused field. */
bool hd_decode(uint64_t word, hd_inst *inst, const char **why);
/* hd_encode and hd_decode for lines whose scheduling words carry more bits: bits 0-1 of the word are the primary's upper bits, `more` the wait
 * mask from counter 7 on. */
uint64_t hd_encode_wide(const hd_inst *inst);
bool hd_decode_wide(uint64_t word, unsigned more, hd_inst *inst, const char **why);

/* Operand access for analyses: the 32-bit registers that an instruction reads or writes, as ranges. HD_RZ and constant-bank operands are left out. */
typedef struct hd_use {
	uint8_t reg;     /* first register, or predicate number */
	uint8_t words;   /* registers in the range; 0 for a predicate */
	uint8_t operand; /* 0 a, 1 b, 2 c, 3 guard, 4 destination, 5 further predicates */
} hd_use;
enum { HD_MAX_USES = 8 };
unsigned hd_inst_reads(const hd_inst *inst, hd_use uses[HD_MAX_USES]);  /* guard and predicate operands included */
unsigned hd_inst_writes(const hd_inst *inst, hd_use uses[HD_MAX_USES]); /* destination register or predicate, carry-out */
/* Registers of an operand of a width of ops.def (HD_W_...); `variable` is the number for HD_W_V. */
unsigned hd_width_words(unsigned width, unsigned variable);
/* Number of 32-bit registers of operand 0 a, 1 b, 2 c, 4 destination of this instruction, sizes resolved; 0 for none or a predicate. */
unsigned hd_operand_words(const hd_inst *inst, unsigned operand);
/* What a memory instruction does. Requires: the row has HD_OPF_MEM. */
hd_access_op hd_access_op_of(const hd_inst *inst);

/* Assembler text of one instruction, without annotation braces and label names: `@!p0 iadd r3, r1, c[0x40]`. */
void hd_inst_print(hd_text *text, const hd_inst *inst);
/* The operation of a mnemonic; HD_OP_COUNT if there is none. */
hd_op hd_op_find(const char *mnemonic, size_t length);

#endif

/* The program in the form that the timed machine uses, with one row for each word. A row holds what scheduler, decoder and pipelines need and is
 * computed once before the run. Values and fields that only execution needs are in hd_slot. */
#ifndef HD_CORE_CODE_H
#define HD_CORE_CODE_H

#include "config/machine.h"
#include "launch/launch.h"

typedef enum hd_kind {
	HD_KIND_PURE, /* registers in, registers out */
	HD_KIND_SREG, /* s2r */
	HD_KIND_MEMORY,
	HD_KIND_FLOW,
	HD_KIND_NOP, /* issues and enters no queue */
	HD_KIND_BAD, /* no instruction: a scheduling word, or a word behind the end of the code */
} hd_kind;

/* Effects of a hint in addition to delay and wait. */
enum hd_issue_effects {
	HD_EFFECT_PAIR = 1,        /* may issue together with the next instruction (PD-7); set only where this can ever happen */
	HD_EFFECT_HOLD = 2,        /* issues before the instructions of all other warps (PD-8) */
	HD_EFFECT_PASS_REPLAY = 4, /* issues before a replay, too */
	HD_EFFECT_WAIT_MEMORY = 8, /* issues after every earlier memory instruction of the warp is done */
	HD_EFFECT_BOOST = 16,      /* PD-9, for `cycles` cycles */
	HD_EFFECT_LOWER = 32,
	HD_EFFECT_REPLAY = 64,    /* the unit may refuse the instruction (PD-10) */
	HD_EFFECT_PRIORITY = 128, /* no hint, but the instruction setprio: the warp's priority becomes `cycles` sixteenths of the range (PD-31) */
	HD_EFFECT_STRICT = 256,   /* with HD_EFFECT_PAIR: issues only together with the next instruction (PD-29) */
	HD_EFFECT_NEXT = 512,     /* in the next cycle the next instruction issues before all other warps' and before a replay (PD-30) */
};

typedef struct hd_static {
	_Alignas(32) uint32_t next; /* address of the next instruction in sequence; scheduling words take no issue slot (PD-1) */
	uint16_t at_issue; /* counters of the wait mask that the decoder checks: the high-latency ones (HZ-21), or all where no queue follows */
	uint16_t at_queue; /* counters of the wait mask that the queue checks: the low-latency ones */
	uint16_t latency, interval;
	uint16_t effects; /* mask of hd_issue_effects */
	uint8_t passes;   /* number of cycles of its entry into the pipe; a part of the lanes enters in each (execute/narrow.h) */
	uint8_t primary, by_read;
	uint8_t pipe, kind, klass;
	uint8_t delay;         /* cycles from its issue to the earliest issue of the next instruction (PD-5), at least 1 */
	uint8_t wait;          /* cycles from its becoming the warp's next instruction to its earliest issue (PD-6) */
	uint8_t reads, writes; /* 32-bit registers */
	uint8_t constant;      /* an operand is word `word` of the constant bank */
	uint8_t word;
	uint8_t cycles;       /* duration of boost and lower; the priority of setprio */
	uint8_t early;        /* its counter falls in the cycle before the write, because only the decoder checks the counter and the write is certain
	                         (docs/timing.md, rule 3) */
	uint8_t writes_hints; /* it is `hints` (PD-25) */
	uint8_t room;         /* places that it takes in the instruction buffer: 1, or its words of 32 bits and the empty one behind it (PD-33) */
	uint8_t late;         /* cycles from a result of memory until it can be read (LU-11) */
	uint8_t order;        /* of an access: its hd_space, where it is known and keeps its order, and HD_ORDER_PLAIN */
} hd_static;

enum { HD_ORDER_PLAIN = 128 }; /* a load whose order is invisible: not volatile, and no atomic (docs/timing.md, "Replays") */

typedef struct hd_footprint hd_footprint; /* scoreboard.h */

typedef struct hd_code {
	hd_static *at;                /* n_words rows, and one more line of rows with HD_KIND_BAD */
	hd_footprint *footprint;      /* baseline only (fence.mode: scoreboard), else NULL; indexed as `at` */
	struct hd_window_row *window; /* dependences on earlier instructions (window_rows.h); NULL without a window */
	const hd_slot *slots;
	const uint32_t *first_bars; /* of the program (RC-17) */
	uint32_t *meets; /* by address: the first address from there on with HD_MEETS, or UINT32_MAX (RC-21); NULL where flags mean nothing */
	uint32_t n_words;
	bool syncs;         /* the program has a `wsync` or an `xlane` */
	bool replays;       /* some instruction may be refused, or `hints` can say so */
	uint32_t registers; /* highest register of the program, plus 1: the storage of a warp holds every register that has a name */
} hd_code;

/* `window`: compute the rows of a candidate window, too. */
hd_code *hd_code_new(const hd_machine *machine, const hd_program *program, bool window);
void hd_code_free(hd_code *code);

/* The address that follows `pc` in sequence. `pc` is in the code or in the line behind it. */
static inline uint32_t hd_code_next(const hd_code *code, uint32_t pc) { return code->at[pc].next; }
/* True when a token of the stack may name `pc`: lanes can wait there for others (RC-16, RC-21). */
static inline bool hd_code_meets(const hd_code *code, uint32_t pc)
{
	return code->slots[pc].inst.op == HD_OP_SYNC || (code->meets && code->meets[pc] == pc);
}
/* True when control may go to `pc`. */
static inline bool hd_code_target(const hd_code *code, uint64_t pc) { return pc < code->n_words && code->at[pc].kind != HD_KIND_BAD; }

/* The meaning of an instruction's hint for the micro scheduler. It depends on the machine's carrier and on the hints that the machine honours. */
typedef struct hd_meaning {
	uint8_t delay, wait; /* as in hd_static */
	uint16_t effects, cycles;
} hd_meaning;
hd_meaning hd_code_hint(const hd_machine *machine, const hd_slot *slot);
/* Gives a copy of an instruction's row the effects of a pre-decode byte, in place of the hint that the row has. */
void hd_code_take_byte(const hd_machine *machine, unsigned byte, hd_static *row);
/* True when two consecutive instructions can ever issue in one cycle (PD-7). They use different units. The first one never makes the decoder refuse
 * the second one, and does not decide where the warp continues. The second one's own hint does not delay it. */
bool hd_code_pairs(const hd_static *first, const hd_static *second);

#endif

/* All cores of a family, in a fixed order.
 *
 * A family bounds length, alphabet, operands, control flow and annotations. Within its bounds the enumeration is complete, except for two kinds of
 * cores. The first kind differs from another core in names or without effect:
 *  - Registers, the counters of one latency set and the sign of the guard are named in the order of their first use.
 *  - A register that only one instruction names is a private register of that instruction.
 *  - A primary for which no instruction of the core waits raises no counter of the core. No instruction waits for a counter that nothing before it
 *    raises. Neither would order anything inside the core. (Where the frame can wait for memory by counters only, loads and atomics for which the
 *    core does not wait raise the frame's counter.)
 *  - A delay is 1 where no two instructions around it that depend on each other share a pipe of fixed latency, unless the family has HINT_ALL.
 *  - A load has no release by read: its address is the frame's, and nothing writes it.
 * The second kind tests nothing: no instruction depends on another, nothing writes a shared register, or no thread reaches some code.
 * A primary that waits for its own counter is no valid program (HZ-3). */
#ifndef ENUMERATE_H
#define ENUMERATE_H

#include "tiny.h"

enum family_hints {
	HINT_DELAYS = 1,   /* delay 1, and where something depends on it latency - 1 and latency */
	HINT_ALL = 2,      /* every delay from 1 to the longest latency, everywhere */
	HINT_WAITS = 4,    /* also wait 1, 2 and 4 */
	HINT_PAIRS = 8,    /* also pair 1 and pair latency */
	HINT_HOLDS = 16,   /* also hold 1 */
	HINT_REPLAYS = 32, /* also may_replay 1 on loads and stores */
	HINT_TYPES = 64,   /* also delay 1 in the forms of other types, and in none */
};

enum family_flags {
	FAMILY_CALLS = 1,       /* the last two instructions are a subroutine */
	FAMILY_CALLS_EXIT = 32, /* the last three are */
	FAMILY_ANY_COUNTER = 2, /* all four counters, those of the wrong latency set, too; without names in the order of use */
	FAMILY_BY_WRITE = 4,    /* no release by read */
	FAMILY_SPANS = 8,       /* the first instruction and the last share a register, the others have their own */
	FAMILY_LAST_USE = 16,   /* last-use flags on any of the shared sources */
};

enum {
	GUARDS_NONE = 1 << GUARD_NONE,
	GUARDS_P0 = GUARDS_NONE | 1 << GUARD_P0,
	GUARDS_ALL = GUARDS_P0 | 1 << GUARD_NOT_P0,
	GUARDS_P2 = GUARDS_P0 | 1 << GUARD_P2 | 1 << GUARD_NOT_P2, /* p2 behind `setq` alone, which writes it */
};

typedef struct family {
	const char *name;
	const char *what; /* for the report */
	uint8_t length;
	uint32_t ops[TINY_LENGTH]; /* mask of tiny_op, by place */
	uint32_t must;             /* one of these at least, where it is not 0 */
	uint8_t guards;            /* mask of tiny_guard; of what is no flow instruction */
	uint8_t shared;            /* registers that several instructions may name */
	uint8_t hints;             /* mask of family_hints */
	uint16_t machines;         /* mask of machine numbers (machines.h) */
	uint8_t flags;             /* mask of family_flags */
	uint32_t quick[2];         /* the suite's sample: every so many sequences of instructions, and of their programs every so many */
	uint32_t full;             /* the long form's: every so many programs, other ones on each machine */
} family;

typedef struct visitor {
	/* `fresh`: the instructions are others than at the last call, not the annotations alone. False: it is enough. */
	bool (*visit)(void *context, const tiny *core, bool fresh);
	void *context;
	uint32_t sequences, programs; /* every so many */
	uint32_t shard;               /* with `programs`: which of them, less than that */
	uint64_t limit;               /* ends after so many visits; 0 = never */
} visitor;

typedef struct enumerated {
	uint64_t sequences, programs, visited; /* programs: of the sequences that were looked into */
} enumerated;

enumerated enumerate(const family *f, const hd_machine *machine, const visitor *v);

#endif

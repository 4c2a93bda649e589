/* Events of a timed run: the interface between the machine and its observers (profiles, trace writers). The machine calls `event` for each event
 * if there is an observer, and does nothing otherwise. An observer never changes what the machine does. */
#ifndef HD_TRACE_H
#define HD_TRACE_H

#include "launch/launch.h"

typedef enum hd_trace_kind {
	HD_TRACE_BEGIN,  /* a warp begins in a slot; pc = entry, mask = its lanes */
	HD_TRACE_END,    /* it has no thread left */
	HD_TRACE_ISSUE,  /* an instruction is issued; mask = lanes active; slots = issue slots it took: 1, or 0 beside another. A nop goes no further
	                  */
	HD_TRACE_ENTER,  /* it leaves its queue for its pipe; mask = lanes that execute, since = cycle of its issue */
	HD_TRACE_READ,   /* narrow pipe: lanes `mask` read their operands, in the cycle of ENTER and those behind it; the guard was read at ENTER */
	HD_TRACE_DROP,   /* it leaves its queue for nowhere: no lane executes (HZ-16), or it is `squashed`; since = cycle of its issue */
	HD_TRACE_NARROW, /* in its queue: the branch before it is decided, and lanes `mask` alone go on (PD-27) */
	HD_TRACE_MEMORY, /* its access is performed; since = cycle of its entry */
	HD_TRACE_WRITE,  /* narrow pipe: lanes `mask` of its result are written, and others come later; the last ones with DONE */
	HD_TRACE_DONE,   /* its result is written, or its flow is decided; since = cycle of its entry into the pipe */
	HD_TRACE_ACCESS, /* lanes `mask` of its access take effect on memory, at `address`; several times when it is served in parts (PD-16) */
	/* As its last-use flag says, registers `reg` to `reg` + `words` - 1 of what instruction `maker` made for lanes `mask` are not written (LU-5).
	 * It comes behind the HD_TRACE_ENTER of the instruction. */
	HD_TRACE_SKIP,
	/* An instruction whose lanes `mask` read has the last-use flag for register `reg`, and the value is written all the same (LU-6). It comes
	 * with the HD_TRACE_SKIPs of the instruction. */
	HD_TRACE_LATE,
	/* Registers `reg` to `reg` + `words` - 1 of what instruction `maker` made for lanes `mask` are written to the register file. `pc` and
	 * `number` mean nothing. An observer never sees a later event of the core first. */
	HD_TRACE_REGISTERS,
	HD_TRACE_REPLACED, /* the same registers leave an operand buffer and are not written: a later result takes their place */
	HD_TRACE_ARRIVE,   /* the warp arrives at barrier `barrier` of its CTA; comes behind the HD_TRACE_DONE of the `bar` */
	/* Barrier `barrier` is complete: those warps of the CTA that `mask` names by their number continue. `slot` is a warp of that CTA. */
	HD_TRACE_RELEASE,
	HD_TRACE_REPLAY,     /* it issues again, from the replay buffer (PD-16), in a slot that counts as lost; since = cycle of its first issue */
	HD_TRACE_DESCHEDULE, /* its warp leaves the scheduler and waits for `counters`; pc = the instruction that could not issue */
	/* The warp's flow state has changed (RC-24): `mask`, the active lanes; `minrc`, `members`, `depth` and `resume` below. It comes behind the
	 * HD_TRACE_BEGIN of the warp, behind the HD_TRACE_DONE of a flow instruction, and where lanes become active in sequence. */
	HD_TRACE_FLOW,
	/* Fence counter `counter` of the warp has the value `value` (HZ-31), in what fence.unit counts. A counter that a read or a drop lowers has it
	 * from the next cycle on (docs/timing.md). */
	HD_TRACE_COUNTER,
	/* From `cycle` on the warp waits before the instruction at `pc` for `cause`, an hd_stall; HD_STALL_COUNT: it does not, because it issues or
	 * can be chosen. It comes behind all other events of the core in this cycle, and only where something changes. */
	HD_TRACE_WAIT,
	HD_TRACE_LOST, /* `slots` issue slots lost in `cycles` cycles from `cycle` on, for `cause`, an hd_stall; see below */
} hd_trace_kind;

enum { HD_TRACE_NO_WARP = 255 };
#define HD_TRACE_NO_ADDRESS UINT32_MAX /* of MINRC and resume counters: above every address */

/* Program order of the instructions of one warp is the order in which it executed them: between two flow instructions by address, because a flow
 * instruction issues after everything before it and before everything behind it. */

/* Events come in the order of their cycles. The exception is HD_TRACE_LOST for skipped cycles, in which nothing could happen: it comes afterwards,
 * and before any later event of that core.
 * A lost slot belongs to the warp closest to issue and to the instruction that it could not issue (`flow`: the undecided one). `slot` is
 * HD_TRACE_NO_WARP when there is none. */
typedef struct hd_trace_event {
	hd_trace_kind kind;
	uint64_t cycle, since, cycles, slots;
	uint32_t core;
	uint32_t number; /* of the instruction in its core, counted by issue: the same in all events of one instruction */
	uint32_t pc, mask;
	uint32_t warp;           /* BEGIN: number of the warp in its CTA */
	uint32_t cta[3];         /* BEGIN */
	uint64_t cta_serial;     /* BEGIN: number of the CTA in its core, counted by arrival: a CTA that was saved has another one when it is back */
	uint32_t maker;          /* SKIP, REGISTERS, REPLACED */
	const hd_vec32 *address; /* ACCESS: two registers, operand a as read at entry; the second is 0 where it has one; valid during the call */
	uint16_t counters;       /* fence (or wait) counters that are waited for; bit 0 = counter 1 */
	uint8_t scheduler, slot, cause;
	uint8_t parts;      /* ENTER: 1; or, in a narrow pipe, the cycles of its entry, in each of which READ tells who reads */
	uint8_t reg, words; /* SKIP, LATE, REGISTERS, REPLACED */
	uint8_t barrier;    /* ARRIVE, RELEASE */
	uint8_t counter;    /* COUNTER: 1 to fence.counters */
	bool squashed;      /* DROP: the branch before it went elsewhere (PD-27), so nothing of it has happened */
	uint16_t value;
	/* ACCESS: 32-byte sectors of global or local memory that coalescing made of these lanes, those of them that the first cache had, and the
	 * sectors that were read from DRAM for it; and the cycle in which the last of its packets is at its slice of the second level, 0: no packet
	 * (MT-1). */
	uint32_t sectors, hits, dram;
	uint64_t arrival;
	/* Of an ACCESS in a window of time: requests of the access whose sectors of DRAM are not in `dram` yet (device/event_log.h). An observer sees
	 * 0. */
	uint32_t first_unpriced, unpriced;
	/* FLOW. `resume` has HD_LANES addresses, at which lanes become active again, and is valid during the call. A lane that does not wait has
	 * HD_TRACE_NO_ADDRESS. `minrc` is the lowest of those that count for the running activation, whose lanes are `members` (with membership by
	 * range: its lanes when it began). `depth` is the number of open calls. The baselines have no MINRC and no members: there `minrc` is
	 * HD_TRACE_NO_ADDRESS, `members` the lanes that have not exited, and `resume` says where lanes wait for their turn or for others. */
	uint32_t minrc, members, depth;
	const uint32_t *resume;
} hd_trace_event;

typedef struct hd_trace {
	void (*event)(struct hd_trace *trace, const hd_trace_event *event);
	struct hd_unit_watch *units; /* watches the units of a core, too (launch/units.h); NULL: it does not */
} hd_trace;

#endif

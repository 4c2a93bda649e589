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
	HD_TRACE_DROP,   /* it leaves its queue for nowhere: no lane executes (HZ-16); since = cycle of its issue */
	HD_TRACE_MEMORY, /* its access is performed; since = cycle of its entry */
	HD_TRACE_DONE,   /* its result is written, or its flow is decided; since = cycle of its entry into the pipe */
	HD_TRACE_REPLAY, /* it issues again, from the replay buffer (PD-16), in a slot that counts as lost; since = cycle of its first issue */
	HD_TRACE_DESCHEDULE, /* its warp leaves the scheduler and waits for `counters`; pc = the instruction that could not issue */
	HD_TRACE_LOST,       /* `slots` issue slots lost in `cycles` cycles from `cycle` on, for `cause`, an hd_stall; see below */
} hd_trace_kind;

enum { HD_TRACE_NO_WARP = 255 };

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
	uint32_t warp;     /* BEGIN: number of the warp in its CTA */
	uint32_t cta[3];   /* BEGIN */
	uint16_t counters; /* fence (or wait) counters that are waited for; bit 0 = counter 1 */
	uint8_t scheduler, slot, cause;
} hd_trace_event;

typedef struct hd_trace {
	void (*event)(struct hd_trace *trace, const hd_trace_event *event);
} hd_trace;

#endif

/* The wait of each warp, and the instructions that can end it, from the events of a run. The core says what a warp waits for in each cycle
 * (HD_TRACE_WAIT). An instruction has a reason for its wait when its warp was de-scheduled for counters or stood at a barrier, when a flow
 * instruction before it was not decided, and when a scoreboard held a register. */
#ifndef HD_EXPLORE_FOLLOW_H
#define HD_EXPLORE_FOLLOW_H

#include "config/machine.h"
#include "launch/trace.h"

/* How a link holds an instruction back. The page knows the numbers. */
typedef enum hd_link_kind {
	HD_LINK_QUEUE,   /* in the queue before its pipe, until a fence counter is down */
	HD_LINK_ISSUE,   /* before its issue: its warp was de-scheduled for the counter */
	HD_LINK_BARRIER, /* before its issue: until the last warp arrived */
	HD_LINK_FLOW,    /* before its issue: until the instruction was decided */
	HD_LINK_REGISTER /* before its issue: the scoreboard held a register */
} hd_link_kind;

/* An instruction that another one waited for. */
typedef struct hd_link {
	hd_link_kind kind;
	uint32_t counter; /* number of the fence counter or barrier, or 0 */
	size_t place;     /* warp slot of the earlier instruction */
	uint32_t number;  /* of the earlier instruction */
} hd_link;

enum { HD_LINKS_MAX = 12 /* of an instruction */, HD_NO_CAUSE = HD_STALL_COUNT };

/* A wait of a warp that is over. */
typedef struct hd_wait {
	size_t place;
	unsigned cause;        /* hd_stall; HD_NO_CAUSE: none */
	uint32_t pc;           /* what it waited before */
	uint64_t since, until; /* first cycle, and the one behind the last */
} hd_wait;

/* The wait of an instruction before its issue, and its links. */
typedef struct hd_reason {
	unsigned cause; /* hd_stall; HD_NO_CAUSE: nothing that is followed */
	uint64_t since;
	uint64_t until; /* first cycle in which it no longer held: then the warp was ready, or something else held it; the issue where nobody tells */
	uint16_t counters;
	unsigned n_links;
	hd_link links[HD_LINKS_MAX];
} hd_reason;

/* The warp in a slot. */
typedef struct hd_resident {
	bool is_there;
	uint64_t begun, serial; /* serial: of its CTA in its core */
	uint32_t cta[3], warp, lanes;
} hd_resident;

/* The wait that an event ended, with its warp or its reason. */
typedef struct hd_waited {
	hd_wait wait;
	bool ended; /* a warp: `warp` */
	hd_resident warp;
	hd_reason reason; /* HD_TRACE_ISSUE */
} hd_waited;

typedef struct hd_follow hd_follow;
/* The program outlives it. */
hd_follow *hd_follow_new(const hd_machine *machine, const hd_program *program);
/* Takes an event of the run. The answer is valid until the next call. */
const hd_waited *hd_follow_event(hd_follow *follow, const hd_trace_event *event);
/* The open wait of the warp of `place` in cycle `end`, and the warp, as ended then. */
const hd_waited *hd_follow_end(hd_follow *follow, size_t place, uint64_t end);
void hd_follow_free(hd_follow *follow);
/* Warp slots of the machine, in the order core, scheduler, slot. The event's slot is one. */
uint32_t hd_follow_slots(const hd_follow *follow); /* of a scheduler */
size_t hd_follow_places(const hd_follow *follow);
size_t hd_follow_place(const hd_follow *follow, const hd_trace_event *event);

#endif

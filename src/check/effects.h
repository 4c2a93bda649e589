/* What the checker needs to know of one instruction: what it reads and writes, where it goes, and how far behind it the next one is issued. */
#ifndef HD_CHECK_EFFECTS_H
#define HD_CHECK_EFFECTS_H

#include "check/graph.h"
#include "config/machine.h"

/* A resource is a register, 0 to 254, or HD_RESOURCE_PREDICATE + a predicate. */
enum { HD_RESOURCE_PREDICATE = 256, HD_MAX_RESOURCES = 24, HD_ALL_PIPES = (1 << HD_PIPE_COUNT) - 1 };

typedef struct hd_effects {
	uint16_t reads[HD_MAX_RESOURCES], writes[HD_MAX_RESOURCES];
	uint8_t n_reads, n_writes;
	uint64_t reads_any, writes_any; /* bit r % 64 for every resource r: two lists without a common bit have no common resource */
	uint8_t pipe;
	uint16_t latency;      /* cycles after which its result is there in every lane (hd_machine_latency) */
	uint16_t lane_latency; /* cycles from a lane's entry to its write: less, where a narrow pipe collects the operands of all lanes first */
	/* Cycles after which the last lane's result is there. A guard needs it: it is read for all lanes in the first cycle of an entry (HZ-16). */
	uint16_t guard_latency;
	bool variable_latency; /* `latency` is not all: memory adds its own (flag VAR) */

	bool fence;             /* `bar` or `membar`: it waits for every access below */
	bool ordered_by_fences; /* a load, store or atomic that other threads can see */
	bool shared_memory;     /* it may access shared memory, or it orders such accesses */
	bool drains;            /* call, return, indirect jump: nothing of the warp may be outstanding here */
	bool waits_for_memory;  /* plain hold: it is issued when every earlier memory instruction of the warp is done (PD-8) */
	bool mistyped;          /* its pre-decode byte names another type (MI-1) */

	uint8_t spacing;     /* cycles, at least, from this instruction's issue to the next one's */
	uint8_t wait;        /* cycles, at least, from the issue of the one before, and one more, to this one's (PD-6) */
	uint8_t delay_ahead; /* cycles of that wait which the spacing of this instruction already covers for the next one */
	bool all_pipes; /* spacing and wait count for the instructions of every pipe; false: for those of its own pipe (docs/timing.md, rule 7) */
} hd_effects;

/* By word address; meaningless for scheduling words. The caller frees the array. `machine` is split as the object says (hd_machine_split). */
hd_effects *hd_effects_new(const hd_code_graph *graph, const hd_machine *machine);
/* A resource that both lists have, or -1. */
int hd_common_resource(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb);

#endif

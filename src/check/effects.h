/* The effects of one instruction: its reads and writes, the pipe that it enters, and the cycles until the next instruction issues. */
#ifndef HD_CHECK_EFFECTS_H
#define HD_CHECK_EFFECTS_H

#include "check/graph.h"
#include "config/machine.h"

/* A resource is a register (0 to 254), a predicate (HD_RESOURCE_PREDICATE + its number), or, from HD_RESOURCE_ORDER on, what an instruction that
 * comes first in orders of the programmer writes and those that come second read (HZ-33). */
enum { HD_RESOURCE_PREDICATE = 256, HD_RESOURCE_ORDER = 264, HD_MAX_RESOURCES = 28, HD_ALL_PIPES = (1 << HD_PIPE_COUNT) - 1 };

typedef struct hd_effects {
	uint16_t reads[HD_MAX_RESOURCES], writes[HD_MAX_RESOURCES];
	uint8_t n_reads, n_writes;
	uint64_t reads_any, writes_any; /* bit r % 64 is set for every resource r, so two lists without a common bit have no common resource */
	uint8_t pipe;
	uint16_t latency;      /* cycles from entry until every lane's result is visible (hd_machine_latency) */
	uint16_t lane_latency; /* cycles from a lane's entry to its write; less than `latency` where a narrow pipe first collects the operands of all
	                          lanes */
	/* Cycles from entry until the last lane's result is visible. A guard needs all lanes, because it is read for all lanes in the first cycle of
	 * an entry (HZ-16). */
	uint16_t guard_latency;
	bool variable_latency; /* memory adds an unknown time to `latency` (flag VAR) */

	bool fence;             /* `bar`, `membar`, `launch`, `qpush`: needs every earlier access with `ordered_by_fences` to be performed (J7) */
	bool ordered_by_fences; /* a load, store or atomic that other threads can see */
	bool shared_memory;     /* the instruction may access shared memory, or it orders such accesses */
	bool drains;            /* call, return, indirect jump: no instruction of the warp may be outstanding */
	bool waits_for_memory;  /* plain hold: issues when every earlier memory instruction of the warp is done (PD-8) */
	bool mistyped;          /* the pre-decode byte names another type (MI-1) */

	uint8_t spacing;     /* least number of cycles from this issue to the next instruction's issue */
	uint8_t wait;        /* least number of cycles that the instruction waits after it became the next one (PD-6) */
	uint8_t delay_ahead; /* cycles of the next instruction's wait that the spacing of this instruction already covers */
	uint8_t unpaired;    /* with a spacing of 0: the spacing where the next instruction cannot issue in the same cycle */
	bool all_pipes;      /* spacing and wait count for every pipe; false: only for the instruction's own pipe (docs/timing.md, rule 7) */
} hd_effects;

/* Sets spacing, wait and waits_for_memory of an instruction with this hint, whose wait and waits_for_memory are 0 (docs/timing.md, "Hints"). */
void hd_hint_effects(const hd_machine *machine, unsigned hint, unsigned number, hd_effects *fx);
/* The effects by word address. The entries of scheduling words have no meaning. The caller frees the array. The machine must be split as the object
 * says (hd_machine_split). */
hd_effects *hd_effects_new(const hd_code_graph *graph, const hd_machine *machine);
/* The first resource of `a` that `b` also has, or -1. */
int hd_common_resource(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb);

#endif

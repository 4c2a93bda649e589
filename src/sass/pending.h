/* The accesses that may not be over at a place of a function (SA-4). The state at a place holds for each register the writes and reads of earlier
 * instructions, with the least time since their issue and with the counters whose wait would end them.
 *
 *   S1  An instruction that issues after another one issues at least `stall` cycles later (one at least; one for more than 11 without yield; 45 for
 *       none with yield, which ptxas gives ERRBAR: Huerta et al., "Analyzing Modern NVIDIA GPU cores", MICRO 2025, section 4).
 *   S2  An instruction raises its counters one cycle after its issue. A wait sees it when it issues two cycles later or more. The wait is over
 *       when the counter is 0, so it ends every access that raised the counter before.
 *   S3  The write barrier says that the result is written, and that the operands have been read. The read barrier says the latter alone.
 *   S4  DEPBAR.LE SBx, n ends the accesses behind which at least n more have raised SBx, if those complete in order (A8). With n = 0 it is a
 *       wait. Its own stall must be at least four, or nothing is concluded.
 *   S5  A write that no guard stops ends all earlier accesses to its register: it was judged against them, and what comes later is judged
 *       against it.
 *   S6  Where ways meet, an access is outstanding when it is on one of them, the least time counts, and a counter helps when it helps on all.
 *   S7  Of two accesses that differ in nothing but the time only the later one counts: whatever ends it has ended the earlier one.
 *   S8  Behind HD_SASS_DISTANCE_MAX cycles a fixed latency is over.
 *   S9  Behind an instruction that the table does not know nothing is outstanding, because it may have ended anything. So what is refuted is
 *       refuted whatever it does. The function is not proven anyway. */
#ifndef HD_SASS_PENDING_H
#define HD_SASS_PENDING_H

#include "sass/assumptions.h"
#include "sass/graph.h"
#include "sass/latency.h"

enum {
	HD_SASS_RESOURCES = 256 + 64 + 8 + 8,
	HD_SASS_NO_WAIT = UINT32_MAX,
	HD_SASS_PAUSE = 45,      /* cycles of a stall of 0 with yield (S1) */
	HD_SASS_ANY_GUARD = 255, /* an access under a guard of which nothing is known any more */
};

/* The number of a register among all resources; -1: a file whose order the hardware keeps (convergence barriers). */
int hd_sass_resource(unsigned file, unsigned number);
unsigned hd_sass_resource_file(unsigned resource, unsigned *number);

/* Instructions whose operands are read, or whose results come, in the order of issue, as far as an assumption says so. */
typedef enum hd_sass_order {
	HD_SASS_UNORDERED,
	HD_SASS_ORDER_SHARED,  /* A1 */
	HD_SASS_ORDER_READS,   /* A2 */
	HD_SASS_ORDER_SLOW,    /* A11 */
	HD_SASS_ORDER_DOUBLE,  /* A12 */
	HD_SASS_ORDER_TEXTURE, /* A13 */
} hd_sass_order;

typedef struct hd_sass_pending {
	uint32_t producer; /* instruction */
	int32_t time;      /* of its issue, on the clock of the block; at a block's entry at most 0 */
	uint16_t resource;
	hd_sass_assumed under; /* under any one of these the access is over */
	bool write, variable;
	uint8_t timing;    /* hd_sass_timing */
	uint8_t counters;  /* a wait for any of these ends it */
	uint8_t order;     /* hd_sass_order */
	uint8_t behind;    /* counters that a later instruction of the same order raised */
	uint8_t guard;     /* predicate, | 8 when negated; HD_SASS_PT: none */
	uint8_t later;     /* instructions that raised the write counter behind it, at most 63 (S4) */
	bool shared;       /* an access to shared memory */
	uint32_t ended_by; /* the one wait that ended it; HD_SASS_NO_WAIT: none did. hd_sass_keeping */
	uint32_t next;     /* of the same resource, in the pool; UINT32_MAX: none */
} hd_sass_pending;

typedef HD_VEC(hd_sass_pending) hd_sass_pending_list;

/* A state's treatment of an access that a wait ended. */
typedef enum hd_sass_keeping {
	HD_SASS_FORGETS,   /* drops it */
	HD_SASS_REMEMBERS, /* keeps it until a second wait would do the same, so that the wait is known to be needed (SA-8) */
	HD_SASS_KEEPS,     /* keeps it, with the first wait (SA-11) */
} hd_sass_keeping;

typedef struct hd_sass_state {
	const hd_sass_graph *graph;
	const hd_sass_latencies *latencies;
	hd_sass_keeping keeping;
	bool counts; /* the function has DEPBAR.LE with a count */
	hd_sass_pending_list pool;
	uint32_t head[HD_SASS_RESOURCES], free;
	uint64_t active[(HD_SASS_RESOURCES + 63) / 64]; /* resources with a list */
	int32_t clock;                                  /* of the next issue */
	uint64_t ended;                                 /* accesses that waits ended, since hd_sass_state_init */
	uint32_t raising;  /* an instruction of the memory unit whose counters no wait can see yet (S2); UINT32_MAX: none */
	int32_t raised_at; /* its issue */
} hd_sass_state;

void hd_sass_state_init(hd_sass_state *state, const hd_sass_graph *graph, const hd_sass_latencies *latencies, hd_sass_keeping keeping);
void hd_sass_state_free(hd_sass_state *state);
/* Begins a block with the accesses that are outstanding at its entry. */
void hd_sass_state_begin(hd_sass_state *state, const hd_sass_pending_list *in);
/* Before instruction `at`: what it waits for is over. */
void hd_sass_state_wait(hd_sass_state *state, uint32_t at);
/* Behind the wait: the instruction issues, and the clock goes to the earliest issue of the next. */
void hd_sass_state_issue(hd_sass_state *state, uint32_t at);
/* Ends a block: appends what is outstanding to `out`, sorted, with times as a following block's entry has them. */
void hd_sass_state_end(hd_sass_state *state, hd_sass_pending_list *out);
/* Joins the end of one block to the entry of another. True when the entry changed. `producers`: accesses of two instructions stay two */
bool hd_sass_pending_join(hd_sass_pending_list *in, const hd_sass_pending_list *out, bool producers);

/* Cycles from an instruction to the earliest issue of the next one (S1). */
static inline int hd_sass_step(hd_sass_control control)
{
	if (!control.stall)
		return control.yield ? HD_SASS_PAUSE : 1;
	return control.stall > 11 && !control.yield ? 1 : control.stall;
}
/* Counters that the instruction raises, a bit each. */
static inline unsigned hd_sass_raised(hd_sass_control control)
{
	unsigned w = control.write_barrier < HD_SASS_BARRIERS ? 1u << control.write_barrier : 0;
	return w | (control.read_barrier < HD_SASS_BARRIERS ? 1u << control.read_barrier : 0);
}
/* That an instruction of this class has a fixed latency is an assumption of its own. 0: it is none. */
hd_sass_assumed hd_sass_fixed_under(const hd_sass_instruction *instruction);
/* An instruction of the memory unit, to which orders refer. */
bool hd_sass_in_memory_unit(const hd_sass_instruction *instruction);
/* The order in which the instruction's result comes. */
hd_sass_order hd_sass_order_of_result(const hd_sass_instruction *instruction);
/* The assumption that says so; none for HD_SASS_UNORDERED. */
hd_sass_assumed hd_sass_assumption_of(hd_sass_order order);

#endif

/* Flow unit (RC-1 to RC-14): the PC of each warp, resume counters, MINRC, calls.
 *
 * Invariants, outside of the functions below: a thread of the running activation is active, or parked at its resume counter, or has returned from the
 * activation, or has exited. MINRC is the lowest resume counter of the activation's parked threads (HD_INF without one), and pc < minrc. Two machines
 * that show failures differ (RC-19): with membership `none` MINRC counts all threads, and with `passes` those alone that wait at the PC or beyond. */
#ifndef HD_CORE_FLOW_H
#define HD_CORE_FLOW_H

#include "core/code.h"
#include "launch/sync.h"

#define HD_INF UINT32_MAX /* above every address */

/* The state of the caller that a call keeps. */
typedef struct hd_activation {
	uint32_t members, minrc;
	uint32_t back;       /* return address */
	uint32_t begin, end; /* range of the caller (RC-9, by address) */
} hd_activation;

/* Only the baselines' flow units use tokens: MEET, SIDE, CALL in stack.h; READY, BLOCKED, GATHERED, SYNCED, MASK, CALL in groups.h. */
typedef enum hd_token_kind {
	HD_TOKEN_MEET,
	HD_TOKEN_SIDE,
	HD_TOKEN_CALL,
	HD_TOKEN_READY,
	HD_TOKEN_BLOCKED,
	HD_TOKEN_GATHERED,
	HD_TOKEN_SYNCED,
	HD_TOKEN_MASK,
} hd_token_kind;
typedef struct hd_token {
	hd_token_kind kind;
	uint32_t pc, lanes;            /* the lanes, and the address at which they continue */
	uint32_t rest, call, returned; /* groups.c: numbers. stack.c, CALL: lanes that had returned from the caller are in `returned` */
} hd_token;
typedef HD_VEC(hd_token) hd_tokens;

typedef struct hd_warp_flow {
	_Alignas(64) uint32_t pc;
	uint32_t active;
	uint32_t minrc;
	uint32_t alive;      /* threads that have not exited */
	uint32_t members;    /* threads of the running activation (RC-8) */
	uint32_t begin, end; /* range of the running subroutine; with membership by address only resume counters in it count */
	uint32_t depth;
	uint32_t rc[HD_LANES];
	hd_activation *stack;
	uint32_t returned;   /* stack: lanes that have returned from the running activation */
	uint32_t activation; /* convergence barriers: the number of the running group's activation; 0 = the kernel */
	uint32_t yields;     /* convergence barriers: yields since lanes last arrived somewhere */
	uint32_t gathered;   /* convergence barriers: 1 = the active lanes need not gather at the `bar` that they execute next */
	hd_tokens *tokens;
	bool released; /* resume counters: a `wsync` in an activation may have let lanes outside of it go, so a caller's MINRC is found anew */
	hd_sync *sync; /* lanes at a `wsync`: their resume counter is HD_INF, and no choice of the next address sees them. NULL: no program has one */
} hd_warp_flow;

/* The lanes at a `wsync`. */
static inline uint32_t hd_flow_synced(const hd_warp_flow *warp) { return warp->sync ? warp->sync->lanes : 0; }

/* Configuration of a core's flow unit. */
typedef struct hd_flow {
	const hd_code *code;
	const hd_object *object;
	hd_stats *stats;
	uint32_t call_depth;
	hd_membership membership;
	hd_divergence mode; /* RC-16: with a baseline decide.c calls stack.h or groups.h instead of the functions below */
	bool steps;         /* ablation: the PC does not jump to MINRC but steps through all addresses before it, with no thread active */
	uint32_t tokens;    /* stack: the most tokens of a warp (RC-21); 0 = HD_TOKENS_MAX */
	bool taken_first;   /* stack: the lanes that take a branch go first (RC-21) */
	bool passes;        /* RC-19: jumps go beyond MINRC; `minrc` is the lowest resume counter that is not below the PC */
} hd_flow;

typedef enum hd_flow_result {
	HD_FLOW_GO,        /* pc is the next instruction, with at least one active thread (unless the PC steps) */
	HD_FLOW_END,       /* no thread is left */
	HD_FLOW_PC,        /* trap: a target that is no instruction; lane set */
	HD_FLOW_DEPTH,     /* trap: calls nested too deep (RC-13) */
	HD_FLOW_RECURSION, /* trap: recursion, which membership by address cannot tell apart (RC-10) */
	HD_FLOW_ORDER,     /* trap: a call to a lower address, with membership by entry (RC-20) */
	HD_FLOW_LEFT,      /* trap: the PC left the subroutine for a thread outside of it (RC-19) */
	HD_FLOW_NEVER,     /* trap: threads never resume, because a jump passed them (RC-19) */
	HD_FLOW_RETURN,    /* trap: return outside of a subroutine */
	HD_FLOW_TOKENS,    /* trap: the baseline has no room for more tokens */
	HD_FLOW_UNMET,     /* trap: lanes at a `wsync` name lanes that can't come */
	HD_FLOW_APART,     /* trap: lanes come to a barrier of the CTA one part after the other (RC-17) */
} hd_flow_result;

/* `lanes` begin at `entry`. warp->stack has call_depth entries. */
void hd_flow_start(hd_warp_flow *warp, uint32_t entry, uint32_t lanes);

/* RC-2 for a warp whose pc has just become its MINRC. */
void hd_flow_resume(const hd_flow *flow, hd_warp_flow *warp);

/* Loads the PC, in sequence or by a jump (RC-2). */
static inline void hd_flow_load(const hd_flow *flow, hd_warp_flow *warp, uint32_t pc)
{
	warp->pc = pc;
	if (pc == warp->minrc)
		hd_flow_resume(flow, warp);
}

/* RC-19: a thread outside of the running activation is active. Only with membership `none`. */
static inline bool hd_flow_has_left(const hd_warp_flow *warp) { return (warp->active & ~warp->members) != 0; }

/* RC-17: the threads of the running activation that wait, and can come to a `bar` at the PC or below before any other one. *where: the lowest address
 * at which one of them waits. */
uint32_t hd_flow_late_for_bar(const hd_flow *flow, const hd_warp_flow *warp, uint32_t *where);

/* Decide the instruction at warp->pc. `taken` are the active lanes whose guard holds. */
hd_flow_result hd_flow_branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_flow_jump(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane);
hd_flow_result hd_flow_call(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_flow_call_indirect(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane);
hd_flow_result hd_flow_return(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);
hd_flow_result hd_flow_exit(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);
hd_flow_result hd_flow_sync(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 operands[2]);

/* The address at which each lane that does not execute will go on, HD_INF for other lanes. For diagnosis. */
void hd_flow_waiting(const hd_warp_flow *warp, uint32_t where[HD_LANES]);

#endif

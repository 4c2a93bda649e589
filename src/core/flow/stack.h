/* The baseline's flow unit (RC-16): a stack of reconvergence tokens instead of resume counters. The compiler emits `push TARGET` before lanes
 * may diverge, with the place where they meet again, and `sync` at that place. `brk TARGET` takes lanes there from inside of other regions, as a
 * break, continue or return does; a region that they leave no longer waits for them. Exit needs no token.
 *
 * Tokens, innermost last: MEET, the lanes that meet at an address; SIDE, lanes that take the other side of a branch and have not begun; CALL, the
 * caller of the running activation. An indirect call begins one activation, in which each target is a side (RC-14).
 *
 * With divergence.pop: flag (RC-21) the place of a token is an instruction with a flag instead, and lanes meet before they execute it.
 *
 * Invariants, outside of the functions below: every lane that is neither active nor gone (exited, returned) is named by a token; lanes of a MEET
 * that are neither active nor in a token above it have arrived there. warp->minrc is HD_INF, or with flags the address of the next one, and no resume
 * counter is used. All active lanes are in every MEET of the running activation. An activation has one MEET at most for an address, so that the stack
 * is bounded by the targets of `push` and the calls. The tokens decide where lanes meet, never what a lane executes: without tokens lanes simply do
 * not meet. */
#ifndef HD_CORE_STACK_H
#define HD_CORE_STACK_H

#include "core/flow/flow.h"

enum { HD_TOKENS_MAX = 8192 }; /* tokens of a warp: bounds memory for programs that push for ever; beyond it a trap */

/* As the functions of the same name in flow.h. The caller of hd_flow_start sets warp->tokens, which is empty. */
hd_flow_result hd_stack_branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_stack_jump(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane);
hd_flow_result hd_stack_call(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_stack_call_indirect(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane);
hd_flow_result hd_stack_return(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);
hd_flow_result hd_stack_exit(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken);
hd_flow_result hd_stack_push(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_stack_break(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target);
hd_flow_result hd_stack_sync(const hd_flow *flow, hd_warp_flow *warp);

/* RC-21: the PC has been loaded, in sequence or by a jump. Where the instruction has the flag and there is a token for it, the active lanes have
 * arrived, and others go on. This takes no issue slot. Afterwards MINRC is the next address with the flag, where the warp's window ends and the PC is
 * looked at again. A warp begins without tokens, so it need not be called before its first flow instruction. Requires: flow->code->meets. */
void hd_stack_meet(const hd_flow *flow, hd_warp_flow *warp);

/* Lanes of the running activation that have not begun their side of a branch, and wait for their turn at an address up to `pc`; 0 = there are none.
 * Such lanes would come to a `bar` at `pc` before it with resume counters (RC-17). *where is their lowest address. */
uint32_t hd_stack_sides_before(const hd_warp_flow *warp, uint32_t pc, uint32_t *where);

/* The address at which each waiting lane waits, HD_INF for other lanes: the counterpart of resume counters. For diagnosis. */
void hd_stack_waiting(const hd_warp_flow *warp, uint32_t where[HD_LANES]);

#endif

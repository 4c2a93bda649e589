#include "core/flow/decide.h"

#include "core/flow/groups.h"
#include "core/flow/stack.h"
#include "core/issue/readiness.h"
#include "core/issue/speculation.h"
#include "core/observe/diagnosis.h"
#include "core/observe/livelock.h"
#include "core/observe/observers.h"
#include "core/observe/stop.h"
#include "core/residency/preempt.h"
#include "core/residency/residency.h"
#include "launch/first_bars.h"

static void release_warps(hd_core *core, hd_cta *cta, uint32_t warps)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		for (uint32_t left = s->at_barrier; left; left &= left - 1) {
			unsigned warp = hd_lowest_bit(left);
			if (s->warp[warp].cta != cta || !(warps >> s->warp[warp].number & 1))
				continue;
			s->at_barrier &= ~(1u << warp);
			s->touched = true;
			cta->waiting--;
			core->context->watch->waiting--;
			hd_livelock_released(core, i, warp);
		}
	}
}

static void wait_at_barrier(hd_core *core, hd_scheduler *s, const hd_flight *flight, uint64_t now)
{
	hd_warp *warp = &s->warp[flight->warp];
	s->at_barrier |= 1u << flight->warp;
	warp->barrier_pc = flight->pc;
	warp->cta->waiting++;
	core->context->watch->waiting++;
	hd_livelock_waits(core, (unsigned)(s - core->scheduler), flight->warp, now);
}

/* PD-32: warps wait for child grids, behind a complete barrier. The manager resumes them when the last child has ended. */
static void join(hd_core *core, hd_cta *cta, uint64_t now)
{
	hd_child_grids *child_grids = cta->child_grids;
	if (!hd_child_grids_open(child_grids)) {
		hd_core_joined(core, cta);
		return;
	}
	if (child_grids->joining == HD_JOINING_RESIDENT || cta->stopping)
		return;
	core->stats->grids_joins++;
	if (core->context->machine->grids_join == HD_JOIN_SAVE) {
		hd_core_stop_cta(core, (uint32_t)(cta - core->ctas), now);
		return;
	}
	child_grids->joining = HD_JOINING_RESIDENT;
	child_grids->since = now;
	child_grids->core = core->number;
	child_grids->cta = (uint32_t)(cta - core->ctas);
}

void hd_core_joined(hd_core *core, hd_cta *cta)
{
	uint32_t warps = cta->barriers.joining;
	hd_lsu_invalidate(core->lsu); /* what the child grids wrote */
	cta->barriers.joining = 0;
	release_warps(core, cta, warps);
}

/* RC-17: barriers count warps. A warp without a participating lane continues. A number of threads below one warp counts as one warp. */
static void barrier(hd_core *core, hd_scheduler *s, const hd_flight *flight, const hd_inst *inst, uint64_t now)
{
	hd_warp *warp = &s->warp[flight->warp];
	hd_cta *cta = warp->cta;
	uint32_t release = 0, expected = 0;
	bool waits = inst->mod != HD_BAR_ARRIVE;
	if (!flight->mask)
		return;
	if (inst->b != HD_RZ) {
		uint32_t threads = flight->out.r[1].v[hd_lowest_bit(flight->mask)], lanes = hd_launch_lanes(&cta->grid->launch);
		expected = threads / lanes + (threads % lanes != 0);
		expected = expected > UINT16_MAX ? UINT16_MAX : expected ? expected : 1;
	}
	unsigned number = inst->a % HD_BARRIERS;
	HD_EVENT(core, arrive, s, flight->warp, number, now);
	if (inst->mod == HD_BAR_JOIN)
		hd_barrier_join(&cta->barriers, number);
	if (hd_barrier_arrive(&cta->barriers, number, warp->number, expected, waits, &release)) {
		HD_EVENT(core, release, s, flight->warp, number, release | cta->barriers.joining | (uint32_t)waits << warp->number, now);
		release_warps(core, cta, release);
		if (cta->barriers.joining >> warp->number & 1)
			wait_at_barrier(core, s, flight, now);
		if (cta->barriers.joining)
			join(core, cta, now);
	} else if (waits) {
		wait_at_barrier(core, s, flight, now);
	}
	if (!waits)
		hd_watch_progress(core->context->watch, now);
}

/* RC-16 */
static hd_flow_result decide_by_stack(hd_core *core, hd_scheduler *s, hd_flight *flight, unsigned *lane, uint64_t now)
{
	hd_warp_flow *warp = &s->flow[flight->warp];
	const hd_inst *inst = &core->slots[flight->pc].inst;
	const hd_flow *flow = &core->flow;
	switch (inst->op) {
	case HD_OP_BRA:
		return hd_stack_branch(flow, warp, flight->mask, (uint32_t)inst->imm);
	case HD_OP_BRX:
		return hd_stack_jump(flow, warp, flight->mask, &flight->out.r[0], lane);
	case HD_OP_CALL:
		return hd_stack_call(flow, warp, flight->mask, (uint32_t)inst->imm);
	case HD_OP_CALLX:
		return hd_stack_call_indirect(flow, warp, flight->mask, &flight->out.r[0], lane);
	case HD_OP_RET:
		return hd_stack_return(flow, warp, flight->mask);
	case HD_OP_EXIT:
		return hd_stack_exit(flow, warp, flight->mask);
	case HD_OP_PUSH:
		/* Lanes go on behind the sync of their token, or at its flag, so there is no token for another instruction. */
		return hd_stack_push(flow, warp, hd_code_meets(core->context->code, (uint32_t)inst->imm) ? flight->mask : 0, (uint32_t)inst->imm);
	case HD_OP_BRK:
		return hd_stack_break(flow, warp, flight->mask, (uint32_t)inst->imm);
	case HD_OP_SYNC:
		if (!flight->mask)
			break;
		return hd_stack_sync(flow, warp);
	case HD_OP_WSYNC: /* a side of a branch that waits below cannot run before this one has ended */
		hd_sync_arrive(warp->sync, flight->mask, &flight->out.r[0], &flight->out.r[1], hd_code_next(core->context->code, flight->pc));
		if (hd_sync_release(warp->sync, warp->alive) != flight->mask)
			return HD_FLOW_UNMET;
		break;
	case HD_OP_BAR: {
		uint32_t where;
		if (flight->mask && hd_stack_sides_before(warp, flight->pc, &where))
			return HD_FLOW_APART;
		barrier(core, s, flight, inst, now);
		break;
	}
	default:
		break;
	}
	warp->pc = hd_code_next(core->context->code, flight->pc);
	return HD_FLOW_GO;
}

/* RC-17: the warp arrives once, when no other group can come. The group that then goes on may wait at another `bar`, which it executes again. */
static hd_flow_result gather(hd_core *core, hd_scheduler *s, const hd_flight *flight, const hd_inst *inst, uint64_t now)
{
	hd_warp_flow *warp = &s->flow[flight->warp];
	if (!warp->gathered) {
		hd_flow_result result = hd_groups_gather(&core->flow, warp, flight->mask);
		if (result != HD_FLOW_GO || !warp->gathered || (flight->mask & ~warp->active))
			return result;
	}
	warp->gathered = 0;
	barrier(core, s, flight, inst, now);
	warp->pc = hd_code_next(core->context->code, flight->pc);
	return HD_FLOW_GO;
}

/* RC-16 */
static hd_flow_result decide_by_groups(hd_core *core, hd_scheduler *s, hd_flight *flight, unsigned *lane, uint64_t now)
{
	hd_warp_flow *warp = &s->flow[flight->warp];
	const hd_inst *inst = &core->slots[flight->pc].inst;
	const hd_flow *flow = &core->flow;
	switch (inst->op) {
	case HD_OP_BRA:
	case HD_OP_BRK:
		return hd_groups_branch(flow, warp, flight->mask, (uint32_t)inst->imm);
	case HD_OP_BRX:
		return hd_groups_jump(flow, warp, flight->mask, &flight->out.r[0], lane);
	case HD_OP_CALL:
		return hd_groups_call(flow, warp, flight->mask, (uint32_t)inst->imm);
	case HD_OP_CALLX:
		return hd_groups_call_indirect(flow, warp, flight->mask, &flight->out.r[0], lane);
	case HD_OP_RET:
		return hd_groups_return(flow, warp, flight->mask);
	case HD_OP_EXIT:
		return hd_groups_exit(flow, warp, flight->mask);
	case HD_OP_BSSY:
		return hd_groups_register(flow, warp, flight->mask, inst->a);
	case HD_OP_BREAK:
		return hd_groups_leave(flow, warp, flight->mask, inst->a);
	case HD_OP_BSYNC:
		return hd_groups_wait(flow, warp, flight->mask, inst->a);
	case HD_OP_YIELD:
		return hd_groups_yield(flow, warp, flight->mask);
	case HD_OP_WSYNC:
		return hd_groups_sync(flow, warp, flight->mask, flight->out.r);
	case HD_OP_BAR:
		return gather(core, s, flight, inst, now);
	default:
		break;
	}
	warp->pc = hd_code_next(core->context->code, flight->pc);
	return HD_FLOW_GO;
}

static hd_flow_result decide(hd_core *core, hd_scheduler *s, hd_flight *flight, unsigned *lane, uint64_t now)
{
	hd_warp_flow *warp = &s->flow[flight->warp];
	const hd_inst *inst = &core->slots[flight->pc].inst;
	const hd_flow *flow = &core->flow;
	if (core->flow.mode == HD_DIV_STACK) {
		hd_flow_result result = decide_by_stack(core, s, flight, lane, now);
		if (result == HD_FLOW_GO && flow->code->meets)
			hd_stack_meet(flow, warp);
		return result;
	}
	if (core->flow.mode == HD_DIV_BARRIERS)
		return decide_by_groups(core, s, flight, lane, now);
	switch (inst->op) {
	case HD_OP_BRA:
	case HD_OP_BRK:
		return hd_flow_branch(flow, warp, flight->mask, (uint32_t)inst->imm);
	case HD_OP_BRX:
		return hd_flow_jump(flow, warp, flight->mask, &flight->out.r[0], lane);
	case HD_OP_CALL:
		return hd_flow_call(flow, warp, flight->mask, (uint32_t)inst->imm);
	case HD_OP_CALLX:
		return hd_flow_call_indirect(flow, warp, flight->mask, &flight->out.r[0], lane);
	case HD_OP_RET:
		return hd_flow_return(flow, warp, flight->mask);
	case HD_OP_EXIT:
		return hd_flow_exit(flow, warp, flight->mask);
	case HD_OP_WSYNC:
		return hd_flow_sync(flow, warp, flight->mask, flight->out.r);
	case HD_OP_BAR: {
		uint32_t where;
		if (flight->mask && (warp->minrc != HD_INF || hd_flow_synced(warp)) && flow->code->first_bars &&
		    hd_flow_late_for_bar(flow, warp, &where))
			return HD_FLOW_APART;
		barrier(core, s, flight, inst, now);
		break;
	}
	default:
		break;
	}
	hd_flow_load(flow, warp, hd_code_next(core->context->code, flight->pc));
	return HD_FLOW_GO;
}

/* All remaining warps of the CTA wait at barriers, so none can complete one, and none waits for child grids. */
static bool stuck(const hd_cta *cta) { return cta->running && cta->waiting == cta->running && !cta->leaving && !cta->barriers.joining; }

static void report_stuck(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now)
{
	hd_text text = {0};
	hd_trap place = {0};
	hd_core_explain(core, now, &place, &text);
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_DEADLOCK, scheduler, warp, place.pc, 0, text.at});
	/* The place is that of a waiting warp, which need not be the warp that ended last. */
	place.kind = HD_TRAP_DEADLOCK;
	place.text = core->context->trap->text;
	*core->context->trap = place;
}

void hd_core_warp_left(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	hd_cta *cta = s->warp[warp].cta;
	hd_barriers before = cta->barriers;
	cta->leaving--;
	release_warps(core, cta, hd_barrier_end(&cta->barriers, s->warp[warp].number));
	HD_EVENT(core, end_of_barriers, s, warp, &before, now);
	if (cta->barriers.joining)
		join(core, cta, now);
	if (stuck(cta))
		report_stuck(core, (unsigned)(s - core->scheduler), warp, now);
}

/* RC-17: the warp arrives once, so the barrier would let go before the other lanes of the warp have come. */
static void report_apart(hd_core *core, unsigned scheduler, unsigned warp, const hd_flight *flight, uint64_t now)
{
	hd_text text = {0};
	uint32_t where, lanes = hd_stack_sides_before(&core->scheduler[scheduler].flow[warp], flight->pc, &where);
	hd_text_printf(&text, "  lanes 0x%08x of the warp come to a barrier of the CTA while lanes 0x%08x have not gone on from ", flight->mask,
	               lanes);
	hd_core_print_place(core, where, &text);
	hd_text_printf(&text, "\n  With divergence.mode = stack the barrier would let go without them, as it counts warps. `push` before the branch "
	                      "and `sync` before the "
	                      "barrier make them meet.\n");
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_DIVERGENCE, scheduler, warp, flight->pc, hd_lowest_bit(flight->mask), text.at});
}

/* The same with resume counters. */
static void report_late(hd_core *core, unsigned scheduler, unsigned warp, const hd_flight *flight, uint64_t now)
{
	hd_text text = {0};
	uint32_t where, lanes = hd_flow_late_for_bar(&core->flow, &core->scheduler[scheduler].flow[warp], &where);
	hd_first_bars_explain(core->context->tasks->program, flight->pc, flight->mask, lanes, where, &text);
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_DIVERGENCE, scheduler, warp, flight->pc, hd_lowest_bit(flight->mask), text.at});
}

/* RC-19: MINRC, which counts all threads, led the PC to a thread of another activation. */
static void report_left(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	const hd_warp_flow *flow = &core->scheduler[scheduler].flow[warp];
	uint32_t outside = flow->active & ~flow->members, inside = 0;
	hd_text text = {0};
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		inside |= flow->rc[lane] != HD_INF ? flow->members & 1u << lane : 0;
	hd_text_printf(&text, "  the PC left the subroutine: lanes 0x%08x, which did not call it, continue at ", outside);
	hd_core_print_place(core, flow->pc, &text);
	hd_text_printf(&text,
	               "\n  With divergence.membership = none MINRC counts them. Lanes 0x%08x wait in the subroutine, whose return address is "
	               "still on the stack.\n",
	               inside);
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_DIVERGENCE, scheduler, warp, pc, hd_lowest_bit(outside), text.at});
}

/* RC-19: the PC is behind all threads that wait. */
static void report_never(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	const hd_warp_flow *flow = &core->scheduler[scheduler].flow[warp];
	uint32_t waiting = 0;
	hd_text text = {0};
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		waiting |= (uint32_t)(flow->rc[lane] != HD_INF) << lane;
	for (uint32_t left = waiting, same; left; left &= ~same) {
		uint32_t place = flow->rc[hd_lowest_bit(left)];
		same = 0;
		for (uint32_t others = left; others; others &= others - 1)
			same |= flow->rc[hd_lowest_bit(others)] == place ? others & -others : 0;
		hd_text_printf(&text, "  thread never resumed: lanes 0x%08x wait at ", same);
		hd_core_print_place(core, place, &text);
		hd_text_printf(&text, "\n");
	}
	hd_text_printf(&text, "  With divergence.minrc = ignore jumps pass threads that wait, and the PC comes back to them only by a branch.\n");
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_DIVERGENCE, scheduler, warp, pc, hd_lowest_bit(waiting), text.at});
}

bool hd_resume_in_sequence(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	uint32_t pc = s->flow[warp].pc;
	if (s->guessing >> warp & 1) { /* who resumes here is known when the branch is decided */
		s->deciding |= 1u << warp;
		return true;
	}
	if (core->flow.mode == HD_DIV_STACK)
		hd_stack_meet(&core->flow, &s->flow[warp]);
	else
		hd_flow_resume(&core->flow, &s->flow[warp]);
	HD_EVENT(core, flow, s, warp, now);
	if (core->flow.membership == HD_MEMBER_NONE && hd_flow_has_left(&s->flow[warp]))
		report_left(core, (unsigned)(s - core->scheduler), warp, s->flow[warp].pc, now);
	if (s->flow[warp].pc == pc)
		return true;
	hd_fetch_restart(&s->fetch, warp, s->flow[warp].pc);
	core->stats->predecode_flushes++;
	return false;
}

/* RC-24. A lane changes its resume counter only when it becomes active or inactive, or when a call begins or ends. */
typedef struct flow_state {
	uint32_t active, minrc, members, depth;
} flow_state;

static flow_state state_of(const hd_warp_flow *flow) { return (flow_state){flow->active, flow->minrc, flow->members, flow->depth}; }

static bool changed(const hd_warp_flow *flow, const flow_state *before)
{
	flow_state now = state_of(flow);
	return memcmp(&now, before, sizeof now) != 0;
}

/* Lanes at a `wsync` name lanes that can't come. */
static void report_unmet(hd_core *core, unsigned scheduler, unsigned warp, uint32_t pc, uint64_t now)
{
	const hd_warp_flow *flow = &core->scheduler[scheduler].flow[warp];
	hd_text text = {0};
	hd_core_print_waiting(core, flow, &text);
	if (core->flow.mode == HD_DIV_STACK)
		hd_text_printf(&text, "  with the stack one side of a branch ends before the other begins; divergence.mode = barriers or resume\n");
	else if (core->flow.mode == HD_DIV_RESUME && flow->depth)
		hd_text_printf(&text, "  lanes in a call meet those of the same call alone; divergence.mode = barriers lets others come\n");
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_DEADLOCK, scheduler, warp, pc, hd_lowest_bit(flow->sync->lanes), text.at});
}

/* Stops the run at a flow instruction whose decision is an error. `lane` is the thread that caused it, where decide() names one. */
static void stop_at_flow(hd_core *core, unsigned scheduler, const hd_flight *flight, hd_flow_result result, unsigned lane, uint64_t now)
{
	unsigned warp = flight->warp, first = hd_lowest_bit(flight->mask);
	uint32_t pc = flight->pc;
	switch (result) {
	case HD_FLOW_PC:
		if (!core->stopped) {
			hd_core_stop(core, now, &(hd_stop){HD_TRAP_PC, scheduler, warp, pc, lane, NULL});
			core->context->trap->address = flight->out.r[0].v[lane];
		}
		break;
	case HD_FLOW_DEPTH:
		hd_core_stop(core, now, &(hd_stop){HD_TRAP_CALL_DEPTH, scheduler, warp, pc, first, NULL});
		break;
	case HD_FLOW_RECURSION:
		hd_core_stop(
		    core, now,
		    &(hd_stop){
		        HD_TRAP_DIVERGENCE, scheduler, warp, pc, first,
		        hd_xstrdup(
		            "  recursion: with divergence.membership = range the activations of one subroutine cannot be told apart (RC-10)\n")});
		break;
	case HD_FLOW_ORDER:
		hd_core_stop(
		    core, now,
		    &(hd_stop){
		        HD_TRAP_DIVERGENCE, scheduler, warp, pc, first,
		        hd_xstrdup("  a call to a lower address: divergence.membership = entry needs callers before their callees (RC-20), and no "
		                   "recursion\n")});
		break;
	case HD_FLOW_LEFT:
		report_left(core, scheduler, warp, pc, now);
		break;
	case HD_FLOW_NEVER:
		report_never(core, scheduler, warp, pc, now);
		break;
	case HD_FLOW_TOKENS:
		hd_core_stop(core, now,
		             &(hd_stop){HD_TRAP_DIVERGENCE, scheduler, warp, pc, lane,
		                        hd_xstrdup("  the stack of reconvergence tokens is full (divergence.mode = stack or barriers)\n")});
		break;
	case HD_FLOW_UNMET:
		report_unmet(core, scheduler, warp, pc, now);
		break;
	case HD_FLOW_APART:
		if (core->flow.mode == HD_DIV_STACK)
			report_apart(core, scheduler, warp, flight, now);
		else
			report_late(core, scheduler, warp, flight, now);
		break;
	case HD_FLOW_RETURN:
		hd_core_stop(core, now, &(hd_stop){HD_TRAP_RETURN, scheduler, warp, pc, first, NULL});
		break;
	case HD_FLOW_GO:
	case HD_FLOW_END:
		break;
	}
}

/* Goes on behind a decided flow instruction at the warp's new PC. Requires: the warp did not go on ahead by a guess. */
static void go_on_at(hd_core *core, hd_scheduler *s, unsigned warp, uint32_t pc, bool guessed, uint64_t now)
{
	const hd_warp_flow *flow = &s->flow[warp];
	if (!guessed && flow->pc == hd_code_next(core->context->code, pc)) {
		hd_fetch_consume(&s->fetch, warp, core->code[pc].room, flow->pc);
	} else {
		hd_fetch_restart(&s->fetch, warp, flow->pc);
		core->stats->predecode_flushes++;
	}
	hd_next_instruction(core, s, warp, now);
}

void hd_decide(hd_core *core, unsigned scheduler, hd_flight *flight, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	unsigned warp = flight->warp, lane = 0;
	hd_warp_flow *flow = &s->flow[warp];
	uint32_t pc = flight->pc;
	hd_cta *cta = s->warp[warp].cta;
	bool guessed = s->guessing >> warp & 1;
	s->deciding &= ~(1u << warp);
	s->touched = true;
	if (guessed)
		hd_speculation_return(s, warp, pc);
	if (now >= core->context->watch->from) {
		s->decided |= 1u << warp;
		core->watched = true;
	}
	if (core->slots[pc].inst.op == HD_OP_TRAP && flight->mask) {
		hd_core_stop(core, now, &(hd_stop){HD_TRAP_INSTRUCTION, scheduler, warp, pc, hd_lowest_bit(flight->mask), NULL});
		return;
	}
	flow_state before = state_of(flow);
	hd_flow_result result = decide(core, s, flight, &lane, now);
	if (core->flow.membership == HD_MEMBER_NONE && result == HD_FLOW_GO && hd_flow_has_left(flow))
		result = HD_FLOW_LEFT;
	HD_EVENT(core, decided, s, flight, result, lane);
	bool right = guessed && hd_speculation_end(core, scheduler, flight, result == HD_FLOW_GO, now);
	if (result == HD_FLOW_GO) {
		if (core->observers && changed(flow, &before))
			HD_EVENT(core, flow, s, warp, now);
		if (right)
			hd_speculation_go_on(core, s, warp, now);
		else
			go_on_at(core, s, warp, pc, guessed, now);
	} else if (result == HD_FLOW_END) {
		hd_core_end_warp(core, s, warp, now);
	} else {
		stop_at_flow(core, scheduler, flight, result, lane, now);
		return;
	}
	if (stuck(cta))
		report_stuck(core, scheduler, warp, now);
}

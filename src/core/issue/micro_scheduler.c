/* Micro scheduler (PD-13): picks, in the macro scheduler's order, the first warp whose next instruction may issue by its pre-decode data and by
 * what is known of the queues; it never looks at operands. Then the decoder has its say. */
#include "core/issue/decode.h"
#include "core/issue/dispatch.h"
#include "core/observe/tracing.h"
#include "memory/constant.h"

static void sleep_until(hd_scheduler *s, unsigned warp, uint64_t cycle)
{
	s->asleep |= 1u << warp;
	s->wake[warp] = cycle;
	if (cycle < s->wake_first)
		s->wake_first = cycle;
}

static void wake(hd_scheduler *s, uint64_t now)
{
	s->wake_first = HD_NEVER;
	for (uint32_t left = s->asleep | s->stalled; left; left &= left - 1) {
		unsigned warp = (unsigned)__builtin_ctz(left);
		if (s->wake[warp] <= now) {
			s->asleep &= ~(1u << warp);
			s->stalled &= ~(1u << warp);
		} else if (s->wake[warp] < s->wake_first) {
			s->wake_first = s->wake[warp];
		}
	}
}

/* PD-8: what the hint of the warp's next instruction, at the head of its FIFO, says. */
static void note_hold(hd_scheduler *s, unsigned warp, const hd_static *row)
{
	uint32_t bit = 1u << warp;
	s->holds &= ~bit;
	s->passing &= ~bit;
	s->for_memory &= ~bit;
	if (!(row->asks & HD_ASK_HOLD))
		return;
	s->holds |= bit;
	if (row->asks & HD_ASK_PASS_REPLAY)
		s->passing |= bit;
	if (row->asks & HD_ASK_WAIT_MEMORY && s->warp[warp].memory)
		s->for_memory |= bit;
}

/* PD-9: boosts and lowers begin when the next instruction of the warp is at the head of its FIFO and its delay or wait has passed. */
static void begin_adjustments(hd_core *core, hd_scheduler *s, uint64_t now)
{
	uint32_t heads = s->live & ~(s->deciding | s->at_barrier | s->descheduled | s->asleep | s->fetch.starved) & s->adjusting;
	s->adjusting &= ~heads;
	for (; heads; heads &= heads - 1) {
		unsigned warp = (unsigned)__builtin_ctz(heads);
		bool rises = s->rising >> warp & 1;
		hd_macro_adjust(&s->macro, warp, rises ? 1 : -1, now, s->span[warp]);
		s->lowered = rises ? s->lowered & ~(1u << warp) : s->lowered | 1u << warp;
		if (!rises && now + s->span[warp] < s->neutral)
			s->neutral = now + s->span[warp];
		*(rises ? &core->stats->predecode_boosts : &core->stats->predecode_lowers) += 1;
	}
}

static void end_lowers(hd_scheduler *s, uint64_t now)
{
	s->neutral = HD_NEVER;
	for (uint32_t left = s->lowered; left; left &= left - 1) {
		unsigned warp = (unsigned)__builtin_ctz(left);
		if (s->macro.until[warp] <= now)
			s->lowered &= ~(1u << warp);
		else if (s->macro.until[warp] < s->neutral)
			s->neutral = s->macro.until[warp];
	}
}

void hd_micro_next(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	const hd_static *row = &core->code[s->flow[warp].pc];
	uint64_t earliest = now + row->wait; /* PD-6 */
	s->next_pipe[warp] = (uint16_t)(1u << row->pipe);
	if ((row->asks & HD_ASK_HOLD) | (s->holds >> warp & 1))
		note_hold(s, warp, row);
	if (core->window) {
		hd_window_enter(&s->window, warp, now);
		return;
	}
	if (s->asleep >> warp & 1 && s->wake[warp] > earliest)
		return; /* the delay of the one before lasts longer */
	if (earliest > now)
		sleep_until(s, warp, earliest);
}

static void go_on(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row)
{
	hd_flow_load(&core->flow, &s->flow[warp], row->next);
	hd_fetch_consume(&s->fetch, warp, 1, s->flow[warp].pc);
}

/* PD-5: nothing more of the warp before its delay is over. Sleepers of one cycle are not put to sleep: the next look is a cycle away. */
static void after_issue(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	if (row->asks & (HD_ASK_BOOST | HD_ASK_LOWER)) {
		uint32_t bit = 1u << warp;
		s->adjusting |= bit;
		s->rising = row->asks & HD_ASK_BOOST ? s->rising | bit : s->rising & ~bit;
		s->span[warp] = row->cycles;
	}
	if (row->delay > 1)
		sleep_until(s, warp, now + hd_delay_behind(s, row));
	if (row->kind == HD_KIND_FLOW) {
		s->deciding |= 1u << warp;
		return;
	}
	go_on(core, s, warp, row);
	hd_micro_next(core, s, warp, now + 1);
}

uint64_t hd_micro_constant(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now)
{
	const hd_bank *bank = s->warp[warp].cta->grid->bank;
	uint64_t there = hd_constants_operand(core->constants, now, hd_constants_bank(bank, 4u * row->word), core->stats);
	if (there > now)
		s->for_constant |= 1u << warp;
	else
		s->for_constant &= ~(1u << warp);
	return there;
}

/* PD-7: whether the one behind `first`, which is being issued, can issue in the same cycle: it is there, nobody resumes before it (MI-9), its queue
 * has room, and the decoder would not send it back. */
static bool second_can(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *first, uint64_t now)
{
	const hd_static *second = &core->code[first->next];
	uint16_t watch;
	if (first->next >= s->fetch.have[warp] || first->next == s->flow[warp].minrc || s->full >> second->pipe & 1 ||
	    hd_decoder_check(second, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &watch) != HD_SEND)
		return false;
	if (second->constant && hd_micro_constant(core, s, warp, second, now) > now) {
		s->for_constant &= ~(1u << warp); /* it is not the next yet */
		return false;
	}
	return true;
}

/* Decodes and sends the instruction at the PC of a warp. */
static void send(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	uint32_t pc = s->flow[warp].pc;
	s->used++;
	core->stats->predecode_decoded++;
	if (core->trace)
		hd_tell_issue(core, scheduler, warp, pc, 1, now);
	if (row->kind == HD_KIND_NOP)
		hd_counted_issue(&s->counted, warp, row);
	else
		hd_dispatch(core, scheduler, warp, pc, now);
	core->stats->run_issued++;
}

/* `slot`: an issue slot was lost with it. */
static void deschedule(hd_core *core, hd_scheduler *s, unsigned warp, hd_verdict verdict, bool slot, uint64_t now)
{
	uint32_t bit = 1u << warp;
	s->descheduled |= bit;
	if (verdict == HD_WAIT_WAITERS)
		s->for_waiters |= bit;
	if (verdict == HD_WAIT_ROOM)
		s->for_room |= bit;
	if (slot)
		s->stall[hd_stall_of_verdict(verdict)]++;
	core->stats->fence_descheduled++;
	core->stats->predecode_decoded++;
	core->stats->predecode_flushes++;
	hd_fetch_restart(&s->fetch, warp, s->flow[warp].pc);
	if (core->trace)
		hd_tell_descheduled(core, s, warp, verdict, slot, now);
}

/* Why no warp can be picked. Of several reasons, the one that is the last step before issue. */
static hd_stall cause(const hd_core *core, const hd_scheduler *s)
{
	(void)core;
	uint32_t live = s->live;
	uint32_t held = s->deciding | s->at_barrier | s->descheduled;
	uint32_t able = live & ~held & ~s->fetch.starved;
	if (!live)
		return HD_STALL_NO_WARP;
	for (uint32_t left = able & ~(s->asleep | s->blocked | s->for_memory); left; left &= left - 1) {
		uint32_t full = s->full & s->next_pipe[__builtin_ctz(left)];
		if (full) /* without anything in its hazard queue it is the pipe that cannot keep up */
			return s->queue[__builtin_ctz(full)].hazard_n ? HD_STALL_QUEUE_FULL : HD_STALL_UNIT_BUSY;
	}
	if (able & s->blocked)
		return HD_STALL_SCOREBOARD;
	if (able & s->for_constant)
		return HD_STALL_CONSTANT;
	if (able & ~s->for_memory)
		return HD_STALL_DELAY;
	if (able)
		return HD_STALL_HOLD;
	if (live & s->deciding)
		return HD_STALL_FLOW;
	if (live & ~held)
		return HD_STALL_FETCH;
	if (live & s->for_waiters)
		return HD_STALL_WAIT_COUNTER;
	if (live & s->for_room)
		return HD_STALL_COUNTER_FULL;
	if (live & s->descheduled)
		return HD_STALL_HIGH_LATENCY;
	return live & s->at_barrier ? HD_STALL_BARRIER : HD_STALL_OTHER;
}

static uint32_t ready(const hd_core *core, const hd_scheduler *s, uint32_t except)
{
	uint32_t can = s->live & ~(s->deciding | s->at_barrier | s->descheduled | s->asleep | s->for_memory | s->fetch.starved | except);
	if (core->window) /* which looks past an instruction that has to wait */
		return can & ~s->stalled;
	can &= ~s->blocked;
	if (s->full) {
		for (uint32_t left = can; left; left &= left - 1)
			if (s->next_pipe[__builtin_ctz(left)] & s->full)
				can &= ~(left & -left);
	}
	return can;
}

static unsigned first_in_order(const hd_macro *macro, uint32_t can)
{
	unsigned at = 0;
	if (!(can & (can - 1)))
		return (unsigned)__builtin_ctz(can);
	while (!(can >> macro->order[at] & 1))
		at++;
	return macro->order[at];
}

/* The warp whose turn it is: one that holds, before a replay or not (PD-8); else the first in order (PD-13), one that was lowered only when there is
 * no other. HD_WARP_SLOTS: a replay's turn (PD-16). */
static unsigned choose(hd_core *core, const hd_scheduler *s, uint32_t can, bool replay)
{
	uint32_t pick = can & (replay ? s->passing : s->holds);
	if (!pick && replay)
		return HD_WARP_SLOTS;
	if (!pick)
		pick = can & ~s->lowered ? can & ~s->lowered : can;
	unsigned warp = first_in_order(&s->macro, pick);
	if (pick != can && first_in_order(&s->macro, can) != warp)
		*(s->holds >> warp & 1 ? &core->stats->predecode_held : &core->stats->predecode_yields) += 1;
	return warp;
}

static inline void lost(const hd_core *core, hd_scheduler *s, hd_stall why, uint32_t slots, uint64_t now)
{
	s->stall[why] += slots;
	if (core->trace)
		hd_tell_lost(core, s, why, slots, now, 1);
}

static void stop_at(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now)
{
	uint32_t pc = core->scheduler[scheduler].flow[warp].pc;
	if (core->stopped)
		return;
	hd_core_stop(core, now, HD_TRAP_PC, scheduler, warp, pc, 0, NULL);
	core->context->trap->address = pc;
}

/* The run stops in the middle of a cycle: the slots that nobody took are nobody's, so that the account still adds up. */
static void close_account(hd_core *core, hd_scheduler *s, uint32_t slots, uint64_t now)
{
	if (slots)
		lost(core, s, HD_STALL_OTHER, slots, now);
}

/* Nothing of the warp's window can be sent: not looked at before that may have changed. */
static void stall(hd_scheduler *s, unsigned warp, uint64_t until)
{
	s->stalled |= 1u << warp;
	s->wake[warp] = until;
	if (until < s->wake_first)
		s->wake_first = until;
}

/* A warp's turn when it has a window: what it sends takes one issue slot, however much it is. False: the run was stopped. */
static bool tick_window(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, uint32_t *slot, uint32_t *sent)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_verdict verdict;
	unsigned n;
	uint64_t until;
	hd_window_result result = hd_window_send(core, scheduler, warp, now, &n, &verdict, &until);
	if (result == HD_WINDOW_SENT) {
		core->stats->run_issued += n;
		core->stats->predecode_decoded += n;
		*sent += n;
		s->used++;
		++*slot;
		return true;
	}
	switch (result) {
	case HD_WINDOW_BLOCKED:
		s->blocked |= 1u << warp;
		stall(s, warp, until);
		return true;
	case HD_WINDOW_HELD: /* no slot is lost by looking */
		stall(s, warp, until);
		return true;
	case HD_WINDOW_LATE: /* found out in the decoder */
		++*slot;
		lost(core, s, HD_STALL_CONSTANT, 1, now);
		s->asleep |= 1u << warp;
		stall(s, warp, until);
		return true;
	case HD_WINDOW_REFUSED: {
		/* MI-2: only what waits for no long-range dependence is a candidate, so that such a warp is not chosen in the first place. */
		bool chosen = verdict != HD_WAIT_FENCE || core->window == 1;
		deschedule(core, s, warp, verdict, chosen, now);
		*slot += chosen;
		return true;
	}
	case HD_WINDOW_BAD:
		stop_at(core, scheduler, warp, now);
		return false;
	default:
		break;
	}
	hd_invariant(false, "a window ends in state %d", (int)result);
}

void hd_micro_tick(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (!s->touched && now < s->idle_until) {
		lost(core, s, s->idle_cause, core->width, now);
		s->sent[0]++;
		return;
	}
	s->touched = false;
	if (core->window)
		s->asleep &= s->stalled;
	if (now >= s->wake_first)
		wake(s, now);
	if (s->adjusting)
		begin_adjustments(core, s, now);
	if (now >= s->neutral)
		end_lowers(s, now);
	uint32_t done = 0; /* warps that had their turn in this cycle */
	uint32_t slot = 0, sent = 0;
	while (slot < core->width) {
		uint32_t can = ready(core, s, done);
		bool replay = now >= s->replay.next;
		if (!can && !replay)
			break;
		unsigned warp = replay || can & (s->holds | s->lowered) ? choose(core, s, can, replay) : first_in_order(&s->macro, can);
		if (warp == HD_WARP_SLOTS) {
			hd_replay_issue(core, s, now);
			lost(core, s, HD_STALL_REPLAY, 1, now);
			slot++;
			continue;
		}
		if (core->window) {
			done |= 1u << warp;
			if (!tick_window(core, scheduler, warp, now, &slot, &sent)) {
				close_account(core, s, core->width - slot, now);
				return;
			}
			continue;
		}
		const hd_static *row = &core->code[s->flow[warp].pc];
		if (core->needs && row->kind != HD_KIND_NOP && !hd_scoreboard_ready(s->scoreboard, warp, &core->needs[s->flow[warp].pc])) {
			s->blocked |= 1u << warp; /* every warp is checked in every cycle: no slot is lost by asking */
			continue;
		}
		done |= 1u << warp;
		slot++;
		if (row->kind == HD_KIND_BAD) {
			stop_at(core, scheduler, warp, now);
			close_account(core, s, core->width - slot + 1, now);
			return;
		}
		if (row->constant) {
			uint64_t there = hd_micro_constant(core, s, warp, row, now);
			if (there > now) { /* found out in the decoder: the slot is lost */
				sleep_until(s, warp, there);
				lost(core, s, HD_STALL_CONSTANT, 1, now);
				continue;
			}
		}
		hd_verdict verdict = hd_decoder_check(row, s->fence.flags[warp], s->fence.full[warp], s->waiters.flags[warp], &s->watch[warp]);
		if (verdict != HD_SEND) {
			deschedule(core, s, warp, verdict, true, now);
			continue;
		}
		send(core, scheduler, warp, row, now);
		if (row->asks & HD_ASK_PAIR) {
			if (slot < core->width && second_can(core, s, warp, row, now)) {
				go_on(core, s, warp, row);
				hd_counted_pair(&s->counted, warp, row);
				row = &core->code[row->next];
				send(core, scheduler, warp, row, now);
				core->stats->predecode_pairs++;
				sent++;
				slot++;
			} else {
				core->stats->predecode_split++;
			}
		}
		sent++;
		after_issue(core, s, warp, row, now);
	}
	s->sent[sent < HD_SENT_MAX ? sent : HD_SENT_MAX]++;
	if (slot) {
		s->idle_until = now + 1;
		if (slot < core->width)
			lost(core, s, cause(core, s), core->width - slot, now);
	} else {
		s->idle_cause = cause(core, s);
		s->idle_until = s->wake_first < s->replay.next ? s->wake_first : s->replay.next;
		lost(core, s, s->idle_cause, core->width, now);
	}
}

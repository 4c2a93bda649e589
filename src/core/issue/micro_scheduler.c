#include "core/issue/micro_scheduler.h"

#include "core/account.h"
#include "core/execute/replay.h"
#include "core/issue/readiness.h"

static unsigned first_in_order(const hd_macro *macro, uint32_t can)
{
	unsigned at = 0;
	if (!(can & (can - 1)))
		return hd_lowest_bit(can);
	while (!(can >> macro->order[at] & 1))
		at++;
	return macro->order[at];
}

/* The next warp to issue. A warp with a hold hint goes first, before a replay or after it (PD-8), and so does one that follows (PD-30). Then the
 * first warp in order goes, with lowered warps last (PD-13). HD_WARP_SLOTS: a replay issues (PD-16). */
static unsigned choose(hd_core *core, const hd_scheduler *s, uint32_t can, bool replay)
{
	uint32_t pick = can & ((replay ? s->hold_before_replay : s->hold) | s->following);
	if (!pick && replay)
		return HD_WARP_SLOTS;
	if (!pick)
		pick = can & ~s->lowered ? can & ~s->lowered : can;
	unsigned warp = first_in_order(&s->macro, pick);
	if (pick != can && first_in_order(&s->macro, can) != warp)
		*(s->hold >> warp & 1        ? &core->stats->predecode_held
		  : s->following >> warp & 1 ? &core->stats->predecode_consecutive
		                             : &core->stats->predecode_yields) += 1;
	return warp;
}

/* Accounts for the remaining slots. When the run stops in the middle of a cycle, they count for the cause `other`, so the account still adds up. */
static void close_cycle(hd_core *core, hd_scheduler *s, const hd_issue_cycle *cycle, bool stopped, uint64_t now)
{
	uint32_t left = core->width - cycle->slots;
	if (stopped) {
		if (left)
			hd_lose_slots(core, s, HD_STALL_OTHER, left, now);
		return;
	}
	s->sent[hd_min_u32(cycle->sent, HD_SENT_MAX)]++;
	if (cycle->slots) {
		s->idle_until = now + 1;
		if (left)
			hd_lose_slots(core, s, hd_idle_cause(s), left, now);
		return;
	}
	s->idle_cause = hd_idle_cause(s);
	s->idle_until = hd_min_u64(s->wake_first, s->replay.next);
	hd_lose_slots(core, s, s->idle_cause, left, now);
}

void hd_micro_issue(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_issue_cycle cycle = {0};
	bool go = true;
	s->touched = false;
	hd_update_readiness(core, s, now);
	while (go && cycle.slots < core->width) {
		uint32_t can = hd_ready_warps(core, s, cycle.done);
		bool replay = now >= s->replay.next;
		if (!can && !replay)
			break;
		unsigned warp = replay || can & (s->hold | s->lowered | s->following) ? choose(core, s, can, replay) : first_in_order(&s->macro, can);
		if (warp == HD_WARP_SLOTS) {
			hd_replay_issue(core, s, now);
			hd_lose_slots(core, s, HD_STALL_REPLAY, 1, now);
			cycle.slots++;
		} else {
			go = core->issue(core, scheduler, warp, now, &cycle);
		}
	}
	close_cycle(core, s, &cycle, !go, now);
}

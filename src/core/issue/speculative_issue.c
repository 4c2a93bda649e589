#include "core/issue/speculative_issue.h"

#include "core/issue/row_issue.h"
#include "core/issue/speculation.h"
#include "core/issue/window.h"

/* Marks all that the warp has sent in this cycle: it waits for the branch. */
static void mark(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now)
{
	for (uint32_t left = s->occupied; left; left &= left - 1)
		core->stats->predecode_speculated += hd_queue_mark(&s->queue[hd_lowest_bit(left)], warp, now);
}

/* True when the warp may send its next instruction before the decision. An instruction goes to an empty queue alone: what waits for a branch would
 * hold back other warps' instructions. */
static bool may_go_on(const hd_core *core, const hd_scheduler *s, unsigned warp)
{
	const hd_static *row = &core->code[s->flow[warp].pc];
	return hd_may_speculate(row) && (row->kind == HD_KIND_NOP || hd_queue_empty(&s->queue[row->pipe]));
}

bool hd_speculative_issue(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, hd_issue_cycle *cycle)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	bool guessing = s->guessing >> warp & 1;
	if (guessing && !may_go_on(core, s, warp)) {
		s->deciding |= 1u << warp;
		cycle->done |= 1u << warp;
		return true;
	}
	if (!(core->window ? hd_window_issue : hd_row_issue)(core, scheduler, warp, now, cycle))
		return false;
	if (guessing)
		mark(core, s, warp, now);
	else if (s->deciding >> warp & 1)
		hd_speculation_begin(core, s, warp, now);
	return true;
}

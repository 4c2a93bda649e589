/* Micro scheduler (PD-13). It picks the first warp, in the macro scheduler's order, whose next instruction may issue by its pre-decode data and by
 * the state of the queues. It never reads operands. The decoder checks the picked instruction. */
#ifndef HD_CORE_MICRO_SCHEDULER_H
#define HD_CORE_MICRO_SCHEDULER_H

#include "core/account.h"

/* The issues of a scheduler in the current cycle. */
typedef struct hd_issue_cycle {
	uint32_t slots; /* issue slots that are taken */
	uint32_t sent;  /* instructions */
	uint32_t done;  /* warps whose turn is over */
} hd_issue_cycle;

/* For hd_micro_tick: a cycle in which something may issue. */
void hd_micro_issue(hd_core *core, unsigned scheduler, uint64_t now);
/* One cycle of a scheduler's issue slots. */
static inline void hd_micro_tick(hd_core *core, hd_scheduler *s, unsigned scheduler, uint64_t now)
{
	if (s->touched || now >= s->idle_until || core->context->eager) {
		hd_micro_issue(core, scheduler, now);
		return;
	}
	hd_lose_slots(core, s, s->idle_cause, core->width, now);
	s->sent[0]++;
}

#endif

#include "core/state.h"

static inline void reactivate(hd_scheduler *s, unsigned warp)
{
	s->descheduled &= ~(1u << warp);
	s->for_waiters &= ~(1u << warp);
	s->touched = true;
}

/* A flag fell: those that watch it look again, queues in cycle `look` at the latest. */
static void cleared(hd_scheduler *s, unsigned warp, uint64_t look)
{
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		hd_queue *queue = &s->queue[__builtin_ctz(left)];
		if (queue->next > look)
			queue->next = look;
	}
	hd_unstall(s, 1u << warp);
	if ((s->descheduled & ~s->for_waiters) >> warp & 1 && !(s->fence.flags[warp] & s->watch[warp]))
		reactivate(s, warp);
}

static void lower(hd_core *core, unsigned scheduler, unsigned warp, unsigned counter, unsigned groups, uint64_t now, uint64_t look)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	switch (hd_fence_lower(&s->fence, warp, counter, groups)) {
	case HD_FENCE_OUTSTANDING:
		return;
	case HD_FENCE_CLEAR:
		cleared(s, warp, look);
		return;
	default: {
		hd_text text = {0};
		hd_text_printf(&text, "  fence counter %u of warp slot %u is %u and would be lowered by %u\n", counter, warp,
		               s->fence.value[warp][counter - 1], groups);
		hd_core_stop(core, now, HD_TRAP_COUNTER, scheduler, warp, s->flow[warp].pc, 0, text.at);
	}
	}
}

void hd_monitor_written(hd_core *core, unsigned scheduler, unsigned warp, unsigned counter, unsigned groups, uint64_t now)
{
	lower(core, scheduler, warp, counter, groups, now, now);
}

void hd_monitor_commit(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	for (uint32_t i = 0; i < s->n_releases; i++)
		lower(core, scheduler, s->release[i].warp, s->release[i].counter, s->release[i].groups, now, now + 1);
	s->n_releases = 0;
}

void hd_monitor_waiters(hd_scheduler *s, unsigned warp)
{
	hd_unstall(s, 1u << warp);
	if (s->for_waiters >> warp & 1 && !(s->waiters.flags[warp] & s->watch[warp]))
		reactivate(s, warp);
}

#include "core/issue/monitor.h"

#include "core/issue/wakeup.h"
#include "core/observe/stop.h"
#include "core/observe/observers.h"

static inline void reactivate(hd_scheduler *s, unsigned warp)
{
	s->descheduled &= ~(1u << warp);
	s->for_waiters &= ~(1u << warp);
	s->for_room &= ~(1u << warp);
	s->touched = true;
}

/* Handles a counter that became clear. Warps and queues that watch it check again, and queues do so in cycle `look` at the latest. */
static void cleared(hd_scheduler *s, unsigned warp, uint64_t look)
{
	for (uint32_t left = s->occupied; left; left &= left - 1) {
		hd_queue *queue = &s->queue[hd_lowest_bit(left)];
		if (queue->next > look)
			queue->next = look;
	}
	hd_windows_retry(s, 1u << warp);
	if ((s->descheduled & ~(s->for_waiters | s->for_room)) >> warp & 1 && !(s->fence.flags[warp] & s->watch[warp]))
		reactivate(s, warp);
}

/* Handles a counter of the warp that is no longer full. Primaries that wait for room are decoded again. */
static void has_room(hd_scheduler *s, unsigned warp)
{
	hd_windows_retry(s, 1u << warp);
	if (s->for_room >> warp & 1 && !(s->fence.full[warp] & s->watch[warp]))
		reactivate(s, warp);
}

/* `look`: the cycle in which queues see a counter that becomes clear now. */
static void lower(hd_scheduler *s, unsigned warp, unsigned counter, unsigned units, uint64_t look)
{
	unsigned change = hd_fence_lower(&s->fence, warp, counter, units);
	if (change & HD_FENCE_CLEAR)
		cleared(s, warp, look);
	if (change & HD_FENCE_ROOM)
		has_room(s, warp);
}

void hd_monitor_written(hd_core *core, unsigned scheduler, unsigned warp, unsigned counter, unsigned units, uint64_t now)
{
	lower(&core->scheduler[scheduler], warp, counter, units, now);
	HD_EVENT(core, counter, &core->scheduler[scheduler], HD_RECORD_FENCE_WRITTEN, warp, counter, units, now);
}

void hd_monitor_commit(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	for (uint32_t i = 0; i < s->n_releases; i++) {
		lower(s, s->release[i].warp, s->release[i].counter, s->release[i].units, now + 1);
		HD_EVENT(core, counter, s, HD_RECORD_FENCE_RELEASED, s->release[i].warp, s->release[i].counter, s->release[i].units, now);
	}
	s->n_releases = 0;
}

static void publish(hd_scheduler *s, unsigned which, uint64_t now)
{
	for (uint32_t left = s->fence.late.any[which]; left; left &= left - 1)
		if (hd_fence_publish_late(&s->fence, which, hd_lowest_bit(left)))
			cleared(s, hd_lowest_bit(left), now);
	for (uint32_t left = s->waiters.late.any[which]; left; left &= left - 1)
		if (hd_waiters_publish_late(&s->waiters, which, hd_lowest_bit(left)))
			hd_monitor_waiters(s, hd_lowest_bit(left));
}

/* A request is answered in the cycle after the counter fell. */
static void answer_requests(hd_scheduler *s, uint64_t now)
{
	publish(s, 1, now);
	hd_late_ask(&s->fence.late);
	hd_late_ask(&s->waiters.late);
}

void hd_monitor_publish(hd_core *core, uint64_t now)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		if (!core->status_period)
			answer_requests(&core->scheduler[i], now);
		else if (now % core->status_period == 0)
			publish(&core->scheduler[i], 0, now);
	}
}

uint64_t hd_monitor_publishes(const hd_core *core, uint64_t now)
{
	uint32_t late = 0;
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		for (unsigned which = 0; which < 2; which++)
			late |= core->scheduler[i].fence.late.any[which] | core->scheduler[i].waiters.late.any[which];
	if (!late)
		return HD_NEVER;
	return core->status_period ? now + core->status_period - now % core->status_period : now + 1;
}

void hd_monitor_waiters(hd_scheduler *s, unsigned warp)
{
	hd_windows_retry(s, 1u << warp);
	if (s->for_waiters >> warp & 1 && !(s->waiters.flags[warp] & s->watch[warp]))
		reactivate(s, warp);
}

void hd_monitor_judge(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	unsigned warp, counter;
	hd_text text = {0};
	if (!hd_fence_wrong(&s->fence, &warp, &counter))
		return;
	hd_text_printf(&text, "  fence counter %u of warp slot %u is %d, it counts from 0 to %d\n", counter, warp, s->fence.value[warp][counter - 1],
	               s->fence.limit);
	hd_core_stop(core, now, &(hd_stop){HD_TRAP_COUNTER, scheduler, warp, s->flow[warp].pc, 0, text.at});
}

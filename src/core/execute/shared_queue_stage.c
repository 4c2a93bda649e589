#include "core/execute/shared_queue_stage.h"

#include "core/execute/narrow.h"
#include "core/execute/pipeline.h"
#include "core/issue/monitor.h"
#include "core/issue/wakeup.h"

/* The head left. Instructions and windows that wait for room check again. */
static void pop(hd_core *core, hd_scheduler *s, uint64_t now)
{
	hd_shared_queue *shared = s->shared;
	for (unsigned pipe = 0; hd_shared_queue_full(shared) && pipe < HD_PIPE_COUNT; pipe++)
		hd_queue_has_room(core, s, pipe);
	shared->head = (uint8_t)((shared->head + 1) % shared->size);
	if (--shared->n)
		s->queue[shared->pipe[shared->head]].next = now + 1;
}

/* The first cycle in which the head may leave, as far as it is known. A counter that clears wakes the queue earlier. */
static uint64_t next_try(const hd_scheduler *s, const hd_queue *queue, uint64_t accept)
{
	const hd_sent *head = &queue->fifo[queue->fifo_head];
	if (head->wait & s->fence.flags[head->warp])
		return HD_NEVER;
	return hd_max_u64(queue->of[head->warp].entered + head->gap, accept);
}

/* The response to the head by a pipe that can refuse (PD-26). *accept becomes the present cycle where the head does not wait for the pipe. */
static hd_reception refusing_accepts(hd_core *core, hd_scheduler *s, const hd_queue *queue, uint64_t *accept, uint64_t now)
{
	const hd_sent *head = hd_queue_candidate(queue, s->fence.flags, now);
	hd_reception how = {.what = HD_RECEPTION_WAITS};
	if (head)
		how = hd_replay_receives(core, s, head, *accept, now);
	*accept = head && how.what == HD_RECEPTION_WAITS ? HD_NEVER : now;
	return how;
}

static void try_head(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	unsigned pipe = s->shared->pipe[s->shared->head];
	hd_queue *queue = &s->queue[pipe];
	hd_sent sent;
	/* Only the head can leave. */
	for (uint32_t left = s->occupied & ~(1u << pipe); left; left &= left - 1)
		s->queue[hd_lowest_bit(left)].next = HD_NEVER;
	if (queue->next > now && !core->context->eager)
		return;
	uint64_t accept = hd_pipeline_accepts(core, s, pipe, now);
	hd_reception how = {.what = HD_RECEPTION_ENTERS};
	bool refusing = core->refusing >> pipe & 1;
	if (refusing)
		how = refusing_accepts(core, s, queue, &accept, now);
	if (!hd_queue_passes(queue, s->fence.flags, now) || !hd_queue_pass(queue, now, accept, &sent)) {
		queue->next = refusing && accept == HD_NEVER ? now + 1 : next_try(s, queue, accept);
		return;
	}
	if (hd_queue_empty(queue))
		s->occupied &= ~(1u << pipe);
	queue->next = HD_NEVER;
	pop(core, s, now);
	if (how.what == HD_RECEPTION_REFUSED)
		hd_pipeline_refuse(core, scheduler, &sent, &how, now);
	else
		hd_pipeline_enter(core, scheduler, &sent, now);
}

void hd_shared_queue_stage(hd_core *core, unsigned scheduler, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	if (s->entering)
		hd_narrow_continue(core, scheduler, now);
	if (hd_replay_enters(&s->replay, now))
		hd_replay_enter(core, scheduler, now);
	if (s->shared->n)
		try_head(core, scheduler, now);
	if (s->n_releases)
		hd_monitor_commit(core, scheduler, now);
}

bool hd_shared_queue_stages(hd_core *core, uint64_t now)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		hd_shared_queue_stage(core, i, now);
	return true;
}

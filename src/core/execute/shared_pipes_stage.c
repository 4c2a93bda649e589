#include "core/execute/shared_pipes_stage.h"

#include "core/execute/queue_step.h"
#include "core/execute/shared_pipes.h"

/* Gives the instruction that has just entered a copy of its pipe, which is then taken. The pipe is free when a copy is. */
static void take_copy(hd_core *core, unsigned scheduler, unsigned pipe)
{
	hd_shared_pipes *pipes = core->pipes;
	bool shared = pipes->shared >> pipe & 1;
	uint64_t *copies = (shared ? &pipes->entry[pipe] : &pipes->own[scheduler][pipe])->free, until = core->scheduler[scheduler].pipe_free[pipe];
	unsigned first = 0;
	for (unsigned i = 1; i < pipes->copies[pipe]; i++)
		if (copies[i] < copies[first])
			first = i;
	copies[first] = until; /* in the past, if it was dropped (HZ-16) */
	uint64_t least = copies[0];
	for (unsigned i = 1; i < pipes->copies[pipe]; i++)
		least = hd_min_u64(least, copies[i]);
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		if (shared || i == scheduler)
			core->scheduler[i].pipe_free[pipe] = least;
}

/* The queue of a pipe that belongs to one scheduler. */
static void own_queue(hd_core *core, unsigned scheduler, unsigned pipe, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	hd_queue *queue = &s->queue[pipe];
	hd_sent sent;
	for (unsigned copy = 0; copy < core->pipes->copies[pipe] && !hd_queue_empty(queue); copy++) {
		if (!copy && queue->next > now && !core->context->eager)
			return;
		if (!hd_leaves_queue(core, s, queue, pipe, now, hd_pipeline_accepts(core, s, pipe, now), &sent))
			return;
		hd_pipeline_enter(core, scheduler, &sent, now);
		if (core->pipes->several >> pipe & 1)
			take_copy(core, scheduler, pipe);
	}
}

/* True when some warp of the scheduler may wait for a place before the pipe. */
static bool wants(const hd_scheduler *s, unsigned pipe)
{
	if (s->held_by[pipe]) // NOLINT(clang-analyzer-core.NullDereference): a core has schedulers
		return true;
	for (uint32_t left = s->live; left; left &= left - 1)
		if (s->next_pipe[hd_lowest_bit(left)] >> pipe & 1)
			return true;
	return false;
}

/* A full FIFO has a place again. */
static void offer_place(hd_core *core, unsigned pipe)
{
	hd_shared_pipes *pipes = core->pipes;
	unsigned n = core->n_schedulers, wanting = 0, first = 0;
	for (unsigned i = n; i > 0; i--) {
		unsigned scheduler = (pipes->last[pipe] + i) % n;
		if (!wants(&core->scheduler[scheduler], pipe))
			continue;
		first = scheduler;
		wanting++;
	}
	if (wanting > 1)
		pipes->reserved |= 1u << pipe;
	for (unsigned i = 0; i < n; i++)
		if (wanting < 2 || i == first)
			hd_queue_has_room(core, &core->scheduler[i], pipe);
}

/* Takes the instruction that leaves the queue in this cycle. */
static bool leaves_shared_queue(hd_core *core, hd_queue *queue, unsigned pipe, uint64_t now, hd_sent *sent)
{
	uint32_t before = queue->fifo_n;
	bool was_full = hd_queue_full(queue);
	hd_queue_times times = {0};
	const hd_sent *candidate = hd_queue_candidate(queue, core->pipes->flags, now);
	hd_scheduler *s = candidate ? &core->scheduler[candidate->warp / HD_WARP_SLOTS] : NULL;
	bool busy = s && hd_pipeline_accepts(core, s, pipe, now) > now, opens = s && s->results.ports.free_at == now;
	bool leaves = hd_queue_tick(queue, core->pipes->flags, now, busy ? HD_NEVER : now, sent, &times);
	if (was_full && queue->fifo_n < before)
		offer_place(core, pipe);
	if (!leaves) {
		if (candidate) /* which scheduler's register file it needs can be another one in the next cycle */
			queue->next = now + 1;
		return false;
	}
	core->stats->fence_queue_wait_cycles += times.waited;
	core->stats->fence_spacing_cycles += times.spaced;
	if (opens)
		hd_count_port_wait(core, s, pipe, times.ready, now);
	return true;
}

/* Tells the schedulers what they see of a shared queue. */
static void show(hd_core *core, const hd_queue *queue, unsigned pipe, uint64_t next)
{
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		if (s->queue[pipe].hazard_n != queue->hazard_n) { /* the cause of a lost slot depends on the number */
			s->queue[pipe].hazard_n = queue->hazard_n;
			s->touched |= s->full >> pipe & 1;
			hd_windows_retry_pipe(core, s, pipe);
		}
		s->queue[pipe].next = next;
		if (next == HD_NEVER && hd_queue_empty(queue))
			s->occupied &= ~(1u << pipe);
	}
}

static void shared_queue(hd_core *core, unsigned pipe, uint64_t now)
{
	hd_shared_pipes *pipes = core->pipes;
	hd_queue *queue = &pipes->queue[pipe];
	uint64_t next = queue->next;
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		if (core->scheduler[i].occupied >> pipe & 1) /* a counter that cleared looks at the scheduler's queue */
			next = hd_min_u64(next, core->scheduler[i].queue[pipe].next);
	if (pipes->reserved >> pipe & 1) { /* nobody took the place, or somebody did and left others */
		pipes->reserved &= ~(1u << pipe);
		for (uint32_t i = 0; i < core->n_schedulers && !hd_queue_full(queue); i++)
			if (core->scheduler[i].full >> pipe & 1)
				hd_queue_has_room(core, &core->scheduler[i], pipe);
	}
	if (next > now && !core->context->eager)
		return;
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		memcpy(pipes->flags + (size_t)i * HD_WARP_SLOTS, core->scheduler[i].fence.flags, HD_WARP_SLOTS * sizeof *pipes->flags);
	for (unsigned copy = 0; copy < pipes->copies[pipe] && !hd_queue_empty(queue); copy++) {
		hd_sent sent;
		if (!leaves_shared_queue(core, queue, pipe, now, &sent))
			break;
		unsigned scheduler = sent.warp / HD_WARP_SLOTS;
		sent.warp %= HD_WARP_SLOTS;
		hd_pipeline_enter(core, scheduler, &sent, now);
		take_copy(core, scheduler, pipe);
	}
	show(core, queue, pipe, pipes->reserved >> pipe & 1 ? now + 1 : queue->next);
}

bool hd_shared_pipes_stages(hd_core *core, uint64_t now)
{
	uint32_t shared = 0;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		hd_begin_queue_stage(core, i, now);
		shared |= s->occupied & core->pipes->shared;
		for (uint32_t left = s->occupied & ~core->pipes->shared; left; left &= left - 1)
			own_queue(core, i, hd_lowest_bit(left), now);
	}
	for (; shared; shared &= shared - 1)
		shared_queue(core, hd_lowest_bit(shared), now);
	for (uint32_t i = 0; i < core->n_schedulers; i++)
		hd_end_queue_stage(core, i, now);
	return true;
}

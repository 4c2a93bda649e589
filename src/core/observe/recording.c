#include "core/observe/recording.h"

static void send(const hd_core *core, hd_record_kind kind, const uint64_t *values, unsigned n)
{
	core->recorder->event(core->recorder, kind, values, n);
}

void hd_record_event(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, const uint64_t *values, unsigned n)
{
	if ((uint32_t)(s - core->scheduler) == core->recorder->scheduler)
		send(core, kind, values, n);
}

void hd_record_begin(const hd_core *core) { send(core, HD_RECORD_BEGIN, NULL, 0); }

void hd_record_tick(const hd_core *core, uint64_t now)
{
	const uint64_t skipped = core->last + 1 < now ? now - core->last - 1 : 0;
	send(core, HD_RECORD_TICK, &skipped, 1);
}

void hd_record_fence(const hd_core *core, const hd_scheduler *s, hd_record_kind kind, unsigned warp, unsigned counter, unsigned groups)
{
	/* A counter may be below zero within a cycle (HZ-8). */
	uint64_t value = (uint16_t)s->fence.value[warp][counter - 1];
	const uint64_t values[] = {warp, counter, groups, value, s->fence.flags[warp], s->fence.full[warp]};
	hd_record_event(core, s, kind, values, HD_COUNT(values));
}

void hd_record_check(const hd_core *core, const hd_scheduler *s, unsigned warp, uint32_t pc, hd_verdict verdict, uint16_t watch)
{
	const hd_static *row = &core->code[pc];
	HD_RECORD_EVENT(core, s, CHECKED, warp, pc, row->pipe, row->at_issue, row->primary, s->fence.flags[warp], s->fence.full[warp],
	                s->waiters.flags[warp], verdict, verdict == HD_SEND ? 0 : watch);
}

void hd_record_queue(const hd_core *core, const hd_scheduler *s, unsigned pipe, bool ready, const hd_sent *sent)
{
	const hd_queue *queue = &s->queue[pipe];
	HD_RECORD_EVENT(core, s, QUEUE, pipe, ready, sent != NULL, queue->waiting, queue->fifo_n, queue->hazard_n);
	if (sent)
		HD_RECORD_EVENT(core, s, LEAVES, pipe, sent->warp, sent->wait, sent->pc);
}

void hd_record_push(const hd_core *core, const hd_scheduler *s, unsigned pipe, const hd_sent *sent, uint64_t counted)
{
	const hd_queue *queue = &s->queue[pipe];
	unsigned at = (queue->fifo_head + queue->fifo_n - 1u) % queue->fifo_size;
	HD_RECORD_EVENT(core, s, PUSHED, pipe, sent->warp, sent->wait, sent->pc, counted, queue->fifo[at].gap);
}

static unsigned put_set(uint64_t *values, unsigned n, const uint64_t set[HD_SCORE_WORDS])
{
	memcpy(values + n, set, HD_SCORE_WORDS * sizeof *set);
	return n + HD_SCORE_WORDS;
}

void hd_record_score_check(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_needs *needs, bool ready)
{
	uint64_t values[3 + 2 * HD_SCORE_WORDS] = {warp, ready, needs->order};
	unsigned n = put_set(values, 3, needs->reads);
	n = put_set(values, n, needs->writes);
	hd_record_event(core, s, HD_RECORD_SCORE_CHECK, values, n);
}

void hd_record_score_issue(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_needs *needs)
{
	uint64_t values[2 + 2 * HD_SCORE_WORDS] = {warp, needs->order};
	unsigned n = put_set(values, 2, needs->reads);
	n = put_set(values, n, needs->writes);
	hd_record_event(core, s, HD_RECORD_SCORE_ISSUE, values, n);
}

void hd_record_score_end(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_needs *needs,
                         void (*event)(hd_scoreboard *, unsigned, const hd_needs *))
{
	uint64_t values[1 + HD_SCORE_WORDS] = {warp};
	if (event == hd_scoreboard_read)
		hd_record_event(core, s, HD_RECORD_SCORE_READ, values, put_set(values, 1, needs->reads));
	else if (event != hd_scoreboard_done) /* written, or written and done */
		hd_record_event(core, s, HD_RECORD_SCORE_WRITTEN, values, put_set(values, 1, needs->writes));
	if (event != hd_scoreboard_read && event != hd_scoreboard_written)
		HD_RECORD_EVENT(core, s, SCORE_DONE, warp, needs->order);
}

#include "device/event_log.h"

#include "device/merge_heap.h"

enum { PLACE_BITS = 20 /* of a core and the task manager within a cycle */ };

/* The task manager's events of a cycle come before those of its cores. */
static uint64_t place_of(uint64_t cycle, uint64_t core_and_one) { return cycle << PLACE_BITS | core_and_one; }

static void note(hd_trace *trace, const hd_trace_event *event)
{
	hd_event_log *own = (hd_event_log *)trace, *log = own;
	hd_event_logs *all = own->all;
	uint64_t place;
	if (!all->open) {
		all->observer->event(all->observer, event);
		return;
	}
	if (all->beginning) {
		log = &all->log[all->n];
		place = place_of(all->beginning, 0);
	} else {
		place = place_of(*own->cycle, own->first_core + *own->core + UINT64_C(1));
	}
	hd_vec_push(&log->events, (hd_logged){.place = place, .event = *event});
	hd_logged *logged = &log->events.at[log->events.n - 1];
	if (event->kind == HD_TRACE_ACCESS) {
		logged->more = log->addresses.n;
		hd_vec_push(&log->addresses, (hd_logged_address){{event->address[0], event->address[1]}});
	} else if (event->kind == HD_TRACE_FLOW) {
		logged->more = log->resumes.n;
		hd_vec_push(&log->resumes, (hd_logged_resume){{0}});
		memcpy(log->resumes.at[logged->more].of, event->resume, sizeof log->resumes.at->of);
	}
}

hd_event_logs *hd_event_logs_new(uint32_t n, hd_trace *observer)
{
	hd_event_logs *logs = hd_xcalloc(1, sizeof *logs);
	logs->observer = observer;
	logs->n = n;
	logs->log = hd_xcalloc(n + 1, sizeof *logs->log);
	logs->heap = hd_xcalloc(n + 1, sizeof *logs->heap);
	for (uint32_t i = 0; i <= n; i++) {
		logs->log[i].trace.event = note;
		logs->log[i].all = logs;
	}
	return logs;
}

void hd_event_logs_free(hd_event_logs *logs)
{
	if (!logs)
		return;
	for (uint32_t i = 0; i <= logs->n; i++) {
		hd_vec_free(&logs->log[i].events);
		hd_vec_free(&logs->log[i].addresses);
		hd_vec_free(&logs->log[i].resumes);
	}
	free(logs->log);
	free(logs->heap);
	free(logs);
}

/* Reports the event that is next in the log. */
static void report(const hd_event_logs *logs, hd_event_log *log)
{
	const hd_logged *logged = &log->events.at[log->reported++];
	hd_trace_event event = logged->event;
	if (event.kind == HD_TRACE_ACCESS) {
		event.address = log->addresses.at[logged->more].of;
		for (uint32_t i = 0; i < event.unpriced; i++) {
			const hd_request *request = &log->requests->list.at[event.first_unpriced + i];
			event.dram += request->dram;
			event.arrival = hd_max_u64(hd_request_arrival(request), event.arrival);
		}
		event.unpriced = event.first_unpriced = 0;
	} else if (event.kind == HD_TRACE_FLOW) {
		event.resume = log->resumes.at[logged->more].of;
	}
	logs->observer->event(logs->observer, &event);
}

void hd_event_logs_close(hd_event_logs *logs)
{
	uint32_t n = 0;
	logs->open = false;
	for (uint32_t i = 0; i <= logs->n; i++) {
		hd_event_log *log = &logs->log[i];
		log->reported = 0;
		if (log->events.n)
			logs->heap[n++] = (hd_merge_entry){log->events.at[0].place, i};
	}
	hd_merge_heap_build(logs->heap, n);
	while (n) {
		hd_event_log *log = &logs->log[logs->heap[0].list];
		uint64_t place = logs->heap[0].key;
		while (log->reported < log->events.n && log->events.at[log->reported].place == place)
			report(logs, log);
		if (log->reported == log->events.n)
			logs->heap[0] = logs->heap[--n];
		else
			logs->heap[0].key = log->events.at[log->reported].place;
		hd_merge_heap_sink(logs->heap, n);
	}
	for (uint32_t i = 0; i <= logs->n; i++)
		logs->log[i].events.n = logs->log[i].addresses.n = logs->log[i].resumes.n = 0;
}

/* Events of a window of time (PA-2). In a window each cluster runs by itself, so its cores tell their events to a log of the cluster. At the end of
 * the window the logs are put together in the order that the events have without windows: by cycle, then by core; what the task manager begins in a
 * cycle comes before what the cores do in it. Outside of windows an event goes to the observer at once. */
#ifndef HD_EVENT_LOG_H
#define HD_EVENT_LOG_H

#include "launch/trace.h"
#include "memory/requests.h"

/* An event that waits. */
typedef struct hd_logged {
	uint64_t place; /* in the order */
	size_t more;    /* index of its `address` or `resume` in the log */
	hd_trace_event event;
} hd_logged;

typedef struct hd_logged_address {
	hd_vec32 of[2];
} hd_logged_address;

typedef struct hd_logged_resume {
	uint32_t of[HD_LANES];
} hd_logged_resume;

/* The log of a cluster. */
typedef struct hd_event_log {
	hd_trace trace; /* must be the first member: cores of the cluster get its address */
	struct hd_event_logs *all;
	HD_VEC(hd_logged) events;
	HD_VEC(hd_logged_address) addresses;
	HD_VEC(hd_logged_resume) resumes;
	size_t reported; /* events that the observer has */
	/* Of the cluster: */
	const uint64_t *cycle; /* the present one */
	const uint32_t *core;  /* whose turn it is, counted from first_core */
	uint32_t first_core;
	const hd_requests *requests;
} hd_event_log;

typedef struct hd_event_logs {
	hd_trace *observer;
	bool open;          /* events wait */
	uint64_t beginning; /* the task manager begins CTAs in this cycle; 0: it does not */
	uint32_t n;
	hd_event_log *log;           /* of each cluster, and behind them one for the task manager */
	struct hd_merge_entry *heap; /* hd_event_logs_close */
} hd_event_logs;

/* Logs of `n` clusters, for an observer that watches no units. The caller sets cycle, core, first_core and requests of each. */
hd_event_logs *hd_event_logs_new(uint32_t n, hd_trace *observer);
/* `logs` may be NULL. */
void hd_event_logs_free(hd_event_logs *logs);
/* The window is over, and all requests of it are priced: tells the observer what happened in it. */
void hd_event_logs_close(hd_event_logs *logs);

#endif

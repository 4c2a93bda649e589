/* Events of commands that kernels enqueue (OpenCL's clk_event_t). A command that ends completes its event, and what waits for the event goes on.
 *
 * An event lives until the program has released it and it is complete. So events outlive the run that made them, as values in a buffer may: whoever
 * starts runs owns the table, and one run uses it at a time. */
#ifndef HD_EVENT_H
#define HD_EVENT_H

#include "launch/launch.h"

enum { HD_CLK_EVENTS_MAX = 65536, HD_EVENT_SUBMITTED = 2, HD_EVENT_COMPLETE = 0, HD_EVENT_ERROR_IN_LIST = -14 };

typedef struct hd_clk_event {
	uint32_t handle;                       /* positive as a signed number */
	uint32_t refs;                         /* that the program holds */
	int32_t status;                        /* HD_EVENT_SUBMITTED, HD_EVENT_COMPLETE, or an error below 0 */
	bool user;                             /* the program completes it */
	uint32_t waits;                        /* of a marker: events that are not complete */
	int32_t failure;                       /* of a marker: an event that it waited for has failed */
	uint64_t begin, end, complete;         /* of a kernel: cycles of its first CTA, of the end of its CTAs, and of the end of its children */
	HD_VEC(struct hd_enqueued *) commands; /* that wait for it */
	HD_VEC(struct hd_clk_event *) markers; /* the same */
	HD_VEC(uint64_t) captures;             /* addresses that receive its times */
} hd_clk_event;

typedef struct hd_clk_events {
	HD_VEC(hd_clk_event *) at;
	HD_VEC(uint32_t) generation; /* of each index, so that handles are not reused soon */
	HD_VEC(uint32_t) unused;
} hd_clk_events;

void hd_clk_events_free(hd_clk_events *events);
/* A new event with one reference, submitted. NULL when there are HD_CLK_EVENTS_MAX. */
hd_clk_event *hd_clk_event_new(hd_clk_events *events);
/* NULL when no event has this handle. */
hd_clk_event *hd_clk_event_find(const hd_clk_events *events, uint64_t handle);
/* Frees the event if nobody needs it any more. */
void hd_clk_event_tidy(hd_clk_events *events, hd_clk_event *event);
/* A run is over: nothing waits any more, and what the run should have completed has failed. Events that the program completes stay as they are,
 * unless it has released them. */
void hd_clk_events_settle(hd_clk_events *events);

#endif

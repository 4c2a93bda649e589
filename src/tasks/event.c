#include "tasks/event.h"

enum { INDEX_BITS = 16, GENERATIONS = 1 << 15 };

static void free_event(hd_clk_event *event)
{
	hd_vec_free(&event->commands);
	hd_vec_free(&event->markers);
	hd_vec_free(&event->captures);
	free(event);
}

void hd_clk_events_free(hd_clk_events *events)
{
	for (size_t i = 0; i < events->at.n; i++)
		if (events->at.at[i])
			free_event(events->at.at[i]);
	hd_vec_free(&events->at);
	hd_vec_free(&events->generation);
	hd_vec_free(&events->unused);
}

hd_clk_event *hd_clk_event_new(hd_clk_events *events)
{
	uint32_t index;
	if (events->unused.n) {
		index = events->unused.at[--events->unused.n];
	} else if (events->at.n < HD_CLK_EVENTS_MAX) {
		index = (uint32_t)events->at.n;
		hd_vec_push(&events->at, NULL);
		hd_vec_push(&events->generation, 0);
	} else {
		return NULL;
	}
	hd_clk_event *event = events->at.at[index] = hd_xcalloc(1, sizeof *event);
	/* Generations begin at 1: no event has the handle 0, which means none. */
	events->generation.at[index] = events->generation.at[index] % (GENERATIONS - 1) + 1;
	event->handle = events->generation.at[index] << INDEX_BITS | index;
	event->refs = 1;
	event->status = HD_EVENT_SUBMITTED;
	return event;
}

hd_clk_event *hd_clk_event_find(const hd_clk_events *events, uint64_t handle)
{
	uint32_t index = handle & ((1u << INDEX_BITS) - 1);
	hd_clk_event *event = index < events->at.n ? events->at.at[index] : NULL;
	return event && event->handle == handle ? event : NULL;
}

void hd_clk_event_tidy(hd_clk_events *events, hd_clk_event *event)
{
	uint32_t index = event->handle & ((1u << INDEX_BITS) - 1);
	if (event->refs || event->status > HD_EVENT_COMPLETE)
		return;
	events->at.at[index] = NULL;
	hd_vec_push(&events->unused, index);
	free_event(event);
}

void hd_clk_events_settle(hd_clk_events *events)
{
	for (size_t i = 0; i < events->at.n; i++) {
		hd_clk_event *event = events->at.at[i];
		if (!event)
			continue;
		event->commands.n = event->markers.n = event->captures.n = 0;
		/* Nobody can complete a user event that the program has released. */
		if (event->status > HD_EVENT_COMPLETE && (!event->user || !event->refs))
			event->status = HD_EVENT_ERROR_IN_LIST;
		hd_clk_event_tidy(events, event);
	}
}

/* Events: status, callbacks, waiting. The types are in queue.h. */
#ifndef HR_EVENT_H
#define HR_EVENT_H

#include "runtime/queue.h"

extern pthread_cond_t hr_user_event_ended; /* one without a queue for which a thread of the program waits */

/* Initialises the event, the first member of an interface's new object. Uses the queue. */
void hr_event_init(hr_event *event, hr_queue *queue, int status);
/* For the object's destroy(). */
void hr_event_destroy(hr_event *event);
/* Sets status and time. Returns the callbacks that are registered for the status, for hr_event_call. hr_lock is held. */
hr_callback *hr_event_change(hr_event *event, int status, uint64_t time);
/* Calls the callbacks and frees the list. Called without hr_lock. */
void hr_event_call(hr_event *event, hr_callback *list, int status);
/* Waits for the end of the event, and meanwhile runs commands of its queue on this thread (hr_queue_wait). hr_lock is held before and after, not in
 * between. The caller uses the event. */
void hr_event_wait(hr_event *event);
/* Registers a function for a state, or calls it at once if the event is there already. */
void hr_event_add_callback(hr_event *event, int status, void (*call)(void *event, int status, void *data), void *data);

#endif

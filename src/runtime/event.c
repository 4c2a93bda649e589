/* Events: status, callbacks, waiting. */
#include "runtime/event.h"

pthread_cond_t hr_user_event_ended = PTHREAD_COND_INITIALIZER;

void hr_event_init(hr_event *event, hr_queue *queue, int status)
{
	event->queue = hr_use(queue);
	event->status = status;
}

void hr_event_destroy(hr_event *event)
{
	while (event->callbacks) {
		hr_callback *next = event->callbacks->next;
		free(event->callbacks);
		event->callbacks = next;
	}
	hd_vec_free(&event->followers);
	hr_unuse(event->queue);
}

/* Takes the callbacks registered for `status` or an earlier state. An error counts as the end. hr_lock is held. */
static hr_callback *take_callbacks(hr_event *event, int status)
{
	hr_callback *taken = NULL, **at = &event->callbacks;
	while (*at) {
		hr_callback *one = *at;
		if (one->status < status) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		one->next = taken;
		taken = one;
	}
	return taken;
}

void hr_event_call(hr_event *event, hr_callback *list, int status)
{
	while (list) {
		hr_callback *next = list->next;
		list->call(event, status < 0 ? status : list->status, list->data);
		free(list);
		list = next;
	}
}

hr_callback *hr_event_change(hr_event *event, int status, uint64_t time)
{
	event->status = status;
	event->times[status < 0 ? HR_COMPLETE : status] = time;
	if (status <= HR_COMPLETE) {
		if (event->waiting)
			pthread_cond_broadcast(event->queue ? &event->queue->ended : &hr_user_event_ended);
		for (size_t i = 0; i < event->followers.n; i++)
			hr_queue_urge(event->followers.at[i]);
		event->followers.n = 0;
	}
	return take_callbacks(event, status);
}

void hr_event_wait(hr_event *event)
{
	hr_queue *queue = event->queue;
	event->waiting++;
	while (event->status > HR_COMPLETE) {
		if (queue)
			hr_queue_wait(queue);
		else
			pthread_cond_wait(&hr_user_event_ended, &hr_lock);
	}
	event->waiting--;
}

void hr_event_add_callback(hr_event *event, int status, void (*call)(void *event, int status, void *data), void *data)
{
	hr_callback *one = hd_xmalloc(sizeof *one);
	*one = (hr_callback){.status = status, .call = call, .data = data};
	pthread_mutex_lock(&hr_lock);
	int now = event->status;
	if (now > status) {
		one->next = event->callbacks;
		event->callbacks = one;
		one = NULL;
		/* The program may go on when it is called, and never wait. */
		if (event->queue)
			hr_queue_urge(event->queue);
	}
	pthread_mutex_unlock(&hr_lock);
	hr_event_call(event, one, now);
}

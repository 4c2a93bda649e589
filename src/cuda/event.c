/* Events: each holds the mark of the command that recorded it last. */
#include "cuda/state.h"

static void destroy_event(void *object)
{
	hu_event *event = object;
	hd_vec_free(&event->needs.nodes);
	hd_vec_free(&event->needs.data);
	hr_unuse(event->recorded);
}

cudaError_t hu_event_new(unsigned flags, hu_event **event)
{
	const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
	if (!event || flags & ~known || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
		return cudaErrorInvalidValue;
	*event = hr_new(NULL, HU_EVENT, sizeof **event, destroy_event);
	(*event)->flags = flags;
	(*event)->owner = hu_owner();
	pthread_mutex_lock(&hr_lock);
	(*event)->place = hu.events.n;
	hd_vec_push(&hu.events, *event);
	pthread_mutex_unlock(&hr_lock);
	return cudaSuccess;
}

cudaError_t hu_event_free(hu_event *event)
{
	if (!hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	hr_use(event);
	bool mine = hr_release(event, HU_EVENT);
	if (mine) {
		pthread_mutex_lock(&hr_lock);
		hu_event *last = hu.events.at[--hu.events.n];
		hu.events.at[event->place] = last;
		last->place = event->place;
		pthread_mutex_unlock(&hr_lock);
	}
	hr_unuse(event);
	return mine ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

void hu_events_free_of(uint64_t owner)
{
	HD_VEC(hu_event *) all = {0};
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.events.n; i++)
		if (hu.events.at[i]->owner == owner)
			hd_vec_push(&all, hu.events.at[i]);
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < all.n; i++)
		hu_event_free(all.at[i]);
	hd_vec_free(&all);
}

void hu_event_set_recorded(hu_event *event, hu_mark *mark)
{
	pthread_mutex_lock(&hr_lock);
	hu_mark *before = event->recorded;
	event->recorded = mark;
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(before);
}

/* Even where nothing is captured now, the event may have been recorded in a capture. */
cudaError_t hu_event_record(hu_event *event, hu_stream *stream, unsigned flags)
{
	bool taken;
	if (stream && flags > 1)
		return cudaErrorInvalidValue;
	if (!stream || !hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capture_record(event, stream, flags != 0, &taken);
	if (error != cudaSuccess || taken)
		return error;
	hu_mark *mark;
	hu_put(stream, hu_command_new(sizeof(hu_command), NULL, NULL), NULL, &mark);
	hu_event_set_recorded(event, mark);
	return cudaSuccess;
}

hu_mark *hu_event_recorded(hu_event *event)
{
	pthread_mutex_lock(&hr_lock);
	hu_mark *mark = hr_use(event->recorded);
	pthread_mutex_unlock(&hr_lock);
	return mark;
}

cudaError_t hu_event_query(hu_event *event)
{
	if (!hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capture_of_event(event);
	if (error == cudaSuccess)
		error = hu_capture_unsafe();
	if (error != cudaSuccess)
		return error;
	hu_mark *mark = hu_event_recorded(event);
	bool done = !mark || hu_mark_ended(mark);
	hr_unuse(mark);
	return done ? hu_sticky() : cudaErrorNotReady;
}

cudaError_t hu_event_wait(hu_event *event)
{
	if (!hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capture_of_event(event);
	if (error != cudaSuccess)
		return error;
	hu_mark *mark = hu_event_recorded(event);
	if (mark)
		hu_wait_mark(mark);
	hr_unuse(mark);
	return hu_sticky();
}

cudaError_t hu_stream_wait_event(hu_stream *stream, hu_event *event, unsigned flags)
{
	bool taken;
	if (stream && flags > 1)
		return cudaErrorInvalidValue;
	if (!stream || !hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capture_wait(stream, event, flags != 0, &taken);
	if (error != cudaSuccess || taken)
		return error;
	hu_mark *mark = hu_event_recorded(event);
	if (mark) /* an event that was not recorded holds nobody up */
		hu_put(stream, hu_command_new(sizeof(hu_command), NULL, NULL), mark, NULL);
	return cudaSuccess;
}

cudaError_t hu_event_elapsed(hu_event *from, hu_event *to, float *ms)
{
	if (!ms)
		return cudaErrorInvalidValue;
	if (!hr_is(from, HU_EVENT) || !hr_is(to, HU_EVENT) || (from->flags | to->flags) & cudaEventDisableTiming)
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capture_of_event(from);
	if (error == cudaSuccess)
		error = hu_capture_of_event(to);
	if (error != cudaSuccess)
		return error;
	hu_mark *begin = hu_event_recorded(from), *end = hu_event_recorded(to);
	error = begin && end ? cudaSuccess : cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess && !(hu_mark_ended(begin) && hu_mark_ended(end)))
		error = cudaErrorNotReady;
	if (error == cudaSuccess)
		*ms = (float)((double)(int64_t)(end->base.times[HR_COMPLETE] - begin->base.times[HR_COMPLETE]) * 1e-6);
	hr_unuse(begin);
	hr_unuse(end);
	return error ? error : hu_sticky();
}

/* Streams, and commands in them.
 *
 * The legacy default stream and the blocking ones wait for each other: a command of the legacy stream waits for the last command of each blocking
 * stream, and a command of a blocking stream for the last one of the legacy stream. */
#include "cuda/state.h"

#include <fenv.h>

static _Thread_local bool calling;      /* this thread runs a function of the program */
static pthread_key_t thread_stream_key; /* the default stream of a thread */

bool hu_stream_calls(void) { return calling; }

/* -- objects ---------------------------------------------------------------------------------------------------------------------------------- */
static void destroy_stream(void *object)
{
	hu_stream *stream = object;
	hr_queue_destroy(&stream->base);
}

static void destroy_mark(void *object)
{
	hu_mark *mark = object;
	hr_event_destroy(&mark->base);
}

static hu_mark *mark_new(hu_stream *stream)
{
	hu_mark *mark = hr_new(NULL, HU_MARK, sizeof *mark, destroy_mark);
	hr_event_init(&mark->base, stream ? &stream->base : NULL, HR_QUEUED);
	return mark;
}

static hu_stream *stream_new(unsigned flags, int priority, bool is_default)
{
	hu_stream *stream = hr_new(NULL, HU_STREAM, sizeof *stream, destroy_stream);
	stream->flags = flags;
	stream->priority = priority;
	stream->is_default = is_default;
	stream->base.priority = priority < -1 ? HR_PRIORITY_HIGH : priority < 0 ? HR_PRIORITY_MEDIUM : HR_PRIORITY_LOW;
	stream->base.error_of_wait = -cudaErrorLaunchFailure;
	if (hr_queue_start(&stream->base))
		return stream;
	hr_unuse(stream);
	return NULL;
}

/* Takes the stream out of the list, and has its thread end. Its commands still run. */
static void retire(hu_stream *stream)
{
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.streams.n; i++)
		if (hu.streams.at[i] == stream)
			hu.streams.at[i--] = hu.streams.at[--hu.streams.n];
	hu_mark *last = stream->last;
	stream->last = NULL;
	hr_queue_close(&stream->base);
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(last);
}

cudaError_t hu_stream_new(unsigned flags, int priority, hu_stream **stream)
{
	if (!stream || flags & ~(unsigned)cudaStreamNonBlocking)
		return cudaErrorInvalidValue;
	priority = priority < HU_PRIORITY_GREATEST ? HU_PRIORITY_GREATEST : priority > HU_PRIORITY_LEAST ? HU_PRIORITY_LEAST : priority;
	*stream = stream_new(flags, priority, false);
	if (!*stream)
		return cudaErrorMemoryAllocation;
	(*stream)->owner = hu_owner();
	pthread_mutex_lock(&hr_lock);
	hd_vec_push(&hu.streams, *stream);
	pthread_mutex_unlock(&hr_lock);
	return cudaSuccess;
}

cudaError_t hu_stream_free(hu_stream *stream)
{
	if (stream->is_default)
		return cudaErrorInvalidResourceHandle;
	hr_use(stream);
	bool mine = hr_release(stream, HU_STREAM);
	if (mine)
		retire(stream);
	hr_unuse(stream);
	return mine ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

void hu_streams_free_of(uint64_t owner)
{
	HD_VEC(hu_stream *) all = {0};
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.streams.n; i++)
		if (hu.streams.at[i]->owner == owner)
			hd_vec_push(&all, (hu_stream *)hr_use(hu.streams.at[i]));
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < all.n; i++) {
		hu_stream_free(all.at[i]);
		hr_unuse(all.at[i]);
	}
	hd_vec_free(&all);
}

static void end_of_thread(void *stream)
{
	retire(stream);
	hr_unuse(stream);
}

bool hu_streams_begin(void)
{
	hu.legacy = stream_new(0, HU_PRIORITY_LEAST, true);
	return hu.legacy && pthread_key_create(&thread_stream_key, end_of_thread) == 0;
}

static hu_stream *stream_of_thread(void)
{
	hu_stream *stream = pthread_getspecific(thread_stream_key);
	if (stream)
		return stream;
	stream = stream_new(0, HU_PRIORITY_LEAST, true);
	if (!stream)
		return NULL;
	pthread_setspecific(thread_stream_key, stream);
	pthread_mutex_lock(&hr_lock);
	hd_vec_push(&hu.streams, stream);
	pthread_mutex_unlock(&hr_lock);
	return stream;
}

hu_stream *hu_stream_of(const void *handle, bool per_thread)
{
	if (handle == cudaStreamLegacy || (!handle && !per_thread))
		return hu.legacy;
	if (handle == cudaStreamPerThread || !handle)
		return stream_of_thread();
	if (!hr_is(handle, HU_STREAM) || atomic_load(&((hu_stream *)handle)->base.object.refs) == 0)
		return NULL;
	return (hu_stream *)handle;
}

unsigned hu_stream_flags(const hu_stream *stream) { return stream->flags; }
int hu_stream_priority(const hu_stream *stream) { return stream->priority; }
uint64_t hu_stream_owner(const hu_stream *stream) { return stream->owner; }
uint64_t hu_stream_number(const hu_stream *stream) { return stream->base.object.number; }

/* -- commands --------------------------------------------------------------------------------------------------------------------------------- */
static int run(hr_command *base, uint64_t *ns)
{
	hu_command *command = (hu_command *)base;
	cudaError_t error = hu_sticky();
	if (command->work && (error == cudaSuccess || command->always))
		error = command->work(command, ns);
	if (error == cudaSuccess)
		return 0;
	pthread_mutex_lock(&hr_lock);
	((hu_stream *)base->queue)->failed = error;
	pthread_mutex_unlock(&hr_lock);
	return -(int)error;
}

static void drop(hr_command *base)
{
	hu_command *command = (hu_command *)base;
	if (command->drop)
		command->drop(command);
}

void *hu_command_new(size_t bytes, cudaError_t (*work)(hu_command *command, uint64_t *ns), void (*drop_it)(hu_command *command))
{
	hu_command *command = hd_xcalloc(1, bytes);
	command->work = work;
	command->drop = drop_it;
	command->base.run = run;
	command->base.drop = drop;
	command->base.despite_errors = true; /* an error that ends everything is sticky, others concern their own command */
	return command;
}

typedef HD_VEC(hr_event *) waits;

static void add_wait(waits *list, hu_mark *mark)
{
	if (mark && mark->base.status > HR_COMPLETE)
		hd_vec_push(list, &mark->base);
}

/* What the default stream orders. hr_lock is held. */
static void add_default_waits(const hu_stream *stream, waits *list)
{
	if (stream == hu.legacy) {
		for (size_t i = 0; i < hu.streams.n; i++)
			if (!(hu.streams.at[i]->flags & cudaStreamNonBlocking))
				add_wait(list, hu.streams.at[i]->last);
	} else if (!(stream->flags & cudaStreamNonBlocking)) {
		add_wait(list, hu.legacy->last);
	}
}

void hu_put(hu_stream *stream, hu_command *command, hu_mark *wait, hu_mark **mark)
{
	waits list = {0};
	hu_mark *own = mark_new(stream);
	atomic_store(&own->base.object.refs, 0);
	if (mark)
		*mark = hr_use(own);
	hr_use(own); /* as the last one of the stream */
	pthread_mutex_lock(&hr_lock);
	add_default_waits(stream, &list);
	add_wait(&list, wait);
	hr_command_init(&command->base, &stream->base, &own->base, (unsigned)list.n, list.at);
	hr_queue_put_locked(&command->base);
	hu_mark *before = stream->last;
	stream->last = own;
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(before);
	hr_unuse(wait);
	hd_vec_free(&list);
}

cudaError_t hu_wait_mark(hu_mark *mark)
{
	pthread_mutex_lock(&hr_lock);
	hr_event_wait(&mark->base);
	int status = mark->base.status;
	pthread_mutex_unlock(&hr_lock);
	return status < 0 ? (cudaError_t)-status : cudaSuccess;
}

cudaError_t hu_put_and_wait(hu_stream *stream, hu_command *command)
{
	hu_mark *mark;
	hu_put(stream, command, NULL, &mark);
	cudaError_t error = hu_wait_mark(mark);
	hr_unuse(mark);
	return error;
}

/* -- waiting ---------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t take_failure(hu_stream *stream)
{
	pthread_mutex_lock(&hr_lock);
	cudaError_t failed = stream->failed;
	stream->failed = cudaSuccess;
	pthread_mutex_unlock(&hr_lock);
	return failed ? failed : hu_sticky();
}

/* The last command of the stream, used, or NULL. */
static hu_mark *last_of(hu_stream *stream)
{
	pthread_mutex_lock(&hr_lock);
	hu_mark *last = hr_use(stream->last);
	pthread_mutex_unlock(&hr_lock);
	return last;
}

cudaError_t hu_stream_wait(hu_stream *stream)
{
	hu_mark *last = last_of(stream);
	if (last)
		hu_wait_mark(last);
	hr_unuse(last);
	return take_failure(stream);
}

/* Whether the command has ended. If it has not, its stream goes on: the program may ask again and again, and never wait. */
static bool ended(hu_mark *mark)
{
	pthread_mutex_lock(&hr_lock);
	bool done = mark->base.status <= HR_COMPLETE;
	if (!done && mark->base.queue)
		hr_queue_urge(mark->base.queue);
	pthread_mutex_unlock(&hr_lock);
	return done;
}

cudaError_t hu_stream_ask(hu_stream *stream)
{
	hu_mark *last = last_of(stream);
	bool done = !last || ended(last);
	hr_unuse(last);
	return done ? take_failure(stream) : cudaErrorNotReady;
}

cudaError_t hu_wait_all(void)
{
	HD_VEC(hu_stream *) all = {0};
	cudaError_t first = hu_stream_wait(hu.legacy);
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.streams.n; i++)
		hd_vec_push(&all, (hu_stream *)hr_use(hu.streams.at[i]));
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < all.n; i++) {
		cudaError_t error = hu_stream_wait(all.at[i]);
		first = first ? first : error;
		hr_unuse(all.at[i]);
	}
	hd_vec_free(&all);
	return first;
}

/* -- functions of the program ----------------------------------------------------------------------------------------------------------------- */
typedef struct call_command {
	hu_command base;
	cudaHostFn_t call;
	cudaStreamCallback_t callback;
	void *handle, *data;
} call_command;

static cudaError_t work_call(hu_command *command, uint64_t *ns)
{
	call_command *c = (call_command *)command;
	fenv_t environment;
	fegetenv(&environment);
	calling = true;
	if (c->call)
		c->call(c->data);
	else
		c->callback(c->handle, hu_sticky(), c->data);
	calling = false;
	fesetenv(&environment);
	*ns = 0;
	return cudaSuccess;
}

cudaError_t hu_stream_call(hu_stream *stream, cudaHostFn_t call, cudaStreamCallback_t callback, void *handle, void *data)
{
	if (!call && !callback)
		return cudaErrorInvalidValue;
	call_command *c = hu_command_new(sizeof *c, work_call, NULL);
	c->call = call;
	c->callback = callback;
	c->handle = handle;
	c->data = data;
	c->base.always = callback != NULL; /* it is told the error */
	hu_put(stream, &c->base, NULL, NULL);
	return cudaSuccess;
}

/* -- events ----------------------------------------------------------------------------------------------------------------------------------- */
struct hu_event {
	hr_object object;
	unsigned flags;
	uint64_t owner;
	size_t place;      /* [lock] in hu.events */
	hu_mark *recorded; /* [lock] used; or NULL */
};

static void destroy_event(void *object) { hr_unuse(((hu_event *)object)->recorded); }

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

cudaError_t hu_event_record(hu_event *event, hu_stream *stream)
{
	if (!hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	hu_mark *mark;
	hu_put(stream, hu_command_new(sizeof(hu_command), NULL, NULL), NULL, &mark);
	pthread_mutex_lock(&hr_lock);
	hu_mark *before = event->recorded;
	event->recorded = mark;
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(before);
	return cudaSuccess;
}

/* What was recorded last, used; or NULL. */
static hu_mark *recorded(hu_event *event)
{
	pthread_mutex_lock(&hr_lock);
	hu_mark *mark = hr_use(event->recorded);
	pthread_mutex_unlock(&hr_lock);
	return mark;
}

cudaError_t hu_event_ask(hu_event *event)
{
	if (!hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	hu_mark *mark = recorded(event);
	bool done = !mark || ended(mark);
	hr_unuse(mark);
	return done ? hu_sticky() : cudaErrorNotReady;
}

cudaError_t hu_event_wait(hu_event *event)
{
	if (!hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	hu_mark *mark = recorded(event);
	if (mark)
		hu_wait_mark(mark);
	hr_unuse(mark);
	return hu_sticky();
}

cudaError_t hu_stream_wait_event(hu_stream *stream, hu_event *event)
{
	if (!hr_is(event, HU_EVENT))
		return cudaErrorInvalidResourceHandle;
	hu_mark *mark = recorded(event);
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
	hu_mark *begin = recorded(from), *end = recorded(to);
	cudaError_t error = begin && end ? cudaSuccess : cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess && !(ended(begin) && ended(end)))
		error = cudaErrorNotReady;
	if (error == cudaSuccess)
		*ms = (float)((double)(int64_t)(end->base.times[HR_COMPLETE] - begin->base.times[HR_COMPLETE]) * 1e-6);
	hr_unuse(begin);
	hr_unuse(end);
	return error ? error : hu_sticky();
}

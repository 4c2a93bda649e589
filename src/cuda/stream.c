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
	hd_vec_free(&stream->needs.nodes);
	hd_vec_free(&stream->needs.data);
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

hr_priority hu_priority_of(int priority) { return priority < -1 ? HR_PRIORITY_HIGH : priority < 0 ? HR_PRIORITY_MEDIUM : HR_PRIORITY_LOW; }

static hu_stream *stream_new(unsigned flags, int priority, bool is_default)
{
	hu_stream *stream = hr_new(NULL, HU_STREAM, sizeof *stream, destroy_stream);
	stream->flags = flags;
	stream->priority = priority;
	stream->is_default = is_default;
	stream->base.priority = hu_priority_of(priority);
	stream->base.error_of_wait = -cudaErrorLaunchFailure;
	if (hr_queue_start(&stream->base))
		return stream;
	hr_unuse(stream);
	return NULL;
}

/* Notes the last command of a stream that ends, if it has not ended itself, and forgets those that have. Returns a mark to unuse, or NULL. hr_lock is
 * held. */
static hu_mark *note_ending(hu_mark *last, bool blocking)
{
	hu_mark *old = NULL;
	size_t kept = 0;
	for (size_t i = 0; i < hu.endings.n; i++) {
		if (hu.endings.at[i].mark->base.status <= HR_COMPLETE && !old)
			old = hu.endings.at[i].mark; /* one at a time: more than one is added in no call */
		else
			hu.endings.at[kept++] = hu.endings.at[i];
	}
	hu.endings.n = kept;
	if (!last || last->base.status <= HR_COMPLETE)
		return old;
	hd_vec_push(&hu.endings, (hu_ending){hr_use(last), blocking});
	return old;
}

/* Takes the stream out of the list, and has its thread end. Its commands still run. */
static void retire(hu_stream *stream)
{
	hu_capture_forget(stream);
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.streams.n; i++)
		if (hu.streams.at[i] == stream)
			hu.streams.at[i--] = hu.streams.at[--hu.streams.n];
	hu_mark *last = stream->last;
	stream->last = NULL;
	hu_mark *old = note_ending(last, !(stream->flags & cudaStreamNonBlocking));
	hr_queue_close(&stream->base);
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(last);
	hr_unuse(old);
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

static cudaError_t free_stream(hu_stream *stream)
{
	hr_use(stream);
	bool mine = hr_release(stream, HU_STREAM);
	if (mine)
		retire(stream);
	hr_unuse(stream);
	return mine ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t hu_stream_free(hu_stream *stream)
{
	if (!stream || stream->is_default)
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capture_of_stream(stream);
	return error ? error : free_stream(stream);
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
		free_stream(all.at[i]);
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

/* Whether a number of the stream can be given to the program. */
static cudaError_t can_give(const hu_stream *stream, const void *to)
{
	return !stream ? cudaErrorInvalidResourceHandle : to ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hu_stream_flags(const hu_stream *stream, unsigned *flags)
{
	cudaError_t error = can_give(stream, flags);
	if (error == cudaSuccess)
		*flags = stream->flags;
	return error;
}

cudaError_t hu_stream_priority(const hu_stream *stream, int *priority)
{
	cudaError_t error = can_give(stream, priority);
	if (error == cudaSuccess)
		*priority = stream->priority;
	return error;
}

cudaError_t hu_stream_number(const hu_stream *stream, unsigned long long *number)
{
	cudaError_t error = can_give(stream, number);
	if (error == cudaSuccess)
		*number = stream->base.object.number;
	return error;
}

cudaError_t hu_stream_device(const hu_stream *stream, int *device)
{
	cudaError_t error = can_give(stream, device);
	if (error == cudaSuccess)
		*device = 0;
	return error;
}

cudaError_t hu_stream_context(const hu_stream *stream, hu_context **context)
{
	cudaError_t error = can_give(stream, context);
	if (error == cudaSuccess && !stream->owner)
		return hu_context_current(context);
	if (error == cudaSuccess)
		*context = hu_context_numbered(stream->owner);
	return error;
}

cudaError_t hu_stream_attribute(const hu_stream *stream, unsigned which, void *value)
{
	cudaError_t error = can_give(stream, value);
	if (error != cudaSuccess)
		return error;
	memset(value, 0, sizeof(cudaLaunchAttributeValue));
	if (which == cudaLaunchAttributePriority)
		memcpy(value, &stream->priority, sizeof stream->priority);
	return cudaSuccess;
}

cudaError_t hu_stream_priorities(int *least, int *greatest)
{
	if (least)
		*least = HU_PRIORITY_LEAST;
	if (greatest)
		*greatest = HU_PRIORITY_GREATEST;
	return cudaSuccess;
}

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

/* Adds the waits that the order of the default stream requires. hr_lock is held. */
static void add_default_waits(const hu_stream *stream, waits *list)
{
	if (stream == hu.legacy) {
		for (size_t i = 0; i < hu.streams.n; i++)
			if (!(hu.streams.at[i]->flags & cudaStreamNonBlocking))
				add_wait(list, hu.streams.at[i]->last);
		for (size_t i = 0; i < hu.endings.n; i++)
			if (hu.endings.at[i].blocking)
				add_wait(list, hu.endings.at[i].mark);
	} else if (!(stream->flags & cudaStreamNonBlocking)) {
		add_wait(list, hu.legacy->last);
	}
}

void hu_command_free(hu_command *command)
{
	if (command->drop)
		command->drop(command);
	free(command);
}

/* Puts a command whose mark is made. Returns the mark of the stream's last command before. hr_lock is held. */
static hu_mark *put_locked(hu_stream *stream, hu_put_one *one, hu_mark *own)
{
	waits list = {0};
	add_default_waits(stream, &list);
	add_wait(&list, one->wait);
	hr_command_init(&one->command->base, &stream->base, &own->base, (unsigned)list.n, list.at);
	hr_queue_put_locked(&one->command->base);
	hd_vec_free(&list);
	hu_mark *before = stream->last;
	stream->last = own;
	return before;
}

/* A mark that the stream uses as its last one, too. */
static hu_mark *mark_of(hu_stream *stream, hu_put_one *one)
{
	hu_mark *own = mark_new(stream);
	atomic_store(&own->base.object.refs, 0);
	one->mark = one->marked ? hr_use(own) : NULL;
	return hr_use(own);
}

void hu_put_all(hu_stream *stream, hu_put_one *all, size_t n)
{
	hu_mark **marks = hd_xcalloc(n + 1, sizeof *marks);
	for (size_t i = 0; i < n; i++)
		marks[i] = mark_of(stream, &all[i]);
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < n; i++)
		marks[i] = put_locked(stream, &all[i], marks[i]);
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < n; i++) {
		hr_unuse(marks[i]);
		hr_unuse(all[i].wait);
	}
	free(marks);
}

void hu_put(hu_stream *stream, hu_command *command, hu_mark *wait, hu_mark **mark)
{
	hu_put_one one = {.command = command, .wait = wait, .marked = mark != NULL};
	hu_mark *own = mark_of(stream, &one);
	pthread_mutex_lock(&hr_lock);
	hu_mark *before = put_locked(stream, &one, own);
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(before);
	hr_unuse(wait);
	if (mark)
		*mark = one.mark;
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

static cudaError_t wait_for(hu_stream *stream)
{
	hu_mark *last = last_of(stream);
	if (last)
		hu_wait_mark(last);
	hr_unuse(last);
	return take_failure(stream);
}

cudaError_t hu_stream_wait(hu_stream *stream)
{
	cudaError_t error = hu_capture_of_stream(stream);
	return error ? error : wait_for(stream);
}

bool hu_mark_ended(hu_mark *mark)
{
	pthread_mutex_lock(&hr_lock);
	bool done = mark->base.status <= HR_COMPLETE;
	if (!done && mark->base.queue)
		hr_queue_urge(mark->base.queue);
	pthread_mutex_unlock(&hr_lock);
	return done;
}

cudaError_t hu_stream_query(hu_stream *stream)
{
	cudaError_t error = hu_capture_of_stream(stream);
	if (error != cudaSuccess)
		return error;
	hu_mark *last = last_of(stream);
	bool done = !last || hu_mark_ended(last);
	hr_unuse(last);
	return done ? take_failure(stream) : cudaErrorNotReady;
}

/* Waits for what is left of streams that are gone. Other threads may do so, too. */
static void wait_for_endings(void)
{
	HD_VEC(hu_mark *) all = {0};
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.endings.n; i++)
		hd_vec_push(&all, (hu_mark *)hr_use(hu.endings.at[i].mark));
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < all.n; i++) {
		hu_wait_mark(all.at[i]);
		pthread_mutex_lock(&hr_lock);
		hu_mark *old = note_ending(NULL, false);
		pthread_mutex_unlock(&hr_lock);
		hr_unuse(old);
		hr_unuse(all.at[i]);
	}
	hd_vec_free(&all);
}

cudaError_t hu_wait_all(void)
{
	HD_VEC(hu_stream *) all = {0};
	cudaError_t first = wait_for(hu.legacy);
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.streams.n; i++)
		hd_vec_push(&all, (hu_stream *)hr_use(hu.streams.at[i]));
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < all.n; i++) {
		cudaError_t error = wait_for(all.at[i]);
		first = first ? first : error;
		hr_unuse(all.at[i]);
	}
	hd_vec_free(&all);
	wait_for_endings();
	return first ? first : hu_sticky();
}

cudaError_t hu_wait_device(void)
{
	cudaError_t error = hu_capture_any();
	return error ? error : hu_wait_all();
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

hu_command *hu_call_command(cudaHostFn_t call, cudaStreamCallback_t callback, void *handle, void *data)
{
	call_command *c = hu_command_new(sizeof *c, work_call, NULL);
	c->call = call;
	c->callback = callback;
	c->handle = handle;
	c->data = data;
	c->base.always = callback != NULL; /* it is told the error */
	return &c->base;
}

cudaError_t hu_stream_call(hu_stream *stream, cudaHostFn_t call, cudaStreamCallback_t callback, void *handle, void *data)
{
	if (!stream || (!call && !callback))
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	if (hu_capturing()) {
		bool taken = false;
		hu_work work = {.kind = cudaGraphNodeTypeHost, .host = {call, data}};
		cudaError_t error = callback ? hu_capture_of_stream(stream) : hu_capture_take(stream, &work, &taken);
		if (error != cudaSuccess || taken)
			return error;
	}
	hu_put(stream, hu_call_command(call, callback, handle, data), NULL, NULL);
	return cudaSuccess;
}

typedef struct late_call {
	cudaHostFn_t call;
	void *data;
} late_call;

static void make_late_call(void *data)
{
	late_call *c = data;
	calling = true;
	c->call(c->data);
	calling = false;
	free(c);
}

void hu_call_later(cudaHostFn_t call, void *data)
{
	late_call *c = hd_xmalloc(sizeof *c);
	*c = (late_call){call, data};
	hr_queue_call(&hu.legacy->base, make_late_call, c);
}

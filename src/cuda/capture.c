/* Captures: work that is put into a stream becomes nodes of a graph. A capture begins with one stream. Another one joins it when it waits for an
 * event that was recorded in the capture. The stream's `needs` are the nodes that its next node depends on.
 *
 * Whatever cannot be a part of a graph and touches a capture makes it invalid: its streams give errors until the program ends it where it began. */
#include "cuda/graph.h"

typedef struct hu_capture {
	uint64_t number;
	hu_graph *graph;
	hu_stream *origin;
	enum cudaStreamCaptureMode mode;
	pthread_t thread;
	bool invalid;
	bool foreign;                /* the graph is the program's */
	HD_VEC(hu_stream *) streams; /* used: those that take part */
} hu_capture;

static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/* -- what captures there are; with the lock of graphs ---------------------------------------------------------------------------------------------
 */
static hu_capture *numbered(uint64_t number)
{
	for (size_t i = 0; number && i < hu.captures.n; i++)
		if (hu.captures.at[i]->number == number)
			return hu.captures.at[i];
	return NULL;
}

/* A capture with which work of the legacy default stream would be in an order. */
static hu_capture *blocking(void)
{
	for (size_t i = 0; i < hu.captures.n; i++)
		for (size_t j = 0; j < hu.captures.at[i]->streams.n; j++)
			if (!(hu.captures.at[i]->streams.at[j]->flags & cudaStreamNonBlocking))
				return hu.captures.at[i];
	return NULL;
}

static cudaError_t spoil_legacy(void)
{
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < hu.captures.n; i++)
		for (size_t j = 0; j < hu.captures.at[i]->streams.n; j++)
			if (!(hu.captures.at[i]->streams.at[j]->flags & cudaStreamNonBlocking)) {
				hu.captures.at[i]->invalid = true;
				error = cudaErrorStreamCaptureImplicit;
			}
	return error;
}

static cudaError_t spoil(hu_capture *capture, cudaError_t error)
{
	if (capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	capture->invalid = true;
	return error;
}

static void join(hu_capture *capture, hu_stream *stream)
{
	stream->capture = capture;
	hu_dependencies_clear(&stream->needs);
	hd_vec_push(&capture->streams, (hu_stream *)hr_use(stream));
}

/* Ends a capture. The graph is the caller's, or NULL. */
static hu_graph *end(hu_capture *capture, bool keep)
{
	hu_graph *graph = capture->graph;
	for (size_t i = 0; i < capture->streams.n; i++) {
		capture->streams.at[i]->capture = NULL;
		hu_dependencies_clear(&capture->streams.at[i]->needs);
	}
	graph->capture = NULL;
	if (!keep && !capture->foreign)
		hu_graph_drop(graph);
	for (size_t i = 0; i < hu.captures.n; i++)
		if (hu.captures.at[i] == capture)
			hu.captures.at[i--] = hu.captures.at[--hu.captures.n];
	atomic_store(&hu.capturing, (unsigned)hu.captures.n);
	for (size_t i = 0; i < capture->streams.n; i++)
		hr_unuse(capture->streams.at[i]);
	hd_vec_free(&capture->streams);
	if (!hu.captures.n)
		hd_vec_free(&hu.captures);
	free(capture);
	return keep ? graph : NULL;
}

/* -- beginning and end ------------------------------------------------------------------------------------------------------------------------------
 */
static cudaError_t begin(hu_stream *stream, hu_graph *graph, hu_dependency_view needs, enum cudaStreamCaptureMode mode)
{
	if (stream == hu.legacy)
		return cudaErrorStreamCaptureUnsupported;
	if (stream->capture)
		return stream->capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaErrorIllegalState;
	if ((graph && (!hu_graph_is(graph) || graph->capture || graph->parent || !hu_dependencies_are_valid(graph, needs))) || (!graph && needs.n))
		return cudaErrorInvalidValue;
	hu_capture *capture = hd_xcalloc(1, sizeof *capture);
	*capture = (hu_capture){
	    .number = ++hu.captures_made, .graph = graph, .origin = stream, .mode = mode, .thread = pthread_self(), .foreign = graph != NULL};
	if (!graph)
		hu_graph_new(0, &capture->graph);
	capture->graph->capture = capture;
	join(capture, stream);
	hu_dependencies_join(&stream->needs, needs);
	hd_vec_push(&hu.captures, capture);
	atomic_store(&hu.capturing, (unsigned)hu.captures.n);
	return cudaSuccess;
}

static cudaError_t check_and_begin(hu_stream *stream, hu_graph *graph, hu_dependency_view needs, enum cudaStreamCaptureMode mode)
{
	if (!stream || (unsigned)mode > cudaStreamCaptureModeRelaxed)
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	hu_graphs_lock();
	cudaError_t error = begin(stream, graph, needs, mode);
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_capture_begin(hu_stream *stream, enum cudaStreamCaptureMode mode)
{
	return check_and_begin(stream, NULL, (hu_dependency_view){0}, mode);
}

cudaError_t hu_capture_begin_in(hu_stream *stream, hu_graph *graph, hu_dependency_view needs, enum cudaStreamCaptureMode mode)
{
	return stream && !graph ? cudaErrorInvalidValue : check_and_begin(stream, graph, needs, mode);
}

/* Marks the node and all that it depends on. */
static void mark(const hu_node *node, bool *seen)
{
	HD_VEC(const hu_node *) left = {0};
	hd_vec_push(&left, node);
	while (left.n) {
		const hu_node *one = left.at[--left.n];
		if (seen[one->place])
			continue;
		seen[one->place] = true;
		for (size_t i = 0; i < one->needs.nodes.n; i++)
			hd_vec_push(&left, one->needs.nodes.at[i]);
	}
	hd_vec_free(&left);
}

/* True when the work of all other streams leads to the stream where the capture ends. */
static bool is_joined(const hu_capture *capture)
{
	bool *seen = hd_xcalloc(capture->graph->nodes.n + 1, sizeof *seen), joined = true;
	for (size_t i = 0; i < capture->origin->needs.nodes.n; i++)
		mark(capture->origin->needs.nodes.at[i], seen);
	for (size_t i = 0; i < capture->streams.n; i++)
		for (size_t j = 0; j < capture->streams.at[i]->needs.nodes.n; j++)
			joined = joined && seen[capture->streams.at[i]->needs.nodes.at[j]->place];
	free(seen);
	return joined;
}

static cudaError_t end_here(hu_stream *stream, hu_graph **graph)
{
	hu_capture *capture = stream->capture;
	if (!capture)
		return cudaErrorIllegalState;
	if (capture->origin != stream)
		return spoil(capture, cudaErrorStreamCaptureUnmatched);
	if (capture->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(capture->thread, pthread_self()))
		return cudaErrorStreamCaptureWrongThread;
	cudaError_t error = capture->invalid ? cudaErrorStreamCaptureInvalidated : is_joined(capture) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
	*graph = end(capture, error == cudaSuccess);
	return error;
}

cudaError_t hu_capture_end(hu_stream *stream, hu_graph **graph)
{
	if (!stream || !graph)
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	*graph = NULL;
	hu_graphs_lock();
	cudaError_t error = end_here(stream, graph);
	hu_graphs_unlock();
	return error;
}

/* A stream of a capture that ends is still used by it, until the capture ends where it began. */
void hu_capture_forget(hu_stream *stream)
{
	hu_graphs_lock();
	if (stream->capture && stream->capture->origin == stream)
		end(stream->capture, false);
	else if (stream->capture)
		stream->capture->invalid = true;
	hu_graphs_unlock();
}

/* -- questions --------------------------------------------------------------------------------------------------------------------------------------
 */
cudaError_t hu_capture_query(hu_stream *stream, hu_capture_info *info)
{
	cudaError_t error = cudaSuccess;
	*info = (hu_capture_info){.status = cudaStreamCaptureStatusNone};
	hu_graphs_lock();
	const hu_capture *capture = stream->capture;
	if (stream == hu.legacy && blocking())
		error = cudaErrorStreamCaptureImplicit;
	if (capture)
		*info = (hu_capture_info){.status = capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive,
		                          .id = capture->number,
		                          .graph = capture->graph,
		                          .needs = hu_dependencies_view(&stream->needs)};
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_capture_describe(hu_stream *stream, enum cudaStreamCaptureStatus *status, void *id, hu_graph **graph, hu_node *const **needs,
                                const cudaGraphEdgeData **data, size_t *n)
{
	static const cudaGraphEdgeData none;
	hu_capture_info info;
	if (!stream || !status || (data && !needs))
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capture_query(stream, &info);
	*status = info.status;
	if (error != cudaSuccess || info.status != cudaStreamCaptureStatusActive)
		return error;
	for (size_t i = 0; needs && !data && i < info.needs.n; i++)
		if (memcmp(&info.needs.data[i], &none, sizeof none) != 0)
			return cudaErrorLossyQuery;
	if (id)
		memcpy(id, &info.id, sizeof info.id);
	if (graph)
		*graph = info.graph;
	if (needs)
		*needs = info.needs.nodes;
	if (data)
		*data = info.needs.data;
	if (n)
		*n = info.needs.n;
	return cudaSuccess;
}

cudaError_t hu_capture_update(hu_stream *stream, hu_dependency_view needs, unsigned flags)
{
	if (!stream || flags > cudaStreamSetCaptureDependencies)
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	hu_graphs_lock();
	hu_capture *capture = stream->capture;
	cudaError_t error = !capture                                            ? cudaErrorIllegalState
	                    : capture->invalid                                  ? cudaErrorStreamCaptureInvalidated
	                    : !hu_dependencies_are_valid(capture->graph, needs) ? cudaErrorInvalidValue
	                                                                        : cudaSuccess;
	if (error == cudaSuccess) {
		hu_dependencies list = {0}; /* the program may give the stream's own list */
		if (flags != cudaStreamSetCaptureDependencies)
			hu_dependencies_join(&list, hu_dependencies_view(&stream->needs));
		hu_dependencies_join(&list, needs);
		hd_vec_free(&stream->needs.nodes);
		hd_vec_free(&stream->needs.data);
		stream->needs = list;
	}
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_capture_mode(enum cudaStreamCaptureMode *mode)
{
	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return cudaErrorInvalidValue;
	enum cudaStreamCaptureMode before = thread_mode;
	thread_mode = *mode;
	*mode = before;
	return cudaSuccess;
}

static bool forbids(const hu_capture *capture)
{
	if (thread_mode == cudaStreamCaptureModeRelaxed || capture->mode == cudaStreamCaptureModeRelaxed)
		return false;
	return pthread_equal(capture->thread, pthread_self()) ||
	       (thread_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal);
}

static cudaError_t refuse(bool all)
{
	cudaError_t error = cudaSuccess;
	if (!hu_capturing())
		return cudaSuccess;
	hu_graphs_lock();
	for (size_t i = 0; i < hu.captures.n; i++)
		if (all || forbids(hu.captures.at[i])) {
			hu.captures.at[i]->invalid = true;
			error = cudaErrorStreamCaptureUnsupported;
		}
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_capture_unsafe(void) { return refuse(false); }
cudaError_t hu_capture_any(void) { return refuse(true); }

cudaError_t hu_capture_of_stream(hu_stream *stream)
{
	cudaError_t error = stream ? cudaSuccess : cudaErrorInvalidResourceHandle;
	if (!stream || !hu_capturing())
		return error;
	hu_graphs_lock();
	if (stream == hu.legacy)
		error = spoil_legacy();
	else if (stream->capture)
		error = spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_capture_of_event(hu_event *event)
{
	hu_graphs_lock();
	cudaError_t error = event->captured ? cudaErrorCapturedEvent : cudaSuccess;
	hu_capture *capture = numbered(event->captured);
	if (capture)
		capture->invalid = true;
	hu_graphs_unlock();
	return error;
}

/* -- work
 * ----------------------------------------------------------------------------------------------------------------------------------------------- */
/* The stream's capture, or NULL where it has none. With the lock. */
static cudaError_t enter(hu_stream *stream, hu_capture **capture)
{
	*capture = stream->capture;
	if (stream == hu.legacy)
		return spoil_legacy();
	return *capture && (*capture)->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

static cudaError_t insert(hu_stream *stream, hu_capture *capture, hu_payload *payload)
{
	hu_node *node;
	cudaError_t error = hu_graph_insert(capture->graph, hu_dependencies_view(&stream->needs), payload, &node);
	if (error != cudaSuccess)
		return error;
	hu_dependencies_clear(&stream->needs);
	hu_dependencies_add(&stream->needs, node, (cudaGraphEdgeData){0});
	return cudaSuccess;
}

cudaError_t hu_capture_take(hu_stream *stream, hu_work *work, bool *taken)
{
	hu_capture *capture;
	hu_payload payload;
	*taken = false;
	hu_graphs_lock();
	cudaError_t error = enter(stream, &capture);
	hu_graphs_unlock();
	if (error != cudaSuccess || !capture)
		return error;
	error = hu_payload_take(&payload, work);
	hu_graphs_lock();
	if (error == cudaSuccess)
		error = enter(stream, &capture);
	if (error == cudaSuccess && capture)
		error = insert(stream, capture, &payload);
	*taken = error == cudaSuccess && capture;
	if (!*taken && payload.work.kind == cudaGraphNodeTypeGraph)
		payload.work.child.graph = NULL; /* the caller's still */
	hu_payload_drop(&payload);
	hu_graphs_unlock();
	return error;
}

static cudaError_t record(hu_event *event, hu_stream *stream, bool external, bool *taken)
{
	hu_capture *capture;
	cudaError_t error = enter(stream, &capture);
	if (error != cudaSuccess)
		return error;
	if (!capture && external)
		return cudaErrorInvalidValue;
	*taken = capture != NULL;
	if (external) {
		hu_payload payload = {.work = {.kind = cudaGraphNodeTypeEventRecord, .event = hr_use(event)}};
		error = insert(stream, capture, &payload);
		hu_payload_drop(&payload);
		return error;
	}
	event->captured = capture ? capture->number : 0;
	hu_dependencies_clear(&event->needs);
	if (capture)
		hu_dependencies_join(&event->needs, hu_dependencies_view(&stream->needs));
	return cudaSuccess;
}

cudaError_t hu_capture_record(hu_event *event, hu_stream *stream, bool external, bool *taken)
{
	*taken = false;
	hu_graphs_lock();
	cudaError_t error = record(event, stream, external, taken);
	hu_graphs_unlock();
	return error;
}

/* The stream waits for an event that was recorded in the capture. */
static cudaError_t wait_for(hu_stream *stream, hu_capture *own, hu_capture *capture, const hu_event *event)
{
	if (capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	if (stream == hu.legacy)
		return spoil(capture, cudaErrorStreamCaptureImplicit);
	if (own && own != capture) {
		capture->invalid = true;
		return spoil(own, cudaErrorStreamCaptureMerge);
	}
	if (!own)
		join(capture, stream);
	hu_dependencies_join(&stream->needs, hu_dependencies_view(&event->needs));
	return cudaSuccess;
}

static cudaError_t wait(hu_stream *stream, hu_event *event, bool external, bool *taken)
{
	hu_capture *own, *capture = numbered(event->captured);
	cudaError_t error = enter(stream, &own);
	if (error != cudaSuccess)
		return error;
	if (!own && external)
		return cudaErrorInvalidValue;
	if (external) {
		hu_payload payload = {.work = {.kind = cudaGraphNodeTypeWaitEvent, .event = hr_use(event)}};
		*taken = true;
		error = insert(stream, own, &payload);
		hu_payload_drop(&payload);
		return error;
	}
	*taken = own || event->captured;
	if (capture)
		return wait_for(stream, own, capture, event);
	if (event->captured) /* in a capture that has ended */
		return own ? spoil(own, cudaErrorStreamCaptureIsolation) : cudaErrorCapturedEvent;
	hu_mark *before = own ? hu_event_recorded(event) : NULL;
	hr_unuse(before);
	return before ? spoil(own, cudaErrorStreamCaptureIsolation) : cudaSuccess;
}

cudaError_t hu_capture_wait(hu_stream *stream, hu_event *event, bool external, bool *taken)
{
	*taken = false;
	hu_graphs_lock();
	cudaError_t error = wait(stream, event, external, taken);
	hu_graphs_unlock();
	return error;
}

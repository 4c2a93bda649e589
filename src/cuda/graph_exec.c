/* Executable graphs. One is a copy of its graph with an order of its nodes. A launch puts a command for each node into the stream, one after the
 * other in that order, because the device runs one thing at a time. */
#include "cuda/graph.h"

/* -- instantiation
 * ----------------------------------------------------------------------------------------------------------------------------------- */
/* An order in which each node follows what it depends on; among those that are ready, the one that was added first. False: there is a cycle, and *bad
 * is on it or behind it. */
static bool find_order(hu_graph *graph, hu_node **bad)
{
	size_t n = graph->nodes.n, edges = 0, at = 0;
	for (size_t i = 0; i < n; i++)
		edges += graph->nodes.at[i]->needs.nodes.n;
	size_t *waits = hd_xcalloc(n + 1, sizeof *waits), *first = hd_xcalloc(n + 2, sizeof *first), *to = hd_xcalloc(edges + 1, sizeof *to);
	for (size_t i = 0; i < n; i++) {
		const hu_dependencies *needs = &graph->nodes.at[i]->needs;
		waits[i] = needs->nodes.n;
		for (size_t j = 0; j < needs->nodes.n; j++)
			first[needs->nodes.at[j]->place + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		first[i + 1] += first[i];
	size_t *next = hd_xcalloc(n + 1, sizeof *next);
	memcpy(next, first, n * sizeof *next);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < graph->nodes.at[i]->needs.nodes.n; j++)
			to[next[graph->nodes.at[i]->needs.nodes.at[j]->place]++] = i;
	for (size_t i = 0; i < n; i++)
		if (!waits[i])
			hd_vec_push(&graph->order, graph->nodes.at[i]);
	for (; at < graph->order.n; at++) {
		size_t i = graph->order.at[at]->place;
		for (size_t j = first[i]; j < first[i + 1]; j++)
			if (!--waits[to[j]])
				hd_vec_push(&graph->order, graph->nodes.at[to[j]]);
	}
	for (size_t i = 0; i < n && at < n && !*bad; i++)
		if (waits[i])
			*bad = graph->nodes.at[i];
	free(waits);
	free(first);
	free(next);
	free(to);
	return at == n;
}

static bool find_orders(hu_graph *graph, hu_node **bad)
{
	bool good = find_order(graph, bad);
	for (size_t i = 0; i < graph->nodes.n && good; i++)
		if (graph->nodes.at[i]->does.work.kind == cudaGraphNodeTypeGraph)
			good = find_orders(graph->nodes.at[i]->does.work.child.graph, bad);
	return good;
}

/* Also on a thread of the library, after the last launch. */
static void destroy_exec(void *object)
{
	hu_exec *exec = object;
	hu_graphs_lock();
	if (exec->body)
		hu_graph_drop(exec->body);
	hu_graphs_unlock();
	hr_unuse(exec->last);
}

static bool exec_is(const void *exec) { return hr_is(exec, HU_EXEC_KIND) && atomic_load(&((const hu_exec *)exec)->object.refs); }

/* With the lock. */
static cudaError_t instantiate(hu_graph *graph, hu_exec *exec, cudaGraphInstantiateResult *result, hu_node **at)
{
	hu_node *bad = NULL;
	if (!hu_graph_is(graph) || graph->parent || graph->capture)
		return cudaErrorInvalidValue;
	bool memory = hu_graph_has_memory(graph);
	if (memory && graph->exec) /* there is one already */
		return cudaErrorInvalidValue;
	cudaError_t error = hu_graph_copy(graph, true, &exec->body);
	if (error != cudaSuccess)
		return error;
	if (!find_orders(exec->body, &bad)) {
		*result = cudaGraphInstantiateInvalidStructure;
		*at = (hu_node *)bad->origin;
		return cudaErrorInvalidValue;
	}
	if (memory)
		graph->exec = exec->object.number;
	return cudaSuccess;
}

cudaError_t hu_exec_new(hu_graph *graph, unsigned long long flags, hu_exec **exec, cudaGraphInstantiateResult *result, hu_node **at)
{
	const unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority;
	cudaGraphInstantiateResult what = cudaGraphInstantiateError;
	hu_node *where = NULL;
	cudaError_t error = !exec || flags & ~(known | cudaGraphInstantiateFlagDeviceLaunch) ? cudaErrorInvalidValue : cudaSuccess;
	if (error == cudaSuccess && flags & cudaGraphInstantiateFlagDeviceLaunch) /* device code cannot launch graphs here */
		error = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch ? cudaErrorInvalidValue : cudaErrorNotSupported;
	if (error == cudaSuccess) {
		hu_exec *made = hr_new(NULL, HU_EXEC_KIND, sizeof *made, destroy_exec);
		made->flags = flags;
		hu_graphs_lock();
		error = instantiate(graph, made, &what, &where);
		hu_graphs_unlock();
		if (error == cudaSuccess)
			*exec = made;
		else
			hr_release(made, HU_EXEC_KIND);
	}
	if (result)
		*result = error ? what : cudaGraphInstantiateSuccess;
	if (at)
		*at = error ? where : NULL;
	return error;
}

/* The graph of which the body is a copy may be instantiated again. */
static void forget_exec(const hu_exec *exec)
{
	for (size_t i = 0; i < exec->body->nodes.n; i++) {
		const hu_node *node = exec->body->nodes.at[i];
		if (!hr_is(node->origin, HU_NODE_KIND) || node->origin->object.number != node->origin_number)
			continue;
		if (node->origin->graph->exec == exec->object.number)
			node->origin->graph->exec = 0;
		return;
	}
}

cudaError_t hu_exec_free(hu_exec *exec)
{
	hu_graphs_lock();
	bool good = exec_is(exec);
	if (good)
		forget_exec(exec);
	hu_graphs_unlock();
	return good && hr_release(exec, HU_EXEC_KIND) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hu_exec_flags(hu_exec *exec, void *flags)
{
	if (!flags || !exec_is(exec))
		return cudaErrorInvalidValue;
	memcpy(flags, &exec->flags, sizeof exec->flags);
	return cudaSuccess;
}

cudaError_t hu_exec_instantiate(hu_graph *graph, hu_exec **exec, cudaGraphInstantiateParams *p, bool per_thread)
{
	const unsigned long long upload = cudaGraphInstantiateFlagUpload;
	if (!p)
		return cudaErrorInvalidValue;
	p->result_out = cudaGraphInstantiateError;
	p->errNode_out = NULL;
	if (p->flags & upload && !hu_stream_of(p->uploadStream, per_thread))
		return cudaErrorInvalidResourceHandle;
	return hu_exec_new(graph, p->flags & ~upload, exec, &p->result_out, &p->errNode_out);
}

/* -- changes
 * ------------------------------------------------------------------------------------------------------------------------------------------ */
static hu_node *counterpart(const hu_graph *body, const hu_node *node)
{
	for (size_t i = 0; i < body->nodes.n; i++) {
		hu_node *one = body->nodes.at[i];
		if (one->origin == node && one->origin_number == node->object.number)
			return one;
		hu_node *below = one->does.work.kind == cudaGraphNodeTypeGraph ? counterpart(one->does.work.child.graph, node) : NULL;
		if (below)
			return below;
	}
	return NULL;
}

/* The node of the executable graph, or NULL. */
static hu_node *node_of(const hu_exec *exec, const hu_node *node)
{
	return exec_is(exec) && hr_is(node, HU_NODE_KIND) ? counterpart(exec->body, node) : NULL;
}

static bool is_line(const struct cudaMemcpy3DParms *p) { return p->extent.height == 1 && p->extent.depth == 1; }

static bool is_of_host(const void *pointer)
{
	hu_kind kind = hu_find((uintptr_t)pointer).kind;
	return kind == HU_NOWHERE || kind == HU_PINNED || kind == HU_REGISTERED;
}

static bool same_places(const struct cudaMemcpy3DParms *a, const struct cudaMemcpy3DParms *b)
{
	return is_of_host(a->srcPtr.ptr) == is_of_host(b->srcPtr.ptr) && is_of_host(a->dstPtr.ptr) == is_of_host(b->dstPtr.ptr);
}

static bool may_fill(const struct cudaMemsetParams *a, const struct cudaMemsetParams *b)
{
	if (!b->width || !b->height || a->height != b->height || is_of_host(a->dst) != is_of_host(b->dst))
		return false;
	return a->height == 1 || (a->width == b->width && a->pitch == b->pitch && a->elementSize == b->elementSize);
}

/* Whether a node may do the second in place of the first. `one`: the call names the node. */
static bool may_become(const hu_work *a, const hu_work *b, bool one)
{
	switch (a->kind) {
	case cudaGraphNodeTypeMemcpy:
		if (one && (!is_line(&a->copy) || !is_line(&b->copy) || !b->copy.extent.width))
			return false;
		return same_places(&a->copy, &b->copy);
	case cudaGraphNodeTypeMemset:
		return may_fill(&a->fill, &b->fill);
	default:
		return true;
	}
}

static void replace(hu_node *node, hu_payload *payload)
{
	hu_payload before = node->does;
	node->does = *payload;
	*payload = before;
}

static cudaError_t update(hu_graph *body, const hu_graph *graph, cudaGraphExecUpdateResultInfo *info);

static cudaError_t set_child(hu_node *node, const hu_work *work)
{
	cudaGraphExecUpdateResultInfo info;
	if (!hu_graph_is(work->child.graph))
		return cudaErrorInvalidValue;
	return update(node->does.work.child.graph, work->child.graph, &info) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t hu_exec_set(hu_exec *exec, hu_node *node, const hu_work *work)
{
	hu_payload payload;
	hu_work copy = *work;
	if (work->wrong)
		return work->wrong;
	if (work->kind == cudaGraphNodeTypeMemAlloc || work->kind == cudaGraphNodeTypeMemFree)
		return cudaErrorNotSupported;
	cudaError_t error = hu_payload_take(&payload, &copy);
	if (error != cudaSuccess)
		return error;
	hu_graphs_lock();
	hu_node *own = node_of(exec, node);
	error = own && own->does.work.kind == work->kind && may_become(&own->does.work, work, true) ? cudaSuccess : cudaErrorInvalidValue;
	if (error == cudaSuccess && work->kind == cudaGraphNodeTypeKernel) {
		payload.work.kernel.grid.cooperative = own->does.work.kernel.grid.cooperative;
		payload.work.kernel.priority = own->does.work.kernel.priority;
	}
	if (work->kind == cudaGraphNodeTypeGraph) {
		error = error ? error : set_child(own, work);
		payload.work.child.graph = NULL;
	} else if (error == cudaSuccess) {
		replace(own, &payload);
	}
	hu_payload_drop(&payload);
	hu_graphs_unlock();
	return error;
}

static bool can_be_disabled(const hu_node *node)
{
	enum cudaGraphNodeType kind = node->does.work.kind;
	return kind == cudaGraphNodeTypeKernel || kind == cudaGraphNodeTypeMemcpy || kind == cudaGraphNodeTypeMemset;
}

cudaError_t hu_exec_enable(hu_exec *exec, hu_node *node, bool enabled)
{
	hu_graphs_lock();
	hu_node *own = node_of(exec, node);
	bool good = own && can_be_disabled(own);
	if (good)
		own->disabled = !enabled;
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hu_exec_enabled(hu_exec *exec, hu_node *node, unsigned *enabled)
{
	hu_graphs_lock();
	const hu_node *own = node_of(exec, node);
	bool good = enabled && own && can_be_disabled(own);
	if (good)
		*enabled = !own->disabled;
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* -- updates by a whole graph
 * ------------------------------------------------------------------------------------------------------------------------- */
static bool differ(cudaGraphExecUpdateResultInfo *info, enum cudaGraphExecUpdateResult result, hu_node *node, hu_node *from)
{
	*info = (cudaGraphExecUpdateResultInfo){result, (cudaGraphNode_t)node, (cudaGraphNode_t)from};
	return false;
}

static bool same_shape(const hu_graph *body, const hu_graph *graph, cudaGraphExecUpdateResultInfo *info);

/* Nodes are paired in the order in which they were added. */
static bool same_node(const hu_node *own, hu_node *other, cudaGraphExecUpdateResultInfo *info)
{
	const hu_work *a = &own->does.work, *b = &other->does.work;
	if (a->kind != b->kind)
		return differ(info, cudaGraphExecUpdateErrorNodeTypeChanged, other, NULL);
	if (own->needs.nodes.n != other->needs.nodes.n)
		return differ(info, cudaGraphExecUpdateErrorTopologyChanged, other, NULL);
	for (size_t i = 0; i < own->needs.nodes.n; i++)
		if (own->needs.nodes.at[i]->place != other->needs.nodes.at[i]->place)
			return differ(info, cudaGraphExecUpdateErrorTopologyChanged, other, other->needs.nodes.at[i]);
	if (a->kind == cudaGraphNodeTypeGraph)
		return same_shape(a->child.graph, b->child.graph, info);
	if (a->kind == cudaGraphNodeTypeMemAlloc || a->kind == cudaGraphNodeTypeMemFree)
		return own->does.allocation == other->does.allocation || differ(info, cudaGraphExecUpdateErrorNotSupported, other, NULL);
	if (a->kind == cudaGraphNodeTypeKernel && a->kernel.grid.cooperative != b->kernel.grid.cooperative)
		return differ(info, cudaGraphExecUpdateErrorAttributesChanged, other, NULL);
	return may_become(a, b, false) || differ(info, cudaGraphExecUpdateErrorParametersChanged, other, NULL);
}

static bool same_shape(const hu_graph *body, const hu_graph *graph, cudaGraphExecUpdateResultInfo *info)
{
	if (body->nodes.n != graph->nodes.n)
		return differ(info, cudaGraphExecUpdateErrorTopologyChanged, NULL, NULL);
	for (size_t i = 0; i < graph->nodes.n; i++)
		if (!same_node(body->nodes.at[i], graph->nodes.at[i], info))
			return false;
	return true;
}

/* The graphs have the same shape. */
static cudaError_t take_over(hu_graph *body, const hu_graph *graph)
{
	for (size_t i = 0; i < graph->nodes.n; i++) {
		hu_payload payload;
		hu_node *own = body->nodes.at[i];
		cudaError_t error = cudaSuccess;
		if (own->does.work.kind == cudaGraphNodeTypeGraph) {
			error = take_over(own->does.work.child.graph, graph->nodes.at[i]->does.work.child.graph);
		} else {
			error = hu_payload_copy(&payload, &graph->nodes.at[i]->does);
			if (error == cudaSuccess)
				replace(own, &payload);
			hu_payload_drop(&payload);
		}
		if (error != cudaSuccess)
			return error;
	}
	return cudaSuccess;
}

static cudaError_t update(hu_graph *body, const hu_graph *graph, cudaGraphExecUpdateResultInfo *info)
{
	*info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
	if (!same_shape(body, graph, info))
		return cudaErrorGraphExecUpdateFailure;
	cudaError_t error = take_over(body, graph);
	if (error != cudaSuccess)
		info->result = cudaGraphExecUpdateError;
	return error;
}

cudaError_t hu_exec_update(hu_exec *exec, hu_graph *graph, cudaGraphExecUpdateResultInfo *info)
{
	cudaGraphExecUpdateResultInfo told = {.result = cudaGraphExecUpdateError};
	hu_graphs_lock();
	bool good = exec_is(exec) && hu_graph_is(graph) && !graph->parent && !graph->capture;
	cudaError_t error = good ? update(exec->body, graph, &told) : cudaErrorInvalidValue;
	hu_graphs_unlock();
	if (info)
		*info = told;
	return error;
}

/* -- launches
 * --------------------------------------------------------------------------------------------------------------------------------------------- */
typedef struct launch {
	hu_exec *exec;
	HD_VEC(hu_put_one) commands;
	HD_VEC(hu_event *) events; /* that the commands with a mark record; NULL: the end of the launch */
} launch;

static void add(launch *l, hu_command *command, hu_mark *wait, hu_event *event, bool marked)
{
	hd_vec_push(&l->commands, (hu_put_one){.command = command, .wait = wait, .marked = marked});
	hd_vec_push(&l->events, event);
}

static hu_command *nothing(void) { return hu_command_new(sizeof(hu_command), NULL, NULL); }

static cudaError_t kernel_command(const launch *l, const hu_payload *p, hu_command **command)
{
	hu_function *same;
	const void *packed;
	size_t size;
	bool own = l->exec->flags & cudaGraphInstantiateFlagUseNodePriority;
	hr_priority priority = hu_priority_of(p->work.kernel.priority);
	if (hu_function_of(p->function, &same) != cudaSuccess) /* its module is gone */
		return cudaErrorInvalidResourceHandle;
	hu_packed(p->work.kernel.extra, &packed, &size);
	return hu_launch_command(same, &p->work.kernel.grid, p->work.kernel.arguments, packed, size, own ? &priority : NULL, command);
}

static cudaError_t collect(launch *l, const hu_graph *body);

static cudaError_t collect_node(launch *l, const hu_node *node)
{
	const hu_work *work = &node->does.work;
	hu_command *command = NULL;
	hu_copy copy;
	cudaError_t error = cudaSuccess;
	switch (work->kind) {
	case cudaGraphNodeTypeGraph:
		return collect(l, work->child.graph);
	case cudaGraphNodeTypeKernel:
		error = kernel_command(l, &node->does, &command);
		break;
	case cudaGraphNodeTypeMemcpy:
		error = hu_copy_of_box(&work->copy, &copy);
		if (error == cudaSuccess)
			error = hu_copy_command(&copy, &command);
		break;
	case cudaGraphNodeTypeMemset:
		copy = (hu_copy){.to = {(uintptr_t)work->fill.dst, work->fill.pitch, 0},
		                 .width = work->fill.width * work->fill.elementSize,
		                 .height = work->fill.height,
		                 .depth = 1};
		error = hu_fill_command(&copy, work->fill.value, work->fill.elementSize, &command);
		break;
	case cudaGraphNodeTypeHost:
		command = hu_call_command(work->host.fn, NULL, NULL, work->host.userData);
		break;
	case cudaGraphNodeTypeWaitEvent:
		add(l, nothing(), hu_event_recorded(work->event), NULL, false);
		break;
	case cudaGraphNodeTypeEventRecord:
		add(l, nothing(), NULL, work->event, true);
		break;
	default: /* memory is there already; empty nodes */
		break;
	}
	if (error == cudaSuccess && command)
		add(l, command, NULL, NULL, false);
	return error;
}

static cudaError_t collect(launch *l, const hu_graph *body)
{
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < body->order.n && error == cudaSuccess; i++)
		if (!body->order.at[i]->disabled)
			error = collect_node(l, body->order.at[i]);
	return error;
}

static bool allocates(const hu_graph *body, const hu_allocation *a)
{
	for (size_t i = 0; i < body->order.n; i++) {
		const hu_payload *p = &body->order.at[i]->does;
		if (p->work.kind == cudaGraphNodeTypeMemAlloc ? p->allocation == a
		                                              : p->work.kind == cudaGraphNodeTypeGraph && allocates(p->work.child.graph, a))
			return true;
	}
	return false;
}

/* Whether the nodes of memory can do what they are for. */
static bool memory_fits(const hu_exec *exec, const hu_graph *body)
{
	bool again = exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch, good = true;
	for (size_t i = 0; i < body->order.n && good; i++) {
		const hu_payload *p = &body->order.at[i]->does;
		if (p->work.kind == cudaGraphNodeTypeMemAlloc)
			good = !p->allocation->live || again;
		else if (p->work.kind == cudaGraphNodeTypeMemFree)
			good = p->allocation->live || allocates(exec->body, p->allocation);
		else if (p->work.kind == cudaGraphNodeTypeGraph)
			good = memory_fits(exec, p->work.child.graph);
	}
	return good;
}

static void use_memory(const hu_graph *body)
{
	for (size_t i = 0; i < body->order.n; i++) {
		const hu_payload *p = &body->order.at[i]->does;
		if (p->work.kind == cudaGraphNodeTypeGraph)
			use_memory(p->work.child.graph);
		else if (p->allocation)
			hu_allocation_set(p->allocation, p->work.kind == cudaGraphNodeTypeMemAlloc);
	}
}

/* The last command of a launch keeps the executable graph, and with it what the commands use. */
typedef struct end_command {
	hu_command base;
	hu_exec *exec; /* used */
} end_command;

static void drop_end(hu_command *command) { hr_unuse(((end_command *)command)->exec); }

static void put_all(launch *l, hu_stream *stream)
{
	end_command *end = hu_command_new(sizeof *end, NULL, drop_end);
	end->exec = hr_use(l->exec);
	add(l, &end->base, NULL, NULL, true);
	hu_put_all(stream, l->commands.at, l->commands.n);
	for (size_t i = 0; i + 1 < l->commands.n; i++)
		if (l->commands.at[i].marked) {
			l->events.at[i]->captured = 0;
			hu_event_set_recorded(l->events.at[i], l->commands.at[i].mark);
		}
	hr_unuse(l->exec->last);
	l->exec->last = l->commands.at[l->commands.n - 1].mark;
}

static void drop_all(launch *l)
{
	for (size_t i = 0; i < l->commands.n; i++) {
		hu_command_free(l->commands.at[i].command);
		hr_unuse(l->commands.at[i].wait);
	}
}

/* With the lock. */
static cudaError_t put(hu_exec *exec, hu_stream *stream)
{
	launch l = {.exec = exec};
	if (!memory_fits(exec, exec->body))
		return cudaErrorInvalidValue;
	/* Launches of one executable graph follow each other, in whatever streams. */
	if (exec->last && exec->last->base.queue != &stream->base)
		add(&l, nothing(), hr_use(exec->last), NULL, false);
	cudaError_t error = collect(&l, exec->body);
	if (error == cudaSuccess) {
		use_memory(exec->body);
		put_all(&l, stream);
	} else {
		drop_all(&l);
	}
	hd_vec_free(&l.commands);
	hd_vec_free(&l.events);
	return error;
}

/* In a capture a launch becomes a child. */
static cudaError_t capture(hu_exec *exec, hu_stream *stream, bool *taken)
{
	hu_graph *body = NULL;
	hu_capture_info info;
	if (hu_capture_query(stream, &info) != cudaSuccess)
		return hu_capture_of_stream(stream);
	if (info.status == cudaStreamCaptureStatusNone)
		return cudaSuccess;
	hu_graphs_lock();
	cudaError_t error = exec_is(exec) ? hu_graph_copy(exec->body, false, &body) : cudaErrorInvalidValue;
	hu_graphs_unlock();
	if (error != cudaSuccess)
		return error;
	hu_work work = {.kind = cudaGraphNodeTypeGraph, .child = {.graph = body, .move = true}};
	error = hu_capture_take(stream, &work, taken);
	if (error != cudaSuccess || !*taken)
		hu_graph_free(body);
	return error;
}

cudaError_t hu_exec_launch(hu_exec *exec, hu_stream *stream)
{
	bool taken = false;
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capturing() ? capture(exec, stream, &taken) : cudaSuccess;
	if (error != cudaSuccess || taken)
		return error;
	hu_graphs_lock();
	error = exec_is(exec) ? put(exec, stream) : cudaErrorInvalidValue;
	hu_graphs_unlock();
	return error;
}

/* There is nothing to bring to this device. */
cudaError_t hu_exec_upload(hu_exec *exec, hu_stream *stream)
{
	return stream && !exec_is(exec) ? cudaErrorInvalidValue : hu_capture_of_stream(stream);
}

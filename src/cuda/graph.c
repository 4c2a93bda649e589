/* Graphs: their nodes, what these depend on, copies, and the objects of the program that graphs keep. */
#include "cuda/graph.h"

enum { DEPTH = 64 /* of graphs in graphs */ };

struct CUuserObject_st {
	hr_object object;
	cudaHostFn_t destroy;
	void *data;
	uint64_t references; /* of the program and of graphs */
};

/* -- lists of what something depends on -----------------------------------------------------------------------------------------------------------
 */
void hu_dependencies_add(hu_dependencies *needs, hu_node *node, cudaGraphEdgeData data)
{
	hd_vec_push(&needs->nodes, node);
	hd_vec_push(&needs->data, data);
}

static bool equal(const cudaGraphEdgeData *a, const cudaGraphEdgeData *b) { return memcmp(a, b, sizeof *a) == 0; }

static size_t find(const hu_dependencies *needs, const hu_node *node)
{
	size_t i = 0;
	while (i < needs->nodes.n && needs->nodes.at[i] != node)
		i++;
	return i;
}

void hu_dependencies_join(hu_dependencies *needs, hu_dependency_view more)
{
	for (size_t i = 0; i < more.n; i++)
		if (find(needs, more.nodes[i]) == needs->nodes.n)
			hu_dependencies_add(needs, more.nodes[i], more.data ? more.data[i] : (cudaGraphEdgeData){0});
}

void hu_dependencies_clear(hu_dependencies *needs) { needs->nodes.n = needs->data.n = 0; }

static void take_out(hu_dependencies *needs, size_t i)
{
	size_t left = --needs->nodes.n - i;
	needs->data.n--;
	memmove(&needs->nodes.at[i], &needs->nodes.at[i + 1], left * sizeof *needs->nodes.at);
	memmove(&needs->data.at[i], &needs->data.at[i + 1], left * sizeof *needs->data.at);
}

static bool is_default(const cudaGraphEdgeData *data) { return equal(data, &(cudaGraphEdgeData){0}); }

/* This machine starts a node when those before it have ended, which is right for each kind of edge. */
static bool good_data(const hu_node *from, const cudaGraphEdgeData *data)
{
	static const unsigned char none[sizeof data->reserved];
	if (data->to_port || memcmp(data->reserved, none, sizeof none) != 0 || data->type > cudaGraphDependencyTypeProgrammatic ||
	    data->from_port > cudaGraphKernelNodePortLaunchCompletion)
		return false;
	if (from->does.work.kind != cudaGraphNodeTypeKernel)
		return is_default(data);
	return data->type == cudaGraphDependencyTypeDefault || data->from_port != cudaGraphKernelNodePortDefault;
}

bool hu_graph_is(const void *graph) { return hr_is(graph, HU_GRAPH_KIND); }
bool hu_node_is_of(const void *node, const hu_graph *graph) { return hr_is(node, HU_NODE_KIND) && ((const hu_node *)node)->graph == graph; }

bool hu_dependencies_are_valid(const hu_graph *graph, hu_dependency_view needs)
{
	if (needs.n && (!needs.nodes || needs.n > graph->nodes.n))
		return false;
	for (size_t i = 0; i < needs.n; i++) {
		if (!hu_node_is_of(needs.nodes[i], graph) || (needs.data && !good_data(needs.nodes[i], &needs.data[i])))
			return false;
		for (size_t j = 0; j < i; j++)
			if (needs.nodes[j] == needs.nodes[i])
				return false;
	}
	return true;
}

/* -- beginning and end ------------------------------------------------------------------------------------------------------------------------------
 */
static void destroy_user(void *object)
{
	hu_user *user = object;
	hu_call_later(user->destroy, user->data);
}

static void drop_references(hu_user *user, uint64_t n)
{
	user->references -= n;
	if (!user->references)
		hr_release(user, HU_USER_KIND);
}

static void destroy_node(void *object)
{
	hu_node *node = object;
	hu_payload_drop(&node->does);
	hd_vec_free(&node->needs.nodes);
	hd_vec_free(&node->needs.data);
}

static void destroy_graph(void *object)
{
	hu_graph *graph = object;
	for (size_t i = 0; i < graph->nodes.n; i++)
		hr_release(graph->nodes.at[i], HU_NODE_KIND);
	for (size_t i = 0; i < graph->kept.n; i++) {
		drop_references(graph->kept.at[i].user, graph->kept.at[i].n);
		hr_unuse(graph->kept.at[i].user);
	}
	hd_vec_free(&graph->nodes);
	hd_vec_free(&graph->order);
	hd_vec_free(&graph->kept);
}

static hu_graph *graph_new(void) { return hr_new(NULL, HU_GRAPH_KIND, sizeof(hu_graph), destroy_graph); }
void hu_graph_drop(hu_graph *graph) { hr_release(graph, HU_GRAPH_KIND); }

cudaError_t hu_graph_new(unsigned flags, hu_graph **graph)
{
	if (!graph || flags)
		return cudaErrorInvalidValue;
	*graph = graph_new();
	return cudaSuccess;
}

cudaError_t hu_graph_free(hu_graph *graph)
{
	hu_graphs_lock();
	bool good = hu_graph_is(graph) && !graph->parent && !graph->capture;
	if (good)
		hu_graph_drop(graph);
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

bool hu_graph_has(const hu_graph *graph, enum cudaGraphNodeType kind)
{
	for (size_t i = 0; i < graph->nodes.n; i++) {
		const hu_work *work = &graph->nodes.at[i]->does.work;
		if (work->kind == kind || (work->kind == cudaGraphNodeTypeGraph && hu_graph_has(work->child.graph, kind)))
			return true;
	}
	return false;
}

/* -- nodes ------------------------------------------------------------------------------------------------------------------------------------------
 */
static unsigned depth_below(const hu_graph *graph)
{
	unsigned most = 0;
	for (size_t i = 0; i < graph->nodes.n; i++)
		if (graph->nodes.at[i]->does.work.kind == cudaGraphNodeTypeGraph) {
			unsigned below = depth_below(graph->nodes.at[i]->does.work.child.graph);
			most = below > most ? below : most;
		}
	return most + 1;
}

static const hu_graph *root_of(const hu_graph *graph, unsigned *depth)
{
	*depth = 1;
	for (; graph->parent; graph = graph->parent->graph)
		++*depth;
	return graph;
}

/* Gives the payload a child of its own. */
static cudaError_t take_child(const hu_graph *graph, hu_payload *p)
{
	hu_graph *child = p->work.child.graph;
	bool move = p->work.child.move;
	unsigned depth;
	p->work.child.graph = NULL;
	if (!hu_graph_is(child) || depth_below(child) + (root_of(graph, &depth), depth) > DEPTH)
		return cudaErrorInvalidValue;
	if (!move)
		return hu_graph_copy(child, false, &p->work.child.graph);
	if (child == root_of(graph, &depth) || child->parent || child->capture || child->exec)
		return cudaErrorInvalidValue;
	p->work.child.graph = child;
	return cudaSuccess;
}

static hu_node *append(hu_graph *graph, hu_payload *payload)
{
	hu_node *node = hr_new(NULL, HU_NODE_KIND, sizeof *node, destroy_node);
	node->graph = graph;
	node->place = graph->nodes.n;
	node->does = *payload;
	if (payload->work.kind == cudaGraphNodeTypeGraph)
		payload->work.child.graph->parent = node;
	hd_vec_push(&graph->nodes, node);
	return node;
}

/* Rules of memory: a graph in another one gets none, and what a graph frees it frees once. */
static cudaError_t check_memory(const hu_graph *graph, const hu_payload *p)
{
	hu_allocation *a = p->allocation;
	if (graph->parent)
		return cudaErrorInvalidValue;
	if (p->work.kind == cudaGraphNodeTypeMemAlloc)
		return cudaSuccess;
	for (size_t i = 0; i < graph->nodes.n; i++)
		if (graph->nodes.at[i]->does.work.kind == cudaGraphNodeTypeMemFree && graph->nodes.at[i]->does.allocation == a)
			return cudaErrorInvalidValue;
	bool own = a->graph == graph->object.number;
	return a->freed_in && (own || a->freed_in == a->graph) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t hu_graph_insert(hu_graph *graph, hu_dependency_view needs, hu_payload *payload, hu_node **node)
{
	cudaError_t error = hu_graph_is(graph) && hu_dependencies_are_valid(graph, needs) ? cudaSuccess : cudaErrorInvalidValue;
	if (error == cudaSuccess && payload->allocation)
		error = check_memory(graph, payload);
	if (payload->work.kind == cudaGraphNodeTypeGraph) {
		cudaError_t of_child = error == cudaSuccess ? take_child(graph, payload) : error;
		if (error != cudaSuccess)
			payload->work.child.graph = NULL;
		error = of_child;
	}
	if (error != cudaSuccess)
		return error;
	if (payload->work.kind == cudaGraphNodeTypeMemAlloc)
		payload->allocation->graph = graph->object.number;
	if (payload->work.kind == cudaGraphNodeTypeMemFree)
		payload->allocation->freed_in = graph->object.number;
	hu_node *made = append(graph, payload);
	hu_dependencies_join(&made->needs, needs);
	*payload = (hu_payload){.work = {.kind = cudaGraphNodeTypeEmpty}};
	*node = made;
	return cudaSuccess;
}

cudaError_t hu_graph_add(hu_graph *graph, hu_dependency_view needs, hu_work *work, hu_node **node)
{
	hu_payload payload;
	if (work->wrong)
		return work->wrong;
	if (!node || !hu_graph_is(graph))
		return cudaErrorInvalidValue;
	cudaError_t error = hu_payload_take(&payload, work);
	hu_graphs_lock();
	if (error == cudaSuccess)
		error = hu_graph_insert(graph, needs, &payload, node);
	else if (payload.work.kind == cudaGraphNodeTypeGraph)
		payload.work.child.graph = NULL;
	if (error == cudaSuccess && work->kind == cudaGraphNodeTypeGraph)
		work->child.graph = (*node)->does.work.child.graph;
	hu_payload_drop(&payload);
	hu_graphs_unlock();
	return error;
}

static void renumber(hu_graph *graph, size_t from)
{
	for (size_t i = from; i < graph->nodes.n; i++)
		graph->nodes.at[i]->place = i;
}

cudaError_t hu_node_free(hu_node *node)
{
	hu_graphs_lock();
	bool good = hr_is(node, HU_NODE_KIND) && !hu_graph_has_memory(node->graph) && !node->graph->capture;
	if (good) {
		hu_graph *graph = node->graph;
		size_t place = node->place;
		memmove(&graph->nodes.at[place], &graph->nodes.at[place + 1], (--graph->nodes.n - place) * sizeof *graph->nodes.at);
		renumber(graph, place);
		for (size_t i = 0; i < graph->nodes.n; i++) {
			size_t at = find(&graph->nodes.at[i]->needs, node);
			if (at < graph->nodes.at[i]->needs.nodes.n)
				take_out(&graph->nodes.at[i]->needs, at);
		}
		hr_release(node, HU_NODE_KIND);
	}
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* -- edges
 * -------------------------------------------------------------------------------------------------------------------------------------------- */
static bool is_pair(const hu_graph *graph, const hu_node *from, const hu_node *to)
{
	return hu_node_is_of(from, graph) && hu_node_is_of(to, graph) && from != to;
}

/* All of them, or none. */
static cudaError_t connect(hu_graph *graph, hu_node *const *from, hu_node *const *to, const cudaGraphEdgeData *data, size_t n)
{
	if (!hu_graph_is(graph) || (n && (!from || !to)))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++) {
		cudaGraphEdgeData one = data ? data[i] : (cudaGraphEdgeData){0};
		if (is_pair(graph, from[i], to[i]) && good_data(from[i], &one) && find(&to[i]->needs, from[i]) == to[i]->needs.nodes.n) {
			hu_dependencies_add(&to[i]->needs, from[i], one);
			continue;
		}
		while (i-- > 0)
			take_out(&to[i]->needs, find(&to[i]->needs, from[i]));
		return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

static bool is_edge(const hu_graph *graph, const hu_node *from, const hu_node *to, const cudaGraphEdgeData *data)
{
	if (!is_pair(graph, from, to))
		return false;
	size_t at = find(&to->needs, from);
	return at < to->needs.nodes.n && (data ? equal(&to->needs.data.at[at], data) : is_default(&to->needs.data.at[at]));
}

static cudaError_t disconnect(hu_graph *graph, hu_node *const *from, hu_node *const *to, const cudaGraphEdgeData *data, size_t n)
{
	if (!hu_graph_is(graph) || (n && (!from || !to || hu_graph_has_memory(graph))))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++) {
		if (!is_edge(graph, from[i], to[i], data ? &data[i] : NULL))
			return cudaErrorInvalidValue;
		for (size_t j = 0; j < i; j++)
			if (from[j] == from[i] && to[j] == to[i])
				return cudaErrorInvalidValue;
	}
	for (size_t i = 0; i < n; i++)
		take_out(&to[i]->needs, find(&to[i]->needs, from[i]));
	return cudaSuccess;
}

cudaError_t hu_graph_connect(hu_graph *graph, hu_node *const *from, hu_node *const *to, const cudaGraphEdgeData *data, size_t n)
{
	hu_graphs_lock();
	cudaError_t error = connect(graph, from, to, data, n);
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_graph_disconnect(hu_graph *graph, hu_node *const *from, hu_node *const *to, const cudaGraphEdgeData *data, size_t n)
{
	hu_graphs_lock();
	cudaError_t error = disconnect(graph, from, to, data, n);
	hu_graphs_unlock();
	return error;
}

/* -- lists for the program
 * ------------------------------------------------------------------------------------------------------------------------------ */
typedef struct listing {
	hu_node **from, **to;
	cudaGraphEdgeData *data;
	size_t room, n;
	bool lossy;
} listing;

static void put(listing *l, hu_node *from, hu_node *to, cudaGraphEdgeData data)
{
	if (l->n < l->room) {
		if (l->from)
			l->from[l->n] = from;
		if (l->to)
			l->to[l->n] = to;
		if (l->data)
			l->data[l->n] = data;
		l->lossy = l->lossy || (!l->data && !is_default(&data));
	}
	l->n++;
}

static cudaError_t finish(listing *l, size_t *n)
{
	if (l->lossy)
		return cudaErrorLossyQuery;
	for (size_t i = l->n; i < l->room; i++) {
		if (l->from)
			l->from[i] = NULL;
		if (l->to)
			l->to[i] = NULL;
	}
	*n = l->room && l->room < l->n ? l->room : l->n;
	return cudaSuccess;
}

cudaError_t hu_graph_nodes(hu_graph *graph, bool roots, hu_node **nodes, size_t *n)
{
	hu_graphs_lock();
	cudaError_t error = n && hu_graph_is(graph) ? cudaSuccess : cudaErrorInvalidValue;
	listing l = {.from = nodes, .room = nodes && n ? *n : 0};
	for (size_t i = 0; error == cudaSuccess && i < graph->nodes.n; i++)
		if (!roots || !graph->nodes.at[i]->needs.nodes.n)
			put(&l, graph->nodes.at[i], NULL, (cudaGraphEdgeData){0});
	if (error == cudaSuccess)
		error = finish(&l, n);
	hu_graphs_unlock();
	return error;
}

static void put_edges(listing *l, const hu_graph *graph, const hu_node *only_from)
{
	for (size_t i = 0; i < graph->nodes.n; i++) {
		hu_node *to = graph->nodes.at[i];
		for (size_t j = 0; j < to->needs.nodes.n; j++)
			if (!only_from || to->needs.nodes.at[j] == only_from)
				put(l, to->needs.nodes.at[j], to, to->needs.data.at[j]);
	}
}

cudaError_t hu_graph_edges(hu_graph *graph, hu_node **from, hu_node **to, cudaGraphEdgeData *data, size_t *n)
{
	hu_graphs_lock();
	cudaError_t error = n && hu_graph_is(graph) && !from == !to && (!data || from) ? cudaSuccess : cudaErrorInvalidValue;
	listing l = {.from = from, .to = to, .data = data, .room = from && n ? *n : 0};
	if (error == cudaSuccess) {
		put_edges(&l, graph, NULL);
		error = finish(&l, n);
	}
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_node_neighbours(hu_node *node, bool dependents, hu_node **nodes, cudaGraphEdgeData *data, size_t *n)
{
	hu_graphs_lock();
	cudaError_t error = n && hr_is(node, HU_NODE_KIND) && (!data || nodes) ? cudaSuccess : cudaErrorInvalidValue;
	listing l = {.data = data, .room = nodes && n ? *n : 0};
	if (dependents)
		l.to = nodes;
	else
		l.from = nodes;
	if (error == cudaSuccess && dependents)
		put_edges(&l, node->graph, node);
	for (size_t i = 0; error == cudaSuccess && !dependents && i < node->needs.nodes.n; i++)
		put(&l, node->needs.nodes.at[i], node, node->needs.data.at[i]);
	if (error == cudaSuccess)
		error = finish(&l, n);
	hu_graphs_unlock();
	return error;
}

/* -- copies
 * ----------------------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t copy_nodes(const hu_graph *graph, hu_graph *copy)
{
	for (size_t i = 0; i < graph->nodes.n; i++) {
		hu_payload payload;
		const hu_node *from = graph->nodes.at[i];
		cudaError_t error = hu_payload_copy(&payload, &from->does);
		if (error != cudaSuccess) {
			hu_payload_drop(&payload);
			return error;
		}
		hu_node *node = append(copy, &payload);
		node->origin = from;
		node->origin_number = from->object.number;
		node->disabled = from->disabled;
	}
	for (size_t i = 0; i < graph->nodes.n; i++) {
		const hu_dependencies *needs = &graph->nodes.at[i]->needs;
		for (size_t j = 0; j < needs->nodes.n; j++)
			hu_dependencies_add(&copy->nodes.at[i]->needs, copy->nodes.at[needs->nodes.at[j]->place], needs->data.at[j]);
	}
	return cudaSuccess;
}

cudaError_t hu_graph_copy(const hu_graph *graph, bool memory, hu_graph **copy)
{
	*copy = NULL;
	if (!memory && hu_graph_has_memory(graph))
		return cudaErrorNotSupported;
	hu_graph *made = graph_new();
	made->origin = graph->object.number;
	cudaError_t error = copy_nodes(graph, made);
	for (size_t i = 0; error == cudaSuccess && i < graph->kept.n; i++) {
		hd_vec_push(&made->kept, (hu_kept){hr_use(graph->kept.at[i].user), graph->kept.at[i].n});
		graph->kept.at[i].user->references += graph->kept.at[i].n;
	}
	if (error == cudaSuccess)
		*copy = made;
	else
		hu_graph_drop(made);
	return error;
}

cudaError_t hu_graph_clone(hu_graph *graph, hu_graph **clone)
{
	hu_graphs_lock();
	cudaError_t error = clone && hu_graph_is(graph) ? hu_graph_copy(graph, false, clone) : cudaErrorInvalidValue;
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_graph_find_in_clone(hu_node *node, hu_graph *clone, hu_node **found)
{
	hu_graphs_lock();
	bool good = found && hr_is(node, HU_NODE_KIND) && hu_graph_is(clone) && clone->origin;
	hu_node *same = NULL;
	for (size_t i = 0; good && i < clone->nodes.n; i++)
		if (clone->nodes.at[i]->origin == node && clone->nodes.at[i]->origin_number == node->object.number)
			same = clone->nodes.at[i];
	if (same)
		*found = same;
	hu_graphs_unlock();
	return same ? cudaSuccess : cudaErrorInvalidValue;
}

/* -- objects of the program
 * -------------------------------------------------------------------------------------------------------------------------------- */
cudaError_t hu_user_new(void *data, cudaHostFn_t destroy, unsigned references, unsigned flags, hu_user **user)
{
	if (!user || !destroy || !references || references > INT32_MAX || flags != cudaUserObjectNoDestructorSync)
		return cudaErrorInvalidValue;
	*user = hr_new(NULL, HU_USER_KIND, sizeof **user, destroy_user);
	(*user)->destroy = destroy;
	(*user)->data = data;
	(*user)->references = references;
	return cudaSuccess;
}

static bool is_user(const hu_user *user, unsigned n) { return n && n <= INT32_MAX && hr_is(user, HU_USER_KIND) && user->references; }

cudaError_t hu_user_retain(hu_user *user, unsigned n)
{
	hu_graphs_lock();
	bool good = is_user(user, n);
	if (good)
		user->references += n;
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hu_user_release(hu_user *user, unsigned n)
{
	hu_graphs_lock();
	bool good = is_user(user, n) && n <= user->references;
	if (good)
		drop_references(user, n);
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

static hu_kept *kept_of(const hu_graph *graph, const hu_user *user)
{
	for (size_t i = 0; i < graph->kept.n; i++)
		if (graph->kept.at[i].user == user)
			return &graph->kept.at[i];
	return NULL;
}

cudaError_t hu_graph_retain_user(hu_graph *graph, hu_user *user, unsigned n, unsigned flags)
{
	hu_graphs_lock();
	bool good = hu_graph_is(graph) && is_user(user, n) && flags <= cudaGraphUserObjectMove;
	hu_kept *kept = good ? kept_of(graph, user) : NULL;
	good = good && (!kept || n <= INT32_MAX - kept->n);
	if (good && kept)
		kept->n += n;
	else if (good)
		hd_vec_push(&graph->kept, (hu_kept){hr_use(user), n});
	if (good && !flags)
		user->references += n;
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hu_graph_release_user(hu_graph *graph, hu_user *user, unsigned n)
{
	hu_graphs_lock();
	hu_kept *kept = hu_graph_is(graph) && is_user(user, n) ? kept_of(graph, user) : NULL;
	bool good = kept && n <= kept->n;
	if (good) {
		bool last = kept->n == n;
		kept->n -= n;
		if (last)
			*kept = graph->kept.at[--graph->kept.n];
		drop_references(user, n);
		if (last)
			hr_unuse(user);
	}
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

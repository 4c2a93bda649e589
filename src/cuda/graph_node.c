/* Parameters of graph nodes as a program gives them, checked and copied. */
#include "cuda/graph.h"

/* -- arguments of kernels ----------------------------------------------------------------------------------------------------------------------- */
/* Copies the arguments into one block, which begins with the pointers by which a program finds them. */
static void own_arguments(hu_payload *p, const hd_kernel *k, void *const *arguments)
{
	size_t pointers = (k->params.n + 1) * sizeof(void *);
	p->owned = hd_xcalloc(1, pointers + k->param_bytes + 1);
	void **list = p->owned;
	for (size_t i = 0; i < k->params.n && arguments; i++) {
		list[i] = (uint8_t *)p->owned + pointers + k->params.at[i].offset;
		memcpy(list[i], arguments[i], k->params.at[i].size);
	}
	p->work.kernel.arguments = list;
	p->work.kernel.extra = NULL;
}

/* The same for arguments that the program has put into one piece. */
typedef struct packed_arguments {
	void *extra[5];
	size_t size;
	uint8_t bytes[];
} packed_arguments;

static void own_packed(hu_payload *p, const void *packed, size_t size)
{
	packed_arguments *own = p->owned = hd_xcalloc(1, sizeof *own + size + 1);
	memcpy(own->bytes, packed, size);
	own->size = size;
	own->extra[0] = (void *)1; /* CU_LAUNCH_PARAM_BUFFER_POINTER */
	own->extra[1] = own->bytes;
	own->extra[2] = (void *)2; /* CU_LAUNCH_PARAM_BUFFER_SIZE */
	own->extra[3] = &own->size;
	p->work.kernel.arguments = NULL;
	p->work.kernel.extra = own->extra;
}

/* The arguments of `work`, which have been checked. */
static void own(hu_payload *p, const hu_work *work)
{
	const void *packed;
	size_t size;
	hu_packed(work->kernel.extra, &packed, &size);
	if (packed && !work->kernel.arguments)
		own_packed(p, packed, size);
	else
		own_arguments(p, p->function->kernel, work->kernel.arguments);
}

static cudaError_t take_kernel(hu_payload *p, const hu_work *work)
{
	const void *packed;
	size_t size;
	hu_function *function;
	hu_command *trial;
	if (work->kernel.arguments && work->kernel.extra)
		return cudaErrorInvalidValue;
	cudaError_t error = hu_function_of(work->kernel.func, &function);
	if (error == cudaSuccess)
		error = hu_packed(work->kernel.extra, &packed, &size);
	if (error == cudaSuccess)
		error = hu_launch_command(function, &work->kernel.grid, work->kernel.arguments, packed, size, NULL, &trial);
	if (error != cudaSuccess)
		return error;
	hu_command_free(trial);
	p->function = hr_use(function);
	own(p, work);
	return cudaSuccess;
}

/* -- the others --------------------------------------------------------------------------------------------------------------------------------- */
static cudaError_t check_copy(const struct cudaMemcpy3DParms *box)
{
	hu_copy copy;
	hu_command *trial;
	cudaError_t error = box->srcArray || box->dstArray ? cudaErrorNotSupported : hu_copy_of_box(box, &copy);
	if (error == cudaSuccess)
		error = hu_copy_command(&copy, &trial);
	if (error == cudaSuccess)
		hu_command_free(trial);
	return error;
}

static cudaError_t check_fill(const struct cudaMemsetParams *f)
{
	hu_command *trial;
	unsigned n = f->elementSize;
	if ((n != 1 && n != 2 && n != 4) || f->width > SIZE_MAX / 4 || (uintptr_t)f->dst % n || (f->height > 1 && f->pitch % n))
		return cudaErrorInvalidValue;
	hu_copy copy = {.to = {(uintptr_t)f->dst, f->pitch, 0}, .width = f->width * n, .height = f->height, .depth = 1};
	cudaError_t error = hu_fill_command(&copy, f->value, n, &trial);
	if (error == cudaSuccess)
		hu_command_free(trial);
	return error;
}

static bool is_event(const hu_event *event) { return hr_is(event, HU_EVENT) && atomic_load(&event->object.refs); }

cudaError_t hu_payload_take(hu_payload *p, hu_work *work)
{
	*p = (hu_payload){.work = *work};
	switch (work->kind) {
	case cudaGraphNodeTypeKernel:
		return take_kernel(p, work);
	case cudaGraphNodeTypeMemcpy:
		return check_copy(&work->copy);
	case cudaGraphNodeTypeMemset:
		return check_fill(&work->fill);
	case cudaGraphNodeTypeHost:
		return work->host.fn ? cudaSuccess : cudaErrorInvalidValue;
	case cudaGraphNodeTypeGraph:
	case cudaGraphNodeTypeEmpty:
		return cudaSuccess;
	case cudaGraphNodeTypeWaitEvent:
	case cudaGraphNodeTypeEventRecord:
		p->work.event = is_event(work->event) ? hr_use(work->event) : NULL;
		return p->work.event ? cudaSuccess : cudaErrorInvalidValue;
	case cudaGraphNodeTypeMemAlloc: {
		cudaError_t error = hu_allocation_new(&work->memory, &p->allocation);
		p->work.memory = work->memory;
		p->work.memory.accessDescs = NULL; /* the one device alone: there is nothing to keep */
		p->work.memory.accessDescCount = 0;
		return error;
	}
	case cudaGraphNodeTypeMemFree:
		p->allocation = hu_allocation_at(work->freed);
		return p->allocation ? cudaSuccess : cudaErrorInvalidValue;
	default: /* semaphores of other interfaces, conditions */
		return cudaErrorNotSupported;
	}
}

cudaError_t hu_payload_copy(hu_payload *p, const hu_payload *from)
{
	hu_function *same;
	*p = *from;
	p->owned = NULL;
	p->function = NULL;
	p->allocation = hr_use(from->allocation);
	switch (from->work.kind) {
	case cudaGraphNodeTypeKernel:
		if (hu_function_of(from->function, &same) != cudaSuccess)
			return cudaErrorInvalidResourceHandle;
		p->function = hr_use(same);
		own(p, &from->work);
		return cudaSuccess;
	case cudaGraphNodeTypeWaitEvent:
	case cudaGraphNodeTypeEventRecord:
		hr_use(p->work.event);
		return cudaSuccess;
	case cudaGraphNodeTypeGraph:
		p->work.child.move = false;
		return hu_graph_copy(from->work.child.graph, true, &p->work.child.graph);
	default:
		return cudaSuccess;
	}
}

void hu_payload_drop(hu_payload *p)
{
	free(p->owned);
	hr_unuse(p->function);
	hr_unuse(p->allocation);
	if (p->work.kind == cudaGraphNodeTypeWaitEvent || p->work.kind == cudaGraphNodeTypeEventRecord)
		hr_unuse(p->work.event);
	if (p->work.kind == cudaGraphNodeTypeGraph && p->work.child.graph)
		hu_graph_drop(p->work.child.graph);
	*p = (hu_payload){.work = {.kind = cudaGraphNodeTypeEmpty}};
}

/* -- parameters of nodes ------------------------------------------------------------------------------------------------------------------------ */
static bool is_node(const void *node) { return hr_is(node, HU_NODE_KIND); }

cudaError_t hu_node_kind(hu_node *node, enum cudaGraphNodeType *kind)
{
	hu_graphs_lock();
	cudaError_t error = kind && is_node(node) ? cudaSuccess : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*kind = node->does.work.kind;
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_node_get(hu_node *node, enum cudaGraphNodeType kind, hu_work *work)
{
	hu_graphs_lock();
	cudaError_t error = is_node(node) && node->does.work.kind == kind ? cudaSuccess : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*work = node->does.work;
	hu_graphs_unlock();
	return error;
}

cudaError_t hu_node_set(hu_node *node, const hu_work *work)
{
	hu_payload payload, before;
	hu_work copy = *work;
	if (work->wrong)
		return work->wrong;
	if (work->kind == cudaGraphNodeTypeMemAlloc || work->kind == cudaGraphNodeTypeMemFree || work->kind == cudaGraphNodeTypeGraph)
		return cudaErrorNotSupported;
	cudaError_t error = hu_payload_take(&payload, &copy);
	if (error != cudaSuccess)
		return error;
	hu_graphs_lock();
	bool good = is_node(node) && node->does.work.kind == work->kind;
	if (good) {
		if (work->kind == cudaGraphNodeTypeKernel) { /* attributes are no parameters */
			payload.work.kernel.grid.cooperative = node->does.work.kernel.grid.cooperative;
			payload.work.kernel.priority = node->does.work.kernel.priority;
		}
		before = node->does;
		node->does = payload;
		payload = before;
	}
	hu_payload_drop(&payload);
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hu_node_parameters(hu_node *node, enum cudaGraphNodeType kind, void *parameters, size_t size)
{
	hu_work work;
	cudaError_t error = parameters ? hu_node_get(node, kind, &work) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		memcpy(parameters, &work.copy, size); /* all begin at the same place */
	return error;
}

/* -- attributes --------------------------------------------------------------------------------------------------------------------------------- */
cudaError_t hu_node_attribute(hu_node *node, unsigned which, void *value)
{
	hu_work work;
	cudaError_t error = value ? hu_node_get(node, cudaGraphNodeTypeKernel, &work) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	int number = which == cudaLaunchAttributeCooperative ? work.kernel.grid.cooperative
	             : which == cudaLaunchAttributePriority  ? work.kernel.priority
	                                                     : 0;
	memset(value, 0, sizeof(cudaLaunchAttributeValue));
	memcpy(value, &number, sizeof number);
	return cudaSuccess;
}

static cudaError_t set_attributes(hu_node *node, const bool *cooperative, const int *priority)
{
	hu_graphs_lock();
	bool good = is_node(node) && node->does.work.kind == cudaGraphNodeTypeKernel;
	if (good && cooperative)
		node->does.work.kernel.grid.cooperative = *cooperative;
	if (good && priority)
		node->does.work.kernel.priority = *priority;
	hu_graphs_unlock();
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hu_node_set_attribute(hu_node *node, unsigned which, const void *value)
{
	cudaLaunchAttributeValue v;
	if (!value)
		return cudaErrorInvalidValue;
	memcpy(&v, value, sizeof v);
	if (which == cudaLaunchAttributeClusterDimension && (uint64_t)v.clusterDim.x * v.clusterDim.y * v.clusterDim.z > 1)
		return cudaErrorNotSupported;
	bool cooperative = v.cooperative != 0;
	return set_attributes(node, which == cudaLaunchAttributeCooperative ? &cooperative : NULL,
	                      which == cudaLaunchAttributePriority ? &v.priority : NULL);
}

cudaError_t hu_node_copy_attributes(hu_node *to, hu_node *from)
{
	hu_work work;
	cudaError_t error = hu_node_get(from, cudaGraphNodeTypeKernel, &work);
	return error ? error : set_attributes(to, &work.kernel.grid.cooperative, &work.kernel.priority);
}

/* -- work from parameters ----------------------------------------------------------------------------------------------------------------------- */
_Static_assert(sizeof(struct cudaMemAllocNodeParams) <= sizeof(struct cudaMemcpy3DParms), "copies have the largest parameters");

hu_work hu_work_of(enum cudaGraphNodeType kind, const void *parameters, size_t size)
{
	hu_work work = {.kind = kind, .wrong = parameters ? cudaSuccess : cudaErrorInvalidValue};
	if (parameters)
		memcpy(&work.copy, parameters, size);
	return work;
}

/* An error where bytes that have no meaning are not zero. */
hu_work hu_work_of_any(const struct cudaGraphNodeParams *p)
{
	if (!p || p->reserved0[0] || p->reserved0[1] || p->reserved0[2] || p->reserved2)
		return (hu_work){.wrong = cudaErrorInvalidValue};
	hu_work work = {.kind = p->type};
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
	case cudaGraphNodeTypeEmpty:
		return work;
	case cudaGraphNodeTypeMemcpy:
		work.wrong = p->memcpy.flags ? cudaErrorInvalidValue : cudaSuccess;
		return work;
	case cudaGraphNodeTypeMemset:
		return hu_work_of(p->type, &p->memset, sizeof p->memset);
	case cudaGraphNodeTypeHost:
		return hu_work_of(p->type, &p->host, sizeof p->host);
	case cudaGraphNodeTypeGraph:
		work.child.graph = p->graph.graph;
		work.child.move = p->graph.ownership == cudaGraphChildGraphOwnershipMove;
		work.wrong = (unsigned)p->graph.ownership > cudaGraphChildGraphOwnershipMove ? cudaErrorInvalidValue : cudaSuccess;
		return work;
	case cudaGraphNodeTypeEventRecord:
	case cudaGraphNodeTypeWaitEvent:
		return hu_work_of(p->type, &p->eventRecord, sizeof p->eventRecord);
	case cudaGraphNodeTypeMemAlloc:
		return hu_work_of(p->type, &p->alloc, sizeof p->alloc);
	case cudaGraphNodeTypeMemFree:
		return hu_work_of(p->type, &p->free, sizeof p->free);
	default:
		work.wrong = (unsigned)p->type < cudaGraphNodeTypeCount ? cudaErrorNotSupported : cudaErrorInvalidValue;
		return work;
	}
}

cudaError_t hu_graph_add_any(hu_graph *graph, hu_dependency_view needs, hu_work work, struct cudaGraphNodeParams *p, hu_node **node)
{
	cudaError_t error = hu_graph_add(graph, needs, &work, node);
	if (error == cudaSuccess && p->type == cudaGraphNodeTypeMemAlloc)
		p->alloc.dptr = work.memory.dptr;
	if (error == cudaSuccess && p->type == cudaGraphNodeTypeGraph)
		p->graph.graph = work.child.graph;
	return error;
}

cudaError_t hu_graph_add_memory(hu_graph *graph, hu_dependency_view needs, struct cudaMemAllocNodeParams *p, hu_node **node)
{
	hu_work work = hu_work_of(cudaGraphNodeTypeMemAlloc, p, sizeof *p);
	cudaError_t error = hu_graph_add(graph, needs, &work, node);
	if (p)
		p->dptr = error ? NULL : work.memory.dptr;
	return error;
}

/* Memory that nodes of graphs allocate and free. It has one address for all launches, so it is the device's from the making of the node to the end of
 * the graph and of its executable forms; `live` says whether a launch has allocated it. What is live stays after the graph's end until the program
 * frees it.
 *
 * The end of a graph may come on a thread that runs its last command, which cannot wait for others. So memory that nobody needs any more is noted,
 * and given back when the program frees or allocates something, and nothing runs. */
#include "cuda/graph.h"

static void destroy_allocation(void *object)
{
	hu_allocation *a = object;
	pthread_mutex_lock(&hr_lock);
	hd_vec_push(&hu.unused_of_graphs, (hu_block){.address = a->address, .size = a->size, .number = a->number});
	pthread_mutex_unlock(&hr_lock);
}

static bool is_place(const struct cudaMemLocation *l) { return l->type == cudaMemLocationTypeDevice && l->id == 0; }

static cudaError_t check(const struct cudaMemAllocNodeParams *p)
{
	if (p->poolProps.allocType != cudaMemAllocationTypePinned || p->poolProps.handleTypes != cudaMemHandleTypeNone || !p->bytesize ||
	    (p->accessDescCount && !p->accessDescs))
		return cudaErrorInvalidValue;
	if (!is_place(&p->poolProps.location))
		return cudaErrorInvalidDevice;
	for (size_t i = 0; i < p->accessDescCount; i++)
		if (!is_place(&p->accessDescs[i].location))
			return cudaErrorInvalidDevice;
	return cudaSuccess;
}

/* Marks the block, so that its address leads to the allocation. */
static uint64_t mark_block(uint64_t address, hu_allocation *a)
{
	uint64_t number = 0;
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.blocks.n; i++) {
		if (hu.blocks.at[i].address != address)
			continue;
		hu.blocks.at[i].of_graph = a;
		number = hu.blocks.at[i].number;
	}
	pthread_mutex_unlock(&hr_lock);
	return number;
}

cudaError_t hu_allocation_new(struct cudaMemAllocNodeParams *params, hu_allocation **allocation)
{
	uint64_t address;
	*allocation = NULL;
	cudaError_t error = check(params);
	if (error == cudaSuccess)
		error = hu_allocate(HU_DEVICE, params->bytesize, 0, &address);
	if (error != cudaSuccess)
		return error;
	hu_allocation *a = *allocation = hr_new(NULL, HU_ALLOCATION_KIND, sizeof *a, destroy_allocation);
	a->address = address;
	a->size = params->bytesize;
	a->number = mark_block(address, a);
	params->dptr = (void *)(uintptr_t)address;
	hu_graphs_lock();
	hu.of_graphs.reserved += a->size;
	hu.of_graphs.reserved_most = hd_max_u64(hu.of_graphs.reserved_most, hu.of_graphs.reserved);
	hu_graphs_unlock();
	return cudaSuccess;
}

hu_allocation *hu_allocation_at(const void *address)
{
	hu_block block = hu_find((uintptr_t)address);
	hu_allocation *a = block.address == (uintptr_t)address ? block.of_graph : NULL;
	if (!a || !hr_use_if_alive(a, a->object.number))
		return NULL;
	if (a->number == block.number)
		return a;
	hr_unuse(a);
	return NULL;
}

void hu_allocation_set(hu_allocation *a, bool live)
{
	if (a->live == live)
		return;
	a->live = live;
	hu.of_graphs.used += live ? a->size : -a->size;
	hu.of_graphs.used_most = hd_max_u64(hu.of_graphs.used_most, hu.of_graphs.used);
	if (live)
		hr_use(a);
	else
		hr_unuse(a);
}

bool hu_graph_memory_free(uint64_t address, cudaError_t *error)
{
	hu_allocation *a = hu_allocation_at((void *)(uintptr_t)address);
	if (!a)
		return false;
	hu_graphs_lock();
	if (!a->live && *error == cudaSuccess)
		*error = cudaErrorInvalidValue;
	hu_allocation_set(a, false);
	hr_unuse(a);
	hu_graphs_unlock();
	hu_graph_memory_sweep();
	return true;
}

void hu_graph_memory_sweep(void)
{
	HD_VEC(hu_block) unused = {0};
	uint64_t bytes = 0;
	pthread_mutex_lock(&hr_lock);
	memcpy(&unused, &hu.unused_of_graphs, sizeof unused);
	memset(&hu.unused_of_graphs, 0, sizeof hu.unused_of_graphs);
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < unused.n; i++) {
		hu_block_free(unused.at[i].address, unused.at[i].number);
		bytes += unused.at[i].size;
	}
	hd_vec_free(&unused);
	if (!bytes)
		return;
	hu_graphs_lock();
	hu.of_graphs.reserved -= bytes;
	hu_graphs_unlock();
}

cudaError_t hu_graph_memory_trim(void)
{
	hu_wait_all();
	hu_graph_memory_sweep();
	return cudaSuccess;
}

cudaError_t hu_graph_memory(enum cudaGraphMemAttributeType which, uint64_t *bytes)
{
	hu_graphs_lock();
	const uint64_t values[] = {hu.of_graphs.used, hu.of_graphs.used_most, hu.of_graphs.reserved, hu.of_graphs.reserved_most};
	hu_graphs_unlock();
	if (!bytes || (unsigned)which >= HD_COUNT(values))
		return cudaErrorInvalidValue;
	*bytes = values[which];
	return cudaSuccess;
}

cudaError_t hu_graph_memory_reset(enum cudaGraphMemAttributeType which, const uint64_t *bytes)
{
	if (!bytes || *bytes)
		return cudaErrorInvalidValue;
	if (which != cudaGraphMemAttrUsedMemHigh && which != cudaGraphMemAttrReservedMemHigh)
		return cudaErrorInvalidValue;
	hu_graphs_lock();
	if (which == cudaGraphMemAttrUsedMemHigh)
		hu.of_graphs.used_most = hu.of_graphs.used;
	else
		hu.of_graphs.reserved_most = hu.of_graphs.reserved;
	hu_graphs_unlock();
	return cudaSuccess;
}

/* -- in the order of a stream ---------------------------------------------------------------------------------------------------------------------
 */
cudaError_t hu_allocate_in(hu_stream *stream, uint64_t size, uint64_t *address)
{
	bool taken = false;
	hu_work work = {
	    .kind = cudaGraphNodeTypeMemAlloc,
	    .memory = {.poolProps = {.allocType = cudaMemAllocationTypePinned, .location = {cudaMemLocationTypeDevice, 0}}, .bytesize = size}};
	cudaError_t error = hu_capturing() ? hu_capture_take(stream, &work, &taken) : cudaSuccess;
	if (taken)
		*address = (uintptr_t)work.memory.dptr;
	return error || taken ? error : hu_allocate(HU_DEVICE, size, 0, address);
}

cudaError_t hu_free_in(hu_stream *stream, uint64_t address)
{
	bool taken = false;
	hu_work work = {.kind = cudaGraphNodeTypeMemFree, .freed = (void *)(uintptr_t)address};
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_capturing() ? hu_capture_take(stream, &work, &taken) : cudaSuccess;
	if (error != cudaSuccess || taken)
		return error;
	error = hu_stream_wait(stream);
	return error ? error : hu_free(address, false);
}

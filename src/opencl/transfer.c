/* Read, write, copy, fill, rectangles, map and unmap. A transfer takes the simulated time that its bytes need at the rate of the machine's DRAM, or
 * between host and device, of its host interface, if it has one (PD-38). The host's side is not simulated. */
#include "opencl/driver.h"

typedef struct hc_rect {
	size_t from_at, from_row, from_slice, to_at, to_row, to_slice; /* bytes */
	size_t region[3];
} hc_rect;

static cl_int run_copy(hc_command *c, uint64_t *ns)
{
	const uint8_t *from = c->from ? c->from->bytes + c->from_at : c->host_from;
	uint8_t *to = c->to ? c->to->bytes + c->to_at : c->host_to;
	memmove(to, from, c->size);
	*ns = c->from && c->to ? hr_transfer_ns(c->size) : hr_host_transfer_ns(c->size);
	return CL_SUCCESS;
}

static cl_int run_fill(hc_command *c, uint64_t *ns)
{
	for (size_t i = 0; i < c->size; i += c->from_at)
		memcpy(c->to->bytes + c->to_at + i, c->owned, c->from_at);
	*ns = hr_transfer_ns(c->size);
	return CL_SUCCESS;
}

static cl_int run_rect(hc_command *c, uint64_t *ns)
{
	const hc_rect *r = c->rect;
	const uint8_t *from = c->from ? c->from->bytes : c->host_from;
	uint8_t *to = c->to ? c->to->bytes : c->host_to;
	for (size_t z = 0; z < r->region[2]; z++)
		for (size_t y = 0; y < r->region[1]; y++)
			memmove(to + r->to_at + z * r->to_slice + y * r->to_row, from + r->from_at + z * r->from_slice + y * r->from_row,
			        r->region[0]);
	uint64_t bytes = (uint64_t)r->region[0] * r->region[1] * r->region[2];
	*ns = c->from && c->to ? hr_transfer_ns(bytes) : hr_host_transfer_ns(bytes);
	return CL_SUCCESS;
}

/* Checks a buffer and a range of it. */
static cl_int check(cl_command_queue queue, cl_mem mem, size_t at, size_t size)
{
	if (!hc_is(queue, HC_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!hc_is_buffer(mem))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context) // NOLINT(clang-analyzer-core.NullDereference): hc_is refuses NULL
		return CL_INVALID_CONTEXT;
	return size && at <= mem->size && size <= mem->size - at ? CL_SUCCESS : CL_INVALID_VALUE;
}

static bool host_may(cl_mem mem, bool read)
{
	return !(mem->flags & (CL_MEM_HOST_NO_ACCESS | (read ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY)));
}

/* A copy between a buffer and memory of the host. Exactly one of `to` (a read) and `from` (a write) is not NULL. */
typedef struct host_copy {
	cl_command_type type;
	cl_bool blocking;
	cl_mem mem;
	size_t at, size;
	void *to;
	const void *from;
} host_copy;

static cl_int enqueue_host_copy(cl_command_queue queue, const host_copy *copy, cl_uint n, const cl_event *wait, cl_event *event)
{
	bool read = copy->type == CL_COMMAND_READ_BUFFER;
	cl_int status = check(queue, copy->mem, copy->at, copy->size);
	if (status == CL_SUCCESS && !copy->to && !copy->from)
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS && !host_may(copy->mem, read))
		status = CL_INVALID_OPERATION;
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, copy->type, n, wait, &status) : NULL;
	if (!c)
		return status;
	c->run = run_copy;
	*(read ? &c->from : &c->to) = hr_use(copy->mem);
	*(read ? &c->from_at : &c->to_at) = copy->at;
	c->host_to = copy->to;
	c->host_from = copy->from;
	c->size = copy->size;
	return hc_enqueue(c, copy->blocking, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t at, size_t size, void *to, cl_uint n, const cl_event *wait,
                           cl_event *event)
{
	return enqueue_host_copy(queue, &(host_copy){CL_COMMAND_READ_BUFFER, blocking, mem, at, size, to, NULL}, n, wait, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t at, size_t size, const void *from, cl_uint n,
                            const cl_event *wait, cl_event *event)
{
	return enqueue_host_copy(queue, &(host_copy){CL_COMMAND_WRITE_BUFFER, blocking, mem, at, size, NULL, from}, n, wait, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t size, cl_uint n, const cl_event *wait,
                           cl_event *event)
{
	cl_int status = check(queue, from, from_at, size);
	if (status == CL_SUCCESS)
		status = check(queue, to, to_at, size);
	if (status == CL_SUCCESS && from->bytes + from_at < to->bytes + to_at + size && to->bytes + to_at < from->bytes + from_at + size)
		status = CL_MEM_COPY_OVERLAP;
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_COPY_BUFFER, n, wait, &status) : NULL;
	if (!c)
		return status;
	c->run = run_copy;
	c->from = hr_use(from);
	c->to = hr_use(to);
	c->from_at = from_at;
	c->to_at = to_at;
	c->size = size;
	return hc_enqueue(c, false, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size, size_t at, size_t size, cl_uint n,
                           const cl_event *wait, cl_event *event)
{
	cl_int status = check(queue, mem, at, size ? size : 1);
	if (status == CL_SUCCESS &&
	    (!pattern || !pattern_size || pattern_size > 128 || (pattern_size & (pattern_size - 1)) || at % pattern_size || size % pattern_size))
		status = CL_INVALID_VALUE;
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_FILL_BUFFER, n, wait, &status) : NULL;
	if (!c)
		return status;
	c->run = run_fill;
	c->to = hr_use(mem);
	c->to_at = at;
	c->size = size;
	c->from_at = pattern_size;
	c->owned = hd_xmalloc(pattern_size);
	memcpy(c->owned, pattern, pattern_size);
	return hc_enqueue(c, false, event);
}

/* Checks one side of a rectangle and fills in pitches that are 0. *at receives the offset of the first byte, *end one past the last byte. False:
 * CL_INVALID_VALUE. */
static bool rect_side(const size_t *origin, const size_t *region, size_t *row, size_t *slice, size_t *at, size_t *end)
{
	*row = *row ? *row : region[0];
	if (*row < region[0])
		return false;
	/* These bounds keep every product below 2^64. */
	const size_t most = (size_t)1 << 31;
	if (region[0] > most || region[1] > most || region[2] > most || *row > most || origin[0] > most || origin[1] > most || origin[2] > most)
		return false;
	*slice = *slice ? *slice : region[1] * *row;
	if (*slice < region[1] * *row || *slice % *row)
		return false;
	if (*slice > ((size_t)1 << 32) && (origin[2] || region[2] > 1))
		return false;
	*at = origin[2] * *slice + origin[1] * *row + origin[0];
	*end = *at + (region[2] - 1) * *slice + (region[1] - 1) * *row + region[0];
	return *at < *end;
}

typedef struct rect_call {
	cl_command_queue queue;
	cl_command_type type;
	cl_mem from, to;
	const void *host_from;
	void *host_to;
	const size_t *from_origin, *to_origin, *region;
	size_t from_row, from_slice, to_row, to_slice;
	cl_bool blocking;
} rect_call;

static cl_int check_rect(rect_call *r, hc_rect *rect)
{
	size_t from_end, to_end;
	cl_mem one = r->from ? r->from : r->to;
	cl_int status = check(r->queue, one, 0, 1);
	if (status == CL_SUCCESS && r->from && r->to)
		status = check(r->queue, r->to, 0, 1);
	if (status != CL_SUCCESS)
		return status;
	if (!r->from_origin || !r->to_origin || !r->region || !r->region[0] || !r->region[1] || !r->region[2])
		return CL_INVALID_VALUE;
	if ((!r->from && !r->host_from) || (!r->to && !r->host_to))
		return CL_INVALID_VALUE;
	if (!rect_side(r->from_origin, r->region, &r->from_row, &r->from_slice, &rect->from_at, &from_end) ||
	    !rect_side(r->to_origin, r->region, &r->to_row, &r->to_slice, &rect->to_at, &to_end))
		return CL_INVALID_VALUE;
	if ((r->from && from_end > r->from->size) || (r->to && to_end > r->to->size))
		return CL_INVALID_VALUE;
	if (r->from && r->to) {
		const uint8_t *from = r->from->bytes, *to = r->to->bytes;
		bool same = from == to && r->from_row == r->to_row && r->from_slice == r->to_slice;
		bool apart = from + from_end <= to + rect->to_at || to + to_end <= from + rect->from_at;
		/* With equal pitches two rectangles are also disjoint when one is beside, above or behind the other. */
		for (int i = 0; same && !apart && i < 3; i++)
			apart = r->from_origin[i] + r->region[i] <= r->to_origin[i] || r->to_origin[i] + r->region[i] <= r->from_origin[i];
		if (!apart)
			return CL_MEM_COPY_OVERLAP;
	}
	rect->from_row = r->from_row;
	rect->from_slice = r->from_slice;
	rect->to_row = r->to_row;
	rect->to_slice = r->to_slice;
	memcpy(rect->region, r->region, sizeof rect->region);
	return CL_SUCCESS;
}

static cl_int enqueue_rect(rect_call *r, cl_uint n, const cl_event *wait, cl_event *event)
{
	hc_rect rect;
	cl_int status = check_rect(r, &rect);
	if (status == CL_SUCCESS && ((!r->to && !host_may(r->from, true)) || (!r->from && !host_may(r->to, false))))
		status = CL_INVALID_OPERATION;
	hc_command *c = status == CL_SUCCESS ? hc_command_new(r->queue, r->type, n, wait, &status) : NULL;
	if (!c)
		return status;
	c->run = run_rect;
	c->from = hr_use(r->from);
	c->to = hr_use(r->to);
	c->host_from = r->host_from;
	c->host_to = r->host_to;
	c->rect = hd_xmalloc(sizeof rect);
	*c->rect = rect;
	return hc_enqueue(c, r->blocking, event);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *host_origin,
                               const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, void *to, cl_uint n,
                               const cl_event *wait, cl_event *event)
{
	rect_call r = {.queue = queue,
	               .type = CL_COMMAND_READ_BUFFER_RECT,
	               .from = mem,
	               .host_to = to,
	               .from_origin = origin,
	               .to_origin = host_origin,
	               .region = region,
	               .from_row = row,
	               .from_slice = slice,
	               .to_row = host_row,
	               .to_slice = host_slice,
	               .blocking = blocking};
	return hc_is_buffer(mem) || !hc_is(queue, HC_QUEUE) ? enqueue_rect(&r, n, wait, event) : CL_INVALID_MEM_OBJECT;
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *host_origin,
                                const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, const void *from, cl_uint n,
                                const cl_event *wait, cl_event *event)
{
	rect_call r = {.queue = queue,
	               .type = CL_COMMAND_WRITE_BUFFER_RECT,
	               .to = mem,
	               .host_from = from,
	               .from_origin = host_origin,
	               .to_origin = origin,
	               .region = region,
	               .from_row = host_row,
	               .from_slice = host_slice,
	               .to_row = row,
	               .to_slice = slice,
	               .blocking = blocking};
	return hc_is_buffer(mem) || !hc_is(queue, HC_QUEUE) ? enqueue_rect(&r, n, wait, event) : CL_INVALID_MEM_OBJECT;
}

cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
                               const size_t *region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice, cl_uint n,
                               const cl_event *wait, cl_event *event)
{
	rect_call r = {.queue = queue,
	               .type = CL_COMMAND_COPY_BUFFER_RECT,
	               .from = from,
	               .to = to,
	               .from_origin = from_origin,
	               .to_origin = to_origin,
	               .region = region,
	               .from_row = from_row,
	               .from_slice = from_slice,
	               .to_row = to_row,
	               .to_slice = to_slice};
	if (hc_is(queue, HC_QUEUE) && (!hc_is_buffer(from) || !hc_is_buffer(to)))
		return CL_INVALID_MEM_OBJECT;
	return enqueue_rect(&r, n, wait, event);
}

/* -- map and unmap: the driver's own memory is mapped as it is; memory of the program is copied both ways ------------------------------- */
static cl_int run_map(hc_command *c, uint64_t *ns)
{
	if (c->host_to)
		memmove(c->host_to, c->from->bytes + c->from_at, c->size);
	*ns = hr_host_transfer_ns(c->host_to ? c->size : 0);
	return CL_SUCCESS;
}

static cl_int run_unmap(hc_command *c, uint64_t *ns)
{
	if (c->host_from)
		memmove(c->to->bytes + c->to_at, c->host_from, c->size);
	*ns = hr_host_transfer_ns(c->host_from ? c->size : 0);
	return CL_SUCCESS;
}

static cl_int check_map(cl_mem mem, cl_map_flags flags)
{
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	if ((flags & ~known) || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
		return CL_INVALID_VALUE;
	if (((flags & CL_MAP_READ) && !host_may(mem, true)) || ((flags & ~(cl_map_flags)CL_MAP_READ) && !host_may(mem, false)))
		return CL_INVALID_OPERATION;
	return CL_SUCCESS;
}

/* Regions that are mapped for writing do not overlap. hr_lock is held. */
static bool may_map(cl_mem mem, size_t at, size_t size, cl_map_flags flags)
{
	const cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	for (const hc_mapping *one = mem->mappings; one; one = one->next)
		if (at < one->offset + one->size && one->offset < at + size && flags & one->flags & writing)
			return false;
	return true;
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t at, size_t size, cl_uint n,
                         const cl_event *wait, cl_event *event, cl_int *status)
{
	cl_int error = check(queue, mem, at, size);
	if (error == CL_SUCCESS)
		error = check_map(mem, flags);
	hc_command *c = error == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_MAP_BUFFER, n, wait, &error) : NULL;
	if (!c) {
		hc_set(status, error);
		return NULL;
	}
	hc_mapping *mapping = hd_xmalloc(sizeof *mapping);
	uint8_t *pointer = (mem->host_ptr ? mem->host_ptr : mem->bytes) + at;
	*mapping = (hc_mapping){.pointer = pointer, .offset = at, .size = size, .flags = flags};
	pthread_mutex_lock(&hr_lock);
	bool may = may_map(mem, at, size, flags);
	if (may) {
		mapping->next = mem->mappings;
		mem->mappings = mapping;
		mem->n_mappings++;
	}
	pthread_mutex_unlock(&hr_lock);
	if (!may) {
		free(mapping);
		hc_command_free(c);
		hc_set(status, CL_INVALID_OPERATION);
		return NULL;
	}
	c->run = run_map;
	c->from = hr_use(mem);
	c->from_at = at;
	c->size = size;
	c->host_to = mem->host_ptr && !(flags & CL_MAP_WRITE_INVALIDATE_REGION) ? pointer : NULL;
	error = hc_enqueue(c, blocking, event);
	hc_set(status, error);
	return error == CL_SUCCESS ? pointer : NULL;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer, cl_uint n, const cl_event *wait, cl_event *event)
{
	cl_int status = check(queue, mem, 0, 1);
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_UNMAP_MEM_OBJECT, n, wait, &status) : NULL;
	if (!c)
		return status;
	pthread_mutex_lock(&hr_lock);
	hc_mapping **link = &mem->mappings, *mapping;
	while ((mapping = *link) && mapping->pointer != pointer)
		link = &mapping->next;
	if (mapping) {
		*link = mapping->next;
		mem->n_mappings--;
	}
	pthread_mutex_unlock(&hr_lock);
	if (!mapping) {
		hc_command_free(c);
		return CL_INVALID_VALUE;
	}
	c->run = run_unmap;
	c->to = hr_use(mem);
	c->to_at = mapping->offset;
	c->size = mapping->size;
	c->host_from = mem->host_ptr && (mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) ? pointer : NULL;
	free(mapping);
	return hc_enqueue(c, false, event);
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint n_mems, const cl_mem *mems, cl_mem_migration_flags flags, cl_uint n,
                                  const cl_event *wait, cl_event *event)
{
	cl_int status = hc_is(queue, HC_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
	if (status == CL_SUCCESS &&
	    (!n_mems || !mems || (flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))))
		status = CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n_mems && status == CL_SUCCESS; i++)
		status = check(queue, mems[i], 0, 1);
	/* There is one device with one memory, so nothing moves. */
	hc_command *c = status == CL_SUCCESS ? hc_command_new(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, n, wait, &status) : NULL;
	return c ? hc_enqueue(c, false, event) : status;
}

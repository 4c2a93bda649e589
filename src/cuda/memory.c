/* Memory of the device, and copies.
 *
 * The table of blocks gives the host's address of each byte without the lock of the device's memory, so a copy can be put into a stream while a
 * kernel runs. */
#include "cuda/state.h"

#include "runtime/mapped.h"

/* -- the table: all these require hr_lock ------------------------------------------------------------------------------------------------------ */
/* The number of blocks that begin at or below the address. */
static size_t place_of(uint64_t address)
{
	size_t low = 0, high = hu.blocks.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (hu.blocks.at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static hu_block *block_at(uint64_t address)
{
	size_t place = place_of(address);
	hu_block *block = place ? &hu.blocks.at[place - 1] : NULL;
	return block && address - block->address < block->size ? block : NULL;
}

static void insert(const hu_block *block)
{
	size_t place = place_of(block->address);
	hd_vec_push(&hu.blocks, *block);
	memmove(&hu.blocks.at[place + 1], &hu.blocks.at[place], (hu.blocks.n - 1 - place) * sizeof *block);
	hu.blocks.at[place] = *block;
	hu.blocks.at[place].number = ++hu.numbers;
	hu.blocks.at[place].owner = block->kind == HU_MODULE ? 0 : hu_owner();
	hu.used += block->size;
}

static void take_out(hu_block *block)
{
	size_t place = (size_t)(block - hu.blocks.at);
	hu.used -= block->size;
	memmove(block, block + 1, (hu.blocks.n - 1 - place) * sizeof *block);
	hu.blocks.n--;
}

/* -- allocations ------------------------------------------------------------------------------------------------------------------------------- */
void hu_note(const hu_block *block)
{
	pthread_mutex_lock(&hr_lock);
	insert(block);
	pthread_mutex_unlock(&hr_lock);
}

hu_block hu_find(uint64_t address)
{
	pthread_mutex_lock(&hr_lock);
	hu_block *found = block_at(address), block = found ? *found : (hu_block){.kind = HU_NOWHERE};
	pthread_mutex_unlock(&hr_lock);
	return block;
}

/* Memory that host and device see at one address. */
static bool allocate_shared(hu_block *block, const char *name)
{
	pthread_mutex_lock(&hr_lock);
	block->bytes = hr_map(&hu.hint, block->size);
	pthread_mutex_unlock(&hr_lock);
	if (!block->bytes)
		return false;
	block->address = (uintptr_t)block->bytes;
	bool shared = hd_memory_share(hu_memory_take(HR_PRIORITY_HIGH), block->bytes, block->size, name);
	hu_memory_leave();
	if (!shared)
		hr_unmap(block->bytes, block->size);
	return shared;
}

static bool allocate_device(hu_block *block)
{
	hd_memory *memory = hu_memory_take(HR_PRIORITY_HIGH);
	block->address = hd_memory_alloc(memory, block->size, "an allocation");
	block->bytes = block->address ? hd_memory_at(memory, block->address, block->size) : NULL;
	hu_memory_leave();
	return block->address != 0;
}

cudaError_t hu_allocate(hu_kind kind, uint64_t size, unsigned flags, uint64_t *address)
{
	hu_block block = {.kind = kind, .size = size, .flags = flags};
	*address = 0;
	if (!size)
		return cudaSuccess;
	if (size > hr_device.memory)
		return cudaErrorMemoryAllocation;
	bool good = kind == HU_DEVICE ? allocate_device(&block) : allocate_shared(&block, kind == HU_PINNED ? "pinned memory" : "managed memory");
	if (!good)
		return cudaErrorMemoryAllocation;
	hu_note(&block);
	*address = block.address;
	return cudaSuccess;
}

cudaError_t hu_allocate_now(hu_kind kind, uint64_t size, unsigned flags, void *to)
{
	uint64_t address;
	cudaError_t error = hu_capture_unsafe();
	if (error == cudaSuccess)
		error = to ? hu_allocate(kind, size, flags, &address) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		memcpy(to, &address, sizeof address);
	return error;
}

cudaError_t hu_register(void *host, uint64_t size, unsigned flags)
{
	cudaError_t forbidden = hu_capture_unsafe();
	if (forbidden != cudaSuccess)
		return forbidden;
	if (!host || !size || (uint64_t)(uintptr_t)host > UINT64_MAX - size)
		return cudaErrorInvalidValue;
	hu_block block = {.kind = HU_REGISTERED, .address = (uintptr_t)host, .size = size, .bytes = host, .flags = flags};
	pthread_mutex_lock(&hr_lock);
	size_t next = place_of(block.address);
	bool overlaps = block_at(block.address) || (next < hu.blocks.n && hu.blocks.at[next].address - block.address < size);
	pthread_mutex_unlock(&hr_lock);
	if (overlaps)
		return cudaErrorHostMemoryAlreadyRegistered;
	bool shared = hd_memory_share(hu_memory_take(HR_PRIORITY_HIGH), host, size, "registered memory");
	hu_memory_leave();
	if (!shared)
		return cudaErrorNotSupported;
	hu_note(&block);
	return cudaSuccess;
}

/* Takes a block out of the table, if it begins there and `fits` says so. */
static bool remove_block(uint64_t address, bool (*fits)(hu_kind kind), hu_block *removed)
{
	pthread_mutex_lock(&hr_lock);
	hu_block *block = block_at(address);
	bool good = block && block->address == address && fits(block->kind);
	if (good) {
		*removed = *block;
		take_out(block);
	}
	pthread_mutex_unlock(&hr_lock);
	return good;
}

static void release(const hu_block *block)
{
	hd_memory_release(hu_memory_take(HR_PRIORITY_HIGH), block->address);
	hu_memory_leave();
	if (block->kind == HU_MANAGED || block->kind == HU_PINNED)
		hr_unmap(block->bytes, block->size);
}

static bool is_registered(hu_kind kind) { return kind == HU_REGISTERED; }
static bool is_pinned(hu_kind kind) { return kind == HU_PINNED; }
static bool is_of_device(hu_kind kind) { return kind == HU_DEVICE || kind == HU_MANAGED; }

cudaError_t hu_unregister(void *host)
{
	hu_block block;
	cudaError_t forbidden = hu_capture_unsafe();
	if (forbidden != cudaSuccess)
		return forbidden;
	hu_wait_all();
	if (!remove_block((uintptr_t)host, is_registered, &block))
		return host ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue;
	release(&block);
	return hu_sticky();
}

cudaError_t hu_free(uint64_t address, bool of_host)
{
	hu_block block;
	if (!address)
		return cudaSuccess;
	cudaError_t error = hu_wait_all();
	hu_graph_memory_sweep();
	if (!of_host && hu_graph_memory_free(address, &error))
		return error;
	if (!remove_block(address, of_host ? is_pinned : is_of_device, &block))
		return error ? error : cudaErrorInvalidValue;
	release(&block);
	return error;
}

cudaError_t hu_free_now(uint64_t address, bool of_host)
{
	cudaError_t error = hu_capture_unsafe();
	return error ? error : hu_free(address, of_host);
}

cudaError_t hu_host_flags(uint64_t address, unsigned *flags)
{
	hu_block block = hu_find(address);
	if (!flags || (block.kind != HU_PINNED && block.kind != HU_REGISTERED))
		return cudaErrorInvalidValue;
	*flags = block.flags | cudaHostAllocMapped;
	return cudaSuccess;
}

cudaError_t hu_hint(uint64_t address, size_t count, bool place)
{
	hu_block block = hu_find(address);
	if (block.kind != HU_MANAGED || !count || count > block.size - (address - block.address))
		return cudaErrorInvalidValue;
	return place ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Managed memory belongs to host and device at all times when nothing runs. */
cudaError_t hu_attach(hu_stream *stream, uint64_t address, unsigned flags)
{
	if (!stream)
		return cudaErrorInvalidResourceHandle;
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
		return cudaErrorInvalidValue;
	return hu_find(address).kind == HU_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

static bool is_any(hu_kind kind) { return kind != HU_MODULE; }

void hu_block_free(uint64_t address, uint64_t number)
{
	hu_block block;
	if (hu_find(address).number == number && remove_block(address, is_any, &block))
		release(&block);
}

void hu_blocks_free_of(uint64_t owner)
{
	HD_VEC(uint64_t) addresses = {0};
	hu_block block;
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.blocks.n; i++)
		if (hu.blocks.at[i].owner == owner)
			hd_vec_push(&addresses, hu.blocks.at[i].address);
	pthread_mutex_unlock(&hr_lock);
	for (size_t i = 0; i < addresses.n; i++)
		if (remove_block(addresses.at[i], is_any, &block))
			release(&block);
	hd_vec_free(&addresses);
}

void hu_memory_info(uint64_t *free_bytes, uint64_t *total)
{
	pthread_mutex_lock(&hr_lock);
	*total = hr_device.memory;
	*free_bytes = hu.used < *total ? *total - hu.used : 0;
	pthread_mutex_unlock(&hr_lock);
}

/* -- copies ------------------------------------------------------------------------------------------------------------------------------------ */
typedef struct rows {
	uint8_t *at;
	uint64_t pitch, slice;
} rows;

typedef struct copy_command {
	hu_command base;
	rows to, from;
	uint64_t width, height, depth;
	uint8_t *staged; /* owned */
	uint32_t value;  /* of a fill, in which `from` is unused */
	unsigned bytes;
	bool host; /* between host and device */
	bool nothing_timed;
} copy_command;

/* Bytes from the first to behind the last one. UINT64_MAX: more than there can be. */
static uint64_t extent(uint64_t pitch, uint64_t slice, const hu_copy *c)
{
	const uint64_t most = UINT64_C(1) << 60;
	if (c->width > most || pitch > most || slice > most || c->height > most || c->depth > most || (pitch && c->height > most / pitch) ||
	    (slice && c->depth > most / slice))
		return UINT64_MAX;
	return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
}

/* Where a side of a copy is on the host. False: an address of the device that is in no block, or not all of it. */
static bool resolve(const hu_side *side, const hu_copy *c, bool device, bool anywhere, rows *out, hu_kind *kind)
{
	uint64_t bytes = extent(side->pitch, side->slice, c);
	*out = (rows){.at = (uint8_t *)(uintptr_t)side->address, .pitch = side->pitch, .slice = side->slice};
	hu_block block = hu_find(side->address);
	*kind = block.kind;
	if (bytes == UINT64_MAX)
		return false;
	if (block.kind == HU_NOWHERE)
		return side->address && (!device || anywhere) && side->address >= 4096 && side->address - HD_GLOBAL_BASE >= HD_SYSTEM_BASE;
	if (block.size - (side->address - block.address) < bytes)
		return false;
	if (!device && (block.kind == HU_DEVICE || block.kind == HU_MODULE) && !anywhere)
		return false;
	out->at = block.bytes + (side->address - block.address);
	return true;
}

static void move_rows(const copy_command *c)
{
	for (uint64_t z = 0; z < c->depth; z++)
		for (uint64_t y = 0; y < c->height; y++)
			memmove(c->to.at + z * c->to.slice + y * c->to.pitch, c->from.at + z * c->from.slice + y * c->from.pitch, c->width);
}

static void fill_row(uint8_t *to, uint64_t width, uint32_t value, unsigned bytes)
{
	if (bytes == 1) {
		memset(to, (int)(value & 0xff), width);
		return;
	}
	for (uint64_t i = 0; i + bytes <= width; i += bytes)
		for (unsigned b = 0; b < bytes; b++)
			to[i + b] = (uint8_t)(value >> (8 * b));
}

static cudaError_t work_copy(hu_command *command, uint64_t *ns)
{
	copy_command *c = (copy_command *)command;
	uint64_t bytes = c->width * c->height * c->depth;
	move_rows(c);
	*ns = c->nothing_timed ? 0 : c->host ? hr_host_transfer_ns(bytes) : hr_transfer_ns(bytes);
	return cudaSuccess;
}

static cudaError_t work_fill(hu_command *command, uint64_t *ns)
{
	copy_command *c = (copy_command *)command;
	for (uint64_t z = 0; z < c->depth; z++)
		for (uint64_t y = 0; y < c->height; y++)
			fill_row(c->to.at + z * c->to.slice + y * c->to.pitch, c->width, c->value, c->bytes);
	*ns = hr_transfer_ns(c->width * c->height * c->depth);
	return cudaSuccess;
}

static void drop_copy(hu_command *command) { free(((copy_command *)command)->staged); }

/* A copy from memory of the host that is not pinned: the program may change it when the call has returned. */
static void stage(copy_command *c)
{
	rows to = c->to;
	c->staged = hd_xmalloc((size_t)(c->width * c->height * c->depth));
	c->to = (rows){.at = c->staged, .pitch = c->width, .slice = c->width * c->height};
	move_rows(c);
	c->from = c->to;
	c->to = to;
}

static bool is_device_side(enum cudaMemcpyKind kind, bool to)
{
	return kind == cudaMemcpyDeviceToDevice || kind == (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

static bool of_host(hu_kind kind) { return kind != HU_DEVICE && kind != HU_MANAGED && kind != HU_MODULE; }

/* *command is NULL when there is nothing to copy. */
static cudaError_t copy_command_of(const hu_copy *copy, hu_kind *to, hu_kind *from, copy_command **command)
{
	rows at_to, at_from;
	bool any = copy->kind == cudaMemcpyDefault;
	*command = NULL;
	if ((unsigned)copy->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!copy->width || !copy->height || !copy->depth)
		return cudaSuccess;
	if (copy->height > 1 && (copy->to.pitch < copy->width || copy->from.pitch < copy->width))
		return cudaErrorInvalidPitchValue;
	if (!resolve(&copy->to, copy, is_device_side(copy->kind, true), any, &at_to, to) ||
	    !resolve(&copy->from, copy, is_device_side(copy->kind, false), any, &at_from, from))
		return cudaErrorInvalidValue;
	copy_command *c = *command = hu_command_new(sizeof *c, work_copy, drop_copy);
	c->to = at_to;
	c->from = at_from;
	c->width = copy->width;
	c->height = copy->height;
	c->depth = copy->depth;
	c->host = of_host(*to) || of_host(*from);
	c->nothing_timed = of_host(*to) && of_host(*from);
	return cudaSuccess;
}

cudaError_t hu_copy_command(const hu_copy *copy, hu_command **command)
{
	hu_kind to, from;
	copy_command *c;
	cudaError_t error = copy_command_of(copy, &to, &from, &c);
	if (error == cudaSuccess)
		*command = c ? &c->base : hu_command_new(sizeof(hu_command), NULL, NULL);
	return error;
}

static struct cudaPitchedPtr pointer_of(const hu_side *side, const hu_copy *copy)
{
	uint64_t pitch = side->pitch ? side->pitch : copy->width;
	return (struct cudaPitchedPtr){
	    .ptr = (void *)(uintptr_t)side->address, .pitch = pitch, .xsize = copy->width, .ysize = side->slice ? side->slice / pitch : copy->height};
}

static cudaError_t capture_copy(const hu_copy *copy, hu_stream *stream, bool *taken)
{
	hu_work work = {.kind = cudaGraphNodeTypeMemcpy,
	                .copy = {.srcPtr = pointer_of(&copy->from, copy),
	                         .dstPtr = pointer_of(&copy->to, copy),
	                         .extent = {copy->width, copy->height, copy->depth},
	                         .kind = copy->kind}};
	return hu_capture_take(stream, &work, taken);
}

cudaError_t hu_copy_rows(const hu_copy *copy, hu_stream *stream)
{
	hu_kind to, from;
	copy_command *c;
	cudaError_t error = copy_command_of(copy, &to, &from, &c);
	if (error != cudaSuccess || !c)
		return error;
	if (hu_capturing()) {
		bool taken = false;
		error = copy->async ? capture_copy(copy, stream, &taken) : hu_capture_of_stream(stream);
		if (error != cudaSuccess || taken) {
			hu_command_free(&c->base);
			return error;
		}
	}
	bool at_once = copy->async && to != HU_NOWHERE;
	if (at_once && from == HU_NOWHERE)
		stage(c);
	if (!at_once)
		return hu_put_and_wait(stream, &c->base);
	hu_put(stream, &c->base, NULL, NULL);
	return cudaSuccess;
}

cudaError_t hu_copy_begin(hu_stream *stream, bool now)
{
	cudaError_t error = stream ? cudaSuccess : cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess && now)
		error = hu_capture_of_stream(stream);
	return error == cudaSuccess && now ? hu_capture_unsafe() : error;
}

cudaError_t hu_copy_line(uint64_t to, uint64_t from, size_t count, enum cudaMemcpyKind kind, bool now, hu_stream *stream)
{
	hu_copy copy = {.to.address = to, .from.address = from, .width = count, .height = 1, .depth = 1, .kind = kind};
	cudaError_t error = hu_copy_begin(stream, now);
	copy.async = !now || kind == cudaMemcpyDeviceToDevice;
	return error ? error : hu_copy_rows(&copy, stream);
}

static hu_side side_of(struct cudaPitchedPtr pointer, struct cudaPos at)
{
	uint64_t slice = pointer.pitch * pointer.ysize;
	return (hu_side){(uint64_t)(uintptr_t)pointer.ptr + at.x + at.y * pointer.pitch + at.z * slice, pointer.pitch, slice};
}

cudaError_t hu_copy_of_box(const struct cudaMemcpy3DParms *p, hu_copy *copy)
{
	if (p->srcArray || p->dstArray || p->srcPtr.pitch < p->extent.width || p->dstPtr.pitch < p->extent.width)
		return cudaErrorInvalidValue;
	*copy = (hu_copy){.to = side_of(p->dstPtr, p->dstPos),
	                  .from = side_of(p->srcPtr, p->srcPos),
	                  .width = p->extent.width,
	                  .height = p->extent.height,
	                  .depth = p->extent.depth,
	                  .kind = p->kind};
	return cudaSuccess;
}

/* *command is NULL when there is nothing to fill. */
static cudaError_t fill_command_of(const hu_copy *copy, uint32_t value, unsigned bytes, hu_kind *kind, copy_command **command)
{
	rows to;
	*command = NULL;
	if (!copy->width || !copy->height || !copy->depth)
		return cudaSuccess;
	/* Copies have an error of their own for pitches, fills have not. */
	if ((copy->height > 1 && copy->to.pitch < copy->width) || !resolve(&copy->to, copy, true, false, &to, kind))
		return cudaErrorInvalidValue;
	copy_command *c = *command = hu_command_new(sizeof *c, work_fill, NULL);
	c->to = to;
	c->width = copy->width;
	c->height = copy->height;
	c->depth = copy->depth;
	c->value = value;
	c->bytes = bytes;
	return cudaSuccess;
}

cudaError_t hu_fill_command(const hu_copy *copy, uint32_t value, unsigned bytes, hu_command **command)
{
	hu_kind kind;
	copy_command *c;
	cudaError_t error = fill_command_of(copy, value, bytes, &kind, &c);
	if (error == cudaSuccess)
		*command = c ? &c->base : hu_command_new(sizeof(hu_command), NULL, NULL);
	return error;
}

/* A node fills a plane: a box whose slices do not lie one after the other becomes several. */
static cudaError_t capture_fill(const hu_copy *copy, uint32_t value, unsigned bytes, hu_stream *stream, bool *taken)
{
	uint64_t pitch = copy->to.pitch ? copy->to.pitch : copy->width;
	bool whole = copy->depth == 1 || copy->to.slice == pitch * copy->height;
	cudaError_t error = cudaSuccess;
	for (uint64_t z = 0; z < (whole ? 1 : copy->depth) && error == cudaSuccess && (z == 0 || *taken); z++) {
		hu_work work = {.kind = cudaGraphNodeTypeMemset,
		                .fill = {.dst = (void *)(uintptr_t)(copy->to.address + z * copy->to.slice),
		                         .pitch = pitch,
		                         .value = value,
		                         .elementSize = bytes,
		                         .width = copy->width / bytes,
		                         .height = whole ? copy->height * copy->depth : copy->height}};
		error = hu_capture_take(stream, &work, taken);
	}
	return error;
}

cudaError_t hu_fill_rows(const hu_copy *copy, uint32_t value, unsigned bytes, hu_stream *stream)
{
	hu_kind kind;
	copy_command *c;
	cudaError_t error = stream ? fill_command_of(copy, value, bytes, &kind, &c) : cudaErrorInvalidResourceHandle;
	if (error != cudaSuccess || !c)
		return error;
	if (hu_capturing()) {
		bool taken = false;
		error = copy->async ? capture_fill(copy, value, bytes, stream, &taken) : hu_capture_of_stream(stream);
		if (error != cudaSuccess || taken) {
			hu_command_free(&c->base);
			return error;
		}
	}
	if (!copy->async && kind != HU_DEVICE && kind != HU_MODULE)
		return hu_put_and_wait(stream, &c->base);
	hu_put(stream, &c->base, NULL, NULL);
	return cudaSuccess;
}

#include "launch/bounds.h"

/* Unmapped bytes between two allocations. An odd number of 256-byte blocks beyond 64 KiB, so that buffers of a power of two bytes do not all
 * begin in the same cache set and the same DRAM partition. */
#define GAP UINT64_C(0x10500)

typedef struct allocation {
	uint64_t base, size;
	uint64_t open; /* bytes that plain accesses reach: all, or none of live memory */
	uint8_t *bytes;
	char *name;  /* NULL without */
	bool shared; /* the bytes belong to somebody else */
} allocation;

/* The array is sorted by base. Addresses below HD_SYSTEM_BASE, and those from there to HD_SHARED_BASE, ascend and are never used again. */
struct hd_memory {
	uint64_t limit, used;
	uint64_t next, next_system; /* addresses of the next allocations of device and of system memory */
	uint32_t page;              /* bytes; 0 = no pages */
	HD_VEC(allocation) list;
	hd_memory_hits hits;
	hd_bounds *bounds; /* NULL: an access outside of every buffer is a trap */
};

hd_memory *hd_memory_new(uint64_t limit)
{
	hd_memory *memory = hd_xcalloc(1, sizeof *memory);
	memory->limit = limit;
	memory->next = HD_GLOBAL_BASE;
	memory->next_system = HD_SYSTEM_BASE;
	return memory;
}

static void drop(allocation *a)
{
	if (!a->shared)
		free(a->bytes);
	free(a->name);
}

void hd_memory_free(hd_memory *memory)
{
	if (!memory)
		return;
	for (size_t i = 0; i < memory->list.n; i++)
		drop(&memory->list.at[i]);
	hd_vec_free(&memory->list);
	free(memory);
}

/* Index of the last allocation whose base is at or below the address; list.n if there is none. */
static size_t find_below(const hd_memory *memory, uint64_t address)
{
	size_t low = 0, high = memory->list.n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (memory->list.at[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : memory->list.n;
}

static void insert(hd_memory *memory, const allocation *made)
{
	size_t below = find_below(memory, made->base), at = below < memory->list.n ? below + 1 : 0;
	hd_vec_push(&memory->list, *made);
	memmove(&memory->list.at[at + 1], &memory->list.at[at], (memory->list.n - 1 - at) * sizeof *made);
	memory->list.at[at] = *made;
	memory->used += made->size;
}

/* Allocates from *next on, below `end`. */
static uint64_t alloc(hd_memory *memory, uint64_t *next, uint64_t end, uint64_t bytes, const char *name)
{
	if (bytes > memory->limit - memory->used || bytes > SIZE_MAX || *next > end - GAP - 256 || bytes > end - *next - GAP - 256)
		return 0;
	allocation made = {.base = *next, .size = bytes, .open = bytes};
	/* calloc: a host that maps pages on first use spends memory only on pages that the kernel touches */
	if (bytes && !(made.bytes = calloc(1, (size_t)bytes)))
		return 0;
	made.name = name ? hd_xstrdup(name) : NULL;
	*next += ((bytes + 255) & ~UINT64_C(255)) + GAP;
	insert(memory, &made);
	return made.base;
}

uint64_t hd_memory_alloc(hd_memory *memory, uint64_t bytes, const char *name) { return alloc(memory, &memory->next, HD_SYSTEM_BASE, bytes, name); }

uint64_t hd_memory_alloc_system(hd_memory *memory, uint64_t bytes, const char *name)
{
	return alloc(memory, &memory->next_system, HD_SHARED_BASE, bytes, name);
}

static bool share(hd_memory *memory, void *host, uint64_t bytes, bool live, const char *name)
{
	allocation made = {.base = (uintptr_t)host, .size = bytes, .open = live ? 0 : bytes, .bytes = host, .shared = true};
	if (!bytes || bytes > memory->limit - memory->used || made.base < HD_SHARED_BASE || bytes > UINT64_MAX - made.base)
		return false;
	/* Any overlap is one with the last allocation that begins before the end. */
	size_t below = find_below(memory, made.base + bytes - 1);
	if (below < memory->list.n && memory->list.at[below].base + memory->list.at[below].size > made.base)
		return false;
	made.name = name ? hd_xstrdup(name) : NULL;
	insert(memory, &made);
	return true;
}

bool hd_memory_share(hd_memory *memory, void *host, uint64_t bytes, const char *name) { return share(memory, host, bytes, false, name); }
bool hd_memory_share_live(hd_memory *memory, void *host, uint64_t bytes, const char *name) { return share(memory, host, bytes, true, name); }

bool hd_memory_release(hd_memory *memory, uint64_t address)
{
	size_t i = find_below(memory, address);
	if (i >= memory->list.n || memory->list.at[i].base != address)
		return false;
	memory->used -= memory->list.at[i].size;
	drop(&memory->list.at[i]);
	memory->list.n--;
	memmove(&memory->list.at[i], &memory->list.at[i + 1], (memory->list.n - i) * sizeof memory->list.at[0]);
	return true;
}

static inline void *inside(const allocation *a, uint64_t address, uint64_t bytes)
{
	uint64_t offset = address - a->base;
	return offset < a->open && bytes <= a->open - offset ? a->bytes + offset : NULL;
}

static const allocation *find(const hd_memory *memory, hd_memory_hits *hits, uint64_t address)
{
	size_t *hit = &hits->at[(address >> 16) & 7];
	if (*hit < memory->list.n && inside(&memory->list.at[*hit], address, 1))
		return &memory->list.at[*hit];
	size_t i = find_below(memory, address);
	if (i >= memory->list.n || !inside(&memory->list.at[i], address, 1))
		return NULL;
	*hit = i;
	return &memory->list.at[i];
}

void *hd_memory_at_with(const hd_memory *memory, hd_memory_hits *hits, uint64_t address, uint64_t bytes)
{
	const allocation *a = find(memory, hits, address);
	return a ? inside(a, address, bytes) : NULL;
}

void *hd_memory_at(hd_memory *memory, uint64_t address, uint64_t bytes) { return hd_memory_at_with(memory, &memory->hits, address, bytes); }

void *hd_memory_any_at(hd_memory *memory, uint64_t address, uint64_t bytes, bool *live)
{
	size_t i = find_below(memory, address);
	if (i >= memory->list.n)
		return NULL;
	allocation whole = memory->list.at[i];
	*live |= !whole.open && whole.size;
	whole.open = whole.size;
	return inside(&whole, address, bytes);
}

uint8_t *hd_memory_find(hd_memory *memory, uint64_t address, uint64_t *base, uint64_t *size)
{
	return hd_memory_find_with(memory, &memory->hits, address, base, size);
}

uint8_t *hd_memory_find_with(const hd_memory *memory, hd_memory_hits *hits, uint64_t address, uint64_t *base, uint64_t *size)
{
	const allocation *a = find(memory, hits, address);
	if (!a)
		return NULL;
	*base = a->base;
	*size = a->size;
	return a->bytes;
}

static bool describe(const hd_memory *memory, size_t i, const char **name, uint64_t *base, uint64_t *size)
{
	if (i >= memory->list.n)
		return false;
	*name = memory->list.at[i].name;
	*base = memory->list.at[i].base;
	*size = memory->list.at[i].size;
	return true;
}

bool hd_memory_describe(const hd_memory *memory, uint64_t address, const char **name, uint64_t *base, uint64_t *size)
{
	return describe(memory, find_below(memory, address), name, base, size);
}

bool hd_memory_describe_above(const hd_memory *memory, uint64_t address, const char **name, uint64_t *base, uint64_t *size)
{
	size_t below = find_below(memory, address);
	return describe(memory, below < memory->list.n ? below + 1 : 0, name, base, size);
}

bool hd_memory_nth(const hd_memory *memory, size_t index, uint64_t *base, uint64_t *size)
{
	if (index >= memory->list.n)
		return false;
	*base = memory->list.at[index].base;
	*size = memory->list.at[index].size;
	return true;
}

void hd_memory_set_page(hd_memory *memory, uint32_t bytes) { memory->page = bytes; }
uint32_t hd_memory_page(const hd_memory *memory) { return memory->page; }

void hd_memory_set_bounds(hd_memory *memory, hd_bounds *bounds) { memory->bounds = bounds; }
hd_bounds *hd_memory_bounds(const hd_memory *memory) { return memory->bounds; }

hd_trap_kind hd_memory_fault(const hd_memory *memory, uint64_t address)
{
	if (!memory->page)
		return HD_TRAP_ADDRESS;
	uint64_t first = address & ~(uint64_t)(memory->page - 1), last = first + (memory->page - 1);
	/* Of the allocations that begin at or below the last byte of the page, one with bytes that ends latest maps it, if any does: they do not
	 * overlap, so it is the last one that has bytes. */
	for (size_t i = find_below(memory, last); i < memory->list.n; i--) {
		const allocation *a = &memory->list.at[i];
		if (a->size)
			return a->base + a->size > first ? HD_TRAP_ADDRESS : HD_TRAP_PAGE;
	}
	return HD_TRAP_PAGE;
}

void hd_load_lane(const void *bytes, unsigned size, uint32_t out[4])
{
	const uint8_t *p = bytes;
	switch (size) {
	case HD_SIZE_U8:
		out[0] = p[0];
		break;
	case HD_SIZE_S8:
		out[0] = (uint32_t)(int32_t)(int8_t)p[0];
		break;
	case HD_SIZE_U16:
		out[0] = p[0] | (uint32_t)p[1] << 8;
		break;
	case HD_SIZE_S16:
		out[0] = (uint32_t)(int32_t)(int16_t)(p[0] | p[1] << 8);
		break;
	default:
		for (unsigned i = 0; i < hd_size_bytes(size) / 4; i++)
			out[i] = hd_load_word(p + 4 * i);
	}
}

void hd_store_lane(void *bytes, unsigned size, const uint32_t in[4])
{
	uint8_t *p = bytes;
	unsigned n = hd_size_bytes(size);
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(in[i / 4] >> (8 * (i % 4)));
}

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include "base/region.h"

#include <pthread.h>
#include <sys/mman.h>

enum {
	HUGE_PAGE = 2 << 20,
	LARGE = 2 * HUGE_PAGE, /* from here on huge pages are worth the memory that the last one wastes */
	PIECE = 256 << 10,     /* of a smaller region */
	JUNK = 0xa5,           /* under AddressSanitizer: a part with undefined content holds these bytes */
};

typedef struct piece {
	char *at;
	size_t bytes;
	size_t dirty; /* the first bytes, which may differ from 0 */
	bool mapped;  /* by the host; else an allocation */
} piece;

struct hd_region {
	pthread_mutex_t mutex;
	HD_VEC(piece) pieces;
	size_t used; /* of the last piece */
	bool large;
};

/* A piece of `bytes` bytes, a multiple of HUGE_PAGE, in huge pages if the host has some. */
static char *map(size_t bytes)
{
	size_t all = bytes + HUGE_PAGE;
	char *at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED) // NOLINT(performance-no-int-to-ptr)
		hd_out_of_memory(bytes);
	size_t before = -(uintptr_t)at & (HUGE_PAGE - 1);
	if (before)
		munmap(at, before);
	munmap(at + before + bytes, all - before - bytes);
	madvise(at + before, bytes, MADV_HUGEPAGE); /* where it fails the pages are ordinary ones */
	return at + before;
}

static size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/* Begins a piece with room for `bytes` at least. */
static void begin_piece(hd_region *region, size_t bytes)
{
	piece next = {.mapped = region->large};
	if (next.mapped) {
		next.bytes = rounded(bytes, HUGE_PAGE);
		next.at = map(next.bytes);
	} else {
		next.bytes = next.dirty = HD_REGION_APART || bytes > PIECE ? bytes : PIECE;
		next.at = aligned_alloc(64, next.bytes);
		if (!next.at)
			hd_out_of_memory(next.bytes);
	}
	hd_vec_push(&region->pieces, next);
	region->used = 0;
}

static void free_pieces(hd_region *region)
{
	for (size_t i = 0; i < region->pieces.n; i++) {
		const piece *p = &region->pieces.at[i];
		if (p->mapped)
			munmap(p->at, p->bytes);
		else
			free(p->at);
	}
	region->pieces.n = 0;
}

hd_region *hd_region_new(size_t expected)
{
	hd_region *region = hd_xcalloc(1, sizeof *region);
	pthread_mutex_init(&region->mutex, NULL);
	hd_region_reset(region, expected);
	return region;
}

void hd_region_free(hd_region *region)
{
	if (!region)
		return;
	free_pieces(region);
	hd_vec_free(&region->pieces);
	pthread_mutex_destroy(&region->mutex);
	free(region);
}

/* One piece, with room for all that was taken before, serves the next run. */
void hd_region_reset(hd_region *region, size_t expected)
{
	size_t room = 0;
	for (size_t i = 0; i < region->pieces.n; i++)
		room += region->pieces.at[i].bytes;
	if (!HD_REGION_APART && region->pieces.n == 1 && room >= expected) {
		piece *only = &region->pieces.at[0];
		only->dirty = only->dirty > region->used ? only->dirty : region->used;
		region->used = 0;
		return;
	}
	free_pieces(region);
	room = room > expected ? room : expected;
	region->large = !HD_REGION_APART && room >= LARGE;
	if (!HD_REGION_APART && room > PIECE)
		begin_piece(region, rounded(room, 64));
}

/* Takes `bytes` bytes. *dirty receives the number of the first of them that may differ from 0. */
static void *take(hd_region *region, size_t bytes, size_t *dirty)
{
	size_t need = rounded(bytes ? bytes : 1, 64);
	pthread_mutex_lock(&region->mutex);
	if (!region->pieces.n || region->pieces.at[region->pieces.n - 1].bytes - region->used < need)
		begin_piece(region, need);
	const piece *last = &region->pieces.at[region->pieces.n - 1];
	size_t after = last->dirty > region->used ? last->dirty - region->used : 0;
	char *taken = last->at + region->used;
	*dirty = after < need ? after : need;
	region->used += need;
	pthread_mutex_unlock(&region->mutex);
	return taken;
}

void *hd_region_take(hd_region *region, size_t bytes)
{
	size_t dirty;
	void *taken = take(region, bytes, &dirty);
	return memset(taken, 0, dirty);
}

void *hd_region_take_any(hd_region *region, size_t bytes)
{
	size_t dirty;
	void *taken = take(region, bytes, &dirty);
	return HD_REGION_APART ? memset(taken, JUNK, dirty) : taken;
}

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */
#include "base/region.h"

#include <pthread.h>
#include <sys/mman.h>

#ifdef __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum {
	HUGE_PAGE = 2 << 20,
	LARGE = 2 * HUGE_PAGE, /* from here on huge pages are worth the memory that the last one wastes */
	PIECE = 256 << 10,     /* of a smaller region */
};

typedef struct piece {
	char *at;
	size_t bytes;
	bool mapped; /* by the host, with zeroes in it; else an allocation */
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
		next.bytes = SANITIZED || bytes > PIECE ? bytes : PIECE;
		next.at = aligned_alloc(64, next.bytes);
		if (!next.at)
			hd_out_of_memory(next.bytes);
	}
	hd_vec_push(&region->pieces, next);
	region->used = 0;
}

hd_region *hd_region_new(size_t expected)
{
	hd_region *region = hd_xcalloc(1, sizeof *region);
	pthread_mutex_init(&region->mutex, NULL);
	region->large = !SANITIZED && expected >= LARGE;
	if (region->large)
		begin_piece(region, expected);
	return region;
}

void hd_region_free(hd_region *region)
{
	if (!region)
		return;
	for (size_t i = 0; i < region->pieces.n; i++) {
		const piece *p = &region->pieces.at[i];
		if (p->mapped)
			munmap(p->at, p->bytes);
		else
			free(p->at);
	}
	hd_vec_free(&region->pieces);
	pthread_mutex_destroy(&region->mutex);
	free(region);
}

void *hd_region_take(hd_region *region, size_t bytes)
{
	size_t need = rounded(bytes ? bytes : 1, 64);
	pthread_mutex_lock(&region->mutex);
	if (!region->pieces.n || region->pieces.at[region->pieces.n - 1].bytes - region->used < need)
		begin_piece(region, need);
	const piece *last = &region->pieces.at[region->pieces.n - 1];
	bool mapped = last->mapped;
	char *taken = last->at + region->used;
	region->used += need;
	pthread_mutex_unlock(&region->mutex);
	if (!mapped)
		memset(taken, 0, need);
	return taken;
}

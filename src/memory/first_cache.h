/* The first data cache of a core: tags, and with memory in time (MT-1) the bytes of its lines. It writes through and allocates no line for a store.
 * Nothing keeps it coherent with other cores: the program does, by fences that empty it (MT-2). */
#ifndef HD_FIRST_CACHE_H
#define HD_FIRST_CACHE_H

#include "base/free_list.h"
#include "memory/cache.h"
#include "memory/perform.h"

typedef struct hd_first_cache hd_first_cache;

/* Lanes of a load that wait for a sector on its way. */
typedef struct hd_waiter {
	struct hd_waiter *next;
	const hd_access *access;
	hd_access_result *result;
	uint32_t lanes;
	uint8_t size;                   /* hd_size */
	uint32_t own;                   /* the bytes that the core has stored in this sector before the load: a bit a byte */
	uint8_t bytes[HD_SECTOR_BYTES]; /* these bytes */
} hd_waiter;

/* A sector on its way from its slice. */
typedef struct hd_fill {
	struct hd_fill *next; /* of its packet */
	uint64_t address;
	const uint8_t *host;   /* its bytes where they lie in one allocation, else NULL */
	hd_first_cache *cache; /* that it goes to */
	uint32_t line;         /* and the line there, if that line still waits for it */
	hd_waiter *waiters;
} hd_fill;

/* Free fills and waiters of a core. */
typedef struct hd_fills {
	hd_free_list fills, waiters;
} hd_fills;

typedef struct hd_line_data {
	uint8_t at[HD_CACHE_LINE_BYTES];
	hd_fill *fill[HD_LINE_SECTORS]; /* that the sector waits for; NULL: its bytes are there */
	uint32_t own[HD_LINE_SECTORS];  /* while it waits: the bytes that the core has stored meanwhile */
} hd_line_data;

struct hd_first_cache {
	hd_tags tags;
	hd_line_data *bytes; /* of each line; NULL: memory has the values at once */
	hd_fills *pool;
	hd_region *region; /* for tags and bytes, or NULL */
};

void hd_fills_free(hd_fills *pool);
hd_fill *hd_fills_take(hd_fills *pool);
/* Gives back a fill without waiters. */
void hd_fills_give(hd_fills *pool, hd_fill *fill);

void hd_first_cache_init(hd_first_cache *cache, uint32_t bytes, uint32_t ways, hd_region *region);
void hd_first_cache_free(hd_first_cache *cache);
/* From now on the cache has bytes. Requires: it is empty. */
void hd_first_cache_keep_bytes(hd_first_cache *cache, hd_fills *pool);
/* Empties the cache. Sectors on their way still serve the loads that wait for them. */
void hd_first_cache_invalidate(hd_first_cache *cache);

/* All of the following require bytes, and lanes whose access lies in the sector at `address`. */

/* Lanes of a load that hits a valid sector of `line`: reads its bytes, or waits for them. */
void hd_first_cache_load(hd_first_cache *cache, const hd_cache_line *line, uint64_t address, const hd_work *work, uint32_t lanes);
/* The valid sector at `address` of `line` waits for the fill. */
void hd_first_cache_attach(hd_first_cache *cache, const hd_cache_line *line, hd_fill *fill);
/* Lanes of a store: changes the bytes if the sector is present. */
void hd_first_cache_store(hd_first_cache *cache, uint64_t address, const hd_work *work, uint32_t lanes);
/* Drops the sector, because an atomic of this core changes it elsewhere, or because a volatile load reads what may be newer. */
void hd_first_cache_drop(hd_first_cache *cache, uint64_t address);
/* The sector arrives with the bytes that the slice has. The waiters are served and free afterwards. */
void hd_first_cache_arrive(hd_fills *pool, hd_fill *fill, const uint8_t sector[HD_SECTOR_BYTES]);

#endif

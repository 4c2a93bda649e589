/* The lines of a data cache. A line has 128 bytes in sectors of 32 bytes. It records which sectors are present and from which cycle on. It holds no
 * data: values are in hd_memory, and in first caches also in hd_first_cache. */
#ifndef HD_CACHE_H
#define HD_CACHE_H

#include "memory/tag_array.h"

enum { HD_SECTOR_BYTES = 32, HD_CACHE_LINE_BYTES = 128, HD_LINE_SECTORS = 4 };

typedef struct hd_cache_line {
	uint64_t ready[HD_LINE_SECTORS]; /* cycle from which the sector's data is present; in the future during a miss */
	uint8_t valid, dirty;            /* one bit for each sector */
} hd_cache_line;

/* A line that another one replaces. */
typedef struct hd_victim {
	uint64_t line; /* byte address / 128 */
	uint8_t dirty; /* 0 also if the place was empty */
} hd_victim;

typedef struct hd_tags {
	hd_tag_array array;   /* the tag of a line is its byte address / 128 */
	hd_cache_line *lines; /* of each tag */
} hd_tags;

/* `bytes` and `ways` are those of the machine description, which is valid: at least one set. `region`: for the lines, or NULL. */
void hd_tags_init(hd_tags *tags, uint32_t bytes, uint32_t ways, hd_region *region);
void hd_tags_free(hd_tags *tags, const hd_region *region);

static inline unsigned hd_sector_of(uint64_t address) { return (unsigned)(address / HD_SECTOR_BYTES % HD_LINE_SECTORS); }

/* Finds and uses the line of `address`. NULL if it is absent. Its sector may still be invalid: see `valid`. */
hd_cache_line *hd_tags_find(hd_tags *tags, uint64_t address);
/* Like hd_tags_find without the use, for a look-up before the access is decided. */
const hd_cache_line *hd_tags_peek(const hd_tags *tags, uint64_t address);
/* Gives the line of `address` a place, with all sectors invalid. *victim is the former line of that place; the caller writes its dirty sectors back.
 * Requires: hd_tags_find returns NULL. */
hd_cache_line *hd_tags_place(hd_tags *tags, uint64_t address, hd_victim *victim);
/* Makes the sector at `address` invalid. */
void hd_tags_drop(hd_tags *tags, uint64_t address);
/* Empties a cache that has no dirty sector. */
static inline void hd_tags_forget(hd_tags *tags) { hd_tag_array_clear(&tags->array); }

#endif

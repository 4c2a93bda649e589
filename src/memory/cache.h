/* The tags of a set-associative cache. A line has 128 bytes in sectors of 32 bytes. The least recently used line is replaced first. The tags record
 * which sectors are present and from which cycle on. They hold no data: values are in hd_memory, and in first caches also in hd_first_cache. */
#ifndef HD_CACHE_H
#define HD_CACHE_H

#include "base/region.h"

enum { HD_SECTOR_BYTES = 32, HD_CACHE_LINE_BYTES = 128, HD_LINE_SECTORS = 4 };

/* The key that a look-up compares. The keys of a set lie side by side, because a look-up goes through all of them. */
typedef struct hd_cache_key {
	uint64_t line; /* byte address / 128 */
	uint64_t used; /* stamp of the last use, for the replacement; not above hd_tags.floor = empty */
} hd_cache_key;

typedef struct hd_cache_line {
	uint64_t ready[HD_LINE_SECTORS]; /* cycle from which the sector's data is present; in the future during a miss */
	uint8_t valid, dirty;            /* one bit for each sector */
} hd_cache_line;

/* A line that another one replaces. */
typedef struct hd_victim {
	hd_cache_key key;
	uint8_t dirty;
} hd_victim;

typedef struct hd_tags {
	hd_cache_key *keys;   /* sets x ways */
	hd_cache_line *lines; /* of each key */
	uint32_t sets, ways;
	uint64_t stamp;
	uint64_t floor; /* lines that were last used before it are empty */
} hd_tags;

/* `bytes` and `ways` are those of the machine description, which is valid: at least one set. `region`: for the lines, or NULL. */
void hd_tags_init(hd_tags *tags, uint32_t bytes, uint32_t ways, hd_region *region);
void hd_tags_free(hd_tags *tags, const hd_region *region);

static inline unsigned hd_sector_of(uint64_t address) { return (unsigned)(address / HD_SECTOR_BYTES % HD_LINE_SECTORS); }

/* Finds the line of `address` and marks it as just used. NULL if it is absent. Its sector may still be invalid: see `valid`. */
hd_cache_line *hd_tags_find(hd_tags *tags, uint64_t address);
/* Like hd_tags_find without the mark, for a look-up before the access is decided. */
const hd_cache_line *hd_tags_peek(const hd_tags *tags, uint64_t address);
/* Gives the line of `address` a place, with all sectors invalid. *victim is the former line of that place (key.used = 0: the place was empty); the
 * caller writes its dirty sectors back. Requires: hd_tags_find returns NULL. */
hd_cache_line *hd_tags_place(hd_tags *tags, uint64_t address, hd_victim *victim);
/* Makes the sector at `address` invalid. */
void hd_tags_drop(hd_tags *tags, uint64_t address);
/* Empties a cache that has no dirty sector. */
static inline void hd_tags_forget(hd_tags *tags) { tags->floor = tags->stamp; }

#endif

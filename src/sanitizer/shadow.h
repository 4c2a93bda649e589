/* The accesses that memory remembers: up to HD_SHADOW_SLOTS of them for each word of 4 bytes, or for each byte where a part of a word was accessed on
 * its own. */
#ifndef HD_SHADOW_H
#define HD_SHADOW_H

#include "sanitizer/clock.h"
#include "sanitizer/table.h"

enum { HD_SHADOW_SLOTS = 4, HD_SHADOW_PAGE = 512 /* bytes of memory */, HD_SHADOW_NOBODY = 255 };

enum hd_shadow_kind { HD_SHADOW_LOADS = 1, HD_SHADOW_STORES = 2, HD_SHADOW_STRONG = 4 };

typedef struct hd_shadow_access {
	uint64_t when; /* time << 24 | word address of the instruction */
	uint32_t cta;
	uint16_t thread; /* warp << 5 | lane */
	uint8_t other;   /* another lane of the warp that the instruction executed for this memory, or HD_SHADOW_NOBODY */
	uint8_t kind;    /* 0: the slot is free */
} hd_shadow_access;

typedef struct hd_shadow_cell {
	hd_shadow_access slot[HD_SHADOW_SLOTS];
} hd_shadow_cell;

typedef struct hd_shadow_page {
	bool bytes; /* a cell a byte, not a word */
	hd_shadow_cell *cells;
} hd_shadow_page;

/* Pages of one space of addresses. Zeroed at first. */
typedef struct hd_shadow {
	hd_san_table pages;
	uint64_t bytes; /* of the host that it takes */
	uint64_t latest;
	hd_shadow_page *latest_page;
} hd_shadow;
void hd_shadow_free(hd_shadow *shadow);
/* The page that holds the address. NULL when it would have to be made, and `room` bytes are not enough for it. `part`: an access of it that is not a
 * whole word; the page has cells of bytes afterwards. */
hd_shadow_page *hd_shadow_page_at(hd_shadow *shadow, uint64_t address, bool part, uint64_t room);

/* An access with which the present one races. `thread`: which thread, where the slot has two. */
typedef struct hd_shadow_race {
	hd_shadow_access other;
	uint32_t thread;
} hd_shadow_race;

/* An access to one cell. Returns how many accesses it races with; they are in `races`. Remembers the access. `uniform`: a store that changes nothing,
 * so that other stores do not count. */
unsigned hd_shadow_access_cell(hd_shadow_cell *cell, const hd_shadow_access *access, const hd_clock *clock, bool uniform,
                               hd_shadow_race races[HD_SHADOW_SLOTS]);

static inline uint64_t hd_shadow_time(const hd_shadow_access *a) { return a->when >> 24; }
static inline uint32_t hd_shadow_pc(const hd_shadow_access *a) { return (uint32_t)a->when & 0xffffff; }

#endif

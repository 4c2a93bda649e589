/* The work of an access on the bytes of its lanes, when it takes effect. */
#ifndef HD_PERFORM_H
#define HD_PERFORM_H

#include "memory/lanes.h"
#include "memory/memory.h"

/* Lanes of one access to one space. */
typedef struct hd_work {
	const hd_access *access;
	hd_access_result *result; /* receives what loads and atomics read */
	const hd_lanes *lanes;
	uint8_t *const *at; /* host bytes of each lane */
	uint32_t mask;
	uint8_t kind;  /* access->op's */
	uint8_t size;  /* access->op's */
	bool live;     /* some lanes access live memory */
	bool promised; /* a place of the table of misses was promised to the access (predecode.replay_order) */
} hd_work;

void hd_perform(const hd_work *work);
/* Like hd_perform, for livelock detection: in cycle `now` the watch learns of bytes that change, and of each access to live memory, which the host
 * may change. `watch` may be NULL. */
void hd_perform_watched(const hd_work *work, hd_watch *watch, uint64_t now);
/* Applies one lane to `at` in place of its host bytes. word[] receives what it reads. */
void hd_perform_lane(const hd_work *work, unsigned lane, uint8_t *at, uint32_t word[4]);
/* Loads the lanes of `mask` from `sector`, 32 bytes of memory that all of them lie in. */
void hd_perform_loads(const hd_access *access, hd_access_result *result, unsigned size, uint32_t mask, const uint8_t *sector);

/* The place of a lane's bytes in the sector that they lie in, for an access to global memory. */
static inline unsigned hd_place_in_sector(const hd_access *access, unsigned lane)
{
	return (access->address[0].v[lane] + (uint32_t)access->op->offset) & 31;
}

#endif

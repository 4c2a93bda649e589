/* Requests to the second level that cores make in a window of time (PA-2). In a window the cores of a cluster run by themselves, and nothing that
 * clusters share is touched. A request to the second level is only noted. The shared side prices the requests of all clusters later, in the order of
 * (cycle, core, number), in which they would have reached it without windows. An answer is never earlier than half of memory.l2_latency behind its
 * request, and no window is longer than that, so no core can need an answer within its window. Until then the answer is *pending*.
 *
 * A table of misses or of writes can be so full that a pending answer decides when the next request leaves the core. That is after the window, so
 * what is left of the access is *deferred* (deferred.h): it leaves when its request is priced. A load that is refused for want of room comes again
 * when there is room; its request only asks for that cycle.
 *
 * Requests that need the shared side at once stop the cluster: a line of instructions that the L1.5 cache lacks, and an access whose lanes go to
 * several spaces. The shared side continues the cluster when everything before that place is priced (device/windows.h). */
#ifndef HD_REQUESTS_H
#define HD_REQUESTS_H

#include "memory/l2.h"
#include "memory/room.h"

/* A pending cycle is this one plus the number of the request in its list. */
#define HD_PENDING (UINT64_C(1) << 63)

typedef enum hd_request_kind {
	HD_REQUEST_SECTOR,   /* a sector that is read, written, or both (an atomic) */
	HD_REQUEST_DEFERRED, /* the same, which leaves when the unit has room for it: its part of the deferred access */
	HD_REQUEST_HIT,      /* a sector of the deferred access that the first cache has or gets; nothing is asked */
	HD_REQUEST_ROOM, /* the answer is the first cycle from `at` on in which the room has a place behind the sure ones and `part` others; nothing
	                    is asked */
} hd_request_kind;

struct hd_deferred; /* deferred.h */

typedef struct hd_request {
	uint64_t cycle; /* in which the core makes it */
	uint64_t at;    /* the argument of hd_l2_sector: it leaves then, the longer way to a far slice included; of a hit: hd_cache_line.ready */
	uint64_t address;
	uint64_t later;  /* what the answer takes beyond that of the second level */
	uint64_t answer; /* HD_PENDING until it is priced */
	uint64_t *ready; /* the `ready` of the sector in a first cache that the answer goes to; NULL: none */
	hd_room *room;   /* in which it has a place until the answer */
	struct hd_deferred *deferred;
	uint32_t core, part; /* part: of the deferred access */
	uint8_t kind;        /* hd_request_kind */
	bool reads, writes;
	uint8_t dram; /* sectors that were read from DRAM for it, once it is priced */
} hd_request;

typedef enum hd_stop_for { HD_STOP_NOT, HD_STOP_MEMORY, HD_STOP_FETCH } hd_stop_for;

/* Those of a cluster. */
typedef struct hd_requests {
	bool open;         /* a window is open: requests wait */
	bool direct;       /* the shared side is at the core's disposal for one access */
	hd_stop_for stops; /* set by a core whose tick could not be completed: why */
	uint32_t window;   /* number of the window */
	uint32_t ahead;    /* the cycles by which an answer is later than its request at least */
	HD_VEC(hd_request) list;
	HD_VEC(uint32_t) awaited; /* numbers of requests that accesses wait for, those of one access next to each other */
} hd_requests;

void hd_requests_free(hd_requests *requests);
/* True while requests wait. `requests` may be NULL: they never do. */
static inline bool hd_requests_are_pending(const hd_requests *requests) { return requests && requests->open && !requests->direct; }
/* Notes a request. One of the kind HD_REQUEST_SECTOR takes a place of its room. Returns its pending cycle. Requires: hd_requests_are_pending. */
uint64_t hd_requests_note(hd_requests *requests, const hd_request *request);
/* The pending cycle `at` is one that the present access waits for. */
static inline void hd_requests_await(hd_requests *requests, uint64_t at) { hd_vec_push(&requests->awaited, (uint32_t)(at - HD_PENDING)); }
/* The time of a request to `l2`, which has all earlier ones behind it; without hd_request.later. */
static inline uint64_t hd_request_price(hd_l2 *l2, uint64_t at, uint64_t address, bool reads, bool writes, hd_stats *stats)
{
	uint64_t answer = writes ? hd_l2_sector(l2, at, address, true, stats) : 0;
	return reads ? hd_l2_sector(l2, at, address, false, stats) : answer;
}
/* The cycle in which a deferred request that is priced comes to its slice; of another one 0: its packet has that cycle from the beginning. */
uint64_t hd_request_arrival(const hd_request *request);
/* Prices request `number` of the list and tells its sector and its room. */
void hd_requests_serve(hd_requests *requests, uint32_t number, hd_l2 *l2, hd_stats *stats);
/* The latest answer to the awaited requests from `first` on, `n` of them. Requires: they are priced. */
uint64_t hd_requests_answer(const hd_requests *requests, uint32_t first, uint32_t n);
/* Empties the list for the next window. Requires: all requests are priced. */
void hd_requests_clear(hd_requests *requests);

#endif

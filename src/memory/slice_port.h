/* Requests of a core to the slices of the second level (MT-4, memory.slices). A packet carries a request for each of its sectors. The slice answers
 * each of them on its own, and only then a cycle is known: until then a sector, a place in the table of misses and the end of an access are open.
 *
 * Without such slices nothing of this is used: the unit then asks hd_l2, which knows the answer at once (sectors.h). */
#ifndef HD_SLICE_PORT_H
#define HD_SLICE_PORT_H

#include "memory/coalesce.h"
#include "memory/lsu_state.h"
#include "memory/sectors.h"

/* hd_cache_line.ready of a sector whose answer has not come. */
#define HD_UNKNOWN UINT64_MAX

typedef enum hd_cache_way { HD_WAY_CACHED, HD_WAY_PAST, HD_WAY_WRITE } hd_cache_way; /* through the first cache, past it, or a write */

/* The sectors of one access to one space. */
typedef struct hd_going {
	hd_sectors sectors;
	unsigned next; /* sector */
	hd_work work;
	hd_cache_way way;
	bool strong; /* a load behind which no later one finds an older value in the first cache */
	bool bytes;  /* the access takes effect where MT-1 says; else the requests only ask for time */
	bool waits;  /* the access waits for the answers */
	unsigned times;
	uint64_t stage, done;
} hd_going;

enum { HD_BACKLOG = 2 }; /* global and local memory */

struct hd_slice_port {
	hd_slice_map map;
	uint32_t width;               /* memory.request_bytes */
	uint64_t queue;               /* bytes that can wait for the port into the crossbar */
	uint64_t free_byte;           /* into the crossbar: next free byte, cycle * width + byte of the cycle */
	hd_slice_request **of_sector; /* of each sector of the first cache: the request that an unknown `ready` stands for */
	/* Sectors that found no room. The stage is closed while there are any. */
	hd_going backlog[HD_BACKLOG];
	unsigned n;
	uint64_t end; /* of the stage, once they have passed */
	hd_stats *stats;
	hd_free_list requests, takers;
};

/* Requests of the unit go to the slices of `outbox` from now on. */
void hd_slice_port_init(hd_lsu *lsu);
void hd_slice_port_free(hd_slice_port *port);
/* As hd_sectors_access. The result waits for requests without an answer. Sectors without room stay in the backlog. */
uint64_t hd_slice_port_access(hd_lsu *lsu, const hd_part *p, const hd_work *work, bool by_packet, uint64_t *stage, uint64_t *lane_done,
                              hd_stats *stats);
/* Asks for a sector that is to be in the first cache when a load comes again (PD-26). Returns a cycle in which it can be there at the earliest.
 * Requires room in the table of misses. */
uint64_t hd_slice_port_prefetch(hd_lsu *lsu, const hd_work *work, uint64_t now, uint64_t address, hd_stats *stats);

#endif

/* Sectors of global and local memory: their way through the first cache or past it, and the packets that leave for the second level. */
#ifndef HD_SECTORS_H
#define HD_SECTORS_H

#include "memory/lsu_state.h"

/* The packets of one instruction that are not complete: to near and to far slices. */
typedef struct hd_sending {
	const hd_work *work;
	hd_packet *packet[2];
} hd_sending;

/* Loads a sector through the first cache, for `lanes`. Returns the cycle in which it is present. *stage moves on while the miss table is full.
 * Without `sending` only the time is computed. In a window of time the list of requests says what the access waits for beyond that (requests.h). */
uint64_t hd_sector_load(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, hd_stats *stats);
/* Computes the time of the sectors of global or local lanes. *stage moves on by the cycles in which the memory stage is busy. Returns the cycle in
 * which the last sector is done. `lane_done`, by lane, may be NULL. With `by_packet` the access takes effect where MT-1 says, else before. */
uint64_t hd_sectors_access(hd_lsu *lsu, const hd_part *p, const hd_work *work, bool by_packet, uint64_t *stage, uint64_t *lane_done, hd_stats *stats);
/* For livelock detection: what is not there yet is the same in each turn of a loop. */
void hd_sectors_blank(const hd_work *work, uint32_t mask);

#endif

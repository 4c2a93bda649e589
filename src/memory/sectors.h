/* Sectors of global and local memory: their way through the first cache or past it, and the packets that leave for the second level. */
#ifndef HD_SECTORS_H
#define HD_SECTORS_H

#include "memory/lsu_state.h"

/* Returned where the answer will tell the cycle, and where there is no room before another answer comes. Both with memory.slices only. */
#define HD_SECTOR_ASKED 0
#define HD_SECTOR_HALTS UINT64_MAX

/* Loads a sector through the first cache, for `lanes`. Returns the cycle in which it is present. *stage moves on while the miss table is full.
 * Without `sending` only the time is computed. */
uint64_t hd_sector_load(hd_lsu *lsu, hd_sending *sending, uint64_t *stage, uint64_t address, uint32_t lanes, hd_stats *stats);
/* Begins with the sectors of global or local lanes. With `travels` the access takes effect where MT-1 says, else it has taken effect. The work stays in
 * place until all sectors have passed. */
void hd_sectors_begin(hd_lsu *lsu, hd_going *going, const hd_part *p, const hd_work *work, bool travels, uint64_t stage, hd_stats *stats);
/* Lets the sectors pass. *stage moves on by the cycles in which the memory stage is busy. going->done is then the cycle in which the last sector is
 * done, as far as the unit knows it. `lane_done`, by lane, may be NULL. False: it halts, and the same call goes on later. */
bool hd_sectors_pass(hd_lsu *lsu, hd_going *going, uint64_t *stage, uint64_t *lane_done, hd_stats *stats);

#endif

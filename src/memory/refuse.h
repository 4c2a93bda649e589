/* Refusals of the load/store unit at its memory stage, for a replay (PD-15, PD-26). */
#ifndef HD_REFUSE_H
#define HD_REFUSE_H

#include "memory/lsu_state.h"

/* Refuses what an access with may_refuse cannot have in this cycle: reduces p->mask, and fills the result. Only an access to a single space can be
 * refused. Global atomics, accesses to local memory and stores to global memory are never refused. They wait for room at the stage. */
void hd_refuse(hd_lsu *lsu, hd_part *p, const hd_work *work, uint64_t now, hd_stats *stats);
/* The same for a load whose result is `kept`, when nothing of it can be served now. False: some of it can. */
bool hd_refuse_again(hd_lsu *lsu, const hd_access *access, uint64_t now, hd_access_result *result);

#endif

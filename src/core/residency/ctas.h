/* The CTAs of a core, for the device: which begin, which have ended. */
#ifndef HD_CORE_CTAS_H
#define HD_CORE_CTAS_H

#include "core/context.h"

/* True when the core has room for one more CTA of this demand (PD-20). */
bool hd_core_fits(const hd_core *core, const hd_demand *demand);
/* Takes room for a CTA of the grid, and begins it in cycle `now`, before the tick of that cycle, or grids.cta_latency later. Requires: it fits.
 * `item` is the entry of a queue. */
void hd_core_start(hd_core *core, uint64_t now, hd_grid *grid, const uint32_t cta[3], uint64_t number, uint64_t item);
/* The grids of the CTAs that have ended by cycle `now` and were not reported yet, one entry for each CTA; *n entries. Their room is free then. */
hd_grid *const *hd_core_ended(hd_core *core, uint64_t now, uint32_t *n);
/* The cycle of the first end that hd_core_ended has not reported; UINT64_MAX: it has reported all. */
uint64_t hd_core_end(const hd_core *core);
/* Number of resident CTAs. */
uint32_t hd_core_resident(const hd_core *core);

#endif

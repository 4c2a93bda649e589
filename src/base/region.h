/* Memory that is freed as a whole. What one run needs for many things of a kind lies side by side, and a large region lies in huge pages of the host,
 * where it has them: 80 cores of a machine have more ordinary pages than the host's translation buffers hold. Several threads may take from one
 * region. Under AddressSanitizer each part is an allocation of its own. */
#ifndef HD_REGION_H
#define HD_REGION_H

#include "base/base.h"

typedef struct hd_region hd_region;

/* `expected`: about how many bytes will be taken. */
hd_region *hd_region_new(size_t expected);
/* Frees all that was taken. `region` may be NULL. */
void hd_region_free(hd_region *region);
/* `bytes` bytes, all 0, which begin at a cache line of the host. */
void *hd_region_take(hd_region *region, size_t bytes);
/* The same for a unit that can also live by itself, without a region. It gives back with hd_give what it has taken. */
static inline void *hd_take(hd_region *region, size_t bytes) { return region ? hd_region_take(region, bytes) : hd_xaligned(bytes); }
static inline void hd_give(const hd_region *region, void *taken)
{
	if (!region)
		free(taken);
}

#endif

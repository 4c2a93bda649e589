/* Memory that is freed as a whole. What one run needs for many things of a kind lies side by side, and a large region lies in huge pages of the host,
 * where it has them: 80 cores of a machine have more ordinary pages than the host's translation buffers hold. A region can serve one run after the
 * other, so that the host need not clear new pages for each. Several threads may take from one region. Under AddressSanitizer each part is an
 * allocation of its own. */
#ifndef HD_REGION_H
#define HD_REGION_H

#include "base/base.h"

/* 1 under AddressSanitizer. */
#ifdef __has_feature
#define HD_REGION_APART __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HD_REGION_APART 1
#else
#define HD_REGION_APART 0
#endif

typedef struct hd_region hd_region;

/* `expected`: about how many bytes will be taken. */
hd_region *hd_region_new(size_t expected);
/* Frees all that was taken. `region` may be NULL. */
void hd_region_free(hd_region *region);
/* Gives back all that was taken, and keeps the memory for what is taken next: about `expected` bytes. */
void hd_region_reset(hd_region *region, size_t expected);
/* `bytes` bytes, all 0, which begin at a cache line of the host. */
void *hd_region_take(hd_region *region, size_t bytes);
/* The same with undefined content. */
void *hd_region_take_any(hd_region *region, size_t bytes);
/* hd_region_take and hd_region_take_any for a unit that can also live by itself, without a region. It gives back with hd_give what it has taken. */
static inline void *hd_take(hd_region *region, size_t bytes) { return region ? hd_region_take(region, bytes) : hd_xaligned(bytes); }
static inline void *hd_take_any(hd_region *region, size_t bytes) { return region ? hd_region_take_any(region, bytes) : hd_xaligned(bytes); }
static inline void hd_give(const hd_region *region, void *taken)
{
	if (!region)
		free(taken);
}

#endif

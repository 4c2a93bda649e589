/* Occupancy (PD-20): how many CTAs of a launch a core can hold at once, and which limit allows no more. */
#ifndef HD_CORE_OCCUPANCY_H
#define HD_CORE_OCCUPANCY_H

#include "config/machine.h"
#include "launch/launch.h"

typedef enum hd_occupancy_limit {
	HD_LIMIT_CTAS,
	HD_LIMIT_WARPS,
	HD_LIMIT_REGISTERS,
	HD_LIMIT_SHARED,
	HD_LIMIT_LOCAL,
	HD_LIMIT_COUNT
} hd_occupancy_limit;

/* The resources of one CTA. */
typedef struct hd_demand {
	uint32_t warps;
	uint64_t registers, shared, local; /* 32-bit registers, bytes, bytes */
} hd_demand;

/* The resources of a core. */
typedef struct hd_supply {
	uint32_t ctas, warps;
	uint64_t registers, shared, local;
} hd_supply;

#define HD_UNLIMITED UINT32_MAX

typedef struct hd_occupancy {
	uint32_t ctas;               /* the least of `by` */
	uint32_t warps, slots;       /* warps of that many CTAs; warp slots of a core */
	hd_occupancy_limit limit;    /* the limit that equals `ctas`; the first of several, in the order of the enumeration */
	uint32_t by[HD_LIMIT_COUNT]; /* HD_UNLIMITED: the launch needs none of it */
} hd_occupancy;

hd_demand hd_demand_of(const hd_launch *launch);
hd_supply hd_supply_of(const hd_machine *machine);
void hd_occupancy_of(const hd_machine *machine, const hd_launch *launch, hd_occupancy *occupancy);
/* "registers", "warp slots", ...; hd_occupancy_reason: why a CTA does not fit at all (static text). */
const char *hd_occupancy_name(hd_occupancy_limit limit);
const char *hd_occupancy_reason(hd_occupancy_limit limit);

#endif

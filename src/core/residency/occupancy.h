/* Occupancy (PD-20): the number of CTAs of a launch that a core can hold at once, and the limit that allows no more. */
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
	uint32_t ctas;               /* the least number of `by` */
	uint32_t warps, slots;       /* warps of these CTAs; warp slots of a core */
	hd_occupancy_limit limit;    /* the limit that equals `ctas`; the first of several, in the order of the enumeration */
	uint32_t by[HD_LIMIT_COUNT]; /* HD_UNLIMITED: the launch does not need the resource */
} hd_occupancy;

hd_demand hd_demand_of(const hd_launch *launch);
hd_supply hd_supply_of(const hd_machine *machine);
void hd_occupancy_of(const hd_machine *machine, const hd_launch *launch, hd_occupancy *occupancy);
/* The name of a limit: "registers", "warp slots", ... hd_occupancy_reason says why a CTA does not fit at all. Both texts are static. */
const char *hd_occupancy_name(hd_occupancy_limit limit);
const char *hd_occupancy_reason(hd_occupancy_limit limit);

#endif

/* Work distributor (PD-19): hands the CTAs of a grid to cores as room appears, round robin. */
#ifndef HD_DISTRIBUTOR_H
#define HD_DISTRIBUTOR_H

#include "core/core.h"

typedef struct hd_distributor {
	uint32_t grid[3];
	uint64_t total, given; /* CTAs; they are given in order, x fastest */
	uint32_t turn;         /* core that is asked first */
} hd_distributor;

void hd_distributor_init(hd_distributor *distributor, const uint32_t grid[3]);
/* Places as many CTAs as there is room for, to begin in cycle `now`: one to each core in turn until none has room. True when any was placed. */
bool hd_distributor_place(hd_distributor *distributor, hd_core *const *cores, uint32_t n, uint64_t now);

#endif

/* Registers for convergence barriers, and the edges on which lanes leave a barrier (RC-16). */
#ifndef HD_CONVERGENCE_BARRIERS_H
#define HD_CONVERGENCE_BARRIERS_H

#include "passes/lower/regions.h"

enum { HD_BARRIER_REGISTERS = 16, HD_NO_BARRIER = 255 };

/* Lanes that take this edge can no longer come to the join of a region in which they are registered. */
typedef struct hd_leaving {
	uint32_t block;
	uint32_t side; /* which successor */
	uint32_t barrier;
} hd_leaving;
typedef HD_VEC(hd_leaving) hd_leavings;

/* Gives each region its barrier, drops those for which there is none, and appends the edges on which lanes must leave a barrier, each once.
 *
 *  1. Regions of one join share a barrier. Joins have different ones where a lane can be registered with both, and where a group of lanes can yield
 *     between the places of one of them (`yields`, a bit a block): meanwhile other groups run elsewhere.
 *  2. Outer regions choose first. If more than 16 barriers are needed at once, the innermost joins have none, and lanes do not meet there. (A
 * compiler for Volta spills barriers to registers.)
 *  3. A lane leaves a barrier where it cannot come to the join any more, without going round a loop that contains the join or the place where it was
 *     registered. So lanes that wait at a join are registered only with joins that come later in the layout, and barriers never wait for each other.
 */
void hd_assign_barriers(hd_regions *regions, const hd_bits *yields, hd_leavings *leavings);

#endif

/* The regions of a function from which lanes come together again (RC-16): where lanes are registered for which join. Both baselines use them
 * (reconvergence.h). */
#ifndef HD_REGIONS_H
#define HD_REGIONS_H

#include "passes/analysis/joins.h"
#include "passes/analysis/uniformity.h"

/* Lanes are registered for a join at a place: at the end of a block, before its branch, or before a loop. */
typedef struct hd_region {
	uint32_t block; /* the block with the branch, or the header of the loop */
	bool before_loop;
	uint32_t join;
	bool round; /* the lanes meet at the end of an iteration of the loop whose header is the join */
	bool dropped;
	uint32_t barrier; /* its convergence barrier (convergence_barriers.h) */
} hd_region;

typedef struct hd_regions {
	hd_region *at;
	size_t n, cap;
	const hd_ir_function *function;
	hd_joins joins;
	hd_bits divergent; /* the blocks whose branch may be decided differently by lanes that reach it together */
} hd_regions;

/* The divergent branches' joins, each registered at as few places as possible. A branch in a loop that does not contain the join is registered before
 * the loop, if it has one entry. Requires: allocated; hd_ir_link was called. `written`: of hd_written_resources. The caller frees the result with
 * hd_regions_free. */
hd_regions hd_regions_new(const hd_ir_function *function, const hd_machine *machine, const hd_resource_set *written);
void hd_regions_free(hd_regions *regions);

/* The innermost loop around the place; HD_NO_BLOCK = none. */
uint32_t hd_region_loop(const hd_regions *regions, const hd_region *region);
/* Joins in the order in which lanes reach them; the end of an iteration comes behind the blocks of its loop.
 * Different joins have different numbers. */
uint64_t hd_region_order(const hd_regions *regions, const hd_region *region);
/* Does an edge from `block` to `header` go round a loop? */
bool hd_regions_goes_round(const hd_regions *regions, uint32_t header, uint32_t block);
/* The block only ends the thread, and nobody has to be there together. */
bool hd_regions_only_ends(const hd_ir_block *block);

#endif

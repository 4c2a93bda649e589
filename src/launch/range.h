/* Ranges of threads whose groups have several sizes (OpenCL's non-uniform work-groups), and groups for a range that names no size. */
#ifndef HD_RANGE_H
#define HD_RANGE_H

#include "launch/launch.h"

enum { HD_RANGE_PARTS = 8 /* launches that a range becomes at most: full and smaller groups in each of three dimensions */ };

/* Number of threads, and of groups of full size, in each dimension: `whole->groups` of a range with offset, size and block. */
void hd_range_count(hd_range *whole);
/* True if no group of the range is smaller than the others. */
bool hd_range_uniform(const hd_range *whole);
/* Part `which`, below HD_RANGE_PARTS, of the range: sets grid, block, offset and range of `launch`. *part outlives the launch. False if the range has
 * no such part. */
bool hd_range_part(const hd_range *whole, unsigned which, hd_launch *launch, hd_range *part);
/* Chooses the size of a group for a program that gave none: the largest divisors of `global`, x first, up to a size that suits the machine and
 * `most`. With `nonuniform`, a range of many threads whose size has none gets groups of several sizes. */
void hd_range_choose(const hd_kernel *kernel, size_t most, bool nonuniform, uint32_t dims, const size_t *global, size_t *local);

#endif

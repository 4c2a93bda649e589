/* Ranges whose groups have several sizes, and the choice of a size. */
#include "../test.h"

#include "launch/range.h"

TEST(parts_cover_the_range_once)
{
	enum { X = 13, Y = 9, Z = 5 };
	hd_range whole = {.offset = {100, 0, 7}, .size = {X, Y, Z}, .block = {4, 3, 2}};
	uint8_t seen[Z][Y][X] = {{{0}}};
	uint32_t groups = 0;
	hd_range_count(&whole);
	assert_int_equal(whole.groups[0] * 100 + whole.groups[1] * 10 + whole.groups[2], 433);
	assert_false(hd_range_uniform(&whole));
	for (unsigned which = 0; which < HD_RANGE_PARTS; which++) {
		hd_launch launch = {.work_dim = 3};
		hd_range part;
		if (!hd_range_part(&whole, which, &launch, &part))
			continue;
		assert_ptr_equal(launch.range, &part);
		groups += launch.grid[0] * launch.grid[1] * launch.grid[2];
		for (uint64_t z = 0; z < (uint64_t)launch.grid[2] * launch.block[2]; z++)
			for (uint64_t y = 0; y < (uint64_t)launch.grid[1] * launch.block[1]; y++)
				for (uint64_t x = 0; x < (uint64_t)launch.grid[0] * launch.block[0]; x++) {
					uint64_t at[3] = {x + launch.offset[0] - 100, y + launch.offset[1], z + launch.offset[2] - 7};
					assert_true(at[0] < X && at[1] < Y && at[2] < Z);
					assert_int_equal(at[0] / 4, part.first[0] + x / launch.block[0]);
					seen[at[2]][at[1]][at[0]]++;
				}
	}
	assert_int_equal(groups, 4 * 3 * 3);
	for (unsigned i = 0; i < X * Y * Z; i++)
		assert_int_equal((&seen[0][0][0])[i], 1);
}

/* A dimension that groups divide has no smaller ones. */
TEST(parts_that_are_not_there)
{
	hd_range whole = {.size = {8, 3, 1}, .block = {4, 2, 1}}, part;
	unsigned n = 0;
	hd_range_count(&whole);
	for (unsigned which = 0; which < HD_RANGE_PARTS; which++)
		n += hd_range_part(&whole, which, &(hd_launch){0}, &part);
	assert_int_equal(n, 2);
	whole.size[1] = 4;
	assert_true(hd_range_uniform(&whole));
}

TEST(sizes_are_chosen)
{
	static const struct {
		size_t most, global[3], local[3];
		bool nonuniform;
	} rows[] = {
	    {1024, {1024, 1, 1}, {256, 1, 1}, false}, {1024, {96, 10, 1}, {96, 2, 1}, false},  {64, {1024, 1, 1}, {64, 1, 1}, false},
	    {1024, {1009, 1, 1}, {1, 1, 1}, false},   {1024, {1009, 1, 1}, {256, 1, 1}, true}, {1024, {0, 1, 1}, {1, 1, 1}, false},
	};
	hd_kernel kernel = {0};
	size_t local[3];
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_range_choose(&kernel, rows[i].most, rows[i].nonuniform, 3, rows[i].global, local);
		assert_memory_equal(local, rows[i].local, sizeof local);
	}
	memcpy(kernel.required_block, (uint32_t[]){5, 4, 3}, sizeof kernel.required_block);
	hd_range_choose(&kernel, 1024, false, 3, rows[0].global, local);
	assert_int_equal(local[0] * 100 + local[1] * 10 + local[2], 543);
}

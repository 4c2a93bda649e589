#include "launch/range.h"

enum { PREFERRED_GROUP = 256 };

void hd_range_count(hd_range *whole)
{
	for (unsigned d = 0; d < 3; d++)
		whole->groups[d] = (uint32_t)(whole->size[d] / whole->block[d] + (whole->size[d] % whole->block[d] != 0));
}

bool hd_range_uniform(const hd_range *whole)
{
	return whole->size[0] % whole->block[0] == 0 && whole->size[1] % whole->block[1] == 0 && whole->size[2] % whole->block[2] == 0;
}

bool hd_range_part(const hd_range *whole, unsigned which, hd_launch *launch, hd_range *part)
{
	bool there = true;
	*part = *whole;
	launch->range = part;
	for (unsigned d = 0; d < 3; d++) {
		uint32_t full = (uint32_t)(whole->size[d] / whole->block[d]), rest = (uint32_t)(whole->size[d] % whole->block[d]);
		bool last = which >> d & 1;
		part->first[d] = last ? full : 0;
		launch->grid[d] = last ? 1 : full;
		launch->block[d] = last ? rest : whole->block[d];
		launch->offset[d] = whole->offset[d] + (uint64_t)part->first[d] * whole->block[d];
		there = there && (last ? rest : full);
	}
	return there;
}

void hd_range_choose(const hd_kernel *kernel, size_t most, bool nonuniform, uint32_t dims, const size_t *global, size_t *local)
{
	size_t left = hd_min_u64(most, PREFERRED_GROUP);
	for (uint32_t d = 0; d < dims; d++) {
		if (kernel->required_block[0]) {
			local[d] = kernel->required_block[d];
			continue;
		}
		size_t size = left < global[d] ? left : global[d];
		size_t divisor = size;
		while (divisor > 1 && global[d] % divisor)
			divisor--;
		local[d] = hd_max_u64(!d && nonuniform && divisor < HD_LANES ? size : divisor, 1);
		left /= local[d];
	}
}

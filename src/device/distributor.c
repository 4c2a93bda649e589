#include "device/distributor.h"

void hd_distributor_init(hd_distributor *distributor, const uint32_t grid[3])
{
	*distributor = (hd_distributor){.grid = {grid[0], grid[1], grid[2]}, .total = (uint64_t)grid[0] * grid[1] * grid[2]};
}

bool hd_distributor_place(hd_distributor *distributor, hd_core *const *cores, uint32_t n, uint64_t now)
{
	bool placed = false;
	for (uint32_t without = 0; distributor->given < distributor->total && without < n;) {
		uint32_t core = distributor->turn;
		distributor->turn = core + 1 == n ? 0 : core + 1;
		if (!hd_core_room(cores[core])) {
			without++;
			continue;
		}
		uint64_t number = distributor->given++, rest = number / distributor->grid[0];
		uint32_t at[3] = {(uint32_t)(number % distributor->grid[0]), (uint32_t)(rest % distributor->grid[1]),
		                  (uint32_t)(rest / distributor->grid[1])};
		hd_core_start(cores[core], now, at, number);
		without = 0;
		placed = true;
	}
	return placed;
}

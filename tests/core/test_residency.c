/* CTAs and warps in a core (PD-20): warp slots, and room that is taken and given back. */
#include "rig.h"

#include "core/residency/residency.h"

TEST(warps_take_the_slots_of_their_cta_in_order)
{
	hd_cta cta = {.slots = {UINT64_C(1) << 63 | 1u << 9 | 2, 5}};
	const uint32_t expected[] = {1, 9, 63, 64, 66};
	for (uint32_t n = 0; n < HD_COUNT(expected); n++)
		assert_int_equal(hd_core_slot(&cta, n), expected[n]);
}

TEST(a_cta_takes_the_lowest_free_slots_and_its_demand)
{
	hd_cta ctas[4] = {{.used = true}};
	hd_core core = {.ctas = ctas, .size = {.ctas = 4}, .free_slots = {UINT64_C(1) << 63 | 4, 3}};
	hd_grid grid = {0};
	const hd_demand demand = {.warps = 3, .registers = 96, .shared = 100, .local = 7};
	core.supply = (hd_supply){.ctas = 4, .warps = 128, .registers = 200, .shared = 150, .local = 20};
	assert_true(hd_core_fits(&core, &demand));
	hd_cta *cta = hd_core_take(&core, &grid, &demand);
	assert_ptr_equal(cta, &ctas[1]);
	assert_true(cta->slots[0] == (UINT64_C(1) << 63 | 4) && cta->slots[1] == 1);
	assert_true(core.free_slots[0] == 0 && core.free_slots[1] == 2);
	assert_true(core.used.registers == 96 && core.used.shared == 100 && core.used.local == 7);
	assert_true(cta->shared_room >= 100);
	assert_int_equal(core.taken, 1);
	assert_int_equal(hd_core_resident(&core), 0); /* it has not begun */
	/* Each resource is enough to refuse a second one. */
	assert_false(hd_core_fits(&core, &demand));
	assert_false(hd_core_fits(&core, &(hd_demand){.warps = 2}));
	assert_true(hd_core_fits(&core, &(hd_demand){.warps = 1}));
	assert_false(hd_core_fits(&core, &(hd_demand){.warps = 1, .registers = 105}));
	assert_false(hd_core_fits(&core, &(hd_demand){.warps = 1, .shared = 51}));
	assert_false(hd_core_fits(&core, &(hd_demand){.warps = 1, .local = 14}));
	core.size.ctas = 1;
	assert_false(hd_core_fits(&core, &(hd_demand){.warps = 1}));
	free(cta->shared);
}

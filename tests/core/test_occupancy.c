/* Occupancy (PD-20): warp slots, registers, shared memory, CTAs and local memory, each exact at its border, and the one that binds by name. */
#include "core/residency/residency.h"
#include "../test.h"

typedef struct world {
	hd_machine machine;
	hd_kernel kernel;
	hd_launch launch;
	hd_occupancy o;
} world;

static world world_new(void)
{
	world w = {.kernel = {.registers = 1}, .launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}}};
	hd_machine_default(&w.machine);
	w.machine.machine_clusters = w.machine.machine_cores = 1;
	w.machine.machine_max_ctas = 64;
	return w;
}

static void ask(world *w)
{
	w->launch.kernel = &w->kernel;
	hd_occupancy_of(&w->machine, &w->launch, &w->o);
}

static void expect(world *w, uint32_t ctas, hd_occupancy_limit limit)
{
	ask(w);
	assert_int_equal(w->o.ctas, ctas);
	assert_int_equal(w->o.limit, limit);
	assert_int_equal(w->o.by[limit], ctas);
}

TEST(warp_slots_bind)
{
	world w = world_new();
	expect(&w, 32, HD_LIMIT_WARPS); /* 2 schedulers of 16 */
	w.launch.block[0] = 33;         /* one thread more is one warp more */
	expect(&w, 16, HD_LIMIT_WARPS);
	w.launch.block[0] = 64;
	expect(&w, 16, HD_LIMIT_WARPS);
	w.launch.block[0] = 65;
	expect(&w, 10, HD_LIMIT_WARPS);
	assert_int_equal(w.o.warps, 30); /* two slots stay empty */
	assert_int_equal(w.o.slots, 32);
	w.launch.block[0] = 1024;
	expect(&w, 1, HD_LIMIT_WARPS);
	w.machine.machine_warps = 15;
	expect(&w, 0, HD_LIMIT_WARPS);
	assert_non_null(strstr(hd_occupancy_reason(w.o.limit), "machine.warps"));
}

TEST(ctas_bind)
{
	world w = world_new();
	w.machine.machine_max_ctas = 31;
	expect(&w, 31, HD_LIMIT_CTAS);
	w.machine.machine_max_ctas = 32; /* as many as warp slots: the first in the list is named */
	expect(&w, 32, HD_LIMIT_CTAS);
	w.machine.machine_max_ctas = 33;
	expect(&w, 32, HD_LIMIT_WARPS);
}

TEST(registers_bind)
{
	world w = world_new();
	for (uint32_t ctas = 1; ctas <= 31; ctas++) {
		w.kernel.registers = w.machine.machine_registers / (HD_LANES * ctas);
		if (w.machine.machine_registers / (HD_LANES * w.kernel.registers) != ctas)
			continue;
		expect(&w, ctas, HD_LIMIT_REGISTERS);
		w.machine.machine_registers = w.kernel.registers * HD_LANES * ctas; /* fits to the last register */
		expect(&w, ctas, HD_LIMIT_REGISTERS);
		w.machine.machine_registers--;
		expect(&w, ctas - 1, HD_LIMIT_REGISTERS);
		w.machine.machine_registers = 65536;
	}
}

TEST(shared_memory_binds)
{
	world w = world_new();
	w.kernel.shared_bytes = 65536;
	expect(&w, 1, HD_LIMIT_SHARED);
	w.kernel.shared_bytes = 65537;
	expect(&w, 0, HD_LIMIT_SHARED);
	assert_string_equal(hd_occupancy_name(w.o.limit), "shared memory");
	w.kernel.shared_bytes = 32768 - 16; /* the static part is rounded to 16 bytes, dynamic shared memory comes on top */
	w.launch.dynamic_shared = 16;
	expect(&w, 2, HD_LIMIT_SHARED);
	w.launch.dynamic_shared = 17;
	expect(&w, 1, HD_LIMIT_SHARED);
	w.launch.dynamic_shared = 16;
	w.kernel.shared_bytes = 32768 - 15;
	expect(&w, 1, HD_LIMIT_SHARED);
}

TEST(local_memory_binds_and_what_is_not_needed_does_not_count)
{
	world w = world_new();
	ask(&w);
	assert_int_equal(w.o.by[HD_LIMIT_SHARED], HD_UNLIMITED);
	assert_int_equal(w.o.by[HD_LIMIT_LOCAL], HD_UNLIMITED);
	w.kernel.local_bytes = (1u << 31) / HD_LANES / 8;
	expect(&w, 8, HD_LIMIT_LOCAL);
	w.kernel.local_bytes++;
	expect(&w, 7, HD_LIMIT_LOCAL);
	w.machine.machine_cores = 2; /* they share it */
	w.kernel.local_bytes--;
	expect(&w, 4, HD_LIMIT_LOCAL);
}

/* A core takes a CTA that fits exactly, and none that needs one unit more of anything; what ends gives everything back. */
static void expect_room(const hd_core *core, hd_demand room)
{
	const hd_demand too_much[] = {{room.warps + 1, room.registers, room.shared, room.local},
	                              {room.warps, room.registers + 1, room.shared, room.local},
	                              {room.warps, room.registers, room.shared + 1, room.local},
	                              {room.warps, room.registers, room.shared, room.local + 1}};
	assert_true(hd_core_fits(core, &room));
	for (unsigned i = 0; i < HD_COUNT(too_much); i++)
		assert_false(hd_core_fits(core, &too_much[i]));
}

TEST(a_core_takes_what_fits)
{
	const hd_demand all = {.warps = 100, .registers = 1000, .shared = 2000, .local = 3000}, some = {3, 400, 500, 600};
	hd_core *core = hd_xaligned(sizeof *core);
	hd_cta ctas[2] = {0};
	core->ctas = ctas;
	core->size = (hd_core_size){.ctas = 2, .warps = 100};
	core->supply = (hd_supply){.ctas = 2, .warps = 100, .registers = 1000, .shared = 2000, .local = 3000};
	core->free_slots[0] = ~UINT64_C(0);
	core->free_slots[1] = (UINT64_C(1) << 36) - 1;
	expect_room(core, all);
	hd_cta *first = hd_core_take(core, NULL, &some);
	expect_room(core, (hd_demand){97, 600, 1500, 2400});
	hd_cta *second = hd_core_take(core, NULL, &(hd_demand){97, 100, 0, 0});
	assert_false(hd_core_fits(core, &(hd_demand){0})); /* two CTAs */
	assert_int_equal(hd_core_slot(first, 2), 2);
	assert_int_equal(hd_core_slot(second, 0), 3);
	assert_int_equal(hd_core_slot(second, 96), 99);
	hd_core_give(core, first);
	expect_room(core, (hd_demand){3, 900, 2000, 3000});
	hd_core_give(core, second);
	expect_room(core, all);
	for (unsigned i = 0; i < HD_COUNT(ctas); i++)
		free(ctas[i].shared);
	free(core);
}

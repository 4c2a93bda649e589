/* Occupancy (PD-20): warp slots, registers, shared memory, CTAs and local memory, each exact at its border, and the one that binds by name. */
#include "core/residency/occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

static void warp_slots_bind(void **state)
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

static void ctas_bind(void **state)
{
	world w = world_new();
	w.machine.machine_max_ctas = 31;
	expect(&w, 31, HD_LIMIT_CTAS);
	w.machine.machine_max_ctas = 32; /* as many as warp slots: the first in the list is named */
	expect(&w, 32, HD_LIMIT_CTAS);
	w.machine.machine_max_ctas = 33;
	expect(&w, 32, HD_LIMIT_WARPS);
}

static void registers_bind(void **state)
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

static void shared_memory_binds(void **state)
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

static void local_memory_binds_and_what_is_not_needed_does_not_count(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(warp_slots_bind),
	    cmocka_unit_test(ctas_bind),
	    cmocka_unit_test(registers_bind),
	    cmocka_unit_test(shared_memory_binds),
	    cmocka_unit_test(local_memory_binds_and_what_is_not_needed_does_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
